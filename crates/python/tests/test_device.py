"""Graphs whose arrays are on a GPU, of other libraries, against the processor."""

import ctypes
import gc
import signal
import threading

import numpy as np
import pytest
import scipy.sparse

import starpaths
from starpaths import DeviceGraph, DeviceMetric, Graph, Prepared
from test_roads import grid

WEIGHTS = ["int32", "int64", "uint32", "uint64", "float32", "float64"]


class OfCupy:
    def __init__(self):
        self.library = pytest.importorskip("cupy", reason="SKIPPED: no CuPy")

    def there(self, array):
        return self.library.asarray(array)

    def fill(self, array, value):
        self.library.asarray(array)[:] = value

    def here(self, array):
        taken = self.library.asarray(array)
        assert taken.data.ptr == array.__cuda_array_interface__["data"][0]
        assert (self.library.from_dlpack(array) == taken).all()
        return taken.get()


class OfTorch:
    def __init__(self):
        self.library = pytest.importorskip("torch", reason="SKIPPED: no PyTorch")

    def there(self, array):
        return self.library.from_numpy(np.ascontiguousarray(array)).cuda()

    def fill(self, array, value):
        self.library.from_dlpack(array)[:] = value

    def here(self, array):
        taken = self.library.from_dlpack(array)
        assert taken.data_ptr() == array.__cuda_array_interface__["data"][0]
        return taken.cpu().numpy()


class OfNumba:
    def __init__(self):
        self.library = pytest.importorskip("numba.cuda", reason="SKIPPED: no Numba")

    def there(self, array):
        return self.library.to_device(array)

    def fill(self, array, value):
        taken = self.library.as_cuda_array(array)
        taken.copy_to_device(np.full(taken.shape, value, taken.dtype))

    def here(self, array):
        return self.library.as_cuda_array(array).copy_to_host()


class ByInterface:
    """An array by its address alone."""

    def __init__(self, array, **others):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **others}


