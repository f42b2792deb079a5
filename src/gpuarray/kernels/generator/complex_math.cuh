// Elementary functions of complex numbers with the special values of C99's Annex G. V is float or double.
//
// The inverse functions follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine
// functions using exception handling" (1997), as FreeBSD's libm and NumPy's own fallback do.
#pragma once

#include "gpuarray/complex.cuh"

namespace gpuarray {

template <class V> struct Limits;
template <> struct Limits<float> {
    GPUARRAY_DEVICE static float epsilon() { return 1.1920929e-7f; }
    GPUARRAY_DEVICE static float sqrt_min() { return 1.0842022e-19f; }
    GPUARRAY_DEVICE static float huge() { return 1e38f; }         // squares and sums of these overflow
    GPUARRAY_DEVICE static float tiny() { return 1e-31f; }        // relative precision is lost near here
    GPUARRAY_DEVICE static float exponent() { return 88.0f; }     // exp does not overflow
    GPUARRAY_DEVICE static float saturated() { return 11.0f; }    // tanh is 1
    GPUARRAY_DEVICE static float infinity() { return float_from_bits(0x7f800000u); }
    GPUARRAY_DEVICE static float nan() { return float_from_bits(0x7fc00000u); }
};
template <> struct Limits<double> {
    GPUARRAY_DEVICE static double epsilon() { return 2.220446049250313e-16; }
    GPUARRAY_DEVICE static double sqrt_min() { return 1.4916681462400413e-154; }
    GPUARRAY_DEVICE static double huge() { return 4e307; }
    GPUARRAY_DEVICE static double tiny() { return 1e-292; }
    GPUARRAY_DEVICE static double exponent() { return 709.0; }
    GPUARRAY_DEVICE static double saturated() { return 22.0; }
    GPUARRAY_DEVICE static double infinity() { return float_from_bits(uint64_t(0x7ff0000000000000ull)); }
    GPUARRAY_DEVICE static double nan() { return float_from_bits(uint64_t(0x7ff8000000000000ull)); }
};

template <class V> struct Constants {
    GPUARRAY_DEVICE static V ln2() { return V(0.693147180559945309417232121458176568); }
    GPUARRAY_DEVICE static V log2e() { return V(1.442695040888963407359924681001892137); }
    GPUARRAY_DEVICE static V log10e() { return V(0.434294481903251827651128918916605082); }
    GPUARRAY_DEVICE static V half_pi() { return V(1.570796326794896619231321691639751442); }
};

// x*x + y*y - 1 for x >= y, |z| near 1, without cancellation.
GPUARRAY_DEVICE float square_sum_minus_one(float x, float y) {
    const double wide_x = x, wide_y = y;
    return float((wide_x - 1) * (wide_x + 1) + wide_y * wide_y);
}
GPUARRAY_DEVICE double square_sum_minus_one(double x, double y) {
    const double xx = x * x, yy = y * y;
    const double low = ::fma(x, x, -xx) + ::fma(y, y, -yy);
    const double high = xx - 1;  // exact: xx lies between a half and two
    const double sum = high + yy, part = sum - high;
    return sum + ((high - (sum - part)) + (yy - part) + low);
}

template <class V> GPUARRAY_DEVICE V log_magnitude(V x, V y) {
    x = ::fabs(x);
    y = ::fabs(y);
    const V larger = x > y ? x : y, smaller = x > y ? y : x;
    if (larger > V(0.708) && larger < V(1.414) && smaller < V(1.414)) {
        const V excess = square_sum_minus_one(larger, smaller);
        if (excess < V(1)) return ::log1p(excess) / 2;
    }
    if (larger > Limits<V>::huge() && !isinf(larger)) return ::log(::hypot(x / 4, y / 4)) + 2 * Constants<V>::ln2();
    if (larger < Limits<V>::tiny() && larger > 0) {
        const V scale = V(1) / Limits<V>::epsilon();
        return ::log(::hypot(x * scale, y * scale)) + ::log(Limits<V>::epsilon());
    }
    return ::log(::hypot(x, y));
}

template <class V> GPUARRAY_DEVICE complex<V> log(complex<V> z) {
    return complex<V>(log_magnitude(z.real, z.imag), ::atan2(z.imag, z.real));
}
template <class V> GPUARRAY_DEVICE complex<V> log2(complex<V> z) { return log(z) * Constants<V>::log2e(); }
template <class V> GPUARRAY_DEVICE complex<V> log10(complex<V> z) { return log(z) * Constants<V>::log10e(); }
template <class V> GPUARRAY_DEVICE complex<V> log1p(complex<V> z) {
    const V x = z.real, y = z.imag, angle = ::atan2(y, x + 1);
    if (::fabs(x) < V(0.5) && ::fabs(y) < V(0.5)) {
        // |1 + z|^2 - 1; the logarithm of a rounded magnitude would have no correct digit for small z.
        const V square = y * y, sum = ::fma(x, x, 2 * x);
        return complex<V>(::log1p(sum + square + ::fma(y, y, -square)) / 2, angle);
    }
    return complex<V>(log_magnitude(x + 1, y), angle);
}

// exp(x) * factor where exp(x) alone may overflow.
template <class V> GPUARRAY_DEVICE V scaled_exp(V x, V factor) {
    if (x <= Limits<V>::exponent()) return ::exp(x) * factor;
    const V half = ::exp(x / 2);
    return half * factor * half;
}

template <class V> GPUARRAY_DEVICE complex<V> exp(complex<V> z) {
    const V x = z.real, y = z.imag;
    if (y == 0) return complex<V>(::exp(x), y);
    if (isinf(x) && !isfinite(y)) return x < 0 ? complex<V>(0, ::copysign(V(0), y)) : complex<V>(x, Limits<V>::nan());
    V sine, cosine;
    ::sincos(y, &sine, &cosine);
    return complex<V>(scaled_exp(x, cosine), scaled_exp(x, sine));
}
template <class V> GPUARRAY_DEVICE complex<V> exp2(complex<V> z) { return exp(z * Constants<V>::ln2()); }
template <class V> GPUARRAY_DEVICE complex<V> expm1(complex<V> z) {
    const V x = z.real, y = z.imag;
    // What is multiplied by an infinity, or by zero, must not make NaN of the other part. The real part of a zero is +0,
    // as the array API standard has it.
    if (y == 0) return complex<V>(x == 0 ? V(0) : ::expm1(x), y);
    if (isinf(x) && x < 0) return complex<V>(-1, isfinite(y) ? ::copysign(V(0), ::sin(y)) : V(0));
    if (isinf(x) && !isfinite(y)) return complex<V>(x, Limits<V>::nan());
    const V half = ::sin(y / 2);
    return complex<V>(::expm1(x) * ::cos(y) - 2 * half * half, ::exp(x) * ::sin(y));
}

template <class V> GPUARRAY_DEVICE complex<V> sqrt(complex<V> z) {
    V x = z.real, y = z.imag;
    if (x == 0 && y == 0) return complex<V>(0, y);
    if (isinf(y)) return complex<V>(Limits<V>::infinity(), y);
    if (isnan(x)) return complex<V>(x, Limits<V>::nan());
    if (isinf(x)) {
        return x < 0 ? complex<V>(::fabs(y - y), ::copysign(x, y)) : complex<V>(x, ::copysign(y - y, y));
    }
    V scale = 1;
    const V larger = ::fmax(::fabs(x), ::fabs(y));
    if (larger > Limits<V>::huge()) {
        x /= 4;
        y /= 4;
        scale = 2;
    } else if (larger < Limits<V>::tiny()) {
        // A power of four large enough to leave the subnormal range.
        x *= V(18014398509481984.0);
        y *= V(18014398509481984.0);
        scale = V(7.450580596923828e-09);
    }
    const V root = ::sqrt((::fabs(x) + ::hypot(x, y)) / 2);
    if (x >= 0) return complex<V>(root * scale, y / (2 * root) * scale);
    return complex<V>(::fabs(y) / (2 * root) * scale, ::copysign(root, y) * scale);
}

template <class V> GPUARRAY_DEVICE complex<V> sinh(complex<V> z) {
    const V x = z.real, y = z.imag;
    if (y == 0) return complex<V>(::sinh(x), y);
    if (!isfinite(y)) {
        if (x == 0) return complex<V>(x, Limits<V>::nan());
        // The sign of the infinity is unspecified; this is glibc's.
        if (isinf(x)) return complex<V>(::fabs(x), Limits<V>::nan());
    }
    V sine, cosine;
    ::sincos(y, &sine, &cosine);
    if (::fabs(x) > Limits<V>::exponent()) {
        const V size = ::fabs(x);
        return complex<V>(::copysign(V(1), x) * scaled_exp(size, cosine / 2), scaled_exp(size, sine / 2));
    }
    return complex<V>(::sinh(x) * cosine, ::cosh(x) * sine);
}

template <class V> GPUARRAY_DEVICE complex<V> cosh(complex<V> z) {
    const V x = z.real, y = z.imag;
    if (y == 0) return complex<V>(::cosh(x), isnan(x) ? y : ::copysign(V(0), x) * ::copysign(V(1), y));
    if (!isfinite(y)) {
        if (x == 0) return complex<V>(Limits<V>::nan(), x);
        if (isinf(x)) return complex<V>(Limits<V>::infinity(), Limits<V>::nan());
    }
    V sine, cosine;
    ::sincos(y, &sine, &cosine);
    if (::fabs(x) > Limits<V>::exponent()) {
        const V size = ::fabs(x);
        return complex<V>(scaled_exp(size, cosine / 2), ::copysign(V(1), x) * scaled_exp(size, sine / 2));
    }
    return complex<V>(::cosh(x) * cosine, ::sinh(x) * sine);
}

// Kahan's formula: it has no cancellation and no overflow.
template <class V> GPUARRAY_DEVICE complex<V> tanh(complex<V> z) {
    const V x = z.real, y = z.imag;
    if (isnan(x)) return complex<V>(x, y == 0 ? y : x);
    // The sign of the imaginary part is the array API standard's; C's is that of sin(2 y).
    if (isinf(x)) return complex<V>(::copysign(V(1), x), ::copysign(V(0), y));
    if (!isfinite(y)) return complex<V>(x == 0 ? x : Limits<V>::nan(), Limits<V>::nan());
    if (::fabs(x) >= Limits<V>::saturated()) {
        const V decay = ::exp(-::fabs(x));
        return complex<V>(::copysign(V(1), x), 4 * ::sin(y) * ::cos(y) * decay * decay);
    }
    const V tangent = ::tan(y), beta = 1 + tangent * tangent;
    const V sine = ::sinh(x), rho = ::sqrt(1 + sine * sine), divisor = 1 + beta * sine * sine;
    return complex<V>(beta * rho * sine / divisor, tangent / divisor);
}

// f(z) = -i g(i z), and cos(z) = cosh(i z)
template <class V> GPUARRAY_DEVICE complex<V> turn(complex<V> z) { return complex<V>(-z.imag, z.real); }
template <class V> GPUARRAY_DEVICE complex<V> turn_back(complex<V> z) { return complex<V>(z.imag, -z.real); }
template <class V> GPUARRAY_DEVICE complex<V> sin(complex<V> z) {
    if (isinf(z.imag) && !isfinite(z.real)) return complex<V>(Limits<V>::nan(), ::fabs(z.imag));
    return turn_back(sinh(turn(z)));
}
template <class V> GPUARRAY_DEVICE complex<V> cos(complex<V> z) { return cosh(turn(z)); }
template <class V> GPUARRAY_DEVICE complex<V> tan(complex<V> z) { return turn_back(tanh(turn(z))); }

template <class V> GPUARRAY_DEVICE complex<V> sinc(complex<V> z) {
    const complex<V> angle = z * V(3.141592653589793238462643383279502884);
    return angle.real == 0 && angle.imag == 0 ? complex<V>(1, 0) : divide(sin(angle), angle);
}

// (hypot(a, b) - b) / 2 without cancellation
template <class V> GPUARRAY_DEVICE V half_excess(V a, V b, V hypotenuse) {
    if (b < 0) return (hypotenuse - b) / 2;
    return b == 0 ? a / 2 : a * a / (hypotenuse + b) / 2;
}

// For x, y >= 0: the real part of arcsinh(x + iy), and its imaginary part as the angle of (cosine, sine).
template <class V> struct HullFairgrieveTang {
    V real, sine, cosine;

    GPUARRAY_DEVICE HullFairgrieveTang(V x, V y) {
        const V epsilon = Limits<V>::epsilon();
        const V r = ::hypot(x, y + 1), s = ::hypot(x, y - 1);
        const V a = ::fmax((r + s) / 2, V(1));
        const V gap = ::fabs(y - 1);
        if (a >= 10) {
            real = ::log(a + ::sqrt(a * a - 1));
        } else if (y == 1 && x < epsilon * epsilon / 128) {
            real = ::sqrt(x);
        } else if (x >= epsilon * gap) {
            const V excess = half_excess(x, 1 + y, r) + half_excess(x, 1 - y, s);
            real = ::log1p(excess + ::sqrt(excess * (a + 1)));
        } else if (y < 1) {
            real = x / ::sqrt((1 - y) * (1 + y));
        } else {
            real = ::log1p((y - 1) + ::sqrt((y - 1) * (y + 1)));
        }
        sine = y;
        if (y < 4 * Limits<V>::sqrt_min()) {
            cosine = a;
        } else if (y / a <= V(0.6417)) {
            // sqrt(a*a - y*y) is far from cancelling.
            cosine = ::sqrt((a - y) * (a + y));
        } else if (y == 1 && x < epsilon / 128) {
            cosine = ::sqrt(x) * ::sqrt((a + y) / 2);
        } else if (x >= epsilon * gap) {
            const V excess = half_excess(x, y + 1, r) + half_excess(x, y - 1, s);
            cosine = ::sqrt(excess * (a + y));
        } else if (y > 1) {
            const V scale = 4 / epsilon / epsilon;
            cosine = x * scale * y / ::sqrt((y + 1) * (y - 1));
            sine = y * scale;
        } else {
            cosine = ::sqrt((1 - y) * (1 + y));
        }
    }
};

template <class V> GPUARRAY_DEVICE bool is_large(complex<V> z) {
    return ::fabs(z.real) > 1 / Limits<V>::epsilon() || ::fabs(z.imag) > 1 / Limits<V>::epsilon();
}
template <class V> GPUARRAY_DEVICE bool is_small(complex<V> z) {
    // sqrt(6 epsilon) / 4, below which the next term of the series vanishes
    const V bound = ::sqrt(6 * Limits<V>::epsilon()) / 4;
    return ::fabs(z.real) < bound && ::fabs(z.imag) < bound;
}

template <class V> GPUARRAY_DEVICE complex<V> asinh(complex<V> z) {
    const V x = z.real, y = z.imag;
    if (isnan(z)) {
        if (isinf(x)) return complex<V>(x, y + y);
        if (isinf(y)) return complex<V>(::fabs(y), x + x);
        return complex<V>(Limits<V>::nan(), y == 0 ? y : Limits<V>::nan());
    }
    if (is_small(z)) return z;
    V real, imag;
    if (is_large(z)) {
        real = log_magnitude(x, y) + Constants<V>::ln2();
        imag = ::atan2(::fabs(y), ::fabs(x));
    } else {
        const HullFairgrieveTang<V> parts(::fabs(x), ::fabs(y));
        real = parts.real;
        imag = ::atan2(parts.sine, parts.cosine);
    }
    return complex<V>(::copysign(real, x), ::copysign(imag, y));
}

template <class V> GPUARRAY_DEVICE complex<V> acos(complex<V> z) {
    const V x = z.real, y = z.imag;
    if (isnan(z)) {
        if (isinf(x)) return complex<V>(y + y, -Limits<V>::infinity());
        if (isinf(y)) return complex<V>(x + x, -y);
        if (x == 0) return complex<V>(Constants<V>::half_pi(), y + y);
        return complex<V>(Limits<V>::nan(), Limits<V>::nan());
    }
    if (x == 1 && y == 0) return complex<V>(0, -y);
    if (is_small(z)) return complex<V>(Constants<V>::half_pi() - x, -y);
    V real, imag;
    if (is_large(z)) {
        real = ::fabs(::atan2(y, x));
        imag = log_magnitude(x, y) + Constants<V>::ln2();
    } else {
        const HullFairgrieveTang<V> parts(::fabs(y), ::fabs(x));
        real = ::atan2(parts.cosine, ::copysign(parts.sine, x));
        imag = parts.real;
    }
    return complex<V>(real, signbit(y) ? imag : -imag);
}

template <class V> GPUARRAY_DEVICE complex<V> acosh(complex<V> z) {
    const complex<V> w = acos(z);
    if (isnan(w.real)) return isnan(w.imag) ? w : complex<V>(::fabs(w.imag), w.real);
    if (isnan(w.imag)) return complex<V>(w.imag, w.real);
    return complex<V>(::fabs(w.imag), ::copysign(w.real, z.imag));
}

template <class V> GPUARRAY_DEVICE complex<V> atanh(complex<V> z) {
    const V x = z.real, y = z.imag, ax = ::fabs(x), ay = ::fabs(y), epsilon = Limits<V>::epsilon();
    if (y == 0 && ax <= 1) return complex<V>(::atanh(x), y);
    if (x == 0) return complex<V>(x, ::atan(y));
    if (isnan(z)) {
        if (isinf(x)) return complex<V>(::copysign(V(0), x), y + y);
        if (isinf(y)) return complex<V>(::copysign(V(0), x), ::copysign(Constants<V>::half_pi(), y));
        return complex<V>(Limits<V>::nan(), Limits<V>::nan());
    }
    if (is_large(z)) {
        // The real part of 1/z
        V real = 0;
        if (!isinf(z)) {
            const V larger = ::fmax(ax, ay), u = ax / larger, v = ay / larger;
            real = u / (u * u + v * v) / larger;
        }
        return complex<V>(::copysign(real, x), ::copysign(Constants<V>::half_pi(), y));
    }
    if (is_small(z)) return z;
    V real, imag;
    if (ax == 1 && ay < epsilon) {
        real = (Constants<V>::ln2() - ::log(ay)) / 2;
    } else {
        const V squares = (ax - 1) * (ax - 1) + (ay < Limits<V>::sqrt_min() ? V(0) : ay * ay);
        real = ::log1p(4 * ax / squares) / 4;
    }
    if (ax == 1) {
        imag = ::atan2(V(2), -ay) / 2;
    } else if (ay < epsilon) {
        imag = ::atan2(2 * ay, (1 - ax) * (1 + ax)) / 2;
    } else {
        imag = ::atan2(2 * ay, (1 - ax) * (1 + ax) - ay * ay) / 2;
    }
    return complex<V>(::copysign(real, x), ::copysign(imag, y));
}

// g(z) = -i f(i z) with the parts swapped: both functions are odd and commute with conjugation.
template <class V> GPUARRAY_DEVICE complex<V> asin(complex<V> z) {
    const complex<V> w = asinh(complex<V>(z.imag, z.real));
    return complex<V>(w.imag, w.real);
}
template <class V> GPUARRAY_DEVICE complex<V> atan(complex<V> z) {
    const complex<V> w = atanh(complex<V>(z.imag, z.real));
    return complex<V>(w.imag, w.real);
}

// C's product, which unlike NumPy's multiply recovers infinities from the NaN that they meet (Annex G.5.1).
template <class V> GPUARRAY_DEVICE complex<V> c_product(complex<V> a, complex<V> b) {
    const complex<V> product = a * b;
    if (!isnan(product.real) || !isnan(product.imag) || !(isinf(a) || isinf(b))) return product;
    // An infinite factor becomes its direction, NaN beside it a zero.
    const auto direction = [](complex<V> z) {
        const bool infinite = isinf(z);
        const V real = infinite ? (isinf(z.real) ? V(1) : V(0)) : isnan(z.real) ? V(0) : z.real;
        const V imag = infinite ? (isinf(z.imag) ? V(1) : V(0)) : isnan(z.imag) ? V(0) : z.imag;
        return complex<V>(::copysign(real, z.real), ::copysign(imag, z.imag));
    };
    return direction(a) * direction(b) * Limits<V>::infinity();
}

// NumPy's npy_cpow: small integer exponents by multiplication, all others through the logarithm.
template <class V> GPUARRAY_DEVICE complex<V> power(complex<V> a, complex<V> b) {
    if (b.real == 0 && b.imag == 0) return complex<V>(1, 0);
    if (a.real == 0 && a.imag == 0) {
        if (b.real > 0) return complex<V>(0, 0);
        return complex<V>(Limits<V>::nan(), Limits<V>::nan());
    }
    if (b.imag == 0 && ::fabs(b.real) < 100 && b.real == ::trunc(b.real)) {
        int rest = int(::fabs(b.real));
        complex<V> result(1, 0), factor = a;
        if (b.real == 1) return a;
        if (b.real == 2) return a * a;
        if (b.real == 3) return a * (a * a);
#pragma unroll 1
        while (true) {
            if (rest & 1) result = result * factor;
            rest >>= 1;
            if (rest == 0) break;
            factor = factor * factor;
        }
        return b.real < 0 ? divide(complex<V>(1, 0), result) : result;
    }
    return exp(c_product(b, log(a)));
}

}  // namespace gpuarray
