// The mask family: the elements where a mask is true, or their indices, in order.
//
// Two launches. The first counts: it reads the mask, keeps it as bits if that pays, and finds by look-back how many
// elements are true before each tile. Then the host knows the size of the result. The second stores: a true element's
// rank is the tile's count plus the true elements before it in the tile.
//
// A warp owns 1024 consecutive elements of a tile, as 32 rows of 32. A row is read by the 32 lanes together and its
// truths are the bits of a word, which lane number `row` keeps. Of contiguous bytes each lane reads its own row.
#pragma once

#include "gpuarray/gather.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

enum { MASK_ROW = 32, MASK_SPAN = 32 * 32 };

// The shape and the strides of the operand that is read or written beside the mask, or of the mask when counting.
template <class Index, int NDIM> struct MaskDimensions {
    typedef Index Offset;

    Index size, tiles;
    Index stride;  // of the one-dimensional operand; when counting, how many tiles a block counts
    Index shape[NDIM], strides[NDIM];

    GPUARRAY_DEVICE bool dense() const { return NDIM == 1 && strides[0] == 1; }
    GPUARRAY_DEVICE Index offset(typename Unsigned<Index>::type index) const {
        Index result = 0;
#pragma unroll
        for (int axis = NDIM - 1; axis >= 0; --axis) {
            Index coordinate = Index(index);
            if (axis > 0) {
                const typename Unsigned<Index>::type extent = shape[axis], quotient = index / extent;
                coordinate = index - quotient * extent;
                index = quotient;
            }
            result += coordinate * strides[axis];
        }
        return result;
    }
};

// Which of 32 bytes are not zero.
GPUARRAY_DEVICE uint32_t bits_of_bytes(const uint8_t* bytes) {
    alignas(16) uint32_t words[8];
    Vector<uint32_t, 8>::copy(words, reinterpret_cast<const uint32_t*>(bytes));
    uint32_t result = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        // The highest bit of each byte that is not zero, then these four side by side.
        const uint32_t high = (((words[i] & 0x7f7f7f7f) + 0x7f7f7f7f) | words[i]) & 0x80808080;
        result |= ((high >> 7) * 0x10204080 >> 28) << 4 * i;
    }
    return result;
}

// The bits of this lane's row, in a span that starts at `first`. `dense` says that the mask is contiguous. Where truth is
// that an element differs from the one before (Truth::CHANGES), it is, and the first element is true.
template <class Truth, class UIndex, class Offset>
GPUARRAY_DEVICE uint32_t collect(const typename Truth::Element* mask, UIndex first, UIndex size, bool dense,
                                 Offset offset_of) {
    enum { BATCH = 8 };
    const int lane = threadIdx.x % 32;
    if constexpr (sizeof(typename Truth::Element) == 1 && !Truth::CHANGES) {
        const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(mask) + first;
        if (dense && first + MASK_SPAN <= size && Vector<uint32_t, 8>::aligned((const uint32_t*)bytes)) {
            return bits_of_bytes(bytes + lane * MASK_ROW);
        }
    }
    uint32_t own = 0;
#pragma unroll 1
    for (int batch = 0; batch < 32; batch += BATCH) {
        bool truths[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const UIndex index = first + (batch + i) * MASK_ROW + lane;
            if constexpr (Truth::CHANGES) {
                truths[i] = index < size && (index == 0 || Truth::changes(mask[index], mask[index - 1]));
            } else {
                truths[i] = index < size && Truth::of(mask[offset_of(index)]);
            }
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const uint32_t word = __ballot_sync(0xffffffffu, truths[i]);
            if (lane == batch + i) own = word;
        }
    }
    return own;
}

