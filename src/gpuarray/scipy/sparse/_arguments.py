"""Arguments of solvers and graphs that have to be numbers, or arrays of them."""

from __future__ import annotations

import reprlib
from typing import Any

from gpuarray._ops.manipulation import as_array
from gpuarray.errors import HostArrayError
from gpuarray.scipy.sparse._base import issparse

__all__ = ["operand", "real"]


def operand(x: Any, name: str, what: str, refusal: type[Exception] = ValueError) -> Any:
    """An argument as an array; an exception where it has no numbers: `refusal`, as SciPy's."""
    try:
        return as_array(x, name)
    except HostArrayError:
        raise
    except TypeError:
        kind = "a sparse array" if issparse(x) else reprlib.repr(x)
        remedy = "toarray()" if issparse(x) else "a device array or a list of numbers"
        raise refusal(
            f"{name}: {what} is {kind}, which is no array of numbers; pass {remedy}"
        ) from None


def real(name: str, shown: str, value: Any) -> float:
    """A real number, or TypeError."""
    if not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except TypeError:
            pass
    raise TypeError(f"{name}: {shown} is a real number, not {value!r}")
