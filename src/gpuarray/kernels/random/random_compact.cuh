// Draws that reject units, or need several: the results stand in the order of the stream, one behind the other.
//
// Each warp works by itself on one tile after another, which it gets by tickets. It reads words side by side and keeps
// them in shared memory, with a bit for each piece that says whether it is accepted; tells the other warps how many
// pieces the tile passes over; moves results together in place of the words; and is told by then how many pieces were
// passed over before, so that it knows where in the output its results belong. No warp waits at a barrier, and few for
// another one: `random_prefix.cuh`. Draws of several units are found as `random_long.cuh` says. The last tile's warp goes
// on until there are enough results.
#pragma once

#include "gpuarray/random_fill.cuh"
#include "gpuarray/random_long.cuh"

namespace gpuarray {

template <int BITS> struct UnsignedOf;
template <> struct UnsignedOf<8> { typedef uint8_t type; };
template <> struct UnsignedOf<16> { typedef uint16_t type; };
template <> struct UnsignedOf<32> { typedef uint32_t type; };
template <> struct UnsignedOf<64> { typedef uint64_t type; };
template <> struct UnsignedOf<128> { typedef uint4 type; };

// A number's lower 32 / STEP bits, STEP apart.
template <int STEP> GPUARRAY_DEVICE uint32_t spread(uint32_t bits) {
#pragma unroll
    for (int count = 16 / STEP; count > 0; count /= 2) {
        uint32_t mask = 0;
#pragma unroll
        for (int i = 0; i < 32; ++i) mask |= uint32_t(i % (count * STEP) < count) << i;
        bits = (bits | bits << count * (STEP - 1)) & mask;
    }
    return bits;
}

template <class Engine, int BLOCK, int ROUNDS, int REACH, int CAPACITY, int UNROLL, class Draw> struct Compact {
    enum { LONG = Draw::LONG };
    typedef typename Draw::Result Result;
    typedef OfWords<Draw> Reading;
    enum {
        UNITS = Reading::UNITS,    // of a word
        PIECES = Reading::PIECES,  // results of a word at most
        WORDS = ROUNDS * 32,       // of a tile
        ROWS = ROUNDS * PIECES,    // of 32 pieces
        TILE = WORDS * PIECES,
        WARPS = BLOCK / 32,
        MOST = CAPACITY * UNITS,  // long draws
        VECTOR = sizeof(Result) >= 8 ? 2 : 8 / sizeof(Result) < 4 ? 2 : 4,
        LINE = 128 / sizeof(Result)
    };
    static_assert(ROUNDS <= 32, "a lane looks after the rows of one round");
    typedef typename UnsignedOf<64 / PIECES>::type Piece;
    static_assert(REACH < 256, "lengths are bytes");
    static_assert(!LONG || sizeof(Piece) == sizeof(Result), "a result takes the place of its unit");
    typedef TileStream<Engine, Draw::BITS, WORDS> Units;
    typedef LongDraws<Result, LONG ? MOST : 1> Longs;

    struct alignas(16) Row {
        uint32_t begins, before, alone, padding;
    };
    struct alignas(16) Warp {
        union {
            uint64_t words[WORDS];
            Piece pieces[TILE];
        };
        union {
            Row rows[ROWS];
            Longs longs;
        };
        uint32_t begins[ROWS];
    };
    typedef typename Engine::template Walk<32> Walk;
    typedef typename Engine::template Strides<WORDS> Strides;
    struct Shared {
        Warp warps[WARPS];
        Strides strides;
        bool irregular;
    };

    // What the half that is left gives, before all others; returns how many results that are.
    GPUARRAY_DEVICE static uint32_t results_of_half(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output,
                                                    uint64_t count, bool stores) {
        uint32_t rank = 0;
        if constexpr (Draw::BITS == 32) {
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
    // Likewise of a draw that may take more than this; returns how many units behind it takes.
    __device__ __noinline__ static uint32_t draw_half(Draw draw, const uint64_t* state, uint64_t* next, Result* output,
                                              uint64_t count, Shared& shared) {
        Stream<Engine> stream(state);
        output[0] = draw.next(stream);
        if (count == 1) stream.save(next);
        if (stream.read <= REACH) return stream.read - 1;
        shared.irregular = true;
        return 0;
    }

    // Lists the long draws and draws them; returns how many there are. `accepted` has the rows of the lane's round.
    GPUARRAY_DEVICE static uint32_t draw_longs(const Draw& given, Warp& own, const uint32_t (&accepted)[PIECES],
                                               Units units, Shared& shared, int lane) {
        uint32_t count = 0;
        if (lane < ROUNDS) {
#pragma unroll
            for (int i = 0; i < PIECES; ++i) count += __popc(~accepted[i]);
        }
        const uint32_t behind = scan_lanes<Counting<uint32_t>, 32>(count, lane);
        const uint32_t total = __shfl_sync(0xffffffffu, behind, 31);
        if (total > MOST) {
            shared.irregular = true;
            return 0;
        }
        if (lane < ROUNDS) {
            uint32_t place = behind - count;
#pragma unroll
            for (int i = 0; i < PIECES; ++i) {
#pragma unroll 1
                for (uint32_t rest = ~accepted[i]; rest != 0; rest &= rest - 1) {
                    own.longs.position[place++] = uint16_t((lane * PIECES + i) * 32 + __ffs(rest) - 1);
                }
            }
        }
        __syncwarp();
        Draw draw = given;
#pragma unroll 1
        for (uint32_t i = lane; i < total; i += 32) {
            units.at = own.longs.position[i];
            units.read = 0;
            own.longs.value[i] = draw.next(units);
            if (units.read > REACH) shared.irregular = true;
            own.longs.length[i] = uint8_t(units.read > REACH ? REACH : units.read);
        }
        __syncwarp();
        return total;
    }

    // Decides which of them begin, if the tile's first `skipped` units are passed over.
    GPUARRAY_DEVICE static Passed follow(Warp& own, uint32_t total, uint32_t skipped, int lane) {
        Longs& longs = own.longs;
        bool meet = false;
        uint32_t all = 0;
#pragma unroll 1
        for (uint32_t i = lane; i < total; i += 32) {
            const uint32_t before = i == 0 ? skipped : longs.position[i - 1] + longs.length[i - 1];
            meet = meet || before > longs.position[i];
            all += longs.length[i] - 1;
        }
        if (!__any_sync(0xffffffffu, meet)) {
            const uint32_t end = total == 0 ? 0 : longs.position[total - 1] + longs.length[total - 1];
            return Passed{TileMemory::sum(all), end > TILE ? end - TILE : 0};
        }
        uint32_t end = skipped;
        all = 0;
#pragma unroll 1
        for (uint32_t i = 0; i < total; ++i) {
            const uint32_t place = longs.position[i], length = longs.length[i];
            const bool begins = place >= end;
            __syncwarp();
            if (begins) {
                end = place + length;
                all += length - 1;
            } else if (lane == 0) {
                longs.length[i] = 0;
            }
        }
        __syncwarp();
        return Passed{all, end > TILE ? end - TILE : 0};
    }

    // Puts what long draws gave in place of their first units, and takes the bits of those that are passed over.
    GPUARRAY_DEVICE static void put_longs(Warp& own, uint32_t total, int lane) {
#pragma unroll 1
        for (uint32_t i = lane; i < total; i += 32) {
            const uint32_t place = own.longs.position[i], end = place + own.longs.length[i];
            if (end == place) continue;
            own.pieces[place] = float_bits(own.longs.value[i]);
#pragma unroll 1
            for (uint32_t unit = place + 1; unit < end && unit < TILE; ++unit) {
                atomicAnd(own.begins + unit / 32, ~(1u << unit % 32));
            }
        }
        __syncwarp();
    }

    // Finds where the rows' results belong in the tile; returns how many there are.
    GPUARRAY_DEVICE static uint32_t place_rows(Warp& own, const uint32_t (&accepted)[PIECES], int lane) {
        uint32_t begins[PIECES], count = 0;
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            begins[i] = lane < ROUNDS ? LONG ? own.begins[lane * PIECES + i] : accepted[i] : 0;
            count += __popc(begins[i]);
        }
        const uint32_t behind = scan_lanes<Counting<uint32_t>, 32>(count, lane);
        uint32_t before = behind - count;
        if (lane < ROUNDS) {
#pragma unroll
            for (int i = 0; i < PIECES; ++i) {
                own.rows[lane * PIECES + i] = Row{begins[i], before, begins[i] & accepted[i], 0};
                before += __popc(begins[i]);
            }
        }
        const uint32_t all = __shfl_sync(0xffffffffu, behind, 31);
        __syncwarp();
        return all;
    }

    // Moves results together, or what results are made of. No result's place is behind its piece's.
    GPUARRAY_DEVICE static void move(const Draw& draw, Warp& own, int lane) {
        enum { TOGETHER = ROWS % 4 == 0 ? 4 : ROWS % 2 == 0 ? 2 : 1 };
        const uint32_t lower = (1u << lane) - 1;
#pragma unroll 1
        for (int first = 0; first < ROWS; first += TOGETHER) {
            Piece pieces[TOGETHER];
            uint32_t ranks[TOGETHER];
            bool stored[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                const Row row = own.rows[first + i];
                pieces[i] = own.pieces[(first + i) * 32 + lane];
                ranks[i] = row.before + __popc(row.begins & lower);
                stored[i] = row.begins >> lane & 1;
                if constexpr (LONG) {
                    const Piece result = float_bits(draw.piece(pieces[i], 0));
                    if (row.alone >> lane & 1) pieces[i] = result;
                }
            }
            __syncwarp();
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                if (stored[i]) own.pieces[ranks[i]] = pieces[i];
            }
        }
        __syncwarp();
    }

    GPUARRAY_DEVICE static Result result(const Draw& draw, Piece piece) {
        if constexpr (LONG) return float_from_bits(piece);
        else return draw.piece(typename UnsignedOf<Draw::BITS>::type(piece), 0);
    }

    // Stores results number `from` to `to`; output[0] is where number 0 belongs.
    GPUARRAY_DEVICE static void store(const Draw& draw, const Warp& own, Result* output, int from, int to, int lane) {
        typedef typename UnsignedOf<8 * VECTOR * sizeof(Result)>::type Vector;
        const int before = int(reinterpret_cast<uint64_t>(output) / sizeof(Result) % LINE);
        const uint32_t whole = to - from >= VECTOR ? to - from - VECTOR + 1 : 0;
        int i = lane * VECTOR - before;
        Result* at = output + i;
#pragma unroll 4
        for (; i < to; i += 32 * VECTOR, at += 32 * VECTOR) {
            if (uint32_t(i - from) < whole) {
                alignas(16) Result values[VECTOR];
#pragma unroll
                for (int k = 0; k < VECTOR; ++k) values[k] = result(draw, own.pieces[i + k]);
                *reinterpret_cast<Vector*>(at) = *reinterpret_cast<const Vector*>(values);
            } else {
#pragma unroll 1
                for (int k = 0; k < VECTOR; ++k) {
                    if (i + k >= from && i + k < to) at[k] = result(draw, own.pieces[i + k]);
                }
            }
        }
    }

    // The state behind the tile's result number `last`. So many units come before the tile.
    __device__ __noinline__ static void end(Draw draw, const Warp& own, const uint64_t* state, uint64_t* next, uint64_t units,
                                    uint32_t last, int lane) {
#pragma unroll 1
        for (int i = lane; i < ROWS; i += 32) {
            const Row row = own.rows[i];
            if (last < row.before || last >= row.before + __popc(row.begins)) continue;
            uint32_t rest = row.begins;
            for (uint32_t rank = row.before; rank < last; ++rank) rest &= rest - 1;
            const int piece = i * 32 + __ffs(rest) - 1;
            if constexpr (LONG) {
                Stream<Engine> stream(state);
                stream.template skip<Draw::BITS>(units + piece);
                draw.next(stream);
                stream.save(next);
            } else {
                finish<Engine, Draw::BITS>(state, next, units + piece / Draw::PIECES + 1);
            }
        }
    }

    __device__ __noinline__ static Walk walk_to(const uint64_t* state, uint32_t tile, int lane) {
        return Walk(Engine(state + STATE_HEADER), uint64_t(tile) * WORDS + lane);
    }

    GPUARRAY_DEVICE static void run(const Draw& draw, const uint64_t* state, uint64_t* next, Result* output, uint64_t count,
                                    uint32_t tiles, uint64_t* memory) {
        __shared__ Shared shared;
        const int lane = threadIdx.x % 32;
        Warp& own = shared.warps[threadIdx.x / 32];
        const uint32_t tickets = gridDim.x * WARPS + tiles - 1;
        const typename Reading::Type reading(draw);
        const bool half = half_is_left<Draw::BITS>(state);
        const Engine start(state + STATE_HEADER);
        if (tiles > gridDim.x * WARPS) shared.strides.template load<BLOCK>(start);
        if (threadIdx.x == 0) shared.irregular = false;
        __syncthreads();
        Ticket ticket{0, 0};
        if (lane == 0) ticket = take_ticket(memory, ask_for_ticket(memory), tickets);
        uint32_t tile = __shfl_sync(0xffffffffu, ticket.number, 0);
        const TileMemory messages(memory, tiles, __shfl_sync(0xffffffffu, ticket.tag, 0));
        Walk walk = walk_to(state, tile, lane);
        uint32_t of_half = half;
        if (!LONG && half) of_half = results_of_half(draw, state, next, output, count, tile == 0 && lane == 0);
        uint64_t before = 0;  // pieces that were passed over
        uint32_t skipped = 0;  // pieces of the tile that a draw of the one before takes
        // A warp that starts late may find nothing left.
        bool works = tile < tiles;
#pragma unroll 1
        while (works) {
            const uint64_t first = uint64_t(tile) * WORDS;
            uint32_t found[PIECES] = {};
#pragma unroll UNROLL
            for (int round = 0; round < ROUNDS; ++round) {
                const uint64_t word = walk.word();
                walk.leap();
                own.words[round * 32 + lane] = word;
                const uint32_t bits = reading.accepted(word);
#pragma unroll
                for (int i = 0; i < PIECES; ++i) {
                    const uint32_t all = __ballot_sync(0xffffffffu, bits >> i & 1);
                    if (lane == round) found[i] = all;
                }
            }
            __syncwarp();
            // From bits of neighbouring words to bits of neighbouring pieces.
            uint32_t accepted[PIECES];
#pragma unroll
            for (int row = 0; row < PIECES; ++row) {
                accepted[row] = 0;
#pragma unroll
                for (int i = 0; i < PIECES; ++i) {
                    const uint32_t words = found[i] >> row * 32 / PIECES & 0xffffffffu >> 32 - 32 / PIECES;
                    accepted[row] |= PIECES == 1 ? words : spread<PIECES>(words) << i;
                }
            }
            Passed passed{0, 0};
            uint32_t results = 0;
            bool knows = true;  // what is skipped
            if constexpr (LONG) {
                if (lane < ROUNDS) {
#pragma unroll
                    for (int i = 0; i < PIECES; ++i) own.begins[lane * PIECES + i] = 0xffffffffu;
                }
                const uint32_t longs = draw_longs(draw, own, accepted, Units{own.words, state, first, 0, 0}, shared, lane);
                if (tile == 0) {
                    if (half && lane == 0) skipped = draw_half(draw, state, next, output, count, shared);
                    skipped = __shfl_sync(0xffffffffu, skipped, 0);
                } else if (tile < tiles) {
                    // Where the first long draw is farther than any other one reaches, it does not matter yet.
                    knows = longs > 0 && own.longs.position[0] < REACH;
                    skipped = knows ? messages.beyond(tile) : 0;
                    __syncwarp();
                }
                passed = follow(own, longs, skipped, lane);
                if (tile == 0) passed.all += skipped;
                if (tile < tiles) messages.publish(tile, passed.all, passed.beyond, lane);
                put_longs(own, longs, lane);
                results = place_rows(own, accepted, lane);
            } else {
                results = place_rows(own, accepted, lane);
                passed.all = TILE - results;
                if (tile < tiles) messages.publish(tile, passed.all, passed.beyond, lane);
            }
            if (LONG || passed.all != 0) move(draw, own, lane);
            if (tile < tiles) {
                before = messages.before(tile, lane);
                if (!knows) skipped = messages.beyond(tile);
            }
            // No sooner: who has a ticket and waits keeps all others waiting.
            const bool goes_on = tile >= tiles - 1;  // without a ticket, if it must
            uint64_t asked = 0;
            if (lane == 0 && !goes_on) asked = ask_for_ticket(memory);
            const int64_t base = int64_t(of_half + uint64_t(tile) * TILE - before) - (tile == 0 ? skipped : 0);
            const int64_t left = int64_t(count) - base;
            const int to = left < int64_t(results) ? int(left) : int(results);
            // The compiler would add up the parts of an address anew for each result.
            Result* stored = output + base;
            asm volatile("mov.b64 %0, %0;" : "+l"(stored));
            store(draw, own, stored, int(skipped), to, lane);
            if (left <= int64_t(results) && left > int64_t(skipped)) {
                const uint64_t units = uint64_t(tile) * WORDS * UNITS + half;
                end(draw, own, state, next, units, uint32_t(left - 1), lane);
            }
            before += passed.all;
            skipped = passed.beyond;
            works = base + results < int64_t(count);
            uint32_t following = tile + 1;
            if (!goes_on) {
                if (lane == 0) following = take_ticket(memory, asked, tickets).number;
                following = __shfl_sync(0xffffffffu, following, 0);
                works = following < tiles;
            }
            if (works && following != tile + 1) {
                const uint32_t distance = following - tile - 1;
                if (Strides::reach(distance)) {
                    shared.strides.take(walk, distance);
                } else {
                    walk = walk_to(state, following, lane);
                }
            }
            tile = following;
            __syncwarp();
        }
        if constexpr (LONG) {
            __syncthreads();
            if (threadIdx.x == 0) redo_if_irregular(draw, state, next, output, count, shared.irregular);
        }
    }

    // The last block to end looks whether there was anything irregular. The next state's words 2 and 3 are 0 before.
    __device__ __noinline__ static void redo_if_irregular(Draw draw, const uint64_t* state, uint64_t* next, Result* output,
                                                          uint64_t count, bool irregular) {
        typedef unsigned long long Counter;
        if (irregular) atomicOr(reinterpret_cast<Counter*>(next + 2), 1ull);
        __threadfence();
        const uint64_t ended = atomicAdd(reinterpret_cast<Counter*>(next + 3), 1ull);
        if (ended != gridDim.x - 1) return;
        __threadfence();
        atomicExch(reinterpret_cast<Counter*>(next + 3), 0ull);
        if (atomicExch(reinterpret_cast<Counter*>(next + 2), 0ull) == 0) return;
        draw_serially<Engine>(draw, state, next, output, count);
    }
};

}  // namespace gpuarray
