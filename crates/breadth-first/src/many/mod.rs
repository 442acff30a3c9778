//! Breadth-first search from many sources at once, a bit each.
//!
//! Every vertex has three fields of up to 512 bits: the sources that have reached it, those that
//! reached it on the last level, and those on this level. One instruction then does the work of all
//! searches that cross the same arc on the same level. A level is pushed along the arcs of the
//! frontier. Or it is pulled along the arcs into all vertices that some source has not reached,
//! each until no bit can be new. The result of a level is a list of vertices with the bits of the
//! sources that have just reached them.
//!
//! O(l·m/512) word operations a source if a batch has l levels in which some of its sources find a
//! vertex. That is few on graphs of few levels, and on others for sources near one another, which
//! [`order`] groups. 24 bytes a vertex for each 64 sources of a batch.
//!
//! Each thread runs a batch. If there are fewer batches than threads, all threads pull the levels
//! of one batch together, or, where levels are many and small, batches have fewer sources.
//!
//! Differences from the paper: levels are pulled as in its direction-optimising form, but a pull
//! ignores sources whose search is over; and if the frontier is small, a bit for each vertex says
//! whether it is in the frontier, so that the fields of other vertices are not read.
//!
//! Reference: then-2015

mod bits;
mod order;
mod processor;
mod pull;
mod push;
mod rows;
mod search;
mod sums;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, VertexId, parallel};
use paths::{HopSums, Progress};
use search_parts::{EndsOnPanic, SearchError};

use self::rows::{Columns, Hops};
use self::search::{Batch, Ways};
use self::sums::Sums;
use crate::arcs::{Arcs, incoming};
use crate::depth::depth;

pub use self::rows::TakeHops;

/// Bytes for the fields of all batches, unless the smallest batch needs more.
const MAX_BYTES: usize = 4 << 30;
/// Estimated levels up to which a graph is flat: threads share its levels, and sources need not be
/// near one another.
const MAX_LEVELS: f64 = 100.0;
/// The least number of sources that are searched from at once.
const MIN_SOURCES: usize = 16;
/// Vertices for each source of a deep graph, up to which sources are near one another.
const MAX_SPACING: usize = 4;
/// The least number of sources for which a graph is transposed, to pull.
const MIN_SOURCES_TO_TRANSPOSE: usize = 64;

/// Vertices for each source of a deep graph, up to which batches of 64 sources pay on a GPU.
const MAX_GPU_SPACING_64: usize = 25_000;
/// Vertices for each source of a deep graph, up to which batches of 1,024 sources pay on a GPU.
const MAX_GPU_SPACING_1024: usize = 12_000;

/// The size of batches, and how threads share them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    /// Words of 64 sources in a batch.
    words: usize,
    /// Batches at a time.
    n_batches: usize,
    /// Whether all threads pull the levels of one batch.
    is_team: bool,
}

impl Shape {
    /// The shape for these numbers; `flat` if the graph has few, large levels.
    fn of(n_vertices: usize, n_sources: usize, threads: usize, flat: bool) -> Self {
        let fit = |words: usize| MAX_BYTES / (24 * words * n_vertices.max(1));
        let words_for = |n_sources: usize| n_sources.div_ceil(64).next_power_of_two().min(8);
        let side_by_side = n_sources.div_ceil(512) >= threads && fit(8) >= threads;
        if flat && !side_by_side {
            return Self { words: words_for(n_sources), n_batches: 1, is_team: threads > 1 };
        }
        let mut words = words_for(n_sources.div_ceil(threads));
        while words > 1 && fit(words) < threads {
            words /= 2;
        }
        let n_batches = fit(words).clamp(1, threads).min(n_sources.div_ceil(64 * words));
        Self { words, n_batches, is_team: false }
    }
}

