// Betweenness by hops: the dependencies of up to 32 sources at once, a lane for each.
//
// A team of blocks has a batch of sources, and teams do not meet. A vertex has a number for each
// source of the batch: the number of shortest paths, and on the way back one more than the
// dependency, divided by that number. A level is a list of places and of bits, which say for which
// sources the place is on this level. A place is a vertex, or one of the pieces of a vertex with
// many arcs.
//
// Out: a level's bits are raised along arcs in the marks of vertices that these sources have not
// found, and the first to raise a mark lists the vertex. After a barrier each place of the new
// level adds up the numbers of its neighbours with bits on the level before, in the order of its
// row. Back: each place adds up the numbers of its neighbours on the next level. The pieces of a
// vertex leave their sums, and the last piece to arrive adds them up in the order of the row. So
// no sum depends on a race.
//
// A warp takes some places at a time. Its lanes take the arcs of all their rows in turn, as in
// arcs.cuh, and look for bits. Of each arc with bits the warp then reads the numbers, of the
// sources with a bit only.
//
// Traffic of a batch, where a vertex is on l levels: 4 bytes an arc and 4 of a mark, three times
// for each of the l levels. To this come 16 bytes an arc and source on a shortest path. R-MAT 20
// has 31 M arcs and l = 3: 2.3 GB of arcs and marks, of which marks stay in L2. A third of the
// pairs of an arc and a source are on paths, 5.6 GB, most of it numbers that stay in L2, those of
// the vertices with most arcs. That takes 4 ms by this reckoning; an H200 took 8 to 10. New York has
// 733,000 arcs, and l = 6 where sources are neighbours: 0.7 GB, 0.2 ms at the speed of the memory.
// An H200 took 1.1 to 2.0 ms, with 264 batches at once. Numbers lie apart, and to read 8 bytes takes
// a sector of 32; what else it waits for was not measured.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor at most, all resident;
// `team_blocks` blocks for each batch. Reads the graph; writes what is of its team.
//
// Races: marks are raised by atomics on integers, and read after a barrier. A lane reads numbers
// of its source on one level, and others write those on another. Marks may have bits of levels
// before the last one, or, on the way back, of levels behind the next: no arc comes from there.
// Pieces of a vertex write the same bits.
//
// Termination: a level without a place is the last. The way back has as many levels.

#include "../common/arcs.cuh"
#include "../common/watch.cuh"

using f64 = double;

// A sum of numbers of paths that is larger is left to the host.
constexpr f64 max_paths = 1.0715086071862673e301;  // 2^1000
// Arcs of a piece in each direction; vertices with more have several pieces.
constexpr u32 arcs_a_piece = 256;
// The bit of a place that is a piece.
constexpr u32 is_piece = 1u << 31;
// Numbers that a lane reads at once.
constexpr u32 at_once = 4;
// Groups of places that a warp should have of a level.
constexpr u32 groups_a_warp = 8;

// Zero before a launch.
struct TeamControl {
    u32 arrived;
    u32 stopped;
    // places listed
    u32 count;
    // whether a number of paths was too large
    u32 overflowed;
};

// What the launch is given. The host has the same structure.
struct PathBatches {
    // arcs out of each vertex, and into it; in an undirected graph the same
    const u32* out_offsets;
    const u32* out_ends;
    const u32* in_offsets;
    const u32* in_ends;
    // the first piece of each vertex, and the end; the vertex of each piece
    const u32* first_pieces;
    const u32* piece_vertices;
    // of all teams
    const u32* sources;
    // for each team: numbers by vertex and source, and those of pieces
    f64* numbers;
    f64* partial;
    // the dependency of all its sources on each vertex
    f64* dependencies;
    // which sources have found a vertex; three arrays of marks, of the levels by turns
    u32* found;
    u32* marks;
    // pieces that have left their sums, at the first piece of their vertex
    u32* left;
    // the places of the levels and their bits, `capacity` of them; where each level ends
    u32* places;
    u32* bits;
    u32* ends;
    TeamControl* controls;
    volatile u32* host;
    u32 n_vertices;
    u32 n_pieces;
    u32 n_sources;
    u32 width;
    u32 capacity;
    u32 team_blocks;
};

