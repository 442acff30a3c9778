//! Bellman-Ford with a queue on a GPU: rounds that take many of the queued vertices at once,
//! in launches of many rounds.
//!
//! The rules in rounds and the kernel's races are described in `kernels/sssp/queue.cu`. This side
//! uploads the graph, launches the kernel, and decides when to stop.
//!
//! **How many rounds are enough.** If every round takes the whole queue, first in, first out, then
//! n rounds empty it, or there is a negative cycle; this holds for any distances at the start.
//! Proof: a vertex whose distance becomes final is in the queue or has been taken with that
//! distance. So when all vertices whose best walk has at most k arcs are final, those of k + 1 arcs
//! are final one round later. The rules (SLF and LLL) delay vertices. On a negative cycle, whose
//! distances keep falling, they may delay others without end, and on some graphs SLF alone takes
//! exponentially many steps. On graphs where they pay, they take two or three times the rounds of
//! first in, first out. So the rules are applied for 4 n + 1024 rounds, and after that the queue is
//! first in, first out. A queue that is not empty n rounds later proves a negative cycle. Every
//! search therefore ends after O(n) rounds and O(n m) work, since a round takes a vertex at most
//! once. With negative weights, the host checks for a [cycle](Sums::show_a_cycle)
//! earlier: after 256 rounds, after 512 more, and so on.
//!
//! Sums are as wide as the weights. If a distance does not fit, or there is a negative cycle, this
//! solver has no answer. A sum above all distances is ignored if its vertex is reached in the end.
//! Else an arc leads from a reached vertex to an unreached one, which the host checks.
//!
//! Memory: per vertex 24 bytes and a distance, and with SLF 16 bytes more; per arc its end, its
//! weight, and an eighth of a byte for pieces of long rows. A round has one barrier, or two if
//! rows are long.
//!
//! Differences from the paper: its queue is a circular array of n places with a head and a tail,
//! one for each block as far as its damaged text is readable. Here the grid has one queue, taken
//! in rounds, in an array of 2 n places, so that vertices can be appended while others are taken.
//!
//! Reference: origin-four-families, moore-1959, bertsekas-1993, bertsekas-1996

use std::ops::ControlFlow;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, Kernel, LaunchConfig};
use graph_formats::{Csr, Distance, VertexId, Weight};
use search_parts::device::{BellmanFordForm, DeviceArcs, Edges, Sums, expanded, max_pieces};
use search_parts::{Again, Kernels, Launch, Query, check_size};

use crate::{DeviceTimes, QueueRule, SsspError, Work};

/// Threads of a block: `block_size` of `queue.cu`.
const BLOCK: u32 = 512;
const WARPS_PER_BLOCK: u32 = BLOCK / 32;
/// Rounds of the first launch with negative weights, after which the host checks for a negative
/// cycle. Each later launch has twice as many.
const ROUNDS_TO_FIRST_CHECK: u64 = 1 << 8;

/// The rules and the number of rounds of each, on a graph of `n` vertices. After all rounds the
/// queue is empty, or there is a negative cycle.
fn schedule(rule: QueueRule, n: usize) -> impl Iterator<Item = (QueueRule, u64)> {
    let n = n as u64;
    let ruled = (rule != QueueRule::Fifo).then_some((rule, 4 * n + 1024));
    ruled.into_iter().chain([(QueueRule::Fifo, n)])
}

/// `Control` of `queue/state.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct QueueControl {
    head: u64,
    rank_sum: u64,
    rounds: u64,
    relaxations: u64,
    improvements: u64,
    taken: u64,
    taken_again: u64,
    relaxed_again: u64,
    rank_change: [u64; 3],
    n_front: u32,
    n_back: u32,
    below: u32,
    above: u32,
    stopped: u32,
    front: [u32; 3],
    back: [u32; 3],
    pieces: [u32; 3],
}

/// `Search` of `queue/state.cuh`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct QueueSearch {
    offsets: u64,
    ends: u64,
    weights: u64,
    distances: u64,
    states: u64,
    back: u64,
    front: [u64; 2],
    pieces: u64,
    control: u64,
    arrived: u64,
    host: u64,
    n_places: u64,
    most_rounds: u64,
    batch: u32,
    n_vertices: u32,
    small_first: u32,
    large_last: u32,
}

