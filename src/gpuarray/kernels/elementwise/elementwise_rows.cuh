// Element-wise kernels whose operands are all contiguous, altogether or along the fastest dimension ("rows").
//
// A row is cut into vectors of VECTOR elements at the addresses where the first output is aligned, whatever its
// alignment: the first and the last vector of a row may reach beyond it, and take their elements one by one. An
// input whose rows are aligned otherwise (a view at an odd offset, rows of odd length) is still read 16 bytes at a
// time: a thread reads the two aligned words that its vector lies in and shifts them together. The second word is
// what the next thread reads as its first, so it comes from the cache and the memory sees every byte once.
//
// An index in the grid is the number of a vector. Contiguous operands are one row, and no division is needed;
// otherwise each vector costs one division by the vectors of a row (and one for each further dimension).
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// With TOGETHER a thread tests once, for all operands, whether its vectors are whole and aligned. That saves instructions
// for each operand, which bound heavy functions, but makes the kernel longer: there is a path for either case.
template <class Index, int BLOCK, int VECTOR, int UNROLL, int NDIM, int OPERANDS, bool TOGETHER = false> struct Rows {
    typedef typename Unsigned<Index>::type UIndex;
    typedef gpuarray::Dimensions<Index, NDIM, OPERANDS> Dimensions;
    // Incomplete vectors are handled in pieces, to keep the code small that hardly ever runs.
    enum { ITEMS = VECTOR * UNROLL, TILE = BLOCK * UNROLL, PIECE = VECTOR < 4 ? VECTOR : 4 };
    static const uint32_t ALL = (1u << VECTOR) - 1;

    // A vector in its row: the column of its first element, and how many elements of the row begin there. `inner` is cheap
    // to find, and true of nearly all vectors; only of the others the mask of `inside` is made.
    struct Lanes {
        Index column, left;
        bool inner;  // this vector is whole, and the ones before and after it

        GPUARRAY_DEVICE Lanes(Index column, Index length) : column(column), left(length - column) {
            inner = column >= VECTOR && left >= 2 * VECTOR;
        }
        // A bit for each of its elements that is in the row.
        GPUARRAY_DEVICE uint32_t inside() const {
            const Index from = column < 0 ? -column : 0;
            return left <= 0 || from >= VECTOR ? 0 : (left < VECTOR ? (1u << left) - 1 : ALL) >> from << from;
        }
    };

    template <class T> struct Array {
        typedef typename Stored<T>::type Element;
        typedef gpuarray::Vector<Element, VECTOR> Vector;
        typedef typename Vector::Access Access;
        typedef gpuarray::Vector<Element, PIECE> Piece;
        enum { BYTES = Vector::BYTES, MASKS = true };
        Element* pointer;
        const Index* strides;
        Element* rows[UNROLL];
        alignas(16) Element values[ITEMS];

        GPUARRAY_DEVICE explicit Array(const Element* pointer, const Index* strides = nullptr)
            : pointer(const_cast<Element*>(pointer)), strides(strides) {}
        GPUARRAY_DEVICE void locate(int u, const UIndex (&coordinates)[NDIM]) {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < NDIM - 1; ++axis) offset += Index(coordinates[axis]) * strides[axis];
            rows[u] = pointer + offset;
        }
        // Move the vector's elements on, to put a piece behind them. Registers cannot be indexed in a loop.
        GPUARRAY_DEVICE void push(int u, const Element* piece) {
            Element* vector = values + u * VECTOR;
#pragma unroll
            for (int i = 0; i + PIECE < VECTOR; i += PIECE) Piece::copy(vector + i, vector + i + PIECE);
            Piece::copy(vector + VECTOR - PIECE, piece);
        }
        GPUARRAY_DEVICE static uint32_t excess(const Element* at) {
            return uint32_t(reinterpret_cast<uint64_t>(at)) & (BYTES - 1);
        }
        // Not 0 where a vector is at no multiple of its length.
        GPUARRAY_DEVICE uint32_t misaligned(int u, Index column) const { return excess(rows[u] + column); }
    };

    template <class T> struct Input : Array<T> {
        typedef Array<T> Base;
        typedef typename Base::Element Element;
        typedef typename Base::Access Access;
        // An element is a multiple of this from an aligned address; that of a complex number is its part's.
        enum { GRAIN = alignof(Element), SHIFTS = int(Base::BYTES) > int(GRAIN) };
        Access next[UNROLL];
        uint32_t shifts[UNROLL];
        using Base::Base;

        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        // A whole vector that is aligned.
        GPUARRAY_DEVICE void take(int u, const Lanes& lanes) {
            Base::Vector::copy(this->values + u * VECTOR, this->rows[u] + lanes.column);
        }
        GPUARRAY_DEVICE void load(int u, const Lanes& lanes) {
            const Element* source = this->rows[u] + lanes.column;
            const uint32_t excess = SHIFTS ? Base::excess(source) : 0;
            shifts[u] = 0;
            uint32_t inside = ALL;
            bool vector = true;
            // Words that reach beyond the row are not read: they are no operand's, and may be written meanwhile.
            if (!lanes.inner) {
                inside = lanes.inside();
                vector = inside == ALL && excess == 0;
            }
            if (vector) {
                const Access* words =
                    reinterpret_cast<const Access*>(reinterpret_cast<const char*>(source) - excess);
                *reinterpret_cast<Access*>(this->values + u * VECTOR) = words[0];
                if (excess) {
                    next[u] = words[1];
                    shifts[u] = excess;
                }
            } else {
#pragma unroll 1
                for (int start = 0; start < VECTOR; start += PIECE, source += PIECE, inside >>= PIECE) {
                    alignas(16) Element piece[PIECE];
#pragma unroll
                    for (int i = 0; i < PIECE; ++i) {
                        piece[i] = Element();
                        if (inside >> i & 1) piece[i] = source[i];
                    }
                    this->push(u, piece);
                }
            }
        }
        // Apart from the load, so that all loads of a thread are under way before it waits for one.
        GPUARRAY_DEVICE void settle(int u) {
            if constexpr (SHIFTS) {
                if (shifts[u]) {
                    Access& low = *reinterpret_cast<Access*>(this->values + u * VECTOR);
                    low = join<Base::BYTES, GRAIN>(low, next[u], shifts[u]);
                }
            }
        }
        GPUARRAY_DEVICE void put(int, const Lanes&) {}
        GPUARRAY_DEVICE void store(int, const Lanes&, uint32_t) {}
    };

    // One element a row.
    template <class T> struct Repeated : Array<T> {
        typedef typename Array<T>::Element Element;
        Element repeated[UNROLL];
        using Array<T>::Array;

        GPUARRAY_DEVICE T operator[](int item) const { return T(repeated[item / VECTOR]); }
        GPUARRAY_DEVICE uint32_t misaligned(int, Index) const { return 0; }
        GPUARRAY_DEVICE void take(int u, const Lanes&) { repeated[u] = *this->rows[u]; }
        GPUARRAY_DEVICE void load(int u, const Lanes& lanes) {
            repeated[u] = Element();
            if (lanes.inside()) repeated[u] = *this->rows[u];
        }
        GPUARRAY_DEVICE void settle(int) {}
        GPUARRAY_DEVICE void put(int, const Lanes&) {}
        GPUARRAY_DEVICE void store(int, const Lanes&, uint32_t) {}
    };

    template <class T> struct Output : Array<T> {
        typedef Array<T> Base;
        typedef typename Base::Element Element;
        using Base::Base;

        GPUARRAY_DEVICE Element& operator[](int item) { return this->values[item]; }
        GPUARRAY_DEVICE void take(int, const Lanes&) {}
        GPUARRAY_DEVICE void load(int, const Lanes&) {}
        GPUARRAY_DEVICE void settle(int) {}
        // A whole vector to where it is aligned.
        GPUARRAY_DEVICE void put(int u, const Lanes& lanes) {
            Base::Vector::copy(this->rows[u] + opaque(lanes.column), this->values + u * VECTOR);
        }
        GPUARRAY_DEVICE void store(int u, const Lanes& lanes, uint32_t kept) {
            Element* target = this->rows[u] + lanes.column;
            if (!lanes.inner) kept &= lanes.inside();
            if (kept == ALL && Base::excess(target) == 0) {
                put(u, lanes);
            } else {
#pragma unroll 1
                for (int start = 0; start < VECTOR; start += PIECE, target += PIECE, kept >>= PIECE) {
                    alignas(16) Element piece[PIECE];
                    Base::Piece::copy(piece, this->values + u * VECTOR);
#pragma unroll
                    for (int i = 0; i < PIECE; ++i) {
                        if (kept >> i & 1) target[i] = piece[i];
                    }
                    this->push(u, piece);
                }
            }
        }
        // Elements by which a row begins behind an aligned address.
        GPUARRAY_DEVICE Index lead(int u) const { return Base::excess(this->rows[u]) / sizeof(Element); }
    };

    // The number of each element, in place of an operand in memory.
    template <class T> struct Number : Single<T> {
        T values[ITEMS];

        GPUARRAY_DEVICE Number() : Single<T>(T()) {}
        GPUARRAY_DEVICE T operator[](int item) const { return values[item]; }
        GPUARRAY_DEVICE void take(int u, const Lanes& lanes) { load(u, lanes); }
        GPUARRAY_DEVICE void load(int u, const Lanes& lanes) {
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) values[u * VECTOR + i] = T(lanes.column + i);
        }
    };

    template <class Function, class Mask, class First, class... Slots>
    GPUARRAY_DEVICE static void tile(Function function, UIndex start, Index length, const Dimensions* dimensions,
                                     Mask& mask, First& first, Slots&... slots) {
        Index columns[UNROLL], lengths[UNROLL];
        bool plain = TOGETHER;
        uint32_t misaligned = 0;
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            UIndex index = start + u * BLOCK + threadIdx.x, coordinates[NDIM];
            lengths[u] = length;
            if constexpr (NDIM == 1) {
                coordinates[0] = index;
            } else {
                dimensions->split(index, coordinates);
                if (coordinates[0] >= UIndex(dimensions->shape[0])) lengths[u] = 0;
            }
            first.locate(u, coordinates);
            mask.locate(u, coordinates);
            (slots.locate(u, coordinates), ...);
            columns[u] = Index(coordinates[NDIM - 1]) * VECTOR - first.lead(u);
            if constexpr (TOGETHER) {
                plain &= (columns[u] >= 0) & (lengths[u] - columns[u] >= VECTOR);
                misaligned |= first.misaligned(u, columns[u]) | mask.misaligned(u, columns[u]);
                misaligned |= (0u | ... | slots.misaligned(u, columns[u]));
            }
        }
        plain &= misaligned == 0;
        if (plain) {
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Lanes lanes(columns[u], lengths[u]);
                mask.take(u, lanes);
                (slots.take(u, lanes), ...);
            }
        } else {
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Lanes lanes(columns[u], lengths[u]);
                mask.load(u, lanes);
                (slots.load(u, lanes), ...);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                mask.settle(u);
                (slots.settle(u), ...);
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) function(first[i], slots[i]...);
        if (plain && !Mask::MASKS) {
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Lanes lanes(columns[u], lengths[u]);
                first.put(u, lanes);
                (slots.put(u, lanes), ...);
            }
            return;
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const Lanes lanes(columns[u], lengths[u]);
            uint32_t kept = 0;
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) kept |= uint32_t(mask[u * VECTOR + i]) << i;
            first.store(u, lanes, kept);
            (slots.store(u, lanes, kept), ...);
        }
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void over(Function function, UIndex vectors, Index length,
                                     const Dimensions* dimensions, Mask& mask, Slots&... slots) {
        if constexpr (sizeof(Index) == 4) {
            tile(function, UIndex(blockIdx.x) * TILE, length, dimensions, mask, slots...);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (UIndex start = UIndex(blockIdx.x) * TILE; start < vectors; start += UIndex(gridDim.x) * TILE) {
                tile(function, start, length, dimensions, mask, slots...);
            }
        }
    }

    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index size, Mask mask, Slots... slots) {
        // One more than they are, for the elements that an output begins behind an aligned address.
        over(function, UIndex(size) / VECTOR + 2, size, nullptr, mask, slots...);
    }

    // `size` is the number of vectors.
    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index size, const Dimensions& dimensions, Mask mask,
                                    Slots... slots) {
        over(function, size, dimensions.shape[NDIM - 1], &dimensions, mask, slots...);
    }
};

}  // namespace gpuarray
