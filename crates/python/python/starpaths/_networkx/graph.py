"""Graphs of NetworkX as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from starpaths import Graph, StarpathsError

# Below this, float64 has all whole numbers.
_MAX_EXACT = 2**53


def device() -> Any:
    """Where to compute, by NetworkX's configuration of the backend."""
    return nx.config.backends.starpaths.backend


class BackendGraph:
    """A graph of NetworkX with its nodes numbered, as it was when it was converted."""

    __networkx_backend__ = "starpaths"

    def __init__(self, original: Any) -> None:
        self.original = original
        self._arcs: dict[Hashable, Arcs] = {}

    def __getstate__(self) -> dict[str, Any]:
        # a graph is pickled, and copied, with what it keeps of conversions
        return {"original": self.original, "_arcs": {}}

    @cached_property
    def nodes(self) -> NDArray[np.object_]:
        # not by np.array, which takes nodes that are sequences for rows of a matrix
        return np.fromiter(self.original, dtype=object, count=len(self.original))

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return dict(zip(self.original, range(len(self.original))))

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._numbers)

    def __contains__(self, node: Any) -> bool:
        return self.find(node) is not None

    def is_directed(self) -> bool:
        return self.original.is_directed()

    def is_multigraph(self) -> bool:
        return self.original.is_multigraph()

    def find(self, node: Any) -> int | None:
        """The number of a node, if it is in the graph."""
        try:
            return self._numbers.get(node)
        except TypeError:  # not hashable
            return None

    def number(self, node: Any, message: str) -> int:
        """The number of a node; an error if the graph does not have it."""
        number = self.find(node)
        if number is None:
            raise nx.NodeNotFound(message)
        return number

    def numbers(self, nodes: Any) -> NDArray[np.int32]:
        """The numbers of those nodes that are in the graph."""
        found = self.original.nbunch_iter(nodes)
        return np.fromiter(map(self._numbers.__getitem__, found), dtype=np.int32)

    def arcs(self, weight: Hashable) -> Arcs:
        """The arcs weighted by an attribute, 1 where an edge lacks it; unweighted for None."""
        if weight not in self._arcs:
            self._arcs[weight] = Arcs(self, None if weight is None else self._weights(weight))
        return self._arcs[weight]

    def non_negative_arcs(self, weight: Hashable) -> Arcs:
        """The same, if no weight is negative; for Dijkstra's algorithm.

        With negative weights NetworkX may find a contradiction, or not: it has to do so itself.
        """
        arcs = self.arcs(weight)
        if arcs.has_negative_weights:
            raise NotImplementedError("Dijkstra's algorithm needs weights of at least zero")
        return arcs

    @cached_property
    def _rows(self) -> list[Any]:
        adjacency = self.original._adj
        return [adjacency[node] for node in self.original]

    @cached_property
    def ends(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sources and targets of arcs; parallel ones count once."""
        # views can say that they have more than they give
        neighbors = [list(row) for row in self._rows]
        n_targets = np.fromiter(map(len, neighbors), dtype=np.int64, count=len(neighbors))
        targets = np.fromiter(
            map(self._numbers.__getitem__, chain.from_iterable(neighbors)),
            dtype=np.int32,
            count=int(n_targets.sum()),
        )
        return np.repeat(np.arange(len(self), dtype=np.int32), n_targets), targets

    def _weights(self, weight: Hashable) -> NDArray[Any]:
        rows = self._rows
        if self.is_multigraph():
            bundles = [list(keys.values()) for row in rows for keys in row.values()]
            weights = _as_numbers([data.get(weight, 1) for bundle in bundles for data in bundle])
            if len(weights):
                n_parallel = np.fromiter(map(len, bundles), dtype=np.int64, count=len(bundles))
                weights = np.minimum.reduceat(weights, np.cumsum(n_parallel) - n_parallel)
        else:
            weights = _as_numbers([data.get(weight, 1) for row in rows for data in row.values()])
        if weights.dtype.kind == "i" and _greatest(weights) * len(self) >= _MAX_EXACT:
            raise NotImplementedError("integer weights whose sums float64 cannot hold exactly")
        return weights


def _as_numbers(values: list[Any]) -> NDArray[Any]:
    """Weights as integers of 64 bits where all are integers, and else as floats."""
    try:
        weights = np.array(values) if values else np.zeros(0, dtype=np.int64)
    except ValueError:  # lists of different lengths
        weights = np.array(None)
    is_number = weights.dtype.kind in "bif" and weights.dtype.itemsize <= 8
    if weights.ndim != 1 or not is_number:
        raise NotImplementedError("weights other than integers and floats of at most 64 bits")
    if weights.dtype.kind != "f":
        return weights.astype(np.int64, copy=False)
    # numpy makes floats of integers that are too large
    if _greatest(weights) >= _MAX_EXACT and any(isinstance(value, int) for value in values):
        raise NotImplementedError("integer weights that float64 cannot hold exactly")
    return weights.astype(np.float64, copy=False)


def _greatest(weights: NDArray[Any]) -> int | float:
    """The greatest absolute value."""
    return max(weights.max().item(), -weights.min().item()) if len(weights) else 0


class Arcs:
    """The arcs of a graph with the weights of one attribute."""

    def __init__(self, graph: BackendGraph, weights: NDArray[Any] | None) -> None:
        self.sources, self.targets = graph.ends
        self.n_vertices = len(graph)
        self.is_whole = weights is None or weights.dtype.kind == "i"
        self.weights = np.ones(len(self.sources), dtype=np.int64) if weights is None else weights
        self.has_negative_weights = bool((self.weights < 0).any())
        # of an undirected graph both arcs of an edge are there
        self.is_listed = is_listed = (
            slice(None) if graph.is_directed() else self.sources <= self.targets
        )
        try:
            self.graph = Graph.from_arcs(
                self.sources[is_listed],
                self.targets[is_listed],
                self.weights[is_listed],
                n_vertices=self.n_vertices,
                directed=graph.is_directed(),
            )
        except StarpathsError as error:
            raise NotImplementedError(str(error)) from error
        if weights is None:
            self.graph = self.graph.unweighted()

    @cached_property
    def has_negative_loop(self) -> bool:
        return bool((self.weights[self.sources == self.targets] < 0).any())

    def with_super_source(self, vertices: NDArray[np.int32]) -> Graph:
        """The graph with one more vertex, from which arcs of weight zero lead to some."""
        n = self.n_vertices
        return Graph.from_arcs(
            np.concatenate((self.sources, np.full(len(vertices), n, dtype=np.int32))),
            np.concatenate((self.targets, vertices)),
            np.concatenate((self.weights, np.zeros(len(vertices), dtype=self.weights.dtype))),
            n_vertices=n + 1,
        )

    def numbers(self, values: NDArray[np.float64]) -> list[int] | list[float]:
        """Finite distances in the type of the weights."""
        return values.astype(np.int64).tolist() if self.is_whole else values.tolist()
