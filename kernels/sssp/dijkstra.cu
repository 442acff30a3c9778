// Dijkstra's algorithm by reductions: one launch, in which the grid settles one vertex a turn.
//
// The vertices are cut into as many ranges as there are blocks, and each block keeps the labels
// of its own. In a turn
// * every block finds the least label of its range (reduction.cuh, the first level) and writes
//   it, with its vertex, to memory; barrier of the grid;
// * every block finds the least of the blocks' words (the second level), all the same one: that
//   vertex is settled;
// * every block reads all of its row and relaxes the arcs that end in its own range; barrier of
//   the block.
//
// The published form has three kernels: initialise, reduce, relax; and shares the row among all
// threads of the grid. Then one block lowers labels that another one reduces, which takes a second
// wait of the whole grid in every turn. Here labels are written and read by one block alone. It is
// cheap that every block reads the whole row, since rows are short beside the labels, and come out
// of the second-level cache. In the worst case, a complete graph, a block reads as many arcs as
// there are vertices. Up to some 30,000 vertices, this takes less time than a barrier. A graph that
// fits one block is searched by one, without a barrier of the grid.
//
// A vertex has two words. Its word in `labels` is unreached before a path is found and again when
// the vertex is settled. The reductions read only these. Its word in `keys` is unreached until the
// vertex is settled, and then its distance: the result.
//
// Launch: cooperative, as many threads a block as the entry's name says, at most a block a
// multiprocessor, which every device has room for. Reads the graph, constant during the launch;
// writes labels, keys, words of blocks, and control.
//
// Races: a block's labels and keys are touched by its own threads alone. Between two barriers of
// the block, several threads may lower one label, by atomicMin, if a row has parallel arcs. The
// first thread writes the words of the vertex just settled. The others do not touch these words
// (they skip an arc from the vertex to itself), so none reads them half-written. The blocks' words
// stand in two sets that turns use alternately: a block writes a set again only after the barrier
// of the turn between, when all have read it. The limit and the count of turns are the same in all
// threads, as all have seen the same vertices settled.
//
// Termination: a turn settles a vertex that was not settled before, or is the last.

#include "../common/watch.cuh"
#include "reduction.cuh"

// What the blocks share. Zero before a launch.
struct DijkstraControl {
    u32 arrived;
    u32 trouble;
    // whether the host has ended the search
    u32 stopped;
    u32 settled;
    u64 relaxations, improvements;
};

// What the launch is given. The host has the same structure; there is no padding in it.
struct Dijkstra {
    Rows graph;
    // as many as vertices, and up to a multiple of four
    Key* labels;
    // the result
    Key* keys;
    // two for each block
    Entry* of_blocks;
    DijkstraControl* control;
    volatile u32* host;
    u32 n_vertices;
    u32 source;
    // the search ends when it is settled, with those as far; no vertex if there is no target
    u32 target;
    // vertices of a block, a multiple of four
    u32 share;
    // no key above is needed; less than `unreached`
    Key limit;
    u32 padding;
};

template <u32 threads> __device__ __forceinline__ void search_by_reductions(const Dijkstra& search) {
    __shared__ Entry of_warps[threads / 32];
    __shared__ Entry least_of_all;
    DijkstraControl& control = *search.control;
    const Watch watch{search.host, &control.stopped};
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
    const u32 first = blockIdx.x * search.share;
    const u32 n_own = first < search.n_vertices ? min(search.share, search.n_vertices - first) : 0;
    const u32 end_of_labels = first + (n_own + 3) / 4 * 4;

    for (u32 v = first + threadIdx.x; v < end_of_labels; v += threads) {
        __stcg(search.labels + v, v == search.source ? 0 : unreached);
        if (v - first < n_own) __stcg(search.keys + v, unreached);
    }
    __syncthreads();

    Key limit = search.limit;
    u32 turns = 0;
    u64 relaxations = 0, improvements = 0;
    while (true) {
        const bool calls = watch.calls(turns + 1);
        if (calls && first_thread) watch.call(turns + 1);
        const Entry mine = least_of_thread<threads>(search.labels, first, end_of_labels);
        Entry least = least_of_block<threads>(mine, of_warps);
        if (gridDim.x > 1) {
            Entry* of_blocks = search.of_blocks + (turns & 1) * gridDim.x;
            if (threadIdx.x == 0) {
                __stcg(of_blocks + blockIdx.x, least);
                // it may be the one
                if (least != no_entry) prefetch(search.graph.bounds + vertex_of(least));
            }
            barrier.wait();
            if (threadIdx.x < 32) {
                least = least_of_blocks(of_blocks, gridDim.x);
                if (threadIdx.x == 0) least_of_all = least;
            }
            __syncthreads();
            least = least_of_all;
        }
        // all that is left is unreached, or beyond the limit; the key of `no_entry` is above both
        const Key label = key_of(least);
        if (label > limit || (calls && watch.ends())) break;
        const u32 settled = vertex_of(least);
        if (settled == search.target) limit = label;
        if (threadIdx.x == 0 && settled - first < n_own) {
            __stcg(search.keys + settled, label);
            __stcg(search.labels + settled, unreached);
        }
        const uint2 row = __ldg(search.graph.bounds + settled);
#pragma unroll 4
        for (u32 arc = row.x + threadIdx.x; arc < row.y; arc += threads) {
            const uint2 end = __ldg(search.graph.arcs + arc);
            if (end.x - first >= n_own) continue;
            relaxations++;
            if (end.x == settled || load(search.keys + end.x) != unreached) continue;
            const Key sum = after(label, end.y);
            if (sum == unreached) control.trouble = overflowed;
            if (sum < atomicMin(search.labels + end.x, sum)) improvements++;
        }
        turns++;
        __syncthreads();
    }

    relaxations = warp_sum(relaxations);
    improvements = warp_sum(improvements);
    if (lane() == 0) {
        atomicAdd(&control.relaxations, relaxations);
        atomicAdd(&control.improvements, improvements);
    }
    if (first_thread) control.settled = turns;
}

#define DIJKSTRA(threads)                                                                              \
    extern "C" __global__ void __launch_bounds__(threads, 1) ENTRY(dijkstra_##threads)(const Dijkstra search) { \
        search_by_reductions<threads>(search);                                                         \
    }

DIJKSTRA(128)
DIJKSTRA(256)
DIJKSTRA(512)
DIJKSTRA(1024)
