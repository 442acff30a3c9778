// Betweenness by hops, where levels are few: the dependencies of up to 32 sources at once, a lane for
// each.
//
// A team of blocks has a batch of sources, and teams do not meet. A vertex has a number for each
// source of the batch: the number of shortest paths, and on the way back the targets that it stands
// for and the dependency, divided by that number. A level is a list of places and of bits, which say for which
// sources the place is on this level. A place is a vertex, or one of the pieces of a vertex with
// many arcs.
//
// Out: a level's bits are raised along arcs in the marks of vertices that these sources have not
// found, and the first to raise a mark lists the vertex. After a barrier each place of the new level
// adds up the numbers of its neighbours with bits on the level before, in the order of its row. Back:
// each place adds up the numbers of its neighbours on the next level. The pieces of a vertex leave
// their sums, and the last piece to arrive adds them up in the order of the row. So no sum depends on
// a race. Scores of arcs are the terms of the sums on the way back.
//
// A warp takes some places at a time. Its lanes take the arcs of all their rows in turn, as in
// arcs.cuh, and look for bits. Of each arc with bits the warp then reads the numbers, of the
// sources with a bit only.
//
// Traffic of a batch, where a vertex is on l levels: 4 bytes an arc and 4 of a mark, three times for
// each of the l levels. To this come 16 bytes an arc and source on a shortest path. R-MAT 20 has 31 M
// arcs and l = 3: 2.3 GB of arcs and marks, of which marks stay in L2. A third of the pairs of an arc
// and a source are on paths, 5.6 GB, most of it numbers that stay in L2, those of the vertices with
// most arcs. That takes 4 ms by this reckoning; an H200 took 8 to 10.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor at most, all resident;
// `team_blocks` blocks for each batch. Reads the graph; writes what is of its team.
//
// Races: marks are raised by atomics on integers, and read after a barrier. A lane reads numbers
// of its source on one level, and others write those on another. Marks may have bits of levels
// before the last one, or, on the way back, of levels behind the next: no arc comes from there.
// Pieces of a vertex write the same bits. On one level one warp adds to a score.
//
// Termination: a level without a place is the last. The way back has as many levels.

#include "path_counts/team.cuh"

#if defined(TO_ARCS)
#define ENTRY(name) name##_arcs
constexpr bool to_arcs = true;
#else
#define ENTRY(name) name##_vertices
constexpr bool to_arcs = false;
#endif

// Groups of places that a warp should have of a level.
constexpr u32 groups_a_warp = 8;

__device__ __forceinline__ u32* marks_of(const Team& team, u32 level) {
    return team.marks + static_cast<u64>(level % 3) * team.batch.n_vertices;
}

// How many places a warp takes at a time.
__device__ __forceinline__ u32 group_of(const Team& team, u32 n_places) {
    return min(max(n_places / (team.n_warps() * groups_a_warp), 1u), 32u);
}

// Lists the places of a vertex in the lanes that have one.
__device__ __forceinline__ void list(const Team& team, bool has, u32 vertex) {
    if (!__any_sync(everyone, has)) return;
    const uint2 pieces = has && team.batch.n_pieces != 0 ? team.pieces_of(vertex) : make_uint2(0, 0);
    const bool is_long = pieces.x != pieces.y;
    const u32 n = is_long ? pieces.y - pieces.x : has;
    const u32 scan = warp_scan(n);
    u32 first = 0;
    if (lane() == 31) first = atomicAdd(&team.control->count, scan);
    u32* to = team.places + __shfl_sync(everyone, first, 31) + scan - n;
    if (is_long) {
        for (u32 k = 0; k < n; ++k) __stcg(to + k, is_piece | (pieces.x + k));
    } else if (has) {
        __stcg(to, vertex);
    }
    __syncwarp();
}

// A place of a level, of the lane; none has no bits.
struct Place {
    u32 at;
    u32 vertex;
    u32 bits;
};

