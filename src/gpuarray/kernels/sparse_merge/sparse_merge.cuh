// The family of merges of sparse matrices: an operation of the elements of two compressed matrices.
//
// Both operands are canonical: columns rise in each row. What is merged are the pairs (row, column) of all elements,
// along the path of a merge: of the first d of them, the first i come from the first operand and d - i from the other,
// where of equal pairs that of the first operand comes first. So every tile has as many elements to look at, however
// they lie in rows. A row begins on the path where its elements begin in both operands together, which makes the row
// of a place a search in the sum of the two row pointers, and leaves the split of one row to find.
//
// Two launches. The first computes and stores, without gaps, what is not zero; how much is before each tile is known by
// look-back. It keeps a bit for each place on the path, and how many places before each 32 of them were kept. The
// second makes the row pointers of those. The result's arrays have room for all elements, and the host reads how many
// there are.
#pragma once

#include "gpuarray/bisection.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

// The structure of a compressed matrix.
template <class Index> struct Compressed {
    const Index *indptr, *indices;
};

template <class Index> struct MergePath {
    Compressed<Index> a, b;
    Index rows;

    // Where a row begins on the path.
    GPUARRAY_DEVICE Index start(Index row) const { return a.indptr[row] + b.indptr[row]; }
};

// A place on the path: the elements of both operands before it, and the row that it is in.
template <class Index> struct PathPlace {
    Index a, b, row;
};

// The place number `diagonal`, found by a warp.
template <class Index>
GPUARRAY_DEVICE PathPlace<Index> find_place(const MergePath<Index>& path, Index diagonal, int lane) {
    PathPlace<Index> place;
    place.row = last_of_warp<Index>(
        0, path.rows, [&](Index row) { return path.start(row) <= diagonal; }, lane);
    const Index a = path.a.indptr[place.row], b = path.b.indptr[place.row];
    const Index in_a = path.a.indptr[place.row + 1] - a, in_b = path.b.indptr[place.row + 1] - b;
    const Index taken = diagonal - a - b;  // of the row's elements
    const Index least = taken > in_b ? taken - in_b : 0, most = taken < in_a ? taken : in_a;
    const Index of_a = last_of_warp<Index>(
        least, most + 1,
        [&](Index count) { return path.a.indices[a + count - 1] <= path.b.indices[b + taken - count]; }, lane);
    place.a = a + of_a;
    place.b = b + taken - of_a;
    return place;
}

// What is at a place of the path: no element of its own, since an equal one follows; one of the first operand alone; one
// of the other; or one of both.
enum { PLACE_EMPTY, PLACE_FIRST, PLACE_SECOND, PLACE_BOTH, PLACE_BITS = 2 };

