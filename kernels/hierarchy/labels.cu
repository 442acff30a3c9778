// Labels: the distances between each vertex and its ancestors, and distances of pairs by them.
//
// A label has the keys from its vertex by depth of the ancestor, up to itself, and where directions
// differ those to it behind them. Dead ends have none, but the keys to and from where they hang.
#include "key.cuh"

// What is launched on. The host has the same structures.
struct Labelling {
    const u32* parents;
    // Arcs by the rank that they lead up from.
    const u32* offsets;
    // The depth where each ends.
    const u16* ends;
    const Key* keys;
    // The ranks that have labels, and those of dead ends, both by depth.
    const u32* anchors;
    const u32* dead_ends;
    // Where both begin for each depth; 2 (n_levels + 1) entries.
    const u32* levels;
    // Where the label of each rank starts, were directions the same.
    const u32* starts;
    // The same of each ancestor, where its key is in a label.
    const u32* ancestor_starts;
    Key* labels;
    // By rank and direction; 0 before.
    Key* to_anchors;
    u32* arrived;
    u32 n_levels;
    u32 n_directions;
};

// An end of a path: where the label of its anchor starts, the rank of that, and the keys to and from
// it. Then the least depths in its block, of the ranks before it and of those from it on.
struct End {
    u32 start;
    u32 rank;
    u16 before;
    u16 from;
    u32 padding;
    Key keys[2];
};

struct Ends {
    const u32* ranks;
    const Key* to_anchors;
    End* ends;
    u64 n_vertices;
};

struct Pairs {
    const u32* sources;
    const u32* targets;
    const End* ends;
    const Key* labels;
    // By rank.
    const u16* depths;
    // The least of 2^i blocks of depths from each on; n_blocks for each i.
    const u16* least_depths;
    const u32* ranks;
    const u32* parents;
    const u32* offsets;
    const Key* keys;
    Key* found;
    // The first pair with a vertex that is not there, or all ones.
    u64* wrong;
    u64 n_pairs;
    u32 n_vertices;
    u32 n_blocks;
    u32 n_directions;
    u32 padding;
};

struct Symmetry {
    const Key* keys;
    u32* differs;
    u64 n_arcs;
};

// Ranks in a block.
constexpr u32 block = 32;
// Arcs that a thread looks at at once.
constexpr u32 arcs_at_once = 8;
// Lanes that share a pair.
constexpr u32 lanes_per_pair = 8;

__device__ __forceinline__ Key least(Key one, Key other) { return other < one ? other : one; }

// Sets the flag if an arc has other keys up than down.
extern "C" __global__ void __launch_bounds__(256) ENTRY(hierarchy_asymmetry)(Symmetry of) {
    const u64 step = gridDim.x * static_cast<u64>(blockDim.x);
    bool differs = false;
    for (u64 arc = blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x; arc < of.n_arcs; arc += step) {
        differs |= of.keys[2 * arc + up] != of.keys[2 * arc + down];
    }
    if (differs) *of.differs = 1;
}

// One key of a label: between the vertex and the ancestor at a depth, the least over the arcs up. The
// distance from where an arc ends to that ancestor is in the label of the deeper of the two.
__device__ __forceinline__ Key key_of(const Labelling& of, u32 rank, u32 start, u32 depth, u32 direction) {
    const bool both = of.n_directions == 2;
    const u32 ancestor = __ldg(of.ancestor_starts + start + depth);
    const u32 row = of.offsets[rank], row_end = of.offsets[rank + 1];
    Key key = unreached;
    // some arcs at a time, so that what they look up is fetched side by side; the last may be again
    for (u32 first = row; first < row_end; first += arcs_at_once) {
u32 ends[arcs_at_once], labels[arcs_at_once];
        Key sums[arcs_at_once], rests[arcs_at_once];
#pragma unroll
        for (u32 i = 0; i < arcs_at_once; ++i) {
            const u32 arc = min(first + i, row_end - 1);
            ends[i] = __ldg(of.ends + arc);
            sums[i] = __ldg(of.keys + 2ull * arc + direction);
        }
#pragma unroll
        for (u32 i = 0; i < arcs_at_once; ++i) {
            labels[i] = depth <= ends[i] ? __ldg(of.ancestor_starts + start + ends[i]) : ancestor;
        }
#pragma unroll
        for (u32 i = 0; i < arcs_at_once; ++i) {
            const bool is_above = depth <= ends[i];
            // the other direction's keys, where it is the ancestor's label that is read
            const u32 behind = both && is_above == (direction == down) ? (is_above ? ends[i] : depth) + 1 : 0;
            const u64 label = static_cast<u64>(labels[i]) * of.n_directions + behind;
            rests[i] = load(of.labels + label + (is_above ? depth : ends[i]));
        }
#pragma unroll
        for (u32 i = 0; i < arcs_at_once; ++i) key = least(key, sums[i] + rests[i]);
    }
    return key;
}

