// Parabolic cylinder functions: solutions of Weber's equation y'' = (a +- x^2 / 4) y by Taylor series along the axis.
//
// D from its asymptotic expansion (DLMF 12.9.1) inwards, where it grows; D at negative numbers, V and W from their
// values at zero (12.2.6 to 12.2.9, 12.14.2 and 12.14.3) outwards.
#pragma once

#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_gamma_complex.cuh"
#include "gpuarray/special_ode.cuh"

namespace gpuarray {
namespace special {

struct Cylinder {
    double value, slope;
};
// y'' + (quarter x^2 - a) y = 0 from zero to x >= 0.
GPUARRAY_CALLED Cylinder weber_from_zero(dd a, double quarter, dd value, dd slope, double x) {
    const Equation<dd> e{dd(1.0), dd(0.0), dd(0.0), dd(0.0), dd(0.0), -a, dd(0.0), dd(quarter)};
    Solution<dd> y{value, slope};
    const double reach = 2 / (1 + ::sqrt(::sqrt(::fabs(a.hi))) / 2);
    double at = 0;
    for (int step = 0; step < 4000 && at < x; ++step) {
        const double next = ::fmin(x, at + reach);
        y = taylor_step(e, dd(at), sum(next, -at), y, 1e-30);
        at = next;
        if (!(::fabs(y.value.hi) < 1e290)) break;
    }
    return Cylinder{rounded(y.value), rounded(y.slope)};
}
// e^log 2^twos / gamma(x)^count
GPUARRAY_CALLED dd power_over_gamma(dd log, dd twos, dd x, int count) {
    if (is_pole(x.hi) && x.lo == 0) return dd(0.0);
    const SignedLog low = lgamma_signed(x);
    const dd found = exp_to_dd(log + twos * dd(0.6931471805599453, 2.3190468138462996e-17) - low.log * count);
    return count & 1 ? found * low.sign : found;
}
// D_v(x) at x >= 0 and its derivative.
GPUARRAY_CALLED Cylinder cylinder_d(double v, double x) {
    const double a = -v - 0.5, start = ::fmax(x, ::sqrt(90 + v * v + 4 * ::fabs(v)));
    const double w = -1 / (2 * start * start);
    dd term(1.0), value(1.0), slope(0.0);
    for (int k = 1; k < 200; ++k) {
        const double last = ::fabs(term.hi);
        term = term * sum(-v, 2 * k - 2) * sum(-v, 2 * k - 1) * (w / k);
        if (term.hi == 0 || (::fabs(term.hi) > last && 2 * k > ::fabs(v))) break;
        value = value + term;
        slope = slope - term * (2.0 * k);
        if (::fabs(term.hi) < 1e-20) break;
    }
    // the derivative of e^(-x^2 / 4) x^v sum
    Solution<dd> y{value, value * (sum(v, 0) / dd(start) - dd(start) * 0.5) + slope / dd(start)};
    dd log = dd(v) * log_dd(dd(start)) - product(start, start) * 0.25;
    const Equation<dd> e{dd(1.0), dd(0.0), dd(0.0), dd(0.0), dd(0.0), dd(-a), dd(0.0), dd(-0.25)};
    double at = start;
    const double reach = 2 / (1 + ::sqrt(::sqrt(::fabs(a))) / 2);
    for (int step = 0; step < 20000 && at > x; ++step) {
        const double next = ::fmax(x, at - ::fmin(reach, 8 / at));
        y = taylor_step(e, dd(at), sum(next, -at), y, 1e-24);
        at = next;
        if (::fabs(y.value.hi) > 1e200) {
            y = Solution<dd>{y.value * 2.409919865102884e-181, y.slope * 2.409919865102884e-181};  // 2^-600
            log = log + dd(415.88830833596717, 1.8355172981578424e-14);
        }
    }
    const double factor = exp_dd(log * 0.5);
    return Cylinder{factor * (rounded(y.value) * factor), factor * (rounded(y.slope) * factor)};
}
GPUARRAY_CALLED Cylinder pbdv(double v, double x) {
    if (isnan(v) || isnan(x) || isinf(x) || isinf(v)) return Cylinder{not_a_number(), not_a_number()};
    if (x == 0 && v >= 0 && is_integer(v)) {  // Hermite's polynomial or its derivative at zero
        const bool odd = ::fmod(v, 2.0) != 0;
        double product = odd ? v : 1;
        for (double k = 1; k < v - odd && k < 400; k += 2) product *= -k;
        return odd ? Cylinder{0, product} : Cylinder{product, 0};
    }
    if (x >= 0) return cylinder_d(v, x);
    if (v >= 0 && is_integer(v)) {
        const Cylinder at = cylinder_d(v, -x);
        const double sign = ::fmod(v, 2.0) == 0 ? 1 : -1;
        return Cylinder{sign * at.value, -sign * at.slope};
    }
    const dd half_log_pi(0.5723649429247001, 5.132975581353913e-18);
    const dd value = power_over_gamma(half_log_pi, dd(v * 0.5), sum(1.0, -v) * 0.5, 1);
    const dd slope = power_over_gamma(half_log_pi, sum(v, 1.0) * 0.5, dd(-0.5 * v), 1);
    const Cylinder at = weber_from_zero(sum(-v, -0.5), -0.25, value, slope, -x);
    return Cylinder{at.value, -at.slope};
}
// V(-v - 1/2, x)
GPUARRAY_CALLED Cylinder pbvv(double v, double x) {
    if (isnan(v) || isnan(x) || isinf(x) || isinf(v)) return Cylinder{not_a_number(), not_a_number()};
    const dd log_pi(1.1447298858494002, 1.0265951162707826e-17), half = sum(-v, -0.5) * 0.5;
    const dd low = power_over_gamma(dd(0.0), dd(0.0), -half + 0.75, 2);
    const dd below = power_over_gamma(dd(0.0), dd(0.0), -half + 0.25, 2);
    const dd value = low * power_over_gamma(log_pi, half + 0.25, half + 0.25, 1);
    const dd slope = below * power_over_gamma(log_pi, half + 0.75, half + 0.75, 1);
    const Cylinder at = weber_from_zero(half * 2.0, -0.25, value, x < 0 ? -slope : slope, ::fabs(x));
    return Cylinder{at.value, x < 0 ? -at.slope : at.slope};
}

GPUARRAY_DEVICE dd root_of(dd x) {
    const double s = ::sqrt(x.hi);
    return fast_sum(s, (x - product(s, s)).hi / (2 * s));
}
// |gamma(1/4 + iy) / gamma(3/4 + iy)|^2: by recurrence (DLMF 5.5.1) from 40 + iy, and 5.11.14 there.
GPUARRAY_CALLED dd squared_gamma_ratio(double y) {
    const double steps = 40;
    const dd square = product(y, y), size = square + steps * steps;
    dd ratio(1.0);
    for (int k = 0; k < 40; ++k) {
        const double first = k + 0.25, second = k + 0.75;
        ratio = ratio * ((square + second * second) / (square + first * first));
    }
    // The series of 1 / (40 + iy)^2.
    const dd real = (dd(steps * steps) - square) / size / size, imag = product(-2 * steps, y) / size / size;
    const double c[] = {-0.015625, 0.0025634765625, -0.0012798309326171875, 0.0013435110449790955,
                        -0.0024328966392204165, 0.006754237533641572, -0.02663696061311782, 0.14152745551956433,
                        -0.9743845430322016};
    dd sum_real(0.0), sum_imag(0.0);
    for (int k = 8; k >= 0; --k) {
        const dd part = sum_real + c[k];
        sum_real = part * real - sum_imag * imag;
        sum_imag = part * imag + sum_imag * real;
    }
    sum_real = sum_real + 1.0;
    return ratio * (sum_real * sum_real + sum_imag * sum_imag) / root_of(size);
}
// W is the solution that decays: its values at zero have two doubles, of which exp(2 a) is lost.
GPUARRAY_CALLED Cylinder pbwa(double a, double x) {
    if (isnan(a) || isnan(x) || isinf(x) || isinf(a)) return Cylinder{not_a_number(), not_a_number()};
    // 2^(-3/4) times the root of the ratio; the Wronskian says the derivative.
    const dd value = dd(0.5946035575013605, 1.991007615732823e-17) * root_of(root_of(squared_gamma_ratio(a / 2)));
    const dd slope = dd(-0.5) / value;
    const Cylinder at = weber_from_zero(dd(a), 0.25, value, x < 0 ? -slope : slope, ::fabs(x));
    return Cylinder{at.value, x < 0 ? -at.slope : at.slope};
}

}  // namespace special
}  // namespace gpuarray
