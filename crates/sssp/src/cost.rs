//! Estimates of the wall-clock time of searches, from opening the device to closing it.
//!
//! One search of a graph of a hundred million arcs takes a GPU 3 ms and sixteen threads of a
//! CPU 65 ms. But opening the GPU takes 0.2 s, the upload 0.1 s, and closing it 0.1 s. So the
//! backend is chosen by the total time:
//!
//! * On the CPU: preparation + searches × (search + tree). The time of a pass that threads share
//!   is its work divided by their number. A shared search also takes some time for each arc of the
//!   longest shortest paths. If all weights are equal, a search proceeds level by level and finds
//!   the tree itself, and many searches run at once.
//! * On a GPU: opening and closing + upload + trials + searches × (search + download of the
//!   tree). A search is a chain of round trips to memory, one for each arc of the longest
//!   shortest paths, and a number of cycles of a multiprocessor for each arc. The searches of a
//!   table share one chain.
//!
//! All constants were measured once, on 16 threads of a Xeon (Sapphire Rapids) and an H200
//! beside it, and are scaled to other machines by threads, multiprocessors and clock. Estimates
//! are within a third of the measured time. This is enough: if both estimates are close, either
//! backend is good. docs/results/2026-11-22-h200 of the repository compares the choices with the
//! fastest backend, and `cargo xtask bench auto --program` does so on this machine.

use breadth_first::depth;
use graph_formats::{AnyCsr, Csr, Weight, with_csr};

use crate::arc_split;

/// Seconds per vertex of a search on one thread.
const VERTEX: f64 = 45e-9;
/// Seconds per arc of a search on one thread while tentative distances stay in its caches.
const ARC: f64 = 6e-9;
/// Vertices whose tentative distances stay in the caches.
const MAX_CACHED_VERTICES: f64 = 1_048_576.0;
/// Growth of [`ARC`], as a fraction, for each doubling beyond [`MAX_CACHED_VERTICES`].
const UNCACHED_GROWTH: f64 = 0.25;
/// Seconds per arc of a search that defers long arcs, most of which are never relaxed.
const ARC_DEFERRING: f64 = 3.4e-9;
/// Seconds per arc to split off the short arcs.
const ARC_SPLIT: f64 = 3e-9;
/// Seconds per arc to scan the weights before the first search.
const ARC_PREPARED: f64 = 1.2e-9;
/// Seconds per vertex to prepare searches.
const VERTEX_PREPARED: f64 = 6e-9;
/// Seconds per arc to find the tree.
const ARC_OF_TREE: f64 = 9e-9;
/// Seconds per arc of Dijkstra's algorithm with Dial's queue; its vertices cost nothing.
const ARC_BY_DIAL: f64 = 16e-9;
/// Buckets of Dial's queue that stay in the L1 cache; with more, an arc takes 1.5 times as long.
const MAX_CACHED_BUCKETS: i128 = 8192;
/// Factor by which sharing a pass among threads increases its work.
const SHARED: f64 = 1.7;
/// Seconds per arc of the longest shortest paths if threads share the search.
const SHARED_STEP: f64 = 4e-6;

/// Seconds per vertex of a breadth-first search on one thread, the tree included.
const VERTEX_BY_LEVEL: f64 = 12e-9;
/// Seconds per arc of a breadth-first search that pushes.
const ARC_PUSHED: f64 = 3e-9;
/// Seconds per arc of a breadth-first search that pulls, which scans few of the arcs.
const ARC_PULLED: f64 = 0.7e-9;
/// Seconds per level of a breadth-first search that threads share, with several levels between two
/// barriers.
const SHARED_LEVEL: f64 = 2e-6;
/// Number of searches with one bit each that take as long as one search alone.
const SEARCHES_PER_PASS: f64 = 4.0;

/// Least mean degree at which pulling pays.
const MIN_DEGREE_TO_PULL: usize = 8;
/// Number of searches that save as much time as transposing the graph takes.
const MIN_SEARCHES_TO_TRANSPOSE: usize = 8;

/// Bytes per vertex, and per arc with its weight, on a GPU.
const BYTES: f64 = 8.0;
/// Bytes per arc on a GPU if all weights are equal.
const BYTES_UNWEIGHTED: f64 = 4.0;
/// Cycles of a GPU for one step of a search: a round trip to memory.
const ROUND_TRIP: f64 = 4500.0;
/// Cycles of one multiprocessor to relax an arc.
const ARC_ON_GPU: f64 = 10.0;
/// Seconds per vertex to find a tree on a GPU and download it.
const TREE_FROM_GPU: f64 = 12e-9;
/// Time of the trials of algorithms, in searches (6 to 21 were measured).
const TRIALS: f64 = 16.0;
/// Fraction of the time of each later search that trials save (0 to 0.4 was measured).
const SAVED_BY_TRIALS: f64 = 0.25;

