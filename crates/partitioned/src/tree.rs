//! A shortest-path tree, at rank 0 or of which each rank has its vertices.

use std::time::{Duration, Instant};

use collectives::{Communicator, RanksError};
use graph_formats::{Progress, VertexId};
use paths::{AnyDistances, AnyTree, Number, Predecessors};
use sssp::Goal;

use crate::gathered::{gathered, gathered_distances};
use crate::search::{Beside, Found, Question, search};
use crate::{Part, PartitionedError};

/// The shortest-path tree from `source` within `goal`: the same as from every other solver of the
/// workspace. To be called by all ranks, with the same arguments; rank 0 gets the tree. `progress`
/// gets the number of vertices that this rank has settled.
///
/// A rank takes up to 24 bytes for each vertex of the graph, beside its part.
///
/// ```
/// use collectives::{Communicator, Threads};
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, tree};
/// use paths::Number;
/// use sssp::Goal;
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3)])?);
/// let found = Threads::run(2, |ranks| {
///     let part = Part::of_graph(ranks, (ranks.rank() == 0).then_some(&graph))?;
///     Ok::<_, PartitionedError>(tree(ranks, &part, 0, Goal::All, None)?.tree)
/// })?;
/// let tree = found[0].as_ref().expect("rank 0 has it");
/// assert_eq!(tree.distance(1), Some(Number::U64(4)));
/// assert_eq!(tree.path_to(1), Some(vec![0, 2, 1]));
/// assert_eq!(found[1], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a vertex does not exist, a distance overflows its type, the system refuses the memory of a
/// rank, the callback of a rank ended the search, or a rank has ended.
pub fn tree(
    ranks: &dyn Communicator,
    part: &Part,
    source: VertexId,
    goal: Goal<Number>,
    progress: Option<Progress<'_>>,
) -> Result<Found, PartitionedError> {
    let found = tree_part(ranks, part, source, goal, progress)?;
    let start = Instant::now();
    let tree = found.tree.gather(ranks, part)?;
    Ok(found.with(start.elapsed(), |_| tree))
}

/// The same tree, of which each rank gets what belongs to its vertices: no rank needs room for all
/// results.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, tree_part};
/// use sssp::Goal;
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3)])?);
/// let n_reached = Threads::run(2, |ranks| {
///     let part = Part::of_graph(ranks, Some(&graph))?;
///     let found = tree_part(ranks, &part, 0, Goal::All, None)?;
///     Ok::<_, PartitionedError>(found.tree.distances.n_reached())
/// })?;
/// assert_eq!(n_reached.iter().sum::<usize>(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`tree`].
pub fn tree_part(
    ranks: &dyn Communicator,
    part: &Part,
    source: VertexId,
    goal: Goal<Number>,
    progress: Option<Progress<'_>>,
) -> Result<Found<TreePart>, PartitionedError> {
    let mut question =
        Question { sources: &[source], targets: &[], cutoff: None, beside: Beside::Predecessors };
    match &goal {
        Goal::Target(target) => question.targets = std::slice::from_ref(target),
        Goal::Within(limit) => question.cutoff = Some(*limit),
        Goal::All => (),
    }
    let found = search(ranks, part, &question, progress)?;
    Ok(found.with(Duration::ZERO, |own| TreePart {
        source,
        limit: own.limit,
        distances: own.distances,
        predecessors: Predecessors::from_storage(own.beside),
    }))
}

/// What a rank has of a shortest-path tree: distances and predecessors of its vertices, by place as
/// [`Deal::vertex_at`](crate::Deal::vertex_at) counts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TreePart {
    /// Where all paths start.
    pub source: VertexId,
    /// The greatest distance of the search, if it did not search for all.
    pub limit: Option<Number>,
    /// The length of a shortest path to each vertex of this rank.
    pub distances: AnyDistances,
    /// The vertex before each on such a path.
    pub predecessors: Predecessors,
}

impl TreePart {
    /// The whole tree, at rank 0. To be called by all ranks, with the part of the graph that was
    /// searched. O(n), and 12 bytes a vertex at rank 0, twice.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn gather(
        &self,
        ranks: &dyn Communicator,
        part: &Part,
    ) -> Result<Option<AnyTree>, RanksError> {
        let deal = part.deal();
        let all = 0..deal.n_vertices();
        let distances = gathered_distances(ranks, &deal, &self.distances, all.clone())?;
        let predecessors = gathered(ranks, &deal, self.predecessors.as_storage(), all)?;
        Ok(distances.zip(predecessors).map(|(distances, predecessors)| AnyTree {
            source: self.source,
            limit: self.limit,
            distances,
            predecessors: Predecessors::from_storage(predecessors),
        }))
    }

    /// Gives the tree to rank 0 in blocks of `n_vertices` adjacent vertices, ascending, so that it
    /// need not have room for all: `take` gets distances and predecessors, these as
    /// [`Predecessors`] stores them. To be called by all ranks, as [`gather`](Self::gather).
    ///
    /// # Errors
    /// When another rank has ended.
    ///
    /// # Panics
    /// When blocks have no vertices.
    pub fn in_blocks(
        &self,
        ranks: &dyn Communicator,
        part: &Part,
        n_vertices: usize,
        mut take: impl FnMut(AnyDistances, &[VertexId]),
    ) -> Result<(), RanksError> {
        let (deal, own) = (part.deal(), self.predecessors.as_storage());
        for first in (0..deal.n_vertices()).step_by(n_vertices) {
            let block = first..deal.n_vertices().min(first + n_vertices);
            let distances = gathered_distances(ranks, &deal, &self.distances, block.clone())?;
            let predecessors = gathered(ranks, &deal, own, block)?;
            if let Some((distances, predecessors)) = distances.zip(predecessors) {
                take(distances, &predecessors);
            }
        }
        Ok(())
    }

    /// The number of arcs from the source to a vertex that is reached, on all ranks. To be called by
    /// all; a message for each arc.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn arcs_to(
        &self,
        ranks: &dyn Communicator,
        part: &Part,
        mut vertex: VertexId,
    ) -> Result<usize, RanksError> {
        let mut n_arcs = 0;
        while vertex != self.source {
            let (rank, place) = part.deal().place_of(vertex);
            let mut predecessor = [VertexId::MAX];
            if rank == ranks.rank() {
                predecessor = [self.predecessors.as_storage()[place]];
            }
            ranks.broadcast(rank, &mut predecessor)?;
            if predecessor[0] == VertexId::MAX {
                break;
            }
            vertex = predecessor[0];
            n_arcs += 1;
        }
        Ok(n_arcs)
    }
}
