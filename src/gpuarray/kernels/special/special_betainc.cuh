// The incomplete beta function I, its inverses, and the distributions that it is.
//
// The continued fraction of A. R. Didonato and A. H. Morris, "Algorithm 708" (1992), on the side of the mean where its
// terms are positive; the factor x^a (1 - x)^b / B(a, b) is the exponential of two doubles, relative to its maximum for
// large parameters.
#pragma once

#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_legendre_rule.cuh"
#include "gpuarray/special_roots.cuh"

namespace gpuarray {
namespace special {

// The logarithm of (x s / a)^a (y s / b)^b, s = a + b. The bases are 1 - rest / a and 1 + rest / b, rest = a y - b x. For
// large a and b the logarithms of both powers are near -rest and rest and cancel, so log1p(t) - t is computed instead.
template <class W> GPUARRAY_CALLED W beta_power(double a, double b, W x, W y) {
    const W s = sum_of<W>(a, b), rest = y * a - x * b;
    const bool near_a = ::fabs(rest.hi) < 0.01 * a, near_b = ::fabs(rest.hi) < 0.01 * b;
    if (::fmax(a, b) < 1e8 || !(near_a || near_b)) return log_of(x * s / a) * a + log_of(y * s / b) * b;
    if (!near_a) return log_of(x * s / a) * a + (rest - less_log1p(rest / b) * b);
    if (!near_b) return log_of(y * s / b) * b - (rest + less_log1p(-rest / a) * a);
    return -(less_log1p(-rest / a) * a + less_log1p(rest / b) * b);
}

// x^a y^b / B(a, b), y = 1 - x
template <class W> GPUARRAY_CALLED double beta_factor(double a, double b, W x, W y) {
    if (a >= 16 && b >= 16) {
        const W s = sum_of<W>(a, b);
        const W power = beta_power(a, b, x, y);
        const W rest = stirling_rest(s) - stirling_rest(W(a)) - stirling_rest(W(b));
        return exp_of(power + rest) * ::sqrt(a / s.hi) * ::sqrt(b) * 0.39894228040143267794;
    }
    const FactorAndLog<W> beta = lbeta_of<W>(a, b);
    return exp_of(log_of(x) * a + log_of(y) * b - beta.log) / beta.sign;
}

// Its logarithm.
GPUARRAY_CALLED dd log_beta_factor(double a, double b, dd x, dd y) {
    if (!(a >= 16 && b >= 16)) return log_of(x) * a + log_of(y) * b - lbeta_of<dd>(a, b).log;
    const dd s = sum(a, b), power = beta_power(a, b, x, y);
    const dd rest = stirling_rest(s) - stirling_rest(dd(a)) - stirling_rest(dd(b));
    const dd width = (log_of(dd(a)) + log_of(dd(b)) - log_of(s)) * 0.5;
    return power + rest + width - dd(0.9189385332046728, -3.8782941580672414e-17);
}

// Terms alpha and beta of the continued fraction; rest = a - (a + b) x.
GPUARRAY_DEVICE double beta_alpha(double a, double b, double x, int n) {
    const double d = a + 2 * n - 1;
    return (a + n - 1) / d * ((a + b + n - 1) / d) * n * (b - n) * x * x;
}
GPUARRAY_DEVICE double beta_beta(double a, double b, double x, double y, double rest, int n) {
    const double first = n == 0 ? 0.0 : n + n * (b - n) * x / (a + 2 * n - 1);
    return first + (a + n) / (a + 2 * n + 1) * (rest + 1 + n * (1 + y));
}

GPUARRAY_CALLED double beta_fraction(double a, double b, dd wide_x, dd wide_y, double rest) {
    const double x = wide_x.hi, y = wide_y.hi;
    double c = beta_beta(a, b, x, y, rest, 0), d = 0;
    int count = 1;
#pragma unroll 1
    for (; count < 3000; ++count) {
        const double alpha = beta_alpha(a, b, x, count), beta = beta_beta(a, b, x, y, rest, count);
        d = beta + alpha * d;
        c = beta + alpha / c;
        if (::fabs(d) < 1e-300) d = 1e-300;
        if (::fabs(c) < 1e-300) c = 1e-300;
        d = 1 / d;
        if (::fabs(c * d - 1) < 5e-16) break;
    }
    double tail = beta_beta(a, b, x, y, rest, count);
#pragma unroll 1
    for (int n = count; n >= 1; --n) tail = beta_beta(a, b, x, y, rest, n - 1) + beta_alpha(a, b, x, n) / tail;
    return 1 / tail;
}

// DLMF 8.17.22 without divisions: a / (a + d1 / (a + 1 + d2 / (a + 2 + ...))) by the recurrence of its convergents,
// divided by a.
GPUARRAY_CALLED double beta_fraction(double a, double b, plain wide_x, plain, double) {
    const double x = wide_x.hi, s = a + b;
    // After the term with -a (a + b) x.
    double p = a + 1, q = a * (a + 1) - a * s * x, last_p = 1, last_q = a, next = a + 1, m = 0;
#pragma unroll 1
    while (m < 3000) {
        m += 1;
        const double even = m * (b - m) * x, odd = -(a + m) * (s + m) * x;
        next += 1;
        const double middle_p = ::fma(next, p, even * last_p), middle_q = ::fma(next, q, even * last_q);
        next += 1;
        const double next_p = ::fma(next, middle_p, odd * p), next_q = ::fma(next, middle_q, odd * q);
        if (::fabs(next_p * middle_q - middle_p * next_q) <= 1e-12 * ::fabs(next_p * middle_q)) return next_p / next_q;
        // Of the size of one: after thousands of steps they would overflow.
        const double scale = ::fabs(next_q) > 1e100 ? 1e-100 : 1.0;
        p = next_p * scale;
        q = next_q * scale;
        last_p = middle_p * scale;
        last_q = middle_q * scale;
    }
    return p / q;
}

// log(1 + z) - z for |z| < 0.03.
GPUARRAY_DEVICE double log1p_rest(double z) { return z * z * ::fma(z, polynomial(LOG_SERIES, z), -0.5); }

// The value of the continued fraction by numerical integration, for parameters so large that the fraction converges too
// slowly near the mean: t^(a - 1) (1 - t)^(b - 1) from 0 to x, t = x (1 - s), relative to its value at x. Beyond nine
// standard deviations the integrand is below rounding.
GPUARRAY_CALLED double beta_integral(double a, double b, double x, double y, double rest) {
    const double odds = x / y, slope = rest / y, deviation = ::sqrt(b / a / (a + b));
    const double half = 0.5 * ::fmin(9 * deviation, 40 / slope);
    double sum = 0;
#pragma unroll 1
    for (int i = 0; i < 48; ++i) {
        const double node = RULE_NODES[i >> 1], s = half * (i & 1 ? 1 - node : 1 + node), z = s * odds;
        const double power = ::fma(a, log1p_rest(-s), ::fma(b, log1p_rest(z), -s * slope));
        sum += RULE_WEIGHTS[i >> 1] * ::exp(power) / ((1 - s) * (1 + z));
    }
    return half * sum / y;
}
template <class W> GPUARRAY_DEVICE double beta_rest(double a, double b, W x, W y, double rest) {
    return ::fmin(a, b) < 1e5 ? beta_fraction(a, b, x, y, rest) : beta_integral(a, b, x.hi, y.hi, rest);
}

// Of I_x(a, b) and 1 - I what is computed, and whether it is the latter.
struct BetaPart {
    double value;
    bool upper;
    GPUARRAY_DEVICE double p() const { return upper ? 1 - value : value; }
    GPUARRAY_DEVICE double q() const { return upper ? value : 1 - value; }
};

// 1 - I for small x and a, where the fraction converges slowly: 1 - x^a / (a B(a, b)) (1 + a sum), DLMF 8.17.7, cancels in
// two doubles.
GPUARRAY_CALLED double beta_complement(double a, double b, dd x) {
    const dd exponent = log_dd(x) * a - lgamma1p<dd>(a) + lgamma_step(b, a);
    dd term(1.0), total(0.0);
#pragma unroll 1
    for (int n = 1; n < 100; ++n) {
        term = term * x * sum(n, -b) / double(n);
        const dd part = term / sum(a, n);
        total = total + part;
        if (::fabs(part.hi) < 1e-20 * (1 + ::fabs(total.hi))) break;
    }
    const dd less = expm1_to_dd(exponent);
    return -rounded(less + (less + 1.0) * (total * a));
}
GPUARRAY_DEVICE bool has_complement(double a, double b, double x) { return a < 0.5 && x < 0.3 && x * b < 2; }

// Beyond what value the rest to 1 is computed itself.
GPUARRAY_DEVICE double nearly_all(dd) { return 0.75; }
GPUARRAY_DEVICE double nearly_all(plain) { return 0.9999; }

// For a, b > 0 and 0 < x < 1, and a and b that are not huge.
template <class W> GPUARRAY_CALLED BetaPart beta_part_usual(double a, double b, W x, W y) {
    const double rest = rounded(y * a - x * b);
    if (has_complement(a, b, x.hi)) {
        const double value = beta_complement(a, b, dd(x.hi, x.lo));
        if (value < 0.9) return BetaPart{::fmax(value, 0.0), true};
    }
    if (has_complement(b, a, y.hi)) {
        const double value = beta_complement(b, a, dd(y.hi, y.lo));
        if (value < 0.9) return BetaPart{::fmax(value, 0.0), false};
    }
    const double factor = beta_factor(a, b, x, y);
    bool upper = rest < 0;
    double value = upper ? factor * beta_rest(b, a, y, x, -rest) : factor * beta_rest(a, b, x, y, rest);
    if (value > nearly_all(x) && (upper ? x.hi : y.hi) < 0.999) {
        // What is left is small: it is computed itself, though the fraction converges slower there.
        upper = !upper;
        value = upper ? factor * beta_rest(b, a, y, x, -rest) : factor * beta_rest(a, b, x, y, rest);
    }
    return BetaPart{::fmin(value, 1.0), upper};
}

// For a or b above 1e120, where products would overflow. If the other parameter is small, the limit is an incomplete
// gamma function of b x (DLMF 8.18.3), which is the same for a smaller b with b x kept. If both are large, the limit is a
// normal distribution.
template <class W> GPUARRAY_CALLED BetaPart beta_part_of_huge(double a, double b, W x, W y) {
    const bool swapped = a > b;
    if (swapped) {
        const double c = a;
        const W z = x;
        a = b, b = c, x = y, y = z;
    }
    BetaPart part{0.0, true};
    if (a > 1e40) {
        const double unit = ::ldexp(1.0, -600), from = a * unit, to = b * unit, rest = rounded(y * from - x * to);
        const double z = -rest / ::sqrt(from / (from + to) * to) * ::ldexp(1.0, 300);
        part = z < 0 ? BetaPart{::normcdf(z), false} : BetaPart{::normcdf(-z), true};
    } else if (x.hi * b < 1e50) {
        const int shift = ::ilogb(b) - 330;
        const W more = x * ::ldexp(1.0, shift);
        part = beta_part_usual(a, ::ldexp(b, -shift), more, W(1.0) - more);
    }
    if (swapped) part.upper = !part.upper;
    return part;
}

// For a, b > 0 and 0 < x < 1.
template <class W> GPUARRAY_DEVICE BetaPart beta_part(double a, double b, W x, W y) {
    return ::fmax(a, b) > 1e120 ? beta_part_of_huge(a, b, x, y) : beta_part_usual(a, b, x, y);
}

GPUARRAY_DEVICE bool beta_defined(double a, double b, double x) { return a > 0 && b > 0 && x >= 0 && x <= 1; }
template <class W> GPUARRAY_CALLED double betainc_of(double a, double b, W x, W y) {
    if (!(a >= 0 && b >= 0 && x.hi >= 0 && x.hi <= 1)) return not_a_number();
    // Limits, where all is at one end.
    if ((a == 0 && b == 0) || (isinf(a) && isinf(b))) return not_a_number();
    if (x.hi == 0 || y.hi == 0) return x.hi == 0 ? 0.0 : 1.0;
    if (a == 0 || isinf(b)) return 1.0;
    if (b == 0 || isinf(a)) return 0.0;
    return beta_part(a, b, x, y).p();
}
template <class W> GPUARRAY_DEVICE double betaincc_of(double a, double b, W x, W y) { return betainc_of(b, a, y, x); }
template <class W> GPUARRAY_DEVICE double betainc(double a, double b, double x) {
    return betainc_of(a, b, W(x), W(1.0) - x);
}
template <class W> GPUARRAY_DEVICE double betaincc(double a, double b, double x) {
    return x >= 0 ? betaincc_of(a, b, W(x), W(1.0) - x) : not_a_number();
}

// The residual that rises with I: log(I / p), or -log((1 - I) / q) where q is the smaller one.
template <class W> GPUARRAY_CALLED double beta_residual(double a, double b, W x, W y, double p, double q) {
    const BetaPart part = beta_part(a, b, x, y);
    return p <= q ? log_ratio(part.p(), p) : -log_ratio(part.q(), q);
}

struct Split {
    double x, y;  // y = 1 - x
};

// x and 1 - x with I_x(a, b) = p, p + q = 1: Newton's steps in log(x / (1 - x)) between bounds.
template <class W> GPUARRAY_CALLED Split beta_inverse(double a, double b, double p, double q) {
    if (!beta_defined(a, b, p) || !(q >= 0)) return Split{not_a_number(), not_a_number()};
    if (p == 0) return Split{0.0, 1.0};
    if (q == 0) return Split{1.0, 0.0};
    if (isinf(a) || isinf(b)) {
        // As SciPy's: only beside one.
        if (b == 1) return Split{1.0, 0.0};
        return a == 1 ? Split{0.0, 1.0} : Split{not_a_number(), not_a_number()};
    }
    // A normal variable of the same mean in the logarithm of the odds, or the first terms at the ends.
    const double normal = p < q ? ::normcdfinv(p) : -::normcdfinv(q);
    const double logarithm = log_of_magnitude(lbeta_of<W>(a, b));
    double u = ::log(a / b) + normal * ::sqrt(1 / a + 1 / b);
    const double first = (::log(p * a) + logarithm) / a, last = -(::log(q * b) + logarithm) / b;
    if (a < 1 && first < ::log(0.3)) u = first;
    if (b < 1 && last > -::log(0.3)) u = last;
    u = ::fmin(::fmax(u, -740.0), 740.0);
    double low = -750, high = 750;
    W x(0.5), y(0.5);
#pragma unroll 1
    for (int i = 0; i < 80; ++i) {
        if (u < 0) {
            const double e = ::exp(u);
            x = W(e / (1 + e));
            y = W(1.0) - x;
        } else {
            const double e = ::exp(-u);
            y = W(e / (1 + e));
            x = W(1.0) - y;
        }
        if (x.hi == 0 || y.hi == 0) break;
        const BetaPart part = beta_part(a, b, x, y);
        const double residual = p <= q ? log_ratio(part.p(), p) : -log_ratio(part.q(), q);
        const double slope = beta_factor(a, b, x, y);
        if (residual > 0) high = u; else low = u;
        const double step = residual * (p <= q ? part.p() : part.q()) / slope;
        // The scale of log(x / (1 - x)) is 1 / sqrt of the smaller parameter.
        const double curvature = a + b < 1e8 ? a + b : ::fmin(a, b);
        if (step * step * (1 + curvature) < last_step(x)) {
            const double change = x.hi * y.hi * step;
            return Split{rounded(x - change), rounded(y + change)};
        }
        double next = u - step;
        if (!(next > low && next < high)) {
            next = low <= -750 ? ::fmin(u, high) - 3 : high >= 750 ? ::fmax(u, low) + 3 : (low + high) / 2;
        }
        if (next <= -750) return Split{0.0, 1.0};
        if (next >= 750) return Split{1.0, 0.0};
        u = next;
    }
    return Split{rounded(x), rounded(y)};
}
template <class W> GPUARRAY_DEVICE double betaincinv(double a, double b, double p) {
    return beta_inverse<W>(a, b, p, 1 - p).x;
}
template <class W> GPUARRAY_DEVICE double betainccinv(double a, double b, double q) {
    return beta_inverse<W>(a, b, 1 - q, q).x;
}

// Which of two numbers is not known, in the logarithm: I_x(a, b) = p as a function of `first` + exp(u).
template <class W> struct BetaShape {
    double offset_a, offset_b, sign_a, sign_b, p, q, sign;
    W x, y;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double t = ::exp(u);
        const double a = offset_a + sign_a * t, b = offset_b + sign_b * t;
        return sign * beta_residual(a, b, x, y, p, q);
    }
};
// t > 0 with I_x(offset_a + sign_a t, offset_b + sign_b t) = p; `sign` is 1 if that rises with t.
template <class W> GPUARRAY_CALLED double beta_shape(double offset_a, double sign_a, double offset_b, double sign_b,
                                                     W x, W y, double p, double q, double sign, double greatest) {
    if (!(x.hi > 0) || !(y.hi > 0) || !(p > 0) || !(q > 0) || !(offset_a + offset_b >= 0)) return not_a_number();
    const double top = ::log(greatest);
    const BetaShape<W> f = {offset_a, offset_b, sign_a, sign_b, p, q, sign, x, y};
    return ::exp(rising_root(f, ::fmin(0.5, top - 0.7), -690, top));
}

template <class W> GPUARRAY_CALLED double bdtr(double k, double n, double p) {
    const double whole = ::floor(k), rest = n - whole;
    if (!(p >= 0 && p <= 1) || !(whole >= 0) || !(rest >= 0) || isinf(rest)) return not_a_number();
    if (rest == 0) return 1.0;
    return betaincc_of<W>(whole + 1, rest, p, W(1.0) - p);
}
template <class W> GPUARRAY_CALLED double bdtrc(double k, double n, double p) {
    const double whole = ::floor(k), rest = n - whole;
    if (!(p >= 0 && p <= 1) || !(rest >= 0) || isinf(n) || k != k) return not_a_number();
    if (whole < 0) return 1.0;
    return rest == 0 ? 0.0 : betainc_of<W>(whole + 1, rest, p, W(1.0) - p);
}
template <class W> GPUARRAY_CALLED double bdtri(double k, double n, double y) {
    const double whole = ::floor(k), rest = n - whole;
    if (!(y >= 0 && y <= 1) || !(whole >= 0) || !(rest > 0)) return not_a_number();
    return beta_inverse<W>(whole + 1, rest, 1 - y, y).x;
}
// The number of successes as a real number: I of 1 - p with (n - k, k + 1).
template <class W> GPUARRAY_CALLED double bdtrik(double y, double n, double p) {
    if (!(n > 0) || isinf(n) || !(y > 0 && y < 1) || !(p > 0 && p < 1)) return not_a_number();
    // No k has a probability below that of none.
    if (beta_part<W>(n, 1, W(1.0) - p, W(p)).p() >= y) return 0.0;
    return beta_shape<W>(n, -1, 1, 1, W(1.0) - p, p, y, 1 - y, 1, n * (1 - 1e-13));
}
template <class W> GPUARRAY_CALLED double bdtrin(double k, double y, double p) {
    if (!(k >= 0) || !(p > 0 && p < 1)) return not_a_number();
    return k + beta_shape<W>(0, 1, k + 1, 0, W(1.0) - p, p, y, 1 - y, -1, 1e100);
}

template <class W> GPUARRAY_CALLED double nbdtr(double k, double n, double p) {
    k = ::floor(k);
    if (!(p >= 0 && p <= 1) || !(k >= 0) || isinf(k) || isinf(n)) return not_a_number();
    return betainc_of<W>(n, k + 1, p, W(1.0) - p);
}
template <class W> GPUARRAY_CALLED double nbdtrc(double k, double n, double p) {
    k = ::floor(k);
    if (!(p >= 0 && p <= 1) || !(k >= 0) || isinf(k) || isinf(n)) return not_a_number();
    return betaincc_of<W>(n, k + 1, p, W(1.0) - p);
}
template <class W> GPUARRAY_CALLED double nbdtri(double k, double n, double y) {
    k = ::floor(k);
    if (!(k >= 0)) return not_a_number();
    return beta_inverse<W>(n, k + 1, y, 1 - y).x;
}
template <class W> GPUARRAY_CALLED double nbdtrik(double y, double n, double p) {
    if (!(n > 0) || isinf(n) || !(p > 0 && p < 1)) return not_a_number();
    if (beta_part<W>(n, 1, W(p), W(1.0) - p).p() >= y) return 0.0;
    return beta_shape<W>(n, 0, 1, 1, p, W(1.0) - p, y, 1 - y, 1, 1e100);
}
template <class W> GPUARRAY_CALLED double nbdtrin(double k, double y, double p) {
    if (!(k >= 0) || !(p > 0 && p < 1)) return not_a_number();
    return beta_shape<W>(0, 1, k + 1, 0, p, W(1.0) - p, y, 1 - y, -1, 1e100);
}

// SciPy's values where nothing but an end of the range is a solution.
GPUARRAY_DEVICE double shape_at_end(bool greatest, double x) {
    if (!(x > 0 && x <= 1)) return not_a_number();
    return greatest ? infinity() : 2.2250738585072014e-308;
}
template <class W> GPUARRAY_CALLED double btdtria(double p, double b, double x) {
    if (!(b > 0)) return not_a_number();
    if (p == 0 || p == 1) return shape_at_end(p == 0, x);
    return beta_shape<W>(0, 1, b, 0, x, W(1.0) - x, p, 1 - p, -1, 1e100);
}
template <class W> GPUARRAY_CALLED double btdtrib(double a, double p, double x) {
    if (!(a > 0)) return not_a_number();
    if (p == 0 || p == 1) return shape_at_end(p == 1, x);
    return beta_shape<W>(a, 0, 0, 1, x, W(1.0) - x, p, 1 - p, 1, 1e100);
}

// F: x n / (m + x n) with I of (n / 2, m / 2).
template <class W> GPUARRAY_CALLED double f_distribution(double n, double m, double x, bool upper) {
    if (!(n > 0) || !(m > 0) || !(x >= 0)) return not_a_number();
    if (isinf(x)) return upper ? 0.0 : 1.0;
    if (n > 1e120 || m > 1e120) {
        // Both large: the normal limit. One large: the result no longer depends on it, so take one that does not overflow.
        if (n > 1e40 && m > 1e40) return ::normcdf((upper ? 1 - x : x - 1) / ::sqrt(2 / n + 2 / m));
        (n > 1e120 ? n : m) = 0x1p332;
    }
    // Both terms of the sum by a power of two, where one of them would leave the range.
    const bool great = n * x > 1e290 || m > 1e290;
    const double unit = great ? ::ldexp(1.0, -600) : 1.0, top = great && n < x ? n : n * unit;
    const W scaled = product_of<W>(top, great && n < x ? x * unit : x), whole = scaled + m * unit;
    const W part = scaled / whole, rest = W(m * unit) / whole;
    return upper ? betaincc_of<W>(n / 2, m / 2, part, rest) : betainc_of<W>(n / 2, m / 2, part, rest);
}
template <class W> GPUARRAY_DEVICE double fdtr(double n, double m, double x) {
    return f_distribution<W>(n, m, x, false);
}
template <class W> GPUARRAY_DEVICE double fdtrc(double n, double m, double x) {
    return f_distribution<W>(n, m, x, true);
}
template <class W> GPUARRAY_CALLED double fdtri(double n, double m, double p) {
    if (!(n > 0) || !(m > 0) || !(p >= 0 && p <= 1) || isinf(n) || isinf(m)) return not_a_number();
    const Split found = beta_inverse<W>(n / 2, m / 2, p, 1 - p);
    return m / n * (found.x / found.y);
}
template <class W> struct FDenominator {
    double n, x, p, q, sign;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double m = ::exp(u);
        const W scaled = product_of<W>(n, x), whole = scaled + m;
        return sign * beta_residual(n / 2, m / 2, scaled / whole, W(m) / whole, p, q);
    }
};
template <class W> GPUARRAY_CALLED double fdtridfd(double n, double p, double x) {
    if (!(n > 0) || !(x > 0) || !(p > 0 && p < 1)) return not_a_number();
    // Whether the distribution function rises with the degrees of freedom of the denominator depends on x.
    FDenominator<W> f = {n, x, p, 1 - p, 1.0};
    if (f(20.0) < f(-20.0)) f.sign = -1.0;
    return ::exp(rising_root(f, 1.0, -230, 46));
}

