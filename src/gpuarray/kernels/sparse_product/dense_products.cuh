// Sparse matrices times dense ones.
//
// Of a compressed matrix, a block takes a part of the merged path (merged_path.cuh), and each LANES lanes of it a tile of
// that, with LANES * EACH columns that the lanes read and store side by side. Elements are added in their order. What a
// tile has begun of a row that ends behind it is added in the order of the tiles: by the block, if the row ends in it, else
// by a second kernel.
#pragma once

#include "gpuarray/elementwise.cuh"
#include "gpuarray/merged_path.cuh"

namespace gpuarray {

// `tiles`: of blocks. `length`: places of a group of lanes. Steps of the dense operand are in elements.
struct DenseDimensions {
    int64_t rows, inner, columns, size, tiles, length, row_step, column_step;
};

// A lane's columns of a matrix. TOGETHER: they are neighbours, and one access has all of them where addresses allow it;
// else neighbouring lanes have neighbouring columns.
template <class T, int LANES, int EACH, bool TOGETHER> struct LaneColumns {
    int64_t first, count;

    GPUARRAY_DEVICE int64_t column(int v) const { return first + v * (TOGETHER ? 1 : LANES); }
    GPUARRAY_DEVICE bool whole(const T* row) const {
        return TOGETHER && first + EACH <= count && Vector<T, EACH>::aligned(row + first);
    }
    GPUARRAY_DEVICE void load(T (&values)[EACH], const T* row, int64_t step) const {
        if (whole(row)) {
            alignas(16) T words[EACH];
            Vector<T, EACH>::copy(words, row + first);
#pragma unroll
            for (int v = 0; v < EACH; ++v) values[v] = words[v];
        } else {
#pragma unroll
            for (int v = 0; v < EACH; ++v) values[v] = column(v) < count ? row[column(v) * step] : T();
        }
    }
    GPUARRAY_DEVICE void store(T* row, const T (&values)[EACH]) const {
        if (whole(row)) {
            alignas(16) T words[EACH];
#pragma unroll
            for (int v = 0; v < EACH; ++v) words[v] = values[v];
            Vector<T, EACH>::copy(row + first, words);
        } else {
#pragma unroll
            for (int v = 0; v < EACH; ++v) {
                if (column(v) < count) row[column(v)] = values[v];
            }
        }
    }
};

// T: the dtype of the results.
template <class Terms, class T, class Result, class A, class B, class Index, int LANES, int EACH, bool TOGETHER, int BLOCK,
          int ITEMS>
struct RowProducts {
    typedef typename Terms::Sum Sum;
    typedef typename Terms::Word Word;
    typedef typename Stored<A>::type Left;
    typedef typename Stored<B>::type Right;
    enum { AHEAD = LANES == 32 && sizeof(Sum) <= 4 ? 3 : 2, GROUPS = BLOCK / LANES };

