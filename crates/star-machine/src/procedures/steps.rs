//! What the basic procedures do in one column, for as many rows as a value has bits. Here alone
//! this is said: the form in operations of the machine, that of the host and the CUDA text
//! are made of these functions.
//!
//! Four are enough for all, as
//!
//! * a word is a table whose columns are all ones or all zeros, so that `MATCH` is `HIT`;
//! * `MIN` keeps the rows that are equal to zeros, in each column where there are such rows,
//!   and `MAX` those that are equal to ones;
//! * what is copied is merged into zeros;
//! * a − b is the complement of (the complement of a) + b, whose carries are the borrows.
//!
//! Called for every word of a column, they take four times as long where compilers do not put
//! them into the loop, which some do not unless they are told.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Rows, a bit each.
pub(crate) trait BitRow:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl<T> BitRow for T where
    T: Copy + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T> + Not<Output = T>
{
}

/// The rows that are equal, of those that were equal before.
#[inline(always)]
pub(crate) fn equal<B: BitRow>(e: B, a: B, b: B) -> B {
    e & !(a ^ b)
}

/// The rows that are equal, and those where a is less than b: among rows equal so far, those
/// with 0 in a and 1 in b.
#[inline(always)]
pub(crate) fn less<B: BitRow>([e, l]: [B; 2], a: B, b: B) -> [B; 2] {
    let l = l | (e & (b & !a));
    [equal(e, a, b), l]
}

/// The marked rows of b, the others of a.
#[inline(always)]
pub(crate) fn merge<B: BitRow>(x: B, a: B, b: B) -> B {
    (b & x) | (a & !x)
}

/// Carries, and the sum of a and b in the marked rows, zeros in the others; where `flip` is all
/// ones and not zeros, borrows and the difference.
#[inline(always)]
pub(crate) fn add<B: BitRow>(x: B, c: B, a: B, b: B, flip: B) -> [B; 2] {
    let a = (a ^ flip) & x;
    let differ = a ^ c;
    [(a & c) | (b & differ), differ ^ (x & (b ^ flip))]
}
