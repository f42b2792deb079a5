// What the headers of special functions share.
#pragma once

#include "gpuarray/floating.cuh"

#define GPUARRAY_CALLED __device__ __noinline__ inline

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE double infinity() { return float_from_bits(uint64_t(0x7ff0000000000000ull)); }
GPUARRAY_DEVICE double not_a_number() { return float_from_bits(uint64_t(0x7ff8000000000000ull)); }

template <class T> GPUARRAY_DEVICE bool is_integer(T x) { return x == ::floor(x); }

// The value of c[0] + c[1] x + ... in Horner's order, with one rounding a step.
template <class T, int N> GPUARRAY_DEVICE T polynomial(const T (&c)[N], T x) {
    T sum = c[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; --i) sum = ::fma(sum, x, c[i]);
    return sum;
}

}  // namespace special
}  // namespace gpuarray