// Makes all labels, from the roots down: those of one depth after those of the depth before.
//
// A cooperative launch of any number of blocks; `arrived` is 0 before. A warp takes 32 keys of a label,
// a thread a dead end.
extern "C" __global__ void __launch_bounds__(512) ENTRY(hierarchy_labels)(Labelling of) {
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x, n_threads = gridDim.x * blockDim.x;
    GridBarrier barrier{of.arrived, gridDim.x, 0};
    for (u32 depth = 0; depth < of.n_levels; ++depth) {
        const u32* level = of.levels + 2 * depth;
        const u32 n_tiles = depth / 32 + 1;
        const u64 n_tasks = static_cast<u64>(level[2] - level[0]) * n_tiles * of.n_directions;
        for (u64 task = thread / 32; task < n_tasks; task += n_threads / 32) {
            const u32 direction = task % of.n_directions;
            const u32 column = task / of.n_directions % n_tiles * 32 + lane();
            const u32 rank = of.anchors[level[0] + task / of.n_directions / n_tiles];
            if (column > depth) continue;
            const u32 start = of.starts[rank];
            const Key key = column < depth ? key_of(of, rank, start, column, direction) : Key(0);
            of.labels[static_cast<u64>(start) * of.n_directions + direction * (depth + 1) + column] = key;
        }
        for (u32 at = level[1] + thread; at < level[3]; at += n_threads) {
            const u32 rank = of.dead_ends[at], parent = of.parents[rank];
            const Key* arc = of.keys + 2ull * of.offsets[rank];
            for (u32 direction : {up, down}) {
                const Key above = load(of.to_anchors + 2ull * parent + direction);
                of.to_anchors[2ull * rank + direction] = least(unreached, arc[direction] + above);
            }
        }
        barrier.wait();
    }
}

// Writes the keys of each vertex where its other numbers are. A thread for a vertex.
extern "C" __global__ void __launch_bounds__(256) ENTRY(hierarchy_label_ends)(Ends of) {
    const u64 vertex = blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x;
    if (vertex >= of.n_vertices) return;
    for (u32 direction : {up, down}) {
        of.ends[vertex].keys[direction] = of.to_anchors[2ull * of.ranks[vertex] + direction];
    }
}

// How many ancestors the anchors of two ends have in common, which are different: the least depth from
// the lower rank up to the last before the higher one.
__device__ __forceinline__ u32 n_common(const Pairs& of, const End& one, const End& other) {
    const bool is_lower = one.rank < other.rank;
    const u32 low = is_lower ? one.rank : other.rank, high = is_lower ? other.rank : one.rank;
    const u32 first = low / block + 1, end = high / block;
    if (first > end) {
        u32 depth = of.depths[low];
        for (u32 rank = low + 1; rank < high; ++rank) depth = min(depth, static_cast<u32>(of.depths[rank]));
        return depth;
    }
    const u32 depth = min(static_cast<u32>(is_lower ? one.from : other.from),
                          static_cast<u32>(is_lower ? other.before : one.before));
    if (first == end) return depth;
    const u32 power = 31 - __clz(end - first);
    const u16* minima = of.least_depths + static_cast<u64>(power) * of.n_blocks;
    return min(depth, static_cast<u32>(min(minima[first], minima[end - (1u << power)])));
}

// The key of two vertices that hang at the same anchor, or are it: the way along their dead ends.
__device__ Key near_anchor(const Pairs& of, u32 from, u32 to) {
    Key keys[2] = {0, 0};
    u32 ranks[2] = {from, to};
    while (ranks[up] != ranks[down]) {
        const u32 direction = ranks[up] < ranks[down] ? up : down, rank = ranks[direction];
        const Key arc = of.keys[2ull * of.offsets[rank] + direction];
        keys[direction] = least(unreached, keys[direction] + arc);
        ranks[direction] = of.parents[rank];
    }
    return keys[up] + keys[down];
}

// Finds the key of each pair; some lanes share one.
extern "C" __global__ void __launch_bounds__(256) ENTRY(hierarchy_label_pairs)(Pairs of) {
    const u64 thread = blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x;
    const u64 at = thread / lanes_per_pair;
    const u32 own = threadIdx.x % lanes_per_pair;
    const bool has = at < of.n_pairs;
    const u32 source = has ? of.sources[at] : 0, target = has ? of.targets[at] : 0;
    const bool is_there = source < of.n_vertices && target < of.n_vertices;
    Key key = unreached, before = 0, after = 0;
    if (has && is_there) {
        const End from = of.ends[source], to = of.ends[target];
        if (from.rank == to.rank) {
            if (own == 0) key = near_anchor(of, of.ranks[source], of.ranks[target]);
        } else {
            const u32 n = n_common(of, from, to);
            const u64 behind = of.n_directions == 2 ? of.depths[to.rank] + 1u : 0;
            const Key* one = of.labels + static_cast<u64>(from.start) * of.n_directions;
            const Key* other = of.labels + static_cast<u64>(to.start) * of.n_directions + behind;
#pragma unroll 4
            for (u32 depth = own; depth < n; depth += lanes_per_pair) key = least(key, one[depth] + other[depth]);
            before = from.keys[up];
            after = to.keys[down];
        }
    }
#pragma unroll
    for (u32 step = lanes_per_pair / 2; step; step /= 2) key = least(key, __shfl_xor_sync(everyone, key, step));
    if (!has || own != 0) return;
    of.found[at] = least(unreached, least(unreached, before + key) + after);
    if (!is_there) atomicMin(of.wrong, at);
}
