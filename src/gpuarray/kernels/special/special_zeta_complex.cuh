// Riemann's and Hurwitz's zeta functions of complex numbers: Euler's and Maclaurin's formula (DLMF 25.11.5), Riemann's
// and Siegel's far from the real axis, and reflection (25.4.1) left of the imaginary axis.
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
    // Too many terms, which fall too slowly; or their phases have no digits.
    if (enough > 1e6 && (s.real < 4 || ::fabs(s.imag) > 1e15)) return cplx(not_a_number(), not_a_number());
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

// exp(i x), where x may have many turns.
GPUARRAY_CALLED cplx unit_of(dd x) {
    const double turns = ::rint(x.hi * 0.15915494309189535);
    const dd angle = x - product(turns, 6.283185307179586) - turns * 2.4492935982947064e-16;
    double sine, cosine;
    ::sincos(angle.hi, &sine, &cosine);
    return cplx(::fma(-sine, angle.lo, cosine), ::fma(cosine, angle.lo, sine));
}

// What zeta(s) / zeta(1 - s) is (DLMF 25.4.1) above the real axis, where the sine is one exponential: Im s >= 13. Or
// that without twice the sine, for Re s <= -12. The gamma function by Stirling's formula; two doubles where the
// parameter magnifies errors.
struct ZetaFactor {
    dd log_size;
    cplx phase;
};
GPUARRAY_CALLED ZetaFactor zeta_factor(cplx s, bool with_sine) {
    const double c[] = {0.08333333333333333,   -0.002777777777777778,  0.0007936507936507937,
                        -0.0005952380952380953, 0.0008417508417508417, -0.0019175269175269176};
    const double t = s.imag;
    const dd right = sum(1, -s.real), less = sum(0.5, -s.real);
    // The angle from the imaginary axis, of which the sine adds a quarter of a turn, or from the real one.
    dd angle(-::atan(t / right.hi));
    if (with_sine) {
        angle = right.hi > t ? dd(1.5707963267948966, 6.123233995736766e-17) + angle : dd(::atan(right.hi / t));
    }
    const dd log = log_dd(right * right + product(t, t)) * 0.5 - dd(1.8378770664093456, -7.756588316134483e-17);
    const cplx inverse = reciprocal(cplx(right.hi, -t)), square = inverse * inverse;
    cplx tail(c[5], 0);
#pragma unroll
    for (int i = 4; i >= 0; --i) tail = tail * square + cplx(c[i], 0);
    tail = tail * inverse;
    const dd turn = less * angle - log * t + t + ((with_sine ? 0.7853981633974483 : 0.0) + tail.imag);
    return ZetaFactor{less * log + (angle * t - right) + tail.real, unit_of(turn)};
}

