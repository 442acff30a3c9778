//! All pairs on GPUs that follow batches of changes.
//!
//! As on a CPU ([`DynamicPairs`](crate::DynamicPairs)) raised and deleted arcs come first. A GPU
//! lists the pairs that they may have been on shortest paths of, resets them, and sweeps over the arcs
//! to these pairs until none helps, as Bellman and Ford do. Then it takes the paths over lowered and
//! new arcs, 64 at a time, whose heads are closed as pivots. After each turn the matrix is closed.
//!
//! Next hops follow in the same steps, from those of other pairs, where all weights are positive. With
//! weights of zero or less they depend on paths of no length, and are found anew for all pairs.
//!
//! O(k n²) for k arcs, at the speed of a matrix product. For l lost pairs in a graph of degree d it is
//! O(l d s) in s sweeps, about as many as lost paths have arcs. What has changed is not kept: if a
//! batch fails when the matrix was written, all pairs of the graph before are found again. They are
//! the same to the bit, for no batch with rounded floats is followed that could fail then.
//!
//! Reference: ramalingam-reps-1996, bellman-1958

use bytemuck::bytes_of;
use collectives::Alone;
use gpu_runtime::Gpu;
use graph_formats::{ArcChange, Change, Changed, Csr, DynamicGraph, VertexId, Weight, tell};
use sssp::Progress;

use super::arcs::DeviceArcs;
use super::arithmetic::Arithmetic;
use super::changes::{ARCS, Arc, Cells, Follower};
use super::on_gpus::{DevicePairs, solve_by};
use super::solve::plan;
use crate::dynamic::weights::Weights;
use crate::dynamic::{Stop, Updated, raised, split};
use crate::element::{Element, with_element};
use crate::job::Job;
use crate::potentials::RaisedWeight;
use crate::width::Narrow;
use crate::{ApspError, Config, Number, PairsWeight, Plan, Solver};

/// The time to begin a solve, in sums of a cell.
const SUMS_OF_A_SOLVE: f64 = 1e10;
/// The time of a turn's pass over the matrix, in sums of a cell.
const SUMS_OF_A_PASS: f64 = 64.0;
/// The time to search for a lost pair over an arc, in sums.
const SUMS_OF_A_SEARCH: f64 = 7500.0;

/// All pairs of a graph that takes changes in batches, in the memory of GPUs: distances, and on one
/// GPU next hops.
///
/// After every batch they are, to the bit, what [`Solver`] finds for the changed graph. Floats whose
/// sums are rounded may differ within 16 n ε of the greatest distance. After a batch that raises or
/// deletes arcs of such weights, or with next hops or negative ones, all pairs are found anew.
///
/// ```
/// use apsp::{Config, DynamicDevicePairs};
/// use gpu_runtime::Gpu;
/// use graph_formats::{Change, Csr};
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?;
/// let config = Config { next_hops: true, ..Config::default() };
/// let mut all = DynamicDevicePairs::new(&[gpu], &graph, &config, None)?;
/// assert_eq!(all.pairs().path(0, 2)?, Some(vec![0, 1, 2]));
/// let new = Change::Insert { from: 0, to: 2, weight: 9 };
/// all.update(&[new, Change::Delete { from: 0, to: 1, weight: None }], None)?;
/// assert_eq!(all.pairs().row(0)?, [Some(0), None, Some(9)]);
/// assert_eq!(all.pairs().path(0, 2)?, Some(vec![0, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DynamicDevicePairs<W: Weight> {
    graph: DynamicGraph<W>,
    pairs: DevicePairs<W>,
    follower: Follower,
    gpus: Vec<Gpu>,
    config: Config,
    weights: Weights,
    /// Batches that were followed since all pairs were found.
    n_batches: usize,
}

