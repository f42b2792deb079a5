"""Copies between the host and the device that a graph does, and the refusal of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._ffi import driver
from gpuarray._namespace.called_name import called_form
from gpuarray._runtime import pinned_ranges
from gpuarray._runtime.pinned_memory import get_default_pinned_memory_pool
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CaptureError


class PinnedUse:
    """The use of page-locked memory by a graph, which keeps it.

    Parameters
    ----------
    owner : object
        What keeps the memory alive.
    address : int
        Its first byte.
    """

    __slots__ = ("address", "owner")

    def __init__(self, owner: object, address: int):
        self.owner = owner
        self.address = address

    def launched_on(self, stream: Stream) -> None:
        """Note that launches on a stream may not have ended."""
        pinned_ranges.used_by(self.address, stream)


def is_pinned(array: np.ndarray) -> bool:
    """Whether an array of the host is in page-locked memory."""
    address = driver.array_address(array)
    return pinned_ranges.is_pinned(address, array.nbytes) or driver.is_page_locked(address)


def upload(target: int, source: np.ndarray, stream: Stream) -> None:
    """Let a graph copy a gapless host array to device memory.

    Each launch reads pinned memory. Of other memory the graph gets a copy now.
    """
    address, nbytes = driver.array_address(source), source.nbytes
    owner: Any = source
    if not is_pinned(source):
        owner = get_default_pinned_memory_pool()._take(nbytes)
        driver.copy_host(owner.ptr, address, nbytes)
        address = owner.ptr
    stream.ongoing_capture.keep(PinnedUse(owner, address))
    driver.memcpy_htod_async(target, address, nbytes, stream.handle)


def download(target: np.ndarray, source: int, stream: Stream) -> None:
    """Let a graph copy device memory to an array in pinned memory."""
    address = driver.array_address(target)
    stream.ongoing_capture.keep(PinnedUse(target, address))
    driver.memcpy_dtoh_async(address, source, target.nbytes, stream.handle)


def refusal(name: str) -> CaptureError:
    """The exception for an operation that needs values of the device during a capture."""
    return CaptureError(
        f"{called_form(name)}: the current stream is being captured, so that no value is there "
        "before the graph is launched; do this before the capture or after a launch, or use an "
        "operation whose result has a known shape, such as where() in place of a mask as an index"
    )
