# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
import tessera_fem as tf
from reference import needs

pytestmark = needs("tet1")

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]])
CELLS = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])


def test_arrays_come_back():
    for dtype in (np.int32, np.int64):
        mesh = tf.Mesh(POINTS, CELLS.astype(dtype), materials=[1, 0])
        assert np.array_equal(mesh.points, POINTS) and np.array_equal(mesh.cells, CELLS)
        assert mesh.materials.tolist() == [1, 0] and mesh.num_materials == 2
        assert mesh.element == "tet1" and mesh.cells.dtype == np.int32
        assert not mesh.points.flags.writeable and not mesh.cells.flags.writeable


def test_arrays_are_copied_in():
    points = POINTS.copy()
    mesh = tf.Mesh(points, CELLS)
    points[0] = 7
    assert np.array_equal(mesh.points, POINTS)


def test_arrays_outlive_the_mesh():
    points = tf.Mesh(POINTS, CELLS).points
    tf.box((4, 4, 4))
    assert np.array_equal(points, POINTS)


def test_any_memory_order_and_other_numbers():
    mesh = tf.Mesh(np.asfortranarray(POINTS), np.asfortranarray(CELLS.astype(np.uint8)))
    assert np.array_equal(mesh.points, POINTS) and np.array_equal(mesh.cells, CELLS)
    assert np.array_equal(tf.Mesh(POINTS.tolist(), CELLS.tolist()).cells, CELLS)


def test_dlpack():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **arguments):
            return self.array.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class OnDevice(Foreign):
        def __dlpack_device__(self):
            return (10, 0)  # not one of the library's

    assert np.array_equal(tf.Mesh(Foreign(POINTS), Foreign(CELLS)).points, POINTS)
    with pytest.raises(tf.ArgumentError, match="points: the array lies on .*device"):
        tf.Mesh(OnDevice(POINTS), CELLS)


def test_freed_arrays():
    class Freed:
        __array_interface__ = {"shape": (5, 3), "typestr": "<f8", "data": (0, False), "version": 3}

    class Deleted:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **arguments):
            raise RuntimeError("Array has been deleted.")

    with pytest.raises(tf.ArgumentError, match="Mesh: points: data is NULL"):
        tf.Mesh(Freed(), CELLS)
    with pytest.raises(tf.ArgumentError, match="Mesh: points: Array has been deleted"):
        tf.Mesh(Deleted(), CELLS)


@pytest.mark.parametrize(
    "points, cells, error, sentence",
    [
        (POINTS.astype(complex), CELLS, tf.ArgumentError, "points: float64 is needed, got complex128"),
        (POINTS.astype(str), CELLS, tf.ArgumentError, "points: float64 is needed, got"),
        (POINTS, CELLS.astype(float), tf.ArgumentError, "cells: int32 or int64 is needed, got float64"),
        (POINTS[:, :2], CELLS, tf.ArgumentError, "points have 2 columns; tet1 needs 3"),
        (POINTS, CELLS[:, :3], tf.ArgumentError, "cells have 3 columns; tet1 needs 4"),
        (POINTS.reshape(-1), CELLS, tf.ArgumentError, "points: an array of 2 indices is needed, got 1"),
        (POINTS[::-1], CELLS, tf.ArgumentError, "points: a stride is negative"),
        (POINTS, CELLS[:, ::-1], tf.ArgumentError, "cells: a stride is negative"),
        (POINTS, CELLS + 2**31, tf.ArgumentError, "cells: a number is beyond 32 bits"),
        ([[0, 0, 0], [1]], CELLS, tf.ArgumentError, "points: "),
        (POINTS, np.array([[0, 1, 2, 5]]), tf.MeshError, "element 0 .*5"),
        (POINTS, np.array([[0, 1, 2, -1]]), tf.MeshError, "element 0 .*-1"),
        (POINTS, np.array([[0, 2, 1, 3]]), tf.MeshError, "element 0 .*inverted"),
        (POINTS, np.array([[0, 1, 1, 3]]), tf.MeshError, "element 0"),
        (np.where(POINTS == 1, np.nan, POINTS), CELLS, tf.MeshError, "finite"),
    ],
)
def test_refusals(points, cells, error, sentence):
    with pytest.raises(error, match=sentence):
        tf.Mesh(points, cells)


