"""Measures of distance and centrality, which add up all distances."""

import math
from contextlib import contextmanager

import networkx as nx
import numpy as np

from starpaths import StarpathsError
from starpaths._networkx.graph import device
from starpaths._networkx.search import search

__all__ = [
    "barycenter",
    "betweenness_centrality",
    "center",
    "closeness_centrality",
    "diameter",
    "eccentricity",
    "edge_betweenness_centrality",
    "harmonic_centrality",
    "periphery",
    "radius",
    "wiener_index",
]

# Rows of a table at once.
_BLOCK = 1024


def eccentricity(G, v=None, sp=None, weight=None):
    if v is None:
        return dict(zip(G, _eccentricities(G, weight)))
    found = {}
    for vertex in G.numbers(v).tolist():
        lengths = search(G.non_negative_arcs(weight), vertex).lengths(G)
        if len(lengths) < len(G):
            raise _unconnected(G)
        found[G.nodes[vertex]] = max(lengths.values())
    return found[v] if v in G else found


def diameter(G, e=None, usebounds=False, weight=None):
    if len(G) == 0:
        return max([])
    arcs = G.non_negative_arcs(weight)
    if arcs.graph.components("strong" if G.is_directed() else "weak")[0] > 1:
        raise _unconnected(G, usebounds)
    return arcs.graph.diameter()[0]


def radius(G, e=None, usebounds=False, weight=None):
    return min(_eccentricities(G, weight, usebounds))


def periphery(G, e=None, usebounds=False, weight=None):
    eccentricities = _eccentricities(G, weight, usebounds)
    greatest = max(eccentricities)
    return [node for node, found in zip(G, eccentricities) if found == greatest]


def center(G, e=None, usebounds=False, weight=None):
    if weight is None and not usebounds:
        _refuse_null_tree(G)
    eccentricities = _eccentricities(G, weight, usebounds)
    least = min(eccentricities)
    return [node for node, found in zip(G, eccentricities) if found == least]


def barycenter(G, weight=None, attr=None, sp=None):
    if weight is None:
        _refuse_null_tree(G)
    totals = G.non_negative_arcs(weight).graph.totals(backend=device())
    if not totals.is_connected:
        raise nx.NetworkXNoPath(f"Input graph {G.original} is disconnected, so every induced "
                                "subgraph has infinite barycentricity.")
    sums = totals.sums()
    return G.nodes[sums == sums.min()].tolist() if len(G) else []


def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    arcs = G.non_negative_arcs(distance)
    if u is None:
        totals = arcs.graph.totals(side="in", backend=device())
        return dict(zip(G, totals.closeness(wf_improved).tolist()))
    vertex = G.number(
        u, f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph")
    lengths = search(arcs, vertex, backwards=True).lengths(G)
    total, n_others = sum(lengths.values()), len(lengths) - 1.0
    if total <= 0 or len(G) == 1:
        return 0.0
    closeness = n_others / total
    return closeness * (n_others / (len(G) - 1)) if wf_improved else closeness


def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    graph = G.non_negative_arcs(distance).graph
    if nbunch is None and sources is None:
        totals = graph.totals(side="in", backend=device())
        return dict(zip(G, totals.harmonic().tolist()))
    starts, ends = np.unique(G.numbers(sources)), np.unique(G.numbers(nbunch))
    sums = np.zeros(len(ends))
    for first in range(0, len(starts), _BLOCK):
        distances = graph.table(starts[first : first + _BLOCK], ends, backend=device())
        sums += np.divide(1, distances, where=distances > 0, out=np.zeros_like(distances)).sum(0)
    return dict(zip(G.nodes[ends].tolist(), sums.tolist()))


def wiener_index(G, weight=None):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    totals = G.non_negative_arcs(weight).graph.totals(backend=device())
    if not totals.is_connected:
        return math.inf
    return totals.wiener_index if G.is_directed() else float(totals.wiener_index)


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    # NetworkX has made a generator of the seed
    is_sample = k is not None and k != len(G)
    sources = G.numbers(seed.sample(list(G), k)) if is_sample else None
    n, directions = len(G), 1 if G.is_directed() else 2
    with _zero_weights_left_to_networkx():
        found = G.arcs(weight).graph.betweenness(
            normalized=False, sources=sources, backend=device(), endpoints=endpoints)
    # the nodes that a path through one can begin and end at
    n_ends = n if endpoints else n - 1
    if is_sample and not endpoints and n_ends > 1:
        # a node is no source of the paths through it
        found *= n_ends / n
        found[sources] *= k / (k - 1) if k > 1 else math.nan
    if normalized and n_ends > 1:
        found /= n_ends * (n_ends - 1) / directions
    return dict(zip(G, found.tolist()))


def edge_betweenness_centrality(G, k=None, normalized=True, weight=None, seed=None):
    sources = None if k is None else G.numbers(seed.sample(list(G), k))
    arcs = G.arcs(weight)
    with _zero_weights_left_to_networkx():
        found = arcs.graph.edge_betweenness(
            normalized=normalized, sources=sources, backend=device())
    # the graph has its arcs by their ends
    values = np.zeros(len(found))
    values[np.lexsort((arcs.targets, arcs.sources))] = found
    if not G.is_directed():
        # those of the reverse arcs
        values[np.lexsort((arcs.sources, arcs.targets))] += found
    ends = [G.nodes[end[arcs.is_listed]].tolist() for end in (arcs.sources, arcs.targets)]
    edges = dict(zip(zip(*ends), values[arcs.is_listed].tolist()))
    return _with_keys(G.original, edges, weight) if G.is_multigraph() else edges


def _with_keys(graph, edges, weight):
    """The values of edges by their keys: the lightest of parallel ones have equal shares."""
    found = dict.fromkeys(graph.edges, 0.0)
    for (u, v), value in edges.items():
        weights = {key: data.get(weight, 1) for key, data in graph[u][v].items()}
        least = min(weights.values())
        lightest = [key for key in weights if weights[key] == least]
        found.update(dict.fromkeys([(u, v, key) for key in lightest], value / len(lightest)))
    return found


@contextmanager
def _zero_weights_left_to_networkx():
    """Its result depends on the order of edges there."""
    try:
        yield
    except StarpathsError as error:
        raise NotImplementedError(str(error)) from error


def _eccentricities(G, weight, usebounds=False):
    """The greatest distance of each node."""
    totals = G.non_negative_arcs(weight).graph.totals(backend=device())
    if not totals.is_connected:
        raise _unconnected(G, usebounds)
    return totals.eccentricity().tolist()


def _unconnected(G, usebounds=False):
    if usebounds is True and not G.is_directed():
        return nx.NetworkXError("Cannot compute metric because graph is not connected.")
    reason = "digraph is not strongly" if G.is_directed() else "graph is not"
    return nx.NetworkXError(f"Found infinite path length because the {reason} connected")


def _refuse_null_tree(G):
    """The error of NetworkX where it looks whether the graph is a tree."""
    if len(G) == 0 and not G.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")
