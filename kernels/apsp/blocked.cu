// Blocked Floyd-Warshall in the registers of a GPU: the default form for all pairs.
//
// The matrix lies row by row, and its sides are multiples of 128 (of 256 in 16 bits); what
// pads it has no path. A pivot block is 128 vertices. For each of them: close_pivot closes
// the tile on the diagonal; panels takes its rows and columns through it, and keeps the
// columns turned over; and update takes every other tile through both. The tiles of the next
// pivot block's rows and columns are updated first, in a launch of their own, so that its
// close_pivot and panels run beside the update of the rest, which is nearly all the work and
// does not touch them.
//
// What lies in memory may be some rows of a larger matrix only; then the pivots are these
// rows, and the diagonal lies `pivot_column - pivot_row` blocks to the right.
//
// Reference: venkataraman-2003, okuyama-2010
#include "product.cuh"

constexpr u32 block = 128;
constexpr u32 block_words = block / lanes;

// A matrix, or rows of one, and the pivot block whose turn it is.
struct Step {
    u32* matrix;
    // Words from a row to the next.
    u64 stride;
    u32 n_rows;
    u32 n_columns;
    // The pivot block, counted in rows of this matrix and in columns.
    u32 pivot_row;
    u32 pivot_column;
    // 1 where the pivot block after this one is a matter of this matrix, too.
    u32 has_next;
    u32 unused;
    // The closed diagonal tile turned over and spread: `block` rows of as many words.
    u32* turned;
    // The pivots' columns turned over and spread: `block` rows of `n_rows` words.
    u32* columns;

    __device__ __forceinline__ u32* pivots() const { return matrix + (u64)pivot_row * block * stride; }
    __device__ __forceinline__ u32* diagonal() const { return pivots() + (u64)pivot_column * block_words; }
};

// Words of a row of the diagonal tile that a thread has, and how they lie in memory.
constexpr u32 across = block_words / 32;
struct alignas(4 * across) Piece {
    u32 words[across];
};

// The element (r, 4 s + q) of a warp's four rows, spread, for all its threads: thread s has
// it, in a word that is known when this is compiled.
template <u32 q> __device__ __forceinline__ u32 element(const u32 (&words)[4][across], u32 r, u32 s) {
    return __shfl_sync(0xffffffff, spread(words[r][q / lanes], q % lanes), s);
}

// Takes row `to` of a warp's four through row p, by their elements at pivot 4 s + p.
template <u32 p> __device__ __forceinline__ void relax_row(u32 (&words)[4][across], u32 to, u32 s) {
    const u32 first = element<p>(words, to, s);
#pragma unroll
    for (u32 c = 0; c < across; ++c) words[to][c] = relax(words[to][c], first, words[p][c]);
}

// Closes the diagonal tile of the pivot block and writes it to `turned` too, turned over and
// spread.
//
// One block of 1024 threads; warp y has rows 4 y to 4 y + 3, and a thread `across` words of
// each. The plain loop goes by four pivots, 4 s to 4 s + 3: warp s takes these rows of its
// own through one another and lays them out in shared memory, in one of two places by turns,
// so that one barrier for four pivots suffices. A warp has its rows' elements of the four
// columns itself; it takes them through the pivots before them, and then all its words
// through all four. Nobody else uses the tile.
extern "C" __global__ void __launch_bounds__(1024)
    ENTRY(close_pivot)(const Step step) {
    __shared__ Piece shared[2][4][32];
    const u32 x = threadIdx.x % 32, y = threadIdx.x / 32;
    u32* corner = step.diagonal();
    const u64 stride = step.stride;
    u32 words[4][across];
#pragma unroll
    for (u32 r = 0; r < 4; ++r) {
        const Piece piece = reinterpret_cast<const Piece*>(corner + (4 * y + r) * stride)[x];
#pragma unroll
        for (u32 c = 0; c < across; ++c) words[r][c] = piece.words[c];
    }
    for (u32 s = 0; s < 32; ++s) {
        auto& rows = shared[s % 2];
        if (y == s) {
            relax_row<0>(words, 1, s);
            relax_row<0>(words, 2, s);
            relax_row<0>(words, 3, s);
            relax_row<1>(words, 2, s);
            relax_row<1>(words, 3, s);
            relax_row<2>(words, 3, s);
#pragma unroll
            for (u32 r = 0; r < 4; ++r) {
                Piece piece;
#pragma unroll
                for (u32 c = 0; c < across; ++c) piece.words[c] = words[r][c];
                rows[r][x] = piece;
            }
        }
        __syncthreads();
        Piece second[4];
        u32 between[4][4];
#pragma unroll
        for (u32 p = 0; p < 4; ++p) {
            second[p] = rows[p][x];
            const Piece crossing = rows[p][s];
#pragma unroll
            for (u32 q = p + 1; q < 4; ++q) {
                between[p][q] = spread(crossing.words[q / lanes], q % lanes);
            }
        }
#pragma unroll
        for (u32 r = 0; r < 4; ++r) {
            u32 first[4] = {element<0>(words, r, s), element<1>(words, r, s),
                            element<2>(words, r, s), element<3>(words, r, s)};
#pragma unroll
            for (u32 p = 0; p < 4; ++p) {
#pragma unroll
                for (u32 q = p + 1; q < 4; ++q) first[q] = relax(first[q], first[p], between[p][q]);
            }
#pragma unroll
            for (u32 c = 0; c < across; ++c) {
                const u32 half = relax(words[r][c], first[0], second[0].words[c], first[1],
                                       second[1].words[c]);
                words[r][c] = relax(half, first[2], second[2].words[c], first[3],
                                    second[3].words[c]);
            }
        }
    }
#pragma unroll
    for (u32 r = 0; r < 4; ++r) {
        Piece piece;
#pragma unroll
        for (u32 c = 0; c < across; ++c) piece.words[c] = words[r][c];
        reinterpret_cast<Piece*>(corner + (4 * y + r) * stride)[x] = piece;
    }
#pragma unroll
    for (u32 c = 0; c < across; ++c) {
#pragma unroll
        for (u32 place = 0; place < lanes; ++place) {
            const u32 k = (x * across + c) * lanes + place;
            reinterpret_cast<uint4*>(step.turned + k * block)[y] =
                make_uint4(spread(words[0][c], place), spread(words[1][c], place),
                           spread(words[2][c], place), spread(words[3][c], place));
        }
    }
}

