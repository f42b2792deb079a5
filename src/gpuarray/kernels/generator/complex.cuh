// Complex numbers with NumPy's arithmetic and order. V is float or double.
//
// The alignment is that of V, as in NumPy: an element of a complex128 view may lie at any multiple of 8 bytes.
// Contiguous kernels still move 16 bytes at a time where the pointer allows it.
#pragma once

#include "gpuarray/floating.cuh"

namespace gpuarray {

template <class V> struct complex {
    typedef V value_type;
    V real, imag;

    complex() = default;
    GPUARRAY_DEVICE explicit complex(V real, V imag = 0) : real(real), imag(imag) {}

    GPUARRAY_DEVICE friend complex operator-(complex a) { return complex(negative(a.real), negative(a.imag)); }
    GPUARRAY_DEVICE friend complex operator+(complex a, complex b) {
        return complex(a.real + b.real, a.imag + b.imag);
    }
    GPUARRAY_DEVICE friend complex operator-(complex a, complex b) {
        return complex(a.real - b.real, a.imag - b.imag);
    }
    GPUARRAY_DEVICE friend complex operator*(complex a, complex b) {
        return complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
    }
    GPUARRAY_DEVICE friend complex operator*(complex a, V b) { return complex(a.real * b, a.imag * b); }

    // NumPy's order: by real part, then by imaginary part; a NaN makes it false.
    GPUARRAY_DEVICE friend bool operator==(complex a, complex b) { return a.real == b.real && a.imag == b.imag; }
    GPUARRAY_DEVICE friend bool operator!=(complex a, complex b) { return a.real != b.real || a.imag != b.imag; }
    GPUARRAY_DEVICE friend bool operator<(complex a, complex b) {
        return (a.real < b.real && a.imag == a.imag && b.imag == b.imag) || (a.real == b.real && a.imag < b.imag);
    }
    GPUARRAY_DEVICE friend bool operator<=(complex a, complex b) {
        return (a.real < b.real && a.imag == a.imag && b.imag == b.imag) || (a.real == b.real && a.imag <= b.imag);
    }
    GPUARRAY_DEVICE friend bool operator>(complex a, complex b) { return b < a; }
    GPUARRAY_DEVICE friend bool operator>=(complex a, complex b) { return b <= a; }
};

template <class V> GPUARRAY_DEVICE bool isnan(complex<V> z) { return isnan(z.real) || isnan(z.imag); }
template <class V> GPUARRAY_DEVICE bool isinf(complex<V> z) { return isinf(z.real) || isinf(z.imag); }
template <class V> GPUARRAY_DEVICE bool isfinite(complex<V> z) { return isfinite(z.real) && isfinite(z.imag); }

// Smith's algorithm in NumPy's order of operations.
template <class V> GPUARRAY_DEVICE complex<V> divide(complex<V> a, complex<V> b) {
    const V real = ::fabs(b.real), imag = ::fabs(b.imag);
    if (real >= imag) {
        if (real == 0 && imag == 0) return complex<V>(a.real / real, a.imag / real);
        const V ratio = b.imag / b.real, scale = V(1) / (b.real + b.imag * ratio);
        return complex<V>((a.real + a.imag * ratio) * scale, (a.imag - a.real * ratio) * scale);
    }
    const V ratio = b.real / b.imag, scale = V(1) / (b.imag + b.real * ratio);
    return complex<V>((a.real * ratio + a.imag) * scale, (a.imag * ratio - a.real) * scale);
}

template <class V> GPUARRAY_DEVICE complex<V> reciprocal(complex<V> z) {
    if (::fabs(z.imag) <= ::fabs(z.real)) {
        const V ratio = z.imag / z.real, scale = z.real + z.imag * ratio;
        return complex<V>(V(1) / scale, -ratio / scale);
    }
    const V ratio = z.real / z.imag, scale = z.real * ratio + z.imag;
    return complex<V>(ratio / scale, V(-1) / scale);
}

// z / |z|, with the limit where only one part is infinite.
template <class V> GPUARRAY_DEVICE complex<V> sign(complex<V> z) {
    const V magnitude = ::hypot(z.real, z.imag);
    if (magnitude == 0) return complex<V>(0, 0);
    if (isinf(z)) {
        const V real = isinf(z.real) ? ::copysign(V(1), z.real) : V(0);
        const V imag = isinf(z.imag) ? ::copysign(V(1), z.imag) : V(0);
        // Two infinite parts have no direction.
        return real != 0 && imag != 0 ? complex<V>(z.imag - z.imag, z.imag - z.imag) : complex<V>(real, imag);
    }
    return complex<V>(z.real / magnitude, z.imag / magnitude);
}

// NumPy's clip compares without looking for NaN in the bounds, unlike its comparisons.
template <class V> GPUARRAY_DEVICE bool precedes(complex<V> a, complex<V> b) {
    return a.real == b.real ? a.imag < b.imag : a.real < b.real;
}
template <class V> GPUARRAY_DEVICE complex<V> clip(complex<V> x, complex<V> low, complex<V> high) {
    const complex<V> raised = isnan(x) || precedes(low, x) ? x : low;
    return isnan(raised) || precedes(raised, high) ? raised : high;
}

}  // namespace gpuarray
