// The random bits of one element, and the continuous variates that others are made of.
#pragma once

#include "gpuarray/philox.cuh"

namespace gpuarray {

// Functions that take a `Draws` are inlined, so that it is in registers; calls of them would have it in memory.

// The bits that belong to one place of a stream: Philox blocks whose counter has the place in its lower half and
// the number of the block in its upper one. What an element is does not depend on how many its launch has.
struct Draws {
    uint64_t key, place, blocks;
    bool half;  // whether half of the last block is left
    uint64_t rest;

    GPUARRAY_DEVICE Draws(uint64_t key, uint64_t place, uint64_t first = 0)
        : key(key), place(place), blocks(first), half(false), rest(0) {}

    GPUARRAY_DEVICE PhiloxBlock block() { return philox(key, place, blocks++); }
    GPUARRAY_DEVICE uint64_t word() {
        half = !half;
        if (!half) return rest;
        const PhiloxBlock drawn = block();
        rest = drawn.high();
        return drawn.low();
    }
    // In [0, 1), a multiple of 2^-53.
    GPUARRAY_DEVICE double uniform() { return unit(word()); }
    // In (0, 1), without either end: an odd multiple of 2^-53.
    GPUARRAY_DEVICE double inner() { return inner_of(word()); }

    GPUARRAY_DEVICE static double unit(uint64_t word) { return double(int64_t(word >> 11)) * 0x1p-53; }
    GPUARRAY_DEVICE static double inner_of(uint64_t word) {
        return (double(int64_t(word >> 12)) + 0.5) * 0x1p-52;
    }
};

// Box and Muller, "A note on the generation of random normal deviates", 1958. One block gives one variate.
__device__ __noinline__ double normal_of(uint64_t low, uint64_t high) {
    return sqrt(-2 * log(Draws::inner_of(low))) * cospi(2 * Draws::unit(high));
}

GPUARRAY_DEVICE double standard_normal(Draws& draws) {
    const PhiloxBlock drawn = draws.block();
    return normal_of(drawn.low(), drawn.high());
}

__device__ __noinline__ double exponential_of(uint64_t word) { return -log(Draws::inner_of(word)); }

GPUARRAY_DEVICE double standard_exponential(Draws& draws) { return exponential_of(draws.word()); }

// From 32 bits, in (0, 1): what decides between events, and needs no more.
GPUARRAY_DEVICE double chance(uint32_t word) { return (double(word) + 0.5) * 0x1p-32; }

// The pair of normal variates of Box and Muller, and one of them, from 96 bits. All 64 bits of the first word make the
// radius, which reaches the tails.
struct NormalPair {
    double one, other;
};

GPUARRAY_DEVICE double normal_radius(const PhiloxBlock& bits) { return sqrt(-2 * log(Draws::inner_of(bits.low()))); }

GPUARRAY_DEVICE NormalPair normal_pair(const PhiloxBlock& bits) {
    const double radius = normal_radius(bits);
    double sine, cosine;
    sincospi(double(bits.words[2]) * 0x1p-31, &sine, &cosine);
    return NormalPair{radius * cosine, radius * sine};
}

GPUARRAY_DEVICE double one_normal(const PhiloxBlock& bits) {
    return normal_radius(bits) * cospi(double(bits.words[2]) * 0x1p-31);
}

// Rejection ends long before; parameters that are NaN, or out of range, must not keep a thread.
enum { REJECTIONS = 1000 };

// A distribution by rejection, with its parameters, from which the constructor makes what follows from them alone.
//
//     template <bool QUICK> bool attempt(const PhiloxBlock& bits, Draws& more, Result& found) const
//
// says whether a variate of those bits is accepted. A QUICK one may say no because yes would take long to find out; the
// variate that it accepts is that of the other. Of `more` come the bits that few attempts need.
//
// Attempt k of a place has block k, and as more ones those from (k + 1) << 32 on.
template <class Sampler>
GPUARRAY_DEVICE typename Sampler::Result accepted_at(const Sampler& sampler, uint64_t key, uint64_t place) {
    typename Sampler::Result value{};
#pragma unroll 1
    for (uint32_t number = 0; number < REJECTIONS; ++number) {
        Draws more(key, place, uint64_t(number + 1) << 32);
        if (sampler.template attempt<false>(philox(key, place, number), more, value)) break;
    }
    return value;
}

// One among other variates of a place: attempts have the next blocks.
template <class Sampler> GPUARRAY_DEVICE typename Sampler::Result accepted(const Sampler& sampler, Draws& draws) {
    typename Sampler::Result value{};
#pragma unroll 1
    for (int i = 0; i < REJECTIONS; ++i) {
        const PhiloxBlock bits = draws.block();
        if (sampler.template attempt<false>(bits, draws, value)) break;
    }
    return value;
}

template <class Sampler, class R> struct ByRejection {
    typedef R Result;
    template <class... Parameters> GPUARRAY_DEVICE static R draw(Draws& draws, Parameters... parameters) {
        return accepted(Sampler(parameters...), draws);
    }
    template <class... Parameters>
    GPUARRAY_DEVICE static R draw_at(uint64_t key, uint64_t place, Parameters... parameters) {
        return accepted_at(Sampler(parameters...), key, place);
    }
    // Puts numbers that attempts need into a table that a block shares, if that has any.
    template <int BLOCK> GPUARRAY_DEVICE void prepare(double*) {}
    // Whether the parameters are such that all quick attempts succeed.
    GPUARRAY_DEVICE bool never_fails() const { return false; }
};

// Values of a function of some whole numbers, in a table.
struct Tabled {
    enum { LENGTH = 1024 };
    const double* values = nullptr;
    int64_t from = 0;
    int length = 0;

