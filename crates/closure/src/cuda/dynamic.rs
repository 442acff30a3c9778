//! A closure in a GPU's memory that follows changes.
//!
//! New arcs are united with the lines, 64 at a time: the GPU looks at each
//! line once, and writes what is new. O(n² / 64) for each turn and each gain that a line needs. Where
//! arcs are gone, lines are [found again](super::replace), or the whole is closed beside the old lines
//! if that takes less time.
//!
//! Reference: italiano-1986, warshall-1962

use std::slice::from_ref;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use graph_formats::{ArcChange, Change, Csr, DynamicGraph, VertexId, Weight, tell};
use paths::{Closure, Progress};

use super::engine::{Engine, WORD, blocks};
use super::form::Form;
use super::replace::{Lost, Replacement};
use super::{download, time_to_close};
use crate::dynamic::{Pair, Updated, pairs};
use crate::{ClosureError, Config};

pub(super) static CHANGES: Ptx =
    Ptx::new(kernels::closure::CHANGES.name, kernels::closure::CHANGES.ptx);

/// Arcs of a turn.
const ARCS: usize = 64;
/// Arcs of a batch with deletions, of whose ends the host copies the lines; of more, all is closed again.
const MOST_ARCS: usize = 1024;
/// The time of a turn, and what it takes for each word of the lines, in nanoseconds.
pub(super) const TURN: f64 = 5e4;
pub(super) const WORD_OF_LINES: f64 = 4e-3;

/// `Arcs` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Arcs {
    lines: u64,
    stride: u64,
    tails: u64,
    heads: u64,
    next: u64,
    gains: u64,
    n: u32,
    padding: u32,
}

/// The kernels, and the work space of a turn.
#[derive(Debug)]
struct Insertion {
    gpu: Gpu,
    next: Kernel,
    gains: Kernel,
    insert: Kernel,
    compare: Kernel,
    tails: Buffer<u32>,
    heads: Buffer<u32>,
    next_arcs: Buffer<u64>,
    /// A line for each arc.
    gain_lines: Buffer<u64>,
    counts: Buffer<u64>,
}

/// A graph that changes, and its closure in the memory of a GPU: n² / 8 bytes, and as much again
/// while all is closed again.
///
/// ```
/// use closure::{Config, DynamicDeviceClosure};
/// use gpu_runtime::Gpu;
/// use graph_formats::{Change, Csr};
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 7)])?;
/// let mut all = DynamicDeviceClosure::new(&gpu, &graph, &Config::default(), None)?;
/// let updated = all.update(&[Change::Insert { from: 2, to: 3, weight: 4u32 }], None)?;
/// assert_eq!((updated.n_new, all.closure()?.reaches(0, 3)), (3, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DynamicDeviceClosure {
    graph: DynamicGraph<u32>,
    engine: Engine,
    insertion: Insertion,
    replacement: Replacement,
    gpu: Gpu,
    form: Form,
}

impl DynamicDeviceClosure {
    /// Closes a graph on a GPU, and copies its arcs without their weights. Of the algorithms, those
    /// for the CPU alone are the fastest one of the GPU here.
    ///
    /// # Errors
    /// As [`closure_on_gpus`](crate::closure_on_gpus).
    pub fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ClosureError> {
        let (graph, form) = (graph.clone().unweighted(), Form::of(config.algorithm, gpu)?);
        let engine = closed(gpu, &graph, form, progress)?;
        let insertion = Insertion::new(gpu, engine.side())?;
        let (gpu, replacement) = (gpu.clone(), Replacement::new(gpu)?);
        let graph = DynamicGraph::new(&graph)?;
        Ok(Self { graph, engine, insertion, replacement, gpu, form })
    }

