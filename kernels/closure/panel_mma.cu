// The first two phases of a blocked closure, with matrix units, which also transpose the pivots'
// lines for the third.
//
// Reference: warshall-1962, venkataraman-2003
#include "matrix.cuh"
#include "panel.cuh"

// Transposes 64 columns of a chunk: a warp of 16 takes 32 lines, of which a lane has `word`, a word
// of two.
__device__ __forceinline__ void turn(u32* turned, u32 word) {
    const u32 warp = threadIdx.x / 32;
    turned[(32 * (warp % 2) + lane()) * pitch + warp / 2] = turned_square(word);
}

// Writes transposed columns where products read them.
__device__ __forceinline__ void hand_on(const Step& step, u32 k, u32 at, const u32* turned) {
    if (threadIdx.x >= 2 * group) return;
    const u32 column = threadIdx.x / 2, half = threadIdx.x % 2;
    unsigned char* tile_image = step.turned + k * step.chunk_bytes + static_cast<u64>(at / 4) * tile_bytes;
    *reinterpret_cast<uint4*>(tile_image + image(place(at % 4 * group + column), half)) =
        *reinterpret_cast<const uint4*>(turned + column * pitch + 4 * half);
}

// Closes a chunk of pivots and updates their lines with it. Blocks of 512 threads share the groups
// of 64 columns; each closes the tile for itself. Reads and writes the pivots' lines, and writes
// them transposed. Blocks read the tile while one of them writes it: they read bits between the
// relation and its closure, which suffices.
extern "C" __global__ void __launch_bounds__(closers, 1) closure_panel_mma(Step step, u32 n_groups) {
    __shared__ Panel panel;
    __shared__ alignas(16) u32 turned[group * pitch];
    const u32 t = threadIdx.x, from = 32 * (t / 64) + lane();
    u32* const mine = step.pivot_words(t / 2) + t % 2;
    u32 next = blockIdx.x < n_groups ? mine[2 * blockIdx.x] : 0;
    close_chunk(step, panel);
    for (u32 at = blockIdx.x; at < n_groups; at += gridDim.x) {
        panel.lines[t] = next;
        if (at + gridDim.x < n_groups) next = mine[2 * (at + gridDim.x)];
        __syncthreads();
        turn(turned, panel.lines[2 * from + t / 32 % 2]);
        __syncthreads();
        multiply_panel(panel.tile, turned, pitch, panel.lines);
        __syncthreads();
        mine[2 * at] = panel.lines[t];
        turn(turned, panel.lines[2 * from + t / 32 % 2]);
        __syncthreads();
        hand_on(step, 0, at, turned);
        __syncthreads();
    }
}

// Turns pivots' lines over, as they are: a block of 512 threads for 64 columns (x) of a chunk
// (y).
extern "C" __global__ void __launch_bounds__(512) closure_turn(Step step) {
    __shared__ alignas(16) u32 turned[group * pitch];
    const u32 t = threadIdx.x, pivot = blockIdx.y * chunk + 32 * (t / 64) + lane();
    turn(turned, step.pivot_words(pivot)[2 * blockIdx.x + t / 32 % 2]);
    __syncthreads();
    hand_on(step, blockIdx.y, blockIdx.x, turned);
}
