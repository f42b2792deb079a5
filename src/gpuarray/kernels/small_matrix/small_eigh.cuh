// Eigenvalues and eigenvectors of Hermitian matrices by Jacobi's method.
//
// A rotation of two rows and the same two columns makes one element off the diagonal zero. The pairs of a round have no
// index in common, so their rotations are done at once; the rounds of a sweep have every pair once, in the order in
// which n players of a tournament meet.
#pragma once

#include "gpuarray/small_matrix.cuh"

namespace gpuarray {
namespace small {

enum { SWEEPS = 24 };

// The pair of a round that has a number: one player stays, the others move on by one place a round. The number of
// players is even, that of rounds one less. The first ones of pairs that have successive numbers are neighbours, and so
// are the second ones: lanes that have a pair each meet in no bank.
struct Pair {
    int first, second;

    GPUARRAY_DEVICE Pair(int round, int number, int rounds) : first(round + number), second(round - number) {
        if (first >= rounds) first -= rounds;
        if (second < 0) second += rounds;
        if (number == 0) second = rounds;
    }
};

// The rotation [[c, s], [-conj(s), c]] that makes columns with the products [[first, between], [conj(between), second]]
// orthogonal. `size` is the absolute value of `between`; `shift` is what the first product loses and the second gains.
// Not c is kept but 1 - c, which is small as s is: so what many rotations by small angles change keeps its norm.
template <class T> struct Rotation {
    typedef typename Scalar<T>::Real Real;
    T s;
    Real rest;
    Real shift;

    GPUARRAY_DEVICE static Rotation none() { return Rotation{Scalar<T>::of(0), Real(0), Real(0)}; }
    GPUARRAY_DEVICE static Rotation of(Real first, Real second, T between, Real size) {
        const Real cotangent = (second - first) / (2 * size), steep = ::fabs(cotangent);
        // Its square may overflow.
        Real tangent = Real(0.5) / steep;
        if (steep < 1 / Precision<Real>::epsilon()) tangent = 1 / (steep + ::sqrt(1 + steep * steep));
        const Real c = 1 / ::sqrt(1 + tangent * tangent), sine = tangent * c;
        if (cotangent < 0) tangent = -tangent;
        const T direction = quotient(between, cotangent < 0 ? -size : size);
        return Rotation{direction * sine, sine * sine / (1 + c), tangent * size};
    }

    GPUARRAY_DEVICE void turn_columns(T& a, T& b) const {
        const T moved = a - (conjugate(s) * b + a * rest);
        b = b + (s * a - b * rest);
        a = moved;
    }
    GPUARRAY_DEVICE void turn_rows(T& a, T& b) const {
        const T moved = a - (s * b + a * rest);
        b = b + (conjugate(s) * a - b * rest);
        a = moved;
    }
};

// Where a number comes in a row of n: the smallest first, or the greatest; equal ones as they stand.
template <class V> GPUARRAY_DEVICE int rank_of(const V* numbers, int n, int number, bool descending) {
    const V own = numbers[number];
    int rank = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        const V other = numbers[i];
        rank += (descending ? other > own : other < own) || (other == own && i < number);
    }
    return rank;
}

// Diagonalizes a Hermitian matrix, and rotates the columns of `vectors` with it. `players` is n, or n + 1 if n is odd:
// the row and the column behind the last ones are zero. Elements are of the order of 1. Returns whether it converged.
template <class T, int N, bool VECTORS>
GPUARRAY_DEVICE bool diagonalize(Tile<T, N>& a, T (&vectors)[VECTORS ? N : 1][N + 1], Rotation<T> (&rotations)[N / 2],
                                 int n, int players, int lane) {
    typedef typename Scalar<T>::Real Real;
    const int half = lane / (N / 2), number = lane % (N / 2), pairs = players / 2, rounds = players - 1;
    const Real epsilon = Precision<Real>::epsilon();
    bool converged = true;
#pragma unroll 1
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        bool turned = false;
        converged = true;
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            const Pair own(round, number, rounds);
            Rotation<T> rotation = Rotation<T>::none();
            Real first = Real(0), second = Real(0);
            bool turns = false;
            if (number < pairs) {
                const T between = a[own.first][own.second];
                first = real_part(a[own.first][own.first]);
                second = real_part(a[own.second][own.second]);
                const Real size = ::sqrt(square(between));
                // What is left counts beside both eigenvalues, if it is not nothing beside the greatest.
                turns = size > epsilon * ::sqrt(::fabs(first)) * ::sqrt(::fabs(second)) && size > epsilon * epsilon;
                if (turns) rotation = Rotation<T>::of(first, second, between, size);
                if (size > N * epsilon) converged = false;
            }
            if (!__any_sync(WARP, turns)) continue;
            turned = true;
            if (half == 0 && number < pairs) rotations[number] = rotation;
            __syncwarp();
            if (number < pairs) {
#pragma unroll 2
                for (int other = half; other < pairs; other += 2) {
                    const Pair rows(round, other, rounds);
                    const Rotation<T> left = rotations[other];
                    T x = a[rows.first][own.first], y = a[rows.first][own.second];
                    T z = a[rows.second][own.first], w = a[rows.second][own.second];
                    left.turn_rows(x, z);
                    left.turn_rows(y, w);
                    rotation.turn_columns(x, y);
                    rotation.turn_columns(z, w);
                    if (other == number) {
                        x = Scalar<T>::of(first - rotation.shift);
                        w = Scalar<T>::of(second + rotation.shift);
                        if (turns) y = z = Scalar<T>::of(0);
                    }
                    a[rows.first][own.first] = x;
                    a[rows.first][own.second] = y;
                    a[rows.second][own.first] = z;
                    a[rows.second][own.second] = w;
                }
                if (VECTORS && turns) {
#pragma unroll 4
                    for (int i = half; i < n; i += 2) {
                        rotation.turn_columns(vectors[i][own.first], vectors[i][own.second]);
                    }
                }
            }
            __syncwarp();
        }
        if (!turned) break;
    }
    return !any_of_lanes<N>(!converged);
}

