// Where results begin in a tile of words: a bit for each piece of a word, the bits of neighbouring words together.
//
// A warp's words lie side by side: round r of warp w has the 32 words from (w * ROUNDS + r) * 32.
#pragma once

#include "gpuarray/scan.cuh"

namespace gpuarray {

template <int BLOCK_THREADS, int ROUNDS, int PIECES_OF_WORD> struct TileMarks {
    enum {
        BLOCK = BLOCK_THREADS,
        WARPS = BLOCK / 32,
        PIECES = PIECES_OF_WORD,
        SEEN = BLOCK * ROUNDS * PIECES  // pieces of a tile
    };
    static_assert(ROUNDS <= 32, "a lane has the marks of one round");

    // Of 32 words.
    struct alignas(16) Row {
        uint32_t begins[PIECES];  // where results begin
        uint32_t before;          // results of the tile before these words'
        uint32_t alone[PIECES];   // where they begin and end
        uint32_t padding[3 - 2 * PIECES % 4];
    };
    Row rows[WARPS * ROUNDS];
    uint32_t accepted[WARPS * ROUNDS][PIECES];
    uint32_t before[2][WARPS + 1];  // of each warp the results before it, in turn; then those of the tile

    GPUARRAY_DEVICE static int lane() { return threadIdx.x % 32; }
    GPUARRAY_DEVICE static int warp() { return threadIdx.x / 32; }
    // Lane r of a warp looks after round r.
    GPUARRAY_DEVICE static bool has_row() { return lane() < ROUNDS; }
    GPUARRAY_DEVICE static int row() { return warp() * ROUNDS + lane(); }

    GPUARRAY_DEVICE void begin() {
        if (threadIdx.x < 2 * (WARPS + 1)) before[threadIdx.x / (WARPS + 1)][threadIdx.x % (WARPS + 1)] = 0;
    }
    // Which pieces of a word are accepted.
    GPUARRAY_DEVICE void put(int round, uint32_t bits) {
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            const uint32_t found = __ballot_sync(0xffffffffu, bits >> i & 1);
            if (lane() == 0) accepted[warp() * ROUNDS + round][i] = found;
        }
    }
    // All pieces begin something until `clear` says otherwise.
    GPUARRAY_DEVICE void begin_all() {
        if (!has_row()) return;
#pragma unroll
        for (int i = 0; i < PIECES; ++i) rows[row()].begins[i] = 0xffffffffu;
    }
    GPUARRAY_DEVICE void clear(int piece) {
        const int word = piece / PIECES;
        atomicAnd(&rows[word / 32].begins[piece % PIECES], ~(1u << word % 32));
    }

    // The sum of the numbers of the lanes before; `all` is that of all.
    GPUARRAY_DEVICE static uint32_t sum_before(uint32_t number, uint32_t& all) {
        const uint32_t sum = scan_lanes<Counting<uint32_t>, 32>(number, lane());
        all = __shfl_sync(0xffffffffu, sum, 31);
        return sum - number;
    }

    // Where results begin in a lane's row.
    struct Begins {
        uint32_t bits[PIECES], before;
    };
    // Counts what begins in the accepted pieces, or, where there are long draws, in what is left from piece `own` on.
    GPUARRAY_DEVICE Begins count(bool longs, int own, int turn) {
        Begins found;
        uint32_t number = 0, all;
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            const bool counts = has_row() && row() * 32 * PIECES >= own;
            found.bits[i] = !counts ? 0 : longs ? rows[row()].begins[i] : accepted[row()][i];
            number += __popc(found.bits[i]);
        }
        found.before = sum_before(number, all);
        if (lane() > warp() && lane() <= WARPS) atomicAdd(&before[turn][lane()], all);
        return found;
    }
    // After `count` by all warps, which has added to what is before each.
    GPUARRAY_DEVICE uint32_t total(int turn) const { return before[turn][WARPS]; }
    GPUARRAY_DEVICE void place(const Begins& found, uint32_t first, int turn) {
        if (threadIdx.x <= WARPS) before[1 - turn][threadIdx.x] = 0;
        if (!has_row()) return;
        Row made;
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            made.begins[i] = found.bits[i];
            made.alone[i] = found.bits[i] & accepted[row()][i];
        }
        made.before = first + before[turn][warp()] + found.before;
#pragma unroll
        for (uint32_t& x : made.padding) x = 0;
        rows[row()] = made;
    }
    // The number of results before a piece.
    GPUARRAY_DEVICE uint32_t rank(int piece) const {
        const int word = piece / PIECES, last = piece % PIECES;
        const Row& found = rows[word / 32];
        const uint32_t lower = (1u << word % 32) - 1;
        uint32_t sum = found.before;
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            sum += __popc(found.begins[i] & lower) + (i < last ? found.begins[i] >> word % 32 & 1 : 0);
        }
        return sum;
    }
};

}  // namespace gpuarray
