// Operations with the launches that the paper prints, to be measured beside operations.cu and
// questions.cu (snytnikova-nepomniaschaya-2016 in docs/references.bib).
//
// Rows of bits and tables are as in operations.cu. What differs from the print: positions count
// from 0. Results may go to a third row. Bits beyond a length stay zero. A fold marks the words
// that are not zero, where the print has "= 0" twice. A row that is read is put together from bits
// at their own places, where the print has them all at that of the row. A search of zeros ends at
// the first of them.
//
// Races: none. A thread writes one word, which no other thread reads or writes.

#include "../common/grid.cuh"

constexpr u32 none = 0xffffffffu;

// and_long_values and the like, by the number of the function: a block of one thread a word.
extern "C" __global__ void star_printed_logic(u64* z, const u64* x, const u64* y, u64 logic)
{
    const u64 a = x[blockIdx.x];
    const u64 b = y[blockIdx.x];
    switch (logic) {
        case 0: z[blockIdx.x] = a & b; break;
        case 1: z[blockIdx.x] = a & ~b; break;
        case 2: z[blockIdx.x] = a | b; break;
        default: z[blockIdx.x] = a ^ b; break;
    }
}

// find: bit i % 64 of word i / 64 of the fold says whether word i of the n words of v has a one. It
// is not printed: here a block of 64 threads for a word of the fold, half of it each warp.
extern "C" __global__ void __launch_bounds__(64) star_printed_find(u32* fold, const u64* v, u64 n)
{
    const u64 i = static_cast<u64>(blockIdx.x) * 64 + threadIdx.x;
    const u32 bits = __ballot_sync(everyone, i < n && v[i] != 0);
    if (lane() == 0) fold[blockIdx.x * 2 + threadIdx.x / 32] = bits;
}

// first_backward: from the last fold, of one word, back to the row itself, which is level 0:
// one thread. Of at most 2^31 bits there are six levels.
extern "C" __global__ void star_printed_first_backward(const u64* v0, const u64* v1, const u64* v2,
                                                       const u64* v3, const u64* v4, const u64* v5,
                                                       u64 level, u32* answer)
{
    const u64* const levels[] = {v0, v1, v2, v3, v4, v5};
    u64 index = 0;
    for (u64 up = level + 1; up-- > 0;) {
        const u64 word = levels[up][index];
        if (word == 0) {
            index = none;
            break;
        }
        index = index * 64 + __ffsll(static_cast<long long>(word)) - 1;
    }
    *static_cast<volatile u32*>(answer) = static_cast<u32>(index);
}

// get_row: a block of 64 threads for each word of the row, a thread for each of the n columns. The
// row is bit `shift` of word `at` of a column.
extern "C" __global__ void __launch_bounds__(64)
    star_printed_get_row(u64* s, const u64* table, u64 stride, u64 n, u64 at, u64 shift)
{
    __shared__ u64 tmp[64];
    const u64 k = static_cast<u64>(blockIdx.x) * 64 + threadIdx.x;
    const u64 bit = k < n ? table[k * stride + at] >> shift & 1 : 0;
    tmp[threadIdx.x] = bit << threadIdx.x;
    __syncthreads();
    if (threadIdx.x != 0) return;
    u64 word = 0;
    for (u32 i = 0; i < 64; ++i) word |= tmp[i];
    s[blockIdx.x] = word;
}

// set_row: the same blocks, which write.
extern "C" __global__ void __launch_bounds__(64)
    star_printed_set_row(u64* table, u64 stride, u64 n, u64 at, u64 shift, const u64* s)
{
    const u64 k = static_cast<u64>(blockIdx.x) * 64 + threadIdx.x;
    if (k >= n) return;
    u64* word = table + k * stride + at;
    if (s[blockIdx.x] >> threadIdx.x & 1) {
        *word |= 1ull << shift;
    } else {
        *word &= ~(1ull << shift);
    }
}
