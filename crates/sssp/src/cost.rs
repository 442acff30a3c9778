//! What searches will cost: the wall-clock time of a whole use, estimated before it begins.
//!
//! One search of a graph of a hundred million arcs takes a GPU 3 ms and sixteen threads of a
//! CPU 65; but a GPU is open after 0.2 s, the graph is there after 0.1, and the driver takes
//! 0.1 to let go of it. So the backend is chosen by all of what somebody waits for:
//!
//! * on the CPU, preparing + searches × (search + tree), where a pass that threads share
//!   takes its work divided by them, and a search some time for each arc of its longest
//!   paths;
//!   Where all arcs weigh the same, a search goes level by level, finds the tree itself, and many
//!   go on at once;
//! * on a GPU, opening and closing + upload + trials + searches × (search + the tree's way
//!   back), where a search is a chain of round trips to memory, one for each such arc, and
//!   beside it arcs at so many cycles of a multiprocessor. Searches for a table have one
//!   chain together.
//!
//! All constants were measured once, on 16 threads of a Xeon (Sapphire Rapids) and an H200
//! beside it, and stand for other machines by threads, multiprocessors and clock. They are
//! good to a third, which is enough: where both ways are estimated alike, either will do.
//! docs/benchmarking.md of the repository sets what is chosen beside what was best, and
//! `cargo xtask bench choice` does so on the machine at hand.

use gpu_runtime::DeviceProperties;

pub use crate::outline::Outline;

/// Seconds that one thread takes to search a vertex.
const VERTEX: f64 = 45e-9;
/// Seconds that one thread takes to relax an arc while tentative distances stay in its caches.
const ARC: f64 = 6e-9;
/// Vertices whose tentative distances stay in the caches.
const NEAR_VERTICES: f64 = 1_048_576.0;
/// How much more an arc takes each time that there are twice as many vertices as that.
const FARTHER: f64 = 0.25;
/// Seconds an arc where long arcs are deferred, which leaves most of them out.
const ARC_DEFERRING: f64 = 3.4e-9;
/// Seconds an arc to split off the short arcs for that.
const ARC_SPLIT: f64 = 3e-9;
/// Seconds to look at the weight of an arc before the first search.
const ARC_PREPARED: f64 = 1.2e-9;
/// Seconds to make a vertex ready for a search.
const VERTEX_PREPARED: f64 = 6e-9;
/// Seconds an arc for the tree.
const ARC_OF_TREE: f64 = 9e-9;
/// Seconds an arc that Dijkstra's algorithm with Dial's queue takes; its vertices cost nothing.
const ARC_BY_DIAL: f64 = 16e-9;
/// Buckets of Dial's queue that stay in the first cache; with more, arcs take half as much again.
const NEAR_BUCKETS: i128 = 8192;
/// How much more work it is where threads share it.
const SHARED: f64 = 1.7;
/// Seconds that an arc of the longest paths takes threads, who share what little there is to do.
const SHARED_STEP: f64 = 4e-6;

/// Seconds that one thread takes to find a vertex by breadth-first search, its tree included,
const VERTEX_BY_LEVEL: f64 = 12e-9;
/// to push along an arc,
const ARC_PUSHED: f64 = 3e-9;
/// and for an arc where most are never looked at.
const ARC_PULLED: f64 = 0.7e-9;
/// Seconds that an arc of the longest paths takes threads who share levels, some of them between
/// two meetings.
const SHARED_LEVEL: f64 = 2e-6;
/// How many searches, a bit each, take as long as one.
const AT_ONCE: f64 = 4.0;

/// Arcs a vertex from which on pulling pays,
const ARCS_TO_PULL: usize = 8;
/// and the searches that save as much as turning the arcs round takes.
const SEARCHES_TO_TURN: usize = 8;

/// Bytes that a vertex, or an arc with its weight, takes on a GPU,
const BYTES: f64 = 8.0;
/// and an arc where all weigh the same.
const BYTES_UNWEIGHTED: f64 = 4.0;
/// Cycles of a GPU for one step of a search: a round trip to memory.
const ROUND_TRIP: f64 = 4500.0;
/// Cycles of one multiprocessor to relax an arc.
const ARC_ON_GPU: f64 = 10.0;
/// Seconds a vertex until a tree from a GPU is in the host's memory.
const TREE_FROM_GPU: f64 = 12e-9;
/// How many searches the trials of algorithms take as long as (6 to 21 were measured).
const TRIALS: f64 = 16.0;
/// The part of each later search that trials save (none to 0.4 was measured).
const SAVED: f64 = 0.25;

