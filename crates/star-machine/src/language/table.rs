//! The operations and the basic procedures of the language, each defined once.
//!
//! Other files make what they have of each from these tables. An entry has its documentation, its
//! name, its name in messages, the operands that it reads, its results, what else it takes, and
//! these columns:
//!
//! | column | what it says | where it becomes code |
//! | --- | --- | --- |
//! | `listing` | its line in a listing | `operand.rs` |
//! | `sizes` | which sizes its operands may have, given its name in messages | `op.rs` |
//! | `cost` | what it counts as on the abstract machine | `op.rs` |
//! | `method` | its methods, which take results, operands and the rest in this order | `operations.rs`, `procedures/calls.rs` |
//! | `texts` | what it takes and gives in texts, by the operands' names, and the rest | `text/operations.rs` |
//! | `code` | its names in the kernel that interprets programs, and where its operands go | `program/code.rs` |
//! | `pass` | a procedure as a pass over columns | `procedures/pass.rs` |
//! | `kernel` | the kernel of a procedure that is launched alone | `cuda/fused.rs` |
//!
//! A new operation also needs:
//! * its effect on values in `machine/execute.rs`, by a method of `values/`; a procedure may need a
//!   new step in `procedures/steps.rs`;
//! * a case of `kernels/star/interpreter/interpret.cuh`. `cargo xtask ptx` builds it once the Rust
//!   code compiles, and writes the interpreter's enum. An operation that gives 1 for two zeros is
//!   no `Logic`;
//! * alone, a kernel in `kernels/star/operations.cu`, its handle in `cuda/kernels.rs` and its
//!   launch in `cuda/operations.rs`;
//! * its line in `LANGUAGE.md`; `tests/all/naive.rs`; the lists in the tests `gpu.rs`,
//!   `operations.rs` and `statements.rs`.
//!
//! An operator between operands is a case of `text/lexer.rs`, `syntax.rs`, `parse/expressions.rs`,
//! `sorts/expressions.rs` and `compile/values.rs`.

