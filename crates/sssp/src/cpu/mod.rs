//! Solvers for the CPU: each algorithm is a file or a folder, and which one runs is [`Chosen`].

mod arcs;
pub(crate) mod bellman_ford;
pub(crate) mod bellman_ford_queue;
pub(crate) mod bit_parallel;
pub(crate) mod breadth_first;
pub(crate) mod delta_stepping;
pub(crate) mod dijkstra;
mod key_search;
pub(crate) mod nearest;
pub(crate) mod prefetch;
pub(crate) mod queue;
pub(crate) mod threads;

use std::sync::Arc;

use graph_formats::{Csr, Direction, Weight};

use self::bellman_ford::BellmanFord;
use self::bellman_ford_queue::QueuedBellmanFord;
use self::breadth_first::BreadthFirst;
use self::delta_stepping::DeltaStepping;
use self::delta_stepping::long_arcs::{self, ArcSplit};
use self::dijkstra::Dijkstra;
use self::key_search::OnKeys;
use self::queue::{Dial, QuaternaryHeap, RadixHeap};
use crate::algorithm::{Queue, QueueRule};
use crate::config::Team;
use crate::key::{FullKeys, KeyArithmetic};
use crate::search::Search;
use crate::weights::SearchWeight;

/// What runs on the CPU, with nothing left to choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Chosen {
    Dijkstra(Queue),
    BreadthFirst {
        threads: usize,
        /// When they work together.
        team: Team,
        /// Whether so many searches are expected that they make up for turning all arcs round,
        /// which pulling takes where they are one-way.
        turns_arcs: bool,
    },
    DeltaStepping {
        width: f64,
        threads: usize,
        /// When they work together.
        team: Team,
        /// Whether long arcs are deferred where the graph is dense: so many searches are expected
        /// that they make up for what it takes.
        defers_long_arcs: bool,
    },
    BellmanFord,
    BellmanFordQueue(QueueRule),
}

/// What a search holds of each vertex: its distance, the predecessor and an entry of a queue.
const BYTES_OF_VERTEX: usize = 24;

impl Chosen {
    /// Bytes that a search in `graph` and the preparation for it take. Queues that come to hold
    /// vertices several times take more.
    pub(crate) fn bytes_for<W: Weight>(self, graph: &Csr<W>) -> usize {
        let is_turned = |turns| turns && graph.direction() == Direction::Directed;
        let more = match self {
            Self::BreadthFirst { turns_arcs, .. } if is_turned(turns_arcs) => graph.bytes(),
            // short arcs are half of all at most
            Self::DeltaStepping { defers_long_arcs: true, .. } => graph.bytes() / 2,
            _ => 0,
        };
        BYTES_OF_VERTEX * graph.n_vertices() + more
    }
}

/// What is made of a graph before it is searched, for as many searches as share it.
#[derive(Clone)]
pub(crate) enum Prepared<W: Weight> {
    Nothing,
    /// Its short arcs, where the long ones are deferred.
    ShortArcs(Arc<ArcSplit<W::Unsigned>>),
    /// Its arcs by their ends, where levels are pulled.
    Incoming(Csr<u32>),
}

/// Makes of `graph` what the algorithm that is `chosen` needs. O(n + m).
pub(crate) fn prepare<W: Weight>(graph: &Csr<W>, chosen: Chosen) -> Prepared<W> {
    match chosen {
        Chosen::DeltaStepping { defers_long_arcs: true, .. } => {
            let split = graph.as_unsigned().and_then(|graph| long_arcs::split(&graph));
            split.map_or(Prepared::Nothing, |split| Prepared::ShortArcs(Arc::new(split)))
        }
        Chosen::BreadthFirst { turns_arcs, .. } => {
            arcs::incoming(graph, turns_arcs).map_or(Prepared::Nothing, Prepared::Incoming)
        }
        _ => Prepared::Nothing,
    }
}

/// The algorithm that is `chosen`, on keys of 32 bits where they may be `narrow`, with what is
/// [`prepare`]d for it.
pub(crate) fn search<'g, W: SearchWeight>(
    graph: &'g Csr<W>,
    chosen: Chosen,
    narrow: bool,
    prepared: Prepared<W>,
) -> Box<dyn Search<W> + 'g> {
    match chosen {
        Chosen::BellmanFord => Box::new(BellmanFord::new(graph)),
        Chosen::BellmanFordQueue(rule) => {
            let negative = graph.first_negative().is_some();
            Box::new(QueuedBellmanFord::new(graph, rule, negative))
        }
        Chosen::BreadthFirst { threads, team, .. } => {
            let incoming = match prepared {
                Prepared::Incoming(incoming) => Some(incoming),
                _ => None,
            };
            Box::new(BreadthFirst::new(graph, incoming, threads, team))
        }
        Chosen::Dijkstra(queue) if narrow => dijkstra::<W, W::NarrowKeys>(graph, queue),
        Chosen::Dijkstra(queue) => dijkstra::<W, FullKeys>(graph, queue),
        Chosen::DeltaStepping { width, threads, team, .. } => {
            let short_arcs = match prepared {
                Prepared::ShortArcs(split) => Some(split),
                _ => None,
            };
            let graph = unsigned(graph);
            match narrow {
                true => Box::new(OnKeys(DeltaStepping::<_, W::NarrowKeys>::new(
                    graph, width, short_arcs, threads, team,
                ))),
                false => Box::new(OnKeys(DeltaStepping::<_, FullKeys>::new(
                    graph, width, short_arcs, threads, team,
                ))),
            }
        }
    }
}

fn dijkstra<W: SearchWeight, L: KeyArithmetic<W::Unsigned>>(
    graph: &Csr<W>,
    queue: Queue,
) -> Box<dyn Search<W>> {
    let greatest = graph.weight_summary().greatest.to_i128().unwrap_or(0) as u64;
    let graph = unsigned(graph);
    match queue {
        Queue::Dial => Box::new(OnKeys(Dijkstra::<_, L, _>::new(graph, Dial::new(greatest)))),
        Queue::QuaternaryHeap => {
            Box::new(OnKeys(Dijkstra::<_, L, _>::new(graph, QuaternaryHeap::default())))
        }
        Queue::Radix => Box::new(OnKeys(Dijkstra::<_, L, _>::new(graph, RadixHeap::default()))),
    }
}

/// The graph for an algorithm on keys: a plan refuses one whose weights are negative.
fn unsigned<W: Weight>(graph: &Csr<W>) -> Csr<W::Unsigned> {
    graph.as_unsigned().expect("a plan for keys is made where no weight is negative")
}
