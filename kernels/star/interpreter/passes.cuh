// Basic procedures, each in one pass over the columns of its tables.
//
// Rows are independent of one another, and what a procedure knows of a row is a bit or two: a
// thread goes through the columns of its own words and has that in registers. So a pass needs
// no barrier of its own, but for a word, which all threads read, and for the least number,
// which they find together. Several columns are loaded before the first of them is used, so
// that one wait is for all; words without a marked row are not loaded.
//
// Results, and tables that are written, may be operands: a thread's words are then read and
// written in the order of the procedure. A word that is read is no result.
#pragma once

#include "../steps.cuh"
#include "tables.cuh"

// Columns that are loaded before the first of them is looked at.
constexpr u32 n_at_once = 16;

// The columns that a pass goes through, of which there are `columns`, and what else it takes.
struct Pass {
    // those of the first table, if there is one, and those of the second
    const Word* first;
    const Word* second;
    Word* to;
    // words of a column
    u32 stride;
    u32 columns;
    // whether a word stands for the second table; where it starts, or whether it is a number's,
    // and which
    bool is_word;
    u32 word;
    bool is_number;
    u32 number;
    // whether a column that is written may be one that is read later, or was before
    bool is_shifted;
};

// The word of the column j further on. The product is of 32 bits each, which is one instruction with
// the sum.
template <typename Place> __device__ __forceinline__ Place* further(Place* word, u32 j, u32 stride) {
    return word + static_cast<u64>(j) * stride;
}

// Bit i, in all bits.
__device__ __forceinline__ Word spread(Word bits, u32 i) {
    return static_cast<Word>(static_cast<int>(bits << (word_bits - 1 - i)) >> (word_bits - 1));
}

// Calls `step(j, a, b)` for `many` columns from `start` on, forth or back.
// - a is this thread's word w of the first table's column.
// - b is that of the second's, or all ones or zeros as the word has it.
// Beyond the last column both are 0.
template <u32 many, bool back, typename Team, typename Step>
__device__ __forceinline__ void some_columns(const Team& team, const Pass& pass, u32 w, u32 start, Step step) {
    const Word* first = further(pass.first + w, start, pass.stride);
    const Word* second = further(pass.second + w, start, pass.stride);
    const u32 n = pass.columns - start;
    Word a[many], b[many];
    if (pass.first) {
#pragma unroll
        for (u32 i = 0; i < many; i++) {
            a[i] = load_if_less(i, n, further(first, i, pass.stride));
        }
    } else {
#pragma unroll
        for (u32 i = 0; i < many; i++) a[i] = 0;
    }
    if (pass.is_word) {
        const u32 at = start / word_bits;
        const Word word = pass.is_number ? word_of_number(pass.number, pass.columns, at) : team.other(pass.word + at);
        const Word bits = word >> (start % word_bits);
#pragma unroll
        for (u32 i = 0; i < many; i++) b[i] = spread(bits, i);
    } else {
#pragma unroll
        for (u32 i = 0; i < many; i++) {
            b[i] = load_if_less(i, n, further(second, i, pass.stride));
        }
    }
#pragma unroll
    for (u32 i = 0; i < many; i++) {
        const u32 k = back ? many - 1 - i : i;
        step(start + k, a[k], b[k]);
    }
}

// The same for all columns.
template <u32 many, bool back, typename Team, typename Step>
__device__ __forceinline__ void by(const Team& team, const Pass& pass, u32 w, Step step) {
    const u32 n = (pass.columns + many - 1) / many;
#pragma unroll 1
    for (u32 i = 0; i < n; i++) some_columns<many, back>(team, pass, w, many * (back ? n - 1 - i : i), step);
}

// For procedures that write: the word of column j becomes step(a, b).
template <bool back, typename Team, typename Step>
__device__ __forceinline__ void rewrite(const Team& team, const Pass& pass, u32 w, Step step) {
    Word* to = pass.to + w;
    auto store = [&](u32 j, Word a, Word b) { store_if_less(j, pass.columns, further(to, j, pass.stride), step(a, b)); };
    if (pass.is_shifted) {
        by<1, back>(team, pass, w, store);
    } else {
        by<n_at_once, back>(team, pass, w, store);
    }
}

