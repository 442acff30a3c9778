// What becomes of the keys that a sweep has found: rows for the host, or totals that stay on the
// device.
#include "tile.cuh"

// What is launched on. The host has the same structures.
struct Rows {
    // By rank and lane.
    const Key* found;
    // The rank of each column.
    const u32* columns;
    Key* rows;
    u32 n_columns;
    u32 n_rows;
    u32 n_lanes;
    u32 padding;
};

// Sums of distances and the greatest of them: of integers exact.
#if defined(KEY_F64)
using Length = f64;
using Sum = f64;
// A sum that would leave the range goes on below zero in units of 2^64, as the host's `FloatSum`.
__device__ __forceinline__ Sum add(Sum sum, Length length) {
    const f64 unit = 18446744073709551616.0, next = sum + length;
    if (sum >= 0 && !isinf(next)) return next;
    return -((sum < 0 ? -sum : sum / unit) + length / unit);
}
#else
using Length = u64;
using Sum = unsigned __int128;
#endif
#if defined(KEY_U32)
// Of the lanes of a batch, of which there are fewer than 2^32.
using BatchSum = u64;
#else
using BatchSum = Sum;
#endif
#if !defined(KEY_F64)
__device__ __forceinline__ BatchSum add(BatchSum sum, Key length) { return sum + length; }
#endif

struct Totals {
    const Key* found;
    // By rank, over the sources before; these are added.
    u32* n_sources;
    Sum* sums;
    Length* greatest;
    f64* reciprocals;
    // The first source and rank of a distance that its type cannot hold, or all ones.
    u64* too_far;
    u32 first_source;
    u32 n_batch;
    u32 n_ranks;
    u32 n_lanes;
    // Not 0 where distances are floats of 32 bits.
    u32 is_single;
    u32 padding;
};

// Writes a row for each of the first lanes, from the lanes of its columns.
//
// A block of 32 x 8 threads for 32 columns and 32 lanes.
extern "C" __global__ void __launch_bounds__(256) ENTRY(hierarchy_rows)(Rows of) {
    __shared__ Tile tile;
    const u32 column = blockIdx.x * tile_side, row = blockIdx.y * tile_side, line = threadIdx.x / 32;
    for (u32 i = line; i < tile_side && column + i < of.n_columns; i += 8) {
        tile[i][lane()] = of.found[static_cast<u64>(of.columns[column + i]) * of.n_lanes + row + lane()];
    }
    __syncthreads();
    for (u32 i = line; i < tile_side && row + i < of.n_rows; i += 8) {
        if (column + lane() < of.n_columns) {
            of.rows[static_cast<u64>(row + i) * of.n_columns + column + lane()] = tile[lane()][i];
        }
    }
}

// Adds the lanes of a batch to the totals of each rank, in the order of the sources.
//
// A warp for 32 ranks, a thread for each.
extern "C" __global__ void __launch_bounds__(128) ENTRY(hierarchy_totals)(Totals of) {
    __shared__ Tile tiles[4];
    Tile& tile = tiles[threadIdx.x / 32];
    const u32 first = (blockIdx.x * 4 + threadIdx.x / 32) * tile_side, rank = first + lane();
    if (first >= of.n_ranks) return;
    const bool has = rank < of.n_ranks;
    constexpr bool is_apart = sizeof(BatchSum) < sizeof(Sum);
    BatchSum sum = has && !is_apart ? static_cast<BatchSum>(of.sums[rank]) : BatchSum(0);
    u32 n_sources = 0;
    Key greatest = 0;
    f64 reciprocals = has ? of.reciprocals[rank] : 0;
    u64 too_far = ~0ull;
    for (u32 begin = 0; begin < of.n_batch; begin += tile_side) {
        const u32 count = min(of.n_batch - begin, tile_side);
        read_tile(tile, of.found, first, of.n_ranks, of.n_lanes, begin);
        for (u32 i = 0; i < count; ++i) {
            const Key key = tile[lane()][i];
            const bool is_reached = key < unreached;
            Key length = is_reached ? key : Key(0);
#if defined(KEY_F64)
            if (of.is_single) length = static_cast<f64>(static_cast<f32>(length));
            if (isinf(length)) too_far = min(too_far, static_cast<u64>(of.first_source + begin + i) << 32 | rank);
#endif
            n_sources += is_reached;
            sum = add(sum, length);
            greatest = length > greatest ? length : greatest;
            reciprocals += length > 0 ? __drcp_rn(static_cast<f64>(length)) : 0;
        }
    }
    if (!has) return;
    of.n_sources[rank] += n_sources;
    of.sums[rank] = is_apart ? of.sums[rank] + sum : Sum(sum);
    if (greatest > of.greatest[rank]) of.greatest[rank] = greatest;
    of.reciprocals[rank] = reciprocals;
    if (too_far != ~0ull) atomicMin(of.too_far, too_far);
}
