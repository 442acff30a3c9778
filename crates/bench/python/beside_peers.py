#!/usr/bin/env python3
"""Times the Python package starpaths beside scipy, NetworkX, rustworkx, igraph and networkit.

    pip install -r requirements.txt starpaths.whl
    python beside_peers.py --data FOLDER

In each round all libraries solve the same once, in turn, and each result is compared with scipy's
before the next one starts. A machine that slows down slows all of them, so that ratios within a
round hold where times do not. Making a library's graph of scipy's arrays is timed apart, and
counted. A peer that is missing, fails or is wrong is named in the table; a wrong one makes the
program fail, too.

FOLDER has dimacs/rome99.gr and dimacs/USA-road-d.NY.gr.gz.
"""

import argparse
import contextlib
import gc
import importlib
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse import csgraph as scipys

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ["starpaths", "scipy", "networkx", "rustworkx", "igraph", "networkit"]

# What stands for all processors in the column of threads.
ALL = "all"


@dataclass
class Peer:
    """One way to solve what a case asks for."""

    name: str
    # the result, of what `prepare` returned
    solve: Callable[[Any], Any]
    # makes the library's graph; None where `solve` takes scipy's
    prepare: Callable[[], Any] | None = None
    # the result as an array, not timed
    read: Callable[[Any], Any] = np.asarray
    threads: str | int = 1
    # which rows of the expected array a result has; the time is that of all, by their number
    sample: list[int] | None = None
    # how often a search is repeated in a round, of which the median counts
    n_calls: int = 1
    note: str = ""


@dataclass
class Table:
    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str]

    def markdown(self):
        lines = [f"### {self.title}", "", *(f"{note}\n" for note in self.notes)]
        lines.append(f"| {' | '.join(self.header)} |")
        lines.append("| --- |" + " ---: |" * (len(self.header) - 1))
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join(lines) + "\n"


# --- The cases. Each returns a table; times are divided by those of the first peer. ---


def rome_all_pairs(bench):
    """All pairs of the streets of Rome."""
    matrix = roads(bench.data / "dimacs" / "rome99.gr")
    n = matrix.shape[0]
    sample = spread(n, 50)
    peers = [
        Peer("starpaths `csgraph.shortest_path`", lambda _: ours().csgraph.shortest_path(matrix),
             threads=ALL),
        Peer("starpaths `Graph.all_pairs`", lambda graph: graph.all_pairs(),
             lambda: ours().Graph(matrix), threads=ALL),
        Peer("scipy `dijkstra`", lambda _: scipys.dijkstra(matrix)),
        Peer("scipy `johnson`", lambda _: scipys.johnson(matrix)),
        Peer("rustworkx `digraph_all_pairs_dijkstra_path_lengths`",
             lambda graph: the("rustworkx").digraph_all_pairs_dijkstra_path_lengths(graph, float),
             lambda: rustworkx_graph(matrix), threads=ALL,
             read=lambda lengths: from_mappings((lengths[v] for v in range(n)), range(n), n)),
        Peer("igraph `distances`", lambda graph: graph.distances(weights="weight"),
             lambda: igraph_graph(matrix)),
        Peer("networkit `APSP`", lambda graph: the("networkit").distance.APSP(graph).run()
             .getDistances(asarray=True), lambda: networkit_graph(matrix), networkit_distances,
             threads=ALL),
        networkx_sample(matrix, range(n), sample),
    ]
    expected = scipys.dijkstra(matrix)
    title = f"All pairs of the streets of Rome: {n:,} vertices, {matrix.nnz:,} arcs"
    return bench.race("rome", title, peers, expected)


def floyd_warshall_of_whole_numbers(bench):
    """Floyd-Warshall of a dense matrix of whole numbers."""
    weights = np.random.default_rng(1).integers(1, 1000, (2048, 2048)).astype(np.float64)
    return dense_floyd_warshall(bench, "floyd-warshall", weights, "whole numbers")


def floyd_warshall_of_fractions(bench):
    """Floyd-Warshall of a dense matrix of fractions."""
    weights = np.random.default_rng(1).uniform(1, 1000, (2048, 2048))
    return dense_floyd_warshall(bench, "floyd-warshall-fractions", weights, "fractions")


