// How many of n items fall into each category: a row of counts for the bits of one place.
#pragma once

#include "gpuarray/binomial.cuh"

namespace gpuarray {

// Each count is a variate of the items and of the probability that are left.
struct Multinomial {
    typedef double Weight;

    GPUARRAY_DEVICE static void draw(Draws& draws, int64_t* counts, const double* p, int64_t n, int64_t categories) {
        double rest = 1;
        for (int64_t i = 0; i < categories; ++i) {
            int64_t count = n;
            if (i + 1 < categories && n > 0) count = binomial_variate(draws, n, p[i] / rest);
            rest -= p[i];
            n -= count;
            counts[i] = count;
        }
    }
};

// A sample of n items without replacement.
struct MultivariateHypergeometric {
    typedef int64_t Weight;

    GPUARRAY_DEVICE static void draw(Draws& draws, int64_t* counts, const int64_t* colors, int64_t n,
                                     int64_t categories) {
        int64_t rest = 0;
        for (int64_t i = 0; i < categories; ++i) rest += colors[i];
        for (int64_t i = 0; i < categories; ++i) {
            rest -= colors[i];
            const int64_t count = hypergeometric_variate(draws, colors[i], rest, n);
            n -= count;
            counts[i] = count;
        }
    }
};

// A thread has a row. Steps are 0 where all rows have the same number, or the same weights.
template <class Distribution>
GPUARRAY_DEVICE void draw_counts(int64_t* counts, const uint64_t* words, const int64_t* items,
                                 const typename Distribution::Weight* weights, uint64_t rows, uint64_t categories,
                                 uint64_t item_step, uint64_t weight_step) {
    const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t row = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += threads) {
        Draws draws(0, words[row]);
        Distribution::draw(draws, counts + row * categories, weights + row * weight_step, items[row * item_step],
                           int64_t(categories));
    }
}

}  // namespace gpuarray
