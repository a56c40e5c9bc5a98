# SPDX-License-Identifier: BSD-3-Clause
import gc
import os
import pathlib

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
import tessera_fem as tf
from reference import (
    difference,
    distorted_box,
    elasticity,
    helmholtz,
    marked,
    matrix_of,
    needs,
    on_hosts,
    removed,
    rhs_of,
    solution_of,
)

ELEMENTS = [pytest.param(element, marks=needs(element)) for element in ("tet1", "hex1")]
TOLERANCE = 1e-12


def coefficients(mesh):
    random = np.random.default_rng(7)
    return [random.uniform(0.5, 2, len(mesh.cells)) for _ in range(3)]


@pytest.mark.parametrize("element", ELEMENTS)
def test_helmholtz(element):
    mesh = distorted_box(element)
    sigma, lambda_, source = coefficients(mesh)
    system = tf.System(tf.Space(mesh))
    system.assemble(tf.Helmholtz(sigma, lambda_, source))
    matrix, rhs = helmholtz(mesh, sigma, lambda_, source)
    assert difference(matrix_of(system), matrix) < TOLERANCE
    assert difference(rhs_of(system), rhs) < TOLERANCE


@pytest.mark.parametrize("element", ELEMENTS)
def test_elasticity(element):
    mesh = distorted_box(element)
    young, _, _ = coefficients(mesh)
    poisson = np.random.default_rng(3).uniform(0.1, 0.4, len(mesh.cells))
    force = [0.3, -1.0, 2.0]
    system = tf.System(tf.Space(mesh, 3))
    system.assemble(tf.LinearElasticity(young, poisson, force))
    matrix, rhs = elasticity(mesh, young, poisson, force)
    assert difference(matrix_of(system), matrix) < TOLERANCE
    assert difference(rhs_of(system), rhs) < TOLERANCE


@pytest.mark.parametrize("element", ELEMENTS)
def test_coefficients_by_number_and_material(element):
    mesh = distorted_box(element)
    system = tf.System(tf.Space(mesh))
    values = np.array([1.0, 5.0, 0.25])
    system.assemble(tf.Helmholtz(tf.per_material(values), 2, 3.5))
    ones = np.ones(len(mesh.cells))
    matrix, rhs = helmholtz(mesh, values[mesh.materials], 2 * ones, 3.5 * ones)
    assert difference(matrix_of(system), matrix) < TOLERANCE and difference(rhs_of(system), rhs) < TOLERANCE


@pytest.mark.parametrize("element", ELEMENTS)
def test_constraints(element):
    mesh = distorted_box(element)
    ones = np.ones(len(mesh.cells))
    matrix, rhs = elasticity(mesh, 3 * ones, 0.3 * ones, [1, 2, 3])
    nodes = np.flatnonzero(mesh.points[:, 0] < 0.05)
    wave = np.sin(np.arange(len(nodes)))
    fixed = np.concatenate([3 * nodes, 3 * nodes + 2])
    values = np.concatenate([np.full(len(nodes), 0.5), wave])
    form = tf.LinearElasticity(3, 0.3, [1, 2, 3])

    space = tf.Space(mesh, 3)
    space.constrain(nodes, [0.5, None, wave])
    system = tf.System(space)
    system.assemble(form)
    expected, expected_rhs, free = removed(mesh, matrix, rhs, 3, fixed, values)
    assert space.num_equations == len(free)
    assert difference(matrix_of(system), expected) < TOLERANCE and difference(rhs_of(system), expected_rhs) < TOLERANCE
    solution = np.empty(matrix.shape[0])
    solution[free], solution[fixed] = np.arange(len(free)), values
    assert np.array_equal(space.expand(np.arange(len(free))), solution.reshape(-1, 3))

    space = tf.Space(mesh, 3, treatment="zeroed")
    space.constrain(nodes, [0.5, None, wave])
    system = tf.System(space)
    system.assemble(form)
    assert matrix_of(system).shape == matrix.shape
    assert difference(matrix_of(system)[free][:, free], expected) < TOLERANCE
    assert abs(matrix_of(system)[fixed] - scipy.sparse.eye_array(len(rhs), format="csr")[fixed]).max() == 0
    assert difference(rhs_of(system)[fixed], values) < TOLERANCE

    space.release(nodes, [0, 2])
    system = tf.System(space)
    system.assemble(form)
    assert difference(matrix_of(system), matrix) < TOLERANCE


