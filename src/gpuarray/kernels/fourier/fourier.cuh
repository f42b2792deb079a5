// The Fourier family: transforms of lines of complex numbers, a block's lines in shared memory at once, so that each
// element is read and written once, wherever the lines lie.
//
// The algorithm is Stockham's, which leaves the frequencies in order, with large radices in registers (N. K.
// Govindaraju et al., "High performance discrete Fourier transforms on graphics processors", SC 2008). Between two
// stages the elements of a line go through shared memory.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

template <class Part> struct __align__(2 * sizeof(Part)) Pair {
    Part x, y;
    GPUARRAY_DEVICE friend Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
    GPUARRAY_DEVICE friend Pair operator-(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }
    GPUARRAY_DEVICE friend Pair operator*(Pair a, Pair b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
};

GPUARRAY_DEVICE void half_turns(float x, float& sine, float& cosine) { ::sincospif(x, &sine, &cosine); }
GPUARRAY_DEVICE void half_turns(double x, double& sine, double& cosine) { ::sincospi(x, &sine, &cosine); }

// a / b, which is rounded once but in rare cases; faster than a division where the inverse of b is known, or shared.
template <class Part> GPUARRAY_DEVICE Part quotient(Part a, Part b) {
    const Part inverse = Part(1) / b, q = a * inverse;
    return fma(fma(-q, b, a), inverse, q);
}

// exp(SIGN 2 pi i m / length) for 0 <= m < length. POWER says that the length is a power of two: then quotients are
// exact. Else the angle is brought into the first quadrant before it is rounded.
template <int SIGN, bool POWER, class Part> GPUARRAY_DEVICE Pair<Part> turn(uint32_t m, uint32_t length) {
    uint32_t a = 2 * m;
    bool left = false, below = SIGN < 0;
    if (!POWER) {
        if (a > length) a = 2 * length - a, below = !below;
        left = 2 * a > length;
        if (left) a = length - a;
    }
    Pair<Part> w;
    const Part angle = Part(int(a)), whole = Part(int(length));
    half_turns(POWER ? angle * (Part(1) / whole) : quotient(angle, whole), w.y, w.x);
    if (left) w.x = -w.x;
    if (below) w.y = -w.y;
    return w;
}

// A transform of R points in registers, which leaves the frequencies in order.
template <class Part, int SIGN> struct Butterfly {
    typedef Pair<Part> Value;

    GPUARRAY_DEVICE static Value quarter(Value z) { return SIGN < 0 ? Value{z.y, -z.x} : Value{-z.y, z.x}; }

    // z turned by m / 16 of a turn; m is known when this is compiled.
    GPUARRAY_DEVICE static Value turned(Value z, int m) {
        const Part one = 0.92387953251128675613, two = 0.70710678118654752440, three = 0.38268343236508977173;
        Part cosine = 1, sine = 0;
        switch (m) {
            case 0: return z;
            case 1: cosine = one, sine = three; break;
            case 2: cosine = two, sine = two; break;
            case 3: cosine = three, sine = one; break;
            case 4: return quarter(z);
            case 6: cosine = -two, sine = two; break;
            case 9: cosine = -one, sine = -three; break;
        }
        if (SIGN < 0) sine = -sine;
        return z * Value{cosine, sine};
    }

    // Cosine and sine of m / R of a turn, for an odd R.
    template <int R> GPUARRAY_DEVICE static Part cosine(int m) {
        if constexpr (R == 3) return Part(-0.5);
        if constexpr (R == 5) return m == 1 || m == 4 ? Part(0.30901699437494742410) : Part(-0.80901699437494742410);
        return m == 1 || m == 6   ? Part(0.62348980185873353053)
               : m == 2 || m == 5 ? Part(-0.22252093395631440429)
                                  : Part(-0.90096886790241912624);
    }
    template <int R> GPUARRAY_DEVICE static Part sine(int m) {
        const bool below = 2 * m > R;
        const int k = below ? R - m : m;
        Part y = R == 3                ? Part(0.86602540378443864676)
                 : R == 5 && k == 1    ? Part(0.95105651629515357212)
                 : R == 5              ? Part(0.58778525229247312917)
                 : k == 1              ? Part(0.78183148246802980871)
                 : k == 2              ? Part(0.97492791218182360702)
                                       : Part(0.43388373911755812048);
        return below ? -y : y;
    }

    // Three times three points, with factors between them.
    GPUARRAY_DEVICE static void run_nine(Value* v) {
        const Part cosines[] = {Part(0.76604444311897803520), Part(0.17364817766693034885), Part(-0.93969262078590838405)};
        const Part sines[] = {Part(0.64278760968653932632), Part(0.98480775301220805937), Part(0.34202014332566873304)};
        Value w[9];
#pragma unroll
        for (int a = 0; a < 3; ++a) {
            Value part[3] = {v[a], v[a + 3], v[a + 6]};
            run<3>(part);
#pragma unroll
            for (int b = 0; b < 3; ++b) {
                const int m = a * b == 4 ? 2 : a * b - 1;
                w[3 * b + a] = a * b ? part[b] * Value{cosines[m], SIGN * sines[m]} : part[b];
            }
        }
#pragma unroll
        for (int b = 0; b < 3; ++b) {
            run<3>(w + 3 * b);
#pragma unroll
            for (int a = 0; a < 3; ++a) v[3 * a + b] = w[3 * b + a];
        }
    }

    // Of A * B points without a common divisor, by transforms of A and of B points and no factors between them (I. J.
    // Good, "The interaction algorithm and practical Fourier analysis", J. R. Stat. Soc. B 20, 1958).
    template <int A, int B> GPUARRAY_DEVICE static void run_coprime(Value* v) {
        Value w[A * B];
#pragma unroll
        for (int b = 0; b < B; ++b) {
            Value part[A];
#pragma unroll
            for (int a = 0; a < A; ++a) part[a] = v[(B * a + A * b) % (A * B)];
            run<A>(part);
#pragma unroll
            for (int a = 0; a < A; ++a) w[B * a + b] = part[a];
        }
#pragma unroll
        for (int a = 0; a < A; ++a) run<B>(w + B * a);
#pragma unroll
        for (int k = 0; k < A * B; ++k) v[k] = w[B * (k % A) + k % B];
    }

    template <int R> GPUARRAY_DEVICE static void run(Value* v) {
        if constexpr (R % 3 == 0 && R > 3 && R != 9) {
            run_coprime<3, R / 3>(v);
        } else if constexpr (R == 10 || R == 14) {
            run_coprime<R / 2, 2>(v);
        } else if constexpr (R == 9) {
            run_nine(v);
        } else if constexpr (R % 2 == 1) {
            // Sums and differences of the points j and R - j have real factors.
            Value sum[R / 2 + 1], difference[R / 2 + 1];
            const Value first = v[0];
#pragma unroll
            for (int j = 1; j <= R / 2; ++j) {
                sum[j] = v[j] + v[R - j];
                difference[j] = quarter(v[j] - v[R - j]);
                v[0] = v[0] + sum[j];
            }
#pragma unroll
            for (int k = 1; k <= R / 2; ++k) {
                Value a = first, b = {Part(0), Part(0)};
#pragma unroll
                for (int j = 1; j <= R / 2; ++j) {
                    const Part c = cosine<R>(j * k % R), d = sine<R>(j * k % R);
                    a = {a.x + c * sum[j].x, a.y + c * sum[j].y};
                    b = {b.x + d * difference[j].x, b.y + d * difference[j].y};
                }
                v[k] = a + b;
                v[R - k] = a - b;
            }
        } else if constexpr (R == 2) {
            const Value a = v[0], b = v[1];
            v[0] = a + b;
            v[1] = a - b;
        } else if constexpr (R == 4) {
            const Value a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = quarter(v[1] - v[3]);
            v[0] = a + c;
            v[1] = b + d;
            v[2] = a - c;
            v[3] = b - d;
        } else if constexpr (R == 8) {
            Value even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
            run<4>(even);
            run<4>(odd);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const Value z = turned(odd[k], 2 * k);
                v[k] = even[k] + z;
                v[k + 4] = even[k] - z;
            }
        } else {
            Value w[16];
#pragma unroll
            for (int a = 0; a < 4; ++a) {
                Value part[4] = {v[a], v[a + 4], v[a + 8], v[a + 12]};
                run<4>(part);
#pragma unroll
                for (int b = 0; b < 4; ++b) w[4 * b + a] = turned(part[b], a * b);
            }
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                run<4>(w + 4 * b);
#pragma unroll
                for (int a = 0; a < 4; ++a) v[4 * a + b] = w[4 * b + a];
            }
        }
    }
};

