// The gamma function of real arguments and its relatives.
//
// Logarithms have two doubles, so that what exp makes of them, and of their differences, keeps its digits:
// Stirling's series (DLMF 5.11.1) from 16 on, below that by recurrence (5.5.1), far below zero by reflection (5.5.3).
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_dd.cuh"

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE dd pi_dd() { return dd(3.141592653589793, 1.2246467991473532e-16); }
GPUARRAY_DEVICE dd log_pi_dd() { return dd(1.1447298858494002, 1.0265951162707826e-17); }
GPUARRAY_DEVICE dd half_log_two_pi_dd() { return dd(0.9189385332046728, -3.8782941580672414e-17); }

// sin(pi x) of two doubles.
GPUARRAY_CALLED double sinpi_dd(dd x) {
    const double n = ::rint(x.hi), s = ::sinpi((x.hi - n) + x.lo);
    return is_integer(n / 2) ? s : -s;
}

// What Stirling's series has beyond (x - 1/2) log x - x + log(2 pi) / 2; for x >= 16.
GPUARRAY_CALLED dd stirling_rest(dd x) {
    const dd r = dd(1.0) / x;
    const double z = r.hi * r.hi;
    const double c[] = {-0.002777777777777778,  0.0007936507936507937, -0.0005952380952380953, 0.0008417508417508417,
                        -0.0019175269175269176, 0.00641025641025641,   -0.029550653594771242,  0.17964437236883057};
    return dd(0.08333333333333333, 4.625929269271485e-18) * r + r.hi * z * polynomial(c, z);
}

// log(1 + x) of two doubles.
GPUARRAY_DEVICE dd log1p_dd(dd x) { return ::fabs(x.hi) < 1e-30 ? x : log_dd(x + 1.0); }

// A logarithm of a magnitude, and the sign; the logarithm of a pole is infinite.
struct SignedLog {
    dd log;
    double sign;
};

GPUARRAY_CALLED dd lgamma_positive(dd x) {
    if ((x.hi == 1 || x.hi == 2) && x.lo == 0) return dd(0.0);
    dd p(1.0);
    const bool shifted = x.hi < 16;
#pragma unroll 1
    while (x.hi < 16) {
        p = p * x;
        x = x + 1.0;
    }
    const dd result = (x - 0.5) * log_dd(x) - x + half_log_two_pi_dd() + stirling_rest(x);
    return shifted ? result - log_dd(p) : result;
}

GPUARRAY_CALLED SignedLog lgamma_signed(dd x) {
    if (x.hi > 0) return SignedLog{isinf(x.hi) ? dd(x.hi) : lgamma_positive(x), 1.0};
    if (is_integer(x.hi) && x.lo == 0) return SignedLog{dd(infinity()), 1.0};
    if (x.hi > -32) {
        dd p(1.0);
#pragma unroll 1
        while (x.hi < 1) {
            p = p * x;
            x = x + 1.0;
        }
        const double sign = p.hi < 0 ? -1.0 : 1.0;
        return SignedLog{lgamma_positive(x) - log_dd(p.hi < 0 ? -p : p), sign};
    }
    const double sine = sinpi_dd(x);
    const dd log = log_pi_dd() - log_dd(-x) - log_dd(dd(::fabs(sine))) - lgamma_positive(-x);
    return SignedLog{log, sine > 0 ? 1.0 : -1.0};
}

template <class T> GPUARRAY_DEVICE T gammasgn(T x) {
    if (x != x || x > 0) return x != x ? x : T(1);
    if (x == 0) return ::copysign(T(1), x);
    if (isinf(x) || is_integer(x)) return T(not_a_number());
    const T half = ::floor(x) / 2;
    return is_integer(half) ? T(1) : T(-1);
}

GPUARRAY_CALLED double gammaln(double x) {
    // CUDA's own is accurate at 1 and 2, too; but not at the zeros below -2.
    if (!(x < 0) || isinf(x)) return x < 0 ? x : ::lgamma(x);
    if (is_integer(x)) return infinity();
    return rounded(lgamma_signed(x).log);
}
GPUARRAY_DEVICE float gammaln(float x) { return x < 0 ? float(gammaln(double(x))) : ::lgamma(x); }

