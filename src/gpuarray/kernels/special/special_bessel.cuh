// SciPy's Bessel functions of any real order: signs of order and argument, scaling, the other half plane.
//
// Reflections are those of DLMF 10.2(iii), 10.4, 10.11, 10.27 and 10.34.
#pragma once

#include "gpuarray/special_bessel_ordinary.cuh"

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE double odd_sign(double n) { return ::fmod(n, 2.0) == 0 ? 1 : -1; }
// The sign of 1 / Gamma(1 + v) for v < 0 that is no integer.
GPUARRAY_DEVICE double reciprocal_sign(double v) { return odd_sign(::ceil(v)); }
// a cos(pi v) + b sin(pi v), where a factor of zero takes an infinite value away
GPUARRAY_DEVICE double turned_sum(double a, double b, double v) {
    const double c = ::cospi(v), s = ::sinpi(v);
    return s == 0 ? a * c : c == 0 ? b * s : a * c + b * s;
}

GPUARRAY_CALLED double jv(double v, double x) {
    if (isnan(v) || isnan(x) || isinf(x) || (x < 0 && (!is_integer(v) || isinf(v)))) return not_a_number();
    const double size = ::fabs(v), sign = x < 0 ? odd_sign(v) : 1;
    if (x == 0) return v == 0 ? 1 : v > 0 || is_integer(v) ? 0 : infinity() * reciprocal_sign(v);
    if (isinf(v)) return 0;
    if (v < 0 && v > -20 && x > 0 && x < 25 && !is_integer(v)) {
        // By its own series the zeros keep their digits, and the poles of J_v Gamma(v + 1).
        const SignedLog first = first_term_of_i(v, x);
        return first.sign * times_power(rounded(series_of_i(v, x, -1)), first.log);
    }
    if (v < 0 && x > hankel_from(v)) return hankel_wave(v, x).j;
    const Ordinary at = ordinary_bessel(size, ::fabs(x));
    return sign * (v < 0 ? turned_sum(at.j, -at.y, size) : at.j);
}
// Y_v for v < 0 by DLMF 10.2.3 with the series of both J, in two doubles: near its zeros they cancel. False near
// integers, where they cancel everywhere, and where they are out of the range.
GPUARRAY_CALLED bool y_by_series(double v, double x, double& y) {
    const double whole = ::rint(v), part = ::fabs(v - whole);
    if (part < 1e-3) return false;
    const SignedLog right = first_term_of_i(-v, x), left = first_term_of_i(v, x);
    if (::fabs(right.log.hi) > 600 || ::fabs(left.log.hi) > 600) return false;
    // The sine and the cosine of pi part are functions of the orders 1/2 and -1/2, DLMF 10.16.1.
    const bool beyond = part > 0.25;
    const double turn = beyond ? 0.5 - part : part;
    const dd angle = product(turn, 3.141592653589793) + turn * 1.2246467991473532e-16;
    const dd s = series_of_i(0.5, angle.hi, -1) * angle.hi, c = series_of_i(-0.5, angle.hi, -1);
    const dd below = s + c.hi * angle.lo, above = c - s.hi * angle.lo, sine = beyond ? above : below;
    const dd first = series_of_i(-v, x, -1) * exp_to_dd(right.log) * odd_sign(whole);
    const dd second = series_of_i(v, x, -1) * exp_to_dd(left.log) * left.sign * (beyond ? below : above);
    const double found = rounded((first - second) / sine);
    y = v < whole ? found : -found;
    return true;
}
GPUARRAY_CALLED double yv(double v, double x) {
    if (isnan(v) || isnan(x) || x < 0 || isinf(x)) return not_a_number();
    // The sign of -cos(pi v), of half-integers that of orders nearer to zero.
    if (x == 0) return v < 0 ? -odd_sign(::ceil(-v - 0.5)) * infinity() : -infinity();
    if (isinf(v)) return not_a_number();
    const double size = ::fabs(v);
    double found;
    if (v < 0 && v > -20 && x < 25 && y_by_series(v, x, found)) return found;
    if (v < 0 && x > hankel_from(v)) return hankel_wave(v, x).y;
    const Ordinary at = ordinary_bessel(size, x);
    return v < 0 ? turned_sum(at.y, at.j, size) : at.y;
}
GPUARRAY_CALLED double scaled_iv(double v, double x, bool scaled) {
    if (isnan(v) || isnan(x) || (x < 0 && !is_integer(v))) return not_a_number();
    const double size = ::fabs(x), sign = x < 0 ? odd_sign(v) : 1;
    if (scaled && (isinf(v) || (x == 0 && v < 0 && !is_integer(v)))) return not_a_number();
    if (x == 0) return v == 0 ? 1 : v > 0 || is_integer(v) ? 0 : infinity();  // SciPy's sign
    if (isinf(x)) return not_a_number();
    if (isinf(v)) return 0;
    return sign * real_i(v, size, scaled ? -size : 0);
}
GPUARRAY_CALLED double scaled_kv(double v, double x, bool scaled) {
    if (x == 0) return infinity();
    if (isnan(v) || isnan(x) || x < 0 || isinf(v)) return not_a_number();
    if (isinf(x)) return scaled ? not_a_number() : 0;
    return real_k(v, x, scaled ? x : 0);
}
GPUARRAY_DEVICE double iv(double v, double x) { return scaled_iv(v, x, false); }
GPUARRAY_DEVICE double ive(double v, double x) { return scaled_iv(v, x, true); }
GPUARRAY_DEVICE double kv(double v, double x) { return scaled_kv(v, x, false); }
GPUARRAY_DEVICE double kve(double v, double x) { return scaled_kv(v, x, true); }
// SciPy has NaN instead of infinities here, and for infinite orders.
GPUARRAY_DEVICE double jve(double v, double x) {
    return isinf(v) || (x == 0 && v < 0 && !is_integer(v)) ? not_a_number() : jv(v, x);
}
GPUARRAY_DEVICE double yve(double v, double x) { return x == 0 ? not_a_number() : yv(v, x); }
GPUARRAY_DEVICE double yn(double n, double x) {
    return isinf(n) && x > 0 ? -infinity() : yv(::trunc(n), x);
}
GPUARRAY_DEVICE double kn(double n, double x) {
    return isnan(n) ? n : isinf(n) && isinf(x) && x > 0 ? 0 : kv(::trunc(n), x);
}

