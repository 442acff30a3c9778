//! What the tests share: the GPU while a test has it, graphs, and how answers are compared.

use std::ops::Deref;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gpu_runtime::Gpu;
use graph_formats::{Coo, Csr, VertexId, Weight};
use paths::Tree;
use paths::certificate::check_negative_cycle;
use paths::oracle::{self, OracleError};
use proptest::prelude::*;
use sssp::gpu::Config;
use sssp::{Found, Goal, SearchWeight, Solver, SsspError};
use test_support::corner_cases;

/// Held by every test that uses the GPU, and alone by those that look at a search under way:
/// a test beside them that frees memory waits for that search, and the driver with it.
static TURNS: RwLock<()> = RwLock::new(());

/// A GPU while a test has it.
pub(crate) struct Lent<Turn> {
    gpu: Gpu,
    _turn: Turn,
}

impl<Turn> Deref for Lent<Turn> {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

/// The first GPU, or `None` and a word about it.
pub(crate) fn gpu() -> Option<Lent<RwLockReadGuard<'static, ()>>> {
    let turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    Some(Lent { gpu: first()?, _turn: turn })
}

/// The same, with no other test beside.
pub(crate) fn gpu_alone() -> Option<Lent<RwLockWriteGuard<'static, ()>>> {
    let turn = TURNS.write().unwrap_or_else(PoisonError::into_inner);
    Some(Lent { gpu: first()?, _turn: turn })
}

fn first() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

/// A test of each type of weights, by a function of it.
macro_rules! corner_case_tests {
    ($agrees:ident: $($test:ident $type:ty),+) => {$(
        #[test]
        fn $test() {
            $agrees::<$type>();
        }
    )+};
}
pub(crate) use corner_case_tests;

/// Hands every corner case to `agree`.
pub(crate) fn for_corner_cases<W: SearchWeight>(agree: impl Fn(&Gpu, &str, &Csr<W>)) {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        agree(&gpu, name, &graph);
    }
}

/// The first vertex, one in the middle, and the last.
pub(crate) fn some_sources<W: Weight>(graph: &Csr<W>) -> Vec<VertexId> {
    let n = graph.n_vertices() as VertexId;
    let mut sources: Vec<_> =
        [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&v| v < n).collect();
    sources.dedup();
    sources
}

/// All of `configs` against the oracle, from some sources, in one work space each; `check` looks
/// at what else is to be true of a search that found a tree.
pub(crate) fn agree_by<W: SearchWeight>(
    gpu: &Gpu,
    name: &str,
    graph: &Csr<W>,
    configs: &[Config],
    check: impl Fn(&Config, &Found<Tree<W>>, &str),
) {
    let sources = some_sources(graph);
    let expected: Vec<_> = sources.iter().map(|&s| oracle::tree(graph, s, None).unwrap()).collect();
    for config in configs {
        let mut solver = Solver::on_gpu(gpu, graph, config).unwrap();
        for (&source, expected) in sources.iter().zip(&expected) {
            let found = solver.tree(source, Goal::All).unwrap();
            let name = format!("{name}, {}, from {source}, {config:?}", W::KIND);
            assert!(found.answer == *expected, "{name}");
            check(config, &found, &name);
        }
    }
}

/// The oracle's tree by all of `configs`, or a negative cycle as it finds one.
pub(crate) fn agrees_or_cycles<W: SearchWeight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    configs: &[Config],
) -> Result<(), TestCaseError> {
    let expected = oracle::tree(graph, 0, None);
    for config in configs {
        let found = Solver::on_gpu(gpu, graph, config).unwrap().tree(0, Goal::All);
        match (found, &expected) {
            (Ok(tree), Ok(expected)) => prop_assert!(tree.answer == *expected, "{config:?}"),
            (Err(SsspError::NegativeCycle { cycle }), Err(OracleError::NegativeCycle { .. })) => {
                let checked = check_negative_cycle(graph, &cycle);
                prop_assert!(checked.is_ok(), "{config:?}: {cycle:?}");
            }
            (found, expected) => prop_assert!(false, "{config:?}: {found:?} for {expected:?}"),
        }
    }
    Ok(())
}

/// The same vertices and edges, both ways, with other weights.
pub(crate) fn reweighted<W: Weight>(graph: &Csr<u32>, weight: impl Fn(u32) -> W) -> Csr<W> {
    let arcs = graph.arcs().filter(|arc| arc.0 <= arc.1);
    let edges: Vec<_> = arcs.map(|(u, v, w)| (u, v, weight(w))).collect();
    Csr::from_edges(graph.n_vertices(), &edges).unwrap()
}

/// With floats of all sizes.
pub(crate) fn as_floats(graph: &Csr<u32>) -> Csr<f32> {
    reweighted(graph, |w| (w as f32 / 7.0).exp2() - 1.0)
}

/// With weights that many times less, rounded down.
pub(crate) fn coarse(graph: &Csr<u32>, divisor: u32) -> Csr<u32> {
    reweighted(graph, |w| w / divisor)
}

/// The arcs from lower to higher vertices, and one in three of the others: a directed graph.
pub(crate) fn one_way<W: Weight>(graph: &Csr<W>) -> Csr<W> {
    let arcs: Vec<_> = graph.arcs().filter(|&(u, v, _)| u < v || (u + v) % 3 == 0).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// Thirds, so that sums round.
pub(crate) fn thirds(graph: &Csr<u32>) -> Csr<f64> {
    let edges = graph.undirected_edges().unwrap();
    let weights = edges.weights().iter().map(|&w| f64::from(w) / 3.0).collect();
    let (tails, heads) = (edges.sources().to_vec(), edges.destinations().to_vec());
    let edges = Coo::new(graph.n_vertices(), tails, heads, weights).unwrap();
    Csr::from_undirected_edges(&edges).unwrap()
}
