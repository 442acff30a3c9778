// From the rows of a graph to the edges of edge-parallel kernels, once per graph: which
// vertex each arc starts at, each undirected edge once, and the order of edges by segments
// of vertices.
//
// What is selected and sorted are positions of arcs, 32 bits each; arrays of the graph are
// gathered by them at the end, whatever their type. So a graph has fewer than 2^32 arcs.
// Both are the same work: a stable counting pass, which has three launches.
//
//   <what>_count    counts[digit * blocks + block] = how many items of this block's share of
//                   the list have this digit, of 256
//   scan_counts     the sum of all counts before, in place: where each block's items of
//                   each digit begin in the sorted list
//   <what>_scatter  puts each item there, in the order they had
//
// Count and scatter are launched alike: any number of blocks of exactly 256 threads in one
// dimension, with room for 256 * blocks counts. A block takes one contiguous share of the
// list, so there may be far fewer blocks than 256 items each would make, some for each
// multiprocessor, and the counts are few. Two reads of the keys and a read and a write of
// the positions per pass.
//
// No entry has a data race: every word of global memory is written by one thread, and no
// entry but scan_counts, which is one block, reads what it writes.
//
// The segments are of the article on segmented Bellman-Ford (origin-segments in
// docs/references.bib), which does not say how it sorts. The orders are those of the host:
// Csr::to_coo, Csr::undirected_edges and SegmentOrder of the crate graph-formats.

using u32 = unsigned int;
using u64 = unsigned long long;

constexpr u32 warp_size = 32;
constexpr u32 all_lanes = 0xffffffffu;
// Threads of a block, and digits: thread t is also in charge of digit t.
constexpr u32 block_size = 256;
constexpr u32 n_warps = block_size / warp_size;

