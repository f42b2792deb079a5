// A random order of the integers below n, of which any place can be computed by itself.
//
// A number is two digits, one below a and one below b, where a * b is n or a little more. A Feistel network adds
// functions of one digit to the other one, in turn, which permutes the numbers below a * b; it is applied until the
// result is below n. M. Luby, C. Rackoff: "How to construct pseudorandom permutations from pseudorandom functions",
// SIAM Journal on Computing 17 (1988); J. Black, P. Rogaway: "Ciphers with arbitrary finite domains", CT-RSA 2002, method 3.
#pragma once

#include "gpuarray/philox.cuh"

namespace gpuarray {

struct RandomOrder {
    enum { ROUNDS = 10 };
    uint64_t n;
    uint32_t a, b, keys[ROUNDS];
    bool swapped;

    // The bits of the key, and a number that tells orders of one key apart.
    GPUARRAY_DEVICE RandomOrder(uint64_t key, uint64_t number, uint64_t n) : n(n) {
        a = uint32_t(sqrt(double(n)));
        while (uint64_t(a) * a < n) ++a;
        b = uint32_t((n - 1) / a + 1);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const PhiloxBlock block = philox(key, number, i);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (4 * i + k < ROUNDS) keys[4 * i + k] = block.words[k];
            }
            // Where a and b are odd, the network is an even permutation: half of all.
            if (i == 2) swapped = block.words[3] & 1;
        }
    }
    // The mixing is that of the end of A. Appleby's MurmurHash3, 2011.
    GPUARRAY_DEVICE static uint32_t mixed(uint32_t x) {
        x = (x ^ x >> 16) * 0x85ebca6bu;
        x = (x ^ x >> 13) * 0xc2b2ae35u;
        return x ^ x >> 16;
    }
    // A digit plus a function of the other one.
    GPUARRAY_DEVICE static uint32_t sum(uint32_t digit, uint32_t other, uint32_t key, uint32_t base) {
        const uint32_t rest = base - __umulhi(mixed(other ^ key), base);
        return digit >= rest ? digit - rest : digit + (base - rest);
    }
    GPUARRAY_DEVICE uint64_t at(uint64_t place) const {
        if (swapped && place < 2) place ^= 1;
        uint32_t high, low;
        if (n <= 0xffffffffull) {
            high = uint32_t(place) / b;
            low = uint32_t(place) - high * b;
        } else {
            high = uint32_t(place / b);
            low = uint32_t(place - uint64_t(high) * b);
        }
        uint64_t found;
        do {
#pragma unroll
            for (int i = 0; i < ROUNDS; i += 2) {
                high = sum(high, low, keys[i], a);
                low = sum(low, high, keys[i + 1], b);
            }
            found = uint64_t(high) * b + low;
        } while (found >= n);
        return found;
    }
};

}  // namespace gpuarray
