// What is drawn from a stream of words.
//
// A draw says how many bits its units have, how many results a unit gives (PIECES), whether a unit can be rejected
// (accepted: a bit for each piece), and whether it can need further units (LONG). `piece` is a result of an accepted
// unit; `next` draws one result from a stream as NumPy does, one after another.
#pragma once

#include "gpuarray/random_engines.cuh"

namespace gpuarray {

struct NoTable {};

// Draws of one unit that is never rejected.
template <class R, int UNIT_BITS> struct OneUnit {
    typedef R Result;
    typedef NoTable Table;
    enum { BITS = UNIT_BITS, PIECES = 1, LONG = 0, SHIFT = 0 };
    template <class Unit> GPUARRAY_DEVICE uint32_t accepted(Unit) const { return 1; }
};

struct Words : OneUnit<uint64_t, 64> {
    GPUARRAY_DEVICE uint64_t piece(uint64_t word, int) const { return word; }
    template <class S> GPUARRAY_DEVICE uint64_t next(S& stream) { return stream.next64(); }
};

// MT19937's own words have 32 bits.
struct Halves : OneUnit<uint64_t, 32> {
    template <class S> GPUARRAY_DEVICE uint64_t next(S& stream) { return stream.next32(); }
};

template <class Real> struct Uniform;
template <> struct Uniform<double> : OneUnit<double, 64> {
    GPUARRAY_DEVICE double piece(uint64_t word, int) const { return unit_double(word); }
    template <class S> GPUARRAY_DEVICE double next(S& stream) { return stream.next_double(); }
};
template <> struct Uniform<float> : OneUnit<float, 32> {
    GPUARRAY_DEVICE float piece(uint32_t half, int) const { return unit_float(half); }
    template <class S> GPUARRAY_DEVICE float next(S& stream) { return stream.next_float(); }
};

// Exponential numbers by the inverse of the distribution function.
template <class Real> struct Inverse;
template <> struct Inverse<double> : OneUnit<double, 64> {
    GPUARRAY_DEVICE double piece(uint64_t word, int) const { return -::log1p(-unit_double(word)); }
    template <class S> GPUARRAY_DEVICE double next(S& stream) { return -::log1p(-stream.next_double()); }
};
template <> struct Inverse<float> : OneUnit<float, 32> {
    GPUARRAY_DEVICE float piece(uint32_t half, int) const { return -::log1pf(-unit_float(half)); }
    template <class S> GPUARRAY_DEVICE float next(S& stream) { return -::log1pf(-stream.next_float()); }
};

// Numbers in (0, 1): a zero is drawn again.
struct Open {
    typedef double Result;
    enum { BITS = 64, PIECES = 1, LONG = 0 };
    GPUARRAY_DEVICE uint32_t accepted(uint64_t word) const { return word >> 11 != 0; }
    GPUARRAY_DEVICE double piece(uint64_t word, int) const { return unit_double(word); }
    template <class S> GPUARRAY_DEVICE double next(S& stream) {
        double result;
        do result = stream.next_double();
        while (result == 0.0);
        return result;
    }
};

// ---- integers -----------------------------------------------------------------------------------------------------

// A number below `range` of a random one with BITS bits, or nothing (Lemire, "Fast Random Integer Generation in an
// Interval", 2019). A range of 0 is that of all numbers.
template <int BITS> struct Lemire;
template <> struct Lemire<64> {
    GPUARRAY_DEVICE static uint64_t scaled(uint64_t random, uint64_t range) { return __umul64hi(random, range); }
    GPUARRAY_DEVICE static uint64_t rest(uint64_t random, uint64_t range) { return random * range; }
    GPUARRAY_DEVICE static uint64_t threshold(uint64_t range) { return (0ull - range) % range; }
};
template <int BITS> struct Lemire {
    // The range has no more bits than the random number.
    GPUARRAY_DEVICE static uint64_t product(uint64_t random, uint64_t range) {
        return uint64_t(uint32_t(random)) * uint32_t(range);
    }
    GPUARRAY_DEVICE static uint64_t scaled(uint64_t random, uint64_t range) { return product(random, range) >> BITS; }
    GPUARRAY_DEVICE static uint32_t rest(uint64_t random, uint64_t range) {
        return uint32_t(product(random, range)) & 0xffffffffu >> 32 - BITS;
    }
    GPUARRAY_DEVICE static uint64_t threshold(uint64_t range) { return ((1ull << BITS) - range) % range; }
};

// Integers `low` to `low + range - 1`. Units of 32 bits are read in pieces of PIECE_BITS, the lowest first; what is left
// of the last one is dropped.
template <class R, int UNIT_BITS, int PIECE_BITS> struct Bounded {
    typedef R Result;
    enum { BITS = UNIT_BITS, PIECES = UNIT_BITS / PIECE_BITS, LONG = 0 };
    typedef Lemire<PIECE_BITS> Method;
    uint64_t low, range, threshold;
    uint32_t buffer = 0, left = 0;

    GPUARRAY_DEVICE Bounded(uint64_t low, uint64_t range, uint64_t threshold)
        : low(low), range(range), threshold(threshold) {}

    template <class Unit> GPUARRAY_DEVICE static uint64_t random(Unit unit, int i) {
        if constexpr (PIECES == 1) return unit;
        return unit >> i * PIECE_BITS & (1ull << PIECE_BITS % 64) - 1;
    }
    template <class Unit> GPUARRAY_DEVICE uint32_t accepted(Unit unit) const {
        uint32_t bits = 0;
#pragma unroll
        for (int i = 0; i < PIECES; ++i) {
            typedef decltype(Method::rest(0, 0)) Rest;
            if (range == 0 || Method::rest(random(unit, i), range) >= Rest(threshold)) bits |= 1u << i;
        }
        return bits;
    }
    GPUARRAY_DEVICE R of(uint64_t random) const {
        return R(low + (range == 0 ? random : Method::scaled(random, range)));
    }
    template <class Unit> GPUARRAY_DEVICE R piece(Unit unit, int i) const { return of(random(unit, i)); }

    template <class S> GPUARRAY_DEVICE uint64_t next_piece(S& stream) {
        if constexpr (UNIT_BITS == 64) return stream.next64();
        if constexpr (PIECES == 1) return stream.next32();
        if (left == 0) {
            buffer = stream.next32();
            left = PIECES;
        } else {
            buffer >>= PIECE_BITS % 32;
        }
        --left;
        return buffer & (1ull << PIECE_BITS) - 1;
    }
    template <class S> GPUARRAY_DEVICE R next(S& stream) {
        uint64_t random = next_piece(stream);
        if (range != 0) {
            while (Method::rest(random, range) < threshold) random = next_piece(stream);
        }
        return of(random);
    }
};

// One integer up to `greatest`, as NumPy draws single ones: from 32 bits where they are enough. Most need no threshold,
// which takes a division.
template <class S> GPUARRAY_DEVICE uint64_t one_bounded(S& stream, uint64_t greatest) {
    if (greatest == 0) return 0;
    if (greatest < 0xffffffffull) {
        const uint32_t range = uint32_t(greatest) + 1;
        uint64_t product = uint64_t(stream.next32()) * range;
        if (uint32_t(product) < range) {
            const uint32_t threshold = (0u - range) % range;
            while (uint32_t(product) < threshold) product = uint64_t(stream.next32()) * range;
        }
        return product >> 32;
    }
    if (greatest == 0xffffffffull) return stream.next32();
    const uint64_t range = greatest + 1;
    if (range == 0) return stream.next64();
    uint64_t random = stream.next64();
    if (random * range < range) {
        const uint64_t threshold = (0ull - range) % range;
        while (random * range < threshold) random = stream.next64();
    }
    return __umul64hi(random, range);
}

// ---- halves of words ----------------------------------------------------------------------------------------------

// What a draw whose units are halves gives of both halves of a word, the lower one first. So each word is made once.
template <class Draw> struct BothHalves {
    typedef typename Draw::Result Result;
    enum { BITS = 64, HALF = Draw::PIECES, PIECES = 2 * HALF, LONG = 0 };
    const Draw& draw;

    GPUARRAY_DEVICE explicit BothHalves(const Draw& draw) : draw(draw) {}
    GPUARRAY_DEVICE uint32_t accepted(uint64_t word) const {
        return draw.accepted(uint32_t(word)) | draw.accepted(uint32_t(word >> 32)) << HALF % 32;
    }
    GPUARRAY_DEVICE Result piece(uint64_t word, int i) const {
        return draw.piece(uint32_t(i < HALF ? word : word >> 32), i % HALF);
    }
};

// How a draw reads words: itself, or by both halves. `UNITS` are the draw's units in a word.
template <class Draw, int BITS = Draw::BITS> struct OfWords {
    typedef const Draw& Type;
    enum { UNITS = 1, PIECES = Draw::PIECES };
};
template <class Draw> struct OfWords<Draw, 32> {
    typedef BothHalves<Draw> Type;
    enum { UNITS = 2, PIECES = 2 * Draw::PIECES };
};

// ---- ziggurats ----------------------------------------------------------------------------------------------------

// The layers (see tables.py): in shared memory what most draws need. `bounds` has the upper 32 bits of limits: a draw of 64
// bits whose upper bits are below those is accepted, and one of the few others that are takes the way of long draws.
template <class Real, class Source> struct Layers {
    Real scales[256];
    uint32_t bounds[256];

    template <int BLOCK, int SHIFT> GPUARRAY_DEVICE void load() {
        for (int i = threadIdx.x; i < 256; i += BLOCK) {
            scales[i] = float_from_bits(Source::scale(i));
            bounds[i] = uint32_t(sizeof(Real) == 4 ? Source::limit(i) : Source::limit(i) >> SHIFT);
        }
        __syncthreads();
    }
    // Of the layer in a word's lowest bits. The compiler would make an address of the word itself, in more instructions.
    GPUARRAY_DEVICE static uint32_t index(uint32_t word) {
        word &= 255;
        asm("" : "+r"(word));
        return word;
    }
    GPUARRAY_DEVICE Real scale(uint32_t word) const { return scales[index(word)]; }
    GPUARRAY_DEVICE uint32_t bound(uint32_t word) const { return bounds[index(word)]; }
    GPUARRAY_DEVICE static auto limit(int i) { return Source::limit(i); }
    GPUARRAY_DEVICE static Real height(int i) { return float_from_bits(Source::height(i)); }
    // Where between the heights above and below a layer a number from 0 to 1 is.
    GPUARRAY_DEVICE static Real height(int i, Real part) {
        const Real lower = height(i);
        return (height(i - 1) - lower) * part + lower;
    }
};

template <class Real, class Source> struct Normal;

template <class Source> struct Normal<double, Source> {
    typedef double Result;
    typedef Layers<double, Source> Table;
    enum { BITS = 64, PIECES = 1, LONG = 1 };
    const Table& layers;

    GPUARRAY_DEVICE static uint64_t steps(uint64_t word) { return word >> 9 & 0x000fffffffffffffull; }
    enum { SHIFT = 52 - 32 };
    GPUARRAY_DEVICE uint32_t accepted(uint64_t word) const {
        return uint32_t(steps(word) >> SHIFT) < layers.bound(uint32_t(word));
    }
    // Whether it is accepted by what `bounds` does not have.
    GPUARRAY_DEVICE bool is_below(uint64_t word, int layer) const {
        return uint32_t(steps(word) >> SHIFT) == layers.bounds[layer] && steps(word) < Table::limit(layer);
    }
    GPUARRAY_DEVICE double piece(uint64_t word, int) const {
        // A negation by the sign's bit, since one that depends takes the device twice as many instructions.
        const double x = double(steps(word)) * layers.scale(uint32_t(word));
        return float_from_bits(float_bits(x) ^ (word & 0x100) << 55);
    }
    template <class S> GPUARRAY_DEVICE double next(S& stream) const {
        const double tail = 3.6541528853610087963519472518, inverse = 0.27366123732975827203338247596;
        for (;;) {
            const uint64_t word = stream.next64();
            const double x = piece(word, 0);
            const int layer = word & 255;
            if (accepted(word) || is_below(word, layer)) return x;
            if (layer == 0) {
                for (;;) {
                    const double beyond = -inverse * ::log1p(-stream.next_double());
                    const double other = -::log1p(-stream.next_double());
                    if (other + other > beyond * beyond) {
                        return steps(word) >> 8 & 1 ? -(tail + beyond) : tail + beyond;
                    }
                }
            }
            if (Table::height(layer, stream.next_double()) < ::exp(-0.5 * x * x)) {
                return x;
            }
        }
    }
};

template <class Source> struct Normal<float, Source> {
    typedef float Result;
    typedef Layers<float, Source> Table;
    enum { BITS = 32, PIECES = 1, LONG = 1, SHIFT = 0 };
    const Table& layers;

    GPUARRAY_DEVICE static uint32_t steps(uint32_t half) { return half >> 9; }
    GPUARRAY_DEVICE uint32_t accepted(uint32_t half) const { return steps(half) < layers.bound(half); }
    GPUARRAY_DEVICE float piece(uint32_t half, int) const {
        const float x = float(steps(half)) * layers.scale(half);
        return float_from_bits(float_bits(x) ^ (half & 0x100) << 23);
    }
    template <class S> GPUARRAY_DEVICE float next(S& stream) const {
        const float tail = 3.6541528853610087963519472518f, inverse = 0.27366123732975827203338247596f;
        for (;;) {
            const uint32_t half = stream.next32();
            const float x = piece(half, 0);
            if (accepted(half)) return x;
            const int layer = half & 255;
            if (layer == 0) {
                for (;;) {
                    const float beyond = -inverse * ::log1pf(-stream.next_float());
                    const float other = -::log1pf(-stream.next_float());
                    if (other + other > beyond * beyond) {
                        return steps(half) >> 8 & 1 ? -(tail + beyond) : tail + beyond;
                    }
                }
            }
            // The density is a double precision number, as NumPy compares it.
            if (Table::height(layer, stream.next_float()) < ::exp(-0.5 * x * x)) {
                return x;
            }
        }
    }
};

template <class Real, class Source> struct Exponential;

template <class Source> struct Exponential<double, Source> {
    typedef double Result;
    typedef Layers<double, Source> Table;
    enum { BITS = 64, PIECES = 1, LONG = 1 };
    const Table& layers;

    enum { SHIFT = 53 - 32 };
    GPUARRAY_DEVICE uint32_t accepted(uint64_t word) const {
        return uint32_t(word >> 11 + SHIFT) < layers.bound(uint32_t(word >> 3));
    }
    GPUARRAY_DEVICE bool is_below(uint64_t word, int layer) const {
        return uint32_t(word >> 11 + SHIFT) == layers.bounds[layer] && word >> 11 < Table::limit(layer);
    }
    GPUARRAY_DEVICE double piece(uint64_t word, int) const {
        return double(word >> 11) * layers.scale(uint32_t(word >> 3));
    }
    template <class S> GPUARRAY_DEVICE double next(S& stream) const {
        for (;;) {
            const uint64_t word = stream.next64();
            const double x = piece(word, 0);
            const int layer = word >> 3 & 255;
            if (accepted(word) || is_below(word, layer)) return x;
            if (layer == 0) return 7.69711747013104971404462804811 - ::log1p(-stream.next_double());
            if (Table::height(layer, stream.next_double()) < ::exp(-x)) return x;
        }
    }
};

template <class Source> struct Exponential<float, Source> {
    typedef float Result;
    typedef Layers<float, Source> Table;
    enum { BITS = 32, PIECES = 1, LONG = 1, SHIFT = 0 };
    const Table& layers;

    GPUARRAY_DEVICE uint32_t accepted(uint32_t half) const { return half >> 9 < layers.bound(half >> 1); }
    GPUARRAY_DEVICE float piece(uint32_t half, int) const {
        return float(half >> 9) * layers.scale(half >> 1);
    }
    template <class S> GPUARRAY_DEVICE float next(S& stream) const {
        for (;;) {
            const uint32_t half = stream.next32();
            const float x = piece(half, 0);
            if (accepted(half)) return x;
            const int layer = half >> 1 & 255;
            if (layer == 0) return 7.69711747013104971404462804811f - ::log1pf(-stream.next_float());
            if (Table::height(layer, stream.next_float()) < ::expf(-x)) return x;
        }
    }
};

// ---- scaled results -----------------------------------------------------------------------------------------------

// A number is added to what a draw gives times another one, rounded twice as in NumPy.
template <class Draw> struct Scaled {
    typedef typename Draw::Result Result;
    typedef typename Draw::Table Table;
    enum { BITS = Draw::BITS, PIECES = Draw::PIECES, LONG = Draw::LONG, SHIFT = Draw::SHIFT };
    Draw draw;
    Result loc, scale;

    template <class Unit> GPUARRAY_DEVICE uint32_t accepted(Unit unit) const { return draw.accepted(unit); }
    template <class Unit> GPUARRAY_DEVICE Result piece(Unit unit, int i) const {
        return loc + scale * draw.piece(unit, i);
    }
    template <class S> GPUARRAY_DEVICE Result next(S& stream) { return loc + scale * draw.next(stream); }
};

}  // namespace gpuarray
