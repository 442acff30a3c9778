"""Searches, and what they find in the forms of NetworkX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from math import inf
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from starpaths import NegativeCycleError
from starpaths._networkx.graph import Arcs, BackendGraph, device

# Cells of a block of rows of a table, of which a whole one might not fit into memory.
_BLOCK = 2**22


class Found(NamedTuple):
    """Distances from one source or several, and the vertices before each, -1 for none."""

    arcs: Arcs
    sources: list[int]
    distances: NDArray[np.float64]
    predecessors: NDArray[np.int32]

    def order(self) -> NDArray[np.intp]:
        """The nodes that were reached: the sources, then the others by distance."""
        distances = self.distances.copy()
        distances[self.sources] = -inf
        order = np.argsort(distances, kind="stable")[: np.count_nonzero(distances < inf)]
        order[: len(self.sources)] = self.sources
        return order

    def reaches(self, vertex: int | None) -> bool:
        return vertex is not None and self.distances[vertex] < inf

    def length(self, vertex: int) -> int | float:
        """The distance of a vertex that was reached."""
        if vertex in self.sources:
            return 0
        return self.arcs.numbers(self.distances[vertex : vertex + 1])[0]

    def path_to(self, vertex: int, graph: BackendGraph) -> list[Any]:
        """The nodes on the path to a vertex that was reached."""
        path = [vertex]
        while (vertex := int(self.predecessors[vertex])) >= 0:
            path.append(vertex)
        return graph.nodes[path[::-1]].tolist()

    def lengths(self, graph: BackendGraph) -> dict[Any, int | float]:
        """The distance of each node."""
        order = self.order()
        numbers = self.arcs.numbers(self.distances[order])
        # as NetworkX has it, also among floats
        numbers[: len(self.sources)] = [0] * len(self.sources)
        return dict(zip(graph.nodes[order].tolist(), numbers))

    def paths(self, graph: BackendGraph, *, backwards: bool = False) -> dict[Any, list[Any]]:
        """The path to each node; or from each where the search went backwards."""
        nodes, before, order = graph.nodes.tolist(), self.predecessors.tolist(), self.order()
        paths: list[Any] = [None] * len(nodes)
        for source in self.sources:
            paths[source] = [nodes[source]]
        vertices = order.tolist()
        for vertex in vertices[len(self.sources) :]:
            above = before[vertex]
            if paths[above] is None:
                # along edges of weight zero a vertex can stand before its predecessor
                missing = []
                while paths[above] is None:
                    missing.append(above)
                    above = before[above]
                for late in reversed(missing):
                    paths[late] = paths[before[late]] + [nodes[late]]
            paths[vertex] = paths[before[vertex]] + [nodes[vertex]]
        found = [paths[vertex] for vertex in vertices]
        if backwards:
            found = [path[::-1] for path in found]
        return dict(zip(graph.nodes[order].tolist(), found))

    def all_predecessors(self, graph: BackendGraph) -> dict[Any, list[Any]]:
        """The nodes before each on all of its shortest paths."""
        order, arcs = self.order(), self.arcs
        rank = np.zeros(arcs.n_vertices, dtype=np.intp)
        rank[order] = np.arange(len(order))
        to = self.distances[arcs.targets]
        is_tight = (to < inf) & (self.distances[arcs.sources] + arcs.weights == to)
        sources, targets = arcs.sources[is_tight], arcs.targets[is_tight]
        by_rank = np.argsort(rank[sources], kind="stable")
        predecessors: dict[Any, list[Any]] = {node: [] for node in graph.nodes[order].tolist()}
        ends = (graph.nodes[end[by_rank]].tolist() for end in (sources, targets))
        for source, target in zip(*ends):
            predecessors[target].append(source)
        return predecessors


def search(
    arcs: Arcs,
    source: int,
    *,
    target: int | None = None,
    cutoff: float | None = None,
    backwards: bool = False,
) -> Found:
    """A search from a vertex, or to it."""
    graph = arcs.graph.transposed() if backwards else arcs.graph
    try:
        tree = graph.sssp(source, target=target, cutoff=_at_least_zero(cutoff),
                          backend=device())
    except NegativeCycleError:
        raise unbounded() from None
    return _within(cutoff, Found(arcs, [source], tree.distances, tree.predecessors))


def search_from_any(arcs: Arcs, sources: list[int], cutoff: float | None = None) -> Found:
    """A search from the nearest of several vertices."""
    if len(sources) == 1:
        return search(arcs, sources[0], cutoff=cutoff)
    n = arcs.n_vertices
    graph = arcs.with_super_source(np.array(sources, dtype=np.int32))
    tree = graph.sssp(n, cutoff=_at_least_zero(cutoff), backend=device())
    predecessors = tree.predecessors[:n].copy()
    # a source is its own nearest, though others may be as near
    predecessors[predecessors == n] = -1
    predecessors[sources] = -1
    return _within(cutoff, Found(arcs, sources, tree.distances[:n], predecessors))


def search_from_each(
    arcs: Arcs, cutoff: float | None = None, *, paths: bool = False
) -> Iterator[Found]:
    """Searches from all vertices, in order; predecessors are there only for `paths`."""
    n = arcs.n_vertices
    step = max(_BLOCK // max(n, 1), 1)
    for start in range(0, n, step):
        block = range(start, min(start + step, n))
        table: Iterable[tuple[int, Any, Any]]
        try:
            if paths or cutoff is not None:
                least = _at_least_zero(cutoff)
                table = zip(block, *arcs.graph.trees(block, cutoff=least, backend=device()))
            else:
                table = zip(block, arcs.graph.table(block, backend=device()), repeat(None))
        except NegativeCycleError:
            raise unbounded() from None
        for source, distances, predecessors in table:
            yield _within(cutoff, Found(arcs, [source], distances, predecessors))


def unbounded() -> nx.NetworkXUnbounded:
    return nx.NetworkXUnbounded("Negative cycle detected.")


def _at_least_zero(cutoff: float | None) -> float | None:
    return None if cutoff is None else max(cutoff, 0)


def _within(cutoff: float | None, found: Found) -> Found:
    """The nodes that were found; only the sources if the cutoff is below zero."""
    if cutoff is None or cutoff >= 0:
        return found
    distances = np.full_like(found.distances, inf)
    distances[found.sources] = 0
    return found._replace(distances=distances)
