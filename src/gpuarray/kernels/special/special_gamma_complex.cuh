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

// Taylor coefficients of the digamma function at its zeros next to 0 (DLMF 5.15.1): psi^(k) / k!.
__constant__ double digamma_at_positive_zero[] = {
    0.9676722454476212, -0.4427631689835921, 0.258499760955651, -0.16394270544240652, 0.10782405069126237,
    -0.07219956125645471, 0.04880428816414311, -0.03316112647484736, 0.022597648232218104, -0.01542476590494896,
    0.010538791616612175, -0.007204534386356869, 0.004926781395729853, -0.003369801655439328, 0.002305126326734928,
    -0.0015769367714301972, 0.0010788252019162967, -0.0007380709389960052, 0.000504953265834602,
    -0.0003454680251063077, 0.00023635601564027053, -0.00016170622091974803, 0.0001106337276874741,
    -7.569179582195066e-05, 5.178575795222081e-05, -3.5430070947659604e-05};
__constant__ double digamma_at_negative_zero[] = {
    8.939798558792134, -0.8093454625306507, 32.258572064915505, -2.761011648790828, 128.27342343090902,
    -14.70672173553036, 513.2704629562862, -75.37700066344631, 2055.5357119463315, -368.5783503832191,
    8234.667099203069, -1743.364608867363, 32997.785655255044, -8051.818155363498, 132262.95480834588,
    -36529.94596948565, 530280.3912420176, -163451.79342700253, 2126602.3725968753, -723318.8861804305,
    8530604.878543982, -3172131.3155744765, 34228316.69580112, -13807481.997263888, 137373435.87411496,
    -59721085.411294304, 551481251.858545, -256915093.79875362, 2214464568.013911, -1100067148.941634,
    8894384049.698206, -4691108165.464208, 35733149689.19971, -19932951831.31562};
// The series at a zero of two doubles, which keeps its digits there.
template <int N> GPUARRAY_CALLED cplx digamma_near(cplx z, double zero, double rest, const double (&c)[N]) {
    const cplx w((z.real - zero) - rest, z.imag);
    cplx sum(c[N - 1], 0);
#pragma unroll 1
    for (int i = N - 2; i >= 0; --i) sum = sum * w + cplx(c[i], 0);
    return sum * w;
}

GPUARRAY_CALLED cplx digamma(cplx z) {
    if (z.real <= 0 && z.imag == 0 && is_integer(z.real)) return cplx(not_a_number(), not_a_number());
    if (::hypot(z.real - 1.4616321449683622, z.imag) < 0.3) {
        return digamma_near(z, 1.4616321449683622, 9.549995429965697e-17, digamma_at_positive_zero);
    }
    if (::hypot(z.real + 0.5040830082644554, z.imag) < 0.15) {
        return digamma_near(z, -0.5040830082644554, -8.15428206243813e-18, digamma_at_negative_zero);
    }
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
