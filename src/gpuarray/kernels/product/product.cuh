// Matrix products of stacks, by tiles in shared memory.
//
// A block computes a tile of ROWS x COLUMNS results, and a thread TALL x BROAD of them. Sums are made in the order of
// the inner dimension, so that results repeat. While a block computes with DEPTH words of each row and column, the next
// ones are on their way to its registers. Beyond the ends words are zero.
//
// Where there are few tiles, several blocks share one: each sums a part of the inner dimension, and another kernel adds
// these up in their order.
#pragma once

#include "gpuarray/product_dimensions.cuh"
#include "gpuarray/product_terms.cuh"

namespace gpuarray {

// An operand's part of a tile: WIDTH rows of the left one, or columns of the right one, by DEPTH words. ALONG: whether
// neighbouring threads read along the inner dimension.
template <class Terms, class T, class Index, bool ALONG, int WIDTH, int DEPTH, int BLOCK> struct Part {
    typedef typename Terms::Word Word;
    typedef typename Stored<T>::type Element;
    typedef typename Unsigned<Index>::type UIndex;
    enum {
        PACK = Terms::PACK,
        VECTOR = 16 / sizeof(Word),    // words of one access to shared memory
        PITCH = WIDTH + VECTOR,        // rows of words begin in different banks
        COUNT = WIDTH * DEPTH / BLOCK,
        STEP = ALONG ? BLOCK / DEPTH : BLOCK / WIDTH,  // how far the words of a thread are apart
        // Whether bytes can be read four at a time. Those of four neighbouring places are four words once four such
        // reads are transposed.
        BYTES = PACK == 4 && sizeof(T) == 1 && (ALONG || COUNT % 4 == 0),
        FOURS = WIDTH / 4,
    };
    static_assert(WIDTH * DEPTH % BLOCK == 0 && BLOCK % (ALONG ? DEPTH : WIDTH) == 0, "threads have equal parts");

    const Element* memory;
    Index first, length;  // the tile's first place, and the number of all places
    Index end;            // of the inner dimension
    Index place_stride, inner_stride;
    bool bytes;
    Word words[COUNT];

    GPUARRAY_DEVICE Part(const Element* memory, Index first, Index length, Index end, Index place_stride,
                         Index inner_stride)
        : memory(memory), first(first), length(length), end(end), place_stride(place_stride),
          inner_stride(inner_stride), bytes(false) {
        if constexpr (BYTES) {
            const Index unit = ALONG ? inner_stride : place_stride, step = ALONG ? place_stride : inner_stride;
            bytes = unit == 1 && (uint64_t(memory) | uint64_t(step | end | (ALONG ? 0 : length))) % 4 == 0;
        }
    }

    GPUARRAY_DEVICE static int place() { return ALONG ? threadIdx.x / DEPTH : threadIdx.x % WIDTH; }
    GPUARRAY_DEVICE static int depth() { return ALONG ? threadIdx.x % DEPTH : threadIdx.x / WIDTH; }

    // From memory to registers, from `from` on in the inner dimension.
    GPUARRAY_DEVICE void read(Index from) {
        if constexpr (BYTES) {
            if (bytes) {
                read_bytes(from);
                return;
            }
        }
        Index at = first + place(), k = from + depth() * PACK;
        UIndex offset = UIndex(at) * UIndex(place_stride) + UIndex(k) * UIndex(inner_stride);
        const UIndex step = ALONG ? UIndex(STEP) * UIndex(place_stride) : UIndex(STEP * PACK) * UIndex(inner_stride);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            words[i] = Word();
            if constexpr (PACK == 1) {
                if (at < length && k < end) words[i] = Terms::word(value_of<T>(memory[Index(offset)]));
            } else {
#pragma unroll
                for (int j = 0; j < PACK; ++j) {
                    const Index next = offset + UIndex(j) * UIndex(inner_stride);
                    if (at < length && k + j < end) words[i] |= Terms::word(value_of<T>(memory[next])) << (8 * j);
                }
            }
            offset += step;
            if (ALONG) at += STEP;
            else k += STEP * PACK;
        }
    }

