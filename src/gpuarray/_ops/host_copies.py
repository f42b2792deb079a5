"""Copies between arrays and host memory: `asnumpy`, and the methods `get` and `set` of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _interchange, _layout, _memory_order, _transfers
from gpuarray._array import ArrayBase, HeldOnDevice
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.conversion import asarray, uploaded
from gpuarray._ops.pinned_arrays import empty_pinned
from gpuarray._runtime.current_stream import current, wait_for
from gpuarray._runtime.event import check_stream
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    import numpy.typing as npt

    from gpuarray._runtime.stream import Stream
    from gpuarray._types import ndarray

__all__ = ["asnumpy"]


def on_host(x: Any) -> Any:
    """An argument of which the host needs the value: an array of ours as NumPy's, else as it is."""
    return asnumpy(x)[()] if isinstance(x, ArrayBase) else x


def asnumpy(
    a: object,
    stream: Stream | None = None,
    order: str = "C",
    out: np.ndarray | None = None,
    *,
    blocking: bool = True,
) -> np.ndarray:
    """A NumPy array with the elements of a device array.

    Parameters
    ----------
    a : array_like
        A device array; anything else goes through ``numpy.asarray``.
    stream : Stream, optional
        Where the copy is queued; the current stream by default.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory order of the result.
    out : numpy.ndarray, optional
        Where elements are stored; of the same shape and dtype.
    blocking : bool, optional
        False returns before the copy is done: wait for the stream before reading the result. It is
        in page-locked memory then; an `out` that is not is waited for.

    Returns
    -------
    numpy.ndarray
        In host memory.

    Raises
    ------
    ValueError, TypeError
        If `out` has another shape or dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> type(cp.asnumpy(cp.arange(3))).__name__
    'ndarray'
    """
    if not isinstance(a, ArrayBase):
        if isinstance(a, HeldOnDevice):
            return a.get(stream)  # type: ignore[no-any-return]  # an object of another library
        if hasattr(a, "__cuda_array_interface__"):
            a = _interchange.from_interface(a)
        elif out is None:
            return np.asarray(a, order=order)  # type: ignore[call-overload]
        else:
            out[...] = a
            return out
    layout = a._layout
    if (
        layout.c_contiguous
        and order == "C"
        and stream is None
        and a._memory.stream is current.stream
    ):
        if out is None:
            if blocking:
                target = np.empty(layout.shape, layout.dtype)
                _transfers.download(a, target, None, True)
                return target
        elif type(out) is np.ndarray and out.shape == layout.shape and out.dtype == layout.dtype:
            flags = out.flags
            if flags.c_contiguous and flags.writeable:
                _transfers.download(a, out, None, blocking)
                return out
    device = a._memory.device
    if layout.nbytes and current.stream.device is not device:
        with device:
            return asnumpy(a, stream, order, out, blocking=blocking)
    if stream is not None and stream is not current.stream:
        check_stream(stream)
        if layout.nbytes and stream.device is not device:
            return _in_order_of(stream, lambda here: _fetch(a, here, order, out, blocking))
        with stream:
            return _fetch(a, stream, order, out, blocking)
    return _fetch(a, stream, order, out, blocking)


def _in_order_of(stream: Stream, copy: Callable[[Stream], Any]) -> Any:
    """Copy on the current stream, but in the order of a stream of another device."""
    here = current.stream
    wait_for(stream, [here])
    result = copy(here)
    wait_for(here, [stream])
    return result


def _fetch(a: Any, stream: Any, order: str, out: Any, blocking: bool) -> np.ndarray:
    layout = a._layout
    if out is not None:
        if not isinstance(out, np.ndarray):
            raise TypeError(
                f"{called_name('asnumpy')}: out must be a numpy.ndarray, got {type(out).__name__}"
            )
        if out.shape != layout.shape:
            raise ValueError(
                f"{called_name('asnumpy')}: "
                f"out has shape {out.shape}, but the array has shape {layout.shape}"
            )
        if out.dtype != layout.dtype:
            raise TypeError(
                f"{called_name('asnumpy')}: "
                f"out has dtype {out.dtype}, but the array has {layout.dtype}; "
                f"use astype({str(out.dtype)!r}) on the device first"
            )
        if not out.flags.writeable:
            raise ValueError(f"{called_name('asnumpy')}: out is read-only")
        if not out.flags.c_contiguous and not out.flags.f_contiguous:
            out[...] = _fetch(a, stream, "K", None, True)
            return out
        order = "C" if out.flags.c_contiguous else "F"
    target = _memory_order.like_prototype(layout.dtype, layout.shape, layout, order)
    same_order = (layout.c_contiguous and target.c_contiguous) or (
        layout.f_contiguous and target.f_contiguous
    )
    if not same_order:
        if target is not layout:
            a = copies.copy(a, order)
    if out is None:
        if not blocking:
            out = empty_pinned(target.shape, target.dtype, "C" if target.c_contiguous else "F")
        elif target.c_contiguous:
            out = np.empty(target.shape, target.dtype)
        else:
            memory = np.empty(target.nbytes, "u1")
            out = np.ndarray(target.shape, target.dtype, memory, 0, target.strides)
    _transfers.download(a, out, stream, blocking)
    return out


def set_from_host(array: ndarray, source: npt.ArrayLike, stream: Stream | None = None) -> None:
    """Overwrite an array with a host array of the same shape (``ndarray.set``).

    Where the stream is given, page-locked memory is read later, when its turn comes there, and must
    not be changed before.

    Parameters
    ----------
    source : array_like
        Of the host, of the array's shape and dtype.
    stream : Stream, optional
        Where the copy is queued; the current stream by default.

    Raises
    ------
    TypeError
        If the dtype is another, or the source is on the device.
    ValueError
        If the shape is another.
    """
    if stream is not None:
        check_stream(stream)
    if isinstance(source, ArrayBase):
        raise TypeError("set: the source is a device array; use x[...] = source")
    layout = array._layout
    if layout.access or not layout.c_contiguous:
        _layout.check_writable(layout, "set")
    host = np.asarray(source)
    if host.dtype != layout.dtype:
        raise TypeError(
            f"set: the source has dtype {host.dtype}, but the array has {layout.dtype}; convert "
            f"it with astype({layout.dtype.name!r})"
        )
    if host.shape != layout.shape:
        raise ValueError(
            f"set: the source has shape {host.shape}, but the array has shape {layout.shape}"
        )
    device = array._memory.device
    if layout.nbytes and device is not current.stream.device:
        with device:
            return set_from_host(array, host, stream)
    if stream is not None and layout.nbytes and stream.device is not device:
        return _in_order_of(stream, lambda here: set_from_host(array, host, here))
    if layout.contiguous:
        gapless = (
            np.asarray(host, order="C") if layout.c_contiguous else np.asarray(host, order="F")
        )
        _transfers.upload(array, gapless, stream, asynchronous=stream is not None)
    elif stream is None or stream is current.stream:
        copies.assign(array, uploaded(host) if stream is None else asarray(host))
    else:
        with stream:
            copies.assign(array, asarray(host))
