"""Decorators that call a test with NumPy and with gpuarray, and compare what it returns."""

from __future__ import annotations

import importlib
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import gpuarray
from gpuarray._array import ArrayBase
from gpuarray._namespace.docstrings import shares
from gpuarray.testing import _assertions
from gpuarray.testing._assertions import on_host
from gpuarray.testing._loops import FLOATS, SIGNED, UNSIGNED, Decorator, skips, without

__all__ = [
    "numpy_cupy_allclose", "numpy_cupy_array_almost_equal", "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal", "numpy_cupy_array_less", "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp", "numpy_cupy_equal", "numpy_cupy_raises",
]  # fmt: skip


class _Names(NamedTuple):
    """The test's parameters for modules."""

    xp: str
    sparse: str | None
    scipy: str | None

    def modules(self, ours: bool) -> dict[str, Any]:
        """The modules of one library by the parameters' names."""
        given = {self.xp: gpuarray if ours else np}
        if self.sparse:
            given[self.sparse] = importlib.import_module(_SPARSE[ours])
        if self.scipy:
            given[self.scipy] = importlib.import_module(_SCIPY[ours])
        return given


_SPARSE = {True: "gpuarray.scipy.sparse", False: "scipy.sparse"}
_SCIPY = {True: "gpuarray.scipy", False: "scipy"}


class _Outcome(NamedTuple):
    result: Any
    error: BaseException | None


def _run(test: Callable[..., Any], args: Any, kwargs: Any) -> _Outcome:
    caught: tuple[type[BaseException], ...] = (Exception, *skips())
    try:
        return _Outcome(test(*args, **kwargs), None)
    except caught as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is None:
            raise  # the call is wrong, and the test was not entered
        return _Outcome(None, error)


def _run_both(
    test: Callable[..., Any], names: _Names, args: Any, kwargs: Any
) -> tuple[_Outcome, _Outcome]:
    """What the test does with gpuarray, and with NumPy."""
    ours = _run(test, args, kwargs | names.modules(True))
    return ours, _run(test, args, kwargs | names.modules(False))


# ---- errors ------------------------------------------------------------------------------------

#: The classes by which a program can tell errors apart.
_CLASSES = (
    AttributeError, IndexError, TypeError, ValueError, NotImplementedError, DeprecationWarning,
    np.exceptions.AxisError, np.linalg.LinAlgError,
)  # fmt: skip


def _text(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error)) if error is not None else "no error"


def _check_errors(ours: BaseException | None, theirs: BaseException | None, accepted: Any) -> None:
    """Both raise errors of the same classes, which are accepted."""
    __tracebackhide__ = True
    if isinstance(ours, skips()) and isinstance(theirs, skips()):
        raise theirs
    allowed = Exception if accepted is True else accepted or ()
    if ours is None and theirs is None:
        raise AssertionError("neither gpuarray nor NumPy raises an error")
    if ours is None or theirs is None:
        which = "NumPy" if ours is None else "gpuarray"
        message = f"only {which} raises an error"
    elif any(isinstance(ours, one) != isinstance(theirs, one) for one in _CLASSES):
        message = "gpuarray and NumPy raise errors of different classes"
    elif not (isinstance(ours, allowed) and isinstance(theirs, allowed)):
        message = "gpuarray and NumPy raise errors"
    else:
        return
    first = theirs if ours is None else ours
    text = f"{message}\n\ngpuarray:\n{_text(ours)}\nNumPy:\n{_text(theirs)}"
    raise AssertionError(text).with_traceback(first.__traceback__ if first else None)


# ---- results -----------------------------------------------------------------------------------


def _as_arrays(ours: Any, theirs: Any, check_format: bool = True) -> tuple[Any, Any]:
    """A result of each library as an array of it."""
    if isinstance(ours, ArrayBase) and isinstance(theirs, np.ndarray | np.generic):
        return ours, theirs
    if isinstance(theirs, np.poly1d) and hasattr(ours, "coeffs"):
        assert ours.variable == theirs.variable
        return ours.coeffs, theirs.coeffs
    if hasattr(theirs, "toarray") and hasattr(ours, "toarray"):  # sparse matrices
        if check_format:
            assert ours.format == theirs.format
        return ours.toarray(), theirs.toarray()
    if isinstance(ours, np.generic) and isinstance(theirs, np.generic):
        return ours, theirs
    if np.isscalar(ours) and np.isscalar(theirs):
        return np.array(ours), np.array(theirs)
    raise AssertionError(
        f"gpuarray returns a {type(ours).__name__}, NumPy a {type(theirs).__name__}"
    )


def _check_contiguity(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, np.ndarray) and isinstance(ours, ArrayBase):
        layout = ours._layout
        for name in ("c_contiguous", "f_contiguous"):
            if getattr(theirs.flags, name) and not getattr(layout, name):
                raise AssertionError(f"NumPy's result is {name}, gpuarray's is not")


