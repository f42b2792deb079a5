// Exponential, sine and cosine integrals, and the dilogarithm.
//
// Power series (DLMF 6.6, 8.19.8), continued fractions (6.9.1, 8.19.17) and the asymptotic series of Ei (6.12.2).
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_double_fits.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> cplx;

// gamma + log(x) + the sum of s^k x^(2k) / (2k (2k)!), or of x^k / (k k!) where `step` is 1: in two doubles, since it
// has a zero between 0.3 and 0.7.
GPUARRAY_DEVICE double last_part(dd) { return 1e-20; }
GPUARRAY_DEVICE double last_part(plain) { return 1e-11; }
template <class W> GPUARRAY_CALLED double logarithmic_series(double x, int step, double sign) {
    W term(1.0), total = W(0.5772156649015329, -4.942915152430645e-18) + log_of(W(::fabs(x)));
    const W factor = step == 2 ? product_of<W>(x, x) * sign : W(x);
#pragma unroll 1
    for (int k = step; k < 180; k += step) {
        term = term * factor / double(step == 2 ? k * (k - 1) : k);
        const W part = term / double(k);
        total = total + part;
        if (::fabs(part.hi) < last_part(total) * ::fabs(total.hi)) break;
    }
    return rounded(total);
}

// Polynomials, and for x > 1 the quotient of two.
GPUARRAY_CALLED double exp1(double x) {
    if (x == 0) return infinity();
    if (!(x > 0)) return not_a_number();
    if (x <= 1) return fit_e1_small(x - 1) - ::log(x);
    if (x > 750) return 0.0;
    const double r = reciprocal52(x);
    const double rest = r * fit_e1_large_top(r) / fit_e1_large_bottom(r);
    return rounded(quotient_dd(exp_dd(-x), x)) * (1 + rest);
}
GPUARRAY_DEVICE float exp1(float x) { return float(exp1(double(x))); }

// As W. J. Cody and H. C. Thacher, "Chebyshev approximations for the exponential integral Ei(x)" (1969), have it: the zero
// is taken out near it, exp(x) / x beyond.
GPUARRAY_CALLED double expi(double x) {
    if (x < 0) return -exp1(-x);
    if (x <= 6) {
        if (x < 1e-290) return x == 0 ? -infinity() : ::log(x) + 0.57721566490153286061;
        // The zero has two parts, and so has the quotient by it.
        const double zero = 0.37250741078136662, rest = 1.3140183414386028e-17, from = (x - zero) - rest;
        const dd log = log_by_table<true>(quotient_dd(x, zero, rest));
        return log.hi + ::fma(from, fit_ei_small(x - 3), log.lo);
    }
    if (!(x < 720)) return x != x ? x : infinity();
    const double r = reciprocal52(x);
    double scaled;
    if (x <= 14) {
        scaled = fit_ei_middle(::fma(r, 21.0, -2.5));
    } else if (x <= 40) {
        scaled = fit_ei_large(::fma(r, 43.07692307692308, -2.076923076923077));
    } else {
        scaled = fit_ei_great(::fma(r, 80.0, -1.0));
    }
    if (x < 700) return rounded(quotient_dd(exp_dd(x), x)) * scaled;
    // In halves: exp alone overflows before the quotient does.
    const double half = ::exp(x / 2);
    return half * (r * scaled) * half;
}
GPUARRAY_DEVICE float expi(float x) { return float(expi(double(x))); }