/// The operations: `operations!(reader arguments)` hands them to a macro, after its arguments.
macro_rules! operations {
    ($reader:ident $($arguments:tt)*) => { $reader! { $($arguments)*
        /// `SET(z)` or `CLR(z)`: every bit of `z` becomes `ones`. Free on the abstract machine.
        Fill "SET or CLR" () -> (z: Vector) [ones: bool] {
            listing: format!("{}({z})", if ones { "SET" } else { "CLR" }),
            sizes: |_| Ok(()), cost: Free, method: [set { ones: true } clear { ones: false }],
            texts: {
                "SET"(z: Changed) -> () { ones: true };
                "CLR"(z: Changed) -> () { ones: false };
            },
            code: [Fill] |e, code| e.vectors(code, z, z, z).with(ONE, ones),
        }
        /// `z := x`, and `CONVERT` where one is a slice and the other a word. Free.
        Copy "an assignment" (x: Vector) -> (z: Vector) [] {
            listing: format!("{z} := {x}"),
            sizes: |what| same(what, z, x), cost: Free, method: [copy],
            texts: { "CONVERT"(x: Bits) -> (z: Other); },
            code: [Copy] |e, code| e.vectors(code, z, x, x),
        }
        /// `z := not x`.
        Not "not" (x: Vector) -> (z: Vector) [] {
            listing: format!("{z} := not {x}"),
            sizes: |what| same(what, z, x), cost: Bitwise, method: [not],
            code: [Not] |e, code| e.vectors(code, z, x, x),
        }
        /// `z := x and y`, and the like.
        Logic "a bitwise operation" (x: Vector, y: Vector) -> (z: Vector) [logic: Logic] {
            listing: format!("{z} := {x} {logic} {y}"),
            sizes: |what| same(what, z, x).and_then(|()| same(what, z, y)), cost: Bitwise,
            method: [
                and { logic: Logic::And } and_not { logic: Logic::AndNot }
                or { logic: Logic::Or } xor { logic: Logic::Xor }
            ],
            code: [And, AndNot, Or, Xor] |e, code| e.vectors(code.further(logic as u32), z, x, y),
        }
        /// `z(at) := bit`; the other bits stay.
        SetBit "setting a bit" (z: Vector, at: Index) -> () [bit: bool] {
            listing: format!("{z}({at}) := {}", u8::from(bit)),
            sizes: |_| inside("bit", at, z.len), cost: Free, method: [set_bit],
            code: [SetBit] |e, code| e.vectors(code, z, z, z).with(ONE, bit).at(at),
        }
        /// `z := FRST(x)`: `x` with all but its first 1 cleared.
        First "FRST" (x: Vector) -> (z: Vector) [] {
            listing: format!("{z} := FRST({x})"),
            sizes: |what| same(what, z, x), cost: Search, method: [frst],
            texts: { "FRST"(x: Bits) -> (z: Same); },
            code: [First] |e, code| e.vectors(code, z, x, x),
        }
        /// `i := FND(x)`: the position of the first 1, or none.
        Find "FND" (x: Vector) -> (i: IntVar) [] {
            listing: format!("{i} := FND({x})"),
            sizes: |_| Ok(()), cost: Search, method: [fnd],
            texts: { "FND"(x: Bits) -> (i: Position); },
            code: [Find] |e, code| e.vectors(code, x, x, x).int(i),
        }
        /// `i := STEP(x)`: the position of the first 1, or none; that bit of `x` is cleared.
        Step "STEP" (x: Vector) -> (i: IntVar) [] {
            listing: format!("{i} := STEP({x})"),
            sizes: |_| Ok(()), cost: Search, method: [step],
            texts: { "STEP"(x: Changed) -> (i: Position); },
            code: [Step] |e, code| e.vectors(code, x, x, x).int(i),
        }
        /// `i := NUMB(x)`: the number of ones in `x`.
        Count "NUMB" (x: Vector) -> (i: IntVar) [] {
            listing: format!("{i} := NUMB({x})"),
            sizes: |_| Ok(()), cost: Search, method: [numb],
            texts: { "NUMB"(x: Bits) -> (i: Number); },
            code: [Count] |e, code| e.vectors(code, x, x, x).int(i),
        }
        /// `z := TRIM(from.., x)`: as many bits as `z` has, from position `from` on; `x` is not
        /// shorter than `from` and `z` together.
        Trim "TRIM" (x: WordVar, from: Index) -> (z: WordVar) [] {
            listing: format!("{z} := TRIM({from}.., {x})"),
            sizes: |what| part(what, z.0, x.0, from), cost: Word, method: [trim],
            texts: {
                "TRIM"(from: Part, x: LongWord) -> (z: Word);
                "TRIM"(from: Position, x: LongWord) -> (z: Word);
            },
            code: [Trim] |e, code| e.vectors(code, z, x, x).y(x.0.len).at(from),
        }
        /// `REP(from.., x, z)`: the bits of `z` from position `from` on become those of `x`; `z`
        /// is not shorter than `from` and `x` together.
        Replace "REP" (z: WordVar, x: WordVar, from: Index) -> () [] {
            listing: format!("REP({from}.., {x}, {z})"),
            sizes: |what| part(what, x.0, z.0, from), cost: Word, method: [rep],
            texts: {
                "REP"(from: Part, x: Word, z: Changed) -> ();
                "REP"(from: Position, x: Word, z: Changed) -> ();
            },
            code: [Replace] |e, code| e.vectors(code, z, x, x).y(x.0.len).at(from),
        }
        /// `z := WORD(i)`: the number, its most significant bit first; an error where it has more
        /// bits than `z`.
        ToWord "WORD" (i: Index) -> (z: WordVar) [] {
            listing: format!("{z} := WORD({i})"),
            sizes: |_| inside("number", i, numbers(z.0)), cost: Word, method: [to_word],
            texts: { "WORD"(i: Number) -> (z: Word); },
            code: [ToWord] |e, code| e.vectors(code, z, z, z).y(numbers(z.0)).at(i),
        }
        /// `i := NUMBER(w)`, or none from 2³¹ on.
        ToInt "NUMBER" (w: WordVar) -> (i: IntVar) [] {
            listing: format!("{i} := NUMBER({w})"),
            sizes: |_| Ok(()), cost: Word, method: [to_int],
            texts: { "NUMBER"(w: Word) -> (i: Number); },
            code: [ToInt] |e, code| e.vectors(code, w, w, w).int(i),
        }
        /// `z := ADD(v, w)`, modulo 2^length; `carry` holds 0 if there is one, and none otherwise.
        Add "ADD" (v: WordVar, w: WordVar) -> (z: WordVar, carry: IntVar) [] {
            listing: format!("{z}, {carry} := ADD({v}, {w})"),
            sizes: |what| same(what, z, v).and_then(|()| same(what, z, w)), cost: Word,
            method: [add],
            texts: { "ADD"(v: Word, w: Word) -> (z: Word, carry: Position); },
            code: [Add] |e, code| e.vectors(code, z, v, w).int(carry),
        }
        /// `z := SUBT(v, w)`, modulo 2^length; `borrow` holds 0 if there is one, and none
        /// otherwise.
        Subtract "SUBT" (v: WordVar, w: WordVar) -> (z: WordVar, borrow: IntVar) [] {
            listing: format!("{z}, {borrow} := SUBT({v}, {w})"),
            sizes: |what| same(what, z, v).and_then(|()| same(what, z, w)), cost: Word,
            method: [subt],
            texts: { "SUBT"(v: Word, w: Word) -> (z: Word, borrow: Position); },
            code: [Subtract] |e, code| e.vectors(code, z, v, w).int(borrow),
        }
        /// `z := COL(column, table)`; `z` is as long as the table has rows.
        ReadColumn "COL" (table: FieldVar, column: Index) -> (z: SliceVar) [] {
            listing: format!("{z} := COL({column}, {table})"),
            sizes: |what| of_column(what, z, table, column), cost: ColumnRead, method: [col],
            texts: { "COL"(column: Position, table: Table) -> (z: Slice); },
            code: [ReadColumn] |e, code| e.column(code, z, table, column),
        }
        /// `COL(column, table) := x`; `x` is as long as the table has rows.
        WriteColumn "COL" (table: FieldVar, column: Index, x: SliceVar) -> () [] {
            listing: format!("COL({column}, {table}) := {x}"),
            sizes: |what| of_column(what, x, table, column), cost: ColumnWrite, method: [set_col],
            texts: { "COL :="(column: Position, table: Written, x: Slice) -> (); },
            code: [WriteColumn] |e, code| e.column(code, x, table, column),
        }
        /// `z := ROW(row, table)`; `z` is as long as the table has columns.
        ReadRow "ROW" (table: FieldVar, row: Index) -> (z: WordVar) [] {
            listing: format!("{z} := ROW({row}, {table})"),
            sizes: |what| of_row(what, z, table, row), cost: RowRead, method: [row],
            texts: { "ROW"(row: Position, table: Table) -> (z: Word); },
            code: [ReadRow] |e, code| e.row(code, z, table, row).x(stride_of(table.table.rows)),
        }
        /// `ROW(row, table) := x`; `x` is as long as the table has columns.
        WriteRow "ROW" (table: FieldVar, row: Index, x: WordVar) -> () [] {
            listing: format!("ROW({row}, {table}) := {x}"),
            sizes: |what| of_row(what, x, table, row), cost: RowWrite, method: [set_row],
            texts: { "ROW :="(row: Position, table: Written, x: Word) -> (); },
            code: [WriteRow] |e, code| e.row(code, x, table, row).z(stride_of(table.table.rows)),
        }
        /// Every bit of the table becomes 0. Free, as `CLR` is.
        ClearTable "CLEAR" () -> (table: TableVar) [] {
            listing: format!("CLEAR({table})"),
            sizes: |_| Ok(()), cost: Free, method: [clear_table],
            code: [ClearTable] |e, code| e.whole(code, table),
        }
        /// `i := value`, below 2³¹, or none. Integers belong to the control unit and are free.
        SetInt "an integer" () -> (i: IntVar) [value: Option<u32>] {
            listing: format!("{i} := {}", value.map_or("none".into(), |value| value.to_string())),
            sizes: |_| value.map_or(Ok(()), below_limit), cost: Free, method: [set_int],
            code: [SetInt] |_, code| code.int(i).x(value.unwrap_or(NONE)),
        }
        /// `i := j + by`; none where `j` holds none or the sum is not in 0..2³¹.
        AddInt "an integer" (j: IntVar) -> (i: IntVar) [by: i32] {
            listing: format!("{i} := {j} {by:+}"),
            sizes: |_| Ok(()), cost: Free, method: [add_int],
            code: [AddInt] |_, code| code.int(i).x(j.place()).y(by as u32),
        }
        /// `i := j + k + by`, or `j - k + by` with `is_minus`; none where `j` or `k` holds none or
        /// the result is not in 0..2³¹.
        AddInts "an integer" (j: IntVar, k: IntVar) -> (i: IntVar) [is_minus: bool, by: i32] {
            listing: format!("{i} := {j} {} {k} {by:+}", if is_minus { '-' } else { '+' }),
            sizes: |_| Ok(()), cost: Free, method: [],
            code: [AddInts] |_, code| {
                code.int(i).x(j.place()).z(k.place()).y(by as u32).with(ONE, is_minus)
            },
        }
    } };
}

