// Recorded programs of the STAR-machine: one launch interprets a whole program, whose
// vectors, tables and integers stay where they are from its first step to its last.
//
// The method stands in interpreter/:
// - code.cuh has how a program is encoded;
// - teams.cuh has which threads go through it, and when they wait for one another;
// - vectors.cuh, tables.cuh and passes.cuh have what steps do, interpret.cuh which one is next.
//
// All three kernels take the same. They read the code, which is constant during the launch;
// they read and write vectors, tables (whose addresses are in the code), integers and control.
// control is zero before.
//
// Races: none. A word is written by its thread alone; where others read it, or whole rows are
// written, there is a barrier between. Integers are each warp's own.

#include "interpreter/interpret.cuh"

// Vectors, then the integers of each warp.
extern __shared__ Word shared[];

// The same place in shared memory, kept in a register: a compiler would work it out at each use.
template <typename T> __device__ __forceinline__ T* held(T* place) {
    return static_cast<T*>(__cvta_shared_to_generic(__shfl_sync(everyone, __cvta_generic_to_shared(place), 0)));
}

// This warp's integers after `n_words` words, as they were in the device's memory.
__device__ __forceinline__ int* take_ints(const Run& run, u32 n_words) {
    int* ints = held(reinterpret_cast<int*>(shared + n_words) + (threadIdx.x >> 5) * run.n_ints);
    for (u32 i = lane(); i < run.n_ints; i += 32) ints[i] = run.ints[i];
    __syncwarp();
    return ints;
}

__device__ __forceinline__ void give_ints(const Run& run, const int* ints) {
    __syncwarp();
    for (u32 i = lane(); i < run.n_ints; i += 32) run.ints[i] = ints[i];
}

// Launch: one block of one warp; shared memory for all vectors, and the integers.
extern "C" __global__ void __launch_bounds__(32, 1) star_interpret_warp(const Run run) {
    for (u32 w = threadIdx.x; w < run.n_words; w += 32) shared[w] = run.vectors[w];
    int* ints = take_ints(run, run.n_words);
    Warp team{held(shared), threadIdx.x};
    interpret(run, team, ints);
    __syncwarp();
    for (u32 w = threadIdx.x; w < run.n_words; w += 32) run.vectors[w] = shared[w];
    give_ints(run, ints);
}

// Launch: one block of whole warps; shared memory for all vectors, and the integers of each
// warp.
extern "C" __global__ void __launch_bounds__(256, 1) star_interpret_block(const Run run) {
    __shared__ Partials partials;
    for (u32 w = threadIdx.x; w < run.n_words; w += blockDim.x) shared[w] = run.vectors[w];
    int* ints = take_ints(run, run.n_words);
    __syncthreads();
    Block team{held(shared), *held(&partials), threadIdx.x, blockDim.x};
    interpret(run, team, ints);
    __syncthreads();
    for (u32 w = threadIdx.x; w < run.n_words; w += blockDim.x) run.vectors[w] = shared[w];
    if (threadIdx.x < 32) give_ints(run, ints);
}

// Launch: cooperative, blocks of whole warps; shared memory for the integers of each warp.
extern "C" __global__ void __launch_bounds__(256, 1) star_interpret_grid(const Run run) {
    __shared__ Partials partials;
    int* ints = take_ints(run, 0);
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    Grid team{run.vectors,
              run.control->cells,
              partials,
              {&run.control->arrived, gridDim.x, 0},
              thread,
              gridDim.x * blockDim.x};
    interpret(run, team, ints);
    // all have taken their integers
    team.sync();
    if (thread < 32) give_ints(run, ints);
}
