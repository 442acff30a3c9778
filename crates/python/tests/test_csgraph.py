"""starpaths.csgraph beside scipy.sparse.csgraph, on random graphs."""

import inspect
import os

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph as theirs

import starpaths
from starpaths import csgraph as ours

METHODS = ["auto", "FW", "D", "BF", "J"]
NEW = {"targets", "dtype", "backend", "out"}


@st.composite
def graphs(draw, is_negative=False):
    """A sparse matrix with stored zeros, loops and parallel entries, of small whole numbers, so
    that floats are exact. Negative weights make no negative cycle."""
    n = draw(st.integers(0, 9))
    vertices = st.integers(0, max(n - 1, 0))
    arcs = draw(st.lists(st.tuples(vertices, vertices, st.integers(0, 9)), max_size=30 * (n > 0)))
    sources, targets, weights = np.array(arcs, dtype=np.int64).reshape(-1, 3).T
    if is_negative:
        heights = np.array(draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), dtype=int)
        weights = weights + heights[sources] - heights[targets]
    order = np.argsort(sources, kind="stable")
    indptr = np.searchsorted(sources[order], np.arange(n + 1))
    dtype = draw(st.sampled_from(["int32", "int64", "float32", "float64"]))
    rows = (weights[order].astype(dtype), targets[order], indptr)
    return scipy.sparse.csr_array(rows, shape=(n, n))


def least(matrix, directed=True):
    """The weights as a dense matrix, infinity for no arc."""
    dense = np.full(matrix.shape, np.inf)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    np.minimum.at(dense, (rows, matrix.indices), matrix.data)
    return dense if directed else np.minimum(dense, dense.T)


def check_predecessors(weights, sources, distances, predecessors):
    """That each path leads to its source, along arcs whose weights add up to its distance."""
    for source, row, before in zip(sources, distances, predecessors):
        assert ((before < 0) == ((row == np.inf) | (np.arange(len(row)) == source))).all()
        assert (before[before < 0] == -9999).all()
        for vertex in range(len(row)):
            at, length, n_arcs = vertex, 0, 0
            while before[at] >= 0 and n_arcs <= len(row):
                length += weights[before[at], at]
                at, n_arcs = before[at], n_arcs + 1
            assert row[vertex] == np.inf or (at == source and length == row[vertex])


@pytest.mark.parametrize("name", [name for name in ours.__all__ if not name.endswith("Error")])
def test_arguments_are_scipys(name):
    mine = inspect.signature(getattr(ours, name)).parameters
    line = getattr(theirs, name).__doc__.split(")")[0].split("(", 1)[1]
    expected = [argument.strip() for argument in line.split(",") if argument.strip() != "*"]
    found = [str(argument).replace("inf", "np.inf").replace("'", "").replace('"', "")
             for argument in mine.values() if argument.name not in NEW]
    assert found == [argument.replace("'", "").replace('"', "") for argument in expected]


@settings(deadline=None, max_examples=150)
@given(graphs(), st.booleans(), st.booleans())
def test_all_pairs(matrix, directed, unweighted):
    expected = theirs.floyd_warshall(least_sparse(matrix), directed, unweighted=unweighted)
    weights = least(matrix, directed)
    if unweighted:
        weights[np.isfinite(weights)] = 1
    for method in METHODS:
        found, predecessors = ours.shortest_path(
            matrix, method, directed, return_predecessors=True, unweighted=unweighted)
        assert found.dtype == np.float64 and predecessors.dtype == np.int32
        np.testing.assert_array_equal(found, expected)
        check_predecessors(weights, range(len(found)), found, predecessors)
        alone = ours.shortest_path(matrix, method, directed, unweighted=unweighted)
        np.testing.assert_array_equal(alone, expected)


def least_sparse(matrix, directed=True):
    """The same without parallel entries, which scipy adds up here and there."""
    dense = least(matrix, directed)
    rows, columns = np.nonzero(np.isfinite(dense))
    ends = (rows.astype(np.int32), columns.astype(np.int32))
    return scipy.sparse.csr_array((dense[rows, columns], ends), shape=matrix.shape)


