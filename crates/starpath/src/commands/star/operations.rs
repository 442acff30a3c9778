//! The operations of a program on the abstract machine, as a report has them.

use std::fmt;

use serde::Serialize;
use star_machine::Cost;

use crate::report::grouped;

/// Operations by kind.
#[derive(Serialize)]
pub(super) struct Operations {
    total: u64,
    bitwise: u64,
    searches: u64,
    words: u64,
    column_reads: u64,
    column_writes: u64,
    row_reads: u64,
    row_writes: u64,
}

impl Operations {
    pub(super) fn of(cost: Cost) -> Self {
        let Cost { bitwise, searches, words, column_reads, column_writes, row_reads, row_writes } =
            cost;
        Self {
            total: cost.total(),
            bitwise,
            searches,
            words,
            column_reads,
            column_writes,
            row_reads,
            row_writes,
        }
    }
}

/// A line for the total, then one for each kind that occurs.
impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = grouped(self.total);
        write!(f, "{total} operations on the abstract machine")?;
        let kinds = [
            (self.column_reads, "columns read"),
            (self.column_writes, "columns written"),
            (self.row_reads, "rows read"),
            (self.row_writes, "rows written"),
            (self.bitwise, "bitwise"),
            (self.searches, "searches"),
            (self.words, "on words"),
        ];
        for (count, kind) in kinds.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "\n{:>width$} {kind}", grouped(count), width = total.len() + 2)?;
        }
        Ok(())
    }
}