def dense_floyd_warshall(bench, case, matrix, kind):
    n = len(matrix)
    np.fill_diagonal(matrix, 0)
    peers = [
        Peer("starpaths `csgraph.floyd_warshall`", lambda _: ours().csgraph.floyd_warshall(matrix),
             threads=ALL),
        Peer("scipy `floyd_warshall`", lambda _: scipys.floyd_warshall(matrix)),
        Peer("rustworkx `digraph_floyd_warshall_numpy`",
             lambda graph: the("rustworkx").digraph_floyd_warshall_numpy(graph, float),
             lambda: the("rustworkx").PyDiGraph.from_adjacency_matrix(matrix), threads=ALL),
    ]
    title = f"Floyd-Warshall of a dense matrix, {n:,} × {n:,}, {kind} in float64"
    # by another algorithm, so that scipy's own is compared too
    expected = scipys.dijkstra(matrix)
    # sums of fractions are rounded in another order
    return bench.race(case, title, peers, expected, is_exact=kind == "whole numbers")


def new_york_64_sources(bench):
    """Distances from 64 sources on the roads of New York."""
    matrix = bench.new_york()
    n = matrix.shape[0]
    sources = spread(n, 64)
    rustworkx_search = "digraph_dijkstra_shortest_path_lengths"
    peers = [
        Peer("starpaths `csgraph.dijkstra`",
             lambda _: ours().csgraph.dijkstra(matrix, indices=sources), threads=ALL),
        Peer("starpaths `Graph.table`", lambda graph: graph.table(sources),
             lambda: ours().Graph(matrix), threads=ALL),
        Peer("scipy `dijkstra`", lambda _: scipys.dijkstra(matrix, indices=sources)),
        Peer(f"rustworkx `{rustworkx_search}`", lambda graph: [
            getattr(the("rustworkx"), rustworkx_search)(graph, source, float)
            for source in sources], lambda: rustworkx_graph(matrix),
             read=lambda lengths: from_mappings(lengths, sources, n)),
        Peer("igraph `distances`", lambda graph: graph.distances(sources, weights="weight"),
             lambda: igraph_graph(matrix)),
        Peer("networkit `SPSP`", lambda graph: the("networkit").distance.SPSP(graph, sources).run()
             .getDistances(asarray=True), lambda: networkit_graph(matrix), networkit_distances,
             threads=ALL),
        networkx_sample(matrix, sources, [0, 32]),
    ]
    expected = scipys.dijkstra(matrix, indices=sources)
    title = f"Distances from 64 sources on New York: {n:,} vertices, {matrix.nnz:,} arcs"
    return bench.race("new-york", title, peers, expected)


def closeness(bench):
    """Closeness centrality of a part of New York."""
    matrix = ball(bench.new_york(), 20_000)
    n = matrix.shape[0]
    # the graph that a user of NetworkX has
    graph = the("networkx").from_scipy_sparse_array(matrix, edge_attribute="length")
    sample = spread(n, 50)

    def by_networkx(**options):
        return the("networkx").closeness_centrality(graph, distance="length", **options)

    def by_backend(_):
        graph.__networkx_cache__.clear()
        return by_networkx(backend="starpaths")

    def by_table(starpaths_graph):
        chunks = np.array_split(np.arange(n), range(256, n, 256))
        sums = [starpaths_graph.table(chunk).sum(axis=1) for chunk in chunks]
        return (n - 1) / np.concatenate(sums)

    def by_networkit(networkit_graph):
        centrality = the("networkit").centrality
        standard = centrality.ClosenessVariant.STANDARD
        return centrality.Closeness(networkit_graph, True, standard).run().scores()

    def values(result):
        return [result[vertex] for vertex in range(n)]

    peers = [
        Peer('NetworkX, `backend="starpaths"`', by_backend, read=values, threads=ALL,
             note="with the conversion of NetworkX's graph"),
        Peer("starpaths `Graph.table`, 256 rows at a time", by_table,
             lambda: ours().Graph(matrix), threads=ALL),
        Peer("NetworkX", lambda _: [by_networkx(u=vertex) for vertex in sample], sample=sample),
        Peer("igraph `closeness`", lambda graph: graph.closeness(weights="weight"),
             lambda: igraph_graph(matrix, is_directed=False)),
        Peer("networkit `Closeness`", by_networkit,
             lambda: networkit_graph(matrix, is_directed=False), threads=ALL),
        Peer("rustworkx `newman_weighted_closeness_centrality`",
             lambda graph: the("rustworkx").newman_weighted_closeness_centrality(
                 graph, weight_fn=lambda length: 1 / length),
             lambda: rustworkx_graph(matrix, is_directed=False), threads=ALL, read=values,
             note="its lengths are the inverses of weights"),
    ]
    sums = [scipys.dijkstra(matrix, indices=part).sum(axis=1)
            for part in np.array_split(np.arange(n), 40)]
    expected = (n - 1) / np.concatenate(sums)
    title = f"Closeness centrality by length on a part of New York: {n:,} vertices"
    return bench.race("closeness", title, peers, expected, is_exact=False)


