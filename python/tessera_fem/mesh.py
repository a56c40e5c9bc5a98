# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of one element type."""

import os

from . import _tessera
from ._arrays import doubles, ordinals
from ._tessera import ArgumentError


class Mesh:
    """A mesh of one element type, checked when it is made.

    points:    float64, node x dimension
    cells:     int32 or int64, element x node, numbered as VTK numbers Lagrange elements
    element:   a name of `elements()`, as "tet1" for linear tetrahedra
    materials: a number >= 0 for each element; without them all elements are of material 0

    The arrays are copied. Throws ArgumentError for arrays of other types or shapes, and MeshError that names
    the element or node: a node that does not exist, an element that is flat, inverted or stands twice.
    """

    def __init__(self, points, cells, element="tet1", materials=None):
        self._handle = _tessera.make_mesh(
            element,
            doubles("Mesh: points", points, 2),
            ordinals("Mesh: cells", cells, 2),
            None if materials is None else ordinals("Mesh: materials", materials, 1),
        )

    @classmethod
    def _of(cls, handle):
        mesh = cls.__new__(cls)
        mesh._handle = handle
        return mesh

    @property
    def element(self):
        """The element's name."""
        return self._handle.element

    @property
    def points(self):
        """Coordinates, node x dimension; read only, without a copy on the host."""
        return self._handle.points

    @property
    def cells(self):
        """Nodes of the elements, element x node; read only, without a copy on the host."""
        return self._handle.cells

    @property
    def materials(self):
        """Material of each element; empty for a mesh of one material."""
        return self._handle.materials

    @property
    def num_materials(self):
        """One more than the largest material."""
        return self._handle.num_materials

    @property
    def material_names(self):
        """The names that the file gives to the materials 0, 1, ...; empty without a file's."""
        return self._handle.material_names

    @property
    def node_sets(self):
        """Named sets: node numbers by the set's name."""
        return self._handle.node_sets

    @property
    def side_sets(self):
        """Named sets of sides: pairs of element and number of the side within it, by the set's name."""
        return self._handle.side_sets

    @property
    def boundary_sides(self):
        """The sides of one element alone, side x (element, number of the side)."""
        return self._handle.boundary_sides()

    def add_node_set(self, name, nodes):
        """Adds a named set of nodes."""
        self._handle.add_node_set(name, ordinals(f"node set '{name}'", nodes, 1))

    def add_side_set(self, name, sides):
        """Adds a named set of sides, side x (element, number of the side)."""
        self._handle.add_side_set(name, self._sides(f"side set '{name}'", sides))

    def _nodes(self, what, nodes):
        """Node numbers of a set's name or of an array."""
        return _set_of(self.node_sets, "node set", nodes) if isinstance(nodes, str) else ordinals(what, nodes, 1)

    def _sides(self, what, sides):
        """Sides of a set's name or of an array."""
        if isinstance(sides, str):
            return _set_of(self.side_sets, "side set", sides)
        sides = ordinals(what, sides, 2)
        if sides.shape[1] != 2:
            raise ArgumentError(f"{what}: two columns are needed, element and side, got {sides.shape[1]}")
        return sides

    def __repr__(self):
        return f"<Mesh of {len(self.cells)} {self.element}, {len(self.points)} nodes>"


def _set_of(sets, kind, name):
    if name not in sets:
        known = ", ".join(sorted(sets)) or "none"
        raise ArgumentError(f"mesh has no {kind} '{name}'; it has {known}")
    return sets[name]


def read(path, element=None, allow_partial=False):
    """The mesh in a file: Gmsh, Abaqus and CalculiX, TetGen, Triangle, AVS UCD, and VTK and Exodus II where the
    library was built with VTK.

    element:       that of the file's cells, by default; linear cells are elevated where a higher order is asked for
    allow_partial: whether cells of other types may be dropped
    """
    return Mesh._of(_tessera.read_mesh(os.fspath(path), element or "", allow_partial))


def box(cells, lengths=None, element="tet1"):
    """The box from the origin with `cells` and `lengths` along each axis, 1 by default, and sets xmin, xmax, ..."""
    cells = ordinals("box: cells", cells, 1).tolist()
    lengths = [1.0] * len(cells) if lengths is None else doubles("box: lengths", lengths, 1).tolist()
    return Mesh._of(_tessera.box_mesh(element, cells, lengths))
