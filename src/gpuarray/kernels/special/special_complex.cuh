// Conversions between the complex numbers of a loop and those that special functions compute with.
#pragma once

#include "gpuarray/complex_math.cuh"
#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

template <class V> GPUARRAY_DEVICE complex<double> wide(complex<V> z) { return complex<double>(z.real, z.imag); }
template <class V> GPUARRAY_DEVICE complex<V> narrow(complex<double> z) { return complex<V>(V(z.real), V(z.imag)); }

}  // namespace special
using special::wide;
}  // namespace gpuarray
