// A search by delta-stepping: what it is given, and what its blocks share.
#pragma once

#include "key.cuh"

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
