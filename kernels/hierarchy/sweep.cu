// Distances from many sources at once: a walk up from each, then one pass down the hierarchy for
// all sources together.
//
// The keys found lie by rank, and in a row by lane, which is the place of a source in its batch. A
// thread has 16 bytes of a row, a warp 512. In a pass, a warp or a block reads and writes its own
// lanes only, so it waits for no others between two vertices.
#include "key.cuh"

// What is launched on. The host has the same structures.
struct WalkUp {
    // The ranks of sources.
    const u32* sources;
    const u32* parents;
    const u16* depths;
    // Arcs by the rank that they lead up from.
    const u32* offsets;
    // The depth where each ends.
    const u16* ends;
    // The key of each arc on the way up: every second of these.
    const Key* keys;
    // By batch, depth and lane: which ancestor it is, and how far.
    u32* ancestors;
    Key* found;
    // For each rank, of which batches it is an ancestor of a source.
    u32* marks;
    u32 n_sources;
    u32 n_lanes;
    u32 height;
    u32 padding;
};

struct Sweep {
    // What is swept: segments, each in the order of preorder.
    const u32* ranks;
    // Where each segment begins; one more at the end.
    const u32* segments;
    const u16* depths;
    const u32* offsets;
    // The rank where each arc ends.
    const u32* heads;
    // The key of each arc on the way down: every second of these.
    const Key* keys;
    // What the walks up have found for this batch.
    const u32* ancestors;
    const Key* found_up;
    const u32* marks;
    Key* found;
    u32 first_segment;
    u32 n_segments;
    u32 n_lanes;
    // The bit of this batch.
    u32 mark;
};

// A step of the walk: a vertex and its row.
struct Step {
    u32 rank, row, row_end, parent;
};

__device__ __forceinline__ Step step_at(const WalkUp& of, u32 rank) {
    if (rank == none) return {none, 0, 0, none};
    return {rank, of.offsets[rank], of.offsets[rank + 1], of.parents[rank]};
}

// Finds how far the ancestors of each source are on the way up.
//
// A warp for each source, with an array of keys by depth in shared memory: `height` for each warp
// of a block. `ancestors` is none before. No two arcs of a row end at one depth. Where a row lies,
// and what is in it, is read one and two steps ahead, for it depends on no keys.
extern "C" __global__ void __launch_bounds__(128) ENTRY(hierarchy_walk_up)(WalkUp of) {
    extern __shared__ u64 memory[];
    const u32 warp = threadIdx.x / 32, source = blockIdx.x * (blockDim.x / 32) + warp;
    if (source >= of.n_sources) return;
    Key* best = reinterpret_cast<Key*>(memory) + static_cast<u64>(warp) * of.height;
    const u32 batch = source / of.n_lanes;
    const u64 column = static_cast<u64>(batch) * of.height * of.n_lanes + source % of.n_lanes;
    Step now = step_at(of, of.sources[source]), next = step_at(of, now.parent);
    u32 depth = of.depths[now.rank];
    for (u32 at = lane(); at <= depth; at += 32) best[at] = at == depth ? Key(0) : unreached;
    const auto arc_of = [&](const Step& step, u32& end, Key& key) {
        const u32 arc = step.row + lane();
        if (arc < step.row_end) end = of.ends[arc], key = of.keys[2ull * arc];
    };
    u32 end = 0;
    Key key = unreached;
    arc_of(now, end, key);
    __syncwarp();
    while (true) {
        const Step after = step_at(of, next.parent);
        u32 next_end = 0;
        Key next_key = unreached;
        arc_of(next, next_end, next_key);
        const Key from = best[depth];
        if (lane() == 0) {
            const u64 place = column + static_cast<u64>(depth) * of.n_lanes;
            of.ancestors[place] = now.rank;
            of.found[place] = from;
            atomicOr(of.marks + now.rank, 1u << batch);
        }
        for (u32 arc = now.row + lane(); arc < now.row_end; arc += 32) {
            if (arc >= now.row + 32) end = of.ends[arc], key = of.keys[2ull * arc];
            const Key through = from + key;
            if (through < best[end]) best[end] = through;
        }
        __syncwarp();
        if (next.rank == none) return;
        now = next, next = after, end = next_end, key = next_key;
        --depth;
    }
}

