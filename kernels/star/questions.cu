// The operations of the STAR-machine that have an answer: one launch each, after which the
// answer lies in a word of the host's memory, where the host looks for it.
//
// The host puts a number there that is no answer before the launch; the launch writes the word
// once. Rows of bits are as in operations.cu. A position is below 2^31, and -1 is none.
//
// Launch, but for star_bit and the sums: blocks of 32 * w threads, w up to 8, in one dimension,
// as many as one likes; n > 0 words. Threads go through the words in steps of the whole grid.
// With more blocks than one, `together` is their memory: it is as `Together` says before the
// launch, and again after.
//
// Races: what blocks find out they put together by atomics; the one that arrives last goes on
// alone, when all others have read and written what they do.

#include "../common/grid.cuh"

constexpr u32 none = 0xffffffffu;

// What blocks have found.
struct Together {
    u32 first;    // none
    u32 count;    // 0
    u32 arrived;  // 0
};

__device__ __forceinline__ void tell(u32* answer, u32 value)
{
    *static_cast<volatile u32*>(answer) = value;
}

__device__ __forceinline__ u32 warp_total(u32 value)
{
    for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// The least or the sum of the values of the block's threads, for its first thread. What any
// thread of the block wrote before, that thread sees.
template <bool sum> __device__ __forceinline__ u32 of_block(u32 value)
{
    __shared__ u32 of_warps[8];
    value = sum ? warp_total(value) : warp_min(value);
    if (lane() == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < blockDim.x / 32; ++warp) {
            value = sum ? value + of_warps[warp] : min(value, of_warps[warp]);
        }
    }
    return value;
}

// Puts the blocks' values together: true for one thread, which then has that of all and sees
// what all have written.
template <bool sum> __device__ __forceinline__ bool of_all(Together* together, u32& value)
{
    value = of_block<sum>(value);
    if (threadIdx.x != 0) return false;
    if (gridDim.x == 1) return true;
    if (sum) {
        atomicAdd(&together->count, value);
    } else {
        atomicMin(&together->first, value);
    }
    __threadfence();
    // the last one sets the count back to 0
    if (atomicInc(&together->arrived, gridDim.x - 1) != gridDim.x - 1) return false;
    __threadfence();
    value = sum ? atomicExch(&together->count, 0) : atomicExch(&together->first, none);
    return true;
}

__device__ __forceinline__ u64 n_threads() { return static_cast<u64>(gridDim.x) * blockDim.x; }

