"""LU factors of sparse matrices by cuDSS.

The library exchanges rows within blocks only, and replaces pivots that are too small: whoever has
the factors looks at how many, and at what is left of a solution's equations. Its results repeat bit
by bit only without its own refinement, and for one right-hand side at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gpuarray import _array, _fork, _layout
from gpuarray._ffi import cudss, cudss_kinds
from gpuarray._ffi.library_kinds import DataType, Enumeration
from gpuarray._libraries.checks import refuse_capture
from gpuarray._runtime import allocator
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CuDSSError, OutOfMemoryError

__all__ = ["SparseFactors"]

#: By the letter of `SparseFactors.solve`.
_MODES = {
    "N": "CUDSS_SOLVE_MODE_NORMAL",
    "T": "CUDSS_SOLVE_MODE_TRANSPOSE",
    "H": "CUDSS_SOLVE_MODE_CONJUGATE_TRANSPOSE",
}


class _Handle:
    """A handle of the library on the current device, whose memory is from the pool."""

    def __init__(self, device: Device) -> None:
        self.device, self.generation = device, device.generation
        self.stream: Stream | None = None
        self.blocks: dict[int, BaseMemory] = {}
        self.memory = cudss.DeviceMemory(self._allocate, self._free)
        self.number: int = cudss.library.cudssCreate()
        cudss.library.cudssSetDeviceMemHandler(self.number, self.memory.address)

    def _allocate(self, nbytes: int) -> int:
        memory, address = allocator.allocate(nbytes, self.stream)
        self.blocks[address] = memory
        return address

    def _free(self, address: int) -> None:
        self.blocks.pop(address, None)

    def use(self, stream: Stream) -> None:
        """Work on a stream from now on, after what was queued before."""
        before = self.stream
        if before is not stream:
            if before is not None:
                stream.wait_event(before.record())
                for memory in list(self.blocks.values()):
                    memory.used_by(stream)
            self.stream = stream
            cudss.library.cudssSetStream(self.number, stream.handle)


#: Handles that nobody uses, by device number and dtype: what a handle was used for with one dtype
#: is not to be used with another.
_spare: dict[tuple[int, str], list[_Handle]] = {}


def _forget(device: Device) -> None:
    for key in list(_spare):
        if key[0] == device.id:
            del _spare[key]


Device.when_reset(_forget)


def _taken(device: Device, dtype: np.dtype) -> _Handle:
    try:
        return _spare.get((device.id, dtype.str), []).pop()
    except IndexError:
        return _Handle(device)


class SparseFactors:
    """The LU factors of a square sparse matrix, on the current device.

    Parameters
    ----------
    indptr, indices : ndarray
        Of the matrix in csr: contiguous, of one dtype, int32 or int64, without a place twice.
    data : ndarray
        Contiguous floats. The arrays are kept, and must not change.

    Raises
    ------
    CaptureError
        In a capture: the library waits for the device.
    CuDSSError
        If the library fails.
    OutOfMemoryError
        If there is no room for the factors.
    """

    def __init__(self, indptr: Any, indices: Any, data: Any) -> None:
        stream = current.stream
        refuse_capture(stream, "sparse LU factors")
        self.rows = indptr._layout.size - 1
        self.dtype: np.dtype = data._layout.dtype
        self._matrix = (indptr, indices, data)
        self._lock = _fork.new_lock()
        self._objects: list[tuple[str, int]] = []
        self._device, self._generation = stream.device, stream.device.generation
        self._handle = _taken(self._device, self.dtype)
        call = cudss.library
        self._config = self._made("cudssConfigDestroy", call.cudssConfigCreate())
        self._data: int = call.cudssDataCreate(self._handle.number)
        self._objects.insert(0, ("cudssDataDestroy", self._data))
        self._set("CUDSS_CONFIG_DETERMINISTIC_MODE", 1)
        index = _number(indptr._layout.dtype)
        begins = _array.address_of(indptr, stream)
        self._csr = self._made(
            "cudssMatrixDestroy",
            call.cudssMatrixCreateCsr(
                self.rows, self.rows, indices._layout.size, begins, 0,
                _array.address_of(indices, stream), _array.address_of(data, stream),
                index, index, _number(self.dtype), 0, 0, 0,
            ),
        )  # fmt: skip
        # For the first two phases they are only shapes.
        sides = _array.empty(_layout.contiguous(self.dtype, (1, self.rows)))
        self._execute("analysis", sides, sides)
        self._execute("factorization", sides, sides)

    def _made(self, destroy: str, handle: int) -> int:
        self._objects.append((destroy, handle))
        return handle

    def _set(self, parameter: str, value: int) -> None:
        number = np.array(value, np.int32)
        cudss.library.cudssConfigSet(
            self._config, _member(cudss_kinds.CONFIG, parameter), number.ctypes.data, number.nbytes
        )

    def _get(self, parameter: str, dtype: str) -> int:
        number = np.zeros((), dtype)
        cudss.library.cudssDataGet(
            self._handle.number,
            self._data,
            _member(cudss_kinds.DATA, parameter),
            number.ctypes.data,
            number.nbytes,
        )
        return int(number)

    @property
    def nnz(self) -> int:
        """The elements of the factors."""
        return self._get("CUDSS_DATA_LU_NNZ", "i8")

    @property
    def replaced(self) -> int:
        """How many pivots were replaced, since they were too small; waits for the device."""
        # Their number has the dtype of the indices.
        pivots = self._get("CUDSS_DATA_NPIVOTS", self._matrix[1]._layout.dtype.str)
        return pivots + abs(self._get("CUDSS_DATA_INFO", "i4"))

    def solve(self, right: Any, trans: str = "N") -> Any:
        """Solve equations with the matrix.

        Parameters
        ----------
        right : ndarray, shape (columns, rows)
            Contiguous: each row is a right-hand side.
        trans : {'N', 'T', 'H'}
            Whether the matrix is taken as it is, transposed, or also conjugated.

        Returns
        -------
        ndarray
            A new array of that shape: the solutions.
        """
        found = _array.empty(right._layout)
        if trans == "H" and self.dtype.kind != "c":
            trans = "T"
        with self._lock:
            self._set("CUDSS_CONFIG_SOLVE_MODE", cudss_kinds.SOLVE_MODE.members[_MODES[trans]])
            for i in range(right._layout.shape[0]):
                self._execute("solve", found[i : i + 1], right[i : i + 1])
        return found

    def _execute(self, phase: str, found: Any, right: Any) -> None:
        """Run a phase, with matrices whose rows are columns of the library's."""
        stream = current.stream
        refuse_capture(stream, "sparse LU factors")
        call, handle = cudss.library, self._handle
        handle.use(stream)
        for array in self._matrix:
            _array.address_of(array, stream)
        made: list[int] = []
        try:
            for array in (found, right):
                columns, rows = array._layout.shape
                address = _array.address_of(array, stream)
                made.append(
                    call.cudssMatrixCreateDn(
                        rows, columns, max(rows, 1), address, _number(self.dtype), 0
                    )
                )
            handle.memory.error = None
            call.cudssExecute(
                handle.number, cudss_kinds.PHASE[phase], self._config, self._data, self._csr, *made
            )
        except CuDSSError as error:
            if handle.memory.error is not None:
                raise handle.memory.error from None
            if error.status == call.refusals["memory"]:
                raise OutOfMemoryError(0, free=self._device.mem_info[0]) from error
            raise
        finally:
            for matrix in made:
                call.raw("cudssMatrixDestroy")(matrix)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        objects = getattr(self, "_objects", None)
        if objects and not ending() and self._generation == self._device.generation:
            give_back(partial(_destroy, self._handle, self.dtype), objects)


def _destroy(handle: _Handle, dtype: np.dtype, objects: list[tuple[str, int]]) -> None:
    """Destroy what belongs to factors, unless a reset has done it; the handle is kept."""
    if handle.generation != handle.device.generation:
        return
    with handle.device:
        for name, number in objects:
            destroy = cudss.library.raw(name)
            if name == "cudssDataDestroy":
                destroy(handle.number, number)
            else:
                destroy(number)
        _spare.setdefault((handle.device.id, dtype.str), []).append(handle)


def _member(enumeration: Enumeration, name: str) -> int:
    return enumeration.members[name]


def _number(dtype: np.dtype) -> int:
    """The cudaDataType of a dtype."""
    return int(DataType("").prebuilt(dtype).value)
