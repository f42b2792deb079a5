// The scan family: every element becomes the combination of all elements up to it along one dimension, a line.
//
// A generated kernel names a variant (which threads read which elements), a function object and the strides. The
// function object says what an element becomes (of), how two values make one (combine, associative; the left
// operand is always the one that comes first) and what is stored (finish).
//
//   ScanRows     neighbouring elements belong to one line: WIDTH lanes walk a line (part of a warp, or the block)
//   ScanColumns  neighbouring elements belong to neighbouring lines: threads side by side, each walks down its own
//
// A block either walks whole lines, tile after tile, and carries the combination along; or, where there are too few
// lines to fill the device, it takes one tile and is told by look-back what comes before it. Each element is read
// once and written once in both cases.
//
// Look-back of the usual kind adds up as many aggregates as it finds before the nearest finished prefix, so that the
// rounding of float sums depends on timing. Here the order is fixed: aggregates belong to groups of 32 tiles, and
// groups to spans of 32 groups. A tile combines the aggregates of the tiles before it in its group, those of the
// groups before it in its span, and the prefix of its span; the last tile of a group publishes the group's
// aggregate, the last one of a span the next span's prefix. So only one tile in 1024 has a chain to wait for, and the
// same call always gives the same bits.
#pragma once

#include "gpuarray/elementwise.cuh"

namespace gpuarray {

// ---- threads ----------------------------------------------------------------------------------------------------

template <class T, class Move> GPUARRAY_DEVICE T moved(T value, Move move) {
    enum { WORDS = (sizeof(T) + 3) / 4 };
    uint32_t words[WORDS] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < WORDS; ++i) words[i] = move(words[i]);
    memcpy(&value, words, sizeof(T));
    return value;
}

// The value of the lane `distance` before this one among LANES; of the first ones, their own.
template <int LANES, class T> GPUARRAY_DEVICE T from_before(T value, int distance) {
    return moved(value, [=](uint32_t word) { return __shfl_up_sync(0xffffffffu, word, distance, LANES); });
}
template <int LANES, class T> GPUARRAY_DEVICE T from_lane(T value, int lane) {
    return moved(value, [=](uint32_t word) { return __shfl_sync(0xffffffffu, word, lane, LANES); });
}

// Each lane's value becomes the combination of those up to it among LANES lanes. All 32 lanes must call.
template <class Function, int LANES>
GPUARRAY_DEVICE typename Function::Value scan_lanes(typename Function::Value value, int lane) {
#pragma unroll
    for (int distance = 1; distance < LANES; distance *= 2) {
        const typename Function::Value other = from_before<LANES>(value, distance);
        if (lane >= distance) value = Function::combine(other, value);
    }
    return value;
}

// A value that may be missing: at the start of a line there is nothing to combine with, and not every operation has
// a value that changes nothing (complex products have none: infinity times 1 + 0j has a NaN).
template <class Function> struct Prefix {
    typedef typename Function::Value Value;
    Value value;
    bool present;

    GPUARRAY_DEVICE Prefix() : value(Function::neutral()), present(false) {}
    GPUARRAY_DEVICE Value with(Value next) const { return present ? Function::combine(value, next) : next; }
    GPUARRAY_DEVICE void append(Value next) {
        value = with(next);
        present = true;
    }
    GPUARRAY_DEVICE void append_if(bool condition, Value next) {
        if (condition) append(next);
    }
};

// Sums of counts.
template <class T> struct Counting {
    typedef T Value;
    GPUARRAY_DEVICE static T neutral() { return 0; }
    GPUARRAY_DEVICE static T combine(T a, T b) { return a + b; }
};

// ---- look-back --------------------------------------------------------------------------------------------------

