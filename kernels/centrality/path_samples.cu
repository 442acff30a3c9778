// A random shortest path of each of many random pairs: how many paths a vertex is inside of.
//
// A block takes one pair after another. It searches from both ends by turns, the side whose last
// level has fewer arcs. First it reads the ends of these arcs to find those on the last level of
// the other side: one of these is in the middle of every shortest path. If there are none, it reads
// the arcs again, lists the vertices of the next level and adds up their numbers of paths. A filter
// in shared memory, a bit for some vertices together, has the other side's last level. It excludes
// most ends, so that the first reading is one of 4 bytes an arc in the order of memory.
//
// The arc in the middle of the path, and every step from it to either end, is chosen by a race
// (crates/centrality/src/approximate/draws.rs). The time of an arc is a function of the seed, the
// pair and the arc's position, so no order of arrival matters. Two warps walk, one to each end.
//
// Traffic of a pair: 4 bytes an arc that is read, once or twice. For each arc of the levels that are
// listed, a sector of 32 bytes at a random place; for each vertex listed one more to clear it.
//
// Launch: blocks of 256 threads, as many as have memory; no block waits for another. Reads the
// graph; writes the block's vertices, which are zero before and after, and adds to the counts.
//
// Races: of the threads that reach a vertex of the next level the first to raise its mark lists it,
// and all add their paths by an atomic. Numbers of paths up to 2^53 are exact in any order; greater
// ones are rounded, which could turn a race of two times that are as near. Counts are integers.
//
// Termination: every step lists a vertex, or is the last one of the pair.

#include "../common/grid.cuh"

using f64 = double;

constexpr u32 n_threads = 256;
constexpr u32 n_warps = n_threads / 32;
// Bits of the filter.
constexpr u32 filter_bits = 1 << 18;
// Arcs of a level from which on the filter pays.
constexpr u64 min_arcs_to_filter = 2048;
// Rows of more arcs are shared by the warps of the block.
constexpr u32 long_row = 512;
// How many of them are kept, at most; others stay with their warp.
constexpr u32 max_long_rows = 256;
// Numbers of paths up to which those of the next level cannot overflow.
constexpr f64 max_paths = 8.452712498170644e270;  // 2^900
// A pair that has more is left to the host.
constexpr u32 left_to_host = everyone;
// A row of more arcs, for each vertex of the level before, is searched for these vertices.
constexpr u32 arcs_a_probe = 16;

struct PathVertex {
    f64 paths;
    // twice the level, plus 2 on the side of the first vertex and 3 on that of the last
    u32 mark;
    u32 padding;
};

// Zero before a launch.
struct SampleControl {
    // pairs that blocks have taken
    u32 taken;
    // whether they are to end
    u32 stopped;
};

// What the launch is given. The host has the same structure.
struct PathSamples {
    // arcs out of each vertex, and into it; in an undirected graph the same
    const u32* out_offsets;
    const u32* out_ends;
    const u32* in_offsets;
    const u32* in_ends;
    // paths through each vertex, of all pairs
    u64* sums;
    // for each block: the vertices, and a list of those found
    PathVertex* vertices;
    u32* found;
    // how many vertices are inside the path of each pair of the launch
    u32* inside;
    SampleControl* control;
    // two words of the host: whether to end, and how many pairs are done; or null
    volatile u32* host;
    // the seed, mixed, and the number of the first pair
    u64 seed;
    u64 first;
    u32 n_vertices;
    u32 n_samples;
    // whether the ends of every row ascend
    u32 rows_ascend;
    u32 padding;
};

constexpr u64 random_step = 0x9e3779b97f4a7c15;

