// What steps do to tables: columns, rows, the whole.
//
// All words may be in the cache next to a thread: after a barrier it has what others wrote before.
#pragma once

#include "vectors.cuh"

// What a bit of a column becomes, by a bit of x: where it is zero, and where it is one.
struct Change {
    u64 zero, one;

    __device__ __forceinline__ u64 of(u64 word) const { return (word & one) | (~word & zero); }
};

__device__ __forceinline__ Change change_by(Operation update, u64 x) {
    switch (update) {
    case UpdateAnd:
        return {0, x};
    case UpdateAndNot:
        return {0, ~x};
    case UpdateOr:
        return {x, ~0ull};
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
    u64* words = address(code.a, code.b) + static_cast<u64>(column) * n;
    team.will_write(vector_bit(code.z) | table_bit(code.head));
    each_word(
        team, n, [&](u32 w) { return load_word(words + w); },
        [&](u32 w, u64 word) {
            word = change_by(operation_of(code.head), team.own(code.x + w)).of(word);
            team.put(code.z + w, word);
            store_word(words + w, word);
        });
}

// The same for one column after another, as long as the next step, `take`, gives numbers of
// columns and leads back here: how many times it did so, at most `most`. It stops before a
// step that is anything else, and that one is then done as always.
//
// All of it is in registers but the table: columns are on their way while those before them are
// changed. None is read before it was written, since STEP gives each number once; only that of
// the first column may come again, and ends it.
__device__ __forceinline__ u64 update_columns(Warp& team, const Code& code, const Code& take, const u32 column,
                                              u64 most, int* ints) {
    constexpr u32 n_words = Warp::at_once, n_columns = 4;
    const u32 n = words_of(code.len), n_left = words_of(take.len);
    if (max(n, n_left) > n_words * Warp::size) {
        update_column(team, code, column);
        return 0;
    }
    u64* const table = address(code.a, code.b);
    Change changes[n_words];
    u64 left[n_words], words[n_columns][n_words];
    u32 numbers[n_columns], last = column;
    u64 times = 0;
    team.take_words(left, 0, n_left, [&](u32 w) { return team.own(take.x + w); });
#pragma unroll
    for (u32 k = 0; k < n_words; k++) {
        const u32 w = k * Warp::size + team.thread;
        changes[k] = change_by(operation_of(code.head), w < n ? team.own(code.x + w) : 0);
    }
    auto load = [&](u64(&to)[n_words], u32 number) {
        const u64* from = table + static_cast<u64>(number) * n;
#pragma unroll
        for (u32 k = 0; k < n_words; k++) {
            const u32 w = k * Warp::size + team.thread;
            to[k] = load_if_less(w, n, from + w);
        }
    };
    // takes the next number, if there is one, and its column
    auto take_next = [&](u32& number, u64(&to)[n_words]) {
        const Warp::Found found = Warp::first_of(left);
        number = found.lanes ? found.position() : none;
        if (number >= code.y || number == column || times == most) {
            number = none;
            return;
        }
        load(to, number);
        times++;
#pragma unroll
        for (u32 k = 0; k < n_words; k++) {
            if (k == found.group && team.thread == found.owner()) left[k] &= left[k] - 1;
        }
    };
    numbers[0] = column;
    load(words[0], column);
#pragma unroll
    for (u32 i = 1; i < n_columns; i++) {
        numbers[i] = none;
        if (numbers[i - 1] != none) take_next(numbers[i], words[i]);
    }
    // by turns, since a copy of words would wait for them
    for (bool goes_on = true; goes_on;) {
#pragma unroll
        for (u32 i = 0; i < n_columns; i++) {
            if (!goes_on) break;
            last = numbers[i];
            goes_on = numbers[(i + 1) % n_columns] != none;
            u64* to = table + static_cast<u64>(last) * n;
#pragma unroll
            for (u32 k = 0; k < n_words; k++) {
                const u32 w = k * Warp::size + team.thread;
                words[i][k] = changes[k].of(words[i][k]);
                store_if_less(w, n, to + w, words[i][k]);
                if (!goes_on && w < n) team.put(code.z + w, words[i][k]);
            }
            numbers[i] = none;
            if (numbers[(i + n_columns - 1) % n_columns] != none) take_next(numbers[i], words[i]);
        }
    }
#pragma unroll
    for (u32 k = 0; k < n_words; k++) {
        const u32 w = k * Warp::size + team.thread;
        if (w < n_left) team.put(take.x + w, left[k]);
    }
    __syncwarp();
    ints[code.index] = static_cast<int>(last);
    return times;
}

// ROW(row, t): the warp of a word gathers it, a lane a column.
template <typename Team>
__device__ __forceinline__ void read_row(Team& team, const Code& code, const u64* table, u32 row) {
    // words of z at once
    constexpr u32 at_once = 8;
    const u64 stride = code.x;
    const u32 columns = code.len, n = words_of(columns), shift = row % 64;
    const u64* words = table + row / 64;
    team.will_read(table_bit(code.head));
    team.will_write(vector_bit(code.z));
    for (u32 first = team.thread - lane(); first < n; first += team.size) {
        const u32 here = min(32u, n - first);
        u64 own = 0;
        for (u32 from = 0; from < here; from += at_once) {
            u64 loaded[2 * at_once];
            const u32 start = 64 * (first + from) + lane();
#pragma unroll
            for (u32 k = 0; k < 2 * at_once; k++) {
                const u32 column = start + 32 * k;
                loaded[k] = load_if_less(column, columns, words + column * stride);
            }
#pragma unroll
            for (u32 k = 0; k < at_once; k++) {
                const u32 low = __ballot_sync(everyone, loaded[2 * k] >> shift & 1);
                const u32 high = __ballot_sync(everyone, loaded[2 * k + 1] >> shift & 1);
                if (lane() == from + k) own = static_cast<u64>(high) << 32 | low;
            }
        }
        if (lane() < here) team.put(code.z + first + lane(), own);
    }
    team.did_read(table_bit(code.head));
}

// ROW(row, t) := x, by the threads near the one whose words they are; a thread a column.
template <typename Team>
__device__ __forceinline__ void write_row(Team& team, const Code& code, u64* table, u32 row) {
    constexpr u32 at_once = 16;
    const u64 stride = code.z, bit = 1ull << (row % 64);
    const u32 columns = code.len;
    u64* words = table + row / 64;
    team.will_read(vector_bit(code.x));
    team.will_write(table_bit(code.head));
    if (team.is_near(row / 64)) {
        team.sync_near();
        for (u32 start = threadIdx.x; start < columns; start += at_once * blockDim.x) {
            u64 loaded[at_once];
#pragma unroll
            for (u32 k = 0; k < at_once; k++) {
                const u32 column = start + k * blockDim.x;
                loaded[k] = load_if_less(column, columns, words + column * stride);
            }
#pragma unroll
            for (u32 k = 0; k < at_once; k++) {
                const u32 column = start + k * blockDim.x, last = min(column, columns - 1);
                const bool is_one = team.other(code.x + last / 64) >> (last % 64) & 1;
                const u64 word = is_one ? loaded[k] | bit : loaded[k] & ~bit;
                store_if_less(column, columns, words + column * stride, word);
            }
        }
        team.sync_near();
    }
    team.did_read(vector_bit(code.x));
}

template <typename Team> __device__ __forceinline__ void clear_table(Team& team, const Code& code) {
    const u64 n = static_cast<u64>(code.y) << 32 | code.x;
    u64* words = address(code.a, code.b);
    team.sync();
    for (u64 at = team.thread; at < n; at += team.size) store_word(words + at, 0ull);
    team.sync();
}
