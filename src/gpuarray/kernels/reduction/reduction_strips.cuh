// Columns (see reduction_columns.cuh) of one operand, read in aligned vectors wherever rows begin.
//
//   Strips   a block owns a strip of a long row of results
//   Periods  short rows without gaps are read as one line, in steps of whole rows
//
// No thread shifts elements: each meets rows of one alignment only, and keeps totals for the columns that
// its aligned vectors show. Which columns those are is asked once, when threads are combined.
#pragma once

#include "gpuarray/reduction_words.cuh"

namespace gpuarray {

// `count` vectors, `step` elements apart: UNROLL of them under way.
template <int VECTOR, int UNROLL, class Function, class Pointer, class State, class UIndex>
GPUARRAY_DEVICE void read_down(const Function& function, Pointer from, int64_t step, UIndex count, State& state) {
    typedef typename Function::Element Element;
    UIndex first = 0;
#pragma unroll 1
    for (; first + UNROLL <= count; first += UNROLL, from += UNROLL * step) {
        alignas(16) Element loaded[UNROLL][VECTOR];
        Reading<Function, VECTOR> readings[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) readings[u].fetch(function, from + u * step, loaded[u]);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) readings[u].compute(function, loaded[u]);
        state.template add<UNROLL>(function, loaded, first);
    }
    if constexpr (UNROLL > 1) {
        alignas(16) Element loaded[UNROLL - 1][VECTOR];
        Reading<Function, VECTOR> readings[UNROLL - 1];
#pragma unroll
        for (int u = 0; u + 1 < UNROLL; ++u) {
            if (first + u < count) readings[u].fetch(function, from + u * step, loaded[u]);
        }
#pragma unroll
        for (int u = 0; u + 1 < UNROLL; ++u) {
            if (first + u < count) readings[u].compute(function, loaded[u]);
        }
#pragma unroll
        for (int u = 0; u + 1 < UNROLL; ++u) {
            if (first + u < count) state.template add<1>(function, loaded + u, first + u);
        }
    }
}

// How many elements in front of an address the aligned vector begins that it lies in.
template <int VECTOR, class Element, class Pointer> GPUARRAY_DEVICE uint32_t skew_of(Pointer at) {
    return uint32_t(address_of(at)) % (VECTOR * sizeof(Element)) / sizeof(Element);
}

// Combines `count` values of each of `columns` columns, which get(column, i) knows, for take(column, value). All
// threads of the block call; `shared` has a slot for each.
template <class Function, int BLOCK, int UNROLL, class Get, class Take>
GPUARRAY_DEVICE void combine_columns(uint32_t columns, uint32_t count, typename Function::Value* shared,
                                     const Get& get, const Take& take) {
    typedef typename Function::Value Value;
    uint32_t width = BLOCK;
    while (width > 1 && width / 2 >= columns) width /= 2;
#pragma unroll 1
    for (uint32_t first = 0; first < columns; first += width) {
        const uint32_t column = first + threadIdx.x % width;
        Value value = Function::neutral();
        if (column < columns) {
            uint32_t i = threadIdx.x / width;
            const uint32_t step = BLOCK / width;
#pragma unroll 1
            for (; i + (UNROLL - 1) * step < count; i += UNROLL * step) {
                Value values[UNROLL];
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) values[u] = get(column, i + u * step);
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) value = Function::combine(value, values[u]);
            }
#pragma unroll 1
            for (; i < count; i += step) value = Function::combine(value, get(column, i));
        }
#pragma unroll 1
        for (uint32_t half = BLOCK / 2; half >= width; half /= 2) {
            __syncthreads();
            if (threadIdx.x >= half && threadIdx.x < 2 * half) shared[threadIdx.x] = value;
            __syncthreads();
            if (threadIdx.x < half) value = Function::combine(value, shared[threadIdx.x + half]);
        }
        if (threadIdx.x < width && column < columns) take(column, value);
    }
}

