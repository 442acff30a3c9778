// When all keys below the settled bound are final, the deferred arcs are made up for: pushed by
// the vertices visited since the last bound, or pulled by those beyond.
#pragma once

#include "warp.cuh"

// The visited vertices relax those of their arcs that lead beyond the settled bound; everything
// they reach is far. Long rows come second. Returns the least key that waits beyond.
//
// Races: as in the steps, keys only fall, by atomics; an entry is stale if its vertex has
// fallen meanwhile, and then a later entry does its work.
__device__ Key push(Warp& warp, GridBarrier& barrier, u32 n_visited, u32 first_warp, u32 n_warps) {
    const Search& search = warp.search;
    warp.threshold = 0;
    for (u32 at = first_warp * 32; at < n_visited; at += n_warps * 32) {
        const bool has = at + lane() < n_visited;
        warp.relax_rows<true>(search.graph, has, has ? load(search.visited + at + lane()) : Entry{});
    }
    barrier.wait();
    const u32 n_pieces = min(load(warp.pieces_next.count), search.piece_capacity);
    for (u32 at = first_warp; at < n_pieces; at += n_warps) {
        warp.relax_piece<true>(search.graph, warp.pieces_next.entries + at);
    }
    warp.flush_far();
    barrier.wait();
    Key least = unreached;
    const u32 n_far = load(warp.far.count);
    // where entries were lost, the vertices themselves are looked through
    const bool lost = n_far > search.capacity;
    const u32 n = lost ? search.n_vertices : n_far;
    for (u32 at = first_warp * 32 + lane(); at < n; at += n_warps * 32) {
        if (lost) {
            const Key key = load(search.keys + at);
            if (key >= warp.settled_bound) least = min(least, key);
        } else {
            const Entry entry = load(warp.far.entries + at);
            if (load(search.keys + vertex_of(entry)) == key_of(entry)) least = min(least, key_of(entry));
        }
    }
    return least;
}

// Every vertex beyond the settled bound takes the least key that its neighbours before the
// settled bound offer, and goes to the far list if it has a neighbour beyond that it may help.
// Returns the least key of those.
//
// Races: a key beyond the settled bound is written by the warp of its vertex alone, once, and
// stays beyond; others compare it with the settled bound, which comes out the same before and
// after. Keys before the settled bound do not change.
__device__ Key pull(Warp& warp, Key (&best_of)[32], u32 first_warp, u32 n_warps) {
    const Search& search = warp.search;
    Key least = unreached;
    for (u32 first = first_warp * 32; first < search.n_vertices; first += n_warps * 32) {
        const u32 vertex = first + lane();
        const Key before = vertex < search.n_vertices ? load(search.keys + vertex) : 0;
        const bool open = before >= warp.settled_bound;
        if (!__any_sync(everyone, open)) continue;
        const uint2 row = open ? __ldg(search.graph.bounds + vertex) : make_uint2(0, 0);
        best_of[lane()] = before;
        __syncwarp();
        warp.relaxations += row.y - row.x;
        u32 helpers = 0;
        for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
            if (!has) return;
            const Arc end = __ldg(search.graph.arcs + arc);
            const Key from = load(search.keys + end.x);
            if (from < warp.settled_bound) {
                const Key key = after(from, end.y);
                if (key == unreached) search.control->trouble = overflowed;
                if (key <= static_cast<Key>(search.limit) && key < best_of[owner]) atomicMin(&best_of[owner], key);
            } else if (end.x != first + owner) {
                helpers |= 1u << owner;
            }
        });
        helpers = warp_or(helpers);
        const Key best = best_of[lane()];
        __syncwarp();
        if (open && best < before) {
            __stcg(search.keys + vertex, best);
            warp.improvements++;
        }
        const bool goes_on = open && best != unreached && (helpers >> lane() & 1);
        append(warp.far, search.capacity, goes_on, entry_of(best, vertex));
        if (goes_on) least = min(least, best);
    }
    return least;
}
