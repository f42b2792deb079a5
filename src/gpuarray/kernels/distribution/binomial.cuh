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

// W. Hörmann: "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46 (1993),
// algorithm BTRS; below a mean of 10 by inversion. Where successes are the greater part, failures are drawn.
struct Binomial : ByRejection<Binomial, int64_t> {
    int64_t n, whole, mode;
    double given, p, mean, odds, first, b, a, log_alpha, squeezed, fraction, highest;
    Inversion inversion;
    Tabled tabled;  // logarithms of probabilities

    GPUARRAY_DEVICE Binomial(int64_t n, double given)
        : n(n), given(given), p(given <= 0.5 ? given : 1 - given), mean(double(n) * p) {
        if (!draws_any()) return;
        const double all = double(n), q = 1 - p;
        if (mean < 10) {
            first = exp(all * log1p(-p));
            odds = p / q;
            return;
        }
        const double deviation = sqrt(mean * q);
        b = 1.15 + 2.53 * deviation;
        a = -0.0873 + 0.0248 * b + 0.01 * p;
        log_alpha = log((2.83 + 5.1 / b) * deviation);
        squeezed = 0.92 - 4.2 / b;
        whole = int64_t(mean);
        mode = int64_t((all + 1) * p);
        fraction = mean - double(whole);
        highest = log_binomial(mode, n, p);
    }
    GPUARRAY_DEVICE bool draws_any() const { return n > 0 && given > 0 && given < 1; }
    GPUARRAY_DEVICE double bound(int64_t k) const { return log_binomial(k, n, p) - highest; }
    GPUARRAY_DEVICE auto ratio() const {
        return [ratio = odds, all = n](int k) { return ratio * double(all - (k - 1)) * INVERSES.of[k]; };
    }
    GPUARRAY_DEVICE bool never_fails() const { return mean < 10; }
    template <int BLOCK> GPUARRAY_DEVICE void prepare(double* table) {
        if (!draws_any()) return;
        const double deviation = sqrt(mean * (1 - p));
        if (mean < 10) {
            inversion.fill<BLOCK>(table, first, n, ratio());
        } else if (4 * deviation < Tabled::LENGTH / 2) {
            tabled.fill<BLOCK>(table, mode, 5 * deviation, [this](int64_t k) { return k > n ? 0 : bound(k); });
        }
    }
    GPUARRAY_DEVICE int64_t counted(int64_t k) const { return given <= 0.5 ? k : n - k; }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, int64_t& found) const {
        if (!draws_any()) {
            found = n > 0 && given >= 1 ? n : 0;
            return true;
        }
        if (mean < 10) {
            found = counted(inversion.at(Draws::unit(bits.low()), first, n, ratio()));
            return true;
        }
        found = counted(mode);
        const double u = Draws::unit(bits.low()) - 0.5, v = Draws::inner_of(bits.high()), side = 0.5 - fabs(u);
        const double step = floor((2 * a / side + b) * u + fraction + 0.5);
        if (!(fabs(step) < GREATEST_INT64 / 2) || step < -double(whole) || step > double(n - whole)) return false;
        const int64_t k = whole + int64_t(step);
        if (k < 0 || k > n) return false;
        found = counted(k);
        if (side >= 0.07 && v <= squeezed) return true;
        if (QUICK && !tabled.has(k)) return false;
        return log(v / (a / (side * side) + b)) + log_alpha <= (tabled.has(k) ? tabled.at(k) : bound(k));
    }
};

GPUARRAY_DEVICE int64_t binomial_variate(Draws& draws, int64_t n, double p) { return Binomial::draw(draws, n, p); }

// log(n!)
__device__ __noinline__ double log_factorial(int64_t n) {
    if (n < 2) return 0;
    const double x = double(n);
    return (x + 0.5) * log(x) - x + 0.91893853320467274178 + stirling_error(x);
}

