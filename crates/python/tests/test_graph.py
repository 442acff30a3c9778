"""The class Graph: what it takes, what it refuses, and its results beside scipy's."""

import copy
import ctypes
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph

import starpaths
from starpaths import Graph, NegativeCycleError, StarpathsError

WEIGHTS = ["int32", "int64", "uint32", "uint64", "float32", "float64"]
ALL_PAIRS = ["floyd-warshall", "blocked", "recursive", "johnson"]
SEARCHES = ["dijkstra", "delta-stepping", "bellman-ford", "bellman-ford-queue"]


def test_the_version_is_that_of_the_package():
    assert starpaths.__version__.count(".") == 2
    assert starpaths.__version__[0].isdigit()


@pytest.fixture
def triangle():
    """0 → 1 → 2, a heavier arc 0 → 2, and a vertex of its own."""
    return Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9], n_vertices=4)


def random_matrix(seed, n=60, density=0.08):
    return scipy.sparse.random_array((n, n), density=density, rng=seed, format="csr")


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_weights_keep_their_type(dtype):
    matrix = scipy.sparse.csr_array(np.array([[0, 3], [4, 0]], dtype=dtype))
    graph = Graph(matrix)
    assert graph.dtype == dtype
    assert graph.to_scipy().dtype == dtype
    assert (graph.to_scipy() != matrix).nnz == 0
    assert graph.all_pairs().tolist() == [[0, 3], [4, 0]]


@pytest.mark.parametrize(
    ("dtype", "wider"),
    [("bool", "int32"), ("int8", "int32"), ("uint16", "uint32"), ("float16", "float32"),
     (">i4", "int32"), (">f8", "float64"), ("longlong", "int64")],
)
def test_other_weights_are_widened(dtype, wider):
    graph = Graph.from_arcs([0], [1], np.array([1], dtype=dtype))
    assert (graph.dtype, graph.sssp(0).distances[1]) == (wider, 1)


@pytest.mark.parametrize("dtype", ["longdouble", "complex128", "object", "U1", "datetime64[s]"])
def test_weights_that_would_lose_something_are_refused(dtype):
    with pytest.raises(StarpathsError, match="weights of type"):
        Graph.from_arcs([0], [1], np.array([1]).astype(dtype))


def test_ways_to_make_a_graph_agree():
    dense = np.array([[0, 1.5, np.inf], [np.nan, 0, 2], [0.5, 0, 0]])
    sparse = scipy.sparse.csr_array(np.where(np.isfinite(dense), dense, 0))
    graphs = [Graph(dense), Graph(np.asfortranarray(dense)), Graph(dense.tolist()), Graph(sparse),
              Graph(sparse.tocoo()), Graph(sparse.tolil()), Graph(scipy.sparse.csc_matrix(sparse)),
              Graph.from_csr(sparse.indptr, sparse.indices, sparse.data),
              Graph.from_arcs(*sparse.nonzero(), sparse.data)]
    for graph in graphs:
        assert (graph.n_vertices, graph.n_arcs) == (3, 3)
        assert graph.all_pairs().tolist() == graphs[0].all_pairs().tolist()


def test_stored_zeros_and_parallel_arcs_are_arcs():
    graph = Graph(scipy.sparse.csr_array(([0.0, 3, 7], [1, 2, 2], [0, 1, 3, 3]), shape=(3, 3)))
    assert graph.n_arcs == 3
    assert graph.sssp(0).distances.tolist() == [0, 0, 3]


def spoil(*arrays):
    """Writes what no graph has, and takes the memory away where numpy lets it go."""
    for array in arrays:
        array[:] = -1 if array.dtype.kind in "if" else 10**6
        if array.flags.owndata:
            array.resize(1, refcheck=False)


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_a_graph_does_not_see_what_happens_to_its_arrays(dtype):
    def arrays():
        matrix = random_matrix(5).astype(dtype)
        matrix.data[:] = np.arange(1, len(matrix.data) + 1)
        return matrix.indptr.copy(), matrix.indices.copy(), matrix.data.copy()

    indptr, indices, weights = arrays()
    expected = csgraph.dijkstra(scipy.sparse.csr_array((weights, indices, indptr)))
    graphs = []
    for kind in [np.int32, np.uint32, np.int64]:
        indptr, indices, weights = arrays()
        indices = indices.astype(kind)
        graphs.append(Graph.from_csr(indptr, indices, weights))
        spoil(indptr, indices, weights)
    indptr, indices, weights = arrays()
    matrix = scipy.sparse.csr_array((weights, indices, indptr))
    dense, (sources, targets) = matrix.toarray(), matrix.nonzero()
    sources, targets = sources.copy(), targets.copy()
    graphs += [Graph(matrix), Graph(dense), Graph.from_arcs(sources, targets, weights)]
    spoil(matrix.indptr, matrix.indices, matrix.data, dense.ravel(), sources, targets)
    for graph in graphs:
        assert graph.all_pairs().tolist() == expected.tolist()
        assert starpaths.Solver(graph).table([7]).tolist() == expected[[7]].tolist()


def test_an_undirected_graph_does_not_see_what_happens_to_its_arrays():
    upper = random_matrix(5)
    matrix = scipy.sparse.csr_array(upper + upper.T)
    graph, expected = Graph(matrix, directed=False), csgraph.dijkstra(matrix)
    assert graph.n_arcs == matrix.nnz
    spoil(matrix.indptr, matrix.indices, matrix.data)
    np.testing.assert_allclose(graph.all_pairs(), expected)


def test_what_goes_to_scipy_comes_back():
    graph = Graph(random_matrix(4))
    matrix = graph.to_scipy()
    assert matrix.indptr.dtype == matrix.indices.dtype == np.int32
    expected = graph.all_pairs()
    assert (Graph(matrix).all_pairs() == expected).all()
    spoil(matrix.indptr, matrix.indices, matrix.data)
    assert (graph.all_pairs() == expected).all()


def test_arrays_of_other_types_and_with_gaps():
    matrix = random_matrix(5)
    expected = Graph(matrix).all_pairs()
    strided = np.repeat(matrix.data, 2)[::2]
    for indices, weights in [(matrix.indices.astype(np.int64), matrix.data),
                             (matrix.indices, strided), (matrix.indices.tolist(), matrix.data)]:
        assert (Graph.from_csr(matrix.indptr, indices, weights).all_pairs() == expected).all()
    with pytest.raises(StarpathsError, match="entry 0 is -2; expected zero or more"):
        Graph.from_csr([0, 1], np.array([-2], dtype=np.int32))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells the peak of memory")
