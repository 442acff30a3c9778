"""The example examples/new_york.py runs, on a grid and on files, and its picture is written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

PACKAGE = Path(__file__).parents[1]
DATA = Path(os.environ.get("STARPATH_DATA", PACKAGE.parents[2] / "shared" / "data"))


def run(tmp_path, *arguments):
    """What the example prints."""
    picture = tmp_path / "picture.png"
    script = PACKAGE / "examples" / "new_york.py"
    done = subprocess.run([sys.executable, script, *arguments, "--picture", picture],
                          env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    return done.stdout


def test_without_a_file(tmp_path):
    printed = run(tmp_path)
    assert "3600 vertices are reached from vertex 1800" in printed


@pytest.mark.parametrize("has_coordinates", [True, False])
def test_a_file(tmp_path, has_coordinates):
    # a path of ten vertices, and one that no road leads to
    roads = [f"a {v} {v + 1} 5\na {v + 1} {v} 5" for v in range(1, 10)]
    (tmp_path / "city.gr").write_text("\n".join(["c a city", "p sp 11 18", *roads, ""]))
    if has_coordinates:
        places = [f"v {v} -{v}000 40" for v in range(1, 12)]
        (tmp_path / "city.co").write_text("\n".join(["p aux sp co 11", *places, ""]))
    printed = run(tmp_path, tmp_path / "city.gr")
    assert "2 strong components, the largest of 10 vertices" in printed
    assert "to vertex 0: 25 in 5 roads" in printed


def test_new_york(tmp_path):
    roads = DATA / "dimacs" / "USA-road-d.NY.gr.gz"
    if not roads.exists():
        pytest.skip(f"there is no {roads}; STARPATH_DATA names the folder of real graphs")
    printed = run(tmp_path, roads)
    assert "264346 vertices are reached from vertex 132173 (the file's 132174)" in printed
    assert "to vertex 4230: 1051459 in 653 roads" in printed
