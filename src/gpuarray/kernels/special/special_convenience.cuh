// Functions of angles in degrees: reduced in degrees, where that is exact.
#pragma once

#include "gpuarray/special_elementary_single.cuh"

namespace gpuarray {
namespace special {
namespace degrees {

// Beyond this SciPy says that all digits are lost.
GPUARRAY_DEVICE bool is_lost(double x) { return ::fabs(x) > 1e14; }

// The sine of 0 to 45 degrees, or the cosine.
GPUARRAY_DEVICE double of_eighth(double x, bool cosine) { return cosine ? ::cospi(x / 180.0) : ::sinpi(x / 180.0); }

// The sine of an angle of 0 to 360 degrees, or the cosine.
GPUARRAY_CALLED double of_turn(double x, bool cosine) {
    bool negative = false;
    if (x >= 180.0) {
        x -= 180.0;
        negative = true;
    }
    if (x >= 90.0) {
        x -= 90.0;
        negative ^= cosine;
        cosine = !cosine;
    }
    const double value = x > 45.0 ? of_eighth(90.0 - x, !cosine) : of_eighth(x, cosine);
    return negative ? -value : value;
}

// The tangent of 0 to 180 degrees, or its inverse, which takes the exact ones at the eighths.
GPUARRAY_CALLED double tangent(double x, bool inverse) {
    bool negative = false;
    if (x > 90.0) {
        x = 180.0 - x;
        negative = true;
    }
    double value;
    if (x == 45.0) {
        value = 1.0;
    } else {
        const double sine = of_turn(x, false), cosine = of_turn(x, true);
        if ((inverse ? sine : cosine) == 0.0) return infinity();
        value = inverse ? cosine / sine : sine / cosine;
    }
    return negative ? -value : value;
}

}  // namespace degrees

GPUARRAY_CALLED double sindg(double x) {
    if (degrees::is_lost(x)) return 0.0;
    const double value = degrees::of_turn(::fmod(::fabs(x), 360.0), false);
    return x < 0 ? -value : value;
}
GPUARRAY_CALLED double cosdg(double x) {
    if (degrees::is_lost(x)) return 0.0;
    return degrees::of_turn(::fmod(::fabs(x), 360.0), true);
}
GPUARRAY_CALLED double tandg(double x) {
    if (degrees::is_lost(x)) return 0.0;
    const double value = degrees::tangent(::fmod(::fabs(x), 180.0), false);
    return x < 0 && value != infinity() ? -value : value;
}
GPUARRAY_CALLED double cotdg(double x) {
    if (degrees::is_lost(x)) return 0.0;
    const double value = degrees::tangent(::fmod(::fabs(x), 180.0), true);
    return x < 0 && value != infinity() ? -value : value;
}

// Degrees, minutes and seconds in radians.
GPUARRAY_DEVICE double radian(double degrees, double minutes, double seconds) {
    return ((degrees * 60.0 + minutes) * 60.0 + seconds) * 4.8481368110953599e-6;
}

}  // namespace special
}  // namespace gpuarray