def test_a_graph_takes_the_memory_of_its_arrays_once():
    code = """
import numpy as np, re, starpaths
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10
n, m = 10_000, 4_000_000
indptr = np.linspace(0, m, n + 1).astype(np.int64)
indices, weights = np.arange(m, dtype=np.int32) % n, np.arange(m, dtype=np.float64)
starpaths.Graph.from_csr([0, 1], [0]).sssp(0)
before = peak()
graph = starpaths.Graph.from_csr(indptr, indices, weights)
raise SystemExit(peak() - before > 12 * m + (8 << 20))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_arrays_that_are_not_aligned(dtype):
    def shifted(array):
        memory = bytearray(1) + array.tobytes()
        found = np.frombuffer(memory, array.dtype, offset=1).reshape(array.shape)
        assert not found.flags.aligned
        return found

    dense = np.array([[0, 3, 9], [0, 0, 4], [0, 0, 0]], dtype=dtype)
    sources, targets = (ends.astype("int32") for ends in np.nonzero(dense))
    weights, indptr = dense[dense != 0], np.array([0, 2, 3, 3], dtype="int32")
    graphs = [Graph(shifted(dense)),
              Graph.from_arcs(shifted(sources), shifted(targets), shifted(weights)),
              Graph.from_csr(shifted(indptr), shifted(targets), shifted(weights)),
              Graph.from_csr(indptr, shifted(targets.astype("uint32")), weights),
              Graph.from_csr(shifted(indptr.astype("int64")), targets, weights)]
    for graph in graphs:
        assert graph.table(shifted(np.array([0], dtype="int32"))).tolist() == [[0, 3, 7]]


def test_what_is_masked_is_no_arc_and_no_number():
    masked = np.ma.masked_equal([[0, 7, 5], [0, 0, 2], [0, 0, 0]], 7)
    for graph in [Graph(masked), Graph(masked.astype("float32"))]:
        assert graph.all_pairs()[0].tolist() == [0, np.inf, 5]
    ends, hidden = np.array([0, 1]), np.ma.array([0, 1], mask=[0, 1])
    for make in [lambda: Graph.from_arcs(hidden, ends), lambda: Graph.from_arcs(ends, ends, hidden),
                 lambda: Graph.from_csr([0, 2], [0, 0], hidden),
                 lambda: Graph(masked).table(hidden)]:
        with pytest.raises(StarpathsError, match="masked entries"):
            make()
    assert Graph.from_arcs(np.ma.array([0]), [1]).n_arcs == 1


def test_undirected_graphs():
    upper = np.array([[0, 2, 0], [0, 0, 3], [0, 0, 0]])
    both = Graph(upper, directed=False)
    assert not both.is_directed and both.n_arcs == 4
    assert Graph(upper + upper.T, directed=False).n_arcs == 4
    assert both.all_pairs().tolist() == [[0, 2, 5], [2, 0, 3], [5, 3, 0]]


BAD = [
    lambda: Graph(np.zeros(3)),
    lambda: Graph(np.zeros((2, 3))),
    lambda: Graph(np.zeros((2, 2, 2))),
    lambda: Graph(5),
    lambda: Graph("graph"),
    lambda: Graph(None),
    lambda: Graph([[1, 2], [3]]),
    lambda: Graph(scipy.sparse.csr_array((2, 3))),
    lambda: Graph(scipy.sparse.coo_array(np.ones(3))),
    lambda: Graph.from_arcs([0], [1, 2]),
    lambda: Graph.from_arcs([0], [1], [1, 2]),
    lambda: Graph.from_arcs([0], [1], [np.nan]),
    lambda: Graph.from_arcs([0], [1], [np.inf]),
    lambda: Graph.from_arcs([-1], [1]),
    lambda: Graph.from_arcs([0], [2**32]),
    lambda: Graph.from_arcs([0], np.array([2**64 - 1], dtype=np.uint64)),
    lambda: Graph.from_arcs([0.0], [1]),
    lambda: Graph.from_arcs([[0]], [[1]]),
    lambda: Graph.from_arcs(0, 1),
    lambda: Graph.from_arcs([0], [5], n_vertices=3),
    lambda: Graph.from_arcs([0], [2**32 - 2], n_vertices=2**40),
    lambda: Graph.from_csr([], []),
    lambda: Graph.from_csr([0, 2], [0]),
    lambda: Graph.from_csr([0, 2, 1], [0], [1]),
    lambda: Graph.from_csr([0, -1], [0]),
    lambda: Graph.from_csr([0, 1], [7]),
]


@pytest.mark.parametrize("make", BAD)
def test_bad_graphs_are_refused(make):
    with pytest.raises((ValueError, TypeError)):
        make()


def test_bad_arguments_are_refused(triangle):
    for bad in [
        lambda: triangle.sssp(4),
        lambda: triangle.sssp(-1),
        lambda: triangle.sssp(0, target=4),
        lambda: triangle.sssp(0, cutoff=-1),
        lambda: triangle.sssp(0, cutoff=np.nan),
        lambda: triangle.sssp(0, target=1, cutoff=1),
        lambda: triangle.sssp(0, algorithm="a-star"),
        lambda: triangle.sssp(0, algorithm="breadth-first"),
        lambda: triangle.sssp(0, threads=0),
        lambda: triangle.sssp(0, dtype="complex64"),
        lambda: triangle.sssp(0, dtype="int8"),
        lambda: triangle.table([9]),
        lambda: triangle.table([0], [9]),
        lambda: triangle.table(0),
        lambda: triangle.table([[0]]),
        lambda: triangle.trees([9]),
        lambda: triangle.trees(cutoff=-1),
        lambda: triangle.nearest([9]),
        lambda: triangle.all_pairs(algorithm="blocked-product"),
        lambda: triangle.all_pairs(algorithm="dijkstra"),
        lambda: triangle.components("both"),
        lambda: triangle.k_shortest_paths(0, 9, 1),
        lambda: triangle.name(9),
        lambda: triangle.sssp("0"),
        lambda: triangle.sssp(0.5),
        lambda: triangle.sssp(None),
        lambda: triangle.sssp(2**70),
        lambda: triangle.betweenness(sources=[9]),
        lambda: triangle.betweenness(sources=[]),
        lambda: triangle.betweenness(sources=[0], sample=1),
        lambda: triangle.edge_betweenness(sources=[]),
        lambda: triangle.distances([0, 1]),
        lambda: triangle.distances([(0, 1, 2)]),
        lambda: triangle.distances([(0, 9)]),
        lambda: triangle.with_weights([1, 2]),
        lambda: triangle.with_weights([1, 2, np.nan]),
    ]:
        with pytest.raises(ValueError):
            bad()
    for bad in [lambda: triangle.sssp(0, dtype="nonsense"), lambda: Graph()]:
        with pytest.raises(TypeError):
            bad()


def test_errors_name_the_argument_and_what_it_can_be(triangle):
    for said, call in [
        ("threads is 0; expected a whole number above zero, or None",
         lambda: triangle.sssp(0, threads=0)),
        ("threads is -1; expected", lambda: triangle.totals(threads=-1)),
        ("threads is 1.5; expected", lambda: starpaths.Solver(triangle, threads=1.5)),
        ("sample is 0; expected", lambda: triangle.betweenness(sample=0)),
        ("seed is -1; expected a whole number from 0", lambda: triangle.totals(seed=-1)),
        ("k is -1; expected a whole number of at least",
         lambda: triangle.k_shortest_paths(0, 2, -1)),
        ("searches is -1; expected", lambda: starpaths.Solver(triangle, searches=-1)),
        ("n_vertices is -1; expected", lambda: Graph.from_arcs([0], [1], n_vertices=-1)),
        (r"'x.gr'; expected a matrix. Graph.read\('x.gr'\) reads", lambda: Graph("x.gr")),
        (r"array of shape \(3,\); expected", lambda: Graph(np.zeros(3))),
        ("source is 'a'; expected a number below 4, or a name", lambda: triangle.sssp("a")),
        ("target is 'a'; expected a list of vertices", lambda: triangle.table([0], "a")),
        ("vertex 9 does not exist: the tree has 4", lambda: triangle.sssp(0).path_to(9)),
    ]:
        with pytest.raises(StarpathsError, match=said):
            call()


def test_many_threads_and_many_paths_are_no_harm(triangle):
    assert triangle.sssp(0, threads=10**6).distances[2] == 7
    assert len(triangle.k_shortest_paths(0, 2, 10**15)) == 2


def test_trees(triangle):
    tree = triangle.sssp(0)
    assert tree.source == 0
    assert tree.distances.tolist() == [0, 5, 7, np.inf]
    assert (tree.predecessors.dtype, tree.predecessors.tolist()) == (np.int32, [-1, 0, 1, -1])
    assert tree.path_to(2) == [0, 1, 2] and tree.path_to(0) == [0]
    assert tree.path_to(3) is None
    for missing in [4, -1, 2**40]:
        with pytest.raises(StarpathsError, match="does not exist"):
            tree.path_to(missing)
    with pytest.raises(ValueError):
        tree.predecessors[0] = 1


def test_a_tree_cannot_be_changed(triangle):
    tree = triangle.sssp(0)
    for array in [tree.distances, tree.predecessors]:
        with pytest.raises(ValueError):
            array[1] = 2
    # paths are looked up in it
    with pytest.raises(ValueError):
        tree.predecessors.flags.writeable = True


@pytest.mark.parametrize("written", [[-1, 2, 1, -1], [-1, 0, 2, -1], [-1, 0, 9, -1], [0, 0, -7, 0]])
def test_a_path_ends_whatever_was_written_to_its_tree(triangle, written):
    tree, written = triangle.sssp(0), np.array(written, dtype=np.int32)
    # by its address, as numpy does not allow it; an array on a GPU is open to all
    ctypes.memmove(tree.predecessors.ctypes.data, written.ctypes.data, written.nbytes)
    if 0 <= written[2] < 4:
        with pytest.raises(StarpathsError, match="vertex 2 lead round a cycle"):
            tree.path_to(2)
    else:
        assert tree.path_to(2) is None
    assert tree.path_to(0) == [0]


def test_goals(triangle):
    assert triangle.sssp(0, cutoff=5.5).distances.tolist() == [0, 5, np.inf, np.inf]
    assert triangle.sssp(0, cutoff=np.inf).distances.tolist() == [0, 5, 7, np.inf]
    assert triangle.sssp(0, cutoff=2**70).distances.tolist() == [0, 5, 7, np.inf]
    assert triangle.sssp(0, target=1).distances.tolist() == [0, 5, np.inf, np.inf]


def test_integers_are_exact_and_masked():
    heavy = 2**53 + 1
    graph = Graph.from_arcs([0], [1], [heavy], n_vertices=3)
    for distances in [graph.sssp(0, dtype="int64").distances, graph.all_pairs(dtype="int64")[0],
                      graph.table([0], dtype="int64")[0]]:
        assert distances.tolist() == [0, heavy, None]
        assert distances.mask.tolist() == [False, False, True]
    for dtype in [None, "float64", "int32", "uint32", "float32"]:
        with pytest.raises(StarpathsError, match="another dtype"):
            graph.sssp(0, dtype=dtype)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_distances_come_in_every_type(weights, dtype):
    graph = Graph.from_arcs([0, 1], [1, 2], np.array([3, 4], dtype=weights), n_vertices=4)
    distances = graph.sssp(0, dtype=dtype).distances
    assert distances.dtype == dtype
    assert np.ma.filled(distances[:3]).tolist() == [0, 3, 7]
    assert np.ma.is_masked(distances[3]) or distances[3] == np.inf


def test_fractions_are_no_integers():
    with pytest.raises(StarpathsError, match="another dtype"):
        Graph.from_arcs([0], [1], [0.5]).sssp(0, dtype="int64")


@pytest.mark.parametrize("seed", range(4))
def test_distances_are_scipys(seed):
    matrix = random_matrix(seed)
    expected = csgraph.dijkstra(matrix)
    graph = Graph(matrix)
    np.testing.assert_allclose(graph.all_pairs(), expected)
    for algorithm in ALL_PAIRS:
        np.testing.assert_allclose(graph.all_pairs(algorithm=algorithm), expected)
    for algorithm in SEARCHES:
        np.testing.assert_allclose(graph.sssp(3, algorithm=algorithm).distances, expected[3])
        np.testing.assert_allclose(graph.table([5, 5, 0], algorithm=algorithm), expected[[5, 5, 0]])
    np.testing.assert_allclose(graph.table([1, 2], [3, 3, 4]), expected[[1, 2]][:, [3, 3, 4]])
    distances, owners = graph.nearest([7, 2, 50])
    np.testing.assert_allclose(distances, expected[[2, 7, 50]].min(axis=0))
    is_reached = np.isfinite(distances)
    assert (expected[owners[is_reached], is_reached.nonzero()[0]] == distances[is_reached]).all()
    assert (owners[~is_reached] == -1).all()
    transposed = graph.transposed()
    np.testing.assert_allclose(transposed.all_pairs(), expected.T)


@pytest.mark.parametrize("is_negative", [False, True])
def test_predecessors_lead_along_shortest_paths(is_negative):
    matrix = random_matrix(9)
    if is_negative:
        # potentials make weights negative, and no cycle
        heights = np.random.default_rng(1).integers(0, 9, 60)
        rows, columns = matrix.nonzero()
        matrix.data += heights[rows] - heights[columns]
    graph = Graph(matrix)
    assert graph.has_negative_weights == is_negative
    distances, predecessors = graph.trees()
    np.testing.assert_allclose(distances, csgraph.johnson(matrix), atol=1e-12)
    dense = matrix.toarray()
    for source, target in np.argwhere(predecessors >= 0):
        before = predecessors[source, target]
        np.testing.assert_allclose(
            distances[source, before] + dense[before, target], distances[source, target],
            atol=1e-12)
    assert ((predecessors < 0) == (np.isinf(distances) | np.eye(60, dtype=bool))).all()
    some, theirs = graph.trees([4, 8])
    np.testing.assert_allclose(some, distances[[4, 8]], atol=1e-12)


def test_negative_cycles_are_named():
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 1, 0], [1, -5, 3, 1])
    for find in [lambda: graph.sssp(0), graph.all_pairs, lambda: graph.table([0]), graph.trees]:
        with pytest.raises(NegativeCycleError) as caught:
            find()
        assert sorted(caught.value.cycle) == [1, 2]
        assert isinstance(caught.value, StarpathsError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.cycle == caught.value.cycle


def test_overflow_is_no_wrap():
    graph = Graph.from_arcs([0, 1], [1, 2], np.array([2**63, 2**63], dtype=np.uint64))
    with pytest.raises(StarpathsError, match="overflow"):
        graph.sssp(0, dtype="uint64")


def test_k_shortest_paths(triangle):
    assert triangle.k_shortest_paths(0, 2, 5) == [(7, [0, 1, 2]), (9, [0, 2])]
    assert triangle.k_shortest_paths(0, 3, 5) == []
    assert triangle.k_shortest_paths(0, 2, 0) == []
    assert triangle.k_shortest_paths(1, 1, 3) == [(0, [1])]


def test_components_and_closure():
    matrix = random_matrix(3, n=80, density=0.02)
    graph = Graph(matrix)
    for connection in ["weak", "strong"]:
        n, labels = graph.components(connection)
        expected, theirs = csgraph.connected_components(matrix, connection=connection)
        assert n == expected and len(set(zip(labels, theirs))) == n
        sources, targets = matrix.nonzero()
        assert (labels[sources] >= labels[targets]).all()
    reached = (csgraph.dijkstra(matrix) < np.inf) & ~np.eye(80, dtype=bool)
    assert (graph.closure() & ~np.eye(80, dtype=bool) == reached).all()


def test_spanning_forests():
    matrix = random_matrix(5)
    sources, targets, weights = Graph(matrix).minimum_spanning_forest()
    expected = csgraph.minimum_spanning_tree(matrix)
    np.testing.assert_allclose(weights.sum(), expected.sum())
    assert len(weights) == expected.nnz and (sources < targets).all()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_graphs_without_arcs(n):
    graph = Graph.from_arcs([], [], n_vertices=n)
    expected = np.where(np.eye(n, dtype=bool), 0, np.inf)
    assert graph.all_pairs().tolist() == expected.tolist()
    assert graph.table([]).shape == (0, n)
    assert graph.trees()[0].tolist() == expected.tolist()
    assert graph.nearest([])[0].tolist() == [np.inf] * n
    assert graph.components() == (n, pytest.approx(np.arange(n)))
    assert graph.closure().shape == (n, n)
    assert graph.to_scipy().shape == (n, n)


def test_files(tmp_path):
    path = tmp_path / "two.gr"
    path.write_text("p sp 3 2\na 1 2 7\na 2 3 1\n")
    graph = Graph.read(path)
    assert graph.sssp(graph.vertex(1)).distances.tolist() == [0, 7, 8]
    assert (graph.name(0), graph.vertex(3), graph.vertex(4), graph.vertex("2")) == (1, 2, None, 1)
    words = tmp_path / "words.csv"
    words.write_text("source,target,weight\nhere,there,2.5\n")
    graph = Graph.read(str(words))
    assert graph.sssp(graph.vertex("here")).distances[graph.vertex("there")] == 2.5
    assert graph.name(graph.vertex("there")) == "there"
    path.write_text("p sp 3 1\na 1 9 7\n")
    with pytest.raises(StarpathsError, match="two.gr:2"):
        Graph.read(path)
    with pytest.raises(FileNotFoundError):
        Graph.read(tmp_path / "none.gr")
    (tmp_path / "folder.gr").mkdir()
    with pytest.raises(OSError):
        Graph.read(tmp_path / "folder.gr")
    for wrong in ["none.xyz", "-"]:
        with pytest.raises(ValueError):
            Graph.read(wrong)


def test_labels_name_vertices():
    graph = Graph.from_arcs([0, 1], [1, 2], labels=["home", ("a", 1), None])
    assert [graph.name(v) for v in range(3)] == ["home", ("a", 1), None]
    assert (graph.vertex(None), graph.vertex("away")) == (2, None)
    assert graph.transposed().name(0) == graph.unweighted().name(0) == "home"
    for bad in [["a", "b"], ["a", "a", "b"], [[], [], []]]:
        with pytest.raises((StarpathsError, TypeError)):
            Graph.from_arcs([0, 1], [1, 2], labels=bad)


@pytest.mark.parametrize("is_negative", [False, True])
def test_pairs_are_all_pairs(is_negative):
    matrix = random_matrix(7)
    sources, targets = matrix.nonzero()
    weights = np.round(100 * matrix.data).astype(np.int64)
    if is_negative:
        potentials = np.random.default_rng(1).integers(100, size=60)
        weights += potentials[targets] - potentials[sources]
    graph = Graph.from_arcs(sources, targets, weights)
    pairs, distances = graph.pairs(), graph.all_pairs()
    assert all((pairs.row(u) == distances[u]).all() for u in range(60))
    for u, v in np.random.default_rng(2).integers(60, size=(100, 2)):
        if not np.isfinite(distances[u, v]):
            assert pairs.query(u, v) is None
            continue
        length, path = pairs.query(u, v)
        assert length == distances[u, v] and (path[0], path[-1]) == (u, v)
        assert len(path) == 1 or path[1] == pairs.next_hops(u)[v]
        assert graph.to_scipy()[path[:-1], path[1:]].sum() == length
    assert "vertices" in pairs.plan
    with pytest.raises(StarpathsError, match="source 60"):
        pairs.query(60, 0)


def test_pairs_go_to_an_array_or_a_file(tmp_path):
    graph = Graph(random_matrix(8))
    expected = graph.all_pairs()
    array = np.empty((60, 60))
    assert graph.all_pairs(out=array) is array
    assert (array == expected).all()
    file = tmp_path / "pairs.npy"
    assert isinstance(graph.all_pairs(out=file, dtype="float32"), np.memmap)
    assert (np.load(file) == expected.astype(np.float32)).all()
    assert os.listdir(tmp_path) == ["pairs.npy"]
    whole = graph.unweighted().all_pairs(out=tmp_path / "hops.npy", dtype="int32")
    assert whole.max() == 2**31 - 1
    for bad in [np.empty((60, 59)), np.empty((60, 60), dtype="int8"), tmp_path / "pairs.txt"]:
        with pytest.raises(StarpathsError, match="out is|dtype is"):
            graph.all_pairs(out=bad)
    with pytest.raises(StarpathsError):
        graph.all_pairs(out=tmp_path / "fractions.npy", dtype="int64")
    with pytest.raises(OSError):
        graph.all_pairs(out=tmp_path / "missing" / "pairs.npy")
    assert sorted(os.listdir(tmp_path)) == ["hops.npy", "pairs.npy"]


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_no_path_and_the_greatest_integer_are_told_apart(dtype, tmp_path):
    greatest = np.iinfo(dtype).max
    for heavy, is_told in [(greatest, False), (greatest - 1, True)]:
        graph = Graph.from_arcs([0], [1], [heavy], n_vertices=3)
        for out in [np.empty((3, 3), dtype=dtype), tmp_path / "pairs.npy"]:
            if is_told:
                assert graph.all_pairs(out=out, dtype=dtype)[0].tolist() == [0, heavy, greatest]
                continue
            with pytest.raises(StarpathsError, match="means no path|another dtype|overflows"):
                graph.all_pairs(out=out, dtype=dtype)
        # a mask tells them apart
        if dtype != "int64":
            assert graph.all_pairs(dtype=dtype)[0].tolist() == [0, heavy, None]


def test_a_solver_answers_as_its_graph_does():
    graph = Graph(random_matrix(9))
    solver = starpaths.Solver(graph, searches=5)
    for source in range(5):
        ours, theirs = solver.sssp(source, cutoff=1.5), graph.sssp(source, cutoff=1.5)
        assert (ours.distances == theirs.distances).all()
        assert (ours.predecessors == theirs.predecessors).all()
    assert (solver.table([3, 1], [7]) == graph.table([3, 1], [7])).all()
    assert starpaths.Solver(graph, algorithm="dijkstra").plan == graph.explain(algorithm="dijkstra")
    with pytest.raises(StarpathsError, match="source -1"):
        solver.sssp(-1)
    with pytest.raises(StarpathsError, match="backend is 'tpu'"):
        starpaths.Solver(graph, backend="tpu")


def test_a_solver_of_many_threads_of_python():
    graph = Graph(random_matrix(10))
    solver, expected = starpaths.Solver(graph), graph.all_pairs()
    found = {}

    def search(source):
        found[source] = solver.sssp(source).distances

    threads = [threading.Thread(target=search, args=(source,)) for source in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[source] == expected[source]).all() for source in range(20))


@pytest.mark.parametrize("side", ["in", "out"])
def test_totals_are_of_all_pairs(side):
    graph = Graph(random_matrix(11))
    distances = graph.all_pairs()
    if side == "in":
        distances = distances.T
    is_there = np.isfinite(distances)
    sums = np.where(is_there, distances, 0).sum(axis=1)
    reached = is_there.sum(axis=1) - 1
    totals = graph.totals(side=side)
    assert np.allclose(totals.sums(), sums)
    assert (totals.reached() == reached).all()
    assert np.allclose(totals.eccentricity(), np.where(is_there, distances, 0).max(axis=1))
    with np.errstate(divide="ignore"):
        assert np.allclose(totals.harmonic(),
                           np.where(is_there & (distances > 0), 1 / distances, 0).sum(axis=1))
    closeness = np.divide(reached**2, 59 * sums, out=np.zeros(60), where=sums > 0)
    assert np.allclose(totals.closeness(), closeness)
    assert np.isclose(totals.mean_distance, sums.sum() / reached.sum())
    assert np.isclose(totals.wiener_index, sums.sum())
    assert totals.is_connected == is_there.all()
    assert np.isclose(graph.diameter()[0], totals.diameter)
    assert totals.center() == np.flatnonzero(totals.eccentricity() == totals.radius).tolist()
    sampled = graph.totals(side=side, sample=30, seed=1)
    assert sampled.wiener_index is None and sampled.reached().shape == (60,)


def test_hops_are_counted():
    graph = Graph(random_matrix(12)).unweighted()
    expected = graph.all_pairs()
    expected[~np.isfinite(expected)] = 0
    assert (graph.totals().sums() == expected.sum(axis=1)).all()
    assert isinstance(graph.totals().wiener_index, int)
    with pytest.raises(StarpathsError, match="at least zero"):
        Graph.from_arcs([0], [1], [-1]).totals()
    with pytest.raises(StarpathsError, match="side is 'up'"):
        graph.totals(side="up")


def test_approximate_betweenness_is_within_the_error():
    graph = Graph(random_matrix(3, n=200, density=0.02))
    exact = graph.unweighted().betweenness()
    found = graph.approximate_betweenness(0.02)
    assert np.abs(found - exact).max() <= 0.02
    assert (graph.approximate_betweenness(0.02, threads=1) == found).all()
    assert (graph.approximate_betweenness(0.02, failure=0.01, seed=1) != found).any()
    with pytest.raises(StarpathsError, match="the error is 1; expected a number above 0"):
        graph.approximate_betweenness(1)


def test_betweenness_of_arcs_is_in_the_order_of_arcs():
    graph = Graph.from_arcs([2, 0, 1, 0], [0, 1, 2, 1], [1.5, 1.5, 1.5, 4])
    arcs = graph.to_scipy()
    assert (arcs.indices.tolist(), arcs.data.tolist()) == ([1, 1, 2, 0], [1.5, 4, 1.5, 1.5])
    # around the cycle there are two arcs on the way to the one before
    assert graph.edge_betweenness(normalized=False).tolist() == [3, 0, 3, 3]
    assert graph.edge_betweenness().tolist() == [0.5, 0, 0.5, 0.5]
    assert graph.unweighted().edge_betweenness(normalized=False).tolist() == [1.5, 1.5, 3, 3]
    # three times the paths from one vertex
    assert graph.edge_betweenness(normalized=False, sources=[0]).tolist() == [6, 0, 3, 0]
    path = Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False)
    # two paths along each edge, each of which is two arcs
    assert path.edge_betweenness(normalized=False).tolist() == [1, 1, 1, 1]
    assert np.allclose(path.edge_betweenness(), 1 / 3)
    with pytest.raises(StarpathsError, match="0 -> 1 has weight 0"):
        Graph.from_arcs([0, 1], [1, 2], [0, 2]).edge_betweenness()


def test_measures_of_integers_are_integers():
    beyond = 2**53 + 1
    graph = Graph.from_arcs([0, 1], [1, 2], [beyond, 1])
    totals = graph.totals()
    assert totals.eccentricity().tolist() == [beyond + 1, 1, 0]
    assert totals.sums().tolist() == [2 * beyond + 1, 1, 0]
    assert (totals.radius, totals.diameter, graph.diameter()) == (0, beyond + 1, (beyond + 1, 0, 2))
    wide = Graph.from_arcs([0, 1], [1, 2], np.array([2**63 - 2] * 2, dtype=np.uint64)).totals()
    assert wide.eccentricity().tolist() == [2**64 - 4, 2**63 - 2, 0]
    assert type(Graph.from_arcs([0], [1], [1.0]).diameter()[0]) is float


def test_arborescences():
    graph = Graph.from_arcs([0, 0, 1, 2, 2], [1, 2, 2, 1, 3], [9.5, 4.5, 1.25, 1.0, 0.5])
    sources, targets, weights = graph.minimum_arborescence(0)
    assert (sources.tolist(), targets.tolist()) == ([0, 2, 2], [2, 1, 3])
    assert weights.tolist() == [4.5, 1.0, 0.5]
    with pytest.raises(StarpathsError, match="root 1 does not reach"):
        graph.minimum_arborescence(1)


def test_a_bar_shows_progress(monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")
    bars = []

    class Bar(tqdm.tqdm):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs, disable=False, file=open(os.devnull, "w"))
            bars.append(self)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    side = np.arange(20_000)
    graph = Graph.from_arcs(side[:-1], side[1:], np.ones(19_999) * 2.5)
    graph.table(np.arange(40), [5], progress=True)
    assert len(bars) == 1 and bars[0].total == bars[0].n == 40


@pytest.mark.parametrize("kind", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
def test_networkx_graphs(kind):
    nx = pytest.importorskip("networkx")
    theirs = getattr(nx, kind)([("a", "b", {"w": 2.5}), ("b", ("c", 1), {}), ("b", "b", {"w": 0})])
    graph = starpaths.from_networkx(theirs, weight="w")
    assert (graph.n_vertices, graph.is_directed) == (3, theirs.is_directed())
    ends = nx.single_source_dijkstra_path_length(theirs, "a", weight="w")
    distances = graph.sssp(graph.vertex("a")).distances
    assert ends == {graph.name(v): d for v, d in enumerate(distances)}
    assert starpaths.from_networkx(theirs, weight=None).dtype == "uint32"
    theirs.add_edge("a", "b", w="far")
    with pytest.raises(StarpathsError, match="weights other than integers and floats"):
        starpaths.from_networkx(theirs, weight="w")


def test_sources_and_targets_by_name():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 2], labels=["home", ("a", 1), "work"])
    assert graph.sssp("home").path_to(2) == graph.sssp(0, target="work").path_to(2) == [0, 1, 2]
    assert graph.table(["home", ("a", 1)], ["work"]).tolist() == [[7], [2]]
    assert graph.trees(["work"])[0].tolist() == [[np.inf, np.inf, 0]]
    assert graph.nearest(["home"])[1].tolist() == [0, 0, 0]
    assert graph.distances([("home", "work"), ("work", "home")]).tolist() == [7, np.inf]
    assert graph.k_shortest_paths("home", "work", 2) == [(7, [0, 1, 2])]
    assert starpaths.Solver(graph).table(["home"]).tolist() == [[0, 5, 7]]
    assert graph.minimum_arborescence("home")[2].tolist() == [5, 2]
    for bad in [lambda: graph.sssp("away"), lambda: graph.table(["home", "away"]),
                lambda: graph.table(["away"]), lambda: graph.sssp(("a", 2))]:
        with pytest.raises(StarpathsError, match="a name that the graph has"):
            bad()


def test_other_weights_keep_arcs_and_names():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False, labels=["a", "b", "c"])
    other = graph.with_weights([0.5, 0.5, 1, 1])
    assert (other.dtype, other.is_directed, other.vertex("c")) == ("float64", False, 2)
    assert other.sssp("a").distances.tolist() == [0, 0.5, 1.5]
    assert graph.with_weights(np.array([1, 2, 3, 4], dtype="uint32")).is_directed
    assert graph.sssp("a").distances.tolist() == [0, 5, 7]


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_distances_of_pairs(dtype):
    matrix = random_matrix(7, n=300, density=0.01)
    matrix.data = np.ceil(matrix.data * 99)
    graph = Graph(matrix.astype(dtype))
    pairs = np.random.default_rng(1).integers(0, 300, (2000, 2))
    expected = graph.table(range(300))[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_array_equal(graph.distances(pairs), expected)
    np.testing.assert_array_equal(graph.distances(pairs.tolist(), dtype="int64").filled(-1),
                                  np.where(np.isfinite(expected), expected, -1))
    assert graph.distances([]).shape == (0,)


def copies(value):
    return copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))


def test_graphs_and_trees_are_copied_and_pickled(triangle, tmp_path):
    (tmp_path / "words.csv").write_text("a,b,5\nb,c,2\n")
    (tmp_path / "numbers.csv").write_text("7,9,5\n9,70,2\n")
    (tmp_path / "city.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 2\n")
    files = [Graph.read(tmp_path / name) for name in ["words.csv", "numbers.csv", "city.gr"]]
    edges = Graph.from_arcs([0, 1], [1, 2], [0.5, 2], directed=False, labels=["x", ("y", 1), None])
    for graph in [triangle, triangle.unweighted(), edges, *files, Graph.from_arcs([], [])]:
        for other in copies(graph):
            assert (repr(other), other.is_directed) == (repr(graph), graph.is_directed)
            assert (other.to_scipy() != graph.to_scipy()).nnz == 0
            names = [graph.name(v) for v in range(graph.n_vertices)]
            assert [other.name(v) for v in range(graph.n_vertices)] == names
            assert [other.vertex(name) for name in names] == list(range(graph.n_vertices))
    for dtype in [None, "int64"]:
        tree = triangle.sssp(0, dtype=dtype)
        for other in copies(tree):
            assert (other.source, other.path_to(2)) == (0, [0, 1, 2])
            assert (other.distances == tree.distances).all()
            assert other.distances.dtype == tree.distances.dtype
            with pytest.raises(ValueError):
                other.distances[0] = 1
    reference = weakref.ref(graph), weakref.ref(tree)
    assert reference[0]() is graph and reference[1]() is tree


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    edges = pandas.DataFrame({"source": [7, -1, 7], "target": [-1, 10**15, 10**15],
                              "km": [1.5, 2.5, 9.0]})
    graph = starpaths.from_pandas(edges, weight="km", directed=False)
    assert (graph.n_vertices, graph.n_arcs, graph.dtype) == (3, 6, "float64")
    path = graph.sssp(graph.vertex(10**15)).path_to(graph.vertex(7))
    assert [graph.name(v) for v in path] == [10**15, -1, 7]
    with pytest.raises(StarpathsError, match="row 1 has no value for an end"):
        starpaths.from_pandas(edges.assign(target=["a", None, "b"]))
    with pytest.raises(KeyError):
        starpaths.from_pandas(edges, source="from")


def test_what_memory_cannot_hold_is_an_error():
    graph = Graph.from_arcs([], [], n_vertices=2**22)
    for find in [graph.all_pairs, graph.closure, graph.trees, graph.pairs,
                 lambda: graph.table(np.arange(2**22)),
                 lambda: starpaths.Solver(graph).table(np.arange(2**22))]:
        with pytest.raises(MemoryError, match="4194304 x 4194304 takes [0-9]+ bytes, and [0-9]+"):
            find()


@pytest.mark.parametrize(
    ("dtype", "cell"),
    [(None, 8), ("float64", 8), ("float32", 12), ("int64", 9), ("int32", 13), ("uint32", 13)],
)
def test_memory_is_asked_for_at_once(dtype, cell):
    n, all_vertices = 2**19, np.arange(2**19)
    graph = Graph.from_arcs([0, 1], [1, 2], [0.5, 1.5], n_vertices=n)
    below_zero = Graph.from_arcs([0, 1], [1, 2], [0.5, -1.5], n_vertices=n)
    for find, size in [
        (lambda: graph.all_pairs(dtype=dtype), cell),
        (lambda: graph.table(all_vertices, dtype=dtype), cell),
        (lambda: starpaths.Solver(graph).table(all_vertices, dtype=dtype), cell),
        (lambda: graph.trees(dtype=dtype), cell + 4),
        # next hops beside predecessors, and distances that are turned round
        (lambda: below_zero.trees(dtype=dtype), max(cell, 16) + 8),
        (graph.pairs, 8 + 4),
        (graph.closure, 9 / 8),
    ]:
        with pytest.raises(MemoryError, match=f"{n} x {n} takes {int(n * n * size)} bytes"):
            find()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit of memory is told")
def test_a_graph_that_memory_cannot_hold_is_an_error():
    code = """
