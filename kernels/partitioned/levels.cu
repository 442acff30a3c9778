// Breadth-first search of a graph in parts: one launch on each GPU.
//
// Each GPU has bits of what was seen of all vertices, as far as it knows; for its own it knows all.
// A level is pushed: each GPU goes through the arcs of its part of the frontier (push). It writes the
// vertices of others that it sees for the first time into the inboxes of these, which label them before the
// next level (receive). Or it is pulled: each GPU looks for seen neighbours of its own unseen vertices, and
// writes the bits of its own vertices to all while it does (pull). Before the first of several pulls it sends
// them what it knows (send_bits). After a pull, pushes set the bits of what they find for all at once, so that
// others do not send it.
//
// Arcs that do not fit the GPU lie in host memory: of all rows those beyond a number. A pull looks there
// last, in order of the rows (pull_in_host).
//
// Long rows are cut to pieces, which all warps take afterwards (push_pieces). All GPUs find the same sums at
// a meeting, and so decide the same. What comes between two meetings is one function (go_on). Where GPUs
// do not meet, it is a launch.
//
// Launch: cooperative, 512 threads a block, all resident. Reads the graph; writes levels, bits, the list,
// `control` and rooms, the inboxes and bits of other GPUs, and words of the host's memory.
//
// Races: one atomic sets the bit of a vertex, and its thread alone writes level and entry. Where other GPUs set
// bits too, atomics hold for all of them. Pulls read words that no thread writes, and write others, a warp each.
// Counts are cleared in meetings, when all blocks have come. A GPU sends a vertex once, so no place of an inbox
// is written twice; its owner reads it after the next meeting. All that write that the target was sent write 1.
//
// Termination: each vertex is found once, and a level that finds none is the last.
//
// After: Beamer, Asanović and Patterson 2012.

#include "meeting.cuh"

constexpr u32 unreached = 0xffffffffu;
constexpr u32 no_vertex = 0xffffffffu;
// Rows up to this length stay with their warp; the pieces of longer ones are this long. A piece is its
// first arc, shifted, its length, and in the highest bit whether it lies in host memory.
constexpr u32 piece_length = 256, length_bits = 9;
// Arcs of a row that a lane looks at by itself, some together, before the whole warp does; rows that it looks
// at together.
constexpr u32 own_arcs = 16, arcs_together = 3, rows_together = 4;

// A module is for searches of one GPU alone, or of several, or where arcs lie in host memory.
#if defined(ALONE)
constexpr bool is_alone = true, uses_host = false;
#elif defined(IN_HOST)
constexpr bool is_alone = false, uses_host = true;
#else
constexpr bool is_alone = false, uses_host = false;
#endif

// What a GPU tells another at a meeting.
struct Told {
    // arcs of the vertices of its own that it found in a level, and how many these are
    u64 arcs;
    u32 found;
    // where what it has put into the other's inbox in a level begins and ends
    u32 sent_from;
    u32 sent;
    // how many it has put into the inboxes of all
    u32 sent_in_all;
    // entries of its list so far
    u32 listed;
    // whether the search ends
    u32 ends;

    __device__ __forceinline__ void add(const Told& other) {
        arcs += other.arcs;
        found += other.found;
        sent_in_all += other.sent_in_all;
        ends |= other.ends;
    }
};

// Zero before a search.
struct Control {
    // arcs of the vertices listed in a level, and arcs that were looked at in all
    u64 arcs;
    u64 looked;
    // vertices listed in all, found in a level, sent in one; pieces of rows
    u32 listed;
    u32 found;
    u32 sent_in_all;
    u32 pieces;
    // blocks that have come to a barrier of this GPU
    u32 arrived;
    // pieces, and words of vertices to pull, that warps have taken
    u32 taken[2];
    // how many vertices were sent to each part, and how many of them were told
    u32 sent[32];
    u32 told[32];
    // whether the target was sent
    u32 sends_target;
};

