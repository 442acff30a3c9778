// The min-plus product of strips, with sums in place of products and minima in place of sums:
// c[i][j] = min(c[i][j], a[i][k] + b[k][j] over all k).
//
// It is a matrix product in all but its two operations, and is built like one. A block of threads
// has a tile of c in registers, some words a thread. It passes through k in steps of `depth`, and
// fetches the parts of a and b into shared memory some steps ahead. The matrix a is transposed, a
// row for each k, and each of its words is one element broadcast over the word. So both operands
// are read along rows and 16-bit elements need no unpacking.
//
// In a step 8 x 8 words take 64 additions-with-minimum for each k, and 16 words from shared memory.
// So the arithmetic pipe is the bound, at half an instruction a cycle.
//
// Reference: volkov-demmel-2008
#pragma once

#include "element.cuh"

// Words that are fetched at once, 16 bytes.
constexpr u32 pack_words = 16 / sizeof(Word);
struct alignas(16) Pack {
    Word words[pack_words];
};

// k's of a step, and steps that are under way at once.
constexpr u32 depth = 64 / sizeof(Word);
constexpr u32 stages = 3;

// The tile of a block of 256 threads where nothing but the arithmetic counts.
constexpr u32 tile_rows = 128;
constexpr u32 tile_columns = 512 / sizeof(Word);

template <u32 rows, u32 columns> struct alignas(16) Strips {
    Word a[stages][depth][rows];
    Word b[stages][depth][columns];
};

// Fetches 16 bytes from memory to shared memory; they are there after `arrived`.
__device__ __forceinline__ void fetch(void* shared, const void* from) {
#if __CUDA_ARCH__ >= 800
    const u32 to = static_cast<u32>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    *static_cast<uint4*>(shared) = *static_cast<const uint4*>(from);
#endif
}

// Ends a group of fetches.
__device__ __forceinline__ void end_group() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for all groups of this thread but the `newest`.
template <u32 newest> __device__ __forceinline__ void arrived() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(newest) : "memory");
#endif
}

// Whether a tile's words are stored: all of them.
struct All {
    __device__ __forceinline__ bool operator()(u32, u32) const { return true; }
};