import re, resource, numpy as np
from scipy.sparse import csr_array
from starpaths import Graph, csgraph
status = open("/proc/self/status").read()
limit = (int(re.search(r"VmSize:\\s+(\\d+)", status)[1]) << 10) + 3 * 2**28
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
last, many, zeros = 2**31 - 5, 2**27, lambda: np.zeros(2**27, dtype=np.int32)
for make in [
    lambda: Graph.from_arcs([0], [last]),
    lambda: Graph.from_arcs([0], [last], directed=False),
    lambda: Graph.from_arcs([last], [0], [1.5]),
    lambda: Graph.from_arcs([], [], n_vertices=last),
    lambda: Graph.from_csr([0, many], zeros()),
    lambda: Graph.from_csr(zeros(), []),
    lambda: Graph.from_arcs(zeros(), []),
    lambda: csgraph.dijkstra(csr_array(([1.0], ([0], [1])), shape=(many, many)), indices=0),
]:
    try:
        make()
    except MemoryError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    messages = done.stdout.splitlines()
    assert (done.returncode, len(messages)) == (0, 8), done.stderr
    assert all("starpaths.from_pandas" in m and "labels" in m for m in messages[:4])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit of memory is told")
def test_a_search_that_memory_cannot_hold_is_an_error():
    code = """
import re, resource, numpy as np
from starpaths import Graph
side = 700
vertices = np.arange(side * side).reshape(side, side)
sources = np.concatenate((vertices[:, :-1].ravel(), vertices[:-1].ravel()))
targets = np.concatenate((vertices[:, 1:].ravel(), vertices[1:].ravel()))
graph = Graph.from_arcs(sources, targets, 1 + sources % 9)
for find in [
    lambda: graph.sssp(0),
    lambda: graph.nearest([0, 5]),
    lambda: graph.k_shortest_paths(0, 1000, 2),
    lambda: graph.transposed(),
]:
    find()
    n_refused = 0
    # a thread takes some of its own
    for more in range(4 << 20, 64 << 20, 3 << 20):
        status = open("/proc/self/status").read()
        limit = (int(re.search(r"VmSize:\\s+(\\d+)", status)[1]) << 10) + more
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        try:
            find()
        except MemoryError:
            n_refused += 1
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    print(n_refused > 0)
"""
    # no memory is kept for later, so that each array is asked for anew
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
                          env=environment)
    assert (done.returncode, done.stdout.split()) == (0, ["True"] * 4), done.stderr


