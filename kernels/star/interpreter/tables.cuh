// What steps do to tables: columns, rows, the whole.
//
// All words may be in the cache next to a thread: after a barrier it has what others wrote before.
#pragma once

#include "vectors.cuh"

// What a bit of a column becomes, by a bit of x: where it is zero, and where it is one.
struct Change {
    Word zero, one;

    __device__ __forceinline__ Word of(Word word) const { return (word & one) | (~word & zero); }
};

__device__ __forceinline__ Change change_by(Operation update, Word x) {
    switch (update) {
    case UpdateAnd:
        return {0, x};
    case UpdateAndNot:
        return {0, ~x};
    case UpdateOr:
        return {x, ~0u};
    case UpdateXor:
        return {x, ~x};
    default:
        return {x, 0};
    }
}

// z := COL(column, t) changed by x; COL(column, t) := z.
template <typename Team>
__device__ __forceinline__ void update_column(Team& team, const Code& code, u32 column) {
    const u32 n = words_of(code.len);
    Word* words = address(code.a, code.b) + static_cast<u64>(column) * n;
    team.will_write(vector_bit(code.z) | table_bit(code.head));
    each_word(
        team, n, [&](u32 w) { return load_word(words + w); },
        [&](u32 w, Word word) {
            word = change_by(operation_of(code.head), team.own(code.x + w)).of(word);
            team.put(code.z + w, word);
            store_word(words + w, word);
        });
}

// The same for all columns whose numbers the next step, `take`, would take from a row of bits
// before it leads back here: how many they are, at most `most`. Columns are independent of one
// another, so each warp changes whole columns, by eight at a time, those of 32 numbers and then
// of others; what they are changed by is in registers.
//
// What would fail is left to the steps one by one.
template <typename Team>
__device__ __forceinline__ u64 update_columns(Team& team, const Code& code, const Code& take, u64 most, int* ints) {
    constexpr u32 n_words = 5, n_columns = 8;
    const u32 n = words_of(code.len), n_numbers = min(take.len, code.y), n_left = words_of(n_numbers);
    Word* const table = address(code.a, code.b);
    team.sync();
    auto numbers = [&](u32 w) { return team.other(take.x + w) & bits_of(w, n_numbers); };
    u32 count = 0, last = 0;
    for (u32 w = lane(); w < n_left; w += 32) {
        const Word word = numbers(w);
        count += __popc(word);
        if (word) last = word_bits * w + 31 - __clz(static_cast<int>(word));
    }
    count = warp_sum(count);
    last = ~warp_min(~last);
    team.did_read(vector_bit(take.x));
    if (count == 0 || count > most) return 0;
    for (u32 start = lane(); start - lane() < n; start += 32 * n_words) {
        Change changes[n_words];
#pragma unroll
        for (u32 k = 0; k < n_words; k++) {
            const u32 w = start + 32 * k;
            changes[k] = change_by(operation_of(code.head), w < n ? team.other(code.x + w) : 0);
        }
        for (u32 part = team.thread / 32; part < n_left; part += team.size / 32) {
            Word left = numbers(part);
            while (left) {
                Word* columns[n_columns];
                Word words[n_columns][n_words];
                u32 ends[n_columns];
#pragma unroll
                for (u32 i = 0; i < n_columns; i++) {
                    const u32 number = word_bits * part + first_bit(left) % word_bits;
                    columns[i] = table + static_cast<u64>(number) * n;
                    ends[i] = left ? n : 0;
                    left &= left - 1;
#pragma unroll
                    for (u32 k = 0; k < n_words; k++) {
                        const u32 w = start + 32 * k;
                        words[i][k] = load_if_less(w, ends[i], columns[i] + w);
                    }
                }
#pragma unroll
                for (u32 i = 0; i < n_columns; i++) {
#pragma unroll
                    for (u32 k = 0; k < n_words; k++) {
                        const u32 w = start + 32 * k;
                        store_if_less(w, ends[i], columns[i] + w, changes[k].of(words[i][k]));
                    }
                }
            }
        }
    }
    team.sync();
    team.will_write(vector_bit(code.z) | vector_bit(take.x));
    const Word* words = table + static_cast<u64>(last) * n;
    each_word(
        team, n, [&](u32 w) { return load_word(words + w); }, [&](u32 w, Word word) { team.put(code.z + w, word); });
    for (u32 w = team.thread; w < n_left; w += team.size) {
        team.put(take.x + w, team.own(take.x + w) & ~bits_of(w, n_numbers));
    }
    __syncwarp();
    ints[code.index] = static_cast<int>(last);
    return count;
}

// `many` words of ROW(row, t) that start at column `start`, each known to the lane of its number: a
// lane loads a column, and as many loads are under way at once.
template <u32 many>
__device__ __forceinline__ Word gather(const Word* words, u64 stride, u32 start, u32 columns, u32 shift) {
    Word loaded[many], word = 0;
#pragma unroll
    for (u32 k = 0; k < many; k++) {
        const u32 column = start + word_bits * k + lane();
        loaded[k] = load_if_less(column, columns, words + column * stride);
    }
#pragma unroll
    for (u32 k = 0; k < many; k++) {
        const Word these = __ballot_sync(everyone, loaded[k] >> shift & 1);
        if (lane() % many == k) word = these;
    }
    return word;
}

// ROW(row, t): each warp gathers its own words.
template <typename Team>
__device__ __forceinline__ void read_row(Team& team, const Code& code, const Word* table, u32 row) {
    constexpr u32 many = 16;
    const u64 stride = code.x;
    const u32 columns = code.len, shift = row % word_bits, n = (columns + word_bits - 1) / word_bits;
    const Word* words = table + row / word_bits;
    team.will_read(table_bit(code.head));
    team.will_write(vector_bit(code.z));
    for (u32 first = team.thread - lane(); first < n; first += team.size) {
        const u32 left = n - first;
        Word word = 0;
        if (left == 1) {
            word = gather<1>(words, stride, word_bits * first, columns, shift);
        } else {
#pragma unroll 1
            for (u32 from = 0; from < min(left, 32u); from += many) {
                const Word these = gather<many>(words, stride, word_bits * (first + from), columns, shift);
                if (lane() / many == from / many) word = these;
            }
        }
        if (lane() < left) team.put(code.z + first + lane(), word);
    }
    team.did_read(table_bit(code.head));
}

// ROW(row, t) := x, by the threads near the one whose words they are; a thread a column. No
// thread waits for the words, whose other bits stay as they are.
template <typename Team>
__device__ __forceinline__ void write_row(Team& team, const Code& code, Word* table, u32 row) {
    const u64 stride = code.z;
    const Word bit = 1u << (row % word_bits);
    Word* words = table + row / word_bits;
    team.will_read(vector_bit(code.x));
    team.will_write(table_bit(code.head));
    if (team.is_near(row / word_bits)) {
        team.sync_near();
#pragma unroll 4
        for (u32 column = threadIdx.x; column < code.len; column += blockDim.x) {
            if (team.other(code.x + column / word_bits) >> (column % word_bits) & 1) {
                atomicOr(words + column * stride, bit);
            } else {
                atomicAnd(words + column * stride, ~bit);
            }
        }
        team.sync_near();
    }
    team.did_read(vector_bit(code.x));
}

template <typename Team> __device__ __forceinline__ void clear_table(Team& team, const Code& code) {
    const u64 n = static_cast<u64>(code.y) << 32 | code.x;
    Word* words = address(code.a, code.b);
    team.sync();
    for (u64 at = team.thread; at < n; at += team.size) store_word(words + at, 0);
    team.sync();
}
