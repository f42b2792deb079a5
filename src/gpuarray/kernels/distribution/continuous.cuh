// Continuous distributions: one variate from the bits of one place.
//
// Where a parameter is out of its range the result is NaN.
#pragma once

#include "gpuarray/poisson.cuh"

namespace gpuarray {

GPUARRAY_DEVICE double not_a_number() { return float_from_bits(uint64_t(0x7ff8000000000000ull)); }
GPUARRAY_DEVICE double infinity() { return float_from_bits(uint64_t(0x7ff0000000000000ull)); }
GPUARRAY_DEVICE double valid(bool condition, double value) { return condition ? value : not_a_number(); }
// NumPy takes a scale of -0.0 for a negative one.
GPUARRAY_DEVICE bool is_scale(double scale) { return scale >= 0 && !(float_bits(scale) >> 63); }

// Of a shape below 1: a variate of a greater shape, times a power of a uniform one.
struct StandardGamma : ByRejection<StandardGamma, double> {
    double shape;
    BoostedGamma boosted;

    GPUARRAY_DEVICE explicit StandardGamma(double shape) : shape(shape), boosted(shape < 1 ? shape + 1 : shape) {}
    GPUARRAY_DEVICE bool attempt(Draws& draws, NoState& state, double& found) const {
        found = is_scale(shape) ? 0 : not_a_number();
        if (!(is_scale(shape) && shape > 0)) return true;
        if (!boosted.attempt(draws, state, found)) return false;
        if (shape < 1) found = exp(log(found) - standard_exponential(draws) / shape);
        return true;
    }
};

GPUARRAY_DEVICE double gamma_variate(Draws& draws, double shape) { return StandardGamma::draw(draws, shape); }

// The logarithm, since a variate of a tiny shape underflows.
GPUARRAY_DEVICE double log_gamma_variate(Draws& draws, double shape) {
    if (!(shape > 0)) return shape == 0 ? -infinity() : not_a_number();
    const double found = log(boosted_gamma(draws, shape < 1 ? shape + 1 : shape));
    return shape < 1 ? found - standard_exponential(draws) / shape : found;
}

struct ChiSquare : ByRejection<ChiSquare, double> {
    StandardGamma gamma;

    GPUARRAY_DEVICE explicit ChiSquare(double df) : gamma(df / 2) {}
    GPUARRAY_DEVICE bool attempt(Draws& draws, NoState& state, double& found) const {
        const bool done = gamma.attempt(draws, state, found);
        found = valid(gamma.shape > 0, 2 * found);
        return done;
    }
};

GPUARRAY_DEVICE double chisquare_variate(Draws& draws, double df) { return 2 * gamma_variate(draws, df / 2); }

// What a variate has before the attempts at another one that it is made with.
struct Begun {
    bool begun;
    double value;
};

// A chi-square variate of a degree less and the square of a normal one, or a Poisson mixture of chi-square variates.
struct NoncentralChiSquare : ByRejection<NoncentralChiSquare, double, Begun> {
    double df, nonc, shift;
    StandardGamma gamma;

    GPUARRAY_DEVICE NoncentralChiSquare(double df, double nonc)
        : df(df), nonc(nonc), shift(sqrt(nonc)), gamma((nonc > 0 ? df - 1 : df) / 2) {}
    GPUARRAY_DEVICE bool attempt(Draws& draws, Begun& state, double& found) const {
        found = not_a_number();
        if (!(df > 0 && nonc >= 0)) return true;
        if (!(df > 1)) {
            found = chisquare_variate(draws, df + 2 * double(poisson_variate(draws, nonc / 2)));
            return true;
        }
        if (!state.begun) {
            state.begun = true;
            state.value = 0;
            if (nonc > 0) {
                const double shifted = standard_normal(draws) + shift;
                state.value = shifted * shifted;
            }
        }
        NoState none;
        const bool done = gamma.attempt(draws, none, found);
        found = 2 * found + state.value;
        return done;
    }
};

struct StandardNormal {
    GPUARRAY_DEVICE static double draw(Draws& draws) { return standard_normal(draws); }
};

struct StandardExponential {
    GPUARRAY_DEVICE static double draw(Draws& draws) { return standard_exponential(draws); }
};

struct Random {
    GPUARRAY_DEVICE static double draw(Draws& draws) { return draws.uniform(); }
};

struct Uniform {
    GPUARRAY_DEVICE static double draw(Draws& draws, double low, double high) {
        return low + (high - low) * draws.uniform();
    }
};

struct Normal {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        return valid(is_scale(scale), loc + scale * standard_normal(draws));
    }
};

