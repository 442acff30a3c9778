// A graph that lies on the device as compressed sparse rows, of types that the caller chose. These
// kernels check that it is a graph, compute the properties that a search needs, and write its rows
// and arcs as delta-stepping reads them.
//
// Each entry is launched with any number of blocks of up to 1024 threads, whole warps; none reads
// what it writes. Sums and comparisons are made within a thread, then within its block, and each
// block leaves a tally, so sums are the same in every run.
#include "../common/arcs.cuh"

using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;

// No position.
constexpr u64 none = ~0ull;
constexpr u64 sign = 1ull << 63;

enum WeightType : u32 { type_u32, type_i32, type_u64, type_i64, type_f32, type_f64 };

// What is launched on. The host has the same structure.
struct Arrays {
    // n_vertices + 1 of them
    const void* offsets;
    // n_arcs each
    const void* ends;
    const void* weights;
    // results: where each row begins and ends; pairs of end and weight
    uint2* bounds;
    void* arcs;
    // a tally for each block
    void* tallies;
    // every `sample_step`-th weight
    f64* samples;
    u64 n_arcs;
    u64 sample_step;
    u32 n_vertices;
    u32 weight_type;
    // whether these have 64 bits, not 32
    u32 wide_offsets;
    u32 wide_ends;
    u32 wide_arcs;
    u32 padding;
};

// What a block found among the rows.
struct RowTally {
    // of the lengths
    f64 sum_of_squares;
    // rows that have arcs
    u64 n_linked;
    // the first that does not begin where the one before ends, or not end in time; or `none`
    u64 first_bad;
};

// What a block found among the arcs: first ones, or `none`.
struct ArcTally {
    // weights as numbers that order as they do
    u64 least, greatest;
    // of the weights without their signs
    f64 sum;
    u64 first_bad_end, first_infinite, first_negative;
};

__device__ __forceinline__ u64 first_of_thread() { return blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x; }
__device__ __forceinline__ u64 threads() { return gridDim.x * static_cast<u64>(blockDim.x); }

__device__ __forceinline__ u64 index_at(const void* from, bool is_wide, u64 at) {
    return is_wide ? static_cast<const u64*>(from)[at] : static_cast<const u32*>(from)[at];
}

// The values of all threads of the block, taken together; for the first thread.
template <typename T, typename Both> __device__ T over_block(T value, Both both) {
    __shared__ T of_warps[32];
    for (u32 step = 16; step; step >>= 1) value = both(value, __shfl_xor_sync(everyone, value, step));
    __syncthreads();
    if (lane() == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < blockDim.x / 32; warp++) value = both(value, of_warps[warp]);
    }
    return value;
}

struct Lesser {
    __device__ u64 operator()(u64 a, u64 b) const { return min(a, b); }
};
struct Greater {
    __device__ u64 operator()(u64 a, u64 b) const { return max(a, b); }
};
struct Sum {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};

// A thread takes rows.
extern "C" __global__ void rows_of_arrays(Arrays arrays) {
    RowTally found = {0, 0, none};
    const u64 n = arrays.n_vertices;
    for (u64 v = first_of_thread(); v < n; v += threads()) {
        const u64 begin = index_at(arrays.offsets, arrays.wide_offsets, v);
        const u64 end = index_at(arrays.offsets, arrays.wide_offsets, v + 1);
        const bool is_good = begin <= end && end <= arrays.n_arcs && (v > 0 || begin == 0) &&
                             (v + 1 < n || end == arrays.n_arcs);
        if (!is_good) found.first_bad = min(found.first_bad, v);
        const f64 length = is_good ? static_cast<f64>(end - begin) : 0;
        found.sum_of_squares += length * length;
        found.n_linked += length > 0;
        arrays.bounds[v] = is_good ? make_uint2(static_cast<u32>(begin), static_cast<u32>(end)) : make_uint2(0, 0);
    }
    found = {over_block(found.sum_of_squares, Sum()), over_block(found.n_linked, Sum()),
             over_block(found.first_bad, Lesser())};
    if (threadIdx.x == 0) static_cast<RowTally*>(arrays.tallies)[blockIdx.x] = found;
}

// A weight: its value, as near as a float has it, and a number that orders as weights of its type.
struct Weighed {
    f64 value;
    u64 order;
};

__device__ __forceinline__ Weighed of_integer(i64 value) {
    return {static_cast<f64>(value), static_cast<u64>(value) ^ sign};
}

