// A warp of a search: it relaxes arcs, and keeps the vertices whose keys fell.
#pragma once

#include "../../common/arcs.cuh"
#include "search.cuh"

// Warps of a block, and the blocks of a multiprocessor: 16 measured best on an H200, above
// 8, 12, 24 and 32, where registers are spilt.
constexpr u32 warps_a_block = 16;
// Entries of a warp's own queue.
constexpr u32 queue_places = 64;
// A warp relaxes rows up to this length by itself; longer ones are cut to pieces of it for all.
constexpr u32 max_warp_row = 128;

struct WarpMemory {
    // circular
    Piece queue[queue_places];
    Entry far[32];
};

struct Warp {
    const Search& search;
    WarpMemory& memory;
    // the arcs that steps relax: the short ones, if it defers long arcs
    Rows rows;
    bool defers_long_arcs;
    u32 head, tail;  // of the queue
    u32 n_far;
    // keys below the threshold are near; none from the settled bound on is made, but by a push
    Key threshold, settled_bound;
    List<Entry> near_next, far;
    List<Piece> pieces_next;
    u32* visited_count;
    u64 visited_arcs;
    u64 relaxations, improvements, settled;
    u32 spent;  // arcs relaxed at this step

    // Writes the entries kept aside to the far list.
    __device__ __forceinline__ void flush_far() {
        __syncwarp();
        const bool has = lane() < n_far;
        append(far, search.capacity, has, has ? memory.far[lane()] : Entry{});
        __syncwarp();
        n_far = 0;
    }

    // Keeps the vertices whose keys fell: near ones in the warp's own queue while there is
    // room, if `row` is known, or for the next step; far ones aside.
    __device__ __forceinline__ void keep(bool fell, Key key, u32 vertex, bool queues, uint2 row) {
        const bool near = fell && key < threshold;
        const Entry entry = entry_of(key, vertex);
        bool mine = near && queues && row.y - row.x <= max_warp_row;
        const u32 wanting = __ballot_sync(everyone, mine);
        if (wanting) {
            const u32 room = queue_places - (tail - head);
            const u32 rank = __popc(wanting & lower_lanes());
            mine = mine && rank < room;
            if (mine) memory.queue[(tail + rank) % queue_places] = {key, vertex, row.x, row.y};
            tail += min(static_cast<u32>(__popc(wanting)), room);
        }
        append(near_next, search.capacity, near && !mine, entry);
        const u32 going_far = __ballot_sync(everyone, fell && !near);
        if (going_far) {
            if (n_far + __popc(going_far) > 32) flush_far();
            if (fell && !near) memory.far[n_far + __popc(going_far & lower_lanes())] = entry;
            n_far += __popc(going_far);
        }
    }

    // Relaxes an arc in each lane that has one; `from` is the key of its start. These are the arcs
    // that lead below the settled bound, or, if `late`, those that do not.
    //
    // If `queues`, latency counts more than traffic. The key at the end is lowered without being
    // read first. Meanwhile the row of the end is fetched, which is the next row if the key falls.
    template <bool late, bool queues>
    __device__ __forceinline__ void relax(const Rows& from_rows, bool has, Key from, u32 arc) {
        bool wanted = false, fell = false;
        u32 to = 0;
        Key key = 0;
        uint2 row = make_uint2(0, 0);
        if (has) {
            const Arc end = __ldg(from_rows.arcs + arc);
            to = end.x;
            key = after(from, end.y);
            if (key == unreached) search.control->trouble = overflowed;
            wanted = key <= static_cast<Key>(search.limit) && key != unreached &&
                     (late ? key >= settled_bound : key < settled_bound);
        }
        if (queues) {
            const bool soon = wanted && key < threshold;
            if (soon) row = __ldg(rows.bounds + to);
            if (wanted) fell = key < atomicMin(search.keys + to, key);
            if (soon) prefetch(rows.arcs + row.x);
        } else if (wanted && key < load(search.keys + to)) {
            fell = key < atomicMin(search.keys + to, key);
        }
        improvements += fell;
        if (__any_sync(everyone, fell)) keep(fell, key, to, queues, row);
    }

    // Remembers vertices whose long arcs are deferred.
    __device__ __forceinline__ void note_visited(bool has, Entry entry) {
        append(List<Entry>{search.visited, visited_count}, search.capacity, has, entry);
        if (has) {
            const uint2 row = __ldg(search.graph.bounds + vertex_of(entry));
            visited_arcs += row.y - row.x;
        }
    }

