// The error function and the normal distribution function of a float32, its logarithm, and erfcx.
//
// All but erf are made of erfcx(x), x >= 0, whose product with 1 + x is a polynomial in (x - 3) / (x + 3): M. M. Shepherd and
// J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc(x) in 0 <= x < inf" (1981).
#pragma once

#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

// x times a polynomial of x^2 near zero, and from there on 1 - erfc with a polynomial as the logarithm of erfc. To select
// one of two values takes fewer instructions than to select coefficients.
GPUARRAY_DEVICE float erf(float x) {
    const float size = ::fabsf(x), near = ::fmaf(fit_erf(x * x), x, x);
    float rest;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(size * fit_log2_erfc(size)));
    return size < 0.921875f ? near : ::copysignf(1 - rest, x);
}

// (x - k) / (x + k) for x >= 0, infinity too.
GPUARRAY_DEVICE float folded(float x, float k) {
    const float r = reciprocal23(x + k);
    return x < k ? (x - k) * r : ::fmaf(-2 * k, r, 1.0f);
}

GPUARRAY_DEVICE float erfcx_right(float x) { return fit_erfcx(folded(x, 3.0f)) / (1 + x); }

// exp(-x^2 / 2), with the square in two parts.
GPUARRAY_DEVICE float normal_kernel(float x) {
    const float square = x * x, rest = ::fmaf(x, x, -square);
    return exp_parts(-0.5f * square, -0.5f * rest);
}

GPUARRAY_DEVICE float erfcx(float x) {
    const float right = erfcx_right(::fabsf(x));
    if (!(x < 0)) return right;
    const float square = x * x, rest = ::fmaf(x, x, -square), value = 2 * ::expf(square);
    return isinf(value) ? value : ::fmaf(value, rest, value) - right;
}

// The probability of a value beyond x >= 0, divided by exp(-x^2 / 2); and itself.
GPUARRAY_DEVICE float scaled_tail(float x) {
    return fit_normal_tail(folded(x, 4.0f)) / (1 + x);
}
GPUARRAY_DEVICE float normal_tail(float x) {
    const float bounded = x > 20 ? 20.0f : x;
    return scaled_tail(bounded) * normal_kernel(bounded);
}

GPUARRAY_DEVICE float ndtr(float x) {
    const float tail = normal_tail(::fabsf(x));
    return x > 0 ? 1 - tail : tail;
}

GPUARRAY_DEVICE float log_ndtr(float x) {
    if (x > -0.5f && x < 0.55f) return fit_log_ndtr(x);
    if (!(x < 0)) return log1p_near(-normal_tail(x));
    // The logarithm of exp(-x^2 / 2) is taken out.
    const Parted parted(scaled_tail(-x));
    const float low = ::fmaf(parted.exponent, log2_low(), log1p_near(parted.rest));
    return ::fmaf(x * -0.5f, x, ::fmaf(parted.exponent, log2_high(), low));
}

}  // namespace special
}  // namespace gpuarray
