// The element-wise family: one function of one element, applied to whole arrays.
//
// A generated kernel names a variant (how elements are found), a function object (what is computed) and one slot
// per operand. A slot owns the operand's pointer and the registers that hold this thread's elements of it. Every
// variant does the same three steps for a tile of elements: load all inputs, compute, store all outputs. All
// loads of a thread come before its first store, so an output may be exactly the memory of an input; for the
// same reason nothing here is __restrict__ or loaded through the read-only cache.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// `position` is never negative: unsigned division is cheaper, and first + tile may pass 2^31 before it is compared.
template <class Index> struct Unsigned { typedef uint32_t type; };
template <> struct Unsigned<int64_t> { typedef uint64_t type; };

template <int BYTES> struct Word { typedef uint4 type; };
template <> struct Word<1> { typedef uint8_t type; };
template <> struct Word<2> { typedef uint16_t type; };
template <> struct Word<4> { typedef uint32_t type; };
template <> struct Word<8> { typedef uint2 type; };

// COUNT elements of T in as few accesses as the 16-byte limit allows.
template <class T, int COUNT> struct Vector {
    enum { BYTES = COUNT * sizeof(T), ACCESS = BYTES < 16 ? BYTES : 16 };
    typedef typename Word<ACCESS>::type Access;

    GPUARRAY_DEVICE static void copy(T* target, const T* source) {
#pragma unroll
        for (int i = 0; i < BYTES / ACCESS; ++i) {
            reinterpret_cast<Access*>(target)[i] = reinterpret_cast<const Access*>(source)[i];
        }
    }
    GPUARRAY_DEVICE static bool aligned(const T* pointer) {
        return (reinterpret_cast<uint64_t>(pointer) & (ACCESS - 1)) == 0;
    }
};

// A by-value operand, or one element that every position reads: loaded before the tile.
template <class T> struct Single {
    T value;

    GPUARRAY_DEVICE explicit Single(T value) : value(value) {}
    GPUARRAY_DEVICE bool aligned() const { return true; }
    GPUARRAY_DEVICE T operator[](int) const { return value; }
    GPUARRAY_DEVICE void load_vector(int, uint64_t) {}
    GPUARRAY_DEVICE void store_vector(int, uint64_t) const {}
    template <class Index> GPUARRAY_DEVICE void load(int, Index) {}
    template <class Index> GPUARRAY_DEVICE void store(int, Index) const {}
    template <class Index> GPUARRAY_DEVICE void locate(int, Index, int) {}
    GPUARRAY_DEVICE void load_located(int) {}
    GPUARRAY_DEVICE void store_located(int) const {}
};

template <class T> GPUARRAY_DEVICE Single<T> broadcast(const typename Stored<T>::type* pointer) {
    return Single<T>(T(*pointer));
}

// The mask slot of a kernel without `where=`; it costs nothing.
struct Unmasked : Single<bool> {
    GPUARRAY_DEVICE Unmasked() : Single<bool>(true) {}
};

