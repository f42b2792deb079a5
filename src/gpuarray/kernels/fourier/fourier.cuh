// The Fourier family: transforms of lines of a power of two of complex numbers, a block's lines in shared memory at
// once, so that each element is read and written once, wherever the lines lie.
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

// exp(SIGN i pi x)
template <int SIGN, class Part> GPUARRAY_DEVICE Pair<Part> turn(Part x) {
    Pair<Part> w;
    half_turns(x, w.y, w.x);
    if (SIGN < 0) w.y = -w.y;
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

    template <int R> GPUARRAY_DEVICE static void run(Value* v) {
        if constexpr (R == 2) {
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

// LINES lines of N points are a block's; a thread has ITEMS points of one. IN_ALONG and OUT_ALONG are whether
// neighbouring threads access neighbours of a line, or the same points of neighbouring lines. The index along dimension
// COLUMN, if it is not negative, is that of a column: the lines are the first half of transforms of N * shape[COLUMN]
// points, and their results are turned as the second half needs them.
template <class Part, class Index, int N, int LINES, int ITEMS, int SIGN, int NDIM, int COLUMN, bool IN_ALONG,
          bool OUT_ALONG, int... RADICES>
struct FourierLines {
    typedef Pair<Part> Value;
    static constexpr int THREADS = N / ITEMS;
    // A gap behind each 16 elements, and between lines, keeps the accesses of a stage in banks of their own.
    static constexpr int PITCH = N + N / 16 + (LINES > 1 ? (LINES < 16 ? 16 / LINES : 1) : 0);

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

    // Where a butterfly of radix R has the i-th of a thread's points, which are THREADS apart.
    template <int R> GPUARRAY_DEVICE static constexpr int slot(int i) {
        return i % (ITEMS / R) * R + i / (ITEMS / R);
    }

    GPUARRAY_DEVICE static int place(int i) { return i + (N >= 16 ? i / 16 : 0); }

    // Turn the elements of a butterfly: v[q] by q * x half turns. Powers of two are computed, the others are products
    // of them, so that errors do not add up.
    template <int R> GPUARRAY_DEVICE static void twiddle(Value* v, Part x) {
        Value w[R];
#pragma unroll
        for (int q = 1; q < R; ++q) {
            const int high = q & 8 ? 8 : q & 4 ? 4 : q & 2 ? 2 : 1;
            w[q] = q == high ? turn<SIGN>(x * Part(q)) : w[high] * w[q - high];
            v[q] = v[q] * w[q];
        }
    }

    template <int NS, int R, int... REST>
    GPUARRAY_DEVICE static void stages(Value* v, Value* shared, int t) {
        constexpr int COUNT = ITEMS / R;
#pragma unroll
        for (int c = 0; c < COUNT; ++c) {
            if constexpr (NS > 1) twiddle<R>(v + c * R, Part(2 * ((t + c * THREADS) % NS)) / Part(NS * R));
            Butterfly<Part, SIGN>::template run<R>(v + c * R);
        }
        if constexpr (sizeof...(REST) > 0) {
            if constexpr (NS > 1) __syncthreads();
#pragma unroll
            for (int c = 0; c < COUNT; ++c) {
                const int j = t + c * THREADS, first = j / NS * NS * R + j % NS;
#pragma unroll
                for (int q = 0; q < R; ++q) shared[place(first + q * NS)] = v[c * R + q];
            }
            __syncthreads();
            exchange<REST...>(v, shared, t);
            stages<NS * R, REST...>(v, shared, t);
        }
    }

    // Read the elements of the next stage.
    template <int R, int... REST> GPUARRAY_DEVICE static void exchange(Value* v, const Value* shared, int t) {
#pragma unroll
        for (int c = 0; c < ITEMS / R; ++c) {
#pragma unroll
            for (int q = 0; q < R; ++q) v[c * R + q] = shared[place(t + c * THREADS + q * (N / R))];
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
        const int id = threadIdx.x;
        const int own = IN_ALONG ? id / THREADS : id % LINES, t = IN_ALONG ? id % THREADS : id / LINES;
        Value* const shared = reinterpret_cast<Value*>(storage) + own * PITCH;
        const Index first = Index(blockIdx.x) * LINES, count = Index(lines);
        const Line line(first + own, d);
        Value v[ITEMS];
        if (first + own < count) {
            const Value* p = source + line.source + t * source_step;
            const int64_t step = THREADS * source_step;
#pragma unroll
            for (int i = 0; i < ITEMS; ++i, p += step) v[slot<FIRST>(i)] = *p;
        }
        stages<1, RADICES...>(v, shared, t);
        if constexpr (COLUMN >= 0) {
            // Products of both indices are below the points of the whole transform, which single precision counts.
            const int columns = int(d.shape[COLUMN]), column = int(line.column);
            const Part x = Part(2 * column) / Part(LAST * columns);
#pragma unroll
            for (int c = 0; c < ITEMS / LAST; ++c) {
                const Value w = turn<SIGN>(Part(2 * (t + c * THREADS) * column) / Part(N * columns));
                twiddle<LAST>(v + c * LAST, x);
#pragma unroll
                for (int q = 0; q < LAST; ++q) v[c * LAST + q] = v[c * LAST + q] * w;
            }
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) v[i] = {v[i].x * scale, v[i].y * scale};
        const int64_t step = THREADS * target_step;
        if constexpr (IN_ALONG == OUT_ALONG) {
            if (first + own < count) {
                Value* p = target + line.target + t * target_step;
#pragma unroll
                for (int i = 0; i < ITEMS; ++i, p += step) *p = v[slot<LAST>(i)];
            }
        } else {
            if (sizeof...(RADICES) > 1) __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                shared[place(t + i * THREADS)] = v[slot<LAST>(i)];
            }
            __syncthreads();
            const int other = OUT_ALONG ? id / THREADS : id % LINES, u = OUT_ALONG ? id % THREADS : id / LINES;
            const Value* const mine = reinterpret_cast<Value*>(storage) + other * PITCH;
            if (first + other < count) {
                Value* p = target + Line(first + other, d).target + u * target_step;
#pragma unroll
                for (int i = 0; i < ITEMS; ++i, p += step) *p = mine[place(u + i * THREADS)];
            }
        }
    }
};

}  // namespace gpuarray
