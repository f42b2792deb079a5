// Complex numbers as user code writes them (`complex<float>`, `thrust::complex<float>`): parts by calling real() and
// imag(), implicit conversions from real numbers and between precisions, operators between all of them. The functions
// are the project's own.
#pragma once

#include "gpuarray/complex_math.cuh"

namespace thrust {

template <class S> struct IsNumber { enum { value = 0 }; };
template <> struct IsNumber<bool> { enum { value = 1 }; };
template <> struct IsNumber<char> { enum { value = 1 }; };
template <> struct IsNumber<signed char> { enum { value = 1 }; };
template <> struct IsNumber<unsigned char> { enum { value = 1 }; };
template <> struct IsNumber<short> { enum { value = 1 }; };
template <> struct IsNumber<unsigned short> { enum { value = 1 }; };
template <> struct IsNumber<int> { enum { value = 1 }; };
template <> struct IsNumber<unsigned> { enum { value = 1 }; };
template <> struct IsNumber<long> { enum { value = 1 }; };
template <> struct IsNumber<unsigned long> { enum { value = 1 }; };
template <> struct IsNumber<long long> { enum { value = 1 }; };
template <> struct IsNumber<unsigned long long> { enum { value = 1 }; };
template <> struct IsNumber<float> { enum { value = 1 }; };
template <> struct IsNumber<double> { enum { value = 1 }; };

// R if S is a number: keeps the operators below from everybody else's types.
template <class S, class R, bool = IsNumber<S>::value> struct IfNumber {};
template <class S, class R> struct IfNumber<S, R, true> { typedef R type; };

template <class V> struct complex {
    typedef V value_type;

    complex() = default;
    GPUARRAY_DEVICE complex(const V& real, const V& imag = V()) : parts{real, imag} {}
    template <class U> GPUARRAY_DEVICE complex(const complex<U>& z) : parts{V(z.real()), V(z.imag())} {}
    GPUARRAY_DEVICE complex(const gpuarray::complex<V>& z) : parts{z.real, z.imag} {}
    GPUARRAY_DEVICE gpuarray::complex<V> ours() const { return gpuarray::complex<V>(parts[0], parts[1]); }

    GPUARRAY_DEVICE V real() const { return parts[0]; }
    GPUARRAY_DEVICE V imag() const { return parts[1]; }
    GPUARRAY_DEVICE void real(V x) { parts[0] = x; }
    GPUARRAY_DEVICE void imag(V x) { parts[1] = x; }

    template <class Z> GPUARRAY_DEVICE complex& operator+=(const Z& z) { return *this = complex(*this + z); }
    template <class Z> GPUARRAY_DEVICE complex& operator-=(const Z& z) { return *this = complex(*this - z); }
    template <class Z> GPUARRAY_DEVICE complex& operator*=(const Z& z) { return *this = complex(*this * z); }
    template <class Z> GPUARRAY_DEVICE complex& operator/=(const Z& z) { return *this = complex(*this / z); }

private:
    V parts[2];
};

template <class A, class B> using Joint = decltype(A() * B());

template <class V> GPUARRAY_DEVICE complex<V> operator+(const complex<V>& z) { return z; }
template <class V> GPUARRAY_DEVICE complex<V> operator-(const complex<V>& z) {
    return complex<V>(-z.real(), -z.imag());
}

#define GPUARRAY_COMPLEX_OPERATOR(OPERATOR, COMPLEX, RIGHT, LEFT)                                                    \
    template <class A, class B>                                                                                      \
    GPUARRAY_DEVICE complex<Joint<A, B>> operator OPERATOR(const complex<A>& x, const complex<B>& y) {               \
        typedef Joint<A, B> V;                                                                                       \
        const complex<V> a(x), b(y);                                                                                 \
        return COMPLEX;                                                                                              \
    }                                                                                                                \
    template <class A, class B>                                                                                      \
    GPUARRAY_DEVICE typename IfNumber<B, complex<Joint<A, B>>>::type operator OPERATOR(const complex<A>& x, B y) {   \
        typedef Joint<A, B> V;                                                                                       \
        const complex<V> a(x);                                                                                       \
        const V b(y);                                                                                                \
        return RIGHT;                                                                                                \
    }                                                                                                                \
    template <class A, class B>                                                                                      \
    GPUARRAY_DEVICE typename IfNumber<A, complex<Joint<A, B>>>::type operator OPERATOR(A x, const complex<B>& y) {   \
        typedef Joint<A, B> V;                                                                                       \
        const V a(x);                                                                                                \
        const complex<V> b(y);                                                                                       \
        return LEFT;                                                                                                 \
    }

GPUARRAY_COMPLEX_OPERATOR(+, complex<V>(a.ours() + b.ours()), complex<V>(a.real() + b, a.imag()),
                          complex<V>(a + b.real(), b.imag()))
GPUARRAY_COMPLEX_OPERATOR(-, complex<V>(a.ours() - b.ours()), complex<V>(a.real() - b, a.imag()),
                          complex<V>(a - b.real(), -b.imag()))
GPUARRAY_COMPLEX_OPERATOR(*, complex<V>(a.ours() * b.ours()), complex<V>(a.real() * b, a.imag() * b),
                          complex<V>(a * b.real(), a * b.imag()))
GPUARRAY_COMPLEX_OPERATOR(/, complex<V>(gpuarray::divide(a.ours(), b.ours())),
                          complex<V>(a.real() / b, a.imag() / b),
                          complex<V>(gpuarray::divide(complex<V>(a).ours(), b.ours())))

#undef GPUARRAY_COMPLEX_OPERATOR

#define GPUARRAY_COMPLEX_COMPARISON(OPERATOR)                                                                        \
    template <class A, class B> GPUARRAY_DEVICE bool operator OPERATOR(const complex<A>& x, const complex<B>& y) {   \
        typedef Joint<A, B> V;                                                                                       \
        return complex<V>(x).ours() OPERATOR complex<V>(y).ours();                                                   \
    }                                                                                                                \
    template <class A, class B>                                                                                      \
    GPUARRAY_DEVICE typename IfNumber<B, bool>::type operator OPERATOR(const complex<A>& x, B y) {                   \
        return x OPERATOR complex<Joint<A, B>>(y);                                                                   \
    }                                                                                                                \
    template <class A, class B>                                                                                      \
    GPUARRAY_DEVICE typename IfNumber<A, bool>::type operator OPERATOR(A x, const complex<B>& y) {                   \
        return complex<Joint<A, B>>(x) OPERATOR y;                                                                   \
    }

GPUARRAY_COMPLEX_COMPARISON(==)
GPUARRAY_COMPLEX_COMPARISON(!=)
GPUARRAY_COMPLEX_COMPARISON(<)
GPUARRAY_COMPLEX_COMPARISON(<=)
GPUARRAY_COMPLEX_COMPARISON(>)
GPUARRAY_COMPLEX_COMPARISON(>=)

#undef GPUARRAY_COMPLEX_COMPARISON

template <class V> GPUARRAY_DEVICE V real(const complex<V>& z) { return z.real(); }
template <class V> GPUARRAY_DEVICE V imag(const complex<V>& z) { return z.imag(); }
template <class V> GPUARRAY_DEVICE V abs(const complex<V>& z) { return ::hypot(z.real(), z.imag()); }
template <class V> GPUARRAY_DEVICE V arg(const complex<V>& z) { return ::atan2(z.imag(), z.real()); }
template <class V> GPUARRAY_DEVICE V norm(const complex<V>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class V> GPUARRAY_DEVICE complex<V> conj(const complex<V>& z) { return complex<V>(z.real(), -z.imag()); }
template <class V> GPUARRAY_DEVICE complex<V> polar(const V& magnitude, const V& angle = V()) {
    return complex<V>(magnitude * ::cos(angle), magnitude * ::sin(angle));
}
template <class V> GPUARRAY_DEVICE bool isnan(const complex<V>& z) { return gpuarray::isnan(z.ours()); }
template <class V> GPUARRAY_DEVICE bool isinf(const complex<V>& z) { return gpuarray::isinf(z.ours()); }
template <class V> GPUARRAY_DEVICE bool isfinite(const complex<V>& z) { return gpuarray::isfinite(z.ours()); }

#define GPUARRAY_COMPLEX_FUNCTION(NAME) \
    template <class V> GPUARRAY_DEVICE complex<V> NAME(const complex<V>& z) { return gpuarray::NAME(z.ours()); }

GPUARRAY_COMPLEX_FUNCTION(exp)
GPUARRAY_COMPLEX_FUNCTION(log)
GPUARRAY_COMPLEX_FUNCTION(log10)
GPUARRAY_COMPLEX_FUNCTION(log2)
GPUARRAY_COMPLEX_FUNCTION(sqrt)
GPUARRAY_COMPLEX_FUNCTION(sin)
GPUARRAY_COMPLEX_FUNCTION(cos)
GPUARRAY_COMPLEX_FUNCTION(tan)
GPUARRAY_COMPLEX_FUNCTION(asin)
GPUARRAY_COMPLEX_FUNCTION(acos)
GPUARRAY_COMPLEX_FUNCTION(atan)
GPUARRAY_COMPLEX_FUNCTION(sinh)
GPUARRAY_COMPLEX_FUNCTION(cosh)
GPUARRAY_COMPLEX_FUNCTION(tanh)
GPUARRAY_COMPLEX_FUNCTION(asinh)
GPUARRAY_COMPLEX_FUNCTION(acosh)
GPUARRAY_COMPLEX_FUNCTION(atanh)
GPUARRAY_COMPLEX_FUNCTION(expm1)
GPUARRAY_COMPLEX_FUNCTION(log1p)

#undef GPUARRAY_COMPLEX_FUNCTION

template <class A, class B> GPUARRAY_DEVICE complex<Joint<A, B>> pow(const complex<A>& x, const complex<B>& y) {
    typedef Joint<A, B> V;
    return gpuarray::power(complex<V>(x).ours(), complex<V>(y).ours());
}
template <class A, class B>
GPUARRAY_DEVICE typename IfNumber<B, complex<Joint<A, B>>>::type pow(const complex<A>& x, B y) {
    return pow(x, complex<Joint<A, B>>(y));
}
template <class A, class B>
GPUARRAY_DEVICE typename IfNumber<A, complex<Joint<A, B>>>::type pow(A x, const complex<B>& y) {
    return pow(complex<Joint<A, B>>(x), y);
}

}  // namespace thrust

using thrust::abs;
using thrust::arg;
using thrust::complex;
using thrust::conj;
using thrust::imag;
using thrust::norm;
using thrust::polar;
using thrust::real;

GPUARRAY_DEVICE void atomicAdd(complex<float>* address, complex<float> value) {
    float* const parts = reinterpret_cast<float*>(address);
    ::atomicAdd(parts, value.real());
    ::atomicAdd(parts + 1, value.imag());
}
GPUARRAY_DEVICE void atomicAdd(complex<double>* address, complex<double> value) {
    double* const parts = reinterpret_cast<double*>(address);
    ::atomicAdd(parts, value.real());
    ::atomicAdd(parts + 1, value.imag());
}
