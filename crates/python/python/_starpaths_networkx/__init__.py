"""What NetworkX asks of the backend when it is imported itself.

It is a package of its own so that `import networkx` loads neither the library nor numpy.
"""

_DIJKSTRA = "Negative weights are left to NetworkX."
_TOTALS = f"{_DIJKSTRA} Sums of floats may differ in their last digits."
_KRUSKAL = "Only Kruskal's algorithm, whose edges and order are kept."

# The functions of starpaths._networkx, with what there is to say.
_FUNCTIONS = {
    "all_pairs_all_shortest_paths": "",
    "all_pairs_bellman_ford_path": "",
    "all_pairs_bellman_ford_path_length": "",
    "all_pairs_dijkstra": _DIJKSTRA,
    "all_pairs_dijkstra_path": _DIJKSTRA,
    "all_pairs_dijkstra_path_length": _DIJKSTRA,
    "all_pairs_shortest_path": "",
    "all_pairs_shortest_path_length": "",
    "all_shortest_paths": "",
    "average_shortest_path_length": _TOTALS,
    "barycenter": f"{_TOTALS} Not with `attr` or `sp`.",
    "bellman_ford_path": "",
    "bellman_ford_path_length": "",
    "bellman_ford_predecessor_and_distance": "",
    "betweenness_centrality": "Only weights above zero.",
    "bidirectional_dijkstra": _DIJKSTRA,
    "bidirectional_shortest_path": "",
    "center": f"{_DIJKSTRA} Not with `e`.",
    "closeness_centrality": _TOTALS,
    "diameter": f"{_DIJKSTRA} Not with `e`.",
    "dijkstra_path": _DIJKSTRA,
    "dijkstra_path_length": _DIJKSTRA,
    "dijkstra_predecessor_and_distance": _DIJKSTRA,
    "eccentricity": f"{_DIJKSTRA} Not with `sp`.",
    "edge_betweenness_centrality": "Only weights above zero.",
    "ego_graph": _DIJKSTRA,
    "find_negative_cycle": "",
    "floyd_warshall": "Negative cycles are left to NetworkX.",
    "floyd_warshall_numpy": "Negative cycles are left to NetworkX.",
    "floyd_warshall_predecessor_and_distance": "Negative cycles are left to NetworkX.",
    "goldberg_radzik": "",
    "harmonic_centrality": _TOTALS,
    "has_path": "",
    "johnson": "",
    "minimum_spanning_edges": _KRUSKAL,
    "minimum_spanning_tree": _KRUSKAL,
    "multi_source_dijkstra": _DIJKSTRA,
    "multi_source_dijkstra_path": _DIJKSTRA,
    "multi_source_dijkstra_path_length": _DIJKSTRA,
    "negative_edge_cycle": "",
    "periphery": f"{_DIJKSTRA} Not with `e`.",
    "predecessor": "",
    "radius": f"{_DIJKSTRA} Not with `e`.",
    "shortest_path": "",
    "shortest_path_length": "",
    "shortest_simple_paths": f"{_DIJKSTRA} Paths of equal length may be in another order.",
    "single_source_all_shortest_paths": "",
    "single_source_bellman_ford": "",
    "single_source_bellman_ford_path": "",
    "single_source_bellman_ford_path_length": "",
    "single_source_dijkstra": _DIJKSTRA,
    "single_source_dijkstra_path": _DIJKSTRA,
    "single_source_dijkstra_path_length": _DIJKSTRA,
    "single_source_shortest_path": "",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path": "",
    "single_target_shortest_path_length": "",
    "transitive_closure": "",
    "wiener_index": _TOTALS,
}


def get_info():
    """The name of the backend, and its functions."""
    return {
        "backend_name": "starpaths",
        "project": "starpaths",
        "package": "starpaths",
        "short_summary": "Shortest paths in Rust, on all CPU cores.",
        # or "cuda": searches, tables, totals and closures then run on a GPU
        "default_config": {"backend": "cpu"},
        "functions": {
            name: {"additional_docs": notes} if notes else {}
            for name, notes in _FUNCTIONS.items()
        },
    }