__device__ __forceinline__ u64 thread_index()
{
    return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ u32 first_one(u64 word, u64 at)
{
    return static_cast<u32>(64 * at) + __ffsll(static_cast<long long>(word)) - 1;
}

// The first one of x among the words of this thread.
__device__ __forceinline__ u32 my_first(const u64* x, u64 n)
{
    for (u64 i = thread_index(); i < n; i += n_threads()) {
        const u64 word = x[i];
        if (word) return first_one(word, i);
    }
    return none;
}

// FND and SOME: where the first one of x is.
extern "C" __global__ void __launch_bounds__(256)
    star_find(const u64* x, u64 n, Together* together, u32* answer)
{
    u32 first = my_first(x, n);
    if (of_all<false>(together, first)) tell(answer, first);
}

// STEP: where the first one of x is, which is taken out when all have looked.
extern "C" __global__ void __launch_bounds__(256)
    star_step(u64* x, u64 n, Together* together, u32* answer)
{
    u32 first = my_first(x, n);
    if (!of_all<false>(together, first)) return;
    if (first != none) {
        const u64 word = __ldcg(x + first / 64);
        x[first / 64] = word & (word - 1);
    }
    tell(answer, first);
}

// FRST: z := the first one of x alone. It has no answer; the first one is put in when all
// others have been cleared. x and z may be the same: a thread clears the words that it has read.
extern "C" __global__ void __launch_bounds__(256)
    star_first(u64* z, const u64* x, u64 n, Together* together)
{
    u32 first = none;
    for (u64 i = thread_index(); i < n; i += n_threads()) {
        const u64 word = x[i];
        if (word && first == none) first = first_one(word, i);
        z[i] = 0;
    }
    if (of_all<false>(together, first) && first != none) z[first / 64] = 1ull << (first % 64);
}

// NUMB: how many ones x has.
extern "C" __global__ void __launch_bounds__(256)
    star_count(const u64* x, u64 n, Together* together, u32* answer)
{
    u32 count = 0;
    for (u64 i = thread_index(); i < n; i += n_threads()) count += __popcll(x[i]);
    if (of_all<true>(together, count)) tell(answer, count);
}

// How v and w compare as numbers, the first bit most significant: 0 where they are equal, 1
// where v is less, 2 where it is greater. They differ most where they differ first.
extern "C" __global__ void __launch_bounds__(256)
    star_compare_words(const u64* v, const u64* w, u64 n, Together* together, u32* answer)
{
    u32 first = none;
    for (u64 i = thread_index(); i < n; i += n_threads()) {
        const u64 difference = v[i] ^ w[i];
        if (difference) {
            first = first_one(difference, i);
            break;
        }
    }
    if (!of_all<false>(together, first)) return;
    const bool is_less = first != none && (w[first / 64] >> (first % 64) & 1) != 0;
    tell(answer, first == none ? 0 : is_less ? 1 : 2);
}

// x(at), 0 or 1: one thread.
extern "C" __global__ void star_bit(const u64* x, u64 at, u32* answer)
{
    if (threadIdx.x == 0) tell(answer, static_cast<u32>(x[at / 64] >> (at % 64)) & 1);
}

// z := v + w or v - w, modulo 2 to the length; the answer is 0 where it does not fit, or is
// below zero, and none otherwise. Bit 0 is the most significant: turned about, a word of 64
// is a digit, the first word the highest, and bits beyond the length are zeros below the lowest.
//
// One warp, by 32 digits: it knows of each whether it carries, or hands on what comes, adds
// these as numbers of 32 bits, and so has the carries of all. A lane reads and writes its own
// digit, so z may be v or w.
template <bool subtract>
__device__ __forceinline__ void sum(u64* z, const u64* v, const u64* w, u64 n, u32* answer)
{
    u32 carry = 0;
    for (u64 done = 0; done < n; done += 32) {
        const u64 digit = done + lane();
        const bool is_digit = digit < n;
        const u64 at = is_digit ? n - 1 - digit : 0;
        const u64 a = is_digit ? __brevll(v[at]) : 0;
        const u64 b = is_digit ? __brevll(w[at]) : 0;
        const u64 result = subtract ? a - b : a + b;
        const bool carries = is_digit && (subtract ? a < b : result < a);
        const bool hands_on = !is_digit || (subtract ? result == 0 : result == ~0ull);
        const u32 generate = __ballot_sync(everyone, carries);
        const u32 propagate = __ballot_sync(everyone, hands_on);
        const u64 added = static_cast<u64>(generate | propagate) + generate + carry;
        // where the numbers added differ, a digit of their sum is 1 less what came into it
        const u64 coming = added ^ propagate;
        const u64 mine = coming >> lane() & 1;
        if (is_digit) z[at] = __brevll(subtract ? result - mine : result + mine);
        carry = static_cast<u32>(coming >> 32);
    }
    if (lane() == 0) tell(answer, carry ? 0 : none);
}

// Launch: one block of 32 threads.
extern "C" __global__ void __launch_bounds__(32)
    star_add(u64* z, const u64* v, const u64* w, u64 n, u32* answer)
{
    sum<false>(z, v, w, n, answer);
}

// Launch: as star_add.
extern "C" __global__ void __launch_bounds__(32)
    star_subtract(u64* z, const u64* v, const u64* w, u64 n, u32* answer)
{
    sum<true>(z, v, w, n, answer);
}
