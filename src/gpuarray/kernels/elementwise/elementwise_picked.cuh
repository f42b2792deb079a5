// Element-wise kernels whose outputs are gapless along a row, and whose inputs lie close beside one another there, but
// in another order or with gaps: reversed, every second to fourth element, the channels of pixels.
//
// A row is cut into periods of PERIOD elements. Element r of period q of an input lies at q * ACROSS + r * ALONG, and
// these numbers are known to the compiler. A thread owns CHUNK elements of a row, whole periods and whole words of
// each operand. It reads the *window* in which an input's elements lie by aligned words, shifts them together where
// the window is not aligned, and picks the elements in registers, by permutations of bytes whose selectors are
// constants: about two instructions for four bytes, and no access narrower than the chunk allows. What lies in gaps
// is read with the rest and not used.
//
// Chunks begin where the first output is aligned and a period begins. Those at the ends of a row may be incomplete,
// and their windows may be read beyond the row: these go element by element, as do outputs that are never aligned.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

template <class Index, int BLOCK, int CHUNK, int PERIOD, int NDIM, int OPERANDS> struct Picked {
    typedef typename Unsigned<Index>::type UIndex;
    typedef gpuarray::Dimensions<Index, NDIM, OPERANDS> Dimensions;
    enum { PERIODS = CHUNK / PERIOD, PIECE = 4 };

    // A chunk that is in its row, and `inner` if those before and after it are, too.
    struct Whole {
        Index column;
        bool inner;
    };

    // Elements of an incomplete chunk.
    struct Piece {
        Index column, length;
        GPUARRAY_DEVICE bool has(int i) const { return column + i >= 0 && column + i < length; }
    };

    template <class T> struct Array {
        typedef typename Stored<T>::type Element;
        Element* pointer;
        const Index* strides;
        alignas(16) Element values[CHUNK];

        GPUARRAY_DEVICE Array(const Element* pointer, const Index* strides)
            : pointer(const_cast<Element*>(pointer)), strides(strides) {}
        GPUARRAY_DEVICE void locate(int, const UIndex (&coordinates)[NDIM]) {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < NDIM - 1; ++axis) offset += Index(coordinates[axis]) * strides[axis];
            pointer += offset;
        }
    };

    template <class T, int ACROSS, int ALONG> struct Input : Array<T> {
        typedef typename Array<T>::Element Element;
        enum {
            SIZE = sizeof(Element),
            FAR_ACROSS = (PERIODS - 1) * ACROSS, FAR_ALONG = (PERIOD - 1) * ALONG,
            LOW = (FAR_ACROSS < 0 ? FAR_ACROSS : 0) + (FAR_ALONG < 0 ? FAR_ALONG : 0),
            HIGH = (FAR_ACROSS > 0 ? FAR_ACROSS : 0) + (FAR_ALONG > 0 ? FAR_ALONG : 0),
            BYTES = (HIGH - LOW + 1) * SIZE,
            // From one chunk's window to the next one's. Words are no longer, so that the words at a window's ends
            // are in the windows beside it.
            MOVED = (ACROSS < 0 ? -ACROSS : ACROSS) * PERIODS * SIZE,
            WORD = MOVED >= 16 ? 16 : MOVED >= 8 ? 8 : 4,
            COUNT = (BYTES + WORD - 1) / WORD,
            // Few elements, each for many.
            FEW = ACROSS == 0 || (ALONG == 0 && MOVED < 4),
            GRAIN = alignof(Element)
        };
        typedef typename Word<WORD>::type Access;
        alignas(16) uint32_t window[FEW ? 4 : (COUNT + 1) * WORD / 4];
        uint32_t excess;
        using Array<T>::Array;

        GPUARRAY_DEVICE T operator[](int item) const { return T(this->values[item]); }
        // The offset of an element in memory, from the chunk's first, and that of a byte in the window.
        GPUARRAY_DEVICE static constexpr int offset_of(int i) { return i / PERIOD * ACROSS + i % PERIOD * ALONG; }
        GPUARRAY_DEVICE static constexpr int source(int byte) {
            return (offset_of(byte / SIZE) - LOW) * SIZE + byte % SIZE;
        }
        // `column` is a multiple of PERIOD.
        GPUARRAY_DEVICE const Element* at(Index column) const { return this->pointer + column / PERIOD * ACROSS; }

        GPUARRAY_DEVICE bool ready(const Whole& where) {
            if constexpr (FEW) return true;
            excess = uint32_t(reinterpret_cast<uint64_t>(at(where.column) + LOW)) & (WORD - 1);
            return where.inner || (BYTES % WORD == 0 && excess == 0);
        }
        GPUARRAY_DEVICE void load(int, const Whole& where) {
            const Element* first = at(where.column);
            if constexpr (FEW) {
                enum { STEP = ACROSS == 0 ? 1 : PERIOD, END = ACROSS == 0 ? ALONG == 0 ? 1 : PERIOD : CHUNK };
#pragma unroll
                for (int i = 0; i < END; i += STEP) this->values[i] = first[offset_of(i)];
            } else {
                const Access* words =
                    reinterpret_cast<const Access*>(reinterpret_cast<const char*>(first + LOW) - excess);
                Access* target = reinterpret_cast<Access*>(window);
#pragma unroll
                for (int i = 0; i < COUNT; ++i) target[i] = words[i];
                target[COUNT] = target[COUNT - 1];
                if (excess + BYTES > COUNT * WORD) target[COUNT] = words[COUNT];
            }
        }
        // Apart from the load, so that all loads of a thread are under way before it waits for one.
        GPUARRAY_DEVICE void settle(int) {
            if constexpr (FEW) {
#pragma unroll
                for (int i = CHUNK - 1; i > 0; --i) {
                    this->values[i] =
                        this->values[ACROSS ? i / PERIOD * PERIOD : ALONG ? i % PERIOD : 0];
                }
            } else {
                shift();
                uint32_t* target = reinterpret_cast<uint32_t*>(this->values);
#pragma unroll
                for (int k = 0; k < CHUNK * SIZE / 4; ++k) target[k] = pick(k);
            }
        }
        GPUARRAY_DEVICE void shift() {
            enum { WORDS = (COUNT + 1) * WORD / 4 };
            if (GRAIN >= WORD || !excess) return;
            if constexpr (WORD > 8 && GRAIN <= 8) {
#pragma unroll
                for (int i = 0; i + 2 < WORDS; ++i) window[i] = excess & 8 ? window[i + 2] : window[i];
            }
            if constexpr (WORD > 4 && GRAIN <= 4) {
#pragma unroll
                for (int i = 0; i + 1 < WORDS; ++i) window[i] = excess & 4 ? window[i + 1] : window[i];
            }
            if constexpr (GRAIN < 4) {
#pragma unroll
                for (int i = 0; i + 1 < WORDS; ++i) {
                    window[i] = __funnelshift_r(window[i], window[i + 1], (excess & 3) * 8);
                }
            }
        }
        // Four bytes of `values`: one permutation for each word that they are in, but the first.
        GPUARRAY_DEVICE uint32_t pick(int k) const {
            uint32_t result = window[source(4 * k) / 4];
            bool moved = false;
#pragma unroll
            for (int j = 1; j < 4; ++j) {
                const int from = source(4 * k + j) / 4;
                bool again = false;
#pragma unroll
                for (int m = 0; m < j; ++m) again |= source(4 * k + m) / 4 == from;
                if (!again) {
                    result = __byte_perm(result, window[from], selector(k, from, moved));
                    moved = true;
                }
            }
            const uint32_t inside = selector(k, -1, false);
            return moved || inside == 0x3210 ? result : __byte_perm(result, result, inside);
        }
        // Bytes in the second operand come from there; the others from the first, where they are already if
        // they were moved before.
        GPUARRAY_DEVICE static constexpr uint32_t selector(int k, int second, bool moved) {
            uint32_t result = 0;
            for (int m = 0; m < 4; ++m) {
                const int byte = source(4 * k + m), lane = byte & 3;
                result |= uint32_t(byte / 4 == second ? 4 + lane : moved ? m : lane) << (4 * m);
            }
            return result;
        }
        GPUARRAY_DEVICE void load(int, const Piece& piece) {
#pragma unroll
            for (int i = 0; i < PIECE; ++i) {
                this->values[i] = Element();
                if (piece.has(i)) {
                    const Index column = piece.column + i, quotient = column / PERIOD;
                    this->values[i] = this->pointer[quotient * ACROSS + (column - quotient * PERIOD) * ALONG];
                }
            }
        }
        template <class Where> GPUARRAY_DEVICE void store(int, const Where&) const {}
    };

    template <class T> struct Output : Array<T> {
        typedef typename Array<T>::Element Element;
        enum {
            BYTES = CHUNK * sizeof(Element),
            WORD = BYTES % 16 == 0 ? 16 : BYTES % 8 == 0 ? 8 : 4,
            ALIGNED = WORD / sizeof(Element)  // elements
        };
        typedef typename AccessOf<Element, WORD>::type Access;
        using Array<T>::Array;

        GPUARRAY_DEVICE Element& operator[](int item) { return this->values[item]; }
        // Elements from the beginning of the first chunk to that of the row: chunks begin where this output is
        // aligned, and at a multiple of PERIOD.
        GPUARRAY_DEVICE Index lead() const {
            int result = uint32_t(reinterpret_cast<uint64_t>(this->pointer)) % WORD / sizeof(Element);
#pragma unroll
            for (int i = 1; i < PERIOD; ++i) result += result % PERIOD ? int(ALIGNED) : 0;
            return result % PERIOD ? 0 : result;
        }
        GPUARRAY_DEVICE bool ready(const Whole& where) const {
            return reinterpret_cast<uint64_t>(this->pointer + where.column) % WORD == 0;
        }
        template <class Where> GPUARRAY_DEVICE void load(int, const Where&) {}
        GPUARRAY_DEVICE void settle(int) {}
        GPUARRAY_DEVICE void store(int, const Whole& where) const {
            Access* target = reinterpret_cast<Access*>(this->pointer + opaque(where.column));
#pragma unroll
            for (int i = 0; i < BYTES / WORD; ++i) target[i] = reinterpret_cast<const Access*>(this->values)[i];
        }
        GPUARRAY_DEVICE void store(int, const Piece& piece) const {
#pragma unroll
            for (int i = 0; i < PIECE; ++i) {
                if (piece.has(i)) this->pointer[piece.column + i] = this->values[i];
            }
        }
    };

    template <class Function, class First, class... Slots>
    GPUARRAY_DEVICE static void chunk(Function function, UIndex index, const Dimensions& dimensions,
                                      First first, Slots... slots) {
        UIndex coordinates[NDIM];
        dimensions.split(index, coordinates);
        if (NDIM > 1 && coordinates[0] >= UIndex(dimensions.shape[0])) return;
        first.locate(0, coordinates);
        (slots.locate(0, coordinates), ...);
        const Index length = dimensions.shape[NDIM - 1];
        const Index column = Index(coordinates[NDIM - 1]) * CHUNK - first.lead(), left = length - column;
        if (left <= 0) return;
        const Whole whole = {column, column >= CHUNK && left >= 2 * CHUNK};
        bool ready = column >= 0 && left >= CHUNK && first.ready(whole);
        ((ready &= slots.ready(whole)), ...);
        if (ready) {
            (slots.load(0, whole), ...);
            (slots.settle(0), ...);
#pragma unroll
            for (int i = 0; i < CHUNK; ++i) function(first[i], slots[i]...);
            first.store(0, whole);
            (slots.store(0, whole), ...);
        } else {
            const Index end = left < CHUNK ? length : column + CHUNK;
#pragma unroll 1
            for (Index start = column < 0 ? 0 : column; start < end; start += PIECE) {
                const Piece piece = {start, end};
                (slots.load(0, piece), ...);
#pragma unroll
                for (int i = 0; i < PIECE; ++i) function(first[i], slots[i]...);
                first.store(0, piece);
                (slots.store(0, piece), ...);
            }
        }
    }

    // `size` is the number of chunks.
    template <class Function, class First, class... Slots>
    GPUARRAY_DEVICE static void run(Function function, Index size, const Dimensions& dimensions, Unmasked,
                                    First first, Slots... slots) {
        const UIndex start = UIndex(blockIdx.x) * BLOCK + threadIdx.x;
        if constexpr (sizeof(Index) == 4) {
            chunk(function, start, dimensions, first, slots...);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (UIndex index = start; index < UIndex(size); index += UIndex(gridDim.x) * BLOCK) {
                chunk(function, index, dimensions, first, slots...);
            }
        }
    }
};

}  // namespace gpuarray
