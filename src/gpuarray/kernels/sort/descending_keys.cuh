// The reverse of an order of keys (sort_keys.cuh), in which NaN still comes last: a stable sort by it leaves equal
// elements as they were.
#pragma once

#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

template <class Keys> struct Descending {
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { PASSES = Keys::PASSES, FLOATS = Keys::FLOATS, RUNS = Keys::RUNS };
    GPUARRAY_DEVICE static bool stays(Ordered key) { return FLOATS && key == Ordered(~Ordered(0)); }  // that of NaN
    GPUARRAY_DEVICE static Ordered ordered(Word bits) {
        const Ordered key = Keys::ordered(bits);
        return stays(key) ? key : Ordered(~key);
    }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool positive_zero) {
        return Keys::from_ordered(stays(key) ? key : Ordered(~key), positive_zero);
    }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) { return uint32_t(ordered(bits) >> (8 * pass)) & 255; }
    GPUARRAY_DEVICE static Word from_digit(uint32_t digit) { return Keys::from_digit(digit ^ 255); }
};
template <> struct Descending<BoolKeys> {
    typedef uint8_t Word;
    typedef uint8_t Ordered;
    enum { PASSES = 1, FLOATS = 0, RUNS = 0 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return bits == 0; }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int) { return bits == 0; }
    GPUARRAY_DEVICE static Word from_digit(uint32_t digit) { return Word(digit == 0); }
};
// Each part descends, but which of them is NaN still decides first.
template <class Part> struct Descending<ComplexKeys<Part>> {
    typedef ComplexKeys<Part> Keys;
    typedef Descending<FloatKeys<Part>> OfPart;
    typedef typename Keys::Word Word;
    typedef typename Keys::Ordered Ordered;
    enum { PASSES = Keys::PASSES, FLOATS = 0, RUNS = 0 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) {
        return Ordered{Keys::nans(bits), OfPart::ordered(bits.real), OfPart::ordered(bits.imag)};
    }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) {
        enum { WIDTH = sizeof(Part) };
        if (pass < WIDTH) return OfPart::digit(bits.imag, pass);
        return pass < 2 * WIDTH ? OfPart::digit(bits.real, pass - WIDTH) : Keys::digit(bits, pass);
    }
};

}  // namespace gpuarray
