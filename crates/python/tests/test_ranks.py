"""Graphs in parts: over ranks that `mpirun` starts, and over communicators that fail."""

import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from starpaths import Graph, StarpathsError

SCRIPT = Path(__file__).with_name("over_ranks.py")
HAVE_MPI = shutil.which("mpirun") and importlib.util.find_spec("mpi4py")


def write_spg(path, graph, names=()):
    """Writes a graph with weights of float64 and names, numbers or words, as the format says."""
    arcs = graph.to_scipy()
    if all(isinstance(name, str) for name in names):
        words = [name.encode() for name in names]
        ends = np.cumsum([len(word) for word in words], dtype="<u8")
        kind, names = (3, ends.tobytes() + b"".join(words)) if words else (0, b"")
    else:
        kind, names = 2, np.array(names, "<u8").tobytes()
    sections = [arcs.indptr.astype("<u8").tobytes(), arcs.indices.astype("<u4").tobytes(),
                arcs.data.astype("<f8").tobytes(), names]
    starts, body = [], b""
    for section in sections:
        body += bytes(-len(body) % 64)
        starts.append(128 + len(body))
        body += section
    header = struct.pack("<8sI4B7QIIQ4Q", b"\x89SPG\r\n\x1a\n", 3, 5, 0, kind, 0,
                         graph.n_vertices, graph.n_arcs, *starts, 128 + len(body),
                         zlib.crc32(body), 0, len(names), 0, 0, 0, 0)
    checksum = 0xCBF29CE484222325
    for byte in header:
        checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
    path.write_bytes(header + struct.pack("<Q", checksum) + body)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    rng = np.random.default_rng(7)
    n, ends = 300, rng.integers(0, 280, (2, 900))
    graph = Graph.from_arcs(*ends, rng.integers(1, 20, 900) / 4, n_vertices=n)
    write_spg(folder / "listed.spg", graph, names=list(range(5, 5 + n)))
    write_spg(folder / "words.spg", graph, names=[f"v{v:02}" for v in range(100)]
              + [f"w{v:03}" for v in range(200)])
    assert Graph.read(folder / "words.spg").vertex("w001") == 101
    rows = zip(*ends, strict=True)
    lines = "".join(f"{u},{v},{weight}\n"
                    for (u, v), weight in zip(rows, rng.integers(1, 20, 900), strict=True))
    (folder / "roads.csv").write_text(lines)
    # an arc of the last rows ends at no vertex
    damaged = bytearray((folder / "listed.spg").read_bytes())
    start, = struct.unpack_from("<Q", damaged, 40)
    struct.pack_into("<I", damaged, start + 4 * 899, 2**31)
    (folder / "damaged.spg").write_bytes(damaged)
    write_spg(folder / "web.spg", Graph.from_arcs([0, 1, 0], [1, 2, 2], [5.0, 2, 9]))
    return folder


@pytest.mark.skipif(not HAVE_MPI, reason="there is no mpirun, or no mpi4py")
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_graph_in_parts_has_the_results_of_one_process(folder, tmp_path, size):
    # of Open MPI, in containers and with fewer cores than ranks; MPICH does not look at them
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
            # two programs that make their common folder at once fail
            "OMPI_MCA_orte_tmpdir_base": str(tmp_path)}
    command = ["mpirun", "-n", str(size), sys.executable, "-m", "mpi4py", str(SCRIPT)]
    run = subprocess.run(command, cwd=folder, env=os.environ | root, capture_output=True,
                         text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("done") == size, run


class Failing:
    """Rank 0 of two, of which the first collective fails."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def Get_rank(self):
        return 0

    def Get_size(self):
        return 2

    def recv(self, buf, source, tag):
        self.calls += 1
        raise self.error


@pytest.mark.parametrize("error", [RuntimeError("MPI_ERR_OTHER"), KeyboardInterrupt()])
def test_an_exception_of_the_communicator_is_raised(folder, error):
    communicator = Failing(error)
    with pytest.raises(type(error)) as found:
        Graph.read(folder / "web.spg", partitioned=True, communicator=communicator)
    # and ends all messages
    assert found.value is error and communicator.calls == 1


class OtherBytes(Failing):
    """It does not send what was asked for."""

    def __init__(self, answer):
        self.answer = answer

    def recv(self, buf, source, tag):
        return bytes(8)

    def bcast(self, given, root):
        return self.answer


@pytest.mark.parametrize(("answer", "error"), [(b"", StarpathsError), (5, TypeError)])
def test_other_bytes_are_no_messages(folder, answer, error):
    with pytest.raises(error):
        Graph.read(folder / "web.spg", partitioned=True, communicator=OtherBytes(answer))


class Alone:
    """A rank without others."""

    def Get_rank(self):
        return 0

    def Get_size(self):
        return 1

    def bcast(self, given, root):
        return given

    def barrier(self):
        pass


def test_ranks_search_on_gpus(folder):
    try:
        graph = Graph.read(folder / "listed.spg", partitioned=True, communicator=Alone(),
                           backend="cuda")
    except StarpathsError as error:
        if os.environ.get("STARPATH_REQUIRE_GPU"):
            raise
        pytest.skip(f"SKIPPED: {error}")
    whole = Graph.read(folder / "listed.spg")
    assert (graph.sssp(9).distances == whole.sssp(9).distances).all()
    assert (graph.table([9, 40], [7]) == whole.table([9, 40], [7])).all()
    with pytest.raises(MemoryError, match="bytes"):
        Graph.read(folder / "listed.spg", partitioned=True, communicator=Alone(), backend="cuda",
                   memory=1000)
    for expected in [whole, whole.unweighted()]:
        for of_gpus, of_cpu in [(expected.nearest([9, 40, 250], backend="cuda", gpus=1),
                                 expected.nearest([9, 40, 250])),
                                (expected.components(gpus=1, backend="cuda"),
                                 expected.components())]:
            for found, wanted in zip(of_gpus, of_cpu, strict=True):
                assert np.array_equal(found, wanted)


def test_backends_are_known(folder):
    with pytest.raises(StarpathsError, match="expected 'cpu' or 'cuda'"):
        Graph.read(folder / "web.spg", partitioned=True, communicator=Alone(), backend="tpu")
    with pytest.raises(StarpathsError, match="backend is given, but partitioned is False"):
        Graph.read(folder / "web.spg", backend="cuda")
    with pytest.raises(StarpathsError, match="memory is given, but partitioned is False"):
        Graph.read(folder / "web.spg", memory=1 << 20)
    with pytest.raises(StarpathsError, match="gpus needs backend='cuda'"):
        Graph.read(folder / "web.spg").components(gpus=1)


def test_what_is_no_communicator_is_refused(folder):
    with pytest.raises(AttributeError, match="Get_rank"):
        Graph.read(folder / "web.spg", partitioned=True, communicator=5)
    with pytest.raises(StarpathsError, match="give partitioned=True too"):
        Graph.read(folder / "web.spg", communicator=Failing(None))
