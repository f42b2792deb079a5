// The family of matrix factors: the addresses of a stack's matrices, which batched functions of libraries take, and
// what follows from LU factors: determinants, and the order of the rows.
#pragma once

#include "gpuarray/floating.cuh"
#include "gpuarray/types.cuh"

namespace gpuarray {

// The address of each matrix of a stack.
GPUARRAY_DEVICE void matrix_addresses(const char* first, uint64_t* addresses, int64_t distance, int64_t count) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) addresses[i] = uint64_t(first + i * distance);
}

// A product that can neither overflow nor underflow: (real + i imaginary) * 2^exponent, the greater part being in
// [0.5, 1), or zero, infinite or NaN.
struct ScaledProduct {
    double real = 1, imaginary = 0;
    int64_t exponent = 0;

    GPUARRAY_DEVICE void multiply(double x, double y, int64_t more) {
        const double r = real * x - imaginary * y;
        // Without an imaginary part an infinity must not meet a zero.
        imaginary = imaginary == 0 && y == 0 ? 0 : real * y + imaginary * x;
        real = y == 0 && imaginary == 0 ? real * x : r;
        exponent += more;
        normalize();
    }

    GPUARRAY_DEVICE void normalize() {
        const double size = ::fmax(::fabs(real), ::fabs(imaginary));
        if (size == 0 || !::isfinite(size)) return;
        const int shift = floating::frexp_exponent(size);
        real = ::ldexp(real, -shift);
        imaginary = ::ldexp(imaginary, -shift);
        exponent += shift;
    }
};

// One block for each matrix: the product of the diagonal, with the sign of the row exchanges. PARTS is 2 for complex
// elements. Stores the determinant, or its sign and the logarithm of its size.
template <class Real, int PARTS, class Pivot, int BLOCK, bool LOGARITHM>
GPUARRAY_DEVICE void determinant(const Real* factors, const Pivot* pivots, Real* result, Real* logarithm, int64_t n) {
    __shared__ ScaledProduct products[BLOCK];
    __shared__ bool negative[BLOCK];
    const int thread = threadIdx.x;
    const int64_t matrix = blockIdx.x;
    factors += matrix * n * n * PARTS;
    pivots += matrix * n;
    ScaledProduct product;
    bool odd = false;
    for (int64_t i = thread; i < n; i += BLOCK) {
        const Real* element = factors + i * (n + 1) * PARTS;
        product.multiply(element[0], PARTS == 2 ? element[PARTS - 1] : Real(0), 0);
        odd ^= pivots[i] != i + 1;
    }
    products[thread] = product;
    negative[thread] = odd;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) {
            const ScaledProduct& other = products[thread + half];
            products[thread].multiply(other.real, other.imaginary, other.exponent);
            negative[thread] ^= negative[thread + half];
        }
    }
    if (thread) return;
    product = products[0];
    const double sign = negative[0] ? -1.0 : 1.0;
    const bool zero = product.real == 0 && product.imaginary == 0;
    if (!LOGARITHM) {
        result[matrix * PARTS] = Real(zero ? 0.0 : floating::ldexp(sign * product.real, product.exponent));
        if (PARTS == 2)
            result[matrix * PARTS + 1] = Real(zero ? 0.0 : floating::ldexp(sign * product.imaginary, product.exponent));
        return;
    }
    // The parts are at most about 1, unless they are infinite.
    const double size = PARTS == 2 ? ::hypot(product.real, product.imaginary) : ::fabs(product.real);
    result[matrix * PARTS] = Real(zero ? 0.0 : sign * product.real / size);
    if (PARTS == 1 && ::isinf(product.real)) result[matrix] = Real(product.real > 0 ? sign : -sign);
    if (PARTS == 2) result[matrix * PARTS + 1] = Real(zero ? 0.0 : sign * product.imaginary / size);
    logarithm[matrix] = Real(::log(size) + double(product.exponent) * 0.693147180559945309417);
}

// A block for each matrix: the order that row exchanges, which are counted from 1, leave. Exchanges follow from one
// another, so one thread makes them, in shared memory where the order has room there.
template <class Pivot, int BLOCK, int MOST>
GPUARRAY_DEVICE void row_order(const Pivot* pivots, int64_t* order, int64_t exchanges, int64_t rows) {
    __shared__ int32_t shared[MOST];
    __shared__ int32_t others[BLOCK];
    const int64_t matrix = blockIdx.x;
    const int thread = threadIdx.x;
    const bool fits = rows <= MOST;
    pivots += matrix * exchanges;
    order += matrix * rows;
    for (int64_t i = thread; i < rows; i += BLOCK) {
        if (fits)
            shared[i] = int32_t(i);
        else
            order[i] = i;
    }
    for (int64_t first = 0; first < exchanges; first += BLOCK) {
        const int count = int(exchanges - first < BLOCK ? exchanges - first : BLOCK);
        __syncthreads();
        if (thread < count) {
            // A matrix with NaN may have no pivot.
            const int64_t other = int64_t(pivots[first + thread]) - 1;
            others[thread] = int32_t(other < 0 || other >= rows ? first + thread : other);
        }
        __syncthreads();
        if (thread) continue;
        for (int i = 0; i < count; ++i) {
            if (fits) {
                const int32_t row = shared[first + i];
                shared[first + i] = shared[others[i]];
                shared[others[i]] = row;
            } else {
                const int64_t row = order[first + i];
                order[first + i] = order[others[i]];
                order[others[i]] = row;
            }
        }
    }
    __syncthreads();
    if (!fits) return;
    for (int64_t i = thread; i < rows; i += BLOCK) order[i] = shared[i];
}

}  // namespace gpuarray
