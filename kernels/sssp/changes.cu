// A tree of shortest paths that follows changes of its graph, which has room for new arcs.
//
// First, vertices whose path in the tree led over a raised or deleted arc lose their keys. Each takes
// the least key that its neighbours offer, as does the head of each lowered or new arc. From there the
// arcs of whatever has become nearer are relaxed until nothing changes. Then those whose key or tight
// arcs may be others choose their predecessors again, by the rule of predecessors.cu.
//
// Where a vertex without a nearer tight start is met, the plateau is not searched; the host has all
// predecessors chosen anew. Where more vertices than `most` are met, or a sum does not fit a key, the
// launch ends early, and the host searches anew.
//
// Launch of `follow`: cooperative, 512 threads a block, two blocks a multiprocessor, all resident.
// Reads the graph, which is constant during the launch, and the changes. Rows are cut to pieces of
// `piece_length` arcs, and a warp takes a piece.
//
// Races: a key only falls, by atomicMin, but where its vertex loses it: then one thread writes it, and
// no other until the next barrier. A vertex whose key falls in a round is listed for the next one, by
// the thread that first says so. Choices only fall, by atomicMin, but between barriers where one thread
// takes a choice back. What the list of touched vertices says is the same for all threads, for a list
// is read in rounds in which none is added.
//
// Termination: a vertex loses its key once, and keys are finitely many.
//
// After: Ramalingam and Reps 1996.

#include "../common/arcs.cuh"
#include "delta_stepping/search.cuh"

constexpr u32 none = 0xffffffffu;

// What an arc had and has: weights without a sign, if the bits of `has` say that there are any.
struct ArcChange {
    u64 before, after;
    u32 from, to;
    u32 has, padding;
};

constexpr u32 had = 1, has_now = 2;

// Copies rows to where there is room for more arcs, and writes their new bounds; `starts` has where
// each begins. A warp takes 32 rows at a time.
extern "C" __global__ void ENTRY(spread_rows)(Rows from, const u32* starts, uint2* bounds, Arc* arcs, u32 n) {
    const u32 n_threads = gridDim.x * blockDim.x;
    for (u32 first = (blockIdx.x * blockDim.x + threadIdx.x) & ~31u; first < n; first += n_threads) {
        const u32 vertex = first + lane();
        uint2 row = make_uint2(0, 0);
        u32 start = 0;
        if (vertex < n) {
            row = from.bounds[vertex];
            start = starts[vertex];
            bounds[vertex] = make_uint2(start, start + row.y - row.x);
        }
        const u32 shift = start - row.x;
        for_each_arc_of_rows(row, [&](bool has, u32 owner, u32 arc) {
            const u32 by = __shfl_sync(everyone, shift, owner);
            if (has) arcs[arc + by] = from.arcs[arc];
        });
    }
}

// Makes changes, those of a row together, deletions first: a block all those of a row, where the first
// of them is its. A new arc comes last, and the last takes the place of one that is deleted. So that a
// block alone is fast on a long row, each thread has several loads under way.
extern "C" __global__ void __launch_bounds__(1024)
    ENTRY(change_rows)(uint2* bounds, Arc* arcs, const ArcChange* changes, u32 n_changes) {
    constexpr u32 n_loads = 8;
    __shared__ u32 place;
    for (u32 first_change = blockIdx.x; first_change < n_changes; first_change += gridDim.x) {
        const u32 row = changes[first_change].from;
        if (first_change > 0 && changes[first_change - 1].from == row) continue;
        uint2 bound = bounds[row];
        for (u32 i = first_change; i < n_changes && changes[i].from == row; i++) {
            const ArcChange change = changes[i];
            const Weight before = static_cast<Weight>(change.before);
            __syncthreads();
            if (threadIdx.x == 0) place = bound.y;
            bool is_found = !(change.has & had);
            for (u32 first = bound.x; !__syncthreads_or(is_found) && first < bound.y; first += n_loads * blockDim.x) {
                Arc loaded[n_loads];
#pragma unroll
                for (u32 k = 0; k < n_loads; k++) {
                    const u32 at = first + k * blockDim.x + threadIdx.x;
                    if (at < bound.y) loaded[k] = arcs[at];
                }
#pragma unroll
                for (u32 k = 0; k < n_loads; k++) {
                    const u32 at = first + k * blockDim.x + threadIdx.x;
                    if (at < bound.y && loaded[k].x == change.to && loaded[k].y == before) {
                        atomicMin(&place, at);
                        is_found = true;
                    }
                }
            }
            __syncthreads();
            if (!(change.has & has_now)) bound.y--;
            if (threadIdx.x == 0) {
                arcs[place] = change.has & has_now ? Arc{change.to, static_cast<Weight>(change.after)} : arcs[bound.y];
            }
            if (!(change.has & had)) bound.y++;
        }
        __syncthreads();
        if (threadIdx.x == 0) bounds[row] = bound;
    }
}

