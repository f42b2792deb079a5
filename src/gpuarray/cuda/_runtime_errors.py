"""Failures of the runtime's functions, as CuPy's programs expect them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from gpuarray.errors import CUDARuntimeError, DriverError


def raise_runtime_errors(namespace: dict[str, Any]) -> None:
    """Let a module's public functions raise `CUDARuntimeError` where the driver's calls fail.

    Parameters
    ----------
    namespace : dict
        The module's globals.
    """
    for name in namespace["__all__"]:
        value = namespace[name]
        if isinstance(value, FunctionType):
            namespace[name] = _translating(value, namespace["__name__"])


def _translating(function: FunctionType, module: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except DriverError as error:
            raise runtime_error(error) from None

    call.__module__ = module
    return call


def runtime_error(error: DriverError) -> CUDARuntimeError:
    """A failure of the driver as one of the runtime, with all that is known of it."""
    found = CUDARuntimeError(error.status, error.call, error.summary)
    found.kernel, found.launches, found.report = error.kernel, error.launches, error.report
    return found.with_traceback(error.__traceback__)
