"""Array creation routines: grids of coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpuarray import _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.dimensions import broadcast_arrays
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.region_indices import indices
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Input

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["fromfunction", "meshgrid"]

#: Outputs of one kernel.
_MOST_OUTPUTS = 8


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[ndarray, ...]:
    """Coordinates of a grid, of the coordinates along its axes.

    Parameters
    ----------
    *xi : array_like, 1-D
        Coordinates along an axis each.
    copy : bool, optional
        False returns views, which are read-only where they are broadcast.
    sparse : bool, optional
        Whether arrays have a length of 1 along the axes that they do not change along.
    indexing : {'xy', 'ij'}, optional
        Whether the first two axes are exchanged, as columns and rows.

    Returns
    -------
    tuple of ndarray
        An array for each argument.

    Raises
    ------
    ValueError
        If `indexing` is neither 'xy' nor 'ij'.

    Notes
    -----
    One launch for up to 8 arrays.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x, y = cp.meshgrid(cp.arange(3), cp.arange(2))
    >>> x
    array([[0, 1, 2],
           [0, 1, 2]])
    >>> y
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    ndim = len(xi)
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"meshgrid: Valid values for `indexing` are 'xy' and 'ij', got {indexing!r}"
        )
    given = [as_array(x, "meshgrid") for x in xi]
    axes = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        axes[:2] = [1, 0]
    if copy and not sparse and 0 < ndim <= _MOST_OUTPUTS:
        if all(x._layout.ndim < 2 for x in given):
            run = _plan_grids(current.stream, tuple([x._layout for x in given]), tuple(axes))
            grids = run(*given)
            return grids if ndim > 1 else (grids,)
    lines = []
    for x, axis in zip(given, axes, strict=True):
        lines.append(reshape(x, (1,) * axis + (x.size,) + (1,) * (ndim - axis - 1)))
    if not sparse:
        lines = list(broadcast_arrays(*lines))
    return tuple([copies.copy(x, "C") if copy else x for x in lines])


@planned
def _plan_grids(stream: Stream, layouts: tuple[Layout, ...], axes: tuple[int, ...]) -> Any:
    shape = [0] * len(axes)
    for layout, axis in zip(layouts, axes, strict=True):
        shape[axis] = layout.size
    inputs = []
    for layout, axis in zip(layouts, axes, strict=True):
        steps = [0] * len(axes)
        steps[axis] = layout.strides[0] if layout.ndim else 0
        inputs.append(_layout.layout_of(layout.dtype, tuple(shape), tuple(steps), layout.access))
    values = [Input(i, _dtypes.code(x.dtype)) for i, x in enumerate(layouts)]
    targets = [_layout.contiguous(x.dtype, tuple(shape)) for x in layouts]
    new = [False] * len(targets)
    return elementwise.launch.make_call("meshgrid", values, inputs, targets, new, stream)


def fromfunction(
    function: Callable[..., Any],
    shape: Sequence[int],
    *,
    dtype: DTypeLike | None = float,
    like: object = None,
    **kwargs: Any,
) -> Any:
    """What a function returns of the coordinates of a grid.

    Parameters
    ----------
    function : callable
        It is called once, with an array of coordinates for each axis.
    shape : tuple of int
        The shape of these arrays.
    dtype : dtype, optional
        Their dtype.
    like : object, optional
        Ignored: coordinates are arrays of this package.
    **kwargs
        Passed on to `function`.

    Returns
    -------
    object
        What the function returns.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    return function(*indices(shape, float if dtype is None else dtype), **kwargs)
