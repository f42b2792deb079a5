// The ranks of values in a sorted array.
//
// The array is taken as a complete binary tree of `levels` levels, with the greatest key where it has no elements.
// The topmost levels are copied to shared memory, a level behind the other: the children of node j are 2 * j and
// 2 * j + 1. So a step is one read and a multiplication, and lanes read what is close together (in sorted order they
// would meet in few banks). The levels below are searched where they are.
//
// What a multiprocessor reads from global memory by single elements costs it one access a cycle, ten times as much as
// from shared memory. So where very many values are looked for, blocks of 1024 threads share as many levels as
// dynamic shared memory holds, and the last levels are one access to all the elements that are left.
#pragma once

#include "gpuarray/elementwise.cuh"
#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

// Whether a value belongs behind a key.
template <bool RIGHT, class Ordered> GPUARRAY_DEVICE bool is_behind(const Ordered& value, const Ordered& key) {
    return RIGHT ? !(value < key) : key < value;
}

// The key of a node of the tree: the greatest one where the array has no element.
template <class Keys>
GPUARRAY_DEVICE typename Keys::Ordered key_of_node(const typename Keys::Word* sorted, int64_t length, uint32_t node,
                                                   int levels) {
    const int level = 31 - __clz(node);
    const int64_t index = (int64_t(2 * (node - (1u << level)) + 1) << (levels - 1 - level)) - 1;
    typename Keys::Ordered key;
    memset(&key, 0xff, sizeof(key));
    return index < length ? Keys::ordered(sorted[index]) : key;
}

// What is stored for a value: its rank, or whether it equals the element at its rank (unlike a NaN, which equals
// nothing).
template <class Keys> struct StoreRank {
    typedef int64_t Result;
    GPUARRAY_DEVICE Result operator()(const typename Keys::Word*, typename Keys::Word, int64_t rank, int64_t) const {
        return rank;
    }
};
template <class Keys, bool INVERT> struct StoreFound {
    typedef uint8_t Result;
    GPUARRAY_DEVICE Result operator()(const typename Keys::Word* sorted, typename Keys::Word value, int64_t rank,
                                      int64_t length) const {
        bool found = rank < length && !(Keys::ordered(value) < Keys::ordered(sorted[rank]));
        if constexpr (Keys::FLOATS) found = found && !is_nan(value);
        return found != INVERT;
    }
};

// ROOM: levels that shared memory has room for. ITEMS values at once, so that as many reads are in flight.
template <class Keys, class Store, bool RIGHT, int BLOCK, int ITEMS, int ROOM>
GPUARRAY_DEVICE void search_sorted(const typename Keys::Word* sorted, const typename Keys::Word* values,
                                   typename Store::Result* ranks, int64_t length, int32_t levels, uint64_t count,
                                   Store store = Store()) {
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { TILE = BLOCK * ITEMS };
    __shared__ alignas(16) unsigned char storage[sizeof(Ordered) << ROOM];
    Ordered* const nodes = reinterpret_cast<Ordered*>(storage);
    const int top = levels < ROOM ? levels : ROOM, rest = levels - top;
    if constexpr (ROOM > 0) {
        for (uint32_t node = 1 + threadIdx.x; node < 1u << top; node += BLOCK) {
            nodes[node] = key_of_node<Keys>(sorted, length, node, levels);
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
            if (at < count) ranks[at] = store(sorted, words[i], found[i] < length ? found[i] : length, length);
        }
    }
}

// The same with the `top` topmost levels in dynamic shared memory. TAIL levels at the end are one access.
template <class Keys, class Store, bool RIGHT, int BLOCK, int ITEMS, int TAIL>
GPUARRAY_DEVICE void search_sorted_widely(const typename Keys::Word* sorted, const typename Keys::Word* values,
                                          typename Store::Result* ranks, int32_t length, int32_t levels, int32_t top,
                                          uint64_t count, Store store = Store()) {
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { TILE = BLOCK * ITEMS, LAST = 1 << TAIL };
    typedef Vector<Word, LAST> Last;
    extern __shared__ __align__(16) unsigned char storage[];
    Ordered* const nodes = reinterpret_cast<Ordered*>(storage);
    for (uint32_t node = 1 + threadIdx.x; node < 1u << top; node += BLOCK) {
        nodes[node] = key_of_node<Keys>(sorted, length, node, levels);
    }
    __syncthreads();
    const bool together = Last::aligned(sorted) && levels - top >= TAIL;
    const int32_t rest = levels - top, below = together ? LAST : 1;
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
#pragma unroll 1
        for (int step = 0; step < top; ++step) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                node[i] = 2 * node[i] + (is_behind<RIGHT>(wanted[i], nodes[node[i]]) ? 1 : 0);
            }
        }
        int32_t found[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) found[i] = int32_t(node[i] - (1u << top)) << rest;
#pragma unroll 1
        for (int32_t step = (1 << rest) / 2; step >= below; step /= 2) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const int32_t next = found[i] + step;
                if (next <= length && is_behind<RIGHT>(wanted[i], Keys::ordered(sorted[next - 1]))) found[i] = next;
            }
        }
        if (together) {
            // Of these elements the last one is behind the value already, or behind the array.
            alignas(16) Word last[ITEMS][LAST];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                if (found[i] + LAST <= length) {
                    Last::copy(last[i], sorted + found[i]);
                } else {
#pragma unroll
                    for (int k = 0; k < LAST; ++k) {
                        if (found[i] + k < length) last[i][k] = sorted[found[i] + k];
                    }
                }
            }
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const int32_t begin = found[i];
#pragma unroll
                for (int k = 0; k + 1 < LAST; ++k) {
                    if (begin + k < length && is_behind<RIGHT>(wanted[i], Keys::ordered(last[i][k]))) ++found[i];
                }
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint64_t at = first + i * BLOCK + threadIdx.x;
            if (at < count) ranks[at] = store(sorted, words[i], found[i] < length ? found[i] : length, length);
        }
    }
}

}  // namespace gpuarray