GPUARRAY_CALLED double gamma(double x) {
    if (x == 0) return ::copysign(infinity(), x);
    if (!(x < 172)) return x;
    if (is_integer(x)) {
        if (x < 0) return not_a_number();
        if (x < 24) {
            double product = 1;
#pragma unroll 1
            for (double i = 2; i < x; ++i) product *= i;
            return product;
        }
    }
    if (x < -200) return isinf(x) ? not_a_number() : 0.0;
    const SignedLog found = lgamma_signed(x);
    return found.sign * exp_dd(found.log);
}

GPUARRAY_CALLED double rgamma(double x) {
    if (x <= 0 && is_integer(x)) return x == 0 ? x : 0.0;
    if (x > 180) return 0.0;
    if (x != x) return x;
    if (x < -200) return ::copysign(infinity(), gammasgn(x));
    if (::fabs(x) < 1e-16) return x;
    const SignedLog found = lgamma_signed(x);
    return found.sign * exp_dd(-found.log);
}

// The derivative of log gamma: DLMF 5.11.2 from 16 on, below by recurrence, and by reflection below -64. Two doubles
// keep the digits near its zeros.
GPUARRAY_CALLED double digamma(double x) {
    if (x == 0) return ::copysign(infinity(), -x);
    if (x < 0 && (is_integer(x) || isinf(x))) return not_a_number();
    if (!isfinite(x)) return x;
    if (x < -64) return digamma(-x) - 1 / x - 3.141592653589793 * ::cospi(x) / ::sinpi(x);
    if (x > 1e17) return ::log(x);
    dd wide(x), total(0.0);
#pragma unroll 1
    while (wide.hi < 16) {
        total = total - dd(1.0) / wide;
        wide = wide + 1.0;
    }
    const dd r = dd(1.0) / wide;
    const double z = r.hi * r.hi;
    const double c[] = {-0.008333333333333333, 0.003968253968253968, -0.004166666666666667, 0.007575757575757576,
                        -0.021092796092796094, 0.08333333333333333,  -0.4432598039215686,   3.0539543302701198};
    const dd second = dd(0.08333333333333333, 4.625929269271485e-18) * (r * r) + z * z * polynomial(c, z);
    return rounded(log_dd(wide) - r * 0.5 - second + total);
}

// log(gamma(a + b) / gamma(a)) for a >= 16 and a + b >= 16, where both logarithms would be large.
GPUARRAY_CALLED dd lgamma_ratio(dd a, dd b) {
    const dd s = a + b;
    return (a - 0.5) * log1p_dd(b / a) + b * log_dd(s) - b + (stirling_rest(s) - stirling_rest(a));
}

GPUARRAY_DEVICE bool is_pole(double x) { return x <= 0 && is_integer(x); }

// The logarithm of beta for arguments that are no poles.
GPUARRAY_CALLED SignedLog lbeta_signed(double a, double b) {
    if (a < b) {
        const double swapped = a;
        a = b;
        b = swapped;
    }
    const dd s = sum(a, b);
    if (is_pole(s.hi) && s.lo == 0) return SignedLog{dd(-infinity()), 1.0};
    const SignedLog small = lgamma_signed(b);
    if (a >= 16 && s.hi >= 16) return SignedLog{small.log - lgamma_ratio(a, b), small.sign};
    const SignedLog large = lgamma_signed(a), both = lgamma_signed(s);
    return SignedLog{large.log + small.log - both.log, large.sign * small.sign * both.sign};
}

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

GPUARRAY_CALLED double beta(double a, double b) {
    if (a != a || b != b) return not_a_number();
    double sign = 1;
    while (is_pole(a) || is_pole(b)) {
        if (!beta_at_pole(a, b, sign)) return infinity();
    }
    if (isinf(a) || isinf(b)) return a > 0 && b > 0 ? 0.0 : not_a_number();
    const SignedLog found = lbeta_signed(a, b);
    return sign * found.sign * exp_dd(found.log);
}
GPUARRAY_CALLED double betaln(double a, double b) {
    if (a != a || b != b) return not_a_number();
    double sign = 1;
    while (is_pole(a) || is_pole(b)) {
        if (!beta_at_pole(a, b, sign)) return infinity();
    }
    if (isinf(a) || isinf(b)) return a > 0 && b > 0 ? -infinity() : not_a_number();
    return rounded(lbeta_signed(a, b).log);
}

