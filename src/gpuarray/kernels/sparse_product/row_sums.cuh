// A compressed matrix times a vector, and sums of runs of elements.
//
// Each warp takes a share of the merged path (merged_path.cuh), and goes through the elements of it in chunks, without a
// barrier between warps: while some wait for elements of the vector, others add up. Products of a chunk are written to
// shared memory. A lane adds up a row, in the order of its elements; groups of lanes add up rows that are long. Where no
// row ends in a chunk, lanes keep what they have of it until one does.
//
// A short row is all of the share's in which it ends, so that nothing is handed on. Of a long one shares before send what
// they have in a message, and the share in which it ends adds them up, in their order. A share waits for shares of blocks
// that have started before it alone (scan.cuh). Shares follow from the lengths, so that results repeat.
#pragma once

#include "gpuarray/chunk_elements.cuh"
#include "gpuarray/merged_path.cuh"
#include "gpuarray/reduction_combine.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

// `share`: places of a warp. `shares`: how many there are. `shortest`: elements of a row from which on it is a long one.
struct RowSumsDimensions {
    int64_t rows, columns, size, share, shares, shortest;
};

template <class Terms> struct SumOf {
    typedef typename Terms::Sum Value;
    GPUARRAY_DEVICE static Value neutral() { return Value(); }
    GPUARRAY_DEVICE static Value combine(Value a, Value b) { return Terms::joined(a, b); }
};

// No dot product, and one with another vector, which is conjugated.
struct NoDot {
    enum { WANTED = 0 };
};
template <class Result> struct DotWith {
    enum { WANTED = 1 };
    const Result* other;
};

// Terms: of the dot product, where there is one.
template <class Terms, class Result, bool WANTED> struct DotSum {
    GPUARRAY_DEVICE void add(Result, Result) {}
};
template <class Terms, class Result> struct DotSum<Terms, Result, true> {
    typename Terms::Sum sum;

    GPUARRAY_DEVICE DotSum() : sum() {}
    GPUARRAY_DEVICE void add(Result other, Result value) { Terms::add(sum, Terms::word(other), Terms::word(value)); }
};

// T: the dtype of the results. ITEMS: a lane's elements of a chunk.
template <class Terms, class T, class Result, class A, class X, class Index, int BLOCK, int ITEMS, class DotTerms = Terms>
struct RowSums {
    typedef typename Terms::Sum Sum;
    typedef ChunkElements<Terms, A, X, Index, ITEMS> Elements;
    typedef typename Elements::Factor Factor;
    typedef typename Elements::Left Left;
    typedef typename Elements::Right Right;
    typedef SumOf<Terms> Adding;
    // LONG: rows with more elements in a chunk are added up by GROUP lanes, or by all. AHEAD: sums of others that a thread
    // reads at a time.
    enum {
        EACH = Elements::EACH,
        PARTS = Elements::PARTS,
        CHUNK = Elements::CHUNK,
        WARPS = BLOCK / 32,
        LONG = 32,
        GROUP = 8,
        GROUPS = 32 / GROUP,
        AHEAD = 4,
    };

    GPUARRAY_DEVICE static void run(Result* results, const Index* indptr, const Index* indices, const Left* data,
                                    const Right* vector, uint64_t* lookback, const RowSumsDimensions& d) {
        const Ticket ticket = draw_ticket(lookback, gridDim.x);
        DotSum<Terms, Result, false> dot_sum;
        multiply(results, indptr, indices, data, vector, lookback, ticket, d, NoDot(), dot_sum);
    }

    GPUARRAY_DEVICE static void run_with_dot(Result* results, Result* product, const Index* indptr, const Index* indices,
                                             const Left* data, const Right* vector, const Result* other, Sum* parts,
                                             uint32_t* counters, uint64_t* lookback, const RowSumsDimensions& d) {
        const DotWith<Result> dot = {other};
        const Ticket ticket = draw_ticket(lookback, gridDim.x);
        DotSum<DotTerms, Result, true> dot_sum;
        multiply(results, indptr, indices, data, vector, lookback, ticket, d, dot, dot_sum);
        Sum sum = combine_threads<Adding, BLOCK, BLOCK>(dot_sum.sum);
        if (threadIdx.x == 0) parts[ticket.number] = sum;
        if (!is_last_block(counters, gridDim.x)) return;
        sum = Sum();
        for (uint32_t first = threadIdx.x; first < gridDim.x; first += AHEAD * BLOCK) {
            Sum read[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; ++i) read[i] = first + i * BLOCK < gridDim.x ? parts[first + i * BLOCK] : Sum();
#pragma unroll
            for (int i = 0; i < AHEAD; ++i) sum = Terms::joined(sum, read[i]);
        }
        sum = combine_threads<Adding, BLOCK, BLOCK>(sum);
        if (threadIdx.x == 0) *product = Terms::result(sum);
    }

