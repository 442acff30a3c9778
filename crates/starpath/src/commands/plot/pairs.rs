//! The distances of all pairs, or who reaches whom: from a file, or from a graph.

use std::path::Path;
use std::time::Instant;

use apsp::any::AnyPairs;
use apsp::{Config, Solver};
use closure::closure;
use graph_formats::npy::Dtype;
use graph_formats::{Ids, VertexId};
use paths::{Closure, Number};

use super::Made;
use crate::cli::{Common, GraphArgs};
use crate::commands::apsp::explain;
use crate::commands::closure::explain as explain_closure;
use crate::failure::WrongUse;
use crate::load::{Loaded, load};
use crate::plot::heat::Rows;
use crate::progress::Bar;
use crate::report::milliseconds;
use crate::saved::{Matrix, ids_beside};

/// All pairs, the names of their vertices, and how they were found.
pub(super) struct AllPairs {
    pub(super) rows: Box<dyn Rows>,
    pub(super) is_closure: bool,
    /// Whether distances are integers.
    pub(super) is_whole: bool,
    pub(super) ids: Ids,
    pub(super) made: Made,
    /// The graph, where one was read.
    pub(super) loaded: Option<Loaded>,
}

impl AllPairs {
    /// Reads a matrix that was saved, or finds one for a graph.
    pub(super) fn of(
        args: &GraphArgs,
        wants_closure: bool,
        common: &Common,
    ) -> anyhow::Result<Self> {
        if is_saved(&args.path) {
            args.refuse_for_matrix()?;
            return Self::saved(&args.path, wants_closure);
        }
        let loaded = load(args, common)?;
        let mut found =
            if wants_closure { closed(&loaded, common) } else { solved(&loaded, common) }?;
        found.loaded = Some(loaded);
        Ok(found)
    }

    fn saved(path: &Path, wants_closure: bool) -> anyhow::Result<Self> {
        let start = Instant::now();
        let dtypes = [Dtype::Bool, Dtype::U64, Dtype::I64, Dtype::F32, Dtype::F64];
        let matrix = Matrix::open(path, &dtypes)?;
        let vertices = matrix.n;
        let is_closure = matrix.dtype == Dtype::Bool;
        let is_whole = matches!(matrix.dtype, Dtype::U64 | Dtype::I64);
        if wants_closure && !is_closure {
            let shown = path.display();
            let text = format!("{shown} holds distances; --closure is for graphs");
            return Err(WrongUse(text).into());
        }
        let ids = ids_beside(path, vertices)?;
        let load_ms = Some(milliseconds(start.elapsed()));
        let made = Made { algorithm: None, backend: "cpu", vertices, load_ms, solve_ms: None };
        Ok(Self { rows: Box::new(matrix), is_closure, is_whole, ids, made, loaded: None })
    }
}

/// Whether the file holds a matrix and no graph.
pub(super) fn is_saved(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("npy"))
}

impl Rows for Matrix {
    fn n_vertices(&self) -> usize {
        self.n
    }

    fn read(&mut self, source: VertexId, row: &mut Vec<Option<f64>>) -> anyhow::Result<()> {
        let size = self.dtype.size();
        let mut bytes = vec![0; self.n * size];
        self.read_at(source, 0, &mut bytes)?;
        row.clear();
        for entry in bytes.chunks_exact(size) {
            let mut padded = [0; 8];
            padded[..size].copy_from_slice(entry);
            row.push(self.distance(padded)?.map(Number::to_f64));
        }
        Ok(())
    }
}

impl Rows for Box<dyn AnyPairs> {
    fn n_vertices(&self) -> usize {
        AnyPairs::n_vertices(&**self)
    }

    fn read(&mut self, source: VertexId, row: &mut Vec<Option<f64>>) -> anyhow::Result<()> {
        row.clear();
        row.extend(self.row(source).iter().map(|distance| distance.map(Number::to_f64)));
        Ok(())
    }
}

impl Rows for Closure {
    fn n_vertices(&self) -> usize {
        Closure::n_vertices(self)
    }

    fn read(&mut self, source: VertexId, row: &mut Vec<Option<f64>>) -> anyhow::Result<()> {
        row.clear();
        row.resize(Closure::n_vertices(self), None);
        self.reached_from(source).for_each(|target| row[target as usize] = Some(1.0));
        Ok(())
    }
}

/// The distances of all pairs of a graph.
fn solved(loaded: &Loaded, common: &Common) -> anyhow::Result<AllPairs> {
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let start = Instant::now();
    let config = Config { threads: common.threads, ..Config::default() };
    let pairs = Solver::new(&loaded.csr, &config).solve(Some(&step));
    let pairs = pairs.map_err(|error| explain(&loaded.names(), error))?;
    let made = made(pairs.plan().algorithm.name(), loaded, start);
    let is_whole = loaded.csr.kind().is_integer();
    let ids = loaded.ids.clone();
    Ok(AllPairs { rows: Box::new(pairs), is_closure: false, is_whole, ids, made, loaded: None })
}

/// Who reaches whom in a graph.
fn closed(loaded: &Loaded, common: &Common) -> anyhow::Result<AllPairs> {
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let start = Instant::now();
    let found = closure(&loaded.csr.unweighted(), &closure::Config::default(), Some(&step));
    let found = found.map_err(|error| explain_closure(error.into()))?;
    let made = made(found.plan.algorithm, loaded, start);
    let ids = loaded.ids.clone();
    let rows = Box::new(found.closure);
    Ok(AllPairs { rows, is_closure: true, is_whole: true, ids, made, loaded: None })
}

fn made(algorithm: &'static str, loaded: &Loaded, start: Instant) -> Made {
    Made {
        algorithm: Some(algorithm),
        backend: "cpu",
        vertices: loaded.csr.n_vertices(),
        load_ms: Some(loaded.load_ms),
        solve_ms: Some(milliseconds(start.elapsed())),
    }
}
