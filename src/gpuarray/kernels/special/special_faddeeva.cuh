// The error function of complex arguments, w(z) = exp(-z^2) erfc(-iz), and its relatives.
//
// M. Al Azah and S. N. Chandler-Wilde, "Computation of the complex error function using modified trapezoidal rules"
// (2021): the trapezoidal rule with step h = sqrt(pi/13) or the midpoint rule, whichever has no node near z, with the
// residue of the pole.
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_double_fits.cuh"
#include "gpuarray/special_normal_single.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> cplx;

GPUARRAY_DEVICE cplx times_i(cplx z) { return cplx(-z.imag, z.real); }

// exp(-z^2), with the squares in two doubles.
GPUARRAY_CALLED cplx exp_minus_square(cplx z) {
    const dd exponent = product(z.imag, z.imag) - product(z.real, z.real);
    const dd angle = product(-2 * z.real, z.imag);
    double s, c;
    ::sincos(angle.hi, &s, &c);
    const double sine = ::fma(c, angle.lo, s), cosine = ::fma(-s, angle.lo, c);
    if (exponent.hi > 700) {
        const double half = ::exp(exponent.hi / 2) * (1 + exponent.lo / 2);
        return cplx(half * cosine * half, angle.hi == 0 ? angle.hi : half * sine * half);
    }
    const double size = exp_dd(exponent);
    return cplx(size * cosine, size * sine);
}

// erf(z), or erfi(z) for the sign 1.
GPUARRAY_CALLED cplx erf_near_zero(cplx z, double sign) {
    const cplx zz = z * z * sign;
    cplx power = z, total = z;
#pragma unroll 1
    for (int k = 1; k < 30; ++k) {
        power = power * zz * (1.0 / k);
        total = total + power * (1.0 / (2 * k + 1));
    }
    return total * 1.1283791670955125739;
}

// For x >= 0 and y >= 0.
GPUARRAY_CALLED cplx w_first_quadrant(cplx z) {
    const double x = z.real, y = z.imag;
    if (x > 1e8 || y > 1e8) {
        if (isinf(x) || isinf(y)) return cplx(0, 0);
        const cplx r = reciprocal(z);
        return cplx(-r.imag * 0.56418958354775628695, r.real * 0.56418958354775628695);
    }
    if (x * x + y * y < 0.25) {
        const cplx odd = times_i(erf_near_zero(z, 1));
        return c_product(exp_minus_square(z), cplx(1 + odd.real, odd.imag));
    }
    const double weights[] = {0.941373553317057, 0.580574475844855, 0.22082580886011735, 0.051800943086725136,
                              0.007494133905570724, 0.000668653583783288, 3.67939869526238e-05, 1.2486722750666e-06,
                              2.6134610591998732e-08, 3.3734909041837297e-10, 2.6855855973534974e-12,
                              1.318543312332951e-14, 3.992507559310685e-17, 7.45577922292394e-20,
                              8.586897469184101e-23};
    const double whole_weights[] = {0.7853223776372751, 0.3803574184668909, 0.11361397508152955, 0.020929919814712632,
                                    0.0023779313882871726, 0.00016661995779637806, 7.2003012373258625e-06,
                                    1.918979158500595e-07, 3.154175073330076e-09, 3.197402264014982e-11,
                                    1.9989627743368265e-13, 7.707403227440143e-16, 1.8327676056715776e-18,
                                    2.6878353731433928e-21};
    // x over the step, of which the fraction counts.
    const dd steps = dd(2.0342144725641096, 4.1701925151714984e-17) * x;
    const double part = (steps.hi - ::floor(steps.hi)) + steps.lo;
    const bool near_pole = y < 6.3907;
    const bool whole = y < x && near_pole && part >= 0.25 && part <= 0.75;
    // i z / (z^2 - t^2) in parts: the terms of the real part are positive, however small it is beside the other one.
    const double size_squared = x * x + y * y;
    dd real_sum(0.0), imag_sum(0.0);
    // The last nodes count for what is close to them.
    const int count = x > 4 && x < 8 ? 15 : 13;
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
        const double count_of_steps = whole ? k : k + 0.5;
        const double weight = !whole ? weights[k] : k > 0 ? whole_weights[k - 1] : 0.5;
        // The step has two parts, of which the first has few bits: near a node the distance keeps its digits.
        const double first = count_of_steps * 0.49159024944856355, second = count_of_steps * 1.6281691624681457e-13;
        const double node = first + second;
        const double left = (x - first) - second, right = x + node;
        const double factor = weight / ((left * left + y * y) * (right * right + y * y));
        real_sum = real_sum + factor * (size_squared + node * node);
        imag_sum = imag_sum + factor * (left * right + y * y);
    }
    const dd scale(0.31295607270217074, -2.7745027657433282e-17);  // 2 h / pi
    const cplx total(rounded(real_sum * scale) * y, rounded(imag_sum * scale) * x);
    if (!near_pole) return total;
    // 2 exp(-z^2) / (1 +- exp(-2 pi i z / h))
    const double size = ::exp(y * (6.283185307179586 * 2.0342144725641096));
    double s, c;
    ::sincospi(2 * part, &s, &c);
    const double sign = whole ? -1.0 : 1.0;
    const cplx divisor(1 + sign * size * c, -sign * size * s);
    return total + divide(exp_minus_square(z), divisor) * 2.0;
}

