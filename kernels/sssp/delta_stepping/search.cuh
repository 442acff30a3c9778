// A search by delta-stepping: what it is given, and what its blocks share.
//
// Distances are keys: unsigned integers that order as the distances do. An integer is its own
// key, a float of at least zero its bits. A variant of a module says what weights are, and
// whether keys have 32 bits or 64.
#pragma once

#include "../../common/grid.cuh"

#if defined(WEIGHT_U32) && defined(WIDE_KEYS)
#define ENTRY(name) name##_u32_wide
#elif defined(WEIGHT_U32)
#define ENTRY(name) name##_u32
#elif defined(WEIGHT_F32)
#define ENTRY(name) name##_f32
#elif defined(WEIGHT_U64)
#define ENTRY(name) name##_u64
#elif defined(WEIGHT_F64)
#define ENTRY(name) name##_f64
#else
#error "define one of WEIGHT_U32, WEIGHT_F32, WEIGHT_U64, WEIGHT_F64"
#endif

// A weight's bits, and an arc: its end and its weight.
#if defined(WEIGHT_U32) || defined(WEIGHT_F32)
using Weight = u32;
using Arc = uint2;
#else
using Weight = u64;
using Arc = ulonglong2;
#endif

// A vertex and the key it had when it was put into a list; stale when its key is smaller by now.
#if defined(WEIGHT_F32) || defined(WEIGHT_U32) && !defined(WIDE_KEYS)
using Key = u32;
using Entry = u64;
__device__ __forceinline__ Entry entry_of(Key key, u32 vertex) { return static_cast<u64>(key) << 32 | vertex; }
__device__ __forceinline__ u32 vertex_of(Entry entry) { return static_cast<u32>(entry); }
__device__ __forceinline__ Key key_of(Entry entry) { return static_cast<Key>(entry >> 32); }
#else
using Key = u64;
using Entry = ulonglong2;
__device__ __forceinline__ Entry entry_of(Key key, u32 vertex) { return make_ulonglong2(key, vertex); }
__device__ __forceinline__ u32 vertex_of(Entry entry) { return static_cast<u32>(entry.y); }
__device__ __forceinline__ Key key_of(Entry entry) { return entry.x; }
#endif

// The key of a vertex that is not reached, above all others.
constexpr Key unreached = ~static_cast<Key>(0);

#if defined(WEIGHT_U32) || defined(WEIGHT_U64)
constexpr Key half_of_all = unreached / 2 + 1;
__device__ __forceinline__ Weight without_sign(Weight weight) { return weight; }
__device__ __forceinline__ Key doubled(Key width) { return width < half_of_all ? width << 1 : width; }
// The key of the sum of a key and a weight; `unreached` where it cannot be held.
__device__ __forceinline__ Key after(Key from, Key weight) {
    const Key sum = from + weight;
    return sum < from ? unreached : sum;
}
#else
#if defined(WEIGHT_F32)
constexpr Key infinity = 0x7f800000u, step_of_exponent = 0x00800000u;
__device__ __forceinline__ Key sum_of(Key a, Key b) {
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
}
#else
constexpr Key infinity = 0x7ff0000000000000u, step_of_exponent = 0x0010000000000000u;
__device__ __forceinline__ Key sum_of(Key a, Key b) {
    return __double_as_longlong(__longlong_as_double(a) + __longlong_as_double(b));
}
#endif
__device__ __forceinline__ Weight without_sign(Weight weight) { return weight & unreached / 2; }
__device__ __forceinline__ Key doubled(Key width) {
    return width < infinity - step_of_exponent ? width + step_of_exponent : width;
}
__device__ __forceinline__ Key after(Key from, Key weight) {
    const Key sum = sum_of(from, weight);
    return sum < infinity ? sum : unreached;
}
#endif

// The key a width beyond `from`, and in any case beyond it: a width may be lost in rounding.
__device__ __forceinline__ Key beyond(Key from, Key width) {
    return max(after(from, width), from == unreached ? from : from + 1);
}

// Arcs as (end, weight), and for every vertex where its row begins and ends.
struct Rows {
    const uint2* bounds;
    const Arc* arcs;
};

// Some arcs of a vertex, and the key it had when they were put aside. In memory pieces are read
// and written by 16 bytes.
struct alignas(16) Piece {
    Key key;
    u32 vertex, first, end;
};

constexpr u32 words_of_piece = sizeof(Piece) / sizeof(uint4);

__device__ __forceinline__ Piece load(const Piece* from) {
    uint4 words[words_of_piece];
    for (u32 i = 0; i < words_of_piece; i++) words[i] = load(reinterpret_cast<const uint4*>(from) + i);
    Piece piece;
    memcpy(&piece, words, sizeof(Piece));
    return piece;
}

__device__ __forceinline__ void store(Piece* to, const Piece& piece) {
    uint4 words[words_of_piece];
    memcpy(words, &piece, sizeof(Piece));
    for (u32 i = 0; i < words_of_piece; i++) __stcg(reinterpret_cast<uint4*>(to) + i, words[i]);
}

// Why a search has to be done again by other means.
constexpr u32 overflowed = 1;

// What the blocks share. Zero before a launch.
//
// Each count of a list has three copies, used in turn. One is read, one is written, and one is
// cleared for the next turn, so that no thread has to wait for the slowest reader.
struct Control {
    u32 arrived;
    // of many sources: the one that is searched from
    u32 turn;
    u32 trouble;
    u32 steps;
    // whether the host has ended the search
    u32 stopped;
    u32 near[3], pieces[3], far[3];
    // by the parity of the settled bound: vertices visited before it
    u32 visited[2];
    // the least key that stays in the far list of a turn, and beyond a settled bound
    u64 least[3], least_beyond[2];
    // arcs of the vertices visited before a settled bound; of all visited before
    u64 visited_arcs[2], settled_arcs;
    // counts for the report
    u64 relaxations, improvements, settled;
    // clock cycles of the first thread: near, far, push, pull
    u64 cycles[4];
};

// What a search is given. The host has the same structure; there is no padding in it. Keys have
// 64 bits here, whatever they have elsewhere.
struct Search {
    Rows graph;
    // the arcs shorter than `short_limit`, or all where that is 0
    Rows near_arcs;
    Key* keys;
    Entry *near[2], *far[2], *visited;
    // pieces of long rows
    Piece* pieces[2];
    Control* control;
    // two words of the host's memory: whether the search is to end, and how many steps it has done;
    // null if progress is not reported
    volatile u32* host;
    // the search may end when these are settled, if there are any
    const u32* targets;
    // sources beside the first
    const u32* others;
    u64 n_arcs;
    // no key above is needed
    u64 limit;
    // the least width of a bucket, a normal number
    u64 delta;
    // how far ahead the settled bound lies; 0 where no arcs are deferred
    u64 short_limit;
    u32 n_vertices;
    u32 source;
    u32 n_others;
    u32 n_targets;
    // arcs that a warp relaxes on its own account before it gives work away
    u32 budget;
    // places of near, far and visited
    u32 capacity;
    u32 piece_capacity;
    // how many times a bucket may double its width
    u32 most_doublings;
};
