// Times and differences of times: int64 numbers of units since 1970, of which the lowest is NaT, "not a time".
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {
namespace datetime {

constexpr int64_t NAT = int64_t(uint64_t(1) << 63);

GPUARRAY_DEVICE bool either(int64_t a, int64_t b) { return a == NAT || b == NAT; }

// ---- arithmetic: with a NaT the result is one ----

GPUARRAY_DEVICE int64_t add(int64_t a, int64_t b) { return either(a, b) ? NAT : int64_t(uint64_t(a) + uint64_t(b)); }
GPUARRAY_DEVICE int64_t subtract(int64_t a, int64_t b) {
    return either(a, b) ? NAT : int64_t(uint64_t(a) - uint64_t(b));
}
GPUARRAY_DEVICE int64_t negative(int64_t a) { return int64_t(uint64_t(0) - uint64_t(a)); }  // NaT stays
GPUARRAY_DEVICE int64_t absolute(int64_t a) { return a < 0 ? negative(a) : a; }

// NumPy 2.5 gives floats, and NaN for NaT.
template <class R> GPUARRAY_DEVICE R sign(int64_t a) { return R((a > 0) - (a < 0)); }
template <> GPUARRAY_DEVICE double sign<double>(int64_t a) {
    return a == NAT ? __longlong_as_double(0x7ff8000000000000ll) : double((a > 0) - (a < 0));
}

// A float as a number of units. What int64 does not hold is NaT, as NaN is.
GPUARRAY_DEVICE int64_t from_float(double x) { return x >= -0x1p63 && x < 0x1p63 ? int64_t(x) : NAT; }

GPUARRAY_DEVICE int64_t scaled(int64_t a, int64_t factor) {
    return a == NAT ? NAT : int64_t(uint64_t(a) * uint64_t(factor));
}
GPUARRAY_DEVICE int64_t scaled(int64_t a, double factor) { return a == NAT ? NAT : from_float(double(a) * factor); }

GPUARRAY_DEVICE int64_t floor_quotient(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// By a number, rounded towards zero, as NumPy's floor_divide does here, too.
GPUARRAY_DEVICE int64_t divided(int64_t a, int64_t b) { return a == NAT || b == 0 ? NAT : a / b; }
GPUARRAY_DEVICE int64_t divided(int64_t a, double b) { return a == NAT ? NAT : from_float(double(a) / b); }

GPUARRAY_DEVICE double ratio(int64_t a, int64_t b) {
    return either(a, b) ? __longlong_as_double(0x7ff8000000000000ll) : double(a) / double(b);
}
GPUARRAY_DEVICE int64_t floor_ratio(int64_t a, int64_t b) { return either(a, b) || b == 0 ? 0 : floor_quotient(a, b); }
GPUARRAY_DEVICE int64_t remainder(int64_t a, int64_t b) {
    return either(a, b) || b == 0 ? NAT : a - floor_quotient(a, b) * b;
}

// ---- comparisons: with a NaT all but not_equal are false ----

GPUARRAY_DEVICE bool equal(int64_t a, int64_t b) { return a == b && a != NAT; }
GPUARRAY_DEVICE bool less(int64_t a, int64_t b) { return a < b && a != NAT; }  // nothing is less than NaT
GPUARRAY_DEVICE bool less_equal(int64_t a, int64_t b) { return a <= b && a != NAT; }

GPUARRAY_DEVICE int64_t maximum(int64_t a, int64_t b) { return either(a, b) ? NAT : a >= b ? a : b; }
GPUARRAY_DEVICE int64_t minimum(int64_t a, int64_t b) { return either(a, b) ? NAT : a <= b ? a : b; }
GPUARRAY_DEVICE int64_t fmax(int64_t a, int64_t b) { return a >= b ? a : b; }
GPUARRAY_DEVICE int64_t fmin(int64_t a, int64_t b) { return a == NAT || (b != NAT && b < a) ? b : a; }

// ---- units ----

GPUARRAY_DEVICE int64_t rescaled(int64_t a, int64_t numerator, int64_t denominator) {
    return a == NAT ? NAT : floor_quotient(int64_t(uint64_t(a) * uint64_t(numerator)), denominator);
}

// The Gregorian calendar. Years begin in March here, so that a leap day is their last: 153 days are five months.
GPUARRAY_DEVICE int64_t days_of_months(int64_t months) {
    if (months == NAT) return NAT;
    const int64_t march = months - 2;  // since March 1970
    const int64_t year = 1970 + floor_quotient(march, 12), month = march - floor_quotient(march, 12) * 12;
    const int64_t era = floor_quotient(year, 400), of_era = year - era * 400;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 - 719468;
}
GPUARRAY_DEVICE int64_t months_of_days(int64_t days) {
    if (days == NAT) return NAT;
    const int64_t since = days + 719468;  // since March 1 of the year 0
    const int64_t era = floor_quotient(since, 146097), day = since - era * 146097;
    const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const int64_t month = (5 * (day - (365 * year + year / 4 - year / 100)) + 2) / 153;
    return (era * 400 + year - 1970) * 12 + month + 2;
}

}  // namespace datetime
}  // namespace gpuarray
