// The noncentral t distribution of (Z + nc) / S, Z normal, S the root of a chi-squared variable over its degrees of
// freedom m: N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", volume 2, chapter 31.
//
// Either tail is an integral of positive numbers, over S or over Z, relative to the greatest value. By the trapezoidal
// rule: L. N. Trefethen and J. A. C. Weideman, "The exponentially convergent trapezoidal rule" (2014), SIAM Review 56.
#pragma once

#include "gpuarray/special_noncentral.cuh"

namespace gpuarray {
namespace special {

// exp(w) - 1 - w
GPUARRAY_DEVICE double exp_rest(double w) {
    if (::fabs(w) > 0.1) return ::expm1(w) - w;
    const double c[] = {0.5,        1.0 / 6,     1.0 / 24,     1.0 / 120,    1.0 / 720,
                        1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800};
    return w * w * polynomial(c, w);
}

// What the integral over the logarithm of S takes from m, nc >= 0 or less, t > 0 and `side`, 1 for the probability
// below t and -1 for that above: the integrand is S's density times normcdf(x), x = side (t s - nc).
struct ScaleIntegrand {
    double m, nc, t, side, s, x, slope, square, cross;
    dd log;

    GPUARRAY_DEVICE double rise(double v) const {
        const double at = ::exp(v), z = side * (t * at - nc);
        const double ratio = z < 37 ? 0.7978845608028654 / ::erfcx(-0.7071067811865476 * z) : 0.0;
        return m * (1 - at * at) + side * t * at * ratio;
    }
    GPUARRAY_CALLED ScaleIntegrand(double m, double nc, double t, double side)
        : m(m), nc(nc), t(t), side(side), log(0.0) {
        // The greatest value lies between those of the two factors.
        double low = -1, high = 1;
#pragma unroll 1
        while (rise(low) < 0 && low > -700) low *= 2;
#pragma unroll 1
        while (rise(high) > 0 && high < 350) high *= 2;
#pragma unroll 1
        for (int i = 0; i < 30; ++i) {
            const double middle = 0.5 * (low + high);
            if (rise(middle) > 0) low = middle; else high = middle;
        }
        s = ::exp(0.5 * (low + high));
        const dd argument = (product(t, s) - nc) * side, squared = product(s, s);
        x = argument.hi;
        // m (log(s) - (s^2 - 1) / 2), and -x^2 / 2 of the exponential in normcdf
        log = (log_dd(dd(s)) - (squared - 1.0) * 0.5) * m;
        dd linear = (dd(1.0) - squared) * m;
        square = m * squared.hi;
        cross = 0;
        if (x < 0) {
            log = log - argument * argument * 0.5;
            linear = linear - product(t, s) * argument * side;
            square += t * s * (t * s);
            cross = nc * t * s;
        }
        slope = rounded(linear);
    }
    // At s exp(w), over exp(log).
    GPUARRAY_DEVICE double operator()(double w) const {
        const double at = x + side * t * s * ::expm1(w), rest = exp_rest(2 * w);
        if (x < 0 && at < 0) {
            const double power = slope * w - 0.5 * square * rest + cross * exp_rest(w);
            return 0.5 * ::erfcx(-0.7071067811865476 * at) * ::exp(power);
        }
        const double power = m * ((1 - s * s) * w - 0.5 * s * s * rest);
        return ::normcdf(at) * ::exp(x < 0 ? power + 0.5 * x * x : power);
    }
};

GPUARRAY_CALLED double scale_integral(double m, double nc, double t, double side) {
    const ScaleIntegrand f(m, nc, t, side);
    if (f.log.hi < -900) return 0;
    // The density falls as a normal one does, but of few degrees of freedom: then w = u - exp(-u), for which both sides
    // fall as exp(-exp(|u|)). No step is longer than normcdf lets it be where its argument is 0.
    const bool slow = m < 8;
    const double unit = slow ? 1.0 : 1 / ::sqrt(2 * m), turn = nc > 0 ? ::log(nc / t / f.s) : 0.0;
    const double finest = ::fmax(nc, 1.0) / 0.6 * (slow ? 2 + ::fmax(0.0, -turn) : 1.0);
    const double widest = slow ? 16 : 2.5 / unit;
    const double step = 1 / ::sqrt(widest * widest + finest * finest);
    double total = 0;
#pragma unroll 1
    for (int way = 0; way < 2; ++way) {
#pragma unroll 1
        for (int k = way; k < 200000; ++k) {
            const double u = way == 0 ? k * step : -k * step, e = slow ? ::exp(-u) : 0.0;
            const double term = f(u - e) * (1 + e);
            total += term;
            if (term < 1e-18 * total && k > 2) break;
        }
    }
    // The density at its mode
    const double half = 0.5 * m;
    return total * step * exp_dd(f.log + log_gamma_factor(half, dd(half))) * m;
}

// The same for a large nc and a t that is large beside the root of m: normcdf rises at once there. Of the other order of
// integration the integrand is the normal density times the probability that S is on the other side of (z + nc) / t.
GPUARRAY_CALLED double normal_integral(double m, double nc, double t, double side) {
    double total = 0;
#pragma unroll 1
    for (int way = 0; way < 2; ++way) {
#pragma unroll 1
        for (int k = way; k < 152; ++k) {
            const double z = way == 0 ? 0.25 * k : -0.25 * k, s = (z + nc) / t;
            if (s <= 0) {
                total += side > 0 ? ::exp(-0.5 * z * z) : 0.0;
                continue;
            }
            const dd argument = product(s, s) * (0.5 * m);
            const GammaPart part = isinf(argument.hi) ? GammaPart{0.0, true} : gamma_part(0.5 * m, argument);
            const double term = ::exp(-0.5 * z * z) * (side > 0 ? part.q() : part.p());
            total += term;
            if (term < 1e-18 * total) break;
        }
    }
    return total * (0.25 * 0.3989422804014327);
}

GPUARRAY_CALLED double t_integral(double m, double nc, double t, double side) {
    const bool sudden = nc > 30 && t > 3 * ::sqrt(m);
    return sudden ? normal_integral(m, nc, t, side) : scale_integral(m, nc, t, side);
}

GPUARRAY_CALLED Tail t_tail(double m, double nc, double t) {
    if (t == 0) return Tail{::normcdf(-::fabs(nc)), nc < 0};
    // P(T < t) of nc is P(T > -t) of -nc.
    const bool left = t < 0;
    if (left) {
        nc = -nc;
        t = -t;
    }
    bool upper = t > nc;
    if (isinf(t)) return Tail{0.0, upper != left};
    double value = t_integral(m, nc, t, upper ? -1.0 : 1.0);
    if (value > 0.75) {
        upper = !upper;
        value = t_integral(m, nc, t, upper ? -1.0 : 1.0);
    }
    return Tail{::fmin(value, 1.0), upper != left};
}
GPUARRAY_CALLED double nctdtr(double m, double nc, double t) {
    if (!(m > 0) || nc != nc || t != t || isinf(nc)) return not_a_number();
    if (isinf(t)) return t > 0 ? 1.0 : 0.0;
    if (m > 1e24) return ::normcdf(t - nc);
    return t_tail(m, nc, t).p();
}
struct TRoot {
    double m, nc, t, p, sign;
    int unknown;
    GPUARRAY_DEVICE double operator()(double u) const {
        return sign * residual_of(t_tail(unknown == 0 ? ::exp(u) : m, unknown == 1 ? u : nc, unknown == 2 ? u : t), p);
    }
};
GPUARRAY_CALLED double t_root(double m, double nc, double t, double p, int unknown) {
    if (!is_inner(p) || !(m > 0) || nc != nc || t != t || isinf(m) || isinf(nc) || isinf(t)) return not_a_number();
    TRoot root = {m, nc, t, p, unknown == 1 ? -1.0 : 1.0, unknown};
    if (unknown == 0 && root(8.0) < root(-8.0)) root.sign = -1.0;
    const double found = rising_root(root, unknown == 2 ? nc : unknown == 1 ? t : 1.0, unknown == 0 ? -30.0 : -1e8,
                                     unknown == 0 ? 30.0 : 1e8);
    return unknown == 0 ? ::exp(found) : found;
}

}  // namespace special
}  // namespace gpuarray
