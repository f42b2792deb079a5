"""One row for each C function of a library, and all that follows from it.

A row is the function's name and the kinds of its arguments (`library_kinds`, `library_pointers`).
From it follow

* the ctypes prototype, by which the function is bound;
* prebuilt arguments for calls in plans (`PreparedArguments`);
* the row of the function that asks for the workspace, and the call of that by name;
* the decoding of an emulated call into NumPy arrays (``emulator/libraries``);
* a test of names, types and order against the header of the installed wheel.

A library is a `TableLibrary` in a module named after its file. The emulated functions, of the same
names as the C functions, are in the module of that name in ``emulator/libraries``.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuarray import _fork
from gpuarray.errors import CUDAError, LibraryError, LibraryNotFoundError

from .backend import fork_error, forked
from .driver_library import error_of, fault_of_device, opened
from .library import LocatedLibrary, Out, SymbolSource
from .library_kinds import Handle, Kind, New, Result
from .library_pointers import Pointer, Workspace

__all__ = ["PreparedArguments", "Row", "TableLibrary"]


class Row:
    """A C function.

    Parameters
    ----------
    name : str
        The exported symbol.
    *kinds : Kind
        Its arguments in order.
    queued : bool, optional
        Whether it is work for a stream; by default if an argument is seen in device memory.
    query : str, optional
        What the name of the function that asks for the workspace ends in. That function takes what
        comes before the first `Workspace`, and gives a size for each.
    query_omits : sequence of str
        The arguments that the query does not take.
    query_adds : sequence of str
        Arguments behind the workspace that the query takes behind the sizes.
    on_host : bool, optional
        Whether it needs neither a device nor a driver, as one that tells a version.
    """

    def __init__(
        self,
        name: str,
        *kinds: Kind,
        queued: bool | None = None,
        query: str | None = None,
        query_omits: Sequence[str] = (),
        query_adds: Sequence[str] = (),
        on_host: bool = False,
    ) -> None:
        self.name = name
        self.on_host = on_host
        self.kinds = kinds
        views = any(type(kind).view is not Kind.view for kind in kinds)
        self.queued = views if queued is None else queued
        #: The arguments that are not results for the host.
        self.inputs = [kind for kind in kinds if not isinstance(kind.c_type, Out)]
        self.handles = [kind.name for kind in kinds if isinstance(kind, Handle)]
        #: A function that is given nothing, and makes nothing, works without a context.
        made = any(isinstance(kind, New) for kind in kinds)
        self.needs_context = not on_host and (bool(self.inputs) or made)
        self.workspaces = [kind for kind in kinds if isinstance(kind, Workspace)]
        self.query: Row | None = None
        if query is not None:
            before = kinds[: kinds.index(self.workspaces[0])]
            asked = [kind.for_query() for kind in before if kind.name not in query_omits]
            sizes = [Result(space.query_name, space.size_type) for space in self.workspaces]
            added = [kind.for_query() for kind in kinds if kind.name in query_adds]
            self.query = Row(name + query, *asked, *sizes, *added, queued=False)


_tables: weakref.WeakSet[TableLibrary] = weakref.WeakSet()


def _lose() -> None:
    if forked():
        for table in list(_tables):
            table.lose(str(fork_error()))


_fork.in_child(_lose)


class _WithoutDevice:
    """A library where only the emulator is, which does not have its functions."""

    def __init__(self, table: TableLibrary, open_: Callable[[], SymbolSource]) -> None:
        self._table = table
        self._open = open_

    def __getitem__(self, c_name: str) -> Any:
        row = self._table.rows.get(c_name)
        if row is not None and row.on_host:
            return self._open()[c_name]
        raise CUDAError(
            f"{c_name} needs a GPU: the emulated device has no {self._table.name}, of which it can "
            "tell the version only"
        )


class TableLibrary(LocatedLibrary):
    """A library that is bound, and emulated, by a table of rows.

    Parameters
    ----------
    name, file, exception
        As of `LocatedLibrary`.
    rows : sequence of Row
        The functions; attributes of the library have the C names.
    statuses : mapping of int to str
        The names of the statuses.
    refusals : mapping of str to int
        The status for each reason of a `Refusal`.
    capturable : bool, optional
        Whether its work on a stream can be captured into a graph; cuSOLVER's and cuRAND's cannot.
    last_error : str, optional
        The C function that takes a null pointer and returns what is known of the last failure.
    emulated : bool, optional
        Whether the emulator has its functions. Without them it calls those of the real library that
        need no device, and refuses the others.
    """

    def __init__(
        self,
        name: str,
        file: str,
        rows: Sequence[Row],
        statuses: Mapping[int, str],
        refusals: Mapping[str, int],
        exception: type[LibraryError] = LibraryError,
        capturable: bool = True,
        last_error: str | None = None,
        emulated: bool = True,
    ) -> None:
        every = [*rows, *[row.query for row in rows if row.query is not None]]
        self.rows = {row.name: row for row in every}
        self.refusals = refusals
        self.capturable = capturable
        self._last_error = last_error
        self._emulated = emulated
        prototypes = {
            row.name: (row.name, tuple([kind.c_type for kind in row.kinds])) for row in every
        }
        super().__init__(name, file, prototypes, statuses, exception)
        _tables.add(self)

    def open(self) -> SymbolSource:
        backend = opened()
        if backend.name == "emulator":
            if not self._emulated:
                return _WithoutDevice(self, super().open)
            emulated: Any = backend.source
            return emulated.library(self)
        return super().open()

    def error_of(self, call: str, status: int) -> BaseException:
        """The exception for a failed call: the fault of the device if there is one behind it."""
        source: Any = self.source
        take_interruption = getattr(source, "take_interruption", None)
        interruption = take_interruption() if take_interruption is not None else None
        if interruption is not None:
            return interruption
        fault_status = getattr(source, "fault_status", None)
        if fault_status is not None and (behind := fault_status()):
            return error_of(call, behind)
        detail_of = getattr(source, "detail_of", None)
        detail = detail_of(status) if detail_of is not None else self._detail()
        if status not in (self.refusals["value"], self.refusals["unsupported"]):
            fault = fault_of_device(call)
            if fault is not None:
                return fault
        return self._exception(call, status, self.status_name(status), detail)

    def _detail(self) -> str:
        """What the library says of the last failure, if it has a function for that."""
        if self._last_error is None:
            return ""
        try:
            describe = self.symbol(self._last_error)
        except LibraryNotFoundError:  # the library is older than the function
            return ""
        describe.restype = ctypes.c_char_p
        return (describe(None) or b"").decode(errors="replace").strip()

    def foreign(self, name: str) -> Any:
        """The C function without argument types, for prebuilt arguments; it returns the status."""
        function = self.symbol(name)
        function.restype = ctypes.c_int
        return function

    def workspace_bytes(self, name: str, values: Mapping[str, Any]) -> tuple[int, ...]:
        """The sizes that a function's query gives for arguments by name, as its workspaces count.

        `values` may have more than the query takes. Addresses may be missing: nothing is read.
        """
        query = self.rows[name].query
        if query is None:
            raise ValueError(f"{name} has no query for a workspace")
        sizes = [space.size_type() for space in self.rows[name].workspaces]
        unwritten = iter(sizes)
        arguments = []
        for kind in query.kinds:
            if isinstance(kind, Result):
                arguments.append(ctypes.byref(next(unwritten)))
            elif isinstance(kind, Pointer):
                arguments.append(kind.prebuilt(values.get(kind.name)))
            else:
                arguments.append(kind.prebuilt(values[kind.name]))
        status = self.foreign(query.name)(*arguments)
        if status:
            raise self.error(query.name, status)
        return tuple([size.value for size in sizes])


class PreparedArguments:
    """The arguments of a call as ctypes objects that all exist before it.

    Parameters
    ----------
    row : Row
        The function, which has no results for the host.
    values : mapping
        The arguments that are the same at each call, by name: numbers, dtypes, names of an
        enumeration's members, NumPy scalars for a `ScalarPointer`, integers for handles and
        addresses.
    stored : sequence of str
        The others, handles and addresses, which are stored before each call.

    Attributes
    ----------
    arguments : tuple
        What the function of `TableLibrary.foreign` is called with.
    words : memoryview
        The stored arguments as 64-bit unsigned integers, in the order of `stored`.
    """

    __slots__ = ("arguments", "words")

    def __init__(self, row: Row, values: Mapping[str, Any], stored: Sequence[str]) -> None:
        unknown = {*values, *stored} - {kind.name for kind in row.kinds}
        if unknown:
            raise ValueError(f"{row.name} has no argument {', '.join(sorted(unknown))}")
        storage = (ctypes.c_uint64 * max(1, len(stored)))()
        self.words = memoryview(storage).cast("B").cast("Q")
        arguments = []
        for kind in row.kinds:
            if kind.name in stored:
                # It shares the memory of its word.
                at = 8 * stored.index(kind.name)
                arguments.append(kind.c_type.from_buffer(storage, at))
            else:
                arguments.append(kind.prebuilt(values[kind.name]))
        self.arguments = tuple(arguments)
