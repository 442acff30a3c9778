// The least of many labels by the steps in which the reduction in shared memory was made fast
// (harris-2007), each on top of the one before: to be measured beside reduction.cuh, which halves
// by shuffles. Labels are numbers of 64 bits with their vertices (`Entry` of search.cuh).
//
// Every thread puts a value into shared memory, and the block halves these, a barrier for each
// of log2(threads) halvings, until one is left, which is written. Launches follow over what the
// blocks have written, until there is one block. Seven forms:
// * interleaved: every second thread takes its neighbour's value, then every fourth that of the
//   second next: all warps stay in use, and diverge;
// * strided: the same places, by the first threads: whole warps are idle, banks conflict;
// * sequential: the first half of the values takes the second: no conflicts;
// * first_on_load: a thread loads two values, so that no half of the threads is idle at once;
// * last_warp: the last 64 values are one warp's, which needs no barrier of the block;
// * unrolled: the number of threads is a constant, so that no loop is left;
// * many: a thread loads as many values as the grid leaves it.
//
// Launch: n_threads a block; `many` any number of blocks, the others one for as many values as its
// threads load. Reads `values`, constant during the launch; writes a word a block. Races: none; a
// value in shared memory is read and written on two sides of a barrier, or by one thread.

#include "reduction.cuh"

constexpr u32 n_threads = 512;

enum Form { interleaved, strided, sequential, first_on_load, last_warp, unrolled, many };

__device__ __forceinline__ Entry value_at(const Key* labels, u64 at) {
    return entry_of(labels[at], static_cast<u32>(at));
}
__device__ __forceinline__ Entry value_at(const Entry* of_blocks, u64 at) { return of_blocks[at]; }

template <Form form, typename Value>
__device__ __forceinline__ void reduce(const Value* values, u32 n, Entry* of_blocks) {
    __shared__ Entry kept[n_threads];
    // read at run time by the forms that came before `unrolled`
    const u32 threads = form >= unrolled ? n_threads : blockDim.x;
    const u32 this_thread = threadIdx.x;
    const bool two = form >= first_on_load;
    const u64 per_block = two ? 2 * threads : threads;
    const auto take = [&](u64 at) { return at < n ? value_at(values, at) : no_entry; };

    u64 at = blockIdx.x * per_block + this_thread;
    Entry mine = no_entry;
    do {
        mine = min(mine, take(at));
        if (two) mine = min(mine, take(at + threads));
        at += gridDim.x * per_block;
    } while (form == many && at < n);
    kept[this_thread] = mine;
    __syncthreads();

    if (form == interleaved) {
        for (u32 step = 1; step < threads; step *= 2) {
            if (this_thread % (2 * step) == 0) kept[this_thread] = min(kept[this_thread], kept[this_thread + step]);
            __syncthreads();
        }
    } else if (form == strided) {
        for (u32 step = 1; step < threads; step *= 2) {
            const u32 to = 2 * step * this_thread;
            if (to < threads) kept[to] = min(kept[to], kept[to + step]);
            __syncthreads();
        }
    } else {
        for (u32 step = threads / 2; step > (form >= last_warp ? 32 : 0); step /= 2) {
            if (this_thread < step) kept[this_thread] = min(kept[this_thread], kept[this_thread + step]);
            __syncthreads();
        }
        if (form >= last_warp && this_thread < 32) {
#pragma unroll
            for (u32 step = 32; step; step /= 2) {
                const Entry other = kept[this_thread + step];
                __syncwarp();
                kept[this_thread] = min(kept[this_thread], other);
                __syncwarp();
            }
        }
    }
    if (this_thread == 0) of_blocks[blockIdx.x] = kept[0];
}

#define REDUCTION(form)                                                                                      \
    extern "C" __global__ void __launch_bounds__(n_threads)                                                  \
        ENTRY(form##_labels)(const Key* labels, u32 n, Entry* of_blocks) {                                   \
        reduce<form>(labels, n, of_blocks);                                                                  \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(n_threads)                                                  \
        ENTRY(form##_blocks)(const Entry* values, u32 n, Entry* of_blocks) {                                 \
        reduce<form>(values, n, of_blocks);                                                                  \
    }

REDUCTION(interleaved)
REDUCTION(strided)
REDUCTION(sequential)
REDUCTION(first_on_load)
REDUCTION(last_warp)
REDUCTION(unrolled)
REDUCTION(many)
