// Polynomials for float64 results, made by docs/generate/special_double_fits.py from values of
// mpmath's.
//
// Each says what it is near to, where, and its greatest error: relative, or as the script says.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

// (exp(t) - 1 - t) / t^2; t in [-0.3466, 0.3467]: 1.6e-17
inline __constant__ double FIT_EXP_WIDE[] = {0.5000000000000001, 0.16666666666666669, 0.04166666666662409,
    0.00833333333332949, 0.0013888888917234835, 0.00019841269865051488, 2.4801521263149593e-05,
    2.7557265921903893e-06, 2.76201040447004e-07, 2.510144306746546e-08};
GPUARRAY_DEVICE double fit_exp_wide(double t) {
    return polynomial(FIT_EXP_WIDE, t);
}

// 2 (atanh(s) - s) / s^3 of s^2; t in [1e-08, 0.2]: 5.6e-17
inline __constant__ double FIT_ATANH_WIDE[] = {0.6666666666666666, 0.40000000000000063, 0.2857142857140781,
    0.22222222224868288, 0.18181818006288059, 0.15384622340017148, 0.13333155398406968, 0.11767781875984756,
    0.10489480985115426, 0.09831880793542636, 0.06911345636713585, 0.1493974762869482, -0.09478213779482891,
    0.2846244260200099};
GPUARRAY_DEVICE double fit_atanh_wide(double t) {
    return polynomial(FIT_ATANH_WIDE, t);
}

// The same; t in [1e-08, 0.0405]: 5.7e-17
inline __constant__ double FIT_ATANH_NEAR[] = {0.6666666666666666, 0.40000000000008523, 0.28571428567014595,
    0.22222223091643464, 0.18181734246259867, 0.15389002129709584, 0.13207080007219024, 0.13629111215010278};
GPUARRAY_DEVICE double fit_atanh_near(double t) {
    return polynomial(FIT_ATANH_NEAR, t);
}

// The same; t in [1e-08, 0.1111]: 6.2e-17
inline __constant__ double FIT_ATANH_THIRD[] = {0.6666666666666666, 0.39999999999999525, 0.285714285716001,
    0.22222222198236719, 0.18181819897965312, 0.1538454396478386, 0.13335178632867964, 0.11734279044735245,
    0.10845178513482598, 0.074921433204567, 0.15630578616427632};
GPUARRAY_DEVICE double fit_atanh_third(double t) {
    return polynomial(FIT_ATANH_THIRD, t);
}

}  // namespace special
}  // namespace gpuarray
