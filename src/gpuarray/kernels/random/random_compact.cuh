// Draws that reject units, or need several: the results stand in the order of the stream, one behind the other.
//
// A warp reads words side by side, ROUNDS times, and keeps what they give in registers until the place of the results is
// known: the number of results before a tile comes from look-back, that within the tile from marks in shared memory.
// Blocks stay and draw one tile after another by tickets. While a warp looks back, another one jumps to where the
// block's next tile begins.
//
// Draws of several units are found and followed as random_long.cuh says; a tile then sees the last units of the tile
// before it. The last tile's block goes on until there are enough results.
#pragma once

#include "gpuarray/random_fill.cuh"
#include "gpuarray/random_long.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

struct CountSum {
    typedef int64_t Value;
    GPUARRAY_DEVICE static int64_t neutral() { return 0; }
    GPUARRAY_DEVICE static int64_t combine(int64_t a, int64_t b) { return a + b; }
};

// What is kept of a word until its place is known: its results, or the word where a unit may give several.
template <class Draw, bool LONG> struct Kept {
    uint64_t word;
    template <class Reading> GPUARRAY_DEVICE void keep(const Reading&, uint64_t given) { word = given; }
    template <class Reading> GPUARRAY_DEVICE typename Draw::Result piece(const Reading& reading, int i) const {
        return reading.piece(word, i);
    }
};
template <class Draw> struct Kept<Draw, true> {
    enum { PIECES = 64 / Draw::BITS };
    typename Draw::Result results[PIECES];
    template <class Reading> GPUARRAY_DEVICE void keep(const Reading& reading, uint64_t given) {
#pragma unroll
        for (int i = 0; i < PIECES; ++i) results[i] = reading.piece(given, i);
    }
    template <class Reading> GPUARRAY_DEVICE typename Draw::Result piece(const Reading&, int i) const {
        return results[i];
    }
};

