// What stacked matrices have in their elements: NaN, and how great they are. A block looks at ELEMENTS elements.
#pragma once

#include "gpuarray/small_matrix.cuh"

namespace gpuarray {

// The part of a matrix that is this block's.
template <int ELEMENTS> struct MatrixPart {
    int64_t matrix, begin, end;

    GPUARRAY_DEVICE explicit MatrixPart(int64_t size) {
        const int64_t parts = (size + ELEMENTS - 1) / ELEMENTS;
        matrix = blockIdx.x / parts;
        const int64_t first = blockIdx.x % parts * ELEMENTS, last = first + ELEMENTS;
        begin = matrix * size + first;
        end = matrix * size + (last < size ? last : size);
    }
};

// Sets the flags of the matrices with NaN.
template <class T, int ELEMENTS>
GPUARRAY_DEVICE void find_nan(const T* matrices, int32_t* flags, int64_t size) {
    const MatrixPart<ELEMENTS> part(size);
    bool found = false;
    for (int64_t i = part.begin + threadIdx.x; i < part.end; i += blockDim.x) found |= isnan(matrices[i]);
    if (__syncthreads_or(found) && threadIdx.x == 0) atomicOr(flags + part.matrix, 1);
}

// The greatest parts of elements, as bits, which are in the order of positive numbers. NaN is the greatest.
template <class T, class Bits, int ELEMENTS>
GPUARRAY_DEVICE void greatest_elements(const T* matrices, Bits* greatest, int64_t size) {
    const MatrixPart<ELEMENTS> part(size);
    Bits found = 0;
    for (int64_t i = part.begin + threadIdx.x; i < part.end; i += blockDim.x) {
        const Bits bits = float_bits(small::greater_part(matrices[i]));
        found = bits > found ? bits : found;
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const Bits other = __shfl_xor_sync(small::WARP, found, lanes);
        found = other > found ? other : found;
    }
    if (threadIdx.x % 32 == 0) atomicMax(greatest + part.matrix, found);
}

// The power of two by which a matrix is to be multiplied, which is 1 unless squares of its greatest element would be
// out of range.
template <class Real> GPUARRAY_DEVICE Real scale_of(Real greatest) {
    typedef small::Precision<Real> Range;
    const int exponent = Range::biased_exponent(greatest) - Range::BIAS;
    const bool within = exponent <= Range::SQUARED_EXPONENT && exponent >= -Range::SQUARED_EXPONENT;
    return within || greatest == 0 || !isfinite(greatest) ? Real(1) : small::scale_to(greatest, 0);
}

template <class T, class Bits, int ELEMENTS>
GPUARRAY_DEVICE void scale_elements(T* matrices, const Bits* greatest, int64_t size) {
    typedef typename small::Scalar<T>::Real Real;
    const MatrixPart<ELEMENTS> part(size);
    const Real scale = scale_of(float_from_bits(greatest[part.matrix]));
    if (scale == 1) return;
    for (int64_t i = part.begin + threadIdx.x; i < part.end; i += blockDim.x) matrices[i] = matrices[i] * scale;
}

// Eigenvalues of scaled matrices as those of the matrices. They ascend but for rounding errors: the greatest so far is
// taken.
template <class Real, class Bits, int ELEMENTS>
GPUARRAY_DEVICE void ascending_values(const Real* found, const Bits* greatest, Real* values, int64_t size) {
    const MatrixPart<ELEMENTS> part(size);
    const Real scale = scale_of(float_from_bits(greatest[part.matrix]));
    const int64_t first = part.matrix * size;
    for (int64_t i = part.begin + threadIdx.x; i < part.end; i += blockDim.x) {
        Real value = found[i];
        for (int64_t j = first; j < i; ++j) value = found[j] > value ? found[j] : value;
        values[i] = value / scale;
    }
}

}  // namespace gpuarray
