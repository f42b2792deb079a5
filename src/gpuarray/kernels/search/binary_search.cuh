// The ranks of values in a sorted array.
//
// The array is taken as a complete binary tree of `levels` levels, with the greatest key where it has no elements.
// The topmost levels are copied to shared memory, a level behind the other: the children of node j are 2 * j and
// 2 * j + 1. So a step is one read and a multiplication, and lanes read what is close together (in sorted order they
// would meet in few banks). The levels below are searched where they are.
#pragma once

#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

// Whether a value belongs behind a key.
template <bool RIGHT, class Ordered> GPUARRAY_DEVICE bool is_behind(const Ordered& value, const Ordered& key) {
    return RIGHT ? !(value < key) : key < value;
}

// ROOM: levels that shared memory has room for. ITEMS values at once, so that as many reads are in flight.
template <class Keys, bool RIGHT, int BLOCK, int ITEMS, int ROOM>
GPUARRAY_DEVICE void search_sorted(const typename Keys::Word* sorted, const typename Keys::Word* values,
                                   int64_t* ranks, int64_t length, int32_t levels, uint64_t count) {
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { TILE = BLOCK * ITEMS };
    __shared__ alignas(16) unsigned char storage[sizeof(Ordered) << ROOM];
    Ordered* const nodes = reinterpret_cast<Ordered*>(storage);
    const int top = levels < ROOM ? levels : ROOM, rest = levels - top;
    if constexpr (ROOM > 0) {
        for (uint32_t node = 1 + threadIdx.x; node < 1u << top; node += BLOCK) {
            const int level = 31 - __clz(node);
            const int64_t index = (int64_t(2 * (node - (1u << level)) + 1) << (levels - 1 - level)) - 1;
            Ordered key;
            memset(&key, 0xff, sizeof(key));
            if (index < length) key = Keys::ordered(sorted[index]);
            nodes[node] = key;
        }
        __syncthreads();
    }
    for (uint64_t first = uint64_t(blockIdx.x) * TILE; first < count; first += uint64_t(gridDim.x) * TILE) {
        Word words[ITEMS];
        Ordered wanted[ITEMS];
        uint32_t node[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint64_t at = first + i * BLOCK + threadIdx.x;
            words[i] = Word();
            if (at < count) words[i] = values[at];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            wanted[i] = Keys::ordered(words[i]);
            node[i] = 1;
        }
        if constexpr (ROOM > 0) {
#pragma unroll 1
            for (int step = 0; step < top; ++step) {
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    node[i] = 2 * node[i] + (is_behind<RIGHT>(wanted[i], nodes[node[i]]) ? 1 : 0);
                }
            }
        }
        int64_t found[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) found[i] = int64_t(node[i] - (1u << top)) << rest;
        if (rest > 0) {
#pragma unroll 1
            for (int64_t step = int64_t(1) << (rest - 1); step > 0; step /= 2) {
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    const int64_t next = found[i] + step;
                    if (next <= length && is_behind<RIGHT>(wanted[i], Keys::ordered(sorted[next - 1]))) found[i] = next;
                }
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint64_t at = first + i * BLOCK + threadIdx.x;
            // What is equal to the greatest key may have gone behind what is not there.
            if (at < count) ranks[at] = found[i] < length ? found[i] : length;
        }
    }
}

}  // namespace gpuarray
