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
from gpuarray._ops.host_copies import asnumpy

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


#: The parameters of assertions.
_PARAMETERS = {
    "actual, x, a": ("array_like", "What is checked: an array of either library, or numbers."),
    "desired, y, b": ("array_like", "What it is compared with, likewise."),
    "rtol, atol": ("float, optional", "The relative and the absolute bound."),
    "decimal": ("int, optional", "How many decimals must agree."),
    "significant": ("int, optional", "How many digits must agree."),
    "nulp": (
        "int, optional",
        "How many spacings of the greater one of two elements they may differ by.",
    ),
    "maxulp": ("int, optional", "How many units in the last place elements may differ by."),
    "dtype": ("dtype, optional", "What elements are converted to."),
    "comparison": ("callable", "Takes two arrays of the host and returns one of bool."),
    "equal_nan, equal_inf": ("bool, optional", "Whether NaN, and infinities, of both are equal."),
    "header": ("str, optional", "The first line of the message."),
    "precision": ("int, optional", "Decimals of numbers in the message."),
    "names": ("tuple of str, optional", "What the message calls the two."),
    "err_msg": ("str, optional", "What the message says besides."),
    "verbose": ("bool, optional", "Whether the message shows the values."),
    "strict": (
        "bool, optional",
        "Whether shapes and dtypes must be equal; a number is not broadcast then.",
    ),
}


def _described(function: Callable[..., Any]) -> str:
    """The section on a function's parameters."""
    names = list(inspect.signature(function).parameters)
    entries = {}
    for together, (kind, text) in _PARAMETERS.items():
        here = [name for name in names if name in together.split(", ")]
        if here:
            entries[names.index(here[0])] = f"{', '.join(here)} : {kind}\n    {text}"
    return "\n".join(["Parameters", "----------", *[entries[i] for i in sorted(entries)]])


def _assertion(name: str, summary: str, example: str) -> Callable[..., Any]:
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
    returned, shown = "None", ""
    if name == "assert_array_max_ulp":
        shown = "differences = "
        returned = "ndarray of numpy\n    The differences in units in the last place."
    function.__doc__ = f"""{summary}

{_described(theirs)}

Returns
-------
{returned}

Raises
------
AssertionError
    If not.

Examples
--------
>>> from gpuarray import testing
>>> {shown}testing.{name}({example})
"""
    return function


assert_allclose = _assertion(
    "assert_allclose",
    "Check that elements are close, within relative and absolute bounds.",
    "cp.sqrt(cp.asarray([4.0])), [2.0], rtol=1e-12",
)
assert_almost_equal = _assertion(
    "assert_almost_equal",
    "Check that numbers or arrays are equal to some decimals.",
    "cp.asarray(0.3333), 1 / 3, decimal=3",
)
assert_approx_equal = _assertion(
    "assert_approx_equal",
    "Check that two numbers are equal to some significant digits.",
    "0.3333, 1 / 3, significant=3",
)
assert_array_almost_equal = _assertion(
    "assert_array_almost_equal",
    "Check that elements are equal to some decimals.",
    "cp.asarray([0.3333]), [1 / 3], decimal=3",
)
assert_array_almost_equal_nulp = _assertion(
    "assert_array_almost_equal_nulp",
    "Check that elements differ by a few of their spacings.",
    "cp.ones(2), np.ones(2)",
)
assert_array_compare = _assertion(
    "assert_array_compare",
    "Check that a comparison of host arrays is true of all elements.",
    "np.less, np.zeros(2), np.ones(2)",
)
assert_array_less = _assertion(
    "assert_array_less",
    "Check that elements of the first array are less than the second's.",
    "cp.zeros(2), cp.ones(2)",
)
assert_array_max_ulp = _assertion(
    "assert_array_max_ulp",
    "Check that elements differ by some units in the last place.",
    "cp.ones(2), np.ones(2), maxulp=1",
)
assert_equal = _assertion(
    "assert_equal",
    "Check that numbers, arrays, lists or dicts of them are equal.",
    "[cp.arange(2)], [np.arange(2)]",
)
assert_string_equal = _assertion(
    "assert_string_equal",
    "Check that two texts are equal.",
    "'one', 'one'",
)
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

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.assert_(1 < 2)
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
    err_msg : str, optional
        What the message says besides.
    verbose : bool, optional
        Whether the message shows the values.
    strict : bool, optional
        Whether shapes and dtypes must be equal; a number is not broadcast then.
    strides_check : bool, optional
        Whether the strides must be equal, too.

    Raises
    ------
    AssertionError
        If not.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.assert_array_equal(cp.arange(3), [0, 1, 2])
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
    err_msg : str, optional
        What the message says besides.
    verbose : bool, optional
        Whether the message shows the values.

    Raises
    ------
    AssertionError
        If not, or if the types or lengths differ.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.assert_array_list_equal([cp.arange(2)], [np.arange(2)])
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

    Examples
    --------
    >>> from gpuarray import testing
    >>> import warnings
    >>> with testing.assert_warns(UserWarning):
    ...     warnings.warn("careful")
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

    Examples
    --------
    >>> from gpuarray import testing
    >>> with testing.assert_no_warnings():
    ...     x = cp.arange(3)
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
