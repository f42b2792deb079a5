// Kelvin functions: the series of DLMF 10.65 near zero, modified Bessel functions of x e^(i pi / 4) (10.61) far away.
#pragma once

#include "gpuarray/special_bessel.cuh"
#include "gpuarray/special_dd.cuh"

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
GPUARRAY_CALLED Kelvin kelvin(double x) {
    const double size = ::fabs(x), none = not_a_number();
    Kelvin out;
    const bool series_of_k = size <= 2;
    if (!series_of_k) {
        // Of e^(i pi / 4) x: what is left of the phase is in the exponential.
        const double part = 0.7071067811865476 * size;
        const double low = ::fma(0.7071067811865476, size, -part) - 4.833646656726457e-17 * size;
        const Complex eighth = Complex(0.7071067811865476, 0.7071067811865476);
        const Complex z = Complex(part, part), up = exponential(z) * (1.0 + Complex(low, low));
        const Modified<Complex> zero = modified_bessel(0.0, z), one = modified_bessel(1.0, z);
        out.be = zero.i * up;
        out.bep = eighth * one.i * up;
        out.ke = zero.k / up;
        out.kep = -(eighth * one.k / up);
    }
    if (size < 18.5) {
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
