// Products of two compressed matrices, rows of which are made in shared memory.
//
// A block takes the rows whose first product is among so many of all products, of which it makes all, sorts them by row and
// column, adds up those of one place in the order of the left matrix' elements, and leaves out sums that are zero. Its
// results are next to one another where its products would begin; a second kernel moves them together when it is known how
// many there are before. No row has so many products that a block's would not fit a tile: rows that have are made by
// matrix_products.cuh.
#pragma once

#include "gpuarray/merged_path.cuh"
#include "gpuarray/radix_sort.cuh"

namespace gpuarray {

// The products before each row, by the ends of the rows' products.
struct ProductStarts {
    const int64_t* ends;
    GPUARRAY_DEVICE int64_t operator[](int64_t row) const { return row > 0 ? ends[row - 1] : 0; }
};

// How many rows begin before a product. A warp asks.
GPUARRAY_DEVICE int64_t rows_starting_before(const ProductStarts& starts, int64_t rows, int64_t product) {
    const int lane = threadIdx.x % 32;
    int64_t low = 0, high = rows;
    while (low < high) {
        const int64_t step = (high - low) / 33 + 1, probe = low + (lane + 1) * step - 1;
        const int count = __popc(__ballot_sync(0xffffffffu, probe < high && starts[probe] < product));
        const int64_t next = low + (count + 1) * step - 1;
        if (next < high) high = next;
        low += count * step;
    }
    return low;
}

// The rows of each tile, and where their products begin: `found` has both of the tile and of the next one. The first two
// warps look; ends with a barrier.
struct TileRows {
    int64_t first, end;        // rows
    int64_t product, next;     // products before the first one, and before the end

    GPUARRAY_DEVICE static TileRows of(int64_t tile, const int64_t* ends, int64_t rows, int64_t quantum) {
        __shared__ int64_t found[2][2];
        const ProductStarts starts = {ends};
        const int warp = threadIdx.x / 32;
        if (warp < 2) {
            const int64_t row = rows_starting_before(starts, rows, (tile + warp) * quantum);
            if (threadIdx.x % 32 == 0) {
                found[0][warp] = row;
                found[1][warp] = starts[row];
            }
        }
        __syncthreads();
        return {found[0][0], found[0][1], found[1][0], found[1][1]};
    }
};

template <class Terms, class T, class A, class B, class AIndex, class BIndex, class Index, class Key, int BLOCK, int ITEMS>
struct TileProducts {
    typedef typename Stored<T>::type Result;
    typedef typename Terms::Sum Sum;
    typedef TileSort<UnsignedKeys<Key>, BLOCK, ITEMS, true> Sort;
    enum { TILE = BLOCK * ITEMS, WARPS = BLOCK / 32, ROW = 0x80000000 };

    // `quantum`: products among which those are that a tile's rows begin with. `bits`: of a column's number.
    GPUARRAY_DEVICE static void run(Index* columns_of, Result* values_of, Index* row_counts, const int64_t* ends,
                                    const AIndex* indptr, const AIndex* indices, const typename Stored<A>::type* data,
                                    const BIndex* right_indptr, const BIndex* right_indices,
                                    const typename Stored<B>::type* right_data, int64_t rows, int64_t inner,
                                    int64_t columns, int64_t size, int64_t right_size, int64_t quantum, int64_t bits,
                                    int64_t tiles) {
        for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
            make(columns_of, values_of, row_counts, ends, indptr, indices, data, right_indptr, right_indices, right_data,
                 rows, inner, columns, size, right_size, quantum, bits, number);
            __syncthreads();
        }
    }

