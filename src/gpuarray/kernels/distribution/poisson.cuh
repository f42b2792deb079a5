// Poisson variates, and the terms of probabilities that they share with binomial ones.
#pragma once

#include "gpuarray/draws.cuh"

namespace gpuarray {

// G. Marsaglia, W. W. Tsang: "A simple method for generating gamma variables", ACM TOMS 26 (2000); of a shape of 1 or
// more.
GPUARRAY_DEVICE double boosted_gamma(Draws& draws, double shape) {
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    double v = 1;
#pragma unroll 1
    for (int i = 0; i < REJECTIONS; ++i) {
        const double x = standard_normal(draws), u = draws.inner();
        v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        const double square = x * x;
        if (u < 1 - 0.0331 * square * square) break;
        if (log(u) < 0.5 * square + d * (1 - v + log(v))) break;
    }
    return d * v;
}

// Of numbers below 16: log(n!) less Stirling's formula.
__device__ const double STIRLING_ERRORS[16] = {
    0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834,
    0.020790672103765093, 0.016644691189821193, 0.013876128823070748, 0.01189670994589177,
    0.010411265261972096, 0.009255462182712733, 0.00833056343336287, 0.007573675487951841,
    0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801};

// log(n!) less Stirling's formula, of a whole number that is not 0. C. Loader: "Fast and accurate computation of
// binomial probabilities", 2000.
__device__ __noinline__ double stirling_error(double n) {
    if (n < 16) return STIRLING_ERRORS[int(n)];
    const double square = n * n;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680) / square) / square) / square) / n;
}

// x log(x / mean) + mean - x, without cancellation. Loader's series, where x is close to the mean.
__device__ __noinline__ double deviance(double x, double mean) {
    const double difference = x - mean, v = difference / (x + mean);
    if (fabs(v) >= 0.1) return x * log(x / mean) + mean - x;
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

// The logarithm of the probability of k times the square root of 2 pi; k > 0.
GPUARRAY_DEVICE double log_poisson(double k, double lam) {
    return -stirling_error(k) - deviance(k, lam) - 0.5 * log(k);
}

const double GREATEST_INT64 = 9223372036854774784.0;  // of those that a double holds
const int64_t INT64_GREATEST = 9223372036854775807ll;

// W. Hörmann: "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
// Economics 12 (1993), algorithm PTRS; below a mean of 10 by inversion.
GPUARRAY_DEVICE int64_t poisson_variate(Draws& draws, double lam) {
    if (!(lam > 0)) return 0;
    if (lam < 10) {
        double term = exp(-lam), rest = draws.uniform();
        int64_t k = 0;
#pragma unroll 1
        while (rest >= term && k < 120) {
            rest -= term;
            ++k;
            term *= lam / double(k);
        }
        return k;
    }
    if (!(lam < GREATEST_INT64)) return INT64_GREATEST;
    const double b = 0.931 + 2.53 * sqrt(lam), a = -0.059 + 0.02483 * b;
    const double log_alpha = log(1.1239 + 1.1328 / (b - 3.4)), squeezed = 0.9277 - 3.6224 / (b - 2);
    // Whole numbers beside the mean's, since a double does not hold all of those of great means.
    const int64_t whole = int64_t(lam);
    const double fraction = lam - double(whole);
    int64_t k = whole;
#pragma unroll 1
    for (int i = 0; i < REJECTIONS; ++i) {
        const double u = draws.uniform() - 0.5, v = draws.inner(), side = 0.5 - fabs(u);
        const double step = floor((2 * a / side + b) * u + fraction + 0.43);
        if (side < 0.013 && v > side) continue;
        if (!(step > -double(whole) - 1)) continue;
        if (double(whole) + step > GREATEST_INT64) continue;
        k = whole + int64_t(step);
        if (side >= 0.07 && v <= squeezed) break;
        const double bound = k > 0 ? log_poisson(double(k), lam) : 0.91893853320467274178 - lam;
        // Probabilities without the factor 1 / sqrt(2 pi), which the hat then has.
        if (log(v) + log_alpha - log(a / (side * side) + b) <= bound - 0.91893853320467274178) break;
    }
    return k;
}

}  // namespace gpuarray
