// Matrix products of stacks, by tiles in shared memory.
//
// A block computes a tile of ROWS x COLUMNS results, and a thread TALL x BROAD of them. Its sums are made in the order
// of the inner dimension, so that results repeat. While a block computes with DEPTH words of each row and column, the
// next ones are on their way to its registers.
//
// A word is PACK elements along the inner dimension (see product_terms.cuh); beyond the ends it is zero.
#pragma once

#include "gpuarray/product_terms.cuh"

namespace gpuarray {

template <class Index> struct Unsigned { typedef uint32_t type; };
template <> struct Unsigned<int64_t> { typedef uint64_t type; };

// Strides in elements. The results' rows and columns, and the inner dimension. Of a stack: its dimensions, and how far
// they are apart in the results, in the left and in the right operand.
template <class Index, int STACK> struct ProductDimensions {
    Index rows, columns, inner;
    Index result_row, result_column, left_row, left_inner, right_inner, right_column;
    Index row_tiles, column_tiles, tiles;
    Index shape[STACK];
    Index strides[3][STACK];
};

// An operand's part of a tile: WIDTH rows of the left one, or columns of the right one, by DEPTH words. ALONG: whether
// neighbouring threads read along the inner dimension.
template <class Terms, class T, class Index, bool ALONG, int WIDTH, int DEPTH, int BLOCK> struct Part {
    typedef typename Terms::Word Word;
    typedef typename Unsigned<Index>::type UIndex;
    enum {
        PACK = Terms::PACK,
        // Rows of words are aligned for wide accesses, and begin in different banks.
        PITCH = WIDTH + (sizeof(Word) < 16 ? 16 / sizeof(Word) : 1),
        COUNT = WIDTH * DEPTH / BLOCK,
        STEP = ALONG ? BLOCK / DEPTH : BLOCK / WIDTH,  // how far the words of a thread are apart
    };
    static_assert(WIDTH * DEPTH % BLOCK == 0 && BLOCK % (ALONG ? DEPTH : WIDTH) == 0, "threads have equal parts");

    Word words[COUNT];

    GPUARRAY_DEVICE static Index place() { return ALONG ? threadIdx.x / DEPTH : threadIdx.x % WIDTH; }
    GPUARRAY_DEVICE static Index depth() { return ALONG ? threadIdx.x % DEPTH : threadIdx.x / WIDTH; }

    // From memory. The tile begins at a place of `length`, and at `from` of the inner dimension.
    GPUARRAY_DEVICE void read(const typename Stored<T>::type* memory, UIndex base, Index first, Index length, Index from, Index inner,
                              Index place_stride, Index inner_stride) {
        Index at = first + place(), k = from + depth() * PACK;
        UIndex offset = base + UIndex(at) * UIndex(place_stride) + UIndex(k) * UIndex(inner_stride);
        const UIndex step = ALONG ? UIndex(STEP) * UIndex(place_stride) : UIndex(STEP * PACK) * UIndex(inner_stride);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            words[i] = Word();
            if constexpr (PACK == 1) {
                if (at < length && k < inner) words[i] = Terms::word(value_of<T>(memory[Index(offset)]));
            } else if (at < length) {
#pragma unroll
                for (int j = 0; j < PACK; ++j) {
                    if (k + j < inner) {
                        const UIndex next = offset + UIndex(j) * UIndex(inner_stride);
                        words[i] |= Terms::byte(value_of<T>(memory[Index(next)])) << (8 * j);
                    }
                }
            }
            offset += step;
            if (ALONG) at += STEP;
            else k += STEP * PACK;
        }
    }

    GPUARRAY_DEVICE void store(Word (*shared)[PITCH]) const {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (ALONG) shared[depth()][place() + i * STEP] = words[i];
            else shared[depth() + i * STEP][place()] = words[i];
        }
    }
};

template <class Terms, class Result, class A, class B, class Index, int STACK, bool A_ALONG, bool B_ALONG, int ROWS,
          int COLUMNS, int DEPTH, int TALL, int BROAD>
