// The selection family: the elements where a mask is true, or their positions, in order.
//
// Two launches. The first counts: it reads the mask, keeps it as bits if that pays, and finds by look-back how many
// elements are true before each tile. Then the host knows the size of the result. The second stores: a true element's
// place is the tile's count plus the true elements before it in the tile.
//
// A warp owns 1024 consecutive elements of a tile, as 32 rows of 32. A row is read by the 32 lanes together and its
// truths are the bits of a word, which lane number `row` keeps.
#pragma once

#include "gpuarray/indexing.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

enum { SELECTION_ROW = 32, SELECTION_SPAN = 32 * 32 };

// The shape and the strides of the operand that is read or written beside the mask, or of the mask when counting.
template <class Index, int NDIM> struct SelectionDimensions {
    typedef Index Offset;

    Index size, stride;  // stride: of the one-dimensional operand
    Index shape[NDIM], strides[NDIM];

    GPUARRAY_DEVICE Index offset(typename Unsigned<Index>::type position) const {
        Index result = 0;
#pragma unroll
        for (int axis = NDIM - 1; axis >= 0; --axis) {
            Index coordinate = Index(position);
            if (axis > 0) {
                const typename Unsigned<Index>::type extent = shape[axis], quotient = position / extent;
                coordinate = position - quotient * extent;
                position = quotient;
            }
            result += coordinate * strides[axis];
        }
        return result;
    }
};

// The bits of this lane's row.
template <class Truth, class Position, class Place>
GPUARRAY_DEVICE uint32_t collect(const typename Truth::Element* mask, Position first, Position size, Place place) {
    enum { BATCH = 8 };
    const int lane = threadIdx.x % 32;
    uint32_t own = 0;
#pragma unroll 1
    for (int batch = 0; batch < 32; batch += BATCH) {
        bool truths[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const Position position = first + (batch + i) * SELECTION_ROW + lane;
            truths[i] = position < size && Truth::of(mask[place(position)]);
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const uint32_t word = __ballot_sync(0xffffffffu, truths[i]);
            if (lane == batch + i) own = word;
        }
    }
    return own;
}

// Sums of counts.
struct Counting {
    typedef int64_t Value;
    GPUARRAY_DEVICE static int64_t neutral() { return 0; }
    GPUARRAY_DEVICE static int64_t combine(int64_t a, int64_t b) { return a + b; }
};
struct SmallCounting {
    typedef int32_t Value;
    GPUARRAY_DEVICE static int32_t neutral() { return 0; }
    GPUARRAY_DEVICE static int32_t combine(int32_t a, int32_t b) { return a + b; }
};

// Of a block: how many bits there are before this thread's, and (through `total`) altogether.
template <int BLOCK> GPUARRAY_DEVICE int32_t count_before(uint32_t word, int32_t& total) {
    __shared__ int32_t counts[BLOCK / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int32_t own = __popc(word), scanned = scan_lanes<SmallCounting, 32>(own, lane);
    if (lane == 31) counts[warp] = scanned;
    __syncthreads();
    int32_t before = scanned - own;
    total = 0;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) {
        if (i < warp) before += counts[i];
        total += counts[i];
    }
    return before;
}

// offsets[tile] becomes the count before a tile, and the last one that of all.
template <class Truth, class Dimensions, int BLOCK, bool BITS>
GPUARRAY_DEVICE void count_selected(const typename Truth::Element* mask, int64_t* offsets, uint32_t* bits,
                                const Dimensions& dimensions, uint64_t* memory) {
    typedef typename Unsigned<typename Dimensions::Offset>::type Position;
    const Ticket ticket = draw_ticket(memory, gridDim.x);
    const uint32_t tile = ticket.number;
    const Position first = (Position(tile) * BLOCK + threadIdx.x / 32 * 32) * SELECTION_ROW;
    const uint32_t word = collect<Truth>(mask, first, Position(dimensions.size),
                                         [&](Position position) { return dimensions.offset(position); });
    if constexpr (BITS) bits[uint64_t(tile) * BLOCK + threadIdx.x] = word;
    int32_t total;
    count_before<BLOCK>(word, total);
    if (threadIdx.x < 32) {
        const Links<int64_t> links(memory, 0, 1, gridDim.x, ticket.tag);
        const Prefix<Counting> before = look_back<Counting>(links, tile, int64_t(total), threadIdx.x);
        if (threadIdx.x == 0) {
            offsets[tile] = before.value;
            if (tile == gridDim.x - 1) offsets[gridDim.x] = before.value + total;
        }
    }
}

