// New and deleted arcs in a closure, and how two closures differ.
//
// New ones come up to 64 at a time.
// Which arcs lead on to which is closed first. Then what an arc adds to a line is known, its gain:
// the heads of the arcs that it leads on to, and what these reach. A line gets the gains of the arcs
// whose tails it reaches and whose heads it does not. It needs no others: where it reaches a head, it
// reaches the tails that this head leads on to. So few gains are united, and lines without one are only
// looked at.
//
// Where arcs are gone, the lines that may change are cleared in the words that may, and swept: a line
// takes what the heads of its arcs are and reach, until no sweep changes anything. Lines are written by
// one thread a word. What others read of it is part of the closure whenever they do.
//
// Reference: italiano-1986
#include "layout.cuh"

constexpr u32 most_arcs = 64;

struct Arcs {
    u32* lines;
    u64 stride;
    const u32* tails;
    const u32* heads;
    // For each arc those that it leads on to, itself too, a bit each.
    u64* next;
    // A line for each arc.
    u32* gains;
    u32 n;
    u32 padding;

    __device__ __forceinline__ u32* line(u32 vertex) const { return lines + vertex * stride; }
};

__device__ __forceinline__ bool has(const u32* line, u32 vertex) { return line[vertex / 32] >> vertex % 32 & 1; }

// Closes what arcs lead on to. One block of 64 threads.
extern "C" __global__ void __launch_bounds__(64) closure_next(const Arcs arcs) {
    __shared__ u64 next[most_arcs];
    const u32 own = threadIdx.x;
    u64 leads = u64(1) << own;
    for (u32 other = 0; own < arcs.n && other < arcs.n; ++other) {
        const u32 head = arcs.heads[own], tail = arcs.tails[other];
        if (head == tail || has(arcs.line(head), tail)) leads |= u64(1) << other;
    }
    next[own] = leads;
    for (u32 pivot = 0; pivot < arcs.n; ++pivot) {
        __syncthreads();
        // the pivot's own does not change
        if (own != pivot && (leads >> pivot & 1)) next[own] = leads |= next[pivot];
    }
    if (own < arcs.n) arcs.next[own] = leads;
}

// Writes the gains. A block of 256 threads for each 256 words (x) of each arc's (y).
extern "C" __global__ void __launch_bounds__(256) closure_gains(const Arcs arcs) {
    const u32 word = blockIdx.x * 256 + threadIdx.x;
    if (word >= arcs.stride) return;
    u32 gain = 0;
    for (u64 next = arcs.next[blockIdx.y]; next; next &= next - 1) {
        const u32 head = arcs.heads[__ffsll(next) - 1];
        gain |= arcs.line(head)[word] | (head / 32 == word ? 1u << head % 32 : 0);
    }
    arcs.gains[blockIdx.y * arcs.stride + word] = gain;
}

// Unites lines with the gains that they need, and counts the bits that are new. A block of 256
// threads for each line, which no other reads or writes.
extern "C" __global__ void __launch_bounds__(256) closure_insert(const Arcs arcs, u64* n_new) {
    __shared__ u32 needed[most_arcs / 32];
    u32* line = arcs.line(blockIdx.x);
    if (threadIdx.x < most_arcs) {
        bool is_needed = false;
        if (threadIdx.x < arcs.n) {
            const u32 tail = arcs.tails[threadIdx.x], head = arcs.heads[threadIdx.x];
            is_needed = (blockIdx.x == tail || has(line, tail)) && !has(line, head);
        }
        const u32 all = __ballot_sync(0xffffffff, is_needed);
        if (lane() == 0) needed[threadIdx.x / 32] = all;
    }
    __syncthreads();
    const u64 gains = u64(needed[1]) << 32 | needed[0];
    if (!gains) return;
    u32 count = 0;
    for (u32 word = threadIdx.x; word < arcs.stride; word += 256) {
        u32 more = 0;
        for (u64 left = gains; left; left &= left - 1) {
            more |= arcs.gains[(__ffsll(left) - 1) * arcs.stride + word];
        }
        const u32 before = line[word];
        if (more & ~before) line[word] = before | more;
        count += __popc(more & ~before);
    }
    for (u32 step = 16; step; step /= 2) count += __shfl_xor_sync(0xffffffff, count, step);
    if (lane() == 0 && count) atomicAdd(n_new, u64(count));
}

