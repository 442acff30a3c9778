"""The shortest-path functions of `scipy.sparse.csgraph`, with the same names and conventions.

``from scipy.sparse.csgraph import dijkstra`` becomes ``from starpaths.csgraph import dijkstra``;
arguments, defaults, return types, shapes and errors are scipy's. The work uses all CPU cores,
without the interpreter's lock, and Ctrl-C ends it. Where results differ they are listed in
docs/coming-from/scipy.md: weights under 1e-8 of a dense matrix are edges here, an undirected graph
has the smaller of both weights with every function, and of several shortest paths it may be another
one.

Four keyword arguments are new: `targets` leaves out columns of a matrix of distances, `dtype` gives
it another type, such as float32, which takes half the memory, `backend` sends the work to a GPU,
and `out` has the distances written to an array or a file.
"""

import operator
import os
import warnings

import numpy as np

import starpaths
from starpaths import Graph

try:
    from scipy.sparse.csgraph import NegativeCycleError as _ScipyNegativeCycleError
except ImportError:  # dense matrices need no scipy
    _ScipyNegativeCycleError = Exception

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "connected_components",
    "construct_dist_matrix",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "minimum_spanning_tree",
    "reconstruct_path",
    "shortest_path",
    "yen",
]

# What stands for no predecessor.
_NONE = -9999

# The greatest whole number up to which a float64 has them all, and an int32.
_MAX_EXACT = 2**53
_MAX_INT32 = 2**31

# So many weights are worth a look at whether they are whole.
_WORTH_A_LOOK = 1000


class NegativeCycleError(starpaths.NegativeCycleError, _ScipyNegativeCycleError):
    """A cycle of negative length; `cycle` has its vertices in the order of travel."""


def shortest_path(csgraph, method="auto", directed=True, return_predecessors=False,
                  unweighted=False, overwrite=False, indices=None, *, targets=None, dtype=None,
                  backend=None, out=None):
    """Distances between vertices, and the paths.

    Parameters
    ----------
    csgraph : array_like or sparse array or matrix, of shape (n, n)
        Entry (i, j) is the weight of the arc from i to j. In a dense matrix zeros, infinities and
        NaN are no arcs; in a sparse one stored zeros are.
    method : {'auto', 'FW', 'D', 'BF', 'J'}, optional
        Floyd-Warshall, Dijkstra, Bellman-Ford or Johnson. Results are the same; 'D' does not take
        negative weights, and 'FW' no `indices`.
    directed : bool, optional
        If False, every arc leads both ways; if both arcs exist, the smaller weight counts.
    return_predecessors : bool, optional
        Whether to return predecessors too.
    unweighted : bool, optional
        Whether to ignore weights: every arc then weighs 1.
    overwrite : bool, optional
        Accepted for compatibility with scipy; nothing is overwritten.
    indices : array_like of int, or int, optional
        The sources; all vertices by default. Negative ones count from the end.
    targets : array_like of int, optional
        The columns of the distances; all vertices by default. Not in scipy.
    dtype : dtype, optional
        The type of the distances; that of an array `out`, or float64, by default. Integers are a
        masked array. Not in scipy.
    backend : {'cpu', 'cuda'}, optional
        Where to search. Not in scipy.
    out : ndarray or path_like, optional
        Where to write the distances: an array of their shape and type, which is returned, or the
        name of an .npy file, which is made and returned as a `numpy.memmap`. With an integer type,
        its greatest value means no path. Not in scipy.

    Returns
    -------
    dist_matrix : ndarray, shape (n, n), or that of `indices` and n
        Infinity where there is no path.
    predecessors : ndarray of int32
        The vertex before each vertex on its path, -9999 for none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        When there is a cycle of negative length.

    Examples
    --------
    >>> from starpaths.csgraph import shortest_path
    >>> graph = [[0, 1, 2, 0], [0, 0, 0, 1], [2, 0, 0, 3], [0, 0, 0, 0]]
    >>> distances, predecessors = shortest_path(
    ...     graph, directed=False, indices=0, return_predecessors=True)
    >>> distances
    array([0., 1., 2., 2.])
    >>> predecessors
    array([-9999,     0,     0,     1], dtype=int32)
    """
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError(f"unrecognized method '{method}'")
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW'.")
    graph = _graph(csgraph, directed, unweighted)
    if method == "D":
        _warn_of_negative_weights(graph)
    # with sources, scipy's own choice is Johnson's algorithm where a weight is negative
    algorithm = {"FW": "blocked", "J": "johnson"}.get(method)
    if method == "auto" and indices is not None:
        algorithm = "johnson"
    return _distances(graph, indices, return_predecessors, targets, dtype, backend, out, algorithm)


