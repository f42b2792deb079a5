"""Lazy binding of a C library's functions from one table of prototypes.

A table maps a Python name to ``(C name, argument types)``. An argument written ``Out(type)`` is a
result: the bound function leaves it out of its arguments and returns its value. Every function
returns a status, and a status other than 0 raises the library's error with the call's name.

The driver's `Library` opens what the backend is. Every other CUDA library is a `LocatedLibrary`.
"""

from __future__ import annotations

import ctypes
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol

from gpuarray.errors import ForkError, LibraryError, LibraryNotFoundError, StatusError

__all__ = ["Library", "LocatedLibrary", "Out", "Prototypes", "SymbolSource"]


class Out:
    """Marks an argument that the C function fills in, of the given ctypes type."""

    __slots__ = ("raw", "type")

    def __init__(self, type_: type) -> None:
        self.type = type_
        #: An array of bytes is returned as bytes; anything else by its value.
        self.raw = isinstance(type_, type) and issubclass(type_, ctypes.Array)

    def read(self, result: Any) -> Any:
        return bytes(result) if self.raw else result.value


Prototypes = Mapping[str, tuple[str, tuple]]


class SymbolSource(Protocol):
    """What a library is bound to: a ``ctypes.CDLL``, or the emulator's counterpart."""

    def __getitem__(self, c_name: str) -> Any: ...


class _LostSource:
    """What a library is bound to in a child that cannot use it."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __getitem__(self, c_name: str) -> NoReturn:
        raise ForkError(self.reason)


class Library:
    """A C library whose functions are attributes, bound at first use.

    Parameters
    ----------
    name : str
        The library's name in messages.
    prototypes : mapping
        Python name to (C name, argument types).
    open_ : callable
        Opens the library; called once, at the first use of a function.
    error : callable
        Makes the exception for (C name, status).
    """

    def __init__(
        self,
        name: str,
        prototypes: Prototypes,
        open_: Callable[[], SymbolSource],
        error: Callable[[str, int], BaseException],
    ) -> None:
        self.name = name
        self._prototypes = prototypes
        self._open = open_
        self._source: SymbolSource | None = None
        self.error = error
        self._raw: dict[str, Any] = {}
        self._bare: dict[str, Any] = {}

    @property
    def source(self) -> SymbolSource:
        """The opened library."""
        if self._source is None:
            self._source = self._open()
        return self._source

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._prototypes:
            raise AttributeError(f"the prototypes of {self.name} have no function {name!r}")
        function = self._bind(name)
        # Two threads may both bind it; either result serves.
        setattr(self, name, function)
        return function

    def symbol(self, c_name: str) -> Any:
        """A foreign function of this caller's own, without argument types."""
        try:
            return self.source[c_name]
        except AttributeError:
            raise LibraryNotFoundError(
                f"{self.name} has no function {c_name}: it is too old for gpuarray; update it"
            ) from None

    def raw(self, name: str) -> Any:
        """The foreign function behind `name`, with C's arguments, returning the status."""
        function = self._raw.get(name)
        if function is not None:
            return function
        c_name, arguments = self._prototypes[name]
        function = self.symbol(c_name)
        function.restype = ctypes.c_int
        function.argtypes = tuple(
            ctypes.c_void_p if isinstance(argument, Out) else argument for argument in arguments
        )
        self._raw[name] = function
        return function

    def bare(self, name: str) -> Any:
        """The foreign function behind `name`, without argument types: for prebuilt arguments.

        Its arguments are ctypes objects, and integers of 32 bits. It returns the status.
        """
        function = self._bare.get(name)
        if function is None:
            function = self._bare[name] = self.symbol(self._prototypes[name][0])
            function.restype = ctypes.c_int
        return function

    def by_words(self, name: str) -> Callable[..., None]:
        """The function `name`, which has two or four arguments of up to 64 bits, in less time.

        It takes Python's integers; everything else goes to the function with argument types.
        """
        function = self.bare(name)
        word = ctypes.c_void_p.from_param

        def call_with_two(a: int, b: int) -> None:
            try:
                status = function(word(a), word(b))
            except (TypeError, ctypes.ArgumentError):
                return getattr(self, name)(a, b)
            if status:
                self.fail(name, status)

        def call_with_four(a: int, b: int, c: int, d: int) -> None:
            try:
                status = function(word(a), word(b), word(c), word(d))
            except (TypeError, ctypes.ArgumentError):
                return getattr(self, name)(a, b, c, d)
            if status:
                self.fail(name, status)

        calls: dict[int, Callable[..., None]] = {2: call_with_two, 4: call_with_four}
        call = calls[len(self._prototypes[name][1])]
        call.__name__ = call.__qualname__ = name
        return call

    def status(self, name: str, *arguments: Any) -> int:
        """The status that the function `name`, which has no results, returns."""
        try:
            return self.raw(name)(*arguments)
        except ctypes.ArgumentError as wrong:
            raise _refused(self._prototypes[name][0], wrong, arguments) from None

    def fail(self, name: str, status: int) -> NoReturn:
        """Raise the error for a status that the function `name` returned."""
        raise self.error(self._prototypes[name][0], status)

    def lose(self, reason: str) -> None:
        """In a child after a fork: raise a `ForkError` with that text instead of calling C."""
        self._source = _LostSource(reason)
        self._raw.clear()
        self._bare.clear()
        for name in self._prototypes:
            self.__dict__.pop(name, None)

    def _bind(self, name: str) -> Callable[..., Any]:
        c_name, arguments = self._prototypes[name]
        function = self.raw(name)
        outs = [(at, a) for at, a in enumerate(arguments) if isinstance(a, Out)]
        error = self.error
        if not outs:
            bound = _without_results(function, c_name, error)
        elif len(outs) == 1 and outs[0][0] == 0 and not outs[0][1].raw:
            bound = _one_leading_result(function, c_name, error, outs[0][1].type)
        else:
            bound = _any_results(function, c_name, error, outs)
        bound.__name__ = bound.__qualname__ = name
        return bound


