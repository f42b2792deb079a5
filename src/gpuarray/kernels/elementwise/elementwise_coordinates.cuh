// Coordinates of elements as an operand without memory, of the element-wise variants that divide indices.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

template <class Index, int BLOCK, int VECTOR, int UNROLL, int NDIM, int OPERANDS, bool TOGETHER> struct Rows;
template <class Index, int BLOCK, int ITEMS, int NDIM, int OPERANDS> struct Strided;

// A sum of multiples of each element's coordinates. It is found as the offset of an element in memory is: the strides
// are the factors.
template <class Variant, class T> struct Coordinates;

template <class Index, int BLOCK, int VECTOR, int UNROLL, int NDIM, int OPERANDS, bool TOGETHER, class T>
struct Coordinates<Rows<Index, BLOCK, VECTOR, UNROLL, NDIM, OPERANDS, TOGETHER>, T> {
    typedef typename Unsigned<Index>::type UIndex;
    const Index* strides;
    Index sums[UNROLL];
    T values[VECTOR * UNROLL];

    GPUARRAY_DEVICE explicit Coordinates(const Index* strides) : strides(strides) {}
    GPUARRAY_DEVICE T operator[](int item) const { return values[item]; }
    GPUARRAY_DEVICE void locate(int u, const UIndex (&coordinates)[NDIM]) {
        sums[u] = 0;
#pragma unroll
        for (int axis = 0; axis < NDIM - 1; ++axis) sums[u] += Index(coordinates[axis]) * strides[axis];
    }
    GPUARRAY_DEVICE uint32_t misaligned(int, Index) const { return 0; }
    template <class Lanes> GPUARRAY_DEVICE void take(int u, const Lanes& lanes) { load(u, lanes); }
    template <class Lanes> GPUARRAY_DEVICE void load(int u, const Lanes& lanes) {
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) {
            values[u * VECTOR + i] = T(Index(sums[u] + (lanes.column + i) * strides[NDIM - 1]));
        }
    }
    GPUARRAY_DEVICE void settle(int) {}
    template <class Lanes> GPUARRAY_DEVICE void put(int, const Lanes&) {}
    template <class Lanes> GPUARRAY_DEVICE void store(int, const Lanes&, uint32_t) {}
};

template <class Index, int BLOCK, int ITEMS, int NDIM, int OPERANDS, class T>
struct Coordinates<Strided<Index, BLOCK, ITEMS, NDIM, OPERANDS>, T> {
    typedef typename Unsigned<Index>::type UIndex;
    const Index* strides;
    T values[ITEMS];

    GPUARRAY_DEVICE explicit Coordinates(const Index* strides) : strides(strides) {}
    GPUARRAY_DEVICE T operator[](int item) const { return values[item]; }
    GPUARRAY_DEVICE void locate(int item, const UIndex (&coordinates)[NDIM]) {
        Index sum = 0;
#pragma unroll
        for (int axis = 0; axis < NDIM; ++axis) sum += Index(coordinates[axis]) * strides[axis];
        values[item] = T(sum);
    }
    GPUARRAY_DEVICE void load(int) {}
    GPUARRAY_DEVICE void store(int, bool) const {}
};

}  // namespace gpuarray
