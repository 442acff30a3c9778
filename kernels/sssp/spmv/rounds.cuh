// Bellman-Ford as products of matrix and vector: what a search is given, and the loop around
// the products, whatever the form of the matrix.
//
// Row v of the matrix has the arcs into v. A product over (min, +), and the least of it and
// of the vector, are the vector of the next round: d(v) = min(d(v), min over arcs (u, v) of
// d(u) + w(u, v)). The search ends with the first round in which nothing falls.
#pragma once

#include "../../common/watch.cuh"
#include "../../common/weights.cuh"

// What the blocks share. Zero before a launch.
//
// The marks of a round stand in threes, used in turn: one that is written, one that may still
// be read, and one that is cleared for the next round.
struct Control {
    u32 arrived;
    u32 stopped;
    // whether a distance fell; whether a sum was dropped that a distance needs
    u32 fell[3], dropped[3];
    // for the host: the last round, and its two marks
    u32 rounds, has_fallen, has_dropped, padding;
    u64 improvements;
};

// What a launch is given. The host has the same structure; there is no padding in it.
struct Spmv {
    // where each row begins, and where the last one ends; null where rows are padded
    const u32* offsets;
    // of an arc into the row's vertex: where it begins, and its weight
    const u32* starts;
    const Weight* weights;
    Weight* distances;
    Control* control;
    volatile u32* host;
    u32 n_vertices;
    u32 n_arcs;
    u32 source;
    // lanes that share a row, or slots that each row has, where the form has such a number
    u32 width;
    // the rounds of this launch; the first of all is 1
    u32 first_round, last_round;
};

// What a thread has seen in a round, and how many distances it lowered in all.
struct Seen {
    bool fell = false;
    bool dropped = false;
    u64 improvements = 0;
};

// What arcs give one vertex: the least sum that fits, and whether sums did not.
struct Least {
    Weight value;
    bool above = false;
    bool below = false;

    __device__ __forceinline__ void take(Weight at_start, Weight weight) {
        if (at_start == unreached) return;
        Weight sum;
        const Sum outcome = add(at_start, weight, sum);
        if (outcome == Sum::fits && sum < value) value = sum;
        above |= outcome == Sum::above;
        below |= outcome == Sum::below;
    }
};

__device__ __forceinline__ Weight smaller(Weight a, Weight b) { return b < a ? b : a; }

// Ends a row of a vertex that only this thread writes: `least` began at `before`, which is
// what stands there.
__device__ __forceinline__ void finish_row(const Spmv& spmv, u32 vertex, Weight before, const Least& least,
                                           Seen& seen) {
    seen.dropped |= least.below || (least.above && before == unreached);
    if (!(least.value < before)) return;
    __stcg(spmv.distances + vertex, least.value);
    seen.fell = true;
    seen.improvements++;
}

__device__ __forceinline__ u32 this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u32 all_threads() { return gridDim.x * blockDim.x; }

// Rounds, each of which is one call of product(seen) by every thread, until nothing falls,
// the last round of the launch is done, or the host ends the search.
//
// A mark is cleared in the round before the one that sets it, and was read after the barrier
// of the round before that one, hence before the barrier that the wiping thread has passed.
template <typename Product> __device__ __forceinline__ void multiply_until_nothing_falls(const Spmv& spmv,
                                                                                         Product product) {
    Control& control = *spmv.control;
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    const Watch watch{spmv.host, &control.stopped};
    const bool is_first_thread = this_thread() == 0;
    if (spmv.first_round == 1) {
        for (u32 v = this_thread(); v < spmv.n_vertices; v += all_threads()) {
            __stcg(spmv.distances + v, v == spmv.source ? Weight(0) : unreached);
        }
        barrier.wait();
    }
    Seen seen;
    for (u32 round = spmv.first_round;; round++) {
        seen.fell = seen.dropped = false;
        product(seen);
        u32* const fell = &control.fell[round % 3];
        u32* const dropped = &control.dropped[round % 3];
        // one store a block: most rounds lower something in every warp
        if (__syncthreads_or(seen.fell) && threadIdx.x == 0) __stcg(fell, 1u);
        if (seen.dropped) __stcg(dropped, 1u);
        if (is_first_thread) {
            __stcg(&control.fell[(round + 1) % 3], 0u);
            __stcg(&control.dropped[(round + 1) % 3], 0u);
            if (watch.calls(round)) watch.call(round);
        }
        barrier.wait();
        const bool has_fallen = load(fell) != 0;
        if (has_fallen && round < spmv.last_round && !(watch.calls(round) && watch.ends())) continue;
        if (is_first_thread) {
            control.rounds = round;
            control.has_fallen = has_fallen;
            control.has_dropped = load(dropped);
        }
        break;
    }
    const u64 improvements = warp_sum(seen.improvements);
    if (lane() == 0 && improvements != 0) atomicAdd(&control.improvements, improvements);
}
