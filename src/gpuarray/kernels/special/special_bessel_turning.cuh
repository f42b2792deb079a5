// Bessel functions J and Y of large order about the turning point, where the argument is the order: Olver's uniform
// expansion by Airy functions (DLMF 10.20), whose phase has the digits of two numbers.
#pragma once

#include "gpuarray/special_bessel_orders01.cuh"
#include "gpuarray/special_bessel_turning_tables.cuh"
#include "gpuarray/special_dd.cuh"

namespace gpuarray {
namespace special {

struct Ordinary {
    double j, y;
};
template <class T> struct Airy {
    T ai, aip, bi, bip;
};

namespace turning {

// (s^3 / 3 + square s^3 / 5 + square^2 s^3 / 7 + ...) for square = s^2, which is atanh(s) - s, or -s^2: s - atan(s).
GPUARRAY_CALLED dd cubic(dd s, dd square) {
    double tail = 0;
    for (int k = 20; k >= 4; --k) tail = tail * square.hi + 1.0 / (2 * k + 3);
    dd value = dd(0.1111111111111111, 6.1679056923619804e-18) + square * tail;
    value = dd(0.14285714285714285, 7.93016446160826e-18) + square * value;
    value = dd(0.2, -1.1102230246251566e-17) + square * value;
    value = dd(0.3333333333333333, 1.850371707708594e-17) + square * value;
    return s * (s * (s * value));
}

GPUARRAY_DEVICE dd root_of(dd x) {
    if (x.hi == 0) return dd(0);
    const double r = ::sqrt(x.hi);
    return fast_sum(r, (x - product(r, r)).hi / (2 * r));
}

// sqrt(|1 - (x / v)^2|)
GPUARRAY_CALLED dd distance(double v, double x) {
    const dd above = sum(v, x) / dd(v), below = (x < v ? sum(v, -x) : sum(x, -v)) / dd(v);
    return root_of(above * below);
}

// 2/3 |zeta|^(3/2) of DLMF 10.20.2 and 10.20.3 for that distance.
GPUARRAY_CALLED dd phase(double v, double x, dd s) {
    const dd square = x < v ? s * s : -(s * s);
    if (s.hi < 0.3) return cubic(s, square);
    if (x < v) return log_dd((s * v + v) / dd(x)) - s;
    // A difference of arc tangents is an arc tangent, too: that of n / 4, or of infinity, is from a table.
    const bool far = s.hi > 3;
    const int n = far ? 13 : int(::rint(4 * s.hi));
    const dd rest = far ? dd(-1) / s : (s - 0.25 * n) / (s * (0.25 * n) + 1.0);
    const dd arc = dd(ARC_TANGENTS[2 * n - 2], ARC_TANGENTS[2 * n - 1]);
    return s - (arc + (rest - cubic(rest, -(rest * rest))));
}

// Airy functions of |x| <= 13 by Taylor's series about the nearest node: y'' = x y.
GPUARRAY_CALLED Airy<double> airy_by_nodes(double x) {
    const int n = int(::rint(4 * x)) + 52;
    const double center = 0.25 * (n - 52), h = x - center;
    const double* node = AIRY_NODES + 4 * n;
    double found[4];
    for (int which = 0; which < 2; ++which) {
        // Coefficients of y times powers of h, and the sums of those from h^2 and of the derivative from h
        double before = 0, last = node[2 * which], next = node[2 * which + 1] * h, y = 0, slope = 0;
        for (int k = 2; k < 30; ++k) {
            const double term = h * h * (center * last + h * before) / (k * (k - 1.0));
            before = last;
            last = next;
            next = term;
            y += term;
            slope += k * term;
            if (::fabs(last) + ::fabs(term) < 1e-20 * ::fabs(node[2 * which])) break;
        }
        found[2 * which] = node[2 * which] + (node[2 * which + 1] * h + y);
        found[2 * which + 1] = node[2 * which + 1] + (h == 0 ? 0 : slope / h);
    }
    return Airy<double>{found[0], found[1], found[2], found[3]};
}

// The sum of the expansions in TABLE, each over another power of 1 / v^2.
GPUARRAY_CALLED double expansion(const double* table, const int* ends, int count, double t, double inverse_square) {
    double sum = 0;
    for (int k = count - 1; k >= 0; --k) {
        const int start = k == 0 ? 0 : ends[k - 1];
        sum = ::fma(sum, inverse_square, chebyshev_series(table + start, ends[k] - start, t));
    }
    return sum;
}

}  // namespace turning

// For v >= 25 and x so near it that 2/3 v |zeta|^(3/2) <= 30.
GPUARRAY_CALLED Ordinary turning_wave(double v, double x) {
    const dd s = turning::distance(v, x), whole = turning::phase(v, x, s) * v * 1.5;
    // The argument of the Airy functions is (3/2 phase)^(2/3) as `a` + `low`
    const double third = ::cbrt(whole.hi), cube_root = ::cbrt(v);
    double a = third * third, low = 0;
    if (a != 0) low = (whole * whole - product(a, a) * a).hi / (3 * a * a);
    const double scaled = a / (cube_root * cube_root);  // |zeta|
    if (x > v) {
        a = -a;
        low = -low;
    }
    const Airy<double> at = turning::airy_by_nodes(a);
    const double ai = at.ai + low * at.aip, aip = at.aip + low * a * at.ai;
    const double bi = at.bi + low * at.bip, bip = at.bip + low * a * at.bi;
    // (4 zeta / (1 - z^2))^(1/4), with its limit
    const double square = s.hi * s.hi, ratio = square == 0 ? 0.6299605249474366 : scaled / square;
    const double base = ::sqrt(::sqrt(4 * ratio)) / cube_root;
    const double t = (x > v ? -scaled : scaled) / 1.5, inverse = 1 / (v * v);
    const double first = inverse * turning::expansion(TURNING_A, TURNING_A_ENDS, 4, t, inverse);
    const double second = turning::expansion(TURNING_B, TURNING_B_ENDS, 5, t, inverse) / (v * cube_root);
    return Ordinary{
        base * (ai + (ai * first + aip * second)), -base * (bi + (bi * first + bip * second))};
}

}  // namespace special
}  // namespace gpuarray
