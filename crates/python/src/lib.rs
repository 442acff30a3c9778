//! The Python package `starpaths`: the library's graphs and searches over numpy arrays.
//!
//! This crate is the extension module `starpaths._core`; `python/starpaths/` has what is Python.
//! Each file here is a part of the class `Graph`, and what they share: `run.rs` lets other Python
//! threads go on during the work, and ends it on Ctrl-C, `arrays.rs` takes arrays, and
//! `numbers.rs` gives distances back.
//!
//! Arrays that are taken are copied: Python code may write to an array while a search reads it, and
//! the graph has to stay the one that was checked.

mod arrays;
mod error;
mod graph;
mod numbers;
mod run;
mod searches;
mod structure;
mod tables;
mod tree;

use pyo3::prelude::*;

/// The compiled part of starpaths.
#[pymodule(gil_used = true)]
mod _core {
    #[pymodule_export]
    use crate::graph::Graph;
    #[pymodule_export]
    use crate::tree::Tree;
}