// How many of a sample without replacement are good. E. Stadlober: "The ratio of uniforms approach for generating discrete
// random variates", Journal of Computational and Applied Mathematics 31 (1990), algorithm HRUA: of the fewer kind, and of
// the half of all that is drawn or left; by inversion where these are fewer than 10.
struct Hypergeometric : ByRejection<Hypergeometric, int64_t> {
    int64_t good, bad, sample, drawn, fewer, more, offset;
    double centre, width, highest, end, first;
    Inversion inversion;
    Tabled tabled;  // logarithms of probabilities

    GPUARRAY_DEVICE Hypergeometric(int64_t good, int64_t bad, int64_t sample) : good(good), bad(bad), sample(sample) {
        if (!draws_any()) return;
        const int64_t both = good + bad;
        drawn = sample <= both - sample ? sample : both - sample;
        fewer = good < bad ? good : bad;
        more = both - fewer;
        if (drawn < 10) {
            first = 1;
            for (int i = 0; i < drawn; ++i) first *= double(more - i) / double(both - i);
            return;
        }
        const double all = double(both), p = double(fewer) / all, m = double(drawn);
        const double deviation = sqrt((all - m) * m * p * (1 - p) / (all - 1) + 0.5);
        centre = m * p + 0.5;
        width = 1.7155277699214135 * deviation + 0.8989161620588988;
        offset = more - drawn;
        highest = logarithms(int64_t((m + 1) * (double(fewer) + 1) / (all + 2)));
        const double least = double(drawn < fewer ? drawn : fewer) + 1, far = floor(centre + 16 * deviation);
        end = least < far ? least : far;
    }
    GPUARRAY_DEVICE bool draws_any() const {
        return good >= 0 && bad >= 0 && sample > 0 && sample <= good + bad;
    }
    GPUARRAY_DEVICE double logarithms(int64_t k) const {
        return log_factorial(k) + log_factorial(fewer - k) + log_factorial(drawn - k) + log_factorial(offset + k);
    }
    // Items of the fewer kind among those drawn.
    GPUARRAY_DEVICE int64_t most() const { return drawn < fewer ? drawn : fewer; }
    GPUARRAY_DEVICE auto ratio() const {
        return [fewer = double(fewer), drawn = double(drawn), rest = double(more - drawn)](int k) {
            return (fewer - (k - 1)) * (drawn - (k - 1)) / (k * (rest + k));
        };
    }
    GPUARRAY_DEVICE bool never_fails() const { return !draws_any() || drawn < 10; }
    template <int BLOCK> GPUARRAY_DEVICE void prepare(double* table) {
        if (!draws_any()) return;
        if (drawn < 10) {
            inversion.fill<BLOCK>(table, first, most(), ratio());
        } else {
            const auto value = [this](int64_t k) { return double(k) < end ? highest - logarithms(k) : 0; };
            tabled.fill<BLOCK>(table, int64_t(centre), Tabled::LENGTH / 2, value);
        }
    }
    GPUARRAY_DEVICE int64_t counted(int64_t k) const {
        if (good > bad) k = drawn - k;
        return drawn < sample ? good - k : k;
    }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, int64_t& found) const {
        found = 0;
        if (!draws_any()) return true;
        if (drawn < 10) {
            found = counted(inversion.at(Draws::unit(bits.low()), first, most(), ratio()));
            return true;
        }
        const double u = Draws::inner_of(bits.low()), v = Draws::unit(bits.high()), x = centre + width * (v - 0.5) / u;
        found = counted(0);
        if (!(x >= 0 && x < end)) return false;
        const int64_t k = int64_t(x);
        found = counted(k);
        if (QUICK && !tabled.has(k)) return false;
        const double t = tabled.has(k) ? tabled.at(k) : highest - logarithms(k);
        if (u * (4 - u) - 3 <= t) return true;
        if (u * (u - t) >= 1) return false;
        return !QUICK && 2 * log(u) <= t;
    }
};

GPUARRAY_DEVICE int64_t hypergeometric_variate(Draws& draws, int64_t good, int64_t bad, int64_t sample) {
    return Hypergeometric::draw(draws, good, bad, sample);
}

}  // namespace gpuarray
