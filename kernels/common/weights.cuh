// Distances and weights of one type, which the module's variant names. Here are its tokens, the
// value of an unreached vertex, and sums that never wrap. An atomic lowers a distance and returns
// whether it fell.
//
// One of WEIGHT_U32, WEIGHT_I32, WEIGHT_F32, WEIGHT_F64 is defined by modules.toml.
#pragma once

using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using i64 = long long;
using f32 = float;
using f64 = double;

#define JOIN_TOKENS(a, b) a##_##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
// The name of an entry for this type: ENTRY(bellman_ford_start) is bellman_ford_start_u32.
#define ENTRY(name) JOIN(name, WEIGHT_NAME)

// What became of a sum: it is a distance, or lies above or below all distances.
enum class Sum { fits, above, below };

#if defined(WEIGHT_U32)

#define WEIGHT_NAME u32
using Weight = u32;
constexpr Weight unreached = 0xffffffffu;

__device__ __forceinline__ Sum add(Weight distance, Weight weight, Weight& sum) {
    sum = distance + weight;
    return sum < distance || sum == unreached ? Sum::above : Sum::fits;
}

__device__ __forceinline__ bool lower(Weight* distance, Weight to) { return to < atomicMin(distance, to); }

#elif defined(WEIGHT_I32)

#define WEIGHT_NAME i32
using Weight = i32;
constexpr Weight unreached = 0x7fffffff;

__device__ __forceinline__ Sum add(Weight distance, Weight weight, Weight& sum) {
    const i64 wide = static_cast<i64>(distance) + weight;
    sum = static_cast<Weight>(wide);
    if (wide >= unreached) return Sum::above;
    return wide < -static_cast<i64>(unreached) - 1 ? Sum::below : Sum::fits;
}

__device__ __forceinline__ bool lower(Weight* distance, Weight to) { return to < atomicMin(distance, to); }

#elif defined(WEIGHT_F32) || defined(WEIGHT_F64)

#if defined(WEIGHT_F32)
#define WEIGHT_NAME f32
using Weight = f32;
using Signed = i32;
using Unsigned = u32;
__device__ __forceinline__ Signed bits_of(Weight value) { return __float_as_int(value); }
#else
#define WEIGHT_NAME f64
using Weight = f64;
using Signed = i64;
using Unsigned = u64;
__device__ __forceinline__ Signed bits_of(Weight value) { return __double_as_longlong(value); }
#endif
// positive infinity
constexpr Weight unreached = static_cast<Weight>(__builtin_huge_val());

// Adding +0 turns the one zero that has a sign, -0, into +0, and changes nothing else.
__device__ __forceinline__ Sum add(Weight distance, Weight weight, Weight& sum) {
    sum = (distance + weight) + Weight(0);
    if (sum == unreached) return Sum::above;
    return sum == -unreached ? Sum::below : Sum::fits;
}

// Among floats without a sign the order is that of their bits as integers; among those with one it
// is the reverse. So there are two cases. A value without a sign is less than the old one exactly
// if its bits are less as a signed integer. An old value with a sign is then negative, and stays. A
// value with a sign is less than the old one exactly if its bits are more as an unsigned integer.
// An old value without a sign is then the smaller unsigned integer, and is replaced.
__device__ __forceinline__ bool lower(Weight* distance, Weight to) {
    const Signed bits = bits_of(to);
    if (bits >= 0) return bits < atomicMin(reinterpret_cast<Signed*>(distance), bits);
    const Unsigned unsigned_bits = static_cast<Unsigned>(bits);
    return unsigned_bits > atomicMax(reinterpret_cast<Unsigned*>(distance), unsigned_bits);
}

#else
#error "define one of WEIGHT_U32, WEIGHT_I32, WEIGHT_F32, WEIGHT_F64"
#endif