// The `high` x `wide` words of a thread: packs of neighbours, one in each of as many equal
// parts of the tile, downwards and to the right.
template <u32 rows, u32 columns, u32 high, u32 wide> struct Tile {
    static constexpr u32 threads = rows / high * (columns / wide);
    static constexpr u32 apart_down = rows / (high / pack_words);
    static constexpr u32 apart_right = columns / (wide / pack_words);
    Word words[high][wide];
    u32 top;
    u32 left;

    __device__ __forceinline__ Tile() {
        // a warp has 4 x 8 threads, so that it reads 4 packs of a and 8 of b at once
        const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        constexpr u32 across = columns / (8 * wide);
        top = (warp / across * 4 + lane / 8) * pack_words;
        left = (warp % across * 8 + lane % 8) * pack_words;
    }

    __device__ __forceinline__ u32 row(u32 r) const {
        return top + r % pack_words + r / pack_words * apart_down;
    }

    // The first column of a pack.
    __device__ __forceinline__ u32 column(u32 pack) const { return left + pack * apart_right; }

    __device__ __forceinline__ void load(const Word* c, u64 stride) {
#pragma unroll
        for (u32 r = 0; r < high; ++r) {
#pragma unroll
            for (u32 p = 0; p < wide / pack_words; ++p) {
                const Pack pack = *reinterpret_cast<const Pack*>(c + row(r) * stride + column(p));
#pragma unroll
                for (u32 i = 0; i < pack_words; ++i) words[r][p * pack_words + i] = pack.words[i];
            }
        }
    }

    // Stores the packs of which `wanted` is true, by their row and first column.
    template <typename Wanted = All>
    __device__ __forceinline__ void store(Word* c, u64 stride, Wanted wanted = {}) const {
#pragma unroll
        for (u32 r = 0; r < high; ++r) {
#pragma unroll
            for (u32 p = 0; p < wide / pack_words; ++p) {
                if (!wanted(row(r), column(p))) continue;
                Pack pack;
#pragma unroll
                for (u32 i = 0; i < pack_words; ++i) pack.words[i] = words[r][p * pack_words + i];
                *reinterpret_cast<Pack*>(c + row(r) * stride + column(p)) = pack;
            }
        }
    }

    // Stores the elements transposed and broadcast: a row of `stride` words for each column.
    template <typename Wanted = All>
    __device__ __forceinline__ void store_turned(Word* to, u64 stride, Wanted wanted = {}) const {
#pragma unroll
        for (u32 c = 0; c < wide; ++c) {
            const u32 column = this->column(c / pack_words) + c % pack_words;
#pragma unroll
            for (u32 place = 0; place < lanes; ++place) {
#pragma unroll
                for (u32 p = 0; p < high / pack_words; ++p) {
                    const u32 first = row(p * pack_words);
                    if (!wanted(first, column)) continue;
                    Pack pack;
#pragma unroll
                    for (u32 i = 0; i < pack_words; ++i) {
                        pack.words[i] = spread(words[p * pack_words + i][c], place);
                    }
                    *reinterpret_cast<Pack*>(to + (u64)(column * lanes + place) * stride + first) = pack;
                }
            }
        }
    }

    // Updates the minima with one step, whose parts of a and b lie in shared memory.
    __device__ __forceinline__ void relax_step(const Word (*a)[rows], const Word (*b)[columns]) {
#pragma unroll
        for (u32 k = 0; k < depth; k += 2) {
            Word first[2][high], second[2][wide];
#pragma unroll
            for (u32 odd = 0; odd < 2; ++odd) {
#pragma unroll
                for (u32 p = 0; p < high / pack_words; ++p) {
                    const Pack x =
                        *reinterpret_cast<const Pack*>(&a[k + odd][top + p * apart_down]);
#pragma unroll
                    for (u32 i = 0; i < pack_words; ++i) first[odd][p * pack_words + i] = x.words[i];
                }
#pragma unroll
                for (u32 p = 0; p < wide / pack_words; ++p) {
                    const Pack y = *reinterpret_cast<const Pack*>(&b[k + odd][column(p)]);
#pragma unroll
                    for (u32 i = 0; i < pack_words; ++i) second[odd][p * pack_words + i] = y.words[i];
                }
            }
#pragma unroll
            for (u32 r = 0; r < high; ++r) {
#pragma unroll
                for (u32 c = 0; c < wide; ++c) {
                    words[r][c] = relax(words[r][c], first[0][r], second[0][c], first[1][r],
                                        second[1][c]);
                }
            }
        }
    }

    // Updates the minima with the `n` k's from `first` on, both multiples of `depth`: a[k][0..rows]
    // and b[k][0..columns] in memory, where k runs round in a ring of `mask` + 1.
    __device__ __forceinline__ void relax_through(Strips<rows, columns>& shared, const Word* a,
                                                  u64 a_stride, const Word* b, u64 b_stride, u32 n,
                                                  u32 first = 0, u32 mask = 0xffffffff) {
        const auto start = [&](u32 step) {
            if (step * depth < n) {
                const u32 stage = step % stages;
                const u32 at_k = (first + step * depth) & mask;
#pragma unroll
                for (u32 i = threadIdx.x * pack_words; i < depth * rows; i += threads * pack_words) {
                    const u32 k = i / rows, at = i % rows;
                    fetch(&shared.a[stage][k][at], a + (at_k + k) * a_stride + at);
                }
#pragma unroll
                for (u32 i = threadIdx.x * pack_words; i < depth * columns; i += threads * pack_words) {
                    const u32 k = i / columns, at = i % columns;
                    fetch(&shared.b[stage][k][at], b + (at_k + k) * b_stride + at);
                }
            }
            end_group();
        };
#pragma unroll
        for (u32 step = 0; step < stages - 1; ++step) start(step);
        for (u32 step = 0; step * depth < n; ++step) {
            arrived<stages - 2>();
            __syncthreads();
            // into the place of the step before, which all threads have left
            start(step + stages - 1);
            relax_step(shared.a[step % stages], shared.b[step % stages]);
        }
    }
};
