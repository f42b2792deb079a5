"""Functions that are made of a few others: sinc, diric, softplus, multigammaln, assoc_laguerre."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._fusion import fuse
from gpuarray._ops.special_functions import sinc
from gpuarray._ops.stored_values import as_values
from gpuarray.scipy.special._gamma_functions import gammaln
from gpuarray.scipy.special._orthogonal import eval_genlaguerre

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["assoc_laguerre", "diric", "multigammaln", "sinc", "softplus"]


def softplus(x: ArrayLike, **kwargs: Any) -> ndarray:
    """``log(1 + exp(x))``, without overflow.

    Parameters
    ----------
    x : array_like
        Real numbers.
    **kwargs
        As for ``gpuarray.logaddexp``.

    Returns
    -------
    ndarray
        Of the shape of `x`.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.softplus(cp.array([-1000.0, 0.0, 1000.0]))
    array([0.00000000e+00, 6.93147181e-01, 1.00000000e+03])
    """
    return cp.logaddexp(0, as_values(x, "softplus"), **kwargs)


def diric(x: ArrayLike, n: ArrayLike) -> ndarray:
    """Dirichlet's kernel, or the periodic sinc function: ``sin(n x / 2) / (n sin(x / 2))``.

    Parameters
    ----------
    x : array_like
        Real numbers.
    n : array_like
        Positive integers.

    Returns
    -------
    ndarray
        NaN where `n` is no positive integer.

    Notes
    -----
    One launch. Near multiples of 2 pi it is 1 or -1, as SciPy's.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.diric(cp.array([0.0, 1.0]), 3)
    array([1.        , 0.69353487])
    """
    points, lengths = as_values(x, "diric"), as_values(n, "diric")
    dtype = np.result_type(points.dtype, lengths.dtype)
    if dtype.kind not in "fc":
        dtype = np.dtype(np.float64)
    near = 1e-7 if np.finfo(dtype).eps < 1e-15 else 1e-3
    return _dirichlet(points.astype(dtype, copy=False), lengths.astype(dtype, copy=False), near)


@fuse(kernel_name="gpuarray_diric")
def _dirichlet(x: Any, n: Any, near: float) -> Any:
    half = x / 2
    sine = cp.sin(half)
    turns = cp.rint(half / math.pi) * (n - 1)
    # The sign is that of the parity.
    end = 1 - 2 * (turns - 2 * cp.floor(turns / 2))
    value = cp.where(cp.abs(sine) < near, end, cp.sin(n * half) / (n * sine))
    return cp.where((n <= 0) | (n != cp.floor(n)), math.nan, value)


def multigammaln(a: ArrayLike, d: Any) -> ndarray:
    """The logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : array_like
        Real numbers, greater than ``(d - 1) / 2``.
    d : int
        The dimension.

    Returns
    -------
    ndarray
        Of the shape of `a`.

    Raises
    ------
    ValueError
        If `d` is no integer, or an element of `a` too small.

    Notes
    -----
    Two launches; the first says whether all of `a` is great enough, which is read from the device.
    R. J. Muirhead, "Aspects of multivariate statistical theory" (1982).

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.multigammaln(cp.array([23.5]), 10)
    array([457.17667478])
    """
    if not isinstance(d, int | float) and getattr(d, "ndim", 1) == 0:
        d = d.item()
    if np.ndim(d) or d != d or math.floor(d) != d:
        raise ValueError("d should be a positive integer (dimension)")
    values = as_values(a, "multigammaln")
    if bool(cp.any(values <= 0.5 * (d - 1))):
        raise ValueError(f"condition a > 0.5 * (d-1) ({0.5 * (d - 1)}) not met")
    shifts = cp.arange(int(d)) / 2
    return _multivariate(values, shifts, float(d * (d - 1) * 0.25 * math.log(math.pi)))


@fuse(kernel_name="gpuarray_multigammaln")
def _multivariate(a: Any, shifts: Any, start: float) -> Any:
    return cp.sum(gammaln(a[..., None] - shifts), axis=-1) + start


def assoc_laguerre(x: ArrayLike, n: ArrayLike, k: ArrayLike = 0.0) -> ndarray:
    """The generalized Laguerre polynomial: `eval_genlaguerre` with another order of arguments.

    Parameters
    ----------
    x : array_like
        Points.
    n : array_like
        The degree.
    k : array_like, optional
        The parameter, greater than -1.

    Returns
    -------
    ndarray
        Of the operands' broadcast shape.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.assoc_laguerre(cp.array([0.0, 1.0]), 2, 1.0)
    array([3. , 0.5])
    """
    operands = [as_values(y, "assoc_laguerre") for y in (n, k, x)]
    return eval_genlaguerre(*operands)
