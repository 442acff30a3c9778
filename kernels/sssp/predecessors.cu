// The tree of shortest paths, from the keys that a search has found: a second pass.
//
// An arc is tight if the key of its start plus its weight is the key of its end. The rule,
// the same on every backend (crates/sssp/src/predecessors.rs), is: a vertex takes the
// smallest of the tight starts whose keys are less than its own. Those that have none were
// reached by arcs that add nothing; they are found breadth-first from the others, and each
// takes the smallest start one level before it.
//
// The first half looks at every arc of a reached vertex once; each warp takes as many arcs
// and rows as every other. The second half costs a barrier if no tight arc joins equal
// keys. Otherwise it looks at every arc once more, and then at those of each level.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor, all resident. Reads the
// graph and the keys, which are constant during the launch.
//
// Races: a choice only falls, by atomicMin. A level is given once, by atomicCAS. The starts that
// compete for a vertex between two barriers are all of one level, so the least of them is chosen in
// the end, whatever their order.
//
// Termination: a level is a list of vertices that were in none before.

#include "../common/arcs.cuh"
#include "delta_stepping/search.cuh"

// No predecessor, no level.
constexpr u32 none = 0xffffffffu;

// Zero before a launch.
struct TreeControl {
    u32 arrived;
    // whether a tight arc joins equal keys
    u32 plateaus;
    // vertices of the levels, in threes: read, written, cleared
    u32 counts[3];
    u32 padding;
};

// What the launch is given. The host has the same structure; there is no padding in it.
struct Tree {
    Rows graph;
    const Key* keys;
    // the result; `none` for the source and what is not reached
    u32* chosen;
    // places of n_vertices each
    u32* levels;
    u32* lists[2];
    TreeControl* control;
    u64 n_arcs;
    // keys above are none; less than `unreached`
    u64 limit;
    u32 n_vertices;
    u32 source;
};

// Calls visit(has, start, its key, arc) for the arcs of a row in each lane.
template <typename Visit>
__device__ __forceinline__ void visit_arcs(u32 start, Key key, uint2 row, Visit&& visit) {
    for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
        const u32 from = __shfl_sync(everyone, start, owner);
        visit(has, from, __shfl_sync(everyone, key, owner), arc);
    });
}

// Calls `visit` for all arcs of the vertices that `starts` admits, as `visit_arcs` does. Rows
// and arcs in their order, a row before its arcs, are cut into a part for each warp.
template <typename Starts, typename Visit>
__device__ __forceinline__ void for_all_arcs(const Tree& tree, u32 this_warp, u32 n_warps, Starts starts,
                                             Visit visit) {
    const u64 n = tree.n_vertices + tree.n_arcs;
    const u64 part = (n - 1) / n_warps + 1;
    const u64 begin = part * this_warp, end = min(n, begin + part);
    if (begin >= end) return;
    // the last row that begins at `begin` or before
    u32 row = 0;
    for (u32 above = tree.n_vertices; above - row > 1;) {
        const u32 middle = row + (above - row) / 2;
        const u64 at = static_cast<u64>(middle) + __ldg(tree.graph.bounds + middle).x;
        (at <= begin ? row : above) = middle;
    }
    for (; row < tree.n_vertices; row += 32) {
        const u32 start = row + lane();
        uint2 bounds = make_uint2(0, 0);
        u64 first = end;
        if (start < tree.n_vertices) {
            bounds = __ldg(tree.graph.bounds + start);
            // arc a of this row stands at a + start + 1
            first = static_cast<u64>(start) + 1;
            const u64 least = begin > first ? begin - first : 0;
            const u64 most = end > first ? end - first : 0;
            bounds.x = static_cast<u32>(max(static_cast<u64>(bounds.x), least));
            bounds.y = static_cast<u32>(min(static_cast<u64>(bounds.y), most));
            first += bounds.x;
        }
        const Key key = start < tree.n_vertices ? __ldg(tree.keys + start) : unreached;
        const bool has = bounds.x < bounds.y && key <= static_cast<Key>(tree.limit) && starts(start);
        if (!has) bounds.y = bounds.x;
        visit_arcs(start, key, bounds, visit);
        // rows of later vertices begin beyond the part
        if (__shfl_sync(everyone, first, 31) >= end) return;
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(predecessors)(const Tree tree) {
    TreeControl& control = *tree.control;
    const u32 this_thread = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 n_threads = gridDim.x * blockDim.x;
    const u32 this_warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x;
    const u32 n_warps = n_threads / 32;
    GridBarrier barrier{&control.arrived, gridDim.x, 0};

    for (u32 v = this_thread; v < tree.n_vertices; v += n_threads) __stcg(tree.chosen + v, none);
    barrier.wait();

    // from nearer vertices
    bool plateaus = false;
    const auto everywhere = [](u32) { return true; };
    for_all_arcs(tree, this_warp, n_warps, everywhere, [&](bool has, u32 from, Key key, u32 arc) {
        if (!has) return;
        const Arc end = __ldg(tree.graph.arcs + arc);
        const Key there = __ldg(tree.keys + end.x);
        if (there > static_cast<Key>(tree.limit) || after(key, end.y) != there) return;
        if (key == there) {
            plateaus = true;
        } else if (from < load(tree.chosen + end.x)) {
            atomicMin(tree.chosen + end.x, from);
        }
    });
    if (plateaus) control.plateaus = 1;
    barrier.wait();
    if (load(&control.plateaus) == 0) return;

    // on plateaus, level by level
    for (u32 v = this_thread; v < tree.n_vertices; v += n_threads) {
        const bool placed = v == tree.source || load(tree.chosen + v) != none;
        __stcg(tree.levels + v, placed ? 0 : none);
    }
    barrier.wait();
    u32 level = 1;
    const auto place = [&](bool has, u32 from, Key key, u32 arc) {
        bool is_new = false;
        u32 to = 0;
        if (has) {
            const Arc end = __ldg(tree.graph.arcs + arc);
            to = end.x;
            if (key == __ldg(tree.keys + to) && after(key, end.y) == key && load(tree.levels + to) >= level) {
                const u32 before = atomicCAS(tree.levels + to, none, level);
                is_new = before == none;
                if (is_new || before == level) atomicMin(tree.chosen + to, from);
            }
        }
        const List<u32> next{level & 1 ? tree.lists[1] : tree.lists[0], &control.counts[level % 3]};
        append(next, tree.n_vertices, is_new, to);
    };
    for_all_arcs(tree, this_warp, n_warps, [&](u32 v) { return load(tree.levels + v) == 0; }, place);
    while (true) {
        barrier.wait();
        const u32 n_starts = load(&control.counts[level % 3]);
        if (n_starts == 0) return;
        const u32* starts = level & 1 ? tree.lists[1] : tree.lists[0];
        level++;
        if (this_thread == 0) control.counts[(level + 1) % 3] = 0;
        for (u32 first = this_warp * 32; first < n_starts; first += n_warps * 32) {
            u32 start = 0;
            uint2 bounds = make_uint2(0, 0);
            if (lane() < n_starts - first) {
                start = load(starts + first + lane());
                bounds = __ldg(tree.graph.bounds + start);
            }
            visit_arcs(start, __ldg(tree.keys + start), bounds, place);
        }
    }
}
