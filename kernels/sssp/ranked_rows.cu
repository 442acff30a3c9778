// Rows of arcs made on the device: those of a graph whose vertices get other numbers, or those of
// edges that a generator draws. Then rows are sorted, and equal arcs dropped.
//
// A generator's edge is a function of its number, as in graph-formats/src/generate. So all edges
// are drawn twice, to count the arcs of each vertex and to place them, and nothing but the rows is
// ever held. The order of the arcs of a row depends on the run until they are sorted.
//
// Launch: any grid of blocks of 256 threads; sort_long of 1,024.
//
// Races: counts and places are taken by atomics. A row is written by its warp or block.

#include "draws.cuh"

__device__ __forceinline__ u64 grid_thread() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 grid_threads() { return static_cast<u64>(gridDim.x) * blockDim.x; }

// Calls `place` with the tail and the head of each arc drawn.
template <typename Place> __device__ __forceinline__ void draw_all(const Draws& draws, Place place) {
    for (u64 edge = grid_thread(); edge < draws.n_edges; edge += grid_threads()) {
        const uint2 ends = draw(draws, edge);
        if (ends.x != ends.y || draws.keeps_loops != 0) place(ends.x, ends.y);
        if (ends.x != ends.y && draws.both_ways != 0) place(ends.y, ends.x);
    }
}

// `counts` are zero before.
extern "C" __global__ void count_drawn(const Draws draws, u32* counts) {
    draw_all(draws, [&](u32 tail, u32) { atomicAdd(counts + tail, 1); });
}

// `places` has the offset of each row, and then of the next. `ranks` are the numbers of vertices,
// or null where they keep theirs. Of several parts that get the ranks in turn, these are `n_rows` rows of
// one, from the row `first` on.
extern "C" __global__ void place_drawn(const Draws draws, const u32* ranks, u64* places, u32* ends, u32 part,
                                       u32 n_parts, u32 first, u32 n_rows) {
    draw_all(draws, [&](u32 tail, u32 head) {
        const u32 rank = ranks == nullptr ? tail : __ldg(ranks + tail);
        const u32 row = rank / n_parts - first;
        if (rank % n_parts != part || row >= n_rows) return;
        ends[atomicAdd(places + row, 1)] = ranks == nullptr ? head : __ldg(ranks + head);
    });
}

// The rows of `order`, with the ranks of their ends; a warp a row.
extern "C" __global__ void rank_rows(const u64* offsets, const u32* ends, const u32* order, const u32* ranks,
                                     const u64* ranked_offsets, u32* ranked_ends, u32 n_rows) {
    for (u64 row = grid_thread() / 32; row < n_rows; row += grid_threads() / 32) {
        const u64 from = __ldg(offsets + __ldg(order + row)), to = __ldg(ranked_offsets + row);
        const u64 n = __ldg(ranked_offsets + row + 1) - to;
        for (u64 k = lane(); k < n; k += 32) ranked_ends[to + k] = __ldg(ranks + __ldg(ends + from + k));
    }
}

// The first end of each row, or `everyone` where it is empty.
extern "C" __global__ void first_ends(const u64* offsets, const u32* ends, u32* firsts, u32 n_rows) {
    for (u64 row = grid_thread(); row < n_rows; row += grid_threads()) {
        firsts[row] = offsets[row] < offsets[row + 1] ? ends[offsets[row]] : everyone;
    }
}

// Bitonic sort of any number of keys: those beyond count as greater than all. Thread `first` of
// `n_threads`, which `sync` makes wait for one another.
template <typename Sync>
__device__ __forceinline__ void sort(u32* keys, u32 n, u32 first, u32 n_threads, Sync sync) {
    const auto ascend = [&](u32 low, u32 high) {
        if (high >= n) return;
        const u32 a = keys[low], b = keys[high];
        if (a <= b) return;
        keys[low] = b;
        keys[high] = a;
    };
    for (u32 log = 0; n > 1 && (n - 1) >> log != 0; ++log) {
        // two sorted blocks of 2^log keys, the second read backwards
        const u32 half = 1u << log;
        for (u32 pair = first; (pair >> log << log) * 2 + pair % half < n; pair += n_threads) {
            const u32 block = (pair >> log << log) * 2, at = pair % half;
            ascend(block + at, block + 2 * half - 1 - at);
        }
        sync();
        for (u32 by = log; by-- > 0;) {
            const u32 step = 1u << by;
            for (u32 pair = first; (pair >> by << by) * 2 + pair % step < n; pair += n_threads) {
                const u32 low = (pair >> by << by) * 2 + pair % step;
                ascend(low, low + step);
            }
            sync();
        }
    }
}

