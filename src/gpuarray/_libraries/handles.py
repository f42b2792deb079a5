"""The handles of libraries: one for each device, stream and thread.

A handle has a stream and a workspace of its own, so that calls need not set either, and so that a
result is the same each time: a library that shares its workspace between streams may split sums
differently from call to call. Work on one stream follows other work there, so the workspace comes
from the stream's pool and needs no more care than any temporary memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from gpuarray._ffi import cublas
from gpuarray._runtime import allocator
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.stream import Stream

__all__ = ["BLAS", "LibraryHandles", "StreamHandles"]


class LibraryHandles:
    """The handles of one library.

    Those that a thread or a stream leaves behind are kept for the next one: to destroy a handle
    waits for the device.

    Parameters
    ----------
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
        create: Callable[[], int],
        set_stream: Callable[[int, int], None],
        set_workspace: Callable[[int, int, int], None] | None = None,
        workspace_bytes: Callable[[int], int] | None = None,
    ):
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

    def _forget(self, device: Device) -> None:
        self.spare.pop(device.id, None)


class StreamHandles(threading.local):
    """A library's handles for one stream; each thread that reads ``handle`` has its own."""

    def __init__(self, library: LibraryHandles, stream: Stream):
        # Called in each thread, at its first use of the object.
        self._held = _HeldHandle(library, stream)
        self.handle: int = self._held.handle


class _HeldHandle:
    """A handle and its workspace, given back when the thread ends or the stream dies."""

    __slots__ = ("device", "generation", "handle", "library", "workspace")

    workspace: BaseMemory

    def __init__(self, library: LibraryHandles, stream: Stream):
        self.library = library
        self.device = stream.device
        self.generation = stream.device.generation
        try:
            self.handle = library.spare.get(stream.device.id, []).pop()
        except IndexError:
            self.handle = library.create()
        library.set_stream(self.handle, stream.handle)
        if library.set_workspace is not None and library.workspace_bytes is not None:
            # After the stream, which sets the library's own workspace.
            nbytes = library.workspace_bytes(int(stream.device.compute_capability))
            self.workspace, address = allocator.allocate(nbytes, stream)
            library.set_workspace(self.handle, address, nbytes)

    def __del__(self) -> None:
        handle = getattr(self, "handle", None)
        if handle is not None and self.generation == self.device.generation:
            self.library.spare.setdefault(self.device.id, []).append(handle)


def _create_blas() -> int:
    handle = cublas.library.cublasCreate_v2()
    # Sums of halves stay in float32 where a product is split.
    cublas.library.cublasSetMathMode(handle, cublas.WIDE_REDUCTION)
    return handle


BLAS = LibraryHandles(
    _create_blas,
    lambda handle, stream: cublas.library.cublasSetStream_v2(handle, stream),
    lambda *workspace: cublas.library.cublasSetWorkspace_v2(*workspace),
    cublas.workspace_bytes,
)
