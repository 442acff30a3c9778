// What a team of blocks has for a batch of sources.
#pragma once

#include "../../common/arcs.cuh"
#include "../../common/watch.cuh"

using i32 = int;
using f32 = float;
using f64 = double;

// Lengths of paths: numbers of arcs, or sums of weights.
#if defined(LENGTHS_U64)
using Key = u64;
#elif defined(LENGTHS_F32)
using Key = f32;
#elif defined(LENGTHS_F64)
using Key = f64;
#else
using Key = u32;
#endif

// A sum of numbers of paths that is larger is left to the host.
constexpr f64 max_paths = 1.0715086071862673e301;  // 2^1000
// Arcs of a piece in each direction; vertices with more have several pieces.
constexpr u32 arcs_a_piece = 256;
// The bit of a place that is a piece.
constexpr u32 is_piece = 1u << 31;
// Numbers that a lane reads at once.
constexpr u32 at_once = 4;

// Whether entries of lists are pairs of a place and a source, and not places for many sources.
#if defined(PAIRS)
constexpr bool are_pairs = true;
#else
constexpr bool are_pairs = false;
#endif

// Zero before a launch.
struct TeamControl {
    u32 arrived;
    u32 stopped;
    // places listed
    u32 count;
    // whether the host has to find what this batch finds
    u32 aside;
};

// What the launch is given. The host has the same structure.
struct PathBatches {
    // arcs out of each vertex, and into it, and their weights; in an undirected graph the same
    const u32* out_offsets;
    const u32* out_ends;
    const Key* out_weights;
    const u32* in_offsets;
    const u32* in_ends;
    const Key* in_weights;
    // the first piece of each vertex, and the end; the vertex of each piece
    const u32* first_pieces;
    const u32* piece_vertices;
    // how many targets each vertex stands for
    const f64* targets;
    // of all teams, and how many sources each stands for
    const u32* sources;
    const f64* shares;
    // for each team, by vertex and source: a number; for pairs, the length of shortest paths, how many
    // arcs on them into the vertex are to be followed, and the dependency
    f64* numbers;
    Key* lengths;
    u32* open;
    f64* dependencies;
    // sums of pieces, by piece and source, and how many of the first one's vertex have left theirs:
    // by its place, or for pairs by source too
    f64* partial;
    u32* left;
    // the dependencies of all its sources on each vertex, or on each arc
    f64* scores;
    // for places, for which sources a vertex was found; three arrays of marks, of the levels by turns
    u32* found;
    u32* marks;
    // the places of the levels, `capacity` of them, and their bits, or the lane of each pair; where
    // each level ends
    u32* places;
    u32* bits;
    u32* ends;
    TeamControl* controls;
    volatile u32* host;
    // how much longer a path may be, as a share of its length
    f64 tolerance;
    u32 n_vertices;
    u32 n_scores;
    u32 n_pieces;
    u32 n_sources;
    u32 width;
    u32 capacity;
    u32 team_blocks;
    // whether scores are those of arcs
    u32 to_arcs;
};

// The memory of a team, and its place in the team.
struct Team {
    const PathBatches& batch;
    f64* numbers;
    Key* lengths;
    u32* open;
    f64* dependencies;
    f64* partial;
    f64* scores;
    u32* found;
    u32* marks;
    u32* left;
    u32* places;
    u32* bits;
    u32* ends;
    TeamControl* control;
    u32 first_thread;
    u32 n_threads;
    // of this batch
    const u32* sources;
    u32 n_sources;
    GridBarrier barrier;

