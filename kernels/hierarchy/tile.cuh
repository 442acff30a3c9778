// Lanes of several ranks in shared memory, for threads that have a rank each and go through the
// sources of a batch in their order: as the CPU adds, so that floats are the same.
#pragma once

#include "key.cuh"

constexpr u32 tile_side = 32;

// By rank and lane.
using Tile = Key[tile_side][tile_side + 1];

// Reads 32 lanes of 32 ranks, from `begin` and `first` on, by a warp; beyond the last rank those of
// the last.
__device__ __forceinline__ void read_tile(Tile& tile, const Key* found, u32 first, u32 n_ranks, u32 n_lanes, u32 begin) {
    __syncwarp();
#pragma unroll 8
    for (u32 i = 0; i < tile_side; ++i) {
        const u32 from = min(first + i, n_ranks - 1);
        tile[i][lane()] = found[static_cast<u64>(from) * n_lanes + begin + lane()];
    }
    __syncwarp();
}
