// The first two of the three kernels of iterative blocked Floyd-Warshall: the pivot tile, and
// the tiles of its row and column. The third, all other tiles, is in product.cu and two_level.cu.
//
// After okuyama-2010 (docs/references.bib), section 4.1. t x h threads hold a tile of t x t in
// their registers, each t / h elements of one column. At step k, row k and column k go through
// shared memory, 2 t elements. What is different:
// - the step's part of the pivot tile is loaded one step ahead;
// - with more than 8 elements a thread, the steps are a loop over a few unrolled steps, and the
//   elements move among the registers in between; unrolling all steps would give long code.
//
// And the sequential kernel that closes tiles of the recursive form there.
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
// Races: none. A block writes its own tile only, from registers, at the end. The blocks of `panels`
// read the pivot tile and do not write it. Within a block there is a barrier before and after each
// step's update, so every element of step k is computed from row k and column k as they were before
// it. So floats too do not depend on which thread is first.

#include "number.cuh"

// Elements that lie in `by` places fewer than they did, the first ones in the last places.
template <u32 by, u32 each>
__device__ __forceinline__ void move_up(Weight (&mine)[each])
{
    Weight first[by];
#pragma unroll
    for (u32 p = 0; p < by; ++p) first[p] = mine[p];
#pragma unroll
    for (u32 p = 0; p + by < each; ++p) mine[p] = mine[p + by];
#pragma unroll
    for (u32 p = 0; p < by; ++p) mine[each - by + p] = first[p];
}

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

    // Row k lies in place k / h of the registers, or `moved` places before. Which one has to be
    // known when this is compiled, so that the loop over places is unrolled.
    constexpr u32 at_once = each > 8 ? 4 : each;
#pragma unroll 1
    for (u32 moved = 0; moved < each; moved += at_once) {
#pragma unroll
        for (u32 p = 0; p < at_once; ++p) {
#pragma unroll 1
            for (u32 s = 0; s < h; ++s) {
                const u32 k = h * (moved + p) + s;
                if (own_row && y == s) through_row[x] = mine[p];
                // rows lie in `through_column` as they lie in the registers
                if (own_column && x == k) {
#pragma unroll
                    for (u32 q = 0; q < each; ++q) through_column[y + h * q] = mine[q];
                }
                if (brings) {
                    const u32 place = at_once < each && own_row ? (x - h * moved) % t : x;
                    (own_row ? through_column : through_row)[place] = brought;
                    if (k + 1 < t) brought = bring(k + 1);
                }
                __syncthreads();
                const Weight down = through_row[x];
#pragma unroll
                for (u32 q = 0; q < each; ++q) relax(mine[q], through_column[y + h * q], down);
                __syncthreads();
            }
        }
        move_up<at_once>(mine);
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

TILE_ENTRIES(16, 1)
TILE_ENTRIES(16, 2)
TILE_ENTRIES(16, 4)
TILE_ENTRIES(16, 8)
TILE_ENTRIES(16, 16)
TILE_ENTRIES(32, 1)
TILE_ENTRIES(32, 2)
TILE_ENTRIES(32, 4)
TILE_ENTRIES(32, 8)
TILE_ENTRIES(32, 16)
TILE_ENTRIES(64, 1)
TILE_ENTRIES(64, 2)
TILE_ENTRIES(64, 4)
TILE_ENTRIES(64, 8)
TILE_ENTRIES(64, 16)

// Tile (pivot, pivot) of side 16, from itself, by one thread: the three loops, with row k and the
// row that takes it in registers.
//
// Launch: one block of one thread. Races: none.
extern "C" __global__ void __launch_bounds__(1) ENTRY(pivot_sequential)(
    Weight* matrix, u64 tile_row, u64 tile_column, u32 row, u32 pivot)
{
    constexpr u32 t = 16;
    Weight* tile = matrix + pivot * (tile_row + tile_column);
    const u64 length = row;
#pragma unroll 1
    for (u32 k = 0; k < t; ++k) {
        Weight through[t];
#pragma unroll
        for (u32 j = 0; j < t; ++j) through[j] = tile[k * length + j];
#pragma unroll 1
        for (u32 i = 0; i < t; ++i) {
            Weight* from = tile + i * length;
            const Weight first = from[k];
            Weight mine[t];
#pragma unroll
            for (u32 j = 0; j < t; ++j) mine[j] = from[j];
#pragma unroll
            for (u32 j = 0; j < t; ++j) relax(mine[j], first, through[j]);
#pragma unroll
            for (u32 j = 0; j < t; ++j) from[j] = mine[j];
        }
    }
}
