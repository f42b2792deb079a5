// What the C++ of ElementwiseKernel and ReductionKernel finds in scope, under CuPy's names.
//
// It is at global scope: user code calls the CUDA maths library (`exp`, `isnan`), whose names the project's own
// functions in namespace gpuarray would hide.
#pragma once

#include "gpuarray/types.cuh"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif

// A `raw` array: any element by its number in C order, or by its coordinates. The host fills it in as it is
// (kernels/user_code.py). Sizes and coordinates are 64 bits wide; with NARROW they fit into 32, and so does the
// arithmetic.
template <class T, int NDIM, bool C_CONTIGUOUS = false, bool NARROW = false> struct CArray {
    static const int ndim = NDIM;
    enum { LENGTHS = NDIM ? NDIM : 1 };

    T* data_;
    ptrdiff_t size_;
    ptrdiff_t shape_[LENGTHS];
    ptrdiff_t strides_[LENGTHS];  // in bytes

    GPUARRAY_DEVICE ptrdiff_t size() const { return size_; }
    GPUARRAY_DEVICE const ptrdiff_t* shape() const { return shape_; }
    GPUARRAY_DEVICE const ptrdiff_t* strides() const { return strides_; }
    GPUARRAY_DEVICE T* data() const { return data_; }

    GPUARRAY_DEVICE T& operator[](ptrdiff_t i) { return *at(i); }
    GPUARRAY_DEVICE const T& operator[](ptrdiff_t i) const { return *at(i); }
    template <class Int> GPUARRAY_DEVICE T& operator[](const Int* where) { return *at(where); }
    template <class Int> GPUARRAY_DEVICE const T& operator[](const Int* where) const { return *at(where); }
    template <class... Int> GPUARRAY_DEVICE T& operator()(Int... where) {
        static_assert(sizeof...(Int) == NDIM, "an index for each dimension is needed");
        const ptrdiff_t coordinates[LENGTHS] = {ptrdiff_t(where)...};
        return *at(coordinates);
    }
    template <class... Int> GPUARRAY_DEVICE const T& operator()(Int... where) const {
        return const_cast<CArray&>(*this)(where...);
    }

private:
    template <class Int> GPUARRAY_DEVICE T* at(const Int* where) const {
        char* address = reinterpret_cast<char*>(data_);
#pragma unroll
        for (int axis = 0; axis < NDIM; ++axis) address += strides_[axis] * ptrdiff_t(where[axis]);
        return reinterpret_cast<T*>(address);
    }
    template <class UIndex> GPUARRAY_DEVICE T* divide(UIndex rest) const {
        char* address = reinterpret_cast<char*>(data_);
#pragma unroll
        for (int axis = NDIM - 1; axis >= 0; --axis) {
            UIndex coordinate = rest;
            if (axis > 0) {
                const UIndex extent = UIndex(shape_[axis]);
                rest /= extent;
                coordinate -= rest * extent;
            }
            address += strides_[axis] * ptrdiff_t(coordinate);
        }
        return reinterpret_cast<T*>(address);
    }
    GPUARRAY_DEVICE T* at(ptrdiff_t i) const {
        if constexpr (C_CONTIGUOUS) {
            return data_ + i;
        } else if constexpr (NARROW) {
            return divide(unsigned(i));
        } else {
            return divide(i);
        }
    }
};

// The loop's dimensions, and where in them the thread is. The host fills in size and shape.
template <int NDIM, bool NARROW = false> struct CIndexer {
    static const int ndim = NDIM;

    ptrdiff_t size_;
    ptrdiff_t shape_[NDIM ? NDIM : 1];
    ptrdiff_t index_[NDIM ? NDIM : 1];

    GPUARRAY_DEVICE ptrdiff_t size() const { return size_; }
    GPUARRAY_DEVICE const ptrdiff_t* shape() const { return shape_; }
    GPUARRAY_DEVICE const ptrdiff_t* get() const { return index_; }
    GPUARRAY_DEVICE void set(ptrdiff_t i) {
        if constexpr (NARROW) {
            divide(unsigned(i));
        } else {
            divide(i);
        }
    }

private:
    template <class UIndex> GPUARRAY_DEVICE void divide(UIndex rest) {
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const UIndex extent = UIndex(shape_[axis]), quotient = rest / extent;
            index_[axis] = ptrdiff_t(rest - quotient * extent);
            rest = quotient;
        }
        index_[0] = ptrdiff_t(rest);
    }
};

namespace gpuarray {

// Where only the number of elements is asked for.
struct Extent {
    ptrdiff_t size_;
    GPUARRAY_DEVICE ptrdiff_t size() const { return size_; }
};

// An element as the type that user code knows it by, which has the same bytes.
template <class U, class T> GPUARRAY_DEVICE U as(const T& x) {
    static_assert(sizeof(U) == sizeof(T), "types of one dtype");
    U result;
    memcpy(&result, &x, sizeof(U));
    return result;
}

// The value of a reduction that has no identity.
template <class T> struct Optional {
    T value;
    bool present;
};

}  // namespace gpuarray

// ---- atomic functions that CUDA does not have -------------------------------------------------------------------

GPUARRAY_DEVICE long long atomicAdd(long long* address, long long value) {
    return (long long)atomicAdd(reinterpret_cast<unsigned long long*>(address), (unsigned long long)value);
}

// Stored only where it is the greater (less) one; a NaN never is.
GPUARRAY_DEVICE float atomicMax(float* address, float value) {
    int* const bits = reinterpret_cast<int*>(address);
    int old = *bits;
    while (__int_as_float(old) < value) {
        const int assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}
GPUARRAY_DEVICE float atomicMin(float* address, float value) {
    int* const bits = reinterpret_cast<int*>(address);
    int old = *bits;
    while (__int_as_float(old) > value) {
        const int assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}
GPUARRAY_DEVICE double atomicMax(double* address, double value) {
    unsigned long long* const bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits;
    while (__longlong_as_double((long long)old) < value) {
        const unsigned long long assumed = old;
        old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(value));
        if (old == assumed) break;
    }
    return __longlong_as_double((long long)old);
}
GPUARRAY_DEVICE double atomicMin(double* address, double value) {
    unsigned long long* const bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits;
    while (__longlong_as_double((long long)old) > value) {
        const unsigned long long assumed = old;
        old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(value));
        if (old == assumed) break;
    }
    return __longlong_as_double((long long)old);
}