GPUARRAY_CALLED double expn(double order, double x) {
    if (order != order || x != x) return not_a_number();
    const double n = ::trunc(order);
    if (n < 0 || x < 0) return not_a_number();
    if (x > 750) return 0.0;
    if (x == 0) return n < 2 ? infinity() : 1 / (n - 1);
    if (n == 0) return ::exp(-x) / x;
    if (n == 1) return exp1(x);
    if (x > 1) {
        double tail = 0;
#pragma unroll 1
        for (int k = int(24 + 120 / x); k >= 1; --k) tail = (n + k - 1) / (1 + k / (x + tail));
        return ::exp(-x) / (x + tail);
    }
    // DLMF 8.19.8; the term of k = n - 1 has the logarithm, and is below the last digit from n = 60 on.
    dd digamma = -euler_dd(), factor(1.0), total(0.0), term(1.0);
    const int last = int(::fmin(n, 2e9)) - 1;
#pragma unroll 1
    for (int k = 1; k <= last && last < 60; ++k) {
        digamma = digamma + dd(1.0) / double(k);
        factor = factor * -x / double(k);
    }
#pragma unroll 1
    for (int k = 0; k < 80; ++k) {
        if (k != last) total = total - term / double(k - last);
        term = term * -x / double(k + 1);
        if ((k > last || last >= 60) && ::fabs(term.hi) < 1e-20 * ::fabs(total.hi)) break;
    }
    return rounded(last < 60 ? total + factor * (digamma - log_dd(dd(x))) : total);
}
GPUARRAY_DEVICE double expn(int64_t n, double x) { return expn(double(n), x); }
GPUARRAY_DEVICE double expn(float n, double x) { return expn(double(n), x); }

GPUARRAY_CALLED double shi(double x) {
    const double a = ::fabs(x);
    if (a > 20) {
        const double half = expi(a) / 2;
        return ::copysign(half + exp1(a) / 2, x);
    }
    if (x != x) return x;
    const dd square = product(x, x);
    dd power(x), total(x);
#pragma unroll 1
    for (int k = 2; k < 120; k += 2) {
        power = power * square / (k * (k + 1.0));
        const dd part = power / (k + 1.0);
        total = total + part;
        if (::fabs(part.hi) < 1e-18 * ::fabs(total.hi)) break;
    }
    return rounded(total);
}
GPUARRAY_CALLED double chi(double x) {
    const double a = ::fabs(x);
    if (a == 0) return -infinity();
    if (!(a < 3)) return x != x ? x : (expi(a) - exp1(a)) / 2;
    return logarithmic_series<dd>(a, 2, 1);
}

// exp(ix) E1(ix) for x >= 4.
GPUARRAY_CALLED cplx auxiliary(double x) {
    cplx tail(0, 0);
    const cplx z(0, x);
#pragma unroll 1
    for (int k = x < 20 ? 70 : 30; k >= 1; --k) {
        const cplx inner = reciprocal(z + tail);
        tail = reciprocal(cplx(1 + k * inner.real, k * inner.imag)) * double(k);
    }
    return reciprocal(z + tail);
}
GPUARRAY_CALLED double si(double x) {
    const double a = ::fabs(x);
    if (x != x) return x;
    if (a > 1e17) return ::copysign(1.5707963267948966192, x);
    if (a >= 4) {
        const cplx f = auxiliary(a);
        double s, c;
        ::sincos(a, &s, &c);
        return ::copysign(1.5707963267948966192 + (f.imag * c - f.real * s), x);
    }
    double power = x, total = 0;
#pragma unroll 1
    for (int k = 2; k < 60; k += 2) {
        power *= -x / k * (x / (k + 1));
        const double part = power / (k + 1);
        total += part;
        if (::fabs(part) < 1e-18 * ::fabs(total)) break;
    }
    return x + total;
}
GPUARRAY_CALLED double ci(double x) {
    if (x == 0) return -infinity();
    if (x != x || x == -infinity()) return not_a_number();
    x = ::fabs(x);
    if (x > 1e300) return isinf(x) ? 0.0 : ::sin(x) / x;
    if (x < 4) return logarithmic_series<dd>(x, 2, -1);
    const cplx f = auxiliary(x);
    double s, c;
    ::sincos(x, &s, &c);
    return -(f.real * c + f.imag * s);
}

