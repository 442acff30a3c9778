// A search by buckets: what it is given, and what its blocks share. The method stands in
// ../buckets.cu.
#pragma once

#include "../delta_stepping/search.cuh"

constexpr u32 block_threads = 1024;
constexpr u32 warps_in_block = block_threads / 32;

// The bucket of a vertex that is not reached, above all others, and the last one that there
// is: keys beyond its begin are all in it.
constexpr u32 none = 0xffffffffu;
constexpr u32 last_bucket = none - 1;

// The bucket of a key, `delta` being their width, a key above 0. It never falls as the key
// rises: quotients are rounded down, or to the nearest float and then down.
#if defined(WEIGHT_U32)
__device__ __forceinline__ u32 bucket_of(Key key, u32 delta) { return min(key / delta, last_bucket); }
#else
__device__ __forceinline__ u32 bucket_of(Key key, u32 delta) {
    // the conversion saturates
    return min(__float2uint_rz(__fdiv_rn(__uint_as_float(key), __uint_as_float(delta))), last_bucket);
}
#endif

// What the blocks share. Zero before a launch. Counts that stand in threes are used in turn:
// one is written, one may still be read, and one is cleared for the next turn.
struct BucketControl {
    u32 arrived;
    u32 trouble;
    // whether the host has ended the search
    u32 stopped;
    // arcs of the rows that were placed last
    u32 total;
    // rows in the list of a stage
    u32 listed[3];
    // the least bucket beyond the current one that may hold a vertex
    u32 least[3];
    // rows taken from the bucket whose heavy arcs wait
    u32 kept[3];
    u32 padding;
    // for the report: taken_arcs are those of the vertices taken, each vertex counted once
    u64 relaxations, improvements, taken, taken_again, taken_arcs, phases;
};

// What a search is given. The host has the same structure; there is no padding in it.
struct BucketSearch {
    Rows graph;
    Key* keys;
    // the index array: the bucket that a vertex waits in or was last taken from
    u32* buckets;
    // of each 32 vertices, a bucket that none of those that wait is below
    u32* lowest;
    // the stage at which a vertex was last listed, 0 if it never was
    u32* stamps;
    // rows: (vertex, first arc, arcs, end of its place), of each vertex one
    uint4* lists[3];
    // a word for each block: the stage, and the arcs of its share of the list
    u64* sums;
    BucketControl* control;
    // two words of the host's memory: whether the search is to end, and how many stages it has
    // done; null if progress is not reported
    volatile u32* host;
    u32 n_vertices;
    u32 source;
    // the search may end when it is settled; `none` for no vertex
    u32 target;
    // no key above is needed
    Key limit;
    u32 delta;
    // whether an arc is longer than delta
    u32 has_heavy;
};
