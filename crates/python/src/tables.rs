//! Distances from many vertices, and from all.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, VertexId, Weight, with_csr};
use ndarray::Array2;
use paths::HopStorage;
use pyo3::prelude::*;
use rayon::prelude::*;
use sssp::{Config, Goal, Progress, Solver, SsspError};

use crate::error::Error;
use crate::graph::Graph;
use crate::numbers::{Dtype, Numbers, shaped};
use crate::run::run;
use crate::searches::{at_most_all, config, telling, within};

#[pymethods]
impl Graph {
    /// The distances from each of several vertices to each of several others.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, shape (k,)
    ///     The rows.
    /// targets : array_like of int, shape (t,), optional
    ///     The columns; all vertices by default.
    /// algorithm, threads
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (k, t)
    ///     Infinity where there is no path.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 0], [5, 2, 4], n_vertices=4)
    /// >>> graph.table([0, 2], [1, 2, 3])
    /// array([[ 5.,  7., inf],
    ///        [ 9.,  0., inf]])
    #[pyo3(signature = (sources, targets=None, *, algorithm=None, threads=None, dtype=None))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sources = self.vertices_of("source", sources)?;
        let targets = match targets {
            Some(targets) => self.vertices_of("target", targets)?,
            None => (0..self.csr.n_vertices() as VertexId).collect(),
        };
        let (config, dtype) = (config(algorithm, threads)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let numbers = with_csr!(&self.csr, |graph| {
            run(py, size, |progress| {
                let mut solver = telling(Solver::new(graph, &config)?, progress);
                let table = solver.table(&sources, &targets)?.into_storage();
                Numbers::of(table.into_raw_vec_and_offset().0, dtype)
            })?
        });
        numbers.into_array(py, &[sources.len(), targets.len()])
    }

    /// Distances and predecessors from each of several vertices, or from all.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, shape (k,), optional
    ///     The rows; all vertices by default.
    /// cutoff : float, optional
    ///     Leave vertices unreached that are farther than this.
    /// algorithm, threads
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// distances : ndarray, shape (k, n_vertices)
    ///     Infinity where there is no path.
    /// predecessors : ndarray of int32, shape (k, n_vertices)
    ///     The vertex before each vertex on its path from the source of the row; -1 for none.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2])
    /// >>> distances, predecessors = graph.trees([0, 1])
    /// >>> predecessors
    /// array([[-1,  0,  1],
    ///        [-1, -1,  1]], dtype=int32)
    #[pyo3(signature = (sources=None, *, cutoff=None, algorithm=None, threads=None, dtype=None))]
    fn trees<'py>(
        &self,
        py: Python<'py>,
        sources: Option<&Bound<'_, PyAny>>,
        cutoff: Option<f64>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let n = self.csr.n_vertices();
        let is_all = sources.is_none() && cutoff.is_none() && algorithm.is_none();
        let sources = match sources {
            Some(sources) => self.vertices_of("source", sources)?,
            None => (0..n as VertexId).collect(),
        };
        let (config, dtype) = (config(algorithm, threads)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let (distances, predecessors) = with_csr!(&self.csr, |graph| {
            run(py, size, |progress| {
                // a search along arcs of negative weight takes longer than a row of a matrix
                let (distances, predecessors) = if is_all && graph.first_negative().is_some() {
                    by_next_hops(graph, config.threads, progress)?
                } else {
                    let goal = cutoff.map_or(Ok(Goal::All), within)?;
                    rows(graph, &sources, goal, &config, progress)?
                };
                Ok((Numbers::of(distances, dtype)?, predecessors))
            })?
        });
        let shape = [sources.len(), n];
        Ok((distances.into_array(py, &shape)?, shaped(py, predecessors, &shape)?))
    }

