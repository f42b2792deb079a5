// Zeros of functions that rise.
#pragma once

#include "gpuarray/special_dd.cuh"

namespace gpuarray {
namespace special {

// How near the last but one step of Newton's has to come for the last one, whose error is its square, to be right.
GPUARRAY_DEVICE double last_step(dd) { return 1e-17; }
GPUARRAY_DEVICE double last_step(plain) { return 1e-9; }

// log(a / b), also where the quotient would be near 1.
GPUARRAY_DEVICE double log_ratio(double a, double b) {
    const double excess = (a - b) / b;
    return ::fabs(excess) < 0.5 ? ::log1p(excess) : ::log(a) - ::log(b);
}

// Where a function that rises is zero: bounds that move out from a start, then T. R. Chandrupatla's method ("A new
// hybrid quadratic/bisection algorithm", 1997), which needs no derivative. NaN if there is no change of sign.
template <class F> GPUARRAY_DEVICE double rising_root(const F& f, double start, double least, double greatest) {
    double a = start, fa = f(a), b = a, fb = fa, step = 0.5;
    if (fa == 0) return a;
    const bool down = fa > 0;
#pragma unroll 1
    for (int i = 0; i < 60; ++i) {
        b = a;
        fb = fa;
        a = down ? a - step : a + step;
        if (a < least) a = least;
        if (a > greatest) a = greatest;
        fa = f(a);
        step *= 2;
        if (down ? fa <= 0 : fa >= 0) break;
        if (a == least || a == greatest || fa != fa) return not_a_number();
    }
    if (fa == 0) return a;
    // c is the point before; t says where between the bounds the next one is.
    double c = b, fc = fb, t = 0.5;
#pragma unroll 1
    for (int i = 0; i < 120; ++i) {
        const double x = a + t * (b - a), fx = f(x);
        if (fx != fx) return fx;
        if ((fx > 0) == (fa > 0)) {
            c = a;
            fc = fa;
        } else {
            c = b;
            fc = fb;
            b = a;
            fb = fa;
        }
        a = x;
        fa = fx;
        if (fa == 0) return a;
        const double best = ::fabs(fa) < ::fabs(fb) ? a : b, width = ::fabs(b - a);
        const double tolerance = 2.3e-16 * ::fmax(::fabs(best), 1e-3);
        if (tolerance > 0.5 * width) return best;
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
            t = fa / (fb - fa) * (fc / (fb - fc)) + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb));
        } else {
            t = 0.5;
        }
        const double edge = tolerance / width;
        t = ::fmin(1 - edge, ::fmax(edge, t));
    }
    return a;
}

}  // namespace special
}  // namespace gpuarray
