// Steps of algorithms on graphs. An edge goes from `from[e]` to `to[e]`. A step is called until it changes nothing.
//
// What threads meet in are minima of integers, so that the end does not depend on the order in which they run, though
// the number of steps may.
#pragma once

#include "gpuarray/types.cuh"

namespace gpuarray {

enum { NOBODY = 0x7fffffff };

template <class Function> GPUARRAY_DEVICE void for_each(int64_t count, Function function) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) function(i);
}

// Another thread may store meanwhile: the value is read anew each time.
template <class T> GPUARRAY_DEVICE T now(const T* place) { return *reinterpret_cast<const volatile T*>(place); }

// ---- components --------------------------------------------------------------------------------

// Vertices have the numbers of earlier ones of their component as labels. The label of the greater of two labels becomes
// the lesser: Y. Shiloach and U. Vishkin, Journal of Algorithms 3 (1982) 57-67.
template <class Index>
GPUARRAY_DEVICE void graph_hook(const Index* from, const Index* to, int32_t* labels, int32_t* changed, int64_t edges) {
    for_each(edges, [&](int64_t e) {
        const int32_t u = now(labels + from[e]), v = now(labels + to[e]);
        if (u == v) return;
        atomicMin(labels + (u < v ? v : u), u < v ? u : v);
        atomicOr(changed, 1);
    });
}

// Each vertex gets the label at the end of its chain.
GPUARRAY_DEVICE void graph_jump(int32_t* labels, int64_t vertices) {
    for_each(vertices, [&](int64_t v) {
        int32_t label = now(labels + v), next = now(labels + label);
        while (next != label) {
            label = next;
            next = now(labels + label);
        }
        *reinterpret_cast<volatile int32_t*>(labels + v) = label;
    });
}

// Whether edges come to a vertex and leave it, of those between vertices whose component is not known yet.
template <class Index>
GPUARRAY_DEVICE void graph_ends(const Index* from, const Index* to, const int32_t* known, int32_t* comes, int32_t* goes,
                                int64_t edges) {
    for_each(edges, [&](int64_t e) {
        const Index u = from[e], v = to[e];
        if (u == v || known[u] >= 0 || known[v] >= 0) return;
        if (!now(goes + u)) atomicOr(goes + u, 1);
        if (!now(comes + v)) atomicOr(comes + v, 1);
    });
}

// The least vertex from which a vertex is reached, of those whose component is not known yet (it is negative).
template <class Index>
GPUARRAY_DEVICE void graph_color(const Index* from, const Index* to, const int32_t* known, int32_t* colors,
                                 int32_t* changed, int64_t edges) {
    for_each(edges, [&](int64_t e) {
        const Index u = from[e], v = to[e];
        if (known[u] >= 0 || known[v] >= 0) return;
        const int32_t color = now(colors + u);
        if (color < now(colors + v)) {
            atomicMin(colors + v, color);
            atomicOr(changed, 1);
        }
    });
}

// Whether a vertex leads to the one whose color it has: these two are in one strong component.
template <class Index>
GPUARRAY_DEVICE void graph_lead_back(const Index* from, const Index* to, const int32_t* known, const int32_t* colors,
                                     int32_t* back, int32_t* changed, int64_t edges) {
    for_each(edges, [&](int64_t e) {
        const Index u = from[e], v = to[e];
        if (known[u] >= 0 || known[v] >= 0 || colors[u] != colors[v] || now(back + u) || !now(back + v)) return;
        back[u] = 1;
        atomicOr(changed, 1);
    });
}

// ---- shortest paths ----------------------------------------------------------------------------

// Integers in the order of floats.
GPUARRAY_DEVICE long long key_of(double x) {
    const long long bits = __double_as_longlong(x + 0.0);  // without a negative zero
    return bits >= 0 ? bits : bits ^ 0x7fffffffffffffffll;
}
GPUARRAY_DEVICE double length_of(long long key) {
    return __longlong_as_double(key >= 0 ? key : key ^ 0x7fffffffffffffffll);
}

GPUARRAY_DEVICE void graph_lengths(const int64_t* keys, double* lengths, int64_t count) {
    for_each(count, [&](int64_t i) { lengths[i] = length_of(keys[i]); });
}

// R. Bellman, Quarterly of Applied Mathematics 16 (1958) 87-90: for each row of lengths, that is a source, each edge.
template <class Index>
GPUARRAY_DEVICE void graph_relax(const Index* from, const Index* to, const double* weights, int64_t* keys,
                                 int32_t* changed, double limit, int64_t edges, int64_t vertices, int64_t count) {
    for_each(count, [&](int64_t i) {
        const int64_t row = i / edges, e = i - row * edges;
        int64_t* const own = keys + row * vertices;
        const double begin = length_of(now(own + from[e]));
        const double length = begin + weights[e];
        if (!(length <= limit) || length == __longlong_as_double(0x7ff0000000000000ll)) return;
        const long long key = key_of(length);
        if (key < now(own + to[e])) {
            atomicMin(reinterpret_cast<long long*>(own + to[e]), key);
            atomicOr(changed, 1);
        }
    });
}

