// Products and quotients of gamma functions of float64 in one exponential, and the derivative of the logarithm.
//
// Stirling's formula (DLMF 5.11.1) from 4 on, four steps of the recurrence (5.5.1) below, reflection (5.5.3) below zero:
// the same few operations for every argument. Arguments are numbers of two doubles, for sums.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_gamma_fits.cuh"

namespace gpuarray {
namespace special {

// Where the functions below have their digits; no poles.
GPUARRAY_DEVICE bool has_product(dd x) {
    // From 2^-300 to 2^12, to -2^6 of negative numbers.
    const uint32_t word = upper_word(x.hi), size = word & 0x7fffffffu;
    return word - 0x2d300000u < 0x13800000u || (size - 0x2d300000u < 0x13200000u && !is_integer(x.hi));
}

// gamma(x) = exp(exponent + log(2 pi) / 2) / product for x > 0. The exponent's second part may be 0.02.
struct GammaParts {
    dd exponent, product;
};

// x (x + 1) (x + 2) (x + 3) = y (y + 2) with y = x (x + 3)
GPUARRAY_DEVICE dd four_steps(dd x) {
    const dd s = sum(x.hi, 3.0);
    const double y = x.hi * s.hi;
    const double rest = ::fma(x.hi, s.hi, -y) + ::fma(x.hi, s.lo + x.lo, x.lo * s.hi);
    const dd other = sum(y, 2.0);
    const double high = y * other.hi;
    return dd(high, ::fma(y, other.hi, -high) + ::fma(y, other.lo + rest, rest * other.hi));
}
// The exponent from 4 on.
GPUARRAY_DEVICE dd stirling_exponent(dd x) {
    const dd log = log_by_table<true>(x);
    const double r = reciprocal52(x.hi), factor = x.hi - 0.5, high = factor * log.hi;
    const double low = ::fma(factor, log.hi, -high) + ::fma(factor, log.lo, x.lo * log.hi);
    const dd difference = fast_sum(high, -x.hi);
    return dd(difference.hi, ::fma(r, fit_stirling_wide(r * r), difference.lo + (low - x.lo)));
}
GPUARRAY_CALLED GammaParts gamma_parts(dd x) {
    dd product(1.0);
    if (x.hi < 4) {
        product = four_steps(x);
        const dd moved = fast_sum(4.0, x.hi);
        x = dd(moved.hi, moved.lo + x.lo);
    }
    return GammaParts{stirling_exponent(x), product};
}

// 1 / gamma(x) for x from 2^-54 to 170, as by gamma_parts, of a number without a second part and in one function.
GPUARRAY_CALLED double rgamma_right(double x) {
    double factor = 0.3989422804014327, rest = 0;  // 1 / sqrt(2 pi)
    dd at(x);
    if (x < 4) {
        // y (y + 2) with y = x (x + 3), and what its factors were rounded by, as a part of it.
        const double s = x + 3, y = x * s, other = y + 2, product = y * other;
        const double lost = ::fma(x, x - (s - 3), ::fma(x, s, -y)), more = lost + sum(y, 2.0).lo;
        rest = ::fma(lost, other, ::fma(y, more, ::fma(y, other, -product))) * reciprocal20(product);
        factor *= product;
        at = fast_sum(4.0, x);
    }
    const dd found = stirling_exponent(at);
    return ScaledPower(dd(-found.hi, rest - found.lo)).of(factor);
}

// A product of gamma functions and their reciprocals: exp(exponent + count log(2 pi) / 2) top / bottom.
struct GammaQuotient {
    dd exponent, top, bottom;
    double count;

    GPUARRAY_DEVICE GammaQuotient() : exponent(0.0), top(1.0), bottom(1.0), count(0) {}