def _positive(
    test: Callable[..., Any], names: _Names, args: Any, kwargs: Any, results: Sequence[Any]
) -> list[Any]:
    """Where unsigned results are not from negative numbers, of which a GPU makes other ones.

    None where all are compared: only a test with signed and unsigned dtypes can have such.
    """
    dtypes = [x for x in kwargs.values() if isinstance(x, type) and issubclass(x, np.generic)]
    mixed = any(x in UNSIGNED for x in dtypes) and any(x in SIGNED + FLOATS for x in dtypes)
    if not mixed or not any(x.dtype.kind == "u" for x in results):
        return [None] * len(results)
    signed = {
        name: np.dtype(np.dtype(x).char.lower()).type if x in dtypes and x in UNSIGNED else x
        for name, x in kwargs.items()
    }
    found = _run(test, args, signed | names.modules(True)).result
    found = found if isinstance(found, list | tuple) else [found]
    return [
        on_host(x) >= 0 if one.dtype.kind == "u" else None
        for one, x in zip(results, found, strict=True)
    ]


def _compared(
    check: Callable[[Any, Any], None],
    names: _Names,
    type_check: bool,
    contiguous_check: bool,
    accept_error: Any,
    check_format: bool = True,
) -> Decorator:
    """A decorator that compares the arrays which a test returns."""

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def comparing(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ours, theirs = _run_both(test, names, args, kwargs)
            if ours.error is not None or theirs.error is not None:
                _check_errors(ours.error, theirs.error, accept_error)
                return
            assert ours.result is not None, "the test returns nothing to compare"
            assert theirs.result is not None, "the test returns nothing to compare"
            mine, wanted = [
                x.result if isinstance(x.result, list | tuple) else [x.result]
                for x in (ours, theirs)
            ]
            assert len(mine) == len(wanted), (len(mine), len(wanted))
            pairs = [_as_arrays(x, y, check_format) for x, y in zip(mine, wanted, strict=True)]
            for x, y in pairs:
                if type_check and x.dtype != y.dtype:
                    raise AssertionError(f"gpuarray's dtype is {x.dtype}, NumPy's {y.dtype}")
                assert x.shape == y.shape, (x.shape, y.shape)
            if contiguous_check:
                for x, y in zip(mine, wanted, strict=True):
                    _check_contiguity(x, y)
            masks = _positive(test, names, args, kwargs, [x for x, _ in pairs])
            for (x, y), mask in zip(pairs, masks, strict=True):
                if mask is None:
                    check(x, y)
                else:
                    check(on_host(x)[mask], np.asarray(y)[mask])

        return comparing

    return decorator


@shares(_assertions.assert_allclose, but=("Raises", "Examples"))
def numpy_cupy_allclose(
    rtol: Any = 1e-7,
    atol: Any = 0,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    contiguous_check: bool = True,
    *,
    _check_sparse_format: bool = True,
) -> Decorator:
    """A decorator: what the test returns with NumPy and with gpuarray is close.

    Parameters
    ----------
    rtol, atol : float or dict, optional
        Relative and absolute bounds; a dict has them by scalar type, and others' as ``'default'``.
    err_msg, verbose
        As for `assert_allclose`.
    name : str, optional
        The test's parameter, which gets the module.
    type_check : bool, optional
        Whether dtypes must be equal.
    accept_error : bool, type or tuple of types, optional
        Errors that the test may raise, of the same class with both; True for any.
    sp_name, scipy_name : str, optional
        Parameters that get ``scipy.sparse`` and ``scipy``, or the modules for the device.
    contiguous_check : bool, optional
        Whether a result must be contiguous where NumPy's is.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    TypeError
        If bounds by dtype are not by scalar types, or lack one that is met.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_allclose(rtol=1e-6)
    ... def test_mean(xp):
    ...     return xp.mean(testing.shaped_random((3, 4), xp), axis=0)
    >>> test_mean()
    """
    for bound in (rtol, atol):
        if isinstance(bound, dict):
            if not type_check:
                raise TypeError("numpy_cupy_allclose: bounds by dtype need type_check")
            for key in bound:
                if not isinstance(key, type) and key != "default":
                    raise TypeError(
                        "numpy_cupy_allclose: bounds are by scalar types such as numpy.float32, or "
                        f"'default', not by {key!r}"
                    )

    def bound_of(bounds: Any, dtype: np.dtype) -> float:
        if not isinstance(bounds, dict):
            return bounds
        found = bounds.get(dtype.type, bounds.get("default"))
        if found is None:
            raise TypeError(f"numpy_cupy_allclose: there is no bound for {dtype}")
        return found

    def check(x: Any, y: Any) -> None:
        __tracebackhide__ = True
        bounds = bound_of(rtol, x.dtype), bound_of(atol, x.dtype)
        _assertions.assert_allclose(x, y, *bounds, err_msg=err_msg, verbose=verbose)

    names = _Names(name, sp_name, scipy_name)
    return _compared(check, names, type_check, contiguous_check, accept_error, _check_sparse_format)


@shares(numpy_cupy_allclose, _assertions.assert_array_almost_equal, but=("Raises", "Examples"))
def numpy_cupy_array_almost_equal(
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal`.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_array_almost_equal(decimal=5)
    ... def test_it(xp):
    ...     return xp.mean(xp.arange(4.0))
    >>> test_it()
    """

    def check(x: Any, y: Any) -> None:
        __tracebackhide__ = True
        _assertions.assert_array_almost_equal(x, y, decimal, err_msg, verbose)

    return _compared(check, _Names(name, sp_name, scipy_name), type_check, False, accept_error)


@shares(numpy_cupy_allclose, _assertions.assert_array_almost_equal_nulp, but=("Raises", "Examples"))
def numpy_cupy_array_almost_equal_nulp(
    nulp: float = 1,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal_nulp`.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_array_almost_equal_nulp(nulp=2)
    ... def test_it(xp):
    ...     return xp.sqrt(xp.arange(4.0))
    >>> test_it()
    """

    def check(x: Any, y: Any) -> None:
        __tracebackhide__ = True
        _assertions.assert_array_almost_equal_nulp(x, y, nulp)

    return _compared(check, _Names(name, sp_name, scipy_name), type_check, False, accept_error)


@shares(numpy_cupy_allclose, _assertions.assert_array_max_ulp, but=("Raises", "Examples"))
def numpy_cupy_array_max_ulp(
    maxulp: int = 1,
    dtype: Any = None,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_max_ulp`.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_array_max_ulp(maxulp=2)
    ... def test_it(xp):
    ...     return xp.sqrt(xp.arange(4.0))
    >>> test_it()
    """

    def check(x: Any, y: Any) -> None:
        __tracebackhide__ = True
        _assertions.assert_array_max_ulp(x, y, maxulp, dtype)

    return _compared(check, _Names(name, sp_name, scipy_name), type_check, False, accept_error)


@shares(numpy_cupy_allclose, _assertions.assert_array_equal, but=("Raises", "Examples"))
def numpy_cupy_array_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    strides_check: bool = False,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_equal`, which can compare strides, too.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_array_equal()
    ... def test_it(xp):
    ...     return xp.arange(4)[::2]
    >>> test_it()
    """

    def check(x: Any, y: Any) -> None:
        __tracebackhide__ = True
        _assertions.assert_array_equal(x, y, err_msg, verbose, strides_check=strides_check)

    return _compared(check, _Names(name, sp_name, scipy_name), type_check, False, accept_error)


@shares(numpy_cupy_allclose, _assertions.assert_array_list_equal, but=("Raises", "Examples"))
def numpy_cupy_array_list_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_array_equal`, which takes lists of arrays, too; it is deprecated in CuPy.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_array_list_equal()  # doctest: +SKIP
    ... def test_it(xp):
    ...     return [xp.arange(3), xp.ones(2)]
    >>> test_it()  # doctest: +SKIP
    """
    warnings.warn(
        "numpy_cupy_array_list_equal is deprecated; use numpy_cupy_array_equal",
        DeprecationWarning,
        stacklevel=2,
    )
    return numpy_cupy_array_equal(
        err_msg, verbose, name, type_check=False, sp_name=sp_name, scipy_name=scipy_name
    )


@shares(numpy_cupy_allclose, _assertions.assert_array_less, but=("Raises", "Examples"))
def numpy_cupy_array_less(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`: elements with gpuarray are less than with NumPy.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_array_less()
    ... def test_it(xp):
    ...     return xp.full(2, 1.0 if xp is np else 0.5)
    >>> test_it()
    """

    def check(x: Any, y: Any) -> None:
        __tracebackhide__ = True
        _assertions.assert_array_less(x, y, err_msg, verbose)

    return _compared(check, _Names(name, sp_name, scipy_name), type_check, False, accept_error)


@shares(numpy_cupy_allclose, but=("Raises", "Examples"))
def numpy_cupy_equal(
    name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None
) -> Decorator:
    """A decorator: the test returns equal objects with NumPy and with gpuarray.

    Parameters
    ----------
    name, sp_name, scipy_name
        As for `numpy_cupy_allclose`.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_equal()
    ... def test_it(xp):
    ...     return xp.arange(6).size
    >>> test_it()
    """
    names = _Names(name, sp_name, scipy_name)

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def comparing(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ours, theirs = _run_both(test, names, args, kwargs)
            if ours.error is not None or theirs.error is not None:
                _check_errors(ours.error, theirs.error, False)
                return
            if on_host(ours.result) != theirs.result:
                raise AssertionError(
                    f"the results differ\ngpuarray: {ours.result}\nNumPy: {theirs.result}"
                )

        return comparing

    return decorator


@shares(numpy_cupy_allclose, but=("Raises", "Examples"))
def numpy_cupy_raises(
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
    accept_error: Any = Exception,
) -> Decorator:
    """A decorator: the test raises errors of one class with NumPy and with gpuarray.

    Parameters
    ----------
    name, sp_name, scipy_name, accept_error
        As for `numpy_cupy_allclose`.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.numpy_cupy_raises()
    ... def test_it(xp):
    ...     return xp.reshape(xp.arange(4), 3)
    >>> test_it()
    """
    names = _Names(name, sp_name, scipy_name)

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def comparing(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ours, theirs = _run_both(test, names, args, kwargs)
            _check_errors(ours.error, theirs.error, accept_error)

        return comparing

    return decorator
