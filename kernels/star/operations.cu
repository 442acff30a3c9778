// The operations of the STAR-machine that have no answer: one launch each.
//
// A row of bits is n words of 64, bit p being bit p % 64 of word p / 64; bits beyond its length
// are zero, before and after. A column of a table is such a row, the next one `stride` words on.
// Numbers are passed in 64 bits.
//
// Launch: blocks of 256 threads in one dimension, at least as many threads as said above a
// kernel, and none where that is 0.
//
// Races: none. A thread writes one word, which no other thread reads or writes. Rows that are
// the same variable are the same words, and those are read by the thread that writes them; so
// no pointer is __restrict__.
//
// After the paper's class of slices (snytnikova-nepomniaschaya-2016 in docs/references.bib). That
// one gives each word a block of one thread, reads rows by a block for each 64 columns, and does
// not keep the bits beyond the length zero.

#include "../common/grid.cuh"

__device__ __forceinline__ u64 thread_index()
{
    return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// SET, CLR and CLEAR: a thread a word. `last` has a one for every bit of the last word.
extern "C" __global__ void __launch_bounds__(256) star_fill(u64* z, u64 n, u64 last, u64 value)
{
    const u64 i = thread_index();
    if (i < n) z[i] = i + 1 < n ? value : value & last;
}

// z := x, a column to be read or written too: a thread a word.
extern "C" __global__ void __launch_bounds__(256) star_copy(u64* z, const u64* x, u64 n)
{
    const u64 i = thread_index();
    if (i < n) z[i] = x[i];
}

// z := not x: a thread a word.
extern "C" __global__ void __launch_bounds__(256) star_not(u64* z, const u64* x, u64 n, u64 last)
{
    const u64 i = thread_index();
    if (i < n) z[i] = i + 1 < n ? ~x[i] : ~x[i] & last;
}

// z := x and y, and the like, by the number of the function: a thread a word.
extern "C" __global__ void __launch_bounds__(256)
    star_logic(u64* z, const u64* x, const u64* y, u64 n, u64 logic)
{
    const u64 i = thread_index();
    if (i >= n) return;
    const u64 a = x[i];
    const u64 b = y[i];
    switch (logic) {
        case 0: z[i] = a & b; break;
        case 1: z[i] = a & ~b; break;
        case 2: z[i] = a | b; break;
        default: z[i] = a ^ b; break;
    }
}

// z(at) := bit: one thread.
extern "C" __global__ void __launch_bounds__(256) star_set_bit(u64* z, u64 at, u64 bit)
{
    if (thread_index() != 0) return;
    const u64 mask = 1ull << (at % 64);
    z[at / 64] = bit ? z[at / 64] | mask : z[at / 64] & ~mask;
}

// 64 bits of a row of n words, from this position on; zeros where it has ended.
__device__ __forceinline__ u64 bits_from(const u64* x, u64 n, u64 from)
{
    const u64 at = from / 64;
    const u32 shift = from % 64;
    const u64 low = at < n ? x[at] >> shift : 0;
    // a shift by 64 is no shift to zero
    return shift != 0 && at + 1 < n ? low | x[at + 1] << (64 - shift) : low;
}

// z := TRIM(from.., x), n words of z: a thread a word of z. Where x and z are the same, `from`
// is 0, and a thread reads the word that it writes and no other.
extern "C" __global__ void __launch_bounds__(256)
    star_trim(u64* z, u64 n, u64 last, const u64* x, u64 n_x, u64 from)
{
    const u64 i = thread_index();
    if (i >= n) return;
    const u64 bits = bits_from(x, n_x, from + 64 * i);
    z[i] = i + 1 < n ? bits : bits & last;
}

// REP(from.., x, z), x having `len` bits, at least one, in n_x words: a thread for each word of z
// from that of bit `from` to that of bit from + len - 1, `n` words. Where x and z are the same,
// `from` is 0, as above.
extern "C" __global__ void __launch_bounds__(256)
    star_replace(u64* z, u64 n, const u64* x, u64 n_x, u64 len, u64 from)
{
    const u64 i = thread_index();
    if (i >= n) return;
    const u32 offset = from % 64;
    // the first word's bits from `offset` on are the first of x
    const u64 done = 64 * i - offset;
    const u64 bits = i == 0 ? x[0] << offset : bits_from(x, n_x, done);
    const u64 end = offset + len - 64 * i;
    u64 mask = end < 64 ? (1ull << end) - 1 : ~0ull;
    if (i == 0) mask &= ~0ull << offset;
    u64* word = z + from / 64 + i;
    *word = (*word & ~mask) | (bits & mask);
}

// z := ROW(row, table), the row's bit being bit `shift` of word `at` of each column. There is a
// warp for each 32 of the n columns, and for each half of the row's words, of which there are
// `halves`. A lane reads the word of a column, and the lanes' bits are put together by a ballot.
extern "C" __global__ void __launch_bounds__(256)
    star_read_row(u32* z, u64 halves, const u64* table, u64 stride, u64 n, u64 at, u64 shift)
{
    const u64 column = thread_index();
    const bool bit = column < n && (table[column * stride + at] >> shift & 1) != 0;
    const u32 bits = __ballot_sync(everyone, bit);
    if (lane() == 0 && column / 32 < halves) z[column / 32] = bits;
}

// ROW(row, table) := x: a thread a column, each of which has its own word.
extern "C" __global__ void __launch_bounds__(256)
    star_write_row(u64* table, u64 stride, u64 n, u64 at, u64 shift, const u64* x)
{
    const u64 column = thread_index();
    if (column >= n) return;
    const u64 bit = x[column / 64] >> (column % 64) & 1;
    u64* word = table + column * stride + at;
    *word = (*word & ~(1ull << shift)) | bit << shift;
}