GPUARRAY_CALLED cplx wofz(cplx z) {
    if (isnan(z)) return cplx(not_a_number(), not_a_number());
    const cplx found = w_first_quadrant(cplx(::fabs(z.real), ::fabs(z.imag)));
    // w(-conj(z)) = conj(w(z)); below the axis w(z) = 2 exp(-z^2) - w(-z).
    if (z.imag >= 0) return cplx(found.real, z.real < 0 ? -found.imag : found.imag);
    const cplx e = exp_minus_square(z);
    return cplx(2 * e.real - found.real, 2 * e.imag - (z.real < 0 ? found.imag : -found.imag));
}

// Dawson's integral: exp(-x^2) times the power series of erfi, G. B. Rybicki's sampling ("Dawson's integral and the
// sampling theorem", 1989) with step 1/4, and the asymptotic series (DLMF 7.12).
GPUARRAY_CALLED double erfi_series(double x) {
    const double z = x * x;
    double power = 1, total = 0;
    // The terms in their order from the greatest would need as many steps.
#pragma unroll 1
    for (int k = 1; k < 60; ++k) {
        power *= z / k;
        const double term = power / (2 * k + 1);
        total += term;
        if (term < 1e-18 * total) break;
    }
    return x + x * total;
}
GPUARRAY_CALLED double dawsn(double x) {
    const double a = ::fabs(x);
    if (!(a < 1e150)) return x != x ? x : 0.5 / x;
    if (a < 2) return erfi_series(x) * exp_dd(-product(x, x));
    if (a < 8) {
        const double centre = 2 * ::rint((a - 0.25) * 2) + 1;
        double total = 0;
#pragma unroll 1
        for (int k = -13; k <= 13; ++k) {
            const double n = centre + 2 * k, distance = a - 0.25 * n;
            total += ::exp(-distance * distance) / n;
        }
        return ::copysign(total * 0.56418958354775628695, x);
    }
    const double z = 1 / (2 * x * x);
    double term = 1, total = 0;
#pragma unroll 1
    for (int k = 1; k < 40; ++k) {
        term *= (2 * k - 1) * z;
        total += term;
        if (term < 1e-18) break;
    }
    return 0.5 / x + 0.5 / x * total;
}
GPUARRAY_CALLED double erfi(double x) {
    if (::fabs(x) < 2) return 1.1283791670955125739 * erfi_series(x);
    if (::fabs(x) > 26.7) return isinf(x) || x == x ? ::copysign(infinity(), x) : x;
    // The square of exp's half does not overflow before the product with what is small does.
    const dd half = product(x, x) * 0.5;
    const double e = exp_dd(half);
    return 1.1283791670955125739 * dawsn(x) * e * e;
}

GPUARRAY_CALLED cplx erfc_right(cplx z) { return c_product(exp_minus_square(z), wofz(times_i(z))); }

