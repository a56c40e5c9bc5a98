# SPDX-License-Identifier: BSD-3-Clause
"""Products without a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _tessera
from ._arrays import Array, product
from ._tessera import ArgumentError, Report
from .catalogue import chosen
from .forms import Form, handle_of
from .space import Space


class Operator(LinearOperator):
    """The matrix of a form as a product that computes it from the mesh each time: y = A x over the equations of a
    space, the matrix of `System` for the same form, constraints and Robin sides. For meshes of several types, too;
    UnsupportedError for `Stokes`, and on devices for elements of higher order.

    strategy:      a name of `strategies("operator")`
    deterministic: the same bits in every run; UnsupportedError for a strategy that does not give them

    Form and constraints are those of now; where other unknowns are constrained afterwards a product throws
    ArgumentError.
    """

    space: Space
    """The space that the equations are of."""

    def __init__(self, space: Space, form: Form, strategy: str = "Best", deterministic: bool = False) -> None:
        self.space = space
        self._handle = _tessera.make_operator(
            space._handle, handle_of("Operator", form, Form), chosen("operator", strategy, deterministic)
        )
        super().__init__(np.dtype(np.float64), (self._handle.rows, self._handle.rows))

    @property
    def report(self) -> Report:
        """What the strategy did."""
        return self._handle.report

    def diagonal(self) -> Any:
        """The matrix's diagonal, float64, one entry a row; a copy: a NumPy array, on a device a DeviceArray."""
        return self._handle.diagonal()

    def rhs(self) -> Any:
        """The right-hand side of now, as an assembly gives it, float64, one entry a row; a copy as `diagonal`."""
        return self._handle.load()

    def apply(self, x: Array) -> Any:
        """A x, one entry a row: a NumPy array, of an x on the device a DeviceArray."""
        return product("Operator.apply", self._handle, x)

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        if np.iscomplexobj(x):
            raise ArgumentError("Operator: the vector is complex, real numbers are needed")
        return self.apply(x.reshape(-1))

    def _adjoint(self) -> Operator:
        return self  # symmetric, as all forms are that it takes
