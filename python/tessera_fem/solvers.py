# SPDX-License-Identifier: BSD-3-Clause
"""Multigrid and conjugate gradients for any symmetric positive definite matrix of SciPy."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from . import _tessera
from ._arrays import doubles
from ._tessera import ArgumentError, CgResult, SolverError
from .space import Space
from .system import System


def _rows(what: str, A: scipy.sparse.spmatrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row map, columns and values of a matrix, ascending and unique within the rows. What has the library's types
    already is not copied, but for the row map."""
    if not scipy.sparse.issparse(A):
        raise ArgumentError(f"{what}: a sparse matrix of SciPy is needed, got {type(A).__name__}")
    if A.shape[0] != A.shape[1]:
        raise ArgumentError(f"{what}: the matrix is {A.shape[0]} x {A.shape[1]}, a square one is needed")
    if A.dtype.kind not in "iuf":
        raise ArgumentError(f"{what}: the matrix's values are {A.dtype}, float64 is needed")
    rows = A.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if rows.shape[0] > np.iinfo(np.int32).max:
        raise ArgumentError(f"{what}: {rows.shape[0]} rows are beyond 32 bits")
    return (
        rows.indptr.astype(np.uint64),
        np.ascontiguousarray(rows.indices, dtype=np.int32),
        np.ascontiguousarray(rows.data, dtype=np.float64),
    )


class Multigrid(LinearOperator):
    """A preconditioner, one V-cycle of smoothed aggregation a product, for `cg` and for SciPy's solvers."""

    def __init__(self, handle: _tessera.Multigrid) -> None:
        self._handle = handle
        super().__init__(np.dtype(np.float64), (handle.rows, handle.rows))

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        y = np.empty(self.shape[0])
        self._handle.apply(np.ascontiguousarray(x, dtype=np.float64).reshape(-1), y)
        return y

    def _adjoint(self) -> Multigrid:
        return self  # symmetric

    def refresh(self, A: scipy.sparse.spmatrix) -> None:
        """Takes new values of the same pattern; ArgumentError for another, SolverError as `multigrid`."""
        self._handle.refresh(*_rows("Multigrid.refresh", A))

    @property
    def level_rows(self) -> list[int]:
        """Rows of the levels, the finest first."""
        return self._handle.level_rows

    @property
    def operator_complexity(self) -> float:
        """Entries of all levels' matrices relative to the finest's."""
        return self._handle.operator_complexity

    @property
    def bytes(self) -> int:
        """Memory of the hierarchy."""
        return self._handle.bytes

    @property
    def singular(self) -> bool:
        """Whether the matrix is taken for singular."""
        return self._handle.singular


def multigrid(
    A: scipy.sparse.spmatrix,
    space: Space | None = None,
    *,
    components: int = 1,
    coordinates: ArrayLike | None = None,
    near_null: ArrayLike | None = None,
    singular: bool = False,
) -> Multigrid:
    """Multigrid for a symmetric positive definite matrix of anyone.

    space:       the space that the rows are of, which knows all of the following
    components:  unknowns per node; row = node * components + component
    coordinates: float64, node x dimension, 2 or 3
    near_null:   float64, row x mode, vectors that the matrix maps to nearly zero; by default a constant for each component, or
                 the rigid motions where there are coordinates and as many components as dimensions
    singular:    the near-null space is a null space

    SolverError for a matrix that is not symmetric, or found indefinite.
    """
    rows = _rows("multigrid", A)
    if space is not None:
        if components != 1 or coordinates is not None or near_null is not None:
            raise ArgumentError("multigrid: components, coordinates and near_null follow from the space")
        if A.shape[0] != space.num_equations:
            raise ArgumentError(
                f"multigrid: the matrix has {A.shape[0]} rows, the space {space.num_equations} equations"
            )
        return Multigrid(_tessera.multigrid_of_space(*rows, space._handle, singular))
    return Multigrid(
        _tessera.multigrid_of_nodes(
            *rows,
            components,
            None if coordinates is None else doubles("multigrid: coordinates", coordinates, 2),
            None if near_null is None else doubles("multigrid: near_null", near_null, 2),
            singular,
        )
    )


def cg(
    A: scipy.sparse.spmatrix,
    b: ArrayLike,
    M: Multigrid | None = None,
    x0: ArrayLike | None = None,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int = 10000,
    max_stalled: int = 0,
) -> tuple[np.ndarray, CgResult]:
    """Solves A x = b by conjugate gradients; returns x, float64, and how the iteration went. Ctrl-C ends it between
    two iterations.

    M:           a Multigrid of `multigrid`; without it Jacobi's preconditioner
    rtol, atol:  stops at |b - A x| <= max(rtol |b|, atol); without rtol 1e-8, or what rounding allows
    max_stalled: ends an iteration that has found no smaller residual in so many iterations

    SolverError where the matrix or the preconditioner turns out not to be positive definite. That the tolerance was not
    reached is no error: `converged` and `reason` of the result say so.
    """
    rows = _rows("cg", A)
    b = _entries("cg: b", b, A.shape[0])
    if M is not None and not isinstance(M, Multigrid):
        raise ArgumentError(f"cg: M is a {type(M).__name__}; it may be a Multigrid, or None for Jacobi's preconditioner")
    x = np.zeros(A.shape[0]) if x0 is None else _entries("cg: x0", x0, A.shape[0]).copy()
    handle = None if M is None else M._handle
    result = _tessera.cg(*rows, handle, b, x, rtol, atol, maxiter, max_stalled)
    return x, result


def _entries(what: str, array: ArrayLike, count: int) -> np.ndarray:
    array = doubles(what, array, 1)
    if array.size != count:
        raise ArgumentError(f"{what}: {array.size} entries for {count} rows")
    return array


def solve(system: System, *, rtol: float | None = None) -> np.ndarray:
    """Solves an assembled system by conjugate gradients with multigrid; returns the values at all nodes, as
    `Space.expand`. SolverError unless it converges. Ctrl-C ends it between two iterations."""
    A = system.matrix
    x, result = cg(A, system.rhs, multigrid(A, system.space), rtol=rtol, max_stalled=200)
    if not result.converged:
        raise SolverError(f"solve: {result.reason} after {result.iterations} iterations")
    return system.space.expand(x)
