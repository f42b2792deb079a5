// Gauss's hypergeometric function 2F1.
//
// Its power series where terms do not cancel, as it is or after Pfaff's or Euler's transformation (DLMF 15.8.1). Else the
// differential equation (15.10.1) by Taylor series in steps, outwards from a singularity (J. Pearson, S. Olver and M.
// Porter, "Numerical methods for the computation of the confluent and Gauss hypergeometric functions" (2017)). The
// solution that belongs to the greater of the two exponents there grows beside all others, so it keeps its digits. For
// c > 0 that is 2F1 from 0; for c < 0 it is a sum of one from 0 and one from 1 (15.10.17).
#pragma once

#include "gpuarray/special_dd_complex.cuh"
#include "gpuarray/special_hypergeometric_series.cuh"
#include "gpuarray/special_ode.cuh"

namespace gpuarray {
namespace special {

// Gauss: Gamma(c) Gamma(c - a - b) / (Gamma(c - a) Gamma(c - b)), DLMF 15.4.20.
GPUARRAY_CALLED double gauss_sum(double a, double b, double c) {
    const dd ca = sum(c, -a), cb = sum(c, -b), rest = ca - b;
    if ((ca.hi <= 0 && is_integer(ca.hi) && ca.lo == 0) || (cb.hi <= 0 && is_integer(cb.hi) && cb.lo == 0)) return 0;
    const SignedLog top = lgamma_signed(dd(c)), other = lgamma_signed(rest), low = lgamma_signed(ca),
        last = lgamma_signed(cb);
    return top.sign * other.sign * low.sign * last.sign * exp_dd(top.log + other.log - low.log - last.log);
}

// value e^log
struct ScaledValue {
    dd value, log;
};
// x (1 - x) y'' + (c - (a + b + 1) x) y' - a b y = 0 from `at` to `target`. In a step no solution changes by much more than
// e^10: where terms cancel, that leaves 23 digits of 32.
GPUARRAY_CALLED void walk(dd a, dd b, dd c, dd at, dd target, Solution<dd>& y, dd& log) {
    const dd sum1 = a + b + 1.0, product = a * b;
    const Equation<dd> e{dd(0.0), dd(1.0), dd(-1.0), c, -sum1, -product, dd(0.0), dd(0.0)};
    for (int step = 0; step < 5000; ++step) {
        const dd way = target - at;
        if (way.hi == 0) return;
        const double p = at.hi * (1 - at.hi);
        const double rate = ::fabs(c.hi - sum1.hi * at.hi) / p + ::sqrt(::fabs(product.hi) / p);
        const double reach = ::fmin(0.5 * ::fmin(at.hi, 1 - at.hi), 10 / rate);
        const bool last = ::fabs(way.hi) <= reach;
        const dd h = last ? way : dd(way.hi < 0 ? -reach : reach);
        y = taylor_step(e, at, h, y, 1e-32);
        if (last) return;
        at = at + h;
        const double size = ::fabs(y.value.hi) + reach * ::fabs(y.slope.hi);
        if (size > 1e150 || size < 1e-150) {
            const double twos = size > 1 ? -400 : 400, power = ::exp2(twos);
            y = Solution<dd>{y.value * power, y.slope * power};
            log = log - dd(0.6931471805599453, 2.3190468138462996e-17) * twos;
        }
    }
    y.value = dd(not_a_number());
}
// Where a solution behind this distance from a singularity is that of the equation's terms of lowest order alone.
GPUARRAY_DEVICE double close_distance(double a, double b, double c) {
    return 1e-22 / ((1 + ::fabs(a)) * (1 + ::fabs(b)) * (1 + ::fabs(c)));
}
// 2F1(a, b; c; x) for 0 < x < 1, where rest is 1 - x: by its series as far as that has digits, no farther than `farthest`,
// and from there by the equation.
GPUARRAY_CALLED ScaledValue outwards(dd a, dd b, dd c, dd x, dd rest, double farthest = 0.5) {
    const bool far = x.hi > farthest;
    const dd end = far ? dd(farthest) : x;
    dd at = end, log(0.0);
    Series s = power_series_dd(2, a, b, c, at, 1e300, 1e-33);
    for (int k = 0; k < 200 && !reliable(s); ++k) {
        at = at * 0.8;
        s = power_series_dd(2, a, b, c, at, 1e300, 1e-33);
    }
    Solution<dd> y{s.sum, s.slope / at};
    walk(a, b, c, at, end, y, log);
    if (far) {  // in the distance from 1
        y.slope = -y.slope;
        const dd power = c - a - b, close(close_distance(a.hi, b.hi, c.hi));
        const bool beyond = rest.hi < close.hi;
        walk(a, b, dd(1.0) - power, dd(1.0) - end, beyond ? close : rest, y, log);
        if (beyond) {
            // y is a constant and a multiple of rest^power, of which the power of 0 is a logarithm.
            const dd way = log_dd(rest) - log_dd(close), growth = way * power, step = y.slope * close;
            if (growth.hi > 600) return ScaledValue{step / power, log + growth};
            const bool tiny = ::fabs(growth.hi) < 1e-30;
            y.value = y.value + step * (tiny ? way : expm1_to_dd(growth) / power);
        }
    }
    return ScaledValue{y.value, log};
}
// For c < 0 and c <= a + b, times e^factor: DLMF 15.10.17, in which the two functions from 0 and from 1 both grow
// outwards. If c is an integer, a polynomial's degree is -a or -b, or was before Euler's transformation.
GPUARRAY_CALLED double from_both_ends(dd a, dd b, dd c, dd x, dd rest, dd factor, bool transformed) {
    const dd ac = a - c + 1.0, bc = b - c + 1.0, abc = ac + b;
    const SignedLog first = lgamma_signed(ac), second = lgamma_signed(bc);
    const double sign = first.sign * second.sign;
    factor = factor + first.log + second.log - lgamma_positive(dd(1.0) - c);
    const ScaledValue one = outwards(a, b, abc, rest, x);
    const dd one_log = one.log - lgamma_positive(abc);
    const bool pole_a = is_pole(a), pole_b = is_pole(b), limit = is_pole(c) && transformed && pole_a != pole_b;
    if ((pole_a || pole_b) && !limit) return sign * times_power(rounded(one.value), one_log + factor);
    const ScaledValue zero = outwards(ac, bc, dd(2.0) - c, x, rest);
    SignedLog low = lgamma_signed(c - 1.0), third = lgamma_signed(a), fourth = lgamma_signed(b);
    if (limit) {
        // Two poles, of which the quotient has a limit.
        const dd pole = pole_a ? a : b;
        low = SignedLog{-lgamma_positive(dd(2.0) - c), is_integer((pole.hi - c.hi) / 2) ? -1.0 : 1.0};
        (pole_a ? third : fourth) = SignedLog{-lgamma_positive(dd(1.0) - pole), 1.0};
    }
    const dd zero_log = zero.log + low.log - third.log - fourth.log + log_dd(x) * (dd(1.0) - c);
    const dd most = one_log.hi > zero_log.hi ? one_log : zero_log;
    const dd total = one.value * exp_to_dd(one_log - most) -
                     zero.value * exp_to_dd(zero_log - most) * (low.sign * third.sign * fourth.sign);
    return sign * times_power(rounded(total), most + factor);
}
// The same where a - c + 1 or b - c + 1 is at a pole of the Gamma function or near it: 2F1 is an entire function of a and
// of b, so it is interpolated between eight points around the pole.
GPUARRAY_CALLED double across_pole(
    dd a, dd b, dd c, dd x, dd rest, dd factor, bool transformed, bool first, bool second) {
    const double step = 2e-3;
    const dd ac = a - c + 1.0, bc = b - c + 1.0, place = first ? ac - ::rint(ac.hi) : bc - ::rint(bc.hi);
    const double at = place.hi / step;
    double total = 0;
    for (int k = -4; k <= 4; ++k) {
        if (k == 0) continue;
        double weight = 1;
        for (int j = -4; j <= 4; ++j)
            if (j != 0 && j != k) weight *= (at - j) / (k - j);
        const dd shift = dd(k * step) - place;
        const double value =
            from_both_ends(first ? a + shift : a, second ? b + shift : b, c, x, rest, factor, transformed);
        if (!isfinite(value)) return value;
        total += weight * value;
    }
    return total;
}
// A polynomial of degree -a times e^factor, for c > 0 and c <= a + b: DLMF 15.8.7, (c - b)_n / (c)_n times that in 1 - x.
GPUARRAY_CALLED double polynomial_from_one(dd a, dd b, dd c, dd x, dd rest, dd factor) {
    const dd bc = b - c + 1.0, abc = a + bc;
    const ScaledValue one = outwards(a, b, abc, rest, x);
    const dd log = lgamma_positive(bc) - lgamma_positive(abc) + lgamma_positive(c) - lgamma_positive(c - a);
    return (is_integer(a.hi / 2) ? 1 : -1) * times_power(rounded(one.value), log + one.log + factor);
}
// Of the logarithm of |1 / Gamma(a)| what is left without the sine of its zeros.
GPUARRAY_DEVICE double bound_of_log_rgamma(dd a) {
    return a.hi > 0.5 ? -lgamma_positive(a).hi : lgamma_positive(dd(1.0) - a).hi;
}
// The first of the two parts of DLMF 15.8.4, in powers of 1 - x = rest, where the excess c - a - b is so large that the
// second one, a power of rest, is nothing beside it, nor are the terms of the first one about its pole.
GPUARRAY_CALLED bool first_part_from_one(dd a, dd b, dd c, dd excess, dd rest, dd factor, double& found) {
    const double terms = ::floor(excess.hi - 0.5);
    const dd ca = c - a, cb = c - b;
    if (!(terms > 8) || is_pole(c) || is_pole(ca) || is_pole(cb)) return false;
    const Series s = power_series_dd(2, a, b, dd(1.0) - excess, rest, terms);
    if (!reliable(s)) return false;
    const SignedLog top = lgamma_signed(c), low = lgamma_signed(ca), last = lgamma_signed(cb);
    const dd other = lgamma_positive(excess), log = other - low.log - last.log;
    const double second = excess.hi * ::log(rest.hi) - other.hi + bound_of_log_rgamma(a) + bound_of_log_rgamma(b);
    if (second > log.hi + ::log(::fabs(s.sum.hi)) - 45) return false;
    found = top.sign * low.sign * last.sign * times_power(rounded(s.sum), log + top.log + factor);
    return true;
}
// Whether x is a pole of Gamma or less than `gap` away from one.
GPUARRAY_DEVICE bool near_pole(dd x, double gap) {
    const double n = ::rint(x.hi);
    return n <= 0 && ::fabs((x - n).hi) < gap;
}
// 2F1 times e^factor for 0 < x < 1; rest is 1 - x.
GPUARRAY_CALLED double hyp2f1_unit(dd a, dd b, dd c, dd x, dd rest, dd factor) {
    const dd excess = c - a - b;
    double found;
    // As it is and after Euler's transformation, DLMF 15.8.1, which a polynomial with an integer c does not have. What
    // comes after the loop is for c <= a + b.
    for (int way = 0; way < 2; ++way) {
        const double degree = ::fmin(degree_of(a), degree_of(b));
        if ((x.hi <= 0.9 || degree < 6000) && !(way && is_pole(c))) {
            const Series s = power_series_dd(2, a, b, c, x, degree);
            if (reliable(s) || degree <= 1) return times_power(rounded(s.sum), factor);
        }
        if (x.hi > 0.75 && first_part_from_one(a, b, c, way ? -excess : excess, rest, factor, found)) return found;
        if (way && excess.hi > 0) break;
        a = c - a;
        b = c - b;
        factor = factor + log_dd(rest) * (way ? -excess : excess);
    }
    if (c.hi < 0) {
        // At these poles the sum from both ends does not exist, and near them it cancels. 2F1 from 0 by itself loses the
        // more digits the farther c is below 0.
        const bool far = c.hi < -60 && !is_pole(c);
        const double gap = far ? 7e-3 : ::fmax(1e-3 * ::exp(c.hi / 17), 1e-9);
        const bool first = near_pole(a - c + 1.0, gap), second = near_pole(b - c + 1.0, gap);
        if (!first && !second) return from_both_ends(a, b, c, x, rest, factor, excess.hi > 0);
        if (far) return across_pole(a, b, c, x, rest, factor, excess.hi > 0, first, second);
    } else if (is_pole(a) || is_pole(b)) {
        if (is_pole(b)) {
            const dd other = a;
            a = b;
            b = other;
        }
        // A polynomial falls towards both ends: from the nearer side of the middle of its zeros.
        const double sum1 = a.hi + b.hi + 1, product = 4 * a.hi * b.hi;
        if (x.hi * (sum1 * sum1 - product) > c.hi * sum1 - 0.5 * product)
            return polynomial_from_one(a, b, c, x, rest, factor);
    }
    const ScaledValue y = outwards(a, b, c, x, rest, c.hi < 0 ? 0.95 : 0.5);
    return times_power(rounded(y.value), y.log + factor);
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
    if (x >= 1 && degree < 1e299) return rounded(power_series_dd(2, dd(a), dd(b), dd(c), dd(x), degree).sum);
    if (x > 1 || isinf(a) || isinf(b) || isinf(c) || isinf(x)) return isinf(x) || x > 1 ? infinity() : not_a_number();
    if (x > 0) return hyp2f1_unit(dd(a), dd(b), dd(c), dd(x), dd(1.0) - x, dd(0.0));
    if (x >= -0.75 || degree < 6000) {
        const Series s = power_series_dd(2, dd(a), dd(b), dd(c), dd(x), degree);
        if (reliable(s) || degree <= 1) return rounded(s.sum);
    }
    // Pfaff's transformation, with the parameter before it that leaves a function finite at 1
    if (a > b) {
        const double other = a;
        a = b;
        b = other;
    }
    const dd up = dd(1.0) - x, rest = dd(1.0) / up;
    return hyp2f1_unit(dd(a), sum(c, -b), dd(c), dd(-x) * rest, rest, log_dd(up) * -a);
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
    const double limit = 1 / close_distance(a, b, c);
    const bool beyond = size > limit;
    const Complex end = beyond ? z * (limit / size) : z;
    for (int leg = behind ? 0 : 1; leg < 2; ++leg) {
        const ddc target(leg == 0 ? corner : end);
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
    if (beyond) {
        // There it is a sum of z^-a and z^-b, of which the first is to be the greater one.
        if (a > b) {
            const double other = a;
            a = b;
            b = other;
        }
        const dd way = log_dd(dd(size)) - log_dd(dd(limit)), gap = sum(a, -b), growth = way * gap;
        const dd more = ::fabs(growth.hi) < 1e-30 ? way : (growth.hi < -80 ? dd(-1.0) : expm1_to_dd(growth)) / gap;
        y.value = (y.value + (y.value * dd(a) + at * y.slope) * more) * exp_to_dd(way * -a);
    }
    return rounded(y.value);
}

}  // namespace special
}  // namespace gpuarray