/// The solver with its graph, distances and queue on a device.
pub(super) struct QueueOnGpu<W: Weight> {
    rule: QueueRule,
    start: Kernel,
    launch: Launch,
    rows: DeviceArcs,
    weights: Buffer<W>,
    sums: Sums<W>,
    control: Buffer<QueueControl>,
    arrived: Buffer<u32>,
    /// The argument of the kernels, without rule, rounds and the address of the host's mailbox.
    search: QueueSearch,
    /// The other buffers whose addresses `search` has.
    _lists: (Buffer<u32>, [Buffer<u64>; 3], Buffer<[u32; 4]>),
    /// The tail of each arc; made for the first tree.
    tails: Option<Buffer<VertexId>>,
}

impl<W: Weight> QueueOnGpu<W> {
    /// Uploads `graph`. O(n + m).
    pub(super) fn new(gpu: &Gpu, graph: &Csr<W>, rule: QueueRule) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let mut times = DeviceTimes::default();
        let ((start, kernel, rows, weights), upload_ms) = times.apart_from_jit(gpu, || {
            let kernels = Kernels::of(gpu, &kernels::sssp::QUEUE, W::KIND)?;
            let (start, search) = (kernels.get("queue_start")?, kernels.get("queue_search")?);
            gpu.check_fits("the graph, its distances and queue", required_bytes::<W>(n, m, rule))?;
            let rows = DeviceArcs::upload(gpu, graph)?;
            let weights = gpu.upload(graph.weights())?;
            gpu.synchronize()?;
            Ok::<_, SsspError>((start, search, rows, weights))
        })?;
        times.upload_ms = upload_ms;
        let launch = Launch::new(gpu, kernel, gpu.properties().multiprocessors, BLOCK)?;
        let n_in_front = if rule.small_first() { n } else { 0 };
        let sums = Sums::new(gpu, graph, None, times)?;
        let (states, pieces) = (gpu.buffer(n)?, gpu.buffer(max_pieces(m))?);
        let queue = [gpu.buffer(2 * n)?, gpu.buffer(n_in_front)?, gpu.buffer(n_in_front)?];
        let (control, arrived) = (gpu.buffer(1)?, gpu.buffer(1)?);
        let search = QueueSearch {
            offsets: rows.offsets.address(),
            ends: rows.ends.address(),
            weights: weights.address(),
            distances: sums.distances.address(),
            states: states.address(),
            back: queue[0].address(),
            front: [queue[1].address(), queue[2].address()],
            pieces: pieces.address(),
            control: control.address(),
            arrived: arrived.address(),
            n_places: 2 * n as u64,
            batch: launch.shape.grid.0 * WARPS_PER_BLOCK,
            n_vertices: n as u32,
            ..QueueSearch::zeroed()
        };
        Ok(Self {
            rule,
            start,
            launch,
            rows,
            weights,
            sums,
            control,
            arrived,
            search,
            _lists: (states, queue, pieces),
            tails: None,
        })
    }

    /// Runs up to `most_rounds`, from `source` if it is given, else from the last state. Returns
    /// the kernel's counts since the start from a source.
    fn advance(
        &mut self,
        source: Option<VertexId>,
        rule: QueueRule,
        most_rounds: u64,
        tell: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<QueueControl, SsspError> {
        let host = self.launch.start(tell.is_some())?;
        if let Some(source) = source {
            self.control.fill_bytes(0)?;
            let shape = LaunchConfig { cooperative: false, ..self.launch.shape };
            let args = [Arg::structure(&self.search), source.into()];
            // SAFETY: threads write distances, states and the first places of the queue, which are
            // as long as `search` says, and of the kernel's type.
            unsafe { self.launch.gpu.launch(&self.start, shape, &args)? };
        }
        self.arrived.fill_bytes(0)?;
        let (small_first, large_last) = (rule.small_first().into(), rule.large_last().into());
        let search = QueueSearch { host, most_rounds, small_first, large_last, ..self.search };
        // SAFETY: rows lie inside the arcs, whose ends are vertices, as in every `Csr`. The
        // kernel reads them and the state of the start or of the last launch, and writes inside the
        // buffers of `self`, which have the lengths that its comments require. All blocks are
        // resident.
        unsafe { self.launch.queue(&search)? };
        self.sums.times.solve_ms += self.launch.wait(tell)?;
        Ok(self.control.download()?[0])
    }

    /// Runs rounds until the queue is empty; `None` if there is no answer.
    fn empty_the_queue(
        &mut self,
        query: &Query<'_, W::Distance>,
    ) -> Result<Option<QueueControl>, SsspError> {
        let mut source = Some(query.source);
        let mut rounds = 0;
        let mut to_check = ROUNDS_TO_FIRST_CHECK;
        for (rule, mut left) in schedule(self.rule, self.sums.graph.n_vertices()) {
            while left > 0 {
                let length = if self.sums.negative { left.min(to_check) } else { left };
                let tell = query.progress.map(|tell| move |steps: u64| tell(steps.max(rounds), 0));
                let control = self.advance(source.take(), rule, length, tell)?;
                if control.below != 0 {
                    return Ok(None);
                }
                if control.n_front == 0 && control.n_back == 0 {
                    return Ok(Some(control));
                }
                if self.sums.negative && self.sums.show_a_cycle()? {
                    return Ok(None);
                }
                (rounds, left, to_check) = (control.rounds, left - length, 2 * to_check);
                query.report(rounds, 0)?;
            }
        }
        Ok(None)
    }
}

