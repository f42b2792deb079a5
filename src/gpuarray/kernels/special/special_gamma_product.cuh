// The gamma function of float64 where recurrence (DLMF 5.5.1) takes few steps to [1, 2), and the derivative of its
// logarithm: a polynomial there, times a product of two doubles. Arguments are numbers of two doubles, for sums.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_fits.cuh"

namespace gpuarray {
namespace special {

// Whether so few steps are enough, and the parts of quotients stay far from overflow; no poles.
GPUARRAY_DEVICE bool has_product(dd x) {
    return ::fabs(x.hi) < 64 && ::fabs(x.hi) > 1e-100 && (x.hi > 0 || !is_integer(x.hi));
}

// gamma(x) as value * product, or as value / product for x < 1.
struct GammaProduct {
    double value;
    dd product;
    bool below;
};
GPUARRAY_CALLED GammaProduct gamma_product(dd x) {
    double at = x.hi, high = 1, low = 0;
    const bool below = at < 1;
    // All steps are exact but that from below 1 to above it, where the function is nearly constant.
#pragma unroll 1
    while (below ? at < 1 : at >= 2) {
        const double factor = below ? at : at - 1, next = high * factor;
        low = ::fma(low, factor, ::fma(high, x.lo, ::fma(high, factor, -next)));
        high = next;
        at = below ? at + 1 : factor;
    }
    return GammaProduct{fit_gamma_wide((at - 1.5) + x.lo), fast_sum(high, low), below};
}

GPUARRAY_DEVICE double gamma_by_product(double x) {
    const GammaProduct found = gamma_product(dd(x));
    const double high = found.product.hi, low = found.product.lo;
    if (!found.below) return ::fma(found.value, high, found.value * low);
    const double quotient = found.value / high;
    return low == 0 ? quotient : ::fma(-quotient, low / high, quotient);
}
GPUARRAY_DEVICE double rgamma_by_product(double x) {
    const GammaProduct found = gamma_product(dd(x));
    const double high = found.product.hi, low = found.product.lo;
    return found.below ? high / found.value : 1 / ::fma(found.value, high, found.value * low);
}

// gamma(x) / (gamma(y) gamma(z)), or its reciprocal.
GPUARRAY_CALLED double gamma_quotient(dd x, dd y, dd z, bool inverted) {
    const GammaProduct parts[] = {gamma_product(x), gamma_product(y), gamma_product(z)};
    const double value = parts[0].value / (parts[1].value * parts[2].value);
    dd top(1.0), bottom(1.0);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        if ((i == 0) != parts[i].below) {
            top = top * parts[i].product;
        } else {
            bottom = bottom * parts[i].product;
        }
    }
    return inverted ? rounded(bottom / top) / value : rounded(top / bottom) * value;
}

// For x > 0. Down to [1, 2) the terms 1 / (x - k) are one fraction.
GPUARRAY_CALLED double digamma_right(double x) {
    if (x >= 8) {
        if (x > 1e17) return ::log(x);
        const double r = 1 / x, z = r * r;
        const double c[] = {-0.08333333333333333, 0.008333333333333333, -0.003968253968253968, 0.004166666666666667,
                            -0.007575757575757576, 0.021092796092796094, -0.08333333333333333, 0.4432598039215686,
                            -3.0539543302701198};
        return ::log(x) + ::fma(z, polynomial(c, z), -0.5 * r);
    }
    double at = x < 1 ? x + 1 : x, numerator = x < 1 ? -1.0 : 0.0, denominator = x < 1 ? x : 1.0;
#pragma unroll 1
    while (at >= 2) {
        at -= 1;
        numerator = ::fma(numerator, at, denominator);
        denominator *= at;
    }
    // With its zero in two parts.
    const double value = ((at - 1.4616321449683622) - 9.549995429965697e-17) * fit_digamma_wide(at - 1.5);
    return numerator == 0 ? value : value + numerator / denominator;
}

}  // namespace special
}  // namespace gpuarray
