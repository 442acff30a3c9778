// The rows of a part: its arcs with their weights, and apart from one another the short and the long.
//
// Rows come sorted, with heads by rank (../sssp/ranked_rows.cu); vertices of ranks r, r + 1, … go to the
// parts in turn. Weights of drawn arcs are hashes, as in graph-formats/src/generate/draws.rs. A launch may
// be for some rows of a part. Arcs may lie in host memory: they are written and read in order.
//
// Launch: any grid of blocks of 256 threads; a warp a row.
//
// Races: none, for a warp writes its row.

#include "../sssp/delta_stepping/key.cuh"
#include "../sssp/draws.cuh"
#include "part.cuh"

// From which weights are drawn. The host has the same structure.
struct Weights {
    u64 stream;
    u64 n_weights;
    u32 least;
    u32 both_ways;
};

// Rows of a part. The host has the same structure.
struct Part {
    const u64* offsets;
    u32* heads;
    u64 n_arcs;
    u32 n_rows;
    u32 first_row;
    u32 part;
    u32 n_parts;
    u32 stride;
    u32 unused;
};

#if defined(WEIGHT_U32)
// The weights of drawn arcs; `order` has the vertex of each rank.
extern "C" __global__ void weigh(const Part part, const Weights weights, const u32* order, u32* drawn) {
    for (u32 row = grid_warp(); row < part.n_rows; row += grid_warps()) {
        const u64 begin = part.offsets[row], end = part.offsets[row + 1];
        const u32 tail = __ldg(order + static_cast<u64>(part.first_row + row) * part.n_parts + part.part);
        for (u64 arc = begin + lane(); arc < end; arc += 32) {
            const u32 rank = part.heads[arc];
            u64 copy = 0;
            while (arc - copy > begin && part.heads[arc - copy - 1] == rank) ++copy;
            const u32 head = __ldg(order + rank);
            const bool turned = weights.both_ways != 0 && head < tail;
            const u64 edge = static_cast<u64>(turned ? head : tail) << 32 | (turned ? tail : head);
            const u64 random = random_at(random_at(weights.stream, edge), copy);
            drawn[arc] = weights.least + static_cast<u32>(__umul64hi(random, weights.n_weights));
        }
    }
}

// Copies the first arcs of each row, up to this number, and the others; rows have these offsets there.
// `firsts` gets the first head of each row of the part, or `everyone`.
extern "C" __global__ void copy_first(const Part part, u32 n_first, const u64* first_offsets, const u64* other_offsets,
                                      u32* first_heads, u32* other_heads, u32* firsts) {
    for (u32 row = grid_warp(); row < part.n_rows; row += grid_warps()) {
        const u64 begin = part.offsets[row], length = part.offsets[row + 1] - begin;
        u32 *first = first_heads + first_offsets[row], *others = other_heads + other_offsets[row];
        for (u64 at = lane(); at < length; at += 32) {
            const u32 head = part.heads[begin + at];
            if (at < n_first) first[at] = head;
            else others[at - n_first] = head;
        }
        if (lane() == 0) firsts[part.first_row + row] = length != 0 ? part.heads[begin] : everyone;
    }
}

// Replaces ranks by dealt numbers.
extern "C" __global__ void deal(const Part part) {
    const u64 n_threads = grid_threads();
    for (u64 arc = grid_thread(); arc < part.n_arcs; arc += n_threads) {
        const u32 rank = part.heads[arc];
        part.heads[arc] = rank % part.n_parts * part.stride + rank / part.n_parts;
    }
}
#endif

// How many arcs have as many of these limits up to their weight: none, one, … all. The limits ascend.
constexpr u32 max_limits = 2048;

extern "C" __global__ void ENTRY(count_between)(const Part part, const Weight* weights, const u64* limits, u32 n_limits,
                                                u64* counts) {
    __shared__ Weight shared[max_limits];
    __shared__ u32 counted[max_limits + 1];
    for (u32 at = threadIdx.x; at < n_limits; at += blockDim.x) shared[at] = static_cast<Weight>(limits[at]);
    for (u32 at = threadIdx.x; at <= n_limits; at += blockDim.x) counted[at] = 0;
    __syncthreads();
    for (u64 arc = grid_thread(); arc < part.n_arcs; arc += grid_threads()) {
        const Weight weight = without_sign(weights[arc]);
        u32 low = 0, high = n_limits;
        while (low < high) {
            const u32 middle = (low + high) / 2;
            if (shared[middle] <= weight) low = middle + 1;
            else high = middle;
        }
        atomicAdd(counted + low, 1);
    }
    __syncthreads();
    for (u32 at = threadIdx.x; at <= n_limits; at += blockDim.x) {
        if (counted[at]) atomicAdd(counts + at, static_cast<u64>(counted[at]));
    }
}

// Counts the arcs of each row whose weight is below the limit.
extern "C" __global__ void ENTRY(count_short)(const Part part, const Weight* weights, u64 limit, u32* counts) {
    for (u32 row = grid_warp(); row < part.n_rows; row += grid_warps()) {
        u32 n = 0;
        for (u64 arc = part.offsets[row] + lane(); arc < part.offsets[row + 1]; arc += 32) n += without_sign(weights[arc]) < limit;
        n = static_cast<u32>(warp_sum(n));
        if (lane() == 0) counts[row] = n;
    }
}

// Copies the short and the long arcs of each row, whose rows have these offsets.
extern "C" __global__ void ENTRY(split)(const Part part, const Weight* weights, u64 limit, const u64* short_offsets,
                                        const u64* long_offsets, Arc* short_arcs, Arc* long_arcs) {
    for (u32 row = grid_warp(); row < part.n_rows; row += grid_warps()) {
        u64 to_short = short_offsets[row], to_long = long_offsets[row];
        const u64 end = part.offsets[row + 1];
        for (u64 first = part.offsets[row]; first < end; first += 32) {
            const u64 at = first + lane();
            const bool has = at < end;
            const Weight weight = has ? without_sign(weights[at]) : 0;
            Arc arc;
            arc.x = has ? part.heads[at] : 0;
            arc.y = weight;
            const bool is_short = has && weight < limit;
            const u32 lanes = __ballot_sync(everyone, is_short), others = __ballot_sync(everyone, has && !is_short);
            if (is_short) short_arcs[to_short + __popc(lanes & lower_lanes())] = arc;
            if (has && !is_short) long_arcs[to_long + __popc(others & lower_lanes())] = arc;
            to_short += __popc(lanes);
            to_long += __popc(others);
        }
    }
}