// LINES lines of N points are a block's; THREADS threads work on one. IN_ALONG and OUT_ALONG are whether neighbouring
// threads access neighbours of a line, or the same points of neighbouring lines. The index along dimension COLUMN, if it
// is not negative, is that of a column: the lines are the first half of transforms of N * shape[COLUMN] points, and their
// results are turned as the second half needs them. POWER is whether that is a power of two.
// A line has PITCH places in shared memory. TABLED says that the factors between stages come from a table behind them,
// which a block makes while its points are read.
template <class Part, class Index, int N, int LINES, int THREADS, int PITCH, bool TABLED, int SIGN, int NDIM, int COLUMN,
          bool POWER, bool IN_ALONG, bool OUT_ALONG, int... RADICES>
struct FourierLines {
    typedef Pair<Part> Value;
    // Butterflies of radix R of a thread; the last ones of some threads may not be there.
    static constexpr int count(int radix) { return (N / radix + THREADS - 1) / THREADS; }
    static constexpr int most(int a) { return a; }
    template <class... Rest> static constexpr int most(int a, int b, Rest... rest) { return most(a > b ? a : b, rest...); }
    // Points of a thread.
    static constexpr int ITEMS = most(count(RADICES) * RADICES...);

    template <int R> GPUARRAY_DEVICE static bool exists(uint32_t j) { return N / R % THREADS == 0 || j < N / R; }

