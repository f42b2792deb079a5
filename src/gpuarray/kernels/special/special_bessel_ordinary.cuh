// Bessel functions J and Y of real order and real argument.
//
// Y by N. M. Temme, "On the numerical evaluation of the ordinary Bessel function of the second kind" (1976), J. Comput.
// Phys. 21, near zero; elsewhere both by Steed's method: the continued fractions of J'/J and of the logarithmic
// derivative of H (DLMF 10.74(v)) with the Wronskian. Large arguments by DLMF 10.17, large orders by the expansions of
// DLMF 10.19(ii) away from the turning point.
#pragma once

#include "gpuarray/special_bessel_modified.cuh"

namespace gpuarray {
namespace special {

struct Ordinary {
    double j, y;
};

// sqrt(2 / (pi x)) (P cos(w) - Q sin(w)), and with sine and cosine for Y; w = x - (v / 2 + 1 / 4) pi.
GPUARRAY_CALLED Ordinary hankel_wave(double v, double x) {
    const double square = 4 * v * v, inverse = 1 / (8 * x);
    double term = 1, p = 1, q = 0;
    for (int k = 1; k < 100; ++k) {
        const double odd = 2 * k - 1, last = ::fabs(term);
        term *= inverse * ((square - odd * odd) / k);
        if (::fabs(term) > last && odd > 2 * v) break;
        const int quadrant = k & 3;
        if (quadrant == 0) p += term;
        if (quadrant == 1) q += term;
        if (quadrant == 2) p -= term;
        if (quadrant == 3) q -= term;
        if (::fabs(term) < 1e-17) break;
    }
    double sine, cosine;
    ::sincos(x, &sine, &cosine);
    const double turn_s = ::sinpi(v / 2 + 0.25), turn_c = ::cospi(v / 2 + 0.25);
    const double c = cosine * turn_c + sine * turn_s, s = sine * turn_c - cosine * turn_s;
    const double scale = 0.7978845608028654 / ::sqrt(x);  // sqrt(2 / pi)
    return Ordinary{scale * (p * c - q * s), scale * (p * s + q * c)};
}

// Debye's expansions, DLMF 10.19.3 and 10.19.6, of orders that are large and not near the argument.
GPUARRAY_CALLED bool debye_wave(double v, double x, Ordinary& out) {
    if (x < v) {
        const double s = ::sqrt((v - x) * (v + x)), quotient = x / (v + s), gap = -2 * (s + v * ::log(quotient));
        if (!(gap > 60)) return false;
        double plain, alternating;
        debye_sums(v, v / s, plain, alternating);
        const double low = rest_of_square(v, x, -1, s) / (2 * s), sum = v + s, sum_low = (s - (sum - v)) + low;
        const double missing = ::fma(-quotient, sum, x) - quotient * sum_low;
        const double decay = power_and_exponential(quotient, v, s, low + v * (missing / x));
        const double base = 0.3989422804014327 / ::sqrt(s);  // 1 / sqrt(2 pi)
        out.j = base * decay * plain;
        out.y = -2 * base / decay * alternating;
        return true;
    }
    const double s = ::sqrt((x - v) * (x + v)), beta = ::atan2(s, v), gap = 2 * (s - v * beta);
    if (!(gap > 60)) return false;
    // U_k(i cot beta): the powers of i make the even ones real, the odd ones imaginary
    const double cotangent = v / s, square = -cotangent * cotangent, ratio = cotangent / v;
    double factor = 1, even = 1, odd = 0;
    const double* c = DEBYE;
    for (int k = 1; k <= 16; ++k) {
        factor *= ratio;
        double value = c[k];
        for (int j = k - 1; j >= 0; --j) value = value * square + c[j];
        c += k + 1;
        const double term = value * factor;
        const int quadrant = k & 3;
        if (quadrant == 0) even += term;
        if (quadrant == 1) odd += term;
        if (quadrant == 2) even -= term;
        if (quadrant == 3) odd -= term;
        if (::fabs(term) < 1e-17) break;
    }
    // s - v beta - pi / 4, with what the products round off
    const double product = v * beta, low = rest_of_square(x, v, -1, s) / (2 * s) - ::fma(v, beta, -product);
    const double phase = s - product, phase_low = ((s - phase) - product) + low;
    double sine, cosine;
    ::sincos(phase, &sine, &cosine);
    const double turned_c = (cosine + sine) * 0.7071067811865476, turned_s = (sine - cosine) * 0.7071067811865476;
    const double cc = turned_c - phase_low * turned_s, ss = turned_s + phase_low * turned_c;
    const double base = 0.7978845608028654 / ::sqrt(s);
    out.j = base * (cc * even + ss * odd);
    out.y = base * (ss * even - cc * odd);
    return true;
}

// J'_v / J_v, with the sign of J_v.
GPUARRAY_CALLED double logarithmic_derivative(double v, double x, int& sign) {
    const double step = 2 / x;
    double b = step * v, f = ::fmax(v / x, 1e-300), c = f, d = 0;
    sign = 1;
    for (int k = 0; k < 1000000; ++k) {
        b += step;
        d = b - d;
        if (::fabs(d) < 1e-300) d = 1e-300;
        c = b - 1 / c;
        if (::fabs(c) < 1e-300) c = 1e-300;
        d = 1 / d;
        const double delta = c * d;
        f *= delta;
        if (d < 0) sign = -sign;
        if (::fabs(delta - 1) < 1.2e-16) break;
    }
    return f;
}

// For v >= 0 and x > 0.
GPUARRAY_CALLED Ordinary ordinary_bessel(double v, double x) {
    Ordinary out;
    if (isinf(x)) return Ordinary{0, 0};
    if (x > ::fmax(18.5, v * v / 3)) return hankel_wave(v, x);
    if (v >= (x < v ? 12 : 8) && debye_wave(v, x, out)) return out;
    if (x <= 2) {
        const double steps = ::rint(v), mu = v - steps, square = mu * mu;
        const GammaPair gammas(mu);
        const double half = x / 2, log_half = -::log(half), e = mu * log_half, grown = ::exp(e);
        const double circle = mu == 0 ? 1 : 3.141592653589793 * mu / ::sinpi(mu);
        const double mean = (gammas.plus + gammas.minus) / 2, sine = ::sinpi(mu / 2);
        const double r = mu == 0 ? 0 : 2 / mu * sine * sine;
        double f = 0.6366197723675814 * circle * (gammas.difference * ::cosh(e) + mean * sinhc(e) * log_half);
        double p = 0.3183098861837907 * grown / gammas.plus, q = 0.3183098861837907 / (grown * gammas.minus), c = 1;
        double sum = f + r * q, next = p;
        for (int k = 1; k < 60; ++k) {
            f = (k * f + p + q) / (k * k - square);
            p /= k - mu;
            q /= k + mu;
            c *= -half * half / k;
            const double term = c * (f + r * q);
            sum += term;
            next += c * p - k * term;
            if (::fabs(term) < 1e-17 * ::fabs(sum)) break;
        }
        double y0 = -sum, y1 = -next / half;
        for (int n = 1; n <= int(steps); ++n) {
            const double y2 = (mu + n) / half * y1 - y0;
            y0 = y1;
            y1 = y2;
        }
        out.y = y0;
        out.j = leading_term(v, x) * power_series(v, -half * half);
        return out;
    }
    const double steps = ::fmax(0.0, ::floor(v - x + 1.5)), mu = v - steps;
    int sign;
    const double start = logarithmic_derivative(v, x, sign);
    double j = sign, derivative = start * j, order = v / x;
    for (int n = 0; n < int(steps); ++n) {
        const double lower = order * j + derivative;
        order -= 1 / x;
        derivative = order * lower - j;
        j = lower;
    }
    if (j == 0) j = 1e-16;
    const double f = derivative / j;
    // p + i q, the logarithmic derivative of H at mu
    Complex b = Complex(2 * x, 2), fraction = b, numerator = b, d = Complex(0, 0);
    double a = 0.25 - mu * mu;
    const double first = a;
    for (int k = 1; k < 100000; ++k) {
        a += 2 * k;
        b.imag += 2;
        d = 1.0 / (b + a * d);
        numerator = b + a / numerator;
        const Complex delta = numerator * d;
        fraction = fraction * delta;
        if (::fabs(delta.real - 1) + ::fabs(delta.imag) < 2e-16) break;
    }
    const Complex pq = Complex(-0.5 / x, 1) + gpuarray::turn(first / fraction) / x;
    const double gamma = (pq.real - f) / pq.imag;
    const double size = ::sqrt(0.6366197723675814 / (x * ((pq.real - f) * gamma + pq.imag)));
    const double j_mu = ::copysign(size, j);
    out.j = sign * (j_mu / j);
    double y0 = j_mu * gamma;
    double y1 = mu / x * y0 - (f == pq.real ? -size * pq.imag * (j < 0 ? -1 : 1) : y0 * (pq.real + pq.imag / gamma));
    for (int n = 1; n <= int(steps); ++n) {
        const double y2 = 2 * (mu + n) / x * y1 - y0;
        y0 = y1;
        y1 = y2;
    }
    out.y = y0;
    return out;
}

}  // namespace special
}  // namespace gpuarray