// Memory that blocks talk through. Each 64-bit word is read and written as one, and holds 32 bits of a value beside
// the tag of the launch that wrote it: whoever reads the tag has the bits, and no fence is needed. Words of earlier
// launches have other tags, so nothing has to be cleared.
GPUARRAY_DEVICE uint64_t load_shared_word(const uint64_t* word) {
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}
GPUARRAY_DEVICE void store_shared_word(uint64_t* word, uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

template <class Value> struct Message {
    enum { WORDS = (sizeof(Value) + 3) / 4 };
    uint64_t words[WORDS];

    GPUARRAY_DEVICE static void send(uint64_t* slot, Value value, uint32_t tag) {
        uint32_t parts[WORDS] = {};
        memcpy(parts, &value, sizeof(Value));
#pragma unroll
        for (int i = 0; i < WORDS; ++i) store_shared_word(slot + i, uint64_t(tag) << 32 | parts[i]);
    }
    GPUARRAY_DEVICE void read(const uint64_t* slot) {
#pragma unroll
        for (int i = 0; i < WORDS; ++i) words[i] = load_shared_word(slot + i);
    }
    GPUARRAY_DEVICE bool arrived(uint32_t tag) const {
        bool all = true;
#pragma unroll
        for (int i = 0; i < WORDS; ++i) all = all && uint32_t(words[i] >> 32) == tag;
        return all;
    }
    // Waits for a message that may have been read too early.
    GPUARRAY_DEVICE Value receive(const uint64_t* slot, uint32_t tag) {
        while (!arrived(tag)) read(slot);
        uint32_t parts[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; ++i) parts[i] = uint32_t(words[i]);
        Value value;
        memcpy(&value, parts, sizeof(Value));
        return value;
    }
};

// What a block works on. Tickets are drawn in order, so a block only waits for blocks that have started: it cannot
// matter in which order the device starts them. The last to draw makes the counter ready for the next launch.
struct Ticket {
    uint32_t number, tag;
};

// By one thread, for itself, in two steps: nothing waits for the first one before the second.
GPUARRAY_DEVICE uint64_t ask_for_ticket(uint64_t* lookback) {
    uint64_t drawn;
    // The compiler's own form of it has the thread wait at once.
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;" : "=l"(drawn) : "l"(lookback) : "memory");
    return drawn;
}
GPUARRAY_DEVICE Ticket take_ticket(uint64_t* lookback, uint64_t drawn, uint32_t tickets) {
    if (uint32_t(drawn) == tickets - 1) {
        // Memory starts out as zeros, so no launch has the tag 0.
        const uint32_t next = uint32_t(drawn >> 32) + 1;
        atomicExch(reinterpret_cast<unsigned long long*>(lookback), uint64_t(next == 0xffffffffu ? 0 : next) << 32);
    }
    return Ticket{uint32_t(drawn), uint32_t(drawn >> 32) + 1};
}

// For all threads of a block.
GPUARRAY_DEVICE Ticket draw_ticket(uint64_t* lookback, uint32_t tickets) {
    __shared__ Ticket ticket;
    if (threadIdx.x == 0) ticket = take_ticket(lookback, ask_for_ticket(lookback), tickets);
    __syncthreads();
    return ticket;
}

// Starts to bring memory into the L2 cache.
template <int BLOCK> GPUARRAY_DEVICE void prefetch(const void* memory, uint32_t bytes) {
    for (uint32_t offset = threadIdx.x * 128; offset < bytes; offset += BLOCK * 128) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(memory) + offset));
    }
}

// Where the messages about one line are. With `lines` lines, those about neighbouring lines lie side by side.
template <class Value> struct LookBackState {
    enum { RADIX = 32, WORDS = Message<Value>::WORDS, HEADER = 2 };
    uint64_t *tiles, *groups, *spans;
    uint64_t step;
    uint32_t tag;

    GPUARRAY_DEVICE LookBackState(uint64_t* memory, uint64_t line, uint64_t lines, uint64_t chunks, uint32_t tag)
        : tag(tag) {
        step = lines * WORDS;
        tiles = memory + HEADER + line * WORDS;
        groups = tiles + step * chunks;
        spans = groups + step * (chunks / RADIX + 1);
    }
    GPUARRAY_DEVICE uint64_t* tile(uint32_t chunk) const { return tiles + chunk * step; }
    GPUARRAY_DEVICE uint64_t* group(uint32_t number) const { return groups + number * step; }
    GPUARRAY_DEVICE uint64_t* span(uint32_t number) const { return spans + number * step; }
};