@settings(deadline=None, max_examples=100)
@given(graphs(is_negative=True))
def test_negative_weights(matrix):
    expected = theirs.johnson(least_sparse(matrix))
    for function in [ours.shortest_path, ours.johnson, ours.bellman_ford, ours.floyd_warshall]:
        found, predecessors = function(matrix, return_predecessors=True)
        np.testing.assert_array_equal(found, expected)
        check_predecessors(least(matrix), range(len(found)), found, predecessors)


@settings(deadline=None, max_examples=100)
@given(st.data(), graphs(), st.booleans(), st.sampled_from([0, 3, 7.5, np.inf]))
def test_sources_limits_and_targets(data, matrix, directed, limit):
    n = matrix.shape[0]
    vertices = st.lists(st.integers(-n, n - 1), max_size=5) if n else st.just([])
    sources, targets = data.draw(vertices), data.draw(vertices)
    expected = theirs.floyd_warshall(least_sparse(matrix), directed)
    expected[expected > limit] = np.inf
    of_sources = expected[sources]
    options = {"directed": directed, "indices": sources, "limit": limit}
    found, predecessors = ours.dijkstra(matrix, return_predecessors=True, **options)
    np.testing.assert_array_equal(found, of_sources)
    check_predecessors(least(matrix, directed), np.array(sources, int) % max(n, 1), found,
                       predecessors)
    np.testing.assert_array_equal(ours.dijkstra(matrix, **options), of_sources)
    np.testing.assert_array_equal(
        ours.dijkstra(matrix, targets=targets, **options), of_sources[:, targets])
    nearest, before, owners = ours.dijkstra(
        matrix, min_only=True, return_predecessors=True, **options)
    np.testing.assert_array_equal(nearest, of_sources.min(axis=0, initial=np.inf))
    is_reached = np.isfinite(nearest)
    assert (expected[owners[is_reached], is_reached.nonzero()[0]] == nearest[is_reached]).all()
    assert (owners[~is_reached] == -9999).all() and (before[~is_reached] == -9999).all()
    assert (owners[sources] == np.array(sources, int) % max(n, 1)).all()


def test_a_negative_loop_is_a_negative_cycle():
    # that vertex 0 does not reach
    matrix = scipy.sparse.csr_array(np.array([[0.0, 2, 0], [0, 0, 0], [0, 0, -1]]))
    assert ours.bellman_ford(matrix, indices=0).tolist() == [0, 2, np.inf]
    for name in ["shortest_path", "johnson"]:
        for function in [getattr(ours, name), getattr(theirs, name)]:
            with pytest.raises(theirs.NegativeCycleError):
                function(matrix, indices=0)
    with pytest.raises(ours.NegativeCycleError) as error:
        ours.floyd_warshall(matrix)
    assert error.value.cycle == [2]


def test_the_least_of_parallel_entries_is_on_a_path():
    matrix = scipy.sparse.csr_array(([5.0, 3, 2], [1, 1, 2], [0, 2, 3, 3]), shape=(3, 3))
    found = ours.reconstruct_path(matrix, [-9999, 0, 1])
    assert found.toarray().tolist() == [[0, 3, 0], [0, 0, 2], [0, 0, 0]]


