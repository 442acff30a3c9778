//! Trees of shortest paths that are kept up to date while the graph changes.
//!
//! Below arcs of the tree that are gone or have another weight, vertices get the lengths that their
//! paths have now, or none. These are lengths of paths, so no distance is greater; arcs that make one
//! shorter have an end among these vertices, or are new. From there Dijkstra's algorithm goes on.
//! Vertices whose distance or tight arcs are new choose their predecessors again, by the
//! [rule](crate::predecessors) for all trees. So distances and predecessors are those of a new
//! search, to the bit, floats too: a distance is the least of the sums along paths.
//!
//! For a batch that concerns r vertices with their arcs, O(r log r). A whole search takes its place
//! where r exceeds a share of the vertices, and where a weight is negative before or after.
//!
//! How it differs from the paper: a batch has any number of changes. Arcs of no length may form
//! cycles, since a part of the tree is concerned and not a set of tight arcs. Paths lead out of the
//! source, not to it.
//!
//! Reference: ramalingam-reps-1996

mod plateaus;
mod update;

use std::mem::replace;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use graph_formats::{
    ArcChange, Change, Csr, Distance, DynamicGraph, VertexId, Weight, ensure_granted, tell,
};
use paths::{Distances, Predecessors, Progress, Tree};
use rayon::prelude::*;
use search_parts::{Pool, check_vertices};

use self::update::{NO_VERTEX, Space, Update};
use crate::solver::SearchWeight;
use crate::weights::SearchKeys;
use crate::{Config, SsspError};

/// The share of the vertices that a batch may concern, as a divisor: of more, a whole search is
/// faster.
const SHARE: usize = 3;
/// Vertices that may be concerned in any case.
const MIN_CONCERNED: usize = 64;
/// Bytes of a vertex that a batch concerns, about.
const BYTES_OF_CONCERNED: usize = 128;

/// A graph that changes, and the trees of shortest paths from some sources.
///
/// ```
/// use graph_formats::{Change, Csr};
/// use sssp::{Config, DynamicTrees};
///
/// let graph = Csr::from_edges(4, &[(0, 1, 5u32), (1, 2, 2), (2, 3, 4), (0, 3, 20)])?;
/// let mut trees = DynamicTrees::new(&graph, &[0], &Config::default())?;
/// assert_eq!(trees.tree(0).path_to(3), Some(vec![0, 1, 2, 3]));
/// let closed = [Change::Delete { from: 1, to: 2, weight: None }];
/// let updated = trees.update(&closed, None)?;
/// assert_eq!(updated[0].changed, [2, 3]);
/// assert_eq!(trees.tree(0).path_to(2), Some(vec![0, 3, 2]));
/// // a change that cannot be made changes nothing
/// assert!(trees.update(&closed, None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynamicTrees<W: Weight> {
    graph: DynamicGraph<W>,
    trees: Vec<Kept<W>>,
    config: Config,
    pool: Pool,
}

/// What a batch of changes has done to a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// The vertices that have another distance than before, in no order.
    pub changed: Vec<VertexId>,
    /// Whether a whole search was made, which was faster or needed.
    pub is_new_search: bool,
}

impl<W: SearchWeight> DynamicTrees<W> {
    /// Searches from `sources`, and copies the graph. Besides the copy, which in a directed graph
    /// has rows and columns, 9 to 13 bytes a vertex for each source.
    ///
    /// # Errors
    /// As [`Solver::tree`](crate::Solver::tree).
    pub fn new(graph: &Csr<W>, sources: &[VertexId], config: &Config) -> Result<Self, SsspError> {
        W::generated().dynamic_trees(graph, sources, config)
    }

    /// Makes these changes, all or none, and the trees those of the graph that is then.
    ///
    /// Threads share the trees. `progress` gets the number of trees done; if it ends the work, the
    /// changes are not made.
    ///
    /// # Errors
    /// [`SsspError::BadChange`] for a change that cannot be made, and as
    /// [`Solver::tree`](crate::Solver::tree) for the changed graph. Nothing is changed then.
    pub fn update(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Updated>, SsspError> {
        W::generated().update_trees(self, changes, progress)
    }

    /// The graph as it is now.
    pub fn graph(&self) -> &DynamicGraph<W> {
        &self.graph
    }

    /// The tree of a source, by its position among the sources.
    ///
    /// # Panics
    /// When there is no such source.
    pub fn tree(&self, source: usize) -> &Tree<W> {
        &self.trees[source].tree
    }
}

/// Searches a graph from these sources.
pub(crate) type Search<'s, W> =
    &'s dyn Fn(&Csr<W>, &[VertexId], &Config) -> Result<Vec<Tree<W>>, SsspError>;

impl<W: SearchKeys> DynamicTrees<W> {
    pub(crate) fn made(
        graph: &Csr<W>,
        sources: &[VertexId],
        config: &Config,
        search: Search<'_, W>,
    ) -> Result<Self, SsspError> {
        let n = graph.n_vertices();
        check_vertices(n, "source", sources)?;
        let config =
            Config { expected_searches: NonZeroUsize::new(sources.len()), ..config.clone() };
        ensure_granted(sources.len() * n * Kept::<W>::BYTES_OF_VERTEX)?;
        let trees = search(graph, sources, &config)?;
        let trees = trees.into_iter().map(|tree| Kept { tree, space: Space::new(n) }).collect();
        let (graph, pool) = (DynamicGraph::new(graph)?, Pool::new(config.threads));
        Ok(Self { graph, trees, config, pool })
    }

