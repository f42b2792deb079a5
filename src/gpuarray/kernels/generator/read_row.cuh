// All elements of a gapless row, in no particular order: for kernels that count.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class Word, int BLOCK> struct Reader {
    enum { VECTOR = 16 / sizeof(Word), UNROLL = VECTOR > 8 ? 2 : 4, ITEMS = VECTOR * UNROLL };

    // How far behind the first element of a take its element number `i` is.
    GPUARRAY_DEVICE static uint64_t offset(int i) { return i / VECTOR * (BLOCK * VECTOR) + i % VECTOR; }

    // For the threads of `blocks` blocks: take(elements, valid, first) gets some of a row's elements at a time, of
    // which the first `valid` are there, and the index of the first. The lanes of a warp call together.
    template <class Take>
    GPUARRAY_DEVICE static void read(const Word* row, uint64_t length, uint32_t block, uint32_t blocks,
                                     const Take& take) {
        const uint32_t skew = uint32_t(reinterpret_cast<uint64_t>(row) % 16);
        uint64_t head = (16 - skew) % 16 / sizeof(Word);
        head = head < length ? head : length;
        const uint64_t whole = (length - head) / VECTOR;
        const uint4* const vectors = reinterpret_cast<const uint4*>(row + head);
        for (uint64_t first = uint64_t(block) * (BLOCK * UNROLL); first < whole;
             first += uint64_t(blocks) * (BLOCK * UNROLL)) {
            alignas(16) Word words[ITEMS];
            int valid = 0;
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const uint64_t at = first + u * BLOCK + threadIdx.x;
                uint4 vector = make_uint4(0, 0, 0, 0);
                if (at < whole) {
                    vector = vectors[at];
                    valid = (u + 1) * VECTOR;
                }
                *reinterpret_cast<uint4*>(words + u * VECTOR) = vector;
            }
            take(words, valid, head + (first + threadIdx.x) * VECTOR);
        }
        // What is before and behind the vectors: less than one each.
        if (block == blocks - 1 && threadIdx.x < 32) {
            const int lane = threadIdx.x;
            const uint64_t at = lane < 16 ? lane : head + whole * VECTOR + (lane - 16);
            const bool inside = at < (lane < 16 ? head : length);
            Word words[1] = {Word()};
            if (inside) words[0] = row[at];
            take(words, inside ? 1 : 0, at);
        }
    }
};

}  // namespace gpuarray
