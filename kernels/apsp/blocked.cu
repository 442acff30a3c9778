// Blocked Floyd-Warshall in the registers of a GPU: the default form for all pairs.
//
// The matrix lies row by row, and its sides are multiples of 128 (of 256 in 16 bits); the padding
// has no path. A pivot block is 64 vertices. For each pivot block `advance` updates its tile on the
// diagonal, its rows and its columns with the pivots just before, and then closes them. It runs
// beside the `update` of all other tiles with the pivots just before. `update` is nearly all the
// work. Closed rows and columns are also copied to `rows` and `columns`, where they stay unchanged
// as long as they are needed.
//
// The memory may hold only some rows of a larger matrix. Then the pivots are these rows, and the
// diagonal begins `first_column` blocks to the right.
//
// Reference: venkataraman-2003, okuyama-2010
#include "product.cuh"

constexpr u32 block = 64;
constexpr u32 block_words = block / lanes;
// Pivots whose rows and columns are kept, as a ring.
constexpr u32 n_kept = 4 * block;

// A matrix, or rows of one, and the pivot blocks whose turn it is, counted in rows.
struct Step {
    Word* matrix;
    // Words from a row to the next.
    u64 stride;
    u32 n_rows;
    // The block of columns where the diagonal begins.
    u32 first_column;
    // The pivots of the step: `n_pivot_blocks` blocks from this one on.
    u32 pivots_from;
    u32 n_pivot_blocks;
    // The blocks of rows and columns that `update` leaves out; `advance` updates the first of them.
    u32 others_from;
    u32 n_others;
    // The kept pivots' rows, as long as the matrix's.
    Word* rows;
    // Their columns transposed and broadcast, in rows of `n_rows` words.
    Word* columns;
    // How many blocks of threads have begun, and which pivot block was closed last, from 1 on.
    u32* begun;
    volatile u32* closed;

    // Where the rows of the block to close lie, and its columns,
    __device__ __forceinline__ Word* own_rows() const { return matrix + (u64)others_from * block * stride; }
    __device__ __forceinline__ u32 own_column() const { return (first_column + others_from) * block_words; }
    // and where they are kept.
    __device__ __forceinline__ u32 place() const { return others_from * block % n_kept; }
    __device__ __forceinline__ Word* kept_rows() const { return rows + place() * stride; }
    __device__ __forceinline__ Word* kept_columns() const { return columns + (u64)place() * n_rows; }
};

// Closes a tile of 64 x 64 elements in registers: four rows of four elements a thread, `y` and
// `x` counting threads.
//
// The plain loop advances by four pivots. The threads that have the pivots' rows and columns write
// them to shared memory. One thread for each row and for each word of the columns updates four of
// its elements with the pivots' own 4 x 4, which it closes itself, and writes them back. Then all
// threads update their own words with the pivots' rows and columns.
constexpr u32 piece_words = 4 / lanes;

struct alignas(16) Four {
    Word words[4];
};
struct alignas(16 / lanes) Piece {
    Word words[piece_words];
};

struct Closing {
    Piece rows[4][block / 4], closed_rows[4][block / 4];
    Four columns[block], closed_columns[block];
};

// Updates four elements of a row, in the pivots' columns, with the pivots: from[q].words[p] is the
// element of pivots p and q. For elements of a column it is the other way round.
template <bool is_row> __device__ __forceinline__ void take_through(Four& own, const Four* from) {
    Four pivots[4];
#pragma unroll
    for (u32 p = 0; p < 4; ++p) pivots[p] = from[p];
#pragma unroll
    for (u32 p = 0; p < 4; ++p) {
#pragma unroll
        for (u32 q = 0; q < 4; ++q) {
            if (q == p) continue;
            own.words[q] = relax(own.words[q], own.words[p],
                                 is_row ? pivots[p].words[q] : pivots[q].words[p]);
#pragma unroll
            for (u32 r = 0; r < 4; ++r) {
                if (r == p) continue;
                pivots[r].words[q] = relax(pivots[r].words[q], pivots[r].words[p], pivots[p].words[q]);
            }
        }
    }
}