    GPUARRAY_DEVICE void read_bytes(Index from) {
        constexpr int ROUND = BLOCK / FOURS * 4;  // how far the fours of a thread are apart
        Index at = first + (ALONG ? place() : int(threadIdx.x % FOURS * 4));
        Index k = from + (ALONG ? depth() : int(threadIdx.x / FOURS)) * 4;
        UIndex offset = UIndex(at) * UIndex(place_stride) + UIndex(k) * UIndex(inner_stride);
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            words[i] = 0;
            if (at < length && k < end) words[i] = *reinterpret_cast<const uint32_t*>(memory + Index(offset));
            if (ALONG) {
                at += STEP;
                offset += UIndex(STEP) * UIndex(place_stride);
            } else if (i % 4 == 3) {
                k += ROUND;
                offset += UIndex(ROUND - 3) * UIndex(inner_stride);
            } else {
                offset += UIndex(inner_stride);
            }
        }
    }

    GPUARRAY_DEVICE void store(Word (*shared)[PITCH]) const {
        if constexpr (BYTES && !ALONG) {
            if (bytes) {
                store_transposed(shared);
                return;
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            Word word = words[i];
            if constexpr (BYTES) word = Terms::word_of_bytes(word);
            if (ALONG) shared[depth()][place() + i * STEP] = word;
            else shared[depth() + i * STEP][place()] = word;
        }
    }

    GPUARRAY_DEVICE void store_transposed(Word (*shared)[PITCH]) const {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) {
            const uint32_t first = __byte_perm(words[i], words[i + 1], 0x5140);
            const uint32_t second = __byte_perm(words[i + 2], words[i + 3], 0x5140);
            const uint32_t third = __byte_perm(words[i], words[i + 1], 0x7362);
            const uint32_t fourth = __byte_perm(words[i + 2], words[i + 3], 0x7362);
            Word* run = shared[threadIdx.x / FOURS + i / 4 * (BLOCK / FOURS)] + threadIdx.x % FOURS * 4;
            run[0] = Terms::word_of_bytes(__byte_perm(first, second, 0x5410));
            run[1] = Terms::word_of_bytes(__byte_perm(first, second, 0x7632));
            run[2] = Terms::word_of_bytes(__byte_perm(third, fourth, 0x5410));
            run[3] = Terms::word_of_bytes(__byte_perm(third, fourth, 0x7632));
        }
    }

    // Number i of the places of a thread, of EACH, among ACROSS threads that share the places.
    template <int EACH, int ACROSS> GPUARRAY_DEVICE static int place_of(int thread, int i) {
        constexpr int RUN = EACH < VECTOR ? EACH : VECTOR;
        return i / RUN * (ACROSS * RUN) + thread * RUN + i % RUN;
    }
};

template <class T, int COUNT> struct __align__(COUNT * sizeof(T)) Run { T values[COUNT]; };

template <class Terms, class Result, class A, class B, class Index, int STACK, bool A_ALONG, bool B_ALONG, bool SPLIT,
          int ROWS, int COLUMNS, int DEPTH, int TALL, int BROAD>
struct TiledProduct {
    typedef ProductDimensions<Index, STACK> Dimensions;
    typedef typename Unsigned<Index>::type UIndex;
    typedef typename Terms::Word Word;
    typedef typename Terms::Sum Sum;
    enum { ACROSS = COLUMNS / BROAD, DOWN = ROWS / TALL, BLOCK = DOWN * ACROSS, STEP = DEPTH * Terms::PACK };
    typedef Part<Terms, A, Index, A_ALONG, ROWS, DEPTH, BLOCK> Left;
    typedef Part<Terms, B, Index, B_ALONG, COLUMNS, DEPTH, BLOCK> Right;
    enum { RUN = BROAD < int(Right::VECTOR) ? BROAD : int(Right::VECTOR) };

