// Discrete distributions: one variate from the bits of one place.
//
// Where a parameter is out of its range the result is 0, or the least value that there is.
#pragma once

#include "gpuarray/binomial.cuh"
#include "gpuarray/random_order.cuh"

namespace gpuarray {

// A Poisson variate whose mean is a gamma variate; by inversion where that needs few terms.
struct NegativeBinomial : ByRejection<NegativeBinomial, int64_t> {
    double n, p, odds, first;
    BoostedGamma boosted;
    Inversion inversion;

    GPUARRAY_DEVICE NegativeBinomial(double n, double p) : n(n), p(p), odds((1 - p) / p), boosted(n < 1 ? n + 1 : n) {
        first = inverts() ? exp(n * log(p)) : 0;
    }
    GPUARRAY_DEVICE bool draws_any() const { return n > 0 && p > 0 && p <= 1; }
    // What 120 terms leave then is below 1e-18.
    GPUARRAY_DEVICE bool inverts() const { return draws_any() && p >= 0.4 && n * odds < 10; }
    GPUARRAY_DEVICE auto ratio() const {
        return [n = n, q = 1 - p](int k) { return q * (n + (k - 1)) * INVERSES.of[k]; };
    }
    GPUARRAY_DEVICE bool never_fails() const { return inverts(); }
    template <int BLOCK> GPUARRAY_DEVICE void prepare(double* table) {
        if (inverts()) inversion.fill<BLOCK>(table, first, INT64_GREATEST, ratio());
    }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, int64_t& found) const {
        found = 0;
        if (!draws_any()) return true;
        if (inverts()) {
            found = inversion.at(Draws::unit(bits.low()), first, INT64_GREATEST, ratio());
            return true;
        }
        double mean;
        if (!boosted.attempt<QUICK>(bits, more, mean)) return false;
        if (n < 1) mean *= exp(-standard_exponential(more) / n);
        const Poisson poisson(mean * odds);
        if (QUICK) return poisson.attempt<true>(more.block(), more, found);
        found = accepted(poisson, more);
        return true;
    }
};

// How many trials an exponential variate is.
struct Geometric : ByRejection<Geometric, int64_t> {
    double p, scale;

    GPUARRAY_DEVICE explicit Geometric(double p) : p(p), scale(-1 / log1p(-p)) {}
    GPUARRAY_DEVICE bool never_fails() const { return true; }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, int64_t& found) const {
        found = 1;
        if (!(p > 0 && p < 1)) return true;
        const double trials = ceil(exponential_of(bits.low()) * scale);
        found = trials >= GREATEST_INT64 ? INT64_GREATEST : trials < 1 ? 1 : int64_t(trials);
        return true;
    }
};

// A. W. Kemp: "Efficient generation of logarithmically distributed pseudo-random variables", Applied Statistics 30
// (1981), algorithm LK.
struct LogSeries : Direct<LogSeries> {
    GPUARRAY_DEVICE static int64_t draw(Draws& draws, double p) {
        const double v = draws.inner();
        if (!(p > 0 && p < 1) || v >= p) return 1;
        const double q = -expm1(log1p(-p) * draws.inner());
        if (v > q * q) return v < q ? 2 : 1;
        const double result = floor(1 + log(v) / log(q));
        return result >= GREATEST_INT64 ? INT64_GREATEST : result < 1 ? 1 : int64_t(result);
    }
};

// L. Devroye: "Non-uniform random variate generation", 1986, page 551. Uniform variates begin where the proposal is
// an int64, so that exponents near 1 do not reject nearly all.
struct Zipf : ByRejection<Zipf, int64_t> {
    double a, power, excess, least;

    GPUARRAY_DEVICE explicit Zipf(double a)
        : a(a), power(a - 1), excess(expm1(power * 0.69314718055994530942)), least(exp(-power * 43.668272375276554)) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, int64_t& found) const {
        found = 1;
        if (!(a > 1 && a < 1025)) return true;
        const double u = Draws::inner_of(bits.low()), v = Draws::unit(bits.high());
        const double x = floor(exp(-log(u + (1 - u) * least) / power));
        if (!(x >= 1 && x < GREATEST_INT64)) return false;
        found = int64_t(x);
        const double above = expm1(power * log1p(1 / x));
        // Both sides divided by T / b, with T = above + 1 and b = excess + 1.
        return v * x * (above / (1 + above)) * ((1 + excess) / excess) <= 1;
    }
};

// Of the integers from 0 to `last`, plus `low`, by Lemire's method; sums are modulo 2^64.
struct Integers : Direct<Integers> {
    GPUARRAY_DEVICE static uint64_t draw(Draws& draws, uint64_t low, uint64_t last) {
        const uint64_t count = last + 1;
        uint64_t word = draws.word();
        if (count == 0) return word + low;
        if (word * count < count) {
            const uint64_t least = (0 - count) % count;
#pragma unroll 1
            for (int i = 0; i < REJECTIONS && word * count < least; ++i) word = draws.word();
        }
        return __umul64hi(word, count) + low;
    }
};

// The place of a number in a random order of the integers below n.
struct PermutedIndex : Direct<PermutedIndex> {
    GPUARRAY_DEVICE static int64_t draw(Draws& draws, int64_t n) {
        if (n < 2 || draws.place >= uint64_t(n)) return 0;
        return int64_t(RandomOrder(draws.key, 0, n).at(draws.place));
    }
};

}  // namespace gpuarray
