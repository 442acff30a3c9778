// Delta-stepping with buckets, by requests and prefix sums: single-source shortest paths,
// weights of at least zero, the whole search in one launch.
//
// The index array `buckets` has for each vertex the bucket that it waits in; bucket i holds the
// keys k with k / delta = i, rounded down. The buckets that are not empty are emptied from first to
// last, in stages that all blocks do together, each ended by a barrier:
//
// 1. find: the vertices of the bucket are listed, and the next bucket that may hold any is found.
// 2. light: the rows of the list are placed one after the other by a prefix sum over their lengths.
//    Each thread takes arcs by their place. If an arc is light, no longer than delta, the thread
//    makes its request and relaxes it. A vertex that falls within the bucket is listed for the next
//    light stage. Light stages repeat until the list is empty.
// 3. heavy: the rows of all vertices that were taken from the bucket, once each, are placed
//    likewise, and their heavy arcs are relaxed.
//
// What differs from the paper:
// - A request is relaxed by the thread that makes it, and never stored. The prefix sum assigns arcs
//   to threads, not memory to requests, which would cost 8 bytes an arc, a write, a read and a
//   barrier.
// - Whole rows are placed, because the light arcs of a row are not known before it is read: an arc
//   is read twice, and relaxed once.
// - The index array is not scanned to find a bucket's vertices. For each group of 32 vertices a
//   lower bound of the buckets of its waiting vertices is kept. Only groups whose bound is the
//   current bucket are read. Vertices that fall within the bucket are listed as they fall. Nor are
//   vertices taken out of the array: an index that is not beyond the current one means that the
//   vertex does not wait.
// - Empty buckets are skipped at once, so there is no need to use buckets cyclically.
//
// Launch: cooperative, 1024 threads a block, a block a multiprocessor, all resident. Reads
// the graph (constant during the launch); writes keys, buckets, lowest, stamps, lists, sums
// and control, all of which but control it sets itself.
//
// A stage costs one barrier, and two if its list is longer than a block.
//
// Races: keys, buckets and lowest fall by atomicMin alone (but see find), so a thread reads values
// that are at worst too high. It then relaxes in vain, or does a needless atomic. The key of a row
// is read while other threads lower it. A thread that lowers it after that lists the vertex for the
// next stage; the stamp ensures that it is listed once. A fall beyond the current bucket lowers
// buckets and lowest before the barrier, and find reads them after it. A vertex that is taken and
// then falls stays in its bucket, for three reasons. Keys of starts are in the current bucket,
// bucket_of does not fall where keys rise, and no sum is less than its terms, in floats too. Where
// rounding puts the end of a heavy arc in the bucket of its start, or in the last bucket, which has
// no end, light stages follow the heavy one again.
//
// Termination: a stage lists vertices whose keys fell, and keys are finitely many; `find` goes to a
// bucket beyond the last one searched for. A search of 2^32 stages is given up.
//
// After: Meyer and Sanders 2003; the form of origin-four-families.

#include "../common/watch.cuh"
#include "buckets/worker.cuh"

template <typename T> __device__ __forceinline__ void exchange(T& a, T& b) {
    const T c = a;
    a = b;
    b = c;
}

extern "C" __global__ void __launch_bounds__(block_threads, 1) ENTRY(buckets)(const BucketSearch search) {
    __shared__ BlockMemory memory;
    BucketControl& control = *search.control;
    GridBarrier barrier{&control.arrived, gridDim.x, 0};
    const Watch watch{search.host, &control.stopped};
    const u32 this_thread = blockIdx.x * block_threads + threadIdx.x;
    const bool first_thread = this_thread == 0;
    // neighbours in a list go to different multiprocessors
    const u32 this_warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x;
    Worker worker{search, this_warp, gridDim.x * warps_in_block};

    for (u32 v = this_thread; v < search.n_vertices; v += gridDim.x * block_threads) {
        const bool is_source = v == search.source;
        __stcg(search.keys + v, is_source ? 0 : unreached);
        __stcg(search.buckets + v, is_source ? 0 : none);
        __stcg(search.stamps + v, 0u);
        if (v % 32 == 0) __stcg(search.lowest + v / 32, v / 32 == search.source / 32 ? 0 : none);
    }
    if (threadIdx.x == 0) __stcg(search.sums + blockIdx.x, 0ull);
    if (first_thread) control.least[0] = none;
    barrier.wait();

    uint4 *now = search.lists[0], *next = search.lists[1], *kept = search.lists[2];
    // lists so far, kept ones, and buckets looked for
    u32 turn = 0, era = 0, look = 0;
    u64 phases = 0;
    bool ended = false;
    const auto begin_stage = [&](bool heavy) {
        worker.stage++;
        worker.heavy = heavy;
        worker.later = none;
        worker.next = {next, &control.listed[(turn + 1) % 3]};
        worker.kept = {kept, &control.kept[era % 3]};
    };
    // what was listed becomes the list
    const auto end_stage = [&] {
        const u32 later = warp_min(worker.later);
        u32* least = &control.least[look % 3];
        if (lane() == 0 && later < load(least)) atomicMin(least, later);
        const bool calls = watch.calls(worker.stage);
        if (first_thread) {
            control.listed[(turn + 2) % 3] = 0;
            control.kept[(era + 1) % 3] = 0;
            if (calls) watch.call(worker.stage);
        }
        turn++;
        exchange(now, next);
        barrier.wait();
        // what is read here is not written again before `call_interval` more barriers, so
        // all blocks see the same
        ended = (calls && watch.ends()) || worker.stage == none;
    };

    u32 bucket = 0;
    worker.kept_since = 1;
    while (true) {
        worker.bucket = bucket;
        if (first_thread) control.least[(look + 1) % 3] = none;
        begin_stage(false);
        worker.find();
        end_stage();
        while (!ended) {
            const u32 n_listed = load(&control.listed[turn % 3]);
            if (n_listed != 0) {
                begin_stage(false);
                worker.relax_rows(now, n_listed, barrier, memory);
            } else {
                const u32 n_kept = search.has_heavy ? load(&control.kept[era % 3]) : 0;
                if (n_kept == 0) break;
                era++;
                // what was the list takes the rows that are kept from here on
                exchange(now, kept);
                begin_stage(true);
                worker.kept_since = worker.stage;
                worker.relax_rows(now, n_kept, barrier, memory);
            }
            phases++;
            end_stage();
        }
        bucket = load(&control.least[look % 3]);
        look++;
        // slower threads may still be looking at the count of what was kept: none of it
        era++;
        if (ended || bucket == none) break;
        // all buckets before are done with
        if (search.target != none && load(search.buckets + search.target) < bucket) break;
    }

    worker.report();
    if (first_thread) {
        control.phases = phases;
        if (worker.stage == none) control.trouble = overflowed;
    }
}
