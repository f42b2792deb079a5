// Exponentials, logarithms, powers and what statistics makes of them.
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_elementary_single.cuh"

namespace gpuarray {
namespace special {

// 2 atanh(2x - 1) where the quotient would be near 1.
// Two doubles of the quotient, whose logarithm is near zero in the middle.
GPUARRAY_CALLED double logit(double x) {
    return x > 0 && x < 1 ? rounded(log_dd(dd(x) / sum(1.0, -x))) : ::log(x / (1 - x));
}
GPUARRAY_DEVICE double log_expit(double x) { return -(::log1p(::exp(-::fabs(x))) - (x < 0 ? x : 0.0)); }

template <class T> GPUARRAY_DEVICE T cosm1(T x) {
    const T s = ::sin(x / 2);
    return -2 * s * s;
}

template <class T> GPUARRAY_DEVICE T exprel(T x) {
    if (isinf(x)) return x > 0 ? x : T(0);
    return x == 0 ? T(1) : ::expm1(x) / x;
}

// log(1 + x) - x. Near zero the atanh series of s = x / (2 + x): log(1 + x) = 2s (1 + s^2/3 + ...) and x = 2s + s x.
GPUARRAY_CALLED double log1pmx(double x) {
    if (!(x > -0.4 && x < 0.6)) return ::log1p(x) - x;
    const double s = x / (2 + x), z = s * s;
    const double c[] = {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19,
                        2.0 / 21, 2.0 / 23, 2.0 / 25, 2.0 / 27, 2.0 / 29, 2.0 / 31};
    return s * (z * polynomial(c, z) - x);
}

template <class T> GPUARRAY_DEVICE T entr(T x) {
    if (x > 0) return -x * ::log(x);
    return x == 0 ? T(0) : x != x ? x : T(-infinity());
}

GPUARRAY_CALLED double rel_entr(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) {
        const dd ratio = dd(x) / y;
        if (ratio.hi > 1e-290 && ratio.hi < infinity()) return x * rounded(log_dd(ratio));
        return x * (::log(x) - ::log(y));
    }
    return x == 0 && y >= 0 ? 0.0 : infinity();
}

// With u = (y - x) / x it is x (u - log(1 + u)).
GPUARRAY_CALLED double kl_div(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) {
        const double ratio = y / x;
        if (ratio > 0.6 && ratio < 1.6) return -x * log1pmx((y - x) / x);
        // The terms cancel near there.
        if (ratio > 0.01 && ratio < 100) return rounded(log_dd(dd(x) / y) * x + sum(y, -x));
        return rel_entr(x, y) - x + y;
    }
    return x == 0 && y >= 0 ? y : infinity();
}

template <class T> GPUARRAY_DEVICE T huber(T delta, T r) {
    if (delta < 0) return T(infinity());
    return ::fabs(r) <= delta ? T(0.5) * r * r : delta * (::fabs(r) - T(0.5) * delta);
}

// delta^2 (sqrt(1 + v^2) - 1) = r v delta / (1 + sqrt(1 + v^2)) with v = r / delta
GPUARRAY_CALLED double pseudo_huber(double delta, double r) {
    if (delta < 0) return infinity();
    if (delta == 0 || r == 0) return 0.0;
    if (isinf(r) && delta == delta) return infinity();
    return r * (r / (1 + ::hypot(1.0, r / delta)));
}

GPUARRAY_DEVICE complex<double> scaled_log(complex<double> x, complex<double> y, complex<double> logarithm) {
    if (x.real == 0 && x.imag == 0 && !isnan(y)) return complex<double>(0, 0);
    return c_product(x, logarithm);
}
GPUARRAY_CALLED complex<double> xlogy(complex<double> x, complex<double> y) { return scaled_log(x, y, log(y)); }
GPUARRAY_CALLED complex<double> xlog1py(complex<double> x, complex<double> y) { return scaled_log(x, y, log1p(y)); }

// (exp(power * logarithm) - 1) / power. The logarithm has two doubles: exp magnifies the error of its argument.
template <class W> GPUARRAY_DEVICE double power_minus_one(W logarithm, double power) {
    const W exponent = logarithm * power;
    if (exponent.hi < 709.78) {
        if (::fabs(exponent.hi) < 0.5) return ::expm1(exponent.hi) / power * (1 + exponent.lo / exponent.hi);
        return (exp_of(exponent) - 1) / power;
    }
    return ::copysign(1.0, power) * exp_of(exponent - log_of(W(::fabs(power)))) - 1 / power;
}

template <class W> GPUARRAY_CALLED double boxcox(double x, double power) {
    // The limit, also where x**power has no logarithm of two doubles: 0, infinity, negative numbers, NaN.
    if (::fabs(power) < 1e-19) return ::log(x);
    if (!(x > 0 && isfinite(x)) || !isfinite(power)) {
        const double exponent = power * ::log(x);
        return exponent < 709.78 ? ::expm1(exponent) / power
                                 : ::copysign(1.0, power) * ::exp(exponent - ::log(::fabs(power))) - 1 / power;
    }
    return x == 1 ? 0.0 : power_minus_one(log_of(W(x)), power);
}

template <class W> GPUARRAY_CALLED double boxcox1p(double x, double power) {
    const double logarithm = ::log1p(x);
    if (::fabs(power) < 1e-19 || (::fabs(logarithm) < 1e-289 && ::fabs(power) < 1e273)) return logarithm;
    const double exponent = power * logarithm;
    if (::fabs(exponent) < 0.5) return ::expm1(exponent) / power;
    if (!(x > -1 && isfinite(x)) || !isfinite(power)) {
        return exponent < 709.78 ? ::expm1(exponent) / power
                                 : ::copysign(1.0, power) * ::exp(exponent - ::log(::fabs(power))) - 1 / power;
    }
    if (::fabs(x) < 1e-3) {
        // One double of the logarithm, and the rounding of its product.
        return power_minus_one(W(logarithm), power);
    }
    return power_minus_one(log_of(sum_of<W>(1.0, x)), power);
}

// The logarithm of (1 + power x)**(1 / power); NaN where it has none.
template <class W> GPUARRAY_DEVICE W inverse_exponent(double x, double power) {
    const double scaled = power * x;
    if (!isfinite(scaled)) {
        // x + 1/power is x here, to all digits.
        const double logarithm = ::log(::copysign(1.0, power) * (x + 1 / power)) + ::log(::fabs(power));
        return W(logarithm / power);
    }
    if (::fabs(scaled) < 1e-3 || !(scaled > -1)) return W(::log1p(scaled) / power);
    const W wide = product_of<W>(power, x) + 1.0;
    return wide.hi > 0 ? log_of(wide) / power : W(::log1p(scaled) / power);
}

template <class W> GPUARRAY_CALLED double inv_boxcox(double x, double power) {
    if (power == 0) return ::exp(x);
    const W exponent = inverse_exponent<W>(x, power);
    return isfinite(exponent.hi) ? exp_of(exponent) : ::exp(exponent.hi);
}

template <class W> GPUARRAY_CALLED double inv_boxcox1p(double x, double power) {
    if (power == 0) return ::expm1(x);
    if (::fabs(power * x) < 1e-154) return x;
    const W exponent = inverse_exponent<W>(x, power);
    if (!isfinite(exponent.hi) || ::fabs(exponent.hi) < 0.5) return ::expm1(exponent.hi);
    return exp_of(exponent) - 1;
}

}  // namespace special
}  // namespace gpuarray
