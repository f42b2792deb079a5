"""Norms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray.linalg import _norms

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["norm"]


def norm(
    a: ArrayLike,
    ord: float | str | None = None,
    axis: int | tuple[int, int] | None = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The norms of matrices or vectors: ``gpuarray.linalg.norm``.

    Parameters
    ----------
    a : array_like
        A vector or a matrix, or more of them along other axes than `axis`.
    ord : {int, inf, -inf, 'fro', 'nuc'}, optional
        The order.
    axis : int or pair of int, optional
        The axes of the vectors or the matrices.
    keepdims : bool, optional
        Keep the axes with length 1.
    check_finite : bool, optional
        Ignored: `a` is not looked through.

    Returns
    -------
    ndarray
        Without the axes, real.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.norm(cp.array([[3.0, 0.0], [0.0, 4.0]]))
    array(5.)
    """
    return _norms.norm(a, ord, axis, keepdims)
