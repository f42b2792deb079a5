// The join family: several gapless arrays beside one another in one, for arrays so small that what counts is the
// number of launches.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// A row of the result is a row of each array in turn; ends[k] is where array k's segment of a row ends.
template <class Word, int BLOCK, int ITEMS, int ARRAYS> struct Join {
    enum { TILE = BLOCK * ITEMS };

    struct Sources {
        const Word* arrays[ARRAYS];
    };
    struct Segments {
        uint32_t size, ends[ARRAYS];
    };

    GPUARRAY_DEVICE static void run(Word* result, const Sources& sources, const Segments& segments) {
        const uint32_t width = segments.ends[ARRAYS - 1];
        Word words[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t index = blockIdx.x * TILE + i * BLOCK + threadIdx.x;
            if (index >= segments.size) break;
            const uint32_t row = index / width, column = index - row * width;
            uint32_t start = 0, end = segments.ends[0];
            const Word* source = sources.arrays[0];
#pragma unroll
            for (int k = 1; k < ARRAYS; ++k) {
                if (column >= segments.ends[k - 1]) {
                    source = sources.arrays[k];
                    start = segments.ends[k - 1];
                    end = segments.ends[k];
                }
            }
            words[i] = source[row * (end - start) + (column - start)];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t index = blockIdx.x * TILE + i * BLOCK + threadIdx.x;
            if (index < segments.size) result[index] = words[i];
        }
    }
};

}  // namespace gpuarray
