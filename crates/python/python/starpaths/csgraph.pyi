"""The types of `csgraph`.

A function with `return_predecessors` has two signatures whose results are known, and a last one for
the rest: an argument that is True or False by a variable or by its position, or another `dtype`.
"""

from os import PathLike
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

import starpaths

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "connected_components",
    "construct_dist_matrix",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "minimum_spanning_tree",
    "reconstruct_path",
    "shortest_path",
    "yen",
]

# scipy's own types are not named, for it has none without another package
class _Sparse(Protocol):
    def tocsr(self) -> Any: ...

_Graph = ArrayLike | _Sparse
_Method = Literal["auto", "FW", "D", "BF", "J"]
_Backend = Literal["cpu", "cuda"]
_Out = NDArray[Any] | str | PathLike[str]
_Distances = NDArray[np.float64]
_Vertices = NDArray[np.int32]

# at run time also a scipy.sparse.csgraph.NegativeCycleError
class NegativeCycleError(starpaths.NegativeCycleError): ...

@overload
def shortest_path(
    csgraph: _Graph,
    method: _Method = "auto",
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
    *,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> _Distances: ...
@overload
def shortest_path(
    csgraph: _Graph,
    method: _Method = "auto",
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> tuple[_Distances, _Vertices]: ...
@overload
def shortest_path(
    csgraph: _Graph,
    method: _Method = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
    *,
    targets: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> Any: ...
@overload
def floyd_warshall(
    csgraph: _Graph,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> _Distances: ...
@overload
def floyd_warshall(
    csgraph: _Graph,
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> tuple[_Distances, _Vertices]: ...
@overload
def floyd_warshall(
    csgraph: _Graph,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> Any: ...
@overload
def bellman_ford(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> _Distances: ...
@overload
def bellman_ford(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> tuple[_Distances, _Vertices]: ...
@overload
def bellman_ford(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> Any: ...
@overload
def johnson(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> _Distances: ...
@overload
def johnson(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> tuple[_Distances, _Vertices]: ...
@overload
def johnson(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> Any: ...
@overload
def dijkstra(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    limit: float = ...,
    min_only: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> _Distances: ...
@overload
def dijkstra(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = ...,
    min_only: Literal[False] = False,
    targets: ArrayLike | None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> tuple[_Distances, _Vertices]: ...
@overload
def dijkstra(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = ...,
    min_only: Literal[True],
    targets: None = None,
    dtype: None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> tuple[_Distances, _Vertices, _Vertices]: ...
@overload
def dijkstra(
    csgraph: _Graph,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = ...,
    min_only: bool = False,
    *,
    targets: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    backend: _Backend | None = None,
    out: _Out | None = None,
) -> Any: ...
@overload
def yen(
    csgraph: _Graph,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> _Distances: ...
@overload
def yen(
    csgraph: _Graph,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
    unweighted: bool = False,
) -> tuple[_Distances, _Vertices]: ...
@overload
def yen(
    csgraph: _Graph,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any: ...
@overload
def connected_components(
    csgraph: _Graph,
    directed: bool = True,
    connection: str = "weak",
    return_labels: Literal[True] = True,
) -> tuple[int, _Vertices]: ...
@overload
def connected_components(
    csgraph: _Graph,
    directed: bool = True,
    connection: str = "weak",
    *,
    return_labels: Literal[False],
) -> int: ...
@overload
def connected_components(
    csgraph: _Graph, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any: ...

# of scipy's classes csr_array and csr_matrix the one that fits the argument
def minimum_spanning_tree(csgraph: _Graph, overwrite: bool = False) -> Any: ...
def reconstruct_path(
    csgraph: _Graph, predecessors: ArrayLike, directed: bool = True
) -> Any: ...
def construct_dist_matrix(
    graph: _Graph, predecessors: ArrayLike, directed: bool = True, null_value: float = ...
) -> _Distances: ...
