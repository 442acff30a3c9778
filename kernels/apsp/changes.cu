// All pairs after some arcs have changed: the paths over lowered arcs, and the pairs that raised
// arcs were on the paths of, which are searched for again.
//
// Up to 64 arcs are followed at a time. For each arc (u, v) of weight w, `first` has d(i, u) + w for
// all rows i, and `rest` d(v, j) for all columns j. The paths over these arcs are the sums of both, a
// min-plus product of rank 64. A lowered arc helps a row or a column only if it brings it nearer to
// its other end, and a raised one was on a path only if it was on one of these. Where an arc is of no
// use, `first` and `rest` have no path, and tiles skip arcs that are of no use to any of their rows or
// columns.
//
// `rest` goes over further lowered arcs, too: their heads are closed as pivots first.
//
// Next hops follow where all weights are positive. Then the hop of a pair is the least first vertex
// of its shortest paths. A new path goes to the tail of its first lowered arc by the hops from before:
// its first vertex is the hop to that tail. It counts also where it is as long as the distance. Lost
// pairs take the least hop to the tail of a last arc, in sweeps until none changes.
//
// Where several GPUs share the matrix, each has some of its rows, and follows the arcs in these. It gets
// copies of the rows of heads and tails.
//
// O(k³ + k² n + k n²) for k arcs, the last term where they are of use, and O(k) for each next hop.
//
// Reference: floyd-1962, ramalingam-reps-1996, volkov-demmel-2008
#include "product.cuh"

constexpr u32 most_arcs = 64;

// Rows of the matrix, of `side` words each, and the arcs of a turn.
struct Turn {
    Word* matrix;
    u64 side;
    const u32* tails;
    const u32* heads;
    // The rows of both.
    const Word* const* tail_rows;
    const Word* const* head_rows;
    const Word* weights;
    // Between heads, the least over one arc or more: a row of `most_arcs` for each arc.
    Word* closed;
    // A row of `side` words for each arc.
    Word* first;
    Word* rest;
    // A bit for each arc: for each tile's rows, and for each tile's columns.
    u64* row_arcs;
    u64* column_arcs;
    // Whether there is a negative cycle.
    u32* cycle;
    // Pairs that were found.
    u64* n_pairs;
    // Next hops, rows of `side`, where they follow; else null.
    u32* hops;
    // Of each arc the first vertex of the paths over it: a row of `side` for each arc.
    u32* first_hops;
    // Next hops that were found.
    u64* n_hops;
    u32 n_arcs;
    // Rows that are here; the rows of a block; parts that take blocks in turn, and which one this is.
    u32 n_rows;
    u32 block_rows;
    u32 n_parts;
    u32 part;
    u32 padding;

    __device__ __forceinline__ Word at(u64 row, u64 column) const { return matrix[row * side + column]; }
    // The vertex of a row that is here.
    __device__ __forceinline__ u32 vertex_of(u32 row) const {
        return (row / block_rows * n_parts + part) * block_rows + row % block_rows;
    }
};

// In place of a vertex.
constexpr u32 no_vertex = 0xffffffff;

__device__ __forceinline__ bool is_less(Word a, Word b) { return element_of(a) < element_of(b); }
__device__ __forceinline__ bool is_reached(Word a) { return is_reached(element_of(a)); }

// a + b, or no path where one of them is none.
__device__ __forceinline__ Word sum(Word a, Word b) {
    return is_reached(a) && is_reached(b) ? relax(infinite_word, a, b) : infinite_word;
}

