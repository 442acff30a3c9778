//! The class `PartitionedGraph`: a graph whose parts are on ranks.
//!
//! Arguments are those of rank 0, which has the names of the vertices; it tells them to the others.

use std::path::Path;

use bytemuck::allocation;
use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::{Direction, Ids, ReadOptions, SpgRows, VertexId};
use numpy::{IntoPyArray, PyArray1};
use partitioned::{Deal, NEAREST_BYTES, Need, Part, SEARCH_BYTES};
use pyo3::prelude::*;
use sssp::Progress;

use crate::arrays;
use crate::error::Error;
use crate::graph::{dtype_of, vertex_of};
use crate::how::{is_cuda, opened};
use crate::names::Names;
use crate::numbers::{Dtype, Numbers, shaped};
use crate::ranks::{PythonRanks, agree};
use crate::searches::{goal, parts_of};
use crate::tables::ensure_fits;
use crate::tree::Tree;

/// A graph of which each process that `mpirun` has started has a part, as :meth:`Graph.read` makes it.
///
/// All ranks call the same methods in the same order, and search together. Arguments are those of
/// rank 0. It gets the results, which are those of a `Graph`; the other ranks get None. An error on
/// one rank is raised on all.
///
/// Examples
/// --------
/// In a script that `mpirun -n 2 python -m mpi4py` runs:
///
/// >>> import starpaths
/// >>> graph = starpaths.Graph.read("web.spg", partitioned=True)
/// >>> tree = graph.sssp(0)
/// >>> if tree is not None:
/// ...     print(tree.distances)
/// [0. 5. 7.]
#[pyclass(frozen, weakref, module = "starpaths")]
pub(crate) struct PartitionedGraph {
    ranks: PythonRanks,
    part: Part,
    /// On rank 0 those of the file.
    names: Names,
}

/// Distances, and the sources where paths start.
type Nearest<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<i32>>);

/// What rank 0 asks of all.
struct Asked {
    sources: Vec<VertexId>,
    targets: Vec<VertexId>,
    cutoff: Option<f64>,
    /// On rank 0.
    dtype: Dtype,
}

impl Asked {
    /// The same on all ranks.
    fn share(ranks: &dyn Communicator, own: PyResult<Self>) -> Result<Self, Error> {
        let Self { sources, targets, cutoff, dtype } = agree(ranks, own.map_err(Error::from))?;
        Ok(Self {
            sources: ranks.broadcast_vec(0, sources)?,
            targets: ranks.broadcast_vec(0, targets)?,
            cutoff: ranks.broadcast_vec(0, cutoff.into_iter().collect())?.pop(),
            dtype,
        })
    }
}

/// A rank's part of the graph in a file, and at rank 0 the names of all vertices.
fn read(
    ranks: &dyn Communicator,
    path: &Path,
    memory: Option<u64>,
    progress: Progress<'_>,
) -> Result<(Part, Ids), Error> {
    if path.extension().is_some_and(|suffix| suffix == "spg") {
        let need = agree(ranks, need(ranks, path))?;
        need.ensure_within(ranks, &need.greatest(ranks)?, memory)?;
        let ids = ranks.is_root().then(|| SpgRows::open(path)?.ids().map_err(Error::from));
        let ids = agree(ranks, ids.transpose())?;
        return Ok((Part::read(ranks, path, false)?, ids.unwrap_or(Ids::FromZero)));
    }
    let unbounded = memory.map_or(Ok(()), |_| {
        let message = "memory is for .spg files on CPUs, because others are read whole by rank 0";
        Err(Error::argument(message))
    });
    agree(ranks, unbounded)?;
    let options = ReadOptions::default();
    let loaded = ranks.is_root().then(|| graph_formats::read_with(path, &options, progress));
    let loaded = agree(ranks, loaded.transpose().map_err(Error::from))?;
    let part = Part::of_graph(ranks, loaded.as_ref().map(|loaded| &loaded.csr))?;
    Ok((part, loaded.map_or(Ids::FromZero, |loaded| loaded.ids)))
}

/// What this rank needs for its part of the file, and the searches that need most.
fn need(ranks: &dyn Communicator, path: &Path) -> Result<Need, Error> {
    let file = SpgRows::open(path)?;
    let deal = Deal::new(file.n_vertices(), ranks.size());
    let per_vertex = SEARCH_BYTES.max(NEAREST_BYTES);
    Ok(Need::of_file(&file, &deal, ranks.rank(), false, per_vertex)?)
}