// Counts the bits that only `now` has, and those that only `before` has. Threads in a line go through
// the words in steps of their number.
extern "C" __global__ void __launch_bounds__(256) closure_compare(const u32* before, const u32* now, u64 n_words, u64* counts) {
    u64 n_new = 0, n_gone = 0;
    const u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < n_words; at += step) {
        n_new += __popc(now[at] & ~before[at]);
        n_gone += __popc(before[at] & ~now[at]);
    }
    atomicAdd(counts, n_new);
    atomicAdd(counts + 1, n_gone);
}

// Copies the lines of some vertices, one after another. A block of 256 threads for each 256 words (x)
// of each vertex's (y).
extern "C" __global__ void __launch_bounds__(256) closure_copy(const u32* lines, u64 stride, const u32* vertices, u32* copies) {
    const u32 word = blockIdx.x * 256 + threadIdx.x;
    if (word < stride) copies[blockIdx.y * stride + word] = lines[vertices[blockIdx.y] * stride + word];
}

// Some words of some lines, with the arcs from these lines.
struct Part {
    u32* lines;
    u64 stride;
    const u32* rows;
    // Of each row the first of its arcs, and where the last row's end.
    const u32* offsets;
    const u32* heads;
    const u32* words;
    // What they were, row by row.
    u32* before;
    u32 n_rows;
    u32 n_words;

    __device__ __forceinline__ u64 size() const { return u64(n_rows) * n_words; }
    __device__ __forceinline__ u32* at(u64 place) const {
        return lines + rows[place / n_words] * stride + words[place % n_words];
    }
};

__device__ __forceinline__ u64 first_place() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 n_threads() { return u64(gridDim.x) * blockDim.x; }

// Clears the part, and keeps what it was.
extern "C" __global__ void closure_clear(const Part part) {
    for (u64 place = first_place(); place < part.size(); place += n_threads()) {
        u32* word = part.at(place);
        part.before[place] = *word;
        *word = 0;
    }
}

// Takes from the arcs, and tells whether that changes anything.
extern "C" __global__ void closure_sweep(const Part part, u32* is_changed) {
    for (u64 place = first_place(); place < part.size(); place += n_threads()) {
        const u32 row = place / part.n_words, word = part.words[place % part.n_words];
        u32* own = part.lines + part.rows[row] * part.stride + word;
        const u32 old = *own;
        u32 all = old;
        for (u32 arc = part.offsets[row]; arc < part.offsets[row + 1]; ++arc) {
            const u32 head = part.heads[arc];
            all |= __ldcg(part.lines + head * part.stride + word) | (head / 32 == word ? 1u << head % 32 : 0);
        }
        if (all == old) continue;
        *own = all;
        *is_changed = 1;
    }
}

// Puts back what the part was.
extern "C" __global__ void closure_restore(const Part part) {
    for (u64 place = first_place(); place < part.size(); place += n_threads()) *part.at(place) = part.before[place];
}

// Counts the bits of the part that are new, and those that are gone.
extern "C" __global__ void closure_difference(const Part part, u64* counts) {
    u64 n_new = 0, n_gone = 0;
    for (u64 place = first_place(); place < part.size(); place += n_threads()) {
        const u32 before = part.before[place], now = *part.at(place);
        n_new += __popc(now & ~before);
        n_gone += __popc(before & ~now);
    }
    if (n_new) atomicAdd(counts, n_new);
    if (n_gone) atomicAdd(counts + 1, n_gone);
}