// The most arcs of a row that a warp sorts, and of one that a block sorts in its shared memory.
constexpr u32 short_row = 512, shared_row = 8192;

extern "C" __global__ void __launch_bounds__(256) sort_short(const u64* offsets, u32* ends, u32 n_rows) {
    __shared__ u32 shared[8][short_row];
    u32* keys = shared[threadIdx.x / 32];
    for (u64 row = grid_thread() / 32; row < n_rows; row += grid_threads() / 32) {
        const u64 begin = __ldg(offsets + row), length = __ldg(offsets + row + 1) - begin;
        if (length < 2 || length > short_row) continue;
        const u32 n = static_cast<u32>(length);
        for (u32 k = lane(); k < n; k += 32) keys[k] = ends[begin + k];
        __syncwarp();
        sort(keys, n, lane(), 32, [] { __syncwarp(); });
        for (u32 k = lane(); k < n; k += 32) ends[begin + k] = keys[k];
        __syncwarp();
    }
}

extern "C" __global__ void __launch_bounds__(1024) sort_long(const u64* offsets, u32* ends, u32 n_rows) {
    __shared__ u32 shared[shared_row];
    for (u32 row = blockIdx.x; row < n_rows; row += gridDim.x) {
        const u64 begin = __ldg(offsets + row), length = __ldg(offsets + row + 1) - begin;
        if (length <= short_row) continue;
        const u32 n = static_cast<u32>(length);
        const bool fits = n <= shared_row;
        u32* keys = fits ? shared : ends + begin;
        for (u32 k = threadIdx.x; fits && k < n; k += blockDim.x) keys[k] = ends[begin + k];
        __syncthreads();
        sort(keys, n, threadIdx.x, blockDim.x, [] { __syncthreads(); });
        for (u32 k = threadIdx.x; fits && k < n; k += blockDim.x) ends[begin + k] = keys[k];
        __syncthreads();
    }
}

// Calls `visit` for 32 arcs of a sorted row at a time: whether a lane has the first of equal arcs,
// and which arc.
template <typename Visit> __device__ __forceinline__ void distinct(const u32* ends, u64 begin, u64 end, Visit visit) {
    for (u64 first = begin; first < end; first += 32) {
        const u64 arc = first + lane();
        visit(arc < end && (arc == begin || ends[arc - 1] != ends[arc]), arc);
    }
}

extern "C" __global__ void count_distinct(const u64* offsets, const u32* ends, u32* counts, u32 n_rows) {
    for (u64 row = grid_thread() / 32; row < n_rows; row += grid_threads() / 32) {
        u32 n = 0;
        distinct(ends, offsets[row], offsets[row + 1], [&](bool is, u64) { n += __popc(__ballot_sync(everyone, is)); });
        if (lane() == 0) counts[row] = n;
    }
}

extern "C" __global__ void copy_distinct(const u64* offsets, const u32* ends, const u64* distinct_offsets,
                                         u32* distinct_ends, u32 n_rows) {
    for (u64 row = grid_thread() / 32; row < n_rows; row += grid_threads() / 32) {
        u64 to = distinct_offsets[row];
        distinct(ends, offsets[row], offsets[row + 1], [&](bool is, u64 arc) {
            const u32 lanes = __ballot_sync(everyone, is);
            if (is) distinct_ends[to + __popc(lanes & lower_lanes())] = ends[arc];
            to += __popc(lanes);
        });
    }
}
