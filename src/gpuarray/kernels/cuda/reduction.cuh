// The reduction family: many elements to one, for every position that is kept.
//
// A generated kernel names a variant (which threads read which elements), a function object and the strides. The
// function object owns the operands' pointers and says what an element becomes (load, of), how two values make one
// (combine), what changes nothing (neutral) and what is stored at last (finish). Dimensions come in two groups,
// those kept and those reduced, each collapsed by the plan.
//
//   Rows     neighbouring elements belong to one result: WIDTH lanes share a result (part of a warp, or the block)
//   Runs     the same, where a result has many such rows
//   Columns  neighbouring elements belong to neighbouring results: a thread owns VECTOR of them and reads down
//
// Where there are few results, the reduced elements of one are divided among several blocks: each stores the value
// of its part, and the last block to finish combines them. Which block that is varies, the order of combination
// does not: results are the same in every run, and there are no atomic operations on values.
#pragma once

#include "gpuarray/reduction_parts.cuh"

namespace gpuarray {

// VECTOR > 1: one operand without gaps along one reduced dimension, read 16 bytes at a time from wherever the
// row's address allows it; the few elements before and behind are read singly. Partial values are kept apart by
// their place in the vector, which hides the latency of the combination and keeps chains of float additions short.
template <class Dimensions, int BLOCK, int WIDTH, int VECTOR, int UNROLL, bool SPLIT> struct Rows {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type Position;
    enum { GROUPS = BLOCK / WIDTH };

    template <class Function>
    GPUARRAY_DEVICE static typename Function::Value singles(const Function& function, const Dimensions& dimensions,
                                                            const Place<Dimensions>& place, Position start,
                                                            Position stop) {
        typedef typename Function::Value Value;
        Value total = Function::neutral();
#pragma unroll 1
        for (Position first = start + threadIdx.x % WIDTH; first < stop; first += WIDTH * UNROLL) {
            Value values[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Position i = first + u * WIDTH;
                values[u] = i < stop ? place.load(function, dimensions, i) : Function::neutral();
            }
#pragma unroll
            for (int distance = 1; distance < UNROLL; distance *= 2) {
#pragma unroll
                for (int u = 0; u + distance < UNROLL; u += 2 * distance) {
                    values[u] = Function::combine(values[u], values[u + distance]);
                }
            }
            total = Function::combine(total, values[0]);
        }
        return total;
    }

    template <class Function>
    GPUARRAY_DEVICE static typename Function::Value vectors(const Function& function, const Place<Dimensions>& place,
                                                            Position start, Position stop) {
        typedef typename Function::Value Value;
        typedef typename Function::Element Element;
        enum { SIZE = sizeof(Element), VALUES = VECTOR < 4 ? VECTOR : 4 };
        const Position lane = threadIdx.x % WIDTH;
        const Element* const row = function.elements() + place.offsets[0];

        Value values[VALUES];
#pragma unroll
        for (int v = 0; v < VALUES; ++v) values[v] = Function::neutral();

        // Elements up to the first aligned address. An element that is itself unaligned never gets there.
        const uint32_t beyond = uint32_t(reinterpret_cast<uint64_t>(row + start)) % (VECTOR * SIZE);
        const Position left = stop - start, before = beyond == 0 ? 0 : (VECTOR * SIZE - beyond) / SIZE;
        const bool aligned = beyond % SIZE == 0 && before < left;
        const Position head = aligned ? before : left, count = aligned ? (left - head) / VECTOR : 0;
        const Element* const body = row + start + head;

#pragma unroll 1
        for (Position first = lane; first < count; first += WIDTH * UNROLL) {
            alignas(16) Element loaded[UNROLL][VECTOR];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Position i = first + u * WIDTH;
                if (i < count) Vector<Element, VECTOR>::copy(loaded[u], body + i * VECTOR);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Position i = first + u * WIDTH;
                if (i < count) {
                    const Index position = Index(start + head + i * VECTOR);
                    if constexpr (Function::POSITIONS) {
                        // The vector's best value against the best so far; which element it was is asked at the end.
                        Value best = function.of(loaded[u][0], position);
#pragma unroll
                        for (int v = 1; v < VECTOR; ++v) Function::follow(best, function.of(loaded[u][v], position));
                        Function::follow(values[0], best);
                    } else {
#pragma unroll
                        for (int v = 0; v < VECTOR; ++v) {
                            values[v % VALUES] =
                                Function::combine(values[v % VALUES], function.of(loaded[u][v], position));
                        }
                    }
                }
            }
        }
        if constexpr (Function::POSITIONS) {
            if (lane < count) {
                Function::settle(values[0], Index(start + head + lane * VECTOR));
                const Index position = values[0].position;
                values[0] = function.of(row[position], position);
#pragma unroll 1
                for (int v = 1; v < VECTOR; ++v) {
                    Function::follow(values[0], function.of(row[position + v], position + v));
                }
            }
        }
        // What vectors do not cover, as one run: the head, then the tail.
        const Position covered = count * VECTOR;
#pragma unroll 1
        for (Position i = lane; i < left - covered; i += WIDTH) {
            const Position at = start + (i < head ? i : i + covered);
            const Value value = function.of(row[at], Index(at));
            values[0] = Function::combine(values[0], value);
        }
#pragma unroll
        for (int distance = 1; distance < VALUES; distance *= 2) {
#pragma unroll
            for (int v = 0; v + distance < VALUES; v += 2 * distance) {
                values[v] = Function::combine(values[v], values[v + distance]);
            }
        }
        return values[0];
    }

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        typedef typename Function::Value Value;
        const Position results = dimensions.results;
        const Share<SPLIT, Position, Dimensions> share(dimensions, dimensions.length);
        const Position result = share.block * GROUPS + threadIdx.x / WIDTH;
        // Threads without a result stay for the shuffles.
        const Place<Dimensions> place(dimensions, result < results ? result : 0);
        Value value = Function::neutral();
        if (result < results) {
            if constexpr (VECTOR > 1) {
                value = vectors(function, place, share.start, share.stop);
            } else {
                value = singles(function, dimensions, place, share.start, share.stop);
            }
        }
        conclude<BLOCK, WIDTH, SPLIT>(function, output, dimensions, place, result, value, partials, counters);
    }
};

