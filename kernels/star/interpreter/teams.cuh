// Who interprets a program: a warp, a block or a grid.
//
// Word w of every vector, and of every column of a table, belongs to thread w % size of the
// team. Only it writes that word, but for rows, for columns that warps share out and for whole
// tables, which come between barriers.
// So what goes word by word needs no barrier at all. A barrier is needed
//
// * before others' words are read that were written since the last one: will_read;
// * before words are written that others may still have to read: will_write.
//
// A block and a grid keep account of both, as bits for vectors and tables. All threads go through
// the same steps with the same values, so the accounts are the same and so are the barriers. A warp
// begins each step in step, which is enough for it.
//
// What a team has besides: any, sum, least and find_first of what its threads have, known to
// all. In a block and a grid they are barriers, and what find_first takes is written after.
//
// A row is written by the threads near it: those of the block that has the thread whose word it
// is in.
#pragma once

#include "memory.cuh"

constexpr u32 none = 0xffffffffu;

__device__ __forceinline__ u32 first_bit(Word word) { return __ffs(static_cast<int>(word)) - 1; }

// Whether the word w of vectors belongs to a thread; a division takes long.
__device__ __forceinline__ bool is_of(u32 thread, u32 size, u32 w) { return (w < size ? w : w % size) == thread; }

// One warp, vectors in shared memory.
struct Warp {
    // words that a thread has under way at once
    static constexpr u32 at_once = 8;
    static constexpr u32 size = 32;
    Word* vectors;
    u32 thread;

    __device__ __forceinline__ bool owns(u32 w) const { return is_of(thread, size, w); }
    __device__ __forceinline__ Word own(u32 at) const { return vectors[at]; }
    __device__ __forceinline__ Word other(u32 at) const { return vectors[at]; }
    __device__ __forceinline__ void put(u32 at, Word word) { vectors[at] = word; }

    __device__ __forceinline__ void will_read(u64) {}
    __device__ __forceinline__ void did_read(u64) {}
    __device__ __forceinline__ void will_write(u64) {}
    __device__ __forceinline__ void sync() { __syncwarp(); }
    __device__ __forceinline__ bool is_near(u32) const { return true; }
    __device__ __forceinline__ void sync_near() { __syncwarp(); }

    __device__ __forceinline__ bool any(bool has) { return __any_sync(everyone, has); }
    __device__ __forceinline__ u64 least(u64 value) { return warp_min(value); }
    __device__ __forceinline__ u32 sum(u32 value) {
        for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
        return value;
    }

    // The first one among n words, or none; `take(w, word)` is called by the owner of the word
    // that has it.
    template <typename Load, typename Take> __device__ __forceinline__ u32 find_first(u32 n, Load load, Take take) {
#pragma unroll 1
        for (u32 start = 0; start < n; start += at_once * size) {
            Word words[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; k++) {
                const u32 w = start + k * size + thread;
                words[k] = w < n ? load(w) : 0;
            }
            // of the first group of 32 that has any: which lanes have ones, and this one's word
            u32 lanes = 0, w = 0;
            Word word = 0;
#pragma unroll
            for (u32 k = at_once; k-- > 0;) {
                const u32 these = __ballot_sync(everyone, words[k] != 0);
                if (these == 0) continue;
                lanes = these;
                w = start + k * size + thread;
                word = words[k];
            }
            if (lanes == 0) continue;
            const u32 owner = __ffs(lanes) - 1;
            if (thread == owner) take(w, word);
            return __shfl_sync(everyone, word_bits * w + first_bit(word), owner);
        }
        return none;
    }
};

// What blocks and grids have in common: accounts, and what a block finds out together.
struct Accounts {
    u64 written = 0, read = 0;

    __device__ __forceinline__ void clear() { written = read = 0; }
};

// What the warps of a block tell one another; the places alternate, so that one barrier does.
struct Partials {
    u64 values[2][32];
};

// The least value of a block's threads, known to all of them. With a barrier.
template <typename T> __device__ __forceinline__ T block_min(Partials& partials, u32& turn, T value) {
    value = warp_min(value);
    u64* places = partials.values[turn & 1];
    turn++;
    if (lane() == 0) places[threadIdx.x >> 5] = value;
    __syncthreads();
    // eight warps at most: every eight lanes have what all of them found
    value = static_cast<T>(places[min(lane() & 7, (blockDim.x >> 5) - 1)]);
    for (u32 step = 4; step; step >>= 1) value = min(value, __shfl_xor_sync(everyone, value, step));
    return value;
}

