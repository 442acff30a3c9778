// Next hops from finished distances: for vertices u and v the first step of one path from u to v,
// the same as in every other solver.
//
// An arc (u, x, w) is tight for v when w + d(x, v) = d(u, v). If tight arcs lead to vertices
// strictly nearer to v, the hop is the smallest of these. Other vertices, behind arcs of weight
// zero, are placed by levels. Each pass places the vertices that have a tight arc to v itself or to
// a vertex placed in an earlier pass. The hop is the smallest of these ends. In a graph with
// negative arcs all vertices are placed by levels.
//
// Hops to v depend on column v of d alone, so the columns of a strip can be handled alone. A row of
// them is read along v for each arc of u, so reads are whole lines. Arcs that are longer than the
// distance of their ends begin no shortest path, and are left out where that distance is among the
// columns. O(m) a pass for each column, and a hop for each vertex.
//
// Reference: canonical predecessors in crates/paths/src/oracle/predecessors.rs
#include "element.cuh"

// Columns of a thread.
constexpr u32 width = 4;
constexpr u32 threads = 256;

// The greatest value means none. In a pass by levels the highest bit marks a hop of this
// very pass; vertices have no such numbers.
template <typename Hop> struct Marks {
    static constexpr Hop none = static_cast<Hop>(~0u);
    static constexpr Hop fresh = static_cast<Hop>(none / 2 + 1);
};

struct Graph {
    const u32* offsets;
    const u32* ends;
    const Word* weights;
    // The vertex of the first column, and how many columns there are.
    u32 first;
    u32 n_columns;
    u32 by_levels;
    u32 padding;
};

// One block of 256 threads for each row (x) and each 1024 columns (y). Rows of d begin `stride`
// elements apart; `hops` has `n_columns` a row.
// Rows of d are only read. A hop is written by one thread; in a pass by levels others read
// it meanwhile and see it as it was or marked as fresh, and for them both are "not placed".
template <typename Hop>
__device__ void find_hops(const Element* d, u64 stride, const Graph& graph, Hop* hops, u64* counts) {
    using Mark = Marks<Hop>;
    __shared__ u32 ends[threads];
    __shared__ Word weights[threads];
    __shared__ u32 n_arcs;
    const u32 n_columns = graph.n_columns, u = blockIdx.x;
    const u32 left = blockIdx.y * (threads * width) + threadIdx.x;
    const Element* own = d + u * stride;
    u32 column[width];
    Element distance[width];
    Hop hop[width];
    bool open[width];
#pragma unroll
    for (u32 i = 0; i < width; ++i) {
        const u32 v = left + i * threads;
        column[i] = v < n_columns ? v : 0;
        distance[i] = own[column[i]];
        hop[i] = Mark::none;
        open[i] = v < n_columns && graph.first + v != u && is_reached(distance[i]) &&
                  (!graph.by_levels || hops[(u64)u * n_columns + v] == Mark::none);
    }
    const u32 last = graph.offsets[u + 1];
    for (u32 first = graph.offsets[u]; first < last; first += threads) {
        __syncthreads();
        if (threadIdx.x == 0) n_arcs = 0;
        __syncthreads();
        if (first + threadIdx.x < last) {
            const u32 end = graph.ends[first + threadIdx.x], at = end - graph.first;
            const Word weight = graph.weights[first + threadIdx.x];
            if (at >= n_columns || !(own[at] < element_of(weight))) {
                const u32 place = atomicAdd(&n_arcs, 1);
                ends[place] = end;
                weights[place] = weight;
            }
        }
        __syncthreads();
        for (u32 arc = 0; arc < n_arcs; ++arc) {
            const u32 x = ends[arc];
            const Element weight = element_of(weights[arc]);
            const Element* row = d + (u64)x * stride;
#pragma unroll
            for (u32 i = 0; i < width; ++i) {
                if (!open[i] || x >= hop[i]) continue;
                const Element rest = row[column[i]];
                if (!is_sum(distance[i], weight, rest)) continue;
                bool fits = rest < distance[i];
                if (graph.by_levels) {
                    const Hop other = hops[(u64)x * n_columns + column[i]];
                    fits = x == graph.first + column[i] || (other & Mark::fresh) == 0;
                }
                if (fits) hop[i] = static_cast<Hop>(x);
            }
        }
    }
    u32 still_open = 0, placed = 0;
#pragma unroll
    for (u32 i = 0; i < width; ++i) {
        const bool found = hop[i] != Mark::none;
        const u32 v = left + i * threads;
        still_open += open[i] && !found;
        placed += found;
        if (v >= n_columns || (graph.by_levels && !found)) continue;
        hops[(u64)u * n_columns + v] = static_cast<Hop>(graph.by_levels ? hop[i] | Mark::fresh : hop[i]);
    }
    const u32 all = 0xffffffff;
    if (__any_sync(all, still_open)) {
        for (u32 step = 16; step; step >>= 1) still_open += __shfl_xor_sync(all, still_open, step);
        if (threadIdx.x % 32 == 0) atomicAdd(counts, static_cast<u64>(still_open));
    }
    if (graph.by_levels && __any_sync(all, placed)) {
        for (u32 step = 16; step; step >>= 1) placed += __shfl_xor_sync(all, placed, step);
        if (threadIdx.x % 32 == 0) atomicAdd(counts + 1, static_cast<u64>(placed));
    }
}

// Finds hops: all of them, or those of one level more. Adds to `counts` the pairs left open
// and, by levels, the pairs placed.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(next_hops_narrow)(const Element* d, u64 stride, const Graph graph, u16* hops, u64* counts) {
    find_hops(d, stride, graph, hops, counts);
}

// The same with hops of 32 bits.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(next_hops_wide)(const Element* d, u64 stride, const Graph graph, u32* hops, u64* counts) {
    find_hops(d, stride, graph, hops, counts);
}

// Takes the marks of fresh hops off after a pass by levels. Threads in a line; a hop each, in
// steps of their number.
template <typename Hop> __device__ void settle_hops(Hop* hops, u64 n_hops) {
    using Mark = Marks<Hop>;
    const u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n_hops; i += step) {
        const Hop hop = hops[i];
        if (hop != Mark::none && (hop & Mark::fresh)) hops[i] = hop ^ Mark::fresh;
    }
}

extern "C" __global__ void ENTRY(settle_hops_narrow)(u16* hops, u64 n_hops) { settle_hops(hops, n_hops); }

extern "C" __global__ void ENTRY(settle_hops_wide)(u32* hops, u64 n_hops) { settle_hops(hops, n_hops); }
