//! Solvers for the CPU. Each algorithm is a file or a folder; [`Chosen`] says which one runs.

pub(crate) mod bellman_ford;
pub(crate) mod bellman_ford_queue;
pub(crate) mod breadth_first;
pub(crate) mod delta_stepping;
pub(crate) mod dijkstra;
mod key_search;
pub(crate) mod nearest;
pub(crate) mod queue;

use std::marker::PhantomData;
use std::sync::Arc;

use graph_formats::{Csr, Direction, Weight};
use search_parts::Team;

use self::bellman_ford::BellmanFord;
use self::bellman_ford_queue::QueuedBellmanFord;
use self::breadth_first::ByLevels;
use self::delta_stepping::DeltaStepping;
use self::dijkstra::Dijkstra;
use self::key_search::OnKeys;
use self::queue::{Dial, MonotoneQueue, QuaternaryHeap, RadixHeap};
use crate::algorithm::{Queue, QueueRule};
use crate::arc_split::{self, ArcSplit};
use crate::key::{FullKeys, KeyArithmetic};
use crate::search::Search;
use crate::weights::SearchKeys;

/// The algorithm on the CPU, with all settings chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Chosen {
    Dijkstra(Queue),
    BreadthFirst {
        threads: usize,
        /// When threads share a search.
        team: Team,
        /// Whether a directed graph is transposed so that levels can be pulled: enough searches
        /// are expected.
        transposes: bool,
    },
    DeltaStepping {
        width: f64,
        threads: usize,
        /// When threads share a search.
        team: Team,
        /// Whether long arcs are deferred if the graph is dense: enough searches are expected.
        defers_long_arcs: bool,
    },
    BellmanFord,
    BellmanFordQueue(QueueRule),
}

/// Bytes per vertex of a search: its distance, predecessor and an entry of a queue.
const BYTES_OF_VERTEX: usize = 24;

impl Chosen {
    /// Bytes that a search of `graph` and its preparation take. Queues that hold vertices several
    /// times take more.
    pub(crate) fn bytes_for<W: Weight>(self, graph: &Csr<W>) -> usize {
        let is_transposed = |transposes| transposes && graph.direction() == Direction::Directed;
        let more = match self {
            Self::BreadthFirst { transposes, .. } if is_transposed(transposes) => graph.bytes(),
            // at most half of all arcs are short
            Self::DeltaStepping { defers_long_arcs: true, .. } => graph.bytes() / 2,
            _ => 0,
        };
        BYTES_OF_VERTEX * graph.n_vertices() + more
    }
}

/// Data prepared from a graph, which searches share.
#[derive(Clone)]
enum Prepared<W: Weight> {
    Nothing,
    /// The short arcs, if the long ones are deferred.
    ShortArcs(Arc<ArcSplit<W::Unsigned>>),
    /// The transposed graph, if levels are pulled.
    Incoming(Csr<u32>),
}

impl<W: Weight> Prepared<W> {
    /// Prepares what the `chosen` algorithm needs. O(n + m).
    fn of(graph: &Csr<W>, chosen: Chosen) -> Self {
        match chosen {
            Chosen::DeltaStepping { defers_long_arcs: true, .. } => {
                let split = graph.as_unsigned().and_then(|graph| arc_split::split(&graph));
                split.map_or(Self::Nothing, |split| Self::ShortArcs(Arc::new(split)))
            }
            Chosen::BreadthFirst { transposes, .. } => {
                ::breadth_first::incoming(graph, transposes).map_or(Self::Nothing, Self::Incoming)
            }
            _ => Self::Nothing,
        }
    }
}

/// A graph with the algorithm; makes any number of searches that run at one time.
pub(crate) struct Searches<'g, W: Weight> {
    graph: &'g Csr<W>,
    chosen: Chosen,
    /// Whether keys have 32 bits.
    narrow: bool,
    prepared: Prepared<W>,
}

impl<'g, W: SearchKeys> Searches<'g, W> {
    /// Prepares `graph` for the `chosen` algorithm; keys have 32 bits if `narrow`. O(n + m).
    pub(crate) fn new(graph: &'g Csr<W>, chosen: Chosen, narrow: bool) -> Self {
        Self { graph, chosen, narrow, prepared: Prepared::of(graph, chosen) }
    }

    /// The same graph with another algorithm, which shares the prepared data.
    pub(crate) fn by(&mut self, chosen: Chosen, narrow: bool) -> Self {
        if let Prepared::Nothing = self.prepared {
            self.prepared = Prepared::of(self.graph, chosen);
        }
        Self { graph: self.graph, chosen, narrow, prepared: self.prepared.clone() }
    }

    /// A search with a work space of its own.
    pub(crate) fn search(&self) -> Box<dyn Search<W> + 'g> {
        let graph = self.graph;
        match self.chosen {
            Chosen::BellmanFord => Box::new(BellmanFord::new(graph)),
            Chosen::BellmanFordQueue(rule) => {
                let negative = graph.first_negative().is_some();
                Box::new(QueuedBellmanFord::new(graph, rule, negative))
            }
            Chosen::BreadthFirst { threads, team, .. } => {
                let incoming = match &self.prepared {
                    Prepared::Incoming(incoming) => Some(incoming.clone()),
                    _ => None,
                };
                Box::new(ByLevels::new(graph, incoming, threads, team))
            }
            Chosen::Dijkstra(queue) if self.narrow => self.dijkstra::<W::NarrowKeys>(queue),
            Chosen::Dijkstra(queue) => self.dijkstra::<FullKeys>(queue),
            Chosen::DeltaStepping { width, threads, team, .. } => match self.narrow {
                true => self.delta_stepping::<W::NarrowKeys>(width, threads, team),
                false => self.delta_stepping::<FullKeys>(width, threads, team),
            },
        }
    }

    fn dijkstra<L: KeyArithmetic<W::Unsigned>>(&self, queue: Queue) -> Box<dyn Search<W>> {
        let greatest = self.graph.weight_summary().greatest.to_i128().unwrap_or(0) as u64;
        match queue {
            Queue::Dial => self.dijkstra_by::<L, _>(Dial::new(greatest)),
            Queue::QuaternaryHeap => self.dijkstra_by::<L, _>(QuaternaryHeap::default()),
            Queue::Radix => self.dijkstra_by::<L, _>(RadixHeap::default()),
        }
    }

    fn dijkstra_by<L, Q>(&self, queue: Q) -> Box<dyn Search<W>>
    where
        L: KeyArithmetic<W::Unsigned>,
        Q: MonotoneQueue<L::Key> + 'static,
    {
        let graph = self.unsigned();
        let search = Dijkstra::<_, L, Q>::new(graph.clone(), queue);
        Box::new(OnKeys { graph, short_arcs: None, search, lengths: PhantomData::<L> })
    }

    fn delta_stepping<L: KeyArithmetic<W::Unsigned>>(
        &self,
        width: f64,
        threads: usize,
        team: Team,
    ) -> Box<dyn Search<W>> {
        let graph = self.unsigned();
        let short_arcs = match &self.prepared {
            Prepared::ShortArcs(split) => Some(Arc::clone(split)),
            _ => None,
        };
        let split = short_arcs.clone();
        let search = DeltaStepping::<_, L>::new(graph.clone(), width, split, threads, team);
        Box::new(OnKeys { graph, short_arcs, search, lengths: PhantomData::<L> })
    }

    /// The graph for an algorithm on keys; a plan for it refuses negative weights.
    fn unsigned(&self) -> Csr<W::Unsigned> {
        self.graph.as_unsigned().expect("a plan for keys is made where no weight is negative")
    }
}
