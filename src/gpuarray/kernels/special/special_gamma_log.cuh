// The logarithm of the gamma function of real arguments.
//
// In two doubles, so that what exp makes of logarithms, and of their differences, keeps its digits:
// Stirling's series (DLMF 5.11.1) from 16 on, below that by recurrence (5.5.1), far below zero by reflection (5.5.3).
#pragma once

#include "gpuarray/special_gamma_single.cuh"
#include "gpuarray/special_gammaln.cuh"

namespace gpuarray {
namespace special {

// sin(pi x)
template <class W> GPUARRAY_CALLED double sinpi_of(W x) {
    const double n = ::rint(x.hi), s = ::sinpi((x.hi - n) + x.lo);
    return is_integer(n / 2) ? s : -s;
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

}  // namespace special
}  // namespace gpuarray
