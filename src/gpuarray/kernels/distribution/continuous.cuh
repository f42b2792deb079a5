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
    // Of a boosted variate.
    GPUARRAY_DEVICE double lowered(double found, Draws& more) const {
        return shape < 1 ? found * exp(-standard_exponential(more) / shape) : found;
    }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = is_scale(shape) ? 0 : not_a_number();
        if (!(is_scale(shape) && shape > 0)) return true;
        if (!boosted.attempt<QUICK>(bits, more, found)) return false;
        found = lowered(found, more);
        return true;
    }
    // From a normal variate and a uniform one, of a shape above 0.
    template <bool QUICK> GPUARRAY_DEVICE bool accepts(double x, double u, Draws& more, double& found) const {
        if (!boosted.accepts<QUICK>(x, u, found)) return false;
        found = lowered(found, more);
        return true;
    }
};

GPUARRAY_DEVICE double gamma_variate(Draws& draws, double shape) { return StandardGamma::draw(draws, shape); }

struct ChiSquare : ByRejection<ChiSquare, double> {
    StandardGamma gamma;

    GPUARRAY_DEVICE explicit ChiSquare(double df) : gamma(df / 2) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        const bool done = gamma.attempt<QUICK>(bits, more, found);
        found = valid(gamma.shape > 0, 2 * found);
        return done;
    }
};

GPUARRAY_DEVICE double chisquare_variate(Draws& draws, double df) { return 2 * gamma_variate(draws, df / 2); }

// A chi-square variate of a degree less and the square of a normal one, or a Poisson mixture of chi-square variates.
struct NoncentralChiSquare : ByRejection<NoncentralChiSquare, double> {
    double df, nonc, shift;
    StandardGamma gamma;

    GPUARRAY_DEVICE NoncentralChiSquare(double df, double nonc)
        : df(df), nonc(nonc), shift(sqrt(nonc)), gamma((df - 1) / 2) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = not_a_number();
        if (!(df > 0 && nonc >= 0)) return true;
        if (!(df > 1)) {
            if (QUICK) return false;
            found = chisquare_variate(more, df + 2 * double(poisson_variate(more, nonc / 2)));
            return true;
        }
        const NormalPair normal = normal_pair(bits);
        if (!gamma.accepts<QUICK>(normal.other, chance(bits.words[3]), more, found)) return false;
        const double shifted = normal.one + shift;
        found = 2 * found + shifted * shifted;
        return true;
    }
};

struct StandardNormal : Direct<StandardNormal> {
    GPUARRAY_DEVICE static double draw(Draws& draws) { return standard_normal(draws); }
};

struct StandardExponential : Direct<StandardExponential> {
    GPUARRAY_DEVICE static double draw(Draws& draws) { return standard_exponential(draws); }
};

struct Random : Direct<Random> {
    GPUARRAY_DEVICE static double draw(Draws& draws) { return draws.uniform(); }
};

struct Uniform : Direct<Uniform> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double low, double high) {
        return low + (high - low) * draws.uniform();
    }
};

struct Normal : Direct<Normal> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        return valid(is_scale(scale), loc + scale * standard_normal(draws));
    }
};

struct LogNormal : Direct<LogNormal> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double mean, double sigma) {
        return valid(is_scale(sigma), exp(mean + sigma * standard_normal(draws)));
    }
};

struct Exponential : Direct<Exponential> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double scale) {
        return valid(is_scale(scale), scale * standard_exponential(draws));
    }
};

// What Dirichlet variates are made of: the logarithm, since a variate of a tiny shape underflows.
struct LogGamma : ByRejection<LogGamma, double> {
    double shape;
    BoostedGamma boosted;

    GPUARRAY_DEVICE explicit LogGamma(double shape) : shape(shape), boosted(shape < 1 ? shape + 1 : shape) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = shape == 0 ? -infinity() : not_a_number();
        if (!(shape > 0)) return true;
        if (!boosted.attempt<QUICK>(bits, more, found)) return false;
        found = log(found);
        if (shape < 1) found -= standard_exponential(more) / shape;
        return true;
    }
};

struct Gamma : ByRejection<Gamma, double> {
    double scale;
    StandardGamma gamma;

