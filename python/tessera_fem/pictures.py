# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of meshes and fields, drawn by VTK without a display; notebooks show them by themselves."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Callable

import numpy as np
from numpy.typing import ArrayLike

from . import _tessera
from ._arrays import doubles
from ._tessera import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    from .mesh import Mesh


class Picture:
    """A picture in memory."""

    data: bytes
    """The bytes of a PNG file."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG file."""
        pathlib.Path(path).write_bytes(self.data)

    def _repr_png_(self) -> bytes:
        return self.data


class Field:
    """Values at the nodes of a mesh, to be looked at.

    values: float64, one for each node, or node x dimension: displacements, by which the mesh is drawn deformed
    name:   beside the scale
    unit:   of the values, beside the scale
    """

    def __init__(self, mesh: Mesh, values: ArrayLike, name: str = "u", unit: str = "") -> None:
        self.mesh = mesh
        self.values = doubles("Field: values", values, 1 if np.ndim(values) < 2 else 2)
        self.name = name
        self.unit = unit
        if len(self.values) != len(mesh.points):
            raise ArgumentError(f"Field: {len(self.values)} values for {len(mesh.points)} nodes")

    def picture(
        self, *, width: int = 800, height: int = 600, title: str = "", back: bool = False, cut: bool = False
    ) -> Picture:
        """The field in colors with their scale; arguments and errors as of `Mesh.picture`."""
        look = options(width, height, title, back, cut)
        return drawn(
            lambda path: _tessera.draw_solution(
                self.mesh._handle, path, look, self.name, self.unit, self.values.reshape(-1)
            )
        )

    def _repr_png_(self) -> bytes | None:
        return shown(self.picture)

    def __repr__(self) -> str:
        return f"<Field {self.name}, {' x '.join(map(str, self.values.shape))} values on {self.mesh!r}>"


def shown(draw: Callable[[], Picture]) -> bytes | None:
    """What a notebook shows: nothing where there are no pictures, which has it take the text."""
    try:
        return draw().data
    except UnsupportedError:
        return None


def options(width: int, height: int, title: str, back: bool, cut: bool) -> _tessera.PictureOptions:
    """How a picture looks. UnsupportedError where there are none."""
    if not _tessera.have_pictures:
        raise UnsupportedError("pictures are VTK's, and the library was built without it")
    return _tessera.picture_options(width, height, title, back, cut)


def drawn(draw: Callable[[str], None]) -> Picture:
    """What `draw` writes into the file that it is given."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        draw(path)
        return Picture(pathlib.Path(path).read_bytes())
