"""CUDA arrays: memory that only textures and surfaces read."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _interchange, _layout, _transfers, errors
from gpuarray._ffi import driver, driver_textures
from gpuarray._layout import Layout
from gpuarray._runtime import allocator, captured_copies, pinned_ranges
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.stream import Stream
from gpuarray._texture.formats import ChannelFormatDescriptor
from gpuarray._texture.handles import Handle

if TYPE_CHECKING:
    from gpuarray._ndarray import ndarray

_LAYERED = 1  # cudaArrayLayered


class CUDAarray:
    """Memory of one, two or three dimensions that only textures and surfaces read.

    Its elements lie so that neighbours in all directions are near. No pool keeps its memory.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        What its elements are.
    width, height, depth : int
        Elements in each direction; a height or depth of 0 means that there is no such dimension.
    flags : int, optional
        The sum of ``cuda.runtime``'s constants ``cudaArray...``. With ``cudaArraySurfaceLoadStore``
        surface objects can be made of it; with ``cudaArrayLayered`` the depth counts layers.

    Attributes
    ----------
    ptr : int
        Its handle.
    desc, width, height, depth, flags
        The arguments.
    ndim : int
        How many dimensions.

    Raises
    ------
    ValueError
        The width is 0, or there is a depth and no height.
    CUDARuntimeError
        There are no such arrays.
    OutOfMemoryError
        There is no memory left.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.cuda import texture
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
    >>> a = texture.CUDAarray(floats, 4, 2)
    >>> a.copy_from(cp.arange(8, dtype="f").reshape(2, 4))
    >>> out = cp.empty((2, 4), "f")
    >>> a.copy_to(out)
    >>> out
    array([[0., 1., 2., 3.],
           [4., 5., 6., 7.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "_handle", "depth", "desc", "flags", "height", "ndim", "width")

    def __init__(
        self,
        desc: ChannelFormatDescriptor,
        width: int,
        height: int = 0,
        depth: int = 0,
        flags: int = 0,
    ):
        if not isinstance(desc, ChannelFormatDescriptor):
            raise TypeError(
                f"CUDAarray: desc is a ChannelFormatDescriptor, not {type(desc).__name__}"
            )
        sizes = width, height, depth = tuple(map(operator.index, (width, height, depth)))
        flags = operator.index(flags)
        if min(sizes) < 0:
            raise ValueError(f"CUDAarray: the sizes {sizes} must not be negative")
        if not width:
            raise ValueError("CUDAarray: the width must not be 0")
        if depth and not height and not flags & _LAYERED:
            raise ValueError(
                f"CUDAarray: with a depth of {depth} the height must not be 0, but for layers "
                "(cudaArrayLayered)"
            )
        self.desc, self.width, self.height, self.depth = desc, width, height, depth
        self.flags = flags
        self.ndim = 3 if depth else 2 if height else 1
        self._handle = Handle(_allocated, "array_destroy", desc, width, height, depth, flags)

    def __repr__(self) -> str:
        sizes = " x ".join([str(x) for x in (self.width, self.height, self.depth) if x])
        return (
            f"<CUDAarray of {sizes} elements of {self.desc!r} on device {self._handle.device.id}>"
        )

    @property
    def ptr(self) -> int:
        """Its handle."""
        return self._handle.number

    def copy_from(self, in_arr: ndarray | np.ndarray, stream: Stream | None = None) -> None:
        """Copy an array of the device or the host into this one.

        Parameters
        ----------
        in_arr : ndarray or numpy.ndarray, shape ([depth, [height,]] width * channels)
            Of the channels' dtype.
        stream : Stream, optional
            Where to queue the copy; the current stream by default. A copy from page-locked memory
            of the host is waited for only without it, one from other memory always.

        Raises
        ------
        ValueError
            The shape or the dtype differs.
        """
        elements = _given(in_arr, "copy_from")
        queue = self._stream(stream)
        self._check("copy_from", elements)
        if isinstance(elements, np.ndarray):
            host = np.ascontiguousarray(elements)
            if queue.ongoing_capture is None:
                self._copy(host, queue, into=True)
                self._wait_for(host, queue, stream is not None)
                return
            with queue:
                elements = _transfers.from_host(host, self._layout(), queue)
        elif not elements.flags.c_contiguous:
            with queue:
                elements = elements.copy()
        self._copy(elements, queue, into=True)

    def copy_to(self, out_arr: ndarray | np.ndarray, stream: Stream | None = None) -> None:
        """Copy this array into one of the device or the host.

        Parameters
        ----------
        out_arr : ndarray or numpy.ndarray, shape ([depth, [height,]] width * channels)
            C-contiguous, of the channels' dtype.
        stream : Stream, optional
            Where to queue the copy; the current stream by default. A copy to page-locked memory
            of the host is waited for only without it, one to other memory always.

        Raises
        ------
        ValueError
            The shape or the dtype differs, or the array is not contiguous or read-only.
        """
        out = _given(out_arr, "copy_to")
        queue = self._stream(stream)
        if not out.flags.c_contiguous:
            raise ValueError("CUDAarray.copy_to: the output array must be C-contiguous")
        if not out.flags.writeable:
            raise ValueError("CUDAarray.copy_to: output array is read-only")
        self._check("copy_to", out)
        if isinstance(out, np.ndarray) and queue.ongoing_capture is not None:
            with queue:
                elements = _array.empty(self._layout())
            self._copy(elements, queue, into=False)
            _transfers.download(elements, out, queue, stream is None)
            return
        self._copy(out, queue, into=False)
        if isinstance(out, np.ndarray):
            self._wait_for(out, queue, stream is not None)

    def _stream(self, stream: Stream | None) -> Stream:
        if stream is None:
            return current.stream
        check_stream(stream)
        return stream.captured_as or stream

    def _layout(self) -> Layout:
        """The layout of arrays that are copied from and to."""
        sizes = (self.depth, self.height, self.width * self.desc._channels)
        return _layout.contiguous(self.desc._dtype, tuple([size for size in sizes if size]))

    @staticmethod
    def _wait_for(host: np.ndarray, stream: Stream, asynchronous: bool) -> None:
        """Wait for a copy of a host array, unless it is pinned and need not be waited for."""
        if asynchronous and captured_copies.is_pinned(host):
            pinned_ranges.used_by(driver.array_address(host), stream)
        else:
            stream.synchronize()

    def _check(self, method: str, arr: Any) -> None:
        """Refuse an array of another shape or dtype."""
        layout = self._layout()
        if arr.shape != layout.shape:
            raise ValueError(
                f"CUDAarray.{method}: shape mismatch: the array has shape {arr.shape}, not "
                f"{layout.shape} ({self.desc._channels} channels an element)"
            )
        if arr.dtype != layout.dtype:
            raise ValueError(
                f"CUDAarray.{method}: dtype mismatch: the array is {arr.dtype}, the channels are "
                f"{layout.dtype}; convert it with astype({layout.dtype.name!r})"
            )

    def _copy(self, arr: Any, stream: Stream, *, into: bool) -> None:
        """Queue a copy of a contiguous array, into this one or out of it."""
        on_host = isinstance(arr, np.ndarray)
        address = driver.array_address(arr) if on_host else _array.address_of(arr, stream)
        self._handle.used_by(stream, "a CUDAarray")
        row, rows = self.width * self.desc._element, self.height or 1
        sides = [
            (self.ptr, (0, 0), "array"),
            (address, (row, rows), "host" if on_host else "device"),
        ]
        (target, to_shape, to), (source, from_shape, origin) = sides if into else sides[::-1]
        driver.memcpy_3d(
            target,
            to_shape,
            source,
            from_shape,
            (row, rows, self.depth or 1),
            kinds=(to, origin),
            stream=stream.handle,
        )


def _given(arr: Any, method: str) -> Any:
    """An array of the device or the host, another library's as one of ours."""
    if isinstance(arr, np.ndarray | _array.ArrayBase):
        return arr
    if not hasattr(arr, "__cuda_array_interface__"):
        raise TypeError(
            f"CUDAarray.{method}: an array of the device or the host is needed, not "
            f"{type(arr).__name__}"
        )
    return _interchange.from_interface(arr, f"CUDAarray.{method}")


def _allocated(
    desc: ChannelFormatDescriptor, width: int, height: int, depth: int, flags: int
) -> int:
    """The handle of a new CUDA array; if there is no memory, the pool gives back what is idle."""
    for attempt in range(2):
        try:
            return driver_textures.array_create("CUDAarray", desc.ptr, width, height, depth, flags)
        except errors.DriverError as error:
            if error.status_name != "CUDA_ERROR_OUT_OF_MEMORY":
                raise
            if attempt:
                break
            allocator.free_idle_memory()
    nbytes = width * (height or 1) * (depth or 1) * desc._element
    raise errors.OutOfMemoryError(nbytes, 0, 0, current.stream.device.mem_info[0])
