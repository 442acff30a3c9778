"""The backend of NetworkX: its functions by their names, and what decides where they run.

NetworkX converts its graphs by `convert_from_nx`, calls a function of this module with the same
arguments as its own, and runs its own function where one here raises NotImplementedError.
"""

from starpaths._core import _is_forked
from starpaths._networkx import dense, generic, measures, structure, unweighted, weighted
from starpaths._networkx.dense import *
from starpaths._networkx.generic import *
from starpaths._networkx.graph import BackendGraph
from starpaths._networkx.measures import *
from starpaths._networkx.structure import *
from starpaths._networkx.unweighted import *
from starpaths._networkx.weighted import *

FUNCTIONS = {
    name: getattr(module, name)
    for module in (dense, generic, measures, structure, unweighted, weighted)
    for name in module.__all__
}

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "should_run", *FUNCTIONS]

# The only values that these arguments can have here.
_FIXED = {
    "algorithm": "kruskal",
    "attr": None,
    "e": None,
    "sp": None,
}

# Functions that stop at a target, when they are given one.
_TO_A_TARGET = {
    "bidirectional_dijkstra",
    "bidirectional_shortest_path",
    "dijkstra_path",
    "dijkstra_path_length",
    "has_path",
    "multi_source_dijkstra",
    "shortest_path",
    "shortest_path_length",
    "single_source_dijkstra",
}

# Functions that only count edges from one node on.
_COUNTS = {
    "shortest_path_length",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
}

# With fewer nodes than this NetworkX itself takes no longer.
_SMALL = 32


def convert_from_nx(graph, edge_attrs=None, **kwargs):
    """The graph with its nodes numbered, and arcs for the attributes that are asked for."""
    if hasattr(graph, "_graph"):
        # a view changes with its base, whose methods do not clear what is kept with the view
        graph.__networkx_cache__ = None
    converted = BackendGraph(graph)
    for attribute in edge_attrs or ():
        converted.arcs(attribute)
    return converted


def convert_to_nx(result, **kwargs):
    return result.original if isinstance(result, BackendGraph) else result


def can_run(name, args, kwargs):
    """Whether a call is supported, or why not."""
    if _is_forked():
        return "the process was forked after starpaths had been used"
    arguments = _arguments(name, args, kwargs)
    for weight in ("weight", "distance"):
        if callable(arguments.get(weight)):
            return f"{weight} is a function"
    for argument, value in _FIXED.items():
        if arguments.get(argument, value) != value:
            return f"{argument} is given"
    return True


def should_run(name, args, kwargs):
    """Whether a call is worth a conversion, or why not."""
    arguments = _arguments(name, args, kwargs)
    graph = arguments["G"]
    if len(graph) < _SMALL:
        return "the graph is small"
    cache = getattr(graph, "__networkx_cache__", None) or {}
    if "starpaths" not in cache.get("backends", {}) and _is_quick(name, arguments):
        return "the search takes no longer than the conversion"
    return True


def _is_quick(name, arguments):
    """Whether a function may stop early, or only counts edges from a node on."""
    ends = [end for end in ("source", "sources", "target") if arguments.get(end) is not None]
    if name in _TO_A_TARGET and len(ends) == 2:
        return arguments.get("method") != "bellman-ford"
    if name == "ego_graph":
        return True
    return name in _COUNTS and bool(ends) and arguments.get("weight") is None


def _arguments(name, args, kwargs):
    names = FUNCTIONS[name].__code__.co_varnames
    return dict(zip(names, args)) | kwargs