struct Rows {
    const u64* offsets;
    const u32* ends;
};

// What comes after a meeting.
enum class Next : u32 {
    // pushes the sources
    starts,
    // decides how the next level is found, and finds it, as far as it can
    decides,
    // pulls, when all have the bits of all
    pulls,
    ends
};

// The frontier: its entries in the list, its level, and which of the bits are those of what was seen.
struct Frontier {
    u32 begin, end, level, which;
    // whether the last level was pulled, and whether one was
    u32 is_pulled;
    u32 has_pulled;
    Next next;
};

// What a launch is given. The host has the same structure.
struct Search {
    // the arcs of its vertices, or the first ones of each; the others, which lie in host memory
    Rows rows[2];
    // the first arc's end of each row, or no_vertex where it has none
    const u32* firsts;
    // of its own vertices
    u32* levels;
    // its own vertices, in the order in which they were found
    u32* list;
    u64* pieces;
    // vertices of its own that each part has sent, `stride` places for each
    u32* inbox;
    // where there are several sources
    const u32* sources;
    Control* control;
    // where the search stands, which is kept between launches
    Frontier* frontier;
    volatile u32* host;
    // of each part: its room, bits of all vertices, twice, and the inbox. Where hosts bring them, the bits
    // of others are its own, and their inboxes are places of its own that the host reads
    Room<Told>* rooms[32];
    u32* seen[2][32];
    u32* inboxes[32];
    // a level is pulled where the frontier has more arcs; it is pushed again where it has found fewer vertices
    u64 arcs_to_pull;
    u32 vertices_to_push;
    u32 part;
    u32 n_parts;
    u32 stride;
    // its own vertices
    u32 n_rows;
    // the only source
    u32 source;
    u32 n_sources;
    // the vertex whose level ends the search, or no_vertex
    u32 target;
    // the last level that is wanted
    u32 limit;
    // the number of the search, or of the launch
    u32 number;
    // whether hosts bring what is for others
    u32 is_apart;
    // arcs of a vertex that is sent, about
    u32 arcs_of_sent;
};

__device__ __forceinline__ u32 first_of(const Search& search) { return search.part * search.stride; }

// Sets the bit of a vertex; whether it was not set.
__device__ __forceinline__ bool sees(u32* seen, bool has, u32 vertex) {
    u32* word = seen + vertex / 32;
    const u32 bit = 1u << vertex % 32;
    return has && (*word & bit) == 0 && (atomicOr(word, bit) & bit) == 0;
}

// What a warp keeps aside, so that it takes places in a list for many at once.
constexpr u32 staged = 128, warps = 16;

struct Stages {
    u32 own[warps][staged];
    u32 others[warps][staged];
};

// A warp that finds the vertices of a level, what it keeps aside, and what it has counted.
struct Warp {
    const Search& search;
    const u32 level, which;
    // whether others learn at once what it finds, as they do after a pull, when little is left
    const bool tells_others;
    u32* const seen;
    u32 *own, *others;
    u32 n_own = 0, n_others = 0, found = 0, n_sent = 0;
    u64 arcs = 0, looked = 0;

    __device__ __forceinline__ Warp(const Search& search, const Frontier& frontier, Stages& stages)
        : search(search), level(frontier.level), which(frontier.which),
          tells_others(!is_alone && frontier.has_pulled && !search.is_apart),
          seen(search.seen[frontier.which][search.part]),
          own(stages.own[threadIdx.x / 32]), others(stages.others[threadIdx.x / 32]) {}

    __device__ __forceinline__ void flush_own() {
        if (n_own == 0) return;
        u32 first = 0;
        if (lane() == 0) first = atomicAdd(&search.control->listed, n_own);
        u32* to = search.list + __shfl_sync(everyone, first, 0);
        __syncwarp();
        for (u32 k = lane(); k < n_own; k += 32) {
            __stcg(to + k, own[k]);
            arcs += row_at(search.rows[0].offsets, own[k]).length;
            if (uses_host) arcs += row_at(search.rows[1].offsets, own[k]).length;
        }
        __syncwarp();
        n_own = 0;
    }

