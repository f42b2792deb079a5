// Arrays with any strides at their places in a gapless one, for arrays so small that what counts is the number of
// launches.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class Word, int BLOCK, int ITEMS, int ARRAYS, int NDIM> struct Places {
    enum { TILE = BLOCK * ITEMS };

    struct Sources {
        const Word* arrays[ARRAYS];
    };
    // An array has the coordinates from its starts to its stops. Its offset is that of coordinates of zero.
    struct Dimensions {
        uint32_t size, shape[NDIM];
        int32_t offsets[ARRAYS];
        uint32_t starts[ARRAYS][NDIM], stops[ARRAYS][NDIM];
        int32_t strides[ARRAYS][NDIM];
    };

    GPUARRAY_DEVICE static Word element(uint32_t index, const Sources& sources, const Dimensions& dimensions) {
        uint32_t coordinates[NDIM];
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const uint32_t quotient = index / dimensions.shape[axis];
            coordinates[axis] = index - quotient * dimensions.shape[axis];
            index = quotient;
        }
        coordinates[0] = index;
        const Word* source = sources.arrays[0];
#pragma unroll
        for (int k = 0; k < ARRAYS; ++k) {
            bool inside = true;
            int32_t offset = dimensions.offsets[k];
#pragma unroll
            for (int axis = 0; axis < NDIM; ++axis) {
                inside &= coordinates[axis] >= dimensions.starts[k][axis] && coordinates[axis] < dimensions.stops[k][axis];
                offset += int32_t(coordinates[axis]) * dimensions.strides[k][axis];
            }
            if (inside) source = sources.arrays[k] + offset;
        }
        return *source;
    }

    GPUARRAY_DEVICE static void run(Word* result, const Sources& sources, const Dimensions& dimensions) {
        Word words[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t index = blockIdx.x * TILE + i * BLOCK + threadIdx.x;
            if (index < dimensions.size) words[i] = element(index, sources, dimensions);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t index = blockIdx.x * TILE + i * BLOCK + threadIdx.x;
            if (index < dimensions.size) result[index] = words[i];
        }
    }
};

}  // namespace gpuarray