    GPUARRAY_DEVICE static void make(Index* columns_of, Result* values_of, Index* row_counts, const int64_t* ends,
                                    const AIndex* indptr, const AIndex* indices, const typename Stored<A>::type* data,
                                    const BIndex* right_indptr, const BIndex* right_indices,
                                    const typename Stored<B>::type* right_data, int64_t rows, int64_t inner,
                                    int64_t columns, int64_t size, int64_t right_size, int64_t quantum, int64_t bits,
                                     int64_t number) {
        __shared__ union {
            typename Sort::Shared sort;
            uint32_t marks[TILE];  // what begins at a product: an entry, counted from 1, and whether a row does
            uint16_t kept[TILE + 1];  // results before each product
        } shared;
        __shared__ Shelf<Result, TILE> values;
        __shared__ int counts[2 * WARPS], heads[WARPS], row_heads[WARPS];
        const int thread = int(threadIdx.x), lane = thread % 32, warp = thread / 32;
        const int own = warp * 32 * ITEMS + lane;  // products of a thread are a warp's width apart
        const uint32_t up_to = 0xffffffffu >> (31 - lane);

#pragma unroll
        for (int i = 0; i < ITEMS; ++i) shared.marks[i * BLOCK + thread] = 0;
        const TileRows tile = TileRows::of(number, ends, rows, quantum);
        const int64_t base = tile.product;
        const int64_t length = tile.next - base;
        const int products = length < 0 ? 0 : length < TILE ? int(length) : TILE;
        if (number == 0 && thread == 0) row_counts[0] = 0;

        // Where entries and rows begin among the products.
        const ProductStarts starts = {ends};
        const int64_t first_entry = bounded(indptr[tile.first], size), end_entry = bounded(indptr[tile.end], size);
        int before = 0;
        for (int64_t begin = first_entry, turn = 0; begin < end_entry; begin += BLOCK, turn = 1 - turn) {
            const int64_t entry = begin + thread;
            int count = 0;
            if (entry < end_entry) {
                const int64_t k = indices[entry];
                if (within(k, inner)) {
                    const int64_t found = int64_t(right_indptr[k + 1]) - int64_t(right_indptr[k]);
                    count = found < 0 ? 0 : found < TILE ? int(found) : TILE;
                }
            }
            int scanned = count;
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2) {
                const int other = __shfl_up_sync(0xffffffffu, scanned, distance);
                if (lane >= distance) scanned += other;
            }
            if (lane == 31) counts[turn * WARPS + warp] = scanned;
            __syncthreads();
            int at = before + scanned - count;
#pragma unroll
            for (int w = 0; w < WARPS; ++w) {
                if (w < warp) at += counts[turn * WARPS + w];
                before += counts[turn * WARPS + w];
            }
            if (before > TILE) before = TILE;
            if (count > 0 && at < products) atomicOr(&shared.marks[at], uint32_t(entry - first_entry + 1));
        }
        for (int64_t row = tile.first + thread; row < tile.end; row += BLOCK) {
            const int64_t at = starts[row] - base;
            if (starts[row + 1] > starts[row] && within(at, int64_t(products))) atomicOr(&shared.marks[int(at)], uint32_t(ROW));
        }
        __syncthreads();