// One line, looked at by one warp: all its lanes call with the total of tile `chunk` and get what comes before it.
//
// A group's aggregate is published later than those of its tiles, and a span's prefix later still. So the group before
// the own one is combined from its tiles again, by the same steps as its publisher's, and the span before the own one
// from its groups as long as the tile is in the span's first group: no tile waits for a message about its neighbours
// that is not their own.
template <class Function>
GPUARRAY_DEVICE Prefix<Function> look_back(const LookBackState<typename Function::Value>& lookback, uint32_t chunk,
                                           typename Function::Value total, int lane) {
    typedef typename Function::Value Value;
    const uint32_t own = chunk / 32, tiles = chunk % 32;
    uint32_t span = own / 32, groups = own % 32;
    if (groups == 0 && span > 0) {
        groups = 32;
        --span;
    }
    if (lane == 0) Message<Value>::send(lookback.tile(chunk), total, lookback.tag);
    // All reads are under way before the first is waited for.
    Message<Value> tile, neighbour, group, before;
    if (lane < tiles) tile.read(lookback.tile(own * 32 + lane));
    if (groups > 0) neighbour.read(lookback.tile(own * 32 - 32 + lane));
    if (lane + 1 < groups) group.read(lookback.group(span * 32 + lane));
    if (span > 0) before.read(lookback.span(span - 1));

    Value last = Function::neutral(), middle = last;
    if (lane < tiles) last = tile.receive(lookback.tile(own * 32 + lane), lookback.tag);
    if (tiles > 0) last = from_lane<32>(scan_lanes<Function, 32>(last, lane), tiles - 1);
    const Value whole = tiles == 31 ? Function::combine(last, total) : total;  // of the group that ends here
    if (tiles == 31 && lane == 0) Message<Value>::send(lookback.group(own), whole, lookback.tag);

    Prefix<Function> prefix;
    if (groups > 0) {
        middle = neighbour.receive(lookback.tile(own * 32 - 32 + lane), lookback.tag);
        const Value most = from_lane<32>(scan_lanes<Function, 32>(middle, lane), 30);
        middle = Function::combine(most, from_lane<32>(middle, 31));
        if (lane + 1 < groups) middle = group.receive(lookback.group(span * 32 + lane), lookback.tag);
        if (lane >= groups) middle = whole;
        middle = scan_lanes<Function, 32>(middle, lane);
    }
    if (span > 0) prefix.append(before.receive(lookback.span(span - 1), lookback.tag));
    if (chunk % 1024 == 1023 && lane == 31) {
        // Lane 31 has the combination of the span's groups, this one included.
        Message<Value>::send(lookback.span(span), prefix.with(middle), lookback.tag);
    }
    if (groups > 0) prefix.append(from_lane<32>(middle, groups - 1));
    prefix.append_if(tiles > 0, last);
    return prefix;
}

// ---- elements ---------------------------------------------------------------------------------------------------

// Where elements are: a pointer to them, or what computes them where they would be read (reduction_computed.cuh), which
// is used as a pointer is. `source.at` is one element; `source.fetch` loads what COUNT neighbours are computed from.
template <class Source, class Index> struct ComputedElements {
    const Source& source;
    Index at;

    template <class Offset> GPUARRAY_DEVICE ComputedElements operator+(Offset offset) const {
        return ComputedElements{source, Index(at + Index(offset))};
    }
    template <class Offset> GPUARRAY_DEVICE auto operator[](Offset offset) const {
        return source.at(Index(at + Index(offset)));
    }
};

template <int VECTOR, class T> GPUARRAY_DEVICE bool are_aligned(const T* from) {
    return Vector<T, VECTOR>::aligned(from);
}
template <int VECTOR, class Source, class Index>
GPUARRAY_DEVICE bool are_aligned(const ComputedElements<Source, Index>&) {
    return true;  // the operands may be anywhere
}

template <int VECTOR, class T> GPUARRAY_DEVICE void read_elements(T* into, const T* from) {
    Vector<T, VECTOR>::copy(into, from);
}
template <int VECTOR, class T, class Source, class Index>
GPUARRAY_DEVICE void read_elements(T* into, const ComputedElements<Source, Index>& from) {
    typename Source::template Fetched<VECTOR> fetched;
    from.source.fetch(fetched, from.at);
    from.source.compute(fetched, into);
}

