// The matrix that all forms start from: arcs, and nothing else.
#include "element.cuh"

// Sets all words to "no path".
//
// Threads in a line go through the words in steps of their number. Each word is written by
// one thread.
extern "C" __global__ void __launch_bounds__(256) ENTRY(clear_matrix)(Word* matrix, u64 n_words) {
    const u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n_words; i += step) matrix[i] = infinite_word;
}

// Writes the rows of arcs into rows of a matrix that was cleared: the lightest of parallel
// ones, and 0 from a vertex to itself. Row `first_row` of the graph is the matrix's first.
//
// A block of 128 threads for each row. Only it writes there. Of parallel arcs,
// an atomic keeps the lightest, whichever comes first.
extern "C" __global__ void __launch_bounds__(128)
    ENTRY(place_arcs)(Element* matrix, u64 side, u32 first_row, const u32* offsets,
                      const u32* ends, const Word* weights) {
    const u32 u = first_row + blockIdx.x;
    Element* row = matrix + (u64)blockIdx.x * side;
    for (u32 arc = offsets[u] + threadIdx.x; arc < offsets[u + 1]; arc += 128) {
        if (ends[arc] != u) lower(row + ends[arc], weights[arc]);
    }
    if (threadIdx.x == 0) row[u] = 0;
}
