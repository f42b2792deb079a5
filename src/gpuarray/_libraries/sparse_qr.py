"""QR factors of sparse matrices by cuSOLVER: what is there without cuDSS.

Q is not kept as a matrix: a solution applies its reflections again. The library does not order
columns by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ffi import cusolver, cusolver_sparse, cusparse
from gpuarray._libraries.checks import refuse_capture
from gpuarray._libraries.handles import SPARSE_SOLVER
from gpuarray._runtime import allocator
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.release import give_back
from gpuarray.errors import CUSOLVERError, OutOfMemoryError

__all__ = ["SparseQR", "nested_dissection"]


class _Description:
    """A description of general matrices that are counted from 0, while it is needed."""

    def __enter__(self) -> int:
        self._handle: int = cusparse.library.cusparseCreateMatDescr()
        return self._handle

    def __exit__(self, *error: object) -> None:
        cusparse.library.raw("cusparseDestroyMatDescr")(self._handle)


def nested_dissection(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """An order of rows and columns in which factors have few elements, found by the host.

    Parameters
    ----------
    indptr, indices : ndarray of int32
        The places of a square matrix in csr, in the host's memory.

    Returns
    -------
    ndarray of int32
        The row that comes first, and so on.
    """
    rows = len(indptr) - 1
    order = np.empty(rows, np.int32)
    handle = SPARSE_SOLVER.on(current.stream).handle
    with _Description() as description:
        cusolver.library.cusolverSpXcsrmetisndHost(
            handle, rows, len(indices), description,
            indptr.ctypes.data, indices.ctypes.data, 0, order.ctypes.data,
        )  # fmt: skip
    return order


class SparseQR:
    """The QR factors of a square sparse matrix, on the current device.

    Parameters
    ----------
    indptr, indices : ndarray of int32
        Of the matrix in csr, contiguous.
    data : ndarray
        Contiguous floats. The arrays are not kept.

    Attributes
    ----------
    failed : bool
        Whether R has a zero on its diagonal.
    nnz : int
        The elements that the library's memory for the factors has room for.

    Raises
    ------
    CaptureError
        In a capture: the library waits for the device.
    OutOfMemoryError
        If the factors have no room.
    """

    def __init__(self, indptr: Any, indices: Any, data: Any) -> None:
        stream = current.stream
        refuse_capture(stream, "sparse QR factors")
        self.rows = rows = indptr._layout.size - 1
        self.dtype: np.dtype = data._layout.dtype
        self._letter = cusolver_sparse.letter(self.dtype)
        self._device, self._generation = stream.device, stream.device.generation
        handle = SPARSE_SOLVER.on(stream).handle
        places = [_array.address_of(x, stream) for x in (indptr, indices)]
        value = _array.address_of(data, stream)
        self._info: int = cusolver.library.cusolverSpCreateCsrqrInfo()
        internal = 0
        try:
            with _Description() as description:
                shape = (handle, rows, rows, indices._layout.size, description)
                cusolver.library.cusolverSpXcsrqrAnalysis(*shape, *places, self._info)
                internal, workspace = self._call("BufferInfo", *shape, value, *places, self._info)
                self._make_room(internal)
                zero = cusolver_sparse.number(0, self._letter)
                self._call("Setup", *shape, value, *places, zero, self._info)
        except CUSOLVERError as error:
            if error.status != cusolver.library.refusals["memory"]:
                raise
            raise OutOfMemoryError(internal, free=self._device.mem_info[0]) from error
        self.nnz = internal // self.dtype.itemsize
        self._workspace = _array.empty(_layout.contiguous(np.dtype("u1"), (max(workspace, 1),)))
        area = _array.address_of(self._workspace, stream)
        self._call("Factor", *shape[:4], 0, 0, self._info, area)
        least = float(np.finfo(self.dtype).tiny)
        self.failed = self._call("ZeroPivot", handle, self._info, least) >= 0

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(cusolver.library, f"cusolverSp{self._letter}csrqr{name}")(*arguments)

    def _make_room(self, nbytes: int) -> None:
        """Give the driver memory back that the pool only keeps: the library has its own."""
        if nbytes > self._device.mem_info[0]:
            allocator.free_idle_memory()
            free = self._device.mem_info[0]
            if nbytes > free:
                raise OutOfMemoryError(nbytes, free=free)

    def solve(self, right: Any) -> Any:
        """Solve equations with the matrix.

        Parameters
        ----------
        right : ndarray, shape (columns, rows)
            Contiguous: each row is a right-hand side. It is overwritten.

        Returns
        -------
        ndarray
            A new array of that shape: the solutions.
        """
        stream = current.stream
        refuse_capture(stream, "sparse QR factors")
        found = _array.empty(right._layout)
        handle = SPARSE_SOLVER.on(stream).handle
        area = _array.address_of(self._workspace, stream)
        b, x = (_array.address_of(array, stream) for array in (right, found))
        step = self.rows * self.dtype.itemsize
        for column in range(right._layout.shape[0]):
            places = (b + column * step, x + column * step)
            self._call("Solve", handle, self.rows, self.rows, *places, self._info, area)
        return found

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        info = getattr(self, "_info", None)
        if info is not None and not ending() and self._generation == self._device.generation:
            give_back(partial(_destroy, self._device, self._generation), info)


def _destroy(device: Device, generation: int, info: int) -> None:
    """Destroy factors, unless a reset has done it."""
    if generation == device.generation:
        with device:
            cusolver.library.raw("cusolverSpDestroyCsrqrInfo")(info)
