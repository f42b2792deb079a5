// Logarithms of odds, and complete elliptic integrals of a float32.
#pragma once

#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

// The logarithm of the quotient q = x / (1 - x); where q is in [1/2, 2] that of 1 + (2x - 1) / (1 - x), exact near 0.
GPUARRAY_DEVICE float logit(float x) {
    if (!(x > 1.2e-38f && x < 1)) return ::logf(x / (1 - x));
    const bool near = x > 0.333333343f && x < 0.666666627f;
    const float quotient = (near ? ::fmaf(2.0f, x, -1.0f) : x) / (1 - x);
    Parted parted(near ? quotient + 1 : quotient);
    // The part of 1 + quotient, without the rounding of that sum: by a power of two from -1/2 to 2.
    if (near) {
        parted.rest = parted.exponent == 0 ? quotient
                      : parted.exponent > 0 ? ::fmaf(quotient, 0.5f, -0.5f)
                                            : ::fmaf(quotient, 2.0f, 1.0f);
    }
    const float low = ::fmaf(parted.exponent, log2_low(), log1p_near(parted.rest));
    return ::fmaf(parted.exponent, log2_high(), low);
}

// The logarithm of x / y, from (x - y) / y where that is small.
GPUARRAY_DEVICE float log_quotient(float x, float y) {
    const float ratio = x / y;
    const bool near = ratio > 0.75f && ratio < 1.375f;
    if (near) return log1p_near((x - y) / y);
    return ratio > 1.2e-38f && ratio < 1e38f ? ::logf(ratio) : ::logf(x) - ::logf(y);
}
GPUARRAY_DEVICE float rel_entr(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) return x * log_quotient(x, y);
    return x == 0 && y >= 0 ? 0.0f : float(infinity());
}

// x (u - log(1 + u)) with u = (y - x) / x; where that is small by s = (y - x) / (y + x): log(1 + u) = 2 atanh(s).
GPUARRAY_DEVICE float kl_div(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) {
        const float difference = y - x;
        if (y > 0.5f * x && y < 2 * x && y < 1e38f) {
            const float s = difference / (y + x), z = s * s;
            return s * ::fmaf(-x * z, fit_atanh(z), difference);
        }
        const float ratio = x / y;
        if (!(ratio > 1.2e-38f && ratio < 1e38f && x > 1e-30f)) return ::fmaf(x, log_quotient(x, y), difference);
        // The terms cancel near the range above: the logarithm in two parts, with what the ratio was rounded by.
        const Parted parted(ratio);
        const float low = ::fmaf(parted.exponent, log2_low(), ::fmaf(-ratio, y, x) * reciprocal23(x));
        return ::fmaf(x, low + log1p_near(parted.rest), ::fmaf(x, parted.exponent * log2_high(), difference));
    }
    return x == 0 && y >= 0 ? y : float(infinity());
}

// (x^power - 1) / power where the exponent of 2 is not great.
GPUARRAY_DEVICE float boxcox_usual(float x, float power) {
    const double t = power * log2_wide(x), shift = 6755399441055744.0, moved = t + shift;  // 1.5 * 2^52
    const float rest = float(t - (moved - shift));
    const float scale = float_from_bits(uint32_t(int(float_bits(moved)) + 127) << 23);
    return ::fmaf(scale, rest * fit_exp2m1(rest), scale - 1) / power;
}

GPUARRAY_DEVICE float log_expit(float x) { return -(log1p_unit(::expf(-::fabsf(x))) - (x < 0 ? x : 0.0f)); }

// K(1 - p) for p > 0; beyond 1 by DLMF 19.7.2 from that of 1/p.
GPUARRAY_DEVICE float ellipkm1(float p) {
    if (isinf(p) && p > 0) return 0.0f;
    const bool large = p > 1;
    const float t = large ? 1 / p : p, value = ::fmaf(-::logf(t), fit_ellipk_log(t), fit_ellipk(t));
    return large ? value * inverse_root(p) : value;
}
GPUARRAY_DEVICE float ellipk(float m) { return ellipkm1(1 - m); }
GPUARRAY_DEVICE float ellipe(float m) {
    const float p = 1 - m;
    if (p == 0 || (isinf(p) && p > 0)) return p == 0 ? 1.0f : p;
    const bool large = p > 1;
    const float t = large ? 1 / p : p, value = ::fmaf(-::logf(t), fit_ellipe_log(t), fit_ellipe(t));
    return large ? value * p * inverse_root(p) : value;
}

}  // namespace special
}  // namespace gpuarray
