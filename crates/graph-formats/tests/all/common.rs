//! Helpers of the tests.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use graph_formats::{Csr, GraphError, Ids, LoadedGraph, ReadOptions, read_with};

/// A graph of three vertices with listed names.
pub(crate) fn triangle() -> LoadedGraph {
    let csr = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 6), (0, 2, 7)]).unwrap();
    LoadedGraph::new(csr, Ids::Listed(vec![3, 5, 900]))
}

/// Reads a file whose progress callback ends it at the call number `last`.
pub(crate) fn read_until(path: &Path, last: u64) -> Result<LoadedGraph, GraphError> {
    let calls = AtomicU64::new(0);
    let end = |_, _| match calls.fetch_add(1, Relaxed) + 1 {
        call if call < last => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    read_with(path, &ReadOptions::default(), &end)
}
