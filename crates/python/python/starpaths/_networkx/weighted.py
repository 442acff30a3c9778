"""Shortest paths by their weights: networkx.algorithms.shortest_paths.weighted."""

import networkx as nx
import numpy as np

from starpaths import NegativeCycleError
from starpaths._networkx.search import search, search_from_any, search_from_each, unbounded

__all__ = [
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "bellman_ford_predecessor_and_distance",
    "bidirectional_dijkstra",
    "dijkstra_path",
    "dijkstra_path_length",
    "dijkstra_predecessor_and_distance",
    "find_negative_cycle",
    "goldberg_radzik",
    "johnson",
    "multi_source_dijkstra",
    "multi_source_dijkstra_path",
    "multi_source_dijkstra_path_length",
    "negative_edge_cycle",
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
]


def dijkstra_path(G, source, target, weight="weight"):
    return single_source_dijkstra(G, source, target, weight=weight)[1]


def dijkstra_path_length(G, source, target, weight="weight"):
    start, end = G.number(source, f"Node {source} not found in graph"), G.find(target)
    found = search(G.non_negative_arcs(weight), start, target=end)
    if not found.reaches(end):
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found.length(end)


def bidirectional_dijkstra(G, source, target, weight="weight"):
    start = G.number(source, f"Source {source} is not in G")
    end = G.number(target, f"Target {target} is not in G")
    found = search(G.non_negative_arcs(weight), start, target=end)
    if not found.reaches(end):
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found.length(end), found.path_to(end, G)


def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, [source], target, cutoff, weight)


def single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra_path(G, [source], cutoff, weight)


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra_path_length(G, [source], cutoff, weight)


def multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight"):
    starts = _sources(G, sources)
    arcs = G.non_negative_arcs(weight)
    if target is None:
        found = search_from_any(arcs, starts, cutoff)
        return found.lengths(G), found.paths(G)
    if target in sources:
        return 0, [target]
    end = G.find(target)
    if len(starts) == 1:
        found = search(arcs, starts[0], target=end)
    else:
        found = search_from_any(arcs, starts, cutoff)
    if not found.reaches(end) or cutoff is not None and found.distances[end] > cutoff:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found.length(end), found.path_to(end, G)


def multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight"):
    starts = _sources(G, sources)
    return search_from_any(G.non_negative_arcs(weight), starts, cutoff).paths(G)


def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    starts = _sources(G, sources)
    return search_from_any(G.non_negative_arcs(weight), starts, cutoff).lengths(G)


def dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight"):
    source = G.number(source, f"Node {source} is not found in the graph")
    found = search(G.non_negative_arcs(weight), source, cutoff=cutoff)
    return found.all_predecessors(G), found.lengths(G)


def all_pairs_dijkstra(G, cutoff=None, weight="weight"):
    found = search_from_each(G.non_negative_arcs(weight), cutoff, paths=True)
    return zip(G, ((each.lengths(G), each.paths(G)) for each in found))


def all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
    found = search_from_each(G.non_negative_arcs(weight), cutoff, paths=True)
    return zip(G, (each.paths(G) for each in found))


def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    found = search_from_each(G.non_negative_arcs(weight), cutoff)
    return zip(G, (each.lengths(G) for each in found))


def bellman_ford_path(G, source, target, weight="weight"):
    return single_source_bellman_ford(G, source, target, weight)[1]


def bellman_ford_path_length(G, source, target, weight="weight"):
    if source == target:
        G.number(source, f"Node {source} not found in graph")
        return 0
    start, end = G.number(source, f"Source {source} not in G"), G.find(target)
    found = search(G.arcs(weight), start)
    if not found.reaches(end):
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found.length(end)


def single_source_bellman_ford(G, source, target=None, weight="weight"):
    if source == target:
        G.number(source, f"Node {source} is not found in the graph")
        return 0, [source]
    found = search(G.arcs(weight), G.number(source, f"Source {source} not in G"))
    if target is None:
        return found.lengths(G), found.paths(G)
    end = G.find(target)
    if not found.reaches(end):
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found.length(end), found.path_to(end, G)


def single_source_bellman_ford_path(G, source, weight="weight"):
    return search(G.arcs(weight), G.number(source, f"Source {source} not in G")).paths(G)


def single_source_bellman_ford_path_length(G, source, weight="weight"):
    return search(G.arcs(weight), G.number(source, f"Source {source} not in G")).lengths(G)


def bellman_ford_predecessor_and_distance(G, source, target=None, weight="weight",
                                          heuristic=False):
    found = _search_without_negative_loop(G, source, weight)
    return found.all_predecessors(G), found.lengths(G)


def all_pairs_bellman_ford_path(G, weight="weight"):
    found = search_from_each(G.arcs(weight), paths=True)
    return zip(G, (each.paths(G) for each in found))


def all_pairs_bellman_ford_path_length(G, weight="weight"):
    found = search_from_each(G.arcs(weight))
    return zip(G, (each.lengths(G) for each in found))


def goldberg_radzik(G, source, weight="weight"):
    found = _search_without_negative_loop(G, source, weight)
    lengths = found.lengths(G)
    before = found.predecessors[found.order()]
    predecessors = dict(zip(lengths, G.nodes[before].tolist()))
    predecessors[source] = None
    return predecessors, lengths


def negative_edge_cycle(G, weight="weight", heuristic=True):
    return _negative_cycle_anywhere(G.arcs(weight))


def find_negative_cycle(G, source, weight="weight"):
    source = G.number(source, f"Source {source} not in G")
    try:
        G.arcs(weight).graph.sssp(source)
    except NegativeCycleError as error:
        return G.nodes[[*error.cycle, error.cycle[0]]].tolist()
    raise nx.NetworkXError("No negative cycles detected.")


def johnson(G, weight="weight"):
    arcs = G.arcs(weight)
    if _negative_cycle_anywhere(arcs):
        raise unbounded()
    return {node: each.paths(G) for node, each in zip(G, search_from_each(arcs, paths=True))}


def _sources(G, sources):
    """The numbers of sources, each once."""
    if not sources:
        raise ValueError("sources must not be empty")
    return list(dict.fromkeys(G.number(s, f"Node {s} not found in graph") for s in sources))


def _search_without_negative_loop(G, source, weight):
    """A search that NetworkX does not start where any loop is negative."""
    source = G.number(source, f"Node {source} is not found in the graph")
    arcs = G.arcs(weight)
    if arcs.has_negative_loop:
        raise unbounded()
    return search(arcs, source)


def _negative_cycle_anywhere(arcs):
    if not arcs.has_negative_weights:
        return False
    try:
        arcs.with_super_source(np.arange(arcs.n_vertices, dtype=np.int32)).sssp(arcs.n_vertices)
    except NegativeCycleError:
        return True
    return False
