// Edges that a generator draws, each a function of its number, as in graph-formats/src/generate.
#pragma once

#include "../common/grid.cuh"

// What the launch is given. The host has the same structure.
struct Draws {
    u64 stream;
    // where the quadrants b, c and d begin
    u64 quadrants[3];
    u64 keys[4];
    u64 n_edges;
    u32 n_vertices;
    // cuts of the matrix; 0 where edges join any two vertices
    u32 scale;
    u32 is_scrambled;
    u32 both_ways;
    u32 keeps_loops;
    u32 unused;
};

constexpr u64 golden = 0x9e3779b97f4a7c15ull;

__device__ __forceinline__ u64 mix(u64 x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ __forceinline__ u64 random_at(u64 stream, u64 index) { return mix(stream + (index + 1) * golden); }

__device__ __forceinline__ u32 scramble(const Draws& draws, u32 number) {
    const u64 mask = (1ull << draws.scale) - 1;
    const u32 half = max((draws.scale + 1) / 2, 1u);
    u64 x = number;
#pragma unroll
    for (u32 round = 0; round < 4; ++round) {
        x = x * (draws.keys[round] | 1) + (draws.keys[round] >> 32) & mask;
        x ^= x >> half;
    }
    return static_cast<u32>(x);
}

__device__ __forceinline__ uint2 draw(const Draws& draws, u64 edge) {
    if (draws.scale == 0) {
        const u64 u = random_at(draws.stream, 2 * edge), v = random_at(draws.stream, 2 * edge + 1);
        return make_uint2(static_cast<u32>(__umul64hi(u, draws.n_vertices)),
                          static_cast<u32>(__umul64hi(v, draws.n_vertices)));
    }
    const u64 stream = random_at(draws.stream, edge);
    u32 u = 0, v = 0;
    u64 random = 0;
    for (u32 cut = 0; cut < draws.scale; ++cut) {
        random = cut % 2 == 0 ? random_at(stream, cut / 2) : random >> 32;
        const u64 choice = random & 0xffffffffu;
        const bool b = choice >= draws.quadrants[0], c = choice >= draws.quadrants[1], d = choice >= draws.quadrants[2];
        u = u << 1 | c;
        v = v << 1 | (b ^ c ^ d);
    }
    return draws.is_scrambled != 0 ? make_uint2(scramble(draws, u), scramble(draws, v)) : make_uint2(u, v);
}