// Closes the heads of lowered arcs as pivots. One block of 1024 threads.
extern "C" __global__ void __launch_bounds__(1024) ENTRY(close_heads)(const Turn turn) {
    __shared__ Word closed[most_arcs][most_arcs];
    const u32 n = turn.n_arcs, to = threadIdx.x % most_arcs, step = 1024 / most_arcs;
    for (u32 from = threadIdx.x / most_arcs; from < n; from += step) {
        if (to < n) closed[from][to] = sum(turn.head_rows[from][turn.tails[to]], turn.weights[to]);
    }
    bool is_cycle = false;
    for (u32 pivot = 0; pivot <= n && !is_cycle; ++pivot) {
        __syncthreads();
        const u32 own = threadIdx.x;
        is_cycle = __syncthreads_or(own < n && element_of(closed[own][own]) < 0);
        if (pivot == n || to >= n) continue;
        // no other thread writes the pivot's row or column, for its own cell is not negative
        for (u32 from = threadIdx.x / most_arcs; from < n; from += step) {
            const Word over = sum(closed[from][pivot], closed[pivot][to]);
            if (is_less(over, closed[from][to])) closed[from][to] = over;
        }
    }
    for (u32 from = threadIdx.x / most_arcs; from < n; from += step) {
        if (to < n) turn.closed[from * most_arcs + to] = closed[from][to];
    }
    if (threadIdx.x == 0) *turn.cycle = is_cycle;
}

// Whether a sum is on a path: shorter than the distance, or with `ties` as short.
__device__ __forceinline__ bool is_used(Word sum, Word distance, bool ties) {
    return ties ? is_reached(sum) && !is_less(distance, sum) : is_less(sum, distance);
}

// Marks an arc for the tiles in which a thread of the warp has a use for it.
__device__ __forceinline__ void mark(u64* tile, u32 arc, bool is_used) {
    if (__any_sync(0xffffffff, is_used) && threadIdx.x % 32 == 0) atomicOr(tile, u64(1) << arc);
}

// Writes `first` and `rest`, and the hops of `first`. A block of 128 threads for each 128 rows and columns (x) and each arc (y).
template <bool is_raised> __device__ __forceinline__ void look_at_ends(const Turn& turn) {
    const u32 arc = blockIdx.y;
    const u64 at = (u64)blockIdx.x * tile_rows + threadIdx.x;
    const u32 tail = turn.tails[arc], head = turn.heads[arc];
    const Word weight = turn.weights[arc];
    const bool ties = is_raised || turn.hops;
    // all rows of a block are here, or none is
    if (at < turn.n_rows) {
        const Word first = sum(turn.at(at, tail), weight);
        const bool helps_row = is_used(first, turn.at(at, head), ties);
        if (!is_raised && turn.hops) {
            turn.first_hops[arc * turn.side + at] = at == tail ? head : turn.hops[at * turn.side + tail];
        }
        turn.first[arc * turn.side + at] = helps_row ? first : infinite_word;
        mark(turn.row_arcs + blockIdx.x, arc, helps_row);
    }
    Word rest = turn.head_rows[arc][at];
    for (u32 other = 0; !is_raised && other < turn.n_arcs; ++other) {
        const Word over = sum(turn.closed[arc * most_arcs + other], turn.head_rows[other][at]);
        if (is_less(over, rest)) rest = over;
    }
    const bool helps_column = is_used(sum(weight, rest), turn.tail_rows[arc][at], ties);
    turn.rest[arc * turn.side + at] = helps_column ? rest : infinite_word;
    mark(turn.column_arcs + at / tile_columns, arc, helps_column);
}

extern "C" __global__ void __launch_bounds__(128) ENTRY(look_at_lowered)(const Turn turn) {
    look_at_ends<false>(turn);
}

extern "C" __global__ void __launch_bounds__(128) ENTRY(look_at_raised)(const Turn turn) {
    look_at_ends<true>(turn);
}

using Sums = Tile<tile_rows, tile_columns, 8, tile_columns / 16>;

struct Steps {
    alignas(16) Word first[2][depth][tile_rows];
    alignas(16) Word rest[2][depth][tile_columns];
    // The arcs that are of use to the tile.
    u32 arcs[most_arcs];
};

// Brings a line into the second-level cache.
__device__ __forceinline__ void ask_for(const Word* word) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(word));
}

