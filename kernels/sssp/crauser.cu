// Dijkstra's algorithm that settles many vertices at once: one launch, in which the grid passes
// through the frontier (the reached vertices that are not settled) in rounds.
//
// Let M be the least key of the frontier, and L the least of key + (least weight of an arc out
// of the vertex) over the frontier. A vertex is settled in this round if
// * its key is at most L (the out-criterion), or
// * its key is at most M + (least weight of an arc into the vertex) (the in-criterion).
//
// Why its key is then its distance, in floats too, and however late the key is read. When a round
// begins, all arcs of the settled vertices have been relaxed. Take a shortest path to v, and on it
// x, the first vertex that was not settled then: its key was its distance already. If x is v, there
// is nothing to show: keys only fall, and never below the distance. Otherwise the path leaves x by
// an arc of at least x's least weight, so the distance of v is at least L. The path enters v from a
// vertex no nearer than x, by an arc of at least v's least weight, so the distance is at least M +
// that weight. Both bounds hold bit for bit. A rounded sum never falls when an addend grows, and
// the sums here are the same rounded sums (`after`) that make distances. That is why the
// in-criterion adds to M and does not subtract from the key, which rounds another way. So a key
// that is at most one of the two bounds is at most the distance, and never less. A sum that does
// not fit is a bound above all distances that do. Bounds that are too low settle less, and nothing
// wrong.
//
// A round is one pass over the frontier, as a list. Settled vertices have their rows relaxed,
// others go to the list of the next round. A vertex that is reached for the first time goes to that
// list too. The atomic minimum that lowers its key returns `unreached` to one thread only, which
// lists the vertex. So a vertex is in one list of a round, once, and is settled once. M and L of
// the next round are computed in the same pass. Every vertex that stays contributes the key that
// was read, and every lowering of a key contributes the new key. The least of these is at most that
// of the frontier after the pass. It is equal except if a vertex was lowered exactly to the bound
// and settled at that in the same round: then M may be too low, once. So a round ends with one
// barrier of the grid; long rows are cut to pieces (arcs.cuh), which take another pass and barrier
// where there are any.
//
// Eager's criterion (edmonds-2006) in place of both: a vertex is settled if its key is at most M +
// lookahead, whatever the arcs weigh. That may be too early. So a vertex that is not listed goes to
// the list again when its key falls, and is settled again. A word of each vertex tells whether it
// is listed, and the exchange that sets it returns the old value to one thread only. A vertex is
// taken off the list before its key is read, and its key is lowered before it is listed, each with
// a fence between. So either the thread that settles reads the lower key, or the vertex is listed
// anew. So when the list is empty, every arc has been relaxed with the final key of its tail,
// however long the look-ahead is. Where M is greater than the target's key, no key that is to fall
// is as low, and that of the target stays. A look-ahead no longer than the lightest arc out of a
// vertex settles none twice.
//
// Launch: cooperative, 1024 threads a block, at most a block a multiprocessor. Reads the graph
// and its least weights, constant during the launch; writes keys, lists, pieces, and control.
//
// Races: keys fall by atomicMin alone. The case that a key is read before it falls is handled
// above. There are three sets of a round's values. One is read, one is written, and one is cleared
// for the next round. The cleared one is that of the round before, which all blocks had read by the
// barrier between the two rounds. A block may read the counts before a pass over pieces while a
// faster one adds to them: of these it uses the number of pieces only, which stays. All blocks
// agree on whether the search ends. M is the same in all. If one block reads a key of the target
// below M, the target is settled and its key stays. If the key is not below M, it falls to no less
// than M in this round. Keys beyond the limit are dropped, and no path within the limit passes
// through such a vertex. The limit may fall with the target's key, and vertices farther than the
// target may then keep a key that is too high.
//
// Termination: where M is exact, the vertex that has it passes the in-criterion. Where nothing
// was settled in a round, nothing was lowered, and the next M is exact. So of two rounds one
// settles a vertex, each of them once, or as often as it was listed by Eager's criterion: finitely
// often, for every time a key has fallen.

#include "../common/arcs.cuh"
#include "../common/watch.cuh"
#include "delta_stepping/search.cuh"

constexpr u32 block_size = 1024;
// No vertex.
constexpr u32 none = 0xffffffffu;

// Values of a round's frontier.
struct alignas(16) Round {
    // M and L
    Key least, bound;
    // entries of the list, and pieces
    u32 frontier, pieces;
};

__device__ __forceinline__ Round load(const Round* from) {
    const uint4 words = load(reinterpret_cast<const uint4*>(from));
    return {words.x, words.y, words.z, words.w};
}

