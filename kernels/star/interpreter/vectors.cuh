// What steps do to vectors.
#pragma once

#include "teams.cuh"

// store(w, load(w)) for the words of a thread; as many loads at once as the team says. Beyond the
// last one the first is loaded again, so that there is no branch: see memory.cuh.
template <typename Team, typename Load, typename Store>
__device__ __forceinline__ void each_word(const Team& team, u32 n, Load load, Store store) {
#pragma unroll 1
    for (u32 start = team.thread; start < n; start += Team::at_once * team.size) {
        decltype(load(0u)) words[Team::at_once];
#pragma unroll
        for (u32 k = 0; k < Team::at_once; k++) {
            const u32 w = start + k * team.size;
            words[k] = load(w < n ? w : start);
        }
#pragma unroll
        for (u32 k = 0; k < Team::at_once; k++) {
            const u32 w = start + k * team.size;
            if (w < n) store(w, words[k]);
        }
    }
}

// z := function(x, y), word by word.
template <typename Team, typename Function>
__device__ __forceinline__ void combine(Team& team, const Code& code, Function function) {
    team.will_write(vector_bit(code.z));
    each_word(
        team, words_of(code.len), [&](u32 w) { return function(team.own(code.x + w), team.own(code.y + w)); },
        [&](u32 w, Word word) { team.put(code.z + w, word); });
}

// A word of the bits of x, a row of n words, that start at bit `from`; beyond its end are zeros.
template <typename Team> __device__ __forceinline__ Word bits_from(const Team& team, u32 x, u32 n, u32 from) {
    const u32 w = from / word_bits, shift = from % word_bits;
    Word word = w < n ? team.other(x + w) >> shift : 0;
    if (shift != 0 && w + 1 < n) word |= team.other(x + w + 1) << (word_bits - shift);
    return word;
}

// TRIM
template <typename Team> __device__ __forceinline__ void trim(Team& team, const Code& code, u32 from) {
    team.will_read(vector_bit(code.x));
    team.will_write(vector_bit(code.z));
    const u32 n = words_of(code.len), x_words = words_of(code.y);
    for (u32 w = team.thread; w < n; w += team.size) {
        const Word word = bits_from(team, code.x, x_words, from + word_bits * w);
        team.put(code.z + w, word & bits_of(w, code.len));
    }
    team.did_read(vector_bit(code.x));
}

// REP
template <typename Team> __device__ __forceinline__ void replace(Team& team, const Code& code, u32 from) {
    const u32 end = from + code.y;
    if (code.y == 0) return;
    team.will_read(vector_bit(code.x));
    team.will_write(vector_bit(code.z));
    const u32 first = from / word_bits, last = (end - 1) / word_bits, x_words = words_of(code.y);
    for (u32 w = team.thread; w <= last; w += team.size) {
        if (w < first) continue;
        const u32 start = word_bits * w;
        const Word word = start >= from ? bits_from(team, code.x, x_words, start - from)
                                       : team.other(code.x) << (from - start);
        const Word kept = start >= from ? 0 : low_bits(from - start);
        const Word mask = low_bits(min(end - start, word_bits)) & ~kept;
        team.put(code.z + w, (team.own(code.z + w) & ~mask) | (word & mask));
    }
    team.did_read(vector_bit(code.x));
}

// Words as numbers: the first bit of the first word is the most significant.
template <bool subtracts> __device__ __forceinline__ Word result_of(Word v, Word w, bool carry) {
    return subtracts ? v - w - carry : v + w + carry;
}

// Whether there is a carry, or a borrow, out of the words from the given one on.
template <bool subtracts, typename Team>
__device__ __forceinline__ bool carry_out(const Team& team, const Code& code, u32 start) {
    const u32 n = words_of(code.len);
    for (u32 at = start; at < n; at++) {
        const Word v = __brev(team.other(code.x + at)), w = __brev(team.other(code.y + at));
        const Word result = result_of<subtracts>(v, w, false);
        if (subtracts ? v < w : result < v) return true;
        // only here would a carry into this word go on
        if (result != (subtracts ? 0 : ~0u)) return false;
    }
    return false;
}

