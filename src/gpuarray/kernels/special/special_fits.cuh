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

// J0(x) / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, of x^2 - 12.5; t in [-12.5, 12.5]: 1.6e-08
GPUARRAY_DEVICE float fit_j0(float t) {
    const float c[] = {0.00318735559f, -0.000153686968f, 3.12117072e-06f, -3.64627901e-08f, 2.80768908e-10f,
                       -1.54730146e-12f, 6.3943936e-15f};
    return polynomial(c, t);
}

// J1(x) / (x (x^2 - a^2)), a its zero, of x^2 - 12.5; t in [-12.5, 12.5]: 9.9e-09
GPUARRAY_DEVICE float fit_j1(float t) {
    const float c[] = {-0.0158759542f, 0.00104726222f, -2.71374556e-05f, 3.86689607e-07f, -3.51952401e-09f,
                       2.23326357e-11f, -1.05430028e-13f, 3.76988424e-16f};
    return polynomial(c, t);
}

// Y0(x) - 2/pi log(x) J0(x) of x^2 - 12.5; t in [-12.5, 12.5]: 1.2e-08
GPUARRAY_DEVICE float fit_y0(float t) {
    const float c[] = {0.483724862f, -0.0346124656f, -0.00301168906f, 0.000198920388f, -4.5677225e-06f,
                       5.77876484e-08f, -4.72645978e-10f, 2.72413255e-12f, -1.16057303e-14f, 4.16290952e-17f};
    return polynomial(c, t);
}

// (Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x of x^2 - 12.5; t in [-12.5, 12.5]: 2.4e-08
GPUARRAY_DEVICE float fit_y1(float t) {
    const float c[] = {0.139749393f, 0.00728692068f, -0.00104396965f, 3.39696562e-05f, -5.5022258e-07f,
                       5.46766943e-09f, -3.71901503e-11f, 1.91182573e-13f, -2.79060113e-16f, -2.74969708e-17f};
    return polynomial(c, t);
}

// sqrt(2/pi) P of DLMF 10.17.3 for order 0, of 1/x^2; t in [1e-06, 0.04]: 2.8e-08
GPUARRAY_DEVICE float fit_p0(float t) {
    const float c[] = {0.797884583f, -0.0561061241f, 0.08939448f, -0.407215416f, 1.90425408f};
    return polynomial(c, t);
}

// sqrt(2/pi) x Q of DLMF 10.17.3 for order 0, of 1/x^2; t in [1e-06, 0.04]: 9.2e-09
GPUARRAY_DEVICE float fit_q0(float t) {
    const float c[] = {-0.0997351333f, 0.0582761504f, -0.16404815f, 0.601620317f};
    return polynomial(c, t);
}

// sqrt(2/pi) P of DLMF 10.17.3 for order 1, of 1/x^2; t in [1e-06, 0.04]: 2.8e-08
GPUARRAY_DEVICE float fit_p1(float t) {
    const float c[] = {0.797884583f, 0.0934908316f, -0.113402896f, 0.431623638f, -1.61201489f};
    return polynomial(c, t);
}

// sqrt(2/pi) x Q of DLMF 10.17.3 for order 1, of 1/x^2; t in [1e-06, 0.04]: 1.1e-08
GPUARRAY_DEVICE float fit_q1(float t) {
    const float c[] = {0.299206197f, -0.0816264525f, 0.201839924f, -0.709699512f};
    return polynomial(c, t);
}

// I0(x) of x^2; t in [0, 25]: 4.1e-10
GPUARRAY_DEVICE float fit_i0(float t) {
    const float c[] = {1.0f, 0.25f, 0.015625f, 0.000434027548f, 6.7818055e-06f, 6.77925769e-08f, 4.73335426e-10f,
                       2.2799063e-12f, 1.25230636e-14f};
    return polynomial(c, t);
}

// I1(x) / x of x^2; t in [1e-12, 25]: 4.1e-09
GPUARRAY_DEVICE float fit_i1(float t) {
    const float c[] = {0.5f, 0.0625000075f, 0.00260415883f, 5.42563466e-05f, 6.77667913e-07f, 5.69759662e-09f,
                       3.1334095e-11f, 2.07913656e-13f};
    return polynomial(c, t);
}

// sqrt(x) exp(-x) I0(x) of 1/x; t in [1e-05, 0.2]: 2.8e-08
GPUARRAY_DEVICE float fit_i0_scaled(float t) {
    const float c[] = {0.398942292f, 0.0498620756f, 0.0286133327f, 0.00783076696f, 0.434172302f, -3.53072309f,
                       16.5829296f, -26.4294147f};
    return polynomial(c, t);
}

// sqrt(x) exp(-x) I1(x) of 1/x; t in [1e-05, 0.2]: 4.6e-08
GPUARRAY_DEVICE float fit_i1_scaled(float t) {
    const float c[] = {0.398942262f, -0.149595723f, -0.0474538393f, -0.0151794767f, -0.514251411f, 4.05626583f,
                       -18.798048f, 29.4899521f};
    return polynomial(c, t);
}

// K0(x) + log(x/2) I0(x) of x^2; t in [1e-12, 1]: 2.8e-09
GPUARRAY_DEVICE float fit_k0(float t) {
    const float c[] = {-0.577215672f, 0.105696134f, 0.0144184204f, 0.000545133837f, 1.04273886e-05f};
    return polynomial(c, t);
}

// (K1(x) - log(x/2) I1(x) - 1/x) / x of x^2; t in [1e-06, 1]: 1.5e-11
GPUARRAY_DEVICE float fit_k1(float t) {
    const float c[] = {0.038607832f, -0.0420490168f, -0.00283712894f, -7.48975217e-05f, -1.11907707e-06f};
    return polynomial(c, t);
}

// I0(x) of x^2; t in [0, 1]: 2.4e-10
GPUARRAY_DEVICE float fit_i0_near(float t) {
    const float c[] = {1.0f, 0.25f, 0.0156250205f, 0.000433929294f, 6.9276698e-06f};
    return polynomial(c, t);
}

// I1(x) / x of x^2; t in [1e-12, 1]: 4.3e-11
GPUARRAY_DEVICE float fit_i1_near(float t) {
    const float c[] = {0.5f, 0.0625f, 0.00260416837f, 5.42452653e-05f, 6.90328761e-07f};
    return polynomial(c, t);
}

// sqrt(x) exp(x) K0(x) of 1/x; t in [1e-05, 1]: 5.4e-09
GPUARRAY_DEVICE float fit_k0_scaled(float t) {
    const float c[] = {1.25331414f, -0.156663075f, 0.088055715f, -0.0904142857f, 0.12588042f, -0.186199814f,
                       0.238969967f, -0.231360763f, 0.151698291f, -0.0590263419f, 0.0102088349f};
    return polynomial(c, t);
}

// sqrt(x) exp(x) K1(x) of 1/x; t in [1e-05, 1]: 5.6e-09
GPUARRAY_DEVICE float fit_k1_scaled(float t) {
    const float c[] = {1.25331414f, 0.469991505f, -0.146797761f, 0.126963973f, -0.164037675f, 0.23512353f,
                       -0.298657745f, 0.288922906f, -0.190064698f, 0.0743197203f, -0.0129244151f};
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