    __device__ __forceinline__ void flush_others() {
        __syncwarp();
        for (u32 k = 0; k < n_others; k += 32) {
            bool has = k + lane() < n_others;
            const u32 vertex = has ? others[k + lane()] : 0;
            for (u32 part = 0; __any_sync(everyone, has); ++part) {
                const bool here = has && vertex / search.stride == part;
                u32* inbox = search.inboxes[part] + static_cast<u64>(search.part) * search.stride;
                append(List<u32>{inbox, search.control->sent + part}, search.stride, here, vertex);
                has = has && !here;
            }
        }
        __syncwarp();
        n_sent += n_others;
        n_others = 0;
    }

    // Lists vertices of its own.
    __device__ __forceinline__ void list(bool has, u32 place) {
        const u32 having = __ballot_sync(everyone, has);
        if (having == 0) return;
        if (n_own + __popc(having) > staged) flush_own();
        if (has) own[n_own + __popc(having & lower_lanes())] = place;
        n_own += __popc(having);
    }

    // Sets a bit, which another GPU may set too. Returns the word before.
    __device__ __forceinline__ u32 set(u32* word, u32 bit) const {
        return tells_others ? atomicOr_system(word, bit) : atomicOr(word, bit);
    }

    // Sets the bit of a vertex of its own for all others.
    __device__ __forceinline__ void tell_others(u32 vertex) const {
        for (u32 other = 0; other < search.n_parts; ++other) {
            if (other != search.part) set(search.seen[which][other] + vertex / 32, 1u << vertex % 32);
        }
    }

    // Labels vertices of its own that were seen, and lists them.
    __device__ __forceinline__ void take(bool has, u32 vertex) {
        const u32 place = vertex - first_of(search);
        if (has) __stcg(search.levels + place, level);
        if (has && tells_others) tell_others(vertex);
        found += has;
        list(has, place);
    }

    template <u32 n> __device__ __forceinline__ void look(const u32* ends, const Arcs<n>& arcs) {
        u32 vertices[n], words[n];
#pragma unroll
        for (u32 k = 0; k < n; ++k) vertices[k] = arcs.has[k] ? __ldg(ends + arcs.at[k]) : no_vertex;
#pragma unroll
        for (u32 k = 0; k < n; ++k) words[k] = arcs.has[k] ? seen[vertices[k] / 32] : everyone;
#pragma unroll
        for (u32 k = 0; k < n; ++k) {
            const u32 bit = 1u << vertices[k] % 32;
            words[k] |= (words[k] & bit) == 0 ? set(seen + vertices[k] / 32, bit) : bit;
        }
#pragma unroll
        for (u32 k = 0; k < n; ++k) {
            const u32 vertex = vertices[k];
            const bool is_new = (words[k] >> vertex % 32 & 1) == 0;
            const bool is_own = is_alone || vertex - first_of(search) < search.stride;
            looked += arcs.has[k];
            take(is_new && is_own, vertex);
            if (!is_alone) send(is_new && !is_own, vertex);
        }
    }

    // Keeps vertices of others for them.
    __device__ __forceinline__ void send(bool has, u32 vertex) {
        const u32 having = __ballot_sync(everyone, has);
        if (having == 0) return;
        if (has && vertex == search.target) search.control->sends_target = 1;
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
        if (n_sent) atomicAdd(&search.control->sent_in_all, n_sent);
        if (arcs) atomicAdd(&search.control->arcs, arcs);
        if (looked) atomicAdd(&search.control->looked, looked);
    }
};

