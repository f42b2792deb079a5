// A compressed matrix times a vector, and sums of runs of elements.
//
// Each block takes a part of the merged path (merged_path.cuh), and goes through the elements of it in chunks. Products of a
// chunk are written to shared memory, and while rows are added up there the next chunk's elements are on their way, and
// those of the vector that they are multiplied by. A thread adds up a row, in the order of its elements; rows that are long
// have several threads each. Where no row ends in a chunk, threads keep what they have of it until one does. What goes on
// from chunk to chunk is left in shared memory, and what goes on from block to block the last block to finish adds
// (row_carries.cuh). The shares follow from the lengths alone, so that results repeat.
#pragma once

#include "gpuarray/elementwise.cuh"
#include "gpuarray/merged_path.cuh"
#include "gpuarray/reduction_combine.cuh"
#include "gpuarray/row_carries.cuh"

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

// COUNT neighbouring elements, which are read this once: they leave caches to the vector's.
template <class T, int COUNT> GPUARRAY_DEVICE void read_once(T (&target)[COUNT], const T* source) {
    typedef typename Vector<T, COUNT>::Access Access;
    static_assert(sizeof(Access) == sizeof(target), "one access");
    alignas(16) T words[COUNT];
    if constexpr (sizeof(Access) >= 4) {
        *reinterpret_cast<Access*>(words) = __ldcs(reinterpret_cast<const Access*>(source));
    } else {
        *reinterpret_cast<Access*>(words) = *reinterpret_cast<const Access*>(source);
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i) target[i] = words[i];
}

// T: the dtype of the results.
template <class Terms, class T, class Result, class A, class X, class Index, int BLOCK, int ITEMS, int WINDOWS,
          class DotTerms = Terms>
struct RowSums {
    typedef typename Terms::Sum Sum;
    typedef typename Terms::Word Word;
    typedef Product<Terms, A, X, Index> Factor;
    typedef typename Factor::Element Left;
    typedef typename Stored<X>::type Right;
    // EACH: a thread's neighbouring elements, so many that an access has them of indices or data. LONG: rows with more
    // elements in a chunk are added up by several threads.
    enum {
        WIDE = sizeof(Left) > sizeof(Index) ? sizeof(Left) : sizeof(Index),
        EACH = 16 / WIDE < ITEMS ? 16 / WIDE : ITEMS,
        PARTS = ITEMS / EACH,
        CHUNK = BLOCK * ITEMS,
        WARPS = BLOCK / 32,
        LONG = 32,
    };

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

    // A thread's elements of a chunk, and those of the vector at their places. Places count from the block's base.
    struct Elements {
        enum : uint32_t { ALL = ITEMS < 32 ? (1u << ITEMS) - 1 : 0xffffffffu };
        Index columns[PARTS][EACH];
        Left left[PARTS][EACH];
        Right right[PARTS][EACH];
        uint32_t present;

