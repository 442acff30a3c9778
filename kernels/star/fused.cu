// The basic procedures of the STAR-machine, each in one pass over the columns of its tables.
//
// Rows are independent of one another, and what a procedure knows of a row is a bit or two: a
// thread takes 32 rows, goes through the columns and has that in registers. Neighbouring
// threads read neighbouring words of a column. Words, which are the same for all rows, are
// read by all alike. The results are those of the procedures in operations, bit for bit.
//
// Launch, but for the least: a thread for each of n > 0 words of 32 rows, blocks of 256 in one
// dimension.
//
// Reads:  its word of the columns, and the whole of a word of the program.
// Writes: its word of the columns of `to`, and of the slices that are results.
//
// Races: none. Tables, and slices, may be the same, or share columns: then a thread's words
// are, in the order that it reads and writes them; so no pointer is __restrict__. A word of
// the program is no result.
//
// Bits beyond the rows are zero in all operands, and so in all results.
//
// Not in the paper, whose authors name procedures as programs of the GPU as work to come
// (snytnikova-nepomniaschaya-2016 in docs/references.bib).

#include "../common/grid.cuh"
#include "steps.cuh"

// Which operands there are depends on the procedure; the others are null.
struct Call {
    const u32* table;
    const u32* other;
    u32* to;
    const u32* rows;
    const u32* word;
    u32* z;
    u32* equal;
    u32* greater;
    // words from a column to the next one
    u64 stride;
    u32 n;
    u32 columns;
    // Whether a column that is written may be one that is read later, or was before.
    u32 is_shifted;
    // SETMIN: whether numbers are in two's complement; the least: all ones for the greatest.
    u32 variant;
};

struct Pair {
    u32 a;
    u32 b;
};

__device__ __forceinline__ u32 thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Bit j of the word, in all 32 bits.
__device__ __forceinline__ u32 spread(const u32* word, u32 j)
{
    return 0u - (word[j / 32] >> (j % 32) & 1);
}

// Goes through k columns: what `load` gives for one, `step` takes. Columns are loaded by so
// many before the first of them is stepped through, so that one wait is for all.
template <u32 many, class Load, class Step>
__device__ __forceinline__ void by_columns(u32 k, const Load& load, const Step& step)
{
    u32 j = 0;
    for (; k - j >= many; j += many) {
        decltype(load(0u)) loaded[many];
#pragma unroll
        for (u32 i = 0; i < many; ++i) loaded[i] = load(j + i);
#pragma unroll
        for (u32 i = 0; i < many; ++i) step(j + i, loaded[i]);
    }
    for (; j < k; ++j) step(j, load(j));
}

// The same for procedures that write columns.
template <class Load, class Step>
__device__ __forceinline__ void rewrite(const Call& call, const Load& load, const Step& step)
{
    if (call.is_shifted) {
        by_columns<1>(call.columns, load, step);
    } else {
        by_columns<8>(call.columns, load, step);
    }
}

// MATCH: z marks the rows equal to the word.
extern "C" __global__ void __launch_bounds__(256) star_match(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    u32 z = call.rows[i];
    by_columns<8>(
        call.columns, [&](u32 j) { return Pair{call.table[j * call.stride + i], spread(call.word, j)}; },
        [&](u32, Pair at) { step::equal(z, at.a, at.b); });
    call.z[i] = z;
}

// LESS and GREAT: rows less than the word, in z, equal, and greater. A row is decided by the
// first column where it differs.
extern "C" __global__ void __launch_bounds__(256) star_compare(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    const u32 rows = call.rows[i];
    u32 less = 0;
    u32 equal = rows;
    by_columns<8>(
        call.columns, [&](u32 j) { return Pair{call.table[j * call.stride + i], spread(call.word, j)}; },
        [&](u32, Pair at) { step::less(equal, less, at.a, at.b); });
    call.z[i] = less;
    call.equal[i] = equal;
    call.greater[i] = rows & ~(less | equal);
}

