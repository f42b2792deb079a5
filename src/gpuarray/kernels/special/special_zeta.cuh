// Riemann's and Hurwitz's zeta functions.
#pragma once

#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

// zeta(1 + t) - 1 for t > -1: P. Borwein, "An efficient algorithm for the Riemann zeta function" (1995), with 26 terms.
// The first term of the alternating sum is 1 to the last digit, and falls away.
GPUARRAY_CALLED double zetac_right(double t) {
    // 2^-s and 3^-s
    if (t > 60) return ::exp2(-1 - t) * (1 + ::exp2((-1 - t) * 0.5849625007211562));
    const double c[] = {0.9999999999999923,  0.9999999999993129,  0.9999999999669417,   0.9999999990173852,
                        0.999999980285226,   0.9999997167999086,  0.9999969633783431,   0.9999749360058185,
                        0.9998369750936913,  0.9991489622332123,  0.9963819539899814,   0.9873231946952196,
                        0.9630227134124458,  0.9093940650642554,  0.8118677731084736,   0.6658391006613137,
                        0.48643244594051716, 0.3067705897194066,  0.16165909046389423,  0.0686259341467713,
                        0.02240438713932123, 0.0052555233220643914, 0.0007858726462900025, 5.613376044928589e-05};
    double total = 0;
#pragma unroll 1
    for (int k = 25; k >= 2; --k) {
        const double term = c[k - 2] * ::pow(double(k + 1), -t) / (k + 1);
        total += k % 2 ? -term : term;
    }
    // 2^-t - 2^(-1-t) is what the term of k = 1 and the numerator's 2^(1-s) leave.
    return (total + ::exp2(-1 - t)) / -::expm1(-t * 0.69314718055994530942);
}

// The sum over (n + q)^-s by Euler's and Maclaurin's formula (DLMF 25.11.5) to 30 bits; s = 1 + t > 1/2
// and q > 0.
GPUARRAY_CALLED double zeta_sum30(double t, double q) {
    const double s = 1 + t;
    double a = q, total = 0;
    // From here on the terms of the rest fall fast enough.
    const double enough = 5 + 0.6 * ::fmin(s, 40.0);
#pragma unroll 1
    while (a < enough) {
        const double term = exp2_wide(-s * log2_wide(a));
        total += term;
        if (term < 1e-10 * total) return total;
        a += 1;
    }
    const double power = exp2_wide(-s * log2_wide(a)), inverse = 1 / a, square = inverse * inverse;
    // B_2k / (2k)! of the terms
    const double c[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 2.08767569878681e-08,
                        -5.284190138687493e-10, 1.3382536530684679e-11};
    double factor = s, rest = 0.5;
#pragma unroll
    for (int k = 0; k < 7; ++k) {
        rest = ::fma(c[k] * factor, inverse, rest);
        factor *= (s + (2 * k + 1)) * (s + (2 * k + 2)) * square;
    }
    return total + power * (a / t + rest);
}

// zeta(s) for s < 1/2 by reflection: DLMF 25.4.1.
GPUARRAY_DEVICE double zetac_right_of(dd t) { return zetac_right(t.hi); }
GPUARRAY_DEVICE double zetac_right_of(plain t) {
    return t.hi > 60 ? ::exp2(-1 - t.hi) : zeta_sum30(t.hi, 2.0);
}
template <class W> GPUARRAY_CALLED double zeta_left(double s) {
    if (::fabs(s) < 1e-18) return -0.5;
    const W wide = W(1.0) - s;
    W exponent = lgamma_positive(wide) - wide * W(1.8378770664093456, -7.756588316134483e-17);
    if (s < -260) {
        // The exponential may overflow where the product with the sine does not.
        if (is_integer(s / 2)) return 0.0;
        if (s < -400) return ::copysign(infinity(), ::sinpi(s / 2));
        const double half = exp_of(exponent * W(0.5));
        return half * (2 * ::sinpi(s / 2)) * half;
    }
    return 2 * exp_of(exponent) * ::sinpi(s / 2) * (1 + zetac_right_of(W(-s)));
}

template <class T> GPUARRAY_DEVICE double zetac(T s) {
    if (s != s || s == -infinity()) return not_a_number();
    if (s == 1) return infinity();
    const double t = s;
    return t >= 0.5 ? zetac_right_of(Wide<T>(t - 1)) : zeta_left<Wide<T>>(t) - 1;
}
template <class T> GPUARRAY_DEVICE double riemann_zeta(T s) {
    if (s != s || s == -infinity()) return not_a_number();
    if (s == 1) return infinity();
    const double t = s;
    return t >= 0.5 ? 1 + zetac_right_of(Wide<T>(t - 1)) : zeta_left<Wide<T>>(t);
}

