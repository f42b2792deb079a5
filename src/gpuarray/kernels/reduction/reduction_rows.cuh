// Several steps over rows that one or more warps own: reductions of a row, of which later steps read the result, and
// elements that are computed with such results and stored. (kernels/reduction/rows.py writes the kernels.)
//
// A thread meets the same elements in each step, those that it would meet in a reduction alone (Rows in reduction.cuh),
// and combines them in the same order: results have the same bits. What several steps read it may keep in registers.
#pragma once

#include "gpuarray/reduction.cuh"
#include "gpuarray/reduction_computed.cuh"

namespace gpuarray {

// A row as the variants of reductions want it: where its first element is.
template <class Index> struct RowPlace {
    Index offsets[1];

    template <class Function, class Dimensions>
    GPUARRAY_DEVICE auto load(const Function& function, const Dimensions&, Index i) const {
        const Index at[1] = {offsets[0] + i};
        return function.load(at, i);
    }
};

// KEPT: vectors that a thread keeps; 0 if all steps read all. VECTOR 1: elements are read singly.
template <class Index, int BLOCK, int WIDTH, int VECTOR, int UNROLL, int KEPT> struct RowSteps {
    typedef typename Unsigned<Index>::type UIndex;
    typedef ReductionDimensions<Index, 1, 1, 1> Dimensions;
    typedef Rows<Dimensions, BLOCK, WIDTH, VECTOR, UNROLL, false> Variant;

    UIndex row, length, head, count;  // elements in front of the row's first vector, and vectors
    Index first;
    bool there;  // whether there is such a row: threads without one stay for the shuffles

    GPUARRAY_DEVICE RowSteps(UIndex rows, UIndex length)
        : row(UIndex(blockIdx.x) * (BLOCK / WIDTH) + threadIdx.x / WIDTH), length(length) {
        there = row < rows;
        if (!there) row = 0;
        first = Index(row * length);
        const UIndex beyond = UIndex(first) % VECTOR, before = beyond == 0 ? 0 : VECTOR - beyond;
        head = before < length ? before : length;
        count = (length - head) / VECTOR;
    }
    GPUARRAY_DEVICE UIndex lane() const { return threadIdx.x % WIDTH; }
    GPUARRAY_DEVICE bool leads() const { return there && lane() == 0; }
    GPUARRAY_DEVICE Index place(UIndex vector) const { return first + Index(head + vector * VECTOR); }
    // The elements that vectors do not cover: the head, then the tail.
    GPUARRAY_DEVICE UIndex singles() const { return VECTOR > 1 ? length - count * VECTOR : length; }
    GPUARRAY_DEVICE Index single(UIndex i) const {
        return first + Index(VECTOR > 1 && i >= head ? i + count * VECTOR : i);
    }

    template <class Function, class Kept> GPUARRAY_DEVICE void keep(const Function& function, Kept* kept) const {
        if constexpr (KEPT > 0) {
#pragma unroll
            for (int k = 0; k < KEPT; ++k) {
                const UIndex i = lane() + k * WIDTH;
                if (there && i < count) function.keep(kept[k], place(i));
            }
        }
    }

    // What a reduction of the row gives, in all its threads.
    template <class Result, class Function, class Kept>
    GPUARRAY_DEVICE Result reduce(const Function& function, const Kept* kept) const {
        typedef typename Function::Value Value;
        Value value = Function::neutral();
        if (there) {
            if constexpr (KEPT > 0) {
                typename Function::Thread thread;
                of_kept(function, kept, thread);
                value = thread.value();
            } else if constexpr (VECTOR > 1) {
                typename Function::Thread thread;
                Variant::vectors(function, RowPlace<Index>{{first}}, 0, length, thread);
                value = thread.value();
            } else {
                const Dimensions none = {};
                value = Variant::singles(function, none, RowPlace<Index>{{first}}, 0, length);
            }
        }
        value = combine_threads<Function, BLOCK, WIDTH>(value);
        Result result;
        function.finish(result, value, length);
        return shared_by_all(result);
    }

    // As Rows::vectors.
    template <class Function, class Kept>
    GPUARRAY_DEVICE void of_kept(const Function& function, const Kept* kept, typename Function::Thread& thread) const {
        typedef typename Function::Thread Thread;
        typedef typename Function::Element Element;
        typedef typename Thread::Item Item;
#pragma unroll
        for (int first = 0; first < KEPT; first += UNROLL) {
            alignas(16) Element loaded[UNROLL][VECTOR];
            typename Function::template Fetched<VECTOR> fetched[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const UIndex i = lane() + (first + u) * WIDTH;
                if (first + u < KEPT && i < count) function.fetch(fetched[u], place(i));
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const UIndex i = lane() + (first + u) * WIDTH;
                if (first + u < KEPT && i < count) function.compute(fetched[u], kept[first + u], loaded[u]);
            }
            if (!Thread::FILLED && first + UNROLL <= KEPT && lane() + (first + UNROLL - 1) * WIDTH < count) {
                Item items[UNROLL * VECTOR];
#pragma unroll
                for (int i = 0; i < UNROLL * VECTOR; ++i) {
                    items[i] = function.of(loaded[i / VECTOR][i % VECTOR], Index(0));
                }
                thread.add(items);
            } else {
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    if (first + u < KEPT && lane() + (first + u) * WIDTH < count) {
                        enum { ITEMS = VECTOR / Function::PACKED };
                        Item items[ITEMS];
#pragma unroll
                        for (int v = 0; v < ITEMS; ++v) {
                            items[v] = item_at(function, loaded[u] + v * Function::PACKED, Index(0));
                        }
                        thread.add(items);
                    }
                }
            }
        }
#pragma unroll 1
        for (UIndex i = lane(); i < singles(); i += WIDTH) {
            const Item one[1] = {function.of(function.at(single(i)), Index(0))};
            thread.add(one);
        }
    }

