//! The choices of a solver, and their reasons.

use std::fmt;
use std::num::NonZeroUsize;

use graph_formats::{Csr, Direction, DisjointSets, VertexId, Weight, WeightKind, ensure_granted};
use search_parts::check_not_negative;

use crate::cpu::delta_stepping::threads_for;
use crate::cpu::queue::MAX_ARCS as MAX_DIAL_ARCS;
use crate::cpu::{Chosen, Method};
use crate::key::distance_bound;
use crate::{Algorithm, Config, Delta, Queue, QueueRule, SsspError, Team, cost, delta};

/// Number of arcs below which Dijkstra's algorithm with Dial's queue is faster than Δ-stepping.
const MAX_ARCS_FOR_DIAL: usize = 12_000;
/// Number of arcs below which Dijkstra's algorithm with any queue is faster than Δ-stepping.
const MAX_ARCS_FOR_DIJKSTRA: usize = 2_000;
/// A forest has one hub if the mean degree at the end of an arc exceeds the number of vertices
/// divided by this.
const HUB_DIVISOR: f64 = 8.0;
/// Greatest weight for which Dial's queue is faster than a radix heap.
const MAX_DIAL_WEIGHT: i128 = 1 << 16;
/// Greatest weight that Dial's queue takes if the user names it.
const MAX_DIAL_WEIGHT_REQUESTED: i128 = 1 << 24;

/// The choices of a [`Solver`](crate::Solver) for its graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The name of the algorithm.
    pub algorithm: &'static str,
    /// The reason for the algorithm.
    pub reason: String,
    /// The bucket width of Δ-stepping, or the look-ahead of Eager.
    pub delta: Option<f64>,
    /// The queue of Dijkstra's algorithm on the CPU.
    pub queue: Option<Queue>,
    /// The name of the GPU; `None` for the CPU.
    pub device: Option<String>,
    /// The most threads that work on one source: those of the configuration, but at most one for
    /// every 65,536 arcs. On a GPU, those of the CPU beside it.
    pub threads: usize,
    /// Whether all keys provably fit 32 bits.
    pub narrow: bool,
    /// Whether provably no distance overflows, so that results need no check.
    pub(crate) bounded: bool,
    /// The first arc of negative weight: its position and ends.
    pub(crate) negative: Option<(usize, VertexId, VertexId)>,
}

impl Plan {
    /// The plan for an algorithm with one thread and no settings.
    ///
    /// # Errors
    /// If a weight is negative and the algorithm does not admit negative weights.
    pub(crate) fn of<W: Weight>(
        graph: &Csr<W>,
        algorithm: &'static str,
        admits_negative: bool,
        reason: String,
    ) -> Result<Self, SsspError> {
        if !admits_negative {
            check_not_negative(graph, algorithm, SsspError::USE_BELLMAN_FORD)?;
        }
        let bound = distance_bound(graph.n_vertices(), graph.weight_summary());
        let is_integer = W::ONE.to_i128().is_some();
        let fits = is_integer && bound.is_some_and(|bound| bound < f64::from(u32::MAX));
        Ok(Self {
            algorithm,
            reason,
            delta: None,
            queue: None,
            device: None,
            threads: 1,
            narrow: fits && !admits_negative,
            bounded: cannot_overflow::<W>(graph.n_vertices(), bound),
            negative: graph.first_negative(),
        })
    }

    /// The plan for `graph` on the CPU.
    pub(crate) fn on_cpu<W: Weight>(
        graph: &Csr<W>,
        config: &Config,
    ) -> Result<(Self, Chosen), SsspError> {
        let (algorithm, reason) = match config.algorithm {
            None => choose(graph),
            Some(asked) => (asked, "chosen by the caller".to_owned()),
        };
        let mut plan = Self::of(graph, algorithm.name(), algorithm.admits_negative(), reason)?;
        let team = config.team;
        let threads = match team {
            Team::WhereItPays => threads_for(graph.n_arcs() as u64, config.n_threads()),
            Team::Always => config.n_threads(),
        };
        let (n, n_searches) = (graph.n_vertices(), config.n_expected_searches());
        let (method, prepares) = match algorithm {
            Algorithm::Dijkstra(asked) => {
                let queue = choose_queue(graph, asked)?;
                plan.queue = Some(queue);
                (Method::Dijkstra(queue), false)
            }
            Algorithm::BreadthFirst => {
                check_weights_equal(graph)?;
                plan.threads = threads;
                (Method::BreadthFirst, cost::transposing_pays(n, graph.n_arcs(), n_searches))
            }
            Algorithm::DeltaStepping(delta) => {
                let width = delta::width_for(graph, delta, threads)?;
                (plan.delta, plan.threads) = (Some(width), threads);
                (Method::DeltaStepping(width), cost::split_pays(n, n_searches))
            }
            Algorithm::BellmanFord => (Method::BellmanFord, false),
            Algorithm::BellmanFordQueue(rule) => (Method::BellmanFordQueue(rule), false),
        };
        let chosen = Chosen { method, threads, team, narrow: plan.narrow, prepares };
        ensure_granted(chosen.bytes_for(graph))?;
        Ok((plan, chosen))
    }

