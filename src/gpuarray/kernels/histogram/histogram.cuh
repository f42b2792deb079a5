// Counts, or sums of weights, of the elements in each bin.
//
// Blocks count in shared memory where the bins fit, and add what they have to the result at the end; else they add
// each element. Counts do not depend on the order; sums of weights do, in their last bits.
//
// What a result depends on that only the elements say stays on the device where it can: bins by value are counted
// while the greatest element is looked for, and the edges between the least and the greatest element are made by the
// kernel that counts.
#pragma once

#include "gpuarray/read_row.cuh"
#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

// The greatest of all threads' numbers, in thread 0.
template <int BLOCK> GPUARRAY_DEVICE uint64_t block_max(uint64_t own) {
    __shared__ uint64_t warps[BLOCK / 32];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const uint64_t other = __shfl_xor_sync(0xffffffffu, own, distance);
        own = own > other ? own : other;
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < BLOCK / 32; ++w) own = own > warps[w] ? own : warps[w];
    }
    __syncthreads();
    return own;
}

// ---- which bin --------------------------------------------------------------------------------------------------

// What an element says about its bin; a negative number: it is in none. begin() and ready() are called before and
// behind a barrier, with shared memory for edges if there is any.

template <class T> struct ByValue {
    typedef uint8_t Edge;
    enum { EDGES = 0 };
    uint64_t bins;

    GPUARRAY_DEVICE void begin(Edge*) const {}
    GPUARRAY_DEVICE void ready(const Edge*) const {}
    GPUARRAY_DEVICE int64_t operator()(T x) const { return int64_t(x); }
};

template <class Number> GPUARRAY_DEVICE void copy_edges(const Number* edges, uint64_t bins, Number* own) {
    if (own) {
        for (uint32_t i = threadIdx.x; i <= bins; i += blockDim.x) own[i] = edges[i];
    }
}

// Bins of one width. As NumPy does, the edges have the last word where rounding puts an element beside its bin: that
// can be only where it is nearly as far from an edge as edges are rounded.
template <class T, class Number, class Index> struct ByWidth {
    typedef Number Edge;
    enum { EDGES = 1 };
    uint64_t bins;
    const Edge* edges;
    Edge low, high, scale, margin;

    GPUARRAY_DEVICE void begin(Edge* own) const { copy_edges(edges, bins, own); }
    GPUARRAY_DEVICE void ready(const Edge* own) {
        if (own) edges = own;
        low = edges[0];
        high = edges[bins];
        scale = Edge(bins) / (high - low);
        // An edge, and the quotient, are off by a few units in the last place.
        const Edge unit = sizeof(Edge) == 4 ? Edge(1.0 / (1 << 21)) : Edge(1.0 / (1ll << 50));
        const Edge largest = high > -low ? high : -low;
        margin = unit * (Edge(bins) + largest * scale);
    }
    GPUARRAY_DEVICE Index operator()(T element) const {
        const Edge x = Edge(element);
        if (!(x >= low && x <= high)) return -1;
        const Edge quotient = (x - low) * scale;
        const Index most = Index(bins) - 1;
        Index bin = quotient < Edge(most) ? Index(quotient) : most;
        const Edge part = quotient - Edge(bin);
        if (!(part >= margin && part <= 1 - margin)) {
            while (bin > 0 && x < edges[bin]) --bin;
            while (bin < most && x >= edges[bin + 1]) ++bin;
        }
        return bin;
    }
};

// The same between the least and the greatest element, of which `ends` has the keys (see find_ends). Each block makes
// the edges, by NumPy's steps; the first one stores them, and whether they do not increase.
template <class T, class Keys, class Number, class Index> struct BetweenEnds : ByWidth<T, Number, Index> {
    typedef Number Edge;
    uint64_t* ends;
    Edge* made;

    GPUARRAY_DEVICE BetweenEnds(uint64_t bins, Edge* made, uint64_t* ends) : ends(ends), made(made) {
        this->bins = bins;
    }
    GPUARRAY_DEVICE static Edge number(uint64_t key) {
        const typename Keys::Word bits = Keys::from_ordered(typename Keys::Ordered(key), true);
        T value;
        memcpy(&value, &bits, sizeof(T));
        return Edge(value);
    }
    GPUARRAY_DEVICE void begin(Edge* own) const {
        Edge first = number(~ends[1]), last = number(ends[0]);
        if (first == last) {
            first -= Edge(0.5);
            last += Edge(0.5);
        }
        const Edge delta = last - first, step = delta / Edge(this->bins);
        const auto edge = [&](uint64_t i) {
            if (i == this->bins) return last;
            return (step == 0 ? Edge(i) / Edge(this->bins) * delta : Edge(i) * step) + first;
        };
        bool bad = false;
        for (uint32_t i = threadIdx.x; i <= this->bins; i += blockDim.x) {
            own[i] = edge(i);
            if (blockIdx.x == 0) {
                made[i] = own[i];
                if (i > 0) bad |= edge(i - 1) >= own[i];
            }
        }
        if (bad) atomicExch(reinterpret_cast<unsigned long long*>(ends) + 2, 1ull);
    }
};

