// Loads and stores of words of tables, done or left out without a branch. A compiler puts what is
// computed from a word into the branch that loads it, and then each load waits for the one before.
#pragma once

#include "code.cuh"

// The word there if a < b.
__device__ __forceinline__ Word load_if_less(u32 a, u32 b, const Word* from, Word otherwise = 0) {
    Word word = otherwise;
    asm volatile(
        "{\n\t"
        ".reg .pred is_less;\n\t"
        "setp.lt.u32 is_less, %2, %3;\n\t"
        "@is_less ld.global.u32 %0, [%1];\n\t"
        "}"
        : "+r"(word)
        : "l"(from), "r"(a), "r"(b));
    return word;
}

__device__ __forceinline__ void store_if_less(u32 a, u32 b, Word* to, Word word) {
    asm volatile(
        "{\n\t"
        ".reg .pred is_less;\n\t"
        "setp.lt.u32 is_less, %2, %3;\n\t"
        "@is_less st.global.u32 [%0], %1;\n\t"
        "}" ::"l"(to),
        "r"(word), "r"(a), "r"(b)
        : "memory");
}

__device__ __forceinline__ Word load_word(const Word* from) {
    Word word;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(from));
    return word;
}

__device__ __forceinline__ void store_word(Word* to, Word word) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