// Several reduced dimensions, of which the last is without gaps and long: LANES threads read a run along it, as in
// Rows, and the block's other threads further runs of the same result. Parts are counted in runs.
template <class Dimensions, int BLOCK, int LANES, int VECTOR, int UNROLL, bool SPLIT> struct Runs {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type Position;

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        const Position length = dimensions.reduced[Dimensions::REDUCED_DIMENSIONS - 1];
        const Share<SPLIT, Position, Dimensions> share(dimensions, Position(dimensions.length) / length);
        const Place<Dimensions> place(dimensions, share.block);
        typename Function::Value value = Function::neutral();
#pragma unroll 1
        for (Position i = share.start + threadIdx.x / LANES; i < share.stop; i += BLOCK / LANES) {
            Place<Dimensions> run = place;
            run.move_to_run(dimensions, i);
            value = Function::combine(
                value, Rows<Dimensions, BLOCK, LANES, VECTOR, UNROLL, false>::vectors(function, run, 0, length));
        }
        conclude<BLOCK, BLOCK, SPLIT>(function, output, dimensions, place, share.block, value, partials, counters);
    }
};

// What a thread reads of one row: VECTOR neighbours, or one element of every operand.
template <class Function, class Index, int VECTOR> struct Neighbours {
    struct Value {
        alignas(16) typename Function::Element elements[VECTOR];
        Index position;

        GPUARRAY_DEVICE typename Function::Value operator()(const Function& function, int v) const {
            return function.of(elements[v], position);
        }
    };
    const Function& function;

    GPUARRAY_DEVICE Value load(const Index* offsets, Index position) const {
        typedef typename Function::Element Element;
        const Element* const from = function.elements() + offsets[0];
        Value loaded;
        loaded.position = position;
        if (Vector<Element, VECTOR>::aligned(from)) {
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
        typename Function::Value value;

        GPUARRAY_DEVICE typename Function::Value operator()(const Function&, int) const { return value; }
    };
    const Function& function;

    GPUARRAY_DEVICE Value load(const Index* offsets, Index position) const {
        return Value{function.load(offsets, position)};
    }
};

// The block is COLUMNS threads wide; its other threads read further elements of the same results.
// VECTOR > 1: one operand, without gaps along the last kept dimension, whose length and whose operand's every other
// stride are multiples of VECTOR.
template <class Dimensions, int BLOCK, int COLUMNS, int VECTOR, int UNROLL, bool SPLIT> struct Columns {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type Position;
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

    template <class Function>
    GPUARRAY_DEVICE static void read(const Function& function, const Dimensions& dimensions,
                                     const Place<Dimensions>& place, Position start, Position stop,
                                     typename Function::Value (&totals)[VECTOR]) {
        typedef typename Function::Value Value;
        typedef Neighbours<Function, Index, VECTOR> Load;
        const Position mine = start + threadIdx.x / COLUMNS;
#pragma unroll 1
        for (Position first = mine; first < stop; first += DEPTH * UNROLL) {
            typename Load::Value loaded[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Position i = first + u * DEPTH;
                if (i < stop) loaded[u] = place.load(Load{function}, dimensions, i);
            }
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) {
                Value values[UNROLL];
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    values[u] = first + u * DEPTH < stop ? loaded[u](function, v) : Function::neutral();
                }
                if constexpr (Function::POSITIONS && Dimensions::REDUCED_DIMENSIONS == 1) {
#pragma unroll
                    for (int u = 0; u < UNROLL; ++u) Function::follow(totals[v], values[u]);
                } else {
#pragma unroll
                    for (int distance = 1; distance < UNROLL; distance *= 2) {
#pragma unroll
                        for (int u = 0; u + distance < UNROLL; u += 2 * distance) {
                            values[u] = Function::combine(values[u], values[u + distance]);
                        }
                    }
                    totals[v] = Function::combine(totals[v], values[0]);
                }
            }
        }
        if constexpr (Function::POSITIONS && Dimensions::REDUCED_DIMENSIONS == 1) {
            if (mine < stop) {
                const Index first = Index(mine) * dimensions.position_strides[0];
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) Function::settle(totals[v], first);
            }
        }
    }

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        typedef typename Function::Value Value;
        const Position results = dimensions.results, length = dimensions.length;
        const Share<SPLIT, Position, Dimensions> share(dimensions, length);
        const Position column = (share.block * COLUMNS + threadIdx.x % COLUMNS) * VECTOR;
        const bool inside = column < results, first = threadIdx.x < COLUMNS;
        const Place<Dimensions> place(dimensions, inside ? column : 0);
        Value values[VECTOR];
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) values[v] = Function::neutral();
        if (inside) read(function, dimensions, place, share.start, share.stop, values);
        combine_depth<Function>(values);
        if constexpr (SPLIT) {
            const uint32_t parts = dimensions.parts, part = blockIdx.x - share.block * parts;
            if (inside && first) {
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) partials[part * results + column + v] = values[v];
            }
            if (!is_last_block(counters + share.block, parts)) return;
#pragma unroll
            for (int v = 0; v < VECTOR; ++v) values[v] = Function::neutral();
            if (inside) {
#pragma unroll 1
                for (uint32_t i = threadIdx.x / COLUMNS; i < parts; i += DEPTH) {
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
                function.finish(output[place.output + v * dimensions.output_strides[LAST]], values[v], length);
            }
        }
    }
};

}  // namespace gpuarray
