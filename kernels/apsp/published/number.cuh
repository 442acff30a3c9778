// Numbers of a matrix of distances: what stands for no path, and the one step that all
// forms are made of.
//
// No path is infinity, or half of what an i32 holds, so that a sum of two of them is still a
// number. Arcs below zero lower it a little: what is left at a quarter of an i32's range or
// more means no path too.
#pragma once

#include "../../common/weights.cuh"

#if defined(WEIGHT_I32)
constexpr Weight no_path = 0x3fffffff;
__device__ __forceinline__ Weight smaller(Weight a, Weight b) { return min(a, b); }
#else
constexpr Weight no_path = unreached;
__device__ __forceinline__ Weight smaller(Weight a, Weight b) { return fminf(a, b); }
#endif

// least = min(least, first + second)
__device__ __forceinline__ void relax(Weight& least, Weight first, Weight second)
{
    least = smaller(least, first + second);
}
