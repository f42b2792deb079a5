// What a lane has of a chunk of a compressed matrix times a vector: elements are read once, those of the vector are gathered
// at their places, and both are multiplied.
#pragma once

#include "gpuarray/elementwise.cuh"
#include "gpuarray/merged_path.cuh"
#include "gpuarray/product_terms.cuh"

namespace gpuarray {

// Data of a matrix whose elements are all one.
struct Ones {};

template <class Terms, class A, class X, class Index> struct Product {
    typedef typename Stored<A>::type Element;
    enum { HAS_DATA = 1 };

    GPUARRAY_DEVICE static typename Terms::Word left(Element x) { return Terms::word(value_of<A>(x)); }
    GPUARRAY_DEVICE static void add(typename Terms::Sum& sum, typename Terms::Word a, typename Terms::Word b) {
        Terms::add(sum, a, b);
    }
};

template <class Terms, class X, class Index> struct Product<Terms, Ones, X, Index> {
    typedef uint8_t Element;
    enum { HAS_DATA = 0 };

    GPUARRAY_DEVICE static typename Terms::Word left(Element) { return typename Terms::Word(); }
    GPUARRAY_DEVICE static void add(typename Terms::Sum& sum, typename Terms::Word, typename Terms::Word b) {
        sum = Terms::joined(sum, b);
    }
};

// COUNT neighbouring elements, which are read this once: they leave caches to the vector's.
template <class T, int COUNT> GPUARRAY_DEVICE void read_once(T (&target)[COUNT], const T* source) {
    typedef typename Vector<T, COUNT>::Access Access;
    static_assert(sizeof(Access) == sizeof(target), "one access");
    alignas(16) T words[COUNT];
    if constexpr (sizeof(Access) >= 4) {
        *reinterpret_cast<Access*>(words) = __ldcs(reinterpret_cast<const Access*>(source));
    } else {
        *reinterpret_cast<Access*>(words) = *reinterpret_cast<const Access*>(source);
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i) target[i] = words[i];
}

// A lane's elements of a chunk, and those of the vector at their places. Places count from where the first chunk begins.
// EACH: a lane's neighbouring elements, so many that an access has them of indices or data.
template <class Terms, class A, class X, class Index, int ITEMS> struct ChunkElements {
    typedef typename Terms::Sum Sum;
    typedef Product<Terms, A, X, Index> Factor;
    typedef typename Factor::Element Left;
    typedef typename Stored<X>::type Right;
    enum {
        WIDE = sizeof(Left) > sizeof(Index) ? sizeof(Left) : sizeof(Index),
        EACH = 16 / WIDE < ITEMS ? 16 / WIDE : ITEMS,
        PARTS = ITEMS / EACH,
        CHUNK = 32 * ITEMS,
    };
    enum : uint32_t { ALL = ITEMS < 32 ? (1u << ITEMS) - 1 : 0xffffffffu };

    Index columns[PARTS][EACH];
    Left left[PARTS][EACH];
    Right right[PARTS][EACH];
    uint32_t present;

    // Of what is not aligned elements are read one by one, so that sums do not depend on addresses.
    template <class V>
    GPUARRAY_DEVICE static void read(V (&target)[PARTS][EACH], const V* source, int begin, int stop, bool aligned) {
        source += begin + int(threadIdx.x % 32) * EACH;
        if (aligned && begin + CHUNK <= stop) {
#pragma unroll
            for (int p = 0; p < PARTS; ++p) read_once(target[p], source + p * 32 * EACH);
        } else {
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
                const int left = stop - begin - (p * 32 + int(threadIdx.x % 32)) * EACH;
                if (aligned && left >= EACH) {
                    read_once(target[p], source + p * 32 * EACH);
                } else {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) target[p][i] = i < left ? source[p * 32 * EACH + i] : V();
                }
            }
        }
    }
    GPUARRAY_DEVICE void gather(const Right* vector, int64_t length, int begin, int first, int stop) {
        bool all = begin >= first && begin + CHUNK <= stop;
#pragma unroll
        for (int p = 0; p < PARTS; ++p) {
#pragma unroll
            for (int i = 0; i < EACH; ++i) all = within(columns[p][i], length) && all;
        }
        present = ALL;
        if (all) {
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                for (int i = 0; i < EACH; ++i) right[p][i] = vector[columns[p][i]];
            }
        } else {
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                for (int i = 0; i < EACH; ++i) {
                    const int at = begin + (p * 32 + int(threadIdx.x % 32)) * EACH + i;
                    const bool there = within(columns[p][i], length) && at >= first && at < stop;
                    right[p][i] = there ? vector[columns[p][i]] : Right();
                    if (!there) present &= ~(1u << (p * EACH + i));
                }
            }
        }
    }
    GPUARRAY_DEVICE void multiply(Sum (&made)[PARTS][EACH]) const {
#pragma unroll
        for (int p = 0; p < PARTS; ++p) {
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                made[p][i] = Sum();
                Factor::add(made[p][i], Factor::left(left[p][i]), Terms::word(value_of<X>(right[p][i])));
            }
        }
        if (present != ALL) {
#pragma unroll
            for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                for (int i = 0; i < EACH; ++i) {
                    if (!(present >> (p * EACH + i) & 1)) made[p][i] = Sum();
                }
            }
        }
    }
};

}  // namespace gpuarray
