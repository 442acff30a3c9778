// Plain Floyd-Warshall: a launch for each vertex k lets paths lead through k, a thread an
// element.
//
// After the kernel of Harish and Narayanan as the post on out-of-core graphs prints it
// (harish-narayanan-2007, origin-out-of-core in docs/references.bib). There the fast index
// of a thread counts rows, so that neighbouring threads read a column; here it counts columns.
//
// Launch, for all entries: blocks of 256 threads in one dimension, each a square of 16 x 16
// elements; ceil(n / 16) squared blocks; no shared memory. The block at place b has the
// square in row b / ceil(n / 16) and column b % ceil(n / 16).
//
// Reads:  its element, its row's element in column k, its column's element in row k.
// Writes: its element, if the path through k is shorter.
//
// Races, and why they are harmless: row k and column k are read by all threads and belong to
// some. Where there is no negative cycle, the element (k, k) is not below zero, and nothing
// in row k and column k is ever above itself plus that: these elements are not written.

#include "number.cuh"

constexpr u32 square = 16;

struct Place {
    u32 row;
    u32 column;
    bool exists;
};

__device__ __forceinline__ Place place(u32 n)
{
    const u32 across = (n + square - 1) / square;
    const u32 row = blockIdx.x / across * square + threadIdx.x / square;
    const u32 column = blockIdx.x % across * square + threadIdx.x % square;
    return {row, column, row < n && column < n};
}

// Whether the element of this thread fell.
__device__ __forceinline__ bool pass(Weight* matrix, u32 side, Place at, u32 k)
{
    if (!at.exists) return false;
    Weight* row = matrix + static_cast<u64>(at.row) * side;
    const Weight sum = row[k] + matrix[static_cast<u64>(k) * side + at.column];
    if (!(sum < row[at.column])) return false;
    row[at.column] = sum;
    return true;
}

// The distances alone, in the first n rows and columns of a matrix with rows of `side`.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(plain)(Weight* matrix, u32 side, u32 n, u32 k)
{
    pass(matrix, side, place(n), k);
}

// The distances, and in `last`, with rows of `side` too, the vertex k that an element fell
// through last, which is the largest vertex inside the path found. It starts as 2^32 - 1,
// which stays where the path is an arc, or there is none.
//
// In row k and column k nothing is written, as above, so no thread reads what another writes.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(plain_last)(Weight* matrix, u32* last, u32 side, u32 n, u32 k)
{
    const Place at = place(n);
    if (pass(matrix, side, at, k)) last[static_cast<u64>(at.row) * side + at.column] = k;
}
