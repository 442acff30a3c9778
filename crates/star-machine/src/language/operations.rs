//! The operations of the language, by their names in papers.

use super::{FieldVar, Index, IntVar, Logic, Op, SliceVar, Star, TableVar, Vector, WordVar};
use crate::StarError;

/// The operations by their names in the papers; each gives one [`Op`], and has its errors.
macro_rules! operations {
    ($($(#[$doc:meta])+ $name:ident($($arg:ident: $type:ty),*) => $op:expr;)*) => {
        /// The operations of [`Star`], one method each.
        ///
        /// Each gives the [`Op`] of its last words, with its errors.
        #[expect(clippy::missing_errors_doc, reason = "those of Star::run, as said above")]
        pub trait Operations: Star {
            $($(#[$doc])+
            fn $name(&mut self, $($arg: $type),*) -> Result<(), StarError> {
                self.run($op)
            })*
        }

        impl<S: Star> Operations for S {}
    };
}

operations! {
    /// `SET(z)`: all ones. [`Op::Fill`]
    set(z: impl Into<Vector>) => Op::Fill { z: z.into(), ones: true };
    /// `CLR(z)`: all zeros. [`Op::Fill`]
    clear(z: impl Into<Vector>) => Op::Fill { z: z.into(), ones: false };
    /// `z := x`. [`Op::Copy`]
    copy(z: impl Into<Vector>, x: impl Into<Vector>) => Op::Copy { z: z.into(), x: x.into() };
    /// `z := not x`. [`Op::Not`]
    not(z: impl Into<Vector>, x: impl Into<Vector>) => Op::Not { z: z.into(), x: x.into() };
    /// `z := x and y`. [`Op::Logic`]
    and(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::And, z: z.into(), x: x.into(), y: y.into() };
    /// `z := x and not y`. [`Op::Logic`]
    and_not(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::AndNot, z: z.into(), x: x.into(), y: y.into() };
    /// `z := x or y`. [`Op::Logic`]
    or(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::Or, z: z.into(), x: x.into(), y: y.into() };
    /// `z := x xor y`. [`Op::Logic`]
    xor(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::Xor, z: z.into(), x: x.into(), y: y.into() };
    /// `z(at) := bit`. [`Op::SetBit`]
    set_bit(z: impl Into<Vector>, at: impl Into<Index>, bit: bool)
        => Op::SetBit { z: z.into(), at: at.into(), bit };
    /// `z := FRST(x)`: the first one alone. [`Op::First`]
    frst(z: impl Into<Vector>, x: impl Into<Vector>) => Op::First { z: z.into(), x: x.into() };
    /// `i := FND(x)`: where the first one is. [`Op::Find`]
    fnd(i: IntVar, x: impl Into<Vector>) => Op::Find { i, x: x.into() };
    /// `i := STEP(x)`: where the first one is, which is taken out. [`Op::Step`]
    step(i: IntVar, x: impl Into<Vector>) => Op::Step { i, x: x.into() };
    /// `i := NUMB(x)`: how many ones there are. [`Op::Count`]
    numb(i: IntVar, x: impl Into<Vector>) => Op::Count { i, x: x.into() };
    /// `z := TRIM(from.., x)`. [`Op::Trim`]
    trim(z: WordVar, x: WordVar, from: impl Into<Index>)
        => Op::Trim { z: z.0, x: x.0, from: from.into() };
    /// `REP(from.., x, z)`. [`Op::Replace`]
    rep(z: WordVar, x: WordVar, from: impl Into<Index>)
        => Op::Replace { z: z.0, x: x.0, from: from.into() };
    /// `z := WORD(i)`: a number as a word. [`Op::ToWord`]
    to_word(z: WordVar, i: impl Into<Index>) => Op::ToWord { z: z.0, i: i.into() };
    /// `i := NUMBER(w)`: a word as a number. [`Op::ToInt`]
    to_int(i: IntVar, w: WordVar) => Op::ToInt { i, w: w.0 };
    /// `z := ADD(v, w)`. [`Op::Add`]
    add(z: WordVar, carry: IntVar, v: WordVar, w: WordVar)
        => Op::Add { z: z.0, v: v.0, w: w.0, carry };
    /// `z := SUBT(v, w)`. [`Op::Subtract`]
    subt(z: WordVar, borrow: IntVar, v: WordVar, w: WordVar)
        => Op::Subtract { z: z.0, v: v.0, w: w.0, borrow };
    /// `z := COL(column, table)`. [`Op::ReadColumn`]
    col(z: SliceVar, table: impl Into<FieldVar>, column: impl Into<Index>)
        => Op::ReadColumn { z: z.0, table: table.into(), column: column.into() };
    /// `COL(column, table) := x`. [`Op::WriteColumn`]
    set_col(table: impl Into<FieldVar>, column: impl Into<Index>, x: SliceVar)
        => Op::WriteColumn { table: table.into(), column: column.into(), x: x.0 };
    /// `z := ROW(row, table)`. [`Op::ReadRow`]
    row(z: WordVar, table: impl Into<FieldVar>, row: impl Into<Index>)
        => Op::ReadRow { z: z.0, table: table.into(), row: row.into() };
    /// `ROW(row, table) := x`. [`Op::WriteRow`]
    set_row(table: impl Into<FieldVar>, row: impl Into<Index>, x: WordVar)
        => Op::WriteRow { table: table.into(), row: row.into(), x: x.0 };
    /// Zeros in the whole table. [`Op::ClearTable`]
    clear_table(table: TableVar) => Op::ClearTable { table };
    /// `i :=` a number, or none. [`Op::SetInt`]
    set_int(i: IntVar, value: Option<u32>) => Op::SetInt { i, value };
    /// `i := j + by`. [`Op::AddInt`]
    add_int(i: IntVar, j: IntVar, by: i32) => Op::AddInt { i, j, by };
}
