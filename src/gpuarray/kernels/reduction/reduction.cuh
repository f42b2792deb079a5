// The reduction family: many elements to one, for every index of the kept dimensions.
//
// A generated kernel names a variant (which threads read which elements), a function object and the strides. The
// function object owns the operands' pointers and says what an element becomes (load, of), how two values make one
// (combine), what changes nothing (neutral) and what is stored at last (finish). Dimensions come in two groups,
// those kept and those reduced, each collapsed by the plan.
//
//   Rows     neighbouring elements belong to one result: WIDTH lanes share a result (part of a warp, or the block)
//   Runs     the same, where a result has many such rows
//   Columns  neighbouring elements belong to neighbouring results (reduction_columns.cuh)
//   Strips, Periods  the same for one operand, with long rows of results or short rows (reduction_strips.cuh)
//
// Where there are few results, the reduced elements of one are split among several blocks: each stores the value
// of its split, and the last block to finish combines them. Which block that is varies, the order of combination
// does not: results are the same in every run, and there are no atomic operations on values.
#pragma once

#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

// VECTOR > 1: one operand without gaps along one reduced dimension, read 16 bytes at a time from wherever the
// row's address allows it; the few elements before and behind are read singly.
template <class Dimensions, int BLOCK, int WIDTH, int VECTOR, int UNROLL, bool SPLIT> struct Rows {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { GROUPS = BLOCK / WIDTH };

    template <class Function, class At>
    GPUARRAY_DEVICE static typename Function::Value singles(const Function& function, const Dimensions& dimensions,
                                                            const At& cursor, UIndex start, UIndex stop) {
        typedef typename Function::Thread Thread;
        Thread thread;
#pragma unroll 1
        for (UIndex first = start + threadIdx.x % WIDTH; first < stop; first += WIDTH * UNROLL) {
            typename Thread::Item items[UNROLL];
            bool there[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const UIndex i = first + u * WIDTH;
                there[u] = i < stop;
                if (there[u]) items[u] = cursor.load(function, dimensions, i);
            }
            add_some(thread, items, there);
        }
        return thread.value();
    }

    template <class Function, class At>
    GPUARRAY_DEVICE static void vectors(const Function& function, const At& cursor, UIndex start, UIndex stop,
                                        typename Function::Thread& thread) {
        typedef typename Function::Thread Thread;
        typedef typename Function::Element Element;
        typedef typename Thread::Item Item;
        enum { SIZE = sizeof(Element), ITEMS = VECTOR / Function::PACKED };
        const UIndex lane = threadIdx.x % WIDTH;
        const auto row = function.elements() + cursor.offsets[0];

        // Elements up to the first aligned address. An element that is itself unaligned never gets there.
        const uint32_t beyond = uint32_t(address_of(row + start)) % (VECTOR * SIZE);
        const UIndex left = stop - start, before = beyond == 0 ? 0 : (VECTOR * SIZE - beyond) / SIZE;
        const bool aligned = beyond % SIZE == 0 && before < left;
        const UIndex head = aligned ? before : left, count = aligned ? (left - head) / VECTOR : 0;
        const auto body = row + start + head;

#pragma unroll 1
        for (UIndex first = lane; first < count; first += WIDTH * UNROLL) {
            alignas(16) Element loaded[UNROLL][VECTOR];
            Reading<Function, VECTOR> readings[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const UIndex i = first + u * WIDTH;
                if (i < count) readings[u].fetch(function, body + i * VECTOR, loaded[u]);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                if (first + u * WIDTH < count) readings[u].compute(function, loaded[u]);
            }
            if (!Thread::FILLED && first + (UNROLL - 1) * WIDTH < count) {
                // The more items at once, the fewer steps that cost more than an item.
                Item items[UNROLL * VECTOR];
#pragma unroll
                for (int i = 0; i < UNROLL * VECTOR; ++i) items[i] = function.of(loaded[i / VECTOR][i % VECTOR], Index(0));
                thread.add(items);
            } else {
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    const UIndex i = first + u * WIDTH;
                    if (i < count) {
                        const Index index = Index(start + head + i * VECTOR);
                        if constexpr (Function::INDICES) {
                            // The vector's best value against the best so far; which element it was is asked at the
                            // end.
                            Item best = item_at(function, loaded[u], index);
#pragma unroll
                            for (int v = 1; v < ITEMS; ++v) {
                                Function::follow(best, item_at(function, loaded[u] + v * Function::PACKED, index));
                            }
                            Function::follow(thread.total, best);
                        } else {
                            Item items[ITEMS];
#pragma unroll
                            for (int v = 0; v < ITEMS; ++v) {
                                items[v] = item_at(function, loaded[u] + v * Function::PACKED, index);
                            }
                            thread.add(items);
                        }
                    }
                }
            }
        }
        if constexpr (Function::INDICES) {
            if (lane < count) {
                Function::settle(thread.total, Index(start + head + lane * VECTOR));
                const Index index = thread.total.index;
                thread.total = function.of(element_at(function, row + index), index);
#pragma unroll 1
                for (int v = 1; v < VECTOR; ++v) {
                    const Index next = index + v;
                    Function::follow(thread.total, function.of(element_at(function, row + next), next));
                }
            }
        }
        // What vectors do not cover, as one run: the head, then the tail.
        const UIndex covered = count * VECTOR;
#pragma unroll 1
        for (UIndex i = lane; i < left - covered; i += WIDTH) {
            const UIndex at = start + (i < head ? i : i + covered);
            const Item single[1] = {function.of(element_at(function, row + at), Index(at))};
            thread.add(single);
        }
    }

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        typedef typename Function::Value Value;
        const UIndex results = dimensions.results;
        const Share<SPLIT, UIndex, Dimensions> share(dimensions, dimensions.length);
        const UIndex result = share.block * GROUPS + threadIdx.x / WIDTH;
        // Threads without a result stay for the shuffles.
        const Cursor<Dimensions> cursor(dimensions, result < results ? result : 0);
        Value value = Function::neutral();
        if (result < results) {
            if constexpr (VECTOR > 1) {
                typename Function::Thread thread;
                vectors(function, cursor, share.start, share.stop, thread);
                value = thread.value();
            } else {
                value = singles(function, dimensions, cursor, share.start, share.stop);
            }
        }
        conclude<BLOCK, WIDTH, SPLIT>(function, output, dimensions, cursor, result, value, partials, counters);
    }
};

