"""Calls of functions of C libraries, with everything decided that can be before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._ffi.library_table import PreparedArguments, TableLibrary
from gpuarray._runtime import function_hook, launch_history
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CaptureError


class BoundCall:
    """A call of a library's function made ready for one stream.

    ``function(*arguments)`` is one foreign call whose arguments all exist beforehand as ctypes
    objects. They share the memory of ``words``, where each call stores addresses and the handle of
    its thread. As of a launch, threads must not share a buffer, which is ``(words, arguments)``.

    Parameters
    ----------
    library : TableLibrary
        The library.
    name : str
        The C function.
    values : mapping
        The arguments that are the same at each call, by name; see `PreparedArguments`.
    pointers : sequence of str
        The arguments whose addresses each call stores.
    handles : object
        Its attribute ``handle`` is the library's handle for the stream and the calling thread.
    stream : Stream
        Where the handles are bound to.
    """

    __slots__ = (
        "_names", "function", "handles", "library", "name", "pointers", "spare", "trace", "values",
    )  # fmt: skip

    #: Which lines :mod:`gpuarray._calls` writes for it.
    kind = "library call"

    def __init__(
        self,
        library: TableLibrary,
        name: str,
        values: Mapping[str, Any],
        pointers: Sequence[str],
        handles: Any,
        stream: Stream,
    ):
        self.library = library
        self.name = name
        self.values = values
        self.handles = handles
        self.pointers = pointers
        self.spare: list[tuple] = []
        #: What the pointers are called in reports.
        self._names: Sequence[str] = ()
        self.trace = launch_history.LaunchTrace(
            name,
            (0, 0, 0),
            (0, 0, 0),
            0,
            stream.device.id,
            stream.handle,
            (8,) * len(pointers),
            self.spare,
            lambda: launch_history.KernelCode(name),
        )
        function = library.foreign(name)
        if not library.capturable:
            function = _outside_captures(function, name, stream.handle)
        self.function = function_hook.call_of(function, self.trace, stream, self.failed)

    def arguments(self, passed: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
        """What a call passes, as pairs of the argument and its word in a buffer.

        ``passed`` says by a pointer's name which argument of the call it gets.
        """
        if passed.keys() != {*self.pointers}:
            raise ValueError(
                f"{self.name}: arguments are for {', '.join(passed)}, but the pointers are "
                f"{', '.join(self.pointers)}"
            )
        self._names = [passed[pointer] for pointer in self.pointers]
        return tuple([(name, word) for word, name in enumerate(self._names)])

    def make_buffer(self, *arguments: Any) -> tuple:
        """New prebuilt arguments, for a call with these arrays."""
        self.trace.parameters = tuple(
            [(name, getattr(x, "_layout", None)) for name, x in zip(self._names, arguments)]
        )
        row = self.library.rows[self.name]
        prepared = PreparedArguments(row, self.values, [*self.pointers, row.handles[0]])
        return prepared.words, prepared.arguments

    def constants(self) -> dict[str, Any]:
        """What the lines of a call name of this one."""
        return {
            "function": self.function,
            "handles": self.handles,
            "take": self.spare.pop,
            "give": self.spare.append,
            "make": self.make_buffer,
            "failed": self.failed,
            "trace": self.trace,
        }

    def failed(self, status: int) -> BaseException:
        """The exception for a status that the library returned."""
        return self.library.error(self.name, status)


class RepeatedCall(BoundCall):
    """Several calls with the same arguments but for addresses, as for the matrices of a stack.

    They end at the first status other than 0.

    Parameters
    ----------
    library, name, values, pointers, handles, stream
        As of `BoundCall`.
    offsets : sequence of tuple of int
        For each call the bytes that are added to the address of each of the pointers.
    """

    __slots__ = ("_repeat",)

    kind = "repeated library call"

    def __init__(
        self,
        library: TableLibrary,
        name: str,
        values: Mapping[str, Any],
        pointers: Sequence[str],
        handles: Any,
        stream: Stream,
        offsets: Sequence[tuple[int, ...]],
    ):
        super().__init__(library, name, values, pointers, handles, stream)
        function = self.function
        count = len(pointers)

        def repeat(words: Any, *arguments: Any) -> int:
            given = (words, *arguments) if config.debug else arguments
            starts = list(words[:count])
            for each in offsets:
                for word, offset in enumerate(each):
                    words[word] = starts[word] + offset
                status = function(*given)
                if status:
                    return status
            return 0

        self._repeat = repeat

    def constants(self) -> dict[str, Any]:
        return {**super().constants(), "function": self._repeat}


def _outside_captures(function: Callable[..., int], name: str, stream: int) -> Callable[..., int]:
    """The function, but for an exception before it would make a capture invalid."""

    def call(*arguments: Any) -> int:
        if driver.stream_is_capturing(stream):
            raise CaptureError(
                f"{name} cannot be captured into a graph; call it before or after the capture"
            )
        return function(*arguments)

    return call
