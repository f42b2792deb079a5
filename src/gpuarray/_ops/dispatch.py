"""Interoperability with NumPy: whose functions an argument asks for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _ufunc
from gpuarray._array import ArrayBase, HeldOnDevice
from gpuarray._interchange import is_foreign
from gpuarray._ops.host_copies import asnumpy
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["get_array_module"]


def get_array_module(*args: object) -> ModuleType:
    """The module whose functions work on the arguments.

    Parameters
    ----------
    *args : object
        Arrays and anything else.

    Returns
    -------
    module
        ``gpuarray`` if an argument is a device array, else ``numpy``.

    Examples
    --------
    >>> import numpy as np
    >>> import gpuarray as cp
    >>> cp.get_array_module(cp.ones(2)) is cp, cp.get_array_module(np.ones(2)) is np
    (True, True)
    """
    for x in args:
        if isinstance(x, ArrayBase | HeldOnDevice):
            return importlib.import_module("gpuarray")
    return np


def counterpart(function: Callable[..., Any]) -> Any:
    """What is called in the place of one of NumPy's functions: the public one of the same name.

    There is no list of functions: what a public module gets is dispatched to. None if it is not
    there.
    """
    if isinstance(function, np.ufunc):
        name = function.__name__
        if getattr(np, name, function) is not function:
            return None  # another library's ufunc may have a name of NumPy's, and another meaning
        found = _ufunc.ufuncs.get(name)
        if found is None:  # a ufunc of NumPy's may be a function here
            found = getattr(importlib.import_module("gpuarray"), name, None)
        return found
    module = function.__module__
    if module != "numpy" and not module.startswith("numpy."):
        return None
    module = _PUBLIC_MODULES.get(module, module)
    try:
        ours = importlib.import_module("gpuarray" + module.removeprefix("numpy"))
    except ModuleNotFoundError:
        return None
    found = getattr(ours, function.__name__, None)
    return None if found is function else found


#: Modules that NumPy's functions name as theirs, by other names than users know.
_PUBLIC_MODULES = {"numpy.lib.scimath": "numpy.emath"}


def array_ufunc(self: ndarray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``ndarray.__array_ufunc__``: a ufunc of NumPy's called with a device array."""
    name = ufunc.__name__
    found = counterpart(ufunc)
    if found is None:
        raise TypeError(
            f"numpy.{name} has no counterpart for gpuarray arrays; fetch the operands with "
            "gpuarray.asnumpy(...) to compute on the host"
        )
    if any(is_foreign(type(x), "__array_ufunc__") for x in (*inputs, *kwargs.get("out", ()))):
        return NotImplemented
    if method == "__call__":
        return found(*inputs, **kwargs)
    function = getattr(found, method, None)
    if function is None:
        raise TypeError(
            f"numpy.{name}.{method} is not available for gpuarray arrays; fetch the operands with "
            "gpuarray.asnumpy(...) to compute on the host"
        )
    if method != "outer" and isinstance(kwargs.get("out"), tuple):
        (kwargs["out"],) = kwargs["out"]  # NumPy makes a tuple of it
    return function(*inputs, **kwargs)


def array_function(
    self: ndarray, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    """``ndarray.__array_function__``: a function of NumPy's called with a device array."""
    if any(is_foreign(cls, "__array_function__") for cls in types):
        return NotImplemented
    found = counterpart(func)
    if found is None:
        raise TypeError(
            f"{func.__module__}.{func.__name__} has no counterpart for gpuarray arrays; fetch the "
            "operands with gpuarray.asnumpy(...) to compute on the host"
        )
    if kwargs.get("device", found) is None:
        del kwargs["device"]  # NumPy passes it on from ``like=``
    return found(*args, **kwargs)


#: Modules that compare values for a test, and convert arrays of any library to do so.
_COMPARING = ("_pytest.approx", "_pytest.python_api")


def to_host_array(self: ndarray, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """``ndarray.__array__``: data goes to the host only when asked to.

    ``pytest.approx`` asks, since a test is about the values.
    """
    caller = sys._getframe(1).f_globals.get("__name__")
    if caller in _COMPARING:
        return np.asarray(asnumpy(self), dtype)
    raise HostArrayError(
        f"a gpuarray array of shape {self._layout.shape} and dtype {self._layout.dtype} is not "
        "converted to a numpy.ndarray implicitly; use gpuarray.asnumpy(x) or x.get()"
    )
