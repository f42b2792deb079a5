// Mathieu's functions and characteristic values.
//
// The Fourier coefficients are an eigenvector of a symmetric tridiagonal matrix (DLMF 28.4(iii)): its eigenvalue by
// Sturm's counts and bisection, the vector by forward and backward pivots that meet where it is large, as in
// I. S. Dhillon and B. N. Parlett, "Multiple representations to compute orthogonal eigenvectors" (2004), and steps
// of Rayleigh's quotient, which those pivots give.
#pragma once

#include "gpuarray/special_convenience.cuh"
#include "gpuarray/special_dd.cuh"

namespace gpuarray {
namespace special {

// The matrix of one of the four kinds of functions: their multiples of the angle are first, first + 2, ...
struct MathieuMatrix {
    static const int limit = 220;
    double q;
    int first, size;
    double corner;  // what is added to the first diagonal element
    bool constant;  // the first element is that of cos(0): the next one is coupled with sqrt(2) q

    GPUARRAY_CALLED MathieuMatrix(int order, double q, bool odd_function) : q(q) {
        const bool odd = order & 1;
        first = odd ? 1 : odd_function ? 2 : 0;
        corner = odd ? (odd_function ? -q : q) : 0;
        constant = first == 0;
        const double wanted = order / 2 + 30 + 1.6 * ::sqrt(::fabs(q));
        size = wanted < limit ? int(wanted) : limit;
        if (order >= 380) {  // the rows about that of the order: the vector is nothing outside
            first += 2 * ((order - first) / 2 - limit / 2);
            corner = 0;
            constant = false;
        }
    }
    GPUARRAY_DEVICE double diagonal(int k) const {
        const double n = first + 2 * k;
        return k == 0 ? n * n + corner : n * n;
    }
    GPUARRAY_DEVICE double coupled(int k) const { return k == 0 && constant ? 2 * q * q : q * q; }  // squared

