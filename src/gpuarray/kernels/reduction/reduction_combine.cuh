// What the variants of the reduction family share: where elements are, how threads combine their values, and how
// blocks do among which a result is split.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// An element of argmax or argmin: it competes by value, then by index.
//
// A thread that meets its elements in the order of their indices need not compare indices: only a greater value
// takes the lead (Function::follow). Values that are no greater than the neutral one then never do, and the first
// index met is the answer (Function::settle).
template <class T, class Index> struct Candidate {
    T value;
    Index index;
};

// A sum and how many elements went into it: a mean of those that take part.
template <class T, class Index> struct Counted {
    T value;
    Index count;
};

// Where an element is of an array that is not stored: its number in the order of memory. It is used as a pointer is, and
// aligned as a pointer to memory of the array's own would be.
template <class T, class Index> struct Place {
    Index at;

    template <class Offset> GPUARRAY_DEVICE Place operator+(Offset offset) const {
        return Place{Index(at + Index(offset))};
    }
    template <class Offset> GPUARRAY_DEVICE Place& operator+=(Offset offset) {
        at += Index(offset);
        return *this;
    }
};

template <class T> GPUARRAY_DEVICE uint64_t address_of(const T* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}
template <class T, class Index> GPUARRAY_DEVICE uint64_t address_of(Place<T, Index> place) {
    return uint64_t(int64_t(place.at)) * sizeof(T);
}

// VECTOR neighbouring elements are read in two steps, so that the loads of several vectors are under way together:
// `fetch` loads what is in memory, `compute` makes elements of it, where they are not what is in memory.
template <class Function, int VECTOR, bool COMPUTED = bool(Function::COMPUTED)> struct Reading {
    typedef typename Function::Element Element;

    GPUARRAY_DEVICE void fetch(const Function&, const Element* from, Element* into) {
        Vector<Element, VECTOR>::copy(into, from);
    }
    GPUARRAY_DEVICE void compute(const Function&, Element*) const {}
};
template <class Function, int VECTOR> struct Reading<Function, VECTOR, true> {
    typedef typename Function::Element Element;
    typename Function::template Fetched<VECTOR> fetched;

    template <class Pointer> GPUARRAY_DEVICE void fetch(const Function& function, Pointer from, Element*) {
        function.fetch(fetched, from.at);
    }
    GPUARRAY_DEVICE void compute(const Function& function, Element* into) const { function.compute(fetched, into); }
};

// One element.
template <class Function> GPUARRAY_DEVICE auto element_at(const Function&, const typename Function::Element* from) {
    return *from;
}
template <class Function, class T, class Index>
GPUARRAY_DEVICE auto element_at(const Function& function, Place<T, Index> from) {
    return function.at(from.at);
}

// What a thread makes of the elements that it reads for one result. Items are what elements become (Function::Item);
// they may be narrower than values, which threads combine: `Items` says how a thread combines its own.
template <class Function, class Items = Function> struct Totals {
    typedef typename Items::Value Item;
    typedef Item Slot;  // what it may hand on instead of a value
    enum { FILLED = 1 };  // there is an item that changes nothing

    Item total = Items::neutral();

    GPUARRAY_DEVICE static Item nothing() { return Items::neutral(); }
    GPUARRAY_DEVICE typename Function::Value value() const { return typename Function::Value(total); }
    GPUARRAY_DEVICE Slot slot() const { return total; }

    // The total waits for one combination only, and chains of float additions stay short.
    template <int COUNT> GPUARRAY_DEVICE void add(const Item (&items)[COUNT]) {
        enum { CHAINS = COUNT < 4 ? COUNT : 4 };
        Item sums[CHAINS];
#pragma unroll
        for (int i = 0; i < CHAINS; ++i) sums[i] = items[i];
#pragma unroll
        for (int i = CHAINS; i < COUNT; ++i) sums[i % CHAINS] = Items::combine(sums[i % CHAINS], items[i]);
#pragma unroll
        for (int distance = 1; distance < CHAINS; distance *= 2) {
#pragma unroll
            for (int i = 0; i + distance < CHAINS; i += 2 * distance) {
                sums[i] = Items::combine(sums[i], sums[i + distance]);
            }
        }
        total = Items::combine(total, sums[0]);
    }
};

// The item of an element, or of the elements of a word where one operation takes them all.
template <class Function, class Index>
GPUARRAY_DEVICE auto item_at(const Function& function, const typename Function::Element* elements, Index index) {
    if constexpr (Function::PACKED > 1) {
        return function.packed(*reinterpret_cast<const uint32_t*>(elements), index);
    } else {
        return function.of(*elements, index);
    }
}

