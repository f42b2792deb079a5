// Complex numbers of two doubles for each part, for powers whose exponents multiply every error.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_numbers.cuh"

namespace gpuarray {
namespace special {

struct complex_dd {
    dd real, imag;
};
GPUARRAY_DEVICE complex_dd operator+(complex_dd a, complex_dd b) { return complex_dd{a.real + b.real, a.imag + b.imag}; }
GPUARRAY_CALLED complex_dd product(complex_dd a, complex_dd b) {
    return complex_dd{a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
// b has neither an exponent of more than 500 nor less than -500.
GPUARRAY_CALLED complex_dd quotient(complex_dd a, complex_dd b) {
    const dd size = b.real * b.real + b.imag * b.imag;
    const complex_dd above = product(a, complex_dd{b.real, -b.imag});
    return complex_dd{above.real / size, above.imag / size};
}
// The root next to that of double precision, whose side of the cut is the caller's: a step of Newton's.
GPUARRAY_CALLED complex_dd root_near(complex_dd z, Complex near) {
    const complex_dd start{dd(near.real), dd(near.imag)}, square = product(start, start);
    const complex_dd rest{z.real - square.real, z.imag - square.imag};
    const Complex step = quotient(Complex(rest.real.hi, rest.imag.hi), 2.0 * near);
    return complex_dd{sum(near.real, step.real), sum(near.imag, step.imag)};
}

// base^v e^exponent for v >= 0, by squarings whose powers of two are counted apart.
GPUARRAY_CALLED Complex power_times_exponential(complex_dd base, double v, complex_dd exponent) {
    const double whole = ::floor(v), rest = v - whole;
    double twos = 0, base_twos = 0;
    complex_dd power{dd(1.0), dd(0.0)}, square = base;
    const auto normalize = [](complex_dd& z, double& count) {
        const int by = ::max(::ilogb(::fmax(::fabs(z.real.hi), ::fabs(z.imag.hi))), -1000);
        const double factor = ::ldexp(1.0, -by);
        z = complex_dd{dd(z.real.hi * factor, z.real.lo * factor), dd(z.imag.hi * factor, z.imag.lo * factor)};
        count += by;
    };
#pragma unroll 1
    for (double left = whole; left > 0;) {
        normalize(square, base_twos);
        const double half = ::floor(left / 2);
        if (left != 2 * half) {
            power = product(power, square);
            twos += base_twos;
            normalize(power, twos);
        }
        square = product(square, square);
        base_twos *= 2;
        left = half;
    }
    // What is left of the exponent of base loses nothing in one double.
    Complex last(1, 0);
    if (rest != 0) last = exponential(rest * principal_log(Complex(base.real.hi, base.imag.hi)));
    // e^exponent = 2^n e^(exponent - n log(2))
    const double n = ::rint(exponent.real.hi * 1.4426950408889634);
    const dd reduced = exponent.real - product(n, 0.6931471805599453) - n * 2.3190468138462996e-17;
    double sine, cosine;
    ::sincos(exponent.imag.hi, &sine, &cosine);
    const double low = exponent.imag.lo;
    const Complex turned(::fma(-sine, low, cosine), ::fma(cosine, low, sine));
    const Complex value = Complex(power.real.hi, power.imag.hi) * last * (exp_dd(reduced) * turned);
    const int shift = int(::fmin(::fmax(twos + n, -5000.0), 5000.0));
    return Complex(::ldexp(value.real, shift), ::ldexp(value.imag, shift));
}

}  // namespace special
}  // namespace gpuarray
