// Cholesky factors of Hermitian positive definite matrices, and solutions by them.
#pragma once

#include "gpuarray/small_matrix.cuh"

namespace gpuarray {
namespace small {

// The lower factor takes the place of the lower triangle; the one above is not looked at. Returns the order of the
// first minor that is not positive, or 0. A NaN is no such minor, as it is none to OpenBLAS.
template <class T, int N> GPUARRAY_DEVICE int factor_cholesky(Tile<T, N>& a, int n, int lane) {
    typedef typename Scalar<T>::Real Real;
    int info = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        __syncwarp();
        const Real square = real_part(a[k][k]);
        if (square <= 0 && info == 0) info = k + 1;
        const Real root = ::sqrt(square);
        T factor = Scalar<T>::of(0);
        __syncwarp();
        if (lane == k) a[k][k] = Scalar<T>::of(root);
        if (lane > k && lane < n) a[lane][k] = factor = quotient(a[lane][k], root);
        __syncwarp();
        if (lane < n) {
#pragma unroll 4
            for (int j = k + 1; j <= lane; ++j) a[lane][j] = a[lane][j] - factor * conjugate(a[j][k]);
        }
    }
    __syncwarp();
    return info;
}

// UPPER: the matrix is given by its triangle above, and so is the factor.
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void cholesky(const T* matrices, T* results, int32_t* infos, const Places& stack, int32_t n,
                              int32_t upper, uint64_t count) {
    __shared__ Tile<T, N> factors[WARPS * 32 / N];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = factors[place];
        load_triangle<T, N>(a, operand(matrices, stack, 0, index), n, upper, lane);
        const int info = factor_cholesky<T, N>(a, n, lane);
        if (!here) return;
        if (lane == 0) infos[index] = info;
        const Matrix<T> to = result(results, index, n, n);
        if (info) return store_nan<T, N>(to, n, n, lane);
        for_each<N>(n, n, true, lane, [&](int i, int j) {
            T x = Scalar<T>::of(0);
            if (upper ? i <= j : j <= i) x = upper ? conjugate(a[j][i]) : a[i][j];
            to(i, j) = x;
        });
    });
}

// Solves by factors for COLUMNS right-hand sides at a time.
template <class T, int N, int WARPS, int COLUMNS, class Places>
GPUARRAY_DEVICE void cholesky_solve(const T* matrices, const T* right, T* results, const Places& stack, int32_t n,
                                    int32_t sides, int32_t upper, uint64_t count) {
    typedef typename Scalar<T>::Real Real;
    __shared__ Tile<T, N> factors[WARPS * 32 / N];
    __shared__ T solutions[WARPS * 32 / N][N][COLUMNS + 1];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = factors[place];
        T(&b)[N][COLUMNS + 1] = solutions[place];
        load_triangle<T, N>(a, operand(matrices, stack, 0, index), n, upper, lane);
        const Matrix<const T> given = operand(right, stack, 1, index);
        const Matrix<T> solution = result(results, index, n, sides);
#pragma unroll 1
        for (int first = 0; first < sides; first += COLUMNS) {
            const int columns = sides - first < COLUMNS ? sides - first : COLUMNS;
            for_each<N>(n, columns, lies_along_rows(given, sides), lane,
                        [&](int i, int j) { b[i][j] = given(i, first + j); });
#pragma unroll 1
            for (int step = 0; step < 2 * n; ++step) {
                // Forwards with the factor, then backwards with its conjugate transpose.
                const bool forwards = step < n;
                const int k = forwards ? step : 2 * n - 1 - step;
                __syncwarp();
                if (lane < columns) b[k][lane] = quotient(b[k][lane], forwards ? a[k][k] : conjugate(a[k][k]));
                __syncwarp();
                if (forwards ? lane > k && lane < n : lane < k) {
                    const T factor = forwards ? a[lane][k] : conjugate(a[k][lane]);
#pragma unroll 4
                    for (int j = 0; j < columns; ++j) b[lane][j] = b[lane][j] - factor * b[k][j];
                }
            }
            __syncwarp();
            if (here) {
                for_each<N>(n, columns, sides > 1, lane, [&](int i, int j) { solution(i, first + j) = b[i][j]; });
            }
            __syncwarp();
        }
    });
}

}  // namespace small
}  // namespace gpuarray