def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False,
                   overwrite=False, *, targets=None, dtype=None, backend=None, out=None):
    """Distances of all pairs by the algorithm of Floyd and Warshall, a block of vertices at a time.

    Parameters and results are those of `shortest_path`.

    Examples
    --------
    >>> from starpaths.csgraph import floyd_warshall
    >>> floyd_warshall([[0, 1, 2], [0, 0, -1], [0, 0, 0]])
    array([[ 0.,  1.,  0.],
           [inf,  0., -1.],
           [inf, inf,  0.]])
    """
    return shortest_path(csgraph, "FW", directed, return_predecessors, unweighted, overwrite,
                         targets=targets, dtype=dtype, backend=backend, out=out)


def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False,
                 unweighted=False, *, targets=None, dtype=None, backend=None, out=None):
    """Distances by the algorithm of Bellman and Ford, which takes weights of any sign.

    Parameters and results are those of `shortest_path`.

    Examples
    --------
    >>> from starpaths.csgraph import bellman_ford
    >>> bellman_ford([[0, 4, 3], [0, 0, 0], [0, -2, 0]], indices=0)
    array([0., 1., 3.])
    """
    return shortest_path(csgraph, "BF", directed, return_predecessors, unweighted, False, indices,
                         targets=targets, dtype=dtype, backend=backend, out=out)


def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, *,
            targets=None, dtype=None, backend=None, out=None):
    """Distances by Johnson's algorithm: a search from each vertex, after weights are made positive.

    Parameters and results are those of `shortest_path`.

    Examples
    --------
    >>> from starpaths.csgraph import johnson
    >>> johnson([[0, 4, 3], [0, 0, 0], [0, -2, 0]])
    array([[ 0.,  1.,  3.],
           [inf,  0., inf],
           [inf, -2.,  0.]])
    """
    return shortest_path(csgraph, "J", directed, return_predecessors, unweighted, False, indices,
                         targets=targets, dtype=dtype, backend=backend, out=out)


def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False,
             limit=np.inf, min_only=False, *, targets=None, dtype=None, backend=None, out=None):
    """Distances by a search from each source.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted, targets, dtype, backend, out
        As for `shortest_path`.
    limit : float, optional
        Leave out vertices farther than this, which may take less time.
    min_only : bool, optional
        Whether to find only the distance of each vertex from the nearest of `indices`.

    Returns
    -------
    dist_matrix : ndarray
        As for `shortest_path`; of shape (n,) with `min_only`.
    predecessors : ndarray of int32
        The vertex before each vertex on its path, -9999 for none. Only with
        `return_predecessors`.
    sources : ndarray of int32, shape (n,)
        The nearest source of each vertex, -9999 for none. Only with `min_only` and
        `return_predecessors`.

    Examples
    --------
    >>> from starpaths.csgraph import dijkstra
    >>> graph = [[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]]
    >>> dijkstra(graph, directed=False, indices=0)
    array([0., 1., 2., 2.])
    >>> dijkstra(graph, directed=False, indices=[1, 2], min_only=True, return_predecessors=True)[2]
    array([1, 1, 2, 1], dtype=int32)
    """
    is_plain = directed and not unweighted and not min_only and indices is not None
    has_new = any(argument is not None for argument in (targets, dtype, backend, out))
    if is_plain and not has_new and 0 <= limit < np.inf and hasattr(csgraph, "tocsr"):
        csgraph = _matrix(csgraph)
        found = _within(csgraph, indices, limit, return_predecessors)
        if found is not None:
            return found
    graph = _graph(csgraph, directed, unweighted)
    _warn_of_negative_weights(graph)
    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    if min_only:
        if any(argument is not None for argument in (targets, backend, out)):
            raise ValueError("targets, backend and out cannot be given with min_only")
        sources = np.arange(graph.n_vertices) if indices is None else indices
        sources = np.atleast_1d(_wrapped(sources, graph.n_vertices)).ravel()
        return _nearest(graph, sources, return_predecessors, limit, dtype)
    return _distances(graph, indices, return_predecessors, targets, dtype, backend, out, None,
                      limit)


