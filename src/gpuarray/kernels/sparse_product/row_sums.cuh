// A compressed matrix times a vector, and sums of runs of elements.
//
// Each block takes one tile of the merged path (merged_path.cuh): it multiplies the elements of its tile, and then each
// thread adds up those of its ITEMS places. What threads and blocks have begun of a row that ends behind them is carried
// on: inside of a block by a scan over its threads, and from block to block by a second kernel. The shares follow from
// the lengths alone, so that results repeat.
#pragma once

#include "gpuarray/merged_path.cuh"

namespace gpuarray {

struct RowSumsDimensions {
    int64_t rows, columns, size, tiles, step;  // step: between elements of the vector
};

// Data of a matrix whose elements are all one.
struct Ones {};

template <class Terms, class A, class X, class Index> struct Product {
    typedef typename Stored<A>::type Element;
    const Element* data;

    GPUARRAY_DEVICE typename Terms::Word left(int64_t at) const { return Terms::word(value_of<A>(data[at])); }
    GPUARRAY_DEVICE static typename Terms::Sum of(typename Terms::Word a, typename Terms::Word b) {
        typename Terms::Sum sum = typename Terms::Sum();
        Terms::add(sum, a, b);
        return sum;
    }
};

template <class Terms, class X, class Index> struct Product<Terms, Ones, X, Index> {
    typedef uint8_t Element;
    const Element* data;

    GPUARRAY_DEVICE typename Terms::Word left(int64_t) const { return typename Terms::Word(); }
    GPUARRAY_DEVICE static typename Terms::Sum of(typename Terms::Word, typename Terms::Word b) { return b; }
};

// Sums of threads that are at the same row are added up to each thread. Rows do not fall from thread to thread.
template <class Terms, int BLOCK> struct SameRows {
    typedef typename Terms::Sum Sum;
    enum { WARPS = BLOCK / 32 };

    // The sum of each lane becomes that of all lanes up to it that are at the same row.
    GPUARRAY_DEVICE static Sum scan_warp(int64_t row, Sum sum, int lane) {
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const Sum other = from_before<32>(sum, distance);
            const int64_t other_row = from_before<32>(row, distance);
            if (lane >= distance && other_row == row) sum = Terms::joined(other, sum);
        }
        return sum;
    }

    // The same for a block. `before` becomes the sum of the thread before, whichever row that is at. All threads call,
    // and wait for one another before they call again.
    GPUARRAY_DEVICE static Sum scan(int64_t row, Sum sum, Sum& before) {
        __shared__ Shelf<Sum, WARPS> sums;
        __shared__ int64_t rows[WARPS];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        sum = scan_warp(row, sum, lane);
        if (lane == 31) {
            sums[warp] = sum;
            rows[warp] = row;
        }
        __syncthreads();
        before = Sum();
        int64_t before_row = -1;
        for (int w = 0; w < warp; ++w) {
            before = rows[w] == before_row ? Terms::joined(before, sums[w]) : sums[w];
            before_row = rows[w];
        }
        if (row == before_row) sum = Terms::joined(before, sum);
        const Sum neighbour = from_before<32>(sum, 1);
        if (lane > 0) before = neighbour;
        return sum;
    }
};

