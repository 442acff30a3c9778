// The min-plus product in registers, C = min(C, A B), with sums in place of products and minima in
// place of sums. Method A of iterative blocked Floyd-Warshall uses it for all tiles outside the
// pivot's row and column, and the recursive form for its products.
//
// After okuyama-2010, section 4.2, and buluc-2008, which the former shows in its figure 6; both are
// built on the product of volkov-demmel-2008 (docs/references.bib). A block computes sub-matrices
// of C of 16 x 64, a thread a column of 16 elements in registers. An element of B is read from
// global memory straight into a register and used 16 times; A is in shared memory, transposed. What
// is different:
// - a column of A takes 20 places and not 17, so that four of its elements are read by one
//   instruction; a GPU of today cannot add straight from shared memory;
// - the recursive form multiplies in place there, and floats then depend on which thread is first;
//   here a product goes to another matrix than its factors.
//
// What holds for all entries
//
// Launch: blocks of 64 threads in one dimension; shared memory is declared. All matrices are
// row-major with rows of `side` elements; ranges start and end at multiples of 16.

#include "number.cuh"

constexpr u32 rows = 16;
constexpr u32 columns = 64;
constexpr u32 padded = rows + 4;

// Copies `depth` columns of 16 rows of `a` to shared memory, transposed.
template <u32 depth>
__device__ __forceinline__ void stage(Weight* staged, const Weight* a, u64 side)
{
    for (u32 place = threadIdx.x; place < rows * depth; place += columns) {
        const u32 i = place / depth;
        const u32 k = place % depth;
        staged[k * padded + i] = __ldg(a + i * side + k);
    }
}

// The thread's column of C from the staged part of A and its column of B.
template <u32 depth>
__device__ __forceinline__ void multiply(
    Weight (&least)[rows], const Weight* staged, const Weight* b, u64 side)
{
#pragma unroll 8
    for (u32 k = 0; k < depth; ++k) {
        const Weight second = __ldg(b + k * side);
#pragma unroll
        for (u32 i = 0; i < rows; ++i) relax(least[i], staged[k * padded + i], second);
    }
}

// Method A, tiles of side t: all elements but those in rows and columns of the pivot.
//
// Launch: (ceil(across / per_block), rows / 16 - t / 16) blocks. A row has `across` sub-matrices of
// 64 columns. A block computes `per_block` of them, one after the other, from the same part of A,
// which is copied once. Reads: rows and columns of the pivot, its own elements. Writes: its own
// elements.
//
// Races: none. Rows of the pivot have no block. Threads in its columns compute like the others and
// write nothing. So no thread writes the rows and columns that all read.
template <u32 t>
__device__ __forceinline__ void bulk(
    Weight* matrix, u32 side, u32 pivot, u32 across, u32 per_block)
{
    __shared__ __align__(16) Weight staged[t * padded];
    const u64 length = side;
    const u32 first = pivot * t;
    u32 strip = blockIdx.y;
    if (strip >= first / rows) strip += t / rows;
    Weight* mine = matrix + strip * rows * length;
    stage<t>(staged, mine + first, length);
    __syncthreads();

    const u32 end = min((blockIdx.x + 1) * per_block, across);
    for (u32 part = blockIdx.x * per_block; part < end; ++part) {
        const u32 column = part * columns + threadIdx.x;
        Weight least[rows];
#pragma unroll
        for (u32 i = 0; i < rows; ++i) least[i] = mine[i * length + column];
        multiply<t>(least, staged, matrix + first * length + column, length);
        const bool is_pivots = column >= first && column < first + t;
        if (is_pivots) continue;
#pragma unroll
        for (u32 i = 0; i < rows; ++i) mine[i * length + column] = least[i];
    }
}

#define BULK_ENTRY(t)                                                                        \
    extern "C" __global__ void __launch_bounds__(columns) ENTRY(bulk_t##t)(                  \
        Weight* matrix, u32 side, u32 pivot, u32 across, u32 per_block)                      \
    {                                                                                        \
        bulk<t>(matrix, side, pivot, across, per_block);                                     \
    }

BULK_ENTRY(16)
BULK_ENTRY(32)
BULK_ENTRY(64)

// Sub-matrix `block` of C, of `width` columns, from A with `depth` columns and from B; with
// `adds`, the least of that and what is there. Sub-matrices are counted along a row first.
__device__ __forceinline__ void product(
    Weight* c, const Weight* a, const Weight* b, u64 side, u32 depth, u32 width, u32 block,
    bool adds)
{
    constexpr u32 chunk = 16;
    __shared__ __align__(16) Weight staged[chunk * padded];
    const u32 across = (width + columns - 1) / columns;
    const u32 top = block / across * rows;
    const u32 column = block % across * columns + threadIdx.x;
    // beyond the last column all is computed as in it, and not written
    const u32 read = min(column, width - 1);
    Weight* mine = c + top * side;

    Weight least[rows];
#pragma unroll
    for (u32 i = 0; i < rows; ++i) least[i] = adds ? mine[i * side + read] : no_path;
    for (u32 k = 0; k < depth; k += chunk) {
        stage<chunk>(staged, a + top * side + k, side);
        __syncthreads();
        multiply<chunk>(least, staged, b + k * side + read, side);
        __syncthreads();
    }
    if (column != read) return;
#pragma unroll
    for (u32 i = 0; i < rows; ++i) mine[i * side + column] = least[i];
}

// Sub-matrices that make up a matrix.
__device__ __forceinline__ u32 n_blocks(u32 height, u32 width)
{
    return height / rows * ((width + columns - 1) / columns);
}

// The recursive form, lines 4 and 5, and 8 and 9: the two blocks beside a closed block of the
// diagonal, each times it. P is the range of the closed block, Q the other one, each a first
// vertex and a length: to[P, Q] = closed[P, P] from[P, Q], to[Q, P] = from[Q, P] closed[P, P].
//
// Launch: as many blocks as the two products have sub-matrices, the first product's first;
// where one product is launched alone, `skip` sub-matrices are left out before.
// Reads: `closed` in [P, P], `from` in the two blocks. Writes: `to` in the two blocks. Races:
// none, for `to` is neither `from` nor, in these blocks, `closed`.
extern "C" __global__ void __launch_bounds__(columns) ENTRY(multiply_sides)(
    const Weight* closed, const Weight* from, Weight* to, u32 side, u32 p, u32 n_p, u32 q,
    u32 n_q, u32 skip)
{
    const u64 length = side;
    const Weight* middle = closed + p * length + p;
    const u64 right = p * length + q;
    const u64 below = q * length + p;
    const u32 block = blockIdx.x + skip;
    const u32 first = n_blocks(n_p, n_q);
    const bool is_right = block < first;
    const u64 at = is_right ? right : below;
    product(
        to + at, is_right ? middle : from + at, is_right ? from + at : middle, length, n_p,
        is_right ? n_q : n_p, is_right ? block : block - first, false);
}

// The recursive form, lines 6 and 10: the other block of the diagonal by way of P:
// to[Q, Q] = min(to[Q, Q], from[Q, P] from[P, Q]).
//
// Launch: as many blocks as the product has sub-matrices. Races: none, for [Q, Q] is neither
// [Q, P] nor [P, Q].
extern "C" __global__ void __launch_bounds__(columns) ENTRY(multiply_corner)(
    const Weight* from, Weight* to, u32 side, u32 p, u32 n_p, u32 q, u32 n_q)
{
    const u64 length = side;
    product(
        to + q * length + q, from + q * length + p, from + p * length + q, length, n_p, n_q,
        blockIdx.x, true);
}
