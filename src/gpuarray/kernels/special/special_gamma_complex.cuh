// The gamma function of complex arguments and its relatives.
//
// D. E. G. Hare, "Computing the principal branch of log-Gamma" (1997): Stirling's series far from zero, Taylor series
// at 1 and 2, recurrence between, reflection left of 1/2.
#pragma once

#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> cplx;

GPUARRAY_DEVICE cplx scaled(cplx z, double factor) { return cplx(z.real * factor, z.imag * factor); }

GPUARRAY_CALLED cplx sinpi(cplx z) {
    const double s = ::sinpi(z.real), c = ::cospi(z.real), y = 3.141592653589793 * z.imag;
    if (::fabs(y) < 700) return cplx(s * ::cosh(y), c * ::sinh(y));
    const double half = ::exp(::fabs(y) / 2);
    const double a = 0.5 * s * half * half, b = 0.5 * c * half * half;
    return cplx(s == 0 ? ::copysign(0.0, s) : a, c == 0 ? ::copysign(0.0, c) : ::copysign(1.0, y) * b);
}

// cot(pi z) without overflow.
GPUARRAY_CALLED cplx cotpi(cplx z) {
    const double s = ::sinpi(z.real), c = ::cospi(z.real), y = 3.141592653589793 * z.imag;
    if (::fabs(y) > 20) return cplx(4 * s * c * ::exp(-2 * ::fabs(y)), -::copysign(1.0, y));
    const double sh = ::sinh(y), ch = ::cosh(y), scale = s * s + sh * sh;
    return cplx(s * c / scale, -sh * ch / scale);
}

GPUARRAY_CALLED cplx loggamma_stirling(cplx z) {
    const double c[] = {0.08333333333333333,   -0.002777777777777778,  0.0007936507936507937, -0.0005952380952380953,
                        0.0008417508417508417, -0.0019175269175269176, 0.00641025641025641,   -0.029550653594771242};
    const cplx r = reciprocal(z), rr = divide(r, z);
    cplx sum(c[7], 0);
#pragma unroll
    for (int i = 6; i >= 0; --i) sum = sum * rr + cplx(c[i], 0);
    return (z - cplx(0.5, 0)) * log(z) - z + cplx(0.91893853320467274178, 0) + sum * r;
}

// log gamma(1 + w) for |w| <= 0.2: DLMF 5.7.3.
GPUARRAY_CALLED cplx loggamma_near_one(cplx w) {
    const double c[] = {-0.57721566490153286061, 0.8224670334241132,   -0.40068563438653143, 0.27058080842778454,
                        -0.20738555102867398,    0.1695571769974082,   -0.1440498967688461,  0.12550966952474304,
                        -0.11133426586956469,    0.1000994575127818,   -0.09095401714582904, 0.083353840546109,
                        -0.0769325164113522,     0.07143294629536133,  -0.06666870588242046, 0.06250095514121304,
                        -0.058823978658684585,   0.055555767627403614, -0.05263167937961666, 0.05000004769810169,
                        -0.047619070330142226,   0.04545455629320467,  -0.04347826605304026, 0.04166666914034121};
    cplx sum(c[23], 0);
#pragma unroll 1
    for (int i = 22; i >= 0; --i) sum = sum * w + cplx(c[i], 0);
    return sum * w;
}

GPUARRAY_CALLED cplx loggamma_right(cplx z) {
    if (z.real > 7 || ::fabs(z.imag) > 7) return loggamma_stirling(z);
    if (::hypot(z.real - 1, z.imag) <= 0.2) return loggamma_near_one(z - cplx(1, 0));
    if (::hypot(z.real - 2, z.imag) <= 0.2) return log(z - cplx(1, 0)) + loggamma_near_one(z - cplx(2, 0));
    const bool below = signbit(z.imag);
    if (below) z.imag = -z.imag;
    // The logarithm of the product has lost a turn each time that its sign below the axis changed.
    cplx product = z;
    int flips = 0;
    bool negative = false;
    z.real += 1;
#pragma unroll 1
    while (z.real <= 7) {
        product = product * z;
        const bool now = signbit(product.imag);
        if (now && !negative) ++flips;
        negative = now;
        z.real += 1;
    }
    cplx result = loggamma_stirling(z) - log(product);
    result.imag -= flips * 6.283185307179586;
    if (below) result.imag = -result.imag;
    return result;
}

GPUARRAY_CALLED cplx loggamma(cplx z) {
    if (isnan(z)) return cplx(not_a_number(), not_a_number());
    if (z.real <= 0 && z.imag == 0 && is_integer(z.real)) return cplx(not_a_number(), not_a_number());
    if (z.real >= 0.1 || ::fabs(z.imag) > 7) {
        if (z.real >= 0.1 || z.real > -7 * ::fabs(z.imag)) {
            if (z.real > 7 || ::fabs(z.imag) > 7) return loggamma_stirling(z);
            return loggamma_right(z);
        }
    }
    const double turns = ::copysign(6.283185307179586, z.imag) * ::floor(0.5 * z.real + 0.25);
    const cplx rest = log(sinpi(z)) + loggamma_right(cplx(1 - z.real, -z.imag));
    return cplx(1.1447298858494001741 - rest.real, turns - rest.imag);
}
GPUARRAY_DEVICE double loggamma(double x) { return x < 0 ? not_a_number() : gammaln(x); }
GPUARRAY_DEVICE float loggamma(float x) { return x < 0 ? float(not_a_number()) : gammaln(x); }

GPUARRAY_CALLED cplx gamma(cplx z) {
    if (z.real <= 0 && z.imag == 0 && is_integer(z.real)) return cplx(not_a_number(), not_a_number());
    return exp(loggamma(z));
}
GPUARRAY_CALLED cplx rgamma(cplx z) {
    if (z.real <= 0 && z.imag == 0 && is_integer(z.real)) return cplx(0, 0);
    const cplx found = loggamma(z);
    return exp(cplx(-found.real, -found.imag));
}

GPUARRAY_CALLED cplx digamma(cplx z) {
    if (z.real <= 0 && z.imag == 0 && is_integer(z.real)) return cplx(not_a_number(), not_a_number());
    cplx result(0, 0);
    if (z.real < 0 && ::fabs(z.imag) < 16) {
        result = scaled(cotpi(z), -3.141592653589793);
        z = cplx(1 - z.real, -z.imag);
    }
#pragma unroll 1
    while (z.real < 16 && ::hypot(z.real, z.imag) < 16) {
        result = result - reciprocal(z);
        z.real += 1;
    }
    const double c[] = {0.08333333333333333, -0.008333333333333333, 0.003968253968253968, -0.004166666666666667,
                        0.007575757575757576, -0.021092796092796094, 0.08333333333333333, -0.4432598039215686};
    const cplx r = reciprocal(z), rr = r * r;
    cplx sum(c[7], 0);
#pragma unroll
    for (int i = 6; i >= 0; --i) sum = sum * rr + cplx(c[i], 0);
    return result + (log(z) - scaled(r, 0.5) - sum * rr);
}

}  // namespace special
}  // namespace gpuarray
