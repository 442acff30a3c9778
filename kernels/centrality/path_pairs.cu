// Betweenness in weights: the dependencies of up to 32 sources at once, by pairs of a vertex and a
// source.
//
// A team of blocks has a batch of sources, and teams do not meet. A thread has a pair at a time: a
// vertex, or one of the pieces of a vertex with many arcs, and a source. In weights, few sources of a
// batch have a vertex on the same level, and a warp for each vertex would be idle for the others: with
// warps, New York took three times as long. What pairs have lies by vertex and source, so that those
// of a vertex read side by side.
//
// The lengths of all shortest paths are given. An arc is on a shortest path where its
// weight is the difference of the lengths at its ends. A dense pass counts these arcs into each
// vertex. A pair is listed on the next level when all of them have been followed, and adds up the
// numbers of paths at their tails in the order of its row. From a single one it gets the number at
// once.
//
// Back, level by level, each pair adds up what the heads of such arcs pass on: what targets they
// stand for and their dependencies, divided by their numbers of paths. A dense pass then adds up the
// dependencies of all sources, or their terms for arcs, in the order of lanes. So no sum depends on a
// race, and there are no atomics on floats. The pieces of a vertex leave their sums, and the last to
// arrive adds them up in their order.
//
// Traffic of a batch: for each pair, both ways, its arcs, a length at each of their heads, and two or
// three numbers. Each takes a sector of 32 bytes where pairs of a vertex are on different levels. New
// York cut down has 214,000 vertices and 633,000 arcs, 6.8 M pairs: 2.4 GB, 0.7 ms at the speed of the
// memory. An H100 took 4.9 ms, with 169 batches at once.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor at most, all resident;
// `team_blocks` blocks for each batch. Reads the graph and lengths; writes what is of its team.
//
// Races: an atomic decides which thread lists a pair. A pair with a single arc into it on a shortest
// path gets its number from the thread of that arc. Otherwise a thread writes what is of its pair, and
// others read it after a barrier.
//
// Termination: a pair is listed once; a level without one is the last. The way back has as many
// levels.

#define PAIRS
#include "path_counts/team.cuh"

#if defined(LENGTHS_U32)
#define ENTRY(name) name##_u32
#elif defined(LENGTHS_U64)
#define ENTRY(name) name##_u64
#elif defined(LENGTHS_F32)
#define ENTRY(name) name##_f32
#elif defined(LENGTHS_F64)
#define ENTRY(name) name##_f64
#else
#error "define one of LENGTHS_U32, LENGTHS_U64, LENGTHS_F32, LENGTHS_F64"
#endif

#if defined(LENGTHS_F32) || defined(LENGTHS_F64)
constexpr Key unreached = static_cast<Key>(__builtin_huge_val());
#else
constexpr Key unreached = ~Key(0);
#endif

// What `open` counts, where several arcs into a pair are to be followed: these and a base. A single
// one is one.
constexpr u32 several = 2;

// Whether a shortest path ends with an arc. An integer that wraps is below `before`.
__device__ __forceinline__ bool is_on_path(Key before, Key weight, Key after, f64 tolerance) {
    const Key sum = before + weight;
    if (sum < before || sum == unreached || after == unreached) return false;
    if (sum == after) return true;
    const f64 longest = static_cast<f64>(after) * (1 + tolerance);
    return tolerance > 0 && before < after && static_cast<f64>(sum) <= longest;
}

__device__ __forceinline__ Key length_at(const Team& team, u64 place) {
    return __ldg(team.lengths + place);
}

// A vertex or a piece of it, and a source.
struct Pair {
    u32 at;
    u32 vertex;
    u32 source;

    // Where a vertex has what is of this source.
    __device__ __forceinline__ u64 place(const Team& team, u32 of) const {
        return static_cast<u64>(of) * team.batch.width + source;
    }
};

