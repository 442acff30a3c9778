// The rank of a distance: 32 bits that order as distances do, so that ranks of all vertices
// add up in 64 bits without rounding, whatever the type.
//
// An integer is its own rank, but for an offset. The rank of a float is its bits, inverted if it is
// negative, and of 64 bits the upper half. Distances that differ by a millionth have the same rank.
// A mean of such ranks is a mean of the floats in which each power of two counts alike; it lies
// between the least and the greatest, as every mean does.
#pragma once

#include "../../common/weights.cuh"

#if defined(WEIGHT_U32)
__device__ __forceinline__ u32 rank_of(Weight distance) { return distance; }
#elif defined(WEIGHT_I32)
__device__ __forceinline__ u32 rank_of(Weight distance) { return static_cast<u32>(distance) ^ 0x80000000u; }
#else
__device__ __forceinline__ u32 rank_of(Weight distance) {
    const u32 bits = static_cast<u32>(static_cast<Unsigned>(bits_of(distance)) >> (8 * sizeof(Weight) - 32));
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
#endif