    GPUARRAY_DEVICE static Result result(Sum sum) {
        if constexpr (SPLIT) return sum;
        else return Terms::result(sum);
    }

    GPUARRAY_DEVICE static void run(Result* results, const typename Stored<A>::type* left,
                                    const typename Stored<B>::type* right, const Dimensions& d) {
        __shared__ __align__(16) Word rows[2][DEPTH][Left::PITCH];
        __shared__ __align__(16) Word columns[2][DEPTH][Right::PITCH];
        const int across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
        for (UIndex tile = blockIdx.x; tile < UIndex(d.tiles); tile += gridDim.x) {
            UIndex rest = tile / UIndex(d.column_tiles);
            const Index first_column = Index(tile - rest * UIndex(d.column_tiles)) * COLUMNS;
            UIndex member = rest / UIndex(d.row_tiles), bases[3];
            const Index first_row = Index(rest - member * UIndex(d.row_tiles)) * ROWS;
            Index begin = 0, end = d.inner;
            if constexpr (SPLIT) {
                rest = member / UIndex(d.splits);
                const UIndex split = member - rest * UIndex(d.splits);
                begin = Index(split) * d.split_length;
                end = end - begin > d.split_length ? begin + d.split_length : end;
                d.find(rest, bases);
                bases[0] = split * UIndex(d.size) + rest * UIndex(d.rows) * UIndex(d.columns);
            } else {
                d.find(member, bases);
            }

            Left left_part(left + Index(bases[1]), first_row, d.rows, end, d.left_row, d.left_inner);
            Right right_part(right + Index(bases[2]), first_column, d.columns, end, d.right_column, d.right_inner);
            Sum sums[TALL][BROAD];
#pragma unroll
            for (int i = 0; i < TALL; ++i) {
#pragma unroll
                for (int j = 0; j < BROAD; ++j) sums[i][j] = Sum();
            }
            left_part.read(begin);
            right_part.read(begin);
            int buffer = 0;
#pragma unroll 1
            for (Index from = begin; from < end; from += STEP, buffer ^= 1) {
                left_part.store(rows[buffer]);
                right_part.store(columns[buffer]);
                // One barrier a round: what the other buffer had was read before the last one.
                __syncthreads();
                if (end - from > STEP) {
                    left_part.read(from + STEP);
                    right_part.read(from + STEP);
                }
#pragma unroll
                for (int k = 0; k < DEPTH; ++k) {
                    Word a[TALL], b[BROAD];
#pragma unroll
                    for (int i = 0; i < TALL; ++i) {
                        a[i] = rows[buffer][k][Left::template place_of<TALL, DOWN>(down, i)];
                    }
#pragma unroll
                    for (int j = 0; j < BROAD; ++j) {
                        b[j] = columns[buffer][k][Right::template place_of<BROAD, ACROSS>(across, j)];
                    }
#pragma unroll
                    for (int i = 0; i < TALL; ++i) {
#pragma unroll
                        for (int j = 0; j < BROAD; ++j) Terms::add(sums[i][j], a[i], b[j]);
                    }
                }
            }
            // The next tile begins with the first buffer, which may be the one that was read last.
            __syncthreads();
            store(results, bases[0], sums, first_row, first_column, down, across, d);
        }
    }

