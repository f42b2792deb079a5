"""A memory hook that finds the lines of a program which use memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, TextIO

from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.memory_hook import MemoryHook

__all__ = ["LineProfileHook", "MemoryFrame", "StackFrame"]
__dir__ = listing(__name__)

#: Packages whose lines are not the program's.
_NOT_USERS = (__name__.partition(".")[0], "numpy")


class StackFrame:
    """A place in the program.

    Parameters
    ----------
    obj : traceback.FrameSummary or tuple
        The file's name, the line's number and the function's name.

    Attributes
    ----------
    filename : str
        The file.
    lineno : int
        The line.
    name : str
        The function.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.memory_hooks.line_profile.StackFrame(("a.py", 3, "main"))
    <StackFrame a.py:3:main>
    """

    def __init__(self, obj: Any):
        self.filename: str
        self.lineno: int
        self.name: str
        if isinstance(obj, tuple):
            self.filename, self.lineno, self.name = obj[:3]
        else:
            self.filename, self.lineno, self.name = obj.filename, obj.lineno, obj.name

    def __repr__(self) -> str:
        return f"<StackFrame {self.filename}:{self.lineno}:{self.name}>"


class MemoryFrame:
    """The memory of what a line calls.

    Parameters
    ----------
    parent : MemoryFrame or None
        That of the calling line; None for the root.
    stackframe : StackFrame or None
        The line; None for the root.

    Attributes
    ----------
    children : list of MemoryFrame
        Those of the lines that are called.
    used_bytes : int
        Bytes of blocks that the pool has handed out.
    acquired_bytes : int
        Bytes that the pool has got from the device for them.

    Examples
    --------
    >>> import gpuarray as cp
    >>> frame = cp.cuda.memory_hooks.line_profile.MemoryFrame(None, None)
    >>> frame.humanized_bytes()
    ('0.00B', '0.00B')
    """

    def __init__(self, parent: MemoryFrame | None, stackframe: StackFrame | None):
        self.parent = parent
        self.stackframe = stackframe
        self.children: list[MemoryFrame] = []
        self.used_bytes = 0
        self.acquired_bytes = 0
        if parent is not None:
            parent.children.append(self)

    def __repr__(self) -> str:
        place = "root" if self.stackframe is None else repr(self.stackframe)
        used, acquired = self.used_bytes, self.acquired_bytes
        return f"<MemoryFrame of {place}: {used} bytes used, {acquired} acquired>"

    def humanized_bytes(self) -> tuple[str, str]:
        """The two sums as text, such as ``'1.50KB'``.

        Returns
        -------
        tuple of str
            Of the used and of the acquired bytes.
        """
        return _size(self.used_bytes), _size(self.acquired_bytes)


class LineProfileHook(MemoryHook):
    """Adds up which lines of a program use memory.

    Lines of this package are left out: the memory of ``x + 1`` is that of the line where it stands.

    Parameters
    ----------
    max_depth : int, optional
        How many levels of calls to keep, the root among them; 0 keeps all.

    Examples
    --------
    >>> import gpuarray as cp
    >>> hook = cp.cuda.memory_hooks.LineProfileHook(max_depth=1)
    >>> with hook:
    ...     x = cp.zeros(1000)
    >>> hook.print_report()
    _root (8.00KB, ...)
    """

    name = "LineProfileHook"

    def __init__(self, max_depth: int = 0):
        self._root = MemoryFrame(None, None)
        self._frames: dict[tuple[int, str, int, str], MemoryFrame] = {}
        self._max_depth = max_depth

    def malloc_postprocess(self, **kwargs: Any) -> None:
        if kwargs["mem_ptr"]:
            for frame in self._path():
                frame.used_bytes += kwargs["mem_size"]

    def alloc_postprocess(self, **kwargs: Any) -> None:
        if kwargs["mem_ptr"]:
            for frame in self._path():
                frame.acquired_bytes += kwargs["mem_size"]

    def _path(self) -> Iterator[MemoryFrame]:
        """The frames from the root to the line of the program that runs."""
        found = self._root
        yield found
        lines = _users_lines(sys._getframe(1))
        if self._max_depth > 0:
            lines = lines[: self._max_depth - 1]
        for line in lines:
            key = id(found), *line
            child = self._frames.get(key)
            if child is None:
                child = self._frames[key] = MemoryFrame(found, StackFrame(line))
            found = child
            yield found

    def print_report(self, file: TextIO | None = None) -> None:
        """Print the lines, each below the one that called it.

        A line has the file, its number and the function; then, in brackets, the bytes of blocks
        that were handed out, and those that the pool got from the device for them.

        Parameters
        ----------
        file : file, optional
            Where to print; ``sys.stdout`` by default.
        """
        out = sys.stdout if file is None else file
        waiting = [(self._root, 0)]
        while waiting:
            frame, depth = waiting.pop()
            place = frame.stackframe
            text = "_root" if place is None else f"{place.filename}:{place.lineno}:{place.name}"
            used, acquired = frame.humanized_bytes()
            out.write(f"{'  ' * depth}{text} ({used}, {acquired})\n")
            waiting += [(child, depth + 1) for child in reversed(frame.children)]
        out.flush()


def _users_lines(frame: FrameType | None) -> list[tuple[str, int, str]]:
    """The lines of a stack that are not this package's, from the outermost one on."""
    lines = []
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _NOT_USERS:
            lines.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return lines[::-1]


def _size(nbytes: float) -> str:
    for unit in ("", "K", "M", "G", "T", "P"):
        if nbytes < 1024:
            return f"{nbytes:.2f}{unit}B"
        nbytes /= 1024
    return f"{nbytes:.2f}EB"


without_annotations(globals())
