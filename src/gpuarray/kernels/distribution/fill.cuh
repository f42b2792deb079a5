// Arrays of variates of one distribution with one set of parameters, as fast as they can be stored.
//
// Element i has the bits of its place: WIDTH elements share a Philox block, whose counter is the place of the first one
// of the call plus i / WIDTH. So a thread makes full words of 16 bytes, whatever the number of elements.
#pragma once

#include "gpuarray/draws.cuh"

namespace gpuarray {

// In [low, low + range): `range` times a multiple of 2^-24.
template <class T> struct RandomFill;
template <> struct RandomFill<float> {
    enum { WIDTH = 4 };
    GPUARRAY_DEVICE static void make(const PhiloxBlock& block, float (&values)[4], float low, float range) {
#pragma unroll
        for (int i = 0; i < 4; ++i) values[i] = low + range * 0x1p-24f * float(block.words[i] >> 8);
    }
};
template <> struct RandomFill<double> {
    enum { WIDTH = 2 };
    GPUARRAY_DEVICE static void make(const PhiloxBlock& block, double (&values)[2], double low, double range) {
        values[0] = low + range * Draws::unit(block.low());
        values[1] = low + range * Draws::unit(block.high());
    }
};

// Of numbers that are not subnormal, for which they take half of the instructions.
GPUARRAY_DEVICE float approximate_root(float x) {
    float result;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
GPUARRAY_DEVICE float approximate_log2(float x) {
    float result;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

// Box and Muller's pairs. The radius of a float comes from 32 bits, so that it reaches 6.7. The hardware's logarithm,
// root, sine and cosine are absolutely accurate to about 2^-21, which no test of a distribution can see.
template <class T> struct NormalFill;
template <> struct NormalFill<float> {
    enum { WIDTH = 4 };
    GPUARRAY_DEVICE static void make(const PhiloxBlock& block, float (&values)[4], float loc, float scale) {
#pragma unroll
        for (int i = 0; i < 4; i += 2) {
            // Half a step more than the integer, so that it is not 0. The logarithm of nearly 1 may be above 0.
            const float u = fmaf(float(block.words[i]), 0x1p-32f, 0x1p-33f);
            const float square = fmaxf(-1.38629436f * approximate_log2(u), 0);
            const float angle = fmaf(float(block.words[i + 1] >> 8), 3.74507016e-7f, -3.14159265f);
            const float radius = scale * approximate_root(square);
            values[i] = fmaf(radius, __cosf(angle), loc);
            values[i + 1] = fmaf(radius, __sinf(angle), loc);
        }
    }
};
template <> struct NormalFill<double> {
    enum { WIDTH = 2 };
    GPUARRAY_DEVICE static void make(const PhiloxBlock& block, double (&values)[2], double loc, double scale) {
        const double radius = scale * sqrt(-2 * log(Draws::inner_of(block.low())));
        double sine, cosine;
        sincospi(2 * Draws::unit(block.high()), &sine, &cosine);
        values[0] = loc + radius * cosine;
        values[1] = loc + radius * sine;
    }
};

template <class T> struct ExponentialFill;
template <> struct ExponentialFill<float> {
    enum { WIDTH = 4 };
    GPUARRAY_DEVICE static void make(const PhiloxBlock& block, float (&values)[4], float loc, float scale) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            values[i] = loc - scale * logf(fmaf(float(block.words[i]), 0x1p-32f, 0x1p-33f));
        }
    }
};
template <> struct ExponentialFill<double> {
    enum { WIDTH = 2 };
    GPUARRAY_DEVICE static void make(const PhiloxBlock& block, double (&values)[2], double loc, double scale) {
        values[0] = loc + scale * -log(Draws::inner_of(block.low()));
        values[1] = loc + scale * -log(Draws::inner_of(block.high()));
    }
};

// The widest access to BYTES bytes that lie at a multiple of them.
template <int BYTES> struct StoredWord { typedef uint4 type; };
template <> struct StoredWord<4> { typedef uint32_t type; };
template <> struct StoredWord<8> { typedef uint2 type; };

// Tiles of COUNT vectors of 16 bytes, or what a block gives, of each thread. `make(vector, values)` makes them.
template <int WIDTH, int BLOCK, int COUNT, class T, class Make>
GPUARRAY_DEVICE void fill_tiles(T* out, uint64_t size, const Make& make) {
    typedef typename StoredWord<WIDTH * sizeof(T)>::type Store;
    enum { TILE = BLOCK * COUNT };
    for (uint64_t start = uint64_t(blockIdx.x) * TILE; start * WIDTH < size; start += uint64_t(gridDim.x) * TILE) {
        const uint64_t first = start + threadIdx.x;
        if ((start + TILE) * WIDTH <= size) {
            Store* const stores = reinterpret_cast<Store*>(out + first * WIDTH);
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                alignas(16) T values[WIDTH];
                make(first + k * BLOCK, values);
                stores[k * BLOCK] = *reinterpret_cast<const Store*>(values);
            }
            continue;
        }
#pragma unroll 1
        for (int k = 0; k < COUNT; ++k) {
            const uint64_t at = (first + k * BLOCK) * WIDTH;
            if (at >= size) break;
            alignas(16) T values[WIDTH];
            make(first + k * BLOCK, values);
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) {
                if (at + i < size) out[at + i] = values[i];
            }
        }
    }
}

