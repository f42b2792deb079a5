// Sums of rows that go on from block to block: what blocks have carried on is added to the rows in the blocks' order.
#pragma once

#include "gpuarray/product_terms.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

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

// Adds what blocks have carried on, here tiles, to the rows that ended behind them. One block does it, for as many tiles at
// a time as it has threads; the row that ends further on, if it was begun here, it follows there.
template <class Terms, class T, class Result, int BLOCK>
GPUARRAY_DEVICE void join_carries(Result* results, const typename Terms::Sum* carries, const int64_t* carry_rows,
                                  int64_t rows, int64_t tiles) {
    typedef typename Terms::Sum Sum;
    typedef SameRows<Terms, BLOCK> Scan;
    enum { AHEAD = 4 };
    for (int64_t begin = 0; begin < tiles; begin += BLOCK) {
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
