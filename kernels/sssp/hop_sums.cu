// Breadth-first search from many sources at once, with a bit of every vertex for each source. The
// results are sums over hops, for every vertex, or the hops to some targets.
//
// In each level, every vertex takes over the bits of its neighbours (the vertices with an arc to
// it). Each new bit is of a source that is as many hops away as the level says. If a neighbour had
// had the bit earlier, the vertex would have it already. A vertex with all bits reads none. Where
// few vertices changed in the level before, only the bits of these are read.
//
// Rows are prepared once. Empty ones are left out. Long ones are cut into parts, whose results are
// combined by atomics, before a barrier. Short ones are in the order of their lengths, so that the
// groups of a warp have equal work.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor, all resident; a launch
// a batch of sources. Reads the graph; writes bits, and adds to sums.
//
// Races: bits of a level are read from one array and written to another, each vertex by its
// group, and before, for long rows, by atomics. Sums of a vertex are its group's; those over
// vertices are integers that atomics add.
//
// Termination: a level without a new bit is the last.

#include "../common/watch.cuh"
#include "hop_sums/bits.cuh"

// Zero before a launch.
struct HopControl {
    u32 arrived;
    u32 stopped;
    // vertices that changed, and pairs of source and vertex found, by levels, in threes
    u32 changed[3];
    u32 levels;
    u64 pairs[3];
};

// What the launch is given. The host has the same structure.
struct HopBatch {
    // arcs that lead to each vertex
    const u32* offsets;
    const u32* ends;
    // the n_rows vertices with rows, those with long ones first, and parts of long rows: vertex,
    // first arc, end, 0
    const u32* order;
    const uint4* parts;
    const u32* sources;
    Bits* seen[2];
    // whether a vertex changed in a level
    u8* changed[2];
    // results, added to, unless `sums` is null: for each vertex; the last for each number of hops
    u32* n_sources;
    u32* greatest;
    u64* sums;
    ulonglong2* reciprocals;
    u64* by_hop;
    // or the hops of the targets, a row for each source; 0xffffffff before
    const u32* targets;
    u32* table;
    HopControl* control;
    volatile u32* host;
    u32 n_vertices;
    u32 n_batch;
    u32 n_long;
    u32 n_parts;
    u32 n_targets;
    u32 n_rows;
};

__device__ __forceinline__ u32 grid_group() { return (blockIdx.x * blockDim.x + threadIdx.x) / group_lanes; }
__device__ __forceinline__ u32 grid_groups() { return gridDim.x * blockDim.x / group_lanes; }

// The bits of the neighbours in a row, until there are all. `changed` is null where all are to be
// read.
__device__ __forceinline__ Bits gather(const HopBatch& batch, const Bits* seen, const u8* changed, uint2 row,
                                       Bits bits, Bits all) {
    constexpr u32 at_once = 4;
    u32 arc = row.x + arc_lane();
    bool open = row.x < row.y;
    while (__any_sync(everyone, open)) {
        u32 ends[at_once];
        bool reads[at_once];
#pragma unroll
        for (u32 k = 0; k < at_once; ++k) {
            reads[k] = open && arc + k * arc_lanes < row.y;
            ends[k] = reads[k] ? __ldg(batch.ends + arc + k * arc_lanes) : 0;
        }
        if (changed != nullptr) {
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) reads[k] = reads[k] && changed[ends[k]] != 0;
        }
#pragma unroll
        for (u32 k = 0; k < at_once; ++k) {
            if (reads[k]) bits = bits | seen[static_cast<u64>(ends[k]) * word_lanes + word_lane()];
        }
        arc += at_once * arc_lanes;
        bits = group_or(bits);
        open = group_any(has_any(without(all, bits))) && arc - arc_lane() < row.y;
    }
    return bits;
}

// Adds what a vertex has found at this many hops to its sums.
__device__ __forceinline__ void add(const HopBatch& batch, u32 vertex, u32 pairs, u32 level) {
    batch.n_sources[vertex] += pairs;
    batch.greatest[vertex] = max(batch.greatest[vertex], level);
    batch.sums[vertex] += static_cast<u64>(pairs) * level;
    ulonglong2 sum = batch.reciprocals[vertex];
    // 2^64 / level, rounded down; for one hop it is a whole
    const u64 part = level > 1 ? ~0ull / level + (~0ull % level == level - 1) : 0;
    const u64 low = part * pairs;
    sum.x += low;
    sum.y += __umul64hi(part, pairs) + (sum.x < low) + (level == 1 ? pairs : 0);
    batch.reciprocals[vertex] = sum;
}

__device__ __forceinline__ void start(const HopBatch& batch) {
    const u64 thread = blockIdx.x * blockDim.x + threadIdx.x, n_threads = gridDim.x * blockDim.x;
    for (u64 at = thread; at < static_cast<u64>(batch.n_vertices) * word_lanes; at += n_threads) {
        store(batch.seen[0] + at, none());
        store(batch.seen[1] + at, none());
    }
    for (u64 at = thread; at < batch.n_vertices; at += n_threads) {
        __stcg(batch.changed[0] + at, 0);
        __stcg(batch.changed[1] + at, 0);
    }
}