def test_ids_that_are_no_numbers_of_vertices_are_told_what_to_do():
    osm = 10_230_487_512
    for make in [lambda: Graph.from_arcs([0], [osm]), lambda: Graph.from_arcs([2**31], [0]),
                 lambda: Graph.from_arcs([2**32 - 1], [0], directed=False),
                 lambda: Graph.from_arcs([], [], n_vertices=2**31)]:
        with pytest.raises(StarpathsError, match="from_pandas, and from_arcs takes them as labels"):
            make()


def large():
    side = 1500
    vertices = np.arange(side * side).reshape(side, side)
    sources = np.concatenate((vertices[:, :-1].ravel(), vertices[:-1].ravel()))
    targets = np.concatenate((vertices[:, 1:].ravel(), vertices[1:].ravel()))
    weights = np.random.default_rng(0).integers(1, 1000, len(sources))
    return Graph.from_arcs(sources, targets, weights, directed=False)


def test_other_threads_go_on_and_an_interrupt_ends_a_table():
    graph = large()
    # processes in the background of a shell ignore it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        graph.table(np.arange(100_000), [0])
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("find",
                         ["totals", "closure", "pairs", "betweenness", "edge_betweenness"])
def test_an_interrupt_ends_long_work(find):
    graph = Graph(random_matrix(3, n=20_000, density=0.0005))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        getattr(graph, find)()
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 30


