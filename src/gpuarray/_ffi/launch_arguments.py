"""The prebuilt arguments of a kernel launch.

``driver.launch(config, function, params, None)`` calls the foreign function directly: the arguments
are converted here, once. The objects are opaque above `_ffi`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from gpuarray._integers import ceil_div, round_up

from .structs import (
    LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    LAUNCH_ATTRIBUTE_COOPERATIVE,
    CUlaunchAttribute,
    CUlaunchConfig,
)

__all__ = [
    "ArgumentBuffer", "ResultSlot", "function_argument", "handle_argument", "launch_config",
]  # fmt: skip


class ArgumentBuffer:
    """Storage for a kernel's parameters, with the ``void**`` that a launch takes.

    Each parameter starts on an 8-byte boundary, on a 16-byte one if its size is a multiple of 16.
    A launch copies the parameters, so a buffer may be refilled as soon as the launch returns; two
    threads must not share one.

    Parameters
    ----------
    sizes : tuple of int
        The size of each parameter in bytes.

    Attributes
    ----------
    words : memoryview
        The storage as 64-bit unsigned integers.
    bytes : memoryview
        The storage as bytes.
    offsets : tuple of int
        The byte offset of each parameter.
    params : object
        The prebuilt argument for ``driver.launch``.
    """

    __slots__ = ("_pointers", "_storage", "bytes", "offsets", "params", "sizes", "words")

    def __init__(self, sizes: tuple[int, ...]) -> None:
        offsets = []
        end = 0
        for size in sizes:
            alignment = 16 if size % 16 == 0 else 8
            start = round_up(end, alignment)
            offsets.append(start)
            end = start + size
        words = max(1, ceil_div(end, 8))
        self._storage = (ctypes.c_uint64 * words)()
        self.sizes = tuple(sizes)
        self.offsets = tuple(offsets)
        self.bytes = memoryview(self._storage).cast("B")
        self.words = self.bytes.cast("Q")
        base = ctypes.addressof(self._storage)
        self._pointers = (ctypes.c_void_p * len(offsets))(*(base + offset for offset in offsets))
        self.params: Any = ctypes.byref(self._pointers) if offsets else None

    def view(self, index: int, format: Any) -> memoryview:
        """Parameter `index` as a memoryview of the given struct format (one element if it fits)."""
        start = self.offsets[index]
        return self.bytes[start : start + self.sizes[index]].cast(format)


def launch_config(
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    shared_bytes: int = 0,
    stream: int = 0,
    cooperative: bool = False,
    cluster: tuple[int, int, int] | None = None,
) -> Any:
    """The prebuilt first argument of ``driver.launch``; it keeps its structure alive.

    `cluster` is the number of blocks of a cluster in x, y and z.
    """
    config = CUlaunchConfig(*grid, *block, shared_bytes, stream)
    attributes = []
    if cooperative:
        attribute = CUlaunchAttribute(LAUNCH_ATTRIBUTE_COOPERATIVE)
        attribute.value.cooperative = 1
        attributes.append(attribute)
    if cluster is not None:
        attribute = CUlaunchAttribute(LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        attribute.value.clusterDim[:] = cluster
        attributes.append(attribute)
    if attributes:
        array = (CUlaunchAttribute * len(attributes))(*attributes)
        # The structure keeps the pointer object alive, which keeps the array alive.
        config.attrs = ctypes.cast(array, ctypes.POINTER(CUlaunchAttribute))
        config.numAttrs = len(attributes)
    return ctypes.byref(config)


class ResultSlot:
    """Where a function of ``driver.bare_...`` stores a handle or another word; for one call a time.

    Attributes
    ----------
    argument : object
        The prebuilt argument for the function.
    words : memoryview
        What was stored, as its first element.
    """

    __slots__ = ("argument", "words")

    def __init__(self) -> None:
        storage = ctypes.c_uint64()
        self.argument: Any = ctypes.byref(storage)  # keeps the storage
        self.words = memoryview(storage).cast("B").cast("Q")


#: The prebuilt argument of ``driver.bare_...`` functions for a handle, or another word of 64 bits.
#: It is several times as fast as what ctypes does for an argument of the type c_uint64.
handle_argument: Callable[[int], Any] = ctypes.c_void_p.from_param


def function_argument(function: int) -> Any:
    """The prebuilt second argument of ``driver.launch``, from a function's handle."""
    return ctypes.c_void_p.from_param(function)
