"""From the arguments of a C call to NumPy arrays: what every emulated library stands on.

An emulated function has the name of the C function and takes a `LibraryCall`, whose attributes are
the arguments as their kinds read them. One that is work for a stream is queued there as a kernel
is, so that captures record it; its views of device memory are made and checked when it is done.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...library_kinds import New, Refusal, Result, StreamHandle
from ...sticky_errors import KERNEL_FAULTS
from ..binding import callback, foreign_function, last_error
from ..capture import submit
from ..faults import ILLEGAL_ADDRESS, MISALIGNED_ADDRESS, DeviceFault
from ..graph import KERNEL, StreamOperation
from ..machine import DEVICE_BYTES, ContextObject, EmulatedContext, Machine
from ..statuses import CAPTURE_UNSUPPORTED, Failure
from ..stream import any_stream

__all__ = ["EmulatedLibrary", "LibraryCall", "LibraryObject"]


class LibraryObject(ContextObject):
    """What a handle of a library stands for. It goes with its context.

    Parameters
    ----------
    context : EmulatedContext
        Where it was made.
    type : str
        The handle's type in the header.
    nbytes : int, optional
        Device memory that the library keeps for it.
    **state
        Attributes of the library's own; ``stream`` and ``pointer_mode`` are known to the machinery.
    """

    noun = "library"

    def __init__(self, context: EmulatedContext, type: str, nbytes: int = 0, **state: Any) -> None:
        super().__init__(context)
        self.type = type
        self.nbytes = nbytes
        free = DEVICE_BYTES - self.device.used_bytes
        if nbytes > free:
            raise Refusal("memory", f"a {type} needs {nbytes} bytes, and {free} are free")
        self.device.used_bytes += nbytes
        #: The handle, once it was given out.
        self.number = 0
        self.__dict__.update(state)

    def close(self) -> None:
        self.device.used_bytes -= self.nbytes


class LibraryCall(StreamOperation):
    """A call of an emulated function; its arguments are attributes."""

    kind = KERNEL

    def __init__(self, library: EmulatedLibrary, row: Any, raw: tuple) -> None:
        self.library = library
        self.machine = library.machine
        self.row = row
        if row.needs_context:
            self.context = self.machine.current()
        #: For the checkers.
        self.written: list[np.ndarray] = []
        arguments = vars(self)
        for kind, value in zip(row.inputs, raw, strict=True):
            arguments[kind.name] = kind.read(value, self)
        for kind in row.inputs:
            arguments[kind.name] = kind.settle(arguments[kind.name], self)

    # --- what kinds ask for

    def number(self, size: Any) -> Any:
        """A size: a number, the argument of a name, or what a function makes of the call."""
        if isinstance(size, str):
            return getattr(self, size)
        return size(self) if callable(size) else size

    def dtype(self, what: Any) -> np.dtype:
        """A dtype, the argument of a name, or what a function makes of the call."""
        return what if isinstance(what, np.dtype) else self.number(what)

    def object(self, handle: int, type_: str, anywhere: bool = False) -> LibraryObject:
        """What a handle of a type stands for, made in the current context or anywhere."""
        try:
            found = self.machine.get(handle, LibraryObject)
        except Failure as failure:
            if self.context.fault is not None:
                raise
            raise Refusal("handle", failure.detail) from None
        if found.type != type_:
            raise Refusal("handle", f"0x{handle:x} is a {found.type}, not a {type_}")
        if found.context is not self.context and not anywhere:
            raise Refusal(
                "handle",
                f"the {type_} was made on device {found.device.ordinal}, in another context than "
                "the current one",
            )
        return found

    def host(self, address: int, dtype: np.dtype, count: int) -> np.ndarray:
        """A copy of elements in the host's memory."""
        return np.frombuffer(ctypes.string_at(address, count * dtype.itemsize), dtype)

    def workspace_bytes(self, space: Any) -> int:
        """What the function's query says for one of its workspaces."""
        query = self.row.query
        if query is None:
            return 0
        sizes = self.library.function(query.name)(self)
        if not isinstance(sizes, tuple):
            sizes = (sizes,)
        return sizes[self.row.workspaces.index(space)]

    @property
    def scalars_on_device(self) -> bool:
        """Whether the pointers to scalars are device addresses."""
        return any(getattr(getattr(self, name), "pointer_mode", 0) for name in self.row.handles)

    def view(
        self,
        name: str,
        address: int,
        dtype: np.dtype,
        shape: tuple[int, ...],
        steps: tuple[int, ...],
        access: str,
    ) -> np.ndarray:
        """Device memory as an array; `steps` are in elements, `access` is of 'r' and 'w'."""
        strides = tuple([step * dtype.itemsize for step in steps])
        if 0 in shape:
            return np.empty(shape, dtype)
        ends = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
        first = address + sum([end for end in ends if end < 0])
        last = address + sum([end for end in ends if end > 0]) + dtype.itemsize
        window = self.machine.space.window(self.context)
        if address % dtype.itemsize:
            raise DeviceFault(
                MISALIGNED_ADDRESS,
                f"{self.row.name}: {name} at 0x{address:x}, elements of {dtype.itemsize} bytes",
            )
        if not window.holds(first, last):
            raise DeviceFault(
                ILLEGAL_ADDRESS,
                f"{self.row.name}: {name}, {dtype} {shape}, needs {last - first} bytes at "
                f"0x{first:x} ({window.describe(max(first, address))})",
            )
        memory = (ctypes.c_uint8 * (last - first)).from_address(first)
        array = np.ndarray(shape, dtype, memory, address - first, strides)
        checker = self.machine.arena.checker
        if checker is not None:
            if "r" in access:
                for run in _runs(array):
                    checker.library_reads(self.row.name, name, *run)
            if "w" in access:
                self.written.append(array)
        return array

    # --- as an operation of a stream

    @property
    def stream_handle(self) -> int:
        """The stream that it is work for: an argument, or what the library's handle was told."""
        for kind in self.row.inputs:
            if isinstance(kind, StreamHandle):
                return getattr(self, kind.name)
        streams = [getattr(getattr(self, name), "stream", None) for name in self.row.handles]
        return next((stream for stream in streams if stream is not None), 0)

    @property
    def noun(self) -> str:
        return str(self.row.name)

    def run(self, machine: Machine) -> None:
        """Do the work; a fault is like that of a kernel."""
        if self.context.fault is not None:
            raise self.context.fault.with_traceback(None)
        work = copy.copy(self)  # a graph runs it again
        work.written = []
        try:
            for kind in self.row.inputs:
                setattr(work, kind.name, kind.view(getattr(self, kind.name), work))
            with np.errstate(all="ignore"):
                self.library.function(self.row.name)(work)
            for array in work.written:
                for address, nbytes in _runs(array):
                    machine.arena.wrote(address, nbytes)
        except DeviceFault as fault:
            machine.note_fault(self.context.device, fault)
            raise

    def can_be_updated_to(self, other: StreamOperation) -> bool:
        return isinstance(other, LibraryCall) and self.row is other.row