// Lists the vertices whose key is another than before, and keeps it. The count is 0 before.
extern "C" __global__ void ENTRY(compare_keys)(const Key* keys, Key* before, u32* changed, u32* count, u32 n) {
    const u32 n_threads = gridDim.x * blockDim.x;
    for (u32 first = (blockIdx.x * blockDim.x + threadIdx.x) & ~31u; first < n; first += n_threads) {
        const u32 v = first + lane();
        const bool differs = v < n && keys[v] != before[v];
        append(List<u32>{changed, count}, n, differs, v);
        if (differs) before[v] = keys[v];
    }
}

// What the blocks share. Zero before a launch, but for `enough`, which is `none`.
struct ChangeControl {
    u32 arrived;
    // the round in which the most vertices were met
    u32 enough;
    u32 trouble, plateaus;
    u32 touched, changed;
    // pieces of columns, the first and the second time
    u32 pulls[2];
    // pieces of rows, by rounds in threes: read, written, cleared
    u32 pieces[3];
    u32 rounds;
};

// What the launch is given. The host has the same structure; there is no padding in it.
struct Follow {
    Rows rows, columns;
    Key* keys;
    // as they were before the changes
    Key* before;
    u32* chosen;
    // of each vertex: what is known of it; 0 before and after a launch
    u32* marks;
    // of each vertex: the last round for which it was listed
    u32* listed;
    u32 *touched, *changed;
    // pieces: a vertex, and the first of its arcs
    uint2* lists[2];
    uint2* pulls;
    const ArcChange* changes;
    ChangeControl* control;
    u32 n_changes, most;
    u32 source, first_round;
};

// Marks of vertices: among the touched ones because of their key, or because of their choice.
constexpr u32 for_key = 1, for_choice = 2;

struct Update {
    const Follow& of;
    GridBarrier barrier;
    u32 thread, n_threads;
    u32 round;

    __device__ Key key(u32 vertex) const { return load(of.keys + vertex); }
    __device__ Key before(u32 vertex) const { return load(of.before + vertex); }
    __device__ u32 chosen(u32 vertex) const { return load(of.chosen + vertex); }

    // All threads see what each has written. The next round begins.
    __device__ void turn() {
        barrier.wait();
        round++;
        if (thread == 0) of.control->pieces[(round + 2) % 3] = 0;
    }

    __device__ void list(uint2* entries, u32* count, u32 vertex, uint2 row) const {
        if (row.x == row.y) return;
        u32 at = atomicAdd(count, (row.y - row.x - 1) / piece_length + 1);
        for (u32 begin = row.x; begin < row.y; begin += piece_length) {
            __stcg(entries + at++, make_uint2(vertex, begin));
        }
    }
    // Lists the row of a vertex for the next round.
    __device__ void list_row(u32 vertex) const {
        list(of.lists[(round + 1) & 1], &of.control->pieces[(round + 1) % 3], vertex, __ldg(of.rows.bounds + vertex));
    }
    __device__ void list_column(u32 vertex, u32 time) const {
        list(of.pulls, &of.control->pulls[time], vertex, __ldg(of.columns.bounds + vertex));
    }

