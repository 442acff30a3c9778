//! The hierarchy in a graph's file, some of whose words are others: it is refused, or answers with
//! paths that there are.
#![no_main]

use std::sync::OnceLock;

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Ids, LoadedGraph, VertexId, read};
use hierarchy::{Hierarchy, Order, Prepared};
use libfuzzer_sys::fuzz_target;

/// A grid, prepared.
fn prepared() -> &'static LoadedGraph {
    static PREPARED: OnceLock<LoadedGraph> = OnceLock::new();
    PREPARED.get_or_init(|| {
        let graph = grid(&GridConfig { side: 6, ..Default::default() }).unwrap();
        let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph).unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("fuzz-{}.prepared", std::process::id()));
        hierarchy.customize(&graph).unwrap().write(&path, &Ids::FromZero).unwrap();
        let loaded = read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        loaded
    })
}

fuzz_target!(|bytes: &[u8]| {
    let mut loaded = prepared().clone();
    let attachment = loaded.attachment.as_mut().unwrap();
    let mut words = attachment.bytes.to_vec();
    for edit in bytes.chunks_exact(6) {
        let place = 4 * usize::from(u16::from_le_bytes([edit[0], edit[1]])) % (words.len() - 3);
        words[place..place + 4].copy_from_slice(&edit[2..]);
    }
    attachment.bytes = words.into();
    let Ok(Some(prepared)) = Prepared::of(&loaded) else { return };
    let graph = loaded.csr.into_csr::<u32>().unwrap();
    let Ok(metric) = prepared.metric(&graph) else { return };
    let mut query = metric.query();
    let last = graph.n_vertices() as VertexId - 1;
    for (source, target) in [(0, last), (last, 0), (7, 22)] {
        let Ok(Some(path)) = query.path(source, target) else { continue };
        let length = path.vertices.windows(2).map(|ends| {
            let arcs = graph.arcs_from(ends[0]).filter(|&(to, _)| to == ends[1]);
            u64::from(arcs.map(|(_, weight)| weight).min().expect("an arc"))
        });
        assert_eq!(length.sum::<u64>(), path.length);
        let _ = metric.k_shortest_paths(source, target, 3, None);
    }
    let _ = metric.distances(&[0, 17]);
    let _ = metric.table(&[0, 5], &[last, 1]);
});