__device__ __forceinline__ u64 mix(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

__device__ __forceinline__ u64 draw(u64 key, u64 index) { return mix(key + index * random_step); }

// What a race decides; the same numbers as on the host.
constexpr u32 race_middle = 3, race_back = 4, race_on = 5;

__device__ __forceinline__ f64 race_time(u64 key, u32 arc, f64 ln_rate) {
    const f64 unit = (static_cast<f64>(draw(key, static_cast<u64>(arc) + 1) >> 11) + 0.5) / 9007199254740992.0;
    return log(-log(unit)) - ln_rate;
}

// Who has won a race so far; of two at the same time the lower arc.
struct Winner {
    f64 time;
    u32 arc;
    u32 vertex;

    __device__ __forceinline__ void race(f64 other_time, u32 other_arc, u32 other_vertex) {
        if (other_time < time || (other_time == time && other_arc < arc)) {
            time = other_time;
            arc = other_arc;
            vertex = other_vertex;
        }
    }
    __device__ __forceinline__ void race_lanes() {
        for (u32 step = 16; step; step >>= 1) {
            const f64 other_time = __shfl_xor_sync(everyone, time, step);
            const u32 other_arc = __shfl_xor_sync(everyone, arc, step);
            race(other_time, other_arc, __shfl_xor_sync(everyone, vertex, step));
        }
    }
};

__device__ __forceinline__ Winner none() { return Winner{__longlong_as_double(0x7ff0000000000000), everyone, 0}; }

// One side of a pair: its last level is found[begin..end), counted from its end of the list.
struct Side {
    u64 n_arcs;
    u32 begin;
    u32 end;
    u32 level;
    // where the first level ends
    u32 first_end;
};

struct Shared {
    u32 filter[filter_bits / 32];
    Winner winners[n_warps];
    uint2 long_rows[max_long_rows];
    u32 long_tails[max_long_rows];
    Side sides[2];
    u32 n_long;
    u32 sample;
    u32 overflowed;
};

struct Block {
    const PathSamples& all;
    Shared& shared;
    PathVertex* vertices;
    u32* found;

    __device__ __forceinline__ u32 mark(u32 side) const { return 2 * shared.sides[side].level + 2 + side; }
    // the place of the k-th vertex that a side found; those of the last vertex's side end the list
    __device__ __forceinline__ u32* place(u32 side, u32 k) const { return found + (side ? all.n_vertices - 1 - k : k); }
    __device__ __forceinline__ const u32* offsets(u32 side) const { return side ? all.in_offsets : all.out_offsets; }
    __device__ __forceinline__ const u32* ends(u32 side) const { return side ? all.in_ends : all.out_ends; }
};

__device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }

__device__ __forceinline__ u32 filter_place(u32 vertex) { return vertex * 0x9e3779b1u >> 14; }