// SAFETY: these are the arcs of the graph that `new` takes for both, on one GPU.
unsafe impl<W: Weight> BellmanFordForm<W> for QueueOnGpu<W> {
    fn lower(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
        let Some(control) = self.empty_the_queue(query)? else { return Ok(None) };
        if control.above != 0 && ends_early(&self.sums.graph, &self.sums.download()?) {
            return Ok(None);
        }
        let again = Again { insertions: control.taken_again, relaxations: control.relaxed_again };
        Ok(Some(Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.taken,
            rounds: control.rounds,
            again: Some(again),
        }))
    }

    fn sums(&mut self) -> &mut Sums<W> {
        &mut self.sums
    }

    fn with_edges(&mut self) -> Result<(&mut Sums<W>, Option<Edges<'_, W>>), SsspError> {
        let (DeviceArcs { offsets, ends: heads }, weights) = (&self.rows, &self.weights);
        let tails = expanded(&mut self.tails, &self.launch.gpu, offsets, heads.len())?;
        Ok((&mut self.sums, Some(Edges { tails, heads, weights })))
    }
}

/// Whether an arc leads from a reached vertex to an unreached one, whose distance does not fit.
/// O(m).
fn ends_early<W: Weight>(graph: &Csr<W>, distances: &[W::Distance]) -> bool {
    let is_reached = |vertex: VertexId| distances[vertex as usize] != W::Distance::UNREACHED;
    graph.arcs().any(|(from, to, _)| is_reached(from) && !is_reached(to))
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs.
fn required_bytes<W: Weight>(n: usize, m: usize, rule: QueueRule) -> u64 {
    let lists = if rule.small_first() { 4 } else { 2 };
    let per_vertex = size_of::<W>() + size_of::<u32>() + lists * size_of::<u64>();
    let pieces = max_pieces(m) * size_of::<[u32; 4]>();
    let weights = m * size_of::<W>();
    DeviceArcs::bytes(n, m) + (weights + n * per_vertex + pieces + size_of::<QueueControl>()) as u64
}

#[cfg(test)]
test_support::layout_test! {
    QueueSearch as "Search" of ["sssp/queue/state.cuh"]:
        offsets, ends, weights, distances, states, back, front, pieces, control, arrived, host,
        n_places, most_rounds, batch, n_vertices, small_first, large_last;
    QueueControl as "Control" of ["sssp/queue/state.cuh"]:
        head, rank_sum, rounds, relaxations, improvements, taken, taken_again, relaxed_again,
        rank_change, n_front, n_back, below, above, stopped, front, back, pieces;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_followed_by_none() {
        let schedule = |rule| schedule(rule, 10).collect::<Vec<_>>();
        assert_eq!(schedule(QueueRule::Fifo), [(QueueRule::Fifo, 10)]);
        let expected = [(QueueRule::SlfLll, 1064), (QueueRule::Fifo, 10)];
        assert_eq!(schedule(QueueRule::SlfLll), expected);
    }
}
