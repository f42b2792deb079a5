// Complex numbers of which each part is a sum of two doubles.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_numbers.cuh"

namespace gpuarray {
namespace special {

struct ddc {
    dd real, imag;
    GPUARRAY_DEVICE ddc(double real) : real(real), imag(0.0) {}
    GPUARRAY_DEVICE ddc(dd real, dd imag) : real(real), imag(imag) {}
    GPUARRAY_DEVICE ddc(Complex z) : real(z.real), imag(z.imag) {}
};

GPUARRAY_DEVICE ddc operator-(ddc a) { return ddc(-a.real, -a.imag); }
GPUARRAY_DEVICE ddc operator+(ddc a, ddc b) { return ddc(a.real + b.real, a.imag + b.imag); }
GPUARRAY_DEVICE ddc operator-(ddc a, ddc b) { return ddc(a.real - b.real, a.imag - b.imag); }
GPUARRAY_CALLED ddc operator*(ddc a, ddc b) {
    return ddc(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
}
GPUARRAY_DEVICE ddc operator*(ddc a, dd b) { return ddc(a.real * b, a.imag * b); }
GPUARRAY_DEVICE ddc operator*(ddc a, double b) { return ddc(a.real * b, a.imag * b); }
GPUARRAY_DEVICE ddc operator/(ddc a, dd b) { return a * (dd(1.0) / b); }
GPUARRAY_DEVICE ddc operator/(ddc a, double b) { return a / dd(b); }
GPUARRAY_DEVICE ddc operator/(ddc a, ddc b) {
    return a * ddc(b.real, -b.imag) / (b.real * b.real + b.imag * b.imag);
}
GPUARRAY_DEVICE Complex rounded(ddc a) { return Complex(rounded(a.real), rounded(a.imag)); }
GPUARRAY_DEVICE double magnitude(ddc a) { return ::hypot(a.real.hi, a.imag.hi); }

}  // namespace special
}  // namespace gpuarray