// The memory of a team, and its place in the team.
struct Team {
    const PathBatches& batch;
    f64* numbers;
    f64* partial;
    f64* dependencies;
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
        numbers = of.numbers + team * of.n_vertices * of.width;
        partial = of.partial + team * of.n_pieces * of.width;
        dependencies = of.dependencies + team * of.n_vertices;
        found = of.found + team * of.n_vertices;
        marks = of.marks + team * 3 * of.n_vertices;
        left = of.left + team * of.n_pieces;
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
    __device__ __forceinline__ u32* marks_of(u32 level) const {
        return marks + static_cast<u64>(level % 3) * batch.n_vertices;
    }
    __device__ __forceinline__ f64* numbers_of(u32 vertex) const {
        return numbers + static_cast<u64>(vertex) * batch.width + lane();
    }
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

    // How many places a warp takes at a time.
    __device__ __forceinline__ u32 group(u32 n_places) const {
        return min(max(n_places / (n_warps() * groups_a_warp), 1u), 32u);
    }

    // Lists the places of a vertex in the lanes that have one.
    __device__ __forceinline__ void list(bool has, u32 vertex) const {
        if (!__any_sync(everyone, has)) return;
        const uint2 pieces = has && batch.n_pieces != 0 ? pieces_of(vertex) : make_uint2(0, 0);
        const bool is_long = pieces.x != pieces.y;
        const u32 n = is_long ? pieces.y - pieces.x : has;
        const u32 scan = warp_scan(n);
        u32 first = 0;
        if (lane() == 31) first = atomicAdd(&control->count, scan);
        u32* to = places + __shfl_sync(everyone, first, 31) + scan - n;
        if (is_long) {
            for (u32 k = 0; k < n; ++k) __stcg(to + k, is_piece | (pieces.x + k));
        } else if (has) {
            __stcg(to, vertex);
        }
        __syncwarp();
    }
};

__device__ __forceinline__ f64 warp_sum(f64 value) {
    for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// Leaves the sum of a piece of a vertex. For the last of its pieces to come, which has
// `pieces`, returns the sum of all in their order, and for the others a negative number.
__device__ __noinline__ f64 combine(f64* partial, u32* left, uint2 pieces, u32 piece, u32 width, f64 sum) {
    const bool has = lane() < width;
    if (has) __stcg(partial + static_cast<u64>(piece) * width + lane(), sum);
    __threadfence();
    __syncwarp();
    u32 before = 0;
    if (lane() == 0) before = atomicAdd(left, 1);
    if (__shfl_sync(everyone, before, 0) + 1 != pieces.y - pieces.x) return -1;
    if (lane() == 0) __stcg(left, 0);
    __threadfence();
    sum = 0;
#pragma unroll 8
    for (u32 at = pieces.x; at < pieces.y; ++at) {
        sum += has ? load(partial + static_cast<u64>(at) * width + lane()) : 0;
    }
    return sum;
}

// Adds up, for each of the places from `begin` on, the numbers of its neighbours that have common
// bits in `marks`. Lanes have the place, the vertex, its bits and the row, of which `n` are given.
// Calls done(vertex, bits, sum) with the sum of each lane's source.
template <typename Done>
__device__ __forceinline__ void add_neighbours(const Team& team, const u32* ends, const u32* marks, u32 n, u32 place,
                                               u32 vertex, u32 bits, uint2 row, Done&& done) {
    u32 current = 0;
    f64 sum = 0;
    const auto end_current = [&] {
        const u32 of_place = __shfl_sync(everyone, place, current);
        const u32 of_vertex = __shfl_sync(everyone, vertex, current);
        const u32 of_bits = __shfl_sync(everyone, bits, current);
        if (of_place & is_piece) {
            const uint2 pieces = team.pieces_of(of_vertex);
            sum = combine(team.partial, team.left + pieces.x, pieces, of_place & ~is_piece, team.batch.width, sum);
        }
        if (sum >= 0) done(of_vertex, of_bits, sum);
        sum = 0;
        ++current;
    };
    for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
        const u32 wanted = __shfl_sync(everyone, bits, owner);
        const u32 end = has ? __ldg(ends + arc) : 0;
        const u32 common = has ? load(marks + end) & wanted : 0;
        u32 open = __ballot_sync(everyone, common != 0);
        while (open != 0) {
            f64 numbers[at_once];
            u32 owners[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                const u32 from = open != 0 ? __ffs(open) - 1 : 0;
                const u32 common_here = __shfl_sync(everyone, common, from);
                const u32 end_here = __shfl_sync(everyone, end, from);
                owners[k] = open != 0 ? __shfl_sync(everyone, owner, from) : everyone;
                numbers[k] = open != 0 && (common_here >> lane() & 1) ? load(team.numbers_of(end_here)) : 0;
                open &= open - 1;
            }
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                if (owners[k] == everyone) break;
                while (current != owners[k]) end_current();
                sum += numbers[k];
            }
        }
    });
    while (current != n) end_current();
}