    // The lines, from slow to fast. Steps are in elements.
    struct Dimensions {
        int64_t shape[NDIM], source[NDIM], target[NDIM];
    };

    // Where a line begins.
    struct Line {
        int64_t source, target;
        Index column;
        GPUARRAY_DEVICE Line(Index number, const Dimensions& d) : source(0), target(0), column(0) {
#pragma unroll
            for (int axis = NDIM - 1; axis >= 0; --axis) {
                Index i = number;
                if (axis) {
                    number /= Index(d.shape[axis]);
                    i -= number * Index(d.shape[axis]);
                }
                source += int64_t(i) * d.source[axis];
                target += int64_t(i) * d.target[axis];
                if (axis == COLUMN) column = i;
            }
        }
    };

    static constexpr bool is_power(uint32_t n) { return (n & (n - 1)) == 0; }

    // A gap behind each 16 elements keeps the accesses of a stage in banks of their own, as the gap between lines does.
    GPUARRAY_DEVICE static uint32_t place(uint32_t i) { return i + i / 16; }
    // That of i + step * q. For powers of two their bits are apart: nothing is carried.
    template <uint32_t STEP> GPUARRAY_DEVICE static uint32_t place(uint32_t i, uint32_t q) {
        return is_power(N) ? place(i) + (STEP * q + STEP * q / 16) : place(i + STEP * q);
    }

    // Turn the elements of a butterfly: v[q] by q * k / length. Powers of two are computed, the others are products of
    // them, so that errors do not add up.
    template <int R, bool POWER> GPUARRAY_DEVICE static void twiddle(Value* v, uint32_t k, uint32_t length) {
        Value w[R];
#pragma unroll
        for (int q = 1; q < R; ++q) {
            const int high = q & 8 ? 8 : q & 4 ? 4 : q & 2 ? 2 : 1;
            w[q] = q == high ? turn<SIGN, POWER, Part>(q * k, length) : w[high] * w[q - high];
            v[q] = v[q] * w[q];
        }
    }

    GPUARRAY_DEVICE static void make_table(Value* table) {
        for (uint32_t i = threadIdx.x; i < N; i += LINES * THREADS) table[place(i)] = turn<SIGN, is_power(N), Part>(i, N);
    }
    // As above, of the butterflies behind NS points.
    template <int NS, int R> GPUARRAY_DEVICE static void twiddle_tabled(Value* v, uint32_t k, const Value* table) {
        k *= N / (NS * R);
#pragma unroll
        for (int q = 1; q < R; ++q) v[q] = v[q] * table[place(q * k)];
    }

    template <int NS, int R, int... REST>
    GPUARRAY_DEVICE static void stages(Value* v, Value* shared, uint32_t t, const Value* table) {
#pragma unroll
        for (int c = 0; c < count(R); ++c) {
            if constexpr (NS > 1) {
                const uint32_t k = (t + c * THREADS) % NS;
                if constexpr (TABLED) {
                    twiddle_tabled<NS, R>(v + c * R, k, table);
                } else {
                    twiddle<R, is_power(NS * R)>(v + c * R, k, NS * R);
                }
            }
            Butterfly<Part, SIGN>::template run<R>(v + c * R);
        }
        if constexpr (sizeof...(REST) > 0) {
            if constexpr (NS > 1) __syncthreads();
#pragma unroll
            for (int c = 0; c < count(R); ++c) {
                const uint32_t j = t + c * THREADS, first = j / NS * NS * R + j % NS;
                if (exists<R>(j)) {
#pragma unroll
                    for (int q = 0; q < R; ++q) shared[place<NS>(first, q)] = v[c * R + q];
                }
            }
            __syncthreads();
            exchange<REST...>(v, shared, t);
            stages<NS * R, REST...>(v, shared, t, table);
        }
    }

