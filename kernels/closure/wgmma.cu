// Raises lines by a block of pivots, with the matrix units of a whole group of warps.
//
// They take both operands from shared memory, 64 lines by 256 pivots by 256 columns at a time,
// half as fast again as warps for themselves do. A block keeps the pivots of its columns there
// and lets all lines pass; its two groups of four warps have different lines, so that one
// multiplies while the other turns counts into bits.
//
// For devices of compute capability 9.0 alone.
//
// Reference: warshall-1962, venkataraman-2003
#include "layout.cuh"

constexpr u32 group_lines = 64;
// Of the selectors of a group's lines, for one chunk.
constexpr u32 selector_bytes = group_lines * chunk / 8;
// Tiles of a group whose selectors are on their way or in use.
constexpr u32 n_stages = 3;

__device__ __forceinline__ void copy(u32 to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// What was copied is seen by matrix units, too.
__device__ __forceinline__ void show_to_units() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// An operand in shared memory, without swizzling: 16 bytes of eight lines or columns are
// together, 128 bytes on are the next 16 bytes of the same, 256 bytes on the next eight.
__device__ __forceinline__ u64 operand(u32 address) {
    return static_cast<u64>((address & 0x3ffff) >> 4) | static_cast<u64>(128 >> 4) << 16 | static_cast<u64>(256 >> 4) << 32;
}

// c += a b, counting. Warp w, lane 4 g + q has lines 16 w + g and + 8, columns 8 t + 2 q + e:
// c[4 t + e] and c[4 t + 2 + e].
__device__ __forceinline__ void multiply(int (&c)[128], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, 1;"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]), "+r"(c[7]),
          "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11]), "+r"(c[12]), "+r"(c[13]), "+r"(c[14]), "+r"(c[15]),
          "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]), "+r"(c[20]), "+r"(c[21]), "+r"(c[22]), "+r"(c[23]),
          "+r"(c[24]), "+r"(c[25]), "+r"(c[26]), "+r"(c[27]), "+r"(c[28]), "+r"(c[29]), "+r"(c[30]), "+r"(c[31]),
          "+r"(c[32]), "+r"(c[33]), "+r"(c[34]), "+r"(c[35]), "+r"(c[36]), "+r"(c[37]), "+r"(c[38]), "+r"(c[39]),
          "+r"(c[40]), "+r"(c[41]), "+r"(c[42]), "+r"(c[43]), "+r"(c[44]), "+r"(c[45]), "+r"(c[46]), "+r"(c[47]),
          "+r"(c[48]), "+r"(c[49]), "+r"(c[50]), "+r"(c[51]), "+r"(c[52]), "+r"(c[53]), "+r"(c[54]), "+r"(c[55]),
          "+r"(c[56]), "+r"(c[57]), "+r"(c[58]), "+r"(c[59]), "+r"(c[60]), "+r"(c[61]), "+r"(c[62]), "+r"(c[63]),
          "+r"(c[64]), "+r"(c[65]), "+r"(c[66]), "+r"(c[67]), "+r"(c[68]), "+r"(c[69]), "+r"(c[70]), "+r"(c[71]),
          "+r"(c[72]), "+r"(c[73]), "+r"(c[74]), "+r"(c[75]), "+r"(c[76]), "+r"(c[77]), "+r"(c[78]), "+r"(c[79]),
          "+r"(c[80]), "+r"(c[81]), "+r"(c[82]), "+r"(c[83]), "+r"(c[84]), "+r"(c[85]), "+r"(c[86]), "+r"(c[87]),
          "+r"(c[88]), "+r"(c[89]), "+r"(c[90]), "+r"(c[91]), "+r"(c[92]), "+r"(c[93]), "+r"(c[94]), "+r"(c[95]),
          "+r"(c[96]), "+r"(c[97]), "+r"(c[98]), "+r"(c[99]), "+r"(c[100]), "+r"(c[101]), "+r"(c[102]), "+r"(c[103]),
          "+r"(c[104]), "+r"(c[105]), "+r"(c[106]), "+r"(c[107]), "+r"(c[108]), "+r"(c[109]), "+r"(c[110]), "+r"(c[111]),
          "+r"(c[112]), "+r"(c[113]), "+r"(c[114]), "+r"(c[115]), "+r"(c[116]), "+r"(c[117]), "+r"(c[118]), "+r"(c[119]),
          "+r"(c[120]), "+r"(c[121]), "+r"(c[122]), "+r"(c[123]), "+r"(c[124]), "+r"(c[125]), "+r"(c[126]), "+r"(c[127])
        : "l"(a), "l"(b));
}

