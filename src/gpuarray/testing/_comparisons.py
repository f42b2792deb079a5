"""Decorators that call a test with NumPy and with gpuarray, and compare what it returns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray.testing import _assertions
from gpuarray.testing._assertions import on_host
from gpuarray.testing._loops import Decorator, without
from gpuarray.testing._outcomes import Names, check_errors, compared, run_both

__all__ = [
    "numpy_cupy_allclose", "numpy_cupy_array_almost_equal", "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal", "numpy_cupy_array_less", "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp", "numpy_cupy_equal", "numpy_cupy_raises",
]  # fmt: skip


@sharing(texts_of(_assertions.assert_allclose))
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
    {err_msg}
    {verbose}
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

    names = Names(name, sp_name, scipy_name)
    return compared(check, names, type_check, contiguous_check, accept_error, _check_sparse_format)


@sharing({**texts_of(_assertions.assert_array_almost_equal), **texts_of(numpy_cupy_allclose)})
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

    Parameters
    ----------
    {decimal}
    {err_msg}
    {verbose}
    {name}
    {type_check}
    {accept_error}
    {sp_name}

    {Returns}

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

    return compared(check, Names(name, sp_name, scipy_name), type_check, False, accept_error)


@sharing({**texts_of(_assertions.assert_array_almost_equal_nulp), **texts_of(numpy_cupy_allclose)})
def numpy_cupy_array_almost_equal_nulp(
    nulp: float = 1,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Any = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_allclose`, by `assert_array_almost_equal_nulp`.

    Parameters
    ----------
    {nulp}
    {name}
    {type_check}
    {accept_error}
    {sp_name}

    {Returns}

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

    return compared(check, Names(name, sp_name, scipy_name), type_check, False, accept_error)


@sharing({**texts_of(_assertions.assert_array_max_ulp), **texts_of(numpy_cupy_allclose)})
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

    Parameters
    ----------
    {maxulp}
    {dtype}
    {name}
    {type_check}
    {accept_error}
    {sp_name}

    {Returns}

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

    return compared(check, Names(name, sp_name, scipy_name), type_check, False, accept_error)


@sharing({**texts_of(_assertions.assert_array_equal), **texts_of(numpy_cupy_allclose)})
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

    Parameters
    ----------
    {err_msg}
    {verbose}
    {name}
    {type_check}
    {accept_error}
    {sp_name}
    {strides_check}

    {Returns}

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

    return compared(check, Names(name, sp_name, scipy_name), type_check, False, accept_error)


@sharing(texts_of(numpy_cupy_allclose))
def numpy_cupy_array_list_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """As `numpy_cupy_array_equal`, which takes lists of arrays, too; it is deprecated in CuPy.

    Parameters
    ----------
    {err_msg}
    {verbose}
    {name}
    {sp_name}

    {Returns}

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


@sharing(texts_of(numpy_cupy_allclose))
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

    Parameters
    ----------
    {err_msg}
    {verbose}
    {name}
    {type_check}
    {accept_error}
    {sp_name}

    {Returns}

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

    return compared(check, Names(name, sp_name, scipy_name), type_check, False, accept_error)


@sharing(texts_of(numpy_cupy_allclose))
def numpy_cupy_equal(
    name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None
) -> Decorator:
    """A decorator: the test returns equal objects with NumPy and with gpuarray.

    Parameters
    ----------
    {name}
    {sp_name}

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
    names = Names(name, sp_name, scipy_name)

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def comparing(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ours, theirs = run_both(test, names, args, kwargs)
            if ours.error is not None or theirs.error is not None:
                check_errors(ours.error, theirs.error, False)
                return
            if on_host(ours.result) != theirs.result:
                raise AssertionError(
                    f"the results differ\ngpuarray: {ours.result}\nNumPy: {theirs.result}"
                )

        return comparing

    return decorator


@sharing(texts_of(numpy_cupy_allclose))
def numpy_cupy_raises(
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
    accept_error: Any = Exception,
) -> Decorator:
    """A decorator: the test raises errors of one class with NumPy and with gpuarray.

    Parameters
    ----------
    {name}
    {sp_name}
    {accept_error}

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
    names = Names(name, sp_name, scipy_name)

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def comparing(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ours, theirs = run_both(test, names, args, kwargs)
            check_errors(ours.error, theirs.error, accept_error)

        return comparing

    return decorator
