// The transform family: what comes before and behind a library's Fourier transforms. An operand gets the length and
// the factor of a transform; the half of a spectrum that a real transform reads is made Hermitian where NumPy takes
// it for that; and cosine and sine transforms are rearranged to Fourier transforms of reals and back.
//
// A thread makes one element of the target. Elements that the source does not have are 0.
#pragma once

#include "gpuarray/complex.cuh"
#include "gpuarray/types.cuh"

namespace gpuarray {

// x is the source, n the length of the transform, k the index along the axis. theta(p, q) is p / q of a half turn.
enum TransformRule {
    COPY,                 // x[k]
    CONJUGATE,            // its conjugate
    HERMITIAN,            // x[k], real for k = 0 and k = n / 2; where other axes are transformed as well, their Hermitian part
    HERMITIAN_CONJUGATE,  // its conjugate
    WHOLE,                // x[k], and its conjugate at the mirror image: the target is the first half of the source
    WHOLE_CONJUGATE,      // the conjugates of these
    FOLD,                 // DCT-II: even elements, then odd ones in reverse
    COSINE,               // and of their spectrum: twice the real part, turned by -theta(k, 2 n)
    UNCOSINE,             // DCT-III: the spectrum of which COSINE would make x
    UNFOLD,               // and the reverse of FOLD
    EVEN,                 // DCT-I: 2 n - 2 elements, mirrored at both ends
    ODD,                  // DST-I: 2 n + 2 elements, mirrored with the sign changed
    REAL_PART,            // of x[k]
    IMAGINARY_PART,       // minus that of x[k + 1]
    PAIRS,                // DCT-IV, even n: x[2 k] + i x[n - 1 - 2 k], turned by -theta(k, n)
    UNPAIRS,              // and of their spectrum
    TURNED,               // DCT-IV, odd n: x[k] turned by -theta(k, 2 n), 2 n of them
    UNTURNED              // and of their spectrum
};

template <class Index> struct UnsignedIndex { typedef uint32_t type; };
template <> struct UnsignedIndex<int64_t> { typedef uint64_t type; };

GPUARRAY_DEVICE void half_turn(float x, float& sine, float& cosine) { ::sincospif(x, &sine, &cosine); }
GPUARRAY_DEVICE void half_turn(double x, double& sine, double& cosine) { ::sincospi(x, &sine, &cosine); }

// A complex number in memory at a multiple of its size, which is one access. Targets are, because cuFFT needs it; sources
// need not be.
template <class Part> struct __align__(2 * sizeof(Part)) Whole {
    Part real, imag;
};

// MIRRORED has a bit for each other axis that is transformed as well: the mirror image of an element is at minus its
// indices along these.
template <class Target, class Source, class Part, class Index, int NDIM, int AXIS, TransformRule RULE, bool SINE,
          bool PADDED, int MIRRORED>
struct Transform {
    typedef typename UnsignedIndex<Index>::type UIndex;
    typedef complex<Part> Complex;

    // Whether the source is the target.
    static constexpr bool IN_PLACE = RULE == WHOLE || RULE == WHOLE_CONJUGATE;

    GPUARRAY_DEVICE static Complex load(const Complex* p) {
        const Whole<Part> z = *reinterpret_cast<const Whole<Part>*>(p);
        return Complex(z.real, z.imag);
    }
    GPUARRAY_DEVICE static void store(Part* p, Part x) { *p = x; }
    GPUARRAY_DEVICE static void store(Complex* p, Complex z) {
        *reinterpret_cast<Whole<Part>*>(p) = Whole<Part>{z.real, z.imag};
    }

    // Divisions are multiplications by fractions (elementwise/variants.py). Steps are in elements; `lengths` are those
    // of the source.
    struct Dimensions {
        Index shape[NDIM], multipliers[NDIM], shifts[NDIM];
        Index lengths[NDIM], source[NDIM], target[NDIM];
    };

    GPUARRAY_DEVICE static uint32_t high(uint32_t a, uint32_t b) { return __umulhi(a, b); }
    GPUARRAY_DEVICE static uint64_t high(uint64_t a, uint64_t b) { return __umul64hi(a, b); }
    GPUARRAY_DEVICE static UIndex divide(UIndex index, Index multiplier, Index shift) {
        return multiplier ? high(index, UIndex(multiplier)) >> int(shift) : index;
    }

    // The source along the axis.
    struct Line {
        const Source* first;
        Index step, length;
        bool inside;
        GPUARRAY_DEVICE Source operator[](Index j) const {
            if (PADDED && !(inside && j < length)) return Source();
            if constexpr (IN_PLACE) return load(first + j * step);
            return first[j * step];
        }
    };

    // cos and sin of p / q of a half turn.
    GPUARRAY_DEVICE static Complex turn(Index p, Index q) {
        Part sine, cosine;
        half_turn(Part(p) / Part(q), sine, cosine);
        return Complex(cosine, sine);
    }
    GPUARRAY_DEVICE static Complex conjugate(Complex z) { return Complex(z.real, -z.imag); }

    // The conjugate, without a sign of a part that is 0.
    GPUARRAY_DEVICE static Complex reflected(Complex z) { return Complex(z.real, Part(0) - z.imag); }

    template <class T> GPUARRAY_DEVICE static Part as_target(T x, Part) { return Part(x); }
    template <class T> GPUARRAY_DEVICE static Complex as_target(T x, Complex) { return Complex(Part(x), Part(0)); }
    GPUARRAY_DEVICE static Complex as_target(Complex x, Complex) { return x; }

