"""DLPack's C structures, and the capsules that carry them between libraries.

Source: dlpack.h of DLPack 1.0 (https://dmlc.github.io/dlpack/latest/c_api.html).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CPU", "CUDA", "CUDA_HOST", "CUDA_MANAGED", "Tensor", "export", "receive"]

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

_VERSION = (1, 0)
_READ_ONLY, _COPIED = 1, 2
#: Dimensions that NumPy's arrays can have.
_MAX_DIMENSIONS = 64
_ADDRESSES = 1 << 64
_NAME, _USED = b"dltensor", b"used_dltensor"
_VERSIONED_NAME, _VERSIONED_USED = b"dltensor_versioned", b"used_dltensor_versioned"

# The kind of a dtype code such as 'f4' by DLPack's type code.
_KINDS = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "b"}
_DTYPES = {
    "b1",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
    "bf2",
}
_BFLOAT = 4


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


_api = ctypes.pythonapi
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api)
)


class _Described:
    """A tensor as NumPy's interface of arrays describes one, and what has to outlive it."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, tensor: Tensor, owner: object):
        # NumPy has no bfloat16 of its own: `export` says that it is one.
        typestr = "u2" if tensor.dtype == "bf2" else tensor.dtype
        itemsize = int(typestr[1:])
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": f"<{typestr}",
            "shape": tensor.shape,
            "strides": tuple([stride * itemsize for stride in tensor.strides or ()]),
            "data": (tensor.pointer, tensor.read_only),
        }


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

    Raises
    ------
    BufferError
        If the structure has no place for a read-only array, or DLPack no type for a dtype.

    Notes
    -----
    The capsule is NumPy's, of an array over the same addresses that nobody reads, and then says
    what device they are on. So what releases it is compiled code, which a consumer may call while
    an exception is pending, from a thread that Python does not know, and when the interpreter
    has ended. Functions made by ctypes may not be called so.
    """
    if tensor.dtype not in _DTYPES:
        raise BufferError(
            f"__dlpack__: DLPack has no type for elements of dtype {tensor.dtype}; export a view "
            "of times as int64, and each field of structures by itself"
        )
    host = np.asarray(_Described(tensor, owner))
    try:
        capsule = host.__dlpack__(max_version=_VERSION) if versioned else host.__dlpack__()
    except TypeError:  # NumPy 2.0, which is older than DLPack 1.0
        capsule = host.__dlpack__()
    managed, _ = _managed(capsule)
    if isinstance(managed, _VersionedManaged):
        managed.flags |= _COPIED * copied
    record = managed.tensor
    if tensor.dtype == "bf2":
        record.code = _BFLOAT
    record.data = tensor.pointer
    record.device_type = tensor.device_type
    record.device_id = tensor.device_id
    return capsule


def _managed(capsule: Any) -> tuple[_Managed | _VersionedManaged, int]:
    """The structure of a capsule that has not been consumed, and its address."""
    if type(capsule).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack: expected a DLPack capsule, got {type(capsule).__name__}")
    kinds: tuple[tuple[bytes, Any], ...] = (
        (_VERSIONED_NAME, _VersionedManaged),
        (_NAME, _Managed),
    )
    for name, kind in kinds:
        if _is_valid(id(capsule), name):
            address = _get_pointer(id(capsule), name)
            return kind.from_address(address), address
    raise TypeError("from_dlpack: this is no DLPack capsule, or it has been consumed already")


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
    managed, address = _managed(capsule)
    versioned = isinstance(managed, _VersionedManaged)
    if isinstance(managed, _VersionedManaged) and managed.major > _VERSION[0]:
        raise BufferError(
            f"from_dlpack: DLPack {managed.major}.{managed.minor} is newer than "
            f"{_VERSION[0]}.x; ask the producer for max_version={_VERSION}"
        )
    tensor = _checked(managed.tensor)
    if isinstance(managed, _VersionedManaged) and managed.flags & _READ_ONLY:
        tensor = tensor._replace(read_only=True)
    _set_name(id(capsule), _VERSIONED_USED if versioned else _USED)

    def release() -> None:
        if managed.deleter:
            managed.deleter(address)

    return tensor, release


def _checked(record: _DLTensor) -> Tensor:
    """What a structure describes, if it can be an array's memory."""
    dtype = f"{_KINDS.get(record.code)}{record.bits // 8}"
    if dtype not in _DTYPES or record.lanes != 1 or record.bits % 8:
        raise BufferError(
            f"from_dlpack: no dtype for type code {record.code} of {record.bits} bits and "
            f"{record.lanes} lanes; convert the array in the library that it comes from"
        )
    ndim = record.ndim
    if not 0 <= ndim <= _MAX_DIMENSIONS:
        raise _damaged(f"ndim is {ndim}, not between 0 and {_MAX_DIMENSIONS}")
    if ndim and not record.shape:
        raise _damaged(f"shape is a null pointer, but ndim is {ndim}")
    shape = tuple(record.shape[:ndim])
    strides = tuple(record.strides[:ndim]) if record.strides else None
    if any(length < 0 for length in shape):
        raise _damaged(f"shape {shape} has a negative length")
    pointer = (record.data or 0) + record.byte_offset
    if 0 not in shape:
        if not record.data:
            raise _damaged(f"data is a null pointer, but shape {shape} has elements")
        itemsize = record.bits // 8
        if strides is None:
            steps = [(math.prod(shape) - 1) * itemsize]
        else:
            steps = [stride * (n - 1) * itemsize for stride, n in zip(strides, shape)]
        low = pointer + sum([step for step in steps if step < 0])
        high = pointer + sum([step for step in steps if step > 0]) + itemsize
        if low < 0 or high > _ADDRESSES:
            raise _damaged(
                f"the elements of shape {shape} and strides {strides} from address "
                f"{record.data:#x}, byte_offset {record.byte_offset}, do not fit into memory"
            )
    return Tensor(pointer, record.device_type, record.device_id, dtype, shape, strides)


def _damaged(what: str) -> BufferError:
    return BufferError(f"from_dlpack: the capsule describes no array: {what}")