__device__ __forceinline__ Pair pair_of(const Team& team, u32 place) {
    const u32 at = load(team.places + place);
    return Pair{at, team.vertex_of(at), load(team.bits + place)};
}

// Lists the pairs of a vertex and a source in the lanes that have one.
__device__ __forceinline__ void list(const Team& team, bool has, u32 vertex, u32 source) {
    if (!__any_sync(everyone, has)) return;
    const uint2 pieces = has && team.batch.n_pieces != 0 ? team.pieces_of(vertex) : make_uint2(0, 0);
    const bool is_long = pieces.x != pieces.y;
    const u32 n = is_long ? pieces.y - pieces.x : has;
    const u32 scan = warp_scan(n);
    u32 first = 0;
    if (lane() == 31) first = atomicAdd(&team.control->count, scan);
    first = __shfl_sync(everyone, first, 31) + scan - n;
    for (u32 k = 0; k < n; ++k) {
        __stcg(team.places + first + k, is_long ? is_piece | (pieces.x + k) : vertex);
        __stcg(team.bits + first + k, source);
    }
    __syncwarp();
}

// The arcs of a row, some at a time: visit(ends, weights, n) has those of the first n.
template <typename Visit>
__device__ __forceinline__ void for_some_arcs(const u32* ends, const Key* weights, uint2 row, Visit&& visit) {
    for (u32 arc = row.x; arc < row.y; arc += at_once) {
        u32 heads[at_once];
        Key along[at_once];
#pragma unroll
        for (u32 k = 0; k < at_once; ++k) {
            const u32 here = min(arc + k, row.y - 1);
            heads[k] = __ldg(ends + here);
            along[k] = __ldg(weights + here);
        }
        visit(heads, along, min(at_once, row.y - arc));
    }
}

// What a pair adds up over its arcs on shortest paths, out of it or into it: the numbers at their
// other ends, in the order of its row.
template <bool is_out> __device__ __forceinline__ f64 sum_of(const Team& team, Pair pair, Key own) {
    const PathBatches& batch = team.batch;
    const uint2 row = team.row_of(is_out ? batch.out_offsets : batch.in_offsets, pair.at, pair.vertex);
    f64 sum = 0;
    for_some_arcs(is_out ? batch.out_ends : batch.in_ends, is_out ? batch.out_weights : batch.in_weights, row,
                  [&](const u32 (&ends)[at_once], const Key (&weights)[at_once], u32 n) {
                      Key lengths[at_once];
                      f64 numbers[at_once];
#pragma unroll
                      for (u32 k = 0; k < at_once; ++k) {
                          lengths[k] = k < n ? length_at(team, pair.place(team, ends[k])) : unreached;
                      }
#pragma unroll
                      for (u32 k = 0; k < at_once; ++k) {
                          const Key before = is_out ? own : lengths[k], after = is_out ? lengths[k] : own;
                          const bool adds = k < n && ends[k] != pair.vertex &&
                                            is_on_path(before, weights[k], after, batch.tolerance);
                          numbers[k] = adds ? load(team.numbers + pair.place(team, ends[k])) : 0;
                      }
#pragma unroll
                      for (u32 k = 0; k < at_once; ++k) sum += numbers[k];
                  });
    return sum;
}

// Leaves the sum of a piece, of which a source has one every `width` numbers. For the last of a vertex's
// pieces to come, returns the sum of all in their order, and for the others a negative number.
__device__ __noinline__ f64 combine_pieces(f64* partial, u32* left, u32 width, uint2 pieces, u32 piece, f64 sum) {
    __stcg(partial + static_cast<u64>(piece) * width, sum);
    __threadfence();
    if (atomicAdd(left, 1) + 1 != pieces.y - pieces.x) return -1;
    __stcg(left, 0);
    __threadfence();
    sum = 0;
    for (u32 at = pieces.x; at < pieces.y; ++at) sum += load(partial + static_cast<u64>(at) * width);
    return sum;
}

