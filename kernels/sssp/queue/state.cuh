// What a search with a queue is given, and what its blocks share.
#pragma once

#include "../../common/arcs.cuh"
#include "rank.cuh"

// A vertex in the queue, below the rank that its distance had when it was put there.
using Entry = u64;
__device__ __forceinline__ Entry entry_of(u32 rank, u32 vertex) { return static_cast<u64>(rank) << 32 | vertex; }
__device__ __forceinline__ u32 vertex_of(Entry entry) { return static_cast<u32>(entry); }
__device__ __forceinline__ u32 rank_of_entry(Entry entry) { return static_cast<u32>(entry >> 32); }

// Of a vertex: whether it waits in the queue, and whether it was ever taken.
constexpr u32 queued = 1;
constexpr u32 taken_before = 2;

// Zero before a search, and kept from launch to launch.
//
// Each count has three copies, used in turn. That of a round is written while that of the next
// round is cleared, and that of the round before may still be read by the slowest threads.
struct Control {
    // where the back of the queue begins in its array, and the sum of the ranks of all
    // that are queued
    u64 head, rank_sum;
    u64 rounds;
    // counts for the report
    u64 relaxations, improvements, taken, taken_again, relaxed_again;
    // what a round adds to the sum of the ranks
    u64 rank_change[3];
    u32 n_front, n_back;
    // whether a sum lay below all distances; above them, at the arc to an unreached vertex
    u32 below, above;
    // whether the host has ended the search
    u32 stopped;
    // entries of a round's appending, and pieces of its long rows
    u32 front[3], back[3], pieces[3];
};

// The host has the same structure; there is no padding in it.
struct Search {
    const u32* offsets;
    const u32* ends;
    const Weight* weights;
    Weight* distances;
    u32* states;
    // a circular array of `n_places`, twice the vertices
    Entry* back;
    // of n places each, in turn; unused without small labels first
    Entry* front[2];
    uint4* pieces;
    Control* control;
    // 0 before each launch
    u32* arrived;
    // the two words of a Watch
    volatile u32* host;
    u64 n_places;
    u64 most_rounds;
    // entries that a round of small labels first looks at
    u32 batch;
    u32 n_vertices;
    u32 small_first, large_last;
};
