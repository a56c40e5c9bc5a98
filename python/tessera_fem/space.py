# SPDX-License-Identifier: BSD-3-Clause
"""Spaces: a mesh with unknowns per node, constraints, loads and Robin sides."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Iterable, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _tessera
from ._arrays import Array, doubles, on_host, row
from ._tessera import ArgumentError
from .mesh import Mesh

Nodes = Union[str, ArrayLike]
Sides = Union[str, ArrayLike]
Load = Union[ArrayLike, Callable[[np.ndarray], ArrayLike]]


def _function(what: str, value: Load) -> Callable[[Sequence[float]], list[float]]:
    """A number, a sequence of numbers, or a function of the position that gives one of these, as a function."""
    if callable(value):
        return lambda x: np.atleast_1d(np.asarray(value(np.array(x)), dtype=np.float64)).tolist()
    constant = row(what, value).tolist()
    return lambda x: constant


class Space:
    """The mesh's Lagrange functions with `components` unknowns per node, 1 to 8.

    treatment:         what becomes of constrained unknowns: "removed" (they have no equation) or "zeroed" (row and
                       column zero, one on the diagonal, the value on the right)
    linear_components: how many components, the last ones, have the linear functions of a mesh of higher order, as a
                       pressure; they have equations at corners alone

    Sets of nodes and sides are names of the mesh's sets or arrays. Values of loads are numbers, one for each
    component, or functions of the position, an array of the mesh's dimension, that return them. Arrays may lie on the
    device: all of this is collected on the host. A call that throws leaves the space as it was.
    """

    mesh: Mesh
    """The mesh."""

    def __init__(
        self, mesh: Mesh, components: int = 1, treatment: str = "removed", linear_components: int = 0
    ) -> None:
        if treatment not in ("removed", "zeroed"):
            raise ArgumentError(f"Space: treatment is '{treatment}'; it may be 'removed' or 'zeroed'")
        self.mesh = mesh
        self._handle = _tessera.make_space(mesh._handle, components, linear_components, treatment == "zeroed")

    @property
    def handle(self) -> _tessera.Space:
        """What extensions in C++ take: python/bindings/extension.hpp."""
        return self._handle

    @property
    def components(self) -> int:
        """Unknowns per node."""
        return self._handle.components

    @property
    def linear_components(self) -> int:
        """How many of them, the last ones, have linear functions."""
        return self._handle.linear_components

    @property
    def num_equations(self) -> int:
        """Rows of a system."""
        return self._handle.num_equations

    def constrain(
        self, nodes: Nodes, values: float | None | ArrayLike | Sequence[float | None | ArrayLike]
    ) -> None:
        """Prescribes values at nodes.

        values: for each component a number, None (which leaves it free) or an array with a value for each node; for
                one component, or the same for all, without the list around it. Functions of the position are arrays
                of what they give at `mesh.points[nodes]`.
        """
        nodes = self.mesh._nodes("Space.constrain: nodes", nodes)
        columns = {}
        values = on_host("Space.constrain: values", values)
        for component, value in enumerate(self._by_component(values, len(nodes))):
            if value is None:
                continue
            column = row("Space.constrain: values", value)
            if column.size not in (1, len(nodes)):
                raise ArgumentError(f"Space.constrain: {column.size} values for {len(nodes)} nodes")
            columns[component] = np.ascontiguousarray(np.broadcast_to(column, len(nodes)))
        if not all(np.isfinite(column).all() for column in columns.values()):
            raise ArgumentError("Space.constrain: a value is not finite")
        for component, column in columns.items():
            self._handle.constrain(nodes, component, column)

    def _by_component(self, values: Any, nodes: int) -> Sequence[Any]:
        """What `constrain` is given, with the list around it."""
        if values is None or isinstance(values, numbers.Real):
            return [values] * self.components
        if self.components == 1 and np.ndim(values) == 1 and len(values) == nodes:
            return [values]
        if len(values) != self.components:
            raise ArgumentError(f"Space.constrain: {len(values)} values for {self.components} components")
        return values

    def release(self, nodes: Nodes, components: Iterable[int] | None = None) -> None:
        """Frees components, all by default, at nodes."""
        nodes = self.mesh._nodes("Space.release: nodes", nodes)
        for component in range(self.components) if components is None else components:
            self._handle.release(nodes, component)

    def add_load(self, sides: Sides, traction: Load) -> None:
        """Adds a load per area (in two dimensions per length): a traction, or the flux of a scalar form."""
        sides = self.mesh._sides("Space.add_load: sides", sides)
        self._handle.add_load(sides, _function("Space.add_load: traction", traction))

    def add_pressure(self, sides: Sides, pressure: Load) -> None:
        """Adds a pressure, force per area, against the outward normal."""
        sides = self.mesh._sides("Space.add_pressure: sides", sides)
        self._handle.add_pressure(sides, _function("Space.add_pressure: pressure", pressure))

    def add_robin(self, sides: Sides, transfer: Load, surroundings: Load = 0.0) -> None:
        """On sides n . sigma grad u = transfer (surroundings - u): heat transfer, or an elastic bedding; either is of all
        components or of each."""
        sides = self.mesh._sides("Space.add_robin: sides", sides)
        self._handle.add_robin(
            sides,
            _function("Space.add_robin: transfer", transfer),
            _function("Space.add_robin: surroundings", surroundings),
        )

    def add_point_load(self, node: int, component: int, value: float) -> None:
        """Adds a concentrated load at one node."""
        self._handle.add_point_load(node, component, value)

    def clear_loads(self) -> None:
        """Removes all loads, of sides and of nodes."""
        self._handle.clear_loads()

    def clear_robin(self) -> None:
        """Removes all Robin sides."""
        self._handle.clear_robin()

    def expand(self, x: Array) -> Any:
        """Values at all nodes, float64, node x component, of a solution of the system's equations: prescribed values filled
        in. With one component the array has one index. A NumPy array, of an x on the device a DeviceArray."""
        return self._handle.expand(doubles("Space.expand: x", x, 1, device=True))
