"""Graph.aggregate beside sums over distances that scipy finds."""

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph

from starpaths import Graph, StarpathsError

DECAYS = {
    "flat": lambda distance, cutoff: np.ones_like(distance),
    "linear": lambda distance, cutoff: 1 - distance / cutoff,
    "exponential": lambda distance, cutoff: np.exp(-distance / cutoff),
    "gravity": lambda distance, cutoff: np.exp(-0.125 * distance),
}


@pytest.mark.parametrize("side", ["out", "in"])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_aggregates_are_sums_over_distances(dtype, side):
    rng = np.random.default_rng(9)
    n, k, cutoff = 80, 50, 12.5
    ends = rng.integers(0, n, (2, 240))
    weights = rng.integers(1, 9, 240)
    matrix = scipy.sparse.csr_array((weights.astype(dtype), ends), shape=(n, n))
    points, values, categories = rng.integers(0, n, k), rng.normal(size=k), rng.integers(0, 3, k)
    graph = Graph(matrix)
    distances = csgraph.dijkstra(matrix)
    distances = (distances if side == "out" else distances.T)[:, points]
    is_near = distances <= cutoff
    distances = np.where(is_near, distances, 0)
    assert (graph.aggregate(points, cutoff, side=side) == is_near.sum(axis=1)).all()
    least = np.where(is_near, values, np.inf).min(axis=1)
    found = graph.aggregate(points, cutoff, values, statistic="minimum", side=side)
    assert np.array_equal(found, np.where(np.isinf(least), np.nan, least), equal_nan=True)
    for decay, factor in DECAYS.items():
        beta = 0.125 if decay == "gravity" else None
        terms = np.where(is_near, factor(distances, cutoff), 0) * values
        arguments = dict(decay=decay, beta=beta, side=side)
        found = graph.aggregate(points, cutoff, values, statistic="sum", **arguments)
        assert np.allclose(found, terms.sum(axis=1), rtol=1e-12, atol=1e-12)
        with np.errstate(invalid="ignore"):
            means = terms.sum(axis=1) / is_near.sum(axis=1)
        found = graph.aggregate(points, cutoff, values, statistic="mean", **arguments)
        assert np.allclose(found, means, rtol=1e-12, atol=1e-12, equal_nan=True)
        found = graph.aggregate(points, cutoff, values, statistic="sum", categories=categories,
                                threads=1, **arguments)
        assert found.shape == (n, 3)
        for category in range(3):
            expected = terms[:, categories == category].sum(axis=1)
            assert np.allclose(found[:, category], expected, rtol=1e-12, atol=1e-12)


def test_points_by_name_and_no_points():
    graph = Graph.from_arcs([0, 1], [1, 2], [2, 3], directed=False)
    assert graph.aggregate([], 5).tolist() == [0, 0, 0]
    assert graph.aggregate([], 5, categories=[]).shape == (3, 0)
    assert graph.aggregate([1, 1], 0).tolist() == [0, 2, 0]
    assert graph.aggregate([0], 2, np.array([True]), statistic="sum").tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(points=[3]), "point 3"),
        (dict(cutoff=-1), "cutoff is -1"),
        (dict(cutoff=float("nan")), "cutoff is NaN"),
        (dict(cutoff=float("inf")), "cutoff is inf"),
        (dict(values=[np.nan]), "entry 0 is NaN"),
        (dict(values=[1, 2]), "2 values"),
        (dict(values=["a"]), "expected one dimension of numbers"),
        (dict(categories=[0, 1]), "2 categories"),
        (dict(categories=[-1]), "entry 0 is -1"),
        (dict(statistic="median"), "'count', 'sum', 'mean', 'minimum'"),
        (dict(statistic="mean"), "no values"),
        (dict(decay="linear"), "no decay"),
        (dict(decay="gravity", statistic="sum"), "needs beta"),
        (dict(beta=1.0), "no other decay"),
        (dict(side="both"), "'out', 'in'"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    graph = Graph.from_arcs([0, 1], [1, 2], [2, 3])
    with pytest.raises(StarpathsError, match=message):
        graph.aggregate(**{"points": [0], "cutoff": 5} | arguments)


def test_a_result_that_memory_cannot_hold_is_an_error():
    graph = Graph.from_arcs([0, 1], [1, 2], n_vertices=100_000)
    with pytest.raises(MemoryError):
        graph.aggregate([0], 5, categories=[2**31])
