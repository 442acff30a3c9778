// A search by delta-stepping: what it is given, and what its blocks share.
//
// Distances are keys: 32 bits that order as the distances do. An integer is its own key,
// a float of at least zero its bits.
#pragma once

#include "../../common/grid.cuh"

using Key = u32;
// The key of a vertex that is not reached, above all others.
constexpr Key unreached = 0xffffffffu;

#if defined(WEIGHT_U32)
#define ENTRY(name) name##_u32
__device__ __forceinline__ u32 without_sign(u32 weight) { return weight; }
__device__ __forceinline__ u32 doubled(u32 width) { return width < 0x80000000u ? width << 1 : width; }
// The key of the sum of a key and a weight; `unreached` where it cannot be held.
__device__ __forceinline__ Key after(Key from, u32 weight) {
    const Key sum = from + weight;
    return sum < from ? unreached : sum;
}
#elif defined(WEIGHT_F32)
#define ENTRY(name) name##_f32
__device__ __forceinline__ u32 without_sign(u32 weight) { return weight & 0x7fffffffu; }
// a step up in the exponent
__device__ __forceinline__ u32 doubled(u32 width) { return width < 0x7f000000u ? width + 0x00800000u : width; }
__device__ __forceinline__ Key after(Key from, u32 weight) {
    const Key sum = __float_as_uint(__uint_as_float(from) + __uint_as_float(weight));
    return sum < 0x7f800000u ? sum : unreached;  // infinity and beyond
}
#else
#error "define WEIGHT_U32 or WEIGHT_F32"
#endif

// The key a width beyond `from`, and in any case beyond it: a width may be lost in rounding.
__device__ __forceinline__ Key beyond(Key from, u32 width) {
    return max(after(from, width), from == unreached ? from : from + 1);
}

// Arcs as (end, weight), and for every vertex where its row begins and ends.
struct Rows {
    const uint2* bounds;
    const uint2* arcs;
};

// A vertex and the key it had when it was put into a list; stale when it has a lesser one.
using Entry = u64;
__device__ __forceinline__ Entry entry_of(Key key, u32 vertex) {
    return static_cast<u64>(key) << 32 | vertex;
}
__device__ __forceinline__ u32 vertex_of(Entry entry) { return static_cast<u32>(entry); }
__device__ __forceinline__ Key key_of(Entry entry) { return static_cast<Key>(entry >> 32); }

// Why a search has to be done again by other means.
constexpr u32 overflowed = 1;

// What the blocks share. Zero before a launch.
//
// Counts of lists stand in threes, used in turn: one that is read, one that is written,
// and one that is wiped for the turn to come, so that no thread has to wait for the
// slowest reader.
struct Control {
    u32 arrived;
    // of many sources: the one that is searched from
    u32 turn;
    u32 trouble;
    u32 steps;
    // whether the host has ended the search
    u32 stopped, padding;
    u32 near[3], pieces[3], far[3];
    // the least key that stays in the far list of a turn
    u32 least[3];
    // by the parity of the horizon: vertices visited before it, the least key beyond it
    u32 visited[2], least_beyond[2];
    // arcs of those vertices; of all visited before
    u64 visited_arcs[2], settled_arcs;
    // counts for the report
    u64 relaxations, improvements, settled;
    // clock cycles of the first thread: near, far, push, pull
    u64 cycles[4];
};

// What a search is given. The host has the same structure; there is no padding in it.
struct Search {
    Rows graph;
    // the arcs shorter than the window, or all where there is no window
    Rows near_arcs;
    Key* keys;
    Entry *near[2], *far[2], *visited;
    // pieces of long rows: (key, vertex, first arc, end)
    uint4* pieces[2];
    Control* control;
    // two words of the host's memory: whether the search is to end, and how many steps it
    // has done; null where nobody wants to know
    volatile u32* host;
    // the search may end when these are settled, if there are any
    const u32* targets;
    u64 n_arcs;
    u32 n_vertices;
    u32 source;
    u32 n_targets;
    // no key above is needed
    Key limit;
    // the least width of a bucket, a normal number
    u32 delta;
    // how far ahead the horizon lies, 0 for none
    u32 window;
    // arcs that a warp relaxes on its own account before it gives work away
    u32 budget;
    // places of near, far and visited
    u32 capacity;
    u32 piece_capacity;
    // how many times a bucket may double its width
    u32 most_doublings;
};
