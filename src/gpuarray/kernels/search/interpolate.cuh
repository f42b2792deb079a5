// Linear interpolation between points whose coordinates are sorted: what a search stores of a rank.
#pragma once

#include "gpuarray/binary_search.cuh"
#include "gpuarray/complex.cuh"

namespace gpuarray {

// On the line through two points; `by` divides the distance of the values by that of the coordinates. Infinite values
// have no slope: then from the other end, and equal ends are the result.
template <class Quotient>
GPUARRAY_DEVICE double on_line(double x, double x0, double x1, double y0, double y1, Quotient by) {
    const double slope = by(y1 - y0, x1 - x0);
    double result = slope * (x - x0) + y0;
    if (result != result) {
        result = slope * (x - x1) + y1;
        if (result != result && y0 == y1) result = y0;
    }
    return result;
}

struct Divided {
    GPUARRAY_DEVICE double operator()(double a, double b) const { return a / b; }
};
struct Inverted {
    GPUARRAY_DEVICE double operator()(double a, double b) const { return a * (1.0 / b); }
};

GPUARRAY_DEVICE double between(double x, double x0, double x1, double y0, double y1) {
    return on_line(x, x0, x1, y0, y1, Divided());
}
// NumPy multiplies both parts by one inverse.
GPUARRAY_DEVICE complex<double> between(double x, double x0, double x1, complex<double> y0, complex<double> y1) {
    return complex<double>(on_line(x, x0, x1, y0.real, y1.real, Inverted()),
                      on_line(x, x0, x1, y0.imag, y1.imag, Inverted()));
}

// Ranks are those behind equal elements. `sides` has a bit each for whether `left` and `right` are given.
template <class Keys, class Coordinate, class Value> struct Interpolate {
    typedef Value Result;
    const Value* points;
    Value left, right;
    int32_t sides;

    GPUARRAY_DEVICE static double coordinate(typename Keys::Word bits) {
        Coordinate result;
        memcpy(&result, &bits, sizeof(result));
        return double(result);
    }
    GPUARRAY_DEVICE static Value from_real(double x) {
        if constexpr (sizeof(Value) == sizeof(double)) {
            return x;
        } else {
            return Value(x, 0);
        }
    }
    GPUARRAY_DEVICE Value operator()(const typename Keys::Word* sorted, typename Keys::Word value, int64_t rank,
                                     int64_t length) const {
        const double x = coordinate(value);
        const int64_t last = length - 1;
        // A single point is the answer for NaN, too.
        if (x != x) return last > 0 ? from_real(x) : points[0];
        if (x < coordinate(sorted[0])) return sides & 1 ? left : points[0];
        const double end = coordinate(sorted[last]);
        if (x > end) return sides & 2 ? right : points[last];
        if (x == end) return points[last];
        const int64_t most = last > 0 ? last - 1 : 0;
        const int64_t low = rank < 1 ? 0 : rank - 1 < most ? rank - 1 : most, high = low < last ? low + 1 : last;
        const double x0 = coordinate(sorted[low]);
        const Value y0 = points[low];
        return x == x0 ? y0 : between(x, x0, coordinate(sorted[high]), y0, points[high]);
    }
};

}  // namespace gpuarray
