# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on the device go in and come out without a copy on the host. A module that was built for hosts takes memory of
the host for the device's, by CUDA's array interface; streams, and arrays of PyTorch, are tested on devices alone."""

import gc
import pathlib
import re

import numpy as np
import pytest
import scipy.sparse.linalg
import tessera_fem as tf
from reference import difference, distorted_box, helmholtz, needs, scipy_of
from tessera_fem import _tessera
from tessera_fem._arrays import doubles, numpy_of, ordinals

pytestmark = needs("tet1")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
ON_HOST = _tessera.on_host
TOLERANCE = 1e-12

torch = None if ON_HOST else pytest.importorskip("torch")
on_device_alone = pytest.mark.skipif(ON_HOST, reason="the module was built for hosts")


class Lent:
    """Memory that says no more of itself than `__cuda_array_interface__`."""

    def __init__(self, array, **seen):
        of = array.__array_interface__ if isinstance(array, np.ndarray) else array.__cuda_array_interface__
        self.owner, self.shape = array, of["shape"]
        self.__cuda_array_interface__ = {"stream": None, **of, **seen, "version": 3}

    @property
    def address(self):
        return self.__cuda_array_interface__["data"][0]


def moved(array):
    """A copy of NumPy's array in the memory of the device, with its strides."""
    if ON_HOST:
        return array.copy(order="K")
    flat = torch.from_numpy(array.copy(order="K").ravel(order="K")).cuda()
    return torch.as_strided(flat, array.shape, [stride // array.itemsize for stride in array.strides])


def address(array):
    return array.__cuda_array_interface__["data"][0]


def cupys(array):
    return pytest.importorskip("cupy").asarray(array, order="K")


def jaxs(array):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.device_put(array)


WAYS = {"interface": lambda array: Lent(moved(array)), "torch": moved, "cupy": cupys, "jax": jaxs}


@pytest.fixture(params=["interface", *(pytest.param(way, marks=on_device_alone) for way in WAYS if way != "interface")])
def lent(request):
    """NumPy's arrays as those of the device."""
    return WAYS[request.param]


@pytest.fixture(autouse=True)
def memory_of_the_device(monkeypatch):
    monkeypatch.setattr(_tessera, "on_host", False)


def heat(lent, order="C"):
    mesh = distorted_box("tet1")
    random = np.random.default_rng(7)
    sigma, lambda_, source = (random.uniform(0.5, 2, len(mesh.cells)) for _ in range(3))
    there = tf.Mesh(
        lent(np.asarray(mesh.points, order=order)),
        lent(mesh.cells.astype(np.int64)),
        materials=lent(np.ascontiguousarray(mesh.materials)),
    )
    system = tf.System(tf.Space(there))
    system.assemble(tf.Helmholtz(lent(sigma), lent(lambda_), lent(source)))
    return system, helmholtz(mesh, sigma, lambda_, source)


@pytest.mark.parametrize("order", ["C", "F"])
def test_mesh_and_coefficients(lent, order):
    system, (matrix, rhs) = heat(lent, order)
    assert difference(scipy_of(system.matrix), matrix) < TOLERANCE
    assert difference(numpy_of(system.rhs), rhs) < TOLERANCE
    assert np.array_equal(system.space.mesh.materials, distorted_box("tet1").materials)


def test_dense_arrays_are_taken_as_they_are(lent):
    values = lent(np.arange(6.0))
    there = doubles("x", values, 1, device=True)
    assert isinstance(there, tf.DeviceArray) and address(there) == address(values)
    assert np.array_equal(there.numpy(), np.arange(6.0)) and there.shape == (6,) and len(there) == 6
    table = np.arange(6).reshape(2, 3)
    turned = ordinals("x", lent(table.T), 2, device=True)
    assert turned.dtype == "int32" and turned.shape == (3, 2) and np.array_equal(turned.numpy(), table.T)
    assert np.array_equal(doubles("x", lent(np.arange(4, dtype=np.float32)), 1, device=True).numpy(), np.arange(4))


def test_memory_is_kept():
    array = moved(np.arange(1e5))
    there = doubles("x", Lent(array), 1, device=True)
    again = _tessera.device_array_of_capsule(there.__dlpack__())
    assert address(again) == address(there)
    del array, there
    gc.collect()
    others = [moved(np.zeros(100000)) for _ in range(5)]
    assert np.array_equal(again.numpy(), np.arange(1e5)) and len(others) == 5


def test_handed_out():
    there = doubles("x", Lent(moved(np.arange(6.0).reshape(2, 3))), 2, device=True)
    assert there.__dlpack_device__() == _tessera.device()
    seen = there.__cuda_array_interface__
    assert seen["shape"] == (2, 3) and seen["typestr"] == "<f8" and seen["strides"] is None and seen["version"] == 3
    copy = there.copy()
    assert address(copy) != address(there) and np.array_equal(copy.numpy(), there.numpy())
    with pytest.raises(BufferError, match="lies on a device"):
        there.__dlpack__(dl_device=(99, 0))
    with pytest.raises(BufferError, match="without a copy"):
        there.__dlpack__(copy=True)
    with pytest.raises(tf.UnsupportedError, match=r"lies on a device; numpy\(\) copies it"):
        np.asarray(there)


@pytest.mark.parametrize(
    "array, sentence",
    [
        (lambda: moved(np.zeros((2, 2))), "an array of 1 indices is needed, got 2"),
        (lambda: moved(np.zeros(3, dtype=np.float16)), "float64 is needed, got float16"),
        (lambda: moved(np.zeros(3, dtype=np.complex128)), "float64 is needed, got complex128"),
        (lambda: Lent(moved(np.zeros(3)), strides=(-8,)), "a stride is negative, -1 entries; copy the array first"),
    ],
)
def test_refused_arrays(array, sentence):
    given = array()
    with pytest.raises(tf.ArgumentError, match=f"x: {sentence}"):
        doubles("x", given if isinstance(given, Lent) else Lent(given), 1, device=True)


def test_freed_arrays():
    with pytest.raises(tf.ArgumentError, match="x: the array's memory has been freed"):
        doubles("x", Lent(moved(np.zeros(3)), data=(0, False)), 1, device=True)


@on_device_alone
def test_arrays_of_pytorch_and_jax_that_have_been_freed():
    tensor = torch.ones(5, dtype=torch.float64, device="cuda")
    tensor.untyped_storage().resize_(0)
    with pytest.raises(tf.ArgumentError, match="^Helmholtz: sigma: "):
        tf.Helmholtz(tensor)
    array = jaxs(np.ones(5))
    array.delete()
    with pytest.raises(tf.ArgumentError, match="^Helmholtz: sigma: .*deleted"):
        tf.Helmholtz(array)


def test_refused_whole_numbers():
    for number in (2**31, -(2**31) - 1):
        with pytest.raises(tf.ArgumentError, match="cells: a number is beyond 32 bits"):
            ordinals("cells", Lent(moved(np.array([1, number]))), 1, device=True)
    with pytest.raises(tf.ArgumentError, match="cells: int32 or int64 is needed, got float64"):
        ordinals("cells", Lent(moved(np.zeros(3))), 1, device=True)
    with pytest.raises(tf.ArgumentError, match="row map: a number is negative"):
        tf._arrays.offsets("row map", Lent(moved(np.array([0, -1]))))


def test_other_devices():
    class Elsewhere:
        def __dlpack_device__(self):
            return 2, 77

    with pytest.raises(tf.ArgumentError, match="sigma: the array lies on device 77 of DLPack's kind 2, the library computes"):
        tf.Helmholtz(Elsewhere())
    with pytest.raises(tf.ArgumentError, match="nodes: the array lies on device 77"):
        tf.Space(tf.box((2, 2, 2))).constrain(Elsewhere(), 0)


def test_sets_and_prescribed_values(lent):
    mesh = tf.box((2, 2, 2))
    nodes, sides = mesh.node_sets["xmin"].astype(np.int64), mesh.side_sets["xmax"]
    mesh.add_node_set("nodes", lent(nodes))
    mesh.add_side_set("sides", lent(sides))
    assert np.array_equal(mesh.node_sets["nodes"], nodes) and np.array_equal(mesh.side_sets["sides"], sides)
    wave, traction = np.sin(np.arange(9.0)), np.array([1.0, 2.0, 3.0])

    def loaded(given):
        space = tf.Space(mesh, 3)
        space.constrain(given(nodes), [0.5, None, given(wave)])
        space.add_load(given(sides), given(traction))
        system = tf.System(space)
        system.assemble(tf.LinearElasticity())
        return numpy_of(system.rhs).copy()

    assert difference(loaded(lent), loaded(lambda array: array)) < TOLERANCE

    def prescribed(given):
        space = tf.Space(mesh)
        space.constrain(given(nodes), given(wave))
        return space.expand(np.zeros(space.num_equations))

    assert np.array_equal(prescribed(lent), prescribed(lambda array: array))
    with pytest.raises(tf.ArgumentError, match="Space.constrain: 9 values for"):
        tf.Space(mesh).constrain(lent(nodes[:2]), lent(wave))
    with pytest.raises(tf.ArgumentError, match="side set 'two': int32 or int64 is needed, got float64"):
        mesh.add_side_set("two", lent(np.zeros((2, 2))))


def problem():
    space = tf.Space(tf.box((6, 6, 6)))
    space.constrain("xmin", 0)
    system = tf.System(space)
    system.assemble(tf.Helmholtz(np.linspace(1, 2, len(space.mesh.cells)), 0, 1))
    return system


def on_device(matrix):
    """A matrix of SciPy as one on the device."""
    return tf.DeviceMatrix(
        tf._arrays.offsets("row map", Lent(moved(matrix.indptr))),
        ordinals("columns", Lent(moved(matrix.indices)), 1, device=True),
        doubles("values", Lent(moved(matrix.data)), 1, device=True),
    )


def test_solved_there(lent):
    system = problem()
    A, b = scipy_of(system.matrix), numpy_of(system.rhs)
    exact = scipy.sparse.linalg.spsolve(A.tocsc(), b)
    there = on_device(A)
    M = tf.multigrid(there, system.space)
    x, result = tf.cg(there, lent(b), M, rtol=1e-12)
    assert result.converged and result.iterations < 30 and isinstance(x, tf.DeviceArray)
    assert difference(x.numpy(), exact) < 1e-9
    again, result = tf.cg(there, lent(b), x0=x, rtol=1e-10)
    assert result.iterations == 0 and address(again) != address(x)
    assert difference(M.apply(lent(b)).numpy(), M @ b) < 1e-6  # its numbers are of single precision
    M.refresh(there)
    whole = system.space.expand(x)
    assert isinstance(whole, tf.DeviceArray) != ON_HOST and whole.shape == (len(system.space.mesh.points),)
    assert difference(numpy_of(tf.solve(system, rtol=1e-12)), numpy_of(whole)) < 1e-9
    assert (there.scipy() != A).nnz == 0


def test_two_places():
    system = problem()
    A = scipy_of(system.matrix)
    with pytest.raises(tf.ArgumentError, match="cg: A lies on the device, b lies on the host"):
        tf.cg(on_device(A), numpy_of(system.rhs).copy())
    with pytest.raises(tf.ArgumentError, match="cg: A lies on the host, b lies on the device, x0 lies on the device"):
        tf.cg(A, Lent(moved(numpy_of(system.rhs))))
    there = on_device(A)
    with pytest.raises(tf.ArgumentError, match="row_map lies on the device, columns lies on the device, values lies on the host"):
        tf.multigrid(tf.DeviceMatrix(there.row_map, there.columns, A.data))


def test_without_a_matrix(lent):
    space = problem().space
    op = tf.Operator(space, tf.Helmholtz(2.0, 1.0))
    x = np.random.default_rng(3).uniform(-1, 1, space.num_equations)
    assert difference(op.apply(lent(x)).numpy(), op @ x) < TOLERANCE
    residual = tf.Residual(space, tf.NonlinearPoisson(1.0))
    u = np.random.default_rng(3).uniform(-1, 1, (len(space.mesh.points), 1))
    r = residual(lent(u))
    assert r.shape == u.shape and difference(r.numpy(), residual(u)) < TOLERANCE
    with pytest.raises(tf.ArgumentError, match="x has 3 entries for"):
        op.apply(lent(np.zeros(3)))


def test_derivatives(lent):
    space = problem().space
    space.add_load("zmax", 1.0)
    residual = tf.Residual(space, tf.NonlinearPoisson(lent(np.linspace(1, 2, len(space.mesh.cells)))))
    u, result = residual.solve(lent(np.zeros(len(space.mesh.points))))
    assert isinstance(u, tf.DeviceArray) and result.converged
    assert difference(u.numpy(), residual.solve()[0]) < 1e-9
    v = np.sin(np.arange(len(space.mesh.points)))
    by_u, by_fields = residual.vjp(u, lent(v))
    expected, expected_fields = residual.vjp(u.numpy(), v)
    assert difference(by_u.numpy(), expected) < TOLERANCE
    assert difference(numpy_of(by_fields["f"]), expected_fields["f"]) < TOLERANCE
    gradient = numpy_of(residual.solution_vjp(u, lent(v))["f"])
    assert difference(gradient, residual.solution_vjp(u.numpy(), v)["f"]) < 1e-9
    with pytest.raises(tf.ArgumentError, match="vjp: u lies on the device, v lies on the host"):
        residual.vjp(u, v)


@needs("hex1")
def test_several_components(lent):
    space = tf.Space(tf.box((2, 2, 2), element="hex1"), 3)
    space.constrain("xmin", [0.5, None, 1.5])
    x = np.arange(float(space.num_equations))
    there = space.expand(lent(x))
    assert there.shape == (27, 3) and np.array_equal(numpy_of(there), space.expand(x))


@on_device_alone
def test_the_systems_memory():
    system = problem()
    A, b = system.matrix, system.rhs
    assert isinstance(A, tf.DeviceMatrix) and system.matrix is A
    values, columns, rhs = (torch.from_dlpack(array) for array in (A.values, A.columns, b))
    assert values.is_cuda and values.data_ptr() == address(system.values) and rhs.data_ptr() == address(system.rhs)
    assert columns.data_ptr() == address(system.columns) and A.row_map.dtype == "uint64"
    assert torch.as_tensor(A.values, device="cuda").data_ptr() == values.data_ptr()  # by CUDA's interface
    matrix = A.torch()
    assert matrix.values().data_ptr() == values.data_ptr() and matrix.col_indices().data_ptr() == columns.data_ptr()
    before, product = values.clone(), matrix @ torch.ones_like(rhs)
    assert difference(product.cpu().numpy(), A.scipy() @ np.ones(A.shape[0])) < TOLERANCE
    system.assemble(tf.Helmholtz(2 * np.linspace(1, 2, len(system.space.mesh.cells)), 0, 1))
    assert values.data_ptr() == address(system.values) and torch.allclose(values, 2 * before, rtol=1e-13)
    x, result = tf.cg(matrix, rhs, tf.multigrid(matrix, system.space))
    assert result.converged and torch.allclose(matrix @ torch.from_dlpack(x), rhs, atol=1e-7)


@on_device_alone
def test_matrices_of_cupy():
    cupy = pytest.importorskip("cupy")
    system = problem()
    matrix, rhs = system.matrix.cupy(), cupy.from_dlpack(system.rhs)
    assert matrix.data.data.ptr == address(system.values) and matrix.indices.data.ptr == address(system.columns)
    assert rhs.data.ptr == address(system.rhs)
    ones = cupy.ones(matrix.shape[0])
    assert difference((matrix @ ones).get(), system.matrix.scipy() @ np.ones(matrix.shape[0])) < TOLERANCE
    x, result = tf.cg(matrix, rhs, tf.multigrid(matrix, system.space))
    assert result.converged and cupy.allclose(matrix @ cupy.from_dlpack(x), rhs, atol=1e-7)


@on_device_alone
def test_page():
    block = re.search(r"^```py\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    system = problem()
    names = {"tf": tf, "torch": torch, "system": system, "space": system.space, "mesh": system.space.mesh}
    exec(compile(block[1], str(PAGE), "exec"), names)
    assert names["result"].converged and names["u"].shape == (len(system.space.mesh.points),)


@on_device_alone
def test_arrays_outlive_the_system():
    system = problem()
    values, rhs = torch.from_dlpack(system.values), system.rhs
    copies = values.clone(), rhs.numpy()
    del system
    gc.collect()
    others = [problem() for _ in range(5)]
    assert torch.equal(values, copies[0]) and np.array_equal(rhs.numpy(), copies[1]) and len(others) == 5


@on_device_alone
def test_refilled_without_growth():
    system = problem()
    sigma = torch.ones(len(system.space.mesh.cells), dtype=torch.float64, device="cuda")

    def refill(times):
        for _ in range(times):
            system.assemble(tf.Helmholtz(sigma, 0, 1))
            torch.from_dlpack(system.matrix.values), system.rhs
        torch.cuda.synchronize()
        return torch.cuda.mem_get_info()[0]

    before = refill(20)
    assert before - refill(1000) < 2**20, "a leaked array of coefficients a time would be 10 * 2**20 bytes"


@on_device_alone
def test_waits_for_the_callers_stream():
    """Coefficients that a stream is still to write are those that it writes."""
    system = problem()
    values = torch.from_dlpack(system.values)
    sigma = torch.zeros(len(system.space.mesh.cells), dtype=torch.float64, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    for value, seen in ((3.0, lambda: sigma), (5.0, lambda: Lent(sigma, stream=stream.cuda_stream))):
        system.assemble(tf.Helmholtz(1.0))
        expected = value * values
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(400_000_000)  # cycles
            sigma.fill_(value)
            form = tf.Helmholtz(seen())
        system.assemble(form)
        assert torch.allclose(values, expected, rtol=1e-13)


@on_device_alone
def test_computes_on_the_callers_stream():
    stream = torch.cuda.Stream()
    usual = _tessera.current_stream()
    with tf.stream(stream):
        assert _tessera.current_stream() == stream.cuda_stream
        system = problem()
        with torch.cuda.stream(stream):
            values = torch.from_dlpack(system.values)
            expected = values.clone()
            torch.cuda._sleep(400_000_000)
            values.fill_(7.0)  # which the next assembly, on the same stream, comes after
            system.assemble(tf.Helmholtz(np.linspace(1, 2, len(system.space.mesh.cells)), 0, 1))
            assert torch.allclose(values, expected, rtol=1e-13)
        x = tf.solve(system)
    assert _tessera.current_stream() == usual
    assert difference(x.numpy(), tf.solve(problem()).numpy()) < 1e-6
    with tf.stream(torch.cuda.default_stream()):
        assert _tessera.current_stream() == 0
        tf.Helmholtz(torch.ones(3, dtype=torch.float64, device="cuda"))


def test_refused_streams():
    with pytest.raises(tf.ArgumentError, match="a stream or its address is needed, got str"):
        with tf.stream("mine"):
            pass
    if ON_HOST:
        with pytest.raises(tf.UnsupportedError, match="has no streams"):
            with tf.stream(5):
                pass
