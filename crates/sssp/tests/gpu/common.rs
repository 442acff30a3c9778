//! Helpers of the tests: the GPU, and solvers on GPU and CPU whose results are compared. The laws
//! are in `laws`, the graphs in `graphs`.

use std::ops::Deref;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use paths::Tree;
use sssp::gpu::Config;
use sssp::{Algorithm, Found, Goal, SearchWeight, Solver, SsspError};

/// A lock that every test on the GPU reads. Tests that observe a running search write it, because
/// another test that frees memory would block the driver until that search ends.
static TURNS: RwLock<()> = RwLock::new(());

/// A GPU with the lock.
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

/// The first GPU; without one, `None` and a message.
pub(crate) fn gpu() -> Option<Lent<RwLockReadGuard<'static, ()>>> {
    let turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    Some(Lent { gpu: first()?, _turn: turn })
}

/// The same, without a concurrent test.
pub(crate) fn gpu_alone() -> Option<Lent<RwLockWriteGuard<'static, ()>>> {
    let turn = TURNS.write().unwrap_or_else(PoisonError::into_inner);
    Some(Lent { gpu: first()?, _turn: turn })
}

fn first() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

/// A test for each weight type: this law on every corner case.
macro_rules! corner_case_tests {
    ($law:expr; $($test:ident $type:ty),+) => {$(
        #[test]
        fn $test() {
            $crate::laws::for_corner_cases::<$type>($law);
        }
    )+};
}
pub(crate) use corner_case_tests;

/// The error of a solver for this graph on the GPU.
#[track_caller]
pub(crate) fn refusal<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, config: &Config) -> SsspError {
    Solver::on_gpu(gpu, graph, config).err().expect("it is refused")
}

/// A solver on the GPU and one on the CPU. Every query asserts that their results are equal, and
/// returns the device's.
pub(crate) struct Both<'g, W: SearchWeight> {
    name: String,
    pub(crate) device: Solver<'g, W>,
    host: Solver<'g, W>,
}

impl<'g, W: SearchWeight> Both<'g, W> {
    /// The solver on the CPU has the default configuration.
    pub(crate) fn new(gpu: &Gpu, name: &str, graph: &'g Csr<W>, config: &Config) -> Self {
        let device = Solver::on_gpu(gpu, graph, config).unwrap();
        let host = Solver::new(graph, &sssp::Config::default()).unwrap();
        let name = format!("{name}, {}, {config:?}, {}", W::KIND, device.plan());
        Self { name, device, host }
    }

    /// The solver on the CPU has Dijkstra's algorithm.
    pub(crate) fn with_dijkstra(gpu: &Gpu, name: &str, graph: &'g Csr<W>, config: &Config) -> Self {
        let host = Solver::new(graph, &sssp::Config::with(Algorithm::Dijkstra(None))).unwrap();
        Self { host, ..Self::new(gpu, name, graph, config) }
    }

    /// Asserts that both have the same result or the same error.
    #[track_caller]
    pub(crate) fn try_ask<T: PartialEq>(
        &mut self,
        question: impl Fn(&mut Solver<'g, W>) -> Result<Found<T>, SsspError>,
    ) -> Result<Found<T>, SsspError> {
        let (found, expected) = (question(&mut self.device), question(&mut self.host));
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => assert!(found.answer == expected.answer, "{}", self.name),
            _ => assert_eq!(found.as_ref().err(), expected.as_ref().err(), "{}", self.name),
        }
        found
    }

    #[track_caller]
    pub(crate) fn ask<T: PartialEq>(
        &mut self,
        question: impl Fn(&mut Solver<'g, W>) -> Result<Found<T>, SsspError>,
    ) -> Found<T> {
        self.try_ask(question).unwrap()
    }

    #[track_caller]
    pub(crate) fn tree(&mut self, source: VertexId, goal: Goal<W::Distance>) -> Found<Tree<W>> {
        self.ask(|solver| solver.tree(source, goal))
    }

    #[track_caller]
    pub(crate) fn table(&mut self, sources: &[VertexId], targets: &[VertexId]) {
        self.ask(|solver| solver.table(sources, targets));
    }

    /// Compares trees from `source` for all `goals`. Returns the most relaxations of one, and those
    /// of a complete search.
    #[track_caller]
    pub(crate) fn goals(&mut self, source: VertexId, goals: &[Goal<W::Distance>]) -> (u64, u64) {
        let whole = self.tree(source, Goal::All).work.relaxations;
        let parts = goals.iter().map(|&goal| self.tree(source, goal).work.relaxations);
        (parts.max().expect("a goal"), whole)
    }
}
