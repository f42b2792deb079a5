// Logarithms of odds, and complete elliptic integrals of a float32.
#pragma once

#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

// The logarithm of x / y for positive normal numbers: n log(2) + 2 atanh(s) with s = (x - z) / (x + z), where z = 2^n y
// is within a factor of 1.5 of x. The difference is exact.
struct Quotient {
    uint32_t shift;  // n in the bits of the exponent
    float z;
    GPUARRAY_DEVICE Quotient(float x, float y)
        : shift((float_bits(x) - float_bits(y) + 0x400000u) & 0xff800000u), z(float_from_bits(float_bits(y) + shift)) {}
    GPUARRAY_DEVICE float count() const { return float(int(shift) >> 23); }  // n
    // `difference` is x - z, less what y was rounded by; `total` is x + z.
    GPUARRAY_DEVICE float log(float difference, float total) const {
        const float s = difference * reciprocal23(total), square = s * s;
        const float low = ::fmaf(count(), log2_low(), ::fmaf(s * square, fit_atanh_near(square), 2 * s));
        return ::fmaf(count(), log2_high(), low);
    }
    GPUARRAY_DEVICE float scale() const { return float_from_bits(0x3f800000u + shift); }  // 2^n
};

GPUARRAY_CALLED float logit_at_ends(float x) { return ::logf(x / (1 - x)); }
GPUARRAY_DEVICE float logit(float x) {
    if (!(x > 1.2e-38f && x < 1)) return logit_at_ends(x);
    const float y = 1 - x;
    const Quotient quotient(x, y);
    return quotient.log(::fmaf(-quotient.scale(), (1 - y) - x, x - quotient.z), x + quotient.z);
}

// For subnormal numbers, and those whose sum may overflow.
GPUARRAY_CALLED float log_quotient_at_ends(float x, float y) {
    const float ratio = x / y;
    const bool near = ratio > 0.75f && ratio < 1.375f;
    if (near) return log1p_near((x - y) / y);
    return ratio > 1.2e-38f && ratio < 1e38f ? ::logf(ratio) : ::logf(x) - ::logf(y);
}
// log(x / y) of positive numbers.
GPUARRAY_DEVICE float log_quotient(float x, float y) {
    if (!(x > 1.2e-38f && y > 1.2e-38f && x < 1e38f && y < 1e38f)) return log_quotient_at_ends(x, y);
    const Quotient quotient(x, y);
    return quotient.log(x - quotient.z, x + quotient.z);
}
GPUARRAY_DEVICE float rel_entr(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) return x * log_quotient(x, y);
    return x == 0 && y >= 0 ? 0.0f : float(infinity());
}

// x (u - log(1 + u)) with u = (y - x) / x; where that is small by s = (y - x) / (y + x): log(1 + u) = 2 atanh(s).
GPUARRAY_CALLED float kl_div_at_ends(float x, float y) {
    if (x != x || y != y) return x + y;
    if (!(x > 0 && y > 0)) return x == 0 && y >= 0 ? y : float(infinity());
    const float difference = y - x;
    if (!(y > 0.5f * x && 0.5f * y < x)) return ::fmaf(x, log_quotient(x, y), difference);
    const float scale = y < 1e38f ? 1.0f : 0.5f;  // for the sum's sake
    const float s = scale * difference / (scale * y + scale * x), z = s * s;
    return s * ::fmaf(-x * z, fit_atanh(z), difference);
}
// As of float64, special_logarithms.cuh: (x log(x / z) - x + z) + (n log(2) x + y - z) with z = 2^n y.
GPUARRAY_DEVICE float kl_div(float x, float y) {
    if (!(x > 1e-30f && y > 1.2e-38f && x < 1e36f && y < 1e38f)) return kl_div_at_ends(x, y);
    const Quotient quotient(x, y);
    const float z = quotient.z, difference = x - z, count = quotient.count();
    // The first part is to have all digits: what s and its divisor were rounded by counts.
    const float total = x + z, r = reciprocal23(total), s = difference * r, square = s * s;
    const float lost = ::fmaf(-s, z - (total - x), ::fmaf(-s, total, difference)) * r;
    const float near = ::fmaf(s, difference, ::fmaf(x * s, square * fit_atanh_near(square), lost * difference));
    const float log = count * log2_high(), high = x * log;
    const float low = ::fmaf(count * log2_low(), x, ::fmaf(x, log, -high));
    return (high - (z - y)) + (low + near);
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