impl<W: PairsWeight> DynamicDevicePairs<W> {
    /// Finds all pairs on these GPUs, with this configuration, as
    /// [`solve_on_gpus`](Solver::solve_on_gpus) does, in 32 bits at least, and in 64 where these
    /// might not hold the sum of n of its weights. They take the matrix, each a part of its rows, n² / 4
    /// bytes in all or 512 KB each more, and 4 n² bytes for next hops. On the host it takes a copy of the
    /// graph; of a directed one, both rows and columns. Next hops of floats whose sums are rounded are found there, in the memory that
    /// [`Solver::solve`] takes.
    ///
    /// # Errors
    /// Those of [`Solver::solve_on_gpus`].
    pub fn new(
        gpus: &[Gpu],
        graph: &Csr<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        (W::functions().new_on_gpus)(Solver::new(graph, config).on(gpus), progress)
    }

    /// Makes all of these changes, or none, and finds the pairs that they change. No pair of
    /// vertices may occur twice. Searches are not counted, for all lost pairs are searched for at once.
    /// Next hops are found anew for all pairs, in O(n m), where a weight is or was zero or less.
    ///
    /// `progress` may end the work before the matrix is written. Where all pairs are found anew, it may
    /// end that too, if a second matrix has room on the GPU.
    ///
    /// # Errors
    /// [`ApspError::BadChange`] for the first change that cannot be made, a negative cycle, memory
    /// that does not suffice, or where the progress callback ended the work. Then graph and pairs are
    /// as they were, unless the GPU itself fails.
    pub fn update(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        (W::functions().update_on_gpus)((self, changes), progress)
    }
}

impl<W: Weight> DynamicDevicePairs<W> {
    /// The pairs of the graph as it is now. Plan and report are of the last time that all were found.
    pub fn pairs(&self) -> &DevicePairs<W> {
        &self.pairs
    }

    /// The graph as it is now.
    pub fn graph(&self) -> &DynamicGraph<W> {
        &self.graph
    }
}

impl<W: Weight> DevicePairs<W> {
    /// What follows the arcs of a batch with these weights.
    fn cells(&self, weights: Weights) -> Cells<'_> {
        let hops = self.hops.as_ref().filter(|_| weights.least > 0.0);
        Cells { distances: self.found.of_gpus(), hops }
    }
}

/// A batch that is being made.
struct Batch<W: Weight> {
    changed: Vec<Changed<W>>,
    /// Whether the matrix is no longer that of the graph before.
    is_written: bool,
    /// Sums that may still be spent, for the solver would take no more.
    left: f64,
    update: Updated,
}

impl<W: Weight> Batch<W> {
    fn spend(&mut self, sums: f64) -> Result<(), Stop> {
        self.left -= sums;
        if self.left < 0.0 { Err(Stop::Solve("the solver takes less time")) } else { Ok(()) }
    }

    /// The arcs that the last step has changed.
    fn arcs(&self) -> &[ArcChange<W>] {
        self.changed.last().map_or(&[], |changed| &changed.arcs)
    }
}

impl<W: RaisedWeight> DynamicDevicePairs<W> {
    pub(crate) fn make(
        solver: Solver<'_, Csr<W>>,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let Solver { graph: csr, config, gpus, .. } = solver;
        let Some(gpus) = gpus.filter(|_| cfg!(feature = "cuda")) else {
            return Err(ApspError::NotOnGpu { reason: "no GPU was given".to_owned() });
        };
        let graph = DynamicGraph::new(csr)
            .map_err(|refused| ApspError::too_large(csr.n_vertices(), refused.bytes as u128))?;
        let (gpus, config, weights) = (gpus.to_vec(), config.clone(), Weights::of(csr));
        let found = find(&gpus, csr, &config, progress);
        let (pairs, follower) = found.map_err(|error| error.named(&gpus))?;
        Ok(Self { graph, pairs, follower, gpus, config, weights, n_batches: 0 })
    }

