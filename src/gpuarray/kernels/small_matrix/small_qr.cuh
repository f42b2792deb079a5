// QR factors by Householder's reflections, with LAPACK's signs.
#pragma once

#include "gpuarray/small_matrix.cuh"

namespace gpuarray {
namespace small {

// R takes the place of the triangle on and above the diagonal, the reflections' vectors that of the rest, without
// their first element, which is 1. Lane k returns the factor of reflection k.
template <class T, int N> GPUARRAY_DEVICE T factor_qr(Tile<T, N>& a, int rows, int columns, int lane) {
    typedef typename Scalar<T>::Real Real;
    const int steps = rows < columns ? rows : columns;
    T own = Scalar<T>::of(0);
#pragma unroll 1
    for (int k = 0; k < steps; ++k) {
        __syncwarp();
        // Scaled, so that squares neither overflow nor vanish.
        const T x = lane >= k && lane < rows ? a[lane][k] : Scalar<T>::of(0);
        const Real scale = scale_to(greatest_of_lanes<N>(greater_part(x)), 0);
        const T scaled = x * scale, first = from_lane(scaled, k, N);
        const Real below = sum_of_lanes<N>(lane > k ? square(scaled) : Real(0));
        const Real length = ::sqrt(sum_of_lanes<N>(square(scaled)));
        T factor = Scalar<T>::of(0);
        if (below != 0 || imaginary_part(first) != 0) {
            const Real end = real_part(first) < 0 ? length : -length;
            factor = quotient(Scalar<T>::of(end) - first, end);
            if (lane > k && lane < rows) a[lane][k] = quotient(scaled, first - Scalar<T>::of(end));
            if (lane == k) a[k][k] = Scalar<T>::of(end / scale);
        }
        if (lane == k) own = factor;
        __syncwarp();
        if (lane > k && lane < columns) {
            T share = a[k][lane];
#pragma unroll 4
            for (int i = k + 1; i < rows; ++i) share = share + conjugate(a[i][k]) * a[i][lane];
            share = share * conjugate(factor);
            a[k][lane] = a[k][lane] - share;
#pragma unroll 4
            for (int i = k + 1; i < rows; ++i) a[i][lane] = a[i][lane] - a[i][k] * share;
        }
    }
    __syncwarp();
    return own;
}

template <class T, int N>
GPUARRAY_DEVICE void store_r(const Tile<T, N>& a, const Matrix<T>& to, int rows, int columns, int lane) {
    for_each<N>(rows, columns, true, lane, [&](int i, int j) {
        T x = Scalar<T>::of(0);
        if (i <= j) x = a[i][j];
        to(i, j) = x;
    });
}

// Q has `width` columns, R as many rows.
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void qr(const T* matrices, T* orthogonal, T* triangular, const Places& stack, int32_t rows,
                        int32_t columns, int32_t width, uint64_t count) {
    __shared__ Tile<T, N> tiles[WARPS * 32 / N];
    __shared__ Tile<T, N> products[WARPS * 32 / N];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>&a = tiles[place], &q = products[place];
        load<T, N>(a, operand(matrices, stack, 0, index), rows, columns, lane);
        const T own = factor_qr<T, N>(a, rows, columns, lane);
        if (lane < width) {
            for (int i = 0; i < rows; ++i) q[i][lane] = Scalar<T>::of(i == lane);
        }
#pragma unroll 1
        for (int k = (rows < columns ? rows : columns) - 1; k >= 0; --k) {
            const T factor = from_lane(own, k, N);
            if (lane < k || lane >= width) continue;
            T share = q[k][lane];
#pragma unroll 4
            for (int i = k + 1; i < rows; ++i) share = share + conjugate(a[i][k]) * q[i][lane];
            share = share * factor;
            q[k][lane] = q[k][lane] - share;
#pragma unroll 4
            for (int i = k + 1; i < rows; ++i) q[i][lane] = q[i][lane] - a[i][k] * share;
        }
        __syncwarp();
        if (!here) return;
        const Matrix<T> to = result(orthogonal, index, rows, width);
        for_each<N>(rows, width, true, lane, [&](int i, int j) { to(i, j) = q[i][j]; });
        store_r<T, N>(a, result(triangular, index, width, columns), width, columns, lane);
    });
}

template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void qr_r(const T* matrices, T* triangular, const Places& stack, int32_t rows, int32_t columns,
                          uint64_t count) {
    __shared__ Tile<T, N> tiles[WARPS * 32 / N];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = tiles[place];
        load<T, N>(a, operand(matrices, stack, 0, index), rows, columns, lane);
        factor_qr<T, N>(a, rows, columns, lane);
        const int width = rows < columns ? rows : columns;
        if (here) store_r<T, N>(a, result(triangular, index, width, columns), width, columns, lane);
    });
}

// What LAPACK's geqrf leaves, transposed: a column of the matrix is a row; and the reflections' factors.
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void qr_raw(const T* matrices, T* results, T* factors, const Places& stack, int32_t rows,
                            int32_t columns, uint64_t count) {
    __shared__ Tile<T, N> tiles[WARPS * 32 / N];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = tiles[place];
        load<T, N>(a, operand(matrices, stack, 0, index), rows, columns, lane);
        const T own = factor_qr<T, N>(a, rows, columns, lane);
        if (!here) return;
        const int steps = rows < columns ? rows : columns;
        if (lane < steps) factors[index * steps + lane] = own;
        const Matrix<T> to = result(results, index, columns, rows);
        for_each<N>(columns, rows, true, lane, [&](int i, int j) { to(i, j) = a[j][i]; });
    });
}

}  // namespace small
}  // namespace gpuarray
