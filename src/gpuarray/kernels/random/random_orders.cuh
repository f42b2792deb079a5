// Orders as NumPy makes them: one thread draws, since each integer's interval depends on how many there
// were before it. And places of a random order that are computed each by itself.
#pragma once

#include "gpuarray/random_fill.cuh"
#include "gpuarray/random_order.cuh"

namespace gpuarray {

// One integer up to `greatest`: of as many bits as that has, drawn until they are not more.
struct Masked {
    template <class S> GPUARRAY_DEVICE static uint32_t draw(S& stream, uint32_t greatest) {
        const uint32_t mask = 0xffffffffu >> __clz(greatest);
        uint32_t value;
        do value = stream.next32() & mask;
        while (value > greatest);
        return value;
    }
};
struct Multiplied {
    template <class S> GPUARRAY_DEVICE static uint32_t draw(S& stream, uint32_t greatest) {
        return uint32_t(one_bounded(stream, greatest));
    }
};

// Fisher and Yates's shuffle, from the last element down to number `first`. NumPy's methods that shuffle and its method
// that chooses draw integers differently.
template <class Draw, class S>
GPUARRAY_DEVICE void shuffle(S& stream, int64_t* numbers, uint32_t first, uint32_t count) {
#pragma unroll 1
    for (uint32_t i = count; i-- > first;) {
        const uint32_t k = Draw::draw(stream, i);
        const int64_t other = numbers[k];
        numbers[k] = numbers[i];
        numbers[i] = other;
    }
}

// `rows` random orders of the integers below `count`, one after another; the integers below `first` stay where they are
// unless others are put there.
template <class Engine, class Draw, int BLOCK>
GPUARRAY_DEVICE void make_orders(const uint64_t* state, uint64_t* next, int64_t* output, uint64_t rows, uint32_t count,
                                 uint32_t first) {
    for (uint64_t i = threadIdx.x; i < rows * count; i += BLOCK) output[i] = i % count;
    __syncthreads();
    if (threadIdx.x != 0) return;
    Stream<Engine> stream(state, next);
#pragma unroll 1
    for (uint64_t row = 0; row < rows; ++row) shuffle<Draw>(stream, output + row * count, first, count);
    stream.save(next);
}

// The first `count` places of a random order of the integers below `population`, whose key is two words of the stream.
template <int BLOCK>
GPUARRAY_DEVICE void sample(const uint64_t* words, int64_t* output, uint64_t population, uint64_t count) {
    const RandomOrder order(words[0], words[1], population);
    const uint64_t step = uint64_t(gridDim.x) * BLOCK;
    for (uint64_t i = uint64_t(blockIdx.x) * BLOCK + threadIdx.x; i < count; i += step) output[i] = int64_t(order.at(i));
}

// Integers in an interval for each element. Those of 8 and 16 bits share the bits of one half.
template <class R, int WIDTH> struct BoundedEach {
    typedef R Result;
    const uint64_t *low, *greatest;
    Bounded<R, 32, WIDTH> narrow;
    uint64_t index = 0;

    GPUARRAY_DEVICE BoundedEach(const uint64_t* low, const uint64_t* greatest)
        : low(low), greatest(greatest), narrow(0, 0, 0) {}
    template <class S> GPUARRAY_DEVICE R next(S& stream) {
        const uint64_t from = low[index], most = greatest[index];
        ++index;
        if (most == 0) return R(from);
        narrow.low = from;
        narrow.range = most + 1 & (2ull << (WIDTH - 1)) - 1;
        narrow.threshold = narrow.range ? Lemire<WIDTH>::threshold(narrow.range) : 0;
        return narrow.next(stream);
    }
};
template <class R> struct BoundedEach<R, 64> {
    typedef R Result;
    const uint64_t *low, *greatest;
    uint64_t index = 0;

    GPUARRAY_DEVICE BoundedEach(const uint64_t* low, const uint64_t* greatest) : low(low), greatest(greatest) {}
    template <class S> GPUARRAY_DEVICE R next(S& stream) {
        const uint64_t i = index++;
        return R(low[i] + one_bounded(stream, greatest[i]));
    }
};

}  // namespace gpuarray
