//! The distances or the closure of all pairs, read from a file or computed from a graph.

use std::path::Path;
use std::time::Instant;

use apsp::any::{AnyPairs, SavedMatrix};
use apsp::{Config, Solver};
use closure::closure;
use graph_formats::VertexId;
use graph_formats::npy::Dtype;
use paths::{Closure, Number};

use super::Made;
use crate::cli::{Common, GraphArgs};
use crate::failure::WrongUse;
use crate::load::{Loaded, load};
use crate::plot::heat::Rows;
use crate::progress::progress;
use crate::report::{Head, milliseconds};
use crate::saved::{SavedIds, ids_beside};

/// All pairs, the names of their vertices, and the algorithm that found them.
pub(super) struct AllPairs {
    pub(super) rows: Box<dyn Rows>,
    pub(super) is_closure: bool,
    /// Whether distances are integers.
    pub(super) is_whole: bool,
    pub(super) ids: SavedIds,
    pub(super) made: Made,
    /// The graph, if the file holds one.
    pub(super) loaded: Option<Loaded>,
}

impl AllPairs {
    /// Reads a saved matrix, or computes one for a graph.
    pub(super) fn of(
        args: &GraphArgs,
        wants_closure: bool,
        common: &Common,
    ) -> anyhow::Result<Self> {
        if is_saved(&args.path) {
            args.refuse_for_matrix()?;
            return Self::saved(&args.path, wants_closure);
        }
        Self::found(load(args, common)?, wants_closure, common)
    }

    fn found(loaded: Loaded, wants_closure: bool, common: &Common) -> anyhow::Result<Self> {
        let step = progress("solving", common);
        let start = Instant::now();
        let (rows, algorithm): (Box<dyn Rows>, _) = if wants_closure {
            let found = closure(&loaded.csr.unweighted(), &Default::default(), Some(&step));
            let found = found.map_err(|error| loaded.names().explain(error))?;
            (Box::new(found.closure), found.plan.algorithm)
        } else {
            let config = Config { threads: common.threads, ..Config::default() };
            let pairs = Solver::new(&loaded.csr, &config).solve(Some(&step));
            let pairs = pairs.map_err(|error| loaded.names().explain(error))?;
            let algorithm = pairs.plan().algorithm.name();
            (Box::new(pairs), algorithm)
        };
        let solve_ms = Some(milliseconds(start.elapsed()));
        let head = Head { algorithm: Some(algorithm), solve_ms, ..loaded.head("plot") };
        Ok(Self {
            rows,
            is_closure: wants_closure,
            is_whole: wants_closure || loaded.csr.kind().is_integer(),
            ids: loaded.ids.clone().into(),
            made: Made::of(head),
            loaded: Some(loaded),
        })
    }

    fn saved(path: &Path, wants_closure: bool) -> anyhow::Result<Self> {
        let start = Instant::now();
        let dtypes = [Dtype::Bool, Dtype::U64, Dtype::I64, Dtype::F32, Dtype::F64];
        let matrix = SavedMatrix::open(path, &dtypes)?;
        let vertices = matrix.n_vertices();
        let is_closure = matrix.dtype() == Dtype::Bool;
        let is_whole = matches!(matrix.dtype(), Dtype::U64 | Dtype::I64);
        if wants_closure && !is_closure {
            let shown = path.display();
            let text = format!(
                "{shown} holds distances; --closure needs a graph, or a matrix that \
                                `closure -o` wrote"
            );
            return Err(WrongUse(text).into());
        }
        let ids = ids_beside(path, vertices)?;
        let load_ms = Some(milliseconds(start.elapsed()));
        let made = Made { algorithm: None, backend: "cpu", vertices, load_ms, solve_ms: None };
        Ok(Self { rows: Box::new(matrix), is_closure, is_whole, ids, made, loaded: None })
    }
}

/// Whether the file holds a saved matrix, not a graph.
pub(super) fn is_saved(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("npy"))
}

impl Rows for SavedMatrix {
    fn n_vertices(&self) -> usize {
        SavedMatrix::n_vertices(self)
    }

    fn row(&mut self, source: VertexId) -> anyhow::Result<Vec<Option<f64>>> {
        let row = SavedMatrix::row(self, source)?;
        Ok(row.into_iter().map(|distance| distance.map(Number::to_f64)).collect())
    }
}

impl Rows for Box<dyn AnyPairs> {
    fn n_vertices(&self) -> usize {
        AnyPairs::n_vertices(&**self)
    }

    fn row(&mut self, source: VertexId) -> anyhow::Result<Vec<Option<f64>>> {
        let row = AnyPairs::row(&**self, source);
        Ok(row.iter().map(|distance| distance.map(Number::to_f64)).collect())
    }
}

impl Rows for Closure {
    fn n_vertices(&self) -> usize {
        Closure::n_vertices(self)
    }

    fn row(&mut self, source: VertexId) -> anyhow::Result<Vec<Option<f64>>> {
        let mut row = vec![None; Closure::n_vertices(self)];
        self.reached_from(source).for_each(|target| row[target as usize] = Some(1.0));
        Ok(row)
    }
}
