// Draws of a known number of units: results in any order. And draws by one thread, of engines that cannot jump.
#pragma once

#include "gpuarray/random_draws.cuh"

namespace gpuarray {

// Results that lie side by side, stored as one where their address allows it.
template <class R, int COUNT> struct alignas(sizeof(R) * COUNT) Neighbours {
    R items[COUNT];
};

// Whether that many results, or as many of them as a store takes, may be stored as one.
template <int RESULTS, class R> GPUARRAY_DEVICE bool may_store_as_one(const R* output) {
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

// As much as two sectors of memory hold, of all threads of whole warps: neighbours swap halves, so that both write to the
// same sector at a time.
template <int WORDS, int PIECES, class Draw, class R>
GPUARRAY_DEVICE void store_sectors(const Draw& draw, const uint64_t (&words)[WORDS], R* output) {
    enum { ALL = WORDS * PIECES, HALF = ALL / 2 };
    static_assert(ALL * sizeof(R) == 32, "an access is 16 bytes, a sector 32");
    Neighbours<R, HALF> halves[2];
#pragma unroll
    for (int i = 0; i < ALL; ++i) halves[i / HALF].items[i % HALF] = draw.piece(words[i / PIECES], i % PIECES);
    const bool odd = threadIdx.x % 2;
    const uint4 lower = *reinterpret_cast<const uint4*>(&halves[0]), upper = *reinterpret_cast<const uint4*>(&halves[1]);
    uint4 passed = odd ? lower : upper;
    passed.x = __shfl_xor_sync(0xffffffffu, passed.x, 1);
    passed.y = __shfl_xor_sync(0xffffffffu, passed.y, 1);
    passed.z = __shfl_xor_sync(0xffffffffu, passed.z, 1);
    passed.w = __shfl_xor_sync(0xffffffffu, passed.w, 1);
    uint4* const accesses = reinterpret_cast<uint4*>(output - (odd ? ALL : 0)) + odd;
    accesses[0] = odd ? passed : lower;
    accesses[2] = odd ? upper : passed;
}

// Whether the upper half of a word is left, with which a draw of halves begins.
template <int BITS> GPUARRAY_DEVICE bool half_is_left(const uint64_t* state) { return BITS == 32 && state[0] != 0; }

// A block's threads read neighbouring groups of words, `rounds` times.
template <class Engine, int BLOCK, class Draw>
GPUARRAY_DEVICE void fill(const Draw& draw, const uint64_t* state, uint64_t* next, typename Draw::Result* output,
                          uint64_t count, uint32_t rounds) {
    typedef OfWords<Draw> Reading;
    enum { PIECES = Reading::PIECES, GROUP = Engine::GROUP };
    const typename Reading::Type reading(draw);
    const Engine engine(state + STATE_HEADER);
    const uint64_t group = uint64_t(blockIdx.x) * rounds * BLOCK;
    typename Engine::template Groups<BLOCK> groups(engine, group);
    const bool half = half_is_left<Draw::BITS>(state);
    int64_t index = (int64_t(group + threadIdx.x) * GROUP - engine.behind()) * PIECES + (half ? Draw::PIECES : 0);
    const bool aligned = may_store_as_one<GROUP * PIECES>(output + index);
    enum { STEP = BLOCK * GROUP * PIECES };
    const bool whole = aligned && index >= 0 && index + int64_t(rounds - 1) * STEP + GROUP * PIECES <= int64_t(count);
    uint32_t round = 0;
    if constexpr (GROUP == Philox4x64::GROUP && GROUP * PIECES * sizeof(typename Draw::Result) == 32) {
        // The first block may begin with a group that the state has.
        if (__syncthreads_and(blockIdx.x > 0 && whole && can_read_next(groups, rounds))) {
            for (; round + 2 <= rounds; round += 2) {
                uint64_t words[2][GROUP];
                read_next(groups, words);
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    store_sectors<GROUP, PIECES>(reading, words[k], output + index);
                    index += STEP;
                }
            }
        }
    }
    if (whole) {
#pragma unroll 4
        for (; round < rounds; ++round) {
            uint64_t words[GROUP];
            groups.read(words);
            groups.leap();
            store_group<true, GROUP, PIECES>(reading, words, output, index, int64_t(count));
            index += STEP;
        }
    } else {
        for (; round < rounds && index < int64_t(count); ++round) {
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
