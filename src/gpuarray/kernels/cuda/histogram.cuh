// Counts, or sums of weights, of the elements in each bin.
//
// Blocks count in shared memory where the bins fit, and add what they have to the result at the end; else they add
// each element. Counts do not depend on the order; sums of weights do, in their last bits.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// What an element says about its bin. A negative number: it is in none.
template <class T> struct ByValue {
    uint64_t bins;
    GPUARRAY_DEVICE int64_t operator()(T x) const { return int64_t(x); }
};

// Bins of one width. As NumPy does, the edges have the last word where rounding puts an element beside its bin.
template <class T, class Edge> struct ByWidth {
    uint64_t bins;
    const Edge* edges;
    double scale;
    GPUARRAY_DEVICE int64_t operator()(T element) const {
        const Edge x = Edge(element), low = edges[0], high = edges[bins];
        if (!(x >= low && x <= high)) return -1;
        int64_t bin = int64_t((double(x) - double(low)) * scale);
        bin = bin < int64_t(bins) ? bin : int64_t(bins) - 1;
        while (bin > 0 && x < edges[bin]) --bin;
        while (bin < int64_t(bins) - 1 && x >= edges[bin + 1]) ++bin;
        return bin;
    }
};

// Bins between any edges; the last one has its upper edge.
template <class T, class Edge> struct ByEdges {
    uint64_t bins;
    const Edge* edges;
    GPUARRAY_DEVICE int64_t operator()(T element) const {
        const Edge x = Edge(element);
        if (!(x >= edges[0] && x <= edges[bins])) return -1;
        int64_t low = 0, high = bins;  // edges[low] <= x, and x < edges[high] or high is the last
        while (high - low > 1) {
            const int64_t middle = (low + high) / 2;
            if (x >= edges[middle]) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

// Total is what the result has, and Weight what is added: one for each element if there are no weights. LIMIT: bins
// that shared memory has room for.
template <class T, class Weight, class Total, class Bin, int BLOCK, int UNROLL, int LIMIT>
GPUARRAY_DEVICE void count_bins(const Bin& bin, const typename Stored<T>::type* elements, const Weight* weights,
                                Total* totals, uint64_t size) {
    typedef typename Stored<T>::type Element;
    __shared__ alignas(16) Weight own[LIMIT > 0 ? LIMIT : 1];
    if constexpr (LIMIT > 0) {
        for (uint32_t i = threadIdx.x; i < bin.bins; i += BLOCK) own[i] = 0;
        __syncthreads();
    }
    const uint64_t stride = uint64_t(gridDim.x) * BLOCK;
    for (uint64_t first = uint64_t(blockIdx.x) * BLOCK + threadIdx.x; first < size; first += stride * UNROLL) {
        Element loaded[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const uint64_t at = first + u * stride;
            if (at < size) loaded[u] = elements[at];
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const uint64_t at = first + u * stride;
            if (at < size) {
                const int64_t index = bin(T(loaded[u]));
                if (uint64_t(index) < bin.bins) {
                    const Weight weight = weights ? weights[at] : Weight(1);
                    if constexpr (LIMIT > 0) {
                        atomicAdd(own + index, weight);
                    } else {
                        atomicAdd(totals + index, Total(weight));
                    }
                }
            }
        }
    }
    if constexpr (LIMIT > 0) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < bin.bins; i += BLOCK) {
            if (own[i] != 0) atomicAdd(totals + i, Total(own[i]));
        }
    }
}

}  // namespace gpuarray