    // The value of the row's first thread.
    template <class T> GPUARRAY_DEVICE static T shared_by_all(T value) {
        if constexpr (WIDTH <= 32) {
            enum { WORDS = (sizeof(T) + 3) / 4 };
            uint32_t words[WORDS] = {};
            memcpy(words, &value, sizeof(T));
            const int from = threadIdx.x % 32 / WIDTH * WIDTH;
#pragma unroll
            for (int i = 0; i < WORDS; ++i) words[i] = __shfl_sync(0xffffffffu, words[i], from);
            memcpy(&value, words, sizeof(T));
            return value;
        } else {
            __shared__ alignas(16) unsigned char storage[sizeof(T)];
            __syncthreads();
            if (threadIdx.x == 0) memcpy(storage, &value, sizeof(T));
            __syncthreads();
            T result;
            memcpy(&result, storage, sizeof(T));
            return result;
        }
    }

    // The elements of functions, stored behind one another (RowOutput).
    template <class Kept, class... Outputs> GPUARRAY_DEVICE void store(const Kept* kept, const Outputs&... outputs) const {
        if (!there) return;
        if constexpr (KEPT > 0) {
#pragma unroll
            for (int k = 0; k < KEPT; k += UNROLL) vectors(lane() + k * WIDTH, KEPT - k, kept + k, outputs...);
        } else if constexpr (VECTOR > 1) {
#pragma unroll 1
            for (UIndex i = lane(); i < count; i += WIDTH * UNROLL) vectors(i, UNROLL, kept, outputs...);
        }
#pragma unroll 1
        for (UIndex i = lane(); i < singles(); i += WIDTH) element(single(i), outputs...);
    }

    // UNROLL vectors, or `most`. An output may be what others read: all are computed before the first is stored.
    template <class Kept> GPUARRAY_DEVICE void vectors(UIndex, int, const Kept*) const {}
    template <class Kept, class Output, class... Rest>
    GPUARRAY_DEVICE void vectors(UIndex start, int most, const Kept* kept, const Output& output,
                                 const Rest&... rest) const {
        typedef typename Output::Element Element;
        alignas(16) Element elements[UNROLL][VECTOR];
        typename Output::Step::template Fetched<VECTOR> fetched[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const UIndex i = start + u * WIDTH;
            if (u < most && i < count) output.step.fetch(fetched[u], place(i));
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            if (u < most && start + u * WIDTH < count) {
                if constexpr (KEPT > 0) {
                    output.step.compute(fetched[u], kept[u], elements[u]);
                } else {
                    output.step.compute(fetched[u], elements[u]);
                }
            }
        }
        vectors(start, most, kept, rest...);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const UIndex i = start + u * WIDTH;
            if (u < most && i < count) Vector<Element, VECTOR>::copy(output.to + place(i), elements[u]);
        }
    }
    GPUARRAY_DEVICE void element(Index) const {}
    template <class Output, class... Rest>
    GPUARRAY_DEVICE void element(Index at, const Output& output, const Rest&... rest) const {
        const typename Output::Element value = output.step.at(at);
        element(at, rest...);
        output.to[at] = value;
    }
};

// Elements that a step computes, and where they are stored.
template <class Function> struct RowOutput {
    typedef Function Step;
    typedef typename Function::Element Element;

    const Function& step;
    Element* to;
};

}  // namespace gpuarray
