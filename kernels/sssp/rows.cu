// What a search by delta-stepping wants of a graph, made on the device: arcs with their
// ends and weights side by side, rows by their bounds, and the short arcs apart.
//
// Each entry is launched with any number of blocks and threads, but in warps; no entry
// reads what it writes, and no two threads write one place, so there are no races.
#include "delta_stepping/search.cuh"

__device__ __forceinline__ u64 first_of_thread() { return blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x; }
__device__ __forceinline__ u64 threads() { return gridDim.x * static_cast<u64>(blockDim.x); }

// A thread makes arcs: arcs[first + k] = (ends[k], weights[k]) for k < n. A zero with a
// sign loses it, for weights are compared by their bits.
extern "C" __global__ void ENTRY(zip_arcs)(const u32* ends, const Weight* weights, Arc* arcs, u64 first, u64 n) {
    for (u64 k = first_of_thread(); k < n; k += threads()) {
        arcs[first + k] = {ends[k], without_sign(weights[k])};
    }
}

// A thread makes bounds: bounds[v] = (offsets[v], offsets[v + 1]) for v < n, of offsets
// below 2^32.
extern "C" __global__ void ENTRY(row_bounds)(const u64* offsets, uint2* bounds, u32 n) {
    for (u64 v = first_of_thread(); v < n; v += threads()) {
        bounds[v] = make_uint2(static_cast<u32>(offsets[v]), static_cast<u32>(offsets[v + 1]));
    }
}

// A warp takes 32 rows, counts in each the arcs shorter than `limit`, and gives out the
// places of their copies, in no order among warps: *used must be 0 before, and is the
// number of short arcs after.
extern "C" __global__ void ENTRY(count_short)(const uint2* bounds, const Arc* arcs, u32 n, u64 limit, u32* used,
                                              uint2* short_bounds) {
    for (u64 first = first_of_thread() & ~31ull; first < n; first += threads()) {
        const u64 vertex = first + lane();
        const uint2 mine = vertex < n ? bounds[vertex] : make_uint2(0, 0);
        u32 count = 0;
        for (u32 owner = 0; owner < 32; owner++) {
            const u32 begin = __shfl_sync(everyone, mine.x, owner), end = __shfl_sync(everyone, mine.y, owner);
            u32 n_short = 0;
            for (u32 arc = begin; arc < end; arc += 32) {
                const bool is_short = arc + lane() < end && arcs[arc + lane()].y < limit;
                n_short += __popc(__ballot_sync(everyone, is_short));
            }
            if (lane() == owner) count = n_short;
        }
        const u32 scan = warp_scan(count);
        u32 place = 0;
        if (lane() == 31) place = atomicAdd(used, scan);
        place = __shfl_sync(everyone, place, 31) + scan - count;
        if (vertex < n) short_bounds[vertex] = make_uint2(place, place + count);
    }
}

// A warp takes 32 rows and copies the arcs counted above to their places, in their order.
extern "C" __global__ void ENTRY(copy_short)(const uint2* bounds, const Arc* arcs, u32 n, u64 limit,
                                             const uint2* short_bounds, Arc* short_arcs) {
    for (u64 first = first_of_thread() & ~31ull; first < n; first += threads()) {
        const u64 vertex = first + lane();
        const uint2 mine = vertex < n ? bounds[vertex] : make_uint2(0, 0);
        const u32 place = vertex < n ? short_bounds[vertex].x : 0;
        for (u32 owner = 0; owner < 32; owner++) {
            const u32 begin = __shfl_sync(everyone, mine.x, owner), end = __shfl_sync(everyone, mine.y, owner);
            u32 to = __shfl_sync(everyone, place, owner);
            for (u32 at = begin; at < end; at += 32) {
                const Arc arc = at + lane() < end ? arcs[at + lane()] : Arc{0, static_cast<Weight>(limit)};
                const u32 short_ones = __ballot_sync(everyone, arc.y < limit);
                if (arc.y < limit) short_arcs[to + __popc(short_ones & lower_lanes())] = arc;
                to += __popc(short_ones);
            }
        }
    }
}