@pytest.mark.parametrize("limit", [0, 12, 60, 1e9])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint64", "int8"])
def test_searches_that_end_soon_are_as_others(dtype, limit):
    generator = np.random.default_rng(1)
    n, m = 3000, 9000
    ends = generator.integers(0, n, (2, m))
    weights = generator.integers(0, 20, m).astype(dtype)
    if weights.dtype.kind == "f":
        weights[::100], weights[1::100], weights[2::100] = np.inf, np.nan, -0.0
    matrix = scipy.sparse.csr_array((weights, ends), shape=(n, n))
    is_arc = np.isfinite(matrix.data)
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))[is_arc]
    graph = starpaths.Graph.from_arcs(rows, matrix.indices[is_arc], matrix.data[is_arc],
                                      n_vertices=n)
    expected, before = graph.trees([0, 7, 0, n - 1], cutoff=limit)
    sources = [[0, 7], [0, -1]]
    found, predecessors = ours.dijkstra(matrix, indices=sources, limit=limit,
                                        return_predecessors=True)
    assert found.shape == predecessors.shape == (2, 2, n)
    np.testing.assert_array_equal(found.reshape(4, n), expected)
    np.testing.assert_array_equal(predecessors.reshape(4, n), np.where(before < 0, -9999, before))
    np.testing.assert_array_equal(ours.dijkstra(matrix, indices=7, limit=limit), expected[1])


def test_wrong_rows_within_a_limit_are_refused():
    for indices, indptr in [([1, 5], [0, 1, 2]), ([1, -1], [0, 1, 2]), ([1, 0], [0, 2, 1])]:
        matrix = scipy.sparse.csr_array(([1.0, 2.0], [1, 0], [0, 1, 2]), shape=(2, 2))
        matrix.indices[:], matrix.indptr[:] = indices, indptr
        with pytest.raises(starpaths.StarpathsError):
            ours.dijkstra(matrix, indices=0, limit=9)


@settings(deadline=None, max_examples=100)
@given(graphs(), st.booleans(), st.sampled_from(["weak", "strong"]))
def test_components(matrix, directed, connection):
    n, labels = ours.connected_components(matrix, directed, connection)
    expected, of_scipy = theirs.connected_components(least_sparse(matrix), directed, connection)
    assert n == expected and labels.dtype == of_scipy.dtype
    assert len(set(zip(labels, of_scipy))) == n == len(set(labels))
    assert ours.connected_components(matrix, directed, connection, return_labels=False) == n


@settings(deadline=None, max_examples=100)
@given(graphs())
def test_spanning_trees(matrix):
    matrix = least_sparse(matrix)
    found, expected = ours.minimum_spanning_tree(matrix), theirs.minimum_spanning_tree(matrix)
    assert type(found) is type(expected) and found.dtype == expected.dtype
    assert found.sum() == expected.sum()
    # scipy leaves out edges of weight zero
    assert found.nnz == matrix.shape[0] - ours.connected_components(matrix)[0]
    rows, columns = found.nonzero()
    assert (least(matrix)[rows, columns] == found[rows, columns]).all()


@settings(deadline=None, max_examples=100)
@given(st.data(), graphs(), st.booleans())
def test_paths_of_yen(data, matrix, directed):
    n = matrix.shape[0]
    if n < 2:
        return
    source, sink = data.draw(st.permutations(range(n)))[:2]
    matrix = least_sparse(matrix)
    options = {"directed": directed, "return_predecessors": True}
    found, predecessors = ours.yen(matrix, source, sink, 4, **options)
    # scipy takes entries of both directions for parallel edges
    both = least_sparse(matrix, directed)
    expected = theirs.yen(both, source, sink, 4)
    np.testing.assert_array_equal(found, expected)
    weights = least(matrix, directed)
    for length, before in zip(found, predecessors):
        at, total = sink, 0
        while at != source:
            total, at = total + weights[before[at], at], before[at]
        assert total == length


@settings(deadline=None, max_examples=100)
@given(st.data(), graphs(), st.booleans())
def test_trees_and_distances_of_predecessors(data, matrix, directed):
    matrix, n = least_sparse(matrix), matrix.shape[0]
    distances, predecessors = ours.shortest_path(
        matrix, directed=directed, return_predecessors=True)
    np.testing.assert_array_equal(
        ours.construct_dist_matrix(matrix, predecessors, directed), distances)
    # scipy loses arcs of weight zero that it goes along backwards
    matrix.data += 1
    for row in predecessors:
        found = ours.reconstruct_path(matrix, row, directed)
        expected = theirs.reconstruct_path(matrix, row, directed)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_predecessors_of_scipys_test():
    graph = [[0, 3, 3, 0, 0], [0, 0, 0, 2, 4], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [2, 0, 0, 2, 0]]
    for method in METHODS:
        for directed in [True, False]:
            distances, predecessors = ours.shortest_path(graph, method, directed, True)
            weights = least(scipy.sparse.csr_array(graph), directed)
            check_predecessors(weights, range(5), distances, predecessors)


