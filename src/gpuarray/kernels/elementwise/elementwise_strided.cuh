// Element-wise kernels over operands with strides of their own.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// A thread owns ITEMS elements, BLOCK apart. Its first index is divided into coordinates, for all operands
// together; the others follow by adding the coordinates of BLOCK with carry, which is cheaper than dividing again.
template <class Index, int BLOCK, int ITEMS, int NDIM, int OPERANDS> struct Strided {
    typedef typename Unsigned<Index>::type UIndex;
    typedef gpuarray::Dimensions<Index, NDIM, OPERANDS> Dimensions;
    enum { TILE = BLOCK * ITEMS };

    template <class T> struct Array {
        typedef typename Stored<T>::type Element;
        Element* pointer;
        const Index* strides;
        Element* elements[ITEMS];
        Element values[ITEMS];

        GPUARRAY_DEVICE Array(const Element* pointer, const Index* strides)
            : pointer(const_cast<Element*>(pointer)), strides(strides) {}
        GPUARRAY_DEVICE void locate(int item, const UIndex (&coordinates)[NDIM]) {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < NDIM; ++axis) offset += Index(coordinates[axis]) * strides[axis];
            elements[item] = pointer + offset;
        }
    };

    template <class T> struct Input : Array<T> {
        using Array<T>::Array;
        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE void load(int item) { this->values[item] = *this->elements[item]; }
        GPUARRAY_DEVICE void store(int, bool) const {}
    };

    template <class T> struct Output : Array<T> {
        using Array<T>::Array;
        GPUARRAY_DEVICE typename Stored<T>::type& operator[](int item) { return this->values[item]; }
        GPUARRAY_DEVICE void load(int) {}
        GPUARRAY_DEVICE void store(int item, bool kept) const {
            if (kept) *this->elements[item] = this->values[item];
        }
    };

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void tile(Function function, UIndex first, UIndex size, const Dimensions& dimensions,
                                     Mask& mask, Slots&... slots) {
        UIndex coordinates[NDIM], step[NDIM];
        dimensions.split(first + threadIdx.x, coordinates);
        dimensions.split(BLOCK, step);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (first + i * BLOCK + threadIdx.x < size) {
                mask.locate(i, coordinates);
                (slots.locate(i, coordinates), ...);
                mask.load(i);
                (slots.load(i), ...);
            }
            UIndex carry = 0;
#pragma unroll
            for (int axis = NDIM - 1; axis >= 0; --axis) {
                const UIndex extent = dimensions.shape[axis], sum = coordinates[axis] + step[axis] + carry;
                carry = axis > 0 && sum >= extent;
                coordinates[axis] = carry ? sum - extent : sum;
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (first + i * BLOCK + threadIdx.x < size) {
                function(slots[i]...);
                (slots.store(i, mask[i]), ...);
            }
        }
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index size, const Dimensions& dimensions, Mask mask,
                                    Slots... slots) {
        if constexpr (sizeof(Index) == 4) {
            tile(function, UIndex(blockIdx.x) * TILE, size, dimensions, mask, slots...);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (UIndex first = UIndex(blockIdx.x) * TILE; first < size; first += UIndex(gridDim.x) * TILE) {
                tile(function, first, size, dimensions, mask, slots...);
            }
        }
    }
};

}  // namespace gpuarray
