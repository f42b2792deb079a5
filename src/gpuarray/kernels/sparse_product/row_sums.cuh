// A compressed matrix times a vector, and sums of runs of elements.
//
// Each block takes a part of the merged path (merged_path.cuh), and goes through the elements of it in chunks. A thread
// has ITEMS neighbouring elements of a chunk: it reads them while the chunk before is added up, so that loads are always
// under way. Where a row ends is marked at its last element; a thread adds up its elements from mark to mark. What threads
// have begun of a row that ends behind them is carried on by a scan over the block's threads, from chunk to chunk, and
// from block to block by the last block to finish. The shares follow from the lengths alone, so that results repeat.
#pragma once

#include "gpuarray/elementwise.cuh"
#include "gpuarray/merged_path.cuh"
#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

// `share`: places of a block.
struct RowSumsDimensions {
    int64_t rows, columns, size, share;
};

// Data of a matrix whose elements are all one.
struct Ones {};

template <class Terms, class A, class X, class Index> struct Product {
    typedef typename Stored<A>::type Element;
    enum { HAS_DATA = 1 };

    GPUARRAY_DEVICE static typename Terms::Word left(Element x) { return Terms::word(value_of<A>(x)); }
    GPUARRAY_DEVICE static void add(typename Terms::Sum& sum, typename Terms::Word a, typename Terms::Word b) {
        Terms::add(sum, a, b);
    }
};

