// Owen's T function, distributions of Kolmogorov, Smirnov and Tukey, and an integral of a Bessel function.
#pragma once

#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_legendre_rule.cuh"

namespace gpuarray {
namespace special {
namespace statistics {

// exp(-factor x^2), where the rounding of the square would be an error of the result.
GPUARRAY_CALLED double bell(double factor, double x) {
    if (::fabs(x) > 40.0) return 0.0;
    const dd square = product(x, x) * -factor;
    return square.hi < -800.0 ? 0.0 : exp_dd(square);
}

// Owen's integral for 0 <= a <= 1: beyond nine widths of the bell nothing is added.
GPUARRAY_CALLED double owen_integral(double h, double a) {
    const double half = 0.5 * ::fmin(a, h > 9.0 ? 9.0 / h : a);
    const double exponent = -0.5 * h * h;
    double sum = 0.0;
#pragma unroll 1
    for (int i = 0; i < 24; ++i) {
        const double low = half * (1.0 - RULE_NODES[i]), high = half * (1.0 + RULE_NODES[i]);
        const double left = 1.0 + low * low, right = 1.0 + high * high;
        sum += RULE_WEIGHTS[i] * (::exp(exponent * low * low) / left + ::exp(exponent * high * high) / right);
    }
    return bell(0.5, h) * half * sum * 0.15915494309189533577;
}

}  // namespace statistics

// D. B. Owen, "Tables for computing bivariate normal probabilities" (1956).
GPUARRAY_CALLED double owens_t(double h, double a) {
    if (h != h || a != a) return not_a_number();
    const double sign = a < 0 ? -1.0 : 1.0;
    h = ::fabs(h), a = ::fabs(a);
    if (h > 40.0 || a == 0.0) return sign * 0.0;  // less than exp(-800)
    if (h == 0.0) return sign * ::atan(a) * 0.15915494309189533577;
    if (a <= 1.0) return sign * statistics::owen_integral(h, a);
    const double at_h = ::normcdf(-h);
    if (a == infinity()) return sign * 0.5 * at_h;
    const double at_ah = ::normcdf(-a * h);
    const double rest = a * h == infinity() ? 0.0 : statistics::owen_integral(a * h, 1.0 / a);
    return sign * (0.5 * (at_h + at_ah) - at_h * at_ah - rest);
}

// One minus Kolmogorov's distribution, and its density: two series of theta functions (DLMF 20.7.32), of which one
// converges fast.
GPUARRAY_CALLED void kolmogorov_tails(double x, double& tail, double& below, double& density) {
    tail = 1.0, below = 0.0, density = 0.0;
    if (x <= 1e-100) return;
    if (x <= 0.82) {
        const dd u = dd(1.2337005501361697, 7.831619385924639e-17) / product(x, x);  // pi^2 / 8 x^2
        double sum = 0.0, slope = 0.0;
        for (int k = 7; k >= 1; k -= 2) {
            const double e = exp_dd(u * -double(k * k));
            sum += e;
            slope += e * (2.0 * u.hi * double(k * k) - 1.0);
        }
        below = 2.5066282746310002 / x * sum;
        density = 2.5066282746310002 / (x * x) * slope;
        tail = 1.0 - below;
        return;
    }
    double sum = 0.0, slope = 0.0;
    for (int k = 6; k >= 1; --k) {
        const double sign = k % 2 ? 1.0 : -1.0, square = double(k * k), e = statistics::bell(2.0 * square, x);
        sum += sign * e;
        slope += sign * square * e;
    }
    tail = 2.0 * sum;
    density = 8.0 * x * slope;
    below = 1.0 - tail;
}

GPUARRAY_CALLED double kolmogorov(double x) {
    if (x != x) return x;
    double tail, below, density;
    kolmogorov_tails(x, tail, below, density);
    return tail;
}

GPUARRAY_CALLED double kolmogi(double p) {
    if (!(p >= 0.0 && p <= 1.0)) return not_a_number();
    if (p == 0.0) return infinity();
    if (p == 1.0) return 0.0;
    // Newton's steps for the logarithm of the smaller tail, from its first term.
    const bool upper = p < 0.5;
    const double rest = 1.0 - p;
    double x;
    if (upper) {
        x = ::sqrt(-0.5 * ::log(0.5 * p));
    } else {
        x = 0.8;
        for (int i = 0; i < 8; ++i) x = ::sqrt(1.2337005501361697 / ::log(2.5066282746310002 / (x * rest)));
    }
    for (int i = 0; i < 12; ++i) {
        double tail, below, density;
        kolmogorov_tails(x, tail, below, density);
        const double found = upper ? tail : below, wanted = upper ? p : rest;
        const double step = found / density * ::log(found / wanted);
        const double next = upper ? x + step : x - step;
        if (!(::fabs(next - x) > 1e-17 * x)) break;
        x = next;
    }
    return x;
}

// The mean, or the standard deviation, of the normal distribution that has a quantile.
GPUARRAY_DEVICE double nrdtrimn(double p, double deviation, double x) {
    if (!(p > 0.0 && p < 1.0) || !(deviation > 0.0)) return not_a_number();
    return x - deviation * ::normcdfinv(p);
}
GPUARRAY_DEVICE double nrdtrisd(double mean, double p, double x) {
    if (!(p > 0.0 && p < 1.0)) return not_a_number();
    // Of the median and the mean any deviation is right.
    return p == 0.5 && x == mean ? 0.0 : (x - mean) / ::normcdfinv(p);
}

// x^y - 1.
GPUARRAY_CALLED double powm1(double x, double y) {
    if (x < 0.0 && (::fabs(y) == infinity() || !is_integer(y))) return not_a_number();
    if (x > 0.0 && x != infinity() && ::fabs(y) != infinity()) {
        const double exponent = y * ::log(x);
        if (::fabs(exponent) < 0.5) return ::expm1(exponent) + 0.0;  // no negative zero
    }
    if (x < 0.0 && is_integer(y) && ::fabs(y) < 9e15 && ::fmod(y, 2.0) == 0.0) return powm1(-x, y);
    return ::pow(x, y) - 1.0;
}

// By how much ((1 - q)^s - q^s) / s is above t. Powers that are nearly equal differ by the exponential of s times the
// logarithm of the odds; near the end of the range of t, 1 / s, what is missing to it is compared.
GPUARRAY_CALLED double tukey_rest(double q, double s, double t) {
    const double odds = q > 0.25 ? ::log1p((1.0 - 2.0 * q) / q) : ::log1p(-q) - ::log(q);
    if (s * odds <= 1.0) return ::pow(q, s) * ::expm1(s * odds) / s - t;
    if (s * t <= 0.5) return (::exp(s * ::log1p(-q)) - ::pow(q, s)) / s - t;
    return (::expm1(s * ::log1p(-q)) - ::pow(q, s) - ::fma(s, t, -1.0)) / s;
}
// The same in two doubles, for powers near one: what the rounding of a large logarithm would be is wanted.
GPUARRAY_CALLED double tukey_rest_dd(double q, double s, double t) {
    const dd log = log_dd(dd(q)), odds = log_dd(sum(1.0, -q)) - log;
    return rounded((expm1_to_dd(log * s) + 1.0) * expm1_to_dd(odds * s) / s - t);
}

// Tukey's lambda distribution: the inverse of x = ((1 - q)^s - q^s) / s, where q is the smaller tail.
GPUARRAY_CALLED double tklmbda(double x, double s) {
    if (x != x || s != s) return not_a_number();
    const double t = ::fabs(x);
    if (s > 0.0 && t >= 1.0 / s) return x > 0 ? 1.0 : 0.0;
    if (s == -infinity()) return t == infinity() ? (x > 0 ? 1.0 : 0.0) : 0.5;
    double q = 0.0;
    if (::fabs(s) < 1e-25) {  // the logistic distribution, of which the logarithm of q is below 745
        q = 1.0 / (1.0 + ::exp(t));
    } else if (t != infinity()) {
        // Bisection of the logarithm of q, then Newton's steps.
        double low = -745.0, high = -0.69314718055994531;
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (low + high);
            (tukey_rest(::exp(middle), s, t) > 0.0 ? low : high) = middle;
        }
        q = ::exp(0.5 * (low + high));
        for (int i = 0; i < 3; ++i) {
            const double slope = ::pow(1.0 - q, s - 1.0) + ::pow(q, s - 1.0);
            const bool wide = i == 2 && ::fabs(s * ::log(q)) < 0.5;
            const double next = q + (wide ? tukey_rest_dd(q, s, t) : tukey_rest(q, s, t)) / slope;
            if (next > 0.0 && next <= 0.5) q = next;
        }
    }
    return x > 0 ? 1.0 - q : q;
}

// The upper tail of the greatest distance above an empirical distribution of n numbers: N. V. Smirnov (1944), in the form
// of Z. W. Birnbaum and F. H. Tingey (1951). All terms are positive, each the exponential of a sum of two doubles.
GPUARRAY_CALLED double smirnov(int64_t n, double d) {
    if (d != d || n <= 0 || d < 0.0 || d > 1.0) return not_a_number();
    if (d == 0.0 || d == 1.0) return 1.0 - d;
    const double count = double(n);
    if (n > 100000000) {
        // Smirnov's limit exp(-2 n d^2) with the next terms of its expansion.
        const double square = d * d;
        return exp_dd(product(d, d) * (-2 * count) + (4.0 / 9 * square * (1 - count * square) - 2.0 / 3 * d));
    }
    dd choices(0.0);  // log of a binomial
    double sum = 0.0;
    for (int64_t j = 0; j < n; ++j) {
        const double i = double(j);
        const dd share = dd(i) / count, left = share + d, right = dd(1.0) - left;
        if (right.hi <= 0.0) break;
        sum += exp_dd(choices + log_dd(left) * (i - 1.0) + log_dd(right) * (count - i));
        choices = choices + log_dd(dd(count - i)) - log_dd(dd(i + 1.0));
    }
    return ::fmin(1.0, d * sum);
}
GPUARRAY_DEVICE double smirnov(double n, double d) {
    return n == n ? smirnov(int64_t(n), d) : not_a_number();
}

GPUARRAY_CALLED double smirnovi(int64_t n, double p) {
    if (p != p || n <= 0 || p < 0.0 || p > 1.0) return not_a_number();
    if (p == 0.0 || p == 1.0) return 1.0 - p;
    if (n == 1) return 1.0 - p;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 80; ++i) {
        const double middle = 0.5 * (low + high);
        if (middle == low || middle == high) break;
        (smirnov(n, middle) > p ? low : high) = middle;
    }
    return 0.5 * (low + high);
}
GPUARRAY_DEVICE double smirnovi(double n, double p) {
    return n == n ? smirnovi(int64_t(n), p) : not_a_number();
}