def overhead(bench):
    """What a call costs, on a graph of ten vertices."""
    dense = np.random.default_rng(1).integers(1, 10, (10, 10)).astype(np.float64)
    matrix = scipy.sparse.csr_array(np.where(dense < 5, dense, 0))
    expected = scipys.dijkstra(matrix, indices=0)
    n_calls = 500

    def by_networkx(graph, **options):
        return the("networkx").single_source_dijkstra_path_length(graph, 0, **options)

    def by_backend_at_first(graph):
        graph.__networkx_cache__.clear()
        return by_networkx(graph, backend="starpaths")

    def converted():
        graph = networkx_graph(matrix)
        by_networkx(graph, backend="starpaths")
        return graph

    def lengths(result):
        return from_mappings([result], [0], 10)[0]

    rustworkx_search = "digraph_dijkstra_shortest_path_lengths"
    peers = [
        Peer("starpaths `Graph.sssp`", lambda graph: graph.sssp(0).distances,
             lambda: ours().Graph(matrix), n_calls=n_calls),
        Peer("starpaths `csgraph.dijkstra`",
             lambda _: ours().csgraph.dijkstra(matrix, indices=0), n_calls=n_calls),
        Peer("scipy `dijkstra`", lambda _: scipys.dijkstra(matrix, indices=0), n_calls=n_calls),
        Peer('NetworkX, `backend="starpaths"`, first call', by_backend_at_first,
             lambda: networkx_graph(matrix), lengths, n_calls=n_calls),
        Peer('NetworkX, `backend="starpaths"`, again', lambda graph: by_networkx(
            graph, backend="starpaths"), converted, lengths, n_calls=n_calls),
        Peer("NetworkX", by_networkx, lambda: networkx_graph(matrix), lengths, n_calls=n_calls),
        Peer("rustworkx", lambda graph: getattr(the("rustworkx"), rustworkx_search)(
            graph, 0, float), lambda: rustworkx_graph(matrix), lengths, n_calls=n_calls),
        Peer("igraph `distances`", lambda graph: graph.distances(0, weights="weight")[0],
             lambda: igraph_graph(matrix), n_calls=n_calls),
        Peer("networkit `Dijkstra`", lambda graph: the("networkit").distance.Dijkstra(
            graph, 0).run().getDistances(), lambda: networkit_graph(matrix), networkit_distances,
             n_calls=n_calls),
    ]
    title = "One search in a graph of 10 vertices"
    return bench.race("overhead", title, peers, expected, counts_preparation=False)


def imports(bench):
    """How long the import of each package takes beyond that of numpy, and how large it is."""
    modules = {"starpaths": "starpaths", "starpaths.csgraph": "starpaths",
               "scipy.sparse.csgraph": "scipy", "networkx": "networkx", "rustworkx": "rustworkx",
               "igraph": "igraph", "networkit": "networkit"}
    times = {module: [] for module in ["numpy", *modules]}
    failed = {}
    for round_ in range(2 * bench.n_rounds):
        for module, seconds in times.items():
            command = [sys.executable, "-c", f"import numpy, {module}"]
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True)
            seconds.append(time.perf_counter() - start)
            bench.record(case="imports", peer=module, round=round_, seconds=seconds[-1])
            if done.returncode:
                failed[module] = done.stderr.strip().splitlines()[-1]
    base = statistics.median(times["numpy"])
    rows = []
    for module, package in modules.items():
        if module in failed:
            rows.append([module, failed[module], ""])
        else:
            rows.append([module, f"{(statistics.median(times[module]) - base) * 1e3:.0f} ms",
                         installed_size(package)])
    notes = [f"Fresh interpreters in turn, {2 * bench.n_rounds} each; numpy alone takes "
             f"{base * 1e3:.0f} ms, which are not in the times."]
    if bench.wheel:
        notes.append(f"The wheel of starpaths has {bench.wheel.stat().st_size / 2**20:.1f} MiB.")
    return Table("Import", ["module", "time beyond numpy's", "installed"], rows, notes)


