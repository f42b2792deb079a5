// Bessel functions of orders 0 and 1 of a real argument.
//
// Near zero: Chebyshev series, with the first zeros of J as factors, and the logarithms of DLMF 10.8.2 and 10.31.2
// taken out of Y and K. Far away: Chebyshev series in 1/x of what DLMF 10.17 and 10.40 expand asymptotically.
#pragma once

#include "gpuarray/special_bessel_single.cuh"
#include "gpuarray/special_bessel_tables.cuh"

namespace gpuarray {
namespace special {

// Clenshaw's recurrence for a series whose first coefficient counts in full; t in [-1, 1].
GPUARRAY_CALLED double chebyshev_series(const double* coefficients, int count, double t) {
    double last = 0, previous = 0;
    for (int k = count - 1; k > 0; --k) {
        const double next = ::fma(2 * t, last, coefficients[k] - previous);
        previous = last;
        last = next;
    }
    return ::fma(t, last, coefficients[0] - previous);
}
template <int N> GPUARRAY_DEVICE double chebyshev(const double (&coefficients)[N], double t) {
    return chebyshev_series(coefficients, N, t);
}

// sqrt(2 / (pi x)) (P cos(x - c) - Q sin(x - c)) with c = (2 order + 1) pi / 4, or its companion with sine and cosine.
template <int Order, bool Second> GPUARRAY_CALLED double bessel_wave(double x) {
    const double inverse = 1 / x, t = 50 * inverse * inverse - 1;
    const double p = Order == 0 ? chebyshev(P0_LARGE, t) : chebyshev(P1_LARGE, t);
    const double q = inverse * (Order == 0 ? chebyshev(Q0_LARGE, t) : chebyshev(Q1_LARGE, t));
    double sine, cosine;
    ::sincos(x, &sine, &cosine);
    // sqrt(2) times sine and cosine of x - c
    const double s = Order == 0 ? sine - cosine : -(sine + cosine);
    const double c = Order == 0 ? sine + cosine : sine - cosine;
    const double wave = Second ? p * s + q * c : p * c - q * s;
    return 0.5641895835477563 * wave / ::sqrt(x);  // 1 / sqrt(pi)
}

GPUARRAY_CALLED double j0(double x) {
    x = ::fabs(x);
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<0, false>(x);
    const double first = (x - 2.404825557695773) + 1.176691651530894e-16;
    const double second = (x - 5.520078110286311) - 8.088597146146722e-17;
    return first * (x + 2.404825557695773) * second * (x + 5.520078110286311) * chebyshev(J0_SMALL, 2 * x * x / 25 - 1);
}
GPUARRAY_CALLED double j1(double x) {
    const double magnitude = ::fabs(x);
    if (magnitude > 5) return isinf(x) ? not_a_number() : ::copysign(1.0, x) * bessel_wave<1, false>(magnitude);
    const double zero = (magnitude - 3.8317059702075125) + 1.5269184090088067e-16;
    return x * zero * (magnitude + 3.8317059702075125) * chebyshev(J1_SMALL, 2 * x * x / 25 - 1);
}
GPUARRAY_CALLED double y0(double x) {
    if (!(x > 0)) return x == 0 ? -infinity() : not_a_number();
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<0, true>(x);
    return chebyshev(Y0_SMALL, 2 * x * x / 25 - 1) + 0.6366197723675814 * ::log(x) * j0(x);
}
GPUARRAY_CALLED double y1(double x) {
    if (!(x > 0)) return x == 0 ? -infinity() : not_a_number();
    if (x > 5) return isinf(x) ? not_a_number() : bessel_wave<1, true>(x);
    return x * chebyshev(Y1_SMALL, 2 * x * x / 25 - 1) + 0.6366197723675814 * (::log(x) * j1(x) - 1 / x);
}

// DLMF 10.25.2: all terms are positive. I_n(x) (2 / x)^n n! for n = 0 and 1.
GPUARRAY_CALLED double series_of_i(int order, double x) {
    const double t = x * x / 4;
    double term = 1, sum = 0;
    for (int k = 1; term > 1e-18 * (1 + sum); ++k) {
        term *= t / (double(k) * (k + order));
        sum += term;
    }
    return 1 + sum;
}
GPUARRAY_CALLED double i0e(double x) {
    x = ::fabs(x);
    return x <= 8 ? ::exp(-x) * series_of_i(0, x) : chebyshev(I0E_LARGE, 16 / x - 1) / ::sqrt(x);
}
GPUARRAY_CALLED double i1e(double x) {
    const double magnitude = ::fabs(x);
    return magnitude <= 8 ? ::exp(-magnitude) * (x / 2) * series_of_i(1, x)
                          : ::copysign(chebyshev(I1E_LARGE, 16 / magnitude - 1) / ::sqrt(magnitude), x);
}
// SciPy has NaN at infinity. exp(x) overflows where the scaled function still brings the product back into the range.
GPUARRAY_DEVICE double unscaled(double x, double scaled) {
    if (isinf(x)) return not_a_number();
    return x > 709 ? ::exp(x / 2) * scaled * ::exp(x / 2) : ::exp(x) * scaled;
}
GPUARRAY_CALLED double i0(double x) {
    x = ::fabs(x);
    return x <= 8 ? series_of_i(0, x) : unscaled(x, chebyshev(I0E_LARGE, 16 / x - 1) / ::sqrt(x));
}
GPUARRAY_CALLED double i1(double x) {
    const double magnitude = ::fabs(x);
    if (magnitude <= 8) return x / 2 * series_of_i(1, x);
    return ::copysign(unscaled(magnitude, chebyshev(I1E_LARGE, 16 / magnitude - 1) / ::sqrt(magnitude)), x);
}

GPUARRAY_CALLED double k0(double x) {
    if (x > 0.5) return ::exp(-x) * chebyshev(K0E_LARGE, 1 / x - 1) / ::sqrt(x);
    if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
    return chebyshev(K0_SMALL, 8 * x * x - 1) - ::log(x / 2) * series_of_i(0, x);
}
GPUARRAY_CALLED double k0e(double x) {
    return x > 0.5 ? chebyshev(K0E_LARGE, 1 / x - 1) / ::sqrt(x) : ::exp(x) * k0(x);
}
GPUARRAY_CALLED double k1(double x) {
    if (x > 0.5) return ::exp(-x) * chebyshev(K1E_LARGE, 1 / x - 1) / ::sqrt(x);
    if (!(x > 0)) return x == 0 ? infinity() : not_a_number();
    return 1 / x + x * chebyshev(K1_SMALL, 8 * x * x - 1) + ::log(x / 2) * (x / 2) * series_of_i(1, x);
}
GPUARRAY_CALLED double k1e(double x) {
    return x > 0.5 ? chebyshev(K1E_LARGE, 1 / x - 1) / ::sqrt(x) : ::exp(x) * k1(x);
}

}  // namespace special
}  // namespace gpuarray
