// Draws that may need several units, in tiles of words that many threads read.
//
// A draw from a ziggurat takes one unit in 98% of cases. Draws that would begin at the other units (long ones, whether
// a result really begins there or not) are listed, and drawn to their end by a thread each, which tells how many units
// they take. A unit between a draw's first and its end begins nothing.
//
// A long draw is a head if no other long draw reaches its first unit, whether that one really begins or not; so a result
// begins at each head. From there a thread follows the draws: what begins behind the end of a draw that really began does
// so as well. A tile sees the 2 * REACH units before it, too. A draw that takes more than REACH units, more long draws
// than the list has room for, or a chain of them that is longer than what is seen before a tile is noted as irregular.
// That does not happen by chance (less than once in 1e15 tiles); then one thread draws everything again.
#pragma once

#include "gpuarray/random_engines.cuh"
#include "gpuarray/random_marks.cuh"

namespace gpuarray {

// The long draws of a tile, in order. Positions are units from the first one that is seen; a half that was left before
// the first tile has -1.
template <class Engine, class Marks, int REACH, int CAPACITY, class Draw> struct LongDraws {
    typedef typename Draw::Result Result;
    enum { EXTRA = 2 * REACH, UNITS = Marks::PIECES, BLOCK = Marks::BLOCK, WARPS = BLOCK / 32, SLOTS = 128, UNKNOWN = 2 };

    uint16_t slots[WARPS][SLOTS];  // the positions that a warp found
    uint32_t counts[WARPS];
    int16_t position[CAPACITY];
    uint16_t length[CAPACITY];
    uint8_t begins[CAPACITY];  // 0, 1 or UNKNOWN
    Result value[CAPACITY];
    uint32_t found;
    bool irregular;

    // Lists the units of a warp that are not accepted alone.
    GPUARRAY_DEVICE void note(const Marks& marks) {
        uint32_t longs[UNITS], any = 0, count = 0, all;
#pragma unroll
        for (int i = 0; i < UNITS; ++i) {
            longs[i] = Marks::has_row() ? ~marks.accepted[Marks::row()][i] : 0;
            any |= longs[i];
            count += __popc(longs[i]);
        }
        uint32_t slot = Marks::sum_before(count, all);
        if (Marks::lane() == 0) counts[Marks::warp()] = all;
#pragma unroll 1
        for (; any != 0; any &= any - 1) {
            const int bit = __ffs(any) - 1;
#pragma unroll
            for (int i = 0; i < UNITS; ++i) {
                if (!(longs[i] >> bit & 1)) continue;
                if (slot < SLOTS) slots[Marks::warp()][slot] = uint16_t((Marks::row() * 32 + bit) * UNITS + i);
                ++slot;
            }
        }
    }

    // Draws what is listed. `origin` is the state at the first unit that is seen, `state` that of a half before it.
    GPUARRAY_DEVICE void draw(const Draw& given, bool half, const uint64_t* state, const uint64_t* origin) {
        uint32_t total = half;
        bool full = false;
#pragma unroll
        for (int i = 0; i < WARPS; ++i) {
            total += counts[i];
            full = full || counts[i] > SLOTS;
        }
        full = full || total > CAPACITY;
        if (full) total = 0;
        if (threadIdx.x == 0) {
            if (full) irregular = true;
            found = total;
        }
        Draw draw = given;
        for (uint32_t i = threadIdx.x; i < total; i += BLOCK) {
            const bool first = half && i == 0;
            uint32_t slot = i - half, warp = 0;
            if (!first) {
                while (slot >= counts[warp]) slot -= counts[warp++];
            }
            const int place = first ? -1 : slots[warp][slot];
            Stream<Engine> stream(first ? state : origin);
            stream.template skip<Draw::BITS>(first ? 0 : place);
            value[i] = draw.next(stream);
            if (stream.read > REACH) irregular = true;
            position[i] = int16_t(place);
            length[i] = uint16_t(stream.read > REACH ? REACH : stream.read);
            begins[i] = UNKNOWN;
        }
    }

    // Says which of them really begin, and takes the marks of the units that those read.
    GPUARRAY_DEVICE void follow(bool first_tile, Marks& marks) {
        auto begin = [&](uint32_t i) {
            begins[i] = 1;
            const int end = position[i] + length[i];
#pragma unroll 1
            for (int unit = position[i] + 1; unit < end && unit < Marks::SEEN; ++unit) marks.clear(unit);
            return end;
        };
        for (uint32_t i = threadIdx.x; i < found; i += BLOCK) {
            const int place = position[i];
            bool reached = !first_tile && place < REACH;
            for (int k = int(i) - 1; k >= 0 && position[k] + REACH > place; --k) {
                reached = reached || position[k] + length[k] > place;
            }
            if (reached) continue;
            int end = begin(i), most = end;
            for (uint32_t k = i + 1; k < found && position[k] < most; ++k) {
                const int reach = position[k] + length[k];
                if (reach > most) most = reach;
                begins[k] = 0;
                if (position[k] >= end) end = begin(k);
            }
        }
    }

    // Calls for those that belong to the tile, whose first unit is `own`: with the rank, the value, the unit behind.
    template <class Put> GPUARRAY_DEVICE void each(int own, const Marks& marks, const Put& put) {
        for (uint32_t i = threadIdx.x; i < found; i += BLOCK) {
            const int place = position[i], end = place + length[i];
            if (begins[i] == UNKNOWN && end > own) irregular = true;
            if (begins[i] != 1 || (place < own && place >= 0)) continue;
            put(place < 0 ? 0 : marks.rank(place), value[i], end);
        }
    }
};
struct NoLongDraws {
    enum { EXTRA = 0 };
};
template <bool LONG, class Engine, class Marks, int REACH, int CAPACITY, class Draw> struct LongDrawsOf {
    typedef NoLongDraws type;
};
template <class Engine, class Marks, int REACH, int CAPACITY, class Draw>
struct LongDrawsOf<true, Engine, Marks, REACH, CAPACITY, Draw> {
    typedef LongDraws<Engine, Marks, REACH, CAPACITY, Draw> type;
};

}  // namespace gpuarray
