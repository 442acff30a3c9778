// Delta-stepping over a graph in parts, a step at a time; the host decides what comes next.
//
// Each GPU has keys of all vertices, as far as it knows; for its own it knows all. A step relaxes the
// arcs of the near list (relax_near, then relax_pieces for what is left of long rows). A vertex of its
// own that falls is near or far. One of another part that falls below what this GPU knows is sent to
// its owner, with its key; the owners read these lists (receive). So what is sent falls, as seen from
// its sender, and most arcs send nothing.
//
// Long arcs are deferred as in ../sssp/delta_stepping/team.cuh. Short and long arcs lie apart here, and
// a pull takes place after the keys of all vertices were exchanged.
//
// Launch: any grid of blocks of 256 threads; `meet` of one block. Reads the graph; writes keys,
// lists and `control`, and words of the host's memory.
//
// Races: keys are lowered by atomicMin alone, and each fall makes one entry by the thread that caused
// it; pulled keys are written by the warp of their vertex alone, as in long_arcs.cuh. Entries that do not
// fit are replaced: the count shows it, and all keys are looked through instead. Lists are read by
// launches that do not write them. Counts that another GPU reads are cleared a turn later, when the host
// has waited for all.
//
// Termination: as in team.cuh.

#include "../sssp/delta_stepping/key.cuh"
#include "part.cuh"

// Rows up to this length stay with their warp; the pieces of longer ones are this long.
constexpr u32 piece_length = 256;

struct Rows {
    const u64* offsets;
    const Arc* arcs;
};

struct alignas(16) Piece {
    u64 first;
    Key key;
    u32 length;
};

// Zero before a search, but for the least keys.
struct Control {
    // by the parity of the far list: the least key that stays in it
    u64 least[2];
    // by the parity of the settled bound: arcs of the vertices visited before it
    u64 visited_arcs[2];
    u64 relaxations;
    u64 improvements;
    u32 near;
    // whether there was a sum that no key holds
    u32 trouble;
    // of short and of long rows
    u32 pieces[2];
    u32 far[2];
    u32 visited[2];
    // by the parity of the turn: how many entries are for each part
    u32 sent[2][8];
    // the last meeting that it has come to
    u32 met;
    // blocks of a launch that have ended
    u32 ended;
};

// What a launch is given. The host has the same structure. Keys have 64 bits here.
struct Search {
    // arcs below the limit, or all; the others, or none
    Rows rows[2];
    // keys of all vertices
    Key* keys;
    const Entry* near_now;
    Entry* near_next;
    const Entry* far_now;
    Entry* far_next;
    Entry* visited;
    Piece* pieces;
    // `sent_capacity` places for each part
    Entry* outbox;
    Control* control;
    volatile u32* host;
    // of each part
    const Control* controls[8];
    const Entry* outboxes[8];
    const Key* others_keys[8];
    // the near and far keys are divided here; a bucket has no key below `low`
    u64 low;
    u64 threshold;
    // no key from here on is made, but late: then none below
    u64 settled_bound;
    // no key above is needed
    u64 limit;
    u32 n_near;
    u32 n_far;
    u32 n_visited;
    // places of near, far and visited; of pieces; of entries for a part
    u32 capacity;
    u32 piece_capacity;
    u32 sent_capacity;
    u32 part;
    u32 n_parts;
    u32 stride;
    u32 n_rows;
    u32 source;
    // whether arcs of both kinds are relaxed
    u32 all_arcs;
    // whether the arcs that lead beyond the settled bound are relaxed, and no others
    u32 late;
    u32 defers;
    // a vertex of its own whose key the host wants to know
    u32 target;
    u32 turn;
    u32 far_turn;
    u32 phase;
    u32 meeting;
    // whether it is the last launch of a turn
    u32 tells;
};

__device__ __forceinline__ u32 first_of(const Search& search) { return search.part * search.stride; }

// Entries that a warp keeps aside, so that it takes places in a list for many at once.
constexpr u32 staged = 64;

struct Stage {
    Entry* entries;
    u32 n = 0;

    // Adds the entries of those lanes that have one; `flush` empties the stage where it is full.
    template <typename Flush> __device__ __forceinline__ void add(bool has, Entry entry, Flush&& flush) {
        const u32 having = __ballot_sync(everyone, has);
        if (having == 0) return;
        if (n + __popc(having) > staged) flush();
        if (has) entries[n + __popc(having & lower_lanes())] = entry;
        n += __popc(having);
    }

