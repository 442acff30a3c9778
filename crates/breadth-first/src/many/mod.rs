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
//! ignores sources whose search is over. If the frontier is small, a bit for each vertex says
//! whether it is in the frontier. The fields of vertices outside it are then not read.
//!
//! Reference: then-2015

mod bits;
mod order;
mod rows;
mod search;
mod steps;
mod sums;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, Interrupted, VertexId, parallel, tell};
use paths::{HopSums, Progress};
use search_parts::{EndsOnPanic, SearchError};

use self::rows::{Columns, Hops};
use self::search::{Batch, Found};
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
/// [`depth`]. It is if levels are few and large, or if there are enough sources that they lie near
/// one another.
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
        let n_vertices = self.graph.n_vertices();
        let parts = self.search(sources, || Sums::new(n_vertices, self.shape.is_team))?;
        let mut sums = HopSums::new(n_vertices);
        parts.iter().for_each(|part| part.add_to(&mut sums));
        Ok(sums)
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
        let columns = Columns::of(targets, self.graph.n_vertices());
        self.search(sources, || Hops::new(&columns, 64 * self.shape.words, take)).map(|_| ())
    }

    /// Searches from `sources`. Each thread has a value of `start`, which takes what its batches
    /// find.
    fn search<F: Found>(
        &self,
        sources: &[VertexId],
        start: impl Fn() -> F + Sync,
    ) -> Result<Vec<F>, SearchError> {
        match self.shape.words {
            1 => self.in_batches::<1, F>(sources, start),
            2 => self.in_batches::<2, F>(sources, start),
            4 => self.in_batches::<4, F>(sources, start),
            _ => self.in_batches::<8, F>(sources, start),
        }
    }

    /// The same in batches of `N` words, some at a time.
    fn in_batches<const N: usize, F: Found>(
        &self,
        sources: &[VertexId],
        start: impl Fn() -> F + Sync,
    ) -> Result<Vec<F>, SearchError> {
        let mut rows: Vec<usize> = (0..sources.len()).collect();
        if let Some(ranks) = &self.ranks {
            rows.sort_unstable_by_key(|&row| ranks[sources[row] as usize]);
        }
        let batches = Mutex::new(rows.chunks(64 * N));
        let take_all = |_| {
            let _ends = EndsOnPanic(&self.ended);
            let into = self.incoming.as_ref().map(Arcs::of_graph);
            let mut batch = Batch::<N>::new(Arcs::of_graph(&self.graph), into, self.shape.is_team);
            let mut found = start();
            loop {
                let next = batches.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(rows) = next else { return Ok(found) };
                let sources = rows.iter().map(|&row| sources[row]);
                batch.search(sources, &mut found, || self.goes_on())?;
                found.end(rows);
                self.done.fetch_add(rows.len() as u64, Relaxed);
            }
        };
        let parts = parallel::map(self.shape.n_batches, &take_all);
        let parts = parts.into_iter().collect::<Result<_, SearchError>>()?;
        self.goes_on()?;
        Ok(parts)
    }

    fn goes_on(&self) -> Result<(), SearchError> {
        if self.ended.load(Relaxed) {
            return Err(Interrupted.into());
        }
        tell(self.progress, self.done.load(Relaxed), self.total)
            .inspect_err(|_| self.ended.store(true, Relaxed))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_threads_and_memory() {
        let shape = |n_vertices, n_sources, threads, flat| {
            let shape = Shape::of(n_vertices, n_sources, threads, flat);
            (shape.words, shape.n_batches, shape.is_team)
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
