// Counts, or sums of weights, of the points in each bin of a grid.
#pragma once

#include "gpuarray/histogram.cuh"

namespace gpuarray {

// The points' coordinates along one axis, `step` elements apart, and what says in which bin each is.
template <class T, class Bin> struct GridAxis {
    Bin bin;
    const typename Stored<T>::type* points;
    int64_t step;

    // Follows an axis in the index of a bin in C order; -1 for a point that is in no bin.
    GPUARRAY_DEVICE int64_t follow(int64_t index, uint64_t point) const {
        const auto own = bin(T(points[point * step]));
        return index < 0 || own < 0 ? -1 : index * int64_t(bin.bins) + own;
    }
};

// LIMIT: bins that shared memory has room for; without one, all are counted in the result.
template <int BLOCK, int LIMIT, class Weight, class Total, class... Axes>
GPUARRAY_DEVICE void count_grid(const Weight* weights, Total* totals, uint64_t size, uint64_t bins, Axes... axes) {
    __shared__ alignas(16) Weight own[LIMIT > 0 ? LIMIT : 1];
    if constexpr (LIMIT > 0) {
        for (uint32_t i = threadIdx.x; i < bins; i += BLOCK) own[i] = 0;
        __syncthreads();
    }
    (axes.bin.ready(nullptr), ...);
    for (uint64_t i = uint64_t(blockIdx.x) * BLOCK + threadIdx.x; i < size; i += uint64_t(gridDim.x) * BLOCK) {
        int64_t index = 0;
        ((index = axes.follow(index, i)), ...);
        if (index < 0) continue;
        const Weight weight = weights ? weights[i] : Weight(1);
        if constexpr (LIMIT > 0) {
            atomicAdd(own + uint32_t(index), weight);
        } else {
            atomicAdd(totals + index, Total(weight));
        }
    }
    if constexpr (LIMIT > 0) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < bins; i += BLOCK) {
            if (own[i] != 0) atomicAdd(totals + i, Total(own[i]));
        }
    }
}

}  // namespace gpuarray
