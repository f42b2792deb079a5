"""The device that an array is on: ``device=`` of functions that make arrays, and moves."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from gpuarray import _interchange
from gpuarray._array import ArrayBase
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_kinds import ExternalStream
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def given_device(device: object, name: str) -> Device:
    """The device that ``device=`` of a function names.

    Raises
    ------
    ValueError
        If it is not a `Device`.
    """
    if isinstance(device, Device):
        return device
    raise ValueError(
        f"{called_name(name)}: device must be None or a gpuarray.cuda.Device, got {device!r}; for "
        "data in host memory use gpuarray.asnumpy(...)"
    )


def device_like(prototype: object, device: object, name: str) -> Device:
    """The device for an array that is like another: the one given, else that of the other."""
    if device is not None:
        return given_device(device, name)
    if isinstance(prototype, ArrayBase):
        return prototype._memory.device
    return current.stream.device


def on_device(array: ndarray, device: Device) -> ndarray:
    """The array itself if it is on a device, else a copy there."""
    owner = array._memory.device
    if owner is device:
        return array
    if not array._layout.contiguous:
        with owner:
            array = copies.copy(array, "K")
    return _interchange.to_device(array, device)


def to_device(self: ndarray, device: Device, /, *, stream: Any = None) -> ndarray:
    """The array on a device (``ndarray.to_device`` of the array API standard).

    Parameters
    ----------
    device : Device
        Where to.
    stream : Stream or int, optional
        The stream of that device for the copy, or its handle; 1 is the default stream, 2 the
        per-thread default stream. The device's current stream without it.

    Returns
    -------
    ndarray
        The array itself if it is there already. Work on streams waits for the copy as for any
        other operation: the host does not.

    Raises
    ------
    ValueError
        If `device` is not a `Device`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(3)
    >>> x.to_device(cp.cuda.Device(0)) is x
    True
    """
    found = given_device(device, "to_device")
    if stream is None:
        return on_device(self, found)
    if not isinstance(stream, Stream):
        stream = ExternalStream(_handle(stream), found.id)
    elif stream.device is not found:
        raise ValueError(
            f"to_device: the stream is one of {stream.device}, not of {found}; pass a stream of "
            "the device that the array goes to"
        )
    with found, stream:
        return on_device(self, found)


def _handle(stream: object) -> int:
    """The handle of a stream that is given as DLPack gives it."""
    try:
        handle = operator.index(stream)  # type: ignore[arg-type]  # the failure is the answer
    except TypeError:
        raise TypeError(
            f"to_device: stream must be a gpuarray.cuda.Stream or an integer, got {stream!r}"
        ) from None
    return 0 if handle == 1 else handle
