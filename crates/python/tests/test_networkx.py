"""The backend beside NetworkX itself."""

import copy
import inspect
import math
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starpaths import _networkx as backend

nx.config.warnings_to_ignore.add("cache")
CLASSES = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
FEW = settings(deadline=None, max_examples=30)


@st.composite
def graphs(draw, low=0, high=9, n=8):
    """Graphs of all classes with names for nodes, where some edges have no weight."""
    graph = draw(st.sampled_from(CLASSES))()
    nodes = [f"n{at}" for at in draw(st.permutations(range(draw(st.integers(1, n)))))]
    graph.add_nodes_from(nodes)
    node = st.sampled_from(nodes)
    for u, v in draw(st.lists(st.tuples(node, node), max_size=3 * n)):
        weight = draw(st.integers(low, high) | st.none())
        # halves are exact, so that floats add up to the same in any order
        scale = draw(st.sampled_from([1, 0.5])) if draw(st.booleans()) else 1
        graph.add_edge(u, v, **({} if weight is None else {"weight": weight * scale}))
    return graph


def outcome(call):
    """What a call gives, or how it fails."""
    try:
        result = call()
        if not isinstance(result, (dict, list, tuple, int, float, np.ndarray, nx.Graph)):
            result = list(result)
    except Exception as error:
        return type(error), str(error)
    return result


def is_error(found):
    return isinstance(found, tuple) and isinstance(found[0], type)


def both(name, graph, *args, **kwargs):
    """What the backend gives, and what NetworkX."""
    function = getattr(nx, name)
    ours = outcome(lambda: function(graph, *args, backend="starpaths", **kwargs))
    return ours, outcome(lambda: function(graph, *args, backend="networkx", **kwargs))


