// Steps of Krylov methods: each element of some vectors becomes one of some results, and of most steps a dot product of two
// of what there is then is added up, so that nothing is read twice.
//
// A generated kernel names a step: what is made once of the numbers that all elements share, and what becomes of an
// element. Threads own neighbouring elements, blocks every so many of them; what blocks have of the dot product the last
// one adds up in their order. It may store the sum in page-locked memory of the host as well, so that no copy is needed.
#pragma once

#include "gpuarray/complex.cuh"
#include "gpuarray/product_terms.cuh"
#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

template <class V> GPUARRAY_DEVICE V quotient(V a, V b) { return a / b; }
template <class V> GPUARRAY_DEVICE complex<V> quotient(complex<V> a, complex<V> b) { return divide(a, b); }

// PARTS: what blocks have of the dot product, read at a time.
template <class Step, class Terms, int BLOCK, int AHEAD> struct VectorStep {
    typedef typename Step::Value T;
    enum { VECTORS = Step::VECTORS, RESULTS = Step::RESULTS, EACH = sizeof(T) < 16 ? 16 / sizeof(T) : 1, PARTS = 4 };

    struct Total {
        typedef T Value;
        GPUARRAY_DEVICE static T neutral() { return T(); }
        GPUARRAY_DEVICE static T combine(T a, T b) { return a + b; }
    };

    GPUARRAY_DEVICE static void run(T* const (&results)[RESULTS], const T* const (&vectors)[VECTORS], const Step& step,
                                    T* product, T* shown, T* parts, uint32_t* counters, int64_t size) {
        bool aligned = true;
#pragma unroll
        for (int k = 0; k < RESULTS; ++k) aligned = aligned && Vector<T, EACH>::aligned(results[k]);
#pragma unroll
        for (int k = 0; k < VECTORS; ++k) aligned = aligned && Vector<T, EACH>::aligned(vectors[k]);
        T sum = T();
        const int64_t stride = int64_t(gridDim.x) * BLOCK * EACH;
        for (int64_t at = (int64_t(blockIdx.x) * BLOCK + threadIdx.x) * EACH; at < size; at += AHEAD * stride) {
            // Several accesses to each vector are under way at a time.
            alignas(16) T read[AHEAD][VECTORS][EACH];
#pragma unroll
            for (int u = 0; u < AHEAD; ++u) {
                const int64_t from = at + u * stride;
                if (aligned && from + EACH <= size) {
#pragma unroll
                    for (int k = 0; k < VECTORS; ++k) Vector<T, EACH>::copy(read[u][k], vectors[k] + from);
                } else {
#pragma unroll
                    for (int k = 0; k < VECTORS; ++k) {
#pragma unroll
                        for (int i = 0; i < EACH; ++i) read[u][k][i] = from + i < size ? vectors[k][from + i] : T();
                    }
                }
            }
#pragma unroll
            for (int u = 0; u < AHEAD; ++u) {
                const int64_t from = at + u * stride;
                const bool whole = aligned && from + EACH <= size;
                alignas(16) T made[RESULTS][EACH];
#pragma unroll
                for (int i = 0; i < EACH; ++i) {
                    T element[VECTORS], result[RESULTS], left, right;
#pragma unroll
                    for (int k = 0; k < VECTORS; ++k) element[k] = read[u][k][i];
                    step.apply(result, element, left, right);
                    if (Step::HAS_PRODUCT && (whole || from + i < size)) Terms::add(sum, left, right);
#pragma unroll
                    for (int k = 0; k < RESULTS; ++k) made[k][i] = result[k];
                }
#pragma unroll
                for (int k = 0; k < RESULTS; ++k) {
                    if (whole) {
                        Vector<T, EACH>::copy(results[k] + from, made[k]);
                    } else {
#pragma unroll
                        for (int i = 0; i < EACH; ++i) {
                            if (from + i < size) results[k][from + i] = made[k][i];
                        }
                    }
                }
            }
        }
        if constexpr (Step::HAS_PRODUCT) {
            sum = combine_threads<Total, BLOCK, BLOCK>(sum);
            if (threadIdx.x == 0) parts[blockIdx.x] = sum;
            if (!is_last_block(counters, gridDim.x)) return;
            sum = T();
            for (uint32_t first = threadIdx.x; first < gridDim.x; first += PARTS * BLOCK) {
                T read[PARTS];
#pragma unroll
                for (int i = 0; i < PARTS; ++i) read[i] = first + i * BLOCK < gridDim.x ? parts[first + i * BLOCK] : T();
#pragma unroll
                for (int i = 0; i < PARTS; ++i) sum = sum + read[i];
            }
            sum = combine_threads<Total, BLOCK, BLOCK>(sum);
            if (threadIdx.x == 0) {
                *product = sum;
                if (shown != nullptr) *shown = sum;
            }
        }
    }
};

}  // namespace gpuarray
