// Rows of numbers, given by their logarithms, over their sums.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// LANES neighbouring threads have a row, in place.
template <int BLOCK, int LANES> GPUARRAY_DEVICE void to_shares(double* values, uint64_t rows, uint64_t length) {
    const uint32_t lane = threadIdx.x % LANES;
    const uint64_t step = uint64_t(gridDim.x) * (BLOCK / LANES);
    const uint64_t all = (rows + BLOCK / LANES - 1) / (BLOCK / LANES) * (BLOCK / LANES);
    for (uint64_t row = uint64_t(blockIdx.x) * (BLOCK / LANES) + threadIdx.x / LANES; row < all; row += step) {
        // Threads of rows that are not there take part in what the lanes of a warp do together.
        double* const first = values + row * length;
        const uint64_t count = row < rows ? length : 0;
        double greatest = -1.7976931348623157e308, total = 0, mine = 0;
        if (length <= LANES) {
            if (lane < count) greatest = fmax(greatest, mine = first[lane]);
        } else {
            for (uint64_t i = lane; i < count; i += LANES) greatest = fmax(greatest, first[i]);
        }
#pragma unroll
        for (int other = LANES / 2; other; other /= 2) {
            greatest = fmax(greatest, __shfl_xor_sync(0xffffffffu, greatest, other));
        }
        if (length <= LANES) {
            if (lane < count) total = mine = exp(mine - greatest);
        } else {
            for (uint64_t i = lane; i < count; i += LANES) {
                const double x = exp(first[i] - greatest);
                first[i] = x;
                total += x;
            }
        }
#pragma unroll
        for (int other = LANES / 2; other; other /= 2) total += __shfl_xor_sync(0xffffffffu, total, other);
        // The greatest is 1 before it is divided, unless all shapes are 0. NaN, of a shape without a meaning, is all's.
        if (total < 1) total = 1;
        if (length <= LANES) {
            if (lane < count) first[lane] = mine / total;
        } else {
            for (uint64_t i = lane; i < count; i += LANES) first[i] /= total;
        }
    }
}

}  // namespace gpuarray