    /// The plan for `n_sources` searches that run at one time on the CPU. Each has a team of
    /// threads if there are enough and that is faster.
    pub(crate) fn for_table<W: Weight>(
        graph: &Csr<W>,
        config: &Config,
        n_sources: usize,
    ) -> Result<(Self, Chosen), SsspError> {
        let most = config.n_threads() / config.n_threads().min(n_sources).max(1);
        let threads = match config.team {
            Team::WhereItPays if most > 1 => cost::team_for(&cost::outline(graph), most),
            _ => most,
        };
        let (threads, expected_searches) =
            (NonZeroUsize::new(threads), NonZeroUsize::new(n_sources));
        let config = Config { threads, expected_searches, ..config.clone() };
        let planned = Self::on_cpu(graph, &config)?;
        if config.algorithm.is_none()
            && planned.0.delta.is_some()
            && let Some(greatest) = graph.weight_summary().greatest.to_i128()
            && cost::is_for_dial(graph.n_vertices(), graph.n_arcs(), greatest)
        {
            let dijkstra = Config { algorithm: Some(Algorithm::Dijkstra(None)), ..config };
            let (mut plan, chosen) = Self::on_cpu(graph, &dijkstra)?;
            if plan.queue == Some(Queue::Dial) {
                plan.reason = "vertices have few arcs, and searches run in parallel".to_owned();
                return Ok((plan, chosen));
            }
        }
        Ok(planned)
    }
}

/// Whether paths no longer than `bound` in a graph of `n` vertices cannot overflow.
pub(crate) fn cannot_overflow<W: Weight>(n: usize, bound: Option<f64>) -> bool {
    // about the greatest exact sum whose rounded sum cannot overflow
    let greatest = match W::KIND {
        // each addition may round up, which matters for millions of additions
        WeightKind::F32 => f64::from(f32::MAX) * (-(n as f64) * f64::from(f32::EPSILON)).exp(),
        WeightKind::F64 => f64::MAX,
        _ => i64::MAX as f64,
    };
    bound.is_some_and(|bound| bound < greatest / 2.0)
}

/// An error if breadth-first search would be incorrect.
pub(crate) fn check_weights_equal<W: Weight>(graph: &Csr<W>) -> Result<(), SsspError> {
    if Algorithm::BreadthFirst.admits(graph) {
        return Ok(());
    }
    let weights = graph.weight_summary();
    let (least, greatest) = (weights.least.to_string(), weights.greatest.to_string());
    Err(SsspError::WeightsDiffer { least, greatest })
}

fn choose<W: Weight>(graph: &Csr<W>) -> (Algorithm, String) {
    let n_arcs = graph.n_arcs();
    if let Some(weight) = graph.weight_summary().common() {
        (Algorithm::BreadthFirst, format!("every arc has weight {weight}"))
    } else if graph.first_negative().is_some() {
        let why = "some weights are negative, and a first-in first-out queue does the least work";
        (Algorithm::BellmanFordQueue(QueueRule::Fifo), why.to_owned())
    } else if is_forest(graph) && !has_one_hub(graph) {
        let why = "it is a forest, where any order relaxes each arc once";
        (Algorithm::BellmanFordQueue(QueueRule::Fifo), why.to_owned())
    } else if n_arcs < MAX_ARCS_FOR_DIAL && choose_queue(graph, None) == Ok(Queue::Dial)
        || n_arcs < MAX_ARCS_FOR_DIJKSTRA
    {
        (Algorithm::Dijkstra(None), format!("{n_arcs} arcs are few"))
    } else {
        (Algorithm::DeltaStepping(Delta::Auto), format!("{n_arcs} arcs are many"))
    }
}

/// Whether the graph is a forest. Merges the sets of joined vertices, until an edge joins two
/// vertices of one set. O(m log n), and O(1) if there are n edges or more.
fn is_forest<W: Weight>(graph: &Csr<W>) -> bool {
    let both_ways = graph.direction() == Direction::Undirected;
    let n_edges = if both_ways { graph.n_arcs() / 2 } else { graph.n_arcs() };
    if n_edges >= graph.n_vertices() {
        return false;
    }
    let mut sets = DisjointSets::new(graph.n_vertices());
    let mut edges = graph.arcs().filter(|&(from, to, _)| !both_ways || from <= to);
    edges.all(|(from, to, _)| sets.unite(from, to))
}

/// Whether one vertex has enough neighbours that most of the work is to relax its arcs.
fn has_one_hub<W: Weight>(graph: &Csr<W>) -> bool {
    delta::degree_at_arc_end(graph) * HUB_DIVISOR > graph.n_vertices() as f64
}

