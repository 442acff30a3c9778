// Narrow levels: a team of blocks with lists of their own, in shared memory.
//
// A level of a grid or of a road network has some hundreds of vertices, and takes as long as one
// chain of reads and one barrier of blocks. So a block continues from the vertices that it has
// found itself. While it waits for the other blocks it fetches the rows of its vertices and the
// ends of their first arcs. What is left is an atomic that tells whether a vertex is new, and the
// barrier. When one block or all together have too many vertices, all are put into the common list,
// from which each block takes an equal share.
//
// For graphs without long rows: four lanes read each row.
//
// Races: blocks share the bits, which atomics set, and the counters of a level, which are zero
// before it. No block arrives at the barrier of a level before its atomics have returned. An atomic
// that has returned has taken its place in the order of all atomics on that word. So the barrier
// needs no fence. Counters are set to zero in the level before. A thread of the last warp does
// this, because that warp has less to find than the first, and waits for the stores before its
// block arrives.
#pragma once

#include "push.cuh"

constexpr u32 team_blocks = 64;
// Vertices of a level, for each block of the team, up to which it searches; with twice as many
// it stops.
constexpr u32 team_vertices = 128;
// Vertices of a block's list.
constexpr u32 local_capacity = 1024;
// So far ahead rows are fetched: four cache lines.
constexpr u32 lookahead = 128;
// In the tally, beside the blocks that have arrived, and in the upper half the vertices found:
// a block that needs its list shared, or that has found the target.
constexpr u64 wish = 1 << 16;

struct LocalLists {
    // found in this level
    u32 vertices[local_capacity];
    // of the level before: the ends of the first four arcs, and the other arcs
    u32 ends[4 * local_capacity];
    uint2 rests[local_capacity];
    // vertices found, in this level and in the next
    u32 counts[2];
    u32 has_target;
    u64 tally;
};

// Four lanes fetch the ends of a row.
__device__ __forceinline__ void fetch(const Search& search, LocalLists& lists, u32 entry, uint2 row) {
    const u32 arc = row.x + lane() % 4;
    lists.ends[4 * entry + lane() % 4] = arc < row.y ? __ldg(search.ends + arc) : no_vertex;
    if (lane() % 4 == 0) lists.rests[entry] = make_uint2(min(row.x + 4, row.y), row.y);
    // where near vertices have near numbers, a later level reads what lies behind
    if (lane() % 4 == 1) prefetch(search.ends + row.y + lookahead);
}

// Keeps the lanes' vertices that were not seen; those that there is no room for in the common list.
__device__ __forceinline__ void find(const Search& search, const Frontier& frontier, LocalLists& lists, u32* n_found,
                                     u32 vertex) {
    const u32 level = frontier.level + 1;
    bool is_new = false;
    if (vertex != no_vertex) {
        const u32 bit = 1u << vertex % 32;
        is_new = (atomicOr(frontier.seen + vertex / 32, bit) & bit) == 0;
    }
    const u32 having = __ballot_sync(everyone, is_new);
    if (having == 0) return;
    if (is_new) __stcg(search.levels + vertex, level);
    if (is_new && vertex == search.target) lists.has_target = 1;
    u32 first = 0;
    if (lane() == 0) first = atomicAdd(n_found, __popc(having));
    first = __shfl_sync(everyone, first, 0);
    const u32 at = first + __popc(having & lower_lanes());
    if (is_new && at < local_capacity) lists.vertices[at] = vertex;
    if (first + __popc(having) > local_capacity) {
        const bool is_left = is_new && at >= local_capacity;
        const uint2 row = is_left ? row_of(search, vertex) : make_uint2(0, 0);
        list_rows(search.list + frontier.begin, search.control->found + level % 3, row);
    }
}

// Tells the others of the team what this block has found; to be called by one thread.
__device__ __forceinline__ void tell(u64* tally, u64 mine) {
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(tally), "l"(mine + 1) : "memory");
}