/// The properties of a graph that the cost of searches depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Number of vertices.
    pub n_vertices: usize,
    /// Number of arcs.
    pub n_arcs: usize,
    /// Estimated number of arcs of the longest shortest paths.
    pub depth: f64,
    /// Whether searches may skip most arcs, as on dense undirected graphs.
    pub is_dense: bool,
    /// Whether all weights are equal, so that breadth-first search is correct.
    pub is_unweighted: bool,
}

impl Outline {
    /// Scans the degrees of all vertices, and searches a part of some thousand vertices. O(n).
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::cost::Outline;
    ///
    /// let path: Vec<_> = (0..99_999).map(|v| (v, v + 1, 7u32)).collect();
    /// let outline = Outline::of(&Csr::from_edges(100_000, &path)?.into());
    /// assert_eq!((outline.n_arcs, outline.depth), (199_998, 100_000.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(graph: &AnyCsr) -> Self {
        with_csr!(graph, |graph| outline(graph))
    }
}

pub(crate) fn outline<W: Weight>(graph: &Csr<W>) -> Outline {
    Outline {
        n_vertices: graph.n_vertices(),
        n_arcs: graph.n_arcs(),
        depth: depth(graph),
        is_dense: arc_split::is_dense(graph),
        is_unweighted: graph.weight_summary().common().is_some(),
    }
}

/// A CPU, and a GPU beside it with its driver. The default is the measured machine: an H200, the
/// fastest measured GPU, and sixteen threads. The times of the driver and the upload are unknown
/// before use, so the times of the H200 are used for every GPU. If an H200 would not be worth
/// opening, no GPU is, and the driver need not be queried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Threads of the CPU that work on searches.
    pub threads: usize,
    /// Speed of a thread relative to one of the measured Xeon.
    pub speed: f64,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Cycles per second of the GPU.
    pub clock_hz: f64,
    /// Bytes per second of an upload from memory that is not pinned.
    pub upload_rate: f64,
    /// Seconds to open the GPU and load kernels from the driver's cache on disk.
    pub opening: f64,
    /// Seconds to close the GPU.
    pub closing: f64,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            threads: 16,
            speed: 1.0,
            multiprocessors: 132,
            clock_hz: 1.98e9,
            upload_rate: 8e9,
            opening: 0.21,
            closing: 0.13,
        }
    }
}

/// The searches to estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searches {
    /// A number of trees, one after the other.
    Trees(usize),
    /// A table of distances from a number of sources, all searched at once.
    Table(usize),
}

/// Seconds that `searches` of a graph in memory take on the CPU, and on the GPU if it is not open
/// yet.
///
/// ```
/// use sssp::cost::{Machine, Outline, Searches, seconds};
///
/// let roads = Outline { n_vertices: 264_346, n_arcs: 733_846, depth: 1200.0, is_dense: false, is_unweighted: false };
/// let (on_cpu, on_gpu) = seconds(&roads, Searches::Trees(1), &Machine::default());
/// assert!((0.005..0.02).contains(&on_cpu) && on_cpu < on_gpu);
/// ```
pub fn seconds(graph: &Outline, searches: Searches, machine: &Machine) -> (f64, f64) {
    (on_cpu(graph, searches, machine), on_gpu(graph, searches, machine))
}

fn on_cpu(graph: &Outline, searches: Searches, machine: &Machine) -> f64 {
    let (n, m) = (graph.n_vertices as f64, graph.n_arcs as f64);
    let threads = machine.threads.max(1);
    let (Searches::Trees(k) | Searches::Table(k)) = searches;
    // the work of the preparation, of a search and of its tree, and the time of a shared step
    let (prepare, alone, tree, step) = if graph.is_unweighted {
        let arc = if graph.is_dense { ARC_PULLED } else { ARC_PUSHED };
        (VERTEX_PREPARED * n, VERTEX_BY_LEVEL * n + arc * m, 0.0, SHARED_LEVEL)
    } else {
        let (arc_prepared, arc) = if graph.is_dense && split_pays(graph.n_vertices, k) {
            (ARC_PREPARED + ARC_SPLIT, ARC_DEFERRING)
        } else {
            (ARC_PREPARED, arc_without_deferring(graph.n_vertices))
        };
        let prepare = VERTEX_PREPARED * n + arc_prepared * m;
        (prepare, VERTEX * n + arc * m, ARC_OF_TREE * m, SHARED_STEP)
    };
    let search = |threads| by_team(alone, step * graph.depth, threads);
    let searching = match searches {
        Searches::Trees(k) => k as f64 * (search(threads) + shared(tree, threads)),
        Searches::Table(k)
            if graph.is_unweighted && breadth_first::pays(graph.n_vertices, graph.depth, k) =>
        {
            shared(k as f64 * alone / SEARCHES_PER_PASS, threads)
        }
        Searches::Table(k) => {
            let at_once = k.clamp(1, threads);
            k.div_ceil(at_once) as f64 * search(threads / at_once)
        }
    };
    (shared(prepare, threads) + searching) / machine.speed
}

