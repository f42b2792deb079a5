// The sort family: radix sort by digits of 8 bits, the lowest first.
//
//   sort_block   one block sorts a row (or a small array) in shared memory: one launch
//   sort_tile, merge_tiles    a few blocks sort a tile each, and then each key finds its rank among all tiles
//   count_digits, sort_pass   rows of any length: all digits are counted in one pass over the keys, then each digit
//                takes one pass that reads every key once and writes it once. Which of its tile's keys go where,
//                a block learns from the tiles before its own while these are still at work (decoupled look-back).
//   fill_counted keys of one byte: what has been counted is written out
//   decide_passes, sort_short, sort_long (sort_runs.cuh) long rows of keys of eight bytes: passes by the top digits
//                alone, where a sample says that few keys agree in them, and then what is left to do
//
// Each step is stable, so the sort is. Keys move as the bits they are; the order they are sorted by is derived from
// them whenever a digit is taken. So 0.0 and -0.0 are equal, and so are all NaN, and yet none changes. A digit that
// is the same in all keys of a row is skipped.
//
// Blocks take their tiles from a ticket counter: a tile is only waited for once a running block has it.
#pragma once

#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

enum { BINS = 256 };

// ---- ranks in a tile --------------------------------------------------------------------------------------------

// Where each key of a tile goes when the tile is sorted by a digit. A warp's keys follow those of the warp before; its
// lanes hold neighbours.
template <int BLOCK, int ITEMS> struct Ranker {
    enum {
        WARPS = BLOCK / 32,
        HELD = BLOCK < BINS ? BINS / BLOCK : 1,  // bins that a thread looks after
        HOLDERS = BINS / HELD                    // threads that do
    };
    struct Shared {
        uint32_t offsets[WARPS][BINS];
        uint32_t masks[WARPS][BINS];
        uint32_t sums[HOLDERS / 32];
    };

    // How many keys of the tile have each digit; what each warp's row then says is how many the warps before have.
    // Ends with each thread at its own bins.
    GPUARRAY_DEVICE static void count(Shared& shared, const uint32_t (&digits)[ITEMS], uint32_t (&totals)[HELD]) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        uint32_t* const own = shared.offsets[warp];
#pragma unroll
        for (int bin = lane; bin < BINS; bin += 32) {
            own[bin] = 0;
            shared.masks[warp][bin] = 0;
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) atomicAdd(own + digits[i], 1);
        __syncthreads();
#pragma unroll
        for (int u = 0; u < HELD; ++u) {
            totals[u] = 0;
            if (threadIdx.x < HOLDERS) {
#pragma unroll
                for (int w = 0; w < WARPS; ++w) {
                    uint32_t& offset = shared.offsets[w][threadIdx.x * HELD + u];
                    const uint32_t counted = offset;
                    offset = totals[u];
                    totals[u] += counted;
                }
            }
        }
    }

    // From the totals to where each digit starts in the sorted tile; all threads may go on to rank.
    GPUARRAY_DEVICE static void start(Shared& shared, const uint32_t (&totals)[HELD], uint32_t (&starts)[HELD]) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        uint32_t before = 0;
        if (threadIdx.x < HOLDERS) {
            uint32_t own = 0;
#pragma unroll
            for (int u = 0; u < HELD; ++u) own += totals[u];
            uint32_t scanned = own;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const uint32_t other = __shfl_up_sync(0xffffffffu, scanned, distance);
                if (lane >= distance) scanned += other;
            }
            if (lane == 31) shared.sums[warp] = scanned;
            before = scanned - own;
        }
        __syncthreads();
        if (threadIdx.x < HOLDERS) {
#pragma unroll
            for (int w = 0; w < HOLDERS / 32; ++w) before += w < warp ? shared.sums[w] : 0;
#pragma unroll
            for (int u = 0; u < HELD; ++u) {
                starts[u] = before;
                before += totals[u];
#pragma unroll
                for (int w = 0; w < WARPS; ++w) shared.offsets[w][threadIdx.x * HELD + u] += starts[u];
            }
        }
        __syncthreads();
    }

    // Replaces digits by ranks. Of the lanes that have the same digit, the last one moves its warp's offset. Which
    // lanes do is collected in shared memory: on an H200 the match instruction takes twice as long.
    GPUARRAY_DEVICE static void rank(Shared& shared, uint32_t (&digits)[ITEMS]) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        uint32_t* const own = shared.offsets[warp];
        const uint32_t up_to = 0xffffffffu >> (31 - lane);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            uint32_t& mask = shared.masks[warp][digits[i]];
            atomicOr(&mask, 1u << lane);
            __syncwarp();
            const uint32_t same = mask;
            const int leader = 31 - __clz(same), count = __popc(same & up_to);
            uint32_t offset = 0;
            if (lane == leader) offset = atomicAdd(own + digits[i], count);
            offset = __shfl_sync(0xffffffffu, offset, leader);
            __syncwarp();
            if (lane == leader) mask = 0;
            __syncwarp();
            digits[i] = offset + count - 1;
        }
    }
};

