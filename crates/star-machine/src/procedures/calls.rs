//! The basic procedures by their names in papers.

use super::{Procedure, slice_of};
use crate::StarError;
use crate::language::{FieldVar, Operations, SliceVar, Star, WordVar};

/// The procedures by name; each gives one [`Procedure`], and has its errors.
macro_rules! procedures {
    ($($(#[$doc:meta])+ $name:ident($($arg:ident: $type:ty),*) => $procedure:expr;)*) => {
        $($(#[$doc])+
        fn $name(&mut self, $($arg: $type),*) -> Result<(), StarError> {
            self.call($procedure)
        })*
    };
}

/// The basic procedures of [`Star`], one method each; results come first.
///
/// `rows` marks the rows that take part. See [`Procedure`] for sizes and for what results may
/// be operands.
///
/// ```
/// use star_machine::{Host, Machine, Procedures, Slice, Star, Table, Word};
///
/// let mut m = Host::new();
/// let table = m.load_table(&Table::from_values(&[5, 2, 7, 2], 3)?)?;
/// let rows = m.load_slice(&Slice::ones(4)?)?;
/// let z = m.slice(4)?;
/// m.min(z, table, rows)?;
/// assert_eq!(m.slice_value(z)?.to_string(), "0101");
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[expect(clippy::missing_errors_doc, reason = "those of Star::call, as said above")]
pub trait Procedures: Star {
    procedures! {
        /// `MATCH`: rows equal to the word.
        match_rows(z: SliceVar, table: impl Into<FieldVar>, rows: SliceVar, word: WordVar)
            => Procedure::Match { table: table.into(), rows, word, z };
        /// `LESS` and `GREAT` together: rows less than the word, equal to it, greater.
        compare(less: SliceVar, equal: SliceVar, greater: SliceVar, table: impl Into<FieldVar>,
            rows: SliceVar, word: WordVar)
            => Procedure::Compare { table: table.into(), rows, word, less, equal, greater };
        /// `MIN`: all rows that hold the least number.
        min(z: SliceVar, table: impl Into<FieldVar>, rows: SliceVar)
            => Procedure::Min { table: table.into(), rows, z };
        /// `MAX`: all rows that hold the greatest number.
        max(z: SliceVar, table: impl Into<FieldVar>, rows: SliceVar)
            => Procedure::Max { table: table.into(), rows, z };
        /// `SETMIN`: rows where the first table is less than the other.
        setmin(z: SliceVar, table: impl Into<FieldVar>, other: impl Into<FieldVar>,
            rows: SliceVar) => Procedure::SetMin {
                table: table.into(), other: other.into(), rows, signed: false, z };
        /// `SETMAX`: rows where the first table is greater than the other.
        setmax(z: SliceVar, table: impl Into<FieldVar>, other: impl Into<FieldVar>,
            rows: SliceVar) => Procedure::SetMin {
                table: other.into(), other: table.into(), rows, signed: false, z };
        /// `SETMIN` of numbers in two's complement.
        setmin_signed(z: SliceVar, table: impl Into<FieldVar>, other: impl Into<FieldVar>,
            rows: SliceVar) => Procedure::SetMin {
                table: table.into(), other: other.into(), rows, signed: true, z };
        /// `SETMAX` of numbers in two's complement.
        setmax_signed(z: SliceVar, table: impl Into<FieldVar>, other: impl Into<FieldVar>,
            rows: SliceVar) => Procedure::SetMin {
                table: other.into(), other: table.into(), rows, signed: true, z };
        /// `HIT`: rows where the two tables are equal.
        hit(z: SliceVar, table: impl Into<FieldVar>, other: impl Into<FieldVar>, rows: SliceVar)
            => Procedure::Hit { table: table.into(), other: other.into(), rows, z };
        /// `TCOPY`: the whole table.
        tcopy(to: impl Into<FieldVar>, table: impl Into<FieldVar>)
            => Procedure::CopyTable { table: table.into(), to: to.into() };
        /// `TMERGE`: the marked rows of the table; the others keep their values.
        tmerge(to: impl Into<FieldVar>, table: impl Into<FieldVar>, rows: SliceVar)
            => Procedure::MergeTable { table: table.into(), rows, to: to.into() };
        /// `WCOPY`: the word into the marked rows, zeros into the others.
        wcopy(to: impl Into<FieldVar>, word: WordVar, rows: SliceVar)
            => Procedure::CopyWord { word, rows, to: to.into() };
        /// `WMERGE`: the word into the marked rows; the others keep their values.
        wmerge(to: impl Into<FieldVar>, word: WordVar, rows: SliceVar)
            => Procedure::MergeWord { word, rows, to: to.into() };
        /// `ADDC`: marked rows plus the word; zeros in the others.
        addc(to: impl Into<FieldVar>, carry: SliceVar, table: impl Into<FieldVar>,
            rows: SliceVar, word: WordVar) => Procedure::AddWord {
                table: table.into(), rows, word, to: to.into(), carry };
        /// `ADDV`: marked rows of two tables together; zeros in the others.
        addv(to: impl Into<FieldVar>, carry: SliceVar, table: impl Into<FieldVar>,
            other: impl Into<FieldVar>, rows: SliceVar) => Procedure::AddTable {
                table: table.into(), other: other.into(), rows, to: to.into(), carry };
        /// `SUBTC`: marked rows less the word; zeros in the others.
        subtc(to: impl Into<FieldVar>, borrow: SliceVar, table: impl Into<FieldVar>,
            rows: SliceVar, word: WordVar) => Procedure::SubtractWord {
                table: table.into(), rows, word, to: to.into(), borrow };
        /// `SUBTV`: marked rows of the first table less those of the other; zeros elsewhere.
        subtv(to: impl Into<FieldVar>, borrow: SliceVar, table: impl Into<FieldVar>,
            other: impl Into<FieldVar>, rows: SliceVar) => Procedure::SubtractTable {
                table: table.into(), other: other.into(), rows, to: to.into(), borrow };
    }

    /// `LESS`: rows less than the word.
    fn less(
        &mut self,
        z: SliceVar,
        table: impl Into<FieldVar>,
        rows: SliceVar,
        word: WordVar,
    ) -> Result<(), StarError> {
        let table = table.into();
        self.scope(|m| {
            let (equal, greater) = (slice_of(m, table)?, slice_of(m, table)?);
            m.compare(z, equal, greater, table, rows, word)
        })
    }

    /// `GREAT`: rows greater than the word.
    fn great(
        &mut self,
        z: SliceVar,
        table: impl Into<FieldVar>,
        rows: SliceVar,
        word: WordVar,
    ) -> Result<(), StarError> {
        let table = table.into();
        self.scope(|m| {
            let (less, equal) = (slice_of(m, table)?, slice_of(m, table)?);
            m.compare(less, equal, z, table, rows, word)
        })
    }

    /// `LESSEQ`: marked rows not greater than the word.
    fn lesseq(
        &mut self,
        z: SliceVar,
        table: impl Into<FieldVar>,
        rows: SliceVar,
        word: WordVar,
    ) -> Result<(), StarError> {
        let table = table.into();
        self.scope(|m| {
            let greater = slice_of(m, table)?;
            m.great(greater, table, rows, word)?;
            m.and_not(z, rows, greater)
        })
    }

    /// `GREATEQ`: marked rows not less than the word.
    fn greateq(
        &mut self,
        z: SliceVar,
        table: impl Into<FieldVar>,
        rows: SliceVar,
        word: WordVar,
    ) -> Result<(), StarError> {
        let table = table.into();
        self.scope(|m| {
            let less = slice_of(m, table)?;
            m.less(less, table, rows, word)?;
            m.and_not(z, rows, less)
        })
    }
}

impl<S: Star> Procedures for S {}
