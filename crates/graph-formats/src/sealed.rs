//! What keeps others from implementing this crate's traits of numbers.

pub trait Sealed {}
