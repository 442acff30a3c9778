// The arcs of a list of vertices, shared evenly among lanes and warps.
//
// A warp takes 32 vertices at a time, and its lanes take the arcs of all their rows in turn.
// Rows longer than a warp's share are cut to pieces, which all warps take after a barrier:
// so one vertex of a million arcs takes no longer than a million vertices of one.
#pragma once

#include "grid.cuh"

// Rows up to this length stay with their warp; the pieces of longer ones are this long.
constexpr u32 piece_length = 256;

// Pieces of rows: (first arc, end, and the eight bytes of a value). Of m arcs, m / 128 + 1
// places are enough, if no vertex is listed twice. The count is 0 before a list is gone
// through.
struct Pieces {
    uint4* entries;
    u32* count;
};

template <typename Value> __device__ __forceinline__ uint2 bits_of_value(Value value) {
    static_assert(sizeof(Value) <= sizeof(uint2));
    uint2 bits = make_uint2(0, 0);
    memcpy(&bits, &value, sizeof(Value));
    return bits;
}

template <typename Value> __device__ __forceinline__ Value value_of(uint4 piece) {
    const uint2 bits = make_uint2(piece.z, piece.w);
    Value value;
    memcpy(&value, &bits, sizeof(Value));
    return value;
}

// Goes through the arcs of the rows of the lanes, some of which may be empty. All lanes call
// visit(has, owner, arc) together, with `has` false in those that have no arc; `owner` is the
// lane whose row has the arc. Returns how many arcs there are.
template <typename Visit> __device__ __forceinline__ u32 for_each_arc_of_rows(uint2 row, Visit&& visit) {
    const u32 scan = warp_scan(row.y - row.x);
    const u32 total = __shfl_sync(everyone, scan, 31);
    const u32 shift = row.y - scan;  // the first arc, less the scan before it
    for (u32 first = 0; first < total; first += 32) {
        const u32 k = first + lane();
        const u32 owner = owner_of(k, scan);
        visit(k < total, owner, __shfl_sync(everyone, shift, owner) + k);
    }
    return total;
}

// The same, but that long rows are kept for visit_pieces; visit(has, value, arc) has the value
// given by the lane whose row has the arc.
template <typename Value, typename Visit>
__device__ __forceinline__ void visit_rows(uint2 row, Value value, Pieces pieces, Visit&& visit) {
    if (row.y - row.x > piece_length) {
        const uint2 bits = bits_of_value(value);
        u32 at = atomicAdd(pieces.count, (row.y - row.x - 1) / piece_length + 1);
        for (u32 begin = row.x; begin < row.y; begin += piece_length) {
            const u32 end = begin + min(row.y - begin, piece_length);
            __stcg(pieces.entries + at++, make_uint4(begin, end, bits.x, bits.y));
        }
        row.x = row.y;
    }
    __syncwarp();
    for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
        visit(has, __shfl_sync(everyone, value, owner), arc);
    });
}

// Goes through the arcs of the pieces, after a barrier; a warp a piece.
template <typename Value, typename Visit>
__device__ __forceinline__ void visit_pieces(Pieces pieces, u32 first_warp, u32 n_warps, Visit&& visit) {
    const u32 n_pieces = load(pieces.count);
    for (u32 at = first_warp; at < n_pieces; at += n_warps) {
        const uint4 piece = load(pieces.entries + at);
        const Value value = value_of<Value>(piece);
        for (u32 first = piece.x; first < piece.y; first += 32) visit(first + lane() < piece.y, value, first + lane());
    }
}

// Goes through all arcs of rows that follow one another, an even part for each warp of the grid,
// which looks for their rows among 32 at a time. All lanes call visit(has, row, arc) together; a
// lane that has no arc has no row either, but `everyone`.
template <typename Visit>
__device__ __forceinline__ void for_each_arc_evenly(const uint2* bounds, u32 n_vertices, u64 n_arcs, Visit&& visit) {
    const u64 n_warps = gridDim.x * static_cast<u64>(blockDim.x) / 32;
    const u64 this_warp = (blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x) / 32;
    const u64 part = (n_arcs / n_warps + 32) & ~31ull;
    const u64 begin = this_warp * part, last = min(begin + part, n_arcs);
    if (begin >= last) return;
    // the first row that ends beyond `begin`
    u32 first = 0;
    for (u32 above = n_vertices; first < above;) {
        const u32 middle = first + (above - first) / 2;
        if (bounds[middle].y > begin) {
            above = middle;
        } else {
            first = middle + 1;
        }
    }
    const auto end_of = [&](u32 v) { return v < n_vertices ? bounds[v].y : everyone; };
    u32 ends = end_of(first + lane());
    for (u64 at = begin; at < last; at += 32) {
        const bool has = at + lane() < last;
        const u32 arc = static_cast<u32>(at) + lane();
        u32 row = everyone;
        while (true) {
            const u32 owner = owner_of(arc, ends), beyond = __shfl_sync(everyone, ends, 31);
            if (has && row == everyone && arc < beyond) row = first + owner;
            if (!__any_sync(everyone, has && row == everyone)) break;
            first += 32;
            ends = end_of(first + lane());
        }
        visit(has, row, arc);
    }
}
