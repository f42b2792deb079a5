// Hypergeometric functions 1F1, 0F1 and U.
//
// Power series of two doubles (DLMF 13.2, 16.2) where they converge; Kummer's transformation (13.2.39) where it helps;
// asymptotic series (13.7); else the differential equation by Taylor series along a path on which the function is not
// recessive.
#pragma once

#include "gpuarray/special_bessel.cuh"
#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_hypergeometric_series.cuh"
#include "gpuarray/special_ode.cuh"

namespace gpuarray {
namespace special {

// Sum of (a)_k (b)_k / k! w^k up to its smallest term, which says how far it can be trusted.
template <class T> GPUARRAY_CALLED T asymptotic_2f0(double a, double b, T w, double& error) {
    T term = T(1), sum = T(1);
    double last = 1e300;
    for (int k = 0; k < 500; ++k) {
        term = term * w * ((a + k) * (b + k) / (k + 1));
        const double size = magnitude(term);
        if (size > last && k > ::fabs(a) + ::fabs(b)) break;
        sum = sum + term;
        last = size;
        if (size < 1e-18 * magnitude(sum)) break;
    }
    error = last / magnitude(sum);
    return sum;
}

// M(a, b, x) for x > 0 and a far below zero, where it is a wave: Kummer's equation by Taylor series outwards, from where
// its power series has few terms that cancel.
GPUARRAY_CALLED double kummer_wave(dd a, double b, double x) {
    const double start = ::fmin(x, 20 / (1 - a.hi));
    const Series s = power_series_dd(1, a, dd(0.0), dd(b), dd(start), 1e300);
    Solution<dd> y{s.sum, s.slope / start};
    const Equation<dd> e{dd(0.0), dd(1.0), dd(0.0), dd(b), dd(-1.0), -a, dd(0.0), dd(0.0)};
    double at = start;
    for (int step = 0; step < 20000 && at < x; ++step) {
        const double next = ::fmin(x, at + ::fmin(0.5 * at, 8 * ::sqrt(at / -a.hi)));
        y = taylor_step(e, dd(at), sum(next, -at), y, 1e-28);
        at = next;
    }
    return rounded(y.value);
}
GPUARRAY_CALLED double hyp1f1(double a, double b, double x) {
    if (isnan(a) || isnan(b) || isnan(x)) return not_a_number();
    if (isinf(a) || isinf(b)) return not_a_number();
    const double degree = degree_of(a);
    if (b <= 0 && is_integer(b) && !(degree <= -b && a != 0)) return infinity();
    if (a == 0 || x == 0) return 1;
    if (isinf(x)) return x > 0 ? (degree > 1e299 ? infinity() : (::fmod(a, 2.0) == 0) == (b > 0)
        ? infinity() : -infinity()) : 0;
    if (a == b && degree > 1e299) return ::exp(x);
    if (degree < 1e299 || ::fabs(x) < 700) {
        const Series s = power_series_dd(1, dd(a), dd(0.0), dd(b), dd(x), degree);
        if (reliable(s) || degree < 30) return rounded(s.sum);
        if (x < 0) {
            const dd other = sum(b, -a);
            const Series t = power_series_dd(1, other, dd(0.0), dd(b), dd(-x), other.lo == 0
                ? degree_of(other.hi) : 1e300);
            if (reliable(t)) return ::exp(x) * rounded(t.sum);
        }
    }
    const dd below = x > 0 ? dd(a) : sum(b, -a);
    if (below.hi < -1 && ::fabs(x) < 700 && b > -25) {
        const double wave = kummer_wave(below, b, ::fabs(x));
        return x > 0 ? wave : times_power(wave, dd(x));
    }
    double error;
    const SignedLog top = lgamma_signed(dd(b));
    if (x > 0) {
        const double series = asymptotic_2f0(b - a, 1 - a, 1 / x, error);
        const SignedLog low = lgamma_signed(dd(a));
        const dd log = top.log - low.log + dd(x) + sum(a, -b) * log_dd(dd(x));
        return top.sign * low.sign * series * exp_dd(log);
    }
    const dd rest = sum(b, -a);
    const double series = asymptotic_2f0(a, a - b + 1, -1 / x, error);
    if (rest.lo == 0 && degree_of(rest.hi) < 1e299) {
        return ::exp(x) * rounded(power_series_dd(1, rest, dd(0.0), dd(b), dd(-x), -rest.hi).sum);
    }
    const SignedLog low = lgamma_signed(rest);
    return top.sign * low.sign * series * exp_dd(top.log - low.log - dd(a) * log_dd(dd(-x)));
}
// A sum of complex terms with real and imaginary part of two doubles each.
GPUARRAY_CALLED Complex hyp1f1(double a, double b, Complex z) {
    if (isnan(a) || isnan(b) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    if (z.imag == 0) return Complex(hyp1f1(a, b, z.real), 0);
    const double degree = degree_of(a);
    if (b <= 0 && is_integer(b) && !(degree <= -b && (b != 0))) return Complex(infinity(), 0);
    if (magnitude(z) < 60 || degree < 1e299) {
        const bool flip = z.real < 0 && degree > 1e299;
        const dd first = flip ? sum(b, -a) : dd(a);
        const Complex w = flip ? -z : z;
        dd tr(1.0), ti(0.0), sr(1.0), si(0.0);
        for (int k = 0; k < 3000; ++k) {
            const dd factor = (first + double(k)) / (sum(b, k) * double(k + 1));
            const dd re = (tr * w.real - ti * w.imag) * factor, im = (tr * w.imag + ti * w.real) * factor;
            tr = re;
            ti = im;
            sr = sr + re;
            si = si + im;
            if (k > degree || (::fabs(re.hi) + ::fabs(im.hi)) <= 1e-18 * (::fabs(sr.hi)
                + ::fabs(si.hi)) * (k > 3)) break;
        }
        const Complex value(rounded(sr), rounded(si));
        return flip ? value * exponential(z) : value;
    }
    // DLMF 13.7.2
    double error;
    const double side = z.imag >= 0 ? 1 : -1, top = gamma(b);
    const Complex log = principal_log(z), w = 1.0 / z;
    const Complex grows = asymptotic_2f0(b - a, 1 - a, w, error) * exponential(z + (a - b) * log) * rgamma(a);
    const Complex falls = asymptotic_2f0(a, a - b + 1, -w,
        error) * exponential(-a * log) * unit_at(side * a) * rgamma(b - a);
    return top * (grows + falls);
}

// By Bessel functions of order v - 1 (DLMF 10.16.9, 10.39.9) where the series is long.
GPUARRAY_CALLED double hyp0f1(double v, double z) {
    if (v <= 0 && is_integer(v)) return not_a_number();
    if ((z == 0 && v != 0) || (isinf(v) && v > 0 && isfinite(z))) return 1;
    if (isnan(v) || isnan(z)) return not_a_number();
    if (z > -::fmax(300.0, v < 0 ? 0.25 * v * v : 20 * v) && z < (v < 0 ? 2e6 : 3e4)) {
        const Series s = power_series_dd(0, dd(0.0), dd(0.0), dd(v), dd(z), 1e300);
        if (reliable(s) || ::fabs(z) < 1) return rounded(s.sum);
    }
    const double size = ::fabs(z), arg = ::sqrt(size), order = v - 1;
    const SignedLog top = lgamma_signed(dd(v));
    const dd log = top.log - sum(v, -1) * (log_dd(dd(size)) * 0.5);
    // What rounding took from 2 sqrt(|z|)
    const double shift = ::fma(-arg, arg, size) / arg;
    // Below zero K falls where the orders are beyond 1.5 times the argument, else I grows (DLMF 10.41).
    const double growth = ::hypot(1.0, order / (2 * arg)) * (order < -3 * arg ? -1 : 1);
    if (z > 0) return top.sign * real_i(order, 2 * arg, log + shift * growth);
    // DLMF 10.6.2
    Ordinary at, next;
    if (2 * arg < order && debye_wave(order, 2 * arg, at, log) && debye_wave(v, 2 * arg, next, log))
        return top.sign * (at.j + shift * (order / (2 * arg) * at.j - next.j));
    const double j = jv(order, 2 * arg);
    return top.sign * times_power(j + shift * (order / (2 * arg) * j - jv(v, 2 * arg)), log);
}
GPUARRAY_CALLED Complex hyp0f1(double v, Complex z) {
    if (z.imag == 0) return Complex(hyp0f1(v, z.real), 0);
    if (isnan(v) || gpuarray::isnan(z) || (v <= 0 && is_integer(v))) return Complex(not_a_number(), not_a_number());
    const double size = magnitude(z);
    if (size < 1 + ::fabs(v)) {
        Complex term(1, 0), value(1, 0);
        for (int k = 0; k < 300; ++k) {
            term = term * z / ((v + k) * (k + 1));
            value = value + term;
            if (magnitude(term) < 1e-17 * magnitude(value)) break;
        }
        return value;
    }
    const Complex arg = principal_root(z);
    return gamma(v) * exponential((1 - v) * principal_log(arg)) * iv(v - 1, 2.0 * arg);
}

// U(a, b, x) e^log at x > 0: from the asymptotic series inwards, where U grows.
GPUARRAY_CALLED double tricomi(dd a, dd b, double x, dd log) {
    const dd second = a - b + 1.0;
    const double size = ::fabs(a.hi), other = ::fabs(second.hi);
    const double start = ::fmax(x, 50 + 1.5 * size * (1 + other) / 4 + 2 * (size + other));
    if (start - x > 300000) return not_a_number();  // too many steps
    dd term(1.0), sum0(1.0), sum1(0.0);
    const dd w = dd(-1.0) / dd(start);
    for (int k = 0; k < 400; ++k) {
        const double last = ::fabs(term.hi);
        term = term * (a + double(k)) * (second + double(k)) * w / double(k + 1);
        if (term.hi == 0 || (::fabs(term.hi) > last && k > size + other)) break;
        sum0 = sum0 + term;
        sum1 = sum1 + term * double(k + 1);
        if (::fabs(term.hi) < 1e-22 * ::fabs(sum0.hi)) break;
    }
    // y = U(x) start^a with the slope of x^-a sum
    Solution<dd> y{sum0, -(sum0 * a + sum1) / start};
    const Equation<dd> e{dd(0.0), dd(1.0), dd(0.0), b, dd(-1.0), -a, dd(0.0), dd(0.0)};
    dd at(start);
    double twos = 0;
    for (int step = 0; step < 20000 && at.hi > x; ++step) {
        // In a step no solution changes by so much that its series would be long.
        const double rate = ::fabs(b.hi - at.hi) + ::sqrt(size * at.hi);
        const double reach = ::fmin(::fmin(0.5 * at.hi, 16.0), 20 * at.hi / rate);
        const bool last = at.hi - x <= reach;
        const dd h = last ? dd(x) - at : dd(-reach);
        y = taylor_step(e, at, h, y, 1e-24);
        at = last ? dd(x) : at + h;
        const double now = ::fabs(y.value.hi) + reach * ::fabs(y.slope.hi);
        if (now > 1e150 || now < 1e-150) {
            const double change = now > 1 ? -400 : 400, power = ::exp2(change);
            y = Solution<dd>{y.value * power, y.slope * power};
            twos -= change;
        }
    }
    if (at.hi > x) return not_a_number();
    log = log + dd(0.6931471805599453, 2.3190468138462996e-17) * twos - a * log_dd(dd(start));
    return times_power(rounded(y.value), log);
}
// U(-n, b, x) e^log = (-1)^n (b)_n M(-n, b, x) e^log, DLMF 13.2.7, where the sum has digits.
GPUARRAY_CALLED bool tricomi_polynomial(double n, dd b, double x, dd log, double& found) {
    if (!(n < 6000) || is_pole(b)) return false;
    const Series s = power_series_dd(1, dd(-n), dd(0.0), b, dd(x), n);
    if (!reliable(s)) return false;
    double sign = is_integer(n / 2) ? 1 : -1;
    if (n < 60) {
        dd factor(sign);
        for (int k = 0; k < n; ++k) factor = factor * (b + double(k));
        found = times_power(rounded(factor * s.sum), log);
    } else {
        const SignedLog top = lgamma_signed(b + n), low = lgamma_signed(b);
        found = sign * top.sign * low.sign * times_power(rounded(s.sum), log + top.log - low.log);
    }
    return true;
}
GPUARRAY_CALLED double hyperu(double a, double b, double x) {
    if (isnan(a) || isnan(b) || isnan(x) || x < 0) return not_a_number();
    if (a == 0) return 1;
    double found;
    if (tricomi_polynomial(degree_of(a), dd(b), x, dd(0.0), found)) return found;
    if (x == 0) {
        if (b >= 1) return infinity();
        return gamma(1 - b) * rgamma(a - b + 1);  // DLMF 13.2.18 to 13.2.22
    }
    if (b >= 1) return tricomi(dd(a), dd(b), x, dd(0.0));
    // Kummer's transformation, DLMF 13.2.40, where U is not the one that grows towards zero
    const dd first = sum(a, -b) + 1.0, second = sum(2.0, -b), log = log_dd(dd(x)) * sum(1.0, -b);
    if (tricomi_polynomial(degree_of(first), second, x, log, found)) return found;
    return tricomi(first, second, x, log);
}

}  // namespace special
}  // namespace gpuarray
