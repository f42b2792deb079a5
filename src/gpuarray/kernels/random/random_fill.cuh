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

// What the words of a group give, from result number `at` on: only those from 0 to `count`. `aligned` says whether the
// results of a store may be stored as one.
template <int WORDS, int PIECES, class Draw, class R>
GPUARRAY_DEVICE void store_group(const Draw& draw, const uint64_t (&words)[WORDS], R* output, int64_t at, int64_t count,
                                 bool aligned) {
    enum { ALL = WORDS * PIECES, MOST = 16 / sizeof(R), COUNT = ALL < MOST ? ALL : MOST };
    typedef Neighbours<R, COUNT> Group;
    const bool whole = aligned && at >= 0 && at + ALL <= count;
    output += at;
#pragma unroll
    for (int i = 0; i < ALL; i += COUNT) {
        Group group;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) group.items[k] = draw.piece(words[(i + k) / PIECES], (i + k) % PIECES);
        if (whole) {
            *reinterpret_cast<Group*>(output + i) = group;
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                if (at + i + k >= 0 && at + i + k < count) output[i + k] = group.items[k];
            }
        }
    }
}

// All that the words of a group give, stored by the threads of whole warps. A sector of memory is 32 bytes: threads with
// as many share two sectors with a neighbour, so that both write to the same one at a time.
template <int WORDS, int PIECES, class Draw, class R>
GPUARRAY_DEVICE void store_whole_group(const Draw& draw, const uint64_t (&words)[WORDS], R* output) {
    enum { ALL = WORDS * PIECES, MOST = 16 / sizeof(R), COUNT = ALL < MOST ? ALL : MOST };
    typedef Neighbours<R, COUNT> Group;
    Group groups[ALL / COUNT];
#pragma unroll
    for (int i = 0; i < ALL; ++i) groups[i / COUNT].items[i % COUNT] = draw.piece(words[i / PIECES], i % PIECES);
    if constexpr (ALL * sizeof(R) == 32) {
        const bool odd = threadIdx.x % 2;
        uint4 one = *reinterpret_cast<const uint4*>(&groups[0]), other = *reinterpret_cast<const uint4*>(&groups[1]);
        uint4 passed = odd ? one : other;
        passed.x = __shfl_xor_sync(0xffffffffu, passed.x, 1);
        passed.y = __shfl_xor_sync(0xffffffffu, passed.y, 1);
        passed.z = __shfl_xor_sync(0xffffffffu, passed.z, 1);
        passed.w = __shfl_xor_sync(0xffffffffu, passed.w, 1);
        uint4* const sectors = reinterpret_cast<uint4*>(output - (odd ? ALL : 0)) + odd;
        sectors[0] = odd ? passed : one;
        sectors[2] = odd ? other : passed;
    } else {
#pragma unroll
        for (int i = 0; i < ALL / COUNT; ++i) reinterpret_cast<Group*>(output)[i] = groups[i];
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
    uint32_t round = 0;
    // The first block may begin with what is left of a group. Of others all groups are whole but at the end.
    const int64_t first = index - int64_t(threadIdx.x) * (GROUP * PIECES);
    if (blockIdx.x > 0 && aligned && first + int64_t(rounds) * (BLOCK * GROUP * PIECES) <= int64_t(count)) {
#pragma unroll 1
        for (; round + TOGETHER <= rounds; round += TOGETHER) {
            uint64_t words[TOGETHER][GROUP];
            read_next(groups, words);
#pragma unroll
            for (int k = 0; k < TOGETHER; ++k) {
                store_whole_group<GROUP, PIECES>(reading, words[k], output + index);
                index += BLOCK * GROUP * PIECES;
            }
        }
    }
#pragma unroll 1
    for (; round < rounds && index < int64_t(count); ++round) {
        uint64_t words[GROUP];
        groups.read(words);
        groups.leap();
        store_group<GROUP, PIECES>(reading, words, output, index, int64_t(count), aligned);
        index += BLOCK * GROUP * PIECES;
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
