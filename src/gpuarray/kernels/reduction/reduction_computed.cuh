// Operands of elements that are computed where a reduction would read them: COUNT neighbours in the memory of an array
// that is not stored. (kernels/reduction/computed.py writes what calls these.)
#pragma once

#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

// The dimensions of the array, in the order of its memory, and the operands' strides along them.
template <class Index, int NDIM, int COUNT> struct Places {
    typedef typename Unsigned<Index>::type UIndex;

    Index lengths[NDIM];
    Index strides[COUNT][NDIM];

    // The operands' offsets of an element; how many elements its row has from there on.
    GPUARRAY_DEVICE Index locate(Index at, Index (&offsets)[COUNT]) const {
        UIndex rest = at;
        Index left = 0;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) offsets[k] = 0;
#pragma unroll
        for (int axis = NDIM - 1; axis >= 0; --axis) {
            Index coordinate = Index(rest);
            if (axis > 0) {
                const UIndex extent = lengths[axis], quotient = rest / extent;
                coordinate = Index(rest - quotient * extent);
                rest = quotient;
            }
            if (axis == NDIM - 1) left = lengths[axis] - coordinate;
#pragma unroll
            for (int k = 0; k < COUNT; ++k) offsets[k] += coordinate * strides[k][axis];
        }
        return left;
    }
};

// Operands begin anywhere, whatever the array is aligned to.
template <int COUNT, class T> GPUARRAY_DEVICE void fetch_row(T* into, const T* from) {
    if (COUNT > 1 && Vector<T, COUNT>::aligned(from)) {
        Vector<T, COUNT>::copy(into, from);
    } else {
#pragma unroll
        for (int v = 0; v < COUNT; ++v) into[v] = from[v];
    }
}

template <int COUNT, class T> GPUARRAY_DEVICE void fetch_repeated(T* into, const T* from) {
    const T value = *from;
#pragma unroll
    for (int v = 0; v < COUNT; ++v) into[v] = value;
}

template <int COUNT, class T, class Index> GPUARRAY_DEVICE void fetch_apart(T* into, const T* from, Index stride) {
#pragma unroll
    for (int v = 0; v < COUNT; ++v) into[v] = from[v * stride];
}

}  // namespace gpuarray
