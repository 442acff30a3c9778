//! The STAR-machine: an associative processor that works on whole columns of bits.

mod closure;
mod cuda;
mod error;
mod language;
mod machine;
pub mod procedures;
mod program;
mod values;

pub use closure::{
    ClosureAlgorithm, ClosureConfig, ClosureFound, ClosurePlan, ClosureTimes, GpuClosure, closure,
    closure_on_gpu,
};
pub use cuda::{Cuda, CudaMark, warshall_adapted};
pub use cuda::{GpuProgram, Team};
pub use error::StarError;
pub use language::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Op, Operations, Relation, SliceVar, Star,
    TableVar, Vector, WordVar,
};
pub use machine::Host;
pub use procedures::{Procedure, Procedures};
pub use program::{Instruction, Program, Recorder, Variable};
pub use values::{Field, Slice, Table, Word};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
