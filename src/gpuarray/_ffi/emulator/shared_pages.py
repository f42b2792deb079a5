"""Pages of the emulated devices' memory that several processes have, by files in memory.

A page that is shared for the first time moves to a file, which is mapped in its place: addresses
stay as they are. Another process opens the file through the first one's entry in /proc.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import mmap
import os
from collections.abc import Sequence

__all__ = ["SharedPages", "can_share", "read_description", "write_description"]

PAGE = mmap.PAGESIZE
#: mmap's constants of Linux: the protection, and flags that Python's module does not have.
_READ_WRITE, _FIXED, _NO_RESERVE = 3, 0x10, 0x4000


def can_share() -> bool:
    """Whether the system has files in memory that other processes can open."""
    return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")


class SharedPages:
    """The shared pages of one mapping."""

    def __init__(self) -> None:
        #: File descriptor and offset in the file, by page address.
        self._pages: dict[int, tuple[int, int]] = {}

    def __contains__(self, page: int) -> bool:
        return page in self._pages

    def __len__(self) -> int:
        return len(self._pages)

    def share(self, address: int, nbytes: int) -> list[tuple[int, int, int]]:
        """Share the pages of a range: file descriptor, offset and number of pages of each run."""
        first, last = address & -PAGE, (address + nbytes + PAGE - 1) & -PAGE
        pages = range(first, last, PAGE)
        for is_shared, run in itertools.groupby(pages, self.__contains__):
            if not is_shared:
                self._move_to_file(list(run))
        runs: list[tuple[int, int, int]] = []
        for page in pages:
            descriptor, offset = self._pages[page]
            if runs and runs[-1][0] == descriptor and runs[-1][1] + runs[-1][2] * PAGE == offset:
                runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
            else:
                runs.append((descriptor, offset, 1))
        return runs

    def _move_to_file(self, pages: Sequence[int]) -> None:
        start, nbytes = pages[0], len(pages) * PAGE
        descriptor = os.memfd_create("gpuarray")
        with open(descriptor, "wb", closefd=False) as file:
            file.write(ctypes.string_at(start, nbytes))
        _map(start, nbytes, mmap.MAP_SHARED, descriptor, 0)
        for i, page in enumerate(pages):
            self._pages[page] = descriptor, i * PAGE

    def clear(self, first: int, last: int) -> None:
        """Fill the shared pages of a range with zeros."""
        for page in range(first, last, PAGE):
            if page in self._pages:
                ctypes.memset(page, 0, PAGE)

    @staticmethod
    def map_runs(start: int, process: int, runs: Sequence[Sequence[int]]) -> None:
        """Map the pages that another process shares, one run behind the other."""
        for descriptor, offset, count in runs:
            file = os.open(f"/proc/{process}/fd/{descriptor}", os.O_RDWR)
            try:
                _map(start, count * PAGE, mmap.MAP_SHARED, file, offset)
            finally:
                os.close(file)
            start += count * PAGE

    @staticmethod
    def unmap(start: int, nbytes: int) -> None:
        """Put pages of zeros in the place of pages that another process shares."""
        _map(start, nbytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE, -1, 0)


def write_description(description: object) -> int:
    """A file in memory with a description that another process can read: its descriptor."""
    descriptor = os.memfd_create("gpuarray")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(json.dumps(description).encode())
    return descriptor


def read_description(process: int, descriptor: int) -> dict:
    """What a process described; OSError or ValueError if it does not any more."""
    with open(f"/proc/{process}/fd/{descriptor}", "rb") as file:
        found = json.loads(file.read(1 << 20))
    if not isinstance(found, dict):
        raise ValueError("no description")
    return found


def _map(address: int, nbytes: int, flags: int, descriptor: int, offset: int) -> None:
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = (
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int64,
    )
    if function(address, nbytes, _READ_WRITE, flags | _FIXED, descriptor, offset) != address:
        raise OSError(ctypes.get_errno(), "pages could not be mapped")
