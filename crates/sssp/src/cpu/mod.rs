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

use graph_formats::{Csr, Weight};

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
use crate::key::{FullKeys, KeyArithmetic, U32Keys};
use crate::search::Search;

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

/// What is made of a graph before it is searched, for as many searches as share it.
#[derive(Clone)]
pub(crate) enum Prepared<W: Weight> {
    Nothing,
    /// Its short arcs, where the long ones are deferred.
    ShortArcs(Arc<ArcSplit<W>>),
    /// Its arcs by their ends, where levels are pulled.
    Incoming(Csr<u32>),
}

/// Makes of `graph` what the algorithm that is `chosen` needs. O(n + m).
pub(crate) fn prepare<W: Weight>(graph: &Csr<W>, chosen: Chosen) -> Prepared<W> {
    match chosen {
        Chosen::DeltaStepping { defers_long_arcs: true, .. } => {
            let split = long_arcs::split(graph, graph.weight_summary().greatest);
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
pub(crate) fn search<'g, W: Weight>(
    graph: &'g Csr<W>,
    chosen: Chosen,
    narrow: bool,
    prepared: Prepared<W>,
) -> Box<dyn Search<W> + 'g> {
    let negative = graph.first_negative().is_some();
    match (chosen, narrow) {
        (Chosen::BellmanFord, _) => Box::new(BellmanFord::new(graph)),
        (Chosen::BellmanFordQueue(rule), _) => {
            Box::new(QueuedBellmanFord::new(graph, rule, negative))
        }
        (Chosen::BreadthFirst { threads, team, .. }, _) => {
            let incoming = match prepared {
                Prepared::Incoming(incoming) => Some(incoming),
                _ => None,
            };
            Box::new(BreadthFirst::new(graph, incoming, threads, team))
        }
        (Chosen::Dijkstra(queue), true) => dijkstra::<W, U32Keys>(graph, queue),
        (Chosen::Dijkstra(queue), false) => dijkstra::<W, FullKeys>(graph, queue),
        (Chosen::DeltaStepping { width, threads, team, .. }, true) => {
            delta_stepping::<W, U32Keys>(graph, width, prepared, threads, team)
        }
        (Chosen::DeltaStepping { width, threads, team, .. }, false) => {
            delta_stepping::<W, FullKeys>(graph, width, prepared, threads, team)
        }
    }
}

fn dijkstra<W: Weight, L: KeyArithmetic<W>>(
    graph: &Csr<W>,
    queue: Queue,
) -> Box<dyn Search<W> + '_> {
    match queue {
        Queue::Dial => {
            let greatest = graph.weight_summary().greatest.to_i128().unwrap_or(0);
            Box::new(OnKeys(Dijkstra::<W, L, _>::new(graph, Dial::new(greatest as u64))))
        }
        Queue::QuaternaryHeap => {
            Box::new(OnKeys(Dijkstra::<W, L, _>::new(graph, QuaternaryHeap::default())))
        }
        Queue::Radix => Box::new(OnKeys(Dijkstra::<W, L, _>::new(graph, RadixHeap::default()))),
    }
}

fn delta_stepping<W: Weight, L: KeyArithmetic<W>>(
    graph: &Csr<W>,
    width: f64,
    prepared: Prepared<W>,
    threads: usize,
    team: Team,
) -> Box<dyn Search<W> + '_> {
    let greatest = graph.weight_summary().greatest;
    let short_arcs = match prepared {
        Prepared::ShortArcs(split) => Some(split),
        _ => None,
    };
    let search = DeltaStepping::<W, L>::new(graph, width, greatest, short_arcs, threads, team);
    Box::new(OnKeys(search))
}
