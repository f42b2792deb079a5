"""Exchange of arrays with other libraries through DLPack."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _interchange, _layout
from gpuarray._ffi import dlpack, driver
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.placement import given_device, on_device
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.stream_kinds import ExternalStream
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._layout import Layout
    from gpuarray._types import ndarray

__all__ = ["from_dlpack"]


def dlpack_device(self: ndarray) -> tuple[int, int]:
    """``ndarray.__dlpack_device__``: DLPack's device type and the device's number."""
    return dlpack.CUDA, self._memory.device.id


def to_dlpack(
    self: ndarray,
    *,
    stream: int | None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> object:
    """``ndarray.__dlpack__``: a capsule for a consumer.

    Parameters
    ----------
    stream : int, optional
        The consumer's stream, which will wait for the work queued here: 1 is the default
        stream, 2 the per-thread default stream, -1 asks for no wait.
    max_version : tuple of int, optional
        The newest DLPack version that the consumer understands.
    dl_device : tuple of int, optional
        Where the consumer wants the array: on the device where it is by default. ``(1, 0)`` is host
        memory, into which the array is copied; the call waits for that. ``(2, n)`` is device n.
    copy : bool, optional
        Whether to export a copy; by default only where `dl_device` needs one, with False never.

    Returns
    -------
    capsule

    Raises
    ------
    BufferError
        If the array is wanted in memory of another kind, or elsewhere with ``copy=False``; if it
        is read-only and the consumer's DLPack (before 1.0) cannot be told.
    ValueError
        If the stream is 0, which DLPack does not allow, or one is named for host memory.
    """
    for name, pair in (("max_version", max_version), ("dl_device", dl_device)):
        if pair is not None and not _is_pair(pair):
            raise TypeError(f"__dlpack__: {name} must be a tuple of two ints, got {pair!r}")
    _check_stream(stream)
    versioned = max_version is not None and max_version[0] >= 1
    here = dlpack_device(self)
    wanted = here if dl_device is None else tuple(dl_device)
    if wanted != here and copy is False:
        raise BufferError(
            f"__dlpack__: the array is on DLPack device {here} and has to be copied to {wanted}, "
            "but copy=False; use copy=None"
        )
    if wanted == (dlpack.CPU, 0):
        return _host_capsule(self, stream, versioned)
    array = self
    if wanted != here:
        if wanted[0] != dlpack.CUDA or not 0 <= wanted[1] < driver.device_count():
            raise BufferError(
                f"__dlpack__: the array is on DLPack device {here} and cannot be exported to "
                f"{wanted}; there are (1, 0), host memory, and (2, n) for the "
                f"{driver.device_count()} devices"
            )
        array = on_device(array, Device(wanted[1]))
    elif copy:
        array = copies.copy_there(array)
    copied = array is not self
    array._memory.check()
    layout = array._layout
    if layout.unaligned:
        raise BufferError(
            "__dlpack__: elements are not at multiples of their size, which DLPack cannot say; "
            "export a copy: x.copy()"
        )
    if stream != -1:
        handle = 0 if stream in (None, 1) else stream
        device = array._memory.device
        if handle != current.stream.handle or device is not current.stream.device:
            with device:
                ExternalStream(handle).wait_event(current.stream.record())
    if not layout.writable and not versioned:
        raise BufferError(
            f"__dlpack__: the array of shape {layout.shape} is read-only, which only DLPack 1.0 "
            "and later can tell a consumer; ask for max_version=(1, 0), or export a copy"
        )
    tensor = dlpack.Tensor(
        pointer=_array.exposed_address_of(array),
        device_type=wanted[0],
        device_id=wanted[1],
        dtype=_dtypes.code(layout.dtype),
        shape=layout.shape,
        strides=tuple([stride // layout.itemsize for stride in layout.strides]),
        read_only=not layout.writable,
    )
    return dlpack.export(tensor, array, versioned, copied)


def _check_stream(stream: object) -> None:
    if stream is None:
        return
    if not isinstance(stream, int):
        raise TypeError(f"__dlpack__: stream must be an integer, got {stream!r}")
    if stream == 0 or stream < -1:
        raise ValueError(
            f"__dlpack__: stream must not be {stream}; 1 is the legacy default stream, 2 the "
            "per-thread one, -1 asks for no wait"
        )


def _host_capsule(array: ndarray, stream: int | None, versioned: bool) -> object:
    """A capsule of a copy in host memory."""
    if stream is not None:
        raise ValueError(
            f"__dlpack__: host memory has no streams, got stream={stream}; use stream=None"
        )
    host = asnumpy(array, order="K")
    dtype = _dtypes.code(host.dtype)
    strides = tuple([stride // host.itemsize for stride in host.strides])
    tensor = dlpack.Tensor(host.ctypes.data, dlpack.CPU, 0, dtype, host.shape, strides)
    return dlpack.export(tensor, host, versioned, copied=True)


def _is_pair(x: object) -> bool:
    return isinstance(x, tuple | list) and len(x) == 2 and all(isinstance(n, int) for n in x)


class _Received:
    """Tells the producer when the last array over its memory is gone."""

    __slots__ = ("__weakref__",)


def from_dlpack(x: Any, /, *, device: Device | None = None, copy: bool | None = None) -> ndarray:
    """An array over the memory of another library's array, or a copy of it.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``, or a DLPack capsule.
    device : Device, optional
        Where the array will be: on the device where `x` is by default. With a device, `x` may be in
        host memory, too, from which it is copied.
    copy : bool, optional
        Whether to copy: by default only where `device` needs that, with False never.

    Returns
    -------
    ndarray
        Read-only if it shares its memory and the producer says so.

    Raises
    ------
    AttributeError
        If `x` is neither.
    BufferError
        If the array is in host memory and no device is named, or in memory of another kind; if a
        capsule describes no array.
    ValueError
        If `device` is not a `Device`, or a copy is needed with ``copy=False``.

    Examples
    --------
    >>> import numpy as np
    >>> import gpuarray as cp
    >>> x = cp.arange(3)
    >>> y = cp.from_dlpack(x)
    >>> y[0] = 7
    >>> x
    array([7, 1, 2])
    >>> cp.from_dlpack(np.arange(2), device=x.device)
    array([0, 1])
    """
    if device is not None:
        given_device(device, "from_dlpack")
    if isinstance(x, _array.ArrayBase):
        array = _array.view(x, x._layout)
    elif hasattr(x, "__dlpack_device__"):
        kind, number = x.__dlpack_device__()
        if kind in (dlpack.CPU, dlpack.CUDA_HOST) and device is not None:
            return _from_host(x, device, copy)
        if kind not in (dlpack.CUDA, dlpack.CUDA_MANAGED):
            raise BufferError(
                f"from_dlpack: the array is on DLPack device type {int(kind)}, not on a CUDA "
                "device; use asarray or device= to copy host data"
            )
        if number == current.stream.device.id:
            capsule = _capsule_of(x)
        else:
            with Device(number):
                capsule = _capsule_of(x)
        array = _from_capsule(capsule)
    elif type(x).__name__ == "PyCapsule":
        array = _from_capsule(x)
    else:
        raise AttributeError(
            f"from_dlpack: a {type(x).__name__} has no __dlpack__ and __dlpack_device__; use "
            "asarray"
        )
    if device is not None and array._memory.device is not device:
        _allow_copy(copy, array._memory.device, device)
        return on_device(array, device)
    return copies.copy_there(array) if copy else array


def _capsule_of(x: Any) -> object:
    """Another library's capsule of an array, for work on the current stream."""
    stream = current.stream.handle or 1
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # a producer that is older than DLPack 1.0
        return x.__dlpack__(stream=stream)


