//! Transitive closure as the paper writes it, on the adjacency matrix. For every pivot k,
//! `WARSHALL` (Listing 1) unites the row of k into the rows that have a one in column k.
//! `WARSHALL-C` (Listing 2) unites the column of k into the columns that have a one in row k. Both
//! compute the same function. Row i of the result marks the vertices that i reaches by a path of at
//! least one arc.
//!
//! Costs on the abstract machine: O(n + j) for j unions, j between n and n², which the
//! paper's Remark 2 counts out.
//!
//! What differs from the paper: column and row k are copies, so that `STEP` takes nothing out
//! of the matrix; and the pivots are a range, so that one iteration can be looked at.
//!
//! Reference: snytnikova-nepomniaschaya-2016, warshall-1962

use std::ops::Range;

use crate::StarError;
use crate::language::{Operations, Star, TableVar};

/// `WARSHALL(n, P)`: for every pivot k in the range, the row of k into all rows that reach k.
/// All pivots, `0..n`, make an adjacency matrix its transitive closure.
///
/// # Errors
/// [`StarError::LengthMismatch`] unless the table is square; [`StarError::OutOfRange`] for
/// pivots beyond it; and what the machine cannot do.
///
/// ```
/// use star_machine::{Host, Machine, Star, Table, procedures};
///
/// let mut m = Host::new();
/// let p = m.load_table(&Table::from_values(&[0b010, 0b001, 0b000], 3)?)?;
/// procedures::warshall(&mut m, p, 0..3)?;
/// assert_eq!(m.table_value(p)?.to_values()?, [0b011, 0b001, 0b000]);
/// # Ok::<(), star_machine::StarError>(())
/// ```
pub fn warshall(m: &mut impl Star, p: TableVar, pivots: Range<usize>) -> Result<(), StarError> {
    let n = side(p, "WARSHALL", &pivots)?;
    m.scope(|m| {
        let (x, v, w, i) = (m.slice(n)?, m.word(n)?, m.word(n)?, m.int()?);
        m.for_each(pivots, |m, k| {
            m.col(x, p, k)?;
            m.row(w, p, k)?;
            m.while_some(x, |m| {
                m.step(i, x)?;
                m.row(v, p, i)?;
                m.or(v, v, w)?;
                m.set_row(p, i, v)
            })
        })
    })
}

/// `WARSHALL-C(n, P)`: for every pivot k in the range, the column of k into all columns that k
/// reaches. As [`warshall`], with rows and columns exchanged.
///
/// # Errors
/// As [`warshall`].
pub fn warshall_columns(
    m: &mut impl Star,
    p: TableVar,
    pivots: Range<usize>,
) -> Result<(), StarError> {
    let n = side(p, "WARSHALL-C", &pivots)?;
    m.scope(|m| {
        let (x, v, w, i) = (m.word(n)?, m.slice(n)?, m.slice(n)?, m.int()?);
        m.for_each(pivots, |m, k| {
            m.row(x, p, k)?;
            m.col(w, p, k)?;
            m.step(i, x)?;
            m.while_found(i, |m| {
                m.col(v, p, i)?;
                m.or(v, v, w)?;
                m.set_col(p, i, v)?;
                m.step(i, x)
            })
        })
    })
}

/// Rows of a square table that has all pivots.
pub(super) fn side(
    p: TableVar,
    what: &'static str,
    pivots: &Range<usize>,
) -> Result<usize, StarError> {
    let n = p.rows as usize;
    StarError::same(what, n, p.columns as usize)?;
    if !pivots.is_empty() {
        StarError::inside("pivot", pivots.end - 1, n)?;
    }
    Ok(n)
}
