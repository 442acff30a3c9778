//! Undirected graphs from files: those declared undirected, those in which every arc has its
//! reverse, and those whose arcs are to be edges.

use std::cmp::Ordering;
use std::path::Path;

use super::Note;
use super::error::malformed;
use crate::arc_pass::ArcPass;
use crate::rows::for_each_row_block;
use crate::undirected::arcs_from;
use crate::{
    AnyCsr, Csr, Direction, GraphError, LoadedGraph, VertexId, Weight, ensure_granted, parallel,
    with_csr,
};

/// Rows per task of a parallel pass.
const ROWS_PER_TASK: usize = 1024;

impl LoadedGraph {
    /// The graph with every arc in both directions; a note says how many arcs give an edge from its
    /// other end. An undirected graph stays as it is, but the note is made for a list of edges.
    pub(super) fn with_edges(mut self, path: &Path, is_list: bool) -> Result<Self, GraphError> {
        if !is_list && self.csr.direction() == Direction::Undirected {
            return Ok(self);
        }
        if self.attachment.is_some() {
            let message = "the file is prepared for arcs of one direction; prepare the undirected \
                           graph instead";
            return Err(malformed(path, message.to_owned()));
        }
        let n_arcs = self.csr.n_arcs();
        let (csr, n_edges): (AnyCsr, usize) = with_csr!(self.csr, |graph| {
            // the reversed graph, and the result, which has at most twice the arcs
            ensure_granted(3 * graph.bytes())?;
            let graph = graph.with_rows_sorted()?;
            let n_loops = graph.arcs().filter(|arc| arc.0 == arc.1).count();
            let both = graph.with_reverses();
            let n_edges = n_loops + (both.n_arcs() - n_loops) / 2;
            (both.into(), n_edges)
        });
        self.csr = csr;
        if n_edges < n_arcs {
            self.notes.push(Note::EdgesFromBothEnds { n_arcs: (n_arcs - n_edges) as u64 });
        }
        Ok(self)
    }
}

impl<W: Weight> Csr<W> {
    /// The same graph with rows sorted by destination and weight, as a text file's are.
    fn with_rows_sorted(self) -> Result<Self, GraphError> {
        let is_sorted = |v| arcs_from(&self, v).is_sorted_by(|a, b| before(a, b).is_le());
        if self.vertices().all(is_sorted) {
            return Ok(self);
        }
        Ok(Self::from_valid_arcs(self.n_vertices(), || self.arcs())?)
    }

    /// The undirected graph whose edges are these arcs. An arc and its reverse are one edge: a arcs
    /// (u, v, w) and b arcs (v, u, w) give max(a, b) edges. Rows must be sorted. O(n + m).
    fn with_reverses(&self) -> Self {
        let reverse = self.transposed();
        let mut row_offsets = vec![0; self.n_vertices() + 1];
        parallel::fill(&mut row_offsets[1..], ROWS_PER_TASK, &|first, lengths| {
            for (length, v) in lengths.iter_mut().zip(first as VertexId..) {
                *length = union(self, &reverse, v).count() as u64;
            }
        });
        for row in 0..self.n_vertices() {
            row_offsets[row + 1] += row_offsets[row];
        }
        let n_arcs = row_offsets[self.n_vertices()] as usize;
        let mut columns = vec![0; n_arcs];
        for_each_row_block(&row_offsets, &mut columns, &|rows, block| {
            let arcs = rows.flat_map(|row| union(self, &reverse, row as VertexId));
            block.iter_mut().zip(arcs).for_each(|(slot, arc)| *slot = arc.0);
        });
        let mut weights = Vec::new();
        if self.unequal_weights().is_some() {
            weights.resize(n_arcs, W::ZERO);
            for_each_row_block(&row_offsets, &mut weights, &|rows, block| {
                let arcs = rows.flat_map(|row| union(self, &reverse, row as VertexId));
                block.iter_mut().zip(arcs).for_each(|(slot, arc)| *slot = arc.1);
            });
        }
        self.with_rows(row_offsets, columns, weights, Direction::Undirected)
    }

