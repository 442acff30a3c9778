"""The backend "cuda" beside the processor, where there is a GPU."""

import numpy as np
import pytest
import scipy.sparse

import starpaths
from starpaths import Graph, csgraph

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
                lambda: graph.totals(backend="cuda"), lambda: graph.closure(backend="cuda")]:
        with pytest.raises(starpaths.StarpathsError, match="CUDA|driver|no GPU"):
            ask()


@with_gpu
@pytest.mark.parametrize("dtype", WEIGHTS)
def test_searches_are_the_processors(dtype):
    graph = random_graph(dtype)
    here, there = graph.sssp(7), graph.sssp(7, backend="cuda")
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
