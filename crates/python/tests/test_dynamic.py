"""What follows changes of a graph, beside scipy's functions of the changed graph."""

import pickle
import threading

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


def all_of(graph):
    """All that follows changes, with the source 0."""
    return (
        starpaths.DynamicTrees(graph, [0]),
        starpaths.DynamicPairs(graph, next_hops=True),
        starpaths.DynamicClosure(graph),
    )


@pytest.mark.parametrize("directed", [True, False])
def test_new_vertices_have_the_next_numbers(directed):
    graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=directed)
    trees, pairs, closure = all_of(graph)
    batches = [
        [("insert-vertex",), ("insert", 2, 3, 4), ("insert-vertex",), ("insert", 3, 4, 1)],
        [("delete-vertex", 3), ("insert-vertex",), ("insert", 4, 5, 6), ("insert", 0, 4, 1)],
        [("insert-vertex",)],
    ]
    for batch in batches:
        for dynamic in (trees, pairs, closure):
            dynamic.update(batch)
        now = trees.graph()
        assert now.is_directed == directed
        np.testing.assert_array_equal(now.to_scipy().toarray(), pairs.graph().to_scipy().toarray())
        expected = csgraph.johnson(now.to_scipy(), directed=directed)
        np.testing.assert_array_equal(trees.tree().distances, expected[0])
        np.testing.assert_array_equal(pairs.distances(), expected)
        np.testing.assert_array_equal(pairs.row(now.n_vertices - 1), expected[-1])
        np.testing.assert_array_equal(closure.closure(), now.closure())
        assert f"of {now.n_vertices} vertices" in repr(pairs) and repr(closure)[-12:] == repr(pairs)[-12:]
    assert trees.tree().path_to(5) == [0, 4, 5] and pairs.query(0, 5) == (7, [0, 4, 5])
    assert closure.has_path(0, 5) and not closure.has_path(0, 6)
    # the graph before does not change
    assert graph.n_vertices == 3 and graph.name(2) == 2


NAMED = {
    "labels": lambda _: starpaths.Graph.from_arcs([0, 1], [1, 2], labels=["a", "b", ("c", 1)]),
    "words": lambda path: written(path / "g.csv", "from,to\na,b\nb,c\n"),
    "from one": lambda path: written(path / "g.gr", "p sp 3 2\na 1 2 1\na 2 3 1\n"),
    "numbers": lambda path: written(path / "g.el", "10 20\n20 30\n"),
}


def written(path, text):
    path.write_text(text)
    return starpaths.Graph.read(path)


@pytest.mark.parametrize("kind", NAMED)
def test_new_vertices_have_names(kind, tmp_path):
    graph = NAMED[kind](tmp_path)
    before = [graph.name(v) for v in range(3)]
    for dynamic in all_of(graph):
        dynamic.update([("insert-vertex", "d"), ("insert", "d", 0, 1), ("insert", 2, "d", 1)])
        # a later batch has the name, too
        dynamic.update([("insert-vertex", ("e", 5)), ("insert", "d", ("e", 5), 1)])
        dynamic.update([("reweight", "d", 0, 3)])
        for known in ("d", before[0], ("e", 5)):
            with pytest.raises(starpaths.StarpathsError, match="a vertex has this name already"):
                dynamic.update([("delete", 0, 1), ("insert-vertex", known)])
        with pytest.raises(starpaths.StarpathsError, match="so a new one needs one"):
            dynamic.update([("insert-vertex",)])
        with pytest.raises(TypeError, match="unhashable"):
            dynamic.update([("insert-vertex", ["f"])])
        # a batch that fails leaves no names
        for name in ("f", "f"):
            with pytest.raises(starpaths.StarpathsError, match="no arc"):
                dynamic.update([("insert-vertex", name), ("delete", "d", 1)])
        with pytest.raises(starpaths.StarpathsError, match="vertex is 'f'; expected"):
            dynamic.update([("delete-vertex", "f")])
        if isinstance(dynamic, starpaths.DynamicClosure):
            assert dynamic.has_path("d", ("e", 5)) and not dynamic.has_path(("e", 5), "d")
            assert dynamic.reached_from(("e", 5)).tolist() == []
            continue
        now = dynamic.graph()
        assert [now.name(v) for v in range(5)] == [*before, "d", ("e", 5)]
        for graph_of_now in (now, pickle.loads(pickle.dumps(now))):
            assert graph_of_now.vertices([*before, "d", ("e", 5)]).tolist() == [0, 1, 2, 3, 4]
        assert now.vertex("f") is None and now.n_arcs == 5
        assert now.sssp("d").distances.tolist() == [3, 4, 5, 0, 1]
        if isinstance(dynamic, starpaths.DynamicPairs):
            assert dynamic.query(0, ("e", 5)) == (4, [0, 1, 2, 3, 4])
            assert dynamic.next_hops("d").tolist() == [0, 0, 0, -1, 4]
        else:
            assert dynamic.tree().path_to(4) == [0, 1, 2, 3, 4]
    assert graph.vertex("d") is None and graph.n_vertices == 3


def test_threads_add_vertices_in_turn():
    pairs = starpaths.DynamicPairs(starpaths.Graph.from_arcs([0], [1], labels=["a", "b"]))
    wrong = []

    def add(of_thread):
        for step in range(20):
            name = f"{of_thread} {step}"
            pairs.update([("insert-vertex", name), ("insert", "a", name, 1)])
            if pairs.row("a").shape[0] < step + 3 or pairs.graph().vertex(name) is None:
                wrong.append(name)

    threads = [threading.Thread(target=add, args=(name,)) for name in "xyz"]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    now = pairs.graph()
    assert not wrong and now.n_vertices == 62
    assert pairs.row("a").tolist() == [0.0] + [1.0] * 61
    assert sorted(now.name(v) for v in range(2, 62)) == sorted(f"{n} {s}" for n in "xyz" for s in range(20))


def test_bad_changes_change_nothing():
    graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2])
    pairs = starpaths.DynamicPairs(graph)
    closure = starpaths.DynamicClosure(graph)
    for change, message in [
        (("delete", 2, 0), "no arc 2 -> 0"),
        (("insert", 0, 3, 1), "vertex 3"),
        (("close", 0, 1), "is no change; expected"),
        ((), "is no change; expected"),
        (("insert-vertex", 3, 4), "is no change; expected"),
        (("insert-vertex", 3), "a new one has the next number"),
        (("insert", 3, 0, 1), "vertex 3"),
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
