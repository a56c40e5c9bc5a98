# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of several element types: their systems and residuals are the sums of those of each type over the same nodes."""

import numpy as np
import pytest
import tessera_fem as tf
from reference import (
    PLANE,
    SPACE,
    difference,
    marked,
    matrix_of,
    mixed_arrays,
    mixed_mesh,
    needs,
    numpy_of,
    rhs_of,
    solution_of,
)
from tessera_fem import _tessera

TOLERANCE = 1e-12
MESHES = [marked(PLANE), marked(SPACE)]


def parts(mesh):
    """Meshes of each type alone, and which elements of the whole they have."""
    first = 0
    for name, cells in mesh.blocks.items():
        own = slice(first, first + len(cells))
        materials = mesh.materials[own] if mesh.num_materials > 1 else None
        yield tf.Mesh(mesh.points, cells, name, materials), own
        first = own.stop


def own_sides(sides, own):
    within = (sides[:, 0] >= own.start) & (sides[:, 0] < own.stop)
    return sides[within] - [own.start, 0]


@pytest.mark.parametrize("names", MESHES)
def test_arrays(names):
    points, cells = mixed_arrays(names)
    mesh = mixed_mesh(names)
    assert set(mesh.blocks) == set(cells) and np.array_equal(mesh.points, points)
    assert all(np.array_equal(mesh.blocks[name], cells[name]) for name in cells)
    assert mesh.num_elements == sum(map(len, cells.values())) == len(mesh.materials) and mesh.num_materials == 3
    assert mesh.element == "+".join(mesh.blocks) and all(f"{len(cells[name])} {name}" in repr(mesh) for name in cells)
    sides = mesh.boundary_sides
    count = 14 if names == PLANE else 2 * (3 * 2 + 4 * 2) + 2 * (2 * 3 + 2 * 2 * 3)
    assert len(sides) == count and sides.max() < mesh.num_elements
    mesh.add_side_set("some", sides[::3])
    mesh.add_node_set("few", [1, 2])
    assert np.array_equal(mesh.side_sets["some"], sides[::3]) and mesh.node_sets["few"].tolist() == [1, 2]
    with pytest.raises(tf.UnsupportedError, match="several element types, .*blocks has each"):
        mesh.cells
    with pytest.raises(tf.MeshError, match="'beyond', sides of"):
        mesh.add_side_set("beyond", [[mesh.num_elements, 0]])
    with pytest.raises(tf.MeshError, match="'before', sides of"):
        mesh.add_side_set("before", [[-1, 0]])


@pytest.mark.parametrize("names", MESHES)
def test_systems_are_sums(names):
    mesh = mixed_mesh(names)
    random = np.random.default_rng(7)
    sigma, source = random.uniform(0.5, 2, (2, mesh.num_elements))
    sides = mesh.boundary_sides
    dimension = mesh.points.shape[1]

    def system_of(mesh, own, components, form, strategy="Best"):
        space = tf.Space(mesh, components)
        space.add_load(own_sides(sides, own), lambda x: np.arange(1, components + 1) * x[0])
        space.add_robin(own_sides(sides[:5], own), 2.0, 0.25)
        system = tf.System(space)
        return system, system.assemble(form(own), strategy)

    forms = {
        1: lambda own: tf.Helmholtz(sigma[own], tf.per_material([1, 2, 3]), source[own]),
        dimension: lambda own: tf.LinearElasticity(sigma[own], 0.3, np.arange(1.0, dimension + 1)),
    }
    for components, form in forms.items():
        for strategy in ("Best", "ElementAtomic", "Best/deterministic"):
            whole, done = system_of(mesh, slice(0, mesh.num_elements), components, form, strategy)
            assert done.strategy == strategy and all(f"{name}: " in done.path for name in mesh.blocks)
            matrix, rhs = 0, 0
            for part, own in parts(mesh):
                one, _ = system_of(part, own, components, form)
                matrix, rhs = matrix + matrix_of(one), rhs + rhs_of(one)
            assert difference(matrix_of(whole), matrix) < TOLERANCE and difference(rhs_of(whole), rhs) < TOLERANCE
            values = matrix_of(whole).copy()
            whole.assemble(form(slice(0, mesh.num_elements)), strategy)
            assert difference(matrix_of(whole), values) < TOLERANCE


