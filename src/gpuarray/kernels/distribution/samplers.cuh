// Many variates of a distribution by rejection.
//
// The lanes of a warp make quick attempts at neighbouring variates, whose results they store side by side. Those that
// failed, about one in ten, wait in a queue of the warp, until they are enough for all its lanes, which then make whole
// attempts at them. So no lane waits for those whose variate takes several attempts, or a long one. A variate is the same
// as one that is drawn by itself, since its bits are those of its place.
#pragma once

#include "gpuarray/draws.cuh"

namespace gpuarray {

// Where the bits of variates are.
struct PlacesOfKey {
    uint64_t key, place;
    GPUARRAY_DEVICE uint64_t at(uint64_t i) const { return place + i; }
};
struct PlacesOfWords {
    static constexpr uint64_t key = 0;
    const uint64_t* words;
    GPUARRAY_DEVICE uint64_t at(uint64_t i) const { return words[i]; }
};

// The samplers of variates: one for all, or those of a row of parameters, again and again.
template <class Sampler> struct Same {
    typedef Sampler Type;
    const Sampler& sampler;
    GPUARRAY_DEVICE const Sampler& at(uint64_t) const { return sampler; }
    GPUARRAY_DEVICE bool never_fails() const { return sampler.never_fails(); }
};
template <class Sampler> struct Cycled {
    typedef Sampler Type;
    enum { MOST = 64 };  // that a block makes once
    const double* parameters;
    uint64_t count;
    const Sampler* made;

    // By all threads of a block, with memory that it shares.
    template <int BLOCK>
    GPUARRAY_DEVICE static Cycled of(Sampler* made, const double* parameters, uint64_t count) {
        if (count > MOST) return Cycled{parameters, count, nullptr};
        for (uint32_t k = threadIdx.x; k < count; k += BLOCK) made[k] = Sampler(parameters[k]);
        __syncthreads();
        return Cycled{parameters, count, made};
    }
    GPUARRAY_DEVICE Sampler at(uint64_t i) const {
        const uint64_t k = (i | count) >> 32 ? i % count : uint32_t(i) % uint32_t(count);
        return made ? made[k] : Sampler(parameters[k]);
    }
    GPUARRAY_DEVICE bool never_fails() const { return false; }
};

struct Waiting {
    uint64_t index;
    uint32_t number;  // of the next attempt
};

template <bool QUICK, class Samplers, class T, class Places>
GPUARRAY_DEVICE bool draw_one(const Samplers& samplers, T* out, const Places& places, uint64_t i, uint32_t number) {
    const uint64_t place = places.at(i);
    Draws more(places.key, place, uint64_t(number + 1) << 32);
    typename Samplers::Type::Result value{};
    const PhiloxBlock bits = philox(places.key, place, number);
    const bool done = samplers.at(i).template attempt<QUICK>(bits, more, value);
    if (done || (!QUICK && number + 1 == REJECTIONS)) {
        out[i] = T(value);
        return true;
    }
    return false;
}

template <int BLOCK, class Samplers, class T, class Places>
GPUARRAY_DEVICE void draw_all(const Samplers& samplers, T* out, uint64_t size, const Places& places) {
    enum { WARP = 32, WARPS = BLOCK / WARP };
    __shared__ Waiting queues[WARPS][2 * WARP];
    Waiting* const queue = queues[threadIdx.x / WARP];
    const uint32_t lane = threadIdx.x % WARP;
    const uint64_t step = uint64_t(gridDim.x) * BLOCK;
    if (samplers.never_fails()) {
#pragma unroll 2
        for (uint64_t i = uint64_t(blockIdx.x) * BLOCK + threadIdx.x; i < size; i += step) {
            draw_one<true>(samplers, out, places, i, 0);
        }
        return;
    }
    uint64_t first = uint64_t(blockIdx.x) * BLOCK + threadIdx.x / WARP * WARP;  // of the warp
    uint32_t waiting = 0;
#pragma unroll 1
    while (waiting || first < size) {
        Waiting mine{first + lane, 0};
        bool failed = false;
        if (waiting < WARP && first < size) {
            if (mine.index < size) failed = !draw_one<true>(samplers, out, places, mine.index, 0);
            first += step;
        } else {
            const uint32_t count = waiting < WARP ? waiting : WARP;
            waiting -= count;
            if (lane < count) {
                mine = queue[waiting + lane];
                failed = !draw_one<false>(samplers, out, places, mine.index, mine.number);
                ++mine.number;
            }
            __syncwarp();
        }
        const uint32_t all = __ballot_sync(0xffffffffu, failed);
        if (failed) queue[waiting + __popc(all & ((1u << lane) - 1))] = mine;
        waiting += __popc(all);
        __syncwarp();
    }
}

}  // namespace gpuarray
