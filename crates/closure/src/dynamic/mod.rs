//! A closure that is kept up to date while the graph changes.
//!
//! A new arc (u, v) has no effect where u reaches v, nor has a deleted one where another path leads
//! from u to v. That path is sought from both ends: in a large component the searches soon meet.
//!
//! The other changes concern a rectangle of the matrix. Its rows are those of the vertices that reach
//! a tail in the changed graph: the others keep their old paths and get no new ones. Its columns, in
//! whole words, are what the tails of deleted arcs lose, and what the heads of new ones reach and their
//! tails did not. What up to 64 tails reach now is found by one search.
//!
//! If no path is lost, what new arcs add is [united](mod@insert) with the rows. Else the rectangle is
//! [found again](replace) by components, and the words that differ are written. The whole graph is
//! closed where that takes less time.
//!
//! A change without effect takes O(1) if it is an arc that is new, and else a search of at most four
//! times the graph for all of a batch. The rectangle takes O(n + m), and its width in words for each
//! row, or for each union of two.
//!
//! How it differs from the papers: theirs keep a tree of paths for each vertex, with a number for each
//! pair. They are for arcs that are only inserted, or only deleted and without cycles. Here a pair is
//! a bit, 64 are changed at a time, and a batch has any changes.
//!
//! Reference: italiano-1986, italiano-1988

mod insert;
mod replace;
pub(crate) mod search;

use graph_formats::{ArcChange, Change, Csr, DynamicGraph, VertexId, Weight, ensure_granted, tell};
use paths::{Closure, Progress};
use rayon::prelude::*;

use self::insert::insert;
use self::replace::Replaced;
use self::search::Searches;
use crate::components::set;
use crate::unite::WORD;
use crate::{ClosureError, Config, find};

/// New arcs whose effects are united with rows. Of more, what all of them add may fill the memory.
const MAX_NEWS: usize = 256;
/// The share of the vertices that are sought where arcs are only new, as a divisor: to look at all
/// rows takes less time than to find more.
const SHARE_OF_ANCESTORS: usize = 8;
/// Bytes of a vertex in searches and in the order of components, about.
pub(crate) const BYTES_OF_VERTEX: usize = 96;
/// Rows of a task, at least.
const MIN_ROWS_PER_TASK: usize = 64;

/// The ends of an arc.
pub(crate) type Pair = (VertexId, VertexId);

/// A graph that changes, and its closure.
///
/// ```
/// use closure::{Config, DynamicClosure};
/// use graph_formats::{Change, Csr};
///
/// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 7), (0, 2, 9)])?;
/// let mut closure = DynamicClosure::new(&graph, &Config::default(), None)?;
/// let changes = [
///     Change::Insert { from: 2, to: 3, weight: 4u32 },
///     Change::Delete { from: 0, to: 1, weight: None },
/// ];
/// let updated = closure.update(&changes, None)?;
/// assert_eq!((updated.n_new, updated.n_gone), (3, 1));
/// assert!(closure.closure().reaches(0, 3) && !closure.closure().reaches(0, 1));
/// // a change that cannot be made changes nothing
/// assert!(closure.update(&changes[1..], None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DynamicClosure {
    graph: DynamicGraph<u32>,
    closure: Closure,
    config: Config,
}

/// What a batch of changes has done to a closure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// Pairs that have a path now and had none.
    pub n_new: usize,
    /// Pairs that had a path and have none now.
    pub n_gone: usize,
    /// Whether the whole graph was closed again, which was faster.
    pub is_new_closure: bool,
}

