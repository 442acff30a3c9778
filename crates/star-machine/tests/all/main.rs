//! The tests of this crate, in one program.

mod cases;
mod closure;
mod common;
mod figures;
mod language;
mod naive;
mod procedures;
mod random;
mod values;