GPUARRAY_DEVICE double erf(double x) { return ::erf(x); }
GPUARRAY_CALLED cplx erf(cplx z) {
    if (z.imag == 0) return cplx(::erf(z.real), z.imag);
    if (z.real == 0) return cplx(z.real, erfi(z.imag));
    if (::hypot(z.real, z.imag) < 1) return erf_near_zero(z, -1);
    const bool left = z.real < 0;
    const cplx rest = erfc_right(left ? -z : z);
    const cplx result(1 - rest.real, -rest.imag);
    return left ? -result : result;
}
GPUARRAY_CALLED cplx erfc(cplx z) {
    if (z.imag == 0) return cplx(::erfc(z.real), -z.imag);
    if (z.real >= 0) return erfc_right(z);
    const cplx rest = erfc_right(-z);
    return cplx(2 - rest.real, -rest.imag);
}
GPUARRAY_DEVICE double erfcx(double x) { return ::erfcx(x); }
GPUARRAY_DEVICE cplx erfcx(cplx z) { return wofz(times_i(z)); }
GPUARRAY_CALLED cplx erfi(cplx z) {
    const cplx found = erf(times_i(z));
    return cplx(found.imag, -found.real);
}
GPUARRAY_CALLED cplx dawsn(cplx z) {
    if (z.imag == 0) return cplx(dawsn(z.real), z.imag);
    if (::hypot(z.real, z.imag) < 1) {
        const cplx series = erf_near_zero(z, 1) * 0.88622692545275801365;
        return c_product(series, exp_minus_square(z));
    }
    const bool below = z.imag < 0;
    const cplx upper = below ? -z : z;
    const cplx found = times_i(exp_minus_square(upper) - wofz(upper)) * 0.88622692545275801365;
    return below ? -found : found;
}

GPUARRAY_DEVICE double ndtr(double x) { return ::normcdf(x); }
GPUARRAY_DEVICE cplx ndtr(cplx z) { return erfc(z * -0.70710678118654752440) * 0.5; }
// The probability of a value beyond |x|, divided by exp(-x^2 / 2): as for float32, special_normal_single.cuh.
GPUARRAY_CALLED double log_ndtr(double x) {
    const double y = ::fabs(x) > 1e20 ? 1e20 : ::fabs(x), r = reciprocal52(y + 4), t = y < 4 ? (y - 4) * r : ::fma(r, -8.0, 1.0);
    const double scaled = fit_normal_tail_wide(t) / (1 + y), square = y * y, rest = ::fma(y, y, -square);
    if (x < 0) return ::fma(x * -0.5, x, ::log(scaled));
    return ::log1p(-scaled * exp_dd(dd(-0.5 * square, -0.5 * rest)));
}
GPUARRAY_CALLED cplx log_ndtr(cplx z) {
    if (z.real > 1) return log1p(erfc(z * 0.70710678118654752440) * -0.5);
    const cplx t = z * -0.70710678118654752440;
    if (t.real < 0) return log(erfc(t) * 0.5);
    // The square's imaginary part goes around: the logarithm is the principal one.
    const cplx found = log(erfcx(t) * 0.5) - t * t;
    return cplx(found.real, found.imag - 6.283185307179586 * ::rint(found.imag / 6.283185307179586));
}

// The inverse of log_ndtr: Newton's steps on it, whose derivative is sqrt(2 / pi) / erfcx(-x / sqrt(2)).
GPUARRAY_CALLED double ndtri_exp(double y) {
    if (!(y < 0)) return y == 0 ? infinity() : not_a_number();
    if (y == -infinity()) return y;
    if (y > -0.14541345786885906) return -::normcdfinv(-::expm1(y));
    if (y > -1.1) {
        // Near log(1/2) the probability is 1/2 (1 + expm1(y + log(2))).
        const dd excess = sum(y, 0.6931471805599453) + 2.3190468138462996e-17;
        return 1.4142135623730950488 * ::erfinv(::expm1(excess.hi));
    }
    if (y > -2) return ::normcdfinv(::exp(y));
    if (y < -1e15) return -1.4142135623730950488 * ::sqrt(-y);
    double x = -::sqrt(-2 * y);
    x = -::sqrt(::fmax(-2 * (y + ::log(2.5066282746310002 * -x)), 0.5));
#pragma unroll 1
    for (int i = 0; i < 6; ++i) {
        const double step = (log_ndtr(x) - y) * ::erfcx(x * -0.70710678118654752440) * 1.2533141373155003;
        x -= step;
        if (::fabs(step) < 1e-17 * ::fabs(x)) break;
    }
    return x;
}