@pytest.mark.parametrize("matrix", [
    np.array([[0, 1e-12], [np.nan, 0]]),
    np.ma.masked_invalid([[np.nan, 1e-12], [np.inf, np.nan]]),
    np.asmatrix([[0, 1e-12], [np.inf, 0]]),
    scipy.sparse.csr_matrix([[0, 1e-12], [np.inf, np.nan]]),
    scipy.sparse.dok_array(np.array([[0, 1e-12], [-np.inf, 0]])),
    [[0, 1e-12], [0, 0]],
])
def test_what_is_no_arc(matrix):
    for method in METHODS:
        np.testing.assert_array_equal(
            ours.shortest_path(matrix, method), [[0, 1e-12], [np.inf, 0]])


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("missing", [np.inf, -np.inf, np.nan, 0])
def test_what_is_no_arc_is_none_where_arcs_are_counted(missing, directed):
    generator = np.random.default_rng(1)
    matrix = np.where(generator.random((9, 9)) < 0.2, generator.integers(1, 9, (9, 9)), missing)
    for name in ["shortest_path", "floyd_warshall", "bellman_ford", "johnson", "dijkstra"]:
        expected = getattr(theirs, name)(matrix, directed=directed, unweighted=True)
        assert (getattr(ours, name)(matrix, directed=directed, unweighted=True) == expected).all()
    nearest = {"indices": [0, 4], "unweighted": True, "min_only": True}
    expected = theirs.dijkstra(matrix, directed, **nearest)
    assert (ours.dijkstra(matrix, directed, **nearest) == expected).all()
    paths = {"directed": directed, "unweighted": True}
    assert (ours.yen(matrix, 0, 4, 9, **paths) == theirs.yen(matrix, 0, 4, 9, **paths)).all()
    for connection in ["weak", "strong"]:
        n, labels = ours.connected_components(matrix, directed, connection)
        expected, others = theirs.connected_components(matrix, directed, connection)
        assert n == expected and len(set(zip(labels, others))) == n


def test_a_connectome_of_weights_turned_round_is_a_path():
    weights = np.array([[0, 2, 0], [2, 0, 4], [0, 4, 0]])
    with np.errstate(divide="ignore"):
        lengths = 1 / weights
    assert ours.shortest_path(lengths, unweighted=True)[0].tolist() == [0, 1, 2]
    assert ours.connected_components(lengths[::2, ::2])[0] == 2


def test_shapes_follow_indices():
    graph = np.ones((4, 4))
    for indices in [2, [2], [[1, 2], [0, -1]], [], np.int32(1)]:
        found, predecessors = ours.dijkstra(graph, indices=indices, return_predecessors=True)
        expected = theirs.dijkstra(graph, indices=indices)
        np.testing.assert_array_equal(found, expected)
        assert predecessors.shape == expected.shape


def test_sums_of_integers_are_as_scipy_rounds_them():
    graph = np.array([[0, 2**53 - 1, 0], [0, 0, 3], [0, 0, 0]])
    np.testing.assert_array_equal(ours.johnson(graph), theirs.johnson(graph.astype(float)))


def test_other_types():
    graph = [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert ours.shortest_path(graph, dtype="float32").dtype == np.float32
    assert ours.dijkstra(graph, dtype="int64", limit=2)[0].tolist() == [0, 1, None]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "longdouble", "object"])