__device__ __forceinline__ f64 combine(const Team& team, Pair pair, f64 sum) {
    const uint2 pieces = team.pieces_of(pair.vertex);
    return combine_pieces(team.partial + pair.source, team.left + pair.place(team, pieces.x), team.batch.width, pieces,
                          pair.at & ~is_piece, sum);
}

__device__ __forceinline__ void clear(const Team& team) {
    const u64 n = static_cast<u64>(team.batch.n_pieces) * team.batch.width;
    for (u64 at = team.first_thread; at < n; at += team.n_threads) __stcg(team.left + at, 0);
    for (u32 piece = team.warp(); piece < team.batch.n_pieces; piece += team.n_warps()) {
        const u64 vertex = __ldg(team.batch.piece_vertices + piece);
        if (lane() < team.batch.width) __stcg(team.open + vertex * team.batch.width + lane(), several);
    }
}

// Goes through all vertices and pieces, a warp each: visit(place, vertex), of a vertex with pieces only
// these.
template <typename Visit> __device__ __forceinline__ void for_each_row(const Team& team, Visit&& visit) {
    const u32 n_vertices = team.batch.n_vertices;
    for (u32 at = team.warp(); at < n_vertices + team.batch.n_pieces; at += team.n_warps()) {
        const u32 place = at < n_vertices ? at : is_piece | (at - n_vertices);
        const u32 vertex = team.vertex_of(place);
        const uint2 pieces = team.pieces_of(vertex);
        if (place & is_piece || pieces.x == pieces.y) visit(place, vertex);
    }
}

// Counts the arcs on shortest paths into each pair.
__device__ __forceinline__ void count_arcs(const Team& team) {
    const PathBatches& batch = team.batch;
    const bool has = lane() < team.n_sources;
    for_each_row(team, [&](u32 place, u32 vertex) {
        const Pair pair{place, vertex, has ? lane() : 0};
        const u64 at = pair.place(team, vertex);
        const Key own = length_at(team, at);
        u32 count = 0;
        for_some_arcs(batch.in_ends, batch.in_weights, team.row_of(batch.in_offsets, place, vertex),
                      [&](const u32 (&ends)[at_once], const Key (&weights)[at_once], u32 n) {
                          Key lengths[at_once];
#pragma unroll
                          for (u32 k = 0; k < at_once; ++k) lengths[k] = length_at(team, pair.place(team, ends[k]));
#pragma unroll
                          for (u32 k = 0; k < at_once; ++k) {
                              const bool counts = has && k < n && ends[k] != vertex &&
                                                  is_on_path(lengths[k], weights[k], own, batch.tolerance);
                              count += counts;
                              // no order of levels follows such an arc
                              if (counts && lengths[k] == own) __stcg(&team.control->aside, 1);
                          }
                      });
        if (!has) return;
        if (place & is_piece) {
            if (count != 0) atomicAdd(team.open + at, count);
        } else {
            __stcg(team.open + at, count > 1 ? several + count : count);
        }
    });
}

// The pairs of the sources with themselves.
__device__ __forceinline__ void start(const Team& team) {
    if (team.warp() != 0) return;
    const bool has = lane() < team.n_sources;
    const u32 source = has ? __ldg(team.sources + lane()) : 0;
    list(team, has, source, lane());
    if (has) {
        const u64 at = Pair{source, source, lane()}.place(team, source);
        __stcg(team.numbers + at, 1.0);
    }
    __threadfence();
    __syncwarp();
    if (lane() == 0) __stcg(team.ends, load(&team.control->count));
}