GPUARRAY_CALLED double cauchy_density(double x, double width) {
    const double square = x * x + width * width;
    if (square > 1e-290 && square < 1e300) return width / 3.1415926535897932385 / square;
    const double length = ::hypot(x, width);
    return width / length / length / 3.1415926535897932385;
}
GPUARRAY_CALLED double voigt_profile(double x, double sigma, double width) {
    if (sigma == 0) {
        if (width == 0) return x != x ? x : x == 0 ? infinity() : 0.0;
        return cauchy_density(x, width);
    }
    // The normal variable is below rounding.
    if (sigma > 0 && width != 0 && ::hypot(x, width) > 1e9 * sigma) return cauchy_density(x, width);
    if (width == 0) {
        const double t = x / sigma;
        return 0.39894228040143267794 / sigma * exp_dd(product(t, t) * -0.5);
    }
    if (!is_moderate(sigma) || !(::fabs(x) < 1e200) || !(::fabs(width) < 1e200)) {
        const double scale = 0.70710678118654752440 / sigma;
        return wofz(cplx(x * scale, width * scale)).real / sigma * 0.39894228040143267794;
    }
    // The arguments have two doubles; w' = 2i / sqrt(pi) - 2zw says what the lower ones are worth.
    const dd scale = dd(0.7071067811865476, -4.833646656726457e-17) / sigma, real = scale * x, imag = scale * width;
    const cplx w = wofz(cplx(real.hi, imag.hi)), slope = cplx(real.hi, imag.hi) * w * -2.0;
    double value = w.real;
    if (::fabs(real.hi) < 100 && ::fabs(imag.hi) < 100) {
        value += ::fma(slope.real, real.lo, -(slope.imag + 1.1283791670955126) * imag.lo);
    }
    return value / sigma * 0.39894228040143267794;
}

// Fresnel's integrals as erf((1 - i) sqrt(pi) x / 2) (1 + i) / 2 = C + iS: DLMF 7.5.8; the power series below 1.2.
GPUARRAY_CALLED cplx fresnel_both(double x) {
    const double a = ::fabs(x);
    if (a < 1.2) {
        const double u = 1.5707963267948966192 * a * a, uu = u * u;
        double c = 0, s = 0, term = 1;
#pragma unroll 1
        for (int k = 1; k < 22; k += 2) {
            s += term * u / k / (2 * k + 1);
            term *= -uu / (double(k) * (k + 1));
            c += term / (2 * k + 3);
        }
        return cplx(x + x * c, x * s);
    }
    if (isinf(x)) return cplx(::copysign(0.5, x), ::copysign(0.5, x));
    if (a > 1e15) return cplx(::copysign(0.5, x), ::copysign(0.5, x));
    const cplx w = wofz(cplx(a * 0.88622692545275801365, a * 0.88622692545275801365));
    const dd square = product(a, a) * 0.5;
    // The phase modulo 2, exactly.
    const double whole = 2 * ::rint(square.hi / 2);
    double s, c;
    ::sincospi((square.hi - whole) + square.lo, &s, &c);
    const double real = 1 - (w.real * c - w.imag * s), imag = -(w.real * s + w.imag * c);
    const double both = (real - imag) / 2, other = (real + imag) / 2;
    return x < 0 ? cplx(-both, -other) : cplx(both, other);
}
GPUARRAY_DEVICE double fresnel_s(double x) { return fresnel_both(x).imag; }
GPUARRAY_DEVICE double fresnel_c(double x) { return fresnel_both(x).real; }

GPUARRAY_CALLED cplx fresnel_sum(cplx z, bool sine) {
    if (::hypot(z.real, z.imag) < 1) {
        const cplx u = z * z * 1.5707963267948966192, minus = -(u * u);
        cplx term = sine ? u : cplx(1, 0), total(0, 0);
#pragma unroll 1
        for (int k = sine; k < 22; k += 2) {
            total = total + term * (1.0 / (2 * k + 1));
            term = term * minus * (1.0 / ((k + 1) * (k + 2)));
        }
        return total * z;
    }
    // (1 - i) z and (1 + i) z, times sqrt(pi) / 2
    const double scale = 0.88622692545275801365;
    const cplx a = erf(cplx((z.real + z.imag) * scale, (z.imag - z.real) * scale));
    const cplx b = erf(cplx((z.real - z.imag) * scale, (z.imag + z.real) * scale));
    const cplx first((a.real - a.imag) / 2, (a.real + a.imag) / 2), second((b.real + b.imag) / 2, (b.imag - b.real) / 2);
    if (!sine) return (first + second) * 0.5;
    const cplx d = (first - second) * 0.5;
    return cplx(d.imag, -d.real);
}

}  // namespace special
}  // namespace gpuarray
