"""A plugin of pytest that has NetworkX's own tests test the backend.

    NETWORKX_TEST_BACKEND=starpaths NETWORKX_FALLBACK_TO_NX=1 \
        pytest -p count_networkx --pyargs networkx.algorithms.shortest_paths

NetworkX converts each graph, calls the backend, and falls back to itself where that cannot run. So
this counts which functions gave a result, and fails the run where one never did.
"""

import functools
from collections import Counter

import pytest

from starpaths import _networkx as backend

# Tests of NetworkX's that ours cannot pass, and why.
LEFT_OUT = {
    "test_find_negative_cycle_longer_cycle": "it expects the cycle to start at another node",
    "test_shortest_simple_paths": "of paths as long as each other it expects another one next",
    "test_shortest_simple_paths_directed_with_weight_function": "the same",
}

calls = Counter()


def counted(name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        calls[name] += 1
        return result

    return call


def pytest_configure():
    for name in backend.FUNCTIONS:
        setattr(backend, name, counted(name, getattr(backend, name)))


def pytest_collection_modifyitems(items):
    for item in items:
        if reason := LEFT_OUT.get(item.name):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    never = sorted(set(backend.FUNCTIONS) - set(calls))
    if never and not session.config.option.collectonly:
        print(f"\nnever called: {', '.join(never)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("results of the backend starpaths")
    for name, number in sorted(calls.items()):
        terminalreporter.line(f"{name:<40} {number}")
