//! What several of them need.

use std::path::PathBuf;

use graph_formats::{Csr, VertexId, Weight};

/// The arcs of a graph with whole weights.
pub(crate) fn arcs<W: Weight>(graph: &Csr<W>) -> Vec<(VertexId, VertexId, i64)> {
    let whole = |w: W| w.to_i128().and_then(|w| i64::try_from(w).ok()).expect("a whole weight");
    graph.arcs().map(|(u, v, w)| (u, v, whole(w))).collect()
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
