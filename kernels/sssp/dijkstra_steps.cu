// Dijkstra's algorithm as three kernels that the host launches, as it was published: initialise,
// extract the least label, relax its row. The second kernel is in extract_min.cu, the others are
// here.
//
// A vertex has two words. Its label is unreached before a path is found and again when the vertex
// is settled, because the reduction reads labels alone. Its key is unreached until the vertex is
// settled, and then its distance.
//
// Launch: one dimension, any number of threads; they take vertices, or the arcs of the row, in
// turn. No shared memory.
//
// What differs from the paper: the row's vertex is read from the word that the extraction wrote,
// so that the host waits for one word a turn and sends none.
//
// After origin-four-families in docs/references.bib.

#include "delta_stepping/search.cuh"

// Before the first turn: 0 at the source, unreached elsewhere; `n_labels` are up to a multiple of
// four more than the vertices. Thread v writes labels[v] and keys[v]. No races.
extern "C" __global__ void ENTRY(dijkstra_initial)(
    Key* labels, Key* keys, u32 n_labels, u32 n_vertices, u32 source)
{
    const u64 threads = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 v = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; v < n_labels; v += threads) {
        labels[v] = v == source ? 0 : unreached;
        if (v < n_vertices) keys[v] = unreached;
    }
}

// Settles the vertex of `least`, which has a label, and relaxes its row; `trouble` becomes 1 where
// a sum is more than a label holds.
//
// Races: one thread writes the words of the vertex that is settled, and all others skip these
// words. Some threads may still read its key as unreached, so they recognise it by its number.
// Several threads may lower one label by atomicMin, if a row has parallel arcs. Many may write the
// same into `trouble`.
extern "C" __global__ void ENTRY(dijkstra_relax)(
    const uint2* bounds, const Arc* arcs, const Entry* least, Key* labels, Key* keys, u32* trouble)
{
    const Entry entry = *least;
    const u32 settled = vertex_of(entry);
    const Key label = key_of(entry);
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread == 0) {
        keys[settled] = label;
        labels[settled] = unreached;
    }
    const uint2 row = bounds[settled];
    for (u64 arc = static_cast<u64>(row.x) + thread; arc < row.y; arc += gridDim.x * blockDim.x) {
        const Arc end = arcs[arc];
        if (end.x == settled || keys[end.x] != unreached) continue;
        const Key sum = after(label, end.y);
        if (sum == unreached) *trouble = 1;
        atomicMin(labels + end.x, sum);
    }
}