class LocatedLibrary(Library):
    """A library of the CUDA wheels or toolkit that `locate` chose for this process.

    A failed call raises `exception`, which has the C function, the status and its name.

    Parameters
    ----------
    name : str
        The library's name in messages.
    file : str
        Its key in `locate.LIBRARIES`.
    prototypes : mapping
        As of `Library`.
    statuses : str or mapping of int to str
        The names of the statuses, or the C function that returns the name of one.
    exception : type, optional
        What a failed call raises.
    load : callable, optional
        Makes a source of symbols of the file's path.
    """

    def __init__(
        self,
        name: str,
        file: str,
        prototypes: Prototypes,
        statuses: str | Mapping[int, str],
        exception: type[StatusError] = LibraryError,
        load: Callable[[str], SymbolSource] = ctypes.CDLL,
    ) -> None:
        super().__init__(name, prototypes, self.open, self.error_of)
        self.file = file
        #: Has an entry for each thread that is inside of a long call.
        self.busy: list[None] = []
        self._statuses = statuses
        self._exception = exception
        self._load = load

    @contextmanager
    def long_call(self) -> Iterator[None]:
        """Surrounds calls during which a fork would leave the library locked in the child."""
        self.busy.append(None)
        try:
            yield
        finally:
            self.busy.pop()

    def lose_if_busy(self) -> None:
        """In a child: do without the library if another thread was inside of it."""
        if self.busy:
            self.busy.clear()
            self.lose(
                f"this process cannot use {self.name}: it was forked while another thread was in "
                "a call of it. Start processes with multiprocessing.get_context('spawn')"
            )

    def open(self) -> SymbolSource:
        """Load the file, after the libraries that it links to."""
        with self.long_call():
            return self._load_file()

    def _load_file(self) -> SymbolSource:
        from . import locate

        path = locate.library(self.file)
        try:
            for needed in locate.dependencies(self.file):
                ctypes.CDLL(needed)
            opened = self._load(path)
        except OSError as error:
            raise LibraryNotFoundError(
                f"{self.name} was found but could not be opened: {error}; reinstall its wheel"
            ) from None
        from gpuarray import _log

        major = locate.cuda_major()
        _log.log(_log.INFO, "libraries", "opened %s of CUDA %d: %s", self.name, major, path)
        return opened

    def error_of(self, call: str, status: int) -> BaseException:
        """The exception for a status that a C function returned."""
        return self._exception(call, status, self.status_name(status))

    def status_name(self, status: int) -> str:
        """What the library's header calls a status."""
        if not isinstance(self._statuses, str):
            return self._statuses.get(status, "unknown status")
        describe = self.symbol(self._statuses)
        describe.restype = ctypes.c_char_p
        return (describe(ctypes.c_int(status)) or b"unknown status").decode()


def _plain(c_name: str, error: ctypes.ArgumentError, arguments: Sequence[Any]) -> list[Any]:
    """The arguments of a call that ctypes refused, with NumPy's integers as Python's.

    ctypes takes any integer for a number, but Python's only for an address.

    Raises
    ------
    TypeError
        No argument is another integer than Python's.
    """
    plain = [int(x) if isinstance(x, numbers.Integral) else x for x in arguments]
    if all(new is old for new, old in zip(plain, arguments, strict=True)):
        raise _refused(c_name, error, arguments) from None
    return plain


def _refused(c_name: str, error: ctypes.ArgumentError, arguments: Sequence[Any]) -> TypeError:
    """The error for an argument that is no value of the C function's parameter."""
    given = ", ".join([type(x).__name__ for x in arguments])
    return TypeError(f"{c_name}: {error}; arguments have the types ({given})")


def _without_results(function: Any, c_name: str, error: Callable) -> Callable[..., None]:
    def call(*arguments):
        try:
            status = function(*arguments)
        except ctypes.ArgumentError as wrong:
            return call(*_plain(c_name, wrong, arguments))
        if status:
            raise error(c_name, status)

    return call


def _one_leading_result(function: Any, c_name: str, error: Callable, type_: type) -> Callable:
    byref = ctypes.byref

    def call(*arguments):
        result = type_()
        try:
            status = function(byref(result), *arguments)
        except ctypes.ArgumentError as wrong:
            return call(*_plain(c_name, wrong, arguments))
        if status:
            raise error(c_name, status)
        return result.value

    return call


def _any_results(function: Any, c_name: str, error: Callable, outs: list) -> Callable[..., Any]:
    byref = ctypes.byref

    def call(*arguments):
        passed = list(arguments)
        results = []
        for at, out in outs:  # ascending, so that each lands where C expects it
            result = out.type()
            results.append(result)
            passed.insert(at, byref(result))
        try:
            status = function(*passed)
        except ctypes.ArgumentError as wrong:
            return call(*_plain(c_name, wrong, arguments))
        if status:
            raise error(c_name, status)
        values = tuple(out.read(result) for (_, out), result in zip(outs, results, strict=True))
        return values[0] if len(values) == 1 else values

    return call
