// Breadth-first search of a graph in parts, a level at a time; the host decides what comes next.
//
// Each GPU has bits of what was seen of all vertices, as far as it knows; for its own it knows all.
// A level is pushed: each GPU goes through the arcs of its part of the frontier, and lists the
// vertices of others that it sees for the first time (push). These read their lists (receive). Or it
// is pulled: each GPU looks for seen neighbours of its own unseen vertices (pull), and sends
// all others the bits of its own vertices, before the first of several pulls and after each.
//
// Long rows are cut to pieces, which all warps take in a second launch (push_pieces).
//
// Launch: any grid of blocks of 256 threads; `meet` of one block. Reads the graph; writes levels,
// bits, the list and `control`, and words of the host's memory.
//
// Races: one atomic sets the bit of a vertex, and its thread alone writes level and entry. Pulls read
// words that no thread writes, and write others, a warp each. Counts that another GPU reads are
// cleared a turn later, when the host has waited for all.
//
// Termination: each vertex is found once.

#include "part.cuh"

constexpr u32 unreached = 0xffffffffu;
constexpr u32 no_vertex = 0xffffffffu;
// Rows up to this length stay with their warp; the pieces of longer ones are this long. A piece is its
// first arc, shifted, and its length.
constexpr u32 piece_length = 256, length_bits = 9;
// Arcs that a lane reads by itself, before the whole warp reads its row.
constexpr u32 own_arcs = 16;

// Zero before a search.
struct Control {
    // arcs of the vertices found in a level, and arcs that were looked at
    u64 arcs;
    u64 looked;
    // vertices listed, and found; pieces of their rows
    u32 listed;
    u32 found;
    u32 pieces;
    // blocks of a launch that have ended
    u32 ended;
    // by the parity of the turn: how many vertices are listed for each part
    u32 sent[2][8];
    // the last meeting that it has come to
    u32 met;
    u32 unused;
};

// What a launch is given. The host has the same structure.
struct Search {
    const u64* offsets;
    const u32* ends;
    // of its own vertices
    u32* levels;
    // bits of all vertices
    u32* seen;
    u32* seen_next;
    // its own vertices, in the order in which they were found
    u32* list;
    u64* pieces;
    // vertices of each part that were seen, `stride` places for each
    u32* outbox;
    Control* control;
    volatile u32* host;
    // of each part
    const Control* controls[8];
    const u32* outboxes[8];
    // the frontier: its first entry in the list, and how many
    u32 begin;
    u32 count;
    u32 level;
    u32 part;
    u32 n_parts;
    u32 stride;
    // its own vertices
    u32 n_rows;
    u32 source;
    // a vertex of its own whose level the host wants to know
    u32 target;
    u32 turn;
    u32 meeting;
    // whether it is the last launch of a turn
    u32 tells;
};

__device__ __forceinline__ u32 first_of(const Search& search) { return search.part * search.stride; }

// Sets the bit of a vertex; whether it was not set.
__device__ __forceinline__ bool sees(const Search& search, bool has, u32 vertex) {
    u32* word = search.seen + vertex / 32;
    const u32 bit = 1u << vertex % 32;
    return has && (*word & bit) == 0 && (atomicOr(word, bit) & bit) == 0;
}

// What a warp keeps aside, so that it takes places in a list for many at once.
constexpr u32 staged = 128, warps = 8;

struct Stages {
    u32 own[warps][staged];
    u32 others[warps][staged];
};

// A warp of a search, what it keeps aside, and what it has counted.
struct Warp {
    const Search& search;
    u32 *own, *others;
    u32 n_own = 0, n_others = 0, found = 0;
    u64 arcs = 0, looked = 0;

    __device__ __forceinline__ Warp(const Search& search, Stages& stages)
        : search(search), own(stages.own[threadIdx.x / 32]), others(stages.others[threadIdx.x / 32]) {}

    __device__ __forceinline__ void flush_own() {
        if (n_own == 0) return;
        u32 first = 0;
        if (lane() == 0) first = atomicAdd(&search.control->listed, n_own);
        u32* to = search.list + search.begin + search.count + __shfl_sync(everyone, first, 0);
        __syncwarp();
        for (u32 k = lane(); k < n_own; k += 32) __stcg(to + k, own[k]);
        __syncwarp();
        n_own = 0;
    }

    __device__ __forceinline__ void flush_others() {
        __syncwarp();
        for (u32 k = 0; k < n_others; k += 32) {
            const bool has = k + lane() < n_others;
            const u32 vertex = has ? others[k + lane()] : 0;
            append_to(search.outbox, search.control->sent[search.turn & 1], search.stride, search.n_parts, has,
                      vertex / search.stride, vertex);
        }
        __syncwarp();
        n_others = 0;
    }