__device__ __forceinline__ u64 thread_index()
{
    return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The row of an arc that lies in one of the rows [low, high].
__device__ __forceinline__ u32 row_of(const u64* row_offsets, u32 low, u32 high, u64 arc)
{
    // invariant: row_offsets[low] <= arc < row_offsets[high + 1]
    while (low < high) {
        const u32 middle = low + (high - low + 1) / 2;
        if (row_offsets[middle] <= arc) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// tails[arc] = the row of the arc, rows ascending as in Csr::to_coo. A thread an arc, so that
// a hub's row is shared by many; the block first finds the rows of its first and last arc,
// and its threads search between them only. Launch: one dimension, blocks of at least 2
// threads, at least n_arcs of them. row_offsets has n_vertices + 1 entries.
extern "C" __global__ void expand_rows(
    const u64* __restrict__ row_offsets, u32 n_vertices, u32* __restrict__ tails, u32 n_arcs)
{
    __shared__ u32 bounds[2];
    const u64 first = static_cast<u64>(blockIdx.x) * blockDim.x;
    if (first >= n_arcs) return;  // the whole block
    const u64 beyond = first + blockDim.x;
    const u64 last = (beyond < n_arcs ? beyond : n_arcs) - 1;
    if (threadIdx.x < 2) {
        const u64 arc = threadIdx.x == 0 ? first : last;
        bounds[threadIdx.x] = row_of(row_offsets, 0, n_vertices - 1, arc);
    }
    __syncthreads();
    const u64 arc = first + threadIdx.x;
    if (arc < n_arcs) tails[arc] = row_of(row_offsets, bounds[0], bounds[1], arc);
}

// The items of a list that a block takes.
struct Share {
    u64 begin;
    u64 end;
};

__device__ __forceinline__ Share share_of_block(u32 n_items)
{
    const u64 length = (static_cast<u64>(n_items) + gridDim.x - 1) / gridDim.x;
    const u64 begin = blockIdx.x * length;
    const u64 end = begin + length;
    return {begin < n_items ? begin : n_items, end < n_items ? end : n_items};
}

template <class List>
__device__ __forceinline__ void count(const List& list, u32 n_items, u32* counts)
{
    __shared__ u32 bins[block_size];
    bins[threadIdx.x] = 0;
    __syncthreads();
    const Share share = share_of_block(n_items);
    for (u64 item = share.begin + threadIdx.x; item < share.end; item += block_size) {
        atomicAdd(&bins[list.digit(list.position(item))], 1u);
    }
    __syncthreads();
    counts[static_cast<u64>(threadIdx.x) * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// Items are put in place 256 at a time. Within a warp, an item's rank is the number of
// lower lanes with its digit; the thread in charge of a digit adds up the warps before.
template <class List>
__device__ __forceinline__ void scatter(
    const List& list, u32 n_items, const u32* starts, u32* sorted)
{
    __shared__ u32 slots[n_warps][block_size];
    const u32 warp = threadIdx.x / warp_size;
    const u32 lower_lanes = (1u << (threadIdx.x % warp_size)) - 1;
    u32 next = starts[static_cast<u64>(threadIdx.x) * gridDim.x + blockIdx.x];
    const Share share = share_of_block(n_items);
    for (u64 begin = share.begin; begin < share.end; begin += block_size) {
        for (u32 w = 0; w < n_warps; ++w) slots[w][threadIdx.x] = 0;
        __syncthreads();
        const u64 item = begin + threadIdx.x;
        const bool is_item = item < share.end;
        const u32 position = is_item ? list.position(item) : 0;
        const u32 digit = is_item ? list.digit(position) : block_size;  // a digit of no item
        const u32 alike = __match_any_sync(all_lanes, digit);
        const u32 rank = __popc(alike & lower_lanes);
        if (is_item && rank == 0) slots[warp][digit] = __popc(alike);
        __syncthreads();
        for (u32 w = 0; w < n_warps; ++w) {
            const u32 n_alike = slots[w][threadIdx.x];
            slots[w][threadIdx.x] = next;
            next += n_alike;
        }
        __syncthreads();
        if (digit < List::n_kept) sorted[slots[warp][digit] + rank] = position;
        __syncthreads();
    }
}

// All arcs, those with tail <= head first; only these are kept. An undirected graph has the
// arc (v, u) for each (u, v), so each edge is kept once, a loop too, and parallel edges as
// many times as there are.
struct Pairs {
    static constexpr u32 n_kept = 1;
    const u32* tails;
    const u32* heads;
    __device__ u32 position(u64 item) const { return static_cast<u32>(item); }
    __device__ u32 digit(u32 position) const { return tails[position] > heads[position]; }
};

extern "C" __global__ void __launch_bounds__(block_size) pairs_count(
    const u32* tails, const u32* heads, u32 n_arcs, u32* counts)
{
    count(Pairs{tails, heads}, n_arcs, counts);
}

// positions = those of the arcs that are kept, ascending, as in Csr::undirected_edges. How
// many there are stands in starts[blocks], where the first block's arcs of digit 1 begin.
extern "C" __global__ void __launch_bounds__(block_size) pairs_scatter(
    const u32* tails, const u32* heads, u32 n_arcs, const u32* starts, u32* positions)
{
    scatter(Pairs{tails, heads}, n_arcs, starts, positions);
}

// A list of arcs by eight bits of the number of the segment that one end of each lies in. The order
// of SegmentOrder is by heads and then by tails. Arcs come in the order of their tails, so only the
// passes over the heads are left, least bits first: one up to 256 segments, two up to 65,536.
struct Segments {
    static constexpr u32 n_kept = block_size;
    const u32* positions;
    const u32* ends;
    u32 vertices_per_segment;
    u32 shift;
    __device__ u32 position(u64 item) const { return positions[item]; }
    __device__ u32 digit(u32 position) const
    {
        return ends[position] / vertices_per_segment >> shift & (block_size - 1);
    }
};

extern "C" __global__ void __launch_bounds__(block_size) segments_count(
    const u32* positions, const u32* ends, u32 n_positions, u32 vertices_per_segment, u32 shift,
    u32* counts)
{
    count(Segments{positions, ends, vertices_per_segment, shift}, n_positions, counts);
}

// sorted = the positions, in another array than the positions are in.
extern "C" __global__ void __launch_bounds__(block_size) segments_scatter(
    const u32* positions, const u32* ends, u32 n_positions, u32 vertices_per_segment, u32 shift,
    const u32* starts, u32* sorted)
{
    scatter(Segments{positions, ends, vertices_per_segment, shift}, n_positions, starts, sorted);
}

// counts[i] = the sum of counts[0 .. i), in place. Launch: one block of exactly 256 threads.
// Their sum is below 2^32, for there are fewer arcs.
extern "C" __global__ void __launch_bounds__(block_size) scan_counts(u32* counts, u32 n_counts)
{
    __shared__ u32 sums[n_warps];
    const u32 lane = threadIdx.x % warp_size;
    const u32 warp = threadIdx.x / warp_size;
    u32 before = 0;  // the sum of all earlier rounds
    for (u64 begin = 0; begin < n_counts; begin += block_size) {
        const u64 index = begin + threadIdx.x;
        const u32 own = index < n_counts ? counts[index] : 0;
        u32 sum = own;  // of the lanes up to this one
        for (u32 distance = 1; distance < warp_size; distance *= 2) {
            const u32 other = __shfl_up_sync(all_lanes, sum, distance);
            if (lane >= distance) sum += other;
        }
        if (lane == warp_size - 1) sums[warp] = sum;
        __syncthreads();
        u32 of_block = 0;
        for (u32 w = 0; w < n_warps; ++w) {
            if (w == warp) sum += of_block;
            of_block += sums[w];
        }
        if (index < n_counts) counts[index] = before + sum - own;
        before += of_block;
        __syncthreads();
    }
}

// positions[i] = i: the list of all arcs. Launch: one dimension, at least n_positions threads.
extern "C" __global__ void all_positions(u32* positions, u32 n_positions)
{
    const u64 index = thread_index();
    if (index < n_positions) positions[index] = static_cast<u32>(index);
}

// gathered[i] = values[positions[i]], for values of 32 or of 64 bits. Launch: one dimension,
// at least n_positions threads.
extern "C" __global__ void gather_32(
    const u32* __restrict__ values, const u32* __restrict__ positions, u32 n_positions,
    u32* __restrict__ gathered)
{
    const u64 index = thread_index();
    if (index < n_positions) gathered[index] = values[positions[index]];
}

extern "C" __global__ void gather_64(
    const u64* __restrict__ values, const u32* __restrict__ positions, u32 n_positions,
    u64* __restrict__ gathered)
{
    const u64 index = thread_index();
    if (index < n_positions) gathered[index] = values[positions[index]];
}