    // times gamma(x), or 1 / gamma(x)
    GPUARRAY_DEVICE void include(dd x, bool inverse) {
        const bool reflected = x.hi < 0;
        dd z = x;
        if (reflected) {
            z = sum(1.0, -x.hi);
            z.lo -= x.lo;
        }
        const GammaParts parts = gamma_parts(z);
        const double sign = reflected != inverse ? -1.0 : 1.0;
        const dd whole = sum(exponent.hi, sign * parts.exponent.hi);
        exponent = dd(whole.hi, exponent.lo + ::fma(sign, parts.exponent.lo, whole.lo));
        count += sign;
        if (reflected) {
            const double turns = ::rint(x.hi), sine = ::sinpi((x.hi - turns) + x.lo);
            const dd scaled = dd(0.3183098861837907, -1.9678676675182486e-17) * (is_integer(turns / 2) ? sine : -sine);
            if (inverse) {
                top = top * scaled;
            } else {
                bottom = bottom * scaled;
            }
        }
        if (sign < 0) {
            top = top * parts.product;
        } else {
            bottom = bottom * parts.product;
        }
    }
    GPUARRAY_DEVICE dd whole_exponent() const {
        const dd constant = product(count, 0.9189385332046728), s = sum(exponent.hi, constant.hi);
        return sum(s.hi, (s.lo + exponent.lo) + ::fma(count, -3.8782941580672414e-17, constant.lo));
    }
    GPUARRAY_DEVICE double value() const {
        const dd at = whole_exponent(), quotient = quotient_dd(top.hi, bottom.hi, bottom.lo);
        // What the lower parts are beside 1.
        const double change = ::fma(top.lo, reciprocal20(top.hi), quotient.lo * reciprocal20(quotient.hi));
        return exp_dd(dd(at.hi, at.lo + change)) * quotient.hi;
    }
    // The logarithm of the magnitude; 0 for what rounding left of nothing.
    GPUARRAY_DEVICE double logarithm() const {
        const dd q = quotient_dd(top.hi, bottom.hi, bottom.lo);
        const double more = ::fma(top.lo, reciprocal20(top.hi) * q.hi, q.lo);
        const dd log = log_by_table<true>(q.hi < 0 ? dd(-q.hi, -more) : dd(q.hi, more));
        const double total = rounded(whole_exponent() + log);
        return ::fabs(total) < 2e-18 ? 0.0 : total;
    }
};

// gamma(x), or its reciprocal; x is neither a pole nor below -160.
GPUARRAY_DEVICE double one_gamma(double x, bool inverse) {
    const bool reflected = x < 0, below = reflected != inverse;
    const GammaParts parts = gamma_parts(reflected ? sum(1.0, -x) : dd(x));
    // The first part is at least 0.85, the second one with log(2 pi) / 2 at most 0.94: the power of two is no greater.
    const dd exponent = fast_sum(parts.exponent.hi, parts.exponent.lo + 0.9189385332046728);
    const double rest = parts.product.lo * reciprocal20(parts.product.hi);
    // exp(exponent) / product, or the reciprocal.
    double value = exp_dd(below ? dd(-exponent.hi, rest - exponent.lo) : dd(exponent.hi, exponent.lo - rest));
    if (below) {
        value *= parts.product.hi;
    } else {
        value = rounded(quotient_dd(value, parts.product.hi));
    }
    if (!reflected) return value;
    const double sine = ::sinpi(x);
    return inverse ? value * (sine * 0.3183098861837907) : value * (3.141592653589793 / sine);
}

// gamma(x) / gamma(y), and gamma(x) / (gamma(y) gamma(z)) or its reciprocal.
GPUARRAY_CALLED double gamma_quotient(dd x, dd y) {
    GammaQuotient found;
    found.include(x, false);
    found.include(y, true);
    return found.value();
}
GPUARRAY_DEVICE GammaQuotient gamma_quotient_of(dd x, dd y, dd z, bool inverted) {
    GammaQuotient found;
    found.include(x, inverted);
    found.include(y, !inverted);
    found.include(z, !inverted);
    return found;
}
GPUARRAY_CALLED double gamma_quotient(dd x, dd y, dd z, bool inverted) {
    return gamma_quotient_of(x, y, z, inverted).value();
}
GPUARRAY_CALLED double log_gamma_quotient(dd x, dd y, dd z, bool inverted) {
    return gamma_quotient_of(x, y, z, inverted).logarithm();
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