// The state before the first level, and its frontier. Bits beyond the last vertex of a part are set. Levels are
// as they were.
__device__ __forceinline__ void start(const Search& search, Frontier& frontier, Stages& stages,
                                      GridBarrier& barrier) {
    Warp warp(search, frontier, stages);
    for (u32 word = grid_thread(); word < search.n_parts * (search.stride / 32); word += grid_threads()) {
        u32 bits = 0;
        const u32 first = word * 32, own = first - first_of(search);
        if (first >= first_of(search) && own < search.stride) {
            if (own >= search.n_rows) bits = everyone;
            else if (search.n_rows - own < 32) bits = everyone << (search.n_rows - own);
        }
        warp.seen[word] = bits;
    }
    barrier.wait();
    for (u32 first = grid_warp() * 32; first < search.n_sources; first += grid_warps() * 32) {
        const bool has = first + lane() < search.n_sources;
        u32 vertex = search.source;
        if (has && search.n_sources > 1) vertex = search.sources[first + lane()];
        const bool is_new = sees(warp.seen, has, vertex);
        warp.take(is_new && vertex - first_of(search) < search.stride, vertex);
    }
    warp.flush_own();
    barrier.wait();
    frontier.end = load(&search.control->listed);
    barrier.wait();
}

// Labels the vertices that were not seen.
__device__ __forceinline__ void label_unreached(const Search& search, const Frontier& frontier) {
    const u32* own = search.seen[frontier.which][search.part] + first_of(search) / 32;
    const u32 n_words = search.stride / 32;
    for (u32 first = grid_warp() * 32; first < n_words; first += grid_warps() * 32) {
        const u32 bits = first + lane() < n_words ? load(own + first + lane()) : everyone;
        for (u32 rest = __ballot_sync(everyone, bits != everyone); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const bool is_seen = __shfl_sync(everyone, bits, owner) >> lane() & 1;
            if (!is_seen) search.levels[(first + owner) * 32 + lane()] = unreached;
        }
    }
}

// Pushes vertices of the frontier, which are numbered from `first_vertex` on; a place may be empty.
__device__ __forceinline__ void push_vertices(Warp& warp, const u32* vertices, u32 count, u32 first_vertex) {
    const Search& search = warp.search;
    // few vertices are spread over all warps
    const u32 at_once = count == 0 ? 1 : min((count - 1) / grid_warps() + 1, 32u);
    for (u32 first = grid_warp() * at_once; first < count; first += grid_warps() * at_once) {
        const u32 at = first + lane();
        const u32 vertex = lane() < at_once && at < count ? load(vertices + at) : no_vertex;
        const bool has = vertex != no_vertex;
        const u32 place = has ? vertex - first_vertex : 0;
        for (u32 where = 0; where < (uses_host ? 2 : 1); ++where) {
            const Rows& rows = search.rows[where];
            Run row = has ? row_at(rows.offsets, place) : Run{0, 0};
            const bool is_long = row.length > piece_length;
            cut_rows(search.pieces, &search.control->pieces, piece_length, is_long, row, where,
                     [](u64 its, u64 first, u32 length) { return its << 63 | first << length_bits | length; });
            if (is_long) row.length = 0;
            for_each_arc_of_runs<2>(row, [&](const Arcs<2>& arcs, const u32(&)[2]) { warp.look(rows.ends, arcs); });
        }
    }
}

__device__ __forceinline__ void push(const Search& search, const Frontier& frontier, bool has_received,
                                     const Meetings<Told>& meetings, Stages& stages) {
    Warp warp(search, frontier, stages);
    push_vertices(warp, search.list + frontier.begin, frontier.end - frontier.begin, 0);
    for (u32 other = 0; !is_alone && has_received && other < search.n_parts; ++other) {
        if (other == search.part) continue;
        const Told* told = meetings.told_by(other);
        const u32 from = load(&told->sent_from);
        push_vertices(warp, search.inbox + static_cast<u64>(other) * search.stride + from, load(&told->sent) - from,
                      first_of(search));
    }
    warp.end();
}

