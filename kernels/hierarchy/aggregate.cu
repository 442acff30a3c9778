// Aggregates of points within a cutoff of every vertex, from the keys that a sweep has found: each
// source is a vertex with points of one category.
#include "tile.cuh"

// What is launched on. The host has the same structure.
struct Aggregation {
    // By rank and lane.
    const Key* found;
    // Of each source: its category, in ascending order, what it adds, and its points.
    const u32* categories;
    const f64* amounts;
    const f64* counts;
    // By category and rank, over the sources before; these are added.
    f64* cells;
    // The points within by category and rank; null where they are not asked for.
    f64* n_points;
    // The greatest distance that counts, as bits of what keys become.
    u64 limit;
    // The cutoff, or of gravity β.
    f64 scale;
    u32 first_source;
    u32 n_batch;
    u32 n_ranks;
    u32 n_lanes;
    u32 decay;
    // Not 0 for the least amount instead of sums.
    u32 is_minimum;
    // Not 0 where distances are floats of 32 bits.
    u32 is_single;
    u32 padding;
};

// The decays, in the host's order.
constexpr u32 flat = 0, linear = 1, exponential = 2;

// The factor at a distance, as the CPU computes it.
__device__ __forceinline__ f64 factor(const Aggregation& of, f64 distance) {
    // of a cutoff of zero there is no quotient
    if (of.decay == flat || distance == 0) return 1;
    if (of.decay == linear) return fmax(1 - distance / of.scale, 0.0);
    return exp(of.decay == exponential ? -distance / of.scale : -of.scale * distance);
}

// Whether a key is within the limit, and which distance it is.
__device__ __forceinline__ bool is_within(const Aggregation& of, Key key, f64& distance) {
#if defined(KEY_F64)
    distance = of.is_single ? static_cast<f64>(static_cast<f32>(key)) : key;
    return distance <= __longlong_as_double(static_cast<long long>(of.limit));
#else
    distance = static_cast<f64>(key);
    return key <= of.limit;
#endif
}

// Adds the lanes of a batch to the cells of each rank, in the order of the sources.
//
// A warp for 32 ranks, a thread for each. The sources of a category follow one another, so that a
// thread has the cells of one category at a time. A cell without points is 0, or for a minimum NaN.
extern "C" __global__ void __launch_bounds__(128) ENTRY(hierarchy_aggregate)(Aggregation of) {
    __shared__ Tile tiles[4];
    Tile& tile = tiles[threadIdx.x / 32];
    const u32 first = (blockIdx.x * 4 + threadIdx.x / 32) * tile_side, rank = first + lane();
    if (first >= of.n_ranks) return;
    const bool has = rank < of.n_ranks;
    u32 category = of.categories[of.first_source];
    u64 place = static_cast<u64>(category) * of.n_ranks + rank;
    f64 cell = has ? of.cells[place] : 0, n_points = has && of.n_points ? of.n_points[place] : 0;
    const auto put_back = [&] {
        if (!has) return;
        of.cells[place] = cell;
        if (of.n_points) of.n_points[place] = n_points;
    };
    for (u32 begin = 0; begin < of.n_batch; begin += tile_side) {
        read_tile(tile, of.found, first, of.n_ranks, of.n_lanes, begin);
        const u32 count = min(of.n_batch - begin, tile_side);
        for (u32 i = 0; i < count; ++i) {
            const u32 source = of.first_source + begin + i;
            if (of.categories[source] != category) {
                put_back();
                category = of.categories[source];
                place = static_cast<u64>(category) * of.n_ranks + rank;
                cell = has ? of.cells[place] : 0;
                n_points = has && of.n_points ? of.n_points[place] : 0;
            }
            f64 distance;
            if (!is_within(of, tile[lane()][i], distance)) continue;
            const f64 amount = of.amounts[source];
            if (of.is_minimum) {
                // also where it is NaN
                if (!(cell <= amount)) cell = amount;
            } else {
                // two roundings, as on the CPU
                cell = __dadd_rn(cell, __dmul_rn(amount, factor(of, distance)));
            }
            if (of.n_points) n_points += of.counts[source];
        }
    }
    put_back();
}