// B_2k / (2k)!
inline __constant__ double ZETA_SERIES[] = {
    1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 2.08767569878681e-08, -5.284190138687493e-10,
    1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15, -2.174868698558062e-16,
    5.5090028283602295e-18, -1.3954464685812522e-19, 3.534707039629467e-21, -8.953517427037546e-23,
    2.267952452337683e-24, -5.744790668872202e-26};

// a^-s. The logarithm has two doubles: s magnifies its error.
GPUARRAY_DEVICE double inverse_power(dd a, double s) {
    if (!(a.hi > 1e-290 && a.hi < 1e290)) return ::pow(a.hi, -s);
    const dd log = log_by_table<true>(a);
    const double high = -s * log.hi;
    return exp_dd(dd(high, ::fma(-s, log.hi, -high) - s * log.lo));
}

// What Euler's and Maclaurin's formula (DLMF 25.11.5) adds for the terms from a on.
GPUARRAY_DEVICE double euler_maclaurin(double s, dd a, double power) {
    const double inverse = reciprocal52(a.hi), square = inverse * inverse;
    double factor = s * inverse, rest = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        rest = ::fma(ZETA_SERIES[k], factor, rest);
        factor *= (s + (2 * k + 1)) * (s + (2 * k + 2)) * square;
    }
    return power * (a.hi / (s - 1) + (0.5 + rest));
}

// The sum over (n + q)^-s of any s and q.
GPUARRAY_CALLED double hurwitz_sum(double s, double q) {
    if (s != s || q != q) return not_a_number();
    if (s == 1) return infinity();
    if (s < 1) return not_a_number();
    if (q <= 0) {
        if (is_integer(q)) return infinity();
        if (!is_integer(s)) return not_a_number();
    }
    if (isinf(s)) return q == 1 ? 1.0 : q > 1 ? 0.0 : infinity();
    if (q > 1e8) return (1 / (s - 1) + 1 / (2 * q)) * ::pow(q, 1 - s);
    dd total(0.0), a(q);
    // From here on the rest has all digits.
    const double enough = 6.4 + 0.55 * s;
#pragma unroll 1
    for (int n = 0; n < 20000; ++n) {
        a = sum(q, n);
        if (a.hi >= enough) break;
        const double term = inverse_power(a, s);
        total = total + term;
        if (a.hi > 0 && term < 1e-18 * ::fabs(total.hi)) return total.hi;
    }
    total = total + euler_maclaurin(s, a, inverse_power(a, s));
    return rounded(total);
}

// The same where no power is near the ends of the range; pairs of terms do not wait for one another.
GPUARRAY_DEVICE double usual_power(dd a, double s) {
    const dd log = log_by_table<true>(a);
    const double high = -s * log.hi;
    const ScaledPower found(dd(high, ::fma(-s, log.hi, -high) - s * log.lo));
    return (found.rest + 1) * found.scale;
}
GPUARRAY_CALLED double hurwitz_zeta(double s, double q) {
    if (s > 1 && s < 1e5 && q > 1e-3 && q < 1e8) {
        // From `from` on the last term of the formula is 2^-56 of the first of the sum: a bound of the rest. The factors
        // s (s + 1) ... (s + 30) of that term are less than the 31st power in the logarithm.
        const float order = s, log = ::log2f(float(q));
        const float last = 31 * ::log2f(order + 15 - 18 / (order + 4)) - 27.8f;
        const float from = ::exp2f((last + order * log) / (31 + order));
        const int terms = from > float(q) ? int(from - float(q)) + 1 : 0;
        if (order * ::fmaxf(::fabsf(log), ::fabsf(::log2f(float(q) + terms))) < 1000) {
            dd total(0.0);
#pragma unroll 1
            for (int n = 0; n < terms; n += 2) {
                const double one = usual_power(sum(q, n), s), next = usual_power(sum(q, n + 1), s);
                const dd pair = fast_sum(one, n + 1 < terms ? next : 0.0), added = fast_sum(total.hi, pair.hi);
                total = dd(added.hi, total.lo + (added.lo + pair.lo));
            }
            const dd a = sum(q, terms);
            return total.hi + (total.lo + euler_maclaurin(s, a, usual_power(a, s)));
        }
    }
    return hurwitz_sum(s, q);
}
GPUARRAY_CALLED float hurwitz_zeta(float s, float q) {
    // What has no case of its own.
    if (s > 1 && s < 1e6f && q > 0 && q < 1e8f) return float(zeta_sum30(double(s) - 1, q));
    return float(hurwitz_sum(s, q));
}

}  // namespace special
}  // namespace gpuarray
