# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as the extension takes them: on the host, row by row, of the library's types."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._tessera import ArgumentError

_largest = np.iinfo(np.int32).max


def _checked(what: str, array: Any, rank: int) -> np.ndarray:
    """An array on the host of `rank` indices, without negative strides."""
    if not isinstance(array, np.ndarray):
        if hasattr(array, "__dlpack__"):
            array = _from_dlpack(what, array)
        else:
            try:
                array = np.asarray(array)
            except ValueError as error:
                raise ArgumentError(f"{what}: {error}") from None
    if array.ndim != rank:
        raise ArgumentError(f"{what}: an array of {rank} indices is needed, got {array.ndim}")
    if any(stride < 0 for stride in array.strides):
        raise ArgumentError(f"{what}: a stride is negative, {array.strides} bytes; copy the array first")
    return array


def _from_dlpack(what: str, array: Any) -> np.ndarray:
    device = array.__dlpack_device__()[0] if hasattr(array, "__dlpack_device__") else 1
    if device != 1:  # DLPack's number of the host
        raise ArgumentError(f"{what}: the array lies on a device (DLPack's number {int(device)}); copy it to the host")
    return np.from_dlpack(array)


def doubles(what: str, array: Any, rank: int) -> np.ndarray:
    """Real numbers as float64; numbers of other types are refused, unless none is lost."""
    array = _checked(what, array, rank)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise ArgumentError(f"{what}: float64 is needed, got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def ordinals(what: str, array: Any, rank: int) -> np.ndarray:
    """Whole numbers as int32; those that are too large, and arrays of other numbers, are refused."""
    array = _checked(what, array, rank)
    if array.size == 0 and array.dtype == np.float64:  # np.asarray([])
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"{what}: int32 or int64 is needed, got {array.dtype}")
    if array.size and (array.max() > _largest or array.min() < -_largest):
        raise ArgumentError(f"{what}: a number is beyond 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)
