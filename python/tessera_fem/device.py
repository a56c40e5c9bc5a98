# SPDX-License-Identifier: BSD-3-Clause
"""What there is on devices alone: matrices of device arrays, and the caller's streams."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import numpy as np
import scipy.sparse

from . import _tessera
from ._arrays import numpy_of
from ._tessera import ArgumentError, DeviceArray

_largest = np.iinfo(np.int32).max


class DeviceMatrix:
    """A square matrix in compressed rows on the device, for `multigrid` and `cg`, and for other packages."""

    row_map: DeviceArray
    """Where each row begins in values and columns, and where the last one ends, uint64; not to be written."""
    columns: DeviceArray
    """The column of each value, int32, ascending within a row; not to be written."""
    values: DeviceArray
    """The values, float64, row after row."""

    def __init__(self, row_map: DeviceArray, columns: DeviceArray, values: DeviceArray) -> None:
        self.row_map, self.columns, self.values = row_map, columns, values

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows = len(self.row_map) - 1
        return rows, rows

    def torch(self) -> Any:
        """A sparse CSR tensor of PyTorch that has these values and columns, without a copy; offsets are copied to
        the columns' type."""
        import torch

        indices = self._indices()
        row_map, columns, values = (torch.from_dlpack(array) for array in (*indices, self.values))
        return torch.sparse_csr_tensor(row_map, columns, values, self.shape, check_invariants=False)

    def cupy(self) -> Any:
        """The same as a cupyx.scipy.sparse.csr_matrix."""
        import cupy
        import cupyx.scipy.sparse

        row_map, columns = (cupy.from_dlpack(array) for array in self._indices())
        return cupyx.scipy.sparse.csr_matrix((cupy.from_dlpack(self.values), columns, row_map), shape=self.shape)

    def scipy(self) -> scipy.sparse.csr_matrix:
        """A copy on the host."""
        return csr_matrix(numpy_of(self.values), numpy_of(self.columns), numpy_of(self.row_map))

    def _indices(self) -> tuple[DeviceArray, DeviceArray]:
        """Offsets and columns of one type, which both packages want: int32 unless the values are more."""
        if self.values.size <= _largest:
            return _tessera.dense_ordinals(self.row_map, "DeviceMatrix", 1), self.columns
        return _tessera.dense_longs(self.row_map, "DeviceMatrix", 1), _tessera.dense_longs(self.columns, "DeviceMatrix", 1)

    def __repr__(self) -> str:
        return f"<DeviceMatrix of {self.shape[0]} rows, {self.values.size} values>"


def csr_matrix(values: np.ndarray, columns: np.ndarray, row_map: np.ndarray) -> scipy.sparse.csr_matrix:
    """A matrix of SciPy on these arrays. SciPy wants offsets and columns of one type; it copies what it converts,
    columns being the larger by far."""
    rows = len(row_map) - 1
    fits = len(values) <= _largest
    matrix = scipy.sparse.csr_matrix((rows, rows), dtype=np.float64)
    matrix.indptr = row_map.astype(np.int32 if fits else np.int64)
    matrix.indices = columns if fits else columns.astype(np.int64)
    matrix.data = values
    matrix.has_canonical_format = True
    return matrix


@contextlib.contextmanager
def stream(of: Any) -> Iterator[None]:
    """Within `with tf.stream(s):` solvers run on a stream of the caller's, and what is made there (systems,
    operators, residuals) stays on it. Whatever the stream, calls return when they have ended on the device.

    of: torch.cuda.Stream, cupy.cuda.Stream, an object with `__cuda_stream__`, or the stream's address as an int. It is
        to outlive what is made on it.

    UnsupportedError where the library computes on the host.
    """
    before = _tessera.use_stream(_address(of))
    try:
        yield
    finally:
        _tessera.use_stream(before)


def _address(of: Any) -> int:
    if hasattr(of, "__cuda_stream__"):
        of = of.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr"):  # PyTorch's and CuPy's
        of = getattr(of, name, of)
    if not isinstance(of, int):
        raise ArgumentError(f"stream: a stream or its address is needed, got {type(of).__name__}")
    return of