        template <class V>
        GPUARRAY_DEVICE static void read(V (&target)[PARTS][EACH], const V* source, int begin, int first, int stop,
                                         bool aligned, V absent) {
            if (aligned && begin >= first && begin + CHUNK <= stop) {
#pragma unroll
                for (int p = 0; p < PARTS; ++p) read_once(target[p], source + (begin + (p * BLOCK + int(threadIdx.x)) * EACH));
            } else {
#pragma unroll
                for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) {
                        const int at = begin + (p * BLOCK + int(threadIdx.x)) * EACH + i;
                        target[p][i] = at >= first && at < stop ? source[at] : absent;
                    }
                }
            }
        }
        GPUARRAY_DEVICE void gather(const Right* vector, int64_t length) {
            bool all = true;
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                for (int i = 0; i < EACH; ++i) all = within(columns[p][i], length) && all;
            }
            present = ALL;
            if (all) {
#pragma unroll
                for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) right[p][i] = vector[columns[p][i]];
                }
            } else {
#pragma unroll
                for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) {
                        const bool there = within(columns[p][i], length);
                        right[p][i] = there ? vector[columns[p][i]] : Right();
                        if (!there) present &= ~(1u << (p * EACH + i));
                    }
                }
            }
        }
        GPUARRAY_DEVICE void multiply(Sum (&made)[PARTS][EACH]) const {
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                for (int i = 0; i < EACH; ++i) {
                    made[p][i] = Sum();
                    Factor::add(made[p][i], Factor::left(left[p][i]), Terms::word(value_of<X>(right[p][i])));
                }
            }
            if (present != ALL) {
#pragma unroll
                for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) {
                        if (!(present >> (p * EACH + i) & 1)) made[p][i] = Sum();
                    }
                }
            }
        }
    };

    template <class Dot>
    GPUARRAY_DEVICE static void multiply(Result* results, const Index* indptr, const Index* indices, const Left* data,
                                         const Right* vector, Sum* carries, int64_t* carry_rows, uint32_t* counters,
                                         const RowSumsDimensions& d, const Dot& dot) {
        // What is written of a chunk while the one before may still be read is there twice, or three times.
        __shared__ Shelf<Sum, 2 * CHUNK> products;
        __shared__ Shelf<Sum, 2> begun;  // of the row that goes on
        __shared__ Shelf<Sum, BLOCK> long_sums;
        __shared__ int long_begins[BLOCK], long_ends[BLOCK], long_owners[BLOCK], long_counts[3];
        __shared__ int64_t found[2];
        const int thread = int(threadIdx.x);
        const int64_t place = blockIdx.x * d.share, all = d.rows + d.size;
        const int64_t next = all - place > d.share ? place + d.share : all;
        if (thread < 64) {
            const int64_t found_row = rows_before<32>(indptr + 1, d.rows, d.size, thread < 32 ? place : next);
            if (thread % 32 == 0) found[thread / 32] = found_row;
        }
        if (thread < 3) long_counts[thread] = 0;
        if (thread == 0) begun[0] = Sum();
        __syncthreads();

        // From here on rows and elements are counted from the block's first row, and from where its chunks begin: where
        // arrays from the pool are aligned, before its first element. Of arrays that begin elsewhere elements are read
        // one by one, so that sums do not depend on addresses.
        const int64_t block_row = found[0];
        const int end_row = int(found[1] - block_row);
        const int64_t first_element = place - block_row, base = first_element / 32 * 32;
        const int first = int(first_element - base), stop = int(next - found[1] - base);
        indices += base;
        if constexpr (Factor::HAS_DATA) data += base;
        indptr += block_row;
        results += block_row;
        const bool aligned = Vector<Index, EACH>::aligned(indices) && (!Factor::HAS_DATA || Vector<Left, EACH>::aligned(data));

        Elements own;
        Elements::read(own.columns, indices, 0, first, stop, aligned, Index(-1));
        int row = 0;  // the first one that has not ended
        int row_begin[WINDOWS] = {}, row_end[WINDOWS] = {};
        Result row_other[WINDOWS] = {};
        read_rows(row_begin, row_end, row_other, indptr, base, row, end_row, first, stop, block_row, dot);
        DotSum<DotTerms, Result, Dot::WANTED> total_dot;
        Sum through = Sum();  // a thread's elements of chunks in which no row ends
        bool is_through = false;
        int through_stop = -1;
        int half = 0, turn = 0;
        for (int begin = -CHUNK;; begin += CHUNK) {
            const int behind = begin + CHUNK, end = behind < stop ? behind : stop;
            Sum* const chunk = &products[half * CHUNK];
            const bool goes_through = end <= through_stop;
            if (begin >= 0) {
                alignas(16) Sum made[PARTS][EACH];
                own.multiply(made);
#pragma unroll
                for (int p = 0; p < PARTS; ++p) {
                    if (goes_through) {
#pragma unroll
                        for (int i = 0; i < EACH; ++i) through = Terms::joined(through, made[p][i]);
                    } else {
                        Vector<Sum, EACH>::copy(chunk + (p * BLOCK + thread) * EACH, made[p]);
                    }
                }
            }
            // The next chunk's elements are on their way while rows are added up.
            if (behind < stop || begin < 0) {
                own.gather(vector, d.columns);
                if constexpr (Factor::HAS_DATA) Elements::read(own.left, data, behind, first, stop, aligned, Left());
                if (behind + CHUNK < stop) {
                    Elements::read(own.columns, indices, behind + CHUNK, first, stop, aligned, Index(-1));
                }
            }
            if (begin < 0) continue;
            if (!goes_through) {
                const int least = begin > first ? begin : first;
                bool is_first = true;
                for (int ending = BLOCK; ending == BLOCK;) {
#pragma unroll
                    for (int w = 0; w < WINDOWS; ++w) {
                        if (ending < BLOCK) break;
                        // The row's elements in the chunk. The first row that does not end in it is begun.
                        const int at = row + thread;
                        const bool ends = at < end_row && row_end[w] <= end;
                        const int from = at > end_row ? end : row_begin[w] > least ? row_begin[w] : least;
                        const int to = ends ? row_end[w] : end;
                        const bool is_long = to - from > LONG;
                        if (thread == 0) long_counts[turn < 2 ? turn + 1 : 0] = 0;
                        if (is_long) {
                            const int k = atomicAdd(&long_counts[turn], 1);
                            long_begins[k] = from - begin;
                            long_ends[k] = to - begin;
                            long_owners[k] = thread;
                        }
                        ending = __syncthreads_count(ends);
                        if (is_first && ending == 0) {
#pragma unroll
                            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                                for (int i = 0; i < EACH; ++i) {
                                    through = Terms::joined(through, chunk[(p * BLOCK + thread) * EACH + i]);
                                }
                            }
                            is_through = true;
                            through_stop = row < end_row ? relative(indptr[row + 1], base, first, stop) - 1 : stop;
                            if (thread == 0) begun[1 - half] = begun[half];
                        } else {
                            Sum sum = Sum();
                            if (is_first) {
                                if (is_through) {
                                    sum = combine_threads<SumOf<Terms>, BLOCK, BLOCK>(through);
                                    through = Sum();
                                    is_through = false;
                                }
                                sum = thread == 0 ? Terms::joined(begun[half], sum) : Sum();
                            }
                            const int count = long_counts[turn];
                            if (count > 0) {
                                add_long_rows(long_sums, chunk, long_begins, long_ends, long_owners, count);
                                __syncthreads();
                            }
                            if (ends || thread == ending) {
                                if (is_long) {
                                    sum = Terms::joined(sum, long_sums[thread]);
                                } else {
#pragma unroll 4
                                    for (int k = from - begin; k < to - begin; ++k) sum = Terms::joined(sum, chunk[k]);
                                }
                                if (ends) {
                                    const Result result = Terms::result(sum);
                                    results[at] = result;
                                    total_dot.add(row_other[w], result);
                                } else {
                                    begun[1 - half] = sum;
                                }
                            }
                        }
                        row += ending;
                        is_first = false;
                        turn = turn < 2 ? turn + 1 : 0;
                    }
                    read_rows(row_begin, row_end, row_other, indptr, base, row, end_row, first, stop, block_row, dot);
                }
                half = 1 - half;
            }
            if (behind >= stop) break;
        }

        // What goes on behind the block.
        __syncthreads();
        if (is_through) through = combine_threads<SumOf<Terms>, BLOCK, BLOCK>(through);
        if (thread == 0) {
            const Sum carry = Terms::joined(begun[half], through);
            carries[blockIdx.x] = carry;
            carry_rows[blockIdx.x] = block_row + row;
            if constexpr (Dot::WANTED) {
                if (block_row + row < d.rows) total_dot.add(dot.other[block_row + row], Terms::result(carry));
            }
        }
        if constexpr (Dot::WANTED) {
            __syncthreads();
            const Sum part = combine_threads<SumOf<Terms>, BLOCK, BLOCK>(total_dot.sum);
            if (thread == 0) dot.parts[blockIdx.x] = part;
        }
        if ((gridDim.x == 1 && !Dot::WANTED) || !is_last_block(counters, gridDim.x)) return;
        join_carries<Terms, T, Result, BLOCK>(results - block_row, carries, carry_rows, d.rows, gridDim.x);
        if constexpr (Dot::WANTED) {
            Sum sum = Sum();
            for (uint32_t i = threadIdx.x; i < gridDim.x; i += BLOCK) sum = Terms::joined(sum, dot.parts[i]);
            sum = combine_threads<SumOf<Terms>, BLOCK, BLOCK>(sum);
            if (thread == 0) *dot.product = Terms::result(sum);
        }
    }

    // A place among the elements, counted from the block's base; what is outside of the block comes next to it.
    GPUARRAY_DEVICE static int relative(Index place, int64_t base, int first, int stop) {
        if constexpr (sizeof(Index) == 4) {
            const int found = int(uint32_t(place) - uint32_t(base));
            return found < first ? first : found <= stop ? found : stop + 1;
        } else {
            const int64_t found = place - base;
            return found < first ? first : found <= stop ? int(found) : stop + 1;
        }
    }

    // As many threads as there are for each of the long rows add up its elements.
    GPUARRAY_DEVICE static void add_long_rows(Shelf<Sum, BLOCK>& sums, const Sum* chunk, const int* begins, const int* ends,
                                              const int* owners, int count) {
        int lanes = 32;
        while (lanes > 1 && BLOCK / lanes < count) lanes /= 2;
        const int group = threadIdx.x / lanes, lane = threadIdx.x % lanes;
        const int to = group < count ? ends[group] : 0;
        Sum sum = Sum();
#pragma unroll 4
        for (int k = (group < count ? begins[group] : 0) + lane; k < to; k += lanes) sum = Terms::joined(sum, chunk[k]);
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            sum = Terms::joined(from_before<32>(sum, distance), sum);
        }
        if (group < count && lane == lanes - 1) sums[owners[group]] = sum;
    }

    // Where the next rows of a thread begin and end.
    template <class Dot>
    GPUARRAY_DEVICE static void read_rows(int (&begins)[WINDOWS], int (&ends)[WINDOWS], Result (&others)[WINDOWS],
                                          const Index* indptr, int64_t base, int row, int end_row, int first, int stop,
                                          int64_t block_row, const Dot& dot) {
#pragma unroll
        for (int w = 0; w < WINDOWS; ++w) {
            const int at = row + w * BLOCK + int(threadIdx.x);
            if (at <= end_row) begins[w] = relative(indptr[at], base, first, stop);
            if (at < end_row) {
                ends[w] = relative(indptr[at + 1], base, first, stop);
                if constexpr (Dot::WANTED) others[w] = dot.other[block_row + at];
            }
        }
    }
};

}  // namespace gpuarray