__device__ __forceinline__ void store(Round* to, Key least, Key bound, u32 frontier) {
    __stcg(reinterpret_cast<uint4*>(to), make_uint4(least, bound, frontier, 0));
}

// Zero before a launch.
struct CrauserControl {
    Round rounds[3];
    u32 arrived;
    u32 trouble;
    // whether the host has ended the search
    u32 stopped;
    u32 n_rounds;
    u64 relaxations, improvements, settled, padding;
};

// What the launch is given. The host has the same structure; there is no padding in it.
struct Crauser {
    Rows graph;
    // the least weight of the arcs out of and into each vertex; `unreached` where there are none.
    // Eager has none of these, and whether a vertex is listed instead.
    const u32 *least_out, *least_in;
    u32* listed;
    Key* keys;
    // places of n_vertices each
    u32* frontier[2];
    uint4* pieces;
    CrauserControl* control;
    volatile u32* host;
    u32 n_vertices;
    u32 source;
    // the search may end when all vertices no farther are settled; `none` if there is no target
    u32 target;
    // no key above is needed; less than `unreached`
    Key limit;
    Key lookahead;
    u32 padding;
};

// What a warp does in a pass, for the next round.
template <bool eager> struct Pass {
    const Crauser& search;
    List<u32> next;
    Key limit;
    // the least values of the next round's frontier that this thread has seen
    Key least, bound;
    u64 relaxations, improvements, settled;

    __device__ __forceinline__ void stays(u32 vertex, Key key) {
        least = min(least, key);
        if (!eager) bound = min(bound, after(key, __ldg(search.least_out + vertex)));
    }

    // All lanes together; `has` is false in those that have no arc.
    __device__ __forceinline__ void relax(bool has, Key from, u32 arc) {
        bool is_new = false;
        u32 to = 0;
        if (has) {
            const uint2 end = __ldg(search.graph.arcs + arc);
            to = end.x;
            const Key key = after(from, end.y);
            const Key before = load(search.keys + to);
            if (key == unreached && before == unreached) search.control->trouble = overflowed;
            if (key < before && key <= limit) {
                const Key was = atomicMin(search.keys + to, key);
                if (key < was) {
                    stays(to, key);
                    improvements++;
                    is_new = was == unreached;
                    if (eager) {
                        __threadfence();
                        is_new = atomicExch(search.listed + to, 1) == 0;
                    }
                }
            }
            relaxations++;
        }
        append(next, search.n_vertices, is_new, to);
    }
};

