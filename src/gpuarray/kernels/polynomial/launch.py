"""Series of polynomials: from layouts to calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _broadcasting, _calls, _dtypes, _layout, _memory_order
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import polynomial

_INT64 = np.dtype(np.int64)


@planned
def values_call(
    stream: Stream,
    basis: str,
    coefficients: Layout,
    points: tuple[Layout, ...],
    tensor: bool,
    number: np.dtype,
    result: np.dtype,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) that evaluates series.

    Parameters
    ----------
    stream : Stream
        Where to run.
    basis : str
        A name of `spec.BASES`, or 'roots' where the coefficients are roots.
    coefficients : Layout
        The first axes are those of the variables.
    points : tuple of Layout
        Of one shape, for each variable.
    tensor : bool
        Whether each series is evaluated at each point; else the axes of the series behind the
        first ones broadcast with the points'.
    number, result : dtype
        What is computed in, and the result's.

    Returns
    -------
    callable
        Takes the coefficients and the points of each variable.
    """
    count = len(points)
    rest, at = coefficients.shape[count:], points[0].shape
    series = coefficients.strides[count:]
    if tensor:
        shape = rest + at
        strides = [series + (0,) * len(at), *[(0,) * len(rest) + x.strides for x in points]]
        one = _layout.layout_of(
            coefficients.dtype, rest + (1,) * len(at), series + (coefficients.itemsize,) * len(at)
        )
    else:
        shape = _broadcasting.broadcast_shapes([rest, at])
        one = _layout.layout_of(coefficients.dtype, rest, series)
        strides = [_broadcasting.broadcast_strides(x, shape) for x in (one, *points)]
    # The memory order of sums of one coefficient of each series and the points.
    target = _memory_order.like_order(result, shape, [one, *points])
    if not target.size:
        return _calls.make_call(stream, "a" * (1 + count), [target], [])
    layouts = [coefficients, *points]
    dims, (_, *steps) = _layout.collapse(shape, [target.strides, *strides])
    index = "int64" if _layout.needs_int64(target.size, layouts) else "int32"
    shared = not any(steps[0])
    values = polynomial.spec.ValuesSpec(
        basis,
        _dtypes.code(number),
        _dtypes.code(result),
        _dtypes.code(coefficients.dtype),
        tuple([_dtypes.code(x.dtype) for x in points]),
        len(dims),
        shared,
        index,
    )
    function, source = load(values, polynomial.spec.render_values, stream.device)
    name = "polynomial values"
    dimensions = {
        "shape": dims,
        "strides": [
            stride
            for one, layout in zip(steps, layouts, strict=True)
            for stride in _layout.element_strides(name, one, layout)
        ],
        "lengths": coefficients.shape[:count],
        "steps": _layout.element_strides(name, coefficients.strides[:count], coefficients),
    }
    tile = source.block * source.items_per_thread
    plan = LaunchPlan(
        function,
        grid_for(ceil_div(target.size, tile)),
        (source.block, 1, 1),
        {"size": target.size, "dimensions": dimensions},
    )
    passed = {"results": "y0", "coefficients": "x0"}
    passed |= {f"points{i}": f"x{1 + i}" for i in range(count)}
    inputs = "a" * (1 + count)
    return _calls.make_call(stream, inputs, [target], [(BoundLaunch(plan, stream), passed)])


def _operation(
    stream: Stream,
    spec: Any,
    threads: int,
    inputs: str,
    outputs: Sequence[Layout],
    passed: dict[str, str],
    constants: dict[str, int],
    scratch: Sequence[int] = (),
    scalars: Sequence[str] = (),
) -> Callable[..., Any]:
    """A call of an operation on series; with 0 threads it is done by one block."""
    function, source = load(spec, polynomial.spec.render_series, stream.device)
    grid = grid_for(ceil_div(threads, source.block))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants)
    dtype = _dtypes.dtype_of(spec.dtype)
    bound = BoundLaunch(plan, stream, dict.fromkeys(scalars, dtype), spec.operation)
    return _calls.make_call(stream, inputs, outputs, [(bound, passed)], scratch)


@planned
def basis_values_call(
    stream: Stream, basis: str, points: Layout, dtype: np.dtype, degree: int
) -> Callable[[Any], Any]:
    """A call that takes gapless points and returns the values of P[0] to P[degree], one a row."""
    target = _layout.contiguous(dtype, (degree + 1, *points.shape))
    if not target.size:
        return _calls.make_call(stream, "a", [target], [])
    spec = polynomial.spec.SeriesSpec(
        "basis_values", basis, _dtypes.code(dtype), points=_dtypes.code(points.dtype)
    )
    constants = {"size": points.size, "degree": degree}
    passed = {"result": "y0", "points": "x0"}
    return _operation(stream, spec, points.size, "a", [target], passed, constants)


@planned
def times_x_call(stream: Stream, basis: str, series: Layout) -> Callable[[Any], Any]:
    """A call that multiplies a gapless series by x."""
    target = _layout.contiguous(series.dtype, (series.size + 1,))
    spec = polynomial.spec.SeriesSpec("multiply_by_x", basis, _dtypes.code(series.dtype))
    passed = {"series": "x0", "result": "y0"}
    constants = {"length": series.size}
    return _operation(stream, spec, target.size, "a", [target], passed, constants)


