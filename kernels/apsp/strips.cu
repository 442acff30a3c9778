// What it takes to update rows of a matrix through pivots that lie elsewhere: for matrices
// that are larger than the GPU's memory and pass through it in strips of rows.
//
// Reference: katz-kider-2008
#include "product.cuh"

// Turns rows over: to[k][i] = the element (i, k) of `from`, spread over a word.
//
// A block of 256 threads for each 32 rows and 32 words of `from`, x counting words; `n_rows`
// and the words of a row are multiples of 32. Shared memory takes the words in one order and
// gives them in the other; a column more than 32 keeps the banks apart.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(turn_over)(const Word* from, u64 stride, u32 n_rows, Word* to) {
    __shared__ Word words[32][33];
    const u32 x = threadIdx.x % 32, y = threadIdx.x / 32;
    const u32 left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (u32 r = y; r < 32; r += 8) words[r][x] = from[(u64)(top + r) * stride + left + x];
    __syncthreads();
    for (u32 c = y; c < 32; c += 8) {
#pragma unroll
        for (u32 place = 0; place < lanes; ++place) {
            const u64 k = (u64)(left + c) * lanes + place;
            to[k * n_rows + top + x] = spread(words[x][c], place);
        }
    }
}

// c[i][j] = min(c[i][j], a[i][k] + b[k][j] over all k below `n`), a transposed and broadcast, with
// `a_stride` words for each k.
//
// A block of 256 threads for each tile of c, x counting tiles to the right. No other block reads or
// writes the tile.
extern "C" __global__ void __launch_bounds__(256, 2)
    ENTRY(multiply)(Word* c, u64 c_stride, const Word* a, u64 a_stride, const Word* b, u64 b_stride,
                    u32 n) {
    __shared__ Strips<tile_rows, tile_columns> shared;
    const u64 left = (u64)blockIdx.x * tile_columns, top = (u64)blockIdx.y * tile_rows;
    c += top * c_stride + left;
    Tile<tile_rows, tile_columns, 8, tile_columns / 16> tile;
    tile.load(c, c_stride);
    tile.relax_through(shared, a + top, a_stride, b + left, b_stride, n);
    tile.store(c, c_stride);
}
