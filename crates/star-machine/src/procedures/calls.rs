//! The basic procedures by their names in papers.

use crate::StarError;
use crate::language::table::procedures;
use crate::language::{FieldVar, Operations, Procedure, SliceVar, Star, WordVar, methods};

/// The basic procedures of [`Star`], one method each; results come first.
///
/// `rows` marks the rows that take part. See [`Procedure`] for sizes and for what results may
/// be operands. `LANGUAGE.md` beside this crate's README has what each costs.
///
/// A field, `table.field(8..16)?`, is a range of columns of a table and may be used wherever a table
/// may. Sums and differences mark in a slice the rows that overflowed. Where all ones stand for an
/// unreached vertex, a sum that is less and did not overflow is an improvement. Let a procedure that
/// writes zeros into unmarked rows write to a table of its own, and merge the result from there.
///
/// ```
/// use star_machine::{Host, Machine, Procedures, Slice, Star, Table, Word};
///
/// let mut m = Host::new();
/// let prices = m.load_table(&Table::from_values(&[30, 12, 25, 12, 40], 6)?)?;
/// let all = m.load_slice(&Slice::ones(5)?)?;
/// let limit = m.load_word(&Word::from_u64(12, 6)?)?;
/// let (dearer, least) = (m.slice(5)?, m.slice(5)?);
/// m.great(dearer, prices, all, limit)?; // more than 12
/// m.min(least, prices, dearer)?; // the least of those
/// assert_eq!(m.slice_value(least)?.positions().collect::<Vec<_>>(), [2]);
///
/// let (discount, short) = (m.load_word(&Word::from_u64(5, 6)?)?, m.slice(5)?);
/// let reduced = m.table(5, 6)?;
/// m.subtc(reduced, short, prices, dearer, discount)?; // zeros where not marked
/// m.tmerge(prices, reduced, dearer)?; // only what is marked
/// assert_eq!(m.table_value(prices)?.to_values()?, [25, 12, 20, 12, 35]);
/// # Ok::<(), star_machine::StarError>(())
/// ```
///
/// A machine executes each procedure in one pass over the columns
/// ([`Machine::fused`](crate::Machine::fused)); [`Procedure::run`] executes it operation by
/// operation, with the same bits.
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
    procedures! { methods call Procedure; }

    /// `SETMAX`: rows where the first table is greater than the other.
    fn setmax(
        &mut self,
        z: SliceVar,
        table: impl Into<FieldVar>,
        other: impl Into<FieldVar>,
        rows: SliceVar,
    ) -> Result<(), StarError> {
        self.setmin(z, other, table, rows)
    }

    /// `SETMAX` of numbers in two's complement.
    fn setmax_signed(
        &mut self,
        z: SliceVar,
        table: impl Into<FieldVar>,
        other: impl Into<FieldVar>,
        rows: SliceVar,
    ) -> Result<(), StarError> {
        self.setmin_signed(z, other, table, rows)
    }

    /// `TMERGE`: the marked rows of the table; the others keep their values.
    fn tmerge(
        &mut self,
        to: impl Into<FieldVar>,
        table: impl Into<FieldVar>,
        rows: SliceVar,
    ) -> Result<(), StarError> {
        self.call(Procedure::MergeTable { table: table.into(), to: to.into(), rows })
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
        with_slices(self, table, |m, [equal, greater]| {
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
        with_slices(self, table, |m, [less, equal]| m.compare(less, equal, z, table, rows, word))
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
        with_slices(self, table, |m, [greater]| {
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
        with_slices(self, table, |m, [less]| {
            m.less(less, table, rows, word)?;
            m.and_not(z, rows, less)
        })
    }
}

impl<S: Star> Procedures for S {}

/// A procedure that has some slices of its own, with a bit for every row of the table.
fn with_slices<S: Star, const N: usize>(
    m: &mut S,
    field: FieldVar,
    body: impl FnOnce(&mut S, [SliceVar; N]) -> Result<(), StarError>,
) -> Result<(), StarError> {
    m.scope(|m| {
        let n = field.table.rows as usize;
        let mut slices = [m.slice(n)?; N];
        for z in &mut slices[1..] {
            *z = m.slice(n)?;
        }
        body(m, slices)
    })
}