// Lists the pairs after a level: those all of whose arcs on shortest paths have now been followed.
__device__ __forceinline__ void list_next(const Team& team, u32 begin, u32 end) {
    const PathBatches& batch = team.batch;
    for (u32 first = begin + team.warp() * 32; first < end; first += team.n_warps() * 32) {
        const bool has = first + lane() < end;
        const Pair pair = has ? pair_of(team, first + lane()) : Pair{0, 0, 0};
        const uint2 row = has ? team.row_of(batch.out_offsets, pair.at, pair.vertex) : make_uint2(0, 0);
        const Key own = has ? length_at(team, pair.place(team, pair.vertex)) : Key(0);
        const f64 paths = has ? load(team.numbers + pair.place(team, pair.vertex)) : 0;
        // all lanes go on together, for they list together
        for (u32 arc = row.x; __any_sync(everyone, arc < row.y); arc += at_once) {
            u32 heads[at_once];
            bool follows[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) heads[k] = arc + k < row.y ? __ldg(batch.out_ends + arc + k) : pair.vertex;
            Key lengths[at_once], weights[at_once];
            u32 open[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                const bool is_other = heads[k] != pair.vertex;
                weights[k] = is_other ? __ldg(batch.out_weights + arc + k) : Key(0);
                lengths[k] = is_other ? length_at(team, pair.place(team, heads[k])) : unreached;
            }
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                follows[k] = is_on_path(own, weights[k], lengths[k], batch.tolerance);
                open[k] = follows[k] ? load(team.open + pair.place(team, heads[k])) : 0;
            }
#pragma unroll
            for (u32 k = 0; k < at_once; ++k) {
                bool is_next = false;
                if (follows[k]) {
                    const u64 at = pair.place(team, heads[k]);
                    is_next = open[k] == 1 || atomicSub(team.open + at, 1) == several + 1;
                    if (open[k] == 1) __stcg(team.numbers + at, paths);
                }
                list(team, is_next, heads[k], pair.source);
            }
        }
    }
}

// Counts the paths to the pairs of a level that have several arcs before them.
__device__ __forceinline__ void count_paths(const Team& team, u32 begin, u32 end) {
    for (u32 at = begin + team.first_thread; at < end; at += team.n_threads) {
        const Pair pair = pair_of(team, at);
        const u64 place = pair.place(team, pair.vertex);
        if (load(team.open + place) == 1) continue;
        f64 sum = sum_of<false>(team, pair, length_at(team, place));
        if (pair.at & is_piece) sum = combine(team, pair, sum);
        if (sum < 0) continue;
        if (!(sum <= max_paths)) __stcg(&team.control->aside, 1);
        __stcg(team.numbers + place, sum);
    }
}

// Finds the dependencies of the pairs of a level, and what these pass back.
__device__ __forceinline__ void add_dependencies(const Team& team, u32 begin, u32 end) {
    for (u32 at = begin + team.first_thread; at < end; at += team.n_threads) {
        const Pair pair = pair_of(team, at);
        const u64 place = pair.place(team, pair.vertex);
        f64 sum = sum_of<true>(team, pair, length_at(team, place));
        if (pair.at & is_piece) sum = combine(team, pair, sum);
        if (sum < 0) continue;
        const f64 paths = load(team.numbers + place);
        __stcg(team.dependencies + place, paths * sum);
        __stcg(team.numbers + place, __ldg(team.batch.targets + pair.vertex) * (1 / paths) + sum);
    }
}

// Adds up the dependencies of all sources on each vertex but themselves.
__device__ __forceinline__ void add_to_vertices(const Team& team, f64 share) {
    const u32 source = lane() < team.n_sources ? __ldg(team.sources + lane()) : everyone;
    for (u32 vertex = team.warp(); vertex < team.batch.n_vertices; vertex += team.n_warps()) {
        f64 score = 0;
        if (source != everyone && source != vertex) {
            const u64 at = Pair{vertex, vertex, lane()}.place(team, vertex);
            if (length_at(team, at) != unreached) score = share * load(team.dependencies + at);
        }
        score = warp_sum(score);
        if (lane() == 0) __stcg(team.scores + vertex, score);
    }
}