__device__ __forceinline__ Weighed of_float(f64 value) {
    const u64 bits = __double_as_longlong(value);
    return {value, bits & sign ? ~bits : bits | sign};
}

__device__ __forceinline__ Weighed weight_at(const Arrays& arrays, u64 at) {
    switch (arrays.weight_type) {
        case type_u32: return of_integer(static_cast<const u32*>(arrays.weights)[at]);
        case type_i32: return of_integer(static_cast<const i32*>(arrays.weights)[at]);
        case type_i64: return of_integer(static_cast<const i64*>(arrays.weights)[at]);
        case type_f32: return of_float(static_cast<const f32*>(arrays.weights)[at]);
        case type_f64: return of_float(static_cast<const f64*>(arrays.weights)[at]);
        default: {
            const u64 value = static_cast<const u64*>(arrays.weights)[at];
            return {static_cast<f64>(value), value};
        }
    }
}

// A thread takes arcs.
extern "C" __global__ void look_at_arrays(Arrays arrays) {
    ArcTally found = {none, 0, 0, none, none, none};
    for (u64 k = first_of_thread(); k < arrays.n_arcs; k += threads()) {
        const Weighed weight = weight_at(arrays, k);
        if (index_at(arrays.ends, arrays.wide_ends, k) >= arrays.n_vertices) {
            found.first_bad_end = min(found.first_bad_end, k);
        }
        if (!isfinite(weight.value)) found.first_infinite = min(found.first_infinite, k);
        if (weight.value < 0) found.first_negative = min(found.first_negative, k);
        found.least = min(found.least, weight.order);
        found.greatest = max(found.greatest, weight.order);
        found.sum += fabs(weight.value);
        if (k % arrays.sample_step == 0) arrays.samples[k / arrays.sample_step] = weight.value;
    }
    found = {over_block(found.least, Lesser()),         over_block(found.greatest, Greater()),
             over_block(found.sum, Sum()),              over_block(found.first_bad_end, Lesser()),
             over_block(found.first_infinite, Lesser()), over_block(found.first_negative, Lesser())};
    if (threadIdx.x == 0) static_cast<ArcTally*>(arrays.tallies)[blockIdx.x] = found;
}

// A thread makes arcs, of ends below 2^32 and weights of which none is negative; a zero with a
// sign loses it.
extern "C" __global__ void arcs_of_arrays(Arrays arrays) {
    const u32 type = arrays.weight_type;
    const bool is_wide = type == type_u64 || type == type_i64 || type == type_f64;
    const u64 mask = type == type_f64 ? ~sign : type == type_f32 ? 0x7fffffffull : ~0ull;
    for (u64 k = first_of_thread(); k < arrays.n_arcs; k += threads()) {
        const u32 end = static_cast<u32>(index_at(arrays.ends, arrays.wide_ends, k));
        const u64 weight = index_at(arrays.weights, is_wide, k) & mask;
        if (arrays.wide_arcs) {
            static_cast<ulonglong2*>(arrays.arcs)[k] = make_ulonglong2(end, weight);
        } else {
            static_cast<uint2*>(arrays.arcs)[k] = make_uint2(end, static_cast<u32>(weight));
        }
    }
}

// Every bit of the result depends on every bit of `x`. Reference: steele-2014
__device__ __forceinline__ u64 mixed(u64 x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ __forceinline__ u64 hash_of(u64 from, u64 to, u64 weight) {
    return mixed(mixed(from << 32 | to) + 0x9e3779b97f4a7c15ull * (weight + 1));
}

// Adds to *difference the hashes of the arcs, less those of the reversed arcs. The sum is 0 if
// every arc has its reverse, of the same weight; otherwise it is 0 by a chance of one in 2^64.
extern "C" __global__ void compare_with_reverse(Arrays arrays, u64* difference) {
    u64 sum = 0;
    for_each_arc_evenly(arrays.bounds, arrays.n_vertices, arrays.n_arcs, [&](bool has, u32 from, u32 arc) {
        if (!has) return;
        u64 to, weight;
        if (arrays.wide_arcs) {
            const ulonglong2 read = static_cast<const ulonglong2*>(arrays.arcs)[arc];
            to = read.x, weight = read.y;
        } else {
            const uint2 read = static_cast<const uint2*>(arrays.arcs)[arc];
            to = read.x, weight = read.y;
        }
        sum += hash_of(from, to, weight) - hash_of(to, from, weight);
    });
    sum = warp_sum(sum);
    if (lane() == 0) atomicAdd(difference, sum);
}
