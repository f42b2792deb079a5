// How many units warps before this one passed over: each tells a number of its tile, and is told the sum of those before.
//
// Sums of integers do not depend on their order, so no message is a sum of all before, which the next one would have to
// wait for: those of 32 tiles make a group's, those of 32 groups a span's, and only sums of 32 spans are added up.
#pragma once

#include "gpuarray/scan.cuh"

namespace gpuarray {

struct TileMemory {
    enum { RADIX = 32, HEADER = 2 };
    uint64_t *tiles, *groups, *spans, *tops;
    uint32_t tag;

    GPUARRAY_DEVICE TileMemory(uint64_t* memory, uint32_t count, uint32_t tag) : tag(tag) {
        tiles = memory + HEADER;
        groups = tiles + count;
        spans = groups + count / RADIX + 1;
        tops = spans + count / (RADIX * RADIX) + 1;
    }
    GPUARRAY_DEVICE uint32_t receive(const uint64_t* word, uint64_t read) const {
        while (uint32_t(read >> 32) != tag) read = load_shared_word(word);
        return uint32_t(read);
    }
    GPUARRAY_DEVICE uint32_t receive(const uint64_t* word) const { return receive(word, load_shared_word(word)); }
    GPUARRAY_DEVICE void send(uint64_t* word, uint32_t value) const {
        store_shared_word(word, uint64_t(tag) << 32 | value);
    }
    GPUARRAY_DEVICE static uint32_t sum(uint32_t value) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
        return value;
    }

    // By a warp: what tile `tile` passed over, and how many units of the next tile that includes.
    GPUARRAY_DEVICE void publish(uint32_t tile, uint32_t passed, uint32_t beyond, int lane) const {
        if (lane == 0) send(tiles + tile, passed << 16 | beyond);
        if (tile % RADIX != RADIX - 1) return;
        const uint32_t group = tile / RADIX, span = group / RADIX, top = span / RADIX;
        uint32_t value = passed;
        if (lane < RADIX - 1) value = receive(tiles + group * RADIX + lane) >> 16;
        value = sum(value);
        if (lane == 0) send(groups + group, value);
        if (group % RADIX != RADIX - 1) return;
        if (lane < RADIX - 1) value = receive(groups + span * RADIX + lane);
        value = sum(value);
        if (lane == 0) send(spans + span, value);
        if (span % RADIX != RADIX - 1) return;
        if (lane < RADIX - 1) value = receive(spans + top * RADIX + lane);
        uint64_t all = sum(value);
        if (top > 0) all += before_top(top);
        __syncwarp();
        if (lane == 0) {
            send(tops + 2 * top, uint32_t(all));
            send(tops + 2 * top + 1, uint32_t(all >> 32));
        }
    }
    GPUARRAY_DEVICE uint64_t before_top(uint32_t top) const {
        const uint32_t lower = receive(tops + 2 * top - 2);
        return uint64_t(receive(tops + 2 * top - 1)) << 32 | lower;
    }
    // How many units of a tile those before it passed over.
    GPUARRAY_DEVICE uint32_t beyond(uint32_t tile) const {
        return tile == 0 ? 0 : receive(tiles + tile - 1) & 0xffff;
    }
    // The sum of what the tiles before passed over.
    GPUARRAY_DEVICE uint64_t before(uint32_t tile, int lane) const {
        const uint32_t group = tile / RADIX, span = group / RADIX, top = span / RADIX;
        const uint64_t* words[3] = {tiles + group * RADIX + lane, groups + span * RADIX + lane,
                                    spans + top * RADIX + lane};
        const bool there[3] = {lane < tile % RADIX, lane < group % RADIX, lane < span % RADIX};
        uint64_t read[3] = {};
        // All reads are under way before the first is waited for.
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            if (there[i]) read[i] = load_shared_word(words[i]);
        }
        uint32_t value = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            if (there[i]) value += receive(words[i], read[i]) >> (i == 0 ? 16 : 0);
        }
        __syncwarp();
        uint64_t all = sum(value);
        if (top > 0) all += before_top(top);
        __syncwarp();
        return all;
    }
};

}  // namespace gpuarray
