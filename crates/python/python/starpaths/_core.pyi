"""The types of the compiled part."""

from os import PathLike
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_Search = Literal[
    "dijkstra",
    "breadth-first",
    "delta-stepping",
    "bellman-ford",
    "bellman-ford-queue",
    "bellman-ford-slf",
    "bellman-ford-lll",
    "bellman-ford-slf-lll",
]
_AllPairs = Literal["auto", "floyd-warshall", "blocked", "recursive", "johnson"]
_Distances = NDArray[Any] | np.ma.MaskedArray[Any, Any]

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
    ) -> Graph: ...
    @staticmethod
    def from_csr(
        indptr: ArrayLike, indices: ArrayLike, weights: ArrayLike | None = None
    ) -> Graph: ...
    @staticmethod
    def read(path: str | PathLike[str]) -> Graph: ...
    def to_scipy(self) -> Any: ...
    def unweighted(self) -> Graph: ...
    def transposed(self) -> Graph: ...
    def name(self, vertex: int) -> int | str: ...
    def vertex(self, name: int | str) -> int | None: ...
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
        algorithm: _Search | None = None,
        threads: int | None = None,
        dtype: DTypeLike = None,
    ) -> Tree: ...
    def nearest(
        self, sources: ArrayLike, *, threads: int | None = None, dtype: DTypeLike = None
    ) -> tuple[_Distances, NDArray[np.int32]]: ...
    def k_shortest_paths(
        self, source: int, target: int, k: int
    ) -> list[tuple[int | float, list[int]]]: ...
    def table(
        self,
        sources: ArrayLike,
        targets: ArrayLike | None = None,
        *,
        algorithm: _Search | None = None,
        threads: int | None = None,
        dtype: DTypeLike = None,
    ) -> _Distances: ...
    def trees(
        self,
        sources: ArrayLike | None = None,
        *,
        cutoff: float | None = None,
        algorithm: _Search | None = None,
        threads: int | None = None,
        dtype: DTypeLike = None,
    ) -> tuple[_Distances, NDArray[np.int32]]: ...
    def all_pairs(
        self,
        *,
        algorithm: _AllPairs | None = None,
        threads: int | None = None,
        dtype: DTypeLike = None,
    ) -> _Distances: ...
    def components(
        self, connection: Literal["weak", "strong"] = "weak"
    ) -> tuple[int, NDArray[np.int32]]: ...
    def closure(self) -> NDArray[np.bool_]: ...
    def minimum_spanning_forest(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]: ...