// The least sums over the arcs that are of use to the tile of this block. Whether there are any.
__device__ __forceinline__ bool add_up(const Turn& turn, Steps& shared, Sums& sums) {
    const u64 arcs = turn.row_arcs[blockIdx.y] & turn.column_arcs[blockIdx.x];
    const u32 n = __popcll(arcs), own = threadIdx.x;
    if (n == 0) return false;
    if (own < most_arcs && (arcs >> own & 1)) shared.arcs[__popcll(arcs & ((u64(1) << own) - 1))] = own;
    __syncthreads();
    const u64 top = (u64)blockIdx.y * tile_rows, left = (u64)blockIdx.x * tile_columns;
    // the tile is read at the end, and is near by then: two lines a thread
    const u64 line = (top + own / 2) * turn.side + left + own % 2 * (tile_columns / 2);
    ask_for(turn.matrix + line);
    ask_for(turn.matrix + line + tile_columns / 4);
    // brings `depth` arcs; where there are fewer, no paths
    const auto bring = [&](Word* to, u32 columns, u32 step, const Word* from) {
        for (u32 i = own * pack_words; i < depth * columns; i += Sums::threads * pack_words) {
            const u32 arc = step * depth + i / columns;
            if (arc < n) {
                fetch(to + i, from + shared.arcs[arc] * turn.side + i % columns);
            } else {
                for (u32 word = 0; word < pack_words; ++word) to[i + word] = infinite_word;
            }
        }
    };
    const auto start = [&](u32 step) {
        if (step * depth < n) {
            bring(shared.first[step % 2][0], tile_rows, step, turn.first + top);
            bring(shared.rest[step % 2][0], tile_columns, step, turn.rest + left);
        }
        end_group();
    };
#pragma unroll
    for (u32 r = 0; r < 8; ++r) {
#pragma unroll
        for (u32 c = 0; c < tile_columns / 16; ++c) sums.words[r][c] = infinite_word;
    }
    start(0);
    for (u32 step = 0; step * depth < n; ++step) {
        start(step + 1);
        arrived<1>();
        __syncthreads();
        sums.relax_step(shared.first[step % 2], shared.rest[step % 2]);
        __syncthreads();
    }
    return true;
}

// Rows of a thread whose cells are read at once.
constexpr u32 rows_at_once = 2;
constexpr u32 wide = tile_columns / 16;

// Calls `visit` with all packs of a thread's part of the tile, and their rows and numbers in these.
template <typename Visit> __device__ __forceinline__ void visit_packs(const Turn& turn, const Sums& sums, Visit visit) {
    Word* tile = turn.matrix + (u64)blockIdx.y * tile_rows * turn.side + (u64)blockIdx.x * tile_columns;
#pragma unroll
    for (u32 first = 0; first < 8; first += rows_at_once) {
        Pack packs[rows_at_once][wide / pack_words];
        Pack* places[rows_at_once][wide / pack_words];
#pragma unroll
        for (u32 r = 0; r < rows_at_once; ++r) {
#pragma unroll
            for (u32 p = 0; p < wide / pack_words; ++p) {
                places[r][p] = reinterpret_cast<Pack*>(tile + sums.row(first + r) * turn.side + sums.column(p));
                packs[r][p] = *places[r][p];
            }
        }
#pragma unroll
        for (u32 r = 0; r < rows_at_once; ++r) {
#pragma unroll
            for (u32 p = 0; p < wide / pack_words; ++p) visit(packs[r][p], first + r, p, places[r][p]);
        }
    }
}

// The pair of a bit, which is its place in a thread's part of the tile: row and column, 32 bits each.
__device__ __forceinline__ u64 pair_of(const Sums& sums, u32 bit) {
    const u64 top = (u64)blockIdx.y * tile_rows, left = (u64)blockIdx.x * tile_columns;
    const u32 r = bit / wide, c = bit % wide;
    return (top + sums.row(r)) << 32 | (left + sums.column(c / pack_words) + c % pack_words);
}

// Adds what all threads of the warp count.
__device__ __forceinline__ void count(u64* all, u32 n) {
    for (u32 step = 16; step; step /= 2) n += __shfl_xor_sync(0xffffffff, n, step);
    if (threadIdx.x % 32 == 0 && n) atomicAdd(all, u64(n));
}