def test_an_interrupt_ends_aggregates():
    side = np.arange(999_999)
    graph = Graph.from_arcs(side, side + 1, directed=False)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        graph.aggregate(side, 1e6)
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 30


def test_a_solver_goes_on_after_an_interrupt():
    # a row is done without a look at signals, but tells of itself
    side = np.arange(10_000)
    graph = Graph.from_arcs(side[:-1], side[1:], np.ones(9_999) * 1.5)
    solver = starpaths.Solver(graph)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.table(np.tile(side, 20), [9_999])
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert solver.table([0, 1], [9_999]).tolist() == [[9_999 * 1.5], [9_998 * 1.5]]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_a_handler_of_signals_does_not_wait_for_what_it_interrupts():
    code = """
import signal, numpy as np, starpaths
side = np.arange(10_000)
graph = starpaths.Graph.from_arcs(side[:-1], side[1:], np.ones(9_999) * 1.5)
solver = starpaths.Solver(graph)
plan, said = solver.plan, []
def handler(*_):
    assert solver.plan == plan
    for ask in [lambda: solver.sssp(0), lambda: solver.table([0, 1], [2])]:
        try:
            ask()
        except starpaths.StarpathsError as error:
            said.append(str(error))
        else:
            # it is not searching yet
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            return
    assert starpaths.Solver(graph).sssp(0).distances[2] == 3
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    # seconds
    solver.table(np.tile(side, 200), [9_999])
except KeyboardInterrupt:
    assert len(said) == 2 and all("handler asks for what it interrupts" in text for text in said)
    assert solver.sssp(0).distances[2] == 3
    raise SystemExit(7)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 7


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no room can be asked for")
def test_a_disk_without_room_is_an_error(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        Graph.from_arcs([0], [1]).all_pairs(out=tmp_path / "pairs.npy")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("is_searched", [False, True])
def test_a_forked_process_is_told(is_searched):
    code = f"""