// Bins between any edges; the last one has its upper edge.
template <class T, class Number, class Index> struct ByEdges {
    typedef Number Edge;
    enum { EDGES = 1 };
    uint64_t bins;
    const Edge* edges;
    Index top;  // the greatest power of two that is less than the number of bins, or 0
    Edge low, high;

    GPUARRAY_DEVICE void begin(Edge* own) const { copy_edges(edges, bins, own); }
    GPUARRAY_DEVICE void ready(const Edge* own) {
        if (own) edges = own;
        low = edges[0];
        high = edges[bins];
        top = bins > 1 ? Index(1) << (63 - __clzll(bins - 1)) : 0;
    }
    GPUARRAY_DEVICE Index operator()(T element) const {
        const Edge x = Edge(element);
        if (!(x >= low && x <= high)) return -1;
        Index bin = 0;
        for (Index step = top; step > 0; step /= 2) {
            const Index next = bin + step;
            if (next < Index(bins) && x >= edges[next]) bin = next;
        }
        return bin;
    }
};

// ---- kernels ----------------------------------------------------------------------------------------------------

// Total is what the result has, and Weight what is added: one for each element if there are no weights. LIMIT: bins
// that shared memory has room for; STAGED: it has also room for their edges. With GREATEST totals[bins] becomes the
// greatest element as an unsigned number, of which negative ones are the greatest.
template <class T, class Weight, class Total, int BLOCK, int LIMIT, bool STAGED, bool GREATEST, class Bin>
GPUARRAY_DEVICE void count_bins(Bin bin, const typename Stored<T>::type* elements, const Weight* weights,
                                Total* totals, uint64_t size) {
    typedef typename Stored<T>::type Element;
    typedef Reader<Element, BLOCK> Row;
    __shared__ alignas(16) Weight own[LIMIT > 0 ? LIMIT : 1];
    __shared__ alignas(16) typename Bin::Edge edges[STAGED ? LIMIT + 1 : 1];
    if constexpr (LIMIT > 0) {
        for (uint32_t i = threadIdx.x; i < bin.bins; i += BLOCK) own[i] = 0;
    }
    bin.begin(STAGED ? edges : nullptr);
    __syncthreads();
    bin.ready(STAGED ? edges : nullptr);
    uint64_t greatest = 0;
    const auto add = [&](T element, uint64_t at) {
        const auto index = bin(element);
        if constexpr (GREATEST) greatest = uint64_t(index) > greatest ? uint64_t(index) : greatest;
        if (uint64_t(index) < bin.bins) {
            const Weight weight = weights ? weights[at] : Weight(1);
            if constexpr (LIMIT > 0) {
                atomicAdd(own + uint32_t(index), weight);
            } else {
                atomicAdd(totals + index, Total(weight));
            }
        }
    };
    Row::read(elements, size, blockIdx.x, gridDim.x, [&](const auto& words, int valid, uint64_t first) {
        enum { COUNT = sizeof(words) / sizeof(Element) };
        if (valid == COUNT) {
#pragma unroll
            for (int i = 0; i < COUNT; ++i) add(T(words[i]), first + Row::offset(i));
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; ++i) {
                if (i < valid) add(T(words[i]), first + Row::offset(i));
            }
        }
    });
    if constexpr (GREATEST) {
        greatest = block_max<BLOCK>(greatest);
        if (threadIdx.x == 0) atomicMax(totals + bin.bins, greatest);
    }
    if constexpr (LIMIT > 0) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < bin.bins; i += BLOCK) {
            if (own[i] != 0) atomicAdd(totals + i, Total(own[i]));
        }
    }
}

// The keys of the greatest element and, inverted, of the least one: of a NaN all bits of the first are set.
template <class Keys, int BLOCK>
GPUARRAY_DEVICE void find_ends(const typename Keys::Word* elements, uint64_t* ends, uint64_t size) {
    typedef typename Keys::Ordered Ordered;
    Ordered greatest = 0, least = Ordered(~Ordered(0));
    Reader<typename Keys::Word, BLOCK>::read(
        elements, size, blockIdx.x, gridDim.x, [&](const auto& words, int valid, uint64_t) {
            enum { COUNT = sizeof(words) / sizeof(typename Keys::Word) };
#pragma unroll
            for (int i = 0; i < COUNT; ++i) {
                if (i < valid) {
                    const Ordered key = Keys::ordered(words[i]);
                    greatest = key > greatest ? key : greatest;
                    least = key < least ? key : least;
                }
            }
        });
    const uint64_t most = block_max<BLOCK>(greatest), inverse = block_max<BLOCK>(~uint64_t(least));
    if (threadIdx.x == 0) {
        atomicMax(reinterpret_cast<unsigned long long*>(ends), most);
        atomicMax(reinterpret_cast<unsigned long long*>(ends) + 1, inverse);
    }
}

// Both in one block, which needs no cleared memory. Behind the totals it leaves the ends, and whether edges do not
// increase.
template <class T, class Keys, class Number, class Index, int BLOCK, int LIMIT>
GPUARRAY_DEVICE void count_alone(const typename Stored<T>::type* elements, Number* edges, uint64_t* totals,
                                 uint64_t size, uint64_t bins) {
    __shared__ uint64_t ends[3];
    if (threadIdx.x < 3) ends[threadIdx.x] = 0;
    for (uint32_t i = threadIdx.x; i < bins; i += BLOCK) totals[i] = 0;
    __syncthreads();
    find_ends<Keys, BLOCK>(reinterpret_cast<const typename Keys::Word*>(elements), ends, size);
    __syncthreads();
    count_bins<T, uint32_t, uint64_t, BLOCK, LIMIT, true, false>(BetweenEnds<T, Keys, Number, Index>(bins, edges, ends),
                                                                 elements, static_cast<const uint32_t*>(nullptr),
                                                                 totals, size);
    if (threadIdx.x < 3) totals[bins + threadIdx.x] = ends[threadIdx.x];
}

}  // namespace gpuarray