    pub(crate) fn change(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        if self.pairs.found.is_released() {
            self.find_anew(None).map_err(|error| error.named(&self.gpus))?;
        }
        // all together, so that an error is of the first that cannot be made
        let all = self.graph.apply(changes)?;
        self.graph.undo(&all);
        let (lowered, raised) = split(&self.graph, changes);
        let (weights, n_vertices) = (self.weights, self.graph.n_vertices());
        let side = self.follower.side() as f64;
        let left = SUMS_OF_A_SOLVE + side.powi(3) * self.number().cost();
        let mut batch =
            Batch { changed: Vec::new(), is_written: false, left, update: Updated::default() };
        tell(progress, 0, 1)?;
        let done = match self.follow(&raised, &lowered, &mut batch) {
            Err(Stop::Solve(why)) => self.solve(why, &lowered, &mut batch, progress),
            Err(Stop::Failed(error)) => Err(error),
            Ok(()) => Ok(batch.update.clone()),
        };
        if done.is_err() {
            batch.changed.iter().rev().for_each(|changed| self.graph.undo(changed));
            (self.weights, self.pairs.n_vertices) = (weights, n_vertices);
            if batch.is_written
                && let Err(error) = self.find_anew(None)
            {
                self.pairs.release();
                return Err(error.named(&self.gpus));
            }
        }
        done.map_err(|error| error.named(&self.gpus))
    }

    fn number(&self) -> Number {
        self.pairs.plan.number.unwrap_or(Number::I32)
    }

    /// Makes the changes, raised ones first, and follows them.
    fn follow(
        &mut self,
        raised: &[Change<W>],
        lowered: &[Change<W>],
        batch: &mut Batch<W>,
    ) -> Result<(), Stop> {
        batch.changed.push(self.graph.apply(raised)?);
        self.weights = self.weights.and(raised).and(lowered);
        let n = self.graph.n_vertices();
        let (weights, number) = (self.weights, self.number());
        if !weights.width(W::KIND, n).number.is_some_and(|needed| number.hold(needed)) {
            return Err(Stop::Solve("sums may need wider numbers"));
        }
        if self.pairs.found.arithmetic() == Arithmetic::F32 && weights.least < 0.0 {
            return Err(Stop::Solve("the first negative weight is another kind of sum"));
        }
        let gone = raised::gone(batch.arcs(), &self.graph);
        let is_rounded = weights.are_rounded(W::KIND, n);
        if is_rounded && (!gone.is_empty() || weights.least < 0.0 || self.config.next_hops) {
            return Err(Stop::Solve("sums of floats are rounded"));
        }
        if is_rounded && self.n_batches >= n {
            return Err(Stop::Solve(
                "floats were rounded in as many batches as there are vertices",
            ));
        }
        if n > self.follower.side() {
            return Err(Stop::Solve("the matrix has no room for more vertices"));
        }
        self.follow_raised(&gone, batch)?;
        if n > self.pairs.n_vertices {
            batch.is_written = true;
            let new = self.pairs.n_vertices..n;
            self.follower.add_vertices(self.pairs.found.of_gpus(), &new)?;
            self.pairs.n_vertices = n;
        }
        batch.changed.push(self.graph.apply(lowered)?);
        self.follow_lowered(batch)?;
        if self.config.next_hops && weights.least <= 0.0 {
            batch.is_written = true;
            let graph = self.csr()?;
            self.pairs.find_hops(&self.gpus[0], &graph)?;
            self.weights = Weights::of(&graph);
            batch.update.n_hops = (n * n) as u64;
        }
        self.n_batches += 1;
        Ok(())
    }

    fn follow_raised(
        &mut self,
        gone: &[(VertexId, VertexId, W)],
        batch: &mut Batch<W>,
    ) -> Result<(), Stop> {
        if gone.is_empty() {
            return Ok(());
        }
        let arcs: Vec<Arc> = gone.iter().map(|&arc| self.number_of(arc)).collect();
        batch.spend(self.sums_of(arcs.len()))?;
        let n_listed = self.follower.list_lost(self.pairs.found.of_gpus(), &arcs)?;
        let too_many = || Stop::Solve("too many pairs have lost their paths");
        let n_listed = n_listed.ok_or_else(too_many)?;
        let degree = self.graph.n_arcs() as f64 / self.graph.n_vertices().max(1) as f64;
        batch.spend(SUMS_OF_A_SEARCH * n_listed as f64 * degree)?;
        if n_listed == 0 {
            return Ok(());
        }
        let arithmetic = self.pairs.found.arithmetic();
        let columns = self.gpus.iter().map(|gpu| DeviceArcs::columns(gpu, &self.graph, arithmetic));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        batch.is_written = true;
        let are_sorted = !self.graph.has_negative();
        let cells = self.pairs.cells(self.weights);
        let n_lost = self.follower.search(cells, &columns, are_sorted)?;
        batch.update.n_searched = n_lost;
        batch.update.n_hops = cells.hops.map_or(0, |_| n_lost);
        Ok(())
    }