// Several reduced dimensions, of which the last is without gaps and long: LANES threads read a run along it, as in
// Rows, and the block's other threads further runs of the same result. Splits are counted in runs.
template <class Dimensions, int BLOCK, int LANES, int VECTOR, int UNROLL, bool SPLIT> struct Runs {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { LAST = Dimensions::REDUCED_DIMENSIONS - 1 };

    template <class Function, class Output>
    GPUARRAY_DEVICE static void run(const Function& function, Output* output, const Dimensions& dimensions,
                                    typename Function::Value* partials, uint32_t* counters) {
        const UIndex length = dimensions.reduced[LAST];
        const Share<SPLIT, UIndex, Dimensions> share(dimensions, UIndex(dimensions.length) / length);
        const Cursor<Dimensions> cursor(dimensions, share.block);
        typedef Rows<Dimensions, BLOCK, LANES, VECTOR, UNROLL, false> Run;
        typename Function::Thread thread;
#pragma unroll 1
        for (UIndex i = share.start + threadIdx.x / LANES; i < share.stop; i += BLOCK / LANES) {
            Cursor<Dimensions> run = cursor;
            const Index index = run.move_to_run(dimensions, i);
            if constexpr (Function::INDICES) {
                // Within a run indices increase; those of different runs have to be compared.
                typename Function::Thread best;
                Run::vectors(function, run, 0, length, best);
                best.total = Function::moved(best.total, index, dimensions.index_strides[LAST]);
                thread.total = Function::combine(thread.total, best.total);
            } else {
                Run::vectors(function, run, 0, length, thread);
            }
        }
        const typename Function::Value value = thread.value();
        conclude<BLOCK, BLOCK, SPLIT>(function, output, dimensions, cursor, share.block, value, partials, counters);
    }
};

}  // namespace gpuarray