fn on_gpu(graph: &Outline, searches: Searches, machine: &Machine) -> f64 {
    let (n, m) = (graph.n_vertices as f64, graph.n_arcs as f64);
    let prepare = shared(ARC_PREPARED * m, machine.threads) / machine.speed;
    let bytes = if graph.is_unweighted { BYTES_UNWEIGHTED } else { BYTES };
    let upload = (BYTES * n + bytes * m) / machine.upload_rate;
    let chain = ROUND_TRIP * graph.depth / machine.clock_hz;
    let arcs = ARC_ON_GPU * m / (f64::from(machine.multiprocessors) * machine.clock_hz);
    let searching = match searches {
        Searches::Trees(k) => {
            let k = k as f64;
            let searches = if graph.is_unweighted { k } else { k.min(after_trials(k)) };
            searches * (chain + arcs) + k * TREE_FROM_GPU * n / machine.speed
        }
        // with one bit each they share levels; if the graph is deep, there are too many levels
        Searches::Table(k)
            if graph.is_unweighted && !breadth_first::pays(graph.n_vertices, graph.depth, k) =>
        {
            k as f64 * (chain + arcs)
        }
        Searches::Table(k) => chain + k as f64 * arcs,
    };
    machine.opening + prepare + upload + searching + machine.closing
}

/// Seconds of a search of `alone` seconds of work by `threads`, which take `steps` seconds more for
/// its steps, or by one of them if that is faster.
fn by_team(alone: f64, steps: f64, threads: usize) -> f64 {
    alone.min(shared(alone, threads) + steps)
}

/// The number of threads for a search: `most` or 1.
pub(crate) fn team_for(graph: &Outline, most: usize) -> usize {
    let arc = arc_without_deferring(graph.n_vertices);
    let alone = VERTEX * graph.n_vertices as f64 + arc * graph.n_arcs as f64;
    if by_team(alone, SHARED_STEP * graph.depth, most) < alone { most } else { 1 }
}

/// Whether trials of which algorithm is fastest save more than they take, in this many searches.
pub(crate) fn trials_pay(searches: usize) -> bool {
    after_trials(searches as f64) <= searches as f64
}

/// Time of the trials and of the searches after them, in searches without trials.
fn after_trials(searches: f64) -> f64 {
    TRIALS + (1.0 - SAVED_BY_TRIALS) * searches
}

/// Whether deferring long arcs of a dense graph saves more than splitting off the short ones takes,
/// in this many searches.
pub(crate) fn split_pays(n_vertices: usize, searches: usize) -> bool {
    searches as f64 * (arc_without_deferring(n_vertices) - ARC_DEFERRING) > ARC_SPLIT
}

/// Whether pulling in a directed graph saves more than transposing it takes, in this many
/// breadth-first searches.
pub(crate) fn transposing_pays(n_vertices: usize, n_arcs: usize, searches: usize) -> bool {
    n_arcs >= MIN_DEGREE_TO_PULL * n_vertices && searches >= MIN_SEARCHES_TO_TRANSPOSE
}

/// Whether Dijkstra's algorithm with Dial's queue is faster than Δ-stepping on one thread: if
/// vertices have few arcs, as on grids, and the buckets for weights up to `max_weight` stay in
/// the L1 cache.
pub(crate) fn is_for_dial(n_vertices: usize, n_arcs: usize, max_weight: i128) -> bool {
    let (n, m) = (n_vertices as f64, n_arcs as f64);
    max_weight < MAX_CACHED_BUCKETS && ARC_BY_DIAL * m < VERTEX * n + ARC * m
}

/// Seconds per arc of a search that defers none.
fn arc_without_deferring(n_vertices: usize) -> f64 {
    ARC * (1.0 + UNCACHED_GROWTH * (n_vertices as f64 / MAX_CACHED_VERTICES).log2().max(0.0))
}

/// Seconds of a pass of `work` seconds that threads share.
fn shared(work: f64, threads: usize) -> f64 {
    if threads <= 1 { work } else { work.min(SHARED * work / threads as f64) }
}
