// The tree of a breadth-first search, from its levels: a second pass.
//
// A vertex takes the smallest of the starts of its arcs that are one level nearer. Where every
// arc has its reverse it looks for that itself, and where rows ascend it stops at the first;
// otherwise all arcs offer their starts.
//
// Launch: 256 threads a block, any number of blocks. Reads the graph and the levels; writes
// `chosen`. Races: none in the one kernel; in the other a choice only falls, by atomicMin, from
// no_vertex, where it must stand before.

#include "breadth_first/search.cuh"

// Arcs that a lane looks at by itself, before the warp helps it.
constexpr u32 own_arcs = 16;
// Arcs that a warp takes at a time.
constexpr u32 arcs_at_once = 512;

// Every arc has its reverse. A lane a vertex; levels above `limit` are none.
extern "C" __global__ void __launch_bounds__(256)
    breadth_first_tree(const u32* offsets, const u32* ends, const u32* levels, u32* chosen, u32 n_vertices,
                       u32 limit, u32 rows_ascend) {
    for (u32 word = grid_warp(); word < words_of(n_vertices); word += grid_warps()) {
        const u32 vertex = word * 32 + lane();
        const u32 level = vertex < n_vertices ? __ldg(levels + vertex) : unreached;
        u32 arc = 0, end = 0, least = no_vertex;
        if (level != 0 && level <= limit && level != unreached) {
            arc = __ldg(offsets + vertex);
            end = __ldg(offsets + vertex + 1);
        }
        const u32 own_end = arc + min(end - arc, own_arcs);
        while (arc < own_end) {
            u32 from[4], of[4];
#pragma unroll
            for (u32 k = 0; k < 4; ++k) from[k] = __ldg(ends + min(arc + k, own_end - 1));
#pragma unroll
            for (u32 k = 0; k < 4; ++k) of[k] = __ldg(levels + from[k]);
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                if (of[k] == level - 1) least = min(least, from[k]);
            }
            arc = min(arc + 4, own_end);
            if (rows_ascend && least != no_vertex) end = arc = own_end;
        }
        for (u32 rest = __ballot_sync(everyone, arc < end); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const u32 nearer = __shfl_sync(everyone, level, owner) - 1;
            const u32 row_end = __shfl_sync(everyone, end, owner);
            u32 mine = no_vertex;
            for (u32 at = __shfl_sync(everyone, arc, owner) + lane(); __any_sync(everyone, at < row_end); at += 128) {
#pragma unroll
                for (u32 k = 0; k < 128; k += 32) {
                    const u32 from = at + k < row_end ? __ldg(ends + at + k) : no_vertex;
                    if (from != no_vertex && __ldg(levels + from) == nearer) mine = min(mine, from);
                }
                if (rows_ascend && __any_sync(everyone, mine != no_vertex)) break;
            }
            mine = warp_min(mine);
            if (lane() == owner) least = min(least, mine);
        }
        if (vertex < n_vertices) chosen[vertex] = least;
    }
}

// The row of an arc, between these two.
__device__ __forceinline__ u32 row_of_arc(const u32* offsets, u32 arc, u32 first, u32 last) {
    // the last one that begins at the arc or before
    while (first < last) {
        const u32 middle = first + (last - first + 1) / 2;
        if (__ldg(offsets + middle) <= arc) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return first;
}

// Arcs lead one way. A warp takes as many arcs as every other, whatever their rows.
extern "C" __global__ void __launch_bounds__(256)
    breadth_first_tree_of_arcs(const u32* offsets, const u32* ends, const u32* levels, u32* chosen, u32 n_vertices,
                               u32 n_arcs, u32 limit) {
    const u32 n_parts = (n_arcs + arcs_at_once - 1) / arcs_at_once;
    for (u32 part = grid_warp(); part < n_parts; part += grid_warps()) {
        const u32 begin = part * arcs_at_once, end = begin + min(n_arcs - begin, arcs_at_once);
        const u32 first = row_of_arc(offsets, begin, 0, n_vertices - 1);
        const u32 last = row_of_arc(offsets, end - 1, first, n_vertices - 1);
        for (u32 arc = begin + lane(); arc < end; arc += 32) {
            const u32 from = row_of_arc(offsets, arc, first, last);
            const u32 level = __ldg(levels + from);
            if (level >= limit) continue;
            const u32 to = __ldg(ends + arc);
            if (__ldg(levels + to) == level + 1 && from < load(chosen + to)) atomicMin(chosen + to, from);
        }
    }
}