struct TiledProduct {
    typedef ProductDimensions<Index, STACK> Dimensions;
    typedef typename Unsigned<Index>::type UIndex;
    typedef typename Terms::Word Word;
    typedef typename Terms::Sum Sum;
    enum { ACROSS = COLUMNS / BROAD, BLOCK = ROWS / TALL * ACROSS, STEP = DEPTH * Terms::PACK };
    typedef Part<Terms, A, Index, A_ALONG, ROWS, DEPTH, BLOCK> Left;
    typedef Part<Terms, B, Index, B_ALONG, COLUMNS, DEPTH, BLOCK> Right;

    GPUARRAY_DEVICE static void run(Result* results, const typename Stored<A>::type* left,
                                    const typename Stored<B>::type* right, const Dimensions& d) {
        __shared__ __align__(16) Word rows[2][DEPTH][Left::PITCH];
        __shared__ __align__(16) Word columns[2][DEPTH][Right::PITCH];
        const int across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
        for (UIndex tile = blockIdx.x; tile < UIndex(d.tiles); tile += gridDim.x) {
            UIndex rest = tile / UIndex(d.column_tiles);
            const Index first_column = Index(tile - rest * UIndex(d.column_tiles)) * COLUMNS;
            UIndex member = rest / UIndex(d.row_tiles);
            const Index first_row = Index(rest - member * UIndex(d.row_tiles)) * ROWS;
            UIndex bases[3] = {0, 0, 0};
#pragma unroll
            for (int axis = STACK - 1; axis >= 0; --axis) {
                const UIndex above = axis ? member / UIndex(d.shape[axis]) : 0;
                const UIndex coordinate = axis ? member - above * UIndex(d.shape[axis]) : member;
                member = above;
#pragma unroll
                for (int i = 0; i < 3; ++i) bases[i] += coordinate * UIndex(d.strides[i][axis]);
            }

            Left left_part;
            Right right_part;
            Sum sums[TALL][BROAD];
#pragma unroll
            for (int i = 0; i < TALL; ++i) {
#pragma unroll
                for (int j = 0; j < BROAD; ++j) sums[i][j] = Sum();
            }
            left_part.read(left, bases[1], first_row, d.rows, 0, d.inner, d.left_row, d.left_inner);
            right_part.read(right, bases[2], first_column, d.columns, 0, d.inner, d.right_column, d.right_inner);
            int buffer = 0;
#pragma unroll 1
            for (Index from = 0; from < d.inner; from += STEP, buffer ^= 1) {
                left_part.store(rows[buffer]);
                right_part.store(columns[buffer]);
                // One barrier a round: what the other buffer had was read before the last one.
                __syncthreads();
                if (d.inner - from > STEP) {
                    const Index next = from + STEP;
                    left_part.read(left, bases[1], first_row, d.rows, next, d.inner, d.left_row, d.left_inner);
                    right_part.read(right, bases[2], first_column, d.columns, next, d.inner, d.right_column,
                                    d.right_inner);
                }
#pragma unroll
                for (int k = 0; k < DEPTH; ++k) {
                    Word a[TALL], b[BROAD];
#pragma unroll
                    for (int i = 0; i < TALL; ++i) a[i] = rows[buffer][k][down * TALL + i];
#pragma unroll
                    for (int j = 0; j < BROAD; ++j) b[j] = columns[buffer][k][across * BROAD + j];
#pragma unroll
                    for (int i = 0; i < TALL; ++i) {
#pragma unroll
                        for (int j = 0; j < BROAD; ++j) Terms::add(sums[i][j], a[i], b[j]);
                    }
                }
            }
            // The next tile begins with the first buffer, which may be the one that was read last.
            __syncthreads();
#pragma unroll
            for (int i = 0; i < TALL; ++i) {
                const Index row = first_row + down * TALL + i;
#pragma unroll
                for (int j = 0; j < BROAD; ++j) {
                    const Index column = first_column + across * BROAD + j;
                    if (row < d.rows && column < d.columns) {
                        const UIndex offset =
                            bases[0] + UIndex(row) * UIndex(d.result_row) + UIndex(column) * UIndex(d.result_column);
                        results[Index(offset)] = Terms::result(sums[i][j]);
                    }
                }
            }
        }
    }
};

}  // namespace gpuarray
