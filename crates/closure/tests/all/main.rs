//! The tests of this crate, in one program: what it is generic over is compiled once.

mod dynamic;
mod gpu;
mod host;
