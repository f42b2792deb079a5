// Matrices of diagonals or of dense blocks times dense ones. Elements are added in their order.
#pragma once

#include "gpuarray/merged_path.cuh"

namespace gpuarray {

// `parts`: diagonals, or rows of blocks. `size`: blocks. `width`: elements kept of each diagonal, or columns of a block.
struct StructuredDimensions {
    int64_t rows, inner, columns, parts, size, height, width, row_step, column_step;
};

// Diagonal k has at column j the element data[k][j], in row j - offsets[k]. A thread makes one result.
template <class Terms, class Result, class A, class B, class Index>
GPUARRAY_DEVICE void diagonal_products(Result* results, const Index* offsets, const typename Stored<A>::type* data,
                                       const typename Stored<B>::type* dense, const StructuredDimensions& d) {
    const int64_t threads = int64_t(gridDim.x) * blockDim.x, length = d.width < d.inner ? d.width : d.inner;
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < d.rows * d.columns; at += threads) {
        const int64_t row = at / d.columns, column = at - row * d.columns;
        typename Terms::Sum sum = typename Terms::Sum();
        for (int64_t k = 0; k < d.parts; ++k) {
            const int64_t j = row + offsets[k];
            if (within(j, length)) {
                Terms::add(sum, Terms::word(value_of<A>(data[k * d.width + j])),
                           Terms::word(value_of<B>(dense[j * d.row_step + column * d.column_step])));
            }
        }
        results[at] = Terms::result(sum);
    }
}

// LANES lanes share the elements of a row of the matrix and add up their sums.
template <class Terms, class Result, class A, class B, class Index, int LANES>
GPUARRAY_DEVICE void block_products(Result* results, const Index* indptr, const Index* indices,
                                    const typename Stored<A>::type* data, const typename Stored<B>::type* dense,
                                    const StructuredDimensions& d) {
    typedef typename Terms::Sum Sum;
    const int lane = threadIdx.x % LANES;
    const int64_t groups = int64_t(gridDim.x) * blockDim.x / LANES, all = d.rows * d.columns;
    const int64_t group = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    const int64_t blocks = d.inner / d.width;
    for (int64_t first = group - group % (32 / LANES); first < all; first += groups) {
        const int64_t at = first + group % (32 / LANES);
        Sum sum = Sum();
        if (at < all) {
            const int64_t row = at / d.columns, column = at - row * d.columns;
            const int64_t part = row / d.height, line = row - part * d.height;
            const int64_t begin = indptr[part], length = (int64_t(indptr[part + 1]) - begin) * d.width;
            for (int64_t k = lane; k < length; k += LANES) {
                const int64_t block = begin + k / d.width, offset = k % d.width;
                if (!within(block, d.size) || !within(indices[block], blocks)) continue;
                const int64_t j = int64_t(indices[block]) * d.width + offset;
                Terms::add(sum, Terms::word(value_of<A>(data[(block * d.height + line) * d.width + offset])),
                           Terms::word(value_of<B>(dense[j * d.row_step + column * d.column_step])));
            }
        }
#pragma unroll
        for (int distance = 1; distance < LANES; distance *= 2) {
            const Sum other = from_before<LANES>(sum, distance);
            if (lane >= distance) sum = Terms::joined(other, sum);
        }
        if (lane == LANES - 1 && at < all) results[at] = Terms::result(sum);
    }
}

}  // namespace gpuarray