// MATCH and HIT: rows where all bits are equal.
template <typename Team>
__device__ __forceinline__ void equal_rows(Team& team, const Code& code, const Pass& pass) {
    team.will_write(vector_bit(code.z));
    for (u32 w = team.thread; w < pass.stride; w += team.size) {
        Word equal = team.own(code.x + w);
        // others than the first columns are on their way, too
        if (equal) {
            for (u32 j = n_at_once; j < pass.columns; j++) prefetch(further(pass.first + w, j, pass.stride));
        }
        if (equal) by<n_at_once, false>(team, pass, w, [&](u32, Word a, Word b) { step::equal(equal, a, b); });
        team.put(code.z + w, equal);
    }
}

// LESS and GREAT, and SETMIN: a row is decided by the first column where it differs. In two's
// complement the sign's one is less than its zero.
template <typename Team>
__device__ __forceinline__ void compare_rows(Team& team, const Code& code, const More& more, const Pass& pass) {
    team.will_write(vector_bit(code.z));
    if (pass.is_word) team.will_write(vector_bit(more.equal) | vector_bit(more.greater));
    const bool is_signed = code.head & one && pass.columns != 0;
    for (u32 w = team.thread; w < pass.stride; w += team.size) {
        const Word rows = team.own(code.x + w);
        Word equal = rows, less = 0;
        if (rows) {
            by<n_at_once, false>(team, pass, w, [&](u32, Word a, Word b) { step::less(equal, less, a, b); });
            if (is_signed) less ^= rows & (load_word(pass.first + w) ^ load_word(pass.second + w));
        }
        team.put(code.z + w, less);
        if (pass.is_word) {
            team.put(more.equal + w, equal);
            team.put(more.greater + w, rows & ~(less | equal));
        }
    }
}

// TCOPY, TMERGE, WCOPY and WMERGE: `second` in marked rows, in the others what there was, or
// zeros.
template <typename Team> __device__ __forceinline__ void merge(Team& team, const Code& code, const Pass& pass) {
    team.will_write(table_bit(code.head));
    for (u32 w = team.thread; w < pass.stride; w += team.size) {
        const Word rows = code.head & everywhere ? ~0u : team.own(code.x + w);
        if (rows || !(code.head & keeps)) {
            rewrite<false>(team, pass, w, [&](Word a, Word b) {
                step::merge(rows, a, b);
                return a;
            });
        }
    }
}

__device__ __forceinline__ void clear_columns(const Pass& pass, u32 w) {
#pragma unroll 4
    for (u32 j = 0; j < pass.columns; j++) store_word(further(pass.to + w, j, pass.stride), 0);
}

// ADDC, ADDV, SUBTC and SUBTV: from the last column, which is the least significant; z marks
// the rows with a carry, or a borrow, out of the first.
template <typename Team> __device__ __forceinline__ void add_rows(Team& team, const Code& code, const Pass& pass) {
    const Word flip = operation_of(code.head) == SubtractRows ? ~0u : 0;
    team.will_write(table_bit(code.head) | vector_bit(code.z));
    for (u32 w = team.thread; w < pass.stride; w += team.size) {
        const Word rows = team.own(code.x + w);
        Word carry = 0;
        if (rows) {
            rewrite<true>(team, pass, w, [&](Word a, Word b) {
                step::add(rows, carry, a, b, flip);
                return a;
            });
        } else {
            clear_columns(pass, w);
        }
        team.put(code.z + w, carry);
    }
}