    // Lists vertices of its own.
    __device__ __forceinline__ void list(bool has, u32 place) {
        const u32 having = __ballot_sync(everyone, has);
        if (having == 0) return;
        if (n_own + __popc(having) > staged) flush_own();
        if (has) {
            own[n_own + __popc(having & lower_lanes())] = place;
            arcs += row_at(search.offsets, place).length;
        }
        n_own += __popc(having);
    }

    // Labels vertices of its own that were seen, and lists them.
    __device__ __forceinline__ void take(bool has, u32 vertex) {
        const u32 place = vertex - first_of(search);
        if (has) __stcg(search.levels + place, search.level);
        found += has;
        list(has, place);
    }

    // Goes through an arc in each lane that has one.
    __device__ __forceinline__ void look(bool has, u64 arc) {
        const u32 vertex = has ? __ldg(search.ends + arc) : 0;
        looked += has;
        const bool is_new = sees(search, has, vertex), is_own = vertex - first_of(search) < search.stride;
        take(is_new && is_own, vertex);
        send(is_new && !is_own, vertex);
    }

    // Keeps vertices of others for them.
    __device__ __forceinline__ void send(bool has, u32 vertex) {
        const u32 having = __ballot_sync(everyone, has);
        if (having == 0) return;
        if (n_others + __popc(having) > staged) flush_others();
        if (has) others[n_others + __popc(having & lower_lanes())] = vertex;
        n_others += __popc(having);
    }

    // Passes on what it has kept aside and counted.
    __device__ __forceinline__ void end() {
        flush_own();
        flush_others();
        arcs = warp_sum(arcs);
        looked = warp_sum(looked);
        const u32 n = static_cast<u32>(warp_sum(found));
        if (lane() != 0) return;
        if (n) atomicAdd(&search.control->found, n);
        if (arcs) atomicAdd(&search.control->arcs, arcs);
        if (looked) atomicAdd(&search.control->looked, looked);
    }
};

// Tells the host what was found, and clears the counts.
__device__ void tell(const Search& search) {
    Control& control = *search.control;
    const u64 arcs = load(&control.arcs), looked = load(&control.looked);
    search.host[2] = load(&control.listed);
    search.host[3] = load(&control.found);
    search.host[4] = static_cast<u32>(arcs);
    search.host[5] = static_cast<u32>(arcs >> 32);
    search.host[6] = static_cast<u32>(looked);
    search.host[7] = static_cast<u32>(looked >> 32);
    search.host[8] = search.target == no_vertex ? unreached : load(search.levels + search.target);
    control.listed = control.found = control.pieces = 0;
    control.arcs = 0;
    for (u32 part = 0; part < max_parts; ++part) control.sent[~search.turn & 1][part] = 0;
    __threadfence_system();
    search.host[0] = search.turn;
}

// The state before the first level. Bits beyond the last vertex of a part are set.
extern "C" __global__ void start(const Search search) {
    __shared__ Stages stages;
    for (u32 place = grid_thread(); place < search.stride; place += grid_threads()) {
        search.levels[place] = first_of(search) + place == search.source ? 0 : unreached;
    }
    for (u32 word = grid_thread(); word < search.n_parts * (search.stride / 32); word += grid_threads()) {
        u32 bits = word == search.source / 32 ? 1u << search.source % 32 : 0;
        const u32 first = word * 32, own = first - first_of(search);
        if (first >= first_of(search) && own < search.stride) {
            if (own >= search.n_rows) bits = everyone;
            else if (search.n_rows - own < 32) bits |= everyone << (search.n_rows - own);
        }
        search.seen[word] = bits;
    }
    const u32 own = search.source - first_of(search);
    if (grid_thread() < 32 && own < search.n_rows && search.source >= first_of(search)) {
        Warp warp(search, stages);
        warp.take(lane() == 0, search.source);
        warp.end();
    }
    end_launch(search);
}

extern "C" __global__ void __launch_bounds__(256) push(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    // few vertices are spread over all warps
    const u32 at_once = search.count == 0 ? 1 : min((search.count - 1) / grid_warps() + 1, 32u);
    for (u32 first = grid_warp() * at_once; first < search.count; first += grid_warps() * at_once) {
        const u32 at = first + lane();
        const bool has = lane() < at_once && at < search.count;
        Run row = has ? row_at(search.offsets, load(search.list + search.begin + at)) : Run{0, 0};
        const bool is_long = row.length > piece_length;
        cut_rows(search.pieces, &search.control->pieces, piece_length, is_long, row, 0,
                 [](int, u64 first, u32 length) { return first << length_bits | length; });
        if (is_long) row.length = 0;
        for_each_arc_of_runs(row, [&](bool has, u32, u64 arc) { warp.look(has, arc); });
    }
    warp.end();
}

extern "C" __global__ void __launch_bounds__(256) push_pieces(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    const u32 n = load(&search.control->pieces);
    for (u32 at = grid_warp(); at < n; at += grid_warps()) {
        const u64 piece = search.pieces[at];
        const u32 length = static_cast<u32>(piece) & (1u << length_bits) - 1;
        for (u32 k = 0; k < length; k += 32) warp.look(k + lane() < length, (piece >> length_bits) + k + lane());
    }
    warp.end();
    end_launch(search);
}

