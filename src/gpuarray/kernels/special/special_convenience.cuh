// Functions of angles in degrees: reduced in degrees, where that is exact.
#pragma once

#include "gpuarray/special_dd.cuh"
#include "gpuarray/special_double_fits.cuh"
#include "gpuarray/special_single.cuh"

namespace gpuarray {
namespace special {
namespace degrees {

// Beyond this SciPy says that all digits are lost.
template <class T> GPUARRAY_DEVICE bool is_lost(T x) { return ::fabs(x) > T(1e14); }

GPUARRAY_CALLED double turns_off(double x) { return ::fmod(x, 360.0); }
GPUARRAY_CALLED float turns_off(float x) { return ::fmodf(x, 360.0f); }

// Sine and cosine of at most an eighth of a turn.
GPUARRAY_DEVICE void sides(double x, double& sine, double& cosine) {
    const double square = x * x, first = 0.017453292519943295;
    // pi / 180 has two parts.
    sine = ::fma(x, first, x * ::fma(square, fit_sine_degrees_wide(square), 2.9486522708701687e-19));
    cosine = ::fma(square, fit_cosine_degrees_wide(square), 1.0);
}
GPUARRAY_DEVICE void sides(float x, float& sine, float& cosine) {
    const float square = x * x, first = 0.0174532924f;
    sine = ::fmaf(x, first, x * ::fmaf(square, fit_sine_degrees(square), 1.21679183e-10f));
    cosine = ::fmaf(square, fit_cosine_degrees(square), 1.0f);
}

// An angle as right angles and what is left of it; sine and cosine of that.
template <class T> struct Angle {
    int quarters;
    T rest, sine, cosine;

    GPUARRAY_DEVICE explicit Angle(T x) {
        if (::fabs(x) > T(1e6)) x = turns_off(x);
        const T turns = ::rint(x * T(0.011111111111111112));
        quarters = int(turns);
        rest = ::fma(turns, T(-90), x);
        sides(rest, sine, cosine);
    }
    GPUARRAY_DEVICE explicit Angle(dd x) {
        const double turns = ::rint(x.hi * 0.011111111111111112);
        quarters = int(turns);
        rest = ::fma(turns, -90.0, x.hi) + x.lo;
        sides(rest, sine, cosine);
    }
    GPUARRAY_DEVICE T sine_after(int more) const {
        const int count = quarters + more;
        const T value = count & 1 ? cosine : sine;
        return count & 2 ? -value : value;
    }
    GPUARRAY_DEVICE T tangent(bool inverse) const {
        const bool turned = bool(quarters & 1) != inverse;
        if (turned && rest == 0) return T(infinity());
        if (::fabs(rest) == 45) return turned == inverse ? ::copysign(T(1), rest) : ::copysign(T(1), -rest);
        const T value = turned ? cosine / sine : sine / cosine;
        return turned == inverse ? value : -value;
    }
};

}  // namespace degrees

template <class T> GPUARRAY_DEVICE T sindg(T x) {
    return degrees::is_lost(x) ? T(0) : degrees::Angle<T>(x).sine_after(0);
}
template <class T> GPUARRAY_DEVICE T cosdg(T x) {
    return degrees::is_lost(x) ? T(0) : degrees::Angle<T>(x).sine_after(1);
}
template <class T> GPUARRAY_DEVICE T tandg(T x) {
    return degrees::is_lost(x) ? T(0) : degrees::Angle<T>(x).tangent(false);
}
template <class T> GPUARRAY_DEVICE T cotdg(T x) {
    return degrees::is_lost(x) ? T(0) : degrees::Angle<T>(x).tangent(true);
}

// Degrees, minutes and seconds in radians.
GPUARRAY_DEVICE double radian(double degrees, double minutes, double seconds) {
    return ((degrees * 60.0 + minutes) * 60.0 + seconds) * 4.8481368110953599e-6;
}

}  // namespace special
}  // namespace gpuarray
