// Binomial and hypergeometric variates.
#pragma once

#include "gpuarray/poisson.cuh"

namespace gpuarray {

// The logarithm of the probability of k successes of n times the square root of 2 pi; Loader's saddle-point expansion.
__device__ __noinline__ double log_binomial(int64_t k, int64_t n, double p) {
    const double q = 1 - p, all = double(n), rest = double(n - k), hits = double(k);
    if (k == 0) return all * log1p(-p) + 0.91893853320467274178;
    if (k == n) return all * log(p) + 0.91893853320467274178;
    const double terms = stirling_error(all) - stirling_error(hits) - stirling_error(rest);
    return terms - deviance(hits, all * p) - deviance(rest, all * q) - 0.5 * log(hits * (rest / all));
}

// At most one half of n successes. W. Hörmann: "The generation of binomial random variates", Journal of Statistical
// Computation and Simulation 46 (1993), algorithm BTRS; below a mean of 10 by inversion.
GPUARRAY_DEVICE int64_t lower_binomial(Draws& draws, int64_t n, double p) {
    const double all = double(n), mean = all * p, q = 1 - p;
    if (mean < 10) {
        double term = exp(all * log1p(-p)), rest = draws.uniform();
        const double odds = p / q;
        int64_t k = 0;
#pragma unroll 1
        while (rest >= term && k < n && k < 120) {
            rest -= term;
            term *= odds * (double(n - k) / double(k + 1));
            ++k;
        }
        return k;
    }
    const double deviation = sqrt(mean * q);
    const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double log_alpha = log((2.83 + 5.1 / b) * deviation), squeezed = 0.92 - 4.2 / b;
    const int64_t whole = int64_t(mean), mode = int64_t((all + 1) * p);
    const double fraction = mean - double(whole), highest = log_binomial(mode, n, p);
    int64_t k = mode;
#pragma unroll 1
    for (int i = 0; i < REJECTIONS; ++i) {
        const double u = draws.uniform() - 0.5, v = draws.inner(), side = 0.5 - fabs(u);
        const double step = floor((2 * a / side + b) * u + fraction + 0.5);
        if (!(fabs(step) < GREATEST_INT64 / 2) || step < -double(whole) || step > double(n - whole)) continue;
        const int64_t tried = whole + int64_t(step);
        if (tried < 0 || tried > n) continue;
        k = tried;
        if (side >= 0.07 && v <= squeezed) break;
        if (log(v) + log_alpha - log(a / (side * side) + b) <= log_binomial(k, n, p) - highest) break;
    }
    return k;
}

GPUARRAY_DEVICE int64_t binomial_variate(Draws& draws, int64_t n, double p) {
    if (!(n > 0 && p > 0)) return 0;
    if (p >= 1) return n;
    return p <= 0.5 ? lower_binomial(draws, n, p) : n - lower_binomial(draws, n, 1 - p);
}

// log(n!)
__device__ __noinline__ double log_factorial(int64_t n) {
    if (n < 2) return 0;
    const double x = double(n);
    return (x + 0.5) * log(x) - x + 0.91893853320467274178 + stirling_error(x);
}

// E. Stadlober: "The ratio of uniforms approach for generating discrete random variates", Journal of Computational and
// Applied Mathematics 31 (1990), algorithm HRUA. `good` is no more than `bad`, `sample` no more than a half of both.
GPUARRAY_DEVICE int64_t ratio_hypergeometric(Draws& draws, int64_t good, int64_t bad, int64_t sample) {
    const double all = double(good + bad), p = double(good) / all, m = double(sample);
    const double centre = m * p + 0.5, deviation = sqrt((all - m) * m * p * (1 - p) / (all - 1) + 0.5);
    const double width = 1.7155277699214135 * deviation + 0.8989161620588988;
    const int64_t mode = int64_t((m + 1) * (double(good) + 1) / (all + 2));
    const int64_t offset = bad - sample;
    const double highest = log_factorial(mode) + log_factorial(good - mode) + log_factorial(sample - mode) +
                           log_factorial(offset + mode);
    const double least = double(sample < good ? sample : good) + 1, far = floor(centre + 16 * deviation);
    const double end = least < far ? least : far;
    int64_t k = mode;
#pragma unroll 1
    for (int i = 0; i < REJECTIONS; ++i) {
        const double u = draws.inner(), v = draws.uniform(), x = centre + width * (v - 0.5) / u;
        if (!(x >= 0 && x < end)) continue;
        k = int64_t(x);
        const double t = highest - (log_factorial(k) + log_factorial(good - k) + log_factorial(sample - k) +
                                    log_factorial(offset + k));
        if (u * (4 - u) - 3 <= t) break;
        if (u * (u - t) >= 1) continue;
        if (2 * log(u) <= t) break;
    }
    return k;
}

// One item after another.
GPUARRAY_DEVICE int64_t urn_hypergeometric(Draws& draws, int64_t good, int64_t bad, int64_t sample) {
    const int64_t before = good;
#pragma unroll 1
    for (; sample > 0 && good > 0; --sample) {
        if (draws.uniform() * double(good + bad) < double(good)) {
            --good;
        } else {
            --bad;
        }
    }
    return before - good;
}

// How many of a sample without replacement are good.
GPUARRAY_DEVICE int64_t hypergeometric_variate(Draws& draws, int64_t good, int64_t bad, int64_t sample) {
    if (good < 0 || bad < 0 || sample <= 0 || sample > good + bad) return 0;
    const int64_t all = good + bad, drawn = sample <= all - sample ? sample : all - sample;
    const int64_t fewer = good < bad ? good : bad, more = all - fewer;
    int64_t k = drawn < 10 ? urn_hypergeometric(draws, fewer, more, drawn)
                           : ratio_hypergeometric(draws, fewer, more, drawn);
    if (good > bad) k = drawn - k;
    return drawn < sample ? good - k : k;
}

}  // namespace gpuarray
