// What a thread makes of VECTOR neighbouring columns, whose elements it takes row by row.
//
// Separate does it column by column. Integer instructions have half the rate of those for floats, and to take a byte
// out of its word, to widen and to add it are three: memory would wait. Words has the ways that take the four bytes
// of a word with one or two instructions each, in totals of 32 bits.
//
// A slot is what such a thread hands to others for a column: narrower than a Value where that is enough.
#pragma once

#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

template <class Function, class Index, int VECTOR> struct Separate {
    typedef typename Function::Thread Thread;
    typedef typename Function::Element Element;
    typedef typename Thread::Slot Slot;

    Thread threads[VECTOR];

    // Some more rows, of which the thread's number `first` is the first.
    template <int ROWS>
    GPUARRAY_DEVICE void add(const Function& function, const Element (*rows)[VECTOR], Index first) {
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
            typename Thread::Item items[ROWS];
#pragma unroll
            for (int u = 0; u < ROWS; ++u) items[u] = function.of(rows[u][v], first + u);
            if constexpr (Function::INDICES) {
#pragma unroll
                for (int u = 0; u < ROWS; ++u) Function::follow(threads[v].total, items[u]);
            } else {
                threads[v].add(items);
            }
        }
    }
    // Of column `v`. The thread has met `any` row; its rows' indices begin at `base`.
    GPUARRAY_DEVICE Slot slot(int v, bool any, Index base, Index stride) const {
        if constexpr (Function::INDICES) {
            typename Function::Value best = threads[v].total;
            if (any) Function::settle(best, Index(0));
            return Function::moved(best, base, stride);
        } else {
            return threads[v].slot();
        }
    }
    GPUARRAY_DEVICE static typename Function::Value value(const Slot& slot) { return typename Function::Value(slot); }
};

template <class Function, class Index, int VECTOR, class Bytes> struct Words {
    typedef typename Function::Element Element;
    typedef typename Bytes::Slot Total;
    // Indices are made ready by the thread that has them.
    template <bool INDICES, class F> struct SlotOf { typedef Total type; };
    template <class F> struct SlotOf<true, F> { typedef typename F::Value type; };
    typedef typename SlotOf<bool(Function::INDICES), Function>::type Slot;
    enum { COUNT = VECTOR / 4 };
    static_assert(sizeof(Element) == 1 && VECTOR % 4 == 0, "words of four bytes");

    Bytes words[COUNT];

    template <int ROWS>
    GPUARRAY_DEVICE void add(const Function&, const Element (*rows)[VECTOR], Index first) {
#pragma unroll
        for (int w = 0; w < COUNT; ++w) {
            uint32_t column[ROWS];
#pragma unroll
            for (int u = 0; u < ROWS; ++u) column[u] = *reinterpret_cast<const uint32_t*>(rows[u] + 4 * w);
            words[w].add(column, uint32_t(first));
        }
    }
    GPUARRAY_DEVICE Slot slot(int v, bool any, Index base, Index stride) const {
        if constexpr (Function::INDICES) {
            if (!any) return Function::neutral();
            const Bytes& bytes = words[v / 4];
            return Slot{bytes.slot(v % 4), base + Index(bytes.row(v % 4)) * stride};
        } else {
            return words[v / 4].slot(v % 4);
        }
    }
    GPUARRAY_DEVICE static typename Function::Value value(const Slot& slot) { return typename Function::Value(slot); }
};

template <class T> struct SumsOfBytes {
    typedef T Slot;
    T totals[4] = {};

    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t) {
#pragma unroll
        for (int u = 0; u < ROWS; ++u) {
#pragma unroll
            for (int i = 0; i < 4; ++i) totals[i] = __dp4a(T(words[u]), T(1u << 8 * i), totals[i]);
        }
    }
    GPUARRAY_DEVICE T slot(int i) const { return totals[i]; }
};

// How many bytes are not zero.
struct CountsOfBytes {
    typedef int32_t Slot;
    uint32_t totals[4] = {};

    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t) {
        uint32_t counts = 0;
#pragma unroll
        for (int u = 0; u < ROWS; ++u) counts += nonzero_bytes(words[u]) >> 7;
#pragma unroll
        for (int i = 0; i < 4; ++i) totals[i] = __dp4a(counts, 1u << 8 * i, totals[i]);
    }
    GPUARRAY_DEVICE int32_t slot(int i) const { return int32_t(totals[i]); }
};

// The highest byte decides a comparison, whatever is below it.
template <class T, bool GREATEST> struct ExtremesOfBytes {
    typedef T Slot;
    enum : uint32_t { LOWEST = T(-1) < T(0) ? 0x80000000u : 0u, NEUTRAL = GREATEST ? LOWEST : ~LOWEST };
    T totals[4] = {T(NEUTRAL), T(NEUTRAL), T(NEUTRAL), T(NEUTRAL)};

    GPUARRAY_DEVICE static T better(T a, T b) { return GREATEST ? (a > b ? a : b) : (a < b ? a : b); }
    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t) {
#pragma unroll
        for (int u = 0; u < ROWS; ++u) {
#pragma unroll
            for (int i = 0; i < 4; ++i) totals[i] = better(totals[i], T(words[u] << (24 - 8 * i)));
        }
    }
    GPUARRAY_DEVICE T slot(int i) const { return totals[i] >> 24; }
};

// Whether any byte is not zero.
struct AnyOfBytes {
    typedef bool Slot;
    uint32_t bits = 0;

    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t) {
#pragma unroll
        for (int u = 0; u < ROWS; ++u) bits |= words[u];
    }
    GPUARRAY_DEVICE bool slot(int i) const { return (bits >> 8 * i & 0xffu) != 0; }
};

struct AllOfBytes {
    typedef bool Slot;
    uint32_t bits = 0x80808080u;

    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t) {
#pragma unroll
        for (int u = 0; u < ROWS; ++u) bits &= nonzero_bytes(words[u]);
    }
    GPUARRAY_DEVICE bool slot(int i) const { return (bits >> (8 * i + 7) & 1u) != 0; }
};

// The first row of the greatest or least byte: below the byte stands the row's number, which decides between equals.
// S is what bytes are compared as; T, which may be bool, what they are.
template <class S, bool GREATEST, class T = S> struct FirstExtremesOfBytes : ExtremesOfBytes<S, GREATEST> {
    typedef T Slot;
    enum : uint32_t { LAST_ROW = 0xffffffu };
    using ExtremesOfBytes<S, GREATEST>::totals;

    template <int ROWS> GPUARRAY_DEVICE void add(const uint32_t (&words)[ROWS], uint32_t first) {
        const uint32_t code = GREATEST ? LAST_ROW - first : first;
#pragma unroll
        for (int u = 0; u < ROWS; ++u) {
            const uint32_t row = GREATEST ? code - u : code + u;
            const uint32_t word = sizeof(T) == 1 ? nonzero_bytes(words[u]) >> 7 : words[u];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const S key = S(__byte_perm(row, word, 0x4210 + 0x1000 * i));
                totals[i] = ExtremesOfBytes<S, GREATEST>::better(totals[i], key);
            }
        }
    }
    GPUARRAY_DEVICE T slot(int i) const { return T(totals[i] >> 24); }
    GPUARRAY_DEVICE uint32_t row(int i) const {
        const uint32_t code = uint32_t(totals[i]) & LAST_ROW;
        return GREATEST ? LAST_ROW - code : code;
    }
};

}  // namespace gpuarray
