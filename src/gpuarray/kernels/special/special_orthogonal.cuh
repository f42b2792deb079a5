// Orthogonal polynomials and, for orders that are no integers, the functions that continue them.
//
// Polynomials come from their three-term recurrences (DLMF 18.9). Where a polynomial is not small at an end of its
// interval the recurrence is that of the differences of neighbours, divided by the value at this end: near the end the
// differences are small, and their errors too. Close to zero, where the recurrence cancels, the explicit sum (DLMF 18.5)
// is added from its lowest power. Orders that are no integers go by hypergeometric functions (DLMF 18.5.7 to 18.5.12).
#pragma once

#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_hypergeometric.cuh"
#include "gpuarray/special_hypergeometric_gauss.cuh"
#include "gpuarray/special_legendre.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> complex128;

namespace orthogonal {

// Orders in double that count as integers; beyond them neighbours are no doubles.
GPUARRAY_DEVICE bool is_order(double n) { return n == ::floor(n) && ::fabs(n) < 9e15; }
GPUARRAY_DEVICE double shifted(double x) { return 2.0 * x - 1.0; }
GPUARRAY_DEVICE complex128 shifted(complex128 x) { return complex128(2.0 * x.real - 1.0, 2.0 * x.imag); }
GPUARRAY_DEVICE double below_one(double x) { return x - 1.0; }
GPUARRAY_DEVICE complex128 below_one(complex128 x) { return complex128(x.real - 1.0, x.imag); }
GPUARRAY_DEVICE double half_below_one(double x) { return (1.0 - x) / 2.0; }
GPUARRAY_DEVICE complex128 half_below_one(complex128 x) { return complex128((1.0 - x.real) / 2.0, -x.imag / 2.0); }
GPUARRAY_DEVICE bool near_zero(double x) { return ::fabs(x) < 1e-5; }
GPUARRAY_DEVICE bool near_zero(complex128 x) { return ::fabs(x.real) < 1e-5 && ::fabs(x.imag) < 1e-5; }
GPUARRAY_DEVICE double quotient(double x, double y) { return x / y; }
GPUARRAY_DEVICE complex128 quotient(complex128 x, double y) { return complex128(x.real / y, x.imag / y); }
GPUARRAY_DEVICE bool no_number(double x) { return x != x; }
GPUARRAY_DEVICE bool no_number(complex128 x) { return x.real != x.real || x.imag != x.imag; }

}  // namespace orthogonal

// Real functions that are no polynomials end where their argument is 1.
GPUARRAY_CALLED double gauss(double a, double b, double c, double z) {
    const bool polynomial = (a <= 0.0 && is_integer(a)) || (b <= 0.0 && is_integer(b));
    return z > 1.0 && !polynomial ? infinity() : hyp2f1(a, b, c, z);
}
GPUARRAY_DEVICE complex128 gauss(double a, double b, double c, complex128 z) { return hyp2f1(a, b, c, z); }

// ---- Chebyshev polynomials: Clenshaw's recurrence ---------------------------------------------------------------

template <class X> GPUARRAY_CALLED X eval_chebyt(int64_t n, X x) {
    if (legendre::too_high(n)) return X(not_a_number());
    const X twice = x * 2.0;
    X before(0.0), value(-1.0), next(0.0);
    for (int64_t k = n < 0 ? -n : n; k >= 0; --k) {
        before = value, value = next;
        next = twice * value - before;
    }
    // `next` is U(n) and `before` U(n - 2): T(n) is half their difference.
    return (next - before) * 0.5;
}

template <class X> GPUARRAY_CALLED X eval_chebyu(int64_t n, X x) {
    if (legendre::too_high(n)) return X(not_a_number());
    if (n == -1) return X(0.0);
    const double sign = n < -1 ? -1.0 : 1.0;
    const X twice = x * 2.0;
    X before(0.0), value(-1.0), next(0.0);
    for (int64_t k = n < -1 ? -n - 2 : n; k >= 0; --k) {
        before = value, value = next;
        next = twice * value - before;
    }
    return next * sign;
}