        // The last beginnings before each warp's products, and then those of each product.
        uint32_t entry_flags[ITEMS], row_flags[ITEMS];
        int head = -1, row_head = -1;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint32_t mark = shared.marks[own + i * 32];
            entry_flags[i] = __ballot_sync(0xffffffffu, (mark & ~uint32_t(ROW)) != 0);
            row_flags[i] = __ballot_sync(0xffffffffu, (mark & uint32_t(ROW)) != 0);
            if (entry_flags[i]) head = own - lane + i * 32 + 31 - __clz(entry_flags[i]);
            if (row_flags[i]) row_head = own - lane + i * 32 + 31 - __clz(row_flags[i]);
        }
        if (lane == 0) {
            heads[warp] = head;
            row_heads[warp] = row_head;
        }
        __syncthreads();
        head = row_head = -1;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp && heads[w] >= 0) head = heads[w];
            if (w < warp && row_heads[w] >= 0) row_head = row_heads[w];
        }
        Key keys[ITEMS];
        uint16_t carried[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = own + i * 32, group = at - lane;
            const uint32_t begun = entry_flags[i] & up_to, row_begun = row_flags[i] & up_to;
            const int from = begun ? group + 31 - __clz(begun) : head;
            const int row_from = row_begun ? group + 31 - __clz(row_begun) : row_head;
            if (entry_flags[i]) head = group + 31 - __clz(entry_flags[i]);
            if (row_flags[i]) row_head = group + 31 - __clz(row_flags[i]);
            keys[i] = Key();
            carried[i] = uint16_t(at);
            if (at < products) {
                int64_t column = -1, entry = -1, element = -1;
                if (from >= 0) {
                    entry = first_entry + (shared.marks[from] & ~uint32_t(ROW)) - 1;
                    const int64_t k = indices[entry];
                    // Entries that have products are in bounds, but for what was changed meanwhile.
                    element = within(k, inner) ? int64_t(right_indptr[k]) + at - from : -1;
                    column = within(element, right_size) ? int64_t(right_indices[element]) : -1;
                }
                const bool present = within(column, columns);
                // What is left out is a zero, which is not stored.
                keys[i] = Key(row_from < 0 ? 0 : row_from) << bits | Key(present ? column : 0);
                Sum sum = Sum();
                if (present) {
                    Terms::add(sum, Terms::word(value_of<A>(data[entry])), Terms::word(value_of<B>(right_data[element])));
                }
                values[at] = Terms::result(sum);
            }
        }
        __syncthreads();
        enum { ROW_BITS = 12 };
        static_assert(TILE <= 1 << ROW_BITS, "rows are told apart by their first product");
        const int digits = int(bits + ROW_BITS + 7) / 8;
        Sort::sort(shared.sort, keys, carried, uint32_t(products), digits < 32 ? (1u << digits) - 1 : ~0u);

        // The first product of each place adds up what follows it.
        Key* const sorted = reinterpret_cast<Key*>(shared.sort.exchanged.keys);
        uint16_t* const places = shared.sort.exchanged.indices;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            sorted[own + i * 32] = keys[i];
            places[own + i * 32] = carried[i];
        }
        __syncthreads();
        Result results[ITEMS];
        uint32_t masks[ITEMS];
        int found = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = own + i * 32;
            bool keep = false;
            if (at < products && (at == 0 || sorted[at - 1] != keys[i])) {
                Sum sum = Terms::word(value_of<T>(values[carried[i]]));
                for (int k = at + 1; k < products && sorted[k] == keys[i]; ++k) {
                    sum = Terms::joined(sum, Terms::word(value_of<T>(values[places[k]])));
                }
                results[i] = Terms::result(sum);
                keep = results[i] != Result();
            }
            masks[i] = __ballot_sync(0xffffffffu, keep);
            found += __popc(masks[i]);
        }
        if (lane == 0) counts[warp] = found;
        __syncthreads();
        int place = 0, all = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) place += counts[w];
            all += counts[w];
        }
        const Key column_mask = (Key(1) << bits) - 1;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int at = own + i * 32;
            const int mine = place + __popc(masks[i] & up_to >> 1);
            if (at < products) shared.kept[at] = uint16_t(mine);
            if (masks[i] >> lane & 1) {
                columns_of[base + mine] = Index(keys[i] & column_mask);
                values_of[base + mine] = results[i];
            }
            place += __popc(masks[i]);
        }
        if (thread == 0) shared.kept[products] = uint16_t(all);
        __syncthreads();
        for (int64_t row = tile.first + thread; row < tile.end; row += BLOCK) {
            const int64_t from = starts[row] - base, to = starts[row + 1] - base;
            const bool inside = within(from, int64_t(products) + 1) && within(to, int64_t(products) + 1);
            row_counts[row + 1] = Index(inside ? int(shared.kept[int(to)]) - int(shared.kept[int(from)]) : 0);
        }
    }

    GPUARRAY_DEVICE static int64_t bounded(int64_t entry, int64_t size) {
        return entry < 0 ? 0 : entry < size ? entry : size;
    }
};

// The results of tiles next to one another. `indptr`: of the result.
template <class Result, class Index, int BLOCK>
GPUARRAY_DEVICE void move_results(Index* columns, Result* values, const Index* columns_of, const Result* values_of,
                                  const Index* indptr, const int64_t* ends, int64_t rows, int64_t quantum,
                                  int64_t tiles) {
    for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const TileRows tile = TileRows::of(number, ends, rows, quantum);
        const int64_t to = indptr[tile.first], count = int64_t(indptr[tile.end]) - to;
        for (int64_t i = threadIdx.x; i < count; i += BLOCK) {
            columns[to + i] = columns_of[tile.product + i];
            values[to + i] = values_of[tile.product + i];
        }
        __syncthreads();
    }
}

}  // namespace gpuarray
