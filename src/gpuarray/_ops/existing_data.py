"""Array creation routines: from existing data in host memory, and with requirements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._layout import Layout
from gpuarray._ops.closeness import everywhere
from gpuarray._ops.conversion import array, asarray
from gpuarray._ops.manipulation import as_array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Input, apply

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = [
    "asarray_chkfinite", "frombuffer", "fromiter", "isfortran", "iterable", "require",
]  # fmt: skip


def frombuffer(
    buffer: Any,
    dtype: DTypeLike | None = None,
    count: int = -1,
    offset: int = 0,
    *,
    like: object = None,
) -> ndarray:
    """An array of the bytes of an object in host memory.

    Parameters
    ----------
    buffer : bytes-like
        An object with the buffer protocol.
    dtype : dtype, optional
        How bytes are read; as float64 by default.
    count : int, optional
        How many elements; -1 for all.
    offset : int, optional
        The byte where the first of them begins.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray, 1-D
        A copy in device memory.

    Differences from NumPy
    ----------------------
    The result shares no memory with the buffer, and can be written to.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.frombuffer(b"abc", dtype="u1")
    array([97, 98, 99], dtype=uint8)
    """
    return asarray(np.frombuffer(buffer, _dtypes.parsed(dtype), count, offset))


def fromiter(
    iter: Iterable[Any], dtype: DTypeLike, count: int = -1, *, like: object = None
) -> ndarray:
    """An array of the numbers that an iterator yields.

    Parameters
    ----------
    iter : iterable
        The numbers, in host memory.
    dtype : dtype
        Dtype of the elements.
    count : int, optional
        How many numbers are taken; -1 for all.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray, 1-D
        In device memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fromiter((i * i for i in range(4)), int)
    array([0, 1, 4, 9])
    """
    return asarray(np.fromiter(iter, _dtypes.parsed(dtype), count))


def asarray_chkfinite(
    a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None
) -> ndarray:
    """An array, if it has neither infinities nor NaNs.

    Parameters
    ----------
    a : array_like
        As for `array`.
    dtype : dtype, optional
        Dtype of the result.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory order of the result.

    Returns
    -------
    ndarray
        `a` itself where possible.

    Raises
    ------
    ValueError
        If there is an infinity or a NaN. It waits for the device to see that.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.asarray_chkfinite([1, 2.5])
    array([1. , 2.5])
    """
    result = asarray(a, dtype, order)
    if (
        result.dtype.kind in "fc"
        and result.size
        and not _plan_finite(current.stream, result._layout)(result)
    ):
        raise ValueError("asarray_chkfinite: an element is infinite or NaN; use asarray to keep it")
    return result


@planned
def _plan_finite(stream: Stream, layout: Layout) -> Any:
    """A call of one launch: whether all elements are finite."""
    finite = apply("isfinite", "b1", Input(0, _dtypes.code(layout.dtype)))
    return everywhere("asarray_chkfinite", finite, [layout], [])


#: The flags that `require` knows, by what stands for them.
_REQUIREMENTS = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
    "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E",
    "ENSUREARRAY": "E",
}  # fmt: skip


def require(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    requirements: str | Sequence[str] | None = None,
    *,
    like: object = None,
) -> ndarray:
    """An array that meets requirements, copied where it does not.

    Parameters
    ----------
    a : array_like
        As for `array`.
    dtype : dtype, optional
        Dtype of the result.
    requirements : str or sequence of str, optional
        'C' or 'F' for the memory order, 'W' for one that may be written to, 'O' for one with memory
        of its own; 'A' and 'E' are always met. NumPy's longer names are known as well.
    like : object, optional
        Ignored: results are arrays of this package.

    Returns
    -------
    ndarray
        `a` itself where possible.

    Raises
    ------
    ValueError
        If a requirement is unknown, or both orders are asked for.
    TypeError
        If a requirement is no text.

    Differences from NumPy
    ----------------------
    Of an unknown requirement it raises ValueError, NumPy KeyError.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.require(cp.ones((2, 3)).T, requirements="C").flags.c_contiguous
    True
    """
    if not requirements:
        return asarray(a, dtype)
    wanted = set()
    for one in requirements:
        if not isinstance(one, str):
            raise TypeError(f"require: requirements are texts, got {one!r} in {requirements!r}")
        found = _REQUIREMENTS.get(one.upper())
        if found is None:
            raise ValueError(f"require: unknown requirement {one!r}; known are C, F, A, W, O, E")
        wanted.add(found)
    if wanted >= {"C", "F"}:
        raise ValueError("require: requirements ask for both orders, C and F; give one")
    order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    result = array(a, dtype, None, order)
    if all(result.flags[one] for one in wanted - {"C", "F", "E"}):
        return result
    return copies.copy(result, order)


def isfortran(a: ArrayLike) -> bool:
    """Whether an array lies in memory in Fortran order and not in C order.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    bool
        The answer.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isfortran(cp.ones((2, 3), order="F"))
    True
    """
    return as_array(a, "isfortran").flags.fnc


def iterable(y: object) -> bool:
    """Whether an object can be iterated over.

    Parameters
    ----------
    y : object
        Anything.

    Returns
    -------
    bool
        The answer; an array without dimensions cannot.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.iterable(cp.ones(3)), cp.iterable(cp.array(1))
    (True, False)
    """
    try:
        iter(y)  # type: ignore[call-overload]  # the failure is the answer
    except TypeError:
        return False
    return True
