"""Prepared networks: what they take, what they refuse, and their results beside searches."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import pandas
import pytest

import starpaths
from starpaths import Graph, Metric, Prepared, StarpathsError

WEIGHTS = ["int32", "int64", "uint32", "uint64", "float32", "float64"]


def grid(side, dtype="uint32", seed=0, **arguments):
    """Streets of a square, whose weights are whole, and differ by direction."""
    vertices = np.arange(side * side).reshape(side, side)
    across = np.stack([vertices[:, :-1].ravel(), vertices[:, 1:].ravel()])
    along = np.stack([vertices[:-1].ravel(), vertices[1:].ravel()])
    one_way = np.concatenate([across, along], axis=1)
    sources, targets = np.concatenate([one_way, one_way[::-1]], axis=1)
    weights = np.random.default_rng(seed).integers(1, 100, len(sources)).astype(dtype)
    # and a vertex that no street leads to
    return Graph.from_arcs(sources, targets, weights, n_vertices=side * side + 1, **arguments)


def coordinates_of_grid(side):
    y, x = np.divmod(np.arange(side * side + 1), side)
    return np.stack([x, y], axis=1)


@pytest.fixture
def triangle():
    """home → shop → work, and a longer street home → work."""
    return Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9], labels=["home", "shop", "work"])


def assert_is_exact(metric, graph):
    """Every query has the distances of searches."""
    n = graph.n_vertices
    rng = np.random.default_rng(1)
    sources, targets = rng.integers(n, size=(2, 40))
    expected = graph.table(sources, targets)
    np.testing.assert_array_equal(metric.table(sources, targets), expected)
    np.testing.assert_array_equal(metric.table(sources), graph.table(sources))
    pairs = np.stack([sources, targets], axis=1)
    diagonal = np.diagonal(expected)
    np.testing.assert_array_equal(metric.distances(pairs), diagonal)
    np.testing.assert_array_equal(metric.distances(sources, targets), diagonal)
    weights = graph.to_scipy().data
    for source, target, distance in zip(sources.tolist(), targets.tolist(), diagonal):
        found, route = metric.distance(source, target), metric.route(source, target)
        if distance == np.inf:
            assert found is None and route is None
            continue
        length, vertices, arcs = route
        assert found == length == distance == weights[arcs].sum()
        assert (vertices[0], vertices[-1], len(vertices)) == (source, target, len(arcs) + 1)


@pytest.mark.parametrize("dtype", WEIGHTS)
@pytest.mark.parametrize("is_labelled", [False, True])
def test_distances_are_those_of_searches(dtype, is_labelled):
    graph = grid(12, dtype)
    metric = Prepared(graph).customize()
    if is_labelled:
        assert metric.labels_nbytes > 0 and not metric.has_labels
        metric.labels()
        assert metric.has_labels
    assert_is_exact(metric, graph)
    assert metric.graph.dtype == dtype
    assert type(metric.distance(0, 5)) is (float if dtype.startswith("f") else int)
    assert metric.distances([(0, 5)], dtype="int64").tolist() == [metric.distance(0, 5)]


def test_large_tables_and_many_pairs_are_the_same_in_parts():
    graph = grid(4)
    metric = Prepared(graph).customize()
    n = graph.n_vertices
    few = metric.table(np.arange(n))
    sources, targets = np.arange(300) % n, np.arange(1 << 16) % n
    many = metric.table(sources, targets, dtype="float32")
    np.testing.assert_array_equal(many[:, :n], few[sources])
    assert (many[:, n:2 * n] == many[:, :n]).all() and (many[:, -1] == many[:, targets[-1]]).all()
    del many
    pairs = np.random.default_rng(2).integers(n, size=(600_000, 2))
    for _ in range(2):
        np.testing.assert_array_equal(metric.distances(pairs), few[pairs[:, 0], pairs[:, 1]])
        metric.labels()
    offsets, near, distances = metric.within(sources, 50)
    owners = np.repeat(np.arange(len(sources)), np.diff(offsets))
    assert offsets[-1] == len(near) == (few[sources] <= 50).sum()
    np.testing.assert_array_equal(distances, few[sources[owners], near])


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_what_is_near(dtype):
    graph = grid(9, dtype)
    metric = Prepared(graph).customize()
    sources = [3, 81, 40]
    offsets, vertices, distances = metric.within(sources, 120.5)
    expected = graph.within(sources, 120.5)
    for found, wanted in zip([offsets, vertices, distances], expected):
        np.testing.assert_array_equal(found, wanted)
    assert len(metric.within(sources, np.inf)[1]) == len(graph.within(sources, np.inf)[1])

    candidates = [7, 70, 81, 33]
    vertices, distances = metric.nearest(sources, candidates, 3)
    table = graph.table(sources, candidates)
    order = np.argsort(table, axis=1, kind="stable")[:, :3]
    wanted = np.take_along_axis(table, order, axis=1)
    np.testing.assert_array_equal(distances, wanted)
    np.testing.assert_array_equal(vertices, np.where(wanted < np.inf, np.array(candidates)[order], -1))
    assert vertices.dtype == np.int32 and (vertices == -1).any()
    assert metric.nearest(sources, candidates, 0)[0].shape == (3, 0)
    assert metric.k_shortest_paths(0, 20, 7) == graph.k_shortest_paths(0, 20, 7)


@pytest.mark.parametrize("side", ["out", "in"])
def test_totals_are_those_of_the_graph(side):
    graph = grid(8)
    metric = Prepared(graph).customize()
    metric.update([3, 5], [500, 1])
    found, wanted = metric.totals(side=side), metric.graph.totals(side=side)
    np.testing.assert_array_equal(found.closeness(), wanted.closeness())
    np.testing.assert_array_equal(found.eccentricity(), wanted.eccentricity())
    np.testing.assert_allclose(found.harmonic(), wanted.harmonic(), rtol=1e-12)
    assert found.mean_distance == wanted.mean_distance
    assert found.diameter == wanted.diameter
    assert (found.sums() != graph.totals(side=side).sums()).any()


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_other_weights(dtype):
    graph = grid(10, dtype)
    prepared = Prepared(graph)
    metric = prepared.customize()
    before = copy.copy(metric)
    weights = graph.to_scipy().data
    weights[7:40] += 60
    metric.customize(weights)
    assert_is_exact(metric, graph.with_weights(weights))
    assert_is_exact(before, graph)
    assert_is_exact(prepared.customize(weights), graph.with_weights(weights))

    metric.labels()
    weights[[5, 100]] = [1000, 3]
    metric.update([5, 100, 5], [17, 3, 1000])
    assert metric.has_labels
    assert_is_exact(metric, graph.with_weights(weights))
    np.testing.assert_array_equal(metric.graph.to_scipy().data, weights)
    # of another type
    metric.customize(weights * 0.5)
    assert metric.graph.dtype == ("float32" if dtype == "float32" else "float64")
    assert_is_exact(metric, graph.with_weights(weights * 0.5))


def test_coordinates(tmp_path):
    graph = grid(20)
    places = coordinates_of_grid(20)
    assert_is_exact(Prepared(graph, places).customize(), graph)
    assert_is_exact(Prepared(graph, places.tolist()).customize(), graph)
    (tmp_path / "roads.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 2\n")
    file = tmp_path / "roads.co"
    file.write_text("p aux sp co 3\nv 1 0 0\nv 3 2 0\nv 2 1 0\n")
    assert Prepared(Graph.read(tmp_path / "roads.gr"), file).customize().distance(0, 2) == 7
    with pytest.raises(StarpathsError, match="roads.co"):
        Prepared(graph, file)  # of other vertices


@pytest.mark.parametrize("is_mapped", [False, True])
def test_files(triangle, tmp_path, is_mapped):
    file = tmp_path / "roads.prepared"
    Prepared(triangle).save(file)
    prepared = Prepared.load(file, map=is_mapped)
    assert prepared.graph.name(2) == "work"
    metric = prepared.customize()
    assert metric.distance("home", "work") == 7
    assert metric.distances([("home", "work"), ("work", "home")]).tolist() == [7, np.inf]
    assert Graph.read(file).sssp("home").distances.tolist() == [0, 5, 7]
    metric.update([0], [50])
    assert metric.distance("home", "work") == 9
    other = tmp_path / "rush.prepared"
    metric.save(other)
    assert Prepared.load(other).customize().distance("home", "work") == 9
    assert Prepared.load(file).customize([1, 1, 1]).distance("home", "work") == 1


@pytest.mark.parametrize("labels", [[17, 4711, 900719925474], ["06001", "6001", "é"]])
def test_labels_that_ascend_are_names_in_files(labels, tmp_path):
    Prepared(Graph.from_arcs([0, 1], [1, 2], labels=labels)).save(tmp_path / "ids.prepared")
    again = Prepared.load(tmp_path / "ids.prepared").graph
    assert again.vertices(labels).tolist() == [0, 1, 2]
    assert [again.name(v) for v in range(3)] == labels


@pytest.mark.parametrize("labels", [[4711, 17, 20_000], ["b", "a", "c"], [("a", 1), "b", "c"],
                                    [1, "2", 3], [-1, 2, 3], [2**64, 2**65, 2**66], ["", "a", "b"]])
def test_other_labels_are_told(labels, tmp_path):
    prepared = Prepared(Graph.from_arcs([0, 1], [1, 2], labels=labels))
    with pytest.raises(StarpathsError, match="nodelist=sorted.graph.*sort_index"):
        prepared.save(tmp_path / "bad.prepared")
    assert not (tmp_path / "bad.prepared").exists()


def distance_of_file(file):
    return Prepared.load(file, map=True).customize().distance(0, 2)


def test_processes_share_a_file(triangle, tmp_path):
    file = tmp_path / "roads.prepared"
    prepared = Prepared(triangle)
    prepared.save(file)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(distance_of_file, [file] * 3) == [7, 7, 7]
    for what in [prepared, prepared.customize()]:
        with pytest.raises(TypeError, match="save it once"):
            pickle.dumps(what)
    assert copy.deepcopy(prepared) is prepared


def test_files_that_are_refused(triangle, tmp_path):
    with pytest.raises(StarpathsError, match="ends in .prepared"):
        Prepared(triangle).save(tmp_path / "roads.spg")
    with pytest.raises(FileNotFoundError):
        Prepared.load(tmp_path / "none.prepared")
    plain = tmp_path / "plain.csv"
    plain.write_text("1,2,3\n")
    with pytest.raises(StarpathsError, match="not prepared; Prepared.Graph.read"):
        Prepared.load(plain)
    file = tmp_path / "roads.prepared"
    Prepared(triangle).save(file)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(StarpathsError, match="roads.prepared"):
        Prepared.load(file)


def test_errors_name_the_argument_and_what_to_do(triangle):
    prepared = Prepared(triangle)
    metric = prepared.customize()
    metric.labels()
    wrong = [
        (lambda: prepared.customize([1, 2]), "weights: 2 entries, .* 3 arcs; expected one for each"),
        (lambda: prepared.customize([1, -2, 3]), "weights: the arc 0 -> 2 weighs -2; .*at least zero"),
        (lambda: prepared.customize([1, 2, np.nan]), "weights: entry 2 is NaN; expected a finite"),
        (lambda: prepared.customize([1, np.inf, 2]), "weights: entry 1 is inf.*closed a large one"),
        (lambda: prepared.customize("abc"), "weights"),
        (lambda: metric.customize([1, 2]), "weights: 2 entries"),
        (lambda: metric.customize([-1, 2, 3]), "weights: the arc 0 -> 1 weighs -1"),
        (lambda: metric.update([0], [1, 2]), "weights: 2 entries for 1 arcs"),
        (lambda: metric.update([3], [1]), "arcs: entry 0 is 3; the graph has 3 arcs"),
        (lambda: metric.update([-1], [1]), "arcs: entry 0 is -1"),
        (lambda: metric.update([0], [-4]), "weights: the arc 0 -> 1 weighs -4"),
        (lambda: metric.update([0], [0.5]), "weights: entry 0 is 0.5, .*int64 cannot be"),
        (lambda: metric.update([0], [np.nan]), "weights: entry 0 is NaN"),
        (lambda: metric.distance(0, 3), "target 3 does not exist"),
        (lambda: metric.distance("nowhere", 0), "source is 'nowhere'; .* a name that the graph has"),
        (lambda: metric.route(0, "nowhere"), "target is 'nowhere'"),
        (lambda: metric.distances([0, 1, 2]), "pairs: an array of shape .*expected"),
        (lambda: metric.distances([0, 1], [2]), "targets: 1 entries for 2 sources"),
        (lambda: metric.table([7]), "source 7 does not exist"),
        (lambda: metric.nearest([0], [7]), "candidate 7 does not exist"),
        (lambda: metric.nearest([0], [1], -1), "k is -1; expected"),
        (lambda: metric.within([0], -1), "cutoff is -1; expected zero or more"),
        (lambda: metric.within([0], np.nan), "cutoff is NaN"),
        (lambda: metric.totals(side="up"), "side is 'up'"),
        (lambda: Prepared(triangle, [[0, 0]]), r"coordinates: an array of shape \(1, 2\); expected \(3, 2\)"),
        (lambda: Prepared(triangle, [[0, 0], [1, np.nan], [2, 2]]), "coordinates: row 1 is"),
        (lambda: triangle.vertices(["work", "nowhere"]), "names: entry 1 is 'nowhere'"),
    ]
    for call, message in wrong:
        with pytest.raises(StarpathsError, match=message):
            call()
    # and nothing has changed
    assert metric.has_labels and metric.distance("home", "work") == 7
    with pytest.raises(TypeError):
        Prepared([[0, 1], [1, 0]])


def test_graphs_without_small_separators_are_refused():
    rng = np.random.default_rng(3)
    people = Graph.from_arcs(*rng.integers(20_000, size=(2, 400_000)))
    with pytest.raises(StarpathsError, match="graph: it has no small separators.*Graph.table"):
        Prepared(people)


def test_negative_weights_of_the_graph_are_refused():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, -2])
    prepared = Prepared(graph)
    with pytest.raises(StarpathsError, match="weights: the arc 1 -> 2 weighs -2"):
        prepared.customize()
    assert prepared.customize([5, 2]).distance(0, 2) == 7


@pytest.mark.parametrize("n", [0, 1])
def test_graphs_without_arcs(n, tmp_path):
    metric = Prepared(Graph.from_arcs([], [], n_vertices=n)).customize()
    every = list(range(n))
    assert metric.table(every).shape == (n, n)
    assert metric.distances(np.empty((0, 2), int)).shape == (0,)
    assert metric.within([], 1)[0].tolist() == [0]
    metric.labels()
    metric.save(tmp_path / "none.prepared")
    assert Prepared.load(tmp_path / "none.prepared").graph.n_vertices == n


def test_threads_ask_while_weights_change():
    graph = grid(30)
    metric = Prepared(graph).customize()
    weights = graph.to_scipy().data
    both = {metric.distance(0, 899), Prepared(graph).customize(weights * 2).distance(0, 899)}
    is_over, seen = threading.Event(), set()

    def ask():
        while not is_over.is_set():
            seen.add(metric.distance(0, 899))

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    for turn in range(20):
        metric.customize(weights * (1 + turn % 2))
        metric.labels()
    is_over.set()
    for asker in askers:
        asker.join()
    assert seen <= both


@pytest.mark.parametrize("find", ["table", "distances", "labelled", "within", "nearest", "totals",
                                  "k_shortest_paths"])
def test_an_interrupt_ends_long_work(find):
    graph = grid(150)
    n = graph.n_vertices
    metric = Prepared(graph, coordinates_of_grid(150)).customize()
    every = np.arange(n)
    pairs = np.random.default_rng(0).integers(n, size=(1 << 24, 2), dtype=np.int32)
    if find == "labelled":
        metric.labels()
    work = {
        "table": lambda: metric.table(np.tile(every, 40), every[:400]),
        "distances": lambda: metric.distances(pairs),
        "labelled": lambda: metric.distances(pairs),
        "within": lambda: metric.within(every, 900),
        "nearest": lambda: metric.nearest(np.tile(every, 40), every[::7], 20),
        "totals": metric.totals,
        "k_shortest_paths": lambda: metric.k_shortest_paths(0, n - 2, 10**7),
    }[find]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 30
    assert metric.distance(0, 1) is not None


def test_tables_of_pandas_with_ids_and_coordinates():
    nodes = pandas.DataFrame({"x": [0.0, 1, 2, 3], "y": 0.0}, index=[40, 10, 30, 20])
    edges = pandas.DataFrame({"from": [40, 10], "to": [10, 30], "distance": [5.0, 2.0]})
    graph = starpaths.from_pandas(edges, "from", "to", "distance", directed=False, nodes=nodes)
    metric = Prepared(graph, nodes[["x", "y"]]).customize()
    pairs = graph.vertices([40, 30, 30, 20]).reshape(2, 2)
    assert metric.distances(pairs).tolist() == [7, np.inf]
    assert [graph.name(v) for v in metric.route(*pairs[0].tolist())[1]] == [40, 10, 30]
    with pytest.raises(StarpathsError, match="row 1 of the edges has the end 30"):
        starpaths.from_pandas(edges, "from", "to", nodes=nodes.drop(index=30))
    with pytest.raises(StarpathsError, match="nodes: .*40.* is twice"):
        starpaths.from_pandas(edges, "from", "to", nodes=nodes.index.append(nodes.index[:1]))


def test_a_graph_as_osmnx_makes_them():
    networkx = pytest.importorskip("networkx")
    city = networkx.MultiDiGraph(crs="epsg:4326")
    for node, x in [(501, 7.1), (502, 7.2), (503, 7.3)]:
        city.add_node(node, x=x, y=50.0, street_count=2)
    city.add_edge(501, 502, osmid=1, length=5.0, oneway=True)
    city.add_edge(501, 502, osmid=2, length=4.5, oneway=True)
    city.add_edge(502, 503, osmid=[3, 4], length=2.0, oneway=True)
    graph = starpaths.from_networkx(city, "length")
    metric = Prepared(graph).customize()
    assert metric.distance(*graph.vertices([501, 503]).tolist()) == 6.5
    turned = starpaths.from_networkx(city, "length", nodelist=[503, 502, 501])
    assert [turned.name(v) for v in range(3)] == [503, 502, 501]
    metric = Prepared(turned).customize()
    assert metric.distance(*turned.vertices([501, 503]).tolist()) == 6.5
    for wrong in [[501, 502], [501, 502, 503, 504], [501, 502, 502], [501, 502, 503, 503]]:
        with pytest.raises(StarpathsError, match="nodelist has"):
            starpaths.from_networkx(city, nodelist=wrong)


def test_representations(triangle):
    prepared = Prepared(triangle)
    assert "3 vertices and 3 arcs" in repr(prepared)
    assert prepared.height <= 3 and prepared.hierarchy_arcs >= 2
    metric = prepared.customize()
    assert repr(metric) == "<starpaths.Metric of 3 vertices, weights int64>"
    metric.labels()
    assert repr(metric).endswith(", with labels>")
    assert isinstance(metric, Metric) and metric.prepared is prepared
    assert prepared.graph is triangle


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_tables_of_places(dtype):
    graph = grid(7, dtype)
    metric, rng = Prepared(graph).customize(), np.random.default_rng(3)
    sources, targets = rng.integers(50, size=(9, 2)), rng.integers(50, size=(30, 3))
    before, after = rng.integers(20, size=(9, 2)), rng.integers(20, size=(30, 3)).astype(float)
    after[2] = np.inf
    after[3, 1:] = np.inf
    whole = metric.table(np.arange(50))
    sums = whole[sources[:, :, None, None], targets] + before[:, :, None, None] + after
    places = {"source_distances": before, "target_distances": after}
    found = metric.table(sources, targets, **places)
    np.testing.assert_array_equal(found, sums.min(axis=(1, 3)))
    found = metric.table(sources, source_distances=before)
    np.testing.assert_array_equal(found, (whole[sources] + before[:, :, None]).min(axis=1))
    found = metric.table([0, 5], targets, target_distances=after)
    np.testing.assert_array_equal(found, (whole[[0, 5]][:, targets] + after).min(axis=2))
    assert metric.table(np.zeros((0, 2)), [1], source_distances=np.zeros((0, 2))).shape == (0, 1)


def test_places_that_are_refused(triangle):
    metric = Prepared(triangle).customize()
    for arguments, expected in [
        (([[0, 1]], None, [[1]]), r"source_distances: an array of shape \(1, 1\) for sources of"),
        (([0], None, [1]), r"expected both of shape \(k, e\)"),
        (([[0]], None, [[-1]]), "source 0 of the list has the distance -1"),
        (([0], [[0]], None, [[2.5]]), "target_distances: entry 0 is 2.5, which a distance of"),
        (([0], [[1] * 17], None, [[0] * 17]), "target 0 of the list has 17 vertices"),
        (([0], None, None, [[1]]), "target_distances: expected targets with them"),
    ]:
        sources, targets, before, after = (*arguments, None)[:4]
        with pytest.raises(StarpathsError, match=expected):
            metric.table(sources, targets, source_distances=before, target_distances=after)


def test_sums_along_paths():
    graph = starpaths.Graph.from_arcs([0, 1, 0, 2], [1, 2, 2, 3], [5, 2, 9, 1])
    metric = starpaths.Prepared(graph).customize()
    metres = graph.to_scipy().data * 10.0
    pairs = [(0, 2), (2, 1), (0, 3), (1, 1)]
    assert np.array_equal(metric.sums_along(metres, pairs), [70, np.nan, 80, 0], equal_nan=True)
    both = metric.sums_along([metres, np.ones(4)], [0, 0], [2, 3])
    assert both.tolist() == [[70, 2], [80, 3]]
    assert metric.sums_along(metres, []).shape == (0,)
    with pytest.raises(ValueError, match="attributes: 3 for 4 arcs; expected one each"):
        metric.sums_along(metres[:3], pairs)
    with pytest.raises(ValueError, match="attributes: expected one dimension"):
        metric.sums_along(["a"] * 4, pairs)
    # as many as routes have
    rng = np.random.default_rng(5)
    n = 200
    graph = starpaths.Graph.from_arcs(
        rng.integers(0, n, 900), rng.integers(0, n, 900), rng.integers(1, 50, 900)
    )
    metric = starpaths.Prepared(graph).customize()
    hops = np.ones(len(graph.to_scipy().data))
    pairs = rng.integers(0, n, (500, 2))
    routes = [metric.route(source, target) for source, target in pairs.tolist()]
    expected = [np.nan if route is None else len(route[2]) for route in routes]
    assert np.array_equal(metric.sums_along(hops, pairs), expected, equal_nan=True)


@pytest.mark.parametrize("is_labelled", [False, True])
def test_arcs_are_closed_and_opened(is_labelled):
    graph = Graph.from_arcs([0, 1, 0, 2], [1, 2, 2, 3], [5, 2, 9, 4])
    metric = Prepared(graph).customize()
    if is_labelled:
        metric.labels()
    before = copy.copy(metric)
    metric.change([("delete", 0, 1), ("insert", 2, 1, 4), ("reweight", 2, 3, 1)])
    assert_is_exact(metric, metric.graph)
    assert metric.has_labels == is_labelled
    assert metric.distance(0, 1) == 13 and before.distance(0, 1) == 5
    length, vertices, arcs = metric.route(0, 3)
    assert (length, metric.graph.to_scipy().data[arcs].sum()) == (10, 10)
    metric.update(arcs[:1], [90])
    assert metric.distance(0, 3) == 91
    assert_is_exact(metric, metric.graph)

    held = metric.graph.to_scipy().data.tolist()
    for changes, reason in [
        ([("delete", 2, 1), ("insert", 0, 3, 1)], "prepare the graph"),
        ([("delete", 0, 1)], "there is no arc"),
        ([("reweight", 2, 3, -1)], "weighs -1"),
        ([("reweight", 2, 3, 0.5)], "0.5 is no weight"),
    ]:
        with pytest.raises(StarpathsError, match=reason):
            metric.change(changes)
        assert metric.graph.to_scipy().data.tolist() == held
    metric.customize([5, 9, 2, 4])
    assert metric.distance(0, 3) == 11 and not metric.has_labels