/// The basic procedures, as [`operations`].
macro_rules! procedures {
    ($reader:ident $($arguments:tt)*) => { $reader! { $($arguments)*
        /// `MATCH`: `z` marks the rows equal to `word`.
        Match "MATCH" (table: FieldVar, rows: SliceVar, word: WordVar) -> (z: SliceVar) [] {
            listing: format!("{z} := MATCH({table}, {rows}, {word})"), method: [match_rows],
            texts: { "MATCH"(table: Table, rows: Slice, word: Word) -> (z: Slice); },
            pass: found(Step::Equal, rows, table, Second::Word(word), z), kernel: match_rows,
        }
        /// `LESS` and `GREAT` together: which rows are less than `word`, equal to it, greater.
        Compare "LESS and GREAT" (table: FieldVar, rows: SliceVar, word: WordVar)
            -> (less: SliceVar, equal: SliceVar, greater: SliceVar) [] {
            listing: format!(
                "{less}, {equal}, {greater} := LESS and GREAT({table}, {rows}, {word})"
            ),
            method: [compare],
            texts: {
                "LESS"(table: Table, rows: Slice, word: Word)
                    -> (less: Slice, equal: Slice, greater: Slice);
                "GREAT"(table: Table, rows: Slice, word: Word)
                    -> (greater: Slice, less: Slice, equal: Slice);
            },
            pass: compared(rows, table, Second::Word(word), [equal, less, greater]),
            kernel: compare,
        }
        /// `MIN`: all rows that hold the least number.
        Min "MIN" (table: FieldVar, rows: SliceVar) -> (z: SliceVar) [] {
            listing: format!("{z} := MIN({table}, {rows})"), method: [min],
            texts: { "MIN"(table: Table, rows: Slice) -> (z: Slice); },
            pass: found(Step::Extreme, rows, table, Second::Known(false), z), kernel: least,
        }
        /// `MAX`: all rows that hold the greatest number.
        Max "MAX" (table: FieldVar, rows: SliceVar) -> (z: SliceVar) [] {
            listing: format!("{z} := MAX({table}, {rows})"), method: [max],
            texts: { "MAX"(table: Table, rows: Slice) -> (z: Slice); },
            pass: found(Step::Extreme, rows, table, Second::Known(true), z), kernel: least,
        }
        /// `SETMIN`: rows where the first table is strictly less, of numbers in two's complement if
        /// they are `signed`; `SETMAX` is this with the tables exchanged.
        SetMin "SETMIN" (table: FieldVar, other: FieldVar, rows: SliceVar) -> (z: SliceVar)
            [signed: bool] {
            listing: {
                let signed = if signed { "S" } else { "" };
                format!("{z} := SETMIN{signed}({table}, {other}, {rows})")
            },
            method: [setmin { signed: false } setmin_signed { signed: true }],
            texts: {
                "SETMIN"(table: Table, other: Table, rows: Slice) -> (z: Slice) { signed: false };
                "SETMAX"(other: Table, table: Table, rows: Slice) -> (z: Slice) { signed: false };
                "SETMINS"(table: Table, other: Table, rows: Slice) -> (z: Slice) { signed: true };
                "SETMAXS"(other: Table, table: Table, rows: Slice) -> (z: Slice) { signed: true };
            },
            pass: rows_less(signed, rows, table, other, z), kernel: set_min,
        }
        /// `HIT`: rows where the two tables are equal.
        Hit "HIT" (table: FieldVar, other: FieldVar, rows: SliceVar) -> (z: SliceVar) [] {
            listing: format!("{z} := HIT({table}, {other}, {rows})"), method: [hit],
            texts: { "HIT"(table: Table, other: Table, rows: Slice) -> (z: Slice); },
            pass: found(Step::Equal, rows, table, Second::Field(other), z), kernel: hit,
        }
        /// `CLEAR`: zeros everywhere.
        Clear "CLEAR" () -> (table: TableVar) [] {
            listing: format!("CLEAR({table})"), method: [],
            pass: merged(None, None, Second::Known(false), table.into()), kernel: clear,
        }
        /// `TCOPY`: the whole table.
        CopyTable "TCOPY" (table: FieldVar) -> (to: FieldVar) [] {
            listing: format!("TCOPY({table}; {to})"), method: [tcopy],
            texts: { "TCOPY"(table: Table, to: Written) -> (); },
            pass: merged(None, None, Second::Field(table), to), kernel: copy_table,
        }
        /// `TMERGE`: the marked rows of the table; the others keep their values.
        MergeTable "TMERGE" (table: FieldVar, to: FieldVar, rows: SliceVar) -> () [] {
            listing: format!("TMERGE({table}, {rows}; {to})"), method: [],
            texts: { "TMERGE"(table: Table, rows: Slice, to: Written) -> (); },
            pass: merged(Some(rows), Some(to), Second::Field(table), to), kernel: merge_table,
        }
        /// `WCOPY`: the word into the marked rows, zeros into the others.
        CopyWord "WCOPY" (word: WordVar, rows: SliceVar) -> (to: FieldVar) [] {
            listing: format!("WCOPY({word}, {rows}; {to})"), method: [wcopy],
            texts: { "WCOPY"(word: Word, rows: Slice, to: Written) -> (); },
            pass: merged(Some(rows), None, Second::Word(word), to), kernel: copy_word,
        }
        /// `WMERGE`: the word into the marked rows; the others keep their values.
        MergeWord "WMERGE" (to: FieldVar, word: WordVar, rows: SliceVar) -> () [] {
            listing: format!("WMERGE({word}, {rows}; {to})"), method: [wmerge],
            texts: { "WMERGE"(word: Word, rows: Slice, to: Written) -> (); },
            pass: merged(Some(rows), Some(to), Second::Word(word), to), kernel: merge_word,
        }
        /// `ADDC`: marked rows plus the word, modulo 2^columns; zeros in the others. `carry` marks
        /// the rows whose sum did not fit.
        AddWord "ADDC" (table: FieldVar, rows: SliceVar, word: WordVar)
            -> (to: FieldVar, carry: SliceVar) [] {
            listing: format!("{carry} := ADDC({table}, {rows}, {word}; {to})"), method: [addc],
            texts: { "ADDC"(table: Table, rows: Slice, word: Word, to: Written)
                -> (carry: Slice); },
            pass: added(false, rows, table, Second::Word(word), to, carry), kernel: add_word,
        }
        /// `ADDV`: marked rows of two tables, modulo 2^columns; zeros in the others. `carry` marks
        /// the rows whose sum did not fit.
        AddTable "ADDV" (table: FieldVar, other: FieldVar, rows: SliceVar)
            -> (to: FieldVar, carry: SliceVar) [] {
            listing: format!("{carry} := ADDV({table}, {other}, {rows}; {to})"), method: [addv],
            texts: { "ADDV"(table: Table, other: Table, rows: Slice, to: Written)
                -> (carry: Slice); },
            pass: added(false, rows, table, Second::Field(other), to, carry), kernel: add_table,
        }
        /// `SUBTC`: marked rows minus the word, modulo 2^columns; zeros in the others. `borrow`
        /// marks the rows less than the word.
        SubtractWord "SUBTC" (table: FieldVar, rows: SliceVar, word: WordVar)
            -> (to: FieldVar, borrow: SliceVar) [] {
            listing: format!("{borrow} := SUBTC({table}, {rows}, {word}; {to})"), method: [subtc],
            texts: { "SUBTC"(table: Table, rows: Slice, word: Word, to: Written)
                -> (borrow: Slice); },
            pass: added(true, rows, table, Second::Word(word), to, borrow), kernel: subtract_word,
        }
        /// `SUBTV`: marked rows of the first table minus those of the other, modulo 2^columns;
        /// zeros in the others. `borrow` marks the rows of the first that are less.
        SubtractTable "SUBTV" (table: FieldVar, other: FieldVar, rows: SliceVar)
            -> (to: FieldVar, borrow: SliceVar) [] {
            listing: format!("{borrow} := SUBTV({table}, {other}, {rows}; {to})"), method: [subtv],
            texts: { "SUBTV"(table: Table, other: Table, rows: Slice, to: Written)
                -> (borrow: Slice); },
            pass: added(true, rows, table, Second::Field(other), to, borrow),
            kernel: subtract_table,
        }
    } };
}

pub(crate) use {operations, procedures};
