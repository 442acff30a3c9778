//! The STAR-machine: an associative processor that works on whole columns of bits.

mod error;
mod language;
mod procedures;
mod program;
mod values;

pub use error::StarError;
pub use language::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Op, Operations, Relation, SliceVar, Star,
    TableVar, Vector, WordVar,
};
pub use procedures::Procedure;
pub use program::{Instruction, Program, Recorder, Variable};
pub use values::{Field, Slice, Table, Word};
