// Floating-point operations that C's maths library lacks or defines differently from NumPy. T is float or double.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

GPUARRAY_DEVICE bool signbit(float x) { return float_bits(x) >> 31; }
GPUARRAY_DEVICE bool signbit(double x) { return float_bits(x) >> 63; }

// On the bits: arithmetic instructions lose the sign of a NaN.
GPUARRAY_DEVICE float negative(float x) { return float_from_bits(float_bits(x) ^ 0x80000000u); }
GPUARRAY_DEVICE double negative(double x) { return float_from_bits(float_bits(x) ^ uint64_t(1) << 63); }
GPUARRAY_DEVICE float absolute(float x) { return float_from_bits(float_bits(x) & 0x7fffffffu); }
GPUARRAY_DEVICE double absolute(double x) { return float_from_bits(float_bits(x) & ~(uint64_t(1) << 63)); }
template <class T> GPUARRAY_DEVICE T copysign(T x, T sign) {
    return signbit(x) == signbit(sign) ? x : negative(x);
}

template <class T> GPUARRAY_DEVICE bool isnan(T x) { return x != x; }
GPUARRAY_DEVICE bool isinf(float x) { return (float_bits(x) & 0x7fffffffu) == 0x7f800000u; }
GPUARRAY_DEVICE bool isinf(double x) { return ::fabs(x) == float_from_bits(uint64_t(0x7ff0000000000000ull)); }
template <class T> GPUARRAY_DEVICE bool isfinite(T x) { return x - x == 0; }

// The distance to the next value away from zero, with the sign of x.
GPUARRAY_DEVICE float spacing(float x) {
    if (isinf(x)) return float_from_bits(0x7fc00000u);
    return x == 0 ? float_from_bits(1u) : isnan(x) ? x : float_from_bits(float_bits(x) + 1) - x;
}
GPUARRAY_DEVICE double spacing(double x) {
    if (isinf(x)) return float_from_bits(uint64_t(0x7ff8000000000000ull));
    return x == 0 ? float_from_bits(uint64_t(1)) : isnan(x) ? x : float_from_bits(float_bits(x) + 1) - x;
}

namespace floating {

// NumPy's npy_divmod: Python's rules, in the order of operations that makes the results exact to the bit.
template <class T> GPUARRAY_DEVICE T divide_with_remainder(T a, T b, T& remainder) {
    T rest = ::fmod(a, b);
    if (b == 0) {
        remainder = rest;
        return a / b;
    }
    T quotient = (a - rest) / b;
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) {
            rest += b;
            quotient -= 1;
        }
    } else {
        rest = ::copysign(T(0), b);
    }
    remainder = rest;
    if (quotient != 0) {
        const T floored = ::floor(quotient);
        return quotient - floored > T(0.5) ? floored + 1 : floored;
    }
    return ::copysign(T(0), a / b);
}
template <class T> GPUARRAY_DEVICE T floor_divide(T a, T b) {
    T rest;
    return divide_with_remainder(a, b, rest);
}
template <class T> GPUARRAY_DEVICE T remainder(T a, T b) {
    T rest;
    divide_with_remainder(a, b, rest);
    return rest;
}

// A NaN anywhere but in an operand that is not chosen propagates: the value's before the bounds'.
template <class T> GPUARRAY_DEVICE T clip(T x, T low, T high) {
    const T raised = x != x || x > low ? x : low;
    return raised != raised || raised < high ? raised : high;
}

// sin(pi x) / (pi x), in NumPy's order of operations.
template <class T> GPUARRAY_DEVICE T sinc_of(T angle) { return angle == 0 ? T(1) : ::sin(angle) / angle; }
// Called: what sinf does with great angles takes the compiler long, and it would be there for each of a thread's elements.
inline __device__ __noinline__ float sinc_called(float angle) { return sinc_of(angle); }
GPUARRAY_DEVICE float sinc(float x) { return sinc_called(3.14159265f * x); }
GPUARRAY_DEVICE double sinc(double x) { return sinc_of(3.141592653589793 * x); }

template <class T> GPUARRAY_DEVICE T logaddexp(T a, T b) {
    // Equal infinities have no difference.
    if (a == b) return a + T(0.693147180559945309417232121458176568);
    const T difference = a - b;
    if (difference > 0) return a + ::log1p(::exp(-difference));
    if (difference <= 0) return b + ::log1p(::exp(difference));
    return difference;
}
template <class T> GPUARRAY_DEVICE T logaddexp2(T a, T b) {
    const T log2e = T(1.442695040888963407359924681001892137);
    if (a == b) return a + 1;
    const T difference = a - b;
    if (difference > 0) return a + log2e * ::log1p(::exp2(-difference));
    if (difference <= 0) return b + log2e * ::log1p(::exp2(difference));
    return difference;
}

// An int64 exponent is clamped: nothing finite needs more.
template <class T> GPUARRAY_DEVICE T ldexp(T x, int64_t exponent) {
    return ::ldexp(x, int(exponent < -100000 ? -100000 : exponent > 100000 ? 100000 : exponent));
}

// Infinities and NaN keep their value and have exponent 0.
template <class T> GPUARRAY_DEVICE T frexp_mantissa(T x) {
    int exponent;
    return isfinite(x) ? ::frexp(x, &exponent) : x;
}
template <class T> GPUARRAY_DEVICE int32_t frexp_exponent(T x) {
    int exponent = 0;
    if (isfinite(x)) ::frexp(x, &exponent);
    return exponent;
}

template <class T> GPUARRAY_DEVICE T modf_fraction(T x) {
    return ::copysign(isinf(x) ? T(0) : x - ::trunc(x), x);
}

}  // namespace floating
}  // namespace gpuarray