__device__ __forceinline__ void clear(const Team& team) {
    const u64 n = team.batch.n_vertices;
    for (u64 at = team.first_thread; at < n; at += team.n_threads) {
        __stcg(team.found + at, 0);
        __stcg(team.dependencies + at, 0);
    }
    for (u64 at = team.first_thread; at < 3 * n; at += team.n_threads) __stcg(team.marks + at, 0);
    for (u64 at = team.first_thread; at < team.batch.n_pieces; at += team.n_threads) __stcg(team.left + at, 0);
}

// The level of the sources.
__device__ __forceinline__ void start(const Team& team) {
    if (team.warp() != 0) return;
    const bool has = lane() < team.n_sources;
    const u32 source = has ? __ldg(team.sources + lane()) : 0;
    team.list(has, source);
    if (has) {
        const u32 bit = 1u << lane();
        __stcg(team.found + source, bit);
        __stcg(team.marks_of(0) + source, bit);
        __stcg(team.numbers_of(source), 1.0);
    }
    __threadfence();
    const u32 n_places = __shfl_sync(everyone, load(&team.control->count), 0);
    __syncwarp();
    for (u32 at = lane(); at < n_places; at += 32) {
        const u32 vertex = team.vertex_of(load(team.places + at));
        __stcg(team.bits + at, load(team.marks_of(0) + vertex));
    }
    if (lane() == 0) __stcg(team.ends, n_places);
}

// Lists the places after a level, and raises their marks.
__device__ __forceinline__ void list_next(const Team& team, u32 level, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    u32* next = team.marks_of(level + 1);
    const u32 group = team.group(end - begin);
    for (u32 first = begin + team.warp() * group; first < end; first += team.n_warps() * group) {
        const u32 at = first + lane();
        uint2 row = make_uint2(0, 0);
        u32 bits = 0;
        if (lane() < group && at < end) {
            const u32 place = load(team.places + at);
            bits = load(team.bits + at);
            row = team.row_of(batch.out_offsets, place, team.vertex_of(place));
        }
        for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
            u32 fresh = __shfl_sync(everyone, bits, owner);
            const u32 head = has ? __ldg(batch.out_ends + arc) : 0;
            fresh = has ? fresh & ~load(team.found + head) : 0;
            if (fresh != 0) fresh &= ~load(next + head);
            const bool is_first = fresh != 0 && atomicOr(next + head, fresh) == 0;
            team.list(is_first, head);
        });
    }
}

// Clears the marks of these places of a level.
__device__ __forceinline__ void clear_marks(const Team& team, u32* marks, u32 begin, u32 end) {
    for (u32 at = begin + team.first_thread; at < end; at += team.n_threads) {
        __stcg(marks + team.vertex_of(load(team.places + at)), 0);
    }
}

