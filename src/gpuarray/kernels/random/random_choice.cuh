// Different integers below a number, as NumPy chooses them: Floyd's algorithm, then a shuffle (J. Bentley, R. Floyd,
// "Programming pearls: a sample of brilliance", 1987).
//
// Item i of Floyd's algorithm draws an integer up to n - count + i, and is n - count + i itself where what it drew was
// chosen before. One after another that takes hundreds of cycles an item. Here many threads draw at once:
//
//   units    A unit that is rejected shifts the items behind it. So a warp takes as many units as are accepted one after
//            another, then those behind the one that is rejected.
//   chosen   What item i drew was chosen before if an item before it drew the same, whether that one kept it or not; or
//            if it is n - count + m, item m comes before i, and what item m drew was chosen before in turn.
//   shuffle  Step i, from the last one down, exchanges item i with item k, which is drawn before. So what ends at i is
//            what was at k by then: what an earlier step j > i put there, that is what was at j by then, or item k.
//            The steps that put something at a place are lists, which each item follows.
#pragma once

#include "gpuarray/random_orders.cuh"
#include "gpuarray/scan.cuh"

namespace gpuarray {

template <class Engine, int BLOCK, int SLOTS> struct Choice {
    enum { MOST = SLOTS * 5 / 6, UNITS = 2 * SLOTS, FREE = ~0u };

    uint64_t words[SLOTS], drawn[MOST];  // then words are links of lists
    uint32_t table[SLOTS];  // an item of each number that was drawn: the first one; then the lists' first steps
    uint16_t other[MOST];   // what the shuffle exchanges an item with
    uint32_t end;
    bool chosen[MOST];  // whether what the item drew is another's

    // The words behind the state, made side by side.
    GPUARRAY_DEVICE void make_words(const Engine& engine) {
        enum { GROUP = Engine::GROUP };
        typename Engine::template Groups<BLOCK> groups(engine, 0);
        for (int first = int(threadIdx.x * GROUP) - int(engine.behind()); first < SLOTS; first += BLOCK * GROUP) {
            uint64_t made[GROUP];
            groups.read(made);
            groups.leap();
#pragma unroll
            for (int i = 0; i < GROUP; ++i) {
                if (first + i >= 0 && first + i < SLOTS) words[first + i] = made[i];
            }
        }
        __syncthreads();
    }

    // Gives units 0 to `units - 1` to items `first` to `items - 1` in order. `take(unit, item, stores)` says whether the
    // item accepts the unit. Returns how many units were needed, or more than `units` if those were too few. One warp does
    // it: an item accepts some units and its neighbour others, so that nothing is known behind a rejected unit.
    template <class Take>
    GPUARRAY_DEVICE uint32_t give(uint32_t units, uint32_t first, uint32_t items, const Take& take) {
        if (threadIdx.x < 32) {
            const uint32_t lane = threadIdx.x;
            uint32_t unit = 0, item = first;
            while (item < items && unit < units) {
                const bool there = item + lane < items && unit + lane < units;
                const bool taken = there && take(unit + lane, item + lane, false);
                const uint32_t rejected = ~__ballot_sync(0xffffffffu, taken);
                const uint32_t given = rejected == 0 ? 32 : __ffs(rejected) - 1;
                if (lane < given) take(unit + lane, item + lane, true);
                item += given;
                unit += given;
                if (item < items && given < 32) ++unit;  // the rejected one
            }
            if (lane == 0) end = item < items ? units + 1 : unit;
        }
        __syncthreads();
        const uint32_t needed = end;
        __syncthreads();
        return needed;
    }

    // Half number `unit` from word `word` on; the first one may be what is left of a word before.
    GPUARRAY_DEVICE uint32_t half(bool left, uint32_t kept, uint32_t word, uint32_t unit) const {
        if (left) {
            if (unit == 0) return kept;
            --unit;
        }
        return uint32_t(words[word + unit / 2] >> unit % 2 * 32);
    }
    // A number of those from 0 to `greatest`, or false if the unit is rejected.
    GPUARRAY_DEVICE static bool bounded(uint32_t unit, uint64_t greatest, uint64_t& number) {
        const uint32_t range = uint32_t(greatest) + 1;
        const uint64_t product = uint64_t(unit) * range;
        number = range == 0 ? unit : product >> 32;
        return uint32_t(product) >= range || uint32_t(product) >= (0u - range) % range;
    }
    GPUARRAY_DEVICE static bool bounded(uint64_t unit, uint64_t greatest, uint64_t& number) {
        const uint64_t range = greatest + 1, rest = unit * range;
        number = __umul64hi(unit, range);
        return rest >= range || rest >= Lemire<64>::threshold(range);
    }

    GPUARRAY_DEVICE uint32_t* find(uint64_t number, uint32_t mask) {
        for (uint32_t slot = uint32_t(number) & mask;; slot = slot + 1 & mask) {
            if (table[slot] == FREE || drawn[table[slot]] == number) return table + slot;
        }
    }
    // Notes the first item of each number.
    GPUARRAY_DEVICE void note(uint32_t item, uint32_t mask) {
        for (uint32_t slot = uint32_t(drawn[item]) & mask;; slot = slot + 1 & mask) {
            const uint32_t there = atomicCAS(table + slot, uint32_t(FREE), item);
            if (there == FREE) return;
            if (drawn[there] != drawn[item]) continue;
            atomicMin(table + slot, item);
            return;
        }
    }

    // Returns whether there were enough words, and no item but the first draws otherwise than the others.
    GPUARRAY_DEVICE bool choose(const uint64_t* state, uint64_t* next, int64_t* output, uint64_t population,
                                uint32_t count, uint32_t mask, bool shuffled) {
        const uint64_t lowest = population - count;
        const bool narrow = population <= 1ull << 32;
        if (!narrow && lowest < 1ull << 32) return false;
        make_words(Engine(state + STATE_HEADER));
        for (uint32_t i = threadIdx.x; i <= mask; i += BLOCK) table[i] = FREE;
        const bool left = state[0] != 0;
        const uint32_t kept = uint32_t(state[1]);
        const uint32_t first = lowest == 0, halves = UNITS + left;  // 0 is drawn without a unit
        if (threadIdx.x == 0) drawn[0] = 0;
        uint32_t used = 0, read = 0;  // words, then halves
        if (narrow) {
            read = give(halves, first, count, [&](uint32_t unit, uint32_t item, bool stores) {
                uint64_t number;
                if (!bounded(half(left, kept, 0, unit), lowest + item, number)) return false;
                if (stores) drawn[item] = number;
                return true;
            });
        } else {
            used = give(SLOTS, first, count, [&](uint32_t unit, uint32_t item, bool stores) {
                uint64_t number;
                if (!bounded(words[unit], lowest + item, number)) return false;
                if (stores) drawn[item] = number;
                return true;
            });
        }
        if (read > halves || used > SLOTS) return false;
        if (shuffled) {
            const uint32_t rest = halves - 2 * used - read, before = read;
            const uint32_t more = give(rest, 1, count, [&](uint32_t unit, uint32_t item, bool stores) {
                uint64_t number;
                const uint32_t place = count - item;
                if (!bounded(half(left, kept, used, before + unit), place, number)) return false;
                if (stores) other[place] = uint16_t(number);
                return true;
            });
            if (more > rest) return false;
            read += more;
        }
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) note(i, mask);
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
            uint32_t item = i;
            bool found;
            for (;;) {
                found = *find(drawn[item], mask) < item;
                if (found || drawn[item] < lowest || drawn[item] - lowest >= item) break;
                item = uint32_t(drawn[item] - lowest);
            }
            chosen[i] = found;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
            if (chosen[i]) drawn[i] = lowest + i;
        }
        __syncthreads();
        if (threadIdx.x == BLOCK - 1) {
            Stream<Engine> stream(state);
            stream.template skip<64>(used);
            stream.template skip<32>(read);
            stream.save(next);
        }
        if (shuffled) list_steps(count);
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) output[i] = int64_t(drawn[shuffled ? source(i) : i]);
        return true;
    }

    // Lists, for each place, the steps of the shuffle that put something there.
    GPUARRAY_DEVICE void list_steps(uint32_t count) {
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) table[i] = FREE;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
            if (i > 0) words[i] = atomicExch(table + other[i], i);
        }
        __syncthreads();
    }
    // The item that the shuffle leaves at place i.
    GPUARRAY_DEVICE uint32_t source(uint32_t i) const {
        uint32_t place = i > 0 ? other[i] : 0;
        for (uint32_t step = i;;) {
            // Of the steps before, the last one that put something there.
            uint32_t last = FREE;
            for (uint32_t j = table[place]; j != FREE; j = uint32_t(words[j])) {
                if (j > step && j < last) last = j;
            }
            if (last == FREE) return place;
            place = step = last;
        }
    }
    // One thread does it all: for engines that cannot jump, and where `choose` gives up.
    GPUARRAY_DEVICE void choose_serially(const uint64_t* state, uint64_t* next, int64_t* output, uint64_t population,
                                         uint32_t count, uint32_t mask, bool shuffled) {
        const uint64_t free = ~0ull;
        uint64_t* const numbers = words;  // the table
        for (uint32_t i = threadIdx.x; i <= mask; i += BLOCK) numbers[i] = free;
        __syncthreads();
        if (threadIdx.x == 0) {
            Stream<Engine> stream(state, next);
#pragma unroll 1
            for (uint32_t i = 0; i < count; ++i) {
                const uint64_t greatest = population - count + i;
                uint64_t value = one_bounded(stream, greatest);
                uint32_t slot = uint32_t(value) & mask;
                while (numbers[slot] != free && numbers[slot] != value) slot = slot + 1 & mask;
                if (numbers[slot] != free) {
                    // Chosen before: the interval's greatest number cannot have been.
                    value = greatest;
                    slot = uint32_t(value) & mask;
                    while (numbers[slot] != free) slot = slot + 1 & mask;
                }
                numbers[slot] = value;
                drawn[i] = value;
            }
            if (shuffled) shuffle<Multiplied>(stream, reinterpret_cast<int64_t*>(drawn), 1, count);
            stream.save(next);
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += BLOCK) output[i] = int64_t(drawn[i]);
    }
};

// `count` different integers below `population`: with a table of places whose number is a power of two and `mask` + 1,
// SLOTS at most. They are shuffled unless their order does not matter.
template <class Engine, bool PARALLEL, int BLOCK, int SLOTS>
GPUARRAY_DEVICE void choose(const uint64_t* state, uint64_t* next, int64_t* output, uint64_t population,
                            uint32_t count, uint32_t mask, uint32_t shuffled) {
    __shared__ Choice<Engine, BLOCK, SLOTS> shared;
    if constexpr (PARALLEL) {
        if (shared.choose(state, next, output, population, count, mask, shuffled != 0)) return;
        __syncthreads();
    }
    shared.choose_serially(state, next, output, population, count, mask, shuffled != 0);
}

}  // namespace gpuarray
