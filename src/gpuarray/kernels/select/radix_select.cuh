// Radix select: the elements of given ranks in a row's sorted order, without sorting it; and rows split around such
// elements.
//
// Keys are looked at digit by digit, the highest first. A pass counts the digits of those keys that agree with a
// rank's element in all higher digits, its candidates, and the counts say which digit the element has: after the last
// pass the key is known, and how many keys are equal to it and how many less. Ranks whose elements still agree share
// their counts.
//
//   select_row   one block a row: all passes in one launch, of which the later ones find the row in the cache
//   select_pass  many blocks a row: a launch for each digit. The last block to finish decides for the next pass, so
//                the host waits for nothing. Once candidates are few, a pass copies them, and the rest look only there
//   Split        smaller, equal and greater elements behind one another, each in their order: how many of them are in
//                the tiles before, a block learns by look-back (scan.cuh)
//
// Counts do not depend on the order of additions, so results do not.
#pragma once

#include "gpuarray/read_row.cuh"
#include "gpuarray/mask.cuh"
#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

template <class Keys, int BITS> struct SelectDigits {
    typedef typename Keys::Ordered Ordered;
    enum {
        WIDTH = 8 * sizeof(Ordered),
        PASSES = (WIDTH + BITS - 1) / BITS,
        DIGIT = (WIDTH + PASSES - 1) / PASSES,
        BINS = 1 << DIGIT
    };
    // The bits below a pass's digit; before the first pass all, after the last none.
    GPUARRAY_DEVICE static int below(int pass) { return pass + 1 < PASSES ? WIDTH - (pass + 1) * DIGIT : 0; }
    GPUARRAY_DEVICE static uint32_t digit(Ordered key, int pass) {
        const int bits = WIDTH - pass * DIGIT - below(pass);
        return uint32_t(key >> below(pass)) & ((1u << bits) - 1);
    }
    GPUARRAY_DEVICE static bool agree(Ordered key, Ordered prefix, int pass) {
        return pass == 0 || Ordered(key ^ prefix) >> below(pass - 1) == 0;
    }
};

// What is known before a pass.
template <int RANKS> struct SelectState {
    uint64_t prefix[RANKS];    // the digits so far, as they are in a key
    uint64_t rest[RANKS];      // the rank among the candidates
    uint64_t count[RANKS];     // candidates
    uint64_t slot[RANKS];      // which counts: those of ranks that agree are the same
    uint64_t distinct[RANKS];  // the prefix of each slot
    uint64_t slots, mode;
    uint64_t candidates;  // of all slots, or when they were copied
};
// Where candidates are: in the row; the same, but this pass copies them; in the copy.
enum SelectMode { SELECT_ALL, SELECT_COPYING, SELECT_COPIED };

// What is found beside counts, of floats: whether there is a 0.0 (a key does not say which zero it is) and a NaN.
enum SelectFlags { SEEN_ZERO = 1, SEEN_NAN = 2 };