    // A warp's share: its first row and element, and how many there are. What it has of a long row it takes over from shares
    // before it, or hands on.
    struct Share {
        int64_t row, element;
        int rows, elements;
        bool takes_over, hands_on;

        // Between two places, by the rows that end before them. Where pointers fall none of this need hold, but rows and
        // elements are within bounds.
        GPUARRAY_DEVICE Share(const Index* indptr, int64_t place, int64_t next, int64_t first_row, int64_t next_row,
                              const RowSumsDimensions& d)
            : row(first_row) {
            const int64_t most = d.rows - 1;
            const Index* const pointers = indptr + (row < most ? row : most);
            const Index* const next_pointers = indptr + (next_row < most ? next_row : most);
            const int64_t begin = pointers[0], end = pointers[1], last_begin = next_pointers[0], last_end = next_pointers[1];
            rows = next_row < row ? 0 : next_row - row < d.share ? int(next_row - row) : int(d.share);
            element = place - row;
            int64_t stop = next - next_row;
            takes_over = rows > 0 && begin < element;
            if (takes_over && begin >= 0 && end - begin < d.shortest && element - begin < d.shortest) {
                element = begin;
                takes_over = false;
            }
            const bool goes_on = next_row < d.rows && last_begin < stop;
            hands_on = goes_on && last_end - last_begin >= d.shortest;
            if (goes_on && !hands_on) stop = last_begin > element ? last_begin : element;
            elements = stop < element ? 0 : stop - element < 2 * d.share ? int(stop - element) : int(2 * d.share);
        }
    };

    // The next rows of a share, 32 in each window, one a lane: where it ends, and its element of the other vector. Nothing
    // is made of them before they are wanted, and no branch is in the way: a warp would wait for them at once.
    template <class Dot> struct Rows {
        enum { WINDOWS = 2 };
        const Index* pointers;  // behind the start of the first one
        const Dot& dot;
        int64_t first_row;
        int count;
        Index ends[WINDOWS];
        Result others[WINDOWS];

        GPUARRAY_DEVICE void move_to(int row) {
#pragma unroll
            for (int w = 0; w < WINDOWS; ++w) {
                const int own = row + w * 32 + int(threadIdx.x % 32), at = own < count ? own : count - 1;
                ends[w] = pointers[at];
                if constexpr (Dot::WANTED) others[w] = count > 0 ? dot.other[first_row + at] : Result();
            }
        }
    };

