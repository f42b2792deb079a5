// Elements that are moved and not computed with: structures, and voids of any length.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <int ALIGNMENT> struct Unit { typedef uint64_t type; };
template <> struct Unit<1> { typedef uint8_t type; };
template <> struct Unit<2> { typedef uint16_t type; };
template <> struct Unit<4> { typedef uint32_t type; };

// SIZE bytes, aligned to the greatest power of two that divides SIZE, at most 8.
template <int SIZE> struct Bytes {
    enum { ALIGNMENT = (SIZE & -SIZE) < 8 ? SIZE & -SIZE : 8 };
    typename Unit<ALIGNMENT>::type units[SIZE / ALIGNMENT];
};

}  // namespace gpuarray
