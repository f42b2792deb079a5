// The path on which rows and their elements are merged, so that blocks have equal shares whatever the rows' lengths.
//
// The elements of a compressed matrix, in their order, and the ends of its rows are one sequence: the end of row r
// comes behind all elements before it and r other ends, at place ends[r] + r. A tile is so many places of it. Merrill and
// Garland, "Merge-based parallel sparse matrix-vector multiplication", SC16.
#pragma once

#include "gpuarray/product_terms.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

// How many rows end before a place. `ends` has the end of each row: a pointer, or what is indexed like one.
// LANES lanes ask for the same place, and all 32 of a warp must call.
template <int LANES, class Ends>
GPUARRAY_DEVICE int64_t rows_before(Ends ends, int64_t rows, int64_t size, int64_t place) {
    const int lane = threadIdx.x % LANES, group = threadIdx.x % 32 / LANES * LANES;
    const uint32_t mask = 0xffffffffu >> (32 - LANES);
    int64_t low = place > size ? place - size : 0, high = place < rows ? place : rows;
    // If rows have about the same lengths, the row is near this one.
    int64_t step = LANES, first = int64_t(double(place) / double(rows + size) * double(rows)) - LANES / 2 * step;
    while (__any_sync(0xffffffffu, low < high)) {
        // The lanes' places divide what is left.
        const int64_t probe = first + lane * step;
        const bool before = probe < low || (probe < high && ends[probe] + probe < place);
        const int count = __popc(__ballot_sync(0xffffffffu, before) >> group & mask);
        const int64_t least = first + (count - 1) * step + 1, most = first + count * step;
        if (count > 0 && least > low) low = least < high ? least : high;
        if (count < LANES && most < high) high = most > low ? most : low;
        const int64_t span = high - low;
        step = span / (LANES + 1) + 1;
        first = low + step - 1;
    }
    return low;
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
