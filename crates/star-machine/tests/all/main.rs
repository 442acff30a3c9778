//! The tests of this crate, in one program.

mod both;
mod cases;
mod figures;
mod gpu;
mod gpu_procedures;
mod gpu_refusals;
mod language;
mod mutations;
mod naive;
mod procedures;
mod random;
mod values;
