// Philox4x32-10: a counter of 128 bits and a key of 64 bits give 128 random bits.
//
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. There is
// no state: blocks of bits are independent of one another, and can be computed by any thread at any time.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

struct PhiloxBlock {
    uint32_t words[4];

    GPUARRAY_DEVICE uint64_t low() const { return words[0] | uint64_t(words[1]) << 32; }
    GPUARRAY_DEVICE uint64_t high() const { return words[2] | uint64_t(words[3]) << 32; }
};

// The rounds' keys. For many blocks they are made once: the compiler would rather add them up for each block.
struct PhiloxKeys {
    enum { ROUNDS = 10 };
    uint32_t first[ROUNDS], second[ROUNDS];

    GPUARRAY_DEVICE explicit PhiloxKeys(uint64_t key) {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
            first[round] = uint32_t(key) + round * 0x9E3779B9u;
            second[round] = uint32_t(key >> 32) + round * 0xBB67AE85u;
        }
    }
    GPUARRAY_DEVICE void keep() {
#pragma unroll
        for (int round = 0; round < ROUNDS; ++round) {
            asm volatile("mov.b32 %0, %0;" : "+r"(first[round]));
            asm volatile("mov.b32 %0, %0;" : "+r"(second[round]));
        }
    }
};

GPUARRAY_DEVICE PhiloxBlock philox(const PhiloxKeys& keys, uint64_t counter_low, uint64_t counter_high) {
    uint32_t c0 = uint32_t(counter_low), c1 = uint32_t(counter_low >> 32);
    uint32_t c2 = uint32_t(counter_high), c3 = uint32_t(counter_high >> 32);
#pragma unroll
    for (int round = 0; round < PhiloxKeys::ROUNDS; ++round) {
        const uint64_t first = uint64_t(0xD2511F53u) * c0, second = uint64_t(0xCD9E8D57u) * c2;
        c0 = uint32_t(second >> 32) ^ c1 ^ keys.first[round];
        c1 = uint32_t(second);
        c2 = uint32_t(first >> 32) ^ c3 ^ keys.second[round];
        c3 = uint32_t(first);
    }
    return PhiloxBlock{{c0, c1, c2, c3}};
}
GPUARRAY_DEVICE PhiloxBlock philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
    return philox(PhiloxKeys(key), counter_low, counter_high);
}

}  // namespace gpuarray
