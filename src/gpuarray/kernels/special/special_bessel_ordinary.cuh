// Bessel functions J and Y of real order and real argument.
//
// Y by N. M. Temme, "On the numerical evaluation of the ordinary Bessel function of the second kind" (1976), J. Comput.
// Phys. 21, near zero, J there by its power series; beyond it both by Steed's continued fraction (DLMF 10.74(v)) and
// recurrences. Large arguments by DLMF 10.17, large orders by the expansions of DLMF 10.19(ii) away from the turning
// point and by those of DLMF 10.20 about it.
#pragma once

#include "gpuarray/special_bessel_modified.cuh"
#include "gpuarray/special_bessel_turning.cuh"

namespace gpuarray {
namespace special {

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

// Debye's expansions, DLMF 10.19.3 and 10.19.6, of orders that are large and not near the argument. The phase has the
// digits of two numbers: it is multiplied by the order.
GPUARRAY_CALLED bool debye_wave(double v, double x, Ordinary& out) {
    const double s = ::sqrt(::fabs(x - v)) * ::sqrt(x + v), gap = x < v ? v * ::log((v + s) / x) - s : s - v * ::atan2(s, v);
    if (!(gap > 30)) return false;
    const dd phase = turning::phase(v, x, turning::distance(v, x)) * v;
    if (x < v) {
        double plain, alternating;
        debye_sums(v, v / s, plain, alternating);
        const double base = 0.3989422804014327 / ::sqrt(s);  // 1 / sqrt(2 pi)
        // In two factors, where one would leave the range
        const double half = ::exp(-0.5 * phase.hi), decay = half - half * (0.5 * phase.lo);
        out.j = base * decay * plain * decay;
        out.y = -2 * base / decay * alternating / decay;
        return true;
    }
    // U_k(i cot beta): the powers of i make the even ones real, the odd ones imaginary
    const double cotangent = v / s, square = -cotangent * cotangent, ratio = cotangent / v;
    double factor = 1, even = 0, odd = 0;
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
    double sine, cosine;
    ::sincos(phase.hi, &sine, &cosine);
    const double c_low = cosine - phase.lo * sine, s_low = sine + phase.lo * cosine;
    // of the phase less pi / 4
    const double cc = c_low + s_low, ss = s_low - c_low, base = 0.5641895835477563 / ::sqrt(s);  // 1 / sqrt(pi)
    out.j = base * (cc + (cc * even + ss * odd));
    out.y = base * (ss + (ss * even - cc * odd));
    return true;
}

// Orders mu and mu + 1 for 0 <= mu < 1 and 2 < x <= 18.5, and J of the order v = mu + n <= 25: its recurrence downwards
// (J. C. P. Miller's algorithm) from where it is nothing beside Y, in two numbers; Steed's continued fraction p + i q of
// the logarithmic derivative of H gives Y beside it and, by the Wronskian, the scale of both.
GPUARRAY_CALLED double steed_wave(int n, double mu, double x, Ordinary& at, Ordinary& next) {
    const dd step = dd(2) / dd(x);
    dd j = dd(1), above = dd(0);
    double wanted = 0;
    for (int k = 60; k > 0; --k) {
        const dd below = sum(mu, double(k)) * step * j - above;
        above = j;
        j = below;
        if (k - 1 == n) wanted = j.hi;
    }
    Complex b = Complex(2 * x, 2), fraction = b, numerator = b, d = Complex(0, 0);
    double a = 0.25 - mu * mu;
    const double first = a;
    for (int k = 1; k < 1000; ++k) {
        a += 2 * k;
        b.imag += 2;
        d = 1.0 / (b + a * d);
        numerator = b + a / numerator;
        const Complex delta = numerator * d;
        fraction = fraction * delta;
        if (::fabs(delta.real - 1) + ::fabs(delta.imag) < 2e-16) break;
    }
    const Complex pq = Complex(-0.5 / x, 1) + gpuarray::turn(first / fraction) / x;
    // J' = mu / x J - J_(mu + 1) and J' = p J - q Y
    const double change = mu / x - pq.real, y = (above - j * change).hi / pq.imag, size = ::hypot(j.hi, y);
    const double scale = ::sqrt(0.6366197723675814 / (x * pq.imag)) / size;
    at = Ordinary{scale * j.hi, scale * y};
    next = Ordinary{scale * above.hi, change * at.y - pq.imag * at.j};
    return scale * wanted;
}

// For x > 2 and orders below 25: the recurrence DLMF 10.6.1 upwards, which keeps Y, and J as long as it is a wave.
GPUARRAY_CALLED Ordinary climbed_wave(double v, double x) {
    const double steps = ::floor(v), mu = v - steps;
    double j = 0;
    Ordinary at, next;
    if (x > 18.5) {
        at = hankel_wave(mu, x);
        next = hankel_wave(mu + 1, x);
    } else {
        j = steed_wave(int(steps), mu, x, at, next);
    }
    for (int k = 1; k <= int(steps); ++k) {
        const double factor = 2 * (mu + k) / x;
        const Ordinary above{factor * next.j - at.j, factor * next.y - at.y};
        at = next;
        next = above;
    }
    if (x <= 18.5) {
        at.j = j;
    } else if (v > x) {
        // J_(v + 1) / J_v, DLMF 10.10.1 from its end, and the Wronskian
        double ratio = 0;
        for (int k = 60; k >= 1; --k) ratio = 1 / (2 * (v + k) / x - ratio);
        at.j = 0.6366197723675814 / (x * (ratio * at.y - next.y));
    }
    return at;
}

// For v >= 0 and x > 0.
GPUARRAY_CALLED Ordinary ordinary_bessel(double v, double x) {
    Ordinary out;
    if (isinf(x)) return Ordinary{0, 0};
    if (x > ::fmax(18.5, v * v / 3)) return hankel_wave(v, x);
    if (v >= (x < v ? 12 : 8) && debye_wave(v, x, out)) return out;
    if (v >= 25) return turning_wave(v, x);
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
    return climbed_wave(v, x);
}

}  // namespace special
}  // namespace gpuarray
