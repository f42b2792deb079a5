// float16 as user code writes it: with implicit conversions. Arithmetic is done in float.
#pragma once

#include "gpuarray/float16.cuh"

struct float16 {
    unsigned short data_;

    float16() = default;
    GPUARRAY_DEVICE float16(float x) : data_(gpuarray::float16(x).bits) {}
    GPUARRAY_DEVICE float16(double x) : data_(gpuarray::float16(x).bits) {}
    template <class Number> GPUARRAY_DEVICE float16(Number x) : float16(float(x)) {}

    GPUARRAY_DEVICE operator float() const { return float(gpuarray::float16::from_bits(data_)); }

    template <class Number> GPUARRAY_DEVICE float16& operator+=(Number x) { return *this = float(*this) + float(x); }
    template <class Number> GPUARRAY_DEVICE float16& operator-=(Number x) { return *this = float(*this) - float(x); }
    template <class Number> GPUARRAY_DEVICE float16& operator*=(Number x) { return *this = float(*this) * float(x); }
    template <class Number> GPUARRAY_DEVICE float16& operator/=(Number x) { return *this = float(*this) / float(x); }

    GPUARRAY_DEVICE int iszero() const { return (data_ & 0x7fff) == 0; }
    GPUARRAY_DEVICE int isnan() const { return (data_ & 0x7fff) > 0x7c00; }
    GPUARRAY_DEVICE int isinf() const { return (data_ & 0x7fff) == 0x7c00; }
    GPUARRAY_DEVICE int isfinite() const { return (data_ & 0x7c00) != 0x7c00; }
    GPUARRAY_DEVICE int signbit() const { return data_ >> 15; }
};

GPUARRAY_DEVICE float16 min(float16 a, float16 b) { return fminf(a, b); }
GPUARRAY_DEVICE float16 max(float16 a, float16 b) { return fmaxf(a, b); }
GPUARRAY_DEVICE bool isnan(float16 x) { return x.isnan(); }
GPUARRAY_DEVICE bool isinf(float16 x) { return x.isinf(); }
GPUARRAY_DEVICE bool isfinite(float16 x) { return x.isfinite(); }

// There is an instruction for pairs of halves only where they are aligned: swap the word that has this one.
GPUARRAY_DEVICE float16 atomicAdd(float16* address, float16 value) {
    const size_t bytes = reinterpret_cast<size_t>(address), shift = (bytes & 2) * 8;
    unsigned* const word = reinterpret_cast<unsigned*>(bytes & ~size_t(2));
    unsigned old = *word, assumed;
    float16 before;
    do {
        assumed = old;
        before.data_ = (unsigned short)(assumed >> shift);
        const float16 sum = float(before) + float(value);
        old = atomicCAS(word, assumed, (assumed & ~(0xffffu << shift)) | unsigned(sum.data_) << shift);
    } while (old != assumed);
    return before;
}
