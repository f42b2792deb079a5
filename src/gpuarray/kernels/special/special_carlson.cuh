// Carlson's symmetric elliptic integrals of real and complex arguments.
//
// The duplication theorems and the series of B. C. Carlson, "Numerical computation of real or complex elliptic
// integrals" (1995), Numerical Algorithms 10, with the terms of sixth and seventh degree of DLMF 19.36(i).
#pragma once

#include "gpuarray/special_numbers.cuh"

namespace gpuarray {
namespace special {

// Numbers on the cut along the negative axis have no value: SciPy's answer for them is NaN.
template <class T> GPUARRAY_DEVICE bool on_cut(T x) { return is_real(x) && real_of(x) < 0; }
// So have infinities whose angle is not between right angles.
GPUARRAY_DEVICE bool left_of_range(double x) { return x < 0; }
GPUARRAY_DEVICE bool left_of_range(Complex x) {
    return on_cut(x) || x.real == -infinity() || (gpuarray::isinf(x.real) && gpuarray::isinf(x.imag));
}
template <class T> GPUARRAY_DEVICE bool infinite(T x) { return gpuarray::isinf(x); }
template <class T> GPUARRAY_DEVICE bool missing(T x) { return gpuarray::isnan(x); }

// a b + a c + b c, of real numbers with the fewest roundings.
GPUARRAY_DEVICE double pairs(double a, double b, double c) { return ::fma(a, b + c, b * c); }
GPUARRAY_DEVICE Complex pairs(Complex a, Complex b, Complex c) { return a * b + a * c + b * c; }

// The factor by which arguments of this size are scaled against overflow and underflow of their sums. A power of four:
// the functions are homogeneous of degree -1/2 or -3/2, so the result is scaled by a power of two.
GPUARRAY_DEVICE double carlson_unit(double size) { return size > 1e306 ? 0x1p-32 : size < 1e-290 ? 0x1p200 : 1.0; }

template <class T> GPUARRAY_CALLED T carlson_rc(T x, T y) {
    if (left_of_range(x) || missing(x) || missing(y)) return T(not_a_number());
    if (is_zero(y) || (infinite(x) && on_cut(y))) return T(not_a_number());
    if (infinite(x) || infinite(y)) return T(0);
    const double unit = carlson_unit(::fmax(magnitude(x), magnitude(y)));
    x = unit * x, y = unit * y;
    T factor = T(1);
    if (on_cut(y)) {  // Cauchy's principal value, DLMF 19.2.20
        if (is_zero(x)) return T(0);
        factor = root(x / (x - y));
        x = x - y;
        y = -y;
    }
    T mean = (x + 2.0 * y) / 3.0;
    const T start = mean, second = y;
    double spread = 120 * magnitude(mean - x), scale = 1;
    for (int step = 0; step < 600 && spread >= magnitude(mean); ++step) {
        const T product = 2.0 * root(x) * root(y) + y;
        mean = 0.25 * (mean + product);
        x = 0.25 * (x + product);
        y = 0.25 * (y + product);
        spread /= 4;
        scale /= 4;
    }
    const T s = (second - start) * scale / mean;
    const T series = s * s * (0.3 + s * (1.0 / 7 + s * (0.375 + s * (9.0 / 22 + s * (159.0 / 208 + s * 1.125)))));
    return factor * (series + 1.0) / root(mean) * ::sqrt(unit);
}

template <class T> GPUARRAY_CALLED T carlson_rf(T x, T y, T z) {
    if (left_of_range(x) || left_of_range(y) || left_of_range(z)) return T(not_a_number());
    if (missing(x) || missing(y) || missing(z)) return T(not_a_number());
    if (infinite(x) || infinite(y) || infinite(z)) return T(0);
    if (is_zero(x) + is_zero(y) + is_zero(z) > 1) return T(infinity());
    const double unit = carlson_unit(::fmax(::fmax(magnitude(x), magnitude(y)), magnitude(z)));
    x = unit * x, y = unit * y, z = unit * z;
    T mean = (x + y + z) / 3.0;
    const T dx = mean - x, dy = mean - y;
    double spread = 90 * ::fmax(::fmax(magnitude(dx), magnitude(dy)), magnitude(mean - z)), scale = 1;
    for (int step = 0; step < 600 && spread >= magnitude(mean); ++step) {
        const T rx = root(x), ry = root(y), rz = root(z), product = pairs(rx, ry, rz);
        mean = 0.25 * (mean + product);
        x = 0.25 * (x + product);
        y = 0.25 * (y + product);
        z = 0.25 * (z + product);
        spread /= 4;
        scale /= 4;
    }
    const T X = dx * scale / mean, Y = dy * scale / mean, Z = -X - Y, e2 = X * Y - Z * Z, e3 = X * Y * Z;
    const T series = e3 * (1.0 / 14 - e2 * (3.0 / 44 - e2 * (1.0 / 16)) + e3 * (3.0 / 104)) -
                     e2 * (0.1 - e2 * (1.0 / 24 - e2 * (5.0 / 208)));
    return (series + 1.0) / root(mean) * ::sqrt(unit);
}

// A sum of falling terms and what rounding took from it.
template <class T> struct CompensatedSum {
    T value = T(0), rest = T(0);
    GPUARRAY_DEVICE void add(T term) {
        const T next = value + term, back = next - value;
        rest = rest + ((value - (next - back)) + (term - back));
        value = next;
    }
    GPUARRAY_DEVICE T times(double factor, T more) const {
        // Of an infinite term there is no rest.
        return factor * value + (missing(rest) ? more : factor * rest + more);
    }
};

// The series that R_D and R_J share.
template <class T> GPUARRAY_DEVICE T carlson_series(T e2, T e3, T e4, T e5) {
    return 1.0 - 3.0 / 14 * e2 + e3 / 6.0 + 9.0 / 88 * e2 * e2 - 3.0 / 22 * e4 - 9.0 / 52 * e2 * e3 + 3.0 / 26 * e5 -
           e2 * e2 * e2 / 16.0 + 0.075 * e3 * e3 + 0.15 * e2 * e4 + 45.0 / 272 * e2 * e2 * e3 -
           9.0 / 68 * (e3 * e4 + e2 * e5);
}

template <class T> GPUARRAY_CALLED T carlson_rd(T x, T y, T z) {
    if (left_of_range(x) || left_of_range(y) || left_of_range(z)) return T(not_a_number());
    if (missing(x) || missing(y) || missing(z)) return T(not_a_number());
    if (is_zero(z)) return T(infinity());
    if (infinite(x) || infinite(y) || infinite(z)) return T(0);
    if (is_zero(x) && is_zero(y)) return T(infinity());
    const double unit = carlson_unit(::fmax(::fmax(magnitude(x), magnitude(y)), magnitude(z)));
    x = unit * x, y = unit * y, z = unit * z;
    T mean = (x + y + 3.0 * z) / 5.0;
    CompensatedSum<T> sum;
    const T dx = mean - x, dy = mean - y;
    double spread = 150 * ::fmax(::fmax(magnitude(dx), magnitude(dy)), magnitude(mean - z)), scale = 1;
    for (int step = 0; step < 600 && spread >= magnitude(mean); ++step) {
        const T rx = root(x), ry = root(y), rz = root(z), product = pairs(rx, ry, rz);
        sum.add(scale / (rz * (z + product)));
        mean = 0.25 * (mean + product);
        x = 0.25 * (x + product);
        y = 0.25 * (y + product);
        z = 0.25 * (z + product);
        spread /= 4;
        scale /= 4;
    }
    const T X = dx * scale / mean, Y = dy * scale / mean, Z = -(X + Y) / 3.0, xy = X * Y, z2 = Z * Z;
    const T series = carlson_series(xy - 6.0 * z2, (3.0 * xy - 8.0 * z2) * Z, 3.0 * (xy - z2) * z2, xy * z2 * Z);
    return sum.times(3.0, scale * series / (mean * root(mean))) * (unit * ::sqrt(unit));
}

template <class T> GPUARRAY_CALLED T carlson_rj_regular(T x, T y, T z, T p) {
    const double first = ::fmax(magnitude(x), magnitude(y)), last = ::fmax(magnitude(z), magnitude(p));
    const double unit = carlson_unit(::fmax(first, last));
    x = unit * x, y = unit * y, z = unit * z, p = unit * p;
    T mean = (x + y + z + 2.0 * p) / 5.0;
    CompensatedSum<T> sum;
    const T dx = mean - x, dy = mean - y, dz = mean - z;
    double spread = ::fmax(::fmax(magnitude(dx), magnitude(dy)), ::fmax(magnitude(dz), magnitude(mean - p)));
    double scale = 1;
    spread *= 150;
    for (int step = 0; step < 600 && spread >= magnitude(mean); ++step) {
        const T rx = root(x), ry = root(y), rz = root(z), rp = root(p), product = pairs(rx, ry, rz);
        const T d = (rp + rx) * (rp + ry) * (rp + rz);
        // Carlson's 1 + (p - x) (p - y) (p - z) / d^2, multiplied out: it keeps its digits for small p
        sum.add(scale / d * carlson_rc(T(1), 2.0 * rp * (p + product) / d));
        mean = 0.25 * (mean + product);
        x = 0.25 * (x + product);
        y = 0.25 * (y + product);
        z = 0.25 * (z + product);
        p = 0.25 * (p + product);
        spread /= 4;
        scale /= 4;
    }
    const T X = dx * scale / mean, Y = dy * scale / mean, Z = dz * scale / mean, P = -0.5 * (X + Y + Z);
    const T xyz = X * Y * Z, e2 = X * Y + X * Z + Y * Z - 3.0 * P * P;
    const T e3 = xyz + 2.0 * e2 * P + 4.0 * P * P * P, e4 = (2.0 * xyz + e2 * P + 3.0 * P * P * P) * P;
    const T series = scale * carlson_series(e2, e3, e4, xyz * P * P) / (mean * root(mean));
    return sum.times(6.0, series) * (unit * ::sqrt(unit));
}
// Zeros first, then by real parts.
template <class T> GPUARRAY_DEVICE void order(T& a, T& b) {
    if (!is_zero(a) && (is_zero(b) || real_of(b) < real_of(a))) {
        const T other = a;
        a = b;
        b = other;
    }
}
template <class T> GPUARRAY_CALLED T carlson_rj(T x, T y, T z, T p) {
    if (missing(x) || missing(y) || missing(z) || missing(p)) return T(not_a_number());
    if (left_of_range(x) || left_of_range(y) || left_of_range(z)) return T(not_a_number());
    const bool endless = infinite(x) || infinite(y) || infinite(z) || infinite(p);
    if (is_zero(p)) return endless ? T(0) : T(not_a_number());
    if (is_zero(x) + is_zero(y) + is_zero(z) > 1) return T(infinity());
    if (endless) return T(0);
    if (!on_cut(p)) return carlson_rj_regular(x, y, z, p);
    if (!is_real(x) || !is_real(y) || !is_real(z)) return T(not_a_number());
    // Cauchy's principal value, DLMF 19.20.14
    order(x, y);
    order(y, z);
    order(x, y);
    const T q = -p, xy = x * y, other = (z * (x + y + q) - xy) / (z + q), pq = other * q, at = xy + pq;
    const T sum = (other - z) * carlson_rj_regular(x, y, z, other) - 3.0 * carlson_rf(x, y, z) +
                  3.0 * root(xy * z / at) * carlson_rc(at, pq);
    return sum / (z + q);
}

// DLMF 19.21.10 around the middle one, so that no term is negative for real arguments.
template <class T> GPUARRAY_CALLED T carlson_rg(T x, T y, T z) {
    if (left_of_range(x) || left_of_range(y) || left_of_range(z)) return T(not_a_number());
    if (missing(x) || missing(y) || missing(z)) return T(not_a_number());
    if (infinite(x) || infinite(y) || infinite(z)) return T(infinity());
    order(x, y);
    order(y, z);
    order(x, y);
    // The others change no digit, and the terms would leave the range.
    if (magnitude(x) + magnitude(y) < 1e-20 * magnitude(z)) return 0.5 * root(z);
    // Products would leave the range, too: an even power of two, and its root for the result.
    const double size = ::fmax(::fmax(magnitude(x), magnitude(y)), magnitude(z));
    const int shift = size > 1e100 || (size < 1e-100 && size > 0) ? ::ilogb(size) / 2 : 0;
    const double unit = ::ldexp(1.0, -shift);
    x = unit * (unit * x), y = unit * (unit * y), z = unit * (unit * z);
    if (is_zero(y)) return 0.5 * root(z) * ::ldexp(1.0, shift);
    T sum = y * carlson_rf(x, z, y) + root(x) * root(z) / root(y);
    if (!is_zero(x - y) && !is_zero(y - z)) sum = sum + (y - x) * (z - y) / 3.0 * carlson_rd(x, z, y);
    return 0.5 * sum * ::ldexp(1.0, shift);
}

}  // namespace special
}  // namespace gpuarray
