//! The Python package `starpaths`: the library's graphs and searches over numpy arrays.
//!
//! This crate is the extension module `starpaths._core`; `python/starpaths/` has the code in
//! Python. Each file here is a part of the class `Graph`, or has helpers of these parts. `run.rs`
//! lets other Python threads run during the work, and ends it on Ctrl-C. `arrays.rs` converts
//! arrays from Python, and `numbers.rs` converts distances to Python.
//!
//! A graph's arrays are copies that Python cannot reach. Arrays that Python may write to are read
//! only while its lock is held.

mod aggregate;
mod any_metric;
mod arguments;
mod arrays;
mod changes;
mod changing;
mod device_array;
mod device_graph;
mod device_metric;
mod dynamic;
mod dynamic_closure;
mod dynamic_pairs;
mod error;
mod graph;
mod how;
mod measures;
mod metric;
mod names;
mod numbers;
mod out;
mod pairs;
mod partitioned_graph;
mod prepared;
mod ranks;
mod run;
mod searches;
mod solver;
mod structure;
mod tables;
mod tree;
mod turns;
mod within;

use pyo3::prelude::*;

/// The compiled part of starpaths.
#[pymodule(gil_used = true)]
mod _core {
    #[pymodule_export]
    use crate::device_array::DeviceArray;
    #[pymodule_export]
    use crate::device_graph::DeviceGraph;
    #[pymodule_export]
    use crate::device_metric::DeviceMetric;
    #[pymodule_export]
    use crate::dynamic::DynamicTrees;
    #[pymodule_export]
    use crate::dynamic_closure::DynamicClosure;
    #[pymodule_export]
    use crate::dynamic_pairs::DynamicPairs;
    #[pymodule_export]
    use crate::graph::{Graph, restored_graph};
    #[pymodule_export]
    use crate::measures::Totals;
    #[pymodule_export]
    use crate::metric::Metric;
    #[pymodule_export]
    use crate::pairs::Pairs;
    #[pymodule_export]
    use crate::partitioned_graph::PartitionedGraph;
    #[pymodule_export]
    use crate::prepared::Prepared;
    #[pymodule_export]
    use crate::run::is_forked;
    #[pymodule_export]
    use crate::solver::Solver;
    #[pymodule_export]
    use crate::tree::{DeviceTree, Tree, restored_tree};
    #[pymodule_export]
    use crate::within::within;
}
