"""NumPy's assertions for arrays of either library: what is on the device is fetched once."""

from __future__ import annotations

import contextlib
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asnumpy

__all__ = [
    "assert_", "assert_allclose", "assert_almost_equal", "assert_approx_equal",
    "assert_array_almost_equal", "assert_array_almost_equal_nulp", "assert_array_compare",
    "assert_array_equal", "assert_array_less", "assert_array_list_equal", "assert_array_max_ulp",
    "assert_equal", "assert_no_warnings", "assert_raises", "assert_raises_regex",
    "assert_string_equal", "assert_warns",
]  # fmt: skip


def on_host(x: Any) -> Any:
    """The argument with NumPy arrays in place of device arrays, also within lists and dicts."""
    if isinstance(x, ArrayBase):
        return asnumpy(x)
    if type(x) in (list, tuple):
        return type(x)([on_host(item) for item in x])
    if type(x) is dict:
        return {name: on_host(item) for name, item in x.items()}
    return x


def _assertion(name: str, summary: str) -> Callable[..., Any]:
    """An assertion of NumPy's that takes device arrays, too."""
    theirs = getattr(np.testing, name)

    @functools.wraps(theirs)
    def ours(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return theirs(*[on_host(x) for x in args], **{k: on_host(x) for k, x in kwargs.items()})

    function: Any = ours
    function.__signature__ = inspect.signature(theirs)
    function.__module__ = __name__
    function.__annotations__ = {}
    del function.__wrapped__
    function.__doc__ = f"""{summary}

    Parameters
    ----------
    *args, **kwargs
        As for ``numpy.testing.{name}``; arrays may be of either library.

    Raises
    ------
    AssertionError
        If not.
    """
    return ours


assert_allclose = _assertion(
    "assert_allclose", "Check that elements are close, within relative and absolute bounds."
)
assert_almost_equal = _assertion(
    "assert_almost_equal", "Check that numbers or arrays are equal to some decimals."
)
assert_approx_equal = _assertion(
    "assert_approx_equal", "Check that two numbers are equal to some significant digits."
)
assert_array_almost_equal = _assertion(
    "assert_array_almost_equal", "Check that elements are equal to some decimals."
)
assert_array_almost_equal_nulp = _assertion(
    "assert_array_almost_equal_nulp", "Check that elements differ by a few of their spacings."
)
assert_array_compare = _assertion(
    "assert_array_compare", "Check that a comparison of host arrays is true of all elements."
)
assert_array_less = _assertion(
    "assert_array_less", "Check that elements of the first array are less than the second's."
)
assert_array_max_ulp = _assertion(
    "assert_array_max_ulp", "Check that elements differ by some units in the last place."
)
assert_equal = _assertion(
    "assert_equal", "Check that numbers, arrays, lists or dicts of them are equal."
)
assert_string_equal = _assertion("assert_string_equal", "Check that two texts are equal.")
assert_raises = np.testing.assert_raises
assert_raises_regex = np.testing.assert_raises_regex


def assert_(val: Any, msg: Any = "") -> None:
    """Check that a value is true, also where Python leaves out ``assert``.

    Parameters
    ----------
    val : object
        The value.
    msg : str or callable, optional
        The message, or what makes it.

    Raises
    ------
    AssertionError
        If it is false.
    """
    __tracebackhide__ = True
    if not val:
        raise AssertionError(msg() if callable(msg) else msg)


def assert_array_equal(
    actual: Any,
    desired: Any,
    err_msg: str = "",
    verbose: bool = True,
    *,
    strict: bool = False,
    strides_check: bool = False,
) -> None:
    """Check that elements are equal; NaN equals NaN.

    Parameters
    ----------
    actual, desired : array_like
        Arrays of either library.
    err_msg, verbose, strict : optional
        As for ``numpy.testing.assert_array_equal``.
    strides_check : bool, optional
        Whether the strides must be equal, too.

    Raises
    ------
    AssertionError
        If not.
    """
    __tracebackhide__ = True
    np.testing.assert_array_equal(
        on_host(actual), on_host(desired), err_msg, verbose, strict=strict
    )
    if strides_check and actual.strides != desired.strides:
        shown = f": {actual.strides} and {desired.strides}" if verbose else ""
        raise AssertionError(f"Strides are not equal{shown}\n{err_msg}".rstrip())


def assert_array_list_equal(
    xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True
) -> None:
    """Check that two lists, or two tuples, have equal arrays.

    Parameters
    ----------
    xlist, ylist : list or tuple of array_like
        The arrays.
    err_msg, verbose : optional
        As for `assert_array_equal`.

    Raises
    ------
    AssertionError
        If not, or if the types or lengths differ.
    """
    __tracebackhide__ = True
    if type(xlist) is not type(ylist) or not isinstance(xlist, list | tuple):
        raise AssertionError(
            f"expected two lists or two tuples of arrays, got {type(xlist).__name__} and "
            f"{type(ylist).__name__}"
        )
    if len(xlist) != len(ylist):
        raise AssertionError(f"the lengths are {len(xlist)} and {len(ylist)}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


def assert_warns(warning_class: type[Warning], *args: Any, **kwargs: Any) -> Any:
    """Check that a call, or the body of a ``with`` statement, warns.

    Parameters
    ----------
    warning_class : type
        Of which class the warning must be.
    *args, **kwargs
        The function and its arguments; without, a context is returned.

    Returns
    -------
    object
        What the function returns, or a context.

    Raises
    ------
    AssertionError
        If there is no such warning.
    """
    __tracebackhide__ = True
    if not args:
        return _warning(warning_class)
    function, *arguments = args
    with _warning(warning_class, f" by {getattr(function, '__name__', function)}"):
        return function(*arguments, **kwargs)


@contextlib.contextmanager
def _warning(expected: type[Warning], where: str = "") -> Iterator[None]:
    __tracebackhide__ = True
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(one.message, expected) for one in noted):
        raise AssertionError(f"no {expected.__name__} was issued{where}")


def assert_no_warnings(*args: Any, **kwargs: Any) -> Any:
    """Check that a call, or the body of a ``with`` statement, does not warn.

    Parameters
    ----------
    *args, **kwargs
        The function and its arguments; without, a context is returned.

    Returns
    -------
    object
        What the function returns, or a context.

    Raises
    ------
    AssertionError
        If there is a warning.
    """
    __tracebackhide__ = True
    if not args:
        return _silence()
    function, *arguments = args
    with _silence(f" by {getattr(function, '__name__', function)}"):
        return function(*arguments, **kwargs)


@contextlib.contextmanager
def _silence(where: str = "") -> Iterator[None]:
    __tracebackhide__ = True
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        yield
    if noted:
        issued = ", ".join([f"{one.category.__name__}: {one.message}" for one in noted])
        raise AssertionError(f"warnings were issued{where}: {issued}")
