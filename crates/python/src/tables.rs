//! Distances from many vertices, and from all.

use std::num::NonZeroUsize;

use bytemuck::allocation;
use graph_formats::{Csr, VertexId, Weight, with_csr};
use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyUntypedArrayMethods};
use paths::{AnyDistances, Distances, HopStorage, Number, with_distances};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use rayon::prelude::*;
use sssp::Progress;
use sssp::any::AnySolver;

use crate::arguments;
use crate::arrays::array_of;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers, shaped};
use crate::out::Out;
use crate::run::run;
use crate::searches::goal;

/// The sources of pairs that share a table, and what it has at most.
const SOURCES_AT_A_TIME: usize = 256;
const CELLS_AT_A_TIME: usize = 1 << 24;

/// Up to this number of bytes, free memory is not checked.
const ALWAYS_FREE: u128 = 64 << 20;

/// Offsets of sources, vertices, distances and predecessors.
type Arrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<i32>>,
);

#[pymethods]
impl Graph {
    /// The distances from each of several vertices to each of several others.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     The rows.
    /// targets : array_like of int, or of names of the graph, shape (t,), optional
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
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sources = self.vertices_of("source", sources)?;
        let targets = self.vertices_or_all("target", targets)?;
        let (how, dtype) = (How::new(algorithm, threads, backend)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let numbers = run(py, size, progress, |progress| {
            ensure_fits(sources.len(), targets.len(), self.size_of_distance_as(dtype))?;
            let mut solver = how.solver(&self.csr, sources.len(), progress)?;
            Numbers::of(solver.table(&sources, &targets)?.answer.distances, dtype)
        })?;
        numbers.into_array(py, &[sources.len(), targets.len()])
    }

    /// The distances of pairs of vertices.
    ///
    /// Pairs with the same source share a search.
    ///
    /// Parameters
    /// ----------
    /// pairs : array_like of int, or of names of the graph, shape (k, 2)
    ///     Where each path starts and ends.
    /// algorithm, threads, backend
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (k,)
    ///     Infinity where there is no path.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 0], [5, 2, 4], n_vertices=4)
    /// >>> graph.distances([(0, 2), (2, 1), (0, 3)])
    /// array([ 7.,  9., inf])
    #[pyo3(signature = (
        pairs, *, algorithm=None, threads=None, backend=None, dtype=None, progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (sources, targets) = self.ends_of(pairs)?;
        let (how, dtype) = (How::new(algorithm, threads, backend)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let numbers = run(py, size, progress, |progress| {
            let mut solver = how.solver(&self.csr, sources.len(), progress)?;
            let found = by_sources(&mut *solver, self.csr.n_vertices(), &sources, &targets)?;
            Numbers::of(with_csr!(&self.csr, |graph| stored(graph, found)), dtype)
        })?;
        numbers.into_array(py, &[sources.len()])
    }

    /// The vertices within a distance of each of several vertices.
    ///
    /// A search takes the time and memory of what lies within.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     Where the paths start.
    /// cutoff : float
    ///     The greatest distance.
    /// algorithm, threads, backend
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
    ///
    /// Returns
    /// -------
    /// offsets : ndarray of int64, shape (k + 1,)
    ///     What belongs to sources[i] is at offsets[i]:offsets[i + 1] of the other arrays.
    /// vertices : ndarray of int32
    ///     The vertices within, ascending for each source.
    /// distances : ndarray
    ///     The distance of each of these vertices from its source.
    /// predecessors : ndarray of int32
    ///     The vertex before each of these vertices; -1 for the source.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 2, 4])
    /// >>> offsets, vertices, distances, predecessors = graph.within([0, 1], 6)
    /// >>> offsets, vertices, distances
    /// (array([0, 2, 5]), array([0, 1, 1, 2, 3], dtype=int32), array([0., 5., 0., 2., 6.]))
    #[pyo3(signature = (
        sources, cutoff, *, algorithm=None, threads=None, backend=None, dtype=None, progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn within<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        cutoff: f64,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Arrays<'py>> {
        let sources = self.vertices_of("source", sources)?;
        goal(None, Some(cutoff))?;
        let (how, dtype) = (How::new(algorithm, threads, backend)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let (offsets, vertices, distances, predecessors) = run(py, size, progress, |progress| {
            let mut solver = how.solver(&self.csr, sources.len(), progress)?;
            let found = solver.within(&sources, Number::F64(cutoff))?.answer;
            let (mut offsets, mut vertices, mut predecessors) = (vec![0], vec![], vec![]);
            let mut distances = Vec::new();
            for near in found {
                distances.extend((0..near.vertices.len()).map(|at| near.distances.get(at)));
                vertices.extend(near.vertices);
                predecessors.extend(near.predecessors);
                offsets.push(vertices.len() as i64);
            }
            let distances = with_csr!(&self.csr, |graph| stored(graph, distances));
            // the code for none becomes -1
            let [vertices, predecessors] =
                [vertices, predecessors].map(allocation::cast_vec::<VertexId, i32>);
            Ok((offsets, vertices, Numbers::of(distances, dtype)?, predecessors))
        })?;
        let n = [vertices.len()];
        let distances = distances.into_array(py, &n)?;
        let [vertices, predecessors] = [vertices, predecessors].map(|it| it.into_pyarray(py));
        Ok((offsets.into_pyarray(py), vertices, distances, predecessors))
    }

