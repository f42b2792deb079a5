// Solutions of (p0 + p1 x + p2 x^2) y'' + (q0 + q1 x) y' + (r0 + r1 x + r2 x^2) y = 0 by Taylor series, step by step.
//
// The recurrence of the coefficients follows from the equation moved to the centre. A solution that grows along the
// way, or at least as fast as any other does, keeps its digits.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_numbers.cuh"

namespace gpuarray {
namespace special {

GPUARRAY_DEVICE double magnitude(dd x) { return ::fabs(x.hi); }

template <class T> struct Equation {
    T p0, p1, p2, q0, q1, r0, r1, r2;
};
template <class T> struct Solution {
    T value, slope;
};

// The equation around x.
template <class T> GPUARRAY_DEVICE Equation<T> moved(const Equation<T>& e, T x) {
    return Equation<T>{e.p0 + (e.p1 + e.p2 * x) * x, e.p1 + e.p2 * x * 2.0, e.p2, e.q0 + e.q1 * x, e.q1,
                       e.r0 + (e.r1 + e.r2 * x) * x, e.r1 + e.r2 * x * 2.0, e.r2};
}
// From the solution at x that at x + h; h is at most about half of the distance to the next zero of the first factor.
// Terms beside `last` times the sum do not count.
template <class T>
GPUARRAY_CALLED Solution<T> taylor_step(
    const Equation<T>& equation, T x, T h, Solution<T> start, double last = 1e-18) {
    const Equation<T> e = moved(equation, x);
    // terms t_k h^k of four indices
    T t0 = start.value, t1 = start.slope * h, before = T(0.0), earlier = T(0.0);
    T value = t0 + t1, slope = t1;
    const T hh = h * h, inverse = T(1.0) / e.p0;
    int small = 0;
    for (int k = 0; k < 400; ++k) {
        // p0 (k+2)(k+1) t_{k+2} =
        //     -((p1 k + q0) (k+1) t_{k+1} h + (p2 k (k-1) + q1 k + r0) t_k h^2 + r1 t_{k-1} h^3 + r2 t_{k-2} h^4)
        T sum = (e.p1 * double(k) + e.q0) * (h * t1) * double(k + 1) +
                (e.p2 * (double(k) * (k - 1)) + e.q1 * double(k) + e.r0) * (hh * t0);
        sum = sum + e.r1 * (hh * h) * before + e.r2 * (hh * hh) * earlier;
        const T next = -sum * inverse / (double(k + 2) * (k + 1));
        earlier = before;
        before = t0;
        t0 = t1;
        t1 = next;
        value = value + next;
        slope = slope + next * double(k + 2);
        small = magnitude(next) * (k + 2) <= last * (magnitude(slope) + magnitude(value)) ? small + 1 : 0;
        if (small == 3) break;
    }
    return Solution<T>{value, slope / h};
}

}  // namespace special
}  // namespace gpuarray
