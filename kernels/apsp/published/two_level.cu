// Method B of iterative blocked Floyd-Warshall, for the tiles of t x t outside the pivot's row and
// column. They are cut once more, into small tiles of side u (the paper's t'), so that the data of
// a block fit little shared memory. Other kernels convert to and from the blocked data layout.
//
// After okuyama-2010 (docs/references.bib), section 4.3. What is different:
// - the paper binds the pivot's column to texture memory, because its GPU cannot read fewer than 16
//   columns at once. Here such reads go through the cache for read-only data, which is the same
//   hardware today;
// - the transposed columns are sorted in shared memory so that the elements of a thread are
//   adjacent, and four are read by one instruction; the paper's GPU added straight from shared
//   memory.

#include "number.cuh"

// The tiles (I, J) with I and J other than the pivot, from themselves, (I, pivot) and
// (pivot, J).
//
// Launch: blocks of t x u threads in one dimension, (ceil(n_tiles / per_block), n_tiles - 1)
// of them; 2 t u elements of shared memory, declared. A block makes `per_block` neighbouring
// tiles of a row one after the other, and leaves out the pivot's. Thread (x, y) is number
// y * t + x and has column x in rows y, y + u, y + 2 u ... in registers. The matrix is
// described as in tiles.cu. For u columns of the one factor and u rows of the other at a time,
// each thread copies an element of each to shared memory.
//
// Races: none. A block writes its own tiles only; tiles in row and column of the pivot have
// no block, and are not written.
template <u32 t, u32 u>
__device__ __forceinline__ void bulk(
    Weight* matrix, u64 tile_row, u64 tile_column, u32 row, u32 pivot, u32 n_tiles, u32 per_block)
{
    constexpr u32 each = t / u;
    __shared__ __align__(16) Weight first[u * t];
    __shared__ Weight second[u * t];
    const u32 x = threadIdx.x % t;
    const u32 y = threadIdx.x / t;
    const u64 length = row;
    const u32 i = blockIdx.y + (blockIdx.y >= pivot);
    const Weight* left = matrix + i * tile_row + pivot * tile_column;

    // the element of `left` that this thread copies: row r, column k of the next u columns
    const u32 r = threadIdx.x / u;
    const u32 k = threadIdx.x % u;
    // thread row r % u needs it, as number r / u
    const u32 place = k * t + r % u * each + r / u;

    const u32 end = min((blockIdx.x + 1) * per_block, n_tiles);
    for (u32 j = blockIdx.x * per_block; j < end; ++j) {
        if (j == pivot) continue;
        Weight* tile = matrix + i * tile_row + j * tile_column;
        const Weight* above = matrix + pivot * tile_row + j * tile_column;
        Weight mine[each];
#pragma unroll
        for (u32 p = 0; p < each; ++p) mine[p] = tile[(y + u * p) * length + x];
#pragma unroll 1
        for (u32 from = 0; from < t; from += u) {
            __syncthreads();
            first[place] = __ldg(left + r * length + from + k);
            second[threadIdx.x] = __ldg(above + (from + y) * length + x);
            __syncthreads();
#pragma unroll
            for (u32 s = 0; s < u; ++s) {
                const Weight down = second[s * t + x];
#pragma unroll
                for (u32 p = 0; p < each; ++p) relax(mine[p], first[s * t + y * each + p], down);
            }
        }
#pragma unroll
        for (u32 p = 0; p < each; ++p) tile[(y + u * p) * length + x] = mine[p];
    }
}

#define BULK_ENTRY(t, u)                                                                     \
    extern "C" __global__ void __launch_bounds__(t * u) ENTRY(two_level_t##t##_u##u)(        \
        Weight* matrix, u64 tile_row, u64 tile_column, u32 row, u32 pivot, u32 n_tiles,      \
        u32 per_block)                                                                       \
    {                                                                                        \
        bulk<t, u>(matrix, tile_row, tile_column, row, pivot, n_tiles, per_block);           \
    }

BULK_ENTRY(16, 1)
BULK_ENTRY(16, 2)
BULK_ENTRY(16, 4)
BULK_ENTRY(16, 8)
BULK_ENTRY(16, 16)
BULK_ENTRY(32, 1)
BULK_ENTRY(32, 2)
BULK_ENTRY(32, 4)
BULK_ENTRY(32, 8)
BULK_ENTRY(32, 16)
BULK_ENTRY(64, 1)
BULK_ENTRY(64, 2)
BULK_ENTRY(64, 4)
BULK_ENTRY(64, 8)
BULK_ENTRY(64, 16)

// Copies n_tiles x n_tiles tiles of side t between a row-major matrix with rows of `side` and
// one that holds tile after tile, each row by row. A thread copies an element, and takes its
// place in the row-major matrix. Launch: one dimension, at least (n_tiles * t)^2 threads.
// Races: none, for no two threads have the same element.
template <bool to_tiles>
__device__ __forceinline__ void convert(
    Weight* by_row, Weight* by_tile, u32 side, u32 n_tiles, u32 t)
{
    const u64 width = static_cast<u64>(n_tiles) * t;
    const u64 number = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (number >= width * width) return;
    const u32 i = number / width;
    const u32 j = number % width;
    const u64 tile = static_cast<u64>(i / t) * n_tiles + j / t;
    Weight& in_row = by_row[static_cast<u64>(i) * side + j];
    Weight& in_tile = by_tile[tile * t * t + i % t * t + j % t];
    if (to_tiles) {
        in_tile = in_row;
    } else {
        in_row = in_tile;
    }
}

extern "C" __global__ void ENTRY(to_tiles)(
    Weight* by_row, Weight* by_tile, u32 side, u32 n_tiles, u32 t)
{
    convert<true>(by_row, by_tile, side, n_tiles, t);
}

extern "C" __global__ void ENTRY(from_tiles)(
    Weight* by_row, Weight* by_tile, u32 side, u32 n_tiles, u32 t)
{
    convert<false>(by_row, by_tile, side, n_tiles, t);
}