// Counts the paths to the places of a level.
__device__ __forceinline__ void count_paths(const Team& team, u32 level, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    const u32* marks = team.marks_of(level);
    bool overflowed = false;
    const u32 group = team.group(end - begin);
    for (u32 first = begin + team.warp() * group; first < end; first += team.n_warps() * group) {
        const u32 at = first + lane();
        uint2 row = make_uint2(0, 0);
        u32 place = 0, vertex = 0, bits = 0;
        if (lane() < group && at < end) {
            place = load(team.places + at);
            vertex = team.vertex_of(place);
            bits = load(marks + vertex);
            row = team.row_of(batch.in_offsets, place, vertex);
            __stcg(team.bits + at, bits);
            __stcg(team.found + vertex, load(team.found + vertex) | bits);
        }
        const auto store = [&](u32 of_vertex, u32 of_bits, f64 sum) {
            if (!(of_bits >> lane() & 1)) return;
            overflowed = overflowed || !(sum <= max_paths);
            __stcg(team.numbers_of(of_vertex), sum);
        };
        add_neighbours(team, batch.in_ends, team.marks_of(level - 1), min(group, end - first), place, vertex, bits, row,
                       store);
    }
    if (overflowed) __stcg(&team.control->overflowed, 1);
}

// Finds the dependencies on the places of a level from those of the next.
__device__ __forceinline__ void add_dependencies(const Team& team, u32 level, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    u32* marks = team.marks_of(level);
    const u32 group = team.group(end - begin);
    for (u32 first = begin + team.warp() * group; first < end; first += team.n_warps() * group) {
        const u32 at = first + lane();
        uint2 row = make_uint2(0, 0);
        u32 place = 0, vertex = 0, bits = 0;
        if (lane() < group && at < end) {
            place = load(team.places + at);
            vertex = team.vertex_of(place);
            bits = load(team.bits + at);
            row = team.row_of(batch.out_offsets, place, vertex);
            __stcg(marks + vertex, bits);
        }
        const auto store = [&](u32 of_vertex, u32 of_bits, f64 sum) {
            f64 dependency = 0;
            if (of_bits >> lane() & 1) {
                f64* number = team.numbers_of(of_vertex);
                const f64 paths = load(number);
                dependency = paths * sum;
                __stcg(number, 1 / paths + sum);
            }
            dependency = warp_sum(dependency);
            if (lane() == 0) {
                f64* all = team.dependencies + of_vertex;
                __stcg(all, load(all) + dependency);
            }
        };
        add_neighbours(team, batch.out_ends, team.marks_of(level + 1), min(group, end - first), place, vertex, bits,
                       row, store);
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) count_paths_of_batches(const PathBatches batch) {
    Team team(batch);
    const Watch watch{batch.host, &team.control->stopped};
    clear(team);
    team.wait();
    start(team);
    team.wait();
    u32 level = 0, before = 0, begin = 0, end = load(team.ends);
    while (true) {
        list_next(team, level, begin, end);
        team.wait();
        const u32 next_end = load(&team.control->count);
        if (next_end == end) break;
        ++level;
        count_paths(team, level, end, next_end);
        // the array of the level two before is that of the next
        clear_marks(team, team.marks_of(level + 1), before, begin);
        if (team.is_first()) {
            __stcg(team.ends + level, next_end);
            if (watch.calls(level)) watch.call(level);
        }
        team.wait();
        if (watch.calls(level) && watch.ends()) return;
        before = begin;
        begin = end;
        end = next_end;
    }
    for (; level > 0; --level) {
        add_dependencies(team, level, load(team.ends + level - 1), load(team.ends + level));
        if (team.is_first() && watch.calls(level)) watch.call(level);
        team.wait();
        if (watch.calls(level) && watch.ends()) return;
    }
}

// Adds the dependencies of all teams to the sums, in the order of the teams. A thread a vertex.
extern "C" __global__ void add_batches(f64* sums, const f64* dependencies, u32 n_vertices, u32 n_teams) {
    const u32 vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= n_vertices) return;
    f64 sum = sums[vertex];
    for (u32 team = 0; team < n_teams; ++team) sum += dependencies[static_cast<u64>(team) * n_vertices + vertex];
    sums[vertex] = sum;
}
