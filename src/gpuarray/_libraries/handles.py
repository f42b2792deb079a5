"""The handles of libraries: one for each device, stream and thread.

A handle has a stream and a workspace of its own, so that calls need not set either, and so that a
result is the same each time: a library that shares its workspace between streams may split sums
differently from call to call. Work on one stream follows other work there, so the workspace comes
from the stream's pool and needs no more care than any temporary memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from gpuarray._ffi import cublas, cublaslt, cusolver, driver
from gpuarray._ffi.library_table import TableLibrary
from gpuarray._runtime import allocator
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CaptureError, LibraryError

__all__ = [
    "BLAS",
    "BLAS_LT",
    "SOLVER",
    "SPARSE_SOLVER",
    "LibraryHandles",
    "StreamHandles",
    "solver_params",
    "user_handle",
]


class LibraryHandles:
    """The handles of one library.

    Those that a thread or a stream leaves behind are kept for the next one: to destroy a handle
    waits for the device.

    Parameters
    ----------
    library : TableLibrary
        The library.
    create : callable
        Makes a handle on the current device.
    set_stream : callable
        Takes a handle and a stream's handle.
    set_workspace : callable, optional
        Takes a handle, an address and a number of bytes.
    workspace_bytes : callable, optional
        The workspace's size for a compute capability, 10 * major + minor.
    """

    def __init__(
        self,
        library: TableLibrary,
        create: Callable[[], int],
        set_stream: Callable[[int, int], None],
        set_workspace: Callable[[int, int, int], None] | None = None,
        workspace_bytes: Callable[[int], int] | None = None,
    ):
        self.library = library
        self.create = create
        self.set_stream = set_stream
        self.set_workspace = set_workspace
        self.workspace_bytes = workspace_bytes
        #: Handles that nobody uses, by device number.
        self.spare: dict[int, list[int]] = {}
        Device.when_reset(self._forget)

    def on(self, stream: Stream) -> StreamHandles:
        """The handles of a stream; the stream's device is current when one is asked for."""
        found = stream.library_handles.get(self)
        if found is None:
            found = stream.library_handles.setdefault(self, StreamHandles(self, stream))
        return found

    def take(self, stream: Stream) -> int:
        """A handle for a stream of the current device: a spare one, or a new one.

        Raises
        ------
        CaptureError
            While another library captures the stream: a handle, and the workspace that comes with
            it, are not the graph's then.
        """
        ours = stream.ongoing_capture is not None
        if not ours and driver.stream_is_capturing(stream.handle):
            raise CaptureError(
                f"{self.library.name} has no handle yet for this stream and thread, and cannot "
                "make one during a capture; call the operation once before the capture, on the "
                "same stream and in the same thread"
            )
        try:
            return self.spare.get(stream.device.id, []).pop()
        except IndexError:
            pass
        try:
            return self._create()
        except LibraryError as error:
            # A library that gets no memory while it is initialised may say just "not initialised".
            statuses = [self.library.refusals[reason] for reason in ("memory", "handle")]
            if error.status not in statuses:
                raise
        allocator.free_idle_memory()
        return self._create()

    def _create(self) -> int:
        # The library allocates memory, which a capture would not survive.
        with driver.relaxed_capture():
            return self.create()

    def _forget(self, device: Device) -> None:
        self.spare.pop(device.id, None)


class StreamHandles(threading.local):
    """A library's handles for one stream; each thread that reads ``handle`` has its own."""

    def __init__(self, handles: LibraryHandles, stream: Stream):
        # Called in each thread, at its first use of the object.
        self._held = _HeldHandle(handles, stream)
        self.handle: int = self._held.handle


class _HeldHandle:
    """A handle and its workspace, given back when the thread ends or the stream dies."""

    __slots__ = ("device", "generation", "handle", "handles", "workspace")

    workspace: BaseMemory

    def __init__(self, handles: LibraryHandles, stream: Stream):
        self.handles = handles
        self.device = stream.device
        self.generation = stream.device.generation
        self.handle = handles.take(stream)
        handles.set_stream(self.handle, stream.handle)
        if handles.set_workspace is not None and handles.workspace_bytes is not None:
            # After the stream, which sets the library's own workspace.
            nbytes = handles.workspace_bytes(int(stream.device.compute_capability))
            self.workspace, address = allocator.allocate(nbytes, stream)
            handles.set_workspace(self.handle, address, nbytes)

    def __del__(self) -> None:
        handle = getattr(self, "handle", None)
        if handle is not None and self.generation == self.device.generation:
            self.handles.spare.setdefault(self.device.id, []).append(handle)


