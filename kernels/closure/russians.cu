// Unites lines with those of a chunk of pivots, by the method of the four Russians. For eight
// pivots at a time the unions of all their subsets are tabulated, and a line takes one of the 256.
//
// A block has 512 lines by 64 words, whose unions stay in registers: a warp has 32 lines, a lane
// two words of each. One look-up replaces eight pivots, but shared memory delivers half as many
// words as bitwise instructions could take, and the tables must be computed.
//
// Reference: arlazarov-1970
#include "layout.cuh"

constexpr u32 tile_lines = 512;
constexpr u32 tile_words = 64;
constexpr u32 at_once = 8;

// One block of 512 threads for each tile of 512 lines and 64 words (x), the last of which may
// end sooner. Dynamic shared memory: 64 KiB. Selectors are read while other blocks raise them:
// what is seen lies between the relation and its closure, and suffices. Every word is written
// by one thread.
extern "C" __global__ void __launch_bounds__(512, 1) closure_update_russians(Step step, u32 n_column_tiles) {
    extern __shared__ __align__(16) u32 table[];
    const u32 t = threadIdx.x, warp = t / 32;
    const u32 at = blockIdx.x / n_column_tiles * tile_lines, first_word = blockIdx.x % n_column_tiles * tile_words;
    // of the table, a thread makes a column's entries with the same highest three bits
    const u32 column = t % tile_words, highest = t / tile_words;
    const bool has_column = first_word + column < step.stride;
    const u32 n_lines = step.n_lines(), mine = at + 32 * warp + lane();
    const u32* selector_words = step.words(step.line(min(mine, n_lines - 1))) + step.pivot / 32;
    u32 sums[32][2];
#pragma unroll
    for (u32 l = 0; l < 32; ++l) sums[l][0] = sums[l][1] = 0;
    u32 rows[at_once];
    auto fetch = [&](u32 k) {
        if (k == chunk) return;
#pragma unroll
        for (u32 b = 0; b < at_once; ++b) rows[b] = has_column ? step.pivot_words(k + b)[first_word + column] : 0;
    };
    fetch(0);
    for (u32 word = 0; word < chunk_words; ++word) {
        const u32 selectors = mine < n_lines ? __ldcg(selector_words + word) : 0;
        for (u32 quarter = 0; quarter < 4; ++quarter) {
            u32 entries[32];
            entries[0] = (highest & 1 ? rows[5] : 0) | (highest & 2 ? rows[6] : 0) | (highest & 4 ? rows[7] : 0);
#pragma unroll
            for (u32 b = 0; b < 5; ++b)
#pragma unroll
                for (u32 x = 0; x < 1u << b; ++x) entries[x + (1u << b)] = entries[x] | rows[b];
            // every warp is done with the table before
            __syncthreads();
#pragma unroll
            for (u32 x = 0; x < 32; ++x) table[(highest * 32 + x) * tile_words + column] = entries[x];
            __syncthreads();
            fetch(word * 32 + (quarter + 1) * at_once);
#pragma unroll
            for (u32 l = 0; l < 32; ++l) {
                const u32 subset = __shfl_sync(everyone, selectors, l) >> quarter * at_once & 255;
                const uint2 sum = *reinterpret_cast<const uint2*>(table + subset * tile_words + 2 * lane());
                sums[l][0] |= sum.x;
                sums[l][1] |= sum.y;
            }
        }
    }
    if (first_word + 2 * lane() >= step.stride) return;
#pragma unroll
    for (u32 l = 0; l < 32; ++l) {
        const u32 line = at + 32 * warp + l;
        if (line >= n_lines) return;
        auto* const own = reinterpret_cast<uint2*>(step.words(step.line(line)) + first_word + 2 * lane());
        const uint2 before = __ldcg(own);
        const uint2 after = {before.x | sums[l][0], before.y | sums[l][1]};
        if (after.x != before.x || after.y != before.y) __stcg(own, after);
    }
}