template <class Keys, int BITS, int RANKS, int BLOCK> struct RadixSelect : SelectDigits<Keys, BITS> {
    typedef SelectDigits<Keys, BITS> Digits;
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    typedef SelectState<RANKS> State;
    enum { PASSES = Digits::PASSES, BINS = Digits::BINS, HELD = (BINS + BLOCK - 1) / BLOCK, WARPS = BLOCK / 32 };

    GPUARRAY_DEVICE static void begin(State& state, const Ranks<RANKS>& ranks, uint64_t length) {
        if (threadIdx.x < RANKS) {
            state.prefix[threadIdx.x] = state.slot[threadIdx.x] = state.distinct[threadIdx.x] = 0;
            state.rest[threadIdx.x] = ranks.at[threadIdx.x];
            state.count[threadIdx.x] = length;
        }
        if (threadIdx.x == 0) {
            state.slots = 1;
            state.candidates = length;
            state.mode = SELECT_ALL;
        }
    }

    GPUARRAY_DEVICE static void clear(const State& state, uint32_t* counts) {
        for (uint32_t i = threadIdx.x; i < uint32_t(state.slots) * BINS; i += BLOCK) counts[i] = 0;
    }

    // Counts what agrees, and copies it from `filled` on to `copy` if there is one. Returns this thread's flags.
    GPUARRAY_DEVICE static uint32_t count(const Word* row, uint64_t length, uint32_t block, uint32_t blocks, int pass,
                                          const State& state, uint32_t* counts, Word* copy,
                                          unsigned long long* filled) {
        enum { UNROLLED = RANKS <= 4 ? RANKS : 1 };
        const uint32_t slots = uint32_t(state.slots);
        Ordered distinct[UNROLLED];
#pragma unroll
        for (int s = 0; s < UNROLLED; ++s) distinct[s] = Ordered(state.distinct[s]);
        uint32_t flags = 0;
        Reader<Word, BLOCK>::read(row, length, block, blocks, [&](const auto& words, int valid, uint64_t) {
            enum { COUNT = sizeof(words) / sizeof(Word) };
            uint32_t taken = 0;
#pragma unroll
            for (int i = 0; i < COUNT; ++i) {
                if (i < valid) {
                    const Ordered key = Keys::ordered(words[i]);
                    if constexpr (Keys::FLOATS) {
                        if (pass == 0) {
                            flags |= words[i] == 0 ? SEEN_ZERO : 0;
                            flags |= key == Ordered(~Ordered(0)) ? SEEN_NAN : 0;
                        }
                    }
                    const uint32_t digit = Digits::digit(key, pass);
                    if constexpr (RANKS <= 4) {
#pragma unroll
                        for (int s = 0; s < RANKS; ++s) {
                            if (s < slots && Digits::agree(key, distinct[s], pass)) {
                                atomicAdd(counts + s * BINS + digit, 1);
                                taken |= 1u << i;
                            }
                        }
                    } else {
#pragma unroll 1
                        for (uint32_t s = 0; s < slots; ++s) {
                            if (Digits::agree(key, Ordered(state.distinct[s]), pass)) {
                                atomicAdd(counts + s * BINS + digit, 1);
                                taken |= 1u << i;
                            }
                        }
                    }
                }
            }
            if (copy) {
                const int lane = threadIdx.x % 32;
                const uint32_t own = __popc(taken), scanned = scan_lanes<Counting<uint32_t>, 32>(own, lane);
                const uint32_t total = from_lane<32>(scanned, 31);
                if (total > 0) {
                    uint64_t first = 0;
                    if (lane == 0) first = atomicAdd(filled, (unsigned long long)total);
                    Word* to = copy + from_lane<32>(first, 0) + (scanned - own);
#pragma unroll
                    for (int i = 0; i < COUNT; ++i) {
                        if (taken >> i & 1) *to++ = words[i];
                    }
                }
            }
        });
        return flags;
    }

    // From the counts to what is known before the next pass. All threads of a block call, and then wait.
    template <class Counts>
    GPUARRAY_DEVICE static void pick(const Counts* counts, int pass, uint64_t capacity, const State& state,
                                     State& next) {
        __shared__ uint64_t sums[WARPS];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 1
        for (int i = 0; i < RANKS; ++i) {
            const Counts* const own = counts + state.slot[i] * BINS;
            uint64_t held[HELD], sum = 0;
#pragma unroll
            for (int u = 0; u < HELD; ++u) {
                const int bin = threadIdx.x * HELD + u;
                held[u] = bin < BINS ? own[bin] : 0;
                sum += held[u];
            }
            uint64_t before = scan_lanes<Counting<uint64_t>, 32>(sum, lane);
            if (lane == 31) sums[warp] = before;
            before -= sum;
            __syncthreads();
#pragma unroll
            for (int w = 0; w < WARPS; ++w) before += w < warp ? sums[w] : 0;
            const uint64_t rest = state.rest[i];
#pragma unroll
            for (int u = 0; u < HELD; ++u) {
                if (before <= rest && rest - before < held[u]) {
                    const uint64_t digit = threadIdx.x * HELD + u;
                    next.prefix[i] = state.prefix[i] | digit << Digits::below(pass);
                    next.rest[i] = rest - before;
                    next.count[i] = held[u];
                }
                before += held[u];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            uint64_t slots = 0, candidates = 0;
#pragma unroll 1
            for (int i = 0; i < RANKS; ++i) {
                if (i == 0 || next.prefix[i] != next.prefix[i - 1]) {
                    next.distinct[slots++] = next.prefix[i];
                    candidates += next.count[i];
                }
                next.slot[i] = slots - 1;
            }
            for (uint64_t s = slots; s < RANKS; ++s) next.distinct[s] = 0;
            next.slots = slots;
            // What has been copied stays as it is.
            next.candidates = state.mode == SELECT_ALL ? candidates : state.candidates;
            // A copy is for the passes after the next one.
            const bool worthwhile = candidates <= capacity && pass + 2 < PASSES;
            next.mode = state.mode != SELECT_ALL ? SELECT_COPIED : worthwhile ? SELECT_COPYING : SELECT_ALL;
        }
    }

    // The elements found, those of all rows for one result behind one another.
    GPUARRAY_DEVICE static void store(const State& state, uint32_t flags, Word* values, uint64_t row, uint64_t rows,
                                      uint32_t wanted, bool spread, const Ranks<RANKS>& ranks) {
        if (threadIdx.x < wanted) {
            Ordered key = Ordered(state.prefix[ranks.of[threadIdx.x]]);
            if (spread && (flags & SEEN_NAN)) key = Ordered(~Ordered(0));
            values[threadIdx.x * rows + row] = Keys::from_ordered(key, flags & SEEN_ZERO);
        }
    }
};

// The workspace that the blocks of a row share. All of it is zero at the start.
template <class Select, class Count> struct SelectWorkspace {
    typedef typename Select::State State;
    enum { HEADER = 4 };
    uint32_t *finished, *flags;
    unsigned long long* filled;
    State* states;  // before each pass but the first, and after the last
    Count* counts;

    GPUARRAY_DEVICE SelectWorkspace(uint64_t* memory, uint64_t row, int ranks) {
        const uint64_t words = HEADER + Select::PASSES * sizeof(State) / 8 + ranks * Select::BINS * sizeof(Count) / 8;
        uint64_t* const own = memory + row * words;
        finished = reinterpret_cast<uint32_t*>(own);
        flags = finished + 1;
        filled = reinterpret_cast<unsigned long long*>(own + 1);
        states = reinterpret_cast<State*>(own + HEADER);
        counts = reinterpret_cast<Count*>(states + Select::PASSES);
    }
};

// One pass. The copy of candidates has `capacity` elements for each row. The last pass stores values, if they are
// `wanted`.
template <class Keys, class Count, int BITS, int RANKS, int BLOCK>
GPUARRAY_DEVICE void select_pass(const typename Keys::Word* input, typename Keys::Word* values,
                                 typename Keys::Word* copies, uint64_t* memory, uint64_t length, uint64_t capacity,
                                 uint32_t rows, uint32_t blocks, uint32_t pass, uint32_t wanted, uint32_t spread,
                                 const Ranks<RANKS>& ranks) {
    typedef RadixSelect<Keys, BITS, RANKS, BLOCK> Select;
    typedef typename Select::State State;
    enum { BINS = Select::BINS, PASSES = Select::PASSES, TAKEN = 4 * 16 / sizeof(typename Keys::Word) };
    __shared__ State state, next;
    __shared__ uint32_t counts[RANKS * BINS];
    __shared__ bool last;
    const uint32_t row = blockIdx.x / blocks, block = blockIdx.x % blocks;
    const SelectWorkspace<Select, Count> workspace(memory, row, RANKS);
    if (pass == 0) {
        Select::begin(state, ranks, length);
    } else if (threadIdx.x < sizeof(State) / 8) {
        reinterpret_cast<uint64_t*>(&state)[threadIdx.x] =
            reinterpret_cast<const uint64_t*>(workspace.states + pass - 1)[threadIdx.x];
    }
    __syncthreads();
    const bool copied = state.mode == SELECT_COPIED;
    typename Keys::Word* const copy = copies + row * capacity;
    if (copied) {
        // Few elements are not for many blocks.
        const uint64_t useful = (state.candidates + BLOCK * TAKEN - 1) / (BLOCK * TAKEN);
        if (useful < blocks) blocks = useful > 0 ? uint32_t(useful) : 1;
        if (block >= blocks) return;
    }
    Select::clear(state, counts);
    __syncthreads();
    const uint32_t seen = Select::count(copied ? copy : input + row * length, copied ? state.candidates : length, block,
                                        blocks, pass, state, counts, state.mode == SELECT_COPYING ? copy : nullptr,
                                        workspace.filled);
    if constexpr (Keys::FLOATS) {
        if (pass == 0) {
            const bool zero = __syncthreads_or(seen & SEEN_ZERO), nan = __syncthreads_or(seen & SEEN_NAN);
            if (threadIdx.x == 0 && (zero || nan)) {
                atomicOr(workspace.flags, (zero ? SEEN_ZERO : 0u) | (nan ? SEEN_NAN : 0u));
            }
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < uint32_t(state.slots) * BINS; i += BLOCK) {
        const uint32_t counted = counts[i];
        if (counted != 0) atomicAdd(workspace.counts + i, Count(counted));
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(workspace.finished, 1) == blocks - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    Select::pick(workspace.counts, pass, capacity, state, next);
    __syncthreads();
    if (threadIdx.x < sizeof(State) / 8) {
        reinterpret_cast<uint64_t*>(workspace.states + pass)[threadIdx.x] =
            reinterpret_cast<const uint64_t*>(&next)[threadIdx.x];
    }
    if (pass + 1 < PASSES) {
        for (uint32_t i = threadIdx.x; i < uint32_t(state.slots) * BINS; i += BLOCK) workspace.counts[i] = 0;
        if (threadIdx.x == 0) *workspace.finished = 0;
    } else {
        Select::store(next, *workspace.flags, values, row, rows, wanted, spread != 0, ranks);
    }
}

// ---- splitting --------------------------------------------------------------------------------------------------

// Elements belong to 2 * RANKS + 1 classes: less than the first pivot, equal to it, less than the second, and so on,
// and what is greater than the last. A warp owns a part of a tile, 32 neighbours at a time.
template <class Keys, class Count, int RANKS, int BLOCK, int ITEMS, bool INDICES> struct Split {
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { OTHERS = 2 * RANKS, TILE = BLOCK * ITEMS, WARPS = BLOCK / 32 };

    struct Numbers {
        Count of[OTHERS];  // how many elements are of each class but the last
    };
    struct Adding {
        typedef Numbers Value;
        GPUARRAY_DEVICE static Numbers neutral() {
            Numbers result;
#pragma unroll
            for (int c = 0; c < OTHERS; ++c) result.of[c] = 0;
            return result;
        }
        GPUARRAY_DEVICE static Numbers combine(Numbers a, const Numbers& b) {
#pragma unroll
            for (int c = 0; c < OTHERS; ++c) a.of[c] += b.of[c];
            return a;
        }
    };
    struct Shared {
        uint32_t totals[WARPS][OTHERS];
        Numbers before;
    };

    Ordered pivots[RANKS];
    Count starts[OTHERS + 1];

    template <class State> GPUARRAY_DEVICE Split(const State& state, const Ranks<RANKS>& ranks) {
        starts[0] = 0;
#pragma unroll
        for (int r = 0; r < RANKS; ++r) {
            pivots[r] = Ordered(state.prefix[r]);
            starts[2 * r + 1] = Count(ranks.at[r] - state.rest[r]);
            starts[2 * r + 2] = starts[2 * r + 1] + Count(state.count[r]);
        }
    }

    GPUARRAY_DEVICE int class_of(Word word) const {
        const Ordered key = Keys::ordered(word);
        int result = OTHERS;
#pragma unroll
        for (int r = RANKS - 1; r >= 0; --r) {
            if (!(pivots[r] < key)) result = 2 * r + 1;
            if (key < pivots[r]) result = 2 * r;
        }
        return result;
    }

    GPUARRAY_DEVICE static uint32_t first() { return threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32; }

    // Loads a tile of `count` elements and returns how many there are of each class. Ends with a barrier.
    GPUARRAY_DEVICE Numbers load(const Word* tile, uint32_t count, Word (&words)[ITEMS], Shared& shared) const {
        uint32_t own[OTHERS] = {};
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            words[i] = Word();
            if (first() + i * 32 < count) words[i] = tile[first() + i * 32];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int one = first() + i * 32 < count ? class_of(words[i]) : OTHERS;
#pragma unroll
            for (int c = 0; c < OTHERS; ++c) own[c] += __popc(__ballot_sync(0xffffffffu, one == c));
        }
        if (threadIdx.x % 32 == 0) {
#pragma unroll
            for (int c = 0; c < OTHERS; ++c) shared.totals[threadIdx.x / 32][c] = own[c];
        }
        __syncthreads();
        Numbers all = Adding::neutral();
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
#pragma unroll
            for (int c = 0; c < OTHERS; ++c) all.of[c] += shared.totals[w][c];
        }
        return all;
    }

    // Stores a tile, which begins at `begin` of the row; before it are so many elements of each class.
    GPUARRAY_DEVICE void store(const Word (&words)[ITEMS], uint32_t count, Count begin, const Numbers& before,
                               Word* row, int64_t* indices, const Shared& shared) const {
        const uint32_t earlier = (1u << threadIdx.x % 32) - 1;
        // Where the next element of each class goes: what is no other class is of the last.
        Count next[OTHERS + 1];
        next[OTHERS] = starts[OTHERS] + begin + threadIdx.x / 32 * (32 * ITEMS);
#pragma unroll
        for (int c = 0; c < OTHERS; ++c) {
            Count mine = before.of[c];
#pragma unroll
            for (int w = 0; w < WARPS; ++w) mine += w < threadIdx.x / 32 ? shared.totals[w][c] : 0;
            next[c] = starts[c] + mine;
            next[OTHERS] -= mine;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t at = first() + i * 32;
            const int one = at < count ? class_of(words[i]) : -1;
            Count rank = 0;
#pragma unroll
            for (int c = 0; c <= OTHERS; ++c) {
                const uint32_t same = __ballot_sync(0xffffffffu, one == c);
                if (one == c) rank = next[c] + __popc(same & earlier);
                next[c] += __popc(same);
            }
            if (at < count) {
                if constexpr (INDICES) {
                    indices[rank] = int64_t(begin + at);
                } else {
                    row[rank] = words[i];
                }
            }
        }
    }

    // One block walks the row.
    GPUARRAY_DEVICE void walk(const Word* input, Word* output, int64_t* indices, Count length) const {
        __shared__ Shared shared;
        Numbers before = Adding::neutral();
#pragma unroll 1
        for (Count begin = 0; begin < length; begin += TILE) {
            const uint32_t count = length - begin < TILE ? uint32_t(length - begin) : TILE;
            Word words[ITEMS];
            const Numbers all = load(input + begin, count, words, shared);
            store(words, count, begin, before, output, indices, shared);
            before = Adding::combine(before, all);
            __syncthreads();
        }
    }

    // A block for each tile.
    GPUARRAY_DEVICE void split_tile(const Word* input, Word* output, int64_t* indices, uint64_t length, uint32_t tile,
                                    const LookBackState<Numbers>& lookback) const {
        __shared__ Shared shared;
        const Count begin = Count(tile) * TILE;
        const uint32_t count = length - begin < TILE ? uint32_t(length - begin) : TILE;
        Word words[ITEMS];
        const Numbers all = load(input + begin, count, words, shared);
        if (threadIdx.x < 32) {
            const Numbers found = look_back<Adding>(lookback, tile, all, threadIdx.x).value;
            if (threadIdx.x == 0) shared.before = found;
        }
        __syncthreads();
        store(words, count, begin, shared.before, output, indices, shared);
    }
};

// Behind the passes: rows of `tiles` tiles each.
template <class Keys, class Count, int BITS, int RANKS, int BLOCK, int ITEMS, bool INDICES>
GPUARRAY_DEVICE void split_rows(const typename Keys::Word* input, typename Keys::Word* output, int64_t* indices,
                                uint64_t* memory, uint64_t* lookback, uint64_t length, uint32_t rows, uint32_t tiles,
                                const Ranks<RANKS>& ranks) {
    typedef RadixSelect<Keys, BITS, RANKS, BLOCK> Select;
    typedef Split<Keys, Count, RANKS, BLOCK, ITEMS, INDICES> Rows;
    const Ticket ticket = draw_ticket(lookback, rows * tiles);
    const uint32_t row = ticket.number / tiles, tile = ticket.number % tiles;
    const SelectWorkspace<Select, Count> workspace(memory, row, RANKS);
    const Rows split(workspace.states[Select::PASSES - 1], ranks);
    const uint64_t offset = row * length;
    split.split_tile(input + offset, output + offset, indices + offset, length, tile,
               LookBackState<typename Rows::Numbers>(lookback, row, rows, tiles, ticket.tag));
}

// One block a row, of less than 2^31 elements: the elements found, or the row split around them.
template <class Keys, int BITS, int RANKS, int BLOCK, int ITEMS, bool VALUES, bool INDICES>
GPUARRAY_DEVICE void select_row(const typename Keys::Word* input, typename Keys::Word* output, int64_t* indices,
                                uint64_t length, uint32_t rows, uint32_t wanted, uint32_t spread,
                                const Ranks<RANKS>& ranks) {
    typedef RadixSelect<Keys, BITS, RANKS, BLOCK> Select;
    enum { BINS = Select::BINS, PASSES = Select::PASSES };
    __shared__ typename Select::State states[2];
    __shared__ uint32_t counts[RANKS * BINS];
    const uint64_t row = blockIdx.x, offset = row * length;
    uint32_t flags = 0;
    Select::begin(states[0], ranks, length);
    __syncthreads();
#pragma unroll 1
    for (int pass = 0; pass < PASSES; ++pass) {
        const typename Select::State& state = states[pass % 2];
        Select::clear(state, counts);
        __syncthreads();
        flags |= Select::count(input + offset, length, 0, 1, pass, state, counts, nullptr, nullptr);
        __syncthreads();
        Select::pick(counts, pass, 0, state, states[(pass + 1) % 2]);
        __syncthreads();
    }
    const typename Select::State& found = states[PASSES % 2];
    if constexpr (VALUES) {
        const bool zero = __syncthreads_or(flags & SEEN_ZERO), nan = __syncthreads_or(flags & SEEN_NAN);
        flags = (zero ? SEEN_ZERO : 0u) | (nan ? SEEN_NAN : 0u);
        Select::store(found, flags, output, row, rows, wanted, spread != 0, ranks);
    } else {
        const Split<Keys, uint32_t, RANKS, BLOCK, ITEMS, INDICES> split(found, ranks);
        split.walk(input + offset, output + offset, indices + offset, uint32_t(length));
    }
}

}  // namespace gpuarray