def yen(csgraph, source, sink, K, *, directed=True, return_predecessors=False, unweighted=False):
    """The `K` shortest simple paths between two vertices, which pass no vertex twice.

    Parameters
    ----------
    csgraph, directed, unweighted
        As for `shortest_path`.
    source, sink : int
        Where paths start and end.
    K : int
        The number of paths.
    return_predecessors : bool, optional
        Whether to return the paths too.

    Returns
    -------
    dist_array : ndarray, shape (m,)
        The lengths of the paths, ascending; m is at most `K`.
    predecessors : ndarray of int32, shape (m, n)
        A row for each path: the vertex before each of its vertices, and -9999 for all others.

    Examples
    --------
    >>> from starpaths.csgraph import yen
    >>> graph = [[0, 3, 3, 0, 0], [0, 0, 0, 2, 4], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0],
    ...          [2, 0, 0, 2, 0]]
    >>> yen(graph, source=0, sink=3, K=2)
    array([5., 9.])
    """
    graph = _graph(csgraph, directed, unweighted)
    n = graph.n_vertices
    for name, vertex in (("source", source), ("sink", sink)):
        if not 0 <= operator.index(vertex) < n:
            raise ValueError(f"{name} must have 0 <= {name} < {n}, but is {vertex}")
    if operator.index(K) < 0:
        raise ValueError(f"K must be at least zero, but is {K}")
    paths = _k_shortest_paths(graph, source, sink, K)
    lengths = np.array([length for length, _ in paths], dtype=np.float64)
    if not return_predecessors:
        return lengths
    predecessors = np.full((len(paths), n), _NONE, dtype=np.int32)
    for row, (_, path) in zip(predecessors, paths):
        row[path[1:]] = path[:-1]
    return lengths, predecessors


def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """The components of a graph.

    Parameters
    ----------
    csgraph : array_like or sparse array or matrix, of shape (n, n)
        The graph.
    directed : bool, optional
        If False, arcs lead both ways, and `connection` does not matter.
    connection : {'weak', 'strong'}, optional
        Whether vertices are together that arcs join either way, or only where paths lead from each
        to each.
    return_labels : bool, optional
        Whether to return which component each vertex is in.

    Returns
    -------
    n_components : int
        How many there are.
    labels : ndarray of int32, shape (n,)
        The component of each vertex.

    Examples
    --------
    >>> from starpaths.csgraph import connected_components
    >>> connected_components([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    (2, array([0, 0, 1, 1], dtype=int32))
    """
    connection = connection.lower()
    if connection not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    graph = _graph(csgraph, directed=True, unweighted=True)
    n_components, labels = graph.components(connection if directed else "weak")
    return (n_components, labels) if return_labels else n_components


