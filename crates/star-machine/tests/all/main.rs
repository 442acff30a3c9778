//! The tests of this crate, in one program.

mod bodies;
mod figures;
mod gpu_programs;
mod programs;