def test_masked_arrays_of_all_types(dtype):
    matrix = np.ma.masked_equal(np.array([[9, 1, 0, 9], [9, 9, 1, 9], [9] * 4, [9] * 4]), 9)
    matrix = matrix.astype(dtype)
    for unweighted in [False, True]:
        expected = theirs.dijkstra(matrix, unweighted=unweighted)
        assert ours.dijkstra(matrix, unweighted=unweighted).tolist() == expected.tolist()
        assert expected[0].tolist() == [0, 1, unweighted, np.inf]
    assert ours.connected_components(matrix)[0] == theirs.connected_components(matrix)[0] == 2


def test_a_negative_cycle_is_scipys_error():
    graph = [[0, 1, 0], [0, 0, -3], [0, 1, 0]]
    for function in [ours.johnson, ours.bellman_ford, ours.floyd_warshall, ours.shortest_path]:
        with pytest.raises(theirs.NegativeCycleError) as caught:
            function(graph)
        assert sorted(caught.value.cycle) == [1, 2]
    # it cannot be reached from 0, but Johnson's algorithm looks at the whole graph
    island = [[0, 0, 0], [0, 0, -3], [0, 1, 0]]
    with pytest.raises(ours.NegativeCycleError):
        ours.johnson(island, indices=0)
    assert ours.bellman_ford(island, indices=0).tolist() == [0, np.inf, np.inf]


def test_dijkstra_warns_of_negative_weights():
    graph = [[0, 4, 3], [0, 0, 0], [0, -2, 0]]
    with pytest.warns(UserWarning, match="negative weights"):
        assert ours.dijkstra(graph, indices=0, limit=2).tolist() == [0, 1, np.inf]


NEGATIVE = scipy.sparse.csr_array(([10, 3, -1], ([0, 0, 2], [1, 2, 3])), shape=(5, 5))


@pytest.mark.filterwarnings("ignore:Graph has negative weights")
@pytest.mark.parametrize("dtype", [None, "int64"])
@pytest.mark.parametrize("indices", [[0], [0, 2], [2, 4], []])
def test_what_is_beyond_the_limit_has_no_source(indices, dtype):
    expected = theirs.dijkstra(NEGATIVE, True, indices, True, limit=5, min_only=True)
    found = ours.dijkstra(NEGATIVE, True, indices, True, limit=5, min_only=True, dtype=dtype)
    for mine, other in zip((np.ma.filled(found[0].astype(float), np.inf), *found[1:]), expected):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.filterwarnings("ignore:Graph has negative weights")
def test_a_path_that_comes_back_from_beyond_the_limit_keeps_its_source():
    matrix = scipy.sparse.csr_array(([10, -8], ([0, 1], [1, 2])), shape=(3, 3))
    found = ours.dijkstra(matrix, indices=[0], limit=5, min_only=True, return_predecessors=True)
    assert [array.tolist() for array in found] == [[0, np.inf, 2], [-9999, -9999, 1], [0, -9999, 0]]
    rows = ours.dijkstra(matrix, indices=[0], limit=5, return_predecessors=True)
    assert [array[0].tolist() for array in rows] == [[0, np.inf, 2], [-9999, -9999, 1]]
    assert ours.dijkstra(matrix, indices=[0], limit=5)[0].tolist() == [0, np.inf, 2]