/// The GPU of the rank with this number on its host; ranks take them in turn.
fn gpu_of(rank_on_host: usize) -> Result<Gpu, Error> {
    opened(rank_on_host as u32 % Gpu::count()?.max(1))
}

/// How many components there are, and the component of each vertex, from the first vertex of each.
pub(crate) fn numbered(first_vertices: &[VertexId]) -> (usize, Vec<i32>) {
    let (mut n, mut labels) = (0, Vec::with_capacity(first_vertices.len()));
    for &first in first_vertices {
        let label = labels.get(first as usize).copied();
        labels.push(label.unwrap_or(n));
        n += i32::from(label.is_none());
    }
    (n as usize, labels)
}

impl PartitionedGraph {
    /// Called by all ranks of the communicator, or of mpi4py's world.
    pub(crate) fn read(
        py: Python<'_>,
        path: &Path,
        communicator: Option<&Bound<'_, PyAny>>,
        backend: Option<&str>,
        memory: Option<u64>,
    ) -> PyResult<Self> {
        let is_cuda = is_cuda(backend)?;
        let ranks = match communicator {
            Some(communicator) => PythonRanks::new(communicator)?,
            None => PythonRanks::new(&py.import("mpi4py.MPI")?.getattr("COMM_WORLD")?)?,
        };
        let (part, ids) = ranks.run(py, |ranks, progress| {
            let (mut part, ids) = read(ranks, path, memory.filter(|_| !is_cuda), progress)?;
            arrays::ensure_numbers(part.deal().n_vertices())?;
            if is_cuda {
                let mut gpu = agree(ranks, gpu_of(ranks.rank_on_host()?))?;
                if let Some(memory) = memory {
                    gpu = gpu.with_memory_cap(memory);
                }
                part.move_to_gpu(ranks, &gpu)?;
            }
            Ok((part, ids))
        })?;
        Ok(Self { ranks, part, names: Names::of_file(ids) })
    }

    /// Does the work that rank 0 asks for.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        own: impl FnOnce() -> PyResult<Asked>,
        work: impl FnOnce(&dyn Communicator, &Asked, Progress<'_>) -> Result<Option<T>, Error> + Send,
    ) -> PyResult<Option<T>> {
        let nothing = || Asked {
            sources: Vec::new(),
            targets: Vec::new(),
            cutoff: None,
            dtype: Dtype::Float64,
        };
        let own = if self.ranks.rank() == 0 { own() } else { Ok(nothing()) };
        self.ranks.run(py, |ranks, progress| work(ranks, &Asked::share(ranks, own)?, progress))
    }

    fn ensure_root(&self) -> Result<(), Error> {
        match self.ranks.rank() {
            0 => Ok(()),
            rank => Err(Error::argument(format!("this is rank {rank}; rank 0 has the names"))),
        }
    }
}

#[pymethods]
impl PartitionedGraph {
    /// Shortest paths from one vertex.
    ///
    /// Parameters
    /// ----------
    /// source : int, or a name of the graph
    ///     Where paths start.
    /// target : int, or a name of the graph, optional
    ///     Stop here: vertices that are farther are left unreached.
    /// cutoff : float, optional
    ///     Leave vertices unreached that are farther than this. Not together with `target`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// Tree, or None
    ///     At rank 0 the distances, predecessors and paths of all vertices.
    #[pyo3(signature = (source, *, target=None, cutoff=None, dtype=None))]
    fn sssp(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        cutoff: Option<f64>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Tree>> {
        let n = self.n_vertices();
        let own = || {
            let sources = vec![self.names.vertex_of(n, "source", source)?];
            let target = target.map(|target| self.names.vertex_of(n, "target", target));
            let target = target.transpose()?;
            goal(target, cutoff)?;
            let targets = target.into_iter().collect();
            Ok(Asked { sources, targets, cutoff, dtype: Dtype::of(py, dtype)? })
        };
        let found = self.run(py, own, |ranks, asked, progress| {
            let goal = goal(asked.targets.first().copied(), asked.cutoff)?;
            let source = asked.sources[0];
            let found = partitioned::tree(ranks, &self.part, source, goal, Some(progress))?;
            let tree = found.tree.map(|tree| parts_of(tree, asked.dtype)).transpose()?;
            Ok(tree.map(|(distances, predecessors)| (source, distances, predecessors)))
        })?;
        let tree =
            |(source, distances, predecessors)| Tree::new(py, source, distances, predecessors);
        found.map(tree).transpose()
    }

    /// The distances from each of several vertices to each of several others: a search by all ranks
    /// for each source.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     The rows.
    /// targets : array_like of int, or of names of the graph, shape (t,), optional
    ///     The columns; all vertices by default.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (k, t), or None
    ///     At rank 0; infinity where there is no path.
    #[pyo3(signature = (sources, targets=None, *, dtype=None))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let n = self.n_vertices();
        let own = || {
            let dtype = Dtype::of(py, dtype)?;
            let sources = self.names.vertices_of(n, "source", sources)?;
            let targets = self.names.vertices_or_all(n, "target", targets)?;
            let size = self.part.kind().distance().size();
            ensure_fits(sources.len(), targets.len(), size + dtype.besides(size))?;
            Ok(Asked { sources, targets, cutoff: None, dtype })
        };
        let found = self.run(py, own, |ranks, asked, progress| {
            let Asked { sources, targets, .. } = asked;
            let found =
                partitioned::table(ranks, &self.part, sources, targets, None, Some(progress))?;
            let shape = [sources.len(), targets.len()];
            let numbers = |table: paths::AnyTable| Numbers::of(table.distances, asked.dtype);
            Ok(found.tree.map(numbers).transpose()?.map(|numbers| (numbers, shape)))
        })?;
        found.map(|(numbers, shape)| numbers.into_array(py, &shape)).transpose()
    }

