// Products of two compressed matrices: all products of their elements, which are then sorted and added up.
//
// An entry is an element of the left matrix; it is multiplied with a row of the right one. The products of a part of the
// left matrix's entries are one sequence, which blocks share by the merged path of entries and products
// (merged_path.cuh), however different the lengths are. A product's place in the result is its key.
#pragma once

#include "gpuarray/merged_path.cuh"

namespace gpuarray {

// How many products each entry has, and which row it is in.
template <class A, class B>
GPUARRAY_DEVICE void count_products(int64_t* counts, int64_t* entry_rows, const A* indptr, const A* indices,
                                    const B* right_indptr, int64_t rows, int64_t inner, int64_t size) {
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    for (int64_t entry = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; entry < size; entry += threads) {
        const int64_t k = indices[entry];
        const int64_t count = within(k, inner) ? int64_t(right_indptr[k + 1]) - int64_t(right_indptr[k]) : 0;
        counts[entry] = count < 0 ? 0 : count;
        // The last row that begins at the entry or before it.
        int64_t low = 0, high = rows - 1;
        while (low < high) {
            const int64_t middle = (low + high + 1) / 2;
            if (int64_t(indptr[middle]) <= entry) low = middle;
            else high = middle - 1;
        }
        entry_rows[entry] = low;
    }
}

// Makes a part of the products: those of `entries` entries from `first_entry` on, of which the first is `first_product`.
// Keys count from row `first_row` on.
template <class Terms, class T, class A, class B, class AIndex, class BIndex, class Key, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void expand_products(Key* keys, typename Stored<T>::type* values, const int64_t* ends,
                                     const int64_t* entry_rows, const AIndex* indices,
                                     const typename Stored<A>::type* data, const BIndex* right_indptr,
                                     const BIndex* right_indices, const typename Stored<B>::type* right_data,
                                     int64_t inner, int64_t columns, int64_t right_size, int64_t entries,
                                     int64_t products, int64_t first_entry, int64_t first_product, int64_t first_row) {
    enum { TILE = BLOCK * ITEMS };
    const int64_t tiles = (entries + products + TILE - 1) / TILE;
    __shared__ int shared_ends[TILE];
    // Ends of the part's entries, counted from its first product.
    struct Ends {
        const int64_t* ends;
        int64_t first;
        GPUARRAY_DEVICE int64_t operator[](int64_t i) const { return ends[i] - first; }
        GPUARRAY_DEVICE int64_t operator[](int i) const { return ends[i] - first; }
    };
    const Ends part = {ends + first_entry, first_product};
    for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const PathTile tile = shared_tile<BLOCK, ITEMS>(part, entries, products, number, shared_ends);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int k = i * BLOCK + threadIdx.x;
            if (k < tile.elements) {
                // The entry is the first one that ends behind the product.
                int low = 0, high = tile.rows;
                while (low < high) {
                    const int middle = (low + high) / 2;
                    if (shared_ends[middle] <= k) low = middle + 1;
                    else high = middle;
                }
                const int64_t at = tile.row + low, entry = first_entry + at, product = tile.element + k;
                const int64_t begin = at > 0 ? part[at - 1] : 0;
                // Entries that have products are in bounds, but for what was changed meanwhile.
                const int64_t right_row = indices[entry];
                const int64_t element = within(right_row, inner) ? right_indptr[right_row] + product - begin : -1;
                const int64_t column = within(element, right_size) ? int64_t(right_indices[element]) : -1;
                const bool present = within(column, columns);
                // What is left out is a zero, which is not stored.
                keys[product] = Key((entry_rows[entry] - first_row) * columns + (present ? column : 0));
                typename Terms::Sum sum = typename Terms::Sum();
                if (present) {
                    Terms::add(sum, Terms::word(value_of<A>(data[entry])),
                               Terms::word(value_of<B>(right_data[element])));
                }
                values[product] = Terms::result(sum);
            }
        }
        __syncthreads();
    }
}

// The columns of a part's results, and where its rows end. `starts` says where each result begins among the sorted keys;
// `before` results are those of earlier parts.
template <class Key, class Index>
GPUARRAY_DEVICE void place_results(Index* indices, Index* indptr, const Key* keys, const int64_t* starts,
                                   int64_t results, int64_t before, int64_t first_row, int64_t rows, int64_t columns) {
    const int64_t threads = int64_t(gridDim.x) * blockDim.x, all = results > rows ? results : rows;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += threads) {
        if (i < results) indices[i] = Index(uint64_t(keys[starts[i]]) % uint64_t(columns));
        if (i < rows) {
            // How many keys are less than the first one of the next row.
            const uint64_t bound = uint64_t(i + 1) * uint64_t(columns);
            int64_t low = 0, high = results;
            while (low < high) {
                const int64_t middle = (low + high) / 2;
                if (uint64_t(keys[starts[middle]]) < bound) low = middle + 1;
                else high = middle;
            }
            indptr[first_row + i + 1] = Index(before + low);
        }
        if (i == 0 && first_row == 0) indptr[0] = 0;
    }
}

}  // namespace gpuarray