// What a block knows of `columns` results from `first` on, and for blocks that share them what the others know, to
// the output. Which element of the block knows what is for get(column, i) to say, i < count.
template <bool SPLIT, int BLOCK, class Function, class Output, class Dimensions, class Get>
GPUARRAY_DEVICE void conclude_columns(const Function& function, Output* output, const Dimensions& dimensions,
                                      typename Cursor<Dimensions>::UIndex tile,
                                      typename Cursor<Dimensions>::UIndex first, uint32_t columns, uint32_t count,
                                      typename Function::Value* partials, uint32_t* counters, const Get& get) {
    typedef typename Function::Value Value;
    typedef typename Cursor<Dimensions>::Index Index;
    typedef typename Cursor<Dimensions>::UIndex UIndex;
    enum { LAST = Dimensions::KEPT_DIMENSIONS - 1 };
    __shared__ alignas(16) unsigned char storage[BLOCK * sizeof(Value)];
    Value* const shared = reinterpret_cast<Value*>(storage);
    const Cursor<Dimensions> cursor(dimensions, first);
    Output* const out = output + cursor.output;
    const auto finish = [&](uint32_t column, const Value& value) {
        function.finish(out[Index(column) * dimensions.output_strides[LAST]], value, dimensions.length);
    };
    if constexpr (SPLIT) {
        // Many splits in two steps: one block alone would read them for as long as all have read elements.
        enum { GROUP = 32, LOADS = sizeof(Value) < 16 ? 8 : 4 };
        const uint32_t splits = dimensions.splits, split = blockIdx.x - tile * splits;
        const uint32_t groups = (splits + GROUP - 1) / GROUP, group = split / GROUP;
        const UIndex results = dimensions.results;
        Value* const stored = partials + first;
        const auto store = [&](uint32_t column, const Value& value) { stored[split * results + column] = value; };
        combine_columns<Function, BLOCK, 1>(columns, count, shared, get, store);
        uint32_t left = splits;
        UIndex apart = results;
        if (groups > 1) {
            counters += tile * (groups + 1);
            const uint32_t members = splits - group * GROUP < GROUP ? splits - group * GROUP : GROUP;
            if (!is_last_block(counters + 1 + group, members)) return;
            Value* const mine = stored + group * GROUP * results;
            combine_columns<Function, BLOCK, LOADS>(
                columns, members, shared, [&](uint32_t column, uint32_t i) { return mine[i * results + column]; },
                [&](uint32_t column, const Value& value) { mine[column] = value; });
            left = groups;
            apart = results * GROUP;
        } else {
            counters += tile;
        }
        if (!is_last_block(counters, left)) return;
        combine_columns<Function, BLOCK, LOADS>(
            columns, left, shared, [&](uint32_t column, uint32_t i) { return stored[i * apart + column]; }, finish);
    } else {
        combine_columns<Function, BLOCK, 1>(columns, count, shared, get, finish);
    }
}

// One reduced dimension, and a last kept one without gaps and of 2 * VECTOR columns at least. The block is COLUMNS
// threads wide; rows DEPTH apart are aligned alike, since every PHASES-th row is. Where rows are not all aligned
// alike, windows of neighbouring blocks overlap by a vector, and each block answers for what all its rows show.
//
// A vector that reaches beyond its row is read only if the operand has elements there. What is left of rows at their
// ends, the edges, all threads read singly.
template <class Dimensions, int BLOCK, int COLUMNS, int VECTOR, int UNROLL, bool SPLIT, int PHASES, class State>
struct Strips {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum {
        DEPTH = BLOCK / COLUMNS,
        TILE = COLUMNS * VECTOR,
        STEP = PHASES > 1 ? TILE - VECTOR : TILE,
        LAST = Dimensions::KEPT_DIMENSIONS - 1,
        EDGE = 2 * VECTOR,
        EDGE_ROWS = BLOCK / EDGE
    };
    static_assert(DEPTH % PHASES == 0, "rows of a thread are aligned alike");

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        typedef typename Function::Value Value;
        typedef typename Function::Element Element;
        typedef typename State::Slot Slot;
        // Another slot for each vector: neighbouring columns are in different banks.
        __shared__ alignas(16) unsigned char slot_storage[(BLOCK + 1) * VECTOR * sizeof(Slot)];
        __shared__ alignas(16) unsigned char edge_storage[BLOCK * sizeof(Value)];
        Slot* const slots = reinterpret_cast<Slot*>(slot_storage);
        Value* const edges = reinterpret_cast<Value*>(edge_storage);

