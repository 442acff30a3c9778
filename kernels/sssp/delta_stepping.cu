// A search by delta-stepping: one launch, in which all blocks are one team. The method
// stands in delta_stepping/team.cuh.
//
// Launch: cooperative, 512 threads a block, a block a multiprocessor.

#include "delta_stepping/team.cuh"

extern "C" __global__ void __launch_bounds__(warps_a_block * 32, 1) ENTRY(delta_stepping)(const Search search) {
    __shared__ BlockMemory memory;
    GridBarrier barrier{&search.control->arrived, gridDim.x, 0};
    search_in_team(search, blockIdx.x, barrier, memory);
}