__device__ __forceinline__ void close_tile(Closing& shared, Piece (&words)[4], u32 x, u32 y) {
    const u32 line = threadIdx.x;
    for (u32 s = 0; s < block / 4; ++s) {
        if (y == s) {
#pragma unroll
            for (u32 r = 0; r < 4; ++r) shared.rows[r][x] = words[r];
        }
        if (x == s) {
#pragma unroll
            for (u32 r = 0; r < 4; ++r) {
                Four four;
#pragma unroll
                for (u32 q = 0; q < 4; ++q) four.words[q] = spread(words[r].words[q / lanes], q % lanes);
                shared.columns[4 * y + r] = four;
            }
        }
        __syncthreads();
        if (line < block) {
            Four own = shared.columns[line];
            take_through<true>(own, shared.columns + 4 * s);
            shared.closed_columns[line] = own;
        } else if (line < block + block_words) {
            const u32 x = (line - block) / piece_words, c = (line - block) % piece_words;
            Four own;
#pragma unroll
            for (u32 p = 0; p < 4; ++p) own.words[p] = shared.rows[p][x].words[c];
            take_through<false>(own, shared.columns + 4 * s);
#pragma unroll
            for (u32 p = 0; p < 4; ++p) shared.closed_rows[p][x].words[c] = own.words[p];
        }
        __syncthreads();
        Piece second[4];
#pragma unroll
        for (u32 p = 0; p < 4; ++p) second[p] = shared.closed_rows[p][x];
#pragma unroll
        for (u32 r = 0; r < 4; ++r) {
            const Four first = shared.closed_columns[4 * y + r];
#pragma unroll
            for (u32 c = 0; c < piece_words; ++c) {
                const Word half = relax(words[r].words[c], first.words[0], second[0].words[c],
                                        first.words[1], second[1].words[c]);
                words[r].words[c] = relax(half, first.words[2], second[2].words[c], first.words[3],
                                          second[3].words[c]);
            }
        }
    }
}

// Strips of the rows have the height of a block, and those of the columns its width.
constexpr u32 strip_words = 64;
constexpr u32 strip_rows = 64 * lanes;
using RowStrip = Tile<block, strip_words, 4, 4>;
using ColumnStrip = Tile<strip_rows, block_words, 4, 4>;

union AdvanceShared {
    Strips<block, strip_words> rows;
    Strips<strip_rows, block_words> columns;
    struct {
        alignas(16) Word tile[block][strip_words];
        Closing closing;
    } diagonal;
};

