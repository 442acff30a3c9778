// Loads and stores of words of tables, done or left out without a branch: a compiler puts what is
// computed from a word into the branch that loads it, and then each load waits for the one before.
#pragma once

#include "code.cuh"

// The word there if a < b.
__device__ __forceinline__ u64 load_if_less(u32 a, u32 b, const u64* from, u64 otherwise = 0) {
    u64 word = otherwise;
    asm volatile(
        "{\n\t"
        ".reg .pred is_less;\n\t"
        "setp.lt.u32 is_less, %2, %3;\n\t"
        "@is_less ld.global.u64 %0, [%1];\n\t"
        "}"
        : "+l"(word)
        : "l"(from), "r"(a), "r"(b));
    return word;
}

__device__ __forceinline__ void store_if_less(u32 a, u32 b, u64* to, u64 word) {
    asm volatile(
        "{\n\t"
        ".reg .pred is_less;\n\t"
        "setp.lt.u32 is_less, %2, %3;\n\t"
        "@is_less st.global.u64 [%0], %1;\n\t"
        "}" ::"l"(to),
        "l"(word), "r"(a), "r"(b)
        : "memory");
}

__device__ __forceinline__ u64 load_word(const u64* from) {
    u64 word;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(word) : "l"(from));
    return word;
}

__device__ __forceinline__ void store_word(u64* to, u64 word) {
    asm volatile("st.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
