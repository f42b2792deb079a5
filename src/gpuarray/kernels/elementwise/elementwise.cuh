// The element-wise family: one function of one element, applied to whole arrays. What its variants share.
//
// A generated kernel names a variant (how elements are found), a function object (what is computed) and one slot
// per operand. A slot owns the operand's pointer and the registers that hold this thread's elements of it. Every
// variant does the same three steps: load all inputs, compute, store all outputs. A thread loads the elements that
// it owns before it stores them, so an output may be exactly the memory of an input; for the same reason nothing
// here is __restrict__ or loaded through the read-only cache.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// How many threads a multiprocessor has room for: CUDA C++ Programming Guide, technical specifications.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
enum { MULTIPROCESSOR_THREADS = 1024 };
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ / 10 > 80 && __CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1100)
enum { MULTIPROCESSOR_THREADS = 1536 };
#else
enum { MULTIPROCESSOR_THREADS = 2048 };
#endif

// `index` is never negative: unsigned division is cheaper, and first + tile may pass 2^31 before it is compared.
template <class Index> struct Unsigned { typedef uint32_t type; };
template <> struct Unsigned<int64_t> { typedef uint64_t type; };

template <int BYTES> struct Word { typedef uint4 type; };
template <> struct Word<1> { typedef uint8_t type; };
template <> struct Word<2> { typedef uint16_t type; };
template <> struct Word<4> { typedef uint32_t type; };
template <> struct Word<8> { typedef uint2 type; };

// The type of an access to elements of T. Of words of 8 bytes it has two of them and not four of 4: through their
// halves the compiler may lose the vector, and store 8, 4 and 4 bytes instead.
template <class T, int BYTES> struct AccessOf : Word<BYTES> {};
template <> struct AccessOf<int64_t, 16> { typedef ulonglong2 type; };
template <> struct AccessOf<uint64_t, 16> { typedef ulonglong2 type; };
template <> struct AccessOf<double, 16> { typedef ulonglong2 type; };

// COUNT elements of T in as few accesses as the 16-byte limit allows.
template <class T, int COUNT> struct Vector {
    enum { BYTES = COUNT * sizeof(T), ACCESS = BYTES < 16 ? BYTES : 16 };
    typedef typename AccessOf<T, ACCESS>::type Access;

    GPUARRAY_DEVICE static void copy(T* target, const T* source) {
#pragma unroll
        for (int i = 0; i < BYTES / ACCESS; ++i) {
            reinterpret_cast<Access*>(target)[i] = reinterpret_cast<const Access*>(source)[i];
        }
    }
    GPUARRAY_DEVICE static bool aligned(const T* pointer) {
        return (reinterpret_cast<uint64_t>(pointer) & (ACCESS - 1)) == 0;
    }
};

// A number that the compiler does not look into. It may see one sum in the address of a vector's first word and
// another one in the others', and then stores the words one by one.
template <class Index> GPUARRAY_DEVICE Index opaque(Index value) {
    if constexpr (sizeof(Index) == 4) {
        asm("" : "+r"(value));
    } else {
        asm("" : "+l"(value));
    }
    return value;
}

// The BYTES bytes that begin `excess` bytes into the two words; GRAIN divides excess.
template <int BYTES, int GRAIN, class Access>
GPUARRAY_DEVICE Access join(const Access& low, const Access& high, uint32_t excess) {
    if constexpr (BYTES >= 4) {
        enum { COUNT = BYTES / 4 };
        alignas(16) uint32_t words[2 * COUNT];
        *reinterpret_cast<Access*>(words) = low;
        *reinterpret_cast<Access*>(words + COUNT) = high;
        if constexpr (BYTES > 8 && GRAIN <= 8) {
#pragma unroll
            for (int i = 0; i + 2 < 2 * COUNT; ++i) words[i] = excess & 8 ? words[i + 2] : words[i];
        }
        if constexpr (BYTES > 4 && GRAIN <= 4) {
#pragma unroll
            for (int i = 0; i + 1 < 2 * COUNT; ++i) words[i] = excess & 4 ? words[i + 1] : words[i];
        }
        if constexpr (GRAIN < 4) {
#pragma unroll
            for (int i = 0; i < COUNT; ++i) words[i] = __funnelshift_r(words[i], words[i + 1], (excess & 3) * 8);
        }
        return *reinterpret_cast<const Access*>(words);
    } else {
        return Access((low | uint32_t(high) << (8 * BYTES)) >> (8 * excess));
    }
}

// The collapsed dimensions of all operands, last one fastest, and how an index is divided into coordinates:
// `counts` are the divisors, and division by one of them is a multiplication by a fraction that the host worked
// out (elementwise/variants.py). It holds for indices below half the range of the unsigned type.
template <class Index, int NDIM, int OPERANDS> struct Dimensions {
    typedef typename Unsigned<Index>::type UIndex;

    Index shape[NDIM];
    Index counts[NDIM];
    Index multipliers[NDIM];
    Index shifts[NDIM];
    Index strides[OPERANDS][NDIM];  // in elements

    GPUARRAY_DEVICE static uint32_t high(uint32_t a, uint32_t b) { return __umulhi(a, b); }
    GPUARRAY_DEVICE static uint64_t high(uint64_t a, uint64_t b) { return __umul64hi(a, b); }

    GPUARRAY_DEVICE UIndex divide(UIndex index, int axis) const {
        const UIndex multiplier = multipliers[axis];
        // There is no such fraction for 1.
        return multiplier ? high(index, multiplier) >> int(shifts[axis]) : index;
    }

    GPUARRAY_DEVICE void split(UIndex rest, UIndex (&coordinates)[NDIM]) const {
#pragma unroll
        for (int axis = NDIM - 1; axis > 0; --axis) {
            const UIndex quotient = divide(rest, axis);
            coordinates[axis] = rest - quotient * UIndex(counts[axis]);
            rest = quotient;
        }
        coordinates[0] = rest;
    }
};

// A by-value operand, or one element that every index reads: loaded before anything else. It answers to
// everything that the variants ask of a slot.
template <class T> struct Single {
    enum { MASKS = true };  // as a mask
    T value;

    GPUARRAY_DEVICE explicit Single(T value) : value(value) {}
    GPUARRAY_DEVICE T operator[](int) const { return value; }
    template <class Where> GPUARRAY_DEVICE uint32_t misaligned(int, const Where&) const { return 0; }
    template <class... Where> GPUARRAY_DEVICE void take(int, const Where&...) {}
    template <class... Where> GPUARRAY_DEVICE void put(int, const Where&...) const {}
    template <class Coordinates> GPUARRAY_DEVICE void locate(int, const Coordinates&) {}
    template <class... Where> GPUARRAY_DEVICE void load(int, const Where&...) {}
    template <class Where> GPUARRAY_DEVICE bool ready(const Where&) const { return true; }
    GPUARRAY_DEVICE void settle(int) {}
    template <class... Where> GPUARRAY_DEVICE void store(int, const Where&...) const {}
    template <class Tile> GPUARRAY_DEVICE void fill(const Tile&) const {}
};

template <class T> GPUARRAY_DEVICE Single<T> broadcast(const typename Stored<T>::type* pointer) {
    return Single<T>(T(*pointer));
}

// The mask slot of a kernel without `where=`; it costs nothing.
struct Unmasked : Single<bool> {
    enum { MASKS = false };
    GPUARRAY_DEVICE Unmasked() : Single<bool>(true) {}
};

}  // namespace gpuarray