__device__ __forceinline__ void push_pieces(const Search& search, const Frontier& frontier, Stages& stages) {
    Warp warp(search, frontier, stages);
    const u32 n = load(&search.control->pieces);
    share(&search.control->taken[0], n, 1, [&](u32 at) {
        const u64 piece = load(search.pieces + at);
        const u32 length = static_cast<u32>(piece) & (1u << length_bits) - 1;
        const u64 first = piece << 1 >> (length_bits + 1);
        const u32* ends = search.rows[uses_host ? piece >> 63 : 0].ends;
        for (u32 k = 0; k < length; k += 128) warp.look(ends, Arcs<4>::of(first, length, k));
    });
    warp.end();
}

// Labels what others have sent. Where a vertex was seen before, its place in the inbox is emptied.
__device__ __forceinline__ void receive(const Search& search, const Frontier& frontier,
                                        const Meetings<Told>& meetings) {
    u32* seen = search.seen[frontier.which][search.part];
    for (u32 other = 0; other < search.n_parts; ++other) {
        if (other == search.part) continue;
        const u32 n = load(&meetings.told_by(other)->sent);
        u32* from = search.inbox + static_cast<u64>(other) * search.stride;
        for (u32 at = load(&meetings.told_by(other)->sent_from) + grid_thread(); at < n; at += grid_threads()) {
            const u32 vertex = load(from + at);
            if (sees(seen, true, vertex)) __stcg(search.levels + (vertex - first_of(search)), frontier.level);
            else __stcg(from + at, no_vertex);
        }
    }
}

// Sends all others the bits of its own vertices.
__device__ __forceinline__ void send_bits(const Search& search, const Frontier& frontier) {
    const u32 first_word = first_of(search) / 32, n_words = search.stride / 32;
    for (u32 at = grid_thread(); at < n_words; at += grid_threads()) {
        const u32 bits = load(search.seen[frontier.which][search.part] + first_word + at);
        for (u32 other = 0; other < search.n_parts; ++other) {
            if (other != search.part && bits != 0) search.seen[frontier.which][other][first_word + at] = bits;
        }
    }
}

__device__ __forceinline__ bool is_seen(const u32* seen, u32 vertex) { return seen[vertex / 32] >> vertex % 32 & 1; }

// Looks at n arcs, from one on, of each row of the lane that has not been found.
template <u32 n>
__device__ __forceinline__ void look_at(const Search& search, const u32* seen, const Run (&rows)[rows_together],
                                        bool (&found)[rows_together], u32 first, u64& looked) {
    u32 heads[rows_together][n];
#pragma unroll
    for (u32 k = 0; k < rows_together; ++k) {
        const bool looks = !found[k] && first < rows[k].length;
#pragma unroll
        for (u32 j = 0; j < n; ++j) {
            const bool has = looks && first + j < rows[k].length;
            heads[k][j] = has ? __ldg(search.rows[0].ends + rows[k].first + first + j) : no_vertex;
            looked += has;
        }
    }
#pragma unroll
    for (u32 k = 0; k < rows_together; ++k) {
#pragma unroll
        for (u32 j = 0; j < n; ++j) found[k] |= heads[k][j] != no_vertex && is_seen(seen, heads[k][j]);
    }
}

// Whether the end of an arc is seen, from one on, of the row of a lane: the whole warp looks.
__device__ __forceinline__ bool look_together(const u32* ends, const u32* seen, Run row, u32 owner, u32 first,
                                              u64& looked) {
    ends += __shfl_sync(everyone, row.first, owner);
    const u32 end = __shfl_sync(everyone, row.length, owner);
    bool one = false;
    for (u32 at = first + lane(); !__any_sync(everyone, one) && at - lane() < end; at += 128) {
#pragma unroll
        for (u32 j = 0; j < 128; j += 32) {
            const bool has = at + j < end;
            one |= has && is_seen(seen, __ldg(ends + at + j));
            looked += has;
        }
    }
    return __any_sync(everyone, one);
}

