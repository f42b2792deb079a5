"""A memory hook that prints what a pool does."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.memory_hook import MemoryHook

__all__ = ["DebugPrintHook"]
__dir__ = listing(__name__)


class DebugPrintHook(MemoryHook):
    """Prints a line of JSON for each allocation and each release of memory.

    The member ``hook`` is ``alloc`` for memory from the device, ``malloc`` for a block of the pool,
    ``free`` for one that goes back. ``size`` is what was asked for, ``mem_size`` what it was
    rounded up to, both in bytes; ``mem_ptr`` is the address; ``pmem_id`` tells
    memory objects apart.

    Parameters
    ----------
    file : file, optional
        Where to print; ``sys.stdout`` by default.
    flush : bool, optional
        Whether to flush the file after each line.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> with cp.cuda.memory_hooks.DebugPrintHook():
    ...     memory = pool.malloc(24)
    ...     del memory
    {"hook":"alloc","device_id":0,"mem_size":512,"mem_ptr":...}
    {"hook":"malloc","device_id":0,"size":24,"mem_size":512,"mem_ptr":...,"pmem_id":"0x..."}
    {"hook":"free","device_id":0,"mem_size":512,"mem_ptr":...,"pmem_id":"0x..."}
    """

    name = "DebugPrintHook"

    def __init__(self, file: TextIO | None = None, flush: bool = True):
        self.file = sys.stdout if file is None else file
        self.flush = flush

    def alloc_postprocess(self, **kwargs: Any) -> None:
        self._print("alloc", kwargs)

    def malloc_postprocess(self, **kwargs: Any) -> None:
        self._print("malloc", kwargs)

    def free_postprocess(self, **kwargs: Any) -> None:
        self._print("free", kwargs)

    def _print(self, event: str, arguments: dict[str, Any]) -> None:
        members: dict[str, Any] = {"hook": event}
        for name in ("device_id", "size", "mem_size", "mem_ptr"):
            if name in arguments:
                members[name] = arguments[name]
        if "pmem_id" in arguments:
            members["pmem_id"] = hex(arguments["pmem_id"])
        self.file.write(json.dumps(members, separators=(",", ":")) + "\n")
        if self.flush:
            self.file.flush()


without_annotations(globals())
