// What a search by delta-stepping needs of a graph, made on the device: arcs with their
// ends and weights side by side, rows by their bounds, and the short arcs apart.
//
// Each entry is launched with any number of blocks and threads, but in warps. No two threads write
// one place, but where they add by atomics: to the count of a row, and to that of places.
#include "../common/arcs.cuh"
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

// What lanes that have short arcs of one row do together.
struct Shared {
    // those lanes
    u32 lanes;
    // the lane that speaks for all of the row
    u32 leader;
};

__device__ __forceinline__ Shared short_ones_of(u32 row, bool is_short) {
    const u32 same = __match_any_sync(everyone, row);
    return {same & __ballot_sync(everyone, is_short), static_cast<u32>(__ffs(same) - 1)};
}

// Counts in each row the arcs shorter than `limit`; counts must be 0 before.
extern "C" __global__ void ENTRY(count_short)(const uint2* bounds, const Arc* arcs, u32 n, u64 m, u64 limit,
                                              u32* counts) {
    for_each_arc_evenly(bounds, n, m, [&](bool has, u32 row, u32 arc) {
        const Shared shared = short_ones_of(row, has && arcs[arc].y < limit);
        if (lane() == shared.leader && shared.lanes) atomicAdd(counts + row, __popc(shared.lanes));
    });
}

// A warp gives 32 rows places for their arcs, in no order among warps: *used must be 0 before, and
// is the number of short arcs after. Each count becomes where the places of its row begin.
extern "C" __global__ void ENTRY(place_short)(u32* counts, u32 n, u32* used, uint2* short_bounds) {
    for (u64 first = first_of_thread() & ~31ull; first < n; first += threads()) {
        const u64 vertex = first + lane();
        const u32 count = vertex < n ? counts[vertex] : 0;
        const u32 scan = warp_scan(count);
        u32 place = 0;
        if (lane() == 31) place = atomicAdd(used, scan);
        place = __shfl_sync(everyone, place, 31) + scan - count;
        if (vertex < n) {
            short_bounds[vertex] = make_uint2(place, place + count);
            counts[vertex] = place;
        }
    }
}

// Copies the arcs counted above to the places of their rows, of which `next` is the first that is
// free; in a row that several warps share, in no order among them.
extern "C" __global__ void ENTRY(copy_short)(const uint2* bounds, const Arc* arcs, u32 n, u64 m, u64 limit,
                                             u32* next, Arc* short_arcs) {
    for_each_arc_evenly(bounds, n, m, [&](bool has, u32 row, u32 at) {
        const Arc arc = has ? arcs[at] : Arc{0, static_cast<Weight>(limit)};
        const Shared shared = short_ones_of(row, arc.y < limit);
        u32 to = 0;
        if (lane() == shared.leader && shared.lanes) to = atomicAdd(next + row, __popc(shared.lanes));
        to = __shfl_sync(everyone, to, shared.leader) + __popc(shared.lanes & lower_lanes());
        if (arc.y < limit) short_arcs[to] = arc;
    });
}