// ---- one block --------------------------------------------------------------------------------------------------

// What becomes of a row that is sorted: its elements are stored, or their indices, or just those at some ranks.
template <class Keys> struct StoreKeys {
    typedef typename Keys::Word Word;
    enum { INDICES = 0, SPREADS = 0 };
    Word* output;
    GPUARRAY_DEVICE void operator()(uint64_t begin, uint32_t at, Word key, uint32_t, bool) const {
        output[begin + at] = key;
    }
};
template <class Keys> struct StoreIndices {
    typedef typename Keys::Word Word;
    enum { INDICES = 1, SPREADS = 0 };
    int64_t* indices;
    GPUARRAY_DEVICE void operator()(uint64_t begin, uint32_t at, Word, uint32_t index, bool) const {
        indices[begin + at] = index;
    }
};
// With `spread` a NaN of the row, which is then its last element, is stored instead.
template <class Keys, int RANKS> struct StoreRanks {
    typedef typename Keys::Word Word;
    enum { INDICES = 0, SPREADS = Keys::FLOATS };
    Word* values;
    uint32_t wanted;
    bool spread;
    const Ranks<RANKS>& ranks;
    GPUARRAY_DEVICE void operator()(uint64_t, uint32_t at, Word key, uint32_t, bool nan) const {
#pragma unroll 1
        for (int i = 0; i < wanted; ++i) {
            if (at == ranks.at[ranks.of[i]]) {
                const Word last = Keys::from_ordered(typename Keys::Ordered(-1), false);
                values[uint64_t(i) * gridDim.x + blockIdx.x] = spread && nan ? last : key;
            }
        }
    }
};

// A tile of keys, sorted by digits in shared memory; its threads hold them as the Ranker asks for.
template <class Keys, int BLOCK, int ITEMS, bool INDICES> struct TileSort {
    typedef typename Keys::Word Word;
    typedef Ranker<BLOCK, ITEMS> Rank;
    enum { TILE = BLOCK * ITEMS };
    union Shared {
        typename Rank::Shared rank;
        struct {
            unsigned char keys[TILE * sizeof(Word)];
            uint16_t indices[INDICES ? TILE : 1];
        } exchanged;
    };

    // By the digits that are among the bits of `wanted`, of the first `length` keys. Ends with a barrier.
    GPUARRAY_DEVICE static void sort(Shared& shared, Word (&keys)[ITEMS], uint16_t (&carried)[ITEMS], uint32_t length,
                                     uint32_t wanted) {
        Word* const exchanged = reinterpret_cast<Word*>(shared.exchanged.keys);
        uint16_t* const indices = shared.exchanged.indices;
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
#pragma unroll 1
        for (int pass = 0; pass < Keys::PASSES; ++pass) {
            if ((wanted >> pass & 1) == 0) continue;
            uint32_t digits[ITEMS], totals[Rank::HELD], starts[Rank::HELD];
            // What is behind the row's end has the greatest digit, and being last stays there.
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) digits[i] = first + i * 32 < length ? Keys::digit(keys[i], pass) : BINS - 1;
            Rank::count(shared.rank, digits, totals);
            bool all = false;
#pragma unroll
            for (int u = 0; u < Rank::HELD; ++u) {
                const bool is_last = threadIdx.x == Rank::HOLDERS - 1 && u == Rank::HELD - 1;
                all |= totals[u] == (is_last ? TILE : length);
            }
            if (__syncthreads_or(all)) continue;
            Rank::start(shared.rank, totals, starts);
            Rank::rank(shared.rank, digits);
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                exchanged[digits[i]] = keys[i];
                if constexpr (INDICES) indices[digits[i]] = carried[i];
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                keys[i] = exchanged[first + i * 32];
                if constexpr (INDICES) carried[i] = indices[first + i * 32];
            }
            __syncthreads();
        }
    }
};