// Waits for all others to come here, having done what they were to do before.
extern "C" __global__ void meet(const Search search) {
    meet_others(search);
}

extern "C" __global__ void __launch_bounds__(256) receive(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    for (u32 other = 0; other < search.n_parts; ++other) {
        if (other == search.part) continue;
        const u32 n = load(&search.controls[other]->sent[search.turn & 1][search.part]);
        const u32* from = search.outboxes[other] + static_cast<u64>(search.part) * search.stride;
        for (u32 first = grid_warp() * 32; first < n; first += grid_warps() * 32) {
            const bool has = first + lane() < n;
            const u32 vertex = has ? load(from + first + lane()) : 0;
            warp.take(sees(search, has, vertex), vertex);
        }
    }
    warp.end();
    end_launch(search);
}

__device__ __forceinline__ bool is_seen(const u32* seen, u32 vertex) { return seen[vertex / 32] >> vertex % 32 & 1; }

// Which of the lanes' rows has the end of an arc seen.
__device__ __forceinline__ u32 rows_with_seen(const Search& search, Run row, u64& looked) {
    bool found = false;
    const u32* ends = search.ends + row.first;
    u32 arc = 0;
    const u32 own_end = min(row.length, own_arcs);
    while (!found && arc < own_end) {
        const u32 n = min(own_end - arc, 4u);
        u32 heads[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) heads[k] = __ldg(ends + (k < n ? arc + k : arc));
#pragma unroll
        for (u32 k = 0; k < 4; ++k) found |= is_seen(search.seen, heads[k]);
        arc += n;
        looked += n;
    }
    u32 rows = __ballot_sync(everyone, found);
    for (u32 rest = __ballot_sync(everyone, !found && arc < row.length); rest; rest &= rest - 1) {
        const u32 owner = __ffs(rest) - 1;
        const u32* others = search.ends + __shfl_sync(everyone, row.first, owner);
        const u32 end = __shfl_sync(everyone, row.length, owner);
        for (u32 at = __shfl_sync(everyone, arc, owner); at < end; at += 128) {
            bool one = false;
#pragma unroll
            for (u32 k = 0; k < 128; k += 32) {
                const u32 mine = at + k + lane();
                if (mine < end) {
                    one |= is_seen(search.seen, __ldg(others + mine));
                    ++looked;
                }
            }
            if (__any_sync(everyone, one)) {
                rows |= 1u << owner;
                break;
            }
        }
    }
    return rows;
}

// Words of its own that a warp takes at once: all at once where most are not looked into.
__device__ __forceinline__ u32 words_at_once(const Search& search) {
    return min(max(search.stride / 32 / (4 * grid_warps()), 1u), 32u);
}

extern "C" __global__ void __launch_bounds__(256) pull(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    const u32 first_word = first_of(search) / 32, n_words = search.stride / 32, at_once = words_at_once(search);
    for (u32 first = grid_warp() * at_once; first < n_words; first += grid_warps() * at_once) {
        const u32 at = first + lane();
        const bool has = lane() < at_once && at < n_words;
        u32 mine = has ? search.seen[first_word + at] : everyone;
        for (u32 rest = __ballot_sync(everyone, mine != everyone); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const u32 bits = __shfl_sync(everyone, mine, owner), place = (first + owner) * 32 + lane();
            const bool looks = (bits >> lane() & 1) == 0;
            const Run row = looks ? row_at(search.offsets, place) : Run{0, 0};
            const u32 found = rows_with_seen(search, row, warp.looked);
            if (found >> lane() & 1) __stcg(search.levels + place, search.level);
            warp.found += found >> lane() & 1;
            if (lane() == owner) mine |= found;
        }
        if (has) __stcg(search.seen_next + first_word + at, mine);
    }
    warp.end();
    end_launch(search);
}

// Lists what the last pull has found: of the bits of its own that are in `seen` alone, for
// the two were exchanged.
extern "C" __global__ void __launch_bounds__(256) list_pulled(const Search search) {
    __shared__ Stages stages;
    Warp warp(search, stages);
    const u32 first_word = first_of(search) / 32, n_words = search.stride / 32, at_once = words_at_once(search);
    for (u32 first = grid_warp() * at_once; first < n_words; first += grid_warps() * at_once) {
        const u32 at = first_word + first + lane();
        const bool has = lane() < at_once && first + lane() < n_words;
        const u32 mine = has ? search.seen[at] & ~search.seen_next[at] : 0;
        for (u32 rest = __ballot_sync(everyone, mine); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const bool is_new = __shfl_sync(everyone, mine, owner) >> lane() & 1;
            warp.list(is_new, (first + owner) * 32 + lane());
        }
    }
    warp.end();
    end_launch(search);
}
