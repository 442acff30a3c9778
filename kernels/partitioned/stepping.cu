// Delta-stepping over a graph in parts: one launch on each GPU.
//
// Each GPU has keys of all vertices, as far as it knows; for its own it knows all. A step relaxes the
// arcs of the near list (relax_near, then relax_pieces for what is left of long rows). A vertex of its
// own that falls is near or far. One of another part that falls below what this GPU knows goes with its
// key into the inbox of its owner, which then takes it (receive). So what is sent falls, as seen from
// its sender, and most arcs send nothing. A step ends with a meeting, where all GPUs find the same sums, and
// so decide the same. What comes between two meetings is one function (go_on). Where GPUs do not meet, it is
// a launch.
//
// Long arcs are deferred as in ../sssp/delta_stepping/team.cuh. Short and long arcs lie apart here, and
// a pull takes place after the keys of all vertices were exchanged.
//
// Launch: cooperative, 512 threads a block, all resident. Reads the graph; writes keys, lists, `control` and
// rooms, the inboxes and keys of other GPUs, and words of the host's memory.
//
// Races: keys are lowered by atomicMin alone, and each fall makes one entry by the thread that caused
// it; pulled keys are written by the warp of their vertex alone, as in long_arcs.cuh. Entries that do not
// fit are replaced: the count shows it, and all keys are looked through instead. Lists are read in
// steps that do not write them. Counts are cleared in meetings, when all blocks have come.
//
// Termination: as in team.cuh.

#include "../sssp/delta_stepping/key.cuh"
#include "meeting.cuh"

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

// What a GPU tells another at a meeting, and the sum.
struct Told {
    // the least key that stays far
    u64 least;
    // arcs of the vertices visited since the last settled bound
    u64 visited_arcs;
    // the key of the target
    u64 target;
    // entries of its lists
    u64 near;
    u64 far;
    u64 visited;
    // entries that it has put into the other's inbox
    u32 sent;
    // whether entries of a list were lost; whether there was a sum that no key holds; whether the search ends
    u32 lost;
    u32 trouble;
    u32 ends;

    __device__ __forceinline__ void add(const Told& other) {
        least = min(least, other.least);
        visited_arcs += other.visited_arcs;
        target = min(target, other.target);
        near += other.near;
        far += other.far;
        visited += other.visited;
        lost |= other.lost;
        trouble |= other.trouble;
        ends |= other.ends;
    }
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
    // how many entries were sent to each part
    u32 sent[32];
    // what warps have taken of the near list, of short and of long pieces, and of the far list
    u32 taken[4];
    // blocks that have come to a barrier of this GPU
    u32 arrived;
    u32 unused;
};

struct Step;

// What a launch is given. The host has the same structure. Keys have 64 bits here.
struct Search {
    // arcs below the limit, or all; the others, or none. They may lie in host memory, which is never written
    Rows rows[2];
    Entry* near[2];
    Entry* far[2];
    Entry* visited;
    Piece* pieces;
    // where there are several sources
    const u32* sources;
    // entries that each part has sent, `sent_capacity` places for each
    const Entry* inbox;
    Control* control;
    // where the search stands, which is kept between launches
    Step* step;
    volatile u32* host;
    // of each part: its room, its inbox, and the keys of all vertices. Where hosts bring them, inboxes of
    // others are places of its own that the host reads, and their keys of its vertices come to its inbox
    Room<Told>* rooms[32];
    Entry* inboxes[32];
    Key* keys[32];
    // the width of buckets; the limit of short arcs, or 0 where none is deferred; the greatest weight
    u64 delta;
    u64 short_limit;
    u64 greatest;
    // no key above is needed
    u64 limit;
    u64 n_arcs;
    // places of near, far and visited; of pieces; of entries for a part
    u32 capacity;
    u32 piece_capacity;
    u32 sent_capacity;
    u32 part;
    u32 n_parts;
    u32 stride;
    u32 n_rows;
    // warps of all GPUs at work
    u32 n_warps;
    // the only source
    u32 source;
    u32 n_sources;
    // a vertex of its own whose key ends the search when it is final
    u32 target;
    // the number of the search, or of the launch
    u32 number;
    // whether arcs lead both ways, so that vertices can look for their neighbours
    u32 may_pull;
    // pushes of deferred arcs after which none are deferred
    u32 max_pushes;
    // whether hosts bring what is for others
    u32 is_apart;
    u32 unused;
};