// Which of the lane's rows has the end of an arc seen, the first one aside: some by itself, the others by the
// whole warp.
__device__ __forceinline__ void look_through(const Search& search, const u32* seen, const Run (&rows)[rows_together],
                                             bool (&found)[rows_together], u64& looked) {
    for (u32 first = 1; first < own_arcs; first += arcs_together) {
        bool goes_on = false;
#pragma unroll
        for (u32 k = 0; k < rows_together; ++k) goes_on |= !found[k] && first < rows[k].length;
        if (!goes_on) break;
        look_at<arcs_together>(search, seen, rows, found, first, looked);
    }
    __syncwarp();
#pragma unroll
    for (u32 k = 0; k < rows_together; ++k) {
        for (u32 rest = __ballot_sync(everyone, !found[k] && own_arcs < rows[k].length); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const bool any = look_together(search.rows[0].ends, seen, rows[k], owner, own_arcs, looked);
            if (lane() == owner) found[k] = any;
        }
    }
}

// Words of its own that a warp takes at once: all at once where most are not looked into.
__device__ __forceinline__ u32 words_at_once(const Search& search) {
    return min(max(search.stride / 32 / (4 * grid_warps()), 1u), 32u);
}

__device__ __forceinline__ void pull(const Search& search, const Frontier& frontier, Stages& stages) {
    Warp warp(search, frontier, stages);
    u32* const* next = search.seen[frontier.which ^ 1];
    const u32 first_word = first_of(search) / 32, n_words = search.stride / 32, at_once = words_at_once(search);
    share(&search.control->taken[1], n_words, at_once, [&](u32 first) {
        const u32 at = first + lane();
        const bool has = lane() < at_once && at < n_words;
        u32 mine = has ? warp.seen[first_word + at] : everyone;
        for (u32 rest = __ballot_sync(everyone, mine != everyone); rest;) {
            // a row of each of some words; most have a hub first, and no more of them is read
            u32 places[rows_together], heads[rows_together];
            Run rows[rows_together];
            bool found[rows_together];
#pragma unroll
            for (u32 k = 0; k < rows_together; ++k) {
                const u32 owner = rest != 0 ? __ffs(rest) - 1 : 0, bits = __shfl_sync(everyone, mine, owner);
                const bool looks = rest != 0 && (bits >> lane() & 1) == 0;
                places[k] = (first + owner) * 32 + lane();
                heads[k] = looks ? __ldg(search.firsts + places[k]) : no_vertex;
                rest &= rest - 1;
            }
#pragma unroll
            for (u32 k = 0; k < rows_together; ++k) {
                found[k] = heads[k] != no_vertex && is_seen(warp.seen, heads[k]);
                warp.looked += heads[k] != no_vertex;
            }
#pragma unroll
            for (u32 k = 0; k < rows_together; ++k) {
                rows[k] = heads[k] != no_vertex && !found[k] ? row_at(search.rows[0].offsets, places[k]) : Run{0, 0};
            }
            look_through(search, warp.seen, rows, found, warp.looked);
#pragma unroll
            for (u32 k = 0; k < rows_together; ++k) {
                if (found[k]) __stcg(search.levels + places[k], warp.level);
                warp.found += found[k];
                const u32 bits = __ballot_sync(everyone, found[k]);
                if (first + lane() == places[k] / 32) mine |= bits;
            }
        }
        if (has) {
            for (u32 part = 0; part < search.n_parts; ++part) next[part][first_word + at] = mine;
        }
    });
    warp.end();
}

