// The family of sparse formats. A matrix in coordinates has a major and a minor index for each entry; a compressed one
// has pointers to where the entries of each line (row or column) start, and their minor indices. What is here checks
// indices, makes one sort key of two of them, and makes of keys in order what a format consists of.
//
// Nothing here depends on the order in which blocks run: what blocks add up are integers, and values that meet at one
// place are added in the order that they have.
#pragma once

#include "gpuarray/complex.cuh"
#include "gpuarray/gather.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

// Calls a function for this thread's elements; neighbouring threads have neighbouring elements.
template <int BLOCK, int ITEMS, class Function> GPUARRAY_DEVICE void for_own(int64_t count, Function function) {
    const int64_t first = int64_t(blockIdx.x) * (BLOCK * ITEMS) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int64_t index = first + i * BLOCK;
        if (index < count) function(index);
    }
}

// What there is to know of indices, in the order of `found`.
enum Found { LEAST, GREATEST, DESCENTS, STAYS, DECREASES, FIRST_POINTER, LAST_POINTER };

template <class Combine> GPUARRAY_DEVICE int64_t over_lanes(int64_t value, Combine combine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value = combine(value, int64_t(__shfl_xor_sync(0xffffffffu, value, distance)));
    }
    return value;
}

// Finds the least and the greatest of indices and of 0; how often an index is less than the one before in its line,
// and how often it is not greater; how often pointers decrease; the first and the last pointer. `lines` is -1 where
// there are no pointers: all indices are one line then. `found` has zeros before.
template <class Index, int BLOCK>
GPUARRAY_DEVICE void check_indices(const Index* indices, const Index* pointers, int64_t* found, int64_t count,
                                   int64_t lines, int64_t at) {
    found += at;
    __shared__ int64_t parts[BLOCK / 32][5];
    const int64_t thread = int64_t(blockIdx.x) * BLOCK + threadIdx.x, step = int64_t(gridDim.x) * BLOCK;
    if (lines >= 0) {
        // What is behind the last pointer is not the matrix's.
        const int64_t end = int64_t(pointers[lines]);
        if (thread == 0) {
            found[FIRST_POINTER] = int64_t(pointers[0]);
            found[LAST_POINTER] = end;
        }
        count = end < 0 ? 0 : end < count ? end : count;
    }
    int64_t least = 0, greatest = 0, descents = 0, stays = 0, decreases = 0;
#pragma unroll 4
    for (int64_t i = thread; i < count; i += step) {
        const int64_t own = int64_t(indices[i]), before = i > 0 ? int64_t(indices[i - 1]) : -1;
        least = own < least ? own : least;
        greatest = own > greatest ? own : greatest;
        descents += i > 0 && own < before;
        stays += i > 0 && own <= before;
    }
    // The same for indices that are behind one another and yet not of one line, to be taken off.
    for (int64_t line = thread; line < lines; line += step) {
        const int64_t start = int64_t(pointers[line]), end = int64_t(pointers[line + 1]);
        decreases += end < start;
        if (start < end && start > 0 && start < count) {
            const int64_t before = int64_t(indices[start - 1]), first = int64_t(indices[start]);
            descents -= first < before;
            stays -= first <= before;
        }
    }
    const auto lesser = [](int64_t a, int64_t b) { return b < a ? b : a; };
    const auto larger = [](int64_t a, int64_t b) { return b > a ? b : a; };
    const auto sum = [](int64_t a, int64_t b) { return a + b; };
    int64_t* const own = parts[threadIdx.x / 32];
    least = over_lanes(least, lesser);
    greatest = over_lanes(greatest, larger);
    descents = over_lanes(descents, sum);
    stays = over_lanes(stays, sum);
    decreases = over_lanes(decreases, sum);
    if (threadIdx.x % 32 == 0) {
        own[LEAST] = least;
        own[GREATEST] = greatest;
        own[DESCENTS] = descents;
        own[STAYS] = stays;
        own[DECREASES] = decreases;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int warp = 1; warp < BLOCK / 32; ++warp) {
        least = lesser(least, parts[warp][LEAST]);
        greatest = larger(greatest, parts[warp][GREATEST]);
        descents += parts[warp][DESCENTS];
        stays += parts[warp][STAYS];
        decreases += parts[warp][DECREASES];
    }
    if (least < 0) atomicMin(found + LEAST, least);
    if (greatest > 0) atomicMax(found + GREATEST, greatest);
    // Sums of both signs, of which the bits are those of unsigned ones.
    if (descents) atomicAdd(reinterpret_cast<uint64_t*>(found) + DESCENTS, uint64_t(descents));
    if (stays) atomicAdd(reinterpret_cast<uint64_t*>(found) + STAYS, uint64_t(stays));
    if (decreases) atomicAdd(reinterpret_cast<uint64_t*>(found) + DECREASES, uint64_t(decreases));
}

