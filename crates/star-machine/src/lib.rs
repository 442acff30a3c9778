//! The STAR-machine: an associative processor that works on whole columns of bits.

mod closure;
mod error;
mod language;
mod procedures;
mod values;

pub use closure::{ClosureAlgorithm, ClosureConfig, ClosureFound, ClosurePlan, closure};
pub use error::StarError;
pub use language::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Op, Operations, Relation, SliceVar, Star,
    TableVar, Vector, WordVar,
};
pub use procedures::Procedure;
pub use values::{Field, Slice, Table, Word};
