// Stacks of matrices of up to 32 rows and columns, each worked on by N lanes of a warp.
//
// A matrix lies in shared memory, N + 1 elements from row to row: lanes that read a column meet no other lane's bank,
// nor do lanes that read a row. The number of rows and columns is an argument, so that one kernel serves all sizes up
// to N. Lanes of a warp go through the same steps, whatever is in their matrices: only what a lane does between two
// barriers depends on elements.
#pragma once

#include "gpuarray/complex.cuh"

namespace gpuarray {
namespace small {

// ---- numbers ----------------------------------------------------------------------------------------------------

template <class T> struct Scalar {
    typedef T Real;
    GPUARRAY_DEVICE static T of(Real x) { return x; }
};
template <class V> struct Scalar<complex<V>> {
    typedef V Real;
    GPUARRAY_DEVICE static complex<V> of(V x) { return complex<V>(x, V(0)); }
};

template <class V> struct Precision;
template <> struct Precision<float> {
    // The exponent of the greatest element of a matrix whose columns' squares are summed. Sums from the least square
    // on are exact to the precision.
    enum { SQUARED_EXPONENT = 50, BIAS = 127 };
    GPUARRAY_DEVICE static float least_square() { return power_of_two(BIAS - 80); }
    GPUARRAY_DEVICE static float epsilon() { return 1.1920929e-07f; }
    GPUARRAY_DEVICE static float nan() { return float_from_bits(0x7fc00000u); }
    GPUARRAY_DEVICE static int biased_exponent(float x) { return int(float_bits(x) >> 23 & 0xffu); }
    GPUARRAY_DEVICE static float power_of_two(int biased) { return float_from_bits(uint32_t(biased) << 23); }
};
template <> struct Precision<double> {
    enum { SQUARED_EXPONENT = 480, BIAS = 1023 };
    GPUARRAY_DEVICE static double least_square() { return power_of_two(BIAS - 918); }
    GPUARRAY_DEVICE static double epsilon() { return 2.220446049250313e-16; }
    GPUARRAY_DEVICE static double nan() { return float_from_bits(uint64_t(0x7ff8000000000000ull)); }
    GPUARRAY_DEVICE static int biased_exponent(double x) { return int(float_bits(x) >> 52 & 0x7ffu); }
    GPUARRAY_DEVICE static double power_of_two(int biased) { return float_from_bits(uint64_t(biased) << 52); }
};

// A power of two that takes a positive number to about two to the power of `exponent`, and whose reciprocal is one.
template <class V> GPUARRAY_DEVICE V scale_to(V x, int exponent) {
    const int wanted = exponent + 2 * Precision<V>::BIAS - Precision<V>::biased_exponent(x);
    const int most = 2 * Precision<V>::BIAS - 1;
    return x == 0 ? V(1) : Precision<V>::power_of_two(wanted < 1 ? 1 : wanted > most ? most : wanted);
}

template <class V> GPUARRAY_DEVICE V conjugate(V x) { return x; }
template <class V> GPUARRAY_DEVICE complex<V> conjugate(complex<V> x) { return complex<V>(x.real, -x.imag); }
template <class V> GPUARRAY_DEVICE V real_part(V x) { return x; }
template <class V> GPUARRAY_DEVICE V real_part(complex<V> x) { return x.real; }
template <class V> GPUARRAY_DEVICE V imaginary_part(V) { return V(0); }
template <class V> GPUARRAY_DEVICE V imaginary_part(complex<V> x) { return x.imag; }
template <class V> GPUARRAY_DEVICE V quotient(V a, V b) { return a / b; }
// Smith's algorithm without a reciprocal, which would overflow for a small divisor.
template <class V> GPUARRAY_DEVICE complex<V> quotient(complex<V> a, complex<V> b) {
    if (::fabs(b.real) >= ::fabs(b.imag)) {
        const V ratio = b.imag / b.real, divisor = b.real + b.imag * ratio;
        return complex<V>((a.real + a.imag * ratio) / divisor, (a.imag - a.real * ratio) / divisor);
    }
    const V ratio = b.real / b.imag, divisor = b.imag + b.real * ratio;
    return complex<V>((a.real * ratio + a.imag) / divisor, (a.imag * ratio - a.real) / divisor);
}
template <class V> GPUARRAY_DEVICE complex<V> quotient(complex<V> a, V b) {
    return complex<V>(a.real / b, a.imag / b);
}
// The square of the absolute value.
template <class V> GPUARRAY_DEVICE V square(V x) { return x * x; }
template <class V> GPUARRAY_DEVICE V square(complex<V> x) { return x.real * x.real + x.imag * x.imag; }
template <class V> GPUARRAY_DEVICE V magnitude(V x) { return ::fabs(x); }
template <class V> GPUARRAY_DEVICE V magnitude(complex<V> x) { return ::hypot(x.real, x.imag); }
// What LAPACK takes for the size of a pivot.
template <class V> GPUARRAY_DEVICE V sum_of_parts(V x) { return ::fabs(x); }
template <class V> GPUARRAY_DEVICE V sum_of_parts(complex<V> x) { return ::fabs(x.real) + ::fabs(x.imag); }
template <class V> GPUARRAY_DEVICE V greater_part(V x) { return ::fabs(x); }
template <class V> GPUARRAY_DEVICE V greater_part(complex<V> x) { return ::fmax(::fabs(x.real), ::fabs(x.imag)); }

// ---- lanes ------------------------------------------------------------------------------------------------------

enum : uint32_t { WARP = 0xffffffffu };

template <class V> GPUARRAY_DEVICE V from_lane(V x, int lane, int width) { return __shfl_sync(WARP, x, lane, width); }
template <class V> GPUARRAY_DEVICE complex<V> from_lane(complex<V> x, int lane, int width) {
    return complex<V>(__shfl_sync(WARP, x.real, lane, width), __shfl_sync(WARP, x.imag, lane, width));
}
template <class V> GPUARRAY_DEVICE V from_other(V x, int bits) { return __shfl_xor_sync(WARP, x, bits); }
template <class V> GPUARRAY_DEVICE complex<V> from_other(complex<V> x, int bits) {
    return complex<V>(__shfl_xor_sync(WARP, x.real, bits), __shfl_xor_sync(WARP, x.imag, bits));
}

// Every lane gets the result.
template <int N, class V> GPUARRAY_DEVICE V sum_of_lanes(V x) {
#pragma unroll
    for (int bits = N / 2; bits > 0; bits /= 2) x = x + from_other(x, bits);
    return x;
}
template <int N, class V> GPUARRAY_DEVICE V product_of_lanes(V x) {
#pragma unroll
    for (int bits = N / 2; bits > 0; bits /= 2) x = x * from_other(x, bits);
    return x;
}
template <int N, class V> GPUARRAY_DEVICE V greatest_of_lanes(V x) {
#pragma unroll
    for (int bits = N / 2; bits > 0; bits /= 2) x = ::fmax(x, from_other(x, bits));
    return x;
}
// The lane that has the greatest number, the first one of several.
template <int N, class V> GPUARRAY_DEVICE int lane_of_greatest(V x, int lane) {
#pragma unroll
    for (int bits = N / 2; bits > 0; bits /= 2) {
        const V other = from_other(x, bits);
        const int there = from_other(lane, bits);
        if (other > x || (other == x && there < lane)) {
            x = other;
            lane = there;
        }
    }
    return lane;
}
template <int N> GPUARRAY_DEVICE bool any_of_lanes(bool x) {
    const uint32_t lanes = N == 32 ? WARP : ((1u << (N % 32)) - 1) << (threadIdx.x % 32 / N * N);
    return (__ballot_sync(WARP, x) & lanes) != 0;
}

// ---- memory -----------------------------------------------------------------------------------------------------

// Where the matrices of a stack's operands lie, in elements. The last dimension varies fastest.
template <int OPERANDS, int DIMS> struct Stack {
    int64_t shape[DIMS];
    int64_t strides[OPERANDS][DIMS];
    int64_t rows[OPERANDS];
    int64_t columns[OPERANDS];

    GPUARRAY_DEVICE int64_t offset(int operand, uint64_t index) const {
        int64_t result = 0;
#pragma unroll 1
        for (int axis = DIMS - 1; axis > 0; --axis) {
            const uint64_t length = shape[axis], quotient = index / length;
            result += int64_t(index - quotient * length) * strides[operand][axis];
            index = quotient;
        }
        return result + int64_t(index) * strides[operand][0];
    }
};

// A matrix in memory.
template <class T> struct Matrix {
    T* first;
    int64_t row, column;  // strides in elements

    GPUARRAY_DEVICE T& operator()(int i, int j) const { return first[i * row + j * column]; }
};
template <class T, class Places>
GPUARRAY_DEVICE Matrix<const T> operand(const T* first, const Places& stack, int number, uint64_t index) {
    return Matrix<const T>{first + stack.offset(number, index), stack.rows[number], stack.columns[number]};
}
// One of a gapless stack of rows x columns.
template <class T> GPUARRAY_DEVICE Matrix<T> result(T* first, uint64_t index, int rows, int columns) {
    return Matrix<T>{first + index * uint64_t(rows) * uint64_t(columns), columns, 1};
}

// Calls `visit(i, j)` for each element, so that the lanes are at neighbouring elements of memory.
template <int N, class Visit>
GPUARRAY_DEVICE void for_each(int rows, int columns, bool along_rows, int lane, const Visit& visit) {
    const int lanes = along_rows ? columns : rows, steps = along_rows ? rows : columns;
    if (lane < lanes) {
#pragma unroll 4
        for (int step = 0; step < steps; ++step) visit(along_rows ? step : lane, along_rows ? lane : step);
    }
}
template <class T> GPUARRAY_DEVICE bool lies_along_rows(const Matrix<T>& matrix, int columns) {
    const int64_t row = matrix.row < 0 ? -matrix.row : matrix.row;
    const int64_t column = matrix.column < 0 ? -matrix.column : matrix.column;
    return columns > 1 && column <= row;
}

template <class T, int N> using Tile = T[N][N + 1];

template <class T, int N>
GPUARRAY_DEVICE void load(Tile<T, N>& tile, const Matrix<const T>& from, int rows, int columns, int lane) {
    for_each<N>(rows, columns, lies_along_rows(from, columns), lane,
                [&](int i, int j) { tile[i][j] = from(i, j); });
}
// The triangle on and below the diagonal; of a matrix that is given by the one above, its conjugate transpose.
template <class T, int N>
GPUARRAY_DEVICE void load_triangle(Tile<T, N>& tile, const Matrix<const T>& from, int n, bool upper, int lane) {
    for_each<N>(n, n, lies_along_rows(from, n), lane, [&](int i, int j) {
        if (upper ? i <= j : j <= i) {
            if (upper) tile[j][i] = conjugate(from(i, j));
            else tile[i][j] = from(i, j);
        }
    });
}
template <class T, int N>
GPUARRAY_DEVICE void store_nan(const Matrix<T>& to, int rows, int columns, int lane) {
    const T nan = Scalar<T>::of(Precision<typename Scalar<T>::Real>::nan());
    for_each<N>(rows, columns, true, lane, [&](int i, int j) { to(i, j) = nan; });
}

// Calls `work(warp, index, lane, here)` for the matrices of a stack, a warp at a time: `index` is that of a lane's
// matrix, and `here` is whether there is one. Lanes without one work on the last matrix and store nothing.
template <int N, int WARPS, class Work> GPUARRAY_DEVICE void for_each_matrix(uint64_t count, const Work& work) {
    const uint64_t together = WARPS * (32 / N);
    for (uint64_t first = blockIdx.x * together; first < count; first += gridDim.x * together) {
        const uint64_t index = first + threadIdx.x / N;
        __syncwarp();
        work(threadIdx.x / N, index < count ? index : count - 1, int(threadIdx.x % N), index < count);
    }
}

}  // namespace small
}  // namespace gpuarray
