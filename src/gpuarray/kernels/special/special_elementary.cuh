// Exponentials, logarithms, powers and what statistics makes of them.
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_logarithms.cuh"

namespace gpuarray {
namespace special {

template <class T> GPUARRAY_DEVICE T cosm1(T x) {
    const T s = ::sin(x / 2);
    return 0 - 2 * s * s;  // not a negative zero
}

template <class T> GPUARRAY_DEVICE T exprel(T x) {
    if (isinf(x)) return x > 0 ? x : T(0);
    return x == 0 ? T(1) : ::expm1(x) / x;
}

// log(1 + x) - x. Near zero the atanh series of s = x / (2 + x): log(1 + x) = 2s (1 + s^2/3 + ...) and x = 2s + s x.
GPUARRAY_CALLED double log1pmx(double x) {
    if (!(x > -0.5 && x < 1)) return ::log1p(x) - x;
    const double s = x / (2 + x), z = s * s;
    return s * (z * fit_atanh_wide(z) - x);
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

GPUARRAY_DEVICE double boxcox_usual(double x, double power) {
    const dd log = log_by_table<true>(dd(x)), exponent(log.hi * power, ::fma(log.hi, power, -(log.hi * power)));
    return rounded(quotient_dd(expm1_usual(dd(exponent.hi, ::fma(log.lo, power, exponent.lo))), power));
}
template <class W> GPUARRAY_CALLED double boxcox_of(double x, double power) {
    // x between 2^-300 and 2^300, the magnitude of power between 2^-63 and 3
    const bool usual = upper_word(x) - 0x2d300000u < 0x25800000u;
    if (W::COMPENSATED && usual && (upper_word(power) & 0x7fffffffu) - 0x3c000000u < 0x04080000u) {
        return boxcox_usual(x, power);
    }
    // The limit, also where x**power has no logarithm of two doubles: 0, infinity, negative numbers, NaN.
    if (::fabs(power) < 1e-19) return ::log(x);
    if (!(x > 0 && isfinite(x)) || !(::fabs(power) < 1e300)) {
        const double exponent = power * ::log(x);
        return exponent < 709.78 ? ::expm1(exponent) / power
                                 : ::copysign(1.0, power) * ::exp(exponent - ::log(::fabs(power))) - 1 / power;
    }
    return x == 1 ? 0.0 : power_minus_one(log_of(W(x)), power);
}

GPUARRAY_DEVICE double boxcox(double x, double power) { return boxcox_of<dd>(x, power); }
GPUARRAY_DEVICE float boxcox(float x, float power) {
    // Exponents of 2 are below 100.
    const bool usual = x > 1e-15f && x < 1e15f && ::fabsf(power) > 1e-15f && ::fabsf(power) < 2.0f;
    return usual ? boxcox_usual(x, power) : float(boxcox_of<plain>(x, power));
}

template <class W> GPUARRAY_CALLED double boxcox1p(double x, double power) {
    const double logarithm = ::log1p(x);
    if (::fabs(power) < 1e-19 || (::fabs(logarithm) < 1e-289 && ::fabs(power) < 1e273)) return logarithm;
    const double exponent = power * logarithm;
    if (::fabs(exponent) < 0.5) return ::expm1(exponent) / power;
    if (!(x > -1 && isfinite(x)) || !(::fabs(power) < 1e300)) {
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
    if (::fabs(scaled) < 1e-3) {
        // log1p(scaled) / power as the sum of x and a small rest in two doubles: exp multiplies the rounding error of a
        // large exponent.
        const double c[] = {-0.5, 1.0 / 3, -0.25, 0.2, -1.0 / 6};
        return sum_of<W>(x, x * (scaled * polynomial(c, scaled)));
    }
    if (!(scaled > -1)) return W(::log1p(scaled) / power);
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
