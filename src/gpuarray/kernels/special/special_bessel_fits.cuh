// Polynomials for float32 results, made by docs/generate/special_fits.py from mpmath's values.
//
// Each says what it is near to, where, and its greatest error: relative, or as the script says.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

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

}  // namespace special
}  // namespace gpuarray