// The tile on the diagonal: updated with the pivots before, closed, and announced to other blocks.
__device__ __forceinline__ void close_diagonal(const Step& step, AdvanceShared& shared) {
    // in 16 bits a strip is as wide as two tiles
    const u32 left = step.own_column() / strip_words * strip_words;
    RowStrip strip;
    strip.load(step.own_rows() + left, step.stride);
    strip.relax_through(shared.rows, step.columns + step.others_from * block, step.n_rows,
                        step.rows + left, step.stride, step.n_pivot_blocks * block,
                        step.pivots_from * block, n_kept - 1);
    __syncthreads();
    strip.store(shared.diagonal.tile[0], strip_words);
    __syncthreads();
    const u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
    const u32 column = step.own_column() + x * piece_words;
    Piece words[4];
#pragma unroll
    for (u32 r = 0; r < 4; ++r) {
        words[r] = *reinterpret_cast<const Piece*>(&shared.diagonal.tile[4 * y + r][column - left]);
    }
    close_tile(shared.diagonal.closing, words, x, y);
#pragma unroll
    for (u32 r = 0; r < 4; ++r) {
        const u64 at = (4 * y + r) * step.stride + column;
        *reinterpret_cast<Piece*>(step.kept_rows() + at) = words[r];
        *reinterpret_cast<Piece*>(step.own_rows() + at) = words[r];
    }
#pragma unroll
    for (u32 q = 0; q < 4; ++q) {
        Four four;
#pragma unroll
        for (u32 r = 0; r < 4; ++r) four.words[r] = spread(words[r].words[q / lanes], q % lanes);
        Word* turned = step.kept_columns() + (u64)(4 * x + q) * step.n_rows;
        *reinterpret_cast<Four*>(turned + step.others_from * block + 4 * y) = four;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *step.closed = step.others_from + 1;
}

// Waits until the tile on the diagonal is closed.
__device__ __forceinline__ void await_diagonal(const Step& step) {
    if (threadIdx.x == 0) {
        while (*step.closed != step.others_from + 1) __nanosleep(32);
        __threadfence();
    }
    __syncthreads();
}

// Closes a pivot block: its tile on the diagonal, its rows and its columns. First they are updated
// with the pivots just before, which they do not have yet.
//
// Blocks of 256 threads. The one that begins first has the tile on the diagonal, so that all others
// may wait for it. Each of the others has a strip of the rows or the columns, without that tile. A
// strip is updated with tiles that were closed before, or with its own old values, which it keeps
// for that.
extern "C" __global__ void __launch_bounds__(256, 16 / sizeof(Word)) ENTRY(advance)(const Step step) {
    __shared__ AdvanceShared shared;
    __shared__ u32 ticket;
    // counts round, so that it is 0 again when all have begun
    if (threadIdx.x == 0) ticket = atomicInc(step.begun, gridDim.x - 1);
    __syncthreads();
    const u64 stride = step.stride;
    const u32 row_strips = stride / strip_words, others = step.others_from;
    const u32 n_before = step.n_pivot_blocks * block, first = step.pivots_from * block;
    const Word* diagonal_turned = step.kept_columns() + others * block;
    if (ticket == 0) {
        close_diagonal(step, shared);
    } else if (ticket <= row_strips) {
        const u32 left = (ticket - 1) * strip_words;
        const auto mine = [&](u32, u32 column) {
            return (left + column) / block_words != step.first_column + others;
        };
        if (lanes == 1 && !mine(0, 0)) return;
        Word* strip = step.own_rows() + left;
        Word* kept = step.kept_rows() + left;
        RowStrip tile;
        tile.load(strip, stride);
        tile.relax_through(shared.rows, step.columns + others * block, step.n_rows,
                           step.rows + left, stride, n_before, first, n_kept - 1);
        tile.store(kept, stride, mine);
        await_diagonal(step);
        tile.relax_through(shared.rows, diagonal_turned, step.n_rows, kept, stride, block);
        tile.store(kept, stride, mine);
        tile.store(strip, stride, mine);
    } else {
        const u32 top = (ticket - 1 - row_strips) * strip_rows;
        const auto mine = [&](u32 row, u32) { return (top + row) / block != others; };
        if (lanes == 1 && !mine(0, 0)) return;
        Word* strip = step.matrix + (u64)top * stride + step.own_column();
        Word* kept = step.kept_columns() + top;
        ColumnStrip tile;
        tile.load(strip, stride);
        tile.relax_through(shared.columns, step.columns + top, step.n_rows,
                           step.rows + step.own_column(), stride, n_before, first, n_kept - 1);
        tile.store_turned(kept, step.n_rows, mine);
        await_diagonal(step);
        tile.relax_through(shared.columns, kept, step.n_rows, step.kept_rows() + step.own_column(),
                           stride, block);
        tile.store_turned(kept, step.n_rows, mine);
        tile.store(strip, stride, mine);
    }
}

// Updates the matrix with closed pivots, without the rows and columns of the other blocks that the
// step names: these are updated already, or by `advance` meanwhile.
//
// A block of 256 threads for each tile, x counting tiles to the right. No other block reads or
// writes the tile.
extern "C" __global__ void __launch_bounds__(256, 2) ENTRY(update)(const Step step) {
    __shared__ Strips<tile_rows, tile_columns> shared;
    const u64 stride = step.stride;
    const u32 top = blockIdx.y * tile_rows, left = blockIdx.x * tile_columns;
    const auto is_mine = [&](u32 row, u32 column) {
        return row / block - step.others_from >= step.n_others &&
               column / block_words - step.first_column - step.others_from >= step.n_others;
    };
    bool any_row = false, any_column = false;
#pragma unroll
    for (u32 row = 0; row < tile_rows; row += block) {
        any_row |= (top + row) / block - step.others_from >= step.n_others;
    }
#pragma unroll
    for (u32 column = 0; column < tile_columns; column += block_words) {
        any_column |= (left + column) / block_words - step.first_column - step.others_from >= step.n_others;
    }
    if (!any_row || !any_column) return;
    Word* c = step.matrix + (u64)top * stride + left;
    Tile<tile_rows, tile_columns, 8, tile_columns / 16> tile;
    tile.load(c, stride);
    tile.relax_through(shared, step.columns + top, step.n_rows, step.rows + left, stride,
                       step.n_pivot_blocks * block, step.pivots_from * block, n_kept - 1);
    tile.store(c, stride, [&](u32 row, u32 column) { return is_mine(top + row, left + column); });
}