    GPUARRAY_DEVICE Gamma(double shape, double scale) : scale(scale), gamma(shape) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        const bool done = gamma.attempt<QUICK>(bits, more, found);
        found = valid(is_scale(scale), scale * found);
        return done;
    }
};

// Two gamma variates. Their logarithms have what is made of them where the variates underflow.
struct TwoGammas {
    double a, b;
    GammaPair pair;

    GPUARRAY_DEVICE TwoGammas(double a, double b) : a(a), b(b), pair(a < 1 ? a + 1 : a, b < 1 ? b + 1 : b) {}
    GPUARRAY_DEVICE bool boosted() const { return a < 1 || b < 1; }
    // The logarithms of boosted ones.
    GPUARRAY_DEVICE void lower(Draws& more, double& one, double& other) const {
        one = log(one);
        if (a < 1) one -= standard_exponential(more) / a;
        other = log(other);
        if (b < 1) other -= standard_exponential(more) / b;
    }
};

// The first one's share.
struct Beta : ByRejection<Beta, double> {
    TwoGammas gammas;

    GPUARRAY_DEVICE Beta(double a, double b) : gammas(a, b) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = not_a_number();
        if (!(gammas.a > 0 && gammas.b > 0)) return true;
        double one, other;
        if (!gammas.pair.attempt<QUICK>(bits, one, other)) return false;
        found = gammas.boosted() ? share(more, one, other) : one / (one + other);
        return true;
    }
    GPUARRAY_DEVICE double share(Draws& more, double left, double right) const {
        gammas.lower(more, left, right);
        if (left == right) {
            // Equal, or both beyond what a double holds: all of it is one's share then.
            return left < -1e300 ? double(more.uniform() * (gammas.a + gammas.b) < gammas.a) : 0.5;
        }
        const double ratio = exp(left < right ? left - right : right - left);
        return (left < right ? ratio : 1) / (1 + ratio);
    }
};

struct F : ByRejection<F, double> {
    double odds;
    TwoGammas gammas;

    GPUARRAY_DEVICE F(double dfnum, double dfden) : odds(dfden / dfnum), gammas(dfnum / 2, dfden / 2) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = not_a_number();
        if (!(gammas.a > 0 && gammas.b > 0)) return true;
        double one, other;
        if (!gammas.pair.attempt<QUICK>(bits, one, other)) return false;
        if (gammas.boosted()) {
            gammas.lower(more, one, other);
            found = odds * exp(one - other);
        } else {
            found = odds * (one / other);
        }
        return true;
    }
};

// Chi-square variates of a degree less above, and below, with the square of a normal one above.
struct NoncentralF : ByRejection<NoncentralF, double> {
    double dfnum, dfden, nonc, shift;
    TwoGammas gammas;

    GPUARRAY_DEVICE NoncentralF(double dfnum, double dfden, double nonc)
        : dfnum(dfnum), dfden(dfden), nonc(nonc), shift(sqrt(nonc)), gammas((dfnum - 1) / 2, dfden / 2) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = not_a_number();
        if (!(dfnum > 0 && dfden > 0 && nonc >= 0)) return true;
        double above, below;
        if (!(dfnum > 1)) {
            if (QUICK) return false;
            above = NoncentralChiSquare::draw(more, dfnum, nonc);
            below = chisquare_variate(more, dfden);
        } else {
            double one, other;
            if (!gammas.pair.attempt<QUICK>(bits, one, other)) return false;
            if (gammas.boosted()) {
                gammas.lower(more, one, other);
                one = exp(one);
                other = exp(other);
            }
            const double shifted = standard_normal(more) + shift;
            above = 2 * one + shifted * shifted;
            below = 2 * other;
        }
        found = above / dfnum / (below / dfden);
        return true;
    }
};

struct StandardT : ByRejection<StandardT, double> {
    double half;
    StandardGamma gamma;

    GPUARRAY_DEVICE explicit StandardT(double df) : half(df / 2), gamma(half) {}
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws& more, double& found) const {
        found = not_a_number();
        if (!(half > 0)) return true;
        const NormalPair normal = normal_pair(bits);
        if (!gamma.accepts<QUICK>(normal.other, chance(bits.words[3]), more, found)) return false;
        found = normal.one * sqrt(half / found);
        return true;
    }
};

