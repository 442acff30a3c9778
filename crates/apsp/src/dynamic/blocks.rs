//! Rows that follow a batch of changes, a block of them at a time: for a matrix that memory does not
//! hold.
//!
//! Both steps of a batch change a row by itself, given the rows of the ends of changed arcs. Pairs are
//! lost, and searched for again, by the old rows of the ends of raised and deleted arcs. Rows take
//! paths over lowered and new arcs by the rows that their ends have after that. So the ends' rows come
//! first, and follow the first step by themselves. Then any row may come, alone or in a block, in any
//! order.
//!
//! It is for exact sums. O(k n) memory for k arcs; the work is that of a matrix in memory.

use graph_formats::{
    Change, Changed, Csr, Distance, DynamicGraph, Interrupted, NoMemory, VertexId, Weight, parallel,
};

use super::lowered::{self, Lowered};
use super::raised::{self, Lost, Search};
use super::table::{Ends, PAIRS_A_REPORT, bytes_of_old};
use super::{Updated, behind, split};
use crate::ApspError;

/// No sum is rounded.
const SLACK: f64 = 0.0;
/// Next hops are not followed.
const TIES: bool = false;
/// Numbers of 8 bytes for each vertex in a thread's space for a search, or to put columns in order.
const NUMBERS_OF_A_SPACE: usize = 6;

/// A batch, and the graph between its steps: with the raised arcs, and not yet the lowered ones.
pub(crate) struct Steps<W: Weight> {
    graph: DynamicGraph<W>,
    raised: Changed<W>,
    lowered: Changed<W>,
}

impl<W: Weight> Steps<W> {
    /// The steps of these changes of a graph, and the graph after them.
    ///
    /// # Errors
    /// For the first change that cannot be made, and when the system refuses the memory.
    pub(crate) fn of(graph: &Csr<W>, changes: &[Change<W>]) -> Result<(Self, Csr<W>), ApspError> {
        let n = graph.n_vertices();
        let refused = |refused: NoMemory| ApspError::too_large(n, refused.bytes as u128);
        let mut graph = DynamicGraph::new(graph).map_err(refused)?;
        // all together, so that an error is of the first that cannot be made
        let _ = graph.check(changes)?;
        let (lowered, raised) = split(&graph, changes);
        let raised = graph.apply(&raised)?;
        let lowered = graph.apply(&lowered)?;
        let after = graph.to_csr().map_err(refused)?;
        graph.undo(&lowered);
        Ok((Self { graph, raised, lowered }, after))
    }

    /// The ends of the arcs that change, ascending.
    pub(crate) fn ends(&self) -> Vec<VertexId> {
        let arcs = self.raised.arcs.iter().chain(&self.lowered.arcs);
        let mut ends: Vec<_> = arcs.flat_map(|arc| [arc.from, arc.to]).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Bytes that following takes beside the rows, those of `n_ends` ends included, and for each row
    /// of a block.
    pub(crate) fn bytes(&self, n_ends: usize, threads: usize) -> (u128, u128) {
        let n = self.graph.n_vertices();
        let (n_raised, n_lowered) = (self.raised.arcs.len(), self.lowered.arcs.len());
        let (n_arcs, distance) = (n_raised + n_lowered, size_of::<W::Distance>());
        let pivots =
            n_lowered as u128 * n_lowered as u128 * (distance + size_of::<usize>()) as u128;
        let space = NUMBERS_OF_A_SPACE * size_of::<u64>() * threads;
        let of_vertex = (n_ends * distance + space) as u128;
        let columns = behind::bytes_of_columns::<W::Distance>(n, n_arcs);
        let of_row = behind::bytes_of_row::<W::Distance>(n_arcs);
        let row = (n * distance) as u128 + bytes_of_old::<W::Distance>(n) + of_row;
        (columns + pivots + n as u128 * of_vertex, row)
    }

    /// How many rows a block has at most.
    pub(crate) fn n_rows(&self) -> usize {
        (PAIRS_A_REPORT / self.graph.n_vertices().max(1)).max(1)
    }

    /// What follows them. `cells` has the old rows of `ends`, of as many columns as there are vertices
    /// now. The graph after the batch has no negative cycle.
    ///
    /// # Panics
    /// If it has.
    pub(crate) fn follower(
        self,
        ends: &[VertexId],
        mut cells: Vec<W::Distance>,
    ) -> Result<Follower<W>, Interrupted> {
        let Self { mut graph, raised, lowered } = self;
        let n = graph.n_vertices();
        let before = Ends { n, cells: &cells, vertices: Some(ends) };
        let gone = raised::gone(&raised.arcs, &graph);
        let arcs = raised::arcs(&gone, before, SLACK);
        let lost = Lost::new(arcs, &graph, before, None, SLACK);
        let rows: Vec<_> = ends.iter().zip(cells.chunks_mut(n.max(1))).collect();
        parallel::try_map_of(rows, &|(&end, row)| {
            find_again(&graph, &lost, end as usize, row).map(|_| ())
        })?;
        let between = Ends { n, cells: &cells, vertices: Some(ends) };
        let arcs = lowered::arcs(&lowered.arcs, between, TIES);
        let pivots = lowered::closed(&arcs, between).expect("there is no negative cycle");
        graph.make(&lowered);
        let through = Lowered::new(arcs, &pivots, &graph, between, None, TIES);
        graph.undo(&lowered);
        Ok(Follower { graph, lost, lowered: through })
    }
}

/// Makes of old rows those after a batch.
pub(crate) struct Follower<W: Weight> {
    graph: DynamicGraph<W>,
    lost: Lost<W::Distance>,
    lowered: Lowered<W::Distance>,
}

impl<W: Weight> Follower<W> {
    /// Follows the batch in consecutive rows, from that of vertex `first` on, and counts in
    /// `updated` what it does.
    pub(crate) fn follow(
        &self,
        first: usize,
        cells: &mut [W::Distance],
        updated: &mut Updated,
    ) -> Result<(), ApspError> {
        let n = self.graph.n_vertices();
        updated.count_lost(&find_again(&self.graph, &self.lost, first, cells)?, n);
        let used = lowered::used(&self.lowered.arcs, n, cells, TIES);
        let (mut old, mut touched) = (Vec::new(), vec![Vec::new(); used.len()]);
        self.lowered.relax(cells, &used, &mut old, &mut touched, &|_| Ok(()), None)?;
        updated.n_nearer += old.iter().map(|row| row.1.len() as u64).sum::<u64>();
        Ok(())
    }
}

/// Finds the pairs that consecutive rows have lost, and searches for them again; returns them.
fn find_again<W: Weight<Distance = D>, D: Distance>(
    graph: &DynamicGraph<W>,
    lost: &Lost<D>,
    first: usize,
    cells: &mut [D],
) -> Result<Vec<Vec<VertexId>>, Interrupted> {
    let n = graph.n_vertices();
    let used = raised::used(&lost.arcs, n, cells, SLACK);
    let lost = lost.find(first, n, cells, &used, None)?;
    Search { graph, lost: &lost, progress: None }.search(cells, &mut Vec::new())?;
    Ok(lost)
}
