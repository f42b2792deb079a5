// Values of series at points, and the values of the basis itself.
#pragma once

#include "gpuarray/recurrences.cuh"

namespace gpuarray {

// An element as the number that is computed with.
template <class Number> struct As {
    template <class T> GPUARRAY_DEVICE static Number of(T x) { return Number(x); }
};
template <> struct As<bool> {
    GPUARRAY_DEVICE static bool of(uint8_t x) { return x != 0; }
};
template <class V> struct As<complex<V>> {
    template <class T> GPUARRAY_DEVICE static complex<V> of(T x) { return complex<V>(V(x)); }
    template <class W> GPUARRAY_DEVICE static complex<V> of(complex<W> x) {
        return complex<V>(V(x.real), V(x.imag));
    }
};

// Unsigned division is cheaper.
template <class Index> struct UnsignedIndex { typedef uint32_t type; };
template <> struct UnsignedIndex<int64_t> { typedef uint64_t type; };

// The product of x minus each of the roots.
template <class R> struct Roots {
    enum { THREE_TERMS = false };
};
template <class Basis> struct IsRoots { enum { value = false }; };
template <class R> struct IsRoots<Roots<R>> { enum { value = true }; };

// The factors of a recurrence in shared memory, since some are quotients: a block computes each once. Those from ROOM
// on are computed where they are used.
template <class Basis, class R, bool USED = Basis::THREE_TERMS> struct Factors {
    enum { ROOM = 128 };
    R all[3][ROOM];

    GPUARRAY_DEVICE void fill(int64_t count) {
        for (int k = threadIdx.x; k < ROOM && k < count; k += blockDim.x) {
            all[0][k] = Basis::a(R(k));
            all[1][k] = Basis::b(R(k));
            all[2][k] = Basis::c(R(k));
        }
        __syncthreads();
    }
    GPUARRAY_DEVICE R a(int64_t k) const { return k < ROOM ? all[0][k] : Basis::a(R(k)); }
    GPUARRAY_DEVICE R b(int64_t k) const { return k < ROOM ? all[1][k] : Basis::b(R(k)); }
    GPUARRAY_DEVICE R c(int64_t k) const { return k < ROOM ? all[2][k] : Basis::c(R(k)); }
};
template <class Basis, class R> struct Factors<Basis, R, false> {
    GPUARRAY_DEVICE void fill(int64_t) {}
    GPUARRAY_DEVICE R a(int64_t) const { return R(1); }
    GPUARRAY_DEVICE R b(int64_t) const { return R(0); }
    GPUARRAY_DEVICE R c(int64_t) const { return R(0); }
};

// A result is a series in one to three variables: its coefficients and its point lie at offsets that follow from
// the result's coordinates. A thread computes ITEMS results, BLOCK apart, by Clenshaw's method (for powers that is
// Horner's). SHARED: all results have the same coefficients.
template <class Basis, class R, class Number, class Index, int VARIABLES, int NDIM, bool SHARED, int BLOCK, int ITEMS>
struct SeriesValues {
    typedef typename UnsignedIndex<Index>::type UIndex;
    enum { TILE = BLOCK * ITEMS, SERIES = SHARED ? 1 : ITEMS };

    // Strides in elements: of the coefficients and of the points of each variable. The coefficients' number and
    // their distance for each variable.
    struct Dimensions {
        Index shape[NDIM];
        Index strides[1 + VARIABLES][NDIM];
        Index lengths[VARIABLES];
        Index steps[VARIABLES];
    };

    template <int V, class Coefficient>
    GPUARRAY_DEVICE static void evaluate(const Coefficient* coefficients, const Index (&offsets)[SERIES],
                                         const Number (&x)[VARIABLES][ITEMS], const Dimensions& dimensions,
                                         const Factors<Basis, R>& factors, Number (&result)[ITEMS]) {
        if constexpr (V == 0) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                result[i] = i < SERIES ? As<Number>::of(coefficients[offsets[i < SERIES ? i : 0]]) : result[0];
            }
        } else {
            const Index last = dimensions.lengths[V - 1] - 1, step = dimensions.steps[V - 1];
            Index at[SERIES];
            Number second[ITEMS], term[ITEMS];
#pragma unroll
            for (int i = 0; i < SERIES; ++i) at[i] = offsets[i] + last * step;
            evaluate<V - 1>(coefficients, at, x, dimensions, factors, result);
            if constexpr (IsRoots<Basis>::value) {
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) result[i] = x[V - 1][i] - result[i];
            } else {
                // NumPy's constants are NaN at points that are infinite, as all its sums of powers are.
                const bool touched = !Basis::THREE_TERMS || last == 0;
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) {
                    second[i] = Number();
                    if (touched) result[i] = result[i] + x[V - 1][i] * Number();
                }
            }
