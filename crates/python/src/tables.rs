//! Distances from many vertices, and from all.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use apsp::PairsWeight;
use graph_formats::{Csr, VertexId, Weight, with_csr};
use ndarray::Array2;
use paths::HopStorage;
use pyo3::prelude::*;
use rayon::prelude::*;
use sssp::{Config, Goal, Progress, SearchWeight, Solver, SsspError};

use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers, shaped};
use crate::out::Out;
use crate::run::{SMALL, run};
use crate::searches::Reach;

/// So many bytes are not asked for.
const ALWAYS_FREE: u128 = 64 << 20;

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
    /// algorithm, threads, backend
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
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
    #[pyo3(signature = (
        sources, targets=None, *, algorithm=None, threads=None, backend=None, dtype=None,
        progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn table<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sources = self.vertices_of("source", sources)?;
        let targets = self.vertices_or_all("target", targets)?;
        let (how, dtype) = (How::new(algorithm, threads, backend)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let numbers = with_csr!(&self.csr, |graph| {
            run(py, size, progress, |progress| {
                ensure_fits(sources.len(), targets.len(), size_of_distance(graph))?;
                let mut solver = how.solver(graph, sources.len(), progress)?;
                let table = solver.table(&sources, &targets)?.answer.into_storage();
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
    /// algorithm, threads, backend
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
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
    #[pyo3(signature = (
        sources=None, *, cutoff=None, algorithm=None, threads=None, backend=None, dtype=None,
        progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn trees<'py>(
        &self,
        py: Python<'py>,
        sources: Option<&Bound<'_, PyAny>>,
        cutoff: Option<f64>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let n = self.csr.n_vertices();
        let how = How::new(algorithm, threads, backend)?;
        let is_all = sources.is_none() && cutoff.is_none() && how.is_free();
        let sources = self.vertices_or_all("source", sources)?;
        let (reach, dtype) = (Reach::of(None, cutoff)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let (distances, predecessors) = with_csr!(&self.csr, |graph| {
            run(py, size, progress, |progress| {
                // a search along arcs of negative weight takes longer than a row of a matrix
                let (distances, predecessors) = if is_all && graph.first_negative().is_some() {
                    by_next_hops(graph, how.threads, progress)?
                } else {
                    rows(graph, &sources, reach.goal(), &how, progress)?
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
    /// backend : {"cpu", "cuda"}, default "cpu"
    ///     Where to find them.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// out : ndarray or path_like, optional
    ///     Where to write them, also if memory cannot hold them: an array of this shape and type, or
    ///     the name of an .npy file, which is made and returned as a `numpy.memmap`. Of integers
    ///     the greatest stands for no path there.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
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
    #[pyo3(signature = (
        *, algorithm=None, threads=None, backend=None, dtype=None, out=None, progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn all_pairs<'py>(
        &self,
        py: Python<'py>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = How::new(algorithm, threads, backend)?;
        let n = self.csr.n_vertices();
        if let Some(out) = out {
            let out = Out::of(out, dtype, n)?;
            let size = self.size().saturating_mul(n);
            let filled = with_csr!(&self.csr, |graph| {
                run(py, size, progress, |progress| out.fill(graph, &how, progress))
            });
            return out.finished(py, filled);
        }
        let dtype = Dtype::of(py, dtype)?;
        let numbers = with_csr!(&self.csr, |graph| {
            let size = self.size().saturating_mul(n);
            run(py, size, progress, |progress| {
                ensure_fits(n, n, size_of_distance(graph))?;
                if how.is_soon_done(graph) {
                    let all: Vec<VertexId> = graph.vertices().collect();
                    let table = how.solver(graph, n, None)?.table(&all, &all)?.answer;
                    return Numbers::of(table.into_storage().into_raw_vec_and_offset().0, dtype);
                }
                let pairs = how.all_pairs(graph, false, progress)?;
                let table = pairs.into_distances().expect("memory keeps it").into_storage();
                Numbers::of(table.into_raw_vec_and_offset().0, dtype)
            })?
        });
        numbers.into_array(py, &[n, n])
    }
}

/// Distances and predecessors, row by row, -1 for none.
type Rows<W> = (Vec<<W as Weight>::Distance>, Vec<i32>);

/// By a search from each source, one a thread; or one after the other where there is a GPU, or not
/// enough to do.
fn rows<W: SearchWeight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    goal: Goal<W::Distance>,
    how: &How,
    progress: Option<Progress<'_>>,
) -> Result<Rows<W>, Error> {
    let n = graph.n_vertices();
    let mut distances = zeros::<W::Distance>(sources.len(), n)?;
    let mut predecessors = zeros::<i32>(sources.len(), n)?;
    if distances.is_empty() {
        return Ok((distances, predecessors));
    }
    let rows = distances.chunks_exact_mut(n).zip(predecessors.chunks_exact_mut(n));
    let left = Mutex::new(sources.iter().zip(rows).enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let fill = |solver: Result<Solver<'_, W>, Error>| -> Result<(), Error> {
        let mut solver = solver?;
        while let Some((done, (&source, (distances, predecessors)))) = next() {
            if progress.is_some_and(|tell| tell(done as u64, sources.len() as u64).is_break()) {
                return Err(SsspError::Interrupted.into());
            }
            let tree = solver.tree(source, goal)?;
            distances.copy_from_slice(tree.distances.as_storage());
            // the code for none becomes -1
            predecessors.copy_from_slice(bytemuck::cast_slice(tree.predecessors.as_storage()));
        }
        Ok(())
    };
    let is_small = sources.len().saturating_mul(n + graph.n_arcs()) < SMALL;
    let n_workers = how.n_threads().min(sources.len());
    if is_small || n_workers == 1 || !how.gpus().is_empty() {
        fill(how.solver(graph, sources.len(), None))?;
    } else {
        let alone = Config { threads: Some(NonZeroUsize::MIN), ..how.config()? };
        let workers = (0..n_workers).into_par_iter().with_max_len(1);
        workers.try_for_each(|_| fill(Solver::new(graph, &alone).map_err(Error::from)))?;
    }
    Ok((distances, predecessors))
}

/// From all vertices, by a matrix: the predecessor of v on a path from u is the vertex after v on
/// the path to u along arcs turned round.
fn by_next_hops<W: PairsWeight>(
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

/// Bytes of a distance in this graph.
pub(crate) fn size_of_distance<W: Weight>(_: &Csr<W>) -> usize {
    size_of::<W::Distance>()
}

/// Zeros, if there is memory for them.
pub(crate) fn zeros<T: Default + Clone>(rows: usize, columns: usize) -> Result<Vec<T>, Error> {
    ensure_fits(rows, columns, size_of::<T>())?;
    Ok(vec![T::default(); rows * columns])
}

/// An error where memory has no place for so many cells of so many bytes: systems grant more than
/// they have.
pub(crate) fn ensure_fits(rows: usize, columns: usize, cell: usize) -> Result<(), Error> {
    let bytes = rows as u128 * columns as u128 * cell as u128;
    if bytes <= ALWAYS_FREE {
        return Ok(());
    }
    let most = isize::MAX as u64;
    let available = graph_formats::free_memory().unwrap_or(most).min(most);
    match bytes <= available.into() {
        true => Ok(()),
        false => Err(Error::TooLarge { rows, columns, bytes, available }),
    }
}