// SETMIN: rows where the first table is less.
extern "C" __global__ void __launch_bounds__(256) star_set_min(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    u32 z = 0;
    u32 equal = call.rows[i];
    by_columns<8>(
        call.columns,
        [&](u32 j) {
            const Pair at = {call.table[j * call.stride + i], call.other[j * call.stride + i]};
            // the sign's one is less than its zero
            return call.variant && j == 0 ? Pair{at.b, at.a} : at;
        },
        [&](u32, Pair at) { step::less(equal, z, at.a, at.b); });
    call.z[i] = z;
}

// HIT: rows where the tables are equal.
extern "C" __global__ void __launch_bounds__(256) star_hit(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    u32 z = call.rows[i];
    by_columns<8>(
        call.columns,
        [&](u32 j) { return Pair{call.table[j * call.stride + i], call.other[j * call.stride + i]}; },
        [&](u32, Pair at) { step::equal(z, at.a, at.b); });
    call.z[i] = z;
}

// CLEAR.
extern "C" __global__ void __launch_bounds__(256) star_clear(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    for (u32 j = 0; j < call.columns; ++j) call.to[j * call.stride + i] = 0;
}

// TCOPY.
extern "C" __global__ void __launch_bounds__(256) star_copy_table(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    rewrite(
        call, [&](u32 j) { return call.table[j * call.stride + i]; },
        [&](u32 j, u32 bits) { call.to[j * call.stride + i] = bits; });
}

// TMERGE: marked rows of the table, the others as they are.
extern "C" __global__ void __launch_bounds__(256) star_merge_table(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    const u32 rows = call.rows[i];
    rewrite(
        call,
        [&](u32 j) { return Pair{call.to[j * call.stride + i], call.table[j * call.stride + i]}; },
        [&](u32 j, Pair at) {
            step::merge(rows, at.a, at.b);
            call.to[j * call.stride + i] = at.a;
        });
}

// WCOPY: the word into marked rows, zeros into the others.
extern "C" __global__ void __launch_bounds__(256) star_copy_word(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    const u32 rows = call.rows[i];
    rewrite(
        call, [&](u32 j) { return spread(call.word, j); },
        [&](u32 j, u32 bits) { call.to[j * call.stride + i] = bits & rows; });
}

// WMERGE: the word into marked rows, the others as they are.
extern "C" __global__ void __launch_bounds__(256) star_merge_word(Call call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    const u32 rows = call.rows[i];
    rewrite(
        call, [&](u32 j) { return Pair{call.to[j * call.stride + i], spread(call.word, j)}; },
        [&](u32 j, Pair at) {
            step::merge(rows, at.a, at.b);
            call.to[j * call.stride + i] = at.a;
        });
}

// ADDC, ADDV, SUBTC, SUBTV: from the last column, which is the least significant; z marks the
// rows with a carry, or a borrow, out of the first.
template <bool subtract, bool of_word> __device__ __forceinline__ void sum(const Call& call)
{
    const u32 i = thread_index();
    if (i >= call.n) return;
    const u32 rows = call.rows[i];
    u32 carry = 0;
    const auto at = [&](u32 j) { return (call.columns - 1 - j) * call.stride + i; };
    rewrite(
        call,
        [&](u32 j) {
            const u32 b = of_word ? spread(call.word, call.columns - 1 - j) : call.other[at(j)];
            return Pair{call.table[at(j)], b};
        },
        [&](u32 j, Pair bits) {
            step::add(rows, carry, bits.a, bits.b, subtract ? ~0u : 0u);
            call.to[at(j)] = bits.a;
        });
    call.z[i] = carry;
}

extern "C" __global__ void __launch_bounds__(256) star_add_word(Call call) { sum<false, true>(call); }
extern "C" __global__ void __launch_bounds__(256) star_add_table(Call call) { sum<false, false>(call); }
extern "C" __global__ void __launch_bounds__(256) star_subtract_word(Call call) { sum<true, true>(call); }
extern "C" __global__ void __launch_bounds__(256) star_subtract_table(Call call) { sum<true, false>(call); }

