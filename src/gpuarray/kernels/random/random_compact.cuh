// Draws that reject units, or need several: the results stand in the order of the stream, one behind the other.
//
// A block reads a tile of units and marks those with which a result begins: of integers the accepted ones. What a unit
// gives waits in shared memory for its place. A draw from
// a ziggurat takes one unit in 98.8% of cases. Draws that would begin at the other units (long ones, whether a result
// really begins there or not) are listed, and drawn to their end by a thread each, which tells how many units they
// take. A unit between a draw's first and its end begins nothing.
//
// A long draw is a head if no other long draw reaches its first unit, whether that one really begins or not; so a result
// begins at each head. From there a thread follows the draws: what begins behind the end of a draw that really began does
// so as well. A tile sees the 2 * REACH units before it, too. A draw that takes more than REACH units, more long draws
// than the list has room for, or a chain of them that is longer than what is seen before a tile is noted as irregular.
// That does not happen by chance (less than once in 1e15 tiles); then one thread draws everything again.
//
// The number of results before a tile comes from look-back. The last tile's block goes on until there are enough.
#pragma once

#include "gpuarray/random_fill.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

struct CountSum {
    typedef int64_t Value;
    GPUARRAY_DEVICE static int64_t neutral() { return 0; }
    GPUARRAY_DEVICE static int64_t combine(int64_t a, int64_t b) { return a + b; }
};

// Exclusive sums of a number of each thread; returns that of all.
template <int BLOCK> GPUARRAY_DEVICE uint32_t sums_before(uint32_t& value, uint32_t* shared) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t sum = value;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) shared[warp] = sum;
    __syncthreads();
    uint32_t before = 0, all = 0;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) {
        if (i < warp) before += shared[i];
        all += shared[i];
    }
    __syncthreads();
    value = before + sum - value;
    return all;
}

// Long draws of a tile, by the position of their first units in what is seen: EXTRA units before the tile, then it.
template <class Draw, int CAPACITY> struct LongDraws {
    uint16_t position[CAPACITY];
    uint16_t length[CAPACITY];
    uint8_t begins[CAPACITY];  // 0: no, 1: yes, 2: not known
    uint8_t head[CAPACITY];
    typename Draw::Result value[CAPACITY];
};
struct NoLongDraws {};
template <bool LONG, class Draw, int CAPACITY> struct LongDrawsOf { typedef NoLongDraws type; };
template <class Draw, int CAPACITY> struct LongDrawsOf<true, Draw, CAPACITY> {
    typedef LongDraws<Draw, CAPACITY> type;
};

// What is kept of a unit until its place is known: its result, or the unit where it gives several.
template <class Draw, class Unit, bool SINGLE> struct Kept {
    typedef typename Draw::Result Value;
    template <class Reading> GPUARRAY_DEVICE static Value of(const Reading& draw, Unit unit) { return draw.piece(unit, 0); }
    template <class Reading> GPUARRAY_DEVICE static Value piece(const Reading&, Value kept, int) { return kept; }
};
template <class Draw, class Unit> struct Kept<Draw, Unit, false> {
    typedef Unit Value;
    template <class Reading> GPUARRAY_DEVICE static Value of(const Reading&, Unit unit) { return unit; }
    template <class Reading> GPUARRAY_DEVICE static typename Draw::Result piece(const Reading& draw, Value kept, int i) {
        return draw.piece(kept, i);
    }
};

