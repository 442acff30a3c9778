// Levels found from the frontier: each of its arcs is read, and the thread that sets the bit of a
// vertex first has found it.
#pragma once

#include "../../common/arcs.cuh"
#include "search.cuh"

// The parts of this lane's row, and how many all lanes have.
struct Parts {
    u32 before, total;

    __device__ __forceinline__ explicit Parts(uint2 row) {
        const u32 parts = (row.y - row.x + part_length - 1) / part_length;
        if (__any_sync(everyone, parts > 1)) {
            const u32 scan = warp_scan(parts);
            total = __shfl_sync(everyone, scan, 31);
            before = scan - parts;
        } else {
            const u32 having = __ballot_sync(everyone, parts);
            total = __popc(having);
            before = __popc(having & lower_lanes());
        }
    }
};

// The next part of a row, which is taken off it.
__device__ __forceinline__ uint2 next_part(uint2& row) {
    const uint2 part = make_uint2(row.x, row.x + min(row.y - row.x, part_length));
    row.x = part.y;
    return part;
}

// Lists the rows of the lanes, in parts; `count` is where entries are counted.
__device__ __forceinline__ void list_rows(uint2* list, u32* count, uint2 row) {
    const Parts parts(row);
    if (parts.total == 0) return;
    u32 first = 0;
    if (lane() == 0) first = atomicAdd(count, parts.total);
    uint2* at = list + __shfl_sync(everyone, first, 0) + parts.before;
    while (row.x < row.y) __stcg(at++, next_part(row));
}

// Takes the end of an arc for the next level, unless it was seen; its row then, or none.
// Bits are only set, so that one read late costs an atomic and no more.
__device__ __forceinline__ uint2 take(const Search& search, u32* seen, u32 level, bool has, u32 arc) {
    const u32 vertex = has ? __ldg(search.ends + arc) : 0;
    u32* word = seen + vertex / 32;
    const u32 bit = 1u << vertex % 32;
    has = has && (*word & bit) == 0 && (atomicOr(word, bit) & bit) == 0;
    if (!has) return make_uint2(0, 0);
    __stcg(search.levels + vertex, level);
    const uint2 row = row_of(search, vertex);
    prefetch(search.ends + row.x);
    return row;
}

// Adds to the arcs of what a level has found; they matter where it may be pulled.
__device__ __forceinline__ void count_arcs(const Search& search, u32 level, u64 arcs) {
    if (!search.may_pull) return;
    const u64 sum = warp_sum(arcs);
    if (lane() == 0 && sum != 0) atomicAdd(search.control->arcs + level % 3, sum);
}

// Finds the next level from the list, by all warps of the grid; adds up arcs that were looked at
// and arcs of what was found.
__device__ __forceinline__ void push(const Search& search, const Frontier& frontier, u64& looked) {
    const u32 level = frontier.level + 1;
    u32* count = search.control->found + level % 3;
    const uint2* from = search.list + frontier.begin;
    uint2* to = search.list + frontier.begin + frontier.count;
    u64 arcs = 0;
    // few entries are spread over all warps
    const u32 at_once = min((frontier.count - 1) / grid_warps() + 1, 32u);
    for (u32 first = grid_warp() * at_once; first < frontier.count; first += grid_warps() * at_once) {
        const u32 entry = first + lane();
        const bool has = lane() < at_once && entry < frontier.count;
        const uint2 row = has ? load(from + entry) : make_uint2(0, 0);
        for_each_arc_of_rows(row, [&](bool has, u32, u32 arc) {
            const uint2 found = take(search, frontier.seen, level, has, arc);
            looked += has;
            arcs += found.y - found.x;
            list_rows(to, count, found);
        });
    }
    count_arcs(search, level, arcs);
}
