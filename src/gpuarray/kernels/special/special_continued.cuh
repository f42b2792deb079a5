// Gauss's and Kummer's functions of the parameters that continue orthogonal polynomials to degrees that are no integers.
//
// Gauss's function is summed where its argument is small, else that of another argument (DLMF 15.8.1 to 15.8.4; 15.8.10
// where the two solutions coincide and a logarithm takes the place of one). Not for parameters in general: the polynomials
// keep to those in which nothing cancels that they do not cancel themselves.
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> complex128;

namespace continued {

enum { MOST_TERMS = 20000 };

GPUARRAY_DEVICE double size(double x) { return ::fabs(x); }
GPUARRAY_DEVICE double size(complex128 x) { return ::hypot(x.real, x.imag); }
GPUARRAY_DEVICE double from_one(double x) { return 1.0 - x; }
GPUARRAY_DEVICE complex128 from_one(complex128 x) { return complex128(1.0 - x.real, -x.imag); }
GPUARRAY_DEVICE double ratio(double x, double y) { return x / y; }
GPUARRAY_DEVICE complex128 ratio(complex128 x, complex128 y) { return divide(x, y); }
GPUARRAY_DEVICE double power(double x, double y) { return ::pow(x, y); }
GPUARRAY_DEVICE complex128 power(complex128 x, double y) { return gpuarray::exp(gpuarray::log(x) * y); }
GPUARRAY_DEVICE double logarithm(double x) { return ::log(x); }
GPUARRAY_DEVICE complex128 logarithm(complex128 x) { return gpuarray::log(x); }
GPUARRAY_DEVICE double exponential(double x) { return ::exp(x); }
GPUARRAY_DEVICE complex128 exponential(complex128 x) { return gpuarray::exp(x); }

template <class X> GPUARRAY_CALLED X series(double a, double b, double c, X z) {
    X term(1.0), sum(1.0);
    for (int k = 0; k < MOST_TERMS; ++k) {
        const double i = double(k);
        term = term * z * ((a + i) * (b + i) / ((c + i) * (i + 1.0)));
        const X more = sum + term;
        // The factors of the terms fall from there on.
        if (more == sum && i > ::fabs(a) && i > ::fabs(b)) return more;
        sum = more;
    }
    return sum;
}

// By the argument y = 1 - z. `whole` is c - a - b where that is an integer.
template <class X> GPUARRAY_CALLED X about_one(double a, double b, double c, X y) {
    const double s = c - a - b, whole = ::rint(s);
    if (::fabs(s - whole) > 1e-9 * ::fmax(1.0, ::fabs(s))) {
        const double first = gamma(c) * gamma(s) * rgamma(c - a) * rgamma(c - b);
        const double second = gamma(c) * gamma(-s) * rgamma(a) * rgamma(b);
        return series(a, b, 1.0 - s, y) * first + power(y, s) * series(c - a, c - b, 1.0 + s, y) * second;
    }
    if (whole < 0.0) return power(y, whole) * about_one(c - a, c - b, c, y);
    const int m = int(whole);
    X finite(0.0), term(1.0);
    for (int k = 0; k < m; ++k) {
        finite = finite + term * gamma(double(m - k));
        term = term * y * (-(a + k) * (b + k) / (k + 1.0));
    }
    // `term` is (-1)^m (a)_m (b)_m y^m / m!
    const X l = logarithm(y);
    X sum(0.0), next = term;
    double digammas = digamma(a + m) + digamma(b + m) - digamma(1.0) - digamma(m + 1.0);
    for (int k = 0; k < MOST_TERMS; ++k) {
        const double i = double(k);
        const X more = sum + next * (l + X(digammas));
        if (more == sum && i > ::fabs(a) && i > ::fabs(b)) break;
        sum = more;
        digammas += 1.0 / (a + m + i) + 1.0 / (b + m + i) - 1.0 / (i + 1.0) - 1.0 / (i + m + 1.0);
        next = next * y * ((a + m + i) * (b + m + i) / ((i + 1.0) * (i + m + 1.0)));
    }
    const double front = gamma(c) * rgamma(c - a) * rgamma(c - b);
    return finite * front - sum * front;
}

GPUARRAY_DEVICE bool ends(double a) { return a <= 0.0 && is_integer(a); }

// At 1, or beyond it, where the real function ends.
GPUARRAY_DEVICE bool is_beyond(double z) { return z >= 1.0; }
GPUARRAY_DEVICE bool is_beyond(complex128 z) { return z.real == 1.0 && z.imag == 0.0; }
GPUARRAY_DEVICE bool is_at_one(double z) { return z == 1.0; }
GPUARRAY_DEVICE bool is_at_one(complex128 z) { return true; }

}  // namespace continued

template <class X> GPUARRAY_CALLED X gauss(double a, double b, double c, X z) {
    if (continued::ends(a) || continued::ends(b)) return continued::series(a, b, c, z);
    if (continued::is_beyond(z)) {
        const double s = c - a - b;
        if (continued::is_at_one(z) && s > 0.0) return X(gamma(c) * gamma(s) * rgamma(c - a) * rgamma(c - b));
        return X(infinity());
    }
    const X y = continued::from_one(z), turned = continued::ratio(z * -1.0, y), inverse = continued::ratio(X(1.0), y);
    const double direct = continued::size(z), one = continued::size(y);
    const double by_turn = continued::size(turned), by_inverse = continued::size(inverse);
    if (!(direct > 0.7)) return continued::series(a, b, c, z);
    if (by_turn <= 0.7) return continued::power(y, -a) * continued::series(a, c - b, c, turned);
    if (one <= direct && one <= by_turn && one <= by_inverse) return continued::about_one(a, b, c, y);
    if (by_inverse <= direct && by_inverse <= by_turn) {
        return continued::power(y, -a) * continued::about_one(a, c - b, c, inverse);
    }
    if (direct <= by_turn) return continued::series(a, b, c, z);
    return continued::power(y, -a) * continued::series(a, c - b, c, turned);
}

GPUARRAY_DEVICE double real_part(double x) { return x; }
GPUARRAY_DEVICE double real_part(complex128 x) { return x.real; }

template <class X> GPUARRAY_CALLED X kummer(double a, double b, X x) {
    // Left of zero by Kummer's transformation, DLMF 13.2.39.
    const bool left = real_part(x) < 0.0 && !continued::ends(a);
    const X z = left ? x * -1.0 : x;
    const double p = left ? b - a : a;
    X term(1.0), sum(1.0);
    for (int k = 0; k < continued::MOST_TERMS; ++k) {
        const double i = double(k);
        term = term * z * ((p + i) / ((b + i) * (i + 1.0)));
        const X more = sum + term;
        if (more == sum && i > ::fabs(p)) break;
        sum = more;
    }
    return left ? continued::exponential(x) * sum : sum;
}

}  // namespace special
}  // namespace gpuarray
