//! A row of bits, one for every row of a table.

use bitvec::prelude::{BitVec, Lsb0};

/// A bit for every row of a table. Bits beyond its length are never stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    bits: BitVec<u64, Lsb0>,
}
