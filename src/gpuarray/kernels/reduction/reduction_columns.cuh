// The reduction family where neighbouring elements belong to neighbouring results: a thread owns VECTOR of them, its
// columns, and reads down. (See reduction.cuh for what a kernel names, and for blocks that share results.)
// Here threads are laid over results, whatever their dimensions; long rows have variants in reduction_strips.cuh.
#pragma once

#include "gpuarray/reduction_words.cuh"

namespace gpuarray {

// What a thread reads of one row: VECTOR neighbours, or one element of every operand.
template <class Function, class Index, int VECTOR> struct Neighbours {
    struct Value {
        alignas(16) typename Function::Element elements[VECTOR];
        Index index;

        GPUARRAY_DEVICE auto operator()(const Function& function, int v) const {
            return function.of(elements[v], index);
        }
    };
    const Function& function;

    GPUARRAY_DEVICE Value load(const Index* offsets, Index index) const {
        typedef typename Function::Element Element;
        const auto from = function.elements() + offsets[0];
        Value loaded;
        loaded.index = index;
        if constexpr (Function::COMPUTED) {
            Reading<Function, VECTOR> reading;
            reading.fetch(function, from, loaded.elements);
            reading.compute(function, loaded.elements);
        } else if (Vector<Element, VECTOR>::aligned(from)) {
            Vector<Element, VECTOR>::copy(loaded.elements, from);
        } else {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) loaded.elements[v] = from[v];
        }
        return loaded;
    }
};
template <class Function, class Index> struct Neighbours<Function, Index, 1> {
    struct Value {
        typename Function::Thread::Item item;

        GPUARRAY_DEVICE auto operator()(const Function&, int) const { return item; }
    };
    const Function& function;

    GPUARRAY_DEVICE Value load(const Index* offsets, Index index) const {
        return Value{function.load(offsets, index)};
    }
};

