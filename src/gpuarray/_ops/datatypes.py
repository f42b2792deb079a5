"""Data type routines: NumPy's own; those that look at arrays also take arrays of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import (
    datetime_data,
    dtype,
    issubdtype,
    mintypecode,
    typename,
)

from gpuarray import _dtypes
from gpuarray._array import ArrayBase

if TYPE_CHECKING:
    import numpy.typing as npt

    from gpuarray._types import DTypeLike, Operand, ndarray

__all__ = [
    "can_cast", "common_type", "datetime_data", "dtype", "finfo", "iinfo", "iscomplexobj",
    "isdtype", "isrealobj", "isscalar", "issubdtype", "min_scalar_type", "mintypecode",
    "promote_types", "result_type", "typename",
]  # fmt: skip


def _host(x: Any) -> Any:
    if isinstance(x, str):
        return _dtypes.parsed(x)
    return x._layout.dtype if isinstance(x, ArrayBase) else x


_result_type, _can_cast, _promote_types = np.result_type, np.can_cast, np.promote_types

#: The letters of the kinds of dtypes that the array API standard names.
_KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
    "real floating": "f", "complex floating": "c", "numeric": "iufc",
}  # fmt: skip

#: How wide the inexact dtypes are, and whether they are complex.
_INEXACT = {
    np.dtype(np.float16): (0, 0), np.dtype(np.float32): (1, 0), np.dtype(np.float64): (2, 0),
    np.dtype(np.complex64): (1, 1), np.dtype(np.complex128): (2, 1),
}  # fmt: skip
_COMMON: dict[tuple[int, int], type[np.inexact]] = {
    (0, 0): np.float16, (1, 0): np.float32, (2, 0): np.float64,
    (1, 1): np.complex64, (2, 1): np.complex128,
}  # fmt: skip


class FloatLimits:
    """The limits of floats: NumPy's `finfo`, with Python's floats."""

    def __init__(self, limits: Any):
        for name in _LIMITS:
            if hasattr(limits, name):
                value = getattr(limits, name)
                setattr(self, name, float(value) if name in _FLOAT_LIMITS else value)
        self._limits = limits

    def __repr__(self) -> str:
        return repr(self._limits)

    def __str__(self) -> str:
        return str(self._limits)


_FLOAT_LIMITS = (
    "eps", "epsneg", "max", "min", "resolution", "smallest_normal", "smallest_subnormal", "tiny",
)  # fmt: skip
_LIMITS = (
    *_FLOAT_LIMITS,
    "bits", "dtype", "iexp", "machep", "maxexp", "minexp", "negep", "nexp", "nmant", "precision",
)  # fmt: skip

_float_limits: dict[np.dtype, FloatLimits] = {}


def finfo(dtype: ndarray | np.generic | DTypeLike) -> FloatLimits:
    """The limits of floats of a dtype.

    Parameters
    ----------
    dtype : dtype, scalar or ndarray
        Floats or complex numbers.

    Returns
    -------
    FloatLimits
        With the attributes of ``numpy.finfo``; of bfloat16 those of ``ml_dtypes.finfo``.

    Raises
    ------
    ValueError
        If the dtype is none of floats or complex numbers.

    Differences from NumPy
    ----------------------
    A function and no class; arrays are taken for their dtypes, and limits are Python's floats, as
    the array API standard asks.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.finfo(cp.ones(2, dtype="f4")).bits
    32
    """
    given = _host(dtype)
    if isinstance(given, float | complex | np.generic):
        given = np.asarray(given).dtype
    elif not isinstance(given, np.dtype):
        given = _dtypes.parsed(given)
    found = _float_limits.get(given)
    if found is None:
        limits = FloatLimits(_dtypes.finfo(given))
        found = _float_limits.setdefault(given, limits)
    return found


def iinfo(int_type: ndarray | np.generic | DTypeLike) -> np.iinfo:
    """The limits of integers of a dtype.

    Parameters
    ----------
    int_type : dtype, integer or ndarray
        Integers.

    Returns
    -------
    numpy.iinfo
        The limits.

    Raises
    ------
    ValueError
        If the dtype is none of integers.

    Differences from NumPy
    ----------------------
    A function and no class; arrays are taken for their dtypes, as the array API standard asks.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.iinfo(cp.arange(3)).max
    9223372036854775807
    """
    return np.iinfo(_host(int_type))


def isdtype(dtype: DTypeLike, kind: DTypeLike | str | tuple[DTypeLike | str, ...]) -> bool:
    """Whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype
        A dtype, or a scalar type.
    kind : dtype, str or tuple of these
        Dtypes, or 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating',
        'complex floating', 'numeric'.

    Returns
    -------
    bool
        Whether.

    Differences from NumPy
    ----------------------
    bfloat16 of ml_dtypes is 'real floating' and 'numeric'; NumPy refuses it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isdtype(cp.float32, "real floating")
    True
    """
    given: Any = dtype
    if isinstance(given, type) and issubclass(given, np.generic):
        given = np.dtype(given)
    letters = _KINDS.get(kind) if type(kind) is str else None
    if letters is not None and isinstance(given, np.dtype) and given.kind != "V":
        return given.kind in letters
    if isinstance(given, np.dtype) and given.kind == "V":
        if given.names is None and _dtypes.kind(_dtypes.canonical(given)) == "f":
            kinds = kind if isinstance(kind, tuple) else (kind,)
            np.isdtype(np.float32, tuple([x for x in kinds if isinstance(x, str)]))
            return any(
                x in ("real floating", "numeric") if isinstance(x, str) else x == given
                for x in kinds
            )
    return np.isdtype(dtype, kind)  # type: ignore[arg-type]


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype:
    """The smallest dtype to which two dtypes can be cast safely.

    Parameters
    ----------
    type1, type2 : dtype
        Dtypes.

    Returns
    -------
    numpy.dtype
        In the machine's byte order.

    Raises
    ------
    TypeError
        If there is none.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.promote_types("i4", "f4")
    dtype('float64')
    """
    try:
        return _promote_types(type1, type2)
    except UnicodeEncodeError:
        return np.promote_types(_dtypes.parsed(type1), _dtypes.parsed(type2))


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
    try:
        return _result_type(
            *[x._layout.dtype if isinstance(x, ArrayBase) else x for x in arrays_and_dtypes]  # type: ignore[arg-type]  # NumPy checks them
        )
    except UnicodeEncodeError:
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
    if isinstance(from_, ArrayBase):
        from_ = from_._layout.dtype
    try:
        return _can_cast(from_, to, casting)  # type: ignore[arg-type]  # NumPy checks it
    except UnicodeEncodeError:
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

    Raises
    ------
    TypeError
        If an array has no numbers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.common_type(cp.ones(2, dtype="f4"), cp.ones(2, dtype="f8")).__name__
    'float64'
    """
    wide, imaginary = 0, 0
    for x in arrays:
        dtype = x._layout.dtype if isinstance(x, ArrayBase) else np.asarray(x).dtype
        found = _INEXACT.get(dtype)
        if found is None:
            if dtype.kind not in "iu":
                raise TypeError(
                    f"common_type: can't get common type for non-numeric array of dtype {dtype}"
                )
            found = (2, 0)
        wide, imaginary = max(wide, found[0]), imaginary | found[1]
    return _COMMON[wide, imaginary]


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
