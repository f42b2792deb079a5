// Bessel functions of orders 0 and 1 of a real argument.
//
// Near zero: polynomials, with the first zeros of J as factors, and the logarithms of DLMF 10.8.2 and 10.31.2 taken out
// of Y and K. Far away: polynomials in 1/x of what DLMF 10.17 and 10.40 expand asymptotically.
#pragma once

#include "gpuarray/special_bessel_single.cuh"
#include "gpuarray/special_bessel_tables.cuh"
#include "gpuarray/special_chebyshev.cuh"
#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_double_fits.cuh"

namespace gpuarray {
namespace special {

// 1/x and 1/sqrt(x) of a number above 1/2, infinity too.
GPUARRAY_DEVICE double inverse_of(double x) { return x < 1e300 ? reciprocal52(x) : 1 / x; }
// Two of Newton's steps from 20 bits, in one of the third order.
GPUARRAY_DEVICE double improved_inverse_root(double x, double r) {
    const double rest = ::fma(-x * r, r, 1.0);
    return ::fma(r * rest, ::fma(rest, 0.375, 0.5), r);
}
GPUARRAY_DEVICE double rough_inverse_root(double x) {
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
GPUARRAY_DEVICE double inverse_root_of(double x) {
    const double r = rough_inverse_root(x);
    return r > 0 ? improved_inverse_root(x, r) : r;
}

// sqrt(2 / (pi x)) (P cos(x - c) - Q sin(x - c)) with c = (2 order + 1) pi / 4, or its companion with sine and cosine.
template <int Order, bool Second> GPUARRAY_CALLED double bessel_wave(double x) {
    const double inverse = inverse_of(x), t = ::fma(50 * inverse, inverse, -1.0);
    const double p = Order == 0 ? bessel_p0_large(t) : bessel_p1_large(t);
    const double q = inverse * (Order == 0 ? bessel_q0_large(t) : bessel_q1_large(t));
    double sine, cosine;
    ::sincos(x, &sine, &cosine);
    // sqrt(2) times sine and cosine of x - c
    const double s = Order == 0 ? sine - cosine : -(sine + cosine);
    const double c = Order == 0 ? sine + cosine : sine - cosine;
    const double wave = Second ? ::fma(p, s, q * c) : ::fma(p, c, -q * s);
    return 0.5641895835477563 * wave * inverse_root_of(x);  // 1 / sqrt(pi)
}

GPUARRAY_CALLED double j0(double x) {
    x = ::fabs(x);
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<0, false>(x);
    if (x < 1e-4) return 1 - x * x * 0.25;  // the product's rounding would leave 1
    const double first = (x - 2.404825557695773) + 1.176691651530894e-16;
    const double second = (x - 5.520078110286311) - 8.088597146146722e-17;
    return first * (x + 2.404825557695773) * second * (x + 5.520078110286311) * bessel_j0_small(::fma(0.08 * x, x, -1.0));
}
GPUARRAY_CALLED double j1(double x) {
    const double magnitude = ::fabs(x);
    if (magnitude > 5) return isinf(x) ? not_a_number() : ::copysign(1.0, x) * bessel_wave<1, false>(magnitude);
    const double zero = (magnitude - 3.8317059702075125) + 1.5269184090088067e-16;
    return x * zero * (magnitude + 3.8317059702075125) * bessel_j1_small(::fma(0.08 * x, x, -1.0));
}
GPUARRAY_CALLED double y0(double x) {
    if (!(x > 0)) return x == 0 ? -infinity() : not_a_number();
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<0, true>(x);
    return ::fma(0.6366197723675814 * ::log(x), j0(x), bessel_y0_small(::fma(0.08 * x, x, -1.0)));
}
GPUARRAY_CALLED double y1(double x) {
    if (!(x > 0)) return x == 0 ? -infinity() : not_a_number();
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<1, true>(x);
    const double rest = 0.6366197723675814 * ::fma(::log(x), j1(x), -1 / x);
    return ::fma(x, bessel_y1_small(::fma(0.08 * x, x, -1.0)), rest);
}

// I0(x) and 2 I1(x) / x for x in [0, 15]. What x^2 / 4 was rounded by counts: the logarithms' derivatives are about
// 1 / (x / 2 + 1 / 2).
template <int Order> GPUARRAY_DEVICE double i_small(double x) {
    const double half = 0.5 * x, square = half * half;
    const double value = Order == 0 ? fit_i0_wide(square) : fit_i1_wide(square);
    return ::fma(value, ::fma(half, half, -square) * reciprocal20(half + 0.5), value);
}
GPUARRAY_DEVICE double i0e_large(double x) {
    return fit_i0_scaled_wide(::fma(30.0, inverse_of(x), -1.0)) * inverse_root_of(x);
}
GPUARRAY_DEVICE double i1e_large(double x) {
    return fit_i1_scaled_wide(::fma(30.0, inverse_of(x), -1.0)) * inverse_root_of(x);
}
GPUARRAY_DEVICE double k0e_large(double x) { return bessel_k0e_large(inverse_of(x) - 1) * inverse_root_of(x); }
GPUARRAY_DEVICE double k1e_large(double x) { return bessel_k1e_large(inverse_of(x) - 1) * inverse_root_of(x); }

GPUARRAY_CALLED double i0e(double x) {
    x = ::fabs(x);
    return x <= 15 ? ScaledPower(-x).of(i_small<0>(x)) : i0e_large(x);
}
GPUARRAY_CALLED double i1e(double x) {
    const double size = ::fabs(x);
    return size <= 15 ? ScaledPower(-size).of(x * 0.5 * i_small<1>(size)) : ::copysign(i1e_large(size), x);
}
// SciPy has NaN at infinity. exp(x) overflows where the scaled function still brings the product back into the range.
template <int Order> GPUARRAY_CALLED double i_far(double x) {
    return isinf(x) ? not_a_number() : ::exp(x / 2) * (Order == 0 ? i0e_large(x) : i1e_large(x)) * ::exp(x / 2);
}
// Below 708. Both ways at once: elements side by side share what they load.
template <int Order> GPUARRAY_DEVICE double i_near(double x, double factor) {
    const double t = ::fma(30.0, reciprocal52(x), -1.0), small = factor * i_small<Order>(x);
    const double scaled = Order == 0 ? fit_i0_scaled_wide(t) : fit_i1_scaled_wide(t);
    const double large = ScaledPower(x).of(scaled * improved_inverse_root(x, rough_inverse_root(x)));
    return upper_word(x) < 0x402e0000u ? small : large;  // 15
}
GPUARRAY_DEVICE double i0(double x) {
    x = ::fabs(x);
    return upper_word(x) < 0x40862000u ? i_near<0>(x, 1.0) : i_far<0>(x);
}
GPUARRAY_DEVICE double i1(double x) {
    const double size = ::fabs(x);
    return ::copysign(upper_word(size) < 0x40862000u ? i_near<1>(size, 0.5 * size) : i_far<1>(size), x);
}

GPUARRAY_CALLED double k0(double x) {
    if (x > 0.5) return exp_dd(-x) * k0e_large(x);
    if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
    return bessel_k0_small(8 * x * x - 1) - ::log(x / 2) * bessel_i0_near(x * x / 4);
}
GPUARRAY_CALLED double k0e(double x) { return x > 0.5 ? k0e_large(x) : ::exp(x) * k0(x); }
GPUARRAY_CALLED double k1(double x) {
    if (x > 0.5) return exp_dd(-x) * k1e_large(x);
    if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
    return 1 / x + x * bessel_k1_small(8 * x * x - 1) + ::log(x / 2) * (x / 2) * bessel_i1_near(x * x / 4);
}
GPUARRAY_CALLED double k1e(double x) { return x > 0.5 ? k1e_large(x) : ::exp(x) * k1(x); }

}  // namespace special
}  // namespace gpuarray