@pytest.mark.parametrize("names", MESHES)
def test_solved(names):
    """Linear functions are in the space."""
    mesh = mixed_mesh(names)
    exact = mesh.points @ np.arange(1.0, mesh.points.shape[1] + 1) + 0.5
    space = tf.Space(mesh)
    outer = boundary_nodes(mesh)
    space.constrain(outer, exact[outer])
    system = tf.System(space)
    system.assemble(tf.Helmholtz(2.5))
    assert 0 < space.num_equations and difference(solution_of(system, rtol=1e-12), exact) < 1e-10


def boundary_nodes(mesh):
    x = mesh.points
    low, high = x.min(axis=0), x.max(axis=0)
    return np.flatnonzero(((x < low + 0.05) | (x > high - 0.05)).any(axis=1))


@pytest.mark.parametrize("names", MESHES)
def test_residuals_are_sums(names):
    """With their derivatives: those by coefficients of elements stand side by side, those by other ones add up."""
    mesh = mixed_mesh(names)
    random = np.random.default_rng(8)
    a, f = random.uniform(0.5, 2, (2, mesh.num_elements))
    sides = mesh.boundary_sides
    dimension = mesh.points.shape[1]
    forms = [
        (1, lambda own: tf.Poisson(a[own], tf.per_material([1, 2, 3.0]))),
        (1, lambda own: tf.Poisson(1.5, f[own])),
        (1, lambda own: tf.NonlinearPoisson(f[own])),
        (dimension, lambda own: tf.NeoHookean(2.0, 3.0)),
    ]

    def residual_of(mesh, own, components, form, strategy):
        space = tf.Space(mesh, components)
        space.constrain([0, 3], 0.1)
        space.add_load(own_sides(sides, own), lambda x: np.arange(1, components + 1) * x[0])
        space.add_robin(own_sides(sides[:5], own), 2.0, 0.25)
        return tf.Residual(space, form(own), strategy)

    for (components, form), strategy in zip(forms, ("Best", "Best/deterministic", "RecomputingResidual", "Best")):
        whole = residual_of(mesh, slice(0, mesh.num_elements), components, form, strategy)
        assert whole.report.strategy == strategy and all(f"{name}: " in whole.report.path for name in mesh.blocks)
        u, v = random.uniform(-0.05, 0.05, (2, len(mesh.points), components))
        by_u, by_fields = whole.vjp(u, v)
        values, matrix, expected, gradients = 0, 0, 0, []
        for part, own in parts(mesh):
            one = residual_of(part, own, components, form, "Best")
            values, matrix = values + one(u), matrix + matrix_of(one.jacobian(u))
            of_part, gradient = one.vjp(u, v)
            expected = expected + of_part
            gradients.append(gradient)
        assert difference(whole(u), values) < TOLERANCE
        assert difference(matrix_of(whole.jacobian(u)), matrix) < TOLERANCE
        assert difference(by_u, expected) < TOLERANCE
        for name, gradient in by_fields.items():
            both = [numpy_of(of_part[name]) for of_part in gradients]
            expected = np.concatenate(both) if len(gradient) == mesh.num_elements else sum(both)
            assert difference(numpy_of(gradient), expected) < TOLERANCE


@pytest.mark.parametrize("names", MESHES)
def test_newton_passes_the_patch_test(names):
    """Every mesh has a deformation that is the same everywhere: with these nodes one of several types and one of one."""
    mesh = mixed_mesh(names)
    dimension = mesh.points.shape[1]
    exact = mesh.points @ np.random.default_rng(3).uniform(-0.2, 0.2, (dimension, dimension))
    outer = boundary_nodes(mesh)

    def solution(mesh, multigrid=False):
        space = tf.Space(mesh, dimension)
        space.constrain(outer, list(exact[outer].T))
        u, result = tf.Residual(space, tf.NeoHookean(2.0, 3.0)).solve(rtol=1e-12, multigrid=multigrid)
        assert result.converged
        return u.reshape(exact.shape)

    whole = solution(mesh)
    assert difference(whole, exact) < 1e-9 and difference(solution(mesh, multigrid=True), exact) < 1e-9
    first = names.split("+")[0]
    undivided = tf.Mesh(mesh.points, tf.box((4, 3) if names == PLANE else (4, 3, 2), element=first).cells, first)
    assert difference(whole, solution(undivided)) < 1e-9


