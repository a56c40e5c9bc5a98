# SPDX-License-Identifier: BSD-3-Clause
"""Multigrid and conjugate gradients for any symmetric positive definite matrix; solutions of systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator

from . import _tessera
from ._arrays import Array, doubles, in_one_place, offsets, ordinals, product, zeros
from ._tessera import ArgumentError, CgResult, SolverError
from .device import DeviceMatrix
from .space import Space
from .system import System


def _rows(what: str, A: Any) -> tuple[Any, Any, Any]:
    """Row map, columns and values of a matrix, ascending and unique within the rows. What has the library's types
    already is not copied, but for a row map of other than DeviceMatrix."""
    compressed = None if scipy.sparse.issparse(A) else _compressed(A)
    if not scipy.sparse.issparse(A) and compressed is None:
        raise ArgumentError(f"{what}: a sparse matrix of SciPy, or a DeviceMatrix, is needed, got {type(A).__name__}")
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ArgumentError(f"{what}: the matrix is {' x '.join(map(str, A.shape))}, a square one is needed")
    if compressed is not None:
        row_map, columns, values = compressed
        rows = (
            offsets(f"{what}: the matrix's row map", row_map),
            ordinals(f"{what}: the matrix's columns", columns, 1, device=True),
            doubles(f"{what}: the matrix's values", values, 1, device=True),
        )
        in_one_place(what, **dict(zip(("row_map", "columns", "values"), rows)))
        return rows
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


def _compressed(A: Any) -> tuple[Any, Any, Any] | None:
    """Row map, columns and values of a matrix on a device: ours, PyTorch's, or CuPy's, which has SciPy's names."""
    if isinstance(A, DeviceMatrix):
        return A.row_map, A.columns, A.values
    if hasattr(A, "crow_indices") and str(getattr(A, "layout", "")) == "torch.sparse_csr":
        return A.crow_indices(), A.col_indices(), A.values()
    if hasattr(A, "indptr") and hasattr(A, "has_canonical_format"):
        if not A.has_canonical_format:
            A = A.copy()
            A.sum_duplicates()
        return A.indptr, A.indices, A.data
    return None


class Multigrid(LinearOperator):
    """A preconditioner, one V-cycle of smoothed aggregation a product, for `cg` and for SciPy's solvers."""

    def __init__(self, handle: _tessera.Multigrid) -> None:
        self._handle = handle
        super().__init__(np.dtype(np.float64), (handle.rows, handle.rows))

    def apply(self, x: Array) -> Any:
        """One V-cycle for x, one entry a row: a NumPy array, of an x on the device a DeviceArray."""
        return product("Multigrid.apply", self._handle, x)

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self.apply(x.reshape(-1))

    def _adjoint(self) -> Multigrid:
        return self  # symmetric

    def refresh(self, A: Any) -> None:
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
    A: Any,
    space: Space | None = None,
    *,
    components: int = 1,
    coordinates: Array = None,
    near_null: Array = None,
    singular: bool = False,
) -> Multigrid:
    """Multigrid for a symmetric positive definite matrix of anyone.

    A:           a sparse matrix of SciPy; on the device a DeviceMatrix, a sparse CSR tensor of PyTorch, or CuPy's
                 csr_matrix
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
            None if coordinates is None else doubles("multigrid: coordinates", coordinates, 2, device=True),
            None if near_null is None else doubles("multigrid: near_null", near_null, 2, device=True),
            singular,
        )
    )


def cg(
    A: Any,
    b: Array,
    M: Multigrid | None = None,
    x0: Array = None,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int = 10000,
    max_stalled: int = 0,
) -> tuple[Any, CgResult]:
    """Solves A x = b by conjugate gradients; returns x, float64, and how the iteration went. Ctrl-C ends it between
    two iterations. A and b lie in one place; there x is, as a NumPy array or a DeviceArray.

    A:           as `multigrid`
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
    x = zeros(b.shape, b) if x0 is None else _entries("cg: x0", x0, A.shape[0]).copy()
    in_one_place("cg", A=rows[2], b=b, x0=x)
    handle = None if M is None else M._handle
    result = _tessera.cg(*rows, handle, b, x, rtol, atol, maxiter, max_stalled)
    return x, result


def _entries(what: str, array: Array, count: int) -> Any:
    array = doubles(what, array, 1, device=True)
    if array.size != count:
        raise ArgumentError(f"{what}: {array.size} entries for {count} rows")
    return array


def solve(system: System, *, rtol: float | None = None) -> Any:
    """Solves an assembled system; returns the values at all nodes, float64, node x component, as `Space.expand`. By
    conjugate gradients with multigrid; for `Stokes`, where that was assembled last, by GMRES with multigrid for the
    velocities and for the pressure.

    rtol: stops at |b - A x| <= rtol |b|; without it 1e-8, or what rounding allows

    SolverError unless it converges. Ctrl-C ends it between two iterations.
    """
    if system._handle.has_flow:
        x = zeros(system.rhs.shape, system.rhs)
        result = _tessera.solve_flow(system._handle, x, rtol)
    else:
        A = system.matrix
        x, result = cg(A, system.rhs, multigrid(A, system.space), rtol=rtol, max_stalled=200)
    if not result.converged:
        raise SolverError(f"solve: {result.reason} after {result.iterations} iterations")
    return system.space.expand(x)