    // Calls visit(vertex, arcs, first, end) for each piece, a warp each.
    template <typename Visit>
    __device__ void visit(const uint2* entries, u32 n, const Rows& rows, Visit&& visit_piece) const {
        for (u32 at = thread / 32; at < n; at += n_threads / 32) {
            const uint2 piece = load(entries + at);
            const u32 end = min(__ldg(rows.bounds + piece.x).y, piece.y + piece_length);
            visit_piece(piece.x, piece.y, end);
        }
    }
    // The same for the rows that were listed for this round, arc by arc. Whether there were any.
    template <typename Visit> __device__ bool visit_rows_of_round(Visit&& visit_arc) const {
        const u32 n = load(&of.control->pieces[round % 3]);
        visit(of.lists[round & 1], n, of.rows, [&](u32 vertex, u32 first, u32 end) {
            for (u32 at = first + lane(); at < end; at += 32) visit_arc(vertex, __ldg(of.rows.arcs + at));
        });
        return n > 0;
    }

    __device__ bool mark(u32 vertex, u32 with) const {
        if (atomicOr(of.marks + vertex, with) & (with | for_key)) return false;
        const u32 at = atomicAdd(&of.control->touched, 1);
        __stcg(of.touched + at, vertex);
        if (at == of.most) atomicMin(&of.control->enough, round);
        return true;
    }
    // Whether too many were met before this round: the same for all threads.
    __device__ bool has_enough() const { return load(&of.control->enough) < round; }

    // Takes the key of a vertex, once.
    __device__ void lose(u32 vertex) const {
        if (!mark(vertex, for_key)) return;
        __stcg(of.keys + vertex, unreached);
        list_row(vertex);
        list_column(vertex, 0);
    }

    __device__ void lower(u32 vertex, Key key) const {
        if (key >= this->key(vertex) || key >= atomicMin(of.keys + vertex, key)) return;
        mark(vertex, for_key);
        const u32 next = of.first_round + round + 1;
        if (atomicExch(of.listed + vertex, next) != next) list_row(vertex);
    }

    // The key of a path on over an arc.
    __device__ Key reached(Key from, Weight weight) const {
        if (from == unreached) return unreached;
        const Key key = after(from, weight);
        if (key == unreached) of.control->trouble = overflowed;
        return key;
    }

    __device__ bool is_flat(u32 vertex, u32 predecessor) const {
        return predecessor != none && before(predecessor) == before(vertex);
    }

    // Vertices whose paths in the tree led over raised or deleted arcs lose their keys.
    __device__ void lose_paths() {
        for (u32 i = thread; i < of.n_changes; i += n_threads) {
            const ArcChange change = of.changes[i];
            const bool is_raised = !(change.has & has_now) || change.after > change.before;
            if (change.has & had && is_raised && chosen(change.to) == change.from) lose(change.to);
        }
        bool goes_on;
        do {
            turn();
            goes_on = !has_enough() && visit_rows_of_round([&](u32 vertex, Arc arc) {
                if (chosen(arc.x) == vertex) lose(arc.x);
            });
        } while (goes_on);
    }

    // These take the least keys that they are offered, as do heads of changed arcs.
    __device__ void find_paths() {
        visit(of.pulls, load(&of.control->pulls[0]), of.columns, [&](u32 vertex, u32 first, u32 end) {
            Key least = unreached;
            for (u32 at = first + lane(); at < end; at += 32) {
                const Arc arc = __ldg(of.columns.arcs + at);
                least = min(least, reached(key(arc.x), arc.y));
            }
            least = warp_min(least);
            if (lane() == 0) lower(vertex, least);
        });
        for (u32 i = thread; i < of.n_changes; i += n_threads) {
            const ArcChange change = of.changes[i];
            if (change.has & has_now) {
                lower(change.to, reached(key(change.from), static_cast<Weight>(change.after)));
            }
        }
        bool goes_on;
        do {
            turn();
            goes_on = !has_enough() &&
                      visit_rows_of_round([&](u32 vertex, Arc arc) { lower(arc.x, reached(key(vertex), arc.y)); });
        } while (goes_on);
    }

