// The noncentral chi-squared and F distributions as mixtures of central ones with Poisson's weights (the sums of N. L.
// Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", volume 2, chapters 29 and 30), and their
// inverses.
//
// Either tail is a sum of positive terms. The one on the left begins beyond the last weight that counts and goes down,
// where the recurrences of the incomplete gamma and beta functions add; the one on the right goes up. D. Benton and K.
// Krishnamoorthy, "Computing discrete mixtures of continuous distributions" (2003), Computational Statistics & Data
// Analysis 43.
#pragma once

#include "gpuarray/special_betainc.cuh"
#include "gpuarray/special_gammainc.cuh"

namespace gpuarray {
namespace special {

// Weights below and above these are no more than 1e-17 in all. The central distributions' tails only make what is left
// out smaller.
GPUARRAY_DEVICE double first_weight(double rate) { return ::fmax(0.0, ::floor(rate - 9 * ::sqrt(rate) - 40)); }
GPUARRAY_DEVICE double last_weight(double rate) {
    if (rate < 1) return rate == 0 ? 0.0 : ::ceil(44 / (1 - ::log(rate)) + 1);
    return ::ceil(rate + 9 * ::sqrt(rate) + 40);
}

// The logarithm of exp(-rate) rate^j / gamma(j + 1)
GPUARRAY_CALLED dd log_poisson_weight(double rate, double j) {
    if (rate == 0) return dd(j == 0 ? 0.0 : -infinity());
    return log_dd(dd(rate)) * j - rate - lgamma_positive(dd(1.0) + j);
}
// Where j^2 + linear j = constant >= 0
GPUARRAY_DEVICE double positive_root(double linear, double constant) {
    const double root = ::sqrt(linear * linear + 4 * constant);
    return linear > 0 ? 2 * constant / (linear + root) : 0.5 * (root - linear);
}

// A tail of a central distribution, and what it changes by when the parameter does, both over exp(log). Of two doubles:
// the roundings of hundreds of steps would add up.
struct MixtureStart {
    dd value, term, log;
};

// The parts P(a + j, x) and Q(a + j, x) of the incomplete gamma functions (DLMF 8.8.5, 8.8.6).
struct GammaMixture {
    double a, x;
    GPUARRAY_CALLED MixtureStart start(double j, bool upper) const {
        const dd whole = sum(a, j), argument(x);
        const double at = whole.hi;
        // The terms start from the exact a + j, by their derivative: log(x) - digamma(a + j + 1)
        const dd log = log_gamma_factor(at, argument), exact = log + whole.lo * ::log(x / (at + 0.5));
        const bool right = x > at;
        // One tail and the terms are below the range: they are kept over their factor, beside which the other is 1.
        if (log.hi < -600 && right == upper) {
            return MixtureStart{right ? at * gamma_fraction(at, argument) : gamma_series(at, argument), 1.0, exact};
        }
        const GammaPart part = gamma_part(at, argument);
        return MixtureStart{upper ? part.q() : part.p(), exp_dd(exact), dd(0.0)};
    }
    // Where the terms on the left are greatest, or beyond: P(a + 1, x) / P(a, x) < x / (a + 1). From there on they fall
    // as Poisson's weights of that rate do.
    GPUARRAY_DEVICE double greatest(double rate) const { return positive_root(a, rate * x); }
    GPUARRAY_DEVICE dd down(dd term, double j) const { return term * sum(a, j) / x; }
    GPUARRAY_DEVICE dd up(dd term, double j) const { return term * x / sum(a, j + 1); }
};

// I_x(a + j, b) and 1 - I of the incomplete beta function (DLMF 8.17.20), y = 1 - x.
struct BetaMixture {
    double a, b;
    dd x, y;
    GPUARRAY_CALLED MixtureStart start(double j, bool upper) const {
        const dd whole = sum(a, j);
        const double at = whole.hi, rest = rounded(y * at - x * b);
        const dd log = log_beta_factor(at, b, x, y);
        // Small parameters have no logarithm here, and need none.
        const double slope = whole.lo == 0 ? 0.0 : ::log(x.hi * ((at + b - 0.5) / (at + 0.5)));
        const dd exact = log + whole.lo * slope;
        const bool right = rest < 0;
        if (log.hi < -600 && right == upper) {
            return MixtureStart{right ? beta_rest(b, at, y, x, -rest) : beta_rest(at, b, x, y, rest), 1 / at, exact};
        }
        const BetaPart part = beta_part(at, b, x, y);
        return MixtureStart{upper ? part.q() : part.p(), exp_dd(exact) / at, dd(0.0)};
    }
    // As of P: I(a + 1, b) / I(a, b) < x (a + b) / (a + 1) for b >= 1
    GPUARRAY_DEVICE double greatest(double rate) const {
        return b < 1 ? rate : positive_root(a - rate * x.hi, rate * x.hi * (a + b - 1));
    }
    GPUARRAY_DEVICE dd down(dd term, double j) const { return term * sum(a, j) / ((sum(a, j - 1) + b) * x); }
    GPUARRAY_DEVICE dd up(dd term, double j) const { return term * ((sum(a, j) + b) * x) / sum(a, j + 1); }
};

// The sum of Poisson's weights times the tails.
template <class M> GPUARRAY_DEVICE double mixture(const M& central, double rate, bool upper) {
    // There are as many terms as 18 roots of the rate, at most some ten millions.
    if (rate > 1e12) return not_a_number();
    const double big = 3.273390607896142e+150, small = 3.054936363499605e-151;  // 2^500, 2^-500
    double j = upper ? first_weight(rate) : last_weight(::fmin(rate, central.greatest(rate)));
    double twos = 0;  // what power of 2 the total lacks
    dd weight(1.0), total(0.0);
    MixtureStart now = central.start(j, upper);
    const dd log = log_poisson_weight(rate, j);
#pragma unroll 1
    for (;;) {
        const dd part = weight * now.value;
        total = total + part;
        // NaN ends it, too.
        if (rate == 0 || (!(part.hi >= 1e-18 * total.hi) && (upper ? j > rate : j < rate))) break;
        if (upper) {
            now.value = now.value + now.term;
            now.term = central.up(now.term, j);
            j += 1;
            weight = weight * rate / j;
        } else {
            if (j == 0) break;
            now.term = central.down(now.term, j);
            now.value = now.value + now.term;
            weight = weight * j / rate;
            j -= 1;
        }
        if (now.value.hi > big) {
            now.value = now.value * small;
            now.term = now.term * small;
            total = total * small;
            twos += 500;
        }
        if (weight.hi < small) {
            weight = weight * big;
            total = total * big;
            twos -= 500;
        }
    }
    const double found = rounded(total);
    if (found == 0) return 0;
    const int more = ::ilogb(found);
    twos += more;
    const dd scale = product(twos, 0.6931471805599453) + twos * 2.3190468138462996e-17;
    return ::fmin(::ldexp(found, -more) * exp_dd(now.log + log + scale), 1.0);
}

// Of a distribution function and its complement what is computed, as of the incomplete gamma functions.
typedef GammaPart Tail;
GPUARRAY_DEVICE double residual_of(Tail found, double p) {
    return p <= 0.5 ? log_ratio(found.p(), p) : -log_ratio(found.q(), 1 - p);
}
GPUARRAY_DEVICE bool is_inner(double p) { return p > 0 && p < 1; }

GPUARRAY_CALLED Tail chi_tail(double x, double freedom, double nc) {
    const bool upper = x > freedom + nc;
    return Tail{mixture(GammaMixture{freedom / 2, x / 2}, nc / 2, upper), upper};
}
GPUARRAY_CALLED double chndtr(double x, double freedom, double nc) {
    if (!(x >= 0) || !(freedom >= 0) || !(nc >= 0)) return not_a_number();
    if (freedom == 0) return nc == 0 ? 1.0 : not_a_number();
    if (isinf(nc)) return isinf(x) ? not_a_number() : 0.0;
    if (isinf(freedom) && nc > 0) return not_a_number();
    if (isinf(x)) return 1.0;
    if (x == 0 || isinf(freedom)) return 0.0;
    // A normal distribution whose width is below rounding; all of it.
    if (freedom > 1e40) return ::normcdf((x - freedom - nc) / ::sqrt(freedom + 2 * nc) * 0.70710678118654752440);
    if (x > 1e40 && x > 10 * (freedom + nc)) return 1.0;
    return nc == 0 ? gammainc(freedom / 2, dd(x / 2)) : chi_tail(x, freedom, nc).p();
}
struct ChiRoot {
    double x, freedom, nc, p;
    int unknown;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double t = ::exp(u);
        const double found = residual_of(
            chi_tail(unknown == 0 ? t : x, unknown == 1 ? t : freedom, unknown == 2 ? t : nc), p);
        return unknown == 0 ? found : -found;
    }
};
// The quantile of a nonnegative variable where it needs no search.
GPUARRAY_DEVICE bool at_an_end(double p) { return p == 0 || p == 1; }
GPUARRAY_DEVICE double end_of_range(double p) { return p == 0 ? 0.0 : infinity(); }

GPUARRAY_CALLED double chi_root(double x, double freedom, double nc, double p, int unknown) {
    if (unknown == 0 && at_an_end(p) && freedom > 0 && nc >= 0) return end_of_range(p);
    if (!is_inner(p) || !(x > 0) || !(freedom > 0) || !(nc >= 0)) return not_a_number();
    if (isinf(x) || isinf(freedom) || isinf(nc)) return not_a_number();
    const double start = unknown == 0 ? ::log(freedom + nc) : ::log(x);
    // A sum has as many terms as the square root of the noncentrality is large.
    const double least = unknown == 0 ? -700 : -230, greatest = unknown == 2 ? 18 : 230;
    return ::exp(rising_root(ChiRoot{x, freedom, nc, p, unknown}, ::fmin(start, greatest), least, greatest));
}

GPUARRAY_CALLED Tail f_tail(double n, double m, double nc, double f) {
    const dd scaled = product(n, f);
    if (scaled.hi == 0 || isinf(scaled.hi)) return Tail{0.0, scaled.hi != 0};
    const dd whole = scaled + m;
    const BetaMixture central{n / 2, m / 2, scaled / whole, dd(m) / whole};
    if (central.y.hi == 0) return Tail{0.0, true};
    const bool upper = f > 1 + nc / n;
    return Tail{mixture(central, nc / 2, upper), upper};
}
GPUARRAY_CALLED double ncfdtr(double n, double m, double nc, double f) {
    if (!(n > 0) || !(m > 0) || !(nc >= 0) || !(f >= 0) || isinf(nc)) return not_a_number();
    if (f == 0 || isinf(f)) return f == 0 ? 0.0 : 1.0;
    // More degrees of freedom change no digit, and squares of them would leave the range.
    return f_tail(isinf(n) ? n : ::fmin(n, 1e100), isinf(m) ? m : ::fmin(m, 1e100), nc, f).p();
}
struct FRoot {
    double n, m, nc, f, p, sign;
    int unknown;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double t = ::exp(u);
        const double first = unknown == 0 ? t : n, second = unknown == 1 ? t : m;
        return sign * residual_of(f_tail(first, second, unknown == 2 ? t : nc, unknown == 3 ? t : f), p);
    }
};
GPUARRAY_CALLED double f_root(double n, double m, double nc, double f, double p, int unknown) {
    if (unknown == 3 && at_an_end(p) && n > 0 && m > 0 && nc >= 0) return end_of_range(p);
    if (!is_inner(p) || !(n > 0) || !(m > 0) || !(nc >= 0) || !(f > 0)) return not_a_number();
    if (isinf(n) || isinf(m) || isinf(nc) || isinf(f)) return not_a_number();
    FRoot root = {n, m, nc, f, p, unknown == 2 ? -1.0 : 1.0, unknown};
    if (unknown < 2 && root(8.0) < root(-8.0)) root.sign = -1.0;
    const double least = unknown == 3 ? -700 : -30, greatest = unknown == 3 ? 700 : unknown == 2 ? 18 : 14;
    return ::exp(rising_root(root, unknown == 3 ? 0.0 : 1.0, least, greatest));
}

}  // namespace special
}  // namespace gpuarray
