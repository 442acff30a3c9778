//! The tests of this crate, in one program.

mod cases;
mod figures;
mod language;
mod mutations;
mod naive;
mod procedures;
mod random;
mod values;