    /// The graph of a file that declares it undirected, checked by [hashes](ArcPass::excess) when it
    /// was read. If that failed, a slower search finds the arc.
    pub(super) fn certified_undirected(self, reverses_cancel: bool) -> Result<Self, GraphError> {
        if reverses_cancel { Ok(self.made_undirected()) } else { self.into_undirected() }
    }

    /// The graph of a file without a declared direction: undirected if, by
    /// [hashes](ArcPass::excess), every arc has its reverse, and not all are loops.
    pub(super) fn with_direction_found(self) -> Self {
        let has_edges = || self.vertices().any(|v| self.ends_from(v).iter().any(|&end| end != v));
        if self.reverses_cancel() && has_edges() { self.made_undirected() } else { self }
    }

    /// Whether every arc has its reverse, by hashes. O(m), in parallel: 1 to 3 % of the time to read
    /// text.
    fn reverses_cancel(&self) -> bool {
        let pass = ArcPass { row_offsets: self.row_offsets(), first_row: 0, seeks_reverses: true };
        let weights = self.unequal_weights().unwrap_or_default();
        pass.over(self.column_indices(), weights).reverses_cancel()
    }
}

/// The order of arcs in a sorted row.
fn before<W: Weight>(a: &(VertexId, W), b: &(VertexId, W)) -> Ordering {
    a.0.cmp(&b.0).then(a.1.order(b.1))
}

/// The arcs of `vertex` in either graph, whose rows are sorted by destination and weight. An arc of
/// both occurs once.
fn union<'a, W: Weight>(
    forward: &'a Csr<W>,
    backward: &'a Csr<W>,
    vertex: VertexId,
) -> impl Iterator<Item = (VertexId, W)> + 'a {
    let (mut forward, mut backward) =
        (arcs_from(forward, vertex).peekable(), arcs_from(backward, vertex).peekable());
    std::iter::from_fn(move || {
        let (Some(a), Some(b)) = (forward.peek(), backward.peek()) else {
            return forward.next().or_else(|| backward.next());
        };
        match before(a, b) {
            Ordering::Less => forward.next(),
            Ordering::Greater => backward.next(),
            Ordering::Equal => {
                let (a, b) = (forward.next(), backward.next());
                // 0.0 equals -0.0; both arcs of the edge take the weight from the lower end
                if a.is_some_and(|arc| vertex <= arc.0) { a } else { b }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares the sums of hashes with the search for each arc's reverse, on a symmetric graph and
    /// after one arc has got another end or weight.
    fn agree<W: Weight>(edges: &[(VertexId, VertexId, W)], (at, end, weight): (usize, u32, W)) {
        let mut arcs = Vec::new();
        for &(from, to, weight) in edges {
            arcs.extend([(from, to, weight), (to, from, weight)]);
        }
        let symmetric = Csr::from_arcs(8, &arcs).expect("valid");
        let is_found =
            |graph: Csr<W>| graph.with_direction_found().direction() == Direction::Undirected;
        assert_eq!(is_found(symmetric.clone()), arcs.iter().any(|arc| arc.0 != arc.1));
        assert!(symmetric.reverses_cancel());
        let at = at % arcs.len();
        arcs[at] = (arcs[at].0, end, weight);
        let altered = Csr::from_arcs(8, &arcs).expect("valid");
        let expected = altered.clone().into_undirected().is_ok();
        let has_edges = arcs.iter().any(|arc| arc.0 != arc.1);
        assert_eq!(is_found(altered.clone()), expected && has_edges, "{arcs:?}");
        assert_eq!(altered.reverses_cancel(), expected, "{arcs:?}");
    }

    proptest! {
        #[test]
        fn hashes_find_what_the_search_finds(
            edges in prop::collection::vec((0u32..8, 0u32..8, -3i64..3), 1..20),
            altered in (any::<usize>(), 0u32..8, -3i64..3),
        ) {
            agree(&edges, altered);
            let floats: Vec<_> = edges.iter().map(|&(u, v, w)| (u, v, w as f32)).collect();
            agree(&floats, (altered.0, altered.1, altered.2 as f32));
        }
    }
}
