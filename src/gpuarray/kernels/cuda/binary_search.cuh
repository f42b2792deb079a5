// Where values belong in a sorted array.
#pragma once

#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

// A sorted array in shared memory. The steps of a search are powers of two: without a gap behind every 32 elements,
// the lanes' reads would meet in few banks.
template <class Ordered> struct Spaced {
    const Ordered* keys;
    GPUARRAY_DEVICE Ordered operator[](uint32_t i) const { return keys[i + i / 32]; }
};
template <class Keys> struct Distant {
    const typename Keys::Word* words;
    GPUARRAY_DEVICE typename Keys::Ordered operator[](int64_t i) const { return Keys::ordered(words[i]); }
};

// For ITEMS values at once, so that as many reads are in flight: how many of `length` keys come before a value, with
// RIGHT also those that are equal to it. `top` is the greatest power of two that is no greater than the length.
template <bool RIGHT, int ITEMS, class Index, class Ordered, class Sorted>
GPUARRAY_DEVICE void count_before(const Sorted& sorted, const Ordered (&values)[ITEMS], Index length, Index top,
                                  Index (&places)[ITEMS]) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) places[i] = 0;
#pragma unroll 1
    for (Index step = top; step > 0; step /= 2) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const Index next = places[i] + step;
            if (next <= length) {
                const Ordered key = sorted[next - 1];
                if (RIGHT ? !(values[i] < key) : key < values[i]) places[i] = next;
            }
        }
    }
}

// LIMIT: elements of the sorted array that shared memory has room for; 0 where it stays where it is.
template <class Keys, bool RIGHT, int BLOCK, int ITEMS, int LIMIT>
GPUARRAY_DEVICE void search_sorted(const typename Keys::Word* sorted, const typename Keys::Word* values,
                                   int64_t* places, int64_t length, int64_t top, uint64_t count) {
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { TILE = BLOCK * ITEMS };
    __shared__ alignas(16) unsigned char storage[LIMIT > 0 ? (LIMIT + LIMIT / 32 + 1) * sizeof(Ordered) : 1];
    Ordered* const keys = reinterpret_cast<Ordered*>(storage);
    if constexpr (LIMIT > 0) {
        for (uint32_t i = threadIdx.x; i < length; i += BLOCK) keys[i + i / 32] = Keys::ordered(sorted[i]);
        __syncthreads();
    }
    for (uint64_t first = uint64_t(blockIdx.x) * TILE; first < count; first += uint64_t(gridDim.x) * TILE) {
        Word words[ITEMS];
        Ordered wanted[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint64_t at = first + i * BLOCK + threadIdx.x;
            words[i] = Word();
            if (at < count) words[i] = values[at];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) wanted[i] = Keys::ordered(words[i]);
        if constexpr (LIMIT > 0) {
            uint32_t found[ITEMS];
            count_before<RIGHT>(Spaced<Ordered>{keys}, wanted, uint32_t(length), uint32_t(top), found);
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const uint64_t at = first + i * BLOCK + threadIdx.x;
                if (at < count) places[at] = found[i];
            }
        } else {
            int64_t found[ITEMS];
            count_before<RIGHT>(Distant<Keys>{sorted}, wanted, length, top, found);
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const uint64_t at = first + i * BLOCK + threadIdx.x;
                if (at < count) places[at] = found[i];
            }
        }
    }
}

}  // namespace gpuarray