        const UIndex length = dimensions.length;
        const Index columns = dimensions.kept[LAST];
        const UIndex tiles = (UIndex(columns) + (PHASES > 1 ? 0 : VECTOR - 1) + STEP - 1) / STEP;
        const Share<SPLIT, UIndex, Dimensions> share(dimensions, length);
        const UIndex outer = share.block / tiles;
        const Cursor<Dimensions> cursor(dimensions, outer * columns);
        const auto base = function.elements() + cursor.offsets[0];
        const Index stride = dimensions.reduced_strides[0][0], index_stride = dimensions.index_strides[0];
        // The first column that the block may answer for; below zero there is none.
        const Index start = Index(share.block - outer * tiles) * STEP - (PHASES > 1 ? 0 : skew_of<VECTOR, Element>(base));
        const bool gapless = stride == columns;
        const auto skew = [&](UIndex row) {
            return PHASES > 1 ? skew_of<VECTOR, Element>(base + Index(row * UIndex(stride)) + start) : 0u;
        };

        UIndex row = share.start + threadIdx.x / COLUMNS, stop = share.stop;
        const Index column = start - Index(skew(row)) + threadIdx.x % COLUMNS * VECTOR;
        if (column < 0 || column > columns - VECTOR) {
            if (!gapless || column <= -VECTOR || column >= columns) {
                stop = row;
            } else if (column < 0) {
                if (row == 0) row += DEPTH;
            } else if (stop == length) {
                --stop;
            }
        }
        const UIndex count = row < stop ? (stop - row + DEPTH - 1) / DEPTH : 0;
        State state;
        if (count > 0) {
            read_down<VECTOR, UNROLL>(function, base + Index(row) * stride + column, int64_t(stride) * DEPTH, count,
                                      state);
        }
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
            slots[v * (BLOCK + 1) + threadIdx.x] =
                state.slot(v, count > 0, Index(row) * index_stride, DEPTH * index_stride);
        }
        const bool edge = start < VECTOR || start + STEP > columns - VECTOR;
        if (edge) edges[threadIdx.x] = read_edges(function, base, share.start, share.stop, start, skew, dimensions);
        __syncthreads();

        const Index from = start < 0 ? 0 : start;
        const Index till = start + STEP < columns ? start + STEP : columns;
        const uint32_t answers = till > from ? till - from : 0, before = from - start;
        const auto get = [&](uint32_t answer, uint32_t i) {
            if (i < DEPTH) {
                const uint32_t slot = before + answer + skew(share.start + i);
                return State::value(slots[slot % VECTOR * (BLOCK + 1) + i * COLUMNS + slot / VECTOR]);
            }
            const Index at = from + answer;
            const Index number = at < VECTOR ? at : at - (columns - EDGE);
            if (number < 0 || (at >= VECTOR && number < VECTOR)) return Function::neutral();
            return edges[(i - DEPTH) * EDGE + number];
        };
        conclude_columns<SPLIT, BLOCK>(function, output, dimensions, share.block,
                                       outer * columns + (answers ? from : 0), answers,
                                       edge ? DEPTH + EDGE_ROWS : DEPTH, partials, counters, get);
    }

    // The elements of the first and the last VECTOR columns that no vector has shown: EDGE columns of some rows.
    template <class Function, class Pointer, class Skew>
    GPUARRAY_DEVICE static typename Function::Value
    read_edges(const Function& function, Pointer base, UIndex first, UIndex stop, Index start, const Skew& skew,
               const Dimensions& dimensions) {
        typedef typename Function::Thread Thread;
        const Index columns = dimensions.kept[LAST], stride = dimensions.reduced_strides[0][0];
        const Index number = threadIdx.x % EDGE;
        const Index column = number < VECTOR ? number : columns - EDGE + number;
        enum { EDGE_LOADS = sizeof(typename Thread::Item) > 8 ? 2 : 8 };
        Thread thread;
        if (column < start || column >= start + STEP) return thread.value();
        const UIndex last = UIndex(dimensions.length) - 1;
#pragma unroll 1
        for (UIndex row = first + threadIdx.x / EDGE; row < stop; row += EDGE_ROWS * EDGE_LOADS) {
            typename Thread::Item items[EDGE_LOADS];
            bool there[EDGE_LOADS];
#pragma unroll
            for (int u = 0; u < EDGE_LOADS; ++u) {
                const UIndex at = row + u * EDGE_ROWS;
                there[u] = false;
                if (at < stop) {
                    const Index begin = column - Index((uint32_t(column - start) + skew(at)) % VECTOR);
                    const bool low = begin < 0, high = begin > columns - VECTOR;
                    there[u] = stride == columns ? (low && at == 0) || (high && at == last) : low || high;
                }
                if (there[u]) {
                    const Index index = Index(at) * dimensions.index_strides[0];
                    items[u] = function.of(element_at(function, base + (Index(at) * stride + column)), index);
                }
            }
            add_some(thread, items, there);
        }
        return thread.value();
    }
};

