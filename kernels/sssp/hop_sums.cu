// Breadth-first search from many sources at once, with a bit of every vertex for each source. The
// results are sums over hops, for every vertex, or the hops to some targets.
//
// In each level, every vertex takes over the bits of its neighbours (the vertices with an arc to
// it). Each new bit is of a source that is as many hops away as the level says. If a neighbour had
// had the bit earlier, the vertex would have it already. Where few vertices changed in the level
// before, only the bits of these are read.
//
// A source is live while the level before had a new bit of it. A vertex with the bits of all live
// sources reads none, and as soon as a row has given it them, the rest of the row is not read. It
// is closed one level later, when both arrays have its bits, and then is not looked at again.
//
// Vertices are numbered by falling lengths of their rows, and rows ascend. So a row begins with the
// vertices that many searches reach early, and the bits that are read most lie close together.
// Rows longer than a part are cut, the first parts of all before the second ones; their results are
// combined by atomics, before a barrier. The groups of a warp have rows of about equal length.
//
// Where every arc has its reverse, sources push the first level along their own rows.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor, all resident; a launch
// a batch of sources. Reads the graph; writes bits, and adds to sums.
//
// Races: bits of a level are read from one array and written to another, each vertex by its
// group, and before, for pushes and long rows, by atomics. Sums of a vertex are its group's; those
// over vertices are integers that atomics add.
//
// Termination: a level without a new bit is the last.

#include "../common/watch.cuh"
#include "hop_sums/bits.cuh"

// 64-bit words of the bits of a vertex.
constexpr u32 words = word_lanes * bits_a_lane / 64;

// What is said of a vertex beside its bits. A closed one has the bits of all live sources.
constexpr u8 unchanged = 0, changed = 1, closed = 2;

// Zero before a launch.
struct HopControl {
    u32 arrived;
    u32 stopped;
    // vertices that changed, pairs of source and vertex found, and the sources of these pairs, by
    // levels, in threes
    u32 changed[3];
    u32 levels;
    u64 pairs[3];
    u64 live[3][16];
};

// What the launch is given. The host has the same structure.
struct HopBatch {
    // arcs that lead to each of the first n_rows vertices
    const u64* offsets;
    const u32* ends;
    // parts of the n_long first rows: vertex, first arc in two words, number of arcs
    const uint4* parts;
    const u32* sources;
    Bits* seen[2];
    // whether a vertex changed in a level
    u8* states[2];
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
    // the others have no arcs
    u32 n_vertices;
    u32 n_batch;
    u32 n_long;
    u32 n_parts;
    u32 n_targets;
    u32 n_rows;
    // whether every arc has its reverse
    u32 both_ways;
    u32 unused;
};

struct Row {
    u64 first;
    u64 end;
};

__device__ __forceinline__ u32 grid_group() { return (blockIdx.x * blockDim.x + threadIdx.x) / group_lanes; }
__device__ __forceinline__ u32 grid_groups() { return gridDim.x * blockDim.x / group_lanes; }

// The bits of the neighbours in a row, until there are all. `states` is null where all are to be
// read.
__device__ __forceinline__ Bits gather(const HopBatch& batch, const Bits* seen, const u8* states, Row row, Bits bits,
                                       Bits all) {
    // the lanes of a group look at arcs side by side, and then read bits at once
    constexpr u32 looks = word_lanes == 1 ? 4 : 1, at_once = 4;
    const u32 in_group = threadIdx.x % group_lanes;
    u64 first = row.first;
    bool open = row.first < row.end;
    while (__any_sync(everyone, open)) {
        u32 ends[looks];
#pragma unroll
        for (u32 k = 0; k < looks; ++k) {
            const u64 arc = first + k * group_lanes + in_group;
            ends[k] = open && arc < row.end ? __ldg(batch.ends + arc) : everyone;
            if (states != nullptr && ends[k] != everyone && states[ends[k]] != changed) ends[k] = everyone;
        }
        first += looks * group_lanes;
        bool reads = false;
#pragma unroll
        for (u32 k = 0; k < looks; ++k) reads = reads || ends[k] != everyone;
        if (!__any_sync(everyone, reads)) {
            open = open && first < row.end;
            continue;
        }
#pragma unroll
        for (u32 step = 0; step < looks * word_lanes; step += at_once) {
            u32 end[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                const u32 lane_of = lane() - in_group + (step + k) % word_lanes * arc_lanes + arc_lane();
                end[k] = __shfl_sync(everyone, ends[(step + k) / word_lanes], lane_of);
            }
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                if (open && end[k] != everyone) bits = bits | seen[static_cast<u64>(end[k]) * word_lanes + word_lane()];
            }
            bits = group_or(bits);
            open = group_any(has_any(without(all, bits))) && open;
        }
        open = open && first < row.end;
    }
    return bits;
}