// Adds up their terms for each arc. The number of paths to a vertex is what it stands for and its
// dependency, divided by what it passes back.
__device__ __forceinline__ void add_to_arcs(const Team& team, f64 share) {
    const PathBatches& batch = team.batch;
    const bool has = lane() < team.n_sources;
    for_each_row(team, [&](u32 place, u32 vertex) {
        const Pair pair{place, vertex, has ? lane() : 0};
        const u64 at = pair.place(team, vertex);
        const Key own = has ? length_at(team, at) : unreached;
        f64 paths = 0;
        if (own != unreached) {
            paths = (__ldg(batch.targets + vertex) + load(team.dependencies + at)) / load(team.numbers + at);
        }
        const uint2 row = team.row_of(batch.out_offsets, place, vertex);
        u32 arc = row.x;
        for_some_arcs(batch.out_ends, batch.out_weights, row,
                      [&](const u32 (&ends)[at_once], const Key (&weights)[at_once], u32 n) {
                          f64 terms[at_once];
#pragma unroll
                          for (u32 k = 0; k < at_once; ++k) {
                              const u64 head = pair.place(team, ends[k]);
                              const bool adds = own != unreached && k < n && ends[k] != vertex &&
                                                is_on_path(own, weights[k], length_at(team, head), batch.tolerance);
                              terms[k] = adds ? share * paths * load(team.numbers + head) : 0;
                          }
                          const f64 term = quarter_sums(terms);
                          if (lane() % 8 == 0 && lane() / 8 < n) __stcg(team.scores + arc + lane() / 8, term);
                          arc += at_once;
                      });
    });
}

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(path_pairs)(const PathBatches batch) {
    Team team(batch);
    const Watch watch{batch.host, &team.control->stopped};
    clear(team);
    team.wait();
    count_arcs(team);
    start(team);
    team.wait();
    u32 level = 0, begin = 0, end = load(team.ends);
    while (true) {
        list_next(team, begin, end);
        team.wait();
        const u32 next_end = load(&team.control->count);
        if (next_end == end) break;
        ++level;
        count_paths(team, end, next_end);
        if (team.is_first()) {
            __stcg(team.ends + level, next_end);
            if (watch.calls(level)) watch.call(level);
        }
        team.wait();
        if (watch.calls(level) && watch.ends()) return;
        begin = end;
        end = next_end;
    }
    for (u32 left = level + 1; left > 0; --left) {
        level = left - 1;
        add_dependencies(team, level == 0 ? 0 : load(team.ends + level - 1), load(team.ends + level));
        if (team.is_first() && watch.calls(level)) watch.call(level);
        team.wait();
        if (watch.calls(level) && watch.ends()) return;
    }
    const f64 share =
        lane() < team.n_sources ? __ldg(batch.shares + (team.sources - batch.sources) + lane()) : 0;
    if (batch.to_arcs) {
        add_to_arcs(team, share);
    } else {
        add_to_vertices(team, share);
    }
}

extern "C" __global__ void ENTRY(add_scores)(f64* sums, const f64* scores, u32 n_scores, u32 first, u32 end) {
    add_scores_of_teams(sums, scores, n_scores, first, end);
}

// Writes rows of lengths, one for each source from the first on, to where the teams have them: by
// team, vertex and source. A warp a vertex of a team.
extern "C" __global__ void ENTRY(place_lengths)(Key* lengths, const Key* rows, u32 n_vertices, u32 width, u32 first,
                                               u32 n_rows) {
    const u64 n_warps = gridDim.x * static_cast<u64>(blockDim.x) / 32;
    const u64 warp = (blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x) / 32;
    const u32 first_team = first / width, n_teams = (first + n_rows - 1) / width - first_team + 1;
    for (u64 at = warp; at < static_cast<u64>(n_teams) * n_vertices; at += n_warps) {
        const u64 team = first_team + at / n_vertices, vertex = at % n_vertices;
        const u64 source = team * width + lane();
        if (lane() >= width || source < first || source >= first + n_rows) continue;
        lengths[(team * n_vertices + vertex) * width + lane()] = rows[(source - first) * n_vertices + vertex];
    }
}
