// Triangles of column-major matrices: what the inverses of triangles begin with, and orders of rows.
#pragma once

#include "gpuarray/small_matrix.cuh"

namespace gpuarray {

// A block for each tile of 32 rows and columns of stacked matrices: the inverses of the triangles on the diagonal, and
// zeros elsewhere. An upper triangle is inverted as the transposed one, which is lower.
template <class T, bool UPPER, bool UNIT>
GPUARRAY_DEVICE void inverse_tiles(const T* matrices, T* inverses, int64_t n) {
    __shared__ T tile[32][33];
    __shared__ T inverse[32][33];
    const int64_t tiles = (n + 31) / 32, matrix = blockIdx.x / (tiles * tiles), place = blockIdx.x % (tiles * tiles);
    const int64_t first_row = place % tiles * 32, first_column = place / tiles * 32;
    const int64_t offset = matrix * n * n + first_column * n + first_row;
    const int rows = int(n - first_row < 32 ? n - first_row : 32);
    const int columns = int(n - first_column < 32 ? n - first_column : 32);
    const int thread = threadIdx.x;
    matrices += offset;
    inverses += offset;
    if (first_row != first_column) {
        for (int i = thread; i < rows * columns; i += blockDim.x) inverses[i / rows * n + i % rows] = T(0);
        return;
    }
    for (int i = thread; i < rows * rows; i += blockDim.x) {
        const int row = i % rows, column = i / rows;
        (UPPER ? tile[column][row] : tile[row][column]) = matrices[column * n + row];
    }
    __syncthreads();
    if (thread < rows) {
        // Forward substitution for a column of the identity.
        for (int i = 0; i < rows; ++i) {
            T sum = T(i == thread);
            for (int k = 0; k < i; ++k)
                if (k >= thread) sum = sum - tile[i][k] * inverse[k][thread];
            inverse[i][thread] = i < thread || UNIT ? sum : small::quotient(sum, tile[i][i]);
        }
    }
    __syncthreads();
    for (int i = thread; i < rows * rows; i += blockDim.x) {
        const int row = i % rows, column = i / rows;
        inverses[column * n + row] = UPPER ? inverse[column][row] : inverse[row][column];
    }
}

// A block for each column: row i of the result is row order[i] of the matrix, or BACK the other way round. A matrix has
// so many columns.
template <class T, bool BACK>
GPUARRAY_DEVICE void rows_in_order(
    const T* matrices, const int64_t* order, T* results, int64_t n, int64_t columns) {
    const int64_t column = blockIdx.x;
    matrices += column * n;
    results += column * n;
    order += column / columns * n;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        if (BACK)
            results[order[i]] = matrices[i];
        else
            results[i] = matrices[order[i]];
    }
}

// A block for each column: the reflectors from the first one on of a QR factorisation, which has other elements on the
// diagonal and above it.
template <class T>
GPUARRAY_DEVICE void reflectors(const T* columns, T* vectors, int64_t rows, int64_t first) {
    const int64_t diagonal = first + blockIdx.x;
    columns += diagonal * rows;
    vectors += int64_t(blockIdx.x) * rows;
    for (int64_t i = threadIdx.x; i < rows; i += blockDim.x)
        vectors[i] = i > diagonal ? columns[i] : T(i == diagonal);
}

}  // namespace gpuarray