// The bits of the sources' neighbours, in the array that the first level writes. A block has a
// source at a time.
__device__ __forceinline__ void push(const HopBatch& batch) {
    for (u32 k = blockIdx.x; k < batch.n_batch; k += gridDim.x) {
        const u32 source = __ldg(batch.sources + k);
        if (source >= batch.n_rows) continue;
        const u64 end = __ldg(batch.offsets + source + 1);
        for (u64 arc = __ldg(batch.offsets + source) + threadIdx.x; arc < end; arc += blockDim.x) {
            const u64 at = static_cast<u64>(__ldg(batch.ends + arc)) * words + k / 64;
            atomicOr(reinterpret_cast<u64*>(batch.seen[1]) + at, 1ull << k % 64);
        }
    }
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
        __stcg(batch.states[0] + at, unchanged);
        __stcg(batch.states[1] + at, unchanged);
    }
}

__device__ __forceinline__ void set_sources(const HopBatch& batch) {
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= batch.n_batch) return;
    const u32 source = batch.sources[thread];
    if (source >= batch.n_vertices) return;
    // of a vertex without a row both stay as they are
    for (u32 k = 0; k < 2; ++k) {
        atomicOr(reinterpret_cast<u64*>(batch.seen[k]) + static_cast<u64>(source) * words + thread / 64,
                 1ull << thread % 64);
    }
    __stcg(batch.states[0] + source, changed);
    if (batch.sums == nullptr) return;
    atomicAdd(batch.n_sources + source, 1);
    atomicAdd(batch.by_hop, 1ull);
}

