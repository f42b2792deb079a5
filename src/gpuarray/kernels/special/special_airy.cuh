// Airy functions: real ones by Taylor's series about the nearest of some nodes, and by asymptotic expansions (DLMF 9.7);
// complex ones by Maclaurin's series, and by Bessel functions of orders 1/3 and 2/3 (9.6).
#pragma once

#include "gpuarray/special_bessel.cuh"

namespace gpuarray {
namespace special {

// DLMF 9.4.1 to 9.4.4
template <class T> GPUARRAY_CALLED Airy<T> airy_near_zero(T z) {
    const T cube = z * z * z;
    T even = T(1), odd = T(1), f = T(1), g = T(1), fp = T(0), gp = T(1);
    for (int k = 1; k < 30; ++k) {
        const double n = 3.0 * k;
        even = even * cube / (n * (n - 1));
        odd = odd * cube / (n * (n + 1));
        f = f + even;
        g = g + odd;
        fp = fp + n * even;
        gp = gp + (n + 1) * odd;
        if (magnitude(even) < 1e-19) break;
    }
    g = g * z;
    // fp is z times the derivative; it vanishes as z^3
    fp = is_zero(z) ? T(0) : fp / z;
    const double c1 = 0.3550280538878172, c2 = 0.2588194037928068, root3 = 1.7320508075688772;
    return Airy<T>{c1 * f - c2 * g, c1 * fp - c2 * gp, root3 * (c1 * f + c2 * g), root3 * (c1 * fp + c2 * gp)};
}

// Of |x| > 10 by DLMF 9.7(ii). Scaled by e^exponent (Ai) and e^-exponent (Bi) for x > 0.
GPUARRAY_CALLED Airy<double> airy_far(double x, dd& exponent) {
    const double size = ::fabs(x);
    double rest;
    const double zeta = airy_phase(size, rest), inverse = 1 / zeta;
    exponent = dd(zeta, rest);
    // Sums over u_k and v_k of the indices 4 n, 4 n + 1, 4 n + 2 and 4 n + 3, without the first term, which is 1.
    double u0 = 0, u1 = 0, u2 = 0, u3 = 0, v0 = 0, v1 = 0, v2 = 0, v3 = 0, u = 1;
#pragma unroll 1
    for (int k = 1; k < 40; ++k) {
        const double n = 6.0 * k;
        u *= (n - 5) * (n - 3) * (n - 1) / (216.0 * k * (2 * k - 1)) * inverse;
        const double v = u * (n + 1) / (1 - n);
        const int index = k & 3;
        if (index == 0) u0 += u, v0 += v;
        if (index == 1) u1 += u, v1 += v;
        if (index == 2) u2 += u, v2 += v;
        if (index == 3) u3 += u, v3 += v;
        if (u < 1e-18) break;
    }
    const double quarter = ::sqrt(::sqrt(size));
    if (x > 0) {
        const double base = 0.5641895835477563 / quarter, slope = 0.5641895835477563 * quarter;  // 1 / sqrt(pi)
        return Airy<double>{0.5 * base * (1 + (u0 + u2 - u1 - u3)), -0.5 * slope * (1 + (v0 + v2 - v1 - v3)),
                            base * (1 + (u0 + u2 + u1 + u3)), slope * (1 + (v0 + v2 + v1 + v3))};
    }
    double sine, cosine, rest_sine = rest, less_cosine = 0;
    ::sincos(zeta, &sine, &cosine);
    if (::fabs(rest) > 1e-9) {
        const double half = ::sin(0.5 * rest);
        rest_sine = ::sin(rest);
        less_cosine = -2 * half * half;
    }
    const double s = sine + (cosine * rest_sine + sine * less_cosine);
    const double c = cosine + (cosine * less_cosine - sine * rest_sine);
    // of the phase less pi / 4, times sqrt(2)
    const double ss = s - c, cc = c + s, base = 0.3989422804014327 / quarter, slope = 0.3989422804014327 * quarter;
    const double even = u0 - u2, odd = u1 - u3, even_slope = v0 - v2, odd_slope = v1 - v3;
    return Airy<double>{base * (cc + (cc * even + ss * odd)), slope * (ss + (ss * even_slope - cc * odd_slope)),
                        base * (-ss + (cc * odd - ss * even)), slope * (cc + (cc * even_slope + ss * odd_slope))};
}
GPUARRAY_CALLED Airy<double> airy_real(double x, bool scaled) {
    if (!isfinite(x)) return Airy<double>{x - x, x - x, x - x, x - x};
    const bool near = ::fabs(x) <= 10;
    dd exponent(0.0);
    Airy<double> out = near ? turning::airy_by_nodes(x) : airy_far(x, exponent);
    if (x > 0 && scaled == near) {
        if (near) {
            double rest;
            const double zeta = airy_phase(x, rest);
            exponent = -dd(zeta, rest);
        }
        out.ai = times_power(out.ai, -exponent);
        out.aip = times_power(out.aip, -exponent);
        out.bi = times_power(out.bi, exponent);
        out.bip = times_power(out.bip, exponent);
    }
    return out;
}
GPUARRAY_DEVICE Airy<double> airy(double x) { return airy_real(x, false); }
// SciPy has NaN for Ai at negative numbers, where zeta is imaginary.
GPUARRAY_CALLED Airy<double> airye(double x) {
    Airy<double> out = airy_real(x, true);
    if (x < 0) out.ai = out.aip = not_a_number();
    return out;
}

// K_v(zeta) e^zeta for zeta = 2/3 z^(3/2): beyond the imaginary axis z says on which side of the cut zeta is, or would be.
GPUARRAY_CALLED Complex airy_k(double v, Complex z, Complex zeta) {
    if (zeta.real >= 0 && z.real >= 0) return modified_bessel(v, zeta).k;
    const double side = z.imag >= 0 ? 1 : -1;
    const Modified<Complex> at = modified_bessel(v, -zeta);  // DLMF 10.34.2
    return unit_at(-side * v) * at.k * exponential(2.0 * zeta) - (side * 3.141592653589793) * gpuarray::turn(at.i);
}
// Ai(z) and Ai'(z) times e^zeta.
GPUARRAY_CALLED void airy_ai_right(Complex z, Complex zeta, Complex& ai, Complex& aip) {
    const Complex r = principal_root(z);
    ai = 0.1837762984739307 * r * airy_k(1.0 / 3, z, zeta);
    aip = -0.1837762984739307 * z * airy_k(2.0 / 3, z, zeta);
}
GPUARRAY_DEVICE Complex airy_zeta(Complex z) { return z * principal_root(z) / 1.5; }
GPUARRAY_CALLED void airy_ai(Complex z, Complex& ai, Complex& aip) {
    const Complex zeta = airy_zeta(z);
    // Up to 130 degrees: arguments of 120 degrees are usual below, and rounded to either side.
    if (z.real >= 0 || ::fabs(z.imag) > 1.2 * ::fabs(z.real)) {
        airy_ai_right(z, zeta, ai, aip);
        return;
    }
    // DLMF 9.2.14: the sum of three rotated functions vanishes
    ai = aip = Complex(0, 0);
    for (int side = -1; side <= 1; side += 2) {
        const Complex turn = unit_at(side * (2.0 / 3)), w = z * turn, other = airy_zeta(w);
        Complex a, b;
        airy_ai_right(w, other, a, b);
        const Complex factor = exponential(zeta - other);
        ai = ai - turn * a * factor;
        aip = aip - conjugate(turn) * b * factor;
    }
}
// Scaled by e^zeta (Ai) and e^-|Re zeta| (Bi) if scaled.
GPUARRAY_CALLED Airy<Complex> airy_complex(Complex z, bool scaled) {
    Airy<Complex> out;
    const Complex zeta = airy_zeta(z);
    const double size = magnitude(z), distance = ::fabs(zeta.real);
    if (isnan(size)) {
        out.ai = out.aip = out.bi = out.bip = Complex(size, size);
        return out;
    }
    if (size < 1) {
        out = airy_near_zero(z);
        if (scaled) {
            const Complex up = exponential(zeta);
            const double down = ::exp(-distance);
            out = Airy<Complex>{out.ai * up, out.aip * up, out.bi * down, out.bip * down};
        }
        return out;
    }
    airy_ai(z, out.ai, out.aip);
    // DLMF 9.2.10
    out.bi = out.bip = Complex(0, 0);
    for (int side = -1; side <= 1; side += 2) {
        const Complex w = z * unit_at(side * (2.0 / 3)), other = airy_zeta(w);
        Complex a, b;
        airy_ai(w, a, b);
        const Complex factor = exponential(Complex(-other.real - distance, -other.imag));
        out.bi = out.bi + unit_at(side / 6.0) * a * factor;
        out.bip = out.bip + unit_at(side * (5.0 / 6)) * b * factor;
    }
    if (!scaled) {
        const Complex down = exponential(zeta * -0.5);
        out.ai = out.ai * down * down;
        out.aip = out.aip * down * down;
        out.bi = grown(out.bi, distance);
        out.bip = grown(out.bip, distance);
    }
    return out;
}
GPUARRAY_DEVICE Airy<Complex> airy(Complex z) { return airy_complex(z, false); }
GPUARRAY_DEVICE Airy<Complex> airye(Complex z) { return airy_complex(z, true); }

}  // namespace special
}  // namespace gpuarray
