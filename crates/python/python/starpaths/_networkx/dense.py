"""Distances of all pairs at once: networkx.algorithms.shortest_paths.dense."""

import networkx as nx
import numpy as np

from starpaths import NegativeCycleError
from starpaths._networkx.graph import device

__all__ = ["floyd_warshall", "floyd_warshall_numpy", "floyd_warshall_predecessor_and_distance"]


def floyd_warshall_numpy(G, nodelist=None, weight="weight"):
    if nodelist is not None:
        if not len(nodelist) == len(G) == len(set(nodelist)):
            raise nx.NetworkXError(
                "nodelist must contain every node in G with no repeats."
                "If you wanted a subgraph of G use G.subgraph(nodelist)")
        if unknown := {node for node in nodelist if node not in G}:
            raise nx.NetworkXError(f"Nodes {unknown} in nodelist is not in G")
    distances = _defined(G.arcs(weight).graph.all_pairs)
    if nodelist is None:
        return distances
    order = G.numbers(nodelist)
    return distances[np.ix_(order, order)]


def floyd_warshall(G, weight="weight"):
    arcs = G.arcs(weight)
    return _as_dicts(G, arcs, _defined(arcs.graph.all_pairs))


def floyd_warshall_predecessor_and_distance(G, weight="weight"):
    arcs = G.arcs(weight)
    distances, before = _defined(arcs.graph.trees)
    # NetworkX starts with all edges, loops too
    loops = arcs.sources[arcs.sources == arcs.targets]
    before[loops, loops] = loops
    predecessors = {}
    for node, row in zip(G, before):
        reached = np.flatnonzero(row >= 0)
        if len(reached):
            predecessors[node] = dict(
                zip(G.nodes[reached].tolist(), G.nodes[row[reached]].tolist()))
    return predecessors, _as_dicts(G, arcs, distances)


def _defined(distances):
    """Distances that a negative cycle does not leave undefined; NetworkX returns some then."""
    try:
        return distances(backend=device())
    except NegativeCycleError as error:
        raise NotImplementedError(str(error)) from error


def _as_dicts(G, arcs, distances):
    """A dictionary of each row, with all nodes."""
    nodes = list(G)
    if not arcs.is_whole:
        return {node: dict(zip(nodes, row)) for node, row in zip(nodes, distances.tolist())}
    found = {}
    for node, row in zip(nodes, distances):
        numbers = row.astype(object)
        is_reached = np.isfinite(row)
        numbers[is_reached] = row[is_reached].astype(np.int64)
        found[node] = dict(zip(nodes, numbers.tolist()))
    return found
