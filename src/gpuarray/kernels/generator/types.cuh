// Names of the scalar types that generated kernels use.
//
// Everything lives in namespace gpuarray, so that a kernel that also includes a toolkit header with its own
// stdint names compiles: the inner name wins.
#pragma once

#define GPUARRAY_DEVICE __device__ __forceinline__

namespace gpuarray {

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

// What a T looks like in memory. NumPy takes every non-zero byte of a bool array as true, while C++ takes a byte
// other than 0 and 1 in a bool as undefined behaviour: such bytes come from `a.view(bool)`.
template <class T> struct Stored { typedef T type; };
template <> struct Stored<bool> { typedef uint8_t type; };

GPUARRAY_DEVICE float float_from_bits(uint32_t bits) { return __uint_as_float(bits); }
GPUARRAY_DEVICE double float_from_bits(uint64_t bits) { return __longlong_as_double((int64_t)bits); }
GPUARRAY_DEVICE uint32_t float_bits(float x) { return __float_as_uint(x); }
GPUARRAY_DEVICE uint64_t float_bits(double x) { return (uint64_t)__double_as_longlong(x); }

}  // namespace gpuarray
