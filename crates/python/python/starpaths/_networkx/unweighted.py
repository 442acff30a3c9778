"""Shortest paths by their numbers of edges: networkx.algorithms.shortest_paths.unweighted."""

import math

import networkx as nx

from starpaths._networkx.search import search, search_from_each

__all__ = [
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "bidirectional_shortest_path",
    "predecessor",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path",
    "single_target_shortest_path_length",
]


def single_source_shortest_path_length(G, source, cutoff=None):
    source = G.number(source, f"Source {source} is not in G")
    return search(G.arcs(None), source, cutoff=_edges(cutoff)).lengths(G)


def single_target_shortest_path_length(G, target, cutoff=None):
    target = G.number(target, f"Target {target} is not in G")
    return search(G.arcs(None), target, cutoff=_edges(cutoff), backwards=True).lengths(G)


def all_pairs_shortest_path_length(G, cutoff=None):
    found = search_from_each(G.arcs(None), _edges(cutoff))
    return zip(G, (each.lengths(G) for each in found))


def single_source_shortest_path(G, source, cutoff=None):
    source = G.number(source, f"Source {source} not in G")
    return search(G.arcs(None), source, cutoff=_edges(cutoff)).paths(G)


def single_target_shortest_path(G, target, cutoff=None):
    target = G.number(target, f"Target {target} not in G")
    found = search(G.arcs(None), target, cutoff=_edges(cutoff), backwards=True)
    return found.paths(G, backwards=True)


def all_pairs_shortest_path(G, cutoff=None):
    found = search_from_each(G.arcs(None), _edges(cutoff), paths=True)
    return zip(G, (each.paths(G) for each in found))


def bidirectional_shortest_path(G, source, target):
    start = G.number(source, f"Source {source} is not in G")
    end = G.number(target, f"Target {target} is not in G")
    found = search(G.arcs(None), start, target=end)
    if not found.reaches(end):
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found.path_to(end, G)


def predecessor(G, source, target=None, cutoff=None, return_seen=None):
    source = G.number(source, f"Source {source} not in G")
    # NetworkX takes 0 for none here, and goes a step in any case
    edges = _edges(cutoff) if cutoff else None
    found = search(G.arcs(None), source, cutoff=None if edges is None else max(edges, 1))
    before = found.all_predecessors(G)
    if target is not None:
        before = before.get(target, [])
    if not return_seen:
        return before
    seen = found.lengths(G)
    return before, seen if target is None else seen.get(target, -1)


def _edges(cutoff):
    """The number of edges that paths may have: NetworkX rounds up."""
    return None if cutoff is None or cutoff == math.inf else math.ceil(max(cutoff, -1))
