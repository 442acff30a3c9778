"""Shortest paths in graphs: fast, exact, in numpy arrays.

`Graph` takes scipy's sparse matrices, dense matrices, arrays of arcs and files, and searches them;
`from_networkx` and `from_pandas` make one of NetworkX's graphs and of data frames. `DeviceGraph`
takes arrays that are on a GPU, of CuPy or PyTorch, and leaves its results there. `Prepared` is a
road network for many distances and paths, in microseconds each; on a GPU it is a `DeviceMetric`.
`PartitionedGraph` is one whose parts are on the processes that `mpirun` has started.
`DynamicTrees`, `DynamicPairs` and `DynamicClosure` follow changes of the graph.
`starpaths.csgraph` has the same under the names and conventions of `scipy.sparse.csgraph`.

Examples
--------
>>> import starpaths
>>> graph = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
>>> tree = graph.sssp(0)
>>> tree.distances
array([0., 5., 7.])
>>> tree.path_to(2)
[0, 1, 2]
"""

from importlib.metadata import version

from starpaths._core import (
    DeviceArray,
    DeviceGraph,
    DeviceMetric,
    DeviceTree,
    DynamicClosure,
    DynamicPairs,
    DynamicTrees,
    Graph,
    Metric,
    Pairs,
    PartitionedGraph,
    Prepared,
    Solver,
    Totals,
    Tree,
)
from starpaths._errors import NegativeCycleError, StarpathsError
from starpaths._inputs import from_networkx, from_pandas

__all__ = [
    "DeviceArray",
    "DeviceGraph",
    "DeviceMetric",
    "DeviceTree",
    "DynamicClosure",
    "DynamicPairs",
    "DynamicTrees",
    "Graph",
    "Metric",
    "NegativeCycleError",
    "Pairs",
    "PartitionedGraph",
    "Prepared",
    "Solver",
    "StarpathsError",
    "Totals",
    "Tree",
    "from_networkx",
    "from_pandas",
]

__version__ = version("starpaths")
