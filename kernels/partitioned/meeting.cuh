// Where all blocks of all GPUs of a search wait for one another, and learn what each GPU has found.
//
// Each GPU has a `Room` in its memory. The blocks of a GPU come to its first block. When all are there, its
// first warp writes what this GPU has found into the rooms of all, and waits until the others have
// written theirs here. So no GPU reads the memory of another while it waits. Then the sum goes to the blocks.
//
// All blocks of all GPUs must be resident at once. So a process makes one search of this kind at a time.
//
// GPUs that cannot write into each other's memory do not meet. A launch ends where they would, and the
// hosts bring what each has for the others. The next launch goes on from there.
#pragma once

#include "part.cuh"

// Zero before a search.
template <typename Told> struct Room {
    // by the parity of the meeting: what each GPU has told this one
    Told told[2][max_parts];
    // all of it together
    Told all;
    // the last meeting to which each GPU has come
    u32 met[max_parts];
    // blocks that have come, without the first; how often the first has let them go
    u32 arrived;
    u32 opened;
};

// The host takes memory for it.
template <typename Told> constexpr bool room_is_known = sizeof(Room<Told>) == 65 * sizeof(Told) + 136;

// What hosts bring to other GPUs when a launch has ended.
enum class Brought : u32 {
    // the end of the search: nothing more
    none,
    // what each has told
    told,
    // the entries that each has put into the inboxes of others too
    entries,
    // what each has of its own vertices too, in the first array or in the second
    first_array,
    second_array
};

// What a kernel needs to meet. The host's first words: the number of the search that has ended, or of the
// launch; whether it is to end; how far it is; whether a GPU has failed, so that none waits. Then in two how
// long this one has waited. The second and the third are those of the first GPU alone.
template <typename Told> struct Meetings {
    Room<Told>* room;
    Room<Told>* const* rooms;
    volatile u32* host;
    u32 part, n_parts;
    u32 n_meetings = 0, expected = 0;
    // nanoseconds for which the first thread has waited for other GPUs
    u64 waited = 0;

    // What any thread of any GPU wrote before is seen by all threads after. `own(other)` is what this GPU
    // tells another; the first warp calls it, a lane for each GPU, when all blocks have come and
    // none has left. `steps` is told the host. Returns the sum.
    template <typename Own> __device__ __forceinline__ Told meet(u32 steps, Own&& own) {
        __syncthreads();
        ++n_meetings;
        expected += gridDim.x - 1;
        if (blockIdx.x == 0) {
            if (threadIdx.x < 32) lead(steps, own);
        } else if (threadIdx.x == 0) {
            come();
            while (static_cast<int>(acquire(&room->opened) - n_meetings) < 0) {
            }
            __threadfence();
        }
        __syncthreads();
        return load_told(&room->all);
    }

    // What a GPU has told this one at the last meeting.
    __device__ __forceinline__ const Told* told_by(u32 other) const { return &room->told[n_meetings & 1][other]; }

    // Where hosts have brought what all GPUs have told: the sum. `barrier` is one of all blocks.
    __device__ __forceinline__ Told take_brought(GridBarrier& barrier) {
        if (blockIdx.x == 0 && threadIdx.x == 0) sum(0);
        barrier.wait();
        return load_told(&room->all);
    }

    // Ends a launch: tells the host what this GPU has for each part, behind `words` words of the search, as
    // `meet` would tell them. All blocks call it, and use no barrier after.
    template <typename Own>
    __device__ __forceinline__ void leave(u32 number, u32 steps, u32 words, Brought what, u32* arrived, Own&& own) {
        __syncthreads();
        if (blockIdx.x != 0) {
            if (threadIdx.x == 0) come();
            return;
        }
        if (threadIdx.x >= 32) return;
        if (lane() == 0) wait_for_blocks(gridDim.x - 1);
        __syncwarp();
        volatile u32* to = host + own_words + words;
        if (lane() < n_parts) {
            Told mine = own(lane());
            mine.ends |= host[1];
            for (u32 word = 0; word < told_words; ++word) {
                to[1 + lane() * told_words + word] = reinterpret_cast<const u32*>(&mine)[word];
            }
            __threadfence_system();
        }
        __syncwarp();
        if (lane() != 0) return;
        to[0] = static_cast<u32>(what);
        host[2] = steps;
        room->arrived = *arrived = 0;
        end(number);
    }

    // Tells the host that the search has ended, and how long this GPU has waited.
    __device__ __forceinline__ void end(u32 number) const {
        host[4] = static_cast<u32>(waited);
        host[5] = static_cast<u32>(waited >> 32);
        __threadfence_system();
        host[0] = number;
    }

    // The host's words before those of a search, and words of what is told.
    static constexpr u32 own_words = 6, told_words = sizeof(Told) / sizeof(u32);

  private:
    // Says that this block has come.
    __device__ __forceinline__ void come() const {
        __threadfence();
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&room->arrived) : "memory");
    }

    // Waits until so many have come in all.
    __device__ __forceinline__ void wait_for_blocks(u32 n) const {
        while (static_cast<int>(acquire(&room->arrived) - n) < 0) {
        }
        __threadfence();
    }

    // Adds what all have told, for all blocks.
    __device__ __forceinline__ void sum(u32 parity) const {
        Told all = load_told(&room->told[parity][0]);
        for (u32 other = 1; other < n_parts; ++other) all.add(load_told(&room->told[parity][other]));
        room->all = all;
    }

    static __device__ __forceinline__ u32 acquire(const u32* from) {
        u32 value;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
        return value;
    }

    static __device__ __forceinline__ u64 nanoseconds() {
        u64 now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        return now;
    }

    static __device__ __forceinline__ Told load_told(const Told* from) {
        static_assert(sizeof(Told) % sizeof(u64) == 0 && room_is_known<Told>, "words of 64 bits");
        Told told;
        for (u32 word = 0; word < sizeof(Told) / sizeof(u64); ++word) {
            reinterpret_cast<u64*>(&told)[word] = load(reinterpret_cast<const u64*>(from) + word);
        }
        return told;
    }

    template <typename Own> __device__ __forceinline__ void lead(u32 steps, Own&& own) {
        // the answer takes a microsecond, in which the other blocks come
        const u32 ends = part == 0 && lane() == 0 ? host[1] : 0;
        if (lane() == 0) {
            if (part == 0) host[2] = steps;
            wait_for_blocks(expected);
        }
        __syncwarp();
        const u32 parity = n_meetings & 1;
        const u64 since = nanoseconds();
        bool fails = false;
        if (lane() < n_parts) {
            Told mine = own(lane());
            mine.ends |= __shfl_sync(everyone >> (32 - n_parts), ends, 0);
            Room<Told>& theirs = *rooms[lane()];
            theirs.told[parity][part] = mine;
            __threadfence_system();
            asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(theirs.met + part), "r"(n_meetings) : "memory");
            u32 met, looks = 0;
            do {
                asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(met) : "l"(room->met + lane()) : "memory");
                if (++looks % 1024 == 0) fails = host[3] != 0;
            } while (static_cast<int>(met - n_meetings) < 0 && !fails);
        }
        fails = __any_sync(everyone, fails);
        waited += nanoseconds() - since;
        if (lane() == 0) {
            __threadfence_system();
            sum(parity);
            if (fails) room->all.ends = 1;
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&room->opened), "r"(n_meetings) : "memory");
        }
        __syncwarp();
    }
};
