// Integrals of Bessel, Struve and Airy functions of order zero.
//
// Power series integrated term by term, with two doubles, as far as their cancellation allows; beyond that the
// asymptotic expansions of the integrands (DLMF 9.7, 10.17, 10.40, 11.6), integrated by a recurrence of coefficients.
#pragma once

#include "gpuarray/special_bessel_orders01.cuh"
#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_numbers.cuh"

namespace gpuarray {
namespace special {

// Coefficients of the expansions at infinity: of J, Y and K of order zero, or of Airy functions in 2/3 x^(3/2).
GPUARRAY_DEVICE double next_coefficient(bool airy, double last, int k) {
    if (airy) return last * ((6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1)) / (216.0 * k * (2 * k - 1));
    return -last * ((2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k);
}
// With w the variable: the integral from w on of e^(i w) w^-p sum s_k w^-k, over e^(i w) w^-p. The s_k are c_k i^k,
// or for Airy functions c_k (-i)^k.
GPUARRAY_CALLED Complex wave_tail(double w, double p, bool airy) {
    double c = 1, scale = 1;
    Complex g(0, 1), turn(1, 0), sum(0, 1);
    for (int k = 1; k < 60; ++k) {
        c = next_coefficient(airy, c, k);
        turn = airy ? gpuarray::turn_back(turn) : gpuarray::turn(turn);
        g = gpuarray::turn_back(g) * (k - 1 + p) + gpuarray::turn(turn) * c;
        const double last = scale;
        scale = magnitude(g) * ::pow(w, double(-k));
        if (scale > last) break;
        sum = sum + g * ::pow(w, double(-k));
        if (scale < 1e-18) break;
    }
    return sum;
}
// The same for e^-w (sign -1, from w on) and e^w (sign 1, up to w).
GPUARRAY_CALLED double exponential_tail(double w, double p, bool airy, int sign) {
    // The first term, which is 1, comes last.
    double c = 1, g = 1, sum = 0, scale = 1, power = 1;
    for (int k = 1; k < 200; ++k) {
        c = next_coefficient(airy, c, k);
        g = (airy && sign < 0 && (k & 1) ? -c : c) + sign * (k - 1 + p) * g;
        power /= w;
        const double last = scale;
        scale = ::fabs(g) * power;
        if (scale > last && k > 2) break;
        sum += g * power;
        if (scale < 1e-18) break;
    }
    return 1 + sum;
}

// Nodes and weights of Gauss-Laguerre quadrature with 20 points (DLMF 3.5(v)).
__device__ const double LAGUERRE_NODES[20] = {
    0.07053988969198875, 0.37212681800161146, 0.9165821024832735, 1.707306531028344, 2.749199255309432,
    4.048925313850887, 5.6151749708616165, 7.459017453671064, 9.594392869581096, 12.038802546964316,
    14.81429344263074, 17.948895520519375, 21.47878824028501, 25.451702793186904, 29.93255463170061, 35.013434240479,
    40.83305705672857, 47.6199940473465, 55.810795750063896, 66.52441652561575,
};
__device__ const double LAGUERRE_WEIGHTS[20] = {
    0.16874680185111388, 0.2912543620060683, 0.2666861028670013, 0.16600245326950683, 0.07482606466879237,
    0.02496441730928322, 0.006202550844572237, 0.0011449623864769082, 0.00015574177302781197, 1.5401440865224915e-05,
    1.0864863665179824e-06, 5.3301209095567146e-08, 1.757981179050582e-09, 3.7255024025123206e-11,
    4.767529251578191e-13, 3.3728442433624386e-15, 1.1550143395003989e-17, 1.5395221405823435e-20,
    5.286442725569158e-24, 1.6564566124990233e-28,
};
// The integral of K0(t) / t from x on, times e^x, for x >= 8: its integrand is e^-t times what hardly varies.
GPUARRAY_CALLED double tail_of_k0(double x) {
    double sum = 0;
    for (int i = 19; i >= 0; --i) {
        const double t = x + LAGUERRE_NODES[i];
        sum += LAGUERRE_WEIGHTS[i] * k0e(t) / t;
    }
    return sum;
}

struct IntegralPair {
    double first, second;
};

// Sums over (sign x^2 / 4)^k / k!^2 / (2 k + start) of 1 and of log(x / 2) + gamma - H_k - 1 / (2 k + start). Without
// the term k = 0 for start = 0. Only the first sum if that is wanted alone.
GPUARRAY_CALLED void bessel_integral_sums(double x, int sign, int start, bool both, dd& first, dd& second, dd& log) {
    const dd quarter = product(x, x) * (0.25 * sign);
    dd term(1.0), harmonic(0.0);
    log = both ? log_dd(dd(x / 2)) + euler_dd() : dd(0.0);
    first = second = dd(0.0);
    for (int k = 0; k < 3000; ++k) {
        if (k > 0) {
            term = term * quarter / (double(k) * k);
            harmonic = harmonic + dd(1.0) / double(k);
        }
        if (k + start == 0) continue;
        const dd share = dd(1.0) / double(2 * k + start), part = term * share;
        first = first + part;
        if (both) second = second + part * (log - harmonic - share);
        const double least = sign > 0 ? 1e-33 : 1e-20;
        if (k > 1 && ::fabs(part.hi) * (20 + k) < least * (1e-14 + ::fabs(first.hi))) break;
    }
}

// Integrals from 0 to x of J0 and Y0.
GPUARRAY_CALLED IntegralPair itj0y0(double x) {
    const double size = ::fabs(x);
    IntegralPair out{0, 0};
    if (!isfinite(x)) return IntegralPair{x == x ? ::copysign(1.0, x) : x, x > 0 ? 0 : not_a_number()};
    if (size > 38) {
        double sine, cosine;
        ::sincos(size, &sine, &cosine);
        const Complex wave((cosine + sine) * 0.7071067811865476, (sine - cosine) * 0.7071067811865476);
        const Complex tail = wave * wave_tail(size, 0.5, false) * (0.7978845608028654 / ::sqrt(size));
        out = IntegralPair{1 - tail.real, -tail.imag};
    } else if (size > 0) {
        dd first(0.0), second(0.0), log(0.0);
        bessel_integral_sums(size, -1, 1, true, first, second, log);
        out = IntegralPair{rounded(first * size), rounded(second * size) * 0.6366197723675814};
    }
    if (x < 0) return IntegralPair{-out.first, not_a_number()};
    return out;
}
// Integrals from 0 to x of I0 and K0.
GPUARRAY_CALLED IntegralPair iti0k0(double x) {
    const double size = ::fabs(x);
    if (isnan(x)) return IntegralPair{x, x};
    IntegralPair out{0, 0};
    if (size > 0) {
        dd first(0.0), second(0.0), log(0.0);
        if (size < 700) bessel_integral_sums(size, 1, 1, size <= 20, first, second, log);
        out.first = rounded(first * size);
        if (size >= 700) {
            // The expansion of I0 has the coefficients of K0 with alternating signs.
            double c = 1, g = 1, sum = 1, power = 1;
            for (int k = 1; k < 40; ++k) {
                c = -next_coefficient(false, c, k);
                g = c + (k - 0.5) * g;
                power /= size;
                sum += g * power;
            }
            out.first = ::exp(size / 2) * (0.3989422804014327 * sum / ::sqrt(size)) * ::exp(size / 2);
        }
        out.second = size <= 20 ? -rounded(second * size)
                                : 1.5707963267948966 - 1.2533141373155003 * ::exp(-size) / ::sqrt(size) *
                                                           exponential_tail(size, 0.5, false, -1);
    }
    if (x < 0) return IntegralPair{-out.first, not_a_number()};
    return out;
}
// Integrals of (1 - J0(t)) / t from 0 to x, and of Y0(t) / t from x on.
GPUARRAY_CALLED IntegralPair it2j0y0(double x) {
    const double size = ::fabs(x);
    if (!(size > 0)) return x == 0 ? IntegralPair{0, -infinity()} : IntegralPair{x, x};
    IntegralPair out;
    if (size > 38) {
        double sine, cosine;
        ::sincos(size, &sine, &cosine);
        const Complex wave((cosine + sine) * 0.7071067811865476, (sine - cosine) * 0.7071067811865476);
        const Complex tail = wave * wave_tail(size, 1.5, false) * (0.7978845608028654 / (size * ::sqrt(size)));
        out = IntegralPair{::log(size / 2) + 0.5772156649015329 + tail.real, tail.imag};
    } else {
        dd first(0.0), second(0.0), log(0.0);
        bessel_integral_sums(size, -1, 0, true, first, second, log);
        out.first = -rounded(first);
        // pi / 6 - 2 / pi (log^2 / 2 + sum)
        out.second = rounded(dd(0.5235987755982989,
            -5.360408832255455e-17) - (log * log * 0.5 + second) * dd(0.6366197723675814, -3.9357353350364974e-17));
    }
    if (x < 0) out.second = not_a_number();
    return out;
}
// Integrals of (I0(t) - 1) / t from 0 to x, and of K0(t) / t from x on.
GPUARRAY_CALLED IntegralPair it2i0k0(double x) {
    const double size = ::fabs(x);
    if (!(size > 0)) return x == 0 ? IntegralPair{0, infinity()} : IntegralPair{x, x};
    IntegralPair out;
    dd first(0.0), second(0.0), log(0.0);
    if (size < 700) bessel_integral_sums(size, 1, 0, size <= 8, first, second, log);
    out.first = size < 700 ? rounded(first) : infinity();
    out.second = size <= 8 ? rounded(dd(0.4112335167120566, 7.60168087599619e-18) + log * log * 0.5 + second)
                            : ::exp(-size) * tail_of_k0(size);
    if (x < 0) out.second = not_a_number();
    return out;
}

// The sum of (sign x^2 / 4)^k (x / 2) / (Gamma(k + 3/2)^2 (2 k + start)): Struve's functions of order 0, integrated.
GPUARRAY_CALLED dd struve_integral_sum(double x, int sign, int start) {
    const dd quarter = product(x, x) * (0.25 * sign);
    dd term = dd(1.2732395447351628, -7.871470670072994e-17) * (x / 2), total(0.0);  // 4 / pi
    for (int k = 0; k < 3000; ++k) {
        const dd part = term / double(2 * k + start);
        total = total + part;
        if (::fabs(part.hi) * (20 + k) < 1e-20 * (1e-14 * (x < 1 ? x : 1) + ::fabs(total.hi))) break;
        term = term * quarter / ((k + 1.5) * (k + 1.5));
    }
    return total;
}
// The integral of H0 from 0 to x.
GPUARRAY_CALLED double itstruve0(double x) {
    x = ::fabs(x);
    if (!(x > 38)) return x == x ? rounded(struve_integral_sum(x, -1, 2) * x) : x;
    const double inverse = 1 / (x * x);
    double term = 1, sum = 0;
    for (int k = 1; k < 30; ++k) {
        const double last = ::fabs(term);
        term *= -(2.0 * k - 1) * (2.0 * k - 1) * inverse;
        if (::fabs(term) > last || ::fabs(term) < 1e-18) break;
        sum += term / (2 * k);
    }
    return itj0y0(x).second + 0.6366197723675814 * (::log(2 * x) + 0.5772156649015329 - sum);
}
// The integral of H0(t) / t from x on.
GPUARRAY_CALLED double it2struve0(double x) {
    const double size = ::fabs(x);
    if (isnan(x)) return x;
    double value;
    if (size <= 38) {
        value = rounded(dd(1.5707963267948966, 6.123233995736766e-17) - struve_integral_sum(size, -1, 1));
    } else {
        const double inverse = 1 / (size * size);
        double term = 1 / size, sum = term;
        for (int k = 1; k < 30; ++k) {
            const double last = ::fabs(term);
            term *= -(2.0 * k - 1) * (2.0 * k - 1) * inverse;
            if (::fabs(term) > last || ::fabs(term) < 1e-18) break;
            sum += term / (2 * k + 1);
        }
        value = it2j0y0(size).second + 0.6366197723675814 * sum;
    }
    return x < 0 ? 3.141592653589793 - value : value;
}
// The integral of L0 from 0 to x.
GPUARRAY_CALLED double itmodstruve0(double x) {
    x = ::fabs(x);
    if (isnan(x)) return x;
    return x < 700 ? rounded(struve_integral_sum(x, 1, 2) * x) : iti0k0(x).first;
}

// Integrals from 0 to x of Ai(t), Bi(t), Ai(-t) and Bi(-t).
struct AiryIntegrals {
    double apt, bpt, ant, bnt;
};
GPUARRAY_CALLED void airy_integrals(double x, bool negative, double& ai, double& bi) {
    if (x > 14.5) {
        if (x > 1e20 && !isinf(x)) {  // the wave is below rounding, and its phase has no digits
            ai = negative ? 0.6666666666666666 : 0.3333333333333333;
            bi = negative ? 0 : infinity();
            return;
        }
        double rest;
        const double w = airy_phase(x, rest), scale = 0.5641895835477563 / (::sqrt(::sqrt(x)) * ::sqrt(x));
        if (negative) {
            double sine, cosine, rest_sine, rest_cosine;
            ::sincos(w, &sine, &cosine);
            ::sincos(rest, &rest_sine, &rest_cosine);
            const Complex wave((cosine + sine) * 0.7071067811865476, (sine - cosine) * 0.7071067811865476);
            const Complex tail = wave * Complex(rest_cosine, rest_sine) * wave_tail(w, 0.5, true) * scale;
            ai = 0.6666666666666666 - tail.real;
            bi = tail.imag;
        } else {
            ai = 0.3333333333333333 - 0.5 * scale * ::exp(-w) * exponential_tail(w, 0.5, true, -1);
            bi = times_power(scale * exponential_tail(w, 0.5, true, 1), dd(w, rest));
        }
        return;
    }
    const dd cube = product(x, x) * (negative ? -x : x);
    dd even(x), odd = product(x, x) * 0.5, f = even, g = odd;
    for (int k = 1; k < 300; ++k) {
        const double n = 3.0 * k;
        even = even * cube * (n - 2) / ((n - 1) * n * (n + 1));
        odd = odd * cube * (n - 1) / (n * (n + 1) * (n + 2));
        f = f + even;
        g = g + odd;
        if (::fabs(even.hi) < 1e-34 * ::fabs(f.hi)) break;
    }
    f = f * dd(0.3550280538878172, 2.05233632436212e-17);
    g = g * dd(0.2588194037928068, -2.522243111610832e-17) * (negative ? -1.0 : 1.0);
    ai = rounded(f - g);
    bi = rounded((f + g) * dd(1.7320508075688772, 1.0035084221806903e-16));
}
GPUARRAY_CALLED AiryIntegrals itairy(double x) {
    AiryIntegrals out;
    if (isnan(x)) return AiryIntegrals{x, x, x, x};
    const double size = ::fabs(x);
    airy_integrals(size, false, out.apt, out.bpt);
    airy_integrals(size, true, out.ant, out.bnt);
    if (x < 0) return AiryIntegrals{-out.ant, -out.bnt, -out.apt, -out.bpt};
    return out;
}

}  // namespace special
}  // namespace gpuarray
