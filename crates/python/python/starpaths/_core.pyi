"""The types of the compiled part."""

from collections.abc import Hashable, Iterable
from os import PathLike
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "DeviceArray",
    "DeviceGraph",
    "DeviceTree",
    "Graph",
    "Pairs",
    "Solver",
    "Totals",
    "Tree",
    "_is_forked",
    "_within",
]

_Backend = Literal["cpu", "cuda"]
_Distances = NDArray[Any] | np.ma.MaskedArray[Any, Any]

def _is_forked() -> bool: ...
def _within(
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    sources: ArrayLike,
    limit: float,
    has_trees: bool,
) -> tuple[NDArray[np.float64], NDArray[np.int32] | None] | None: ...

@final
class Tree:
    @property
    def source(self) -> int: ...
    @property
    def distances(self) -> _Distances: ...
    @property
    def predecessors(self) -> NDArray[np.int32]: ...
    def path_to(self, vertex: int) -> list[int] | None: ...

@final
class Totals:
    @property
    def radius(self) -> int | float | None: ...
    @property
    def diameter(self) -> int | float | None: ...
    @property
    def mean_distance(self) -> float | None: ...
    @property
    def wiener_index(self) -> int | float | None: ...
    @property
    def is_connected(self) -> bool: ...
    def closeness(self, wf_improved: bool = True) -> NDArray[np.float64]: ...
    def harmonic(self) -> NDArray[np.float64]: ...
    def eccentricity(self) -> NDArray[Any]: ...
    def reached(self) -> NDArray[np.float64]: ...
    def sums(self) -> NDArray[Any]: ...
    def center(self) -> list[int]: ...
    def periphery(self) -> list[int]: ...

@final
class Pairs:
    @property
    def plan(self) -> str: ...
    def query(self, source: int, target: int) -> tuple[int | float, list[int]] | None: ...
    def row(self, source: int, *, dtype: DTypeLike | None = None) -> _Distances: ...
    def next_hops(self, source: int) -> NDArray[np.int32]: ...

@final
class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
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
    def get(self) -> NDArray[Any]: ...

@final
class DeviceTree:
    @property
    def source(self) -> int: ...
    @property
    def distances(self) -> DeviceArray: ...
    @property
    def predecessors(self) -> DeviceArray | None: ...
    @property
    def solve_ms(self) -> float: ...
    def path_to(self, vertex: int) -> list[int] | None: ...

@final
class DeviceGraph:
    def __new__(cls, matrix: Any) -> DeviceGraph: ...
    @staticmethod
    def from_csr(indptr: Any, indices: Any, weights: Any) -> DeviceGraph: ...
    @property
    def n_vertices(self) -> int: ...
    @property
    def n_arcs(self) -> int: ...
    @property
    def times(self) -> dict[str, float]: ...
    def sssp(
        self,
        source: int,
        *,
        target: int | None = None,
        cutoff: float | None = None,
        dtype: DTypeLike | None = None,
        predecessors: bool = True,
    ) -> DeviceTree: ...
    def table(
        self,
        sources: ArrayLike,
        targets: ArrayLike | None = None,
        *,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> DeviceArray: ...

@final
class Solver:
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
    def plan(self) -> str: ...
    def sssp(
        self,
        source: int,
        *,
        target: int | None = None,
        cutoff: float | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tree: ...
    def table(
        self, sources: ArrayLike, targets: ArrayLike | None = None, *, dtype: DTypeLike | None = None
    ) -> _Distances: ...

@final
class Graph:
    def __new__(cls, matrix: Any, *, directed: bool = True) -> Graph: ...
    @staticmethod
    def from_arcs(
        sources: ArrayLike,
        targets: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        n_vertices: int | None = None,
        directed: bool = True,
        labels: Iterable[Hashable] | None = None,
    ) -> Graph: ...
    @staticmethod
    def from_csr(
        indptr: ArrayLike,
        indices: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        directed: bool = True,
    ) -> Graph: ...
    @staticmethod
    def read(path: str | PathLike[str]) -> Graph: ...
    def to_scipy(self) -> Any: ...
    def unweighted(self) -> Graph: ...
    def transposed(self) -> Graph: ...
    def name(self, vertex: int) -> Any: ...
    def vertex(self, name: Hashable) -> int | None: ...
    @property
    def n_vertices(self) -> int: ...
    @property
    def n_arcs(self) -> int: ...
    @property
    def is_directed(self) -> bool: ...
    @property
    def has_negative_weights(self) -> bool: ...
    @property
    def dtype(self) -> str: ...
    def sssp(
        self,
        source: int,
        *,
        target: int | None = None,
        cutoff: float | None = None,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tree: ...
    def explain(
        self,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
    ) -> str: ...
    def nearest(
        self, sources: ArrayLike, *, threads: int | None = None, dtype: DTypeLike | None = None
    ) -> tuple[_Distances, NDArray[np.int32]]: ...
    def nearest_tree(
        self,
        sources: ArrayLike,
        *,
        cutoff: float | None = None,
        threads: int | None = None,
        dtype: DTypeLike | None = None,
    ) -> tuple[_Distances, NDArray[np.int32], NDArray[np.int32]]: ...
    def k_shortest_paths(
        self, source: int, target: int, k: int
    ) -> list[tuple[int | float, list[int]]]: ...
    def table(
        self,
        sources: ArrayLike,
        targets: ArrayLike | None = None,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> _Distances: ...
    def trees(
        self,
        sources: ArrayLike | None = None,
        *,
        cutoff: float | None = None,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        progress: bool = False,
    ) -> tuple[_Distances, NDArray[np.int32]]: ...
    def all_pairs(
        self,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        dtype: DTypeLike | None = None,
        out: NDArray[Any] | str | PathLike[str] | None = None,
        progress: bool = False,
    ) -> _Distances: ...
    def pairs(
        self,
        *,
        algorithm: str | None = None,
        threads: int | None = None,
        backend: _Backend | None = None,
        progress: bool = False,
    ) -> Pairs: ...
    def components(
        self, connection: Literal["weak", "strong"] = "weak"
    ) -> tuple[int, NDArray[np.int32]]: ...
    def closure(
        self, *, backend: _Backend | None = None, progress: bool = False
    ) -> NDArray[np.bool_]: ...
    def minimum_arborescence(
        self, root: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]: ...
    def minimum_spanning_forest(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]: ...
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
    ) -> Totals: ...
    def diameter(self, *, threads: int | None = None) -> tuple[int | float, int, int] | None: ...
    def betweenness(
        self,
        *,
        normalized: bool = True,
        sample: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        progress: bool = False,
    ) -> NDArray[np.float64]: ...