def memory(bench):
    """What a library's graph of New York takes, made of scipy's arrays."""
    if not Path("/proc/self/clear_refs").exists():
        return Table("Memory", ["library"], [["not measured: only Linux tells the peak"]], [])
    matrix = bench.new_york()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "matrix.npz"
        scipy.sparse.save_npz(file, matrix, compressed=False)
        for name in MAKERS:
            command = [sys.executable, __file__, "--memory-of", name, "--of-matrix", file]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                rows.append([name, done.stderr.strip().splitlines()[-1], ""])
                continue
            numbers = json.loads(done.stdout)
            bench.record(case="memory", peer=name, **numbers)
            rows.append([name, *(f"{numbers[key] / 2**20:.1f} MiB" for key in ("kept", "peak"))])
    sizes = " + ".join(f"{array.nbytes / 2**20:.1f}"
                       for array in (matrix.indptr, matrix.indices, matrix.data))
    notes = [f"The arrays of the matrix have {sizes} MiB (indptr, indices in int32, data in "
             "float64), which are not in the numbers. Each library in a process of its own."]
    return Table("Memory of a graph of New York's scipy matrix",
                 ["library", "more after", "more at the peak"], rows, notes)


CASES = {"rome": rome_all_pairs, "floyd-warshall": floyd_warshall_of_whole_numbers,
         "floyd-warshall-fractions": floyd_warshall_of_fractions,
         "new-york": new_york_64_sources, "closeness": closeness, "overhead": overhead,
         "imports": imports, "memory": memory}


# --- The graphs of each library, of a scipy matrix. ---


def ours():
    importlib.import_module("starpaths.csgraph")
    return the("starpaths")


def the(package):
    return importlib.import_module(package)


def edges(matrix, is_directed=True):
    """Sources, targets and weights; of an undirected graph each edge once."""
    arcs = (matrix if is_directed else scipy.sparse.triu(matrix)).tocoo()
    return arcs.row, arcs.col, arcs.data


def rustworkx_graph(matrix, is_directed=True):
    graph = the("rustworkx").PyDiGraph() if is_directed else the("rustworkx").PyGraph()
    graph.add_nodes_from(range(matrix.shape[0]))
    sources, targets, weights = edges(matrix, is_directed)
    graph.add_edges_from(list(zip(sources.tolist(), targets.tolist(), weights.tolist())))
    return graph


def igraph_graph(matrix, is_directed=True):
    sources, targets, weights = edges(matrix, is_directed)
    return the("igraph").Graph(matrix.shape[0], np.stack((sources, targets), axis=1),
                               directed=is_directed, edge_attrs={"weight": weights.tolist()})


def networkit_graph(matrix, is_directed=True):
    sources, targets, weights = edges(matrix, is_directed)
    return the("networkit").GraphFromCoo((weights, (sources, targets)), matrix.shape[0],
                                         weighted=True, directed=is_directed)


def networkx_graph(matrix, is_directed=True):
    networkx = the("networkx")
    kind = networkx.DiGraph if is_directed else networkx.Graph
    return networkx.from_scipy_sparse_array(matrix, create_using=kind)


MAKERS = {"starpaths": lambda matrix: ours().Graph(matrix), "igraph": igraph_graph,
          "networkit": networkit_graph, "rustworkx": rustworkx_graph, "networkx": networkx_graph}


def networkx_sample(matrix, sources, sample):
    """Searches by NetworkX, from some of the sources, for it takes long."""
    n = matrix.shape[0]
    chosen = [sources[at] for at in sample]

    def solve(graph):
        search = the("networkx").single_source_dijkstra_path_length
        return [search(graph, source) for source in chosen]

    return Peer("NetworkX `single_source_dijkstra_path_length`", solve,
                lambda: networkx_graph(matrix), sample=sample,
                read=lambda lengths: from_mappings(lengths, chosen, n))


# --- Results as arrays. ---


def from_mappings(mappings, sources, n):
    """Rows of distances, of mappings from vertices to distances."""
    rows = np.full((len(sources), n), np.inf)
    for row, source, lengths in zip(rows, sources, mappings):
        row[np.fromiter(lengths.keys(), np.int64)] = np.fromiter(lengths.values(), np.float64)
        row[source] = 0
    return rows