// offsets[tile] becomes the count before a tile, and the last one that of all. A block counts several tiles before
// it looks back, since a look-back takes longer than counting a tile does.
template <class Truth, class Dimensions, int BLOCK, bool BITS>
GPUARRAY_DEVICE void count_true(const typename Truth::Element* mask, int64_t* offsets, uint32_t* bits,
                                    const Dimensions& dimensions, uint64_t* memory) {
    typedef typename Unsigned<typename Dimensions::Offset>::type UIndex;
    enum { WARPS = BLOCK / 32 };
    __shared__ int32_t counts[32][WARPS];
    const Ticket ticket = draw_ticket(memory, gridDim.x);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t rounds = dimensions.stride, tiles = dimensions.tiles, start = ticket.number * rounds;
#pragma unroll 1
    for (uint32_t round = 0; round < rounds && start + round < tiles; ++round) {
        const uint32_t tile = start + round;
        const UIndex first = (UIndex(tile) * BLOCK + warp * 32) * MASK_ROW;
        const uint32_t word =
            collect<Truth>(mask, first, UIndex(dimensions.size), dimensions.dense(),
                           [&](UIndex index) { return dimensions.offset(index); });
        if constexpr (BITS) bits[uint64_t(tile) * BLOCK + threadIdx.x] = word;
        const int32_t scanned = scan_lanes<Counting<int32_t>, 32>(__popc(word), lane);
        if (lane == 31) counts[round][warp] = scanned;
    }
    __syncthreads();
    if (warp > 0) return;
    int32_t own = 0;  // of tile number `lane`
    const bool counted = lane < rounds && start + lane < tiles;
    if (counted) {
#pragma unroll
        for (int i = 0; i < WARPS; ++i) own += counts[lane][i];
    }
    const int32_t scanned = scan_lanes<Counting<int32_t>, 32>(own, lane);
    const int64_t total = from_lane<32>(scanned, 31);
    const LookBackState<int64_t> lookback(memory, 0, 1, gridDim.x, ticket.tag);
    const int64_t before = look_back<Counting<int64_t>>(lookback, ticket.number, total, lane).value;
    if (counted) offsets[start + lane] = before + scanned - own;
    if (lane == 0 && ticket.number == gridDim.x - 1) offsets[tiles] = before + total;
}

// What is done with a true element: `read` gives a value for its index and its rank among the true
// elements, `write` stores it. With EACH it is done with every element, whose rank is that of the last true one up to it.
template <class Word, class Dimensions> struct Compress {
    enum { EACH = 0 };
    const Word* values;
    Word* result;
    const Dimensions& dimensions;
    typedef Word Value;

    template <class UIndex> GPUARRAY_DEVICE Word read(UIndex index, int64_t) const {
        return values[dimensions.offset(index)];
    }
    template <class UIndex> GPUARRAY_DEVICE void write(Word value, UIndex, int64_t rank) const {
        result[rank] = value;
    }
};

template <class Word, class Dimensions> struct Place {
    enum { EACH = 0 };
    const Word* values;
    Word* target;
    const Dimensions& dimensions;
    typedef Word Value;

    template <class UIndex> GPUARRAY_DEVICE Word read(UIndex, int64_t rank) const {
        return values[rank * dimensions.stride];
    }
    template <class UIndex> GPUARRAY_DEVICE void write(Word value, UIndex index, int64_t) const {
        target[dimensions.offset(index)] = value;
    }
};

// An array of indices for each axis, one behind the other; `strides` are not used.
template <class Dimensions, int NDIM> struct Coordinates {
    enum { EACH = 0 };
    int64_t* result;
    int64_t count;
    const Dimensions& dimensions;
    struct Value {};

    template <class UIndex> GPUARRAY_DEVICE Value read(UIndex, int64_t) const { return Value(); }
    template <class UIndex> GPUARRAY_DEVICE void write(Value, UIndex index, int64_t rank) const {
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const UIndex extent = dimensions.shape[axis], quotient = index / extent;
            result[axis * count + rank] = int64_t(index - quotient * extent);
            index = quotient;
        }
        result[rank] = int64_t(index);
    }
};

// The same with the indices of an element behind one another.
template <class Dimensions, int NDIM> struct CoordinateRows {
    enum { EACH = 0 };
    int64_t* result;
    const Dimensions& dimensions;
    struct Value {};

    template <class UIndex> GPUARRAY_DEVICE Value read(UIndex, int64_t) const { return Value(); }
    template <class UIndex> GPUARRAY_DEVICE void write(Value, UIndex index, int64_t rank) const {
        alignas(16) int64_t row[NDIM];
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const UIndex extent = dimensions.shape[axis], quotient = index / extent;
            row[axis] = int64_t(index - quotient * extent);
            index = quotient;
        }
        row[0] = int64_t(index);
        int64_t* const target = result + rank * NDIM;
        if constexpr (NDIM % 2 == 0) {
            Vector<int64_t, NDIM>::copy(target, row);
        } else {
#pragma unroll
            for (int axis = 0; axis < NDIM; ++axis) target[axis] = row[axis];
        }
    }
};

