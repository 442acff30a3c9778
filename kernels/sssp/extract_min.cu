// The extraction of the least label alone, by the two-level reduction of reduction.cuh. It takes
// most time of a turn of Dijkstra's algorithm, and is here to be measured by itself.
//
// Two launches: `extract_min_labels` leaves the least of each block's part of the labels in
// memory, and `extract_min_blocks`, by one block, the least of these. Where one block takes all
// labels, the first launch suffices.
//
// Launch: as many threads a block as the entry's name says. Reads labels or blocks' values,
// constant during the launch, and writes a word a block. So there are no races, and no barriers
// between blocks.

#include "reduction.cuh"

// Block b takes the labels from b * share on, as many as `share`, a multiple of four; `n`, of
// labels, is one too: what is beyond the last is unreached.
template <u32 threads>
__device__ __forceinline__ void extract_from_labels(const Key* labels, u32 n, u32 share, Entry* of_blocks) {
    __shared__ Entry of_warps[threads / 32];
    const u32 first = blockIdx.x * share;
    const Entry mine = least_of_thread<threads>(labels, first, min(n, first + share));
    const Entry least = least_of_block<threads>(mine, of_warps);
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = least;
}

// One block takes the values of `n` blocks.
template <u32 threads>
__device__ __forceinline__ void extract_from_blocks(const Entry* of_blocks, u32 n, Entry* least_of_all) {
    __shared__ Entry of_warps[threads / 32];
    Entry mine = no_entry;
    for (u32 block = threadIdx.x; block < n; block += threads) mine = min(mine, load(of_blocks + block));
    const Entry least = least_of_block<threads>(mine, of_warps);
    if (threadIdx.x == 0) *least_of_all = least;
}

#define EXTRACT_MIN(threads)                                                                                 \
    extern "C" __global__ void __launch_bounds__(threads)                                                    \
        ENTRY(extract_min_labels_##threads)(const Key* labels, u32 n, u32 share, Entry* of_blocks) {          \
        extract_from_labels<threads>(labels, n, share, of_blocks);                                           \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(threads)                                                    \
        ENTRY(extract_min_blocks_##threads)(const Entry* of_blocks, u32 n, Entry* least_of_all) {             \
        extract_from_blocks<threads>(of_blocks, n, least_of_all);                                            \
    }

EXTRACT_MIN(128)
EXTRACT_MIN(256)
EXTRACT_MIN(512)
EXTRACT_MIN(1024)
