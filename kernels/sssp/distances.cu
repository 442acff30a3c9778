// The distances that keys stand for, in the type that the caller asks for, on the device.
//
// Launched with any number of blocks and threads. A thread takes cells; none is read by
// another.
#include "delta_stepping/search.cuh"

using f32 = float;
using f64 = double;

// As in arrays.cu.
enum CellType : u32 { type_u32, type_i32, type_u64, type_i64, type_f32, type_f64 };

// What is launched on. The host has the same structure.
struct Cells {
    const Key* keys;
    void* cells;
    // 0 before; not 0 after if a distance is no number of the type
    u32* inexact;
    u64 n;
    // greater keys are of vertices that are not reached
    u64 limit;
    u32 cell_type;
    u32 padding;
};

// What integers have for unreached: the greatest of their type.
constexpr u64 greatest_i32 = 0x7fffffff, greatest_u32 = 0xffffffff, greatest_i64 = ~0ull >> 1, greatest_u64 = ~0ull;

#if defined(WEIGHT_U32) || defined(WEIGHT_U64)
__device__ __forceinline__ f64 as_float(Key key) { return static_cast<f64>(key); }
// Below 2^53 a float of 64 bits has all whole numbers.
__device__ __forceinline__ bool is_exact_as_float(Key key) { return key < 1ull << 53; }
__device__ __forceinline__ bool as_integer(Key key, u64 greatest, u64& value) {
    value = key;
    return value < greatest;
}
#else
#if defined(WEIGHT_F32)
__device__ __forceinline__ f64 as_float(Key key) { return __uint_as_float(key); }
#else
__device__ __forceinline__ f64 as_float(Key key) { return __longlong_as_double(key); }
#endif
__device__ __forceinline__ bool is_exact_as_float(Key) { return true; }
// Conversions round to zero and saturate.
__device__ __forceinline__ bool as_integer(Key key, u64 greatest, u64& value) {
    const f64 whole = as_float(key);
    value = static_cast<u64>(whole);
    return value < greatest && static_cast<f64>(value) == whole;
}
#endif

template <typename T> __device__ __forceinline__ bool write_float(const Cells& cells, u64 at, Key key) {
    const bool is_reached = key <= cells.limit;
    const T value = is_reached ? static_cast<T>(as_float(key)) : static_cast<T>(__builtin_huge_val());
    static_cast<T*>(cells.cells)[at] = value;
    return !is_reached || is_exact_as_float(key) && isfinite(value);
}

template <typename T>
__device__ __forceinline__ bool write_integer(const Cells& cells, u64 at, Key key, u64 greatest) {
    const bool is_reached = key <= cells.limit;
    u64 value = greatest;
    const bool is_exact = !is_reached || as_integer(key, greatest, value);
    static_cast<T*>(cells.cells)[at] = static_cast<T>(value);
    return is_exact;
}

extern "C" __global__ void ENTRY(distances)(Cells cells) {
    const u64 first = blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x;
    bool is_exact = true;
    for (u64 at = first; at < cells.n; at += gridDim.x * static_cast<u64>(blockDim.x)) {
        const Key key = cells.keys[at];
        switch (cells.cell_type) {
            case type_u32: is_exact &= write_integer<u32>(cells, at, key, greatest_u32); break;
            case type_i32: is_exact &= write_integer<u32>(cells, at, key, greatest_i32); break;
            case type_u64: is_exact &= write_integer<u64>(cells, at, key, greatest_u64); break;
            case type_i64: is_exact &= write_integer<u64>(cells, at, key, greatest_i64); break;
            case type_f32: is_exact &= write_float<f32>(cells, at, key); break;
            case type_f64: is_exact &= write_float<f64>(cells, at, key); break;
        }
    }
    if (!is_exact) *cells.inexact = 1;
}