// Calls visit(lane's place in the list, whether there is one, how many the warp has) for the places
// from `begin` to `end`, some for each warp at a time.
template <typename Visit>
__device__ __forceinline__ void for_each_place(const Team& team, u32 begin, u32 end, Visit&& visit) {
    const u32 group = group_of(team, end - begin);
    for (u32 first = begin + team.warp() * group; first < end; first += team.n_warps() * group) {
        const u32 at = first + lane();
        visit(at, lane() < group && at < end, min(group, end - first));
    }
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

// Arcs side by side: the lane whose place has each, or `everyone` where there is none, and its
// position.
struct Arcs {
    u32 owners[at_once];
    u32 arcs[at_once];
};

// Adds up numbers for each of the `n` places of a warp, which come in the order of the lanes.
//
// Calls done(vertex, bits, sum, own) with the sum and, on the way back, the own number of each lane's
// source.
template <bool is_back, typename Done> struct Sums {
    const Team& team;
    Place place;
    u32 n;
    Done done;
    u32 current;
    f64 own;
    f64 sum;

    __device__ __forceinline__ void begin() {
        sum = 0;
        if (!to_arcs || !is_back || current == n) return;
        const u32 vertex = __shfl_sync(everyone, place.vertex, current);
        const u32 bits = __shfl_sync(everyone, place.bits, current);
        own = bits >> lane() & 1 ? load(team.numbers_of(vertex)) : 0;
    }

    __device__ __forceinline__ void end() {
        const u32 at = __shfl_sync(everyone, place.at, current);
        const u32 vertex = __shfl_sync(everyone, place.vertex, current);
        const u32 bits = __shfl_sync(everyone, place.bits, current);
        if (at & is_piece && bits != 0) {
            const uint2 pieces = team.pieces_of(vertex);
            sum = combine(team.partial, team.left + pieces.x, pieces, at & ~is_piece, team.batch.width, sum);
        }
        if (sum >= 0) done(vertex, bits, sum, own);
        ++current;
        begin();
    }

    __device__ __forceinline__ void end_all() {
        while (current != n) end();
    }

    // Adds these numbers, and on the way back their shares to the scores of arcs.
    __device__ __forceinline__ void add(const Arcs& arcs, const f64 (&numbers)[at_once]) {
        f64 shares[at_once] = {};
#pragma unroll
        for (u32 k = 0; k < at_once; ++k) {
            if (arcs.owners[k] == everyone) break;
            while (current != arcs.owners[k]) end();
            sum += numbers[k];
            shares[k] = own * team.share() * numbers[k];
        }
        if (to_arcs && is_back) add_to_arcs(arcs, shares);
    }

    // An arc is of one warp on each level.
    __device__ __forceinline__ void add_to_arcs(const Arcs& arcs, const f64 (&shares)[at_once]) {
        const f64 share = quarter_sums(shares);
        u32 owner = arcs.owners[0], arc = arcs.arcs[0];
#pragma unroll
        for (u32 k = 1; k < at_once; ++k) {
            if (lane() / 8 == k) owner = arcs.owners[k], arc = arcs.arcs[k];
        }
        if (lane() % 8 == 0 && owner != everyone) atomicAdd(team.scores + arc, share);
    }
};

template <bool is_back, typename Done>
__device__ __forceinline__ Sums<is_back, Done> sums_of(const Team& team, Place place, u32 n, Done done) {
    Sums<is_back, Done> sums{team, place, n, done, 0, 0, 0};
    sums.begin();
    return sums;
}

// Stores the number of paths to a vertex.
struct Store {
    const Team& team;

    __device__ __forceinline__ void operator()(u32 vertex, u32 bits, f64 sum, f64) const {
        if (!(bits >> lane() & 1)) return;
        if (!(sum <= max_paths)) __stcg(&team.control->aside, 1);
        __stcg(team.numbers_of(vertex), sum);
    }
};

// Stores what a vertex passes back, and adds the dependency on it to the scores of vertices.
struct StoreBack {
    const Team& team;

    __device__ __forceinline__ void operator()(u32 vertex, u32 bits, f64 sum, f64 own) const {
        f64 dependency = 0;
        if (bits >> lane() & 1) {
            if (!to_arcs) own = load(team.numbers_of(vertex));
            dependency = own * sum * team.share();
            __stcg(team.numbers_of(vertex), __ldg(team.batch.targets + vertex) * (1 / own) + sum);
        }
        if (to_arcs) return;
        dependency = warp_sum(dependency);
        // a vertex is of one warp on each level
        if (lane() == 0) atomicAdd(team.scores + vertex, dependency);
    }
};

// Lists the places after a level, and raises their marks.
__device__ __forceinline__ void list_next(const Team& team, u32 level, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    u32* next = marks_of(team, level + 1);
    for_each_place(team, begin, end, [&](u32 at, bool has_place, u32) {
        uint2 row = make_uint2(0, 0);
        u32 bits = 0;
        if (has_place) {
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
            list(team, is_first, head);
        });
    });
}

// Adds up the numbers of the neighbours that have common bits in `marks`.
template <typename Sums>
__device__ __forceinline__ void add_neighbours(const Team& team, const u32* ends, const u32* marks, uint2 row,
                                               Sums sums) {
    for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
        const u32 wanted = __shfl_sync(everyone, sums.place.bits, owner);
        const u32 end = has ? __ldg(ends + arc) : 0;
        const u32 common = has ? load(marks + end) & wanted : 0;
        u32 open = __ballot_sync(everyone, common != 0);
        while (open != 0) {
            Arcs arcs;
            f64 numbers[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                const u32 from = open != 0 ? __ffs(open) - 1 : 0;
                const u32 common_here = __shfl_sync(everyone, common, from);
                const u32 end_here = __shfl_sync(everyone, end, from);
                arcs.owners[k] = open != 0 ? __shfl_sync(everyone, owner, from) : everyone;
                if (to_arcs) arcs.arcs[k] = __shfl_sync(everyone, arc, from);
                numbers[k] = open != 0 && (common_here >> lane() & 1) ? load(team.numbers_of(end_here)) : 0;
                open &= open - 1;
            }
            sums.add(arcs, numbers);
        }
    });
    sums.end_all();
}