// gamma(a + m) / gamma(a)
GPUARRAY_CALLED double poch(double a, double m) {
    if (m == 0 && a == a) return 1.0;
    if (!isfinite(a) || !isfinite(m)) return a + m;
    if (is_integer(m) && ::fabs(m) <= 32) {
        dd p(1.0);
        const int count = int(::fabs(m));
#pragma unroll 1
        for (int i = 0; i < count; ++i) p = p * (m > 0 ? sum(a, double(i)) : sum(a, double(-1 - i)));
        if (p.hi == 0 || !isfinite(p.hi) || !isfinite(p.lo)) {
            double rough = 1;
            for (int i = 0; i < count; ++i) rough *= m > 0 ? a + i : a - 1 - i;
            return m > 0 ? rough : rough == 0 ? infinity() : 1 / rough;
        }
        return m > 0 ? rounded(p) : rounded(dd(1.0) / p);
    }
    const dd s = sum(a, m);
    const bool above = is_pole(s.hi) && s.lo == 0, below = is_pole(a);
    if (above && !below) return infinity();
    if (below && !above) return 0.0;
    if (below && above) {
        // The limit for m that is an integer: (-a)! / (-a - m)!, with m's sign.
        const double value = exp_dd(lgamma_positive(dd(1.0) - a) - lgamma_positive(dd(1.0) - s));
        return is_integer(m / 2) ? value : -value;
    }
    if (a >= 16 && s.hi >= 16) return exp_dd(lgamma_ratio(a, m));
    const SignedLog top = lgamma_signed(s), bottom = lgamma_signed(a);
    return top.sign * bottom.sign * exp_dd(top.log - bottom.log);
}

// gamma(n + 1) / gamma(k + 1) / gamma(n - k + 1)
GPUARRAY_CALLED double binom(double n, double k) {
    if (n != n || k != k || (n < 0 && is_integer(n)) || isinf(n) || isinf(k)) return not_a_number();
    if (is_integer(k) && (::fabs(n) > 1e-8 || n == 0)) {
        double low = k;
        if (is_integer(n) && low > n / 2 && n > 0) low = n - low;
        if (low >= 0 && low < 24) {
            dd p(1.0);
#pragma unroll 1
            for (double i = 1; i <= low; ++i) p = p * sum(n, i - low) / i;
            return is_integer(n) ? ::rint(p.hi) + (p.hi - ::rint(p.hi)) : rounded(p);
        }
    }
    const dd top = sum(n, 1.0), first = sum(k, 1.0), second = sum(n, -k) + 1.0;
    if ((is_pole(first.hi) && first.lo == 0) || (is_pole(second.hi) && second.lo == 0)) return 0.0;
    const SignedLog numerator = lgamma_signed(top);
    // The smaller argument of the two is far from the larger one's logarithm where both are large.
    if (k > 16 && second.hi < -16) {
        // By reflection of the second: gamma(k - n) sin(pi (k - n)) / pi.
        const dd z = sum(k, -n);
        if (z.hi >= 16) {
            return numerator.sign * sinpi_dd(z) / 3.141592653589793 * exp_dd(numerator.log - lgamma_ratio(z, top));
        }
    }
    const bool first_is_larger = first.hi > second.hi;
    const dd larger = first_is_larger ? first : second, smaller = first_is_larger ? second : first;
    const SignedLog rest = lgamma_signed(smaller);
    if (larger.hi >= 16 && top.hi >= 16) {
        const dd excess = first_is_larger ? sum(n, -k) : dd(k);
        return rest.sign * exp_dd(lgamma_ratio(larger, excess) - rest.log);
    }
    const SignedLog other = lgamma_signed(larger);
    return numerator.sign * rest.sign * other.sign * exp_dd(numerator.log - rest.log - other.log);
}

}  // namespace special
}  // namespace gpuarray
