// A warp of a search by buckets: it finds the vertices of a bucket, relaxes arcs, and lists
// the vertices that are to be taken next.
#pragma once

#include "rows.cuh"

struct Worker {
    const BucketSearch& search;
    u32 this_warp, n_warps;
    // the current bucket, and the number of the stage
    u32 bucket, stage;
    // the stage since which what is listed is also kept
    u32 kept_since;
    // whether heavy arcs are relaxed, or light ones
    bool heavy;
    // whether a lane has one arc at most, so that time counts more than traffic
    bool hurried;
    List<uint4> next, kept;
    // the least bucket beyond the current one that a vertex was seen in
    u32 later;
    u64 relaxations, improvements, taken, taken_again, taken_arcs;

    // Lists the vertices of those lanes that have one of the current bucket for the next
    // stage, once a stage, and keeps those that were not kept yet.
    __device__ __forceinline__ void list(bool has, u32 vertex) {
        u32 before = stage;
        uint2 row = make_uint2(0, 0);
        if (has) {
            row = __ldg(search.graph.bounds + vertex);
            before = atomicExch(search.stamps + vertex, stage);
        }
        const bool is_new = before != stage;
        const u32 length = row.y - row.x;
        taken += is_new;
        taken_again += is_new && before != 0;
        taken_arcs += is_new && before == 0 ? length : 0;
        // a row without arcs would have no place
        const bool goes = is_new && length != 0;
        if (goes) prefetch(search.graph.arcs + row.x);
        const uint4 entry = make_uint4(vertex, row.x, length, 0);
        append(next, search.n_vertices, goes, entry);
        if (search.has_heavy) append(kept, search.n_vertices, goes && before < kept_since, entry);
    }

    // Lists the vertices that wait in the current bucket, below which none waits. Groups of
    // 32 vertices whose lowest bucket is beyond it are not looked at; in the others the
    // lowest beyond it is found anew. A warp takes four times eight groups, eight of them
    // neighbours, whose words lie in one sector.
    //
    // Races: buckets are not written meanwhile, and the word of a group by its warp alone.
    __device__ __forceinline__ void find() {
        const u32 n_groups = (search.n_vertices - 1) / 32 + 1;
        for (u32 first = this_warp; first * 8 < n_groups; first += 4 * n_warps) {
            const u32 group = (first + (lane() >> 3) * n_warps) * 8 + (lane() & 7);
            const u32 lowest = group < n_groups ? load(search.lowest + group) : none;
            if (lowest > bucket) later = min(later, lowest);
            for (u32 hits = __ballot_sync(everyone, lowest <= bucket); hits != 0; hits &= hits - 1) {
                const u32 hit = __shfl_sync(everyone, group, __ffs(hits) - 1);
                const u32 vertex = hit * 32 + lane();
                const u32 at = vertex < search.n_vertices ? load(search.buckets + vertex) : none;
                list(at == bucket, vertex);
                const u32 beyond = warp_min(at > bucket ? at : none);
                if (lane() == 0) __stcg(search.lowest + hit, beyond);
                later = min(later, beyond);
            }
        }
    }

    // Makes the request of an arc in each lane that has one of the kind that is relaxed,
    // `from` being the key of its start, and relaxes it at once.
    __device__ __forceinline__ void relax(bool has, Key from, u32 arc) {
        u32 to = 0;
        bool stays = false;
        const uint2 end = has ? __ldg(search.graph.arcs + arc) : make_uint2(0, 0);
        if (has && (end.y > search.delta) == heavy) {
            to = end.x;
            relaxations++;
            // it is wanted if the vertex is listed
            if (hurried) prefetch(search.graph.bounds + to);
            const Key key = after(from, end.y);
            if (key == unreached) search.control->trouble = overflowed;
            const bool wanted = key != unreached && key <= search.limit;
            if (wanted && (hurried || key < load(search.keys + to)) && key < atomicMin(search.keys + to, key)) {
                improvements++;
                const u32 at = bucket_of(key, search.delta);
                atomicMin(search.buckets + to, at);
                stays = at == bucket;
                if (!stays) {
                    later = min(later, at);
                    u32* lowest = search.lowest + to / 32;
                    if (at < load(lowest)) atomicMin(lowest, at);
                }
            }
        }
        if (__any_sync(everyone, stays)) list(stays, to);
    }

    // Relaxes the arcs of n > 0 listed rows that are of the kind. Two barriers at most: one
    // inside where the list is long, and the one that has to follow.
    __device__ __forceinline__ void relax_rows(uint4* rows, u32 n, GridBarrier& barrier, BlockMemory& memory) {
        const auto visit = [&](bool has, Key key, u32 arc) { relax(has, key, arc); };
        if (n <= block_threads) {
            const u32 total = place_in_block(rows, n, search.keys, memory);
            hurried = total <= n_warps * 32;
            const auto end_of = [&](u32 k) { return memory.rows[k].end; };
            const auto row_at = [&](u32 k) { return memory.rows[k]; };
            visit_share(this_warp, n_warps, n, total, end_of, row_at, visit);
        } else {
            place_in_grid(rows, n, stage, search.sums, &search.control->total, memory);
            barrier.wait();
            const u32 total = load(&search.control->total);
            hurried = total <= n_warps * 32;
            const auto end_of = [&](u32 k) { return load(&rows[k].w); };
            const auto row_at = [&](u32 k) {
                const uint4 row = load(rows + k);
                return PlacedRow{load(search.keys + row.x), row.y - (row.w - row.z), row.w};
            };
            visit_share(this_warp, n_warps, n, total, end_of, row_at, visit);
        }
    }

    // Adds its counts to the report.
    __device__ __forceinline__ void report() {
        const u64 counts[] = {relaxations, improvements, taken, taken_again, taken_arcs};
        BucketControl& control = *search.control;
        u64* const sums[] = {&control.relaxations, &control.improvements, &control.taken, &control.taken_again,
                             &control.taken_arcs};
#pragma unroll
        for (u32 i = 0; i < 5; i++) {
            const u64 sum = warp_sum(counts[i]);
            if (lane() == 0 && sum != 0) atomicAdd(sums[i], sum);
        }
    }
};
