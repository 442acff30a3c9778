#!/usr/bin/env python3
"""Times starpaths from CuPy's arrays on a GPU, beside the times that the library counts itself.

    pip install cupy-cuda13x scipy starpaths.whl
    python on_a_gpu.py GRAPH...

A GRAPH is a file that starpaths reads; `starpath generate rmat --scale 22 -o rmat22.spg` makes one.
Its arrays are copied to the GPU first. Then each round makes a DeviceGraph of them, searches from the
vertex of most arcs and fills a table; CUDA is waited for before each clock starts and before it
stops. The library's time is what it counts itself: preparation, with the look for its kernels, and
the search by the device's clock, from an event before it to one after it. All distances and predecessors are compared with
those of the processor, in the same run.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import cupy
import numpy as np
import starpaths
from beside_peers import ROOT, machine


# Rounds in which kernels are loaded and answers compared.
WARM = 2


def clock(ask):
    """Milliseconds, and the result, which is freed after them."""
    cupy.cuda.Device().synchronize()
    start = time.perf_counter()
    result = ask()
    cupy.cuda.Device().synchronize()
    return (time.perf_counter() - start) * 1e3, result


def compare(graph, there, source):
    here, found = graph.sssp(source), there.sssp(source)
    for name in ["distances", "predecessors"]:
        taken = cupy.asarray(getattr(found, name))
        if not (taken.get() == getattr(here, name)).all():
            raise SystemExit(f"the GPU's {name} are not the processor's")


def measure(name, graph, dtype, rounds):
    """A record for each round: milliseconds by what was timed."""
    matrix = graph.to_scipy()
    source = int(np.argmax(np.diff(matrix.indptr)))
    arrays = [cupy.asarray(array) for array in (matrix.indptr, matrix.indices)]
    arrays.append(cupy.asarray(matrix.data.astype(dtype)))
    sources = np.linspace(0, graph.n_vertices - 1, 64).astype(int)
    for round_ in range(-WARM, rounds):
        made, there = clock(lambda: starpaths.DeviceGraph.from_csr(*arrays))
        prepared = there.times["prepare_ms"] + there.times["jit_ms"]
        if round_ < 0:
            compare(graph, there, source)
            there.table(sources)
            continue
        record = {"graph": name, "weights": dtype, "round": round_, "make": made,
                  "make, library": prepared}
        for what, options in [("distances", {"predecessors": False}), ("tree", {})]:
            record[what], tree = clock(lambda: there.sssp(source, **options))
            record[f"{what}, search"] = tree.solve_ms
            del tree
        record["table of 64"], table = clock(lambda: there.table(sources, sources))
        del table
        yield record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, default=ROOT / "target/bench/on-a-gpu/summary.md",
                        help="the table; the raw numbers lie beside it, in .jsonl")
    parser.add_argument("--commit", help="of the wheel, where the sources are not here")
    options = parser.parse_args()
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    about = machine() | {
        "gpu": properties["name"].decode(),
        "cuda of the driver": cupy.cuda.runtime.driverGetVersion(),
        "cupy": cupy.__version__,
    }
    about["commit"] = options.commit or about["commit"]
    records, lines = [], []
    for file in options.graph:
        graph = starpaths.Graph.read(file)
        title = f"{file.name}, {graph.n_vertices:,} vertices, {graph.n_arcs:,} arcs"
        lines += [f"\n## {title}\n", "| | weights | median, ms | from | to |",
                  "| --- | --- | ---: | ---: | ---: |"]
        for dtype in ["int32", "float32", "float64"]:
            rounds = list(measure(file.name, graph, dtype, options.rounds))
            records += rounds
            for what in list(rounds[0])[3:]:
                times = [record[what] for record in rounds]
                spread = f"{min(times):.3f} | {max(times):.3f}"
                lines.append(f"| {what} | {dtype} | {statistics.median(times):.3f} | {spread} |")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    page = ["# starpaths from CuPy's arrays\n", *(f"- {key}: {value}" for key, value in about.items())]
    options.out.write_text("\n".join([*page, *lines]) + "\n")
    raw = [{"machine": about}, *records]
    options.out.with_suffix(".jsonl").write_text("".join(json.dumps(line) + "\n" for line in raw))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
