// The fold family: elements along an axis, a line, combined in their order, for functions that are not associative;
// and segments of lines (ufunc.reduceat), for all functions.
//
// The function object says what the first element and the others become (first, of), how the value so far and an
// element make the next value (combine), and what is stored (finish).
#pragma once

#include "gpuarray/elementwise.cuh"
#include "gpuarray/indices.cuh"

namespace gpuarray {

// Strides in elements; those of the mask and of the indices are zero where there are none.
template <class Index, int KEPT> struct FoldDimensions {
    typedef Index Offset;
    enum { KEPT_DIMENSIONS = KEPT };

    Index lines, length, segments;
    Index input_stride, mask_stride, output_stride, index_stride;
    Index kept[KEPT], input_strides[KEPT], mask_strides[KEPT], output_strides[KEPT];
};

// Where a line's operands begin.
template <class Dimensions> struct FoldOffsets {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;

    Index input = 0, mask = 0, output = 0;

    GPUARRAY_DEVICE FoldOffsets(const Dimensions& dimensions, UIndex rest) {
#pragma unroll
        for (int axis = Dimensions::KEPT_DIMENSIONS - 1; axis >= 0; --axis) {
            Index coordinate = Index(rest);
            if (axis > 0) {
                const UIndex extent = dimensions.kept[axis], quotient = rest / extent;
                coordinate = rest - quotient * extent;
                rest = quotient;
            }
            input += coordinate * dimensions.input_strides[axis];
            mask += coordinate * dimensions.mask_strides[axis];
            output += coordinate * dimensions.output_strides[axis];
        }
    }
};

// A thread walks a line, its neighbours the lines beside it. UNROLL elements are loaded before they are combined, so that their loads overlap.
template <class Dimensions, int BLOCK, int UNROLL, bool ACCUMULATES> struct FoldLines {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;

    template <class Function>
    GPUARRAY_DEVICE static void run(const Function& function, const typename Function::Element* input,
                                    const uint8_t* mask, typename Function::Result* output,
                                    const Dimensions& dimensions) {
        typedef typename Function::Element Element;
        typedef typename Function::Value Value;
        const UIndex line = UIndex(blockIdx.x) * BLOCK + threadIdx.x;
        if (line >= UIndex(dimensions.lines)) return;
        const FoldOffsets<Dimensions> offsets(dimensions, line);
        input += offsets.input;
        output += offsets.output;
        if constexpr (Function::MASKED) mask += offsets.mask;

        Value value;
        Index start = 0;
        if constexpr (Function::STARTS) {
            value = function.start();
        } else {
            value = Function::first(input[0]);
            if constexpr (ACCUMULATES) Function::finish(output[0], value);
            start = 1;
        }
#pragma unroll 1
        for (; start < dimensions.length; start += UNROLL) {
            Element elements[UNROLL];
            bool there[UNROLL];
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                there[i] = start + i < dimensions.length;
                if (!there[i]) continue;
                elements[i] = input[(start + i) * dimensions.input_stride];
                if constexpr (Function::MASKED) there[i] = mask[(start + i) * dimensions.mask_stride] != 0;
            }
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                if (!there[i]) continue;
                value = Function::combine(value, Function::of(elements[i]));
                if constexpr (ACCUMULATES) {
                    Function::finish(output[(start + i) * dimensions.output_stride], value);
                }
            }
        }
        if constexpr (!ACCUMULATES) Function::finish(output[0], value);
    }
};

// The value of a lane of the warp.
template <class T> GPUARRAY_DEVICE T of_lane(T value, int lane) {
    enum { WORDS = (sizeof(T) + 3) / 4 };
    uint32_t words[WORDS] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < WORDS; ++i) words[i] = __shfl_sync(0xffffffffu, words[i], lane);
    memcpy(&value, words, sizeof(T));
    return value;
}

