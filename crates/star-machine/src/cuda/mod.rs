//! On a GPU.

mod interpreter;

pub use interpreter::{GpuProgram, Team};
