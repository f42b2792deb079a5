"""Data type routines: NumPy's own; those that look at arrays also take arrays of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import (
    dtype,
    finfo,
    iinfo,
    isdtype,
    issubdtype,
    mintypecode,
    promote_types,
    typename,
)

from gpuarray import _dtypes
from gpuarray._array import ArrayBase

if TYPE_CHECKING:
    import numpy.typing as npt

    from gpuarray._types import DTypeLike, Operand, ndarray

__all__ = [
    "can_cast", "common_type", "dtype", "finfo", "iinfo", "iscomplexobj", "isdtype", "isrealobj",
    "isscalar", "issubdtype", "min_scalar_type", "mintypecode", "promote_types", "result_type",
    "typename",
]  # fmt: skip


def _host(x: Any) -> Any:
    if isinstance(x, str):
        return _dtypes.parsed(x)
    return x._layout.dtype if isinstance(x, ArrayBase) else x


def result_type(*arrays_and_dtypes: Operand | np.ndarray | DTypeLike) -> np.dtype:
    """The dtype that operands promote to.

    Parameters
    ----------
    *arrays_and_dtypes : ndarray, scalar or dtype
        Operands; Python numbers take on the dtype of the arrays beside them.

    Returns
    -------
    numpy.dtype
        The dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.result_type(cp.ones(2, dtype="f4"), 1)
    dtype('float32')
    """
    return np.result_type(*[_host(x) for x in arrays_and_dtypes])


def can_cast(from_: ndarray | np.ndarray | DTypeLike, to: DTypeLike, casting: str = "safe") -> bool:
    """Whether a dtype can be cast to another under a rule.

    Parameters
    ----------
    from_ : ndarray or dtype
        What is cast.
    to : dtype
        What to.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        The rule.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.can_cast("i4", "i8")
    True
    """
    return _dtypes.can_cast(_host(from_), _dtypes.parsed(to), casting)


def common_type(*arrays: ndarray) -> type[np.inexact]:
    """The inexact scalar type that arrays have in common.

    Parameters
    ----------
    *arrays : ndarray
        Arrays.

    Returns
    -------
    type
        At least float16.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.common_type(cp.ones(2, dtype="f4"), cp.ones(2, dtype="f8")).__name__
    'float64'
    """
    return np.common_type(*[np.empty(0, _host(x)) for x in arrays])


def min_scalar_type(a: ndarray | npt.ArrayLike) -> np.dtype:
    """The smallest dtype that holds a number; the dtype of an array.

    Parameters
    ----------
    a : scalar or ndarray
        The number.

    Returns
    -------
    numpy.dtype
        The dtype.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.min_scalar_type(300)
    dtype('uint16')
    """
    return a._layout.dtype if isinstance(a, ArrayBase) else np.min_scalar_type(a)


def iscomplexobj(x: ndarray | npt.ArrayLike) -> bool:
    """Whether an array has a complex dtype.

    Parameters
    ----------
    x : ndarray or scalar
        The array.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.iscomplexobj(cp.ones(2))
    False
    """
    return x._layout.dtype.kind == "c" if isinstance(x, ArrayBase) else np.iscomplexobj(x)


def isrealobj(x: ndarray | npt.ArrayLike) -> bool:
    """Whether an array has no complex dtype.

    Parameters
    ----------
    x : ndarray or scalar
        The array.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isrealobj(cp.ones(2))
    True
    """
    return not iscomplexobj(x)


def isscalar(element: object) -> bool:
    """Whether an object is a scalar: not an array, not even one without dimensions.

    Parameters
    ----------
    element : object
        Anything.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isscalar(1.5), cp.isscalar(cp.array(1.5))
    (True, False)
    """
    return np.isscalar(element)