    GPUARRAY_DEVICE bool has(int64_t k) const { return uint64_t(k - from) < uint64_t(length); }
    GPUARRAY_DEVICE double at(int64_t k) const { return values[k - from]; }

    // By all threads of a block: of the numbers around one, up to so far.
    template <int BLOCK, class Function>
    GPUARRAY_DEVICE void fill(double* table, int64_t middle, double reach, const Function& function) {
        const int64_t half = reach < LENGTH / 2 ? int64_t(reach) : LENGTH / 2;
        from = middle > half ? middle - half : 0;
        length = int(2 * half);
        for (int i = threadIdx.x; i < length; i += BLOCK) table[i] = function(from + i);
        __syncthreads();
        values = table;
    }
};

// 1 / k
struct Inverses {
    enum { LENGTH = 128 };
    double of[LENGTH];
    constexpr Inverses() : of() {
        for (int k = 1; k < LENGTH; ++k) of[k] = 1.0 / k;
    }
};
__device__ constexpr Inverses INVERSES{};

// Whole numbers from 0 on by inversion: how many of the sums of probabilities are not above a uniform variate. Term k is
// term k - 1 times ratio(k). Sums that a block has in a table are looked up.
struct Inversion {
    enum { LARGEST = 120, LENGTH = 128 };
    const double* sums = nullptr;
    int reach = 0;  // the first step of the search among them

    GPUARRAY_DEVICE static void add(double& sum, double& term, double ratio) {
        term = __dmul_rn(term, ratio);
        sum = __dadd_rn(sum, term);
    }
    // By all threads of a block.
    template <int BLOCK, class Ratio> GPUARRAY_DEVICE void fill(double* table, double first, int64_t most, const Ratio& ratio) {
        double* const ratios = table + LENGTH + 1;
        for (int k = threadIdx.x; k < LENGTH; k += BLOCK) {
            ratios[k] = k > 0 && k < most ? ratio(k) : 0;
            table[k] = 2;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            double sum = first, term = first;
            int k = 0;
            // A uniform variate is at most 1 - 2^-53.
#pragma unroll 1
            for (; k < most && k < LARGEST; add(sum, term, ratios[++k])) {
                table[k] = sum;
                if (sum > 1 - 0x1p-53) break;
            }
            int step = 1;  // the greatest power of two up to the greatest number
            while (2 * step <= k) step *= 2;
            table[LENGTH] = k ? step : 0;
        }
        __syncthreads();
        sums = table;
        reach = int(table[LENGTH]);
    }
    template <class Ratio> GPUARRAY_DEVICE int64_t at(double u, double first, int64_t most, const Ratio& ratio) const {
        int k = 0;
        if (sums) {
#pragma unroll 1
            for (int step = reach; step; step /= 2) {
                if (sums[k + step - 1] <= u) k += step;
            }
            return k;
        }
        double sum = first, term = first;
#pragma unroll 1
        while (sum <= u && k < most && k < LARGEST) {
            ++k;
            add(sum, term, ratio(k));
        }
        return k;
    }
};

// A variate of a distribution without rejection.
template <class Distribution> struct Direct {
    template <class... Parameters>
    GPUARRAY_DEVICE static auto draw_at(uint64_t key, uint64_t place, Parameters... parameters) {
        Draws draws(key, place);
        return Distribution::draw(draws, parameters...);
    }
};

struct RandomWord : Direct<RandomWord> {
    GPUARRAY_DEVICE static uint64_t draw(Draws& draws) { return draws.word(); }
};

}  // namespace gpuarray
