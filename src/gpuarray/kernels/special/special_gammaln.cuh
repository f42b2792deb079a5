// The logarithm of the gamma function's magnitude, of real arguments, with Stirling's series (DLMF 5.11.1).
//
// Apart from special_gamma_log.cuh, whose functions return signs and two doubles: it compiles sooner.
#pragma once

#include "gpuarray/special_approximate.cuh"
#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_gamma_fits.cuh"
#include "gpuarray/special_gamma_single_fits.cuh"

namespace gpuarray {
namespace special {

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
template <class W> GPUARRAY_DEVICE W stirling(W x) {
    const W half_log_two_pi(0.9189385332046728, -3.8782941580672414e-17);
    return (x - 0.5) * log_of(x) - x + half_log_two_pi + stirling_rest(x);
}

// As of float32, below, for a number from 2^-1000 to 2^1000.
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
        passed = at * ::fabs(::sinpi(at.hi)) * dd(0.3183098861837907, -1.9678676675182486e-17);
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
    if (!isfinite(x)) return x;
    if (x <= 0) return is_integer(x) ? infinity() : gammaln_left(x);
    const double log = log_dd(x).hi;
    return x < 1 ? -log : x * (log - 1);
}

// For a positive normal number, or infinity. All ranges are computed, so that no lanes wait for others; the logarithm of
// 22 bits is the variable of one polynomial, and is enough where its error is small beside the result.
GPUARRAY_DEVICE float gammaln_positive(float x) {
    const float log = log2_22(x), r = reciprocal23(x);
    // Far away Stirling's formula, (x - 1/2) (log(x) - 1), and log(2 pi) / 2 - 1/2 and the rest.
    const float rest = ::fmaf(r, fit_gammaln_rest_far(r * r), 0.418938533f);
    const float right = ::fmaf(x - 0.5f, ::fmaf(log, 0.693147181f, -1.0f), rest);
    // Below (x - 1) (x - 2) times a polynomial. Both factors are exact near the zeros. Near zero gammaln(x + 1) - log(x).
    const bool near = x < 0.3f;
    const float at = near ? x + 1 : x;
    const float value = (at - 1) * (at - 2) * fit_gammaln(log2_22(at));
    return chosen(x >= 6, right, ::fmaf(log, near ? -0.693147181f : 0.0f, value));
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
