// What the first two phases of a blocked closure share: a chunk of pivots is closed, and their
// lines are updated with it, 64 columns at a time.
#pragma once
#include "close.cuh"

// Columns that are updated with the tile at a time.
constexpr u32 group = 64;

// Words from a line of the closed tile to the next, and from a transposed column to the next: no
// two of eight lines lie in the same banks.
constexpr u32 pitch = chunk_words + 4;

struct Panel {
    CloseScratch scratch;
    // The closed tile.
    alignas(16) u32 tile[chunk * pitch];
    // Two words of each pivot's line.
    alignas(16) u32 lines[2 * chunk];
};

// Brings the tile of the chunk and closes it.
__device__ __forceinline__ void close_chunk(const Step& step, Panel& panel) {
    const u32 half = threadIdx.x / chunk, line = threadIdx.x % chunk;
    const u32* from = step.pivot_words(line) + step.pivot / 32 + 4 * half;
    const uint4 read = *reinterpret_cast<const uint4*>(from);
    u32 words[4] = {read.x, read.y, read.z, read.w};
    close_tile(words, panel.scratch);
    *reinterpret_cast<uint4*>(panel.tile + line * pitch + 4 * half) = make_uint4(words[0], words[1], words[2], words[3]);
    __syncthreads();
}