/// A CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cpu {
    /// Threads that work on searches.
    pub threads: usize,
    /// How fast one is, in parts of one of the Xeon that was measured.
    pub speed: f64,
}

impl Cpu {
    /// One with so many threads, each as fast as those that were measured.
    pub fn with_threads(threads: usize) -> Self {
        Self { threads, speed: 1.0 }
    }
}

/// A GPU and its driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gpu {
    /// How many multiprocessors it has.
    pub multiprocessors: u32,
    /// Their cycles a second.
    pub clock_hz: f64,
    /// Bytes a second on the way there, from memory that is not pinned.
    pub upload_rate: f64,
    /// Seconds until it is open, kernels loaded as the driver keeps them on disk.
    pub opening: f64,
    /// Seconds that it takes to let go of it.
    pub closing: f64,
}

impl Gpu {
    /// An H200, of those that were measured the fastest: where this one is not worth opening,
    /// none is, and the driver need not be asked which there is.
    pub const H200: Self = Self {
        multiprocessors: 132,
        clock_hz: 1.98e9,
        upload_rate: 8e9,
        opening: 0.21,
        closing: 0.13,
    };

    /// The one with these properties; of the driver and the way there nothing is known before it is
    /// used, so those are as they were measured.
    pub fn of(properties: &DeviceProperties) -> Self {
        Self {
            multiprocessors: properties.multiprocessors,
            clock_hz: properties.clock_hz as f64,
            ..Self::H200
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searches {
    /// So many trees, one after the other.
    Trees(usize),
    /// A table of distances from so many sources, all searched at once.
    Table(usize),
}

impl Searches {
    fn number(self) -> f64 {
        match self {
            Self::Trees(n) | Self::Table(n) => n as f64,
        }
    }
}

/// Seconds that `searches` of a graph will take on the CPU, the graph in memory.
///
/// ```
/// use sssp::cost::{Cpu, Outline, Searches, on_cpu};
///
/// let roads = Outline { n_vertices: 264_346, n_arcs: 733_846, depth: 1200.0, is_dense: false, is_unweighted: false };
/// let one = on_cpu(&roads, Searches::Trees(1), &Cpu::with_threads(16));
/// assert!((0.005..0.02).contains(&one));
/// ```
pub fn on_cpu(graph: &Outline, searches: Searches, cpu: &Cpu) -> f64 {
    let (n, m) = (graph.n_vertices as f64, graph.n_arcs as f64);
    let threads = cpu.threads.max(1);
    if graph.is_unweighted {
        return by_levels(graph, searches, threads) / cpu.speed;
    }
    let split = graph.is_dense && split_pays(graph.n_vertices, searches.number() as usize);
    let arc = if split { ARC_DEFERRING } else { arc_to_the_end(graph.n_vertices) };
    let search = |threads| search(graph, arc, threads);
    let arc_prepared = ARC_PREPARED + if split { ARC_SPLIT } else { 0.0 };
    let prepare = shared(VERTEX_PREPARED * n + arc_prepared * m, threads);
    let seconds = match searches {
        Searches::Trees(k) => {
            prepare + k as f64 * (search(threads) + shared(ARC_OF_TREE * m, threads))
        }
        Searches::Table(k) => {
            let at_once = k.clamp(1, threads);
            prepare + k.div_ceil(at_once) as f64 * search(threads / at_once)
        }
    };
    seconds / cpu.speed
}

/// The same by breadth-first search, on threads as they were measured.
fn by_levels(graph: &Outline, searches: Searches, threads: usize) -> f64 {
    let (n, m) = (graph.n_vertices as f64, graph.n_arcs as f64);
    let arc = if graph.is_dense { ARC_PULLED } else { ARC_PUSHED };
    let alone = VERTEX_BY_LEVEL * n + arc * m;
    let by = |threads| alone.min(shared(alone, threads) + SHARED_LEVEL * graph.depth);
    let prepare = shared(VERTEX_PREPARED * n, threads);
    prepare
        + match searches {
            Searches::Trees(k) => k as f64 * by(threads),
            Searches::Table(k) if breadth_first::pays(graph.n_vertices, graph.depth, k) => {
                shared(k as f64 * alone / AT_ONCE, threads)
            }
            Searches::Table(k) => {
                let at_once = k.clamp(1, threads);
                k.div_ceil(at_once) as f64 * by(threads / at_once)
            }
        }
}

/// Seconds that they will take on a GPU that is not open yet.
pub fn on_gpu(graph: &Outline, searches: Searches, gpu: &Gpu, cpu: &Cpu) -> f64 {
    let (n, m) = (graph.n_vertices as f64, graph.n_arcs as f64);
    let prepare = shared(ARC_PREPARED * m, cpu.threads) / cpu.speed;
    let bytes = if graph.is_unweighted { BYTES_UNWEIGHTED } else { BYTES };
    let upload = (BYTES * n + bytes * m) / gpu.upload_rate;
    let chain = ROUND_TRIP * graph.depth / gpu.clock_hz;
    let arcs = ARC_ON_GPU * m / (f64::from(gpu.multiprocessors) * gpu.clock_hz);
    let searching = match searches {
        Searches::Trees(k) => {
            let k = k as f64;
            let searches = if graph.is_unweighted { k } else { k.min(after_trials(k)) };
            searches * (chain + arcs) + k * TREE_FROM_GPU * n / cpu.speed
        }
        // a bit each, in the levels of all together: many where the graph is deep
        Searches::Table(k)
            if graph.is_unweighted && !breadth_first::pays(graph.n_vertices, graph.depth, k) =>
        {
            k as f64 * (chain + arcs)
        }
        Searches::Table(k) => chain + k as f64 * arcs,
    };
    gpu.opening + prepare + upload + searching + gpu.closing
}

/// Seconds of a search by so many threads, or by one of them where that is faster.
fn search(graph: &Outline, arc: f64, threads: usize) -> f64 {
    let alone = VERTEX * graph.n_vertices as f64 + arc * graph.n_arcs as f64;
    alone.min(shared(alone, threads) + SHARED_STEP * graph.depth)
}

/// How many threads a search should have of so many at most: all or one.
pub(crate) fn team_for(graph: &Outline, most: usize) -> usize {
    let arc = arc_to_the_end(graph.n_vertices);
    if search(graph, arc, most) < search(graph, arc, 1) { most } else { 1 }
}

/// Whether so many searches that follow make up for trials of which algorithm is fastest.
pub(crate) fn trials_pay(searches: usize) -> bool {
    after_trials(searches as f64) <= searches as f64
}

/// How many searches without trials are as long as so many after them, the trials included.
fn after_trials(searches: f64) -> f64 {
    TRIALS + (1.0 - SAVED) * searches
}

/// Whether so many searches make up for splitting off the short arcs of a dense graph, which
/// is what deferring the long ones takes.
pub(crate) fn split_pays(n_vertices: usize, searches: usize) -> bool {
    searches as f64 * (arc_to_the_end(n_vertices) - ARC_DEFERRING) > ARC_SPLIT
}

/// Whether so many breadth-first searches of a directed graph make up for turning its arcs round,
/// which pulling takes: where vertices have many arcs.
pub(crate) fn turning_pays(n_vertices: usize, n_arcs: usize, searches: usize) -> bool {
    n_arcs >= ARCS_TO_PULL * n_vertices && searches >= SEARCHES_TO_TURN
}

/// Whether Dijkstra's algorithm with Dial's queue is faster than Δ-stepping by one thread: where
/// vertices have few arcs, as on grids, and the buckets for weights up to `max_weight` stay in
/// the first cache.
pub(crate) fn is_for_dial(n_vertices: usize, n_arcs: usize, max_weight: i128) -> bool {
    let (n, m) = (n_vertices as f64, n_arcs as f64);
    max_weight < NEAR_BUCKETS && ARC_BY_DIAL * m < VERTEX * n + ARC * m
}

/// Seconds an arc where none are deferred.
fn arc_to_the_end(n_vertices: usize) -> f64 {
    ARC * (1.0 + FARTHER * (n_vertices as f64 / NEAR_VERTICES).log2().max(0.0))
}

/// Seconds for work of so many that threads share.
fn shared(work: f64, threads: usize) -> f64 {
    if threads <= 1 { work } else { work.min(SHARED * work / threads as f64) }
}
