// The first two phases of a blocked closure, with bitwise instructions.
//
// Reference: warshall-1962, venkataraman-2003
#include "panel.cuh"

// Closes a chunk of pivots and updates their lines with it. Blocks of 512 threads share the groups
// of 64 columns; each closes the tile for itself. Reads and writes the pivots' lines. Blocks read
// the tile while one of them writes it: what they see lies between the relation and its closure,
// and suffices.
extern "C" __global__ void __launch_bounds__(closers, 1) closure_panel_lop3(Step step, u32 n_groups) {
    __shared__ Panel panel;
    close_chunk(step, panel);
    const u32 pivot = threadIdx.x / 2, word = threadIdx.x % 2;
    for (u32 at = blockIdx.x; at < n_groups; at += gridDim.x) {
        u32* const mine = step.pivot_words(pivot) + 2 * at + word;
        u32 sum = *mine;
        panel.lines[threadIdx.x] = sum;
        __syncthreads();
        for (u32 w = 0; w < chunk_words; ++w) {
            const u32 selectors = panel.tile[pivot * pitch + w];
#pragma unroll
            for (u32 k = 0; k < 32; ++k) {
                if (selectors >> k & 1) sum |= panel.lines[(32 * w + k) * 2 + word];
            }
        }
        *mine = sum;
        __syncthreads();
    }
}
