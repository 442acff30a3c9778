// What a step does. An operation of two steps or three stands where the first of them was; the
// others stay, for those who jump to them. From crates/star-machine: the operations of
// src/language/table.rs, then those of src/program/code.rs. Written by `cargo xtask ptx`.
#pragma once

enum Operation : unsigned {
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
    ToWord,
    ToInt,
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
    Call,
    Return,
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
    // MATCH, HIT
    EqualRows,
    // LESS and GREAT, SETMIN
    CompareRows,
    // MIN, MAX
    LeastRows,
    // TCOPY, TMERGE, WCOPY, WMERGE
    Merge,
    // ADDC, ADDV
    AddRows,
    // SUBTC, SUBTV
    SubtractRows,
    // `C := ADDC(t, Y, w; S); B := SETMIN(S, D, Y); E := B and not C; TMERGE(S, E; D)`
    Relax,
};