template <class Terms, class Result, class A, class X, class Index, int BLOCK, int ITEMS> struct RowSums {
    typedef typename Terms::Sum Sum;
    typedef typename Terms::Word Word;
    typedef Product<Terms, A, X, Index> Factor;
    enum { TILE = BLOCK * ITEMS };

    GPUARRAY_DEVICE static void run(Result* results, const Index* indptr, const Index* indices,
                                    const typename Factor::Element* data, const typename Stored<X>::type* vector,
                                    Sum* carries, int64_t* carry_rows, const RowSumsDimensions& d) {
        __shared__ Shelf<Sum, TILE> products;
        __shared__ int ends[TILE];
        const Factor factor = {data};
        for (int64_t number = blockIdx.x; number < d.tiles; number += gridDim.x) {
            const PathTile tile = shared_tile<BLOCK, ITEMS>(indptr + 1, d.rows, d.size, number, ends);
            multiply(products, tile, factor, indices, vector, d);
            __syncthreads();

            const int places = tile.rows + tile.elements;
            const int place = int(threadIdx.x) * ITEMS < places ? threadIdx.x * ITEMS : places;
            int row = tile_rows_before(ends, tile.rows, place), element = place - row;
            const int first_row = row;
            Sum sum = Sum(), first = Sum();
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                if (place + i < places) {
                    if (row < tile.rows && ends[row] <= element) {
                        if (row == first_row) first = sum;
                        else results[tile.row + row] = Terms::result(sum);
                        sum = Sum();
                        ++row;
                    } else {
                        sum = Terms::joined(sum, products[element++]);
                    }
                }
            }

            Sum before;
            sum = SameRows<Terms, BLOCK>::scan(row, sum, before);
            if (row > first_row) results[tile.row + first_row] = Terms::result(Terms::joined(before, first));
            if (threadIdx.x == BLOCK - 1) {
                carries[number] = sum;
                carry_rows[number] = tile.row + row;
            }
            __syncthreads();
        }
    }

    // The products of a tile's elements, to shared memory.
    GPUARRAY_DEVICE static void multiply(Shelf<Sum, TILE>& products, const PathTile& tile, const Factor& factor,
                                         const Index* indices, const typename Stored<X>::type* vector,
                                         const RowSumsDimensions& d) {
        Index columns[ITEMS];
        Word left[ITEMS], right[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int k = i * BLOCK + threadIdx.x;
            columns[i] = k < tile.elements ? indices[tile.element + k] : Index(-1);
            left[i] = k < tile.elements ? factor.left(tile.element + k) : Word();
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const bool present = within(columns[i], d.columns);
            if (!present) left[i] = Word();
            right[i] = present ? Terms::word(value_of<X>(vector[int64_t(columns[i]) * d.step])) : Word();
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) products[i * BLOCK + threadIdx.x] = Factor::of(left[i], right[i]);
    }
};

// Adds what tiles have carried on to the rows that ended behind them. A block takes as many tiles as it has threads; the
// row that ends further on, if it was begun here, it follows there.
template <class Terms, class T, class Result, int BLOCK>
GPUARRAY_DEVICE void join_carries(Result* results, const typename Terms::Sum* carries, const int64_t* carry_rows,
                                  int64_t rows, int64_t tiles) {
    typedef typename Terms::Sum Sum;
    typedef SameRows<Terms, BLOCK> Scan;
    enum { AHEAD = 4 };
    for (int64_t begin = int64_t(blockIdx.x) * BLOCK; begin < tiles; begin += int64_t(gridDim.x) * BLOCK) {
        const int64_t tile = begin + threadIdx.x;
        const int64_t row = tile < tiles ? carry_rows[tile] : rows;
        Sum before, sum = Scan::scan(row, tile < tiles ? carries[tile] : Sum(), before);
        // A row that was begun by an earlier block is that one's.
        const int64_t earlier = begin > 0 ? carry_rows[begin - 1] : -1;
        const int64_t next = tile + 1 < tiles ? carry_rows[tile + 1] : rows;
        bool mine = row < rows && row != earlier && row != next;
        // All threads agree on whether the last row goes on behind the block's tiles.
        const int64_t behind = begin + BLOCK;
        const int64_t last = behind < tiles ? carry_rows[behind - 1] : rows;
        if (last < rows && last != earlier && carry_rows[behind] == last) {
            Sum rest = Sum();
            bool going = true;
            for (int64_t from = behind + threadIdx.x; going; from += AHEAD * BLOCK) {
                Sum read[AHEAD];
                bool same[AHEAD];
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
                    const int64_t at = from + i * BLOCK;
                    same[i] = at < tiles && carry_rows[at] == last;
                    read[i] = same[i] ? carries[at] : Sum();
                }
#pragma unroll
                for (int i = 0; i < AHEAD; ++i) {
                    if (same[i]) rest = Terms::joined(rest, read[i]);
                }
                going = __syncthreads_and(same[AHEAD - 1]);
            }
            rest = Scan::scan(last, rest, before);
            if (threadIdx.x == BLOCK - 1) {
                sum = Terms::joined(sum, rest);
                mine = true;
            }
        }
        if (mine) {
            const Sum own = Terms::word(value_of<T>(results[row]));
            results[row] = Terms::result(Terms::joined(sum, own));
        }
        __syncthreads();
    }
}

}  // namespace gpuarray
