"""Uses of the package, for mypy: what it infers must be what is claimed here. Never run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

import starpaths
from starpaths import csgraph

Distances = NDArray[np.float64]
Vertices = NDArray[np.int32]
Either = NDArray[Any] | np.ma.MaskedArray[Any, Any]


def graphs(matrix: csr_array) -> None:
    graph = assert_type(starpaths.Graph(matrix, directed=False), starpaths.Graph)
    starpaths.Graph(np.eye(3))
    starpaths.Graph.from_csr([0, 1, 1], np.array([1]), [2.5])
    starpaths.Graph.from_arcs([0], [1], n_vertices=3).to_scipy()
    tree = graph.sssp(0, cutoff=5, algorithm="dijkstra", dtype="int64")
    assert_type(tree, starpaths.Tree)
    assert_type(tree.distances, Either)
    assert_type(tree.predecessors, Vertices)
    assert_type(tree.path_to(2), list[int] | None)
    assert_type(graph.nearest([0, 1], dtype=np.float32), tuple[Either, Vertices])
    assert_type(graph.aggregate([0], 5, [2.5], statistic="sum", decay="linear"), Distances)
    assert_type(graph.table(np.arange(2), threads=2), Either)
    assert_type(graph.trees(), tuple[Either, Vertices])
    assert_type(graph.components("strong"), tuple[int, Vertices])
    dynamic = starpaths.DynamicTrees(graph, [0], threads=1)
    assert_type(dynamic.update([("delete", 0, 1)]), list[Vertices])
    assert_type(dynamic.tree(), starpaths.Tree)
    pairs = starpaths.DynamicPairs(graph, next_hops=True)
    assert_type(pairs.update([("delete", 0, 1)]), str | None)
    assert_type(pairs.distances(), Either)
    assert_type(pairs.next_hops(0), Vertices)
    closure = starpaths.DynamicClosure(graph)
    assert_type(closure.update([("delete", 0, 1)]), tuple[int, int])
    assert_type(closure.has_path(0, 1), bool)
    assert_type(closure.closure(), NDArray[np.bool_])


def ranks(communicator: Any) -> None:
    assert_type(starpaths.Graph.read("web.spg"), starpaths.Graph)
    graph = starpaths.Graph.read("web.spg", partitioned=True, communicator=communicator)
    assert_type(graph, starpaths.PartitionedGraph)
    assert_type(graph.sssp(0, cutoff=5), starpaths.Tree | None)
    assert_type(graph.table([0], dtype="int64"), Either | None)
    assert_type(graph.nearest([0]), tuple[Either, Vertices] | None)
    assert_type(graph.components(), tuple[int, Vertices] | None)


def distances(matrix: csr_array, is_wanted: bool) -> None:
    assert_type(csgraph.shortest_path(matrix), Distances)
    assert_type(csgraph.shortest_path([[0, 1], [0, 0]], "FW", False), Distances)
    assert_type(csgraph.johnson(matrix, indices=0, targets=[1, 2]), Distances)
    assert_type(csgraph.bellman_ford(np.eye(3), unweighted=True), Distances)
    assert_type(csgraph.dijkstra(matrix, limit=3, min_only=True), Distances)
    # not known before it runs
    assert_type(csgraph.floyd_warshall(matrix, dtype="float32"), Any)
    assert_type(csgraph.dijkstra(matrix, return_predecessors=is_wanted), Any)


def paths(matrix: csr_array) -> None:
    both = csgraph.dijkstra(matrix, indices=[0, 1], return_predecessors=True)
    assert_type(both, tuple[Distances, Vertices])
    three = csgraph.dijkstra(matrix, indices=[0, 1], return_predecessors=True, min_only=True)
    assert_type(three, tuple[Distances, Vertices, Vertices])
    assert_type(csgraph.yen(matrix, 0, 2, 4), Distances)
    assert_type(csgraph.yen(matrix, 0, 2, 4, return_predecessors=True), tuple[Distances, Vertices])
    assert_type(csgraph.construct_dist_matrix(matrix, both[1]), Distances)
    csgraph.reconstruct_path(matrix, both[1][0]).toarray()


def structure(matrix: csr_array) -> None:
    assert_type(csgraph.connected_components(matrix), tuple[int, Vertices])
    assert_type(csgraph.connected_components(matrix, return_labels=False), int)
    csgraph.minimum_spanning_tree(matrix).toarray()


def errors(matrix: csr_array) -> None:
    try:
        csgraph.shortest_path(matrix)
    except csgraph.NegativeCycleError as error:
        assert_type(error.cycle, list[int])
        ours: starpaths.StarpathsError = error
        raise ours from None


def roads(graph: starpaths.Graph) -> None:
    prepared = assert_type(starpaths.Prepared(graph, np.zeros((3, 2))), starpaths.Prepared)
    metric = assert_type(prepared.customize([1, 2, 3]), starpaths.Metric)
    metric.update([0], [2.5])
    assert_type(metric.distance(0, "here"), int | float | None)
    assert_type(metric.route(0, 1), tuple[int | float, list[int], list[int]] | None)
    assert_type(metric.distances([(0, 1)], dtype="int64"), Either)
    assert_type(metric.nearest([0], [1, 2], 2), tuple[Vertices, Distances])
    assert_type(graph.vertices(["here"]), Vertices)


def on_a_gpu(arrays: tuple[Any, Any, Any]) -> None:
    graph = assert_type(starpaths.DeviceGraph.from_csr(*arrays), starpaths.DeviceGraph)
    starpaths.DeviceGraph.from_csr(*arrays[:2])
    tree = assert_type(graph.sssp(0, cutoff=5, dtype="int64"), starpaths.DeviceTree)
    assert_type(tree.distances, starpaths.DeviceArray)
    assert_type(tree.predecessors, starpaths.DeviceArray | None)
    assert_type(tree.distances.get(), NDArray[Any])
    assert_type(graph.table([0, 1]), starpaths.DeviceArray)


def roads_on_a_gpu(metric: starpaths.Metric) -> None:
    there = assert_type(starpaths.DeviceMetric(metric), starpaths.DeviceMetric)
    there.customize(np.ones(3))
    assert_type(there.distances([(0, 1)], dtype="int64"), starpaths.DeviceArray)
    assert_type(there.table([0], [1, 2]), Either)
