// The incomplete gamma functions P and Q, their inverses, and the inverse in the parameter.
//
// W. Gautschi, "A computational procedure for incomplete gamma functions" (1979): power series, and Legendre's
// continued fraction; N. M. Temme, "The asymptotic expansion of the incomplete gamma functions" (1979) for large
// parameters near the transition (DLMF 8.12). The factor x^a exp(-x) / gamma(a + 1) is the exponential of two doubles.
#pragma once

#include "gpuarray/special_gamma.cuh"
#include "gpuarray/special_roots.cuh"

namespace gpuarray {
namespace special {

// 26 - 2k coefficients of row k, one row behind the other.
__constant__ double temme_coefficients[] = {
    -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073, 0.0003527336860670194,
    -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06, -1.85406221071516e-06,
    8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09, 1.0261809784240309e-08,
    -4.382036018453353e-09, 9.14769958223679e-10, -2.5514193994946248e-11, -5.830772132550426e-11,
    2.4361948020667415e-11, -5.0276692801141755e-12, 1.1004392031956135e-13, 3.371763262400985e-13,
    -1.392388722418162e-13, 2.8534893807047445e-14, -5.139111834242572e-16, -1.9752288294349442e-15,
    8.099521156704561e-16, -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454,
    -0.0009902263374485596, 0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05,
    7.64916091608111e-06, -1.6120900894563446e-06, 4.647127802807434e-09, 1.378633446915721e-07,
    -5.752545603517705e-08, 1.1951628599778148e-08, -1.7543241719747647e-11, -1.0091543710600413e-09,
    4.162792991842583e-10, -8.56390702649298e-11, 6.067215101604758e-14, 7.1624989648114856e-12,
    -2.933186643771437e-12, 5.996696365683689e-13, -2.1671786527323313e-16, -4.978339972369262e-14,
    2.0291628823713425e-14, 0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049,
    2.0093878600823047e-06, -0.0001073665322636516, 5.2923448829120125e-05, -1.2760635188618728e-05,
    3.423578734096138e-08, 1.3721957309062934e-06, -6.298992138380055e-07, 1.4280614206064242e-07,
    -2.0477098421990866e-10, -1.409252991086752e-08, 6.228974084922022e-09, -1.3670488396617114e-09,
    9.428356159014678e-13, 1.2872252400089318e-10, -5.5645956134363323e-11, 1.197593554636698e-11,
    -4.1689782251838634e-15, -1.0940640427884595e-12, 4.662239946390136e-13, 0.0006494341563786008,
    0.00022947209362139917, -0.0004691894943952557, 0.00026772063206283885, -7.561801671883977e-05,
    -2.396505113867297e-07, 1.1082654115347302e-05, -5.6749528269915965e-06, 1.4230900732435883e-06,
    -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08, -1.9111168485973655e-08,
    2.3928620439808118e-12, 2.0620131815488797e-09, -9.460496661855133e-10, 2.1541049775774907e-10,
    -1.388823336813903e-14, -2.1894761681963938e-11, 9.790998951171684e-12, -0.0008618882909167117,
    0.0007840392217200666, -0.0002990724803031902, -1.4638452578843418e-06, 6.641498215465122e-05,
    -3.968365047179435e-05, 1.1375726970678419e-05, 2.507497226237533e-10, -1.6954149536558305e-06,
    8.907507532205309e-07, -2.292934834000805e-07, 2.956794137544049e-11, 2.8865829742708783e-08,
    -1.4189739437803219e-08, 3.4463580499464896e-09, -2.3024517174528067e-13, -3.9409233028046403e-10,
    1.86023389685045e-10, -0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392,
    -0.00019932570516188847, 6.797780477937208e-05, 1.419062920643967e-07, -1.3594048189768693e-05,
    8.018470256334202e-06, -2.291481176508095e-06, -3.252473551298454e-10, 3.4652846491085265e-07,
    -1.8447187191171344e-07, 4.8240967037894184e-08, -1.7989466721743514e-14, -6.306194500013523e-09,
    3.162417628774568e-09, 0.0005313079364639922, -0.0005921664373536939, 0.0002708782096718045,
    7.902353232660328e-07, -8.153969367561969e-05, 5.61168275310625e-05, -1.8329116582843375e-05,
    -3.0796134506033047e-09, 3.465155368803609e-06, -2.0291327396058603e-06, 5.788792863149004e-07,
    2.338630673826657e-13, -8.828600746330484e-08, 4.7435958880408125e-08, 0.00034436760689237765,
    5.171790908260592e-05, -0.00033493161081142234, 0.0002812695154763237, -0.00010976582244684731,
    -1.2741009095484485e-07, 2.7744451511563645e-05, -1.8263488805711332e-05, 5.7876949497350525e-06,
    4.93875893393627e-10, -1.0595367014026043e-06, 6.166714376110408e-07, -0.0006526239185953094,
    0.0008394987206720873, -0.000438297098541721, -6.969091458420552e-07, 0.00016644846642067547,
    -0.00012783517679769218, 4.629953263691304e-05, 4.557909867922708e-09, -1.0595271125805195e-05,
    6.783342904865167e-06, -0.0005967612901927463, -7.204895416020011e-05, 0.0006782308837667328,
    -0.0006401475260262758, 0.00027750107634328704, 1.819700838046515e-07, -8.479507117068503e-05,
    6.105192082501531e-05, 0.0013324454494800656, -0.0019144384985654776, 0.0011089369134596636, 9.9324041226423e-07,
    -0.0005087450129309319, 0.00042735056665392886};

// x^a exp(-x) / gamma(a + 1)
template <class W> GPUARRAY_CALLED double gamma_factor(double a, W x) {
    if (a >= 16) {
        const W logarithm = log_of(x / a) - (x - a) / a;
        return exp_of(logarithm * a - stirling_rest(W(a))) * 0.39894228040143267794 / ::sqrt(a);
    }
    const FactorAndLog<W> gamma = lgamma_right(W(1.0) + a);
    return exp_of(log_of(x) * a - x - gamma.log) / gamma.sign;
}

// Its logarithm.
GPUARRAY_CALLED dd log_gamma_factor(double a, dd x) {
    if (a < 16) return log_of(x) * a - x - lgamma_positive(dd(1.0) + a);
    const dd logarithm = log_of(x / a) - (x - a) / a;
    return logarithm * a - stirling_rest(dd(a)) - dd(0.9189385332046728, -3.8782941580672414e-17) - log_of(dd(a)) * 0.5;
}

// Below what part of the sum a term no longer counts.
GPUARRAY_DEVICE double negligible(dd) { return 1e-17; }
GPUARRAY_DEVICE double negligible(plain) { return 1e-9; }

// The sum of x^n / ((a + 1) ... (a + n)): how many terms it has is found first, then it is added from behind, where
// roundings do not pile up.
GPUARRAY_CALLED double gamma_series(double a, dd wide) {
    const double x = wide.hi;
    // The count needs few digits; terms below the smallest float32 do not count.
    const float rough_a = float(a), rough_x = float(x);
    float term = 1, rough = 1;
    int count = 1;
#pragma unroll 1
    for (; count < 5000; ++count) {
        term *= rough_x * reciprocal23(rough_a + count);
        rough += term;
        if (!(term > 1e-17f * rough)) break;
    }
    // Beyond float32 the terms fall by a half at least.
    if (!(rough_a < 1e30f)) count = 60;
    double total = 1;
#pragma unroll 1
    for (int n = count; n >= 1; --n) total = 1 + total * x / (a + n);
    return total;
}

// All of it over one denominator, so that a term costs no division: both are multiplied by a + n.
GPUARRAY_CALLED double gamma_series(double a, plain x) {
    double numerator = 1, denominator = 1, term = 1, next = a;
#pragma unroll 1
    for (int n = 1; n < 5000; ++n) {
        next += 1;
        denominator *= next;
        term *= x.hi;
        numerator = ::fma(numerator, next, term);
        if (term < negligible(x) * numerator) break;
        if (denominator > 1e200) {
            numerator *= 1e-200;
            denominator *= 1e-200;
            term *= 1e-200;
        }
    }
    return numerator / denominator;
}

// gamma(a, x) exp(x) x^-a by its continued fraction, whose convergents' recurrence needs no division until two of them
// agree; and their number.
struct GammaFraction {
    double value;
    int count;
};
GPUARRAY_CALLED GammaFraction gamma_convergents(double a, double x, double tolerance) {
    double b = x + 1 - a, p = 1, q = b, last_p = 0, last_q = 1, count = 0;
#pragma unroll 1
    while (count < 5000) {
        count += 1;
        const double an = count * (a - count);
        b += 2;
        const double next_p = ::fma(b, p, an * last_p), next_q = ::fma(b, q, an * last_q);
        last_p = p;
        last_q = q;
        p = next_p;
        q = next_q;
        if (::fabs(p * last_q - last_p * q) <= tolerance * ::fabs(p * last_q)) break;
        if (::fabs(q) > 1e100) {
            p *= 1e-100;
            q *= 1e-100;
            last_p *= 1e-100;
            last_q *= 1e-100;
        }
    }
    return GammaFraction{p / q, int(count)};
}
GPUARRAY_DEVICE double gamma_fraction(double a, plain x) { return gamma_convergents(a, x.hi, negligible(x)).value; }

// From the last term that counts, where roundings do not pile up.
GPUARRAY_CALLED double gamma_fraction(double a, dd wide) {
    const double x = wide.hi;
    int count = gamma_convergents(a, x, 5e-16).count;
    // Where a step changes the last digit, what is behind it still does.
    count += count / 4 + 4;
    double tail = 0;
#pragma unroll 1
    for (int i = count; i >= 1; --i) tail = i * (i - a) / (x + (2 * i + 1 - a) - tail);
    return 1 / (x + (1 - a) - tail);
}

// Q for small x, where neither it nor P is known to be small: 1 - x^a / gamma(1 + a) (1 + a sum) cancels in two doubles.
GPUARRAY_CALLED double gamma_small_upper(double a, dd x) {
    const dd exponent = log_dd(x) * a - lgamma1p<dd>(a);
    dd term(1.0), total(0.0);
#pragma unroll 1
    for (int n = 1; n < 60; ++n) {
        term = term * -x / double(n);
        const dd part = term / sum(a, double(n));
        total = total + part;
        if (::fabs(part.hi) < 1e-20 * ::fabs(total.hi)) break;
    }
    const dd less = expm1_to_dd(exponent);
    return -rounded(less + (less + 1.0) * (total * a));
}
GPUARRAY_CALLED double gamma_small_upper(double a, plain x) {
    const plain exponent = log_of(x) * a - lgamma1p<plain>(a);
    double term = 1, total = 0;
#pragma unroll 1
    for (int n = 1; n < 60; ++n) {
        term *= -x.hi / n;
        const double part = term / (a + n);
        total += part;
        if (::fabs(part) < 0.1 * negligible(x) * ::fabs(total)) break;
    }
    return -::expm1(exponent.hi) - exp_of(exponent) * (a * total);
}

// Of the two what is computed, and whether it is Q. P + Q = 1.
struct GammaPart {
    double value;
    bool upper;
    GPUARRAY_DEVICE double p() const { return upper ? 1 - value : value; }
    GPUARRAY_DEVICE double q() const { return upper ? value : 1 - value; }
};

// How many rows are enough for a of 32 or more, and how many of the coefficients of a row.
GPUARRAY_DEVICE int temme_rows(dd) { return 11; }
GPUARRAY_DEVICE int temme_rows(plain) { return 5; }
GPUARRAY_DEVICE int temme_terms(dd, int row) { return 26 - 2 * row; }
GPUARRAY_DEVICE int temme_terms(plain, int row) { return 15 - 2 * row; }

template <class W> GPUARRAY_CALLED GammaPart gamma_temme(double a, W x) {
    const W delta = (x - W(a)) / W(a);
    const W phi = less_log1p(delta), y = phi * W(a);  // eta^2 / 2, and that times a
    const double eta = ::copysign(::sqrt(2 * phi.hi), delta.hi);
    double total = 0, scale = 1;
    const double* c = temme_coefficients;
#pragma unroll 1
    for (int k = 0; k < temme_rows(x); ++k) {
        const int count = temme_terms(x, k);
        double row = c[count - 1];
#pragma unroll 1
        for (int n = count - 2; n >= 0; --n) row = ::fma(row, eta, c[n]);
        total += row * scale;
        scale /= a;
        c += 26 - 2 * k;
    }
    const double e = exp_of(-y), rest = total * 0.39894228040143267794 / ::sqrt(a);
    const double complement = 0.5 * ::erfcx(::sqrt(y.hi));
    return eta > 0 ? GammaPart{e * (complement + rest), true} : GammaPart{e * (complement - rest), false};
}

// For a > 0 and x > 0, both finite.
template <class W> GPUARRAY_CALLED GammaPart gamma_part(double a, W x) {
    const double z = x.hi;
    if (a >= 32 && z > 0.5 * a && z < 2 * a) return gamma_temme(a, x);
    // Less than exp(-0.19 a).
    if (a > 1e4) return GammaPart{0.0, z > a};
    if (z <= 1.1) {
        const bool lower = z < 0.5 ? -0.4 / ::log(z) < a : z * 1.1 < a;
        if (!lower) return GammaPart{gamma_small_upper(a, x), true};
    } else if (z > a) {
        return GammaPart{gamma_factor(a, x) * a * gamma_fraction(a, x), true};
    }
    return GammaPart{gamma_factor(a, x) * gamma_series(a, x), false};
}

template <class W> GPUARRAY_CALLED double gammainc(double a, W x) {
    if (x.hi < 0 || a < 0 || x.hi != x.hi || a != a) return not_a_number();
    if (a == 0) return x.hi > 0 ? 1.0 : not_a_number();
    if (x.hi == 0) return 0.0;
    if (isinf(a)) return isinf(x.hi) ? not_a_number() : 0.0;
    return isinf(x.hi) ? 1.0 : gamma_part(a, x).p();
}

// The gamma distribution at x, of a rate and a shape.
template <class W> GPUARRAY_DEVICE double gdtr(double rate, double shape, double x) {
    return x < 0 ? not_a_number() : gammainc(shape, product_of<W>(rate, x));
}

template <class W> GPUARRAY_CALLED double gammaincc(double a, W x) {
    if (x.hi < 0 || a < 0 || x.hi != x.hi || a != a) return not_a_number();
    if (a == 0) return x.hi > 0 ? 0.0 : not_a_number();
    if (x.hi == 0) return 1.0;
    if (isinf(a)) return isinf(x.hi) ? not_a_number() : 1.0;
    return isinf(x.hi) ? 0.0 : gamma_part(a, x).q();
}

template <class W> GPUARRAY_DEVICE double gdtrc(double rate, double shape, double x) {
    return x < 0 ? not_a_number() : gammaincc(shape, product_of<W>(rate, x));
}

// log(P / p), or -log(Q / q) where q is the smaller one: it rises with x.
template <class W> GPUARRAY_CALLED double gamma_residual(double a, W x, double p, double q) {
    const GammaPart part = gamma_part(a, x);
    return p <= q ? log_ratio(part.p(), p) : -log_ratio(part.q(), q);
}

// x with P(a, x) = p and Q(a, x) = q, p + q = 1, by Newton's steps in log(x) between bounds.
template <class W> GPUARRAY_CALLED double gamma_inverse_of(double a, double p, double q) {
    if (!(a >= 0) || !(p >= 0) || !(q >= 0)) return not_a_number();
    if (p == 0) return 0.0;
    if (q == 0) return infinity();
    if (isinf(a) || a == 0) return not_a_number();
    // E. B. Wilson and M. M. Hilferty (1931), or the first term of the series where that is below.
    const double normal = p < q ? ::normcdfinv(p) : -::normcdfinv(q);
    const double root = 1 - 1 / (9 * a) + normal / (3 * ::sqrt(a));
    const double first = ((p < q ? ::log(p) : ::log1p(-q)) + ::lgamma(a + 1)) / a;
    double u = root > 0.1 && a > 0.5 ? ::log(a) + 3 * ::log(root) : first;
    if (u < first && p < 0.5) u = first;
    // Q is about exp(-x) / gamma(a) there; where that leaves a small x, the series is the one to start from.
    const double decay = a <= 0.5 && q < 0.3 ? -::log(q * ::tgamma(a)) : 0.0;
    if (decay > 0.1) u = ::log(decay);
    if (u < -750) return 0.0;
    double low = -760, high = 720, x = 0;
#pragma unroll 1
    for (int i = 0; i < 60; ++i) {
        x = ::exp(u);
        if (x == 0) return 0.0;
        const GammaPart part = gamma_part(a, W(x));
        const double slope = gamma_factor(a, W(x)) * a;
        const double residual = p <= q ? log_ratio(part.p(), p) : -log_ratio(part.q(), q);
        if (residual > 0) high = u; else low = u;
        double step = residual * (p <= q ? part.p() : part.q()) / slope;
        // The last step is taken on x itself, whose logarithm is rounded.
        if (step * step * (1 + a) < last_step(W(x))) return x - x * step;
        double next = u - step;
        if (!(next > low && next < high)) next = (low < -750 ? ::fmin(u, high) - 2 : high > 700 ? ::fmax(u, low) + 1
                                                                                             : (low + high) / 2);
        u = next;
    }
    return x;
}
GPUARRAY_DEVICE double gammaincinv(double a, double p) { return gamma_inverse_of<dd>(a, p, 1 - p); }
GPUARRAY_DEVICE double gammainccinv(double a, double q) { return gamma_inverse_of<dd>(a, 1 - q, q); }
GPUARRAY_DEVICE double gammaincinv(float a, float p) { return gamma_inverse_of<plain>(a, p, 1 - double(p)); }
GPUARRAY_DEVICE double gammainccinv(float a, float q) { return gamma_inverse_of<plain>(a, 1 - double(q), q); }

template <class W> struct GammaShape {
    W x;
    double p, q;
    GPUARRAY_DEVICE double operator()(double u) const { return -gamma_residual(::exp(u), x, p, q); }
};
// a with P(a, x) = p.
template <class W> GPUARRAY_CALLED double gamma_shape(W x, double p, double q) {
    if (!(x.hi > 0) || isinf(x.hi) || !(p > 0) || !(q > 0)) return not_a_number();
    return ::exp(rising_root(GammaShape<W>{x, p, q}, ::log(x.hi + 0.1), -700, 600));
}

template <class T> GPUARRAY_DEVICE double gdtrix(T rate, T shape, T p) {
    if (rate == T(infinity()) || isinf(shape) || (rate == 0 && shape == 0)) return not_a_number();
    return gammaincinv(shape, p) / double(rate);
}
template <class T> GPUARRAY_DEVICE double gdtria(T p, T shape, T x) {
    if (x == 0 || (isinf(x) && shape == 0)) return not_a_number();
    return gammaincinv(shape, p) / double(x);
}
template <class T> GPUARRAY_DEVICE double chdtriv(T p, T x) {
    if ((p == 0 || p == 1) && x > 0) return p == 1 ? 0.0 : infinity();
    return 2 * gamma_shape(Wide<T>(double(x) / 2), p, 1 - double(p));
}

template <class T> GPUARRAY_DEVICE double pdtr(T k, T m) {
    if (k < 0 || m < 0 || k != k || m != m) return not_a_number();
    return m == 0 ? 1.0 : gammaincc(::floor(double(k)) + 1, Wide<T>(m));
}
template <class T> GPUARRAY_DEVICE double pdtrc(T k, T m) {
    if (k < 0 || m < 0 || k != k || m != m) return not_a_number();
    return m == 0 ? 0.0 : gammainc(::floor(double(k)) + 1, Wide<T>(m));
}
template <class T> GPUARRAY_DEVICE double pdtri(double k, T y) {
    if (k < 0 || !(y >= 0) || y >= 1 || k != k) return not_a_number();
    return gamma_inverse_of<Wide<T>>(::trunc(k) + 1, 1 - double(y), y);
}
template <class T> GPUARRAY_DEVICE double pdtrik(T p, T m) {
    if (p != p || m != m) return not_a_number();
    if (p >= 0 && p < 1 && m >= 0 && (p == 0 || m == 0)) return 0.0;
    // Two doubles in any case, since the difference cancels. P(0, m) is 1, so that no k has a probability below
    // exp(-m).
    const double shape = gamma_shape(dd(double(m)), 1 - double(p), p) - 1;
    return shape < 0 ? 0.0 : shape;
}

}  // namespace special
}  // namespace gpuarray
