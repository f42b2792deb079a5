// Sums of Chebyshev series.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {

// Clenshaw's recurrence for a series whose first coefficient counts in full; t in [-1, 1].
GPUARRAY_CALLED double chebyshev_series(const double* coefficients, int count, double t) {
    double last = 0, previous = 0;
    for (int k = count - 1; k > 0; --k) {
        const double next = ::fma(2 * t, last, coefficients[k] - previous);
        previous = last;
        last = next;
    }
    return ::fma(t, last, coefficients[0] - previous);
}
template <int N> GPUARRAY_DEVICE double chebyshev(const double (&coefficients)[N], double t) {
    return chebyshev_series(coefficients, N, t);
}

}  // namespace special
}  // namespace gpuarray
