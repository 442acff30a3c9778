// The weakly connected components of a graph in parts: a forest on each GPU, of all vertices.
//
// Each GPU unites the ends of its own arcs (unite_ends), in a forest whose parents are smaller than their
// children. Then GPUs take in the forests of others (unite_parents), in pairs, until one has that of the
// graph. There each vertex gets its root (flatten). A root is united with a smaller one by a compare-and-swap;
// paths are halved on the way.
//
// Launch: any grid of blocks of 256 threads. Reads the graph; writes a forest.
//
// Races: several threads may write one parent. Each writes a smaller vertex of the same tree, so any of them
// may be the last. That of a root is changed by a compare-and-swap alone. So what is read late is still above
// the vertex.

#include "part.cuh"

__device__ __forceinline__ u32 root_of(u32* parents, u32 vertex) {
    for (u32 parent = load(parents + vertex); parent != vertex;) {
        const u32 above = load(parents + parent);
        if (above == parent) return parent;
        parents[vertex] = above;
        vertex = above;
        parent = load(parents + vertex);
    }
    return vertex;
}

__device__ __forceinline__ void unite(u32* parents, u32 one, u32 other) {
    for (u32 a = root_of(parents, one), b = root_of(parents, other); a != b;) {
        const u32 greater = max(a, b), smaller = min(a, b);
        const u32 before = atomicCAS(parents + greater, greater, smaller);
        if (before == greater) return;
        a = root_of(parents, before);
        b = root_of(parents, smaller);
    }
}

extern "C" __global__ void each_alone(u32* parents, u32 n) {
    for (u32 vertex = grid_thread(); vertex < n; vertex += grid_threads()) parents[vertex] = vertex;
}

// `both_ways`: each arc is also one of its head, and one of them is enough.
extern "C" __global__ void unite_ends(const u64* offsets, const u32* heads, u32 first, u32 n_rows, u32 both_ways,
                                      u32* parents) {
    for (u32 row = grid_warp(); row < n_rows; row += grid_warps()) {
        const u32 tail = first + row;
        for (u64 at = offsets[row] + lane(); at < offsets[row + 1]; at += 32) {
            const u32 head = heads[at];
            if (!both_ways || head < tail) unite(parents, tail, head);
        }
    }
}

extern "C" __global__ void unite_parents(const u32* others, u32 n, u32* parents) {
    for (u32 vertex = grid_thread(); vertex < n; vertex += grid_threads()) {
        const u32 parent = load(others + vertex);
        if (parent != vertex) unite(parents, vertex, parent);
    }
}

extern "C" __global__ void flatten(u32* parents, u32 n) {
    for (u32 vertex = grid_thread(); vertex < n; vertex += grid_threads()) {
        // without halving, which would set back what another thread has written
        u32 root = load(parents + vertex);
        for (u32 parent = load(parents + root); parent != root; parent = load(parents + root)) root = parent;
        parents[vertex] = root;
    }
}
