// Bit generators: streams of 64-bit words, as NumPy's classes of the same names make them.
//
// A state is an array of 64-bit words: whether an upper half of a word is kept for the next draw of 32 bits, that half,
// two words that random_compact.cuh keeps at 0 between draws, and the engine's own words. A draw reads one state and
// writes the next one to other memory, so that no thread reads what another writes.
//
// Engines that can jump, PCG64, PCG64DXSM and Philox, are read by many threads at once: by a `Walk`, words that are some
// words apart, or by `Groups`, groups of neighbouring words that are made together, by the threads of a block side by
// side; `behind` words of the first group have been read before. SFC64 and MT19937 have no such form.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

enum { STATE_HEADER = 4 };

struct Wide {
    uint64_t high, low;
};

// An engine that has jumped, by one thread's jump for all of a block.
template <class Engine> GPUARRAY_DEVICE Engine jumped_by_block(Engine engine, uint64_t words) {
    __shared__ uint64_t saved[Engine::WORDS];
    if (threadIdx.x == 0) {
        engine.jump(words);
        engine.save(saved);
    }
    __syncthreads();
    return Engine(saved);
}

// What takes walks further, by any number of UNIT words: for engines that jump at once.
template <int UNIT> struct Distances {
    template <int BLOCK, class Engine> GPUARRAY_DEVICE void load(const Engine&) {}
    GPUARRAY_DEVICE static bool reach(uint64_t) { return true; }
    template <class Walk> GPUARRAY_DEVICE static void take(Walk& walk, uint64_t number) { walk.pass(number * UNIT); }
};

// Numbers of 128 bits, whose sums the compiler carries best where they are one number to it.
typedef unsigned __int128 Wide128;
GPUARRAY_DEVICE Wide128 joined(Wide x) { return Wide128(x.high) << 64 | x.low; }
GPUARRAY_DEVICE Wide parted(Wide128 x) { return Wide{uint64_t(x >> 64), uint64_t(x)}; }

// The lower 128 bits of a product, and of a product and a sum.
GPUARRAY_DEVICE Wide wide_product(Wide a, Wide b) { return parted(joined(a) * joined(b)); }
GPUARRAY_DEVICE Wide wide_sum(Wide a, Wide b, Wide c) { return parted(joined(a) * joined(b) + joined(c)); }

// Selects halves first: a shift of 64 bits by a variable number is several instructions.
GPUARRAY_DEVICE uint64_t rotate_right(uint64_t x, uint32_t bits) {
    const uint32_t lower = uint32_t(x), upper = uint32_t(x >> 32);
    const uint32_t low = bits & 32 ? upper : lower, high = bits & 32 ? lower : upper;
    return uint64_t(__funnelshift_r(high, low, bits)) << 32 | __funnelshift_r(low, high, bits);
}

