// A graph in parts, each on a GPU of its own.
//
// Vertices have dealt numbers: part p has those from p * stride on, its own rows, and its number of
// them is at most `stride`. Heads of arcs are dealt numbers, offsets have 64 bits.
#pragma once

#include "../common/grid.cuh"

// The most GPUs that a graph is on, one for each lane; the structures have arrays of 32.
constexpr u32 max_parts = 32;

__device__ __forceinline__ u32 grid_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u32 grid_threads() { return gridDim.x * blockDim.x; }
// Neighbours in number are of different blocks.
__device__ __forceinline__ u32 grid_warp() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
__device__ __forceinline__ u32 grid_warps() { return gridDim.x * (blockDim.x / 32); }

// Gives the warps of this GPU the numbers below `n`, `at_once` at a time: to each some at first, and the
// others to those that come for them, some sixteen times. `taken` is 0 before.
template <typename Take> __device__ __forceinline__ void share(u32* taken, u32 n, u32 at_once, Take&& take) {
    const u64 some = (n / (16 * grid_warps() * at_once) + 1) * at_once;
    for (u32 turn = grid_warp(); turn * some < n;) {
        const u64 end = min((turn + 1) * some, static_cast<u64>(n));
        for (u64 at = turn * some; at < end; at += at_once) take(static_cast<u32>(at));
        if (n <= grid_warps() * some) return;
        if (lane() == 0) turn = grid_warps() + atomicAdd(taken, 1);
        turn = __shfl_sync(everyone, turn, 0);
    }
}

// Some arcs that follow one another.
struct Run {
    u64 first;
    u32 length;
};

__device__ __forceinline__ Run row_at(const u64* offsets, u32 row) {
    const u64 first = __ldg(offsets + row);
    return {first, static_cast<u32>(__ldg(offsets + row + 1) - first)};
}

// Some arcs of a lane, whose loads are then under way together.
template <u32 n> struct Arcs {
    bool has[n];
    u64 at[n];

    // Those of a run from its k-th on, that all lanes share.
    static __device__ __forceinline__ Arcs of(u64 first, u32 length, u32 k) {
        Arcs arcs;
#pragma unroll
        for (u32 j = 0; j < n; ++j) {
            arcs.has[j] = k + j * 32 + lane() < length;
            arcs.at[j] = first + k + j * 32 + lane();
        }
        return arcs;
    }
};

// Goes through the arcs of the runs of the lanes, some of which may be empty, n for each lane at a time. All
// lanes call visit(arcs, owners) together; `owners` are the lanes whose runs have the arcs.
template <u32 n, typename Visit> __device__ __forceinline__ void for_each_arc_of_runs(Run run, Visit&& visit) {
    const u32 scan = warp_scan(run.length);
    const u32 total = __shfl_sync(everyone, scan, 31);
    const u64 shift = run.first + run.length - scan;
    for (u32 first = 0; first < total; first += 32 * n) {
        Arcs<n> arcs;
        u32 owners[n];
#pragma unroll
        for (u32 j = 0; j < n; ++j) {
            const u32 k = first + j * 32 + lane();
            owners[j] = owner_of(k, scan);
            arcs.has[j] = k < total;
            arcs.at[j] = __shfl_sync(everyone, shift, owners[j]) + k;
        }
        visit(arcs, owners);
    }
}

// Cuts the rows of those lanes that ask for it to pieces up to a length: piece(value, first, length), with
// the value of the row's lane. All lanes write them.
template <typename Piece, typename Value, typename Make>
__device__ __forceinline__ void cut_rows(Piece* pieces, u32* count, u32 length, bool cut, Run row, Value value,
                                         Make&& piece) {
    for (u32 rest = __ballot_sync(everyone, cut); rest; rest &= rest - 1) {
        const u32 owner = __ffs(rest) - 1;
        const u64 first = __shfl_sync(everyone, row.first, owner);
        const u32 n_arcs = __shfl_sync(everyone, row.length, owner), n = (n_arcs - 1) / length + 1;
        const Value its = __shfl_sync(everyone, value, owner);
        u32 at = 0;
        if (lane() == 0) at = atomicAdd(count, n);
        at = __shfl_sync(everyone, at, 0);
        for (u32 k = lane(); k < n; k += 32) {
            pieces[at + k] = piece(its, first + k * length, min(n_arcs - k * length, length));
        }
    }
}
