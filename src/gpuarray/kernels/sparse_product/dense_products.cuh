// Sparse matrices times dense ones.
//
// Of a compressed matrix, LANES lanes take a tile of the merged path (merged_path.cuh) and LANES * EACH columns, which
// neighbouring lanes read and store side by side. Elements are added in their order. What a tile has begun of a row that
// ends behind it, it leaves to a second kernel, which adds such sums in the order of the tiles.
#pragma once

#include "gpuarray/merged_path.cuh"

namespace gpuarray {

// `length`: places of a tile. Steps of the dense operand are in elements.
struct DenseDimensions {
    int64_t rows, inner, columns, size, tiles, length, row_step, column_step;
};

template <class Terms, class Result, class A, class B, class Index, int LANES, int EACH>
GPUARRAY_DEVICE void row_products(Result* results, const Index* indptr, const Index* indices,
                                  const typename Stored<A>::type* data, const typename Stored<B>::type* dense,
                                  typename Terms::Sum* carries, int64_t* carry_rows, const DenseDimensions& d) {
    typedef typename Terms::Sum Sum;
    enum { AHEAD = 4 };
    const int lane = threadIdx.x % LANES;
    const int64_t groups = int64_t(gridDim.x) * blockDim.x / LANES, parts = (d.columns + LANES * EACH - 1) / (LANES * EACH);
    const int64_t shares = d.tiles * parts, all = d.rows + d.size;
    const int64_t group = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    const Index* ends = indptr + 1;
    // The lanes of a warp stay together for the searches.
    for (int64_t first = group - group % (32 / LANES); first < shares; first += groups) {
        const int64_t share = first + group % (32 / LANES);
        const int64_t number = share / parts, column = (share - number * parts) * LANES * EACH + lane;
        const int64_t begin = number * d.length;
        const int64_t place = begin < all ? begin : all, next = all - place > d.length ? place + d.length : all;
        int64_t row = rows_before<LANES>(ends, d.rows, d.size, place), element = place - row;
        int64_t next_row = rows_before<LANES>(ends, d.rows, d.size, next), end = next - next_row;
        if (share >= shares) continue;
        Sum sums[EACH];
#pragma unroll
        for (int v = 0; v < EACH; ++v) sums[v] = Sum();
        for (;; ++row) {
            int64_t stop = row < next_row ? int64_t(ends[row]) : end;
            if (stop > end) stop = end;
            while (element < stop) {
                const int64_t count = stop - element;
                bool present[AHEAD];
                int64_t offsets[AHEAD];
                typename Terms::Word left[AHEAD], right[AHEAD][EACH];
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
                    const int64_t index = i < count ? int64_t(indices[element + i]) : -1;
                    present[i] = within(index, d.inner);
                    offsets[i] = index * d.row_step;
                    left[i] = present[i] ? Terms::word(value_of<A>(data[element + i])) : typename Terms::Word();
                }
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
#pragma unroll
                    for (int v = 0; v < EACH; ++v) {
                        const int64_t at = column + v * LANES;
                        right[i][v] = present[i] && at < d.columns
                                          ? Terms::word(value_of<B>(dense[offsets[i] + at * d.column_step]))
                                          : typename Terms::Word();
                    }
                }
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
                    if (present[i]) {
#pragma unroll
                        for (int v = 0; v < EACH; ++v) Terms::add(sums[v], left[i], right[i][v]);
                    }
                }
                element += count < AHEAD ? count : int64_t(AHEAD);
            }
            if (row >= next_row) break;
#pragma unroll
            for (int v = 0; v < EACH; ++v) {
                const int64_t at = column + v * LANES;
                if (at < d.columns) results[row * d.columns + at] = Terms::result(sums[v]);
                sums[v] = Sum();
            }
        }
#pragma unroll
        for (int v = 0; v < EACH; ++v) {
            const int64_t at = column + v * LANES;
            if (at < d.columns) carries[number * d.columns + at] = sums[v];
        }
        if (column == 0) carry_rows[number] = row;
    }
}

// What tiles have carried on of the row that tile `number` is in, from there to tile `end`; the next one is `step` on.
template <class Terms>
GPUARRAY_DEVICE typename Terms::Sum carried(const typename Terms::Sum* carries, const int64_t* carry_rows, int64_t number,
                                            int64_t next, int64_t step, int64_t end, int64_t column, int64_t columns) {
    typedef typename Terms::Sum Sum;
    enum { AHEAD = 8 };
    const int64_t row = carry_rows[number];
    Sum sum = carries[number * columns + column];
    for (bool going = true; going; next += AHEAD * step) {
        Sum read[AHEAD];
        bool same[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            const int64_t at = next + i * step;
            same[i] = at < end && carry_rows[at] == row;
            read[i] = same[i] ? carries[at * columns + column] : Sum();
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            if (same[i]) sum = Terms::joined(sum, read[i]);
        }
        going = same[AHEAD - 1];
    }
    return sum;
}

// Adds up what tiles of one row have carried on, as far as they are among STRIDE tiles, in place of the first one's.
template <class Terms, int STRIDE>
GPUARRAY_DEVICE void gather_carries(typename Terms::Sum* carries, const int64_t* carry_rows, const DenseDimensions& d) {
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < d.tiles * d.columns; at += threads) {
        const int64_t number = at / d.columns, row = carry_rows[number];
        if (row >= d.rows || (number % STRIDE > 0 && carry_rows[number - 1] == row)) continue;
        int64_t end = (number / STRIDE + 1) * STRIDE;
        if (end > d.tiles) end = d.tiles;
        carries[at] =
            carried<Terms>(carries, carry_rows, number, number + 1, 1, end, at - number * d.columns, d.columns);
    }
}

// Adds what tiles have carried on to the results: a thread takes a column of a row. With a STRIDE above 1
// `gather_carries` ran before.
template <class Terms, class T, class Result, int STRIDE>
GPUARRAY_DEVICE void join_row_products(Result* results, const typename Terms::Sum* carries, const int64_t* carry_rows,
                                       const DenseDimensions& d) {
    typedef typename Terms::Sum Sum;
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    for (int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < d.tiles * d.columns; at += threads) {
        const int64_t number = at / d.columns, column = at - number * d.columns, row = carry_rows[number];
        if (row >= d.rows || (number > 0 && carry_rows[number - 1] == row)) continue;
        const int64_t next = (number / STRIDE + 1) * STRIDE;
        const Sum sum = carried<Terms>(carries, carry_rows, number, next, STRIDE, d.tiles, column, d.columns);
        const Sum own = Terms::word(value_of<T>(results[row * d.columns + column]));
        results[row * d.columns + column] = Terms::result(Terms::joined(sum, own));
    }
}

}  // namespace gpuarray