// A block sorts what is from `row` on.
template <class Keys, int BLOCK, int ITEMS, class Action>
GPUARRAY_DEVICE void sort_from(const typename Keys::Word* input, uint64_t row, uint32_t length, const Action& action) {
    typedef typename Keys::Word Word;
    typedef TileSort<Keys, BLOCK, ITEMS, Action::INDICES> Sort;
    __shared__ alignas(16) typename Sort::Shared shared;
    const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
    Word keys[ITEMS];
    uint16_t carried[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t at = first + i * 32;
        keys[i] = Word();
        carried[i] = at;
        if (at < length) keys[i] = input[row + at];
    }
    Sort::sort(shared, keys, carried, length, ~0u);
    bool nan = false;
    if constexpr (Action::SPREADS) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            typedef typename Keys::Ordered Ordered;
            nan |= first + i * 32 == length - 1 && Keys::ordered(keys[i]) == Ordered(~Ordered(0));
        }
        nan = __syncthreads_or(nan);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const uint32_t at = first + i * 32;
        if (at < length) action(row, at, keys[i], carried[i], nan);
    }
}

// A block sorts the row of its number.
template <class Keys, int BLOCK, int ITEMS, class Action>
GPUARRAY_DEVICE void sort_block(const typename Keys::Word* input, uint32_t length, const Action& action) {
    sort_from<Keys, BLOCK, ITEMS>(input, uint64_t(blockIdx.x) * length, length, action);
}

// ---- a few blocks -----------------------------------------------------------------------------------------------

// With INDICES also the indices that the keys of a tile have in the row.
template <class Keys, bool WITH_INDICES> struct StoreTile {
    typedef typename Keys::Word Word;
    enum { INDICES = WITH_INDICES, SPREADS = 0 };
    Word* output;
    uint32_t *tile_indices, before;
    GPUARRAY_DEVICE void operator()(uint64_t begin, uint32_t at, Word key, uint32_t index, bool) const {
        output[begin + at] = key;
        if constexpr (INDICES) tile_indices[begin + at] = before + index;
    }
};

template <class Keys, int BLOCK, int ITEMS, bool INDICES>
GPUARRAY_DEVICE void sort_tile(const typename Keys::Word* input, typename Keys::Word* output, uint32_t* tile_indices,
                               uint32_t length, uint32_t tile, uint32_t tiles) {
    const uint32_t before = blockIdx.x % tiles * tile;
    const StoreTile<Keys, INDICES> action{output, tile_indices, before};
    const uint32_t count = before < length ? min(tile, length - before) : 0;
    sort_from<Keys, BLOCK, ITEMS>(input, uint64_t(blockIdx.x / tiles) * length + before, count, action);
}

// A key's rank is the number of keys of all tiles that come before it: of equal ones, those of the tiles before.
template <class Keys, int BLOCK, int TILES, bool INDICES>
GPUARRAY_DEVICE void merge_tiles(const typename Keys::Word* keys, const uint32_t* tile_indices,
                                 typename Keys::Word* output, int64_t* indices, uint32_t length, uint32_t tile,
                                 uint32_t blocks) {
    const uint32_t at = blockIdx.x % blocks * BLOCK + threadIdx.x;
    if (at >= length) return;
    const uint64_t row = uint64_t(blockIdx.x / blocks) * length;
    const uint32_t own = at / tile;
    const typename Keys::Word word = keys[row + at];
    const auto key = Keys::ordered(word);
    uint32_t found[TILES];
#pragma unroll
    for (int t = 0; t < TILES; ++t) found[t] = 0;
#pragma unroll 1
    for (uint32_t step = 1u << (31 - __clz(tile)); step > 0; step /= 2) {
#pragma unroll
        for (uint32_t t = 0; t < TILES; ++t) {
            const uint32_t next = found[t] + step, other = t * tile + next;
            if (t == own || next > tile || other > length) continue;
            const auto its = Keys::ordered(keys[row + other - 1]);
            if (t < own ? !(key < its) : its < key) found[t] = next;
        }
    }
    uint32_t rank = at - own * tile;
#pragma unroll
    for (int t = 0; t < TILES; ++t) rank += found[t];
    if constexpr (INDICES) {
        indices[row + rank] = tile_indices[row + at];
    } else {
        output[row + rank] = word;
    }
}

