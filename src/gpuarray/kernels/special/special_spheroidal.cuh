// Characteristic values of spheroidal wave functions, and modified Fresnel integrals.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_faddeeva.cuh"

namespace gpuarray {
namespace special {

// The coefficients of the recurrence of the expansion in Legendre functions (DLMF 30.8.3, in the form of C. Flammer,
// "Spheroidal wave functions", 1957) are a tridiagonal matrix, whose eigenvalue is found by bisection of the number of
// negative pivots: the pivots from the lower end have errors that are small beside the rows that decide.
GPUARRAY_CALLED double spheroidal_value(double m, double n, double c, double sign) {
    if (!(m >= 0.0) || !(n >= m) || m != ::floor(m) || n != ::floor(n) || n - m > 198.0) return not_a_number();
    if (c != c || ::fabs(c) == infinity()) return not_a_number();
    const double square = sign * c * c, degree = n - m, odd = ::fmod(degree, 2.0), number = ::floor(degree / 2.0);
    if (square == 0.0) return n * (n + 1.0);
    const int rows = int(number) + 30 + int(::fmin(::fabs(c), 5000.0));
    // Gerschgorin: n (n + 1), and what c adds.
    double low = m * (m + 1.0) - 1.0 + ::fmin(square, 0.0) * 1.5, high = n * (n + 1.0) + 1.0 + ::fmax(square, 0.0) * 1.5;
    for (int step = 0; step < 200; ++step) {
        const double middle = 0.5 * (low + high);
        if (middle == low || middle == high) break;
        int below = 0;
        double pivot = infinity();
        for (int i = rows - 1; i >= 0; --i) {
            const double r = 2.0 * i + odd, s = m + r, twice = 2.0 * s;
            const double diagonal = s * (s + 1.0) +
                                    square * (2.0 * s * (s + 1.0) - 2.0 * m * m - 1.0) / ((twice - 1.0) * (twice + 3.0));
            // The product of this row's element to the right and the next one's to the left.
            const double q = r + 2.0;
            const double beside = square * square * (2.0 * m + q) * (2.0 * m + q - 1.0) * q * (q - 1.0) /
                                  ((twice + 3.0) * (twice + 5.0) * (twice + 1.0) * (twice + 3.0));
            pivot = (diagonal - middle) - (i < rows - 1 ? beside / pivot : 0.0);
            if (pivot == 0.0) pivot = 1e-300;
            below += pivot < 0.0;
        }
        (below > int(number) ? high : low) = middle;
    }
    return 0.5 * (low + high);
}

GPUARRAY_DEVICE double pro_cv(double m, double n, double c) { return spheroidal_value(m, n, c, 1.0); }
GPUARRAY_DEVICE double obl_cv(double m, double n, double c) { return spheroidal_value(m, n, c, -1.0); }

// exp(i x^2), where the rounding of the square would be an error of the angle.
GPUARRAY_CALLED complex<double> turned_by_square(double x) {
    const dd square = product(x, x);
    double sine, cosine;
    ::sincos(square.hi, &sine, &cosine);
    return complex<double>(cosine - square.lo * sine, sine + square.lo * cosine);
}

// The second of the pair: half of w(exp(i pi / 4) x), by DLMF 7.2.3 and the definition; left of zero by DLMF 7.4.3.
GPUARRAY_CALLED complex<double> modfresnel_second(double x) {
    if (x != x || ::fabs(x) == infinity()) return complex<double>(not_a_number(), not_a_number());
    const double part = 0.70710678118654752440 * ::fabs(x);
    const complex<double> right = wofz(complex<double>(part, part)) * 0.5;
    if (x >= 0.0) return right;
    const complex<double> turned = turned_by_square(x);
    return complex<double>(turned.real - right.real, -turned.imag - right.imag);
}

// The first: the second times sqrt(pi) exp(i (x^2 + pi / 4)).
GPUARRAY_CALLED complex<double> modfresnel_first(double x) {
    const double quarter = 1.25331413731550025121;
    const complex<double> right =
        modfresnel_second(::fabs(x)) * turned_by_square(x) * complex<double>(quarter, quarter);
    if (!(x < 0.0)) return right;
    return complex<double>(quarter - right.real, quarter - right.imag);
}

GPUARRAY_DEVICE complex<double> conjugated(complex<double> z) { return complex<double>(z.real, -z.imag); }

}  // namespace special
}  // namespace gpuarray
