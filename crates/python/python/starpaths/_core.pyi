"""The types of the compiled part."""

from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, NoReturn, final, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "DeviceArray",
    "DeviceGraph",
    "DeviceMetric",
    "DeviceTree",
    "DynamicClosure",
    "DynamicPairs",
    "DynamicTrees",
    "Graph",
    "Metric",
    "Pairs",
    "PartitionedGraph",
    "Prepared",
    "Solver",
    "Totals",
    "Tree",
    "_is_forked",
    "_restored_graph",
    "_restored_tree",
    "_within",
]

_Backend = Literal["cpu", "cuda"]
_Vertex = int | Hashable
_Vertices = ArrayLike | Iterable[Hashable]
_Distances = NDArray[Any] | np.ma.MaskedArray[Any, Any]

def _is_forked() -> bool: ...
def _restored_graph(
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    is_undirected: bool,
    names: tuple[str, Any, list[Any] | None],
) -> Graph: ...
def _restored_tree(source: int, distances: _Distances, predecessors: NDArray[np.int32]) -> Tree: ...
def _within(
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    sources: ArrayLike,
    limit: float,
    has_trees: bool,
) -> tuple[NDArray[np.float64], NDArray[np.int32] | None] | None: ...

@final
class Tree:
    """Shortest paths from one vertex, as :meth:`Graph.sssp` finds them."""

    @property
    def source(self) -> int:
        """The vertex where the paths start."""
    @property
    def distances(self) -> _Distances:
        """How far each vertex is."""
    @property
    def predecessors(self) -> NDArray[np.int32]:
        """The vertex before each vertex on its path; -1 for none."""
    def path_to(self, vertex: int) -> list[int] | None:
        """The vertices of the shortest path to a vertex."""
    def __copy__(self) -> Tree: ...
    def __deepcopy__(self, _memo: Any) -> Tree: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Totals:
    """Distances between every vertex and all others, added up, as :meth:`Graph.totals` finds
    them."""

    @property
    def radius(self) -> int | float | None:
        """The least eccentricity."""
    @property
    def diameter(self) -> int | float | None:
        """The greatest eccentricity."""
    @property
    def mean_distance(self) -> float | None:
        """The mean of the distances."""
    @property
    def wiener_index(self) -> int | float | None:
        """The sum of all distances."""
    @property
    def is_connected(self) -> bool:
        """Whether there is a path from each vertex to each."""
    def closeness(self, wf_improved: bool = True) -> NDArray[np.float64]:
        """Closeness of each vertex: the reciprocal of its mean distance; zero where it has no
        path."""
    def harmonic(self) -> NDArray[np.float64]:
        """Harmonic closeness of each vertex: the sum of the reciprocals of its distances above
        zero."""
    def eccentricity(self) -> NDArray[Any]:
        """The greatest distance of each vertex; pairs without a path do not count."""
    def reached(self) -> NDArray[np.float64]:
        """The number of other vertices that each has a path to, or from; for a sample, an
        estimate."""
    def sums(self) -> NDArray[Any]:
        """The sum of the distances of each vertex, as :meth:`eccentricity` has them. Of a sample,
        of those that were found."""
    def center(self) -> list[int]:
        """The vertices whose eccentricity is the radius."""
    def periphery(self) -> list[int]:
        """The vertices whose eccentricity is the diameter."""

@final
class Pairs:
    """Distances and paths of all pairs of vertices, as :meth:`Graph.pairs` finds them."""

    @property
    def plan(self) -> str:
        """What found them, and why that."""
    def query(self, source: int, target: int) -> tuple[int | float, list[int]] | None:
        """The distance from a vertex to another, and a shortest path."""
    def row(self, source: int, *, dtype: DTypeLike | None = None) -> _Distances:
        """The distances from a vertex."""
    def next_hops(self, source: int) -> NDArray[np.int32]:
        """The vertex after one on a shortest path to each vertex; -1 where there is none."""

