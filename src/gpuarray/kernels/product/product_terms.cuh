// What a matrix product adds up, by the dtype of its loop.
//
// A word has PACK neighbouring elements of a row or of a column, and a step multiplies two of them. Integers wrap
// around, so those of 32 bits and less are summed in 32. A sum of bools is whether any pair is true. Other numbers are
// rounded once a term, and halves are summed in float32.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class V> struct complex;

// An element of memory as the value of its dtype.
template <class T> GPUARRAY_DEVICE T value_of(typename Stored<T>::type x) { return x; }
template <> GPUARRAY_DEVICE bool value_of<bool>(uint8_t x) { return x != 0; }

GPUARRAY_DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GPUARRAY_DEVICE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

// Words of one element. Element: the loop's dtype. Total: what it is summed in.
template <class Element, class Total> struct SingleTerms {
    enum { PACK = 1 };
    typedef Total Sum;
    typedef Total Word;

    template <class T> GPUARRAY_DEVICE static Word word(T x) { return Word(Element(x)); }
    GPUARRAY_DEVICE static void add(Sum& sum, Word a, Word b) { sum += a * b; }
    GPUARRAY_DEVICE static Sum joined(Sum a, Sum b) { return a + b; }
    GPUARRAY_DEVICE static Element result(Sum sum) { return Element(sum); }
};

template <class Element, class Total> struct FloatTerms : SingleTerms<Element, Total> {
    template <class T> GPUARRAY_DEVICE static Total word(T x) { return Total(Element(Total(x))); }
    GPUARRAY_DEVICE static Total word(double x) { return Total(Element(x)); }
    GPUARRAY_DEVICE static void add(Total& sum, Total a, Total b) { sum = fused(a, b, sum); }
};

// CONJUGATE: the left elements are.
template <class Number, bool CONJUGATE> struct ComplexTerms : SingleTerms<Number, Number> {
    typedef typename Number::value_type Real;

    template <class T> GPUARRAY_DEVICE static Number word(T x) { return Number(Real(x)); }
    template <class V> GPUARRAY_DEVICE static Number word(complex<V> x) { return Number(Real(x.real), Real(x.imag)); }
    GPUARRAY_DEVICE static void add(Number& sum, Number a, Number b) {
        const Real imag = CONJUGATE ? -a.imag : a.imag;
        sum.real = fused(-imag, b.imag, fused(a.real, b.real, sum.real));
        sum.imag = fused(imag, b.real, fused(a.real, b.imag, sum.imag));
    }
};

// Words of four bytes: bools.
struct BoolTerms {
    enum { PACK = 4 };
    typedef uint32_t Sum;
    typedef uint32_t Word;

    // The highest bit of a byte says whether it is true.
    template <class T> GPUARRAY_DEVICE static uint32_t word(T x) { return x != 0 ? 0x80 : 0; }
    GPUARRAY_DEVICE static Word word_of_bytes(uint32_t x) {
        return (((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x) & 0x80808080;
    }
    GPUARRAY_DEVICE static void add(Sum& sum, Word a, Word b) { sum |= a & b; }
    GPUARRAY_DEVICE static Sum joined(Sum a, Sum b) { return a | b; }
    GPUARRAY_DEVICE static uint8_t result(Sum sum) { return sum != 0; }
};

// Words of four bytes: 8-bit integers, whose products are added exactly.
template <class Element, bool A_SIGNED, bool B_SIGNED> struct ByteTerms {
    enum { PACK = 4 };
    typedef uint32_t Sum;
    typedef uint32_t Word;

    template <class T> GPUARRAY_DEVICE static uint32_t word(T x) { return uint8_t(x); }
    GPUARRAY_DEVICE static Word word_of_bytes(uint32_t x) { return x; }
    GPUARRAY_DEVICE static void add(Sum& sum, Word a, Word b) {
        if constexpr (A_SIGNED && B_SIGNED) {
            asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        } else if constexpr (A_SIGNED) {
            asm("dp4a.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        } else if constexpr (B_SIGNED) {
            asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        } else {
            asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        }
    }
    GPUARRAY_DEVICE static Sum joined(Sum a, Sum b) { return a + b; }
    GPUARRAY_DEVICE static Element result(Sum sum) { return Element(sum); }
};

}  // namespace gpuarray
