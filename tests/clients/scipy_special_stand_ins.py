"""Stand-ins for the functions of ``scipy.special`` that compute with gpuarray's.

They move host arrays to the device and results back. When this module is imported they take the
places of SciPy's own, of which a test module that is imported later then gets the stand-ins.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.integrate  # its modules keep SciPy's own functions
import scipy.special
import scipy.special._orthogonal
import scipy.special._ufuncs
import scipy.stats
from scipy._lib._array_api import xp_capabilities_table

import gpuarray as cp
from gpuarray.scipy import special as ours
from gpuarray.scipy.special._orthopolynomials import orthopoly1d

#: What stays SciPy's: the settings of errors, which device code has none of.
_SETTINGS = ("SpecialFunctionError", "SpecialFunctionWarning", "errstate", "geterr", "seterr")


def _device(x: Any) -> Any:
    """A host array, or a list of numbers, on the device."""
    if isinstance(x, np.ma.MaskedArray | np.matrix):
        return x
    if isinstance(x, np.ndarray | np.generic):
        return x if x.dtype == object else cp.asarray(x)
    if isinstance(x, list) and not any(isinstance(y, orthopoly1d) for y in x):
        return cp.asarray(np.asarray(x))
    if isinstance(x, tuple):
        return tuple([_device(y) for y in x])
    return x


def _host(x: Any) -> Any:
    """A result as SciPy's tests expect it."""
    if isinstance(x, cp.ndarray):
        return x.get() if x.ndim else x.get()[()]
    if isinstance(x, orthopoly1d):
        return _Polynomial(x)
    if type(x) in (tuple, list):
        return type(x)([_host(y) for y in x])
    return x


def _moved(function: Any) -> Any:
    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        named = {name: _device(x) for name, x in kwargs.items()}
        moved = [_device(x) for x in args]
        result = function(*moved, **named)
        outputs = kwargs.get("out")
        if outputs is not None:
            several = isinstance(outputs, tuple)
            pairs = zip(
                outputs if several else (outputs,), named["out"] if several else (named["out"],)
            )
            for host, device in pairs:
                if host is not None:
                    host[...] = device.get()
            return outputs if several and len(outputs) > 1 else outputs[0] if several else outputs
        return _host(result)

    return call


class _Polynomial:
    """A polynomial of ours that takes and gives what is on the host."""

    def __init__(self, found: Any):
        self._found = found

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._found, name)
        return _moved(found) if callable(found) else _host(found)

    def __call__(self, x: Any) -> Any:
        return _host(self._found(_device(x)))


class _Ufunc:
    """A ufunc of ours that takes and gives what is on the host."""

    def __init__(self, found: Any):
        self._found = found
        self._call = _moved(found)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._found, name)
        return _moved(found) if callable(found) else found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) > self._found.nin:
            outputs = args[self._found.nin :]
            kwargs["out"] = outputs if len(outputs) > 1 else outputs[0]
            args = args[: self._found.nin]
        return self._call(*args, **kwargs)


def _missing(name: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is not there")

    return call


def _stand_in(name: str) -> Any:
    found = getattr(ours, name, None)
    if found is None:
        return _missing(name)
    if hasattr(found, "nin"):
        return _Ufunc(found)

    @functools.wraps(found, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        # Counts stay on the host, where functions that loop over them need them.
        return moved(*[int(x) if isinstance(x, np.integer) else x for x in args], **kwargs)

    moved = _moved(found)
    return call


for _name in scipy.special.__all__:
    if _name in _SETTINGS or not callable(getattr(scipy.special, _name)):
        continue
    _found = _stand_in(_name)
    _known = xp_capabilities_table.get(getattr(scipy.special, _name))
    if _known is not None:
        xp_capabilities_table[_found] = _known
    for _module in (scipy.special, scipy.special._ufuncs, scipy.special._orthogonal):
        if hasattr(_module, _name):
            setattr(_module, _name, _found)
