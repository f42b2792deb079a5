// The incomplete beta function I, its inverses, and the distributions that it is.
//
// The continued fraction of A. R. Didonato and A. H. Morris, "Algorithm 708" (1992), on the side of the mean where its
// terms are positive; the factor x^a (1 - x)^b / B(a, b) is the exponential of two doubles, relative to its maximum for
// large parameters.
#pragma once

#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_roots.cuh"

namespace gpuarray {
namespace special {

// x^a y^b / B(a, b), y = 1 - x
GPUARRAY_CALLED double beta_factor(double a, double b, dd x, dd y) {
    if (a >= 16 && b >= 16) {
        const dd s = sum(a, b);
        const dd power = log_dd(x * s / a) * a + log_dd(y * s / b) * b;
        const dd rest = stirling_rest(s) - stirling_rest(a) - stirling_rest(b);
        return exp_dd(power + rest) * ::sqrt(a / s.hi) * ::sqrt(b) * 0.39894228040143267794;
    }
    return exp_dd(log_dd(x) * a + log_dd(y) * b - lbeta_signed(a, b).log);
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

GPUARRAY_CALLED double beta_fraction(double a, double b, double x, double y, double rest) {
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

// Of I_x(a, b) and 1 - I what is computed, and whether it is the latter.
struct BetaPart {
    double value;
    bool upper;
    GPUARRAY_DEVICE double p() const { return upper ? 1 - value : value; }
    GPUARRAY_DEVICE double q() const { return upper ? value : 1 - value; }
};

// For a, b > 0 and 0 < x < 1.
GPUARRAY_CALLED BetaPart beta_part(double a, double b, dd x, dd y) {
    const double factor = beta_factor(a, b, x, y), rest = rounded(y * a - x * b);
    bool upper = rest < 0;
    double value = upper ? factor * beta_fraction(b, a, y.hi, x.hi, -rest) : factor * beta_fraction(a, b, x.hi, y.hi, rest);
    if (value > 0.75 && (upper ? x.hi : y.hi) < 0.999) {
        // What is left is small: it is computed itself, though the fraction converges slower there.
        upper = !upper;
        value = upper ? factor * beta_fraction(b, a, y.hi, x.hi, -rest) : factor * beta_fraction(a, b, x.hi, y.hi, rest);
    }
    return BetaPart{::fmin(value, 1.0), upper};
}

GPUARRAY_DEVICE bool beta_defined(double a, double b, double x) {
    return a > 0 && b > 0 && x >= 0 && x <= 1 && !isinf(a) && !isinf(b);
}
GPUARRAY_CALLED double betainc_dd(double a, double b, dd x, dd y) {
    if (!beta_defined(a, b, x.hi)) return not_a_number();
    if (x.hi == 0 || y.hi == 0) return x.hi == 0 ? 0.0 : 1.0;
    return beta_part(a, b, x, y).p();
}
GPUARRAY_CALLED double betaincc_dd(double a, double b, dd x, dd y) { return betainc_dd(b, a, y, x); }
GPUARRAY_DEVICE double betainc(double a, double b, double x) { return betainc_dd(a, b, x, dd(1.0) - x); }
GPUARRAY_DEVICE double betaincc(double a, double b, double x) { return betaincc_dd(a, b, x, dd(1.0) - x); }

// The residual that rises with I: log(I / p), or -log((1 - I) / q) where q is the smaller one.
GPUARRAY_CALLED double beta_residual(double a, double b, dd x, dd y, double p, double q) {
    const BetaPart part = beta_part(a, b, x, y);
    return p <= q ? log_ratio(part.p(), p) : -log_ratio(part.q(), q);
}

// x and 1 - x with I_x(a, b) = p, p + q = 1: Newton's steps in log(x / (1 - x)) between bounds.
GPUARRAY_CALLED dd beta_inverse(double a, double b, double p, double q) {
    if (!beta_defined(a, b, p) || !(q >= 0)) return dd(not_a_number(), not_a_number());
    if (p == 0) return dd(0.0, 1.0);
    if (q == 0) return dd(1.0, 0.0);
    // A normal variable of the same mean in the logarithm of the odds, or the first terms at the ends.
    const double normal = p < q ? ::normcdfinv(p) : -::normcdfinv(q);
    const double logarithm = rounded(lbeta_signed(a, b).log);
    double u = ::log(a / b) + normal * ::sqrt(1 / a + 1 / b);
    const double first = (::log(p * a) + logarithm) / a, last = -(::log(q * b) + logarithm) / b;
    if (a < 1 && first < ::log(0.3)) u = first;
    if (b < 1 && last > -::log(0.3)) u = last;
    u = ::fmin(::fmax(u, -740.0), 740.0);
    double low = -750, high = 750;
    dd x(0.5), y(0.5);
#pragma unroll 1
    for (int i = 0; i < 80; ++i) {
        if (u < 0) {
            const double e = ::exp(u);
            x = dd(e / (1 + e));
            y = dd(1.0) - x;
        } else {
            const double e = ::exp(-u);
            y = dd(e / (1 + e));
            x = dd(1.0) - y;
        }
        if (x.hi == 0 || y.hi == 0) break;
        const BetaPart part = beta_part(a, b, x, y);
        const double residual = p <= q ? log_ratio(part.p(), p) : -log_ratio(part.q(), q);
        const double slope = beta_factor(a, b, x, y);
        if (residual > 0) high = u; else low = u;
        const double step = residual * (p <= q ? part.p() : part.q()) / slope;
        if (step * step * (1 + a + b) < 1e-17) {
            const double change = x.hi * y.hi * step;
            return dd(rounded(x - change), rounded(y + change));
        }
        double next = u - step;
        if (!(next > low && next < high)) {
            next = low <= -750 ? ::fmin(u, high) - 3 : high >= 750 ? ::fmax(u, low) + 3 : (low + high) / 2;
        }
        if (next <= -750) return dd(0.0, 1.0);
        if (next >= 750) return dd(1.0, 0.0);
        u = next;
    }
    return dd(rounded(x), rounded(y));
}
GPUARRAY_DEVICE double betaincinv(double a, double b, double p) { return beta_inverse(a, b, p, 1 - p).hi; }
GPUARRAY_DEVICE double betainccinv(double a, double b, double q) { return beta_inverse(a, b, 1 - q, q).hi; }

// Which of two numbers is not known, in the logarithm: I_x(a, b) = p as a function of `first` + exp(u).
struct BetaShape {
    double offset_a, offset_b, sign_a, sign_b, p, q, sign;
    dd x, y;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double t = ::exp(u);
        const double a = offset_a + sign_a * t, b = offset_b + sign_b * t;
        return sign * beta_residual(a, b, x, y, p, q);
    }
};
// t > 0 with I_x(offset_a + sign_a t, offset_b + sign_b t) = p; `sign` is 1 if that rises with t.
GPUARRAY_CALLED double beta_shape(double offset_a, double sign_a, double offset_b, double sign_b, dd x, dd y, double p,
                                  double q, double sign, double greatest) {
    if (!(x.hi > 0) || !(y.hi > 0) || !(p > 0) || !(q > 0) || !(offset_a + offset_b >= 0)) return not_a_number();
    const double top = ::log(greatest);
    const BetaShape f = {offset_a, offset_b, sign_a, sign_b, p, q, sign, x, y};
    return ::exp(rising_root(f, ::fmin(0.5, top - 0.7), -690, top));
}

GPUARRAY_CALLED double bdtr(double k, double n, double p) {
    const double whole = ::floor(k), rest = n - whole;
    if (!(p >= 0 && p <= 1) || !(whole >= 0) || !(rest >= 0)) return not_a_number();
    if (rest == 0) return 1.0;
    return betaincc_dd(whole + 1, rest, p, dd(1.0) - p);
}
GPUARRAY_CALLED double bdtrc(double k, double n, double p) {
    const double whole = ::floor(k), rest = n - whole;
    if (!(p >= 0 && p <= 1) || !(rest >= 0) || k != k) return not_a_number();
    if (whole < 0) return 1.0;
    return rest == 0 ? 0.0 : betainc_dd(whole + 1, rest, p, dd(1.0) - p);
}
GPUARRAY_CALLED double bdtri(double k, double n, double y) {
    const double whole = ::floor(k), rest = n - whole;
    if (!(y >= 0 && y <= 1) || !(whole >= 0) || !(rest > 0)) return not_a_number();
    return beta_inverse(whole + 1, rest, 1 - y, y).hi;
}
// The number of successes as a real number: I of 1 - p with (n - k, k + 1).
GPUARRAY_CALLED double bdtrik(double y, double n, double p) {
    if (!(n > 0) || !(y > 0 && y < 1) || !(p > 0 && p < 1)) return not_a_number();
    // No k has a probability below that of none.
    if (beta_part(n, 1, dd(1.0) - p, p).p() >= y) return 0.0;
    return beta_shape(n, -1, 1, 1, dd(1.0) - p, p, y, 1 - y, 1, n * (1 - 1e-13));
}
GPUARRAY_CALLED double bdtrin(double k, double y, double p) {
    if (!(k >= 0) || !(p > 0 && p < 1)) return not_a_number();
    return k + beta_shape(0, 1, k + 1, 0, dd(1.0) - p, p, y, 1 - y, -1, 1e100);
}

GPUARRAY_CALLED double nbdtr(double k, double n, double p) {
    if (!(p >= 0 && p <= 1) || !(k >= 0)) return not_a_number();
    return betainc_dd(n, k + 1, p, dd(1.0) - p);
}
GPUARRAY_CALLED double nbdtrc(double k, double n, double p) {
    if (!(p >= 0 && p <= 1) || !(k >= 0)) return not_a_number();
    return betaincc_dd(n, k + 1, p, dd(1.0) - p);
}
GPUARRAY_CALLED double nbdtri(double k, double n, double y) {
    if (!(k >= 0)) return not_a_number();
    return beta_inverse(n, k + 1, y, 1 - y).hi;
}
GPUARRAY_CALLED double nbdtrik(double y, double n, double p) {
    if (!(n > 0) || !(p > 0 && p < 1)) return not_a_number();
    if (beta_part(n, 1, p, dd(1.0) - p).p() >= y) return 0.0;
    return beta_shape(n, 0, 1, 1, p, dd(1.0) - p, y, 1 - y, 1, 1e100);
}
GPUARRAY_CALLED double nbdtrin(double k, double y, double p) {
    if (!(k >= 0) || !(p > 0 && p < 1)) return not_a_number();
    return beta_shape(0, 1, k + 1, 0, p, dd(1.0) - p, y, 1 - y, -1, 1e100);
}

GPUARRAY_CALLED double btdtria(double p, double b, double x) {
    if (!(b > 0)) return not_a_number();
    return beta_shape(0, 1, b, 0, x, dd(1.0) - x, p, 1 - p, -1, 1e100);
}
GPUARRAY_CALLED double btdtrib(double a, double p, double x) {
    if (!(a > 0)) return not_a_number();
    return beta_shape(a, 0, 0, 1, x, dd(1.0) - x, p, 1 - p, 1, 1e100);
}

// F: x n / (m + x n) with I of (n / 2, m / 2).
GPUARRAY_CALLED double fdtr(double n, double m, double x, bool upper) {
    if (!(n > 0) || !(m > 0) || !(x >= 0)) return not_a_number();
    if (isinf(x)) return upper ? 0.0 : 1.0;
    const dd scaled = product(n, x), whole = scaled + m;
    const dd part = scaled / whole, rest = dd(m) / whole;
    return upper ? betaincc_dd(n / 2, m / 2, part, rest) : betainc_dd(n / 2, m / 2, part, rest);
}
GPUARRAY_CALLED double fdtri(double n, double m, double p) {
    if (!(n > 0) || !(m > 0) || !(p > 0 && p <= 1)) return not_a_number();
    const dd found = beta_inverse(n / 2, m / 2, p, 1 - p);
    return m / n * (found.hi / found.lo);
}
struct FDenominator {
    double n, x, p, q, sign;
    GPUARRAY_DEVICE double operator()(double u) const {
        const double m = ::exp(u);
        const dd scaled = product(n, x), whole = scaled + m;
        return sign * beta_residual(n / 2, m / 2, scaled / whole, dd(m) / whole, p, q);
    }
};
GPUARRAY_CALLED double fdtridfd(double n, double p, double x) {
    if (!(n > 0) || !(x > 0) || !(p > 0 && p < 1)) return not_a_number();
    // Whether the distribution function rises with the degrees of freedom of the denominator depends on x.
    FDenominator f = {n, x, p, 1 - p, 1.0};
    if (f(20.0) < f(-20.0)) f.sign = -1.0;
    return ::exp(rising_root(f, 1.0, -230, 46));
}

// Student's: the tail is half of I of m / (m + t^2) with (m / 2, 1 / 2).
GPUARRAY_CALLED double student_tail(double m, double t) {
    const dd square = product(t, t), whole = square + m;
    if (isinf(square.hi)) return exp_dd(log_dd(dd(m)) * (m / 2) - log_dd(dd(::fabs(t))) * m - lbeta_signed(m / 2, 0.5).log) / m;
    return betainc_dd(m / 2, 0.5, dd(m) / whole, square / whole) / 2;
}
GPUARRAY_CALLED double stdtr(double m, double t) {
    if (!(m > 0) || t != t) return not_a_number();
    if (isinf(m)) return ::normcdf(t);
    if (isinf(t)) return t > 0 ? 1.0 : 0.0;
    if (t == 0) return 0.5;
    const double tail = student_tail(m, t);
    return t < 0 ? tail : 1 - tail;
}
GPUARRAY_CALLED double stdtrit(double m, double p) {
    if (!(m > 0) || !(p >= 0 && p <= 1)) return not_a_number();
    if (p == 0 || p == 1) return p == 0 ? -infinity() : infinity();
    if (p == 0.5) return 0.0;
    if (isinf(m)) return ::normcdfinv(p);
    const double tail = p < 0.5 ? p : 1 - p;
    const dd found = beta_inverse(m / 2, 0.5, 2 * tail, 2 * (0.5 - tail));
    const double t = found.hi > 1e-290
                         ? ::sqrt(m) * ::sqrt(found.lo / found.hi)
                         : ::sqrt(m) * ::exp(-(::log(tail * m) + rounded(lbeta_signed(m / 2, 0.5).log)) / m);
    return p < 0.5 ? -t : t;
}
struct StudentFreedom {
    double t, p;
    GPUARRAY_DEVICE double operator()(double u) const { return log_ratio(p, student_tail(::exp(u), t)); }
};
GPUARRAY_CALLED double stdtridf(double p, double t) {
    if (!(p > 0 && p < 1) || t != t || t == 0) return not_a_number();
    // The tail falls with the degrees of freedom, from a half to that of the normal distribution.
    const double tail = t < 0 ? p : 1 - p;
    return ::exp(rising_root(StudentFreedom{t, tail}, 1.0, -230, 46));
}

}  // namespace special
}  // namespace gpuarray