/// Whether one search from all of `n_sources` is faster than one after another, on a graph of this
/// [`depth`]. It is if levels are few and large, or if sources are so many that they lie near one
/// another.
pub fn pays(n_vertices: usize, depth: f64, n_sources: usize) -> bool {
    let are_near = || n_sources >= n_vertices / MAX_SPACING;
    n_sources >= MIN_SOURCES && (depth <= MAX_LEVELS || are_near())
}

/// The same on a GPU, whose batches scan all vertices in every level: on a deep graph it pays only
/// for many sources.
pub fn pays_on_gpu(n_vertices: usize, depth: f64, n_sources: usize) -> bool {
    let spacing = if n_sources <= 64 { MAX_GPU_SPACING_64 } else { MAX_GPU_SPACING_1024 };
    n_sources >= MIN_SOURCES && (depth <= MAX_LEVELS || n_sources >= n_vertices / spacing)
}

/// Searches of a graph from many sources, in the current thread pool.
pub struct ManySources<'a> {
    /// The graph without its weights.
    graph: Csr<u32>,
    incoming: Option<Csr<u32>>,
    shape: Shape,
    /// The position of each vertex in the order of sources, if batches group near sources.
    ranks: Option<Vec<u32>>,
    done: AtomicU64,
    total: u64,
    progress: Option<Progress<'a>>,
    ended: AtomicBool,
}

impl<'a> ManySources<'a> {
    /// Prepares searches from `n_sources` sources, on `threads` threads of the current pool.
    /// `progress` gets the number of sources done. O(n + m).
    pub fn new(
        graph: Csr<u32>,
        n_sources: usize,
        threads: usize,
        progress: Option<Progress<'a>>,
    ) -> Self {
        let flat = depth(&graph) <= MAX_LEVELS;
        let shape = Shape::of(graph.n_vertices(), n_sources, threads, flat);
        let in_a_batch = 64 * shape.words;
        let is_ordered = !flat && n_sources > in_a_batch;
        Self {
            incoming: incoming(&graph, flat && n_sources >= MIN_SOURCES_TO_TRANSPOSE),
            shape,
            ranks: is_ordered.then(|| order::by_balls(&graph, n_sources, in_a_batch)),
            graph,
            done: AtomicU64::new(0),
            total: n_sources as u64,
            progress,
            ended: AtomicBool::new(false),
        }
    }

    /// The sums over the searches from `sources`.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it.
    pub fn sums(&self, sources: &[VertexId]) -> Result<HopSums, SearchError> {
        let mut sources = sources.to_vec();
        if let Some(ranks) = &self.ranks {
            sources.sort_unstable_by_key(|&source| ranks[source as usize]);
        }
        match self.shape.words {
            1 => self.add_up::<1>(&sources),
            2 => self.add_up::<2>(&sources),
            4 => self.add_up::<4>(&sources),
            _ => self.add_up::<8>(&sources),
        }
    }

    /// Passes the hops from each of `sources` to each of `targets`, at least one, to `take`, which
    /// several threads call.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it.
    pub fn rows(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
        take: TakeHops<'_>,
    ) -> Result<(), SearchError> {
        let mut rows: Vec<usize> = (0..sources.len()).collect();
        if let Some(ranks) = &self.ranks {
            rows.sort_unstable_by_key(|&row| ranks[sources[row] as usize]);
        }
        let columns = Columns::of(targets, self.graph.n_vertices());
        match self.shape.words {
            1 => self.fill::<1>(sources, &rows, &columns, take),
            2 => self.fill::<2>(sources, &rows, &columns, take),
            4 => self.fill::<4>(sources, &rows, &columns, take),
            _ => self.fill::<8>(sources, &rows, &columns, take),
        }
    }