// The least first vertex of the paths over arcs of this tile that are as long as the distance, or `hop`.
__device__ __forceinline__ u32 least_hop(const Turn& turn, const Steps& shared, u64 row, u64 column, u32 hop) {
    const u32 n = __popcll(turn.row_arcs[blockIdx.y] & turn.column_arcs[blockIdx.x]);
    const Word distance = turn.at(row, column);
    for (u32 at = 0; at < n; ++at) {
        const u64 line = shared.arcs[at] * turn.side;
        const Word over = sum(turn.first[line + row], turn.rest[line + column]);
        if (element_of(over) == element_of(distance)) hop = min(hop, turn.first_hops[line + row]);
    }
    return hop;
}

// Lowers the pairs that a lowered arc brings nearer, and counts them. Gives them their next hops, and
// those to which other paths are as short.
//
// A block of 256 threads for each tile. No other block reads or writes it.
template <bool with_hops> __device__ __forceinline__ void lower_pairs(const Turn& turn) {
    __shared__ Steps shared;
    Sums sums;
    if (!add_up(turn, shared, sums)) return;
    // a bit for each pair; those that come nearer are touched too
    u64 nearer = 0, touched = 0;
    visit_packs(turn, sums, [&](Pack pack, u32 r, u32 p, Pack* place) {
        const u64 before = nearer;
#pragma unroll
        for (u32 i = 0; i < pack_words; ++i) {
            const Word over = sums.words[r][p * pack_words + i];
            const bool is_nearer = is_less(over, pack.words[i]);
            const u32 bit = r * wide + p * pack_words + i;
            nearer |= u64(is_nearer) << bit;
            if (with_hops) touched |= u64(is_used(over, pack.words[i], true)) << bit;
            pack.words[i] = is_nearer ? over : pack.words[i];
        }
        if (nearer != before) *place = pack;
    });
    for (u64 rest = touched; rest; rest &= rest - 1) {
        const u32 bit = __ffsll(rest) - 1;
        const u64 pair = pair_of(sums, bit), row = pair >> 32, column = static_cast<u32>(pair);
        u32* hop = turn.hops + row * turn.side + column;
        *hop = least_hop(turn, shared, row, column, nearer >> bit & 1 ? no_vertex : *hop);
    }
    count(turn.n_pairs, __popcll(nearer));
    if (with_hops) count(turn.n_hops, __popcll(touched));
}

extern "C" __global__ void __launch_bounds__(256, 2) ENTRY(lower_pairs)(const Turn turn) {
    lower_pairs<false>(turn);
}

extern "C" __global__ void __launch_bounds__(256, 2) ENTRY(lower_pairs_and_hops)(const Turn turn) {
    lower_pairs<true>(turn);
}

// Lists the pairs that a raised arc may have been on a path of: row here and column, 32 bits each. All
// are counted, and the first `capacity` listed; one may be listed again in another turn.
//
// A block of 256 threads for each tile, which only reads it.
extern "C" __global__ void __launch_bounds__(256, 2)
    ENTRY(list_lost)(const Turn turn, u64* list, u64 capacity) {
    __shared__ Steps shared;
    Sums sums;
    if (!add_up(turn, shared, sums)) return;
    u64 lost = 0;
    visit_packs(turn, sums, [&](const Pack& pack, u32 r, u32 p, const Pack*) {
#pragma unroll
        for (u32 i = 0; i < pack_words; ++i) {
            const u32 c = p * pack_words + i;
            lost |= u64(is_used(sums.words[r][c], pack.words[i], true)) << (r * wide + c);
        }
    });
    // a vertex keeps its distance to itself
    const u32 top = turn.vertex_of(blockIdx.y * tile_rows);
    const bool has_diagonal = blockIdx.x * tile_columns / tile_rows == top / tile_rows;
    for (u64 rest = has_diagonal ? lost : 0; rest; rest &= rest - 1) {
        const u32 bit = __ffsll(rest) - 1;
        const u64 pair = pair_of(sums, bit);
        if (turn.vertex_of(pair >> 32) == static_cast<u32>(pair)) lost &= ~(u64(1) << bit);
    }
    u32 n_until = __popcll(lost);
    for (u32 step = 1; step < 32; step *= 2) {
        const u32 before = __shfl_up_sync(0xffffffff, n_until, step);
        if (threadIdx.x % 32 >= step) n_until += before;
    }
    u64 place = 0;
    if (threadIdx.x % 32 == 31 && n_until) place = atomicAdd(turn.n_pairs, u64(n_until));
    place = __shfl_sync(0xffffffff, place, 31) + n_until - __popcll(lost);
    for (; lost; lost &= lost - 1, ++place) {
        if (place < capacity) list[place] = pair_of(sums, __ffsll(lost) - 1);
    }
}