def minimum_spanning_tree(csgraph, overwrite=False):
    """A minimum spanning tree of an undirected graph, or one for each of its components.

    Parameters
    ----------
    csgraph : array_like or sparse array or matrix, of shape (n, n)
        There is an edge {i, j} if entry (i, j) or (j, i) exists; its weight is the smaller one.
    overwrite : bool, optional
        Accepted for compatibility with scipy; nothing is overwritten.

    Returns
    -------
    span_tree : scipy.sparse.csr_array or csr_matrix
        The edges of the tree, each where it is an entry of `csgraph`.

    Examples
    --------
    >>> from starpaths.csgraph import minimum_spanning_tree
    >>> graph = [[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]]
    >>> minimum_spanning_tree(graph).toarray()
    array([[0., 0., 0., 3.],
           [0., 0., 2., 5.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    # weights are compared, and not added up
    graph = _graph(csgraph, directed=True, unweighted=False, n_summed=1)
    forest = graph._spanning_forest().to_scipy()
    return _as_scipys(csgraph, forest.astype(np.float64, copy=False))


def reconstruct_path(csgraph, predecessors, directed=True):
    """The tree of a row of predecessors.

    Parameters
    ----------
    csgraph, directed
        As for `shortest_path`.
    predecessors : array_like of int, shape (n,)
        The vertex before each vertex; below zero for none.

    Returns
    -------
    cstree : scipy.sparse.csr_array or csr_matrix
        The arcs of the tree, with their weights.

    Examples
    --------
    >>> import numpy as np
    >>> from starpaths.csgraph import reconstruct_path
    >>> graph = [[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]]
    >>> reconstruct_path(graph, np.array([-9999, 0, 0, 1]), directed=False).toarray()
    array([[0., 1., 2., 0.],
           [0., 0., 0., 1.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    graph = _graph(csgraph, directed, unweighted=False)
    n = graph.n_vertices
    predecessors = np.asarray(predecessors)
    if predecessors.shape != (n,):
        raise ValueError(f"predecessors must have shape ({n},), but have {predecessors.shape}")
    (targets,) = np.nonzero(predecessors >= 0)
    sources = predecessors[targets]
    weights = _lookup_in(graph)(sources, targets)
    is_arc = np.isfinite(weights)
    return _tree(csgraph, weights[is_arc], sources[is_arc], targets[is_arc])


def construct_dist_matrix(graph, predecessors, directed=True, null_value=np.inf):
    """The distances along the paths of a matrix of predecessors.

    Parameters
    ----------
    graph, directed
        As `csgraph` and `directed` of `shortest_path`.
    predecessors : ndarray of int32, shape (n, n)
        The vertex before each on its path from the vertex of the row; below zero for none.
    null_value : float, optional
        What stands for no path.

    Returns
    -------
    dist_matrix : ndarray, shape (n, n)
        The distances.

    Examples
    --------
    >>> import numpy as np
    >>> from starpaths.csgraph import construct_dist_matrix
    >>> predecessors = np.array([[-9999, 0, 1], [-9999, -9999, 1], [-9999] * 3], dtype=np.int32)
    >>> construct_dist_matrix([[0, 5, 0], [0, 0, 2], [0, 0, 0]], predecessors)
    array([[ 0.,  5.,  7.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    graph = _graph(graph, directed, unweighted=False)
    n, weight_of = graph.n_vertices, _lookup_in(graph)
    predecessors = np.asarray(predecessors)
    if predecessors.dtype != np.int32:
        raise TypeError(f"predecessors must be of type int32, not {predecessors.dtype}")
    if predecessors.shape != (n, n):
        raise ValueError("graph and predecessors must have the same shape")
    if n and predecessors.max() >= n:
        raise ValueError(f"predecessors must be below {n}")
    rows, columns = np.nonzero(predecessors >= 0)
    distances = np.full((n, n), null_value, dtype=np.float64)
    np.fill_diagonal(distances, 0)
    # all paths go back by an arc at a time, until they are at their sources
    at, lengths = columns, np.zeros(len(rows))
    walking = np.arange(len(rows))
    for _ in range(n):
        before = predecessors[rows[walking], at]
        is_on = before >= 0
        walking, before, at = walking[is_on], before[is_on], at[is_on]
        if not len(walking):
            break
        lengths[walking] += weight_of(before, at)
        at = before
    else:
        lengths[walking] = null_value
    distances[rows, columns] = lengths
    return distances


def _graph(csgraph, directed, unweighted, n_summed=None):
    """The graph that scipy reads from a matrix, for sums of at most `n_summed` weights: by default
    of those of a path.
    """
    matrix = _matrix(csgraph)
    if isinstance(matrix, np.ndarray):
        if unweighted:
            is_arc = np.isfinite(matrix) & (matrix != 0)
            return Graph(is_arc, directed=directed).unweighted()
        return Graph(_exact(matrix, n_summed or len(matrix)), directed=directed)
    if unweighted:
        # a stored entry is an arc whatever it weighs, even infinity
        return Graph.from_csr(matrix.indptr, matrix.indices, directed=directed)
    indptr, indices, weights = matrix.indptr, matrix.indices, matrix.data
    weights = _exact(weights, n_summed or len(indptr))
    try:
        return Graph.from_csr(indptr, indices, weights, directed=directed)
    except starpaths.StarpathsError:
        is_arc = np.isfinite(weights)
        if is_arc.all():
            raise
    indptr = np.concatenate(([0], np.cumsum(is_arc)))[indptr]
    return Graph.from_csr(indptr, indices[is_arc], weights[is_arc], directed=directed)


def _matrix(csgraph):
    """A square matrix as rows of scipy, or as an array with zeros for no arc."""
    if hasattr(csgraph, "tocsr"):
        matrix = csgraph.tocsr()
    elif np.ma.isMaskedArray(csgraph):
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(~np.ma.getmaskarray(csgraph))
        weights = _numbers(csgraph.data[rows, columns])
        matrix = csr_array((weights, (rows, columns)), shape=csgraph.shape)
    else:
        matrix = _numbers(np.asarray(csgraph))
    shape = matrix.shape
    if len(shape) != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if shape[0] != shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return matrix


def _numbers(weights):
    """The same numbers as float64; integers keep their type."""
    is_whole = weights.dtype.kind in "iub"
    return weights if is_whole else weights.astype(np.float64, copy=False)


def _exact(weights, n):
    """The weights as float64, or as integers if their sums are the same and faster to find."""
    if weights.dtype.kind in "iub":
        greatest = max(abs(int(weights.max())), abs(int(weights.min()))) if weights.size else 0
        return weights if greatest * n < _MAX_EXACT else weights.astype(np.float64)
    weights = weights.astype(np.float64, copy=False)
    if weights.size < _WORTH_A_LOOK:
        return weights
    # infinity is not less, and NaN neither
    is_small = max(weights.max(), -weights.min()) * n < _MAX_INT32
    is_whole = is_small and (weights == np.rint(weights)).all()
    return weights.astype(np.int32) if is_whole else weights


def _warn_of_negative_weights(graph):
    if graph.has_negative_weights:
        warnings.warn("Graph has negative weights: dijkstra will give inaccurate results if the "
                      "graph contains negative cycles. Consider johnson or bellman_ford.",
                      stacklevel=3)


def _wrapped(indices, n):
    """The vertices of these indices; negative ones count from the end."""
    vertices = np.array(indices, dtype=np.int64)
    # as numbers without a sign, those below zero are the greatest
    if vertices.size and vertices.view(np.uint64).max() >= n:
        vertices[vertices < 0] += n
        if vertices.min() < 0 or vertices.max() >= n:
            raise ValueError(f"indices out of range 0...{n}")
    return vertices


def _distances(graph, indices, return_predecessors, targets, dtype, backend, out, algorithm,
               limit=np.inf):
    """The distances from some vertices, or all, in the shape that scipy gives them."""
    n = graph.n_vertices
    targets = None if targets is None else _wrapped(targets, n)
    sources = None if indices is None else _wrapped(indices, n)
    rows = None if sources is None else sources.ravel()
    predecessors = None
    if dtype is None and isinstance(out, np.ndarray):
        dtype = out.dtype
    # where weights are negative, a path may come back from beyond the limit
    cutoff = None if limit == np.inf or graph.has_negative_weights else limit
    try:
        if algorithm == "johnson" and rows is not None and graph.has_negative_weights:
            # there must not be a negative cycle anywhere
            _with_super_source(graph, np.arange(n)).sssp(n)
        if return_predecessors or cutoff is not None:
            distances, predecessors = graph.trees(rows, cutoff=cutoff, dtype=dtype,
                                                  backend=backend)
        elif rows is None and targets is None and limit == np.inf:
            return graph.all_pairs(algorithm=algorithm, dtype=dtype, backend=backend, out=out)
        elif rows is None and targets is None:
            distances = graph.all_pairs(algorithm=algorithm, dtype=dtype, backend=backend)
        else:
            rows = np.arange(n) if rows is None else rows
            distances = graph.table(rows, targets, dtype=dtype, backend=backend)
            targets = None
    except starpaths.NegativeCycleError as error:
        raise NegativeCycleError(error.cycle) from None
    if limit != np.inf and cutoff is None:
        _leave_out_beyond(limit, distances, predecessors)
    if targets is not None:
        distances = distances[:, targets]
    shape = (n,) if sources is None else sources.shape
    distances = distances.reshape(shape + distances.shape[1:])
    if out is not None:
        distances = _written(distances, out)
    if not return_predecessors:
        return distances
    predecessors[predecessors < 0] = _NONE
    return distances, predecessors.reshape(shape + (n,))


def _within(matrix, indices, limit, return_predecessors):
    """The distances up to a limit where a search ends soon, without a graph; else None."""
    n = matrix.shape[0]
    sources = _wrapped(indices, n)
    arrays = (matrix.indptr, matrix.indices, matrix.data)
    found = starpaths._core._within(arrays, sources.ravel(), limit, return_predecessors)
    if found is None:
        return None
    distances, predecessors = found
    distances = distances.reshape(sources.shape + (n,))
    if not return_predecessors:
        return distances
    return distances, predecessors.reshape(sources.shape + (n,))


def _written(distances, out):
    """Writes the distances, without a mask, to an array of the caller or to a file."""
    if np.ma.isMaskedArray(distances):
        greatest = np.iinfo(distances.dtype).max
        if np.ma.filled(distances == greatest, False).any():
            raise starpaths.StarpathsError(
                f"a distance is {greatest}, which means no path; use another dtype")
        distances = distances.filled(greatest)
    if not isinstance(out, np.ndarray):
        path = os.fspath(out)
        if not path.endswith(".npy"):
            raise ValueError(f"out is {path}; expected a name that ends in .npy")
        unfinished = path + ".unfinished"
        try:
            with open(unfinished, "wb") as file:
                np.save(file, distances)
            os.replace(unfinished, path)
        except BaseException:
            if os.path.exists(unfinished):
                os.remove(unfinished)
            raise
        return np.load(path, mmap_mode="r+")
    if out.shape != distances.shape:
        raise ValueError(f"out must have shape {distances.shape}, but has {out.shape}")
    if out.dtype != distances.dtype:
        raise ValueError(f"out must have dtype {distances.dtype}, but has {out.dtype}")
    out[...] = distances
    return out


def _nearest(graph, sources, return_predecessors, limit, dtype):
    """The distance from the nearest of several sources, and the paths from there."""
    cutoff = None if limit == np.inf or graph.has_negative_weights else limit
    try:
        distances, predecessors, owners = graph.nearest_tree(sources, cutoff=cutoff, dtype=dtype)
    except starpaths.NegativeCycleError as error:
        raise NegativeCycleError(error.cycle) from None
    if limit != np.inf and cutoff is None:
        owners[_leave_out_beyond(limit, distances, predecessors)] = _NONE
    if not return_predecessors:
        return distances
    predecessors[predecessors < 0] = _NONE
    owners[owners < 0] = _NONE
    return distances, predecessors, owners


def _leave_out_beyond(limit, distances, predecessors=None):
    """Marks vertices farther than the limit as unreached, and returns which they are."""
    is_beyond = np.ma.filled(distances > limit, True)
    distances[is_beyond] = np.ma.masked if np.ma.isMaskedArray(distances) else np.inf
    if predecessors is not None:
        predecessors[is_beyond] = _NONE
    return is_beyond


def _arcs(graph):
    """Sources, targets and weights of all arcs."""
    rows = graph.to_scipy()
    return np.repeat(np.arange(graph.n_vertices), np.diff(rows.indptr)), rows.indices, rows.data


def _with_super_source(graph, vertices):
    """The graph with one more vertex, from which arcs of weight zero lead to some."""
    n = graph.n_vertices
    sources, targets, weights = _arcs(graph)
    return Graph.from_arcs(
        np.concatenate((sources, np.full(len(vertices), n))),
        np.concatenate((targets, vertices)),
        np.concatenate((weights, np.zeros(len(vertices), dtype=weights.dtype))),
        n_vertices=n + 1,
    )


def _k_shortest_paths(graph, source, target, k):
    """The shortest paths, where weights may be negative, too."""
    if not graph.has_negative_weights:
        return graph.k_shortest_paths(source, target, k)
    # Johnson's potentials, by which no weight is negative and paths stay in order
    n = graph.n_vertices
    try:
        potentials = _with_super_source(graph, np.arange(n)).sssp(n).distances[:n]
    except starpaths.NegativeCycleError as error:
        raise NegativeCycleError(error.cycle) from None
    sources, targets, weights = _arcs(graph)
    lifted = np.maximum(weights + potentials[sources] - potentials[targets], 0)
    lifted = Graph.from_arcs(sources, targets, lifted, n_vertices=n)
    weight_of = _lookup(sources, targets, weights, n)
    paths = [path for _, path in lifted.k_shortest_paths(source, target, k)]
    lengths = [weight_of(np.array(path[:-1]), np.array(path[1:])).sum() for path in paths]
    return list(zip(lengths, paths))


def _lookup(sources, targets, weights, n):
    """A function from two arrays of vertices to the weights of the arcs, infinity for none."""
    keys, weights = sources.astype(np.int64) * n + targets, weights.astype(np.float64)
    if not (keys[1:] > keys[:-1]).all():
        order = np.lexsort((weights, keys))
        keys, weights = keys[order], weights[order]

    def weight_of(sources, targets):
        wanted = sources.astype(np.int64) * n + targets
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = np.full(len(wanted), np.inf)
        if len(keys):
            is_there = keys[at] == wanted
            found[is_there] = weights[at[is_there]]
        return found

    return weight_of


def _lookup_in(graph):
    return _lookup(*_arcs(graph), graph.n_vertices)


def _tree(csgraph, weights, rows, columns):
    """The arcs as a sparse matrix of float64."""
    from scipy.sparse import csr_array

    n = csgraph.shape[0] if hasattr(csgraph, "shape") else len(csgraph)
    arcs = csr_array((weights.astype(np.float64), (rows, columns)), shape=(n, n))
    return _as_scipys(csgraph, arcs)


def _as_scipys(csgraph, array):
    """A sparse array as the class that scipy returns for this input."""
    from scipy.sparse import csr_matrix, isspmatrix

    return csr_matrix(array) if isspmatrix(csgraph) else array