def _create_blas() -> int:
    handle = cublas.library.cublasCreate_v2()
    # Sums of halves stay in float32 where a product is split.
    cublas.library.cublasSetMathMode(handle, cublas.WIDE_REDUCTION)
    return handle


BLAS = LibraryHandles(
    cublas.library,
    _create_blas,
    lambda handle, stream: cublas.library.cublasSetStream_v2(handle, stream),
    lambda *workspace: cublas.library.cublasSetWorkspace_v2(*workspace),
    cublas.workspace_bytes,
)


#: Their calls say the stream, and the workspace.
BLAS_LT = LibraryHandles(
    cublaslt.library,
    lambda: cublaslt.library.cublasLtCreate(),
    lambda handle, stream: None,
)


def _create_solver() -> int:
    handle = cusolver.library.cusolverDnCreate()
    cusolver.library.cusolverDnSetDeterministicMode(handle, cusolver.DETERMINISTIC)
    return handle


SOLVER = LibraryHandles(
    cusolver.library,
    _create_solver,
    lambda handle, stream: cusolver.library.cusolverDnSetStream(handle, stream),
)

#: Of cuSOLVER's functions for sparse matrices.
SPARSE_SOLVER = LibraryHandles(
    cusolver.library,
    lambda: cusolver.library.cusolverSpCreate(),
    lambda handle, stream: cusolver.library.cusolverSpSetStream(handle, stream),
)

#: Options of cuSOLVER's functions by device number: the default ones, which all calls share.
_params: dict[int, int] = {}


def _forget_params(device: Device) -> None:
    _params.pop(device.id, None)


Device.when_reset(_forget_params)


def solver_params(device: Device) -> int:
    """The options of cuSOLVER's functions, for the current device."""
    found = _params.get(device.id)
    if found is None:
        found = _params.setdefault(device.id, cusolver.library.cusolverDnCreateParams())
    return found


# ---- handles for functions of the user's own ---------------------------------------------------


def _cusparse() -> TableLibrary:
    from gpuarray._ffi import cusparse  # not at import: nothing else needs its table yet

    return cusparse.library


#: By name: what makes a handle with the library's own settings, and what sets its stream.
_USER_HANDLES: dict[str, tuple[Callable[[], int], Callable[[int, int], None]]] = {
    "cublas": (lambda: cublas.library.cublasCreate_v2(), BLAS.set_stream),
    "cusolver": (lambda: cusolver.library.cusolverDnCreate(), SOLVER.set_stream),
    "cusolver_sp": (
        lambda: cusolver.library.cusolverSpCreate(),
        lambda handle, stream: cusolver.library.cusolverSpSetStream(handle, stream),
    ),
    "cusparse": (
        lambda: _cusparse().cusparseCreate(),
        lambda handle, stream: _cusparse().cusparseSetStream(handle, stream),
    ),
}


class _UserHandles(threading.local):
    """The calling thread's handles for the user, by library and device, with the generation.

    To destroy a handle waits for the device, so those of threads that ended are handed on.
    """

    def __init__(self) -> None:
        self.held: dict[tuple[str, int], _UserHandle] = {}


class _UserHandle:
    __slots__ = ("device", "generation", "handle", "name")

    def __init__(self, name: str, device: Device) -> None:
        self.name, self.device, self.generation = name, device, device.generation
        try:
            self.handle = _spare_user_handles[name, device.id].pop()
        except (KeyError, IndexError):
            self.handle = _USER_HANDLES[name][0]()

    def __del__(self) -> None:
        handle = getattr(self, "handle", None)
        if handle is not None and self.generation == self.device.generation:
            _spare_user_handles.setdefault((self.name, self.device.id), []).append(handle)


_user_handles = _UserHandles()
_spare_user_handles: dict[tuple[str, int], list[int]] = {}


def _forget_user_handles(device: Device) -> None:
    for key in list(_spare_user_handles):
        if key[1] == device.id:
            del _spare_user_handles[key]


Device.when_reset(_forget_user_handles)


def user_handle(device: Device, name: str) -> int:
    """The calling thread's handle of a library on a device, for calls of the user's own.

    It begins on the thread's current stream of the device.
    """
    found = _user_handles.held.get((name, device.id))
    if found is None or found.generation != device.generation:
        with device:
            found = _user_handles.held[name, device.id] = _UserHandle(name, device)
            _USER_HANDLES[name][1](found.handle, current.stream.handle)
    return found.handle
