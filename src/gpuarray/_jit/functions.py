"""A Python function that kernels are made of, as the translator and other kernels see it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from gpuarray._jit.source import FunctionSource


class JitFunction:
    """A Python function with what its translation needs.

    Parameters
    ----------
    function : callable
        The function.
    device : bool
        Whether kernels call it.
    """

    __name__: str

    def __init__(self, function: Callable[..., Any], device: bool):
        if not callable(function):
            raise TypeError(f"rawkernel takes a function, not {function!r}")
        functools.update_wrapper(cast(Any, self), function)
        self._function = function
        self._source: FunctionSource | None = None
        #: Whether kernels call it.
        self.device = device

    @property
    def source(self) -> FunctionSource:
        """The function's syntax tree."""
        if self._source is None:
            # Imported here: a program without kernels in Python need not load it.
            from gpuarray._jit.source import FunctionSource

            self._source = FunctionSource(self._function)
        return self._source

    def defaults(self) -> dict[str, Any]:
        """The parameters that have a default."""
        code: Any = self._function
        values = code.__defaults__ or ()
        names = self.source.parameters
        return dict(zip(names[len(names) - len(values) :], values))


def call_signature(function: Callable[..., Any]) -> str:
    """The parameters of a function, as ``help()`` shows them."""
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):  # as of many functions written in C
        return "(...)"
