// What functions with float32 results share: such a result needs 24 bits, and a step or two more.
//
// Elements come from memory at the rate of about 70 instructions each, so that these functions have few branches, no
// divisions where a reciprocal of 23 bits is enough, and double only where digits would cancel.
#pragma once

#include "gpuarray/special_approximate.cuh"
#include "gpuarray/special_fits.cuh"

namespace gpuarray {
namespace special {

// x = 2^exponent (1 + rest) with rest in [-0.293, 0.414], for a positive normal number.
struct Parted {
    float exponent, rest;
    GPUARRAY_DEVICE explicit Parted(float x) {
        const int bits = int(float_bits(x)), shifted = bits - 0x3f3504f3;
        exponent = float(shifted >> 23);
        rest = float_from_bits(uint32_t(bits - (shifted & int(0xff800000)))) - 1.0f;
    }
};

// log(1 + t) for t in [-0.293, 0.414], and for t in [0, 1].
GPUARRAY_DEVICE float log1p_near(float t) { return ::fmaf(t * t, fit_log1p(t), t); }
GPUARRAY_DEVICE float log1p_unit(float t) {
    const bool large = t > 0.41421356f;
    const float value = log1p_near(large ? ::fmaf(t, 0.5f, -0.5f) : t);
    return large ? value + 0.693147181f : value;
}

// log(2) in two parts, of which the first one's products with exponents are exact.
GPUARRAY_DEVICE float log2_high() { return 0.693145752f; }
GPUARRAY_DEVICE float log2_low() { return 1.42860682e-06f; }

// 2^t times a factor; t is no NaN. The integer nearest to t is what the last bits hold of its sum with the constant.
GPUARRAY_DEVICE float exp2_times(double t, float factor) {
    const double shift = 6755399441055744.0;  // 1.5 * 2^52
    const double bounded = t < 200 ? (t > -200 ? t : -200.0) : 200.0, moved = bounded + shift;
    const int n = int(float_bits(moved)), half = n >> 1;
    const float power = factor * fit_exp2(float(bounded - (moved - shift)));
    return power * float_from_bits(uint32_t(half + 127) << 23) * float_from_bits(uint32_t(n - half + 127) << 23);
}

GPUARRAY_DEVICE float exp2_single(double t) { return exp2_times(t, 1.0f); }

// exp(x + rest) for x < 80, or NaN, and a rest much smaller: to half a unit more than rounding, where expf has one.
GPUARRAY_DEVICE float exp_parts(float x, float rest) {
    const float bounded = x < -110 ? -110.0f : x, n = ::rintf(bounded * 1.44269504f);
    const float r = ::fmaf(-n, log2_low(), ::fmaf(-n, log2_high(), bounded)) + rest;
    const float power = ::fmaf(r * r, fit_exp(r), r) + 1.0f;
    const int whole = int(n), half = whole >> 1;
    return power * float_from_bits(uint32_t(half + 127) << 23) * float_from_bits(uint32_t(whole - half + 127) << 23);
}

// log2(x) of a positive normal number to 40 bits: 2 atanh((m - 1) / (m + 1)) of the mantissa.
GPUARRAY_DEVICE double log2_wide(double x) {
    const uint64_t bits = float_bits(x);
    const int high = int(bits >> 32), shifted = high - 0x3fe6a09e, exponent = shifted >> 20;
    const double m = float_from_bits(bits - (uint64_t(uint32_t(exponent)) << 52));
    const double f = m - 1, g = m + 1;
    const double r = double(reciprocal23(float(g)));
    double s = f * r;
    s = ::fma(::fma(-g, s, f), r, s);
    // 2 / log(2) times the series of atanh(s) / s.
    const double c[] = {2.8853900817779268, 0.9617966939259756, 0.5770780163555854, 0.4121985831111324,
                        0.3205988979753252, 0.2623081892525388, 0.2219530832136867};
    return ::fma(s, polynomial(c, s * s), double(exponent));
}

// 2^t to 34 bits, for t that is no NaN: the first terms of its series.
GPUARRAY_DEVICE double exp2_wide(double t) {
    const double shift = 6755399441055744.0;  // 1.5 * 2^52
    const double bounded = t < 1000 ? (t > -1000 ? t : -1000.0) : 1000.0, moved = bounded + shift;
    const double c[] = {1.0, 0.69314718055994531, 0.24022650695910072, 0.055504108664821580, 0.0096181291076284772,
                        0.0013333558146428443, 0.00015403530393381608, 1.5252733804059840e-05, 1.3215486790144309e-06};
    return polynomial(c, bounded - (moved - shift)) * float_from_bits((float_bits(moved) + 1023) << 52);
}

}  // namespace special
}  // namespace gpuarray