// PCG64 (XSL-RR) and PCG64DXSM: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
// Random Number Generation", 2014. `Jumps` has the multiplier's powers (see tables.py).
template <class Jumps, bool DXSM> struct Pcg64 {
    enum { WORDS = 4 };
    Wide state, increment;

    GPUARRAY_DEVICE explicit Pcg64(const uint64_t* words)
        : state{words[0], words[1]}, increment{words[2], words[3]} {}
    GPUARRAY_DEVICE void save(uint64_t* words) const {
        words[0] = state.high;
        words[1] = state.low;
        words[2] = increment.high;
        words[3] = increment.low;
    }
    GPUARRAY_DEVICE static uint64_t output(Wide x) {
        if constexpr (DXSM) {
            uint64_t high = x.high;
            high ^= high >> 32;
            high *= Jumps::lower();
            high ^= high >> 48;
            return high * (x.low | 1);
        }
        return rotate_right(x.high ^ x.low, uint32_t(x.high >> 58));
    }
    GPUARRAY_DEVICE Wide stepped() const {
        return wide_sum(Wide{Jumps::upper(), Jumps::lower()}, state, increment);
    }
    GPUARRAY_DEVICE uint64_t next() {
        const Wide before = state;
        state = stepped();
        return output(DXSM ? before : state);
    }
    GPUARRAY_DEVICE void jump(uint64_t words) {
#pragma unroll 1
        for (int digit = 0; words != 0; ++digit, words >>= 4) {
            const int value = words & 15;
            if (value == 0) continue;
            state = wide_sum(Jumps::factor(digit, value), state,
                             wide_product(Jumps::total(digit, value), increment));
        }
    }

    // What takes any state so many words ahead.
    struct Offset {
        Wide factor, constant;

        Offset() = default;
        GPUARRAY_DEVICE Offset(Pcg64 engine, uint64_t words) {
            engine.state = Wide{0, 0};
            engine.jump(words);
            constant = engine.state;
            engine.state = Wide{0, 1};
            engine.increment = Wide{0, 0};
            engine.jump(words);
            factor = engine.state;
        }
    };

    // A position that moves on by LEAP words, a power of two.
    template <int LEAP> struct Walk {
        Wide point, factor, constant;

        GPUARRAY_DEVICE Walk(Pcg64 engine, uint64_t index) {
            engine.jump(index);
            point = DXSM ? engine.state : engine.stepped();
            int digit = 0, value = LEAP;
            for (; value >= 16; value /= 16) ++digit;
            factor = Jumps::factor(digit, value);
            constant = wide_product(Jumps::total(digit, value), engine.increment);
        }
        GPUARRAY_DEVICE uint64_t word() const { return output(point); }
        GPUARRAY_DEVICE void leap() { point = wide_sum(factor, point, constant); }
    };

    // What takes a walk further, by any number of UNIT words below a limit: in shared memory, for all threads of a block.
    template <int UNIT> struct Strides {
        enum { BITS = 5, TOP = 4, COUNT = (2 << BITS) + TOP };
        Offset offsets[COUNT];

        template <int BLOCK> GPUARRAY_DEVICE void load(const Pcg64& engine) {
            for (int i = threadIdx.x; i < COUNT; i += BLOCK) {
                const int digit = i >> BITS, value = i & (1 << BITS) - 1;
                offsets[i] = Offset(engine, uint64_t(value << digit * BITS) * UNIT);
            }
        }
        GPUARRAY_DEVICE static bool reach(uint64_t number) { return number < TOP << 2 * BITS; }
        template <class Walk> GPUARRAY_DEVICE void take(Walk& walk, uint32_t number) const {
#pragma unroll
            for (int digit = 0; digit < 3; ++digit) {
                const Offset& offset = offsets[(digit << BITS) + (number >> digit * BITS & (1 << BITS) - 1)];
                walk.point = wide_sum(offset.factor, walk.point, offset.constant);
            }
        }
    };

    // Two words, which can be stored as one: the second is a step from the first.
    enum { GROUP = 2 };
    GPUARRAY_DEVICE uint32_t behind() const { return 0; }
    template <int STEP, class Engine = Pcg64> struct Groups {
        Engine second;
        Walk<GROUP * STEP> first;

        GPUARRAY_DEVICE Groups(const Engine& engine, uint64_t group)
            : second(jumped_by_block(engine, group * GROUP)), first(second, uint64_t(threadIdx.x * GROUP)) {}
        GPUARRAY_DEVICE void read(uint64_t (&words)[GROUP]) {
            second.state = first.point;
            words[0] = output(first.point);
            words[1] = output(second.stepped());
        }
        GPUARRAY_DEVICE void leap() { first.leap(); }
    };
};

// Philox4x64-10: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011. A block of four words
// belongs to a counter; the state keeps the block that is being read, and where.
struct Philox4x64 {
    enum { WORDS = 11 };
    uint64_t counter[4], key[2], buffer[4], position;

