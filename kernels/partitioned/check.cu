// Whether keys are the distances from the source. They are if no arc leads to a key that it would lower,
// each key but the source's is the sum along an arc, and no arc has the weight 0. Levels are the keys where
// each arc counts as 1.
//
// Each GPU goes through its rows, with the keys of all vertices (mark). It marks the heads of arcs whose
// sum is the head's key. Then each looks for vertices of its own that none has marked (unmarked).
//
// Launch: any grid of blocks of 256 threads. Reads the graph and keys; writes bits and a count.
//
// Races: bits and counts are changed by atomics.

#if defined(LEVELS)
#include "part.cuh"
#define ENTRY(name) name##_levels
using Key = u32;
using Arc = u32;
constexpr Key unreached = ~0u;
__device__ __forceinline__ u32 head_of(Arc arc) { return arc; }
__device__ __forceinline__ Key along(Key from, Arc) { return from + 1; }
#else
#include "../sssp/delta_stepping/key.cuh"
#include "part.cuh"
__device__ __forceinline__ u32 head_of(Arc arc) { return arc.x; }
__device__ __forceinline__ Key along(Key from, Arc arc) { return after(from, arc.y); }
#endif

// Marks of each part, in its memory.
struct Marks {
    const u32* of[32];
};

extern "C" __global__ void ENTRY(mark)(const u64* offsets, const Arc* arcs, const Key* keys, u32 first, u32 n_rows,
                                       u32* marks, u64* wrong) {
    u64 n_wrong = 0;
    for (u32 row = grid_warp(); row < n_rows; row += grid_warps()) {
        const Key from = keys[first + row];
        if (from == unreached) continue;
        for (u64 at = offsets[row] + lane(); at < offsets[row + 1]; at += 32) {
            const Arc arc = arcs[at];
            const u32 head = head_of(arc);
            const Key sum = along(from, arc), key = keys[head];
            n_wrong += sum < key;
            if (sum == key && (marks[head / 32] >> head % 32 & 1) == 0) atomicOr(marks + head / 32, 1u << head % 32);
        }
    }
    n_wrong = warp_sum(n_wrong);
    if (lane() == 0 && n_wrong != 0) atomicAdd(wrong, n_wrong);
}

extern "C" __global__ void ENTRY(unmarked)(const Key* keys, u32 first, u32 n_rows, u32 source, const Marks marks,
                                           u32 n_parts, u64* wrong) {
    for (u32 row = grid_thread(); row < n_rows; row += grid_threads()) {
        const u32 vertex = first + row;
        if (keys[vertex] == unreached) continue;
        u32 bits = 0;
        for (u32 part = 0; part < n_parts; ++part) bits |= load(marks.of[part] + vertex / 32);
        const bool marked = bits >> vertex % 32 & 1;
        if (vertex == source ? keys[vertex] != 0 : !marked) atomicAdd(wrong, 1);
    }
}
