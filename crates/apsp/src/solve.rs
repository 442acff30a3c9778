//! All pairs of a graph.

use std::time::Duration;

use collectives::Alone;
use graph_formats::{Csr, Distance, Weight};
use paths::{DistanceTable, NextHops, Paths};
use sssp::Progress;

use crate::ranks::{RankPairs, solve};
use crate::{ApspError, Config, Plan, hops};

/// The distances of all pairs.
#[derive(Clone, Debug)]
pub struct AllPairs<W: Weight> {
    /// A row for each source, a column for each target.
    pub distances: DistanceTable<W>,
    /// For each source a row of the first steps on the way to each target, where they were
    /// asked for.
    pub next_hops: Option<NextHops>,
    /// What found them, and why that.
    pub plan: Plan,
    /// How long Floyd-Warshall took where it did: neither the making of its matrix nor that
    /// of the table is counted.
    pub matrix_time: Option<Duration>,
}

impl<W: Weight> AllPairs<W> {
    /// The distances and the paths; `None` when next hops were not asked for.
    pub fn into_paths(self) -> Option<Paths<W>> {
        Paths::new(self.distances, self.next_hops?).ok()
    }
}

/// The distances of all pairs of vertices of `graph`.
///
/// Integers are exact and the same with every algorithm. Floats may differ in their last
/// bits between algorithms, for paths are not summed in the same order. O(n³), or for
/// Johnson's O(n (n + m) log n), and n² distances, for Floyd-Warshall also n² numbers of 4
/// or 8 bytes.
///
/// With [`Config::next_hops`], paths as well: n² numbers of 2 bytes, or from 65535 vertices
/// on 4. They come from the distances, so that they are the same with every algorithm, number
/// of threads and backend: those of [`paths::oracle::next_hops`], which says which of several
/// shortest paths it is. Floats then do not differ either: each distance is
/// the least sum over all paths, taken from the target backwards, bit for bit, and
/// [`check_next_hops`](paths::certificate::check_next_hops) holds exactly. O(n m) more, of
/// arcs that no path undercuts; for floats also a search from each vertex. With negative
/// floats a cycle that rounds to less than nothing may be found only then, and is an error.
///
/// # Errors
/// When there is a negative cycle anywhere in the graph, a distance overflows its type,
/// memory, or that of it which is allowed, cannot hold the matrix, or the progress callback
/// ended the work.
///
/// ```
/// use apsp::{Config, all_pairs};
/// use graph_formats::Csr;
///
/// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
/// let found = all_pairs(&graph, &Config::default(), None)?;
/// assert_eq!(found.distances.row(0).collect::<Vec<_>>(), [Some(0), Some(4)]);
/// assert_eq!(found.distances.row(1).collect::<Vec<_>>(), [None, Some(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_pairs<W: Weight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<AllPairs<W>, ApspError> {
    let found = solve(&Alone, graph, config, progress)?;
    let RankPairs { distances, plan, matrix_time, .. } = found;
    let (distances, next_hops) = match config.next_hops {
        true => hops::with_next_hops(graph, distances, &plan, progress)?,
        false => (distances, None),
    };
    Ok(AllPairs { distances, next_hops, plan, matrix_time })
}

/// Zeros, which the system gives out when they are first touched; `None` if there is no memory.
pub(crate) fn zeros<D: Distance>(len: usize) -> Option<Vec<D>> {
    Vec::<D>::new().try_reserve_exact(len).ok()?;
    Some(vec![D::ZERO; len])
}
