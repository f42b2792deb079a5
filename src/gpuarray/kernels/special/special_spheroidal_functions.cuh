// Spheroidal wave functions: the angular ones of the first kind by Legendre functions, normalised as in C. Flammer,
// "Spheroidal wave functions" (1957), the radial ones by spherical Bessel functions (DLMF 30.8, 30.11). Those of the second
// kind have these where they are waves, and come from there as a solution of the equation, which grows inwards.
#pragma once

#include "gpuarray/special_ode.cuh"
#include "gpuarray/special_spheroidal.cuh"

namespace gpuarray {
namespace special {

struct Spheroidal {
    double value, slope;
};

// The coefficients of degrees m + odd, m + odd + 2, ...: ratios from both ends to that of the degree n itself.
struct SpheroidalSum {
    static const int limit = 200;
    double m, square, value;
    int odd, middle, rows;
    double d[limit];

    // The three coefficients of a row of the recurrence, less the characteristic value: DLMF 30.8.3.
    GPUARRAY_DEVICE double above(int i) const {
        const double r = 2 * i + odd, t = 2 * (m + r);
        return square * (2 * m + r + 2) * (2 * m + r + 1) / ((t + 3) * (t + 5));
    }
    GPUARRAY_DEVICE double diagonal(int i) const {
        const double s = m + 2 * i + odd, t = 2 * s;
        return s * (s + 1) - value + square * (2 * s * (s + 1) - 2 * m * m - 1) / ((t - 1) * (t + 3));
    }
    GPUARRAY_DEVICE double below(int i) const {
        const double r = 2 * i + odd, t = 2 * (m + r);
        return square * r * (r - 1) / ((t - 3) * (t - 1));
    }
    GPUARRAY_CALLED SpheroidalSum(double m, double n, double c, double value, double sign)
        : m(m), square(sign * c * c), value(value) {
        const int degree = int(n - m);
        odd = degree & 1;
        middle = degree / 2;
        rows = int(middle + 30 + ::fabs(c));
        d[middle] = 1;
        double ratio = 0;
        for (int i = rows - 1; i > middle; --i) d[i] = ratio = -below(i) / (diagonal(i) + above(i) * ratio);
        for (int i = middle + 1; i < rows; ++i) d[i] *= d[i - 1];
        ratio = 0;
        for (int i = 0; i < middle; ++i) d[i] = ratio = -above(i) / (diagonal(i) + below(i) * ratio);
        for (int i = middle - 1; i >= 0; --i) d[i] *= d[i + 1];
    }
};

// Orders that exist, and so many coefficients that there is room for them.
GPUARRAY_DEVICE bool spheroidal_orders(double m, double n, double c) {
    return m >= 0 && m <= 100 && n >= m && m == ::floor(m) && n == ::floor(n) &&
           (n - m) / 2 + 30 + ::fabs(c) <= SpheroidalSum::limit;
}

GPUARRAY_CALLED Spheroidal spheroidal_angular(double m, double n, double c, double value, double x, double sign) {
    if (!spheroidal_orders(m, n, c) || !(::fabs(x) < 1)) return Spheroidal{not_a_number(), not_a_number()};
    const SpheroidalSum sum(m, n, c, value, sign);
    const double rest = (1 - x) * (1 + x);
    double start = ::pow(rest, m / 2);
    for (int k = 1; k <= int(m); ++k) start *= 2 * k - 1;
    // Legendre functions of the degrees l - 1 and l, at x and over that of degree m at zero
    double p = 1, last = 0, zero = 1, zero_last = 0, total = 0, slope = 0, here = 0, there = 0;
    for (int r = 0; r < 2 * sum.rows; ++r) {
        const double l = m + r;
        if ((r & 1) == sum.odd) {
            const int i = r / 2;
            total += sum.d[i] * p;
            slope += sum.d[i] * ((l + m) * last - l * x * p);
            const double at_zero = sum.odd ? (l + m) * zero_last : zero;
            here += sum.d[i] * at_zero;
            if (i == sum.middle) there = at_zero;
        }
        const double next = ((2 * l + 1) * x * p - (l + m) * last) / (r + 1), beyond = -(l + m) * zero_last / (r + 1);
        last = p;
        p = next;
        zero_last = zero;
        zero = beyond;
    }
    const double scale = start * (there / here);
    return Spheroidal{scale * total, scale * slope / rest};
}

GPUARRAY_CALLED Spheroidal spheroidal_radial(double m, double n, double c, double value, double x, double sign) {
    const bool outside = sign > 0 ? x > 1 : x >= 0;
    if (!spheroidal_orders(m, n, c) || !(c > 0) || !outside || x > 1e100) {
        return Spheroidal{not_a_number(), not_a_number()};
    }
    const SpheroidalSum sum(m, n, c, value, sign);
    double weight = 1, whole = 0;
    const double y = c * x;
    if (x == 0) {
        // What is left of the first term, or of its derivative
        for (int i = 0; i < sum.rows; ++i) {
            const double r = 2 * i + sum.odd;
            whole += sum.d[i] * weight;
            weight *= (2 * m + r + 2) * (2 * m + r + 1) / ((r + 2) * (r + 1));
        }
        double first = sum.d[0] / whole * ((sum.middle & 1) ? -1 : 1);
        for (int k = 1; k <= int(m) + sum.odd; ++k) first *= c / (2 * k + 1);
        return sum.odd ? Spheroidal{0, first} : Spheroidal{first, 0};
    }
    // Spherical Bessel functions downwards from where they are nothing, scaled by the first two; upwards if all are waves
    const int most = 512;  // 100 orders and twice 200 coefficients
    double j[most];
    const int count = int(m) + 2 * sum.rows + 2;
    double sine, cosine;
    ::sincos(y, &sine, &cosine);
    const double zero = sine / y, series = y / 3 * (1 - y * y / 10 * (1 - y * y / 28 * (1 - y * y / 54)));
    const double one = y < 0.1 ? series : (zero - cosine) / y;
    if (y > count) {
        j[0] = zero;
        j[1] = one;
        for (int k = 1; k + 1 < count; ++k) j[k + 1] = (2 * k + 1) / y * j[k] - j[k - 1];
    } else {
        for (int k = 0; k < count; ++k) j[k] = 0;
        int begin = int(y) + 2;
        while (begin < count + 60 && begin * ::log(0.7357588823428847 * begin / y) < 500) ++begin;
        double over = 0, now = 1e-280;
        for (int k = begin; k > 0; --k) {
            if (k < count) j[k] = now;
            const double under = (2 * k + 1) / y * now - over;
            over = now;
            now = under;
        }
        j[0] = now;
        const double scale = ::fabs(zero) > ::fabs(one) ? zero / now : one / over;
        for (int k = 0; k < count; ++k) j[k] *= scale;
    }
    double total = 0, slope = 0;
    for (int i = 0; i < sum.rows; ++i) {
        const double r = 2 * i + sum.odd, g = sum.d[i] * weight;
        const int l = int(m + r);
        whole += g;
        const double turned = ((i - sum.middle) & 1) ? -g : g;
        total += turned * j[l];
        slope += turned * (l / y * j[l] - j[l + 1]) * c;
        weight *= (2 * m + r + 2) * (2 * m + r + 1) / ((r + 2) * (r + 1));
    }
    // (1 -+ 1 / x^2)^(m / 2) and its logarithm's derivative
    const double factor = ::pow(1 - sign / (x * x), m / 2) / whole, growth = sign * m / (x * (x * x - sign));
    return Spheroidal{factor * total, factor * (slope + growth * total)};
}

// From the sum of functions of the second kind at the least argument at which none of them is large, inwards by Taylor
// series of the radial function over (x^2 -+ 1)^(m / 2).
GPUARRAY_CALLED Spheroidal spheroidal_second(double m, double n, double c, double value, double x, double sign) {
    const Spheroidal none{not_a_number(), not_a_number()};
    const bool outside = sign > 0 ? x > 1 : x >= 0;
    if (!spheroidal_orders(m, n, c) || !(c > 0) || !outside || x > 1e100 || value != value) return none;
    const SpheroidalSum sum(m, n, c, value, sign);
    double weight = 1, whole = 0, greatest = 0;
    int most = 0;
    for (int i = 0; i < sum.rows; ++i) {
        const double r = 2 * i + sum.odd, g = sum.d[i] * weight;
        whole += g;
        greatest = ::fmax(greatest, ::fabs(g));
        if (::fabs(g) > 1e-19 * greatest) most = i;
        weight *= (2 * m + r + 2) * (2 * m + r + 1) / ((r + 2) * (r + 1));
    }
    const double last = m + 2 * most + sum.odd, start = (last + 8 + 4 * ::cbrt(last)) / c;
    double at = x > start ? x : start;
    const double y = c * at;
    double sine, cosine;
    ::sincos(y, &sine, &cosine);
    double here = -cosine / y, next = (here - sine) / y, total = 0, slope = 0;
    weight = 1;
    for (int l = 0; l <= last; ++l) {
        const int r = l - int(m);
        if (r >= 0 && (r & 1) == sum.odd) {
            const int i = r / 2;
            const double g = sum.d[i] * weight, turned = ((i - sum.middle) & 1) ? -g : g;
            total += turned * here;
            slope += turned * (l / y * here - next) * c;
            weight *= (2 * m + r + 2) * (2 * m + r + 1) / ((r + 2.0) * (r + 1));
        }
        const double beyond = (2 * l + 3) / y * next - here;
        here = next;
        next = beyond;
    }
    const double factor = ::pow(1 - sign / (at * at), m / 2) / whole, growth = sign * m / (at * (at * at - sign));
    const Spheroidal found{factor * total, factor * (slope + growth * total)};
    if (at == x) return found;
    // From here on the argument is that less 1 where 1 is a singularity. The function over the power, which is 1 here
    const double square = c * c, end = sign > 0 ? x - 1 : x, middle = m * (m + 1) - value;
    Equation<double> equation{1, 0, 1, 0, 2 * (m + 1), middle, 0, square};
    if (sign > 0) equation = Equation<double>{0, 2, 1, 2 * (m + 1), 2 * (m + 1), middle + square, 2 * square, square};
    if (sign > 0) at -= 1;
    const auto base = [=](double t) { return sign > 0 ? t * (t + 2) : t * t + 1; };
    const auto growth_at = [=](double t) { return m * (sign > 0 ? t + 1 : t) / base(t); };
    Solution<double> u{found.value, found.slope - growth_at(at) * found.value};
    for (int step = 0; step < 4000; ++step) {
        const double reach = sign > 0 ? at : ::sqrt(base(at));
        const double rate = ::sqrt(::fabs(middle + square * base(at)) / base(at));
        const double length = ::fmin(0.4 * reach, ::fmin(2 / c, 8 / rate));
        const bool final = !(at - length > end);
        const double to = final ? end : at - length, power = ::pow(base(to) / base(at), m / 2);
        const Solution<double> moved = taylor_step(equation, at, to - at, u);
        u = Solution<double>{power * moved.value, power * moved.slope};
        at = to;
        if (final) return Spheroidal{u.value, u.slope + growth_at(at) * u.value};
    }
    return none;
}

GPUARRAY_DEVICE Spheroidal pro_ang1_cv(double m, double n, double c, double cv, double x) {
    return spheroidal_angular(m, n, c, cv, x, 1);
}
GPUARRAY_DEVICE Spheroidal obl_ang1_cv(double m, double n, double c, double cv, double x) {
    return spheroidal_angular(m, n, c, cv, x, -1);
}
GPUARRAY_DEVICE Spheroidal pro_rad1_cv(double m, double n, double c, double cv, double x) {
    return spheroidal_radial(m, n, c, cv, x, 1);
}
GPUARRAY_DEVICE Spheroidal obl_rad1_cv(double m, double n, double c, double cv, double x) {
    return spheroidal_radial(m, n, c, cv, x, -1);
}
GPUARRAY_DEVICE Spheroidal pro_rad2_cv(double m, double n, double c, double cv, double x) {
    return spheroidal_second(m, n, c, cv, x, 1);
}
GPUARRAY_DEVICE Spheroidal obl_rad2_cv(double m, double n, double c, double cv, double x) {
    return spheroidal_second(m, n, c, cv, x, -1);
}
// The value is a long search: only for what has a function.
GPUARRAY_DEVICE double value_of_function(double m, double n, double c, double sign) {
    return spheroidal_orders(m, n, c) ? spheroidal_value(m, n, c, sign) : not_a_number();
}
GPUARRAY_DEVICE Spheroidal pro_ang1(double m, double n, double c, double x) {
    return pro_ang1_cv(m, n, c, value_of_function(m, n, c, 1.0), x);
}
GPUARRAY_DEVICE Spheroidal obl_ang1(double m, double n, double c, double x) {
    return obl_ang1_cv(m, n, c, value_of_function(m, n, c, -1.0), x);
}
GPUARRAY_DEVICE Spheroidal pro_rad1(double m, double n, double c, double x) {
    return pro_rad1_cv(m, n, c, value_of_function(m, n, c, 1.0), x);
}
GPUARRAY_DEVICE Spheroidal obl_rad1(double m, double n, double c, double x) {
    return obl_rad1_cv(m, n, c, value_of_function(m, n, c, -1.0), x);
}
GPUARRAY_DEVICE Spheroidal pro_rad2(double m, double n, double c, double x) {
    return pro_rad2_cv(m, n, c, value_of_function(m, n, c, 1.0), x);
}
GPUARRAY_DEVICE Spheroidal obl_rad2(double m, double n, double c, double x) {
    return obl_rad2_cv(m, n, c, value_of_function(m, n, c, -1.0), x);
}

}  // namespace special
}  // namespace gpuarray
