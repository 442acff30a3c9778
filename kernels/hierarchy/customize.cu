// Customization: what every arc of the hierarchy weighs, by the triangles below it.
#include "key.cuh"

// What is launched on. The host has the same structure.
struct Customization {
    // For each arc of the graph, the key that it may lower; none where it is a loop.
    const u32* slots;
    const Key* weights;
    // Two arcs that lead up from one vertex, and the arc between their ends, from the end of
    // the first. Those of a level are contiguous.
    const u32* firsts;
    const u32* seconds;
    const u32* thirds;
    // Where the triangles of each level begin; n_levels + 1 entries.
    const u64* levels;
    // Two of each arc of the hierarchy.
    Key* keys;
    u32* arrived;
    u64 n_keys;
    u32 n_slots;
    u32 n_levels;
};

struct Triangle {
    u32 first, second, third;
};

__device__ __forceinline__ Triangle triangle(const Customization& of, u64 at, u64 end) {
    return at < end ? Triangle{of.firsts[at], of.seconds[at], of.thirds[at]} : Triangle{none, none, none};
}

// Lowers both keys of the third arc to the paths through the vertex below. They are read first,
// for most triangles lower nothing; another thread may lower them meanwhile, which the atomic
// sees.
__device__ __forceinline__ void relax(const Customization& of, Triangle at) {
    Key* third = of.keys + 2ull * at.third;
    const Key* first = of.keys + 2ull * at.first;
    const Key* second = of.keys + 2ull * at.second;
    const Key there = load(first + down) + load(second + up), back = load(second + down) + load(first + up);
    const Key before[2] = {load(third + up), load(third + down)};
    if (there < before[up]) lower(third + up, there);
    if (back < before[down]) lower(third + down, back);
}

// Sets all keys, puts the graph's weights in, and goes through the triangles, a level after the
// other: those of vertices of one height, whose own arcs are customized then.
//
// A cooperative launch of any number of blocks; `arrived` is 0 before. A thread takes a triangle,
// and has read which before the barrier, since that is known without keys.
extern "C" __global__ void __launch_bounds__(1024) ENTRY(hierarchy_customize)(Customization of) {
    const u64 first = blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x;
    const u64 step = gridDim.x * static_cast<u64>(blockDim.x);
    GridBarrier barrier{of.arrived, gridDim.x, 0};
    for (u64 at = first; at < of.n_keys; at += step) of.keys[at] = unreached;
    barrier.wait();
    for (u64 at = first; at < of.n_slots; at += step) {
        const u32 slot = of.slots[at];
        if (slot != none) lower(of.keys + slot, of.weights[at]);
    }
    u64 begin = 0, end = of.levels[1];
    Triangle next = triangle(of, first, end);
    for (u32 level = 0; level < of.n_levels; ++level) {
        const u64 after = level + 1 < of.n_levels ? of.levels[level + 2] : end;
        barrier.wait();
        for (u64 at = begin + first; at < end; at += step) {
            const Triangle current = next;
            next = triangle(of, at + step, end);
            relax(of, current);
        }
        begin = end;
        end = after;
        next = triangle(of, begin + first, end);
    }
}
