// Singular value decompositions by Jacobi's method on the columns of a matrix (Hestenes).
//
// Pairs of columns are rotated until all are orthogonal: then their norms are the singular values, and the product of
// the rotations is V. A matrix with more columns than rows is replaced by its conjugate transpose.
#pragma once

#include "gpuarray/small_eigh.cuh"

namespace gpuarray {
namespace small {

// What is parallel to a great column shrinks by a factor of epsilon in a sweep: in a matrix of equal columns it takes
// twenty sweeps until it vanishes, where others take six to ten.
enum { COLUMN_SWEEPS = 40 };

// Makes the columns of `a` orthogonal, and rotates those of `vectors` with them. A column of zeros stands behind an odd
// number of them. Returns whether it converged.
template <class T, int N, bool VECTORS>
GPUARRAY_DEVICE bool orthogonalize(Tile<T, N>& a, T (&vectors)[VECTORS ? N : 1][N + 1], int rows, int columns,
                                   int lane) {
    typedef typename Scalar<T>::Real Real;
    const int players = columns + columns % 2, pairs = players / 2, rounds = players - 1;
    const int half = lane / (N / 2), number = lane % (N / 2);
    const Real tolerance = Precision<Real>::epsilon() * ::sqrt(Real(rows));
    bool turned = true;
#pragma unroll 1
    for (int sweep = 0; sweep < COLUMN_SWEEPS && turned; ++sweep) {
        turned = false;
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            const Pair pair(round, number, rounds);
            Real first = Real(0), second = Real(0);
            T between = Scalar<T>::of(0);
            if (number < pairs) {
#pragma unroll 4
                for (int i = half; i < rows; i += 2) {
                    const T x = a[i][pair.first], y = a[i][pair.second];
                    first += square(x);
                    second += square(y);
                    between = between + conjugate(x) * y;
                }
            }
            first += from_other(first, N / 2);
            second += from_other(second, N / 2);
            between = between + from_other(between, N / 2);
            const Real size = magnitude(between);
            const bool counts = first > Precision<Real>::least_square() && second > Precision<Real>::least_square();
            const bool turns = counts && size > tolerance * ::sqrt(first) * ::sqrt(second);
            if (!__any_sync(WARP, turns)) continue;
            turned = true;
            if (turns) {
                const Rotation<T> rotation = Rotation<T>::of(first, second, between, size);
#pragma unroll 4
                for (int i = half; i < rows; i += 2) {
                    rotation.turn_columns(a[i][pair.first], a[i][pair.second]);
                }
                if (VECTORS) {
#pragma unroll 4
                    for (int i = half; i < columns; i += 2) {
                        rotation.turn_columns(vectors[i][pair.first], vectors[i][pair.second]);
                    }
                }
            }
            __syncwarp();
        }
    }
    return !turned;
}

// Replaces the columns of `a` whose bit in `known` is 0 by such that all are orthonormal; the others are already.
template <class T, int N>
GPUARRAY_DEVICE void complete(Tile<T, N>& a, uint32_t known, int rows, int columns, int lane) {
    typedef typename Scalar<T>::Real Real;
#pragma unroll 1
    for (int column = 0; column < columns; ++column) {
        const bool wanted = (known >> column & 1) == 0;
        if (!__any_sync(WARP, wanted)) continue;
        // The unit vector of which the known columns have least.
        Real rest = Real(-1);
        if (lane < rows) {
            rest = Real(1);
#pragma unroll 1
            for (int j = 0; j < columns; ++j) {
                if (known >> j & 1) rest -= square(a[lane][j]);
            }
        }
        const int chosen = lane_of_greatest<N>(rest, lane);
        T x = Scalar<T>::of(chosen == lane);
        __syncwarp();
        if (wanted && lane < rows) a[lane][column] = x;
        __syncwarp();
        // What it has of them is taken away, twice because of rounding.
#pragma unroll 1
        for (int pass = 0; pass < 2; ++pass) {
            T share = Scalar<T>::of(0);
            if (wanted && known >> lane & 1) {
#pragma unroll 1
                for (int i = 0; i < rows; ++i) share = share + conjugate(a[i][lane]) * a[i][column];
            }
#pragma unroll 1
            for (int j = 0; j < columns; ++j) {
                const T of_column = from_lane(share, j, N);
                if (wanted && lane < rows && (known >> j & 1)) x = x - of_column * a[lane][j];
            }
            __syncwarp();
            if (wanted && lane < rows) a[lane][column] = x;
            __syncwarp();
        }
        const Real length = ::sqrt(sum_of_lanes<N>(lane < rows ? square(x) : Real(0)));
        if (wanted && lane < rows) a[lane][column] = quotient(x, length);
        if (wanted) known |= 1u << column;
        __syncwarp();
    }
}

// FULL vectors are rows x rows and columns x columns matrices. A NaN in a matrix makes it fail, as LAPACK does; of an
// infinity all results are NaN.
template <class T, int N, int WARPS, bool VECTORS, class Places>
GPUARRAY_DEVICE void jacobi_svd(const T* matrices, T* lefts, typename Scalar<T>::Real* values, T* rights,
                                int32_t* infos, const Places& stack, int32_t m, int32_t n, int32_t full,
                                uint64_t count) {
    typedef typename Scalar<T>::Real Real;
    __shared__ Tile<T, N> tiles[WARPS * 32 / N];
    __shared__ T columns_of_v[WARPS * 32 / N][VECTORS ? N : 1][N + 1];
    __shared__ Real found[WARPS * 32 / N][N];
    const bool transposed = m < n;
    const int rows = transposed ? n : m, columns = transposed ? m : n, players = columns + columns % 2;
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = tiles[place];
        T(&v)[VECTORS ? N : 1][N + 1] = columns_of_v[place];
        const Matrix<const T> given = operand(matrices, stack, 0, index);
        for_each<N>(m, n, lies_along_rows(given, n), lane, [&](int i, int j) {
            if (transposed) a[j][i] = conjugate(given(i, j));
            else a[i][j] = given(i, j);
        });
        __syncwarp();
        Real greatest = Real(0);
        bool finite = true, unknown = false;
        if (lane < rows) {
#pragma unroll 1
            for (int j = 0; j < columns; ++j) {
                greatest = ::fmax(greatest, greater_part(a[lane][j]));
                finite = finite && isfinite(a[lane][j]);
                unknown = unknown || isnan(a[lane][j]);
            }
        }
        finite = !any_of_lanes<N>(!finite);
        unknown = any_of_lanes<N>(unknown);
        greatest = greatest_of_lanes<N>(greatest);
        // Squares of elements must not overflow, and those of small columns not vanish.
        const int exponent = Precision<Real>::SQUARED_EXPONENT;
        const Real scale = finite ? scale_to(greatest, exponent) : Real(1);
        if (lane < rows) {
#pragma unroll 1
            for (int j = 0; j < players; ++j) {
                a[lane][j] = finite && j < columns ? a[lane][j] * scale : Scalar<T>::of(0);
            }
        }
        if (VECTORS && lane < players) {
#pragma unroll 1
            for (int i = 0; i < columns; ++i) v[i][lane] = Scalar<T>::of(i == lane);
        }
        __syncwarp();
        const bool converged = orthogonalize<T, N, VECTORS>(a, v, rows, columns, lane);
        const bool fails = !converged || !finite;
        const Real nan = Precision<Real>::nan();
        Real length = Real(0);
        if (lane < columns) {
#pragma unroll 1
            for (int i = 0; i < rows; ++i) length += square(a[i][lane]);
            length = ::sqrt(length);
            found[place][lane] = length;
        }
        __syncwarp();
        const int rank = lane < columns ? rank_of(found[place], columns, lane, true) : lane;
        if (here && lane == 0) infos[index] = !converged || unknown;
        if (here && lane < columns) values[index * columns + rank] = fails ? nan : length / scale;
        if constexpr (VECTORS) {
            // Those of columns that vanish beside the greatest element are not orthogonal.
            const bool vanishes = !(square(length) > 4 * Precision<Real>::least_square());
            if (lane < columns && !vanishes) {
#pragma unroll 1
                for (int i = 0; i < rows; ++i) a[i][lane] = quotient(a[i][lane], length);
            }
            const uint32_t lanes = __ballot_sync(WARP, lane < columns && !vanishes);
            const uint32_t known = lanes >> (threadIdx.x % 32 / N * N) & (WARP >> (32 - N));
            __syncwarp();
            const int long_columns = full ? rows : columns;
            complete<T, N>(a, known, rows, long_columns, lane);
            if (here) {
                // A column of U or a row of V's conjugate transpose: these are a's and v's, or v's and a's.
                const Matrix<T> left = result(lefts, index, m, transposed ? columns : long_columns);
                const Matrix<T> right = result(rights, index, transposed ? long_columns : columns, n);
                const T nothing = Scalar<T>::of(nan);
                if (lane < long_columns) {
#pragma unroll 1
                    for (int i = 0; i < rows; ++i) {
                        const T x = fails ? nothing : a[i][lane];
                        if (transposed) right(rank, i) = conjugate(x);
                        else left(i, rank) = x;
                    }
                }
                if (lane < columns) {
#pragma unroll 1
                    for (int i = 0; i < columns; ++i) {
                        const T x = fails ? nothing : v[i][lane];
                        if (transposed) left(i, rank) = x;
                        else right(rank, i) = conjugate(x);
                    }
                }
            }
        }
    });
}

template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void svd(const T* matrices, T* lefts, typename Scalar<T>::Real* values, T* rights, int32_t* infos,
                         const Places& stack, int32_t rows, int32_t columns, int32_t full, uint64_t count) {
    jacobi_svd<T, N, WARPS, true>(matrices, lefts, values, rights, infos, stack, rows, columns, full, count);
}
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void svdvals(const T* matrices, typename Scalar<T>::Real* values, int32_t* infos, const Places& stack,
                             int32_t rows, int32_t columns, uint64_t count) {
    T* const none = nullptr;
    jacobi_svd<T, N, WARPS, false>(matrices, none, values, none, infos, stack, rows, columns, 0, count);
}

}  // namespace small
}  // namespace gpuarray
