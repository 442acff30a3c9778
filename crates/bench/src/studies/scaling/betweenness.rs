//! Betweenness of a sample of sources, which GPUs share.

use std::cell::OnceCell;
use std::num::NonZeroUsize;

use centrality::{Config, Sources};

use super::super::*;

/// Sources of which the host finds the same, before the clock starts.
const CHECKED: NonZeroUsize = NonZeroUsize::new(64).unwrap();
/// How far scores that are added in another order may be apart, as a share of the greatest.
const TOLERANCE: f64 = 1e-9;

/// By hops, a graph on each GPU; numbers of GPUs take turns.
pub(super) fn measure(
    bench: &Bench,
    gpus: &[Gpu],
    counts: &[usize],
    graphs: Vec<Graph>,
    n_sources: NonZeroUsize,
) -> Result<()> {
    for name in at_hand(bench, graphs, u64::MAX)? {
        let graph = &name.load_u32()?;
        let scores = |count: usize, n: NonZeroUsize| {
            let config = Config { sources: Sources::Sample { n, seed: 1 }, ..Config::default() };
            let found = match &gpus[..count] {
                [] => centrality::betweenness(graph, &config, None)?,
                gpus => centrality::betweenness_on_gpus(gpus, graph, &config, None)?,
            };
            anyhow::Ok(found.raw())
        };
        let right = scores(0, CHECKED)?;
        for &count in counts {
            check(&scores(count, CHECKED)?, &right)?;
        }
        let first = &OnceCell::new();
        let scores = &scores;
        let contender = |&count: &usize| {
            let record = Record::of(&[("graph", &name), ("scored", &n_sources), ("gpus", &count)]);
            Contender::new(record, move || {
                let (ms, found) = timed(|| scores(count, n_sources));
                let found = found?;
                check(&found, first.get_or_init(|| found.clone()))?;
                Ok(vec![("ms", ms)])
            })
        };
        let terms = Terms { warm_up: false, ..bench.terms() };
        bench.race_by(&terms, counts.iter().map(contender).collect())?;
    }
    Ok(())
}

/// That scores are the same but for rounding.
fn check(found: &[f64], right: &[f64]) -> Result<()> {
    ensure!(found.len() == right.len(), "{} scores and not {}", found.len(), right.len());
    let greatest = right.iter().copied().fold(0.0, f64::max);
    let apart = found.iter().zip(right).map(|(found, right)| (found - right).abs());
    let apart = apart.fold(0.0, f64::max);
    ensure!(apart <= TOLERANCE * greatest, "scores are {apart} apart, of up to {greatest}");
    Ok(())
}