// ---- many blocks ------------------------------------------------------------------------------------------------

// The workspace of a sort: all of it is zero at the start.
//
// A word of the look-back says how many keys of a tile (partial), or of it and all tiles before (inclusive), have a
// digit: the state is in its two topmost bits. It needs no clearing between passes, since what ends one pass as
// inclusive is what the next takes as empty.
template <class Count, int PASSES> struct SortWorkspace {
    // In a row's plan, behind the passes: runs that are long, low digits without a pass (0 where all have one), blocks
    // that have counted.
    enum { WORDS = 32, LONG = 29, LOW = 30, FINISHED = 31 };
    enum { EMPTY = 0, PARTIAL = 1, INCLUSIVE = 2, SHIFT = 8 * sizeof(Count) - 2 };

    uint32_t* tickets;  // a counter for each pass
    uint32_t* plans;    // for each row: when each pass comes, from 1 (0: it is skipped), and at the end a counter
    Count* starts;      // for each row and pass: counts, later where the digit starts
    Count* lookback;    // for each tile

    GPUARRAY_DEVICE SortWorkspace(uint32_t* memory, uint32_t rows)
        : tickets(memory), plans(memory + WORDS), starts(reinterpret_cast<Count*>(plans + rows * WORDS)),
          lookback(starts + uint64_t(rows) * (PASSES * BINS)) {}

    GPUARRAY_DEVICE static Count load(const Count* from) {
        Count value;
        if constexpr (sizeof(Count) == 4) {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
        } else {
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
        }
        return value;
    }
    GPUARRAY_DEVICE static void store(Count* to, Count value, uint32_t state) {
        value |= Count(state) << SHIFT;
        if constexpr (sizeof(Count) == 4) {
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
        } else {
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
        }
    }
    GPUARRAY_DEVICE static Count value(Count word) { return word & ((Count(1) << SHIFT) - 1); }

    // The keys of all tiles before `tile` that have a digit. `base` is the digit's word of the row's first tile.
    GPUARRAY_DEVICE static Count before(const Count* base, uint32_t tile, uint32_t phase) {
        enum { WINDOW = 4 };
        Count sum = 0;
        int64_t at = int64_t(tile) - 1;
        bool found = at < 0;
        while (!found) {
            Count words[WINDOW];
#pragma unroll
            for (int w = 0; w < WINDOW; ++w) words[w] = load(base + (at >= w ? at - w : 0) * BINS);
            bool waits = false;
#pragma unroll
            for (int w = 0; w < WINDOW; ++w) {
                const uint32_t state = (uint32_t(words[w] >> SHIFT) - phase) & 3;
                waits |= state == EMPTY;
                if (!found && !waits) {
                    sum += value(words[w]);
                    found = state == INCLUSIVE;
                    --at;
                }
            }
        }
        return sum;
    }
};

GPUARRAY_DEVICE void clear_words(uint4* words, uint64_t count) {
    const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        words[i] = make_uint4(0, 0, 0, 0);
    }
}

// In what order the passes come that are needed: those whose digit differs among keys. Where the sort is in place,
// their number has to be even, and a pass that is not needed is added; without any, one copies.
template <int PASSES> GPUARRAY_DEVICE void plan_passes(const bool* needed, uint32_t* plan, bool even) {
    int count = 0;
    for (int pass = 0; pass < PASSES; ++pass) count += needed[pass];
    int added = even ? count % 2 : count == 0;
    uint32_t order = 0;
    for (int pass = 0; pass < PASSES; ++pass) {
        bool comes = needed[pass];
        if (!comes && added > 0) {
            comes = true;
            --added;
        }
        plan[pass] = comes ? ++order : 0;
    }
    plan[PASSES] = order;
}