@needs("hex1")
def test_loads():
    mesh = tf.box((2, 2, 2), (1, 1, 2), element="hex1")
    form = tf.LinearElasticity()

    def total(add):
        space = tf.Space(mesh, 3)
        add(space)
        system = tf.System(space)
        system.assemble(form)
        return rhs_of(system).reshape(-1, 3).sum(axis=0)

    assert np.allclose(total(lambda s: s.add_load("xmax", [1, 2, 3])), [2, 4, 6])
    assert np.allclose(total(lambda s: s.add_load("xmax", lambda x: [x[2], 0, x[0]])), [2, 0, 2])
    assert np.allclose(total(lambda s: s.add_pressure("xmax", 5)), [-10, 0, 0])
    assert np.allclose(total(lambda s: s.add_pressure(mesh.side_sets["zmin"], lambda x: x[0])), [0, 0, 0.5])
    assert np.allclose(total(lambda s: s.add_point_load(3, 1, -4)), [0, -4, 0])
    assert np.allclose(total(lambda s: (s.add_point_load(3, 1, -4), s.clear_loads())), 0)
    with pytest.raises(tf.ArgumentError, match="2 values for 3 components"):
        total(lambda s: s.add_load("xmax", [1, 2]))
    with pytest.raises(tf.ArgumentError, match="no side set 'left'; it has xmax"):
        total(lambda s: s.add_load("left", [1, 2, 3]))
    with pytest.raises(tf.ArgumentError, match="add_pressure: pressure: a number is needed, got 2 values"):
        total(lambda s: s.add_pressure("xmax", [1, 2]))
    with pytest.raises(ZeroDivisionError):
        total(lambda s: s.add_load("xmax", lambda x: [1 / 0, 0, 0]))


@needs("tet1")
def test_robin():
    mesh = tf.box((2, 2, 2), (1, 1, 2))
    space = tf.Space(mesh)
    space.add_robin("zmax", 3.0, lambda x: x[0])
    system = tf.System(space)
    system.assemble(tf.Helmholtz())
    assert np.isclose(matrix_of(system).sum(), 3) and np.isclose(rhs_of(system).sum(), 1.5)
    with pytest.raises(tf.ArgumentError, match="transfer must be finite and not negative"):
        space.add_robin("zmin", -1)
    space.clear_robin()
    system.assemble(tf.Helmholtz())
    assert abs(matrix_of(system).sum()) < 1e-12 and not rhs_of(system).any()


@needs("tri1")
def test_plane():
    mesh = tf.box((3, 3), element="tri1")
    matrices = []
    for plane in ("strain", "stress"):
        system = tf.System(tf.Space(mesh, 2))
        system.assemble(tf.LinearElasticity(1, 0.3, plane=plane))
        matrices.append(matrix_of(system).copy())
    # Plane stress is plane strain of other constants.
    system.assemble(tf.LinearElasticity(1.6 / 1.69, 0.3 / 1.3, plane="strain"))
    assert difference(matrix_of(system), matrices[1]) < TOLERANCE
    assert difference(matrices[0], matrices[1]) > 0.01


def address(array):
    return array.__array_interface__["data"][0]


