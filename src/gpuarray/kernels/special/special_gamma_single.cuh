// The gamma function of a float32, its logarithm and that one's derivative, where the argument is positive.
//
// Polynomials near the zeros of the logarithms, else Stirling's formula (DLMF 5.11.1) and its derivative (5.11.2) with
// a polynomial in the place of the asymptotic series. Arguments below zero take the functions of special_gamma.cuh.
#pragma once

#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

// For a positive normal number, or infinity. Both ways are gone at once, so that no lanes wait for others.
GPUARRAY_DEVICE float gammaln_positive(float x) {
    // The logarithm in two parts, of which the first is a multiple of log(2).
    const Parted parted(x);
    const float low = ::fmaf(parted.exponent, log2_low(), log1p_near(parted.rest));
    // From 3 on (x - 1/2) (log(x) - 1), and log(2 pi) / 2 - 1/2 and the rest.
    const float factor = x - 0.5f, first = ::fmaf(parted.exponent, log2_high(), -1.0f), large = factor * first;
    const float r = reciprocal23(x), rest = ::fmaf(r, fit_gammaln_rest(r * r), 0.418938533f);
    const float small = ::fmaf(factor, first, -large) + ::fmaf(factor, low, rest);
    // The parts of large numbers overflow.
    const float right = x < 1e35f ? large + small : x * (first + low);
    // Below gammaln(t + 2), t = x - 2; below 1 gammaln(x + 1) - log(x). All factors are exact near their zeros.
    const bool shifted = x < 1;
    const float t = shifted ? x - 1 : x - 2, value = (shifted ? x : x - 1) * t * fit_gammaln(t) + 0.0f;
    const float left = value - (shifted ? ::fmaf(parted.exponent, log2_high(), low) : 0.0f);
    return x >= 3 ? right : left;
}

// log2(gamma(x)) for x >= 3, or that of a number so great that gamma overflows, and its reciprocal vanishes.
GPUARRAY_DEVICE double gamma_exponent(float x) {
    const float bounded = x < 60 ? x : 60.0f, r = reciprocal23(bounded);
    const double wide = bounded, constant = 1.3257480647361593;  // log2(2 pi) / 2
    const double rest = r * fit_gammaln_rest(r * r) * 1.44269504f;
    return ::fma(wide - 0.5, log2_wide(wide), ::fma(wide, -1.4426950408889634, constant)) + rest;
}

// Below zero gamma(-y) = -pi / (y sin(pi y) gamma(y)).
GPUARRAY_DEVICE float gamma(float x) {
    const float y = ::fabsf(x);
    const bool left = x < 0;
    float factor = 1;
    if (left) {
        if (is_integer(x)) return float(not_a_number());
        factor = -3.14159265f / ::sinpif(y);
    }
    if (y >= 3) {
        const double exponent = gamma_exponent(y);
        return exp2_times(left ? -exponent : exponent, left ? factor / y : 1.0f);
    }
    if (y == 0) return ::copysignf(float(infinity()), x);
    // On [1, 2), and a step from there.
    const float t = y < 1 ? y + 1 : y < 2 ? y : y - 1, value = fit_gamma(t - 1.5f), more = y < 2 ? value : value * t;
    if (left) return factor / (y < 1 ? value : y * more);
    return y < 1 ? value / y : more;
}
// For x > 0, or NaN.
GPUARRAY_DEVICE float rgamma_positive(float x) {
    if (x >= 3) return exp2_single(-gamma_exponent(x));
    const float t = x < 1 ? x + 1 : x < 2 ? x : x - 1, value = fit_gamma(t - 1.5f);
    return (x < 1 ? x : 1.0f) / (x < 2 ? value : value * t);
}

// For x > 0, or NaN.
GPUARRAY_DEVICE float digamma_positive(float x) {
    if (x >= 2) {
        const float r = reciprocal23(x), z = r * r;
        return ::logf(x) - ::fmaf(z, fit_digamma_rest(z), 0.5f * r);
    }
    // With its zero in two parts; below 1 digamma(x + 1) - 1 / x.
    const float t = x < 1 ? x + 1 : x;
    const float value = ((t - 1.46163213f) - 1.24381499e-08f) * fit_digamma(t - 1.5f);
    return x < 1 ? value - 1 / x : value;
}

}  // namespace special
}  // namespace gpuarray