// Degrees that are no integers: DLMF 18.5.1 and 18.5.2, which end at -1.
GPUARRAY_CALLED double eval_chebyt(double n, double x) {
    if (orthogonal::is_order(n)) return eval_chebyt(int64_t(n), x);
    if (x < -1.0) return infinity();
    return x > 1.0 ? ::cosh(n * ::acosh(x)) : ::cos(n * ::acos(x));
}
GPUARRAY_CALLED complex128 eval_chebyt(double n, complex128 x) {
    if (orthogonal::is_order(n)) return eval_chebyt(int64_t(n), x);
    return gpuarray::cos(gpuarray::acos(x) * n);
}
GPUARRAY_CALLED double eval_chebyu(double n, double x) {
    if (orthogonal::is_order(n)) return eval_chebyu(int64_t(n), x);
    if (x <= -1.0) return infinity();
    if (::fabs(x - 1.0) < 1e-5) return (n + 1.0) * gauss(-n, n + 2.0, 1.5, (1.0 - x) / 2.0);
    const double angle = x > 1.0 ? ::acosh(x) : ::acos(x);
    return x > 1.0 ? ::sinh((n + 1.0) * angle) / ::sinh(angle) : ::sin((n + 1.0) * angle) / ::sin(angle);
}
GPUARRAY_CALLED complex128 eval_chebyu(double n, complex128 x) {
    if (orthogonal::is_order(n)) return eval_chebyu(int64_t(n), x);
    const complex128 z = orthogonal::half_below_one(x);
    if (magnitude(z) < 1e-5) return gauss(-n, n + 2.0, 1.5, z) * (n + 1.0);
    const complex128 angle = gpuarray::acos(x);
    return divide(gpuarray::sin(angle * (n + 1.0)), gpuarray::sin(angle));
}

template <class N, class X> GPUARRAY_DEVICE X eval_chebyc(N n, X x) { return eval_chebyt(n, x * 0.5) * 2.0; }
template <class N, class X> GPUARRAY_DEVICE X eval_chebys(N n, X x) { return eval_chebyu(n, x * 0.5); }
template <class N, class X> GPUARRAY_DEVICE X eval_sh_chebyt(N n, X x) { return eval_chebyt(n, orthogonal::shifted(x)); }
template <class N, class X> GPUARRAY_DEVICE X eval_sh_chebyu(N n, X x) { return eval_chebyu(n, orthogonal::shifted(x)); }

// ---- Gegenbauer and Legendre polynomials ------------------------------------------------------------------------

// DLMF 18.5.10 from the lowest power: terms (-1)^l (alpha)_(n - l) / (l! (n - 2l)!) (2x)^(n - 2l), l falling.
template <class X> GPUARRAY_DEVICE X gegenbauer_near_zero(int64_t n, double alpha, X x) {
    const int64_t half = n / 2;
    double first = half % 2 ? -1.0 : 1.0;  // of (alpha)_l / l!
    for (int64_t l = 0; l < half; ++l) first *= (alpha + double(l)) / double(l + 1);
    X term(first);
    if (n % 2) term = x * (2.0 * first * (alpha + double(half)));
    const X square = x * x;
    X sum = term;
    for (int64_t l = half; l > 0; --l) {
        const int64_t power = n - 2 * l;
        term = (square * term) *
               (-4.0 * double(l) * (alpha + double(n - l)) / (double(power + 1) * double(power + 2)));
        const X more = sum + term;
        if (more == sum) break;
        sum = more;
    }
    return sum;
}

// From degrees `low` and `low + 1` to `high`, which is `low` and an integer: DLMF 18.9.1, which holds for all degrees and
// is stable upwards, where a hypergeometric sum of a high degree cancels.
template <class X>
GPUARRAY_CALLED X gegenbauer_climb(double low, double high, double alpha, X x, X before, X value) {
    if (legendre::too_high(high)) return X(not_a_number());
    for (double k = low + 1.0; k < high - 0.5; k += 1.0) {
        const X next = x * value * (2.0 * (k + alpha) / (k + 1.0)) - before * ((k + 2.0 * alpha - 1.0) / (k + 1.0));
        before = value, value = next;
    }
    return value;
}

template <class X> GPUARRAY_CALLED X eval_legendre(int64_t n, X x) {
    if (legendre::too_high(n)) return X(not_a_number());
    if (n < 0) n = -n - 1;
    if (n == 0) return X(1.0);
    if (n == 1) return x;
    if (orthogonal::near_zero(x)) return gegenbauer_near_zero(n, 0.5, x);
    const X end = orthogonal::below_one(x);
    X step = end, value = x;
    for (int64_t i = 1; i < n; ++i) {
        const double k = double(i);
        step = end * ((2.0 * k + 1.0) / (k + 1.0)) * value + step * (k / (k + 1.0));
        value = step + value;
    }
    return value;
}
template <class X> GPUARRAY_CALLED X eval_legendre(double n, X x) {
    if (orthogonal::is_order(n)) return eval_legendre(int64_t(n), x);
    if (n < -0.5) n = -n - 1.0;
    const X z = orthogonal::half_below_one(x);
    if (n < 2.0) return gauss(-n, n + 1.0, 1.0, z);
    const double low = n - ::floor(n);
    const X first = gauss(-low, low + 1.0, 1.0, z), second = gauss(-low - 1.0, low + 2.0, 1.0, z);
    return gegenbauer_climb(low, n, 0.5, x, first, second);
}
template <class N, class X> GPUARRAY_DEVICE X eval_sh_legendre(N n, X x) { return eval_legendre(n, orthogonal::shifted(x)); }

