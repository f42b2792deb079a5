// Bessel functions of orders 0 and 1 of a float32: the formulas of special_bessel_orders01.cuh with shorter
// polynomials.
#pragma once

#include "gpuarray/special_bessel_fits.cuh"
#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

// The sine and the cosine of an angle, and those of an angle some quarters of a turn further.
struct Waves {
    float sine, cosine;

    GPUARRAY_DEVICE Waves turned(int count) const {
        const float s = count & 1 ? cosine : sine, c = count & 1 ? -sine : cosine;
        return Waves{count & 2 ? -s : s, count & 2 ? -c : c};
    }
};

// Those of x - pi/4.
GPUARRAY_CALLED Waves waves_of_large(float x) {
    float s, c;
    ::sincosf(x, &s, &c);
    return Waves{0.707106781f * (s - c), 0.707106781f * (s + c)};
}
GPUARRAY_DEVICE Waves waves(float x) {
    if (x > 1e6f) return waves_of_large(x);
    // The distance to an odd multiple of pi/4; pi/2 has three parts, and the first product is subtracted exactly.
    const float turns = ::rintf(::fmaf(x, 0.636619772f, -0.5f)), middle = turns + 0.5f;
    float r = ::fmaf(-middle, 1.57079637f, x);
    r = ::fmaf(-middle, -4.37113883e-08f, r);
    r = ::fmaf(-middle, -1.71512489e-15f, r);
    const float z = r * r;
    const Waves near = {::fmaf(r * z, fit_sine(z), r),
                        ::fmaf(z * z, fit_cosine(z), ::fmaf(-0.5f, z, 1.0f))};
    return near.turned(int(turns));
}

// The polynomials have the factor sqrt(2 / pi): sqrt(2 / (pi x)) (P cos(x - c) - Q sin(x - c)) with c = (2 order + 1)
// pi / 4, or its companion with sine and cosine.
template <int Order, bool Second> GPUARRAY_DEVICE float bessel_wave(float x) {
    const float r = reciprocal23(x), z = r * r;
    const float p = Order == 0 ? fit_p0(z) : fit_p1(z), q = r * (Order == 0 ? fit_q0(z) : fit_q1(z));
    const Waves at = waves(x).turned(Order == 1 ? 3 : 0);
    const float wave = Second ? ::fmaf(p, at.sine, q * at.cosine) : ::fmaf(p, at.cosine, -q * at.sine);
    return inverse_root(x) * wave;
}

// For 0 <= x <= 5, with the squares of the zeros in two parts.
GPUARRAY_DEVICE float squared_from_middle(float x) { return ::fmaf(x, x, -12.5f); }
GPUARRAY_DEVICE float j0_near(float x) {
    const float first = ::fmaf(x, x, -5.78318596f) - 4.08447987e-09f;
    const float second = ::fmaf(x, x, -30.471262f) - 3.65512676e-07f;
    return first * second * fit_j0(squared_from_middle(x));
}
GPUARRAY_DEVICE float j1_near(float x) {
    return x * ((::fmaf(x, x, -14.6819706f) - 4.58104168e-08f) * fit_j1(squared_from_middle(x)));
}

GPUARRAY_DEVICE float j0(float x) {
    x = ::fabsf(x);
    return x > 5 ? bessel_wave<0, false>(x) : j0_near(x);
}
GPUARRAY_DEVICE float j1(float x) {
    const float size = ::fabsf(x), value = size > 5 ? bessel_wave<1, false>(size) : j1_near(size);
    return float_from_bits(float_bits(value) ^ (float_bits(x) & 0x80000000u));
}
// 2/pi x + a b
GPUARRAY_DEVICE float with_two_over_pi(float x, float a, float b) {
    return ::fmaf(x, 0.636619747f, ::fmaf(a, b, x * 2.56825533e-08f));
}
GPUARRAY_DEVICE float y0(float x) {
    if (x > 5) return bessel_wave<0, true>(x);
    return with_two_over_pi(::logf(x) * j0_near(x), 1.0f, fit_y0(squared_from_middle(x)));
}
GPUARRAY_DEVICE float y1(float x) {
    if (x > 5) return bessel_wave<1, true>(x);
    const float log = ::logf(x);
    // At zero and below it the logarithm decides.
    return x > 0 ? with_two_over_pi(::fmaf(log, j1_near(x), -1 / x), x, fit_y1(squared_from_middle(x))) : log;
}

// I times exp(-x) beyond 5.
GPUARRAY_DEVICE float i0_far(float x) { return inverse_root(x) * fit_i0_scaled(reciprocal23(x)); }
GPUARRAY_DEVICE float i1_far(float x) { return inverse_root(x) * fit_i1_scaled(reciprocal23(x)); }
// exp(x) times the scaled function; SciPy has NaN at infinity.
GPUARRAY_DEVICE float unscaled(float x, float scaled) {
    return isinf(x) ? float(not_a_number()) : exp2_times(double(x) * 1.4426950408889634, scaled);
}
GPUARRAY_DEVICE float i0(float x) {
    x = ::fabsf(x);
    return x > 5 ? unscaled(x, i0_far(x)) : fit_i0(x * x);
}
GPUARRAY_DEVICE float i0e(float x) {
    x = ::fabsf(x);
    return x > 5 ? i0_far(x) : exp_parts(-x, 0.0f) * fit_i0(x * x);
}
GPUARRAY_DEVICE float i1(float x) {
    const float size = ::fabsf(x);
    const float value = size > 5 ? unscaled(size, i1_far(size)) : size * fit_i1(x * x);
    return ::copysignf(value, x);
}
GPUARRAY_DEVICE float i1e(float x) {
    const float size = ::fabsf(x);
    const float value = size > 5 ? i1_far(size) : exp_parts(-size, 0.0f) * (size * fit_i1(x * x));
    return ::copysignf(value, x);
}

// For 0 <= x <= 1; below zero the logarithm is NaN.
GPUARRAY_DEVICE float k0_near(float x) { return ::fmaf(-::logf(x * 0.5f), fit_i0_near(x * x), fit_k0(x * x)); }
GPUARRAY_DEVICE float k1_near(float x) {
    const float value = x * ::fmaf(::logf(x * 0.5f), fit_i1_near(x * x), fit_k1(x * x)) + 1 / x;
    return x > 0 ? value : -::logf(x);
}
// K times exp(x) beyond 1.
GPUARRAY_DEVICE float k0_far(float x) { return inverse_root(x) * fit_k0_scaled(reciprocal23(x)); }
GPUARRAY_DEVICE float k1_far(float x) { return inverse_root(x) * fit_k1_scaled(reciprocal23(x)); }
GPUARRAY_DEVICE float k0(float x) { return x > 1 ? exp_parts(-x, 0.0f) * k0_far(x) : k0_near(x); }
GPUARRAY_DEVICE float k0e(float x) { return x > 1 ? k0_far(x) : exp_parts(x, 0.0f) * k0_near(x); }
GPUARRAY_DEVICE float k1(float x) { return x > 1 ? exp_parts(-x, 0.0f) * k1_far(x) : k1_near(x); }
GPUARRAY_DEVICE float k1e(float x) { return x > 1 ? k1_far(x) : exp_parts(x, 0.0f) * k1_near(x); }

}  // namespace special
}  // namespace gpuarray
