// Count, mean and sum of squared deviations: what a variance is computed from, in one pass over the elements.
//
// A thread takes elements in batches. Of a batch, which is in registers, the mean comes first and then the squared
// deviations from it, in two passes; batches and threads are merged by the formula of Chan, Golub and LeVeque
// ("Updating formulae and a pairwise algorithm for computing sample variances", 1979). Nothing is subtracted that is
// large beside the result, as it is in sums of squares.
//
// Means are kept as distances from a pivot, the first element that a thread has met: far from zero, a mean has no
// digits left for where between the elements it lies, and its error would get into every merge.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class T, class Real, class Index> struct Moments {
    T pivot, mean;  // the mean is pivot + mean
    Real squares;
    Index count;
};

// An element that may not take part.
template <class T> struct Sample {
    T value;
    bool there;
};

namespace moments {

GPUARRAY_DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GPUARRAY_DEVICE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
GPUARRAY_DEVICE float ratio(float a, float b) { return __fdividef(a, b); }
GPUARRAY_DEVICE double ratio(double a, double b) { return a / b; }

// sum + |x|^2
GPUARRAY_DEVICE float square(float x, float sum) { return fused(x, x, sum); }
GPUARRAY_DEVICE double square(double x, double sum) { return fused(x, x, sum); }
template <class Z> GPUARRAY_DEVICE typename Z::value_type square(Z x, typename Z::value_type sum) {
    return fused(x.real, x.real, fused(x.imag, x.imag, sum));
}

// sum + x * by
GPUARRAY_DEVICE float scaled(float x, float by, float sum) { return fused(x, by, sum); }
GPUARRAY_DEVICE double scaled(double x, double by, double sum) { return fused(x, by, sum); }
template <class Z> GPUARRAY_DEVICE Z scaled(Z x, typename Z::value_type by, Z sum) {
    return Z(fused(x.real, by, sum.real), fused(x.imag, by, sum.imag));
}

// `count` elements whose mean is `delta` further, and whose squared deviations from their own mean are `squares`.
template <class T, class Real, class Index>
GPUARRAY_DEVICE void merge(Moments<T, Real, Index>& into, Index count, T delta, Real squares) {
    const Real before = Real(into.count), share = ratio(Real(count), Real(into.count + count));
    into.mean = scaled(delta, share, into.mean);
    into.squares = fused(square(delta, Real(0)), before * share, into.squares + squares);
    into.count += count;
}

template <class T, class Real, class Index>
GPUARRAY_DEVICE Moments<T, Real, Index> combine(Moments<T, Real, Index> a, const Moments<T, Real, Index>& b) {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    merge(a, b.count, (b.pivot - a.pivot) + (b.mean - a.mean), b.squares);
    return a;
}

}  // namespace moments

// What a thread makes of its elements (see Totals). SOME: not all elements take part.
template <class T, class Real, class Index, bool SOME> struct Deviations {
    typedef Sample<T> Item;
    typedef Moments<T, Real, Index> Slot;
    enum { FILLED = 0 };

    Moments<T, Real, Index> state = {T(0), T(0), Real(0), 0};

    GPUARRAY_DEVICE static Item nothing() { return Item{T(0), false}; }
    GPUARRAY_DEVICE const Moments<T, Real, Index>& value() const { return state; }
    GPUARRAY_DEVICE const Moments<T, Real, Index>& slot() const { return state; }

    template <int COUNT> GPUARRAY_DEVICE void add(const Item (&items)[COUNT]) {
        enum { CHAINS = COUNT < 4 ? COUNT : 4 };
        Index count = COUNT;
        if (SOME) {
            count = 0;
#pragma unroll
            for (int i = COUNT - 1; i >= 0; --i) {
                if (state.count == 0 && items[i].there) state.pivot = items[i].value;
                count += items[i].there;
            }
            if (count == 0) return;
        } else if (state.count == 0) {
            state.pivot = items[0].value;
        }
        T differences[COUNT], sums[CHAINS];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            differences[i] = SOME && !items[i].there ? T(0) : items[i].value - state.pivot;
            sums[i % CHAINS] = i < CHAINS ? differences[i] : sums[i % CHAINS] + differences[i];
        }
#pragma unroll
        for (int distance = 1; distance < CHAINS; distance *= 2) {
#pragma unroll
            for (int i = 0; i + distance < CHAINS; i += 2 * distance) sums[i] = sums[i] + sums[i + distance];
        }
        const T mean = moments::scaled(sums[0], SOME ? moments::ratio(Real(1), Real(count)) : Real(1) / COUNT, T(0));
        Real squares[CHAINS] = {};
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const Real sum = moments::square(differences[i] - mean, squares[i % CHAINS]);
            squares[i % CHAINS] = SOME && !items[i].there ? squares[i % CHAINS] : sum;
        }
#pragma unroll
        for (int distance = 1; distance < CHAINS; distance *= 2) {
#pragma unroll
            for (int i = 0; i + distance < CHAINS; i += 2 * distance) squares[i] += squares[i + distance];
        }
        moments::merge(state, count, mean - state.mean, squares[0]);
    }
};

}  // namespace gpuarray