    // Passes all entries on, a lane each.
    template <typename Pass> __device__ __forceinline__ void pass(Pass&& pass_on) {
        __syncwarp();
        for (u32 first = 0; first < n; first += 32) {
            const bool has = first + lane() < n;
            pass_on(has, has ? entries[first + lane()] : Entry{});
        }
        __syncwarp();
        n = 0;
    }
};

// What the warps of a block keep aside: near, far, for others.
constexpr u32 warps = 8;
using Stages = Entry[warps][3][staged];

// Tells the host what was found, and clears the counts of lists that were made.
__device__ void tell(const Search& search) {
    Control& control = *search.control;
    const auto write = [&](u32 word, u64 value) {
        search.host[word] = static_cast<u32>(value);
        search.host[word + 1] = static_cast<u32>(value >> 32);
    };
    const u64 target = search.target == everyone ? unreached : load(search.keys + search.target);
    write(2, load(&control.least[search.far_turn]));
    write(4, load(&control.visited_arcs[search.phase]));
    write(6, load(&control.relaxations));
    write(8, load(&control.improvements));
    write(10, target);
    search.host[12] = load(&control.near);
    search.host[13] = load(&control.far[search.far_turn]);
    search.host[14] = load(&control.visited[search.phase]);
    search.host[15] = load(&control.trouble);
    control.near = control.pieces[0] = control.pieces[1] = 0;
    control.far[search.far_turn ^ 1] = control.visited[search.phase ^ 1] = 0;
    control.visited_arcs[search.phase ^ 1] = 0;
    control.least[search.far_turn ^ 1] = unreached;
    for (u32 part = 0; part < max_parts; ++part) control.sent[~search.turn & 1][part] = 0;
    __threadfence_system();
    search.host[0] = search.turn;
}

// A warp of a search, what it keeps aside, and what it has counted.
struct Warp {
    const Search& search;
    Stage near, far, others;
    u64 relaxations = 0, improvements = 0, visited_arcs = 0;

    __device__ __forceinline__ Warp(const Search& search, Stages& stages)
        : search(search), near{stages[threadIdx.x / 32][0]}, far{stages[threadIdx.x / 32][1]},
          others{stages[threadIdx.x / 32][2]} {}

    __device__ __forceinline__ void flush_near() {
        const List<Entry> list{search.near_next, &search.control->near};
        near.pass([&](bool has, Entry entry) { append(list, search.capacity, has, entry); });
    }

    __device__ __forceinline__ void flush_far() {
        const List<Entry> list{search.far_next, &search.control->far[search.far_turn]};
        far.pass([&](bool has, Entry entry) { append(list, search.capacity, has, entry); });
    }

    __device__ __forceinline__ void flush_others() {
        others.pass([&](bool has, Entry entry) {
            append_to(search.outbox, search.control->sent[search.turn & 1], search.sent_capacity, search.n_parts, has,
                      vertex_of(entry) / search.stride, entry);
        });
    }

    // Keeps the vertices of the lanes whose keys fell: near, far, or for their owners.
    __device__ __forceinline__ void keep(bool fell, Key key, u32 vertex) {
        improvements += fell;
        const u32 place = vertex - first_of(search);
        const bool own = fell && place < search.stride, is_near = key < static_cast<Key>(search.threshold);
        near.add(own && is_near, entry_of(key, place), [&] { flush_near(); });
        far.add(own && !is_near, entry_of(key, place), [&] { flush_far(); });
        others.add(fell && !own, entry_of(key, vertex), [&] { flush_others(); });
    }

    // Relaxes an arc in each lane that has one; `from` is the key of its start.
    __device__ __forceinline__ void relax(const Rows& rows, bool has, Key from, u64 arc) {
        bool fell = false;
        u32 to = 0;
        Key key = 0;
        if (has) {
            const Arc end = __ldg(rows.arcs + arc);
            to = end.x;
            key = after(from, end.y);
            if (key == unreached) search.control->trouble = 1;
            const Key bound = static_cast<Key>(search.settled_bound);
            const bool wanted = key != unreached && key <= static_cast<Key>(search.limit) &&
                                (search.late ? key >= bound : key < bound);
            fell = wanted && key < load(search.keys + to) && key < atomicMin(search.keys + to, key);
        }
        keep(fell, key, to);
    }

