// Conversions of floats to integers as NumPy's astype makes them on x86, where C leaves them undefined.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// A value in range is truncated. Out of it, narrow types wrap around within int32 and uint32 within int64, as
// NumPy's do; uint64 takes negative values modulo 2^64. Beyond that NumPy warns and its result depends on the
// machine: here the instruction decides, which saturates; NaN gives 0 or the lowest value.
template <class T> struct ToInteger {
    template <class F> GPUARRAY_DEVICE static T from(F x) { return T(int32_t(x)); }
};
template <> struct ToInteger<int64_t> {
    template <class F> GPUARRAY_DEVICE static int64_t from(F x) { return int64_t(x); }
};
template <> struct ToInteger<uint32_t> {
    template <class F> GPUARRAY_DEVICE static uint32_t from(F x) { return uint32_t(int64_t(x)); }
};
template <> struct ToInteger<uint64_t> {
    template <class F> GPUARRAY_DEVICE static uint64_t from(F x) {
        return x < 0 ? uint64_t(int64_t(x)) : uint64_t(x);
    }
};

template <class T, class F> GPUARRAY_DEVICE T to_integer(F x) { return ToInteger<T>::from(x); }

}  // namespace gpuarray
