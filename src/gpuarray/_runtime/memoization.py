"""Results that are kept for a function's arguments, and for each device."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device

__all__ = ["clear_memo", "memoize"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_MISSING = object()


class _Results(dict):
    """The results of one function, which die with it."""

    __slots__ = ("__weakref__",)

    # Tables are told apart by whose they are, not by what is in them.
    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]  # dict has none


_tables: weakref.WeakSet[_Results] = weakref.WeakSet()


def memoize(for_each_device: bool = False) -> Callable[[_Function], _Function]:
    """A decorator: a function's result is kept, and returned for equal arguments.

    Parameters
    ----------
    for_each_device : bool, optional
        Whether there is a result for each device.

    Returns
    -------
    callable
        The decorator. Arguments of the function must be hashable.

    Examples
    --------
    >>> import gpuarray as cp
    >>> @cp.memoize(for_each_device=True)
    ... def window(n):
    ...     print("made")
    ...     return cp.ones(n)
    >>> window(3) is window(3)
    made
    True
    """

    def decorator(function: Any) -> Any:
        results = _Results()
        _tables.add(results)

        @functools.wraps(function)
        def kept(*args: Any, **kwargs: Any) -> Any:
            device = current.stream.device.id if for_each_device else -1
            key = (device, args, frozenset(kwargs.items())) if kwargs else (device, args)
            result = results.get(key, _MISSING)
            if result is _MISSING:
                result = results.setdefault(key, function(*args, **kwargs))
            return result

        return kept

    return decorator


def clear_memo() -> None:
    """Forget the results of all functions under `memoize`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.clear_memo()
    """
    for results in list(_tables):
        results.clear()


def _forget(device: Device) -> None:
    """A reset takes away what results for the device may hold."""
    for results in list(_tables):
        for key in [key for key in list(results) if key[0] == device.id]:
            results.pop(key, None)


Device.when_reset(_forget)