// Their sum.
__device__ __forceinline__ u32 block_sum(Partials& partials, u32& turn, u32 value) {
    for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    u64* places = partials.values[turn & 1];
    turn++;
    if (lane() == 0) places[threadIdx.x >> 5] = value;
    __syncthreads();
    value = lane() < blockDim.x >> 5 ? static_cast<u32>(places[lane()]) : 0;
    for (u32 step = 16; step; step >>= 1) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// The first one among the words of one thread, or none.
template <typename Load> __device__ __forceinline__ u32 first_of_own(u32 thread, u32 size, u32 n, Load load) {
    for (u32 w = thread; w < n; w += size) {
        const Word word = load(w);
        if (word) return w * word_bits + first_bit(word);
    }
    return none;
}

// One block, vectors in shared memory.
struct Block {
    static constexpr u32 at_once = 4;
    Word* vectors;
    Partials& partials;
    u32 thread, size;
    u32 turn = 0;
    Accounts accounts = {};

    __device__ __forceinline__ bool owns(u32 w) const { return is_of(thread, size, w); }
    __device__ __forceinline__ Word own(u32 at) const { return vectors[at]; }
    __device__ __forceinline__ Word other(u32 at) const { return vectors[at]; }
    __device__ __forceinline__ void put(u32 at, Word word) { vectors[at] = word; }

    __device__ __forceinline__ void will_read(u64 bits) {
        if (accounts.written & bits) sync();
    }
    __device__ __forceinline__ void did_read(u64 bits) { accounts.read |= bits; }
    __device__ __forceinline__ void will_write(u64 bits) {
        if (accounts.read & bits) sync();
        accounts.written |= bits;
    }
    __device__ __forceinline__ void sync() {
        __syncthreads();
        accounts.clear();
    }
    __device__ __forceinline__ bool is_near(u32) const { return true; }
    __device__ __forceinline__ void sync_near() { __syncthreads(); }

    __device__ __forceinline__ bool any(bool has) {
        accounts.clear();
        return __syncthreads_or(has);
    }
    __device__ __forceinline__ u32 sum(u32 value) {
        accounts.clear();
        return block_sum(partials, turn, value);
    }
    __device__ __forceinline__ u64 least(u64 value) {
        accounts.clear();
        return block_min(partials, turn, value);
    }
    template <typename Load, typename Take> __device__ __forceinline__ u32 find_first(u32 n, Load load, Take take) {
        accounts.clear();
        const u32 found = first_of_own(thread, size, n, load);
        const u32 first = block_min(partials, turn, found);
        if (found == first && found != none) take(found / word_bits, load(found / word_bits));
        return first;
    }
};

// A grid of blocks that are all resident, vectors in the device's memory. A thread reads its
// own words through the cache next to it, since no other thread writes them, and others' from where
// their writes are.
struct Grid {
    static constexpr u32 at_once = 2;
    Word* vectors;
    u64* cells;
    Partials& partials;
    GridBarrier barrier;
    u32 thread, size;
    u32 turn = 0, cell = 0;
    Accounts accounts = {};

    __device__ __forceinline__ bool owns(u32 w) const { return is_of(thread, size, w); }
    __device__ __forceinline__ Word own(u32 at) const { return vectors[at]; }
    __device__ __forceinline__ Word other(u32 at) const { return __ldcg(vectors + at); }
    __device__ __forceinline__ void put(u32 at, Word word) { vectors[at] = word; }

    __device__ __forceinline__ void will_read(u64 bits) {
        if (accounts.written & bits) sync();
    }
    __device__ __forceinline__ void did_read(u64 bits) { accounts.read |= bits; }
    __device__ __forceinline__ void will_write(u64 bits) {
        if (accounts.read & bits) sync();
        accounts.written |= bits;
    }
    __device__ __forceinline__ void sync() {
        barrier.wait();
        accounts.clear();
    }
    __device__ __forceinline__ bool is_near(u32 w) const { return w % size / blockDim.x == blockIdx.x; }
    __device__ __forceinline__ void sync_near() { __syncthreads(); }

    // Adds up, or finds the greatest of, what blocks bring to a cell, and clears the next: its
    // value was read by all before the barrier of the one after it.
    template <typename Bring> __device__ __forceinline__ u64 together(Bring bring) {
        u64* const now = cells + cell;
        cell = cell == 2 ? 0 : cell + 1;
        if (threadIdx.x == 0) bring(now);
        if (thread == 0) __stcg(cells + cell, 0ull);
        sync();
        return load(now);
    }

    __device__ __forceinline__ bool any(bool has) {
        const bool here = __syncthreads_or(has);
        return together([&](u64* total) {
            if (here) atomicOr(total, 1ull);
        });
    }
    __device__ __forceinline__ u32 sum(u32 value) {
        const u32 here = block_sum(partials, turn, value);
        return together([&](u64* total) {
            if (here) atomicAdd(total, static_cast<u64>(here));
        });
    }
    __device__ __forceinline__ u64 least(u64 value) {
        const u64 here = block_min(partials, turn, value);
        return ~together([&](u64* total) {
            if (here != ~0ull) atomicMax(total, ~here);
        });
    }
    template <typename Load, typename Take> __device__ __forceinline__ u32 find_first(u32 n, Load load, Take take) {
        const u32 found = first_of_own(thread, size, n, load);
        const u32 here = block_min(partials, turn, found);
        // the greatest of the complements; 0 stands for none
        const u32 first = ~static_cast<u32>(together([&](u64* total) {
            if (here != none) atomicMax(total, static_cast<u64>(~here));
        }));
        if (found == first && found != none) take(found / word_bits, load(found / word_bits));
        return first;
    }
};
