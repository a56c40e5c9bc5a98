# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations, which assemblies fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _tessera
from ._tessera import Report, UnsupportedError
from .catalogue import chosen
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
        self._matrix: scipy.sparse.csr_matrix | None = None

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
    def matrix(self) -> scipy.sparse.csr_matrix:
        """The matrix as a scipy.sparse.csr_matrix. Its values are the system's own memory, without a copy: it shows
        every later assembly. It lives on without the system."""
        if self._matrix is None:
            if not _tessera.on_host:
                raise UnsupportedError(
                    f"System.matrix: the values lie in memory of {_tessera.backend}; take values, columns and row_map "
                    "by DLPack"
                )
            self._matrix = _csr(self.values, self.columns, self.row_map)
        return self._matrix

    @property
    def rhs(self) -> Any:
        """The right-hand side, float64, one entry a row, without a copy: a NumPy array, or of a device what DLPack
        takes."""
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


def _csr(values: np.ndarray, columns: np.ndarray, row_map: np.ndarray) -> scipy.sparse.csr_matrix:
    """SciPy wants offsets and columns of one type; it copies what it converts, columns being the larger by far."""
    rows = len(row_map) - 1
    fits = len(values) <= np.iinfo(np.int32).max
    matrix = scipy.sparse.csr_matrix((rows, rows), dtype=np.float64)
    matrix.indptr = row_map.astype(np.int32 if fits else np.int64)
    matrix.indices = columns if fits else columns.astype(np.int64)
    matrix.data = values
    matrix.has_canonical_format = True
    return matrix
