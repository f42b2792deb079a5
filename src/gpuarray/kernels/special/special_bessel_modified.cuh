// Modified Bessel functions I and K of real order, with complex argument in the right half plane; those of real argument
// are in special_bessel_modified_real.cuh.
//
// K by N. M. Temme, "On the numerical evaluation of the modified Bessel function of the third kind" (1975), J. Comput.
// Phys. 19: a series near zero, elsewhere the continued fraction with its normalising sum; forward recurrence to the
// order. I by its power series, or by the continued fraction of I_{v+1} / I_v and the Wronskian. Large arguments by
// DLMF 10.40, large orders by the uniform expansions of DLMF 10.41.
#pragma once

#include "gpuarray/special_bessel_debye.cuh"
#include "gpuarray/special_complex_dd.cuh"

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE Complex exp_of(Complex z) { return exponential(z); }
GPUARRAY_DEVICE Complex log_of(Complex z) { return principal_log(z); }
GPUARRAY_DEVICE double imag_of(Complex z) { return z.imag; }
// sinh(z) / z
GPUARRAY_CALLED Complex sinhc(Complex z) {
    return magnitude(z) < 1e-6 ? 1.0 + z * z / 6.0 : gpuarray::sinh(z) / z;
}

// I_v(z) = i e^z and K_v(z) = k e^-z.
template <class T> struct Modified {
    T i, k;
};

// 1 / Gamma(1 + x) and 1 / Gamma(1 - x) for |x| <= 1/2, and Temme's first difference of them.
struct GammaPair {
    double plus, minus, difference;
    GPUARRAY_CALLED explicit GammaPair(double x) {
        const double square = x * x;
        double even = 0, odd = 0;
        for (int k = 22; k >= 2; k -= 2) {
            even = even * square + RECIPROCAL_GAMMA[k];
            odd = odd * square + RECIPROCAL_GAMMA[k - 1];
        }
        even = even * square + 1;
        plus = even + x * odd;
        minus = even - x * odd;
        difference = -odd;
    }
};

// (z / 2)^v
GPUARRAY_CALLED Complex power_of(Complex z, double v) {
    const double size = ::pow(magnitude(z) / 2, v), angle = ::atan2(z.imag, z.real);
    double sine, cosine;
    if (z.real == 0) return size * unit_at(::copysign(v / 2, z.imag));
    ::sincos(v * angle, &sine, &cosine);
    return Complex(size * cosine, size * sine);
}

// (z / 2)^v / Gamma(v + 1). The product has the digits of two numbers, so that its length costs none.
template <class T> GPUARRAY_CALLED T leading_term(double v, T z) {
    const double steps = ::rint(v), rest = v - steps;
    double product = 1, low = 0;
    for (int k = 1; k <= int(steps); ++k) {
        const double factor = rest + k, next = product * factor;
        low = low * factor + ::fma(product, factor, -next);
        product = next;
    }
    const double gamma = (product + low) / GammaPair(rest).plus;
    return power_of(z, v) / gamma;
}
// DLMF 10.40: sums of a_k / (-z)^k and a_k / z^k.
template <class T> GPUARRAY_CALLED void hankel_sums(double v, T z, T& alternating, T& plain) {
    const double square = 4 * v * v;
    const T inverse = 1.0 / (8.0 * z);
    T term = T(1);
    alternating = plain = T(1);
    for (int k = 1; k < 100; ++k) {
        const double odd = 2 * k - 1, last = magnitude(term);
        term = term * inverse * ((square - odd * odd) / k);
        if (magnitude(term) > last && odd > 2 * v) break;
        plain = plain + term;
        alternating = k & 1 ? alternating - term : alternating + term;
        if (magnitude(term) < 1e-17) break;
    }
}
// DLMF 10.41.3 and 10.41.4: sums of U_k(p) / v^k and U_k(p) / (-v)^k.
template <class T> GPUARRAY_CALLED void debye_sums(double v, T p, T& plain, T& alternating) {
    const T square = p * p, ratio = p / v;
    // Without the first term, which is 1: so the sums round once.
    T factor = T(1), even = T(0), odd = T(0);
    const double* c = DEBYE;
    double last = 1;
    for (int k = 1; k <= 16; ++k) {
        factor = factor * ratio;
        T value = T(c[k]);
        for (int j = k - 1; j >= 0; --j) value = value * square + c[j];
        c += k + 1;
        const T term = value * factor;
        T& part = k & 1 ? odd : even;
        part = part + term;
        // One alone can be near a zero of its polynomial.
        const double size = magnitude(term);
        if (size < 1e-17 && last < 1e-17) break;
        last = size;
    }
    plain = 1.0 + (even + odd);
    alternating = 1.0 + (even - odd);
}

