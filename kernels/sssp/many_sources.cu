// Searches from many sources by delta-stepping, several at once: one launch.
//
// One search seldom fills a GPU: it waits for memory, and at barriers for its slowest block. So the
// blocks form teams, each with a work space of its own. A team takes the next source that no team
// has taken, searches (delta_stepping/team.cuh), writes the keys of the targets to the table, and
// takes another source.
//
// Launch: cooperative, 512 threads a block, a block a multiprocessor. Reads the graph;
// writes work spaces, the table, and sums of what was done.
//
// Races: teams share nothing that they write but `next`, which an atomic moves, and sums. Inside a
// team the order is: the first thread clears `control` and draws a source, barrier, search,
// barrier, all threads copy keys to the table. The next clearing leaves `arrived` as it is, and no
// block reads anything else before the next barrier.
//
// Termination: as that of the searches; `next` only grows. The host may end the launch, which each
// team notices by itself; then the table is not valid.

#include "delta_stepping/team.cuh"

// What the launch is given. The host has the same structure.
struct Batch {
    // the search of the first team; the others' work spaces lie beyond its own
    Search search;
    const u32* sources;
    // n_sources rows of search.n_targets keys
    Key* table;
    // sources taken; zero before
    u32* next;
    // relaxations, improvements, settled vertices and steps of all, and how many searches have to
    // be done again; zero before
    u64* work;
    u32 n_sources;
    u32 team_blocks;
};

// Moves a search to the work space of another team.
__device__ __forceinline__ void move_to(Search& search, u32 team) {
    search.keys += static_cast<u64>(team) * search.n_vertices;
    for (u32 i = 0; i < 2; i++) {
        search.near[i] += static_cast<u64>(team) * search.capacity;
        search.far[i] += static_cast<u64>(team) * search.capacity;
        search.pieces[i] += static_cast<u64>(team) * search.piece_capacity;
    }
    search.visited += static_cast<u64>(team) * search.capacity;
    search.control += team;
}

// Zeros all but `arrived`, which stands first: other blocks may be counting there already.
__device__ __forceinline__ void wipe(Control* control) {
    u32* words = reinterpret_cast<u32*>(control);
    for (u32 i = 1; i < sizeof(Control) / sizeof(u32); i++) __stcg(words + i, 0);
}

extern "C" __global__ void __launch_bounds__(warps_a_block * 32, 1) ENTRY(many_sources)(const Batch batch) {
    __shared__ BlockMemory memory;
    __shared__ Search search;
    const u32 team = blockIdx.x / batch.team_blocks;
    const u32 block = blockIdx.x % batch.team_blocks;
    const bool first_thread = block == 0 && threadIdx.x == 0;
    if (threadIdx.x == 0) {
        search = batch.search;
        move_to(search, team);
    }
    __syncthreads();
    Control& control = *search.control;
    GridBarrier barrier{&control.arrived, batch.team_blocks, 0};
    while (true) {
        if (first_thread) {
            wipe(&control);
            control.turn = atomicAdd(batch.next, 1);
        }
        barrier.wait();
        const u32 turn = load(&control.turn);
        if (turn >= batch.n_sources) return;
        if (threadIdx.x == 0) search.source = batch.sources[turn];
        __syncthreads();
        search_in_team(search, block, barrier, memory);
        barrier.wait();
        // the host has ended all of it
        if (load(&control.stopped) != 0) return;
        if (first_thread) {
            atomicAdd(batch.work + 0, load(&control.relaxations));
            atomicAdd(batch.work + 1, load(&control.improvements));
            atomicAdd(batch.work + 2, load(&control.settled));
            atomicAdd(batch.work + 3, load(&control.steps));
            atomicAdd(batch.work + 4, load(&control.trouble));
        }
        Key* row = batch.table + static_cast<u64>(turn) * search.n_targets;
        for (u32 at = block * blockDim.x + threadIdx.x; at < search.n_targets;
             at += batch.team_blocks * blockDim.x) {
            row[at] = load(search.keys + search.targets[at]);
        }
    }
}