@planned
def compose_call(
    stream: Stream, outer: str, basis: str, c: Layout, series: Layout, line: bool
) -> Callable[..., Any]:
    """A call that applies one gapless series to another of its dtype: ``c(X) * series``.

    It takes both, then the offset and the scale of X: x itself, or with `line`
    ``scale * x + offset``. ``outer`` is the basis of c, ``basis`` that of the series and the
    result.
    """
    size = c.size + series.size - 1
    target = _layout.contiguous(c.dtype, (size,))
    spec = polynomial.spec.SeriesSpec("compose", basis, _dtypes.code(c.dtype), outer, line)
    passed = {"c": "x0", "series": "x1", "result": "y0", "spare": "t0"}
    passed |= {"offset": "x2", "scale": "x3"}
    constants = {"count": c.size, "length": series.size}
    return _operation(
        stream, spec, 0, "aass", [target], passed, constants, [2 * target.nbytes],
        ["offset", "scale"],
    )  # fmt: skip


@planned
def from_roots_call(stream: Stream, basis: str, roots: Layout) -> Callable[[Any], Any]:
    """A call that takes gapless roots and returns the series that has them."""
    target = _layout.contiguous(roots.dtype, (roots.size + 1,))
    spec = polynomial.spec.SeriesSpec("from_roots", basis, _dtypes.code(roots.dtype))
    passed = {"roots": "x0", "result": "y0", "spare": "t0"}
    constants = {"count": roots.size}
    return _operation(stream, spec, 0, "a", [target], passed, constants, [target.nbytes])


@planned
def divide_call(
    stream: Stream, basis: str, dividend: Layout, divisor: Layout
) -> Callable[[Any, Any], Any]:
    """A call that takes two gapless series of one dtype, the divisor not the longer one.

    It returns the quotient, and as long as the dividend the remainder.
    """
    dtype, count, length = dividend.dtype, dividend.size, divisor.size
    targets = [_layout.contiguous(dtype, (n,)) for n in (count - length + 1, count)]
    spec = polynomial.spec.SeriesSpec("divide_series", basis, _dtypes.code(dtype))
    rows = 1 if basis == "power" else count - length + 1
    passed = {"dividend": "x0", "divisor": "x1", "quotients": "y0", "rest": "y1", "products": "t0"}
    constants = {"count": count, "length": length}
    scratch = [rows * count * dtype.itemsize]
    return _operation(stream, spec, 0, "aa", targets, passed, constants, scratch)


@planned
def derivative_call(stream: Stream, basis: str, series: Layout) -> Callable[[Any], Any]:
    """A call that differentiates gapless series, one in each column."""
    length, columns = series.shape
    target = _layout.contiguous(series.dtype, (length - 1, columns))
    if not target.size:
        return _calls.make_call(stream, "a", [target], [])
    spec = polynomial.spec.SeriesSpec("differentiate", basis, _dtypes.code(series.dtype))
    passed = {"series": "x0", "result": "y0"}
    constants = {"length": length, "columns": columns}
    return _operation(stream, spec, target.size, "a", [target], passed, constants)


@planned
def integral_call(stream: Stream, basis: str, series: Layout) -> Callable[..., Any]:
    """A call that integrates gapless series, one in each column.

    It takes the series, the bound, and the integral's value there.
    """
    length, columns = series.shape
    target = _layout.contiguous(series.dtype, (length + 1, columns))
    if not target.size:
        return _calls.make_call(stream, "ass", [target], [])
    spec = polynomial.spec.SeriesSpec("integrate", basis, _dtypes.code(series.dtype))
    passed = {"series": "x0", "result": "y0", "bound": "x1", "constant": "x2"}
    constants = {"length": length, "columns": columns}
    threads = columns * polynomial.spec.BLOCK
    return _operation(
        stream, spec, threads, "ass", [target], passed, constants, (), ["bound", "constant"]
    )


@planned
def lengths_call(
    stream: Stream, first: Layout, second: Layout, bounded: bool
) -> Callable[..., Any]:
    """A call that takes two series and a bound, and returns how long they are without zeros."""
    for series in (first, second):
        _layout.check_aligned(series, "polynomial")
    spec = polynomial.spec.LengthsSpec(
        _dtypes.code(first.dtype), _dtypes.code(second.dtype), bounded
    )
    function, source = load(spec, polynomial.spec.render_lengths, stream.device)
    constants = {
        "count": first.size,
        "step": first.strides[0] // first.itemsize,
        "second_count": second.size,
        "second_step": second.strides[0] // second.itemsize,
    }
    plan = LaunchPlan(function, (1, 1, 1), (source.block, 1, 1), constants)
    passed = {"first": "x0", "second": "x1", "lengths": "y0", "bound": "x2"}
    bound = BoundLaunch(plan, stream, {"bound": np.dtype("f8")}, "trimmed_lengths")
    target = _layout.contiguous(_INT64, (2,))
    return _calls.make_call(stream, "aas", [target], [(bound, passed)])
