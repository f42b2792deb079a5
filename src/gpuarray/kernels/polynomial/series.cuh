// Arithmetic of series: vectors of coefficients.
//
// A product is c(X) applied to another series, where X multiplies a series by x: three neighbours of a coefficient give
// one. So products, changes of the basis and products of roots are one kernel: Clenshaw's method, with series instead
// of numbers. It and the quotient run in one block, whose threads share the coefficients: series are short.
#pragma once

#include "gpuarray/series_values.cuh"

namespace gpuarray {

// Coefficient j of x * series, which is zero beyond its length.
template <class Basis, class R, class Number>
GPUARRAY_DEVICE Number times_x(const Number* series, int64_t length, int64_t j) {
    Number sum = Number();
    if (j > 0 && j <= length) sum = series[j - 1] * Basis::up(R(j - 1));
    if constexpr (Basis::SHIFTED) {
        if (j < length) sum = sum + series[j] * Basis::mid(R(j));
    }
    if constexpr (Basis::THREE_TERMS) {
        if (j + 1 < length) sum = sum + series[j + 1] * Basis::down(R(j + 1));
    }
    return sum;
}

template <class Basis, class R, class Number>
GPUARRAY_DEVICE void multiply_by_x(const Number* series, Number* result, int64_t length) {
    for (int64_t j = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; j <= length;
         j += int64_t(gridDim.x) * blockDim.x) {
        result[j] = times_x<Basis, R>(series, length, j);
    }
}

// c(x) * series, or with LINE c(scale * x + offset) * series. Outer is the basis of c, Basis that of the series and of
// the result. One block; `spare` has room for two results.
template <class Outer, class Basis, class R, bool LINE, class Number>
GPUARRAY_DEVICE void compose(const Number* c, const Number* series, Number* result, Number* spare, Number offset,
                             Number scale, int64_t count, int64_t length) {
    const int64_t size = count + length - 1;
    // Three vectors take turns; the last one to be written is the result.
    const auto vector = [&](int64_t turn) { return turn % 3 == 0 ? result : spare + (turn % 3 - 1) * size; };
    for (int64_t j = threadIdx.x; j < size; j += blockDim.x) {
        vector(count - 1)[j] = j < length ? series[j] * c[count - 1] : Number();
        vector(count)[j] = Number();
    }
    for (int64_t k = count - 2; k >= 0; --k) {
        __syncthreads();
        Number* const next = vector(k);
        const Number* const here = vector(k + 1);
        const Number* const before = vector(k + 2);
        const int64_t used = length + count - 2 - k;  // of `here`
        for (int64_t j = threadIdx.x; j < size; j += blockDim.x) {
            Number sum = j < length ? series[j] * c[k] : Number();
            if constexpr (Outer::THREE_TERMS) sum = sum - before[j] * Outer::c(R(k + 1));
            Number product = times_x<Basis, R>(here, used, j);
            if constexpr (LINE) {
                product = product * scale;
                if (j < used) product = product + here[j] * offset;
            }
            if constexpr (Outer::THREE_TERMS) product = product * Outer::a(R(k));
            sum = sum + product;
            if constexpr (Outer::SHIFTED) sum = sum + here[j] * Outer::b(R(k));
            next[j] = sum;
        }
    }
}

// The product of x minus each root. One block; `spare` has room for one result.
template <class Basis, class R, class Number>
GPUARRAY_DEVICE void from_roots(const Number* roots, Number* result, Number* spare, int64_t count) {
    Number* here = count % 2 ? spare : result;
    Number* next = count % 2 ? result : spare;
    if (threadIdx.x == 0) here[0] = Number(R(1));
    for (int64_t k = 0; k < count; ++k) {
        __syncthreads();
        for (int64_t j = threadIdx.x; j <= k + 1; j += blockDim.x) {
            Number product = times_x<Basis, R>(here, k + 1, j);
            if (j <= k) product = product - here[j] * roots[k];
            next[j] = product;
        }
        Number* const last = here;
        here = next;
        next = last;
    }
}

// Quotient and remainder. One block. `rest` has the dividend; what is left of it is the remainder. `products` has room
// for the divisor times each element of the basis up to the quotient's degree, of `count` elements each.
template <class Basis, class R, class Number>
GPUARRAY_DEVICE void divide_series(const Number* dividend, const Number* divisor, Number* quotients, Number* rest,
                                   Number* products, int64_t count, int64_t length) {
    const int64_t degree = count - length;
    for (int64_t j = threadIdx.x; j < count; j += blockDim.x) {
        rest[j] = dividend[j];
        if (j < length) products[j] = divisor[j];
    }
    if constexpr (Basis::THREE_TERMS) {
        for (int64_t k = 0; k < degree; ++k) {
            __syncthreads();
            const Number* const here = products + k * count;
            for (int64_t j = threadIdx.x; j <= length + k; j += blockDim.x) {
                Number sum = times_x<Basis, R>(here, length + k, j) * Basis::a(R(k));
                if (j < length + k) {
                    if constexpr (Basis::SHIFTED) sum = sum + here[j] * Basis::b(R(k));
                }
                if (k > 0 && j < length + k - 1) sum = sum - here[j - count] * Basis::c(R(k));
                products[(k + 1) * count + j] = sum;
            }
        }
    }
    for (int64_t k = degree; k >= 0; --k) {
        __syncthreads();
        const int64_t top = length - 1 + k;
        const int64_t shift = Basis::THREE_TERMS ? 0 : k;
        const Number* const product = products + (Basis::THREE_TERMS ? k * count : 0);
        const Number factor = quotient(rest[top], product[top - shift]);
        for (int64_t j = shift + threadIdx.x; j < top; j += blockDim.x) {
            rest[j] = rest[j] - factor * product[j - shift];
        }
        if (threadIdx.x == 0) quotients[k] = factor;
    }
}

// The derivative of each column of coefficients: row k of the result.
template <class Basis, class R, class Number>
GPUARRAY_DEVICE void differentiate(const Number* series, Number* result, int64_t length, int64_t columns) {
    const int64_t size = (length - 1) * columns;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += int64_t(gridDim.x) * blockDim.x) {
        const int64_t k = i / columns;
        int64_t j = k + 1;
        if constexpr (Basis::STEP > 0) j += (length - 1 - j) / Basis::STEP * Basis::STEP;
        // From the top, where the coefficients are small.
        Number sum = Number();
        for (; j > k; j -= Basis::STEP > 0 ? Basis::STEP : length) {
            sum = sum + series[j * columns + (i - k * columns)] * Basis::inner(R(j));
        }
        result[i] = sum * Basis::outer(R(k));
    }
}

