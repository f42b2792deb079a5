"""Decorators that call a test with each of some dtypes, memory orders or axes."""

from __future__ import annotations

import functools
import inspect
import random
import unittest
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray.testing._parameters import product

__all__ = [
    "for_CF_orders", "for_all_dtypes", "for_all_dtypes_combination", "for_complex_dtypes",
    "for_contiguous_axes", "for_dtypes", "for_dtypes_combination", "for_float_dtypes",
    "for_int_dtypes", "for_int_dtypes_combination", "for_orders", "for_signed_dtypes",
    "for_signed_dtypes_combination", "for_unsigned_dtypes", "for_unsigned_dtypes_combination",
]  # fmt: skip

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

BOOL = (np.bool_,)
SIGNED = tuple([np.dtype(char).type for char in "bhilq"])
UNSIGNED = tuple([np.dtype(char).type for char in "BHILQ"])
FLOATS = (np.float64, np.float32, np.float16)
COMPLEX = (np.complex64, np.complex128)


def skips() -> tuple[type[BaseException], ...]:
    """What a test raises that is to be skipped."""
    try:
        import pytest
    except ImportError:
        return (unittest.SkipTest,)
    return unittest.SkipTest, pytest.skip.Exception


def without(function: Callable[..., Any], names: Iterable[str | None]) -> Decorator:
    """A decorator of what calls a test: it looks like the test without some parameters."""
    signature = inspect.signature(function)
    kept = [x for x in signature.parameters.values() if x.name not in names]

    def decorator(calling: Any) -> Any:
        made: Any = functools.wraps(function)(calling)
        made.__signature__ = signature.replace(parameters=kept)
        return made

    return decorator


