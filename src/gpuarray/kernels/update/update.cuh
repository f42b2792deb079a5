// The update family: elements at index arrays are combined with operands (ufunc.at). An element that is indexed
// several times is combined as often.
//
//   UpdateAtomically  in any order, by atomic operations
//   LocateTargets     the offset of each operand's element, by which operands are sorted
//   UpdateInOrder     in the order of the operands, which have been sorted
//
// The function object says what an element and an operand make (combine) and how that is done atomically (update).
#pragma once

#include "gpuarray/gather.cuh"

namespace gpuarray {

// What a function of one argument has for an operand.
struct NoOperand {};

// Strides in elements: of the operands, the indexed array, the index arrays.
template <class Index_, int NDIM, int ARRAYS> struct UpdateDimensions {
    typedef Index_ Index;
    typedef typename Divided<Index>::type UIndex;

    Index shape[NDIM];
    Index strides[2 + ARRAYS][NDIM];
    Index lengths[ARRAYS];
    Index steps[ARRAYS];

    template <int COUNT> GPUARRAY_DEVICE void split(UIndex rest, Index (&offsets)[COUNT]) const {
#pragma unroll
        for (int k = 0; k < COUNT; ++k) offsets[k] = 0;
#pragma unroll
        for (int axis = NDIM - 1; axis >= 0; --axis) {
            Index coordinate = rest;
            if (axis > 0) {
                const UIndex extent = shape[axis], quotient = rest / extent;
                coordinate = rest - quotient * extent;
                rest = quotient;
            }
#pragma unroll
            for (int k = 0; k < COUNT; ++k) offsets[k] += coordinate * strides[k][axis];
        }
    }

    // The offsets of operand number `rest`, and of the element that it updates.
    template <class... Arrays>
    GPUARRAY_DEVICE void locate(UIndex rest, Index& operand, Index& element, const Arrays*... arrays) const {
        Index offsets[2 + ARRAYS];
        split(rest, offsets);
        int k = 0;
        ((offsets[1] += wrapped<Index>(int64_t(arrays[offsets[2 + k]]), lengths[k]) * steps[k], ++k), ...);
        operand = offsets[0];
        element = offsets[1];
    }
};

template <class Operand> GPUARRAY_DEVICE Operand operand_at(const Operand* operands, int64_t offset) {
    return operands[offset];
}
GPUARRAY_DEVICE NoOperand operand_at(NoOperand, int64_t) { return NoOperand(); }

// An update by compare-and-swap of the word that the element fills.
template <class Function, class Word, class Operand>
GPUARRAY_DEVICE void swap(typename Function::Element* address, Operand operand) {
    typedef typename Function::Element Element;
    static_assert(sizeof(Word) == sizeof(Element), "an element fills a word");
    Word* const word = reinterpret_cast<Word*>(address);
    Word seen = *const_cast<volatile Word*>(word);
#pragma unroll 1
    while (true) {
        Element element;
        memcpy(&element, &seen, sizeof(Word));
        element = Function::combine(element, operand);
        Word wanted;
        memcpy(&wanted, &element, sizeof(Word));
        if (wanted == seen) return;
        const Word found = atomicCAS(word, seen, wanted);
        if (found == seen) return;
        seen = found;
    }
}

template <class Function, int BLOCK, class Dimensions, class Operands, class... Arrays>
GPUARRAY_DEVICE void update_atomically(typename Dimensions::Index size, const Dimensions& dimensions,
                                       Operands operands, typename Function::Element* indexed,
                                       const Arrays*... arrays) {
    typedef typename Dimensions::UIndex UIndex;
    for (UIndex i = UIndex(blockIdx.x) * BLOCK + threadIdx.x; i < UIndex(size); i += UIndex(gridDim.x) * BLOCK) {
        typename Dimensions::Index operand, element;
        dimensions.locate(i, operand, element, arrays...);
        Function::update(indexed + element, operand_at(operands, operand));
    }
}

template <int BLOCK, class Dimensions, class... Arrays>
GPUARRAY_DEVICE void locate_targets(typename Dimensions::Index size, const Dimensions& dimensions, int64_t* targets,
                                    const Arrays*... arrays) {
    typedef typename Dimensions::UIndex UIndex;
    for (UIndex i = UIndex(blockIdx.x) * BLOCK + threadIdx.x; i < UIndex(size); i += UIndex(gridDim.x) * BLOCK) {
        typename Dimensions::Index operand, element;
        dimensions.locate(i, operand, element, arrays...);
        targets[i] = element;
    }
}

// `order` has the operands' numbers by their targets, those of one target in their order. The thread of the first
// of them updates the element with all.
template <class Function, int BLOCK, class Dimensions, class Operands>
GPUARRAY_DEVICE void update_in_order(typename Dimensions::Index size, const Dimensions& dimensions, Operands operands,
                                     typename Function::Element* indexed, const int64_t* targets,
                                     const int64_t* order) {
    typedef typename Dimensions::Index Index;
    typedef typename Dimensions::UIndex UIndex;
    for (UIndex i = UIndex(blockIdx.x) * BLOCK + threadIdx.x; i < UIndex(size); i += UIndex(gridDim.x) * BLOCK) {
        const int64_t target = targets[order[i]];
        if (i > 0 && targets[order[i - 1]] == target) continue;
        typename Function::Element element = indexed[target];
#pragma unroll 1
        for (UIndex k = i; k < UIndex(size); ++k) {
            const int64_t number = order[k];
            if (k > i && targets[number] != target) break;
            Index offsets[1];
            dimensions.split(UIndex(number), offsets);
            element = Function::combine(element, operand_at(operands, offsets[0]));
        }
        indexed[target] = element;
    }
}

}  // namespace gpuarray
