"""Graphs of other packages."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from starpaths._core import Graph
from starpaths._errors import StarpathsError


def from_networkx(graph: Any, weight: Hashable | None = "weight") -> Graph:
    """Converts a graph of NetworkX. Nodes are numbered in their order, and become the labels.

    Parameters
    ----------
    graph : networkx.Graph, or another of its graph classes
        Of parallel edges the lightest counts.
    weight : hashable, optional
        The attribute of edges that is their weight; 1 for an edge without it. If None, all are 1.

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
    return Graph.from_arcs(
        arcs.sources[is_listed],
        arcs.targets[is_listed],
        None if weight is None else arcs.weights[is_listed],
        directed=graph.is_directed(),
        labels=converted.nodes,
    )


def from_pandas(
    edges: Any,
    source: Hashable = "source",
    target: Hashable = "target",
    weight: Hashable | None = None,
    *,
    directed: bool = True,
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
    """
    import pandas

    ends = pandas.concat([edges[source], edges[target]], ignore_index=True)
    numbers, labels = pandas.factorize(ends)
    if (numbers < 0).any():
        row = int((numbers < 0).argmax()) % len(edges)
        raise StarpathsError(
            f"row {row} has no value for an end of its edge; drop such rows, or fill them")
    weights = None if weight is None else edges[weight].to_numpy()
    n = len(edges)
    return Graph.from_arcs(
        numbers[:n], numbers[n:], weights, directed=directed, labels=labels.tolist()
    )
