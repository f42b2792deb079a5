// Hypergeometric functions 2F1, 1F1, 0F1 and U.
//
// Power series of two doubles (DLMF 15.2, 13.2, 16.2) where they converge; Pfaff's, Euler's and Kummer's
// transformations (15.8.1, 13.2.39) where they help; asymptotic series (13.7); else the differential equation by
// Taylor series along a path on which the function is not recessive.
#pragma once

#include "gpuarray/special_bessel.cuh"
#include "gpuarray/special_dd_complex.cuh"
#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_ode.cuh"

namespace gpuarray {
namespace special {

struct Series {
    dd sum, slope;  // the slope is x times the derivative
    double largest;
    bool converged;
};
// A polynomial's degree, or a number beyond all series.
GPUARRAY_DEVICE double degree_of(double a) { return a <= 0 && is_integer(a) ? -a : 1e300; }

// Sum of (a)_k (b)_k / ((c)_k k!) x^k; without b, or a, if their flags say so.
GPUARRAY_CALLED Series power_series_dd(int upper, dd a, dd b, dd c, dd x, double degree) {
    dd term(1.0), sum(1.0), slope(0.0);
    double largest = 1;
    // Beyond -c terms grow again.
    const double least = c.hi > -4000 ? -c.hi : 0;
    int small = 0;
    for (int k = 0; k < 6000; ++k) {
        if (k >= degree) return Series{sum, slope, largest, true};
        dd factor = x / ((c + double(k)) * double(k + 1));
        if (upper > 0) factor = factor * (a + double(k));
        if (upper > 1) factor = factor * (b + double(k));
        term = term * factor;
        sum = sum + term;
        slope = slope + term * double(k + 1);
        const double size = ::fabs(term.hi);
        largest = ::fmax(largest, size);
        if (!(size < 1e290)) break;
        const bool counts = size * (k + 1) > 1e-19 * ::fmax(::fabs(sum.hi), 1e-30 * largest);
        small = counts || k < least ? 0 : small + 1;
        if (small == 3) return Series{sum, slope, largest, true};
    }
    return Series{sum, slope, largest, false};
}
GPUARRAY_DEVICE bool reliable(const Series& s) { return s.converged && s.largest < 1e14 * ::fabs(s.sum.hi); }

// Gauss: Gamma(c) Gamma(c - a - b) / (Gamma(c - a) Gamma(c - b)), DLMF 15.4.20.
GPUARRAY_CALLED double gauss_sum(double a, double b, double c) {
    const dd ca = sum(c, -a), cb = sum(c, -b), rest = ca - b;
    if ((ca.hi <= 0 && is_integer(ca.hi) && ca.lo == 0) || (cb.hi <= 0 && is_integer(cb.hi) && cb.lo == 0)) return 0;
    const SignedLog top = lgamma_signed(dd(c)), other = lgamma_signed(rest), low = lgamma_signed(ca),
        last = lgamma_signed(cb);
    return top.sign * other.sign * low.sign * last.sign * exp_dd(top.log + other.log - low.log - last.log);
}

// A polynomial of a high degree in the distance from 1 (DLMF 15.8.7), where terms of one sign follow each other
// if c > b, while those of the series in x alternate.
GPUARRAY_CALLED Series polynomial_from_one(dd b, dd c, dd rest, double degree) {
    const dd gap = c - b;
    Series s = power_series_dd(2, dd(-degree), b, dd(1.0 - degree) - gap, rest, degree);
    dd factor(1.0);
    for (int k = 0; k < degree; ++k) factor = factor * ((gap + double(k)) / (c + double(k)));
    s.sum = s.sum * factor;
    s.largest *= ::fabs(factor.hi);
    return s;
}
// The first of the two parts of DLMF 15.8.4, in powers of 1 - x = rest, where the excess c - a - b is so large that the
// second one, a power of rest, is nothing beside it.
GPUARRAY_CALLED bool first_part_from_one(dd a, dd b, dd c, dd excess, dd rest, double& found) {
    const double terms = ::floor(excess.hi);
    if (!(terms > 8)) return false;
    const dd ca = c - a, cb = c - b;
    if ((is_pole(ca.hi) && ca.lo == 0) || (is_pole(cb.hi) && cb.lo == 0)) return false;
    const Series s = power_series_dd(2, a, b, dd(1.0) - excess, rest, terms);
    if (!reliable(s)) return false;
    const SignedLog top = lgamma_signed(c), other = lgamma_signed(excess), low = lgamma_signed(ca), last = lgamma_signed(cb);
    const SignedLog first = lgamma_signed(a), second = lgamma_signed(b);
    const dd log = top.log + other.log - low.log - last.log;
    const double rest_log = excess.hi * ::log(rest.hi) + top.log.hi - other.log.hi - first.log.hi - second.log.hi;
    if (rest_log > log.hi + ::log(::fabs(s.sum.hi)) - 45) return false;
    found = top.sign * other.sign * low.sign * last.sign * times_power(rounded(s.sum), log);
    return true;
}
// For 0 <= x < 1; rest is 1 - x.
GPUARRAY_CALLED double hyp2f1_unit(dd a, dd b, dd c, dd x, dd rest, double degree) {
    if (degree < 1e299 || x.hi <= 0.9) {
        const Series s = power_series_dd(2, a, b, c, x, degree);
        if (reliable(s)) return rounded(s.sum);
        if (degree < 6000) {
            const dd other = a.hi == -degree ? b : a, gap = c - other;
            if (gap.hi <= 0 && gap.lo == 0 && is_integer(gap.hi)) {  // Euler's transformation, DLMF 15.8.1
                const double power = gap.hi + degree;
                return times_power(rounded(power_series_dd(2, c + degree, gap, c, x, -gap.hi).sum), log_dd(rest) * power);
            }
            const Series t = polynomial_from_one(other, c, rest, degree);
            return rounded(reliable(t) ? t.sum : s.sum);
        }
        if (degree < 1e299) return rounded(s.sum);
    }
    // Euler's transformation leaves a function that is finite at 1.
    dd excess = c - a - b;
    dd factor(0.0);  // its logarithm
    if (excess.hi < 0) {
        factor = log_dd(rest) * excess;
        a = c - a;
        b = c - b;
        if (a.hi <= 0 && is_integer(a.hi) && a.lo == 0)
            return times_power(rounded(power_series_dd(2, a, b, c, x, -a.hi).sum), factor);
        if (b.hi <= 0 && is_integer(b.hi) && b.lo == 0)
            return times_power(rounded(power_series_dd(2, a, b, c, x, -b.hi).sum), factor);
    }
    dd at(0.75), gap(0.25);
    if (x.hi < 0.75) {
        at = x * 0.5;
        gap = dd(1.0) - at;
    }
    const Series s = power_series_dd(2, a, b, c, at, 1e300);
    if (!reliable(s)) {
        double found;
        if (first_part_from_one(a, b, c, excess.hi < 0 ? -excess : excess, rest, found)) return times_power(found, factor);
    }
    Solution<dd> y{s.sum, s.slope / at};
    // in the distance from 1: t (1 - t) y'' + (a + b + 1 - c - (a + b + 1) t) y' - a b y = 0
    const dd sum1 = a + b + 1.0;
    const Equation<dd> e{dd(0.0), dd(1.0), dd(-1.0), sum1 - c, -sum1, -(a * b), dd(0.0), dd(0.0)};
    y.slope = -y.slope;
    for (int step = 0; step < 1100; ++step) {
        const bool last = rest.hi >= 0.5 * gap.hi;
        const dd h = last ? rest - gap : gap * -0.5;
        y = taylor_step(e, gap, h, y);
        if (last) break;
        gap = gap * 0.5;
    }
    return times_power(rounded(y.value), factor);
}
GPUARRAY_CALLED double hyp2f1(double a, double b, double c, double x) {
    if (isnan(a) || isnan(b) || isnan(c) || isnan(x)) return not_a_number();
    const double degree = ::fmin(degree_of(a), degree_of(b));
    if (c <= 0 && is_integer(c) && !(degree < 1e299 && degree <= -c && c != 0)) return x == 0 || a == 0 || b == 0
        ? 1 : infinity();
    if (x == 0 || a == 0 || b == 0) return 1;
    // Of an integer c that is not positive the sum is the polynomial.
    if ((a == c || b == c) && !is_pole(c)) {
        const double power = a == c ? -b : -a;
        return x < 1 && isfinite(x) ? times_power(1, log_dd(dd(1.0) - x) * power) : ::pow(1 - x, power);
    }
    if (x == 1 && degree > 1e299) return c - a - b > 0 ? gauss_sum(a, b, c) : infinity();
    if (degree < 1e299 && (degree < 30 || ::fabs(x) > 1)) {
        return rounded(power_series_dd(2, dd(a), dd(b), dd(c), dd(x), degree).sum);
    }
    if (x > 1 || isinf(a) || isinf(b) || isinf(c) || isinf(x)) return isinf(x) || x > 1 ? infinity() : not_a_number();
    if (x >= 0) return hyp2f1_unit(dd(a), dd(b), dd(c), dd(x), dd(1.0) - x, degree);
    if (x >= -0.75) {
        const Series s = power_series_dd(2, dd(a), dd(b), dd(c), dd(x), degree);
        if (reliable(s)) return rounded(s.sum);
    }
    const dd up = dd(1.0) - x, rest = dd(1.0) / up, inside = dd(x) * dd(-1.0) * rest;
    for (int way = 0; way < 2 && inside.hi <= 0.9; ++way) {
        // Pfaff's transformation, where a or b leaves a series with terms of one sign
        const double before = way ? b : a;
        const dd after = sum(c, way ? -a : -b);
        const double end = ::fmin(degree_of(before), after.lo == 0 ? degree_of(after.hi) : 1e300);
        const Series s = power_series_dd(2, dd(before), after, dd(c), inside, end);
        if (s.converged && s.largest < 1e12 * ::fabs(s.sum.hi)) return times_power(rounded(s.sum), log_dd(up) * -before);
    }
    // with the parameter before it that leaves a function finite at 1
    if (a > b) {
        const double other = a;
        a = b;
        b = other;
    }
    const dd cb = sum(c, -b);
    const double inner = ::fmin(degree_of(a), cb.lo == 0 ? degree_of(cb.hi) : 1e300);
    return times_power(hyp2f1_unit(dd(a), cb, dd(c), inside, rest, inner), log_dd(up) * -a);
}

// The series at z and z times its derivative; whether the sum has digits left.
GPUARRAY_CALLED bool power_series(double a, double b, double c, ddc z, double degree, Solution<ddc>& found) {
    ddc term(1.0), value(1.0), slope(0.0);
    double largest = 1;
    const double least = c > -4000 ? -c : 0;
    int small = 0;
    for (int k = 0; k < 6000 && k < degree && small < 3; ++k) {
        term = term * z * (sum(a, k) * sum(b, k) / (sum(c, k) * double(k + 1)));
        value = value + term;
        slope = slope + term * double(k + 1);
        const double size = magnitude(term);
        largest = ::fmax(largest, size);
        if (!(size < 1e290)) return false;
        small = size * (k + 1) > 1e-33 * magnitude(value) || k < least ? 0 : small + 1;
    }
    found = Solution<ddc>{value, slope};
    return (small == 3 || degree < 6000) && largest < 1e14 * magnitude(value);
}
// Along the ray from zero, and around 1 where z lies behind it.
GPUARRAY_CALLED Complex hyp2f1(double a, double b, double c, Complex z) {
    if (isnan(a) || isnan(b) || isnan(c) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    const double degree = ::fmin(degree_of(a), degree_of(b));
    if ((z.imag == 0 && (z.real <= 1 || degree < 1e299)) || is_zero(z)) return Complex(hyp2f1(a, b, c, z.real), 0);
    if (c <= 0 && is_integer(c) && !(degree <= -c)) return Complex(infinity(), 0);
    const double size = magnitude(z);
    Solution<ddc> y{ddc(1.0), ddc(0.0)};
    if (degree < 1e299 || size < 0.9) {
        const bool reliable = power_series(a, b, c, ddc(z), degree, y);
        if (reliable || degree < 100) return rounded(y.value);
    }
    const bool behind = z.real > 0.9 && ::fabs(z.imag) < 0.8 * z.real;
    Complex first = size > 0.5 ? z * (0.5 / size) : z;
    if (behind) first = Complex(0.25, z.imag < 0 ? -0.4 : 0.4);
    power_series(a, b, c, ddc(first), degree, y);
    ddc at(first);
    y.slope = y.slope / at;
    const ddc zero(0.0);
    const Equation<ddc> e{zero, ddc(1.0), ddc(-1.0), ddc(c), -ddc(sum(a, b) + 1.0, dd(0.0)),
                          -ddc(product(a, b), dd(0.0)), zero, zero};
    const Complex corner(1, z.imag < 0 ? -1 : 1);
    for (int leg = behind ? 0 : 1; leg < 2; ++leg) {
        const ddc target(leg == 0 ? corner : z);
        for (int step = 0; step < 2000; ++step) {
            const ddc way = target - at;
            const double reach = 0.5 * ::fmin(magnitude(at), magnitude(ddc(1.0) - at)), length = magnitude(way);
            const bool last = length <= reach;
            const ddc h = last ? way : way * (reach / length);
            y = taylor_step(e, at, h, y, 1e-32);
            at = last ? target : at + h;
            if (last) break;
        }
    }
    return rounded(y.value);
}

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
    if (z > -300 && z < (v < 0 ? 2e6 : 3e4)) {
        const Series s = power_series_dd(0, dd(0.0), dd(0.0), dd(v), dd(z), 1e300);
        if (reliable(s) || ::fabs(z) < 1) return rounded(s.sum);
    }
    const double size = ::fabs(z), arg = ::sqrt(size), order = v - 1;
    const SignedLog top = lgamma_signed(dd(v));
    const dd log = top.log - sum(v, -1) * (log_dd(dd(size)) * 0.5);
    // What rounding took from 2 sqrt(|z|)
    const double shift = ::fma(-arg, arg, size) / arg;
    if (z > 0) return top.sign * real_i(order, 2 * arg, log + shift * ::hypot(1.0, order / (2 * arg)));
    // DLMF 10.6.2
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
    for (int step = 0; step < 3000 && at.hi > x; ++step) {
        const double reach = ::fmin(0.5 * at.hi, 8.0);
        const bool last = at.hi - x <= reach;
        const dd h = last ? dd(x) - at : dd(-reach);
        y = taylor_step(e, at, h, y, 1e-24);
        at = last ? dd(x) : at + h;
        if (::fabs(y.value.hi) > 1e200) {
            y = Solution<dd>{y.value * 2.409919865102884e-181, y.slope * 2.409919865102884e-181};  // 2^-600
            twos += 600;
        }
    }
    log = log + dd(0.6931471805599453, 2.3190468138462996e-17) * twos - a * log_dd(dd(start));
    return times_power(rounded(y.value), log);
}
// (-1)^n (b)_n M(-n, b, x), DLMF 13.2.7
GPUARRAY_CALLED double tricomi_polynomial(double n, dd b, double x) {
    dd factor(1.0);
    for (int k = 0; k < n; ++k) factor = factor * -(b + double(k));
    return rounded(factor * power_series_dd(1, dd(-n), dd(0.0), b, dd(x), n).sum);
}
GPUARRAY_CALLED double hyperu(double a, double b, double x) {
    if (isnan(a) || isnan(b) || isnan(x) || x < 0) return not_a_number();
    if (a == 0) return 1;
    if (degree_of(a) < 60 && !is_pole(b)) return tricomi_polynomial(-a, dd(b), x);
    if (x == 0) {
        if (b >= 1) return infinity();
        return gamma(1 - b) * rgamma(a - b + 1);  // DLMF 13.2.18 to 13.2.22
    }
    if (b >= 1) return tricomi(dd(a), dd(b), x, dd(0.0));
    // Kummer's transformation, DLMF 13.2.40, where U is not the one that grows towards zero
    const dd first = sum(a, -b) + 1.0, second = sum(2.0, -b), log = log_dd(dd(x)) * sum(1.0, -b);
    const double degree = first.lo == 0 ? degree_of(first.hi) : 1e300;
    if (degree < 60) return times_power(tricomi_polynomial(degree, second, x), log);
    return tricomi(first, second, x, log);
}

}  // namespace special
}  // namespace gpuarray