// The highest bit of each byte that is not zero.
GPUARRAY_DEVICE uint32_t nonzero_bytes(uint32_t word) {
    return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
}

// The extreme of a word's bytes: the highest byte decides a comparison, whatever is below it.
template <class T, bool GREATEST> GPUARRAY_DEVICE T extreme_byte(uint32_t word) {
    T best = T(word);
#pragma unroll
    for (int bits = 8; bits < 32; bits += 8) {
        const T next = T(word << bits);
        best = GREATEST ? (next > best ? next : best) : (next < best ? next : best);
    }
    return best >> 24;
}

// Items of which only some are there.
template <class Thread, int COUNT>
GPUARRAY_DEVICE void add_some(Thread& thread, typename Thread::Item (&items)[COUNT], const bool (&there)[COUNT]) {
    if constexpr (Thread::FILLED) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) items[i] = there[i] ? items[i] : Thread::nothing();
        thread.add(items);
    } else {
        bool all = true;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) all = all && there[i];
        if (all) {
            thread.add(items);
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; ++i) {
                const typename Thread::Item single[1] = {items[i]};
                if (there[i]) thread.add(single);
            }
        }
    }
}

// Everything is counted in elements. The index is what argmax answers with: that in the logical (C) order of
// the reduced dimensions, which need not be the order in which they are walked; with one reduced dimension it is.
// A base is not zero where a dimension is walked backwards.
template <class Index, int KEPT, int REDUCED, int OPERANDS> struct ReductionDimensions {
    typedef Index Offset;
    enum { KEPT_DIMENSIONS = KEPT, REDUCED_DIMENSIONS = REDUCED, OPERAND_COUNT = OPERANDS };

    Index results, length;       // results to compute, elements of each
    Index splits, split_length;  // blocks that share a result, elements for each
    Index output_base, bases[OPERANDS];
    Index kept[KEPT], reduced[REDUCED];
    Index output_strides[KEPT], index_strides[REDUCED];
    Index kept_strides[OPERANDS][KEPT], reduced_strides[OPERANDS][REDUCED];
};

// The offsets of a result's operands and of the result itself.
template <class Dimensions> struct Cursor {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { OPERANDS = Dimensions::OPERAND_COUNT };

    Index output, offsets[OPERANDS];

    // Of the first element of a result.
    GPUARRAY_DEVICE Cursor(const Dimensions& dimensions, UIndex rest) : output(dimensions.output_base) {
#pragma unroll
        for (int k = 0; k < OPERANDS; ++k) offsets[k] = dimensions.bases[k];
#pragma unroll
        for (int axis = Dimensions::KEPT_DIMENSIONS - 1; axis >= 0; --axis) {
            Index coordinate = Index(rest);
            if (axis > 0) {
                const UIndex extent = dimensions.kept[axis], quotient = rest / extent;
                coordinate = rest - quotient * extent;
                rest = quotient;
            }
            output += coordinate * dimensions.output_strides[axis];
#pragma unroll
            for (int k = 0; k < OPERANDS; ++k) offsets[k] += coordinate * dimensions.kept_strides[k][axis];
        }
    }

    // To run number `rest` of the result: of its elements along the last reduced dimension. Returns the index of the
    // first of them.
    GPUARRAY_DEVICE Index move_to_run(const Dimensions& dimensions, UIndex rest) {
        Index index = 0;
#pragma unroll
        for (int axis = Dimensions::REDUCED_DIMENSIONS - 2; axis >= 0; --axis) {
            Index coordinate = Index(rest);
            if (axis > 0) {
                const UIndex extent = dimensions.reduced[axis], quotient = rest / extent;
                coordinate = rest - quotient * extent;
                rest = quotient;
            }
            index += coordinate * dimensions.index_strides[axis];
#pragma unroll
            for (int k = 0; k < OPERANDS; ++k) offsets[k] += coordinate * dimensions.reduced_strides[k][axis];
        }
        return index;
    }

    // The item of element number `rest` of the result.
    template <class Function>
    GPUARRAY_DEVICE auto load(const Function& function, const Dimensions& dimensions, UIndex rest) const {
        Index index = 0, moved[OPERANDS];
#pragma unroll
        for (int k = 0; k < OPERANDS; ++k) moved[k] = offsets[k];
#pragma unroll
        for (int axis = Dimensions::REDUCED_DIMENSIONS - 1; axis >= 0; --axis) {
            Index coordinate = Index(rest);
            if (axis > 0) {
                const UIndex extent = dimensions.reduced[axis], quotient = rest / extent;
                coordinate = rest - quotient * extent;
                rest = quotient;
            }
            index += coordinate * dimensions.index_strides[axis];
#pragma unroll
            for (int k = 0; k < OPERANDS; ++k) moved[k] += coordinate * dimensions.reduced_strides[k][axis];
        }
        return function.load(moved, index);
    }
};

