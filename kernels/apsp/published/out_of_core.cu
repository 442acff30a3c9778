// Blocked Floyd-Warshall of a matrix that need not fit the GPU: a launch updates 32 of its rows
// with one pivot, so each of the 32 pivots of a block takes a launch.
//
// After `PhaseII_Column_kernel` of the post on out-of-core graphs (origin-out-of-core in
// docs/references.bib), the only one of its three kernels that is printed. What is different: it
// replaces all three. The pivots' columns come to the GPU transposed, as rows, which are closed as
// the pivots' rows are. The other rows differ from these only in the place where row k is read.
//
// Launch: n / 32 blocks of 32 threads, a thread a column, which it goes down; no shared memory.
//
// Reads:  row k of `pivots`, its column of `rows`, and of each row the element in column
//         `first` + k. `pivots` may be `rows`.
// Writes: its column of `rows`, unless it is one of the pivots', which are closed already.
//
// Races: none. A thread reads and writes its own column, and reads the pivots' columns, which no
// thread writes.

#include "number.cuh"

constexpr u32 block_rows = 32;

// Through pivot k, which is below 32, of the block that begins with vertex `first`; rows have
// `side` elements.
extern "C" __global__ void __launch_bounds__(block_rows)
    ENTRY(out_of_core)(Weight* rows, const Weight* pivots, u32 side, u32 first, u32 k)
{
    const u32 column = blockIdx.x * block_rows + threadIdx.x;
    if (blockIdx.x == first / block_rows) return;
    const Weight down = pivots[k * static_cast<u64>(side) + column];
    for (u32 i = 0; i < block_rows; ++i) {
        Weight* row = rows + i * static_cast<u64>(side);
        relax(row[column], row[first + k], down);
    }
}