// The same where only digits from plan[LOW] on have passes: what moves keys last is sort_short. An odd number of moves
// becomes even by a pass more, of the digit below.
template <class Workspace, int PASSES> GPUARRAY_DEVICE void plan_top(const bool* needed, uint32_t* plan, bool even) {
    uint32_t low = plan[Workspace::LOW];
    int count = 1;
    for (int pass = low; pass < PASSES; ++pass) count += needed[pass];
    const bool added = even && count % 2 != 0;
    low -= added;
    uint32_t order = 0;
    for (int pass = low; pass < PASSES; ++pass) plan[pass] = needed[pass] || (added && pass == low) ? ++order : 0;
    plan[PASSES] = order + 1;
    plan[Workspace::LOW] = low;
}

// From a row's counts of a digit to where it starts; whether all of `length` keys have one digit. By a warp.
template <class Count> GPUARRAY_DEVICE bool scan_bins(Count* counts, Count length) {
    const int lane = threadIdx.x % 32;
    Count own[8], sum = 0;
    bool whole = false;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        own[i] = counts[lane * 8 + i];
        whole |= own[i] == length;
        sum += own[i];
    }
    Count scanned = sum;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const Count other = __shfl_up_sync(0xffffffffu, scanned, distance);
        if (lane >= distance) scanned += other;
    }
    scanned -= sum;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        counts[lane * 8 + i] = scanned;
        scanned += own[i];
    }
    return __any_sync(0xffffffffu, whole);
}

// Counts the digits of a row, `blocks` blocks to a row; its last block plans the passes.
template <class Keys, class Count, int BLOCK>
GPUARRAY_DEVICE void count_digits(const typename Keys::Word* input, uint32_t* memory, uint64_t length, uint32_t rows,
                                  uint32_t blocks, bool even) {
    typedef typename Keys::Word Word;
    enum { PASSES = Keys::PASSES, UNROLL = sizeof(Word) == 16 ? 2 : 4, VECTOR = 16 / sizeof(Word) };
    typedef SortWorkspace<Count, PASSES> Workspace;
    const Workspace workspace(memory, rows);
    __shared__ uint32_t counts[PASSES][BINS];
    for (int i = threadIdx.x; i < PASSES * BINS; i += BLOCK) counts[i / BINS][i % BINS] = 0;
    __syncthreads();
    const uint32_t row = blockIdx.x / blocks, block = blockIdx.x % blocks;
    uint32_t* const plan = workspace.plans + row * Workspace::WORDS;
    const uint32_t low = Keys::RUNS ? plan[Workspace::LOW] : 0;
    const uint32_t from = low - (low != 0 && even);
    const Word* const keys = input + row * length;
    const auto add = [from](Word word) {
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            if (!Keys::RUNS || pass >= from) atomicAdd(&counts[pass][Keys::digit(word, pass)], 1);
        }
    };
    const uint64_t stride = uint64_t(blocks) * BLOCK, mine = uint64_t(block) * BLOCK + threadIdx.x;
    uint64_t done = 0;
    if constexpr (VECTOR > 1) {
        if (reinterpret_cast<uint64_t>(keys) % 16 == 0) {
            const uint4* const vectors = reinterpret_cast<const uint4*>(keys);
            const uint64_t whole = length / VECTOR;
            for (uint64_t first = mine; first < whole; first += stride * UNROLL) {
                alignas(16) Word words[UNROLL][VECTOR];
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    if (first + u * stride < whole) {
                        *reinterpret_cast<uint4*>(words[u]) = vectors[first + u * stride];
                    }
                }
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    if (first + u * stride < whole) {
#pragma unroll
                        for (int v = 0; v < VECTOR; ++v) add(words[u][v]);
                    }
                }
            }
            done = whole * VECTOR;
        }
    }
    for (uint64_t first = done + mine; first < length; first += stride * UNROLL) {
        Word words[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            if (first + u * stride < length) words[u] = keys[first + u * stride];
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            if (first + u * stride < length) add(words[u]);
        }
    }
    __syncthreads();
    Count* const totals = workspace.starts + uint64_t(row) * (PASSES * BINS);
    for (int i = threadIdx.x; i < PASSES * BINS; i += BLOCK) {
        const uint32_t counted = counts[i / BINS][i % BINS];
        if (counted != 0) atomicAdd(totals + i, Count(counted));
    }

    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(plan + workspace.FINISHED, 1) == blocks - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();

    __shared__ bool needed[PASSES];
    for (int pass = threadIdx.x / 32; pass < PASSES; pass += BLOCK / 32) {
        const bool one = scan_bins(totals + pass * BINS, Count(length));
        if (threadIdx.x % 32 == 0) needed[pass] = !one;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (low != 0) {
        plan_top<Workspace, PASSES>(needed, plan, even);
    } else {
        plan_passes<PASSES>(needed, plan, even);
    }
}

