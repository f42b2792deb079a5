// Wright's generalized Bessel function: the sum of x^k / (k! gamma(a k + b)), for arguments that are not negative.
//
// All terms are positive, and those of a finite sum are few. Each is the exponential of a sum of two doubles.
// E. M. Wright, "The asymptotic expansion of the generalized Bessel function" (1935).
#pragma once

#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

namespace wright {

// The logarithm of term number k.
GPUARRAY_CALLED dd exponent(double a, double b, dd l, double k) {
    const dd argument = product(a, k) + b;
    if (!(argument.hi > 0.0)) return dd(-infinity());
    return l * k - lgamma_positive(dd(k + 1.0)) - lgamma_positive(argument);
}

// Where the greatest term is far away, with its neighbours as an integral (Laplace's method). Its number k solves
// l = log(k) + a log(a k + b); the logarithm is as large as k, and what the method leaves out is below its last digit.
GPUARRAY_CALLED double log_of_many(double a, double b, dd l) {
    double log = l.hi / (1 + a);
    for (int i = 0; i < 100; ++i) {
        const double k = ::exp(log), step = (log + a * ::log(a * k + b) - l.hi) / (1 + a * (a * k) / (a * k + b));
        log -= step;
        if (::fabs(step) < 1e-15 * ::fabs(log)) break;
    }
    const double k = ::exp(log);
    const double most = rounded(exponent(a, b, l, k));
    // Products with logarithms leave the range: by Stirling's formula.
    if (!isfinite(most)) return rounded(l - log_dd(dd(k)) - log_dd(dd(a * k + b)) * a + (1 + a)) * k;
    return most + 0.5 * ::log(6.283185307179586 / (1 / k + a * a / (a * k + b)));
}

}  // namespace wright

GPUARRAY_CALLED double wright_bessel(double a, double b, double x) {
    if (a != a || b != b || x != x || a < 0.0 || b < 0.0 || x < 0.0) return not_a_number();
    if (a == infinity() || b == infinity()) return not_a_number();
    if (x == infinity()) return infinity();
    if (x == 0.0) return rgamma(b);
    if (a == 0.0) {
        if (b == 0.0) return 0.0;
        return exp_dd(dd(x) - lgamma_positive(dd(b)));
    }
    const dd l = log_dd(dd(x));
    // A finite sum has its greatest term where k < 710, but for parameters near zero.
    double sum = 0.0, before = 0.0;
    dd power(0.0);  // k log(x) - log(k!)
    for (int k = 0; k < 100000; ++k) {
        if (k > 0) power = power + l - log_dd(dd(double(k)));
        const dd argument = product(a, double(k)) + b;
        double term = 0.0;
        if (argument.hi > 0.0) term = exp_dd(power - lgamma_positive(argument));
        sum += term;
        if (sum == infinity()) break;
        if (k > 0 && term <= before && term < 1e-18 * sum) break;
        // Logarithms of terms are concave: behind a zero that is no longer rising there are zeros.
        if (k > 0 && term == 0.0 && l.hi + 1.0 < ::log(double(k)) + a * ::log(argument.hi)) break;
        if (k == 1000 && sum == 0.0) {
            // The greatest term is far away, and most often out of the range.
            const double most = wright::log_of_many(a, b, l);
            if (::fabs(most) > 1000.0) return most < 0.0 ? 0.0 : infinity();
        }
        before = term;
    }
    return sum;
}

// Its logarithm, from the greatest term outwards. What has none for a and b of 0 is minus infinity.
GPUARRAY_CALLED double log_wright_bessel(double a, double b, double x) {
    if (a != a || b != b || x != x || a < 0.0 || b < 0.0 || x < 0.0) return not_a_number();
    if (a == infinity() || b == infinity()) return not_a_number();
    if (x == infinity()) return infinity();
    if (x == 0.0) return b == 0.0 ? -infinity() : -rounded(lgamma_positive(dd(b)));
    if (a == 0.0) return b == 0.0 ? -infinity() : rounded(dd(x) - lgamma_positive(dd(b)));
    const dd l = log_dd(dd(x));
    // The greatest term: where the exponents of neighbours are equal, by bisection.
    double low = 0.0, high = 1.0;
    while (high < 1e15 && wright::exponent(a, b, l, high + 1.0).hi > wright::exponent(a, b, l, high).hi) high *= 2.0;
    while (high - low > 1.0) {
        const double middle = ::floor(0.5 * (low + high));
        const bool rising = wright::exponent(a, b, l, middle + 1.0).hi > wright::exponent(a, b, l, middle).hi;
        (rising ? low : high) = middle;
    }
    if (wright::exponent(a, b, l, high + 1.0).hi > wright::exponent(a, b, l, high).hi) high += 1.0;
    if (high == 1.0 && wright::exponent(a, b, l, 0.0).hi > wright::exponent(a, b, l, 1.0).hi) high = 0.0;
    if (high > 1e8) return wright::log_of_many(a, b, l);
    const dd most = wright::exponent(a, b, l, high);
    // The others, relative to it: beside 1 a small sum would lose its digits.
    double others = 0.0;
    for (double k = high + 1.0; k < high + 1e6; k += 1.0) {
        const double term = exp_dd(wright::exponent(a, b, l, k) - most);
        others += term;
        if (term <= 1e-18 * others) break;
    }
    for (double k = high - 1.0; k >= 0.0; k -= 1.0) {
        const dd next = wright::exponent(a, b, l, k);
        if (next.hi == -infinity()) break;
        const double term = exp_dd(next - most);
        others += term;
        if (term <= 1e-18 * others) break;
    }
    return rounded(most + ::log1p(others));
}

}  // namespace special
}  // namespace gpuarray
