// What code for real and complex numbers alike needs: operators with numbers on both sides, square root, magnitude.
#pragma once

#include "gpuarray/special_complex.cuh"

namespace gpuarray {
namespace special {

typedef gpuarray::complex<double> Complex;

GPUARRAY_CALLED Complex quotient(Complex a, Complex b) { return gpuarray::divide(a, b); }
GPUARRAY_CALLED Complex principal_root(Complex z) { return gpuarray::sqrt(z); }
GPUARRAY_CALLED Complex principal_log(Complex z) { return gpuarray::log(z); }
GPUARRAY_CALLED Complex exponential(Complex z) { return gpuarray::exp(z); }

GPUARRAY_DEVICE Complex operator+(Complex a, double b) { return Complex(a.real + b, a.imag); }
GPUARRAY_DEVICE Complex operator+(double a, Complex b) { return Complex(a + b.real, b.imag); }
GPUARRAY_DEVICE Complex operator-(Complex a, double b) { return Complex(a.real - b, a.imag); }
GPUARRAY_DEVICE Complex operator-(double a, Complex b) { return Complex(a - b.real, -b.imag); }
GPUARRAY_DEVICE Complex operator*(double a, Complex b) { return Complex(a * b.real, a * b.imag); }
GPUARRAY_DEVICE Complex operator/(Complex a, double b) { return Complex(a.real / b, a.imag / b); }
GPUARRAY_DEVICE Complex operator/(Complex a, Complex b) { return quotient(a, b); }
GPUARRAY_DEVICE Complex operator/(double a, Complex b) { return quotient(Complex(a, 0), b); }
GPUARRAY_DEVICE Complex& operator+=(Complex& a, Complex b) { return a = a + b; }
GPUARRAY_DEVICE Complex& operator*=(Complex& a, Complex b) { return a = a * b; }

GPUARRAY_DEVICE double root(double x) { return ::sqrt(x); }
GPUARRAY_DEVICE Complex root(Complex z) { return principal_root(z); }
GPUARRAY_DEVICE double magnitude(double x) { return ::fabs(x); }
GPUARRAY_DEVICE double magnitude(Complex z) { return ::hypot(z.real, z.imag); }
GPUARRAY_DEVICE double real_of(double x) { return x; }
GPUARRAY_DEVICE double real_of(Complex z) { return z.real; }
GPUARRAY_DEVICE bool is_real(double) { return true; }
GPUARRAY_DEVICE bool is_real(Complex z) { return z.imag == 0; }
GPUARRAY_DEVICE bool is_zero(double x) { return x == 0; }
GPUARRAY_DEVICE bool is_zero(Complex z) { return z.real == 0 && z.imag == 0; }
GPUARRAY_DEVICE Complex conjugate(Complex z) { return Complex(z.real, -z.imag); }
// e^(i pi x)
GPUARRAY_DEVICE Complex unit_at(double x) { return Complex(::cospi(x), ::sinpi(x)); }


// 2/3 x^(3/2) of x >= 0, and what rounding took from it.
GPUARRAY_CALLED double airy_phase(double x, double& rest) {
    const double r = ::sqrt(x), low = ::fma(-r, r, x) / (2 * r), whole = x * r, zeta = whole / 1.5;
    rest = (::fma(-1.5, zeta, whole) + ::fma(x, r, -whole) + x * low) / 1.5;
    return zeta;
}

}  // namespace special
}  // namespace gpuarray
