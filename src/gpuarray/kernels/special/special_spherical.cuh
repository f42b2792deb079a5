// Spherical Bessel functions of whole order (DLMF 10.47) and their derivatives (10.51).
#pragma once

#include "gpuarray/special_bessel.cuh"

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE double spherical_scale(double x) { return 1.2533141373155003 / ::sqrt(x); }

GPUARRAY_CALLED double spherical_jn(double n, double x) {
    if (isnan(x) || n < 0) return not_a_number();
    if (isinf(x)) return 0;
    const double size = ::fabs(x), sign = x < 0 ? odd_sign(n) : 1;
    if (size == 0) return n == 0 ? 1 : 0;
    if (n == 0) return ::sin(x) / x;
    if (n == 1 && size > 1) return (::sin(x) / x - ::cos(x)) / x;
    if (size * size < n + 1) {
        // (2 n + 1)!! in the denominator; no square root of a tiny number
        if (n > 1000) return sign * 0.0;  // below the range
        dd term(1.0);
        for (int k = 1; k <= int(n); ++k) term = term * size / double(2 * k + 1);
        return sign * term.hi * power_series(n + 0.5, -size * size / 4);
    }
    return sign * spherical_scale(size) * ordinary_bessel(n + 0.5, size).j;
}
GPUARRAY_CALLED double spherical_yn(double n, double x) {
    if (isnan(x) || n < 0) return not_a_number();
    const double size = ::fabs(x), sign = x < 0 ? -odd_sign(n) : 1;
    if (isinf(x)) return 0;
    if (size == 0) return -infinity();
    if (n == 0) return -::cos(x) / x;
    return sign * spherical_scale(size) * ordinary_bessel(n + 0.5, size).y;
}
GPUARRAY_CALLED double spherical_in(double n, double x) {
    if (isnan(x) || n < 0) return not_a_number();
    const double size = ::fabs(x), sign = x < 0 ? odd_sign(n) : 1;
    if (isinf(x)) return sign * infinity();
    if (size == 0) return n == 0 ? 1 : 0;
    if (size * size < n + 1) {
        if (n > 1000) return sign * 0.0;  // below the range
        dd term(1.0);
        for (int k = 1; k <= int(n); ++k) term = term * size / double(2 * k + 1);
        return sign * term.hi * power_series(n + 0.5, size * size / 4);
    }
    return sign * spherical_scale(size) * iv(n + 0.5, size);
}
GPUARRAY_CALLED double spherical_kn(double n, double x) {
    if (isnan(x) || n < 0) return not_a_number();
    if (x == 0) return infinity();
    if (isinf(x)) return x > 0 ? 0 : -infinity();
    if (x > 0) return spherical_scale(x) * kv(n + 0.5, x);
    // DLMF 10.47.11 with the parities of 10.47(v)
    return -3.141592653589793 * spherical_in(n, -x) - odd_sign(n) * spherical_scale(-x) * kv(n + 0.5, -x);
}

GPUARRAY_CALLED Complex spherical_complex_scale(Complex z) { return 1.2533141373155003 / principal_root(z); }
GPUARRAY_CALLED Complex spherical_jn(double n, Complex z) {
    if (gpuarray::isnan(z) || n < 0) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(n == 0, 0);
    if (isinf(z.real)) return z.imag == 0 ? Complex(0, 0) : Complex(infinity(), infinity());
    if (z.real < 0) return odd_sign(n) * spherical_complex_scale(-z) * jv(n + 0.5, -z);
    return spherical_complex_scale(z) * jv(n + 0.5, z);
}
GPUARRAY_CALLED Complex spherical_yn(double n, Complex z) {
    if (gpuarray::isnan(z) || n < 0) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(not_a_number(), 0);
    if (isinf(z.real)) return z.imag == 0 ? Complex(0, 0) : Complex(infinity(), infinity());
    if (z.real < 0) return -odd_sign(n) * spherical_complex_scale(-z) * yv(n + 0.5, -z);
    return spherical_complex_scale(z) * yv(n + 0.5, z);
}
GPUARRAY_CALLED Complex spherical_in(double n, Complex z) {
    if (gpuarray::isnan(z) || n < 0) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(n == 0, 0);
    if (isinf(z.real) && z.imag == 0) return Complex(z.real < 0 ? odd_sign(n) * infinity() : infinity(), 0);
    if (z.real < 0) return odd_sign(n) * spherical_complex_scale(-z) * iv(n + 0.5, -z);
    return spherical_complex_scale(z) * iv(n + 0.5, z);
}
GPUARRAY_CALLED Complex spherical_kn(double n, Complex z) {
    if (gpuarray::isnan(z) || n < 0) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(not_a_number(), 0);
    if (isinf(z.real) && z.imag == 0) return Complex(z.real > 0 ? 0 : -infinity(), 0);
    return spherical_complex_scale(z) * kv(n + 0.5, z);
}

// DLMF 10.51.2 and 10.51.5, with the limits at zero.
template <class T> GPUARRAY_CALLED T spherical_jn_derivative(double n, T z) {
    if (n == 0) return -spherical_jn(1, z);
    if (is_zero(z)) return T(n == 1 ? 1.0 / 3 : 0);
    return spherical_jn(n - 1, z) - (n + 1) * spherical_jn(n, z) / z;
}
template <class T> GPUARRAY_CALLED T spherical_yn_derivative(double n, T z) {
    if (n == 0) return -spherical_yn(1, z);
    return spherical_yn(n - 1, z) - (n + 1) * spherical_yn(n, z) / z;
}
template <class T> GPUARRAY_CALLED T spherical_in_derivative(double n, T z) {
    if (n == 0) return spherical_in(1, z);
    if (is_zero(z)) return T(n == 1 ? 1.0 / 3 : 0);
    return spherical_in(n - 1, z) - (n + 1) * spherical_in(n, z) / z;
}
template <class T> GPUARRAY_CALLED T spherical_kn_derivative(double n, T z) {
    if (n == 0) return -spherical_kn(1, z);
    return -spherical_kn(n - 1, z) - (n + 1) * spherical_kn(n, z) / z;
}

}  // namespace special
}  // namespace gpuarray
