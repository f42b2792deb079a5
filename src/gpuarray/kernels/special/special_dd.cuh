// Numbers of two doubles, for the steps of a function in which one double would lose digits.
//
// A function with results of float64 and of float32 is a template whose numbers are `dd` for the former, and `plain`
// for the latter: one double with the same operations, of which the compensation falls away.
//
// T. J. Dekker, "A floating-point technique for extending the available precision" (1971); products by fma.
#pragma once

#include "gpuarray/special_log_table.cuh"
#include "gpuarray/special_logarithm_fits.cuh"

namespace gpuarray {
namespace special {

struct dd {
    // From where Stirling's formula has all digits; whether `lo` is of use.
    enum { STIRLING = 16, COMPENSATED = true };
    double hi, lo;
    GPUARRAY_DEVICE dd(double hi, double lo = 0) : hi(hi), lo(lo) {}
};

// The sum of a and b, exactly; of `fast` with |a| >= |b|.
GPUARRAY_DEVICE dd fast_sum(double a, double b) {
    const double s = a + b;
    return dd(s, b - (s - a));
}
GPUARRAY_DEVICE dd sum(double a, double b) {
    const double s = a + b, t = s - a;
    return dd(s, (a - (s - t)) + (b - t));
}
GPUARRAY_DEVICE dd product(double a, double b) {
    const double p = a * b;
    return dd(p, ::fma(a, b, -p));
}

GPUARRAY_DEVICE dd operator-(dd a) { return dd(-a.hi, -a.lo); }
GPUARRAY_DEVICE dd operator+(dd a, dd b) {
    const dd s = sum(a.hi, b.hi), t = sum(a.lo, b.lo);
    const dd u = fast_sum(s.hi, s.lo + t.hi);
    return fast_sum(u.hi, t.lo + u.lo);
}
GPUARRAY_DEVICE dd operator+(dd a, double b) {
    const dd s = sum(a.hi, b);
    return fast_sum(s.hi, s.lo + a.lo);
}
GPUARRAY_DEVICE dd operator-(dd a, dd b) { return a + -b; }
GPUARRAY_DEVICE dd operator-(dd a, double b) { return a + -b; }
GPUARRAY_DEVICE dd operator*(dd a, dd b) {
    const dd p = product(a.hi, b.hi);
    return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
GPUARRAY_DEVICE dd operator*(dd a, double b) {
    const dd p = product(a.hi, b);
    return fast_sum(p.hi, ::fma(a.lo, b, p.lo));
}
GPUARRAY_DEVICE dd operator/(dd a, dd b) {
    const double q = a.hi / b.hi, rest = ::fma(-q, b.hi, a.hi) + ::fma(-q, b.lo, a.lo);
    return fast_sum(q, rest / b.hi);
}
GPUARRAY_DEVICE dd operator/(dd a, double b) {
    const double q = a.hi / b;
    return fast_sum(q, (::fma(-q, b, a.hi) + a.lo) / b);
}
GPUARRAY_DEVICE double rounded(dd a) { return a.hi + a.lo; }

struct plain {
    enum { STIRLING = 6, COMPENSATED = false };
    static constexpr double lo = 0;
    double hi;
    GPUARRAY_DEVICE plain(double hi, double = 0) : hi(hi) {}
};
GPUARRAY_DEVICE plain operator-(plain a) { return plain(-a.hi); }
GPUARRAY_DEVICE plain operator+(plain a, plain b) { return plain(a.hi + b.hi); }
GPUARRAY_DEVICE plain operator-(plain a, plain b) { return plain(a.hi - b.hi); }
GPUARRAY_DEVICE plain operator*(plain a, plain b) { return plain(a.hi * b.hi); }
GPUARRAY_DEVICE plain operator/(plain a, plain b) { return plain(a.hi / b.hi); }
GPUARRAY_DEVICE double rounded(plain a) { return a.hi; }

// Sums and products of doubles as either kind of number.
template <class W> GPUARRAY_DEVICE W sum_of(double a, double b);
template <> GPUARRAY_DEVICE dd sum_of<dd>(double a, double b) { return sum(a, b); }
template <> GPUARRAY_DEVICE plain sum_of<plain>(double a, double b) { return plain(a + b); }
template <class W> GPUARRAY_DEVICE W product_of(double a, double b);
template <> GPUARRAY_DEVICE dd product_of<dd>(double a, double b) { return product(a, b); }
template <> GPUARRAY_DEVICE plain product_of<plain>(double a, double b) { return plain(a * b); }

// Which of them a function of T computes with.
template <class T> struct WideOf;
template <> struct WideOf<double> { typedef dd type; };
template <> struct WideOf<float> { typedef plain type; };
template <class T> using Wide = typename WideOf<T>::type;

// Euler's constant.
GPUARRAY_DEVICE dd euler_dd() { return dd(0.5772156649015329, -4.942915152430645e-18); }

// 1/x to 20 bits; 0 where that would be subnormal, infinity of subnormals.
GPUARRAY_DEVICE double reciprocal20(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}

// 1/x to the last digit or two, and x / (y + rest) in two doubles, where neither has an exponent of more than 1000.
GPUARRAY_DEVICE double reciprocal52(double x) {
    double r = reciprocal20(x);
    r = ::fma(r, ::fma(-x, r, 1.0), r);
    return ::fma(r, ::fma(-x, r, 1.0), r);
}
GPUARRAY_DEVICE dd quotient_dd(double x, double y) {
    const double r = reciprocal52(y), q = x * r;
    return dd(q, ::fma(-q, y, x) * r);
}
GPUARRAY_DEVICE dd quotient_dd(double x, double y, double rest) {
    const double r = reciprocal52(y), q = x * r;
    return dd(q, ::fma(-q, rest, ::fma(-q, y, x)) * r);
}

// Comparisons of what the upper word says take no unit for float64. From 2^-1000 to 2^1000: a positive number, and the
// magnitude of a number.
GPUARRAY_DEVICE uint32_t upper_word(double x) { return uint32_t(float_bits(x) >> 32); }
GPUARRAY_DEVICE bool is_usual(double x) { return upper_word(x) - 0x01700000u < 0x7d000000u; }
GPUARRAY_DEVICE bool is_moderate(double x) { return (upper_word(x) & 0x7fffffffu) - 0x01700000u < 0x7d000000u; }

// Of log(1 + z), from z^3 / 3 on.
inline __constant__ double LOG_SERIES[] = {
    1.0 / 3, -0.25, 0.2, -1.0 / 6, 1.0 / 7, -0.125, 1.0 / 9, -0.1, 1.0 / 11, -1.0 / 12};

// The natural logarithm of a positive, finite number to about 70 bits: P. T. P. Tang, "Table-driven implementation of the
// logarithm function in IEEE floating-point arithmetic" (1990). With r near 1/m it is exponent log(2) - log(r) +
// log(1 + z), z = r m - 1, which is exact. `Usual`: neither subnormal nor near the ends of the range.
template <bool Usual> GPUARRAY_DEVICE dd log_by_table(dd x) {
    double adjusted = 0;
    if (!Usual && (x.hi < 1e-290 || x.hi > 1e290)) {
        // Where powers of two would be subnormal.
        adjusted = x.hi < 1 ? -54 : 54;
        const double factor = x.hi < 1 ? 18014398509481984.0 : 5.551115123125783e-17;
        x = dd(x.hi * factor, x.lo * factor);
    }
    const uint64_t bits = float_bits(x.hi);
    const int shifted = int(bits >> 32) - 0x3fe6a09e, exponent = shifted >> 20;
    const int cell = (shifted & 0xfffff) >> 15;
    const double m = float_from_bits(bits - (uint64_t(uint32_t(exponent)) << 52)), r = LOG_RECIPROCALS[cell];
    const double z = ::fma(m, r, -1.0), rest = x.lo * float_from_bits(uint64_t(1023 - exponent) << 52) * r;
    // The exponent as a double, by the last bits of a sum.
    const uint64_t moved = 0x4338000000000000ull + uint64_t(int64_t(exponent));
    const double whole = float_from_bits(moved) - 6755399441055744.0, n = Usual ? whole : whole + adjusted;
    const double square = z * z, half = -0.5 * square;
    // The first parts of log(2) and of the table are multiples of 2^-42: this sum is exact. Of those that follow the
    // first number is zero or no smaller by a power of two.
    const double first = ::fma(n, 0.69314718055989033, LOG_FIRSTS[cell]);
    const dd second = fast_sum(first, z), third = fast_sum(second.hi, half);
    double low = ::fma(-0.5, ::fma(z, z, -square), ::fma(-z, rest, rest));
    low = ::fma(square * z, polynomial(LOG_SERIES, z), low);
    low += ::fma(n, 5.4979230187083712e-14, LOG_SECONDS[cell]);
    return fast_sum(third.hi, (second.lo + third.lo) + low);
}
// As one double, of a number that is_usual.
GPUARRAY_DEVICE double log_usual(double x) {
    const uint64_t bits = float_bits(x);
    const int shifted = int(bits >> 32) - 0x3fe6a09e, exponent = shifted >> 20, cell = (shifted & 0xfffff) >> 15;
    const double m = float_from_bits(bits - (uint64_t(uint32_t(exponent)) << 52));
    const double n = float_from_bits(0x4338000000000000ull + uint64_t(int64_t(exponent))) - 6755399441055744.0;
    const double z = ::fma(m, LOG_RECIPROCALS[cell], -1.0), square = z * z;
    const double low = ::fma(square * z, polynomial(LOG_SERIES, z), ::fma(n, 5.4979230187083712e-14, LOG_SECONDS[cell]));
    return ::fma(n, 0.69314718055989033, LOG_FIRSTS[cell]) + (z + ::fma(-0.5, square, low));
}
GPUARRAY_CALLED dd log_dd(dd x) { return log_by_table<false>(x); }

// The logarithm of a number that is positive and finite.
GPUARRAY_DEVICE dd log_of(dd x) { return log_dd(x); }
GPUARRAY_DEVICE plain log_of(plain x) { return plain(::log(x.hi)); }

// exp(x) = scale (1 + rest), for |x| < 708: 2^n (1 + r + ...) with r = x - n log(2).
struct ScaledPower {
    double scale, rest;
    GPUARRAY_DEVICE explicit ScaledPower(dd x) {
        const double shift = 6755399441055744.0, moved = ::fma(x.hi, 1.4426950408889634, shift), n = moved - shift;
        const double r = ::fma(n, -2.3190468138462996e-17, ::fma(n, -0.6931471805599453, x.hi)) + x.lo;
        scale = float_from_bits((float_bits(moved) + 1023) << 52);
        rest = ::fma(r * r, fit_exp_wide(r), r);
    }
    // factor exp(x)
    GPUARRAY_DEVICE double of(double factor) const { return ::fma(factor, rest, factor) * scale; }
};
// exp of a sum of two doubles, to the accuracy of exp; less 1 where it is no greater than 708.
GPUARRAY_DEVICE double exp_dd(dd x) {
    if ((upper_word(x.hi) & 0x7fffffffu) < 0x40862000u) {  // 708
        const ScaledPower found(x);
        return (found.rest + 1) * found.scale;
    }
    const double e = ::exp(x.hi);
    return isfinite(e) ? ::fma(e, x.lo, e) : e;
}
GPUARRAY_DEVICE double expm1_usual(dd x) {
    const ScaledPower found(x);
    return ::fma(found.scale, found.rest, found.scale - 1);
}
// m e^x, by two factors where the power alone would leave the range.
GPUARRAY_CALLED double times_power(double m, dd x) {
    if (::fabs(x.hi) < 700) return m * exp_dd(x);
    const double half = exp_dd(x * 0.5);
    return half * m * half;
}

// exp as a sum of two doubles, to about 70 bits, for |x| < 700: Taylor's series of exp(x) - 1, and its doublings.
GPUARRAY_CALLED dd exp_to_dd(dd x) {
    if (!(::fabs(x.hi) < 700)) return dd(exp_dd(x));
    const double n = ::rint(x.hi * 1.4426950408889634);
    const dd r = (x - product(n, 0.6931471805599453) - n * 2.3190468138462996e-17) * 0.0625;
    const double tail = 1.0 / 24 + r.hi * (1.0 / 120 + r.hi * (1.0 / 720 + r.hi * (1.0 / 5040 + r.hi * (1.0 / 40320))));
    dd less = (((r * tail + dd(0.16666666666666666, 9.25185853854297e-18)) * r + 0.5) * r + 1.0) * r;
    for (int k = 0; k < 4; ++k) less = less * (less + 2.0);
    const double scale = float_from_bits(uint64_t(int64_t(n) + 1023) << 52);
    return (less + 1.0) * scale;
}
// exp(x) - 1 for |x| < 700.
GPUARRAY_CALLED dd expm1_to_dd(dd x) {
    const double c[] = {0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
    return ::fabs(x.hi) < 0.05 ? x + x.hi * (x.hi * polynomial(c, x.hi)) : exp_to_dd(x) - 1.0;
}
GPUARRAY_DEVICE double exp_of(dd x) { return exp_dd(x); }
GPUARRAY_DEVICE double exp_of(plain x) { return ::exp(x.hi); }

}  // namespace special
}  // namespace gpuarray
