// Goes through a program, every thread of a team through every step: reads the step, does its
// own words' part, and goes on. What was said of teams in teams.cuh keeps them together.
//
// Integers are the same for all threads. Each warp has a copy of its own in shared memory,
// whose lanes all write the same value, so that no warp waits for another's.
//
// The next step is fetched while a step is done, unless a jump leads elsewhere.
#pragma once

#include "passes.cuh"

template <typename Team>
__device__ __forceinline__ void report(const Run& run, const Team& team, u32 step, const Stop& stop) {
    if (team.thread != 0) return;
    run.control->step = step;
    run.control->failure = stop.failure;
    run.control->of_field = stop.of_field;
    run.control->position = stop.position;
    run.control->count = stop.count;
}

// Runs a program to its end, or to the step that fails. `ints` are this warp's.
template <typename Team> __device__ __forceinline__ void interpret(const Run& run, Team& team, int* ints) {
    u32 step = 0;
    u64 turns = 0;
    Stop stop{};
    const Encoded* const steps = run.steps;
    Code code = fetch(steps, 0);
    while (true) {
        // all lanes have read the integers that this step may change, and all words that the
        // warp's lanes have written are seen by the others
        __syncwarp();
        const Code after = fetch(steps, step + skip_of(code.head));
        u32 target = code.a;
        const u32 n = words_of(code.len);
        const bool flag = code.head & one;
        // the position that `index` names; whether it is below the number of things
        u32 position = 0;
        auto is_below = [&](u32 count) {
            const int at = number_at(code.head, code.index, ints);
            position = at;
            return stop.is_below(at, count, false);
        };
        // whether the table has the field that the step names, of this number of words
        Word* field = address(code.a, code.b);
        auto has_field = [&](u64 words) {
            if (!(code.head & numbered)) return true;
            const More more = fetch_more(steps, step);
            return locate(field, more.number, more.fields, words, ints, stop);
        };
        auto find = [&](auto take) {
            return team.find_first(n, [&](u32 w) { return team.own(code.x + w); }, take);
        };
        auto without_first = [&](u32 w, Word word) { team.put(code.x + w, word & (word - 1)); };
        bool jumps = false;
        if (operation_of(code.head) >= EqualRows) {
            const More more = fetch_more(steps, step);
            u32 place;
            if (!run_pass(team, steps + step, code, more, ints, stop, place)) break;
            if (operation_of(code.head) == LeastRows && code.head & finds) {
                __syncwarp();
                ints[more.equal] = static_cast<int>(place);
                fetch_field(team, more, place);
                if (code.head & asks) {
                    jumps = more.to_b & order(static_cast<int>(place), number_at(code.head, more.greater, ints));
                    target = more.to_a;
                }
            }
        } else switch (operation_of(code.head)) {
        case End:
            report(run, team, step, stop);
            return;
        case Fill:
            team.will_write(vector_bit(code.z));
            for (u32 w = team.thread; w < n; w += team.size) team.put(code.z + w, flag ? bits_of(w, code.len) : 0);
            break;
        case Copy:
            team.will_write(vector_bit(code.z));
            each_word(
                team, n, [&](u32 w) { return team.own(code.x + w); },
                [&](u32 w, Word word) { team.put(code.z + w, word); });
            break;
        case Not:
            team.will_write(vector_bit(code.z));
            each_word(
                team, n, [&](u32 w) { return ~team.own(code.x + w) & bits_of(w, code.len); },
                [&](u32 w, Word word) { team.put(code.z + w, word); });
            break;
        case And:
            combine(team, code, [](Word x, Word y) { return x & y; });
            break;
        case AndNot:
            combine(team, code, [](Word x, Word y) { return x & ~y; });
            break;
        case Or:
            combine(team, code, [](Word x, Word y) { return x | y; });
            break;
        case Xor:
            combine(team, code, [](Word x, Word y) { return x ^ y; });
            break;
        case SetBit:
            if (!is_below(code.len)) break;
            team.will_write(vector_bit(code.z));
            if (team.owns(position / word_bits)) {
                const u32 at = code.z + position / word_bits;
                const Word bit = 1u << (position % word_bits);
                team.put(at, flag ? team.own(at) | bit : team.own(at) & ~bit);
            }
            break;
        case First: {
            const u32 first = find([](u32, Word) {});
            team.will_write(vector_bit(code.z));
            for (u32 w = team.thread; w < n; w += team.size) {
                team.put(code.z + w, first != none && first / word_bits == w ? 1u << (first % word_bits) : 0);
            }
            break;
        }
        case Find:
            ints[code.index] = static_cast<int>(find([](u32, Word) {}));
            break;
        case Step:
            ints[code.index] = static_cast<int>(find(without_first));
            team.will_write(vector_bit(code.x));
            break;
        case Count: {
            u32 count = 0;
            for (u32 w = team.thread; w < n; w += team.size) count += __popc(team.own(code.x + w));
            ints[code.index] = static_cast<int>(team.sum(count));
            break;
        }
        case Trim:
            if (is_below(code.y - code.len + 1)) trim(team, code, position);
            break;
        case Replace:
            if (is_below(code.len - code.y + 1)) replace(team, code, position);
            break;
        case Add:
            ints[code.index] = arithmetic<false>(team, code) ? 0 : -1;
            break;
        case Subtract:
            ints[code.index] = arithmetic<true>(team, code) ? 0 : -1;
            break;
        case ReadColumn: {
            if (!has_field(static_cast<u64>(code.y) * n) || !is_below(code.y)) break;
            const Word* words = field + static_cast<u64>(position) * n;
            team.will_write(vector_bit(code.z));
            each_word(
                team, n, [&](u32 w) { return load_word(words + w); },
                [&](u32 w, Word word) { team.put(code.z + w, word); });
            break;
        }
        case WriteColumn: {
            if (!has_field(static_cast<u64>(code.y) * n) || !is_below(code.y)) break;
            Word* words = field + static_cast<u64>(position) * n;
            team.will_write(table_bit(code.head));
            each_word(
                team, n, [&](u32 w) { return team.own(code.x + w); },
                [&](u32 w, Word word) { store_word(words + w, word); });
            break;
        }
        case ReadRow:
            if (has_field(static_cast<u64>(code.len) * code.x) && is_below(code.y)) read_row(team, code, field, position);
            break;
        case WriteRow:
            if (has_field(static_cast<u64>(code.len) * code.z) && is_below(code.y)) write_row(team, code, field, position);
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
        case Call:
            ints[code.index] = static_cast<int>(step + 1);
            jumps = true;
            break;
        case Return:
            jumps = ints[code.index] >= 0;
            target = ints[code.index];
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
            const bool bit = team.other(code.x + position / word_bits) >> (position % word_bits) & 1;
            team.did_read(vector_bit(code.x));
            jumps = bit == flag;
            break;
        }
        case IfOrder:
            jumps = ((code.z & order(ints[code.x], number_at(code.head, code.index, ints))) != 0) == flag;
            break;
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
            const u32 first = find([&](u32 w, Word word) {
                if (!ends) without_first(w, word);
            });
            team.will_write(vector_bit(code.x));
            jumps = first != none;
            if (flag || (jumps && !ends)) ints[code.index] = static_cast<int>(first);
            break;
        }
        case UpdateAnd:
        case UpdateAndNot:
        case UpdateOr:
        case UpdateXor:
        case UpdateNotAnd:
            if (!is_below(code.y)) break;
            update_column(team, code, position);
            if (code.head & repeats) {
                turns += update_columns(team, code, after, run.most_turns - turns, ints);
            }
            break;
        case ToWord:
            if (is_below(code.y)) to_word(team, code.z, code.len, position);
            break;
        case ToInt:
            ints[code.index] = to_int(team, code);
            break;
        default:
            break;
        }
        if (stop.failure) break;
        if (!jumps) {
            step += skip_of(code.head);
            code = after;
            continue;
        }
        if (target <= step && ++turns > run.most_turns) {
            stop.failure = endless;
            break;
        }
        step = target;
        code = fetch(steps, target);
    }
    report(run, team, step, stop);
}
