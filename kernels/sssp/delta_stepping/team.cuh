// Delta-stepping by a team of blocks: single-source shortest paths, weights of at least zero,
// without communication with the host.
//
// The team goes through buckets of keys, `delta` wide, in step. A step relaxes the arcs of
// the near list, all vertices whose keys fell below the threshold; vertices that fell to
// it or beyond wait in the far list. When nothing is near, the threshold rises and the far
// list is split again. Three things are added to what Lonestar and ADDS do:
//
// * A warp relaxes by itself the arcs of vertices that it has just lowered, as long as they are
//   near and its budget lasts. On grids and roads a bucket of twenty hops then takes one or two
//   steps of the team.
// * Rows longer than a warp's share are cut to pieces that all warps take at the next step.
// * On dense undirected graphs a search defers long arcs. Arcs that lead beyond a settled bound are
//   left until all keys below it are final. Then they are pushed by the settled vertices or pulled
//   by the others, whichever have fewer arcs. Most arcs of an R-MAT graph are never read. See
//   long_arcs.cuh, and deferred.rs of the CPU, which has the reasons.
//
// Reads the graph (constant during the launch); writes keys, lists and control. Blocks have
// 512 threads, and those of a team are all resident.
//
// Races: keys are lowered by atomicMin alone (and by pull, see there), so they only fall, and each
// fall makes one entry by the thread that caused it. A thread that reads a key too high relaxes in
// vain or not at all; the fall it missed has its own entry. Entries that do not fit their list are
// replaced: the count shows it, and all vertices are scanned instead. A list is read at steps in
// which no thread writes it.
//
// Termination: each entry comes from a fall; keys are finitely many; the threshold rises
// at every split, which `beyond` makes sure of.
//
// After: Meyer and Sanders 2003 (buckets); Davidson, Baxter, Garland and Owens 2014 (near
// and far); Wang, Fussell and Lin 2021 (ADDS); Chakaravarthy et al. 2014 (push and pull).
#pragma once

#include "../../common/watch.cuh"
#include "long_arcs.cuh"

// An entry of a list, or, where entries were lost, of the vertex with that number, if its
// key lies in [low, high).
__device__ __forceinline__ Entry entry_at(const Search& search, const Entry* list, bool lost, u32 at, Key low,
                                          Key high, bool& has) {
    if (!has) return {};
    if (!lost) return load(list + at);
    const Key key = load(search.keys + at);
    has = low <= key && key < high;
    return entry_of(key, at);
}

// Entries a warp below which a bucket is thin, and above which it is thick.
constexpr u32 thin = 2, thick = 16;
// Pushes after which a search defers no more arcs: where distances spread evenly, none
// is ever followed by the pull that would pay for them.
constexpr u32 most_pushes = 8;

// How many of the next 32 targets, from `first` on, have keys below the threshold before one has
// not. Targets are read in their order, a few each time, so that many targets cost little.
__device__ __forceinline__ u32 settled_among(const Search& search, u32 first, Key threshold) {
    const u32 at = first + lane();
    const bool has = at < search.n_targets;
    const bool settled = has && load(search.keys + __ldg(search.targets + at)) < threshold;
    const u32 others = __ballot_sync(everyone, !settled);
    return others == 0 ? 32 : __ffs(others) - 1;
}

template <typename T> __device__ __forceinline__ void exchange(T& a, T& b) {
    const T c = a;
    a = b;
    b = c;
}

// What the warps of a block have in shared memory.
struct BlockMemory {
    WarpMemory warps[warps_a_block];
    Key bests[warps_a_block][32];
};

// A search by a team, as one of its blocks sees it. It alternates between three phases: near arcs
// are relaxed until nothing is left below the threshold; the far list is split at a new threshold;
// at a settled bound the deferred arcs are relaxed.
struct TeamSearch {
    const Search& search;
    GridBarrier& barrier;
    BlockMemory& memory;
    Control& control;
    const Watch watch;
    const u32 in_block, this_warp, n_warps, this_thread, n_threads;
    const bool first_thread;
    Warp warp;
    Entry *near_now, *near_next, *far_now, *far_next;
    Piece *pieces_now, *pieces_next;
    // turns of the near and the far lists; settled bounds so far
    u32 near_turn = 0, far_turn = 0, phase = 0;
    u32 doublings = 0;
    Key width, start = 0, low = 0, threshold, settled_bound = unreached;
    u64 near_cycles = 0, far_cycles = 0, push_cycles = 0, pull_cycles = 0;
    u32 steps = 0, pushes = 0, n_settled_targets = 0;

    // Neighbours in a list go to different multiprocessors.
    __device__ __forceinline__ TeamSearch(const Search& search, u32 block, GridBarrier& barrier, BlockMemory& memory)
        : search(search), barrier(barrier), memory(memory), control(*search.control),
          watch{search.host, &control.stopped}, in_block(threadIdx.x >> 5),
          this_warp(in_block * barrier.n_blocks + block), n_warps(barrier.n_blocks * warps_a_block),
          this_thread(block * blockDim.x + threadIdx.x), n_threads(barrier.n_blocks * blockDim.x),
          first_thread(this_thread == 0),
          warp{search, memory.warps[in_block], search.near_arcs, search.short_limit != 0},
          near_now(search.near[0]), near_next(search.near[1]), far_now(search.far[0]), far_next(search.far[1]),
          pieces_now(search.pieces[0]), pieces_next(search.pieces[1]), width(search.delta),
          threshold(beyond(0, search.delta)) {}