template <class X> GPUARRAY_DEVICE X gegenbauer_continued(double n, double alpha, X x) {
    const double first = special::gamma(n + 2.0 * alpha) * rgamma(1.0 + n) * rgamma(2.0 * alpha);
    return gauss(-n, n + 2.0 * alpha, alpha + 0.5, orthogonal::half_below_one(x)) * first;
}

template <class X> GPUARRAY_CALLED X eval_gegenbauer(int64_t n, double alpha, X x) {
    if (alpha != alpha || orthogonal::no_number(x) || legendre::too_high(n)) return X(not_a_number());
    if (n < 0) return gegenbauer_continued(double(n), alpha, x);
    if (n == 0) return X(1.0);
    if (n == 1) return x * (2.0 * alpha);
    if (alpha == 0.0) return X(0.0);
    if (orthogonal::near_zero(x)) return gegenbauer_near_zero(n, alpha, x);
    const X end = orthogonal::below_one(x);
    X step = end, value = x;
    for (int64_t i = 1; i < n; ++i) {
        const double k = double(i);
        step = end * (2.0 * (k + alpha) / (k + 2.0 * alpha)) * value + step * (k / (k + 2.0 * alpha));
        value = step + value;
    }
    if (::fabs(alpha / double(n)) < 1e-8) return value * (2.0 * alpha / double(n));
    return value * binom(double(n) + 2.0 * alpha - 1.0, double(n));
}
template <class X> GPUARRAY_CALLED X eval_gegenbauer(double n, double alpha, X x) {
    if (orthogonal::is_order(n)) return eval_gegenbauer(int64_t(n), alpha, x);
    if (!(n >= 2.0)) return gegenbauer_continued(n, alpha, x);
    const double low = n - ::floor(n);
    const X first = gegenbauer_continued(low, alpha, x), second = gegenbauer_continued(low + 1.0, alpha, x);
    return gegenbauer_climb(low, n, alpha, x, first, second);
}

// ---- associated Legendre functions of integer order on the interval [-1, 1] ------------------------------------

GPUARRAY_CALLED double lpmv(double m, double v, double x) {
    if (m == 0.0 && (x > 1.0 || (x < -1.0 && orthogonal::is_order(v)))) return eval_legendre(v, x);
    if (!(::fabs(x) <= 1.0) || m != ::floor(m) || v != v) return not_a_number();
    if (::fabs(m) > 1e6) return not_a_number();
    if (v < -0.5) v = -v - 1.0;
    if (orthogonal::is_order(v)) {
        if (m < 0.0 && -m > v) return not_a_number();
        return assoc_legendre_p<false, 0>(int64_t(v), int64_t(m), x, 2);
    }
    // DLMF 14.3.4, and 14.9.3 for negative orders.
    const double order = ::fabs(m), z = (1.0 - x) / 2.0;
    double front = 1.0;  // (v - m + 1)_2m (-1 / 2)^m / m!, which is multiplied in small steps
    const double root = ::sqrt((1.0 - x) * (1.0 + x));
    for (double k = 1.0; k <= order; k += 1.0) {
        const double both = m > 0 ? (v + k) * (v - k + 1.0) : 1.0;
        front *= (m > 0 ? -0.5 : 0.5) * both / k * root;
    }
    if (x == -1.0) return order == 0.0 ? -infinity() : infinity();
    return front * gauss(order - v, order + v + 1.0, order + 1.0, z);
}

// ---- Jacobi polynomials -----------------------------------------------------------------------------------------

template <class X> GPUARRAY_DEVICE X jacobi_continued(double n, double alpha, double beta, X x) {
    return gauss(-n, n + alpha + beta + 1.0, alpha + 1.0, orthogonal::half_below_one(x)) * binom(n + alpha, n);
}

