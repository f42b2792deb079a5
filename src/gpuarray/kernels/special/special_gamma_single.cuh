// The gamma function of a float32, its logarithm and that one's derivative, where the argument is positive.
//
// Polynomials near the zeros of the logarithms, else Stirling's formula (DLMF 5.11.1) and its derivative (5.11.2) with
// a polynomial in the place of the asymptotic series. Arguments below zero take the functions of special_gamma_log.cuh.
#pragma once

#include "gpuarray/special_gamma_single_fits.cuh"
#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

// log2(gamma(x)) for x >= 3, or that of a number so great that gamma overflows, and its reciprocal vanishes.
GPUARRAY_DEVICE double gamma_exponent(double x) {
    const float r = reciprocal23(float(x));
    const double rest = r * fit_gammaln_rest(r * r) * 1.44269504f, constant = 1.3257480647361593;  // log2(2 pi) / 2
    return ::fma(x - 0.5, log2_wide(x), ::fma(x, -1.4426950408889634, constant)) + rest;
}

// sin(pi y) / pi of y >= 0; from 2^23 on, where all numbers are integers, it is zero.
GPUARRAY_DEVICE float sine_of_turns(float y) {
    const float n = ::rintf(y), t = y - n, z = t * t;
    // Whether n is odd is the last bit of a sum.
    const uint32_t odd = float_bits(n + 12582912.0f) << 31;  // 1.5 * 2^23
    return float_from_bits(float_bits(::fmaf(t * z, fit_sine_turns(z), t)) ^ odd);
}

// Stirling's formula, below 3 three steps of the recurrence from there, below zero gamma(-y) = -pi / (y sin(pi y) gamma(y)):
// the same operations for every argument, so that no lanes wait for others.
GPUARRAY_DEVICE float gamma(float x) {
    const float y = ::fabsf(x);
    if (!(y >= 1.2e-38f)) return 1 / x;
    const bool left = x < 0, near = y < 3;
    const double wide = ::fminf(y, 60.0f), z = near ? wide + 3 : wide, exponent = gamma_exponent(z);
    const float steps = near ? float(::fma(wide, z, 2.0)) : 1.0f;  // (y + 1) (y + 2)
    const float top = left ? -steps : 1.0f, bottom = (left ? sine_of_turns(y) : steps) * (left == near ? 1.0f : y);
    // The quotient is NaN at an integer below zero: infinity times zero.
    const float r = reciprocal23(bottom), rough = top * r, factor = ::fmaf(::fmaf(-bottom, rough, top), r, rough);
    return exp2_times(left ? -exponent : exponent, factor);
}
// For x > 0, or NaN.
GPUARRAY_DEVICE float rgamma_positive(float x) {
    if (x >= 3) return exp2_single(-gamma_exponent(::fminf(x, 60.0f)));
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
