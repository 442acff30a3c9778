//! The STAR-machine: an associative processor that works on whole columns of bits.

mod closure;
mod error;
mod fused;
mod language;
mod machine;
pub mod procedures;
pub mod storage;
mod values;

pub use closure::{ClosureAlgorithm, ClosureConfig, ClosureFound, ClosurePlan, closure};
pub use error::StarError;
pub use language::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Op, Operations, Relation, SliceVar, Star,
    TableVar, Vector, WordVar,
};
pub use machine::{Cost, Counting, Host};
pub use procedures::{Procedure, Procedures};
pub use values::{Field, Slice, Table, Word};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
