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
GPUARRAY_DEVICE double gamma_variate(Draws& draws, double shape) {
    if (!is_scale(shape)) return not_a_number();
    if (shape == 0) return 0;
    const double found = boosted_gamma(draws, shape < 1 ? shape + 1 : shape);
    return shape < 1 ? exp(log(found) - standard_exponential(draws) / shape) : found;
}

// The logarithm, since a variate of a tiny shape underflows.
GPUARRAY_DEVICE double log_gamma_variate(Draws& draws, double shape) {
    if (!(shape > 0)) return shape == 0 ? -infinity() : not_a_number();
    const double found = log(boosted_gamma(draws, shape < 1 ? shape + 1 : shape));
    return shape < 1 ? found - standard_exponential(draws) / shape : found;
}

GPUARRAY_DEVICE double chisquare_variate(Draws& draws, double df) { return 2 * gamma_variate(draws, df / 2); }

// A chi-square variate of a degree less and the square of a normal one, or a Poisson mixture of chi-square variates.
GPUARRAY_DEVICE double noncentral_chisquare_variate(Draws& draws, double df, double nonc) {
    if (!(df > 0 && nonc >= 0)) return not_a_number();
    double square = 0;
    if (df > 1) {
        if (nonc > 0) {
            const double shifted = standard_normal(draws) + sqrt(nonc);
            square = shifted * shifted;
            df -= 1;
        }
    } else {
        df += 2 * double(poisson_variate(draws, nonc / 2));
    }
    return chisquare_variate(draws, df) + square;
}

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

struct StandardGamma {
    GPUARRAY_DEVICE static double draw(Draws& draws, double shape) { return gamma_variate(draws, shape); }
};

// What Dirichlet variates are made of.
struct LogGamma {
    GPUARRAY_DEVICE static double draw(Draws& draws, double shape) { return log_gamma_variate(draws, shape); }
};

struct Gamma {
    GPUARRAY_DEVICE static double draw(Draws& draws, double shape, double scale) {
        return valid(is_scale(scale), scale * gamma_variate(draws, shape));
    }
};

// Of two gamma variates, the first one's share. Their logarithms have it where the variates underflow.
struct Beta {
    GPUARRAY_DEVICE static double draw(Draws& draws, double a, double b) {
        if (!(a > 0 && b > 0)) return not_a_number();
        const double shapes[2] = {a, b};
        double variates[2];
#pragma unroll 1
        for (int i = 0; i < 2; ++i) {
            const double shape = i ? b : a, found = boosted_gamma(draws, shape < 1 ? shape + 1 : shape);
            if (i) {
                variates[1] = found;
            } else {
                variates[0] = found;
            }
        }
        if (a >= 1 && b >= 1) return variates[0] / (variates[0] + variates[1]);
        double logs[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            logs[i] = log(variates[i]);
            if (shapes[i] < 1) logs[i] -= standard_exponential(draws) / shapes[i];
        }
        const double first = logs[0], second = logs[1];
        if (first == second) {
            // Equal, or both beyond what a double holds: all of it is one's share then.
            return first < -1e300 ? double(draws.uniform() * (a + b) < a) : 0.5;
        }
        const double ratio = exp(first < second ? first - second : second - first);
        return (first < second ? ratio : 1) / (1 + ratio);
    }
};

struct ChiSquare {
    GPUARRAY_DEVICE static double draw(Draws& draws, double df) { return valid(df > 0, chisquare_variate(draws, df)); }
};

struct NoncentralChiSquare {
    GPUARRAY_DEVICE static double draw(Draws& draws, double df, double nonc) {
        return noncentral_chisquare_variate(draws, df, nonc);
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
        const double above = noncentral_chisquare_variate(draws, dfnum, nonc);
        return valid(dfden > 0, above / dfnum / (chisquare_variate(draws, dfden) / dfden));
    }
};

struct StandardT {
    GPUARRAY_DEVICE static double draw(Draws& draws, double df) {
        const double normal = standard_normal(draws);
        return valid(df > 0, normal / sqrt(gamma_variate(draws, df / 2) / (df / 2)));
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
struct VonMises {
    GPUARRAY_DEVICE static double draw(Draws& draws, double mu, double kappa) {
        const double pi = 3.14159265358979323846;
        if (!is_scale(kappa)) return not_a_number();
        if (kappa < 1e-8) return pi * (2 * draws.uniform() - 1);
        double angle;
        if (kappa > 1e6) {
            // The angle is a normal variate but for terms of the order of 1 / kappa.
            angle = mu + standard_normal(draws) / sqrt(kappa);
        } else {
            double s;
            if (kappa < 1e-5) {
                s = 1 / kappa + kappa;
            } else {
                const double r = 1 + sqrt(1 + 4 * kappa * kappa);
                const double rho = (r - sqrt(2 * r)) / (2 * kappa);
                s = (1 + rho * rho) / (2 * rho);
            }
            double w = 1;
#pragma unroll 1
            for (int i = 0; i < REJECTIONS; ++i) {
                const double z = cospi(draws.uniform()), v = draws.inner();
                w = (1 + s * z) / (s + z);
                const double y = kappa * (s - w);
                if (y * (2 - y) - v >= 0 || log(y / v) + 1 - y >= 0) break;
            }
            angle = acos(w);
            angle = draws.word() >> 63 ? mu - angle : mu + angle;
        }
        const double turned = fmod(angle + pi, 2 * pi);
        return turned < 0 ? turned + pi : turned - pi;
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
