// Raises lines by a chunk of pivots, with bitwise instructions: the form for every GPU.
//
// A block has 128 lines by 64 words, a thread 8 lines by 4 words in registers. For each pivot
// it reads four words of the pivot's line and ors them to those lines that have its bit.
//
// Reference: warshall-1962, venkataraman-2003
#include "layout.cuh"

constexpr u32 tile_lines = 128;
constexpr u32 tile_words = 64;

// One block of 256 threads for each tile of 128 lines and 64 words (x), the last of which may
// end sooner. Selectors are read while other blocks raise them: what is seen lies between the
// relation and its closure, and suffices. Every word is written by one thread.
extern "C" __global__ void __launch_bounds__(256, 2) closure_update_lop3(Step step, u32 n_column_tiles) {
    __shared__ alignas(16) u32 pivots[2][32][tile_words];
    const u32 t = threadIdx.x;
    const u32 at = blockIdx.x / n_column_tiles * tile_lines, first_word = blockIdx.x % n_column_tiles * tile_words;
    // a thread's words and lines, and the words of pivots 2 r and 2 r + 1 that it fetches
    const u32 word = first_word + t % 16 * 4, row = t / 16;
    const bool has_words = word < step.stride;
    u32* const lines = step.words(step.line(at + 8 * row));
    const uint4 zero = {0, 0, 0, 0};
    uint4 next[2];
    u32 next_selectors[8];
    auto fetch = [&](u32 k) {
        if (k == chunk_words) return;
        const u32* pivot = step.pivot_words(32 * k + 2 * row) + word;
        next[0] = has_words ? *reinterpret_cast<const uint4*>(pivot) : zero;
        next[1] = has_words ? *reinterpret_cast<const uint4*>(pivot + step.stride) : zero;
#pragma unroll
        for (u32 l = 0; l < 8; ++l) next_selectors[l] = __ldcg(lines + l * step.stride + step.pivot / 32 + k);
    };
    fetch(0);
    uint4 sums[8];
#pragma unroll
    for (u32 l = 0; l < 8; ++l) sums[l] = zero;
    for (u32 k = 0; k < chunk_words; ++k) {
        u32(&stage)[32][tile_words] = pivots[k % 2];
        *reinterpret_cast<uint4*>(&stage[2 * row][t % 16 * 4]) = next[0];
        *reinterpret_cast<uint4*>(&stage[2 * row + 1][t % 16 * 4]) = next[1];
        u32 selectors[8];
#pragma unroll
        for (u32 l = 0; l < 8; ++l) selectors[l] = next_selectors[l];
        __syncthreads();
        fetch(k + 1);
#pragma unroll
        for (u32 p = 0; p < 32; ++p) {
            const uint4 pivot = *reinterpret_cast<const uint4*>(&stage[p][t % 16 * 4]);
#pragma unroll
            for (u32 l = 0; l < 8; ++l) {
                if (selectors[l] >> p & 1) {
                    sums[l].x |= pivot.x;
                    sums[l].y |= pivot.y;
                    sums[l].z |= pivot.z;
                    sums[l].w |= pivot.w;
                }
            }
        }
    }
    if (!has_words) return;
#pragma unroll
    for (u32 l = 0; l < 8; ++l) {
        auto* const own = reinterpret_cast<uint4*>(lines + l * step.stride + word);
        const uint4 before = __ldcg(own);
        const uint4 after = {before.x | sums[l].x, before.y | sums[l].y, before.z | sums[l].z, before.w | sums[l].w};
        if (after.x != before.x || after.y != before.y || after.z != before.z || after.w != before.w) __stcg(own, after);
    }
}