// The indices of true elements and, behind them, the number of all elements.
template <class Dimensions> struct Starts {
    enum { EACH = 0 };
    int64_t* result;
    int64_t count;
    const Dimensions& dimensions;
    struct Value {};

    template <class UIndex> GPUARRAY_DEVICE Value read(UIndex, int64_t) const { return Value(); }
    template <class UIndex> GPUARRAY_DEVICE void write(Value, UIndex index, int64_t rank) const {
        result[rank] = int64_t(index);
        if (rank + 1 == count) result[count] = int64_t(dimensions.size);
    }
};

// Ranks, stored at the places that an array gives.
struct PlacedRanks {
    enum { EACH = 1 };
    const int64_t* places;
    int64_t* result;
    typedef int64_t Value;

    template <class UIndex> GPUARRAY_DEVICE int64_t read(UIndex index, int64_t) const { return places[index]; }
    template <class UIndex> GPUARRAY_DEVICE void write(int64_t place, UIndex, int64_t rank) const {
        result[place] = rank;
    }
};

// Without BITS the mask is read again; it is then contiguous.
template <class Truth, class Dimensions, int BLOCK, bool BITS, class Action>
GPUARRAY_DEVICE void store_true(const typename Truth::Element* mask, const int64_t* offsets, const uint32_t* bits,
                                const Dimensions& dimensions, const Action& action) {
    typedef typename Unsigned<typename Dimensions::Offset>::type UIndex;
    enum { BATCH = 8 };
    const int lane = threadIdx.x % 32;
    const uint32_t tile = blockIdx.x;
    const UIndex first = (UIndex(tile) * BLOCK + threadIdx.x / 32 * 32) * MASK_ROW;
    const int64_t offset = offsets[tile];
    uint32_t own;
    if constexpr (BITS) {
        own = bits[uint64_t(tile) * BLOCK + threadIdx.x];
    } else {
        own = collect<Truth>(mask, first, UIndex(dimensions.size), true, [](UIndex index) { return index; });
    }
    // The true elements of the tile before this lane's row.
    __shared__ int32_t counts[BLOCK / 32];
    const int32_t scanned = scan_lanes<Counting<int32_t>, 32>(__popc(own), lane);
    if (lane == 31) counts[threadIdx.x / 32] = scanned;
    __syncthreads();
    int32_t before = scanned - __popc(own);
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) {
        if (i < threadIdx.x / 32) before += counts[i];
    }
#pragma unroll 1
    for (int batch = 0; batch < 32; batch += BATCH) {
        typename Action::Value values[BATCH];
        int64_t ranks[BATCH];
        bool truths[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const uint32_t word = __shfl_sync(0xffffffffu, own, batch + i);
            const int32_t row = __shfl_sync(0xffffffffu, before, batch + i);
            truths[i] = word >> lane & 1;
            ranks[i] = offset + row + __popc(word & ((1u << lane) - 1));
            if constexpr (Action::EACH) {
                ranks[i] += truths[i] ? 0 : -1;
                truths[i] = first + (batch + i) * MASK_ROW + lane < UIndex(dimensions.size);
            }
            if (truths[i]) values[i] = action.read(first + (batch + i) * MASK_ROW + lane, ranks[i]);
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            if (truths[i]) action.write(values[i], first + (batch + i) * MASK_ROW + lane, ranks[i]);
        }
    }
}

// Elements of one or two bytes that lie behind one another: warps that load and store them one by one would move 32 or
// 64 bytes at a time. A lane takes the 32 elements of its row, moves the true ones together by permutations of bytes,
// four bytes at a time, and leaves them in shared memory, where the block's true elements lie behind one another as they
// shall in the result. From there they are stored in words of 16 bytes.
template <class Word> struct Narrow {
    enum { SIZE = sizeof(Word), PER_WORD = 4 / SIZE, WORDS = MASK_ROW * SIZE / 4 };

    // The selectors that move the bytes of true elements to the front, by the bits of PER_WORD elements; zeros follow.
    GPUARRAY_DEVICE static uint32_t selector(uint32_t bits) {
        uint32_t result = 0, filled = 0;
#pragma unroll
        for (int k = 0; k < PER_WORD; ++k) {
            if (bits >> k & 1) {
                result |= (SIZE == 1 ? k : 0x10 + 0x22 * k) << (4 * filled);
                filled += SIZE;
            }
        }
        return result | 0x4444u << (4 * filled);
    }

    // Stores the true elements of a row to consecutive bytes from `at` on, whose other bytes may be other lanes'.
    GPUARRAY_DEVICE static void pack(const uint32_t (&words)[WORDS], uint32_t bits, const uint32_t* selectors,
                                     uint8_t* staged, uint32_t at) {
        uint64_t gathered = 0;
        uint32_t filled = at & 3, skipped = filled;
        at -= filled;
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            const uint32_t own = bits >> (i * PER_WORD) & ((1u << PER_WORD) - 1);
            const uint64_t packed = __byte_perm(words[i], 0, selectors[own]);
            gathered |= packed << (8 * filled);
            filled += __popc(own) * SIZE;
            if (filled >= 4) {
                if (skipped) {
                    for (; skipped < 4; ++skipped) staged[at + skipped] = uint8_t(gathered >> (8 * skipped));
                    skipped = 0;
                } else {
                    *reinterpret_cast<uint32_t*>(staged + at) = uint32_t(gathered);
                }
                gathered >>= 32;
                filled -= 4;
                at += 4;
            }
        }
        for (; skipped < filled; ++skipped) staged[at + skipped] = uint8_t(gathered >> (8 * skipped));
    }
};