// Draws without long ones read whole words: their units, where these are halves, are two of a word.
template <class Engine, int BLOCK, int ROUNDS, int REACH, int CAPACITY, class Draw> struct Compact {
    enum { LONG = Draw::LONG };
    typedef typename Draw::Result Result;
    typedef OfWords<Draw, LONG ? 64 : Draw::BITS> Reading;
    typedef Lane<Engine, LONG ? Draw::BITS : 64, BLOCK> Reader;
    typedef Kept<Draw, typename Reader::Unit, Reading::PIECES == 1> Keep;
    enum {
        TILE = BLOCK * ROUNDS,
        WORDS = TILE / 32,
        WARPS = BLOCK / 32,
        PIECES = Reading::PIECES,
        EXTRA = 2 * REACH,
        EXTRA_WORDS = EXTRA / 32
    };
    static_assert(WORDS + EXTRA_WORDS <= BLOCK, "a thread has one word of marks");
    static_assert(EXTRA % 32 == 0 && EXTRA <= BLOCK, "units before a tile are read by whole warps");

    struct Shared {
        typename Keep::Value kept[TILE];
        uint64_t origin[STATE_HEADER + Engine::WORDS];  // the state behind all units before those that are seen
        uint32_t starts[PIECES][WORDS], before[WORDS], longs[LONG ? WORDS + EXTRA_WORDS : 1], sums[WARPS];
        int64_t base;
        bool irregular;
        typename LongDrawsOf<LONG, Draw, CAPACITY>::type list;
    };

    // Marks the units of a tile that long draws which really begin have read.
    GPUARRAY_DEVICE static void follow_long_draws(const Draw& draw, int seen_before, uint32_t& total, Shared& shared) {
        auto& list = shared.list;
        const int seen = WORDS + EXTRA_WORDS;
        uint32_t marks = threadIdx.x < seen ? shared.longs[threadIdx.x] : 0, rank = __popc(marks);
        total = sums_before<BLOCK>(rank, shared.sums);
        if (total > CAPACITY) {
            if (threadIdx.x == 0) shared.irregular = true;
            total = 0;
        } else {
            for (; marks != 0; marks &= marks - 1) list.position[rank++] = threadIdx.x * 32 + __ffs(marks) - 1;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < total; i += BLOCK) {
            Stream<Engine> stream(shared.origin);
            stream.template skip<Draw::BITS>(seen_before + list.position[i] - EXTRA);
            list.value[i] = draw.next(stream);
            uint32_t length = stream.read;
            if (length > REACH) {
                shared.irregular = true;
                length = REACH;
            }
            list.length[i] = length;
            list.begins[i] = 2;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < total; i += BLOCK) {
            const int position = list.position[i];
            bool reached = false;
            for (int k = int(i) - 1; k >= 0 && list.position[k] + REACH > position; --k) {
                if (list.position[k] + list.length[k] > position) reached = true;
            }
            list.head[i] = !reached && position >= REACH;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < total; i += BLOCK) {
            if (!list.head[i]) continue;
            list.begins[i] = 1;
            uint32_t end = list.position[i] + list.length[i];
            for (uint32_t k = i + 1; k < total && !list.head[k]; ++k) {
                const bool begins = list.position[k] >= end;
                list.begins[k] = begins;
                if (begins) end = list.position[k] + list.length[k];
            }
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < total; i += BLOCK) {
            const uint32_t end = list.position[i] + list.length[i];
            if (end <= EXTRA) continue;
            if (list.begins[i] == 2) shared.irregular = true;
            if (list.begins[i] != 1) continue;
            uint32_t unit = list.position[i] + 1;
            if (unit < EXTRA) unit = EXTRA;
            for (; unit < end && unit < EXTRA + TILE; ++unit) {
                atomicAnd(&shared.starts[0][(unit - EXTRA) / 32], ~(1u << (unit - EXTRA) % 32));
            }
        }
        __syncthreads();
    }

    // What the half that is left gives, before all others; returns how many results that are.
    GPUARRAY_DEVICE static int64_t results_of_half(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output,
                                                   uint64_t count, bool stores) {
        uint64_t rank = 0;
        if constexpr (!LONG && Draw::BITS == 32) {
            const uint32_t half = uint32_t(state[1]), accepted = draw.accepted(half);
            for (int i = 0; i < Draw::PIECES; ++i) {
                if (!(accepted >> i & 1)) continue;
                if (stores && rank < count) output[rank] = draw.piece(half, i);
                if (stores && rank == count - 1) finish<Engine, 32>(state, next, 1);
                ++rank;
            }
        }
        return rank;
    }

    // The results of a tile, and behind the last one of all the next state. `units` come before the tile.
    template <bool ENDS>
    GPUARRAY_DEVICE static void store(const Draw& draw, Result* output, int64_t base, uint64_t units, uint32_t found,
                                      uint64_t count, const uint64_t* state, uint64_t* next, const Shared& shared) {
        const typename Reading::Type reading(draw);
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const uint32_t lower = (1u << lane) - 1;
        output += base;
        const int64_t left = int64_t(count) - base;
        auto put = [&](uint32_t rank, Result value, uint32_t read) {
            if (!ENDS || rank < left) output[rank] = value;
            if (ENDS && rank == left - 1) finish<Engine, Draw::BITS>(state, next, units + read);
        };
#pragma unroll(ENDS ? 1 : 4)
        for (int round = 0; round < ROUNDS; ++round) {
            const int word = round * WARPS + warp, unit = round * BLOCK + threadIdx.x;
            const auto kept = shared.kept[unit];
            uint32_t rank = shared.before[word];
#pragma unroll
            for (int i = 0; i < PIECES; ++i) rank += __popc(shared.starts[i][word] & lower);
#pragma unroll
            for (int i = 0; i < PIECES; ++i) {
                uint32_t marks = shared.starts[i][word];
                const bool begins = marks >> lane & 1;
                if constexpr (LONG) marks &= ~shared.longs[EXTRA_WORDS + word];
                if (marks >> lane & 1) {
                    put(rank, Keep::piece(reading, kept, i), unit * Reading::UNITS + i / Draw::PIECES + 1);
                }
                rank += begins;
            }
        }
        if constexpr (LONG) {
            for (uint32_t i = threadIdx.x; i < found; i += BLOCK) {
                const int position = int(shared.list.position[i]) - EXTRA;
                if (position < 0 || shared.list.begins[i] != 1) continue;
                const uint32_t marks = shared.starts[0][position / 32] & (1u << position % 32) - 1;
                put(shared.before[position / 32] + __popc(marks), shared.list.value[i],
                    position + shared.list.length[i]);
            }
        }
    }

    GPUARRAY_DEVICE static void run(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output, uint64_t count,
                                    uint64_t* memory) {
        __shared__ Shared shared;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        if (threadIdx.x == 0) shared.irregular = false;
        const Ticket ticket = draw_ticket(memory, gridDim.x);
        const bool last = ticket.number == gridDim.x - 1;
        const typename Reading::Type reading(draw);
        const bool half = !LONG && half_is_left<Draw::BITS>(state);
        int64_t base = 0, total = 0, of_half = 0;
        if (half) of_half = results_of_half(draw, state, next, output, count, ticket.number == 0 && threadIdx.x == 0);
#pragma unroll 1
        for (uint64_t tile = ticket.number;; ++tile) {
            const uint64_t first = tile * TILE;
            const int seen_before = LONG && tile > 0 ? EXTRA : 0;
            // One thread's jump is long, those of all from there are short.
            if (threadIdx.x == 0) finish<Engine, LONG ? Draw::BITS : 64>(state, shared.origin, first - seen_before);
            __syncthreads();
            Reader reader(shared.origin, seen_before + threadIdx.x);
#pragma unroll 4
            for (int round = 0; round < ROUNDS; ++round) {
                const auto unit = reader.unit();
                reader.leap();
                shared.kept[round * BLOCK + threadIdx.x] = Keep::of(reading, unit);
                const uint32_t accepted = reading.accepted(unit);
                const int word = round * WARPS + warp;
#pragma unroll
                for (int i = 0; i < PIECES; ++i) {
                    const uint32_t marks = __ballot_sync(0xffffffffu, accepted >> i & 1);
                    if (lane == 0) {
                        shared.starts[i][word] = LONG ? 0xffffffffu : marks;
                        if constexpr (LONG) shared.longs[EXTRA_WORDS + word] = ~marks;
                    }
                }
            }
            uint32_t found = 0;  // long draws
            if constexpr (LONG) {
                if (threadIdx.x < EXTRA) {
                    bool accepted = true;
                    if (tile > 0) accepted = draw.accepted(Reader(shared.origin, threadIdx.x).unit());
                    const uint32_t marks = __ballot_sync(0xffffffffu, !accepted);
                    if (lane == 0) shared.longs[warp] = marks;
                }
                __syncthreads();
                follow_long_draws(draw, seen_before, found, shared);
            }
            __syncthreads();
            uint32_t before = 0;
            if (threadIdx.x < WORDS) {
#pragma unroll
                for (int i = 0; i < PIECES; ++i) before += __popc(shared.starts[i][threadIdx.x]);
            }
            const uint32_t results = sums_before<BLOCK>(before, shared.sums);
            if (threadIdx.x < WORDS) shared.before[threadIdx.x] = before;
            if (tile == ticket.number) {
                if (warp == 0) {
                    const LookBackState<int64_t> lookback(memory, 0, 1, gridDim.x, ticket.tag);
                    const int64_t value = look_back<CountSum>(lookback, ticket.number, int64_t(results), lane).value;
                    if (lane == 0) shared.base = value;
                }
                __syncthreads();
                base = of_half + shared.base;
            } else {
                __syncthreads();
                base += total;
            }
            total = results;
            const uint64_t units = first * Reading::UNITS + half;  // before the tile
            if (base + total < int64_t(count)) {
                store<false>(draw, output, base, units, found, count, state, next, shared);
            } else if (base < int64_t(count)) {
                store<true>(draw, output, base, units, found, count, state, next, shared);
            }
            __syncthreads();
            if (!last || base + total >= int64_t(count)) break;
        }
        if constexpr (LONG) redo_if_irregular(draw, state, next, output, count, shared);
    }

    // The last block to end looks whether there was anything irregular. The next state's words 2 and 3 are 0 before.
    GPUARRAY_DEVICE static void redo_if_irregular(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output,
                                                  uint64_t count, Shared& shared) {
        if (threadIdx.x != 0) return;
        typedef unsigned long long Counter;
        if (shared.irregular) atomicOr(reinterpret_cast<Counter*>(next + 2), 1ull);
        __threadfence();
        const uint64_t ended = atomicAdd(reinterpret_cast<Counter*>(next + 3), 1ull);
        if (ended != gridDim.x - 1) return;
        __threadfence();
        atomicExch(reinterpret_cast<Counter*>(next + 3), 0ull);
        if (atomicExch(reinterpret_cast<Counter*>(next + 2), 0ull) == 0) return;
        Draw again = draw;
        draw_serially<Engine>(again, state, next, output, count);
    }
};

}  // namespace gpuarray
