// Integer operations with NumPy's results where C's are undefined: division by zero, the lowest integer divided
// by -1, shifts by the width and more, overflow in power.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {
namespace integer {

// The type in which an integer's arithmetic wraps around. Anything below 32 bits is promoted to int, and int
// overflow is undefined, so narrow types use 32 bits as well.
template <class T> struct Wrapping { typedef uint32_t type; };
template <> struct Wrapping<int64_t> { typedef uint64_t type; };
template <> struct Wrapping<uint64_t> { typedef uint64_t type; };

template <class T> constexpr bool is_signed() { return T(-1) < T(1); }

template <class T> GPUARRAY_DEVICE bool is_negative(T x) {
    if constexpr (is_signed<T>()) return x < 0;
    return false;
}

template <class T> GPUARRAY_DEVICE typename Wrapping<T>::type magnitude(T x) {
    typedef typename Wrapping<T>::type Magnitude;
    return is_negative(x) ? Magnitude(0) - Magnitude(x) : Magnitude(x);
}

template <class T> GPUARRAY_DEVICE T floor_divide(T a, T b) {
    if (b == 0) return 0;
    if constexpr (is_signed<T>()) {
        if (b == T(-1)) return T(typename Wrapping<T>::type(0) - a);
        const T quotient = a / b;
        return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }
    return a / b;
}

// C's %, but 0 where that is undefined.
template <class T> GPUARRAY_DEVICE T truncated_remainder(T a, T b) {
    if (b == 0 || (is_signed<T>() && b == T(-1))) return 0;
    return a % b;
}

// The sign of the divisor.
template <class T> GPUARRAY_DEVICE T remainder(T a, T b) {
    const T rest = truncated_remainder(a, b);
    return rest != 0 && is_negative(rest) != is_negative(b) ? rest + b : rest;
}

// NumPy refuses negative exponents; without a way to raise, the result is the integer part of the true power,
// and 0 for a base of 0.
template <class T> GPUARRAY_DEVICE T power(T base, T exponent) {
    typedef typename Wrapping<T>::type Wrap;
    if (is_negative(exponent)) {
        if (base == 1) return 1;
        if (base == T(-1)) return exponent & 1 ? T(-1) : T(1);
        return 0;
    }
    Wrap factor = Wrap(base), result = 1;
    typename Wrapping<T>::type rest = Wrap(exponent);
    while (rest != 0) {
        if (rest & 1) result *= factor;
        rest >>= 1;
        factor *= factor;
    }
    return T(result);
}

// 1 / x in double precision, converted back: what NumPy gives for 0 is what x86 converts infinity to.
template <class T> GPUARRAY_DEVICE T reciprocal(T x) {
    if (x == 0) return is_signed<T>() && sizeof(T) >= 4 ? T(typename Wrapping<T>::type(1) << (8 * sizeof(T) - 1)) : T(0);
    return x == 1 || (is_signed<T>() && x == T(-1)) ? x : T(0);
}

// A negative count shifts by more than the width, as one above it does.
template <class T> GPUARRAY_DEVICE T left_shift(T x, T count) {
    typedef typename Wrapping<T>::type Wrap;
    return Wrap(count) < 8 * sizeof(T) ? T(Wrap(x) << Wrap(count)) : T(0);
}
template <class T> GPUARRAY_DEVICE T right_shift(T x, T count) {
    typedef typename Wrapping<T>::type Wrap;
    return Wrap(count) < 8 * sizeof(T) ? T(x >> Wrap(count)) : is_negative(x) ? T(-1) : T(0);
}

// NumPy counts the bits of the absolute value.
template <class T> GPUARRAY_DEVICE uint8_t bitwise_count(T x) { return __popcll(magnitude(x)); }

template <class T> GPUARRAY_DEVICE T gcd(T x, T y) {
    typename Wrapping<T>::type a = magnitude(x), b = magnitude(y);
    while (b != 0) {
        const typename Wrapping<T>::type rest = a % b;
        a = b;
        b = rest;
    }
    return T(a);
}
template <class T> GPUARRAY_DEVICE T lcm(T x, T y) {
    const typename Wrapping<T>::type a = magnitude(x), b = magnitude(y), divisor = magnitude(gcd(x, y));
    return divisor == 0 ? T(0) : T(a / divisor * b);
}

// -1, 0 or 1, without converting either side.
GPUARRAY_DEVICE int compare(int64_t a, uint64_t b) {
    return a < 0 || uint64_t(a) < b ? -1 : uint64_t(a) > b;
}
GPUARRAY_DEVICE int compare(uint64_t a, int64_t b) { return -compare(b, a); }

}  // namespace integer
}  // namespace gpuarray