template <class Truth, class Dimensions, int BLOCK, class Word>
GPUARRAY_DEVICE void compress_narrow(const typename Truth::Element* mask, const int64_t* offsets, const uint32_t* bits,
                                     const Dimensions& dimensions, const Compress<Word, Dimensions>& action) {
    typedef typename Unsigned<typename Dimensions::Offset>::type UIndex;
    typedef Narrow<Word> Pack;
    enum { SELECTORS = 1 << Pack::PER_WORD };
    if (!dimensions.dense() || !Vector<uint32_t, 4>::aligned(reinterpret_cast<const uint32_t*>(action.values))) {
        store_true<Truth, Dimensions, BLOCK, true>(mask, offsets, bits, dimensions, action);
        return;
    }
    __shared__ alignas(16) uint8_t staged[BLOCK * MASK_ROW * sizeof(Word) + 16];
    __shared__ uint32_t selectors[SELECTORS];
    __shared__ int32_t counts[BLOCK / 32];
    if (threadIdx.x < SELECTORS) selectors[threadIdx.x] = Pack::selector(threadIdx.x);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t tile = blockIdx.x;
    const UIndex first = (UIndex(tile) * BLOCK + threadIdx.x) * MASK_ROW, size = UIndex(dimensions.size);
    const uint32_t own = bits[uint64_t(tile) * BLOCK + threadIdx.x];
    Word* const target = action.result + offsets[tile];
    alignas(16) uint32_t words[Pack::WORDS];
    if (first + MASK_ROW <= size) {
        Vector<uint32_t, Pack::WORDS>::copy(words, reinterpret_cast<const uint32_t*>(action.values + first));
    } else {
#pragma unroll
        for (int i = 0; i < Pack::WORDS; ++i) {
            words[i] = 0;
#pragma unroll
            for (int k = 0; k < Pack::PER_WORD; ++k) {
                const UIndex index = first + i * Pack::PER_WORD + k;
                if (index < size) words[i] |= uint32_t(action.values[index]) << (8 * sizeof(Word) * k);
            }
        }
    }
    const int32_t scanned = scan_lanes<Counting<int32_t>, 32>(__popc(own), lane);
    if (lane == 31) counts[warp] = scanned;
    __syncthreads();
    int32_t before = scanned - __popc(own), total = 0;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) {
        if (i < warp) before += counts[i];
        total += counts[i];
    }
    // As far behind an aligned address as in the result.
    const uint32_t lead = uint32_t(reinterpret_cast<uint64_t>(target)) & 15, end = lead + total * sizeof(Word);
    Pack::pack(words, own, selectors, staged, lead + before * sizeof(Word));
    __syncthreads();
    for (uint32_t at = threadIdx.x * 16; at < end; at += BLOCK * 16) {
        if (at >= lead && at + 16 <= end) {
            Vector<uint32_t, 4>::copy(reinterpret_cast<uint32_t*>(target + (at - lead) / sizeof(Word)),
                                      reinterpret_cast<const uint32_t*>(staged + at));
        } else {
#pragma unroll
            for (int k = 0; k < 16; k += sizeof(Word)) {
                const uint32_t byte = at + k;
                if (byte >= lead && byte < end) {
                    target[(byte - lead) / sizeof(Word)] = *reinterpret_cast<const Word*>(staged + byte);
                }
            }
        }
    }
}

}  // namespace gpuarray
