# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as the extension takes them: row by row, of the library's types, on the host or where the library computes."""

from __future__ import annotations

from typing import Any, Literal, Union, overload

import numpy as np

from . import _tessera
from ._tessera import ArgumentError, DeviceArray, Error

Array = Any
"""NumPy's, or that of whoever lends memory on the host or the device by DLPack or CUDA's array interface, or a sequence."""
Dense = Union[np.ndarray, DeviceArray]

_largest = np.iinfo(np.int32).max
_host, _cuda = 1, 2  # numbers of DLPack


@overload
def doubles(what: str, array: Array, rank: int) -> np.ndarray: ...
@overload
def doubles(what: str, array: Array, rank: int, device: Literal[True]) -> Any: ...
def doubles(what: str, array: Array, rank: int, device: bool = False) -> Any:
    """Real numbers as float64; numbers of other types are refused, unless none is lost.

    device: whether an array on the library's device comes back as a DeviceArray; else it is copied to the host
    """
    array = _checked(what, array, rank)
    if isinstance(array, DeviceArray):
        dense = _tessera.dense_doubles(array, what, rank)
        return dense if device else dense.numpy()
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise ArgumentError(f"{what}: float64 is needed, got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


@overload
def ordinals(what: str, array: Array, rank: int) -> np.ndarray: ...
@overload
def ordinals(what: str, array: Array, rank: int, device: Literal[True]) -> Any: ...
def ordinals(what: str, array: Array, rank: int, device: bool = False) -> Any:
    """Whole numbers as int32; those that are too large, and arrays of other numbers, are refused. `device` as `doubles`."""
    array = _checked(what, array, rank)
    if isinstance(array, DeviceArray):
        dense = _tessera.dense_ordinals(array, what, rank)
        return dense if device else dense.numpy()
    array = _whole(what, array)
    if array.size and (array.max() > _largest or array.min() < -_largest):
        raise ArgumentError(f"{what}: a number is beyond 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def offsets(what: str, array: Array) -> Any:
    """Positions in other arrays as uint64, wherever the array lies."""
    array = _checked(what, array, 1)
    if isinstance(array, DeviceArray):
        return _tessera.dense_offsets(array, what, 1)
    return np.ascontiguousarray(_whole(what, array), dtype=np.uint64)


def numpy_of(array: Dense) -> np.ndarray:
    """The array, or a copy of it on the host."""
    return array.numpy() if isinstance(array, DeviceArray) else array


def from_device(what: str, array: Array) -> Any:
    """Of an array on the device a DeviceArray; anything else as it is."""
    if isinstance(array, (np.ndarray, DeviceArray)):
        return array
    if getattr(array, "is_deleted", bool)():  # JAX's, which else fails in its own words
        raise ArgumentError(f"{what}: the array has been deleted")
    try:
        place = _device_of(array)
        if place is None:
            return array
        _require_ours(what, place)
        there = _lent(array, place[0])
    except (RuntimeError, BufferError) as error:
        raise error if isinstance(error, Error) else ArgumentError(f"{what}: {error}") from None
    _require_memory(what, there.size, there.__cuda_array_interface__["data"][0])
    return there


def on_host(what: str, array: Array) -> Any:
    """A copy on the host of an array on the device; anything else as it is."""
    array = from_device(what, array)
    return array.numpy() if isinstance(array, DeviceArray) else array


def row(what: str, numbers: Array) -> np.ndarray:
    """A number or several, as `doubles` of one index on the host."""
    return doubles(what, np.atleast_1d(on_host(what, numbers)), 1)


def zeros(shape: tuple[int, ...], like: Dense) -> Any:
    """Zeros of float64 where another array lies."""
    return _tessera.zeros(shape) if isinstance(like, DeviceArray) else np.zeros(shape)


def product(what: str, handle: Any, x: Array) -> Any:
    """What an operator of the extension makes of a vector, where that lies."""
    x = doubles(f"{what}: x", x, 1, device=True)
    if x.size != handle.rows:
        raise ArgumentError(f"{what}: x has {x.size} entries for {handle.rows} rows")
    y = zeros(x.shape, x)
    handle.apply(x, y)
    return y


def in_one_place(what: str, **arrays: Dense) -> None:
    """ArgumentError that names the arrays, unless all lie on the host or all on the device."""
    places = {name: "device" if isinstance(array, DeviceArray) else "host" for name, array in arrays.items()}
    if len(set(places.values())) > 1:
        sentence = ", ".join(f"{name} lies on the {place}" for name, place in places.items())
        raise ArgumentError(f"{what}: {sentence}; arrays in one place are needed")


def _whole(what: str, array: np.ndarray) -> np.ndarray:
    if array.size == 0 and array.dtype == np.float64:  # np.asarray([])
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"{what}: int32 or int64 is needed, got {array.dtype}")
    return array


def _checked(what: str, array: Array, rank: int) -> Dense:
    """An array of `rank` indices, without negative strides, on the host; or a DeviceArray, unchecked."""
    array = from_device(what, array)
    if isinstance(array, DeviceArray):
        return array
    if not isinstance(array, np.ndarray):
        try:
            array = np.from_dlpack(array) if hasattr(array, "__dlpack__") else np.asarray(array)
        except (ValueError, RuntimeError, BufferError) as error:
            raise ArgumentError(f"{what}: {error}") from None
    _require_memory(what, array.size, array.__array_interface__["data"][0])
    if array.ndim != rank:
        raise ArgumentError(f"{what}: an array of {rank} indices is needed, got {array.ndim}")
    if any(stride < 0 for stride in array.strides):
        raise ArgumentError(f"{what}: a stride is negative, {array.strides} bytes; copy the array first")
    return array


def _device_of(array: Array) -> tuple[int, int] | None:
    """DLPack's kind and number of the device that an array lies on; None for the host."""
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        return None if kind == _host else (int(kind), int(number))
    return _tessera.device() if hasattr(array, "__cuda_array_interface__") else None  # which has no number


def _require_ours(what: str, place: tuple[int, int]) -> None:
    if _tessera.on_host:
        raise ArgumentError(f"{what}: the array lies on a device (DLPack's number {place[0]}); copy it to the host")
    if place != _tessera.device():
        raise ArgumentError(
            f"{what}: the array lies on device {place[1]} of DLPack's kind {place[0]}, the library computes on device "
            f"{_tessera.device()[1]} of kind {_tessera.device()[0]}"
        )


def _lent(array: Array, kind: int) -> DeviceArray:
    if hasattr(array, "__dlpack__"):
        stream, usual = _tessera.current_stream(), 1 if kind == _cuda else 0  # DLPack's number of the default stream
        return _tessera.device_array_of_capsule(array.__dlpack__(stream=stream or usual))
    seen = array.__cuda_array_interface__
    return _tessera.device_array_of_interface(
        array, seen["data"][0], seen["shape"], seen.get("strides"), seen["typestr"], seen.get("stream")
    )


def _require_memory(what: str, size: int, address: int) -> None:
    """ArgumentError for an array whose memory has been freed, as PyTorch's after a storage's `resize_(0)`."""
    if size > 0 and address == 0:
        raise ArgumentError(f"{what}: the array's memory has been freed")
