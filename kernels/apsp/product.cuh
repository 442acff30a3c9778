// The product of strips in which sums stand for products and the least for sums:
// c[i][j] = min(c[i][j], a[i][k] + b[k][j] over all k).
//
// It is a matrix product in all but its two operations, and is built like one. A block of
// threads has a tile of c in registers, 8 x 8 words a thread, and passes through k in
// steps of `depth`, whose parts of a and b are fetched into shared memory some steps ahead.
// a comes turned over, a row for each k, every word of it one element spread over the
// word, so that both operands are read along rows and 16-bit elements need no unpacking.
//
// In a step the 8 x 8 words take 64 additions-with-minimum for each k, and 16 words from
// shared memory: the arithmetic pipe is what bounds it, at half an instruction a cycle.
//
// Reference: volkov-demmel-2008
#pragma once

#include "element.cuh"

// k's of a step, and steps that are under way at once.
constexpr u32 depth = 16;
constexpr u32 stages = 3;

template <u32 rows, u32 columns> struct Strips {
    u32 a[stages][depth][rows];
    u32 b[stages][depth][columns];
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

// The 8 x 8 words of a thread, at rows `top` + 0..3 and half the tile below, and columns
// `left` + 0..3 and half the tile to the right.
template <u32 rows, u32 columns> struct Tile {
    static constexpr u32 threads = rows / 8 * (columns / 8);
    u32 words[8][8];
    u32 top;
    u32 left;

    __device__ __forceinline__ Tile() {
        // a warp has 4 x 8 threads, so that it reads 16 words of a and 32 of b at once
        const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        constexpr u32 across = columns / 64;
        top = (warp / across * 4 + lane / 8) * 4;
        left = (warp % across * 8 + lane % 8) * 4;
    }

    __device__ __forceinline__ u32 row(u32 r) const { return top + r % 4 + r / 4 * (rows / 2); }

    __device__ __forceinline__ void load(const u32* c, u64 stride) {
#pragma unroll
        for (u32 r = 0; r < 8; ++r) {
#pragma unroll
            for (u32 half = 0; half < 2; ++half) {
                const u32* from = c + row(r) * stride + left + half * (columns / 2);
                const uint4 four = *reinterpret_cast<const uint4*>(from);
                words[r][4 * half] = four.x;
                words[r][4 * half + 1] = four.y;
                words[r][4 * half + 2] = four.z;
                words[r][4 * half + 3] = four.w;
            }
        }
    }

    __device__ __forceinline__ void store(u32* c, u64 stride) const {
#pragma unroll
        for (u32 r = 0; r < 8; ++r) {
#pragma unroll
            for (u32 half = 0; half < 2; ++half) {
                u32* to = c + row(r) * stride + left + half * (columns / 2);
                *reinterpret_cast<uint4*>(to) =
                    make_uint4(words[r][4 * half], words[r][4 * half + 1], words[r][4 * half + 2],
                               words[r][4 * half + 3]);
            }
        }
    }

    // Stores the elements turned over and spread: a row of `stride` words for each column.
    __device__ __forceinline__ void store_turned(u32* to, u64 stride) const {
#pragma unroll
        for (u32 c = 0; c < 8; ++c) {
            const u32 column = left + c % 4 + c / 4 * (columns / 2);
#pragma unroll
            for (u32 place = 0; place < lanes; ++place) {
                u32* row = to + (u64)(column * lanes + place) * stride + top;
#pragma unroll
                for (u32 half = 0; half < 2; ++half) {
                    *reinterpret_cast<uint4*>(row + half * (rows / 2)) =
                        make_uint4(spread(words[4 * half][c], place), spread(words[4 * half + 1][c], place),
                                   spread(words[4 * half + 2][c], place), spread(words[4 * half + 3][c], place));
                }
            }
        }
    }

    // Takes the sums through one step, whose parts of a and b lie in shared memory.
    __device__ __forceinline__ void relax_step(const u32 (*a)[rows], const u32 (*b)[columns]) {
#pragma unroll
        for (u32 k = 0; k < depth; k += 2) {
            u32 first[2][8], second[2][8];
#pragma unroll
            for (u32 odd = 0; odd < 2; ++odd) {
#pragma unroll
                for (u32 half = 0; half < 2; ++half) {
                    const uint4 x =
                        *reinterpret_cast<const uint4*>(&a[k + odd][top + half * (rows / 2)]);
                    const uint4 y =
                        *reinterpret_cast<const uint4*>(&b[k + odd][left + half * (columns / 2)]);
                    first[odd][4 * half] = x.x;
                    first[odd][4 * half + 1] = x.y;
                    first[odd][4 * half + 2] = x.z;
                    first[odd][4 * half + 3] = x.w;
                    second[odd][4 * half] = y.x;
                    second[odd][4 * half + 1] = y.y;
                    second[odd][4 * half + 2] = y.z;
                    second[odd][4 * half + 3] = y.w;
                }
            }
#pragma unroll
            for (u32 r = 0; r < 8; ++r) {
#pragma unroll
                for (u32 c = 0; c < 8; ++c) {
                    words[r][c] = relax(words[r][c], first[0][r], second[0][c], first[1][r],
                                        second[1][c]);
                }
            }
        }
    }

    // Takes the sums through all k below `n`, a multiple of `depth`: a[k][0..rows] and
    // b[k][0..columns] in memory.
    __device__ __forceinline__ void relax_through(Strips<rows, columns>& shared, const u32* a,
                                                  u64 a_stride, const u32* b, u64 b_stride, u32 n) {
        const auto start = [&](u32 step) {
            if (step * depth < n) {
                const u32 stage = step % stages;
#pragma unroll
                for (u32 i = threadIdx.x * 4; i < depth * rows; i += threads * 4) {
                    const u32 k = i / rows, at = i % rows;
                    fetch(&shared.a[stage][k][at], a + (step * depth + k) * a_stride + at);
                }
#pragma unroll
                for (u32 i = threadIdx.x * 4; i < depth * columns; i += threads * 4) {
                    const u32 k = i / columns, at = i % columns;
                    fetch(&shared.b[stage][k][at], b + (step * depth + k) * b_stride + at);
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
