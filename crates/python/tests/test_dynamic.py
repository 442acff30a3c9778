"""What follows changes of a graph: all pairs and closures, beside scipy's of the changed graph."""

import numpy as np
import pytest
from scipy.sparse import csgraph

import starpaths

N = 25


def is_arc(entries, pair):
    return pair in zip(entries.row, entries.col)


def draws(seed, directed):
    """A graph at random, and batches of changes of it as it is at the time."""
    draw = np.random.default_rng(seed)
    # scipy adds up parallel arcs
    pairs = {tuple(p if directed else sorted(p)) for p in draw.integers(0, N, (50, 2)).tolist()}
    weights = draw.integers(1, 9, len(pairs))
    graph = starpaths.Graph.from_arcs(*zip(*pairs), weights, n_vertices=N, directed=directed)

    def batch(now):
        entries = now.to_scipy().tocoo()
        changes, seen = [], set()
        for _ in range(1 + draw.integers(4)):
            at = draw.integers(entries.nnz)
            old, new = (entries.row[at], entries.col[at]), tuple(draw.integers(0, N, 2))
            weight = int(draw.integers(1, 9))
            for pair, change in [
                (old, [("delete", *old), ("reweight", *old, weight)][draw.integers(2)]),
                (new, ("reweight" if is_arc(entries, new) else "insert", *new, weight)),
            ]:
                if tuple(sorted(pair)) not in seen:
                    seen.add(tuple(sorted(pair)))
                    changes.append(change)
        loose = [v for v in range(N) if all(v not in pair for pair in seen)]
        return changes + ([("delete-vertex", loose[0])] if loose and draw.integers(4) == 0 else [])

    return graph, batch


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("next_hops", [True, False])
def test_pairs_follow_changes(directed, next_hops):
    graph, batch = draws(3, directed)
    pairs = starpaths.DynamicPairs(graph, next_hops=next_hops, threads=2)
    for _ in range(20):
        reason = pairs.update(batch(pairs.graph()))
        assert reason is None or "solver" in reason
        now = pairs.graph()
        # a weight that is not there is no arc to scipy
        expected = csgraph.johnson(now.to_scipy())
        np.testing.assert_array_equal(pairs.distances(), expected)
        np.testing.assert_array_equal(pairs.row(4), expected[4])
        if next_hops:
            anew = now.pairs()
            for source in (0, 4, N - 1):
                np.testing.assert_array_equal(pairs.next_hops(source), anew.next_hops(source))
                assert pairs.query(source, 7) == anew.query(source, 7)
    whole = pairs.distances(dtype=np.int64)
    np.testing.assert_array_equal(whole.filled(-1) >= 0, np.isfinite(expected))


@pytest.mark.parametrize("directed", [True, False])
def test_closures_follow_changes(directed):
    graph, batch = draws(4, directed)
    # it has the same changes as pairs, which know the graph
    trees = starpaths.DynamicTrees(graph, [0])
    closure = starpaths.DynamicClosure(graph)
    for _ in range(20):
        before, changes = closure.closure(), batch(trees.graph())
        trees.update(changes)
        n_new, n_gone = closure.update(changes)
        now = closure.closure()
        assert (n_new, n_gone) == (np.sum(now & ~before), np.sum(before & ~now))
        np.testing.assert_array_equal(now, trees.graph().closure())
        reached = np.isfinite(csgraph.shortest_path(trees.graph().to_scipy()))
        others = ~np.eye(N, dtype=bool)
        np.testing.assert_array_equal(now[others], reached[others])
        np.testing.assert_array_equal(closure.reached_from(5), np.flatnonzero(now[5]))
        assert closure.has_path(5, 6) == now[5, 6]


def test_arrays_are_copies():
    pairs = starpaths.DynamicPairs(starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2]))
    distances = pairs.distances()
    pairs.update([("reweight", 0, 1, 1)])
    assert distances[0].tolist() == [0, 5, 7] and pairs.row(0).tolist() == [0, 1, 3]
    distances[:] = 9
    assert pairs.row(0).tolist() == [0, 1, 3]
    closure = starpaths.DynamicClosure(starpaths.Graph.from_arcs([0, 1], [1, 2]))
    closure.closure()[:] = False
    assert closure.has_path(0, 2)


def test_names_are_those_of_the_graph():
    graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], labels=["a", "b", "c"])
    pairs = starpaths.DynamicPairs(graph, next_hops=True)
    assert pairs.update([("insert", "c", "a", 1)]) is None
    assert pairs.query("c", "b") == (6, [2, 0, 1])
    closure = starpaths.DynamicClosure(graph)
    assert closure.update([("delete", "b", "c")]) == (0, 2)
    assert not closure.has_path("a", "c")


def test_bad_changes_change_nothing():
    graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2])
    pairs = starpaths.DynamicPairs(graph)
    closure = starpaths.DynamicClosure(graph)
    for change, message in [
        (("delete", 2, 0), "no arc 2 -> 0"),
        (("insert", 0, 3, 1), "vertex 3"),
        (("close", 0, 1), "is no change; expected"),
        (("delete", 0, 1), "an earlier change"),
    ]:
        changes = [("delete", 0, 1), change]
        for dynamic in (pairs, closure):
            with pytest.raises(starpaths.StarpathsError, match=message):
                dynamic.update(changes)
    with pytest.raises(starpaths.NegativeCycleError):
        pairs.update([("insert", 2, 1, -3)])
    with pytest.raises(starpaths.StarpathsError, match="no weight of this graph"):
        pairs.update([("insert", 0, 2, 0.5)])
    assert closure.update([("insert", 2, 1, 0.5)]) == (3, 0)
    assert pairs.distances(dtype=np.int64).filled(-1).tolist() == [[0, 5, 7], [-1, 0, 2], [-1, -1, 0]]
    for call in (lambda: pairs.query(0, 1), lambda: pairs.next_hops(0)):
        with pytest.raises(starpaths.StarpathsError, match="there are no next hops"):
            call()
    with pytest.raises(starpaths.StarpathsError, match="unknown"):
        starpaths.DynamicPairs(graph, algorithm="magic")
    with pytest.raises(starpaths.StarpathsError, match="source 3 does not exist"):
        closure.reached_from(3)