// Goes through the arcs of the level found[begin..end) of a side. All lanes of a warp call
// visit(has, tail, arc) together. All threads call it, after a barrier, and it ends with one.
template <typename Visit>
__device__ __forceinline__ void for_each_arc(const Block& block, u32 side, u32 begin, u32 end, Visit&& visit) {
    Shared& shared = block.shared;
    const u32* offsets = block.offsets(side);
    const u32 group = min(max((end - begin) / (4 * n_warps), 1u), 32u);
    for (u32 first = begin + warp() * group; first < end; first += n_warps * group) {
        const u32 at = first + lane();
        uint2 row = make_uint2(0, 0);
        u32 tail = 0;
        if (lane() < group && at < end) {
            tail = load(block.place(side, at));
            row = make_uint2(__ldg(offsets + tail), __ldg(offsets + tail + 1));
            if (row.y - row.x > long_row) {
                const u32 k = atomicAdd(&shared.n_long, 1);
                if (k < max_long_rows) {
                    shared.long_rows[k] = row;
                    shared.long_tails[k] = tail;
                    row.x = row.y;
                }
            }
        }
        __syncwarp();
        const u32 scan = warp_scan(row.y - row.x);
        const u32 total = __shfl_sync(everyone, scan, 31);
        const u32 shift = row.y - scan;
        for (u32 from = 0; from < total; from += 32) {
            const u32 k = from + lane();
            const u32 owner = owner_of(k, scan);
            visit(k < total, __shfl_sync(everyone, tail, owner), __shfl_sync(everyone, shift, owner) + k);
        }
    }
    __syncthreads();
    const u32 n_long = min(shared.n_long, max_long_rows);
    for (u32 k = 0; k < n_long; ++k) {
        const uint2 row = shared.long_rows[k];
        const u32 tail = shared.long_tails[k];
        for (u32 first = row.x + warp() * 32; first < row.y; first += n_threads) {
            visit(first + lane() < row.y, tail, first + lane());
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) shared.n_long = 0;
}

// Begins a side with its vertex. One thread.
__device__ __forceinline__ void start(const Block& block, u32 side, u32 vertex) {
    const u32* offsets = block.offsets(side);
    block.shared.sides[side] = Side{__ldg(offsets + vertex + 1) - __ldg(offsets + vertex), 0, 1, 0, 1};
    __stcg(block.place(side, 0), vertex);
    PathVertex* of = block.vertices + vertex;
    __stcg(&of->paths, 1.0);
    __stcg(&of->mark, 2 + side);
}

// Looks for arcs from the last level of a side to that of the other. Returns whether there are
// any; then the first warp's winner is the one in the middle of the path, with its tail.
__device__ __forceinline__ bool meet(const Block& block, u32 side, u64 key) {
    Shared& shared = block.shared;
    const u32 wanted = block.mark(1 - side);
    const bool is_filtered = shared.sides[side].n_arcs >= min_arcs_to_filter;
    if (is_filtered) {
        for (u32 at = threadIdx.x; at < filter_bits / 32; at += n_threads) shared.filter[at] = 0;
        __syncthreads();
        for (u32 at = shared.sides[1 - side].begin + threadIdx.x; at < shared.sides[1 - side].end; at += n_threads) {
            const u32 bit = filter_place(load(block.place(1 - side, at)));
            atomicOr(shared.filter + bit / 32, 1u << bit % 32);
        }
        __syncthreads();
    }
    Winner winner = none();
    const u64 race = draw(key, race_middle);
    const u32* ends = block.ends(side);
    for_each_arc(block, side, shared.sides[side].begin, shared.sides[side].end, [&](bool has, u32 tail, u32 arc) {
        if (!has) return;
        const u32 head = __ldg(ends + arc);
        if (is_filtered) {
            const u32 bit = filter_place(head);
            if (!(shared.filter[bit / 32] >> bit % 32 & 1)) return;
        }
        if (load(&block.vertices[head].mark) != wanted) return;
        const f64 rate = log(load(&block.vertices[tail].paths)) + log(load(&block.vertices[head].paths));
        winner.race(race_time(race, arc, rate), arc, tail);
    });
    if (!__syncthreads_or(winner.arc != everyone)) return false;
    winner.race_lanes();
    if (lane() == 0) shared.winners[warp()] = winner;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 other = 1; other < n_warps; ++other) {
            const Winner next = shared.winners[other];
            shared.winners[0].race(next.time, next.arc, next.vertex);
        }
    }
    __syncthreads();
    return true;
}

// Finds the next level of a side, which has no arc to the other side.
__device__ __forceinline__ void expand(const Block& block, u32 side) {
    Shared& shared = block.shared;
    Side& of_side = shared.sides[side];
    const u32 mark = block.mark(side) + 2;
    const u32 *offsets = block.offsets(side), *ends = block.ends(side);
    // read by all before a vertex is listed
    const u32 begin = of_side.begin, end = of_side.end;
    __syncthreads();
    if (threadIdx.x == 0) of_side.n_arcs = 0;
    u64 n_arcs = 0;
    bool overflowed = false;
    for_each_arc(block, side, begin, end, [&](bool has, u32 tail, u32 arc) {
        bool is_new = false;
        u32 head = 0;
        if (has) {
            head = __ldg(ends + arc);
            PathVertex* of = block.vertices + head;
            u32 before = load(&of->mark);
            if (before == 0) {
                before = atomicCAS(&of->mark, 0, mark);
                is_new = before == 0;
            }
            if (is_new || before == mark) {
                const f64 paths = load(&block.vertices[tail].paths);
                overflowed = overflowed || paths > max_paths;
                atomicAdd(&of->paths, paths);
            }
        }
        const u32 fresh = __ballot_sync(everyone, is_new);
        if (fresh == 0) return;
        u32 first = 0;
        if (lane() == 0) first = atomicAdd(&of_side.end, __popc(fresh));
        first = __shfl_sync(everyone, first, 0);
        if (is_new) {
            __stcg(block.place(side, first + __popc(fresh & lower_lanes())), head);
            n_arcs += __ldg(offsets + head + 1) - __ldg(offsets + head);
        }
    });
    n_arcs = warp_sum(n_arcs);
    if (lane() == 0) atomicAdd(&of_side.n_arcs, n_arcs);
    if (overflowed) shared.overflowed = 1;
    if (threadIdx.x == 0) {
        of_side.begin = end;
        ++of_side.level;
        if (of_side.level == 1) of_side.first_end = of_side.end;
    }
    __syncthreads();
}