    /// Makes these changes, all or none, and the closure that of the graph that is then. `progress`
    /// may end the work before lines are written; then no change is made.
    ///
    /// Weights do not matter: to reweight an arc changes nothing, and of parallel arcs any may be
    /// deleted.
    ///
    /// # Errors
    /// [`ClosureError::BadChange`] for a change that cannot be made, and as
    /// [`closure_on_gpus`](crate::closure_on_gpus). Nothing is changed then, unless the GPU fails.
    pub fn update<W: Copy>(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ClosureError> {
        let unweighted = |change: &Change<W>| change.try_map(|_| Some(1));
        let changes: Vec<_> = changes.iter().filter_map(unweighted).collect();
        let changed = self.graph.apply(&changes)?;
        let updated = self.follow(&changed.arcs, progress);
        if updated.is_err() {
            self.graph.undo(&changed);
        }
        updated
    }

    /// The graph as it is now, each arc of weight 1.
    pub fn graph(&self) -> &DynamicGraph<u32> {
        &self.graph
    }

    /// A copy of its closure. O(n²) bits.
    ///
    /// # Errors
    /// [`ClosureError::TooLarge`] where the host has no memory for it, and [`ClosureError::Gpu`].
    pub fn closure(&self) -> Result<Closure, ClosureError> {
        self.copy(self.graph.n_vertices())
    }

    /// A copy of the first `n` lines and columns.
    fn copy(&self, n: usize) -> Result<Closure, ClosureError> {
        let blocks = blocks(self.engine.side(), 1);
        super::check_host(n, blocks)?;
        download(n, from_ref(&self.engine), blocks)
    }

    fn follow(
        &mut self,
        arcs: &[ArcChange<u32>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ClosureError> {
        tell(progress, 0, 1)?;
        let (new, gone) = pairs(arcs, &self.graph);
        let n = self.graph.n_vertices();
        let n_words = (n * n) as f64 / WORD as f64;
        let of_turns = new.len().div_ceil(ARCS) as f64 * (TURN + n_words * WORD_OF_LINES);
        let whole = time_to_close(n as f64, self.graph.n_arcs(), self.form.rate(&self.gpu));
        let are_many = !gone.is_empty() && new.len() + gone.len() > MOST_ARCS;
        if n > self.engine.side() || of_turns > whole || are_many {
            return self.close_again(progress);
        }
        if !gone.is_empty()
            && let Some(lost) = Lost::of(&self.replacement, &self.engine, &self.graph, &new, gone)?
        {
            return match lost.replace(whole)? {
                Some((n_new, n_gone)) => Ok(Updated { n_new, n_gone, is_new_closure: false }),
                None => self.close_again(progress),
            };
        }
        let mut updated = Updated::default();
        for arcs in new.chunks(ARCS) {
            updated.n_new += self.insertion.insert(&self.engine, n, arcs)? as usize;
        }
        Ok(updated)
    }

    fn close_again(&mut self, progress: Option<Progress<'_>>) -> Result<Updated, ClosureError> {
        let engine = closed(&self.gpu, &self.graph.to_csr()?, self.form, progress)?;
        let is_as_large = engine.side() == self.engine.side();
        let (n_new, n_gone) = if is_as_large {
            self.insertion.compare(&self.engine, &engine)?
        } else {
            // the first time with this many vertices, on the host
            let n = self.graph.n_vertices();
            let now = download(n, from_ref(&engine), blocks(n, 1))?;
            let mut before = self.copy(n.min(self.engine.side()))?;
            before.resize(n);
            self.insertion = Insertion::new(&self.gpu, engine.side())?;
            let updated = crate::dynamic::difference(&before, &now);
            (updated.n_new, updated.n_gone)
        };
        self.engine = engine;
        Ok(Updated { n_new, n_gone, is_new_closure: true })
    }
}

/// The closed lines of a graph.
fn closed(
    gpu: &Gpu,
    graph: &Csr<u32>,
    form: Form,
    progress: Option<Progress<'_>>,
) -> Result<Engine, ClosureError> {
    let engine = Engine::new(gpu, graph, form, blocks(graph.n_vertices(), 1).share(0))?;
    let queued = pivots::close(from_ref(&engine), progress);
    // no work may still use the lines, also after an error
    let finished = engine.finish();
    queued?;
    finished?;
    Ok(engine)
}

impl Insertion {
    /// For lines of `side` bits.
    fn new(gpu: &Gpu, side: usize) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            next: gpu.kernel(&CHANGES, "closure_next")?,
            gains: gpu.kernel(&CHANGES, "closure_gains")?,
            insert: gpu.kernel(&CHANGES, "closure_insert")?,
            compare: gpu.kernel(&CHANGES, "closure_compare")?,
            tails: gpu.buffer(ARCS)?,
            heads: gpu.buffer(ARCS)?,
            next_arcs: gpu.buffer(ARCS)?,
            gain_lines: gpu.buffer(ARCS * side / 64)?,
            counts: gpu.buffer(2)?,
        })
    }

    /// Adds what arcs between the first `n` vertices join, at most [`ARCS`]. Returns the number of
    /// bits that are new.
    fn insert(&mut self, engine: &Engine, n: usize, arcs: &[Pair]) -> Result<u64, GpuError> {
        let ends = |end: fn(&Pair) -> VertexId| {
            let mut ends: Vec<u32> = arcs.iter().map(end).collect();
            ends.resize(ARCS, 0);
            ends
        };
        self.tails.upload(&ends(|arc| arc.0))?;
        self.heads.upload(&ends(|arc| arc.1))?;
        self.counts.fill_bytes(0)?;
        let stride = engine.side() / WORD;
        let turn = Arcs {
            lines: engine.lines().address(),
            stride: stride as u64,
            tails: self.tails.address(),
            heads: self.heads.address(),
            next: self.next_arcs.address(),
            gains: self.gain_lines.address(),
            n: arcs.len() as u32,
            padding: 0,
        };
        let turn = Arg::structure(&turn);
        let grid = (stride.div_ceil(256) as u32, arcs.len() as u32, 1);
        let of_gains = LaunchConfig { grid, ..LaunchConfig::new(1, 256) };
        let of_lines = LaunchConfig::new(n as u32, 256);
        // SAFETY: the turn's addresses are of this work space and of lines that are as long as
        // its own, of which there is one for each of the `n` vertices, among them the arcs' ends. All
        // launches are on the stream of the buffers.
        unsafe {
            self.gpu.launch(&self.next, LaunchConfig::new(1, ARCS as u32), &[turn])?;
            self.gpu.launch(&self.gains, of_gains, &[turn])?;
            self.gpu.launch(&self.insert, of_lines, &[turn, (&self.counts).into()])?;
        }
        Ok(self.counts.download()?[0])
    }

    /// The bits that only `now` has, and those that only `before` has, of as many lines.
    fn compare(&mut self, before: &Engine, now: &Engine) -> Result<(usize, usize), GpuError> {
        self.counts.fill_bytes(0)?;
        let n_words = (now.lines().len() * 2) as u64;
        let args: [Arg<'_>; 4] =
            [before.lines().into(), now.lines().into(), n_words.into(), (&self.counts).into()];
        // SAFETY: both have this number of words, for their sides are equal.
        unsafe { self.gpu.launch(&self.compare, LaunchConfig::new(1024, 256), &args)? };
        let counts = self.counts.download()?;
        Ok((counts[0] as usize, counts[1] as usize))
    }
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn arcs_are_laid_out_as_kernels_read_them() {
        assert_same_layout! { Arcs as "Arcs" of ["closure/changes.cu"]:
            lines, stride, tails, heads, next, gains, n, padding
        }
    }
}
