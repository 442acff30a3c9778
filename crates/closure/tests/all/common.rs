//! What both need.

use std::path::PathBuf;

use graph_formats::{Csr, VertexId};

/// n vertices and about `degree` arcs out of each, in no pattern.
pub(crate) fn scattered(n: VertexId, degree: u32) -> Csr<u32> {
    let mut state = u64::from(n);
    let mut below = |bound: u32| {
        // Knuth's MMIX generator; its high bits are the good ones
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    let arcs: Vec<_> = (0..n * degree).map(|_| (below(n), below(n), 1)).collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// A file of the folder of real graphs, if it is there.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("STARPATH_DATA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into(),
        PathBuf::from,
    );
    let path = folder.join(name);
    if !path.is_file() {
        println!("SKIPPED: there is no {}", path.display());
        return None;
    }
    Some(path)
}
