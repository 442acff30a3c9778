// All pairs by supernodes: products of a small dense matrix and rows of the matrix of all
// pairs, many at a time.
//
// A supernode has rows of the matrix, and ends, which are other rows. Its rows are lowered by
// the sums of its paths to the ends and their rows, tile by tile:
// c[i][j] = min(c[i][j], a[i][k] + c[ends[k]][j] over all k). Rows of ends are whole, so that a
// tile fetches them as fast as rows in sequence. Supernodes have few rows or many: there is a
// kernel for tiles of 128 rows, of 64 and of 32.
//
// Reference: sao-2020
#include "product.cuh"

// Some rows of a supernode: a tile high at most.
struct Band {
    // The first of its rows, and how many are its own.
    u32 top;
    u32 n_rows;
    // Its ends, in `ends`, of which the last are there twice to be a multiple of `depth`.
    u32 ends;
    u32 n_ends;
    // Its paths to them, in `paths`: a row of `stride` words for each end, transposed and
    // broadcast.
    u64 paths;
    u32 stride;
    // The columns that need nothing, for they are done.
    u32 done_from;
    u32 done_to;
    u32 padding;
};

// Updates the minima of a tile with `n` k's, a multiple of `depth`: a[k][0..rows], and
// b[ends[k]][0..columns]. Which rows come next is read a step before they are fetched, so that no
// fetch waits for it.
template <u32 rows, u32 columns, u32 high, u32 wide>
__device__ __forceinline__ void
relax_through_rows(Tile<rows, columns, high, wide>& tile, Strips<rows, columns>& shared,
                   const Word* a, u64 a_stride, const Word* b, u64 b_stride, const u32* ends,
                   u32 n) {
    constexpr u32 threads = Tile<rows, columns, high, wide>::threads;
    constexpr u32 fetches = depth * columns / (threads * pack_words);
    const auto place = [](u32 fetch) { return (fetch * threads + threadIdx.x) * pack_words; };
    u32 next[fetches];
    const auto look = [&](u32 step) {
        if (step * depth >= n) return;
#pragma unroll
        for (u32 f = 0; f < fetches; ++f) next[f] = ends[step * depth + place(f) / columns];
    };
    const auto start = [&](u32 step) {
        if (step * depth < n) {
            const u32 stage = step % stages;
#pragma unroll
            for (u32 i = threadIdx.x * pack_words; i < depth * rows; i += threads * pack_words) {
                const u32 k = i / rows, at = i % rows;
                fetch(&shared.a[stage][k][at], a + (step * depth + k) * a_stride + at);
            }
#pragma unroll
            for (u32 f = 0; f < fetches; ++f) {
                const u32 k = place(f) / columns, at = place(f) % columns;
                fetch(&shared.b[stage][k][at], b + next[f] * b_stride + at);
            }
        }
        end_group();
        look(step + 1);
    };
    look(0);
#pragma unroll
    for (u32 step = 0; step < stages - 1; ++step) start(step);
    for (u32 step = 0; step * depth < n; ++step) {
        arrived<stages - 2>();
        __syncthreads();
        // into the place of the step before, which all threads have left
        start(step + stages - 1);
        tile.relax_step(shared.a[step % stages], shared.b[step % stages]);
    }
}

// A band and a tile of its columns.
struct Place {
    u32 band;
    u32 tile;
};

// Lowers tiles of the rows of bands: all tiles, y counting them, or those of `places`, where
// these are given.
//
// A block for each tile. No other block writes the tile, nor the rows of its ends. Below the band's
// own rows it reads other rows, and does not write them.
template <u32 rows>
__device__ __forceinline__ void lower_tile(Word* matrix, u64 stride, const Word* paths,
                                           const u32* ends, const Band* bands,
                                           const Place* places) {
    __shared__ Strips<rows, tile_columns> shared;
    const Place place = places ? places[blockIdx.x] : Place{blockIdx.x, blockIdx.y};
    const Band band = bands[place.band];
    const u32 left = place.tile * tile_columns;
    if (!places && band.done_from <= left * lanes &&
        (left + tile_columns) * lanes <= band.done_to) {
        return;
    }
    Word* c = matrix + band.top * stride + left;
    Tile<rows, tile_columns, 8, tile_columns / 16> tile;
    tile.load(c, stride);
    relax_through_rows(tile, shared, paths + band.paths, band.stride, matrix + left, stride,
                       ends + band.ends, band.n_ends);
    tile.store(c, stride, [&](u32 row, u32) { return row < band.n_rows; });
}

extern "C" __global__ void __launch_bounds__(256, 2)
    ENTRY(lower_128)(Word* matrix, u64 stride, const Word* paths, const u32* ends,
                     const Band* bands, const Place* places) {
    lower_tile<128>(matrix, stride, paths, ends, bands, places);
}

extern "C" __global__ void __launch_bounds__(128, 3)
    ENTRY(lower_64)(Word* matrix, u64 stride, const Word* paths, const u32* ends,
                    const Band* bands, const Place* places) {
    lower_tile<64>(matrix, stride, paths, ends, bands, places);
}

extern "C" __global__ void __launch_bounds__(64, 6)
    ENTRY(lower_32)(Word* matrix, u64 stride, const Word* paths, const u32* ends,
                    const Band* bands, const Place* places) {
    lower_tile<32>(matrix, stride, paths, ends, bands, places);
}

// A part of a matrix: 32 rows and columns at most.
struct Patch {
    u32 top;
    u32 left;
    u32 n_rows;
    u32 n_columns;
};

// Writes parts of one matrix, transposed, into another, or itself.
//
// A block of 256 threads for each part. No part is read that is written.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(turn_patches)(const Element* from, Element* to, u64 side, const Patch* patches) {
    __shared__ Element elements[32][33];
    const Patch patch = patches[blockIdx.x];
    const u32 x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (u32 r = y; r < patch.n_rows; r += 8) {
        if (x < patch.n_columns) elements[r][x] = from[(patch.top + r) * side + patch.left + x];
    }
    __syncthreads();
    for (u32 c = y; c < patch.n_columns; c += 8) {
        if (x < patch.n_rows) to[(patch.left + c) * side + patch.top + x] = elements[x][c];
    }
}

// A square on the diagonal: its first row, its side, and where its elements are.
struct Square {
    u32 first;
    u32 side;
    u64 elements;
};

// Writes squares on the diagonal of a matrix.
//
// A block of 256 threads for each, and only it writes there.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(place_squares)(Element* matrix, u64 side, const Element* elements, const Square* squares) {
    const Square square = squares[blockIdx.x];
    const u64 n = (u64)square.side * square.side;
    for (u64 i = threadIdx.x; i < n; i += 256) {
        const u64 r = i / square.side, c = i % square.side;
        matrix[(square.first + r) * side + square.first + c] = elements[square.elements + i];
    }
}

// Gathers rows in the order of the vertices: to[i][v] = matrix[ranks[first + i]][ranks[v]] for all
// v below n.
//
// A block of 256 threads for each row. Only it writes there.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(rows_of_vertices)(const Element* matrix, u64 side, const u32* ranks, u32 n, u32 first,
                            Element* to) {
    const Element* row = matrix + ranks[first + blockIdx.x] * side;
    to += (u64)blockIdx.x * n;
    for (u32 v = threadIdx.x; v < n; v += 256) to[v] = row[ranks[v]];
}