@needs("tet1")
@on_hosts
def test_matrix_is_the_systems_memory():
    mesh = tf.box((3, 3, 3))
    system = tf.System(tf.Space(mesh))
    matrix, rhs = system.matrix, system.rhs
    assert isinstance(matrix, scipy.sparse.csr_matrix) and system.matrix is matrix
    assert address(matrix.data) == address(system.values) and address(matrix.indices) == address(system.columns)
    system.assemble(tf.Helmholtz(1, 0, 1))
    first, first_rhs = matrix.toarray(), rhs.copy()
    system.assemble(tf.Helmholtz(2, 0, 3))
    assert address(matrix.data) == address(system.values) and address(rhs) == address(system.rhs)
    assert np.array_equal(matrix.toarray(), 2 * first) and np.allclose(rhs, 3 * first_rhs, rtol=1e-14)
    assert not system.columns.flags.writeable and not system.row_map.flags.writeable and system.values.flags.writeable
    matrix.check_format(full_check=True)
    assert matrix.has_sorted_indices and (matrix @ np.ones(matrix.shape[0])).shape == rhs.shape


@needs("tet1")
@on_hosts
def test_arrays_outlive_the_system():
    system = tf.System(tf.Space(tf.box((3, 3, 3))))
    system.assemble(tf.Helmholtz(1, 1, 1))
    matrix, rhs = system.matrix, system.rhs
    copies = matrix.copy(), rhs.copy()
    del system
    gc.collect()
    others = [tf.System(tf.Space(tf.box((3, 3, 3)))) for _ in range(5)]
    assert (matrix != copies[0]).nnz == 0 and np.array_equal(rhs, copies[1]) and len(others) == 5


@needs("tet1")
def test_strategies():
    names = {strategy.name for strategy in tf.strategies()}
    assert {"Best", "Best/deterministic", "ElementAtomic", "RowOwner"} <= names
    mesh = distorted_box("tet1")
    sigma, lambda_, source = coefficients(mesh)
    form = tf.Helmholtz(sigma, lambda_, source)
    system = tf.System(tf.Space(mesh))
    expected, _ = helmholtz(mesh, sigma, lambda_, source)
    for strategy in ("ElementAtomic", "rowowner", "Best"):
        system.assemble(tf.Helmholtz(7), strategy)
        done = system.assemble(form, strategy)
        assert done.strategy.lower() == strategy.lower() and done.path
        assert difference(matrix_of(system), expected) < TOLERANCE
    assert system.assemble(form, deterministic=True).strategy == "Best/deterministic"
    bits = matrix_of(system).data.copy()
    system.assemble(form, "Best/deterministic")
    assert np.array_equal(bits, matrix_of(system).data)
    other = next(strategy.name for strategy in tf.strategies() if not strategy.deterministic and strategy.name != "Best")
    with pytest.raises(tf.UnsupportedError, match="is not deterministic"):
        system.assemble(form, other, deterministic=True)
    with pytest.raises(tf.ArgumentError, match="Fastest"):
        system.assemble(form, "Fastest")


