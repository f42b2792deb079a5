// Legendre functions of the second kind, of integer degree and order, and their derivatives.
//
// Degrees are climbed by the recurrence DLMF 14.10.3 where that is stable; elsewhere the quotients of neighbours come from
// above, as its continued fraction. Orders climb by 14.10.1 on the cut of the interval (-1, 1) and by 14.10.6 off it.
#pragma once

#include "gpuarray/special_legendre.cuh"

namespace gpuarray {
namespace special {
namespace legendre {

GPUARRAY_DEVICE double size(double z) { return ::fabs(z); }
GPUARRAY_DEVICE double size(complex128 z) { return ::hypot(z.real, z.imag); }
GPUARRAY_DEVICE double inverse_tanh(double z) { return ::atanh(z); }
GPUARRAY_DEVICE complex128 inverse_tanh(complex128 z) { return gpuarray::atanh(z); }
// Of 1 / z, without the rounding of that near 1.
GPUARRAY_DEVICE double inverse_coth(double z) { return ::copysign(0.5 * ::log1p(2 / (::fabs(z) - 1)), z); }
GPUARRAY_DEVICE complex128 inverse_coth(complex128 z) {
    const double side = z.real < 0 ? -1.0 : 1.0;
    return log1p(divide(complex128(2.0, 0.0), complex128(z.real * side - 1, z.imag * side))) * (0.5 * side);
}

// Where a square would leave the range: functions are powers of z, of degree -n - 1.
template <class X> GPUARRAY_DEVICE bool is_far(X z) { return size(z) > 1e150; }
GPUARRAY_DEVICE bool is_left(double z) { return z < 0; }
GPUARRAY_DEVICE bool is_left(complex128 z) { return z.real < 0; }

template <class X> struct Second {
    X value, slope;
};
// Of order 0, at points where 1 - z^2 is not 0.
template <class X> GPUARRAY_CALLED Second<X> second(int64_t n, X z, bool off) {
    const X first = off ? inverse_coth(z) : inverse_tanh(z), square = below(z) * above(z);
    const double degree = double(n);
    if (n == 0) return Second<X>{first, is_far(z) ? over(-first, z) : over(X(1.0), square)};
    // How fast the other solution grows beside this one, in the logarithm.
    const X power = z + root(below(z) * above(z) * -1.0);
    const double speed = off ? ::fabs(::log(size(power))) : 0.0;
    X before = first, value = z * first - X(1.0);
    if (2 * degree * speed < 1) {
        for (int64_t i = 2; i <= n; ++i) {
            const double k = double(i);
            const X next = z * value * ((2 * k - 1) / k) - before * ((k - 1) / k);
            before = value, value = next;
        }
    } else {
        X quotient(0.0);
        value = first;
        for (int64_t i = n + int64_t(20 / speed) + 2; i >= 1; --i) {
            const double k = double(i);
            quotient = over(X(k), z * (2 * k + 1) - quotient * (k + 1));
            if (i > n) continue;
            if (i == n) before = quotient;  // the last one, until there is a value
            value = value * quotient;
        }
        before = over(value, before);
    }
    if (is_far(z)) return Second<X>{value, over(value * -(degree + 1), z)};
    return Second<X>{value, over((before - z * value) * degree, square)};
}

}  // namespace legendre

// On the cut with |z| < 1, off it elsewhere; complex numbers with |z| = 1 are on it.
template <class X> GPUARRAY_CALLED legendre::Second<X> legendre_q(int64_t n, int64_t m, X z) {
    if (legendre::is_end(z)) return legendre::Second<X>{X(infinity()), X(infinity())};
    const bool off = legendre::size(z) > 1;
    legendre::Second<X> found = legendre::second(n, z, off);
    if (m == 0) return found;
    const double side = off ? -1.0 : 1.0, degree = double(n);
    const bool far = legendre::is_far(z);
    const double sign = legendre::is_left(z) ? -1.0 : 1.0;
    const X w = far ? z * sign : legendre::root(legendre::below(z) * legendre::above(z) * side);
    const X slant = far ? X(sign) : legendre::over(z, w);
    X before = found.value, value = far ? found.value * (-(degree + 1) * sign) : w * found.slope * -side;
    for (int64_t i = 2; i <= m; ++i) {
        const double k = double(i);
        const X next = slant * value * (-2 * (k - 1)) - before * (side * (degree + k - 1) * (degree - k + 2));
        before = value, value = next;
    }
    const double order = double(m);
    const X slope = before * ((degree + order) * (degree - order + 1)) + slant * value * (side * order);
    return legendre::Second<X>{value, legendre::over(slope, w)};
}

}  // namespace special
}  // namespace gpuarray
