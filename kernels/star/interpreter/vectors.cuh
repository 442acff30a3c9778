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
        [&](u32 w, u64 word) { team.put(code.z + w, word); });
}

// The 64 bits of x, a row of n words, that start at bit `from`; beyond its end are zeros.
template <typename Team> __device__ __forceinline__ u64 bits_from(const Team& team, u32 x, u32 n, u32 from) {
    const u32 w = from / 64, shift = from % 64;
    u64 word = team.other(x + w) >> shift;
    if (shift != 0 && w + 1 < n) word |= team.other(x + w + 1) << (64 - shift);
    return word;
}

// TRIM
template <typename Team> __device__ __forceinline__ void trim(Team& team, const Code& code, u32 from) {
    team.will_read(vector_bit(code.x));
    team.will_write(vector_bit(code.z));
    const u32 n = words_of(code.len), x_words = words_of(code.y);
    for (u32 w = team.thread; w < n; w += team.size) {
        const u64 word = bits_from(team, code.x, x_words, from + 64 * w);
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
    const u32 first = from / 64, last = (end - 1) / 64, x_words = words_of(code.y);
    for (u32 w = team.thread; w <= last; w += team.size) {
        if (w < first) continue;
        const u32 start = 64 * w;
        const u64 word = start >= from ? bits_from(team, code.x, x_words, start - from)
                                       : team.other(code.x) << (from - start);
        const u64 kept = start >= from ? 0 : low_bits(from - start);
        const u64 mask = low_bits(min(end - start, 64u)) & ~kept;
        team.put(code.z + w, (team.own(code.z + w) & ~mask) | (word & mask));
    }
    team.did_read(vector_bit(code.x));
}

// Words as numbers: the first bit of the first word is the most significant.
template <bool subtracts> __device__ __forceinline__ u64 result_of(u64 v, u64 w, bool carry) {
    return subtracts ? v - w - carry : v + w + carry;
}

// Whether there is a carry, or a borrow, out of the words from the given one on.
template <bool subtracts, typename Team>
__device__ __forceinline__ bool carry_out(const Team& team, const Code& code, u32 start) {
    const u32 n = words_of(code.len);
    for (u32 at = start; at < n; at++) {
        const u64 v = __brevll(team.other(code.x + at)), w = __brevll(team.other(code.y + at));
        const u64 result = result_of<subtracts>(v, w, false);
        if (subtracts ? v < w : result < v) return true;
        // only here would a carry into this word go on
        if (result != (subtracts ? 0 : ~0ull)) return false;
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
        u64 result = 0;
        if (w < n) {
            const u64 v = __brevll(team.own(code.x + w)), u = __brevll(team.own(code.y + w));
            result = __brevll(result_of<subtracts>(v, u, carry_out<subtracts>(team, code, w + 1)));
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
        const u64 x = lane() < n ? team.other(code.x + lane()) : 0, y = lane() < n ? team.other(code.y + lane()) : 0;
        team.did_read(vector_bit(code.x) | vector_bit(code.y));
        const u32 lanes = __ballot_sync(everyone, x != y);
        relation = !lanes ? 2 : __shfl_sync(everyone, y >> (first_bit(x ^ y) & 63) & 1, __ffs(lanes) - 1) ? 1 : 4;
    } else {
        const u32 at = team.find_first(
            n, [&](u32 w) { return team.own(code.x + w) ^ team.own(code.y + w); }, [](u32, u64) {});
        team.will_read(vector_bit(code.y));
        relation = at == none ? 2 : team.other(code.y + at / 64) >> (at % 64) & 1 ? 1 : 4;
        team.did_read(vector_bit(code.y));
    }
    return code.z & relation;
}

// WORD: its last bits are the number's, the last one the least significant.
template <typename Team> __device__ __forceinline__ void to_word(Team& team, const Code& code, u32 number) {
    const u64 bits = __brevll(number);
    team.will_write(vector_bit(code.z));
    for (u32 w = team.thread; w < words_of(code.len); w += team.size) {
        // of the first of these 64 bits, counted from that of the word
        const int from = static_cast<int>(code.len) - 64 - static_cast<int>(64 * w);
        u64 word = 0;
        if (from >= 0 && from < 64) word = bits << from;
        if (from < 0) word = bits >> -from;
        team.put(code.z + w, word);
    }
}

// NUMBER: each warp looks through the whole word; none where a bit is set that an integer has
// not.
template <typename Team> __device__ __forceinline__ int to_int(Team& team, const Code& code) {
    const u32 n = words_of(code.len), n_last = min(code.len, 31u), n_first = code.len - n_last;
    team.will_read(vector_bit(code.x));
    bool is_beyond = false;
    for (u32 w = lane(); 64 * w < n_first; w += 32) {
        is_beyond |= (team.other(code.x + w) & bits_of(w, n_first)) != 0;
    }
    const u64 last = n_last ? __brevll(bits_from(team, code.x, n, n_first)) >> (64 - n_last) : 0;
    team.did_read(vector_bit(code.x));
    return static_cast<int>(__any_sync(everyone, is_beyond) ? none : static_cast<u32>(last));
}