// What blocks that look for the least number have in common.
struct Meeting {
    // of three pieces of columns in turn; all ones but that of the piece before the first
    u64* least;
    u32* arrived;
    u32 expected;
    // which of the three is that of the first piece
    u32 turn;
};

// The least number in `kept`, of which there is one at least, by k columns from `first` on;
// the rows that hold it are kept. Of the greatest all bits are the other way.
__device__ __forceinline__ u64 narrow(const Call& call, u32 i, u32 first, u32 k, u32& kept)
{
    u64 value = 0;
    by_columns<8>(
        k, [&](u32 j) { return call.table[static_cast<u64>(first + j) * call.stride + i]; },
        [&](u32, u32 bits) {
            const u32 zeros = kept & ~(bits ^ call.variant);
            value = value << 1 | (zeros == 0);
            if (zeros) kept = zeros;
        });
    return value;
}

// The rows of z that hold this number in these columns.
__device__ __forceinline__ u32 holding(const Call& call, u32 i, u32 first, u32 k, u32 z, u64 value)
{
    by_columns<8>(
        k, [&](u32 j) { return call.table[static_cast<u64>(first + j) * call.stride + i]; },
        [&](u32 j, u32 bits) {
            const u32 wanted = 0u - static_cast<u32>(value >> (k - 1 - j) & 1);
            z &= ~(bits ^ call.variant ^ wanted);
        });
    return z;
}

// The least of the values of the block's threads, for its first thread.
__device__ __forceinline__ u64 least_of_block(u64 value)
{
    __shared__ u64 of_warps[8];
    for (u32 step = 16; step; step >>= 1) {
        const u64 other = __shfl_xor_sync(everyone, value, step);
        value = other < value ? other : value;
    }
    if (lane() == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < blockDim.x / 32; ++warp) {
            value = of_warps[warp] < value ? of_warps[warp] : value;
        }
    }
    return value;
}

// MIN and MAX: all marked rows that hold the least number, or the greatest. A thread finds the
// least number of its own rows, all threads find the least of these, and those with a greater one
// give theirs up. They go by 64 columns at a time, the first ones first.
//
// Launch: blocks of 256, as many as one likes, cooperative if more than one. A thread that has more words than
// one does not keep what it found in them, but looks for the least number in them again.
//
// Races: the three numbers. That of a piece is lowered by atomics before the barrier and read
// after it. That of the piece before, which all have read before they came to the barrier, is
// set back after it, and is next needed two barriers on.
extern "C" __global__ void __launch_bounds__(256) star_least(Call call, Meeting meeting)
{
    GridBarrier barrier{meeting.arrived, gridDim.x, meeting.expected};
    const u32 me = thread_index();
    const u32 n_threads = gridDim.x * blockDim.x;
    for (u32 i = me; i < call.n; i += n_threads) call.z[i] = call.rows[i];
    u32 turn = meeting.turn;
    for (u32 first = 0; first < call.columns; first += 64) {
        const u32 k = min(call.columns - first, 64u);
        u64 mine = ~0ull;
        u32 kept = 0;
        for (u32 i = me; i < call.n; i += n_threads) {
            kept = call.z[i];
            if (kept == 0) continue;
            const u64 value = narrow(call, i, first, k, kept);
            mine = value < mine ? value : mine;
        }
        const u64 of_block = least_of_block(mine);
        if (threadIdx.x == 0 && of_block != ~0ull) atomicMin(meeting.least + turn, of_block);
        barrier.wait();
        const u64 least = load(meeting.least + turn);
        if (me == 0) meeting.least[(turn + 2) % 3] = ~0ull;
        if (call.n <= n_threads) {
            if (kept) call.z[me] = mine == least ? kept : 0;
        } else {
            for (u32 i = me; i < call.n; i += n_threads) {
                const u32 z = call.z[i];
                if (z) call.z[i] = holding(call, i, first, k, z, least);
            }
        }
        turn = (turn + 1) % 3;
    }
}