// The integral of each column of coefficients that is `constant` at `bound`. A block computes a column.
template <class Basis, class R, class Number>
GPUARRAY_DEVICE void integrate(const Number* series, Number* result, Number bound, Number constant, int64_t length,
                               int64_t columns) {
    for (int64_t column = blockIdx.x; column < columns; column += gridDim.x) {
        const Number* const from = series + column;
        Number* const to = result + column;
        for (int64_t k = 1 + threadIdx.x; k <= length; k += blockDim.x) {
            const Number here = k < length ? from[k * columns] : Number();
            const Number behind = k + 1 < length ? from[(k + 1) * columns] : Number();
            to[k * columns] = Basis::integral(R(k), from[(k - 1) * columns], here, behind);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            Number here = to[length * columns], before = Number();
            for (int64_t k = length - 1; k >= 0; --k) {
                const Number coefficient = k > 0 ? to[k * columns] : Number();
                const Number value = next_term<Basis>(coefficient, bound, here, before, Basis::a(R(k)),
                                                      Basis::b(R(k)), Basis::c(R(k + 1)));
                before = here;
                here = value;
            }
            to[0] = constant - here;
        }
    }
}

// Whether a coefficient is no zero, or with BOUND whether its magnitude is beyond a bound.
template <bool BOUND> struct Stays {
    template <class T> GPUARRAY_DEVICE static bool of(T x, double bound) {
        if constexpr (!BOUND) return !(x == T(0));
        return ::fabs(double(x)) > bound;
    }
    template <class V> GPUARRAY_DEVICE static bool of(complex<V> x, double bound) {
        if constexpr (!BOUND) return !(x.real == 0 && x.imag == 0);
        return ::hypot(x.real, x.imag) > bound;
    }
};

// For each of two series (the second may have no coefficients) the number that is left without the zeros at its end,
// at least one. With BOUND those go that are not beyond `bound`. One block, which begins at the end: most series have
// no zeros there.
template <bool BOUND, int BLOCK, class First, class Second>
GPUARRAY_DEVICE void trimmed_lengths(const First* first, const Second* second, int64_t* lengths, double bound,
                                     int64_t count, int64_t step, int64_t second_count, int64_t second_step) {
    __shared__ int64_t found[BLOCK];
    for (int which = 0; which < 2; ++which) {
        int64_t length = 1;
        const int64_t all = which ? second_count : count;
        for (int64_t end = all; end > 0; end -= BLOCK) {
            const int64_t j = end - 1 - threadIdx.x;
            bool stays = false;
            if (j >= 0) {
                stays = which ? Stays<BOUND>::of(second[j * second_step], bound)
                              : Stays<BOUND>::of(first[j * step], bound);
            }
            if (stays) length = j + 1;
            if (__syncthreads_or(stays)) break;
        }
        found[threadIdx.x] = length;
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if (threadIdx.x < half && found[threadIdx.x + half] > found[threadIdx.x]) {
                found[threadIdx.x] = found[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) lengths[which] = found[0];
        __syncthreads();
    }
}

}  // namespace gpuarray
