// The gather family: gather and scatter by integer arrays.
#pragma once

#include "gpuarray/indices.cuh"

namespace gpuarray {

// 16 bytes that need be aligned to 8 only, as an element of a complex128 array is.
struct Pair {
    uint64_t low, high;
};

// Unsigned division is cheaper.
template <class Index> struct Divided { typedef uint32_t type; };
template <> struct Divided<int64_t> { typedef uint64_t type; };

// Element i of the dense operand belongs to one element of the indexed operand: its offset is given by the strides
// over i's coordinates plus, for every index array, the array's value times the stride of the axis it indexes.
//
// A thread moves ITEMS elements, BLOCK apart. Its loads of indices come before its loads of elements, and these
// before its stores, so that each step has ITEMS loads in flight.
template <class Index, class Word, int BLOCK, int ITEMS, int NDIM, int ARRAYS, bool SCATTER, int MODE = RAISE>
struct Transfer {
    typedef typename Divided<Index>::type UIndex;
    enum { TILE = BLOCK * ITEMS };

    // What a scatter stores: an element of the dense operand, or the number that takes its place.
    GPUARRAY_DEVICE static Word element(const Word* dense, Index offset) { return dense[offset]; }
    GPUARRAY_DEVICE static Word element(Word value, Index) { return value; }

    // Strides in elements: of the dense operand, the indexed one, the index arrays.
    struct Dimensions {
        Index shape[NDIM];
        Index strides[2 + ARRAYS][NDIM];
        Index lengths[ARRAYS];
        Index steps[ARRAYS];
    };

    template <class Dense, class... Arrays>
    GPUARRAY_DEVICE static void tile(UIndex first, UIndex size, const Dimensions& dimensions, Dense dense,
                                     Word* indexed, const Arrays*... arrays) {
        Index offsets[ITEMS][2 + ARRAYS];
        Word words[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const UIndex index = first + i * BLOCK + threadIdx.x;
#pragma unroll
            for (int k = 0; k < 2 + ARRAYS; ++k) offsets[i][k] = 0;
            if (index < size) {
                UIndex rest = index;
#pragma unroll
                for (int axis = NDIM - 1; axis >= 0; --axis) {
                    Index coordinate = rest;
                    if (axis > 0) {
                        const UIndex extent = dimensions.shape[axis];
                        const UIndex quotient = rest / extent;
                        coordinate = rest - quotient * extent;
                        rest = quotient;
                    }
#pragma unroll
                    for (int k = 0; k < 2 + ARRAYS; ++k) offsets[i][k] += coordinate * dimensions.strides[k][axis];
                }
                int k = 0;
                ((offsets[i][1] += bounded<MODE>(int64_t(arrays[offsets[i][2 + k]]), dimensions.lengths[k]) *
                                   dimensions.steps[k],
                  ++k),
                 ...);
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (first + i * BLOCK + threadIdx.x < size) {
                words[i] = SCATTER ? element(dense, offsets[i][0]) : indexed[offsets[i][1]];
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (first + i * BLOCK + threadIdx.x < size) {
                if constexpr (SCATTER) {
                    indexed[offsets[i][1]] = words[i];
                } else {
                    dense[offsets[i][0]] = words[i];
                }
            }
        }
    }

    template <class Dense, class... Arrays>
    GPUARRAY_DEVICE static void run(Index size, const Dimensions& dimensions, Dense dense, Word* indexed,
                                    const Arrays*... arrays) {
        for (UIndex first = UIndex(blockIdx.x) * TILE; first < size; first += UIndex(gridDim.x) * TILE) {
            tile(first, size, dimensions, dense, indexed, arrays...);
        }
    }
};

}  // namespace gpuarray