// What all blocks of the team have found, once all have arrived.
__device__ __forceinline__ u64 hear(const u64* tally, u32 n_blocks) {
    u64 now;
    do {
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(tally) : "memory");
    } while ((now & 0xffff) < n_blocks);
    return now;
}

// Finds levels from the common list until it must be shared again, or the search is over;
// leaves the last one there.
__device__ __forceinline__ void search_narrow(const Search& search, Frontier& frontier, GridBarrier& team,
                                              const Watch& watch, LocalLists& lists, u64& looked) {
    Control& control = *search.control;
    const bool prepares = blockIdx.x == 0 && threadIdx.x == blockDim.x - 1;
    const u32 first_entry = threadIdx.x / 4, step = blockDim.x / 4;
    const u32 share = (frontier.count - 1) / team.n_blocks + 1;
    const u32 first = min(frontier.count, blockIdx.x * share);
    u32 n_own = min(share, frontier.count - first);
    for (u32 entry = first_entry; entry < n_own; entry += step) {
        fetch(search, lists, entry, load(search.list + frontier.begin + first + entry));
    }
    if (threadIdx.x == 0) lists.counts[0] = lists.has_target = 0;
    frontier.begin += frontier.count;
    bool goes_on = true;
    for (u32 turn = 0; goes_on; turn ^= 1) {
        const u32 level = frontier.level + 1;
        u32* n_found = lists.counts + turn;
        __syncthreads();
        if (prepares) prepare_next(&control, level, watch);
        for (u32 entry = first_entry; __any_sync(everyone, entry < n_own); entry += step) {
            const bool has = entry < n_own;
            const u32 end = has ? lists.ends[4 * entry + lane() % 4] : no_vertex;
            const uint2 rest = has ? lists.rests[entry] : make_uint2(0, 0);
            looked += end != no_vertex;
            find(search, frontier, lists, n_found, end);
            for (u32 arc = rest.x + lane() % 4; __any_sync(everyone, arc < rest.y); arc += 4) {
                const u32 other = arc < rest.y ? __ldg(search.ends + arc) : no_vertex;
                looked += other != no_vertex;
                find(search, frontier, lists, n_found, other);
            }
        }
        __syncthreads();
        const u32 n_new = *n_found;
        n_own = min(n_new, local_capacity);
        const bool wants = n_new > local_capacity || n_new > 2 * frontier.count / team.n_blocks + 64;
        u64* tally = control.tally + level % 3;
        if (threadIdx.x == 0) {
            lists.counts[turn ^ 1] = 0;
            tell(tally, static_cast<u64>(n_new) << 32 | (wants || lists.has_target ? wish : 0));
        }
        for (u32 entry = first_entry; entry < n_own; entry += step) {
            const u32 vertex = lists.vertices[entry];
            if (lane() % 4 == 2) prefetch(search.offsets + vertex + lookahead);
            fetch(search, lists, entry, row_of(search, vertex));
        }
        if (threadIdx.x == 0) lists.tally = hear(tally, team.n_blocks);
        __syncthreads();
        const u64 sum = lists.tally;
        frontier.level = level;
        frontier.count = static_cast<u32>(sum >> 32);
        goes_on = frontier.count != 0 && frontier.count <= 2 * team_vertices * team.n_blocks &&
                  static_cast<u32>(sum) < wish && level < search.limit && !watch.calls(level);
    }
    // what was found last, into the common list
    u64 arcs = 0;
    u32* count = control.found + frontier.level % 3;
    for (u32 entry = threadIdx.x / 32 * 32; entry < n_own; entry += blockDim.x) {
        const bool has = entry + lane() < n_own;
        const uint2 row = has ? row_of(search, lists.vertices[entry + lane()]) : make_uint2(0, 0);
        arcs += row.y - row.x;
        list_rows(search.list + frontier.begin, count, row);
    }
    count_arcs(search, frontier.level, arcs);
    team.wait();
    frontier.count = load(count);
    frontier.arcs = search.may_pull ? load(control.arcs + frontier.level % 3) : 0;
}
