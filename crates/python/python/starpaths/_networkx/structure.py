"""Spanning trees, closures, and simple paths one after the other."""

import networkx as nx
import numpy as np

from starpaths import Graph
from starpaths._networkx import unweighted, weighted
from starpaths._networkx.graph import BackendGraph, device

__all__ = [
    "ego_graph",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "shortest_simple_paths",
    "transitive_closure",
]

# How many simple paths are found at first; every time that more are wanted, twice as many.
_FIRST_PATHS = 8


def ego_graph(G, n, radius=1, center=True, undirected=False, distance=None):
    around = BackendGraph(G.original.to_undirected()) if undirected and G.is_directed() else G
    if distance is None:
        found = unweighted.single_source_shortest_path_length(around, n, cutoff=radius)
    else:
        found = weighted.single_source_dijkstra_path_length(
            around, n, cutoff=radius, weight=distance)
    graph = G.original.subgraph(found).copy()
    if not center:
        graph.remove_node(n)
    return graph


def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True,
                           ignore_nan=False):
    return _spanning_edges(G, G.arcs(weight), weight, keys and G.is_multigraph(), data)


def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    original = G.original
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(_spanning_edges(G, G.arcs(weight), weight, G.is_multigraph(), True))
    return tree


def transitive_closure(G, reflexive=False):
    if reflexive not in {None, True, False}:
        raise nx.NetworkXError("Incorrect value for the parameter `reflexive`")
    closed = G.original.copy()
    arcs = G.arcs(None)
    reached = arcs.graph.closure(backend=device())
    # a cycle is a path from a node to itself, but not there and back along an edge
    if reflexive is not False or not G.is_directed():
        np.fill_diagonal(reached, bool(reflexive))
    reached[arcs.sources, arcs.targets] = False
    if not G.is_directed():
        reached = np.triu(reached)
    for node, row in zip(G, reached):
        closed.add_edges_from((node, other) for other in G.nodes[row].tolist())
    return closed


def shortest_simple_paths(G, source, target, weight=None):
    graph = G.non_negative_arcs(weight).graph

    def paths():
        start = G.number(source, f"source node {source} not in graph")
        end = G.number(target, f"target node {target} not in graph")
        n_found, n_wanted = 0, _FIRST_PATHS
        while True:
            found = graph.k_shortest_paths(start, end, n_wanted)
            if not found:
                raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
            for _, path in found[n_found:]:
                yield G.nodes[path].tolist()
            if len(found) < n_wanted:
                return
            n_found, n_wanted = n_wanted, 2 * n_wanted

    return paths()


def _spanning_edges(G, arcs, weight, keys, data):
    """The edges that Kruskal's algorithm takes, in its order."""
    is_listed = arcs.sources <= arcs.targets
    ends = arcs.sources[is_listed], arcs.targets[is_listed]
    # by their ranks, of edges that weigh the same the first one is taken
    order = np.argsort(arcs.weights[is_listed], kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    forest = Graph.from_arcs(*ends, ranks, n_vertices=len(G), directed=False)
    taken = order[forest.minimum_spanning_forest()[2]]
    for edge in zip(*(G.nodes[end[taken]].tolist() for end in ends)):
        found = G.original.get_edge_data(*edge) if keys or data else None
        if G.is_multigraph() and found is not None:
            key = min(found, key=lambda key: found[key].get(weight, 1))
            edge, found = (*edge, key) if keys else edge, found[key]
        yield (*edge, found) if data else edge