@needs("quad1")
@needs("tri1")
def test_compared():
    """Strategies that write every value once do not add up blocks: they say so."""
    table = tf.compare(tf.Space(mixed_mesh(PLANE)), tf.Helmholtz(2, 1, 3), ["ElementAtomic", "RowOwner", "Best"], repeat=1)
    refused = dict(zip(column(table, "strategy"), column(table, "refused")))
    assert "RowOwner" in refused["RowOwner"] and not refused["ElementAtomic"] and not refused["Best"]


def column(table, name):
    return list(table[name]) if hasattr(table, "columns") else [row[name] for row in table]


@needs("quad1")
@needs("tri1")
@pytest.mark.skipif(not _tessera.have_pictures, reason="the library was built without VTK")
def test_pictures():
    mesh = mixed_mesh(PLANE)
    plain, numbers = mesh.picture().data, mesh.picture(np.arange(mesh.num_elements) % 2).data
    field = tf.Field(mesh, mesh.points[:, 0]).picture().data
    assert len({plain, numbers, field}) == 3


@needs("quad1")
@needs("tri1")
def test_refusals():
    points, cells = mixed_arrays(PLANE)
    with pytest.raises(tf.UnsupportedError, match=r"several element types it may have .*tri1\+quad1.*, not quad1\+tri2"):
        tf.Mesh(points, {"quad1": cells["quad1"], "tri2": np.zeros((1, 6), int)})
    with pytest.raises(tf.ArgumentError, match="cells have 3 columns; quad1 needs 4"):
        tf.Mesh(points, {"quad1": cells["tri1"], "tri1": cells["tri1"]})
    with pytest.raises(tf.ArgumentError, match="there are no cells of hex1"):
        tf.Mesh(points, cells, materials={"hex1": [0]})
    with pytest.raises(tf.ArgumentError, match="there are no cells of no element"):
        tf.Mesh(points, {})
    with pytest.raises(tf.ArgumentError, match="materials are none; give them by element"):
        tf.Mesh(points, cells, materials=[0, 1])
    with pytest.raises(tf.ArgumentError, match=r"points have 1 columns; tri1\+quad1 needs 2"):
        tf.Mesh(points[:, :1], cells)
    with pytest.raises(tf.MeshError, match=r"element 0 \(nodes 0 5 6 1\) is flat or inverted"):
        tf.Mesh(points, {**cells, "quad1": cells["quad1"][:, [0, 3, 2, 1]]})
    mesh = tf.Mesh(points, cells)
    assert len(mesh.materials) == 0
    space = tf.Space(mesh)
    with pytest.raises(tf.UnsupportedError, match="Operator: there is none of Stokes"):
        tf.Operator(tf.Space(mesh, 3), tf.Stokes())
    with pytest.raises(tf.UnsupportedError, match="Stokes: compiled for elements of second order, not for .*quad1"):
        tf.System(tf.Space(mesh, 3, linear_components=1)).assemble(tf.Stokes())
    count = f"3 values given, the mesh has {mesh.num_elements} elements"
    with pytest.raises(tf.ArgumentError, match=f"Helmholtz: sigma: {count}"):
        tf.Operator(space, tf.Helmholtz(np.ones(3)))
    with pytest.raises(tf.ArgumentError, match=f"field 1: {count}"):
        tf.Residual(space, tf.Poisson(1.0, np.ones(3)))
    with pytest.raises(tf.ArgumentError, match="component"):
        tf.Residual(space, tf.NeoHookean())
    with pytest.raises(tf.FormError, match="(quad|tri)1"):
        tf.Residual(space, tf.Poisson())(np.full(len(points), np.nan))
    with pytest.raises(tf.ArgumentError, match=f"sigma: 3 values given, the mesh has {mesh.num_elements} elements"):
        tf.System(space).assemble(tf.Helmholtz(np.ones(3)))
    with pytest.raises(tf.ArgumentError):
        space.add_load([[mesh.num_elements, 0]], 1.0)


