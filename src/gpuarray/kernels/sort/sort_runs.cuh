// Sorts of long rows of keys of eight bytes by fewer passes.
//
// Most keys are told apart by their first few bytes. So a sample of a row is sorted before anything else
// (decide_passes). If few of its keys agree in their top digits, only these have passes, and what is left is to sort
// runs: neighbours that agree in all of them. A run of up to SHORT keys is sorted by the threads that hold it
// (sort_short, which also moves the keys to where they belong in the end), a longer one by a block (sort_long), and one
// that is in order already, such as equal keys, by nobody. What the sample says decides about time only: any row is
// sorted.
#pragma once

#include "gpuarray/radix_sort.cuh"

namespace gpuarray {

GPUARRAY_DEVICE uint64_t load_relaxed(const uint64_t* from) {
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
GPUARRAY_DEVICE void store_relaxed(uint64_t* to, uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

// The output function of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA
// 2014): numbers in no order, which are the same in every run.
GPUARRAY_DEVICE uint64_t scattered(uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15ull;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ull;
    number = (number ^ number >> 27) * 0x94d049bb133111ebull;
    return number ^ number >> 31;
}

// ---- the sample -------------------------------------------------------------------------------------------------

// How many low digits of a row's keys need no pass. 0: all have one.
template <class Keys, int BLOCK> struct Sample {
    typedef typename Keys::Word Word;
    // LEAST: the fewest digits that can tell keys apart; LEVELS: how many numbers of digits are tried from there on.
    enum { ITEMS = 8, SIZE = BLOCK * ITEMS, LEAST = 3, LEVELS = 4 };
    typedef TileSort<Keys, BLOCK, ITEMS, false> Sort;

    GPUARRAY_DEVICE static uint64_t any_bits(uint64_t own, uint64_t& all) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) own |= __shfl_xor_sync(0xffffffffu, own, distance);
        if (threadIdx.x % 32 == 0) atomicOr(&all, own);
        __syncthreads();
        return all;
    }

    // `close`: how many neighbours in the sorted sample may agree. More than `streak` keys that agree are too many in
    // any case, for they may be a run that one block works at for long.
    GPUARRAY_DEVICE static uint32_t low_digits(const Word* input, uint64_t length, uint32_t close, uint32_t streak) {
        __shared__ union Shared {
            typename Sort::Shared sort;
            uint64_t ordered[SIZE];
        } shared;
        __shared__ uint64_t varying, found, sums;
        if (threadIdx.x == 0) varying = found = sums = 0;
        __syncthreads();
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
        const uint64_t start = Keys::ordered(input[0]);
        Word keys[ITEMS];
        uint16_t unused[ITEMS];
        uint64_t differs = 0;
        // Keys from anywhere, and not one of each stretch: of a row in order, runs would then never be met twice.
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) keys[i] = input[__umul64hi(scattered(first + i * 32), length)];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) differs |= Keys::ordered(keys[i]) ^ start;
        differs = any_bits(differs, varying);
        uint32_t needed = 0;
#pragma unroll
        for (int pass = 0; pass < 8; ++pass) needed |= uint32_t((differs >> (8 * pass) & 255) != 0) << pass;
        // At least one top digit, the runs and a pass that is saved.
        if (__popc(needed) < 3) return 0;
        Sort::sort(shared.sort, keys, unused, SIZE, needed & ~3u);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) shared.ordered[first + i * 32] = Keys::ordered(keys[i]);
        __syncthreads();
        // For each number of top digits: neighbours that agree in them and yet differ (16 bits each), and whether there
        // is a streak. Equal keys are in order in any run, and of a short row one key is met more than once.
        uint64_t agree = 0, flags = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t at = first + i * 32;
            const uint64_t key = shared.ordered[at];
            const uint64_t next = at + 1 < SIZE ? key ^ shared.ordered[at + 1] : ~0ull;
            const uint64_t far = at + streak < SIZE ? key ^ shared.ordered[at + streak] : ~0ull;
