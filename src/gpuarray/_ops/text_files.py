"""Text files: NumPy's own parsing and formatting of the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import array
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.host_functions import call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["fromstring", "genfromtxt", "loadtxt", "savetxt"]


def savetxt(
    fname: Any,
    X: ArrayLike,
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write an array of one or two dimensions to a text file.

    Parameters
    ----------
    fname : str, path or file
        Where to; a name that ends in ``.gz`` gives a compressed file.
    X : array_like
        The array.
    fmt : str or sequence of str, optional
        How a number is written, or the numbers of each column.
    delimiter, newline, header, footer, comments, encoding : optional
        As for ``numpy.savetxt``.

    Examples
    --------
    >>> import io
    >>> import gpuarray as cp
    >>> file = io.StringIO()
    >>> cp.savetxt(file, cp.eye(2), fmt="%d")
    >>> file.getvalue()
    '1 0\\n0 1\\n'
    """
    host = asnumpy(X)
    call(np.savetxt, fname, host, fmt, delimiter, newline, header, footer, comments, encoding)


def loadtxt(
    fname: Any,
    dtype: DTypeLike | None = float,
    comments: Any = "#",
    delimiter: str | None = None,
    converters: Any = None,
    skiprows: int = 0,
    usecols: Any = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: object = None,
) -> ndarray:
    """An array from a text file with as many values in each row.

    Parameters
    ----------
    fname : str, path, file or iterable of str
        The file.
    dtype : dtype, optional
        The dtype of the array.
    comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows : optional
        As for ``numpy.loadtxt``.
    quotechar : str, optional
        As for ``numpy.loadtxt``.
    like : optional
        Ignored.

    Returns
    -------
    ndarray
        The values; with `unpack` and a structured dtype, a list of arrays.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.loadtxt(["1 2", "3 4"], dtype=cp.int32)
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    found = call(
        np.loadtxt, fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin,
        encoding, max_rows, quotechar=quotechar,
    )  # fmt: skip
    return _on_device(found)


def _on_device(found: Any) -> Any:
    if isinstance(found, list | tuple):
        return type(found)([array(x) for x in found])
    return array(found)


def genfromtxt(
    fname: Any,
    dtype: DTypeLike | None = float,
    comments: Any = "#",
    delimiter: Any = None,
    skip_header: int = 0,
    skip_footer: int = 0,
    converters: Any = None,
    missing_values: Any = None,
    filling_values: Any = None,
    usecols: Any = None,
    names: Any = None,
    excludelist: Any = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space: str = "_",
    autostrip: bool = False,
    case_sensitive: Any = True,
    defaultfmt: str = "f%i",
    unpack: bool | None = None,
    usemask: bool = False,
    loose: bool = True,
    invalid_raise: bool = True,
    max_rows: int | None = None,
    encoding: str | None = None,
    *,
    ndmin: int = 0,
    like: object = None,
) -> ndarray:
    """An array from a text file in which values may be missing.

    Parameters
    ----------
    fname : str, path, file or iterable of str
        The file.
    dtype : dtype, optional
        The dtype of the array.
    comments, delimiter, skip_header, skip_footer, converters, missing_values : optional
        As for ``numpy.genfromtxt``.
    filling_values, usecols, names, excludelist, deletechars, replace_space : optional
        As for ``numpy.genfromtxt``.
    autostrip, case_sensitive, defaultfmt, unpack, loose, invalid_raise, max_rows : optional
        As for ``numpy.genfromtxt``.
    usemask : bool, optional
        Only False: there are no masked arrays.
    encoding, ndmin : optional
        As for ``numpy.genfromtxt``.
    like : optional
        Ignored.

    Returns
    -------
    ndarray
        The values; with `unpack` and a structured dtype, a list of arrays.

    Raises
    ------
    ValueError
        With `usemask`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.genfromtxt(["1,2", "3,"], delimiter=",")
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    if usemask:
        raise ValueError(
            "genfromtxt: there are no masked arrays on the device; use filling_values, or "
            "numpy.genfromtxt for a masked array on the host"
        )
    found = call(
        np.genfromtxt, fname, dtype, comments, delimiter, skip_header, skip_footer, converters,
        missing_values, filling_values, usecols, names, excludelist, deletechars, replace_space,
        autostrip, case_sensitive, defaultfmt, unpack, False, loose, invalid_raise, max_rows,
        encoding, ndmin=ndmin,
    )  # fmt: skip
    return _on_device(found)


def fromstring(
    string: str, dtype: DTypeLike | None = float, count: int = -1, *, sep: str, like: object = None
) -> ndarray:
    """An array of one dimension from the numbers in a text.

    Parameters
    ----------
    string : str
        The text.
    dtype : dtype, optional
        The dtype of the array.
    count : int, optional
        How many numbers to read; all by default.
    sep : str
        What stands between them.
    like : optional
        Ignored.

    Returns
    -------
    ndarray
        The numbers.

    Raises
    ------
    ValueError
        If the text is not read to its end.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fromstring("1, 2, 3", dtype=cp.int32, sep=",")
    array([1, 2, 3], dtype=int32)
    """
    return array(call(np.fromstring, string, dtype, count, sep=sep))
