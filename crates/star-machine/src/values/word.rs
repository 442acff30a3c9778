//! A row of bits, one for every column of a table.

use super::Slice;

/// A bit for every column of a table; read as a number, the first is the most significant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word(Slice);
