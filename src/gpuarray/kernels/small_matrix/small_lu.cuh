// LU factors with partial pivoting, and what follows from them: solutions, inverses, determinants.
#pragma once

#include "gpuarray/small_matrix.cuh"

namespace gpuarray {
namespace small {

// What a lane knows of a factorisation: lane i of row i.
struct Pivots {
    int info;     // the first pivot that is zero, counted from 1, or 0
    int swapped;  // the row that was exchanged with row i in step i
    int origin;   // where row i was before
    bool odd;     // an odd number of exchanges
};

// A NaN is a pivot where all others are NaN as well: LAPACK's search passes over it.
template <class T, int N> GPUARRAY_DEVICE Pivots factor_lu(Tile<T, N>& a, int rows, int columns, int lane) {
    typedef typename Scalar<T>::Real Real;
    Pivots pivots = {0, lane, lane, false};
    const int steps = rows < columns ? rows : columns;
#pragma unroll 1
    for (int k = 0; k < steps; ++k) {
        Real size = Real(-1);
        if (lane >= k && lane < rows) {
            size = sum_of_parts(a[lane][k]);
            if (isnan(size)) size = Real(-0.5);
        }
        const int row = lane_of_greatest<N>(size, lane);
        const int here = from_lane(pivots.origin, k, N), there = from_lane(pivots.origin, row, N);
        if (lane == k) pivots.swapped = row;
        if (lane == k) pivots.origin = there;
        else if (lane == row) pivots.origin = here;
        __syncwarp();
        if (row != k) {
            pivots.odd = !pivots.odd;
            if (lane < columns) {
                const T moved = a[k][lane];
                a[k][lane] = a[row][lane];
                a[row][lane] = moved;
            }
        }
        __syncwarp();
        const T pivot = a[k][k];
        if (real_part(pivot) == 0 && imaginary_part(pivot) == 0) {
            if (pivots.info == 0) pivots.info = k + 1;
        } else if (lane > k && lane < rows) {
            const T factor = quotient(a[lane][k], pivot);
            a[lane][k] = factor;
#pragma unroll 4
            for (int j = k + 1; j < columns; ++j) a[lane][j] = a[lane][j] - factor * a[k][j];
        }
    }
    __syncwarp();
    return pivots;
}

// Solves with the factors for `columns` right-hand sides, whose rows are permuted already.
template <class T, int N, int COLUMNS>
GPUARRAY_DEVICE void substitute_lu(const Tile<T, N>& a, T (&b)[N][COLUMNS + 1], int n, int columns, int lane) {
#pragma unroll 1
    for (int k = 0; k < n - 1; ++k) {
        __syncwarp();
        if (lane > k && lane < n) {
            const T factor = a[lane][k];
#pragma unroll 4
            for (int j = 0; j < columns; ++j) b[lane][j] = b[lane][j] - factor * b[k][j];
        }
    }
#pragma unroll 1
    for (int k = n - 1; k >= 0; --k) {
        __syncwarp();
        if (lane < columns) b[k][lane] = quotient(b[k][lane], a[k][k]);
        __syncwarp();
        if (lane < k) {
            const T factor = a[lane][k];
#pragma unroll 4
            for (int j = 0; j < columns; ++j) b[lane][j] = b[lane][j] - factor * b[k][j];
        }
    }
    __syncwarp();
}

// Right-hand sides are solved for COLUMNS at a time. INVERSE: they are the unit vectors.
template <class T, int N, int WARPS, int COLUMNS, bool INVERSE, class Places>
GPUARRAY_DEVICE void solve_for(const T* matrices, const T* right, T* results, int32_t* infos, const Places& stack,
                               int32_t n, int32_t sides, uint64_t count) {
    __shared__ Tile<T, N> factors[WARPS * 32 / N];
    __shared__ T solutions[WARPS * 32 / N][N][COLUMNS + 1];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = factors[place];
        T(&b)[N][COLUMNS + 1] = solutions[place];
        load<T, N>(a, operand(matrices, stack, 0, index), n, n, lane);
        __syncwarp();
        const Pivots pivots = factor_lu<T, N>(a, n, n, lane);
        if (here && lane == 0) infos[index] = pivots.info;
        const Matrix<T> solution = result(results, index, n, sides);
#pragma unroll 1
        for (int first = 0; first < sides; first += COLUMNS) {
            const int columns = sides - first < COLUMNS ? sides - first : COLUMNS;
            if constexpr (INVERSE) {
                if (lane < n) {
                    for (int j = 0; j < columns; ++j) b[lane][j] = Scalar<T>::of(j == pivots.origin);
                }
            } else {
                const Matrix<const T> given = operand(right, stack, 1, index);
                const bool along_rows = lies_along_rows(given, sides);
                for (int step = 0; step < (along_rows ? n : columns); ++step) {
                    const int origin = from_lane(pivots.origin, along_rows ? step : lane, N);
                    const int i = along_rows ? step : lane, j = along_rows ? lane : step;
                    if (i < n && j < columns) b[i][j] = given(origin, first + j);
                }
            }
            substitute_lu<T, N, COLUMNS>(a, b, n, columns, lane);
            const T nan = Scalar<T>::of(Precision<typename Scalar<T>::Real>::nan());
            if (here) {
                for_each<N>(n, columns, sides > 1, lane, [&](int i, int j) {
                    solution(i, first + j) = pivots.info ? nan : b[i][j];
                });
            }
            __syncwarp();
        }
    });
}