    // Relaxes the arcs of the lanes' vertices; long rows are cut to pieces.
    __device__ __forceinline__ void relax_rows(u32 kind, bool has, Key key, u32 place) {
        const Rows& rows = search.rows[kind];
        Run row = has ? row_at(rows.offsets, place) : Run{0, 0};
        const bool is_long = row.length > piece_length;
        Piece* pieces = search.pieces + static_cast<u64>(kind) * search.piece_capacity;
        cut_rows(pieces, &search.control->pieces[kind], piece_length, is_long, row, key,
                 [](Key its, u64 first, u32 length) { return Piece{first, its, length}; });
        if (is_long) row.length = 0;
        __syncwarp();
        relaxations += row.length;
        for_each_arc_of_runs(row, [&](bool has, u32 owner, u64 arc) {
            relax(rows, has, __shfl_sync(everyone, key, owner), arc);
        });
    }

    // Passes on what it has kept aside and counted.
    __device__ __forceinline__ void end() {
        flush_near();
        flush_far();
        flush_others();
        relaxations = warp_sum(relaxations);
        improvements = warp_sum(improvements);
        visited_arcs = warp_sum(visited_arcs);
        if (lane() != 0) return;
        if (relaxations) atomicAdd(&search.control->relaxations, relaxations);
        if (improvements) atomicAdd(&search.control->improvements, improvements);
        if (visited_arcs) atomicAdd(&search.control->visited_arcs[search.phase], visited_arcs);
    }
};

// An entry of a list, or, where entries were lost, of the vertex with that number if its key lies in
// [low, high). Stale entries count as none.
__device__ __forceinline__ Entry entry_at(const Search& search, const Entry* list, bool lost, u32 at, Key low, Key high,
                                          bool& has) {
    if (!has) return {};
    const Key* keys = search.keys + first_of(search);
    if (lost) {
        const Key key = load(keys + at);
        has = low <= key && key < high;
        return entry_of(key, at);
    }
    const Entry entry = load(list + at);
    has = load(keys + vertex_of(entry)) == key_of(entry);
    return entry;
}

// The state before the first step.
extern "C" __global__ void ENTRY(start)(const Search search) {
    for (u32 v = grid_thread(); v < search.n_parts * search.stride; v += grid_threads()) {
        search.keys[v] = v == search.source ? Key{0} : unreached;
    }
    if (grid_thread() == 0) {
        const u32 own = search.source - first_of(search);
        search.control->least[0] = search.control->least[1] = unreached;
        if (search.source >= first_of(search) && own < search.n_rows) {
            search.near_next[0] = entry_of(0, own);
            search.control->near = 1;
        }
    }
    end_launch(search);
}

// The near list, or late the visited one.
extern "C" __global__ void __launch_bounds__(256) ENTRY(relax_near)(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    const u32 listed = search.late ? search.n_visited : search.n_near;
    const Entry* list = search.late ? search.visited : search.near_now;
    const bool lost = listed > search.capacity;
    const u32 n = lost ? search.n_rows : listed;
    // few entries are spread over all warps
    const u32 at_once = min(n == 0 ? 1 : (n - 1) / grid_warps() + 1, 32u);
    for (u32 first = grid_warp() * at_once; first < n; first += grid_warps() * at_once) {
        bool has = lane() < at_once && first + lane() < n;
        const Entry entry = entry_at(search, list, lost, first + lane(), static_cast<Key>(search.low),
                                     static_cast<Key>(search.threshold), has);
        const Key key = key_of(entry);
        const u32 place = vertex_of(entry);
        if (search.defers && !search.late) {
            append(List<Entry>{search.visited, &search.control->visited[search.phase]},
                   search.capacity, has, entry);
            if (has) warp.visited_arcs += row_at(search.rows[0].offsets, place).length +
                                          row_at(search.rows[1].offsets, place).length;
        }
        warp.relax_rows(0, has, key, place);
        if (search.all_arcs) warp.relax_rows(1, has, key, place);
    }
    warp.end();
}

extern "C" __global__ void __launch_bounds__(256) ENTRY(relax_pieces)(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    for (u32 kind = 0; kind < 2; ++kind) {
        const Piece* pieces = search.pieces + static_cast<u64>(kind) * search.piece_capacity;
        const u32 n = load(&search.control->pieces[kind]);
        for (u32 at = grid_warp(); at < n; at += grid_warps()) {
            const Piece piece = pieces[at];
            if (lane() == 0) warp.relaxations += piece.length;
            for (u32 k = 0; k < piece.length; k += 32) {
                warp.relax(search.rows[kind], k + lane() < piece.length, piece.key, piece.first + k + lane());
            }
        }
    }
    warp.end();
    end_launch(search);
}

// Waits for all others to come here, having done what they were to do before.
extern "C" __global__ void ENTRY(meet)(const Search search) {
    meet_others(search);
}

