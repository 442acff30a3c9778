"""A plugin of pytest that has scipy's own tests test starpaths.

    pytest -p replace_csgraph --pyargs scipy.sparse.csgraph.tests.test_shortest_path

It puts the functions of `starpaths.csgraph` in the place of scipy's before the tests import them,
counts how often each is called, and fails the run where one never is.
"""

import functools
from collections import Counter

import pytest
from scipy.sparse import csgraph

import starpaths.csgraph

# Tests of scipy's that ours cannot pass, and why.
LEFT_OUT = {
    "test_predecessors": "the paths 4-1 and 4-3-1 are equally long, and it expects the first; "
    "test_csgraph.py has the same test for any shortest path",
}

# Functions that scipy has no test of in these files.
UNTESTED = {"reconstruct_path", "floyd_warshall"}

calls = Counter()


def counted(name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        calls[name] += 1
        return function(*args, **kwargs)

    return call


def pytest_configure():
    for name in starpaths.csgraph.__all__:
        ours = getattr(starpaths.csgraph, name)
        is_class = isinstance(ours, type)
        setattr(csgraph, name, ours if is_class else counted(name, ours))


def pytest_collection_modifyitems(items):
    for item in items:
        if reason := LEFT_OUT.get(item.name):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    claimed = {name for name in starpaths.csgraph.__all__ if not name.endswith("Error")}
    never = sorted(claimed - UNTESTED - set(calls))
    if never and not session.config.option.collectonly:
        print(f"\nnever called: {', '.join(never)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("calls of starpaths.csgraph")
    for name, number in sorted(calls.items()):
        terminalreporter.line(f"{name:<24} {number}")