// What a step does.
enum class Work {
    // relaxes the arcs of near vertices
    relaxes,
    // divides the far list at the next threshold, and relaxes what is near besides
    next_bucket,
    // relaxes the arcs of visited vertices that lead beyond the settled bound
    pushes_deferred,
    // finds the least far key after that
    finds_least,
    // pulls what is beyond the settled bound
    pulls_deferred,
    ends
};

// What comes after a meeting.
enum class Next : u32 {
    starts,
    // decides what is done, and does it, as far as it can
    decides,
    // takes what others have sent
    receives,
    // pulls, when all have the keys of all
    pulls,
    ends
};

// A step, and where the search stands: the same for all threads of a block.
struct Step {
    Next next;
    Work work;
    u32 number;
    const Entry *near_now, *far_now;
    Entry *near_next, *far_next;
    // the near and far keys are divided here; a bucket has no key below `low`
    Key low, threshold;
    // no key from here on is made, but late: then none below
    Key settled_bound;
    // where the settled bound was before
    Key settled;
    Key width;
    // entries of lists
    u32 n_near, n_far, n_visited;
    // turns of the far list and of the settled bound, by parity
    u32 far_turn, phase;
    u32 doublings, pushes;
    u64 settled_arcs;
    // whether the step relaxes arcs
    bool relaxes;
    bool defers;
    // whether a list since the last settled bound was too short, so that vertices may have been visited
    // twice with the same key
    bool has_lost;

    __device__ __forceinline__ bool late() const { return work == Work::pushes_deferred; }
    __device__ __forceinline__ bool splits() const { return work == Work::next_bucket || work == Work::finds_least; }
};

// The host takes memory for it.
static_assert(sizeof(Step) <= 192, "bytes of a step");

__device__ __forceinline__ u32 first_of(const Search& search) { return search.part * search.stride; }

// Entries that a warp keeps aside, so that it takes places in a list for many at once.
constexpr u32 staged = sizeof(Entry) == 8 ? 64 : 32, warps = 16;

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

// What a block has in shared memory: what its warps keep aside, near, far and for others; the least keys
// that they pull; the step.
struct BlockMemory {
    Entry entries[warps][3][staged];
    Key bests[warps][32];
    Step step;
};

// A warp of a step, what it keeps aside, and what it has counted.
struct Warp {
    const Search& search;
    const Step& step;
    Control& control;
    Key* const keys;
    const Key threshold, bound;
    const bool late;
    Stage near, far, others;
    u64 relaxations = 0, improvements = 0, visited_arcs = 0;

    __device__ __forceinline__ Warp(const Search& search, BlockMemory& memory)
        : search(search), step(memory.step), control(*search.control), keys(search.keys[search.part]),
          threshold(step.threshold), bound(step.settled_bound), late(step.late()), near{memory.entries[threadIdx.x / 32][0]}, far{memory.entries[threadIdx.x / 32][1]},
          others{memory.entries[threadIdx.x / 32][2]} {}

    __device__ __forceinline__ void flush_near() {
        const List<Entry> list{step.near_next, &control.near};
        near.pass([&](bool has, Entry entry) { append(list, search.capacity, has, entry); });
    }

    __device__ __forceinline__ void flush_far() {
        const List<Entry> list{step.far_next, &control.far[step.far_turn]};
        far.pass([&](bool has, Entry entry) { append(list, search.capacity, has, entry); });
    }

    __device__ __forceinline__ void flush_others() {
        others.pass([&](bool has, Entry entry) {
            for (u32 part = 0; __any_sync(everyone, has); ++part) {
                const bool here = has && vertex_of(entry) / search.stride == part;
                Entry* inbox = search.inboxes[part] + static_cast<u64>(search.part) * search.sent_capacity;
                append(List<Entry>{inbox, control.sent + part}, search.sent_capacity, here, entry);
                has = has && !here;
            }
        });
    }

    // Keeps the vertices of the lanes whose keys fell: near, far, or for their owners.
    __device__ __forceinline__ void keep(bool fell, Key key, u32 vertex) {
        improvements += fell;
        const u32 place = vertex - first_of(search);
        const bool own = fell && place < search.stride, is_near = key < threshold;
        near.add(own && is_near, entry_of(key, place), [&] { flush_near(); });
        far.add(own && !is_near, entry_of(key, place), [&] { flush_far(); });
        others.add(fell && !own, entry_of(key, vertex), [&] { flush_others(); });
    }

