// Draws of a known number of units: results in any order. And draws by one thread, of engines that cannot jump.
#pragma once

#include "gpuarray/random_draws.cuh"

namespace gpuarray {

// A block's threads read neighbouring units, `rounds` times.
template <class Engine, int BLOCK, class Draw>
GPUARRAY_DEVICE void fill(const Draw& draw, const uint64_t* state, uint64_t* next, typename Draw::Result* output,
                          uint64_t count, uint32_t rounds) {
    const uint64_t units = (count + Draw::PIECES - 1) / Draw::PIECES;
    uint64_t unit = uint64_t(blockIdx.x) * rounds * BLOCK + threadIdx.x;
    if (unit < units) {
        Lane<Engine, Draw::BITS, BLOCK> lane(state, unit);
#pragma unroll 4
        for (uint32_t round = 0; round < rounds && unit < units; ++round) {
            const auto value = lane.unit();
#pragma unroll
            for (int i = 0; i < Draw::PIECES; ++i) {
                const uint64_t index = unit * Draw::PIECES + i;
                if (Draw::PIECES == 1 || index < count) output[index] = draw.piece(value, i);
            }
            lane.leap();
            unit += BLOCK;
        }
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) finish<Engine, Draw::BITS>(state, next, units);
}

// One thread draws all results one after another, as NumPy does.
template <class Engine, class Draw>
GPUARRAY_DEVICE void draw_serially(Draw& draw, const uint64_t* state, uint64_t* next, typename Draw::Result* output,
                                   uint64_t count) {
    if (threadIdx.x != 0) return;
    Stream<Engine> stream(state, next);
#pragma unroll 1
    for (uint64_t i = 0; i < count; ++i) output[i] = draw.next(stream);
    stream.save(next);
}

}  // namespace gpuarray