GPUARRAY_CALLED cplx exp1(cplx z) {
    const double size = ::hypot(z.real, z.imag);
    if (size == 0) return cplx(infinity(), 0);
    if (isnan(z)) return cplx(not_a_number(), not_a_number());
    if (size < 2.5 || (z.real < -2 * ::fabs(z.imag) && size < 40) || (z.real < 0 && size < 5)) {
        cplx power(1, 0), total(0, 0);
#pragma unroll 1
        for (int k = 1; k < 160; ++k) {
            power = power * z * (-1.0 / k);
            total = total + power * (1.0 / k);
            if (::fabs(power.real) + ::fabs(power.imag) < 1e-18 * k * (::fabs(total.real) + ::fabs(total.imag))) break;
        }
        const cplx logarithm = log(z);
        return cplx(-0.57721566490153286061 - logarithm.real - total.real, -logarithm.imag - total.imag);
    }
    cplx tail(0, 0);
#pragma unroll 1
    for (int k = int(z.real < 0 ? 120 : 20 + 160 / size); k >= 1; --k) {
        const cplx inner = reciprocal(z + tail);
        tail = reciprocal(cplx(1 + k * inner.real, k * inner.imag)) * double(k);
    }
    const cplx result = c_product(exp(-z), reciprocal(z + tail));
    // The fraction has its cut on the negative axis between the two sides.
    if (z.real < 0 && z.imag == 0) return cplx(result.real, -::copysign(3.1415926535897932385, z.imag));
    return result;
}
GPUARRAY_CALLED cplx expi(cplx z) {
    if (z.real == 0 && z.imag == 0) return cplx(-infinity(), 0);
    const cplx e = exp1(-z);
    double imag = -e.imag;
    if (z.imag != 0 || z.real > 0) imag += ::copysign(3.1415926535897932385, z.imag);
    return cplx(-e.real, imag);
}

GPUARRAY_CALLED cplx integral_series(cplx z, double sign, bool odd) {
    const cplx zz = z * z * sign;
    cplx power = odd ? z : cplx(1, 0), total = odd ? z : cplx(0, 0);
#pragma unroll 1
    for (int k = odd ? 3 : 2; k < 40; k += 2) {
        power = power * zz * (1.0 / (k * (k - 1.0)));
        total = total + power * (1.0 / k);
    }
    if (odd) return total;
    const cplx logarithm = log(z);
    return cplx(0.57721566490153286061 + logarithm.real + total.real, logarithm.imag + total.imag);
}

GPUARRAY_CALLED cplx si(cplx z) {
    if (isinf(z.real) && z.imag == 0) return cplx(::copysign(1.5707963267948966192, z.real), 0);
    if (::hypot(z.real, z.imag) < 2) return integral_series(z, -1, true);
    const cplx plus = expi(cplx(-z.imag, z.real)), minus = expi(cplx(z.imag, -z.real));
    cplx result((plus.imag - minus.imag) / 2, (minus.real - plus.real) / 2);
    if (z.real != 0) result.real -= ::copysign(1.5707963267948966192, z.real);
    return result;
}
GPUARRAY_CALLED cplx ci(cplx z) {
    if (z.real == 0 && z.imag == 0) return cplx(-infinity(), 0);
    if (isinf(z.real) && z.imag == 0) return z.real > 0 ? cplx(0, 0) : cplx(0, 3.1415926535897932385);
    if (::hypot(z.real, z.imag) < 2) return integral_series(z, -1, false);
    const cplx plus = expi(cplx(-z.imag, z.real)), minus = expi(cplx(z.imag, -z.real));
    cplx result((plus.real + minus.real) / 2, (plus.imag + minus.imag) / 2);
    if (z.real == 0) {
        result.imag += ::copysign(1.5707963267948966192, z.imag);
    } else if (z.real < 0) {
        result.imag += z.imag >= 0 ? 3.1415926535897932385 : -3.1415926535897932385;
    }
    return result;
}
GPUARRAY_CALLED cplx shi(cplx z) {
    if (isinf(z.real) && z.imag == 0) return z;
    if (::hypot(z.real, z.imag) < 2) return integral_series(z, 1, true);
    const cplx plus = expi(z), minus = expi(-z);
    cplx result((plus.real - minus.real) / 2, (plus.imag - minus.imag) / 2);
    if (z.imag != 0) result.imag -= ::copysign(1.5707963267948966192, z.imag);
    return result;
}
GPUARRAY_CALLED cplx chi(cplx z) {
    if (z.real == 0 && z.imag == 0) return cplx(-infinity(), 0);
    if (isinf(z.real) && z.imag == 0) return z.real > 0 ? cplx(z.real, 0) : cplx(-z.real, 3.1415926535897932385);
    if (::hypot(z.real, z.imag) < 2) return integral_series(z, 1, false);
    const cplx plus = expi(z), minus = expi(-z);
    cplx result((plus.real + minus.real) / 2, (plus.imag + minus.imag) / 2);
    if (z.imag > 0) {
        result.imag += 1.5707963267948966192;
    } else if (z.imag < 0) {
        result.imag -= 1.5707963267948966192;
    } else if (z.real > 0) {
        // The cut is on the negative axis.
        result.imag = 0;
    } else {
        result.imag = 3.1415926535897932385;
    }
    return result;
}

