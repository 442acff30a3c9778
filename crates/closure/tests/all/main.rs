//! The tests of this crate, in one program: what it is generic over is compiled once.

mod gpu;
mod host;
