//! A matrix of bits, stored column by column.

use std::ops::Range;

/// Rows by columns of bits, stored column by column, each in whole words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: usize,
    columns: usize,
    words: Vec<u64>,
}

/// Neighbouring columns of a table, seen as a table.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    table: &'a Table,
    columns: Range<usize>,
}