    // Cuts a long row to pieces for the next step. False if there was no room: then
    // pieces without arcs lie where some was.
    __device__ __forceinline__ bool cut(Key key, u32 vertex, uint2 row) {
        const u32 n_pieces = (row.y - row.x - 1) / max_warp_row + 1;
        const u32 first = atomicAdd(pieces_next.count, n_pieces);
        const bool fits = first < search.piece_capacity && n_pieces <= search.piece_capacity - first;
        for (u32 i = 0; i < n_pieces && first + i < search.piece_capacity; i++) {
            const u32 begin = row.x + i * max_warp_row;
            const u32 end = fits ? begin + min(row.y - begin, max_warp_row) : begin;
            store(pieces_next.entries + first + i, {key, vertex, begin, end});
        }
        return fits;
    }

    // Relaxes the arcs of up to 32 entries, one in each lane, shared evenly among lanes.
    template <bool late> __device__ __forceinline__ void relax_rows(const Rows& from_rows, bool has, Entry entry) {
        const Key key = key_of(entry);
        const u32 vertex = vertex_of(entry);
        uint2 row = make_uint2(0, 0);
        if (has) {
            row = __ldg(from_rows.bounds + vertex);
            has = load(search.keys + vertex) == key;
        }
        if (!late) {
            settled += has;
            if (defers_long_arcs) note_visited(has, entry);
        }
        if (!has || (row.y - row.x > max_warp_row && cut(key, vertex, row))) row.x = row.y;
        __syncwarp();
        relaxations += row.y - row.x;
        spent += for_each_arc_of_rows(row, [&](bool has_arc, u32 owner, u32 arc) {
            relax<late, false>(from_rows, has_arc, __shfl_sync(everyone, key, owner), arc);
        });
    }

    // Relaxes a piece of a long row.
    template <bool late> __device__ __forceinline__ void relax_piece(const Rows& from_rows, const Piece* at) {
        const Piece piece = load(at);
        bool live = false;
        if (lane() == 0) live = piece.first < piece.end && load(search.keys + piece.vertex) == piece.key;
        if (!__any_sync(everyone, live)) return;
        if (lane() == 0) relaxations += piece.end - piece.first;
        spent += piece.end - piece.first;
        for (u32 first = piece.first; first < piece.end; first += 32) {
            const u32 arc = first + lane();
            relax<late, false>(from_rows, arc < piece.end, piece.key, arc);
        }
    }

    // Puts the entries of the lanes into the warp's queue, which is empty; long rows are
    // seen to at once.
    __device__ __forceinline__ void enqueue(bool has, Entry entry) {
        uint2 row = make_uint2(0, 0);
        if (has) row = __ldg(rows.bounds + vertex_of(entry));
        const bool mine = has && row.y - row.x <= max_warp_row;
        const u32 queueing = __ballot_sync(everyone, mine);
        if (mine) {
            const u32 at = tail + __popc(queueing & lower_lanes());
            memory.queue[at % queue_places] = {key_of(entry), vertex_of(entry), row.x, row.y};
        }
        tail += __popc(queueing);
        __syncwarp();
        const bool is_long = has && !mine;
        if (__any_sync(everyone, is_long)) relax_rows<false>(rows, is_long, entry);
    }

    // Works off the warp's queue, four lanes an entry, and what falls into it meanwhile.
    // Past the budget the rest is left to the next step, in which all warps share it.
    __device__ __forceinline__ void drain() {
        const u32 place = lane() >> 2, corner = lane() & 3;
        while (tail != head) {
            const u32 n = min(8u, tail - head);
            bool has = place < n;
            const Piece next = has ? memory.queue[(head + place) % queue_places] : Piece{};
            __syncwarp();
            head += n;
            const Entry entry = entry_of(next.key, next.vertex);
            if (spent > search.budget) {
                append(near_next, search.capacity, has && corner == 0, entry);
                continue;
            }
            bool live = has && corner == 0 && load(search.keys + next.vertex) == next.key;
            settled += live;
            if (defers_long_arcs) note_visited(live, entry);
            live = __shfl_sync(everyone, live, lane() & ~3u);
            relaxations += live && corner == 0 ? next.end - next.first : 0;
            for (u32 arc = next.first + corner; __any_sync(everyone, live && arc < next.end); arc += 4) {
                spent += 32;
                relax<false, true>(rows, live && arc < next.end, next.key, arc);
                __syncwarp();
            }
        }
    }
};
