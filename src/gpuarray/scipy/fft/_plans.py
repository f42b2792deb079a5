"""Plans that users make beforehand, by CuPy's name."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.fourier import Kind, check_axes_and_lengths
from gpuarray._ops.manipulation import as_array
from gpuarray.cuda import cufft

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike

__all__ = ["check_plan", "get_fft_plan"]

_VALUE_TYPES = ("C2C", "R2C", "C2R")


def get_fft_plan(
    a: ArrayLike,
    shape: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    value_type: str = "C2C",
) -> cufft.Plan1d | cufft.PlanNd:
    """A plan for transforms of arrays like another one.

    Parameters
    ----------
    a : ndarray
        An array of the shape and dtype.
    shape : int or sequence of int, optional
        For each axis how many points are transformed, of the result if that is real.
    axes : int or sequence of int, optional
        The axes to transform, all by default: one, or up to three that lie side by side at either
        end of the shape.
    value_type : {'C2C', 'R2C', 'C2R'}, optional
        From complex to complex, from real to complex, from complex to real.

    Returns
    -------
    Plan1d or PlanNd
        What ``plan=`` of a transform takes, and what can be a ``with`` block's object.

    Raises
    ------
    ValueError
        If there is no such value type, or no plan for such axes.

    Notes
    -----
    Transforms keep the plans that they need: with a plan of its own a transform is as fast as
    without one.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> x = cp.ones(8, "c8")
    >>> plan = cp.scipy.fft.get_fft_plan(x)
    >>> cp.scipy.fft.fft(x, plan=plan)[0]
    array(8.+0.j, dtype=complex64)
    """
    if value_type not in _VALUE_TYPES:
        raise ValueError(f"get_fft_plan: value_type is one of {_VALUE_TYPES}, got {value_type!r}")
    a = as_array(a, "get_fft_plan")
    layout = a._layout
    lengths, found = check_axes_and_lengths(layout, shape, axes, value_type == "C2R")
    if not found or min(lengths) < 1:
        raise ValueError(f"get_fft_plan: there is no point to transform in {layout.shape}")
    double = layout.dtype in (np.float64, np.complex128) or layout.dtype.kind in "biu"
    kind = getattr(cufft, "CUFFT_" + (_DOUBLE[value_type] if double else value_type))
    sizes = list(layout.shape)
    for axis, n in zip(found, lengths, strict=True):
        sizes[axis] = n
    batch = math.prod([n for axis, n in enumerate(sizes) if axis not in found])
    if len(found) == 1:
        return cufft.Plan1d(lengths[0], kind, batch)
    order = tuple(sorted(found))
    ndim = layout.ndim
    first = order == tuple(range(len(order)))
    if len(order) > 3 or not (first or order == tuple(range(ndim - len(order), ndim))):
        raise ValueError(
            f"get_fft_plan: axes {found} of {ndim}: up to three axes side by side at either end of "
            "the shape have a plan; transforms along others need none"
        )
    points = tuple([sizes[axis] for axis in order])
    last = order[-1]
    return cufft.PlanNd(
        points, kind, batch, last_axis=last, last_size=sizes[last],
        **({} if not first or batch == 1 else _interleaved(points, kind, batch)),
    )  # fmt: skip


_DOUBLE = {"C2C": "Z2Z", "R2C": "D2Z", "C2R": "Z2D"}


def _interleaved(n: tuple[int, ...], kind: int, batch: int) -> dict[str, Any]:
    """The distances where the axes that are transformed come before the batch."""
    half = (*n[:-1], n[-1] // 2 + 1)
    reals = (cufft.CUFFT_R2C, cufft.CUFFT_D2Z), (cufft.CUFFT_C2R, cufft.CUFFT_Z2D)
    return {
        "inembed": half if kind in reals[1] else n, "istride": batch, "idist": 1,
        "onembed": half if kind in reals[0] else n, "ostride": batch, "odist": 1,
    }  # fmt: skip


def check_plan(plan: Any, x: Any, n: Any, axis: Any, kind: Kind) -> None:
    """Refuse a plan for other transforms than the one that is asked for."""
    if not isinstance(plan, cufft.Plan1d | cufft.PlanNd):
        raise TypeError(f"plan is one of get_fft_plan, got {plan!r}")
    if not isinstance(x, ArrayBase):
        raise TypeError("with a plan the operand is a device array")
    if isinstance(n, tuple | list) or not isinstance(axis, int):
        lengths, _ = check_axes_and_lengths(x._layout, n, axis, kind.name == "c2r")
    else:
        s = None if n is None else (operator.index(n),)
        lengths, _ = check_axes_and_lengths(x._layout, s, (axis,), kind.name == "c2r")
    wanted = lengths[0] if isinstance(plan, cufft.Plan1d) and len(lengths) == 1 else lengths
    has = plan.nx if isinstance(plan, cufft.Plan1d) else plan.shape
    if wanted != has and sorted(lengths) != sorted(np.atleast_1d(has).tolist()):
        raise ValueError(f"the plan is for transforms of {has} points, and {wanted} are asked for")
    double = x._layout.dtype in (np.float64, np.complex128) or x._layout.dtype.kind in "biu"
    value_type = kind.name.upper()
    expected = getattr(cufft, "CUFFT_" + (_DOUBLE[value_type] if double else value_type))
    if plan.fft_type != expected:
        raise ValueError(
            f"the plan is for transforms of another type than those of {x._layout.dtype} by "
            f"{value_type}"
        )