    /// Distances and predecessors from each of several vertices, or from all.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,), optional
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
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let n = self.csr.n_vertices();
        let how = How::new(algorithm, threads, backend)?;
        let is_all = sources.is_none() && cutoff.is_none() && how.is_free();
        let sources = self.vertices_or_all("source", sources)?;
        let (goal, dtype) = (goal(None, cutoff)?, Dtype::of(py, dtype)?);
        let size = self.size().saturating_mul(sources.len());
        let (distances, predecessors) = run(py, size, progress, |progress| {
            // a search along arcs of negative weight takes longer than a row of a matrix
            if is_all && self.csr.first_negative().is_some() {
                return self.by_next_hops(dtype, how.threads, progress);
            }
            let cell = self.size_of_distance_as(dtype) + size_of::<VertexId>();
            ensure_fits(sources.len(), n, cell)?;
            let mut solver = how.solver(&self.csr, sources.len(), progress)?;
            let (table, predecessors) = solver.trees(&sources, goal)?.answer;
            // the code for none becomes -1
            Ok((Numbers::of(table.distances, dtype)?, allocation::cast_vec(predecessors)))
        })?;
        let shape = [sources.len(), n];
        Ok((distances.into_array(py, &shape)?, shaped(py, predecessors, &shape)?))
    }

    /// The distances of all pairs of vertices.
    ///
    /// Parameters
    /// ----------
    /// algorithm : str, optional
    ///     One of floyd-warshall, blocked, recursive, johnson and supernodes; by default what should be
    ///     fastest. Integers are the same with all; floats may differ in their last bits.
    /// threads : int, optional
    ///     Threads to use at most; all by default.
    /// backend : {"cpu", "cuda"}, default "cpu"
    ///     Where to find them.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// out : ndarray or path_like, optional
    ///     Where to write the distances: an array of this shape and type, or the name of an .npy
    ///     file, which may be larger than memory and is returned as a `numpy.memmap`. With an
    ///     integer type, its greatest value means no path.
    /// progress : bool, default False
    ///     Whether to show a progress bar, by tqdm.
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
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
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
            let filled = run(py, size, progress, |progress| out.fill(self, &how, progress));
            return out.finished(py, filled);
        }
        let dtype = Dtype::of(py, dtype)?;
        let size = self.size().saturating_mul(n);
        let numbers = run(py, size, progress, |progress| {
            ensure_fits(n, n, self.size_of_distance_as(dtype))?;
            let table = if how.is_soon_done(&self.csr) {
                let all: Vec<VertexId> = (0..n as VertexId).collect();
                how.solver(&self.csr, n, None)?.table(&all, &all)?.answer
            } else {
                let pairs = how.all_pairs(&self.csr, false, progress)?;
                pairs.into_distances().expect("memory keeps it")
            };
            Numbers::of(table.distances, dtype)
        })?;
        numbers.into_array(py, &[n, n])
    }
}

/// The distances of pairs, some sources at a time: a table of these and of all their targets.
fn by_sources(
    solver: &mut dyn AnySolver,
    n_vertices: usize,
    sources: &[VertexId],
    targets: &[VertexId],
) -> Result<Vec<Option<Number>>, Error> {
    let mut order: Vec<_> = (0..sources.len()).collect();
    order.sort_unstable_by_key(|&at| sources[at]);
    let by_source: Vec<_> = order.chunk_by(|&a, &b| sources[a] == sources[b]).collect();
    let rows = (CELLS_AT_A_TIME / n_vertices.max(1)).clamp(1, SOURCES_AT_A_TIME);
    let mut distances = vec![None; sources.len()];
    for some in by_source.chunks(rows) {
        let starts: Vec<_> = some.iter().map(|pairs| sources[pairs[0]]).collect();
        let mut ends: Vec<_> = some.iter().copied().flatten().map(|&at| targets[at]).collect();
        ends.sort_unstable();
        ends.dedup();
        let table = solver.table(&starts, &ends)?.answer;
        for (row, pairs) in some.iter().enumerate() {
            for &at in *pairs {
                let column = ends.partition_point(|&end| end < targets[at]);
                distances[at] = table.distances.get(row * ends.len() + column);
            }
        }
    }
    Ok(distances)
}

/// Distances in a graph, in their own type.
fn stored<W: Weight>(_: &Csr<W>, distances: Vec<Option<Number>>) -> AnyDistances {
    let typed = distances.into_iter().map(|distance| distance?.exactly::<W::Distance>());
    Distances::from_iter(typed).into()
}