def agree(ours, theirs):
    """Whether they are equal, floats but for rounding."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(agree(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if isinstance(theirs, nx.Graph):
        return type(ours) is type(theirs) and nx.utils.graphs_equal(ours, theirs)
    if isinstance(theirs, np.ndarray):
        return np.array_equal(ours, theirs)
    if isinstance(theirs, float):
        return ours == pytest.approx(theirs)
    return ours == theirs


def length_of(graph, path, weight):
    """The length of a path, of which all edges are there."""
    length = 0
    for u, v in zip(path, path[1:]):
        edges = graph[u][v].values() if graph.is_multigraph() else [graph[u][v]]
        length += 1 if weight is None else min(data.get(weight, 1) for data in edges)
    return length


LENGTHS = [
    "single_source_dijkstra_path_length",
    "single_source_bellman_ford_path_length",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
]


@FEW
@given(graphs())
def test_lengths_are_those_of_networkx_in_order_of_length(graph):
    source = next(iter(graph))
    for name in LENGTHS:
        ours, theirs = both(name, graph, source)
        assert ours == theirs
        assert next(iter(ours)) == source
        assert list(ours.values()) == sorted(ours.values())
        weights = [weight for _, _, weight in graph.edges(data="weight", default=1)]
        whole = ours.values() if all(type(w) is int for w in weights) else [ours[source]]
        assert all(type(length) is int for length in whole)
    ours, theirs = both("all_pairs_dijkstra_path_length", graph)
    assert ours == theirs
    ours, theirs = both("all_pairs_shortest_path_length", graph)
    assert ours == theirs
    for name in ["single_source_dijkstra_path_length", "single_source_shortest_path_length"]:
        for cutoff in [-math.inf, -1, 0, 2.5, math.inf]:
            ours, theirs = both(name, graph, source, cutoff=cutoff)
            assert ours == theirs


@FEW
@given(graphs(), st.sampled_from([None, -math.inf, -1, 0, 1, 1.5, 2, math.inf]))
def test_predecessors_are_those_of_networkx(graph, cutoff):
    source = next(iter(graph))
    for seen in [False, True]:
        ours, theirs = both("predecessor", graph, source, cutoff=cutoff, return_seen=seen)
        assert not is_error(ours)
        if seen:
            assert ours[1] == theirs[1]
            ours, theirs = ours[0], theirs[0]
        # lists are in another order
        assert {node: set(before) for node, before in ours.items()} == \
            {node: set(before) for node, before in theirs.items()}


@FEW
@given(graphs(), st.data())
def test_paths_are_as_short(graph, data):
    nodes = list(graph)
    sources = data.draw(st.lists(st.sampled_from(nodes), min_size=1))
    distances, paths = nx.multi_source_dijkstra(graph, sources, backend="starpaths")
    assert distances == nx.multi_source_dijkstra_path_length(graph, sources)
    assert distances.keys() == paths.keys()
    for node, path in paths.items():
        assert path[0] in sources and path[-1] == node
        assert length_of(graph, path, "weight") == distances[node]
    target = nodes[-1]
    for weight in [None, "weight"]:

        def lengths_of(paths):
            return {node: length_of(graph, path, weight) for node, path in paths.items()}

        theirs = dict(nx.shortest_path_length(graph, weight=weight, backend="networkx"))
        for source, found in nx.shortest_path(graph, weight=weight, backend="starpaths"):
            assert lengths_of(found) == theirs[source]
        found = nx.shortest_path(graph, target=target, weight=weight, backend="starpaths")
        assert lengths_of(found) == nx.shortest_path_length(graph, target=target, weight=weight)
        assert all(path[0] == node and path[-1] == target for node, path in found.items())


@FEW
@given(graphs())
def test_all_shortest_paths_and_predecessors(graph):
    source = next(iter(graph))
    for name, kwargs in [("dijkstra_predecessor_and_distance", {}),
                         ("bellman_ford_predecessor_and_distance", {}),
                         ("predecessor", {"return_seen": True})]:
        ours, theirs = both(name, graph, source, **kwargs)
        assert ours[1] == theirs[1]
        # not of a single node are loops of weight zero among NetworkX's
        before, expected = ({v: sorted({*us} - {v}) for v, us in found[0].items()}
                            for found in (ours, theirs))
        assert before == expected
    for weight in [None, "weight"]:
        ours, theirs = both("single_source_all_shortest_paths", graph, source, weight=weight)
        # where a path of length zero leads back, NetworkX has some twice
        expected = {v: sorted(map(list, set(map(tuple, paths)))) for v, paths in theirs}
        assert {v: sorted(paths) for v, paths in ours} == expected


@FEW
@given(graphs(low=-1, high=6))
def test_negative_weights(graph):
    source = next(iter(graph))
    ours, theirs = both("negative_edge_cycle", graph)
    assert ours == theirs
    ours, theirs = both("single_source_bellman_ford_path_length", graph, source)
    assert ours == theirs
    for name in ["bellman_ford_predecessor_and_distance", "goldberg_radzik"]:
        ours, theirs = both(name, graph, source)
        assert ours == theirs if is_error(theirs) else ours[1] == theirs[1]
    if not is_error(ours):
        predecessors, distances = ours
        assert predecessors.pop(source) is None
        for node, before in predecessors.items():
            step = length_of(graph, [before, node], "weight")
            assert distances[before] + step == distances[node]
    ours, theirs = both("johnson", graph)
    if is_error(theirs):
        assert ours == theirs
    else:
        for node in graph:
            lengths = {v: length_of(graph, path, "weight") for v, path in ours[node].items()}
            assert lengths == nx.single_source_bellman_ford_path_length(graph, node)
    cycle, theirs = both("find_negative_cycle", graph, source)
    if is_error(cycle):
        assert cycle == theirs
    else:
        assert cycle[0] == cycle[-1] and length_of(graph, cycle, "weight") < 0


@FEW
@given(graphs())
def test_tables(graph):
    ours, theirs = both("floyd_warshall", graph)
    assert ours == theirs
    ours, theirs = both("floyd_warshall_predecessor_and_distance", graph)
    assert ours[1] == theirs[1]
    assert {u: set(row) for u, row in ours[0].items()} == {
        u: set(row) for u, row in theirs[0].items()}
    ours, theirs = both("floyd_warshall_numpy", graph, list(graph)[::-1])
    assert agree(ours, theirs)


MEASURES = ["barycenter", "center", "diameter", "eccentricity", "periphery", "radius",
            "average_shortest_path_length", "wiener_index"]


@FEW
@given(graphs(), st.data())
def test_measures(graph, data):
    some = data.draw(st.lists(st.sampled_from(list(graph))))
    for weight in [None, "weight"]:
        for name in MEASURES:
            ours, theirs = both(name, graph, weight=weight)
            is_set = name in {"barycenter", "center", "periphery"} and isinstance(theirs, list)
            assert sorted(ours) == sorted(theirs) if is_set else agree(ours, theirs), name
        calls = [
            ("closeness_centrality", {"wf_improved": False}),
            ("closeness_centrality", {"u": some[0] if some else None}),
            ("harmonic_centrality", {}),
            ("harmonic_centrality", {"nbunch": some}),
            ("harmonic_centrality", {"sources": some}),
        ]
        for name, kwargs in calls:
            assert agree(*both(name, graph, distance=weight, **kwargs)), (name, kwargs)
        assert agree(*both("eccentricity", graph, some, weight=weight))


@FEW
@given(graphs(low=1), st.booleans(), st.booleans())
def test_betweenness(graph, normalized, endpoints):
    for weight in [None, "weight"]:
        assert agree(*both("betweenness_centrality", graph, normalized=normalized, weight=weight,
                           endpoints=endpoints))


@FEW
@given(graphs(low=1), st.data(), st.booleans(), st.booleans())
def test_betweenness_of_samples(graph, data, normalized, endpoints):
    k = data.draw(st.integers(1, len(graph)))
    for weight in [None, "weight"]:
        ours, theirs = both("betweenness_centrality", graph, k=k, normalized=normalized,
                            weight=weight, endpoints=endpoints, seed=7)
        assert ours.keys() == theirs.keys()
        assert list(ours.values()) == pytest.approx(list(theirs.values()), nan_ok=True)


@FEW
@given(graphs(low=1), st.data(), st.booleans())
def test_betweenness_of_edges(graph, data, normalized):
    # NetworkX counts parallel edges once, and gives each of the lightest a share
    k = data.draw(st.integers(1, len(graph)) | st.none())
    for weight in [None, "weight"]:
        ours, theirs = both("edge_betweenness_centrality", graph, k=k, normalized=normalized,
                            weight=weight, seed=7)
        assert agree(ours, theirs)
        assert list(ours) == list(theirs)


def test_betweenness_of_edges_of_large_graphs():
    for directed in [False, True]:
        graph = nx.gnm_random_graph(60, 200, seed=3, directed=directed)
        for u, v, data in graph.edges(data=True):
            data["weight"] = 1 + (u * v) % 5
        for weight, k in [(None, None), (None, 20), ("weight", None), ("weight", 20)]:
            ours, theirs = both("edge_betweenness_centrality", graph, k=k, weight=weight, seed=7)
            assert list(ours) == list(theirs) and agree(ours, theirs)
    graph.add_edge(0, 1, weight=0)
    assert both("edge_betweenness_centrality", graph, weight="weight")[0][0] is NotImplementedError


@FEW
@given(graphs(), st.data(), st.booleans(), st.booleans())
def test_ego_graphs_are_the_same(graph, data, center, undirected):
    node = data.draw(st.sampled_from([*graph, "none"]))
    for distance, radius in [(None, 1), (None, 2), (None, 0), ("weight", 7), ("weight", 0.5)]:
        assert agree(*both("ego_graph", graph, node, radius, center, undirected, distance))


def test_the_configuration_says_where_to_compute():
    graph = nx.cycle_graph(41)
    calls = [
        ("single_source_dijkstra_path_length", (0,)),
        ("multi_source_dijkstra_path_length", ({0, 3},)),
        ("all_pairs_shortest_path_length", ()), ("all_pairs_dijkstra_path", ()),
        ("floyd_warshall", ()), ("closeness_centrality", ()), ("harmonic_centrality", ()),
        ("harmonic_centrality", ([1, 2],)), ("eccentricity", ()), ("wiener_index", ()),
        ("barycenter", ()), ("average_shortest_path_length", ()), ("transitive_closure", ()),
        ("ego_graph", (0,)),
    ]
    assert nx.config.backends.starpaths.backend == "cpu"
    for name, arguments in calls:
        with nx.config.backends.starpaths(backend="abacus"):
            ours, theirs = both(name, graph, *arguments)
        assert is_error(ours) and "backend is 'abacus'; expected 'cpu' or 'cuda'" in ours[1], name
        assert agree(both(name, graph, *arguments)[0], theirs)


@FEW
@given(graphs(low=-3, high=3))
def test_spanning_trees_are_the_same(graph):
    for kwargs in [{}, {"keys": False}, {"data": False}]:
        ours, theirs = both("minimum_spanning_edges", graph, **kwargs)
        assert ours == theirs
    assert agree(*both("minimum_spanning_tree", graph))


@FEW
@given(graphs())
def test_closures_are_the_same(graph):
    for reflexive in [None, False, True, "other"]:
        assert agree(*both("transitive_closure", graph, reflexive))


@FEW
@given(graphs(), st.data())
def test_simple_paths(graph, data):
    ends = [data.draw(st.sampled_from(list(graph))) for _ in range(2)]
    for weight in [None, "weight"]:
        ours, theirs = both("shortest_simple_paths", graph, *ends, weight=weight)
        if is_error(theirs):
            assert ours == theirs
        else:
            assert sorted(ours) == sorted(theirs)
            lengths = [length_of(graph, path, weight) for path in ours]
            assert lengths == sorted(lengths)


@pytest.mark.parametrize("create_using", CLASSES)
@pytest.mark.parametrize("name", sorted(backend.FUNCTIONS))
def test_errors_are_those_of_networkx(name, create_using):
    empty = nx.empty_graph(0, create_using)
    apart = nx.empty_graph(3, create_using)
    names = inspect.signature(backend.FUNCTIONS[name]).parameters
    for graph in [empty, apart]:
        for source, target in [(0, 1), (0, 7), (7, 0), (7, 7)]:
            ends = {"source": source, "target": target, "sources": [source], "u": source,
                    "v": source}
            kwargs = {key: end for key, end in ends.items() if key in names}
            ours, theirs = both(name, graph, **kwargs)
            assert agree(ours, theirs), (graph, kwargs)


def test_methods_that_do_not_exist_are_refused():
    graph = nx.path_graph(4)
    for name in ["shortest_path", "shortest_path_length", "average_shortest_path_length"]:
        ours, theirs = both(name, graph, method="none")
        assert ours == theirs and ours[0] is ValueError
    ours, theirs = both("all_shortest_paths", graph, 0, 1, weight="weight", method="none")
    assert ours == theirs and ours[0] is ValueError
    ours, theirs = both("multi_source_dijkstra", graph, [])
    assert ours == theirs and ours[0] is ValueError


@pytest.mark.parametrize("weight", [Fraction(1, 2), "heavy", None, 2**70, 2**53, 1j, [1], math.inf])
def test_other_weights_are_left_to_networkx(weight):
    graph = nx.path_graph(40)
    graph[0][1]["weight"] = weight
    with pytest.raises(NotImplementedError):
        nx.dijkstra_path_length(graph, 0, 5, backend="starpaths")
    with nx.config(backend_priority=["starpaths"]):
        assert outcome(lambda: nx.single_source_dijkstra_path_length(graph, 0)) == outcome(
            lambda: nx.single_source_dijkstra_path_length(graph, 0, backend="networkx"))


def test_what_has_no_form_here_is_left_to_networkx():
    graph = nx.cycle_graph(40)
    refused = [
        ("shortest_path", {"source": 0, "weight": lambda u, v, data: 1}),
        ("eccentricity", {"sp": dict(nx.all_pairs_shortest_path_length(graph))}),
        ("minimum_spanning_edges", {"algorithm": "prim"}),
    ]
    for name, kwargs in refused:
        assert isinstance(backend.can_run(name, (graph,), kwargs), str)
        with nx.config(backend_priority=["starpaths"]):
            ours = outcome(lambda: getattr(nx, name)(graph, **kwargs))
        assert ours == outcome(lambda: getattr(nx, name)(graph, backend="networkx", **kwargs))
    graph[0][1]["weight"] = -1
    with pytest.raises(NotImplementedError):
        nx.dijkstra_path(graph, 0, 1, backend="starpaths")
    for generator in ["all_pairs_dijkstra", "all_pairs_all_shortest_paths"]:
        with pytest.raises(NotImplementedError):
            getattr(nx, generator)(graph, weight="weight", backend="starpaths")


def test_a_conversion_is_kept_until_the_graph_changes():
    graph = nx.path_graph(40)
    assert isinstance(backend.should_run("shortest_path", (graph, 0, 9), {}), str)
    assert isinstance(backend.should_run("closeness_centrality", (nx.path_graph(4),), {}), str)
    with nx.config(backend_priority=["starpaths"]):
        assert nx.diameter(graph) == 39
        assert backend.should_run("shortest_path", (graph, 0, 9), {}) is True
        kept = graph.__networkx_cache__["backends"]["starpaths"]
        assert nx.shortest_path(graph, 0, 2) == [0, 1, 2]
        [converted] = kept.values()
        assert backend.convert_to_nx(converted) is graph
        for copied in [copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))]:
            assert nx.diameter(copied) == 39
        graph.add_edge(0, 39)
        assert nx.diameter(graph) == 20


def test_nodes_and_weights_of_many_types():
    graph = nx.Graph()
    graph.add_edge((0, 0), (0, 1), weight=True)
    graph.add_edge((0, 1), frozenset("ab"), weight=np.float64(2.5))
    graph.add_edge(frozenset("ab"), "end")
    ours, theirs = both("single_source_dijkstra", graph, (0, 0))
    assert ours == theirs and all(type(length) in (int, float) for length in ours[0].values())


@pytest.mark.parametrize("create_using", CLASSES)
def test_views(create_using):
    graph = nx.cycle_graph(6, create_using)
    graph.add_edge(0, 1, weight=0.5)
    for view in [
        nx.subgraph_view(graph, filter_node=lambda node: node != 3),
        graph.edge_subgraph(list(graph.edges)[1:4]),
        graph.reverse(copy=False) if graph.is_directed() else graph.to_directed(as_view=True),
    ]:
        ours, theirs = both("all_pairs_dijkstra_path_length", view)
        assert ours == theirs


@pytest.mark.parametrize("create_using", CLASSES)
def test_views_change_with_their_bases(create_using):
    graph = nx.path_graph(40, create_using)
    hidden = {3}
    views = [
        graph.subgraph(range(39)),
        graph.subgraph(range(39)).subgraph(range(30)),
        graph.edge_subgraph(list(graph.edges)[:-1]),
        graph.copy(as_view=True),
        nx.restricted_view(graph, [39], []),
        nx.subgraph_view(graph, filter_node=lambda node: node not in hidden),
        graph.to_undirected(as_view=True),
        graph.to_directed(as_view=True),
    ]
    if graph.is_directed():
        views.append(graph.reverse(copy=False))
    changes = [lambda: None, lambda: graph.add_edge(2, 20), hidden.clear,
               lambda: graph.add_edge(0, 1, weight=0.5), lambda: graph.remove_edge(9, 10),
               lambda: graph.add_edge(29, 4), lambda: graph.remove_node(12)]
    for change in changes:
        change()
        for view in views:
            for name in ["all_pairs_dijkstra_path_length", "all_pairs_shortest_path_length"]:
                ours, theirs = both(name, view)
                assert not is_error(ours) and dict(ours) == dict(theirs)
    # what is no view is kept
    whole = nx.complete_graph(40)
    nx.diameter(whole, backend="starpaths")
    assert "starpaths" in whole.__networkx_cache__["backends"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_networkx_goes_on_in_a_forked_process():
    code = """
import os, networkx as nx
nx.config.warnings_to_ignore.add("cache")
nx.config.backend_priority = ["starpaths"]
graph = nx.path_graph(100)
ask = lambda: (nx.shortest_path(graph, 0, 99), nx.closeness_centrality(graph)[50])
expected = ask()
assert "starpaths" in graph.__networkx_cache__["backends"]
if os.fork() == 0:
    os._exit(0 if ask() == expected else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_functions_have_networkxs_names_and_signatures():
    theirs = nx.utils.backends._registered_algorithms
    for name, function in backend.FUNCTIONS.items():
        assert str(inspect.signature(function)) == str(inspect.signature(theirs[name].orig_func))
    assert set(dir(backend)) & set(theirs) == set(backend.FUNCTIONS)
    told = nx.utils.backends.backend_info["starpaths"]["functions"]
    assert set(told) == set(backend.FUNCTIONS)


def test_networkx_loads_the_library_only_when_it_is_used():
    code = ("import sys, networkx as nx; assert 'starpaths' in nx.config.backends; "
            "sys.exit('starpaths' in sys.modules or 'numpy' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
