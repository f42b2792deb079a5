// The order of keys in sorts and searches: bits of elements to unsigned integers of the same order, as a whole
// (ordered) or a digit of 8 bits at a time.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class Word> struct Infinity;
template <> struct Infinity<uint16_t> { static constexpr uint16_t bits = 0x7c00; };
template <> struct Infinity<uint32_t> { static constexpr uint32_t bits = 0x7f800000; };
template <> struct Infinity<uint64_t> { static constexpr uint64_t bits = 0x7ff0000000000000; };

template <class Word> GPUARRAY_DEVICE Word top_bit() { return Word(Word(1) << (8 * sizeof(Word) - 1)); }

template <class Word> GPUARRAY_DEVICE bool is_nan(Word bits) {
    return Word(bits & Word(~top_bit<Word>())) > Infinity<Word>::bits;
}

// An unsigned integer with the same order: NaN last, -0.0 equal to 0.0.
template <class Word> GPUARRAY_DEVICE Word ordered_float(Word bits) {
    const Word top = top_bit<Word>(), magnitude = bits & Word(~top);
    Word key = bits & top ? Word(~bits) : Word(bits | top);
    key = magnitude == 0 ? top : key;
    return magnitude > Infinity<Word>::bits ? Word(~Word(0)) : key;
}

// The number that has a key, or a NaN. Of zeros the key does not say the sign.
template <class Word> GPUARRAY_DEVICE Word float_from_ordered(Word key, bool positive_zero) {
    const Word top = top_bit<Word>();
    if (key == top) return positive_zero ? Word(0) : top;
    return key & top ? Word(key ^ top) : Word(~key);
}

// Ranks in ascending order, and for each result which of them it has.
template <int RANKS> struct Ranks {
    uint64_t at[RANKS];
    uint8_t of[32];
};

// FLOATS: whether a NaN is among the keys. RUNS: whether their sorts may end in those of runs (sort_runs.cuh).
template <class T> struct UnsignedKeys {
    typedef T Word;
    typedef T Ordered;
    enum { PASSES = sizeof(T), FLOATS = 0, RUNS = sizeof(T) == 8 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return bits; }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool) { return key; }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) { return uint32_t(bits >> (8 * pass)) & 255; }
    GPUARRAY_DEVICE static Word from_digit(uint32_t digit) { return Word(digit); }
};
template <class T> struct SignedKeys {
    typedef T Word;
    typedef T Ordered;
    enum { PASSES = sizeof(T), FLOATS = 0, RUNS = sizeof(T) == 8 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return bits ^ top_bit<Word>(); }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool) { return key ^ top_bit<Word>(); }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) { return uint32_t(ordered(bits) >> (8 * pass)) & 255; }
    GPUARRAY_DEVICE static Word from_digit(uint32_t digit) { return Word(digit ^ 128); }
};
template <class T> struct FloatKeys {
    typedef T Word;
    typedef T Ordered;
    enum { PASSES = sizeof(T), FLOATS = 1, RUNS = sizeof(T) == 8 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return ordered_float(bits); }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool positive_zero) {
        return float_from_ordered(key, positive_zero);
    }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) { return uint32_t(ordered(bits) >> (8 * pass)) & 255; }
};
// Times: NaT, the lowest integer, is last.
struct TimeKeys {
    typedef uint64_t Word;
    typedef uint64_t Ordered;
    enum { PASSES = 8, FLOATS = 0, RUNS = 1 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return (bits ^ top_bit<Word>()) - 1; }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool) { return (key + 1) ^ top_bit<Word>(); }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) { return uint32_t(ordered(bits) >> (8 * pass)) & 255; }
};
// Halves of floats: the order of the floats that they begin, whose last 16 bits are zeros.
struct BfloatKeys {
    typedef uint16_t Word;
    typedef uint16_t Ordered;
    enum { PASSES = 2, FLOATS = 1, RUNS = 0 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return Ordered(ordered_float(uint32_t(bits) << 16) >> 16); }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool positive_zero) {
        return Word(float_from_ordered(uint32_t(key) << 16, positive_zero) >> 16);
    }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) { return uint32_t(ordered(bits) >> (8 * pass)) & 255; }
};
struct BoolKeys {
    typedef uint8_t Word;
    typedef uint8_t Ordered;
    enum { PASSES = 1, FLOATS = 0, RUNS = 0 };
    GPUARRAY_DEVICE static Ordered ordered(Word bits) { return bits != 0; }
    GPUARRAY_DEVICE static Word from_ordered(Ordered key, bool) { return key; }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int) { return bits != 0; }
    GPUARRAY_DEVICE static Word from_digit(uint32_t digit) { return Word(digit); }
};

template <class Part> struct Parts {
    Part real, imag;
};
template <class Part> struct OrderedParts {
    Part nan, real, imag;

    GPUARRAY_DEVICE friend bool operator<(OrderedParts a, OrderedParts b) {
        if (a.nan != b.nan) return a.nan < b.nan;
        return a.real != b.real ? a.real < b.real : a.imag < b.imag;
    }
};
// By real, then by imaginary part; before that by which of them is NaN. One pass is left over: see plan_passes.
template <class Part> struct ComplexKeys {
    typedef Parts<Part> Word;
    typedef OrderedParts<Part> Ordered;
    enum { PASSES = 2 * sizeof(Part) + 2, FLOATS = 0, RUNS = 0 };
    GPUARRAY_DEVICE static Part nans(Word bits) { return 2 * is_nan(bits.real) + is_nan(bits.imag); }
    GPUARRAY_DEVICE static Ordered ordered(Word bits) {
        return Ordered{nans(bits), ordered_float(bits.real), ordered_float(bits.imag)};
    }
    GPUARRAY_DEVICE static uint32_t digit(Word bits, int pass) {
        enum { WIDTH = sizeof(Part) };
        if (pass < WIDTH) return uint32_t(ordered_float(bits.imag) >> (8 * pass)) & 255;
        if (pass < 2 * WIDTH) return uint32_t(ordered_float(bits.real) >> (8 * (pass - WIDTH))) & 255;
        return pass == 2 * WIDTH ? uint32_t(nans(bits)) : 0;
    }
};

}  // namespace gpuarray