// H1_v(z) e^(-i z) for v >= 0. On the real axis the caller says from which side.
GPUARRAY_CALLED Complex hankel_above(double v, Complex z, bool above) {
    const Complex phase = gpuarray::turn_back(unit_at(-v / 2)) * 0.6366197723675814;
    if (above) {
        Complex w = gpuarray::turn_back(z);
        w.real = ::fabs(w.real);
        return phase * modified_bessel(v, w).k;
    }
    Complex u = gpuarray::turn(z);
    u.real = ::fabs(u.real);
    const Modified<Complex> at = modified_bessel(v, u);
    return phase * (unit_at(v) * at.k * exponential(-2.0 * u) + 3.141592653589793 * gpuarray::turn(at.i));
}
// H1_v(z) e^(-i z), or H2_v(z) e^(i z)
GPUARRAY_CALLED Complex scaled_hankel(int kind, double v, Complex z) {
    if (isnan(v) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    const double size = ::fabs(v);
    const Complex turn = v < 0 ? unit_at(size) : Complex(1, 0);
    if (kind == 1) return hankel_above(size, z, z.imag >= 0) * turn;
    const Complex mirrored = conjugate(z);
    return conjugate(hankel_above(size, mirrored, mirrored.imag > 0 || (mirrored.imag == 0 && z.real >= 0)) * turn);
}
// J_v(z) e^(-|Im z|) for v >= 0
GPUARRAY_CALLED Complex scaled_j(double v, Complex z) {
    const bool above = z.imag >= 0;
    Complex w = above ? gpuarray::turn_back(z) : gpuarray::turn(z);
    w.real = ::fabs(w.real);
    return unit_at(above ? v / 2 : -v / 2) * modified_bessel(v, w).i * exponential(Complex(0, w.imag));
}
GPUARRAY_CALLED Complex scaled_y(double v, Complex z) {
    const double height = ::fabs(z.imag);
    const Complex forth = exponential(Complex(-z.imag - height, z.real));
    const Complex back = exponential(Complex(z.imag - height, -z.real));
    const Complex found = gpuarray::turn_back(scaled_hankel(1, v, z) * forth - scaled_hankel(2, v, z) * back) / 2.0;
    // On the positive axis nothing but overflow has no value.
    return z.imag == 0 && z.real > 0 && isfinite(z.real) && isnan(found.real) ? Complex(-infinity(), 0) : found;
}
// Times e^x, in two steps where one overflows. Zeros and infinities stay: the factor may be the other one of them.
GPUARRAY_DEVICE double grown(double x, double half) { return x == 0 || isinf(x) ? x : x * half * half; }
GPUARRAY_DEVICE Complex grown(Complex z, double x) {
    const double half = ::exp(x / 2);
    return Complex(grown(z.real, half), grown(z.imag, half));
}

GPUARRAY_CALLED Complex jve(double v, Complex z) {
    if (isnan(v) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(jv(v, 0), 0);
    const double size = ::fabs(v);
    if (v >= 0) return scaled_j(v, z);
    if (is_integer(v)) return odd_sign(size) * scaled_j(size, z);
    return ::cospi(size) * scaled_j(size, z) - ::sinpi(size) * scaled_y(size, z);
}
GPUARRAY_CALLED Complex yve(double v, Complex z) {
    if (isnan(v) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(-infinity(), 0);
    const double size = ::fabs(v);
    if (v >= 0) return scaled_y(v, z);
    if (is_integer(v)) return odd_sign(size) * scaled_y(size, z);
    return ::cospi(size) * scaled_y(size, z) + ::sinpi(size) * scaled_j(size, z);
}
GPUARRAY_CALLED Complex kve(double v, Complex z) {
    if (isnan(v) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(infinity(), 0);
    v = ::fabs(v);
    if (z.real >= 0) {
        const Complex found = modified_bessel(v, z).k;
        if (z.imag != 0 || z.real == 0) return found;
        // On the positive axis it is real, and nothing but overflow has no value.
        return Complex(isnan(found.real) ? infinity() : found.real, 0);
    }
    const double side = z.imag >= 0 ? 1 : -1;
    const Modified<Complex> at = modified_bessel(v, -z);
    return unit_at(-side * v) * at.k * exponential(2.0 * z) - (side * 3.141592653589793) * gpuarray::turn(at.i);
}
GPUARRAY_CALLED Complex ive(double v, Complex z) {
    if (isnan(v) || gpuarray::isnan(z)) return Complex(not_a_number(), not_a_number());
    if (is_zero(z)) return Complex(iv(v, 0), 0);
    const double size = ::fabs(v), side = z.imag >= 0 ? 1 : -1;
    const bool left = z.real < 0;
    const Complex w = left ? -z : z;
    const Modified<Complex> at = modified_bessel(size, w);
    Complex value = at.i * exponential(Complex(0, w.imag));
    if (left) value = value * unit_at(side * size);
    if (v < 0 && !is_integer(v)) {
        // K_v(z) e^(-|Re z|)
        Complex k = at.k * exponential(Complex(-2 * w.real, -w.imag));
        const Complex i = at.i * exponential(Complex(0, w.imag));
        if (left) k = unit_at(-side * size) * k - (side * 3.141592653589793) * gpuarray::turn(i);
        value = value + 0.6366197723675814 * ::sinpi(size) * k;
    }
    return value;
}
GPUARRAY_CALLED Complex jv(double v, Complex z) { return grown(jve(v, z), ::fabs(z.imag)); }
GPUARRAY_CALLED Complex yv(double v, Complex z) { return grown(yve(v, z), ::fabs(z.imag)); }
GPUARRAY_CALLED Complex iv(double v, Complex z) { return grown(ive(v, z), ::fabs(z.real)); }
GPUARRAY_CALLED Complex kv(double v, Complex z) {
    const Complex scaled = kve(v, z);
    return grown(z.imag == 0 && z.real > 0 ? scaled : scaled * exponential(Complex(0, -z.imag)), -z.real);
}
GPUARRAY_CALLED Complex hankel1e(double v, Complex z) { return scaled_hankel(1, v, z); }
GPUARRAY_CALLED Complex hankel2e(double v, Complex z) { return scaled_hankel(2, v, z); }
GPUARRAY_CALLED Complex hankel1(double v, Complex z) {
    return grown(scaled_hankel(1, v, z) * exponential(Complex(0, z.real)), -z.imag);
}
GPUARRAY_CALLED Complex hankel2(double v, Complex z) {
    if (is_zero(z) && v == 0) return Complex(not_a_number(), infinity());  // as SciPy's
    return grown(scaled_hankel(2, v, z) * exponential(Complex(0, -z.real)), z.imag);
}

}  // namespace special
}  // namespace gpuarray
