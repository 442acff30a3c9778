// Bellman-Ford with a queue of the vertices whose distance fell, in rounds that take many of
// them at once; weights of any sign.
//
// As in the papers, the queue is a circular array with a head and a tail, in which a vertex waits
// at most once. Here this array is the back of the queue, and its front is a list. A round goes
// through entries from the head on, relaxes the rows of the vertices that it takes, and appends
// those that fall. The rules of Bertsekas and others, each in the form that has a meaning when many
// are taken at once:
//
// * FIFO: a round takes the whole queue.
// * SLF, small label first: a vertex that falls below the first of those that wait goes to the
//   front, which the next round takes whole. So that some vertices wait, a round takes a batch of
//   only as many vertices as there are warps: the front, and then the first of the back.
// * LLL, large label last: a round goes through the whole queue, and those above its mean
//   are not taken, but appended again.
// * Both: a batch is gone through, and those above the mean appended to the back.
//
// Sequentially SLF compares with the head and LLL with the mean, vertex by vertex; within
// a round nothing is first or last, so head and mean are those at its beginning. These were
// chosen among forms that take batches of other sizes, the front alone, or compare with the
// mean in place of the head, by the relaxations and the rounds that each takes.
//
// Launch: cooperative, 512 threads a block, a block a multiprocessor. A launch ends after
// `most_rounds`, and the next continues where it stopped.
//
// Reads the graph (constant during the launch). Writes distances, states, the queue's
// entries, pieces, control.
//
// Races, and why they are harmless
// - Distances only fall, by an atomic. Each value is the length of a walk from the source,
//   so a sum over any value that was read is an upper bound.
// - No fall is missed. A thread that lowers a distance then sets `queued` by an atomic, and appends
//   the vertex if it was not set. A thread that takes the vertex clears `queued` by an atomic and
//   then reads the distance. Each has a fence between the two steps. The atomics on a state are in
//   one order. If the clearing is after the setting, the taker reads the lower distance. If it is
//   before, then the setter, or a thread that set it in between, appends the vertex.
// - So a vertex is queued at most once, and appended at most once a round: appended vertices are
//   not read before the next round. An array of 2 n places has room for the vertices read and those
//   appended, so nothing is written where a thread may still read.
// - The distance of the first waiting vertex may fall while threads read it. They may then disagree
//   on which vertices go to the front, which changes the order of the work only.
// - The flags `above` and `below` are written by many threads with the same value.
//
// Termination: a round ends, and there are at most `most_rounds`. A bound on the rounds needed is
// derived in crates/sssp/src/gpu/bellman_ford_queue.rs.
//
// Sums that do not fit are dropped. One below all distances ends the search without an
// answer. One above them matters only if the vertex is still unreached at the end, which the
// host looks at if there was one.

#include "../common/watch.cuh"
#include "queue/state.cuh"

// Threads of a block.
constexpr u32 block_size = 512;

// A place in the circular array of the back, of a number below twice its length.
__device__ __forceinline__ u64 wrapped(const Search& search, u64 at) {
    return at < search.n_places ? at : at - search.n_places;
}

// The counts of one thread, for the report.
struct Counts {
    u64 relaxations, improvements, taken, taken_again, relaxed_again;
};

// A thread's values of the current round; the same in all threads, but for `change` and
// `counts`.
struct Round {
    const Search& search;
    // where the back ends, in its array
    u64 tail;
    u32* back_count;
    List<Entry> front;
    // whether small labels go first, and the distance that they must be below
    bool has_first;
    Weight first;
    // what this thread adds to the sum of the ranks, modulo 2^64
    u64 change;
    Counts counts;

    // Appends to the back; one atomic a warp.
    __device__ __forceinline__ void push_back(bool has, Entry entry) {
        const u32 having = __ballot_sync(everyone, has);
        if (having == 0) return;
        u32 begin = 0;
        if (lane() == 0) begin = atomicAdd(back_count, __popc(having));
        const u64 at = tail + __shfl_sync(everyone, begin, 0) + __popc(having & lower_lanes());
        if (has) __stcg(search.back + wrapped(search, at), entry);
    }

