//! Helpers of the tests.

use std::num::NonZeroUsize;

use graph_formats::{Csr, VertexId, Weight};
use paths::Tree;
use sssp::{Algorithm, Config, Delta, Goal, Queue, SearchWeight, Solver, SsspError, Team};

/// A test for each weight type: this law on every corner case, with its name.
macro_rules! corner_case_tests {
    ($law:expr; $($test:ident $weight:ty),+) => {$(
        #[test]
        fn $test() {
            for (name, graph) in test_support::corner_cases::<$weight>() {
                $law(name, &graph);
            }
        }
    )+};
}
pub(crate) use corner_case_tests;

/// All configurations that admit the graph: algorithms, queues, bucket widths, and numbers of
/// threads.
pub(crate) fn configs<W: Weight>(graph: &Csr<W>) -> Vec<Config> {
    let negative = graph.first_negative().is_some();
    // `auto` admits every graph
    let mut configs = vec![Config::default()];
    configs.extend(fitting(graph).map(Config::with));
    if negative {
        return configs;
    }
    let largest = graph.weights().iter().map(|w| w.to_f64()).fold(0.0, f64::max);
    for (_, queue) in Queue::ALL {
        let dial_can = W::ONE.to_i128().is_some() && largest < 1e6;
        if queue != Queue::Dial || dial_can {
            configs.push(Config::with(Algorithm::Dijkstra(Some(queue))));
        }
    }
    let rules = Delta::RULES.map(|(_, rule)| rule);
    let widths = [1.0, 3.5, 1e12].into_iter().filter(|width| largest / width < 1e6);
    let widths: Vec<_> = widths.map(Delta::Fixed).collect();
    for threads in 1..=3 {
        let rules = if threads == 1 { &rules[..] } else { &[Delta::Auto] };
        let threads = NonZeroUsize::new(threads);
        if Algorithm::BreadthFirst.admits(graph) {
            let search = Config::with(Algorithm::BreadthFirst);
            configs.push(Config { threads, team: Team::Always, ..search });
        }
        for &delta in rules.iter().chain(&widths) {
            let stepping = Config::with(Algorithm::DeltaStepping(delta));
            configs.push(Config { threads, team: Team::Always, ..stepping });
        }
        // enough searches for long arcs of a dense graph to be deferred
        let expected_searches = NonZeroUsize::new(100);
        let stepping = Config::with(Algorithm::DeltaStepping(Delta::Auto));
        configs.push(Config { threads, expected_searches, team: Team::Always, ..stepping });
    }
    configs
}

/// The algorithms that admit the weights of `graph`.
pub(crate) fn fitting<W: Weight>(graph: &Csr<W>) -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| algorithm.admits(graph))
}

/// The solver; checks that it has the configured number of threads.
pub(crate) fn solver<'g, W: SearchWeight>(graph: &'g Csr<W>, config: &Config) -> Solver<'g, W> {
    let solver = Solver::new(graph, config).expect("a fitting configuration");
    if let (Team::Always, Some(threads)) = (config.team, config.threads) {
        assert_eq!(solver.plan().threads, threads.get(), "{config:?}");
    }
    solver
}

/// The tree of all reachable vertices, by a new solver.
pub(crate) fn tree<W: SearchWeight>(
    graph: &Csr<W>,
    source: VertexId,
    config: &Config,
) -> Result<Tree<W>, SsspError> {
    Ok(solver(graph, config).tree(source, Goal::All)?.answer)
}
