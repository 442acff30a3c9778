// What a grid of warps needs to work together: lanes, lists in memory, a barrier.
#pragma once

using u32 = unsigned int;
using u64 = unsigned long long;

// All lanes of a warp.
constexpr u32 everyone = 0xffffffffu;

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }

// The lanes below this one.
__device__ __forceinline__ u32 lower_lanes() { return (1u << lane()) - 1; }

// The lanes' least value.
template <typename T> __device__ __forceinline__ T warp_min(T value) {
    for (u32 step = 16; step; step >>= 1) value = min(value, __shfl_xor_sync(everyone, value, step));
    return value;
}

__device__ __forceinline__ u32 warp_or(u32 value) {
    for (u32 step = 16; step; step >>= 1) value |= __shfl_xor_sync(everyone, value, step);
    return value;
}

__device__ __forceinline__ u64 warp_sum(u64 value) {
    for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// The sum of the values of this lane and the lower ones.
__device__ __forceinline__ u32 warp_scan(u32 value) {
#pragma unroll
    for (u32 step = 1; step < 32; step <<= 1) {
        const u32 other = __shfl_up_sync(everyone, value, step);
        if (lane() >= step) value += other;
    }
    return value;
}

// The lane whose part of a row of things the k-th belongs to, `scan` being warp_scan of
// the lengths of the parts: the number of lanes whose scan is at most k.
__device__ __forceinline__ u32 owner_of(u32 k, u32 scan) {
    u32 owner = 0;
#pragma unroll
    for (u32 step = 16; step; step >>= 1) {
        if (__shfl_sync(everyone, scan, owner + step - 1) <= k) owner += step;
    }
    return min(owner, 31u);
}

// A list in memory that all warps append to. Its count may pass its capacity: what is
// beyond was not written, and the reader sees it by the count.
template <typename Entry> struct List {
    Entry* entries;
    u32* count;
};

// Appends the entries of those lanes that have one; one atomic a warp.
template <typename Entry>
__device__ __forceinline__ void append(List<Entry> list, u32 capacity, bool has, Entry entry) {
    const u32 having = __ballot_sync(everyone, has);
    if (having == 0) return;
    u32 first = 0;
    if (lane() == 0) first = atomicAdd(list.count, __popc(having));
    const u32 at = __shfl_sync(everyone, first, 0) + __popc(having & lower_lanes());
    if (has && at < capacity) __stcg(list.entries + at, entry);
}

// Reads what others write during the launch: from L2, where their writes are.
template <typename T> __device__ __forceinline__ T load(const T* from) { return __ldcg(from); }

__device__ __forceinline__ void prefetch(const void* from) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

// Where blocks of a cooperative launch, all or a team of them, wait for one another.
// `arrived` is 0 before the launch and counts up for ever; the difference is compared, so
// it may wrap.
struct GridBarrier {
    u32* arrived;
    u32 n_blocks;
    u32 expected;

    // What any thread wrote before is seen by all threads after.
    __device__ __forceinline__ void wait() {
        __syncthreads();
        expected += n_blocks;
        if (threadIdx.x == 0) {
            __threadfence();
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
            u32 now;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
            } while (static_cast<int>(now - expected) < 0);
            __threadfence();
        }
        __syncthreads();
    }
};
