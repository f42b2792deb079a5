// Bessel functions J and Y of real order and real argument.
//
// Y by N. M. Temme, "On the numerical evaluation of the ordinary Bessel function of the second kind" (1976), J. Comput.
// Phys. 21, near zero, J there by its power series; beyond it both by Steed's continued fraction (DLMF 10.74(v)) and
// recurrences. Large arguments by DLMF 10.17, large orders by the expansions of DLMF 10.19(ii) away from the turning
// point and by those of DLMF 10.20 about it.
#pragma once

#include "gpuarray/special_bessel_modified_real.cuh"
#include "gpuarray/special_bessel_turning.cuh"

namespace gpuarray {
namespace special {

// sqrt(2 / (pi x)) (P cos(w) - Q sin(w)), and with sine and cosine for Y; w = x - (v / 2 + 1 / 4) pi. The order may be
// negative, from this argument on.
GPUARRAY_DEVICE double hankel_from(double v) { return ::fmax(18.5, v * v / 3); }
GPUARRAY_CALLED Ordinary hankel_wave(double v, double x) {
    dd sum0(0.0), sum1(0.0), sum2(0.0), sum3(0.0);
    hankel_parts(::fabs(v), x, sum0, sum1, sum2, sum3);
    const double p = rounded(sum0 - sum2), q = rounded(sum1 - sum3);
    double sine, cosine;
    ::sincos(x, &sine, &cosine);
    // The order less a multiple of 4, which is exact.
    const double half = 0.5 * ::fmod(v, 4.0), turn_s = ::sinpi(half), turn_c = ::cospi(half);
    const double c = cosine * turn_c + sine * turn_s, s = sine * turn_c - cosine * turn_s;
    const double cc = c + s, ss = s - c;  // of the angle less pi / 4, times sqrt(2)
    const double scale = 0.5641895835477563 / ::sqrt(x);  // 1 / sqrt(pi)
    return Ordinary{scale * (p * cc - q * ss), scale * (p * ss + q * cc)};
}

// Debye's expansions, DLMF 10.19.3 and 10.19.6, of orders that are large and not near the argument. The phase has the
// digits of two numbers: it is multiplied by the order. Both are times e^shift for x < v, where they leave the range.
GPUARRAY_CALLED bool debye_wave(double v, double x, Ordinary& out, dd shift = dd(0.0)) {
    const double s = ::sqrt(::fabs(x - v)) * ::sqrt(x + v), gap = x < v ? v * ::log((v + s) / x) - s : s - v * ::atan2(s, v);
    if (!(gap > 30)) return false;
    if (x < v && gap - ::fabs(shift.hi) > 1500) {  // out of the range, shifted or not, as the quotient of v and x may be
        out = Ordinary{0, -infinity()};
        return true;
    }
    const dd distance = turning::distance(v, x), phase = turning::phase(v, x, distance) * v;
    const double width = distance.hi * v;  // s, rounded once
    if (x < v) {
        double plain, alternating;
        debye_sums(v, v / s, plain, alternating);
        const double base = ::sqrt(0.15915494309189535 / width);  // 1 / (2 pi)
        out.j = times_power(base * plain, shift - phase);
        out.y = times_power(-2 * base * alternating, shift + phase);
        return true;
    }
    // U_k(i cot beta): the powers of i make the even ones real, the odd ones imaginary
    const double cotangent = v / s, square = -cotangent * cotangent, ratio = cotangent / v;
    double factor = 1, even = 0, odd = 0, last = 1;
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
        if (::fabs(term) < 1e-17 && last < 1e-17) break;
        last = ::fabs(term);
    }
    double sine, cosine;
    ::sincos(phase.hi, &sine, &cosine);
    const double c_low = cosine - phase.lo * sine, s_low = sine + phase.lo * cosine;
    // of the phase less pi / 4
    const double cc = c_low + s_low, ss = s_low - c_low, base = ::sqrt(0.3183098861837907 / width);  // 1 / pi
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
    const dd twice = dd(2.0) / dd(x);
    dd j0(at.j), j1(next.j), y0(at.y), y1(next.y);
    for (int k = 1; k <= int(steps); ++k) {
        const dd factor = sum(mu, double(k)) * twice, j2 = factor * j1 - j0, y2 = factor * y1 - y0;
        j0 = j1, j1 = j2, y0 = y1, y1 = y2;
    }
    at = Ordinary{j0.hi, y0.hi};
    next.y = y1.hi;
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

// Y of x <= 2: N. M. Temme's series, and the recurrence upwards.
GPUARRAY_CALLED double temme_y(double v, double x) {
    const double steps = ::rint(v), mu = v - steps, scale = 5.421010862427522e-20;  // 2^-64
    TemmeStart at = temme_start(mu, x);
    const dd square = product(mu, mu), quarter = product(x, x) * -0.25;
    const double sine = ::sinpi(mu / 2), r = mu == 0 ? 0 : 2 / mu * sine * sine;
    dd c(1.0), total = at.f + at.q * r, next = at.p;
#pragma unroll 1
    for (int k = 1; k < 60; ++k) {
        const double n = k;
        at.f = (at.f * n + at.p + at.q) / (dd(n * n) - square);
        at.p = at.p / sum(n, -mu);
        at.q = at.q / sum(n, mu);
        c = c * quarter / n;
        const dd term = c * (at.f + at.q * r);
        total = total + term;
        next = next + (c * at.p - term * n);
        if (::fabs(term.hi) < 1e-20 * ::fabs(total.hi)) break;
    }
    const dd half(x * 0.5);
    const double found = climbed(mu, int(steps), dd(1.0) / half, total * scale, next * scale / half, -1.0);
    return isfinite(found) ? -0.6366197723675814 * found / scale : -infinity();
}

// For v >= 0 and x > 0.
GPUARRAY_CALLED Ordinary ordinary_bessel(double v, double x) {
    Ordinary out;
    if (isinf(x)) return Ordinary{0, 0};
    if (x > hankel_from(v)) return hankel_wave(v, x);
    if (v >= (x < v ? 12 : 8) && debye_wave(v, x, out)) return out;
    if (v >= 25) return turning_wave(v, x);
    if (x <= 2) {
        const SignedLog first = first_term_of_i(v, x);
        out.j = times_power(power_series(v, x * x * -0.25), first.log);
        out.y = temme_y(v, x);
        return out;
    }
    return climbed_wave(v, x);
}

}  // namespace special
}  // namespace gpuarray
