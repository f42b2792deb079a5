// Airy functions by Bessel functions of orders 1/3 and 2/3 (DLMF 9.6); real ones near zero by Taylor's series about the
// nearest of some nodes, complex ones by Maclaurin's series.
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

// Scaled by e^zeta (Ai) and e^-zeta (Bi) for x > 0; rest is what rounding took from zeta.
GPUARRAY_CALLED Airy<double> airy_scaled(double x, double& zeta, double& rest) {
    const double size = ::fabs(x), r = ::sqrt(size);
    zeta = airy_phase(size, rest);
    Airy<double> out;
    if (x > 0) {
        const Modified<double> third = modified_bessel(1.0 / 3, zeta), two = modified_bessel(2.0 / 3, zeta);
        const double decayed = ::exp(-2 * zeta) * 0.5513288954217921;  // sqrt(3) / pi
        out.ai = 0.1837762984739307 * r * third.k;                     // 1 / (pi sqrt(3))
        out.aip = -0.1837762984739307 * size * two.k;
        out.bi = 0.5773502691896258 * r * (2 * third.i + decayed * third.k);
        out.bip = 0.5773502691896258 * size * (2 * two.i + decayed * two.k);
        return out;
    }
    Ordinary third = ordinary_bessel(1.0 / 3, zeta), two = ordinary_bessel(2.0 / 3, zeta);
    // far away J' is nearly -Y and Y' nearly J: enough for the rest of the phase
    third = Ordinary{third.j - rest * third.y, third.y + rest * third.j};
    two = Ordinary{two.j - rest * two.y, two.y + rest * two.j};
    const double c = 0.5773502691896258;
    out.ai = r / 2 * (third.j - c * third.y);
    out.bi = -r / 2 * (third.y + c * third.j);
    out.aip = size / 2 * (two.j + c * two.y);
    out.bip = size / 2 * (c * two.j - two.y);
    return out;
}
GPUARRAY_CALLED Airy<double> airy(double x) {
    if (!isfinite(x)) return Airy<double>{x - x, x - x, x - x, x - x};
    if (::fabs(x) <= 13) return turning::airy_by_nodes(x);
    double zeta, rest;
    Airy<double> out = airy_scaled(x, zeta, rest);
    if (x > 0) {
        const double down = ::exp(-zeta / 2), up = ::exp(zeta / 2);
        out.ai = down * (down * out.ai) * (1 - rest);
        out.aip = down * (down * out.aip) * (1 - rest);
        out.bi = up * (up * out.bi) * (1 + rest);
        out.bip = up * (up * out.bip) * (1 + rest);
    }
    return out;
}
// SciPy has NaN for Ai at negative numbers, where zeta is imaginary.
GPUARRAY_CALLED Airy<double> airye(double x) {
    if (!isfinite(x)) return Airy<double>{x - x, x - x, x - x, x - x};
    double zeta = x * ::sqrt(::fabs(x)) / 1.5, rest = 0;
    Airy<double> out;
    if (::fabs(x) < 1) {
        out = airy_near_zero(x);
        if (x > 0) {
            const double up = ::exp(zeta);
            out = Airy<double>{out.ai * up, out.aip * up, out.bi / up, out.bip / up};
        }
    } else {
        out = airy_scaled(x, zeta, rest);
    }
    if (x < 0) out.ai = out.aip = not_a_number();
    return out;
}

// Ai(z) and Ai'(z) times e^zeta.
GPUARRAY_CALLED void airy_ai_right(Complex z, Complex zeta, Complex& ai, Complex& aip) {
    const Complex r = principal_root(z);
    ai = 0.1837762984739307 * r * kve(1.0 / 3, zeta);
    aip = -0.1837762984739307 * z * kve(2.0 / 3, zeta);
}
GPUARRAY_DEVICE Complex airy_zeta(Complex z) { return z * principal_root(z) / 1.5; }
GPUARRAY_CALLED void airy_ai(Complex z, Complex& ai, Complex& aip) {
    const Complex zeta = airy_zeta(z);
    if (z.real >= 0 || ::fabs(z.imag) > 1.7320508075688772 * ::fabs(z.real)) {
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