// All operands are contiguous and in the same order: element i of one belongs to element i of the others.
//
// A thread owns UNROLL vectors of VECTOR elements, BLOCK vectors apart, so that each access of a warp covers
// consecutive memory. Operands of different width keep the same VECTOR and differ in the width of the access.
// Where a pointer is not aligned to its access (a view at an odd offset), and in the last tile, a thread takes
// single elements, BLOCK apart, with one load in flight. Large arrays at such addresses are better served by an
// instance with VECTOR = 1, whose accesses are always aligned.
template <class Index, int BLOCK, int VECTOR, int UNROLL> struct Contiguous {
    typedef typename Unsigned<Index>::type Position;
    enum { ITEMS = VECTOR * UNROLL, TILE = BLOCK * ITEMS };

    template <class T> struct Array {
        typedef typename Stored<T>::type Element;
        Element* pointer;
        alignas(16) Element values[ITEMS];

        GPUARRAY_DEVICE explicit Array(const Element* pointer) : pointer(const_cast<Element*>(pointer)) {}
        GPUARRAY_DEVICE bool aligned() const { return Vector<Element, VECTOR>::aligned(pointer); }
    };

    template <class T> struct Input : Array<T> {
        using Array<T>::Array;
        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE void load_vector(int item, Position position) {
            Vector<typename Stored<T>::type, VECTOR>::copy(this->values + item, this->pointer + position);
        }
        GPUARRAY_DEVICE void load(int item, Position position) { this->values[item] = this->pointer[position]; }
        GPUARRAY_DEVICE void store_vector(int, Position) const {}
        GPUARRAY_DEVICE void store(int, Position) const {}
    };

    template <class T> struct Output : Array<T> {
        using Array<T>::Array;
        GPUARRAY_DEVICE typename Stored<T>::type& operator[](int item) { return this->values[item]; }
        GPUARRAY_DEVICE void load_vector(int, Position) {}
        GPUARRAY_DEVICE void load(int, Position) {}
        GPUARRAY_DEVICE void store_vector(int item, Position position) const {
            Vector<typename Stored<T>::type, VECTOR>::copy(this->pointer + position, this->values + item);
        }
        GPUARRAY_DEVICE void store(int item, Position position) const { this->pointer[position] = this->values[item]; }
    };

    // The number of each element, in place of an operand in memory.
    template <class T> struct Number {
        T values[ITEMS];

        GPUARRAY_DEVICE bool aligned() const { return true; }
        GPUARRAY_DEVICE T operator[](int item) const { return values[item]; }
        GPUARRAY_DEVICE void load_vector(int item, Position position) {
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) values[item + i] = T(position + i);
        }
        GPUARRAY_DEVICE void load(int item, Position position) { values[item] = T(position); }
        GPUARRAY_DEVICE void store_vector(int, Position) const {}
        GPUARRAY_DEVICE void store(int, Position) const {}
    };

    template <class Mask> GPUARRAY_DEVICE static bool whole(const Mask& mask, int item) {
        bool all = true;
#pragma unroll
        for (int i = 0; i < VECTOR; ++i) all = all && mask[item + i];
        return all;
    }

    // A whole tile whose pointers are aligned.
    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void vectors(Function function, Position first, Mask& mask, Slots&... slots) {
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
            const Position position = first + (i * BLOCK + threadIdx.x) * VECTOR;
            mask.load_vector(i * VECTOR, position);
            (slots.load_vector(i * VECTOR, position), ...);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) function(slots[i]...);
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
            const Position position = first + (i * BLOCK + threadIdx.x) * VECTOR;
            if (whole(mask, i * VECTOR)) {
                (slots.store_vector(i * VECTOR, position), ...);
            } else {
#pragma unroll
                for (int k = 0; k < VECTOR; ++k) {
                    if (mask[i * VECTOR + k]) (slots.store(i * VECTOR + k, position + k), ...);
                }
            }
        }
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void single(Function function, Position position, Mask& mask, Slots&... slots) {
        mask.load(0, position);
        (slots.load(0, position), ...);
        function(slots[0]...);
        if (mask[0]) (slots.store(0, position), ...);
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void tile(Function function, Position first, Position size, Mask& mask, Slots&... slots) {
        if constexpr (ITEMS > 1) {
            // Uniform in the block: all threads see the same pointers and the same tile.
            if (size - first >= TILE && mask.aligned() && (slots.aligned() && ...)) {
                vectors(function, first, mask, slots...);
                return;
            }
        }
        const Position end = size - first < TILE ? size : first + TILE;
#pragma unroll 1
        for (Position position = first + threadIdx.x; position < end; position += BLOCK) {
            single(function, position, mask, slots...);
        }
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index size, Mask mask, Slots... slots) {
        if constexpr (sizeof(Index) == 4) {
            tile(function, Position(blockIdx.x) * TILE, size, mask, slots...);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (Position first = Position(blockIdx.x) * TILE; first < size; first += Position(gridDim.x) * TILE) {
                tile(function, first, size, mask, slots...);
            }
        }
    }
};

