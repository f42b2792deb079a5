// Many variates of a distribution with one set of parameters.
//
// A thread draws one variate after another. As soon as an attempt is accepted, it goes on with its next variate, so that
// no lane waits for those of its warp that were rejected. A variate is the same as one that is drawn by itself, since its
// bits are those of its place.
#pragma once

#include "gpuarray/draws.cuh"

namespace gpuarray {

struct PlacesOfKey {
    uint64_t key, place;
    GPUARRAY_DEVICE Draws at(uint64_t i) const { return Draws(key, place + i); }
};
struct PlacesOfWords {
    const uint64_t* words;
    GPUARRAY_DEVICE Draws at(uint64_t i) const { return Draws(0, words[i]); }
};

template <int BLOCK, class Sampler, class T, class Places>
GPUARRAY_DEVICE void draw_all(const Sampler& sampler, T* out, uint64_t size, const Places& places) {
    const uint64_t step = uint64_t(gridDim.x) * BLOCK;
    uint64_t i = uint64_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i >= size) return;
    Draws draws = places.at(i);
    typename Sampler::State state{};
    typename Sampler::Result value{};
    int rejected = 0;
#pragma unroll 1
    for (;;) {
        if (!sampler.attempt(draws, state, value) && ++rejected < REJECTIONS) continue;
        out[i] = T(value);
        i += step;
        if (i >= size) return;
        draws = places.at(i);
        state = typename Sampler::State{};
        rejected = 0;
    }
}

}  // namespace gpuarray