    GPUARRAY_DEVICE static void run(Result* results, const Index* indptr, const Index* indices, const Left* data,
                                    const Right* dense, Sum* carries, int64_t* carry_rows, const DenseDimensions& d) {
        __shared__ int ends[BLOCK * ITEMS], last_rows[GROUPS];
        __shared__ Shelf<Sum, BLOCK * EACH> begun;  // of the last rows
        const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, length = int(d.length);
        const int64_t parts = (d.columns + LANES * EACH - 1) / (LANES * EACH), shares = d.tiles * parts;
        for (int64_t share = blockIdx.x; share < shares; share += gridDim.x) {
            const int64_t number = share / parts, part = share - number * parts;
            const int64_t first = (part * LANES + lane) * (TOGETHER ? EACH : 1) + (TOGETHER ? 0 : part * LANES * (EACH - 1));
            const PathTile tile = shared_tile<BLOCK, ITEMS>(indptr + 1, d.rows, d.size, number, ends, GROUPS * length);
            __syncthreads();
            const int places = tile.rows + tile.elements;
            const int place = group * length < places ? group * length : places;
            const int next = places - place > length ? place + length : places;
            int row = tile_rows_before(ends, tile.rows, place);
            const int next_row = tile_rows_before(ends, tile.rows, next);
            Sum sums[EACH];
#pragma unroll
            for (int v = 0; v < EACH; ++v) sums[v] = Sum();
            Result* result = results + (tile.row + row) * d.columns;
            const LaneColumns<Result, LANES, EACH, TOGETHER> target = {first, d.columns};
            const LaneColumns<Right, LANES, EACH, TOGETHER> source = {first, d.columns};

            const int end = next - next_row;
            int element = place - row;
            Index columns[AHEAD];
            Left left[AHEAD];
            read(columns, left, indices + tile.element, data + tile.element, element, end);
            while (element < end) {
                bool present[AHEAD];
                Word factors[AHEAD];
                Right right[AHEAD][EACH];
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
                    present[i] = element + i < end && within(columns[i], d.inner);
                    factors[i] = present[i] ? Terms::word(value_of<A>(left[i])) : Word();
                    if (present[i]) source.load(right[i], dense + int64_t(columns[i]) * d.row_step, d.column_step);
                }
                // The next elements are on their way while the dense ones are waited for.
                read(columns, left, indices + tile.element, data + tile.element, element + AHEAD, end);
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
                    while (row < next_row && ends[row] <= element + i && element + i < end) {
                        finish(result, target, sums, d);
                        ++row;
                    }
                    if (present[i]) {
#pragma unroll
                        for (int v = 0; v < EACH; ++v) {
                            Terms::add(sums[v], factors[i], Terms::word(value_of<B>(right[i][v])));
                        }
                    }
                }
                element += AHEAD;
            }
            for (; row < next_row; ++row) finish(result, target, sums, d);

            // The first group at a row that goes on adds up what the groups have of it.
#pragma unroll
            for (int v = 0; v < EACH; ++v) begun[(group * EACH + v) * LANES + lane] = sums[v];
            if (lane == 0) last_rows[group] = row;
            __syncthreads();
            if (group == 0 || last_rows[group - 1] != row) {
                int other = group + 1;
#pragma unroll 4
                for (; other < GROUPS && last_rows[other] == row; ++other) {
#pragma unroll
                    for (int v = 0; v < EACH; ++v) {
                        sums[v] = Terms::joined(sums[v], begun[(other * EACH + v) * LANES + lane]);
                    }
                }
                if (other == GROUPS) {
                    LaneColumns<Sum, LANES, EACH, TOGETHER>{first, d.columns}.store(carries + number * d.columns, sums);
                    if (part == 0 && lane == 0) carry_rows[number] = tile.row + row;
                } else if (tile.row + row < d.rows) {
                    Result* const begun_row = results + (tile.row + row) * d.columns;
                    Result values[EACH];
                    target.load(values, begun_row, 1);
#pragma unroll
                    for (int v = 0; v < EACH; ++v) {
                        values[v] = Terms::result(Terms::joined(sums[v], Terms::word(value_of<T>(values[v]))));
                    }
                    target.store(begun_row, values);
                }
            }
            __syncthreads();
        }
    }

    GPUARRAY_DEVICE static void read(Index (&columns)[AHEAD], Left (&left)[AHEAD], const Index* indices,
                                     const Left* data, int element, int end) {
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            columns[i] = element + i < end ? indices[element + i] : Index(-1);
            left[i] = element + i < end ? data[element + i] : Left();
        }
    }

    // Stores a row, and begins the next one.
    GPUARRAY_DEVICE static void finish(Result*& result, const LaneColumns<Result, LANES, EACH, TOGETHER>& target,
                                       Sum (&sums)[EACH], const DenseDimensions& d) {
        Result values[EACH];
#pragma unroll
        for (int v = 0; v < EACH; ++v) {
            values[v] = Terms::result(sums[v]);
            sums[v] = Sum();
        }
        target.store(result, values);
        result += d.columns;
    }
};

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
