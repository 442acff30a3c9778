// Products of bits by matrix units, 16 x 256 by 256 x 8 at a time.
#pragma once
#include "layout.cuh"

// c += a b, counting. Lane 4 g + q has words 2 q and 2 q + 1 of the pivots: of lines g and g + 8 of
// a, and of column g of b. Of c it has columns 2 q and 2 q + 1 in the same lines.
__device__ __forceinline__ void multiply(int (&c)[4], const u32 (&a)[4], uint2 b) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}

// What a lane has of 16 lines; the second eight lie eight times `pitch` words on.
__device__ __forceinline__ void load_lines(u32 (&a)[4], const u32* lines, u32 pitch) {
    const uint2 upper = *reinterpret_cast<const uint2*>(lines);
    const uint2 lower = *reinterpret_cast<const uint2*>(lines + 8 * pitch);
    a[0] = upper.x;
    a[1] = lower.x;
    a[2] = upper.y;
    a[3] = lower.y;
}

// Transposes 32 x 32 bits: a lane has a row, and gets a column.
__device__ __forceinline__ u32 turned_square(u32 row) {
    u32 mine = 0;
#pragma unroll
    for (u32 c = 0; c < 32; ++c) {
        const u32 column = __ballot_sync(everyone, row >> c & 1);
        if (lane() == c) mine = column;
    }
    return mine;
}

// Updates 64 columns of 256 pivots with their closed tile: or-s the product to `lines`, two words
// each. 16 warps have 16 lines each.
__device__ __forceinline__ void multiply_panel(const u32* tile_words, const u32* turned, u32 pitch, u32* lines) {
    const u32 warp = threadIdx.x / 32, g = lane() / 4, q = lane() % 4;
    u32 a[4];
    load_lines(a, tile_words + (16 * warp + g) * pitch + 2 * q, pitch);
    u32 upper = 0, lower = 0;
#pragma unroll
    for (int t = 7; t >= 0; --t) {
        int c[4] = {none, none, none, none};
        // so that a lane's columns are 16 neighbours
        const u32 column = 16 * (g / 2) + 2 * t + g % 2;
        multiply(c, a, *reinterpret_cast<const uint2*>(turned + column * pitch + 2 * q));
        upper = push(upper, c[0], c[1]);
        lower = push(lower, c[2], c[3]);
    }
    auto* halves = reinterpret_cast<unsigned short*>(lines);
    halves[(16 * warp + g) * 4 + q] |= upper;
    halves[(16 * warp + g + 8) * 4 + q] |= lower;
}
