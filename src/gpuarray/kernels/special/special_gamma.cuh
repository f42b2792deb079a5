// The gamma function of real arguments and its relatives.
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_gamma_log.cuh"
#include "gpuarray/special_gamma_product.cuh"

namespace gpuarray {
namespace special {

// n! for n up to 23, where it is exact.
__device__ const double FACTORIALS[24] = {
    1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0,
    6227020800.0, 87178291200.0, 1307674368000.0, 20922789888000.0, 355687428096000.0, 6402373705728000.0,
    1.21645100408832e+17, 2.43290200817664e+18, 5.109094217170944e+19, 1.1240007277776077e+21, 2.585201673888498e+22};

GPUARRAY_CALLED double gamma(double x) {
    if (x == 0) return ::copysign(infinity(), x);
    if (!(x < 172)) return x > 0 ? infinity() : x;
    if (is_integer(x)) {
        if (x < 0) return not_a_number();
        if (x <= 24) return FACTORIALS[int(x) - 1];
    }
    if (::fabs(x) < 1e-100) return 1 / x;
    if (x > -160) return one_gamma(x, false);
    if (x < -200) return isinf(x) ? not_a_number() : 0.0;
    const SignedLog found = lgamma_signed(dd(x));
    return found.sign * exp_dd(found.log);
}
GPUARRAY_CALLED double rgamma_elsewhere(double x) {
    if (x <= 0 && is_integer(x)) return x == 0 ? x : 0.0;
    if (x > 180) return 0.0;
    if (x != x) return x;
    if (x < -200) return ::copysign(infinity(), gammasgn(x));
    if (::fabs(x) < 1e-16) return x;
    if (x > -160 && x < 170) return one_gamma(x, true);
    const SignedLog found = lgamma_signed(dd(x));
    return found.sign * exp_dd(-found.log);
}
GPUARRAY_DEVICE double rgamma(double x) {
    // From 2^-52 to 169.
    return upper_word(x) - 0x3cb00000u < 0x03b52000u ? rgamma_right(x) : rgamma_elsewhere(x);
}
GPUARRAY_CALLED float rgamma_left(float x) {
    if (is_integer(x)) return x == 0 ? x : 0.0f;
    if (x < -60) return ::copysignf(float(infinity()), gammasgn(x));
    if (::fabsf(x) < 1e-16f) return x;
    double product = 1, at = x;
#pragma unroll 1
    for (; at < 1; at += 1) product *= at;
    return float(product / fit_gamma(float(at - 1.5)));
}
GPUARRAY_DEVICE float rgamma(float x) { return x <= 0 ? rgamma_left(x) : rgamma_positive(x); }

// The derivative of log gamma: DLMF 5.11.2 from 16 on, below by recurrence, and by reflection below -256. Two doubles
// keep the digits near its zeros.
template <class W> GPUARRAY_CALLED double digamma_of(double x) {
    if (x == 0) return ::copysign(infinity(), -x);
    if (x < 0 && (is_integer(x) || isinf(x))) return not_a_number();
    if (!isfinite(x)) return x;
    if (::fabs(x) < 1e-300) return -1 / x;
    if (x < -256) return digamma_of<W>(-x) - 1 / x - 3.141592653589793 * ::cospi(x) / ::sinpi(x);
    if (x > 1e17) return ::log(x);
    W wide(x), total(0.0);
#pragma unroll 1
    while (wide.hi < W::STIRLING) {
        total = total - W(1.0) / wide;
        wide = wide + 1.0;
    }
    const W r = W(1.0) / wide;
    const double z = r.hi * r.hi;
    const double c[] = {-0.008333333333333333, 0.003968253968253968, -0.004166666666666667, 0.007575757575757576,
                        -0.021092796092796094, 0.08333333333333333,  -0.4432598039215686,   3.0539543302701198};
    const W second = W(0.08333333333333333, 4.625929269271485e-18) * (r * r) + z * z * polynomial(c, z);
    return rounded(log_of(wide) - r * 0.5 - second + total);
}
GPUARRAY_DEVICE double digamma(double x) { return x > 0 ? digamma_right(x) : digamma_of<dd>(x); }
GPUARRAY_CALLED float digamma_left(float x) {
    if (x == 0 || is_integer(x)) return x == 0 ? ::copysignf(float(infinity()), -x) : float(not_a_number());
    const double y = -double(x);
    return float(digamma_of<plain>(y) + 1 / y + 3.141592653589793 * ::cospi(y) / ::sinpi(y));
}
GPUARRAY_DEVICE float digamma(float x) { return x <= 0 ? digamma_left(x) : digamma_positive(x); }

// log(gamma(a + b) / gamma(a)) for a >= 16 and a + b >= 16, where both logarithms would be large.
template <class W> GPUARRAY_CALLED W lgamma_ratio(W a, W b) {
    const W s = a + b;
    return (a - 0.5) * log1p_of(b / a) + b * log_of(s) - b + (stirling_rest(s) - stirling_rest(a));
}

// log(gamma(1 + a)), to all digits for small a, too.
template <class W> GPUARRAY_CALLED W lgamma1p(double a) {
    if (a > 0.02) return lgamma_positive(W(1.0) + a);
    const double c[] = {0.8224670334241132,  -0.40068563438653143, 0.27058080842778454, -0.20738555102867398,
                        0.1695571769974082,  -0.1440498967688461,  0.12550966952474304, -0.11133426586956469};
    return W(-0.5772156649015329, 4.942915152430645e-18) * a + a * a * polynomial(c, a);
}

// log(gamma(b + a) / gamma(b)) for 0 < a < 1 and b > 0, to all digits for small a, too.
GPUARRAY_CALLED dd lgamma_step(double b, double a) {
    if (b > 1e60) return log_dd(dd(b)) * a;  // what is left is about a / b, and squares would leave the range
    if (a > 1e-4) return b < 16 ? lgamma_positive(sum(b, a)) - lgamma_positive(dd(b)) : lgamma_ratio(dd(b), dd(a));
    const auto log1p_small = [](dd z) {
        if (::fabs(z.hi) > 0.01) return log_dd(z + 1.0);
        return z + z * z * ::fma(z.hi, polynomial(LOG_SERIES, z.hi), -0.5);
    };
    dd total(0.0), from(b);
#pragma unroll 1
    while (from.hi < 16) {
        total = total - log1p_small(dd(a) / from);
        from = from + 1.0;
    }
    const dd to = from + a, product_of_both = from * to;
    // What is left of Stirling's formula falls by the derivative of its later terms in the middle, and by differences of
    // the first two.
    const double r = 1 / from.hi, middle = 1 / (from.hi + 0.5 * a), z = middle * middle;
    const double squares = (to.hi * to.hi + from.hi * to.hi + from.hi * from.hi) * r;
    const double cube = r / (to.hi * to.hi * to.hi);
    const double first = -0.08333333333333333 * a / product_of_both.hi + 0.002777777777777778 * a * cube * r * squares;
    const double c[] = {-5 * 0.0007936507936507937, 7 * 0.0005952380952380953, -9 * 0.0008417508417508417,
                        11 * 0.0019175269175269176};
    const double rest = first + a * z * z * z * polynomial(c, z);
    return total + (from - 0.5) * log1p_small(dd(a) / from) + (log_dd(to) - 1.0) * a + rest;
}

GPUARRAY_DEVICE bool is_pole(double x) { return x <= 0 && is_integer(x); }

// The logarithm of beta for arguments that are no poles.
template <class W> GPUARRAY_CALLED FactorAndLog<W> lbeta_of(double a, double b) {
    if (a < b) {
        const double swapped = a;
        a = b;
        b = swapped;
    }
    const W s = sum_of<W>(a, b);
    if (is_pole(s.hi) && s.lo == 0) return FactorAndLog<W>{W(-infinity()), 1.0};
    const FactorAndLog<W> small = lgamma_signed(W(b));
    if (a >= 16 && s.hi >= 16) return FactorAndLog<W>{small.log - lgamma_ratio(W(a), W(b)), small.sign};
    const FactorAndLog<W> large = lgamma_signed(W(a)), both = lgamma_signed(s);
    return FactorAndLog<W>{large.log + small.log - both.log, large.sign / both.sign * small.sign};
}
GPUARRAY_DEVICE SignedLog lbeta_signed(double a, double b) { return lbeta_of<dd>(a, b); }

// At a pole of one factor: finite where the other argument is an integer, too, and the sum is not positive.
GPUARRAY_DEVICE bool beta_at_pole(double& a, double& b, double& sign) {
    if (!is_pole(a)) {
        const double swapped = a;
        a = b;
        b = swapped;
    }
    if (!is_integer(b) || !(1 - a - b > 0)) return false;
    sign *= is_integer(b / 2) ? 1.0 : -1.0;
    a = 1 - a - b;
    return true;
}

template <class W> GPUARRAY_CALLED double beta_of(double a, double b) {
    if (a != a || b != b) return not_a_number();
    double sign = 1;
    while (is_pole(a) || is_pole(b)) {
        if (!beta_at_pole(a, b, sign)) return infinity();
    }
    if (isinf(a) || isinf(b)) return a > 0 && b > 0 ? 0.0 : not_a_number();
    if (W::COMPENSATED && has_product(a) && has_product(b) && has_product(sum(a, b))) {
        return sign * gamma_quotient(sum(a, b), a, b, true);
    }
    const FactorAndLog<W> found = lbeta_of<W>(a, b);
    return sign * found.sign * exp_of(found.log);
}
GPUARRAY_DEVICE double beta(double a, double b) { return beta_of<dd>(a, b); }
GPUARRAY_DEVICE float beta(float a, float b) { return float(beta_of<plain>(a, b)); }

template <class W> GPUARRAY_CALLED double betaln_of(double a, double b) {
    if (a != a || b != b) return not_a_number();
    double sign = 1;
    while (is_pole(a) || is_pole(b)) {
        if (!beta_at_pole(a, b, sign)) return infinity();
    }
    if (isinf(a) || isinf(b)) return a > 0 && b > 0 ? -infinity() : not_a_number();
    if (W::COMPENSATED && has_product(a) && has_product(b) && has_product(sum(a, b))) {
        return log_gamma_quotient(sum(a, b), a, b, true);
    }
    return log_of_magnitude(lbeta_of<W>(a, b));
}
GPUARRAY_DEVICE double betaln(double a, double b) { return betaln_of<dd>(a, b); }
GPUARRAY_DEVICE float betaln(float a, float b) { return float(betaln_of<plain>(a, b)); }

// gamma(a + m) / gamma(a)
template <class W> GPUARRAY_CALLED double poch_of(double a, double m) {
    if (m == 0 && a == a) return 1.0;
    if (!isfinite(a) || !isfinite(m)) return a + m;
    if (is_integer(m) && ::fabs(m) <= 32) {
        W p(1.0);
        const int count = int(::fabs(m));
#pragma unroll 1
        for (int i = 0; i < count; ++i) p = p * (m > 0 ? sum_of<W>(a, double(i)) : sum_of<W>(a, double(-1 - i)));
        if (p.hi == 0 || !isfinite(p.hi) || !isfinite(p.lo)) {
            double rough = 1;
            for (int i = 0; i < count; ++i) rough *= m > 0 ? a + i : a - 1 - i;
            return m > 0 ? rough : rough == 0 ? infinity() : 1 / rough;
        }
        return m > 0 ? rounded(p) : rounded(W(1.0) / p);
    }
    const W s = sum_of<W>(a, m);
    const bool above = is_pole(s.hi) && s.lo == 0, below = is_pole(a);
    if (above && !below) return infinity();
    if (below && !above) return 0.0;
    if (below && above) {
        // The limit for m that is an integer: (-a)! / (-a - m)!, with m's sign.
        const double value = exp_of(lgamma_positive(W(1.0) - W(a)) - lgamma_positive(W(1.0) - s));
        return is_integer(m / 2) ? value : -value;
    }
    if (s.hi > 1e290 && a < 1e280) return lgamma_signed(W(a)).sign * infinity();
    if (W::COMPENSATED && has_product(a) && has_product(sum(a, m))) {
        return gamma_quotient(sum(a, m), dd(a));
    }
    if (a >= 16 && s.hi >= 16) return exp_of(lgamma_ratio(W(a), W(m)));
    const FactorAndLog<W> top = lgamma_signed(s), bottom = lgamma_signed(W(a));
    return top.sign / bottom.sign * exp_of(top.log - bottom.log);
}

GPUARRAY_DEVICE double poch(double a, double m) { return poch_of<dd>(a, m); }
GPUARRAY_DEVICE float poch(float a, float m) { return float(poch_of<plain>(a, m)); }

// Of x - log(1 + x) = x^2 (1/2 - x (1/3 - x (1/4 - ...))), from 1/4 on.
inline __constant__ double LOG_REST[] = {0.25, -0.2, 1.0 / 6, -1.0 / 7, 0.125, -1.0 / 9, 0.1, -1.0 / 11, 1.0 / 12};
// x - log(1 + x), which is multiplied by a large number: the digits that cancel for small x are wanted.
template <class W> GPUARRAY_DEVICE W less_log1p(W x) {
    if (::fabs(x.hi) > 0.0125) return x - log1p_of(x);
    const W third = W(0.3333333333333333, 1.850371707708594e-17) - W(polynomial(LOG_REST, x.hi)) * x;
    return x * x * (W(0.5) - x * third);
}

// gamma(n + 1) / gamma(k + 1) / gamma(n - k + 1)
template <class W> GPUARRAY_CALLED double binom_of(double n, double k) {
    if (n != n || k != k || (n < 0 && is_integer(n)) || isinf(n) || isinf(k)) return not_a_number();
    if (is_integer(k) && (k < 0 || (is_integer(n) && k > n))) return 0.0;  // poles below
    if (is_integer(k) && (::fabs(n) > 1e-8 || n == 0 || !W::COMPENSATED)) {
        double low = k;
        if (is_integer(n) && low > n / 2 && n > 0) low = n - low;
        if (low >= 0 && low < 24) {
            W p(1.0);
#pragma unroll 1
            for (double i = 1; i <= low; ++i) p = p * sum_of<W>(n, i - low) / i;
            if (!isfinite(p.hi)) {  // beyond the range, where two doubles are none
                double rough = 1;
                for (double i = 1; i <= low; ++i) rough *= (n + (i - low)) / i;
                return rough;
            }
            return is_integer(n) ? ::rint(p.hi) + (p.hi - ::rint(p.hi)) : rounded(p);
        }
    }
    const W top = sum_of<W>(n, 1.0), first = sum_of<W>(k, 1.0), second = sum_of<W>(n, -k) + 1.0;
    if ((is_pole(first.hi) && first.lo == 0) || (is_pole(second.hi) && second.lo == 0)) return 0.0;
    if (W::COMPENSATED && has_product(dd(top.hi, top.lo)) && has_product(dd(first.hi, first.lo)) &&
        has_product(dd(second.hi, second.lo))) {
        return gamma_quotient(dd(top.hi, top.lo), dd(first.hi, first.lo), dd(second.hi, second.lo), false);
    }
    const FactorAndLog<W> numerator = lgamma_signed(top);
    // The smaller argument of the two is far from the larger one's logarithm where both are large.
    if (k > 16 && second.hi < -16) {
        // By reflection of the second: gamma(k - n) sin(pi (k - n)) / pi.
        const W z = sum_of<W>(k, -n);
        if (z.hi >= 16) {
            // For an integer k it is the sine of pi n but for the sign: k - n may have lost the digits of n.
            const double sine = is_integer(k) ? (is_integer(k / 2) ? -::sinpi(n) : ::sinpi(n)) : sinpi_of(z);
            return numerator.sign * sine / 3.141592653589793 * exp_of(numerator.log - lgamma_ratio(z, top));
        }
    }
    const bool first_is_larger = first.hi > second.hi;
    const W larger = first_is_larger ? first : second, smaller = first_is_larger ? second : first;
    const FactorAndLog<W> rest = lgamma_signed(smaller);
    if (larger.hi >= 16 && top.hi >= 16) {
        const W excess = first_is_larger ? sum_of<W>(n, -k) : W(k);
        return exp_of(lgamma_ratio(larger, excess) - rest.log) / rest.sign;
    }
    const FactorAndLog<W> other = lgamma_signed(larger);
    return numerator.sign / rest.sign / other.sign * exp_of(numerator.log - rest.log - other.log);
}
GPUARRAY_DEVICE double binom(double n, double k) { return binom_of<dd>(n, k); }
GPUARRAY_DEVICE float binom(float n, float k) { return float(binom_of<plain>(n, k)); }

}  // namespace special
}  // namespace gpuarray