#pragma unroll
            for (int level = 0; level < LEVELS; ++level) {
                const int shift = 64 - 8 * (LEAST + level);
                if (next >> shift == 0 && next != 0) agree += 1ull << (16 * level);
                if (far >> shift == 0) flags |= 1ull << level;
            }
        }
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) agree += __shfl_xor_sync(0xffffffffu, agree, distance);
        if (threadIdx.x % 32 == 0) atomicAdd(&sums, agree);
        flags = any_bits(flags, found);
        for (int level = 0; level < LEVELS; ++level) {
            const uint32_t low = 8 - LEAST - level;
            if ((flags >> level & 1) || (sums >> (16 * level) & 0xffff) > close) continue;
            return __popc(needed >> low) + 1 < __popc(needed) ? low : 0;
        }
        return 0;
    }
};

// Clears the workspace. The first blocks, one for each row, do so with its plan, and decide which digits have passes.
template <class Keys, int BLOCK>
GPUARRAY_DEVICE void decide_passes(const typename Keys::Word* input, uint32_t* memory, uint64_t length, uint32_t rows,
                                   uint64_t units, uint32_t close, uint32_t streak) {
    typedef SortWorkspace<uint32_t, Keys::PASSES> Workspace;
    if (blockIdx.x >= rows) {
        uint4* const rest = reinterpret_cast<uint4*>(memory + (rows + 1) * Workspace::WORDS);
        const uint64_t stride = uint64_t(gridDim.x - rows) * BLOCK;
        for (uint64_t i = uint64_t(blockIdx.x - rows) * BLOCK + threadIdx.x; i < units; i += stride) {
            rest[i] = make_uint4(0, 0, 0, 0);
        }
        return;
    }
    const uint32_t low = Sample<Keys, BLOCK>::low_digits(input + blockIdx.x * length, length, close, streak);
    if (threadIdx.x >= Workspace::WORDS) return;
    if (blockIdx.x == 0) memory[threadIdx.x] = 0;
    memory[(blockIdx.x + 1) * Workspace::WORDS + threadIdx.x] = threadIdx.x == Workspace::LOW ? low : 0;
}

// ---- runs -------------------------------------------------------------------------------------------------------

// The last move of a sort by top digits. Its workspace is where the look-back state of the passes was: for each row a
// bit for every SHORT keys, which says that the long run that starts there has been taken, and behind them a list of
// keys in long runs that are less than the one before.
template <class Keys, class Count, int BLOCK, int ITEMS, bool INDICES> struct Runs {
    typedef typename Keys::Word Word;
    typedef SortWorkspace<Count, Keys::PASSES> Workspace;
    enum { SHORT = 32, TILE = BLOCK * ITEMS, WORDS = TILE / 32 + 2, TAKEN = TILE / (32 * SHORT) };

    const uint32_t row;
    const Workspace workspace;
    uint32_t* const plan;
    const uint32_t low;

    // Of the row: its keys as the passes left them, and where they go (with indices it is spare); the same of their
    // indices.
    Word *source, *target;
    Count* scratch_indices;
    int64_t* indices;
    Count *taken, *list;

    GPUARRAY_DEVICE Runs(KeyBuffers<Word> buffers, Count* all_scratch_indices, int64_t* all_indices, uint32_t* memory,
                         uint64_t length, uint32_t rows, uint32_t in_row, uint32_t row, uint32_t pass_tiles)
        : row(row), workspace(memory, rows), plan(workspace.plans + row * Workspace::WORDS), low(plan[Workspace::LOW]) {
        if (low == 0) return;
        const uint32_t order = plan[Keys::PASSES];
        if constexpr (INDICES) {
            source = buffers.target_with_indices(order - 1) + row * length;
            target = buffers.target_with_indices(order) + row * length;
            scratch_indices = all_scratch_indices + row * length;
            indices = all_indices + row * length;
        } else {
            source = buffers.target(order - 1, order) + row * length;
            target = buffers.output + row * length;
        }
        taken = workspace.lookback + uint64_t(row) * pass_tiles * BINS;
        list = taken + uint64_t(in_row) * TAKEN;
    }

    GPUARRAY_DEVICE void sort_short(uint64_t length, uint32_t tile) {
        if (low == 0) return;
        __shared__ uint64_t window[TILE + 2 * SHORT];
        // For each key whether a run starts with it, and whether it is less than the one before of its run.
        __shared__ uint32_t heads[WORDS], falls[WORDS];
        const int lane = threadIdx.x % 32;
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + lane;
        const int64_t begin = int64_t(tile) * TILE, end = length;
        {
            Word keys[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                keys[i] = Word();
                if (begin + first + i * 32 < end) keys[i] = source[begin + first + i * 32];
            }
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) window[SHORT + first + i * 32] = Keys::ordered(keys[i]);
        }
        if (threadIdx.x < 2 * SHORT) {
            const uint32_t at = threadIdx.x < SHORT ? threadIdx.x : TILE + threadIdx.x;
            const int64_t from = begin + at - SHORT;
            window[at] = from >= 0 && from < end ? Keys::ordered(source[from]) : 0;
        }
        if (threadIdx.x < TAKEN) taken[uint64_t(tile) * TAKEN + threadIdx.x] = 0;
        __syncthreads();
        const auto mark = [&](uint32_t at) {
            const int64_t from = begin + at - SHORT;
            bool head = true, fall = false;
            if (at > 0 && from > 0 && from < end) {
                const uint64_t key = window[at], before = window[at - 1];
                head = (key ^ before) >> (8 * low) != 0;
                fall = !head && before > key;
            }
            const uint32_t all_heads = __ballot_sync(0xffffffffu, head), all_falls = __ballot_sync(0xffffffffu, fall);
            if (lane == 0) {
                heads[at / 32] = all_heads;
                falls[at / 32] = all_falls;
            }
        };
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) mark(SHORT + first + i * 32);
        if (threadIdx.x < 32) mark(lane);
        if (threadIdx.x >= BLOCK - 32) mark(SHORT + TILE + lane);
        __syncthreads();
        // Not unrolled: it takes few registers so, and many warps hide what each waits for.
