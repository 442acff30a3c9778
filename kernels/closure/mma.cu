// Unites lines with those of a block of pivots, by matrix units that every warp uses for itself.
//
// A block of 256 threads has 128 lines by 256 columns, a warp 64 by 64 of them, whose 4096 counts
// stay in its registers over all pivots. Counts are converted to bits at the end, and only words
// that change are written.
//
// Reference: warshall-1962, venkataraman-2003
#include "matrix.cuh"

constexpr u32 tile_lines = 128;
constexpr u32 n_stages = 3;

struct Stage {
    u32 selectors[tile_lines * chunk_words];
    u32 pivots[tile_bytes / 4];
};

__device__ __forceinline__ void copy(void* to, const void* from) {
    const u32 address = static_cast<u32>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

// One block of 256 threads for each tile of 128 lines and 256 columns; neighbouring blocks
// have the same lines. Selectors are read while other blocks raise them: what is seen lies
// between the relation and its closure, and suffices. Every word is written by one thread.
extern "C" __global__ void __launch_bounds__(256, 1) closure_update_mma(Step step, u32 n_column_tiles) {
    __shared__ alignas(16) Stage stages[n_stages];
    const u32 t = threadIdx.x, warp = t / 32, g = lane() / 4, q = lane() % 4;
    const u32 at = blockIdx.x / n_column_tiles * tile_lines, column_tile = blockIdx.x % n_column_tiles;
    u32* const line = step.words(step.line(at + t / 2));
    const u32* selectors = line + step.pivot / 32 + t % 2 * 4;
    const unsigned char* pivots = step.turned + (u64)column_tile * tile_bytes + t * 16;
    auto fetch = [&](u32 k) {
        if (k < step.n_chunks) {
            Stage& stage = stages[k % n_stages];
            copy(stage.selectors + t * 4, selectors + k * chunk_words);
            copy(stage.pivots + t * 4, pivots + k * step.chunk_bytes);
            copy(stage.pivots + 1024 + t * 4, pivots + k * step.chunk_bytes + tile_bytes / 2);
        }
        asm volatile("cp.async.commit_group;");
    };
    for (u32 k = 0; k + 1 < n_stages; ++k) fetch(k);
    auto* const own = reinterpret_cast<uint4*>(line + column_tile * (tile / 32) + t % 2 * 4);
    const uint4 before = __ldcg(own);
    // a warp's lines, and which eighths of eight columns it has of all 32
    const u32 upper = warp / 4 * 64, eighths = warp % 4 * 8;
    int counts[4][8][4];
#pragma unroll
    for (u32 m = 0; m < 4; ++m)
#pragma unroll
        for (u32 e = 0; e < 8; ++e)
#pragma unroll
            for (u32 i = 0; i < 4; ++i) counts[m][e][i] = none;
    for (u32 k = 0; k < step.n_chunks; ++k) {
        asm volatile("cp.async.wait_group %0;" ::"n"(n_stages - 2) : "memory");
        __syncthreads();
        fetch(k + n_stages - 1);
        const Stage& stage = stages[k % n_stages];
        u32 a[4][4];
#pragma unroll
        for (u32 m = 0; m < 4; ++m) load_lines(a[m], stage.selectors + (upper + 16 * m + g) * chunk_words + 2 * q, chunk_words);
#pragma unroll
        for (u32 e = 0; e < 8; ++e) {
            const u32 from = image(8 * (eighths + e) + g, q / 2) / 4 + q % 2 * 2;
            const uint2 b = *reinterpret_cast<const uint2*>(stage.pivots + from);
#pragma unroll
            for (u32 m = 0; m < 4; ++m) multiply(counts[m][e], a[m], b);
        }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    // 128 lines of 16 times 16 bits
    auto* const found = reinterpret_cast<unsigned short*>(stages);
#pragma unroll
    for (u32 m = 0; m < 4; ++m) {
        u32 high = 0, low = 0;
#pragma unroll
        for (int e = 7; e >= 0; --e) {
            high = push(high, counts[m][e][0], counts[m][e][1]);
            low = push(low, counts[m][e][2], counts[m][e][3]);
        }
        const u32 column = 4 * q + eighths / 8;
        found[(upper + 16 * m + g) * 16 + column] = static_cast<unsigned short>(high);
        found[(upper + 16 * m + g + 8) * 16 + column] = static_cast<unsigned short>(low);
    }
    __syncthreads();
    const uint4 bits = reinterpret_cast<const uint4*>(found)[t];
    const uint4 after = {before.x | bits.x, before.y | bits.y, before.z | bits.z, before.w | bits.w};
    if (after.x != before.x || after.y != before.y || after.z != before.z || after.w != before.w) __stcg(own, after);
}
