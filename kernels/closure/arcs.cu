// The relation of a graph's arcs, in bits.
#include "layout.cuh"

// Sets the bit of each arc: a warp for every vertex, a lane for every arc of it. Bits of one
// word are set by atomics, in any order. The matrix is zero before.
extern "C" __global__ void __launch_bounds__(256) closure_arcs(u32* lines, u64 stride, const u32* offsets, const u32* heads, u32 n_vertices) {
    const u32 u = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (u >= n_vertices) return;
    for (u64 arc = offsets[u] + static_cast<u64>(lane()); arc < offsets[u + 1]; arc += 32) {
        const u32 v = heads[arc];
        atomicOr(lines + u * stride + v / 32, 1u << v % 32);
    }
}