// `count` of them are read soon.
template <int BLOCK, class T> GPUARRAY_DEVICE void expect_elements(const T* from, uint32_t count) {
    prefetch<BLOCK>(from, count * sizeof(T));
}
template <int BLOCK, class Source, class Index>
GPUARRAY_DEVICE void expect_elements(const ComputedElements<Source, Index>& from, uint32_t count) {
    from.source.template expect<BLOCK>(from.at, count);
}

// ---- variants ---------------------------------------------------------------------------------------------------

// Counted in elements.
template <class Index, int KEPT> struct ScanDimensions {
    typedef Index Offset;
    enum { KEPT_DIMENSIONS = KEPT };

    Index lines, length, chunks;  // chunks: tiles of a line, where blocks take single tiles
    Index input_stride, output_stride;
    Index kept[KEPT], input_strides[KEPT], output_strides[KEPT];
};

template <class Dimensions> struct ScanOffsets {
    typedef typename Dimensions::Offset Index;
    Index input, output;

    GPUARRAY_DEVICE ScanOffsets(const Dimensions& dimensions, typename Unsigned<Index>::type rest)
        : input(0), output(0) {
#pragma unroll
        for (int axis = Dimensions::KEPT_DIMENSIONS - 1; axis >= 0; --axis) {
            Index coordinate = Index(rest);
            if (axis > 0) {
                const typename Unsigned<Index>::type extent = dimensions.kept[axis], quotient = rest / extent;
                coordinate = rest - quotient * extent;
                rest = quotient;
            }
            input += coordinate * dimensions.input_strides[axis];
            output += coordinate * dimensions.output_strides[axis];
        }
    }
};

// Storage for values whose types may have constructors.
template <class Value, int COUNT> struct Shelf {
    alignas(16) unsigned char bytes[COUNT * sizeof(Value)];
    GPUARRAY_DEVICE Value& operator[](int i) { return reinterpret_cast<Value*>(bytes)[i]; }
};

