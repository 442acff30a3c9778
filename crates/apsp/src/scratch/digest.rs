//! A graph in 64 letters, so that a run is not continued on another one.

use bytemuck::cast_slice;
use graph_formats::{Csr, Weight};
use sha2::{Digest, Sha256};

/// SHA-256 over the type of the weights and the three arrays of the graph, as this machine
/// holds them: on one with another order of bytes, which could not read the matrix either,
/// it is another. O(n + m).
pub(crate) fn digest<W: Weight>(graph: &Csr<W>) -> String {
    let mut hash = Sha256::new();
    hash.update(W::KIND.to_string());
    hash.update((graph.n_vertices() as u64).to_ne_bytes());
    hash.update(cast_slice::<u64, u8>(graph.row_offsets()));
    hash.update(cast_slice::<u32, u8>(graph.column_indices()));
    hash.update(cast_slice::<W, u8>(graph.weights()));
    hexadecimal(hash)
}

/// What was hashed, as text.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_graph_counts() {
        let of = |n, arcs: &[(u32, u32, u32)]| digest(&Csr::from_arcs(n, arcs).unwrap());
        let first = of(3, &[(0, 1, 5), (1, 2, 6)]);
        assert_eq!(first.len(), 64);
        assert_eq!(first, of(3, &[(0, 1, 5), (1, 2, 6)]));
        let others = [
            of(4, &[(0, 1, 5), (1, 2, 6)]),
            of(3, &[(0, 2, 5), (1, 2, 6)]),
            of(3, &[(0, 1, 5), (0, 2, 6)]),
            of(3, &[(0, 1, 6), (1, 2, 6)]),
            digest(&Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 6)]).unwrap()),
        ];
        assert!(others.iter().all(|other| *other != first));
    }
}
