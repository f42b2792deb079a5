// Modified Mathieu functions of the first and second kind: sums of products of Bessel functions (DLMF 28.24).
#pragma once

#include "gpuarray/special_bessel_orders01.cuh"
#include "gpuarray/special_mathieu.cuh"

namespace gpuarray {
namespace special {

// Bessel functions of the orders 0 to `count` - 1 of one argument.
struct BesselRow {
    static const int limit = 256;
    double values[limit];

    // J: upwards below the argument, where it is a wave; else downwards from where it is nothing (Miller's algorithm).
    GPUARRAY_CALLED void first_kind(double x, int count) {
        const double zero = j0(x), one = j1(x);
        if (x > count) {
            upwards(x, count, zero, one);
            return;
        }
        for (int k = 0; k < limit; ++k) values[k] = 0;
        if (x == 0) {
            values[0] = 1;
            return;
        }
        if (x < 1e-9) {  // one term of the power series, where quotients of neighbours would leave the range
            values[0] = 1;
            for (int n = 1; n < count; ++n) values[n] = values[n - 1] * (0.5 * x) / n;
            return;
        }
        // Up to an order of which the function is not below the range: J_n is about (e x / (2 n))^n.
        int start = int(x) + 2;
        while (start < count + 60 && start * ::log(0.7357588823428847 * start / x) < 500) ++start;
        double above = 0, value = 1e-280;
        for (int n = start; n > 0; --n) {
            if (n < count) values[n] = value;
            const double below = 2 * n / x * value - above;
            above = value;
            value = below;
        }
        values[0] = value;
        const double scale = ::fabs(zero) > ::fabs(one) ? zero / value : one / above;
        for (int n = 0; n < count; ++n) values[n] *= scale;
    }
    GPUARRAY_CALLED void second_kind(double x, int count) { upwards(x, count, y0(x), y1(x)); }
    GPUARRAY_CALLED void upwards(double x, int count, double zero, double one) {
        values[0] = zero;
        values[1] = one;
        for (int n = 1; n + 1 < count; ++n) values[n + 1] = 2 * n / x * values[n] - values[n - 1];
    }
    // Of any order, and the derivative times the argument
    GPUARRAY_DEVICE double at(int n) const { return n < 0 && (n & 1) ? -values[-n] : values[n < 0 ? -n : n]; }
    GPUARRAY_DEVICE double slope(int n, double x) const { return n * at(n) - x * at(n + 1); }
};

// The function of one eigenvector, for z >= 0: to the left of zero terms cancel.
struct MathieuSum {
    int first, last, turns;
    double h, greatest;
    bool odd_function, defined;
    double vector[MathieuMatrix::limit];

    GPUARRAY_CALLED MathieuSum(int m, double q, bool odd_function) : h(::sqrt(q)), odd_function(odd_function) {
        const MathieuMatrix matrix(m, q, odd_function);
        first = matrix.first;
        turns = (m - first) / 2;
        matrix.eigenvector(turns, vector);
        defined = has_rows(matrix, vector);
        if (matrix.constant) vector[0] *= 0.7071067811865476;
        greatest = 0;
        for (int k = 0; k < matrix.size; ++k) greatest = ::fmax(greatest, ::fabs(vector[k]));
        last = matrix.size - 1;
        while (::fabs(vector[last]) < 1e-18 * greatest) --last;
    }
    // Any coefficient may divide, that of place s: the sum, and in `noise` what its error is in units of rounding, by
    // the magnitudes of the terms, and of the last one: those of Y grow where coefficients were left out.
    GPUARRAY_CALLED Mathieu sum(int s, const BesselRow& decaying, const BesselRow& growing, double near, double far,
                                double& noise) const {
        double value = 0, slope = 0, sizes = 0;
        for (int k = last; k >= 0; --k) {
            const int low = k - s, high = k + s + first;
            const double c = (k & 1) ? -vector[k] : vector[k], sign = odd_function ? -c : c;
            const double j_low = decaying.at(low), j_high = decaying.at(high);
            // Where J is below the range, Y may be above it: the product is nothing.
            if (j_low != 0) {
                const double term = c * (j_low * growing.at(high));
                value += term;
                sizes += ::fabs(term) * (k == last ? 1e16 : 1.0);
                slope += c * (j_low * growing.slope(high, far) - decaying.slope(low, near) * growing.at(high));
            }
            if (j_high != 0) {
                const double term = sign * (j_high * growing.at(low));
                value += term;
                sizes += ::fabs(term) * (k == last ? 1e16 : 1.0);
                slope += sign * (j_high * growing.slope(low, far) - decaying.slope(high, near) * growing.at(low));
            }
        }
        const double scale = ((turns & 1) ? -1 : 1) / (vector[s] * (first == 0 && s == 0 ? 2 : 1));
        noise = sizes * ::fabs(scale);
        return Mathieu{scale * value, scale * slope};
    }
    GPUARRAY_CALLED Mathieu at(double z, bool second) const {
        const int wanted = 2 * last + first + 2, count = wanted < BesselRow::limit ? wanted : BesselRow::limit;
        const double near = h * ::exp(-z), far = h * ::exp(z);
        BesselRow decaying, growing;
        decaying.first_kind(near, count);
        if (second) growing.second_kind(far, count);
        else growing.first_kind(far, count);
        Mathieu best{not_a_number(), not_a_number()};
        double least = infinity();
        for (int s = 0; s <= last && last + s + first + 2 <= count; ++s) {
            if (::fabs(vector[s]) < 1e-6 * greatest) continue;
            double noise;
            const Mathieu found = sum(s, decaying, growing, near, far, noise);
            if (noise < least) {
                least = noise;
                best = found;
            }
        }
        return best;
    }
};

GPUARRAY_CALLED Mathieu mathieu_modified(double m, double q, double z, bool odd_function, bool second) {
    if (!is_order(m) || !(q >= 0) || !isfinite(q) || z != z || (odd_function && m == 0)) {
        return Mathieu{not_a_number(), not_a_number()};
    }
    const MathieuSum sum(int(m), q, odd_function);
    if (!sum.defined) return Mathieu{not_a_number(), not_a_number()};
    const double size = ::fabs(z), parity = odd_function ? -1 : 1;
    // Waves in exp(z) that decay, and whose slopes grow.
    if (q > 0 && isinf(sum.h * ::exp(size))) return Mathieu{0.0, not_a_number()};
    const Mathieu right = sum.at(size, second);
    if (z >= 0) return right;
    if (!second) return Mathieu{parity * right.value, -parity * right.slope};
    // A solution of the same equation: the function's reflection and a multiple of that of the first kind, by their
    // values or slopes at zero.
    const Mathieu first = sum.at(size, false), one = sum.at(0, false), two = sum.at(0, true);
    const double share = odd_function ? two.slope / one.slope : two.value / one.value;
    return Mathieu{
        parity * (2 * share * first.value - right.value), -parity * (2 * share * first.slope - right.slope)};
}
GPUARRAY_DEVICE Mathieu mathieu_modcem1(double m, double q, double x) { return mathieu_modified(m, q, x, false, false); }
GPUARRAY_DEVICE Mathieu mathieu_modcem2(double m, double q, double x) { return mathieu_modified(m, q, x, false, true); }
GPUARRAY_DEVICE Mathieu mathieu_modsem1(double m, double q, double x) { return mathieu_modified(m, q, x, true, false); }
GPUARRAY_DEVICE Mathieu mathieu_modsem2(double m, double q, double x) { return mathieu_modified(m, q, x, true, true); }

}  // namespace special
}  // namespace gpuarray