    // How many eigenvalues are below x.
    GPUARRAY_CALLED int below(double x) const {
        double pivot = diagonal(0) - x;
        int count = pivot < 0;
        for (int k = 1; k < size; ++k) {
            if (::fabs(pivot) < 1e-290) pivot = 1e-290;
            pivot = diagonal(k) - x - coupled(k - 1) / pivot;
            count += pivot < 0;
        }
        return count;
    }
    // The eigenvalue with as many below it as `index`; its unit vector.
    GPUARRAY_CALLED double eigenvector(int index, double* vector) const {
        const double n = first + 2 * index, spread = 3 * ::fabs(q) + 1;
        double low = n * n - spread, high = n * n + spread;
        for (int step = 0; step < 120; ++step) {
            const double middle = low / 2 + high / 2;
            // Rayleigh's quotients square what is left, twice.
            if (!(low < middle && middle < high) || high - low < 1e-6) break;
            if (below(middle) > index) high = middle;
            else low = middle;
        }
        double value = low, beside = 0;  // what rounding took from the value
        for (int pass = 0; pass < 3; ++pass) {
            // pivots from below into the vector, from above as they go; where their sum is least the vector is large
            double pivot = (diagonal(size - 1) - value) - beside;
            vector[size - 1] = pivot;
            for (int k = size - 2; k >= 0; --k) {
                if (::fabs(pivot) < 1e-290) pivot = 1e-290;
                pivot = (diagonal(k) - value) - beside - coupled(k) / pivot;
                vector[k] = pivot;
            }
            double down = (diagonal(0) - value) - beside, least = ::fabs(vector[0]), gap = vector[0];
            int centre = 0;
            for (int k = 1; k < size; ++k) {
                if (::fabs(down) < 1e-290) down = 1e-290;
                const double loss = coupled(k - 1) / down, sum = vector[k] - loss;
                if (::fabs(sum) < least) {
                    least = ::fabs(sum);
                    gap = sum;
                    centre = k;
                }
                down = (diagonal(k) - value) - beside - loss;
            }
            double squares = 1, last = 1;
            for (int k = centre + 1; k < size; ++k) {
                const double pivot_here = vector[k] == 0 ? 1e-290 : vector[k];
                last *= -(k == 1 && constant ? 1.4142135623730951 * q : q) / pivot_here;
                vector[k] = last;
                squares += last * last;
            }
            // upwards the pivots are needed in the other order: the equation of each row gives the element before it
            down = (diagonal(0) - value) - beside;
            for (int k = 0; k < centre; ++k) {
                if (::fabs(down) < 1e-290) down = 1e-290;
                vector[k] = down;
                down = (diagonal(k + 1) - value) - beside - coupled(k) / down;
            }
            last = 1;
            vector[centre] = 1;
            for (int k = centre - 1; k >= 0; --k) {
                last *= -(k == 0 && constant ? 1.4142135623730951 * q : q) / vector[k];
                vector[k] = last;
                squares += last * last;
            }
            const double scale = 1 / ::sqrt(squares);
            for (int k = 0; k < size; ++k) vector[k] *= scale;
            const dd next = sum(value, beside + gap / squares);
            value = next.hi;
            beside = next.lo;
        }
        return value;
    }
};

GPUARRAY_DEVICE bool is_order(double m) { return m >= 0 && m < 380 && is_integer(m); }
// Of a matrix of which some rows are enough.
GPUARRAY_DEVICE bool has_matrix(double m, double q) {
    return is_order(m) || (m >= 380 && m < 1e7 && is_integer(m) && ::fabs(q) <= 100 * m);
}

// The characteristic value of so large a q that the vector has more elements than there are rows: DLMF 28.8.1, and 28.2(vi)
// left of zero. NaN where the order is not small beside h.
GPUARRAY_CALLED double mathieu_value_far(double m, double q, bool odd_function) {
    const bool swapped = q < 0 && ::fmod(m, 2.0) != 0;
    const double size = ::fabs(q), h = ::sqrt(size), s = 2 * m + (odd_function != swapped ? -1 : 1), t = s * s, r = 1 / h;
    if (!(s < h / 10)) return not_a_number();
    const double c[] = {-(t + 1) / 8,
                        -s * (t + 3) / 128,
                        -((5 * t + 34) * t + 9) / 4096,
                        -s * ((33 * t + 410) * t + 405) / 131072,
                        -(((63 * t + 1260) * t + 2943) * t + 486) / 1048576,
                        -s * (((527 * t + 15617) * t + 69001) * t + 41607) / 33554432};
    return -2 * size + (2 * s * h + polynomial(c, r));
}
// Whether there are rows enough for nine digits of the functions or more.
GPUARRAY_DEVICE bool has_rows(const MathieuMatrix& matrix, const double* vector) {
    return ::fabs(vector[matrix.size - 1]) < 1e-9;
}

GPUARRAY_CALLED double mathieu_value(double m, double q, bool odd_function) {
    if (!has_matrix(m, q) || !isfinite(q) || (odd_function && m == 0)) return not_a_number();
    double vector[MathieuMatrix::limit];
    const MathieuMatrix matrix(int(m), q, odd_function);
    const double found = matrix.eigenvector((int(m) - matrix.first) / 2, vector);
    // Rayleigh's quotient squares what the last row leaves out.
    return ::fabs(vector[matrix.size - 1]) < 1e-7 ? found : mathieu_value_far(m, q, odd_function);
}
GPUARRAY_DEVICE double mathieu_a(double m, double q) { return mathieu_value(m, q, false); }
GPUARRAY_DEVICE double mathieu_b(double m, double q) { return mathieu_value(m, q, true); }

struct Mathieu {
    double value, slope;
};
// ce and se of an angle in degrees, and the derivative by the angle in radians; ce(0) and se'(0) are positive.
GPUARRAY_CALLED Mathieu mathieu_function(double m, double q, double x, bool odd_function) {
    if (!is_order(m) || !isfinite(q) || !isfinite(x)) return Mathieu{not_a_number(), not_a_number()};
    if (odd_function && m == 0) return Mathieu{0, 0};
    double vector[MathieuMatrix::limit];
    const MathieuMatrix matrix(int(m), q, odd_function);
    matrix.eigenvector((int(m) - matrix.first) / 2, vector);
    if (!has_rows(matrix, vector)) return Mathieu{not_a_number(), not_a_number()};
    double value = 0, slope = 0, sign = 0;
    x = ::fmod(x, 360.0);
    for (int k = matrix.size - 1; k >= 0; --k) {
        const double n = matrix.first + 2 * k, c = matrix.constant && k == 0 ? 0.7071067811865476 * vector[k] : vector[k];
        const degrees::Angle<double> angle(product(n, x));
        const double sine = angle.sine_after(0), cosine = angle.sine_after(1);
        value += c * (odd_function ? sine : cosine);
        slope += c * n * (odd_function ? cosine : -sine);
        sign += odd_function ? c * n : c;
    }
    return sign < 0 ? Mathieu{-value, -slope} : Mathieu{value, slope};
}
// The Fourier coefficient of index `number`, with the sign of mathieu_function.
GPUARRAY_CALLED double mathieu_coefficient(double m, double q, double number, double odd_function) {
    if (!is_order(m) || !isfinite(q)) return not_a_number();
    double vector[MathieuMatrix::limit];
    const bool odd = odd_function != 0;
    const MathieuMatrix matrix(int(m), q, odd);
    if (number >= matrix.size) return 0;
    matrix.eigenvector((int(m) - matrix.first) / 2, vector);
    if (!has_rows(matrix, vector)) return not_a_number();
    if (matrix.constant) vector[0] *= 0.7071067811865476;
    double sign = 0;
    for (int k = matrix.size - 1; k >= 0; --k) sign += odd ? vector[k] * (matrix.first + 2 * k) : vector[k];
    return sign < 0 ? -vector[int(number)] : vector[int(number)];
}
GPUARRAY_DEVICE Mathieu mathieu_cem(double m, double q, double x) { return mathieu_function(m, q, x, false); }
GPUARRAY_DEVICE Mathieu mathieu_sem(double m, double q, double x) { return mathieu_function(m, q, x, true); }

}  // namespace special
}  // namespace gpuarray