def networkit_distances(distances):
    # the greatest float stands for no path
    return np.where(distances == np.finfo(np.float64).max, np.inf, distances)


# --- The graphs. ---


def roads(file):
    """A DIMACS file as a matrix; of parallel arcs the shortest."""
    arcs = np.loadtxt(file, comments=["c", "p"], usecols=(1, 2, 3), dtype=np.int64)
    arcs = arcs[np.lexsort((arcs[:, 2], arcs[:, 1], arcs[:, 0]))]
    is_first = np.append(True, (np.diff(arcs[:, :2], axis=0) != 0).any(axis=1))
    sources, targets, weights = arcs[is_first].T
    n = max(sources.max(), targets.max())
    entries = (weights.astype(np.float64), (sources - 1, targets - 1))
    matrix = scipy.sparse.csr_array(entries, (n, n))
    # scipy's searches take indices of 32 bits, as most matrices have them
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix


def ball(matrix, n):
    """The n vertices that are the fewest arcs away from one."""
    order = scipys.breadth_first_order(matrix, matrix.shape[0] // 2, return_predecessors=False)
    inside = np.sort(order[:n])
    return matrix[inside][:, inside]


def spread(n, k):
    """k numbers below n, evenly spaced."""
    return np.linspace(0, n - 1, k).astype(int).tolist()


# --- Running. ---


class Bench:
    def __init__(self, options):
        self.data, self.n_rounds, self.wheel = options.data, options.rounds, options.wheel
        self.records = []
        self.is_right = True
        self._new_york = None

    def new_york(self):
        if self._new_york is None:
            self._new_york = roads(self.data / "dimacs" / "USA-road-d.NY.gr.gz")
        return self._new_york

    def record(self, **what):
        self.records.append(what)

    def race(self, case, title, peers, expected, is_exact=True, counts_preparation=True):
        """All peers in turn, round by round; the table of their medians."""
        preparing, solving = ({peer.name: [] for peer in peers} for _ in range(2))
        failed = {}
        for package in PACKAGES:
            # an import is not preparation; what is missing shows when it is used
            with contextlib.suppress(ImportError):
                importlib.import_module(package)
        for round_ in range(self.n_rounds):
            # each round begins with another one
            at = round_ % len(peers)
            for peer in peers[at:] + peers[:at]:
                if peer.name in failed:
                    continue
                try:
                    prepared, solved, result = timed(peer)
                    compare(peer, result, expected, is_exact)
                except Exception as error:  # a peer's failure is a line of the table
                    failed[peer.name] = f"{type(error).__name__}: {error}".splitlines()[0]
                    self.is_right &= not isinstance(error, WrongResult)
                    self.record(case=case, peer=peer.name, round=round_, failed=failed[peer.name])
                    continue
                finally:
                    result = None
                    gc.collect()
                if peer.sample is not None:
                    solved *= len(expected) / len(peer.sample)
                preparing[peer.name].append(prepared)
                solving[peer.name].append(solved)
                self.record(case=case, peer=peer.name, round=round_, prepare_s=prepared,
                            solve_s=solved, sample=peer.sample and len(peer.sample))
            print(f"{case}: round {round_ + 1} of {self.n_rounds}", file=sys.stderr)
        whole = {name: np.array(solving[name]) + np.array(preparing[name]) * counts_preparation
                 for name in solving}
        first = next((whole[peer.name] for peer in peers if peer.name not in failed), None)
        rows = []
        for peer in peers:
            if peer.name in failed:
                rows.append([peer.name, "", "", "", "", failed[peer.name]])
                continue
            notes = [peer.note] if peer.note else []
            if peer.sample is not None:
                notes.append(f"extrapolated from {len(peer.sample)} of {len(expected):,} sources")
            ratio = statistics.median(whole[peer.name] / first)
            prepared = "" if peer.prepare is None else span(preparing[peer.name])
            rows.append([peer.name, str(peer.threads), prepared, span(solving[peer.name]),
                         f"{ratio:.2f}", "; ".join(notes)])
        counted = "counted" if counts_preparation else "not counted"
        notes = [f"Ratios are to the first line that has times, preparation {counted}."]
        return Table(title, ["", "threads", "preparation", "search", "ratio", ""], rows, notes)


class WrongResult(Exception):
    pass


def timed(peer):
    """The seconds of preparation and of a search, and the result of the search."""
    start = time.perf_counter()
    graph = peer.prepare() if peer.prepare else None
    prepared = time.perf_counter() - start
    seconds = []
    for _ in range(peer.n_calls):
        result = None
        start = time.perf_counter()
        result = peer.solve(graph)
        seconds.append(time.perf_counter() - start)
    return prepared, statistics.median(seconds), result


def compare(peer, result, expected, is_exact):
    found = np.asarray(peer.read(result))
    expected = expected if peer.sample is None else expected[peer.sample]
    # lengths of roads are whole numbers, whose sums are exact
    same = np.array_equal if is_exact else lambda *both: np.allclose(*both, rtol=1e-9, atol=0)
    if found.shape != expected.shape or not same(found, expected):
        raise WrongResult("not scipy's distances")


def span(seconds):
    """The median, in a unit that suits it."""
    middle = statistics.median(seconds)
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if middle >= size or unit == "µs":
            return f"{middle / size:.3g} {unit}" if middle < 1000 else f"{middle:.0f} s"


def memory_of(name, file):
    """Prints how much more memory the process has with a graph, and had while it was made."""
    matrix = scipy.sparse.load_npz(file)
    # a small graph first: imports and threads are not counted
    MAKERS[name](scipy.sparse.csr_array(np.eye(3)))
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is from now on
    before = status("VmRSS")
    graph = MAKERS[name](matrix)
    print(json.dumps({"kept": status("VmRSS") - before, "peak": status("VmHWM") - before}))
    del graph


def status(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def installed_size(package):
    """The size of a package's files, without what it depends on."""
    try:
        files = importlib.metadata.files(package)
    except importlib.metadata.PackageNotFoundError:
        return "not from a wheel"
    total = sum(path.stat().st_size for file in files if (path := Path(file.locate())).is_file())
    return f"{total / 2**20:.1f} MiB"


def machine():
    """Where and of what the numbers are."""
    about = {"processor": "unknown", "cores": len(os.sched_getaffinity(0)),
             "system": platform.platform(), "python": platform.python_version()}
    cpus = Path("/proc/cpuinfo")
    for line in cpus.read_text().splitlines() if cpus.exists() else []:
        if line.startswith("model name"):
            about["processor"] = line.split(":", 1)[1].strip()
    for package in ["numpy", *PACKAGES]:
        try:
            about[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            is_there = importlib.util.find_spec(package) is not None
            about[package] = "from its sources" if is_there else "not installed"
    about["commit"] = said("rev-parse", "--short", "HEAD") or "unknown"
    if said("status", "--porcelain", "--untracked-files=no"):
        about["commit"] += ", with changes that are not committed"
    about["date"] = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return about


def said(*arguments):
    """What git prints of the sources, if it does."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STARPATH_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=data, help="the folder of real graphs")
    parser.add_argument("--only", action="append", choices=CASES, help="this case; may be repeated")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "target/bench/beside-peers/summary.md",
                        help="the tables; the raw numbers lie beside them, in .jsonl")
    parser.add_argument("--wheel", type=Path, help="the wheel of starpaths, for its size")
    parser.add_argument("--memory-of", choices=MAKERS, help=argparse.SUPPRESS)
    parser.add_argument("--of-matrix", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        memory_of(options.memory_of, options.of_matrix)
        return 0
    warnings.simplefilter("ignore")  # NetworkX warns of graphs that it has converted before
    bench, about = Bench(options), machine()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    page = [f"# starpaths beside its peers\n\nMedians of {options.rounds} rounds.\n",
            "\n".join(f"- {key}: {value}" for key, value in about.items()) + "\n"]
    for name in options.only or CASES:
        try:
            table = CASES[name](bench)
        except Exception as error:  # other cases may still have what they need
            table = Table(name, ["not measured"], [[f"{type(error).__name__}: {error}"]], [])
            bench.is_right = False
        page.append(table.markdown())
        print(page[-1], flush=True)
        # after each case, for the next one may be interrupted
        options.out.write_text("\n".join(page))
        lines = [json.dumps(record) for record in [about, *bench.records]]
        options.out.with_suffix(".jsonl").write_text("\n".join(lines) + "\n")
    print(f"written to {options.out}", file=sys.stderr)
    return 0 if bench.is_right else 1


if __name__ == "__main__":
    sys.exit(main())
