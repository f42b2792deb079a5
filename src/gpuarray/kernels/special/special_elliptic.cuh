// Elliptic integrals in Legendre's form, Jacobi's functions, the arithmetic-geometric mean.
#pragma once

#include "gpuarray/special_carlson.cuh"
#include "gpuarray/special_double_fits.cuh"
#include "gpuarray/special_elementary_single.cuh"

namespace gpuarray {
namespace special {

// Of positive numbers. It converges quadratically once they are of one size (DLMF 19.8.1).
GPUARRAY_CALLED double mean_of_means(double a, double b) {
    for (int step = 0; step < 40; ++step) {
        const double middle = a / 2 + b / 2;
        b = a * b > 1e-290 && a * b < 1e300 ? ::sqrt(a * b) : ::sqrt(a) * ::sqrt(b);
        const double gap = ::fabs(middle - b);
        a = middle;
        if (!(gap > 1e-8 * a)) break;
    }
    return a / 2 + b / 2;
}
GPUARRAY_CALLED double agm(double a, double b) {
    if (isnan(a) || isnan(b) || (a < 0 && b > 0) || (a > 0 && b < 0)) return not_a_number();
    if (a == 0 || b == 0) return isinf(a) || isinf(b) ? not_a_number() : 0;
    if (isinf(a) || isinf(b)) return a > 0 ? infinity() : -infinity();
    if (a == b) return a;
    return a > 0 ? mean_of_means(a, b) : -mean_of_means(-a, -b);
}

// p is 1 - m; beyond 1 by DLMF 19.7.2 from that of 1/p.
GPUARRAY_CALLED double ellipkm1(double p) {
    if (p == 0) return infinity();
    if (!(p > 0)) return not_a_number();
    if (isinf(p)) return 0;
    const bool large = p > 1;
    const double t = large ? 1 / p : p, value = ::fma(-::log(t), fit_ellipk_wide_log(t), fit_ellipk_wide(t));
    return large ? value / ::sqrt(p) : value;
}
GPUARRAY_DEVICE double ellipk(double m) { return ellipkm1(1 - m); }

GPUARRAY_CALLED double ellipe(double m) {
    if (m == 1) return 1;
    if (!(m < 1)) return not_a_number();
    if (isinf(m)) return infinity();
    const double p = 1 - m;
    const bool large = p > 1;
    const double t = large ? 1 / p : p, value = ::fma(-::log(t), fit_ellipe_wide_log(t), fit_ellipe_wide(t));
    return large ? value * ::sqrt(p) : value;
}

// What both incomplete integrals need: the amplitude's distance to the nearest multiple of pi, and that multiple.
struct Amplitude {
    double sine, cosine, turns, rest;
    GPUARRAY_CALLED explicit Amplitude(double phi) {
        turns = ::rint(phi / 3.141592653589793);
        rest = ::fma(-turns, 3.141592653589793, phi);
        rest = ::fma(-turns, 1.2246467991473532e-16, rest);
        ::sincos(rest, &sine, &cosine);
    }
};
// DLMF 19.25.5. Delta^2 = 1 - m sin^2 is a sum of positive terms for 0 <= m <= 1. The square of a small sine may be below
// the range where m times the square is not.
GPUARRAY_DEVICE double delta_squared(const Amplitude& at, double m) {
    return m > 0.5 ? at.cosine * at.cosine + (1 - m) * (at.sine * at.sine) : 1 - m * at.sine * at.sine;
}
GPUARRAY_CALLED double ellipkinc(double phi, double m) {
    if (isnan(phi) || isnan(m) || m > 1) return not_a_number();
    if (isinf(phi) || isinf(m)) {
        if (isinf(m) && !isinf(phi)) return 0;
        return isinf(m) ? not_a_number() : phi;
    }
    if (m == 0) return phi;
    const Amplitude at(phi);
    if (m == 1) {
        if (::fabs(phi) >= 1.5707963267948966) return infinity();
        return ::asinh(::tan(phi));
    }
    const double d2 = delta_squared(at, m);
    // The limit DLMF 19.27.2 takes the place of hundreds of duplications.
    const double part = d2 > 1e18 ? at.sine / ::sqrt(d2) * ::log(4 * ::sqrt(d2) / (1 + ::fabs(at.cosine)))
                                  : at.sine * carlson_rf(at.cosine * at.cosine, d2, 1.0);
    return at.turns == 0 ? part : part + 2 * at.turns * ellipkm1(1 - m);
}
// DLMF 19.25.9 for m < 0, 19.25.10 for m > 0: neither subtracts.
GPUARRAY_CALLED double ellipeinc(double phi, double m) {
    if (isnan(phi) || isnan(m) || m > 1) return not_a_number();
    if (isinf(phi)) return phi;
    if (isinf(m)) return infinity();
    if (m == 0) return phi;
    const Amplitude at(phi);
    double part = at.sine;
    if (m != 1) {
        const double s = at.sine, c2 = at.cosine * at.cosine, d2 = delta_squared(at, m), third = m * s * s / 3;
        const double first = carlson_rf(c2, d2, 1.0);
        part = m > 0 ? (1 - m) * s * (first + third * carlson_rd(c2, 1.0, d2)) + m * s * ::fabs(at.cosine) / ::sqrt(d2)
                     : s * (first - third * carlson_rd(c2, d2, 1.0));
    }
    return at.turns == 0 ? part : part + 2 * at.turns * ellipe(m);
}

// Jacobi's functions by the descending Gauss transformation of R. Bulirsch, "Numerical calculation of elliptic
// integrals and elliptic functions" (1965), Numerische Mathematik 7: it carries the cotangent of the amplitude, so
// that cn keeps its digits near the quarter period.
struct Jacobi {
    double sn, cn, dn, ph;
};
GPUARRAY_CALLED Jacobi ellipj(double u, double m) {
    Jacobi out;
    if (!(m >= 0 && m <= 1) || isnan(u) || isinf(u)) {
        out.sn = out.cn = out.dn = out.ph = not_a_number();
        return out;
    }
    if (::fabs(u) < 1e-100) {  // the cotangent would leave the range
        out.sn = out.ph = u;
        out.cn = out.dn = 1;
        return out;
    }
    if (m == 1) {
        out.sn = ::tanh(u);
        out.cn = out.dn = 1 / ::cosh(u);
        out.ph = ::atan(::sinh(u));
        return out;
    }
    double means[13], roots[13], a = 1, product = 1 - m, mean = 1;
    int steps = 0;
    for (;; ++steps) {
        means[steps] = a;
        roots[steps] = product = ::sqrt(product);
        mean = (a + product) / 2;
        if (::fabs(a - product) <= 1e-8 * a || steps == 12) break;
        product *= a;
        a = mean;
    }
    const double angle = u * mean;
    double sine, cosine;
    ::sincos(angle, &sine, &cosine);
    out.dn = 1;
    out.sn = sine;
    out.cn = cosine;
    if (sine != 0) {
        double cotangent = cosine / sine, c = mean * cotangent;
        for (int step = steps; step >= 0; --step) {
            const double last = cotangent * c;
            c *= out.dn;
            out.dn = (roots[step] + last) / (means[step] + last);
            cotangent = c / means[step];
        }
        out.sn = ::copysign(1 / ::hypot(c, 1.0), sine);
        out.cn = c * out.sn;
    }
    // The amplitude has the quadrant of the angle: what atan2 leaves out are whole turns.
    out.ph = ::atan2(out.sn, out.cn);
    const double turns = ::rint((angle - out.ph) / 6.283185307179586);
    out.ph += 6.283185307179586 * turns;
    return out;
}

}  // namespace special
}  // namespace gpuarray
