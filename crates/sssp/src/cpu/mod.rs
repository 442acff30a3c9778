//! Solvers for the CPU. Each algorithm is a file or a folder; [`Chosen`] says which one runs.

pub(crate) mod aggregate;
pub(crate) mod bellman_ford;
pub(crate) mod bellman_ford_queue;
pub(crate) mod breadth_first;
pub(crate) mod delta_stepping;
pub(crate) mod dijkstra;
mod key_search;
pub(crate) mod near;
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
use crate::key::{FullKeys, KeyArithmetic, U32Keys};
use crate::search::Search;
use crate::weights::SearchKeys;

/// An algorithm with its settings.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Method {
    Dijkstra(Queue),
    BreadthFirst,
    /// In buckets of this width.
    DeltaStepping(f64),
    BellmanFord,
    BellmanFordQueue(QueueRule),
}

/// How the CPU searches, with all settings chosen.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) method: Method,
    pub(crate) threads: usize,
    /// When threads share a search.
    pub(crate) team: Team,
    /// Whether keys have 32 bits.
    pub(crate) narrow: bool,
    /// Whether enough searches are expected to prepare the graph. For breadth-first search a
    /// directed graph is transposed, so that levels can be pulled. For Δ-stepping the arcs of a
    /// dense graph are split, so that long ones are deferred.
    pub(crate) prepares: bool,
}

/// Bytes per vertex of a search: its distance, predecessor and an entry of a queue.
const BYTES_OF_VERTEX: usize = 24;

impl Chosen {
    /// Bytes that a search of `graph` and its preparation take. Queues that hold vertices several
    /// times take more.
    pub(crate) fn bytes_for<W: Weight>(&self, graph: &Csr<W>) -> usize {
        let more = match self.method {
            _ if !self.prepares => 0,
            Method::BreadthFirst if graph.direction() == Direction::Directed => graph.bytes(),
            // at most half of all arcs are short
            Method::DeltaStepping(_) => graph.bytes() / 2,
            _ => 0,
        };
        BYTES_OF_VERTEX * graph.n_vertices() + more
    }
}

/// A graph with the algorithm; makes any number of searches that run at one time and share what is
/// prepared.
pub(crate) struct Searches<'g, W: Weight> {
    graph: &'g Csr<W>,
    pub(crate) chosen: Chosen,
    /// The short arcs, if the long ones are deferred.
    short_arcs: Option<Arc<ArcSplit<W::Unsigned>>>,
    /// The transposed graph, if levels are pulled.
    incoming: Option<Csr<u32>>,
}

impl<'g, W: SearchKeys> Searches<'g, W> {
    /// Prepares `graph` for the `chosen` algorithm. O(n + m).
    pub(crate) fn new(graph: &'g Csr<W>, chosen: Chosen) -> Self {
        Self { graph, chosen, short_arcs: None, incoming: None }.by(chosen)
    }

    /// The same graph with another algorithm, which shares the prepared data.
    pub(crate) fn by(&mut self, chosen: Chosen) -> Self {
        let graph = self.graph;
        match chosen.method {
            Method::DeltaStepping(_) if chosen.prepares && self.short_arcs.is_none() => {
                let split = graph.as_unsigned().and_then(|graph| arc_split::split(&graph));
                self.short_arcs = split.map(Arc::new);
            }
            Method::BreadthFirst if self.incoming.is_none() => {
                self.incoming = ::breadth_first::incoming(graph, chosen.prepares);
            }
            _ => {}
        }
        let (short_arcs, incoming) = (self.short_arcs.clone(), self.incoming.clone());
        Self { graph, chosen, short_arcs, incoming }
    }

    /// A search with a work space of its own.
    pub(crate) fn search(&self) -> Box<dyn Search<W> + 'g> {
        // no float has narrow keys, so their code need not be generated
        if const { W::KIND.is_integer() } && self.chosen.narrow {
            self.by_keys::<U32Keys>()
        } else {
            self.by_keys::<FullKeys>()
        }
    }

    /// The search; with these keys if it has any.
    fn by_keys<L: KeyArithmetic<W::Unsigned>>(&self) -> Box<dyn Search<W> + 'g> {
        let (graph, Chosen { method, threads, team, .. }) = (self.graph, self.chosen);
        // the plan refuses negative weights for these
        let unsigned = || graph.as_unsigned().expect("no weight is negative");
        match method {
            Method::BellmanFord => Box::new(BellmanFord::new(graph)),
            Method::BellmanFordQueue(rule) => Box::new(QueuedBellmanFord::new(graph, rule)),
            Method::BreadthFirst => {
                Box::new(ByLevels::new(graph, self.incoming.clone(), threads, team))
            }
            Method::DeltaStepping(width) => {
                let (graph, short_arcs) = (unsigned(), self.short_arcs.clone());
                let split = short_arcs.clone();
                let search = DeltaStepping::<_, L>::new(graph.clone(), width, split, threads, team);
                Box::new(OnKeys { graph, short_arcs, search, lengths: PhantomData::<L> })
            }
            Method::Dijkstra(Queue::Dial) => {
                let graph = unsigned();
                let greatest = graph.weight_summary().greatest.to_i128().unwrap_or(0) as u64;
                dijkstra::<W, L, _>(graph, Dial::new(greatest))
            }
            Method::Dijkstra(Queue::QuaternaryHeap) => {
                dijkstra::<W, L, _>(unsigned(), QuaternaryHeap::default())
            }
            Method::Dijkstra(Queue::Radix) => dijkstra::<W, L, _>(unsigned(), RadixHeap::default()),
        }
    }
}

fn dijkstra<W, L, Q>(graph: Csr<W::Unsigned>, queue: Q) -> Box<dyn Search<W>>
where
    W: Weight,
    L: KeyArithmetic<W::Unsigned>,
    Q: MonotoneQueue<L::Key> + 'static,
{
    let search = Dijkstra::<_, L, Q>::new(graph.clone(), queue);
    Box::new(OnKeys { graph, short_arcs: None, search, lengths: PhantomData::<L> })
}
