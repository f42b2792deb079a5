// Modified Bessel functions I and K of real order and real argument, in sums of two doubles where roundings pile up.
//
// I by its power series (DLMF 10.25.2); K near zero by N. M. Temme's series and recurrence upwards, beyond it by the
// trapezoidal rule for the integral DLMF 10.32.9, whose terms are positive. Large arguments by DLMF 10.40, large orders
// by the uniform expansions of DLMF 10.41.
#pragma once

#include "gpuarray/special_bessel_modified.cuh"
#include "gpuarray/special_bessel_quadrature.cuh"
#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

// I_v(x) = i e^i_exponent and K_v(x) = k e^k_exponent: the exponents are large where the functions are not.
struct ModifiedReal {
    double i;
    dd i_exponent;
    double k;
    dd k_exponent;
};

// sqrt(1 + w^2)
GPUARRAY_DEVICE dd root_of_one_and_square(dd w) {
    const dd square = w * w + 1.0;
    const double r = ::sqrt(square.hi);
    return fast_sum(r, (square - product(r, r)).hi / (2 * r));
}

// The sums of DLMF 10.17.1 over x^k, those of the indices 4 n, 4 n + 1, 4 n + 2 and 4 n + 3.
GPUARRAY_CALLED void hankel_parts(double v, double x, dd& sum0, dd& sum1, dd& sum2, dd& sum3) {
    const dd square = product(2 * v, 2 * v), inverse = dd(0.125) / dd(x);
    dd term(1.0);
    sum0 = dd(1.0), sum1 = dd(0.0), sum2 = dd(0.0), sum3 = dd(0.0);
#pragma unroll 1
    for (int k = 1; k < 100; ++k) {
        const double odd = 2 * k - 1, last = ::fabs(term.hi);
        term = term * inverse * (square - odd * odd) / double(k);
        if (::fabs(term.hi) > last && odd > 2 * v) break;
        const int index = k & 3;
        dd& sum = index == 0 ? sum0 : index == 1 ? sum1 : index == 2 ? sum2 : sum3;
        sum = sum + term;
        if (::fabs(term.hi) < 1e-17) break;
    }
}

// Coefficients of the beginning of Temme's series: those of f_0, p_0 and q_0 of his paper, for x <= 2 and |mu| <= 1/2.
struct TemmeStart {
    dd f, p, q;
};
GPUARRAY_CALLED TemmeStart temme_start(double mu, double x) {
    // 1 / Gamma(1 + mu) and 1 / Gamma(1 - mu)
    const dd square = product(mu, mu);
    double even_tail = 0, odd_tail = 0;
    for (int k = 22; k >= 4; k -= 2) {
        even_tail = even_tail * square.hi + RECIPROCAL_GAMMA[k];
        odd_tail = odd_tail * square.hi + RECIPROCAL_GAMMA[k - 1];
    }
    const dd even = (square * even_tail + dd(-0.6558780715202539, 2.137185197068536e-17)) * square + 1.0;
    const dd odd = square * odd_tail + euler_dd();
    const dd plus = even + odd * mu, minus = even - odd * mu;
    const dd log_half = dd(0.6931471805599453, 2.3190468138462996e-17) - log_dd(dd(x)), e = log_half * mu;
    const dd grown = exp_to_dd(e), fallen = exp_to_dd(-e);
    dd sine_ratio = (grown - fallen) * 0.5 / e;
    if (::fabs(e.hi) < 0.4) {
        const double z = e.hi * e.hi;
        const double c[] = {1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800};
        sine_ratio = fast_sum(1.0, z * polynomial(c, z));
    }
    const dd f = (even * sine_ratio * log_half - odd * (grown + fallen) * 0.5) / (plus * minus);
    return TemmeStart{f, grown / (plus * 2.0), fallen / (minus * 2.0)};
}
// The value of order mu + steps from those of mu and mu + 1, upwards; negative powers of two keep sums in the range.
GPUARRAY_CALLED double climbed(double mu, int steps, dd twice, dd value, dd next, double sign) {
#pragma unroll 1
    for (int n = 1; n <= steps; ++n) {
        const dd above = sum(mu, double(n)) * twice * next + value * sign;
        value = next;
        next = above;
    }
    return rounded(value);
}
GPUARRAY_CALLED double temme_k_near_zero(double v, double x) {
    const double steps = ::rint(v), mu = v - steps, scale = 5.421010862427522e-20;  // 2^-64
    TemmeStart at = temme_start(mu, x);
    const dd square = product(mu, mu), quarter = product(x, x) * 0.25;
    dd c(1.0), total = at.f, next = at.p;
#pragma unroll 1
    for (int k = 1; k < 30; ++k) {
        const double n = k;
        at.f = (at.f * n + at.p + at.q) / (dd(n * n) - square);
        at.p = at.p / sum(n, -mu);
        at.q = at.q / sum(n, mu);
        c = c * quarter / n;
        const dd term = c * at.f;
        total = total + term;
        next = next + c * (at.p - at.f * n);
        if (::fabs(term.hi) < 1e-20 * ::fabs(total.hi)) break;
    }
    const dd half(x * 0.5);
    const double found = climbed(mu, int(steps), dd(1.0) / half, total * scale, next * scale / half, 1.0);
    return isfinite(found) ? found / scale : infinity();
}