template <class Terms, class X, class Index> struct Product<Terms, Ones, X, Index> {
    typedef uint8_t Element;
    enum { HAS_DATA = 0 };

    GPUARRAY_DEVICE static typename Terms::Word left(Element) { return typename Terms::Word(); }
    GPUARRAY_DEVICE static void add(typename Terms::Sum& sum, typename Terms::Word, typename Terms::Word b) {
        sum = Terms::joined(sum, b);
    }
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

template <class Terms> struct SumOf {
    typedef typename Terms::Sum Value;
    GPUARRAY_DEVICE static Value neutral() { return Value(); }
    GPUARRAY_DEVICE static Value combine(Value a, Value b) { return Terms::joined(a, b); }
};

// No dot product, and one: the other vector, which is conjugated, what blocks have of the product, and where it goes.
struct NoDot {
    enum { WANTED = 0 };
};
template <class Terms, class Result> struct DotWith {
    enum { WANTED = 1 };
    const Result* other;
    typename Terms::Sum* parts;
    Result* product;
};

// Terms: of the dot product, where there is one.
template <class Terms, class Result, bool WANTED> struct DotSum {
    GPUARRAY_DEVICE void add(Result, Result) {}
};
template <class Terms, class Result> struct DotSum<Terms, Result, true> {
    typename Terms::Sum sum;

    GPUARRAY_DEVICE DotSum() : sum() {}
    GPUARRAY_DEVICE void add(Result other, Result value) { Terms::add(sum, Terms::word(other), Terms::word(value)); }
};

// T: the dtype of the results.
template <class Terms, class T, class Result, class A, class X, class Index, int BLOCK, int ITEMS,
          class DotTerms = Terms>
struct RowSums {
    typedef typename Terms::Sum Sum;
    typedef typename Terms::Word Word;
    typedef Product<Terms, A, X, Index> Factor;
    typedef typename Factor::Element Left;
    typedef typename Stored<X>::type Right;
    // WINDOWS: how many times BLOCK rows are read before it is known how many end in a chunk.
    enum { CHUNK = BLOCK * ITEMS, WARPS = BLOCK / 32, WINDOWS = 2 };

    GPUARRAY_DEVICE static void run(Result* results, const Index* indptr, const Index* indices, const Left* data,
                                    const Right* vector, Sum* carries, int64_t* carry_rows, uint32_t* counters,
                                    const RowSumsDimensions& d) {
        multiply(results, indptr, indices, data, vector, carries, carry_rows, counters, d, NoDot());
    }

    GPUARRAY_DEVICE static void run_with_dot(Result* results, Result* product, const Index* indptr, const Index* indices,
                                             const Left* data, const Right* vector, const Result* other, Sum* carries,
                                             int64_t* carry_rows, Sum* parts, uint32_t* counters,
                                             const RowSumsDimensions& d) {
        const DotWith<Terms, Result> dot = {other, parts, product};
        multiply(results, indptr, indices, data, vector, carries, carry_rows, counters, d, dot);
    }

    template <class Dot>
    GPUARRAY_DEVICE static void multiply(Result* results, const Index* indptr, const Index* indices, const Left* data,
                                         const Right* vector, Sum* carries, int64_t* carry_rows, uint32_t* counters,
                                         const RowSumsDimensions& d, const Dot& dot) {
        __shared__ alignas(16) int marks[CHUNK];
        // The other vector's element of a row, at the row's last element.
        __shared__ Shelf<Result, Dot::WANTED ? CHUNK : 1> others;
        __shared__ Shelf<Sum, 2 * WARPS> totals;
        __shared__ bool ended[2 * WARPS];
        __shared__ int64_t found[2];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = threadIdx.x * ITEMS;
        const int64_t place = blockIdx.x * d.share, all = d.rows + d.size;
        const int64_t next = all - place > d.share ? place + d.share : all;
        if (warp < 2) {
            const int64_t found_row = rows_before<32>(indptr + 1, d.rows, d.size, warp ? next : place);
            if (lane == 0) found[warp] = found_row;
        }
        alignas(16) const int none[ITEMS] = {};
        Vector<int, ITEMS>::copy(marks + own, none);
        __syncthreads();
        int64_t row = found[0];
        const int64_t end_row = found[1], first = place - row, stop = next - end_row;

        // Chunks begin where arrays from the pool are aligned, up to ITEMS - 1 elements before the block's first one. Of
        // arrays that begin elsewhere elements are read one by one, so that sums do not depend on addresses.
        int64_t begin = first - first % ITEMS;
        const bool aligned = Vector<Index, ITEMS>::aligned(indices + begin) &&
                             (!Factor::HAS_DATA || Vector<Left, ITEMS>::aligned(data + begin));
        Index columns[ITEMS];
        Left left[ITEMS];
        read(columns, left, indices, data, begin + own, first, stop, aligned);
        Index row_begin[WINDOWS] = {}, row_end[WINDOWS] = {};
        Result row_other[WINDOWS] = {};
        read_rows(row_begin, row_end, row_other, indptr, row, end_row, dot);
        DotSum<DotTerms, Result, Dot::WANTED> total_dot;
        Sum carry = Sum();
        int half = 0;  // of what warps tell one another
        do {
            Word factors[ITEMS];
            Right right[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const bool present = within(columns[i], d.columns);
                factors[i] = present ? Factor::left(left[i]) : Word();
                right[i] = present ? vector[columns[i]] : Right();
            }
            const int64_t behind = begin + CHUNK, end = behind < stop ? behind : stop;
            if (behind < stop) read(columns, left, indices, data, behind + own, first, stop, aligned);

            // Marks of the rows that end in the chunk.
            const int64_t chunk_row = row, least = begin > first ? begin : first;
            for (int ending = BLOCK; ending == BLOCK;) {
#pragma unroll
                for (int w = 0; w < WINDOWS; ++w) {
                    if (ending < BLOCK) break;
                    const int64_t at = row + threadIdx.x;
                    const bool ends = at < end_row && int64_t(row_end[w]) <= end;
                    if (ends) {
                        // A row without elements here is zero; what blocks before have of it is added later.
                        if (row_end[w] > row_begin[w] && int64_t(row_end[w]) > least) {
                            marks[row_end[w] - 1 - begin] = int(at - chunk_row) + 1;
                            if constexpr (Dot::WANTED) others[row_end[w] - 1 - begin] = row_other[w];
                        } else {
                            results[at] = Terms::result(Sum());
                        }
                    }
                    ending = __syncthreads_count(ends);
                    row += ending;
                }
                read_rows(row_begin, row_end, row_other, indptr, row, end_row, dot);
            }

            alignas(16) int mark[ITEMS];
            Vector<int, ITEMS>::copy(mark, marks + own);
            Vector<int, ITEMS>::copy(marks + own, none);
            Sum sum = Sum(), first_sum = Sum();
            Result first_other = Result();
            int first_mark = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                Factor::add(sum, factors[i], Terms::word(value_of<X>(right[i])));
                if (mark[i]) {
                    Result other = Result();
                    if constexpr (Dot::WANTED) other = others[own + i];
                    if (first_mark) {
                        const Result result = Terms::result(sum);
                        results[chunk_row + mark[i] - 1] = result;
                        total_dot.add(other, result);
                    } else {
                        first_sum = sum;
                        first_mark = mark[i];
                        first_other = other;
                    }
                    sum = Sum();
                }
            }

            // What the threads before have begun: of this warp since the last mark, and of the warps before.
            const uint32_t marked = __ballot_sync(0xffffffffu, first_mark), before_lane = (1u << lane) - 1;
            const uint32_t upto = marked & (before_lane << 1 | 1);
            const int start = upto ? 31 - __clz(upto) : 0;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const Sum other = from_before<32>(sum, distance);
                if (lane - distance >= start) sum = Terms::joined(other, sum);
            }
            Sum before = from_before<32>(sum, 1);
            if (lane == 31) {
                totals[half + warp] = sum;
                ended[half + warp] = marked != 0;
            }
            __syncthreads();
            Sum warps_before = carry;
#pragma unroll
            for (int w = 0; w < WARPS; ++w) {
                if (w == warp) {
                    if (lane == 0) before = warps_before;
                    else if (!(marked & before_lane)) before = Terms::joined(warps_before, before);
                }
                const Sum total = totals[half + w];
                warps_before = ended[half + w] ? total : Terms::joined(warps_before, total);
            }
            carry = warps_before;
            half = WARPS - half;
            if (first_mark) {
                const Result result = Terms::result(Terms::joined(before, first_sum));
                results[chunk_row + first_mark - 1] = result;
                total_dot.add(first_other, result);
            }
            begin = behind;
        } while (begin < stop);

        if (threadIdx.x == 0) {
            carries[blockIdx.x] = carry;
            carry_rows[blockIdx.x] = row;
        }
        if constexpr (Dot::WANTED) {
            if (threadIdx.x == 0 && row < d.rows) total_dot.add(dot.other[row], Terms::result(carry));
            const Sum part = combine_threads<SumOf<Terms>, BLOCK, BLOCK>(total_dot.sum);
            if (threadIdx.x == 0) dot.parts[blockIdx.x] = part;
        }
        if ((gridDim.x == 1 && !Dot::WANTED) || !is_last_block(counters, gridDim.x)) return;
        join_carries<Terms, T, Result, BLOCK>(results, carries, carry_rows, d.rows, gridDim.x);
        if constexpr (Dot::WANTED) {
            Sum sum = Sum();
            for (uint32_t i = threadIdx.x; i < gridDim.x; i += BLOCK) sum = Terms::joined(sum, dot.parts[i]);
            sum = combine_threads<SumOf<Terms>, BLOCK, BLOCK>(sum);
            if (threadIdx.x == 0) *dot.product = Terms::result(sum);
        }
    }

    // A thread's elements of a chunk, as far as they are the block's: one access each of indices and data, if possible.
    GPUARRAY_DEVICE static void read(Index (&columns)[ITEMS], Left (&left)[ITEMS], const Index* indices, const Left* data,
                                     int64_t at, int64_t first, int64_t stop, bool aligned) {
        if (at >= first && at + ITEMS <= stop && aligned) {
            alignas(16) Index read_columns[ITEMS];
            Vector<Index, ITEMS>::copy(read_columns, indices + at);
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) columns[i] = read_columns[i];
            if constexpr (Factor::HAS_DATA) {
                alignas(16) Left read_left[ITEMS];
                Vector<Left, ITEMS>::copy(read_left, data + at);
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) left[i] = read_left[i];
            }
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const bool there = at + i >= first && at + i < stop;
                columns[i] = there ? indices[at + i] : Index(-1);
                if constexpr (Factor::HAS_DATA) left[i] = there ? data[at + i] : Left();
            }
        }
    }

    // Where the next rows of a thread begin and end.
    template <class Dot>
    GPUARRAY_DEVICE static void read_rows(Index (&begins)[WINDOWS], Index (&ends)[WINDOWS], Result (&others)[WINDOWS],
                                          const Index* indptr, int64_t first, int64_t end_row, const Dot& dot) {
#pragma unroll
        for (int w = 0; w < WINDOWS; ++w) {
            const int64_t row = first + w * BLOCK + threadIdx.x;
            if (row < end_row) {
                begins[w] = indptr[row];
                ends[w] = indptr[row + 1];
                if constexpr (Dot::WANTED) others[w] = dot.other[row];
            }
        }
    }
};

}  // namespace gpuarray
