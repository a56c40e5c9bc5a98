# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of several element types: their systems are the sums of those of each type over the same nodes."""

import numpy as np
import pytest
import tessera_fem as tf
from reference import difference, matrix_of, needs, rhs_of, solution_of
from tessera_fem import _tessera

TOLERANCE = 1e-12
PLANE, SPACE = ("quad1", "tri1"), ("hex1", "wedge1")


def all_of(names):
    return pytest.param(names, marks=[needs(name) for name in names])


def arrays(names):
    """Points, moved a little, and cells of a box whose right half is divided."""
    flat = names == PLANE
    box = tf.box((4, 3) if flat else (4, 3, 2), (1.0, 1.5) if flat else (1.0, 1.5, 0.7), element=names[0])
    left = box.points[box.cells, 0].mean(axis=1) < 0.5
    halves = [[0, 1, 2], [0, 2, 3]] if flat else [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]]
    divided = box.cells[~left][:, halves].reshape(-1, len(halves[0]))
    points = box.points + np.random.default_rng(1).uniform(-0.02, 0.02, box.points.shape)
    return points, {names[1]: divided, names[0]: box.cells[left]}


def mesh_of(names):
    points, cells = arrays(names)
    return tf.Mesh(points, cells, materials={name: np.arange(len(cells[name])) % 3 for name in cells})


def parts(mesh):
    """Meshes of each type alone, and which elements of the whole they have."""
    first = 0
    for name, cells in mesh.blocks.items():
        own = slice(first, first + len(cells))
        yield tf.Mesh(mesh.points, cells, name, mesh.materials[own]), own
        first = own.stop


def own_sides(sides, own):
    within = (sides[:, 0] >= own.start) & (sides[:, 0] < own.stop)
    return sides[within] - [own.start, 0]


@pytest.mark.parametrize("names", [all_of(PLANE), all_of(SPACE)])
def test_arrays(names):
    points, cells = arrays(names)
    mesh = mesh_of(names)
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


@pytest.mark.parametrize("names", [all_of(PLANE), all_of(SPACE)])
def test_systems_are_sums(names):
    mesh = mesh_of(names)
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
            assert done.strategy == strategy and all(f"{name}: " in done.path for name in names)
            matrix, rhs = 0, 0
            for part, own in parts(mesh):
                one, _ = system_of(part, own, components, form)
                matrix, rhs = matrix + matrix_of(one), rhs + rhs_of(one)
            assert difference(matrix_of(whole), matrix) < TOLERANCE and difference(rhs_of(whole), rhs) < TOLERANCE
            values = matrix_of(whole).copy()
            whole.assemble(form(slice(0, mesh.num_elements)), strategy)
            assert difference(matrix_of(whole), values) < TOLERANCE


@pytest.mark.parametrize("names", [all_of(PLANE), all_of(SPACE)])
def test_solved(names):
    """Linear functions are in the space."""
    mesh = mesh_of(names)
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


@needs("quad1")
@needs("tri1")
def test_compared():
    """Strategies that write every value once do not add up blocks: they say so."""
    table = tf.compare(tf.Space(mesh_of(PLANE)), tf.Helmholtz(2, 1, 3), ["ElementAtomic", "RowOwner", "Best"], repeat=1)
    refused = dict(zip(column(table, "strategy"), column(table, "refused")))
    assert "RowOwner" in refused["RowOwner"] and not refused["ElementAtomic"] and not refused["Best"]


def column(table, name):
    return list(table[name]) if hasattr(table, "columns") else [row[name] for row in table]


@needs("quad1")
@needs("tri1")
@pytest.mark.skipif(not _tessera.have_pictures, reason="the library was built without VTK")
def test_pictures():
    mesh = mesh_of(PLANE)
    plain, numbers = mesh.picture().data, mesh.picture(np.arange(mesh.num_elements) % 2).data
    field = tf.Field(mesh, mesh.points[:, 0]).picture().data
    assert len({plain, numbers, field}) == 3


@needs("quad1")
@needs("tri1")
def test_refusals():
    points, cells = arrays(PLANE)
    with pytest.raises(tf.UnsupportedError, match="several element types it may have .*tri1.*, not tri2"):
        tf.Mesh(points, {"quad1": cells["quad1"], "tri2": np.zeros((1, 6), int)})
    with pytest.raises(tf.ArgumentError, match="cells have 3 columns; quad1 needs 4"):
        tf.Mesh(points, {"quad1": cells["tri1"], "tri1": cells["tri1"]})
    with pytest.raises(tf.ArgumentError, match="there are no cells of hex1"):
        tf.Mesh(points, cells, materials={"hex1": [0]})
    with pytest.raises(tf.ArgumentError, match="there are no cells of no element"):
        tf.Mesh(points, {})
    with pytest.raises(tf.ArgumentError, match="materials are none; give them by element"):
        tf.Mesh(points, cells, materials=[0, 1])
    with pytest.raises(tf.ArgumentError, match="1 columns; 2 or 3 are needed"):
        tf.Mesh(points[:, :1], cells)
    with pytest.raises(tf.MeshError, match=r"element 0 \(nodes 0 5 6 1\) is flat or inverted"):
        tf.Mesh(points, {**cells, "quad1": cells["quad1"][:, [0, 3, 2, 1]]})
    mesh = tf.Mesh(points, cells)
    assert len(mesh.materials) == 0
    space = tf.Space(mesh)
    for make in (lambda: tf.Operator(space, tf.Helmholtz()), lambda: tf.Residual(space, tf.Poisson())):
        with pytest.raises(tf.UnsupportedError, match="for meshes of one element type, this one has several"):
            make()
    with pytest.raises(tf.UnsupportedError, match="linear_components: for meshes of one element type"):
        tf.Space(mesh, 3, linear_components=1)
    with pytest.raises(tf.UnsupportedError, match="Stokes: for meshes of one"):
        tf.System(tf.Space(mesh, 3)).assemble(tf.Stokes())
    with pytest.raises(tf.ArgumentError, match=f"sigma: 3 values given, the mesh has {mesh.num_elements} elements"):
        tf.System(space).assemble(tf.Helmholtz(np.ones(3)))
    with pytest.raises(tf.ArgumentError):
        space.add_load([[mesh.num_elements, 0]], 1.0)


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
