"""The examples in the documentation run."""

import ast
import doctest
import inspect
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas
import pytest

import starpaths
import starpaths.csgraph

CLASSES = [starpaths.DeviceMetric, starpaths.Graph, starpaths.Metric, starpaths.Pairs,
           starpaths.Prepared, starpaths.Solver, starpaths.Totals, starpaths.Tree]


def documented():
    for module in [starpaths, starpaths.csgraph]:
        yield from doctest.DocTestFinder(exclude_empty=True).find(module)
    # those of a compiled class have no module that doctest accepts
    for owner in CLASSES:
        for name, value in [(owner.__name__, owner), *vars(owner).items()]:
            if text := inspect.getdoc(value):
                yield doctest.DocTestParser().get_doctest(text, {}, f"{owner.__name__}.{name}",
                                                          None, 0)


# `test_ranks.py` runs those of graphs in parts
EXAMPLES = {test.name: test for test in documented()
            if test.examples and "PartitionedGraph" not in test.name}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    assert doctest.DocTestRunner().run(EXAMPLES[name]).failed == 0


@pytest.mark.parametrize("owner", CLASSES)
def test_everything_public_is_documented(owner):
    public = {name: value for name, value in vars(owner).items() if not name.startswith("_")}
    assert all(inspect.getdoc(value) for value in public.values()), public


def test_the_stub_says_what_the_module_says():
    stub = ast.parse(Path(starpaths.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    for owner in (part for part in stub.body if isinstance(part, ast.ClassDef)):
        compiled = getattr(starpaths._core, owner.name)
        said = {owner.name: (ast.get_docstring(owner), inspect.getdoc(compiled))}
        for part in owner.body:
            if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                whole = inspect.getdoc(getattr(compiled, part.name))
                said[f"{owner.name}.{part.name}"] = (ast.get_docstring(part), whole)
        for name, (short, whole) in said.items():
            # editors show the stub: the first paragraph of each text
            assert short and short.split() == whole.split("\n\n")[0].split(), name


def test_the_readme():
    readme = Path(__file__).parents[1] / "README.md"
    assert doctest.testfile(str(readme), module_relative=False).failed == 0


ROOT = Path(__file__).parents[3]

# The pages whose code runs with the graph of the page on NetworkX, the matrix of that on scipy, the
# tables of that on pandana and the files of the first and the guide to roads. The code of the others
# wants a GPU, other libraries or larger files.
RUN = ["README.md", "docs/start.md", "docs/python.md", "docs/coming-from/networkx.md",
       "docs/coming-from/pandana.md", "docs/coming-from/scipy.md", "docs/guides/roads.md"]
# Libraries that the tests do without, and GPUs.
OTHERS = ["cuda", "DeviceMetric", "import pandana", "import osmnx"]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the documents are not beside the tests")
def test_the_pages(tmp_path, monkeypatch):
    arcs = [("home", "shop", 5), ("shop", "work", 2), ("home", "work", 9)]
    (tmp_path / "streets.csv").write_text("".join(f"{u},{v},{km}\n" for u, v, km in arcs))
    monkeypatch.chdir(tmp_path)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(arcs, weight="length")
    nodes = pandas.DataFrame({"x": [0.0, 1, 2], "y": 0.0}, index=[40, 10, 30])
    edges = pandas.DataFrame({"from": [40, 10], "to": [10, 30], "distance": [5.0, 2.0]})
    np.save("table.npy", np.arange(16, dtype="uint64").reshape(4, 4))
    matrix = np.array([[0, 5, 9, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert set(RUN) <= {str(page.relative_to(ROOT)) for page in pages}
    for page in pages:
        given = {"G": graph, "matrix": matrix, "nodes": nodes, "edges": edges}
        for block in blocks(page):
            code = compile(block, page, "exec")
            wants_others = any(other in block for other in OTHERS)
            changes_networkx = "nx.config" in block
            if str(page.relative_to(ROOT)) in RUN and not wants_others and not changes_networkx:
                exec(code, given)
