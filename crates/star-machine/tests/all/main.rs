//! The tests of this crate, in one program: what it is generic over is compiled once.

mod closure;
mod common;
mod both;
mod figures;
mod gpu;
mod gpu_procedures;