// Goes on where a pull has found nothing, along the arcs in host memory.
__device__ __forceinline__ void pull_in_host(const Search& search, const Frontier& frontier, Stages& stages) {
    Warp warp(search, frontier, stages);
    u32* const* next = search.seen[frontier.which ^ 1];
    const u32 first_word = first_of(search) / 32;
    share(&search.control->taken[0], search.stride / 32, 1, [&](u32 at) {
        const u32 before = load(next[search.part] + first_word + at), place = at * 32 + lane();
        const bool looks = (before >> lane() & 1) == 0;
        const Run row = looks ? row_at(search.rows[1].offsets, place) : Run{0, 0};
        u32 bits = before;
        for (u32 rest = __ballot_sync(everyone, row.length != 0); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const bool found = look_together(search.rows[1].ends, warp.seen, row, owner, 0, warp.looked);
            bits |= static_cast<u32>(found) << owner;
        }
        if (bits == before) return;
        if ((bits ^ before) >> lane() & 1) {
            __stcg(search.levels + place, warp.level);
            ++warp.found;
        }
        if (lane() < search.n_parts) next[lane()][first_word + at] = bits;
    });
    warp.end();
}

// Lists what the last pull has found: of the bits of its own those that were not seen before.
__device__ __forceinline__ void list_pulled(const Search& search, const Frontier& frontier, Stages& stages) {
    Warp warp(search, frontier, stages);
    const u32* before = search.seen[frontier.which ^ 1][search.part];
    const u32 first_word = first_of(search) / 32, n_words = search.stride / 32, at_once = words_at_once(search);
    for (u32 first = grid_warp() * at_once; first < n_words; first += grid_warps() * at_once) {
        const u32 at = first_word + first + lane();
        const bool has = lane() < at_once && first + lane() < n_words;
        const u32 mine = has ? warp.seen[at] & ~before[at] : 0;
        for (u32 rest = __ballot_sync(everyone, mine); rest; rest &= rest - 1) {
            const u32 owner = __ffs(rest) - 1;
            const bool is_new = __shfl_sync(everyone, mine, owner) >> lane() & 1;
            warp.list(is_new, (first + owner) * 32 + lane());
        }
    }
    warp.flush_own();
}

// What this GPU tells another after a level. Counts of the level are cleared.
__device__ __forceinline__ Told tell_of_level(const Search& search, const Frontier& frontier, u32 other) {
    Control& control = *search.control;
    const u32* seen = search.seen[frontier.which ^ frontier.is_pulled][search.part];
    const u32 target = search.target;
    const bool has_target =
        target - first_of(search) < search.n_rows && (load(seen + target / 32) >> target % 32 & 1) != 0;
    const bool ends = frontier.level >= search.limit || has_target || load(&control.sends_target) != 0;
    Told told{};
    told.arcs = load(&control.arcs);
    told.found = load(&control.found);
    told.sent_in_all = load(&control.sent_in_all);
    told.sent_from = load(control.told + other);
    told.sent = load(control.sent + other);
    told.listed = load(&control.listed);
    told.ends = ends;
    __syncwarp(__activemask());
    control.told[other] = told.sent;
    // hosts empty the places of what is for others
    if (search.is_apart) control.told[other] = control.sent[other] = 0;
    control.arcs = 0;
    control.found = control.sent_in_all = control.pieces = control.taken[0] = control.taken[1] = 0;
    return told;
}

__device__ __forceinline__ void pull_level(const Search& search, Frontier& frontier, Stages& stages,
                                           GridBarrier& barrier) {
    if (grid_thread() == 0) search.control->listed = 0;
    ++frontier.level;
    frontier.is_pulled = frontier.has_pulled = true;
    pull(search, frontier, stages);
    if (uses_host) {
        barrier.wait();
        pull_in_host(search, frontier, stages);
    }
}