// K_v(x) e^x by the trapezoidal rule with steps of 1/8 or, of larger arguments, 1/16.
GPUARRAY_CALLED double integrated_k(double v, double x) {
    const int stride = x > 18 ? 1 : 2;
    dd total(0.5);
    double last = 0;
#pragma unroll 1
    for (int k = stride; k <= 96; k += stride) {
        const double* node = QUADRATURE_NODES + (2 * k - 2);
        const dd exponent = product(v, 0.0625 * k) - (product(x, node[0]) + x * node[1]);
        const double other = v * (-0.125 * k), term = 0.5 * exp_dd(exponent) * (1 + (other > -40 ? ::exp(other) : 0.0));
        total = total + term;
        if (term < last && term < 1e-18 * total.hi) break;
        last = term;
    }
    return rounded(total) * (0.0625 * stride);
}

// The sum of (sign x^2 / 4)^k / (k! (v + 1)_k), for an order of either sign.
GPUARRAY_CALLED dd series_of_i(double v, double x, double sign) {
    const dd quarter = product(x, x) * (0.25 * sign);
    dd term(1.0), total(1.0);
#pragma unroll 1
    for (int k = 1; k < 200; ++k) {
        term = term * quarter / (sum(v, double(k)) * double(k));
        total = total + term;
        if (::fabs(term.hi) < 1e-20 * ::fabs(total.hi) && k > -v) break;
    }
    return total;
}
// What the series is multiplied by: its sign and logarithm.
GPUARRAY_CALLED SignedLog first_term_of_i(double v, double x) {
    const SignedLog low = lgamma_signed(sum(v, 1.0));
    return SignedLog{(log_dd(dd(x)) - dd(0.6931471805599453, 2.3190468138462996e-17)) * v - low.log, low.sign};
}

// For v >= 0 and x > 0, both finite.
GPUARRAY_CALLED ModifiedReal modified_real(double v, double x) {
    if (x > ::fmax(18.5, v * v / 3) && (v < 20 || x > 1e4)) {
        dd sum0(0.0), sum1(0.0), sum2(0.0), sum3(0.0);
        hankel_parts(v, x, sum0, sum1, sum2, sum3);
        const dd even = sum0 + sum2, odd = sum1 + sum3;
        return ModifiedReal{::sqrt(0.15915494309189535 / x) * rounded(even - odd), dd(x),  // 1 / (2 pi), pi / 2
                            ::sqrt(1.5707963267948966 / x) * rounded(even + odd), dd(-x)};
    }
    if (v >= (x > 2 * v ? 8 : 12)) {
        const dd w = dd(x) / dd(v);
        if (!(w.hi > 1e-290 && v < 1e150)) {
            // Both are out of the range: eta below has its zero at this w.
            const double power = w.hi > 0.6627434193491816 ? 1e6 : -1e6;
            return ModifiedReal{1, dd(power), 1, dd(-power)};
        }
        const dd s = root_of_one_and_square(w), eta = s + log_dd(w / (s + 1.0));
        if (2 * v * ::hypot(eta.hi, 1.5707963267948966) > 60) {
            double plain, alternating;
            debye_sums(v, 1 / s.hi, plain, alternating);
            const double base = v * s.hi;
            const dd exponent = eta * v;
            return ModifiedReal{::sqrt(0.15915494309189535 / base) * plain, exponent,  // 1 / (2 pi), pi / 2
                                ::sqrt(1.5707963267948966 / base) * alternating, -exponent};
        }
    }
    const SignedLog first = first_term_of_i(v, x);
    ModifiedReal out{rounded(series_of_i(v, x, 1)), first.log, 0, dd(0.0)};
    if (x <= 0.5) {
        out.k = temme_k_near_zero(v, x);
    } else {
        out.k = integrated_k(v, x);
        out.k_exponent = dd(-x);
    }
    return out;
}

// I_v(x) e^shift for x > 0 and an order of either sign.
GPUARRAY_CALLED double real_i(double v, double x, dd shift) {
    if (v < 0 && !is_integer(v)) {
        // By its own series the zeros keep their digits, and the poles of I_v Gamma(v + 1).
        if (v > -20 && x < 30) {
            const SignedLog first = first_term_of_i(v, x);
            return first.sign * times_power(rounded(series_of_i(v, x, 1)), first.log + shift);
        }
        const ModifiedReal at = modified_real(-v, x);
        const double sine = 0.6366197723675814 * ::sinpi(-v);  // 2 / pi
        return times_power(at.i, at.i_exponent + shift) + sine * times_power(at.k, at.k_exponent + shift);
    }
    const ModifiedReal at = modified_real(::fabs(v), x);
    return times_power(at.i, at.i_exponent + shift);
}
// K_v(x) e^shift
GPUARRAY_CALLED double real_k(double v, double x, dd shift) {
    const ModifiedReal at = modified_real(::fabs(v), x);
    return times_power(at.k, at.k_exponent + shift);
}

}  // namespace special
}  // namespace gpuarray
