# SPDX-License-Identifier: BSD-3-Clause
"""Meshes, of one element type or of several."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _tessera, pictures
from ._arrays import Array, doubles, ordinals
from ._tessera import ArgumentError, UnsupportedError


class Mesh:
    """A mesh of one element type or of several, checked when it is made.

    points:    float64, node x dimension
    cells:     int32 or int64, element x node, numbered as VTK numbers Lagrange elements; for several types of one order
               a dictionary of such arrays by the names of elements, as {"quad1": ..., "tri1": ...}
    element:   a name of `elements()`, as "tet1" for linear tetrahedra; of no meaning for a dictionary
    materials: a number >= 0 for each element; without them all elements are of material 0; a dictionary as cells

    Together there may be, of the elements of the build: tri1, quad1; tet1, hex1, wedge1, pyramid1; tri2 and quad2 or quad8;
    tet2, hex2, wedge2; tet2, hex20, wedge15, pyramid13. UnsupportedError for others.

    The arrays, on the host or where the library computes, are copied. Elements of several types are numbered over all
    of them, in the order of `blocks`. Throws ArgumentError for arrays of other types or shapes, and MeshError that
    names the element or node: a node that does not exist, an element that is flat, inverted or stands twice.
    """

    def __init__(
        self,
        points: Array,
        cells: Array | dict[str, Array],
        element: str = "tet1",
        materials: Array | dict[str, Array] = None,
    ) -> None:
        if not isinstance(cells, dict):
            cells, materials = {element: cells}, {element: materials}
        elif not isinstance(materials or {}, dict):
            raise ArgumentError("Mesh: cells are a dictionary, materials are none; give them by element, too")
        materials = materials or {}
        if not set(materials) <= set(cells) or not cells:
            names = ", ".join(sorted(set(materials) - set(cells))) or "no element"
            raise ArgumentError(f"Mesh: there are no cells of {names}")
        blocks = [_block(name, cells[name], materials.get(name)) for name in cells]
        self._handle = _tessera.make_mesh(doubles("Mesh: points", points, 2, device=True), blocks)

    @classmethod
    def _of(cls, handle: _tessera.Mesh) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._handle = handle
        return mesh

    @property
    def element(self) -> str:
        """The element's name, of several types "quad1+tri1"."""
        return self._handle.element

    @property
    def points(self) -> np.ndarray:
        """Coordinates, float64, node x dimension; read only, without a copy on the host."""
        return self._handle.points

    @property
    def cells(self) -> np.ndarray:
        """Nodes of the elements, int32, element x node; read only, without a copy on the host. UnsupportedError where
        there are several types, whose nodes are in `blocks`."""
        if len(self.blocks) != 1:
            raise UnsupportedError(f"Mesh.cells: there are several element types, {self.element}; Mesh.blocks has each")
        return next(iter(self.blocks.values()))

    @property
    def blocks(self) -> dict[str, np.ndarray]:
        """The same of each element type by its name, in the order of the elements' numbers."""
        return dict(self._handle.blocks)

    @property
    def num_elements(self) -> int:
        """Of all types together."""
        return sum(len(cells) for cells in self.blocks.values())

    @property
    def materials(self) -> np.ndarray:
        """Material of each element, int32; empty for a mesh of one material."""
        return self._handle.materials

    @property
    def num_materials(self) -> int:
        """One more than the largest material."""
        return self._handle.num_materials

    @property
    def material_names(self) -> list[str]:
        """The names that the file gives to the materials 0, 1, ...; empty without a file's."""
        return self._handle.material_names

    @property
    def node_sets(self) -> dict[str, np.ndarray]:
        """Named sets: node numbers, int32, by the set's name."""
        return self._handle.node_sets

    @property
    def side_sets(self) -> dict[str, np.ndarray]:
        """Named sets of sides, int32, side x (element, number of the side within it), by the set's name."""
        return self._handle.side_sets

    @property
    def boundary_sides(self) -> np.ndarray:
        """The sides of one element alone, int32, side x (element, number of the side)."""
        return self._handle.boundary_sides()

    def add_node_set(self, name: str, nodes: ArrayLike) -> None:
        """Adds a named set of nodes, int32 or int64. MeshError for a name that is taken and for other nodes."""
        self._handle.add_node_set(name, ordinals(f"node set '{name}'", nodes, 1))

    def add_side_set(self, name: str, sides: ArrayLike) -> None:
        """Adds a named set of sides, int32 or int64, side x (element, number of the side). Errors as `add_node_set`."""
        self._handle.add_side_set(name, self._sides(f"side set '{name}'", sides))

    def _nodes(self, what: str, nodes: str | ArrayLike) -> np.ndarray:
        """Node numbers of a set's name or of an array."""
        return _set_of(self.node_sets, "node set", nodes) if isinstance(nodes, str) else ordinals(what, nodes, 1)

    def _sides(self, what: str, sides: str | ArrayLike) -> np.ndarray:
        """Sides of a set's name or of an array."""
        if isinstance(sides, str):
            return _set_of(self.side_sets, "side set", sides)
        sides = ordinals(what, sides, 2)
        if sides.shape[1] != 2:
            raise ArgumentError(f"{what}: two columns are needed, element and side, got {sides.shape[1]}")
        return sides

    def picture(
        self,
        numbers: ArrayLike | None = None,
        what: str = "materials",
        *,
        width: int = 800,
        height: int = 600,
        title: str = "",
        back: bool = False,
        cut: bool = False,
    ) -> pictures.Picture:
        """The mesh with its sets in their colors, or with its elements in the colors of numbers.

        numbers:       int32 or int64, one >= 0 for each element: `materials`, a partition
        what:          what the numbers are, in the plural
        width, height: in pixels, at least 320 and 240
        back, cut:     looks at a solid from the back; leaves out its front half

        UnsupportedError where the library was built without VTK, or VTK can open no window off the screen.
        """
        look = pictures.options(width, height, title, back, cut)
        if numbers is None:
            return pictures.drawn(lambda path: _tessera.draw_mesh(self._handle, path, look))
        colors = ordinals("Mesh.picture: numbers", numbers, 1)
        return pictures.drawn(lambda path: _tessera.draw_numbers(self._handle, path, look, what, colors))

    def _repr_png_(self) -> bytes | None:
        return pictures.shown(self.picture)

    def __repr__(self) -> str:
        blocks = ", ".join(f"{len(cells)} {name}" for name, cells in self.blocks.items())
        return f"<Mesh of {blocks}, {len(self.points)} nodes>"


