// What the host encodes a program as: `crates/star-machine/src/program/code.rs` has the same.
#pragma once

#include "../../common/grid.cuh"
#include "operations.cuh"

// Vectors and tables are words of 32 bits, which the host has as words of 64: a thread has half as
// much to do for each, and there are twice as many.
using Word = u32;
constexpr u32 word_bits = 32;

// The part of a step that is always read. What the fields are of each operation stands there.
struct Code {
    u32 head, z, x, y, len, index, a, b;
};

// The rest of it, for procedures and for fields by numbers: addresses of fields, where results
// start, and for each field the integer with its number, or none, and how many there are.
struct More {
    u32 other_a, other_b, to_a, to_b;
    u32 equal, greater, number, other_number, to_number, fields, other_fields, to_fields;
};

struct Encoded {
    Code code;
    More more;
};

// The head: the operation in 8 bits, 8 bits of the operation's own, how many steps further
// the next one is in 8 bits, and the table's number modulo 32.
__device__ __forceinline__ Operation operation_of(u32 head) { return static_cast<Operation>(head & 0xff); }
__device__ __forceinline__ u32 skip_of(u32 head) { return head >> 16 & 0xff; }
// Bits of an operation:
// - constant_position: `index` is a position itself, not the integer that holds it.
// - one: the bit, or the answer, that is meant.
// - backwards: a loop counts downwards.
// - repeats: the step after an update takes the number of the next column from another vector, and
//   leads back.
constexpr u32 constant_position = 0x8000, one = 0x100, backwards = 0x200, repeats = 0x400;
// Bits of a procedure, but for the first:
// - numbered: the field is one by a number.
// - of_word: what a table is compared with, added to or changed into is a word.
// - keeps: rows that are not marked keep their values.
// - everywhere: all rows are marked.
// - finds: the first of the least rows goes to the integer that `equal` names.
// - one: numbers of SETMIN are in two's complement; the least is the greatest.
constexpr u32 numbered = 0x800, of_word = 0x1000, keeps = 0x2000, everywhere = 0x4000, finds = 0x200;
// Bits of procedures that are more steps than one:
// - makes: a word is first made of the number that `other_a` is or names, one of `other_b`.
// - asks: the integer that is found is compared with the one that `greater` is or names, for a
//   jump to `to_a`.
// - forgets: nothing reads sums when arcs are relaxed.
// - shifted: a column that is written may be another one of those that are read.
constexpr u32 makes = 0x200, asks = 0x400, forgets = 0x400, shifted = 0x20000000;

// Bits of `held` that tell what was touched since the last barrier, 32 for vectors and 32
// for tables. Several may share one: then there is a barrier too many.
__device__ __forceinline__ u64 vector_bit(u32 at) { return 1ull << (at >> 5 & 31); }
__device__ __forceinline__ u64 table_bit(u32 head) { return 1ull << (32 + (head >> 24 & 31)); }

// A position or number: that itself, or what the integer holds that is named.
__device__ __forceinline__ int number_at(u32 head, u32 index, const int* ints) {
    return head & constant_position ? static_cast<int>(index) : ints[index];
}

// 1 for less, 2 for equal and 4 for greater.
__device__ __forceinline__ u32 order(int i, int j) { return i < j ? 1 : i == j ? 2 : 4; }

enum Failure : u32 { no_position = 1, out_of_range = 2, endless = 3 };

// Why a run ended early: 0, or the reason; whether it is a field's number that is wrong; the
// position, or number, and how many there are.
struct Stop {
    u32 failure, of_field;
    int position;
    u32 count;

    // Whether there are more things than that.
    __device__ __forceinline__ bool is_below(int at, u32 n, bool field) {
        position = at;
        count = n;
        of_field = field;
        if (static_cast<u32>(at) < n) return true;
        failure = at < 0 ? no_position : out_of_range;
        return false;
    }
};

// Where the run stands, in the device's memory; zeros before.
struct Control {
    // of the barrier
    u32 arrived;
    // the step that failed, and why
    u32 step, failure, of_field;
    int position;
    u32 count;
    // for what blocks find out together
    u64 cells[3];
};

struct Run {
    const Encoded* steps;
    // all vectors, one after another
    Word* vectors;
    int* ints;
    Control* control;
    u64 most_turns;
    u32 n_words, n_ints;
};

__device__ __forceinline__ Code fetch(const Encoded* steps, u32 step) {
    const uint4* parts = reinterpret_cast<const uint4*>(&steps[step].code);
    const uint4 a = __ldg(parts), b = __ldg(parts + 1);
    return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}

__device__ __forceinline__ More fetch_more(const Encoded* steps, u32 step) {
    const uint4* parts = reinterpret_cast<const uint4*>(&steps[step].more);
    const uint4 a = __ldg(parts), b = __ldg(parts + 1), c = __ldg(parts + 2);
    return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
}

__device__ __forceinline__ Word* address(u32 low, u32 high) {
    return reinterpret_cast<Word*>(static_cast<u64>(high) << 32 | low);
}

// Two for each of the host's, so that the last one may have no bits, and is zero.
__device__ __forceinline__ u32 words_of(u32 bits) { return (bits + 63) / 64 * 2; }

// The lowest `count` bits, of at most 32.
__device__ __forceinline__ Word low_bits(u32 count) { return count < word_bits ? (1u << count) - 1 : ~0u; }

// The bits that word w of a row of `len` bits has.
__device__ __forceinline__ Word bits_of(u32 w, u32 len) {
    const u32 start = word_bits * w;
    return start < len ? low_bits(min(word_bits, len - start)) : 0;
}
