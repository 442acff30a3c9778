// A graph in parts, each on a GPU of its own.
//
// Vertices have dealt numbers: part p has those from p * stride on, its own rows, and its number of
// them is at most `stride`. Heads of arcs are dealt numbers, offsets have 64 bits. Kernels
// write only their GPU's memory. They read what others have made there, when all GPUs have met.
#pragma once

#include "../common/grid.cuh"

// The most GPUs that a graph is on; the structures have arrays of 8.
constexpr u32 max_parts = 8;

__device__ __forceinline__ u32 grid_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u32 grid_threads() { return gridDim.x * blockDim.x; }
// Neighbours in number are of different blocks.
__device__ __forceinline__ u32 grid_warp() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
__device__ __forceinline__ u32 grid_warps() { return gridDim.x * (blockDim.x / 32); }

// Some arcs that follow one another.
struct Run {
    u64 first;
    u32 length;
};

__device__ __forceinline__ Run row_at(const u64* offsets, u32 row) {
    const u64 first = __ldg(offsets + row);
    return {first, static_cast<u32>(__ldg(offsets + row + 1) - first)};
}

// Goes through the arcs of the runs of the lanes, some of which may be empty. All lanes call
// visit(has, owner, arc) together; `owner` is the lane whose run has the arc.
template <typename Visit> __device__ __forceinline__ u32 for_each_arc_of_runs(Run run, Visit&& visit) {
    const u32 scan = warp_scan(run.length);
    const u32 total = __shfl_sync(everyone, scan, 31);
    const u64 shift = run.first + run.length - scan;
    for (u32 first = 0; first < total; first += 32) {
        const u32 k = first + lane();
        const u32 owner = owner_of(k, scan);
        visit(k < total, owner, __shfl_sync(everyone, shift, owner) + k);
    }
    return total;
}

// Appends the values of those lanes that have one to one of some lists, chosen by each lane; list
// `d` begins at d * capacity.
template <typename Value>
__device__ __forceinline__ void append_to(Value* lists, u32* counts, u32 capacity, u32 n_lists, bool has, u32 list,
                                          Value value) {
    for (u32 d = 0; d < n_lists && __any_sync(everyone, has); ++d) {
        const bool here = has && list == d;
        append(List<Value>{lists + static_cast<u64>(d) * capacity, counts + d}, capacity, here, value);
        has = has && !here;
    }
}

// The word of the host's memory that ends all waiting, where one GPU cannot go on.
constexpr u32 stop_word = 1;

// Whether this is the last block of the launch to come here; it sees what the others wrote. `ended` is 0
// before and after.
__device__ __forceinline__ bool is_last_block(u32* ended) {
    __shared__ u32 before;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) before = atomicAdd(ended, 1);
    __syncthreads();
    if (before != gridDim.x - 1) return false;
    if (threadIdx.x == 0) *ended = 0;
    __threadfence();
    return true;
}

// Ends a launch: the last one of a turn tells the host what was found.
template <typename Search> __device__ __forceinline__ void end_launch(const Search& search) {
    if (search.tells != 0 && is_last_block(&search.control->ended) && threadIdx.x == 0) tell(search);
}

// Waits, as one warp, until all GPUs have come to this meeting; what they wrote before is seen by launches
// after. The number of a meeting is greater than those before. Only one warp waits, so
// that a second search of the same GPUs finds room for its blocks, and neither waits for ever.
template <typename Search> __device__ __forceinline__ void meet_others(const Search& search) {
    if (lane() == 0) {
        __threadfence_system();
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&search.control->met), "r"(search.meeting) : "memory");
    }
    if (lane() >= search.n_parts) return;
    u32 theirs, looks = 0;
    do {
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                     : "=r"(theirs)
                     : "l"(&search.controls[lane()]->met)
                     : "memory");
    } while (static_cast<int>(theirs - search.meeting) < 0 && (++looks % 1024 != 0 || search.host[stop_word] == 0));
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