struct LogNormal {
    GPUARRAY_DEVICE static double draw(Draws& draws, double mean, double sigma) {
        return valid(is_scale(sigma), exp(mean + sigma * standard_normal(draws)));
    }
};

struct Exponential {
    GPUARRAY_DEVICE static double draw(Draws& draws, double scale) {
        return valid(is_scale(scale), scale * standard_exponential(draws));
    }
};

// What Dirichlet variates are made of.
struct LogGamma {
    GPUARRAY_DEVICE static double draw(Draws& draws, double shape) { return log_gamma_variate(draws, shape); }
};

struct Gamma : ByRejection<Gamma, double> {
    double scale;
    StandardGamma gamma;

    GPUARRAY_DEVICE Gamma(double shape, double scale) : scale(scale), gamma(shape) {}
    GPUARRAY_DEVICE bool attempt(Draws& draws, NoState& state, double& found) const {
        const bool done = gamma.attempt(draws, state, found);
        found = valid(is_scale(scale), scale * found);
        return done;
    }
};

// Of two gamma variates, the first one's share. Their logarithms have it where the variates underflow.
struct Beta : ByRejection<Beta, double, Begun> {
    double a, b;
    BoostedGamma first, second;

    GPUARRAY_DEVICE Beta(double a, double b) : a(a), b(b), first(a < 1 ? a + 1 : a), second(b < 1 ? b + 1 : b) {}
    GPUARRAY_DEVICE bool attempt(Draws& draws, Begun& state, double& found) const {
        found = not_a_number();
        if (!(a > 0 && b > 0)) return true;
        NoState none;
        double variate;
        BoostedGamma next = first;
        if (state.begun) next = second;
        if (!next.attempt(draws, none, variate)) return false;
        if (!state.begun) {
            state.begun = true;
            state.value = variate;
            return false;
        }
        found = share(draws, state.value, variate);
        return true;
    }
    GPUARRAY_DEVICE double share(Draws& draws, double one, double other) const {
        if (a >= 1 && b >= 1) return one / (one + other);
        double left = log(one);
        if (a < 1) left -= standard_exponential(draws) / a;
        double right = log(other);
        if (b < 1) right -= standard_exponential(draws) / b;
        if (left == right) {
            // Equal, or both beyond what a double holds: all of it is one's share then.
            return left < -1e300 ? double(draws.uniform() * (a + b) < a) : 0.5;
        }
        const double ratio = exp(left < right ? left - right : right - left);
        return (left < right ? ratio : 1) / (1 + ratio);
    }
};

struct F {
    GPUARRAY_DEVICE static double draw(Draws& draws, double dfnum, double dfden) {
        const double above = chisquare_variate(draws, dfnum), below = chisquare_variate(draws, dfden);
        return valid(dfnum > 0 && dfden > 0, above / dfnum / (below / dfden));
    }
};

struct NoncentralF {
    GPUARRAY_DEVICE static double draw(Draws& draws, double dfnum, double dfden, double nonc) {
        const double above = NoncentralChiSquare::draw(draws, dfnum, nonc);
        return valid(dfden > 0, above / dfnum / (chisquare_variate(draws, dfden) / dfden));
    }
};

struct StandardT : ByRejection<StandardT, double, Begun> {
    double half;
    StandardGamma gamma;

    GPUARRAY_DEVICE explicit StandardT(double df) : half(df / 2), gamma(half) {}
    GPUARRAY_DEVICE bool attempt(Draws& draws, Begun& state, double& found) const {
        if (!state.begun) {
            state.begun = true;
            state.value = standard_normal(draws);
        }
        NoState none;
        const bool done = gamma.attempt(draws, none, found);
        found = valid(half > 0, state.value / sqrt(found / half));
        return done;
    }
};

