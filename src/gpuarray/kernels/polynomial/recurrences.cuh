// The bases of series, by their recurrences: all that evaluation, products, derivatives and integrals need.
//
//     P[0] = 1,  P[k + 1] = (a(k) * x + b(k)) * P[k] - c(k) * P[k - 1]
//     x * P[k] = up(k) * P[k + 1] + mid(k) * P[k] + down(k) * P[k - 1]
//
// The derivative's coefficient k is outer(k) times the sum of inner(j) * coefficient j over j = k + 1, k + 1 + STEP and
// so on, or over j = k + 1 alone where STEP is 0. integral(k, ...) is a coefficient of the integral.
//
// R is the type of real factors, Number a coefficient's.
#pragma once

#include "gpuarray/complex.cuh"
#include "gpuarray/float16.cuh"

namespace gpuarray {

// The real type that belongs to a coefficient's.
template <class Number> struct RealOf { typedef Number type; };
template <class V> struct RealOf<complex<V>> { typedef V type; };

template <class Number, class R> GPUARRAY_DEVICE Number over(Number x, R divisor) { return Number(x / divisor); }
template <class V> GPUARRAY_DEVICE complex<V> over(complex<V> x, V divisor) {
    return complex<V>(x.real / divisor, x.imag / divisor);
}
template <class Number> GPUARRAY_DEVICE Number quotient(Number a, Number b) { return a / b; }
template <class V> GPUARRAY_DEVICE complex<V> quotient(complex<V> a, complex<V> b) { return divide(a, b); }

template <class R> struct PowerBasis {
    enum { SHIFTED = false, THREE_TERMS = false, STEP = 0 };
    GPUARRAY_DEVICE static R a(R) { return R(1); }
    GPUARRAY_DEVICE static R b(R) { return R(0); }
    GPUARRAY_DEVICE static R c(R) { return R(0); }
    GPUARRAY_DEVICE static R up(R) { return R(1); }
    GPUARRAY_DEVICE static R mid(R) { return R(0); }
    GPUARRAY_DEVICE static R down(R) { return R(0); }
    GPUARRAY_DEVICE static R inner(R) { return R(1); }
    GPUARRAY_DEVICE static R outer(R k) { return k + 1; }
    template <class Number> GPUARRAY_DEVICE static Number integral(R k, Number before, Number, Number) {
        return over(before, k);
    }
};

template <class R> struct ChebyshevBasis {
    enum { SHIFTED = false, THREE_TERMS = true, STEP = 2 };
    GPUARRAY_DEVICE static R a(R k) { return k == 0 ? R(1) : R(2); }
    GPUARRAY_DEVICE static R b(R) { return R(0); }
    GPUARRAY_DEVICE static R c(R) { return R(1); }
    GPUARRAY_DEVICE static R up(R k) { return k == 0 ? R(1) : R(0.5); }
    GPUARRAY_DEVICE static R mid(R) { return R(0); }
    GPUARRAY_DEVICE static R down(R) { return R(0.5); }
    GPUARRAY_DEVICE static R inner(R k) { return k; }
    GPUARRAY_DEVICE static R outer(R k) { return k == 0 ? R(1) : R(2); }
    template <class Number> GPUARRAY_DEVICE static Number integral(R k, Number before, Number, Number behind) {
        return (k == 1 ? before : over(before, 2 * k)) - over(behind, 2 * k);
    }
};

template <class R> struct LegendreBasis {
    enum { SHIFTED = false, THREE_TERMS = true, STEP = 2 };
    GPUARRAY_DEVICE static R a(R k) { return (2 * k + 1) / (k + 1); }
    GPUARRAY_DEVICE static R b(R) { return R(0); }
    GPUARRAY_DEVICE static R c(R k) { return k / (k + 1); }
    GPUARRAY_DEVICE static R up(R k) { return (k + 1) / (2 * k + 1); }
    GPUARRAY_DEVICE static R mid(R) { return R(0); }
    GPUARRAY_DEVICE static R down(R k) { return k / (2 * k + 1); }
    GPUARRAY_DEVICE static R inner(R) { return R(1); }
    GPUARRAY_DEVICE static R outer(R k) { return 2 * k + 1; }
    template <class Number> GPUARRAY_DEVICE static Number integral(R k, Number before, Number, Number behind) {
        return over(before, 2 * k - 1) - over(behind, 2 * k + 3);
    }
};

template <class R> struct HermiteBasis {
    enum { SHIFTED = false, THREE_TERMS = true, STEP = 0 };
    GPUARRAY_DEVICE static R a(R) { return R(2); }
    GPUARRAY_DEVICE static R b(R) { return R(0); }
    GPUARRAY_DEVICE static R c(R k) { return 2 * k; }
    GPUARRAY_DEVICE static R up(R) { return R(0.5); }
    GPUARRAY_DEVICE static R mid(R) { return R(0); }
    GPUARRAY_DEVICE static R down(R k) { return k; }
    GPUARRAY_DEVICE static R inner(R) { return R(1); }
    GPUARRAY_DEVICE static R outer(R k) { return 2 * (k + 1); }
    template <class Number> GPUARRAY_DEVICE static Number integral(R k, Number before, Number, Number) {
        return over(before, 2 * k);
    }
};

template <class R> struct HermiteEBasis {
    enum { SHIFTED = false, THREE_TERMS = true, STEP = 0 };
    GPUARRAY_DEVICE static R a(R) { return R(1); }
    GPUARRAY_DEVICE static R b(R) { return R(0); }
    GPUARRAY_DEVICE static R c(R k) { return k; }
    GPUARRAY_DEVICE static R up(R) { return R(1); }
    GPUARRAY_DEVICE static R mid(R) { return R(0); }
    GPUARRAY_DEVICE static R down(R k) { return k; }
    GPUARRAY_DEVICE static R inner(R) { return R(1); }
    GPUARRAY_DEVICE static R outer(R k) { return k + 1; }
    template <class Number> GPUARRAY_DEVICE static Number integral(R k, Number before, Number, Number) {
        return over(before, k);
    }
};

template <class R> struct LaguerreBasis {
    enum { SHIFTED = true, THREE_TERMS = true, STEP = 1 };
    GPUARRAY_DEVICE static R a(R k) { return R(-1) / (k + 1); }
    GPUARRAY_DEVICE static R b(R k) { return (2 * k + 1) / (k + 1); }
    GPUARRAY_DEVICE static R c(R k) { return k / (k + 1); }
    GPUARRAY_DEVICE static R up(R k) { return -(k + 1); }
    GPUARRAY_DEVICE static R mid(R k) { return 2 * k + 1; }
    GPUARRAY_DEVICE static R down(R k) { return -k; }
    GPUARRAY_DEVICE static R inner(R) { return R(1); }
    GPUARRAY_DEVICE static R outer(R) { return R(-1); }
    template <class Number> GPUARRAY_DEVICE static Number integral(R, Number before, Number here, Number) {
        return here - before;
    }
};

// The step of Clenshaw's method and of the recurrence: (a * x + b) * first - c * second + coefficient.
template <class Basis, class R, class Number>
GPUARRAY_DEVICE Number next_term(Number coefficient, Number x, Number first, Number second, R a, R b, R c) {
    Number result = coefficient;
    if constexpr (Basis::THREE_TERMS) result = result - second * c;
    if constexpr (Basis::SHIFTED) return result + first * (x * a + Number(b));
    Number product = first * x;
    if constexpr (Basis::THREE_TERMS) product = product * a;
    return result + product;
}

}  // namespace gpuarray
