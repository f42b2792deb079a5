// The logarithm of the gamma function of real arguments.
//
// In two doubles, so that what exp makes of logarithms, and of their differences, keeps its digits:
// Stirling's series (DLMF 5.11.1) from 16 on, below that by recurrence (5.5.1), far below zero by reflection (5.5.3).
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_double_fits.cuh"
#include "gpuarray/special_gamma_single.cuh"

namespace gpuarray {
namespace special {

// sin(pi x)
template <class W> GPUARRAY_CALLED double sinpi_of(W x) {
    const double n = ::rint(x.hi), s = ::sinpi((x.hi - n) + x.lo);
    return is_integer(n / 2) ? s : -s;
}

// 1/x from 1 on.
GPUARRAY_DEVICE dd inverse_of_large(dd x) { return quotient_dd(1.0, x.hi, x.lo); }
GPUARRAY_DEVICE plain inverse_of_large(plain x) { return plain(1 / x.hi); }

// What Stirling's series has beyond (x - 1/2) log x - x + log(2 pi) / 2; for x >= W::STIRLING.
template <class W> GPUARRAY_CALLED W stirling_rest(W x) {
    const W r = inverse_of_large(x);
    const double z = r.hi * r.hi;
    const double c[] = {-0.002777777777777778,  0.0007936507936507937, -0.0005952380952380953, 0.0008417508417508417,
                        -0.0019175269175269176, 0.00641025641025641,   -0.029550653594771242,  0.17964437236883057};
    return W(0.08333333333333333, 4.625929269271485e-18) * r + r.hi * z * polynomial(c, z);
}
template <class W> GPUARRAY_CALLED W stirling(W x) {
    const W half_log_two_pi(0.9189385332046728, -3.8782941580672414e-17);
    return (x - 0.5) * log_of(x) - x + half_log_two_pi + stirling_rest(x);
}

// log(1 + x)
GPUARRAY_DEVICE dd log1p_of(dd x) { return ::fabs(x.hi) < 1e-30 ? x : log_dd(x + 1.0); }
GPUARRAY_DEVICE plain log1p_of(plain x) { return plain(::log1p(x.hi)); }

// A number as factor times exp(log): the factor is a sign where the logarithm has two doubles, and infinite at a pole
// the logarithm.
template <class W> struct FactorAndLog {
    W log;
    double sign;
};
typedef FactorAndLog<dd> SignedLog;

GPUARRAY_CALLED dd lgamma_positive(dd x) {
    if ((x.hi == 1 || x.hi == 2) && x.lo == 0) return dd(0.0);
    dd p(1.0);
    const bool shifted = x.hi < 16;
#pragma unroll 1
    while (x.hi < 16) {
        p = p * x;
        x = x + 1.0;
    }
    const dd result = stirling(x);
    return shifted ? result - log_dd(p) : result;
}
GPUARRAY_CALLED plain lgamma_positive(plain x) {
    double p = 1;
#pragma unroll 1
    for (; x.hi < plain::STIRLING; x.hi += 1) p *= x.hi;
    return stirling(x) - log_of(plain(p));
}

// What comes before Stirling's formula above -32: the product of the arguments that are passed.
GPUARRAY_DEVICE SignedLog lgamma_shifted(dd x) {
    dd p(1.0);
#pragma unroll 1
    while (x.hi < 1) {
        p = p * x;
        x = x + 1.0;
    }
    const double sign = p.hi < 0 ? -1.0 : 1.0;
    return SignedLog{lgamma_positive(x) - log_dd(p.hi < 0 ? -p : p), sign};
}
GPUARRAY_DEVICE FactorAndLog<plain> lgamma_shifted(plain x) {
    double p = 1;
#pragma unroll 1
    for (; x.hi < plain::STIRLING; x.hi += 1) p *= x.hi;
    return FactorAndLog<plain>{stirling(x), 1 / p};
}

GPUARRAY_DEVICE FactorAndLog<dd> lgamma_right(dd x) { return SignedLog{lgamma_positive(x), 1.0}; }
GPUARRAY_DEVICE FactorAndLog<plain> lgamma_right(plain x) { return lgamma_shifted(x); }

// gamma(x)
template <class W> GPUARRAY_CALLED FactorAndLog<W> lgamma_signed(W x) {
    if (x.hi > 0) return isinf(x.hi) ? FactorAndLog<W>{W(x.hi), 1.0} : lgamma_right(x);
    if (is_integer(x.hi) && x.lo == 0) return FactorAndLog<W>{W(infinity()), 1.0};
    if (x.hi > -32) return lgamma_shifted(x);
    const double sine = sinpi_of(x);
    const W log_pi(1.1447298858494002, 1.0265951162707826e-17);
    const W log = log_pi - log_of(-x * ::fabs(sine)) - lgamma_positive(-x);
    return FactorAndLog<W>{log, sine > 0 ? 1.0 : -1.0};
}

// The logarithm of the magnitude; what is nearer to zero than a float32 near 1 to 1 is what rounding left of nothing.
GPUARRAY_DEVICE double log_of_magnitude(SignedLog x) { return rounded(x.log); }
GPUARRAY_DEVICE double log_of_magnitude(FactorAndLog<plain> x) {
    const double log = x.log.hi + ::log(::fabs(x.sign));
    return ::fabs(log) < 1e-13 ? 0.0 : log;
}

template <class T> GPUARRAY_DEVICE T gammasgn(T x) {
    if (x != x || x > 0) return x != x ? x : T(1);
    if (x == 0) return ::copysign(T(1), x);
    if (isinf(x) || is_integer(x)) return T(not_a_number());
    const T half = ::floor(x) / 2;
    return is_integer(half) ? T(1) : T(-1);
}

// As of float32, special_gamma_single.cuh, for a number from 2^-1000 to 2^1000.
GPUARRAY_DEVICE double gammaln_positive(double x) {
    const dd log = log_by_table<true>(dd(x)), less = fast_sum(log.hi, -1.0);
    const double factor = x - 0.5, large = factor * less.hi, r = reciprocal52(x);
    const double rest = ::fma(r, fit_gammaln_rest_wide(r * r), 0.41893853320467274);
    const double right = large + (::fma(factor, less.hi, -large) + ::fma(factor, less.lo + log.lo, rest));
    const bool shifted = x < 1;
    const double t = shifted ? x - 1 : x - 2, value = (shifted ? x : x - 1) * t * fit_gammaln_wide(t) + 0.0;
    return x >= 3 ? right : value - (shifted ? log.hi : 0.0);
}
// For x < 0. Stirling's formula less the logarithm of the arguments that are passed, from -32 on, or by reflection.
GPUARRAY_CALLED double gammaln_left(double x) {
    const bool far = x <= -32;
    dd at(x), passed(1.0);
    if (far) {
        at = -at;
        passed = at * ::fabs(sinpi_of(at)) * dd(0.3183098861837907, -1.9678676675182486e-17);
    }
#pragma unroll 1
    while (at.hi < 16) {
        passed = passed * at;
        at = at + 1.0;
    }
    const dd large = stirling(at), log = log_dd(passed.hi < 0 ? -passed : passed);
    return rounded((far ? -large : large) - log);
}
GPUARRAY_CALLED double gammaln(double x) {
    if (is_usual(x)) return gammaln_positive(x);
    if (!(x < 0)) {
        const double log = ::log(x);
        return x < 1 ? -log : x * (log - 1);
    }
    if (isinf(x)) return x;
    return is_integer(x) ? infinity() : gammaln_left(x);
}

// Below zero by reflection, and Stirling's formula: with p = y (y + 1) ... (y + 5) below 6, gammaln(-y) is
// log(pi p / (y |sin(pi y)|)) less that of y + 6.
GPUARRAY_CALLED float gammaln_left(float x) {
    if (x >= 0) return -::logf(x);
    if (isinf(x) || x != x) return x;
    if (is_integer(x)) return float(infinity());
    const double y = -double(x), t = y - ::rint(y), u = y * (y + 5);
    const bool below = y < 6;
    const double at = below ? y + 6 : y, sine = ::fabs(y * t) * fit_sine_of_turns(t * t);
    const double steps = 3.141592653589793 * (below ? u * (u + 4) * (u + 6) : 1.0);
    const double r = reciprocal52(at), rest = ::fma(r, fit_stirling_far(r * r), 0.91893853320467274 - at);
    return float(log_usual(steps * reciprocal52(sine)) - ::fma(at - 0.5, log_usual(at), rest));
}
GPUARRAY_DEVICE float gammaln(float x) {
    return __builtin_expect(x >= 1.2e-38f, true) ? gammaln_positive(x) : gammaln_left(x);
}

}  // namespace special
}  // namespace gpuarray
