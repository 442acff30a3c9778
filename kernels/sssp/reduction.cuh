// The least of many labels by blocks: the first level of the two-level reduction, and what the
// second one needs.
//
// A label and its vertex are one number of 64 bits (`Entry` of search.cuh), so that the least
// has the least label, and of these the lowest vertex.
//
// In the published form of such reductions, threads put their values into shared memory and halve
// them there, with a barrier of the block for each of log2(threads) halvings. Here a thread reads
// four labels at a time and keeps the least in registers. A warp halves by shuffles, which need no
// barrier. The warps' values, at most 32, are put into shared memory once, and every warp reduces
// them by itself. So there is one barrier of the block, and then all of its threads have the least.
#pragma once

#include "delta_stepping/search.cuh"

// Above every entry.
constexpr Entry no_entry = ~0ull;

__device__ __forceinline__ Entry warp_least(Entry entry) {
#pragma unroll
    for (u32 step = 16; step; step >>= 1) entry = min(entry, __shfl_xor_sync(everyone, entry, step));
    return entry;
}

// The least of this thread's part of the labels from `first` to `end`, which the block's threads
// take by fours in turn; no_entry if all of them are unreached. `first` and `end` are multiples of
// four, `labels` is aligned to 16 bytes, and `end` lies below 2^32 - 4 threads.
template <u32 threads>
__device__ __forceinline__ Entry least_of_thread(const Key* labels, u32 first, u32 end) {
    Key least = unreached;
    u32 vertex = 0;
    // vertices ascend, so that of equal labels the lowest vertex stays
    const auto meet = [&](Key label, u32 of) {
        if (label < least) {
            least = label;
            vertex = of;
        }
    };
#pragma unroll 4
    for (u32 at = first + 4 * threadIdx.x; at < end; at += 4 * threads) {
        const uint4 four = load(reinterpret_cast<const uint4*>(labels + at));
        meet(four.x, at);
        meet(four.y, at + 1);
        meet(four.z, at + 2);
        meet(four.w, at + 3);
    }
    return least == unreached ? no_entry : entry_of(least, vertex);
}

// The least of the values of a block's threads, known to all of them after. `of_warps` is
// shared memory, and no thread may write it again before all have come back from here.
template <u32 threads> __device__ __forceinline__ Entry least_of_block(Entry mine, Entry (&of_warps)[threads / 32]) {
    mine = warp_least(mine);
    if (lane() == 0) of_warps[threadIdx.x >> 5] = mine;
    __syncthreads();
    return warp_least(lane() < threads / 32 ? of_warps[lane()] : no_entry);
}

// The least of `n` values of blocks in memory, found by one warp.
__device__ __forceinline__ Entry least_of_blocks(const Entry* of_blocks, u32 n) {
    Entry mine = no_entry;
    for (u32 block = lane(); block < n; block += 32) mine = min(mine, load(of_blocks + block));
    return warp_least(mine);
}
