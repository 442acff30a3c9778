// How the bits of a closure lie in memory, and the arguments of its kernels.
//
// A line is a row of the relation: bit v of line u says that a path leads from u to v. Lines
// are `stride` words long, and both sides of the matrix are multiples of 256; what pads it is
// zero and stays so. (Lines may be columns as well: the closure of the reversed relation is
// the reversed closure.)
//
// A block of pivots is one or more chunks of 256. What a step does to a line is or-ing those
// pivots' lines to it that it has bits for, its selectors. A device may have some of the lines,
// and copies of others' that are pivots: lines are counted among those that it has.
#pragma once
#include "../common/grid.cuh"

constexpr u32 chunk = 256;
constexpr u32 chunk_words = chunk / 32;

// Columns of a tile that is multiplied at a time, and the bytes of its pivots' bits, transposed,
// for one chunk.
constexpr u32 tile = 256;
constexpr u32 tile_bytes = tile * chunk / 8;

struct Step {
    u32* lines;
    // The pivots' lines, among these or elsewhere.
    u32* pivots;
    // The same lines transposed, see `image`: chunk by chunk, tile by tile.
    unsigned char* turned;
    // Words from a line to the next.
    u64 stride;
    // Bytes from a chunk of `turned` to the next.
    u64 chunk_bytes;
    // The lines to be raised: those of [first, first + count) without [skip, skip + skipped),
    // counted from `first`. All are multiples of 256.
    u32 first;
    u32 count;
    u32 skip;
    u32 skipped;
    // The column of the first pivot, and how many chunks there are.
    u32 pivot;
    u32 n_chunks;

    __device__ __forceinline__ u32 n_lines() const { return count - skipped; }
    // The line that is raised as number `at`.
    __device__ __forceinline__ u32 line(u32 at) const { return first + (at < skip ? at : at + skipped); }
    __device__ __forceinline__ u32* words(u32 line) const { return lines + line * stride; }
    // Those of a pivot.
    __device__ __forceinline__ u32* pivot_words(u32 at) const { return pivots + at * stride; }
};

// Where in the image of a tile the first (`half` 0) or second 128 pivots' bits of column f
// lie, in bytes: eight columns' 16 bytes are together, as matrix units take them.
__device__ __forceinline__ u32 image(u32 f, u32 half) { return f / 8 * 256 + half * 128 + f % 8 * 16; }

// The place of column c of a tile in its image. A thread of a product has columns
// 8 t + 2 q + e for all t and both e; so placed, these are neighbours: the bits of two words.
__device__ __forceinline__ u32 place(u32 c) { return 8 * (16 * (c / 32 % 2) + c % 32 / 2) + 2 * (c / 64) + c % 2; }

// What counts start from: one more is negative, so that the sign says whether there was any.
constexpr int none = 0x7fffffff;

// Puts the signs of two counts below the bits.
__device__ __forceinline__ u32 push(u32 bits, int low, int high) {
    return __funnelshift_l(low, __funnelshift_l(high, bits, 1), 1);
}
