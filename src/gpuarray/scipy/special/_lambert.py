"""Lambert's W function and Wright's omega function."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from gpuarray._array import ArrayBase
from gpuarray._ops.stored_values import as_values
from gpuarray._ufunc import create_further as create
from gpuarray._ufunc import ufunc
from gpuarray.kernels.special import ROWS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["lambertw", "wrightomega"]

wrightomega = create(ROWS["wrightomega"])
_lambertw: ufunc[Any] = ufunc(ROWS["_lambertw"])


def lambertw(z: ArrayLike, k: ArrayLike = 0, tol: float = 1e-8) -> ndarray:
    """A branch of Lambert's W function, the inverse of ``w * exp(w)``.

    Parameters
    ----------
    z : array_like
        Numbers.
    k : array_like of int, optional
        The branch. The principal one, 0, is real from ``-1 / e`` on; -1 is real from there to 0.
    tol : float, optional
        The relative change at which the iteration ends, at most 1e-8.

    Returns
    -------
    ndarray
        Of complex128, also for complex64.

    Raises
    ------
    TypeError
        If branches are no integers.

    Differences from SciPy
    ----------------------
    Close to ``-1 / e`` all digits are found that the argument has, where SciPy's are half of them,
    or NaN.

    Notes
    -----
    One launch. Halley's iteration, from the series at the branch point or the asymptotic one:
    R. M. Corless et al., "On the Lambert W function" (1996).

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.lambertw(cp.array([0.0, 1.0])).real
    array([0.        , 0.56714329])
    """
    branch: Any = k
    if isinstance(k, float):
        branch = operator.index(k)  # type: ignore[arg-type]  # refuses it with TypeError
    elif not isinstance(k, ArrayBase | int):
        branch = as_values(k, "lambertw")
    result: ndarray = _lambertw(as_values(z, "lambertw"), branch, float(tol))
    return result
