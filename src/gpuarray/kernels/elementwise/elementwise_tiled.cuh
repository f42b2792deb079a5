// Element-wise kernels whose operands disagree on the fastest dimension (transposes).
//
// The last dimension, x, is the first output's fastest; the one before it, y, is the fastest of the transposed inputs.
// A block owns TX by TY elements at one index of the other dimensions. It reads transposed inputs along y and leaves
// them in shared memory, from where they are taken along x; everything else is read and written along x.
//
// A thread reads a transposed input in squares of EDGE by EDGE elements, one access along y for each x, and turns them
// in registers, so that each access to shared memory moves EDGE elements, too. EDGE rows of a tile are followed by
// EDGE elements of padding: squares that lie behind one another along y then fall into different banks, as do
// accesses along x, and both are free of conflicts. An input whose columns are not aligned (an odd length, a view at
// an odd offset) is read as two aligned words that are shifted together; where these would reach beyond a column, in
// tiles at its ends, by single elements along y.
//
// Loops are unrolled as far as enough loads are under way, and no further: many blocks share a multiprocessor.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// A square of elements in a thread's registers.
template <class T, int EDGE> struct Square {
    alignas(16) T elements[EDGE][EDGE];

    // Exchange rows and columns. Elements of less than 4 bytes are moved by permutations of bytes: the compiler, left
    // alone, would take them apart and put them together one by one.
    GPUARRAY_DEVICE void turn() {
        Square turned;
        enum { COUNT = EDGE * sizeof(T) / 4, PER_WORD = sizeof(T) < 4 ? 4 / sizeof(T) : 1 };
        if constexpr (sizeof(T) < 4 && EDGE % PER_WORD == 0) {
            const uint32_t(*from)[COUNT] = reinterpret_cast<const uint32_t(*)[COUNT]>(elements);
            uint32_t(*to)[COUNT] = reinterpret_cast<uint32_t(*)[COUNT]>(turned.elements);
#pragma unroll
            for (int i = 0; i < EDGE; i += PER_WORD) {
#pragma unroll
                for (int k = 0; k < COUNT; ++k) {
                    const int row = k * PER_WORD, word = i / PER_WORD;
                    if constexpr (sizeof(T) == 2) {
                        to[row][word] = __byte_perm(from[i][k], from[i + 1][k], 0x5410);
                        to[row + 1][word] = __byte_perm(from[i][k], from[i + 1][k], 0x7632);
                    } else {
                        const uint32_t a = __byte_perm(from[i][k], from[i + 1][k], 0x5140);
                        const uint32_t b = __byte_perm(from[i + 2][k], from[i + 3][k], 0x5140);
                        const uint32_t c = __byte_perm(from[i][k], from[i + 1][k], 0x7362);
                        const uint32_t d = __byte_perm(from[i + 2][k], from[i + 3][k], 0x7362);
                        to[row][word] = __byte_perm(a, b, 0x5410);
                        to[row + 1][word] = __byte_perm(a, b, 0x7632);
                        to[row + 2][word] = __byte_perm(c, d, 0x5410);
                        to[row + 3][word] = __byte_perm(c, d, 0x7632);
                    }
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < EDGE; ++i) {
#pragma unroll
                for (int k = 0; k < EDGE; ++k) turned.elements[k][i] = elements[i][k];
            }
        }
        *this = turned;
    }
};

// How the elements of a tile are grouped into vectors.
enum Grouping {
    // Rows of the first output are aligned where a tile's row begins.
    ALIGNED_ROWS,
    // They are not (its rows have an odd length): vectors begin where the output is aligned, so that the first and
    // last of a tile's row may be incomplete.
    SKEWED_ROWS,
    // A tile has all of x, and the output's rows lie behind one another, shorter than some vectors: a tile is one
    // run of elements. TX is the length of x.
    FLAT
};

// VECTOR elements along x are loaded and stored at a time, UNROLL times before the function is applied to them.
// SHIFTED is whether any transposed input has columns that are not aligned.
template <class Index, int BLOCK, int EDGE, bool SHIFTED, int VECTOR, int UNROLL, int TX, int TY, Grouping GROUPING,
          int NDIM, int OPERANDS>
struct Tiled {
    typedef typename Unsigned<Index>::type UIndex;
    typedef gpuarray::Dimensions<Index, NDIM, OPERANDS> Dimensions;
    enum {
        X = NDIM - 1, Y = NDIM - 2,
        WIDTH = (TX + EDGE - 1) / EDGE * EDGE, PITCH = WIDTH * EDGE + (VECTOR > EDGE ? VECTOR : EDGE),
        SQUARES = WIDTH * TY / (EDGE * EDGE), ROUNDS = (SQUARES + BLOCK - 1) / BLOCK,
        MOST = EDGE * EDGE >= 16 ? 1 : 16 / (EDGE * EDGE),
        DEPTH = ROUNDS < MOST ? ROUNDS : MOST,  // rounds at a time
        GROUPS_X = TX / VECTOR + (GROUPING == SKEWED_ROWS),
        GROUPS = GROUPING == FLAT ? TX * TY / VECTOR + 1 : GROUPS_X * TY,
        BATCHES = (GROUPS + BLOCK * UNROLL - 1) / (BLOCK * UNROLL)
    };
    static const uint32_t ALL = (1u << VECTOR) - 1;

    // A block's tile; where it is cut off, `width` and `height` are less than TX and TY.
    struct Tile {
        int width, height;
        UIndex before, after;  // elements along y beside the tile
    };

    // A thread's group of VECTOR elements in the tile.
    struct Group {
        int start, row;  // index of the first element in its row, or in the run
        uint32_t inside;  // a bit for each element that there is

        template <class First> GPUARRAY_DEVICE Group(const Tile& tile, int batch, int u, const First& first) {
            const int group = (batch * UNROLL + u) * BLOCK + threadIdx.x;
            row = GROUPING == FLAT ? 0 : group / GROUPS_X;
            start = (GROUPING == FLAT ? group : group % GROUPS_X) * VECTOR;
            if (GROUPING != ALIGNED_ROWS) start -= first.lead(row);
            const int length = GROUPING == FLAT ? TX * tile.height : row < tile.height ? tile.width : 0;
            const int from = start < 0 ? -start : 0, left = length - start;
            inside = left <= 0 || from >= VECTOR ? 0 : (left < VECTOR ? (1u << left) - 1 : ALL) >> from << from;
        }
        GPUARRAY_DEVICE bool has(int i) const { return inside >> i & 1; }
        // Place in the tile of an element that there is.
        GPUARRAY_DEVICE int x(int i) const { return GROUPING == FLAT ? uint32_t(start + i) % TX : start + i; }
        GPUARRAY_DEVICE int y(int i) const { return GROUPING == FLAT ? uint32_t(start + i) / TX : row; }
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
        GPUARRAY_DEVICE void locate(int, const UIndex (&coordinates)[NDIM]) {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < NDIM; ++axis) offset += Index(coordinates[axis]) * strides[axis];
            pointer += offset;
        }
        GPUARRAY_DEVICE Element* at(const Group& group, int i) const {
            return pointer + (Index(group.y(i)) * strides[Y] + Index(group.x(i)) * strides[X]);
        }
        // The same, from the first element's address.
        GPUARRAY_DEVICE Element* next(Element* first, const Group& group, int i) const {
            return GROUPING == FLAT ? at(group, i) : first + i * strides[X];
        }
        GPUARRAY_DEVICE bool vector(uint32_t mask, const Element* first) const {
            return VECTOR > 1 && mask == ALL && strides[X] == 1 && (GROUPING != FLAT || strides[Y] == TX) &&
                   Vector::aligned(first);
        }
        // Elements by which a row begins behind an aligned address.
        GPUARRAY_DEVICE int lead(int row) const {
            const uint64_t address = reinterpret_cast<uint64_t>(pointer + Index(row) * strides[Y]);
            return uint32_t(address) % Vector::BYTES / sizeof(Element);
        }
    };

    template <class T> struct Input : Array<T> {
        typedef typename Array<T>::Element Element;
        using Array<T>::Array;

        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE void fill(const Tile&) const {}
        GPUARRAY_DEVICE void load(int u, const Group& group) {
            Element* first = this->at(group, 0);
            if (this->vector(group.inside, first)) {
                Array<T>::Vector::copy(this->values + u * VECTOR, first);
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    this->values[u * VECTOR + i] = Element();
                    if (group.has(i)) this->values[u * VECTOR + i] = *this->next(first, group, i);
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
            Element* first = this->at(group, 0);
            if (this->vector(kept, first)) {
                Array<T>::Vector::copy(first, this->values + u * VECTOR);
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    if (kept >> i & 1) *this->next(first, group, i) = this->values[u * VECTOR + i];
                }
            }
        }
    };

    // An operand that is read along y. NUMBER tells its shared memory from that of the others.
    template <class T, int NUMBER> struct Transposed : Array<T> {
        typedef typename Array<T>::Element Element;
        typedef gpuarray::Vector<Element, EDGE> Side;
        typedef typename Side::Access Access;
        using Array<T>::Array;

        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        GPUARRAY_DEVICE static Element* shared() {
            // Bytes, since the elements may have constructors.
            __shared__ alignas(16) unsigned char bytes[TY / EDGE * PITCH * sizeof(Element)];
            return reinterpret_cast<Element*>(bytes);
        }
        GPUARRAY_DEVICE static Element* cell(int x, int y) {
            return shared() + (y / EDGE * PITCH + y % EDGE * WIDTH + x);
        }
        GPUARRAY_DEVICE static int square_x(int square) { return square / (TY / EDGE) * EDGE; }
        GPUARRAY_DEVICE static int square_y(int square) { return square % (TY / EDGE) * EDGE; }

        GPUARRAY_DEVICE void fill(const Tile& tile) const {
            const Index along_x = this->strides[X], along_y = this->strides[Y];
            const bool aligned = (along_x & (EDGE - 1)) == 0 && Side::aligned(this->pointer);
            const bool whole =
                aligned ? (tile.height & (EDGE - 1)) == 0 : SHIFTED && tile.before >= EDGE && tile.after >= EDGE;
            if (along_y == 1 && whole) {
#pragma unroll 1
                for (int round = 0; round < ROUNDS; round += DEPTH) fill_squares(tile, round * BLOCK + threadIdx.x);
            } else {
#pragma unroll 4
                for (int i = threadIdx.x; i < TX * TY; i += BLOCK) {
                    const int x = i / TY, y = i % TY;
                    // Vectors are read across the edge of a tile that is not full; what is there is not used.
                    *cell(x, y) = x < tile.width && y < tile.height
                                      ? this->pointer[Index(x) * along_x + Index(y) * along_y]
                                      : Element();
                }
            }
        }
        GPUARRAY_DEVICE void fill_squares(const Tile& tile, int first) const {
            Square<Element, EDGE> squares[DEPTH];
            Access next[DEPTH][EDGE];
            uint32_t shifts[DEPTH][EDGE];
#pragma unroll
            for (int r = 0; r < DEPTH; ++r) {
                const int x = square_x(first + r * BLOCK), y = square_y(first + r * BLOCK);
                const Element* from = this->pointer + (Index(x) * this->strides[X] + Index(y));
#pragma unroll
                for (int i = 0; i < EDGE; ++i, from += this->strides[X]) {
                    const uint64_t address = reinterpret_cast<uint64_t>(from);
                    shifts[r][i] = SHIFTED ? uint32_t(address) & (Side::BYTES - 1) : 0;
                    if (x + i < tile.width && y < tile.height) {
                        // Not from `address`: the compiler would no longer know that it is global memory.
                        const Access* words = reinterpret_cast<const Access*>(
                            reinterpret_cast<const char*>(from) - shifts[r][i]);
                        row(squares[r], i) = words[0];
                        if (shifts[r][i]) next[r][i] = words[1];
                    }
                }
            }
#pragma unroll
            for (int r = 0; r < DEPTH; ++r) {
                const int square = first + r * BLOCK;
                if (SQUARES % BLOCK && square >= SQUARES) break;
                if constexpr (SHIFTED) {
#pragma unroll
                    for (int i = 0; i < EDGE; ++i) {
                        if (shifts[r][i]) {
                            row(squares[r], i) =
                                join<Side::BYTES, alignof(Element)>(row(squares[r], i), next[r][i], shifts[r][i]);
                        }
                    }
                }
                squares[r].turn();
#pragma unroll
                for (int k = 0; k < EDGE; ++k) {
                    Side::copy(cell(square_x(square), square_y(square) + k), squares[r].elements[k]);
                }
            }
        }
        GPUARRAY_DEVICE static Access& row(Square<Element, EDGE>& square, int i) {
            return *reinterpret_cast<Access*>(square.elements[i]);
        }
        GPUARRAY_DEVICE void load(int u, const Group& group) {
            if (GROUPING == ALIGNED_ROWS) {
                if (GROUPS % (BLOCK * UNROLL) == 0 || group.row < TY) {
                    Array<T>::Vector::copy(this->values + u * VECTOR, cell(group.start, group.row));
                }
            } else if constexpr (GROUPING == SKEWED_ROWS && VECTOR > 1) {
                // The words before and after the row's are not used, and nothing is in the padding behind it.
                typedef typename Array<T>::Vector::Access Word;
                const int shift = group.start & (VECTOR - 1), low = group.start - shift, last = TX - VECTOR;
                const Element* row = cell(0, group.row < TY ? group.row : 0);
                const Word a = *reinterpret_cast<const Word*>(row + (low < 0 ? 0 : low < last ? low : last));
                const Word b = *reinterpret_cast<const Word*>(row + (low + VECTOR < last ? low + VECTOR : last));
                Word& values = *reinterpret_cast<Word*>(this->values + u * VECTOR);
                values = join<Array<T>::Vector::BYTES, alignof(Element)>(a, b, shift * sizeof(Element));
            } else {
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    this->values[u * VECTOR + i] = Element();
                    if (group.has(i)) this->values[u * VECTOR + i] = *cell(group.x(i), group.y(i));
                }
            }
        }
        GPUARRAY_DEVICE void store(int, const Group&, uint32_t) const {}
    };

    // `size` is not needed: a block of the grid is a tile.
    template <class Function, class Mask, class First, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index, const Dimensions& dimensions, Mask mask, First first,
                                    Slots... slots) {
        UIndex coordinates[NDIM];
        dimensions.split(blockIdx.x, coordinates);
        Tile tile;
        coordinates[X] *= TX;
        tile.before = coordinates[Y] *= TY;
        const UIndex width = dimensions.shape[X] - coordinates[X], height = dimensions.shape[Y] - coordinates[Y];
        tile.width = width < TX ? width : TX;
        tile.height = height < TY ? height : TY;
        tile.after = height - tile.height;
        first.locate(0, coordinates);
        mask.locate(0, coordinates);
        (slots.locate(0, coordinates), ...);
        mask.fill(tile);
        (slots.fill(tile), ...);
        __syncthreads();
#pragma unroll 1
        for (int batch = 0; batch < BATCHES; ++batch) {
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Group group(tile, batch, u, first);
                mask.load(u, group);
                (slots.load(u, group), ...);
            }
#pragma unroll
            for (int i = 0; i < UNROLL * VECTOR; ++i) function(first[i], slots[i]...);
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Group group(tile, batch, u, first);
                uint32_t kept = 0;
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) kept |= uint32_t(mask[u * VECTOR + i]) << i;
                kept &= group.inside;
                first.store(u, group, kept);
                (slots.store(u, group, kept), ...);
            }
        }
    }
};

}  // namespace gpuarray