    fn add_up<const N: usize>(&self, sources: &[VertexId]) -> Result<HopSums, SearchError> {
        let n_vertices = self.graph.n_vertices();
        let goes_on = || self.goes_on();
        let start = || Sums::new(n_vertices, self.shape.is_team, &goes_on);
        let parts =
            self.each(sources.chunks(64 * N), start, |batch: &mut Batch<N>, sums, part| {
                batch.search(self.ways(), part, sums)?;
                Ok(part.len())
            })?;
        let mut sums = HopSums::new(n_vertices);
        parts.iter().for_each(|part| part.add_to(&mut sums));
        Ok(sums)
    }

    fn fill<const N: usize>(
        &self,
        sources: &[VertexId],
        rows: &[usize],
        columns: &Columns,
        take: TakeHops<'_>,
    ) -> Result<(), SearchError> {
        let goes_on = || self.goes_on();
        let start = || Hops::new(columns, &goes_on);
        self.each(rows.chunks(64 * N), start, |batch: &mut Batch<N>, hops, rows| {
            let sources: Vec<_> = rows.iter().map(|&row| sources[row]).collect();
            hops.clear(64 * N);
            batch.search(self.ways(), &sources, hops)?;
            hops.hand_over(rows, take);
            Ok(rows.len())
        })?;
        Ok(())
    }

    fn ways(&self) -> Ways<'_> {
        Ways { out: Arcs::of_graph(&self.graph), into: self.incoming.as_ref().map(Arcs::of_graph) }
    }

    fn goes_on(&self) -> Result<(), SearchError> {
        let report = |progress: Progress<'_>| progress(self.done.load(Relaxed), self.total);
        if self.progress.is_some_and(|progress| report(progress).is_break()) {
            self.ended.store(true, Relaxed);
        }
        if self.ended.load(Relaxed) { Err(SearchError::Interrupted) } else { Ok(()) }
    }

    /// Runs all batches, some at a time, each thread with a value of `start`. `work` returns the
    /// number of sources of its batch.
    fn each<const N: usize, B, T: Send>(
        &self,
        batches: impl Iterator<Item = B> + Send,
        start: impl Fn() -> T + Sync,
        work: impl Fn(&mut Batch<N>, &mut T, B) -> Result<usize, SearchError> + Sync,
    ) -> Result<Vec<T>, SearchError> {
        let batches = Mutex::new(batches);
        let take_all = |_| {
            let _ends = EndsOnPanic(&self.ended);
            let mut batch = Batch::new(self.graph.n_vertices(), self.shape.is_team);
            let mut made = start();
            loop {
                let next = batches.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(next) = next else { return Ok(made) };
                let n_sources = work(&mut batch, &mut made, next)?;
                self.done.fetch_add(n_sources as u64, Relaxed);
            }
        };
        let parts = parallel::map(self.shape.n_batches, &take_all);
        let parts = parts.into_iter().collect::<Result<_, SearchError>>()?;
        self.goes_on()?;
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_threads_and_memory() {
        let shape = |n_vertices, n_sources, threads, flat| {
            let Shape { words, n_batches, is_team } =
                Shape::of(n_vertices, n_sources, threads, flat);
            (words, n_batches, is_team)
        };
        assert_eq!(shape(1 << 20, 1 << 20, 2, true), (8, 2, false));
        assert_eq!(shape(1 << 20, 1 << 20, 2, false), (8, 2, false));
        assert_eq!(shape(1 << 20, 512, 2, true), (8, 1, true), "fewer batches than threads");
        assert_eq!(shape(1 << 20, 512, 2, false), (4, 2, false), "levels too small to be shared");
        assert_eq!(shape(1 << 20, 100, 1, true), (2, 1, false));
        assert_eq!(shape(1 << 20, 1, 8, false), (1, 1, false));
        assert_eq!(shape(1 << 24, 1 << 20, 2, true), (8, 1, true), "no memory for two");
        assert_eq!(shape(1 << 24, 1 << 20, 2, false), (4, 2, false));
        assert_eq!(shape(1 << 31, 1 << 20, 8, false), (1, 1, false), "the smallest there is");
        assert_eq!(shape(0, 0, 1, true), (1, 1, false));
    }
}