    // Labels all vertices, and lists the source and the others.
    __device__ __forceinline__ void begin() {
        for (u32 v = this_thread; v < search.n_vertices; v += n_threads) {
            __stcg(search.keys + v, v == search.source ? Key{0} : unreached);
        }
        if (first_thread) {
            search.near[0][0] = entry_of(0, search.source);
            control.near[0] = 1;
            control.least[0] = control.least[1] = control.least[2] = unreached;
        }
        if (search.n_others != 0) {
            barrier.wait();
            if (first_thread) control.near[0] = 1 + search.n_others;
            for (u32 i = this_thread; i < search.n_others; i += n_threads) {
                const u32 source = __ldg(search.others + i);
                __stcg(search.keys + source, Key{0});
                if (1 + i < search.capacity) __stcg(search.near[0] + 1 + i, entry_of(0, source));
            }
        }
        barrier.wait();
    }

    // Settles all keys below the next settled bound; false where the search is over before.
    __device__ __forceinline__ bool settle() {
        settled_bound = warp.defers_long_arcs ? beyond(start, search.short_limit) : unreached;
        threshold = min(threshold, settled_bound);
        warp.settled_bound = settled_bound;
        warp.visited_count = &control.visited[phase & 1];
        warp.visited_arcs = 0;
        while (true) {
            if (!relax_near()) return false;
            // all keys below the threshold are final
            if (search.n_targets != 0) {
                n_settled_targets += settled_among(search, n_settled_targets, threshold);
                if (n_settled_targets == search.n_targets) return false;
            }
            if (!split_far()) return true;
        }
    }

    // Relaxes near arcs, step by step until nothing is left below the threshold; false where the
    // host has ended the search.
    __device__ __forceinline__ bool relax_near() {
        const u64 clock = clock64();
        warp.threshold = threshold;
        warp.far = {far_now, &control.far[far_turn % 3]};
        while (true) {
            const u32 now = near_turn % 3, next = (near_turn + 1) % 3, later = (near_turn + 2) % 3;
            const u32 n_near = load(&control.near[now]);
            const u32 n_pieces = min(load(&control.pieces[now]), search.piece_capacity);
            if (n_near == 0 && n_pieces == 0) break;
            if (first_thread) control.near[later] = control.pieces[later] = 0;
            steps++;
            const bool calls = watch.calls(steps);
            if (calls && first_thread) watch.call(steps);
            warp.near_next = {near_next, &control.near[next]};
            warp.pieces_next = {pieces_next, &control.pieces[next]};
            warp.spent = 0;
            for (u32 at = this_warp; at < n_pieces; at += n_warps) {
                warp.relax_piece<false>(warp.rows, pieces_now + at);
            }
            const bool lost = n_near > search.capacity;
            const u32 n = lost ? search.n_vertices : n_near;
            const u32 share = min(32u, (n - 1) / n_warps + 1);
            for (u32 at = this_warp * share; at < n; at += n_warps * share) {
                bool has = lane() < share && lane() < n - at;
                const Entry entry = entry_at(search, near_now, lost, at + lane(), low, threshold, has);
                if (share <= 8) {
                    warp.enqueue(has, entry);
                } else {
                    warp.relax_rows<false>(warp.rows, has, entry);
                }
                warp.drain();
            }
            warp.flush_far();
            turn_near();
            barrier.wait();
            // what is read here is not written again before `call_interval` more barriers, so all
            // blocks see the same
            if (calls && watch.ends()) return false;
        }
        near_cycles += clock64() - clock;
        return true;
    }

    // Splits the far list at the next threshold; false where nothing is left below the settled
    // bound. What is near goes to the list of the next turn, as slower blocks may still be looking
    // at the count of this one.
    __device__ __forceinline__ bool split_far() {
        const u64 clock = clock64();
        const u32 n_far = load(&control.far[far_turn % 3]);
        if (n_far == 0) return false;
        const bool lost = n_far > search.capacity;
        const u32 n = lost ? search.n_vertices : n_far;
        low = threshold;
        threshold = min(settled_bound, beyond(low, width));
        Key least = unreached;
        if (first_thread) {
            control.far[(far_turn + 2) % 3] = 0;
            control.least[(far_turn + 2) % 3] = unreached;
            control.near[(near_turn + 2) % 3] = control.pieces[(near_turn + 2) % 3] = 0;
        }
        const List<Entry> nearer{near_next, &control.near[(near_turn + 1) % 3]};
        const List<Entry> farther{far_next, &control.far[(far_turn + 1) % 3]};
        for (u32 first = this_warp * 32; first < n; first += n_warps * 32) {
            bool has = lane() < n - first;
            const Entry entry = entry_at(search, far_now, lost, first + lane(), low, unreached, has);
            const Key key = key_of(entry);
            has = has && load(search.keys + vertex_of(entry)) == key;
            append(nearer, search.capacity, has && key < threshold, entry);
            append(farther, search.capacity, has && key >= threshold, entry);
            if (has && key >= threshold) least = min(least, key);
        }
        least = warp_min(least);
        if (lane() == 0 && least != unreached) atomicMin(&control.least[(far_turn + 1) % 3], static_cast<u64>(least));
        far_turn++;
        exchange(far_now, far_next);
        turn_near();
        barrier.wait();
        far_cycles += clock64() - clock;
        const u32 n_near = load(&control.near[near_turn % 3]);
        widen(n_near);
        if (n_near == 0) {
            // on to the next bucket that holds anything
            least = load(&control.least[far_turn % 3]);
            if (least >= settled_bound) return false;
            threshold = max(threshold, least);
        }
        return true;
    }