def _block(element: str, cells: Array, materials: Array) -> tuple[str, Any, Any]:
    cells = ordinals("Mesh: cells", cells, 2, device=True)
    return element, cells, None if materials is None else ordinals("Mesh: materials", materials, 1, device=True)


def _set_of(sets: dict[str, np.ndarray], kind: str, name: str) -> np.ndarray:
    if name not in sets:
        known = ", ".join(sorted(sets)) or "none"
        raise ArgumentError(f"mesh has no {kind} '{name}'; it has {known}")
    return sets[name]


def read(path: str | os.PathLike[str], element: str | None = None, allow_partial: bool = False) -> Mesh:
    """The mesh in a file: Gmsh, Abaqus and CalculiX, TetGen, Triangle, AVS UCD, and VTK and Exodus II where the
    library was built with VTK.

    element:       that of the file's cells, by default; linear cells are elevated where a higher order is asked for;
                   where they are of several types, of one order, the mesh has them all by default
    allow_partial: whether cells of other types may be dropped
    """
    return Mesh._of(_tessera.read_mesh(os.fspath(path), element or "", allow_partial))


def box(cells: ArrayLike, lengths: ArrayLike | None = None, element: str = "tet1") -> Mesh:
    """The box from the origin with `cells` and `lengths` along each axis, lengths 1 by default, and sets xmin, xmax,
    ... Triangles, tetrahedra, wedges and pyramids divide its cells."""
    counts = ordinals("box: cells", cells, 1).tolist()
    sizes = [1.0] * len(counts) if lengths is None else doubles("box: lengths", lengths, 1).tolist()
    return Mesh._of(_tessera.box_mesh(element, counts, sizes))