// The integral of x^power J(order; 2 a x) from 0 to 1, by the power series of J (DLMF 10.2.2) in sums of two doubles.
GPUARRAY_CALLED double besselpoly(double a, double power, double order) {
    if (a != a || power != power || order != order) return not_a_number();
    if (a == 0.0) return order == 0.0 ? 1.0 / (power + 1.0) : 0.0;
    bool negative = false;
    if (order < 0.0 && is_integer(order)) {
        order = -order;
        negative = ::fmod(order, 2.0) != 0.0;
    }
    if (a < 0.0) {
        if (!is_integer(order)) return not_a_number();
        negative ^= ::fmod(order, 2.0) != 0.0;
        a = -a;
    }
    const SignedLog below = lgamma_signed(dd(order) + 1.0);
    dd term(below.sign * exp_dd(log_dd(dd(a)) * order - below.log)), sum(0.0);
    const dd square = -product(a, a);
    const dd start = dd(power) + order + 1.0;
    for (int k = 0; k < 1000; ++k) {
        const double i = double(k);
        const dd more = term / (start + 2.0 * i);
        sum = sum + more;
        if (::fabs(more.hi) < 1e-20 * ::fabs(sum.hi) && i > a) break;
        term = term * square / ((dd(order) + (i + 1.0)) * (i + 1.0));
    }
    return negative ? -rounded(sum) : rounded(sum);
}

}  // namespace special
}  // namespace gpuarray