def channel():
    """A channel of quadrilaterals and triangles of second order."""
    n, m = 4, 3
    x, y = np.meshgrid(np.linspace(0, 2, 2 * n + 1), np.linspace(0, 1, 2 * m + 1), indexing="ij")
    number = np.arange(x.size).reshape(x.shape)

    def cells(i, offsets):
        return [[number[2 * i + a, 2 * j + b] for a, b in offsets] for j in range(m)]

    whole = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1)]
    halves = [[(0, 0), (2, 0), (2, 2), (1, 0), (2, 1), (1, 1)], [(0, 0), (2, 2), (0, 2), (1, 1), (1, 2), (0, 1)]]
    quads = sum((cells(i, whole) for i in range(n // 2)), [])
    triangles = sum((cells(i, half) for half in halves for i in range(n // 2, n)), [])
    return tf.Mesh(np.column_stack([x.ravel(), y.ravel()]), {"quad2": np.array(quads), "tri2": np.array(triangles)})


@needs("quad2")
@needs("tri2")
@pytest.mark.parametrize("treatment", ["removed", "zeroed"])
def test_flow(treatment):
    """Poiseuille's, which both types have exactly; matrices of other forms are the sums of theirs."""
    mesh = channel()
    x, y = mesh.points.T
    exact = np.column_stack([4 * y * (1 - y), 0 * y, 4 * (2 - x)])
    held = np.flatnonzero((x == 0) | (y == 0) | (y == 1))
    space = tf.Space(mesh, 3, treatment, linear_components=1)
    space.constrain(held, [exact[held, 0], 0, None])
    system = tf.System(space)
    assert system.assemble(tf.Stokes(viscosity=0.5)).strategy == "ElementAtomic"
    assert difference(solution_of(system, rtol=1e-11), exact) < 1e-8
    with pytest.raises(tf.UnsupportedError, match=r"Jacobians are compiled for elements of order one, not for tri2\+quad2"):
        tf.Residual(tf.Space(mesh), tf.Poisson()).jacobian(np.zeros(len(mesh.points)))
    expect_sum_of_types(mesh)


def expect_sum_of_types(mesh):
    whole, matrix = tf.System(tf.Space(mesh)), 0
    whole.assemble(tf.Helmholtz(2.0, 3.0))
    for part, _ in parts(mesh):
        one = tf.System(tf.Space(part))
        one.assemble(tf.Helmholtz(2.0, 3.0))
        matrix = matrix + matrix_of(one)
    assert difference(matrix_of(whole), matrix) < TOLERANCE


# VTK's nodes of second order, by the corners that each is between.
HEX20 = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
HEX2 = [*HEX20, (0, 3, 4, 7), (1, 2, 5, 6), (0, 1, 4, 5), (2, 3, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7), range(8)]
WEDGE15 = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
WEDGE2 = [*WEDGE15, (0, 1, 3, 4), (1, 2, 4, 5), (0, 2, 3, 5)]


def solids(names):
    """Hexahedra and wedges of second order: a box whose right half is divided, its nodes a little off."""
    points, cells = mixed_arrays(SPACE)
    between = {"hex20": HEX20, "hex2": HEX2, "wedge15": WEDGE15, "wedge2": WEDGE2}
    numbers, nodes = {}, []

    def number(point):
        key = tuple(np.round(point, 9))
        if key not in numbers:
            numbers[key] = len(nodes)
            nodes.append(point)
        return numbers[key]

    blocks = {}
    for name, linear in zip(names.split("+"), ("hex1", "wedge1"), strict=True):
        corners = points[cells[linear]]
        places = [(corner,) for corner in range(corners.shape[1])] + between[name]
        blocks[name] = np.array([[number(cell[list(place)].mean(axis=0)) for place in places] for cell in corners])
    return tf.Mesh(np.array(nodes), blocks)


@pytest.mark.parametrize("names", [marked("hex2+wedge2"), marked("hex20+wedge15")])
def test_solids_of_second_order(names):
    """Systems are the sums of those of each type, and Stokes' is assembled."""
    mesh = solids(names)
    expect_sum_of_types(mesh)
    space = tf.Space(mesh, 4, linear_components=1)
    assert tf.System(space).assemble(tf.Stokes(viscosity=0.5)).strategy == "ElementAtomic"


GMSH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 2 0.5 0
$EndNodes
$Elements
3
1 1 2 7 1 4 1
2 3 2 5 1 1 2 3 4
3 2 2 6 1 2 5 3
$EndElements
"""


@needs("quad1")
@needs("tri1")
def test_read(tmp_path):
    path = tmp_path / "two.msh"
    path.write_text(GMSH)
    mesh = tf.read(path)
    assert {name: len(cells) for name, cells in mesh.blocks.items()} == {"quad1": 1, "tri1": 1}
    assert len(mesh.boundary_sides) == 5 and sorted(mesh.materials) == [0, 1]
    with pytest.raises(tf.MeshError, match="would lack 1 quad1 cells"):
        tf.read(path, "tri1")
    assert tf.read(path, "tri1", allow_partial=True).element == "tri1"