// Blocks of 256 threads share all pairs of a tile of columns and 64 lines, each a stretch of
// them, a tile's lines one after the other. Dynamic shared memory, for each chunk of pivots:
// tile_bytes, and 2 * n_stages * selector_bytes. Selectors are read while other blocks raise
// them: what is seen lies between the relation and its closure, and suffices. Every word is
// written by one thread.
extern "C" __global__ void __launch_bounds__(256, 1) closure_update_wgmma(Step step, u32 n_column_tiles) {
    extern __shared__ __align__(128) unsigned char shared[];
    const u32 pivots = static_cast<u32>(__cvta_generic_to_shared(shared)), pivot_bytes = step.n_chunks * tile_bytes;
    const u32 t = threadIdx.x, group = t / 128, warp = t % 128 / 32, g = lane() / 4, q = lane() % 4;
    const u32 stage_bytes = step.n_chunks * selector_bytes;
    const u32 stages = pivots + pivot_bytes + group * n_stages * stage_bytes;
    const u32 n_tiles = step.n_lines() / group_lines;
    const u64 n_items = static_cast<u64>(n_tiles) * n_column_tiles;
    const u64 end = n_items * (blockIdx.x + 1) / gridDim.x;
    for (u64 item = n_items * blockIdx.x / gridDim.x; item < end;) {
        const u32 column_tile = static_cast<u32>(item / n_tiles), first = static_cast<u32>(item % n_tiles);
        const u32 last = static_cast<u32>(min(static_cast<u64>(n_tiles), first + (end - item)));
        item += last - first;
        // the group's tiles are every second one
        const u32 turns = (last - first + 1 - group) / 2;
        const u32 first_line = (first + group) * group_lines;
        // two threads bring the selectors of a line
        auto fetch = [&](u32 turn) {
            if (turn < turns) {
                const u32 row = t % 128 / 2, half = t % 2;
                const u32* from = step.words(step.line(first_line + turn * 2 * group_lines + row)) + step.pivot / 32 + half * 4;
                const u32 to = stages + turn % n_stages * stage_bytes + row / 8 * 256 + half * 128 + row % 8 * 16;
                for (u32 k = 0; k < step.n_chunks; ++k) copy(to + k * selector_bytes, from + k * chunk_words);
            }
            asm volatile("cp.async.commit_group;");
        };
        // all products with the pivots before are done
        __syncthreads();
        for (u32 at = t * 16; at < pivot_bytes; at += 256 * 16) {
            copy(pivots + at, step.turned + at / tile_bytes * step.chunk_bytes + static_cast<u64>(column_tile) * tile_bytes + at % tile_bytes);
        }
        asm volatile("cp.async.commit_group;");
        for (u32 turn = 0; turn + 1 < n_stages; ++turn) fetch(turn);
        asm volatile("cp.async.wait_group %0;" ::"n"(n_stages - 1) : "memory");
        show_to_units();
        __syncthreads();
        for (u32 turn = 0; turn < turns; ++turn) {
            const u32 own = step.line(first_line + turn * 2 * group_lines) + 16 * warp + g;
            auto* const upper = reinterpret_cast<u64*>(step.words(own) + column_tile * (tile / 32) + 2 * q);
            auto* const lower = reinterpret_cast<u64*>(step.words(own + 8) + column_tile * (tile / 32) + 2 * q);
            const u64 upper_before = __ldcg(upper), lower_before = __ldcg(lower);
            int counts[128];
            // set here and not, as compilers would have it, between two products
#pragma unroll
            for (u32 i = 0; i < 128; ++i) asm volatile("mov.s32 %0, %1;" : "=r"(counts[i]) : "n"(none));
            asm volatile("cp.async.wait_group %0;" ::"n"(n_stages - 2) : "memory");
            show_to_units();
            // all four warps have come here, so what is fetched next takes no stage in use
            asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
            fetch(turn + n_stages - 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            const u32 selectors = stages + turn % n_stages * stage_bytes;
            for (u32 k = 0; k < step.n_chunks; ++k) {
                multiply(counts, operand(selectors + k * selector_bytes), operand(pivots + k * tile_bytes));
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            // no count is read before
#pragma unroll
            for (u32 i = 0; i < 128; ++i) asm volatile("" : "+r"(counts[i]));
            u32 bits[2][2] = {};
#pragma unroll
            for (int e = 15; e >= 0; --e) {
#pragma unroll
                for (int word = 0; word < 2; ++word) {
                    const int* c = counts + 4 * (16 * word + e);
                    bits[0][word] = push(bits[0][word], c[0], c[1]);
                    bits[1][word] = push(bits[1][word], c[2], c[3]);
                }
            }
            const u64 upper_after = upper_before | bits[0][0] | static_cast<u64>(bits[0][1]) << 32;
            const u64 lower_after = lower_before | bits[1][0] | static_cast<u64>(bits[1][1]) << 32;
            if (upper_after != upper_before) __stcg(upper, upper_after);
            if (lower_after != lower_before) __stcg(lower, lower_after);
        }
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
}
