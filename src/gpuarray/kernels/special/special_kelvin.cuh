// Kelvin functions: the series of DLMF 10.65 near zero, beyond it K of x e^(i pi / 4) (10.61) by the trapezoidal rule
// for the integral 10.32.9, and the expansions 10.40 far away.
#pragma once

#include "gpuarray/special_bessel_modified_real.cuh"
#include "gpuarray/special_numbers.cuh"

namespace gpuarray {
namespace special {

// be is ber + i bei and so on; the derivatives have a p behind their names.
struct Kelvin {
    Complex be, ke, bep, kep;
};
GPUARRAY_DEVICE void add_turned(dd& real, dd& imag, dd term, int turns) {
    if (turns == 0) real = real + term;
    if (turns == 1) imag = imag + term;
    if (turns == 2) real = real - term;
    if (turns == 3) imag = imag - term;
}
// K_v(z) e^z of orders 0 and 1 for z = p (1 + i).
GPUARRAY_CALLED void integrated_kelvin(double p, Complex& zero, Complex& one) {
    dd real0(0.5), imag0(0.0), real1(0.5), imag1(0.0);
#pragma unroll 1
    for (int k = 1; k <= 96; ++k) {
        const double rest = QUADRATURE_NODES[2 * k - 2], angle = p * rest;
        if (angle > 42) break;
        double sine, cosine;
        ::sincos(angle, &sine, &cosine);
        const double size = ::exp(-angle), real = size * cosine, imag = -size * sine;
        real0 = real0 + real;
        imag0 = imag0 + imag;
        real1 = real1 + (1 + rest) * real;
        imag1 = imag1 + (1 + rest) * imag;
    }
    zero = Complex(real0.hi, imag0.hi) * 0.0625;
    one = Complex(real1.hi, imag1.hi) * 0.0625;
}
// The sums of a_k(v) / z^k and of a_k(v) / (-z)^k for z = x e^(i pi / 4), without the first term, which is 1.
GPUARRAY_CALLED void kelvin_sums(double v, double x, Complex& plain, Complex& alternating) {
    const Complex inverse = Complex(0.7071067811865476, -0.7071067811865476) * (1 / (8 * x));
    Complex term(1, 0), even(0, 0), odd(0, 0);
#pragma unroll 1
    for (int k = 1; k < 60; ++k) {
        const double n = 2 * k - 1, factor = (4 * v - n * n) / k, last = magnitude(term);
        term = term * inverse * factor;
        if (magnitude(term) > last) break;
        if (k & 1) odd = odd + term; else even = even + term;
        if (magnitude(term) < 1e-18) break;
    }
    plain = even + odd;
    alternating = even - odd;
}
GPUARRAY_DEVICE Complex scaled_by_power(Complex z, dd exponent) {
    return Complex(times_power(z.real, exponent), times_power(z.imag, exponent));
}

GPUARRAY_CALLED Kelvin kelvin(double x) {
    const double size = ::fabs(x), none = not_a_number();
    Kelvin out;
    const bool series_of_k = size <= 2;
    if (!series_of_k) {
        const dd p = dd(0.7071067811865476, -4.833646656726457e-17) * size;
        double sine, cosine;
        ::sincos(p.hi, &sine, &cosine);
        const Complex up(::fma(-sine, p.lo, cosine), ::fma(cosine, p.lo, sine));  // e^(i p)
        const Complex eighth(0.7071067811865476, 0.7071067811865476), sixteenth(0.9238795325112867, 0.3826834323650898);
        Complex ke, kep;
        if (size < 24) {
            integrated_kelvin(p.hi, ke, kep);
            ke = ke * conjugate(up);
            kep = -(kep * (conjugate(up) * eighth));
        } else {
            Complex plain0, plain1, alternating0, alternating1;
            kelvin_sums(0, size, plain0, alternating0);
            kelvin_sums(1, size, plain1, alternating1);
            // e^(i (p +- pi / 8))
            const Complex ahead = up * sixteenth, behind = up * conjugate(sixteenth);
            const double base = ::sqrt(0.15915494309189535 / size), base_k = ::sqrt(1.5707963267948966 / size);
            ke = conjugate(ahead) + conjugate(ahead) * plain0;
            kep = -(conjugate(behind) + conjugate(behind) * plain1);
            Complex be = behind + behind * alternating0, bep = ahead + ahead * alternating1;
            if (p.hi < 20) {
                // the other exponential of DLMF 10.40.5
                const double decay = ::exp(-2 * p.hi);
                be = be + gpuarray::turn(ke) * decay;
                bep = bep + gpuarray::turn(kep) * decay;
            }
            out.be = scaled_by_power(be * base, p);
            out.bep = scaled_by_power(bep * base, p);
            ke = ke * base_k;
            kep = kep * base_k;
        }
        out.ke = scaled_by_power(ke, -p);
        out.kep = scaled_by_power(kep, -p);
    }
    if (size < 24) {
        const dd square = product(size, size) * 0.25;
        dd term(1.0), real(0.0), imag(0.0), realp(0.0), imagp(0.0);
        dd harmonic(-0.5772156649015329, 4.942915152430645e-18);  // digamma(k + 1)
        dd other(0.0), otheri(0.0), otherp(0.0), otherip(0.0);
        for (int k = 0; k < 100; ++k) {
            if (k > 0) {
                term = term * square / dd(double(k) * k);
                harmonic = harmonic + dd(1.0) / dd(k);
            }
            const int turns = k & 3;
            const dd slope = term * (2.0 * k);
            add_turned(real, imag, term, turns);
            add_turned(realp, imagp, slope, turns);
            if (series_of_k) {
                add_turned(other, otheri, term * harmonic, turns);
                add_turned(otherp, otherip, slope * harmonic, turns);
            }
            if (k > 4 && term.hi * (1 + 2 * k) < 1e-34) break;
        }
        out.be = Complex(rounded(real), rounded(imag));
        // the slopes are x times the derivatives
        out.bep = size == 0 ? Complex(0, 0) : Complex(rounded(realp) / size, rounded(imagp) / size);
        if (series_of_k) {
            const dd log_half = size > 0 ? log_dd(dd(size / 2)) : dd(0.0);
            const dd quarter = dd(0.7853981633974483, 3.061616997868383e-17);  // pi / 4
            out.ke = Complex(rounded(other - log_half * real + quarter * imag),
                             rounded(otheri - log_half * imag - quarter * real));
            out.kep = Complex(rounded(otherp - log_half * realp - real + quarter * imagp) / size,
                              rounded(otherip - log_half * imagp - imag - quarter * realp) / size);
            if (size < 1e-100) {  // where squares have no digits
                out.bep.imag = size / 2;
                out.kep.imag = size / 2 * (-0.07721566490153287 - log_half.hi);  // 1/2 less Euler's constant
            }
            if (size == 0) {
                out.ke = Complex(infinity(), -0.7853981633974483);
                out.kep = Complex(-infinity(), 0);
            }
        }
    }
    if (x < 0) {
        out.bep = -out.bep;
        out.ke = out.kep = Complex(none, none);
    }
    return out;
}

}  // namespace special
}  // namespace gpuarray
