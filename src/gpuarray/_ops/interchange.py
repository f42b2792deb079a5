"""Exchange of arrays with other libraries through DLPack."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from gpuarray import _array, _dtypes, _interchange, _layout
from gpuarray._ffi import dlpack, driver
from gpuarray._runtime.device import Device, current
from gpuarray._runtime.stream import ExternalStream
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
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
        Where the consumer wants the array; only where it is.
    copy : bool, optional
        Whether to export a copy; by default and with False the memory is shared.

    Returns
    -------
    capsule

    Raises
    ------
    BufferError
        If the array is wanted on another device, or is read-only and the consumer's DLPack (before
        1.0) cannot be told.
    """
    here = dlpack_device(self)
    for name, pair in (("max_version", max_version), ("dl_device", dl_device)):
        if pair is not None and not _is_pair(pair):
            raise TypeError(f"__dlpack__: {name} must be a tuple of two ints, got {pair!r}")
    if dl_device is not None and tuple(dl_device) != here:
        raise BufferError(
            f"__dlpack__: the array is on DLPack device {here}, not {tuple(dl_device)}; "
            "move it with asarray or asnumpy first"
        )
    array = copies.copy(self) if copy else self
    array._memory.check()
    layout = array._layout
    if stream is not None and not isinstance(stream, int):
        raise TypeError(f"__dlpack__: stream must be an integer, got {stream!r}")
    if stream != -1:
        handle = 0 if stream in (None, 1) else stream
        if handle != current.stream.handle:
            with array._memory.device:
                ExternalStream(handle).wait_event(current.stream.record())
    versioned = max_version is not None and max_version[0] >= 1
    if not layout.writable and not versioned:
        raise BufferError(
            f"__dlpack__: the array of shape {layout.shape} is read-only, which only DLPack 1.0 "
            "and later can tell a consumer; ask for max_version=(1, 0), or export a copy"
        )
    tensor = dlpack.Tensor(
        pointer=_array.address_of(array),
        device_type=here[0],
        device_id=here[1],
        dtype=_dtypes.code(layout.dtype),
        shape=layout.shape,
        strides=tuple([stride // layout.itemsize for stride in layout.strides]),
        read_only=not layout.writable,
    )
    return dlpack.export(tensor, array, versioned, bool(copy))


def _is_pair(x: object) -> bool:
    return isinstance(x, tuple | list) and len(x) == 2 and all(isinstance(n, int) for n in x)


class _Received:
    """Tells the producer when the last array over its memory is gone."""

    __slots__ = ("__weakref__",)


def from_dlpack(
    x: Any, /, *, device: Device | int | None = None, copy: bool | None = None
) -> ndarray:
    """An array over the memory of another library's array.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``, on a CUDA device; or a DLPack capsule.
    device : Device, optional
        Only the device that the array is on.
    copy : bool, optional
        Whether to copy; by default and with False the memory is shared.

    Returns
    -------
    ndarray
        Read-only if the producer says so.

    Raises
    ------
    BufferError
        If the array is not in device memory, or a capsule describes no array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(3)
    >>> y = cp.from_dlpack(x)
    >>> y[0] = 7
    >>> x
    array([7, 1, 2])
    """
    if hasattr(x, "__dlpack_device__"):
        kind, number = x.__dlpack_device__()
        if kind not in (dlpack.CUDA, dlpack.CUDA_MANAGED):
            raise BufferError(
                f"from_dlpack: the array is on DLPack device type {int(kind)}, not on a CUDA "
                "device; use asarray to copy host data"
            )
        with Device(number):
            handle = current.stream.handle
            try:
                capsule = x.__dlpack__(stream=handle or 1, max_version=(1, 0))
            except TypeError:  # a producer that is older than DLPack 1.0
                capsule = x.__dlpack__(stream=handle or 1)
    else:
        capsule = x
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
    if device is not None and Device(device).id != tensor.device_id:
        raise BufferError(
            f"from_dlpack: the array is on device {tensor.device_id}, not on {device}; copy it "
            "with asarray inside 'with Device(...)'"
        )
    dtype = _dtypes.canonical("?" if tensor.dtype == "b1" else tensor.dtype)
    if tensor.strides is None:
        layout = _layout.contiguous(dtype, tensor.shape)
    else:
        strides = tuple([stride * dtype.itemsize for stride in tensor.strides])
        layout = _layout.layout_of(dtype, tensor.shape, strides)
    if tensor.read_only:
        layout = _layout.read_only(layout)
    if not layout.size:
        array = _array.empty(_layout.contiguous(dtype, tensor.shape))
        return _array.lock(array) if tensor.read_only and not copy else array
    layout = _array.aligned("from_dlpack", layout, tensor.pointer, _interchange.COPY_THERE)
    memory = _interchange.imported_memory(
        "from_dlpack",
        tensor.pointer + layout.low,
        layout.high - layout.low,
        received,
        not tensor.read_only,
    )
    array = _array.wrap(memory, tensor.pointer, _layout.foreign(layout))
    return copies.copy(array) if copy else array
