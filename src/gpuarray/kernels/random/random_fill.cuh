// Draws of a known number of units: results in any order. And draws by one thread, of engines that cannot jump.
#pragma once

#include "gpuarray/random_draws.cuh"

namespace gpuarray {

// Results that lie side by side, stored as one where their address allows it.
template <class R, int COUNT> struct alignas(sizeof(R) * COUNT) Neighbours {
    R items[COUNT];
};

// Whether that many results, or as many of them as a store takes, may be stored as one.
template <int RESULTS, class R> GPUARRAY_DEVICE bool are_aligned(const R* output) {
    enum { BYTES = RESULTS * sizeof(R) < 16 ? RESULTS * sizeof(R) : 16 };
    return reinterpret_cast<uint64_t>(output) % BYTES == 0;
}

// What the words of a group give, from result number `at` on: only those from 0 to `count`, or all where they may be stored
// as one.
template <bool WHOLE, int WORDS, int PIECES, class Draw, class R>
GPUARRAY_DEVICE void store_group(const Draw& draw, const uint64_t (&words)[WORDS], R* output, int64_t at, int64_t count) {
    enum { ALL = WORDS * PIECES, MOST = 16 / sizeof(R), COUNT = ALL < MOST ? ALL : MOST };
    typedef Neighbours<R, COUNT> Group;
    output += at;
#pragma unroll
    for (int i = 0; i < ALL; i += COUNT) {
        Group group;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) group.items[k] = draw.piece(words[(i + k) / PIECES], (i + k) % PIECES);
        if constexpr (WHOLE) {
            *reinterpret_cast<Group*>(output + i) = group;
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                if (at + i + k >= 0 && at + i + k < count) output[i + k] = group.items[k];
            }
        }
    }
}

// Whether the upper half of a word is left, with which a draw of halves begins.
template <int BITS> GPUARRAY_DEVICE bool half_is_left(const uint64_t* state) { return BITS == 32 && state[0] != 0; }

// A block's threads read neighbouring groups of words, `rounds` times.
template <class Engine, int BLOCK, class Draw>
GPUARRAY_DEVICE void fill(const Draw& draw, const uint64_t* state, uint64_t* next, typename Draw::Result* output,
                          uint64_t count, uint32_t rounds) {
    typedef OfWords<Draw> Reading;
    enum { PIECES = Reading::PIECES, GROUP = Engine::GROUP, TOGETHER = GROUP < 4 ? 4 : 2 };
    const typename Reading::Type reading(draw);
    const Engine engine(state + STATE_HEADER);
    const uint64_t group = uint64_t(blockIdx.x) * rounds * BLOCK;
    typename Engine::template Groups<BLOCK> groups(engine, group);
    const bool half = half_is_left<Draw::BITS>(state);
    int64_t index = (int64_t(group + threadIdx.x) * GROUP - engine.behind()) * PIECES + (half ? Draw::PIECES : 0);
    const bool aligned = are_aligned<GROUP * PIECES>(output + index);
    enum { STEP = BLOCK * GROUP * PIECES };
    if (aligned && index >= 0 && index + int64_t(rounds - 1) * STEP + GROUP * PIECES <= int64_t(count)) {
#pragma unroll 4
        for (uint32_t round = 0; round < rounds; ++round) {
            uint64_t words[GROUP];
            groups.read(words);
            groups.leap();
            store_group<true, GROUP, PIECES>(reading, words, output, index, int64_t(count));
            index += STEP;
        }
    } else {
        for (uint32_t round = 0; round < rounds && index < int64_t(count); ++round) {
            uint64_t words[GROUP];
            groups.read(words);
            groups.leap();
            store_group<false, GROUP, PIECES>(reading, words, output, index, int64_t(count));
            index += STEP;
        }
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
