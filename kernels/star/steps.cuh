// What the basic procedures do in one column, for as many rows as a word has bits; what is
// given by reference changes. From crates/star-machine/src/procedures/steps.rs, where it is
// explained: written by `cargo xtask ptx`.
#pragma once

namespace step {

template <typename Word> __device__ __forceinline__ void equal(Word& e, Word a, Word b) {
    const Word t0 = a ^ b;
    const Word t1 = e & ~t0;
    e = t1;
}

template <typename Word> __device__ __forceinline__ void less(Word& e, Word& l, Word a, Word b) {
    const Word t0 = b & ~a;
    const Word t1 = e & t0;
    const Word t2 = l | t1;
    const Word t3 = a ^ b;
    const Word t4 = e & ~t3;
    e = t4;
    l = t2;
}

template <typename Word> __device__ __forceinline__ void merge(Word x, Word& a, Word b) {
    const Word t0 = b & x;
    const Word t1 = a & ~x;
    const Word t2 = t0 | t1;
    a = t2;
}

template <typename Word> __device__ __forceinline__ void add(Word x, Word& c, Word& a, Word b, Word flip) {
    const Word t0 = a ^ flip;
    const Word t1 = t0 & x;
    const Word t2 = t1 ^ c;
    const Word t3 = t1 & c;
    const Word t4 = b & t2;
    const Word t5 = t3 | t4;
    const Word t6 = b ^ flip;
    const Word t7 = x & t6;
    const Word t8 = t2 ^ t7;
    c = t5;
    a = t8;
}

} // namespace step