import os, signal, numpy as np, starpaths
from starpaths import Graph
side = np.arange(100_000)
indptr = np.arange(100_001).clip(max=99_999)
pairs = Graph.from_arcs([0], [1]).pairs() if {is_searched} else None
graph = Graph.from_arcs(side[:-1], side[1:])
if os.fork() == 0:
    signal.alarm(30)
    for ask in [lambda: graph.sssp(0), lambda: Graph.from_arcs(side[:-1], side[1:]),
                lambda: Graph.from_csr(indptr, side[1:]), lambda: Graph(np.eye(2)),
                lambda: pairs.row(0)][:None if {is_searched} else -1]:
        try:
            ask()
        except RuntimeError as error:
            if "fork" in str(error):
                continue
        os._exit(1)
    os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_the_package_names_what_it_has():
    assert all(hasattr(starpaths, name) for name in starpaths.__all__)
    assert issubclass(StarpathsError, ValueError)


def test_what_lies_within_is_what_a_tree_has_there():
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 3000, (2, 9000))
    weights = rng.integers(0, 50, 9000)
    for weights in (weights, weights / 7):
        graph = starpaths.Graph.from_arcs(*ends, weights, n_vertices=3000)
        for sources, cutoff in (([7, 0, 7], 9.0), ([1], 1e9), ([], 5.0)):
            offsets, vertices, distances, predecessors = graph.within(sources, cutoff)
            assert len(offsets) == len(sources) + 1
            for source, start, end in zip(sources, offsets[:-1], offsets[1:]):
                tree = graph.sssp(source, cutoff=cutoff)
                (reached,) = np.isfinite(tree.distances).nonzero()
                assert (vertices[start:end] == reached).all()
                assert (distances[start:end] == tree.distances[reached]).all()
                assert (predecessors[start:end] == tree.predecessors[reached]).all()
    whole = graph.within([0], 3, dtype=np.float32)[2]
    assert whole.dtype == np.float32
    for wrong in (-1.0, float("nan")):
        with pytest.raises(StarpathsError, match="cutoff"):
            graph.within([0], wrong)