    __device__ __forceinline__ explicit Team(const PathBatches& of) : batch(of) {
        const u64 team = blockIdx.x / of.team_blocks;
        const u64 lanes = team * of.n_vertices * of.width;
        numbers = of.numbers + lanes;
        lengths = of.lengths + lanes;
        open = of.open + lanes;
        dependencies = of.dependencies + lanes;
        partial = of.partial + team * of.n_pieces * of.width;
        left = of.left + team * of.n_pieces * (are_pairs ? of.width : 1);
        scores = of.scores + team * of.n_scores;
        found = of.found + team * of.n_vertices;
        marks = of.marks + team * 3 * of.n_vertices;
        places = of.places + team * of.capacity;
        bits = of.bits + team * of.capacity;
        ends = of.ends + team * (of.n_vertices + 1);
        control = of.controls + team;
        first_thread = blockIdx.x % of.team_blocks * blockDim.x + threadIdx.x;
        n_threads = of.team_blocks * blockDim.x;
        sources = of.sources + team * of.width;
        n_sources = min(of.width, of.n_sources - static_cast<u32>(team) * of.width);
        barrier = GridBarrier{&control->arrived, of.team_blocks, 0};
    }

    // A block alone needs no barrier of the grid.
    __device__ __forceinline__ void wait() {
        if (batch.team_blocks == 1) {
            __syncthreads();
        } else {
            barrier.wait();
        }
    }

    __device__ __forceinline__ bool is_first() const { return first_thread == 0; }
    __device__ __forceinline__ u32 warp() const { return first_thread / 32; }
    __device__ __forceinline__ u32 n_warps() const { return n_threads / 32; }
    // Where a vertex has what is of this lane's source.
    __device__ __forceinline__ u64 place_of(u32 vertex) const {
        return static_cast<u64>(vertex) * batch.width + lane();
    }
    __device__ __forceinline__ f64* numbers_of(u32 vertex) const { return numbers + place_of(vertex); }
    __device__ __forceinline__ u32 vertex_of(u32 place) const {
        return place & is_piece ? __ldg(batch.piece_vertices + (place & ~is_piece)) : place;
    }

    // The pieces of a vertex; none if it has few arcs.
    __device__ __forceinline__ uint2 pieces_of(u32 vertex) const {
        return make_uint2(__ldg(batch.first_pieces + vertex), __ldg(batch.first_pieces + vertex + 1));
    }

    // The arcs of a place in one direction.
    __device__ __forceinline__ uint2 row_of(const u32* offsets, u32 place, u32 vertex) const {
        uint2 row = make_uint2(__ldg(offsets + vertex), __ldg(offsets + vertex + 1));
        if (place & is_piece) {
            const u32 piece = (place & ~is_piece) - pieces_of(vertex).x;
            row.x = min(row.x + piece * arcs_a_piece, row.y);
            row.y = min(row.x + arcs_a_piece, row.y);
        }
        return row;
    }

    // How many sources that of this lane stands for.
    __device__ __forceinline__ f64 share() const {
        return lane() < n_sources ? __ldg(batch.shares + (sources - batch.sources) + lane()) : 0;
    }
};

__device__ __forceinline__ f64 warp_sum(f64 value) {
    for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// The sums over all lanes of four values: the k-th quarter of the lanes gets the k-th.
__device__ __forceinline__ f64 quarter_sums(const f64 (&values)[4]) {
    const bool second = lane() & 16, odd = lane() & 8;
    const f64 low = (second ? values[2] : values[0]) + __shfl_xor_sync(everyone, second ? values[0] : values[2], 16);
    const f64 high = (second ? values[3] : values[1]) + __shfl_xor_sync(everyone, second ? values[1] : values[3], 16);
    f64 sum = (odd ? high : low) + __shfl_xor_sync(everyone, odd ? low : high, 8);
    for (u32 step = 4; step; step >>= 1) sum += __shfl_xor_sync(everyone, sum, step);
    return sum;
}

// Adds the scores of these teams, in their order. A thread a score.
__device__ __forceinline__ void add_scores_of_teams(f64* sums, const f64* scores, u32 n_scores, u32 first, u32 end) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_scores) return;
    f64 sum = sums[at];
    for (u32 team = first; team < end; ++team) sum += scores[static_cast<u64>(team) * n_scores + at];
    sums[at] = sum;
}