def _for_each(names: Sequence[str], sets: Iterable[dict[str, Any]]) -> Decorator:
    """A decorator: the test is called with each set of arguments; some may be skipped."""
    sets = list(sets)

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def calling(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            skipped = 0
            for given in sets:
                try:
                    test(*args, **kwargs, **given)
                except skips():
                    skipped += 1
                    if skipped == len(sets):
                        raise
                except Exception as error:
                    shown = ", ".join([f"{k} = {_shown(x)}" for k, x in given.items()])
                    error.add_note(f"with {shown}")
                    raise

        return calling

    return decorator


def _shown(value: Any) -> str:
    return getattr(value, "__name__", None) or repr(value)


def for_dtypes(dtypes: Iterable[Any], name: str = "dtype") -> Decorator:
    """A decorator: the test is called with each dtype.

    Parameters
    ----------
    dtypes : iterable of dtype
        The dtypes.
    name : str, optional
        The test's parameter, which gets a scalar type.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_dtypes(["f4", "i8"])
    ... def test_it(dtype):
    ...     print(dtype.__name__)
    >>> test_it()
    float32
    int64
    """
    return _for_each([name], [{name: np.dtype(dtype).type} for dtype in dtypes])


def _all_dtypes(no_float16: bool, no_bool: bool, no_complex: bool) -> tuple[Any, ...]:
    chosen: tuple[Any, ...] = FLOATS[:2] if no_float16 else FLOATS
    chosen += SIGNED + UNSIGNED
    return chosen + (() if no_bool else BOOL) + (() if no_complex else COMPLEX)


def for_all_dtypes(
    name: str = "dtype", no_float16: bool = False, no_bool: bool = False, no_complex: bool = False
) -> Decorator:
    """A decorator: the test is called with each dtype of numbers.

    Parameters
    ----------
    name : str, optional
        The test's parameter.
    no_float16, no_bool, no_complex : bool, optional
        What to leave out.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_all_dtypes(no_complex=True)
    ... @testing.numpy_cupy_array_equal()
    ... def test_maximum(xp, dtype):
    ...     x = testing.shaped_arange((2, 3), xp, dtype)
    ...     return xp.maximum(x, x[::-1])
    >>> test_maximum()
    """
    return for_dtypes(_all_dtypes(no_float16, no_bool, no_complex), name)


@sharing(texts_of(for_all_dtypes))
def for_float_dtypes(name: str = "dtype", no_float16: bool = False) -> Decorator:
    """As `for_all_dtypes`, with the dtypes of floats.

    Parameters
    ----------
    {name}
    no_float16 : bool, optional
        What to leave out.

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_float_dtypes(no_float16=True)
    ... def test_it(dtype):
    ...     print(dtype.__name__)
    >>> test_it()
    float64
    float32
    """
    return for_dtypes(FLOATS[:2] if no_float16 else FLOATS, name)


@sharing(texts_of(for_all_dtypes))
def for_signed_dtypes(name: str = "dtype") -> Decorator:
    """As `for_all_dtypes`, with the dtypes of signed integers.

    Parameters
    ----------
    {name}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_signed_dtypes()
    ... def test_it(dtype):
    ...     assert np.dtype(dtype).kind == "i"
    >>> test_it()
    """
    return for_dtypes(SIGNED, name)


@sharing(texts_of(for_all_dtypes))
def for_unsigned_dtypes(name: str = "dtype") -> Decorator:
    """As `for_all_dtypes`, with the dtypes of unsigned integers.

    Parameters
    ----------
    {name}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_unsigned_dtypes()
    ... def test_it(dtype):
    ...     assert np.dtype(dtype).kind == "u"
    >>> test_it()
    """
    return for_dtypes(UNSIGNED, name)


@sharing(texts_of(for_all_dtypes))
def for_int_dtypes(name: str = "dtype", no_bool: bool = False) -> Decorator:
    """As `for_all_dtypes`, with the dtypes of integers, and bool.

    Parameters
    ----------
    {name}
    no_bool : bool, optional
        What to leave out.

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_int_dtypes(no_bool=True)
    ... def test_it(dtype):
    ...     assert np.dtype(dtype).kind in "iu"
    >>> test_it()
    """
    return for_dtypes(SIGNED + UNSIGNED + (() if no_bool else BOOL), name)


@sharing(texts_of(for_all_dtypes))
def for_complex_dtypes(name: str = "dtype") -> Decorator:
    """As `for_all_dtypes`, with the dtypes of complex numbers.

    Parameters
    ----------
    {name}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_complex_dtypes()
    ... def test_it(dtype):
    ...     print(dtype.__name__)
    >>> test_it()
    complex64
    complex128
    """
    return for_dtypes(COMPLEX, name)


def for_dtypes_combination(
    types: Iterable[Any], names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """A decorator: the test is called with combinations of dtypes.

    Parameters
    ----------
    types : iterable of dtype
        The dtypes.
    names : sequence of str, optional
        The test's parameters.
    full : bool, optional
        Whether with all combinations. By default with some in which each parameter gets each dtype
        twice, the same in each run.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_dtypes_combination(["f4", "f8"], names=["one", "other"], full=True)
    ... def test_it(one, other):
    ...     print(one.__name__, other.__name__)
    >>> test_it()
    float32 float32
    float32 float64
    float64 float32
    float64 float64
    """
    chosen = [np.dtype(dtype).type for dtype in types]
    if len(names) == 1:
        return for_dtypes(chosen, names[0])
    if full:
        return _for_each(names, product(dict.fromkeys(names, chosen)))
    numbers = random.Random(0)
    columns = [chosen + numbers.sample(chosen, len(chosen)) for _ in names]
    # In the order in which they were found, each once.
    rows = dict.fromkeys(zip(*columns, strict=True))
    return _for_each(names, [dict(zip(names, row, strict=True)) for row in rows])


@sharing({**texts_of(for_all_dtypes), **texts_of(for_dtypes_combination)})
def for_all_dtypes_combination(
    names: Sequence[str] = ("dtyes",),
    no_float16: bool = False,
    no_bool: bool = False,
    full: bool | None = None,
    no_complex: bool = False,
) -> Decorator:
    """As `for_dtypes_combination`, with the dtypes of `for_all_dtypes`.

    Parameters
    ----------
    {names}
    {no_float16}
    {full}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_all_dtypes_combination(names=["one", "other"], no_complex=True)
    ... def test_it(one, other):
    ...     assert np.result_type(one, other).kind != "c"
    >>> test_it()
    """
    return for_dtypes_combination(_all_dtypes(no_float16, no_bool, no_complex), names, full)


@sharing(texts_of(for_dtypes_combination))
def for_signed_dtypes_combination(
    names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """As `for_dtypes_combination`, with the dtypes of signed integers.

    Parameters
    ----------
    {names}
    {full}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_signed_dtypes_combination(names=["one", "other"])
    ... def test_it(one, other):
    ...     assert np.result_type(one, other).kind == "i"
    >>> test_it()
    """
    return for_dtypes_combination(SIGNED, names, full)


@sharing(texts_of(for_dtypes_combination))
def for_unsigned_dtypes_combination(
    names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """As `for_dtypes_combination`, with the dtypes of unsigned integers.

    Parameters
    ----------
    {names}
    {full}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_unsigned_dtypes_combination(names=["one", "other"])
    ... def test_it(one, other):
    ...     assert np.result_type(one, other).kind == "u"
    >>> test_it()
    """
    return for_dtypes_combination(UNSIGNED, names, full)


@sharing(texts_of(for_dtypes_combination))
def for_int_dtypes_combination(
    names: Sequence[str] = ("dtype",), no_bool: bool = False, full: bool | None = None
) -> Decorator:
    """As `for_dtypes_combination`, with the dtypes of integers, and bool.

    Parameters
    ----------
    {names}
    no_bool : bool, optional
        What to leave out.
    {full}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_int_dtypes_combination(names=["one", "other"], no_bool=True)
    ... def test_it(one, other):
    ...     assert np.dtype(one).kind in "iu"
    >>> test_it()
    """
    return for_dtypes_combination(SIGNED + UNSIGNED + (() if no_bool else BOOL), names, full)


def for_orders(orders: Iterable[Any], name: str = "order") -> Decorator:
    """A decorator: the test is called with each memory order.

    Parameters
    ----------
    orders : iterable
        The orders.
    name : str, optional
        The test's parameter.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_orders("CF")
    ... def test_it(order):
    ...     print(order)
    >>> test_it()
    C
    F
    """
    return _for_each([name], [{name: order} for order in orders])


@sharing(texts_of(for_orders))
def for_CF_orders(name: str = "order") -> Decorator:
    """As `for_orders`, with what stands for C and Fortran order: None, 'C', 'F', 'c' and 'f'.

    Parameters
    ----------
    {name}

    {Returns}

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.for_CF_orders()
    ... def test_it(order):
    ...     assert order in (None, "C", "F", "c", "f")
    >>> test_it()
    """
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name: str = "axis") -> Decorator:
    """A decorator: a method is called with axes that lie behind one another in memory.

    They are the last one, the last two and so on in C order, the first ones in Fortran order. The
    method gets ``shape`` and ``order`` as keywords, too.

    Parameters
    ----------
    name : str, optional
        The method's parameter.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> class TestSums:
    ...     @testing.for_contiguous_axes()
    ...     def test_it(self, shape, order, axis):
    ...         print(axis)
    >>> TestSums().test_it(shape=(2, 3), order="C")
    (0, 1)
    (1,)
    """

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, [name])
        def calling(self: Any, *args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ndim, order = len(kwargs["shape"]), kwargs["order"]
            if order not in ("C", "c", "F", "f"):
                raise ValueError(f"for_contiguous_axes: order must be 'C' or 'F', got {order!r}")
            every = tuple(range(ndim))
            last = order in ("C", "c")
            sets = [{name: every[i:] if last else every[: i + 1]} for i in range(ndim)]
            bound = functools.partial(test, self)
            _for_each([name], sets)(bound)(*args, **kwargs)

        return calling

    return decorator
