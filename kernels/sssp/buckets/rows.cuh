// The arcs of a list of rows, placed one after the other by a prefix sum over their lengths and
// shared evenly among the warps of the grid. So one vertex of a million arcs takes no longer than a
// million vertices of one.
//
// A list that fits a block is placed by each block for itself, in its own memory, which saves a
// barrier. For a longer list, each block adds up the lengths in its share of the list and publishes
// the sum. It waits for the sums of the blocks before it, and passes through its share again,
// starting from their total. A barrier has to follow.
#pragma once

#include "search.cuh"

// A row at its place: the key of its vertex, what its first arc is ahead of its place, and
// where its place ends.
struct PlacedRow {
    Key key;
    u32 shift, end;
};

struct BlockMemory {
    u32 sums[warps_in_block];
    PlacedRow rows[block_threads];
};

// The sum of the values of the lower threads of the block and this one's, and that of all.
__device__ __forceinline__ u32 block_scan(u32 value, u32 (&sums)[warps_in_block], u32& total) {
    static_assert(warps_in_block == 32);
    const u32 warp = threadIdx.x >> 5;
    const u32 scan = warp_scan(value);
    if (lane() == 31) sums[warp] = scan;
    __syncthreads();
    const u32 of_warps = warp_scan(sums[lane()]);
    total = __shfl_sync(everyone, of_warps, 31);
    const u32 before = __shfl_sync(everyone, of_warps, max(warp, 1u) - 1);
    __syncthreads();  // before it is written again
    return scan + (warp == 0 ? 0 : before);
}

// Places a list of n <= block_threads rows in the block's memory; the number of their arcs.
// It is the same in every block.
__device__ __forceinline__ u32 place_in_block(const uint4* list, u32 n, const Key* keys, BlockMemory& memory) {
    const bool has = threadIdx.x < n;
    const uint4 row = has ? load(list + threadIdx.x) : make_uint4(0, 0, 0, 0);
    const Key key = has ? load(keys + row.x) : 0;
    u32 total;
    const u32 end = block_scan(row.z, memory.sums, total);
    memory.rows[threadIdx.x] = {key, row.y - (end - row.z), end};
    __syncthreads();
    return total;
}

// Writes into each row of the list where its place ends, and the number of all arcs to
// *total. `stage` is a number that no list was placed with before.
//
// Races: a block waits for blocks before it alone, which are resident, so the first can
// always go on. A word of sums is written once a stage, stage and sum in one store.
__device__ __forceinline__ void place_in_grid(uint4* list, u32 n, u32 stage, u64* sums, u32* total,
                                              BlockMemory& memory) {
    const u64 share = (n - 1) / gridDim.x + 1;
    const u32 begin = min(blockIdx.x * share, static_cast<u64>(n));
    const u32 end = min(begin + share, static_cast<u64>(n));
    u32 own = 0;
    for (u32 at = begin + threadIdx.x; at < end; at += block_threads) own += load(&list[at].z);
    u32 sum;
    block_scan(own, memory.sums, sum);
    if (threadIdx.x == 0) __stcg(sums + blockIdx.x, static_cast<u64>(stage) << 32 | sum);
    u32 others = 0;
    for (u32 block = threadIdx.x; block < blockIdx.x; block += block_threads) {
        const volatile u64* word = sums + block;
        u64 now;
        do now = *word;
        while (now >> 32 != stage);
        others += static_cast<u32>(now);
    }
    u32 before;
    block_scan(others, memory.sums, before);
    for (u32 first = begin; first < end; first += block_threads) {
        const u32 at = first + threadIdx.x;
        const u32 length = at < end ? load(&list[at].z) : 0;
        const u32 scan = block_scan(length, memory.sums, sum);
        if (at < end) __stcg(&list[at].w, before + scan);
        before += sum;
    }
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) *total = before;
}

// The first of n places that ends beyond `arc`, of which there is one; end_of(k) is where
// the k-th ends. All lanes search together: of 32 parts, all that end before are passed.
template <typename EndOf> __device__ __forceinline__ u32 place_of(u32 arc, u32 n, EndOf&& end_of) {
    u32 low = 0, high = n;
    while (high - low > 1) {
        const u32 part = (high - low - 1) / 32 + 1;
        const u32 probe = low + (lane() + 1) * part - 1;
        const bool passed = probe < high && end_of(probe) <= arc;
        low += __popc(__ballot_sync(everyone, passed)) * part;
        high = min(high, low + part);
    }
    return low;
}

// Calls visit(has, key, arc) in all lanes together for this warp's share of the arcs of n
// placed rows, `total` in number; end_of(k) and row_at(k) tell of the k-th.
template <typename EndOf, typename RowAt, typename Visit>
__device__ __forceinline__ void visit_share(u32 this_warp, u32 n_warps, u32 n, u32 total, EndOf&& end_of, RowAt&& row_at,
                                            Visit&& visit) {
    if (total == 0) return;
    // whole warps of arcs
    const u32 share = ((total - 1) / n_warps / 32 + 1) * 32;
    const u64 begin = static_cast<u64>(this_warp) * share;
    if (begin >= total) return;
    const u32 end = min(begin + share, static_cast<u64>(total));
    u32 k = begin;
    for (u32 first = place_of(k, n, end_of); k < end; first += 32) {
        const u32 at = first + lane();
        const PlacedRow row = at < n ? row_at(at) : PlacedRow{0, 0, total};
        const u32 stop = min(end, __shfl_sync(everyone, row.end, 31));
        for (; k < stop; k += 32) {
            const u32 mine = k + lane();
            const u32 owner = owner_of(mine, row.end);
            const Key key = __shfl_sync(everyone, row.key, owner);
            const u32 shift = __shfl_sync(everyone, row.shift, owner);
            visit(mine < stop, key, shift + mine);
        }
        k = stop;
    }
}
