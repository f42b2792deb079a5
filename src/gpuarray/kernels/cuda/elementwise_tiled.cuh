// Element-wise kernels whose operands disagree on the fastest dimension (transposes).
//
// The last dimension, x, is the first output's fastest; the one before it, y, is the fastest of the "crossed" inputs.
// A block owns TX by TY elements at one place in the other dimensions. It reads crossed inputs along y and leaves
// them in shared memory, from where they are taken along x; everything else is read and written along x.
//
// A thread reads a crossed input in squares of EDGE by EDGE elements, one access along y for each x, and turns them
// in registers, so that each access to shared memory moves EDGE elements, too. EDGE rows of a tile are followed by
// EDGE elements of padding: squares that lie behind one another along y then fall into different banks, as do
// accesses along x, and both are free of conflicts.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// VECTOR elements along x are loaded and stored at a time, UNROLL times before the function is applied to them.
template <class Index, int BLOCK, int EDGE, int VECTOR, int UNROLL, int TX, int TY, int NDIM, int OPERANDS>
struct Tiled {
    typedef typename Unsigned<Index>::type Position;
    typedef gpuarray::Dimensions<Index, NDIM, OPERANDS> Dimensions;
    enum {
        X = NDIM - 1, Y = NDIM - 2,
        SQUARES = TX * TY / (EDGE * EDGE), ROUNDS = (SQUARES + BLOCK - 1) / BLOCK,
        GROUPS = TX * TY / VECTOR, BATCHES = (GROUPS + BLOCK * UNROLL - 1) / (BLOCK * UNROLL),
        PITCH = TX * EDGE + EDGE
    };

    // A block's tile; where it is cut off, `width` and `height` are less than TX and TY.
    struct Tile {
        Position x, y, width, height;
    };

    // A thread's group of VECTOR elements in the tile.
    struct Group {
        Position x, y;
        int lanes;  // how many of its elements there are

        GPUARRAY_DEVICE Group(const Tile& tile, int batch, int u) {
            const int group = (batch * UNROLL + u) * BLOCK + threadIdx.x;
            x = group % (TX / VECTOR) * VECTOR;
            y = group / (TX / VECTOR);
            const bool inside = y < tile.height && x < tile.width;
            lanes = !inside ? 0 : tile.width - x < VECTOR ? tile.width - x : VECTOR;
        }
    };

