"""What each rank runs for `test_ranks.py`: a graph in parts has the results of one process."""

import doctest

import numpy as np
from mpi4py import MPI

import starpaths
from starpaths import Graph, PartitionedGraph, StarpathsError

world = MPI.COMM_WORLD
is_root = world.Get_rank() == 0


def check(found, expected):
    """Rank 0 has what one process finds; the others have nothing."""
    if not is_root:
        assert found is None
    elif isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    elif isinstance(expected, starpaths.Tree):
        assert found.source == expected.source
        check((found.distances, found.predecessors), (expected.distances, expected.predecessors))
    else:
        np.testing.assert_array_equal(found, expected)


def raised(call, *, message):
    """All ranks raise it."""
    try:
        call()
    except (StarpathsError, OSError, MemoryError) as error:
        assert message in str(error), error
        # the same communicator goes on
        assert world.allgather(0) == [0] * world.Get_size()
        return type(error)
    raise AssertionError(message)


def search(path, sources):
    whole = Graph.read(path)
    graph = Graph.read(path, partitioned=True, communicator=world)
    assert isinstance(graph, PartitionedGraph)
    shape = (graph.n_vertices, graph.n_arcs, graph.dtype, graph.is_directed)
    assert shape == (whole.n_vertices, whole.n_arcs, whole.dtype, whole.is_directed)
    # arguments are those of rank 0
    source, target = sources[:2] if is_root else (None, None)
    check(graph.sssp(source), whole.sssp(sources[0]))
    check(graph.sssp(source, target=target), whole.sssp(sources[0], target=sources[1]))
    check(graph.sssp(source, cutoff=4.5, dtype="float32"),
          whole.sssp(sources[0], cutoff=4.5, dtype="float32"))
    check(graph.table(sources, sources[1:]), whole.table(sources, sources[1:]))
    check(graph.table(sources[:1]), whole.table(sources[:1]))
    check(graph.nearest(sources), whole.nearest(sources))
    check(graph.components(), whole.components())
    if is_root:
        assert graph.name(graph.vertex(whole.name(7))) == whole.name(7)
        assert graph.vertex("nowhere") is None
    else:
        try:
            graph.name(7)
        except StarpathsError as error:
            assert "rank 0 has the names" in str(error)

    # an error is one of all ranks, and the graph can be searched again
    n = graph.n_vertices
    raised(lambda: graph.sssp(n), message=f"source {n} does not exist")
    raised(lambda: graph.sssp(0, target=1, cutoff=2), message="target and cutoff are both given")
    if graph.dtype == "float64":
        raised(lambda: graph.sssp(0, dtype="int32"), message="int32 cannot hold all distances")
    check(graph.sssp(source), whole.sssp(sources[0]))


search("listed.spg", [4, 17, 8])
search("words.spg", ["v04", "v17", "v08"])
search("roads.csv", [4, 17, 8])
absent = raised(lambda: Graph.read("absent.spg", partitioned=True), message="absent.spg")
assert absent in ([FileNotFoundError] if is_root else [FileNotFoundError, StarpathsError])
# of this one the last rows are not there for some ranks only
raised(lambda: Graph.read("damaged.spg", partitioned=True), message="damaged.spg")
# each rank may give another bound, and one that is too low is an error of all
few = 100 if world.Get_rank() == world.Get_size() - 1 else None
small = raised(lambda: Graph.read("listed.spg", partitioned=True, memory=few),
               message="may use 100")
assert small is (MemoryError if few else StarpathsError)
raised(lambda: Graph.read("roads.csv", partitioned=True, memory=few),
       message="memory is for .spg files")
check(Graph.read("listed.spg", partitioned=True, memory=1 << 30).nearest([4, 17, 8]),
      Graph.read("listed.spg").nearest([4, 17, 8]))
if world.Get_size() == 1:
    text = PartitionedGraph.__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, "PartitionedGraph", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, 4)
# only a run to its end prints this
print("done", flush=True)