    GPUARRAY_DEVICE explicit Philox4x64(const uint64_t* words) {
        for (int i = 0; i < 4; ++i) counter[i] = words[i];
        for (int i = 0; i < 2; ++i) key[i] = words[4 + i];
        for (int i = 0; i < 4; ++i) buffer[i] = words[6 + i];
        position = words[10];
    }
    GPUARRAY_DEVICE void save(uint64_t* words) const {
        for (int i = 0; i < 4; ++i) words[i] = counter[i];
        for (int i = 0; i < 2; ++i) words[4 + i] = key[i];
        for (int i = 0; i < 4; ++i) words[6 + i] = buffer[i];
        words[10] = position;
    }
    GPUARRAY_DEVICE void advance(uint64_t blocks) {
        counter[0] += blocks;
        if (counter[0] < blocks && ++counter[1] == 0 && ++counter[2] == 0) ++counter[3];
    }
    GPUARRAY_DEVICE void make_block() {
        uint64_t block[1][4] = {{counter[0], counter[1], counter[2], counter[3]}};
        make_blocks(block, key[0], key[1]);
        for (int i = 0; i < 4; ++i) buffer[i] = block[0][i];
    }
    // Of counters, which share the rounds' keys and overlap.
    template <int COUNT> GPUARRAY_DEVICE static void make_blocks(uint64_t (&x)[COUNT][4], uint64_t first, uint64_t second) {
#pragma unroll
        for (int round = 0; round < 10; ++round) {
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                const Wide128 one = Wide128(0xD2E7470EE14C6C93ull) * x[k][0];
                const Wide128 other = Wide128(0xCA5A826395121157ull) * x[k][2];
                x[k][0] = uint64_t(other >> 64) ^ x[k][1] ^ first;
                x[k][1] = uint64_t(other);
                x[k][2] = uint64_t(one >> 64) ^ x[k][3] ^ second;
                x[k][3] = uint64_t(one);
            }
            first += 0x9E3779B97F4A7C15ull;
            second += 0xBB67AE8584CAA73Bull;
        }
    }
    GPUARRAY_DEVICE uint64_t at(int i) const {
        return i < 2 ? i == 0 ? buffer[0] : buffer[1] : i == 2 ? buffer[2] : buffer[3];
    }
    GPUARRAY_DEVICE uint64_t next() {
        if (position >= 4) {
            advance(1);
            make_block();
            position = 0;
        }
        return at(int(position++));
    }
    // Makes the block that the last word skipped is in, as reading them would.
    GPUARRAY_DEVICE void jump(uint64_t words) {
        const uint64_t left = 4 - position;
        if (words <= left) {
            position += words;
            return;
        }
        const uint64_t behind = words - left - 1;
        advance(1);
        advance(behind / 4);
        make_block();
        position = behind % 4 + 1;
    }

    template <int UNIT> using Strides = Distances<UNIT>;
    template <int LEAP, class Engine = Philox4x64> struct Walk {
        Engine start;
        uint64_t index;

        GPUARRAY_DEVICE Walk(const Engine& engine, uint64_t index) : start(engine), index(index) {}
        GPUARRAY_DEVICE uint64_t word() const {
            Engine engine = start;
            engine.jump(index);
            return engine.next();
        }
        GPUARRAY_DEVICE void leap() { pass(LEAP); }
        GPUARRAY_DEVICE void pass(uint64_t words) { index += words; }
    };

    // A block's four words.
    enum { GROUP = 4 };
    GPUARRAY_DEVICE uint32_t behind() const { return uint32_t(position); }
    template <int STEP, class Engine = Philox4x64> struct Groups {
        Engine engine;
        bool made;  // the first block is the one that the state has

        GPUARRAY_DEVICE Groups(const Engine& start, uint64_t group) : engine(start), made(group + threadIdx.x == 0) {
            engine.advance(group + threadIdx.x);
        }
        GPUARRAY_DEVICE void read(uint64_t (&words)[GROUP]) {
            if (!made) engine.make_block();
            made = false;
#pragma unroll
            for (int i = 0; i < GROUP; ++i) words[i] = engine.buffer[i];
        }
        GPUARRAY_DEVICE void leap() { engine.advance(STEP); }
    };
};

// The next groups of a thread where nothing is carried from the first word of the counter, and none is the first one of a
// draw: products of the counter's other words are made once for all.
template <int STEP, class Engine>
GPUARRAY_DEVICE bool can_read_next(const Philox4x64::Groups<STEP, Engine>& groups, uint32_t count) {
    return groups.engine.counter[0] + uint64_t(count) * STEP >= groups.engine.counter[0];
}
template <int STEP, class Engine, int COUNT>
GPUARRAY_DEVICE void read_next(Philox4x64::Groups<STEP, Engine>& groups, uint64_t (&words)[COUNT][Philox4x64::GROUP]) {
    const uint64_t* const counter = groups.engine.counter;
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
        words[k][0] = counter[0] + k * STEP;
#pragma unroll
        for (int i = 1; i < Philox4x64::GROUP; ++i) words[k][i] = counter[i];
    }
    groups.engine.counter[0] += COUNT * STEP;
    Philox4x64::make_blocks(words, groups.engine.key[0], groups.engine.key[1]);
}

// SFC64: Doty-Humphrey's small fast chaotic generator, of PractRand.
struct Sfc64 {
    enum { WORDS = 4 };
    uint64_t a, b, c, counter;

    GPUARRAY_DEVICE explicit Sfc64(const uint64_t* words)
        : a(words[0]), b(words[1]), c(words[2]), counter(words[3]) {}
    GPUARRAY_DEVICE void save(uint64_t* words) const {
        words[0] = a;
        words[1] = b;
        words[2] = c;
        words[3] = counter;
    }
    GPUARRAY_DEVICE uint64_t next() {
        const uint64_t result = a + b + counter++;
        a = b ^ b >> 11;
        b = c + (c << 3);
        c = rotate_right(c, 40) + result;
        return result;
    }
};

// MT19937: Matsumoto and Nishimura, "Mersenne Twister", 1998. It makes 32 bits at a time: a word takes two of them, the
// upper half first. The state is 624 halves, two in a word, and how many of them have been read.
struct Mt19937 {
    enum { LENGTH = 624, MIDDLE = 397, WORDS = LENGTH / 2 + 1 };
    uint32_t* key;
    uint64_t position;