    GPUARRAY_DEVICE static Target value(const Line& x, const Line& mirror, Index k, Index n, Part factor, Part edge) {
        if constexpr (RULE == COPY || RULE == WHOLE) {
            return as_target(x[k], Target()) * factor;
        } else if constexpr (RULE == WHOLE_CONJUGATE) {
            return reflected(x[k]) * factor;
        } else if constexpr (RULE == CONJUGATE) {
            return conjugate(x[k]) * factor;
        } else if constexpr (RULE == HERMITIAN || RULE == HERMITIAN_CONJUGATE) {
            Complex z = x[k];
            if (k == 0 || 2 * k == n) {
                if constexpr (MIRRORED != 0) {
                    z = z * Part(0.5) + conjugate(mirror[k]) * Part(0.5);
                } else {
                    z.imag = 0;
                }
            }
            if (RULE == HERMITIAN_CONJUGATE) z = conjugate(z);
            return z * factor;
        } else if constexpr (RULE == FOLD) {
            const bool second = k >= (n + 1) / 2;
            const Part v = x[second ? 2 * (n - 1 - k) + 1 : 2 * k];
            return SINE && second ? -v : v;
        } else if constexpr (RULE == COSINE) {
            const Index m = SINE ? n - 1 - k : k;
            const Complex z = 2 * m <= n ? x[m] : conjugate(x[n - m]), w = turn(m, 2 * n);
            return Part(2) * (z.real * w.real + z.imag * w.imag) * (m == 0 ? edge : factor);
        } else if constexpr (RULE == UNCOSINE) {
            const Part a = x[SINE ? n - 1 - k : k] * (k == 0 ? edge : factor);
            const Part b = k == 0 ? Part(0) : x[SINE ? k - 1 : n - k] * factor;
            const Complex z = turn(k, 2 * n) * Complex(a, -b);
            return k == 0 || 2 * k == n ? Complex(z.real, Part(0)) : z;
        } else if constexpr (RULE == UNFOLD) {
            const Part v = x[k % 2 == 0 ? k / 2 : n - 1 - k / 2];
            return SINE && k % 2 ? -v : v;
        } else if constexpr (RULE == EVEN) {
            const Index j = k < n ? k : 2 * n - 2 - k;
            return x[j] * (j == 0 || j == n - 1 ? edge : Part(1));
        } else if constexpr (RULE == ODD) {
            if (k == 0 || k == n + 1) return Part(0);
            return k <= n ? x[k - 1] : -x[2 * n + 1 - k];
        } else if constexpr (RULE == REAL_PART) {
            return x[k].real * (k == 0 || k == n - 1 ? edge : factor);
        } else if constexpr (RULE == IMAGINARY_PART) {
            return -x[k + 1].imag * factor;
        } else if constexpr (RULE == PAIRS) {
            const Index i = 2 * k, j = n - 1 - 2 * k;
            const Complex z = SINE ? Complex(x[j], x[i]) : Complex(x[i], x[j]);
            return z * conjugate(turn(k, n));
        } else if constexpr (RULE == UNPAIRS) {
            const bool odd = k % 2;
            const Index m = odd ? (n - 1 - k) / 2 : k / 2;
            const Complex z = x[m] * conjugate(turn(4 * m + 1, 4 * n));
            const Part v = Part(2) * (odd ? -z.imag : z.real) * factor;
            return SINE && odd ? -v : v;
        } else if constexpr (RULE == TURNED) {
            if (k >= n) return Complex(Part(0), Part(0));
            const Complex w = conjugate(turn(k, 2 * n));
            return w * x[SINE ? n - 1 - k : k];
        } else {
            const Complex z = x[k] * conjugate(turn(2 * k + 1, 4 * n));
            const Part v = Part(2) * z.real * factor;
            return SINE && k % 2 ? -v : v;
        }
    }

    GPUARRAY_DEVICE static void element(Target* target, const Source* source, UIndex index, Index n, Part factor,
                                        Part edge, const Dimensions& d) {
        Line line = {source, d.source[AXIS], d.lengths[AXIS], true}, mirror = line;
        Index to = 0, k = 0;
#pragma unroll
        for (int axis = NDIM - 1; axis >= 0; --axis) {
            const UIndex quotient = axis ? divide(index, d.multipliers[axis], d.shifts[axis]) : 0;
            const Index i = index - quotient * UIndex(d.shape[axis]);
            index = quotient;
            to += i * d.target[axis];
            if (axis == AXIS) {
                k = i;
            } else {
                const Index j = MIRRORED >> axis & 1 && i != 0 ? d.shape[axis] - i : i;
                line.first += i * d.source[axis];
                mirror.first += j * d.source[axis];
                if (PADDED && i >= d.lengths[axis]) line.inside = false;
                if (PADDED && j >= d.lengths[axis]) mirror.inside = false;
            }
        }
        const Target z = value(line, mirror, k, n, factor, edge);
        if constexpr (IN_PLACE) {
            // A thread alone reads and writes both elements. Without a factor the first one stays as it is.
            if (k != 0 && 2 * k != n) store(target + (mirror.first - source + (n - k) * line.step), reflected(z));
            if (RULE == WHOLE && factor == 1) return;
        }
        store(target + to, z);
    }

    GPUARRAY_DEVICE static void run(Target* target, const Source* source, Index size, Index n, int64_t factor,
                                    int64_t edge_factor, const Dimensions& d) {
        const Part scale = Part(__longlong_as_double(factor)), edge = Part(__longlong_as_double(edge_factor));
        UIndex index = UIndex(blockIdx.x) * blockDim.x + threadIdx.x;
        if constexpr (sizeof(Index) == 4) {
            if (index < UIndex(size)) element(target, source, index, n, scale, edge, d);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (; index < UIndex(size); index += UIndex(gridDim.x) * blockDim.x) {
                element(target, source, index, n, scale, edge, d);
            }
        }
    }
};

}  // namespace gpuarray
