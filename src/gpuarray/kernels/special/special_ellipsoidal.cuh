// Ellipsoidal harmonics: Lame's functions of the first and second kind, and the constants that normalize them.
//
// With t = s^2 a function of the first kind is a product of roots of t, |t - h^2| and |t - k^2| and of a polynomial
// whose coefficients in powers of u = t - h^2, the middle singularity, have a recurrence of three terms (DLMF 31.5):
// they are an eigenvector of a tridiagonal matrix that scaling makes symmetric. G. Romain and B. Jean-Pierre,
// "Ellipsoidal harmonic expansions of the gravitational potential: theory and application" (2001), Celestial Mechanics
// and Dynamical Astronomy 79; G. Dassios, "Ellipsoidal Harmonics: Theory and Applications" (2012). In powers the digits
// of high degrees cancel: numbers have two doubles.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_elliptic.cuh"

namespace gpuarray {
namespace special {

// A function of the first kind.
struct Lame {
    static const int limit = 64;
    double h2, k2;
    dd outer_gap;  // k^2 - h^2
    int last, index;
    bool odd, middle, outer;  // whether s and the roots of |t - h^2| and |t - k^2| are factors
    bool defined;
    double highs[limit], lows[limit];

    // The coefficient of u^j; while they are computed, a pivot.
    GPUARRAY_DEVICE dd c(int j) const { return dd(highs[j], lows[j]); }
    GPUARRAY_DEVICE void set(int j, dd value) {
        highs[j] = value.hi;
        lows[j] = value.lo;
    }
    GPUARRAY_DEVICE double weight(bool factor) const { return factor ? 1.5 : 0.5; }
    // The matrix: the diagonal, the factors of the coefficients before and after, the product of those of neighbours.
    GPUARRAY_CALLED dd diagonal(int j) const {
        const dd both = outer_gap - h2;
        const dd mixed = both * weight(middle) + outer_gap * weight(odd) - h2 * weight(outer);
        return -(both * double(j * (j - 1)) + mixed * double(j));
    }
    GPUARRAY_DEVICE double before(int j) const {
        return (j - 1 - last) * (j + last + weight(odd) + weight(middle) + weight(outer) - 2);
    }
    GPUARRAY_DEVICE dd after(int j) const { return outer_gap * -h2 * ((j + 1) * (j + weight(middle))); }
    GPUARRAY_DEVICE dd coupled(int j) const { return after(j) * before(j + 1); }

    // How many eigenvalues are below x (Sturm).
    GPUARRAY_CALLED int below(double x) const {
        double pivot = diagonal(0).hi - x;
        int count = pivot < 0;
#pragma unroll 1
        for (int j = 1; j <= last; ++j) {
            if (pivot == 0) pivot = 1e-300;
            pivot = diagonal(j).hi - x - coupled(j - 1).hi / pivot;
            count += pivot < 0;
        }
        return count;
    }
    GPUARRAY_CALLED double eigenvalue() const {
        double low = 0, high = 0;
#pragma unroll 1
        for (int j = 0; j <= last; ++j) {
            const double at = diagonal(j).hi;
            const double reach = (j > 0 ? ::sqrt(coupled(j - 1).hi) : 0.0) + (j < last ? ::sqrt(coupled(j).hi) : 0.0);
            low = j == 0 ? at - reach : ::fmin(low, at - reach);
            high = j == 0 ? at + reach : ::fmax(high, at + reach);
        }
#pragma unroll 1
        for (int step = 0; step < 64; ++step) {
            const double middle_value = low / 2 + high / 2;
            if (!(low < middle_value && middle_value < high)) break;
            if (below(middle_value) > index) high = middle_value; else low = middle_value;
        }
        return low;
    }
    // Pivots from both ends meet where they are least, and give the vector and a step of Rayleigh's quotient, as in
    // I. S. Dhillon and B. N. Parlett, "Multiple representations to compute orthogonal eigenvectors" (2004).
    GPUARRAY_CALLED void eigenvector() {
        dd value(eigenvalue());
        const dd tiny(1e-300);
#pragma unroll 1
        for (int pass = 0; pass < 3; ++pass) {
            set(last, diagonal(last) - value);
#pragma unroll 1
            for (int j = last - 1; j >= 0; --j) {
                set(j, diagonal(j) - value - coupled(j) / (c(j + 1).hi == 0 ? tiny : c(j + 1)));
            }
            dd down = diagonal(0) - value, gap = c(0);
            int centre = 0;
#pragma unroll 1
            for (int j = 1; j <= last; ++j) {
                const dd loss = coupled(j - 1) / (down.hi == 0 ? tiny : down), both = c(j) - loss;
                if (::fabs(both.hi) < ::fabs(gap.hi)) {
                    gap = both;
                    centre = j;
                }
                down = diagonal(j) - value - loss;
            }
            // The vector, and the squares of that of the symmetric matrix.
            dd element(1.0);
            double square = 1, squares = 1;
#pragma unroll 1
            for (int j = centre + 1; j <= last; ++j) {
                const dd pivot = c(j).hi == 0 ? tiny : c(j);
                square *= coupled(j - 1).hi / (pivot.hi * pivot.hi);
                squares += square;
                element = -(element * before(j) / pivot);
                set(j, element);
            }
            down = diagonal(0) - value;
#pragma unroll 1
            for (int j = 0; j < centre; ++j) {
                if (down.hi == 0) down = tiny;
                set(j, down);
                down = diagonal(j + 1) - value - coupled(j) / down;
            }
            element = dd(1.0);
            set(centre, element);
            square = 1;
#pragma unroll 1
            for (int j = centre - 1; j >= 0; --j) {
                const dd pivot = c(j);
                square *= coupled(j).hi / (pivot.hi * pivot.hi);
                squares += square;
                element = -(element * after(j) / pivot);
                set(j, element);
            }
            value = value + gap / squares;
        }
        const dd leading = c(last);
#pragma unroll 1
        for (int j = 0; j <= last; ++j) set(j, c(j) / leading);
    }

