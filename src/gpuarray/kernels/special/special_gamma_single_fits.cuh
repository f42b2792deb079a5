// Polynomials for float32 results, made by docs/generate/special_fits.py from mpmath's values.
//
// Each says what it is near to, where, and its greatest error: relative, or as the script says.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

// gamma(1.5 + t); t in [-0.5, 0.5]: 3.4e-08
GPUARRAY_DEVICE float fit_gamma(float t) {
    const float c[] = {0.886226952f, 0.0323381908f, 0.414807826f, -0.107280783f, 0.144826591f, -0.0777935609f,
                       0.0566119999f, -0.0358642638f, 0.0345171243f, -0.024452718f};
    return polynomial(c, t);
}

// gammaln(x) / ((x - 1) (x - 2)) of log2(x); t in [-1.737, 2.585]: 2.0e-08
GPUARRAY_DEVICE float fit_gammaln(float t) {
    const float c[] = {0.577215672f, -0.169995338f, 0.0157629326f, -0.000195475717f, -6.79512141e-06f,
                       6.4334854e-06f, -3.13373994e-06f, -6.36219966e-08f, 1.20714901e-07f, -1.11142793e-08f};
    return polynomial(c, t);
}

// x times the rest of Stirling's formula (DLMF 5.11.1) of 1/x^2; t in [1e-12, 0.1111]: 2.4e-07
GPUARRAY_DEVICE float fit_gammaln_rest(float t) {
    const float c[] = {0.0833333135f, -0.00277446047f, 0.000709268497f};
    return polynomial(c, t);
}

// The same from 6 on; t in [1e-12, 0.02778]: 9.0e-07
GPUARRAY_DEVICE float fit_gammaln_rest_far(float t) {
    const float c[] = {0.0833332613f, -0.00275628106f};
    return polynomial(c, t);
}

// digamma(1.5 + t) / (t - z), z its zero there; t in [-0.5, 0.5]: 1.0e-08
GPUARRAY_DEVICE float fit_digamma(float t) {
    const float c[] = {0.951055884f, -0.423627496f, 0.24054192f, -0.148398906f, 0.0949976519f, -0.0620556287f,
                       0.0407370068f, -0.02578789f, 0.0175498184f, -0.0163728222f, 0.0102902362f};
    return polynomial(c, t);
}

// x^2 (log(x) - 1/(2x) - digamma(x)) of 1/x^2; t in [1e-06, 0.25]: 4.4e-09
GPUARRAY_DEVICE float fit_digamma_rest(float t) {
    const float c[] = {0.0833327249f, -0.00830740388f, 0.00360847521f, -0.00192253059f};
    return polynomial(c, t);
}

}  // namespace special
}  // namespace gpuarray
