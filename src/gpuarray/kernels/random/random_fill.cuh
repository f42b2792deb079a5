// Draws of a known number of units: results in any order. And draws by one thread, of engines that cannot jump.
#pragma once

#include "gpuarray/random_draws.cuh"

namespace gpuarray {

// Results that lie side by side, stored as one where their address allows it.
template <class R, int COUNT> struct alignas(sizeof(R) * COUNT) Neighbours {
    R items[COUNT];
};

template <int PIECES, class Draw, class R>
GPUARRAY_DEVICE void store_pieces(const Draw& draw, uint64_t word, R* output, uint64_t left) {
    enum { MOST = 16 / sizeof(R), COUNT = PIECES < MOST ? PIECES : MOST };
    typedef Neighbours<R, COUNT> Group;
    const bool aligned = COUNT > 1 && reinterpret_cast<uint64_t>(output) % sizeof(Group) == 0;
#pragma unroll
    for (int i = 0; i < PIECES; i += COUNT) {
        Group group;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) group.items[k] = draw.piece(word, i + k);
        if (aligned && i + COUNT <= left) {
            *reinterpret_cast<Group*>(output + i) = group;
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                if (i + k < left) output[i + k] = group.items[k];
            }
        }
    }
}

// Whether the upper half of a word is left, with which a draw of halves begins.
template <int BITS> GPUARRAY_DEVICE bool half_is_left(const uint64_t* state) { return BITS == 32 && state[0] != 0; }

// A block's threads read neighbouring words, `rounds` times.
template <class Engine, int BLOCK, class Draw>
GPUARRAY_DEVICE void fill(const Draw& draw, const uint64_t* state, uint64_t* next, typename Draw::Result* output,
                          uint64_t count, uint32_t rounds) {
    typedef OfWords<Draw> Reading;
    enum { PIECES = Reading::PIECES };
    __shared__ uint64_t origin[STATE_HEADER + Engine::WORDS];
    const typename Reading::Type reading(draw);
    uint64_t word = uint64_t(blockIdx.x) * rounds * BLOCK;
    // One thread's jump is long, those of all from there are short.
    if (threadIdx.x == 0) finish<Engine, 64>(state, origin, word);
    __syncthreads();
    word += threadIdx.x;
    Lane<Engine, 64, BLOCK> lane(origin, threadIdx.x);
    const bool half = half_is_left<Draw::BITS>(state);
    uint64_t index = word * PIECES + (half ? Draw::PIECES : 0);
#pragma unroll 4
    for (uint32_t round = 0; round < rounds && index < count; ++round) {
        store_pieces<PIECES>(reading, lane.unit(), output + index, count - index);
        lane.leap();
        index += BLOCK * PIECES;
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        if constexpr (Draw::BITS == 32) {
            if (half) {
                for (int i = 0; i < Draw::PIECES && i < count; ++i) output[i] = draw.piece(uint32_t(state[1]), i);
            }
        }
        finish<Engine, Draw::BITS>(state, next, (count + Draw::PIECES - 1) / Draw::PIECES);
    }
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