// The collapsed dimensions of all operands, last one fastest; strides in elements.
template <class Index, int NDIM, int OPERANDS> struct Dimensions {
    Index shape[NDIM];
    Index strides[OPERANDS][NDIM];
};

// Operands with strides of their own. A thread owns ITEMS elements, BLOCK apart. Its first position is divided
// into coordinates, for all operands together; the others follow by adding the coordinates of BLOCK with carry,
// since a division costs as much as everything else that an element needs.
template <class Index, int BLOCK, int ITEMS, int NDIM, int OPERANDS> struct Strided {
    typedef typename Unsigned<Index>::type Position;
    typedef gpuarray::Dimensions<Index, NDIM, OPERANDS> Dimensions;
    enum { TILE = BLOCK * ITEMS };

    template <class T> struct Array {
        typedef typename Stored<T>::type Element;
        Element* pointer;
        const Index* strides;
        Index offsets[ITEMS];
        Element values[ITEMS];

        GPUARRAY_DEVICE Array(const Element* pointer, const Index* strides)
            : pointer(const_cast<Element*>(pointer)), strides(strides), offsets() {}
        GPUARRAY_DEVICE void locate(int item, Index coordinate, int axis) {
            offsets[item] += coordinate * strides[axis];
        }
    };

    template <class T> struct Input : Array<T> {
        using Array<T>::Array;
        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE void load_located(int item) { this->values[item] = this->pointer[this->offsets[item]]; }
        GPUARRAY_DEVICE void store_located(int) const {}
    };

    template <class T> struct Output : Array<T> {
        using Array<T>::Array;
        GPUARRAY_DEVICE typename Stored<T>::type& operator[](int item) { return this->values[item]; }
        GPUARRAY_DEVICE void load_located(int) {}
        GPUARRAY_DEVICE void store_located(int item) const { this->pointer[this->offsets[item]] = this->values[item]; }
    };

    template <class Number>
    GPUARRAY_DEVICE static void split(Number rest, const Dimensions& dimensions, Position (&coordinates)[NDIM]) {
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const Position extent = dimensions.shape[axis];
            // Of a 32-bit number the division is cheaper, and an extent beyond 32 bits is larger than it.
            const bool smaller = sizeof(Number) < sizeof(Position) && rest < extent;
            const Number quotient = smaller ? 0 : rest / Number(extent);
            coordinates[axis] = rest - quotient * Number(extent);
            rest = quotient;
        }
        coordinates[0] = rest;
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void tile(Function function, Position first, Position size, const Dimensions& dimensions,
                                     Mask& mask, Slots&... slots) {
        Position coordinates[NDIM], step[NDIM];
        split(first + threadIdx.x, dimensions, coordinates);
        split(uint32_t(BLOCK), dimensions, step);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (first + i * BLOCK + threadIdx.x < size) {
#pragma unroll
                for (int axis = 0; axis < NDIM; ++axis) {
                    mask.locate(i, Index(coordinates[axis]), axis);
                    (slots.locate(i, Index(coordinates[axis]), axis), ...);
                }
                mask.load_located(i);
                (slots.load_located(i), ...);
            }
            Position carry = 0;
#pragma unroll
            for (int axis = NDIM - 1; axis >= 0; --axis) {
                const Position extent = dimensions.shape[axis], sum = coordinates[axis] + step[axis] + carry;
                carry = axis > 0 && sum >= extent;
                coordinates[axis] = carry ? sum - extent : sum;
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (first + i * BLOCK + threadIdx.x < size) {
                function(slots[i]...);
                if (mask[i]) (slots.store_located(i), ...);
            }
        }
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index size, const Dimensions& dimensions, Mask mask,
                                    Slots... slots) {
        if constexpr (sizeof(Index) == 4) {
            tile(function, Position(blockIdx.x) * TILE, size, dimensions, mask, slots...);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (Position first = Position(blockIdx.x) * TILE; first < size; first += Position(gridDim.x) * TILE) {
                tile(function, first, size, dimensions, mask, slots...);
            }
        }
    }
};

}  // namespace gpuarray
