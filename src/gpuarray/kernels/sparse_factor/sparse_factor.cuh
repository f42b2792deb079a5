// Sparse triangular systems and sparse factors, a row at a time. A row waits for those that it needs.
//
// All rows are in one launch. Blocks draw tickets, and rows have the order of the tickets: what a row needs belongs to a
// block that has started, so that none waits for ever. (W. Liu, A. Li, J. Hogg, I. Duff and B. Vinter, Euro-Par 2016,
// LNCS 9833, 617-630, solve triangles without levels so; there by atomic additions, here each row adds up its own
// elements in a fixed order, so that a result is the same each time.)
#pragma once

#include "gpuarray/product_terms.cuh"
#include "gpuarray/scan.cuh"
#include "gpuarray/small_matrix.cuh"

namespace gpuarray {

// The memory that rows talk through: a counter of tickets, then messages. It is zeros before a launch.
enum { MESSAGES = 2, SENT = 1 };

// The lanes of a warp that are in the calling lane's group of LANES.
template <int LANES> GPUARRAY_DEVICE uint32_t lanes_of_group() {
    if constexpr (LANES == 32) return 0xffffffffu;
    return ((1u << LANES % 32) - 1) << (threadIdx.x % 32 / LANES * LANES);
}

// Solves a triangular system. LANES lanes have a row and a column of the right-hand sides: each multiplies every element
// number LANES, in order, and then the sums are added in a fixed order. The lanes of a warp go round together, those that
// wait too, since groups of one warp may wait for one another.
template <class Terms, class Element, class Index, int LANES, bool UPPER, bool UNIT>
GPUARRAY_DEVICE void solve_triangle(Element* results, const Index* indptr, const Index* indices, const Element* data,
                                    const Element* right, uint64_t* state, int64_t rows, int64_t columns) {
    typedef Message<Element> Solved;
    const int64_t ticket = draw_ticket(state, gridDim.x).number;
    const int64_t task = ticket * (blockDim.x / LANES) + threadIdx.x / LANES;
    const bool present = task < rows * columns;
    const int64_t number = task / columns, column = task - number * columns;
    const int64_t row = present ? (UPPER ? rows - 1 - number : number) : 0;
    const int lane = threadIdx.x % LANES;
    const uint32_t group = lanes_of_group<LANES>();
    uint64_t* const messages = state + MESSAGES;

    int64_t at = present ? int64_t(indptr[row]) + lane : 0;
    const int64_t end = present ? int64_t(indptr[row + 1]) : 0;
    Element sum{}, diagonal{}, element{}, known{};
    int64_t other = row;
    if (at < end) {
        other = indices[at];
        element = data[at];
    }
    if (present && lane == 0) known = right[row * columns + column];
    bool sent = !present;
    for (;;) {
        if (at < end) {
            bool done = true;
            if (UPPER ? other > row : other < row) {
                Solved solved;
                uint64_t* const slot = messages + (other * columns + column) * Solved::WORDS;
                solved.read(slot);
                done = solved.arrived(SENT);
                if (done) Terms::add(sum, element, solved.receive(slot, SENT));
            } else if (other == row) {
                diagonal = element;
            }
            if (done) {
                at += LANES;
                if (at < end) {
                    other = indices[at];
                    element = data[at];
                }
            }
        }
        const uint32_t pending = __ballot_sync(0xffffffffu, at < end);
        const bool ends = !sent && (pending & group) == 0;
        if (__any_sync(0xffffffffu, ends)) {
            Element total = sum, divisor = diagonal;
#pragma unroll
            for (int distance = LANES / 2; distance > 0; distance /= 2) {
                const auto behind = [=](uint32_t word) { return __shfl_down_sync(0xffffffffu, word, distance, LANES); };
                total = total + moved(total, behind);
                divisor = divisor + moved(divisor, behind);  // one lane has it
            }
            if (ends && lane == 0) {
                const Element rest = known - total;
                const Element result = UNIT ? rest : small::quotient(rest, divisor);
                Solved::send(messages + (row * columns + column) * Solved::WORDS, result, SENT);
                results[row * columns + column] = result;
            }
            sent = sent || ends;
        }
        if (pending == 0) break;
    }
}

// The first place from `begin` on whose index is `index` or more.
template <class Index>
GPUARRAY_DEVICE int64_t place_of(const Index* indices, int64_t begin, int64_t end, int64_t index) {
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (indices[middle] < index) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// Replaces a matrix by its factors L (with ones on its diagonal, which are not stored) and U, in the places that it has:
// what others would get is dropped. (Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, 2003, algorithm
// 10.4.) A warp has a row, whose indices rise. `failed` becomes the first row whose pivot is zero, or is missing.
template <class Terms, class Element, class Index>
GPUARRAY_DEVICE void factor_rows(Element* data, const Index* indptr, const Index* indices, uint64_t* state,
                                 int64_t* failed, int64_t rows) {
    typedef Message<uint32_t> Factored;  // where the row's diagonal is, counted from the row's begin
    const int64_t ticket = draw_ticket(state, gridDim.x).number;
    const int64_t row = ticket * (blockDim.x / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    uint64_t* const messages = state + MESSAGES;
    const int64_t begin = indptr[row], end = indptr[row + 1];
    int64_t at = begin;
    for (; at < end && indices[at] < row; ++at) {
        const int64_t other = indices[at];
        Factored factored;
        factored.read(messages + other);
        const int64_t pivot = int64_t(indptr[other]) + factored.receive(messages + other, SENT);
        __threadfence();
        const int64_t stop = indptr[other + 1];
        const Element factor = pivot < stop ? small::quotient(data[at], data[pivot]) : data[at];
        __syncwarp();
        if (lane == 0) data[at] = factor;
        for (int64_t from = pivot + 1 + lane; from < stop; from += 32) {
            const int64_t index = indices[from], to = place_of(indices, at + 1, end, index);
            if (to < end && indices[to] == index) {
                Element product{};
                Terms::add(product, factor, data[from]);
                data[to] = data[to] - product;
            }
        }
        __syncwarp();
    }
    const bool found = at < end && indices[at] == row;
    if (lane == 0 && !(found && data[at] != Element{})) atomicMin(reinterpret_cast<long long*>(failed), (long long)row);
    __syncwarp();
    if (lane == 0) {
        __threadfence();  // what the other lanes stored is there before the message, too
        Factored::send(messages + row, uint32_t((found ? at : end) - begin), SENT);
    }
}

}  // namespace gpuarray
