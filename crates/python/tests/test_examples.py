"""The examples in the documentation run."""

import doctest
import inspect
from pathlib import Path

import pytest

import starpaths
import starpaths.csgraph

CLASSES = [starpaths.Graph, starpaths.Pairs, starpaths.Solver, starpaths.Totals, starpaths.Tree]


def documented():
    for module in [starpaths, starpaths.csgraph]:
        yield from doctest.DocTestFinder(exclude_empty=True).find(module)
    # those of a compiled class have no module that doctest accepts
    for owner in CLASSES:
        for name, value in [(owner.__name__, owner), *vars(owner).items()]:
            if text := inspect.getdoc(value):
                yield doctest.DocTestParser().get_doctest(text, {}, f"{owner.__name__}.{name}",
                                                          None, 0)


EXAMPLES = {test.name: test for test in documented() if test.examples}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    assert doctest.DocTestRunner().run(EXAMPLES[name]).failed == 0


@pytest.mark.parametrize("owner", CLASSES)
def test_everything_public_is_documented(owner):
    public = {name: value for name, value in vars(owner).items() if not name.startswith("_")}
    assert all(inspect.getdoc(value) for value in public.values()), public


def test_the_readme():
    readme = Path(__file__).parents[1] / "README.md"
    assert doctest.testfile(str(readme), module_relative=False).failed == 0