#pragma unroll 1
            for (Index k = last - 1; k >= 0; --k) {
#pragma unroll
                for (int i = 0; i < SERIES; ++i) at[i] -= step;
                evaluate<V - 1>(coefficients, at, x, dimensions, factors, term);
                if constexpr (IsRoots<Basis>::value) {
#pragma unroll
                    for (int i = 0; i < ITEMS; ++i) result[i] = result[i] * (x[V - 1][i] - term[i]);
                } else {
                    const R a = factors.a(k), b = factors.b(k), c = factors.c(k + 1);
#pragma unroll
                    for (int i = 0; i < ITEMS; ++i) {
                        const Number value = next_term<Basis>(term[i], x[V - 1][i], result[i], second[i], a, b, c);
                        second[i] = result[i];
                        result[i] = value;
                    }
                }
            }
        }
    }

    template <class Result, class Coefficient, class... Points>
    GPUARRAY_DEVICE static void run(UIndex size, const Dimensions& dimensions, Result* results,
                                    const Coefficient* coefficients, const Points*... points) {
        __shared__ Factors<Basis, R> factors;
        Index longest = 0;
#pragma unroll
        for (int k = 0; k < VARIABLES; ++k) {
            longest = dimensions.lengths[k] > longest ? dimensions.lengths[k] : longest;
        }
        factors.fill(longest);
        for (UIndex first = UIndex(blockIdx.x) * TILE; first < size; first += UIndex(gridDim.x) * TILE) {
            Index offsets[SERIES];
            Number x[VARIABLES][ITEMS], values[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const UIndex index = first + i * BLOCK + threadIdx.x;
                Index from[1 + VARIABLES];
#pragma unroll
                for (int k = 0; k < 1 + VARIABLES; ++k) from[k] = 0;
                if (index < size) {
                    UIndex rest = index;
#pragma unroll
                    for (int axis = NDIM - 1; axis >= 0; --axis) {
                        Index coordinate = rest;
                        if (axis > 0) {
                            const UIndex extent = dimensions.shape[axis], quotient = rest / extent;
                            coordinate = rest - quotient * extent;
                            rest = quotient;
                        }
#pragma unroll
                        for (int k = 0; k < 1 + VARIABLES; ++k) from[k] += coordinate * dimensions.strides[k][axis];
                    }
                }
                if (i < SERIES) offsets[i < SERIES ? i : 0] = from[0];
                int k = 0;
                ((x[k][i] = As<Number>::of(points[from[1 + k]]), ++k), ...);
            }
            evaluate<VARIABLES>(coefficients, offsets, x, dimensions, factors, values);
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const UIndex index = first + i * BLOCK + threadIdx.x;
                if (index < size) results[index] = As<Result>::of(values[i]);
            }
        }
    }
};

// values[k * size + i] is P[k] at point i.
template <class Basis, class R, class Number, class Result, class Point>
GPUARRAY_DEVICE void basis_values(Result* values, const Point* points, uint64_t size, int64_t degree) {
    __shared__ Factors<Basis, R> factors;
    factors.fill(degree);
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += uint64_t(gridDim.x) * blockDim.x) {
        const Number x = As<Number>::of(points[i]);
        Number before = Number(), here = Number(R(1));
        // NumPy's ones are NaN at points that are infinite.
        const Number one = x * Number() + here;
        values[i] = As<Result>::of(one);
#pragma unroll 1
        for (int64_t k = 0; k < degree; ++k) {
            const Number value =
                next_term<Basis>(Number(), x, here, before, factors.a(k), factors.b(k), factors.c(k));
            before = k == 0 ? one : here;
            here = value;
            values[(k + 1) * size + i] = As<Result>::of(here);
        }
    }
}

}  // namespace gpuarray