__device__ __forceinline__ void set_sources(const HopBatch& batch) {
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= batch.n_batch) return;
    const u32 source = batch.sources[thread];
    // of a vertex without a row both stay as they are
    for (u32 k = 0; k < 2; ++k) {
        u64* words = reinterpret_cast<u64*>(batch.seen[k] + static_cast<u64>(source) * word_lanes);
        atomicOr(words + thread / 64, 1ull << thread % 64);
    }
    __stcg(batch.changed[0] + source, 1);
    if (batch.sums == nullptr) return;
    atomicAdd(batch.n_sources + source, 1);
    atomicAdd(batch.by_hop, 1ull);
}

// Writes this level for every source that a target has the bit of, and did not have before.
__device__ __forceinline__ void record(const HopBatch& batch, const Bits* before, const Bits* now, u32 level) {
    constexpr u32 words = word_lanes * bits_a_lane / 64;
    const u64 n = static_cast<u64>(batch.n_targets) * words;
    const u64 n_threads = gridDim.x * blockDim.x;
    for (u64 at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += n_threads) {
        const u64 target = at % batch.n_targets, word = at / batch.n_targets;
        const u64 place = __ldg(batch.targets + target) * static_cast<u64>(words) + word;
        u64 bits = __ldcg(reinterpret_cast<const u64*>(now) + place);
        if (before != nullptr) bits &= ~__ldcg(reinterpret_cast<const u64*>(before) + place);
        for (; bits != 0; bits &= bits - 1) {
            batch.table[(word * 64 + __ffsll(bits) - 1) * batch.n_targets + target] = level;
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(hop_sums)(const HopBatch batch) {
    HopControl& control = *batch.control;
    const Bits all = lower(batch.n_batch);
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    const Watch watch{batch.host, &control.stopped};
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    start(batch);
    barrier.wait();
    set_sources(batch);
    barrier.wait();
    u32 n_changed = batch.n_batch;
    if (batch.table != nullptr) {
        record(batch, nullptr, batch.seen[0], 0);
        barrier.wait();
    }
    for (u32 level = 1;; ++level) {
        const bool odd = level % 2;
        const Bits* seen = odd ? batch.seen[0] : batch.seen[1];
        Bits* seen_next = odd ? batch.seen[1] : batch.seen[0];
        const u8* changed = odd ? batch.changed[0] : batch.changed[1];
        u8* changed_next = odd ? batch.changed[1] : batch.changed[0];
        const u8* filter = n_changed < batch.n_rows / 4 ? changed : nullptr;
        for (u32 first = grid_group(); __any_sync(everyone, first < batch.n_parts); first += grid_groups()) {
            const bool has = first < batch.n_parts;
            const uint4 part = has ? __ldg(batch.parts + first) : make_uint4(0, 0, 0, 0);
            const u64 at = static_cast<u64>(part.x) * word_lanes + word_lane();
            const Bits mine = load(seen + at);
            const bool open = group_any(has && has_any(without(all, mine)));
            const uint2 row = open ? make_uint2(part.y, part.z) : make_uint2(0, 0);
            const Bits fresh = without(gather(batch, seen, filter, row, mine, all), mine);
            if (arc_lane() == 0 && open && has_any(fresh)) raise(seen_next + at, fresh);
        }
        if (is_first) {
            __stcg(control.changed + (level + 1) % 3, 0);
            __stcg(control.pairs + (level + 1) % 3, 0);
            if (watch.calls(level)) watch.call(level);
        }
        if (batch.n_parts != 0) barrier.wait();
        u64 pairs = 0;
        u32 n_mine = 0;
        for (u32 first = grid_group(); __any_sync(everyone, first < batch.n_rows); first += grid_groups()) {
            const bool has = first < batch.n_rows;
            const u32 vertex = has ? __ldg(batch.order + first) : 0;
            const u64 at = static_cast<u64>(vertex) * word_lanes + word_lane();
            const Bits mine = load(seen + at);
            const bool open = group_any(has && has_any(without(all, mine)));
            const bool is_long = first < batch.n_long;
            uint2 row = make_uint2(0, 0);
            if (open && !is_long) row = make_uint2(__ldg(batch.offsets + vertex), __ldg(batch.offsets + vertex + 1));
            Bits bits = mine;
            if (open && is_long) bits = bits | load(seen_next + at);
            bits = gather(batch, seen, filter, row, bits, all);
            const u32 found = group_sum(count(without(bits, mine)));
            if (!has) continue;
            const bool is_new = found != 0;
            if ((is_new || __ldcg(changed + vertex) != 0) && arc_lane() == 0) store(seen_next + at, bits);
            if (threadIdx.x % group_lanes == 0) {
                __stcg(changed_next + vertex, is_new);
                if (is_new && batch.sums != nullptr) add(batch, vertex, found, level);
                pairs += found;
                n_mine += is_new;
            }
        }
        __syncwarp();
        const u64 sum = warp_sum(pairs);
        const u32 n_warp = static_cast<u32>(warp_sum(n_mine));
        if (lane() == 0 && sum != 0) {
            atomicAdd(control.pairs + level % 3, sum);
            atomicAdd(control.changed + level % 3, n_warp);
        }
        barrier.wait();
        const u64 found = load(control.pairs + level % 3);
        n_changed = load(control.changed + level % 3);
        if (is_first) control.levels = level;
        if (found == 0 || (watch.calls(level) && watch.ends())) break;
        if (is_first && batch.sums != nullptr) batch.by_hop[level] += found;
        if (batch.table != nullptr) {
            record(batch, seen, seen_next, level);
            barrier.wait();
        }
    }
}