// One reduced dimension; its rows, of the last kept dimension, follow one another without gaps. `threads` threads
// read VECTOR elements each, which is a whole number of rows in all: a thread stays in its columns. Splits are
// counted in such rounds.
template <class Dimensions, int BLOCK, int VECTOR, int UNROLL, bool SPLIT, class State> struct Periods {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { LAST = Dimensions::KEPT_DIMENSIONS - 1 };

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        typedef typename Function::Value Value;
        typedef typename Function::Element Element;
        typedef typename State::Slot Slot;
        __shared__ alignas(16) unsigned char slot_storage[(BLOCK + 1) * VECTOR * sizeof(Slot)];
        Slot* const slots = reinterpret_cast<Slot*>(slot_storage);

        const UIndex columns = dimensions.kept[LAST], total = UIndex(dimensions.length) * columns;
        const UIndex common = columns & (0 - columns), granule = columns / (common < VECTOR ? common : VECTOR);
        const UIndex threads = BLOCK / granule * granule, rows = threads * VECTOR / columns;
        const UIndex rounds = (total / VECTOR + threads - 1) / threads;
        const Share<SPLIT, UIndex, Dimensions> share(dimensions, rounds);
        const Cursor<Dimensions> cursor(dimensions, share.block * columns);
        const auto base = function.elements() + cursor.offsets[0];
        const Index index_stride = dimensions.index_strides[0];

        const uint32_t skew = skew_of<VECTOR, Element>(base);
        const UIndex head = skew == 0 ? 0 : VECTOR - skew, vectors = (total - head) / VECTOR;
        const UIndex first = threadIdx.x + share.start * threads;
        const UIndex stop = share.stop * threads < vectors ? share.stop * threads : vectors;
        const UIndex count = threadIdx.x < threads && first < stop ? (stop - first + threads - 1) / threads : 0;
        State state;
        if (count > 0) {
            read_down<VECTOR, UNROLL>(function, base + head + first * VECTOR, int64_t(threads) * VECTOR, count, state);
        }
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) {
            const UIndex row = (head + first * VECTOR + v) / columns;
            slots[v * (BLOCK + 1) + threadIdx.x] =
                state.slot(v, count > 0, Index(row) * index_stride, Index(rows) * index_stride);
        }
        __syncthreads();

        // Elements in front of the first vector and behind the last: those of the first split and of the last.
        const uint32_t front = share.start == 0 ? head : 0;
        const UIndex covered = head + vectors * VECTOR;
        const uint32_t behind = share.stop == rounds ? uint32_t(total - covered) : 0;
        const UIndex beyond = (head + columns - 1) / columns * columns - head;
        const auto get = [&](uint32_t column, uint32_t i) {
            if (i < rows) {
                const uint32_t slot = (column + beyond) % columns + i * columns;
                return State::value(slots[slot % VECTOR * (BLOCK + 1) + slot / VECTOR]);
            }
            i -= uint32_t(rows);
            const UIndex at = i < front ? i : covered + (i - front), row = at / columns;
            if (at - row * columns != column) return Function::neutral();
            typename Function::Thread thread;
            const typename Function::Thread::Item single[1] = {
                function.of(element_at(function, base + at), Index(row) * index_stride)};
            thread.add(single);
            return typename Function::Value(thread.value());
        };
        conclude_columns<SPLIT, BLOCK>(function, output, dimensions, share.block, share.block * columns,
                                       uint32_t(columns), uint32_t(rows) + front + behind, partials, counters, get);
    }
};

}  // namespace gpuarray
