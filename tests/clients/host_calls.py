"""Functions and classes of gpuarray's that take and give what is on the host."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import gpuarray as cp

#: How deep in calls of stand-ins a thread is: what ours call of their own stays on the device.
_depth = threading.local()


def device(x: Any) -> Any:
    """A host array on the device, in lists as well; anything else as it is."""
    if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind in "biufcM":
        return cp.asarray(np.asarray(x))
    if type(x) in (list, tuple) and any(isinstance(y, np.ndarray) for y in x):
        return type(x)([device(y) for y in x])
    if not isinstance(x, cp.ndarray | np.ndarray | np.generic | type):
        if hasattr(x, "__array_interface__") or hasattr(x, "__array__"):
            return device(np.asarray(x))
    return x


def host(x: Any) -> Any:
    """A result as tests of NumPy's and SciPy's expect it: a scalar for no dimensions."""
    if isinstance(x, cp.ndarray):
        return x.get(order="A") if x.ndim else x.get()[()]
    if type(x) in (list, tuple):
        return type(x)([host(y) for y in x])
    return x


def _like(x: np.ndarray) -> Any:
    """A device array with the memory order and the gaps of a host array, and its elements."""
    if x.flags.c_contiguous or x.flags.f_contiguous or not x.size:
        made = cp.asarray(x)
    else:
        made = cp.zeros([2 * n for n in x.shape], x.dtype)[tuple([slice(None, None, 2)] * x.ndim)]
        made[...] = cp.asarray(x)
    if not x.flags.writeable:
        made.flags.writeable = False
    return made


def host_call(function: Callable[..., Any], changed: Iterable[str] = ()) -> Callable[..., Any]:
    """A function that moves arguments to the device and the result back.

    Parameters
    ----------
    function : callable
        Ours.
    changed : iterable of str
        Arguments that it changes, beside ``out``.
    """
    names = ("out", *changed)
    try:
        positions = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        positions = []

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if getattr(_depth, "calls", 0):
            return function(*args, **kwargs)
        stored: list[tuple[Any, Any]] = []

        def moved(name: str, x: Any) -> Any:
            if name in names and isinstance(x, np.ndarray):
                for there, here in stored:
                    if there is x:
                        return here
                stored.append((x, _like(x)))
                return stored[-1][1]
            for there, here in stored:
                if there is x:
                    return here
            return device(x)

        pairs = [*zip([*positions, *[""] * len(args)], args), *kwargs.items()]
        pairs.sort(key=lambda pair: pair[0] not in names)  # what is changed is moved first
        there = {id(x): moved(name, x) for name, x in pairs}
        _depth.calls = 1
        try:
            result = function(
                *[there[id(x)] for x in args], **{name: there[id(x)] for name, x in kwargs.items()}
            )
        finally:
            _depth.calls = 0
            for x, made in stored:
                if x.flags.writeable:
                    x[...] = made.get()
        for x, made in stored:
            if result is made:
                return x
        return host(result)

    return call


def host_class(ours: type, module: str, changed: dict[str, tuple[str, ...]] | None = None) -> Any:
    """A class like one of ours whose methods are `host_call`'s; pickle finds it in a module."""
    names: dict[str, Any] = {"__doc__": ours.__doc__, "__module__": module}
    for name in dir(ours):
        found = inspect.getattr_static(ours, name)
        if inspect.isfunction(found) and not name.startswith("_"):
            names[name] = host_call(found, (changed or {}).get(name, ()))
    return type(ours.__name__, (ours,), names)