class ByDlpack:
    """An array by DLPack alone."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


@pytest.fixture(params=[OfCupy, OfTorch, OfNumba])
def library(request):
    try:
        starpaths.Solver(Graph.from_arcs([0], [1]), backend="cuda")
    except starpaths.StarpathsError as error:
        pytest.skip(f"SKIPPED: {error}")
    return request.param()


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy", reason="SKIPPED: no CuPy")


def random_matrix(dtype, n=300, seed=0):
    matrix = scipy.sparse.random_array((n, n), density=0.02, rng=seed, format="csr")
    matrix.data = np.ceil(100 * matrix.data)
    return matrix.astype(dtype)


def on_device(library, matrix, index="int32"):
    arrays = [matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data]
    return DeviceGraph.from_csr(*map(library.there, arrays))


@pytest.mark.parametrize("dtype", WEIGHTS)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_answers_are_the_processors(library, dtype, index):
    matrix = random_matrix(dtype)
    graph, expected = on_device(library, matrix, index), Graph(matrix)
    assert (graph.n_vertices, graph.n_arcs) == (300, matrix.nnz)
    for source in [7, 250]:
        found, tree = graph.sssp(source), expected.sssp(source)
        assert found.distances.shape == (300,) and len(found.distances) == 300
        assert found.distances.dtype == "float64"
        assert (library.here(found.distances) == tree.distances).all()
        assert (library.here(found.predecessors) == tree.predecessors).all()
        assert found.path_to(9) == tree.path_to(9)
        assert (found.distances.get() == tree.distances).all()
    table = graph.table([5, 250, 9], [0, 1])
    assert table.shape == (3, 2)
    assert (library.here(table) == expected.table([5, 250, 9], [0, 1])).all()
    assert (graph.table([3]).get() == expected.table([3])).all()
    assert "300 vertices" in repr(graph) and "float64" in repr(table)


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_arcs_are_counted(library, index, symmetric):
    matrix = random_matrix("float32", seed=7)
    matrix = matrix + matrix.T if symmetric else matrix
    arcs = [library.there(array.astype(index)) for array in [matrix.indptr, matrix.indices]]
    ones = library.there(np.ones(matrix.nnz, "float32"))
    expected = Graph(matrix).unweighted()
    for graph in [DeviceGraph.from_csr(*arcs), DeviceGraph.from_csr(*arcs, ones)]:
        assert (graph.n_vertices, graph.n_arcs) == (300, matrix.nnz)
        for goal in [{}, {"target": 9}, {"cutoff": 2.5}, {"cutoff": 0}]:
            found, tree = graph.sssp(7, **goal), expected.sssp(7, **goal)
            assert (library.here(found.distances) == tree.distances).all()
            assert (library.here(found.predecessors) == tree.predecessors).all()
        table = graph.table([5, 250, 9], [0, 1])
        assert (library.here(table) == expected.table([5, 250, 9], [0, 1])).all()
        # a search after a table, and in another type
        found = graph.sssp(3, dtype="int32", predecessors=False).distances
        wanted = expected.sssp(3, dtype="int32").distances.filled(np.iinfo("int32").max)
        assert (library.here(found) == wanted).all()


def test_a_path_ends_whatever_was_written_to_its_tree(library):
    tree = on_device(library, random_matrix("int32")).sssp(7)
    library.fill(tree.predecessors, 9)
    with pytest.raises(starpaths.StarpathsError, match="vertex 9 lead round a cycle"):
        tree.path_to(9)


def test_goals_and_types(library):
    matrix = random_matrix("int32", seed=1)
    graph, expected = on_device(library, matrix), Graph(matrix)
    for goal in [{"target": 9}, {"cutoff": 60}, {"cutoff": 0}]:
        found, tree = graph.sssp(3, **goal), expected.sssp(3, **goal)
        assert (library.here(found.distances) == tree.distances).all()
        assert (library.here(found.predecessors) == tree.predecessors).all()
    tree = graph.sssp(3, predecessors=False, dtype="float32")
    assert tree.predecessors is None and tree.distances.dtype == "float32"
    with pytest.raises(starpaths.StarpathsError, match="no predecessors"):
        tree.path_to(9)
    alone = scipy.sparse.csr_array(([5], ([0], [1])), shape=(3, 3), dtype="int32")
    graph = on_device(library, alone)
    greatest = np.iinfo("int64").max
    assert library.here(graph.sssp(0, dtype="int64").distances).tolist() == [0, 5, greatest]
    assert library.here(graph.sssp(0, dtype="int32").distances)[2] == np.iinfo("int32").max
    graph = on_device(library, alone.astype("float64") / 2)
    with pytest.raises(starpaths.StarpathsError, match="i64 cannot hold all distances"):
        graph.sssp(0, dtype="int64")


def test_results_outlive_their_graph(library):
    matrix = random_matrix("float64", n=5000, seed=2)
    expected = Graph(matrix).sssp(0).distances
    distances = on_device(library, matrix).sssp(0).distances
    for seed in range(3):
        on_device(library, random_matrix("float64", n=5000, seed=seed)).sssp(1)
    gc.collect()
    assert (library.here(distances) == expected).all()


def test_matrices_are_taken():
    matrix = random_matrix("float32", seed=3)
    expected = Graph(matrix).sssp(0).distances
    torch = OfTorch()
    tensor = torch.library.sparse_csr_tensor(
        *map(torch.there, [matrix.indptr, matrix.indices, matrix.data]), size=matrix.shape)
    assert (DeviceGraph(tensor).sssp(0).distances.get() == expected).all()
    sparse = pytest.importorskip("cupyx.scipy.sparse", reason="SKIPPED: no CuPy")
    found = sparse.csr_matrix(scipy.sparse.csr_matrix(matrix))
    assert (DeviceGraph(found).sssp(0).distances.get() == expected).all()
    with pytest.raises(starpaths.StarpathsError, match="CSR format"):
        DeviceGraph(found.tocoo())
    with pytest.raises(starpaths.StarpathsError, match="expected a square one"):
        DeviceGraph(found[:10])


def test_both_ways_in_wait_for_the_stream_that_writes(cupy):
    matrix = random_matrix("float32", n=2000, seed=4)
    expected = Graph(matrix).sssp(0).distances
    arrays = [cupy.asarray(array) for array in [matrix.indptr, matrix.indices, matrix.data]]
    large = cupy.ones((4096, 4096), dtype="float32")
    large @ large
    for taken in [ByDlpack, ByInterface]:
        late = [cupy.zeros_like(array) for array in arrays]
        cupy.cuda.Device().synchronize()
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(20):
                large @ large
            for array, whole in zip(late, arrays):
                array[:] = whole
            assert not stream.done
            found = DeviceGraph.from_csr(*map(taken, late)).sssp(0).distances.get()
        assert (found == expected).all()


def test_results_are_complete_on_any_stream(cupy):
    matrix = random_matrix("float32", n=15_000, seed=6)
    graph, expected = on_device(OfCupy(), matrix), Graph(matrix)
    with cupy.cuda.Stream(non_blocking=True):
        for source in [3, 4, 5, 6]:
            tree = graph.sssp(source)
            found = cupy.asarray(tree.predecessors).get()
            assert (found == expected.sssp(source).predecessors).all()


def test_an_interrupt_ends_a_search(library):
    n = 400_000
    path = scipy.sparse.diags_array(np.ones(n - 1), offsets=1, shape=(n, n), format="csr")
    graph = on_device(library, path)

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                graph.sssp(0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert graph.sssp(n - 3).distances.get()[-3:].tolist() == [0, 1, 2]


def test_a_handler_of_signals_does_not_wait_for_what_it_interrupts(library):
    graph = on_device(library, random_matrix("float32"))
    said = []

    def handler(_number, _frame):
        with pytest.raises(starpaths.StarpathsError, match="asks for what it interrupts"):
            graph.sssp(0)
        said.append(on_device(library, random_matrix("float32")).sssp(0).path_to(0))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        with pytest.raises(KeyboardInterrupt):
            graph.table(np.zeros(10**6, dtype=np.int32), [1])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert said == [[0]]
    assert graph.sssp(0).path_to(0) == [0]


def test_the_thread_keeps_its_context(library):
    cuda = ctypes.CDLL("libcuda.so.1")
    graph = on_device(library, random_matrix("float32"))
    seen = []

    def current():
        context = ctypes.c_void_p()
        assert cuda.cuCtxGetCurrent(ctypes.byref(context)) == 0
        seen.append(context.value)

    def ask():
        current()
        tree = graph.sssp(0)
        current()
        tree.distances.get()
        current()
        del tree
        current()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert seen == [None] * 4


def test_dense_graphs_with_reverses(library):
    rng = np.random.default_rng(5)
    matrix = np.triu(np.ceil(rng.random((400, 400)) * 255), 1)
    matrix = scipy.sparse.csr_array(matrix + matrix.T, dtype="int32")
    graph, expected = on_device(library, matrix), Graph(matrix)
    assert (library.here(graph.sssp(1).distances) == expected.sssp(1).distances).all()


def test_what_is_no_graph_is_named(cupy):
    array = cupy.asarray
    for arrays, message in [
        (([0, 1], [0], [[1.0]]), "weights: expected one dimension"),
        (([0, 1], [0], [1.0 + 2j]), "weights: expected integers or floats"),
        (([0.0, 1.0], [0], [1.0]), "indptr: expected integers"),
        (([0, 1], [5], [1.0]), "arc 0 ends at 5"),
        (([0, 1], [-1], [1.0]), "arc 0 ends at"),
        (([0, 2], [0], [1.0]), "vertex 0 are those at 0..2"),
        (([0, 1], [0], [np.inf]), "arc 0 has weight inf"),
        (([0, 1], [0], [-1.0]), "arc 0 -> 0 has weight -1"),
    ]:
        arrays = [array(values) for values in arrays]
        for taken in [ByDlpack, ByInterface]:
            with pytest.raises(starpaths.StarpathsError, match=message):
                DeviceGraph.from_csr(*map(taken, arrays))
    three = array([0, 1, 2, 3, 4, 5])
    with pytest.raises(starpaths.StarpathsError, match="indices: expected one dimension without"):
        DeviceGraph.from_csr(array([0, 1]), three[::2], array([1.0, 1.0, 1.0]))
    gone = ByInterface(array([0]), data=(64, False))
    with pytest.raises(starpaths.StarpathsError, match="is not in the memory of a GPU"):
        DeviceGraph.from_csr(array([0, 1]), gone, array([1.0]))
    long = ByInterface(array([0]), shape=(1 << 50,))
    with pytest.raises(starpaths.StarpathsError, match="is not in the memory of GPU 0"):
        DeviceGraph.from_csr(array([0, 1]), long, array([1.0]))
    graph = DeviceGraph.from_csr(array([0, 0]), array([], dtype="int32"), array([]))
    assert graph.sssp(0).distances.get().tolist() == [0]
    with pytest.raises(starpaths.StarpathsError, match="source 1 does not exist"):
        graph.sssp(1)


def test_what_is_on_the_host_is_sent_there():
    class Nothing:
        pass

    for weights in [np.ones(1), [1.0], Nothing()]:
        with pytest.raises(starpaths.StarpathsError, match="weights|indptr.*starpaths.Graph takes"):
            DeviceGraph.from_csr(np.array([0, 1]), np.array([0]), weights)
    for matrix in [np.eye(3), Nothing()]:
        with pytest.raises(starpaths.StarpathsError, match="expected a sparse matrix of CuPy"):
            DeviceGraph(matrix)
    with pytest.raises(starpaths.StarpathsError, match="starpaths.Graph takes those"):
        DeviceGraph(scipy.sparse.csr_array(np.eye(3)))


@pytest.mark.parametrize("index", ["int32", "int64", "uint32"])
def test_pairs_of_a_metric_come_and_stay(library, index):
    if index == "uint32" and isinstance(library, OfTorch):
        index = "int32"
    metric = Prepared(grid(15)).customize()
    there = DeviceMetric(metric)
    ends = np.random.default_rng(0).integers(226, size=(2, 3000)).astype(index)
    found = there.distances(*map(library.there, ends), dtype="uint32")
    expected = metric.distances(*ends, dtype="uint32").filled(np.iinfo("uint32").max)
    assert found.shape == (3000,) and (library.here(found) == expected).all()
    three = library.there(ends[0][:3])
    for wrong, message in [
        ((three, library.there(ends[1])), "3 sources and 3000 targets"),
        ((three, ends[1][:3]), "targets: expected an array on a GPU"),
        ((three, library.there(np.array([0, 226, 0], index))), "target 226 does not exist"),
    ]:
        with pytest.raises(starpaths.StarpathsError, match=message):
            there.distances(*wrong)
    if index == "int64":
        for number in [-1, 1 << 40]:
            far = library.there(np.array([0, number, 0]))
            with pytest.raises(starpaths.StarpathsError, match="does not exist|beyond 32 bits"):
                there.distances(three, far)
