"""The backend "cuda" beside the processor, where there is a GPU."""

import signal

import numpy as np
import pytest
import scipy.sparse

import starpaths
from starpaths import DeviceMetric, Graph, Prepared, csgraph
from test_roads import grid

WEIGHTS = ["int32", "int64", "uint32", "uint64", "float32", "float64"]


def why_not():
    try:
        starpaths.Solver(Graph.from_arcs([0], [1]), backend="cuda")
    except starpaths.StarpathsError as error:
        return str(error)
    return ""


WHY_NOT = why_not()
with_gpu = pytest.mark.skipif(bool(WHY_NOT), reason=f"SKIPPED: {WHY_NOT}")


def random_graph(dtype, n=300, seed=0):
    matrix = scipy.sparse.random_array((n, n), density=0.02, rng=seed, format="csr")
    matrix.data = np.ceil(100 * matrix.data)
    return Graph(matrix.astype(dtype))


def test_where_there_is_no_gpu_it_is_said():
    if not WHY_NOT:
        pytest.skip("SKIPPED: there is a GPU")
    graph = Graph.from_arcs([0], [1])
    for ask in [lambda: graph.sssp(0, backend="cuda"), lambda: graph.pairs(backend="cuda"),
                lambda: csgraph.dijkstra([[0, 1], [1, 0]], backend="cuda"),
                lambda: graph.totals(backend="cuda"), lambda: graph.closure(backend="cuda"),
                lambda: DeviceMetric(Prepared(graph).customize())]:
        with pytest.raises(starpaths.StarpathsError, match="CUDA|driver|no GPU"):
            ask()


def test_gpus_are_asked_for_with_their_backend_alone():
    graph = Graph.from_arcs([0], [1])
    with pytest.raises(starpaths.StarpathsError, match="gpus needs backend='cuda'"):
        graph.sssp(0, gpus=2)
    with pytest.raises(starpaths.StarpathsError, match="gpus"):
        graph.sssp(0, gpus=0)


@with_gpu
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_searches_are_the_processors(dtype):
    graph = random_graph(dtype)
    here = graph.sssp(7)
    for there in [graph.sssp(7, backend="cuda"), graph.sssp(7, backend="cuda", gpus=1)]:
        assert (here.distances == there.distances).all()
        assert (here.predecessors == there.predecessors).all()
    sources = [5, 250, 9]
    assert (graph.table(sources) == graph.table(sources, backend="cuda")).all()
    for ours, theirs in zip(graph.trees(sources), graph.trees(sources, backend="cuda")):
        assert (ours == theirs).all()
    assert np.allclose(graph.all_pairs(), graph.all_pairs(backend="cuda"))
    totals = graph.totals(backend="cuda")
    assert np.allclose(graph.totals().closeness(), totals.closeness())


@with_gpu
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_betweenness_is_the_processors(dtype):
    for graph in [random_graph(dtype), random_graph(dtype).unweighted()]:
        for asked in [{}, {"sources": [3, 250, 9]}, {"sample": 40, "normalized": False}]:
            for here, there in [
                (graph.betweenness(**asked), graph.betweenness(backend="cuda", **asked)),
                (graph.edge_betweenness(**asked), graph.edge_betweenness(backend="cuda", **asked)),
            ]:
                assert here.any() and np.allclose(here, there)
    unweighted = random_graph(dtype).unweighted()
    here, there = [unweighted.approximate_betweenness(0.05, backend=backend)
                   for backend in [None, "cuda"]]
    assert (here == there).all()


@with_gpu
def test_arcs_are_counted_level_by_level():
    graph = random_graph("float32", seed=3).unweighted()
    assert graph.explain(backend="cuda").startswith("breadth-first")
    here, there = graph.sssp(7), graph.sssp(7, backend="cuda")
    assert (here.distances == there.distances).all()
    assert (here.predecessors == there.predecessors).all()
    assert (graph.table([5, 9]) == graph.table([5, 9], backend="cuda")).all()


@with_gpu
def test_a_solver_leaves_the_graph_there():
    graph = random_graph("float32", seed=1)
    solver = starpaths.Solver(graph, backend="cuda", searches=100)
    for source in range(50):
        tree = graph.sssp(source)
        assert (solver.sssp(source).distances == tree.distances).all()
    assert (solver.table([3, 4]) == graph.table([3, 4])).all()
    assert "on " in solver.plan and graph.explain(backend="cuda")


@with_gpu
def test_pairs_and_closure():
    graph = random_graph("int32", seed=2)
    pairs, expected = graph.pairs(backend="cuda"), graph.pairs()
    for u in range(0, 300, 7):
        assert (pairs.row(u) == expected.row(u)).all()
        assert pairs.query(u, 299 - u) == expected.query(u, 299 - u)
    assert (graph.closure(backend="cuda") == graph.closure()).all()
    matrix = graph.to_scipy()
    assert (csgraph.shortest_path(matrix, backend="cuda") == csgraph.shortest_path(matrix)).all()
    with pytest.raises(starpaths.StarpathsError, match="dijkstra"):
        graph.sssp(0, algorithm="a-star", backend="cuda")