@needs("tri2")
def test_two_fields():
    """Poiseuille's flow through a channel, which velocities of second order and a linear pressure have exactly."""
    mesh = tf.box((6, 4), (2.0, 1.0), element="tri2")
    x, y = mesh.points.T
    space = tf.Space(mesh, 3, linear_components=1)
    assert space.linear_components == 1
    for wall in ("ymin", "ymax"):
        space.constrain(wall, [0, 0, None])
    inlet = mesh.node_sets["xmin"]
    space.constrain(inlet, [4 * y[inlet] * (1 - y[inlet]), 0, None])
    system = tf.System(space)
    done = system.assemble(tf.Stokes(viscosity=0.5))
    assert done.strategy == "ElementAtomic" and difference(matrix_of(system).T, matrix_of(system)) < TOLERANCE
    flow = space.expand(scipy.sparse.linalg.spsolve(matrix_of(system).tocsc(), rhs_of(system)))
    assert difference(flow, np.column_stack([4 * y * (1 - y), 0 * y, 4 * (2 - x)])) < 1e-10
    assert difference(solution_of(system, rtol=1e-12), flow) < 1e-8
    system.assemble(tf.Stokes(0.5, body_force=[1, 2]), "elementatomic")
    assert np.allclose(rhs_of(tf.System(space)), 0) and rhs_of(system).any()
    with pytest.raises(tf.UnsupportedError, match="assembled by ElementAtomic alone, not by RowOwner"):
        system.assemble(tf.Stokes(), "RowOwner")
    with pytest.raises(tf.UnsupportedError, match="not by Best/deterministic"):
        system.assemble(tf.Stokes(), deterministic=True)
    with pytest.raises(tf.FormError, match="viscosity"):
        system.assemble(tf.Stokes(-1))
    with pytest.raises(tf.ArgumentError, match="3 components of the body force in 2 dimensions"):
        system.assemble(tf.Stokes(1, [1, 2, 3]))
    with pytest.raises(tf.UnsupportedError, match="Operator: there is none of Stokes"):
        tf.Operator(tf.Space(tf.box((2, 2), element="tri1"), 3), tf.Stokes())
    with pytest.raises(tf.UnsupportedError, match="second order, not for tri1"):
        tf.System(tf.Space(tf.box((2, 2), element="tri1"), 3)).assemble(tf.Stokes())
    with pytest.raises(tf.ArgumentError, match="component"):
        tf.Space(mesh, 3, linear_components=4)
    with pytest.raises(tf.ArgumentError, match="component"):
        tf.System(tf.Space(mesh, 3)).assemble(tf.Stokes())


@pytest.mark.parametrize("treatment", ["removed", "zeroed"])
@pytest.mark.parametrize("element", [marked(element) for element in ("tri2", "quad2", "tet2", "hex2")])
def test_flows_are_solved(element, treatment):
    """Between plates, and at rest under a force, in a box on whose sides velocities are prescribed."""
    flat = element in ("tri2", "quad2")
    mesh = tf.box((6, 4) if flat else (4, 3, 3), (2.0, 1.0) if flat else (2.0, 1.0, 1.0), element=element)
    d = mesh.points.shape[1]
    x, z = mesh.points[:, 0], mesh.points[:, -1]

    def solved(exact, sides, form, fixed=()):
        space = tf.Space(mesh, d + 1, treatment, linear_components=1)
        for side in sides:
            nodes = mesh.node_sets[side]
            space.constrain(nodes, [exact[nodes, a] for a in range(d)] + [None])
        for node in fixed:
            space.constrain([node], [None] * d + [exact[node, d]])
        system = tf.System(space)
        system.assemble(form)
        return solution_of(system, rtol=1e-12)

    exact = np.zeros((len(x), d + 1))
    exact[:, 0], exact[:, d] = 4 * z * (1 - z), 4 * (2 - x)
    sides = [side for side in mesh.node_sets if side != "xmax"]
    assert difference(solved(exact, sides, tf.Stokes(viscosity=0.5)), exact) < 1e-7
    at_rest = np.zeros_like(exact)
    at_rest[:, d] = 3 - 2 * z
    force = [0.0] * (d - 1) + [-2.0]
    assert difference(solved(at_rest, mesh.node_sets, tf.Stokes(0.5, force), fixed=[0]), at_rest) < 1e-7


@pytest.mark.parametrize("element", tf.elements())
def test_every_element(element):
    """Constants are in the null space, and the sum of all entries is the integral of lambda."""
    flat = element.startswith(("tri", "quad"))
    mesh = tf.box((2, 3) if flat else (2, 3, 2), (1.0, 3.0) if flat else (1.0, 3.0, 2.0), element=element)
    volume = 3.0 if flat else 6.0
    system = tf.System(tf.Space(mesh))
    system.assemble(tf.Helmholtz(4, 0, 2))
    assert abs(matrix_of(system) @ np.ones(len(mesh.points))).max() < 1e-11
    assert np.isclose(rhs_of(system).sum(), 2 * volume, rtol=1e-12)
    system.assemble(tf.Helmholtz(4, 5))
    assert np.isclose(matrix_of(system).sum(), 5 * volume, rtol=1e-12)
    dimension = mesh.points.shape[1]
    system = tf.System(tf.Space(mesh, dimension))
    system.assemble(tf.LinearElasticity(2, 0.3, body_force=np.arange(1.0, dimension + 1)))
    turned = np.zeros_like(mesh.points)
    turned[:, 0], turned[:, 1] = -mesh.points[:, 1], mesh.points[:, 0]
    assert abs(matrix_of(system) @ turned.reshape(-1)).max() < 1e-11
    assert np.allclose(rhs_of(system).reshape(-1, dimension).sum(axis=0), volume * np.arange(1, dimension + 1))