    /// The distances of all pairs of vertices.
    ///
    /// Parameters
    /// ----------
    /// algorithm : str, optional
    ///     One of floyd-warshall, blocked, recursive and johnson; by default what should be
    ///     fastest. Integers are the same with all; floats may differ in their last bits.
    /// threads : int, optional
    ///     Threads to use at most; all by default.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (n_vertices, n_vertices)
    ///     A row for each source; infinity where there is no path.
    ///
    /// Raises
    /// ------
    /// NegativeCycleError
    ///     When there is a cycle of negative length anywhere.
    /// MemoryError
    ///     When memory cannot hold the distances; the message has the bytes.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0, 1], [1, 2], [5, -2]).all_pairs()
    /// array([[ 0.,  5.,  3.],
    ///        [inf,  0., -2.],
    ///        [inf, inf,  0.]])
    #[pyo3(signature = (*, algorithm=None, threads=None, dtype=None))]
    fn all_pairs<'py>(
        &self,
        py: Python<'py>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let algorithm = algorithm.map_or(Ok(apsp::Algorithm::Auto), apsp::Algorithm::from_str);
        let algorithm = algorithm.map_err(Error::from)?;
        let threads = at_most_all(threads);
        let config = apsp::Config { algorithm, threads, ..apsp::Config::default() };
        let (dtype, n) = (Dtype::of(py, dtype)?, self.csr.n_vertices());
        let numbers = with_csr!(&self.csr, |graph| {
            run(py, self.size().saturating_mul(n), |progress| {
                let pairs = apsp::Solver::new(graph, &config).solve(progress)?;
                let table = pairs.into_distances().expect("memory keeps it").into_storage();
                Numbers::of(table.into_raw_vec_and_offset().0, dtype)
            })?
        });
        numbers.into_array(py, &[n, n])
    }
}

/// Distances and predecessors, row by row, -1 for none.
type Rows<W> = (Vec<<W as Weight>::Distance>, Vec<i32>);

/// By a search from each source, one a thread.
fn rows<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    goal: Goal<W::Distance>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Rows<W>, Error> {
    let n = graph.n_vertices();
    let mut distances = zeros::<W::Distance>(sources.len(), n)?;
    let mut predecessors = zeros::<i32>(sources.len(), n)?;
    if distances.is_empty() {
        return Ok((distances, predecessors));
    }
    let rows = distances.chunks_exact_mut(n).zip(predecessors.chunks_exact_mut(n));
    let left = Mutex::new(sources.iter().zip(rows));
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let alone = Config { threads: Some(NonZeroUsize::MIN), ..config.clone() };
    let n_workers = config.n_threads().min(sources.len());
    (0..n_workers).into_par_iter().with_max_len(1).try_for_each(|_| -> Result<(), SsspError> {
        let mut solver = telling(Solver::new(graph, &alone)?, progress);
        while let Some((&source, (distances, predecessors))) = next() {
            if progress.is_some_and(|tell| tell(0, 0).is_break()) {
                return Err(SsspError::Interrupted);
            }
            let tree = solver.tree(source, goal)?;
            distances.copy_from_slice(tree.distances.as_storage());
            // the code for none becomes -1
            predecessors.copy_from_slice(bytemuck::cast_slice(tree.predecessors.as_storage()));
        }
        Ok(())
    })?;
    Ok((distances, predecessors))
}

/// From all vertices, by a matrix: the predecessor of v on a path from u is the vertex after v on
/// the path to u along arcs turned round.
fn by_next_hops<W: Weight>(
    graph: &Csr<W>,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Rows<W>, Error> {
    let config = apsp::Config { next_hops: true, threads, ..apsp::Config::default() };
    let pairs = apsp::Solver::new(&graph.transposed(), &config).solve(progress)?;
    let paths = pairs.into_paths().expect("memory keeps them");
    let distances = transposed(paths.distances().as_storage(), |&distance| distance)?;
    let predecessors = match paths.next_hops().as_storage() {
        HopStorage::Narrow(hops) => {
            transposed(hops, |&hop| if hop == u16::MAX { -1 } else { hop.into() })?
        }
        HopStorage::Wide(hops) => transposed(hops, |&hop| hop as i32)?,
    };
    Ok((distances, predecessors))
}

fn transposed<T: Sync, U: Default + Clone + Send>(
    matrix: &Array2<T>,
    convert: impl Fn(&T) -> U + Sync,
) -> Result<Vec<U>, Error> {
    let n = matrix.ncols();
    let mut turned = zeros::<U>(n, matrix.nrows())?;
    turned.par_chunks_exact_mut(n.max(1)).enumerate().for_each(|(column, row)| {
        row.iter_mut().zip(matrix.column(column)).for_each(|(to, from)| *to = convert(from));
    });
    Ok(turned)
}

/// Zeros, if there is memory for them.
pub(crate) fn zeros<T: Default + Clone>(rows: usize, columns: usize) -> Result<Vec<T>, Error> {
    let bytes = rows as u128 * columns as u128 * size_of::<T>() as u128;
    let too_large = || Error::TooLarge { rows, columns, bytes };
    let n_cells = rows.checked_mul(columns).ok_or_else(too_large)?;
    Vec::<T>::new().try_reserve_exact(n_cells).map_err(|_| too_large())?;
    Ok(vec![T::default(); n_cells])
}