template <bool eager> __device__ __forceinline__ void settle_all(const Crauser& search) {
    // of the block: the round, how far to go, and the least of its threads for the next round
    __shared__ Round now;
    __shared__ Key limit, least, bound;
    __shared__ bool is_stopped;
    CrauserControl& control = *search.control;
    const Watch watch{search.host, &control.stopped};
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    const u32 this_thread = blockIdx.x * block_size + threadIdx.x;
    const bool first_thread = this_thread == 0;
    // neighbours in a list go to different multiprocessors
    const u32 this_warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x;
    const u32 n_warps = gridDim.x * (block_size / 32);
    Pass<eager> pass{search};

    for (u32 v = this_thread; v < search.n_vertices; v += gridDim.x * block_size) {
        __stcg(search.keys + v, v == search.source ? 0 : unreached);
        if (eager) __stcg(search.listed + v, v == search.source ? 1 : 0);
    }
    if (first_thread) {
        __stcg(search.frontier[0], search.source);
        store(&control.rounds[0], 0, eager ? 0 : after(0, __ldg(search.least_out + search.source)), 1);
        store(&control.rounds[1], unreached, unreached, 0);
        store(&control.rounds[2], unreached, unreached, 0);
    }

    u32 *list = search.frontier[0], *next_list = search.frontier[1];
    u32 rounds = 0;
    bool calls = false;
    // The barrier before a round, after which each block learns of it: by one thread, for many
    // warps that read one word wait for one another.
    const auto meet = [&](const Round& round) {
        barrier.wait();
        if (threadIdx.x == 0) {
            now = load(&round);
            limit = search.limit;
            if (search.target != none) limit = min(limit, load(search.keys + search.target));
            is_stopped = calls && watch.ends();
            least = bound = unreached;
        }
        __syncthreads();
    };
    // The end of a pass: its part of M and L.
    const auto contribute = [&](Round& round) {
        const Key least_of_warp = warp_min(pass.least), bound_of_warp = warp_min(pass.bound);
        if (lane() == 0 && least_of_warp != unreached) {
            atomicMin(&least, least_of_warp);
            atomicMin(&bound, bound_of_warp);
        }
        __syncthreads();
        if (threadIdx.x == 0 && least != unreached) {
            atomicMin(&round.least, least);
            atomicMin(&round.bound, bound);
        }
    };

    meet(control.rounds[0]);
    while (now.frontier != 0 && now.least <= limit && !is_stopped) {
        Round& next = control.rounds[(rounds + 1) % 3];
        const Pieces pieces{search.pieces, &next.pieces};
        pass.next = {next_list, &next.frontier};
        pass.limit = limit;
        pass.least = pass.bound = unreached;
        calls = watch.calls(rounds + 1);
        if (first_thread) {
            store(&control.rounds[(rounds + 2) % 3], unreached, unreached, 0);
            if (calls) watch.call(rounds + 1);
        }

        // fewer vertices a warp where there are not enough for all
        const u32 n = now.frontier;
        const u32 share = min(32u, (n - 1) / n_warps + 1);
        for (u32 at = this_warp * share; at < n; at += n_warps * share) {
            u32 vertex = 0;
            Key key = unreached;
            uint2 row = make_uint2(0, 0);
            bool stays = false;
            if (lane() < share && lane() < n - at) {
                vertex = load(list + at + lane());
                // both on their way at once
                const u32 reach = eager ? search.lookahead : __ldg(search.least_in + vertex);
                key = load(search.keys + vertex);
                stays = (eager || key > now.bound) && key > after(now.least, reach);
                if (stays) {
                    pass.stays(vertex, key);
                } else {
                    if (eager) {
                        atomicExch(search.listed + vertex, 0);
                        __threadfence();
                        key = load(search.keys + vertex);
                    }
                    row = __ldg(search.graph.bounds + vertex);
                    pass.settled++;
                }
            }
            append(pass.next, search.n_vertices, stays, vertex);
            visit_rows(row, key, pieces, [&](bool has, Key from, u32 arc) { pass.relax(has, from, arc); });
        }
        contribute(next);
        meet(next);
        if (now.pieces != 0) {
            visit_pieces<Key>(pieces, this_warp, n_warps,
                              [&](bool has, Key from, u32 arc) { pass.relax(has, from, arc); });
            contribute(next);
            meet(next);
        }
        u32* const read = list;
        list = next_list;
        next_list = read;
        rounds++;
    }

    const u64 relaxations = warp_sum(pass.relaxations);
    const u64 improvements = warp_sum(pass.improvements);
    const u64 settled = warp_sum(pass.settled);
    if (lane() == 0) {
        atomicAdd(&control.relaxations, relaxations);
        atomicAdd(&control.improvements, improvements);
        atomicAdd(&control.settled, settled);
    }
    if (first_thread) control.n_rounds = rounds;
}

extern "C" __global__ void __launch_bounds__(block_size, 1) ENTRY(crauser)(const Crauser search) {
    settle_all<false>(search);
}

extern "C" __global__ void __launch_bounds__(block_size, 1) ENTRY(eager)(const Crauser search) {
    settle_all<true>(search);
}

// The least weight of the arcs out of each of `n` vertices and, where `directed`, of those into
// it: otherwise they are the same. Both are `unreached` everywhere before. A warp takes 32 rows.
//
// Launch: any number of blocks of whole warps. Races: weights of arcs into a vertex meet by
// atomicMin; those of arcs out of it are one warp's. Each row is gone through once.
extern "C" __global__ void ENTRY(least_weights)(const uint2* bounds, const uint2* arcs, u32 n, u32 directed,
                                                u32* least_out, u32* least_in) {
    const u64 n_threads = static_cast<u64>(gridDim.x) * blockDim.x;
    const u64 this_thread = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (u64 first = this_thread & ~31ull; first < n; first += n_threads) {
        const u64 vertex = first + lane();
        const uint2 mine = vertex < n ? bounds[vertex] : make_uint2(0, 0);
        u32 least_of_mine = unreached;
        for (u32 owner = 0; owner < 32; owner++) {
            const u32 begin = __shfl_sync(everyone, mine.x, owner), end = __shfl_sync(everyone, mine.y, owner);
            u32 least = unreached;
            for (u32 at = begin + lane(); at < end; at += 32) {
                const uint2 arc = arcs[at];
                least = min(least, arc.y);
                if (directed && arc.y < load(least_in + arc.x)) atomicMin(least_in + arc.x, arc.y);
            }
            least = warp_min(least);
            if (lane() == owner) least_of_mine = least;
        }
        if (vertex < n) least_out[vertex] = least_of_mine;
    }
}