// I has both exponentials beyond its order on the imaginary axis, as J has there.
template <class T> GPUARRAY_DEVICE T other_exponential(double v, T z, T sum) { return T(0); }
template <> GPUARRAY_DEVICE Complex other_exponential<Complex>(double v, Complex z, Complex sum) {
    const Complex turned = gpuarray::turn(unit_at(z.imag >= 0 ? v : -v) * sum);
    return z.imag >= 0 ? turned : -turned;
}

// K_v e^z and K_{v+1} e^z by series or continued fraction at |mu| <= 1/2 and recurrence.
template <class T> GPUARRAY_CALLED void temme_k(double v, T z, T& k0, T& k1) {
    const double steps = ::rint(v), mu = v - steps, square = mu * mu;
    if (magnitude(z) <= 2) {
        const GammaPair gammas(mu);
        const T half = z / 2.0, log_half = -log_of(half), e = mu * log_half, grown = exp_of(e);
        const double circle = mu == 0 ? 1 : 3.141592653589793 * mu / ::sinpi(mu);
        const T cosh_e = 0.5 * (grown + 1.0 / grown);
        T f = circle * (gammas.difference * cosh_e + (gammas.plus + gammas.minus) / 2 * sinhc(e) * log_half);
        T p = grown / (2 * gammas.plus), q = 1.0 / (2 * gammas.minus * grown), c = T(1), d = half * half;
        T sum = f, next = p;
        for (int k = 1; k < 60; ++k) {
            f = (double(k) * f + p + q) / (k * k - square);
            p = p / (k - mu);
            q = q / (k + mu);
            c = c * d / double(k);
            const T term = c * f;
            sum = sum + term;
            next = next + c * (p - double(k) * f);
            if (magnitude(term) < 1e-17 * magnitude(sum)) break;
        }
        const T scale = exp_of(z);
        k0 = sum * scale;
        k1 = next / half * scale;
    } else {
        // Steed's evaluation of the fraction, and of the sum that normalises it
        const double first = 0.25 - square;
        T b = 2.0 * (1.0 + z), d = 1.0 / b, h = d, delta = d, earlier = T(0), later = T(1), q = T(first);
        double a = -first, c = first;
        T sum = 1.0 + q * delta;
        for (int k = 2; k < 2000; ++k) {
            a -= 2 * (k - 1);
            c = -a * c / k;
            const T newest = (earlier - b * later) / a;
            earlier = later;
            later = newest;
            q = q + c * newest;
            b = b + 2.0;
            d = 1.0 / (b + a * d);
            delta = (b * d - 1.0) * delta;
            h = h + delta;
            const T term = q * delta;
            sum = sum + term;
            if (magnitude(term) < 1e-17 * magnitude(sum)) break;
        }
        k0 = 1.2533141373155003 / (root(z) * sum);  // sqrt(pi / 2)
        k1 = k0 * (mu + 0.5 + z - first * h) / z;
    }
    const T twice = 2.0 / z;
    for (int n = 1; n <= int(steps); ++n) {
        const T next = (mu + n) * twice * k1 + k0;
        k0 = k1;
        k1 = next;
    }
}