@needs("tet1")
@pytest.mark.parametrize(
    "make, error, sentence",
    [
        (lambda: tf.Helmholtz(sigma=-1), tf.FormError, "sigma must be positive"),
        (lambda: tf.Helmholtz(sigma=np.ones(3)), tf.ArgumentError, "3 values given, the mesh has 48 elements"),
        (lambda: tf.Helmholtz(tf.per_material([])), tf.ArgumentError, "0 values given, the mesh has 1 materials"),
        (lambda: tf.Helmholtz(np.r_[np.ones(47), -1]), tf.FormError, "element 47"),
        (lambda: tf.Helmholtz(sigma="copper"), tf.ArgumentError, "sigma: an array of 1 indices"),
        (lambda: tf.LinearElasticity(), tf.ArgumentError, "component"),
        (lambda: tf.NeoHookean(), tf.ArgumentError, "the form is a NeoHookean; it may be Helmholtz, LinearElasticity"),
        (lambda: tf.LinearElasticity(plane="bent"), tf.ArgumentError, "it may be 'strain' or 'stress'"),
    ],
)
def test_refused_forms(make, error, sentence):
    system = tf.System(tf.Space(tf.box((2, 2, 2))))
    with pytest.raises(error, match=sentence):
        system.assemble(make())


@needs("tet1")
def test_refused_spaces():
    mesh = tf.box((2, 2, 2))
    with pytest.raises(tf.ArgumentError, match="1 to 8 components"):
        tf.Space(mesh, 9)
    with pytest.raises(tf.ArgumentError, match="it may be 'removed' or 'zeroed'"):
        tf.Space(mesh, treatment="kept")
    space = tf.Space(mesh, 3)
    with pytest.raises(tf.ArgumentError, match="node 27 does not exist"):
        space.constrain([27], 0)
    with pytest.raises(tf.ArgumentError, match="2 values for 3 components"):
        space.constrain([1], [0, 0])
    with pytest.raises(tf.ArgumentError, match="5 values for 2 nodes"):
        space.constrain([1, 2], [0, 0, np.zeros(5)])
    with pytest.raises(tf.ArgumentError, match="not finite"):
        space.constrain([1], [0, 0, np.inf])
    assert space.num_equations == 81, "a refused call left a constraint"
    system = tf.System(space)
    space.constrain("xmin", 0)
    with pytest.raises(tf.ArgumentError):
        system.assemble(tf.LinearElasticity())
    with pytest.raises(tf.ArgumentError, match="FormError|elasticity|body force"):
        tf.System(space).assemble(tf.LinearElasticity(body_force=[1, 2]))


@needs("tet1")
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="this system does not say so what a process holds")
@on_hosts
def test_refilled_without_growth():
    mesh = tf.box((6, 6, 6))
    space = tf.Space(mesh)
    space.constrain("xmin", 0)
    system = tf.System(space)

    def refill(times):
        for i in range(times):
            space.constrain("xmin", 1.0 + i)
            system.assemble(tf.Helmholtz(np.full(len(mesh.cells), 1.0 + i), 1, 1))
            system.matrix, system.rhs
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = refill(50)
    assert refill(1000) - before < 2**20, "one leaked array of coefficients a time would be 10 * 2**20 bytes"
