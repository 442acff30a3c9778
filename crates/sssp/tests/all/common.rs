//! What the test files share.

use std::num::NonZeroUsize;

use graph_formats::{Csr, Weight};
use sssp::{Algorithm, Config, Delta, Queue};

/// Every way to solve a graph that it admits: algorithms, queues, bucket widths, and
/// numbers of threads.
pub(crate) fn configs<W: Weight>(graph: &Csr<W>) -> Vec<Config> {
    let negative = graph.first_negative().is_some();
    let mut configs = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.runs_on_cpu()) {
        if algorithm.admits_negative() || !negative {
            configs.push(Config::with(algorithm));
        }
    }
    if negative {
        // `auto` is right for these, too
        configs.push(Config::default());
        return configs;
    }
    let largest = graph.weights().iter().map(|w| w.to_f64()).fold(0.0, f64::max);
    for (_, queue) in Queue::ALL {
        let dial_can = W::ONE.to_i128().is_some() && largest < 1e6;
        if queue != Queue::Dial || dial_can {
            configs.push(Config { queue, ..Config::with(Algorithm::Dijkstra) });
        }
    }
    let mut stepping = |threads, delta| {
        let threads = NonZeroUsize::new(threads);
        configs.push(Config { delta, threads, ..Config::with(Algorithm::DeltaStepping) });
    };
    for (_, rule) in Delta::RULES {
        stepping(1, rule);
    }
    for width in [1.0, 3.5, 1e12] {
        if largest / width < 1e6 {
            stepping(2, Delta::Fixed(width));
            stepping(3, Delta::Fixed(width));
        }
    }
    configs
}
