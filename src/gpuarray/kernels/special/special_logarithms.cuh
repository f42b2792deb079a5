// Logarithms of quotients and of sums with exponentials.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_elementary_single.cuh"

namespace gpuarray {
namespace special {

// The logarithm of x / y for usual numbers: n log(2) + 2 atanh(s) with s = (x - z) / (x + z), where z = 2^n y is within a
// factor of 1.5 of x. The difference is exact.
struct WideQuotient {
    int n;
    double z;
    GPUARRAY_DEVICE WideQuotient(double x, double y)
        : n(int(upper_word(x) - upper_word(y) + 0x80000u) >> 20),
          z(float_from_bits(float_bits(y) + (uint64_t(uint32_t(n)) << 52))) {}
    GPUARRAY_DEVICE double scale() const { return float_from_bits(uint64_t(uint32_t(1023 + n)) << 52); }  // 2^n
    // n as a double, by the last bits of a sum.
    GPUARRAY_DEVICE double count() const {
        return float_from_bits(0x4338000000000000ull + uint64_t(int64_t(n))) - 6755399441055744.0;
    }
    // `difference` is x - z, less what y was rounded by; `total` is x + z.
    GPUARRAY_DEVICE double log(double difference, double total) const {
        const double s = rounded(quotient_dd(difference, total)), square = s * s, exponent = count();
        const double low = ::fma(s * square, fit_atanh_near(square), 2 * s);
        return ::fma(exponent, 0.69314718055989033, ::fma(exponent, 5.4979230187083712e-14, low));
    }
};

GPUARRAY_CALLED double logit_at_ends(double x) { return ::log(x / (1 - x)); }
GPUARRAY_DEVICE double logit(double x) {
    if (!is_usual(x) || !(x < 1)) return logit_at_ends(x);
    const double y = 1 - x;
    const WideQuotient quotient(x, y);
    return quotient.log(::fma(-quotient.scale(), (1 - y) - x, x - quotient.z), x + quotient.z);
}

GPUARRAY_CALLED double log_expit_far(double x) { return x > 0 ? -::exp(-x) : x; }
// log(1 + e) is 2 atanh(s) with s = e / (2 + e), for e = exp(-|x|).
GPUARRAY_DEVICE double log_expit(double x) {
    const double size = ::fabs(x);
    if (!(upper_word(size) < 0x40862000u)) return log_expit_far(x);  // 708
    const double e = ScaledPower(-size).of(1.0), s = rounded(quotient_dd(e, 2 + e)), square = s * s;
    return (x < 0 ? x : 0.0) - ::fma(s * square, fit_atanh_third(square), 2 * s);
}

template <class T> GPUARRAY_DEVICE T entr(T x) {
    if (x > 0) return -x * ::log(x);
    return x == 0 ? T(0) : x != x ? x : T(-infinity());
}

GPUARRAY_CALLED double rel_entr_at_ends(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) return x * (::log(x) - ::log(y));
    return x == 0 && y >= 0 ? 0.0 : infinity();
}
GPUARRAY_DEVICE double rel_entr(double x, double y) {
    if (!(is_usual(x) && is_usual(y))) return rel_entr_at_ends(x, y);
    const WideQuotient quotient(x, y);
    return x * quotient.log(x - quotient.z, x + quotient.z);
}

GPUARRAY_CALLED double kl_div_at_ends(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x > 0 && y > 0) return rel_entr(x, y) - x + y;
    return x == 0 && y >= 0 ? y : infinity();
}
// (x log(x / z) - x + z) + (n log(2) x + y - z) with z = 2^n y as above. The former is s (x - z) + 2 x (atanh(s) - s), the
// latter zero near y = x.
GPUARRAY_DEVICE double kl_div(double x, double y) {
    if (!(is_usual(x) && is_usual(y))) return kl_div_at_ends(x, y);
    const WideQuotient quotient(x, y);
    const double z = quotient.z, difference = x - z, count = quotient.count();
    // The first part is to have all digits.
    const double total = x + z;
    const dd found = quotient_dd(difference, total, z - (total - x));
    const double s = found.hi, square = s * s;
    const double near = ::fma(s, difference, ::fma(x * s, square * fit_atanh_near(square), found.lo * difference));
    // The logarithm's first part is exact.
    const double log = count * 0.69314718055989033, high = x * log;
    const double low = ::fma(count * 5.4979230187083712e-14, x, ::fma(x, log, -high));
    return (high - (z - y)) + (low + near);
}

}  // namespace special
}  // namespace gpuarray