    // Relaxes an arc in each lane that has one, `from` being the distance of its start.
    __device__ __forceinline__ void relax(bool has, Weight from, u32 arc) {
        bool fell = false, enters = false;
        u32 to = 0;
        Weight sum = 0;
        if (has) {
            to = __ldg(search.ends + arc);
            const Sum outcome = add(from, __ldg(search.weights + arc), sum);
            const Weight old = load(search.distances + to);
            // most arcs lower nothing, and a load is cheaper than an atomic
            if (outcome == Sum::fits) {
                fell = sum < old && lower(search.distances + to, sum);
            } else if (outcome == Sum::below) {
                search.control->below = 1;
            } else if (old == unreached) {
                search.control->above = 1;
            }
        }
        counts.improvements += fell;
        if (!__any_sync(everyone, fell)) return;
        if (fell) {
            __threadfence();
            enters = !(atomicOr(search.states + to, queued) & queued);
        }
        const Entry entry = entry_of(rank_of(sum), to);
        if (enters) change += rank_of_entry(entry);
        const bool goes_first = enters && has_first && sum < first;
        push_back(enters && !goes_first, entry);
        append(front, search.n_vertices, goes_first, entry);
    }

    // Takes the vertices of the entries of the lanes, or appends them again where their
    // ranks are above `mean`.
    __device__ __forceinline__ void look(bool has, Entry entry, u32 mean, Pieces pieces) {
        const u32 vertex = vertex_of(entry);
        bool waits = false;
        uint2 row = make_uint2(0, 0);
        Weight distance = 0;
        if (has) {
            change -= rank_of_entry(entry);
            const u32 rank = rank_of(load(search.distances + vertex));
            waits = rank > mean;
            entry = entry_of(rank, vertex);
        }
        if (waits) change += rank_of_entry(entry);
        push_back(waits, entry);
        if (has && !waits) {
            const bool again = atomicExch(search.states + vertex, taken_before) & taken_before;
            __threadfence();
            distance = load(search.distances + vertex);
            row = make_uint2(__ldg(search.offsets + vertex), __ldg(search.offsets + vertex + 1));
            counts.taken++;
            counts.taken_again += again;
            counts.relaxations += row.y - row.x;
            counts.relaxed_again += again ? row.y - row.x : 0;
        }
        visit_rows(row, distance, pieces, [&](bool has, Weight from, u32 arc) { relax(has, from, arc); });
    }

    // Adds what this thread has changed to `total`. All lanes call together.
    __device__ __forceinline__ void settle_change(u64* total) {
        if (!search.large_last) return;
        const u64 sum = warp_sum(change);
        if (lane() == 0 && sum) atomicAdd(total, sum);
        change = 0;
    }
};

// Before a search: only the source has a distance, and waits. Thread v writes distances[v]
// and states[v]; the first one the queue. Launch: one dimension, any number of threads. No races.
extern "C" __global__ void ENTRY(queue_start)(const Search search, u32 source) {
    const u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (u64 v = first; v < search.n_vertices; v += static_cast<u64>(gridDim.x) * blockDim.x) {
        search.distances[v] = v == source ? Weight(0) : unreached;
        search.states[v] = v == source ? queued : 0;
    }
    if (first == 0) {
        search.back[0] = entry_of(rank_of(Weight(0)), source);
        search.control->n_back = 1;
        search.control->rank_sum = rank_of(Weight(0));
    }
}