// A warp adds the vertices of a random shortest path from here to the end of a side, which is left
// out.
__device__ __forceinline__ void walk(const Block& block, u32 side, u32 vertex, u64 key) {
    // the arcs that lead to the side's first vertex
    const u32 *offsets = block.offsets(1 - side), *ends = block.ends(1 - side);
    for (u32 level = block.shared.sides[side].level; level > 0; --level) {
        if (lane() == 0) atomicAdd(block.all.sums + vertex, 1ull);
        if (level == 1) break;
        const u32 mark = 2 * (level - 1) + 2 + side;
        const u32 begin = __ldg(offsets + vertex), end = __ldg(offsets + vertex + 1);
        Winner winner = none();
        const auto race = [&](u32 before, u32 arc) {
            const f64 rate = log(load(&block.vertices[before].paths));
            winner.race(race_time(key, arc, rate), arc, before);
        };
        const u32 first_end = block.shared.sides[side].first_end;
        if (level == 2 && block.all.rows_ascend && static_cast<u64>(first_end) * arcs_a_probe < end - begin) {
            for (u32 at = 1 + lane(); at < first_end; at += 32) {
                const u32 before = load(block.place(side, at));
                u32 low = begin;
                for (u32 high = end; low < high;) {
                    const u32 middle = low + (high - low) / 2;
                    if (__ldg(ends + middle) < before) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                for (; low < end && __ldg(ends + low) == before; ++low) race(before, low);
            }
        } else {
#pragma unroll 4
            for (u32 arc = begin + lane(); arc < end; arc += 32) {
                const u32 before = __ldg(ends + arc);
                if (load(&block.vertices[before].mark) == mark) race(before, arc);
            }
        }
        winner.race_lanes();
        vertex = winner.vertex;
    }
}

__device__ __forceinline__ void sample(const Block& block, u32 number) {
    Shared& shared = block.shared;
    const PathSamples& all = block.all;
    const u64 key = mix(all.seed + (all.first + number + 1) * random_step);
    if (threadIdx.x == 0) {
        const u32 first = __umul64hi(draw(key, 1), all.n_vertices);
        const u32 other = __umul64hi(draw(key, 2), all.n_vertices - 1);
        start(block, 0, first);
        start(block, 1, other + (other >= first));
        shared.overflowed = 0;
    }
    __syncthreads();
    u32 inside = 0;
    while (true) {
        const u32 side = shared.sides[1].n_arcs < shared.sides[0].n_arcs;
        if (shared.sides[side].n_arcs == 0) break;
        if (meet(block, side, key)) {
            inside = shared.sides[0].level + shared.sides[1].level;
            const Winner middle = shared.winners[0];
            const u32 half = warp();
            if (half < 2) {
                const u32 vertex = half == side ? middle.vertex : __ldg(block.ends(side) + middle.arc);
                walk(block, half, vertex, draw(key, half ? race_on : race_back));
            }
            break;
        }
        expand(block, side);
        if (shared.overflowed) {
            inside = left_to_host;
            break;
        }
    }
    if (threadIdx.x == 0) all.inside[number] = inside;
    __syncthreads();
    for (u32 side = 0; side < 2; ++side) {
        for (u32 at = threadIdx.x; at < shared.sides[side].end; at += n_threads) {
            __stcg(reinterpret_cast<uint4*>(block.vertices + load(block.place(side, at))), make_uint4(0, 0, 0, 0));
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(n_threads, 4) sample_paths(const PathSamples all) {
    __shared__ Shared shared;
    const u64 offset = static_cast<u64>(blockIdx.x) * all.n_vertices;
    const Block block{all, shared, all.vertices + offset, all.found + offset};
    if (threadIdx.x == 0) shared.n_long = 0;
    while (true) {
        if (threadIdx.x == 0) {
            u32 number = load(&all.control->stopped) ? all.n_samples : atomicAdd(&all.control->taken, 1);
            if (blockIdx.x == 0 && all.host != nullptr) {
                all.host[1] = min(number, all.n_samples);
                if (all.host[0] != 0) {
                    all.control->stopped = 1;
                    number = all.n_samples;
                }
            }
            shared.sample = number;
        }
        __syncthreads();
        const u32 number = shared.sample;
        if (number >= all.n_samples) return;
        sample(block, number);
    }
}
