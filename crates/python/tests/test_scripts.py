"""The scripts of examples/ run, on a grid and on files, and write their pictures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

PACKAGE = Path(__file__).parents[1]
DATA = Path(os.environ.get("STARPATH_DATA", PACKAGE.parents[2] / "shared" / "data"))


@pytest.fixture
def roads(tmp_path):
    """A path of ten vertices, and one that no road leads to."""
    roads = [f"a {v} {v + 1} 5\na {v + 1} {v} 5" for v in range(1, 10)]
    (tmp_path / "city.gr").write_text("\n".join(["c a city", "p sp 11 18", *roads, ""]))
    return tmp_path / "city.gr"


@pytest.fixture(params=[True, False])
def coordinates(request, tmp_path):
    """Perhaps where its vertices are."""
    if request.param:
        places = [f"v {v} -{v}000 40" for v in range(1, 12)]
        (tmp_path / "city.co").write_text("\n".join(["p aux sp co 11", *places, ""]))


def run(name, tmp_path, *arguments):
    """What the script prints."""
    picture = tmp_path / "picture.png"
    script = PACKAGE / "examples" / name
    done = subprocess.run([sys.executable, script, *arguments, "--picture", picture],
                          env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    return done.stdout


def test_new_york_without_a_file(tmp_path):
    printed = run("new_york.py", tmp_path)
    assert "3600 vertices are reached from vertex 1800" in printed


def test_new_york_of_a_file(tmp_path, roads, coordinates):
    printed = run("new_york.py", tmp_path, roads)
    assert "2 strong components, the largest of 10 vertices" in printed
    assert "to vertex 0: 25 in 5 roads" in printed


def test_new_york(tmp_path):
    roads = DATA / "dimacs" / "USA-road-d.NY.gr.gz"
    if not roads.exists():
        pytest.skip(f"there is no {roads}; STARPATH_DATA names the folder of real graphs")
    printed = run("new_york.py", tmp_path, roads)
    assert "264346 vertices are reached from vertex 132173 (the file's 132174)" in printed
    assert "to vertex 4230: 1051459 in 653 roads" in printed


def test_fifteen_minutes_without_a_file(tmp_path):
    printed = run("fifteen_minutes.py", tmp_path)
    assert "24 parks: 47% of the vertices have one within 15 minutes" in printed
    assert "13% of the vertices have one of each kind" in printed
    assert "from vertex 1641 one reaches 112 vertices" in printed


def test_fifteen_minutes_of_a_file(tmp_path, roads, coordinates):
    # ten vertices are within a hundred minutes of each other
    printed = run("fifteen_minutes.py", tmp_path, roads, "--minute", "3")
    assert "1 shops: 91% of the vertices have one within 15 minutes" in printed
    assert "one reaches 10 vertices" in printed


def test_who_matters_without_a_file(tmp_path):
    printed = run("who_matters.py", tmp_path)
    assert "Graph of 241 vertices and 1684 arcs" in printed
    assert "most by closeness: 163, 171, 158, 209, 10" in printed
    assert "most by betweenness: 116, 171, 163, 150, 226" in printed


def test_who_matters_of_a_file(tmp_path):
    links = tmp_path / "friends.csv"
    links.write_text("ann,bob\nbob,cy\ncy,dan\ncy,eve\n")
    printed = run("who_matters.py", tmp_path, links)
    assert "most by degree: cy, bob, ann, dan, eve" in printed
    assert "most by betweenness: cy, bob, ann, dan, eve" in printed