// Where a sort's keys are between passes. The last pass ends in the output.
template <class Word> struct KeyBuffers {
    const Word* input;
    Word *output, *scratch;

    GPUARRAY_DEVICE Word* target(uint32_t order, uint32_t passes) const {
        return (passes - order) % 2 == 0 ? output : scratch;
    }
    GPUARRAY_DEVICE const Word* source(uint32_t order, uint32_t passes) const {
        return order == 1 ? input : target(order - 1, passes);
    }
    // With indices the keys alternate between two memories that are not the result.
    GPUARRAY_DEVICE Word* target_with_indices(uint32_t order) const { return order % 2 == 0 ? output : scratch; }
    GPUARRAY_DEVICE const Word* source_with_indices(uint32_t order) const {
        return order == 1 ? input : target_with_indices(order - 1);
    }
};

// One pass by one digit. With INDICES the keys' indices in the input move along (and the keys of the last pass need
// not be written): they alternate between `scratch_indices` and the memory of the output, which is twice as wide.
template <class Keys, class Count, int BLOCK, int ITEMS, bool INDICES> struct Pass {
    typedef typename Keys::Word Word;
    typedef Ranker<BLOCK, ITEMS> Rank;
    typedef SortWorkspace<Count, Keys::PASSES> Workspace;
    enum { TILE = BLOCK * ITEMS };

    union Shared {
        typename Rank::Shared rank;
        struct {
            unsigned char keys[TILE * sizeof(Word)];
            Count indices[INDICES ? TILE : 1];
        } exchanged;
    };

    GPUARRAY_DEVICE static void run(KeyBuffers<Word> buffers, Count* scratch_indices, int64_t* indices,
                                    uint32_t* memory, uint64_t length, uint32_t rows, uint32_t tiles, uint32_t pass) {
        const Workspace workspace(memory, rows);
        __shared__ alignas(16) Shared shared;
        __shared__ Count bases[BINS];
        __shared__ uint32_t ticket;
        if (rows == 1 && workspace.plans[pass] == 0) return;
        if (threadIdx.x == 0) ticket = atomicAdd(workspace.tickets + pass, 1);
        __syncthreads();
        const uint32_t row = ticket / tiles, tile = ticket % tiles;
        const uint32_t order = workspace.plans[row * Workspace::WORDS + pass];
        const uint32_t passes = workspace.plans[row * Workspace::WORDS + Keys::PASSES];
        if (order == 0) return;
        const uint64_t offset = row * length;
        const uint64_t begin = uint64_t(tile) * TILE;
        const uint32_t count = length - begin < TILE ? uint32_t(length - begin) : TILE;

        // Of neighbours, the next lane has the next.
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
        const Word* source;
        Word* target;
        if constexpr (INDICES) {
            source = buffers.source_with_indices(order);
            target = buffers.target_with_indices(order);
        } else {
            source = buffers.source(order, passes);
            target = buffers.target(order, passes);
        }
        source += offset + begin;
        target += offset;
        Word keys[ITEMS];
        uint32_t digits[ITEMS];
        if (count == TILE) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) keys[i] = source[first + i * 32];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) digits[i] = Keys::digit(keys[i], pass);
        } else {
            // What is behind the end has the greatest digit, and being last stays there.
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                keys[i] = Word();
                if (first + i * 32 < count) keys[i] = source[first + i * 32];
                digits[i] = first + i * 32 < count ? Keys::digit(keys[i], pass) : BINS - 1;
            }
        }

        uint32_t totals[Rank::HELD], starts[Rank::HELD];
        Rank::count(shared.rank, digits, totals);
        const uint32_t phase = order % 2 == 0 ? 2 : 0;
        Count* const lookback = workspace.lookback + uint64_t(row) * tiles * BINS;
        if (threadIdx.x < Rank::HOLDERS) {
#pragma unroll
            for (int u = 0; u < Rank::HELD; ++u) {
                const uint32_t state = tile == 0 ? Workspace::INCLUSIVE : Workspace::PARTIAL;
                Workspace::store(lookback + uint64_t(tile) * BINS + threadIdx.x * Rank::HELD + u, totals[u],
                                 (state + phase) & 3);
            }
        }
        Rank::start(shared.rank, totals, starts);
        Rank::rank(shared.rank, digits);
        __syncthreads();
        Word* const exchanged = reinterpret_cast<Word*>(shared.exchanged.keys);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) exchanged[digits[i]] = keys[i];
        Count* const wide = reinterpret_cast<Count*>(indices + offset);
        scratch_indices += offset;
        if constexpr (INDICES) {
            const Count* const from = (passes - order) % 2 == 0 ? scratch_indices : wide;
            Count carried[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const uint32_t at = first + i * 32;
                carried[i] = Count(begin + at);
                if (order > 1 && at < count) carried[i] = from[begin + at];
            }
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) shared.exchanged.indices[digits[i]] = carried[i];
        }

        if (threadIdx.x < Rank::HOLDERS) {
#pragma unroll
            for (int u = 0; u < Rank::HELD; ++u) {
                const uint32_t bin = threadIdx.x * Rank::HELD + u;
                const Count before = Workspace::before(lookback + bin, tile, phase);
                if (tile != 0) {
                    Workspace::store(lookback + uint64_t(tile) * BINS + bin, before + totals[u],
                                     (Workspace::INCLUSIVE + phase) & 3);
                }
                bases[bin] = workspace.starts[(uint64_t(row) * Keys::PASSES + pass) * BINS + bin] + before - starts[u];
            }
        }
        __syncthreads();
        if constexpr (INDICES) {
            Count* const to = (passes - order) % 2 == 0 ? wide : scratch_indices;
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const uint32_t at = i * BLOCK + threadIdx.x;
                if (at < count) {
                    const Word key = exchanged[at];
                    const Count rank = bases[Keys::digit(key, pass)] + at, index = shared.exchanged.indices[at];
                    if (order == passes) {
                        indices[offset + rank] = index;
                    } else {
                        target[rank] = key;
                        to[rank] = index;
                    }
                }
            }
        } else if (count == TILE) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const uint32_t at = i * BLOCK + threadIdx.x;
                const Word key = exchanged[at];
                target[Count(bases[Keys::digit(key, pass)] + at)] = key;
            }
        } else {
#pragma unroll 1
            for (uint32_t at = threadIdx.x; at < count; at += BLOCK) {
                const Word key = exchanged[at];
                target[Count(bases[Keys::digit(key, pass)] + at)] = key;
            }
        }
    }
};