// A warp walks a line whose elements are neighbours. Its lanes load elements side by side, those of the next tile
// while this one's are combined: by all lanes, each of which gets all elements in turn.
template <class Dimensions, int BLOCK, int UNROLL, bool ACCUMULATES> struct FoldRows {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { TILE = 32 * UNROLL };

    template <class Function> struct Tile {
        typename Function::Item items[UNROLL];
        uint32_t there[UNROLL];  // a bit for each lane

        GPUARRAY_DEVICE void load(const typename Function::Element* input, const uint8_t* mask,
                                  const Dimensions& dimensions, Index start, int lane) {
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                const Index index = start + i * 32 + lane;
                bool inside = index < dimensions.length;
                items[i] = typename Function::Item();
                if (inside) items[i] = Function::of(input[index * dimensions.input_stride]);
                if constexpr (Function::MASKED) {
                    if (inside) inside = mask[index * dimensions.mask_stride] != 0;
                }
                there[i] = __ballot_sync(0xffffffffu, inside);
            }
            if (!Function::STARTS && start == 0) there[0] &= ~1u;  // the first element is the value so far
        }
    };

    template <class Function>
    GPUARRAY_DEVICE static void run(const Function& function, const typename Function::Element* input,
                                    const uint8_t* mask, typename Function::Result* output,
                                    const Dimensions& dimensions) {
        typedef typename Function::Value Value;
        enum { STEPS = Function::HEAVY ? 1 : 8 };
        const int lane = threadIdx.x % 32;
        const UIndex line = UIndex(blockIdx.x) * (BLOCK / 32) + threadIdx.x / 32;
        if (line >= UIndex(dimensions.lines)) return;
        const FoldOffsets<Dimensions> offsets(dimensions, line);
        input += offsets.input;
        output += offsets.output;
        if constexpr (Function::MASKED) mask += offsets.mask;

        Value value;
        if constexpr (Function::STARTS) {
            value = function.start();
        } else {
            value = Function::first(input[0]);
        }
        Tile<Function> tile, next;
        next.load(input, mask, dimensions, 0, lane);
#pragma unroll 1
        for (Index start = 0; start < dimensions.length; start += TILE) {
            tile = next;
            if (start + TILE < dimensions.length) next.load(input, mask, dimensions, start + TILE, lane);
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                if (start + i * 32 >= dimensions.length) break;
                Value kept = value;
#pragma unroll STEPS
                for (int k = 0; k < 32; ++k) {
                    const typename Function::Item item = of_lane(tile.items[i], k);
                    if (tile.there[i] >> k & 1) value = Function::combine(value, item);
                    if (ACCUMULATES && k == lane) kept = value;
                }
                const Index index = start + i * 32 + lane;
                if (ACCUMULATES && index < dimensions.length) {
                    Function::finish(output[index * dimensions.output_stride], kept);
                }
            }
        }
        if (!ACCUMULATES && lane == 0) Function::finish(output[0], value);
    }
};

// WIDTH threads combine a segment. More than one take turns at its elements, so that the function has to be
// associative and commutative.
template <class Dimensions, int BLOCK, int WIDTH, int UNROLL, bool LINES_FIRST> struct FoldSegments {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { LANES = WIDTH < 32 ? WIDTH : 32, WARPS = WIDTH / LANES };

    template <class Value> GPUARRAY_DEVICE static Value from_behind(Value value, int distance) {
        enum { WORDS = (sizeof(Value) + 3) / 4 };
        uint32_t words[WORDS] = {};
        memcpy(words, &value, sizeof(Value));
#pragma unroll
        for (int i = 0; i < WORDS; ++i) words[i] = __shfl_down_sync(0xffffffffu, words[i], distance, LANES);
        memcpy(&value, words, sizeof(Value));
        return value;
    }

    template <class Function, class Segments>
    GPUARRAY_DEVICE static void run(const Function& function, const typename Function::Element* input,
                                    const Segments* indices, typename Function::Result* output,
                                    const Dimensions& dimensions) {
        typedef typename Function::Element Element;
        typedef typename Function::Value Value;
        const UIndex lines = dimensions.lines, segments = dimensions.segments;
        const UIndex group = UIndex(blockIdx.x) * (BLOCK / WIDTH) + threadIdx.x / WIDTH;
        const int lane = threadIdx.x % WIDTH;
        const bool inside = group < lines * segments;
        UIndex line = 0, segment = 0;
        if (inside) {
            line = LINES_FIRST ? group % lines : group / segments;
            segment = LINES_FIRST ? group / lines : group % segments;
        }
        const FoldOffsets<Dimensions> offsets(dimensions, line);
        input += offsets.input;

        Index start = checked<Index>(indices[Index(segment) * dimensions.index_stride], dimensions.length);
        Index end = dimensions.length;
        if (segment + 1 < segments) {
            end = checked<Index>(indices[Index(segment + 1) * dimensions.index_stride], dimensions.length);
        }
        if (end <= start) end = start + 1;
        if (!inside) end = start;

        Value value{};
        bool some = false;
#pragma unroll 1
        for (start += lane; start < end; start += WIDTH * UNROLL) {
            Element elements[UNROLL];
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                if (start + i * WIDTH < end) elements[i] = input[(start + i * WIDTH) * dimensions.input_stride];
            }
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                if (start + i * WIDTH >= end) continue;
                value = some ? Function::combine(value, Function::of(elements[i])) : Function::first(elements[i]);
                some = true;
            }
        }
        if constexpr (WIDTH > 1) {
#pragma unroll
            for (int distance = LANES / 2; distance > 0; distance /= 2) {
                const Value other = from_behind(value, distance);
                if (__shfl_down_sync(0xffffffffu, int(some), distance, LANES)) {
                    value = some ? Function::combine(value, other) : other;
                    some = true;
                }
            }
        }
        if constexpr (WARPS > 1) {
            __shared__ Value values[WARPS];
            __shared__ bool found[WARPS];
            if (lane % 32 == 0) {
                values[lane / 32] = value;
                found[lane / 32] = some;
            }
            __syncthreads();
            if (lane == 0) {
#pragma unroll
                for (int i = 1; i < WARPS; ++i) {
                    if (found[i]) value = Function::combine(value, values[i]);
                }
            }
        }
        if (inside && lane == 0) {
            Function::finish(output[offsets.output + Index(segment) * dimensions.output_stride], value);
        }
    }
};

}  // namespace gpuarray