// Takes the rows and the columns of the pivot block through its closed tile.
//
// A block of 128 threads for each strip of the rows, 64 words wide, and for each strip of
// the columns, `column_rows` high; those of the tile itself do nothing. A strip is read and
// written by its block alone, which has read all of it before it writes. The columns are
// written to `columns` too, turned over. Where they are taken from there before, the block
// has written its part itself.
constexpr u32 row_words = 64;
constexpr u32 column_rows = lanes == 1 ? 64 : 128;

extern "C" __global__ void __launch_bounds__(128) ENTRY(panels)(const Step step) {
    __shared__ union {
        Strips<block, row_words> rows;
        Strips<column_rows, block_words> columns;
    } shared;
    const u64 stride = step.stride;
    const u32 row_strips = step.n_columns / lanes / row_words;
    if (blockIdx.x < row_strips) {
        const u32 left = blockIdx.x * row_words;
        if (left / block_words == step.pivot_column) return;
        u32* strip = step.pivots() + left;
        Tile<block, row_words> tile;
        tile.load(strip, stride);
        tile.relax_through(shared.rows, step.turned, block, strip, stride, block);
        tile.store(strip, stride);
    } else {
        const u32 top = (blockIdx.x - row_strips) * column_rows;
        if (top / block == step.pivot_row) return;
        u32* strip = step.matrix + (u64)top * stride + (u64)step.pivot_column * block_words;
        u32* columns = step.columns + top;
        Tile<column_rows, block_words> tile;
        tile.load(strip, stride);
        tile.store_turned(columns, step.n_rows);
        __syncthreads();
        tile.relax_through(shared.columns, columns, step.n_rows, step.diagonal(), stride, block);
        tile.store(strip, stride);
        tile.store_turned(columns, step.n_rows);
    }
}

// The number that is `index` numbers after 0 when `without` and `beside` are left out.
__device__ __forceinline__ u32 skipping(u32 index, u32 without, u32 beside) {
    const u32 low = min(without, beside), high = max(without, beside);
    index += index >= low;
    return index + (index >= high && high != low);
}

// Takes the tiles of 128 x 128 words through the rows and columns of the pivot block: those
// in the rows and columns of the next one where `ahead` is 1, else all others.
//
// A block of 256 threads for each tile. Tiles of the pivot's own rows, and of its columns
// where a tile has no others, are left out. Nobody else reads or writes the tile; rows and
// columns of the pivot are only read. (In 16 bits a tile of columns has those of two pivot
// blocks. Those of the pivot come out as they are, since they have been taken through it.)
extern "C" __global__ void __launch_bounds__(256, 2) ENTRY(update)(const Step step, u32 ahead) {
    __shared__ Strips<block, block> shared;
    constexpr u32 none = 0xffffffff;
    const u64 stride = step.stride;
    const u32 n_columns = step.n_columns / lanes / block;
    const u32 next_row = step.has_next ? step.pivot_row + 1 : none;
    const u32 pivot_column = lanes == 1 ? step.pivot_column : none;
    const u32 next_column = step.has_next ? (step.pivot_column + 1) / lanes : none;
    u32 i, j;
    if (ahead) {
        const u32 in_row = n_columns - (lanes == 1);
        if (blockIdx.x < in_row) {
            i = next_row;
            j = skipping(blockIdx.x, pivot_column, none);
        } else {
            i = skipping(blockIdx.x - in_row, step.pivot_row, next_row);
            j = next_column;
        }
    } else {
        const u32 in_row = n_columns - (lanes == 1) - step.has_next;
        i = skipping(blockIdx.x / in_row, step.pivot_row, next_row);
        j = skipping(blockIdx.x % in_row, pivot_column, next_column);
    }
    u32* c = step.matrix + (u64)i * block * stride + (u64)j * block;
    Tile<block, block> tile;
    tile.load(c, stride);
    tile.relax_through(shared, step.columns + i * block, step.n_rows, step.pivots() + (u64)j * block,
                       stride, block);
    tile.store(c, stride);
}
