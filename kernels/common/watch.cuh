// How a kernel that loops by itself reports progress to the host, and how the host ends it.
#pragma once

#include "grid.cuh"

// Steps from one call of the host to the next; a power of two. A call takes a microsecond or
// two, in which the grid waits.
constexpr u32 call_interval = 256;

// Two words of the host's memory: whether the search is to end, and how many steps it has done;
// null if progress is not reported. `stopped` is a word of the device, 0 before the launch.
struct Watch {
    volatile u32* host;
    u32* stopped;

    // Whether this is a step after which the host is called.
    __device__ __forceinline__ bool calls(u32 steps) const { return host != nullptr && steps % call_interval == 0; }

    // One thread of the grid calls, before the barrier that ends the step.
    __device__ __forceinline__ void call(u32 steps) const {
        host[1] = steps;
        if (host[0] != 0) *stopped = 1;
    }

    // Whether the search is to end: the same for all threads, after that barrier, and until
    // the next step that calls.
    __device__ __forceinline__ bool ends() const { return load(stopped) != 0; }
};