struct StandardCauchy {
    GPUARRAY_DEVICE static double draw(Draws& draws) {
        double sine, cosine;
        sincospi(draws.inner() - 0.5, &sine, &cosine);
        return sine / cosine;
    }
};

struct Laplace {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        const double size = standard_exponential(draws);
        return valid(is_scale(scale), draws.word() >> 63 ? loc - scale * size : loc + scale * size);
    }
};

struct Logistic {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        const double u = draws.inner();
        return valid(is_scale(scale), loc + scale * log(u / (1 - u)));
    }
};

struct Gumbel {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        return valid(is_scale(scale), loc - scale * log(standard_exponential(draws)));
    }
};

struct Pareto {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a) {
        return valid(a > 0, expm1(standard_exponential(draws) / a));
    }
};

struct Weibull {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a) {
        if (a == 0 && is_scale(a)) return 0;
        return valid(a > 0, exp(log(standard_exponential(draws)) / a));
    }
};

struct Power {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a) {
        return valid(a > 0, exp(-standard_exponential(draws) / a));
    }
};

struct Rayleigh {
    GPUARRAY_DEVICE static double draw(Draws& draws, double scale) {
        return valid(is_scale(scale), scale * sqrt(2 * standard_exponential(draws)));
    }
};

// J. R. Michael, W. R. Schucany, R. W. Haas: "Generating random variates using transformations with multiple roots",
// The American Statistician 30 (1976). The smaller root is the mean divided by the greater one's ratio to it, which
// loses no digits.
struct Wald {
    GPUARRAY_DEVICE static double draw(Draws& draws, double mean, double scale) {
        const double normal = standard_normal(draws);
        const double half = mean / scale * (normal * normal) / 2;
        const double ratio = 1 + half + sqrt(half * (half + 2));
        const bool smaller = draws.uniform() * (1 + 1 / ratio) <= 1;
        return valid(mean > 0 && scale > 0, smaller ? mean / ratio : mean * ratio);
    }
};

// D. J. Best, N. I. Fisher: "Efficient simulation of the von Mises distribution", Applied Statistics 28 (1979).
struct VonMises : ByRejection<VonMises, double> {
    double mu, kappa, s;

    GPUARRAY_DEVICE VonMises(double mu, double kappa) : mu(mu), kappa(kappa) {
        if (kappa < 1e-5) {
            s = 1 / kappa + kappa;
        } else {
            const double r = 1 + sqrt(1 + 4 * kappa * kappa);
            const double rho = (r - sqrt(2 * r)) / (2 * kappa);
            s = (1 + rho * rho) / (2 * rho);
        }
    }
    GPUARRAY_DEVICE bool attempt(Draws& draws, NoState&, double& found) const {
        const double pi = 3.14159265358979323846;
        found = not_a_number();
        if (!is_scale(kappa)) return true;
        if (kappa < 1e-8) {
            found = pi * (2 * draws.uniform() - 1);
            return true;
        }
        double angle;
        if (kappa > 1e6) {
            // The angle is a normal variate but for terms of the order of 1 / kappa.
            angle = mu + standard_normal(draws) / sqrt(kappa);
        } else {
            const double z = cospi(draws.uniform()), v = draws.inner();
            const double w = (1 + s * z) / (s + z);
            const double y = kappa * (s - w);
            if (!(y * (2 - y) - v >= 0 || log(y / v) + 1 - y >= 0)) return false;
            angle = acos(w);
            angle = draws.word() >> 63 ? mu - angle : mu + angle;
        }
        const double turned = fmod(angle + pi, 2 * pi);
        found = turned < 0 ? turned + pi : turned - pi;
        return true;
    }
};

struct Triangular {
    GPUARRAY_DEVICE static double draw(Draws& draws, double left, double mode, double right) {
        const double base = right - left, u = draws.uniform();
        const double below = mode - left, above = right - mode;
        const double value = u * base <= below ? left + sqrt(u * base * below) : right - sqrt((1 - u) * base * above);
        return valid(left <= mode && mode <= right && left < right, value);
    }
};

}  // namespace gpuarray
