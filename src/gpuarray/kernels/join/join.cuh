// The joining family: several gapless arrays beside one another in one, for arrays so small that what counts is the
// number of launches.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// A row of the result is a row of each array in turn; ends[k] is where array k's part of a row ends.
template <class Word, int BLOCK, int ITEMS, int ARRAYS> struct Join {
    enum { TILE = BLOCK * ITEMS };

    struct Sources {
        const Word* arrays[ARRAYS];
    };
    struct Parts {
        uint32_t size, ends[ARRAYS];
    };

    GPUARRAY_DEVICE static void run(Word* result, const Sources& sources, const Parts& parts) {
        const uint32_t width = parts.ends[ARRAYS - 1];
        Word words[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t index = blockIdx.x * TILE + i * BLOCK + threadIdx.x;
            if (index >= parts.size) break;
            const uint32_t row = index / width, column = index - row * width;
            uint32_t start = 0, end = parts.ends[0];
            const Word* source = sources.arrays[0];
#pragma unroll
            for (int k = 1; k < ARRAYS; ++k) {
                if (column >= parts.ends[k - 1]) {
                    source = sources.arrays[k];
                    start = parts.ends[k - 1];
                    end = parts.ends[k];
                }
            }
            words[i] = source[row * (end - start) + (column - start)];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t index = blockIdx.x * TILE + i * BLOCK + threadIdx.x;
            if (index < parts.size) result[index] = words[i];
        }
    }
};

}  // namespace gpuarray
