// The nearest of several sources, for every vertex, from the keys that a search from all of
// them has found: a second pass.
//
// An arc is tight if the key of its start plus its weight is the key of its end. The owner of a
// vertex is the smallest source from which tight arcs lead to it. Sources own themselves at
// first; a vertex whose owner fell offers it along its tight arcs, all of them in a round, until
// no owner falls. Plateaus, where tight arcs join equal keys, are like any other place.
//
// As many rounds as a tight path has arcs at most, with a barrier each, or two where rows are
// long. Without ties each arc of a reached vertex is looked at once; with them a vertex may be
// listed again, at most once a round and once for each source that is as near.
//
// Launch: cooperative, 512 threads a block, two blocks a multiprocessor, all resident. Reads the
// graph and the keys, which are constant during the launch.
//
// Races: an owner only falls, by atomicMin; the thread that lowers it lists the vertex, unless
// its stamp tells that it is listed for the next round. An owner that is read too high is offered
// in vain, and the vertex is in the next list. Counts stand in threes: one is read, one is
// written, and one is cleared, as in crauser.cu.
//
// Termination: each entry of a list but the first comes from a fall, and owners are finitely many.

#include "../common/arcs.cuh"
#include "delta_stepping/search.cuh"

// No source.
constexpr u32 none = 0xffffffffu;

// Zero before a launch.
struct NearestControl {
    u32 arrived;
    // vertices of the lists, and pieces of their rows, by the round that they are for
    u32 listed[3], pieces[3];
    u32 padding;
};

// What the launch is given. The host has the same structure; there is no padding in it.
struct Nearest {
    Rows graph;
    const Key* keys;
    // each of them once
    const u32* sources;
    // the result; `none` for what is not reached
    u32* owners;
    // places of n_vertices each: the round that a vertex was last listed for, and lists
    u32* stamps;
    u32* lists[2];
    uint4* pieces;
    NearestControl* control;
    u32 n_vertices;
    u32 n_sources;
};

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(nearest)(const Nearest nearest) {
    NearestControl& control = *nearest.control;
    const u32 this_thread = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 n_threads = gridDim.x * blockDim.x;
    const u32 this_warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x;
    const u32 n_warps = n_threads / 32;
    GridBarrier barrier{&control.arrived, gridDim.x, 0};

    for (u32 v = this_thread; v < nearest.n_vertices; v += n_threads) {
        __stcg(nearest.owners + v, none);
        __stcg(nearest.stamps + v, 0u);
    }
    barrier.wait();
    for (u32 i = this_thread; i < nearest.n_sources; i += n_threads) {
        const u32 source = __ldg(nearest.sources + i);
        __stcg(nearest.owners + source, source);
        __stcg(nearest.lists[0] + i, source);
    }
    if (this_thread == 0) control.listed[0] = nearest.n_sources;
    barrier.wait();

    for (u32 round = 0;; round++) {
        const u32 n_listed = load(&control.listed[round % 3]);
        if (n_listed == 0) return;
        const u32* list = round & 1 ? nearest.lists[1] : nearest.lists[0];
        const List<u32> next{round & 1 ? nearest.lists[0] : nearest.lists[1], &control.listed[(round + 1) % 3]};
        const Pieces pieces{nearest.pieces, &control.pieces[round % 3]};
        if (this_thread == 0) control.listed[(round + 2) % 3] = control.pieces[(round + 2) % 3] = 0;
        const auto offer = [&](bool has, u32 from, u32 arc) {
            bool is_new = false;
            u32 to = 0;
            if (has) {
                const Arc end = __ldg(nearest.graph.arcs + arc);
                to = end.x;
                const Key there = __ldg(nearest.keys + to);
                if (there != unreached && after(__ldg(nearest.keys + from), end.y) == there) {
                    const u32 owner = load(nearest.owners + from);
                    is_new = owner < load(nearest.owners + to) && owner < atomicMin(nearest.owners + to, owner) &&
                             atomicExch(nearest.stamps + to, round + 1) != round + 1;
                }
            }
            append(next, nearest.n_vertices, is_new, to);
        };
        // fewer vertices a warp where there are not enough for all
        const u32 share = min(32u, (n_listed - 1) / n_warps + 1);
        for (u32 at = this_warp * share; at < n_listed; at += n_warps * share) {
            u32 vertex = 0;
            uint2 row = make_uint2(0, 0);
            if (lane() < share && lane() < n_listed - at) {
                vertex = load(list + at + lane());
                row = __ldg(nearest.graph.bounds + vertex);
            }
            visit_rows(row, vertex, pieces, offer);
        }
        barrier.wait();
        if (load(pieces.count) == 0) continue;
        visit_pieces<u32>(pieces, this_warp, n_warps, offer);
        barrier.wait();
    }
}
