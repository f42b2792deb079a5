// Associated Legendre functions of integer degree and order, their derivatives, and spherical harmonics.
//
// Degrees are climbed from n = |m| by the recurrence DLMF 14.10.3, in its normalized form where the function is; it is
// stable in this direction. The start is the diagonal DLMF 14.7.14 in products of one factor a step, so that nothing
// overflows that the result would not. A derivative is the same recurrence with Taylor coefficients in place of numbers.
#pragma once

#include "gpuarray/special_complex.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> complex128;

// A value and its derivatives up to ORDER.
template <class X, int ORDER> struct Derivatives {
    X of[ORDER + 1];
};

template <class X, int ORDER> GPUARRAY_DEVICE Derivatives<X, ORDER> constant(double value) {
    Derivatives<X, ORDER> result;
    result.of[0] = X(value);
    for (int i = 1; i <= ORDER; ++i) result.of[i] = X(0.0);
    return result;
}

template <class X, int ORDER>
GPUARRAY_DEVICE Derivatives<X, ORDER> operator*(const Derivatives<X, ORDER>& a, const Derivatives<X, ORDER>& b) {
    Derivatives<X, ORDER> result;
    result.of[0] = a.of[0] * b.of[0];
    if constexpr (ORDER > 0) result.of[1] = a.of[1] * b.of[0] + a.of[0] * b.of[1];
    if constexpr (ORDER > 1) result.of[2] = a.of[2] * b.of[0] + a.of[1] * b.of[1] * 2.0 + a.of[0] * b.of[2];
    return result;
}

template <class X, int ORDER>
GPUARRAY_DEVICE Derivatives<X, ORDER> operator*(const Derivatives<X, ORDER>& a, double b) {
    Derivatives<X, ORDER> result;
    for (int i = 0; i <= ORDER; ++i) result.of[i] = a.of[i] * b;
    return result;
}

template <class X, int ORDER>
GPUARRAY_DEVICE Derivatives<X, ORDER> operator-(const Derivatives<X, ORDER>& a, const Derivatives<X, ORDER>& b) {
    Derivatives<X, ORDER> result;
    for (int i = 0; i <= ORDER; ++i) result.of[i] = a.of[i] - b.of[i];
    return result;
}

// Of degree n >= |m| from that of degree |m|.
template <bool NORMALIZED, class X, int ORDER>
GPUARRAY_DEVICE Derivatives<X, ORDER> climb(
    int64_t n, int64_t m, const Derivatives<X, ORDER>& z, Derivatives<X, ORDER> value
) {
    Derivatives<X, ORDER> before = constant<X, ORDER>(0.0);
    const double order = double(m), square = order * order;
    for (int64_t i = (m < 0 ? -m : m) + 1; i <= n; ++i) {
        const double k = double(i);
        double factor, last;
        if (NORMALIZED) {
            const double below = k - 1.0;
            factor = ::sqrt((4.0 * k * k - 1.0) / (k * k - square));
            last = factor * ::sqrt((below * below - square) / (4.0 * below * below - 1.0));
        } else {
            factor = (2.0 * k - 1.0) / (k - order);
            last = (k + order - 1.0) / (k - order);
        }
        const Derivatives<X, ORDER> next = z * value * factor - before * last;
        before = value, value = next;
    }
    return value;
}

// What one step along the diagonal n = |m| multiplies by, beside the root of |1 - z^2|.
template <bool NORMALIZED> GPUARRAY_DEVICE double diagonal_factor(int64_t k, bool negative) {
    if (NORMALIZED) return ::sqrt((2.0 * double(k) + 1.0) / (2.0 * double(k)));
    return negative ? 0.5 / double(k) : 2.0 * double(k) - 1.0;
}

namespace legendre {

// A degree or an order to which a recurrence would climb for seconds: the functions are NaN there.
GPUARRAY_DEVICE bool too_high(double n) { return !(::fabs(n) <= 1e8); }

GPUARRAY_DEVICE double root(double x) { return ::sqrt(x); }
GPUARRAY_DEVICE complex128 root(complex128 x) { return gpuarray::sqrt(x); }
GPUARRAY_DEVICE double above(double z) { return 1.0 + z; }
GPUARRAY_DEVICE complex128 above(complex128 z) { return complex128(1.0 + z.real, z.imag); }
GPUARRAY_DEVICE double below(double z) { return 1.0 - z; }
GPUARRAY_DEVICE complex128 below(complex128 z) { return complex128(1.0 - z.real, -z.imag); }
GPUARRAY_DEVICE double over(double a, double b) { return a / b; }
GPUARRAY_DEVICE complex128 over(complex128 a, complex128 b) { return divide(a, b); }
GPUARRAY_DEVICE bool is_end(double z) { return ::fabs(z) == 1.0; }
GPUARRAY_DEVICE bool is_end(complex128 z) { return ::fabs(z.real) == 1.0 && z.imag == 0.0; }

}  // namespace legendre