#pragma unroll 1
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t at = SHORT + first + i * 32, word = at / 32;
            const uint64_t key = window[at];
            int64_t to = begin + first + i * 32;
            const int64_t from = to;
            // A short run with this key is within these words.
            if ((falls[word - 1] | falls[word] | falls[word + 1]) != 0) {
                const uint32_t left = __funnelshift_rc(heads[word - 1], heads[word], lane + 1);
                const uint32_t right = __funnelshift_rc(heads[word], heads[word + 1], lane + 1);
                const uint32_t before = __clz(left), after = right ? __ffs(right) - 1 : 32;
                if (before + after < SHORT) {
                    uint32_t less = 0;
                    for (uint32_t other = at - before; other <= at + after; ++other) {
                        const uint64_t its = window[other];
                        less += its < key || (its == key && other < at);
                    }
                    to += int64_t(less) - before;
                } else if (falls[word] >> lane & 1) {
                    note(heads, falls, word, lane, from);
                }
            }
            if (from < end) {
                if constexpr (INDICES) {
                    indices[to] = scratch_indices[from];
                } else {
                    target[to] = word_of(key, from);
                }
            }
        }
    }

    GPUARRAY_DEVICE void sort_long(uint64_t length, uint32_t block, uint32_t blocks) {
        if (low == 0) return;
        const uint32_t count = plan[Workspace::LONG];
        __shared__ bool mine;
        for (uint32_t entry = block; entry < count; entry += blocks) {
            const int64_t at = list[entry];
            const uint64_t top = prefix(at);
            int64_t begin = at, end = at + 1;
            for (int more = BLOCK; more == BLOCK; begin -= more) {
                const int64_t other = begin - 1 - int64_t(threadIdx.x);
                more = __syncthreads_count(other >= 0 && prefix(other) == top);
            }
            for (int more = BLOCK; more == BLOCK; end += more) {
                const int64_t other = end + threadIdx.x;
                more = __syncthreads_count(other < int64_t(length) && prefix(other) == top);
            }
            if (threadIdx.x == 0) {
                const Count bit = Count(1) << (begin / SHORT % 32);
                mine = (atomicOr(taken + begin / (32 * SHORT), bit) & bit) == 0;
            }
            __syncthreads();
            if (mine) {
                if (end - begin <= TILE) {
                    sort_tile(begin, uint32_t(end - begin));
                } else {
                    sort_tiles(begin, end - begin);
                }
            }
            __syncthreads();
        }
    }

