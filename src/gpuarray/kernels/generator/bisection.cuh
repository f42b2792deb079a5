// The last number for which a condition holds that holds up to some number.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

// The last number from `low` on and below `high` for which `holds`, which does for `low`, and for none behind the first
// for which it does not. All lanes of a warp look for one number, at 31 places at once.
template <class Index, class Holds> GPUARRAY_DEVICE Index last_of_warp(Index low, Index high, Holds holds, int lane) {
    while (high - low > 1) {
        const Index step = Index((high - low - 1) / 32 + 1);
        // Compared as a distance: low + lane * step may pass the type's range.
        const bool inside = lane == 0 || Index(lane) <= (high - low - 1) / step;
        const bool held = lane == 0 || (inside && holds(low + Index(lane) * step));
        const int last = __popc(__ballot_sync(0xffffffffu, held)) - 1;
        const Index found = low + last * step;
        if (high - found > step) high = found + step;
        low = found;
    }
    return low;
}

// The same for one thread.
template <class Index, class Holds> GPUARRAY_DEVICE Index last_of(Index low, Index high, Holds holds) {
    while (high - low > 1) {
        const Index middle = low + (high - low) / 2;
        if (holds(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace gpuarray
