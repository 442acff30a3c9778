//! A graph in 64 letters, so that a run is not continued on another one.

use bytemuck::cast_slice;
use graph_formats::{Csr, Interrupted, Weight, tell};
use sha2::{Digest, Sha256};
use sssp::Progress;

/// Bytes between two reports of progress.
const PART: usize = 16 << 20;

/// SHA-256 over the type of the weights and the three arrays of the graph, as this machine holds
/// them. A machine with another order of bytes has another digest; it could not read the matrix
/// either. O(n + m). Progress is of bytes.
pub(crate) fn digest<W: Weight>(
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<String, Interrupted> {
    let arrays: [&[u8]; 3] = [
        cast_slice(graph.row_offsets()),
        cast_slice(graph.column_indices()),
        cast_slice(graph.weights()),
    ];
    let mut hash = Sha256::new();
    hash.update(W::KIND.to_string());
    hash.update((graph.n_vertices() as u64).to_ne_bytes());
    let total: usize = arrays.iter().map(|array| array.len()).sum();
    let mut done = 0;
    for part in arrays.into_iter().flat_map(|array| array.chunks(PART)) {
        tell(progress, done, total as u64)?;
        hash.update(part);
        done += part.len() as u64;
    }
    Ok(hexadecimal(hash))
}

/// What was hashed, as text.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    fn whole<W: Weight>(graph: &Csr<W>) -> String {
        digest(graph, None).unwrap()
    }

    #[test]
    fn it_can_be_ended() {
        let graph = Csr::from_arcs(2, &[(0, 1, 5u32)]).unwrap();
        let stop = |_, _| ControlFlow::Break(());
        assert_eq!(digest(&graph, Some(&stop)), Err(Interrupted));
    }

    #[test]
    fn every_part_of_a_graph_counts() {
        let of = |n, arcs: &[(u32, u32, u32)]| whole(&Csr::from_arcs(n, arcs).unwrap());
        let first = of(3, &[(0, 1, 5), (1, 2, 6)]);
        assert_eq!(first.len(), 64);
        assert_eq!(first, of(3, &[(0, 1, 5), (1, 2, 6)]));
        let others = [
            of(4, &[(0, 1, 5), (1, 2, 6)]),
            of(3, &[(0, 2, 5), (1, 2, 6)]),
            of(3, &[(0, 1, 5), (0, 2, 6)]),
            of(3, &[(0, 1, 6), (1, 2, 6)]),
            whole(&Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 6)]).unwrap()),
        ];
        assert!(others.iter().all(|other| *other != first));
    }
}
