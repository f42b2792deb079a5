// Bessel functions of orders 0 and 1 of a real argument.
//
// Near zero: polynomials, with the first zeros of J as factors, and the logarithms of DLMF 10.8.2 and 10.31.2 taken out
// of Y and K. Far away: polynomials in 1/x of what DLMF 10.17 and 10.40 expand asymptotically.
#pragma once

#include "gpuarray/special_bessel_single.cuh"
#include "gpuarray/special_bessel_tables.cuh"
#include "gpuarray/special_chebyshev.cuh"

namespace gpuarray {
namespace special {

// sqrt(2 / (pi x)) (P cos(x - c) - Q sin(x - c)) with c = (2 order + 1) pi / 4, or its companion with sine and cosine.
template <int Order, bool Second> GPUARRAY_CALLED double bessel_wave(double x) {
    const double inverse = 1 / x, t = 50 * inverse * inverse - 1;
    const double p = Order == 0 ? bessel_p0_large(t) : bessel_p1_large(t);
    const double q = inverse * (Order == 0 ? bessel_q0_large(t) : bessel_q1_large(t));
    double sine, cosine;
    ::sincos(x, &sine, &cosine);
    // sqrt(2) times sine and cosine of x - c
    const double s = Order == 0 ? sine - cosine : -(sine + cosine);
    const double c = Order == 0 ? sine + cosine : sine - cosine;
    const double wave = Second ? ::fma(p, s, q * c) : ::fma(p, c, -q * s);
    return 0.5641895835477563 * wave * ::rsqrt(x);  // 1 / sqrt(pi)
}

GPUARRAY_CALLED double j0(double x) {
    x = ::fabs(x);
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<0, false>(x);
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

GPUARRAY_CALLED double i0e(double x) {
    x = ::fabs(x);
    return x <= 8 ? ::exp(-x) * bessel_i0_series(x * x / 4) : bessel_i0e_large(16 / x - 1) * ::rsqrt(x);
}
GPUARRAY_CALLED double i1e(double x) {
    const double magnitude = ::fabs(x);
    return magnitude <= 8 ? ::exp(-magnitude) * (x / 2) * bessel_i1_series(x * x / 4)
                          : ::copysign(bessel_i1e_large(16 / magnitude - 1) * ::rsqrt(magnitude), x);
}
// SciPy has NaN at infinity. exp(x) overflows where the scaled function still brings the product back into the range.
GPUARRAY_DEVICE double unscaled(double x, double scaled) {
    if (isinf(x)) return not_a_number();
    return x > 709 ? ::exp(x / 2) * scaled * ::exp(x / 2) : ::exp(x) * scaled;
}
GPUARRAY_CALLED double i0(double x) {
    x = ::fabs(x);
    return x <= 8 ? bessel_i0_series(x * x / 4) : unscaled(x, bessel_i0e_large(16 / x - 1) * ::rsqrt(x));
}
GPUARRAY_CALLED double i1(double x) {
    const double magnitude = ::fabs(x);
    if (magnitude <= 8) return x / 2 * bessel_i1_series(x * x / 4);
    return ::copysign(unscaled(magnitude, bessel_i1e_large(16 / magnitude - 1) * ::rsqrt(magnitude)), x);
}

GPUARRAY_CALLED double k0(double x) {
    if (x > 0.5) return ::exp(-x) * bessel_k0e_large(1 / x - 1) * ::rsqrt(x);
    if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
    return bessel_k0_small(8 * x * x - 1) - ::log(x / 2) * bessel_i0_near(x * x / 4);
}
GPUARRAY_CALLED double k0e(double x) {
    return x > 0.5 ? bessel_k0e_large(1 / x - 1) * ::rsqrt(x) : ::exp(x) * k0(x);
}
GPUARRAY_CALLED double k1(double x) {
    if (x > 0.5) return ::exp(-x) * bessel_k1e_large(1 / x - 1) * ::rsqrt(x);
    if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
    return 1 / x + x * bessel_k1_small(8 * x * x - 1) + ::log(x / 2) * (x / 2) * bessel_i1_near(x * x / 4);
}
GPUARRAY_CALLED double k1e(double x) {
    return x > 0.5 ? bessel_k1e_large(1 / x - 1) * ::rsqrt(x) : ::exp(x) * k1(x);
}

}  // namespace special
}  // namespace gpuarray