def _runs(array: np.ndarray) -> Iterator[tuple[int, int]]:
    """Address and size of each run of bytes that an array covers."""
    axes = sorted(range(array.ndim), key=lambda axis: abs(array.strides[axis]))
    nbytes = array.itemsize
    while axes and array.strides[axes[0]] == nbytes:
        nbytes *= array.shape[axes.pop(0)]
    start = array.ctypes.data
    if array.size:
        for index in np.ndindex(*[array.shape[axis] for axis in axes]):
            offset = sum([i * array.strides[axis] for i, axis in zip(index, axes, strict=True)])
            yield start + offset, nbytes


class EmulatedLibrary:
    """What a ``ctypes.CDLL`` of a library is where there is a GPU.

    Parameters
    ----------
    machine : Machine
        The emulated computer.
    table : TableLibrary
        Its rows, and the statuses of refusals.
    functions : module
        The emulated functions by their C names.
    """

    def __init__(self, machine: Machine, table: Any, functions: Any) -> None:
        self.machine = machine
        self._table = table
        self._functions = functions
        #: ctypes frees a callback that nobody holds, and C would call into nothing.
        self._callbacks: dict[str, Any] = {}

    def __getitem__(self, c_name: str) -> Any:
        held = self._callbacks.get(c_name)
        if held is None:
            row = self._table.rows.get(c_name)
            if row is None:
                raise AttributeError(f"the emulated {self._table.name} has no function {c_name}")
            self.function(c_name)  # it is there
            types = tuple([kind.c_type for kind in row.kinds])
            held = callback(
                lambda *raw: self._call(row, raw), types, self.machine.lock, self._status_of
            )
            held = self._callbacks.setdefault(c_name, held)
        return foreign_function(held)

    def function(self, c_name: str) -> Any:
        """The emulated function of a C name."""
        try:
            return getattr(self._functions, c_name)
        except AttributeError:
            raise AttributeError(
                f"the emulated {self._table.name} has no function {c_name}"
            ) from None

    def take_interruption(self) -> BaseException | None:
        """What interrupted this thread's last call, once: the caller raises it."""
        return last_error.take_interruption()

    def detail_of(self, status: int) -> str:
        """What is known of this thread's last failure, if it had this status."""
        if status != last_error.status:
            return ""
        return last_error.detail.decode(errors="replace")

    def fault_status(self) -> int:
        """The driver's status of the fault that this thread's last failure was, or 0."""
        return last_error.status if last_error.status in KERNEL_FAULTS else 0

    def _call(self, row: Any, raw: tuple) -> Any:
        call = LibraryCall(self, row, raw)
        if row.queued:
            stream = any_stream(self.machine, call.stream_handle)
            if stream.capture is not None and not self._table.capturable:
                raise stream.capture.invalidate(
                    CAPTURE_UNSUPPORTED, f"{self._table.name} cannot be captured"
                )
            return submit(self.machine, stream, call)
        results = self.function(row.name)(call)
        outputs = [kind for kind in row.kinds if isinstance(kind, New | Result)]
        if not outputs:
            return None
        if len(outputs) == 1:
            return self._number(outputs[0], results)
        return tuple([self._number(*pair) for pair in zip(outputs, results, strict=True)])

    def _number(self, kind: Any, result: Any) -> int:
        """What C gets of a result: of an object that was made its handle."""
        if isinstance(kind, New):
            result.number = self.machine.add(result)
            return result.number
        return result

    def _status_of(self, error: BaseException) -> int:
        """The status that stands for an exception."""
        refusals = self._table.refusals
        if isinstance(error, Refusal):
            return last_error.fail(refusals[error.reason], error.detail)
        if isinstance(error, Failure):
            return last_error.fail(refusals["failed"], error.detail)
        if isinstance(error, DeviceFault):
            last_error.of(error)
            return refusals["failed"]
        if isinstance(error, MemoryError):
            return last_error.fail(refusals["memory"], str(error) or "out of host memory")
        last_error.of(error)
        last_error.status = refusals["internal"]
        return last_error.status