    // An operand that is read or written along x.
    template <class T> struct Array {
        typedef typename Stored<T>::type Element;
        typedef gpuarray::Vector<Element, VECTOR> Vector;
        Element* pointer;
        const Index* strides;
        alignas(16) Element values[UNROLL * VECTOR];

        GPUARRAY_DEVICE Array(const Element* pointer, const Index* strides)
            : pointer(const_cast<Element*>(pointer)), strides(strides) {}
        GPUARRAY_DEVICE void locate(int, const Position (&coordinates)[NDIM]) {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < NDIM; ++axis) offset += Index(coordinates[axis]) * strides[axis];
            pointer += offset;
        }
        GPUARRAY_DEVICE Element* at(const Group& group) const {
            return pointer + (Index(group.y) * strides[Y] + Index(group.x) * strides[X]);
        }
        GPUARRAY_DEVICE bool vector(const Element* first, const Group& group) const {
            return VECTOR > 1 && group.lanes == VECTOR && strides[X] == 1 && Vector::aligned(first);
        }
    };

    template <class T> struct Input : Array<T> {
        typedef typename Array<T>::Element Element;
        using Array<T>::Array;

        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE void gather(const Tile&) {}
        GPUARRAY_DEVICE void scatter() const {}
        GPUARRAY_DEVICE void load(int u, const Group& group) {
            const Element* first = this->at(group);
            if (this->vector(first, group)) {
                Array<T>::Vector::copy(this->values + u * VECTOR, first);
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    this->values[u * VECTOR + i] = Element();
                    if (i < group.lanes) this->values[u * VECTOR + i] = first[i * this->strides[X]];
                }
            }
        }
        GPUARRAY_DEVICE void take(int, const Group&) {}
        template <class Mask> GPUARRAY_DEVICE void store(const Mask&, int, const Group&, bool) const {}
    };

    template <class T> struct Output : Array<T> {
        typedef typename Array<T>::Element Element;
        using Array<T>::Array;

        GPUARRAY_DEVICE Element& operator[](int item) { return this->values[item]; }
        GPUARRAY_DEVICE void gather(const Tile&) {}
        GPUARRAY_DEVICE void scatter() const {}
        GPUARRAY_DEVICE void load(int, const Group&) {}
        GPUARRAY_DEVICE void take(int, const Group&) {}
        template <class Mask>
        GPUARRAY_DEVICE void store(const Mask& mask, int u, const Group& group, bool whole) const {
            Element* first = this->at(group);
            if (whole && this->vector(first, group)) {
                Array<T>::Vector::copy(first, this->values + u * VECTOR);
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    if (i < group.lanes && mask[u * VECTOR + i]) {
                        first[i * this->strides[X]] = this->values[u * VECTOR + i];
                    }
                }
            }
        }
    };

    // An operand that is read along y. NUMBER tells its shared memory from that of the others.
    template <class T, int NUMBER> struct Crossed : Array<T> {
        typedef typename Array<T>::Element Element;
        typedef gpuarray::Vector<Element, EDGE> Side;
        alignas(16) Element squares[ROUNDS][EDGE][EDGE];
        using Array<T>::Array;

        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE static Element* shared() {
            // Bytes, since the elements may have constructors.
            __shared__ alignas(16) unsigned char bytes[TY / EDGE * PITCH * sizeof(Element)];
            return reinterpret_cast<Element*>(bytes);
        }
        GPUARRAY_DEVICE static Element* cell(int x, int y) {
            return shared() + (y / EDGE * PITCH + y % EDGE * TX + x);
        }
        GPUARRAY_DEVICE static int square_x(int square) { return square / (TY / EDGE) * EDGE; }
        GPUARRAY_DEVICE static int square_y(int square) { return square % (TY / EDGE) * EDGE; }

        GPUARRAY_DEVICE void gather(const Tile& tile) {
            const Index along_x = this->strides[X], along_y = this->strides[Y];
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r) {
                const int square = r * BLOCK + threadIdx.x;
                const Position x = square_x(square), y = square_y(square);
#pragma unroll
                for (int i = 0; i < EDGE; ++i) {
                    const Element* first = this->pointer + (Index(x + i) * along_x + Index(y) * along_y);
                    const bool inside = x + i < tile.width;
                    if (EDGE > 1 && inside && y + EDGE <= tile.height && along_y == 1 && Side::aligned(first)) {
                        Side::copy(squares[r][i], first);
                    } else {
#pragma unroll
                        for (int k = 0; k < EDGE; ++k) {
                            squares[r][i][k] = Element();
                            if (inside && y + k < tile.height) squares[r][i][k] = first[k * along_y];
                        }
                    }
                }
            }
        }
        GPUARRAY_DEVICE void scatter() const {
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r) {
                const int square = r * BLOCK + threadIdx.x;
                if (SQUARES % BLOCK && square >= SQUARES) break;
#pragma unroll
                for (int k = 0; k < EDGE; ++k) {
                    alignas(16) Element turned[EDGE];
#pragma unroll
                    for (int i = 0; i < EDGE; ++i) turned[i] = squares[r][i][k];
                    Side::copy(cell(square_x(square), square_y(square) + k), turned);
                }
            }
        }
        GPUARRAY_DEVICE void load(int, const Group&) {}
        GPUARRAY_DEVICE void take(int u, const Group& group) {
            if (GROUPS % (BLOCK * UNROLL) && group.y >= TY) return;
            Array<T>::Vector::copy(this->values + u * VECTOR, cell(group.x, group.y));
        }
        template <class Mask> GPUARRAY_DEVICE void store(const Mask&, int, const Group&, bool) const {}
    };

    // `size` is not needed: a block of the grid is a tile.
    template <class Function, class Mask, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index, const Dimensions& dimensions, Mask mask,
                                    Slots... slots) {
        Position coordinates[NDIM];
        dimensions.split(blockIdx.x, coordinates);
        Tile tile;
        tile.x = coordinates[X] *= TX;
        tile.y = coordinates[Y] *= TY;
        tile.width = Position(dimensions.shape[X]) - tile.x;
        tile.height = Position(dimensions.shape[Y]) - tile.y;
        mask.locate(0, coordinates);
        (slots.locate(0, coordinates), ...);
        mask.gather(tile);
        (slots.gather(tile), ...);
        if constexpr (BATCHES == 1) load(tile, 0, mask, slots...);  // under way while the tile is filled
        mask.scatter();
        (slots.scatter(), ...);
        __syncthreads();
#pragma unroll 1
        for (int batch = 0; batch < BATCHES; ++batch) {
            if constexpr (BATCHES > 1) load(tile, batch, mask, slots...);
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Group group(tile, batch, u);
                mask.take(u, group);
                (slots.take(u, group), ...);
            }
#pragma unroll
            for (int i = 0; i < UNROLL * VECTOR; ++i) function(slots[i]...);
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Group group(tile, batch, u);
                bool whole = true;
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) whole = whole && mask[u * VECTOR + i];
                (slots.store(mask, u, group, whole), ...);
            }
        }
    }

    template <class Mask, class... Slots>
    GPUARRAY_DEVICE static void load(const Tile& tile, int batch, Mask& mask, Slots&... slots) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const Group group(tile, batch, u);
            mask.load(u, group);
            (slots.load(u, group), ...);
        }
    }
};

}  // namespace gpuarray
