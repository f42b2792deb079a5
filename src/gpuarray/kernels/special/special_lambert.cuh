// Lambert's W function and Wright's omega function, both by iterations of the third or fourth order from a start that
// is chosen by region.
//
// R. M. Corless, G. H. Gonnet, D. E. G. Hare, D. J. Jeffrey, D. E. Knuth, "On the Lambert W function" (1996);
// P. W. Lawrence, R. M. Corless, D. J. Jeffrey, "Algorithm 917: Complex double-precision evaluation of the Wright omega
// function" (2012).
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_double_fits.cuh"
#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {

typedef complex<double> complex128;

namespace lambert {

GPUARRAY_DEVICE double size(complex128 z) { return ::hypot(z.real, z.imag); }
GPUARRAY_DEVICE complex128 plus(complex128 z, double x) { return complex128(z.real + x, z.imag); }
GPUARRAY_DEVICE bool is_nan(complex128 z) { return z.real != z.real || z.imag != z.imag; }
GPUARRAY_DEVICE bool is_infinite(double x) { return ::fabs(x) == infinity(); }

// c[0] + c[1] z + c[2] z^2 + ...
template <int N> GPUARRAY_DEVICE complex128 series(const double (&c)[N], complex128 z) {
    complex128 sum(c[N - 1], 0.0);
    for (int i = N - 2; i >= 0; --i) sum = plus(sum * z, c[i]);
    return sum;
}

// log(z) - log(log(z)): the first terms of the asymptotic series, on a branch.
GPUARRAY_DEVICE complex128 far(complex128 z, double turns) {
    complex128 w = gpuarray::log(z);
    w.imag += turns;
    return w - gpuarray::log(w);
}

GPUARRAY_DEVICE complex128 start(complex128 z, int64_t branch) {
    const double turns = 6.283185307179586 * double(branch);
    const complex128 from_end(z.real + 0.36787944117144232, z.imag);
    const bool near_end = size(from_end) < 0.3;
    if (branch == 0) {
        if (near_end) {
            const complex128 p = gpuarray::sqrt(from_end * 5.43656365691809);
            return series({-1.0, 1.0, -1.0 / 3.0, 11.0 / 72.0}, p);
        }
        if (size(z) < 0.6) return divide(z, plus(z, 1.0));
        return z.real > -0.5 && size(z) < 3.0 ? gpuarray::log(plus(z, 1.0)) * 0.8 : far(z, turns);
    }
    if (branch == -1 && z.imag == 0.0 && z.real < 0.0 && z.real >= -0.36787944117144233) {
        if (near_end) {
            const complex128 p = gpuarray::sqrt(from_end * 5.43656365691809) * -1.0;
            return series({-1.0, 1.0, -1.0 / 3.0, 11.0 / 72.0}, p);
        }
        const double l = ::log(-z.real);
        return complex128(l - ::log(-l), 0.0);
    }
    if (near_end && ((branch == -1 && z.imag >= 0.0) || (branch == 1 && z.imag < 0.0))) {
        const complex128 p = gpuarray::sqrt(from_end * 5.43656365691809) * -1.0;
        return series({-1.0, 1.0, -1.0 / 3.0, 11.0 / 72.0}, p);
    }
    return far(z, turns);
}

// The principal solution for z in [-0.1, 1e38]: a start of R. Iacono and J. P. Boyd, "New approximations to the principal
// real-valued branch of the Lambert W-function" (2017), and their step, in float32; then one step of Fritsch, Shafer and
// Crowley, of the fourth order.
GPUARRAY_DEVICE double principal(double z) {
    if (::fabs(z) < 1e-5) return z * polynomial({1.0, -1.0, 1.5, -8.0 / 3.0}, z);
    const float x = z, l = ::log1pf(x), start = l * (1 - ::log1pf(l) / (2 + l));
    const double w = start / (1 + start) * (1 + ::logf(x / start));
    const double r = ::log(z / w) - w, next = w + 1.0, twice = 2.0 * next * ::fma(r, 0.66666666666666667, next);
    return ::fma(w, r * (twice - r) / (next * ::fma(r, -2.0, twice)), w);
}

// The real solutions, z > -1/e: branch -1 for z < 0 only.
GPUARRAY_CALLED double real(double z, int64_t branch) {
    // 1/e has two parts.
    const double from_end = (z + 0.36787944117144233) - 1.2428753672788363e-17;
    if (from_end < 0.035) {
        const double p = from_end > 0 ? ::sqrt(from_end * 5.43656365691809) : 0.0;
        return fit_lambertw_near(branch == 0 ? p : -p);
    }
    double w;
    if (from_end < 0.3) {
        const double p = (branch == 0 ? 1.0 : -1.0) * ::sqrt(from_end * 5.43656365691809);
        w = polynomial({-1.0, 1.0, -1.0 / 3.0, 11.0 / 72.0}, p);
    } else if (branch == 0 && z < 3.0) {
        w = z < 0.6 ? z / (1.0 + z) : 0.8 * ::log1p(z);
    } else {
        const double first = ::log(::fabs(z)), second = ::log(::fabs(first));
        w = first - second + second / first;
    }
    for (int i = 0; i < 100; ++i) {
        // Halley's step, as for complex numbers.
        const double power = ::exp(-::fabs(w)), next_w = w + 1.0;
        const double factor = w >= 0.0 ? 1.0 : power, error = w >= 0.0 ? w - z * power : w * power - z;
        const double change = error / (next_w * factor - (w + 2.0) * error / (next_w * 2.0));
        if (change != change) return w;
        w -= change;
        // What is left is of the size of its third power.
        if (::fabs(change) <= 3e-6 * ::fmin(::fabs(w), 1.0)) return w;
    }
    return w;
}

}  // namespace lambert

