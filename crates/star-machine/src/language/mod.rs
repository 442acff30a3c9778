//! The language Star: variables, operations, statements, and who can carry them out.

pub(crate) mod check;
mod op;
mod star;
mod variables;

pub use op::{Condition, Index, Logic, Op, Relation};
pub use star::{Machine, Operations, Star};
pub use variables::{FieldVar, IntVar, SliceVar, TableVar, Vector, WordVar};