    // Makes buckets as wide as it takes to keep the warps busy, and no wider: what lies in one
    // bucket is relaxed in no order.
    __device__ __forceinline__ void widen(u32 n_near) {
        if (n_near < n_warps * thin && doublings < search.most_doublings) {
            width = doubled(width);
            doublings++;
        } else if (n_near > n_warps * thick && doublings > 0) {
            width = search.delta;
            doublings = 0;
        }
    }

    __device__ __forceinline__ void turn_near() {
        near_turn++;
        exchange(near_now, near_next);
        exchange(pieces_now, pieces_next);
    }

    // Makes up for the arcs deferred at the settled bound; false where no key is left beyond it.
    __device__ __forceinline__ bool relax_deferred() {
        const u64 clock = clock64();
        const u32 parity = phase & 1;
        const u64 visited_arcs = warp_sum(warp.visited_arcs);
        if (lane() == 0 && visited_arcs) atomicAdd(&control.visited_arcs[parity], visited_arcs);
        if (first_thread) {
            control.visited[parity ^ 1] = 0;
            control.visited_arcs[parity ^ 1] = 0;
            control.least_beyond[parity] = unreached;
            for (u32 turn = far_turn + 1; turn <= far_turn + 2; turn++) {
                control.far[turn % 3] = 0;
                control.least[turn % 3] = unreached;
            }
        }
        barrier.wait();
        const u64 pushed = load(&control.visited_arcs[parity]);
        const u64 inside = load(&control.settled_arcs) + pushed;
        const u64 pulled = search.n_arcs > inside ? search.n_arcs - inside : 0;
        const u32 n_visited = load(&control.visited[parity]);
        const bool pulls = pushed > pulled || n_visited > search.capacity;
        Key least;
        if (pulls) {
            // the far list is made anew
            far_turn++;
            warp.far = {far_now, &control.far[far_turn % 3]};
            least = pull(warp, memory.bests[in_block], this_warp, n_warps);
        } else {
            warp.far = {far_now, &control.far[far_turn % 3]};
            warp.pieces_next = {pieces_now, &control.pieces[near_turn % 3]};
            least = push(warp, barrier, n_visited, this_warp, n_warps);
        }
        least = warp_min(least);
        if (lane() == 0 && least != unreached) atomicMin(&control.least_beyond[parity], static_cast<u64>(least));
        barrier.wait();
        least = load(&control.least_beyond[parity]);
        if (first_thread) {
            control.settled_arcs = inside;
            control.pieces[near_turn % 3] = 0;
        }
        pushes += !pulls;
        (pulls ? pull_cycles : push_cycles) += clock64() - clock;
        if (least == unreached) return false;
        start = low = threshold = max(settled_bound, least);
        phase++;
        if (pushes == most_pushes) {
            // everything below the settled bound is done with; from here on no arc is deferred
            warp.defers_long_arcs = false;
            warp.rows = search.graph;
        }
        // the count of pieces is cleared before it is read
        barrier.wait();
        return true;
    }

    // Adds up what this block has counted.
    __device__ __forceinline__ void report() {
        const u64 relaxations = warp_sum(warp.relaxations);
        const u64 improvements = warp_sum(warp.improvements);
        const u64 visits = warp_sum(warp.settled);
        if (lane() == 0) {
            atomicAdd(&control.relaxations, relaxations);
            atomicAdd(&control.improvements, improvements);
            atomicAdd(&control.settled, visits);
        }
        if (first_thread) {
            control.steps = steps;
            control.cycles[0] = near_cycles;
            control.cycles[1] = far_cycles;
            control.cycles[2] = push_cycles;
            control.cycles[3] = pull_cycles;
        }
    }
};

// What `block` of the `barrier.n_blocks` blocks of a team does in a search. `control` is
// zero before, but for `arrived` and `turn`. After the last write there is no barrier.
__device__ __forceinline__ void search_in_team(const Search& search, u32 block, GridBarrier& barrier,
                                               BlockMemory& memory) {
    TeamSearch team(search, block, barrier, memory);
    team.begin();
    while (team.settle() && team.warp.defers_long_arcs && team.relax_deferred()) {
    }
    team.report();
}
