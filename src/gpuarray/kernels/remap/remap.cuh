// The remap family: elements of an array at places that follow from the coordinates in the result, axis by axis.
//
// A thread owns VECTOR elements of the gapless result, 16 bytes that are stored together. Where they come from one run
// of the source, this is read as one aligned word, or as two that are shifted together; elements at the ends of rows
// and where a rule turns around are found one by one.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// What the index i along an axis of the result stands for; the source has n elements along it.
enum Rule {
    COPY,       // i
    CONSTANT,   // i - start, and a number where there is no such element
    EDGE,       // i - start, and the first or last element where there is none
    PERIODIC,   // i + start modulo n
    REFLECT,    // forth and back, the ends once: periods of 2 n - 2, of which `start` elements are left out
    SYMMETRIC,  // forth and back, the ends twice: periods of 2 n
    SKIP        // i, and from `start` on `count` elements are left out, `period` others between two of them
};

template <class Index, class Word, int BLOCK, int VECTOR, int NDIM, int FILLS, bool GAPLESS, class Rules> struct Remap {
    typedef typename Unsigned<Index>::type UIndex;
    typedef gpuarray::Vector<Word, VECTOR> Vector;
    typedef typename Vector::Access Access;
    enum { BYTES = Vector::BYTES, GRAIN = alignof(Word), PIECE = VECTOR < 4 ? VECTOR : 4, LAST = NDIM - 1 };

    struct Starts {
        Index values[NDIM];
    };
    // Numbers: one, or for each axis those before and behind the source's elements.
    struct Fills {
        Word values[FILLS > 0 ? FILLS : 1];
    };
    // Divisions are multiplications by fractions (elementwise/variants.py). Strides are in elements.
    struct Dimensions {
        Index shape[NDIM], multipliers[NDIM], shifts[NDIM];
        Index lengths[NDIM], strides[NDIM];
        Index periods[NDIM], period_multipliers[NDIM], period_shifts[NDIM];
        Index counts[NDIM];
    };

    GPUARRAY_DEVICE static uint32_t high(uint32_t a, uint32_t b) { return __umulhi(a, b); }
    GPUARRAY_DEVICE static uint64_t high(uint64_t a, uint64_t b) { return __umul64hi(a, b); }
    GPUARRAY_DEVICE static UIndex divide(UIndex index, Index multiplier, Index shift) {
        return multiplier ? high(index, UIndex(multiplier)) >> int(shift) : index;
    }

    // The index along an axis of the source; -1 and -2 stand for the numbers before and behind.
    GPUARRAY_DEVICE static Index place(int axis, Index index, const Starts& starts, const Dimensions& dimensions) {
        const Index start = starts.values[axis], length = dimensions.lengths[axis];
        const Rule rule = Rules::of(axis);
        if (rule == COPY) return index;
        if (rule == CONSTANT) return index < start ? -1 : index - start < length ? index - start : -2;
        if (rule == EDGE) return index < start ? 0 : index - start < length ? index - start : length - 1;
        const Index period = dimensions.periods[axis];
        const Index multiplier = dimensions.period_multipliers[axis], shift = dimensions.period_shifts[axis];
        if (rule == SKIP) {
            if (index < start) return index;
            Index skipped = dimensions.counts[axis];
            if (period) {
                const Index before = Index(divide(index - start, multiplier, shift)) + 1;
                skipped = before < skipped ? before : skipped;
            }
            return index + skipped;
        }
        const Index sum = index + start;
        const Index rest = sum - Index(divide(sum, multiplier, shift)) * period;
        if (rule == PERIODIC || rest < length) return rest;
        return rule == REFLECT ? period - rest : period - 1 - rest;
    }

    GPUARRAY_DEVICE static void split(UIndex rest, const Dimensions& dimensions, Index (&coordinates)[NDIM]) {
#pragma unroll
        for (int axis = LAST; axis > 0; --axis) {
            const UIndex quotient = divide(rest, dimensions.multipliers[axis], dimensions.shifts[axis]);
            coordinates[axis] = rest - quotient * UIndex(dimensions.shape[axis]);
            rest = quotient;
        }
        coordinates[0] = rest;
    }

    // Where the axes from `first` to `last` lead: an offset, and the number that counts, if there is one. That of the
    // last axis wins, since axes are padded one after another.
    struct Target {
        Index offset;
        int fill;
    };
    template <int AXES>
    GPUARRAY_DEVICE static Target locate(const Index (&coordinates)[NDIM], const Starts& starts,
                                         const Dimensions& dimensions) {
        Target target = {0, -1};
#pragma unroll
        for (int axis = 0; axis < AXES; ++axis) add(target, axis, place(axis, coordinates[axis], starts, dimensions), dimensions);
        return target;
    }
    GPUARRAY_DEVICE static void add(Target& target, int axis, Index at, const Dimensions& dimensions) {
        if (Rules::of(axis) == CONSTANT && at < 0) {
            target.fill = 2 * axis + (at == -2);
        } else {
            target.offset += at * dimensions.strides[axis];
        }
    }

    GPUARRAY_DEVICE static Word number(const Fills& fills, int fill) {
        Word result = fills.values[0];
        if constexpr (FILLS > 1) {
#pragma unroll
            for (int i = 1; i < FILLS; ++i) {
                if (fill == i) result = fills.values[i];
            }
        }
        return result;
    }

    GPUARRAY_DEVICE static void store(Word* result, UIndex first, const Word (&values)[VECTOR]) {
        Vector::copy(result + first, values);
    }

    // Whether the elements were one run of the source, or one number.
    GPUARRAY_DEVICE static bool together(Word* result, const Word* source, const Starts& starts, const Fills& fills,
                                         UIndex first, UIndex size, const Dimensions& dimensions) {
        if (first + VECTOR > size) return false;
        Index coordinates[NDIM];
        split(first, dimensions, coordinates);
        const Index column = coordinates[LAST];
        if (column + VECTOR > dimensions.shape[LAST]) return false;
        const Index low = place(LAST, column, starts, dimensions);
        const Index high = VECTOR > 1 ? place(LAST, column + VECTOR - 1, starts, dimensions) : low;
        Target target = locate<LAST>(coordinates, starts, dimensions);
        alignas(16) Word values[VECTOR];
        if constexpr (FILLS > 0) {
            const bool inside = Rules::of(LAST) != CONSTANT || (low >= 0 && high >= 0);
            if (inside ? target.fill >= 0 : low == high) {
                if (!inside) target.fill = 2 * LAST + (low == -2);
                const Word value = number(fills, target.fill);
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) values[i] = value;
                store(result, first, values);
                return true;
            }
            if (!inside) return false;
        }
        if (!GAPLESS || high - low != VECTOR - 1) return false;
        const Word* run = source + (target.offset + low);
        const uint32_t excess = uint32_t(reinterpret_cast<uint64_t>(run)) & (BYTES - 1);
        const Access* words = reinterpret_cast<const Access*>(reinterpret_cast<const char*>(run) - excess);
        if (excess == 0) {
            *reinterpret_cast<Access*>(values) = words[0];
        } else {
            // Words that reach beyond the row are not read: they may be no operand's.
            if (low < VECTOR || low + 2 * VECTOR > dimensions.lengths[LAST]) return false;
            *reinterpret_cast<Access*>(values) = join<BYTES, GRAIN>(words[0], words[1], excess);
        }
        store(result, first, values);
        return true;
    }

    GPUARRAY_DEVICE static void vector(Word* result, const Word* source, const Starts& starts, const Fills& fills,
                                       UIndex first, UIndex size, const Dimensions& dimensions) {
        if (first >= size || together(result, source, starts, fills, first, size, dimensions)) return;
#pragma unroll 1
        for (UIndex start = first; start < first + VECTOR; start += PIECE) {
            Word piece[PIECE];
#pragma unroll
            for (int i = 0; i < PIECE; ++i) {
                piece[i] = Word();
                if (start + i < size) {
                    Index coordinates[NDIM];
                    split(start + i, dimensions, coordinates);
                    const Target target = locate<NDIM>(coordinates, starts, dimensions);
                    piece[i] = FILLS > 0 && target.fill >= 0 ? number(fills, target.fill) : source[target.offset];
                }
            }
#pragma unroll
            for (int i = 0; i < PIECE; ++i) {
                if (start + i < size) result[start + i] = piece[i];
            }
        }
    }

    GPUARRAY_DEVICE static void run(Word* result, const Word* source, const Starts& starts, const Fills& fills,
                                    Index size, const Dimensions& dimensions) {
        enum { TILE = BLOCK * VECTOR };
        UIndex first = UIndex(blockIdx.x) * TILE + threadIdx.x * VECTOR;
        if constexpr (sizeof(Index) == 4) {
            vector(result, source, starts, fills, first, size, dimensions);
        } else {
            // A grid has at most 2^31 - 1 blocks.
            for (; first < UIndex(size); first += UIndex(gridDim.x) * TILE) {
                vector(result, source, starts, fills, first, size, dimensions);
            }
        }
    }
};

}  // namespace gpuarray