// A warp owns a contiguous part of a tile, in which a thread owns UNROLL vectors, a warp's width of vectors apart: an
// access of a warp covers consecutive memory. With VECTOR > 1 both operands are without gaps, and tiles begin where the
// output is aligned; then what lies before the line's start counts as neutral.
template <class Dimensions, int BLOCK, int WIDTH, int VECTOR, int UNROLL, bool LINKED> struct ScanRows {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum {
        GROUPS = BLOCK / WIDTH,
        LANES = WIDTH < 32 ? WIDTH : 32,
        WARPS = WIDTH / LANES,
        ITEMS = VECTOR * UNROLL,
        STEP = LANES * VECTOR,
        TILE = WIDTH * ITEMS
    };
    static_assert(WIDTH <= 32 || WIDTH == BLOCK, "more than a warp must be the whole block");
    static_assert(VECTOR == 1 || WIDTH >= 32, "lines that share a warp must have their tiles at the same offsets");

    GPUARRAY_DEVICE static Index item_offset(int item) { return item / VECTOR * STEP + item % VECTOR; }

    // `first` is this thread's first index; `whole` says that all of the tile is in the line.
    template <class Function, class Elements>
    GPUARRAY_DEVICE static void load(Elements line, Index stride, Index first, Index length, bool whole,
                                     typename Function::Value (&values)[ITEMS]) {
        typedef typename Function::Element Element;
        alignas(16) Element loaded[ITEMS];
        if constexpr (VECTOR > 1) {
            if (whole && are_aligned<VECTOR>(line + first)) {
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    read_elements<VECTOR>(loaded + u * VECTOR, line + first + u * STEP);
                }
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) values[i] = Function::of(loaded[i]);
                return;
            }
            stride = 1;
        }
        if (whole) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) loaded[i] = line[(first + item_offset(i)) * stride];
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) values[i] = Function::of(loaded[i]);
            return;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const Index index = first + item_offset(i);
            values[i] = UIndex(index) < UIndex(length) ? Function::of(line[index * stride])
                                                              : Function::neutral();
        }
    }

    template <class Function>
    GPUARRAY_DEVICE static void store(typename Function::Result* line, Index stride, Index first, Index length,
                                      bool whole, const typename Function::Value (&values)[ITEMS]) {
        typedef typename Function::Result Result;
        if constexpr (VECTOR > 1) {
            if (whole && Vector<Result, VECTOR>::aligned(line + first)) {
                alignas(16) Result results[ITEMS];
#pragma unroll
                for (int i = 0; i < ITEMS; ++i) Function::finish(results[i], values[i]);
#pragma unroll
                for (int u = 0; u < UNROLL; ++u) {
                    Vector<Result, VECTOR>::copy(line + first + u * STEP, results + u * VECTOR);
                }
                return;
            }
            stride = 1;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const Index index = first + item_offset(i);
            if (UIndex(index) < UIndex(length)) Function::finish(line[index * stride], values[i]);
        }
    }

    // Blocks start nearly in order, so that the tile numbered as the block is about the one that it will draw: the
    // elements are on their way while the ticket is.
    template <class Elements> GPUARRAY_DEVICE static void expect(Elements input, const Dimensions& dimensions) {
        const UIndex chunk = blockIdx.x / UIndex(dimensions.lines);
        if (chunk + 2 >= UIndex(dimensions.chunks)) return;
        const ScanOffsets<Dimensions> offsets(dimensions, blockIdx.x - chunk * UIndex(dimensions.lines));
        expect_elements<BLOCK>(input + offsets.input + Index(chunk * TILE), TILE);
    }

    template <class Function, class Elements>
    GPUARRAY_DEVICE static void run(Elements input, typename Function::Result* output, const Dimensions& dimensions,
                                    uint64_t* memory) {
        typedef typename Function::Value Value;
        const int lane = threadIdx.x % LANES, warp = threadIdx.x % WIDTH / LANES;
        UIndex line = UIndex(blockIdx.x) * GROUPS + threadIdx.x / WIDTH;
        UIndex chunk = 0;
        uint32_t tag = 0;
        if constexpr (LINKED) {
            if constexpr (VECTOR > 1) expect(input, dimensions);
            const Ticket ticket = draw_ticket(memory, gridDim.x);
            chunk = ticket.number / UIndex(dimensions.lines);
            line = ticket.number - chunk * UIndex(dimensions.lines);
            tag = ticket.tag;
        }
        const bool inside = line < UIndex(dimensions.lines);
        const ScanOffsets<Dimensions> offsets(dimensions, inside ? line : 0);
        const Elements source = input + offsets.input;
        typename Function::Result* const target = output + offsets.output;
        const Index length = inside ? dimensions.length : 0;
        Index start = Index(chunk * TILE);
        if constexpr (VECTOR > 1) {
            enum { SIZE = sizeof(typename Function::Result) };
            start -= Index(uint32_t(reinterpret_cast<uint64_t>(target)) % (VECTOR * SIZE) / SIZE);
        }

        Prefix<Function> prefix;
        int turn = 0;
#pragma unroll 1
        for (; start < dimensions.length; start += TILE) {
            const Index first = start + Index(warp * LANES * ITEMS + lane * VECTOR);
            const bool whole = start >= 0 && length - start >= TILE;
            Value values[ITEMS], total;
            load<Function>(source, dimensions.input_stride, first, length, whole, values);
            // Each element is combined with those before it in its vector.
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                if (i % VECTOR > 0) values[i] = Function::combine(values[i - 1], values[i]);
            }
            // Then with all before it in the warp.
            Prefix<Function> before[Function::EXCLUSIVE ? UNROLL : 1];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const Value scanned = scan_lanes<Function, LANES>(values[u * VECTOR + VECTOR - 1], lane);
                const Value row = LANES > 1 ? from_lane<LANES>(scanned, LANES - 1) : scanned;
                Prefix<Function> mine;
                if (u > 0) mine.append(total);
                if (LANES > 1) mine.append_if(lane > 0, from_before<LANES>(scanned, 1));
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) values[u * VECTOR + v] = mine.with(values[u * VECTOR + v]);
                total = u > 0 ? Function::combine(total, row) : row;
                if constexpr (Function::EXCLUSIVE) before[u] = mine;
            }
            Prefix<Function> own = prefix;
            if constexpr (WARPS > 1) {
                __shared__ Shelf<Value, 2 * WARPS> totals;
                if (lane == 0) totals[turn + warp] = total;
                __syncthreads();
                if constexpr (LINKED) {
                    __shared__ Shelf<Value, 1> shared_prefix;
                    if (warp == 0) {
                        total = totals[0];
#pragma unroll
                        for (int w = 1; w < WARPS; ++w) total = Function::combine(total, totals[w]);
                        const LookBackState<Value> lookback(memory, line, dimensions.lines, dimensions.chunks, tag);
                        const Prefix<Function> found = look_back<Function>(lookback, uint32_t(chunk), total, lane);
                        if (lane == 0) shared_prefix[0] = found.value;
                    }
                    __syncthreads();
                    own.value = shared_prefix[0];
                    own.present = chunk > 0;
                }
                Prefix<Function> warps;
#pragma unroll
                for (int w = 0; w < WARPS; ++w) {
                    if (w == warp) own.append_if(w > 0, warps.value);
                    warps.append(totals[turn + w]);
                }
                total = warps.value;
                turn = WARPS - turn;  // one barrier a tile: the next one writes elsewhere
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                if constexpr (Function::EXCLUSIVE) {
                    Prefix<Function> mine = own;
                    mine.append_if(before[u].present, before[u].value);
#pragma unroll
                    for (int v = VECTOR - 1; v > 0; --v) {
                        values[u * VECTOR + v] = own.with(values[u * VECTOR + v - 1]);
                    }
                    values[u * VECTOR] = mine.value;  // the neutral one at the line's start
                } else {
#pragma unroll
                    for (int v = 0; v < VECTOR; ++v) values[u * VECTOR + v] = own.with(values[u * VECTOR + v]);
                }
            }
            store<Function>(target, dimensions.output_stride, first, length, whole, values);
            if constexpr (LINKED) return;
            prefix.append(total);
        }
    }
};