    template <class Dot, class DotTotal>
    GPUARRAY_DEVICE static void multiply(Result* results, const Index* indptr, const Index* indices, const Left* data,
                                         const Right* vector, uint64_t* lookback, Ticket ticket,
                                         const RowSumsDimensions& d, const Dot& dot, DotTotal& dot_total) {
        __shared__ Shelf<Sum, WARPS * CHUNK> products;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const int64_t number = int64_t(ticket.number) * WARPS + warp;
        const int64_t all = d.rows + d.size, place = number * d.share < all ? number * d.share : all;
        const int64_t next = all - place > d.share ? place + d.share : all;
        // Each warp searches for the start of its share, and the last one for the block's end as well.
        __shared__ int64_t starts[WARPS + 1];
        const int64_t places[2] = {place, warp == WARPS - 1 ? next : 0};
        int64_t found[2];
        rows_before<32>(found, indptr + 1, d.rows, d.size, places);
        if (lane == 0) starts[warp] = found[0];
        if (threadIdx.x == BLOCK - 1) starts[WARPS] = found[1];
        __syncthreads();
        if (number >= d.shares) return;
        const Share share(indptr, place, next, starts[warp], starts[warp + 1], d);
        const LookBackState<Sum> messages(lookback, 0, 1, uint64_t(d.shares), ticket.tag);
        Sum begun = Sum();  // what there is of the row that goes on; the first lane's
        Sum taken = Sum();  // what there is here of the row that others have begun
        if (share.rows > 0 || share.elements > 0) {
            Sum* const chunk = &products[warp * CHUNK];
            // Elements count from where arrays from the pool are aligned.
            const int64_t base = share.element / 32 * 32;
            const int first = int(share.element - base), stop = first + share.elements;
            indices += base;
            if constexpr (Factor::HAS_DATA) data += base;
            const bool aligned =
                Vector<Index, EACH>::aligned(indices) && (!Factor::HAS_DATA || Vector<Left, EACH>::aligned(data));
            Elements own;
            Elements::read(own.columns, indices, 0, stop, aligned);
            if constexpr (Factor::HAS_DATA) Elements::read(own.left, data, 0, stop, aligned);
            Rows<Dot> rows = {indptr + share.row + 1, dot, share.row, share.rows};
            rows.move_to(0);
            int row = 0;  // the first one that has not ended
            const int taken_row = share.takes_over ? 0 : -1;
            Sum through = Sum();  // a lane's elements of chunks in which no row ends
            bool is_through = false;
            int begin = 0;
            do {
                const int length = begin + CHUNK < stop ? CHUNK : stop - begin;
                own.gather(vector, d.columns, begin, first, stop);
                alignas(16) Sum made[PARTS][EACH];
                own.multiply(made);
                // The next chunk's elements are on their way while rows are added up.
                if (begin + CHUNK < stop) {
                    Elements::read(own.columns, indices, begin + CHUNK, stop, aligned);
                    if constexpr (Factor::HAS_DATA) Elements::read(own.left, data, begin + CHUNK, stop, aligned);
                }
                // Rows end at places in the chunk, or behind it. Where pointers fall, what is before it counts as behind.
                const uint32_t origin = uint32_t(base) + uint32_t(begin);
                const uint32_t row_end = from_lane<32>(uint32_t(rows.ends[0]) - origin, 0);
                if (row == share.rows || row_end > uint32_t(length)) {
#pragma unroll
                    for (int p = 0; p < PARTS; ++p) {
#pragma unroll
                        for (int i = 0; i < EACH; ++i) through = Terms::joined(through, made[p][i]);
                    }
                    is_through = true;
                } else {
#pragma unroll
                    for (int p = 0; p < PARTS; ++p) Vector<Sum, EACH>::copy(chunk + (p * 32 + lane) * EACH, made[p]);
                    __syncwarp();
                    if (is_through) {
                        begun = Terms::joined(begun, combine_lanes<Adding, 32, 32>(through));
                        through = Sum();
                        is_through = false;
                    }
                    int from = begin < first ? first - begin : 0;
                    for (int count = 32; count == 32;) {
#pragma unroll
                        for (int w = 0; w < Rows<Dot>::WINDOWS; ++w) {
                            if (count < 32) break;
                            // The row's elements in the chunk. The first row that does not end in it is begun.
                            const int at = row + lane;
                            const uint32_t last = uint32_t(rows.ends[w]) - origin;
                            const bool ended = at < share.rows && last <= uint32_t(length);
                            const int to = ended ? int(last) : length, before = from_before<32>(to, 1);
                            if (lane > 0) from = before;
                            count = __popc(__ballot_sync(0xffffffffu, ended));
                            const Result other = rows.others[w];
                            row += count;
                            if (count < 32 || w == Rows<Dot>::WINDOWS - 1) rows.move_to(row);
                            Sum sum = sum_of_row(chunk, from, lane <= count ? to : 0);
                            if (lane == 0) sum = Terms::joined(begun, sum);
                            if (ended) {
                                if (at == taken_row) {
                                    taken = sum;
                                } else {
                                    const Result result = Terms::result(sum);
                                    results[share.row + at] = result;
                                    dot_total.add(other, result);
                                }
                            }
                            if (count < 32) {
                                begun = from_lane<32>(sum, count);
                            } else {
                                begun = Sum();
                                from = from_lane<32>(to, 31);
                            }
                        }
                    }
                    __syncwarp();
                }
                begin += CHUNK;
            } while (begin < stop);
            if (is_through) begun = Terms::joined(begun, combine_lanes<Adding, 32, 32>(through));
        }
        // Each share sends a message, and the last of each 32 one for all of them, so that nobody waits in vain whatever the
        // pointers are.
        if (lane == 0) Message<Sum>::send(messages.tile(number), share.hands_on ? begun : Sum(), ticket.tag);
        if (number % 32 == 31) {
            const int64_t next_row = share.row + share.rows;
            Sum whole = Sum();
            if (share.hands_on && share_of(indptr[next_row] + next_row, d) <= number - 31) {
                const uint64_t* const slot = messages.tile(uint32_t(number - 31 + lane));
                Message<Sum> message;
                message.read(slot);
                whole = combine_lanes<Adding, 32, 32>(message.receive(slot, ticket.tag));
            }
            if (lane == 0) Message<Sum>::send(messages.group(uint32_t(number / 32)), whole, ticket.tag);
        }
        if (share.takes_over) {
            const Sum sum = handed_on(messages, share_of(indptr[share.row] + share.row, d), number);
            if (lane == 0) {
                const Result result = Terms::result(Terms::joined(sum, taken));
                results[share.row] = result;
                if constexpr (Dot::WANTED) dot_total.add(dot.other[share.row], result);
            }
        }
    }