def test_refusals_of_materials_and_names():
    with pytest.raises(tf.ArgumentError, match="3 materials for 2 cells"):
        tf.Mesh(POINTS, CELLS, materials=[0, 1, 2])
    with pytest.raises(tf.MeshError, match="material"):
        tf.Mesh(POINTS, CELLS, materials=[0, -1])
    with pytest.raises(tf.ArgumentError, match="there is no element 'tet9'; this build has .*tet1"):
        tf.Mesh(POINTS, CELLS, element="tet9")


def test_errors_have_a_base():
    assert issubclass(tf.MeshError, tf.Error) and issubclass(tf.Error, RuntimeError)
    assert issubclass(tf.ArgumentError, ValueError) and issubclass(tf.OutOfMemoryError, MemoryError)


def test_sets():
    mesh = tf.box((2, 3, 4), (1, 1, 2))
    assert set(mesh.node_sets) == {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"} == set(mesh.side_sets)
    assert np.array_equal(mesh.node_sets["zmax"], np.flatnonzero(mesh.points[:, 2] == 2))
    assert len(mesh.side_sets["xmin"]) == 2 * 3 * 4
    assert len(mesh.boundary_sides) == 2 * 2 * (2 * 3 + 3 * 4 + 2 * 4)
    mesh.add_node_set("middle", [5, 7])
    mesh.add_side_set("some", mesh.boundary_sides[:3])
    assert mesh.node_sets["middle"].tolist() == [5, 7]
    assert np.array_equal(mesh.side_sets["some"], mesh.boundary_sides[:3])
    with pytest.raises(tf.MeshError, match="middle"):
        mesh.add_node_set("middle", [1])
    with pytest.raises(tf.MeshError):
        mesh.add_node_set("outside", [10**6])
    with pytest.raises(tf.ArgumentError, match="two columns"):
        mesh.add_side_set("wide", np.zeros((2, 3), int))


@pytest.mark.parametrize("element", tf.elements())
def test_every_element(element):
    flat = element.startswith(("tri", "quad"))
    mesh = tf.box((2, 3) if flat else (2, 3, 2), element=element)
    assert mesh.element == element and mesh.points.shape[1] == (2 if flat else 3)
    again = tf.Mesh(mesh.points, mesh.cells, element)
    assert np.array_equal(again.cells, mesh.cells)
    assert f"{len(mesh.cells)} {element}" in repr(again)


def test_boxes_that_are_refused():
    with pytest.raises(tf.ArgumentError, match="tet1 needs 3 numbers of cells and lengths, got 2 and 2"):
        tf.box((2, 2))
    with pytest.raises(tf.ArgumentError, match="positive"):
        tf.box((2, 2, 0))
    with pytest.raises(tf.ArgumentError, match="got 3 and 2"):
        tf.box((2, 2, 2), (1, 1))


GMSH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "floor"
3 5 "steel"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 1 1 1
$EndNodes
$Elements
3
1 2 2 7 1 1 2 3
2 4 2 5 1 1 2 3 4
3 4 2 5 1 2 3 4 5
$EndElements
"""


def test_read(tmp_path):
    path = tmp_path / "two.msh"
    path.write_text(GMSH)
    mesh = tf.read(path)
    assert mesh.element == "tet1" and np.array_equal(mesh.points, POINTS) and np.array_equal(mesh.cells, CELLS)
    assert mesh.side_sets["floor"].shape == (1, 2) and mesh.material_names == ["steel"]
    with pytest.raises(tf.FileError, match="nothing.msh"):
        tf.read(tmp_path / "nothing.msh")
    path.write_text(GMSH.replace("3 4 2 5 1 2 3 4 5", "3 4 2 5 1 2 3 4 9"))
    with pytest.raises(tf.Error, match="two.msh"):
        tf.read(path)