// Takes what others have sent. Where they could not send all, it reads their keys of its vertices.
extern "C" __global__ void __launch_bounds__(256) ENTRY(receive)(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    for (u32 other = 0; other < search.n_parts; ++other) {
        if (other == search.part) continue;
        const u32 sent = load(&search.controls[other]->sent[search.turn & 1][search.part]);
        const bool lost = sent > search.sent_capacity;
        const Entry* from = search.outboxes[other] + static_cast<u64>(search.part) * search.sent_capacity;
        const Key* keys = search.others_keys[other];
        const u32 n = lost ? search.n_rows : sent;
        for (u32 first = grid_warp() * 32; first < n; first += grid_warps() * 32) {
            const u32 at = first + lane();
            const bool has = at < n;
            u32 vertex = first_of(search) + at;
            Key key = unreached;
            if (has && lost) {
                key = load(keys + vertex);
            } else if (has) {
                const Entry entry = load(from + at);
                key = key_of(entry);
                vertex = vertex_of(entry);
            }
            const bool fell = has && key < load(search.keys + vertex) && key < atomicMin(search.keys + vertex, key);
            warp.keep(fell, key, vertex);
        }
    }
    warp.end();
    end_launch(search);
}

// Divides the far list at the threshold, and finds the least key that stays far.
extern "C" __global__ void __launch_bounds__(256) ENTRY(split_far)(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    const bool lost = search.n_far > search.capacity;
    const u32 n = lost ? search.n_rows : search.n_far;
    const Key threshold = static_cast<Key>(search.threshold);
    Key least = unreached;
    for (u32 first = grid_warp() * 32; first < n; first += grid_warps() * 32) {
        bool has = first + lane() < n;
        const Entry entry =
            entry_at(search, search.far_now, lost, first + lane(), static_cast<Key>(search.low), unreached, has);
        const bool is_near = key_of(entry) < threshold;
        warp.near.add(has && is_near, entry, [&] { warp.flush_near(); });
        warp.far.add(has && !is_near, entry, [&] { warp.flush_far(); });
        if (has && !is_near) least = min(least, key_of(entry));
    }
    least = warp_min(least);
    if (lane() == 0 && least != unreached) {
        atomicMin(&search.control->least[search.far_turn], static_cast<u64>(least));
    }
    warp.end();
    end_launch(search);
}

// Every vertex of its own beyond the settled bound takes the least key that its neighbours before it
// offer, and is far if it has a neighbour beyond that it may help.
extern "C" __global__ void __launch_bounds__(256) ENTRY(pull)(const Search search) {
    __shared__ Key bests[warps][32];
    __shared__ Stages stages;
    Key(&best_of)[32] = bests[threadIdx.x / 32];
    Warp warp(search, stages);
    Control& control = *search.control;
    Key* keys = search.keys + first_of(search);
    const Key bound = static_cast<Key>(search.settled_bound);
    Key least = unreached;
    for (u32 first = grid_warp() * 32; first < search.n_rows; first += grid_warps() * 32) {
        const u32 place = first + lane();
        const Key before = place < search.n_rows ? load(keys + place) : 0;
        const bool open = before >= bound;
        if (!__any_sync(everyone, open)) continue;
        best_of[lane()] = before;
        __syncwarp();
        u32 helpers = 0;
        for (u32 kind = 0; kind < 2; ++kind) {
            const Rows& rows = search.rows[kind];
            const Run row = open ? row_at(rows.offsets, place) : Run{0, 0};
            warp.relaxations += row.length;
            for_each_arc_of_runs(row, [&](bool has, u32 owner, u64 arc) {
                if (!has) return;
                const Arc end = __ldg(rows.arcs + arc);
                const Key from = load(search.keys + end.x);
                if (from < bound) {
                    const Key key = after(from, end.y);
                    if (key == unreached) control.trouble = 1;
                    if (key <= static_cast<Key>(search.limit) && key < best_of[owner]) atomicMin(&best_of[owner], key);
                } else if (end.x != first_of(search) + first + owner) {
                    helpers |= 1u << owner;
                }
            });
        }
        helpers = warp_or(helpers);
        const Key best = best_of[lane()];
        __syncwarp();
        if (open && best < before) {
            __stcg(keys + place, best);
            warp.improvements++;
        }
        const bool goes_on = open && best != unreached && (helpers >> lane() & 1);
        warp.far.add(goes_on, entry_of(best, place), [&] { warp.flush_far(); });
        if (goes_on) least = min(least, best);
    }
    least = warp_min(least);
    if (lane() == 0 && least != unreached) atomicMin(&control.least[search.far_turn], static_cast<u64>(least));
    warp.end();
    end_launch(search);
}
