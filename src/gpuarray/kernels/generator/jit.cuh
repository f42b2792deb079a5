// What kernels translated from Python find in scope: arrays with their shapes, shared memory, exchanges within a warp,
// atomic functions. The generated code is in namespace gpuarray::jit.
#pragma once

#include "gpuarray/types.cuh"
#include "gpuarray/user_code.cuh"  // the atomic functions that CUDA lacks

namespace gpuarray {
namespace jit {

// An array that a kernel gets. The host fills it in as it is (the layout in memory is that of CArray): lengths, and
// strides in bytes, are 64 bits wide; with NARROW they fit into 32, and so does the arithmetic on them.
template <class T, int NDIM, bool C_CONTIGUOUS, bool NARROW> struct Array {
    typedef typename Stored<T>::type Element;
    enum { LENGTHS = NDIM ? NDIM : 1 };

    Element* data;
    int64_t count;
    int64_t lengths[LENGTHS];
    int64_t steps[LENGTHS];

    GPUARRAY_DEVICE int64_t size() const { return count; }
    GPUARRAY_DEVICE int64_t shape(int axis) const { return lengths[axis]; }
    GPUARRAY_DEVICE int64_t strides(int axis) const { return steps[axis]; }

    template <class... Int> GPUARRAY_DEVICE Element& operator()(Int... where) const {
        static_assert(sizeof...(Int) == NDIM, "an index for each dimension is needed");
        if constexpr (NARROW) {
            const int32_t coordinates[LENGTHS] = {int32_t(where)...};
            return *at(coordinates);
        } else {
            const int64_t coordinates[LENGTHS] = {int64_t(where)...};
            return *at(coordinates);
        }
    }

    // What is left when the first dimensions are indexed.
    template <class... Int> GPUARRAY_DEVICE auto part(Int... where) const {
        constexpr int GIVEN = sizeof...(Int);
        const int64_t coordinates[GIVEN] = {int64_t(where)...};
        Array<T, NDIM - GIVEN, C_CONTIGUOUS, NARROW> result;
        char* start = reinterpret_cast<char*>(data);
#pragma unroll
        for (int axis = 0; axis < GIVEN; ++axis) start += coordinates[axis] * steps[axis];
        result.data = reinterpret_cast<Element*>(start);
        result.count = 1;
#pragma unroll
        for (int axis = GIVEN; axis < NDIM; ++axis) {
            result.lengths[axis - GIVEN] = lengths[axis];
            result.steps[axis - GIVEN] = steps[axis];
            result.count *= lengths[axis];
        }
        return result;
    }

private:
    template <class Index> GPUARRAY_DEVICE Element* at(const Index* where) const {
        if constexpr (C_CONTIGUOUS) {
            Index offset = NDIM ? where[0] : 0;
#pragma unroll
            for (int axis = 1; axis < NDIM; ++axis) offset = offset * Index(lengths[axis]) + where[axis];
            return data + offset;
        } else {
            char* address = reinterpret_cast<char*>(data);
#pragma unroll
            // A product of two 32-bit numbers to 64 bits is one instruction.
            for (int axis = 0; axis < NDIM; ++axis) address += int64_t(where[axis]) * int64_t(Index(steps[axis]));
            return reinterpret_cast<Element*>(address);
        }
    }
};

// Shared memory; the lengths are known, but for dynamic shared memory (0).
template <class T, int... LENGTHS> struct Shared {
    typedef typename Stored<T>::type Element;

    Element* data;

    template <class... Int> GPUARRAY_DEVICE Element& operator()(Int... where) const {
        static_assert(sizeof...(Int) == sizeof...(LENGTHS), "an index for each dimension is needed");
        const int lengths[] = {LENGTHS...};
        const int coordinates[] = {int(where)...};
        int offset = coordinates[0];
#pragma unroll
        for (int axis = 1; axis < sizeof...(LENGTHS); ++axis) offset = offset * lengths[axis] + coordinates[axis];
        return data[offset];
    }
};

// ---- exchanges within a warp: of any type, in pieces of 32 bits -------------------------------------------------

template <class T, class Exchange> GPUARRAY_DEVICE T in_words(T value, Exchange exchange) {
    constexpr int COUNT = (sizeof(T) + 3) / 4;
    uint32_t words[COUNT] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < COUNT; ++i) words[i] = exchange(words[i]);
    memcpy(&value, words, sizeof(T));
    return value;
}
template <class T> GPUARRAY_DEVICE T shfl_sync(uint32_t mask, T value, int32_t lane, int32_t width) {
    return in_words(value, [=](uint32_t word) { return __shfl_sync(mask, word, lane, width); });
}
template <class T> GPUARRAY_DEVICE T shfl_up_sync(uint32_t mask, T value, uint32_t delta, int32_t width) {
    return in_words(value, [=](uint32_t word) { return __shfl_up_sync(mask, word, delta, width); });
}
template <class T> GPUARRAY_DEVICE T shfl_down_sync(uint32_t mask, T value, uint32_t delta, int32_t width) {
    return in_words(value, [=](uint32_t word) { return __shfl_down_sync(mask, word, delta, width); });
}
template <class T> GPUARRAY_DEVICE T shfl_xor_sync(uint32_t mask, T value, int32_t lanes, int32_t width) {
    return in_words(value, [=](uint32_t word) { return __shfl_xor_sync(mask, word, lanes, width); });
}

GPUARRAY_DEVICE uint32_t laneid() {
    uint32_t lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// ---- atomic functions -------------------------------------------------------------------------------------------

template <int BYTES> struct Bits;
template <> struct Bits<4> { typedef unsigned int type; };
template <> struct Bits<8> { typedef unsigned long long type; };

// On the bits, whatever type they are of.
template <class T, class Operation> GPUARRAY_DEVICE T on_bits(T* address, Operation operation) {
    typedef typename Bits<sizeof(T)>::type Word;
    const Word old = operation(reinterpret_cast<Word*>(address));
    T result;
    memcpy(&result, &old, sizeof(T));
    return result;
}
template <class T> GPUARRAY_DEVICE typename Bits<sizeof(T)>::type bits_of(T value) {
    typename Bits<sizeof(T)>::type result;
    memcpy(&result, &value, sizeof(T));
    return result;
}
template <class T> GPUARRAY_DEVICE T atomic_exch(T* address, T value) {
    return on_bits(address, [=](auto* word) { return atomicExch(word, bits_of(value)); });
}
template <class T> GPUARRAY_DEVICE T atomic_cas(T* address, T expected, T value) {
    return on_bits(address, [=](auto* word) { return atomicCAS(word, bits_of(expected), bits_of(value)); });
}
template <class T> GPUARRAY_DEVICE T atomic_and(T* address, T value) {
    return on_bits(address, [=](auto* word) { return atomicAnd(word, bits_of(value)); });
}
template <class T> GPUARRAY_DEVICE T atomic_or(T* address, T value) {
    return on_bits(address, [=](auto* word) { return atomicOr(word, bits_of(value)); });
}
template <class T> GPUARRAY_DEVICE T atomic_xor(T* address, T value) {
    return on_bits(address, [=](auto* word) { return atomicXor(word, bits_of(value)); });
}
template <class T> GPUARRAY_DEVICE T atomic_add(T* address, T value) { return ::atomicAdd(address, value); }
template <class T> GPUARRAY_DEVICE T atomic_sub(T* address, T value) {
    // Unsigned, so that the lowest integer has a negative.
    if constexpr (T(1) / T(2) == T(0)) {
        return T(::atomicAdd(reinterpret_cast<typename Bits<sizeof(T)>::type*>(address),
                             typename Bits<sizeof(T)>::type(0) - typename Bits<sizeof(T)>::type(value)));
    } else {
        return ::atomicAdd(address, -value);
    }
}
template <class T> GPUARRAY_DEVICE T atomic_min(T* address, T value) { return ::atomicMin(address, value); }
template <class T> GPUARRAY_DEVICE T atomic_max(T* address, T value) { return ::atomicMax(address, value); }
GPUARRAY_DEVICE uint32_t atomic_inc(uint32_t* address, uint32_t value) { return ::atomicInc(address, value); }
GPUARRAY_DEVICE uint32_t atomic_dec(uint32_t* address, uint32_t value) { return ::atomicDec(address, value); }

}  // namespace jit
}  // namespace gpuarray