extern "C" __global__ void __launch_bounds__(block_size, 1) ENTRY(queue_search)(const Search search) {
    Control& control = *search.control;
    GridBarrier barrier{search.arrived, gridDim.x, 0};
    const Watch watch{search.host, &control.stopped};
    // neighbours in a list go to different multiprocessors
    const u32 this_warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x;
    const u32 n_warps = gridDim.x * (block_size / 32);
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;

    u64 head = load(&control.head), rank_sum = load(&control.rank_sum), rounds = load(&control.rounds);
    u32 n_front = load(&control.n_front), n_back = load(&control.n_back);
    Round round{search};
    const u64 end = rounds + search.most_rounds;
    // no thread writes the words read above before all threads have read them
    barrier.wait();

    while (rounds < end && (n_front | n_back) != 0) {
        const u32 turn = rounds % 3, next = (rounds + 1) % 3;
        const bool is_odd = rounds & 1;
        const Entry* front = is_odd ? search.front[1] : search.front[0];
        const Pieces pieces{search.pieces, &control.pieces[turn]};
        rounds++;
        if (first_thread) {
            control.front[next] = control.back[next] = control.pieces[next] = 0;
            control.rank_change[next] = 0;
        }
        const bool calls = watch.calls(static_cast<u32>(rounds));

        // how much of the back is gone through; the front is as a whole
        u32 n_looks = n_back;
        if (search.small_first) n_looks = min(n_back, search.batch - min(search.batch, n_front));
        round.has_first = search.small_first && n_looks < n_back;
        if (round.has_first) {
            const Entry waiting = load(search.back + wrapped(search, head + n_looks));
            round.first = load(search.distances + vertex_of(waiting));
        }
        // some rank is at most the mean rounded down
        const u32 mean = search.large_last ? static_cast<u32>(rank_sum / (static_cast<u64>(n_front) + n_back)) : ~0u;
        round.tail = wrapped(search, head + n_back);
        round.back_count = &control.back[turn];
        round.front = {is_odd ? search.front[0] : search.front[1], &control.front[turn]};

        const u64 n = static_cast<u64>(n_front) + n_looks;
        const u32 share = n > 31ull * n_warps ? 32 : (n - 1) / n_warps + 1;
        for (u64 first = static_cast<u64>(this_warp) * share; first < n; first += static_cast<u64>(n_warps) * share) {
            const u64 at = first + lane();
            const bool has = lane() < share && at < n;
            Entry entry = 0;
            if (has) entry = load(at < n_front ? front + at : search.back + wrapped(search, head + (at - n_front)));
            round.look(has, entry, mean, pieces);
        }
        round.settle_change(&control.rank_change[turn]);
        if (calls && first_thread) watch.call(static_cast<u32>(rounds));
        barrier.wait();
        if (load(pieces.count) != 0) {
            visit_pieces<Weight>(pieces, this_warp, n_warps,
                                 [&](bool has, Weight from, u32 arc) { round.relax(has, from, arc); });
            round.settle_change(&control.rank_change[turn]);
            barrier.wait();
        }

        head = wrapped(search, head + n_looks);
        n_back = n_back - n_looks + load(&control.back[turn]);
        n_front = load(&control.front[turn]);
        rank_sum += load(&control.rank_change[turn]);
        // what is read here is not written again before `call_interval` more rounds
        if (calls && watch.ends()) break;
    }

    const u64 relaxations = warp_sum(round.counts.relaxations);
    const u64 improvements = warp_sum(round.counts.improvements);
    const u64 taken = warp_sum(round.counts.taken);
    const u64 taken_again = warp_sum(round.counts.taken_again);
    const u64 relaxed_again = warp_sum(round.counts.relaxed_again);
    if (lane() == 0) {
        atomicAdd(&control.relaxations, relaxations);
        atomicAdd(&control.improvements, improvements);
        atomicAdd(&control.taken, taken);
        atomicAdd(&control.taken_again, taken_again);
        atomicAdd(&control.relaxed_again, relaxed_again);
    }
    if (first_thread) {
        control.head = head;
        control.rank_sum = rank_sum;
        control.rounds = rounds;
        control.n_front = n_front;
        control.n_back = n_back;
    }
}