// Li2(1 - exp(-u)) for |u| well below 2 pi, with Bernoulli numbers: D. Zagier, "The dilogarithm function" (2007).
GPUARRAY_CALLED double bernoulli_sum(double u) {
    const double c[] = {0.027777777777777776,    -0.0002777777777777778, 4.72411186696901e-06,  -9.185773074661964e-08,
                        1.8978869988971e-09,     -4.0647616451442256e-11, 8.921691020456452e-13, -1.9939295860721074e-14,
                        4.518980029619918e-16,   -1.0356517612181247e-17, 2.395218621026187e-19, -5.581785874325009e-21};
    const double uu = u * u;
    double total = 0;
#pragma unroll 1
    for (int k = 11; k >= 0; --k) total = (total + c[k]) * uu;
    return u + (total * u - uu * 0.25);
}
// The dilogarithm of 1 - x: reflected below 1/2 and inverted above 2.
GPUARRAY_CALLED double spence(double x) {
    if (!(x >= 0)) return not_a_number();
    if (x == 0) return 1.6449340668482264365;
    if (isinf(x)) return not_a_number();
    if (x < 0.5) return 1.6449340668482264365 - ::log(x) * ::log1p(-x) - bernoulli_sum(-::log1p(-x));
    // Of 1 it is no negative zero.
    if (x <= 2) return bernoulli_sum(x < 1.5 && x > 0.5 ? -::log1p(x - 1) : -::log(x)) + 0.0;
    const double logarithm = ::log(x);
    return -0.5 * logarithm * logarithm - (x > 1e9 ? 1.6449340668482264365 - (logarithm + 1) / x : spence(1 / x));
}

GPUARRAY_CALLED cplx spence_near(cplx u) {
    const double c[] = {0.027777777777777776,    -0.0002777777777777778, 4.72411186696901e-06,  -9.185773074661964e-08,
                        1.8978869988971e-09,     -4.0647616451442256e-11, 8.921691020456452e-13, -1.9939295860721074e-14,
                        4.518980029619918e-16,   -1.0356517612181247e-17, 2.395218621026187e-19, -5.581785874325009e-21,
                        1.3091507554183213e-22,  -3.0874198024267403e-24};
    const cplx uu = u * u;
    cplx total(0, 0);
#pragma unroll 1
    for (int k = 13; k >= 0; --k) total = cplx(total.real + c[k], total.imag) * uu;
    return u + total * u - uu * 0.25;
}
GPUARRAY_CALLED cplx spence_inside(cplx z) {
    if (z.real == 0 && z.imag == 0) return cplx(1.6449340668482264365, 0);
    // The series converges where the logarithm is small beside 2 pi: reflected near 0 and left of it.
    if (z.real >= 0 && ::hypot(z.real, z.imag) >= 0.5) return spence_near(-log1p(cplx(z.real - 1, z.imag)));
    const cplx below = log1p(cplx(-z.real, -z.imag)), rest = log(z) * below + spence_near(-below);
    return cplx(1.6449340668482264365 - rest.real, -rest.imag);
}
GPUARRAY_CALLED cplx spence(cplx z) {
    if (isnan(z)) return cplx(not_a_number(), not_a_number());
    if (::hypot(z.real, z.imag) <= 1) return spence_inside(z);
    if (z.real > 0 && ::hypot(z.real - 1, z.imag) < 0.9) return spence_near(-log1p(cplx(z.real - 1, z.imag)));
    const cplx logarithm = log(z), rest = spence_inside(reciprocal(z));
    return -(logarithm * logarithm * 0.5) - rest;
}

}  // namespace special
}  // namespace gpuarray
