// The noncentral chi-squared, F and t distributions as mixtures of central ones with Poisson's weights (the sums
// of N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", volume 2, chapters 29 to 31).
//
// The sums begin beyond the last weight that counts and go down, where the recurrences of the incomplete gamma and beta
// functions add positive terms.
#pragma once

#include "gpuarray/special_betainc.cuh"
#include "gpuarray/special_gammainc.cuh"

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE double last_weight(double rate) { return ::ceil(rate + 9 * ::sqrt(rate) + 40); }

// exp(-rate) rate^j / gamma(j + 1)
GPUARRAY_CALLED double poisson_weight(double rate, double j) {
    return exp_dd(log_dd(dd(rate)) * j - rate - lgamma_positive(dd(1.0) + j));
}

// The sum of weights times P(a + j, x).
GPUARRAY_CALLED double gamma_mixture(double rate, double a, double x) {
    if (rate == 0) return gammainc(a, dd(x));
    double j = last_weight(rate), weight = poisson_weight(rate, j);
    double value = gamma_part(a + j, dd(x)).p(), term = gamma_factor(a + j, dd(x)), total = 0;
#pragma unroll 1
    for (; j >= 0; --j) {
        const double part = weight * value;
        total += part;
        if (j < rate && part < 1e-18 * total) break;
        weight *= j / rate;
        // P(a - 1, x) = P(a, x) + x^(a - 1) exp(-x) / gamma(a)
        term *= (a + j) / x;
        value += term;
    }
    return ::fmin(total, 1.0);
}

// The sum of exp(-rate) rate^(j + s) / gamma(j + s + 1) times I_x(a + j, b).
GPUARRAY_CALLED double beta_mixture(double rate, double s, double a, double b, dd x, dd y) {
    double j = rate == 0 ? 0.0 : last_weight(rate), weight = rate == 0 ? (s == 0 ? 1.0 : 0.0) : poisson_weight(rate, j + s);
    double value = beta_part(a + j, b, x, y).p(), term = beta_factor(a + j, b, x, y) / (a + j), total = 0;
#pragma unroll 1
    for (; j >= 0; --j) {
        const double part = weight * value;
        total += part;
        if (rate == 0 || (j < rate && part < 1e-18 * total)) break;
        weight *= (j + s) / rate;
        // I(a - 1, b) = I(a, b) + x^(a - 1) y^b / ((a - 1) B(a - 1, b))
        term *= (a + j) / ((a + j + b - 1) * x.hi);
        value += term;
    }
    return ::fmin(total, 1.0);
}

GPUARRAY_DEVICE double residual_of(double value, double p) {
    return p <= 0.5 ? log_ratio(value, p) : log_ratio(1 - p, 1 - value);
}
GPUARRAY_DEVICE bool is_inner(double p) { return p > 0 && p < 1; }

GPUARRAY_CALLED double chndtr(double x, double freedom, double nc) {
    if (!(x >= 0) || !(freedom >= 0) || !(nc >= 0)) return not_a_number();
    if (freedom == 0) return nc == 0 ? 1.0 : not_a_number();
    if (isinf(nc)) return isinf(x) ? not_a_number() : 0.0;
    if (isinf(freedom) && nc > 0) return not_a_number();
    if (isinf(x)) return 1.0;
    if (x == 0 || isinf(freedom)) return 0.0;
    return gamma_mixture(nc / 2, freedom / 2, x / 2);
}
struct ChiRoot {
    double x, freedom, nc, p;
    int unknown;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double t = ::exp(u);
        const double value = chndtr(unknown == 0 ? t : x, unknown == 1 ? t : freedom, unknown == 2 ? t : nc);
        const double found = residual_of(value, p);
        return unknown == 0 ? found : -found;
    }
};
// The quantile of a nonnegative variable where it needs no search.
GPUARRAY_DEVICE bool at_an_end(double p) { return p == 0 || p == 1; }
GPUARRAY_DEVICE double end_of_range(double p) { return p == 0 ? 0.0 : infinity(); }