// ADD or SUBT; whether the result did not fit. The result may be an operand: what is written
// was read by all before, as carries come from later words only.
template <bool subtracts, typename Team> __device__ __forceinline__ bool arithmetic(Team& team, const Code& code) {
    const u32 n = words_of(code.len);
    team.will_read(vector_bit(code.x) | vector_bit(code.y));
    const bool beyond = carry_out<subtracts>(team, code, 0);
    for (u32 start = 0; start < n; start += team.size) {
        const u32 w = start + team.thread;
        Word result = 0;
        if (w < n) {
            const Word v = __brev(team.own(code.x + w)), u = __brev(team.own(code.y + w));
            result = __brev(result_of<subtracts>(v, u, carry_out<subtracts>(team, code, w + 1)));
        }
        team.sync();
        if (w < n) team.put(code.z + w, result);
    }
    team.will_write(vector_bit(code.z));
    return beyond;
}

// `code.z` is a sum of 1 for less, 2 for equal and 4 for greater. Short rows of bits are compared by
// each warp, so that no barrier is needed to tell others.
template <typename Team> __device__ __forceinline__ bool compare(Team& team, const Code& code) {
    const u32 n = words_of(code.len);
    u32 relation;
    if (n <= 32) {
        team.will_read(vector_bit(code.x) | vector_bit(code.y));
        const Word x = lane() < n ? team.other(code.x + lane()) : 0, y = lane() < n ? team.other(code.y + lane()) : 0;
        team.did_read(vector_bit(code.x) | vector_bit(code.y));
        const u32 lanes = __ballot_sync(everyone, x != y);
        relation = !lanes ? 2 : __shfl_sync(everyone, y >> (first_bit(x ^ y) % word_bits) & 1, __ffs(lanes) - 1) ? 1 : 4;
    } else {
        const u32 at = team.find_first(
            n, [&](u32 w) { return team.own(code.x + w) ^ team.own(code.y + w); }, [](u32, Word) {});
        team.will_read(vector_bit(code.y));
        relation = at == none ? 2 : team.other(code.y + at / word_bits) >> (at % word_bits) & 1 ? 1 : 4;
        team.did_read(vector_bit(code.y));
    }
    return code.z & relation;
}

// Word w of a row of `len` bits whose last ones are the number's, the last one the least significant.
__device__ __forceinline__ Word word_of_number(u32 number, u32 len, u32 w) {
    const Word bits = __brev(number);
    // of the first of these bits, counted from that of the word
    const int size = word_bits, from = static_cast<int>(len) - size - static_cast<int>(word_bits * w);
    if (from <= -size || from >= size) return 0;
    return from < 0 ? bits >> -from : bits << from;
}

// WORD
template <typename Team> __device__ __forceinline__ void to_word(Team& team, u32 z, u32 len, u32 number) {
    team.will_write(vector_bit(z));
    for (u32 w = team.thread; w < words_of(len); w += team.size) team.put(z + w, word_of_number(number, len, w));
}

// NUMBER: each warp looks through the whole word; none where a bit is set that an integer has
// not.
template <typename Team> __device__ __forceinline__ int to_int(Team& team, const Code& code) {
    const u32 n = words_of(code.len), n_last = min(code.len, 31u), n_first = code.len - n_last;
    team.will_read(vector_bit(code.x));
    bool is_beyond = false;
    for (u32 w = lane(); word_bits * w < n_first; w += 32) {
        is_beyond |= (team.other(code.x + w) & bits_of(w, n_first)) != 0;
    }
    const Word last = n_last ? __brev(bits_from(team, code.x, n, n_first)) >> (word_bits - n_last) : 0;
    team.did_read(vector_bit(code.x));
    return static_cast<int>(__any_sync(everyone, is_beyond) ? none : last);
}