@pytest.mark.parametrize("directed", [True, False])
def test_trees_follow_changes(directed):
    draw = np.random.default_rng(5)
    ends = draw.integers(0, 30, (2, 60))
    graph = starpaths.Graph.from_arcs(*ends, draw.integers(1, 9, 60), n_vertices=30, directed=directed)
    trees = starpaths.DynamicTrees(graph, [0, 7], threads=1)
    for _ in range(20):
        before = [trees.tree(i).distances for i in range(2)]
        entries = trees.graph().to_scipy().tocoo()
        at = draw.integers(entries.nnz)
        old, new = (entries.row[at], entries.col[at]), draw.integers(0, 30, 2)
        if {*old} & {*new}:
            continue
        weight = int(draw.integers(1, 9))
        change = [("delete", *old), ("reweight", *old, weight), ("delete-vertex", old[0])]
        changed = trees.update([change[draw.integers(3)], ("insert", *new, weight)])
        for i, source in enumerate([0, 7]):
            expected = trees.graph().sssp(source)
            np.testing.assert_array_equal(trees.tree(i).distances, expected.distances)
            np.testing.assert_array_equal(trees.tree(i).predecessors, expected.predecessors)
            differ = np.flatnonzero(before[i] != expected.distances)
            np.testing.assert_array_equal(np.sort(changed[i]), differ)


def test_bad_changes_change_nothing():
    graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2])
    trees = starpaths.DynamicTrees(graph, [0])
    for change, message in [
        (("delete", 2, 0), "no arc 2 -> 0"),
        (("insert", 0, 2, 0.5), "no weight of this graph"),
        (("insert", 0, 3, 1), "vertex 3"),
        (("insert", 2, 1, -3), "negative cycle"),
        (("close", 0, 1), "is no change; expected"),
        (("delete", 0), "is no change; expected"),
        (7, "not iterable"),
    ]:
        with pytest.raises((starpaths.StarpathsError, TypeError), match=message):
            trees.update([("reweight", 0, 1, 9), change])
    assert trees.tree(dtype=np.int64).distances.tolist() == [0, 5, 7]
    for position in [1, -1]:
        with pytest.raises(starpaths.StarpathsError, match="there are 1 sources"):
            trees.tree(position)