    // The key is worked on where the next state will be.
    GPUARRAY_DEVICE Mt19937(const uint64_t* words, uint64_t* next)
        : key(reinterpret_cast<uint32_t*>(next)), position(words[WORDS - 1]) {
        for (int i = 0; i < WORDS - 1; ++i) next[i] = words[i];
    }
    GPUARRAY_DEVICE void save(uint64_t* words) const { words[WORDS - 1] = position; }
    GPUARRAY_DEVICE void twist(int i, int following, int other) {
        const uint32_t y = (key[i] & 0x80000000u) | (key[following] & 0x7fffffffu);
        key[i] = key[other] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    GPUARRAY_DEVICE uint32_t half() {
        if (position == LENGTH) {
#pragma unroll 1
            for (int i = 0; i < LENGTH; ++i) twist(i, (i + 1) % LENGTH, (i + MIDDLE) % LENGTH);
            position = 0;
        }
        uint32_t y = key[position++];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        return y ^ y >> 18;
    }
    GPUARRAY_DEVICE uint64_t next() {
        const uint64_t upper = half();
        return upper << 32 | half();
    }
};

// ---- reading as NumPy does ----------------------------------------------------------------------------------------

GPUARRAY_DEVICE double unit_double(uint64_t word) { return double(word >> 11) * (1.0 / 9007199254740992.0); }
GPUARRAY_DEVICE float unit_float(uint32_t half) { return float(half >> 8) * (1.0f / 16777216.0f); }

// Words, halves and floats one after another. Of a word that gives 32 bits the upper half is kept for the next ones.
template <class Engine> struct Stream {
    Engine engine;
    uint32_t kept_there, kept;
    uint32_t read;  // units: a draw reads either words or halves

    GPUARRAY_DEVICE explicit Stream(const uint64_t* state)
        : engine(state + STATE_HEADER), kept_there(uint32_t(state[0])), kept(uint32_t(state[1])), read(0) {}
    GPUARRAY_DEVICE Stream(const uint64_t* state, uint64_t*) : Stream(state) {}

    GPUARRAY_DEVICE uint64_t next64() {
        ++read;
        return engine.next();
    }
    GPUARRAY_DEVICE uint32_t next32() {
        ++read;
        if (kept_there) {
            kept_there = 0;
            return kept;
        }
        const uint64_t word = engine.next();
        kept_there = 1;
        kept = uint32_t(word >> 32);
        return uint32_t(word);
    }
    GPUARRAY_DEVICE double next_double() { return unit_double(next64()); }
    GPUARRAY_DEVICE float next_float() { return unit_float(next32()); }

    // Passes over units of 64 or 32 bits.
    template <int BITS> GPUARRAY_DEVICE void skip(uint64_t units) {
        if constexpr (BITS == 64) {
            engine.jump(units);
        } else {
            if (units == 0) return;
            if (kept_there) {
                kept_there = 0;
                if (--units == 0) return;
            }
            const uint64_t words = (units + 1) / 2;
            engine.jump(words - 1);
            kept = uint32_t(engine.next() >> 32);
            kept_there = units & 1;
        }
    }
    GPUARRAY_DEVICE void save(uint64_t* next) const {
        next[0] = kept_there;
        next[1] = kept;
        engine.save(next + STATE_HEADER);
    }
};

template <> struct Stream<Mt19937> {
    Mt19937 engine;
    uint32_t read;

    GPUARRAY_DEVICE Stream(const uint64_t* state, uint64_t* next)
        : engine(state + STATE_HEADER, next + STATE_HEADER), read(0) {}
    GPUARRAY_DEVICE uint64_t next64() { return engine.next(); }
    GPUARRAY_DEVICE uint32_t next32() { return engine.half(); }
    GPUARRAY_DEVICE double next_double() {
        const uint32_t upper = engine.half() >> 5, lower = engine.half() >> 6;
        return (upper * 67108864.0 + lower) / 9007199254740992.0;
    }
    GPUARRAY_DEVICE float next_float() { return unit_float(next32()); }
    GPUARRAY_DEVICE void save(uint64_t* next) const {
        next[0] = next[1] = 0;
        engine.save(next + STATE_HEADER);
    }
};

// Writes the state behind so many units. One thread of a launch does it.
template <class Engine, int BITS>
GPUARRAY_DEVICE void finish(const uint64_t* state, uint64_t* next, uint64_t units) {
    Stream<Engine> stream(state);
    stream.template skip<BITS>(units);
    stream.save(next);
}

}  // namespace gpuarray
