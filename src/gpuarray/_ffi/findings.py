"""A finding of the checkers: a fault of a kernel, most often one that a GPU would not report."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Finding"]


class Finding(NamedTuple):
    """One distinct fault, as it was first seen.

    Attributes
    ----------
    kind : str
        'races', 'uninit', 'bounds', 'barriers', 'host', 'leaks' or 'faults'. A fault is what
        ended a kernel: an access out of bounds, a failed assertion, a deadlock; it is always
        reported.
    message : str
        What happened: the access, the address and the nearest allocation.
    kernel : str
        The kernel, or '' for a leak.
    block, thread : tuple of int, or None
        Where it was seen first.
    address : int
        The device address, or 0.
    place : str
        The PTX line and, where the kernel was compiled with ``-lineinfo``, the CUDA source line.
    source : tuple of (str, int), or None
        File and line of the CUDA source, or of the Python source for a leak.
    """

    kind: str
    message: str
    kernel: str = ""
    block: tuple[int, ...] | None = None
    thread: tuple[int, ...] | None = None
    address: int = 0
    place: str = ""
    source: tuple[str, int] | None = None

    def __str__(self) -> str:
        parts = [f"[{self.kind}] {self.message}"]
        if self.kernel:
            where = f"in kernel {self.kernel}"
            if self.block is not None:
                where += ", block ({},{},{})".format(*self.block)
            if self.thread is not None:
                where += ", thread ({},{},{})".format(*self.thread)
            parts.append(where)
        if self.place:
            parts.append(self.place)
        return "\n    ".join(parts)
