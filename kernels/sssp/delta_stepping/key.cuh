// Keys of distances, weights, arcs and entries of lists, by the variant of a module.
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