template <class X> GPUARRAY_CALLED X eval_jacobi(int64_t n, double alpha, double beta, X x) {
    if (legendre::too_high(n)) return X(not_a_number());
    if (n < 0) return jacobi_continued(double(n), alpha, beta, x);
    if (n == 0) return X(1.0);
    const X end = orthogonal::below_one(x);
    if (n == 1) return (end * (alpha + beta + 2.0) + X(2.0 * (alpha + 1.0))) * 0.5;
    X step = orthogonal::quotient(end * (alpha + beta + 2.0), 2.0 * (alpha + 1.0));
    X value = step + X(1.0);
    for (int64_t i = 1; i < n; ++i) {
        const double k = double(i), t = 2.0 * k + alpha + beta;
        const double below = 2.0 * (k + alpha + 1.0) * (k + alpha + beta + 1.0) * t;
        step = orthogonal::quotient(
            end * (t * (t + 1.0) * (t + 2.0)) * value + step * (2.0 * k * (k + beta) * (t + 2.0)), below
        );
        value = step + value;
    }
    return value * binom(double(n) + alpha, double(n));
}
template <class X> GPUARRAY_CALLED X eval_jacobi(double n, double alpha, double beta, X x) {
    if (orthogonal::is_order(n)) return eval_jacobi(int64_t(n), alpha, beta, x);
    if (!(n >= 2.0)) return jacobi_continued(n, alpha, beta, x);
    if (legendre::too_high(n)) return X(not_a_number());
    // DLMF 18.9.2.
    const double low = n - ::floor(n), both = alpha + beta;
    X before = jacobi_continued(low, alpha, beta, x), value = jacobi_continued(low + 1.0, alpha, beta, x);
    for (double k = low + 1.0; k < n - 0.5; k += 1.0) {
        const double t = 2.0 * k + both, below = 2.0 * (k + 1.0) * (k + both + 1.0) * t;
        const X inner = x * (t * (t + 1.0) * (t + 2.0)) + X((alpha - beta) * both * (t + 1.0));
        const X outer = before * (2.0 * (k + alpha) * (k + beta) * (t + 2.0));
        const X next = orthogonal::quotient(inner * value - outer, below);
        before = value, value = next;
    }
    return value;
}
// With the leading coefficient 1, on [0, 1] (DLMF 18.1.2).
template <class N, class X> GPUARRAY_DEVICE X eval_sh_jacobi(N n, double p, double q, X x) {
    return orthogonal::quotient(
        eval_jacobi(n, p - q, q - 1.0, orthogonal::shifted(x)), binom(2.0 * double(n) + p - 1.0, double(n))
    );
}

// ---- Laguerre polynomials ---------------------------------------------------------------------------------------

template <class X> GPUARRAY_CALLED X eval_genlaguerre(int64_t n, double alpha, X x) {
    if (!(alpha > -1.0) || orthogonal::no_number(x) || legendre::too_high(n)) return X(not_a_number());
    if (n < 0) return X(0.0);
    if (n == 0) return X(1.0);
    if (n == 1) return X(alpha + 1.0) - x;
    X step = orthogonal::quotient(x * -1.0, alpha + 1.0), value = step + X(1.0);
    for (int64_t i = 1; i < n; ++i) {
        const double k = double(i), below = k + alpha + 1.0;
        step = orthogonal::quotient(x * -1.0, below) * value + step * (k / below);
        value = step + value;
    }
    return value * binom(double(n) + alpha, double(n));
}
template <class X> GPUARRAY_CALLED X eval_genlaguerre(double n, double alpha, X x) {
    if (n >= 0 && orthogonal::is_order(n) && alpha > -1.0) return eval_genlaguerre(int64_t(n), alpha, x);
    if (!(n >= 2.0 && magnitude(x) <= n)) return hyp1f1(-n, alpha + 1.0, x) * binom(n + alpha, n);
    if (legendre::too_high(n)) return X(not_a_number());
    // DLMF 18.9.2 with Table 18.9.1.
    const double low = n - ::floor(n);
    X before = hyp1f1(-low, alpha + 1.0, x) * binom(low + alpha, low);
    X value = hyp1f1(-low - 1.0, alpha + 1.0, x) * binom(low + 1.0 + alpha, low + 1.0);
    for (double k = low + 1.0; k < n - 0.5; k += 1.0) {
        const X next = (X(2.0 * k + alpha + 1.0) - x) * value - before * (k + alpha);
        before = value, value = orthogonal::quotient(next, k + 1.0);
    }
    return value;
}
template <class N, class X> GPUARRAY_DEVICE X eval_laguerre(N n, X x) { return eval_genlaguerre(n, 0.0, x); }

// ---- Hermite polynomials ----------------------------------------------------------------------------------------

GPUARRAY_CALLED double eval_hermitenorm(int64_t n, double x) {
    if (n < 0 || x != x || legendre::too_high(n)) return not_a_number();
    if (n == 0) return 1.0;
    double before = 0.0, value = 1.0;
    for (int64_t k = n; k > 1; --k) {
        const double next = x * value - double(k) * before;
        before = value, value = next;
    }
    return x * value - before;
}
GPUARRAY_DEVICE double eval_hermite(int64_t n, double x) {
    if (n < 0) return not_a_number();
    return eval_hermitenorm(n, 1.4142135623730951 * x) * ::pow(2.0, double(n) / 2.0);
}

}  // namespace special
}  // namespace gpuarray