@final
class DeviceArray:
    """An array on a GPU, which other libraries take as it is."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers it has in each direction."""
    @property
    def dtype(self) -> str:
        """Their type, by numpy's name."""
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def get(self) -> NDArray[Any]:
        """A copy in an array of numpy."""

@final
class DeviceTree:
    """Shortest paths from one vertex, on a GPU, as :meth:`DeviceGraph.sssp` finds them."""

    @property
    def source(self) -> int:
        """The vertex where the paths start."""
    @property
    def distances(self) -> DeviceArray:
        """How far each vertex is."""
    @property
    def predecessors(self) -> DeviceArray | None:
        """The vertex before each vertex on its path; -1 for none."""
    @property
    def solve_ms(self) -> float:
        """How long the search for the distances took on the device, in milliseconds."""
    def path_to(self, vertex: int) -> list[int] | None:
        """The vertices of the shortest path to a vertex; all predecessors are copied for it."""

@final
class DeviceGraph:
    """A graph whose arrays are on a GPU, of CuPy, PyTorch or Numba, and whose distances stay
    there."""

    def __new__(cls, matrix: Any) -> DeviceGraph: ...
    @staticmethod
    def from_csr(indptr: Any, indices: Any, weights: Any = None) -> DeviceGraph:
        """The graph of compressed sparse rows on a GPU."""
    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
    @property
    def n_arcs(self) -> int:
        """How many arcs there are."""
    @property
    def times(self) -> dict[str, float]:
        """The times of making it, in milliseconds: of loading kernels, once in a process, and of
        preparing the graph."""
    def sssp(
        self,
        source: int,
        *,
        target: int | None = None,
        cutoff: float | None = None,
        dtype: DTypeLike | None = None,
        predecessors: bool = True,
    ) -> DeviceTree:
        """Shortest paths from one vertex."""
    def table(
        self,
        sources: ArrayLike,
        targets: ArrayLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> DeviceArray:
        """The distances from each of several vertices to each of several others."""

@final
class DeviceMetric:
    """Distances of a prepared network by some weights, found on a GPU: pairs by the million,
    tables, and aggregates of points."""

    def __new__(cls, metric: Metric) -> DeviceMetric: ...
    def customize(self, weights: ArrayLike) -> None:
        """Replaces all weights."""
    def distances(
        self, pairs: Any, targets: Any = None, *, dtype: DTypeLike | None = None
    ) -> DeviceArray:
        """The distances of pairs of vertices, which stay on the GPU."""
    def table(
        self,
        sources: _Vertices,
        targets: _Vertices | None = None,
        *,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> _Distances:
        """The distances from each of several vertices to each of several others, as a numpy
        array."""
    def aggregate(
        self,
        points: _Vertices,
        cutoff: float,
        values: ArrayLike | None = None,
        *,
        statistic: Literal["count", "sum", "mean", "minimum"] = "count",
        decay: Literal["flat", "linear", "exponential", "gravity"] = "flat",
        beta: float | None = None,
        categories: ArrayLike | None = None,
        side: Literal["out", "in"] = "out",
        progress: bool = False,
    ) -> NDArray[np.float64]:
        """An aggregate of the points within a cutoff of every vertex, as a numpy array."""

@final
class Solver:
    """Searches of one graph, one after the other, in the same work space; on a GPU the graph stays
    there."""

    def __new__(
        cls,
        graph: Graph,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        searches: int = 1,
    ) -> Solver: ...
    @property
    def plan(self) -> str:
        """The algorithm that it uses, and why."""
    def sssp(
        self,
        source: _Vertex,
        *,
        target: _Vertex | None = None,
        cutoff: float | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tree:
        """Shortest paths from one vertex, as :meth:`Graph.sssp`."""
    def table(
        self,
        sources: _Vertices,
        targets: _Vertices | None = None,
        *,
        dtype: DTypeLike | None = None,
    ) -> _Distances:
        """The distances from each of several vertices to each of several others, as
        :meth:`Graph.table`."""

@final
class DynamicClosure:
    """Which vertices reach which by a path of at least one arc, while a copy of the graph changes."""

    def __new__(cls, graph: Graph, *, progress: bool = False) -> DynamicClosure: ...
    def update(
        self, changes: Iterable[Sequence[Any]], *, progress: bool = False
    ) -> tuple[int, int]:
        """Makes changes of the graph, all or none, and the pairs those of the graph that is
        then."""
    def has_path(self, source: Hashable, target: Hashable) -> bool:
        """Whether a path of at least one arc leads from a vertex to another."""
    def reached_from(self, source: Hashable) -> NDArray[np.int32]:
        """The vertices that a vertex reaches, in ascending order."""
    def closure(self) -> NDArray[np.bool_]:
        """A copy of all pairs, a byte each."""

@final
class DynamicPairs:
    """Distances of all pairs of vertices, and paths, which follow changes of a copy of the graph."""

    def __new__(
        cls,
        graph: Graph,
        *,
        next_hops: bool = False,
        algorithm: str | None = None,
        threads: int | None = None,
        progress: bool = False,
    ) -> DynamicPairs: ...
    def update(
        self, changes: Iterable[Sequence[Any]], *, progress: bool = False
    ) -> str | None:
        """Makes changes of the graph, all or none, and the pairs those of the graph that is
        then."""
    def distances(self, *, dtype: DTypeLike | None = None) -> _Distances:
        """A copy of all distances."""
    def row(self, source: Hashable, *, dtype: DTypeLike | None = None) -> _Distances:
        """The distances from a vertex."""
    def query(
        self, source: Hashable, target: Hashable
    ) -> tuple[int | float, list[int]] | None:
        """The distance from a vertex to another, and a shortest path."""
    def next_hops(self, source: Hashable) -> NDArray[np.int32]:
        """The vertex after one on a shortest path to each vertex; -1 where there is none."""
    def graph(self) -> Graph:
        """A copy of the graph as it is now, with the names of the vertices."""

@final
class DynamicTrees:
    """Trees of shortest paths from some vertices, which follow changes of a copy of the graph."""

    def __new__(
        cls, graph: Graph, sources: _Vertices, *, threads: int | None = None
    ) -> DynamicTrees: ...
    def update(
        self, changes: Iterable[Sequence[Any]], *, progress: bool = False
    ) -> list[NDArray[np.int32]]:
        """Makes changes of the graph, all or none, and the trees those of the graph that is
        then."""
    def tree(self, position: int = 0, *, dtype: DTypeLike | None = None) -> Tree:
        """A copy of the tree of one source."""
    def graph(self) -> Graph:
        """A copy of the graph as it is now, with the names of the vertices."""

@final
class Graph:
    """A directed graph with weighted arcs, which does not change."""

    def __new__(cls, matrix: Any, *, directed: bool = True) -> Graph: ...
    def __copy__(self) -> Graph: ...
    def __deepcopy__(self, _memo: Any) -> Graph: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def from_arcs(
        sources: ArrayLike,
        targets: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        n_vertices: int | None = None,
        directed: bool = True,
        labels: Iterable[Hashable] | None = None,
    ) -> Graph:
        """The graph of a list of arcs, in any order."""
    @staticmethod
    def from_csr(
        indptr: ArrayLike,
        indices: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        directed: bool = True,
    ) -> Graph:
        """The graph of compressed sparse rows, as scipy's `csr_array` has them."""
    @overload
    @staticmethod
    def read(
        path: str | PathLike[str],
        *,
        partitioned: Literal[False] = False,
        communicator: None = None,
        backend: None = None,
        memory: None = None,
    ) -> Graph:
        """The graph of a file, in the format that its suffix names."""
    @overload
    @staticmethod
    def read(
        path: str | PathLike[str],
        *,
        partitioned: Literal[True],
        communicator: Any = None,
        backend: _Backend | None = None,
        memory: int | None = None,
    ) -> PartitionedGraph:
        """The graph of a file, in the format that its suffix names."""
    def to_scipy(self) -> Any:
        """The graph as a sparse array of scipy: parallel arcs stay entries of their own."""
    def with_weights(self, weights: ArrayLike) -> Graph:
        """The same arcs with other weights, and the same names."""
    def unweighted(self) -> Graph:
        """The same arcs without their weights: each counts 1."""
    def transposed(self) -> Graph:
        """The same graph with every arc reversed."""
    def name(self, vertex: int) -> Any:
        """What a vertex is called, by the file that the graph is of or by its labels."""
    def vertex(self, name: Hashable) -> int | None:
        """The vertex that is called so; None if there is none."""
    def vertices(self, names: Iterable[Hashable]) -> NDArray[np.int32]:
        """The vertices of several names."""
    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
    @property
    def n_arcs(self) -> int:
        """How many arcs there are; an edge counts twice."""
    @property
    def is_directed(self) -> bool:
        """Whether arcs are one-way, or not known to have their reverses."""
    @property
    def has_negative_weights(self) -> bool:
        """Whether a weight is below zero."""
    @property
    def dtype(self) -> str:
        """The type of the weights, by numpy's name."""
    def sssp(
        self,
        source: _Vertex,
        *,
        target: _Vertex | None = None,
        cutoff: float | None = None,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        gpus: int | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tree:
        """Shortest paths from one vertex."""
    def explain(
        self,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
    ) -> str:
        """The algorithm that `sssp` would use, and why."""
    def nearest(
        self,
        sources: _Vertices,
        *,
        threads: int | None = None,
        backend: _Backend | None = None,
        gpus: int | None = None,
        dtype: DTypeLike | None = None,
    ) -> tuple[_Distances, NDArray[np.int32]]:
        """The nearest of several sources for every vertex, and its distance."""
    def nearest_tree(
        self,
        sources: _Vertices,
        *,
        cutoff: float | None = None,
        threads: int | None = None,
        dtype: DTypeLike | None = None,
    ) -> tuple[_Distances, NDArray[np.int32], NDArray[np.int32]]:
        """A shortest path to every vertex from the nearest of several sources."""
    def aggregate(
        self,
        points: _Vertices,
        cutoff: float,
        values: ArrayLike | None = None,
        *,
        statistic: Literal["count", "sum", "mean", "minimum"] = "count",
        decay: Literal["flat", "linear", "exponential", "gravity"] = "flat",
        beta: float | None = None,
        categories: ArrayLike | None = None,
        side: Literal["out", "in"] = "out",
        threads: int | None = None,
        progress: bool = False,
    ) -> NDArray[np.float64]:
        """An aggregate of the points within a cutoff of every vertex: their number, or the sum,
        mean or minimum of their values."""
    def k_shortest_paths(
        self, source: _Vertex, target: _Vertex, k: int
    ) -> list[tuple[int | float, list[int]]]:
        """The k shortest simple paths between two vertices, which pass no vertex twice."""
    def within(
        self,
        sources: _Vertices,
        cutoff: float,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], _Distances, NDArray[np.int32]]:
        """The vertices within a distance of each of several vertices."""
    def table(
        self,
        sources: _Vertices,
        targets: _Vertices | None = None,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> _Distances:
        """The distances from each of several vertices to each of several others."""
    def distances(
        self,
        pairs: ArrayLike | Iterable[tuple[Hashable, Hashable]],
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> _Distances:
        """The distances of pairs of vertices."""
    def trees(
        self,
        sources: _Vertices | None = None,
        *,
        cutoff: float | None = None,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> tuple[_Distances, NDArray[np.int32]]:
        """Distances and predecessors from each of several vertices, or from all."""
    def all_pairs(
        self,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        out: NDArray[Any] | str | PathLike[str] | None = None,
        progress: bool = False,
    ) -> _Distances:
        """The distances of all pairs of vertices."""
    def pairs(
        self,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
    ) -> Pairs:
        """Distances and paths of all pairs, with a query for each pair."""
    def components(
        self,
        connection: Literal["weak", "strong"] = "weak",
        *,
        backend: _Backend | None = None,
        gpus: int | None = None,
    ) -> tuple[int, NDArray[np.int32]]:
        """The components of the graph."""
    def closure(
        self, *, backend: _Backend | None = None, progress: bool = False
    ) -> NDArray[np.bool_]:
        """The transitive closure: which vertices reach which by a path of at least one arc. A
        vertex reaches itself only along a cycle."""
    def minimum_arborescence(
        self, root: _Vertex
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]:
        """A minimum spanning arborescence: the arcs of least weight along which the root reaches
        every other vertex."""
    def minimum_spanning_forest(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]:
        """A minimum spanning forest of the graph, whose arcs count as edges."""
    def _spanning_forest(self) -> Graph: ...
    def totals(
        self,
        *,
        side: Literal["out", "in"] = "out",
        sample: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
    ) -> Totals:
        """Adds up the distances between every vertex and all others, a row at a time."""
    def diameter(self, *, threads: int | None = None) -> tuple[int | float, int, int] | None:
        """The greatest of all distances, found by a few searches."""
    def betweenness(
        self,
        *,
        normalized: bool = True,
        sample: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
        sources: _Vertices | None = None,
        endpoints: bool = False,
    ) -> NDArray[np.float64]:
        """Betweenness of each vertex: the sum, over pairs of others, of the share of their shortest
        paths that go through it."""
    def approximate_betweenness(
        self,
        error: float,
        *,
        failure: float = 0.1,
        seed: int = 0,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
    ) -> NDArray[np.float64]:
        """Betweenness of each vertex within an error, from random shortest paths."""
    def edge_betweenness(
        self,
        *,
        normalized: bool = True,
        sample: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
        sources: _Vertices | None = None,
    ) -> NDArray[np.float64]:
        """Betweenness of each arc: the sum, over pairs of vertices, of the share of their shortest
        paths that go along it."""

@final
class PartitionedGraph:
    """A graph of which each process that `mpirun` has started has a part, as :meth:`Graph.read`
    makes it."""

    def sssp(
        self,
        source: _Vertex,
        *,
        target: _Vertex | None = None,
        cutoff: float | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tree | None:
        """Shortest paths from one vertex."""
    def table(
        self, sources: _Vertices, targets: _Vertices | None = None, *, dtype: DTypeLike | None = None
    ) -> _Distances | None:
        """The distances from each of several vertices to each of several others: a search by all
        ranks for each source."""
    def nearest(
        self, sources: _Vertices, *, dtype: DTypeLike | None = None
    ) -> tuple[_Distances, NDArray[np.int32]] | None:
        """The nearest of several sources for every vertex, and its distance."""
    def components(self) -> tuple[int, NDArray[np.int32]] | None:
        """The weakly connected components of the graph: directions of arcs are ignored."""
    def name(self, vertex: int) -> Any:
        """What a vertex is called by the file that the graph is of; at rank 0."""
    def vertex(self, name: Hashable) -> int | None:
        """The vertex that is called so; None if there is none. At rank 0."""
    @property
    def n_vertices(self) -> int:
        """How many vertices there are, on all ranks together."""
    @property
    def n_arcs(self) -> int:
        """How many arcs there are, on all ranks together; an edge counts twice."""
    @property
    def is_directed(self) -> bool:
        """Whether arcs are one-way, or not known to have their reverses."""
    @property
    def dtype(self) -> str:
        """The type of the weights, by numpy's name."""

@final
class Prepared:
    """A road network that was prepared once, for many distances and paths in microseconds."""

    def __new__(
        cls, graph: Graph, coordinates: ArrayLike | str | PathLike[str] | None = None
    ) -> Prepared: ...
    def __copy__(self) -> Prepared: ...
    def __deepcopy__(self, _memo: Any) -> Prepared: ...
    def __reduce__(self) -> NoReturn: ...
    @staticmethod
    def load(path: str | PathLike[str], *, map: bool = False) -> Prepared:
        """The network of a file that :meth:`save` or ``starpath prepare`` wrote."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the network, its names and its hierarchy with its own weights to a file."""
    def customize(self, weights: ArrayLike | None = None) -> Metric:
        """Puts weights in."""
    @property
    def graph(self) -> Graph:
        """The network."""
    @property
    def hierarchy_arcs(self) -> int:
        """How many pairs of vertices an arc or a shortcut of the hierarchy joins."""
    @property
    def height(self) -> int:
        """How many vertices the longest upward path has."""

@final
class Metric:
    """Distances and paths of a prepared network by some weights, as :meth:`Prepared.customize`
    makes it."""

    def __copy__(self) -> Metric: ...
    def __deepcopy__(self, _memo: Any) -> Metric: ...
    def __reduce__(self) -> NoReturn: ...
    @property
    def prepared(self) -> Prepared:
        """The network, for other weights."""
    @property
    def graph(self) -> Graph:
        """The network with these weights, which later changes do not reach."""
    @property
    def has_labels(self) -> bool:
        """Whether there are labels."""
    @property
    def labels_nbytes(self) -> int:
        """How many bytes labels take, at most."""
    def customize(self, weights: ArrayLike) -> None:
        """Replaces all weights, in less time if few differ. Labels are dropped."""
    def update(self, arcs: ArrayLike, weights: ArrayLike) -> None:
        """Gives some arcs other weights; of two for one arc the last counts. Labels follow."""
    def change(self, changes: Iterable[Sequence[Any]]) -> None:
        """Makes changes of the graph, all or none: arcs are closed, opened or get other weights.
        Labels follow."""
    def distance(self, source: _Vertex, target: _Vertex) -> int | float | None:
        """The distance from a vertex to another."""
    def route(
        self, source: _Vertex, target: _Vertex
    ) -> tuple[int | float, list[int], list[int]] | None:
        """A shortest path from a vertex to another."""
    def k_shortest_paths(
        self, source: _Vertex, target: _Vertex, k: int
    ) -> list[tuple[int | float, list[int]]]:
        """The k shortest simple paths between two vertices, as :meth:`Graph.k_shortest_paths`."""
    def distances(
        self,
        pairs: ArrayLike | Iterable[Any],
        targets: _Vertices | None = None,
        *,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> _Distances:
        """The distances of pairs of vertices."""
    def sums_along(
        self,
        attributes: ArrayLike,
        pairs: ArrayLike | Iterable[Any],
        targets: _Vertices | None = None,
        *,
        progress: bool = False,
    ) -> NDArray[np.float64]:
        """The sums of attributes of the arcs along a shortest path of each pair of vertices."""
    def table(
        self,
        sources: _Vertices,
        targets: _Vertices | None = None,
        *,
        source_distances: ArrayLike | None = None,
        target_distances: ArrayLike | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> _Distances:
        """The distances from each of several vertices to each of several others."""
    def within(
        self,
        sources: _Vertices,
        cutoff: float,
        *,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], _Distances]:
        """The vertices within a distance of each of several vertices."""
    def nearest(
        self, sources: _Vertices, candidates: _Vertices, k: int = 1, *, progress: bool = False
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The nearest of some candidates for each of several vertices."""
    def totals(
        self,
        *,
        side: Literal["out", "in"] = "out",
        sample: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
    ) -> Totals:
        """Adds up the distances between every vertex and all others, as :meth:`Graph.totals`, by
        sweeps of the hierarchy."""
    def labels(self) -> None:
        """Makes labels, with which `distance` and `distances` take a fraction of a microsecond."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the network and its hierarchy with these weights, as :meth:`Prepared.save`."""
