// The logarithm of a sum of exponentials, in one pass over the elements.
//
// What is known of elements is the greatest of them, the sum of its weights (one for each element that is as great,
// where there are no weights), and the sum of the others' exponentials beside its own. Nothing overflows, and since
// the greatest is no part of the sum, log1p of it has all digits where the others are small: Blanchard, Higham and
// Higham, "Accurately computing the log-sum-exp and softmax functions" (IMA J. Numer. Anal. 41, 2021).
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class T> struct LogSum {
    T greatest, weight, rest;  // the sum is (weight + rest) * exp(greatest)

    GPUARRAY_DEVICE static T infinity() { return T(float_from_bits(0x7f800000u)); }
    GPUARRAY_DEVICE static T nothing() { return T(float_from_bits(0x7fc00000u)); }

    // Of a sum that is not positive: NaN below zero. A weight of zero leaves the others alone.
    GPUARRAY_DEVICE T logarithm() const { return sign() < T(0) ? nothing() : magnitude(); }

    // The logarithm of the absolute value.
    GPUARRAY_DEVICE T magnitude() const {
        if (::isinf(greatest)) return weight != weight ? nothing() : greatest;
        const bool alone = weight == T(0);
        // Once for both cases: it is long.
        const T log = ::log(::fabs(alone ? rest : weight));
        if (alone) return log + greatest;
        const T ratio = rest / weight, beyond = ratio < T(-1) ? -ratio - T(2) : ratio;
        return ::log1p(beyond) + log + greatest;
    }

    GPUARRAY_DEVICE T sign() const {
        if (greatest == -infinity()) return T(0);
        const T sum = weight + rest;
        return greatest != greatest || sum != sum ? nothing() : T((sum > T(0)) - (sum < T(0)));
    }
};

namespace logsumexp {

template <class T> GPUARRAY_DEVICE LogSum<T> item(T exponent) { return LogSum<T>{exponent, T(1), T(0)}; }

// What has no weight takes no part, whatever it is. Infinities of both signs cancel to NaN.
template <class T> GPUARRAY_DEVICE LogSum<T> item(T exponent, T weight) {
    if (weight == T(0)) return LogSum<T>{-LogSum<T>::infinity(), T(0), T(0)};
    return LogSum<T>{exponent, exponent == LogSum<T>::infinity() ? weight * exponent : weight, T(0)};
}

template <class T> GPUARRAY_DEVICE LogSum<T> combine(LogSum<T> a, LogSum<T> b) {
    // NaN counts as the greatest.
    const bool second = b.greatest > a.greatest || b.greatest != b.greatest;
    const LogSum<T> more = second ? b : a, less = second ? a : b;
    // Without a branch: its two sides would be compiled for each of a thread's elements.
    const bool equal = less.greatest == more.greatest;
    const T others = less.weight + less.rest, moved = others * ::exp(less.greatest - more.greatest);
    return LogSum<T>{more.greatest, equal ? more.weight + less.weight : more.weight,
                     more.rest + (equal ? less.rest : moved)};
}

}  // namespace logsumexp

}  // namespace gpuarray
