"""Discrete cosine and sine transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.cosine_transforms import cosine_transform
from gpuarray._ops.fourier_texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]


@sharing(TEXTS)
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
    {x_of_parts}
    {type}
    {cut_n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dct(cp.ones(4)).round(6)
    array([8., 0., 0., 0.])
    """
    return cosine_transform("dct", x, type, n, (axis,), norm, orthogonalize, True, False)


@sharing(TEXTS)
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
    {x_of_parts}
    {inverse_type}
    {cut_n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idct(cp.array([8.0, 0.0, 0.0, 0.0])).round(6)
    array([1., 1., 1., 1.])
    """
    return cosine_transform("idct", x, type, n, (axis,), norm, orthogonalize, False, False)


@sharing(TEXTS)
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
    {x_of_parts}
    {type}
    {cut_n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dst(cp.asarray([1.0, 2.0]), 1).round(6)
    array([ 5.196152, -1.732051])
    """
    return cosine_transform("dst", x, type, n, (axis,), norm, orthogonalize, True, True)


@sharing(TEXTS)
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
    {x_of_parts}
    {inverse_type}
    {cut_n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idst(cp.array([3.464102, 0.0]), 1).round(4)
    array([1., 1.])
    """
    return cosine_transform("idst", x, type, n, (axis,), norm, orthogonalize, False, True)


@sharing(TEXTS)
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
    {x_of_parts}
    {type}
    {cut_s}
    {all_axes}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dctn(cp.ones((2, 2))).round(6)
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    return cosine_transform("dctn", x, type, s, axes, norm, orthogonalize, True, False)


@sharing(TEXTS)
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
    {x_of_parts}
    {inverse_type}
    {cut_s}
    {all_axes}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idctn(cp.array([[16.0, 0.0], [0.0, 0.0]])).round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    return cosine_transform("idctn", x, type, s, axes, norm, orthogonalize, False, False)


@sharing(TEXTS)
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
    {x_of_parts}
    {type}
    {cut_s}
    {all_axes}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.dstn(cp.asarray([[1.0, 2.0]]), 1).round(6)
    array([[10.392305, -3.464102]])
    """
    return cosine_transform("dstn", x, type, s, axes, norm, orthogonalize, True, True)


@sharing(TEXTS)
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
    {x_of_parts}
    {inverse_type}
    {cut_s}
    {all_axes}
    {norm}
    {overwrite_x}
    {workers}
    {orthogonalize}

    Returns
    -------
    {like_x}

    Raises
    ------
    {no_such_transform}
    {numbers_only}

    Notes
    -----
    {cosine_notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.idstn(cp.array([[6.928203, 0.0]]), 1).round(4)
    array([[1., 1.]])
    """
    return cosine_transform("idstn", x, type, s, axes, norm, orthogonalize, False, True)
