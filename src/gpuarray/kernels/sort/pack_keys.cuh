// Several short keys as one integer whose order is theirs, the last of them first.
#pragma once

#include "gpuarray/sort_keys.cuh"

namespace gpuarray {

template <class Keys, class Packed> GPUARRAY_DEVICE Packed packed_behind(Packed before, typename Keys::Word bits) {
    return Packed(before << (8 * sizeof(typename Keys::Word)) | Keys::ordered(bits));
}

}  // namespace gpuarray
