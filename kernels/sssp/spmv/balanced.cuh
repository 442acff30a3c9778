// A product in which every warp has the same share of rows and arcs together.
//
// Rows and arcs are in one order, a row before its arcs. They are cut into equal parts, one for
// each warp (the merge path of Merrill and Garland, with warps in place of threads). Where a part
// begins and ends is found once, by a binary search in the offsets. A warp processes its rows 32 at
// a time, a lane a row. The lanes take the arcs of all 32 in turn, neighbours side by side. A
// segmented minimum in registers gives each row the least value of its arcs. That costs a step for
// 32 rows, and one for 32 arcs: hence both are counted.
//
// So a hub of a million arcs is shared by as many warps as its arcs take, and a grid's rows
// of four arcs fill four steps for 32 rows. Parts for threads would be as equal, but their
// arcs would have to pass through shared memory to be read side by side.
#pragma once

#include "rounds.cuh"

// The least part, so that few rows are cut on a small graph.
constexpr u64 least_part = 64;

// The arcs of a part, and the row that the first of them is in, or one before it.
struct Part {
    u32 row;
    u32 begin, end;
};

// The arcs that stand before the place `at` in the order of rows and arcs; `row` becomes the
// last row that stands at `at` or before. There is a row.
__device__ __forceinline__ u32 arcs_before(const Spmv& spmv, u64 at, u32& row) {
    row = 0;
    for (u32 above = spmv.n_vertices; above - row > 1;) {
        const u32 middle = row + (above - row) / 2;
        (static_cast<u64>(middle) + __ldg(spmv.offsets + middle) <= at ? row : above) = middle;
    }
    // of what stands before `at`, rows 0 to row - 1 are no arcs, and the row itself where
    // more than the arcs of those is left
    const u64 rest = at - row;
    const u32 first = __ldg(spmv.offsets + row);
    return rest > first ? static_cast<u32>(rest - 1) : first;
}

__device__ __forceinline__ Part part_of_warp(const Spmv& spmv) {
    const u64 n = static_cast<u64>(spmv.n_vertices) + spmv.n_arcs;
    const u64 length = max(least_part, (n - 1) / (all_threads() / 32) + 1);
    const u64 begin = min(n, length * (this_thread() / 32));
    Part part;
    u32 last_row;
    part.end = arcs_before(spmv, min(n, begin + length), last_row);
    part.begin = arcs_before(spmv, begin, part.row);
    return part;
}

// The least value of the lanes from `first`, which may differ, to this one.
__device__ __forceinline__ Weight least_from(u32 first, Weight value) {
#pragma unroll
    for (u32 step = 1; step < 32; step <<= 1) {
        const Weight other = __shfl_up_sync(everyone, value, step);
        if (lane() >= first + step) value = smaller(value, other);
    }
    return value;
}

// One round of the rows of `part` by a warp, all of whose lanes are here.
//
// A row that is whole in the part is written by this warp alone, by a store. A row that
// passes its borders is cut for every warp that has some of it: all of them see that, and
// lower it by an atomic. So no store meets an atomic, and no distance rises.
__device__ __forceinline__ void multiply_part(const Spmv& spmv, const Part& part, Seen& seen) {
    u32 row = part.row;
    for (u32 next = part.begin; next < part.end; row += 32) {
        const u32 vertex = row + lane();
        const bool exists = vertex < spmv.n_vertices;
        const u32 begin = exists ? __ldg(spmv.offsets + vertex) : spmv.n_arcs;
        const u32 end = exists ? __ldg(spmv.offsets + vertex + 1) : spmv.n_arcs;
        const Weight before = exists ? load(spmv.distances + vertex) : unreached;
        // the lanes' arcs in the part follow one another
        const u32 from = min(max(begin, part.begin), part.end);
        const u32 to = min(max(end, part.begin), part.end);
        Weight value = before;
        const u32 end_of_rows = __shfl_sync(everyone, to, 31);
        for (u32 first = next; first < end_of_rows; first += 32) {
            const u32 arc = first + lane();
            Least least{unreached};
            if (arc < end_of_rows) {
                least.take(load(spmv.distances + __ldg(spmv.starts + arc)), __ldg(spmv.weights + arc));
            }
            // lanes past the last arc count as the last row's, and have nothing for it
            const u32 owner = owner_of(arc, to);
            const u32 first_lane = max(__shfl_sync(everyone, from, owner), first) - first;
            const Weight so_far = least_from(first_lane, least.value);
            const u32 last = min(to, first + 32);
            const bool has_some = from < last && first < last;
            const Weight of_row = __shfl_sync(everyone, so_far, has_some ? last - 1 - first : 0);
            if (has_some) value = smaller(value, of_row);
            seen.dropped |= least.below;
            if (__any_sync(everyone, least.above)) {
                const Weight at_end = __shfl_sync(everyone, before, owner);
                seen.dropped |= least.above && at_end == unreached;
            }
        }
        next = end_of_rows;
        if (value < before) {
            const bool is_whole = from == begin && to == end;
            if (is_whole) __stcg(spmv.distances + vertex, value);
            if (!is_whole) lower(spmv.distances + vertex, value);
            seen.fell = true;
            seen.improvements++;
        }
        __syncwarp();
    }
}