// One key of two indices: ordered by the major one, then by the minor one.
template <class Index, class Key, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void pack_keys(const Index* major, const Index* minor, Key* keys, int64_t extent, int64_t count) {
    for_own<BLOCK, ITEMS>(count, [&](int64_t i) { keys[i] = Key(major[i]) * Key(extent) + Key(minor[i]); });
}

// The same with the entry's place in the lowest bits: sorted as they are, such keys say what came from where.
template <class Index, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void pack_places(const Index* major, const Index* minor, uint64_t* packed, int64_t extent,
                                 int64_t bits, int64_t count) {
    for_own<BLOCK, ITEMS>(count, [&](int64_t i) {
        packed[i] = (uint64_t(major[i]) * uint64_t(extent) + uint64_t(minor[i])) << int(bits) | uint64_t(i);
    });
}

template <class Key, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void unpack_places(const uint64_t* packed, Key* keys, int64_t* order, int64_t bits, int64_t count) {
    const uint64_t places = (uint64_t(1) << int(bits)) - 1;
    for_own<BLOCK, ITEMS>(count, [&](int64_t i) {
        keys[i] = Key(packed[i] >> int(bits));
        order[i] = int64_t(packed[i] & places);
    });
}

// Where lines start: the first of the sorted keys that is not less than line * extent.
template <class Key, class Index, int BLOCK>
GPUARRAY_DEVICE void line_pointers(const Key* keys, Index* pointers, int64_t extent, int64_t lines, int64_t count) {
    for_own<BLOCK, 1>(lines + 1, [&](int64_t line) {
        int64_t low = 0, high = count;
        if (line == lines) low = high;  // the product may not fit a key
        const Key wanted = Key(line) * Key(extent);
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (keys[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        pointers[line] = Index(low);
    });
}

// The last line from low to high that starts at an entry or before it: the one that the entry is in.
template <class Index>
GPUARRAY_DEVICE int64_t line_of(const Index* pointers, int64_t entry, int64_t low, int64_t high) {
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (int64_t(pointers[middle]) <= entry) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// The line of each entry. A block's entries are in lines near one another, so that few steps are left to each.
template <class Index, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void expand_pointers(const Index* pointers, Index* majors, int64_t lines, int64_t count) {
    __shared__ int64_t ends[2];
    if (threadIdx.x < 2) {
        const int64_t first = int64_t(blockIdx.x) * (BLOCK * ITEMS), behind = first + BLOCK * ITEMS;
        const int64_t last = (behind < count ? behind : count) - 1;
        ends[threadIdx.x] = line_of(pointers, threadIdx.x ? last : first, 0, lines - 1);
    }
    __syncthreads();
    const int64_t low = ends[0], high = ends[1];
    for_own<BLOCK, ITEMS>(count, [&](int64_t i) { majors[i] = Index(line_of(pointers, i, low, high)); });
}

// Adds values as NumPy does: integers wrap around, and bools are true where one is.
template <class T> struct Added {
    typedef T Element;
    GPUARRAY_DEVICE static T of(T a, T b) { return T(a + b); }
};
template <> struct Added<bool> {
    typedef uint8_t Element;
    GPUARRAY_DEVICE static uint8_t of(uint8_t a, uint8_t b) { return a || b; }
};

// Entries of sorted keys: their indices, and their values from where `order` says. MAJOR: also the major indices.
template <class Key, class Index, class Word, bool MAJOR, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void order_entries(const Key* keys, const int64_t* order, const Word* data, Index* major, Index* minor,
                                   Word* values, int64_t extent, int64_t count) {
    for_own<BLOCK, ITEMS>(count, [&](int64_t i) {
        const Key key = keys[i], quotient = key / Key(extent);
        minor[i] = Index(key - quotient * Key(extent));
        if constexpr (MAJOR) major[i] = Index(quotient);
        values[i] = data[order[i]];
    });
}

// The same where keys are repeated: `starts` says where each of `count` keys first is, and where the last one ends.
// A thread adds the values of a key one after the other; a warp those of a key that is there more than 32 times, each
// lane every 32nd of them.
template <class Key, class Index, class T, bool MAJOR, int BLOCK>
GPUARRAY_DEVICE void sum_entries(const Key* keys, const int64_t* order, const int64_t* starts,
                                 const typename Added<T>::Element* data, Index* major, Index* minor,
                                 typename Added<T>::Element* values, int64_t extent, int64_t count) {
    typedef typename Added<T>::Element Element;
    const int64_t i = int64_t(blockIdx.x) * BLOCK + threadIdx.x;
    const int lane = threadIdx.x % 32;
    int64_t start = 0, end = 0;
    if (i < count) {
        start = starts[i];
        end = starts[i + 1];
    }
    Element total = Element();
    if (start < end && end - start <= 32) {
        total = data[order[start]];
        for (int64_t k = start + 1; k < end; ++k) total = Added<T>::of(total, data[order[k]]);
    }
    uint32_t many = __ballot_sync(0xffffffffu, end - start > 32);
    while (many) {
        const int owner = __ffs(many) - 1;
        many &= many - 1;
        const int64_t first = __shfl_sync(0xffffffffu, start, owner), behind = __shfl_sync(0xffffffffu, end, owner);
        Element part = data[order[first + lane]];
#pragma unroll 4
        for (int64_t k = first + lane + 32; k < behind; k += 32) part = Added<T>::of(part, data[order[k]]);
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            const Element other =
                moved(part, [=](uint32_t word) { return __shfl_down_sync(0xffffffffu, word, distance); });
            part = Added<T>::of(part, other);
        }
        part = from_lane<32>(part, 0);
        if (lane == owner) total = part;
    }
    if (i >= count) return;
    const Key key = keys[start], quotient = key / Key(extent);
    minor[i] = Index(key - quotient * Key(extent));
    if constexpr (MAJOR) major[i] = Index(quotient);
    values[i] = total;
}

// Stores entries, each of which has a place of its own, in a dense array. Indices may have been changed since they
// were checked: what is out of bounds is left out.
template <class Index, class Word, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void store_entries(const Index* major, const Index* minor, const Word* data, Word* dense,
                                   int64_t majors, int64_t minors, int64_t major_step, int64_t minor_step,
                                   int64_t count) {
    for_own<BLOCK, ITEMS>(count, [&](int64_t i) {
        const int64_t row = int64_t(major[i]), column = int64_t(minor[i]);
        if (uint64_t(row) < uint64_t(majors) && uint64_t(column) < uint64_t(minors)) {
            dense[row * major_step + column * minor_step] = data[i];
        }
    });
}

// The elements of diagonals by row: element (i, d) is that of row i and diagonal d, whose columns are those of `data`;
// zero where the diagonal has none there. BY_ROW says that a row's elements are behind one another, else a diagonal's.
template <class Index, class Word, bool BY_ROW, int BLOCK, int ITEMS>
GPUARRAY_DEVICE void align_diagonals(const Word* data, const Index* offsets, Word* aligned, int64_t rows,
                                     int64_t columns, int64_t length, int64_t diagonals) {
    const int64_t end = length < columns ? length : columns;
    for_own<BLOCK, ITEMS>(rows * diagonals, [&](int64_t i) {
        const int64_t row = BY_ROW ? i / diagonals : i % rows, diagonal = BY_ROW ? i % diagonals : i / rows;
        const int64_t column = row + int64_t(offsets[diagonal]);
        aligned[i] = column >= 0 && column < end ? data[diagonal * length + column] : Word();
    });
}

}  // namespace gpuarray
