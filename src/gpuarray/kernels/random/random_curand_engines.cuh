// Bit generators that cuRAND has, from their publications: streams of 64-bit words with states of their own.
//
// `Philox4x32` and `Mrg32k3a` can jump; `Xorwow` is read by one thread. See random_engines.cuh.
#pragma once

#include "gpuarray/philox.cuh"
#include "gpuarray/random_engines.cuh"

namespace gpuarray {

// Philox4x32-10: the key, and the number of the next word. A block of 128 bits is two words.
struct Philox4x32 {
    enum { WORDS = 2 };
    uint64_t key, number;

    GPUARRAY_DEVICE explicit Philox4x32(const uint64_t* words) : key(words[0]), number(words[1]) {}
    GPUARRAY_DEVICE void save(uint64_t* words) const {
        words[0] = key;
        words[1] = number;
    }
    GPUARRAY_DEVICE uint64_t word() const {
        const PhiloxBlock block = philox(key, number / 2, 0);
        return number & 1 ? block.high() : block.low();
    }
    GPUARRAY_DEVICE uint64_t next() {
        const uint64_t found = word();
        ++number;
        return found;
    }
    GPUARRAY_DEVICE void jump(uint64_t words) { number += words; }

    template <int UNIT> using Strides = Distances<UNIT>;
    template <int LEAP, class Engine = Philox4x32> struct Walk {
        Engine engine;

        GPUARRAY_DEVICE Walk(const Engine& start, uint64_t index) : engine(start) { engine.jump(index); }
        GPUARRAY_DEVICE uint64_t word() const { return engine.word(); }
        GPUARRAY_DEVICE void leap() { pass(LEAP); }
        GPUARRAY_DEVICE void pass(uint64_t words) { engine.jump(words); }
    };

    enum { GROUP = 2 };
    GPUARRAY_DEVICE uint32_t behind() const { return number & 1; }
    template <int STEP> struct Groups {
        uint64_t key, block;

        GPUARRAY_DEVICE Groups(const Philox4x32& engine, uint64_t group)
            : key(engine.key), block(engine.number / 2 + group + threadIdx.x) {}
        GPUARRAY_DEVICE void read(uint64_t (&words)[GROUP]) const {
            const PhiloxBlock made = philox(key, block, 0);
            words[0] = made.low();
            words[1] = made.high();
        }
        GPUARRAY_DEVICE void leap() { block += STEP; }
    };
};

// MRG32k3a: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
// generators", Operations Research 47 (1999). A word is two numbers, each scaled from below 2^32 - 209 to 2^32.
// `Jumps` has the matrices of steps by powers of two of words.
template <class Jumps> struct Mrg32k3a {
    enum { WORDS = 6 };
    static const uint32_t FIRST = 4294967087u, SECOND = 4294944443u;
    uint32_t a[3], b[3];

    GPUARRAY_DEVICE explicit Mrg32k3a(const uint64_t* words) {
        for (int i = 0; i < 3; ++i) a[i] = uint32_t(words[i]);
        for (int i = 0; i < 3; ++i) b[i] = uint32_t(words[3 + i]);
    }
    GPUARRAY_DEVICE void save(uint64_t* words) const {
        for (int i = 0; i < 3; ++i) words[i] = a[i];
        for (int i = 0; i < 3; ++i) words[3 + i] = b[i];
    }
    GPUARRAY_DEVICE uint32_t number() {
        // Differences are made positive by what the product is at most.
        const uint64_t p = (uint64_t(1403580) * a[1] + uint64_t(810728) * (FIRST - a[0])) % FIRST;
        const uint64_t q = (uint64_t(527612) * b[2] + uint64_t(1370589) * (SECOND - b[0])) % SECOND;
        a[0] = a[1];
        a[1] = a[2];
        a[2] = uint32_t(p);
        b[0] = b[1];
        b[1] = b[2];
        b[2] = uint32_t(q);
        const uint64_t found = p > q ? p - q : p + FIRST - q;
        return uint32_t(double(found - 1) * (4294967296.0 / FIRST));
    }
    GPUARRAY_DEVICE uint64_t next() {
        const uint64_t upper = number();
        return upper << 32 | number();
    }
    GPUARRAY_DEVICE static void multiply(uint32_t (&vector)[3], int row, uint32_t modulus) {
        uint32_t result[3];
        for (int i = 0; i < 3; ++i) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; ++k) sum += uint64_t(Jumps::factor(row + 3 * i + k)) * vector[k] % modulus;
            result[i] = uint32_t(sum % modulus);
        }
        for (int i = 0; i < 3; ++i) vector[i] = result[i];
    }
    // By 2^power words.
    GPUARRAY_DEVICE void leap(int power) {
        multiply(a, 18 * power, FIRST);
        multiply(b, 18 * power + 9, SECOND);
    }
    GPUARRAY_DEVICE void jump(uint64_t words) {
#pragma unroll 1
        for (int power = 0; words != 0; ++power, words >>= 1) {
            if (words & 1) leap(power);
        }
    }

    template <int UNIT> using Strides = Distances<UNIT>;
    template <int LEAP, class Engine = Mrg32k3a> struct Walk {
        Engine engine;

        GPUARRAY_DEVICE Walk(const Engine& start, uint64_t index) : engine(start) { engine.jump(index); }
        GPUARRAY_DEVICE uint64_t word() const {
            Engine read = engine;
            return read.next();
        }
        GPUARRAY_DEVICE void leap() { engine.leap(31 - __clz(LEAP)); }
        GPUARRAY_DEVICE void pass(uint64_t words) { engine.jump(words); }
    };

    enum { GROUP = 1 };
    GPUARRAY_DEVICE uint32_t behind() const { return 0; }
    template <int STEP> struct Groups {
        Walk<STEP> walk;

        GPUARRAY_DEVICE Groups(const Mrg32k3a& engine, uint64_t group)
            : walk(jumped_by_block(engine, group), uint64_t(threadIdx.x)) {}
        GPUARRAY_DEVICE void read(uint64_t (&words)[GROUP]) const { words[0] = walk.word(); }
        GPUARRAY_DEVICE void leap() { walk.leap(); }
    };
};

// XORWOW: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). A word is two numbers.
struct Xorwow {
    enum { WORDS = 6 };
    uint32_t x[5], d;

    GPUARRAY_DEVICE explicit Xorwow(const uint64_t* words) {
        for (int i = 0; i < 5; ++i) x[i] = uint32_t(words[i]);
        d = uint32_t(words[5]);
    }
    GPUARRAY_DEVICE void save(uint64_t* words) const {
        for (int i = 0; i < 5; ++i) words[i] = x[i];
        words[5] = d;
    }
    GPUARRAY_DEVICE uint32_t number() {
        const uint32_t t = x[0] ^ x[0] >> 2;
        for (int i = 0; i < 4; ++i) x[i] = x[i + 1];
        x[4] = x[4] ^ x[4] << 4 ^ t ^ t << 1;
        d += 362437;
        return d + x[4];
    }
    GPUARRAY_DEVICE uint64_t next() {
        const uint64_t upper = number();
        return upper << 32 | number();
    }
};

}  // namespace gpuarray
