// Draws of several units, of a warp's tile.
//
// A draw from a ziggurat takes one unit in 98% of cases. Draws that would begin at the other units (long ones, whether a
// result really begins there or not) are listed, and drawn to their end by a lane each. A unit between a draw's first
// and its end is passed over. Whether a long draw really begins is decided in order, if one of them reaches another one.
//
// More long draws than the list has room for, and one that takes more than REACH units, are noted as irregular. That does
// not happen by chance (less than once in 1e15 tiles); then one thread draws everything again.
#pragma once

#include "gpuarray/random_engines.cuh"
#include "gpuarray/random_prefix.cuh"

namespace gpuarray {

// A word by its number. Called where that is rare, so that the code of what is not stays small.
template <class Engine> __device__ __noinline__ uint64_t word_of(const uint64_t* state, uint64_t number) {
    Engine engine(state + STATE_HEADER);
    engine.jump(number);
    return engine.next();
}

// The units from a tile's first one on: those that the warp has, then those behind.
template <class Engine, int BITS, int WORDS> struct TileStream {
    const uint64_t *words, *state;
    uint64_t first;  // the tile's first word
    uint32_t at, read;

    GPUARRAY_DEVICE uint64_t word(uint32_t index) const {
        return index < WORDS ? words[index] : word_of<Engine>(state, first + index);
    }
    GPUARRAY_DEVICE uint64_t next64() { return word(at + read++); }
    GPUARRAY_DEVICE uint32_t next32() {
        const uint32_t unit = at + read++;
        return uint32_t(word(unit / 2) >> unit % 2 * 32);
    }
    GPUARRAY_DEVICE double next_double() { return unit_double(next64()); }
    GPUARRAY_DEVICE float next_float() { return unit_float(next32()); }
};

template <class Result, int CAPACITY> struct LongDraws {
    Result value[CAPACITY];
    uint16_t position[CAPACITY];
    uint8_t length[CAPACITY];  // 0: nothing begins there
};

// What a tile passes over, and how many units of the next one that includes.
struct Passed {
    uint32_t all, beyond;
};

}  // namespace gpuarray
