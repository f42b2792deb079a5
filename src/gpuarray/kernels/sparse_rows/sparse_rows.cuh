// The family of reductions of the rows of compressed matrices, of which only some elements are stored.
//
// WIDTH threads share a row; each takes every element number WIDTH, and then they combine what they have in a fixed
// order, so that the same matrix always gives the same bits.
#pragma once

#include "gpuarray/scan.cuh"

namespace gpuarray {

// The combination of a row's elements. With ZEROS those that are not stored, which are zero, count as one more. Of a row
// without elements the result is zero.
template <class Operation, class Index_, bool ZEROS> struct FoldRows {
    typedef Index_ Index;
    typedef typename Operation::Element Element;
    typedef typename Operation::Value Value;
    typedef typename Operation::Result Result;

    GPUARRAY_DEVICE static Value load(const Element* data, const Index*, Index at, Index) {
        return Operation::of(data[at]);
    }
    GPUARRAY_DEVICE static Value combine(Value a, Value b) { return Operation::combine(a, b); }
    GPUARRAY_DEVICE static Result finish(Value value, Index stored, Index length) {
        Element zero;
        memset(&zero, 0, sizeof(zero));
        if (stored == 0) return Operation::finish(Operation::of(zero));
        if (ZEROS && stored < length) value = Operation::combine(value, Operation::of(zero));
        return Operation::finish(value);
    }
};

// The column of a row's greatest or least element, the first of several; NaN come before all others. A zero that is not
// stored is one of the elements, too, unless EXPLICIT.
template <class Operation, class Index_, bool EXPLICIT> struct FirstOfRows {
    typedef Index_ Index;
    typedef typename Operation::Element Element;
    typedef int64_t Result;
    struct Value {
        typename Operation::Value value;
        Index column, missing;  // the first column, before the element's, that may have none
    };

    GPUARRAY_DEVICE static Value load(const Element* data, const Index* indices, Index at, Index start) {
        // Columns rise: as long as none is missing, each is its element's number in the row.
        const Index column = indices[at], number = at - start;
        return Value{Operation::of(data[at]), column, number == column ? Index(-1) : number};
    }
    GPUARRAY_DEVICE static Value combine(Value a, Value b) {
        const bool later = Operation::beats(b.value, a.value) ||
                           (!Operation::beats(a.value, b.value) && b.column < a.column);
        Value result = later ? b : a;
        result.missing = a.missing < 0 || (b.missing >= 0 && b.missing < a.missing) ? b.missing : a.missing;
        return result;
    }
    GPUARRAY_DEVICE static Result finish(Value value, Index stored, Index length) {
        if (stored == 0) return 0;
        if (EXPLICIT || stored == length || Operation::beyond_zero(value.value)) return value.column;
        const Index missing = value.missing < 0 ? stored : value.missing;
        return Operation::is_zero(value.value) && value.column < missing ? value.column : missing;
    }
};

template <int LANES, class T> GPUARRAY_DEVICE T from_behind(T value, int distance) {
    return moved(value, [=](uint32_t word) { return __shfl_down_sync(0xffffffffu, word, distance, LANES); });
}

template <class Function, int BLOCK, int WIDTH>
GPUARRAY_DEVICE void reduce_rows(const typename Function::Index* indptr, const typename Function::Index* indices,
                                 const typename Function::Element* data, typename Function::Result* result,
                                 typename Function::Index rows, typename Function::Index length) {
    typedef typename Function::Index Index;
    typedef typename Function::Value Value;
    enum { LANES = WIDTH < 32 ? WIDTH : 32, WARPS = WIDTH / LANES };
    static_assert(WIDTH <= 32 || WIDTH == BLOCK, "more than a warp must be the whole block");
    const int64_t row = int64_t(blockIdx.x) * (BLOCK / WIDTH) + threadIdx.x / WIDTH;
    const int lane = threadIdx.x % WIDTH;
    const Index start = row < rows ? indptr[row] : 0, end = row < rows ? indptr[row + 1] : 0;

    Value value{};
    Index count = 0;  // of elements that the value is of
    for (int64_t at = int64_t(start) + lane; at < end; at += WIDTH) {
        const Value next = Function::load(data, indices, Index(at), start);
        value = count == 0 ? next : Function::combine(value, next);
        ++count;
    }
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        const Value other = from_behind<LANES>(value, distance);
        const Index more = from_behind<LANES>(count, distance);
        if (lane % LANES + distance < LANES && more > 0) {
            value = count == 0 ? other : Function::combine(value, other);
            count += more;
        }
    }
    if constexpr (WARPS > 1) {
        __shared__ Shelf<Value, WARPS> values;
        __shared__ Index counts[WARPS];
        if (lane % 32 == 0) {
            values[lane / 32] = value;
            counts[lane / 32] = count;
        }
        __syncthreads();
        if (lane == 0) {
            for (int warp = 1; warp < WARPS; ++warp) {
                if (counts[warp] == 0) continue;
                value = count == 0 ? values[warp] : Function::combine(value, values[warp]);
                count += counts[warp];
            }
        }
    }
    if (lane == 0 && row < rows) result[row] = Function::finish(value, count, length);
}

}  // namespace gpuarray
