// Keys of one type, as the crate's `Key` has them: what is no path, sums that never wrap, and
// lowering by an atomic. The module's variant names the type.
#pragma once

#include "../common/grid.cuh"

using u16 = unsigned short;
using f32 = float;
using f64 = double;

#define JOIN_TOKENS(a, b) a##_##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
// The name of an entry for this type: ENTRY(hierarchy_sweep) is hierarchy_sweep_u32.
#define ENTRY(name) JOIN(name, KEY_NAME)

#if defined(KEY_U32)
#define KEY_NAME u32
using Key = u32;
constexpr Key unreached = 0xffffffffu / 2;
__device__ __forceinline__ void lower(Key* key, Key to) { atomicMin(key, to); }
#elif defined(KEY_U64)
#define KEY_NAME u64
using Key = u64;
constexpr Key unreached = ~0ull / 2;
__device__ __forceinline__ void lower(Key* key, Key to) { atomicMin(key, to); }
#elif defined(KEY_F64)
#define KEY_NAME f64
using Key = f64;
// positive infinity
constexpr Key unreached = static_cast<Key>(__builtin_huge_val());
// Floats without a sign are in the order of their bits.
__device__ __forceinline__ void lower(Key* key, Key to) {
    atomicMin(reinterpret_cast<u64*>(key), static_cast<u64>(__double_as_longlong(to)));
}
#else
#error "define one of KEY_U32, KEY_U64, KEY_F64"
#endif

// The keys of an arc of the hierarchy: from its lower vertex to the higher, and back.
constexpr u32 up = 0, down = 1;

// No rank, and no key of the hierarchy.
constexpr u32 none = 0xffffffffu;