    // The four classes follow one another, as K, L, M and N of Dassios.
    GPUARRAY_CALLED Lame(double h2, double k2, double degree, double order)
        : h2(h2), k2(k2), outer_gap(sum(k2, -h2)), last(0), index(0), odd(false), middle(false), outer(false) {
        degree = ::trunc(degree);
        order = ::trunc(order);
        defined = h2 > 0 && h2 < k2 && isfinite(k2) && degree >= 0 && order >= 1 && order <= 2 * degree + 1 &&
                  degree < 2 * limit - 2;
        if (!defined) return;
        const int n = int(degree), half = n / 2;
        index = int(order) - 1;
        last = half;
        if (index > half) {
            const int other = n - half;
            index -= half + 1;
            last = other - 1;
            middle = index < other;
            outer = !middle;
            if (index >= other) index -= other;
            if (outer && index >= other) {
                index -= other;
                middle = true;
                last = half - 1;
            }
        }
        index = last - index;  // the greatest eigenvalue first
        odd = (n & 1) != (middle != outer);
        eigenvector();
    }

    GPUARRAY_CALLED dd polynomial_at(dd u) const {
        dd found = c(last);
#pragma unroll 1
        for (int j = last - 1; j >= 0; --j) found = found * u + c(j);
        return found;
    }
    // The function of s, where u and v are s^2 - h^2 and s^2 - k^2.
    GPUARRAY_CALLED double value(double s, dd u, dd v) const {
        double found = rounded(polynomial_at(u));
        if (odd) found *= s;
        if (middle) found *= ::sqrt(::fabs(rounded(u)));
        if (outer) found *= ::sqrt(::fabs(rounded(v)));
        return found;
    }
    GPUARRAY_DEVICE double value(double s) const {
        const dd square = product(s, s);
        return value(s, square - h2, square - k2);
    }
};

// By what power of two lengths are divided, so that the greatest of them is about one and powers of them stay in the
// range: less where h^2 would leave it. A function is homogeneous in its lengths, of the first kind of degree n. 0 for
// lengths of which there is no function.
GPUARRAY_CALLED int lame_exponent(double h2, double k2, double s) {
    if (!(h2 > 0 && h2 < k2 && isfinite(k2))) return 0;
    const int greatest = ::max(::ilogb(k2) / 2, s == 0 || !isfinite(s) ? -2000 : ::ilogb(s));
    return ::min(greatest, (::ilogb(h2) + 960) / 2);
}
GPUARRAY_DEVICE bool is_sign(double x) { return ::fabs(x) == 1; }
GPUARRAY_CALLED double ellip_harm(double h2, double k2, double n, double p, double s, double signm, double signn) {
    // Far away it is s^n: what else is in it is below rounding.
    const bool far = ::fabs(s) > 1e12 * ::sqrt(k2);
    const int exponent = lame_exponent(h2, k2, far ? 0.0 : s);
    const Lame function(::ldexp(h2, -2 * exponent), ::ldexp(k2, -2 * exponent), n, p);
    if (!function.defined || (function.middle && !is_sign(signm)) || (function.outer && !is_sign(signn))) {
        return not_a_number();
    }
    const double sign = (function.middle ? signm : 1.0) * (function.outer ? signn : 1.0), degree = ::trunc(n);
    if (far) return ::pow(::fabs(s), degree) * (function.odd && s < 0 ? -sign : sign);
    return ::ldexp(function.value(::ldexp(s, -exponent)) * sign, exponent * int(degree));
}

// (2 n + 1) E(s) times the integral of 1 / (E(x)^2 sqrt((x^2 - k^2) (x^2 - h^2))) from s on (Dassios), in the angle of
// x = k cosh(angle): by the trapezoidal rule after H. Takahasi and M. Mori, "Double exponential formulas for numerical
// integration" (1974).
GPUARRAY_CALLED double ellip_harm_2(double h2, double k2, double n, double p, double s) {
    const int exponent = lame_exponent(h2, k2, 0.0);
    const double far_away = s;
    h2 = ::ldexp(h2, -2 * exponent), k2 = ::ldexp(k2, -2 * exponent), s = ::ldexp(s, -exponent);
    const Lame function(h2, k2, n, p);
    if (!function.defined) return not_a_number();
    // Far away it is 1 / s^(n + 1); hyperbolic functions would leave the range. At infinity NaN, as SciPy's.
    if (isfinite(far_away) && ::fabs(s) > 1e20 * ::sqrt(k2)) {
        return ::copysign(::pow(::fabs(far_away), -1 - ::trunc(n)), function.odd ? 1.0 : far_away);
    }
    const dd above = product(s, s) - k2;
    if (!(above.hi >= 0)) return not_a_number();
    const double k = ::sqrt(k2), start = ::asinh(::sqrt(above.hi) / k), degree = 2 * ::trunc(n) + 1;
    const double first = function.value(::fabs(s)), step = 1.0 / 16, unit = ::fmax(0.5 * degree, 1.0);
    double total = 0;
#pragma unroll 1
    for (int i = -60; i <= 72; ++i) {
        const double y = i * step, e = ::exp(-y), length = ::exp(y - e), angle = start + length / unit;
        const double slope = k * ::sinh(angle);
        const dd v = product(slope, slope), u = v + function.outer_gap;
        const double ratio = first / function.value(k * ::cosh(angle), u, v);
        total += ratio * ratio * length * (1 + e) / ::sqrt(u.hi);
    }
    const double found = degree * total * step / unit / first;
    // The integral changes its sign with s, the function may.
    return ::ldexp(s < 0 && !function.odd ? -found : found, -exponent * (int(n) + 1));
}

// Eight times the integral of (y^2 - x^2) E(x)^2 E(y)^2 over 0 < x < h < y < k (Dassios), from four of one
// variable, in which x = h sn(z) and y = k dn(z): of periodic functions the trapezoidal rule has all digits. The
// difference is taken from h^2 on either side, so that all terms are positive.
GPUARRAY_CALLED double ellip_normal(double h2, double k2, double n, double p) {
    const int exponent = lame_exponent(h2, k2, 0.0);
    h2 = ::ldexp(h2, -2 * exponent), k2 = ::ldexp(k2, -2 * exponent);
    const Lame function(h2, k2, n, p);
    if (!function.defined) return not_a_number();
    const double m = h2 / k2, other = function.outer_gap.hi / k2, h = ::sqrt(h2), k = ::sqrt(k2);
    const double quarter = ellipkm1(other), other_quarter = ellipkm1(m);
    double inner[2] = {0, 0}, outer[2] = {0, 0};
#pragma unroll 1
    for (int side = 0; side < 2; ++side) {
        const double length = side == 0 ? quarter : other_quarter, width = side == 0 ? other_quarter : quarter;
        const int count = int(::fmin((14 + 2 * n) * ::fmax(1.0, length / width), 4000.0)) + 4;
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            const Jacobi at = ellipj(length * ((i + 0.5) / count), side == 0 ? m : other);
            dd u(0.0), v(0.0);
            double s;
            if (side == 0) {
                u = product(at.cn, at.cn) * -h2;
                v = product(at.dn, at.dn) * -k2;
                s = h * at.sn;
            } else {
                u = product(at.cn, at.cn) * function.outer_gap;
                v = -(product(at.sn, at.sn) * function.outer_gap);
                s = k * at.dn;
            }
            const double root = function.value(s, u, v), square = root * root * length / count;
            double* sums = side == 0 ? inner : outer;
            sums[0] += square;
            sums[1] += square * ::fabs(u.hi);
        }
    }
    return ::ldexp(8 * (outer[1] * inner[0] + outer[0] * inner[1]) / k2, exponent * 4 * int(n));
}

}  // namespace special
}  // namespace gpuarray
