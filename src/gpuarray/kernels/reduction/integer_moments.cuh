// Sums of integers and of their squares, which are exact: what a variance of integers is computed from.
#pragma once

#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

struct SumOfSquares {
    int64_t sum;
    uint64_t squares;

    // The squared deviations from the mean, rounded once or twice: the difference of two numbers of 128 bits.
    GPUARRAY_DEVICE double deviations(int64_t count) const {
        if (count == 0) return 0.0;
        const uint64_t size = uint64_t(sum < 0 ? -sum : sum), low = squares * count, less = size * size;
        const uint64_t high = __umul64hi(squares, count) - __umul64hi(size, size) - (low < less);
        return (double(high) * 18446744073709551616.0 + double(low - less)) / double(count);
    }
};

// Of one element of at most 16 bits, of four bytes, or what a thread of Words has of a column.
struct NarrowSquares {
    int32_t sum;
    uint32_t squares;

    GPUARRAY_DEVICE operator SumOfSquares() const { return SumOfSquares{sum, squares}; }
};

GPUARRAY_DEVICE NarrowSquares squares_of(int32_t element) {
    return NarrowSquares{element, uint32_t(element * element)};
}

// With the bytes of a word, as T.
template <class T> GPUARRAY_DEVICE NarrowSquares with_bytes(uint32_t word, NarrowSquares before) {
    return NarrowSquares{int32_t(__dp4a(T(word), T(0x01010101), T(before.sum))),
                         uint32_t(__dp4a(T(word), T(word), T(before.squares)))};
}
template <> GPUARRAY_DEVICE NarrowSquares with_bytes<bool>(uint32_t word, NarrowSquares before) {
    return with_bytes<uint32_t>(nonzero_bytes(word) >> 7, before);
}

// What a thread makes of its elements (see Totals). BYTES: 32 bits hold the squares of those that come together.
template <bool BYTES> struct Squares {
    typedef NarrowSquares Item;
    typedef SumOfSquares Slot;
    enum { FILLED = 1 };

    SumOfSquares total = {0, 0};

    GPUARRAY_DEVICE static Item nothing() { return Item{0, 0}; }
    GPUARRAY_DEVICE const SumOfSquares& value() const { return total; }
    GPUARRAY_DEVICE const SumOfSquares& slot() const { return total; }

    template <int COUNT> GPUARRAY_DEVICE void add(const Item (&items)[COUNT]) {
        int32_t sum = 0;
        uint32_t squares = 0;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            sum += items[i].sum;
            if (BYTES) squares += items[i].squares; else total.squares += items[i].squares;
        }
        total.sum += sum;
        total.squares += squares;
    }
};

// For Words (reduction_words.cuh): four rows at a time become words of a column each.
template <class T> struct SquaresOfBytes {
    typedef NarrowSquares Slot;
    NarrowSquares totals[4] = {};

    GPUARRAY_DEVICE void include(int i, uint32_t bytes) { totals[i] = with_bytes<T>(bytes, totals[i]); }
    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t) {
#pragma unroll
        for (int u = 0; u + 3 < ROWS; u += 4) {
            const uint32_t low = __byte_perm(words[u], words[u + 1], 0x5140);
            const uint32_t high = __byte_perm(words[u], words[u + 1], 0x7362);
            const uint32_t next_low = __byte_perm(words[u + 2], words[u + 3], 0x5140);
            const uint32_t next_high = __byte_perm(words[u + 2], words[u + 3], 0x7362);
            include(0, __byte_perm(low, next_low, 0x5410));
            include(1, __byte_perm(low, next_low, 0x7632));
            include(2, __byte_perm(high, next_high, 0x5410));
            include(3, __byte_perm(high, next_high, 0x7632));
        }
#pragma unroll
        for (int u = ROWS / 4 * 4; u < ROWS; ++u) {
#pragma unroll
            for (int i = 0; i < 4; ++i) include(i, words[u] & 0xffu << 8 * i);
        }
    }
    GPUARRAY_DEVICE NarrowSquares slot(int i) const { return totals[i]; }
};

}  // namespace gpuarray
