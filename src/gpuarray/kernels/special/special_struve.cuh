// Struve functions H and L: power series of two doubles (DLMF 11.2), expansions for large arguments (11.6).
#pragma once

#include "gpuarray/special_bessel.cuh"
#include "gpuarray/special_gamma.cuh"

namespace gpuarray {
namespace special {

// H of v >= x by DLMF 11.4.19: a sum of positive terms with Bessel functions of orders v + 1/2 + k, whose recurrence goes
// downwards (J. C. P. Miller's algorithm) and is normalised by the last one.
GPUARRAY_CALLED double struve_by_bessel(double v, double x) {
    if (x > 1e7) return not_a_number();  // too many terms
    dd above(0.0), at(1.0), weight(1.0), total(0.0);
    const dd inverse = dd(2.0) / dd(x);
#pragma unroll 1
    for (int k = int(x) + 60; k > 0; --k) {
        total = total + weight * at;
        const dd below = (sum(v, 0.5) + double(k)) * inverse * at - above;
        above = at;
        at = below;
        weight = weight * inverse * (k * (k + 0.5)) / (k - 0.5);
        const double tiny = 7.888609052210118e-31;  // 2^-100
        if (at.hi > 1e30) at = at * tiny, above = above * tiny, total = total * tiny;
        if (weight.hi > 1e30) weight = weight * tiny, total = total * tiny;
    }
    total = total + weight * at;
    // of which the last term is 2 J: sqrt(x / (2 pi))
    return ::sqrt(0.15915494309189535 * x) * (2 * jv(v + 0.5, x)) * rounded(total / (weight * at));
}

GPUARRAY_CALLED double struve_positive(double v, double x, bool modified) {
    // (x / 2)^(v + 1) / (Gamma(3/2) Gamma(v + 3/2)) sum of (-+x^2 / 4)^k / ((3/2)_k (v + 3/2)_k)
    const dd c = sum(v, 1.5), half_log = log_dd(dd(x / 2)), quarter = product(x, x) * (modified ? 0.25 : -0.25);
    // H is below the first term, L below that times an exponential: as long as that is nothing, where the other
    // expansion is a difference of infinities.
    const double growth = modified ? x * x / (4 * v) : 0.0;
    if (v > x && (v + 1) * half_log.hi - lgamma_positive(c).hi + growth < -760) return 0;
    dd term(1.0), total(1.0);
    double largest = 1;
    bool converged = false;
    if (x < 690) {
        for (int k = 0; k < 4000; ++k) {
            term = term * quarter / ((c + double(k)) * (k + 1.5));
            total = total + term;
            largest = ::fmax(largest, ::fabs(term.hi));
            if (::fabs(term.hi) < 1e-20 * ::fabs(total.hi) && k > -v) {
                converged = true;
                break;
            }
        }
    }
    const dd root_pi_half_log(-0.12078223763524522, -1.0721548127165063e-18);  // log Gamma(3/2)
    if (converged && (x < 36 || largest < 1e14 * ::fabs(total.hi))) {
        const SignedLog low = lgamma_signed(c);
        const dd log = sum(v, 1) * half_log - root_pi_half_log - low.log;
        return low.sign * times_power(rounded(total), log);
    }
    if (!modified && v >= x) return struve_by_bessel(v, x);
    // 1 / pi sum of Gamma(k + 1/2) (x / 2)^(v - 2 k - 1) / Gamma(v + 1/2 - k), with signs for L
    dd part(1.0), sum_of_parts(1.0);
    const dd step = x < 1e150 ? dd(modified ? -4.0 : 4.0) / product(x, x) : dd(0.0);
    for (int k = 0; k < 200; ++k) {
        const double last = ::fabs(part.hi);
        part = part * step * (sum(v, -0.5 - k) * (k + 0.5));
        if (part.hi == 0 || (::fabs(part.hi) > last && k > v)) break;
        sum_of_parts = sum_of_parts + part;
        if (::fabs(part.hi) < 1e-18 * ::fabs(sum_of_parts.hi)) break;
    }
    if (modified && v > 0 && isinf(iv(v, x))) return infinity();
    const SignedLog low = lgamma_signed(sum(v, 0.5));
    const dd log = sum(v, -1) * half_log - dd(0.5723649429247001, 5.132975581353913e-18) - low.log;  // log sqrt(pi)
    const double rest = isinf(low.log.hi) ? 0 : low.sign * times_power(rounded(sum_of_parts), log);
    return modified ? iv(-v, x) - rest : yv(v, x) + rest;
}
GPUARRAY_CALLED double struve_of(double v, double x, bool modified) {
    if (isnan(v) || isnan(x) || (x < 0 && !is_integer(v))) return not_a_number();
    if (x == 0) {
        if (v > -1) return 0;
        return v == -1 ? 0.6366197723675814 : v < -1 ? infinity() * gammasgn(v + 1.5) : 0;
    }
    const double size = ::fabs(x), sign = x < 0 && odd_sign(v) > 0 ? -1 : 1;
    const double n = -v - 0.5;
    // DLMF 11.4.3 and 11.4.4
    if (n >= 0 && is_integer(n)) return modified ? iv(n + 0.5, size) : odd_sign(n) * jv(n + 0.5, size);
    return sign * struve_positive(v, size, modified);
}
GPUARRAY_DEVICE double struve(double v, double x) { return struve_of(v, x, false); }
GPUARRAY_DEVICE double modstruve(double v, double x) { return struve_of(v, x, true); }

}  // namespace special
}  // namespace gpuarray
