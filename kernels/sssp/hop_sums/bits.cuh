// The bits of a vertex, one for each source of a batch, shared by the lanes of a group.
//
// A group of lanes has a vertex at a time. Some of them, `word_lanes`, have a part of the bits
// each, as one load takes them; as many times these as fit look at arcs side by side.
#pragma once

#include "../../common/grid.cuh"

using u8 = unsigned char;

#if defined(BITS_64)
#define ENTRY(name) name##_64
// 64 bits a lane
struct Bits {
    u64 low;
};
constexpr u32 word_lanes = 1, group_lanes = 4;
#elif defined(BITS_1024)
#define ENTRY(name) name##_1024
struct alignas(16) Bits {
    u64 low, high;
};
constexpr u32 word_lanes = 8, group_lanes = 8;
#else
#error "define one of BITS_64, BITS_1024"
#endif

constexpr u32 bits_a_lane = sizeof(Bits) * 8;
constexpr u32 arc_lanes = group_lanes / word_lanes;

__device__ __forceinline__ u32 word_lane() { return threadIdx.x % word_lanes; }
__device__ __forceinline__ u32 arc_lane() { return threadIdx.x % group_lanes / word_lanes; }

#if defined(BITS_64)
__device__ __forceinline__ Bits none() { return Bits{0}; }
__device__ __forceinline__ Bits operator|(Bits a, Bits b) { return Bits{a.low | b.low}; }
__device__ __forceinline__ Bits without(Bits a, Bits b) { return Bits{a.low & ~b.low}; }
__device__ __forceinline__ bool has_any(Bits a) { return a.low != 0; }
__device__ __forceinline__ u32 count(Bits a) { return __popcll(a.low); }
__device__ __forceinline__ Bits of_lane(Bits a, u32 mask) { return Bits{__shfl_xor_sync(everyone, a.low, mask)}; }
__device__ __forceinline__ Bits load(const Bits* from) { return Bits{__ldcg(&from->low)}; }
__device__ __forceinline__ void store(Bits* to, Bits a) { __stcg(&to->low, a.low); }
__device__ __forceinline__ void raise(Bits* to, Bits a) { atomicOr(&to->low, a.low); }
// The bits of this lane below the n-th of all.
__device__ __forceinline__ Bits lower(u32 n) { return Bits{n >= 64 ? ~0ull : (1ull << n) - 1}; }
#else
__device__ __forceinline__ Bits none() { return Bits{0, 0}; }
__device__ __forceinline__ Bits operator|(Bits a, Bits b) { return Bits{a.low | b.low, a.high | b.high}; }
__device__ __forceinline__ Bits without(Bits a, Bits b) { return Bits{a.low & ~b.low, a.high & ~b.high}; }
__device__ __forceinline__ bool has_any(Bits a) { return (a.low | a.high) != 0; }
__device__ __forceinline__ u32 count(Bits a) { return __popcll(a.low) + __popcll(a.high); }
__device__ __forceinline__ Bits of_lane(Bits a, u32 mask) {
    return Bits{__shfl_xor_sync(everyone, a.low, mask), __shfl_xor_sync(everyone, a.high, mask)};
}
__device__ __forceinline__ Bits load(const Bits* from) {
    const ulonglong2 both = __ldcg(reinterpret_cast<const ulonglong2*>(from));
    return Bits{both.x, both.y};
}
__device__ __forceinline__ void store(Bits* to, Bits a) {
    __stcg(reinterpret_cast<ulonglong2*>(to), make_ulonglong2(a.low, a.high));
}
__device__ __forceinline__ void raise(Bits* to, Bits a) {
    if (a.low != 0) atomicOr(&to->low, a.low);
    if (a.high != 0) atomicOr(&to->high, a.high);
}
__device__ __forceinline__ Bits lower(u32 n) {
    const u32 first = word_lane() * 128;
    const u32 mine = n > first ? min(n - first, 128u) : 0;
    const u64 low = mine >= 64 ? ~0ull : (1ull << mine) - 1;
    const u64 high = mine >= 128 ? ~0ull : mine > 64 ? (1ull << (mine - 64)) - 1 : 0;
    return Bits{low, high};
}
#endif

// Whether a value is other than zero in any lane of the group.
__device__ __forceinline__ bool group_any(bool value) {
    const u32 lanes = __ballot_sync(everyone, value);
    return lanes >> (lane() / group_lanes * group_lanes) & ((1u << group_lanes) - 1);
}

// The sum over the lanes of the group that have parts of the bits.
__device__ __forceinline__ u32 group_sum(u32 value) {
#pragma unroll
    for (u32 step = word_lanes / 2; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// The union over the lanes of the group that have the same part of the bits.
__device__ __forceinline__ Bits group_or(Bits bits) {
#pragma unroll
    for (u32 step = word_lanes; step < group_lanes; step <<= 1) bits = bits | of_lane(bits, step);
    return bits;
}