// What is done with a true element: `read` gives a value for its position and place, `write` stores it.
template <class Word, class Dimensions> struct Compress {
    const Word* values;
    Word* result;
    const Dimensions& dimensions;
    typedef Word Value;

    template <class Position> GPUARRAY_DEVICE Word read(Position position, int64_t) const {
        return values[dimensions.offset(position)];
    }
    template <class Position> GPUARRAY_DEVICE void write(Word value, Position, int64_t place) const {
        result[place] = value;
    }
};

template <class Word, class Dimensions> struct Place {
    const Word* values;
    Word* target;
    const Dimensions& dimensions;
    typedef Word Value;

    template <class Position> GPUARRAY_DEVICE Word read(Position, int64_t place) const {
        return values[place * dimensions.stride];
    }
    template <class Position> GPUARRAY_DEVICE void write(Word value, Position position, int64_t) const {
        target[dimensions.offset(position)] = value;
    }
};

// An array of positions for each axis, one behind the other; `strides` are not used.
template <class Dimensions, int NDIM> struct Coordinates {
    int64_t* result;
    int64_t count;
    const Dimensions& dimensions;
    struct Value {};

    template <class Position> GPUARRAY_DEVICE Value read(Position, int64_t) const { return Value(); }
    template <class Position> GPUARRAY_DEVICE void write(Value, Position position, int64_t place) const {
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const Position extent = dimensions.shape[axis], quotient = position / extent;
            result[axis * count + place] = int64_t(position - quotient * extent);
            position = quotient;
        }
        result[place] = int64_t(position);
    }
};

// Without BITS the mask is read again; it is then contiguous.
template <class Truth, class Dimensions, int BLOCK, bool BITS, class Action>
GPUARRAY_DEVICE void store_selected(const typename Truth::Element* mask, const int64_t* offsets, const uint32_t* bits,
                                const Dimensions& dimensions, const Action& action) {
    typedef typename Unsigned<typename Dimensions::Offset>::type Position;
    enum { BATCH = 8 };
    const int lane = threadIdx.x % 32;
    const uint32_t tile = blockIdx.x;
    const Position first = (Position(tile) * BLOCK + threadIdx.x / 32 * 32) * SELECTION_ROW;
    const int64_t offset = offsets[tile];
    uint32_t own;
    if constexpr (BITS) {
        own = bits[uint64_t(tile) * BLOCK + threadIdx.x];
    } else {
        own = collect<Truth>(mask, first, Position(dimensions.size), [](Position position) { return position; });
    }
    int32_t total;
    const int32_t before = count_before<BLOCK>(own, total);
    if (total == 0) return;
#pragma unroll 1
    for (int batch = 0; batch < 32; batch += BATCH) {
        typename Action::Value values[BATCH];
        int64_t places[BATCH];
        bool truths[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const uint32_t word = __shfl_sync(0xffffffffu, own, batch + i);
            const int32_t row = __shfl_sync(0xffffffffu, before, batch + i);
            truths[i] = word >> lane & 1;
            places[i] = offset + row + __popc(word & ((1u << lane) - 1));
            if (truths[i]) values[i] = action.read(first + (batch + i) * SELECTION_ROW + lane, places[i]);
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            if (truths[i]) action.write(values[i], first + (batch + i) * SELECTION_ROW + lane, places[i]);
        }
    }
}

}  // namespace gpuarray