    /// The nearest of several sources for every vertex, and its distance.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     The sources.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// (distances, sources), or None
    ///     At rank 0, as :meth:`Graph.nearest` returns them.
    #[pyo3(signature = (sources, *, dtype=None))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Nearest<'py>>> {
        let n = self.n_vertices();
        let own = || {
            let sources = self.names.vertices_of(n, "source", sources)?;
            let dtype = Dtype::of(py, dtype)?;
            Ok(Asked { sources, targets: Vec::new(), cutoff: None, dtype })
        };
        let found = self.run(py, own, |ranks, asked, progress| {
            let (part, sources) = (&self.part, &asked.sources);
            let found = partitioned::nearest(ranks, part, sources, None, Some(progress))?;
            let Some(nearest) = found.tree else { return Ok(None) };
            // the code for none becomes -1
            let owners = allocation::cast_vec::<_, i32>(nearest.owners_as_storage().to_vec());
            Ok(Some((Numbers::of(nearest.distances, asked.dtype)?, owners)))
        })?;
        let arrays = |(distances, owners): (Numbers, Vec<i32>)| {
            Ok((distances.into_array(py, &[n])?, owners.into_pyarray(py)))
        };
        found.map(arrays).transpose()
    }

    /// The weakly connected components of the graph: directions of arcs are ignored.
    ///
    /// Returns
    /// -------
    /// (n_components, labels), or None
    ///     At rank 0, as :meth:`Graph.components` returns them.
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Option<(usize, Bound<'py, PyAny>)>> {
        let found = self.ranks.run(py, |ranks, _| {
            let own = partitioned::components(ranks, &self.part)?;
            Ok(self.part.gather(ranks, &own)?.map(|first| numbered(&first)))
        })?;
        found.map(|(n, labels)| Ok((n, shaped(py, labels, &[self.n_vertices()])?))).transpose()
    }

    /// What a vertex is called by the file that the graph is of; at rank 0.
    fn name<'py>(&self, py: Python<'py>, vertex: i64) -> PyResult<Bound<'py, PyAny>> {
        self.ensure_root()?;
        self.names.name(py, vertex_of(self.n_vertices(), "vertex", vertex)?)
    }

    /// The vertex that is called so; None if there is none. At rank 0.
    fn vertex(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<VertexId>> {
        self.ensure_root()?;
        self.names.vertex(name, self.n_vertices())
    }

    /// How many vertices there are, on all ranks together.
    #[getter]
    fn n_vertices(&self) -> usize {
        self.part.deal().n_vertices()
    }

    /// How many arcs there are, on all ranks together; an edge counts twice.
    #[getter]
    fn n_arcs(&self) -> u64 {
        self.part.n_arcs()
    }

    /// Whether arcs are one-way, or not known to have their reverses.
    #[getter]
    fn is_directed(&self) -> bool {
        self.part.direction() == Direction::Directed
    }

    /// The type of the weights, by numpy's name.
    #[getter]
    fn dtype(&self) -> &'static str {
        dtype_of(self.part.kind())
    }

    fn __repr__(&self) -> String {
        let (n, m, size) = (self.n_vertices(), self.n_arcs(), self.ranks.size());
        format!("<starpaths.PartitionedGraph of {n} vertices and {m} arcs on {size} ranks>")
    }
}