// A tile is COLUMNS lines wide; in it a thread owns UNROLL consecutive elements of its line.
template <class Dimensions, int BLOCK, int COLUMNS, int UNROLL, bool LINKED> struct ScanColumns {
    typedef typename Dimensions::Offset Index;
    typedef typename Unsigned<Index>::type UIndex;
    enum { DEPTH = BLOCK / COLUMNS, TILE = DEPTH * UNROLL, SHARE = DEPTH < 32 ? 32 / DEPTH : 1 };
    static_assert(DEPTH > 1 && DEPTH <= 32, "a look-back divides 32 messages among the threads of a line");

    // The combination of `count` values, of which the threads of a line hold SHARE each in turn. All threads call.
    template <class Function>
    GPUARRAY_DEVICE static typename Function::Value gather(Shelf<typename Function::Value, BLOCK>& shelf, int count,
                                                           const Prefix<Function>& part) {
        shelf[threadIdx.x] = part.value;
        __syncthreads();
        Prefix<Function> all;
#pragma unroll 1
        for (int k = 0; k * SHARE < count; ++k) all.append(shelf[k * COLUMNS + threadIdx.x % COLUMNS]);
        __syncthreads();
        return all.value;
    }

    // The messages number `from` to `from + count`, as `gather` wants them.
    template <class Function>
    GPUARRAY_DEVICE static Prefix<Function> receive(uint64_t* from, uint64_t step, int count, uint32_t tag) {
        typedef typename Function::Value Value;
        const int first = threadIdx.x / COLUMNS * SHARE;
        Message<Value> messages[SHARE];
        Prefix<Function> part;
#pragma unroll
        for (int i = 0; i < SHARE; ++i) {
            if (first + i < count) messages[i].read(from + (first + i) * step);
        }
#pragma unroll
        for (int i = 0; i < SHARE; ++i) {
            if (first + i < count) part.append(messages[i].receive(from + (first + i) * step, tag));
        }
        return part;
    }

    template <class Function>
    GPUARRAY_DEVICE static Prefix<Function> look_back(const LookBackState<typename Function::Value>& lookback,
                                                      uint32_t chunk, typename Function::Value total, bool inside,
                                                      Shelf<typename Function::Value, BLOCK>& shelf) {
        typedef typename Function::Value Value;
        const int tiles = chunk % 32, groups = chunk / 32 % 32;
        const uint32_t span = chunk / 1024;
        const bool speaker = inside && threadIdx.x < COLUMNS;
        if (speaker) Message<Value>::send(lookback.tile(chunk), total, lookback.tag);
        Prefix<Function> prefix, part;
        if (inside) part = receive<Function>(lookback.tile(chunk - tiles), lookback.step, tiles, lookback.tag);
        const Value last = gather<Function>(shelf, tiles, part);
        if (tiles == 31 && speaker) {
            Message<Value>::send(lookback.group(chunk / 32), Function::combine(last, total), lookback.tag);
        }
        part = Prefix<Function>();
        if (inside) part = receive<Function>(lookback.group(chunk / 32 - groups), lookback.step, groups, lookback.tag);
        const Value middle = gather<Function>(shelf, groups, part);
        if (span > 0 && inside) {
            Message<Value> before;
            before.read(lookback.span(span - 1));
            prefix.append(before.receive(lookback.span(span - 1), lookback.tag));
        }
        prefix.append_if(groups > 0, middle);
        prefix.append_if(tiles > 0, last);
        if (chunk % 1024 == 1023 && speaker) {
            Message<Value>::send(lookback.span(span), prefix.with(total), lookback.tag);
        }
        return prefix;
    }

    template <class Function, class Elements>
    GPUARRAY_DEVICE static void run(Elements input, typename Function::Result* output, const Dimensions& dimensions,
                                    uint64_t* memory) {
        typedef typename Function::Value Value;
        __shared__ Shelf<Value, 2 * BLOCK> totals;
        const int column = threadIdx.x % COLUMNS, depth = threadIdx.x / COLUMNS;
        UIndex tile = blockIdx.x, chunk = 0;
        uint32_t tag = 0;
        if constexpr (LINKED) {
            const Ticket ticket = draw_ticket(memory, gridDim.x);
            const UIndex tiles = (UIndex(dimensions.lines) + COLUMNS - 1) / COLUMNS;
            chunk = ticket.number / tiles;
            tile = ticket.number - chunk * tiles;
            tag = ticket.tag;
        }
        const UIndex line = tile * COLUMNS + column;
        const bool inside = line < UIndex(dimensions.lines);
        const ScanOffsets<Dimensions> offsets(dimensions, inside ? line : 0);
        const Index length = inside ? dimensions.length : 0;
        Prefix<Function> prefix;
        int turn = 0;
#pragma unroll 1
        for (Index start = Index(chunk * TILE); start < dimensions.length; start += TILE) {
            const Index first = start + depth * UNROLL;
            Value values[UNROLL];
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                values[i] = first + i < length
                                ? Function::of(input[offsets.input + (first + i) * dimensions.input_stride])
                                : Function::neutral();
            }
#pragma unroll
            for (int i = 1; i < UNROLL; ++i) values[i] = Function::combine(values[i - 1], values[i]);
            totals[turn + threadIdx.x] = values[UNROLL - 1];
            __syncthreads();
            Prefix<Function> before, all;
#pragma unroll
            for (int k = 0; k < DEPTH; ++k) {
                if (k == depth) before = all;
                all.append(totals[turn + k * COLUMNS + column]);
            }
            turn = BLOCK - turn;
            if constexpr (LINKED) {
                __shared__ Shelf<Value, BLOCK> shelf;
                const LookBackState<Value> lookback(memory, inside ? line : 0, dimensions.lines, dimensions.chunks,
                                                    tag);
                prefix = look_back<Function>(lookback, uint32_t(chunk), all.value, inside, shelf);
            }
            Prefix<Function> mine = prefix;
            mine.append_if(before.present, before.value);
            Value previous = mine.value;
#pragma unroll
            for (int i = 0; i < UNROLL; ++i) {
                const Value next = mine.with(values[i]);
                if (first + i < length) {
                    Function::finish(output[offsets.output + (first + i) * dimensions.output_stride],
                                     Function::EXCLUSIVE ? previous : next);
                }
                previous = next;
            }
            if constexpr (LINKED) return;
            prefix.append(all.value);
        }
    }
};

}  // namespace gpuarray
