//! Solvers for the CPU: each algorithm is a file or a folder, and which one runs is [`Chosen`].

pub(crate) mod bellman_ford;
pub(crate) mod bellman_ford_queue;
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

/// The short arcs of a graph, for as many searches as share it.
pub(crate) type ShortArcs<W> = Option<Arc<ArcSplit<W>>>;

/// The short arcs of `graph`, if what is `chosen` defers the long ones. O(m).
pub(crate) fn short_arcs<W: Weight>(graph: &Csr<W>, chosen: Chosen) -> ShortArcs<W> {
    let Chosen::DeltaStepping { defers_long_arcs: true, .. } = chosen else { return None };
    long_arcs::split(graph, graph.weight_summary().greatest).map(Arc::new)
}

/// The algorithm that is `chosen`, on keys of 32 bits where they may be `narrow`, with those
/// [`short_arcs`].
pub(crate) fn search<'g, W: Weight>(
    graph: &'g Csr<W>,
    chosen: Chosen,
    narrow: bool,
    short_arcs: ShortArcs<W>,
) -> Box<dyn Search<W> + 'g> {
    let negative = graph.first_negative().is_some();
    match (chosen, narrow) {
        (Chosen::BellmanFord, _) => Box::new(BellmanFord::new(graph)),
        (Chosen::BellmanFordQueue(rule), _) => {
            Box::new(QueuedBellmanFord::new(graph, rule, negative))
        }
        (Chosen::BreadthFirst { threads, team }, _) => {
            Box::new(BreadthFirst::new(graph, threads, team))
        }
        (Chosen::Dijkstra(queue), true) => dijkstra::<W, U32Keys>(graph, queue),
        (Chosen::Dijkstra(queue), false) => dijkstra::<W, FullKeys>(graph, queue),
        (Chosen::DeltaStepping { width, threads, team, .. }, true) => {
            delta_stepping::<W, U32Keys>(graph, width, short_arcs, threads, team)
        }
        (Chosen::DeltaStepping { width, threads, team, .. }, false) => {
            delta_stepping::<W, FullKeys>(graph, width, short_arcs, threads, team)
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
    short_arcs: ShortArcs<W>,
    threads: usize,
    team: Team,
) -> Box<dyn Search<W> + '_> {
    let greatest = graph.weight_summary().greatest;
    let search = DeltaStepping::<W, L>::new(graph, width, greatest, short_arcs, threads, team);
    Box::new(OnKeys(search))
}
