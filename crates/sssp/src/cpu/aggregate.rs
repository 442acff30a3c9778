//! Aggregates of points within a cutoff of every vertex.
//!
//! A search from each vertex with points, which adds its points to all that it reaches: the cost is
//! that of what the searches reach, and vertices without points cost nothing. Each thread has keys
//! of all vertices, of which a search resets those that it reached.
//!
//! Sums of floats depend on the order of their terms, which is that of the sources here. Searches
//! run in rounds. Each leaves a list of what it reached, by ranges of vertices. After a round the
//! threads share the ranges, and each adds up the lists of its range in the order of the sources.
//! So the sums have the same bits with any number of threads, and a round bounds the memory.
//!
//! Reference: dijkstra-1959

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight, parallel, tell};
use paths::Progress;
use paths::aggregate::{Aggregate, Decay, Source, Sources, Statistic};

use super::queue::{Dial, MonotoneQueue, RadixHeap};
use crate::key::{FullKey, FullKeys, KeyArithmetic, U32Keys};
use crate::{Queue, SsspError, Work};

/// A round ends once its searches reached as many vertices.
const REACHED_PER_ROUND: u64 = 1 << 22;
/// The most ranges of vertices that threads share.
const RANGES: usize = 64;
/// Vertices settled between two calls of the progress callback.
const SETTLED_PER_REPORT: u64 = 1 << 16;

/// The searches of an aggregate.
pub(crate) struct Job<'a, U: Weight> {
    /// In which distances go from the points.
    pub(crate) graph: &'a Csr<U>,
    pub(crate) sources: &'a Sources,
    pub(crate) limit: FullKey<U>,
    /// The cutoff of the decay.
    pub(crate) cutoff: f64,
    pub(crate) aggregate: Aggregate,
    pub(crate) queue: Queue,
    pub(crate) n_workers: usize,
    pub(crate) progress: Option<Progress<'a>>,
}

/// What a search reached, by ranges of vertices.
struct Reach {
    source: usize,
    /// Where each range starts, and the end of the last.
    starts: Vec<usize>,
    vertices: Vec<VertexId>,
    /// The decay of each; empty where nothing decays.
    factors: Vec<f64>,
    work: Work,
}

/// The work space of a thread. Between searches all keys are the greatest, and the rest is empty.
struct Space<K, Q> {
    keys: Vec<K>,
    reached: Vec<VertexId>,
    queue: Q,
}