struct StandardCauchy : Direct<StandardCauchy> {
    GPUARRAY_DEVICE static double draw(Draws& draws) {
        double sine, cosine;
        sincospi(draws.inner() - 0.5, &sine, &cosine);
        return sine / cosine;
    }
};

struct Laplace : Direct<Laplace> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        const double size = standard_exponential(draws);
        return valid(is_scale(scale), draws.word() >> 63 ? loc - scale * size : loc + scale * size);
    }
};

struct Logistic : Direct<Logistic> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        const double u = draws.inner();
        return valid(is_scale(scale), loc + scale * log(u / (1 - u)));
    }
};

struct Gumbel : Direct<Gumbel> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double loc, double scale) {
        return valid(is_scale(scale), loc - scale * log(standard_exponential(draws)));
    }
};

struct Pareto : Direct<Pareto> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a) {
        return valid(a > 0, expm1(standard_exponential(draws) / a));
    }
};

struct Weibull : Direct<Weibull> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a) {
        if (a == 0 && is_scale(a)) return 0;
        return valid(a > 0, exp(log(standard_exponential(draws)) / a));
    }
};

struct Power : Direct<Power> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a) {
        return valid(a > 0, exp(-standard_exponential(draws) / a));
    }
};

struct Rayleigh : Direct<Rayleigh> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double scale) {
        return valid(is_scale(scale), scale * sqrt(2 * standard_exponential(draws)));
    }
};

// J. R. Michael, W. R. Schucany, R. W. Haas: "Generating random variates using transformations with multiple roots",
// The American Statistician 30 (1976). The smaller root is the mean divided by the greater one's ratio to it, which
// loses no digits.
struct Wald : Direct<Wald> {
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
    static constexpr double PI = 3.14159265358979323846;
    double mu, kappa, s;

    GPUARRAY_DEVICE VonMises(double mean, double kappa) : mu(wrapped(fmod(mean, 2 * PI))), kappa(kappa) {
        if (kappa < 1e-5) {
            s = 1 / kappa + kappa;
        } else {
            const double r = 1 + sqrt(1 + 4 * kappa * kappa);
            const double rho = (r - sqrt(2 * r)) / (2 * kappa);
            s = (1 + rho * rho) / (2 * rho);
        }
    }
    // From -pi to pi, of an angle that is at most a turn beyond.
    GPUARRAY_DEVICE static double wrapped(double angle) {
        return angle > PI ? angle - 2 * PI : angle < -PI ? angle + 2 * PI : angle;
    }
    template <bool QUICK> GPUARRAY_DEVICE bool attempt(const PhiloxBlock& bits, Draws&, double& found) const {
        found = not_a_number();
        if (!is_scale(kappa)) return true;
        if (kappa < 1e-8) {
            found = PI * (2 * Draws::unit(bits.low()) - 1);
            return true;
        }
        if (kappa > 1e6) {
            // The angle is a normal variate but for terms of the order of 1 / kappa.
            found = wrapped(mu + one_normal(bits) / sqrt(kappa));
            return true;
        }
        const double z = cospi(Draws::unit(bits.low())), v = chance(bits.words[2]);
        const double w = (1 + s * z) / (s + z);
        const double y = kappa * (s - w);
        if (!(y * (2 - y) - v >= 0 || (!QUICK && log(y / v) + 1 - y >= 0))) return false;
        const double angle = acos(w);
        found = wrapped(bits.words[3] >> 31 ? mu - angle : mu + angle);
        return true;
    }
};

struct Triangular : Direct<Triangular> {
    GPUARRAY_DEVICE static double draw(Draws& draws, double left, double mode, double right) {
        const double base = right - left, u = draws.uniform();
        const double below = mode - left, above = right - mode;
        const double value = u * base <= below ? left + sqrt(u * base * below) : right - sqrt((1 - u) * base * above);
        return valid(left <= mode && mode <= right && left < right, value);
    }
};

}  // namespace gpuarray
