//! The tests of this crate, in one program.

mod both;
mod figures;
mod gpu;
mod gpu_procedures;