GPUARRAY_CALLED complex128 lambertw(complex128 z, int64_t branch, double tolerance) {
    const double turns = 6.283185307179586 * double(branch);
    if (lambert::is_nan(z)) return z;
    if (z.real == infinity()) return complex128(z.real, z.imag + turns);
    if (z.real == -infinity()) return complex128(-z.real, z.imag + turns + 3.141592653589793);
    if (z.real == 0.0 && z.imag == 0.0) return branch == 0 ? z : complex128(-infinity(), 0.0);
    if (z.real == 1.0 && z.imag == 0.0 && branch == 0) return complex128(0.56714329040978387, 0.0);
    if (z.imag == 0.0 && z.real >= -0.36787944117144233 && (branch == 0 || (branch == -1 && z.real < 0.0))) {
        const bool usual = branch == 0 && z.real >= -0.1 && z.real < 1e38;
        return complex128(usual ? lambert::principal(z.real) : lambert::real(z.real, branch), z.imag);
    }
    const double limit = ::fmin(tolerance, 1e-8);
    complex128 w = lambert::start(z, branch);
    for (int i = 0; i < 100; ++i) {
        // Halley's step. Both sides are divided by exp(w) where that is great.
        const bool great = w.real >= 0.0;
        const complex128 factor = great ? complex128(1.0, 0.0) : gpuarray::exp(w);
        const complex128 error = w * factor - (great ? z * gpuarray::exp(w * -1.0) : z);
        const complex128 next_w = lambert::plus(w, 1.0);
        const complex128 bend = divide(lambert::plus(w, 2.0) * error, next_w * 2.0);
        const complex128 change = divide(error, next_w * factor - bend);
        if (lambert::is_nan(change)) return w;
        w = w - change;
        if (lambert::size(change) <= limit * lambert::size(w)) return w;
    }
    return complex128(not_a_number(), not_a_number());
}

GPUARRAY_CALLED double wrightomega(double x) {
    if (x != x) return x;
    if (x == infinity()) return x;
    if (x > 1e20) return x;
    if (x < 1.0) {
        // w = p exp(-w), by Halley's steps: a logarithm would lose digits of what is small beside x.
        const double p = ::exp(x);
        if (p < 1e-17) return p;
        double w = p / (1.0 + 0.7 * p);
        for (int i = 0; i < 3; ++i) {
            const double error = w - p * ::exp(-w), next = w + 1.0;
            w -= error / (next - (w + 2.0) * error / (2.0 * next));
        }
        return w;
    }
    const double l = ::log(x);
    double w = x < 2.0 ? ::exp(2.0 * (x - 1.0) / 3.0) : x - l + l / x;
    // Steps of Fritsch, Shafer and Crowley, of the fourth order.
    for (int i = 0; i < 2; ++i) {
        const double r = x - w - ::log(w), next = w + 1.0, twice = 2.0 * next * (next + 2.0 / 3.0 * r);
        w *= 1.0 + r / next * (twice - r) / (twice - 2.0 * r);
    }
    return w;
}

// The same steps, of which two are enough; their divisors need half the digits.
GPUARRAY_DEVICE float wrightomega(float x) {
    if (x < 1) {
        const float p = ::expf(x);
        float w = p * reciprocal23(::fmaf(p, 0.7f, 1.0f));
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const float error = ::fmaf(-p, ::expf(-w), w), next = w + 1;
            w -= error * reciprocal23(::fmaf((w + 2) * error, -0.5f * reciprocal23(next), next));
        }
        return w;
    }
    if (!(x < 1e10f)) return x;
    const float l = ::logf(x);
    float w = x < 2 ? ::expf((x - 1) * 0.666666667f) : ::fmaf(l, reciprocal23(x), x - l);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const float r = x - w - ::logf(w), next = w + 1, twice = 2 * next * ::fmaf(r, 0.666666667f, next);
        w = ::fmaf(w, r * (twice - r) * reciprocal23(next * ::fmaf(r, -2.0f, twice)), w);
    }
    return w;
}

