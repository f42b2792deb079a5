// Exponentials of a row's elements divided by their sum, or the logarithms of these.
//
// The elements of a row stay in the registers of the threads that share it, so that memory is read once and written
// once. Sums have one order: each thread's elements, then threads by pairs, then warps.
#pragma once

#include "gpuarray/floating.cuh"

namespace gpuarray {

// Elements T in memory, computed in V; WIDTH threads share a row, BLOCK or a power of two up to a warp.
template <class T, class V, int WIDTH, int ITEMS, int BLOCK, bool LOG> struct RowShares {
    enum { WARPS = WIDTH > 32 ? WIDTH / 32 : 1, LANES = WIDTH > 32 ? 32 : WIDTH };

    GPUARRAY_DEVICE static V combine(V a, V b, bool greatest) { return greatest ? ::fmax(a, b) : a + b; }

    // The greatest of the threads' values, or their sum, in all threads of a row. A NaN is not the greatest; the sum has it.
    GPUARRAY_DEVICE static V together(V value, V* parts, bool greatest) {
#pragma unroll
        for (int distance = 1; distance < LANES; distance *= 2) {
            value = combine(value, __shfl_xor_sync(0xffffffffu, value, distance), greatest);
        }
        if (WARPS == 1) return value;
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
        __syncthreads();
        value = parts[0];
#pragma unroll
        for (int i = 1; i < WARPS; ++i) value = combine(value, parts[i], greatest);
        return value;
    }

    GPUARRAY_DEVICE static void run(T* results, const T* elements, int64_t rows, int64_t length) {
        __shared__ V parts[2][WARPS];
        const V nothing = -V(float_from_bits(0x7f800000u));
        const int lane = threadIdx.x % WIDTH;
        const int64_t row = int64_t(blockIdx.x) * (BLOCK / WIDTH) + threadIdx.x / WIDTH;
        // Threads without a row take part in the exchanges.
        const int64_t count = row < rows ? length : 0, first = row * length + lane;
        V values[ITEMS], greatest = nothing, total = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) values[i] = i * WIDTH + lane < count ? V(elements[first + i * WIDTH]) : nothing;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) greatest = ::fmax(greatest, values[i]);
        greatest = together(greatest, parts[0], true);
        // Infinities have the logarithms that they have without a shift.
        const V shift = LOG && ::isinf(greatest) ? V(0) : greatest;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const V power = ::exp(values[i] - shift);
            total += i * WIDTH + lane < count ? power : V(0);
            values[i] = LOG ? values[i] - shift : power;
        }
        total = together(total, parts[1], false);
        const V logarithm = LOG ? ::log(total) : V(0);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (i * WIDTH + lane < count) results[first + i * WIDTH] = T(LOG ? values[i] - logarithm : values[i] / total);
        }
    }
};

}  // namespace gpuarray