    pub(crate) fn changed_by(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
        search: Search<'_, W>,
    ) -> Result<Vec<Updated>, SsspError> {
        let had_negative = self.graph.has_negative();
        let n_before = self.graph.n_vertices();
        let Self { graph, pool, .. } = self;
        let changed = pool.run(|| graph.apply(changes))?;
        let is_new_search = had_negative || self.graph.has_negative();
        let updated = self.follow(&changed.arcs, is_new_search, progress, search);
        if updated.is_err() {
            self.graph.undo(&changed);
            self.trees.iter_mut().for_each(|kept| kept.resize(n_before));
        }
        updated
    }

    /// Makes the trees those of the graph, in which these arcs have changed, or leaves them as they
    /// are.
    fn follow(
        &mut self,
        arcs: &[ArcChange<W>],
        is_new_search: bool,
        progress: Option<Progress<'_>>,
        search: Search<'_, W>,
    ) -> Result<Vec<Updated>, SsspError> {
        let Self { graph, trees, config, pool } = self;
        let n = graph.n_vertices();
        let most = if is_new_search { 0 } else { (n / SHARE).max(MIN_CONCERNED) };
        let growth = n - trees.first().map_or(n, |kept| kept.space.marks.len());
        // vectors that grow are copied
        let of_growth = if growth > 0 { 2 * n * Kept::<W>::BYTES_OF_VERTEX } else { 0 };
        ensure_granted(trees.len() * (most * BYTES_OF_CONCERNED + of_growth))?;
        let (done, total) = (AtomicU64::new(0), trees.len() as u64);
        let graph = &*graph;
        let follow = |kept: &mut Kept<W>| {
            kept.resize(n);
            if is_new_search {
                return Ok(false);
            }
            tell(progress, done.fetch_add(1, Relaxed), total)?;
            kept.follow(graph, arcs, most)
        };
        let outcomes: Vec<_> = match &mut trees[..] {
            // without another thread, whose cache has nothing of it
            [tree] => vec![follow(tree)],
            trees => pool.run(|| trees.par_iter_mut().map(follow).collect()),
        };
        let left = outcomes.iter().zip(&*trees).filter_map(|(outcome, kept)| match outcome {
            Ok(true) => None,
            Ok(false) => Some(Ok(kept.tree.source)),
            Err(error) => Some(Err(error.clone())),
        });
        let new = left.collect::<Result<Vec<_>, _>>().and_then(|left| match &left[..] {
            [] => Ok(Vec::new()),
            left => search(&graph.to_csr()?, left, config),
        });
        let mut new = match new {
            Ok(new) => new.into_iter(),
            Err(error) => {
                trees.iter_mut().for_each(Kept::put_back);
                return Err(error);
            }
        };
        let updated = trees.iter_mut().zip(outcomes).map(|(kept, outcome)| match outcome {
            Ok(true) => Updated { changed: kept.changed(), is_new_search: false },
            _ => {
                let new = new.next().expect("there is one for each tree that is left");
                let before = replace(&mut kept.tree, new).distances;
                let both = before.iter().zip(kept.tree.distances.iter());
                let changed = (0..).zip(both).filter(|(_, (before, now))| before != now);
                Updated { changed: changed.map(|(v, _)| v).collect(), is_new_search: true }
            }
        });
        Ok(updated.collect())
    }
}

/// A tree, and the work space of its updates.
struct Kept<W: Weight> {
    tree: Tree<W>,
    space: Space<W>,
}

impl<W: Weight> Kept<W> {
    const BYTES_OF_VERTEX: usize = size_of::<W::Distance>() + size_of::<VertexId>() + 1;

    /// Does this with the arrays of the tree.
    fn with_arrays<T>(
        &mut self,
        work: impl FnOnce(&mut Vec<W::Distance>, &mut Vec<VertexId>, &mut Space<W>) -> T,
    ) -> T {
        let Tree { distances, predecessors, .. } = &mut self.tree;
        let none = Distances::from_storage(Vec::new());
        let mut own = replace(distances, none).into_storage();
        let none = Predecessors::from_storage(Vec::new());
        let mut before = replace(predecessors, none).into_storage();
        let result = work(&mut own, &mut before, &mut self.space);
        *distances = Distances::from_storage(own);
        *predecessors = Predecessors::from_storage(before);
        result
    }

    fn resize(&mut self, n_vertices: usize) {
        if self.space.marks.len() != n_vertices {
            self.with_arrays(|distances, predecessors, space| {
                distances.resize(n_vertices, W::Distance::UNREACHED);
                predecessors.resize(n_vertices, NO_VERTEX);
                space.marks.resize(n_vertices, 0);
            });
        }
    }

    /// Makes it the tree of the graph, in which these arcs have changed. False, with the tree as it
    /// was, if more than `most` vertices are concerned.
    fn follow(
        &mut self,
        graph: &DynamicGraph<W>,
        arcs: &[ArcChange<W>],
        most: usize,
    ) -> Result<bool, SsspError> {
        let source = self.tree.source;
        let is_done = self.with_arrays(|distances, predecessors, space| {
            Update::new(graph, source, (distances, predecessors), space, most).run(arcs)
        });
        if is_done != Ok(true) {
            self.put_back();
        }
        is_done
    }

    /// Takes back the last update.
    fn put_back(&mut self) {
        self.with_arrays(|distances, predecessors, space| {
            space.put_back(distances, predecessors);
            space.clear();
        });
    }

    /// Ends the last update; returns the vertices whose distance has changed.
    fn changed(&mut self) -> Vec<VertexId> {
        let changed = self.space.changed(self.tree.distances.as_storage());
        self.space.clear();
        changed
    }
}