// Whether an edge is on a shortest path: one of infinite length leads nowhere.
template <class Index>
GPUARRAY_DEVICE bool is_tight(const Index* from, const Index* to, const double* weights, const double* lengths,
                              int64_t e) {
    const double end = lengths[to[e]];
    return end < __longlong_as_double(0x7ff0000000000000ll) && lengths[from[e]] + weights[e] == end;
}

// The least number of edges of a shortest path: edges without a length close no circle then.
template <class Index>
GPUARRAY_DEVICE void graph_steps(const Index* from, const Index* to, const double* weights, const double* lengths,
                                 int32_t* steps, int32_t* changed, int64_t edges, int64_t vertices, int64_t count) {
    for_each(count, [&](int64_t i) {
        const int64_t row = i / edges, e = i - row * edges;
        int32_t* const own = steps + row * vertices;
        const int32_t begin = now(own + from[e]);
        if (begin == NOBODY || begin + 1 >= now(own + to[e])) return;
        if (!is_tight(from, to, weights, lengths + row * vertices, e)) return;
        atomicMin(own + to[e], begin + 1);
        atomicOr(changed, 1);
    });
}

// The least of the vertices that are before one on a shortest path.
template <class Index>
GPUARRAY_DEVICE void graph_before(const Index* from, const Index* to, const double* weights, const double* lengths,
                                  const int32_t* steps, int32_t* before, int64_t edges, int64_t vertices,
                                  int64_t count) {
    for_each(count, [&](int64_t i) {
        const int64_t row = i / edges, e = i - row * edges, first = row * vertices;
        const int32_t begin = steps[first + from[e]];
        if (begin == NOBODY || begin + 1 != steps[first + to[e]]) return;
        if (!is_tight(from, to, weights, lengths + first, e)) return;
        atomicMin(before + first + to[e], int32_t(from[e]));
    });
}

// ---- breadth first -----------------------------------------------------------------------------

// The vertex in the front whose edges contain edge e of all their edges; `ends` counts these up.
GPUARRAY_DEVICE int64_t place_in_front(const int64_t* ends, int64_t front, int64_t e) {
    int64_t low = 0, high = front - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ends[middle] > e) high = middle;
        else low = middle + 1;
    }
    return low;
}

// The first edge by which a vertex is found.
template <class Index>
GPUARRAY_DEVICE void graph_claim(const Index* indptr, const Index* to, const int32_t* front, const int64_t* ends,
                                 const int32_t* before, int64_t* claims, int64_t size, int64_t count) {
    for_each(count, [&](int64_t e) {
        const int64_t place = place_in_front(ends, size, e);
        const int32_t u = front[place];
        const int64_t begin = place ? ends[place - 1] : 0;
        const Index v = to[indptr[u] + (e - begin)];
        if (before[v] == NOBODY) atomicMin(reinterpret_cast<long long*>(claims + v), (long long)(e));
    });
}

// The vertices that are found, at the places of the edges that found them.
template <class Index>
GPUARRAY_DEVICE void graph_find(const Index* indptr, const Index* to, const int32_t* front, const int64_t* ends,
                                int32_t* before, const int64_t* claims, int32_t* found, uint8_t* is_found, int64_t size,
                                int64_t count) {
    for_each(count, [&](int64_t e) {
        const int64_t place = place_in_front(ends, size, e);
        const int32_t u = front[place];
        const int64_t begin = place ? ends[place - 1] : 0;
        const Index v = to[indptr[u] + (e - begin)];
        const bool first = claims[v] == e && before[v] == NOBODY;
        found[e] = int32_t(v);
        is_found[e] = first;
        if (first) before[v] = u;
    });
}

// ---- spanning trees ----------------------------------------------------------------------------

// The first edge, in the order of `ranks`, that leaves a component.
template <class Index>
GPUARRAY_DEVICE void graph_nearest(const Index* from, const Index* to, const int64_t* ranks, const int32_t* labels,
                                   int64_t* nearest, int64_t edges) {
    for_each(edges, [&](int64_t e) {
        const int32_t u = labels[from[e]], v = labels[to[e]];
        if (u == v) return;
        const long long rank = ranks[e];
        atomicMin(reinterpret_cast<long long*>(nearest + u), rank);
        atomicMin(reinterpret_cast<long long*>(nearest + v), rank);
    });
}

// Each component joins the one across its edge; of two that choose one edge the lesser stays. O. Boruvka (1926).
template <class Index>
GPUARRAY_DEVICE void graph_join(const Index* from, const Index* to, const int64_t* order, const int64_t* nearest,
                                const int32_t* labels, int32_t* joined, uint8_t* chosen, int32_t* changed,
                                int64_t edges, int64_t vertices) {
    for_each(vertices, [&](int64_t v) {
        const int32_t label = labels[v];
        joined[v] = label;
        if (label != int32_t(v) || nearest[v] >= edges) return;
        const int64_t e = order[nearest[v]];
        const int32_t one = labels[from[e]], two = labels[to[e]];
        const int32_t other = one == label ? two : one;
        chosen[e] = 1;
        atomicOr(changed, 1);
        if (nearest[other] == nearest[v] && label < other) return;
        joined[v] = other;
    });
}

}  // namespace gpuarray