// ---- threads to one value ---------------------------------------------------------------------------------------

template <class T> GPUARRAY_DEVICE T shuffle_down(T value, int lanes) {
    enum { WORDS = (sizeof(T) + 3) / 4 };
    uint32_t words[WORDS] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < WORDS; ++i) words[i] = __shfl_down_sync(0xffffffffu, words[i], lanes);
    memcpy(&value, words, sizeof(T));
    return value;
}

template <class T, class Index>
GPUARRAY_DEVICE Candidate<T, Index> shuffle_down(Candidate<T, Index> value, int lanes) {
    return Candidate<T, Index>{shuffle_down(value.value, lanes), shuffle_down(value.index, lanes)};
}

// Every WIDTH lanes of a warp: the first of them gets the value of all. All 32 lanes must call. UNROLL: by how
// much the loop over shuffles is unrolled.
template <class Function, int WIDTH, int UNROLL = 1>
GPUARRAY_DEVICE typename Function::Value combine_lanes(typename Function::Value value) {
#pragma unroll UNROLL
    for (int lanes = WIDTH / 2; lanes > 0; lanes /= 2) value = Function::combine(value, shuffle_down(value, lanes));
    return value;
}

// Every WIDTH threads of a block, WIDTH being the block or at most a warp: the first of them gets the value.
template <class Function, int BLOCK, int WIDTH>
GPUARRAY_DEVICE typename Function::Value combine_threads(typename Function::Value value) {
    typedef typename Function::Value Value;
    value = combine_lanes<Function, (WIDTH < 32 ? WIDTH : 32)>(value);
    if constexpr (WIDTH > 32) {
        static_assert(WIDTH == BLOCK, "more than a warp must be the whole block");
        enum { WARPS = BLOCK / 32 };
        __shared__ alignas(16) unsigned char storage[WARPS * sizeof(Value)];
        Value* const values = reinterpret_cast<Value*>(storage);
        if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = value;
        __syncthreads();
        if (threadIdx.x < 32) {
            value = threadIdx.x < WARPS ? values[threadIdx.x] : Function::neutral();
            value = combine_lanes<Function, WARPS>(value);
        }
    }
    return value;
}

// Whether this block is the last of `splits` to come here; it then sees what the others have stored. The counter
// starts at zero and is zero again afterwards, for the next kernel on the stream.
GPUARRAY_DEVICE bool is_last_block(uint32_t* counter, uint32_t splits) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(counter, splits - 1) == splits - 1;
    __syncthreads();
    __threadfence();
    return last;
}

// What WIDTH threads have of a result, and for a block that shares it what the other blocks have, to the output.
template <int BLOCK, int WIDTH, bool SPLIT, class Function, class Output, class Dimensions>
GPUARRAY_DEVICE void conclude(const Function& function, Output* output, const Dimensions& dimensions,
                              const Cursor<Dimensions>& cursor, typename Cursor<Dimensions>::UIndex result,
                              typename Function::Value value, typename Function::Value* partials,
                              uint32_t* counters) {
    typedef typename Cursor<Dimensions>::UIndex UIndex;
    value = combine_threads<Function, BLOCK, WIDTH>(value);
    if constexpr (SPLIT) {
        static_assert(WIDTH == BLOCK, "only whole blocks share a result");
        const uint32_t splits = dimensions.splits;
        if (threadIdx.x == 0) partials[blockIdx.x] = value;
        if (!is_last_block(counters + result, splits)) return;
        const typename Function::Value* const stored = partials + result * splits;
        value = Function::neutral();
#pragma unroll 1
        for (uint32_t i = threadIdx.x; i < splits; i += BLOCK) value = Function::combine(value, stored[i]);
        value = combine_threads<Function, BLOCK, WIDTH>(value);
    }
    if (threadIdx.x % WIDTH == 0 && result < UIndex(dimensions.results)) {
        function.finish(output[cursor.output], value, dimensions.length);
    }
}

// The elements of `count` that a block reads, where a result is split among blocks that follow one another.
template <bool SPLIT, class UIndex, class Dimensions> struct Share {
    UIndex block, start, stop;  // which tile of results, and which of their elements

    GPUARRAY_DEVICE Share(const Dimensions& dimensions, UIndex count) : block(blockIdx.x), start(0), stop(count) {
        if constexpr (SPLIT) {
            const UIndex splits = dimensions.splits, each = dimensions.split_length;
            block = blockIdx.x / splits;
            start = (blockIdx.x - block * splits) * each;
            stop = start + each < count ? start + each : count;
            start = start < stop ? start : stop;
        }
    }
};

}  // namespace gpuarray
