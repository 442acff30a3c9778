"""Graphs of other packages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from starpaths._core import Graph
from starpaths._errors import StarpathsError


def from_networkx(
    graph: Any,
    weight: Hashable | None = "weight",
    *,
    nodelist: Iterable[Hashable] | None = None,
) -> Graph:
    """Converts a graph of NetworkX. Nodes are numbered in their order, and become the labels.

    Parameters
    ----------
    graph : networkx.Graph, or another of its graph classes
        Of parallel edges the lightest counts.
    weight : hashable, optional
        The attribute of edges that is their weight; 1 for an edge without it. If None, all are 1.
    nodelist : iterable of hashable, optional
        All nodes in the order of their numbers, such as `sorted(graph)`; by default the graph's.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import networkx
    >>> import starpaths
    >>> roads = networkx.Graph()
    >>> roads.add_edge("here", "there", weight=2.5)
    >>> graph = starpaths.from_networkx(roads)
    >>> graph.sssp(graph.vertex("here")).distances[graph.vertex("there")]
    np.float64(2.5)
    """
    from starpaths._networkx.graph import BackendGraph

    converted = BackendGraph(graph)
    try:
        arcs = converted.arcs(weight)
    except NotImplementedError as error:
        raise StarpathsError(str(error)) from error
    is_listed = arcs.is_listed
    sources, targets = arcs.sources[is_listed], arcs.targets[is_listed]
    labels = list(converted.nodes)
    if nodelist is not None:
        nodes = list(nodelist)
        numbers = {node: number for number, node in enumerate(nodes)}
        if len(nodes) != len(labels) or numbers.keys() != set(labels):
            raise StarpathsError(
                f"nodelist has {len(nodes)} nodes, and the graph {len(labels)}, or others; expected "
                "each node of the graph once")
        places = np.array([numbers[node] for node in labels], dtype=np.int32)
        sources, targets, labels = places[sources], places[targets], nodes
    return Graph.from_arcs(
        sources,
        targets,
        None if weight is None else arcs.weights[is_listed],
        directed=graph.is_directed(),
        labels=labels,
    )


def from_pandas(
    edges: Any,
    source: Hashable = "source",
    target: Hashable = "target",
    weight: Hashable | None = None,
    *,
    directed: bool = True,
    nodes: Any = None,
) -> Graph:
    """Converts a data frame with an edge in each row. Its ends become the labels, in their order.

    Parameters
    ----------
    edges : pandas.DataFrame
        The edges.
    source, target : hashable
        The columns of the first and the second end of each edge.
    weight : hashable, optional
        The column of the weights; by default all are 1.
    directed : bool, default True
        If False, each row is an arc each way.
    nodes : pandas.DataFrame or pandas.Index, optional
        The vertices, by their index: these are the labels then, in this order, so that columns of
        the frame go with the vertices, such as coordinates.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import pandas
    >>> import starpaths
    >>> roads = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "km": [5, 2]})
    >>> graph = starpaths.from_pandas(roads, weight="km")
    >>> [graph.name(v) for v in graph.sssp(graph.vertex("a")).path_to(graph.vertex("c"))]
    ['a', 'b', 'c']
    >>> places = pandas.DataFrame({"x": [2.0, 0.0, 1.0], "y": 0.0}, index=["c", "a", "b"])
    >>> graph = starpaths.from_pandas(roads, weight="km", nodes=places)
    >>> starpaths.Prepared(graph, places[["x", "y"]]).customize().distance("a", "c")
    7
    """
    import pandas

    ends = pandas.concat([edges[source], edges[target]], ignore_index=True)
    if nodes is None:
        numbers, labels = pandas.factorize(ends)
    else:
        labels = getattr(nodes, "index", nodes)
        if not labels.is_unique:
            twice = labels[labels.duplicated()].tolist()[0]
            raise StarpathsError(
                f"nodes: {twice!r} is twice in the index; expected each id once: drop one of them")
        numbers = labels.get_indexer(ends)
        if (numbers < 0).any() and not ends[numbers < 0].isna().any():
            at = int((numbers < 0).argmax())
            raise StarpathsError(
                f"row {at % len(edges)} of the edges has the end {ends[at]}, which is not in the "
                "index of nodes; add it there, or drop the row")
    if (numbers < 0).any():
        row = int((numbers < 0).argmax()) % len(edges)
        raise StarpathsError(
            f"row {row} has no value for an end of its edge; drop such rows, or fill them")
    weights = None if weight is None else edges[weight].to_numpy()
    n = len(edges)
    return Graph.from_arcs(
        numbers[:n], numbers[n:], weights, directed=directed, labels=labels.tolist()
    )