    // What the row of a vertex with another key, or a changed arc, says of the choice of a vertex whose
    // own key has not changed.
    __device__ void look_at(u32 from, u32 to, bool is_arc, Weight weight) const {
        if (load(of.marks + to) & for_key) return;
        const Key tail = key(from), head = key(to);
        const u32 own = chosen(to);
        if (is_arc && tail != unreached && head != unreached && after(tail, weight) == head) {
            if (tail == head || is_flat(to, own)) {
                of.control->plateaus = 1;
            } else if (from < own) {
                atomicMin(of.chosen + to, from);
            }
        } else if (own == from) {
            mark(to, for_choice);
        }
    }

    // Takes back the choices of touched vertices, from the first of these on.
    __device__ void choose_again(u32 first, u32 end) const {
        for (u32 i = first + thread; i < end; i += n_threads) {
            const u32 vertex = load(of.touched + i);
            if (is_flat(vertex, chosen(vertex))) of.control->plateaus = 1;
            __stcg(of.chosen + vertex, none);
            list_column(vertex, 1);
        }
    }

    __device__ void choose() {
        const u32 n_moved = load(&of.control->touched);
        choose_again(0, n_moved);
        for (u32 i = thread; i < n_moved; i += n_threads) {
            const u32 vertex = load(of.touched + i);
            if (key(vertex) != before(vertex)) list_row(vertex);
        }
        turn();
        visit_rows_of_round([&](u32 vertex, Arc arc) { look_at(vertex, arc.x, true, arc.y); });
        for (u32 i = thread; i < of.n_changes; i += n_threads) {
            const ArcChange change = of.changes[i];
            look_at(change.from, change.to, change.has & has_now, static_cast<Weight>(change.after));
        }
        turn();
        const u32 n_touched = load(&of.control->touched);
        choose_again(n_moved, n_touched);
        turn();
        visit(of.pulls, load(&of.control->pulls[1]), of.columns, [&](u32 vertex, u32 first, u32 end) {
            const Key head = key(vertex);
            u32 least = none;
            for (u32 at = first + lane(); at < end; at += 32) {
                const Arc arc = __ldg(of.columns.arcs + at);
                const Key tail = key(arc.x);
                if (head == unreached || tail == unreached || after(tail, arc.y) != head) continue;
                if (tail == head) {
                    of.control->plateaus = 1;
                } else {
                    least = min(least, static_cast<u32>(arc.x));
                }
            }
            least = warp_min(least);
            if (lane() == 0 && least != none) atomicMin(of.chosen + vertex, least);
        });
        turn();
        for (u32 i = thread; i < n_touched; i += n_threads) {
            const u32 vertex = load(of.touched + i);
            const Key own = key(vertex);
            if (own != before(vertex)) {
                __stcg(of.changed + atomicAdd(&of.control->changed, 1), vertex);
                __stcg(of.before + vertex, own);
            }
            if (own != unreached && chosen(vertex) == none && vertex != of.source) of.control->plateaus = 1;
            __stcg(of.marks + vertex, 0);
        }
    }
};

extern "C" __global__ void __launch_bounds__(512, 2) ENTRY(follow)(const Follow of) {
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    Update update{of, {&of.control->arrived, gridDim.x, 0}, thread, gridDim.x * blockDim.x, 0};
    update.lose_paths();
    if (update.has_enough()) return;
    update.find_paths();
    if (update.has_enough() || load(&of.control->trouble) != 0) return;
    update.choose();
    if (thread == 0) of.control->rounds = update.round + 2;
}
