// Parabolic cylinder functions of integer degree and complex argument: the recurrence DLMF 12.8.1.
#pragma once

#include "gpuarray/special_faddeeva.cuh"

namespace gpuarray {
namespace special {

struct ComplexCylinder {
    cplx value, slope;
};
GPUARRAY_CALLED ComplexCylinder pbdn(int64_t n, cplx z) {
    const cplx first = exp_minus_square(z * 0.5);
    const int64_t count = n < 0 ? -n : n;
    const double degree = double(count);
    if (n >= 0) {
        cplx value = first, before(0.0, 0.0);
        for (int64_t i = 0; i < n; ++i) {
            const cplx next = z * value - before * double(i);
            before = value, value = next;
        }
        return ComplexCylinder{value, before * degree - z * value * 0.5};
    }
    // D(-1) is the complement of the error function (12.7.5). Climbing to negative degrees is unstable right of zero: there
    // the quotients of neighbours are a continued fraction.
    const bool left = z.real < 0;
    const cplx size = z * 0.70710678118654752440;
    cplx before = first, value = c_product(first, erfcx(left ? -size : size));
    // There erfcx would be out of the range long before the product is.
    if (left) value = exp_minus_square(times_i(z * 0.5)) * 2.0 - value;
    value = value * 1.2533141373155002512;
    const double speed = z.real;
    if (speed * speed * degree < 1 || speed < 0) {
        for (int64_t i = 1; i < count; ++i) {
            const cplx next = (before - z * value) * (1 / double(i));
            before = value, value = next;
        }
    } else if (count > 1) {
        const double reach = ::sqrt(degree) + 20 / speed;
        cplx quotient(0.0, 0.0);
        cplx last = quotient;
        for (int64_t i = int64_t(reach * reach) + 2; i >= 2; --i) {
            quotient = divide(cplx(1.0, 0.0), z + quotient * double(i));
            if (i > count) continue;
            if (i == count) last = quotient;
            value = value * quotient;
        }
        before = divide(value, last);
    }
    return ComplexCylinder{value, z * value * 0.5 - before};
}

}  // namespace special
}  // namespace gpuarray
