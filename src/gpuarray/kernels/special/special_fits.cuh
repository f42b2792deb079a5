// Polynomials for float32 results, made by docs/generate/special_fits.py from mpmath's values.
//
// Each says what it is near to, where, and its greatest error: relative, or as the script says.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

// 2^t; t in [-0.5, 0.5]: 3.3e-09
GPUARRAY_DEVICE float fit_exp2(float t) {
    const float c[] = {1.0f, 0.693147182f, 0.240226462f, 0.0555035882f, 0.00961866323f, 0.00133913034f,
                       0.000152867869f};
    return polynomial(c, t);
}

// (2^t - 1) / t; t in [-0.5, 0.5]: 2.7e-09
GPUARRAY_DEVICE float fit_exp2m1(float t) {
    const float c[] = {0.693147182f, 0.240226507f, 0.0555040464f, 0.00961808302f, 0.00133385777f, 0.000154538749f,
                       1.41248747e-05f};
    return polynomial(c, t);
}

// 2 (atanh(s) - s) / s^3 of s^2; t in [1e-06, 0.12]: 3.0e-08
GPUARRAY_DEVICE float fit_atanh(float t) {
    const float c[] = {0.666666687f, 0.399994761f, 0.286018848f, 0.215695918f, 0.238552943f};
    return polynomial(c, t);
}

// The same; t in [1e-06, 0.0405]: 6.0e-09
GPUARRAY_DEVICE float fit_atanh_near(float t) {
    const float c[] = {0.666669607f, 0.399565578f, 0.303868443f};
    return polynomial(c, t);
}

// (log(1 + t) - t) / t^2; t in [-0.2929, 0.4143]: 4.2e-09
GPUARRAY_DEVICE float fit_log1p(float t) {
    const float c[] = {-0.499999881f, 0.333333254f, -0.250016004f, 0.200019985f, -0.166087568f, 0.141812667f,
                       -0.13244842f, 0.129081547f, -0.0762186795f};
    return polynomial(c, t);
}

// (exp(t) - 1 - t) / t^2; t in [-0.35, 0.35]: 3.4e-09
GPUARRAY_DEVICE float fit_exp(float t) {
    const float c[] = {0.49999994f, 0.166665152f, 0.0416682288f, 0.00836938247f, 0.00138254324f};
    return polynomial(c, t);
}

// (sin(t) - t) / t^3 of t^2; t in [1e-12, 0.64]: 4.2e-09
GPUARRAY_DEVICE float fit_sine(float t) {
    const float c[] = {-0.166666538f, 0.0083320979f, -0.000195060231f};
    return polynomial(c, t);
}

// (cos(t) - 1 + t^2 / 2) / t^4 of t^2; t in [1e-06, 0.64]: 1.2e-10
GPUARRAY_DEVICE float fit_cosine(float t) {
    const float c[] = {0.0416666456f, -0.0013887292f, 2.44288385e-05f};
    return polynomial(c, t);
}

// (sin(t degrees) / t - pi / 180) / t^2 of t^2; t in [1e-12, 2025]: 3.8e-09
GPUARRAY_DEVICE float fit_sine_degrees(float t) {
    const float c[] = {-8.86095506e-07f, 1.34941086e-11f, -9.62735067e-17f};
    return polynomial(c, t);
}

// (sin(pi t) / pi - t) / t^3 of t^2; t in [1e-12, 0.25]: 4.9e-09
GPUARRAY_DEVICE float fit_sine_turns(float t) {
    const float c[] = {-1.64493346f, 0.811718702f, -0.190462887f, 0.0247568637f};
    return polynomial(c, t);
}

// (cos(t degrees) - 1) / t^2 of t^2; t in [1e-12, 2025]: 3.4e-10
GPUARRAY_DEVICE float fit_cosine_degrees(float t) {
    const float c[] = {-0.000152308712f, 3.8663277e-09f, -3.92583915e-14f, 2.11469926e-19f};
    return polynomial(c, t);
}

// erf(x) / x - 1 of x^2; t in [1e-12, 0.8499]: 1.6e-08
GPUARRAY_DEVICE float fit_erf(float t) {
    const float c[] = {0.128379151f, -0.376124978f, 0.112818435f, -0.0267673489f, 0.00499403803f, -0.00059945049f};
    return polynomial(c, t);
}

// log2(erfc(t)) / t by its effect on erf(t); t in [0.9219, 4]: 7.3e-10
GPUARRAY_DEVICE float fit_log2_erfc(float t) {
    const float c[] = {-1.62829709f, -0.916323543f, -0.153277487f, 0.034290053f, -0.00525903003f, 0.000466705969f,
                       -1.63028199e-05f};
    return polynomial(c, t);
}

// (1 + x) erfcx(x), x = 3 (1 + t) / (1 - t); t in [-1, 1]: 8.1e-09
GPUARRAY_DEVICE float fit_erfcx(float t) {
    const float c[] = {0.71600461f, -0.230927318f, 0.0990206301f, -0.0102358079f, -0.0238030739f, 0.0219612755f,
                       -0.00975321885f, 0.00160579244f, 0.000649762922f, -0.000344242144f, -2.3917657e-05f,
                       3.50924165e-05f};
    return polynomial(c, t);
}

// (1 + x) erfcx(x / sqrt(2)) / 2, x = 4 (1 + t) / (1 - t); t in [-1, 1]: 1.4e-08
GPUARRAY_DEVICE float fit_normal_tail(float t) {
    const float c[] = {0.4720532f, -0.0967034698f, 0.013999965f, 0.0286001582f, -0.0322014429f, 0.0179377515f,
                       -0.00498708524f, -0.000291403674f, 0.000664366875f, -8.44065289e-05f, -5.78669242e-05f,
                       1.25108645e-05f};
    return polynomial(c, t);
}

// log_ndtr(t); t in [-0.5, 0.55]: 4.2e-09
GPUARRAY_DEVICE float fit_log_ndtr(float t) {
    const float c[] = {-0.693147182f, 0.797884583f, -0.318309844f, 0.0363350436f, 0.00478220172f, -3.31979718e-05f,
                       -0.000215488399f, -5.91709286e-05f, 8.99790393e-06f};
    return polynomial(c, t);
}

// K(1 - t) as a first polynomial less log(t) times a second; t in (0, 1]: 1.8e-08
GPUARRAY_DEVICE float fit_ellipk(float t) {
    const float c[] = {1.38629448f, 0.0968074724f, 0.0379079543f, 0.0375113897f, 0.0122750225f};
    return polynomial(c, t);
}

// The second.
GPUARRAY_DEVICE float fit_ellipk_log(float t) {
    const float c[] = {0.5f, 0.124956526f, 0.0678862706f, 0.0305031799f, 0.00361109735f};
    return polynomial(c, t);
}

// E(1 - t) as a first polynomial less log(t) times a second; t in (0, 1]: 1.3e-08
GPUARRAY_DEVICE float fit_ellipe(float t) {
    const float c[] = {1.0f, 0.44324401f, 0.0623368584f, 0.047384914f, 0.0178305246f};
    return polynomial(c, t);
}

// The second.
GPUARRAY_DEVICE float fit_ellipe_log(float t) {
    const float c[] = {3.01148467e-10f, 0.249984816f, 0.0920971557f, 0.0411653221f, 0.0054497025f};
    return polynomial(c, t);
}

}  // namespace special
}  // namespace gpuarray
