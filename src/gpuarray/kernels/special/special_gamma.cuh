// The gamma function and its relatives.
#pragma once

#include "gpuarray/special_complex.cuh"
#include "gpuarray/special_dd.cuh"

namespace gpuarray {
namespace special {

template <class T> GPUARRAY_DEVICE T gammasgn(T x) {
    if (x != x || x > 0) return x != x ? x : T(1);
    if (x == 0) return ::copysign(T(1), x);
    if (isinf(x) || is_integer(x)) return T(not_a_number());
    const T half = ::floor(x) / 2;
    return is_integer(half) ? T(1) : T(-1);
}

}  // namespace special
}  // namespace gpuarray
