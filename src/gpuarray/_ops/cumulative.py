"""Cumulative sums and products (of NumPy's page on sums, products and differences)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray import _arguments, _array, _layout, _memory_order
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.creation import fill
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.arguments import operand
from gpuarray.kernels.scan.rules import ACCUMULATIONS, Accumulation

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, Operand, ndarray

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "nancumprod", "nancumsum"]

_add, _multiply = ACCUMULATIONS["add"], ACCUMULATIONS["multiply"]
_nanadd, _nanmultiply = Accumulation("add", True), Accumulation("multiply", True)


def cumsum(
    a: Operand, axis: int | None = None, dtype: DTypeLike | None = None, out: ndarray | None = None
) -> ndarray:
    """Sums of the elements up to each one along an axis.

    Parameters
    ----------
    a : ndarray
        Elements to sum.
    axis : int, optional
        The axis to accumulate along; by default the flattened array.
    dtype : dtype, optional
        The dtype to sum in. By default that of ``a``, but at least as wide as int64 or uint64
        for integers and bools.
    out : ndarray, optional
        Where the result is stored, with any cast.

    Returns
    -------
    ndarray
        Of the shape of ``a``, or one-dimensional without an axis.

    Notes
    -----
    Floats are summed in a tree and not one after the other, float16 in float32, which is more
    accurate than NumPy; the order depends on layouts and alignment only, so that the same call
    always gives the same bits.
    One kernel launch that reads and writes each element once, and one more for a copy if a
    flattened array is not C-contiguous. Temporary memory: about 8 bytes for each 4096 elements
    where blocks share a line, kept by the stream.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cumsum(cp.asarray([[1, 2], [3, 4]]), axis=0)
    array([[1, 2],
           [4, 6]])
    """
    return _add(a, axis, dtype, out)


def cumprod(
    a: Operand, axis: int | None = None, dtype: DTypeLike | None = None, out: ndarray | None = None
) -> ndarray:
    """Products of the elements up to each one along an axis.

    Parameters
    ----------
    a : ndarray
        Elements to multiply.
    axis : int, optional
        The axis to accumulate along; by default the flattened array.
    dtype : dtype, optional
        The dtype to multiply in. By default that of ``a``, but at least as wide as int64 or
        uint64 for integers and bools.
    out : ndarray, optional
        Where the result is stored, with any cast.

    Returns
    -------
    ndarray
        Of the shape of ``a``, or one-dimensional without an axis.

    See Also
    --------
    cumsum : For the order of operations and the memory that is used.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cumprod(cp.asarray([1, 2, 3, 4]))
    array([ 1,  2,  6, 24])
    """
    return _multiply(a, axis, dtype, out)


def nancumsum(
    a: Operand, axis: int | None = None, dtype: DTypeLike | None = None, out: ndarray | None = None
) -> ndarray:
    """Sums of the elements up to each one along an axis, with NaN as zero.

    Parameters
    ----------
    a : ndarray
        Elements to sum.
    axis : int, optional
        The axis to accumulate along; by default the flattened array.
    dtype : dtype, optional
        The dtype to sum in, as for `cumsum`.
    out : ndarray, optional
        Where the result is stored, with any cast.

    Returns
    -------
    ndarray
        Of the shape of ``a``, or one-dimensional without an axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nancumsum(cp.asarray([1.0, cp.nan, 2.0]))
    array([1., 1., 3.])
    """
    return _nanadd(a, axis, dtype, out)


def nancumprod(
    a: Operand, axis: int | None = None, dtype: DTypeLike | None = None, out: ndarray | None = None
) -> ndarray:
    """Products of the elements up to each one along an axis, with NaN as one.

    Parameters
    ----------
    a : ndarray
        Elements to multiply.
    axis : int, optional
        The axis to accumulate along; by default the flattened array.
    dtype : dtype, optional
        The dtype to multiply in, as for `cumprod`.
    out : ndarray, optional
        Where the result is stored, with any cast.

    Returns
    -------
    ndarray
        Of the shape of ``a``, or one-dimensional without an axis.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nancumprod(cp.asarray([2.0, cp.nan, 3.0]))
    array([2., 2., 6.])
    """
    return _nanmultiply(a, axis, dtype, out)


def cumulative_sum(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Sums of the elements up to each one: `cumsum` by the array API's rules.

    Parameters
    ----------
    x : ndarray
        Elements to sum.
    axis : int, optional
        The axis to accumulate along; needed if there are several.
    dtype : dtype, optional
        The dtype to sum in, as for `cumsum`.
    out : ndarray, optional
        Where the result is stored, with any cast.
    include_initial : bool, optional
        Put a zero before the first sum.

    Returns
    -------
    ndarray
        Of the shape of ``x``, with one more along the axis if the initial value is included.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cumulative_sum(cp.asarray([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative(_add, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Products of the elements up to each one: `cumprod` by the array API's rules.

    Parameters
    ----------
    x : ndarray
        Elements to multiply.
    axis : int, optional
        The axis to accumulate along; needed if there are several.
    dtype : dtype, optional
        The dtype to multiply in, as for `cumprod`.
    out : ndarray, optional
        Where the result is stored, with any cast.
    include_initial : bool, optional
        Put a one before the first product.

    Returns
    -------
    ndarray
        Of the shape of ``x``, with one more along the axis if the initial value is included.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cumulative_prod(cp.asarray([1, 2, 3]), include_initial=True)
    array([1, 1, 2, 6])
    """
    return _cumulative(_multiply, 1, x, axis, dtype, out, include_initial)


def _cumulative(
    function: Accumulation,
    initial: int,
    x: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    include_initial: bool,
) -> Any:
    x = operand(x, function.name)
    layout = x._layout
    if layout.ndim == 0:
        layout = _layout.contiguous(layout.dtype, (1,))
        x = _array.view(x, layout)
    if axis is None:
        if layout.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    if not include_initial:
        return function(x, axis, dtype, out)
    axis = _arguments.check_axis(axis, layout.ndim, bools=False)
    shape = tuple([length + (i == axis) for i, length in enumerate(layout.shape)])
    if out is None:
        result = function.dtypes(layout.dtype, dtype, None)[1]
        out = _array.empty(_memory_order.like_order(result, shape, [layout]))
    elif out._layout.shape != shape:
        raise ValueError(
            f"{called_name(function.name)}: "
            "provided out is the wrong size for the accumulation: it has shape "
            f"{out._layout.shape}, {shape} is needed"
        )
    target = out._layout
    _layout.check_writable(target, function.name)
    one = tuple([1 if i == axis else length for i, length in enumerate(shape)])
    if _array.overlap(x, out):
        x = copies.copy(x)
    fill(_array.view(out, _layout.layout_of(target.dtype, one, target.strides)), initial)
    behind = _layout.layout_of(target.dtype, layout.shape, target.strides)
    function(x, axis, dtype, _array.view(out, behind, target.strides[axis]))
    return out