    // Neighbouring results as one access, where they lie so.
    GPUARRAY_DEVICE static void store(Result* results, UIndex base, const Sum (&sums)[TALL][BROAD], Index first_row,
                                      Index first_column, int down, int across, const Dimensions& d) {
        const UIndex row_stride = SPLIT ? d.columns : d.result_row, column_stride = SPLIT ? 1 : d.result_column;
        typedef Run<Result, RUN> Together;
        const uint64_t address = uint64_t(results + Index(base));
        const bool gapless =
            column_stride == 1 && address % sizeof(Together) == 0 && row_stride % UIndex(RUN) == 0;
#pragma unroll
        for (int i = 0; i < TALL; ++i) {
            const Index row = first_row + Left::template place_of<TALL, DOWN>(down, i);
#pragma unroll
            for (int j = 0; j < BROAD; j += RUN) {
                const Index column = first_column + Right::template place_of<BROAD, ACROSS>(across, j);
                if (row >= d.rows || column >= d.columns) continue;
                const UIndex offset = base + UIndex(row) * row_stride + UIndex(column) * column_stride;
                if (gapless && d.columns - column >= RUN) {
                    Together run;
#pragma unroll
                    for (int k = 0; k < RUN; ++k) run.values[k] = result(sums[i][j + k]);
                    *reinterpret_cast<Together*>(results + Index(offset)) = run;
                } else {
#pragma unroll
                    for (int k = 0; k < RUN; ++k) {
                        if (column + k < d.columns) {
                            results[Index(offset + UIndex(k) * column_stride)] = result(sums[i][j + k]);
                        }
                    }
                }
            }
        }
    }
};

// The results of products whose inner dimension was split among blocks.
template <class Terms, class Result, class Index, int STACK>
GPUARRAY_DEVICE void join_products(Result* results, const typename Terms::Sum* sums,
                                   const ProductDimensions<Index, STACK>& d) {
    typedef typename Unsigned<Index>::type UIndex;
    const UIndex step = UIndex(gridDim.x) * blockDim.x;
    for (UIndex index = UIndex(blockIdx.x) * blockDim.x + threadIdx.x; index < UIndex(d.size); index += step) {
        typename Terms::Sum sum = sums[index];
#pragma unroll 8
        for (UIndex split = 1; split < UIndex(d.splits); ++split) {
            sum = Terms::joined(sum, sums[split * UIndex(d.size) + index]);
        }
        UIndex row, column, bases[3];
        d.find(d.find_result(index, row, column), bases);
        const UIndex offset = bases[0] + row * UIndex(d.result_row) + column * UIndex(d.result_column);
        results[Index(offset)] = Terms::result(sum);
    }
}

// A thread computes one result after another: for matrices smaller than tiles.
template <class Terms, class Result, class A, class B, class Index, int STACK>
GPUARRAY_DEVICE void single_products(Result* results, const typename Stored<A>::type* left,
                                     const typename Stored<B>::type* right,
                                     const ProductDimensions<Index, STACK>& d) {
    typedef typename Unsigned<Index>::type UIndex;
    enum { ROUND = 8 };  // reads in flight of each operand
    const UIndex step = UIndex(gridDim.x) * blockDim.x;
    for (UIndex index = UIndex(blockIdx.x) * blockDim.x + threadIdx.x; index < UIndex(d.size); index += step) {
        UIndex row, column, bases[3];
        d.find(d.find_result(index, row, column), bases);
        UIndex a = bases[1] + row * UIndex(d.left_row), b = bases[2] + column * UIndex(d.right_column);
        typename Terms::Sum sum = typename Terms::Sum();
#pragma unroll 1
        for (Index k = 0; k < d.inner; k += ROUND) {
            typename Terms::Word first[ROUND], second[ROUND];
#pragma unroll
            for (int i = 0; i < ROUND; ++i) {
                first[i] = second[i] = typename Terms::Word();
                if (k + i < d.inner) {
                    first[i] = Terms::word(value_of<A>(left[Index(a)]));
                    second[i] = Terms::word(value_of<B>(right[Index(b)]));
                }
                a += UIndex(d.left_inner);
                b += UIndex(d.right_inner);
            }
#pragma unroll
            for (int i = 0; i < ROUND; ++i) Terms::add(sum, first[i], second[i]);
        }
        const UIndex offset = bases[0] + row * UIndex(d.result_row) + column * UIndex(d.result_column);
        results[Index(offset)] = Terms::result(sum);
    }
}

}  // namespace gpuarray
