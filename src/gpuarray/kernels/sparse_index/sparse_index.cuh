// The family of elements of compressed matrices at index arrays.
#pragma once

#include "gpuarray/bisection.cuh"
#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// Segments of lengths of their own, one behind the other: number k of all their elements is element number
// k - begins[s] of segment s, and its place is that far behind the segment's. begins has one element more than there are
// segments: how many elements there are.
template <class Index, int BLOCK>
GPUARRAY_DEVICE void spread(const Index* places, const Index* begins, Index* segments, Index* result, Index count,
                            int64_t total) {
    __shared__ Index bounds[2];
    const int64_t first = int64_t(blockIdx.x) * BLOCK;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp < 2) {
        const int64_t number = warp == 0 || first + BLOCK > total ? (warp == 0 ? first : total - 1) : first + BLOCK - 1;
        const Index found = last_of_warp<Index>(
            0, count, [&](Index s) { return begins[s] <= number; }, lane);
        if (lane == 0) bounds[warp] = found;
    }
    __syncthreads();
    const int64_t number = first + threadIdx.x;
    if (number >= total) return;
    const Index segment = last_of<Index>(bounds[0], bounds[1] + 1, [&](Index s) { return begins[s] <= number; });
    segments[number] = segment;
    result[number] = places[segment] + Index(number - begins[segment]);
}

// Where the elements at pairs of row and column are in a canonical matrix; -1 where there is none.
template <class Index>
GPUARRAY_DEVICE void find_elements(const Index* indptr, const Index* indices, const Index* rows, const Index* columns,
                                   Index* result, int64_t count) {
    const int64_t number = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (number >= count) return;
    const Index row = rows[number], column = columns[number];
    const Index start = indptr[row], end = indptr[row + 1];
    Index found = -1;
    if (start < end) {
        // The first element counts as not behind, though it may be.
        const Index at = last_of<Index>(start, end, [&](Index i) { return indices[i] <= column; });
        if (indices[at] == column) found = at;
    }
    result[number] = found;
}

}  // namespace gpuarray