@pytest.mark.parametrize("call", [
    lambda: ours.shortest_path(np.zeros(3)),
    lambda: ours.shortest_path(np.zeros((2, 3))),
    lambda: ours.shortest_path(np.eye(3), "A*"),
    lambda: ours.shortest_path(np.eye(3), "FW", indices=0),
    lambda: ours.dijkstra(np.eye(3), indices=3),
    lambda: ours.dijkstra(np.eye(3), indices=-4),
    lambda: ours.dijkstra(np.eye(3), limit=-1),
    lambda: ours.dijkstra(np.eye(3), limit=np.nan),
    lambda: ours.dijkstra(np.eye(3), indices=0, min_only=True, targets=[1]),
    lambda: ours.dijkstra(np.eye(3), targets=[3]),
    lambda: ours.yen(np.eye(3), 0, 3, 1),
    lambda: ours.yen(np.eye(3), 0, 1, -1),
    lambda: ours.connected_components(np.eye(3), connection="both"),
    lambda: ours.reconstruct_path(np.eye(3), [0, 1]),
    lambda: ours.construct_dist_matrix(np.eye(3), np.zeros((2, 2), dtype=np.int32)),
    lambda: ours.construct_dist_matrix(np.eye(3), np.full((3, 3), 7, dtype=np.int32)),
])
def test_bad_arguments_are_refused(call):
    with pytest.raises(ValueError):
        call()


def test_predecessors_in_a_cycle_are_no_harm():
    predecessors = np.array([[1, 0], [-9999, -9999]], dtype=np.int32)
    found = ours.construct_dist_matrix(np.ones((2, 2)), predecessors, null_value=-1)
    assert found.tolist() == [[-1, -1], [-1, 0]]


def test_distances_go_to_an_array_or_a_file(tmp_path):
    matrix = scipy.sparse.random_array((40, 40), density=0.1, rng=3, format="csr")
    expected = ours.shortest_path(matrix)
    out = np.empty((40, 40))
    assert ours.shortest_path(matrix, out=out) is out
    assert (out == expected).all()
    rows = np.empty((2, 40))
    distances, _ = ours.dijkstra(matrix, indices=[3, 4], return_predecessors=True, out=rows)
    assert distances is rows and (rows == expected[3:5]).all()
    file = tmp_path / "rows.npy"
    assert (ours.dijkstra(matrix, indices=[3, 4], out=file) == np.load(file)).all()
    assert os.listdir(tmp_path) == ["rows.npy"]
    with pytest.raises(ValueError, match="ends in .npy"):
        ours.dijkstra(matrix, indices=[3, 4], out=tmp_path / "rows.txt")
    with pytest.raises(ValueError, match="out must have shape"):
        ours.dijkstra(matrix, indices=[3, 4], out=np.empty((3, 40)))
    with pytest.raises(ValueError, match="min_only"):
        ours.dijkstra(matrix, indices=[3, 4], out=rows, min_only=True)


def test_no_path_and_the_greatest_integer_are_told_apart(tmp_path):
    greatest = np.iinfo("int32").max
    matrix = scipy.sparse.csr_array(([greatest, 1], ([0, 1], [1, 2])), shape=(3, 3))
    for dtype in ["int32", "uint32", "int64"]:
        for some in [{}, {"indices": [1]}]:
            out = np.empty((len(some.get("indices", range(3))), 3), dtype=dtype)
            expected = ours.shortest_path(matrix, dtype="int64", **some)
            if dtype == "int32" and not some:
                with pytest.raises(starpaths.StarpathsError):
                    ours.shortest_path(matrix, out=out)
                continue
            assert ours.shortest_path(matrix, out=out, **some) is out
            assert (out == expected.filled(np.iinfo(dtype).max)).all()
    for out in [np.empty((1, 3), dtype="int32"), tmp_path / "distances.npy"]:
        with pytest.raises(starpaths.StarpathsError, match="a distance is 2147483647"):
            ours.dijkstra(matrix, indices=[0], targets=[0, 1, 0], dtype="int32", out=out)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ValueError, match="out must have dtype int64"):
        ours.dijkstra(matrix, indices=[0], dtype="int64", out=np.empty((1, 3), dtype="int32"))


@pytest.mark.filterwarnings("ignore:Graph has negative weights")
def test_what_is_beyond_the_limit_is_written_as_no_path():
    out = np.empty((1, 5), dtype="int64")
    ours.dijkstra(NEGATIVE, indices=[0], limit=5, out=out)
    none = np.iinfo("int64").max
    assert out.tolist() == [[0, none, 3, 2, none]]
