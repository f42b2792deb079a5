// Element-wise kernels whose operands disagree on the fastest dimension (transposes).
//
// The last dimension, x, is the first output's fastest; the one before it, y, is the fastest of the "crossed" inputs.
// A block owns TX by TY elements at one place in the other dimensions. It reads crossed inputs along y and leaves
// them in shared memory, from where they are taken along x; everything else is read and written along x.
//
// A thread reads a crossed input in squares of EDGE by EDGE elements, one access along y for each x, and turns them
// in registers, so that each access to shared memory moves EDGE elements, too. EDGE rows of a tile are followed by
// EDGE elements of padding: squares that lie behind one another along y then fall into different banks, as do
// accesses along x, and both are free of conflicts. Where an input is not aligned for that, it is read by single
// elements, still along y.
//
// Loops are unrolled as far as enough loads are under way, and no further: many blocks share a multiprocessor.
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
        DEPTH = ROUNDS * EDGE * EDGE <= 16 ? ROUNDS : 16 / (EDGE * EDGE),  // rounds at a time
        GROUPS = TX * TY / VECTOR, BATCHES = (GROUPS + BLOCK * UNROLL - 1) / (BLOCK * UNROLL),
        PITCH = TX * EDGE + EDGE
    };
    static const uint32_t ALL = (1u << VECTOR) - 1;

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
        GPUARRAY_DEVICE void fill(const Tile&) const {}
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
        GPUARRAY_DEVICE void store(int, const Group&, uint32_t) const {}
    };

    template <class T> struct Output : Array<T> {
        typedef typename Array<T>::Element Element;
        using Array<T>::Array;

        GPUARRAY_DEVICE Element& operator[](int item) { return this->values[item]; }
        GPUARRAY_DEVICE void fill(const Tile&) const {}
        GPUARRAY_DEVICE void load(int, const Group&) {}
        GPUARRAY_DEVICE void store(int u, const Group& group, uint32_t kept) const {
            Element* first = this->at(group);
            if (kept == ALL && this->vector(first, group)) {
                Array<T>::Vector::copy(first, this->values + u * VECTOR);
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    if (i < group.lanes && (kept >> i & 1)) {
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

        GPUARRAY_DEVICE void fill(const Tile& tile) const {
            const Index along_x = this->strides[X], along_y = this->strides[Y];
            const bool aligned = along_y == 1 && (along_x & (EDGE - 1)) == 0 && Side::aligned(this->pointer);
            if (EDGE > 1 && aligned && (tile.height & (EDGE - 1)) == 0) {
#pragma unroll 1
                for (int round = 0; round < ROUNDS; round += DEPTH) fill_squares(tile, round * BLOCK + threadIdx.x);
            } else {
#pragma unroll 4
                for (int i = threadIdx.x; i < TX * TY; i += BLOCK) {
                    const Position x = i / TY, y = i % TY;
                    if (x < tile.width && y < tile.height) {
                        *cell(x, y) = this->pointer[Index(x) * along_x + Index(y) * along_y];
                    }
                }
            }
        }
        GPUARRAY_DEVICE void fill_squares(const Tile& tile, int first) const {
            alignas(16) Element squares[DEPTH][EDGE][EDGE];
#pragma unroll
            for (int r = 0; r < DEPTH; ++r) {
                const Position x = square_x(first + r * BLOCK), y = square_y(first + r * BLOCK);
                const Element* from = this->pointer + (Index(x) * this->strides[X] + Index(y));
#pragma unroll
                for (int i = 0; i < EDGE; ++i, from += this->strides[X]) {
                    if (x + i < tile.width && y < tile.height) Side::copy(squares[r][i], from);
                }
            }
#pragma unroll
            for (int r = 0; r < DEPTH; ++r) {
                const int square = first + r * BLOCK;
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
        GPUARRAY_DEVICE void load(int u, const Group& group) {
            if (GROUPS % (BLOCK * UNROLL) && group.y >= TY) return;
            Array<T>::Vector::copy(this->values + u * VECTOR, cell(group.x, group.y));
        }
        GPUARRAY_DEVICE void store(int, const Group&, uint32_t) const {}
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
        const Position width = Position(dimensions.shape[X]) - tile.x, height = Position(dimensions.shape[Y]) - tile.y;
        tile.width = width < TX ? width : TX;
        tile.height = height < TY ? height : TY;
        mask.locate(0, coordinates);
        (slots.locate(0, coordinates), ...);
        mask.fill(tile);
        (slots.fill(tile), ...);
        __syncthreads();
#pragma unroll 1
        for (int batch = 0; batch < BATCHES; ++batch) {
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Group group(tile, batch, u);
                mask.load(u, group);
                (slots.load(u, group), ...);
            }
#pragma unroll
            for (int i = 0; i < UNROLL * VECTOR; ++i) function(slots[i]...);
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Group group(tile, batch, u);
                uint32_t kept = 0;
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) kept |= uint32_t(mask[u * VECTOR + i]) << i;
                (slots.store(u, group, kept), ...);
            }
        }
    }
};

}  // namespace gpuarray