GPUARRAY_CALLED double chi_root(double x, double freedom, double nc, double p, int unknown) {
    if (unknown == 0 && at_an_end(p) && freedom > 0 && nc >= 0) return end_of_range(p);
    if (!is_inner(p) || !(x > 0) || !(freedom > 0) || !(nc >= 0)) return not_a_number();
    const double start = unknown == 0 ? ::log(freedom + nc) : ::log(x);
    return ::exp(rising_root(ChiRoot{x, freedom, nc, p, unknown}, start, -230, 14));
}

GPUARRAY_CALLED double ncfdtr(double n, double m, double nc, double f) {
    if (!(n > 0) || !(m > 0) || !(nc >= 0) || !(f >= 0) || isinf(nc)) return not_a_number();
    if (f == 0 || isinf(f)) return f == 0 ? 0.0 : 1.0;
    const dd scaled = product(n, f), whole = scaled + m;
    return beta_mixture(nc / 2, 0, n / 2, m / 2, scaled / whole, dd(m) / whole);
}
struct FRoot {
    double n, m, nc, f, p, sign;
    int unknown;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double t = ::exp(u);
        const double value =
            ncfdtr(unknown == 0 ? t : n, unknown == 1 ? t : m, unknown == 2 ? t : nc, unknown == 3 ? t : f);
        return sign * residual_of(value, p);
    }
};
GPUARRAY_CALLED double f_root(double n, double m, double nc, double f, double p, int unknown) {
    if (unknown == 3 && at_an_end(p) && n > 0 && m > 0 && nc >= 0) return end_of_range(p);
    if (!is_inner(p) || !(n > 0) || !(m > 0) || !(nc >= 0) || !(f > 0)) return not_a_number();
    FRoot root = {n, m, nc, f, p, unknown == 2 ? -1.0 : 1.0, unknown};
    if (unknown < 2 && root(8.0) < root(-8.0)) root.sign = -1.0;
    return ::exp(rising_root(root, unknown == 3 ? 0.0 : 1.0, unknown == 3 ? -230.0 : -30.0, unknown == 3 ? 100.0 : 14.0));
}

GPUARRAY_CALLED double nctdtr_right(double m, double nc, double t) {
    double total = ::normcdf(-nc);
    if (t == 0) return total;
    const dd square = product(t, t), whole = square + m;
    const dd x = square / whole, y = dd(m) / whole;
    const double rate = nc * nc / 2;
    const double even = beta_mixture(rate, 0, 0.5, m / 2, x, y), odd = beta_mixture(rate, 0.5, 1, m / 2, x, y);
    total += (even + (nc < 0 ? -odd : odd)) / 2;
    return ::fmin(::fmax(total, 0.0), 1.0);
}
GPUARRAY_CALLED double nctdtr(double m, double nc, double t) {
    if (!(m > 0) || nc != nc || t != t || isinf(nc)) return not_a_number();
    if (isinf(t)) return t > 0 ? 1.0 : 0.0;
    return t >= 0 ? nctdtr_right(m, nc, t) : 1 - nctdtr_right(m, -nc, -t);
}
struct TRoot {
    double m, nc, t, p, sign;
    int unknown;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double value = nctdtr(unknown == 0 ? ::exp(u) : m, unknown == 1 ? u : nc, unknown == 2 ? u : t);
        return sign * (value - p);
    }
};
GPUARRAY_CALLED double t_root(double m, double nc, double t, double p, int unknown) {
    if (!is_inner(p) || !(m > 0) || nc != nc || t != t) return not_a_number();
    TRoot root = {m, nc, t, p, unknown == 1 ? -1.0 : 1.0, unknown};
    if (unknown == 0 && root(8.0) < root(-8.0)) root.sign = -1.0;
    const double found = rising_root(root, unknown == 2 ? nc : unknown == 1 ? t : 1.0, unknown == 0 ? -30.0 : -1e8,
                                     unknown == 0 ? 30.0 : 1e8);
    return unknown == 0 ? ::exp(found) : found;
}

}  // namespace special
}  // namespace gpuarray