    fn follow_lowered(&mut self, batch: &mut Batch<W>) -> Result<(), Stop> {
        let after = |arc: &ArcChange<W>| Some((arc.from, arc.to, arc.after?));
        let after = batch.arcs().iter().filter_map(after);
        let arcs: Vec<Arc> = after.map(|arc| self.number_of(arc)).collect();
        batch.spend(self.sums_of(arcs.len()))?;
        for arcs in arcs.chunks(ARCS) {
            let cells = self.pairs.cells(self.weights);
            // the solver names the cycle
            let cycle = || Stop::Solve("there is a negative cycle");
            let (n_nearer, n_hops) = self.follower.lower(cells, arcs)?.ok_or_else(cycle)?;
            batch.is_written = true;
            batch.update.n_nearer += n_nearer;
            batch.update.n_hops += n_hops;
        }
        Ok(())
    }

    /// What it takes to look at all pairs for this number of arcs.
    fn sums_of(&self, n_arcs: usize) -> f64 {
        let of_cell = n_arcs.div_ceil(ARCS) as f64 * (ARCS as f64 + SUMS_OF_A_PASS);
        (self.follower.side() as f64).powi(2) * of_cell
    }

    fn number_of(&self, (from, to, weight): (VertexId, VertexId, W)) -> Arc {
        let mut bits = [0; size_of::<u64>()];
        with_element!(W, self.number(), E => {
            let number = E::encode(weight);
            bits[..size_of::<E>()].copy_from_slice(bytes_of(&number));
        });
        (from, to, u64::from_le_bytes(bits))
    }

    /// Makes what is left of the changes, and finds all pairs anew.
    fn solve(
        &mut self,
        why: &'static str,
        lowered: &[Change<W>],
        batch: &mut Batch<W>,
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        if batch.changed.len() == 1 {
            batch.changed.push(self.graph.apply(lowered)?);
        }
        match self.find_anew(progress) {
            Err(error) if error.is_too_much() => {
                // in the place of the old ones
                self.pairs.release();
                batch.is_written = true;
                self.find_anew(None)?;
            }
            found => found?,
        }
        Ok(Updated { solved: Some(why), ..Updated::default() })
    }

    /// Finds all pairs of the graph.
    fn find_anew(&mut self, progress: Option<Progress<'_>>) -> Result<(), ApspError> {
        let graph = self.csr()?;
        (self.pairs, self.follower) = find(&self.gpus, &graph, &self.config, progress)?;
        (self.weights, self.n_batches) = (Weights::of(&graph), 0);
        Ok(())
    }

    pub(crate) fn csr(&self) -> Result<Csr<W>, ApspError> {
        let (n, m) = (self.graph.n_vertices(), self.graph.n_arcs());
        let bytes = m as u128 * size_of::<(VertexId, W)>() as u128;
        self.graph.to_csr().map_err(|_| ApspError::too_large(n, bytes))
    }
}

/// Finds all pairs in numbers that hold those of other graphs with such weights, too.
fn find<W: RaisedWeight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<(DevicePairs<W>, Follower), ApspError> {
    let job = Job { ranks: &Alone, graph, config, progress };
    let width = Weights::of(graph).width(W::KIND, graph.n_vertices());
    let Some(number) = width.number else { return Err(ApspError::TooHeavy { bound: width.bound }) };
    let plan = Plan { number: Some(number), ..plan(gpus.len(), Narrow::Never, &job)? };
    let pairs = solve_by(plan, gpus, &job)?;
    let found = &pairs.found;
    let follower = Follower::new(gpus, found.arithmetic(), found.blocks(), config.next_hops)?;
    Ok((pairs, follower))
}
