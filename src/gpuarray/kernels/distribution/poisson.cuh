// Poisson variates, and the terms of probabilities that they share with binomial ones.
#pragma once

#include "gpuarray/draws.cuh"

namespace gpuarray {

// G. Marsaglia, W. W. Tsang: "A simple method for generating gamma variables", ACM TOMS 26 (2000); of a shape of 1 or
// more.
struct BoostedGamma : ByRejection<BoostedGamma, double> {
    double d, c;

    GPUARRAY_DEVICE explicit BoostedGamma(double shape) : d(shape - 1.0 / 3), c(1 / sqrt(9 * d)) {}

    // Of a normal variate: the gamma variate over d, the least probability that it is accepted with, and the logarithm
    // of that probability.
    GPUARRAY_DEVICE double cube(double x) const {
        const double v = fma(c, x, 1.0);
        return v * v * v;
    }
    GPUARRAY_DEVICE static double least_chance(double x) { return 1 - 0.0331 * (x * x) * (x * x); }
    GPUARRAY_DEVICE double log_chance(double x, double v) const { return 0.5 * x * x + d * (1 - v + log(v)); }

    template <bool QUICK> GPUARRAY_DEVICE bool accepts(double x, double u, double& found) const {
        const double v = cube(x);
        found = d * v;
        return v > 0 && (u < least_chance(x) || (!QUICK && log(u) < log_chance(x, v)));
    }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, double& found) const {
        return accepts<QUICK>(one_normal(bits), chance(bits.words[3]), found);
    }
};

// Two of them at once, of one pair of normal variates: they are accepted together or not at all.
struct GammaPair {
    BoostedGamma first, second;

    GPUARRAY_DEVICE GammaPair(double a, double b) : first(a), second(b) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, double& one, double& other) const {
        const NormalPair normal = normal_pair(bits);
        const double v = first.cube(normal.one), w = second.cube(normal.other), u = chance(bits.words[3]);
        one = first.d * v;
        other = second.d * w;
        if (!(v > 0 && w > 0)) return false;
        const double p = BoostedGamma::least_chance(normal.one), q = BoostedGamma::least_chance(normal.other);
        if (p > 0 && q > 0 && u < p * q) return true;
        return !QUICK && log(u) < first.log_chance(normal.one, v) + second.log_chance(normal.other, w);
    }
};

GPUARRAY_DEVICE double boosted_gamma(Draws& draws, double shape) { return BoostedGamma::draw(draws, shape); }

// Of numbers below 16: log(n!) less Stirling's formula.
__device__ const double STIRLING_ERRORS[16] = {
    0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834,
    0.020790672103765093, 0.016644691189821193, 0.013876128823070748, 0.01189670994589177,
    0.010411265261972096, 0.009255462182712733, 0.00833056343336287, 0.007573675487951841,
    0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801};

// log(n!) less Stirling's formula, of a whole number that is not 0. C. Loader: "Fast and accurate computation of
// binomial probabilities", 2000.
GPUARRAY_DEVICE double stirling_error(double n) {
    if (n < 16) return STIRLING_ERRORS[int(n)];
    const double inverse = 1 / n, square = inverse * inverse;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680) * square) * square) * square) * inverse;
}

// x log(x / mean) + mean - x, without cancellation: Loader's series, where x is close to the mean.
__device__ __noinline__ double series_of_deviance(double x, double mean) {
    const double difference = x - mean, v = difference / (x + mean);
    double sum = difference * v, term = 2 * x * v;
#pragma unroll 1
    for (int i = 3; i < 40; i += 2) {
        term *= v * v;
        const double next = sum + term / i;
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

// Of small numbers cancellation leaves an error below 1e-11, which no test of a distribution can see.
GPUARRAY_DEVICE double deviance(double x, double mean) {
    if (x + mean > 0x1p16 && fabs(x - mean) < 0.1 * (x + mean)) return series_of_deviance(x, mean);
    return x * log(x / mean) + mean - x;
}

// The logarithm of the probability of k times the square root of 2 pi; k > 0.
GPUARRAY_DEVICE double log_poisson(double k, double lam) {
    return -stirling_error(k) - deviance(k, lam) - 0.5 * log(k);
}

const double GREATEST_INT64 = 9223372036854774784.0;  // of those that a double holds
const int64_t INT64_GREATEST = 9223372036854775807ll;

// W. Hörmann: "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
// Economics 12 (1993), algorithm PTRS; below a mean of 10 by inversion.
struct Poisson : ByRejection<Poisson, int64_t> {
    double lam, b, a, log_alpha, squeezed, fraction, first;
    int64_t whole;
    Inversion inversion;
    Tabled tabled;  // logarithms of probabilities

    GPUARRAY_DEVICE explicit Poisson(double lam) : lam(lam) {
        if (!(lam > 0 && lam < GREATEST_INT64)) return;
        if (lam < 10) {
            first = exp(-lam);
            return;
        }
        b = 0.931 + 2.53 * sqrt(lam);
        a = -0.059 + 0.02483 * b;
        log_alpha = log(1.1239 + 1.1328 / (b - 3.4));
        squeezed = 0.9277 - 3.6224 / (b - 2);
        // Whole numbers beside the mean's, since a double does not hold all of those of great means.
        whole = int64_t(lam);
        fraction = lam - double(whole);
    }
    GPUARRAY_DEVICE double bound(int64_t k) const {
        return k > 0 ? log_poisson(double(k), lam) : 0.91893853320467274178 - lam;
    }
    GPUARRAY_DEVICE auto ratio() const {
        return [mean = lam](int k) { return mean * INVERSES.of[k]; };
    }
    GPUARRAY_DEVICE bool never_fails() const { return lam < 10; }
    template <int BLOCK> GPUARRAY_DEVICE void prepare(double* table) {
        if (lam > 0 && lam < 10) {
            inversion.fill<BLOCK>(table, first, INT64_GREATEST, ratio());
        } else if (4 * sqrt(lam) < Tabled::LENGTH / 2) {
            tabled.fill<BLOCK>(table, whole, 5 * sqrt(lam), [this](int64_t k) { return bound(k); });
        }
    }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, int64_t& k) const {
        k = 0;
        if (!(lam > 0)) return true;
        if (lam < 10) {
            k = inversion.at(Draws::unit(bits.low()), first, INT64_GREATEST, ratio());
            return true;
        }
        k = INT64_GREATEST;
        if (!(lam < GREATEST_INT64)) return true;
        k = whole;
        const double u = Draws::unit(bits.low()) - 0.5, v = Draws::inner_of(bits.high()), side = 0.5 - fabs(u);
        const double step = floor((2 * a / side + b) * u + fraction + 0.43);
        if (side < 0.013 && v > side) return false;
        if (!(step > -double(whole) - 1)) return false;
        if (double(whole) + step > GREATEST_INT64) return false;
        k = whole + int64_t(step);
        if (side >= 0.07 && v <= squeezed) return true;
        if (QUICK && !tabled.has(k)) return false;
        // Probabilities without the factor 1 / sqrt(2 pi), which the hat then has.
        const double most = (tabled.has(k) ? tabled.at(k) : bound(k)) - 0.91893853320467274178;
        return log(v / (a / (side * side) + b)) + log_alpha <= most;
    }
};

GPUARRAY_DEVICE int64_t poisson_variate(Draws& draws, double lam) { return Poisson::draw(draws, lam); }

}  // namespace gpuarray
