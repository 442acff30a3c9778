// The closure of 256 x 256 bits by one block.
#pragma once
#include "layout.cuh"

constexpr u32 closers = 512;

// The closure of 32 x 32 bits, of which each lane has a row, by squaring until nothing
// changes: five times at most.
__device__ __forceinline__ u32 close_square(u32 row) {
    for (;;) {
        u32 next = row;
#pragma unroll
        for (u32 k = 0; k < 32; ++k) {
            const u32 other = __shfl_sync(everyone, row, k);
            if (row >> k & 1) next |= other;
        }
        if (__all_sync(everyone, next == row)) return row;
        row = next;
    }
}

struct CloseScratch {
    u32 pivots[32 * chunk_words];
    u32 closed[32 * chunk_words];
    // They alternate: those of one turn are still read while those of the next are written.
    u32 selectors[2][chunk];
};

// Closes a tile. Thread t of 512 has four words of line t % 256, the first ones or the last. For 32
// pivots at a time, their own square is closed, then their lines are updated with it, then all
// lines with their lines.
__device__ __forceinline__ void close_tile(u32 (&words)[4], CloseScratch& scratch) {
    const u32 half = threadIdx.x / chunk, line = threadIdx.x % chunk;
#pragma unroll
    for (u32 b = 0; b < chunk_words; ++b) {
        const bool has_diagonal = half == b / 4;
        if (line / 32 == b) {
            if (has_diagonal) words[b % 4] = close_square(words[b % 4]);
            *reinterpret_cast<uint4*>(scratch.pivots + lane() * chunk_words + 4 * half) =
                make_uint4(words[0], words[1], words[2], words[3]);
        }
        if (has_diagonal) scratch.selectors[b % 2][line] = words[b % 4];
        __syncthreads();
        if (threadIdx.x < 32 * chunk_words) {
            const u32 at = threadIdx.x / chunk_words, word = threadIdx.x % chunk_words;
            const u32 selectors = scratch.pivots[at * chunk_words + b];
            u32 sum = scratch.pivots[threadIdx.x];
#pragma unroll
            for (u32 k = 0; k < 32; ++k) {
                if (selectors >> k & 1) sum |= scratch.pivots[chunk_words * k + word];
            }
            scratch.closed[threadIdx.x] = sum;
        }
        __syncthreads();
        const u32 selectors = scratch.selectors[b % 2][line];
#pragma unroll
        for (u32 k = 0; k < 32; ++k) {
            const uint4 pivot = *reinterpret_cast<const uint4*>(scratch.closed + chunk_words * k + 4 * half);
            if (selectors >> k & 1) {
                words[0] |= pivot.x;
                words[1] |= pivot.y;
                words[2] |= pivot.z;
                words[3] |= pivot.w;
            }
        }
    }
}
