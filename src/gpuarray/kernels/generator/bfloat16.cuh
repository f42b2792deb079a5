// The upper half of a float: it converts to float exactly, and from float with one rounding to nearest even.
// Arithmetic is done in float.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

struct bfloat16 {
    uint16_t bits;

    bfloat16() = default;
    // A NaN becomes the quiet NaN of its sign, as ml_dtypes has it.
    GPUARRAY_DEVICE explicit bfloat16(float x) {
        const uint32_t wide = float_bits(x);
#if __CUDA_ARCH__ >= 800
        uint16_t rounded;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(x));
#else
        const uint16_t rounded = uint16_t((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
#endif
        bits = x != x ? uint16_t((wide >> 16 & 0x8000) | 0x7fc0) : rounded;
    }
    GPUARRAY_DEVICE explicit bfloat16(double x) : bfloat16(float(x)) {}
    GPUARRAY_DEVICE explicit bfloat16(int x) : bfloat16(float(x)) {}
    GPUARRAY_DEVICE operator float() const { return float_from_bits(uint32_t(bits) << 16); }
    GPUARRAY_DEVICE static bfloat16 from_bits(uint16_t bits) {
        bfloat16 x;
        x.bits = bits;
        return x;
    }
};

GPUARRAY_DEVICE bfloat16 negative(bfloat16 x) { return bfloat16::from_bits(x.bits ^ 0x8000); }
GPUARRAY_DEVICE bfloat16 absolute(bfloat16 x) { return bfloat16::from_bits(x.bits & 0x7fff); }
GPUARRAY_DEVICE bool signbit(bfloat16 x) { return x.bits >> 15; }
GPUARRAY_DEVICE bfloat16 copysign(bfloat16 x, bfloat16 sign) {
    return bfloat16::from_bits((x.bits & 0x7fff) | (sign.bits & 0x8000));
}

GPUARRAY_DEVICE bfloat16 nextafter(bfloat16 x, bfloat16 towards) {
    const float from = x, to = towards;
    if (from != from || to != to) return bfloat16(from + to);
    if (from == to) return towards;
    if (from == 0) return bfloat16::from_bits((towards.bits & 0x8000) | 1);
    return bfloat16::from_bits((from < to) == (from > 0) ? x.bits + 1 : x.bits - 1);
}

// The distance to the next number away from zero, with the sign of x, as for wider floats.
GPUARRAY_DEVICE bfloat16 spacing(bfloat16 x) {
    if ((x.bits & 0x7f80) == 0x7f80) return bfloat16::from_bits(0x7fc0);
    return bfloat16(float(bfloat16::from_bits(x.bits + 1)) - float(x));
}

}  // namespace gpuarray
