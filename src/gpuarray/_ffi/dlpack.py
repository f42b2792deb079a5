"""DLPack's C structures, and the capsules that carry them between libraries.

Source: dlpack.h of DLPack 1.0 (https://dmlc.github.io/dlpack/latest/c_api.html).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["CUDA", "CUDA_HOST", "CUDA_MANAGED", "Tensor", "export", "receive"]

CUDA, CUDA_HOST, CUDA_MANAGED = 2, 3, 13

_VERSION = (1, 0)
_READ_ONLY = 1
_NAME, _USED = b"dltensor", b"used_dltensor"
_VERSIONED_NAME, _VERSIONED_USED = b"dltensor_versioned", b"used_dltensor_versioned"

# DLPack's type codes by the kind of a dtype code such as 'f4'.
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {number: kind for kind, number in _CODES.items()}


class Tensor(NamedTuple):
    """The array that a capsule describes; strides count elements."""

    pointer: int
    device_type: int
    device_id: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    read_only: bool = False


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", _DLTensor),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
    ]


class _VersionedManaged(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


#: Objects that exported structures keep alive, by the structure's address.
_exported: dict[int, tuple[Any, ...]] = {}


@_Deleter
def _forget(address: int) -> None:
    _exported.pop(address, None)


_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", _api)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api)
)


@_Destructor
def _destroy(capsule: int) -> None:
    """Release an export that was not consumed; a consumer renames the capsule."""
    for name in (_NAME, _VERSIONED_NAME):
        if _is_valid(capsule, name):
            _exported.pop(_get_pointer(capsule, name), None)


def export(tensor: Tensor, owner: object, versioned: bool, copied: bool = False) -> Any:
    """A capsule that describes an array.

    Parameters
    ----------
    tensor : Tensor
        The array.
    owner : object
        Kept alive until the consumer is done.
    versioned : bool
        Use the structure of DLPack 1.0.
    copied : bool
        Tell the consumer that the memory is a copy made for it.
    """
    ndim = len(tensor.shape)
    shape = (ctypes.c_int64 * ndim)(*tensor.shape)
    strides = (ctypes.c_int64 * ndim)(*(tensor.strides or ()))
    kind = _VersionedManaged if versioned else _Managed
    managed = kind()
    managed.deleter = _forget
    if isinstance(managed, _VersionedManaged):
        managed.major, managed.minor = _VERSION
        managed.flags = 2 * copied
    record = managed.tensor
    record.data = tensor.pointer
    record.device_type = tensor.device_type
    record.device_id = tensor.device_id
    record.ndim = ndim
    record.code = _CODES[tensor.dtype[0]]
    record.bits = 8 * int(tensor.dtype[1:])
    record.lanes = 1
    record.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    record.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
    address = ctypes.addressof(managed)
    _exported[address] = (managed, shape, strides, owner)
    return _new(address, _VERSIONED_NAME if versioned else _NAME, _destroy)


def receive(capsule: Any) -> tuple[Tensor, Callable[[], None]]:
    """Take the array out of a capsule.

    Returns
    -------
    tensor, release
        ``release()`` tells the producer, once, that its memory is no longer in use.

    Raises
    ------
    TypeError
        If it is no capsule, or one that has been consumed.
    BufferError
        If its contents cannot be represented.
    """
    address_of_capsule = id(capsule)
    versioned = False
    if type(capsule).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack: expected a DLPack capsule, got {type(capsule).__name__}")
    if _is_valid(address_of_capsule, _VERSIONED_NAME):
        versioned = True
    elif not _is_valid(address_of_capsule, _NAME):
        raise TypeError("from_dlpack: this is no DLPack capsule, or it has been consumed already")
    name, used = (_VERSIONED_NAME, _VERSIONED_USED) if versioned else (_NAME, _USED)
    address = _get_pointer(address_of_capsule, name)
    managed = (_VersionedManaged if versioned else _Managed).from_address(address)
    if isinstance(managed, _VersionedManaged) and managed.major > _VERSION[0]:
        raise BufferError(
            f"from_dlpack: DLPack {managed.major}.{managed.minor} is newer than "
            f"{_VERSION[0]}.x; ask the producer for max_version={_VERSION}"
        )
    record = managed.tensor
    kind = _KINDS.get(record.code)
    if kind is None or record.lanes != 1 or record.bits % 8:
        raise BufferError(
            f"from_dlpack: no dtype for type code {record.code} of {record.bits} bits and "
            f"{record.lanes} lanes; convert the array in the library that it comes from"
        )
    tensor = Tensor(
        pointer=(record.data or 0) + record.byte_offset,
        device_type=record.device_type,
        device_id=record.device_id,
        dtype=f"{kind}{record.bits // 8}",
        shape=tuple(record.shape[: record.ndim]),
        strides=tuple(record.strides[: record.ndim]) if record.strides else None,
        read_only=bool(versioned and managed.flags & _READ_ONLY),
    )
    _set_name(address_of_capsule, used)

    def release() -> None:
        if managed.deleter:
            managed.deleter(address)

    return tensor, release