// ADDC into S, SETMIN of S and D, which of these have no carry, and TMERGE of those into D: how
// arcs are relaxed, which is four steps. Whether a sum is less is known from its last column on,
// as the columns before decide again. Sums and distances of a word of columns are in registers
// until that is known; of more columns, they are read again. Sums that no step reads are not written.
template <typename Team>
__device__ __forceinline__ void relax(Team& team, const Code& code, const Encoded* set_min, const Pass& pass) {
    constexpr u32 many = word_bits;
    const Code less_code = fetch(set_min, 0), and_not = fetch(set_min, 1), merge_code = fetch(set_min, 2);
    const More less_more = fetch_more(set_min, 0);
    Word* distances = address(less_more.other_a, less_more.other_b);
    team.will_write(table_bit(code.head) | table_bit(merge_code.head) | vector_bit(code.z) | vector_bit(less_code.z)
                    | vector_bit(and_not.z));
    const Pass merged{distances, pass.to, distances, pass.stride, pass.columns, false, 0, false, 0, false};
    const u32 n = (pass.columns + many - 1) / many;
    const bool forgotten = code.head & forgets;
    for (u32 w = team.thread; w < pass.stride; w += team.size) {
        const Word rows = team.own(code.x + w);
        Word carry = 0, less = 0, nearer = 0;
        if (rows == 0 && !forgotten) clear_columns(pass, w);
        // adds `left` columns from `start` on; `kept` of the sums are kept
        auto add = [&](u32 start, u32 left, u32 kept) {
            const Word bits = team.other(pass.word + start / many);
            const Word* from = further(pass.first + w, start, pass.stride);
            Word* old = further(distances + w, start, pass.stride);
            Word* to = further(pass.to + w, start, pass.stride);
            Word a[many], d[many];
#pragma unroll
            for (u32 i = 0; i < many; i++) {
                a[i] = load_if_less(i, left, further(from, i, pass.stride));
                d[i] = load_if_less(i, left, further(old, i, pass.stride));
            }
#pragma unroll
            for (u32 i = many; i-- > 0;) {
                step::add(rows, carry, a[i], spread(bits, i), 0u);
                less = (d[i] & ~a[i]) | (less & ~(d[i] ^ a[i]));
                store_if_less(i, kept, further(to, i, pass.stride), a[i]);
            }
            if (start != 0) return;
            less &= rows;
            nearer = less & ~carry;
            if (nearer == 0 || n > 1) return;
#pragma unroll
            for (u32 i = 0; i < many; i++) {
                step::merge(nearer, d[i], a[i]);
                store_if_less(i, left, further(old, i, pass.stride), d[i]);
            }
        };
#pragma unroll 1
        for (u32 chunk = rows ? n : 0; chunk-- > 0;) {
            const u32 start = chunk * many, left = pass.columns - start;
            // a whole word of columns needs no comparisons
            if (left == many && forgotten) {
                add(start, many, 0);
            } else {
                add(start, left, forgotten ? 0 : left);
            }
        }
        if (nearer && n > 1) {
            rewrite<false>(team, merged, w, [&](Word d, Word s) {
                step::merge(nearer, d, s);
                return d;
            });
        }
        team.put(code.z + w, carry);
        team.put(less_code.z + w, less);
        team.put(and_not.z + w, nearer);
    }
}

// The least number in rows that are kept, by k columns, at most a word of them; those that hold it
// are kept.
__device__ __forceinline__ u32 narrow(const Word* words, u32 stride, u32 k, Word flip, Word& kept) {
    Word loaded[word_bits];
    u32 value = 0;
#pragma unroll
    for (u32 i = 0; i < word_bits; i++) loaded[i] = load_if_less(i, k, further(words, i, stride), flip);
#pragma unroll
    for (u32 i = 0; i < word_bits; i++) {
        const Word zeros = kept & (loaded[i] ^ ~flip);
        value |= zeros ? 0 : 1u << (word_bits - 1 - i);
        if (zeros) kept = zeros;
    }
    // beyond the last column there were zeros
    return static_cast<u32>(static_cast<u64>(value) >> (word_bits - k));
}

