// The tree of shortest paths, from the distances that edge-parallel Bellman-Ford has found:
// a second pass, over edges in any order.
//
// The rule is that of predecessors.cu and crates/sssp/src/predecessors.rs. Where no weight is
// negative, `nearer` gives every vertex the smallest of its tight starts that are strictly nearer,
// and `level` places the others breadth-first from these. Where some weight is, distances say
// nothing of the order on a path, and `level` places all from the source. One launch reads all
// edges once; there are as many launches as levels.
//
// Races: a choice only falls, by atomicMin. At level k a thread writes a vertex's level only if it
// has none, and writes k. Starts are of level k - 1, which no thread writes any more.
//
// Termination: the host stops at a level in which no vertex was found.

#include "../common/weights.cuh"

// No predecessor, no level.
constexpr u32 none = 0xffffffffu;

__device__ __forceinline__ u64 this_thread() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }

// Whether the arc is tight: whether it is the last of a shortest path.
__device__ __forceinline__ bool is_tight(const Weight* distances, u32 from, u32 to, Weight weight) {
    const Weight start = distances[from];
    Weight sum;
    return start != unreached && add(start, weight, sum) == Sum::fits && sum == distances[to];
}

__device__ __forceinline__ void choose(u32* chosen, u32 to, u32 from) {
    if (from < chosen[to]) atomicMin(chosen + to, from);
}

__device__ __forceinline__ void choose_nearer(const Weight* distances, u32* chosen, u32* mark, u32 from, u32 to,
                                              Weight weight) {
    if (!is_tight(distances, from, to, weight)) return;
    if (distances[from] < distances[to]) {
        choose(chosen, to, from);
    } else {
        *mark = 1;
    }
}

// From nearer vertices. Sets the mark if a tight arc joins equal distances.
extern "C" __global__ void ENTRY(nearer)(const u32* firsts, const u32* seconds, const Weight* weights, u32 first,
                                         u32 count, u32 both_ways, const Weight* distances, u32* chosen, u32* mark) {
    if (this_thread() >= count) return;
    const u64 edge = first + this_thread();
    const u32 u = firsts[edge], v = seconds[edge];
    choose_nearer(distances, chosen, mark, u, v, weights[edge]);
    if (both_ways) choose_nearer(distances, chosen, mark, v, u, weights[edge]);
}

// Level 0: the source and all that are chosen for; the others have none.
extern "C" __global__ void ENTRY(first_level)(const u32* chosen, u32 source, u32* levels, u32 n_vertices) {
    const u64 v = this_thread();
    if (v < n_vertices) levels[v] = v == source || chosen[v] != none ? 0 : none;
}

__device__ __forceinline__ void choose_in_level(const Weight* distances, u32* chosen, u32* levels, u32* mark,
                                                u32 level, u32 from, u32 to, Weight weight) {
    if (levels[from] != level - 1 || levels[to] < level || !is_tight(distances, from, to, weight)) return;
    levels[to] = level;
    choose(chosen, to, from);
    *mark = level;
}

// Level `level`, which is at least 1. Sets the mark to it if it has any vertex.
extern "C" __global__ void ENTRY(next_level)(const u32* firsts, const u32* seconds, const Weight* weights, u32 first,
                                             u32 count, u32 both_ways, const Weight* distances, u32* chosen, u32* mark,
                                             u32* levels, u32 level) {
    if (this_thread() >= count) return;
    const u64 edge = first + this_thread();
    const u32 u = firsts[edge], v = seconds[edge];
    choose_in_level(distances, chosen, levels, mark, level, u, v, weights[edge]);
    if (both_ways) choose_in_level(distances, chosen, levels, mark, level, v, u, weights[edge]);
}
