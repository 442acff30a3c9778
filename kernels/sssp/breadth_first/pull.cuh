// Levels found from the other side: each vertex that was not seen looks for a neighbour that
// was, and stops at the first.
//
// A neighbour that was seen before this level is of the level before: if it had been seen earlier,
// this vertex would have been too. So the bits of seen vertices are the frontier. A warp has 32
// vertices, the bits of one word, and no other warp writes it.
#pragma once

#include "push.cuh"

// Arcs that a lane reads by itself, before the whole warp reads its row.
constexpr u32 own_arcs = 16;

// Whether these vertices were seen; words of the frontier are not written meanwhile.
__device__ __forceinline__ bool is_seen(const u32* seen, u32 vertex) { return seen[vertex / 32] >> vertex % 32 & 1; }

// Which of the lanes' rows has the end of an arc seen.
__device__ __forceinline__ u32 rows_with_seen(const Search& search, const u32* seen, uint2 row, u64& looked) {
    bool found = false;
    u32 arc = row.x;
    const u32 own_end = min(row.y, row.x + own_arcs);
    while (!found && arc < own_end) {
        const u32 n = min(own_end - arc, 4u);
        u32 ends[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) ends[k] = __ldg(search.ends + (k < n ? arc + k : arc));
#pragma unroll
        for (u32 k = 0; k < 4; ++k) found |= is_seen(seen, ends[k]);
        arc += n;
        looked += n;
    }
    u32 rows = __ballot_sync(everyone, found);
    for (u32 rest = __ballot_sync(everyone, !found && arc < row.y); rest; rest &= rest - 1) {
        const u32 owner = __ffs(rest) - 1;
        const u32 end = __shfl_sync(everyone, row.y, owner);
        for (u32 at = __shfl_sync(everyone, arc, owner); at < end; at += 128) {
            bool one = false;
#pragma unroll
            for (u32 k = 0; k < 128; k += 32) {
                const u32 mine = at + k + lane();
                if (mine < end) {
                    one |= is_seen(seen, __ldg(search.ends + mine));
                    ++looked;
                }
            }
            if (__any_sync(everyone, one)) {
                rows |= 1u << owner;
                break;
            }
        }
    }
    return rows;
}

// Finds the next level from the other side, by all warps of the grid.
__device__ __forceinline__ void pull(const Search& search, const Frontier& frontier, u64& looked) {
    const u32 level = frontier.level + 1, n = search.n_vertices;
    u32 count = 0;
    for (u32 word = grid_warp(); word < words_of(n); word += grid_warps()) {
        const u32 vertex = word * 32 + lane();
        const u32 bits = frontier.seen[word];
        u32 found = 0;
        if (bits != everyone) {
            const bool looks = (bits >> lane() & 1) == 0 && vertex < n;
            found = rows_with_seen(search, frontier.seen, looks ? row_of(search, vertex) : make_uint2(0, 0), looked);
        }
        if (found >> lane() & 1) __stcg(search.levels + vertex, level);
        if (lane() == 0) __stcg(frontier.seen_next + word, bits | found);
        count += __popc(found);
    }
    if (lane() == 0 && count != 0) atomicAdd(search.control->found + level % 3, count);
}

// Lists the rows of what a pull has found: of the bits that are in `seen_next` alone. By all
// warps of the grid, at the list's begin.
__device__ __forceinline__ void list_pulled(const Search& search, const Frontier& frontier) {
    for (u32 word = grid_warp(); word < words_of(search.n_vertices); word += grid_warps()) {
        const u32 bits = load(frontier.seen_next + word) & ~load(frontier.seen + word);
        if (bits == 0) continue;
        const bool is_new = bits >> lane() & 1;
        const uint2 row = is_new ? row_of(search, word * 32 + lane()) : make_uint2(0, 0);
        list_rows(search.list, &search.control->listed, row);
    }
}
