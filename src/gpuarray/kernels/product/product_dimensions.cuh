// Where the elements of stacks of matrices and of their products are.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// Unsigned division is cheaper, and offsets may wrap around.
template <class Index> struct Unsigned { typedef uint32_t type; };
template <> struct Unsigned<int64_t> { typedef uint64_t type; };

// Strides in elements. A stack's dimensions, and how far they are apart in the results, in the left and in the right
// operand. The inner dimension may be split among blocks.
template <class Index, int STACK> struct ProductDimensions {
    typedef typename Unsigned<Index>::type UIndex;

    Index rows, columns, inner;
    Index result_row, result_column, left_row, left_inner, right_inner, right_column;
    Index size;  // the number of results
    Index row_tiles, column_tiles, tiles;
    Index splits, split_length;
    Index shape[STACK];
    Index strides[3][STACK];

    // The offsets of a member of the stack.
    GPUARRAY_DEVICE void find(UIndex member, UIndex (&bases)[3]) const {
#pragma unroll
        for (int i = 0; i < 3; ++i) bases[i] = 0;
#pragma unroll
        for (int axis = STACK - 1; axis >= 0; --axis) {
            const UIndex above = axis ? member / UIndex(shape[axis]) : 0;
            const UIndex coordinate = axis ? member - above * UIndex(shape[axis]) : member;
            member = above;
#pragma unroll
            for (int i = 0; i < 3; ++i) bases[i] += coordinate * UIndex(strides[i][axis]);
        }
    }

    // The row and the column of a result; returns the member of the stack.
    GPUARRAY_DEVICE UIndex find_result(UIndex index, UIndex& row, UIndex& column) const {
        const UIndex above = index / UIndex(columns), member = above / UIndex(rows);
        column = index - above * UIndex(columns);
        row = above - member * UIndex(rows);
        return member;
    }
};

}  // namespace gpuarray