template <class Fill, class T, int BLOCK, int COUNT>
GPUARRAY_DEVICE void fill_with(T* out, uint64_t size, T first, T second, uint64_t key, uint64_t place) {
    PhiloxKeys keys(key);
    keys.keep();
    fill_tiles<Fill::WIDTH, BLOCK, COUNT>(out, size, [&](uint64_t vector, T (&values)[Fill::WIDTH]) {
        Fill::make(philox(keys, place + vector, 0), values, first, second);
    });
}

// Integers from 0 to `last`, plus `low`: a word times their number, of which the upper half is the integer (D. Lemire,
// "Fast random integer generation in an interval", 2019). A word that would favour some is replaced from later blocks.
template <class Word> struct Wide;
template <> struct Wide<uint32_t> {
    enum { WIDTH = 4 };
    GPUARRAY_DEVICE static uint32_t word(const PhiloxBlock& block, int i) { return block.words[i]; }
    GPUARRAY_DEVICE static uint32_t high(uint32_t a, uint32_t b) { return __umulhi(a, b); }
};
template <> struct Wide<uint64_t> {
    enum { WIDTH = 2 };
    GPUARRAY_DEVICE static uint64_t word(const PhiloxBlock& block, int i) { return i ? block.high() : block.low(); }
    GPUARRAY_DEVICE static uint64_t high(uint64_t a, uint64_t b) { return __umul64hi(a, b); }
};

template <class Word>
__device__ __noinline__ Word other_integer(uint64_t key, uint64_t place, int lane, Word count, Word least) {
    for (uint32_t number = 1;; ++number) {
        const PhiloxBlock block = philox(key, place, number);
        Word word = 0;
#pragma unroll
        for (int i = 0; i < int(Wide<Word>::WIDTH); ++i) word = i == lane ? Wide<Word>::word(block, i) : word;
        if (Word(word * count) >= least || number == 1000) return Wide<Word>::high(word, count);
    }
}

// Elements of 8 bytes leave half of a block unused: more of them than a store's would be stored with gaps.
template <class Word, class T, int BLOCK, int COUNT>
GPUARRAY_DEVICE void fill_integers(T* out, uint64_t size, uint64_t low, uint64_t last, uint64_t least, uint64_t key,
                                   uint64_t place) {
    enum { WIDTH = sizeof(T) == 8 ? 2 : Wide<Word>::WIDTH };
    const Word count = Word(last) + 1;
    PhiloxKeys keys(key);
    keys.keep();
    fill_tiles<WIDTH, BLOCK, COUNT>(out, size, [&](uint64_t vector, T (&values)[WIDTH]) {
        const PhiloxBlock block = philox(keys, place + vector, 0);
        // No count of 2^32, or 2^64, fits a word: then all words are integers.
        if (count == 0) {
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) values[i] = T(uint64_t(Wide<Word>::word(block, i)) + low);
            return;
        }
        bool replaced = false;
#pragma unroll
        for (int i = 0; i < WIDTH; ++i) {
            const Word word = Wide<Word>::word(block, i);
            replaced = replaced || Word(word * count) < Word(least);
            values[i] = T(uint64_t(Wide<Word>::high(word, count)) + low);
        }
        if (!replaced) return;
#pragma unroll
        for (int i = 0; i < WIDTH; ++i) {
            if (Word(Wide<Word>::word(block, i) * count) >= Word(least)) continue;
            values[i] = T(uint64_t(other_integer<Word>(key, place + vector, i, count, Word(least))) + low);
        }
    });
}

}  // namespace gpuarray
