// Breadth-first search: levels of vertices, by how many arcs they are from the source.
//
// One launch. A level is pushed along the arcs of the listed vertices of the level before
// (breadth_first/push.cuh). If every arc has its reverse, a level may be pulled instead: each
// unseen vertex looks for a seen neighbour (breadth_first/pull.cuh). In a skewed graph a few levels
// hold nearly all vertices, and pulling these reads a small part of the arcs. The device chooses by
// counts of what it found. Rows are listed, not vertices: the thread that finds a vertex reads
// where its row is and prefetches the arcs, while other threads still search.
//
// A level costs a barrier of the blocks. So as long as levels are narrow a team of few blocks
// searches (breadth_first/narrow.cuh), and the others sleep.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor, all resident. Reads the
// graph; writes levels, bits, the list and `control`.
//
// Races: one atomic sets the bit of a vertex, and its thread writes level and entry; the level is
// the same for any thread. Pulls read words that no thread writes, and write others, a warp each.
// Counts of vertices found are cleared two levels after their use: all threads that read them have
// passed a barrier since.
//
// Termination: a level that finds nothing is the last; each vertex is found once.

#include "breadth_first/narrow.cuh"
#include "breadth_first/pull.cuh"

// The state before the first level, by all threads; the frontier then.
__device__ __forceinline__ Frontier start(const Search& search) {
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x, n_threads = gridDim.x * blockDim.x;
    const u32 source = search.source;
    for (u32 vertex = thread; vertex < search.n_vertices; vertex += n_threads) {
        __stcg(search.levels + vertex, vertex == source ? 0 : unreached);
    }
    for (u32 word = thread; word < words_of(search.n_vertices); word += n_threads) {
        const u32 bits = search.may_pull ? __ldg(search.without_arcs + word) : 0;
        __stcg(search.seen[0] + word, word == source / 32 ? bits | 1u << source % 32 : bits);
    }
    const uint2 row = row_of(search, source);
    const u32 arcs = row.y - row.x, parts = (arcs + part_length - 1) / part_length;
    for (u32 part = thread; part < parts; part += n_threads) {
        const u32 begin = row.x + part * part_length;
        __stcg(search.list + part, make_uint2(begin, min(row.y, begin + part_length)));
    }
    return Frontier{0, 0, parts, arcs, false, search.seen[0], search.seen[1]};
}

// Whether the search ends with this level.
__device__ __forceinline__ bool is_over(const Search& search, const Frontier& frontier, const Watch& watch) {
    if (frontier.count == 0 || frontier.level >= search.limit) return true;
    if (watch.calls(frontier.level) && watch.ends()) return true;
    // a level that is being found is greater
    return search.target != no_vertex && load(search.levels + search.target) <= frontier.level;
}

// Whether the next level is to be pulled, after one that was or was not.
__device__ __forceinline__ bool pulls(const Search& search, const Frontier& frontier, bool was_pulled) {
    if (!search.may_pull) return false;
    return was_pulled ? frontier.count >= search.n_vertices / vertices_to_push
                      : frontier.arcs > search.n_arcs / arcs_to_pull;
}

// Waits until one of the team is at the barrier, which then all go to.
__device__ __forceinline__ void doze(const GridBarrier& barrier) {
    const volatile u32* arrived = barrier.arrived;
    if (threadIdx.x == 0) {
        while (*arrived == barrier.expected) __nanosleep(100);
    }
}

// Narrow levels, by the team, until one is not, or the search is over; all learn of it.
__device__ __forceinline__ void search_by_team(const Search& search, Frontier& frontier, GridBarrier& barrier,
                                               GridBarrier& team, const Watch& watch, LocalLists& lists,
                                               u64& looked) {
    Control& control = *search.control;
    if (blockIdx.x < team.n_blocks) {
        do {
            search_narrow(search, frontier, team, watch, lists, looked);
        } while (!is_over(search, frontier, watch) && frontier.count <= team_vertices * team.n_blocks);
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            __stcg(&control.level, frontier.level);
            __stcg(&control.begin, frontier.begin);
            __stcg(&control.count, frontier.count);
            __stcg(&control.frontier_arcs, frontier.arcs);
        }
    } else {
        doze(barrier);
    }
    barrier.wait();
    frontier.level = load(&control.level);
    frontier.begin = load(&control.begin);
    frontier.count = load(&control.count);
    frontier.arcs = load(&control.frontier_arcs);
}

extern "C" __global__ void __launch_bounds__(512, 2) breadth_first(const Search search) {
    __shared__ LocalLists lists;
    Control& control = *search.control;
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    const Watch watch{search.host, &control.stopped};
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    GridBarrier team{&control.team_arrived, min(team_blocks, gridDim.x), 0};
    Frontier frontier = start(search);
    u64 looked = 0;
    u32 n_pulls = 0;
    barrier.wait();
    while (!is_over(search, frontier, watch)) {
        if (!frontier.pulled && search.has_short_rows && frontier.count <= team_vertices * team.n_blocks) {
            search_by_team(search, frontier, barrier, team, watch, lists, looked);
            continue;
        }
        const u32 level = frontier.level + 1;
        const bool pulled = pulls(search, frontier, frontier.pulled);
        if (is_first) prepare_next(&control, level, watch);
        if (pulled) {
            if (is_first) __stcg(&control.listed, 0);
            pull(search, frontier, looked);
            ++n_pulls;
        } else {
            push(search, frontier, looked);
            frontier.begin += frontier.count;
        }
        barrier.wait();
        frontier.level = level;
        frontier.count = load(control.found + level % 3);
        frontier.arcs = search.may_pull && !pulled ? load(control.arcs + level % 3) : 0;
        frontier.pulled = pulled && pulls(search, frontier, true);
        if (!pulled) continue;
        if (!frontier.pulled) {
            list_pulled(search, frontier);
            barrier.wait();
            frontier.begin = 0;
            frontier.count = load(&control.listed);
        }
        u32* seen = frontier.seen;
        frontier.seen = frontier.seen_next;
        frontier.seen_next = seen;
    }
    const u64 sum = warp_sum(looked);
    if (lane() == 0) atomicAdd(&control.looked, sum);
    if (is_first) {
        control.levels = frontier.level;
        control.pulls = n_pulls;
    }
}
