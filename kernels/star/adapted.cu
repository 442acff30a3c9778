// WARSHALL-adapt: a launch for each vertex k lets paths lead through k, a block a column.
//
// As the paper has it (snytnikova-nepomniaschaya-2016 in docs/references.bib): every column j
// with P(k, j) = 1 is OR-ed with column k, all columns at once. There a block has one thread a
// word, and so no more than 1024 words of 64; here threads go through the words in steps.
//
// Launch: a block for each of the n columns, of 32 * w threads, w up to 8, in one dimension.
//
// Reads:  the word of its column that has bit k, column k, its column where that bit is set.
// Writes: its column where that bit is set and it is not column k.
//
// Races, and why they are harmless: column k is read by all blocks and written by none: with itself
// it would be OR-ed to what it is. Other columns are read and written by one block. There the
// threads read the word with bit k while one of them may OR into it. That happens where the bit is
// set only, and an OR leaves it set, so all threads find the same. Words are loaded and stored
// whole.

#include "../common/grid.cuh"

extern "C" __global__ void __launch_bounds__(256) star_adapted(u64* table, u64 stride, u64 k)
{
    const u64 j = blockIdx.x;
    u64* mine = table + j * stride;
    const u64* through = table + k * stride;
    const u64 selector = *static_cast<volatile u64*>(mine + k / 64);
    if (j == k || (selector >> (k % 64) & 1) == 0) return;
    for (u64 i = threadIdx.x; i < stride; i += blockDim.x) {
        const u64 more = through[i];
        if (more) mine[i] |= more;
    }
}
