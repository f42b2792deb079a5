// IEEE half precision without the toolkit's headers: 16 bits that convert to float exactly and from float with
// one rounding to nearest even. Arithmetic is done in float.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

struct float16 {
    uint16_t bits;

    float16() = default;
    GPUARRAY_DEVICE explicit float16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    GPUARRAY_DEVICE explicit float16(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
    GPUARRAY_DEVICE explicit float16(int x) : float16(float(x)) {}
    GPUARRAY_DEVICE operator float() const {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
    GPUARRAY_DEVICE static float16 from_bits(uint16_t bits) {
        float16 x;
        x.bits = bits;
        return x;
    }
};

// What depends on the bits: a conversion to float and back loses the sign of a NaN.
GPUARRAY_DEVICE float16 negative(float16 x) { return float16::from_bits(x.bits ^ 0x8000); }
GPUARRAY_DEVICE float16 absolute(float16 x) { return float16::from_bits(x.bits & 0x7fff); }
GPUARRAY_DEVICE bool signbit(float16 x) { return x.bits >> 15; }
GPUARRAY_DEVICE float16 copysign(float16 x, float16 sign) {
    return float16::from_bits((x.bits & 0x7fff) | (sign.bits & 0x8000));
}

GPUARRAY_DEVICE float16 nextafter(float16 x, float16 towards) {
    const float from = x, to = towards;
    if (from != from || to != to) return float16(from + to);
    if (from == to) return towards;
    if (from == 0) return float16::from_bits((towards.bits & 0x8000) | 1);
    return float16::from_bits((from < to) == (from > 0) ? x.bits + 1 : x.bits - 1);
}

// NumPy's rule for halves, which differs from that for wider floats: never negative, and of a negative power of
// two the smaller distance.
GPUARRAY_DEVICE float16 spacing(float16 x) {
    const uint16_t exponent = x.bits & 0x7c00;
    uint16_t bits;
    if (exponent == 0x7c00) {
        bits = 0x7e00;
    } else if (x.bits == 0x7bff) {
        bits = 0x7c00;
    } else if ((x.bits & 0x8000) && (x.bits & 0x03ff) == 0) {
        bits = exponent > 0x2c00 ? exponent - 0x2c00 : exponent > 0x0400 ? 1 << ((exponent >> 10) - 2) : 1;
    } else {
        bits = exponent > 0x2800 ? exponent - 0x2800 : exponent > 0x0400 ? 1 << ((exponent >> 10) - 1) : 1;
    }
    return float16::from_bits(bits);
}

}  // namespace gpuarray