// The keys of the lanes of a thread: 16 bytes.
constexpr u32 keys_per_thread = 16 / sizeof(Key);
struct alignas(16) Keys {
    Key of[keys_per_thread];

    __device__ __forceinline__ void lower(const Keys& from, Key by) {
#pragma unroll
        for (u32 i = 0; i < keys_per_thread; ++i) {
            const Key through = from.of[i] + by;
            of[i] = through < of[i] ? through : of[i];
        }
    }
};

__device__ __forceinline__ Keys load_keys(const Key* from) {
    const uint4 words = *reinterpret_cast<const uint4*>(from);
    return *reinterpret_cast<const Keys*>(&words);
}

// What the walks up have found for a vertex: none for lanes whose source is no descendant.
__device__ __forceinline__ Keys keys_up(const Sweep& of, u32 rank, u32 first_lane) {
    const u64 place = static_cast<u64>(of.depths[rank]) * of.n_lanes + first_lane;
    Keys keys = load_keys(of.found_up + place);
#pragma unroll
    for (u32 i = 0; i < keys_per_thread; ++i) {
        if (of.ancestors[place + i] != rank) keys.of[i] = unreached;
    }
    return keys;
}

__device__ __forceinline__ Keys no_keys() {
    Keys keys;
#pragma unroll
    for (u32 i = 0; i < keys_per_thread; ++i) keys.of[i] = unreached;
    return keys;
}

// Up to 32 vertices of a segment, one a lane.
struct Vertices {
    u32 ranks, rows, row_ends;
    // A bit for each: whether it is an ancestor of a source of the batch.
    u32 marked;
};

__device__ __forceinline__ Vertices vertices(const Sweep& of, u32 first, u32 end) {
    Vertices at;
    at.ranks = of.ranks[min(first + lane(), end - 1)];
    at.rows = of.offsets[at.ranks];
    at.row_ends = of.offsets[at.ranks + 1];
    at.marked = __ballot_sync(everyone, of.marks[at.ranks] & of.mark);
    return at;
}

// An arc of a row for this lane; the last one where the row is shorter, which changes nothing.
struct Arc {
    u32 head;
    Key key;
};

__device__ __forceinline__ Arc arc_at(const Sweep& of, u32 arc, u32 row_end) {
    if (row_end == 0) return {0, unreached};
    const u32 at = min(arc, row_end - 1);
    return {of.heads[at], of.keys[2ull * at]};
}

// Lowers the keys of a thread by four arcs, which the lanes from `first` on have.
__device__ __forceinline__ void lower_by_four(Keys& least, const Key* found, u32 n_lanes, Arc arc, u32 first) {
    Keys from[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
        from[k] = load_keys(found + static_cast<u64>(__shfl_sync(everyone, arc.head, first + k)) * n_lanes);
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k) least.lower(from[k], __shfl_sync(everyone, arc.key, first + k));
}