@with_gpu
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_a_metric_is_the_processors(dtype):
    graph = grid(20, dtype)
    metric = Prepared(graph).customize()
    there = DeviceMetric(metric)
    n, weights = graph.n_vertices, graph.to_scipy().data
    pairs = np.random.default_rng(0).integers(n, size=(5000, 2))
    sources = [5, n - 1, 9]
    # the second are of another type, unless weights are floats
    for factor in [1, 0.5, 3]:
        if factor != 1:
            metric.customize(weights * factor)
            there.customize(weights * factor)
        expected = metric.distances(pairs)
        assert np.isinf(expected).any() and np.isfinite(expected).any()
        found = there.distances(pairs)
        assert (found.shape, found.dtype) == ((5000,), "float64")
        assert (found.get() == expected).all()
        found = there.distances(pairs[:, 0], pairs[:, 1], dtype="float32")
        assert found.dtype == "float32" and (found.get() == expected.astype("float32")).all()
        assert (there.table(sources) == metric.table(sources)).all()
        assert (there.table(sources, pairs[:7, 0]) == metric.table(sources, pairs[:7, 0])).all()
    whole = DeviceMetric(Prepared(graph).customize())
    found = whole.distances([(0, 1), (0, n - 1)], dtype="int64").get()
    assert found.tolist() == [graph.table([0], [1])[0, 0], np.iinfo("int64").max]
    table, expected = [it.table(sources, dtype="int64") for it in (whole, graph)]
    assert (table.mask == expected.mask).all() and (table == expected).all()
    assert whole.table([], dtype="int64").shape == (0, n)
    assert whole.distances(np.empty((0, 2), int)).shape == (0,)
    assert f"{n} vertices on GPU 0" in repr(there)


@with_gpu
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_aggregates_are_the_processors(dtype):
    graph = grid(20, dtype)
    there = DeviceMetric(Prepared(graph).customize())
    rng = np.random.default_rng(3)
    points, values = rng.integers(graph.n_vertices, size=900), rng.normal(size=900)
    categories = rng.integers(3, size=900)
    for arguments in [
        dict(),
        dict(categories=categories),
        dict(values=values, statistic="minimum", categories=categories),
        dict(values=values, statistic="sum", decay="linear"),
        dict(values=values, statistic="mean", decay="exponential", categories=categories),
        dict(values=values, statistic="sum", decay="gravity", beta=0.1),
    ]:
        for side in ["out", "in"]:
            found, expected = [it.aggregate(points, 150, side=side, **arguments)
                               for it in (there, graph)]
            assert (found.shape, found.dtype) == (expected.shape, "float64")
            # the exponential functions differ in their last digits
            tolerance = 1e-12 if arguments.get("decay") in ["exponential", "gravity"] else 0
            assert np.allclose(found, expected, tolerance, tolerance, equal_nan=True)
    assert (there.aggregate([], 5) == 0).all()
    for ask, message in [
        (lambda: there.aggregate([graph.n_vertices], 5), "point 401 does not exist"),
        (lambda: there.aggregate([0], -5), "cutoff is -5"),
        (lambda: there.aggregate([0], 5, decay="gravity"), "gravity needs beta"),
    ]:
        with pytest.raises(starpaths.StarpathsError, match=message):
            ask()


@with_gpu
def test_floats_of_32_bits_are_rounded_as_the_processors():
    graph = grid(20, "float32")
    metric = Prepared(graph).customize(graph.to_scipy().data / np.float32(7))
    there = DeviceMetric(metric)
    metric.labels()
    pairs = np.random.default_rng(1).integers(graph.n_vertices, size=(5000, 2))
    for dtype in ["float64", "float32"]:
        assert (there.distances(pairs, dtype=dtype).get() == metric.distances(pairs, dtype=dtype)).all()


@with_gpu
def test_what_a_metric_refuses_is_named():
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9], labels=["home", "shop", "work"])
    there = DeviceMetric(Prepared(graph).customize())
    assert there.distances([("home", "work")]).get().tolist() == [7]
    wide = np.array([2**63, 2**63, 1], dtype="uint64")
    for ask, message in [
        (lambda: there.distances([0, 1, 2]), "pairs: an array of shape .*expected"),
        (lambda: there.distances([0, 1], [2]), "targets: 1 entries for 2 sources"),
        (lambda: there.distances([(0, 3)]), "target 3 does not exist"),
        (lambda: there.table(["nowhere"]), "source is 'nowhere'"),
        (lambda: there.customize([1, 2]), "weights: 2 entries"),
        (lambda: there.customize([-1, 2, 3]), "weights: the arc 0 -> 1 weighs -1"),
        (lambda: there.customize([-1.5, 2, 3]), "weights: the arc 0 -> 1 weighs -1.5"),
        (lambda: DeviceMetric(Prepared(graph).customize(wide)), "more than 64 bits"),
    ]:
        with pytest.raises(starpaths.StarpathsError, match=message):
            ask()
    assert there.distances([(0, 2), (2, 0)]).get().tolist() == [7, np.inf]
    there.customize([0.5, 9, 2])
    with pytest.raises(starpaths.StarpathsError, match="i64 cannot hold all distances exactly"):
        there.distances([(0, 1)], dtype="int64")


@with_gpu
def test_an_interrupt_ends_a_table():
    graph = grid(150)
    every = np.arange(graph.n_vertices)
    there = DeviceMetric(Prepared(graph).customize())

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            for _ in range(1000):
                there.table(np.tile(every, 20), every[:100])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert there.table([7], [7]).tolist() == [[0]]
