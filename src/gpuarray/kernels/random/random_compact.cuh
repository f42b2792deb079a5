// Draws that reject units, or need several: the results stand in the order of the stream, one behind the other.
//
// A block reads a tile of units and marks those with which a result begins: of integers the accepted ones. A draw from
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

template <class Engine, int BLOCK, int ROUNDS, int REACH, int CAPACITY, class Draw> struct Compact {
    typedef typename Draw::Result Result;
    typedef Lane<Engine, Draw::BITS, BLOCK> Reader;
    enum {
        TILE = BLOCK * ROUNDS,
        WORDS = TILE / 32,
        WARPS = BLOCK / 32,
        PIECES = Draw::PIECES,
        EXTRA = 2 * REACH,
        EXTRA_WORDS = EXTRA / 32,
        LONG = Draw::LONG
    };
    static_assert(WORDS + EXTRA_WORDS <= BLOCK, "a thread has one word of marks");
    static_assert(EXTRA % 32 == 0 && EXTRA <= BLOCK, "units before a tile are read by whole warps");

    struct Shared {
        uint32_t starts[PIECES][WORDS], before[WORDS], longs[LONG ? WORDS + EXTRA_WORDS : 1], sums[WARPS];
        int64_t base;
        bool irregular;
        typename LongDrawsOf<LONG, Draw, CAPACITY>::type list;
    };

    // Marks the units of a tile that long draws which really begin have read.
    GPUARRAY_DEVICE static void follow_long_draws(const Draw& draw, const uint64_t* state, uint64_t first,
                                                  uint32_t& total, Shared& shared) {
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
            Stream<Engine> stream(state);
            stream.template skip<Draw::BITS>(first + list.position[i] - EXTRA);
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

    GPUARRAY_DEVICE static void store(Result* output, uint64_t index, Result value, uint64_t count, const uint64_t* state,
                                      uint64_t* next, uint64_t units) {
        if (index < count) output[index] = value;
        if (index == count - 1) finish<Engine, Draw::BITS>(state, next, units);
    }

    GPUARRAY_DEVICE static void run(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output, uint64_t count,
                                    uint64_t* memory) {
        __shared__ Shared shared;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const uint32_t lower = (1u << lane) - 1;
        if (threadIdx.x == 0) shared.irregular = false;
        const Ticket ticket = draw_ticket(memory, gridDim.x);
        const bool last = ticket.number == gridDim.x - 1;
        int64_t base = 0, total = 0;
#pragma unroll 1
        for (uint64_t tile = ticket.number;; ++tile) {
            const uint64_t first = tile * TILE;
            typename Reader::Unit units[ROUNDS];
            Reader reader(state, first + threadIdx.x);
#pragma unroll
            for (int round = 0; round < ROUNDS; ++round) {
                units[round] = reader.unit();
                reader.leap();
                const uint32_t accepted = draw.accepted(units[round]);
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
                    if (tile > 0) accepted = draw.accepted(Reader(state, first - EXTRA + threadIdx.x).unit());
                    const uint32_t marks = __ballot_sync(0xffffffffu, !accepted);
                    if (lane == 0) shared.longs[warp] = marks;
                }
                __syncthreads();
                follow_long_draws(draw, state, first, found, shared);
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
                base = shared.base;
            } else {
                __syncthreads();
                base += total;
            }
            total = results;
            if (base < int64_t(count)) {
#pragma unroll
                for (int round = 0; round < ROUNDS; ++round) {
                    const int word = round * WARPS + warp;
                    const uint64_t unit = first + round * BLOCK + threadIdx.x;
                    const uint32_t accepted = draw.accepted(units[round]);
                    uint64_t index = base + shared.before[word];
#pragma unroll
                    for (int i = 0; i < PIECES; ++i) index += __popc(shared.starts[i][word] & lower);
#pragma unroll
                    for (int i = 0; i < PIECES; ++i) {
                        const bool begins = shared.starts[i][word] >> lane & 1;
                        if (begins && accepted >> i & 1) {
                            store(output, index, draw.piece(units[round], i), count, state, next, unit + 1);
                        }
                        index += begins;
                    }
                }
                if constexpr (LONG) {
                    for (uint32_t i = threadIdx.x; i < found; i += BLOCK) {
                        const int position = int(shared.list.position[i]) - EXTRA;
                        if (position < 0 || shared.list.begins[i] != 1) continue;
                        const uint32_t marks = shared.starts[0][position / 32] & (1u << position % 32) - 1;
                        const uint64_t index = base + shared.before[position / 32] + __popc(marks);
                        store(output, index, shared.list.value[i], count, state, next,
                              first + position + shared.list.length[i]);
                    }
                }
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