impl DynamicClosure {
    /// Closes a graph, and copies its arcs without their weights. `config` is that of
    /// [`closure`](crate::closure), here and where a batch is so large that the whole is closed again.
    ///
    /// # Errors
    /// As [`closure`](crate::closure).
    pub fn new<W: Weight>(
        graph: &Csr<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ClosureError> {
        let graph = graph.clone().unweighted();
        let closure = find(&graph, config, progress)?.closure;
        Ok(Self { graph: DynamicGraph::new(&graph)?, closure, config: config.clone() })
    }

    /// Makes these changes, all or none, and the closure that of the graph that is then, on all
    /// threads of the current rayon pool.
    ///
    /// Weights do not matter: to reweight an arc changes nothing, and of parallel arcs any may be
    /// deleted. If `progress` ends the work, the changes are not made.
    ///
    /// # Errors
    /// [`ClosureError::BadChange`] for a change that cannot be made, and as
    /// [`closure`](crate::closure). Nothing is changed then.
    pub fn update<W: Copy>(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ClosureError> {
        let unweighted = |change: &Change<W>| change.try_map(|_| Some(1));
        let changes: Vec<_> = changes.iter().filter_map(unweighted).collect();
        self.changed_by(&changes, progress)
    }

    /// The graph as it is now, each arc of weight 1.
    pub fn graph(&self) -> &DynamicGraph<u32> {
        &self.graph
    }

    /// Its closure.
    pub fn closure(&self) -> &Closure {
        &self.closure
    }

    /// The closure alone, without a copy.
    pub fn into_closure(self) -> Closure {
        self.closure
    }

    fn changed_by(
        &mut self,
        changes: &[Change<u32>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ClosureError> {
        let n_before = self.graph.n_vertices();
        let changed = self.graph.apply(changes)?;
        let updated = self.follow(&changed.arcs, progress);
        if updated.is_err() {
            self.graph.undo(&changed);
            self.closure.resize(n_before);
        }
        updated
    }

    /// Makes the closure that of the graph, in which these arcs have changed. An error leaves its
    /// pairs as they are.
    fn follow(
        &mut self,
        arcs: &[ArcChange<u32>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ClosureError> {
        let Self { graph, closure, config } = self;
        let n_vertices = graph.n_vertices();
        if n_vertices > closure.n_vertices() {
            let bytes = n_vertices * n_vertices.div_ceil(WORD) * size_of::<u64>();
            ensure_granted(bytes).map_err(|_| ClosureError::TooLarge { n_vertices })?;
            closure.resize(n_vertices);
        }
        tell(progress, 0, 1)?;
        let (mut new, mut gone) = pairs(arcs, graph);
        new.retain(|&(from, to)| !closure.reaches(from, to));
        ensure_granted(n_vertices * BYTES_OF_VERTEX)?;
        let mut searches = Searches::new(graph);
        gone.retain(|&(from, to)| !searches.is_path_found(from, to, row(closure, from)));
        if new.is_empty() && gone.is_empty() {
            return Ok(Updated::default());
        }
        let tails: Vec<_> = new.iter().chain(&gone).map(|&(from, _)| from).collect();
        if gone.is_empty() && new.len() <= MAX_NEWS {
            let rows = searches.ancestors(&tails, n_vertices / SHARE_OF_ANCESTORS);
            let rows = rows.unwrap_or_else(|| (0..n_vertices as VertexId).collect());
            return insert(closure, &new, &rows);
        }
        let rows = searches.ancestors(&tails, n_vertices).expect("no more than all vertices");
        let columns = concerned(&searches, &new, &gone, &|vertex| row(closure, vertex));
        let words = (0..columns.len()).filter(|&word| columns[word] != 0).collect();
        if let Some(replaced) = Replaced::find(graph, closure, &rows, words, progress)? {
            return Ok(replaced.write(closure));
        }
        let whole = find(&graph.to_csr()?, config, progress)?.closure;
        let updated = difference(closure, &whole);
        *closure = whole;
        Ok(updated)
    }
}

/// The ends of new arcs, and of those that are gone and have no parallel one in the graph; ascending.
pub(crate) fn pairs(arcs: &[ArcChange<u32>], graph: &DynamicGraph<u32>) -> (Vec<Pair>, Vec<Pair>) {
    let pairs = |is_of: &dyn Fn(&ArcChange<u32>) -> bool| {
        let some = arcs.iter().filter(|arc| is_of(arc));
        let mut pairs: Vec<Pair> = some.map(|arc| (arc.from, arc.to)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let is_gone =
        |arc: &ArcChange<u32>| arc.after.is_none() && graph.weight(arc.from, arc.to).is_none();
    (pairs(&|arc| arc.before.is_none()), pairs(&is_gone))
}

/// A row with the columns of which a bit may change; `row` has what vertices reached before.
///
/// A new arc adds what its head reaches and its tail did not. A vertex loses only what the tail of a
/// deleted arc loses, the first of such arcs on its path.
pub(crate) fn concerned<'r>(
    searches: &Searches<'_>,
    new: &[Pair],
    gone: &[Pair],
    row: &dyn Fn(VertexId) -> &'r [u64],
) -> Vec<u64> {
    let mut columns = Vec::new();
    for &(from, to) in new {
        columns.resize(row(to).len(), 0);
        let both = row(to).iter().zip(row(from));
        columns.iter_mut().zip(both).for_each(|(column, (more, own))| *column |= more & !own);
        set(&mut columns, to);
    }
    let mut tails: Vec<_> = gone.iter().map(|&(from, _)| from).collect();
    tails.dedup();
    for tails in tails.chunks(WORD) {
        let reached = searches.reached_from(tails);
        for (bit, &tail) in tails.iter().enumerate() {
            columns.resize(row(tail).len(), 0);
            let words = reached.chunks(WORD).zip(row(tail));
            columns.iter_mut().zip(words).for_each(|(column, (reached, before))| {
                let now =
                    (0..).zip(reached).fold(0, |now, (at, bits)| now | (bits >> bit & 1) << at);
                *column |= before & !now;
            });
        }
    }
    columns
}

pub(crate) fn difference(before: &Closure, now: &Closure) -> Updated {
    let words = before.as_storage().par_iter().zip(now.as_storage());
    let count = |(before, now): (&u64, &u64)| changed_bits(*before, *now);
    let (n_new, n_gone) = words.map(count).reduce(Default::default, sum);
    Updated { n_new, n_gone, is_new_closure: true }
}

/// How many bits are new and how many are gone.
fn changed_bits(before: u64, now: u64) -> (usize, usize) {
    ((now & !before).count_ones() as usize, (before & !now).count_ones() as usize)
}

fn sum(one: (usize, usize), other: (usize, usize)) -> (usize, usize) {
    (one.0 + other.0, one.1 + other.1)
}

fn row(closure: &Closure, vertex: VertexId) -> &[u64] {
    let stride = closure.n_vertices().div_ceil(WORD);
    &closure.as_storage()[vertex as usize * stride..][..stride]
}

/// These rows, which ascend.
fn rows_mut<'c>(closure: &'c mut Closure, vertices: &[VertexId]) -> Vec<(VertexId, &'c mut [u64])> {
    let stride = closure.n_vertices().div_ceil(WORD);
    let (mut rest, mut first) = (closure.as_storage_mut(), 0);
    let next = |&vertex: &VertexId| {
        let from = (vertex as usize - first) * stride;
        let (row, after) = std::mem::take(&mut rest)[from..].split_at_mut(stride);
        (rest, first) = (after, vertex as usize + 1);
        (vertex, row)
    };
    vertices.iter().map(next).collect()
}
