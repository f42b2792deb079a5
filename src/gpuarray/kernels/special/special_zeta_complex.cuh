// Riemann's and Hurwitz's zeta functions of complex numbers: Euler's and Maclaurin's formula (DLMF 25.11.5), and
// reflection (25.4.1) left of the imaginary axis.
#pragma once

#include "gpuarray/special_gamma_complex.cuh"
#include "gpuarray/special_zeta.cuh"

namespace gpuarray {
namespace special {

// a^-s for a > 0. The logarithm has two doubles: s magnifies its error.
GPUARRAY_CALLED cplx inverse_power(dd a, cplx s) {
    const dd log = log_dd(a), angle = log * -s.imag;
    const double size = exp_dd(log * -s.real);
    double sine, cosine;
    ::sincos(angle.hi, &sine, &cosine);
    return cplx(size * ::fma(-sine, angle.lo, cosine), size * ::fma(cosine, angle.lo, sine));
}

// The sum over (n + q)^-s, q > 0.
GPUARRAY_CALLED cplx zeta_sum(cplx s, double q) {
    const double enough = 6.4 + 0.55 * ::hypot(s.real, s.imag);
    // Too many terms, which fall too slowly.
    if (enough > 1e6 && s.real < 4) return cplx(not_a_number(), not_a_number());
    dd real(0.0), imag(0.0), a(q);
#pragma unroll 1
    for (int n = 0;; ++n) {
        a = sum(q, n);
        if (a.hi >= enough) break;
        const cplx term = inverse_power(a, s);
        real = real + term.real;
        imag = imag + term.imag;
        const double left = a.hi * (::fabs(term.real) + ::fabs(term.imag));
        if (left < 1e-18 * (s.real - 1)) return cplx(rounded(real), rounded(imag));
    }
    const double inverse = 1 / a.hi, square = inverse * inverse;
    cplx factor = scaled(s, inverse), rest(0.5, 0);
#pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        rest = rest + scaled(factor, ZETA_SERIES[k]);
        factor = factor * cplx(s.real + (2 * k + 1), s.imag) * scaled(cplx(s.real + (2 * k + 2), s.imag), square);
    }
    rest = inverse_power(a, s) * (rest + divide(cplx(a.hi, 0), cplx(s.real - 1, s.imag)));
    return cplx(rounded(real + rest.real), rounded(imag + rest.imag));
}

// log(sin(pi z)) but for turns, also where the sine overflows.
GPUARRAY_DEVICE cplx log_sinpi(cplx z) {
    if (::fabs(z.imag) < 8) return log(sinpi(z));
    const double pi = 3.141592653589793;
    const cplx found(pi * ::fabs(z.imag) - 0.6931471805599453, pi * (0.5 - z.real));
    return cplx(found.real, z.imag > 0 ? found.imag : -found.imag);
}

GPUARRAY_CALLED cplx riemann_zeta(cplx s) {
    if (s.imag == 0) return cplx(riemann_zeta(s.real), 0);
    if (!isfinite(s.real) || !isfinite(s.imag)) return cplx(not_a_number(), not_a_number());
    if (s.real >= 0) return zeta_sum(s, 1);
    const cplx other(1 - s.real, -s.imag), sine = log_sinpi(scaled(s, 0.5)), gamma = loggamma(other);
    const cplx exponent = scaled(s, 1.8378770664093456) + gamma + sine;
    return exp(exponent - cplx(1.1447298858494002, 0)) * zeta_sum(other, 1);
}

GPUARRAY_CALLED cplx hurwitz_zeta(cplx s, double q) {
    if (s.imag == 0) return cplx(hurwitz_zeta(s.real, q), 0);
    const bool usual = isfinite(s.real) && isfinite(s.imag) && q > 0 && q < infinity();
    return usual ? zeta_sum(s, q) : cplx(not_a_number(), not_a_number());
}

}  // namespace special
}  // namespace gpuarray