// Finds the least of what the ancestors of each vertex have and the arcs from them, for subtrees.
//
// A warp for each segment and 512 bytes of lanes. The ancestors of a vertex are in its segment,
// before it, or in segments of launches before. The next vertex's row is read ahead.
extern "C" __global__ void __launch_bounds__(128) ENTRY(hierarchy_sweep_subtrees)(Sweep of) {
    const u32 n_groups = of.n_lanes / (32 * keys_per_thread);
    const u32 item = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const u32 segment = item / n_groups;
    if (segment >= of.n_segments) return;
    const u32 first_lane = (item % n_groups * 32 + lane()) * keys_per_thread;
    Key* const found = of.found + first_lane;
    const u32 begin = of.segments[of.first_segment + segment], end = of.segments[of.first_segment + segment + 1];
    for (u32 first = begin; first < end; first += 32) {
        const Vertices of_lane = vertices(of, first, end);
        u32 row = __shfl_sync(everyone, of_lane.rows, 0), row_end = __shfl_sync(everyone, of_lane.row_ends, 0);
        Arc next = arc_at(of, row + lane(), row_end);
        for (u32 i = 0; i < min(end - first, 32u); ++i) {
            const u32 rank = __shfl_sync(everyone, of_lane.ranks, i);
            const u32 next_row = __shfl_sync(everyone, of_lane.rows, i + 1);
            const u32 next_row_end = __shfl_sync(everyone, of_lane.row_ends, i + 1);
            Arc arc = next;
            next = arc_at(of, next_row + lane(), next_row_end);
            Keys least = of_lane.marked >> i & 1 ? keys_up(of, rank, first_lane) : no_keys();
            while (row < row_end) {
                for (u32 j = 0; j < min(row_end - row, 32u); j += 4) lower_by_four(least, found, of.n_lanes, arc, j);
                row += 32;
                if (row < row_end) arc = arc_at(of, row + lane(), row_end);
            }
            *reinterpret_cast<Keys*>(found + static_cast<u64>(rank) * of.n_lanes) = least;
            row = next_row, row_end = next_row_end;
        }
    }
}

// Warps that share the rows of a chain.
constexpr u32 warps_of_chain = 8;

// The same for chains, whose vertices have long rows and follow one another.
//
// A block of eight warps for each segment and 512 bytes of lanes. Each warp takes four arcs of every
// 32, of which its lanes hold those of 256, read ahead; what the warps have found is brought
// together in shared memory.
extern "C" __global__ void __launch_bounds__(32 * warps_of_chain) ENTRY(hierarchy_sweep_chains)(Sweep of) {
    __shared__ Keys parts[warps_of_chain][32];
    const u32 n_groups = of.n_lanes / (32 * keys_per_thread), segment = blockIdx.x / n_groups;
    const u32 warp = threadIdx.x / 32, first_of_group = blockIdx.x % n_groups * 32 * keys_per_thread;
    const u32 first_lane = first_of_group + lane() * keys_per_thread;
    const Key* const found = of.found + first_lane;
    const u32 place = (lane() / 4 * warps_of_chain + warp) * 4 + lane() % 4;
    const u32 begin = of.segments[of.first_segment + segment], end = of.segments[of.first_segment + segment + 1];
    for (u32 first = begin; first < end; first += 32) {
        const Vertices of_lane = vertices(of, first, end);
        u32 row = __shfl_sync(everyone, of_lane.rows, 0), row_end = __shfl_sync(everyone, of_lane.row_ends, 0);
        Arc next = arc_at(of, row + place, row_end);
        for (u32 i = 0; i < min(end - first, 32u); ++i) {
            const u32 rank = __shfl_sync(everyone, of_lane.ranks, i);
            const u32 next_row = __shfl_sync(everyone, of_lane.rows, i + 1);
            const u32 next_row_end = __shfl_sync(everyone, of_lane.row_ends, i + 1);
            Arc arc = next;
            next = arc_at(of, next_row + place, next_row_end);
            const bool is_marked = warp == 0 && of_lane.marked >> i & 1;
            Keys least = is_marked ? keys_up(of, rank, first_lane) : no_keys();
            while (row < row_end) {
                for (u32 j = 0; j < 32 && row + (j * warps_of_chain + warp * 4) < row_end; j += 4) {
                    lower_by_four(least, found, of.n_lanes, arc, j);
                }
                row += 32 * warps_of_chain;
                if (row < row_end) arc = arc_at(of, row + place, row_end);
            }
            parts[warp][lane()] = least;
            __syncthreads();
            if (threadIdx.x < 32 * keys_per_thread) {
                Key all = unreached;
#pragma unroll
                for (u32 other = 0; other < warps_of_chain; ++other) {
                    const Key part = parts[other][threadIdx.x / keys_per_thread].of[threadIdx.x % keys_per_thread];
                    all = part < all ? part : all;
                }
                of.found[static_cast<u64>(rank) * of.n_lanes + first_of_group + threadIdx.x] = all;
            }
            __syncthreads();
            row = next_row, row_end = next_row_end;
        }
    }
}