// Operation: First, Second and Result, types as they are in memory; apply(kind, first, second, result) stores a result
// and says whether it is kept. What an operand lacks is zero.
template <class Operation, class Index, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void merge_tile(const MergePath<Index>& path, const typename Operation::First* first,
                                const typename Operation::Second* second, Index* indices,
                                typename Operation::Result* values, uint32_t* bits, Index* ranks, uint64_t* lookback) {
    enum { TILE = BLOCK * ITEMS, WORDS = TILE / 32, WARPS = BLOCK / 32, PER_LANE = (WORDS + 31) / 32 };
    static_assert(WORDS <= 1024 && TILE < 1 << (16 - PLACE_BITS), "a place in a tile has 14 bits");
    __shared__ Index columns[TILE];
    __shared__ uint16_t places[TILE];
    __shared__ uint32_t kept[WORDS], before[WORDS];
    __shared__ PathPlace<Index> ends[2];
    __shared__ int64_t offset;

    const Ticket ticket = draw_ticket(lookback, gridDim.x);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Index total = path.start(path.rows);
    const int64_t begin = int64_t(ticket.number) * TILE;
    const Index low = begin < total ? Index(begin) : total;
    const int size = total - low < TILE ? int(total - low) : int(TILE);
    if (warp < 2) {
        const PathPlace<Index> found = find_place(path, warp == 0 ? low : Index(low + size), lane);
        if (lane == 0) ends[warp] = found;
    }
    __syncthreads();
    const PathPlace<Index> tile = ends[0], next = ends[1];
    const int of_first = int(next.a - tile.a);
    for (int i = threadIdx.x; i < size; i += BLOCK) {
        columns[i] = i < of_first ? path.a.indices[tile.a + i] : path.b.indices[tile.b + i - of_first];
    }
    __syncthreads();

    // Each thread walks along ITEMS places of the path.
    const int start = int(threadIdx.x) * ITEMS;
    if (start < size) {
        const Index diagonal = low + start;
        Index row = last_of<Index>(tile.row, next.row + 1, [&](Index r) { return path.start(r) <= diagonal; });
        Index row_a = path.a.indptr[row], end_a = path.a.indptr[row + 1], end_b = path.b.indptr[row + 1];
        Index i, j;
        {
            const Index row_b = path.b.indptr[row];
            const Index low_a = row_a > tile.a ? row_a : tile.a, high_a = end_a < next.a ? end_a : next.a;
            const Index low_b = row_b > tile.b ? row_b : tile.b, high_b = end_b < next.b ? end_b : next.b;
            const Index least = diagonal - high_b > low_a ? diagonal - high_b : low_a;
            const Index most = diagonal - low_b < high_a ? diagonal - low_b : high_a;
            i = last_of<Index>(least, Index(most + 1), [&](Index count) {
                return columns[count - 1 - tile.a] <= columns[of_first + (diagonal - count - tile.b)];
            });
            j = diagonal - i;
        }
        for (int item = 0; item < ITEMS && start + item < size; ++item) {
            if (i == end_a && j == end_b) {
                // The next row that has elements; nearly always the one behind.
                const Index here = i + j;
                ++row;
                if (path.start(row + 1) <= here) {
                    row = last_of<Index>(row, next.row + 1, [&](Index r) { return path.start(r) <= here; });
                }
                row_a = path.a.indptr[row];
                end_a = path.a.indptr[row + 1];
                end_b = path.b.indptr[row + 1];
            }
            // Neighbours may be in the tiles before and behind.
            const bool has_a = i < end_a, has_b = j < end_b;
            const Index column_a = !has_a ? 0 : i < next.a ? columns[i - tile.a] : path.a.indices[i];
            const Index column_b = !has_b ? 0 : j < next.b ? columns[of_first + (j - tile.b)] : path.b.indices[j];
            int kind;
            const int local = int(i - tile.a);
            if (has_a && (!has_b || column_a <= column_b)) {
                kind = has_b && column_a == column_b ? PLACE_EMPTY : PLACE_FIRST;
                ++i;
            } else {
                const bool equal =
                    i > row_a && (local > 0 ? columns[local - 1] : path.a.indices[i - 1]) == column_b;
                kind = equal ? PLACE_BOTH : PLACE_SECOND;
                ++j;
            }
            places[start + item] = uint16_t(local << PLACE_BITS | kind);
        }
    }
    __syncthreads();

    // Now neighbouring threads have neighbouring places.
    Shelf<typename Operation::Result, ITEMS> results;
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
        const int at = item * BLOCK + threadIdx.x;
        bool keep = false;
        const int kind = at < size ? places[at] & ((1 << PLACE_BITS) - 1) : int(PLACE_EMPTY);
        if (kind != PLACE_EMPTY) {
            const int local = places[at] >> PLACE_BITS;
            typename Operation::First a;
            typename Operation::Second b;
            memset(&a, 0, sizeof(a));
            memset(&b, 0, sizeof(b));
            if (kind != PLACE_SECOND) a = first[tile.a + local - (kind == PLACE_BOTH)];
            if (kind != PLACE_FIRST) b = second[tile.b + (at - local)];
            keep = Operation::apply(kind, a, b, results[item]);
        }
        const uint32_t word = __ballot_sync(0xffffffffu, keep);
        if (lane == 0) kept[item * WARPS + warp] = word;
    }
    __syncthreads();
    if (warp == 0) {
        int32_t counts[PER_LANE], own = 0;
#pragma unroll
        for (int i = 0; i < PER_LANE; ++i) {
            const int word = lane * PER_LANE + i;
            counts[i] = word < WORDS ? __popc(kept[word]) : 0;
            own += counts[i];
        }
        const int32_t scanned = scan_lanes<Counting<int32_t>, 32>(own, lane);
        int32_t rank = scanned - own;
#pragma unroll
        for (int i = 0; i < PER_LANE; ++i) {
            const int word = lane * PER_LANE + i;
            if (word < WORDS) before[word] = rank;
            rank += counts[i];
        }
        const int64_t all = from_lane<32>(scanned, 31);
        const LookBackState<int64_t> state(lookback, 0, 1, gridDim.x, ticket.tag);
        const int64_t found = look_back<Counting<int64_t>>(state, ticket.number, all, lane).value;
        if (lane == 0) offset = found;
    }
    __syncthreads();
    const Index stored = Index(offset);
    for (int word = threadIdx.x; word < WORDS; word += BLOCK) {
        bits[int64_t(ticket.number) * WORDS + word] = kept[word];
        ranks[int64_t(ticket.number) * WORDS + word] = stored + Index(before[word]);
    }
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
        const uint32_t word = kept[item * WARPS + warp];
        if (word >> lane & 1) {
            const int at = item * BLOCK + threadIdx.x;
            const int local = places[at] >> PLACE_BITS;
            const bool alone = (places[at] & ((1 << PLACE_BITS) - 1)) == PLACE_FIRST;
            const Index rank =
                stored + Index(before[item * WARPS + warp]) + Index(__popc(word & ((1u << lane) - 1)));
            indices[rank] = columns[alone ? local : of_first + (at - local)];
            values[rank] = results[item];
        }
    }
}

// The row pointers of what was kept.
template <class Index>
GPUARRAY_DEVICE void merged_rows(const MergePath<Index>& path, const uint32_t* bits, const Index* ranks,
                                 Index* indptr, Index places) {
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row > path.rows) return;
    const Index start = path.start(Index(row));
    // Behind the last tile is nothing to look up: the last word's rank and its bits are all.
    const Index word = start < places ? start / 32 : places / 32 - 1;
    const uint32_t here = start < places ? (1u << start % 32) - 1 : 0xffffffffu;
    indptr[row] = ranks[word] + Index(__popc(bits[word] & here));
}

}  // namespace gpuarray
