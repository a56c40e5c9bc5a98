# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations, which assemblies fill."""

from __future__ import annotations

from typing import Any

import scipy.sparse

from . import _tessera
from ._tessera import Report
from .catalogue import chosen
from .device import DeviceMatrix, csr_matrix
from .forms import Form, handle_of
from .space import Space


class System:
    """Matrix and right-hand side of a space, zero before the first assembly; each one fills the same memory.

    The pattern is that of the space's constraints as they are now: other values may be prescribed afterwards, but
    for other unknowns a new system is needed. Units are those of coordinates and coefficients: none is converted.
    """

    space: Space
    """The space that the equations are of."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._handle = _tessera.make_system(space._handle)
        self._matrix: scipy.sparse.csr_matrix | DeviceMatrix | None = None

    @property
    def handle(self) -> _tessera.System:
        """What extensions in C++ take: python/bindings/extension.hpp."""
        return self._handle

    def assemble(self, form: Form, strategy: str = "Best", deterministic: bool = False) -> Report:
        """Assembles a form, with the space's loads and Robin sides, and returns what was done.

        strategy:      a name of `strategies()`; its plan is kept for the next assembly
        deterministic: the same bits in every run; UnsupportedError for a strategy that does not give them
        """
        handle = handle_of("System.assemble", form, Form)
        return self._handle.assemble(handle, chosen("assembly", strategy, deterministic))

    @property
    def matrix(self) -> Any:
        """The matrix as a scipy.sparse.csr_matrix, on a device as a DeviceMatrix. Its values are the system's own memory,
        without a copy: it shows every later assembly. It lives on without the system."""
        if self._matrix is None:
            if _tessera.on_host:
                self._matrix = csr_matrix(self.values, self.columns, self.row_map)
            else:
                self._matrix = DeviceMatrix(self.row_map, self.columns, self.values)
        return self._matrix

    @property
    def rhs(self) -> Any:
        """The right-hand side, float64, one entry a row, without a copy: a NumPy array, on a device a DeviceArray."""
        return self._handle.rhs

    @property
    def values(self) -> Any:
        """The matrix's values, float64, row after row, without a copy: as `rhs`."""
        return self._handle.values

    @property
    def columns(self) -> Any:
        """The column of each value, int32, ascending within a row; as `rhs`."""
        return self._handle.columns

    @property
    def row_map(self) -> Any:
        """Where each row begins in values and columns, and where the last one ends, uint64; as `rhs`."""
        return self._handle.row_map
