// Bellman-Ford as products of the graph's matrix with the vector of distances, over (min, +):
// the whole search in one launch, or the rounds of it that the host asks for.
//
// After the paper of the four families (origin-four-families in docs/references.bib). Its section
// on this one is missing in our copy. So this form is reconstructed from its abstract and its
// introduction, which name products in CSR and in ELL, and from Bell and Garland
// (bell-garland-2009). The forms are theirs: a thread a row, lanes of a warp a row, rows padded to
// one length. The balanced form is later work.
//
// Row v has the arcs into v: the matrix is the transposed one, which is the same for an undirected
// graph. A product reads every arc, whatever has changed: that is its cost, and makes it regular.
//
// How it differs: there is one vector, not two. A row that is lowered may be read in the same round
// by later rows. This can only reduce the number of rounds. The number depends on the order of
// threads; the distances do not.
//
// What holds for all entries
//
// Launch: cooperative, blocks of 512 threads in one dimension, all resident at once; no dynamic
// shared memory.
// Reads:  the matrix, which is constant during the launch; distances.
// Writes: distances, lower ones only; control, of which all is 0 before the launch.
//
// Races, and why they are harmless
// - A distance is read while another thread lowers it. An aligned word is read whole, from
//   L2, so it is a value that stood there since the round began. Each such value is the
//   length of a walk from the source, or none, so a sum over it is the length of one.
// - A distance is stored by one thread, the same in every round, that has read it before and stores
//   less: no other thread can have lowered it in between. In the balanced form some distances are
//   lowered by several warps, all of them by atomics: see balanced.cuh.
// - Many threads write a mark, each the same value.
//
// A mark is exact: without a mark no row could lower its vertex, from values that no thread wrote
// in that round; with one, some vertex fell.
//
// Termination. Suppose that every distance is at most the length of the best walk of k arcs. After
// one more round it is at most that of the best walk of k + 1 arcs. For a round reads values at
// least as good as those at its beginning. Without a negative cycle a best walk has at most n - 1
// arcs: round n lowers nothing, and the search ends. The host asks for no round beyond n; a
// distance that falls in it proves a negative cycle.
//
// Sums that do not fit are dropped. A distance needs a dropped sum if it is above the type's range
// and the vertex is not reached, or if it is below the range anywhere. If a round lowers nothing
// and drops no such sum, the distances are right, even if earlier sums did not fit.

#include "spmv/balanced.cuh"

#define SPMV_ENTRY(name) extern "C" __global__ void __launch_bounds__(512) ENTRY(name)(const Spmv spmv)

// A thread a row, rows in CSR: thread v takes row v, v + threads, and so on. Neighbouring
// threads read arcs as far apart as their rows begin, and wait for the longest of 32 rows.
SPMV_ENTRY(spmv_scalar) {
    multiply_until_nothing_falls(spmv, [&](Seen& seen) {
        for (u32 v = this_thread(); v < spmv.n_vertices; v += all_threads()) {
            const u32 end = __ldg(spmv.offsets + v + 1);
            const Weight before = load(spmv.distances + v);
            Least least{before};
#pragma unroll 4
            for (u32 arc = __ldg(spmv.offsets + v); arc < end; arc++) {
                least.take(load(spmv.distances + __ldg(spmv.starts + arc)), __ldg(spmv.weights + arc));
            }
            finish_row(spmv, v, before, least, seen);
        }
    });
}

// `width` lanes a row, rows in CSR; a power of two from 2 to 32, and with 32 a warp a row.
// Neighbouring lanes read neighbouring arcs; the first lane of a row ends it.
SPMV_ENTRY(spmv_vector) {
    multiply_until_nothing_falls(spmv, [&](Seen& seen) {
        const u32 part = lane() % spmv.width;
        // a warp's rows follow one another, and so do the rows of all
        const u32 step = all_threads() / spmv.width;
        const u32 rows_a_warp = 32 / spmv.width;
        for (u32 first = this_thread() / 32 * rows_a_warp; first < spmv.n_vertices; first += step) {
            const u32 v = first + lane() / spmv.width;
            const bool exists = v < spmv.n_vertices;
            const u32 begin = exists ? __ldg(spmv.offsets + v) : 0;
            const u32 end = exists ? __ldg(spmv.offsets + v + 1) : 0;
            const Weight before = exists ? load(spmv.distances + v) : unreached;
            Least least{before};
            for (u32 arc = begin + part; arc < end; arc += spmv.width) {
                least.take(load(spmv.distances + __ldg(spmv.starts + arc)), __ldg(spmv.weights + arc));
            }
            __syncwarp();
            for (u32 other = spmv.width / 2; other; other /= 2) {
                least.value = smaller(least.value, __shfl_xor_sync(everyone, least.value, other));
            }
            // what a lane has dropped it tells itself; only the first one stores
            if (part != 0) least.value = before;
            finish_row(spmv, v, before, least, seen);
        }
    });
}

// Every warp the same number of rows and arcs, rows in CSR.
SPMV_ENTRY(spmv_balanced) {
    const Part part = part_of_warp(spmv);
    multiply_until_nothing_falls(spmv, [&](Seen& seen) { multiply_part(spmv, part, seen); });
}

// A thread a row, rows in ELL: slot k * n + v is the k-th of row v, of `width` slots. A slot
// past its row's end is a loop at v of weight 0, which lowers nothing and is read like any
// other. Neighbouring threads read neighbouring slots, and all loops are of one length.
SPMV_ENTRY(spmv_ell) {
    multiply_until_nothing_falls(spmv, [&](Seen& seen) {
        for (u32 v = this_thread(); v < spmv.n_vertices; v += all_threads()) {
            const Weight before = load(spmv.distances + v);
            Least least{before};
            u64 slot = v;
#pragma unroll 4
            for (u32 k = 0; k < spmv.width; k++, slot += spmv.n_vertices) {
                least.take(load(spmv.distances + __ldg(spmv.starts + slot)), __ldg(spmv.weights + slot));
            }
            finish_row(spmv, v, before, least, seen);
        }
    });
}
