//! Solvers for the CPU: each algorithm is a file or a folder, and which one runs is [`Chosen`].

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
enum Prepared<W: Weight> {
    Nothing,
    /// Its short arcs, where the long ones are deferred.
    ShortArcs(Arc<ArcSplit<W::Unsigned>>),
    /// Its arcs by their ends, where levels are pulled.
    Incoming(Csr<u32>),
}

impl<W: Weight> Prepared<W> {
    /// What the algorithm that is `chosen` needs. O(n + m).
    fn of(graph: &Csr<W>, chosen: Chosen) -> Self {
        match chosen {
            Chosen::DeltaStepping { defers_long_arcs: true, .. } => {
                let split = graph.as_unsigned().and_then(|graph| arc_split::split(&graph));
                split.map_or(Self::Nothing, |split| Self::ShortArcs(Arc::new(split)))
            }
            Chosen::BreadthFirst { turns_arcs, .. } => {
                ::breadth_first::incoming(graph, turns_arcs).map_or(Self::Nothing, Self::Incoming)
            }
            _ => Self::Nothing,
        }
    }
}

/// A graph and how it is searched: makes as many searches as are needed at one time.
pub(crate) struct Searches<'g, W: Weight> {
    graph: &'g Csr<W>,
    chosen: Chosen,
    /// Whether keys have 32 bits.
    narrow: bool,
    prepared: Prepared<W>,
}

impl<'g, W: SearchKeys> Searches<'g, W> {
    /// Makes of `graph` what the algorithm that is `chosen` needs, on keys of 32 bits where they
    /// may be `narrow`. O(n + m).
    pub(crate) fn new(graph: &'g Csr<W>, chosen: Chosen, narrow: bool) -> Self {
        Self { graph, chosen, narrow, prepared: Prepared::of(graph, chosen) }
    }

    /// The same graph searched in another way, with what is prepared for this one.
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

    /// The graph for an algorithm on keys: a plan refuses one whose weights are negative.
    fn unsigned(&self) -> Csr<W::Unsigned> {
        self.graph.as_unsigned().expect("a plan for keys is made where no weight is negative")
    }
}