template <class Engine, int BLOCK, int ROUNDS, int REACH, int CAPACITY, class Draw> struct Compact {
    enum { LONG = Draw::LONG };
    typedef typename Draw::Result Result;
    typedef OfWords<Draw> Reading;
    typedef TileMarks<BLOCK, ROUNDS, Reading::PIECES> Marks;
    typedef typename LongDrawsOf<LONG, Engine, Marks, REACH, CAPACITY, Draw>::type Long;
    typedef Kept<Draw, LONG> Words[ROUNDS];
    enum {
        UNITS = Reading::UNITS,    // of a word
        PIECES = Reading::PIECES,  // results of a word at most
        TILE = BLOCK * ROUNDS,     // words that are seen
        EXTRA = Long::EXTRA / UNITS,
        OWN = TILE - EXTRA
    };
    static_assert(OWN > 0, "a tile has words of its own");

    struct Shared {
        typename Engine::Offset offsets[BLOCK];
        uint64_t origins[2][STATE_HEADER + Engine::WORDS];  // states at the first word that is seen, in turn
        Marks marks;
        Long list;
        int64_t base;
        uint32_t results, next;
    };

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

    GPUARRAY_DEVICE static void find_origin(const uint64_t* state, uint64_t tile, uint64_t* origin) {
        Engine engine(state + STATE_HEADER);
        engine.jump(tile * OWN);
        engine.save(origin + STATE_HEADER);
    }

    // The results of a tile whose units begin with number `own` of those that are seen.
    template <bool ENDS>
    GPUARRAY_DEVICE static void store(const Draw& draw, const Words& kept, Result* given, int64_t count, int own,
                                      Shared& shared) {
        // The compiler would add up the parts of an address anew for each result.
        Result* output;
        asm volatile("mov.b64 %0, %1;" : "=l"(output) : "l"(given));
        const uint32_t left = ENDS ? uint32_t(count) : 0;
        const typename Reading::Type reading(draw);
        const int warp = threadIdx.x / 32;
        const uint32_t bit = 1u << threadIdx.x % 32, lower = bit - 1;
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
            const typename Marks::Row row = shared.marks.rows[warp * ROUNDS + round];
            uint32_t rank = row.before;
#pragma unroll
            for (int i = 0; i < PIECES; ++i) rank += __popc(row.begins[i] & lower);
#pragma unroll
            for (int i = 0; i < PIECES; ++i) {
                const bool stored = ((LONG ? row.alone[i] : row.begins[i]) & bit) != 0;
                if (stored && (!ENDS || rank < left)) output[rank] = kept[round].piece(reading, i);
                if (i + 1 < PIECES && (row.begins[i] & bit) != 0) ++rank;
            }
        }
        if constexpr (LONG) {
            shared.list.each(own, shared.marks, [&](uint32_t rank, Result value, int) {
                if (!ENDS || rank < left) output[rank] = value;
            });
        }
    }

    // The results of a tile none of whose words is rejected: neighbours are stored as one.
    GPUARRAY_DEVICE static void store_all(const Draw& draw, const Words& kept, Result* output) {
        const typename Reading::Type reading(draw);
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        typedef Neighbours<Result, 2> Pair;
        const bool aligned = are_aligned<PIECES>(output);
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
            const uint64_t words[1] = {kept[round].word};
            Result* const own = output + ((warp * ROUNDS + round) * 32 + lane) * PIECES;
            if (PIECES != 2 || aligned) {
                store_group<1, PIECES>(reading, words, own, 0, PIECES, aligned);
                continue;
            }
            // Pairs begin with the second results of words.
            Pair pair{kept[round].piece(reading, 1), kept[round].piece(reading, 0)};
            if (lane == 0) own[0] = pair.items[1];
            pair.items[1] = __shfl_down_sync(0xffffffffu, pair.items[1], 1);
            if (lane < 31) {
                *reinterpret_cast<Pair*>(own + 1) = pair;
            } else {
                own[1] = pair.items[0];
            }
        }
    }

    // The state behind the last result of all, which is number `last` of the tile. `units` come before those seen.
    GPUARRAY_DEVICE static void end(const uint64_t* state, uint64_t* next, uint64_t units, uint32_t last, int own,
                                    Shared& shared) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 1
        for (int round = 0; round < ROUNDS; ++round) {
            const int word = warp * ROUNDS + round;
            const typename Marks::Row& row = shared.marks.rows[word];
#pragma unroll 1
            for (int i = 0; i < PIECES; ++i) {
                const int piece = (word * 32 + lane) * PIECES + i;
                const uint32_t stored = LONG ? row.alone[i] : row.begins[i];
                if ((stored >> lane & 1) && shared.marks.rank(piece) == last) {
                    finish<Engine, Draw::BITS>(state, next, units + piece * UNITS / PIECES + 1);
                }
            }
        }
        if constexpr (LONG) {
            shared.list.each(own, shared.marks, [&](uint32_t rank, Result, int read) {
                if (rank == last) finish<Engine, Draw::BITS>(state, next, units + read);
            });
        }
    }

    GPUARRAY_DEVICE static void run(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output, uint64_t count,
                                    uint32_t tiles, uint64_t* memory) {
        __shared__ Shared shared;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const bool jumps = threadIdx.x == BLOCK - 32;  // the thread that looks after the block's next tile
        const uint32_t tickets = gridDim.x + tiles - 1;
        const typename Reading::Type reading(draw);
        const bool half = half_is_left<Draw::BITS>(state);
        const Ticket first = draw_ticket(memory, tickets);
        shared.offsets[threadIdx.x] =
            typename Engine::Offset(Engine(state + STATE_HEADER), warp * ROUNDS * 32 + lane);
        if (threadIdx.x < 2 * STATE_HEADER) shared.origins[threadIdx.x / STATE_HEADER][threadIdx.x % STATE_HEADER] = 0;
        if constexpr (LONG) {
            if (threadIdx.x == 0) shared.list.irregular = false;
        }
        shared.marks.begin();
        if (jumps) find_origin(state, first.number, shared.origins[0]);
        int64_t base = 0;
        if (!LONG && half) {
            base = results_of_half(draw, state, next, output, count, first.number == 0 && threadIdx.x == 0);
        }
        const int64_t of_half = base;
        uint32_t tile = first.number;
        int turn = 0;
        __syncthreads();
        // A block that starts late may find nothing left.
        bool works = tile < tiles;
#pragma unroll 1
        while (works) {
            const bool half_first = LONG && half && tile == 0;
            const int own = tile > 0 ? int(Long::EXTRA) : 0;
            const bool goes_on = tile >= tiles - 1;  // without a ticket, if it must
            uint64_t asked = 0;
            if (jumps && !goes_on) asked = ask_for_ticket(memory);
            Words kept;
            typename Engine::template Walk<32> walk(Engine(shared.origins[turn] + STATE_HEADER),
                                                    shared.offsets[threadIdx.x]);
#pragma unroll
            for (int round = 0; round < ROUNDS; ++round) {
                const uint64_t word = walk.word();
                walk.leap();
                kept[round].keep(reading, word);
                shared.marks.put(round, reading.accepted(word));
            }
            __syncthreads();  // the tile before is stored
            if constexpr (LONG) {
                shared.marks.begin_all();
                shared.list.note(shared.marks);
                __syncthreads();
                shared.list.draw(draw, half_first, state, shared.origins[turn]);
                __syncthreads();
                shared.list.follow(tile == 0, shared.marks);
                __syncthreads();
            }
            const typename Marks::Begins begins = shared.marks.count(LONG, own, turn);
            __syncthreads();
            if (warp == 0) {
                const uint32_t results = half_first + shared.marks.total(turn);
                if (tile < tiles) {
                    const LookBackState<int64_t> lookback(memory, 0, 1, tiles, first.tag);
                    base = of_half + look_back<CountSum>(lookback, tile, int64_t(results), lane).value;
                }
                if (lane == 0) {
                    shared.base = base;
                    shared.results = results;
                }
            } else if (jumps) {
                const uint32_t following = goes_on ? tile + 1 : take_ticket(memory, asked, tickets).number;
                shared.next = following;
                find_origin(state, following, shared.origins[1 - turn]);
            }
            shared.marks.place(begins, half_first, turn);
            __syncthreads();
            base = shared.base;
            const uint64_t units = uint64_t(tile) * OWN * UNITS + half;
            const int64_t behind = base + shared.results;
            const int64_t left = int64_t(count) - base;
            if (behind < int64_t(count)) {
                bool all = false;
                if constexpr (!LONG) {
                    all = shared.results == TILE * PIECES;
                    if (all) store_all(draw, kept, output + base);
                }
                if (!all) store<false>(draw, kept, output + base, left, own, shared);
            } else if (left > 0) {
                store<true>(draw, kept, output + base, left, own, shared);
                end(state, next, units, uint32_t(left - 1), own, shared);
            }
            base = behind;
            tile = shared.next;
            turn = 1 - turn;
            works = goes_on ? behind < int64_t(count) : tile < tiles;
        }
        if constexpr (LONG) redo_if_irregular(draw, state, next, output, count, shared);
    }

    // The last block to end looks whether there was anything irregular. The next state's words 2 and 3 are 0 before.
    GPUARRAY_DEVICE static void redo_if_irregular(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output,
                                                  uint64_t count, Shared& shared) {
        __syncthreads();
        if (threadIdx.x != 0) return;
        typedef unsigned long long Counter;
        if (shared.list.irregular) atomicOr(reinterpret_cast<Counter*>(next + 2), 1ull);
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