__device__ __forceinline__ void push_level(const Search& search, Frontier& frontier, Stages& stages,
                                           bool has_received, const Meetings<Told>& meetings,
                                           GridBarrier& barrier) {
    // that of the sources is known
    if (frontier.level != 0) {
        const Told* own = meetings.told_by(search.part);
        frontier.begin = frontier.is_pulled ? 0 : frontier.end;
        frontier.end = load(frontier.is_pulled ? &own->found : &own->listed);
    }
    if (frontier.is_pulled) {
        list_pulled(search, frontier, stages);
        barrier.wait();
    }
    ++frontier.level;
    frontier.is_pulled = false;
    push(search, frontier, has_received, meetings, stages);
    barrier.wait();
    push_pieces(search, frontier, stages);
}

// What this GPU does from one meeting to the next; `all` is what was told at the first.
__device__ __forceinline__ void go_on(const Search& search, Frontier& frontier, const Told& all, Stages& stages,
                                      const Meetings<Told>& meetings, GridBarrier& barrier) {
    const Next now = frontier.next;
    frontier.next = Next::decides;
    bool pulls = now == Next::pulls, ends = false;
    if (now == Next::starts) {
        start(search, frontier, stages, barrier);
        ends = search.limit == 0;
    }
    if (now == Next::decides) {
        if (frontier.is_pulled) frontier.which ^= 1;
        if (!is_alone && all.sent_in_all != 0) {
            receive(search, frontier, meetings);
            barrier.wait();
        }
        ends = (all.found == 0 && all.sent_in_all == 0) || all.ends;
        // owners may have seen some of what is sent
        const u64 arcs = all.arcs + static_cast<u64>(all.sent_in_all) * search.arcs_of_sent;
        pulls = frontier.is_pulled ? all.found >= search.vertices_to_push : arcs > search.arcs_to_pull;
    }
    if (ends) {
        label_unreached(search, frontier);
        frontier.next = Next::ends;
    } else if (!pulls) {
        push_level(search, frontier, stages, all.sent_in_all != 0, meetings, barrier);
    } else if (now == Next::decides && !frontier.is_pulled && search.n_parts > 1) {
        send_bits(search, frontier);
        frontier.next = Next::pulls;
    } else {
        pull_level(search, frontier, stages, barrier);
    }
}

// What this GPU tells another when it meets it now.
__device__ __forceinline__ Told tell(const Search& search, const Frontier& frontier, u32 other) {
    return frontier.next == Next::decides ? tell_of_level(search, frontier, other) : Told{};
}

// What hosts are to bring now.
__device__ __forceinline__ Brought brought(const Frontier& frontier) {
    const auto bits = [](u32 which) { return which == 0 ? Brought::first_array : Brought::second_array; };
    if (frontier.next == Next::ends) return Brought::none;
    if (frontier.next == Next::pulls) return bits(frontier.which);
    return frontier.is_pulled ? bits(frontier.which ^ 1) : Brought::entries;
}

extern "C" __global__ void __launch_bounds__(512, 2) levels(const __grid_constant__ Search search) {
    __shared__ Stages stages;
    Control& control = *search.control;
    const bool is_first = grid_thread() == 0;
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    Meetings<Told> meetings{search.rooms[search.part], search.rooms, search.host, search.part, search.n_parts};
    Frontier frontier{};
    Told all{};
    if (search.is_apart) {
        frontier = *search.frontier;
        if (frontier.next != Next::starts) all = meetings.take_brought(barrier);
    }
    while (true) {
        go_on(search, frontier, all, stages, meetings, barrier);
        if (search.is_apart || frontier.next == Next::ends) break;
        all = meetings.meet(frontier.level, [&](u32 other) { return tell(search, frontier, other); });
    }
    if (is_first) {
        const u64 looked = load(&control.looked);
        search.host[6] = static_cast<u32>(looked);
        search.host[7] = static_cast<u32>(looked >> 32);
        search.host[8] = frontier.level;
        if (!search.is_apart) meetings.end(search.number);
    }
    if (!search.is_apart) return;
    meetings.leave(search.number, frontier.level, 3, brought(frontier), &control.arrived, [&](u32 other) {
        if (lane() == 0) *search.frontier = frontier;
        return tell(search, frontier, other);
    });
}
