// The data of a breadth-first search, and the barriers of its blocks.
#pragma once

#include "../../common/grid.cuh"
#include "../../common/watch.cuh"

// The level of a vertex that is not reached; no vertex.
constexpr u32 unreached = 0xffffffffu;
constexpr u32 no_vertex = 0xffffffffu;

// Longer rows are listed in parts, so that no warp has more arcs to go through than others.
constexpr u32 part_length = 64;
// Pulls begin where the frontier has more than this part of all arcs, and end where a level
// has found less than this part of all vertices.
constexpr u32 arcs_to_pull = 20;
constexpr u32 vertices_to_push = 64;

// Zero before a launch.
struct Control {
    // By levels, in threes: one is used, the next is zero, and the last may still be read. They are
    // the team's tally, the arcs of the vertices found, and the entries of the list, or for a pull
    // the vertices found.
    u64 tally[3];
    u64 arcs[3];
    u32 found[3];
    // entries of the list that were made from bits of a pull
    u32 listed;
    // arrivals at the barriers of all blocks, and of the team
    u32 arrived;
    u32 team_arrived;
    u32 stopped;
    // the frontier that the team has left to all
    u32 level;
    u32 begin;
    u32 count;
    u64 frontier_arcs;
    // arcs that were looked at
    u64 looked;
    // the last level, and how many were pulled
    u32 levels;
    u32 pulls;
};

// What the launch is given. The host has the same structure.
struct Search {
    // of n_vertices + 1 rows
    const u32* offsets;
    const u32* ends;
    // bits of the vertices that no arc leads to, where levels are pulled
    const u32* without_arcs;
    // the result
    u32* levels;
    // bits of the vertices seen, two times
    u32* seen[2];
    // parts of rows (first arc, end): n_vertices + n_arcs / part_length
    uint2* list;
    Control* control;
    volatile u32* host;
    u64 n_arcs;
    u32 n_vertices;
    u32 source;
    u32 target;
    // the greatest level that is searched
    u32 limit;
    // whether every arc has its reverse and there are many, so that a level may be pulled
    u32 may_pull;
    // whether no row is long, so that narrow levels are searched by few blocks
    u32 has_short_rows;
};

// The frontier: the same in all threads that search.
struct Frontier {
    u32 level;
    // its entries in the list, or its vertices if it was pulled
    u32 begin;
    u32 count;
    // its arcs, counted only where levels may be pulled
    u64 arcs;
    // whether it is not in the list, since the next level is pulled too
    bool pulled;
    // bits of what was seen, and the words that a pull writes them to
    u32* seen;
    u32* seen_next;
};

__device__ __forceinline__ uint2 row_of(const Search& search, u32 vertex) {
    return make_uint2(__ldg(search.offsets + vertex), __ldg(search.offsets + vertex + 1));
}

// Words of a bit for each vertex.
__device__ __forceinline__ u32 words_of(u32 n_vertices) { return (n_vertices - 1) / 32 + 1; }

// Neighbours in number are of different blocks.
__device__ __forceinline__ u32 grid_warp() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
__device__ __forceinline__ u32 grid_warps() { return gridDim.x * (blockDim.x / 32); }

// Work that one thread of the grid does in a level for later levels. It is complete when the thread
// continues, so that counts of the next level start from zero, whichever barrier comes before.
__device__ __forceinline__ void prepare_next(Control* control, u32 level, const Watch& watch) {
    const u32 next = (level + 1) % 3;
    __stcg(control->tally + next, 0);
    __stcg(control->arcs + next, 0);
    __stcg(control->found + next, 0);
    if (watch.calls(level)) watch.call(level);
    __threadfence();
}