impl Graph {
    /// The sources and the targets of pairs.
    pub(crate) fn ends_of(
        &self,
        pairs: &Bound<'_, PyAny>,
    ) -> PyResult<(Vec<VertexId>, Vec<VertexId>)> {
        let array = array_of(pairs)?;
        if array.len() == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        if !matches!(array.shape(), [_, 2]) {
            let shape = array.getattr("shape")?;
            let message = format!("pairs: an array of shape {shape}; expected (k, 2)");
            return Err(Error::argument(message).into());
        }
        let column = |at: usize| array.get_item((PySlice::full(pairs.py()), at));
        let sources = self.vertices_of("source", &column(0)?)?;
        Ok((sources, self.vertices_of("target", &column(1)?)?))
    }

    /// The same of pairs as such, or of sources and targets of their own.
    pub(crate) fn ends(
        &self,
        pairs: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Vec<VertexId>, Vec<VertexId>)> {
        let Some(targets) = targets else { return self.ends_of(pairs) };
        let sources = self.vertices_of("source", pairs)?;
        let targets = self.vertices_of("target", targets)?;
        let (n, found) = (sources.len(), targets.len());
        if n != found {
            let message = format!("targets: {found} entries for {n} sources; expected one each");
            return Err(Error::argument(message).into());
        }
        Ok((sources, targets))
    }

    /// Distances and predecessors from all vertices, by a matrix: the predecessor of v on a path
    /// from u is the vertex after v on the path to u along reversed arcs.
    fn by_next_hops(
        &self,
        dtype: Dtype,
        threads: Option<NonZeroUsize>,
        progress: Option<Progress<'_>>,
    ) -> Result<(Numbers, Vec<i32>), Error> {
        let n = self.csr.n_vertices();
        // the distances, which are transposed or converted, and predecessors beside next hops
        let (size, converted) = (self.size_of_distance(), self.size_of_distance_as(dtype));
        ensure_fits(n, n, converted.max(2 * size) + 2 * size_of::<VertexId>())?;
        let config = apsp::Config { next_hops: true, threads, ..apsp::Config::default() };
        let pairs = apsp::Solver::new(&self.csr.transposed()?, &config).solve(progress)?;
        let hops = pairs.next_hops().expect("memory keeps them");
        let predecessors = match hops.as_storage() {
            HopStorage::Narrow(hops) => {
                transposed(slice_of(hops), n, |&hop| if hop == u16::MAX { -1 } else { hop.into() })?
            }
            HopStorage::Wide(hops) => transposed(slice_of(hops), n, |&hop| hop as i32)?,
        };
        let table = pairs.into_distances().expect("memory keeps it").distances;
        let distances: AnyDistances = with_distances!(&table, |table| {
            Distances::from_storage(transposed(table.as_storage(), n, |&d| d)?).into()
        });
        Ok((Numbers::of(distances, dtype)?, predecessors))
    }
}

fn slice_of<T>(table: &Array2<T>) -> &[T] {
    table.as_slice().expect("row by row")
}

/// A square of cells, row by row, with rows and columns exchanged.
fn transposed<T: Sync, U: Default + Clone + Send>(
    cells: &[T],
    n: usize,
    convert: impl Fn(&T) -> U + Sync,
) -> Result<Vec<U>, Error> {
    let mut turned = zeros::<U>(n, n)?;
    turned.par_chunks_exact_mut(n.max(1)).enumerate().for_each(|(column, row)| {
        let column = cells[column..].iter().step_by(n);
        row.iter_mut().zip(column).for_each(|(to, from)| *to = convert(from));
    });
    Ok(turned)
}

/// Zeros, if there is memory for them.
pub(crate) fn zeros<T: Default + Clone>(rows: usize, columns: usize) -> Result<Vec<T>, Error> {
    ensure_fits(rows, columns, size_of::<T>())?;
    Ok(vec![T::default(); rows * columns])
}

/// An error if memory has no place for `rows` × `columns` cells of `cell` bytes.
pub(crate) fn ensure_fits(rows: usize, columns: usize, cell: usize) -> Result<(), Error> {
    let bytes = rows as u128 * columns as u128 * cell as u128;
    ensure_free(bytes, "", || format!("a result of {rows} x {columns}"))
}

/// An error where memory has no place for as many bytes as something takes: systems grant more than
/// they have.
pub(crate) fn ensure_free(
    bytes: u128,
    advice: &'static str,
    what: impl Fn() -> String,
) -> Result<(), Error> {
    if bytes <= ALWAYS_FREE {
        return Ok(());
    }
    let most = isize::MAX as u64;
    let available = graph_formats::free_memory().unwrap_or(most).min(most);
    match bytes <= available.into() {
        true => Ok(()),
        false => Err(Error::TooLarge { what: what(), bytes, available, advice }),
    }
}