    GPUARRAY_DEVICE static int64_t share_of(int64_t place, const RowSumsDimensions& d) {
        return place > 0 ? place / d.share : 0;
    }

    // What shares from one to another have of the row that goes on in the latter; the first lane's.
    GPUARRAY_DEVICE static Sum handed_on(const LookBackState<Sum>& messages, int64_t begin, int64_t end) {
        const int64_t first_group = (begin + 31) / 32, end_group = end / 32;
        const bool grouped = first_group < end_group;
        const int64_t alone = grouped ? first_group * 32 - begin : end - begin;
        const int64_t groups = alone + (grouped ? end_group - first_group : 0);
        const int64_t all = groups + (grouped ? end % 32 : 0);
        Sum sum = Sum();
        for (int64_t from = threadIdx.x % 32; from < all; from += AHEAD * 32) {
            const uint64_t* slots[AHEAD];
            Message<Sum> read[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; ++i) {
                const int64_t at = from + i * 32;
                slots[i] = at < alone || at >= groups
                               ? messages.tile(uint32_t(at < alone ? begin + at : end_group * 32 + (at - groups)))
                               : messages.group(uint32_t(first_group + (at - alone)));
                if (at < all) read[i].read(slots[i]);
            }
#pragma unroll
            for (int i = 0; i < AHEAD; ++i) {
                if (from + i * 32 < all) sum = Terms::joined(sum, read[i].receive(slots[i], messages.tag));
            }
        }
        return combine_lanes<Adding, 32, 32>(sum);
    }

    // The sum of each lane's row of a chunk. A lane adds up a short row by itself. The warp adds up long rows together:
    // GROUPS rows at a time, by GROUP lanes each, or a single one by all lanes.
    GPUARRAY_DEVICE static Sum sum_of_row(const Sum* chunk, int from, int to) {
        Sum sum = Sum();
        const bool is_long = to - from > LONG;
        if (!is_long) {
#pragma unroll 4
            for (int k = from; k < to; ++k) sum = Terms::joined(sum, chunk[k]);
        }
        const int lane = threadIdx.x % 32;
        uint32_t rest = __ballot_sync(0xffffffffu, is_long);
        while (rest != 0) {
            const uint32_t bit = 1u << lane;
            const int rank = __popc(rest & (bit - 1));  // among the lanes whose parts are left
            const bool is_now = (rest & bit) != 0 && rank < GROUPS;
            if ((rest & (rest - 1)) == 0) {
                const Sum part = from_lane<32>(sum_by_lanes<32>(chunk, from, to, rest), 0);
                if (is_now) sum = part;
                break;
            }
            uint32_t own = rest;
#pragma unroll
            for (int group = 1; group < GROUPS; ++group) {
                rest &= rest - 1;
                if (lane / GROUP >= group) own &= own - 1;
            }
            rest &= rest - 1;
            const Sum part = from_lane<32>(sum_by_lanes<GROUP>(chunk, from, to, own), rank % GROUPS * GROUP);
            if (is_now) sum = part;
        }
        return sum;
    }

    // Each group of WIDTH lanes adds up the row of one lane, that of the lowest bit of its `owners`; the group's first lane
    // gets the sum, which is zero without a bit.
    template <int WIDTH>
    GPUARRAY_DEVICE static Sum sum_by_lanes(const Sum* chunk, int from, int to, uint32_t owners) {
        const int owner = (__ffs(owners) - 1) & 31;
        const int begin = from_lane<32>(from, owner), end = from_lane<32>(to, owner);
        Sum part = Sum();
        if (owners != 0) {
#pragma unroll 2
            for (int k = begin + threadIdx.x % WIDTH; k < end; k += WIDTH) part = Terms::joined(part, chunk[k]);
        }
        return combine_lanes<Adding, WIDTH, WIDTH>(part);
    }
};

}  // namespace gpuarray