// MIN and MAX: all marked rows that hold the least number, or the greatest, of which all bits are
// the other way; the first of them. A thread finds the least number of its own rows, all threads
// find the least of these, and those with a greater one give theirs up. They go by 32 columns at a
// time, the first ones first. A thread that has more words than one looks through those that may
// hold it again.
template <typename Team> __device__ __forceinline__ u32 least_rows(Team& team, const Code& code, const Pass& pass) {
    const Word flip = code.head & one ? ~0u : 0;
    const Word* words = pass.first;
    u32 from = code.x, left = pass.columns, place;
    // by the first k columns
    auto least_of = [&](u32 w, u32 k, Word& rows) {
        // a whole word of columns needs no comparisons
        return k == word_bits ? narrow(words + w, pass.stride, word_bits, flip, rows)
                              : narrow(words + w, pass.stride, k, flip, rows);
    };
    do {
        const u32 k = min(left, word_bits);
        // the number, then the place of its first row
        u64 mine = ~0ull;
        Word kept = 0;
        for (u32 w = team.thread; w < pass.stride; w += team.size) {
            kept = team.own(from + w);
            if (kept == 0) continue;
            const u64 value = least_of(w, k, kept);
            mine = min(mine, value << 32 | (word_bits * w + first_bit(kept)));
        }
        const u64 least = team.least(mine);
        const bool holds = mine >> 32 == least >> 32;
        team.will_write(vector_bit(code.z));
        if (pass.stride <= team.size) {
            if (team.thread < pass.stride) team.put(code.z + team.thread, holds ? kept : 0);
        } else {
            for (u32 w = team.thread; w < pass.stride; w += team.size) {
                Word rows = holds ? team.own(from + w) : 0;
                if (rows && least_of(w, k, rows) != least >> 32) rows = 0;
                team.put(code.z + w, rows);
            }
        }
        place = static_cast<u32>(least);
        from = code.z;
        words = further(words, k, pass.stride);
        left -= k;
    } while (left);
    return place;
}

// Fetches ahead the field that a later step takes by the number that was found, if there is such a
// step. These are `to_fields` words of the field at `other_a` and `other_b`, which are on their way
// to the chip meanwhile.
template <typename Team>
__device__ __forceinline__ void fetch_field(const Team& team, const More& more, u32 number) {
    constexpr u32 line = 32;
    if (number >= more.other_fields) return;
    const Word* field = address(more.other_a, more.other_b) + static_cast<u64>(number) * more.to_fields;
    for (u32 w = line * team.thread; w < more.to_fields; w += line * team.size) prefetch(field + w);
}

// Moves `field` to the field with this number; each has `words` words.
__device__ __forceinline__ bool locate(Word*& field, u32 number, u32 n_fields, u64 words, const int* ints,
                                       Stop& stop) {
    if (number == none) return true;
    if (!stop.is_below(ints[number], n_fields, true)) return false;
    field += ints[number] * words;
    return true;
}

// Any of these procedures, if there are all its fields; MIN and MAX leave the first of the rows in
// `place`.
template <typename Team>
__device__ __forceinline__ bool run_pass(Team& team, const Encoded* step, const Code& code, const More& more,
                                         const int* ints, Stop& stop, u32& place) {
    const bool is_word = code.head & of_word;
    const u32 stride = words_of(code.len);
    const u64 words = static_cast<u64>(stride) * code.index;
    Word* table = address(code.a, code.b);
    Word* other = address(more.other_a, more.other_b);
    Word* to = address(more.to_a, more.to_b);
    if (code.head & numbered) {
        const bool all = locate(table, more.number, more.fields, words, ints, stop)
            && locate(other, more.other_number, more.other_fields, words, ints, stop)
            && locate(to, more.to_number, more.to_fields, words, ints, stop);
        if (!all) return false;
    }
    if (is_word) team.will_read(vector_bit(code.y));
    Pass pass{table, other, to, stride, code.index, is_word, code.y, false, 0, (code.head & shifted) != 0};
    switch (operation_of(code.head)) {
    case EqualRows:
        equal_rows(team, code, pass);
        break;
    case CompareRows:
        compare_rows(team, code, more, pass);
        break;
    case LeastRows:
        place = least_rows(team, code, pass);
        break;
    case Merge:
        if (code.head & makes) {
            // all threads have it, and need not wait for its words
            pass.is_number = true;
            pass.number = number_at(code.head, more.other_a, ints);
            if (!stop.is_below(pass.number, more.other_b, false)) return false;
            to_word(team, code.y, code.index, pass.number);
        }
        // what is merged is second to what there was
        pass.first = code.head & keeps ? to : nullptr;
        pass.second = table;
        merge(team, code, pass);
        break;
    case Relax:
        relax(team, code, step + 1, pass);
        break;
    default:
        add_rows(team, code, pass);
        break;
    }
    if (is_word) team.did_read(vector_bit(code.y));
    return true;
}
