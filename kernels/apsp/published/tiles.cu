// The first two of the three kernels of iterative blocked Floyd-Warshall: the pivot tile, and
// the tiles of its row and column. The third, all other tiles, is in product.cu and two_level.cu.
//
// After okuyama-2010 (docs/references.bib), section 4.1: t x h threads hold a tile of t x t in
// their registers, each t / h elements of one column; at step k, row k and column k go
// through shared memory, 2 t elements. What is different: the step's part of the pivot tile
// is asked for one step ahead.
//
// What holds for all entries
//
// Launch: blocks of t x h threads in one dimension. Thread (x, y) is number y * t + x and has
// column x in rows y, y + h, y + 2 h ... of its tile. 2 t elements of shared memory, declared.
//
// A matrix is described so that rows and tiles may lie in any order: element (r, c) of tile
// (I, J) is at I * tile_row + J * tile_column + r * row + c. Row-major: side * t, t, side.
// Tile by tile (the blocked data layout): (tiles of a row) * t * t, t * t, t.
//
// Races: none. A block writes its own tile only, from registers, at the end; the pivot tile,
// which blocks of `panels` read, is not written by them. Within a block the threads meet
// before and after each step's update, so every element of step k is made from row k and
// column k as they were before it: floats too do not depend on who is first.

#include "number.cuh"

// Steps 0 ... t - 1 on `tile`. Row k is its own or else the pivot tile's, and so is column k.
template <u32 t, u32 h>
__device__ __forceinline__ void close_tile(
    Weight* tile, const Weight* pivot, u32 row_length, bool own_row, bool own_column)
{
    constexpr u32 each = t / h;
    __shared__ Weight through_row[t];
    __shared__ Weight through_column[t];
    const u32 x = threadIdx.x % t;
    const u32 y = threadIdx.x / t;
    const u64 length = row_length;

    Weight mine[each];
#pragma unroll
    for (u32 p = 0; p < each; ++p) mine[p] = tile[(y + h * p) * length + x];

    // what thread (x, 0) brings from the pivot tile for step k
    const bool brings = y == 0 && !(own_row && own_column);
    const auto bring = [&](u32 k) {
        return own_row ? pivot[x * length + k] : pivot[k * length + x];
    };
    Weight brought = brings ? bring(0) : no_path;

    // Rows of step k lie in place k / h of the registers: this loop is unrolled, to know it.
#pragma unroll
    for (u32 p = 0; p < each; ++p) {
#pragma unroll 1
        for (u32 s = 0; s < h; ++s) {
            const u32 k = h * p + s;
            if (own_row && y == s) through_row[x] = mine[p];
            if (own_column && x == k) {
#pragma unroll
                for (u32 q = 0; q < each; ++q) through_column[y + h * q] = mine[q];
            }
            if (brings) {
                (own_row ? through_column : through_row)[x] = brought;
                if (k + 1 < t) brought = bring(k + 1);
            }
            __syncthreads();
            const Weight down = through_row[x];
#pragma unroll
            for (u32 q = 0; q < each; ++q) relax(mine[q], through_column[y + h * q], down);
            __syncthreads();
        }
    }
#pragma unroll
    for (u32 p = 0; p < each; ++p) tile[(y + h * p) * length + x] = mine[p];
}

// Tile (pivot, pivot), from itself. Launch: one block.
template <u32 t, u32 h>
__device__ __forceinline__ void close_pivot(
    Weight* matrix, u64 tile_row, u64 tile_column, u32 row, u32 pivot)
{
    Weight* tile = matrix + pivot * (tile_row + tile_column);
    close_tile<t, h>(tile, tile, row, true, true);
}

// The other tiles in row and column `pivot`, from themselves and the pivot tile. Launch: for
// each of the other places in a row a block, and then for each of those in a column.
template <u32 t, u32 h>
__device__ __forceinline__ void close_panels(
    Weight* matrix, u64 tile_row, u64 tile_column, u32 row, u32 pivot)
{
    const u32 others = gridDim.x / 2;
    const bool in_row = blockIdx.x < others;
    u32 other = in_row ? blockIdx.x : blockIdx.x - others;
    if (other >= pivot) ++other;
    const u32 i = in_row ? pivot : other;
    const u32 j = in_row ? other : pivot;
    const Weight* middle = matrix + pivot * (tile_row + tile_column);
    close_tile<t, h>(matrix + i * tile_row + j * tile_column, middle, row, in_row, !in_row);
}

#define TILE_ENTRY(name, function, t, h)                                                     \
    extern "C" __global__ void __launch_bounds__(t * h) ENTRY(name##_t##t##_h##h)(           \
        Weight* matrix, u64 tile_row, u64 tile_column, u32 row, u32 pivot)                   \
    {                                                                                        \
        function<t, h>(matrix, tile_row, tile_column, row, pivot);                           \
    }
#define TILE_ENTRIES(t, h)                                                                   \
    TILE_ENTRY(pivot, close_pivot, t, h)                                                     \
    TILE_ENTRY(panels, close_panels, t, h)

// 8, 4 and 2 elements a thread
TILE_ENTRIES(16, 2)
TILE_ENTRIES(16, 4)
TILE_ENTRIES(16, 8)
TILE_ENTRIES(32, 4)
TILE_ENTRIES(32, 8)
TILE_ENTRIES(32, 16)
TILE_ENTRIES(64, 8)
TILE_ENTRIES(64, 16)