template <class T, int N, int WARPS, int COLUMNS, class Places>
GPUARRAY_DEVICE void solve(const T* matrices, const T* right, T* results, int32_t* infos, const Places& stack,
                           int32_t n, int32_t sides, uint64_t count) {
    solve_for<T, N, WARPS, COLUMNS, false>(matrices, right, results, infos, stack, n, sides, count);
}
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void invert(const T* matrices, T* results, int32_t* infos, const Places& stack, int32_t n,
                            uint64_t count) {
    solve_for<T, N, WARPS, N, true>(matrices, static_cast<const T*>(nullptr), results, infos, stack, n, n, count);
}

// A number's significand, whose greater part is in [1, 2), and its exponent.
template <class T> GPUARRAY_DEVICE int split_exponent(T& x) {
    typedef typename Scalar<T>::Real Real;
    const Real size = greater_part(x);
    if (size == 0 || !isfinite(size)) return 0;
    const Real scale = scale_to(size, 0);
    x = x * scale;
    int exponent = Precision<Real>::BIAS - Precision<Real>::biased_exponent(scale);
    const Real left = greater_part(x);  // less than 1 where it was subnormal
    if (left < 1) {
        const Real more = scale_to(left, 0);
        x = x * more;
        exponent += Precision<Real>::BIAS - Precision<Real>::biased_exponent(more);
    }
    return exponent;
}
template <class V> GPUARRAY_DEVICE V times_power_of_two(V x, int exponent) { return ::ldexp(x, exponent); }
template <class V> GPUARRAY_DEVICE complex<V> times_power_of_two(complex<V> x, int exponent) {
    return complex<V>(::ldexp(x.real, exponent), ::ldexp(x.imag, exponent));
}

GPUARRAY_DEVICE float direction(float x) { return x < 0 ? -1.0f : 1.0f; }
GPUARRAY_DEVICE double direction(double x) { return x < 0 ? -1.0 : 1.0; }
template <class V> GPUARRAY_DEVICE complex<V> direction(complex<V> x) { return quotient(x, magnitude(x)); }

// LOGARITHM: the determinant's direction, and the logarithm of its absolute value. Else the determinant, a product
// that neither overflows nor underflows before its end.
template <class T, int N, int WARPS, bool LOGARITHM, class Places>
GPUARRAY_DEVICE void determine(const T* matrices, T* determinants, typename Scalar<T>::Real* logarithms,
                               const Places& stack, int32_t n, uint64_t count) {
    typedef typename Scalar<T>::Real Real;
    __shared__ Tile<T, N> factors[WARPS * 32 / N];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = factors[place];
        load<T, N>(a, operand(matrices, stack, 0, index), n, n, lane);
        __syncwarp();
        const Pivots pivots = factor_lu<T, N>(a, n, n, lane);
        T factor = lane < n ? a[lane][lane] : Scalar<T>::of(1);
        if (LOGARITHM) {
            const Real logarithm = sum_of_lanes<N>(pivots.info ? Real(0) : ::log(magnitude(factor)));
            T sign = product_of_lanes<N>(pivots.info ? Scalar<T>::of(1) : direction(factor));
            if (pivots.odd) sign = -sign;
            if (here && lane == 0) {
                determinants[index] = pivots.info ? Scalar<T>::of(0) : sign;
                logarithms[index] = pivots.info ? -Precision<Real>::power_of_two(2 * Precision<Real>::BIAS + 1)
                                                : logarithm;
            }
        } else {
            const int exponent = sum_of_lanes<N>(split_exponent(factor));
            T product = times_power_of_two(product_of_lanes<N>(factor), exponent);
            if (pivots.odd) product = -product;
            if (here && lane == 0) determinants[index] = pivots.info ? Scalar<T>::of(0) : product;
        }
    });
}

template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void determinant(const T* matrices, T* determinants, const Places& stack, int32_t n, uint64_t count) {
    determine<T, N, WARPS, false>(matrices, determinants, static_cast<typename Scalar<T>::Real*>(nullptr), stack, n,
                                  count);
}
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void log_determinant(const T* matrices, T* signs, typename Scalar<T>::Real* logarithms,
                                     const Places& stack, int32_t n, uint64_t count) {
    determine<T, N, WARPS, true>(matrices, signs, logarithms, stack, n, count);
}

// The factors themselves, and the row that each row was exchanged with.
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void lu_factors(const T* matrices, T* results, int32_t* exchanges, int32_t* infos, const Places& stack,
                                int32_t rows, int32_t columns, uint64_t count) {
    __shared__ Tile<T, N> factors[WARPS * 32 / N];
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = factors[place];
        load<T, N>(a, operand(matrices, stack, 0, index), rows, columns, lane);
        __syncwarp();
        const Pivots pivots = factor_lu<T, N>(a, rows, columns, lane);
        if (!here) return;
        const int steps = rows < columns ? rows : columns;
        if (lane == 0) infos[index] = pivots.info;
        if (lane < steps) exchanges[index * steps + lane] = pivots.swapped;
        const Matrix<T> to = result(results, index, rows, columns);
        for_each<N>(rows, columns, true, lane, [&](int i, int j) { to(i, j) = a[i][j]; });
    });
}

}  // namespace small
}  // namespace gpuarray