// UPPER: the matrix is given by its triangle above. A NaN or an infinity in it makes all results NaN.
template <class T, int N, int WARPS, bool VECTORS, class Places>
GPUARRAY_DEVICE void jacobi_eigh(const T* matrices, typename Scalar<T>::Real* values, T* vectors, int32_t* infos,
                                 const Places& stack, int32_t n, int32_t upper, uint64_t count) {
    typedef typename Scalar<T>::Real Real;
    __shared__ Tile<T, N> tiles[WARPS * 32 / N];
    __shared__ T columns[WARPS * 32 / N][VECTORS ? N : 1][N + 1];
    __shared__ Rotation<T> rotations[WARPS * 32 / N][N / 2];
    __shared__ Real found[WARPS * 32 / N][N];
    const int players = n + n % 2;
    for_each_matrix<N, WARPS>(count, [&](int place, uint64_t index, int lane, bool here) {
        Tile<T, N>& a = tiles[place];
        T(&v)[VECTORS ? N : 1][N + 1] = columns[place];
        load_triangle<T, N>(a, operand(matrices, stack, 0, index), n, upper, lane);
        __syncwarp();
        // The greatest element, and the other triangle.
        Real greatest = Real(0);
        bool finite = true;
        if (lane < n) {
            a[lane][lane] = Scalar<T>::of(real_part(a[lane][lane]));
#pragma unroll 1
            for (int j = 0; j <= lane; ++j) {
                const Real part = greater_part(a[lane][j]);
                finite = finite && isfinite(a[lane][j]);
                greatest = ::fmax(greatest, part);
            }
        }
        finite = !any_of_lanes<N>(!finite);
        greatest = greatest_of_lanes<N>(greatest);
        const Real scale = finite ? scale_to(greatest, 0) : Real(1);
        __syncwarp();
        if (lane < n) {
#pragma unroll 1
            for (int j = 0; j <= lane; ++j) {
                const T x = finite ? a[lane][j] * scale : Scalar<T>::of(0);
                a[lane][j] = x;
                a[j][lane] = conjugate(x);
            }
        } else if (lane < players) {
#pragma unroll 1
            for (int j = 0; j < players; ++j) a[lane][j] = a[j][lane] = Scalar<T>::of(0);
        }
        if (VECTORS && lane < players) {
#pragma unroll 1
            for (int i = 0; i < n; ++i) v[i][lane] = Scalar<T>::of(i == lane);
        }
        __syncwarp();
        const bool converged = diagonalize<T, N, VECTORS>(a, v, rotations[place], n, players, lane);
        if (lane < n) found[place][lane] = real_part(a[lane][lane]);
        __syncwarp();
        const bool fails = !converged || !finite;
        if (!here) return;
        if (lane == 0) infos[index] = !converged;
        if (lane < n) {
            const int rank = rank_of(found[place], n, lane, false);
            const Real nan = Precision<Real>::nan();
            values[index * n + rank] = fails ? nan : found[place][lane] / scale;
            if (VECTORS) {
                const Matrix<T> to = result(vectors, index, n, n);
#pragma unroll 1
                for (int i = 0; i < n; ++i) to(i, rank) = fails ? Scalar<T>::of(nan) : v[i][lane];
            }
        }
    });
}

template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void eigh(const T* matrices, typename Scalar<T>::Real* values, T* vectors, int32_t* infos,
                          const Places& stack, int32_t n, int32_t upper, uint64_t count) {
    jacobi_eigh<T, N, WARPS, true>(matrices, values, vectors, infos, stack, n, upper, count);
}
template <class T, int N, int WARPS, class Places>
GPUARRAY_DEVICE void eigvalsh(const T* matrices, typename Scalar<T>::Real* values, int32_t* infos, const Places& stack,
                              int32_t n, int32_t upper, uint64_t count) {
    jacobi_eigh<T, N, WARPS, false>(matrices, values, static_cast<T*>(nullptr), infos, stack, n, upper, count);
}

}  // namespace small
}  // namespace gpuarray