// The block is COLUMNS threads wide; its other threads read further elements of the same results.
// VECTOR > 1: one operand, without gaps along the last kept dimension, whose length and whose operand's every other
// stride are multiples of VECTOR.
template <class Dimensions, int BLOCK, int COLUMNS, int VECTOR, int UNROLL, bool SPLIT, class State> struct Columns {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { DEPTH = BLOCK / COLUMNS, LAST = Dimensions::KEPT_DIMENSIONS - 1 };

    // The values of each column over the depth of the block, in the threads of depth 0. Called twice, with
    // is_last_block's barriers between.
    template <class Function> GPUARRAY_DEVICE static void combine_depth(typename Function::Value (&values)[VECTOR]) {
        typedef typename Function::Value Value;
        if constexpr (DEPTH > 1) {
            __shared__ alignas(16) unsigned char storage[BLOCK * VECTOR * sizeof(Value)];
            Value* const shared = reinterpret_cast<Value*>(storage);
            const int depth = threadIdx.x / COLUMNS;
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) shared[v * BLOCK + threadIdx.x] = values[v];
#pragma unroll
            for (int half = DEPTH / 2; half > 0; half /= 2) {
                __syncthreads();
                if (depth < half) {
#pragma unroll
                    for (int v = 0; v < VECTOR; ++v) {
                        values[v] = Function::combine(values[v], shared[v * BLOCK + threadIdx.x + half * COLUMNS]);
                        if (half > 1) shared[v * BLOCK + threadIdx.x] = values[v];
                    }
                }
            }
        }
    }

    // Rows whose indices are evenly apart, or do not matter.
    template <class Function>
    GPUARRAY_DEVICE static void read_rows(const Function& function, const Dimensions& dimensions,
                                          const Cursor<Dimensions>& cursor, UIndex start, UIndex stop,
                                          typename Function::Value (&values)[VECTOR]) {
        typedef typename Function::Element Element;
        typedef Neighbours<Function, Index, VECTOR> Load;
        const UIndex mine = start + threadIdx.x / COLUMNS;
        State state;
        Index met = 0;
#pragma unroll 1
        for (UIndex first = mine; first < stop; first += DEPTH * UNROLL, met += UNROLL) {
            alignas(16) Element rows[UNROLL][VECTOR];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const UIndex i = first + u * DEPTH;
                if (i < stop) {
                    const typename Load::Value row = cursor.load(Load{function}, dimensions, i);
                    Vector<Element, VECTOR>::copy(rows[u], row.elements);
                }
            }
            if (first + (UNROLL - 1) * DEPTH < stop) {
                state.template add<UNROLL>(function, rows, met);
            } else {
#pragma unroll
                for (int u = 0; u + 1 < UNROLL; ++u) {
                    if (first + u * DEPTH < stop) state.template add<1>(function, rows + u, met + u);
                }
            }
        }
        const Index stride = dimensions.index_strides[0];
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
            values[v] = State::value(state.slot(v, mine < stop, Index(mine) * stride, DEPTH * stride));
        }
    }

    template <class Function>
    GPUARRAY_DEVICE static void read(const Function& function, const Dimensions& dimensions,
                                     const Cursor<Dimensions>& cursor, UIndex start, UIndex stop,
                                     typename Function::Value (&values)[VECTOR]) {
        if constexpr (VECTOR > 1 && !(Function::INDICES && Dimensions::REDUCED_DIMENSIONS > 1)) {
            return read_rows(function, dimensions, cursor, start, stop, values);
        }
        typename Function::Thread threads[VECTOR];
        typedef Neighbours<Function, Index, VECTOR> Load;
        const UIndex mine = start + threadIdx.x / COLUMNS;
#pragma unroll 1
        for (UIndex first = mine; first < stop; first += DEPTH * UNROLL) {
            typename Load::Value loaded[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const UIndex i = first + u * DEPTH;
                if (i < stop) loaded[u] = cursor.load(Load{function}, dimensions, i);
            }
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) {
                typename Function::Thread::Item items[UNROLL];
                bool there[UNROLL];
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    there[u] = first + u * DEPTH < stop;
                    if (there[u]) items[u] = loaded[u](function, v);
                }
                if constexpr (Function::INDICES && Dimensions::REDUCED_DIMENSIONS == 1) {
#pragma unroll
                    for (int u = 0; u < UNROLL; ++u) {
                        if (there[u]) Function::follow(threads[v].total, items[u]);
                    }
                } else {
                    add_some(threads[v], items, there);
                }
            }
        }
        if constexpr (Function::INDICES && Dimensions::REDUCED_DIMENSIONS == 1) {
            if (mine < stop) {
                const Index first = Index(mine) * dimensions.index_strides[0];
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) Function::settle(threads[v].total, first);
            }
        }
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) values[v] = threads[v].value();
    }

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        typedef typename Function::Value Value;
        const UIndex results = dimensions.results, length = dimensions.length;
        const Share<SPLIT, UIndex, Dimensions> share(dimensions, length);
        const UIndex column = (share.block * COLUMNS + threadIdx.x % COLUMNS) * VECTOR;
        const bool inside = column < results, first = threadIdx.x < COLUMNS;
        const Cursor<Dimensions> cursor(dimensions, inside ? column : 0);
        Value values[VECTOR];
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) values[v] = Function::neutral();
        if (inside) read(function, dimensions, cursor, share.start, share.stop, values);
        combine_depth<Function>(values);
        if constexpr (SPLIT) {
            const uint32_t splits = dimensions.splits, split = blockIdx.x - share.block * splits;
            if (inside && first) {
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) partials[split * results + column + v] = values[v];
            }
            if (!is_last_block(counters + share.block, splits)) return;
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) values[v] = Function::neutral();
            if (inside) {
#pragma unroll 1
                for (uint32_t i = threadIdx.x / COLUMNS; i < splits; i += DEPTH) {
                    const Value* const stored = partials + i * results + column;
#pragma unroll
                    for (int v = 0; v < VECTOR; ++v) values[v] = Function::combine(values[v], stored[v]);
                }
            }
            combine_depth<Function>(values);
        }
        if (inside && first) {
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) {
                function.finish(output[cursor.output + v * dimensions.output_strides[LAST]], values[v], length);
            }
        }
    }
};

}  // namespace gpuarray
