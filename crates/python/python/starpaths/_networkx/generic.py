"""Shortest paths by any method: networkx.algorithms.shortest_paths.generic."""

import networkx as nx

from starpaths._networkx import unweighted, weighted
from starpaths._networkx.graph import device
from starpaths._networkx.search import search

__all__ = [
    "all_pairs_all_shortest_paths",
    "all_shortest_paths",
    "average_shortest_path_length",
    "has_path",
    "shortest_path",
    "shortest_path_length",
    "single_source_all_shortest_paths",
]


def has_path(G, source, target):
    try:
        unweighted.bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def shortest_path(G, source=None, target=None, weight=None, method="dijkstra"):
    method = _method(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return unweighted.all_pairs_shortest_path(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path(G, weight)
    if source is None:
        return _search_backwards(G, target, weight, method).paths(G, backwards=True)
    if target is None:
        if method == "unweighted":
            return unweighted.single_source_shortest_path(G, source)
        if method == "dijkstra":
            return weighted.single_source_dijkstra_path(G, source, weight=weight)
        return weighted.single_source_bellman_ford_path(G, source, weight)
    if method == "unweighted":
        return unweighted.bidirectional_shortest_path(G, source, target)
    if method == "dijkstra":
        return weighted.bidirectional_dijkstra(G, source, target, weight)[1]
    return weighted.bellman_ford_path(G, source, target, weight)


def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    method = _method(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return unweighted.all_pairs_shortest_path_length(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path_length(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path_length(G, weight)
    if source is None:
        return _search_backwards(G, target, weight, method).lengths(G)
    if target is None:
        if method == "unweighted":
            return unweighted.single_source_shortest_path_length(G, source)
        if method == "dijkstra":
            return weighted.single_source_dijkstra_path_length(G, source, weight=weight)
        return weighted.single_source_bellman_ford_path_length(G, source, weight)
    if method == "unweighted":
        return len(unweighted.bidirectional_shortest_path(G, source, target)) - 1
    if method == "dijkstra":
        return weighted.dijkstra_path_length(G, source, target, weight)
    return weighted.bellman_ford_path_length(G, source, target, weight)


def average_shortest_path_length(G, weight=None, method=None):
    methods = ["unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"]
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in methods:
        raise ValueError(f"method not supported: {method}")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length")
    if len(G) == 1:
        return 0
    # the other methods' results with negative weights are NetworkX's matter
    arcs = G.arcs(None) if method == "unweighted" else G.non_negative_arcs(weight)
    totals = arcs.graph.totals(backend=device())
    if not totals.is_connected:
        strongly = "strongly " if G.is_directed() else ""
        raise nx.NetworkXError(f"Graph is not {strongly}connected.")
    return float(totals.mean_distance)


def all_shortest_paths(G, source, target, weight=None, method="dijkstra"):
    predecessors = _all_predecessors(G, source, weight, method)
    return _paths_to(target, source, predecessors)


def single_source_all_shortest_paths(G, source, weight=None, method="dijkstra"):
    predecessors = _all_predecessors(G, source, weight, method)
    return ((node, list(_paths_to(node, source, predecessors))) for node in predecessors)


def all_pairs_all_shortest_paths(G, weight=None, method="dijkstra"):
    # what is left to NetworkX is left at once
    G.non_negative_arcs(weight) if method == "dijkstra" else G.arcs(weight)
    return (
        (node, dict(single_source_all_shortest_paths(G, node, weight, method))) for node in G)


def _method(weight, method):
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def _search_backwards(G, target, weight, method):
    if method == "unweighted":
        target = G.number(target, f"Source {target} not in G")
        return search(G.arcs(None), target, backwards=True)
    if method == "dijkstra":
        target = G.number(target, f"Node {target} not found in graph")
        return search(G.non_negative_arcs(weight), target, backwards=True)
    target = G.number(target, f"Source {target} not in G")
    return search(G.arcs(weight), target, backwards=True)


def _all_predecessors(G, source, weight, method):
    if weight is None:
        return unweighted.predecessor(G, source)
    if method == "dijkstra":
        return weighted.dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    if method == "bellman-ford":
        return weighted.bellman_ford_predecessor_and_distance(G, source, weight=weight)[0]
    raise ValueError(f"method not supported: {method}")


def _paths_to(target, source, predecessors):
    """All paths to a node, of which none passes a node twice."""
    if target not in predecessors:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    # from the target backwards, each node with those of its predecessors that are left
    path, left = [target], [iter(predecessors[target])]
    passed = {target}
    if target == source:
        yield [target]
    while path:
        node = next((node for node in left[-1] if node not in passed), None)
        if node is None:
            passed.discard(path.pop())
            left.pop()
            continue
        path.append(node)
        left.append(iter(predecessors[node]))
        passed.add(node)
        if node == source:
            yield path[::-1]