// Keys of one byte from their counts: sixteen for each thread.
template <class Keys, class Count, int BLOCK>
GPUARRAY_DEVICE void fill_counted(uint8_t* output, uint32_t* memory, uint64_t length, uint32_t rows, uint32_t tiles) {
    const SortWorkspace<Count, 1> workspace(memory, rows);
    __shared__ Count starts[BINS + 1];
    const uint32_t row = blockIdx.x / tiles, tile = blockIdx.x % tiles;
    for (int i = threadIdx.x; i <= BINS; i += BLOCK) {
        starts[i] = i < BINS ? workspace.starts[row * BINS + i] : Count(length);
    }
    __syncthreads();
    uint8_t* const to = output + row * length;
    const uint64_t first = (uint64_t(tile) * BLOCK + threadIdx.x) * 16;
    if (first >= length) return;
    // The last digit that starts here or before.
    int digit = 0;
#pragma unroll
    for (int step = BINS / 2; step > 0; step /= 2) {
        if (starts[digit + step] <= first) digit += step;
    }
    // Nearly all threads write one value.
    const bool whole = first + 16 <= length && starts[digit + 1] >= first + 16;
    if (whole && reinterpret_cast<uint64_t>(to) % 16 == 0) {
        const uint32_t four = Keys::from_digit(digit) * 0x01010101u;
        *reinterpret_cast<uint4*>(to + first) = make_uint4(four, four, four, four);
        return;
    }
#pragma unroll 1
    for (uint64_t at = first; at < first + 16 && at < length; ++at) {
        while (at >= starts[digit + 1]) ++digit;
        to[at] = Keys::from_digit(digit);
    }
}

}  // namespace gpuarray
