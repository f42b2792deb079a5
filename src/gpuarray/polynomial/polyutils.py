"""What the modules of series have in common: coefficients, and domains.

Examples
--------
>>> import gpuarray as cp
>>> cp.polynomial.polyutils.trimseq(cp.asarray([1.0, 2.0, 0.0]))
array([1., 2.])
>>> cp.polynomial.polyutils.mapparms((0, 4), (-1, 1))
(-1.0, 0.5)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops import series, statistics
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import multiply
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._layout import Layout
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "as_series", "format_float", "getdomain", "mapdomain", "mapparms", "trimcoef", "trimseq",
]  # fmt: skip
__dir__ = listing(__name__)


def trimseq(seq: ArrayLike) -> ndarray:
    """Coefficients without the zeros at the end.

    Parameters
    ----------
    seq : array_like, 1-D
        Coefficients, from the lowest degree to the highest.

    Returns
    -------
    ndarray, 1-D
        A view. One coefficient is left of zeros; the call waits for the device to know how many.
    """
    seq = as_array(seq, "trimseq")
    return series.trimmed(seq) if seq._layout.size else seq


def as_series(alist: Sequence[ArrayLike], trim: bool = True) -> list[ndarray]:
    """Coefficients as arrays of one floating or complex dtype.

    Parameters
    ----------
    alist : sequence of array_like
        Coefficients of each series; of an array of two dimensions each row.
    trim : bool, optional
        Whether zeros at the end go.

    Returns
    -------
    list of ndarray, 1-D
        Copies.

    Raises
    ------
    ValueError
        If one has no coefficients, or more than one dimension.
    """
    return series.as_series(list(alist), trim)


def trimcoef(c: ArrayLike, tol: float = 0) -> ndarray:
    """Coefficients without small ones at the end.

    Parameters
    ----------
    c : array_like, 1-D
        Coefficients, from the lowest degree to the highest.
    tol : float, optional
        Of which magnitude those are at most that go.

    Returns
    -------
    ndarray, 1-D
        At least one coefficient, which is zero if all are small; the call waits for the device to
        know how many.

    Raises
    ------
    ValueError
        If the bound is negative.
    """
    if tol < 0:
        raise ValueError(f"trimcoef: tol is {tol}; give 0 or more")
    [found] = series.as_series([c], name="trimcoef")
    length = series.lengths(found, bound=float(tol))[0]
    if length == 1 and not np.abs(asnumpy(found[:1])[0]) > tol:
        return multiply(found[:1], 0)
    return copies.copy(found[:length])


def getdomain(x: ArrayLike) -> ndarray:
    """The ends of an interval that has points; the corners of a rectangle for complex ones.

    Parameters
    ----------
    x : array_like, 1-D
        The points.

    Returns
    -------
    ndarray, 1-D
        Two elements.
    """
    [points] = series.as_series([x], trim=False, name="getdomain")
    if points._layout.dtype.kind != "c":
        return stack([statistics.min(points), statistics.max(points)])
    parts = [points.real, points.imag]
    low, high = [[end(part) for part in parts] for end in (statistics.min, statistics.max)]
    ends = stack([low[0] + 1j * low[1], high[0] + 1j * high[1]])
    return copies.copy(ends, "C", np.dtype(np.complex128))


def ends_of(domain: Any) -> np.ndarray:
    """A domain's two ends on the host."""
    return np.asarray(asnumpy(domain) if isinstance(domain, ArrayBase) else domain)


def mapparms(old: Any, new: Any) -> tuple[Any, Any]:
    """The offset and the scale of the linear map from one domain to another.

    Parameters
    ----------
    old, new : array_like
        Two elements each. Those in device memory are fetched.

    Returns
    -------
    offset, scale : scalar
        ``offset + scale * x`` is in the new domain.
    """
    old, new = [ends_of(x) if isinstance(x, ArrayBase) else x for x in (old, new)]
    length = old[1] - old[0]
    offset = (old[1] * new[0] - old[0] * new[1]) / length
    return offset, (new[1] - new[0]) / length


def mapdomain(x: ArrayLike, old: Any, new: Any) -> ndarray:
    """Points under the linear map from one domain to another.

    Parameters
    ----------
    x : array_like
        The points.
    old, new : array_like
        Two elements each. Those in device memory are fetched.

    Returns
    -------
    ndarray
        One launch.
    """
    offset, scale = mapparms(old, new)
    if type(x) in (int, float, complex) or isinstance(x, np.generic):
        return offset + scale * x  # type: ignore[operator]  # a number, as NumPy gives
    return on_line(as_array(x, "mapdomain"), offset, scale)


def on_line(x: Any, offset: Any, scale: Any) -> Any:
    """``offset + scale * x``, in one launch."""
    dtype = _dtypes.canonical(
        np.result_type(*[v if isinstance(v, np.generic) else type(v)(1) for v in (offset, scale)],
                       x._layout.dtype)
    )  # fmt: skip
    kind = dtype.type
    return _line_call(current.stream, x._layout, dtype)(x, kind(offset).item(), kind(scale).item())


@planned
def _line_call(stream: Stream, layout: Layout, dtype: np.dtype) -> Any:
    code, given = _dtypes.code(dtype), _dtypes.code(layout.dtype)
    value: Expression = Input(0, given) if code == given else Cast(code, Input(0, given))
    value = Apply(operation("multiply"), (Scalar(2, code), value), code)
    value = Apply(operation("add"), (Scalar(1, code), value), code)
    target = _memory_order.like_prototype(dtype, layout.shape, layout)
    inputs: list[Any] = [layout, dtype, dtype]
    return elementwise.launch.make_call("mapdomain", [value], inputs, [target], [False], stream)


def format_float(x: Any, parens: bool = False) -> str:
    """The text of a coefficient: NumPy's.

    Parameters
    ----------
    x : scalar
        A number, or an array without dimensions.
    parens : bool, optional
        Whether exponents stand in parentheses.

    Returns
    -------
    str
        The text.
    """
    number: Any = asnumpy(x)[()] if isinstance(x, ArrayBase) else x
    return np.polynomial.polyutils.format_float(number, parens)


def line_values(x: Any, offset: Any, scale: Any) -> Any:
    """What a linear map makes of numbers, arrays and series."""
    if isinstance(x, ArrayBase):
        if offset == 0 and scale == 1 and x._layout.dtype.char in "dD":
            return x  # as in most series: the domain is the window
        return on_line(x, offset, scale)
    if isinstance(x, list | tuple):
        return on_line(asarray(x), offset, scale)
    return offset + scale * x


without_annotations(globals())
