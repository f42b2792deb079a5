// The power series of hypergeometric functions (DLMF 15.2, 13.2, 16.2), in sums of two doubles.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

struct Series {
    dd sum, slope;  // the slope is x times the derivative
    double largest;
    bool converged;
};
// A polynomial's degree, or a number beyond all series.
GPUARRAY_DEVICE double degree_of(double a) { return a <= 0 && is_integer(a) ? -a : 1e300; }
GPUARRAY_DEVICE double degree_of(dd a) { return a.lo == 0 ? degree_of(a.hi) : 1e300; }
GPUARRAY_DEVICE bool is_pole(dd x) { return degree_of(x) < 1e299; }

// Sum of (a)_k (b)_k / ((c)_k k!) x^k; without b, or a, if their flags say so.
GPUARRAY_CALLED Series power_series_dd(int upper, dd a, dd b, dd c, dd x, double degree, double last = 1e-19) {
    dd term(1.0), sum(1.0), slope(0.0);
    double largest = 1;
    // Beyond -c terms grow again, and after a factor near zero they may.
    double least = c.hi > -4000 ? ::fmax(-c.hi, 0.0) : 0;
    if (least > 0 && upper > 0 && a.hi > -4000) least = ::fmax(least, -a.hi);
    if (least > 0 && upper > 1 && b.hi > -4000) least = ::fmax(least, -b.hi);
    int small = 0;
    for (int k = 0; k < 6000; ++k) {
        if (k >= degree) return Series{sum, slope, largest, true};
        dd factor = x / ((c + double(k)) * double(k + 1));
        if (upper > 0) factor = factor * (a + double(k));
        if (upper > 1) factor = factor * (b + double(k));
        term = term * factor;
        sum = sum + term;
        slope = slope + term * double(k + 1);
        const double size = ::fabs(term.hi);
        largest = ::fmax(largest, size);
        if (!(size < 1e290)) break;
        const bool counts = size * (k + 1) > last * ::fmax(::fabs(sum.hi), 1e-30 * largest);
        small = counts || k < least || ::fabs(factor.hi) > 1 ? 0 : small + 1;
        if (small == 3) return Series{sum, slope, largest, true};
    }
    return Series{sum, slope, largest, false};
}
GPUARRAY_DEVICE bool reliable(const Series& s) { return s.converged && s.largest < 1e14 * ::fabs(s.sum.hi); }

}  // namespace special
}  // namespace gpuarray