    // Relaxes some arcs of each lane; `from` are the keys of their starts.
    template <u32 n> __device__ __forceinline__ void relax(const Rows& rows, const Arcs<n>& arcs, const Key (&from)[n]) {
        Arc ends[n];
        Key sums[n];
        bool fell[n];
#pragma unroll
        for (u32 k = 0; k < n; ++k) {
            if (arcs.has[k]) ends[k] = __ldg(rows.arcs + arcs.at[k]);
        }
#pragma unroll
        for (u32 k = 0; k < n; ++k) {
            fell[k] = false;
            sums[k] = 0;
            if (!arcs.has[k]) continue;
            const Key key = after(from[k], ends[k].y);
            if (key == unreached) control.trouble = 1;
            const bool wanted = key != unreached && key <= static_cast<Key>(search.limit) &&
                                (late ? key >= bound : key < bound);
            fell[k] = wanted && key < load(keys + ends[k].x);
            sums[k] = key;
        }
#pragma unroll
        for (u32 k = 0; k < n; ++k) fell[k] = fell[k] && sums[k] < atomicMin(keys + ends[k].x, sums[k]);
#pragma unroll
        for (u32 k = 0; k < n; ++k) keep(fell[k], sums[k], static_cast<u32>(ends[k].x));
    }

    // Relaxes the arcs of the lanes' vertices; long rows are cut to pieces.
    __device__ __forceinline__ void relax_rows(u32 kind, bool has, Key key, u32 place) {
        const Rows& rows = search.rows[kind];
        Run row = has ? row_at(rows.offsets, place) : Run{0, 0};
        const bool is_long = row.length > piece_length;
        Piece* pieces = search.pieces + static_cast<u64>(kind) * search.piece_capacity;
        cut_rows(pieces, &control.pieces[kind], piece_length, is_long, row, key,
                 [](Key its, u64 first, u32 length) { return Piece{first, its, length}; });
        if (is_long) row.length = 0;
        __syncwarp();
        relaxations += row.length;
        for_each_arc_of_runs<2>(row, [&](const Arcs<2>& arcs, const u32(&owners)[2]) {
            const Key from[2] = {__shfl_sync(everyone, key, owners[0]), __shfl_sync(everyone, key, owners[1])};
            relax(rows, arcs, from);
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
        if (relaxations) atomicAdd(&control.relaxations, relaxations);
        if (improvements) atomicAdd(&control.improvements, improvements);
        if (visited_arcs) atomicAdd(&control.visited_arcs[step.phase], visited_arcs);
    }
};

// An entry of a list, or, where entries were lost, of the vertex with that number if its key lies in
// [low, high). Stale entries count as none.
__device__ __forceinline__ Entry entry_at(const Key* keys, const Entry* list, bool lost, u32 at, Key low, Key high,
                                          bool& has) {
    if (!has) return {};
    if (lost) {
        const Key key = load(keys + at);
        has = low <= key && key < high;
        return entry_of(key, at);
    }
    const Entry entry = load(list + at);
    has = load(keys + vertex_of(entry)) == key_of(entry);
    return entry;
}

// Relaxes the arcs of the near list, or late those of the visited one.
__device__ __forceinline__ void relax_near(const Search& search, BlockMemory& memory) {
    Warp warp(search, memory);
    const Step& step = memory.step;
    const u32 listed = step.late() ? step.n_visited : step.n_near;
    const Entry* list = step.late() ? search.visited : step.near_now;
    const bool lost = listed > search.capacity;
    const u32 n = lost ? search.n_rows : listed;
    // few entries are spread over all warps
    const u32 at_once = min(n == 0 ? 1 : (n - 1) / grid_warps() + 1, 32u);
    share(&warp.control.taken[0], n, at_once, [&](u32 first) {
        bool has = lane() < at_once && first + lane() < n;
        const Entry entry =
            entry_at(warp.keys + first_of(search), list, lost, first + lane(), step.low, step.threshold, has);
        const Key key = key_of(entry);
        const u32 place = vertex_of(entry);
        if (step.defers && !step.late()) {
            append(List<Entry>{search.visited, &warp.control.visited[step.phase]}, search.capacity, has, entry);
            if (has) warp.visited_arcs += row_at(search.rows[0].offsets, place).length +
                                          row_at(search.rows[1].offsets, place).length;
        }
        warp.relax_rows(0, has, key, place);
        if (step.late() || !step.defers) warp.relax_rows(1, has, key, place);
    });
    warp.end();
}

__device__ __forceinline__ void relax_pieces(const Search& search, BlockMemory& memory) {
    Warp warp(search, memory);
    for (u32 kind = 0; kind < 2; ++kind) {
        const Piece* pieces = search.pieces + static_cast<u64>(kind) * search.piece_capacity;
        const u32 n = load(&warp.control.pieces[kind]);
        share(&warp.control.taken[1 + kind], n, 1, [&](u32 at) {
            const Piece piece = pieces[at];
            if (lane() == 0) warp.relaxations += piece.length;
            const Key from[2] = {piece.key, piece.key};
            for (u32 k = 0; k < piece.length; k += 64) {
                warp.relax(search.rows[kind], Arcs<2>::of(piece.first, piece.length, k), from);
            }
        });
    }
    warp.end();
}

// Takes what others have sent. Where they could not send all, it reads their keys of its vertices.
__device__ __forceinline__ void receive(const Search& search, BlockMemory& memory, const Meetings<Told>& meetings) {
    Warp warp(search, memory);
    for (u32 other = 0; other < search.n_parts; ++other) {
        if (other == search.part) continue;
        const u32 sent = load(&meetings.told_by(other)->sent);
        const bool lost = sent > search.sent_capacity;
        const Entry* from = search.inbox + static_cast<u64>(other) * search.sent_capacity;
        const u32 n = lost ? search.n_rows : sent;
        for (u32 first = grid_warp() * 32; first < n; first += grid_warps() * 32) {
            const u32 at = first + lane();
            const bool has = at < n;
            u32 vertex = first_of(search) + at;
            Key key = unreached;
            if (has && lost) {
                key = load(search.keys[other] + vertex);
            } else if (has) {
                const Entry entry = load(from + at);
                key = key_of(entry);
                vertex = vertex_of(entry);
            }
            const bool fell = has && key < load(warp.keys + vertex) && key < atomicMin(warp.keys + vertex, key);
            warp.keep(fell, key, vertex);
        }
    }
    warp.end();
}

// Divides the far list at the threshold, and finds the least key that stays far.
__device__ __forceinline__ void split_far(const Search& search, BlockMemory& memory) {
    Warp warp(search, memory);
    const Step& step = memory.step;
    const bool lost = step.n_far > search.capacity;
    const u32 n = lost ? search.n_rows : step.n_far;
    Key least = unreached;
    share(&warp.control.taken[3], n, 32, [&](u32 first) {
        bool has = first + lane() < n;
        const Entry entry =
            entry_at(warp.keys + first_of(search), step.far_now, lost, first + lane(), step.low, unreached, has);
        const bool is_near = key_of(entry) < step.threshold;
        warp.near.add(has && is_near, entry, [&] { warp.flush_near(); });
        warp.far.add(has && !is_near, entry, [&] { warp.flush_far(); });
        if (has && !is_near) least = min(least, key_of(entry));
    });
    least = warp_min(least);
    if (lane() == 0 && least != unreached) {
        atomicMin(&warp.control.least[step.far_turn], static_cast<u64>(least));
    }
    warp.end();
}

// Every vertex of its own beyond the settled bound takes the least key that its neighbours before it
// offer, and is far if it has a neighbour beyond that it may help.
__device__ __forceinline__ void pull(const Search& search, BlockMemory& memory) {
    Key(&best_of)[32] = memory.bests[threadIdx.x / 32];
    Warp warp(search, memory);
    Key* keys = warp.keys + first_of(search);
    const Key bound = memory.step.settled_bound;
    Key least = unreached;
    share(&warp.control.taken[0], search.n_rows, 32, [&](u32 first) {
        const u32 place = first + lane();
        const Key before = place < search.n_rows ? load(keys + place) : 0;
        const bool open = before >= bound;
        if (!__any_sync(everyone, open)) return;
        best_of[lane()] = before;
        __syncwarp();
        u32 helpers = 0;
        for (u32 kind = 0; kind < 2; ++kind) {
            const Rows& rows = search.rows[kind];
            const Run row = open ? row_at(rows.offsets, place) : Run{0, 0};
            warp.relaxations += row.length;
            for_each_arc_of_runs<2>(row, [&](const Arcs<2>& arcs, const u32(&owners)[2]) {
                Arc ends[2];
                Key from[2];
#pragma unroll
                for (u32 k = 0; k < 2; ++k) {
                    if (arcs.has[k]) ends[k] = __ldg(rows.arcs + arcs.at[k]);
                }
#pragma unroll
                for (u32 k = 0; k < 2; ++k) from[k] = arcs.has[k] ? load(warp.keys + ends[k].x) : unreached;
#pragma unroll
                for (u32 k = 0; k < 2; ++k) {
                    const u32 owner = owners[k];
                    if (!arcs.has[k]) continue;
                    if (from[k] < bound) {
                        const Key key = after(from[k], ends[k].y);
                        if (key == unreached) warp.control.trouble = 1;
                        if (key <= static_cast<Key>(search.limit) && key < best_of[owner]) {
                            atomicMin(&best_of[owner], key);
                        }
                    } else if (ends[k].x != first_of(search) + first + owner) {
                        helpers |= 1u << owner;
                    }
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
    });
    least = warp_min(least);
    if (lane() == 0 && least != unreached) {
        atomicMin(&warp.control.least[memory.step.far_turn], static_cast<u64>(least));
    }
    warp.end();
}

// Sends all others the keys of its own vertices.
__device__ __forceinline__ void send_keys(const Search& search) {
    using Line = uint4;
    const u64 bytes = static_cast<u64>(search.stride) * sizeof(Key), n = bytes / sizeof(Line);
    const auto lines = [&](u32 part) { return reinterpret_cast<Line*>(search.keys[part]) + search.part * n; };
    for (u64 at = grid_thread(); at < n; at += grid_threads()) {
        const Line line = load(lines(search.part) + at);
        for (u32 other = 0; other < search.n_parts; ++other) {
            if (other != search.part) __stcg(lines(other) + at, line);
        }
    }
}

// Entries for each warp below which a bucket is thin, and above which it is thick.
constexpr u32 thin = 2, thick = 16;
// Near vertices that do not keep the next bucket waiting are fewer than this part of the far ones.
constexpr u32 rest = 256;
// The most times that the width may be doubled for a bucket.
constexpr u32 most_doublings = 5;
// No arcs are deferred where a pull has left less than this part of all.
constexpr u32 few_arcs = 16;

// The state before the first step, and what it works on.
__device__ __forceinline__ void begin(const Search& search, BlockMemory& memory, GridBarrier& barrier) {
    Step& step = memory.step;
    if (threadIdx.x == 0) {
        step = Step{};
        step.next = Next::decides;
        step.work = Work::relaxes;
        step.near_now = search.near[1];
        step.near_next = search.near[0];
        step.far_now = search.far[1];
        step.far_next = search.far[0];
        step.width = static_cast<Key>(search.delta);
        step.defers = search.short_limit != 0;
        step.settled_bound = step.defers ? beyond(0, static_cast<Key>(search.short_limit)) : unreached;
        step.threshold = min(beyond(0, step.width), step.settled_bound);
    }
    Key* keys = search.keys[search.part];
    Control& control = *search.control;
    for (u32 v = grid_thread(); v < search.n_parts * search.stride; v += grid_threads()) keys[v] = unreached;
    if (grid_thread() == 0) control.least[0] = control.least[1] = unreached;
    barrier.wait();
    for (u32 at = grid_thread(); at < search.n_sources; at += grid_threads()) {
        const u32 vertex = search.n_sources > 1 ? search.sources[at] : search.source, own = vertex - first_of(search);
        // one may be named twice
        if (atomicMin(keys + vertex, Key{0}) != 0 && own < search.n_rows) {
            step.near_next[atomicAdd(&control.near, 1)] = entry_of(0, own);
        }
    }
}

// What this GPU tells another after a step. Counts of lists that are made next are cleared.
__device__ __forceinline__ Told tell_of_step(const Search& search, const Step& step) {
    Control& control = *search.control;
    const u64 target = search.target == everyone ? unreached : load(search.keys[search.part] + search.target);
    const u32 near = load(&control.near), far = load(&control.far[step.far_turn]);
    const u32 visited = load(&control.visited[step.phase]);
    const bool lost = max(near, max(far, visited)) > search.capacity;
    const Told told{load(&control.least[step.far_turn]), load(&control.visited_arcs[step.phase]), target, near, far,
                    visited, 0, lost, load(&control.trouble), 0};
    __syncwarp(__activemask());
    control.near = control.pieces[0] = control.pieces[1] = 0;
    for (u32& taken : control.taken) taken = 0;
    control.far[step.far_turn ^ 1] = control.visited[step.phase ^ 1] = 0;
    control.visited_arcs[step.phase ^ 1] = 0;
    control.least[step.far_turn ^ 1] = unreached;
    return told;
}

__device__ __forceinline__ void exchange(const Entry*& now, Entry*& next) {
    Entry* other = const_cast<Entry*>(now);
    now = next;
    next = other;
}

// Makes buckets as wide as it takes to keep the GPUs busy, and no wider.
__device__ __forceinline__ void widen(const Search& search, Step& step, const Told& all) {
    if (step.settled_bound == unreached && search.short_limit != 0) return;
    if (all.near < search.n_warps * thin && step.doublings < most_doublings) {
        step.width = doubled(step.width);
        step.doublings++;
    } else if (all.near > static_cast<u64>(search.n_warps) * thick && step.doublings > 0) {
        step.width = static_cast<Key>(search.delta);
        step.doublings = 0;
    }
}

// Moves the settled bound, all arcs deferred at it having been pushed or pulled.
__device__ __forceinline__ void pass_bound(const Search& search, Step& step, Key least, bool pulled) {
    step.settled = step.low = step.threshold = max(step.settled_bound, least);
    step.settled_bound = beyond(step.low, static_cast<Key>(search.short_limit));
    step.phase ^= 1;
    step.has_lost = false;
    step.pushes += !pulled;
    const bool few_are_left = search.n_arcs < step.settled_arcs + search.n_arcs / few_arcs;
    if (step.pushes == search.max_pushes || (pulled && few_are_left)) {
        // from here on none is deferred, and buckets are as wide as the greatest weight
        step.defers = false;
        step.settled_bound = unreached;
        step.width = static_cast<Key>(search.greatest);
        step.doublings = most_doublings;
    }
}

// What comes after a step that has relaxed or passed a bound. Few near vertices do not keep the next
// bucket waiting.
__device__ __forceinline__ Work next_work(const Search& search, Step& step, const Told& all) {
    if (all.near == 0 && all.target < step.threshold) return Work::ends;
    const bool is_last = all.far == 0 || step.threshold >= step.settled_bound;
    const bool is_rest = all.near < search.n_warps * thin && all.near < all.far / rest && !step.has_lost;
    if (!is_last && (all.near == 0 || is_rest)) return Work::next_bucket;
    if (all.near != 0) return Work::relaxes;
    if (!step.defers) return Work::ends;
    step.settled_arcs += all.visited_arcs;
    const u64 left = search.n_arcs > step.settled_arcs ? search.n_arcs - step.settled_arcs : 0;
    const bool pulls = search.may_pull != 0 && (all.visited_arcs > left || step.has_lost);
    return pulls ? Work::pulls_deferred : Work::pushes_deferred;
}

// Decides what the next step is, by what all GPUs have found. One thread of each block calls it.
__device__ __forceinline__ void decide(const Search& search, Step& step, const Told& all, const Told& own) {
    exchange(step.near_now, step.near_next);
    step.n_near = static_cast<u32>(own.near);
    step.n_far = static_cast<u32>(own.far);
    step.n_visited = static_cast<u32>(own.visited);
    step.has_lost |= all.lost != 0;
    const Work done = step.work;
    const Key least = static_cast<Key>(all.least);
    const bool has_passed = done == Work::finds_least || done == Work::pulls_deferred;
    if (done == Work::next_bucket) {
        widen(search, step, all);
        // on to the next bucket that holds anything
        if (all.near == 0) step.threshold = max(step.threshold, least);
    }
    if (all.trouble || all.ends || (has_passed && least == unreached)) {
        step.work = Work::ends;
    } else if (done == Work::pushes_deferred) {
        // all stay far
        step.work = Work::finds_least;
    } else {
        if (has_passed) pass_bound(search, step, least, done == Work::pulls_deferred);
        step.work = next_work(search, step, all);
    }
    if (step.work == Work::next_bucket) {
        if (all.near == 0) step.low = step.threshold;
        step.threshold = min(beyond(step.threshold, step.width), step.settled_bound);
    }
    if (step.work == Work::pushes_deferred) {
        // where visited vertices were lost, all from here to the threshold
        step.low = step.settled;
        step.threshold = step.settled_bound;
    }
    if (step.work == Work::finds_least) step.low = step.settled_bound;
    if (step.splits() || step.work == Work::pulls_deferred) {
        // the far list becomes the one that is read
        exchange(step.far_now, step.far_next);
        step.far_turn ^= 1;
    }
    step.relaxes = step.work == Work::relaxes || step.late() || (step.work == Work::next_bucket && all.near != 0);
    const bool is_alone = search.n_parts == 1;
    if (step.work == Work::ends) step.next = Next::ends;
    else if (step.relaxes && !is_alone) step.next = Next::receives;
    else if (step.work == Work::pulls_deferred && !is_alone) step.next = Next::pulls;
    step.number += step.work != Work::ends;
}

// What this GPU does from one meeting to the next; `all` is what was told at the first.
__device__ __forceinline__ void go_on(const Search& search, BlockMemory& memory, const Told& all,
                                      const Meetings<Told>& meetings, GridBarrier& barrier) {
    Step& step = memory.step;
    const Next now = step.next;
    __syncthreads();
    if (threadIdx.x == 0) {
        step.next = Next::decides;
        if (now == Next::decides) decide(search, step, all, *meetings.told_by(search.part));
    }
    __syncthreads();
    bool pulls = now == Next::pulls;
    if (now == Next::starts) begin(search, memory, barrier);
    if (now == Next::receives) receive(search, memory, meetings);
    if (now == Next::decides) {
        if (step.splits()) split_far(search, memory);
        if (step.relaxes) {
            relax_near(search, memory);
            barrier.wait();
            relax_pieces(search, memory);
        }
        if (step.next == Next::pulls) send_keys(search);
        pulls = step.work == Work::pulls_deferred && step.next != Next::pulls;
    }
    if (pulls) pull(search, memory);
}

// What this GPU tells another when it meets it now.
__device__ __forceinline__ Told tell(const Search& search, const Step& step, u32 other) {
    if (step.next == Next::decides) return tell_of_step(search, step);
    Told told{};
    if (step.next == Next::receives) {
        told.sent = load(search.control->sent + other);
        search.control->sent[other] = 0;
    }
    return told;
}

// What hosts are to bring now.
__device__ __forceinline__ Brought brought(const Step& step) {
    switch (step.next) {
        case Next::ends: return Brought::none;
        case Next::receives: return Brought::entries;
        case Next::pulls: return Brought::first_array;
        default: return Brought::told;
    }
}

extern "C" __global__ void __launch_bounds__(warps * 32, 2) ENTRY(stepping)(const __grid_constant__ Search search) {
    __shared__ BlockMemory memory;
    Control& control = *search.control;
    Step& step = memory.step;
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    Meetings<Told> meetings{search.rooms[search.part], search.rooms, search.host, search.part, search.n_parts};
    Told all{};
    if (threadIdx.x == 0) {
        step.next = Next::starts;
        if (search.is_apart) step = *search.step;
    }
    __syncthreads();
    if (step.next != Next::starts) all = meetings.take_brought(barrier);
    while (true) {
        go_on(search, memory, all, meetings, barrier);
        if (search.is_apart || step.next == Next::ends) break;
        all = meetings.meet(step.number, [&](u32 other) { return tell(search, step, other); });
    }
    if (grid_thread() == 0) {
        const u64 relaxations = load(&control.relaxations), improvements = load(&control.improvements);
        search.host[6] = static_cast<u32>(relaxations);
        search.host[7] = static_cast<u32>(relaxations >> 32);
        search.host[8] = static_cast<u32>(improvements);
        search.host[9] = static_cast<u32>(improvements >> 32);
        search.host[10] = step.number;
        search.host[11] = load(&control.trouble);
        if (!search.is_apart) meetings.end(search.number);
    }
    if (!search.is_apart) return;
    meetings.leave(search.number, step.number, 6, brought(step), &control.arrived, [&](u32 other) {
        if (lane() == 0) *search.step = step;
        return tell(search, step, other);
    });
}
