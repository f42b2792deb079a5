"""Discrete cosine and sine transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._ops.cosine_transforms import cosine_transform

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]


def dct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The discrete cosine transform along one axis.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dct(cp.ones(4)).round(6)
    array([8., 0., 0., 0.])
    """
    return cosine_transform("dct", x, type, n, (axis,), norm, orthogonalize, True, False)


def idct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of `dct`.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform whose inverse it is.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idct(cp.array([8.0, 0.0, 0.0, 0.0])).round(6)
    array([1., 1., 1., 1.])
    """
    return cosine_transform("idct", x, type, n, (axis,), norm, orthogonalize, False, False)


def dst(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The discrete sine transform along one axis.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dst(cp.asarray([1.0, 2.0]), 1).round(6)
    array([ 5.196152, -1.732051])
    """
    return cosine_transform("dst", x, type, n, (axis,), norm, orthogonalize, True, True)


def idst(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of `dst`.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform whose inverse it is.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idst(cp.array([3.464102, 0.0]), 1).round(4)
    array([1., 1.])
    """
    return cosine_transform("idst", x, type, n, (axis,), norm, orthogonalize, False, True)


def dctn(
    x: ArrayLike,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The discrete cosine transform along several axes.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros.
    axes : int or sequence of int, optional
        The axes along which it is transformed; all by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dctn(cp.ones((2, 2))).round(6)
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    return cosine_transform("dctn", x, type, s, axes, norm, orthogonalize, True, False)


def idctn(
    x: ArrayLike,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of `dctn`.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform whose inverse it is.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros.
    axes : int or sequence of int, optional
        The axes along which it is transformed; all by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idctn(cp.array([[16.0, 0.0], [0.0, 0.0]])).round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    return cosine_transform("idctn", x, type, s, axes, norm, orthogonalize, False, False)


def dstn(
    x: ArrayLike,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The discrete sine transform along several axes.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros.
    axes : int or sequence of int, optional
        The axes along which it is transformed; all by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dstn(cp.asarray([[1.0, 2.0]]), 1).round(6)
    array([[10.392305, -3.464102]])
    """
    return cosine_transform("dstn", x, type, s, axes, norm, orthogonalize, True, True)


def idstn(
    x: ArrayLike,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> ndarray:
    """The inverse of `dstn`.

    Parameters
    ----------
    x : ndarray
        Numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        The type of the transform whose inverse it is.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros.
    axes : int or sequence of int, optional
        The axes along which it is transformed; all by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    orthogonalize : bool, optional
        Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.

    Returns
    -------
    ndarray
        Of the dtype of `x`; float32 of float16, float64 of integers and bools.

    Raises
    ------
    ValueError
        If there are too few points, or there is no such type or norm.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    A transform of reals, or for type 4 of complex numbers, between two kernels: see
    `gpuarray._libraries.cosine_transforms` for the sources.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idstn(cp.array([[6.928203, 0.0]]), 1).round(4)
    array([[1., 1.]])
    """
    return cosine_transform("idstn", x, type, s, axes, norm, orthogonalize, False, True)