    // Read the elements of the next stage.
    template <int R, int... REST> GPUARRAY_DEVICE static void exchange(Value* v, const Value* shared, uint32_t t) {
#pragma unroll
        for (int c = 0; c < count(R); ++c) {
            const uint32_t j = t + c * THREADS;
            if (exists<R>(j)) {
#pragma unroll
                for (int q = 0; q < R; ++q) v[c * R + q] = shared[place<N / R>(j, q)];
            }
        }
    }

    template <int R, int... REST> GPUARRAY_DEVICE static constexpr int first_radix() { return R; }
    template <int R> GPUARRAY_DEVICE static constexpr int last_radix() { return R; }
    template <int R, int S, int... REST> GPUARRAY_DEVICE static constexpr int last_radix() {
        return last_radix<S, REST...>();
    }

    GPUARRAY_DEVICE static void run(Value* target, const Value* source, int64_t source_step, int64_t target_step,
                                    int64_t lines, int64_t factor, const Dimensions& d) {
        extern __shared__ __align__(16) unsigned char storage[];
        constexpr int FIRST = first_radix<RADICES...>(), LAST = last_radix<RADICES...>();
        const Part scale = Part(__longlong_as_double(factor));
        const uint32_t id = threadIdx.x;
        const uint32_t own = IN_ALONG ? id / THREADS : id % LINES, t = IN_ALONG ? id % THREADS : id / LINES;
        Value* const shared = reinterpret_cast<Value*>(storage) + own * PITCH;
        const Index first = Index(blockIdx.x) * LINES, all = Index(lines);
        const Line line(first + own, d);
        Value v[ITEMS];
        if (first + own < all) {
#pragma unroll
            for (int c = 0; c < count(FIRST); ++c) {
                const uint32_t j = t + c * THREADS;
                const Value* p = source + line.source + j * source_step;
                const int64_t step = N / FIRST * source_step;
                if (exists<FIRST>(j)) {
#pragma unroll
                    for (int q = 0; q < FIRST; ++q, p += step) v[c * FIRST + q] = *p;
                }
            }
        }
        Value* const table = reinterpret_cast<Value*>(storage) + LINES * PITCH;
        if constexpr (TABLED) make_table(table);
        stages<1, RADICES...>(v, shared, t, table);
        if constexpr (COLUMN >= 0) {
            // Products of both indices are below the points of the whole transform, which single precision counts.
            const uint32_t columns = uint32_t(d.shape[COLUMN]), column = uint32_t(line.column);
#pragma unroll
            for (int c = 0; c < count(LAST); ++c) {
                const uint32_t j = t + c * THREADS;
                const Value w = turn<SIGN, POWER, Part>(exists<LAST>(j) ? j * column : 0, N * columns);
                twiddle<LAST, POWER>(v + c * LAST, column, LAST * columns);
#pragma unroll
                for (int q = 0; q < LAST; ++q) v[c * LAST + q] = v[c * LAST + q] * w;
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) v[i] = {v[i].x * scale, v[i].y * scale};
        if constexpr (IN_ALONG == OUT_ALONG) {
            if (first + own < all) {
#pragma unroll
                for (int c = 0; c < count(LAST); ++c) {
                    const uint32_t j = t + c * THREADS;
                    Value* p = target + line.target + j * target_step;
                    const int64_t step = N / LAST * target_step;
                    if (exists<LAST>(j)) {
#pragma unroll
                        for (int q = 0; q < LAST; ++q, p += step) *p = v[c * LAST + q];
                    }
                }
            }
        } else {
            if (sizeof...(RADICES) > 1) __syncthreads();
#pragma unroll
            for (int c = 0; c < count(LAST); ++c) {
                const uint32_t j = t + c * THREADS;
                if (exists<LAST>(j)) {
#pragma unroll
                    for (int q = 0; q < LAST; ++q) shared[place<N / LAST>(j, q)] = v[c * LAST + q];
                }
            }
            __syncthreads();
            const uint32_t other = OUT_ALONG ? id / THREADS : id % LINES, u = OUT_ALONG ? id % THREADS : id / LINES;
            const Value* const mine = reinterpret_cast<Value*>(storage) + other * PITCH;
            if (first + other < all) {
                Value* p = target + Line(first + other, d).target + u * target_step;
                const int64_t step = THREADS * target_step;
#pragma unroll
                for (uint32_t i = u; i < N; i += THREADS, p += step) *p = mine[place(i)];
            }
        }
    }
};

}  // namespace gpuarray