GPUARRAY_CALLED complex128 wrightomega(complex128 z) {
    const double pi = 3.141592653589793, x = z.real, y = z.imag;
    if (lambert::is_nan(z)) return complex128(not_a_number(), not_a_number());
    if (lambert::is_infinite(x) || lambert::is_infinite(y)) {
        if (x == -infinity() && y > -pi && y <= pi) {
            return complex128(::fabs(y) <= pi / 2.0 ? 0.0 : -0.0, y >= 0.0 ? 0.0 : -0.0);
        }
        return z;
    }
    // Where squares in the steps below would overflow, two terms have all digits.
    if (::fmax(::fabs(x), ::fabs(y)) > 1e100 && !(x < 0.0 && y > -pi && y <= pi)) return z - gpuarray::log(z);
    if (x == -1.0 && ::fabs(y) == pi) return complex128(-1.0, 0.0);
    // On the two rays where the function has jumps a half-plane is chosen by the sign of y - pi, and there the iteration
    // is that of -w, whose logarithm is continuous.
    complex128 w;
    double sign = 1.0, shift = 0.0;
    if (x <= -2.0 && y > -pi && y <= pi) {
        const complex128 p = gpuarray::exp(z);
        w = p * lambert::series({1.0, -1.0, 1.5, -8.0 / 3.0, 125.0 / 24.0}, p);
        if (w.real == 0.0 && w.imag == 0.0) return w;
    } else if (x > -2.0 && x <= 1.0 && ::fabs(y) >= 1.0 && ::fabs(y) < 2.0 * pi) {
        // About the branch points -1 + pi i and -1 - pi i, the lower one by conjugation.
        const double upper = y > 0.0 ? 1.0 : -1.0;
        // A zero has the sign by which the ray itself belongs to the half-plane below.
        const complex128 from(2.0 * (x + 1.0), upper > 0.0 ? -2.0 * (y - pi) : 2.0 * (y + pi));
        complex128 p = gpuarray::sqrt(from);
        p.imag = -p.imag;
        complex128 sum = complex128(1.0 / 270.0, 0.0) + complex128(0.0, 1.0 / 4320.0) * p;
        sum = complex128(0.0, -1.0 / 36.0) + sum * p;
        sum = complex128(1.0 / 3.0, 0.0) + sum * p;
        sum = complex128(0.0, 1.0) + sum * p;
        w = lambert::plus(sum * p, -1.0);
        if (upper < 0.0) w.imag = -w.imag;
    } else if (x <= -2.0 && ::fabs(y) > pi && ::fabs(y) - pi <= -0.75 * (x + 1.0)) {
        const complex128 t(x, y > 0.0 ? y - pi : y + pi), l = gpuarray::log(t * -1.0);
        w = t - l + divide(l, t);
    } else if ((x - 1.0) * (x - 1.0) + y * y <= pi * pi) {
        const complex128 p(x - 1.0, y);
        w = complex128(0.5 + x / 2.0, y / 2.0) +
            p * p * lambert::series({1.0 / 16.0, -1.0 / 192.0, -1.0 / 3072.0, 13.0 / 61440.0}, p);
    } else {
        const complex128 l = gpuarray::log(z);
        w = z - l + divide(l, z);
    }
    complex128 aim = z;
    if (x <= -0.99 && (::fabs(y - pi) <= 1e-2 || ::fabs(y + pi) <= 1e-2)) {
        sign = -1.0;
        // y - pi with the digits of pi that a double lacks.
        shift = ::fabs(y - pi) <= 1e-2 ? (y - pi) - 1.2246467991473532e-16 : (y + pi) + 1.2246467991473532e-16;
        aim = complex128(x, shift);
        w = w * -1.0;
    }
    for (int i = 0; i < 3; ++i) {
        const complex128 r = aim - w * sign - gpuarray::log(w);
        const complex128 next = lambert::plus(w * sign, 1.0);
        const complex128 twice = next * (next + r * (2.0 / 3.0)) * 2.0;
        w = w * lambert::plus(divide(r * (twice - r), next * (twice - r * 2.0)), 1.0);
    }
    return w * sign;
}

}  // namespace special
}  // namespace gpuarray
