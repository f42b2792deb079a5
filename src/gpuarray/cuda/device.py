"""CuPy's names for devices."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from gpuarray._ffi import driver
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import check_device_memory

__all__ = [
    "Device", "Handle", "from_pointer", "get_compute_capability", "get_cublas_handle",
    "get_cusolver_handle", "get_cusolver_sp_handle", "get_cusparse_handle", "get_device_id",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


class Handle:
    """A handle that is destroyed with its object.

    Parameters
    ----------
    handle : int
        The handle.
    destroy_func : callable or None
        Called with the handle when the object dies.

    Attributes
    ----------
    handle : int
        The handle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> handle = cp.cuda.device.Handle(5, print)
    >>> del handle
    5
    """

    __slots__ = ("_destroy_func", "handle")

    def __init__(self, handle: int, destroy_func: Callable[[int], object] | None) -> None:
        self.handle = handle
        self._destroy_func = destroy_func

    def __repr__(self) -> str:
        return f"<Handle {self.handle:#x}>"

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        destroy = getattr(self, "_destroy_func", None)
        if destroy is not None and not ending() and not driver.forked():
            destroy(self.handle)


def get_device_id() -> int:
    """The number of the current device.

    Returns
    -------
    int
        Its number.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_device_id()
    0
    """
    return current.stream.device.id


def get_compute_capability() -> str:
    """The compute capability of the current device, ``'90'`` for 9.0.

    Returns
    -------
    str
        Its digits.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.device.get_compute_capability() == cp.cuda.Device().compute_capability
    True
    """
    return current.stream.device.compute_capability


def get_cublas_handle() -> int:
    """The calling thread's handle of cuBLAS on the current device (`Device.cublas_handle`).

    Returns
    -------
    int
        A ``cublasHandle_t``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> handle = cp.cuda.device.get_cublas_handle()
    """
    return current.stream.device.cublas_handle


def get_cusolver_handle() -> int:
    """The calling thread's handle of cuSOLVER on the current device (`Device.cusolver_handle`).

    Returns
    -------
    int
        A ``cusolverDnHandle_t``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> handle = cp.cuda.device.get_cusolver_handle()
    """
    return current.stream.device.cusolver_handle


def get_cusolver_sp_handle() -> int:
    """The calling thread's handle of cuSOLVER for sparse matrices (`Device.cusolver_sp_handle`).

    Returns
    -------
    int
        A ``cusolverSpHandle_t``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> handle = cp.cuda.device.get_cusolver_sp_handle()  # doctest: +SKIP
    """
    return current.stream.device.cusolver_sp_handle


def get_cusparse_handle() -> int:
    """The calling thread's handle of cuSPARSE on the current device (`Device.cusparse_handle`).

    Returns
    -------
    int
        A ``cusparseHandle_t``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> handle = cp.cuda.device.get_cusparse_handle()  # doctest: +SKIP
    """
    return current.stream.device.cusparse_handle


def from_pointer(ptr: int) -> Device:
    """The device whose memory an address is in.

    Parameters
    ----------
    ptr : int
        The address.

    Returns
    -------
    Device
        The device.

    Raises
    ------
    ValueError
        If the address is not in memory of a device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.device.from_pointer(cp.zeros(3).data.ptr)
    <CUDA Device 0>
    """
    address = operator.index(ptr)
    _ = current.stream  # the driver answers inside of a context only
    return Device(check_device_memory("from_pointer", address, 1))


def _library_handle(device: Device, name: str) -> int:
    # Imported here: importing the package opens no library's table.
    from gpuarray._libraries import handles

    return handles.user_handle(device, name)


def _attribute_numbers() -> dict[str, int]:
    from gpuarray.cuda import _runtime_constants

    prefix = "cudaDevAttr"
    return {
        name.removeprefix(prefix): number
        for name, number in vars(_runtime_constants).items()
        if name.startswith(prefix)
    }


Device._library_handle = _library_handle
Device.attribute_numbers = _attribute_numbers

without_annotations(globals())
