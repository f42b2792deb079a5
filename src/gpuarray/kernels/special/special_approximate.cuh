// The device's approximate instructions for float32, and a choice without a branch.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

// 1/x to 23 bits; 0 where that would be subnormal, infinity of subnormals.
GPUARRAY_DEVICE float reciprocal23(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// yes ? a : b, of which the compiler makes no branch: lanes would wait for others.
GPUARRAY_DEVICE float chosen(bool yes, float a, float b) {
    float result;
    asm("{.reg .pred p; setp.ne.u32 p, %3, 0; selp.f32 %0, %1, %2, p;}" : "=f"(result) : "f"(a), "f"(b), "r"(uint32_t(yes)));
    return result;
}

// log2(x) of a positive normal number or infinity, with an absolute error of 2^-22 for x from 1/2 to 2, else a relative one.
GPUARRAY_DEVICE float log2_22(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// 1/sqrt(x) to 24 bits for a normal number or infinity: a step of Newton's from the device's 22 bits.
GPUARRAY_DEVICE float inverse_root(float x) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float rest = ::fmaf(-x * r, r, 1.0f);
    return r > 0 ? ::fmaf(r * 0.5f, rest, r) : r;
}

}  // namespace special
}  // namespace gpuarray
