// Goes through a program, every thread of a team through every step: reads the step, does its
// own words' part, and goes on. What was said of teams in teams.cuh keeps them together.
//
// Integers are the same for all threads. Each warp has a copy of its own in shared memory,
// whose lanes all write the same value, so that nobody waits for another warp's.
//
// The two steps that may be next are fetched while a step is done.
#pragma once

#include "teams.cuh"

// store(w, load(w)) for the words of a thread; as many loads at once as the team says.
template <typename Team, typename Load, typename Store>
__device__ __forceinline__ void each_word(const Team& team, u32 n, Load load, Store store) {
#pragma unroll 1
    for (u32 start = team.thread; start < n; start += Team::at_once * team.size) {
        u64 words[Team::at_once];
#pragma unroll
        for (u32 k = 0; k < Team::at_once; k++) {
            const u32 w = start + k * team.size;
            if (w < n) words[k] = load(w);
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

// Columns are read and written where all blocks see them: rows are, too.
__device__ __forceinline__ u64* words_at(const Code& code) {
    return reinterpret_cast<u64*>(static_cast<u64>(code.b) << 32 | code.a);
}

// z := function(COL(column, t), x); COL(column, t) := z.
template <typename Team, typename Function>
__device__ __forceinline__ void update_column(Team& team, const Code& code, u32 column, Function function) {
    const u32 n = words_of(code.len);
    u64* words = words_at(code) + static_cast<u64>(column) * n;
    team.will_write(vector_bit(code.z) | table_bit(code.head));
    each_word(
        team, n, [&](u32 w) { return function(__ldcg(words + w), team.own(code.x + w)); },
        [&](u32 w, u64 word) {
            team.put(code.z + w, word);
            __stcg(words + w, word);
        });
}

// The same for one column after another, as long as the next step, `take`, gives numbers of
// columns and leads back here: how many times it did so, at most `most`. It stops before a
// step that is anything else, and that one is then done as always.
//
// All of it is in registers but the table: the next number is found, and its column is on its
// way, before this column is there.
template <typename Function>
__device__ __forceinline__ u64 update_columns(Warp& team, const Code& code, const Code& take, u32 column, u64 most,
                                              int* ints, Function function) {
    const u32 n = words_of(code.len), n_left = words_of(take.len);
    if (max(n, n_left) > Warp::at_once * Warp::size) {
        update_column(team, code, column, function);
        return 0;
    }
    u64 left[Warp::at_once], other[Warp::at_once], even[Warp::at_once], odd[Warp::at_once];
    auto take_column = [&](u64(&words)[Warp::at_once], u32 number) {
        const u64* from = words_at(code) + static_cast<u64>(number) * n;
        team.take_words(words, 0, n, [&](u32 w) { return __ldcg(from + w); });
    };
    auto put_words = [&](const u64(&words)[Warp::at_once], u32 count, auto store) {
#pragma unroll
        for (u32 k = 0; k < Warp::at_once; k++) {
            const u32 w = k * Warp::size + team.thread;
            if (w < count) store(w, words[k]);
        }
    };
    take_column(even, column);
    team.take_words(left, 0, n_left, [&](u32 w) { return team.own(take.x + w); });
    team.take_words(other, 0, n, [&](u32 w) { return team.own(code.x + w); });
    u64 times = 0;
    // Writes the column that was taken to `now`, and takes the next; whether there is one.
    auto turn = [&](u64(&now)[Warp::at_once], u64(&after)[Warp::at_once]) {
        const Warp::Found found = Warp::first_of(left);
        const u32 next = found.lanes ? found.position() : none;
        // a column that is not written yet is not read
        const bool goes_on = next < code.y && next != column && times < most;
        if (goes_on) take_column(after, next);
        u64* to = words_at(code) + static_cast<u64>(column) * n;
#pragma unroll
        for (u32 k = 0; k < Warp::at_once; k++) now[k] = function(now[k], other[k]);
        put_words(now, n, [&](u32 w, u64 word) { __stcg(to + w, word); });
        if (!goes_on) {
            put_words(now, n, [&](u32 w, u64 word) { team.put(code.z + w, word); });
            return false;
        }
        times++;
        column = next;
#pragma unroll
        for (u32 k = 0; k < Warp::at_once; k++) {
            if (k == found.group && team.thread == found.owner()) left[k] &= left[k] - 1;
        }
        return true;
    };
    // by turns, since a copy of words would wait for them
    while (turn(even, odd) && turn(odd, even)) {
    }
    put_words(left, n_left, [&](u32 w, u64 word) { team.put(take.x + w, word); });
    ints[code.index] = static_cast<int>(column);
    return times;
}

// The 64 bits of x, a row of n words, that start at bit `from`; beyond its end are zeros.
template <typename Team> __device__ __forceinline__ u64 bits_from(const Team& team, u32 x, u32 n, u32 from) {
    const u32 w = from / 64, shift = from % 64;
    u64 word = team.other(x + w) >> shift;
    if (shift != 0 && w + 1 < n) word |= team.other(x + w + 1) << (64 - shift);
    return word;
}

// TRIM
template <typename Team> __device__ __forceinline__ void trim(Team& team, const Code& code) {
    team.will_read(vector_bit(code.x));
    team.will_write(vector_bit(code.z));
    const u32 n = words_of(code.len), x_words = words_of(code.y);
    for (u32 w = team.thread; w < n; w += team.size) {
        const u64 word = bits_from(team, code.x, x_words, code.index + 64 * w);
        team.put(code.z + w, word & bits_of(w, code.len));
    }
    team.did_read(vector_bit(code.x));
}

// REP
template <typename Team> __device__ __forceinline__ void replace(Team& team, const Code& code) {
    const u32 from = code.index, end = from + code.y;
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

// ROW(row, t): the thread of a word gathers it.
template <typename Team> __device__ __forceinline__ void read_row(Team& team, const Code& code, u32 row) {
    const u32 stride = code.x, n = words_of(code.len), shift = row % 64;
    const u64* words = words_at(code) + row / 64;
    team.will_read(table_bit(code.head));
    team.will_write(vector_bit(code.z));
    for (u32 w = team.thread; w < n; w += team.size) {
        const u64* from = words + static_cast<u64>(w) * 64 * stride;
        const u32 count = min(64u, code.len - 64 * w);
        u64 word = 0;
#pragma unroll 16
        for (u32 k = 0; k < count; k++) {
            word |= (__ldcg(from + static_cast<u64>(k) * stride) >> shift & 1) << k;
        }
        team.put(code.z + w, word);
    }
    team.did_read(table_bit(code.head));
}

// ROW(row, t) := x: a thread a column, between barriers, for the words are not their own.
template <typename Team> __device__ __forceinline__ void write_row(Team& team, const Code& code, u32 row) {
    const u32 stride = code.z, shift = row % 64;
    u64* words = words_at(code) + row / 64;
    team.sync();
    each_word(
        team, code.len,
        [&](u32 column) {
            const u64 bit = team.other(code.x + column / 64) >> (column % 64) & 1;
            return (__ldcg(words + static_cast<u64>(column) * stride) & ~(1ull << shift)) | bit << shift;
        },
        [&](u32 column, u64 word) { __stcg(words + static_cast<u64>(column) * stride, word); });
    team.sync();
}

template <typename Team> __device__ __forceinline__ void clear_table(Team& team, const Code& code) {
    const u64 n = static_cast<u64>(code.y) << 32 | code.x;
    u64* words = words_at(code);
    team.sync();
    for (u64 at = team.thread; at < n; at += team.size) __stcg(words + at, 0ull);
    team.sync();
}

// `relation` is a sum of 1 for less, 2 for equal and 4 for greater.
template <typename Team> __device__ __forceinline__ bool compare(Team& team, const Code& code) {
    const u32 at = team.find_first(
        words_of(code.len), [&](u32 w) { return team.own(code.x + w) ^ team.own(code.y + w); }, [](u32, u64) {});
    if (at == none) return code.z & 2;
    team.will_read(vector_bit(code.y));
    const bool is_less = team.other(code.y + at / 64) >> (at % 64) & 1;
    team.did_read(vector_bit(code.y));
    return code.z & (is_less ? 1 : 4);
}

// Runs a program to its end, or to the step that fails. `ints` are this warp's.
template <typename Team> __device__ __forceinline__ void interpret(const Run& run, Team& team, int* ints) {
    u32 step = 0, failure = 0;
    int position = 0;
    u64 turns = 0;
    const Code* const codes = run.code;
    Code code = fetch(codes, 0);
    while (true) {
        // all lanes have read the integers that this step may change, and all words that the
        // warp's lanes have written are seen by the others
        __syncwarp();
        const u32 next = step + skip_of(code.head);
        const u32 target = may_jump(code.head) ? code.a : next;
        const Code after = fetch(codes, next), there = fetch(codes, target);
        const u32 n = words_of(code.len);
        const bool flag = code.head & one;
        // the position that `index` names; whether there are so many things
        auto is_below = [&](u32 count) {
            position = code.head & constant_position ? static_cast<int>(code.index) : ints[code.index];
            if (static_cast<u32>(position) < count) return true;
            failure = position < 0 ? no_position : out_of_range;
            return false;
        };
        auto find = [&](auto take) {
            return team.find_first(n, [&](u32 w) { return team.own(code.x + w); }, take);
        };
        auto without_first = [&](u32 w, u64 word) { team.put(code.x + w, word & (word - 1)); };
        auto update = [&](auto function) {
            if (!is_below(code.y)) return;
            if constexpr (Team::is_warp) {
                if (code.head & repeats) {
                    turns += update_columns(team, code, after, position, run.most_turns - turns, ints, function);
                    return;
                }
            }
            update_column(team, code, position, function);
        };
        bool jumps = false;
        switch (operation_of(code.head)) {
        case End:
            break;
        case Fill:
            team.will_write(vector_bit(code.z));
            for (u32 w = team.thread; w < n; w += team.size) team.put(code.z + w, flag ? bits_of(w, code.len) : 0);
            break;
        case Copy:
            team.will_write(vector_bit(code.z));
            each_word(
                team, n, [&](u32 w) { return team.own(code.x + w); },
                [&](u32 w, u64 word) { team.put(code.z + w, word); });
            break;
        case Not:
            team.will_write(vector_bit(code.z));
            each_word(
                team, n, [&](u32 w) { return ~team.own(code.x + w) & bits_of(w, code.len); },
                [&](u32 w, u64 word) { team.put(code.z + w, word); });
            break;
        case And:
            combine(team, code, [](u64 x, u64 y) { return x & y; });
            break;
        case AndNot:
            combine(team, code, [](u64 x, u64 y) { return x & ~y; });
            break;
        case Or:
            combine(team, code, [](u64 x, u64 y) { return x | y; });
            break;
        case Xor:
            combine(team, code, [](u64 x, u64 y) { return x ^ y; });
            break;
        case SetBit:
            if (!is_below(code.len)) break;
            team.will_write(vector_bit(code.z));
            if (position / 64 % team.size == team.thread) {
                const u32 at = code.z + position / 64;
                const u64 bit = 1ull << (position % 64);
                team.put(at, flag ? team.own(at) | bit : team.own(at) & ~bit);
            }
            break;
        case First: {
            const u32 first = find([](u32, u64) {});
            team.will_write(vector_bit(code.z));
            for (u32 w = team.thread; w < n; w += team.size) {
                team.put(code.z + w, first != none && first / 64 == w ? 1ull << (first % 64) : 0);
            }
            break;
        }
        case Find:
            ints[code.index] = static_cast<int>(find([](u32, u64) {}));
            break;
        case Step:
            ints[code.index] = static_cast<int>(find(without_first));
            team.will_write(vector_bit(code.x));
            break;
        case Count: {
            u32 count = 0;
            for (u32 w = team.thread; w < n; w += team.size) count += __popcll(team.own(code.x + w));
            ints[code.index] = static_cast<int>(team.sum(count));
            break;
        }
        case Trim:
            trim(team, code);
            break;
        case Replace:
            replace(team, code);
            break;
        case Add:
            ints[code.index] = arithmetic<false>(team, code) ? 0 : -1;
            break;
        case Subtract:
            ints[code.index] = arithmetic<true>(team, code) ? 0 : -1;
            break;
        case ReadColumn: {
            if (!is_below(code.y)) break;
            const u64* words = words_at(code) + static_cast<u64>(position) * n;
            team.will_write(vector_bit(code.z));
            each_word(
                team, n, [&](u32 w) { return __ldcg(words + w); },
                [&](u32 w, u64 word) { team.put(code.z + w, word); });
            break;
        }
        case WriteColumn: {
            if (!is_below(code.y)) break;
            u64* words = words_at(code) + static_cast<u64>(position) * n;
            team.will_write(table_bit(code.head));
            each_word(
                team, n, [&](u32 w) { return team.own(code.x + w); },
                [&](u32 w, u64 word) { __stcg(words + w, word); });
            break;
        }
        case ReadRow:
            if (is_below(code.y)) read_row(team, code, position);
            break;
        case WriteRow:
            if (is_below(code.y)) write_row(team, code, position);
            break;
        case ClearTable:
            clear_table(team, code);
            break;
        case SetInt:
            ints[code.index] = static_cast<int>(code.x);
            break;
        case AddInt: {
            const int value = ints[code.x];
            const long long sum = static_cast<long long>(value) + static_cast<int>(code.y);
            __syncwarp();
            ints[code.index] = value < 0 || sum < 0 || sum > 0x7fffffff ? -1 : static_cast<int>(sum);
            break;
        }
        case AddInts: {
            const int j = ints[code.x], k = ints[code.z];
            const long long sum =
                static_cast<long long>(j) + (flag ? -static_cast<long long>(k) : k) + static_cast<int>(code.y);
            __syncwarp();
            ints[code.index] = j < 0 || k < 0 || sum < 0 || sum > 0x7fffffff ? -1 : static_cast<int>(sum);
            break;
        }
        case Jump:
            jumps = true;
            break;
        case IfSome: {
            bool has = false;
            for (u32 w = team.thread; w < n; w += team.size) has |= team.own(code.x + w) != 0;
            jumps = team.any(has) == flag;
            break;
        }
        case IfFound:
            jumps = (ints[code.index] >= 0) == flag;
            break;
        case IfBit: {
            if (!is_below(code.len)) break;
            team.will_read(vector_bit(code.x));
            const bool bit = team.other(code.x + position / 64) >> (position % 64) & 1;
            team.did_read(vector_bit(code.x));
            jumps = bit == flag;
            break;
        }
        case IfOrder: {
            const int i = ints[code.x];
            const int j = code.head & constant_position ? static_cast<int>(code.index) : ints[code.index];
            jumps = ((code.z & (i < j ? 1 : i == j ? 2 : 4)) != 0) == flag;
            break;
        }
        case IfCompare:
            jumps = compare(team, code) == flag;
            break;
        case Start:
            ints[code.x] = ints[code.index] = static_cast<int>(code.y);
            break;
        case Repeat: {
            const int value = ints[code.x];
            jumps = value != static_cast<int>(code.y);
            // its turn is counted below, before the integers change
            if (!jumps || turns >= run.most_turns) break;
            __syncwarp();
            ints[code.x] = ints[code.index] = code.head & backwards ? value - 1 : value + 1;
            break;
        }
        case TakeFirst: {
            // where no turn is left, what would fail takes nothing
            const bool ends = !flag && target <= step && turns >= run.most_turns;
            const u32 first = find([&](u32 w, u64 word) {
                if (!ends) without_first(w, word);
            });
            team.will_write(vector_bit(code.x));
            jumps = first != none;
            if (flag || (jumps && !ends)) ints[code.index] = static_cast<int>(first);
            break;
        }
        case UpdateAnd:
            update([](u64 v, u64 x) { return v & x; });
            break;
        case UpdateAndNot:
            update([](u64 v, u64 x) { return v & ~x; });
            break;
        case UpdateOr:
            update([](u64 v, u64 x) { return v | x; });
            break;
        case UpdateXor:
            update([](u64 v, u64 x) { return v ^ x; });
            break;
        case UpdateNotAnd:
            update([](u64 v, u64 x) { return x & ~v; });
            break;
        }
        if (jumps && target <= step && ++turns > run.most_turns) failure = endless;
        if (failure || operation_of(code.head) == End) break;
        step = jumps ? target : next;
        code = jumps ? there : after;
    }
    if (team.thread == 0) {
        run.control->failure = failure;
        run.control->step = step;
        run.control->position = position;
        run.control->turns = turns;
    }
}