private:
    // A key's bits from its order; those of zeros and NaN are not all alike.
    GPUARRAY_DEVICE Word word_of(uint64_t key, int64_t at) const {
        if constexpr (Keys::FLOATS) {
            if (key == Keys::ordered(0) || key == ~uint64_t(0)) return source[at];
        }
        return Keys::from_ordered(key, true);
    }

    // Puts a fall in a long run on the list, if it is the run's first in this tile.
    GPUARRAY_DEVICE void note(const uint32_t* heads, const uint32_t* falls, uint32_t word, int lane, int64_t at) const {
        uint32_t head = heads[word] & ((1u << lane) - 1), fall = falls[word] & ((1u << lane) - 1);
        while ((head | fall) == 0 && word > 1) {
            --word;
            head = heads[word];
            fall = falls[word];
        }
        if (head >= fall) list[atomicAdd(plan + Workspace::LONG, 1)] = Count(at);
    }

    // Other blocks may ask while one sorts the run, which changes no prefix.
    GPUARRAY_DEVICE uint64_t prefix(int64_t at) const { return Keys::ordered(load_relaxed(source + at)) >> (8 * low); }

    GPUARRAY_DEVICE void sort_tile(int64_t begin, uint32_t length) const {
        typedef TileSort<Keys, BLOCK, ITEMS, INDICES> Sort;
        __shared__ alignas(16) typename Sort::Shared shared;
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
        Word sorted[ITEMS];
        uint16_t carried[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t at = first + i * 32;
            sorted[i] = Word();
            carried[i] = at;
            if (at < length) sorted[i] = source[begin + at];
        }
        Sort::sort(shared, sorted, carried, length, (1u << low) - 1);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t at = first + i * 32;
            if (at < length) {
                if constexpr (INDICES) {
                    indices[begin + at] = scratch_indices[begin + carried[i]];
                } else {
                    target[begin + at] = sorted[i];
                }
            }
        }
    }

    // A pass for each low digit, a tile after the other. An odd number of passes ends in the target: where that of
    // digits is even, one by the next, in which all keys agree, copies.
    GPUARRAY_DEVICE void sort_tiles(int64_t begin, uint64_t length) const {
        typedef Ranker<BLOCK, ITEMS> Rank;
        __shared__ typename Rank::Shared shared;
        __shared__ Count starts[BINS], bases[BINS];
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
        const uint32_t passes = low | 1;
#pragma unroll 1
        for (uint32_t pass = 0; pass < passes; ++pass) {
            const Word* const from = (pass % 2 == 0 ? source : target) + begin;
            Word* const to = (pass % 2 == 0 ? target : source) + begin;
            for (int bin = threadIdx.x; bin < BINS; bin += BLOCK) starts[bin] = 0;
            __syncthreads();
            for (uint64_t at = threadIdx.x; at < length; at += BLOCK) atomicAdd(starts + Keys::digit(from[at], pass), 1);
            __syncthreads();
            if (threadIdx.x < 32) scan_bins(starts, Count(length));
            __syncthreads();
#pragma unroll 1
            for (uint64_t tile = 0; tile < length; tile += TILE) {
                Word moved[ITEMS];
                uint32_t digits[ITEMS], bins[ITEMS], totals[Rank::HELD], own[Rank::HELD];
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    const uint64_t at = tile + first + i * 32;
                    moved[i] = Word();
                    if (at < length) moved[i] = from[at];
                    bins[i] = digits[i] = at < length ? Keys::digit(moved[i], pass) : BINS - 1;
                }
                Rank::count(shared, digits, totals);
                Rank::start(shared, totals, own);
                if (threadIdx.x < Rank::HOLDERS) {
#pragma unroll
                    for (int u = 0; u < Rank::HELD; ++u) {
                        const uint32_t bin = threadIdx.x * Rank::HELD + u;
                        bases[bin] = starts[bin] - own[u];
                        starts[bin] += totals[u];
                    }
                }
                Rank::rank(shared, digits);
                __syncthreads();
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    const uint64_t at = tile + first + i * 32;
                    if (at < length) {
                        const Count rank = bases[bins[i]] + digits[i];
                        store_relaxed(to + rank, moved[i]);
                        if constexpr (INDICES) {
                            if (pass % 2 == 0) {
                                indices[begin + rank] = scratch_indices[begin + at];
                            } else {
                                scratch_indices[begin + rank] = Count(indices[begin + at]);
                            }
                        }
                    }
                }
                __syncthreads();
            }
        }
    }
};

}  // namespace gpuarray
