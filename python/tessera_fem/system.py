# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations, which assemblies fill."""

from collections import namedtuple

import numpy as np
import scipy.sparse

from . import _tessera
from ._tessera import UnsupportedError

Strategy = namedtuple("Strategy", "name source deterministic")


def strategies():
    """The assembly strategies that there are: name, where they are from, whether every run gives the same bits."""
    return [Strategy(*strategy) for strategy in _tessera.strategies()]


class System:
    """Matrix and right-hand side of a space, zero at first, which each assembly fills anew in the same memory.

    The pattern is that of the space's constraints as they are now: other values may be prescribed afterwards, but
    for other unknowns a new system is needed.
    """

    def __init__(self, space):
        self.space = space
        self._handle = _tessera.make_system(space._handle)
        self._matrix = None

    def assemble(self, form, strategy="Best", deterministic=False):
        """Assembles a form, with the space's loads and Robin sides, and returns what was done.

        strategy:      a name of `strategies()`; its plan is kept for the next assembly
        deterministic: the same bits in every run; UnsupportedError for a strategy that does not give them
        """
        return self._handle.assemble(form._handle, strategy, deterministic)

    @property
    def matrix(self):
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
    def rhs(self):
        """The right-hand side, without a copy."""
        return self._handle.rhs

    @property
    def values(self):
        """The matrix's values, row after row, without a copy: a NumPy array, or of a device what DLPack takes."""
        return self._handle.values

    @property
    def columns(self):
        """The column of each value, ascending within a row."""
        return self._handle.columns

    @property
    def row_map(self):
        """Where each row begins in values and columns, and where the last one ends."""
        return self._handle.row_map


def _csr(values, columns, row_map):
    """SciPy wants offsets and columns of one type; it copies what it converts, columns being the larger by far."""
    rows = len(row_map) - 1
    fits = len(values) <= np.iinfo(np.int32).max
    matrix = scipy.sparse.csr_matrix((rows, rows), dtype=np.float64)
    matrix.indptr = row_map.astype(np.int32 if fits else np.int64)
    matrix.indices = columns if fits else columns.astype(np.int64)
    matrix.data = values
    matrix.has_canonical_format = True
    return matrix