// Counts the paths to the places of a level.
__device__ __forceinline__ void count_paths(const Team& team, u32 level, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    const u32* marks = marks_of(team, level);
    for_each_place(team, begin, end, [&](u32 at, bool has_place, u32 n) {
        uint2 row = make_uint2(0, 0);
        Place place{0, 0, 0};
        if (has_place) {
            place.at = load(team.places + at);
            place.vertex = team.vertex_of(place.at);
            place.bits = load(marks + place.vertex);
            row = team.row_of(batch.in_offsets, place.at, place.vertex);
            __stcg(team.bits + at, place.bits);
            __stcg(team.found + place.vertex, load(team.found + place.vertex) | place.bits);
        }
        const auto sums = sums_of<false>(team, place, n, Store{team});
        add_neighbours(team, batch.in_ends, marks_of(team, level - 1), row, sums);
    });
}

// Finds the dependencies on the places of a level from those of the next.
__device__ __forceinline__ void add_dependencies(const Team& team, u32 level, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    u32* marks = marks_of(team, level);
    for_each_place(team, begin, end, [&](u32 at, bool has_place, u32 n) {
        uint2 row = make_uint2(0, 0);
        Place place{0, 0, 0};
        if (has_place) {
            place.at = load(team.places + at);
            place.vertex = team.vertex_of(place.at);
            place.bits = load(team.bits + at);
            row = team.row_of(batch.out_offsets, place.at, place.vertex);
            __stcg(marks + place.vertex, place.bits);
        }
        const auto sums = sums_of<true>(team, place, n, StoreBack{team});
        add_neighbours(team, batch.out_ends, marks_of(team, level + 1), row, sums);
    });
}

__device__ __forceinline__ void clear(const Team& team) {
    const u64 n = team.batch.n_vertices;
    for (u64 at = team.first_thread; at < n; at += team.n_threads) __stcg(team.found + at, 0);
    for (u64 at = team.first_thread; at < team.batch.n_scores; at += team.n_threads) __stcg(team.scores + at, 0);
    for (u64 at = team.first_thread; at < 3 * n; at += team.n_threads) __stcg(team.marks + at, 0);
    for (u64 at = team.first_thread; at < team.batch.n_pieces; at += team.n_threads) __stcg(team.left + at, 0);
}

// The level of the sources.
__device__ __forceinline__ void start(const Team& team) {
    if (team.warp() != 0) return;
    const bool has = lane() < team.n_sources;
    const u32 source = has ? __ldg(team.sources + lane()) : 0;
    list(team, has, source);
    if (has) {
        const u32 bit = 1u << lane();
        __stcg(team.found + source, bit);
        __stcg(marks_of(team, 0) + source, bit);
        __stcg(team.numbers_of(source), 1.0);
    }
    __threadfence();
    const u32 n_places = __shfl_sync(everyone, load(&team.control->count), 0);
    __syncwarp();
    for (u32 at = lane(); at < n_places; at += 32) {
        const u32 vertex = team.vertex_of(load(team.places + at));
        __stcg(team.bits + at, load(marks_of(team, 0) + vertex));
    }
    if (lane() == 0) __stcg(team.ends, n_places);
}

// Clears the marks of these places of a level.
__device__ __forceinline__ void clear_marks(const Team& team, u32* marks, u32 begin, u32 end) {
    for (u32 at = begin + team.first_thread; at < end; at += team.n_threads) {
        __stcg(marks + team.vertex_of(load(team.places + at)), 0);
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(path_counts)(const PathBatches batch) {
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
        clear_marks(team, marks_of(team, level + 1), before, begin);
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
    // paths begin with arcs out of the sources, but the sources are not inside
    constexpr u32 first = to_arcs ? 0 : 1;
    for (u32 left = level + 1; left > first; --left) {
        level = left - 1;
        add_dependencies(team, level, level == 0 ? 0 : load(team.ends + level - 1), load(team.ends + level));
        if (team.is_first() && watch.calls(level)) watch.call(level);
        team.wait();
        if (watch.calls(level) && watch.ends()) return;
    }
}

extern "C" __global__ void ENTRY(add_scores)(f64* sums, const f64* scores, u32 n_scores, u32 first, u32 end) {
    add_scores_of_teams(sums, scores, n_scores, first, end);
}