// In place of a pair that is listed before.
constexpr u64 no_pair = ~u64(0);

template <typename Cell> __device__ __forceinline__ Cell* place_of(Cell* matrix, u64 side, u64 pair) {
    return matrix + (pair >> 32) * side + static_cast<u32>(pair);
}

// Sets listed pairs to "no path", and their hops, if there are any, to none. Of those that are listed
// twice one stays in the list. Counts them. Threads in a line, one for each pair.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(reset_lost)(Word* matrix, u64 side, u64* list, u64 n, u32* hops, u64* n_pairs) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    bool is_first = false;
    if (at < n) {
        is_first = is_reached(atomicExch(place_of(matrix, side, list[at]), infinite_word));
        if (is_first && hops) *place_of(hops, side, list[at]) = no_vertex;
        if (!is_first) list[at] = no_pair;
    }
    const u32 all = __popc(__ballot_sync(0xffffffff, is_first));
    if (threadIdx.x % 32 == 0 && all) atomicAdd(n_pairs, u64(all));
}

// Relaxes all arcs that end at a listed pair's column, in its row. Sets `changed` where one helped.
//
// Threads in a line, one for each pair, which alone writes it. Others read it meanwhile: distances
// only fall, and a sweep that changes nothing is the last. Where `are_sorted`, the arcs of a column
// ascend by their weights, none of which is negative.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(sweep_lost)(Word* matrix, u64 side, const u64* list, u64 n, const u32* offsets,
                      const u32* tails, const Word* weights, u32 are_sorted, u32* changed) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n || list[at] == no_pair) return;
    Word* row = place_of(matrix, side, list[at] >> 32 << 32);
    const u32 column = static_cast<u32>(list[at]);
    const Word before = __ldcg(row + column);
    Word least = before;
    for (u32 arc = offsets[column]; arc < offsets[column + 1]; ++arc) {
        const Word weight = weights[arc];
        if (are_sorted && !is_less(weight, least)) break;
        const Word over = sum(__ldcg(row + tails[arc]), weight);
        if (is_less(over, least)) least = over;
    }
    if (is_less(least, before)) {
        __stcg(row + column, least);
        *changed = 1;
    }
}

// Takes for a listed pair the least hop to the tail of an arc that ends a shortest path to its column.
// Sets `changed` where one was less.
//
// As `sweep_lost`, for hops too only fall, when the distances are found. All weights are positive.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(sweep_hops)(const Word* matrix, u64 side, const u64* list, u64 n, const u32* offsets,
                      const u32* tails, const Word* weights, u32* hops, u32* changed) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n || list[at] == no_pair) return;
    const u32 from = list[at] >> 32, column = static_cast<u32>(list[at]);
    const Word* row = matrix + from * side;
    u32* row_hops = hops + from * side;
    const Word distance = row[column];
    if (!is_reached(distance)) return;
    const u32 before = __ldcg(row_hops + column);
    u32 least = before;
    for (u32 arc = offsets[column]; arc < offsets[column + 1]; ++arc) {
        const u32 tail = tails[arc];
        if (is_less(distance, weights[arc])) break;
        if (element_of(sum(row[tail], weights[arc])) != element_of(distance)) continue;
        least = min(least, tail == from ? column : __ldcg(row_hops + tail));
    }
    if (least < before) {
        __stcg(row_hops + column, least);
        *changed = 1;
    }
}

// Gives vertices of the padding a distance to themselves: rows of the matrix, and their columns. Threads
// in a line, one for each.
extern "C" __global__ void __launch_bounds__(256)
    ENTRY(add_vertices)(Element* matrix, u64 side, u32 row, u32 column, u32 n) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) matrix[(row + at) * side + column + at] = 0;
}