def _from_host(x: Any, device: Device, copy: bool | None) -> ndarray:
    """A copy of another library's array in host memory; NumPy's array shares that memory."""
    _allow_copy(copy, "host memory", device)
    return asarray(np.from_dlpack(x), device=device)


def _allow_copy(copy: bool | None, here: object, there: Device) -> None:
    if copy is False:
        raise ValueError(
            f"from_dlpack: an array in {here} has to be copied to {there}, but copy=False; use "
            "copy=None"
        )


def _from_capsule(capsule: Any) -> ndarray:
    """An array over the memory that a capsule describes."""
    tensor, release = dlpack.receive(capsule)
    received = _Received()
    weakref.finalize(received, release).atexit = False
    if tensor.device_type not in (dlpack.CUDA, dlpack.CUDA_MANAGED):
        raise BufferError(
            f"from_dlpack: the capsule's array is on DLPack device type {tensor.device_type}, "
            "not on a CUDA device; use asarray to copy host data"
        )
    if not 0 <= tensor.device_id < driver.device_count():
        raise BufferError(
            f"from_dlpack: the capsule's array is on device {tensor.device_id}, but there are "
            f"{driver.device_count()} devices, numbered from 0"
        )
    layout = _layout_of(tensor.dtype, tensor.shape, tensor.strides, tensor.read_only)
    if not layout.size:
        array = _array.empty(_layout.contiguous(layout.dtype, tensor.shape))
        return _array.lock(array) if tensor.read_only else array
    layout = _array.aligned("from_dlpack", layout, tensor.pointer, _interchange.COPY_THERE)
    memory = _interchange.imported_memory(
        "from_dlpack",
        tensor.pointer + layout.low,
        layout.high - layout.low,
        received,
        not tensor.read_only,
    )
    return _array.wrap(memory, tensor.pointer, layout)


@functools.lru_cache(maxsize=256)
def _layout_of(
    code: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, read_only: bool
) -> Layout:
    """The layout of a tensor, kept since arrays of one kind come in again and again."""
    dtype = _dtypes.dtype_of(code)
    if strides is None:
        layout = _layout.contiguous(dtype, shape)
    else:
        steps = tuple([stride * dtype.itemsize for stride in strides])
        layout = _layout.layout_of(dtype, shape, steps)
    return _layout.foreign(_layout.read_only(layout) if read_only else layout)
