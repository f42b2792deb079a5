// Steps of Krylov methods: each element of some vectors becomes one of some results, and a dot product of two of what
// there is then is added up, so that nothing is read twice.
//
// A generated kernel names a step: what is made once of the numbers that all elements share, and what becomes of an
// element. Threads own neighbouring elements, blocks every so many of them; what blocks have of the dot product the last
// one adds up in their order.
#pragma once

#include "gpuarray/complex.cuh"
#include "gpuarray/product_terms.cuh"
#include "gpuarray/reduction_combine.cuh"

namespace gpuarray {

template <class V> GPUARRAY_DEVICE V quotient(V a, V b) { return a / b; }
template <class V> GPUARRAY_DEVICE complex<V> quotient(complex<V> a, complex<V> b) { return divide(a, b); }

template <class Step, class Terms, int BLOCK> struct VectorStep {
    typedef typename Step::Value T;
    enum { VECTORS = Step::VECTORS, RESULTS = Step::RESULTS, EACH = sizeof(T) < 16 ? 16 / sizeof(T) : 1 };

    struct Total {
        typedef T Value;
        GPUARRAY_DEVICE static T neutral() { return T(); }
        GPUARRAY_DEVICE static T combine(T a, T b) { return a + b; }
    };

    GPUARRAY_DEVICE static void run(T* const (&results)[RESULTS], const T* const (&vectors)[VECTORS], const Step& step,
                                    T* product, T* parts, uint32_t* counters, int64_t size) {
        bool aligned = true;
#pragma unroll
        for (int k = 0; k < RESULTS; ++k) aligned = aligned && Vector<T, EACH>::aligned(results[k]);
#pragma unroll
        for (int k = 0; k < VECTORS; ++k) aligned = aligned && Vector<T, EACH>::aligned(vectors[k]);
        T sum = T();
        const int64_t threads = int64_t(gridDim.x) * BLOCK;
        for (int64_t at = (int64_t(blockIdx.x) * BLOCK + threadIdx.x) * EACH; at < size; at += threads * EACH) {
            const bool whole = aligned && at + EACH <= size;
            alignas(16) T read[VECTORS][EACH], made[RESULTS][EACH];
#pragma unroll
            for (int k = 0; k < VECTORS; ++k) {
                if (whole) {
                    Vector<T, EACH>::copy(read[k], vectors[k] + at);
                } else {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) read[k][i] = at + i < size ? vectors[k][at + i] : T();
                }
            }
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                T element[VECTORS], result[RESULTS], left, right;
#pragma unroll
                for (int k = 0; k < VECTORS; ++k) element[k] = read[k][i];
                step.apply(result, element, left, right);
                if (whole || at + i < size) Terms::add(sum, left, right);
#pragma unroll
                for (int k = 0; k < RESULTS; ++k) made[k][i] = result[k];
            }
#pragma unroll
            for (int k = 0; k < RESULTS; ++k) {
                if (whole) {
                    Vector<T, EACH>::copy(results[k] + at, made[k]);
                } else {
#pragma unroll
                    for (int i = 0; i < EACH; ++i) {
                        if (at + i < size) results[k][at + i] = made[k][i];
                    }
                }
            }
        }
        sum = combine_threads<Total, BLOCK, BLOCK>(sum);
        if (threadIdx.x == 0) parts[blockIdx.x] = sum;
        if (!is_last_block(counters, gridDim.x)) return;
        sum = T();
        for (uint32_t i = threadIdx.x; i < gridDim.x; i += BLOCK) sum = sum + parts[i];
        sum = combine_threads<Total, BLOCK, BLOCK>(sum);
        if (threadIdx.x == 0) *product = sum;
    }
};

}  // namespace gpuarray