// I_{v+1} / I_v, DLMF 10.33.1, by Lentz's method.
template <class T> GPUARRAY_CALLED T ratio_of_i(double v, T z) {
    const T step = 2.0 / z;
    T b = (v + 1) * step, f = b, c = b, d = T(0);
    if (magnitude(f) < 1e-300) f = c = T(1e-300);
    for (int k = 0; k < 100000; ++k) {
        b = b + step;
        d = b + d;
        if (magnitude(d) < 1e-300) d = T(1e-300);
        d = 1.0 / d;
        c = b + 1.0 / c;
        if (magnitude(c) < 1e-300) c = T(1e-300);
        const T delta = c * d;
        f = f * delta;
        if (magnitude(delta - 1.0) < 2e-16) break;
    }
    return 1.0 / f;
}

// I_v Gamma(v + 1) (2 / z)^v
template <class T> GPUARRAY_CALLED T power_series(double v, T quarter) {
    T term = T(1), sum = T(0);
    for (int k = 1; k < 400; ++k) {
        term = term * quarter / (k * (v + k));
        sum = sum + term;
        if (magnitude(term) < 1e-18 * magnitude(1.0 + sum)) break;
    }
    return 1.0 + sum;
}

// The order multiplies the error of each factor of the power, and of the exponent v s - z = v / (s + z / v).
GPUARRAY_CALLED Complex scaled_power(double v, Complex z, Complex near, Complex) {
    const complex_dd w{dd(z.real) / v, dd(z.imag) / v}, square = product(w, w);
    const complex_dd s = root_near(complex_dd{square.real + 1.0, square.imag}, near);
    const complex_dd one{dd(1.0), dd(0.0)};
    return power_times_exponential(quotient(w, one + s), v, quotient(complex_dd{dd(v), dd(0.0)}, s + w));
}

// For v >= 0 and z != 0 with a real part that is not negative.
template <class T> GPUARRAY_CALLED Modified<T> modified_bessel(double v, T z) {
    Modified<T> out;
    if (gpuarray::isnan(z) || isnan(v)) {
        out.i = out.k = T(not_a_number());
        return out;
    }
    if (gpuarray::isinf(z) || isinf(v)) {
        out.i = out.k = T(0);
        if (!gpuarray::isinf(z)) out.k = T(infinity());
        return out;
    }
    z = z + T(0);  // a negative zero would choose the other side of the cuts
    const double size = magnitude(z);
    T plain, alternating;
    if (size > ::fmax(18.5, v * v / 3)) {
        hankel_sums(v, z, alternating, plain);
        const T base = 1.0 / root(z);
        out.k = 1.2533141373155003 * base * plain;
        T sum = alternating;
        if (imag_of(z) != 0 && real_of(z) < 40) sum = sum + other_exponential(v, z, plain) * exp_of(-2.0 * z);
        out.i = 0.3989422804014327 * base * sum;  // 1 / sqrt(2 pi)
        return out;
    }
    if (v >= (size > 2 * v ? 8 : 12)) {
        const T w = z / v, s = root(1.0 + w * w), shifted = z / (v * (1.0 + s));
        const T eta = s + log_of(shifted);
        const double gap = ::hypot(real_of(eta), ::fabs(imag_of(eta)) - 1.5707963267948966);
        if (2 * v * gap > 60) {
            debye_sums(v, 1.0 / s, plain, alternating);
            const T base = 1.0 / root(v * s);
            // v eta - z, without the difference of large numbers
            const T grown = scaled_power(v, z, s, shifted);
            T sum = plain;
            if (::fabs(imag_of(z)) > v && real_of(eta) * v < 40)
                sum = sum + other_exponential(v, z, alternating) * exp_of(-2.0 * v * eta);
            out.i = 0.3989422804014327 * base * sum * grown;
            out.k = 1.2533141373155003 * base * alternating / grown;
            return out;
        }
    }
    T k1;
    temme_k(v, z, out.k, k1);
    if (size <= 2 || size * size < 4 * (v + 1) || (is_real(z) && size < 30)) {
        out.i = leading_term(v, z) * power_series(v, z * z / 4.0) * exp_of(-z);
    } else {
        out.i = 1.0 / (z * (k1 + ratio_of_i(v, z) * out.k));
    }
    return out;
}

}  // namespace special
}  // namespace gpuarray
