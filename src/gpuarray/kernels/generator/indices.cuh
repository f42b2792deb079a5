// Indices that a program gives: what becomes of those that are out of bounds.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

#ifdef GPUARRAY_RAISES
// Ends the kernel with IndexError in the call that launched it. The emulator has it; a GPU's kernel cannot raise.
extern "C" __device__ void gpuarray_raise_index(int64_t index, int64_t length);
#endif

// Out of bounds: raises where a kernel can, else wraps around. The branch is not taken by sound programs and costs
// them one comparison.
template <class Index> GPUARRAY_DEVICE Index checked(int64_t index, Index length) {
    if ((uint64_t)index >= (uint64_t)length) {
#ifdef GPUARRAY_RAISES
        gpuarray_raise_index(index, length);
#endif
        index %= length;
        if (index < 0) index += length;
    }
    return Index(index);
}

// The same for indices of which negative ones count from the end.
template <class Index> GPUARRAY_DEVICE Index wrapped(int64_t index, Index length) {
    if (index < 0) index += length;
    if ((uint64_t)index >= (uint64_t)length) {
#ifdef GPUARRAY_RAISES
        gpuarray_raise_index(index < 0 ? index - length : index, length);
#endif
        index %= length;
        if (index < 0) index += length;
    }
    return Index(index);
}

// NumPy's modes for indices out of bounds, and the first one where negative indices are out of bounds.
enum IndexMode { RAISE, WRAP, CLIP, CHECK };

template <int MODE, class Index> GPUARRAY_DEVICE Index bounded(int64_t index, Index length) {
    if constexpr (MODE == RAISE) return wrapped<Index>(index, length);
    if constexpr (MODE == CHECK) return checked<Index>(index, length);
    if constexpr (MODE == CLIP) return Index(index < 0 ? 0 : index < length ? index : int64_t(length) - 1);
    if ((uint64_t)index >= (uint64_t)length) {
        index %= length;
        if (index < 0) index += length;
    }
    return Index(index);
}

// The row of an element in a triangle whose rows have 1, 2, 3, ... elements: the greatest with row * (row + 1) / 2
// elements before it that are not more than the index.
GPUARRAY_DEVICE int64_t triangle_row(int64_t index) {
    int64_t row = int64_t((::sqrt(8.0 * double(index) + 1.0) - 1.0) * 0.5);
    if (row * (row + 1) / 2 > index) --row;
    if ((row + 1) * (row + 2) / 2 <= index) ++row;
    return row;
}

}  // namespace gpuarray
