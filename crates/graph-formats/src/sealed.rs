//! The trait that seals this crate's traits of numbers: other crates cannot implement them.

pub trait Sealed {}