impl<U: Weight> Job<'_, U> {
    /// Whether keys have 32 bits, which hold every sum that a search computes.
    pub(crate) fn is_narrow(&self) -> bool {
        let greatest = self.graph.weight_summary().greatest.to_i128();
        let limit = U::Distance::from_key(self.limit).to_i128();
        let sum = greatest.zip(limit).and_then(|(greatest, limit)| limit.checked_add(greatest));
        U::KIND.is_integer() && sum.is_some_and(|sum| sum < u32::MAX.into())
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        // a key, and places in the list of what is reached and in the queue
        let vertex = size_of::<FullKey<U>>() + size_of::<VertexId>() + size_of::<(u64, VertexId)>();
        let cells = self.graph.n_vertices().saturating_mul(self.stride());
        let lists = REACHED_PER_ROUND as usize * size_of::<(VertexId, f64)>();
        (self.n_workers * vertex * self.graph.n_vertices())
            .saturating_add(cells.saturating_mul(size_of::<f64>()))
            .saturating_add(lists)
    }

    /// Numbers for each vertex: a mean has a sum and a count for each category.
    fn stride(&self) -> usize {
        let n_numbers = if self.aggregate.statistic == Statistic::Mean { 2 } else { 1 };
        n_numbers * self.sources.n_categories
    }

    /// The aggregates, a row of categories for each vertex.
    pub(crate) fn solve(&self) -> Result<(Vec<f64>, Work), SsspError> {
        // no float has narrow keys, so their code need not be generated
        if const { U::KIND.is_integer() } && self.is_narrow() {
            self.by_keys::<U32Keys>()
        } else {
            self.by_keys::<FullKeys>()
        }
    }

    fn by_keys<L: KeyArithmetic<U>>(&self) -> Result<(Vec<f64>, Work), SsspError> {
        // floats have no queue of Dial
        if const { U::KIND.is_integer() } && self.queue == Queue::Dial {
            let greatest = self.graph.weight_summary().greatest.to_i128().unwrap_or(0) as u64;
            self.by_queue::<L, _>(&|| Dial::new(greatest))
        } else {
            self.by_queue::<L, _>(&RadixHeap::default)
        }
    }

    fn by_queue<L: KeyArithmetic<U>, Q: MonotoneQueue<L::Key>>(
        &self,
        queue: &dyn Fn() -> Q,
    ) -> Result<(Vec<f64>, Work), SsspError> {
        let n = self.graph.n_vertices();
        let space =
            || Space { keys: vec![L::Key::GREATEST; n], reached: Vec::new(), queue: queue() };
        let mut spaces: Vec<_> = (0..self.n_workers).map(|_| space()).collect();
        let mut cells = vec![self.none(); n * self.stride()];
        let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
        let mut work = Work::default();
        while next.load(Relaxed) < self.sources.all.len() {
            let reached = AtomicU64::new(0);
            let searched = parallel::try_map_of(spaces.iter_mut().collect(), &|space| {
                let mut found = Vec::new();
                while reached.load(Relaxed) < REACHED_PER_ROUND {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(source) = self.sources.all.get(at) else { break };
                    let report = || self.report(done.load(Relaxed));
                    let reach = self.search::<L, Q>(space, at, source, &report)?;
                    reached.fetch_add(reach.vertices.len() as u64, Relaxed);
                    found.push(reach);
                    self.report(done.fetch_add(1, Relaxed) + 1)?;
                }
                Ok::<_, SsspError>(found)
            })?;
            let mut found: Vec<_> = searched.into_iter().flatten().collect();
            found.sort_unstable_by_key(|reach| reach.source);
            work.add(&Work::sum(found.iter().map(|reach| reach.work)));
            self.add_up(&mut cells, &found);
        }
        Ok((self.finished(cells), work))
    }

    fn report(&self, done: u64) -> Result<(), SsspError> {
        Ok(tell(self.progress, done, self.sources.all.len() as u64)?)
    }

    /// Finds what lies within the limit of a source.
    fn search<L: KeyArithmetic<U>, Q: MonotoneQueue<L::Key>>(
        &self,
        space: &mut Space<L::Key, Q>,
        at: usize,
        source: &Source,
        report: &dyn Fn() -> Result<(), SsspError>,
    ) -> Result<Reach, SsspError> {
        let Space { keys, reached, queue } = space;
        let (graph, keys) = (self.graph, keys.as_mut_slice());
        let limit = L::limit_key(self.limit);
        // a vertex without an arc other than the one back is not queued
        let dead_end = usize::from(graph.direction() == Direction::Undirected);
        let mut work = Work::default();
        keys[source.vertex as usize] = L::Key::LEAST;
        reached.push(source.vertex);
        queue.push(L::Key::LEAST, source.vertex);
        while let Some((key, vertex)) = queue.pop() {
            if keys[vertex as usize] != key {
                continue;
            }
            work.settled += 1;
            if work.settled.is_multiple_of(SETTLED_PER_REPORT) {
                report()?;
            }
            let arcs = graph.arcs_from(vertex);
            work.relaxations += arcs.len() as u64;
            for (to, weight) in arcs {
                let through = L::after(key, weight);
                let before = &mut keys[to as usize];
                // the limit is below the greatest key, which is that of a sum that overflows
                if through < *before && through <= limit {
                    if *before == L::Key::GREATEST {
                        reached.push(to);
                    }
                    *before = through;
                    work.improvements += 1;
                    if graph.out_degree(to) > dead_end {
                        queue.push(through, to);
                    }
                }
            }
        }
        queue.clear();
        let reach = self.reach::<L>(keys, reached, at, work);
        reached.drain(..).for_each(|vertex| keys[vertex as usize] = L::Key::GREATEST);
        Ok(reach)
    }

    /// Vertices in a range.
    fn width(&self) -> usize {
        self.graph.n_vertices().div_ceil(RANGES).next_power_of_two()
    }

    /// The reached vertices by ranges, by counting.
    fn reach<L: KeyArithmetic<U>>(
        &self,
        keys: &[L::Key],
        reached: &[VertexId],
        source: usize,
        work: Work,
    ) -> Reach {
        let shift = self.width().trailing_zeros();
        let range = |vertex: VertexId| (vertex >> shift) as usize;
        let mut starts = vec![0; RANGES + 2];
        reached.iter().for_each(|&vertex| starts[range(vertex) + 2] += 1);
        (2..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut vertices = vec![0; reached.len()];
        let Aggregate { statistic, decay, .. } = self.aggregate;
        let decays = matches!(statistic, Statistic::Sum | Statistic::Mean) && decay != Decay::Flat;
        let mut factors = vec![0.0; if decays { reached.len() } else { 0 }];
        for &vertex in reached {
            // the start of the next range, which is this one's in the end
            let place = &mut starts[range(vertex) + 1];
            vertices[*place] = vertex;
            if decays {
                let distance = U::Distance::from_key(L::full(keys[vertex as usize]));
                factors[*place] = decay.at(distance.to_f64(), self.cutoff);
            }
            *place += 1;
        }
        Reach { source, starts, vertices, factors, work }
    }

    /// What a number is before the first point.
    fn none(&self) -> f64 {
        if self.aggregate.statistic == Statistic::Minimum { f64::INFINITY } else { 0.0 }
    }

    /// Adds what a round found, in the order of the sources.
    fn add_up(&self, cells: &mut [f64], found: &[Reach]) {
        let (stride, width) = (self.stride(), self.width());
        let ranges = cells.chunks_mut((width * stride).max(1)).enumerate();
        parallel::for_each_of(ranges, &|(range, cells)| {
            let first = (range * width) as VertexId;
            for reach in found {
                let places = reach.starts[range]..reach.starts[range + 1];
                let vertices = &reach.vertices[places.clone()];
                let factors = reach.factors.get(places).unwrap_or_default();
                let parts = &self.sources.parts[self.sources.all[reach.source].parts.clone()];
                let cell = |column, vertex| (vertex - first) as usize * stride + column;
                for part in parts {
                    let mut add = |column: usize, amount: f64, factors: &[f64]| {
                        if factors.is_empty() {
                            vertices.iter().for_each(|&v| cells[cell(column, v)] += amount);
                        } else {
                            for (&v, factor) in vertices.iter().zip(factors) {
                                cells[cell(column, v)] += amount * factor;
                            }
                        }
                    };
                    match self.aggregate.statistic {
                        Statistic::Count => add(part.category, part.count, &[]),
                        Statistic::Sum => add(part.category, part.sum, factors),
                        Statistic::Mean => {
                            add(2 * part.category, part.sum, factors);
                            add(2 * part.category + 1, part.count, &[]);
                        }
                        Statistic::Minimum => {
                            for &vertex in vertices {
                                let least = &mut cells[cell(part.category, vertex)];
                                *least = if part.least < *least { part.least } else { *least };
                            }
                        }
                    }
                }
            }
        });
    }

    /// The aggregates of all that was added up.
    fn finished(&self, mut cells: Vec<f64>) -> Vec<f64> {
        match self.aggregate.statistic {
            Statistic::Count | Statistic::Sum => {}
            Statistic::Mean => {
                // zero by zero is NaN
                (0..cells.len() / 2).for_each(|at| cells[at] = cells[2 * at] / cells[2 * at + 1]);
                cells.truncate(cells.len() / 2);
            }
            Statistic::Minimum => {
                let empty = cells.iter_mut().filter(|least| **least == f64::INFINITY);
                empty.for_each(|least| *least = f64::NAN);
            }
        }
        cells
    }
}
