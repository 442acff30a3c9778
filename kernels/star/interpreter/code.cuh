// What the host encodes a program as: `crates/star-machine/src/program/code.rs` has the same.
#pragma once

#include "../../common/grid.cuh"

// One step. What the fields are of each operation stands there.
struct Code {
    u32 head, z, x, y, len, index, a, b;
};

// What a step does. An operation of two steps or three stands where the first of them was;
// the others stay, for those who jump to them.
enum Operation : u32 {
    End,
    Fill,
    Copy,
    Not,
    And,
    AndNot,
    Or,
    Xor,
    SetBit,
    First,
    Find,
    Step,
    Count,
    Trim,
    Replace,
    Add,
    Subtract,
    ReadColumn,
    WriteColumn,
    ReadRow,
    WriteRow,
    ClearTable,
    SetInt,
    AddInt,
    AddInts,
    Jump,
    IfSome,
    IfFound,
    IfBit,
    IfOrder,
    IfCompare,
    Start,
    Repeat,
    // `if SOME(x) then i := STEP(x), goto a`; with `one`, i is none otherwise
    TakeFirst,
    // `z := COL(i, t) and x; COL(i, t) := z`, and the like
    UpdateAnd,
    UpdateAndNot,
    UpdateOr,
    UpdateXor,
    // with the operands exchanged: `z := x and not COL(i, t)`
    UpdateNotAnd,
};

// The head: the operation in 8 bits, 8 bits of the operation's own, how many steps further
// the next one is in 8 bits, the table's number modulo 32, and whether it may jump.
__device__ __forceinline__ u32 operation_of(u32 head) { return head & 0xff; }
__device__ __forceinline__ u32 skip_of(u32 head) { return head >> 16 & 0xff; }
__device__ __forceinline__ bool may_jump(u32 head) { return head >> 31; }
// Of the operation's own bits: `index` is a position itself, not the integer that holds it;
// the bit, or the answer, that is meant; whether a loop counts downwards; whether the step
// after an update takes the number of the next column from another vector, and leads back.
constexpr u32 constant_position = 0x8000, one = 0x100, backwards = 0x200, repeats = 0x400;

// Bits of `held` that tell what was touched since the last barrier, 32 for vectors and 32
// for tables. Several may share one: then there is a barrier too many.
__device__ __forceinline__ u64 vector_bit(u32 at) { return 1ull << (at >> 4 & 31); }
__device__ __forceinline__ u64 table_bit(u32 head) { return 1ull << (32 + (head >> 24 & 31)); }

// Where the run stands, in the device's memory; zeros before.
struct Control {
    // of the barrier
    u32 arrived;
    // 0, or why the run ended early
    u32 failure;
    // the step that failed, and the position that it was given
    u32 step;
    int position;
    u64 turns;
    // for what blocks find out together
    u32 cells[4];
};

enum Failure : u32 { no_position = 1, out_of_range = 2, endless = 3 };

struct Run {
    const Code* code;
    // all vectors, one after another
    u64* vectors;
    int* ints;
    Control* control;
    u64 most_turns;
    u32 n_words, n_ints;
};

__device__ __forceinline__ Code fetch(const Code* code, u32 step) {
    const uint4* halves = reinterpret_cast<const uint4*>(code + step);
    const uint4 first = __ldg(halves), second = __ldg(halves + 1);
    return {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
}

__device__ __forceinline__ u32 words_of(u32 bits) { return (bits + 63) / 64; }

// The lowest `count` bits, of at most 64.
__device__ __forceinline__ u64 low_bits(u32 count) { return count < 64 ? (1ull << count) - 1 : ~0ull; }

// The bits that word w of a row of `len` bits has.
__device__ __forceinline__ u64 bits_of(u32 w, u32 len) { return low_bits(min(64u, len - 64 * w)); }