// zeta(s) as R(s) + factor * conj(R(1 - conj(s))) with Siegel's R (DLMF 25.10), for 0 <= Re s and t = Im s >= 200. R is
// the sum of n^-s up to N <= sqrt(t / (2 pi)) and an integral over the line through N + 1/2 in the direction of 1 + i,
// where the trapezoidal rule has all digits: W. F. Galway, "Computing the Riemann zeta function by numerical
// quadrature" (2001), Contemporary Mathematics 290.
GPUARRAY_CALLED cplx zeta_siegel(cplx s) {
    const double t = s.imag, last = ::floor(::sqrt(t * 0.15915494309189535));
    // The sums for s and for 1 - conj(s), whose terms have the same phases.
    dd real(0.0), imag(0.0), other_real(0.0), other_imag(0.0);
#pragma unroll 1
    for (double n = 1; n <= last; n += 1) {
        const dd log = log_dd(dd(n));
        const cplx phase = unit_of(log * -t);
        const double size = exp_dd(log * -s.real), other = exp_dd(log * (s.real - 1));
        real = real + size * phase.real;
        imag = imag + size * phase.imag;
        if (n * size < 1e-18 * (s.real - 1)) return cplx(rounded(real), rounded(imag));
        other_real = other_real + other * phase.real;
        other_imag = other_imag + other * phase.imag;
    }
    // The integrand relative to its value in the middle: w = u (1 + i) / sqrt(2) / middle.
    const double middle = last + 0.5, step = 0.06, square = middle * middle;
    const double slope = rounded(product(square, 6.283185307179586) - t + square * 2.4492935982947064e-16);
    cplx total(0, 0), other_total(0, 0);
#pragma unroll 1
    for (int k = -47; k <= 47; ++k) {
        const double u = k * step, part = u * 0.7071067811865476, c = part * 3.141592653589793;
        const cplx w(part / middle, part / middle);
        // log(1 + w), and that less w - w^2 / 2: |w| < 0.5
        const double log_size = 0.5 * ::log1p(2 * w.real * (1 + w.real)), angle = ::atan2(w.imag, 1 + w.real);
        const cplx rest(log_size - w.real, angle - w.imag + w.real * w.real);
        const double fall = -u * u * (3.141592653589793 + t / (2 * square)) - w.real * slope + t * rest.imag;
        const double turn = w.real * slope - t * rest.real;
        double sine, cosine;
        ::sincos(c, &sine, &cosine);
        const cplx below(cosine * ::cosh(c), -sine * ::sinh(c));
        ::sincos(turn - s.real * angle, &sine, &cosine);
        const double size = ::exp(fall - s.real * log_size);
        total = total + divide(cplx(size * cosine, size * sine), below);
        ::sincos(turn + (s.real - 1) * angle, &sine, &cosine);
        const double other_size = ::exp(fall + (s.real - 1) * log_size);
        other_total = other_total + divide(cplx(other_size * cosine, other_size * sine), below);
    }
    const dd log = log_dd(dd(middle));
    const double sign = ::fmod(last, 2.0) == 0 ? -0.5 : 0.5;
    const cplx phase = scaled(unit_of(log * -t), sign * step);
    total = scaled(phase, exp_dd(log * -s.real)) * total;
    other_total = scaled(phase, exp_dd(log * (s.real - 1))) * other_total;
    const ZetaFactor factor = zeta_factor(s, true);
    const cplx other(rounded(other_real + other_total.real), -rounded(other_imag + other_total.imag));
    const cplx reflected = scaled(factor.phase * other, exp_dd(factor.log_size));
    return cplx(rounded(real + total.real + reflected.real), rounded(imag + total.imag + reflected.imag));
}

// Where the sum is shorter than Euler's and Maclaurin's. Beyond 1e12 it is too long, and the phases have few digits.
GPUARRAY_DEVICE bool far_from_axis(cplx s) { return s.imag >= 200 && s.imag <= 1e12; }

// In the upper half plane: for Re s >= 0, and anywhere.
GPUARRAY_CALLED cplx zeta_upper_right(cplx s) {
    return far_from_axis(s) && s.real < 400 ? zeta_siegel(s) : zeta_sum(s, 1);
}
GPUARRAY_CALLED cplx zeta_upper(cplx s) {
    if (s.real >= 0) return zeta_upper_right(s);
    const cplx other(1 - s.real, -s.imag);
    const cplx value = zeta_upper_right(cplx(other.real, s.imag));
    const cplx mirrored(value.real, -value.imag);
    const bool with_sine = s.imag >= 13;
    if (s.imag <= 1e12 && (with_sine || s.real <= -12)) {
        const ZetaFactor factor = zeta_factor(s, with_sine);
        // Finite, so that the product with a part that is zero is a number.
        const double half = factor.log_size.hi < 1400 ? exp_dd(factor.log_size * 0.5) : 1e304;
        const cplx rest = with_sine ? mirrored : scaled(sinpi(scaled(s, 0.5)), 2) * mirrored;
        return scaled(scaled(factor.phase * rest, half), half);
    }
    const cplx exponent = scaled(s, 1.8378770664093456) + loggamma(other) - cplx(1.1447298858494002, 0);
    if (s.imag < 13) return exp(exponent) * sinpi(scaled(s, 0.5)) * mirrored;
    return exp(exponent + log_sinpi(scaled(s, 0.5)) + log(mirrored));
}

GPUARRAY_CALLED cplx riemann_zeta(cplx s) {
    if (s.imag == 0) return cplx(riemann_zeta(s.real), 0);
    if (!isfinite(s.real) || !isfinite(s.imag)) return cplx(not_a_number(), not_a_number());
    if (s.imag > 0) return zeta_upper(s);
    const cplx found = zeta_upper(cplx(s.real, -s.imag));
    return cplx(found.real, -found.imag);
}

GPUARRAY_CALLED cplx hurwitz_zeta(cplx s, double q) {
    if (s.imag == 0) return cplx(hurwitz_zeta(s.real, q), 0);
    const bool usual = isfinite(s.real) && isfinite(s.imag) && q > 0 && q < infinity();
    return usual ? zeta_sum(s, q) : cplx(not_a_number(), not_a_number());
}

}  // namespace special
}  // namespace gpuarray