// exp(power) / B / m for B of a beta function.
template <class W> GPUARRAY_DEVICE double student_far(double m, W power, FactorAndLog<W> beta) {
    return exp_of(power - beta.log) / beta.sign / m;
}
// Student's: the tail is half of I of m / (m + t^2) with (m / 2, 1 / 2).
// Of sqrt(s / (1 - exp(-s))).
inline __constant__ double STUDENT_SERIES[] = {
    1.0, 0.25, 0.010416666666666667, -0.0026041666666666667, -9.765625e-5, 5.1540798611111111e-5, 1.2756024718915344e-6, -1.110097087880291e-6, -1.9670584004181823e-8, 2.4836319884715677e-8, 3.3966619960386745e-10, -5.6900718339421876e-10, -6.3372301556671302e-12, 1.3251315155878904e-11, 1.2468358960996803e-13};
// The tail for many degrees of freedom: with s = log(1 + t^2 / m) the density is exp(-m s / 2) and a series of s, each
// term of which is an incomplete gamma function of half an integer. R. A. Fisher, "Expansion of Student's integral in
// powers of n^-1" (1925), Metron 5, has the normal distribution's place for the first of them.
template <class W> GPUARRAY_CALLED double student_many(double m, W ratio) {
    const W s = ratio.hi > 1e-3 ? log1p_of(ratio) : ratio + log1p_rest(ratio.hi);
    const W half = s * (0.5 * m);
    const double root = ::sqrt(half.hi), inverse = 1 / m;
    double term = 0.5 * ::erfcx(root), whole = 1, power = ::sqrt(half.hi / 3.141592653589793) * inverse;
    double total = term, scale = 1;
#pragma unroll 1
    for (int j = 1; j < 15; ++j) {
        term = ::fma((2 * j - 1) * inverse, term, power);
        whole *= (2 * j - 1) * inverse;
        power *= s.hi;
        total = ::fma(STUDENT_SERIES[j], term, total);
        scale = ::fma(STUDENT_SERIES[j], whole, scale);
    }
    return exp_of(-half) * (total / scale);
}
template <class W> GPUARRAY_CALLED double student_tail(double m, double t) {
    const W square = product_of<W>(t, t), whole = square + m;
    if (m >= 200 && square.hi < 0.6 * m) return student_many(m, square / m);
    if (isinf(square.hi)) {
        return student_far(m, log_of(W(m)) * (m / 2) - log_of(W(::fabs(t))) * m, lbeta_of<W>(m / 2, 0.5));
    }
    return betainc_of<W>(m / 2, 0.5, W(m) / whole, square / whole) / 2;
}
template <class W> GPUARRAY_CALLED double stdtr(double m, double t) {
    if (!(m > 0) || t != t) return not_a_number();
    if (m > 1e24) return ::normcdf(t);  // the difference is less than t^4 / m of it, and both are zero left of -40
    if (isinf(t)) return t > 0 ? 1.0 : 0.0;
    if (t == 0 || m < 1e-300) return 0.5;
    const double tail = student_tail<W>(m, t);
    return t < 0 ? tail : 1 - tail;
}
template <class W> GPUARRAY_CALLED double stdtrit(double m, double p) {
    if (!(m > 0) || !(p >= 0 && p <= 1)) return not_a_number();
    if (p == 0 || p == 1) return p == 0 ? -infinity() : infinity();
    if (p == 0.5) return 0.0;
    if (m > 1e9) {
        // R. A. Fisher and E. A. Cornish, "The percentile points of distributions having known cumulants" (1960).
        const double z = ::normcdfinv(p), square = z * z, first = (square + 1) / 4;
        const double second = ((5 * square + 16) * square + 3) / 96;
        return ::fma(z / m, first + second / m, z);
    }
    const double tail = p < 0.5 ? p : 1 - p;
    const Split found = beta_inverse<W>(m / 2, 0.5, 2 * tail, 2 * (0.5 - tail));
    const double t = found.x > 1e-290
                         ? ::sqrt(m) * ::sqrt(found.y / found.x)
                         : ::sqrt(m) * ::exp(-(::log(tail * m) + log_of_magnitude(lbeta_of<W>(m / 2, 0.5))) / m);
    return p < 0.5 ? -t : t;
}
template <class W> struct StudentFreedom {
    double t, p;
    GPUARRAY_DEVICE double operator()(double u) const { return log_ratio(p, student_tail<W>(::exp(u), t)); }
};
template <class W> GPUARRAY_CALLED double stdtridf(double p, double t) {
    if (!(p > 0 && p < 1) || t != t || t == 0) return not_a_number();
    // The tail falls with the degrees of freedom, from a half to that of the normal distribution.
    const double tail = t < 0 ? p : 1 - p;
    return ::exp(rising_root(StudentFreedom<W>{t, tail}, 1.0, -230, 46));
}

}  // namespace special
}  // namespace gpuarray
