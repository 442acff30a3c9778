//! The STAR-machine: an associative processor that works on whole columns of bits.
//!
//! A program is a function over [`Star`]: it declares slices, words, tables and integers, gives
//! [`Operations`] and calls [`Procedures`]. Every [`Machine`] runs it and leaves the same bits:
//! [`Host`] in the memory of this computer, [`Counting`] around another machine, with the [`Cost`]
//! on the abstract machine. Values are [`Slice`], [`Word`] and [`Table`], which have the operations
//! of the language as methods.
//!
//! ```
//! use star_machine::{
//!     Host, Machine, Operations, Procedures, Slice, SliceVar, Star, StarError, Table, TableVar,
//! };
//!
//! /// The marked rows that hold neither the least nor the greatest number.
//! fn between(
//!     m: &mut impl Star,
//!     z: SliceVar,
//!     table: TableVar,
//!     rows: SliceVar,
//! ) -> Result<(), StarError> {
//!     m.scope(|m| {
//!         let extreme = m.slice(table.rows() as usize)?;
//!         m.min(extreme, table, rows)?;
//!         m.and_not(z, rows, extreme)?;
//!         m.max(extreme, table, rows)?;
//!         m.and_not(z, z, extreme)
//!     })
//! }
//!
//! let mut m = Host::new();
//! let table = m.load_table(&Table::from_values(&[5, 2, 7, 2, 3], 3)?)?;
//! let rows = m.load_slice(&Slice::ones(5)?)?;
//! let z = m.slice(5)?;
//! between(&mut m, z, table, rows)?;
//! assert_eq!(m.slice_value(z)?.to_string(), "10001");
//! # Ok::<(), StarError>(())
//! ```
//!
//! Reference: snytnikova-nepomniaschaya-2016
//!
//! Depends on [`graph_formats`], [`paths`] and [`gpu_runtime`]. Feature `cuda`, off by default:
//! [`Cuda`], a machine on an NVIDIA GPU.

pub mod algorithms;
mod cuda;
mod error;
mod fused;
mod language;
mod machine;
pub mod procedures;
mod program;
mod text;
mod values;
mod warshall;

pub use cuda::{Cuda, GpuProgram, Team};
pub use error::StarError;
pub use language::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Mark, Op, Operations, Procedure, Relation,
    SliceVar, Star, TableVar, Vector, WordVar,
};
pub use machine::{Cost, Counting, Host};
pub use procedures::Procedures;
pub use program::{Instruction, Program, Recorder, Variable, operations_in_cuda};
pub use text::{At, CountFrom, Parameter, Size, Text, TextError};
pub use values::{Field, Slice, Table, Word};
pub use warshall::{Warshall, WarshallOnGpu, WarshallTimes, warshall_adapted};

// The examples of the README and of the language's page are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../LANGUAGE.md")]
struct Language;
