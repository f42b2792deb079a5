// The path on which rows and their elements are merged, so that blocks have equal shares whatever the rows' lengths.
//
// The elements of a compressed matrix, in their order, and the ends of its rows are one sequence: the end of row r
// comes behind all elements before it and r other ends, at place ends[r] + r. A tile is so many places of it. Merrill and
// Garland, "Merge-based parallel sparse matrix-vector multiplication", SC16.
#pragma once

#include "gpuarray/product_terms.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

// The rows between which a place is: `low` end before it, and row `high` does not. LANES lanes ask for the same place.
template <int LANES> struct RowSearch {
    int64_t low, high;

    // The lanes' rows are `step` apart; `before`: whether a lane's row ends before the place.
    GPUARRAY_DEVICE void narrow(int64_t first, int64_t step, bool before) {
        const uint32_t mask = 0xffffffffu >> (32 - LANES);
        const int count = __popc(__ballot_sync(0xffffffffu, before) >> (threadIdx.x % 32 / LANES * LANES) & mask);
        const int64_t least = first + (count - 1) * step + 1, most = first + count * step;
        if (count > 0 && least > low) low = least < high ? least : high;
        if (count < LANES && most < high) high = most > low ? most : low;
    }
    template <class Ends> GPUARRAY_DEVICE bool is_before(Ends ends, int64_t row, int64_t place) const {
        return row < low || (row < high && ends[row] + row < place);
    }
};

// How many rows end before places, several at a time. `ends` has the end of each row: a pointer, or what is indexed like
// one. LANES lanes ask for the same places, and all 32 of a warp must call.
template <int LANES, int PLACES, class Ends>
GPUARRAY_DEVICE void rows_before(int64_t (&counts)[PLACES], Ends ends, int64_t rows, int64_t size,
                                 const int64_t (&places)[PLACES]) {
    const int lane = threadIdx.x % LANES;
    RowSearch<LANES> found[PLACES];
    int64_t near[PLACES], first[PLACES], step[PLACES];
    bool near_before[PLACES], before[PLACES];
    // If rows have about the same lengths, the row is near this one. Rows far apart are looked at meanwhile: most warps of
    // a multiprocessor look at the same ones.
#pragma unroll
    for (int k = 0; k < PLACES; ++k) {
        const int64_t place = places[k];
        found[k].low = place > size ? place - size : 0;
        found[k].high = place < rows ? place : rows;
        near[k] = int64_t(double(place) / double(rows + size) * double(rows)) - LANES / 2 * LANES;
        near_before[k] = found[k].is_before(ends, near[k] + lane * LANES, place);
        step[k] = (found[k].high - found[k].low) / (LANES + 1) + 1;
        first[k] = found[k].low + step[k] - 1;
        before[k] = found[k].is_before(ends, first[k] + lane * step[k], place);
    }
#pragma unroll
    for (int k = 0; k < PLACES; ++k) found[k].narrow(near[k], LANES, near_before[k]);
    bool unknown = true;
    while (unknown) {
        unknown = false;
#pragma unroll
        for (int k = 0; k < PLACES; ++k) {
            found[k].narrow(first[k], step[k], before[k]);
            // The lanes' rows divide what is left.
            step[k] = (found[k].high - found[k].low) / (LANES + 1) + 1;
            first[k] = found[k].low + step[k] - 1;
            unknown = unknown || found[k].low < found[k].high;
        }
        unknown = __any_sync(0xffffffffu, unknown);
        if (unknown) {
#pragma unroll
            for (int k = 0; k < PLACES; ++k) before[k] = found[k].is_before(ends, first[k] + lane * step[k], places[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < PLACES; ++k) counts[k] = found[k].low;
}

// The same for one place.
template <int LANES, class Ends>
GPUARRAY_DEVICE int64_t rows_before(Ends ends, int64_t rows, int64_t size, int64_t place) {
    const int64_t places[1] = {place};
    int64_t count[1];
    rows_before<LANES>(count, ends, rows, size, places);
    return count[0];
}

// A tile of the path.
struct PathTile {
    int64_t row, element;  // the first ones
    int rows, elements;    // ends of rows, and elements
};

// The tile between two places. Whatever the ends are, it has no more rows and elements than places.
GPUARRAY_DEVICE PathTile tile_between(int64_t place, int64_t row, int64_t next_place, int64_t next_row) {
    const int places = int(next_place - place);
    const int64_t rows = next_row - row;
    PathTile tile;
    tile.row = row;
    tile.element = place - row;
    tile.rows = rows < 0 ? 0 : rows > places ? places : int(rows);
    tile.elements = places - tile.rows;
    return tile;
}

// How many of a tile's rows end before one of its places. `ends` are counted from the tile's first element.
GPUARRAY_DEVICE int tile_rows_before(const int* ends, int rows, int place) {
    int low = 0, high = rows < place ? rows : place;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (ends[middle] + middle < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The tile of a block: found by two warps, and the ends of its rows in shared memory. All threads call; at least 64.
// `length`: places of a tile, at most BLOCK * ITEMS.
template <int BLOCK, int ITEMS, class Ends>
GPUARRAY_DEVICE PathTile shared_tile(Ends ends, int64_t rows, int64_t size, int64_t number, int* shared_ends,
                                     int length = BLOCK * ITEMS) {
    __shared__ int64_t found[2];
    const int64_t place = number * length, all = rows + size;
    const int64_t next = all - place > length ? place + length : all;
    const int warp = threadIdx.x / 32;
    if (warp < 2) {
        const int64_t row = rows_before<32>(ends, rows, size, warp ? next : place);
        if (threadIdx.x % 32 == 0) found[warp] = row;
    }
    __syncthreads();
    const PathTile tile = tile_between(place, found[0], next, found[1]);
    // All reads are under way before the first is waited for.
    int64_t read[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int k = i * BLOCK + threadIdx.x;
        read[i] = k < tile.rows ? int64_t(ends[tile.row + k]) - tile.element : 0;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int k = i * BLOCK + threadIdx.x;
        if (k < tile.rows) shared_ends[k] = read[i] < 0 ? 0 : read[i] > tile.elements ? tile.elements : int(read[i]);
    }
    return tile;
}

// Whether an index is in bounds. Index arrays may have been changed after they were checked: kernels leave out entries
// whose places are outside of the matrix.
GPUARRAY_DEVICE bool within(int64_t index, int64_t length) { return uint64_t(index) < uint64_t(length); }
GPUARRAY_DEVICE bool within(int32_t index, int64_t length) {
    return uint32_t(index) < uint32_t(length < 0x80000000ll ? length : 0x80000000ll);
}

}  // namespace gpuarray