/// The queue for `graph`, if it can be the one that is asked for.
pub(crate) fn choose_queue<W: Weight>(
    graph: &Csr<W>,
    asked: Option<Queue>,
) -> Result<Queue, SsspError> {
    queue_for(graph.n_arcs(), graph.weight_summary().greatest.to_i128(), asked)
}

/// The queue for `n_arcs` arcs of weights up to `max`, which is `None` for floats.
fn queue_for(n_arcs: usize, max: Option<i128>, asked: Option<Queue>) -> Result<Queue, SsspError> {
    let reason = match (asked, max) {
        (None, Some(max)) if max <= MAX_DIAL_WEIGHT && n_arcs <= MAX_DIAL_ARCS => {
            return Ok(Queue::Dial);
        }
        (None, _) => return Ok(Queue::Radix),
        (Some(Queue::Dial), _) if n_arcs > MAX_DIAL_ARCS => {
            format!("its 32-bit entry numbers are too few for {n_arcs} arcs; use radix")
        }
        (Some(Queue::Dial), None) => {
            "it needs whole weights; use radix or quaternary-heap".to_owned()
        }
        (Some(Queue::Dial), Some(max)) if max > MAX_DIAL_WEIGHT_REQUESTED => {
            format!("weights up to {max} need as many buckets; use radix")
        }
        (Some(queue), _) => return Ok(queue),
    };
    Err(SsspError::BadQueue { queue: "dial", reason })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.algorithm, self.reason)?;
        if let Some(delta) = self.delta {
            write!(f, "; delta {delta}")?;
        }
        if let Some((name, _)) = Queue::ALL.iter().find(|queue| Some(queue.1) == self.queue) {
            write!(f, "; queue {name}")?;
        }
        if let Some(device) = &self.device {
            return write!(f, "; on {device}");
        }
        let keys = if self.narrow { "32-bit" } else { "full-width" };
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        write!(f, "; {} {threads}; {keys} keys", self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forests_are_recognised() {
        let edges = |n, edges: &[(VertexId, VertexId, u32)]| Csr::from_edges(n, edges).unwrap();
        let arcs = |n, arcs: &[(VertexId, VertexId, u32)]| Csr::from_arcs(n, arcs).unwrap();
        assert!(is_forest(&edges(5, &[(0, 1, 1), (3, 1, 1), (2, 4, 1)])));
        assert!(is_forest(&arcs(4, &[(0, 1, 1), (2, 1, 1), (2, 3, 1)])));
        assert!(!is_forest(&edges(9, &[(0, 1, 1), (1, 2, 1), (2, 0, 1)])), "a cycle");
        assert!(!is_forest(&edges(9, &[(0, 1, 1), (0, 1, 2)])), "parallel edges");
        assert!(!is_forest(&edges(9, &[(3, 3, 1)])), "a loop");
        assert!(!is_forest(&arcs(9, &[(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1)])), "two ways");
    }

    /// The number of threads is limited by the number of arcs.
    #[test]
    fn threads_are_capped_by_the_arcs() {
        let plan = |n_arcs: u32, asked, team| {
            let arcs: Vec<_> = (0..n_arcs).map(|arc| (arc % 50_000, arc / 50_000, 1u32)).collect();
            let graph = Csr::from_arcs(50_000, &arcs).unwrap();
            let threads = NonZeroUsize::new(asked);
            let stepping = Algorithm::DeltaStepping(Delta::Auto);
            let config = Config { threads, team, ..Config::with(stepping) };
            Plan::on_cpu(&graph, &config).unwrap().0.threads
        };
        for (asked, given) in [(1, 1), (61, 61), (62, 62), (64, 62), (128, 62)] {
            assert_eq!(plan(4_100_000, asked, Team::WhereItPays), given, "of {asked}");
        }
        for n_arcs in [0, 65_535, 65_536, 131_071] {
            assert_eq!(plan(n_arcs, 128, Team::WhereItPays), 1, "for {n_arcs} arcs");
        }
        assert_eq!(plan(131_072, 128, Team::WhereItPays), 2);
        assert_eq!(plan(0, 3, Team::Always), 3);
    }

    #[test]
    fn dials_entries_are_numbered_in_32_bits() {
        let most = u32::MAX as usize - 1;
        assert_eq!(queue_for(most, Some(9), None), Ok(Queue::Dial));
        assert_eq!(queue_for(most, Some(9), Some(Queue::Dial)), Ok(Queue::Dial));
        assert_eq!(queue_for(most + 1, Some(9), None), Ok(Queue::Radix));
        let refused = queue_for(most + 1, Some(9), Some(Queue::Dial));
        assert!(matches!(refused, Err(SsspError::BadQueue { queue: "dial", .. })));
    }
}
