// Edge-parallel Bellman-Ford: a launch relaxes every edge of a range once, a thread an
// edge, and the host launches until nothing falls any more.
//
// Edges are three arrays of one entry each: where it starts, where it ends, its weight. The host
// may have sorted them by segments of vertices, so that neighbouring threads touch two segments of
// `distances` only; the kernels do not depend on it.
//
// After the article on segmented Bellman-Ford (origin-segments in docs/references.bib). The article
// stores a distance that another thread may have lowered meanwhile, and relies on later launches to
// correct it. Entries that end in _race do so too. In all others a distance is lowered by an atomic
// minimum and never rises. The article does not check for sums that overflow; here such a sum is
// reported and never stored.
//
// What holds for all entries that relax, but for what is said of those that end in _race
//
// Launch: blocks of any whole number of warps in one dimension, at least `count` threads in
// all; no shared memory. Thread k takes edge first + k. A host iteration is one launch over
// all edges, or several over ranges that make up all of them, with the same `iteration`,
// which counts from 1.
//
// Reads:  tails, heads, weights at the edge; distances at its ends.
// Writes: distances at its ends, lower ones only;
//         mark[0] = iteration where a distance fell in this launch;
//         mark[1] = iteration where a distance would have to fall below all that the type
//                   holds, or a vertex would be reached but farther than the type holds.
//
// Races, and why they are harmless
// - A distance is read while other threads lower it. An aligned word is read whole, so
//   what is read is a value that stood there since the launch began. Each such value is
//   the length of a walk from the source, so a sum over it is one too: it is an upper
//   bound, and only the lowering decides, which is atomic. A read that misses a lower
//   value delays its use to a later launch.
// - Entries that end in _ldg read `distances` through the cache for read-only data, which need not
//   see what is written in the same launch. It starts each launch empty, so again the value stood
//   there since the launch began. The memory is written through another pointer, and for such loads
//   the language then promises nothing. Only this property of the caches is relied upon. The host
//   ends with a launch of the plain entry, which must find nothing to lower.
// - Many threads write mark[0], and many write mark[1], each the same value.
//
// mark[0] == iteration if and only if a distance fell. A thread marks when its sum is less than the
// value that it read. If the minimum then does not fall, another thread lowered it since the launch
// began.
//
// Termination. Suppose that every distance is at most the length of the best walk of k edges. After
// one more iteration it is at most that of the best walk of k + 1 edges. For an iteration relaxes
// every edge from values at least as good as those at its beginning. Without a negative cycle a
// best walk has at most n - 1 edges: iteration n finds nothing to lower. So the host stops at the
// first iteration without a mark, and where iteration n leaves one there is a negative cycle.
//
// Entries that end in _race have the same launch, and write the same words, but not lower distances
// only. They store a sum without reading again whether the distance is lower by then. So of several
// sums for one vertex any may be the one that stays. They are for weights that are not negative,
// and end with the right distances all the same:
// - Whatever stands at a vertex is the length of a walk, as above, or was put there by such a
//   store; so no distance is ever below the right one.
// - A sum is stored only if it is less than a value that stood there since the launch began, and
//   by induction all of these are at most the value at its beginning. So from one launch to the
//   next no distance rises, and where one is stored it falls. There are finitely many lengths of
//   walks between the right distance and the first one found, so some launch stores nothing.
// - In that launch nothing changed, so every edge was tested against the distances as they stand
//   and lowers none of them: they are right.
// Iteration n may leave a mark: which store stays is chance, and a vertex may take as many
// launches as it has neighbours.
//
// Sums that do not fit are dropped. In an iteration that lowers nothing, mark[1] < iteration
// proves that no edge could improve a distance even in unbounded arithmetic: the distances
// are right though sums on the way did not fit.

#include "../common/weights.cuh"

// The edge (tail, head) from the values that were read; whether it lowers a distance.
template <bool racing>
__device__ __forceinline__ bool relax(
    Weight at_tail, Weight at_head, Weight weight, Weight* head, u32 iteration, u32* mark)
{
    if (at_tail == unreached) return false;
    Weight sum;
    const Sum outcome = add(at_tail, weight, sum);
    if (outcome != Sum::fits) {
        if (outcome == Sum::below || at_head == unreached) mark[1] = iteration;
        return false;
    }
    // Most edges lower nothing, and a load is cheaper than an atomic.
    if (!(sum < at_head)) return false;
    if constexpr (racing) {
        *head = sum;
    } else {
        lower(head, sum);
    }
    return true;
}

// A block has one thread write the mark for all: from millions of threads, the stores to
// one word would take longer than the edges.
__device__ __forceinline__ void mark_iteration(bool fell, u32 iteration, u32* mark)
{
    if (__syncthreads_or(fell) && threadIdx.x == 0) mark[0] = iteration;
}

template <bool read_only>
__device__ __forceinline__ Weight load(const Weight* distance)
{
    if constexpr (read_only) return __ldg(distance);
    return *distance;
}

// Whether the edge of this thread lowered a distance; false for threads past the range.
template <bool read_only, bool both_ways, bool racing>
__device__ __forceinline__ bool relax_edge(
    const u32* __restrict__ tails, const u32* __restrict__ heads,
    const Weight* __restrict__ weights, Weight* distances, u32 first, u32 count, u32 iteration,
    u32* mark)
{
    const u64 offset = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (offset >= count) return false;
    const u64 edge = first + offset;
    const u32 tail = tails[edge];
    const u32 head = heads[edge];
    const Weight weight = weights[edge];
    const Weight at_tail = load<read_only>(distances + tail);
    const Weight at_head = load<read_only>(distances + head);
    bool fell = relax<racing>(at_tail, at_head, weight, distances + head, iteration, mark);
    if (both_ways) fell |= relax<racing>(at_head, at_tail, weight, distances + tail, iteration, mark);
    return fell;
}

#define RELAX_ENTRY(name, read_only, both_ways, racing)                                      \
    extern "C" __global__ void ENTRY(name)(                                                  \
        const u32* tails, const u32* heads, const Weight* weights, Weight* distances,        \
        u32 first, u32 count, u32 iteration, u32* mark)                                      \
    {                                                                                        \
        const bool fell = relax_edge<read_only, both_ways, racing>(                          \
            tails, heads, weights, distances, first, count, iteration, mark);                \
        mark_iteration(fell, iteration, mark);                                               \
    }

// Every edge {tail, head} of an undirected graph is stored once: relaxed both ways.
RELAX_ENTRY(bellman_ford_pairs, false, true, false)
RELAX_ENTRY(bellman_ford_pairs_ldg, true, true, false)
RELAX_ENTRY(bellman_ford_pairs_race, false, true, true)
RELAX_ENTRY(bellman_ford_pairs_ldg_race, true, true, true)

// Every arc of a directed graph: relaxed from tail to head.
RELAX_ENTRY(bellman_ford_arcs, false, false, false)
RELAX_ENTRY(bellman_ford_arcs_ldg, true, false, false)
RELAX_ENTRY(bellman_ford_arcs_race, false, false, true)
RELAX_ENTRY(bellman_ford_arcs_ldg_race, true, false, true)

// Distances before the first iteration: 0 at the source, unreached elsewhere. Thread v writes
// distances[v]. Launch: one dimension, at least n_vertices threads. No races.
extern "C" __global__ void ENTRY(bellman_ford_start)(Weight* distances, u32 n_vertices, u32 source)
{
    const u64 vertex = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (vertex < n_vertices) distances[vertex] = vertex == source ? Weight(0) : unreached;
}