// The derivative of order ORDER of P(n, m; z): on the cut of the interval (-1, 1) with `branch_cut` 2, off it with 3.
//
// P is c s^(m/2) q with s = 1 - z^2 (z^2 - 1 off the cut): q and its derivatives are polynomials, and the derivatives of
// the power are written out, for at the ends of the interval some of them are infinite.
template <bool NORMALIZED, int ORDER, class X>
GPUARRAY_CALLED X assoc_legendre_p(int64_t n, int64_t m, X z, int64_t branch_cut) {
    const bool negative = m < 0, off = branch_cut == 3;
    if (n < 0 || m > n || m < -n) return X(0.0);
    if (legendre::too_high(n)) return X(not_a_number());
    const int64_t order = negative ? -m : m;
    // The phase of Condon and Shortley, on the cut: each step towards positive orders changes the sign.
    const double sign = !off && !negative && order % 2 ? -1.0 : 1.0;
    const double start = NORMALIZED ? 0.70710678118654752440 : 1.0;
    Derivatives<X, ORDER> argument = constant<X, ORDER>(0.0);
    argument.of[0] = z;
    if constexpr (ORDER > 0) argument.of[1] = X(1.0);
    if (order == 0) return climb<NORMALIZED>(n, m, argument, constant<X, ORDER>(start)).of[ORDER];

    const X unit(1.0), w = (off ? legendre::root(legendre::below(z) * -1.0) : legendre::root(legendre::below(z))) *
                           legendre::root(legendre::above(z));
    if constexpr (ORDER == 0) {
        X diagonal(sign * start);
        for (int64_t k = 1; k <= order; ++k) diagonal = w * diagonal * diagonal_factor<NORMALIZED>(k, negative);
        Derivatives<X, 0> first;
        first.of[0] = diagonal;
        return climb<NORMALIZED>(n, m, argument, first).of[0];
    } else {
        double diagonal = sign * start;
        for (int64_t k = 1; k <= order; ++k) diagonal *= diagonal_factor<NORMALIZED>(k, negative);
        const Derivatives<X, ORDER> q = climb<NORMALIZED>(n, m, argument, constant<X, ORDER>(diagonal));
        // w^m and what its derivatives have: w' = -t z / w, where t is 1 on the cut and -1 off it.
        const double t = off ? -1.0 : 1.0, exponent = double(order);
        const bool end = legendre::is_end(z);
        X reduced = unit;  // w^(m - 2)
        for (int64_t k = 2; k < order; ++k) reduced = reduced * w;
        if (order == 1) reduced = legendre::over(unit, w);
        const X slope = reduced * z * (-exponent * t);
        if constexpr (ORDER == 1) {
            if (end && order == 1) return q.of[0] * slope;
            return q.of[0] * slope + q.of[1] * (reduced * w * w);
        } else {
            if (order == 2) return q.of[0] * (-2.0 * t) + q.of[1] * slope * 2.0 + q.of[2] * (w * w);
            X twice_reduced = unit;  // w^(m - 4)
            for (int64_t k = 4; k < order; ++k) twice_reduced = twice_reduced * w;
            if (order == 1) twice_reduced = legendre::over(unit, w * w * w);
            if (order == 3) twice_reduced = legendre::over(unit, w);
            const X leading = twice_reduced * z * z * (exponent * (exponent - 2.0));
            if (end && order % 2 && order < 4) return q.of[0] * leading;
            return q.of[0] * (leading - reduced * (exponent * t)) + q.of[1] * slope * 2.0 + q.of[2] * (reduced * w * w);
        }
    }
}

// The derivative of order ORDER by theta of the normalized function of cos(theta), beside exp(i m phi).
template <int ORDER> GPUARRAY_CALLED double sph_legendre_p(int64_t n, int64_t m, double theta) {
    const bool negative = m < 0;
    if (n < 0 || m > n || m < -n) return 0.0;
    if (legendre::too_high(n)) return not_a_number();
    const int64_t order = negative ? -m : m;
    double sine, cosine;
    ::sincos(theta, &sine, &cosine);
    // The root of 1 - cos^2 is positive.
    const double sign = sine < 0 || (sine == 0 && theta < 0) ? -1.0 : 1.0;
    Derivatives<double, ORDER> z, w;
    z.of[0] = cosine, w.of[0] = sign * sine;
    if constexpr (ORDER > 0) z.of[1] = -sine, w.of[1] = sign * cosine;
    if constexpr (ORDER > 1) z.of[2] = -cosine, w.of[2] = -sign * sine;
    Derivatives<double, ORDER> value = constant<double, ORDER>(0.28209479177387814347);  // 1 / sqrt(4 pi)
    for (int64_t k = 1; k <= order; ++k) {
        value = w * value * (negative ? diagonal_factor<true>(k, true) : -diagonal_factor<true>(k, false));
    }
    return climb<true>(n, m, z, value).of[ORDER];
}

// The derivative of orders THETA and PHI of the spherical harmonic.
template <int THETA, int PHI>
GPUARRAY_CALLED complex128 sph_harm_y(int64_t n, int64_t m, double theta, double phi) {
    const double magnitude = sph_legendre_p<THETA>(n, m, theta), order = double(m);
    double sine, cosine;
    ::sincos(order * phi, &sine, &cosine);
    complex128 value(magnitude * cosine, magnitude * sine);
    for (int i = 0; i < PHI; ++i) value = complex128(-order * value.imag, order * value.real);
    return value;
}

}  // namespace special
}  // namespace gpuarray