// Writes this level for every source that a target has the bit of, and did not have before.
__device__ __forceinline__ void record(const HopBatch& batch, const Bits* before, const Bits* now, u32 level) {
    const u64 n = static_cast<u64>(batch.n_targets) * words;
    const u64 n_threads = gridDim.x * blockDim.x;
    for (u64 at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += n_threads) {
        const u64 target = at % batch.n_targets, word = at / batch.n_targets;
        const u32 vertex = __ldg(batch.targets + target);
        if (vertex >= batch.n_vertices) continue;
        const u64 place = static_cast<u64>(vertex) * words + word;
        u64 bits = __ldcg(reinterpret_cast<const u64*>(now) + place);
        if (before != nullptr) bits &= ~__ldcg(reinterpret_cast<const u64*>(before) + place);
        for (; bits != 0; bits &= bits - 1) {
            batch.table[(word * 64 + __ffsll(bits) - 1) * batch.n_targets + target] = level;
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(hop_sums)(const HopBatch batch) {
    // what the block has found in a level
    __shared__ u64 block_live[words], block_pairs;
    __shared__ u32 block_changed;
    HopControl& control = *batch.control;
    Bits live = lower(batch.n_batch);
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    const Watch watch{batch.host, &control.stopped};
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    start(batch);
    barrier.wait();
    set_sources(batch);
    if (batch.both_ways != 0) push(batch);
    if (batch.table != nullptr) {
        barrier.wait();
        record(batch, nullptr, batch.seen[0], 0);
    }
    barrier.wait();
    u32 n_changed = batch.n_batch;
    for (u32 level = 1;; ++level) {
        const bool odd = level % 2;
        const Bits* seen = odd ? batch.seen[0] : batch.seen[1];
        Bits* seen_next = odd ? batch.seen[1] : batch.seen[0];
        const u8* states = odd ? batch.states[0] : batch.states[1];
        u8* states_next = odd ? batch.states[1] : batch.states[0];
        const u8* filter = n_changed < batch.n_rows / 4 ? states : nullptr;
        const bool is_pushed = level == 1 && batch.both_ways != 0;
        const u32 n_parts = is_pushed ? 0 : batch.n_parts, n_long = is_pushed ? batch.n_rows : batch.n_long;
        for (u32 first = grid_group(); __any_sync(everyone, first < n_parts); first += grid_groups()) {
            const bool has = first < n_parts;
            const uint4 part = has ? __ldg(batch.parts + first) : make_uint4(0, 0, 0, 0);
            const u64 at = static_cast<u64>(part.x) * word_lanes + word_lane(), begin = part.z * (1ull << 32) | part.y;
            const Bits mine = load(seen + at) | load(seen_next + at);
            const bool open = group_any(has && has_any(without(live, mine)));
            const Row row{begin, open ? begin + part.w : begin};
            const Bits fresh = without(gather(batch, seen, filter, row, mine, live), mine);
            if (arc_lane() == 0 && open && has_any(fresh)) raise(seen_next + at, fresh);
        }
        if (blockIdx.x == 0 && threadIdx.x < words) __stcg(&control.live[(level + 1) % 3][threadIdx.x], 0);
        if (threadIdx.x < words) block_live[threadIdx.x] = 0;
        if (threadIdx.x == 0) block_changed = block_pairs = 0;
        if (is_first) {
            __stcg(control.changed + (level + 1) % 3, 0);
            __stcg(control.pairs + (level + 1) % 3, 0);
            if (watch.calls(level)) watch.call(level);
        }
        if (n_parts != 0) barrier.wait();
        else __syncthreads();
        u64 pairs = 0;
        u32 n_mine = 0;
        Bits still = none();
        for (u32 vertex = grid_group(); __any_sync(everyone, vertex < batch.n_rows); vertex += grid_groups()) {
            const bool has = vertex < batch.n_rows;
            const u8 state = has ? __ldcg(states + vertex) : closed;
            const bool is_closed = state == closed;
            const u64 at = static_cast<u64>(is_closed ? 0 : vertex) * word_lanes + word_lane();
            const Bits mine = is_closed ? live : load(seen + at);
            const bool open = group_any(has_any(without(live, mine)));
            const bool is_long = vertex < n_long;
            Row row{0, 0};
            if (open && !is_long) row = Row{__ldg(batch.offsets + vertex), __ldg(batch.offsets + vertex + 1)};
            Bits bits = mine;
            if (open && is_long) bits = bits | load(seen_next + at);
            bits = gather(batch, seen, filter, row, bits, live);
            const Bits fresh = without(bits, mine);
            still = still | fresh;
            const u32 found = group_sum(count(fresh));
            if (!has) continue;
            const bool is_new = found != 0;
            if ((is_new || state == changed) && arc_lane() == 0) store(seen_next + at, bits);
            if (threadIdx.x % group_lanes == 0) {
                __stcg(states_next + vertex, is_new ? changed : open ? unchanged : closed);
                if (is_new && batch.sums != nullptr) add(batch, vertex, found, level);
                pairs += found;
                n_mine += is_new;
            }
        }
        __syncwarp();
        const u64 sum = warp_sum(pairs);
        const u32 n_warp = static_cast<u32>(warp_sum(n_mine));
        if (lane() == 0 && sum != 0) {
            atomicAdd(&block_pairs, sum);
            atomicAdd(&block_changed, n_warp);
        }
#pragma unroll
        for (u32 step = group_lanes; step < 32; step <<= 1) still = still | of_lane(still, step);
        if (lane() < word_lanes) raise(reinterpret_cast<Bits*>(block_live) + lane(), still);
        __syncthreads();
        if (threadIdx.x < words && block_live[threadIdx.x] != 0) {
            atomicOr(&control.live[level % 3][threadIdx.x], block_live[threadIdx.x]);
        }
        if (threadIdx.x == 0 && block_pairs != 0) {
            atomicAdd(control.pairs + level % 3, block_pairs);
            atomicAdd(control.changed + level % 3, block_changed);
        }
        barrier.wait();
        const u64 found = load(control.pairs + level % 3);
        n_changed = load(control.changed + level % 3);
        live = load(reinterpret_cast<const Bits*>(control.live[level % 3]) + word_lane());
        if (is_first) control.levels = level;
        if (found == 0 || (watch.calls(level) && watch.ends())) break;
        if (is_first && batch.sums != nullptr) batch.by_hop[level] += found;
        if (batch.table != nullptr) {
            record(batch, seen, seen_next, level);
            barrier.wait();
        }
    }
}
